/* The closed loop: what it counts, what it draws, and that a seed fixes everything. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sims/drive.h"
#include "tests/support/check.h"
#include "tests/support/hand_made.h"

/* Asks for the same command each time. */
static size_t always(void *context, double t, const double *reading, hys_drive_command *command, size_t max) {
  (void)t, (void)reading, (void)max;
  command[0] = (hys_drive_command){*(const uint32_t *)context, HYSI_NAN};
  return 1;
}

static void brake_at_one(void *context, double t, const double *x, double *u) {
  (void)context, (void)x;
  u[0] = t < 1 ? 0 : -6;
}
static double break_at_one(void *context, double t) {
  (void)context;
  return t < 1 ? 1 : HYSI_INF;
}

static const double start[HAND_NX] = {40, 20, 0, 20};
static uint32_t wanted = HAND_ACCELERATE;

static void defaults(hys_drive_config *config) {
  hys_drive_config_default(config);
  config->spec = hand_made_acc_spec();
  config->duration = INT64_C(10000000000);
  config->location = HAND_CRUISE;
  config->x = start;
  config->inputs.value = brake_at_one;
  config->inputs.next_break = break_at_one;
  config->agent = (hys_drive_agent){always, &wanted};
  config->gap_state = HAND_D;
  config->speed_state = HAND_V;
  wanted = HAND_ACCELERATE;
}

/* The command takes effect at s in [10, 40] ms; from 1 s on d = 40 - (t-s)^2 - 3 (t-1)^2 until d = 2. */
static void without_a_shield(void) {
  hys_drive_config config;
  hys_drive_result r;
  defaults(&config);
  config.mode = HYS_DRIVE_NO_SHIELD;
  for (uint64_t seed = 1; seed <= 8; seed++) {
    config.seed = seed;
    check_label("seed %d", (int)seed);
    CHECK_INT(hys_drive_run(&config, &r), HYS_OK);
    CHECK(r.violated);
    CHECK_SAME(r.end, r.violated_at);
    double s[2] = {0.010, 0.040}, t[2];
    for (int k = 0; k < 2; k++) /* (t-s)^2 + 3 (t-1)^2 = 38 */
      t[k] = (2 * s[k] + 6 + sqrt((2 * s[k] + 6) * (2 * s[k] + 6) - 16 * (s[k] * s[k] + 3 - 38))) / 8;
    CHECK(r.violated_at >= t[0] - 1e-9 && r.violated_at <= t[1] + 1e-9);
    CHECK_INT(r.commands, (int)floor(r.violated_at / 0.1) + 1);
    CHECK_INT(r.changes, 1);
    CHECK_INT(r.edits.pass, r.commands);
    CHECK_INT(r.steps, 0);
    CHECK(isnan(r.first_edit));
    CHECK_NEAR(r.margin, 0, 1e-9);
    CHECK_NEAR(r.x[HAND_D], 2, 1e-9);
    CHECK_INT(r.location, HAND_ACCELERATE);
  }
}

static void a_safe_run_ends_at_its_duration(void) {
  hys_drive_config config;
  hys_drive_result r;
  defaults(&config);
  config.mode = HYS_DRIVE_NO_SHIELD;
  config.duration = INT64_C(1000000000);
  wanted = HAND_CRUISE;
  CHECK_INT(hys_drive_run(&config, &r), HYS_OK);
  CHECK(!r.violated && isnan(r.violated_at));
  CHECK_SAME(r.end, 1.0);
  CHECK_NEAR(r.margin, 38, 1e-9);
  CHECK_INT(r.commands, 11); /* at 0.0, 0.1 .. 1.0 s */
  CHECK_INT(r.changes, 0);
  CHECK_NEAR(r.time_gap, 2, 1e-12);
  CHECK_INT(r.ignored, 10); /* the last one is still on its way */
}

static char *read_all(const char *path) {
  FILE *f = fopen(path, "rb");
  char *text = calloc(1, 1 << 20);
  if (f != NULL && text != NULL)
    text[fread(text, 1, (1 << 20) - 1, f)] = '\0';
  if (f != NULL)
    fclose(f);
  return text;
}

/* Rows: a sample each period at the true state, and one at each instant of output, in order of time. */
static char *traced(uint64_t seed, hys_drive_mode mode) {
  char path[] = "drive-XXXXXX";
  const int fd = mkstemp(path);
  const hys_trace_variable variable[HAND_NX] = {{"d", "m"}, {"v", "m/s"}, {"a", "m/s^2"}, {"w", "m/s"}};
  hys_drive_config config;
  hys_drive_result r;
  hys_trace_writer *writer = NULL;
  if (!CHECK(fd >= 0))
    return NULL;
  close(fd);
  defaults(&config);
  config.seed = seed;
  config.mode = mode;
  CHECK_INT(hys_trace_writer_create(&writer, path, NULL, 0, variable, HAND_NX), HYS_OK);
  config.trace = writer;
  CHECK_INT(hys_drive_run(&config, &r), HYS_OK);
  CHECK_INT(hys_trace_writer_destroy(writer), HYS_OK);
  hys_arena *arena = hys_arena_create(NULL);
  hys_diagnostics problems;
  hys_diagnostics_init(&problems, arena);
  const hys_trace *trace = NULL;
  if (CHECK_INT(hys_trace_read(path, arena, &problems, &trace), HYS_OK) && trace != NULL) {
    size_t samples = 0, requests = 0;
    for (size_t k = 0; k < trace->n_rows; k++) {
      samples += trace->row[k].action[0] == '\0' && trace->row[k].requested[0] == '\0';
      requests += trace->row[k].has_id;
    }
    CHECK(samples >= (size_t)r.commands);
    if (mode == HYS_DRIVE_NO_SHIELD)
      CHECK_INT(requests, r.commands);
    CHECK_SAME(trace->row[trace->n_rows - 1].t, r.end);
  }
  hys_arena_destroy(arena);
  char *text = read_all(path);
  unlink(path);
  return text;
}

static void a_seed_fixes_the_trace(void) {
  static const hys_drive_mode modes[] = {HYS_DRIVE_NO_SHIELD, HYS_DRIVE_SHIELD, HYS_DRIVE_OBSERVE};
  for (size_t k = 0; k < 3; k++) {
    if (modes[k] != HYS_DRIVE_NO_SHIELD && hys_shield_size(hand_made_acc_spec()) == 0)
      continue;
    char *a = traced(5, modes[k]), *b = traced(5, modes[k]), *c = traced(6, modes[k]);
    check_label("mode %zu", k);
    if (CHECK(a != NULL && b != NULL && c != NULL)) {
      CHECK(a[0] != '\0' && strcmp(a, b) == 0);
      CHECK(strcmp(a, c) != 0);
    }
    free(a);
    free(b);
    free(c);
  }
}

static void arguments_are_checked(void) {
  hys_drive_config config;
  hys_drive_result r;
  const hys_drive_event event = {.at = 5, .which = 3};
  defaults(&config);
  CHECK_INT(hys_drive_run(NULL, &r), HYS_ERR_ARG);
  config.duration = 0;
  CHECK_INT(hys_drive_run(&config, &r), HYS_ERR_ARG);
  defaults(&config);
  config.event = &event;
  config.n_events = 1;
  CHECK_INT(hys_drive_run(&config, &r), HYS_ERR_ARG);
  defaults(&config);
  config.location = HAND_LOCATIONS;
  config.mode = HYS_DRIVE_NO_SHIELD;
  CHECK_INT(hys_drive_run(&config, &r), HYS_ERR_ARG);
}

CHECK_MAIN("drive", {"without a shield", without_a_shield},
           {"a safe run ends at its duration", a_safe_run_ends_at_its_duration},
           {"a seed fixes the trace", a_seed_fixes_the_trace},
           {"arguments are checked", arguments_are_checked})
