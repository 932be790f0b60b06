/* One big affine location without jumps: directions in place of sets (core/affine_rows.h). */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/affine_rows.h"
#include "core/contract.h"
#include "synth/offline/walk.h"

enum { NARROWING_ROUNDS = 10 };
/* Bounds of the variables are made until they are this part of their width from what is surely reached. */
static const double close_enough = 0.01;

typedef struct rows {
  const hys_hybrid *a;
  const hys_hybrid_location *l;
  uint32_t index;
  const hys_verify_options *o;
  hys_affine_rows *engine;
  hys_interval *free, *start;
  hys_zonotope x0;
  bool runs_are_free; /* the invariant bounds free variables only: every solution is a run */
} rows;

static bool go_on(void *context) {
  const hys_verify_options *o = context;

  return o->stop == NULL || !o->stop(o->stop_context);
}

/* Every condition of the invariant is about free variables one by one. */
static bool only_inputs(const hys_hybrid_location *l) {
  for (uint32_t i = 0; i < l->invariant.n; i++) {
    const hys_condition *c = &l->invariant.condition[i];
    if (!c->affine || c->row.n != 1 || l->rate[c->row.term[0].variable].motion != HYS_MOTION_FREE)
      return false;
  }
  return !l->loose;
}

/* The initial set is its box: every condition is about one variable. */
static bool is_boxed(const hys_hybrid_set *set) {
  for (uint32_t i = 0; i < set->set.n; i++)
    if (!set->set.condition[i].affine || set->set.condition[i].row.n != 1)
      return false;
  return true;
}

/* Whether this is such a case; then it is ready. */
static hys_status open_rows(rows *r, hys_arena *arena, bool *fits) {
  const hys_hybrid_set *set = r->o->initially != NULL ? r->o->initially : r->a->initially;
  const uint32_t n_sets = r->o->initially != NULL ? r->o->n_initially : r->a->n_initially;
  const size_t n = r->a->n;
  uint32_t second;
  size_t need;
  hys_interval *scratch;
  hys_status status;

  *fits = false;
  if (n_sets != 1 || !is_boxed(set))
    return HYS_OK;
  status = r->a->initial(r->a->context, set, 0, &r->index);
  if (status != HYS_OK)
    return status == HYS_ERR_LIMIT ? HYS_OK : status;
  if (r->a->initial(r->a->context, set, 1, &second) != HYS_ERR_LIMIT)
    return HYS_OK;
  status = r->a->location(r->a->context, r->index, &r->l);
  if (status != HYS_OK || r->l->n_jumps > 0 || r->l->urgent)
    return status;
  for (size_t i = 0; i < n; i++)
    if (r->l->rate[i].motion != HYS_MOTION_FREE && !r->l->rate[i].affine)
      return HYS_OK;
  need = hys_conditions_scratch(&r->l->invariant);
  need = hys_conditions_scratch(&set->set) > need ? hys_conditions_scratch(&set->set) : need;
  scratch = hys_arena_alloc(arena, need, sizeof *scratch);
  r->free = hys_arena_alloc(arena, n, sizeof *r->free);
  r->start = hys_arena_alloc(arena, n, sizeof *r->start);
  if (scratch == NULL || r->free == NULL || r->start == NULL)
    return HYS_ERR_MEMORY;
  for (size_t i = 0; i < n; i++)
    r->free[i] = r->start[i] = hys_interval_entire();
  if (!hys_conditions_contract(&r->l->invariant, r->free, NARROWING_ROUNDS, scratch) ||
      !hys_conditions_contract(&set->set, r->start, NARROWING_ROUNDS, scratch))
    return HYS_OK;
  for (size_t i = 0; i < n; i++) {
    if (r->l->rate[i].motion != HYS_MOTION_FLOW)
      r->start[i] = hys_interval_point(0.0); /* by its bounds */
    if (!(fabs(r->start[i].lo) <= DBL_MAX && fabs(r->start[i].hi) <= DBL_MAX))
      return HYS_OK;
  }
  status = hys_zonotope_open(&r->x0, n, n, NULL);
  if (status == HYS_OK)
    status = hys_zonotope_from_box(&r->x0, r->start);
  if (status == HYS_OK)
    status = hys_affine_rows_create(&r->engine, r->a, r->l, r->free, &r->x0, NULL);
  r->runs_are_free = only_inputs(r->l);
  *fits = status == HYS_OK;
  return status == HYS_ERR_NUMERIC || status == HYS_ERR_UNSUPPORTED || status == HYS_ERR_LIMIT ? HYS_OK
                                                                                               : status;
}

/* -row, for "the condition is never met". */
static hys_affine minus(const hys_affine *row, hys_term *term) {
  for (uint32_t t = 0; t < row->n; t++)
    term[t] = (hys_term){row->term[t].variable, hys_interval_neg(row->term[t].coef)};
  return (hys_affine){term, row->n, hys_interval_neg(row->constant)};
}

/* The run that reaches a row's value: where it starts, and the inputs as they change. */
static hys_status make_run(rows *r, const hys_affine *row, double when, double step,
                           const hys_hybrid_set *enters, hys_arena *arena, hys_run *run) {
  const size_t n = r->a->n, k = step > 0.0 ? (size_t)(when / step + 0.5) : 0;
  double *x0 = hys_arena_alloc(arena, n, sizeof *x0), *u = hys_arena_alloc(arena, (k + 1) * n, sizeof *u);
  hys_run_leg *leg = hys_arena_alloc(arena, k + 1, sizeof *leg);
  uint32_t legs = 0;
  hys_status status;

  if (x0 == NULL || u == NULL || leg == NULL)
    return HYS_ERR_MEMORY;
  status = hys_affine_rows_witness(r->engine, row, k, x0, u);
  if (status != HYS_OK)
    return status;
  for (size_t j = 0; j < (k > 0 ? k : 1); j++) {
    hys_interval *box;
    bool same = j > 0;
    for (size_t i = 0; i < n && same; i++)
      same = u[j * n + i] == u[(j - 1) * n + i];
    if (same) {
      leg[legs - 1].to = (double)(j + 1) * step;
      continue;
    }
    box = hys_arena_alloc(arena, 2 * n, sizeof *box);
    if (box == NULL)
      return HYS_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
      const bool flows = r->l->rate[i].motion == HYS_MOTION_FLOW;
      box[i] = flows ? (j == 0 ? hys_interval_point(x0[i]) : hys_interval_entire())
                     : hys_interval_point(u[j * n + i]);
      box[n + i] = flows ? hys_interval_entire() : box[i];
    }
    leg[legs++] = (hys_run_leg){r->index, (double)j * step, (double)(j + 1) * step, box, box + n, -1};
  }
  *run = (hys_run){n, leg, legs, when, enters};
  return HYS_OK;
}

/* One property: each of its sets is missed by one of its conditions, or one that is a single condition is
 * entered. */
static hys_status decide(rows *r, const hys_property *p, hys_arena *arena, hys_property_result *out,
                         bool *decided) {
  bool all_missed = true;

  *decided = false;
  for (uint32_t s = 0; s < p->n; s++) {
    const hys_hybrid_set *set = &p->set[s];
    bool missed = false;
    if (!hys_hybrid_set_in(set, r->l->part))
      continue;
    for (uint32_t i = 0; i < set->set.n && !missed; i++) {
      const hys_condition *c = &set->set.condition[i];
      hys_term *term = hys_arena_alloc(arena, (size_t)c->row.n + 1, sizeof *term);
      hys_verdict verdict = HYS_UNKNOWN;
      double when = 0.0, step = 0.0;
      hys_affine row;
      hys_status status;
      if (term == NULL)
        return HYS_ERR_MEMORY;
      if (!c->affine || c->relation == HYS_RELATION_EQ)
        continue;
      row = minus(&c->row, term);
      status =
          hys_affine_rows_decide(r->engine, &row, 0.0, c->relation == HYS_RELATION_LE, r->o->time_horizon,
                                 go_on, (void *)(uintptr_t)r->o, &verdict, &when, &step);
      if (status == HYS_ERR_NUMERIC || status == HYS_ERR_LIMIT)
        continue;
      if (status != HYS_OK)
        return status;
      missed = verdict == HYS_HOLDS;
      if (verdict == HYS_VIOLATED && set->set.n == 1 && r->runs_are_free) {
        status = make_run(r, &row, when, step, set, arena, &out->run);
        if (status != HYS_OK)
          return status;
        out->verdict = HYS_VIOLATED;
        out->reason = NULL;
        *decided = true;
        return HYS_OK;
      }
    }
    all_missed = all_missed && missed;
  }
  if (all_missed) {
    out->verdict = HYS_HOLDS;
    out->reason = NULL;
    *decided = true;
  }
  return HYS_OK;
}

/* Bounds of all variables in one run; where nothing else was asked, each of them again until it is tight. */
static hys_status bounds(rows *r, bool tight, hys_arena *arena, hys_verify_result *result) {
  const size_t n = r->a->n;
  hys_term *term = hys_arena_alloc(arena, n, sizeof *term);
  hys_affine *row = hys_arena_alloc(arena, n, sizeof *row);
  hys_interval *outer = hys_arena_alloc(arena, n, sizeof *outer),
               *inner = hys_arena_alloc(arena, n, sizeof *inner);
  uint32_t *variable = hys_arena_alloc(arena, n, sizeof *variable);
  size_t used = 0;
  hys_status status;

  if (term == NULL || row == NULL || outer == NULL || inner == NULL || variable == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t i = 0; i < n; i++) {
    if (r->l->rate[i].motion == HYS_MOTION_FREE) {
      result->bounds[i] = r->free[i];
      continue;
    }
    term[used] = (hys_term){i, {1.0, 1.0}};
    row[used] = (hys_affine){&term[used], 1, {0.0, 0.0}};
    variable[used++] = i;
  }
  status = hys_affine_rows_bounds(r->engine, row, used, r->o->time_horizon, HYSI_INF, go_on,
                                  (void *)(uintptr_t)r->o, outer, inner, NULL);
  for (size_t k = 0; k < used && status == HYS_OK; k++) {
    if (tight && !hys_interval_is_empty(inner[k]) &&
        hys_interval_width(outer[k]) > (1.0 + close_enough) * hys_interval_width(inner[k]))
      status = hys_affine_rows_bounds(r->engine, &row[k], 1, r->o->time_horizon,
                                      close_enough * hys_interval_width(inner[k]), go_on,
                                      (void *)(uintptr_t)r->o, &outer[k], &inner[k], NULL);
    if (status == HYS_OK)
      result->bounds[variable[k]] = outer[k];
  }
  return status == HYS_ERR_NUMERIC || status == HYS_ERR_LIMIT ? HYS_OK : status;
}

hys_status hysi_rows_verify(const hys_hybrid *a, const hys_property *property, uint32_t n_properties,
                            const hys_verify_options *o, hys_arena *arena, bool *undecided,
                            hys_verify_result *result, bool *handled) {
  rows r = {.a = a, .o = o};
  bool fits = false;
  hys_status status = open_rows(&r, arena, &fits);

  *handled = false;
  for (uint32_t q = 0; q < n_properties && status == HYS_OK && fits; q++) {
    bool decided = false;
    status = decide(&r, &property[q], arena, &result->property[q], &decided);
    undecided[q] = !decided;
  }
  if (status == HYS_OK && fits)
    status = bounds(&r, n_properties == 0, arena, result);
  if (status == HYS_OK && fits) {
    *handled = true;
    result->complete = go_on((void *)(uintptr_t)o);
    result->time_bound = o->time_horizon;
    result->passes = 1;
    result->items = 1;
  }
  hys_affine_rows_destroy(r.engine);
  hys_zonotope_close(&r.x0);
  return status;
}
