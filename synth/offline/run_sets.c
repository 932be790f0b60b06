/* Boxes of a confirmed run: its start, values of conditions and of defined variables. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/contract.h"
#include "synth/offline/run_internal.h"

/* Of an unbounded variable: how far from its finite end, or from 0, values are drawn. */
static const double far_away = 1000.0;
static const unsigned narrowing_rounds = 8;

double hysi_run_chance(uint64_t *seed) {
  /* splitmix64 (Steele, Lea, Flood 2014) */
  uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

double hysi_run_drawn(hys_interval x, double fraction) {
  const double lo = x.lo > -DBL_MAX ? x.lo : (x.hi < DBL_MAX ? x.hi : 0.0) - far_away;
  const double hi = x.hi < DBL_MAX ? x.hi : (x.lo > -DBL_MAX ? x.lo : 0.0) + far_away;
  const double y = fraction <= 0.0 ? lo : fraction >= 1.0 ? hi : lo + fraction * (hi - lo);

  return y < lo ? lo : y > hi ? hi : y;
}

hys_status hysi_run_scratch(hys_runner *r, size_t n) {
  if (n <= r->scratch_size)
    return HYS_OK;
  hys_release(NULL, r->scratch);
  r->scratch_size = 0;
  r->scratch = hys_allocate(NULL, n * sizeof *r->scratch);
  if (r->scratch == NULL)
    return HYS_ERR_MEMORY;
  r->scratch_size = n;
  return HYS_OK;
}

hys_status hysi_run_conditions(hys_runner *r, size_t n) {
  bool *bigger;

  if (n <= r->conditions)
    return HYS_OK;
  bigger = hys_allocate(NULL, 3 * n * sizeof *bigger);
  if (bigger == NULL)
    return HYS_ERR_MEMORY;
  memset(bigger, 0, 3 * n * sizeof *bigger);
  if (r->conditions > 0)
    memcpy(bigger + n, r->held, r->conditions * sizeof *bigger);
  hys_release(NULL, r->solved);
  r->solved = bigger;
  r->held = bigger + n;
  r->next_held = bigger + 2 * n;
  r->conditions = n;
  return HYS_OK;
}

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

hys_status hysi_run_location(hys_runner *r, uint32_t index, const hys_hybrid_location **out) {
  const hys_hybrid *a = r->automaton;
  const hys_status status = a->location(a->context, index, out);
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
  return hysi_run_scratch(r, need);
}

hys_interval hysi_run_value(const hys_runner *r, bool affine, const hys_affine *row, const hys_expr *value,
                            const hys_interval *x) {
  return affine ? hys_affine_value(row, x)
                : hys_expr_eval_interval(value, value->n - 1, x, NULL, NULL, r->scratch);
}

void hysi_run_define(const hys_runner *r, const hys_hybrid_location *l, hys_interval *x) {
  for (size_t i = 0; i < r->automaton->n; i++)
    if (l->rate[i].motion == HYS_MOTION_DEFINED)
      x[i] = hysi_run_value(r, l->rate[i].affine, &l->rate[i].row, &l->rate[i].value, x);
}

hys_interval hysi_run_solve(const hys_affine *row, uint32_t pivot, const hys_interval *x) {
  hys_interval sum = row->constant;

  for (uint32_t k = 0; k < row->n; k++)
    if (k != pivot)
      sum = hys_interval_add_exact(sum, hys_interval_mul_exact(row->term[k].coef, x[row->term[k].variable]));
  return hys_interval_div_exact(hys_interval_neg(sum), row->term[pivot].coef);
}

/* The equation with the fewest variables that have no value yet, and its last such variable (index of the
 * term); false: there is none left. */
static bool next_equation(const hys_conditions *c, const bool *solved, const bool *given, uint32_t *equation,
                          uint32_t *pivot) {
  uint32_t least = UINT32_MAX;

  for (uint32_t i = 0; i < c->n; i++) {
    const hys_condition *k = &c->condition[i];
    uint32_t open = 0, last = 0;
    if (k->relation != HYS_RELATION_EQ || !k->affine || solved[i])
      continue;
    for (uint32_t t = 0; t < k->row.n; t++)
      if (!given[k->row.term[t].variable] && !hys_interval_contains_surely(k->row.term[t].coef, 0.0)) {
        open++;
        last = t;
      }
    if (open > 0 && open < least) {
      least = open;
      *equation = i;
      *pivot = last;
    }
  }
  return least < UINT32_MAX;
}

/* An equation gives one of its variables an enclosure that holds its value for whatever the others are, in an
 * order in which nothing is given twice.  So the box holds a state that satisfies these equations, and all
 * else that is asked of it is shown for the whole box. */
bool hysi_run_start(hys_runner *r, const hys_hybrid_location *l, const hys_hybrid_set *set,
                    const hys_run_plan *plan) {
  const size_t n = r->automaton->n;
  hys_interval *hull = r->hull, *x = r->x;
  uint32_t e = 0, pivot = 0;

  memset(r->given, 0, n * sizeof *r->given);
  memset(r->solved, 0, set->set.n * sizeof *r->solved);
  for (size_t i = 0; i < n; i++) {
    hull[i] = hys_interval_entire();
    x[i] = hys_interval_point(0.0);
    r->given[i] = l->rate[i].motion == HYS_MOTION_DEFINED; /* by the invariant, at the end */
  }
  if (!hys_conditions_contract(&set->set, hull, narrowing_rounds, r->scratch) ||
      !hys_conditions_contract(&l->invariant, hull, narrowing_rounds, r->scratch) ||
      !hys_conditions_contract(&set->set, hull, narrowing_rounds, r->scratch))
    return false;
  while (next_equation(&set->set, r->solved, r->given, &e, &pivot)) {
    const hys_affine *row = &set->set.condition[e].row;
    bool defined = false;
    r->solved[e] = true;
    for (uint32_t k = 0; k < row->n; k++)
      defined = defined || l->rate[row->term[k].variable].motion == HYS_MOTION_DEFINED;
    if (defined)
      return false; /* an equation with what the invariant defines: not taken apart here */
    for (uint32_t k = 0; k < row->n; k++) {
      const uint32_t v = row->term[k].variable;
      if (!r->given[v] && k != pivot) {
        x[v] = hys_interval_point(hysi_run_drawn(hull[v], plan->start[v]));
        r->given[v] = true;
      }
    }
    x[row->term[pivot].variable] = hysi_run_solve(row, pivot, x);
    r->given[row->term[pivot].variable] = true;
  }
  for (size_t i = 0; i < n; i++)
    if (!r->given[i])
      x[i] = hys_interval_point(hysi_run_drawn(hull[i], plan->start[i]));
  hysi_run_define(r, l, x);
  for (uint32_t i = 0; i < set->set.n; i++)
    if (!r->solved[i] && !hys_condition_holds_surely(&set->set.condition[i], x, r->scratch))
      return false;
  for (size_t i = 0; i < n; i++)
    if (!(fabs(x[i].lo) <= DBL_MAX && fabs(x[i].hi) <= DBL_MAX))
      return false;
  return true;
}
