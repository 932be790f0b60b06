/* The laws where vehicles cut in: acc_cutin, whose event has a quadratic guard, against an exact plant.
 * Cut-ins inside the guard, right at it, repeated within a latency, while braking and at standstill, at any
 * instant: nobody is hit and the guarantee stands.  Below the guard: reported, the fallback at once.
 * SITUATIONS (default 400), PERIODS and SEED of the environment make it longer. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "models/shield_file.h"
#include "synth/offline/enforceable.h"
#include "synth/offline/recovery.h"
#include "synth/rt/schedule.h"
#include "tests/laws/acc_world.h"
#include "tests/support/check.h"

static const double react = 0.36; /* of models/library/acc/acc.xml */

static hys_arena *arena;
static hys_recovered ready;
static double window; /* s, from a decision to the effect of the last command at the latest */

static long setting(const char *name, long otherwise) {
  const char *text = getenv(name);
  return text != NULL ? strtol(text, NULL, 10) : otherwise;
}

static void prepare(void) {
  hys_diagnostics diagnostics;
  const hys_spec *spec = NULL;
  hys_recovery_report report;
  uint32_t command = 0;
  int64_t within = 0;
  arena = hys_arena_create(NULL);
  if (!CHECK(arena != NULL))
    return;
  hys_diagnostics_init(&diagnostics, arena);
  if (!CHECK_INT(hys_shield_file_read(check_source_path("models/library/acc/acc_cutin.shield.xml"), arena,
                                      &diagnostics, &spec),
                 HYS_OK))
    return;
  CHECK_INT(hys_recovery_prepare(&ready, spec, NULL, &report), HYS_OK);
  CHECK_INT(report.wanted, 1);
  CHECK_INT(report.found, 1);
  if (!CHECK(hys_recovery_needed(&ready.spec, &command, &within)))
    return;
  window = (double)within * 1e-9;
  check_label("the window found is what renewing needs, and not more than the guard leaves");
  CHECK_INT(command, ready.spec.fallback);
  CHECK(window + 0.020 >= 0.166 && window + 0.020 <= react);
  hys_certificate_report certificate;
  CHECK_INT(hys_certify(&ready.spec, NULL, &certificate, NULL), HYS_HOLDS);
  check_label("without a window the event is followed as a box, and nothing is certified");
  CHECK_INT(hys_certify(spec, NULL, &certificate, NULL), HYS_UNKNOWN);
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void inside_the_guard(void) {
  if (!CHECK(window > 0.0))
    return;
  const long situations = setting("SITUATIONS", 400), seed = setting("SEED", 1);
  const int periods = (int)setting("PERIODS", 12);
  const world_cut_ins cut = {.react = react, .window = window};
  world_tally tally = {.smallest_gap = HUGE_VAL, .max_leads = 20 * situations};
  world_cut_tally cuts = {0};
  tally.leads = malloc(sizeof *tally.leads * (size_t)tally.max_leads);
  if (!CHECK(tally.leads != NULL))
    return;
  for (long i = 0; i < situations; i++)
    world_run_cut_ins(&ready.spec, &acc_sets[0], (uint64_t)(seed * 1000003 + i), i % 2 == 0,
                      i % 4 < 2 ? WORLD_WORST_LEAD : WORLD_RANDOM_LEAD, periods, &cut, &tally, &cuts);
  CHECK_INT(tally.violations, 0);
  CHECK_INT(tally.no_safe_action, 0);
  CHECK_INT(tally.not_guarded, 0);
  CHECK_INT(tally.lost, 0);
  CHECK_INT(tally.late, 0);
  CHECK_INT(tally.passed_not_passable, 0);
  CHECK(cuts.cut_ins > 2 * situations && cuts.at_guard > situations / 2); /* something has happened */
  CHECK(cuts.set_aside > situations / 20);
  CHECK(tally.passable > situations);
  if (CHECK(tally.n_leads > situations / 20)) {
    qsort(tally.leads, (size_t)tally.n_leads, sizeof *tally.leads, by_value);
    CHECK(tally.leads[tally.n_leads / 2] <= 0.005);
    printf(
        "%ld situations, %ld cut-ins (%ld at the guard), %ld samples set aside, %ld of %ld oracle-passable "
        "commands passed, insertions %.3f ms (median), %.3f ms (largest) ahead of the latest instant, "
        "smallest "
        "gap %.4f m\n",
        tally.starts_inside, cuts.cut_ins, cuts.at_guard, cuts.set_aside, tally.passable_passed,
        tally.passable, 1e3 * tally.leads[tally.n_leads / 2], 1e3 * tally.leads[tally.n_leads - 1],
        tally.smallest_gap);
  }
  free(tally.leads);
}

static void below_the_guard(void) {
  if (!CHECK(window > 0.0))
    return;
  const long situations = setting("SITUATIONS", 400) / 2;
  const world_cut_ins cut = {.react = react, .window = window, .short_by = 5.0};
  world_tally tally = {.smallest_gap = HUGE_VAL};
  world_cut_tally cuts = {0};
  for (long i = 0; i < situations; i++)
    world_run_cut_ins(&ready.spec, &acc_sets[0], (uint64_t)(7000003 + i), i % 2 == 0, WORLD_RANDOM_LEAD, 8,
                      &cut, &tally, &cuts);
  CHECK(cuts.cut_ins > situations / 2);
  CHECK_INT(cuts.refused, cuts.cut_ins);
  CHECK_INT(cuts.answered, cuts.refused);
}

static void left(void) {
  check_label("the file's specification is as it was");
  CHECK_INT(ready.spec.automaton->n_labels, 7);
  hys_arena_destroy(arena);
}

CHECK_MAIN("acc_cut_in", {"the window", prepare}, {"inside the guard", inside_the_guard},
           {"below the guard", below_the_guard}, {"left", left})
