/* Formulas as conditions and sets of a general automaton. */
#include <string.h>

#include "models/hybrid_private.h"

static hys_status add(hysi_hybrid *h, hysi_condition_list *list, const hys_condition *c) {
  hys_condition *bigger = hysi_grow(h->arena, list->item, list->n, &list->capacity, sizeof *bigger);

  if (bigger == NULL)
    return HYS_ERR_MEMORY;
  list->item = bigger;
  bigger[list->n++] = *c;
  return HYS_OK;
}

bool hysi_hybrid_is_idle(const hys_condition *c) {
  if (!c->affine || c->row.n > 0)
    return false;
  return c->relation == HYS_RELATION_EQ   ? c->row.constant.lo == 0.0 && c->row.constant.hi == 0.0
         : c->relation == HYS_RELATION_LT ? c->row.constant.hi < 0.0
                                          : c->row.constant.hi <= 0.0;
}

hys_status hysi_hybrid_comparison(hysi_hybrid *h, const hysi_formula *f, uint32_t node, uint8_t op,
                                  hysi_condition_list *list) {
  const hys_expr_node *k = &f->e->node[node];
  const bool above = op == HYS_EXPR_GT || op == HYS_EXPR_GE;
  hys_condition c = {.line = k->line};
  bool good;
  hys_status status =
      hysi_hybrid_difference_of(h, f, above ? k->b : k->a, above ? k->a : k->b, &c.value, &good);

  if (status != HYS_OK || !good)
    return status;
  c.relation = op == HYS_EXPR_EQ                        ? HYS_RELATION_EQ
               : op == HYS_EXPR_LT || op == HYS_EXPR_GT ? HYS_RELATION_LT
                                                        : HYS_RELATION_LE;
  status = hysi_hybrid_row(h, &c.value, &c.row, &c.affine);
  return status == HYS_OK && !hysi_hybrid_is_idle(&c) ? add(h, list, &c) : status;
}

/* A condition that never holds. */
static hys_status never(hysi_hybrid *h, uint32_t line, hysi_condition_list *list) {
  hys_expr_node *one = hys_arena_alloc(h->arena, 1, sizeof *one);
  hys_condition c = {.affine = true, .row = {NULL, 0, hys_interval_point(1.0)}, .line = line};

  if (one == NULL)
    return HYS_ERR_MEMORY;
  *one = (hys_expr_node){.op = HYS_EXPR_CONSTANT, .value = hys_interval_point(1.0), .line = line};
  c.value = (hys_expr){one, 1};
  return add(h, list, &c);
}

static hys_status take_conjunct(hysi_hybrid *h, const hysi_formula *f, const hysi_conjunct *c,
                                hysi_condition_list *list) {
  hys_status status = HYS_OK;

  for (uint32_t i = 0; i < c->n && status == HYS_OK; i++)
    status = hysi_hybrid_comparison(h, f, c->literal[i].node, c->literal[i].op, list);
  return status;
}

/* One conjunct of the formula as it is written: a comparison, or something with ! or |. */
static hys_status take_part(hysi_hybrid *h, const hysi_formula *f, uint32_t root, hysi_condition_list *list,
                            bool *loose) {
  const hys_expr_node *k = &f->e->node[root];
  hys_expr part;
  hysi_formula alone = *f;
  hysi_conjunct *set;
  uint32_t n;
  hys_status status;

  if (k->op >= HYS_EXPR_LT && k->op <= HYS_EXPR_EQ)
    return hysi_hybrid_comparison(h, f, root, k->op, list);
  status = hysi_hybrid_part(h, f->e, root, &part);
  if (status != HYS_OK)
    return status;
  alone.e = &part;
  status = hysi_dnf(&h->flat, &alone, &set, &n);
  if (status != HYS_OK || h->flat.status != HYS_OK)
    return status;
  if (n == 0)
    return never(h, k->line, list);
  if (n == 1)
    return take_conjunct(h, &alone, &set[0], list);
  *loose = true;
  return HYS_OK;
}

hys_status hysi_hybrid_conjunction(hysi_hybrid *h, const hysi_formula *f, hysi_condition_list *list,
                                   bool *loose) {
  uint32_t *stack = NULL, depth = 0, capacity = 0;
  hys_status status = HYS_OK;

  if (f->e->n == 0)
    return HYS_OK;
  stack = hysi_grow(h->arena, stack, depth, &capacity, sizeof *stack);
  if (stack == NULL)
    return HYS_ERR_MEMORY;
  stack[depth++] = f->e->n - 1;
  while (depth > 0 && status == HYS_OK) {
    const uint32_t node = stack[--depth];
    const hys_expr_node *k = &f->e->node[node];
    if (k->op != HYS_EXPR_AND) {
      status = take_part(h, f, node, list, loose);
      continue;
    }
    stack = hysi_grow(h->arena, stack, depth + 1, &capacity, sizeof *stack);
    if (stack == NULL)
      return HYS_ERR_MEMORY;
    stack[depth++] = k->b;
    stack[depth++] = k->a;
  }
  return status;
}

hys_status hysi_hybrid_union(hysi_hybrid *h, const hysi_formula *f, hys_conditions **out, uint32_t *n) {
  hysi_conjunct *set;
  hys_status status;

  *out = NULL;
  *n = 0;
  if (f->e->n == 0) {
    *out = hys_arena_alloc(h->arena, 1, sizeof **out);
    *n = 1;
    return *out != NULL ? HYS_OK : HYS_ERR_MEMORY;
  }
  status = hysi_dnf(&h->flat, f, &set, n);
  if (status != HYS_OK)
    return status;
  *out = hys_arena_alloc(h->arena, *n, sizeof **out);
  if (*out == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t i = 0; i < *n && status == HYS_OK; i++) {
    hysi_condition_list list = {0};
    status = take_conjunct(h, f, &set[i], &list);
    (*out)[i] = (hys_conditions){list.item, list.n};
  }
  return status;
}

/* One conjunct of a formula over the whole system. */
static hys_status make_set(hysi_hybrid *h, const hysi_formula *f, const hysi_conjunct *conjunct,
                           bool initially, hys_hybrid_set *out) {
  hys_hybrid_where *where;
  hysi_condition_list list = {0};
  uint32_t n = 0;
  hys_status status = HYS_OK;

  for (uint32_t i = 0; i < conjunct->n; i++)
    n += conjunct->literal[i].op == HYS_EXPR_LOCATION || conjunct->literal[i].op == HYS_EXPR_NOT;
  where = hys_arena_alloc(h->arena, n, sizeof *where);
  if (where == NULL)
    return HYS_ERR_MEMORY;
  n = 0;
  for (uint32_t i = 0; i < conjunct->n && status == HYS_OK; i++) {
    const hysi_literal *l = &conjunct->literal[i];
    const hys_expr_node *k = &f->e->node[l->node];
    if (l->op == HYS_EXPR_LOCATION || l->op == HYS_EXPR_NOT)
      where[n++] = (hys_hybrid_where){k->a, k->b, l->op == HYS_EXPR_LOCATION};
    else if (!initially || h->flat.defines == NULL || !h->flat.defines[l->node])
      status = hysi_hybrid_comparison(h, f, l->node, l->op, &list);
  }
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
