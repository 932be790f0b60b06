#include "tests/fuzz/exact.h"

#ifdef HAVE_FLINT_ARB_MAT_H /* FLINT 3 */
#include <flint/arb.h>
#else
#include <arb.h>
#endif
#include <string.h>

enum { BITS = 160 };

typedef enum truth { TRUTH_UNKNOWN, TRUTH_FALSE, TRUTH_TRUE } truth;

typedef struct value {
  arb_t number;
  bool known; /* a number that is finite */
  truth truth;
} value;
static value values[EXACT_MOST_NODES];
static uint32_t n_values;

static void constant(value *v, const hys_expr_node *k) {
  char text[64];

  if (k->text != NULL && k->length < sizeof text && k->text[0] != 't') {
    memcpy(text, k->text, k->length);
    text[k->length] = '\0';
    v->known = arb_set_str(v->number, text, BITS) == 0;
    return;
  }
  if (k->value.lo == k->value.hi) {
    arb_set_d(v->number, k->value.lo);
    v->known = arb_is_finite(v->number);
  }
}

static void compute(value *v, const hys_expr_node *k, const value *a, const value *b) {
  const bool one = a->known, two = one && b != NULL && b->known;

  v->known = true;
  if (k->op == HYS_EXPR_NEG && one)
    arb_neg(v->number, a->number);
  else if (k->op == HYS_EXPR_ADD && two)
    arb_add(v->number, a->number, b->number, BITS);
  else if (k->op == HYS_EXPR_SUB && two)
    arb_sub(v->number, a->number, b->number, BITS);
  else if (k->op == HYS_EXPR_MUL && two)
    arb_mul(v->number, a->number, b->number, BITS);
  else if (k->op == HYS_EXPR_DIV && two)
    arb_div(v->number, a->number, b->number, BITS);
  else if (k->op == HYS_EXPR_POW && two && !(arb_contains_zero(a->number) && !arb_is_nonnegative(b->number)))
    arb_pow(v->number, a->number, b->number, BITS);
  else if (k->op == HYS_EXPR_SIN && one)
    arb_sin(v->number, a->number, BITS);
  else if (k->op == HYS_EXPR_COS && one)
    arb_cos(v->number, a->number, BITS);
  else if (k->op == HYS_EXPR_TAN && one)
    arb_tan(v->number, a->number, BITS);
  else if (k->op == HYS_EXPR_EXP && one)
    arb_exp(v->number, a->number, BITS);
  else if (k->op == HYS_EXPR_LOG && one && arb_is_positive(a->number))
    arb_log(v->number, a->number, BITS);
  else if (k->op == HYS_EXPR_SQRT && one && arb_is_nonnegative(a->number))
    arb_sqrt(v->number, a->number, BITS);
  else if (k->op == HYS_EXPR_ABS && one)
    arb_abs(v->number, a->number);
  else if (k->op == HYS_EXPR_TANH && one)
    arb_tanh(v->number, a->number, BITS);
  else if (k->op == HYS_EXPR_ATAN && one)
    arb_atan(v->number, a->number, BITS);
  else if (k->op == HYS_EXPR_MIN && two)
    arb_min(v->number, a->number, b->number, BITS);
  else if (k->op == HYS_EXPR_MAX && two)
    arb_max(v->number, a->number, b->number, BITS);
  else
    v->known = false;
  /* numbers of millions of bits are left alone */
  v->known = v->known && arb_is_finite(v->number) && arb_bits(v->number) <= 2 * BITS &&
             arf_cmpabs_2exp_si(arb_midref(v->number), 100000) < 0;
}

static truth truth_if(bool holds, bool fails) {
  return holds ? TRUTH_TRUE : fails ? TRUTH_FALSE : TRUTH_UNKNOWN;
}

static truth compare(const hys_expr_node *k, const value *a, const value *b) {
  if (!a->known || !b->known)
    return TRUTH_UNKNOWN;
  switch ((hys_expr_op)k->op) {
  case HYS_EXPR_LT:
    return truth_if(arb_lt(a->number, b->number), arb_ge(a->number, b->number));
  case HYS_EXPR_LE:
    return truth_if(arb_le(a->number, b->number), arb_gt(a->number, b->number));
  case HYS_EXPR_GT:
    return truth_if(arb_gt(a->number, b->number), arb_le(a->number, b->number));
  case HYS_EXPR_GE:
    return truth_if(arb_ge(a->number, b->number), arb_lt(a->number, b->number));
  case HYS_EXPR_NE:
    return truth_if(arb_ne(a->number, b->number), arb_eq(a->number, b->number));
  case HYS_EXPR_EQ:
  case HYS_EXPR_ASSIGN:
    return truth_if(arb_eq(a->number, b->number), arb_ne(a->number, b->number));
  default:
    return TRUTH_UNKNOWN;
  }
}

static void evaluate(const hys_expr *e, uint32_t n, value *v, const double *x, const double *dx) {
  for (uint32_t i = 0; i < n; i++) {
    const hys_expr_node *k = &e->node[i];
    const value *a, *b;
    arb_init(v[i].number);
    v[i].known = false;
    v[i].truth = TRUTH_UNKNOWN;
    switch ((hys_expr_op)k->op) {
    case HYS_EXPR_CONSTANT:
      constant(&v[i], k);
      continue;
    case HYS_EXPR_VARIABLE:
    case HYS_EXPR_PRIMED:
      v[i].known = k->op == HYS_EXPR_VARIABLE || dx != NULL;
      if (v[i].known)
        arb_set_d(v[i].number, k->op == HYS_EXPR_VARIABLE ? x[k->a] : dx[k->a]);
      continue;
    case HYS_EXPR_TRUE:
      v[i].truth = TRUTH_TRUE;
      continue;
    case HYS_EXPR_FALSE:
      v[i].truth = TRUTH_FALSE;
      continue;
    case HYS_EXPR_NONE:
    case HYS_EXPR_LOCATION:
    case HYS_EXPR_LIST:
    case HYS_EXPR_MATRIX:
    case HYS_EXPR_RESHAPE:
    case HYS_EXPR_LUT:
      continue;
    default:
      break;
    }
    a = &v[k->a];
    b = k->op == HYS_EXPR_NOT || k->op == HYS_EXPR_NEG || (k->op >= HYS_EXPR_SIN && k->op <= HYS_EXPR_ATAN)
            ? NULL
            : &v[k->b];
    if (!hys_expr_op_is_truth((hys_expr_op)k->op))
      compute(&v[i], k, a, b);
    else if (k->op == HYS_EXPR_NOT)
      v[i].truth = truth_if(a->truth == TRUTH_FALSE, a->truth == TRUTH_TRUE);
    else if (k->op == HYS_EXPR_AND)
      v[i].truth = truth_if(a->truth == TRUTH_TRUE && b->truth == TRUTH_TRUE,
                            a->truth == TRUTH_FALSE || b->truth == TRUTH_FALSE);
    else if (k->op == HYS_EXPR_OR)
      v[i].truth = truth_if(a->truth == TRUTH_TRUE || b->truth == TRUTH_TRUE,
                            a->truth == TRUTH_FALSE && b->truth == TRUTH_FALSE);
    else
      v[i].truth = compare(k, a, b);
  }
}

/* The ball and the interval have a number in common. */
static bool meets(const value *v, hys_interval box) {
  arf_t end;
  bool good;

  arf_init(end);
  arb_get_lbound_arf(end, v->number, BITS);
  good = arf_cmp_d(end, box.hi) <= 0;
  arb_get_ubound_arf(end, v->number, BITS);
  good = good && arf_cmp_d(end, box.lo) >= 0;
  arf_clear(end);
  return good;
}

bool exact_open(const hys_expr *e, const double *x, const double *dx) {
  if (e->n > EXACT_MOST_NODES)
    return false;
  n_values = e->n;
  evaluate(e, e->n, values, x, dx);
  return true;
}

bool exact_inside(uint32_t node, hys_interval box) {
  const value *v = &values[node];

  if (v->known)
    return meets(v, box);
  return v->truth == TRUTH_UNKNOWN || hys_interval_contains_surely(box, v->truth == TRUTH_TRUE ? 1.0 : 0.0);
}

void exact_close(void) {
  for (uint32_t i = 0; i < n_values; i++)
    arb_clear(values[i].number);
  n_values = 0;
}
