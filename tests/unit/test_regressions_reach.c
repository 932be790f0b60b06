/* Certificates that were none: effects that share one instant with other jumps, and sets that vanish in a
 * cycle of jumps in no time.  Each has been answered with HOLDS while a run reaches the forbidden set, or
 * while nothing at all has reached the terminal set. */
#include "core/rt/reach.h"

#include <stdlib.h>

#include "tests/support/built.h"
#include "tests/support/check.h"

#define ROW(...) ((const double[]){__VA_ARGS__})
#define TICKS(seconds) ((int64_t)((seconds)*16384.0))

static hys_reach_result result;

/* false: no memory.  The verdict and its reason stand in `result'. */
static bool reach(const built *m, const hys_effect *effect, uint32_t n_effects, double horizon,
                  hys_set start) {
  const hys_reach_problem p = {.automaton = &m->automaton,
                               .command_labels = (UINT64_C(1) << m->spec.n_commands) - 1,
                               .effect = effect,
                               .n_effects = n_effects,
                               .horizon = TICKS(horizon),
                               .budget = 100000,
                               .certify = true,
                               .terminal = m->terminal,
                               .n_terminal = m->spec.n_terminal};
  hys_reach_work *work = malloc(hys_reach_work_size());
  if (!CHECK(work != NULL))
    return false;
  CHECK_INT(hys_reach(&p, &start, 1, work, &result), HYS_OK);
  free(work);
  return true;
}

static hys_effect effect(uint32_t command, int64_t at) {
  return (hys_effect){.label = (int32_t)command, .value_state = -1, .from = at, .to = at};
}

static void not_certified(const char *reason) {
  CHECK_INT(result.verdict, HYS_UNKNOWN);
  CHECK_STR(hys_reason_name(result.reason), reason);
}

/* ---- effects at one instant -------------------------------------------------------------------------------
 */

enum { A, U, V, W };

/* a -one-> u (no time passes) -> v -two-> w.  In every location time could go on for ever but for u. */
static bool chain(built *m, bool bad) {
  built_start(m, 1, 0);
  built_location(m, "a", NULL, NULL, NULL);
  built_location(m, "u", NULL, NULL, NULL);
  built_location(m, "v", NULL, NULL, NULL);
  built_location(m, "w", NULL, NULL, NULL);
  built_urgent(m, U);
  const uint32_t one = built_command(m, "one"), two = built_command(m, "two");
  built_jump(m, A, U, (int32_t)one);
  built_jump(m, U, V, HYS_NO_LABEL);
  built_jump(m, V, W, (int32_t)two);
  if (bad)
    built_forbidden(m, 0, W, NULL, 0.0, false);
  built_terminal(m, 0, A, NULL, 0.0);
  built_terminal(m, 1, V, NULL, 0.0);
  if (!bad)
    built_terminal(m, 2, W, NULL, 0.0);
  return CHECK(built_finish(m));
}

/* Both take effect at 100 ticks: a, u, v, w at that instant is a run. */
static void one_instant(void) {
  for (int bad = 0; bad < 2; bad++) {
    built m;
    check_label("w is %s", bad ? "forbidden" : "terminal");
    if (chain(&m, bad)) {
      const hys_effect both[] = {effect(0, 100), effect(1, 100)};
      if (reach(&m, both, 2, 1.0, (hys_set){.location = A})) {
        if (bad)
          not_certified("UNSAFE");
        else
          CHECK_INT(result.verdict, HYS_HOLDS);
      }
    }
    built_end(&m);
  }
}

/* At 0 in u: the jump to v comes first, then the effect, at the same instant. */
static void first_instant(void) {
  for (int bad = 0; bad < 2; bad++) {
    built m;
    check_label("w is %s", bad ? "forbidden" : "terminal");
    if (chain(&m, bad)) {
      const hys_effect two = effect(1, 0);
      if (reach(&m, &two, 1, 1.0, (hys_set){.location = U})) {
        if (bad)
          not_certified("UNSAFE");
        else
          CHECK_INT(result.verdict, HYS_HOLDS);
      }
    }
    built_end(&m);
  }
}

/* ---- cycles in no time ------------------------------------------------------------------------------------
 */

/* x' = y' = 1 with x <= 0 in both locations, between which the plant jumps to and fro at x = 0; y > 3 is
 * forbidden, and `way_out' leads away from there.  Without it no time passes beyond x = 0: nothing violates y
 * <= 3, and nothing comes to the terminal set either. */
static bool to_and_fro(built *m, bool way_out, bool urgent) {
  built_start(m, 2, 0);
  built_location(m, "a", NULL, NULL, ROW(1, 1));
  built_location(m, "b", NULL, NULL, ROW(1, 1));
  built_location(m, "out", NULL, NULL, NULL);
  built_invariant(m, 0, ROW(1, 0), 0.0);
  built_invariant(m, 1, ROW(1, 0), 0.0);
  if (urgent)
    built_urgent(m, 1);
  built_guard(m, built_jump(m, 0, 1, HYS_NO_LABEL), ROW(-1, 0), 0.0);
  built_guard(m, built_jump(m, 1, way_out ? 2 : 0, HYS_NO_LABEL), ROW(-1, 0), 0.0);
  built_forbidden(m, 0, HYS_ANY_LOCATION, ROW(0, -1), -3.0, true);
  built_terminal(m, 0, 2, NULL, 0.0);
  return CHECK(built_finish(m));
}

static void vanishing(void) {
  static const struct {
    double lo, hi; /* of x */
    bool way_out, urgent;
  } rows[] = {{-0.5, -0.5, false, false}, {-0.7, -0.3, false, false}, {0.0, 0.0, false, false},
              {-0.5, -0.5, false, true},  {-0.5, -0.5, true, false},  {-0.7, -0.3, true, false},
              {-0.5, -0.5, true, true}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    built m;
    hys_set start = {.location = 0};
    start.x[0] = hys_interval_make(rows[i].lo, rows[i].hi);
    start.x[1] = hys_interval_point(0.0);
    check_label("x in [%g, %g]%s%s", rows[i].lo, rows[i].hi, rows[i].way_out ? ", with a way out" : "",
                rows[i].urgent ? ", urgent" : "");
    if (to_and_fro(&m, rows[i].way_out, rows[i].urgent) && reach(&m, NULL, 0, 10.0, start)) {
      if (rows[i].way_out)
        CHECK_INT(result.verdict, HYS_HOLDS);
      else
        not_certified("BLOCKED");
    }
    built_end(&m);
  }
}

CHECK_MAIN("regressions of the engine", {"effects and a jump at one instant", one_instant},
           {"an effect at the first instant", first_instant}, {"a cycle of jumps in no time", vanishing})
