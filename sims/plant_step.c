/* The plant inside a step of the integrator: where does it meet a border? */
#include <math.h>
#include <string.h>

#include "sims/plant_internal.h"

enum {
  MAX_ROOT = 200 /* iterations of a root finder */
};

typedef struct question {
  hys_plant *p;
  const hys_halfspace *row; /* NULL: minus the distance of the region */
  const hys_region *region;
  double threshold;
  bool slope;
} question;

static void state_after(const hys_plant *p, double s, double *x) {
  double error[HYS_MAX_STATES];
  gsl_odeiv2_system system = {hysi_plant_rates, NULL, p->h->nx, NULL};
  union {
    const hys_plant *in;
    void *out;
  } context = {p}; /* GSL's context is not const; the right-hand side does not write to it */
  system.params = context.out;
  memcpy(x, p->x, p->h->nx * sizeof *x);
  if (s > 0 && gsl_odeiv2_step_apply(p->probe, 0, s, x, error, NULL, NULL, &system) != GSL_SUCCESS)
    x[0] = HYSI_NAN;
}

static double answer_at(const question *q, const double *x) {
  const hys_plant *p = q->p;
  if (q->row != NULL)
    return q->slope ? hysi_plant_slope(p, q->row, x, NULL)
                    : hysi_plant_row(q->row, p->h->nx, x, 0, NULL, NULL) - q->threshold;
  uint32_t active = 0;
  const double value = hysi_plant_distance(&q->region->set, p->h->nx, x, &active);
  if (!q->slope)
    return -value - q->threshold;
  return q->region->set.n == 0 ? 0 : -hysi_plant_slope(p, &q->region->set.row[active], x, NULL);
}

static double answer(double s, void *context) {
  const question *q = context;
  double x[HYS_MAX_STATES];
  state_after(q->p, s, x);
  return answer_at(q, x);
}

/* The root of the answer in [lo, hi], whose values there have (weakly) opposite signs. */
static double root(question *q, double lo, double hi) {
  gsl_function f = {answer, q};
  gsl_root_fsolver *solver = q->p->solver;
  const double at_lo = answer(lo, q), at_hi = answer(hi, q);
  if (at_lo == 0 || !((at_lo < 0) != (at_hi < 0)))
    return lo;
  if (gsl_root_fsolver_set(solver, &f, lo, hi) != GSL_SUCCESS)
    return lo;
  for (int i = 0; i < MAX_ROOT; i++) {
    if (gsl_root_fsolver_iterate(solver) != GSL_SUCCESS)
      break;
    if (gsl_root_fsolver_x_upper(solver) - gsl_root_fsolver_x_lower(solver) <= 1e-15 * (1 + hi))
      break;
  }
  return gsl_root_fsolver_root(solver);
}

/* The instant of the inner maximum of the answer in piece k, or a negative number. */
static double inner_maximum(question *q, int k) {
  q->slope = true;
  const double left = answer_at(q, q->p->sub[k]), right = answer_at(q, q->p->sub[k + 1]);
  const double at = left > 0 && right < 0 ? root(q, k * q->p->width, (k + 1) * q->p->width) : -1;
  q->slope = false;
  return at;
}

/* The first instant of the step at which the answer gets above zero (or reaches it, with `touching`),
 * HYSI_INF if none. Maxima inside a piece are looked at too. */
static double first_positive(question *q, bool touching) {
  const hys_plant *p = q->p;
  double left = answer_at(q, p->sub[0]);
  for (int k = 0; k < HYSI_PLANT_PIECES; k++) {
    const double lo = k * p->width, hi = (k + 1) * p->width, right = answer_at(q, p->sub[k + 1]);
    if (left > 0 || (touching && left >= 0))
      return lo;
    if (right > 0 || (touching && right >= 0))
      return root(q, lo, hi);
    const double top = inner_maximum(q, k);
    if (top >= 0) {
      const double value = answer(top, q);
      if (value > 0)
        return root(q, lo, top);
      if (touching && value >= 0)
        return top;
    }
    left = right;
  }
  return HYSI_INF;
}

static void cut_into_pieces(hys_plant *p, double h, const double *end) {
  p->width = h / HYSI_PLANT_PIECES;
  for (int k = 0; k < HYSI_PLANT_PIECES; k++)
    state_after(p, k * p->width, p->sub[k]);
  memcpy(p->sub[HYSI_PLANT_PIECES], end, p->h->nx * sizeof *end);
}

static double first_border(hys_plant *p) {
  const hys_conjunction *invariant = &p->h->location[p->seen.location].invariant;
  double first = HYSI_INF;
  for (uint32_t r = 0; r < invariant->n; r++) {
    question q = {.p = p, .row = &invariant->row[r]};
    double size;
    const double now = hysi_plant_row(q.row, p->h->nx, p->x, 0, NULL, &size);
    if (now > -HYSI_PLANT_TOUCH * size)
      q.threshold = now > 0.75 * HYSI_PLANT_TOUCH * size ? now + 0.25 * HYSI_PLANT_TOUCH * size
                                                         : HYSI_PLANT_TOUCH * size;
    const double at = first_positive(&q, false);
    if (at < first)
      first = at;
  }
  return first;
}

static double first_bad(hys_plant *p, uint32_t *which) {
  double first = HYSI_INF;
  for (uint32_t k = 0; k < p->h->n_forbidden; k++) {
    question q = {.p = p, .region = &p->h->forbidden[k]};
    if (!hysi_plant_region_here(q.region, p->seen.location))
      continue;
    const double at = first_positive(&q, !hysi_plant_region_strict(q.region));
    if (at < first) {
      first = at;
      *which = k;
    }
  }
  return first;
}

static void note_margin(hys_plant *p) {
  for (uint32_t r = 0; r < p->h->n_forbidden; r++) {
    question q = {.p = p, .region = &p->h->forbidden[r]};
    if (!hysi_plant_region_here(q.region, p->seen.location))
      continue;
    for (int k = 0; k <= HYSI_PLANT_PIECES; k++) {
      double at = k * p->width, value = -answer_at(&q, p->sub[k]);
      const double top = k < HYSI_PLANT_PIECES ? inner_maximum(&q, k) : -1;
      if (top >= 0 && -answer(top, &q) < value) {
        at = top;
        value = -answer(top, &q);
      }
      if (!(value >= p->seen.margin)) {
        p->seen.margin = value;
        p->seen.margin_at = p->seen.t + at;
      }
    }
  }
}

/* One accepted step towards `stop`, cut at the first border or (stop_at_bad) the entry into Bad. */
hys_status hysi_plant_step(hys_plant *p, double stop) {
  const size_t nx = p->h->nx;
  if (p->fresh) {
    gsl_odeiv2_evolve_reset(p->evolve);
    gsl_odeiv2_step_reset(p->step);
    p->step_hint = p->config.step_max;
    p->fresh = false;
  }
  gsl_odeiv2_system system = {hysi_plant_rates, NULL, nx, p};
  const double want = stop - p->seen.t < p->config.step_max ? stop - p->seen.t : p->config.step_max;
  double s = 0, end[HYS_MAX_STATES];
  memcpy(end, p->x, nx * sizeof *end);
  if (!(p->step_hint > 0 && p->step_hint <= p->config.step_max))
    p->step_hint = p->config.step_max;
  if (gsl_odeiv2_evolve_apply(p->evolve, p->control, p->step, &system, &s, want, &p->step_hint, end) !=
      GSL_SUCCESS)
    return HYS_ERR_NUMERIC;
  cut_into_pieces(p, s, end);

  const double border = first_border(p);
  uint32_t which = 0;
  double bad = HYSI_INF;
  if (!p->seen.bad)
    bad = first_bad(p, &which);
  if (bad > border)
    bad = HYSI_INF;
  double to = border < s ? border : s;
  if (bad <= to) {
    p->seen.bad = true;
    p->seen.bad_at = p->seen.t + bad;
    p->seen.bad_region = which;
    if (p->config.stop_at_bad)
      to = bad;
  }
  if (to < s) {
    state_after(p, to, end);
    cut_into_pieces(p, to, end);
    p->fresh = true;
  }
  note_margin(p);
  if (p->seen.bad && !(p->seen.margin <= 0))
    p->seen.margin = 0; /* on the border, but for the last bit */
  for (size_t i = 0; i < nx; i++) {
    if (!isfinite(end[i]))
      return HYS_ERR_NUMERIC;
    p->x[i] = end[i];
  }
  p->seen.t = to == s && s == stop - p->seen.t ? stop : p->seen.t + to;
  return HYS_OK;
}
