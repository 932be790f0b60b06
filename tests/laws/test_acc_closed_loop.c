/* The laws on adaptive cruise control against its exact oracle: sound, latest insertion, transparent; all
 * four parameter sets.  SITUATIONS (default 300 a set) and PERIODS of the environment make it longer: `./dev
 * oracle` runs 100 000. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/shield_file.h"
#include "tests/laws/acc_world.h"
#include "tests/support/check.h"

static long setting(const char *name, long otherwise) {
  const char *text = getenv(name);
  return text != NULL ? strtol(text, NULL, 10) : otherwise;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void run_set(const char *file, const acc_set *set) {
  hys_arena *arena = hys_arena_create(NULL);
  if (!CHECK(arena != NULL))
    return;
  hys_diagnostics diagnostics;
  hys_diagnostics_init(&diagnostics, arena);
  const hys_spec *spec = NULL;
  if (!CHECK_INT(hys_shield_file_read(check_source_path(file), arena, &diagnostics, &spec), HYS_OK)) {
    hys_arena_destroy(arena);
    return;
  }
  const long situations = setting("SITUATIONS", 300), seed = setting("SEED", 1);
  const int periods = (int)setting("PERIODS", 12);
  world_tally tally = {.smallest_gap = HUGE_VAL, .max_leads = 20 * situations};
  tally.leads = malloc(sizeof *tally.leads * (size_t)tally.max_leads);
  if (CHECK(tally.leads != NULL)) {
    for (long i = 0; i < situations; i++)
      world_run(spec, set, (uint64_t)(seed * 1000003 + i), i % 2 == 0,
                i % 4 < 2 ? WORLD_WORST_LEAD : WORLD_RANDOM_LEAD, periods, &tally);
    qsort(tally.leads, (size_t)tally.n_leads, sizeof *tally.leads, by_value);
    CHECK_INT(tally.violations, 0);
    CHECK_INT(tally.no_safe_action, 0);
    CHECK_INT(tally.not_guarded, 0);
    CHECK_INT(tally.lost, 0);
    CHECK_INT(tally.late, 0);
    CHECK_INT(tally.passed_not_passable, 0);
    CHECK(tally.n_leads > situations / 20 && tally.passable > situations / 2); /* something was compared */
    if (tally.n_leads > 0) {
      const double median = tally.leads[tally.n_leads / 2], largest = tally.leads[tally.n_leads - 1];
      const double share = (double)tally.passable_passed / (double)tally.passable;
      CHECK(median <= 0.005);
      CHECK(share >= 0.95);
      printf("%s: %ld situations inside S, %ld decisions, %ld insertions compared: lead median %.3f ms, p99 "
             "%.3f ms, "
             "largest %.3f ms; %.2f %% of %ld oracle-passable commands passed; smallest gap %.4f m\n",
             set->name, tally.starts_inside, tally.decisions, tally.n_leads, 1e3 * median,
             1e3 * tally.leads[tally.n_leads * 99 / 100], 1e3 * largest, 100.0 * share, tally.passable,
             tally.smallest_gap);
    }
  }
  free(tally.leads);
  hys_arena_destroy(arena);
}

static void main_set(void) {
  run_set("models/library/acc/acc.shield.xml", &acc_sets[0]);
}
static void set_6_8(void) {
  run_set("models/library/acc/acc-b6-B8.shield.xml", &acc_sets[1]);
}
static void set_8_6(void) {
  run_set("models/library/acc/acc-b8-B6.shield.xml", &acc_sets[2]);
}
static void set_4_8(void) {
  run_set("models/library/acc/acc-b4-B8.shield.xml", &acc_sets[3]);
}

CHECK_MAIN("acc_closed_loop", {"b 6, B 6", main_set}, {"b 6, B 8", set_6_8}, {"b 8, B 6", set_8_6},
           {"b 4, B 8", set_4_8})
