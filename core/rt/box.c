#include "core/rt/box.h"

void hys_box_set_empty(hys_interval *out, size_t n) {
  for (size_t i = 0; i < n; i++)
    out[i] = hys_interval_empty();
}

void hys_box_set_entire(hys_interval *out, size_t n) {
  for (size_t i = 0; i < n; i++)
    out[i] = hys_interval_entire();
}

bool hys_box_is_empty(const hys_interval *a, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (hys_interval_is_empty(a[i]))
      return true;
  return false;
}

void hys_box_copy(hys_interval *out, const hys_interval *a, size_t n) {
  if (hys_box_is_empty(a, n))
    hys_box_set_empty(out, n);
  else if (n > 0)
    memmove(out, a, n * sizeof *a);
}

void hys_box_hull(hys_interval *out, const hys_interval *a, const hys_interval *b, size_t n) {
  if (hys_box_is_empty(a, n)) {
    hys_box_copy(out, b, n);
    return;
  }
  if (hys_box_is_empty(b, n)) {
    hys_box_copy(out, a, n);
    return;
  }
  for (size_t i = 0; i < n; i++)
    out[i] = hys_interval_hull(a[i], b[i]);
}

bool hys_box_intersect(hys_interval *out, const hys_interval *a, const hys_interval *b, size_t n) {
  bool nonempty = true;
  for (size_t i = 0; i < n; i++) {
    out[i] = hys_interval_intersect(a[i], b[i]);
    nonempty = nonempty && !hys_interval_is_empty(out[i]);
  }
  if (!nonempty)
    hys_box_set_empty(out, n);
  return nonempty;
}

/* a inside b and a not empty: then b is not empty either. */
bool hys_box_inside_surely(const hys_interval *a, const hys_interval *b, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!hys_interval_inside_surely(a[i], b[i]))
      return false;
  return true;
}

bool hys_box_meets_maybe(const hys_interval *a, const hys_interval *b, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!hys_interval_meets_maybe(a[i], b[i]))
      return false;
  return true;
}

bool hys_box_disjoint_surely(const hys_interval *a, const hys_interval *b, size_t n) {
  bool apart = false;
  for (size_t i = 0; i < n; i++) {
    if (hys_interval_disjoint_surely(a[i], b[i]))
      apart = true;
    else if (!hys_interval_meets_maybe(a[i], b[i]))
      return false; /* empty, or a NaN */
  }
  return apart;
}

bool hys_box_contains_surely(const hys_interval *a, const double *x, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!hys_interval_contains_surely(a[i], x[i]))
      return false;
  return true;
}

void hys_box_mid(double *out, const hys_interval *a, size_t n) {
  const bool empty = hys_box_is_empty(a, n);
  for (size_t i = 0; i < n; i++)
    out[i] = empty ? HYSI_NAN : hys_interval_mid(a[i]);
}

/* Every operation rounded outward by itself: for unbounded components, empty rows, and overflow. */
static hys_interval dot_by_steps(const hys_interval *row, const hys_interval *x, size_t n) {
  hys_interval sum = hysi_pair(0.0, 0.0);
  for (size_t i = 0; i < n; i++)
    if (row[i].lo != 0.0 || row[i].hi != 0.0)
      sum = hys_interval_add(sum, hys_interval_mul(row[i], x[i]));
  return sum;
}

/* Sums in round to nearest and one bound of the error at the end.  With u = 2^-53, k terms that are not zero
 * and q their rounded products: a product is off by u |q| + 2^-1075, their sum by (k - 1) u sum |q|, and sum
 * |q| <= size / (1 - (k - 1) u), size the rounded sum; in all at most (k + 1) u size + k 2^-1075 as long as 2
 * k^2 u <= 1.  (Jeannerod and Rump, Improved error bounds for inner products, 2013.) */
hys_interval hys_box_dot(const hys_interval *row, const hys_interval *x, size_t n) {
  double lo = 0.0, hi = 0.0, size = 0.0, finite = 0.0, terms = 0.0;
  size_t last = 0;
  for (size_t i = 0; i < n; i++) {
    if (hys_interval_is_empty(x[i]))
      return x[i];
    if (row[i].lo == 0.0 && row[i].hi == 0.0)
      continue;
    const double p = row[i].lo * x[i].lo, q = row[i].lo * x[i].hi;
    const double r = row[i].hi * x[i].lo, s = row[i].hi * x[i].hi;
    const double lo1 = p < q ? p : q, lo2 = r < s ? r : s, hi1 = p > q ? p : q, hi2 = r > s ? r : s;
    const double l = lo1 < lo2 ? lo1 : lo2, h = hi1 > hi2 ? hi1 : hi2;
    lo += l;
    hi += h;
    size += -l > h ? -l : h; /* the largest |q|, as l <= h */
    finite += (fabs(p) + fabs(q)) + (fabs(r) + fabs(s));
    terms += 1.0;
    last = i;
  }
  if (terms == 0.0)
    return hysi_pair(0.0, 0.0);
  if (terms == 1.0)
    return hys_interval_mul(row[last], x[last]);
  if (!(finite < HYSI_INF) || terms > 0x1p26)
    return dot_by_steps(row, x, n);
  const double error = hys_add_up(hys_mul_up((terms + 1.0) * 0x1p-53, size), terms * HYSI_MIN_SUBNORMAL);
  return hysi_pair(hys_sub_down(lo, error), hys_add_up(hi, error));
}

static bool overlap(const void *a, size_t size_a, const void *b, size_t size_b) {
  const uintptr_t p = (uintptr_t)a, q = (uintptr_t)b;
  return size_a > 0 && size_b > 0 && (p <= q ? q - p < size_a : p - q < size_b);
}

bool hys_box_affine(hys_interval *out, const hys_interval *M, const hys_interval *x, size_t rows,
                    size_t cols) {
  const size_t size = sizeof *out;
  if (overlap(out, rows * size, x, cols * size) || overlap(out, rows * size, M, rows * cols * size)) {
    hys_box_set_entire(out, rows);
    return false;
  }
  bool empty = hys_box_is_empty(x, cols);
  for (size_t i = 0; i < rows && !empty; i++) {
    out[i] = hys_box_dot(M + i * cols, x, cols);
    empty = hys_interval_is_empty(out[i]);
  }
  if (empty)
    hys_box_set_empty(out, rows);
  return true;
}
