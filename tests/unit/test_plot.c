/* Pictures: what the script says, and that gnuplot draws it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/rt/interval.h"
#include "sims/plot.h"
#include "tests/support/check.h"

static const double states[4][3] = {{40, 20, 20}, {30, 20, 14}, {12, 20, 8}, {2, 20, 2}};
static const hys_trace_row rows[] = {
    {0, "on", states[0], false, 0, "", "", "", "", 38},
    {0, "on", states[0], true, 1, "accelerate", "accelerate", "pass", "PASSED", 38},
    {1, "on", states[1], true, 2, "accelerate", "", "suppress", "UNSAFE", 5},
    {2, "on", states[2], true, 3, "accelerate", "", "suppress", "UNSAFE", 3},
    {2.5, "on", states[2], false, 0, "", "brake", "insert", "INSERTED", 1},
    {3, "on", states[3], false, 0, "", "", "", "", 0},
};
static const hys_trace_variable variables[] = {{"d", "m"}, {"v", "m/s"}, {"w", "m/s"}};
static const hys_trace_note notes[] = {{"title", "it's a\ttest"}, {"panel.gap", "d"},
                                       {"panel.speeds", "v w"},   {"label.v", "ego"},
                                       {"unsafe.below", "2"},     {"commands", "brake cruise accelerate"},
                                       {"shield", "off"},         {"violated_at", "3"}};
static const hys_trace trace = {notes, sizeof notes / sizeof notes[0], variables, 3,
                                rows,  sizeof rows / sizeof rows[0]};
static const hys_trace bare = {NULL, 0, variables, 3, rows, sizeof rows / sizeof rows[0]};

static char *read_all(const char *path) {
  FILE *f = fopen(path, "rb");
  char *text = calloc(1, 1 << 18);
  if (f != NULL && text != NULL)
    text[fread(text, 1, (1 << 18) - 1, f)] = '\0';
  if (f != NULL)
    fclose(f);
  return text;
}

static bool holds(const char *text, const char *part) {
  check_label("%s", part);
  return CHECK(strstr(text, part) != NULL);
}

static void the_script_says_it_all(void) {
  char path[] = "script-XXXXXX";
  const int fd = mkstemp(path);
  const hys_trace *const two[2] = {&trace, &bare};
  if (!CHECK(fd >= 0))
    return;
  close(fd);
  if (CHECK_INT(hys_plot_script(two, 2, HYS_PLOT_SVG, path), HYS_OK)) {
    char *script = read_all(path);
    if (CHECK(script != NULL)) {
      holds(script, "'it''s a test'"); /* one string of gnuplot, on one line */
      holds(script, "'unsafe: less than 2 m'");
      holds(script, "'without shield: collision at t = 3.00 s'");
      holds(script, "'suppressed: the forbidden set may be reached (2)'");
      holds(script, "'inserted (1)'");
      holds(script, "title 'ego'");
      holds(script, "'d [m]'");
      holds(script, "'brake' 0, 'accelerate' 1"); /* cruise was never said */
      holds(script, "$mark0_0 << EOD\n1 1.15\n2 1.15\nEOD\n");
      holds(script, "$applied0 << EOD\n0 0.85\n2.5 -0.15\n3 -0.15\nEOD\n");
      holds(script, "$gap1 << EOD\n0 40\n");
    }
    free(script);
  }
  unlink(path);
  const hys_trace empty = {notes, 0, variables, 3, rows, 0}, *const one[1] = {&empty};
  CHECK_INT(hys_plot_script(one, 1, HYS_PLOT_SVG, path), HYS_ERR_ARG);
  CHECK_INT(hys_plot_script(two, 3, HYS_PLOT_SVG, path), HYS_ERR_ARG);
  CHECK_INT(hys_plot_script(two, 1, HYS_PLOT_SVG, "no/such/folder/x"), HYS_ERR_WRITE);
}

static bool have_gnuplot(void) {
  const char *path = getenv("PATH");
  while (path != NULL && *path != '\0') {
    char file[4096];
    const size_t n = strcspn(path, ":");
    snprintf(file, sizeof file, "%.*s/gnuplot", (int)n, path);
    if (access(file, X_OK) == 0)
      return true;
    path += n + (path[n] == ':');
  }
  return false;
}

static void gnuplot_draws_it(void) {
  static const struct {
    hys_plot_format format;
    const char *path, *start;
  } all[] = {{HYS_PLOT_PNG, "a picture's $(name).png", "\x89PNG"},
             {HYS_PLOT_SVG, "a picture's $(name).svg", "<?xml"},
             {HYS_PLOT_PDF, "a picture's $(name).pdf", "%PDF"}};
  const hys_trace *const two[2] = {&trace, &bare};
  char why[256] = "";
  if (!have_gnuplot()) {
    check_skip("gnuplot is not installed");
    return;
  }
  for (size_t k = 0; k < 3; k++) {
    check_label("%s", all[k].path);
    if (CHECK_INT(hys_plot_write(two, 1 + k % 2, all[k].format, all[k].path, why, sizeof why), HYS_OK)) {
      char *text = read_all(all[k].path);
      CHECK(text != NULL && strncmp(text, all[k].start, strlen(all[k].start)) == 0);
      free(text);
    } else {
      CHECK_STR(why, "");
    }
    unlink(all[k].path);
  }
  CHECK_INT(hys_plot_write(two, 1, HYS_PLOT_PNG, "no/such/folder/x.png", why, sizeof why), HYS_ERR_WRITE);
  CHECK(strstr(why, "no/such/folder/x.png") != NULL);
}

static void without_gnuplot_it_says_so(void) {
  const hys_trace *const one[1] = {&trace};
  const char *const path = getenv("PATH");
  char *const kept = path != NULL ? strdup(path) : NULL;
  char why[256] = "";
  struct stat there;
  setenv("PATH", "/nowhere", 1);
  CHECK_INT(hys_plot_write(one, 1, HYS_PLOT_PNG, "unmade.png", why, sizeof why), HYS_ERR_UNSUPPORTED);
  CHECK(strstr(why, "gnuplot cannot be run") != NULL);
  CHECK(stat("unmade.png", &there) != 0 && errno == ENOENT); /* no half picture is left */
  if (kept != NULL)
    setenv("PATH", kept, 1);
  free(kept);
}

CHECK_MAIN("plot", {"the script says it all", the_script_says_it_all}, {"gnuplot draws it", gnuplot_draws_it},
           {"without gnuplot it says so", without_gnuplot_it_says_so})
