/* Numbers as trees over the variables of a general automaton, and as rows. */
#include <stdlib.h>

#include "models/hybrid_private.h"

/* Copies nodes [first, root] to place; children move along. */
static void move_nodes(hys_expr_node *out, const hys_expr_node *node, uint32_t first, uint32_t root,
                       uint32_t to) {
  for (uint32_t i = first; i <= root; i++) {
    hys_expr_node k = node[i];
    if (k.op != HYS_EXPR_CONSTANT && k.op != HYS_EXPR_VARIABLE) {
      /* what is no child (of a function of one argument, of a list's begin) may be any number */
      k.a = k.a >= first && k.a < i ? k.a - first + to : HYS_EXPR_NO_CHILD;
      k.b = k.b >= first && k.b < i ? k.b - first + to : HYS_EXPR_NO_CHILD;
    }
    out[i - first + to] = k;
  }
}

hys_status hysi_hybrid_number(hysi_hybrid *h, const hysi_formula *f, uint32_t root, hys_expr *out,
                              bool *good) {
  const uint32_t first = hys_expr_first(f->e, root);
  hys_expr_node *node = hys_arena_alloc(h->arena, root - first + 1, sizeof *node);

  *good = true;
  if (node == NULL)
    return HYS_ERR_MEMORY;
  move_nodes(node, f->e->node, first, root, 0);
  for (uint32_t i = 0; i <= root - first && *good; i++) {
    hys_expr_node *k = &node[i];
    hysi_binding b = {.kind = HYSI_BOUND_VARIABLE};
    if (k->op != HYS_EXPR_VARIABLE)
      continue;
    b.index = k->a;
    if (f->instance != NULL)
      b = f->instance->binding[k->a];
    if (b.kind == HYSI_BOUND_VARIABLE && h->flat.slot[b.index] != HYSI_NONE) {
      k->a = h->flat.slot[b.index];
      continue;
    }
    k->op = HYS_EXPR_CONSTANT; /* its text is the name it goes by: the same number wherever it stands */
    if (b.kind == HYSI_BOUND_NUMBER) {
      k->value = b.value;
    } else if (b.kind == HYSI_BOUND_VARIABLE && h->flat.known[b.index]) {
      k->value = h->flat.value[b.index];
    } else {
      hysi_refuse(&h->flat, HYS_ERR_INPUT, f, i + first,
                  "the constant `%s' has no value: the configuration gives one by `initially'",
                  b.kind == HYSI_BOUND_VARIABLE ? h->flat.network->variable[b.index].name : "?");
      *good = false;
    }
  }
  *out = (hys_expr){node, root - first + 1};
  return HYS_OK;
}

hys_status hysi_hybrid_difference(hysi_hybrid *h, const hys_expr *left, const hys_expr *right,
                                  hys_expr *out) {
  const uint32_t n = left->n + right->n + 1;
  hys_expr_node *node = hys_arena_alloc(h->arena, n, sizeof *node);

  if (node == NULL)
    return HYS_ERR_MEMORY;
  move_nodes(node, left->node, 0, left->n - 1, 0);
  move_nodes(node, right->node, 0, right->n - 1, left->n);
  node[n - 1] = (hys_expr_node){.op = HYS_EXPR_SUB,
                                .a = left->n - 1,
                                .b = n - 2,
                                .line = left->node[left->n - 1].line,
                                .column = left->node[left->n - 1].column};
  *out = (hys_expr){node, n};
  return HYS_OK;
}

hys_status hysi_hybrid_negative(hysi_hybrid *h, const hys_expr *e, hys_expr *out) {
  hys_expr_node *node = hys_arena_alloc(h->arena, (size_t)e->n + 1, sizeof *node);

  if (node == NULL)
    return HYS_ERR_MEMORY;
  move_nodes(node, e->node, 0, e->n - 1, 0);
  node[e->n] =
      (hys_expr_node){.op = HYS_EXPR_NEG, .a = e->n - 1, .b = e->n - 1, .line = e->node[e->n - 1].line};
  *out = (hys_expr){node, e->n + 1};
  return HYS_OK;
}

bool hysi_hybrid_mentions(const hys_expr *e, uint32_t variable) {
  for (uint32_t i = 0; i < e->n; i++)
    if (e->node[i].op == HYS_EXPR_VARIABLE && e->node[i].a == variable)
      return true;
  return false;
}

hys_status hysi_hybrid_substitute(hysi_hybrid *h, const hys_expr *e, const hysi_definitions *d,
                                  hys_expr *out) {
  size_t n = e->n;
  hys_expr_node *node;
  uint32_t *place;
  uint32_t to = 0;
  bool any = false;

  *out = *e;
  for (uint32_t i = 0; d != NULL && i < e->n; i++)
    if (e->node[i].op == HYS_EXPR_VARIABLE && d->of[e->node[i].a].n > 0) {
      n += d->of[e->node[i].a].n - 1;
      any = true;
    }
  if (!any)
    return HYS_OK;
  if (n > HYSI_MAX_TREE)
    return HYS_ERR_LIMIT;
  node = hys_arena_alloc(h->arena, n, sizeof *node);
  place = hys_arena_alloc(h->arena, e->n, sizeof *place);
  if (node == NULL || place == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t i = 0; i < e->n; i++) {
    const hys_expr_node *k = &e->node[i];
    if (k->op == HYS_EXPR_VARIABLE && d->of[k->a].n > 0) {
      const hys_expr *with = &d->of[k->a];
      move_nodes(node, with->node, 0, with->n - 1, to);
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

static int by_variable(const void *a, const void *b) {
  const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;

  return p < q ? -1 : p > q;
}

/* The variables of a tree, increasing; h->dense numbers them until it is cleared. */
static uint32_t number_variables(hysi_hybrid *h, const hys_expr *e, uint32_t *variable) {
  uint32_t k = 0;

  for (uint32_t i = 0; i < e->n; i++)
    if (e->node[i].op == HYS_EXPR_VARIABLE && h->dense[e->node[i].a] == HYSI_NONE) {
      h->dense[e->node[i].a] = 0;
      variable[k++] = e->node[i].a;
    }
  qsort(variable, k, sizeof *variable, by_variable);
  for (uint32_t i = 0; i < k; i++)
    h->dense[variable[i]] = i;
  return k;
}

hys_status hysi_hybrid_row(hysi_hybrid *h, const hys_expr *e, hys_affine *row, bool *affine) {
  /* the work lives in an arena of its own: it is quadratic in the terms of a sum */
  hys_arena *work = hys_arena_create(NULL);
  uint32_t *variable = work != NULL ? hys_arena_alloc(work, e->n, sizeof *variable) : NULL;
  hys_expr_node *node = work != NULL ? hys_arena_alloc(work, e->n, sizeof *node) : NULL;
  hys_status status = HYS_ERR_MEMORY;
  uint32_t k = 0;

  *affine = false;
  if (variable != NULL && node != NULL) {
    k = number_variables(h, e, variable);
    for (uint32_t i = 0; i < e->n; i++) {
      node[i] = e->node[i];
      if (node[i].op == HYS_EXPR_VARIABLE)
        node[i].a = h->dense[node[i].a];
    }
    for (uint32_t i = 0; i < k; i++)
      h->dense[variable[i]] = HYSI_NONE;
    hys_interval *coef = hys_arena_alloc(work, k, sizeof *coef);
    hys_interval *scratch = hys_arena_alloc(work, (size_t)e->n * (k + 1), sizeof *scratch);
    hys_term *term = hys_arena_alloc(h->arena, k, sizeof *term);
    const hys_expr dense = {node, e->n};
    hys_interval constant;
    if (coef != NULL && scratch != NULL && term != NULL) {
      status = hys_expr_affine(&dense, e->n - 1, k, coef, &constant, scratch, NULL);
      if (status == HYS_OK) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < k; i++)
          if (coef[i].lo != 0.0 || coef[i].hi != 0.0)
            term[n++] = (hys_term){variable[i], coef[i]};
        *row = (hys_affine){term, n, constant};
        *affine = true;
      } else if (status == HYS_ERR_UNSUPPORTED || status == HYS_ERR_NUMERIC) {
        status = HYS_OK;
      }
    }
  }
  hys_arena_destroy(work);
  return status;
}

hys_status hysi_hybrid_solved(hysi_hybrid *h, const hys_affine *row, uint32_t skip, hys_expr *out) {
  hys_expr_node *node = hys_arena_alloc(h->arena, 4 * (size_t)row->n + 1, sizeof *node);
  hys_interval pivot = hys_interval_point(1.0);
  uint32_t n = 0, sum;

  if (node == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t i = 0; i < row->n; i++)
    if (row->term[i].variable == skip)
      pivot = hys_interval_neg(row->term[i].coef);
  node[n++] = (hys_expr_node){.op = HYS_EXPR_CONSTANT, .value = hys_interval_div_exact(row->constant, pivot)};
  for (uint32_t i = 0; i < row->n; i++) {
    if (row->term[i].variable == skip)
      continue;
    sum = n - 1;
    node[n++] =
        (hys_expr_node){.op = HYS_EXPR_CONSTANT, .value = hys_interval_div_exact(row->term[i].coef, pivot)};
    node[n++] = (hys_expr_node){.op = HYS_EXPR_VARIABLE, .a = row->term[i].variable};
    node[n] = (hys_expr_node){.op = HYS_EXPR_MUL, .a = n - 2, .b = n - 1};
    n++;
    node[n] = (hys_expr_node){.op = HYS_EXPR_ADD, .a = sum, .b = n - 1};
    n++;
  }
  *out = (hys_expr){node, n};
  return HYS_OK;
}
