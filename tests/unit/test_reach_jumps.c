/* Two jumps inside one long step: what an arrival keeps of the step's start (its base, its slopes) decides
 * how far it has come when the second jump is taken, and at the end of the step.  Each test fails without one
 * part of that; tests/prop/gate_reach.sh sees to it. */
#include "core/rt/reach.h"

#include <stdlib.h>

#include "tests/support/built.h"
#include "tests/support/check.h"

#define ROW(...) ((const double[]){__VA_ARGS__})

enum { ONE_SECOND = 1 << HYS_TICK_LOG2 };

static hys_reach_result result;

static bool reach(const built *m, bool certify, const hys_set *start, uint32_t n_start) {
  const hys_reach_problem p = {.automaton = &m->automaton,
                               .horizon = ONE_SECOND,
                               .budget = 1000,
                               .certify = certify,
                               .terminal = m->terminal,
                               .n_terminal = m->spec.n_terminal};
  hys_reach_work *work = malloc(hys_reach_work_size());
  if (!CHECK(work != NULL))
    return false;
  CHECK_INT(hys_reach(&p, start, n_start, work, &result), HYS_OK);
  free(work);
  return true;
}

static hys_set at(uint32_t location, double x) {
  hys_set set = {.location = location};
  set.x[0] = hys_interval_point(x);
  return set;
}

/* x' = 1 from 0 in a, from where the plant may jump to b at any instant; from b it may go on to `bad' while x
 * <= 1/4. A run does so in the first quarter of the step of one second. */
static void second_jump_early(void) {
  built m;
  built_start(&m, 1, 0);
  const uint32_t a = built_location(&m, "a", NULL, NULL, ROW(1)),
                 b = built_location(&m, "b", NULL, NULL, ROW(1)),
                 bad = built_location(&m, "bad", NULL, NULL, ROW(1));
  built_jump(&m, a, b, HYS_NO_LABEL);
  built_guard(&m, built_jump(&m, b, bad, HYS_NO_LABEL), ROW(1), 0.25);
  built_forbidden(&m, 0, bad, NULL, 0.0, false);
  built_terminal(&m, 0, HYS_ANY_LOCATION, ROW(-1), -0.9);
  if (CHECK(built_finish(&m))) {
    const hys_set start = at(a, 0.0);
    if (reach(&m, true, &start, 1)) {
      CHECK_INT(result.verdict, HYS_UNKNOWN);
      CHECK_STR(hys_reason_name(result.reason), "UNSAFE");
    }
  }
  built_end(&m);
}

/* x' = 1 everywhere; from 0 in a and from 1/2 in b the plant may jump to c, from b only while x <= 1. What
 * arrives from b lies within what arrives from a at the instant of the jump, but not at the end of the step,
 * where it is at 3/2. */
static void arrivals_of_other_starts(void) {
  built m;
  built_start(&m, 1, 0);
  const uint32_t a = built_location(&m, "a", NULL, NULL, ROW(1)),
                 b = built_location(&m, "b", NULL, NULL, ROW(1)),
                 c = built_location(&m, "c", NULL, NULL, ROW(1));
  built_jump(&m, a, c, HYS_NO_LABEL);
  built_guard(&m, built_jump(&m, b, c, HYS_NO_LABEL), ROW(1), 1.0);
  if (CHECK(built_finish(&m))) {
    const hys_set start[] = {at(a, 0.0), at(b, 0.5)};
    if (reach(&m, false, start, 2)) {
      unsigned found = 0;
      CHECK_INT(result.verdict, HYS_HOLDS);
      for (uint32_t i = 0; i < result.n_sets; i++)
        if (result.set[i].location == c) {
          found++;
          CHECK(result.set[i].x[0].lo <= 1.0 && result.set[i].x[0].hi >= 1.5);
        }
      CHECK_INT(found, 1);
    }
  }
  built_end(&m);
}

CHECK_MAIN("reach, jumps in one step", {"a second jump early in the step", second_jump_early},
           {"arrivals of other starts", arrivals_of_other_starts})
