/* A polyhedron is the slice x[0] = 1 of a cone in n + 1 dimensions: a row is a vector c with c . x >= 0 (the
 * bound is c[0], the coefficients are minus c[1..]), a generator a vector of the cone: a point where its
 * first number is positive, else a ray or line.  Both lists are of whole numbers without common factor.  Rows
 * and generators are dual: one conversion serves both ways. */
#include "core/polyhedron.h"

#include <float.h>
#include <math.h>
#include <string.h>

#if defined(HAVE_FLINT_ARB_MAT_H)
#include <flint/arb.h>
#else
#include <arb.h>
#endif
#include <flint/fmpz_vec.h>

#include "core/lp_exact.h"
#include "core/polyhedron_internal.h"

enum { MOST_CORNERS = 10 };

struct hysi_polyhedron {
  const hys_allocator *allocator;
  size_t n, d;
  hysi_vectors row, generator;
  /* Which of the two is up to date (one of them is), and without superfluous ones. */
  bool has_rows, has_generators, least_rows, least_generators;
};

/* count rationals times their common denominator. */
static void whole(const fmpq *from, size_t count, fmpz *to, fmpz_t denominator) {
  fmpz_t factor;

  fmpz_init(factor);
  fmpz_one(denominator);
  for (size_t i = 0; i < count; i++)
    fmpz_lcm(denominator, denominator, fmpq_denref(from + i));
  for (size_t i = 0; i < count; i++) {
    fmpz_divexact(factor, denominator, fmpq_denref(from + i));
    fmpz_mul(to + i, fmpq_numref(from + i), factor);
  }
  fmpz_clear(factor);
}

/* ---- the two descriptions ---- */

static hys_status set_empty(hysi_polyhedron *p) {
  fmpz *v;
  hys_status status;

  p->row.n = 0;
  p->generator.n = 0;
  status = hysi_vectors_append(p->allocator, &p->row, p->d, false, false, &v);
  if (status != HYS_OK)
    return status;
  _fmpz_vec_zero(v, (slong)p->d);
  fmpz_set_si(v, -1);
  p->has_rows = p->has_generators = p->least_rows = p->least_generators = true;
  return HYS_OK;
}

/* Some point satisfies the strict rows strictly: for each there is a generator that does, and the sum of all
 * does for all. */
static bool strictly(const hysi_polyhedron *p) {
  bool all = true;
  fmpz_t dot;

  fmpz_init(dot);
  for (size_t k = 0; k < p->row.n && all; k++) {
    bool some = !p->row.strict[k];
    for (size_t g = 0; g < p->generator.n && !some; g++) {
      _fmpz_vec_dot(dot, p->row.v + k * p->d, p->generator.v + g * p->d, (slong)p->d);
      some = !fmpz_is_zero(dot);
    }
    all = some;
  }
  fmpz_clear(dot);
  return all;
}

static hys_status make_generators(hysi_polyhedron *p) {
  bool point = false;
  hys_status status;

  if (p->has_generators)
    return HYS_OK;
  status = hysi_polyhedron_convert(p->allocator, p->d, &p->row, true, &p->generator);
  if (status != HYS_OK)
    return status;
  for (size_t g = 0; g < p->generator.n && !point; g++)
    point = fmpz_sgn(p->generator.v + g * p->d) > 0;
  if (!point || !strictly(p))
    return set_empty(p);
  for (size_t k = 0; k < p->row.n; k++)
    p->row.strict[k] = false;
  p->has_generators = p->least_generators = true;
  return HYS_OK;
}

static hys_status make_rows(hysi_polyhedron *p) {
  hys_status status;

  if (p->has_rows)
    return HYS_OK;
  if (p->generator.n == 0)
    return set_empty(p);
  status = hysi_polyhedron_convert(p->allocator, p->d, &p->generator, false, &p->row);
  if (status == HYS_OK)
    p->has_rows = p->least_rows = true;
  return status;
}

hys_status hysi_polyhedron_close(hysi_polyhedron *p) {
  hys_status status = make_generators(p);

  if (status == HYS_OK && !p->least_rows) {
    p->has_rows = false;
    status = make_rows(p);
  }
  if (status == HYS_OK && !p->least_generators) {
    p->has_generators = false;
    status = make_generators(p);
  }
  return status;
}

/* ---- the calls ---- */

hys_status hysi_polyhedron_create(hysi_polyhedron **out, size_t n, bool all, const hys_allocator *allocator) {
  hysi_polyhedron *p;
  hys_status status = HYS_OK;

  if (out == NULL || n > HYSI_POLYHEDRON_MAX_VARIABLES)
    return HYS_ERR_ARG;
  *out = NULL;
  p = hys_allocate(allocator, sizeof *p);
  if (p == NULL)
    return HYS_ERR_MEMORY;
  memset(p, 0, sizeof *p);
  p->allocator = allocator;
  p->n = n;
  p->d = n + 1;
  p->has_rows = true; /* none at all */
  if (!all)
    status = set_empty(p);
  if (status != HYS_OK)
    hysi_polyhedron_destroy(p);
  else
    *out = p;
  return status;
}

hys_status hysi_polyhedron_copy(hysi_polyhedron **out, const hysi_polyhedron *from) {
  hysi_polyhedron *p;
  hys_status status = hysi_polyhedron_create(&p, from->n, true, from->allocator);

  *out = NULL;
  if (status != HYS_OK)
    return status;
  status = hysi_vectors_copy(p->allocator, &p->row, &from->row, p->d);
  if (status == HYS_OK)
    status = hysi_vectors_copy(p->allocator, &p->generator, &from->generator, p->d);
  if (status != HYS_OK) {
    hysi_polyhedron_destroy(p);
    return status;
  }
  p->has_rows = from->has_rows;
  p->has_generators = from->has_generators;
  p->least_rows = from->least_rows;
  p->least_generators = from->least_generators;
  *out = p;
  return HYS_OK;
}

void hysi_polyhedron_destroy(hysi_polyhedron *p) {
  if (p == NULL)
    return;
  hysi_vectors_clear(p->allocator, &p->row, p->d);
  hysi_vectors_clear(p->allocator, &p->generator, p->d);
  hys_release(p->allocator, p);
}

/* The vector of `first` and n rationals, reduced, appended to a list; sign: of the n. */
static hys_status take(hysi_polyhedron *p, hysi_vectors *to, const fmpq_t first, const fmpq *rest, int sign,
                       bool full, bool strict) {
  fmpz *v;
  fmpz_t denominator, factor;
  hys_status status = hysi_vectors_append(p->allocator, to, p->d, full, strict, &v);

  if (status != HYS_OK)
    return status;
  fmpz_init(denominator);
  fmpz_init(factor);
  whole(rest, p->n, v + 1, denominator);
  fmpz_mul(v, fmpq_numref(first), denominator);
  for (size_t i = 1; i < p->d; i++) {
    fmpz_mul(v + i, v + i, fmpq_denref(first));
    if (sign < 0)
      fmpz_mul_si(v + i, v + i, -1);
  }
  hysi_vector_reduce(v, p->d);
  fmpz_clear(denominator);
  fmpz_clear(factor);
  return HYS_OK;
}

hys_status hysi_polyhedron_cut(hysi_polyhedron *p, const fmpq *row, const fmpq_t bound,
                               hys_lp_relation relation) {
  hys_status status = make_rows(p);

  if (status == HYS_OK)
    status = take(p, &p->row, bound, row, -1, relation == HYS_LP_EQ, relation == HYS_LP_LT);
  if (status == HYS_OK)
    p->has_generators = p->least_generators = p->least_rows = false;
  return status;
}

hys_status hysi_polyhedron_add(hysi_polyhedron *p, hysi_generator kind, const fmpq *generator) {
  fmpq_t first;
  hys_status status = make_generators(p);

  if (status != HYS_OK || (kind != HYSI_POINT && p->generator.n == 0))
    return status;
  fmpq_init(first);
  if (kind == HYSI_POINT)
    fmpq_one(first);
  status = take(p, &p->generator, first, generator, 1, kind == HYSI_LINE, false);
  fmpq_clear(first);
  if (status == HYS_OK)
    p->has_rows = p->least_rows = p->least_generators = false;
  return status;
}

hys_status hysi_polyhedron_join(hysi_polyhedron *p, const hysi_polyhedron *q) {
  hys_status status = make_generators(p);

  if (p->n != q->n || !q->has_generators)
    return HYS_ERR_ARG;
  for (size_t k = 0; k < q->generator.n && status == HYS_OK; k++) {
    fmpz *v;
    status = hysi_vectors_append(p->allocator, &p->generator, p->d, q->generator.full[k], false, &v);
    if (status == HYS_OK)
      _fmpz_vec_set(v, q->generator.v + k * p->d, (slong)p->d);
  }
  if (status == HYS_OK)
    p->has_rows = p->least_rows = p->least_generators = false;
  return status;
}

static bool wide(hys_interval v) {
  return isfinite(v.lo) && isfinite(v.hi) && v.lo < v.hi;
}

/* Appends the images of all generators, with add[i] at one of its ends each (bit k of corner: of the k-th
 * one that has two). */
static hys_status image(hysi_polyhedron *p, const fmpq *const *matrix, const hys_interval *add,
                        unsigned corner, fmpq *number, fmpz *map, hysi_vectors *to) {
  const size_t n = p->n, d = p->d;
  fmpz_t denominator;
  fmpq_t end;
  hys_status status = HYS_OK;

  fmpz_init(denominator);
  fmpq_init(end);
  for (size_t i = 0; i < n; i++) {
    fmpq *row = number + i * d; /* the constant, then the coefficients */
    for (size_t k = 0; k < d; k++)
      fmpq_zero(row + k);
    if (matrix[i] == NULL) {
      fmpq_one(row + 1 + i);
      continue;
    }
    for (size_t k = 0; k < n; k++)
      fmpq_set(row + 1 + k, matrix[i] + k);
    hysi_lp_from_double(end, isfinite(add[i].lo) && !(wide(add[i]) && (corner & 1U) != 0) ? add[i].lo
                             : isfinite(add[i].hi)                                        ? add[i].hi
                                                                                          : 0.0);
    corner >>= wide(add[i]);
    fmpq_add(row, matrix[i] + n, end);
  }
  whole(number, n * d, map, denominator);
  for (size_t g = 0; g < p->generator.n && status == HYS_OK; g++) {
    const fmpz *from = p->generator.v + g * d;
    fmpz *v;
    status = hysi_vectors_append(p->allocator, to, d, p->generator.full[g], false, &v);
    if (status != HYS_OK)
      break;
    fmpz_mul(v, from, denominator);
    for (size_t i = 0; i < n; i++)
      _fmpz_vec_dot(v + 1 + i, map + i * d, from, (slong)d);
    hysi_vector_reduce(v, d);
    if (_fmpz_vec_is_zero(v, (slong)d))
      to->n--; /* a ray that goes nowhere now */
  }
  fmpz_clear(denominator);
  fmpq_clear(end);
  return status;
}

hys_status hysi_polyhedron_map(hysi_polyhedron *p, const fmpq *const *matrix, const hys_interval *add) {
  const size_t n = p->n, d = p->d;
  fmpq *number;
  fmpz *map;
  hysi_vectors to = {NULL, NULL, NULL, 0, 0};
  unsigned count = 0;
  hys_status status = make_generators(p);

  for (size_t i = 0; i < n; i++) {
    if (matrix[i] != NULL && hys_interval_is_empty(add[i]))
      return HYS_ERR_ARG;
    count += matrix[i] != NULL && wide(add[i]);
  }
  if (count > MOST_CORNERS)
    return HYS_ERR_LIMIT;
  if (status != HYS_OK || p->generator.n == 0)
    return status;
  number = hys_allocate(p->allocator, (n * d + 1) * sizeof *number);
  map = hys_allocate(p->allocator, (n * d + 1) * sizeof *map);
  if (number == NULL || map == NULL) {
    hys_release(p->allocator, number);
    hys_release(p->allocator, map);
    return HYS_ERR_MEMORY;
  }
  for (size_t i = 0; i < n * d; i++) {
    fmpz_init(map + i);
    fmpq_init(number + i);
  }
  for (unsigned corner = 0; corner < 1U << count && status == HYS_OK; corner++)
    status = image(p, matrix, add, corner, number, map, &to);
  for (size_t i = 0; i < n && status == HYS_OK; i++) {
    const bool below = matrix[i] != NULL && isinf(add[i].lo), above = matrix[i] != NULL && isinf(add[i].hi);
    fmpz *v;
    if (!below && !above)
      continue;
    status = hysi_vectors_append(p->allocator, &to, d, below && above, false, &v);
    if (status != HYS_OK)
      break;
    _fmpz_vec_zero(v, (slong)d);
    fmpz_set_si(v + 1 + i, above ? 1 : -1);
  }
  for (size_t i = 0; i < n * d; i++) {
    fmpz_clear(map + i);
    fmpq_clear(number + i);
  }
  hys_release(p->allocator, number);
  hys_release(p->allocator, map);
  if (status != HYS_OK) {
    hysi_vectors_clear(p->allocator, &to, d);
    return status;
  }
  hysi_vectors_clear(p->allocator, &p->generator, d);
  p->generator = to;
  p->has_rows = p->least_rows = p->least_generators = false;
  return HYS_OK;
}

bool hysi_polyhedron_is_empty(const hysi_polyhedron *p) {
  return p->generator.n == 0;
}

size_t hysi_polyhedron_generators(const hysi_polyhedron *p) {
  return p->generator.n;
}

size_t hysi_polyhedron_rows(const hysi_polyhedron *p) {
  return p->row.n;
}

bool hysi_polyhedron_holds(const hysi_polyhedron *p, const hysi_polyhedron *q) {
  bool holds = true;
  fmpz_t dot;

  fmpz_init(dot);
  for (size_t g = 0; g < q->generator.n && holds; g++)
    for (size_t k = 0; k < p->row.n && holds; k++) {
      int sign;
      _fmpz_vec_dot(dot, p->row.v + k * p->d, q->generator.v + g * p->d, (slong)p->d);
      sign = fmpz_sgn(dot);
#ifdef HYS_PLANT_POLYHEDRON_HOLDS
      holds = sign >= 0;
#else
      holds = sign == 0 || (sign > 0 && !p->row.full[k] && !q->generator.full[g]);
#endif
    }
  fmpz_clear(dot);
  return holds;
}

/* The quotient of two whole numbers, rounded down or up. */
static double quotient(const fmpz_t a, const fmpz_t b, arf_rnd_t rounding) {
  arf_t p, q;
  double v;

  arf_init(p);
  arf_init(q);
  arf_set_fmpz(p, a);
  arf_set_fmpz(q, b);
  arf_div(p, p, q, 2 * DBL_MANT_DIG, rounding);
  v = arf_get_d(p, rounding);
  arf_clear(p);
  arf_clear(q);
  return v;
}

hys_interval hysi_polyhedron_bounds(const hysi_polyhedron *p, size_t i) {
  hys_interval all = hys_interval_empty();

  for (size_t g = 0; g < p->generator.n; g++) {
    const fmpz *v = p->generator.v + g * p->d;
    const int sign = fmpz_sgn(v + 1 + i);
    hys_interval one;
    if (fmpz_is_zero(v)) {
      if (sign == 0)
        continue;
      all = hys_interval_hull(all, p->generator.full[g] ? hys_interval_entire()
                                   : sign > 0           ? hys_interval_make(DBL_MAX, HYSI_INF)
                                                        : hys_interval_make(-HYSI_INF, -DBL_MAX));
      continue;
    }
    one = hys_interval_make(quotient(v + 1 + i, v, ARF_RND_FLOOR), quotient(v + 1 + i, v, ARF_RND_CEIL));
    all = hys_interval_hull(all, one);
  }
  return all;
}
