/* Guards and jumps of a confirmed run, also at the border of a condition. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/contract.h"
#include "synth/offline/run_internal.h"

static const unsigned narrowing_rounds = 8;

/* ---- borders ---- */

/* All numbers of the row are doubles.  Two different decimals may have the same enclosure; of those, only the
 * ones that are written alike are the same number. */
static bool is_exact(const hys_affine *row) {
  for (uint32_t k = 0; k < row->n; k++)
    if (row->term[k].coef.lo != row->term[k].coef.hi)
      return false;
  return row->constant.lo == row->constant.hi;
}

/* How often a constant is written in a tree. */
static uint32_t occurrences(const hys_expr *e, const hys_expr_node *k) {
  uint32_t n = 0;

  for (uint32_t i = 0; i < e->n; i++)
    n += e->node[i].op == HYS_EXPR_CONSTANT && e->node[i].text != NULL && e->node[i].length == k->length &&
         memcmp(e->node[i].text, k->text, k->length) == 0;
  return n;
}

/* Every constant of a that no double holds is written as often in b. */
static bool constants_among(const hys_expr *a, const hys_expr *b) {
  for (uint32_t i = 0; i < a->n; i++) {
    const hys_expr_node *k = &a->node[i];
    if (k->op == HYS_EXPR_CONSTANT && k->value.lo != k->value.hi &&
        (k->text == NULL || occurrences(a, k) != occurrences(b, k)))
      return false;
  }
  return true;
}

bool hysi_run_same_border(const hys_condition *a, const hys_condition *b) {
  bool minus = true, plus = true;

  if (a == b)
    return true;
  if (!a->affine || !b->affine || a->row.n != b->row.n)
    return false;
  for (uint32_t k = 0; k <= a->row.n; k++) {
    const hys_interval p = k < a->row.n ? a->row.term[k].coef : a->row.constant;
    const hys_interval q = k < a->row.n ? b->row.term[k].coef : b->row.constant;
    if (k < a->row.n && a->row.term[k].variable != b->row.term[k].variable)
      return false;
    minus = minus && p.lo == -q.hi && p.hi == -q.lo;
    plus = plus && p.lo == q.lo && p.hi == q.hi;
  }
  return (minus || plus) && (is_exact(&a->row) || (constants_among(&a->value, &b->value) &&
                                                   constants_among(&b->value, &a->value)));
}

bool hysi_run_has_free(const hys_hybrid_location *l, const hys_condition *c) {
  for (uint32_t k = 0; c->affine && k < c->row.n; k++)
    if (l->rate[c->row.term[k].variable].motion == HYS_MOTION_FREE)
      return true;
  for (uint32_t i = 0; !c->affine && i < c->value.n; i++)
    if (c->value.node[i].op == HYS_EXPR_VARIABLE && l->rate[c->value.node[i].a].motion == HYS_MOTION_FREE)
      return true;
  return false;
}

/* ---- jumps ---- */

bool hysi_run_enabled(const hys_runner *r, const hys_hybrid_jump *jump, const hys_interval *x,
                      const hys_condition *border) {
  for (uint32_t i = 0; i < jump->guard.n; i++) {
    const hys_condition *c = &jump->guard.condition[i];
    if (!hys_condition_holds_surely(c, x, r->scratch) &&
        !(border != NULL && c->relation != HYS_RELATION_LT && hysi_run_same_border(border, c)))
      return false;
  }
  return true;
}

bool hysi_leg_may_enable(const hysi_leg *a, const hys_hybrid_jump *jump) {
  for (uint32_t i = 0; i < jump->guard.n; i++) {
    const hys_condition *c = &jump->guard.condition[i];
    if (hysi_leg_least(a, HYS_PIPE_TUBE, c) > 0.0 ||
        (c->relation == HYS_RELATION_EQ && hysi_leg_most(a, HYS_PIPE_TUBE, c) < 0.0))
      return false;
  }
  return true;
}

/* A variable of the row is changed by the jump. */
static bool changed(const hys_hybrid_jump *jump, const hys_affine *row) {
  for (uint32_t k = 0; k < row->n; k++)
    if (jump->reset[row->term[k].variable].kind != HYS_RESET_KEEP)
      return true;
  return false;
}

static hys_interval assigned(const hys_runner *r, const hys_reset *s, uint64_t *seed) {
  const hys_interval v = hysi_run_value(r, s->affine, &s->row, &s->value, r->x);

  if (s->slack.lo == s->slack.hi)
    return hys_interval_add_exact(v, s->slack);
  return hys_interval_add_exact(v, hys_interval_point(hysi_run_drawn(s->slack, hysi_run_chance(seed))));
}

bool hysi_run_take(hys_runner *r, const hys_hybrid_jump *jump, const hys_condition *border, uint64_t *seed,
                   const hys_hybrid_location *target) {
  const size_t n = r->automaton->n;
  hys_interval *y = r->y;

  for (size_t i = 0; i < n; i++)
    y[i] = jump->reset[i].kind == HYS_RESET_KEEP     ? r->x[i]
           : jump->reset[i].kind == HYS_RESET_ASSIGN ? assigned(r, &jump->reset[i], seed)
                                                     : hys_interval_entire();
  memcpy(r->hull, y, n * sizeof *y);
  if (hys_conditions_contract(&target->invariant, r->hull, narrowing_rounds, r->scratch))
    for (size_t i = 0; i < n; i++)
      if (jump->reset[i].kind == HYS_RESET_ANY)
        y[i] = hys_interval_point(hysi_run_drawn(r->hull[i], hysi_run_chance(seed)));
  hysi_run_define(r, target, y);
  for (size_t i = 0; i < n; i++)
    if (!(fabs(y[i].lo) <= DBL_MAX && fabs(y[i].hi) <= DBL_MAX))
      return false;
  for (uint32_t i = 0; i < target->invariant.n; i++) {
    const hys_condition *c = &target->invariant.condition[i];
    r->next_held[i] = hys_condition_holds_surely(c, y, r->scratch) ||
                      (border != NULL && c->affine && c->relation != HYS_RELATION_LT &&
                       hysi_run_same_border(border, c) && !changed(jump, &c->row));
    if (!r->next_held[i] && !hysi_run_has_free(target, c))
      return false;
  }
  return true;
}
