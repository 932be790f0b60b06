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

hys_interval hys_box_dot(const hys_interval *row, const hys_interval *x, size_t n) {
  hys_interval sum = hysi_pair(0.0, 0.0);
  for (size_t i = 0; i < n; i++) {
    if (row[i].lo == 0.0 && row[i].hi == 0.0) {
      if (hys_interval_is_empty(x[i]))
        return x[i];
      continue;
    }
    sum = hys_interval_add(sum, hys_interval_mul(row[i], x[i]));
  }
  return sum;
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
