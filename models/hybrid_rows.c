/* Numbers as sparse rows.  A sum is taken apart and its terms are added up one by one, so that a row of ten
 * thousand terms costs ten thousand small ones; hys_expr_affine does each. */
#include <stdlib.h>
#include <string.h>

#include "models/hybrid_private.h"

/* Intervals of scratch for one term; a product of sums that needs more is opened up or given up. */
static const size_t most_scratch = (size_t)1 << 18;

/* A term still to be taken: scale * the number under node. */
typedef struct pending {
  uint32_t node;
  hys_interval scale;
} pending;

/* Sums of the two sides of a difference: kept apart, a - b and b - a have the same coefficients. */
typedef struct sum {
  uint32_t variable;
  hys_interval coef[2];
} sum;

struct hysi_row_work {
  uint32_t *place;       /* per variable: in sum, HYSI_NONE */
  uint32_t *dense;       /* per variable: its number in the term at hand, HYSI_NONE */
  uint32_t *variable;    /* of the term at hand */
  hys_expr_node *node;   /* of the term at hand, its variables numbered densely */
  hys_interval *coef;    /* of the term at hand */
  hys_interval *scratch; /* of the term at hand */
  sum *sum;
  pending *stack;
  uint32_t n, sum_capacity, stack_capacity, node_capacity, scratch_capacity;
  hys_interval constant[2];
};

hys_status hysi_hybrid_rows_open(hysi_hybrid *h) {
  struct hysi_row_work *w = hys_arena_alloc(h->arena, 1, sizeof *w);

  if (w == NULL)
    return HYS_ERR_MEMORY;
  w->place = hys_arena_alloc(h->arena, h->face.n, sizeof *w->place);
  w->dense = hys_arena_alloc(h->arena, h->face.n, sizeof *w->dense);
  if (w->place == NULL || w->dense == NULL)
    return HYS_ERR_MEMORY;
  for (size_t i = 0; i < h->face.n; i++)
    w->place[i] = w->dense[i] = HYSI_NONE;
  h->rows = w;
  return HYS_OK;
}

/* At least n elements; what was there is not kept. */
static void *room(hysi_hybrid *h, void *array, size_t n, uint32_t *capacity, size_t size) {
  const size_t doubled = 2 * (size_t)*capacity, want = n > doubled ? n : doubled;

  if (n <= *capacity)
    return array;
  array = want < UINT32_MAX ? hys_arena_alloc(h->arena, want, size) : NULL;
  *capacity = array != NULL ? (uint32_t)want : 0;
  return array;
}

static hys_status add_to_sum(hysi_hybrid *h, uint32_t variable, hys_interval coef, int side) {
  struct hysi_row_work *w = h->rows;
  uint32_t at = w->place[variable];

  if (at == HYSI_NONE) {
    sum *grown = hysi_grow(h->arena, w->sum, w->n, &w->sum_capacity, sizeof *grown);
    if (grown == NULL)
      return HYS_ERR_MEMORY;
    w->sum = grown;
    at = w->place[variable] = w->n++;
    grown[at] = (sum){variable, {hys_interval_point(0.0), hys_interval_point(0.0)}};
  }
  w->sum[at].coef[side] = hys_interval_add_exact(w->sum[at].coef[side], coef);
  return HYS_OK;
}

/* The variables of the term at hand in w->variable, its nodes in w->node. */
static hys_status number_term(hysi_hybrid *h, const hys_expr *e, uint32_t first, uint32_t root, uint32_t *k) {
  struct hysi_row_work *w = h->rows;
  const uint32_t n = root - first + 1;
  const uint32_t before = w->node_capacity;

  w->node = room(h, w->node, n, &w->node_capacity, sizeof *w->node);
  if (w->node == NULL)
    return HYS_ERR_MEMORY;
  if (before != w->node_capacity) {
    w->variable = hys_arena_alloc(h->arena, w->node_capacity, sizeof *w->variable);
    w->coef = hys_arena_alloc(h->arena, w->node_capacity, sizeof *w->coef);
    if (w->variable == NULL || w->coef == NULL) {
      w->node_capacity = 0;
      return HYS_ERR_MEMORY;
    }
  }
  *k = 0;
  for (uint32_t i = 0; i < n; i++) {
    hys_expr_node *node = &w->node[i];
    *node = e->node[first + i];
    if (node->op == HYS_EXPR_VARIABLE) {
      if (w->dense[node->a] == HYSI_NONE) {
        w->dense[node->a] = *k;
        w->variable[(*k)++] = node->a;
      }
      node->a = w->dense[node->a];
    } else if (node->op != HYS_EXPR_CONSTANT) {
      node->a = node->a >= first && node->a < first + i ? node->a - first : HYS_EXPR_NO_CHILD;
      node->b = node->b >= first && node->b < first + i ? node->b - first : HYS_EXPR_NO_CHILD;
    }
  }
  for (uint32_t i = 0; i < *k; i++)
    w->dense[w->variable[i]] = HYSI_NONE;
  return HYS_OK;
}

/* The value of a part of a tree without variables.  false: it has some, or no value. */
static bool number_under(hysi_hybrid *h, const hys_expr *e, uint32_t root, hys_interval *value) {
  struct hysi_row_work *w = h->rows;
  const uint32_t first = hys_expr_first(e, root);

  for (uint32_t i = first; i <= root; i++)
    if (e->node[i].op == HYS_EXPR_VARIABLE)
      return false;
  w->scratch = room(h, w->scratch, root - first + 1, &w->scratch_capacity, sizeof *w->scratch);
  return w->scratch != NULL && hys_expr_affine(e, root, 0, NULL, value, w->scratch, NULL) == HYS_OK;
}

/* A product with a number, a quotient by one: goes on with the rest. */
static bool open_product(hysi_hybrid *h, const hys_expr *e, pending term, pending *rest) {
  const hys_expr_node *k = &e->node[term.node];
  hys_interval value;

  if (k->op == HYS_EXPR_DIV && number_under(h, e, k->b, &value) && !(value.lo <= 0.0 && value.hi >= 0.0))
    *rest = (pending){k->a, hys_interval_div_exact(term.scale, value)};
  else if (k->op == HYS_EXPR_MUL && number_under(h, e, k->b, &value))
    *rest = (pending){k->a, hys_interval_mul_exact(term.scale, value)};
  else if (k->op == HYS_EXPR_MUL && number_under(h, e, k->a, &value))
    *rest = (pending){k->b, hys_interval_mul_exact(term.scale, value)};
  else
    return false;
  return true;
}

static hys_status push(hysi_hybrid *h, uint32_t *depth, pending p) {
  struct hysi_row_work *w = h->rows;
  pending *grown = hysi_grow(h->arena, w->stack, *depth, &w->stack_capacity, sizeof *grown);

  if (grown == NULL)
    return HYS_ERR_MEMORY;
  w->stack = grown;
  grown[(*depth)++] = p;
  return HYS_OK;
}

/* A term that is no sum.  *affine: false: it is not affine. */
static hys_status add_term(hysi_hybrid *h, const hys_expr *e, pending term, int side, uint32_t *depth,
                           bool *affine) {
  struct hysi_row_work *w = h->rows;
  const uint32_t first = hys_expr_first(e, term.node), n = term.node - first + 1;
  hys_interval constant;
  hys_expr numbered;
  uint32_t k;
  hys_status status;

  if (n == 1 && e->node[first].op == HYS_EXPR_VARIABLE)
    return add_to_sum(h, e->node[first].a, term.scale, side);
  status = number_term(h, e, first, term.node, &k);
  if (status != HYS_OK)
    return status;
  if ((size_t)n * ((size_t)k + 1) > most_scratch) {
    pending rest;
    *affine = open_product(h, e, term, &rest);
    return *affine ? push(h, depth, rest) : HYS_OK;
  }
  w->scratch = room(h, w->scratch, (size_t)n * (k + 1), &w->scratch_capacity, sizeof *w->scratch);
  if (w->scratch == NULL)
    return HYS_ERR_MEMORY;
  numbered = (hys_expr){w->node, n};
  status = hys_expr_affine(&numbered, n - 1, k, w->coef, &constant, w->scratch, NULL);
  *affine = status == HYS_OK;
  if (!*affine)
    return status == HYS_ERR_UNSUPPORTED || status == HYS_ERR_NUMERIC ? HYS_OK : status;
  for (uint32_t i = 0; i < k && status == HYS_OK; i++)
    status = add_to_sum(h, w->variable[i], hys_interval_mul_exact(term.scale, w->coef[i]), side);
  w->constant[side] = hys_interval_add_exact(w->constant[side], hys_interval_mul_exact(term.scale, constant));
  return status;
}

/* Adds up the number under a node, left to right. */
static hys_status add_up(hysi_hybrid *h, const hys_expr *e, uint32_t root, int side, bool *affine) {
  struct hysi_row_work *w = h->rows;
  uint32_t depth = 0;
  hys_status status = push(h, &depth, (pending){root, hys_interval_point(1.0)});

  while (depth > 0 && status == HYS_OK && *affine) {
    const pending p = w->stack[--depth];
    const hys_expr_node *k = &e->node[p.node];
    if (k->op == HYS_EXPR_ADD || k->op == HYS_EXPR_SUB) {
      status = push(h, &depth, (pending){k->b, k->op == HYS_EXPR_ADD ? p.scale : hys_interval_neg(p.scale)});
      if (status == HYS_OK)
        status = push(h, &depth, (pending){k->a, p.scale});
    } else if (k->op == HYS_EXPR_NEG) {
      status = push(h, &depth, (pending){k->a, hys_interval_neg(p.scale)});
    } else {
      status = add_term(h, e, p, side, &depth, affine);
    }
  }
  return status;
}

static int by_variable(const void *a, const void *b) {
  const uint32_t p = ((const sum *)a)->variable, q = ((const sum *)b)->variable;

  return p < q ? -1 : p > q;
}

static bool row_is_finite(hys_interval a) {
  return a.lo > -HYSI_INF && a.hi < HYSI_INF;
}

/* Left less right. */
static hys_status write_row(hysi_hybrid *h, hys_affine *row, bool *affine) {
  struct hysi_row_work *w = h->rows;
  hys_term *term;
  uint32_t n = 0;
  hys_affine out = {.constant = hys_interval_add_exact(w->constant[0], hys_interval_neg(w->constant[1]))};

  *affine = row_is_finite(out.constant);
  for (uint32_t i = 0; i < w->n; i++) {
    sum *s = &w->sum[i];
    s->coef[0] = hys_interval_add_exact(s->coef[0], hys_interval_neg(s->coef[1]));
    *affine = *affine && row_is_finite(s->coef[0]);
    if (s->coef[0].lo != 0.0 || s->coef[0].hi != 0.0)
      n++;
  }
  if (!*affine)
    return HYS_OK;
  term = hys_arena_alloc(h->arena, n, sizeof *term);
  if (term == NULL)
    return HYS_ERR_MEMORY;
  if (w->n > 1)
    qsort(w->sum, w->n, sizeof *w->sum, by_variable);
  for (uint32_t i = 0; i < w->n; i++) {
    const sum *s = &w->sum[i];
    if (s->coef[0].lo != 0.0 || s->coef[0].hi != 0.0)
      term[out.n++] = (hys_term){s->variable, s->coef[0]};
  }
  out.term = term;
  *row = out;
  return HYS_OK;
}

hys_status hysi_hybrid_row(hysi_hybrid *h, const hys_expr *e, hys_affine *row, bool *affine) {
  struct hysi_row_work *w = h->rows;
  const hys_expr_node *root = &e->node[e->n - 1];
  const bool difference = root->op == HYS_EXPR_SUB;
  hys_status status;
  bool good = true;

  *affine = false;
  w->n = 0;
  w->constant[0] = w->constant[1] = hys_interval_point(0.0);
  status = add_up(h, e, difference ? root->a : e->n - 1, 0, &good);
  if (difference && status == HYS_OK && good)
    status = add_up(h, e, root->b, 1, &good);
  if (status == HYS_OK && good)
    status = write_row(h, row, affine);
  for (uint32_t i = 0; i < w->n; i++)
    w->place[w->sum[i].variable] = HYSI_NONE;
  return status;
}
