#include "tests/oracle/acc_oracle.h"

#include <math.h>

const acc_set acc_sets[ACC_SETS] = {
    {"b 6, B 6", 2.0, 6.0, 6.0},
    {"b 6, B 8", 2.0, 6.0, 8.0},
    {"b 8, B 6", 2.0, 8.0, 6.0},
    {"b 4, B 8", 2.0, 4.0, 8.0},
};

const acc_timing acc_timing_main = {0.0, 0.005, 0.010, 0.040, 0.001, 0.001};
const acc_errors acc_errors_main = {0.25, 0.1, 0.1};

double acc_stopping_difference(double v, double w, double b, double B) {
  return fmax(0.0, v * v / (2.0 * b) - w * w / (2.0 * B));
}

/* While both move the gap falls by (v - w) t - (b - B) t^2 / 2. It ends at its largest either when both
 * stand, which is the difference of stopping distances, or, if the ego vehicle brakes harder and is the
 * faster one, when the speeds are equal, at t = (v - w) / (b - B), if neither stands by then: w - B t >= 0,
 * that is w b >= v B. */
double acc_need(double v, double w, double b, double B) {
  double need = acc_stopping_difference(v, w, b, B);
  if (b > B && v > w && w * b >= v * B)
    need = fmax(need, (v - w) * (v - w) / (2.0 * (b - B)));
  return need;
}

bool acc_safe_for_ever(acc_car c, const acc_set *set) {
  return c.d >= set->d_min + acc_need(c.v, c.w, set->b, set->B);
}

/* Distance in dt from speed v at acceleration a, staying at standstill; *end is the speed then. */
static double travel(double v, double a, double dt, double *end) {
  if (a < 0.0 && v + a * dt < 0.0) {
    *end = 0.0;
    return v * v / (-2.0 * a);
  }
  *end = v + a * dt;
  return v * dt + a * dt * dt / 2.0;
}

double acc_advance(acc_car *c, double a, double dt, double B) {
  const acc_car c0 = *c;
  double lowest = c0.d;
  /* While the vehicle ahead moves and the ego vehicle too, the gap is a parabola: its lowest point may lie
   * inside if it is convex (a < -B). When one of them stands the gap is monotone. */
  if (a + B < 0.0) {
    const double vertex = (c0.w - c0.v) / (a + B);
    if (vertex > 0.0 && vertex < dt && c0.w - B * vertex >= 0.0) {
      double unused;
      lowest = fmin(lowest, c0.d + travel(c0.w, -B, vertex, &unused) - travel(c0.v, a, vertex, &unused));
    }
  }
  c->d = c0.d + travel(c0.w, -B, dt, &c->w) - travel(c0.v, a, dt, &c->v);
  /* Concave up to where a vehicle comes to stand, then monotone: no lowest point but at the ends, except that
   * a gap that falls after the vehicle ahead stands and stops falling when the ego vehicle does ends at its
   * lowest. A gap that falls and rises again needs the ego vehicle to stand first: then it is lowest when it
   * comes to stand. */
  if (a < 0.0) {
    const double stands = c0.v / -a;
    if (stands < dt) {
      double unused;
      lowest = fmin(lowest, c0.d + travel(c0.w, -B, stands, &unused) - travel(c0.v, a, stands, &unused));
    }
  }
  return fmin(lowest, c->d);
}

bool acc_good(acc_car c, double a, double s, const acc_set *set) {
  const double lowest = acc_advance(&c, a, s, set->B);
  return lowest >= set->d_min && acc_safe_for_ever(c, set);
}

double acc_tau(acc_car c, double a, const acc_set *set) {
  if (!acc_good(c, a, 0.0, set))
    return -HUGE_VAL;
  if (a <= -set->b || (c.v <= 0.0 && a <= 0.0))
    return HUGE_VAL;
  double lo = 0.0, hi = 1.0;
  if (a < 0.0) {
    /* When both stand nothing changes any more. */
    hi = fmax(c.v / -a, c.w / set->B) + 1.0;
    if (acc_good(c, a, hi, set))
      return HUGE_VAL;
  } else {
    while (acc_good(c, a, hi, set)) {
      lo = hi;
      hi *= 2.0;
    }
  }
  for (;;) {
    const double middle = lo + (hi - lo) / 2.0;
    if (!(middle > lo && middle < hi))
      return lo;
    if (acc_good(c, a, middle, set))
      lo = middle;
    else
      hi = middle;
  }
}

/* For b <= B the gap is lowest at the very end, so the ego vehicle has K metres in all: (V^2 - v^2) / 2a to
 * reach the speed V at which it begins to brake, and V^2 / 2b to stand. */
double acc_tau_closed(acc_car c, double a, const acc_set *set) {
  const double b = set->b;
  if (!(b <= set->B))
    return (double)NAN;
  const double K = c.d - set->d_min + c.w * c.w / (2.0 * set->B);
  if (c.d < set->d_min || c.v * c.v / (2.0 * b) > K)
    return -HUGE_VAL;
  if (a == 0.0)
    return c.v == 0.0 ? HUGE_VAL : (K - c.v * c.v / (2.0 * b)) / c.v;
  if (a < 0.0 && c.v * c.v / (-2.0 * a) <= K)
    return HUGE_VAL;
  const double V = sqrt(2.0 * (K + c.v * c.v / (2.0 * a)) * a * b / (a + b));
  return (V - c.v) / a;
}

double acc_latest_insertion(acc_car c, double a, const acc_set *set, const acc_timing *timing, double react) {
  const double slack = timing->actuation_max + timing->timer_late;
  const double tau = acc_tau(c, a, set) - slack;
  return react > 0.0 ? fmin(tau, react - slack) : tau;
}

bool acc_passable(acc_car c, double a, double e, const acc_set *set, const acc_timing *timing) {
  const double last = timing->deadline + timing->actuation_max;
  const double from = e > a ? timing->compute_min + timing->actuation_min : last;
  double lowest = acc_advance(&c, a, from, set->B);
  lowest = fmin(lowest, acc_advance(&c, e, last + timing->timer_late - from, set->B));
  return lowest >= set->d_min && acc_safe_for_ever(c, set);
}

double acc_start_margin(acc_car c, double a, const acc_set *set, const acc_timing *timing) {
  const double lowest = acc_advance(&c, a, timing->deadline + timing->actuation_max, set->B);
  return fmin(lowest, c.d - acc_need(c.v, c.w, set->b, set->B)) - set->d_min;
}

acc_car acc_worst_first_estimate(acc_car truth, double a, const acc_set *set, const acc_timing *timing,
                                 const acc_errors *errors) {
  acc_car c = {truth.d - 2.0 * errors->d, truth.v + 2.0 * errors->v, fmax(0.0, truth.w - 2.0 * errors->w)};
  acc_car later = c;
  const double lowest = acc_advance(&later, a, timing->stamp_error, set->B);
  return (acc_car){lowest, fmax(c.v, later.v), fmin(c.w, later.w)};
}

bool acc_cut_in_allowed(double gap, double speed, double v, const acc_set *set, double react, double a_max) {
  return gap >= set->d_min + v * react + a_max * react * react / 2.0 +
                    acc_need(v + a_max * react, speed, set->b, set->B);
}

double acc_r157_gap(double v, double speed) {
  const double closing = v - speed;
  return closing > 0.0 ? closing * (closing / 12.0 + 0.35) : 0.0;
}
