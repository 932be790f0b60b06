/* Exact rows: from trees to linear functions, jumps as substitutions, and whether rows can hold together. */
#include <float.h>
#include <stdio.h>
#include <string.h>

#include "core/rational.h"
#include "models/expr_parse.h"
#include "models/lint_private.h"

/* ---- linear functions ---- */

static const hysi_linear *collect(hysi_lint *lint, const fmpq_t constant) {
  hysi_linear *f = hysi_lint_alloc(lint, 1, sizeof *f);
  uint32_t *column = hysi_lint_alloc(lint, lint->n_touched, sizeof *column);
  fmpq *coef = hysi_lint_numbers(lint, (size_t)lint->n_touched + 1);
  uint32_t n = 0;

  for (uint32_t i = 0; i < lint->n_touched; i++) {
    fmpq *sum = lint->sum + lint->touched[i];
    lint->slot[lint->touched[i]] = HYSI_NONE;
    if (f != NULL && column != NULL && coef != NULL && !fmpq_is_zero(sum)) {
      column[n] = lint->touched[i];
      fmpq_swap(coef + n++, sum);
    }
    fmpq_zero(sum);
  }
  lint->n_touched = 0;
  if (f == NULL || column == NULL || coef == NULL)
    return NULL;
  fmpq_set(coef + n, constant);
  *f = (hysi_linear){column, coef, n};
  return f;
}

static void add_term(hysi_lint *lint, uint32_t column, const fmpq_t coef) {
  if (lint->slot[column] == HYSI_NONE) {
    lint->slot[column] = 0;
    lint->touched[lint->n_touched++] = column;
  }
  fmpq_add(lint->sum + column, lint->sum + column, coef);
}

static void add_scaled(hysi_lint *lint, const hysi_linear *f, const fmpq_t scale, fmpq_t constant) {
  fmpq_t product;

  fmpq_init(product);
  for (uint32_t i = 0; i < f->n; i++) {
    fmpq_mul(product, f->coef + i, scale);
    add_term(lint, f->column[i], product);
  }
  fmpq_addmul(constant, f->coef + f->n, scale);
  fmpq_clear(product);
}

const hysi_linear *hysi_lint_column(hysi_lint *lint, uint32_t column) {
  const hysi_linear *f;
  fmpq_t q;

  fmpq_init(q);
  fmpq_one(q);
  add_term(lint, column, q);
  fmpq_zero(q);
  f = collect(lint, q);
  fmpq_clear(q);
  return f;
}

static const hysi_linear *combined(hysi_lint *lint, const hysi_linear *a, slong scale_a, const hysi_linear *b,
                                   slong scale_b) {
  const hysi_linear *f = NULL;
  fmpq_t constant, scale;

  if ((a == NULL && scale_a != 0) || (b == NULL && scale_b != 0))
    return NULL;
  fmpq_init(constant);
  fmpq_init(scale);
  if (scale_a != 0) {
    fmpq_set_si(scale, scale_a, 1);
    add_scaled(lint, a, scale, constant);
  }
  if (scale_b != 0) {
    fmpq_set_si(scale, scale_b, 1);
    add_scaled(lint, b, scale, constant);
  }
  f = collect(lint, constant);
  fmpq_clear(constant);
  fmpq_clear(scale);
  return f;
}

const hysi_linear *hysi_lint_minus(hysi_lint *lint, const hysi_linear *a, const hysi_linear *b) {
  return combined(lint, a, 1, b, -1);
}

const hysi_linear *hysi_lint_opposite(hysi_lint *lint, const hysi_linear *a) {
  return combined(lint, a, -1, NULL, 0);
}

const hysi_linear *hysi_lint_substitute(hysi_lint *lint, const hysi_linear *f,
                                        const hysi_linear *const *after) {
  const uint32_t n_params = hysi_lint_params(lint);
  const hysi_linear *out;
  fmpq_t constant;

  if (f == NULL || after == NULL)
    return f;
  fmpq_init(constant);
  fmpq_set(constant, f->coef + f->n);
  for (uint32_t i = 0; i < f->n; i++) {
    const uint32_t c = f->column[i];
    if (c < n_params && after[c] != NULL)
      add_scaled(lint, after[c], f->coef + i, constant);
    else
      add_term(lint, c, f->coef + i);
  }
  out = collect(lint, constant);
  fmpq_clear(constant);
  return out;
}

/* ---- trees ---- */

void hysi_lint_decimal(fmpq_t out, hys_interval value) {
  fmpq_t lo, hi;
  bool found = false;

  fmpq_init(lo);
  fmpq_init(hi);
  hysi_lp_from_double(lo, value.lo);
  hysi_lp_from_double(hi, value.hi);
  fmpq_set(out, lo);
  for (int n = 0; n < 17 && !found && value.lo < value.hi; n++) {
    for (int end = 0; end < 2 && !found; end++) {
      const double d = end == 0 ? value.lo : value.hi;
      char text[40];
      const bool minus = d < 0.0;
      const int put = snprintf(text, sizeof text, "%.*e", n, minus ? -d : d);
      if (put <= 0 || !hysi_rational_decimal(out, text, (size_t)put))
        continue;
      if (minus)
        fmpq_mul_si(out, out, -1);
      found = fmpq_cmp(lo, out) <= 0 && fmpq_cmp(out, hi) <= 0;
    }
  }
  if (!found)
    fmpq_set(out, lo);
  fmpq_clear(lo);
  fmpq_clear(hi);
}

/* The values of the nodes from `first` to `root` that are numbers; known[i - first] says which. */
static void find_numbers(hysi_lint *lint, const hys_expr *e, uint32_t first, uint32_t root, fmpq *value,
                         bool *known) {
  for (uint32_t i = first; i <= root; i++) {
    const hys_expr_node *k = &e->node[i];
    fmpq *v = value + (i - first);
    bool *is = &known[i - first];
    const bool binary = k->op >= HYS_EXPR_ADD && k->op <= HYS_EXPR_POW;
    *is = false;
    if (k->op == HYS_EXPR_CONSTANT) {
      *is = k->text != NULL ? hysi_rational_decimal(v, k->text, k->length) : k->value.lo == k->value.hi;
      if (*is && k->text == NULL)
        hysi_lp_from_double(v, k->value.lo);
      continue;
    }
    if (k->op == HYS_EXPR_VARIABLE) {
      const hysi_lint_param *p = &lint->here->param[k->a];
      *is = p->number;
      if (p->number)
        fmpq_set(v, p->value);
      continue;
    }
    if (k->op != HYS_EXPR_NEG && !binary)
      continue;
    if (!known[k->a - first] || (binary && !known[k->b - first]))
      continue;
    const fmpq *a = value + (k->a - first), *b = binary ? value + (k->b - first) : NULL;
    *is = true;
    if (k->op == HYS_EXPR_NEG)
      fmpq_mul_si(v, a, -1);
    else if (k->op == HYS_EXPR_ADD)
      fmpq_add(v, a, b);
    else if (k->op == HYS_EXPR_SUB)
      fmpq_sub(v, a, b);
    else if (k->op == HYS_EXPR_MUL)
      fmpq_mul(v, a, b);
    else if (k->op == HYS_EXPR_DIV && !fmpq_is_zero(b))
      fmpq_div(v, a, b);
    else if (k->op == HYS_EXPR_POW && fmpz_is_one(fmpq_denref(b)) && fmpz_sgn(fmpq_numref(b)) >= 0 &&
             fmpz_cmp_si(fmpq_numref(b), 8) <= 0)
      fmpq_pow_si(v, a, fmpz_get_si(fmpq_numref(b)));
    else
      *is = false;
    /* numbers that grow without end are not what a lint is for */
    if (*is && fmpz_bits(fmpq_numref(v)) + fmpz_bits(fmpq_denref(v)) > 2048)
      *is = false;
  }
}

/* Room for n nodes in the scratch, which lasts. */
static bool reserve(hysi_lint *lint, uint32_t n) {
  hys_arena *passing = lint->arena;
  hysi_lint_block *block = lint->block;

  if (n <= lint->nodes)
    return true;
  if (lint->lasting != NULL) {
    lint->arena = lint->lasting;
    lint->block = lint->lasting_block;
  }
  lint->nodes = 0;
  lint->value = hysi_lint_numbers(lint, 2 * (size_t)n);
  lint->factor = hysi_lint_numbers(lint, 2 * (size_t)n + 1);
  lint->is_number = hysi_lint_alloc(lint, 2 * (size_t)n, sizeof *lint->is_number);
  lint->waiting = hysi_lint_alloc(lint, 2 * (size_t)n + 1, sizeof *lint->waiting);
  if (lint->value != NULL && lint->factor != NULL && lint->is_number != NULL && lint->waiting != NULL)
    lint->nodes = 2 * n;
  if (lint->lasting != NULL) {
    lint->lasting_block = lint->block;
    lint->arena = passing;
    lint->block = block;
  }
  return lint->nodes > 0;
}

/* Adds scale times the number under root to the running sum.  false: it is not linear. */
static bool take_terms(hysi_lint *lint, const hys_expr *e, uint32_t root, slong scale, fmpq_t constant) {
  const uint32_t first = hys_expr_first(e, root), n = root - first + 1;
  fmpq *value, *factor;
  bool *known, linear = true;
  uint32_t *stack, depth = 0;

  if (n > UINT32_MAX / 4 || !reserve(lint, n))
    return false;
  value = lint->value;
  factor = lint->factor;
  known = lint->is_number;
  stack = lint->waiting;
  find_numbers(lint, e, first, root, value, known);
  fmpq_set_si(factor, scale, 1);
  stack[depth++] = root;
  while (depth > 0 && linear) {
    const uint32_t i = stack[--depth];
    const hys_expr_node *k = &e->node[i];
    fmpq *f = factor + depth; /* the place of the first of its children */
    const bool a_known = k->op >= HYS_EXPR_NEG && k->op <= HYS_EXPR_POW && known[k->a - first];
    const bool b_known = k->op >= HYS_EXPR_ADD && k->op <= HYS_EXPR_POW && known[k->b - first];
    if (known[i - first]) {
      fmpq_addmul(constant, f, value + (i - first));
    } else if (k->op == HYS_EXPR_VARIABLE) {
      add_term(lint, k->a, f);
    } else if (k->op == HYS_EXPR_ADD || k->op == HYS_EXPR_SUB) {
      if (depth + 2 > n)
        linear = false; /* a node with several parents */
      else {
        fmpq_mul_si(factor + depth + 1, f, k->op == HYS_EXPR_SUB ? -1 : 1);
        stack[depth] = k->a;
        stack[depth + 1] = k->b;
        depth += 2;
      }
    } else if (k->op == HYS_EXPR_NEG) {
      fmpq_mul_si(f, f, -1);
      stack[depth++] = k->a;
    } else if (k->op == HYS_EXPR_MUL && a_known) {
      fmpq_mul(f, f, value + (k->a - first));
      stack[depth++] = k->b;
    } else if (k->op == HYS_EXPR_MUL && b_known) {
      fmpq_mul(f, f, value + (k->b - first));
      stack[depth++] = k->a;
    } else if (k->op == HYS_EXPR_DIV && b_known && !fmpq_is_zero(value + (k->b - first))) {
      fmpq_div(f, f, value + (k->b - first));
      stack[depth++] = k->a;
    } else if (k->op == HYS_EXPR_POW && b_known && fmpq_is_one(value + (k->b - first))) {
      stack[depth++] = k->a;
    } else {
      linear = false;
    }
  }
  return linear;
}

/* left - right, one side alone where the other is HYSI_NONE. */
static const hysi_linear *difference(hysi_lint *lint, const hys_expr *e, uint32_t left, uint32_t right) {
  const hysi_linear *f;
  bool good = true;
  fmpq_t constant;

  fmpq_init(constant);
  if (left != HYSI_NONE)
    good = take_terms(lint, e, left, 1, constant);
  if (good && right != HYSI_NONE)
    good = take_terms(lint, e, right, -1, constant);
  f = collect(lint, constant);
  fmpq_clear(constant);
  return good ? f : NULL;
}

const hysi_linear *hysi_lint_linear(hysi_lint *lint, const hys_expr *e, uint32_t root) {
  return difference(lint, e, root, HYSI_NONE);
}

/* ---- rows ---- */

void hysi_lint_push(hysi_lint *lint, hysi_lint_rows *rows, hysi_lint_row row) {
  hysi_lint_row *grown = hysi_grow(lint->arena, rows->row, rows->n, &rows->capacity, sizeof *grown);

  if (grown == NULL) {
    lint->status = HYS_ERR_MEMORY;
    return;
  }
  rows->row = grown;
  grown[rows->n++] = row;
}

void hysi_lint_append(hysi_lint *lint, hysi_lint_rows *rows, const hysi_lint_rows *more) {
  for (uint32_t i = 0; i < more->n; i++)
    hysi_lint_push(lint, rows, more->row[i]);
  rows->exact = rows->exact && more->exact;
}

static void comparison(hysi_lint *lint, const hys_expr *e, uint32_t node, hysi_origin origin,
                       hysi_lint_rows *out) {
  const hys_expr_node *k = &e->node[node];
  const bool above = k->op == HYS_EXPR_GT || k->op == HYS_EXPR_GE;
  hysi_lint_row row = {.origin = origin, .e = e, .node = node};

  row.relation = k->op == HYS_EXPR_EQ                           ? HYS_LP_EQ
                 : k->op == HYS_EXPR_LT || k->op == HYS_EXPR_GT ? HYS_LP_LT
                                                                : HYS_LP_LE;
  row.f = difference(lint, e, above ? k->b : k->a, above ? k->a : k->b);
  out->exact = out->exact && row.f != NULL;
  hysi_lint_push(lint, out, row);
}

void hysi_lint_conjuncts(hysi_lint *lint, const hysi_text_tree *t, hysi_origin origin, hysi_lint_rows *out) {
  const hys_expr *e = &t->e;
  uint32_t depth = 0;

  out->exact = !t->unknown && (t->at == NULL || e->n > 0);
  if (e->n == 0 || t->unknown)
    return;
  for (uint32_t next = e->n - 1;;) {
    const hys_expr_node *k = &e->node[next];
    if (k->op == HYS_EXPR_AND) {
      uint32_t *grown = hysi_grow(lint->arena, lint->stack, depth, &lint->stack_capacity, sizeof *grown);
      if (grown == NULL) {
        lint->status = HYS_ERR_MEMORY;
        return;
      }
      lint->stack = grown;
      grown[depth++] = k->b;
      next = k->a;
      continue;
    }
    if (k->op >= HYS_EXPR_LT && k->op <= HYS_EXPR_EQ) {
      comparison(lint, e, next, origin, out);
    } else if (k->op == HYS_EXPR_FALSE) {
      fmpq_t one;
      fmpq_init(one);
      fmpq_one(one);
      hysi_lint_push(lint, out,
                     (hysi_lint_row){.f = collect(lint, one), .origin = origin, .e = e, .node = next});
      fmpq_clear(one);
    } else if (k->op != HYS_EXPR_TRUE) {
      out->exact = false; /* a disjunction, a negation, `!=' */
    }
    if (depth == 0)
      return;
    next = lint->stack[--depth];
  }
}
