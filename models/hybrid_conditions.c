/* Formulas as conditions and sets of a general automaton. */
#include <string.h>

#include "models/hybrid_private.h"

static hys_condition *add(hysi_hybrid *h, hysi_condition_list *list) {
  hys_condition *bigger = hysi_grow(h->arena, list->item, list->n, &list->capacity, sizeof *bigger);

  if (bigger == NULL)
    return NULL;
  list->item = bigger;
  bigger[list->n] = (hys_condition){.affine = false};
  return &bigger[list->n++];
}

hys_status hysi_hybrid_comparison(hysi_hybrid *h, const hysi_formula *f, uint32_t node, uint8_t op,
                                  hysi_condition_list *list) {
  const hys_expr_node *k = &f->e->node[node];
  const bool above = op == HYS_EXPR_GT || op == HYS_EXPR_GE;
  hys_expr left, right, value;
  hys_condition *c;
  bool good;
  hys_status status = hysi_hybrid_number(h, f, above ? k->b : k->a, &left, &good);

  if (status == HYS_OK && good)
    status = hysi_hybrid_number(h, f, above ? k->a : k->b, &right, &good);
  if (status != HYS_OK || !good)
    return status;
  status = hysi_hybrid_difference(h, &left, &right, &value);
  if (status != HYS_OK)
    return status;
  c = add(h, list);
  if (c == NULL)
    return HYS_ERR_MEMORY;
  c->relation = op == HYS_EXPR_EQ                        ? HYS_RELATION_EQ
                : op == HYS_EXPR_LT || op == HYS_EXPR_GT ? HYS_RELATION_LT
                                                         : HYS_RELATION_LE;
  c->value = value;
  c->line = k->line;
  return HYS_OK;
}

hys_status hysi_hybrid_never(hysi_hybrid *h, uint32_t line, hysi_condition_list *list) {
  hys_expr_node *one = hys_arena_alloc(h->arena, 1, sizeof *one);
  hys_condition *c = add(h, list);

  if (one == NULL || c == NULL)
    return HYS_ERR_MEMORY;
  *one = (hys_expr_node){.op = HYS_EXPR_CONSTANT, .value = hys_interval_point(1.0), .line = line};
  c->value = (hys_expr){one, 1};
  c->line = line;
  return HYS_OK;
}

/* A row without variables that surely satisfies the condition. */
static bool idle(const hys_condition *c) {
  if (!c->affine || c->row.n > 0)
    return false;
  return c->relation == HYS_RELATION_EQ   ? c->row.constant.lo == 0.0 && c->row.constant.hi == 0.0
         : c->relation == HYS_RELATION_LT ? c->row.constant.hi < 0.0
                                          : c->row.constant.hi <= 0.0;
}

hys_status hysi_hybrid_finish(hysi_hybrid *h, const hysi_definitions *d, hysi_condition_list *list) {
  uint32_t kept = 0;

  for (uint32_t i = 0; i < list->n; i++) {
    hys_condition *c = &list->item[i];
    hys_status status = hysi_hybrid_substitute(h, &c->value, d, &c->value);
    if (status == HYS_OK)
      status = hysi_hybrid_row(h, &c->value, &c->row, &c->affine);
    if (status != HYS_OK)
      return status;
    if (!idle(c))
      list->item[kept++] = *c;
  }
  list->n = kept;
  return HYS_OK;
}

/* One conjunct of a formula over the whole system. */
static hys_status make_set(hysi_hybrid *h, const hysi_formula *f, const hysi_conjunct *conjunct,
                           bool initially, hys_hybrid_set *out) {
  hys_hybrid_where *where = hys_arena_alloc(h->arena, conjunct->n, sizeof *where);
  hysi_condition_list list = {0};
  uint32_t n = 0;
  hys_status status;

  if (where == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t i = 0; i < conjunct->n; i++) {
    const hysi_literal *l = &conjunct->literal[i];
    const hys_expr_node *k = &f->e->node[l->node];
    if (l->op == HYS_EXPR_LOCATION || l->op == HYS_EXPR_NOT) {
      where[n++] = (hys_hybrid_where){k->a, k->b, l->op == HYS_EXPR_LOCATION};
    } else if (!initially || h->flat.defines == NULL || !h->flat.defines[l->node]) {
      status = hysi_hybrid_comparison(h, f, l->node, l->op, &list);
      if (status != HYS_OK)
        return status;
    }
  }
  status = hysi_hybrid_finish(h, NULL, &list);
  *out = (hys_hybrid_set){where, n, {list.item, list.n}};
  return status;
}

hys_status hysi_hybrid_formula_sets(hysi_hybrid *h, const hysi_formula *f, bool initially,
                                    const hys_hybrid_set **out, uint32_t *n) {
  hysi_conjunct *conjunct;
  hys_hybrid_set *set;
  hys_status status = hysi_dnf(&h->flat, f, &conjunct, n);

  *out = NULL;
  if (status != HYS_OK)
    return status;
  set = hys_arena_alloc(h->arena, *n, sizeof *set);
  if (set == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t i = 0; i < *n && status == HYS_OK; i++)
    status = make_set(h, f, &conjunct[i], initially, &set[i]);
  *out = set;
  return status;
}
