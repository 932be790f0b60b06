/* The oracle of adaptive cruise control against known numbers, against its closed form, and against
 * simulation by tiny steps that knows nothing of stopping distances. */
#include <math.h>
#include <stdint.h>

#include "tests/oracle/acc_oracle.h"
#include "tests/support/check.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define KMH(speed) ((speed) / 3.6)

/* xorshift64*: a fixed seed gives the same cases everywhere. */
static uint64_t random_state;

static double uniform(double lo, double hi) {
  random_state ^= random_state >> 12;
  random_state ^= random_state << 25;
  random_state ^= random_state >> 27;
  return lo + (hi - lo) * (double)((random_state * 0x2545F4914F6CDD1DU) >> 11) * 0x1p-53;
}

/* By steps of STEP: each vehicle's speed moves on by its acceleration and stays at zero once there; distances
 * by the trapezoid. A stop inside a step is off by b STEP^2 / 2 at most, a lowest point between two steps by
 * (b + B) STEP^2 / 8: in all 5e-5 m for 10 m/s^2 each, the most that is used here. */
#define STEP 2e-3
#define BRUTE_ERROR 6e-5

static double not_below_zero(double x) {
  return x > 0.0 ? x : 0.0;
}

static double drive(acc_car *c, double a, double time, double B, double lowest) {
  const int whole = (int)floor(time / STEP);
  for (int k = 0; k <= whole; k++) {
    const double dt = k < whole ? STEP : time - whole * STEP;
    const double v = not_below_zero(c->v + a * dt), w = not_below_zero(c->w - B * dt);
    c->d += ((c->w + w) - (c->v + v)) / 2.0 * dt;
    c->v = v;
    c->w = w;
    if (c->d < lowest)
      lowest = c->d;
  }
  return lowest;
}

/* The lowest gap: at a until `from`, at e until `until`, then braking to standstill; the vehicle ahead brakes
 * at B. */
static double brute(acc_car c, double a, double from, double e, double until, double b, double B) {
  double lowest = drive(&c, a, from, B, c.d);
  lowest = drive(&c, e, until - from, B, lowest);
  /* A vehicle that has come to stand stays there under braking: nothing changes once the ego vehicle stands.
   */
  return drive(&c, -b, c.v / b + STEP, B, lowest);
}

static void known_needs(void) {
  static const struct {
    double v, w, b, B, need;
  } row[] = {{30, 25, 8, 6, 6.25},
             {30, 30, 4, 8, 56.25},
             {0, 0, 6, 6, 0},
             {20, 20, 6, 6, 0},
             {20, 30, 6, 6, 0},
             {30, 0, 6, 6, 75},
             {KMH(60), KMH(40), 6, 6, 12.860082304526749},
             {0, 40, 4, 8, 0},
             {30, 0, 8, 6, 56.25},
             {20, 15, 8, 6, 6.25},
             {20, 14, 8, 6, 26.0 / 3.0},
             {10, 10.0001, 8, 6, 0}};
  for (size_t i = 0; i < COUNT(row); i++) {
    check_label("row %zu", i);
    CHECK_NEAR(acc_need(row[i].v, row[i].w, row[i].b, row[i].B), row[i].need, 1e-12);
  }
  check_label("RSS");
  CHECK_NEAR(acc_stopping_difference(30, 25, 8, 6), 4.166666666666667, 1e-12);
}

static void need_is_monotone(void) {
  random_state = 3;
  for (int i = 0; i < 20000; i++) {
    const double v = uniform(0, 50), w = uniform(0, 50), b = uniform(3, 10), B = uniform(3, 10);
    check_label("case %d", i);
    const double need = acc_need(v, w, b, B);
    CHECK(acc_need(v + uniform(0, 5), w, b, B) >= need);
    CHECK(acc_need(v, w + uniform(0, 5), b, B) <= need);
    CHECK(need >= acc_stopping_difference(v, w, b, B));
  }
}

static void need_by_simulation(void) {
  random_state = 1;
  double worst = 0.0;
  int third = 0;
  for (int i = 0; i < 20000; i++) {
    const double v = uniform(0, 45), w = i % 2 != 0 ? uniform(0, 45) : fmax(0.0, v - uniform(0, 8));
    const double b = uniform(3, 10), B = uniform(3, 10);
    const double need = acc_need(v, w, b, B);
    third += need > acc_stopping_difference(v, w, b, B) + 1e-3;
    worst = fmax(worst, fabs(-brute((acc_car){0.0, v, w}, 0, 0, 0, 0, b, B) - need));
  }
  CHECK(worst <= BRUTE_ERROR);
  /* The case that the difference of stopping distances misses did come up. */
  CHECK(third > 500);
}

static void tau_closed_form(void) {
  random_state = 2;
  int finite = 0, late = 0, never = 0;
  for (int i = 0; i < 20000; i++) {
    const double b = uniform(3, 8), B = b + (i % 4 != 0 ? uniform(0, 4) : 0.0);
    const acc_set set = {"", 2.0, b, B};
    const acc_car c = {uniform(1.5, 150), i % 50 != 0 ? uniform(0, 45) : 0.0, uniform(0, 45)};
    const double a = i % 5 == 0 ? 0.0 : i % 5 == 1 ? uniform(-0.95 * b, 0) : uniform(0.01, 3);
    const double bisected = acc_tau(c, a, &set), closed = acc_tau_closed(c, a, &set);
    check_label("case %d: d %g v %g w %g a %g b %g B %g", i, c.d, c.v, c.w, a, b, B);
    if (isinf(bisected) || isinf(closed)) {
      CHECK_SAME(bisected, closed);
      late += bisected < 0;
      never += bisected > 0;
    } else {
      /* Where a grazing start meets the square root a rounding counts for its root. */
      CHECK_NEAR(bisected, closed, 1e-9 * fmax(1.0, closed) + 1e-6 * (closed < 1e-3));
      finite++;
    }
  }
  CHECK(finite > 5000 && late > 1000 && never > 500);
  check_label("b > B has no closed form here");
  CHECK(isnan(acc_tau_closed((acc_car){50, 20, 20}, 0, &acc_sets[2])));
}

/* At tau the lowest gap is d_min; before, more; after, less. */
static void tau_by_simulation(void) {
  random_state = 4;
  int finite = 0;
  for (int i = 0; i < 2000; i++) {
    const acc_set *set = &acc_sets[i % ACC_SETS];
    const acc_car c = {uniform(2, 120), uniform(0, 35), uniform(0, 35)};
    const double level[] = {ACC_ACCELERATE, 0.0, ACC_COAST, uniform(-set->b + 0.05, 2)};
    const double a = level[i / ACC_SETS % 4];
    const double tau = acc_tau(c, a, set);
    check_label("case %d: %s d %g v %g w %g a %g tau %g", i, set->name, c.d, c.v, c.w, a, tau);
    const double b = set->b, B = set->B;
    if (tau < 0) {
      CHECK(brute(c, a, 0, 0, 0, b, B) < set->d_min + BRUTE_ERROR);
    } else if (isinf(tau)) {
      CHECK(brute(c, a, uniform(0, 20), 0, 0, b, B) >= set->d_min - BRUTE_ERROR);
    } else {
      finite++;
      CHECK_NEAR(brute(c, a, tau, a, tau, b, B), set->d_min, BRUTE_ERROR);
      const double before = tau * uniform(0, 1), after = tau + uniform(0, 2);
      CHECK(brute(c, a, before, a, before, b, B) >= set->d_min - BRUTE_ERROR);
      CHECK(brute(c, a, after, a, after, b, B) <= set->d_min + BRUTE_ERROR);
    }
  }
  CHECK(finite > 600);
}

static void passable_by_simulation(void) {
  random_state = 5;
  int yes = 0, no = 0, near = 0;
  const acc_timing *t = &acc_timing_main;
  for (int i = 0; i < 8000; i++) {
    const acc_set *set = &acc_sets[i % ACC_SETS];
    const double v = uniform(0, 35), w = uniform(0, 35);
    const double level[] = {ACC_ACCELERATE, 0.0, ACC_COAST, -set->b, uniform(-set->b, 2)};
    const double a = level[i / ACC_SETS % 5], e = level[i / 20 % 5];
    const acc_car c = {2.0 + acc_need(v, w, set->b, set->B) + uniform(-0.5, 2.0), v, w};
    const double last = t->deadline + t->actuation_max;
    const double from = e > a ? t->compute_min + t->actuation_min : last;
    const double lowest = brute(c, a, from, e, last + t->timer_late, set->b, set->B);
    check_label("case %d: %s d %g v %g w %g a %g e %g", i, set->name, c.d, c.v, c.w, a, e);
    if (fabs(lowest - set->d_min) <= BRUTE_ERROR) {
      near++;
      continue;
    }
    const bool passable = acc_passable(c, a, e, set, t);
    CHECK(passable == (lowest >= set->d_min));
    yes += passable;
    no += !passable;
  }
  CHECK(yes > 1000 && no > 1000 && near < 100);
}

static void start_by_simulation(void) {
  random_state = 6;
  int inside = 0, outside = 0;
  const double last = acc_timing_main.deadline + acc_timing_main.actuation_max;
  for (int i = 0; i < 8000; i++) {
    const acc_set *set = &acc_sets[i % ACC_SETS];
    const double v = uniform(0, 35), w = uniform(0, 35), a = uniform(-set->b, 2);
    const acc_car c = {2.0 + acc_need(v, w, set->b, set->B) + uniform(-0.5, 2.0), v, w};
    const double lowest = brute(c, a, last, a, last, set->b, set->B);
    check_label("case %d: %s d %g v %g w %g a %g", i, set->name, c.d, c.v, c.w, a);
    CHECK_NEAR(acc_start_margin(c, a, set, &acc_timing_main), lowest - set->d_min, BRUTE_ERROR);
    inside += lowest >= set->d_min;
    outside += lowest < set->d_min;
  }
  CHECK(inside > 1000 && outside > 1000);
}

static void by_hand(void) {
  const acc_set *set = &acc_sets[0];
  check_label("cruise at 20 m/s towards a standing vehicle: 100 - 2 - 400 / 12 metres are left, 20 a second");
  CHECK_NEAR(acc_tau((acc_car){100, 20, 0}, 0, set), (98.0 - 400.0 / 12.0) / 20.0, 1e-12);
  check_label("the armed insertion comes before by actuation and timer");
  CHECK_NEAR(acc_latest_insertion((acc_car){100, 20, 0}, 0, set, &acc_timing_main, 0),
             (98.0 - 400.0 / 12.0) / 20.0 - 0.041, 1e-12);
  check_label("vehicles may cut in");
  CHECK_NEAR(acc_latest_insertion((acc_car){100, 20, 0}, 0, set, &acc_timing_main, 0.2), 0.159, 1e-12);
  check_label("v <= w and d >= d_min is not invariant when b < B");
  CHECK(!acc_safe_for_ever((acc_car){58.24, 30, 30}, &acc_sets[3]));
  CHECK(acc_safe_for_ever((acc_car){58.26, 30, 30}, &acc_sets[3]));
  check_label("standing");
  CHECK_SAME(acc_tau((acc_car){2, 0, 0}, 0, set), HUGE_VAL);
  CHECK_SAME(acc_tau((acc_car){1.9, 0, 0}, 0, set), -HUGE_VAL);
  check_label("braking already");
  CHECK_SAME(acc_tau((acc_car){60, 20, 20}, -6, set), HUGE_VAL);
  check_label("coasting to a stop in time: 1 m needed for 1 m/s");
  CHECK_SAME(acc_tau((acc_car){3.001, 1, 0}, -0.5, set), HUGE_VAL);
  CHECK(isfinite(acc_tau((acc_car){2.999, 1, 0}, -0.5, set)));
  check_label("the worst corner of a first estimate");
  const acc_car worst =
      acc_worst_first_estimate((acc_car){50, 20, 0.1}, 0, set, &acc_timing_main, &acc_errors_main);
  CHECK_NEAR(worst.d, 49.5 - 20.2 * 1e-3, 1e-12);
  CHECK_NEAR(worst.v, 20.2, 1e-12);
  CHECK_NEAR(worst.w, 0.0, 0.0);
}

static void cut_in(void) {
  const acc_set *set = &acc_sets[0];
  const double v = KMH(60), w = KMH(40);
  check_label("60 against 40 km/h, no reaction time: 2 + 12.86 m");
  CHECK(acc_cut_in_allowed(14.861, w, v, set, 0, 2));
  CHECK(!acc_cut_in_allowed(14.859, w, v, set, 0, 2));
  check_label("with 0.2 s");
  const double gap = 2 + v * 0.2 + 0.04 + ((v + 0.4) * (v + 0.4) - w * w) / 12;
  CHECK(acc_cut_in_allowed(gap + 1e-9, w, v, set, 0.2, 2));
  CHECK(!acc_cut_in_allowed(gap - 1e-9, w, v, set, 0.2, 2));
  check_label("UN R157");
  CHECK_NEAR(acc_r157_gap(v, w), 4.516460905349794, 1e-9);
  CHECK_NEAR(acc_r157_gap(w, v), 0, 0);
  /* What the guard is for: after any acceleration up to a_max for the reaction time braking is still in time.
   */
  random_state = 7;
  for (int i = 0; i < 4000; i++) {
    const acc_set *s = &acc_sets[i % ACC_SETS];
    const double ego = uniform(0, 35), speed = uniform(0, 35), a = uniform(-s->b, 2);
    acc_car c = {s->d_min + ego * 0.2 + 0.04 + acc_need(ego + 0.4, speed, s->b, s->B), ego, speed};
    check_label("case %d", i);
    CHECK(brute(c, a, 0.2, a, 0.2, s->b, s->B) >= s->d_min - BRUTE_ERROR);
  }
}

CHECK_MAIN("acc_oracle", {"needs known from closed forms", known_needs},
           {"the need grows with v and falls with w", need_is_monotone},
           {"the need by simulation", need_by_simulation},
           {"the latest instant: bisection and closed form", tau_closed_form},
           {"the latest instant by simulation", tau_by_simulation},
           {"passable by simulation", passable_by_simulation},
           {"starts inside S by simulation", start_by_simulation}, {"cases worked by hand", by_hand},
           {"cutting in", cut_in})
