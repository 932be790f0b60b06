/* What equations of the invariant define, and putting it in everywhere else. */
#include <string.h>

#include "models/hybrid_private.h"

bool hysi_hybrid_speaks_of(const hys_expr *e, const hysi_definitions *d) {
  for (uint32_t i = 0; i < e->n && d->n > 0; i++)
    if (e->node[i].op == HYS_EXPR_VARIABLE && d->of[e->node[i].a].n > 0)
      return true;
  return false;
}

hys_status hysi_hybrid_substitute(hysi_hybrid *h, const hys_expr *e, const hysi_definitions *d,
                                  hys_expr *out) {
  size_t n = e->n;
  hys_expr_node *node;
  uint32_t *place;
  uint32_t to = 0;

  *out = *e;
  if (d == NULL || !hysi_hybrid_speaks_of(e, d))
    return HYS_OK;
  for (uint32_t i = 0; i < e->n; i++)
    if (e->node[i].op == HYS_EXPR_VARIABLE && d->of[e->node[i].a].n > 0)
      n += d->of[e->node[i].a].n - 1;
  if (n > HYSI_MAX_TREE) {
    hysi_report(&h->flat.document, HYS_ERROR, h->flat.network->system->at,
                "with what the equations of the invariant define put in, a formula has more than %d parts "
                "(HYSI_MAX_TREE)",
                HYSI_MAX_TREE);
    return HYS_ERR_LIMIT;
  }
  node = hys_arena_alloc(h->arena, n, sizeof *node);
  place = hys_arena_alloc(h->arena, e->n, sizeof *place);
  if (node == NULL || place == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t i = 0; i < e->n; i++) {
    const hys_expr_node *k = &e->node[i];
    const hys_expr *with = k->op == HYS_EXPR_VARIABLE && d->of[k->a].n > 0 ? &d->of[k->a] : NULL;
    for (uint32_t j = 0; with != NULL && j < with->n; j++) {
      hys_expr_node copy = with->node[j];
      if (copy.op != HYS_EXPR_CONSTANT && copy.op != HYS_EXPR_VARIABLE) {
        copy.a = copy.a < j ? copy.a + to : HYS_EXPR_NO_CHILD;
        copy.b = copy.b < j ? copy.b + to : HYS_EXPR_NO_CHILD;
      }
      node[to + j] = copy;
    }
    if (with != NULL) {
      to += with->n;
    } else {
      node[to] = *k;
      if (k->op != HYS_EXPR_CONSTANT && k->op != HYS_EXPR_VARIABLE) {
        node[to].a = k->a < i ? place[k->a] : HYS_EXPR_NO_CHILD;
        node[to].b = k->b < i ? place[k->b] : HYS_EXPR_NO_CHILD;
      }
      to++;
    }
    place[i] = to - 1;
  }
  *out = (hys_expr){node, to};
  return HYS_OK;
}

static hys_status define_condition(hysi_hybrid *h, const hysi_definitions *d, hys_condition *c) {
  hys_status status;

  if (!hysi_hybrid_speaks_of(&c->value, d))
    return HYS_OK;
  status = hysi_hybrid_substitute(h, &c->value, d, &c->value);
  return status == HYS_OK ? hysi_hybrid_row(h, &c->value, &c->row, &c->affine) : status;
}

hys_status hysi_hybrid_define_conditions(hysi_hybrid *h, const hysi_definitions *d, const hys_conditions *in,
                                         hys_conditions *out) {
  hys_condition *c;
  bool any = false;
  uint32_t kept = 0;

  *out = *in;
  for (uint32_t i = 0; i < in->n && !any; i++)
    any = hysi_hybrid_speaks_of(&in->condition[i].value, d);
  if (!any)
    return HYS_OK;
  c = hys_arena_alloc(h->arena, in->n, sizeof *c);
  if (c == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t i = 0; i < in->n; i++) {
    hys_status status;
    c[kept] = in->condition[i];
    status = define_condition(h, d, &c[kept]);
    if (status != HYS_OK)
      return status;
    kept += !hysi_hybrid_is_idle(&c[kept]);
  }
  *out = (hys_conditions){c, kept};
  return HYS_OK;
}

hys_status hysi_hybrid_inclusion(hysi_hybrid *h, const hysi_bounds *b, const hysi_definitions *d,
                                 hysi_inclusion *out, bool *good) {
  hys_expr difference, from = b->below ? b->lower : b->upper, to = b->upper;
  hys_affine row;
  bool affine;
  hys_status status = hysi_hybrid_substitute(h, &from, d, &from);

  *good = true;
  *out = (hysi_inclusion){.value = from, .slack = hys_interval_point(0.0)};
  if (status == HYS_OK && !(b->below && b->above)) {
    out->slack = b->below ? hys_interval_make(0.0, HYSI_INF) : hys_interval_make(-HYSI_INF, 0.0);
  } else if (status == HYS_OK && !b->equal) {
    status = hysi_hybrid_substitute(h, &to, d, &to);
    if (status == HYS_OK)
      status = hysi_hybrid_difference(h, &to, &from, &difference);
    if (status == HYS_OK)
      status = hysi_hybrid_row(h, &difference, &row, &affine);
    if (status != HYS_OK)
      return status;
    *good = affine && row.n == 0 && row.constant.hi >= 0.0;
    if (*good)
      out->slack = hys_interval_make(0.0, row.constant.hi);
  }
  return status == HYS_OK && *good ? hysi_hybrid_row(h, &out->value, &out->row, &out->affine) : status;
}

hys_status hysi_hybrid_included(hysi_hybrid *h, hysi_bound *b, const hysi_formula *f,
                                const hysi_definitions *d, hysi_inclusion *out) {
  bool good = b->inclusion.value.n > 0;
  hys_status status = HYS_OK;

  *out = b->inclusion;
  if (d->n > 0 && (!good || hysi_hybrid_speaks_of(&out->value, d)))
    status = hysi_hybrid_inclusion(h, &b->bounds, d, out, &good);
  if (good || status != HYS_OK)
    return status;
  if (!b->told)
    hysi_refuse(&h->flat, HYS_ERR_UNSUPPORTED, f, b->bounds.node,
                "the two bounds must differ by a number that is not negative");
  b->told = true;
  h->flat.status = HYS_ERR_UNSUPPORTED;
  return HYS_OK;
}

/* ---- finding them ---- */

/* An equation with a free variable alone on one side, which the other side does not speak of. */
static hys_status find_bare(hysi_hybrid *h, const hys_expr *e, const hys_rate *rate, uint32_t *variable,
                            hys_expr *value) {
  const hys_expr_node *k = &e->node[e->n - 1];

  for (int side = 0; k->op == HYS_EXPR_SUB && side < 2; side++) {
    const uint32_t mine = side == 0 ? k->a : k->b, other = side == 0 ? k->b : k->a;
    const hys_expr_node *v = &e->node[mine];
    bool itself = false;
    if (v->op != HYS_EXPR_VARIABLE || rate[v->a].motion != HYS_MOTION_FREE)
      continue;
    for (uint32_t i = hys_expr_first(e, other); i <= other; i++)
      itself = itself || (e->node[i].op == HYS_EXPR_VARIABLE && e->node[i].a == v->a);
    if (itself)
      continue;
    *variable = v->a;
    return hysi_hybrid_part(h, e, other, value);
  }
  return HYS_OK;
}

/* The first free variable of an affine equation that it surely fixes. */
static hys_status find_solved(hysi_hybrid *h, const hys_affine *row, const hys_rate *rate, uint32_t *variable,
                              hys_expr *value) {
  for (uint32_t k = 0; k < row->n; k++) {
    const hys_term *t = &row->term[k];
    if (rate[t->variable].motion != HYS_MOTION_FREE || (t->coef.lo <= 0.0 && t->coef.hi >= 0.0))
      continue;
    *variable = t->variable;
    return hysi_hybrid_solved(h, row, t->variable, value);
  }
  return HYS_OK;
}

/* Definitions whose value speaks of a variable that is still free: a later equation may change them. */
typedef struct open_values {
  uint32_t *variable;
  uint32_t n, capacity;
} open_values;

static hys_status define(hysi_hybrid *h, hysi_definitions *d, open_values *open, const hys_rate *rate,
                         uint32_t variable, hys_expr value) {
  uint32_t *grown = hysi_grow(h->arena, d->defined, d->n, &d->capacity, sizeof *grown);
  uint32_t kept = 0;
  bool may_change = false;

  if (grown == NULL)
    return HYS_ERR_MEMORY;
  d->defined = grown;
  grown[d->n++] = variable;
  d->of[variable] = value;
  for (uint32_t i = 0; i < open->n; i++) {
    hys_expr *e = &d->of[open->variable[i]];
    const hys_status status = hysi_hybrid_substitute(h, e, d, e);
    bool free = false;
    if (status != HYS_OK)
      return status;
    for (uint32_t k = 0; k < e->n && !free; k++)
      free = e->node[k].op == HYS_EXPR_VARIABLE && rate[e->node[k].a].motion == HYS_MOTION_FREE;
    if (free)
      open->variable[kept++] = open->variable[i];
  }
  open->n = kept;
  for (uint32_t k = 0; k < value.n; k++)
    may_change = may_change ||
                 (value.node[k].op == HYS_EXPR_VARIABLE && rate[value.node[k].a].motion == HYS_MOTION_FREE);
  if (!may_change)
    return HYS_OK;
  grown = hysi_grow(h->arena, open->variable, open->n, &open->capacity, sizeof *grown);
  if (grown == NULL)
    return HYS_ERR_MEMORY;
  open->variable = grown;
  grown[open->n++] = variable;
  return HYS_OK;
}

hys_status hysi_hybrid_find_definitions(hysi_hybrid *h, hysi_condition_list *list, hys_rate *rate,
                                        hysi_definitions *d) {
  open_values open = {NULL, 0, 0};
  uint32_t kept = 0;

  for (uint32_t i = 0; i < list->n; i++) {
    hys_condition c = list->item[i];
    hys_status status = HYS_OK;
    uint32_t v = HYSI_NONE;
    if (c.relation == HYS_RELATION_EQ) {
      hys_expr value = {NULL, 0};
      status = define_condition(h, d, &c);
      if (status == HYS_OK)
        status = find_bare(h, &c.value, rate, &v, &value);
      if (status == HYS_OK && v == HYSI_NONE && c.affine)
        status = find_solved(h, &c.row, rate, &v, &value);
      if (status == HYS_OK && v != HYSI_NONE) {
        rate[v].motion = HYS_MOTION_DEFINED;
        rate[v].line = c.line;
        status = define(h, d, &open, rate, v, value);
      }
    }
    if (status != HYS_OK)
      return status;
    if (v == HYSI_NONE)
      list->item[kept++] = c;
  }
  list->n = kept;
  return HYS_OK;
}
