/* Conditions along the steps of a confirmed run. */
#include <math.h>

#include "core/contract.h"
#include "synth/offline/run_internal.h"

double hysi_leg_most(const hysi_leg *a, hys_pipe_set which, const hys_condition *c) {
  return c->affine ? hys_pipe_max(a->pipe, which, &c->row, NULL, 0)
                   : hys_pipe_range(a->pipe, which, &c->value).hi;
}

double hysi_leg_least(const hysi_leg *a, hys_pipe_set which, const hys_condition *c) {
  const hys_runner *r = a->runner;
  hys_affine minus = {r->term, c->row.n, hys_interval_neg(c->row.constant)};

  if (!c->affine)
    return hys_pipe_range(a->pipe, which, &c->value).lo;
  for (uint32_t k = 0; k < c->row.n; k++)
    r->term[k] = (hys_term){c->row.term[k].variable, hys_interval_neg(c->row.term[k].coef)};
  return -hys_pipe_max(a->pipe, which, &minus, NULL, 0);
}

bool hysi_run_within(const hys_condition *c, double lo, double hi) {
  switch (c->relation) {
  case HYS_RELATION_LE:
    return hi <= 0.0;
  case HYS_RELATION_LT:
    return hi < 0.0;
  case HYS_RELATION_EQ:
    return lo == 0.0 && hi == 0.0;
  }
  return false;
}

/* d/dt of a row over a box; free variables stand still inside a leg. */
static hys_interval slope(const hysi_leg *a, const hys_affine *row, const hys_interval *x) {
  hys_interval sum = hys_interval_point(0.0);

  for (uint32_t k = 0; k < row->n; k++) {
    const hys_rate *rate = &a->location->rate[row->term[k].variable];
    if (rate->motion == HYS_MOTION_DEFINED)
      return hys_interval_entire();
    if (rate->motion == HYS_MOTION_FLOW)
      sum = hys_interval_add_exact(
          sum, hys_interval_mul_exact(
                   row->term[k].coef,
                   hys_interval_add_exact(
                       hysi_run_value(a->runner, rate->affine, &rate->row, &rate->value, x), rate->slack)));
  }
  return sum;
}

/* By its range; or because it held at the begin and does not grow. */
static bool holds_through(const hysi_leg *a, uint32_t i) {
  const hys_condition *c = &a->location->invariant.condition[i];
  const double hi = hysi_leg_most(a, HYS_PIPE_TUBE, c);
  hys_interval d;

  if (hysi_run_within(c, c->relation == HYS_RELATION_EQ ? hysi_leg_least(a, HYS_PIPE_TUBE, c) : hi, hi))
    return true;
  if (!a->runner->held[i] || !c->affine)
    return false;
  d = slope(a, &c->row, a->runner->tube);
  return c->relation == HYS_RELATION_EQ ? d.lo == 0.0 && d.hi == 0.0 : d.hi <= 0.0;
}

uint32_t hysi_leg_failing(const hysi_leg *a, const hys_condition *border) {
  const hys_conditions *invariant = &a->location->invariant;

  hys_pipe_box(a->pipe, HYS_PIPE_TUBE, a->runner->tube);
  for (uint32_t i = 0; i < invariant->n; i++)
    if (!(border != NULL && hysi_run_same_border(border, &invariant->condition[i])) && !holds_through(a, i))
      return i;
  return invariant->n;
}

bool hysi_leg_crosses(const hysi_leg *a, const hys_condition *border, const hys_interval *before) {
  const hys_interval was = hys_affine_value(&border->row, before);

  return (was.hi < 0.0 && hysi_leg_least(a, HYS_PIPE_END, border) > 0.0) ||
         (was.lo > 0.0 && hysi_leg_most(a, HYS_PIPE_END, border) < 0.0);
}

bool hysi_leg_approach(hysi_leg *a, const hys_condition *border, double h, double unit) {
  hys_runner *r = a->runner;
  const uint32_t n = a->location->invariant.n;
  double taken = 0.0, step = h / 2;

  for (unsigned tries = 0; tries < 400 && step > unit; tries++) {
    if (hys_pipe_try(a->pipe, step, &taken) != HYS_OK || !(taken > 0.0))
      return false;
    if ((hysi_leg_least(a, HYS_PIPE_TUBE, border) > 0.0 || hysi_leg_most(a, HYS_PIPE_TUBE, border) < 0.0) &&
        hysi_leg_failing(a, border) == n) {
      hys_pipe_accept(a->pipe);
      hys_pipe_box(a->pipe, HYS_PIPE_END, r->x);
      a->now = hys_add_up(a->now, taken);
    } else {
      step = taken / 2;
    }
  }
  for (unsigned k = 0; k < 8; k++, step *= 4.0) { /* rounding may ask for a little more */
    if (hys_pipe_try(a->pipe, step, &taken) != HYS_OK || !(taken > 0.0))
      return false;
    if (hysi_leg_crosses(a, border, r->x)) {
      if (hysi_leg_failing(a, border) < n)
        return false;
      hys_pipe_box(a->pipe, HYS_PIPE_TUBE, r->x);
      a->late = hys_add_up(a->late, taken);
      return true;
    }
  }
  return false;
}

double hysi_leg_distance(const hysi_leg *a, const hys_hybrid_set *set, uint32_t n_sets,
                         const hys_hybrid_set **enters) {
  double nearest = HYSI_INF;

  for (uint32_t s = 0; s < n_sets; s++) {
    double far = 0.0;
    bool in = true;
    if (!hys_hybrid_set_in(&set[s], a->location->part))
      continue;
    for (uint32_t i = 0; i < set[s].set.n; i++) {
      const hys_condition *c = &set[s].set.condition[i];
      const double hi = hysi_leg_most(a, HYS_PIPE_END, c);
      const double lo = c->relation == HYS_RELATION_EQ ? hysi_leg_least(a, HYS_PIPE_END, c) : hi;
      in = in && hysi_run_within(c, lo, hi);
      far = fmax(far, c->relation == HYS_RELATION_EQ ? fmax(fabs(lo), fabs(hi)) : hi);
    }
    if (in) {
      *enters = &set[s];
      return 0.0;
    }
    nearest = fmin(nearest, far);
  }
  return nearest;
}

bool hysi_leg_may_enter(const hysi_leg *a, const hys_hybrid_set *set, uint32_t n_sets) {
  for (uint32_t s = 0; s < n_sets; s++) {
    bool near = hys_hybrid_set_in(&set[s], a->location->part);
    for (uint32_t i = 0; near && i < set[s].set.n; i++) {
      const hys_condition *c = &set[s].set.condition[i];
      near = hysi_leg_least(a, HYS_PIPE_TUBE, c) <= 0.0 &&
             (c->relation != HYS_RELATION_EQ || hysi_leg_most(a, HYS_PIPE_TUBE, c) >= 0.0);
    }
    if (near)
      return true;
  }
  return false;
}
