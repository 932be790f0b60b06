#include "core/rational.h"

#include <string.h>

#include <flint/fmpz.h>

#include "core/lp_exact.h"

/* A decimal with more digits, or a power beyond this, is no number here (it would cost much and is not met).
 */
enum { MOST_DIGITS = 60, MOST_POWER = 60 };

bool hysi_rational_decimal(fmpq_t out, const char *text, size_t length) {
  char digits[MOST_DIGITS + 1];
  size_t n = 0, i = 0;
  long exponent = 0, written = 0;
  bool point = false, negative = false;
  fmpz_t power;

  for (; i < length && text[i] != 'e' && text[i] != 'E'; i++) {
    if (text[i] == '.') {
      point = true;
      continue;
    }
    if (text[i] < '0' || text[i] > '9' || n == MOST_DIGITS)
      return false;
    digits[n++] = text[i];
    exponent -= point;
  }
  for (i++; i < length; i++) {
    if (text[i] == '-')
      negative = true;
    else if (text[i] >= '0' && text[i] <= '9' && written < 10000)
      written = 10 * written + (text[i] - '0');
  }
  exponent += negative ? -written : written;
  digits[n] = '\0';
  if (n == 0 || exponent > MOST_POWER || exponent < -MOST_POWER - MOST_DIGITS)
    return false;
  fmpq_zero(out);
  if (fmpz_set_str(fmpq_numref(out), digits, 10) != 0)
    return false;
  fmpz_init(power);
  fmpz_set_ui(power, 10);
  fmpz_pow_ui(power, power, (ulong)(exponent < 0 ? -exponent : exponent));
  if (exponent < 0)
    fmpq_div_fmpz(out, out, power);
  else
    fmpq_mul_fmpz(out, out, power);
  fmpz_clear(power);
  return true;
}

bool hysi_rational_constant(fmpq_t out, const hys_expr_node *k) {
  hys_interval around;

  if (k->text != NULL && hysi_rational_decimal(out, k->text, k->length)) {
    around = hysi_lp_enclosure(out);
    if (around.lo >= k->value.lo && around.hi <= k->value.hi) /* it is this one that was written */
      return true;
  }
  if (k->value.lo != k->value.hi)
    return false;
  hysi_lp_from_double(out, k->value.lo);
  return true;
}

static bool is_constant(const fmpq *row, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!fmpq_is_zero(row + i))
      return false;
  return true;
}

/* to = by * from. */
static void scale(fmpq *to, const fmpq *from, size_t count, const fmpq_t by) {
  for (size_t i = 0; i < count; i++)
    fmpq_mul(to + i, from + i, by);
}

/* The node's row from those of its children; false: not affine, or not exact. */
static bool node_row(const hys_expr_node *k, size_t n, const fmpq *a, const fmpq *b, fmpq *out) {
  fmpq_t by;
  bool good = true;

  switch ((hys_expr_op)k->op) {
  case HYS_EXPR_CONSTANT:
    return hysi_rational_constant(out + n, k);
  case HYS_EXPR_VARIABLE:
    if (k->a >= n)
      return false;
    fmpq_one(out + k->a);
    return true;
  case HYS_EXPR_NEG:
    for (size_t i = 0; i <= n; i++)
      fmpq_sub(out + i, out + i, a + i);
    return true;
  case HYS_EXPR_ADD:
    for (size_t i = 0; i <= n; i++)
      fmpq_add(out + i, a + i, b + i);
    return true;
  case HYS_EXPR_SUB:
    for (size_t i = 0; i <= n; i++)
      fmpq_sub(out + i, a + i, b + i);
    return true;
  case HYS_EXPR_MUL:
    if (is_constant(a, n))
      scale(out, b, n + 1, a + n);
    else if (is_constant(b, n))
      scale(out, a, n + 1, b + n);
    else
      good = false;
    return good;
  case HYS_EXPR_DIV:
    if (!is_constant(b, n) || fmpq_is_zero(b + n))
      return false;
    fmpq_init(by);
    fmpq_inv(by, b + n);
    scale(out, a, n + 1, by);
    fmpq_clear(by);
    return true;
  default:
    return false;
  }
}

hys_status hysi_rational_affine(const hys_expr *e, size_t n, fmpq *coef, bool *exact,
                                const hys_allocator *allocator) {
  const uint32_t root = e->n - 1, first = hys_expr_first(e, root);
  const size_t nodes = root - first + 1, width = n + 1;
  fmpq *row = hys_allocate(allocator, nodes * width * sizeof *row);

  *exact = row != NULL;
  if (row == NULL)
    return HYS_ERR_MEMORY;
  for (size_t i = 0; i < nodes * width; i++)
    fmpq_init(row + i);
  for (uint32_t i = first; i <= root && *exact; i++) {
    const hys_expr_node *k = &e->node[i];
    const bool leaf = k->op == HYS_EXPR_CONSTANT || k->op == HYS_EXPR_VARIABLE, one = k->op == HYS_EXPR_NEG;
    const bool two =
        k->op == HYS_EXPR_ADD || k->op == HYS_EXPR_SUB || k->op == HYS_EXPR_MUL || k->op == HYS_EXPR_DIV;
    *exact = (leaf || one || two) &&
             node_row(k, n, one || two ? row + (k->a - first) * width : NULL,
                      two ? row + (k->b - first) * width : NULL, row + (i - first) * width);
  }
  for (size_t i = 0; i < width && *exact; i++)
    fmpq_set(coef + i, row + (nodes - 1) * width + i);
  for (size_t i = 0; i < nodes * width; i++)
    fmpq_clear(row + i);
  hys_release(allocator, row);
  return HYS_OK;
}
