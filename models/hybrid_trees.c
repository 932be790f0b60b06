/* Numbers of formulas as trees over the variables of a general automaton. */
#include <string.h>

#include "models/hybrid_private.h"

/* Copies nodes [first, root] to place `to`; children move along.  What is no child (of a function of one
 * argument, of a list's begin) may be any number. */
static void move_nodes(hys_expr_node *out, const hys_expr_node *node, uint32_t first, uint32_t root,
                       uint32_t to) {
  for (uint32_t i = first; i <= root; i++) {
    hys_expr_node k = node[i];
    if (k.op != HYS_EXPR_CONSTANT && k.op != HYS_EXPR_VARIABLE) {
      k.a = k.a >= first && k.a < i ? k.a - first + to : HYS_EXPR_NO_CHILD;
      k.b = k.b >= first && k.b < i ? k.b - first + to : HYS_EXPR_NO_CHILD;
    }
    out[i - first + to] = k;
  }
}

/* Gives the names of a formula's nodes their meaning.  A constant's text stays the name it goes by: the same
 * number wherever it stands. */
static bool bind(hysi_hybrid *h, const hysi_formula *f, hys_expr_node *node, uint32_t n, uint32_t first) {
  for (uint32_t i = 0; i < n; i++) {
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
    k->op = HYS_EXPR_CONSTANT;
    if (b.kind == HYSI_BOUND_NUMBER) {
      k->value = b.value;
    } else if (b.kind == HYSI_BOUND_VARIABLE && h->flat.known[b.index]) {
      k->value = h->flat.value[b.index];
    } else {
      hysi_refuse(&h->flat, HYS_ERR_INPUT, f, i + first,
                  "the constant `%s' has no value: the configuration gives one by `initially'",
                  b.kind == HYSI_BOUND_VARIABLE ? h->flat.network->variable[b.index].name : "?");
      return false;
    }
  }
  return true;
}

hys_status hysi_hybrid_number(hysi_hybrid *h, const hysi_formula *f, uint32_t root, hys_expr *out,
                              bool *good) {
  const uint32_t first = hys_expr_first(f->e, root), n = root - first + 1;
  hys_expr_node *node = hys_arena_alloc(h->arena, n, sizeof *node);

  if (node == NULL)
    return HYS_ERR_MEMORY;
  move_nodes(node, f->e->node, first, root, 0);
  *good = bind(h, f, node, n, first);
  *out = (hys_expr){node, n};
  return HYS_OK;
}

static void subtract(hys_expr_node *node, uint32_t n_left, uint32_t n, const hys_expr_node *like) {
  node[n - 1] = (hys_expr_node){
      .op = HYS_EXPR_SUB, .a = n_left - 1, .b = n - 2, .line = like->line, .column = like->column};
}

hys_status hysi_hybrid_difference_of(hysi_hybrid *h, const hysi_formula *f, uint32_t left, uint32_t right,
                                     hys_expr *out, bool *good) {
  const uint32_t a = hys_expr_first(f->e, left), b = hys_expr_first(f->e, right);
  const uint32_t n_left = left - a + 1, n_right = right - b + 1, n = n_left + n_right + 1;
  hys_expr_node *node = hys_arena_alloc(h->arena, n, sizeof *node);

  if (node == NULL)
    return HYS_ERR_MEMORY;
  move_nodes(node, f->e->node, a, left, 0);
  move_nodes(node, f->e->node, b, right, n_left);
  *good = bind(h, f, node, n_left, a) && bind(h, f, node + n_left, n_right, b);
  subtract(node, n_left, n, &f->e->node[left]);
  *out = (hys_expr){node, n};
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
  subtract(node, left->n, n, &left->node[left->n - 1]);
  *out = (hys_expr){node, n};
  return HYS_OK;
}

hys_status hysi_hybrid_part(hysi_hybrid *h, const hys_expr *e, uint32_t root, hys_expr *out) {
  const uint32_t first = hys_expr_first(e, root), n = root - first + 1;
  hys_expr_node *node = hys_arena_alloc(h->arena, n, sizeof *node);

  if (node == NULL)
    return HYS_ERR_MEMORY;
  move_nodes(node, e->node, first, root, 0);
  *out = (hys_expr){node, n};
  return HYS_OK;
}

bool hysi_hybrid_same(const hys_expr *a, const hys_expr *b) {
  if (a->n != b->n)
    return false;
  for (uint32_t i = 0; i < a->n; i++) {
    const hys_expr_node *p = &a->node[i], *q = &b->node[i];
    const bool constant = p->op == HYS_EXPR_CONSTANT;
    if (p->op != q->op || (constant && !hys_interval_equal(p->value, q->value)))
      return false;
    /* two decimals between the same doubles are the same number only if they are written alike */
    if (constant && p->value.lo != p->value.hi &&
        (p->text == NULL || q->text == NULL || p->length != q->length ||
         memcmp(p->text, q->text, p->length) != 0))
      return false;
    if (!constant && (p->a != q->a || p->b != q->b))
      return false;
  }
  return true;
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
