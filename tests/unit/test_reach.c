/* The reachability engine on automata small enough to know every answer by hand. */
#include "core/rt/reach.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/built.h"
#include "tests/support/check.h"

#define ROW(...) ((const double[]){__VA_ARGS__})
#define TICKS(seconds) ((int64_t)((seconds)*16384.0))

static hys_reach_work *work;
static hys_reach_result result;

static bool prepared(void) {
  if (work == NULL)
    work = malloc(hys_reach_work_size());
  return CHECK(work != NULL);
}

static hys_reach_problem certify(const built *m, double horizon) {
  return (hys_reach_problem){.automaton = &m->automaton,
                             .command_labels = (UINT64_C(1) << m->spec.n_commands) - 1, /* commands first */
                             .horizon = TICKS(horizon),
                             .budget = 100000,
                             .certify = true,
                             .terminal = m->terminal,
                             .n_terminal = m->spec.n_terminal};
}

static hys_set start1(uint32_t location, double lo, double hi) {
  hys_set s = {.location = location};
  s.x[0] = hys_interval_make(lo, hi);
  return s;
}

static hys_set start2(uint32_t location, double lo0, double hi0, double lo1, double hi1) {
  hys_set s = start1(location, lo0, hi0);
  s.x[1] = hys_interval_make(lo1, hi1);
  return s;
}

static hys_verdict reach(const hys_reach_problem *problem, hys_set start) {
  CHECK_INT(hys_reach(problem, &start, 1, work, &result), HYS_OK);
  return result.verdict;
}

/* ---- blocking ---------------------------------------------------------------------------------------------
 */

/* x' = 1 up to x <= 1; then a jump with guard x >= guard to `rest`, x := x + shift, x <= 1.5 there. */
static void leaver(built *m, bool jumps, double guard, double shift) {
  built_start(m, 1, 0);
  const uint32_t run = built_location(m, "run", NULL, NULL, ROW(1));
  const uint32_t rest = built_location(m, "rest", NULL, NULL, NULL);
  built_invariant(m, run, ROW(1), 1.0);
  built_invariant(m, rest, ROW(1), 1.5);
  if (jumps) {
    const uint32_t j = built_jump(m, run, rest, HYS_NO_LABEL);
    built_guard(m, j, ROW(-1), -guard);
    built_reset(m, j, 0, ROW(1), shift, shift);
  }
  built_terminal(m, 0, rest, NULL, 0.0);
}

static hys_verdict leave(bool jumps, double guard, double shift) {
  built m;
  hys_verdict verdict = HYS_VIOLATED;
  leaver(&m, jumps, guard, shift);
  if (CHECK(built_finish(&m))) {
    const hys_reach_problem p = certify(&m, 5.0);
    verdict = reach(&p, start1(0, 0.0, 0.5));
  }
  built_end(&m);
  return verdict;
}

static void blocked(void) {
  if (!prepared())
    return;
  check_label("no jump");
  CHECK_INT(leave(false, 0.0, 0.0), HYS_UNKNOWN);
  CHECK_STR(hys_reason_name(result.reason), "BLOCKED");
  CHECK_NEAR((double)result.reached, (double)TICKS(0.5), 1.0); /* the first may be at 1 after 0.5 s */
  check_label("a jump at the border");
  CHECK_INT(leave(true, 1.0, 0.0), HYS_HOLDS);
  check_label("a jump that leads close to the border of the target's invariant");
  CHECK_INT(leave(true, 1.0, 0.4921875), HYS_HOLDS);
  check_label("a jump that leads outside the target's invariant");
  CHECK_INT(leave(true, 1.0, 0.5078125), HYS_UNKNOWN);
  CHECK_STR(hys_reason_name(result.reason), "BLOCKED");
  check_label("a jump that is not possible at the border");
  CHECK_INT(leave(true, 1.0078125, 0.0), HYS_UNKNOWN);
  CHECK_STR(hys_reason_name(result.reason), "BLOCKED");
}

/* x' = 1 up to x <= 1, y constant; the jump asks for y >= 0. */
static void blocked_in_part(void) {
  built m;
  if (!prepared())
    return;
  built_start(&m, 2, 0);
  const uint32_t run = built_location(&m, "run", NULL, NULL, ROW(1, 0));
  const uint32_t rest = built_location(&m, "rest", NULL, NULL, NULL);
  built_invariant(&m, run, ROW(1, 0), 1.0);
  const uint32_t j = built_jump(&m, run, rest, HYS_NO_LABEL);
  built_guard(&m, j, ROW(0, -1), 0.0);
  built_terminal(&m, 0, rest, NULL, 0.0);
  if (CHECK(built_finish(&m))) {
    const hys_reach_problem p = certify(&m, 5.0);
    CHECK_INT(reach(&p, start2(run, 0.0, 0.5, 0.0, 1.0)), HYS_HOLDS);
    CHECK_INT(reach(&p, start2(run, 0.0, 0.5, -0.0078125, 1.0)), HYS_UNKNOWN);
    CHECK_STR(hys_reason_name(result.reason), "BLOCKED");
  }
  built_end(&m);
}

/* An input may have to give way at the border: x' = u. */
static hys_verdict held(double u_lo, double u_hi) {
  built m;
  hys_verdict verdict = HYS_VIOLATED;
  built_start(&m, 2, 1);
  const uint32_t run = built_location(&m, "run", NULL, ROW(1, 0), ROW(0, 1)); /* y is time */
  built_input(&m, run, 0, u_lo, u_hi);
  built_invariant(&m, run, ROW(1, 0, 0), 1.0);
  built_terminal(&m, 0, run, ROW(0, -1, 0), -2.0);
  if (CHECK(built_finish(&m))) {
    const hys_reach_problem p = certify(&m, 5.0);
    verdict = reach(&p, start2(run, 0.0, 0.5, 0.0, 0.0));
  }
  built_end(&m);
  return verdict;
}

static void input_gives_way(void) {
  if (!prepared())
    return;
  CHECK_INT(held(-1.0, 1.0), HYS_HOLDS);
  CHECK_INT(held(0.0, 1.0), HYS_HOLDS);
  CHECK_INT(held(0.0078125, 1.0), HYS_UNKNOWN); /* no input keeps x <= 1 for two seconds */
  CHECK_STR(hys_reason_name(result.reason), "BLOCKED");
}

/* ---- commands ---------------------------------------------------------------------------------------------
 */

/* x' = 1; the command stops; the event leads where it does not.  slide: x' there. */
typedef struct stopper {
  built m;
  uint32_t run, stopped, elsewhere;
} stopper;

static void make_stopper(stopper *s, double slide, double guard, double bad) {
  built *m = &s->m;
  built_start(m, 1, 0);
  s->run = built_location(m, "run", NULL, NULL, ROW(1));
  s->stopped = built_location(m, "stopped", NULL, NULL, NULL);
  s->elsewhere = built_location(m, "elsewhere", NULL, NULL, ROW(slide));
  built_command(m, "stop");
  built_event(m, "glitch", 0);
  const uint32_t stop = built_jump(m, s->run, s->stopped, 0);
  built_guard(m, stop, ROW(1), guard);
  built_jump(m, s->run, s->elsewhere, 1);
  built_forbidden(m, 0, HYS_ANY_LOCATION, ROW(-1), -bad, true);
  built_terminal(m, 0, s->stopped, ROW(1), bad);
  if (slide <= 0.0)
    built_terminal(m, 1, s->elsewhere, ROW(1), bad);
}

static void disabled_by_an_event(void) {
  static const struct {
    const char *label;
    bool illegal;
    double slide;
    hys_verdict verdict;
    const char *reason;
  } rows[] = {{"illegal", true, 0.0, HYS_UNKNOWN, "NOT_ENABLED"},
              {"ignored where it goes on", false, 1.0, HYS_UNKNOWN, "UNSAFE"},
              {"ignored where nothing moves", false, 0.0, HYS_HOLDS, "NONE"}};
  if (!prepared())
    return;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    stopper s;
    check_label("%s", rows[i].label);
    make_stopper(&s, rows[i].slide, 100.0, 2.0);
    if (CHECK(built_finish(&s.m))) {
      hys_reach_problem p = certify(&s.m, 5.0);
      const hys_effect stop = {0, -1, hys_interval_entire(), rows[i].illegal, TICKS(1.0), TICKS(1.125)};
      p.effect = &stop;
      p.n_effects = 1;
      CHECK_INT(reach(&p, start1(s.run, 0.0, 0.5)), rows[i].verdict);
      CHECK_STR(hys_reason_name(result.reason), rows[i].reason);
    }
    built_end(&s.m);
  }
  check_label("without the event");
  stopper s;
  make_stopper(&s, 1.0, 100.0, 2.0);
  if (CHECK(built_finish(&s.m))) {
    hys_reach_problem p = certify(&s.m, 5.0);
    const hys_effect stop = {0, -1, hys_interval_entire(), true, TICKS(1.0), TICKS(1.125)};
    p.effect = &stop;
    p.n_effects = 1;
    p.command_labels = 3; /* glitch is a command that nobody gives */
    CHECK_INT(reach(&p, start1(s.run, 0.0, 0.5)), HYS_HOLDS);
    CHECK_NEAR(result.margin, 2.0 - 1.625, 1e-3); /* 0.5 + 1.125, and stands */
    CHECK(result.margin <= 2.0 - 1.625);
  }
  built_end(&s.m);
}

static const hys_set *find(uint32_t location, uint32_t stage) {
  for (uint32_t i = 0; i < result.n_sets; i++)
    if (result.set[i].location == location && result.set[i].stage == stage)
      return &result.set[i];
  return NULL;
}

/* The guard x <= 1 is decided nowhere in the window: both outcomes are followed. */
static void both_outcomes(void) {
  stopper s;
  if (!prepared())
    return;
  make_stopper(&s, 0.0, 1.0, 10.0);
  if (CHECK(built_finish(&s.m))) {
    hys_reach_problem p = certify(&s.m, 2.0);
    const hys_effect stop = {0, -1, hys_interval_entire(), false, TICKS(0.5), TICKS(0.75)};
    p.effect = &stop;
    p.n_effects = 1;
    p.certify = false;
    p.command_labels = 3;
    CHECK_INT(reach(&p, start1(s.run, 0.0, 0.5)), HYS_HOLDS);
    CHECK_INT(result.n_sets, 2);
    const hys_set *stopped = find(s.stopped, 1), *run = find(s.run, 1);
    if (CHECK(stopped != NULL && run != NULL)) {
      CHECK(stopped->x[0].lo <= 0.5 && stopped->x[0].lo >= 0.4375);     /* at 0.5 s at the earliest */
      CHECK(stopped->x[0].hi >= 1.0 && stopped->x[0].hi <= 1.0 + 1e-9); /* the guard */
      CHECK(run->x[0].hi >= 2.5 && run->x[0].hi <= 2.5 + 1e-9);
      CHECK(run->x[0].lo <= 2.25); /* ignored from x = 1 at 0.75 s */
    }
    check_label("surely enabled");
    CHECK_INT(reach(&p, start1(s.run, 0.0, 0.1875)), HYS_HOLDS);
    CHECK(find(s.run, 1) == NULL && find(s.stopped, 1) != NULL);
    check_label("surely disabled");
    CHECK_INT(reach(&p, start1(s.run, 0.5078125, 1.0)), HYS_HOLDS);
    CHECK(find(s.stopped, 1) == NULL && find(s.run, 1) != NULL);
  }
  built_end(&s.m);
}

/* x' = speed of the mode; `go' and `halt' lead anywhere from anywhere. */
static void order_is_kept(void) {
  built m;
  if (!prepared())
    return;
  built_start(&m, 1, 0);
  const uint32_t rest = built_location(&m, "rest", NULL, NULL, NULL);
  const uint32_t gone = built_location(&m, "go", NULL, NULL, ROW(1));
  const uint32_t halted = built_location(&m, "halt", NULL, NULL, NULL);
  const int32_t go = (int32_t)built_command(&m, "go"), halt = (int32_t)built_command(&m, "halt");
  built_jump(&m, rest, gone, go);
  built_jump(&m, halted, gone, go);
  built_jump(&m, rest, halted, halt);
  built_jump(&m, gone, halted, halt);
  built_forbidden(&m, 0, HYS_ANY_LOCATION, ROW(-1), -0.75, true);
  built_terminal(&m, 0, halted, NULL, 0.0);
  if (CHECK(built_finish(&m))) {
    hys_reach_problem p = certify(&m, 5.0);
    const hys_effect two[2] = {{go, -1, hys_interval_entire(), true, 0, TICKS(0.5)},
                               {halt, -1, hys_interval_entire(), true, 0, TICKS(0.5)}};
    const hys_effect swapped[2] = {two[1], two[0]};
    p.effect = two;
    p.n_effects = 2;
    CHECK_INT(reach(&p, start1(rest, 0.0, 0.0)), HYS_HOLDS); /* at worst go at 0 and halt at 0.5 */
    CHECK(result.margin <= 0.25 && result.margin >= 0.25 - 0.02);
    p.certify = false;
    CHECK_INT(reach(&p, start1(rest, 0.0, 0.0)), HYS_HOLDS);
    CHECK_INT(result.n_sets, 1);
    CHECK(find(halted, 2) != NULL);
    p.certify = true;
    p.effect = swapped; /* the same windows, go sent last: it may be the one that remains */
    CHECK_INT(reach(&p, start1(rest, 0.0, 0.0)), HYS_UNKNOWN);
    CHECK_STR(hys_reason_name(result.reason), "UNSAFE");
    /* ends that decrease are refused: effects keep the order of sending */
    const hys_effect crossed[2] = {two[0], {halt, -1, hys_interval_entire(), true, 0, TICKS(0.25)}};
    const hys_set at = start1(rest, 0.0, 0.0);
    p.effect = crossed;
    CHECK_INT(hys_reach(&p, &at, 1, work, &result), HYS_ERR_ARG);
    CHECK_INT(result.verdict, HYS_UNKNOWN);
  }
  built_end(&m);
}

/* A command with a value fixes what the jump leaves open. */
static void value(void) {
  built m;
  if (!prepared())
    return;
  built_start(&m, 2, 0); /* x' = a, a' = 0 */
  const uint32_t drive = built_location(&m, "drive", ROW(0, 1, 0, 0), NULL, NULL);
  const int32_t set = (int32_t)built_command(&m, "set");
  const uint32_t j = built_jump(&m, drive, drive, set);
  built_reset(&m, j, 1, NULL, -1.0, 2.0);
  if (CHECK(built_finish(&m))) {
    hys_reach_problem p = certify(&m, 1.0);
    hys_effect e = {set, 1, hys_interval_point(1.5), true, 0, 0};
    p.certify = false;
    p.effect = &e;
    p.n_effects = 1;
    CHECK_INT(reach(&p, start2(drive, 0.0, 0.0, 0.0, 0.0)), HYS_HOLDS);
    if (CHECK_INT(result.n_sets, 1)) {
      CHECK(result.set[0].x[0].lo <= 1.5 && result.set[0].x[0].hi >= 1.5);
      CHECK(result.set[0].x[0].hi - result.set[0].x[0].lo < 1.5 * 0x1p-14 + 1e-12); /* a window has a tick */
      CHECK(result.set[0].x[1].lo <= 1.5 && result.set[0].x[1].hi >= 1.5);
      CHECK(result.set[0].x[1].hi - result.set[0].x[1].lo < 1e-12);
    }
    check_label("a value that the jump does not assign");
    e.value = hys_interval_point(2.5);
    CHECK_INT(reach(&p, start2(drive, 0.0, 0.0, 0.0, 0.0)), HYS_UNKNOWN);
    CHECK_STR(hys_reason_name(result.reason), "NOT_ENABLED");
  }
  built_end(&m);
}

/* ---- chains of jumps --------------------------------------------------------------------------------------
 */

/* Urgent location 0 with jumps to itself (x := x + 1 while x <= limit - 0.5) and, from x >= limit - 0.5, to
 * `rest'. */
static hys_verdict chain(double limit) {
  built m;
  hys_verdict verdict = HYS_VIOLATED;
  built_start(&m, 1, 0);
  const uint32_t at = built_location(&m, "at once", NULL, NULL, NULL);
  const uint32_t rest = built_location(&m, "rest", NULL, NULL, NULL);
  built_urgent(&m, at);
  const uint32_t again = built_jump(&m, at, at, HYS_NO_LABEL),
                 leave_ = built_jump(&m, at, rest, HYS_NO_LABEL);
  built_guard(&m, again, ROW(1), limit - 0.5);
  built_reset(&m, again, 0, ROW(1), 1.0, 1.0);
  built_guard(&m, leave_, ROW(-1), 0.5 - limit);
  built_terminal(&m, 0, rest, NULL, 0.0);
  if (CHECK(built_finish(&m))) {
    const hys_reach_problem p = certify(&m, 5.0);
    verdict = reach(&p, start1(at, 0.0, 0.0));
  }
  built_end(&m);
  return verdict;
}

static void chains(void) {
  if (!prepared())
    return;
  CHECK_INT(chain(10.0), HYS_HOLDS);
  CHECK_INT(chain(1000.0), HYS_UNKNOWN); /* more jumps at one instant than are followed */
  CHECK_STR(hys_reason_name(result.reason), "TOO_MANY_SETS");
  CHECK(result.work <= 15 * (HYS_MAX_ARRIVALS + 2)); /* once a level */
  CHECK(result.reached <= 1);
}

/* A location that is left at once, for itself: time stands still, nothing gets anywhere. */
static void stands_still(void) {
  built m;
  if (!prepared())
    return;
  built_start(&m, 1, 0);
  const uint32_t at = built_location(&m, "at once", NULL, NULL, NULL);
  const uint32_t rest = built_location(&m, "rest", NULL, NULL, NULL);
  built_urgent(&m, at);
  built_jump(&m, at, at, HYS_NO_LABEL);
  built_terminal(&m, 0, rest, NULL, 0.0);
  if (CHECK(built_finish(&m))) {
    const hys_reach_problem p = certify(&m, 5.0);
    CHECK_INT(reach(&p, start1(at, 0.0, 1.0)), HYS_UNKNOWN); /* an empty flowpipe certifies nothing */
  }
  built_end(&m);
}

/* Two locations that lead to each other at any time, without change: closed by what has been followed. */
static void closed_cycle(void) {
  built m;
  if (!prepared())
    return;
  built_start(&m, 2, 0);
  const uint32_t a = built_location(&m, "a", NULL, NULL, ROW(1, 1));
  const uint32_t b = built_location(&m, "b", NULL, NULL, ROW(-1, 1));
  built_jump(&m, a, b, HYS_NO_LABEL);
  built_jump(&m, b, a, HYS_NO_LABEL);
  built_forbidden(&m, 0, HYS_ANY_LOCATION, ROW(-1, 0), -2.125, true);
  built_terminal(&m, 0, HYS_ANY_LOCATION, ROW(0, -1), -1.984375);
  if (CHECK(built_finish(&m))) {
    hys_reach_problem p = certify(&m, 5.0);
    CHECK_INT(reach(&p, start2(a, 0.0, 0.0, 0.0, 0.0)), HYS_HOLDS); /* |x| <= 2 after two seconds */
    CHECK(result.margin <= 0.125 && result.margin >= 0.0);
    p.certify = false;
    p.horizon = TICKS(1.0);
    CHECK_INT(reach(&p, start2(a, 0.0, 0.0, 0.0, 0.0)), HYS_HOLDS);
    CHECK_INT(result.n_sets, 2);
    for (uint32_t i = 0; i < result.n_sets; i++)
      CHECK(result.set[i].x[0].lo <= -1.0 && result.set[i].x[0].hi >= 1.0 && result.set[i].x[0].hi < 1.2);
    CHECK(!result.kept[0] || result.slope[0].lo <= -1.0); /* the slopes of both */
    CHECK(result.slope[0].lo <= -1.0 && result.slope[0].hi >= 1.0);
  }
  built_end(&m);
}

/* A ball that bounces ever faster: by 7.7 s it has bounced without end. */
static void zeno(void) {
  built m;
  if (!prepared())
    return;
  built_start(&m, 3, 0); /* x, v, time */
  const uint32_t on = built_location(&m, "on", ROW(0, 1, 0, 0, 0, 0, 0, 0, 0), NULL, ROW(0, -9.81, 1));
  built_invariant(&m, on, ROW(-1, 0, 0), 0.0);
  const uint32_t bounce = built_jump(&m, on, on, HYS_NO_LABEL);
  built_guard(&m, bounce, ROW(1, 0, 0), 0.0);
  built_guard(&m, bounce, ROW(0, 1, 0), 0.0);
  built_reset(&m, bounce, 1, ROW(0, -0.75, 0), 0.0, 0.0);
  built_terminal(&m, 0, on, ROW(0, 0, -1), -9.0);
  built_forbidden(&m, 0, on, ROW(-1, 0, 0), -12.0, true);
  if (CHECK(built_finish(&m))) {
    hys_reach_problem p = certify(&m, 10.0);
    hys_set at = start2(on, 10.0, 10.2, 0.0, 0.0);
    at.x[2] = hys_interval_point(0.0);
    CHECK_INT(reach(&p, at), HYS_UNKNOWN);
    CHECK(result.work <= p.budget + HYS_MAX_SETS + HYS_MAX_ARRIVALS);
    printf("ball: %s after %.4f s, %u steps\n", hys_reason_name(result.reason),
           (double)result.reached / 16384.0, (unsigned)result.work);
    m.terminal_row[0][0].c = hys_interval_point(-1.0); /* and as long as it falls it is certified */
    CHECK_INT(reach(&p, at), HYS_HOLDS);
  }
  built_end(&m);
}

/* ---- urgent locations
 * -------------------------------------------------------------------------------------- */

static hys_verdict urgent_from(double lo, double hi) {
  built m;
  hys_verdict verdict = HYS_VIOLATED;
  built_start(&m, 1, 0);
  const uint32_t at = built_location(&m, "at once", NULL, NULL, NULL);
  const uint32_t left = built_location(&m, "left", NULL, NULL, NULL);
  const uint32_t right = built_location(&m, "right", NULL, NULL, NULL);
  built_urgent(&m, at);
  built_guard(&m, built_jump(&m, at, left, HYS_NO_LABEL), ROW(1), 0.0);
  built_guard(&m, built_jump(&m, at, right, HYS_NO_LABEL), ROW(-1), -1.0);
  built_terminal(&m, 0, left, ROW(1), 0.0);
  built_terminal(&m, 1, right, ROW(-1), -1.0);
  if (CHECK(built_finish(&m))) {
    const hys_reach_problem p = certify(&m, 5.0);
    verdict = reach(&p, start1(at, lo, hi));
  }
  built_end(&m);
  return verdict;
}

static void urgent(void) {
  if (!prepared())
    return;
  CHECK_INT(urgent_from(-1.0, 0.0), HYS_HOLDS);
  CHECK_INT(urgent_from(1.0, 3.0), HYS_HOLDS);
  CHECK_INT(urgent_from(0.25, 0.5), HYS_UNKNOWN);
  CHECK_STR(hys_reason_name(result.reason), "BLOCKED");
  CHECK_INT(urgent_from(-0.5, 0.0078125), HYS_UNKNOWN); /* part of the set has nowhere to go */
  CHECK_STR(hys_reason_name(result.reason), "BLOCKED");
}

/* ---- steps ------------------------------------------------------------------------------------------------
 */

/* A long step would end in Bad; in a shorter one the set is in T before. */
static void terminal_inside_a_step(void) {
  built m;
  if (!prepared())
    return;
  built_start(&m, 1, 0);
  const uint32_t run = built_location(&m, "run", NULL, NULL, ROW(1));
  built_forbidden(&m, 0, run, ROW(-1), -0.75, true);
  built_terminal(&m, 0, run, ROW(-1), -0.5);
  if (CHECK(built_finish(&m))) {
    const hys_reach_problem p = certify(&m, 5.0);
    CHECK_INT(reach(&p, start1(run, 0.0, 0.0)), HYS_HOLDS);
  }
  built_end(&m);
}

static void make_wave(built *m, double damping, double bad) {
  built_start(m, 2, 0);
  const uint32_t on = built_location(m, "on", ROW(-damping, 1, -1, -damping), NULL, NULL);
  built_forbidden(m, 0, on, ROW(-1, 0), -bad, true);
}

/* The wave from [.9,1.1]x[-.1,.1] has x <= sqrt(1.1^2 + .1^2): near it only short steps do. */
static void finest_step(void) {
  const double top = sqrt(1.22);
  static const struct {
    double above;
    bool holds;
  } rows[] = {{0.25, true}, {1e-3, true}, {1e-6, true}, {-1e-6, false}};
  uint32_t before = 0;
  if (!prepared())
    return;
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    built m;
    check_label("Bad %g above", rows[i].above);
    built_start(&m, 3, 0);
    const uint32_t on = built_location(&m, "on", ROW(0, 1, 0, -1, 0, 0, 0, 0, 0), NULL, ROW(0, 0, 1));
    built_forbidden(&m, 0, on, ROW(-1, 0, 0), -(top + rows[i].above), true);
    built_terminal(&m, 0, on, ROW(0, 0, -1), -0.5);
    if (CHECK(built_finish(&m))) {
      const hys_reach_problem p = certify(&m, 1.0);
      hys_set at = start2(on, 0.9, 1.1, -0.1, 0.1);
      at.x[2] = hys_interval_point(0.0);
      CHECK_INT(reach(&p, at), rows[i].holds ? HYS_HOLDS : HYS_UNKNOWN);
      CHECK_STR(hys_reason_name(result.reason), rows[i].holds ? "NONE" : "UNSAFE");
      CHECK(result.work >= before);
      before = rows[i].holds ? result.work : 0;
      if (rows[i].holds) {
        CHECK(result.margin >= 0.0 && result.margin <= rows[i].above);
        CHECK(result.constraint == &m.forbidden_row[0][0]);
      }
    }
    built_end(&m);
  }
  CHECK(true);
}

static void width_at(double damping, int64_t ticks, double want, double tolerance, double centre) {
  built m;
  make_wave(&m, damping, 100.0);
  if (CHECK(built_finish(&m))) {
    hys_reach_problem p = certify(&m, 0.0);
    p.certify = false;
    p.horizon = ticks;
    CHECK_INT(reach(&p, start2(0, 0.9, 1.1, -0.1, 0.1)), HYS_HOLDS);
    if (CHECK_INT(result.n_sets, 1)) {
      const hys_interval *x = result.set[0].x;
      CHECK_NEAR(x[0].hi - x[0].lo, want, tolerance);
      CHECK_NEAR(x[1].hi - x[1].lo, want, tolerance);
      CHECK_NEAR(0.5 * (x[0].hi + x[0].lo), centre, tolerance);
    }
  }
  built_end(&m);
}

static void no_wrapping(void) {
  if (!prepared())
    return;
  /* once round: the box is back */
  width_at(0.0, 102944, 0.2, 1e-3, 1.0);
  /* ten times round */
  width_at(0.0, 1029437, 0.2, 1e-3, 1.0);
  /* e^-2.5 0.2 (|cos 5| + |sin 5|) */
  width_at(0.5, TICKS(5.0), 0.0204, 0.02 * 0.0204, exp(-2.5) * cos(5.0));
}

/* ---- nothing is certified by nothing
 * --------------------------------------------------------------------- */

static void empty_and_nan(void) {
  built m;
  if (!prepared())
    return;
  leaver(&m, true, 1.0, 0.0);
  if (CHECK(built_finish(&m))) {
    hys_reach_problem p = certify(&m, 5.0);
    hys_set at = start1(0, 0.0, 0.5);
    result.verdict = HYS_HOLDS;
    check_label("no sets");
    CHECK_INT(hys_reach(&p, &at, 0, work, &result), HYS_ERR_ARG);
    CHECK_INT(result.verdict, HYS_UNKNOWN);
    check_label("an empty box");
    at.x[0] = hys_interval_empty();
    CHECK_INT(hys_reach(&p, &at, 1, work, &result), HYS_ERR_ARG);
    CHECK_INT(result.verdict, HYS_UNKNOWN);
    check_label("outside the invariant");
    at = start1(0, 1.5, 2.0);
    CHECK_INT(hys_reach(&p, &at, 1, work, &result), HYS_ERR_ARG);
    CHECK_INT(result.verdict, HYS_UNKNOWN);
    check_label("a location that is not there");
    at = start1(7, 0.0, 0.5);
    CHECK_INT(hys_reach(&p, &at, 1, work, &result), HYS_ERR_ARG);
    CHECK_INT(result.verdict, HYS_UNKNOWN);
    check_label("NaN in the box"); /* a bound that is not there */
    at = start1(0, 0.0, 0.5);
    at.x[0].lo = HYSI_NAN;
    hys_reach(&p, &at, 1, work, &result);
    CHECK_INT(result.verdict, HYS_UNKNOWN);
    at = start1(1, 0.0, 0.5);
    at.x[0].hi = HYSI_NAN;
    m.location[1].invariant.n = 0;
    built_terminal(&m, 0, 1, ROW(1), 1e300);
    hys_reach(&p, &at, 1, work, &result);
    CHECK_INT(result.verdict, HYS_UNKNOWN);
    at.x[0].hi = 1e300;
    CHECK_INT(reach(&p, at), HYS_HOLDS);
    m.terminal[0].set.n = 0;
    check_label("an effect beyond the horizon");
    const hys_effect late = {0, -1, hys_interval_entire(), false, 0, p.horizon + 1};
    at = start1(0, 0.0, 0.5);
    p.effect = &late;
    p.n_effects = 1;
    CHECK_INT(hys_reach(&p, &at, 1, work, &result), HYS_ERR_ARG);
    CHECK_INT(result.verdict, HYS_UNKNOWN);
    p.n_effects = 0;
    check_label("no budget");
    p.budget = 0;
    CHECK_INT(reach(&p, at), HYS_UNKNOWN);
    CHECK_STR(hys_reason_name(result.reason), "DEADLINE");
    CHECK_INT(result.work, 0);
    p.budget = 100000;
    check_label("no terminal set");
    p.n_terminal = 0;
    CHECK_INT(reach(&p, at), HYS_UNKNOWN);
    CHECK_STR(hys_reason_name(result.reason), "NOT_TERMINAL");
    p.n_terminal = 1;
    check_label("a terminal bound that is not a number");
    CHECK_INT(reach(&p, at), HYS_HOLDS);
    built_terminal(&m, 0, 1, ROW(1), (double)NAN);
    for (int k = 0; k < 3; k++) {
      if (k == 1)
        m.terminal_row[0][0].c = (hys_interval){HYSI_NAN, 1e9};
      if (k == 2)
        m.terminal_row[0][0].c = (hys_interval){HYSI_NAN, HYSI_NAN};
      CHECK_INT(reach(&p, at), HYS_UNKNOWN);
      CHECK_STR(hys_reason_name(result.reason), "NOT_TERMINAL");
    }
  }
  built_end(&m);
}

/* A Bad bound that is not a number: nothing is known to miss it. */
static void forbidden_nan(void) {
  built m;
  if (!prepared())
    return;
  leaver(&m, true, 1.0, 0.0);
  built_forbidden(&m, 0, HYS_ANY_LOCATION, ROW(-1), -10.0, true);
  if (CHECK(built_finish(&m))) {
    const hys_reach_problem p = certify(&m, 5.0);
    CHECK_INT(reach(&p, start1(0, 0.0, 0.5)), HYS_HOLDS);
    m.forbidden_row[0][0].c = (hys_interval){HYSI_NAN, HYSI_NAN};
    CHECK_INT(reach(&p, start1(0, 0.0, 0.5)), HYS_UNKNOWN);
    CHECK_STR(hys_reason_name(result.reason), "UNSAFE");
  }
  built_end(&m);
}

CHECK_MAIN("reach", {"blocked", blocked}, {"blocked in part of the border", blocked_in_part},
           {"an input gives way", input_gives_way}, {"disabled by an event", disabled_by_an_event},
           {"both outcomes", both_outcomes}, {"order of effects", order_is_kept}, {"value", value},
           {"chains of jumps", chains}, {"stands still", stands_still}, {"closed cycle", closed_cycle},
           {"Zeno", zeno}, {"urgent", urgent}, {"a terminal set inside a step", terminal_inside_a_step},
           {"finest step", finest_step}, {"no wrapping", no_wrapping}, {"empty and NaN", empty_and_nan},
           {"forbidden NaN", forbidden_nan})
