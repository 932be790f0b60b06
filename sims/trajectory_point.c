/* Point values of conditions, starts, and where a step meets a border. */
#include <float.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>

#include "core/allocator.h"
#include "core/contract.h"
#include "sims/trajectory_internal.h"

enum { START_TRIES = 2000, MAX_ROOT = 100, NARROWING_ROUNDS = 10 };
/* Of an unbounded variable: how far from its finite end, or from 0, values are drawn. */
static const double far_away = 1000.0;
/* An extreme value lies this part of the width inside: the bounds are enclosures, rounded outward. */
static const double inward = 0x1p-40;

static double nearest(hys_interval a) {
  return a.lo == a.hi ? a.lo : 0.5 * (a.lo + a.hi);
}

double hysi_point_number(const hysi_trajectory *a, bool affine, const hys_affine *row, const hys_expr *value,
                         const double *x) {
  double sum;

  if (!affine)
    return hys_expr_eval_point(value, value->n - 1, x, NULL, NULL, a->point);
  sum = nearest(row->constant);
  for (uint32_t k = 0; k < row->n; k++)
    sum += nearest(row->term[k].coef) * x[row->term[k].variable];
  return sum;
}

double hysi_point_value(const hysi_trajectory *a, const hys_condition *c, const double *x, double *size) {
  const double v = hysi_point_number(a, c->affine, &c->row, &c->value, x);

  *size = 1.0;
  if (c->affine) {
    *size += fabs(nearest(c->row.constant));
    for (uint32_t k = 0; k < c->row.n; k++)
      *size += fabs(nearest(c->row.term[k].coef) * x[c->row.term[k].variable]);
  } else {
    for (uint32_t i = 0; i < c->value.n; i++)
      if (isfinite(a->point[i]) && fabs(a->point[i]) > *size)
        *size = fabs(a->point[i]);
  }
  return v;
}

bool hysi_point_holds(const hysi_trajectory *a, const hys_condition *c, const double *x) {
  double size;
  const double v = hysi_point_value(a, c, x, &size);

  return c->relation == HYS_RELATION_EQ ? fabs(v) <= HYSI_TOUCH * size : v <= HYSI_TOUCH * size;
}

bool hysi_point_all_hold(const hysi_trajectory *a, const hys_conditions *c, const double *x) {
  for (uint32_t i = 0; i < c->n; i++)
    if (!hysi_point_holds(a, &c->condition[i], x))
      return false;
  return true;
}

void hysi_point_define(const hysi_trajectory *a, const hys_hybrid_location *l, double *x) {
  for (size_t i = 0; i < a->n; i++)
    if (l->rate[i].motion == HYS_MOTION_DEFINED)
      x[i] = hysi_point_number(a, l->rate[i].affine, &l->rate[i].row, &l->rate[i].value, x);
}

hys_status hysi_point_scratch(hysi_trajectory *a, size_t n) {
  if (n <= a->scratch_size)
    return HYS_OK;
  hys_release(NULL, a->point);
  hys_release(NULL, a->scratch);
  a->scratch_size = 0;
  a->point = hys_allocate(NULL, n * sizeof *a->point);
  a->scratch = hys_allocate(NULL, n * sizeof *a->scratch);
  if (a->point == NULL || a->scratch == NULL)
    return HYS_ERR_MEMORY;
  a->scratch_size = n;
  return HYS_OK;
}

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

hys_status hysi_point_location(hysi_trajectory *a, uint32_t index, const hys_hybrid_location **out) {
  const hys_status status = a->automaton->location(a->automaton->context, index, out);
  const hys_hybrid_location *l = *out;
  size_t need;

  if (status != HYS_OK)
    return status;
  need = hys_conditions_scratch(&l->invariant);
  for (size_t i = 0; i < a->n; i++)
    need = larger(need, l->rate[i].value.n);
  for (uint32_t j = 0; j < l->n_jumps; j++) {
    need = larger(need, hys_conditions_scratch(&l->jump[j].guard));
    for (size_t i = 0; i < a->n; i++)
      need = larger(need, l->jump[j].reset[i].value.n);
  }
  return hysi_point_scratch(a, need);
}

double hysi_point_draw(const hysi_trajectory *a, hys_draw how, hys_interval x) {
  const double lo = x.lo > -DBL_MAX ? x.lo : (x.hi < DBL_MAX ? x.hi : 0.0) - far_away;
  const double hi = x.hi < DBL_MAX ? x.hi : (x.lo > -DBL_MAX ? x.lo : 0.0) + far_away;

  if (lo == hi)
    return lo;
  if (how == HYS_DRAW_MIDDLE)
    return x.lo <= 0.0 && x.hi >= 0.0 && !(x.lo > -DBL_MAX && x.hi < DBL_MAX) ? 0.0 : 0.5 * (lo + hi);
  if (how == HYS_DRAW_EXTREME)
    return gsl_rng_uniform(a->rng) < 0.5 ? lo + inward * (hi - lo) : hi - inward * (hi - lo);
  return lo + (hi - lo) * gsl_rng_uniform(a->rng);
}

/* ---- starts ---- */

/* Fixes the variables one after the other inside what the conditions leave, so that the point satisfies them.
 */
static bool draw_in(hysi_trajectory *a, const hys_hybrid_set *set, const hys_hybrid_location *l) {
  for (size_t i = 0; i < a->n; i++)
    a->hull[i] = hys_interval_entire();
  if (!hys_conditions_contract(&set->set, a->hull, NARROWING_ROUNDS, a->scratch) ||
      !hys_conditions_contract(&l->invariant, a->hull, NARROWING_ROUNDS, a->scratch))
    return false;
  for (size_t i = 0; i < a->n; i++) {
    if (l->rate[i].motion == HYS_MOTION_DEFINED)
      continue;
    a->x[i] = hysi_point_draw(a, a->config->start, a->hull[i]);
    if (a->hull[i].hi - a->hull[i].lo > 1e-12 * (1.0 + fabs(a->x[i]))) {
      a->hull[i] = hys_interval_point(a->x[i]);
      if (!hys_conditions_contract(&set->set, a->hull, NARROWING_ROUNDS, a->scratch) ||
          !hys_conditions_contract(&l->invariant, a->hull, NARROWING_ROUNDS, a->scratch))
        return false;
    } else {
      a->x[i] = nearest(a->hull[i]);
    }
  }
  hysi_point_define(a, l, a->x);
  return hysi_point_all_hold(a, &set->set, a->x) && hysi_point_all_hold(a, &l->invariant, a->x);
}

hys_status hysi_point_start(hysi_trajectory *a) {
  const hys_hybrid *h = a->automaton;
  const hys_hybrid_set *set = a->config->initially != NULL ? a->config->initially : h->initially;
  const uint32_t n = a->config->initially != NULL ? a->config->n_initially : h->n_initially;
  hys_status status = HYS_OK;
  size_t need = 1;

  for (uint32_t k = 0; k < n; k++)
    need = larger(need, hys_conditions_scratch(&set[k].set));
  status = hysi_point_scratch(a, need);
  for (uint32_t tried = 0; status == HYS_OK && n > 0 && tried < START_TRIES; tried++) {
    const uint32_t which =
        tried == 0 && a->config->start == HYS_DRAW_MIDDLE ? 0 : (uint32_t)gsl_rng_uniform_int(a->rng, n);
    uint32_t k = 0;
    while (k < 63 && gsl_rng_uniform(a->rng) < 0.5) /* one of the set's locations, early ones more often */
      k++;
    while ((status = h->initial(h->context, &set[which], k, &a->index)) == HYS_ERR_LIMIT && k > 0)
      k /= 2;
    if (status == HYS_ERR_LIMIT) {
      status = HYS_OK;
      continue;
    }
    if (status == HYS_OK)
      status = hysi_point_location(a, a->index, &a->location);
    if (status == HYS_OK && draw_in(a, &set[which], a->location))
      return HYS_OK;
  }
  return status == HYS_OK ? HYS_ERR_INPUT : status;
}

/* ---- inside a step ---- */

int hysi_point_rates(double t, const double *x, double *f, void *context) {
  const hysi_trajectory *a = context;

  (void)t;
  for (size_t i = 0; i < a->n; i++) {
    const hys_rate *r = &a->location->rate[i];
    f[i] = r->motion == HYS_MOTION_FLOW ? hysi_point_number(a, r->affine, &r->row, &r->value, x) + a->slack[i]
                                        : 0.0;
    if (!isfinite(f[i]))
      return GSL_EBADFUNC;
  }
  return GSL_SUCCESS;
}

bool hysi_point_after(hysi_trajectory *a, double s, double *x) {
  gsl_odeiv2_system system = {hysi_point_rates, NULL, a->n, a};

  memcpy(x, a->x, a->n * sizeof *x);
  if (s > 0.0 && gsl_odeiv2_step_apply(a->probe, 0.0, s, x, a->error, NULL, NULL, &system) != GSL_SUCCESS)
    return false;
  hysi_point_define(a, a->location, x);
  return true;
}

double hysi_point_first(hysi_trajectory *a, const hys_condition *c, bool leaving) {
  double size, left = hysi_point_value(a, c, a->sub[0], &size);
  const bool equation = c->relation == HYS_RELATION_EQ;

  /* where the run starts on the border, its side is that of the next piece */
  for (int k = 0; k < HYSI_PIECES; k++) {
    const double right = hysi_point_value(a, c, a->sub[k + 1], &size);
    const double touch = 1e-12 * size;
    double lo = k * a->width, hi = (k + 1) * a->width;
    const bool met = equation  ? (left < -touch && right >= 0.0) || (left > touch && right <= 0.0)
                     : leaving ? left <= touch && right > touch
                               : left > touch && right <= touch;
    if (met) {
      const bool rising = right > left;
      for (int i = 0; i < MAX_ROOT && hi - lo > 1e-13 * a->width; i++) {
        const double mid = 0.5 * (lo + hi);
        double v;
        if (!hysi_point_after(a, mid, a->trial))
          break;
        v = hysi_point_value(a, c, a->trial, &size);
        if ((v > 0.0) == rising && v != 0.0)
          hi = mid;
        else
          lo = mid;
      }
      return leaving ? lo : hi;
    }
    left = right;
  }
  return HYSI_INF;
}
