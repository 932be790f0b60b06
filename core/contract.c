#include "core/contract.h"

#include <math.h>

/* A pass that narrows no bound by more than this part of its width is the last one: slow convergence towards
 * a corner is not worth the time, and any prefix of the passes is sound. */
static const double worth_it = 0x1p-10;

hys_interval hys_affine_value(const hys_affine *row, const hys_interval *x) {
  hys_interval sum = row->constant;

  for (uint32_t i = 0; i < row->n; i++)
    sum = hys_interval_add_exact(sum, hys_interval_mul_exact(row->term[i].coef, x[row->term[i].variable]));
  return sum;
}

size_t hys_conditions_scratch(const hys_conditions *c) {
  size_t most = 1;

  for (uint32_t i = 0; i < c->n; i++) {
    const size_t need = c->condition[i].affine ? c->condition[i].row.n : c->condition[i].value.n;
    if (need > most)
      most = need;
  }
  return most;
}

hys_interval hys_condition_value(const hys_condition *c, const hys_interval *x, hys_interval *scratch) {
  return c->affine ? hys_affine_value(&c->row, x)
                   : hys_expr_eval_interval(&c->value, c->value.n - 1, x, NULL, NULL, scratch);
}

bool hys_condition_holds_surely(const hys_condition *c, const hys_interval *x, hys_interval *scratch) {
  const hys_interval v = hys_condition_value(c, x, scratch);

  switch (c->relation) {
  case HYS_RELATION_LE:
    return v.hi <= 0.0;
  case HYS_RELATION_LT:
    return v.hi < 0.0;
  case HYS_RELATION_EQ:
    return v.lo == 0.0 && v.hi == 0.0;
  }
  return false;
}

bool hys_conditions_hold_surely(const hys_conditions *c, const hys_interval *x, hys_interval *scratch) {
  for (uint32_t i = 0; i < c->n; i++)
    if (!hys_condition_holds_surely(&c->condition[i], x, scratch))
      return false;
  return true;
}

/* x := x intersected with a.  false: nothing is left.  *moved: it is worth another pass. */
static bool narrow(hys_interval *x, hys_interval a, bool *moved) {
  const hys_interval y = hys_interval_intersect(*x, a);
  const double width = hys_interval_width(*x);

  if (hys_interval_is_empty(y))
    return false;
  if (hys_interval_width(y) < width - worth_it * width || (isinf(width) && !hys_interval_equal(*x, y)))
    *moved = true;
  *x = y;
  return true;
}

/* What the value of a condition may be. */
static hys_interval allowed(hys_relation relation) {
  return relation == HYS_RELATION_EQ ? hys_interval_point(0.0) : hys_interval_make(-HYSI_INF, 0.0);
}

/* Row in `to`: each variable against the sum of the others, which is  prefix + suffix. */
static bool contract_row(const hys_affine *row, hys_interval to, hys_interval *x, hys_interval *suffix,
                         bool *moved) {
  hys_interval prefix = row->constant, rest = hys_interval_point(0.0);

  for (uint32_t i = row->n; i > 0; i--) {
    suffix[i - 1] = rest;
    rest = hys_interval_add_exact(
        rest, hys_interval_mul_exact(row->term[i - 1].coef, x[row->term[i - 1].variable]));
  }
  if (hys_interval_is_empty(hys_interval_intersect(hys_interval_add_exact(prefix, rest), to)))
    return false;
  for (uint32_t i = 0; i < row->n; i++) {
    const hys_term *t = &row->term[i];
    const hys_interval others = hys_interval_add_exact(prefix, suffix[i]);
    if (!(t->coef.lo <= 0.0 && t->coef.hi >= 0.0) &&
        !narrow(&x[t->variable],
                hys_interval_div_exact(hys_interval_add_exact(to, hys_interval_neg(others)), t->coef), moved))
      return false;
    prefix = hys_interval_add_exact(prefix, hys_interval_mul_exact(t->coef, x[t->variable]));
  }
  return true;
}

/* The n-th root of x >= 0, n >= 2. */
static hys_interval nth_root(double x, int n) {
  const hys_interval r = hys_interval_point(x);

  if (isinf(x) || x == 0.0)
    return r;
  return n == 2
             ? hys_interval_sqrt(r)
             : hys_interval_pow(r, hys_interval_div(hys_interval_point(1.0), hys_interval_point((double)n)));
}

/* Every real y with y^n in v, n >= 2. */
static hys_interval roots(hys_interval v, int n) {
  if (n % 2 == 0) {
    const double r = v.hi >= 0.0 ? nth_root(v.hi, n).hi : -1.0;
    return r >= 0.0 ? hys_interval_make(-r, r) : hys_interval_empty();
  }
  return hys_interval_make(v.lo >= 0.0 ? nth_root(v.lo, n).lo : -nth_root(-v.lo, n).hi,
                           v.hi >= 0.0 ? nth_root(v.hi, n).hi : -nth_root(-v.hi, n).lo);
}

/* From a node's value back to its children: narrows node[child] of both. false: no value is left. */
static bool backward(const hys_expr *e, uint32_t i, hys_interval *node) {
  const hys_expr_node *k = &e->node[i];
  const hys_interval v = node[i];
  bool moved = false; /* of an inner node: nobody asks */

  switch ((hys_expr_op)k->op) {
  case HYS_EXPR_NEG:
    return narrow(&node[k->a], hys_interval_neg(v), &moved);
  case HYS_EXPR_ADD:
    return narrow(&node[k->a], hys_interval_sub(v, node[k->b]), &moved) &&
           narrow(&node[k->b], hys_interval_sub(v, node[k->a]), &moved);
  case HYS_EXPR_SUB:
    return narrow(&node[k->a], hys_interval_add(v, node[k->b]), &moved) &&
           narrow(&node[k->b], hys_interval_sub(node[k->a], v), &moved);
  case HYS_EXPR_MUL:
    if (k->a == k->b)
      return narrow(&node[k->a], roots(v, 2), &moved);
    return (hys_interval_contains_surely(node[k->b], 0.0) ||
            narrow(&node[k->a], hys_interval_div(v, node[k->b]), &moved)) &&
           (hys_interval_contains_surely(node[k->a], 0.0) ||
            narrow(&node[k->b], hys_interval_div(v, node[k->a]), &moved));
  case HYS_EXPR_DIV:
    return narrow(&node[k->a], hys_interval_mul(v, node[k->b]), &moved) &&
           (hys_interval_contains_surely(v, 0.0) ||
            narrow(&node[k->b], hys_interval_div(node[k->a], v), &moved));
  case HYS_EXPR_POW: {
    const hys_interval n = node[k->b];
    if (n.lo == n.hi && n.lo >= 2.0 && n.lo <= 64.0 && n.lo == floor(n.lo))
      return narrow(&node[k->a], roots(v, (int)n.lo), &moved);
    return true;
  }
  case HYS_EXPR_SQRT:
    return v.hi < 0.0
               ? false
               : narrow(&node[k->a],
                        hys_interval_make(0.0, isfinite(v.hi) ? hys_mul_up(v.hi, v.hi) : HYSI_INF), &moved);
  case HYS_EXPR_ABS:
    return v.hi < 0.0 ? false : narrow(&node[k->a], hys_interval_make(-v.hi, v.hi), &moved);
  case HYS_EXPR_EXP:
    return v.hi < 0.0 ? false
                      : narrow(&node[k->a],
                               hys_interval_log(hys_interval_make(v.lo > 0.0 ? v.lo : 0.0, v.hi)), &moved);
  case HYS_EXPR_LOG:
    return narrow(&node[k->a], hys_interval_exp(v), &moved);
  default:
    return true;
  }
}

static bool contract_tree(const hys_expr *e, hys_interval to, hys_interval *x, hys_interval *node,
                          bool *moved) {
  const uint32_t last = e->n - 1, first = hys_expr_first(e, last);

  (void)hys_expr_eval_interval(e, last, x, NULL, NULL, node);
  node[last] = hys_interval_intersect(node[last], to);
  for (uint32_t i = last + 1; i-- > first;) {
    if (hys_interval_is_empty(node[i]) || !backward(e, i, node))
      return false;
    if (e->node[i].op == HYS_EXPR_VARIABLE && !narrow(&x[e->node[i].a], node[i], moved))
      return false;
  }
  return true;
}

bool hys_conditions_contract(const hys_conditions *c, hys_interval *x, unsigned rounds,
                             hys_interval *scratch) {
  bool moved = true;

  for (unsigned r = 0; r < rounds && moved; r++) {
    moved = false;
    for (uint32_t i = 0; i < c->n; i++) {
      const hys_condition *k = &c->condition[i];
      if (!(k->affine ? contract_row(&k->row, allowed(k->relation), x, scratch, &moved)
                      : contract_tree(&k->value, allowed(k->relation), x, scratch, &moved)))
        return false;
    }
  }
  return true;
}
