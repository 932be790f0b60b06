#include "sims/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/rt/interval.h"
#include "sims/plot_internal.h"

/* ---- a trace, looked at */

static int column(const hys_trace *trace, const char *name, size_t length) {
  for (size_t k = 0; k < trace->n_variables; k++) {
    if (strlen(trace->variable[k].name) == length && memcmp(trace->variable[k].name, name, length) == 0)
      return (int)k;
  }
  return -1;
}

static double note_number(const hys_trace *trace, const char *key) {
  const char *const text = hys_trace_find(trace, key);
  double value = HYSI_NAN;
  if (text == NULL || !hys_trace_read_number(text, strlen(text), &value))
    return HYSI_NAN;
  return value;
}

/* Calls for each word of a text. */
static void each_word(const char *text, void (*take)(hysi_plot_run *run, const char *word, size_t n),
                      hysi_plot_run *run) {
  while (text != NULL && *text != '\0') {
    text += strspn(text, " \t");
    const size_t n = strcspn(text, " \t");
    if (n > 0)
      take(run, text, n);
    text += n;
  }
}

static void take_speed(hysi_plot_run *run, const char *word, size_t n) {
  const int k = column(run->trace, word, n);
  if (k >= 0 && run->n_speeds < HYSI_PLOT_MAX_LINES)
    run->speed[run->n_speeds++] = k;
}

static void take_level(hysi_plot_run *run, const char *word, size_t n) {
  const size_t length = strcspn(word, "=");
  char name[HYSI_PLOT_MAX_NAME];
  snprintf(name, sizeof name, "%.*s", (int)(length < n ? length : n), word);
  if (name[0] == '\0' || hysi_plot_level(run, name) >= 0 || run->n_levels == HYSI_PLOT_MAX_LEVELS)
    return;
  memcpy(run->level[run->n_levels++], name, sizeof name);
}

int hysi_plot_level(const hysi_plot_run *run, const char *command) {
  const size_t n = strcspn(command, "=");
  for (size_t k = 0; k < run->n_levels && n > 0; k++) {
    if (strlen(run->level[k]) == n && memcmp(run->level[k], command, n) == 0)
      return (int)k;
  }
  return -1;
}

int hysi_plot_group_of(const hysi_plot_run *run, const hys_trace_row *row) {
  for (size_t k = 0; k < run->n_groups; k++) {
    if (strcmp(run->group[k].action, row->action) == 0 && strcmp(run->group[k].reason, row->reason) == 0)
      return (int)k;
  }
  return -1;
}

static int symbol_for(const hysi_plot_run *run, const char *action) {
  static const struct {
    const char *action;
    int symbol[3];
  } all[] = {
      {"suppress", {2, 1, 3}}, {"delay", {9, 8, 66}}, {"substitute", {13, 12, 4}}, {"insert", {11, 10, 6}}};
  size_t same = 0;
  for (size_t k = 0; k < run->n_groups; k++)
    same += strcmp(run->group[k].action, action) == 0;
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
    if (strcmp(all[k].action, action) == 0)
      return all[k].symbol[same < 3 ? same : 2];
  }
  return 0; /* no edit */
}

static void take_edit(hysi_plot_run *run, const hys_trace_row *row) {
  const int k = hysi_plot_group_of(run, row);
  if (k >= 0) {
    /* One command is counted once, however often it is looked at again. */
    run->group[k].count += !row->has_id || row->id != run->group[k].last_id;
    run->group[k].last_id = row->id;
    return;
  }
  const int symbol = symbol_for(run, row->action);
  if (symbol != 0 && run->n_groups < HYSI_PLOT_MAX_GROUPS)
    run->group[run->n_groups++] = (hysi_plot_group){row->action, row->reason, 1, row->id, symbol};
}

bool hysi_plot_look(hysi_plot_run *run, const hys_trace *trace) {
  memset(run, 0, sizeof *run);
  run->trace = trace;
  if (trace->n_rows == 0 || trace->n_variables == 0)
    return false;
  const char *const gap = hys_trace_find(trace, "panel.gap");
  run->gap = gap != NULL ? column(trace, gap, strlen(gap)) : 0;
  each_word(hys_trace_find(trace, "panel.speeds"), take_speed, run);
  for (size_t k = 1; run->n_speeds == 0 && k < trace->n_variables; k++) {
    if (strcmp(trace->variable[k].unit, trace->variable[1].unit) == 0)
      take_speed(run, trace->variable[k].name, strlen(trace->variable[k].name));
  }
  run->unsafe_below = note_number(trace, "unsafe.below");
  run->violated_at = note_number(trace, "violated_at");
  run->end = trace->row[trace->n_rows - 1].t;
  run->least_gap = HYSI_INF;
  each_word(hys_trace_find(trace, "commands"), take_level, run);
  for (size_t k = 0; k < trace->n_rows; k++) {
    const hys_trace_row *const row = &trace->row[k];
    take_level(run, row->requested, strlen(row->requested));
    take_level(run, row->applied, strlen(row->applied));
    for (int i = 0; i < 2; i++) {
      const int level = hysi_plot_level(run, i == 0 ? row->requested : row->applied);
      if (level >= 0)
        run->used[level] = true;
    }
    take_edit(run, row);
    if (run->gap >= 0 && row->x[run->gap] < run->least_gap) {
      run->least_gap = row->x[run->gap];
      run->least_gap_at = row->t;
    }
  }
  return true;
}

/* Commands that occur in no run have no line; all runs have the same lines. */
static void keep_used_levels(hysi_plot_run *run, size_t n) {
  hysi_plot_run all = run[0];
  for (size_t k = 0; k < run[n - 1].n_levels; k++)
    take_level(&all, run[n - 1].level[k], strlen(run[n - 1].level[k]));
  const size_t before = all.n_levels;
  all.n_levels = 0;
  for (size_t k = 0; k < before; k++) {
    bool used = false;
    for (size_t i = 0; i < n; i++) {
      const int own = hysi_plot_level(&run[i], all.level[k]);
      used = used || (own >= 0 && run[i].used[own]);
    }
    if (used)
      memmove(all.level[all.n_levels++], all.level[k], sizeof all.level[k]);
  }
  for (size_t i = 0; i < n; i++) {
    memcpy(run[i].level, all.level, sizeof all.level);
    run[i].n_levels = all.n_levels;
  }
}

/* ---- gnuplot */

static hys_status fail(char *why, size_t size, hys_status status, const char *what, const char *more) {
  if (why != NULL && size > 0)
    snprintf(why, size, "%s%s%s", what, more[0] != '\0' ? ": " : "", more);
  return status;
}

static hys_status look_at_all(hysi_plot_run **run, const hys_trace *const *trace, size_t n, char *why,
                              size_t size) {
  *run = NULL;
  if (trace == NULL || n < 1 || n > 2 || trace[0] == NULL || (n == 2 && trace[1] == NULL))
    return fail(why, size, HYS_ERR_ARG, "one trace or two", "");
  *run = calloc(n, sizeof **run);
  if (*run == NULL)
    return fail(why, size, HYS_ERR_MEMORY, "out of memory", "");
  for (size_t k = 0; k < n; k++) {
    if (!hysi_plot_look(&(*run)[k], trace[k])) {
      free(*run);
      *run = NULL;
      return fail(why, size, HYS_ERR_ARG, "the trace has no rows or no variables", "");
    }
  }
  keep_used_levels(*run, n);
  return HYS_OK;
}

hys_status hys_plot_script(const hys_trace *const *trace, size_t n, hys_plot_format format,
                           const char *path) {
  hysi_plot_run *run = NULL;
  hys_status status = path != NULL ? look_at_all(&run, trace, n, NULL, 0) : HYS_ERR_ARG;
  if (status != HYS_OK)
    return status;
  FILE *const out = fopen(path, "w");
  status = out != NULL && hysi_plot_print(out, run, n, format) ? HYS_OK : HYS_ERR_WRITE;
  if (out != NULL && fclose(out) != 0)
    status = HYS_ERR_WRITE;
  free(run);
  return status;
}

/* Runs gnuplot with its standard input, output and error on these descriptors; 0, or an errno, or -1: it
 * failed. */
static int run_gnuplot(int in, int out, int err) {
  static const char *const words[] = {"gnuplot", "-d", "-", NULL};
  posix_spawn_file_actions_t actions;
  pid_t child;
  int status = 0;
  union {
    const char *const *in;
    char *const *out;
  } argv = {words}; /* posix_spawnp does not write to them */
  int error = posix_spawn_file_actions_init(&actions);
  if (error != 0)
    return error;
  error = posix_spawn_file_actions_adddup2(&actions, in, 0);
  if (error == 0)
    error = posix_spawn_file_actions_adddup2(&actions, out, 1);
  if (error == 0)
    error = posix_spawn_file_actions_adddup2(&actions, err, 2);
  if (error == 0)
    error = posix_spawnp(&child, "gnuplot", &actions, NULL, argv.out, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return error;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR)
      return errno;
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -1;
}

/* The first line that says something. */
static void first_words(FILE *said, char *line, size_t size) {
  line[0] = '\0';
  rewind(said);
  while (fgets(line, (int)size, said) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    if (line[strspn(line, " \t^")] != '\0')
      return;
  }
  line[0] = '\0';
}

hys_status hysi_plot_draw(FILE *script, const char *path, char *why, size_t size) {
  hys_status status = HYS_OK;
  FILE *const said = tmpfile();
  const int out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (out < 0) {
    status = fail(why, size, HYS_ERR_WRITE, path, strerror(errno));
  } else if (said == NULL || fflush(script) != 0) {
    status = fail(why, size, HYS_ERR_WRITE, "no temporary file", strerror(errno));
  } else {
    rewind(script);
    if (lseek(fileno(script), 0, SEEK_SET) != 0)
      status = fail(why, size, HYS_ERR_WRITE, "temporary file", strerror(errno));
    const int error = status == HYS_OK ? run_gnuplot(fileno(script), out, fileno(said)) : 0;
    char line[200];
    if (error > 0) {
      status = fail(why, size, HYS_ERR_UNSUPPORTED, "gnuplot cannot be run", strerror(error));
    } else if (error < 0) {
      first_words(said, line, sizeof line);
      status = fail(why, size, HYS_ERR_UNSUPPORTED, "gnuplot failed", line);
    }
  }
  if (out >= 0 && close(out) != 0 && status == HYS_OK)
    status = fail(why, size, HYS_ERR_WRITE, path, strerror(errno));
  if (out >= 0 && status != HYS_OK)
    unlink(path);
  if (said != NULL)
    fclose(said);
  return status;
}

hys_status hys_plot_write(const hys_trace *const *trace, size_t n, hys_plot_format format, const char *path,
                          char *why, size_t size) {
  hysi_plot_run *run = NULL;
  if (path == NULL)
    return fail(why, size, HYS_ERR_ARG, "no path", "");
  hys_status status = look_at_all(&run, trace, n, why, size);
  if (status != HYS_OK)
    return status;
  FILE *const script = tmpfile();
  if (script == NULL || !hysi_plot_print(script, run, n, format))
    status = fail(why, size, HYS_ERR_WRITE, "no temporary file", strerror(errno));
  else
    status = hysi_plot_draw(script, path, why, size);
  if (script != NULL)
    fclose(script);
  free(run);
  return status;
}
