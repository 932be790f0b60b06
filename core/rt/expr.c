#include "core/rt/expr.h"

#include <float.h>
#include <math.h>

#include "core/rt/expr_internal.h"

/* Below this a product or a quotient may have lost bits to underflow, so that fma proves nothing. */
static const double exact_min = 0x1p-960;

static bool is_point(hys_interval a) {
  return a.lo == a.hi;
}

hys_interval hys_interval_add_exact(hys_interval a, hys_interval b) {
  if (is_point(b) && b.lo == 0.0)
    return a;
  if (is_point(a) && a.lo == 0.0)
    return b;
  if (is_point(a) && is_point(b)) {
    /* Knuth's two-sum: the rounding error of s, exactly */
    const double s = a.lo + b.lo, t = s - a.lo, error = (a.lo - (s - t)) + (b.lo - t);
    if (fabs(s) <= DBL_MAX && error == 0.0)
      return hys_interval_point(s);
  }
  return hys_interval_add(a, b);
}

hys_interval hys_interval_mul_exact(hys_interval a, hys_interval b) {
  if (is_point(a) && fabs(a.lo) == 1.0)
    return a.lo > 0.0 ? b : hys_interval_neg(b);
  if (is_point(b) && fabs(b.lo) == 1.0)
    return b.lo > 0.0 ? a : hys_interval_neg(a);
  if (is_point(a) && is_point(b)) {
    const double p = a.lo * b.lo;
    if (fabs(p) <= DBL_MAX && fabs(p) >= exact_min && fma(a.lo, b.lo, -p) == 0.0)
      return hys_interval_point(p);
  }
  return hys_interval_mul(a, b);
}

hys_interval hys_interval_div_exact(hys_interval a, hys_interval b) {
  if (is_point(b) && fabs(b.lo) == 1.0)
    return b.lo > 0.0 ? a : hys_interval_neg(a);
  if (is_point(a) && is_point(b) && b.lo != 0.0) {
    const double q = a.lo / b.lo;
    if (fabs(q) <= DBL_MAX && fabs(q) >= exact_min && fabs(a.lo) >= exact_min && fma(q, b.lo, -a.lo) == 0.0)
      return hys_interval_point(q);
  }
  return hys_interval_div(a, b);
}

/* How many children a node has: in a, in a and b. */
static unsigned children(const hys_expr_node *k) {
  switch ((hys_expr_op)k->op) {
  case HYS_EXPR_NONE:
  case HYS_EXPR_CONSTANT:
  case HYS_EXPR_VARIABLE:
  case HYS_EXPR_PRIMED:
  case HYS_EXPR_TRUE:
  case HYS_EXPR_FALSE:
  case HYS_EXPR_LOCATION:
    return 0;
  case HYS_EXPR_NEG:
  case HYS_EXPR_SIN:
  case HYS_EXPR_COS:
  case HYS_EXPR_TAN:
  case HYS_EXPR_EXP:
  case HYS_EXPR_LOG:
  case HYS_EXPR_SQRT:
  case HYS_EXPR_ABS:
  case HYS_EXPR_TANH:
  case HYS_EXPR_ATAN:
  case HYS_EXPR_LUT:
  case HYS_EXPR_RESHAPE:
  case HYS_EXPR_MATRIX:
  case HYS_EXPR_NOT:
    return 1;
  default:
    return 2;
  }
}

uint32_t hys_expr_first(const hys_expr *e, uint32_t root) {
  uint32_t i = root;

  while (children(&e->node[i]) > 0) {
    const hys_expr_node *k = &e->node[i];
    i = k->a != HYS_EXPR_NO_CHILD ? k->a : k->b;
  }
  return i;
}

static double point_truth(bool t) {
  return t ? 1.0 : 0.0;
}

double hys_expr_eval_point(const hys_expr *e, uint32_t root, const double *x, const double *dx,
                           const uint32_t *at, double *scratch) {
  const uint32_t first = hys_expr_first(e, root);

  for (uint32_t i = first; i <= root; i++) {
    const hys_expr_node *k = &e->node[i];
    const unsigned n = children(k);
    const double a = n > 0 && k->a != HYS_EXPR_NO_CHILD ? scratch[k->a] : 0.0,
                 b = n > 1 ? scratch[k->b] : 0.0;
    double v = HYSI_NAN;
    switch ((hys_expr_op)k->op) {
    case HYS_EXPR_CONSTANT:
      v = k->nearest_is_hi ? k->value.hi : k->value.lo;
      break;
    case HYS_EXPR_VARIABLE:
      v = x[k->a];
      break;
    case HYS_EXPR_PRIMED:
      v = dx != NULL ? dx[k->a] : HYSI_NAN;
      break;
    case HYS_EXPR_NEG:
      v = -a;
      break;
    case HYS_EXPR_ADD:
      v = a + b;
      break;
    case HYS_EXPR_SUB:
      v = a - b;
      break;
    case HYS_EXPR_MUL:
      v = a * b;
      break;
    case HYS_EXPR_DIV:
      v = a / b;
      break;
    case HYS_EXPR_POW:
      v = pow(a, b);
      break;
    case HYS_EXPR_SIN:
      v = sin(a);
      break;
    case HYS_EXPR_COS:
      v = cos(a);
      break;
    case HYS_EXPR_TAN:
      v = tan(a);
      break;
    case HYS_EXPR_EXP:
      v = exp(a);
      break;
    case HYS_EXPR_LOG:
      v = log(a);
      break;
    case HYS_EXPR_SQRT:
      v = sqrt(a);
      break;
    case HYS_EXPR_ABS:
      v = fabs(a);
      break;
    case HYS_EXPR_TANH:
      v = tanh(a);
      break;
    case HYS_EXPR_ATAN:
      v = atan(a);
      break;
    case HYS_EXPR_MIN: /* NaN stays NaN */
      v = a < b ? a : b < a ? b : a == b ? a : HYSI_NAN;
      break;
    case HYS_EXPR_MAX:
      v = a > b ? a : b > a ? b : a == b ? a : HYSI_NAN;
      break;
    case HYS_EXPR_LUT:
      v = hysi_lut_point(e, i, scratch);
      break;
    case HYS_EXPR_NONE:
    case HYS_EXPR_RESHAPE:
    case HYS_EXPR_MATRIX:
    case HYS_EXPR_LIST:
      break;
    case HYS_EXPR_LT:
      v = point_truth(a < b);
      break;
    case HYS_EXPR_LE:
      v = point_truth(a <= b);
      break;
    case HYS_EXPR_GT:
      v = point_truth(a > b);
      break;
    case HYS_EXPR_GE:
      v = point_truth(a >= b);
      break;
    case HYS_EXPR_EQ:
    case HYS_EXPR_ASSIGN:
      v = point_truth(a == b);
      break;
    case HYS_EXPR_NE:
      v = point_truth(a < b || a > b);
      break;
    case HYS_EXPR_AND:
      v = point_truth(a > 0.0 && b > 0.0);
      break;
    case HYS_EXPR_OR:
      v = point_truth(a > 0.0 || b > 0.0);
      break;
    case HYS_EXPR_NOT:
      v = point_truth(!(a > 0.0));
      break;
    case HYS_EXPR_TRUE:
      v = 1.0;
      break;
    case HYS_EXPR_FALSE:
      v = 0.0;
      break;
    case HYS_EXPR_LOCATION:
      v = point_truth(at != NULL && at[k->a] == k->b);
      break;
    }
    scratch[i] = v;
  }
  return scratch[root];
}

/* A truth that may be false unless `sure`, and may be true if `maybe`. */
static hys_interval truth(bool sure, bool maybe) {
  return hysi_pair(sure ? 1.0 : 0.0, sure || maybe ? 1.0 : 0.0);
}

/* An empty operand satisfies nothing and proves nothing: not known. */
static hys_interval compare(hys_expr_op op, hys_interval a, hys_interval b) {
  if (hys_interval_is_empty(a) || hys_interval_is_empty(b))
    return truth(false, true);
  switch (op) {
  case HYS_EXPR_LT:
    return truth(hys_interval_lt_surely(a, b), hys_interval_lt_maybe(a, b));
  case HYS_EXPR_LE:
    return truth(hys_interval_le_surely(a, b), hys_interval_le_maybe(a, b));
  case HYS_EXPR_GT:
    return truth(hys_interval_lt_surely(b, a), hys_interval_lt_maybe(b, a));
  case HYS_EXPR_GE:
    return truth(hys_interval_le_surely(b, a), hys_interval_le_maybe(b, a));
  case HYS_EXPR_NE:
    return truth(hys_interval_disjoint_surely(a, b), !(is_point(a) && is_point(b) && a.lo == b.lo));
  default:
    return truth(is_point(a) && is_point(b) && a.lo == b.lo, hys_interval_meets_maybe(a, b));
  }
}

hys_interval hys_expr_eval_interval(const hys_expr *e, uint32_t root, const hys_interval *x,
                                    const hys_interval *dx, const uint32_t *at, hys_interval *scratch) {
  const uint32_t first = hys_expr_first(e, root);
  const hysi_values values = {scratch, 0, 1};

  for (uint32_t i = first; i <= root; i++) {
    const hys_expr_node *k = &e->node[i];
    const unsigned n = children(k);
    const hys_interval zero = {0.0, 0.0};
    const hys_interval a = n > 0 && k->a != HYS_EXPR_NO_CHILD ? scratch[k->a] : zero;
    const hys_interval b = n > 1 ? scratch[k->b] : zero;
    hys_interval v = hys_interval_entire();
    switch ((hys_expr_op)k->op) {
    case HYS_EXPR_CONSTANT:
      v = k->value;
      break;
    case HYS_EXPR_VARIABLE:
      v = x[k->a];
      break;
    case HYS_EXPR_PRIMED:
      v = dx != NULL ? dx[k->a] : hys_interval_entire();
      break;
    case HYS_EXPR_NEG:
      v = hys_interval_neg(a);
      break;
    case HYS_EXPR_ADD:
      v = hys_interval_add(a, b);
      break;
    case HYS_EXPR_SUB:
      v = hys_interval_sub(a, b);
      break;
    case HYS_EXPR_MUL:
      v = k->a == k->b ? hys_interval_sqr(a) : hys_interval_mul(a, b);
      break;
    case HYS_EXPR_DIV:
      v = hys_interval_div(a, b);
      break;
    case HYS_EXPR_POW:
      v = hys_interval_pow(a, b);
      break;
    case HYS_EXPR_SIN:
      v = hys_interval_sin(a);
      break;
    case HYS_EXPR_COS:
      v = hys_interval_cos(a);
      break;
    case HYS_EXPR_TAN:
      v = hys_interval_tan(a);
      break;
    case HYS_EXPR_EXP:
      v = hys_interval_exp(a);
      break;
    case HYS_EXPR_LOG:
      v = hys_interval_log(a);
      break;
    case HYS_EXPR_SQRT:
      v = hys_interval_sqrt(a);
      break;
    case HYS_EXPR_ABS:
      v = hys_interval_abs(a);
      break;
    case HYS_EXPR_TANH:
      v = hys_interval_tanh(a);
      break;
    case HYS_EXPR_ATAN:
      v = hys_interval_atan(a);
      break;
    case HYS_EXPR_MIN:
      v = hys_interval_min(a, b);
      break;
    case HYS_EXPR_MAX:
      v = hys_interval_max(a, b);
      break;
    case HYS_EXPR_LUT:
      v = hysi_lut_interval(e, i, &values);
      break;
    case HYS_EXPR_NONE:
    case HYS_EXPR_RESHAPE:
    case HYS_EXPR_MATRIX:
    case HYS_EXPR_LIST:
      break;
    case HYS_EXPR_LT:
    case HYS_EXPR_LE:
    case HYS_EXPR_GT:
    case HYS_EXPR_GE:
    case HYS_EXPR_EQ:
    case HYS_EXPR_NE:
    case HYS_EXPR_ASSIGN:
      v = compare((hys_expr_op)k->op, a, b);
      break;
    case HYS_EXPR_AND:
      v = hys_interval_min(a, b);
      break;
    case HYS_EXPR_OR:
      v = hys_interval_max(a, b);
      break;
    case HYS_EXPR_NOT:
      v = hysi_pair(1.0 - a.hi, 1.0 - a.lo);
      break;
    case HYS_EXPR_TRUE:
      v = truth(true, true);
      break;
    case HYS_EXPR_FALSE:
      v = truth(false, false);
      break;
    case HYS_EXPR_LOCATION:
      v = at == NULL ? truth(false, true) : truth(at[k->a] == k->b, at[k->a] == k->b);
      break;
    }
    scratch[i] = v;
  }
  return scratch[root];
}

/* ---- affine forms: a row of n coefficients and a constant for each node ---- */

static bool row_is_constant(const hys_interval *row, size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (row[i].lo != 0.0 || row[i].hi != 0.0)
      return false;
  }
  return true;
}

static hys_interval function(hys_expr_op op, hys_interval a, hys_interval b) {
  switch (op) {
  case HYS_EXPR_POW:
    return hys_interval_pow(a, b);
  case HYS_EXPR_SIN:
    return hys_interval_sin(a);
  case HYS_EXPR_COS:
    return hys_interval_cos(a);
  case HYS_EXPR_TAN:
    return hys_interval_tan(a);
  case HYS_EXPR_EXP:
    return hys_interval_exp(a);
  case HYS_EXPR_LOG:
    return hys_interval_log(a);
  case HYS_EXPR_SQRT:
    return hys_interval_sqrt(a);
  case HYS_EXPR_ABS:
    return hys_interval_abs(a);
  case HYS_EXPR_TANH:
    return hys_interval_tanh(a);
  case HYS_EXPR_ATAN:
    return hys_interval_atan(a);
  case HYS_EXPR_MIN:
    return hys_interval_min(a, b);
  case HYS_EXPR_MAX:
    return hys_interval_max(a, b);
  default:
    return hys_interval_entire();
  }
}

static hys_status affine_node(const hys_expr_node *k, size_t n, const hys_interval *a, const hys_interval *b,
                              hys_interval *out) {
  switch ((hys_expr_op)k->op) {
  case HYS_EXPR_CONSTANT:
    out[n] = k->value;
    return HYS_OK;
  case HYS_EXPR_VARIABLE:
    if (k->a >= n)
      return HYS_ERR_ARG;
    out[k->a] = hys_interval_point(1.0);
    return HYS_OK;
  case HYS_EXPR_NEG:
    for (size_t i = 0; i <= n; i++)
      out[i] = hys_interval_neg(a[i]);
    return HYS_OK;
  case HYS_EXPR_ADD:
    for (size_t i = 0; i <= n; i++)
      out[i] = hys_interval_add_exact(a[i], b[i]);
    return HYS_OK;
  case HYS_EXPR_SUB:
    for (size_t i = 0; i <= n; i++)
      out[i] = hys_interval_add_exact(a[i], hys_interval_neg(b[i]));
    return HYS_OK;
  case HYS_EXPR_MUL:
    if (!row_is_constant(a, n)) {
      const hys_interval *swap = a;
      a = b;
      b = swap;
    }
    if (!row_is_constant(a, n))
      return HYS_ERR_UNSUPPORTED;
    for (size_t i = 0; i <= n; i++)
      out[i] = hys_interval_mul_exact(a[n], b[i]);
    return HYS_OK;
  case HYS_EXPR_DIV:
    if (!row_is_constant(b, n))
      return HYS_ERR_UNSUPPORTED;
    for (size_t i = 0; i <= n; i++) {
      if (i == n || a[i].lo != 0.0 || a[i].hi != 0.0)
        out[i] = hys_interval_div_exact(a[i], b[n]);
    }
    return HYS_OK;
  case HYS_EXPR_POW:
    if (row_is_constant(b, n) && is_point(b[n]) && b[n].lo == 0.0) {
      out[n] = hys_interval_point(1.0);
      return HYS_OK;
    }
    if (row_is_constant(b, n) && is_point(b[n]) && b[n].lo == 1.0) {
      for (size_t i = 0; i <= n; i++)
        out[i] = a[i];
      return HYS_OK;
    }
    if (row_is_constant(a, n) && row_is_constant(b, n) && is_point(b[n]) && b[n].lo == 2.0) {
      out[n] = is_point(a[n]) ? hys_interval_mul_exact(a[n], a[n]) : hys_interval_sqr(a[n]);
      return HYS_OK;
    }
    break;
  default:
    break;
  }
  if (k->op < HYS_EXPR_POW || k->op > HYS_EXPR_MAX || !row_is_constant(a, n) ||
      (b != NULL && !row_is_constant(b, n)))
    return HYS_ERR_UNSUPPORTED;
  out[n] = function((hys_expr_op)k->op, a[n], b != NULL ? b[n] : a[n]);
  return HYS_OK;
}

/* A look-up table all of whose inputs are constant. */
static hys_status affine_lut(const hys_expr *e, uint32_t node, uint32_t first, size_t n,
                             const hys_interval *scratch, hys_interval *out) {
  const hysi_values values = {scratch + n, first, n + 1};

  for (uint32_t i = hys_expr_first(e, node); i < node; i++) {
    if (!row_is_constant(scratch + (i - first) * (n + 1), n))
      return HYS_ERR_UNSUPPORTED;
  }
  out[n] = hysi_lut_interval(e, node, &values);
  return HYS_OK;
}

static bool row_is_finite(const hys_interval *row, size_t n) {
  for (size_t i = 0; i <= n; i++) {
    if (!(row[i].lo >= -DBL_MAX && row[i].hi <= DBL_MAX && row[i].lo <= row[i].hi))
      return false;
  }
  return true;
}

hys_status hys_expr_affine(const hys_expr *e, uint32_t root, size_t n, hys_interval *coef,
                           hys_interval *constant, hys_interval *scratch, uint32_t *fault) {
  const uint32_t first = hys_expr_first(e, root);
  const size_t width = n + 1;

  for (uint32_t i = first; i <= root; i++) {
    const hys_expr_node *k = &e->node[i];
    hys_interval *out = scratch + (i - first) * width;
    const hys_interval *a = NULL, *b = NULL;
    hys_status status;
    for (size_t j = 0; j < width; j++)
      out[j] = hysi_pair(0.0, 0.0);
    /* truths (the first half of a chain), lists and tables stand between the parts of a number: what needs
     * their value is refused itself */
    if (i != root && (hys_expr_op_is_truth((hys_expr_op)k->op) || k->op == HYS_EXPR_LIST ||
                      k->op == HYS_EXPR_MATRIX || k->op == HYS_EXPR_RESHAPE))
      continue;
    if (children(k) > 0)
      a = k->a != HYS_EXPR_NO_CHILD ? scratch + (k->a - first) * width : out;
    if (children(k) > 1)
      b = scratch + (k->b - first) * width;
    status = k->op == HYS_EXPR_LUT ? affine_lut(e, i, first, n, scratch, out) : affine_node(k, n, a, b, out);
    if (status == HYS_OK && !row_is_finite(out, n))
      status = HYS_ERR_NUMERIC;
    if (status != HYS_OK) {
      if (fault != NULL)
        *fault = i;
      return status;
    }
  }
  /* adding zero makes +0 of -0: equal rows are equal bit by bit */
  for (size_t j = 0; j <= n; j++) {
    const hys_interval v = scratch[(root - first) * width + j];
    *(j < n ? &coef[j] : constant) = hysi_pair(v.lo + 0.0, v.hi + 0.0);
  }
  return HYS_OK;
}

/* ---- classes ---- */

static bool is_natural(const hys_expr_node *k) {
  return k->op == HYS_EXPR_CONSTANT && is_point(k->value) && k->value.lo >= 0.0 &&
         k->value.lo == floor(k->value.lo);
}

static uint8_t classify_power(const hys_expr *e, const hys_expr_node *k, uint8_t a, uint8_t b) {
  const hys_expr_node *exponent = &e->node[k->b];

  if (a == HYS_CLASS_CONSTANT && b == HYS_CLASS_CONSTANT)
    return HYS_CLASS_CONSTANT;
  if (!is_natural(exponent))
    return HYS_CLASS_TRANSCENDENTAL;
  if (exponent->value.lo == 0.0)
    return HYS_CLASS_CONSTANT;
  if (exponent->value.lo == 1.0 || a > HYS_CLASS_POLYNOMIAL)
    return a;
  return HYS_CLASS_POLYNOMIAL;
}

static uint8_t classify_node(const hys_expr *e, const hys_expr_node *k, const bool *number, uint8_t a,
                             uint8_t b) {
  const uint8_t worst = a > b ? a : b;

  switch ((hys_expr_op)k->op) {
  case HYS_EXPR_CONSTANT:
    return HYS_CLASS_CONSTANT;
  case HYS_EXPR_VARIABLE:
  case HYS_EXPR_PRIMED:
    return number != NULL && number[k->a] ? HYS_CLASS_CONSTANT : HYS_CLASS_AFFINE;
  case HYS_EXPR_NEG:
  case HYS_EXPR_ADD:
  case HYS_EXPR_SUB:
  case HYS_EXPR_LIST:
  case HYS_EXPR_RESHAPE:
  case HYS_EXPR_MATRIX:
    return worst;
  case HYS_EXPR_MUL:
    if (a == HYS_CLASS_CONSTANT || b == HYS_CLASS_CONSTANT || worst > HYS_CLASS_POLYNOMIAL)
      return worst;
    return HYS_CLASS_POLYNOMIAL;
  case HYS_EXPR_DIV:
    if (b == HYS_CLASS_CONSTANT)
      return a;
    return worst > HYS_CLASS_RATIONAL ? worst : HYS_CLASS_RATIONAL;
  case HYS_EXPR_POW:
    return classify_power(e, k, a, b);
  default:
    return worst <= HYS_CLASS_CONSTANT ? HYS_CLASS_CONSTANT : HYS_CLASS_TRANSCENDENTAL;
  }
}

hys_expr_class hys_expr_classify(const hys_expr *e, uint32_t root, const bool *number, uint8_t *scratch) {
  const uint32_t first = hys_expr_first(e, root);

  for (uint32_t i = first; i <= root; i++) {
    const hys_expr_node *k = &e->node[i];
    const unsigned n = children(k);
    scratch[i] =
        classify_node(e, k, number, n > 0 && k->a != HYS_EXPR_NO_CHILD ? scratch[k->a] : HYS_CLASS_CONSTANT,
                      n > 1 ? scratch[k->b] : HYS_CLASS_CONSTANT);
  }
  return (hys_expr_class)scratch[root];
}
