/* Recorded drives as the vehicle ahead: every unsafe agent safe wherever the start is inside S by the oracle,
 * and a safe agent left alone in at least 99 % of its commands, not by hanging back.  DURATION (default 12 s)
 * is how much of each drive is driven; `./dev recorded` drives them whole. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/shield_file.h"
#include "sims/acc_drive.h"
#include "tests/oracle/acc_oracle.h"
#include "tests/support/check.h"

enum { MAX_FILES = 32, MAX_NAME = 512 };

static const char *const unsafe_agents[] = {"accelerate", "wrong_sign", "stale", "random"};

static int by_name(const void *a, const void *b) {
  return strcmp(a, b);
}

/* The recordings, by name; 0 where the folder is absent (the test is marked as skipped). */
static size_t recordings(char (*file)[MAX_NAME]) {
  const char *folder = check_shared_path("traffic/openacc");
  if (folder == NULL)
    return 0;
  DIR *open = opendir(folder);
  size_t n = 0;
  if (!CHECK(open != NULL))
    return 0;
  for (const struct dirent *e = readdir(open); e != NULL && n < MAX_FILES; e = readdir(open)) {
    const size_t length = strlen(e->d_name);
    if (length > 4 && strcmp(e->d_name + length - 4, ".csv") == 0 &&
        snprintf(file[n], MAX_NAME, "%s/%s", folder, e->d_name) < MAX_NAME)
      n++;
  }
  closedir(open);
  qsort(file, n, MAX_NAME, by_name);
  CHECK(n > 0);
  return n;
}

static bool drive(const hys_spec *spec, const char *file, const char *agent, hys_drive_result *result,
                  acc_drive_report *report) {
  const char *duration = getenv("DURATION");
  acc_drive_options options;
  char why[256] = "";
  acc_drive_options_default(&options);
  options.agent = agent;
  options.lead_file = file;
  options.duration = duration != NULL ? strtod(duration, NULL) : 12.0;
  options.mode = HYS_DRIVE_SHIELD;
  const hys_status status = acc_drive_run(spec, &options, result, report, why, sizeof why);
  check_label("%s, %s: %s", strrchr(file, '/') + 1, agent, why);
  return CHECK_INT(status, HYS_OK);
}

static size_t state_index(const hys_automaton *a, const char *name) {
  size_t i = 0;
  while (i < a->nx && strcmp(a->state_name[i], name) != 0)
    i++;
  return i;
}

static bool starts_inside(const hys_spec *spec, const acc_drive_report *report) {
  const hys_automaton *a = spec->automaton;
  const acc_car start = {report->start[state_index(a, "d")], report->start[state_index(a, "v")],
                         report->start[state_index(a, "w")]};
  const acc_car worst =
      acc_worst_first_estimate(start, 0.0, &acc_sets[0], &acc_timing_main, &acc_errors_main);
  return acc_start_margin(worst, 0.0, &acc_sets[0], &acc_timing_main) >= 0.0;
}

static void recorded(void) {
  static char file[MAX_FILES][MAX_NAME];
  const size_t n = recordings(file);
  hys_arena *arena = hys_arena_create(NULL);
  hys_diagnostics diagnostics;
  const hys_spec *spec = NULL;
  if (n == 0 || !CHECK(arena != NULL)) {
    hys_arena_destroy(arena);
    return;
  }
  hys_diagnostics_init(&diagnostics, arena);
  if (CHECK_INT(hys_shield_file_read(check_source_path("models/library/acc/acc.shield.xml"), arena,
                                     &diagnostics, &spec),
                HYS_OK)) {
    size_t inside = 0;
    for (size_t i = 0; i < n; i++) {
      hys_drive_result r;
      acc_drive_report report;
      if (!drive(spec, file[i], "idm", &r, &report))
        continue;
      const bool in = starts_inside(spec, &report);
      inside += in;
      const double alone = 100.0 * (double)r.edits.pass / (double)r.commands;
      printf("%s: start %s S; IDM left alone in %.2f %% of %lu commands (%lu of %lu changes edited), mean "
             "time gap %.2f s\n",
             strrchr(file[i], '/') + 1, in ? "inside" : "outside", alone, (unsigned long)r.commands,
             (unsigned long)r.edited_changes, (unsigned long)r.changes, r.time_gap);
      if (!in)
        continue;
      CHECK(!r.violated);
      CHECK(!r.guarantee_void);
      CHECK(alone >= 99.0);
      if (r.end >= 300.0) /* the first seconds close the gap of the start */
        CHECK(r.time_gap < 2.0);
      for (size_t k = 0; k < sizeof unsafe_agents / sizeof unsafe_agents[0]; k++) {
        if (!drive(spec, file[i], unsafe_agents[k], &r, &report))
          continue;
        CHECK(!r.violated);
        CHECK(!r.guarantee_void);
        CHECK_INT(r.state, HYS_STATE_GUARDED);
        printf("  %s: smallest gap %.3f m, pass %lu delay %lu suppress %lu insert %lu\n", unsafe_agents[k],
               r.margin + report.d_min, (unsigned long)r.edits.pass, (unsigned long)r.edits.delay,
               (unsigned long)r.edits.suppress, (unsigned long)r.edits.insert);
      }
    }
    CHECK(inside > 0);
  }
  hys_arena_destroy(arena);
}

CHECK_MAIN("recorded_drives", {"unsafe agents are safe, a safe one is left alone", recorded})
