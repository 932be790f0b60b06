/* Boxes: membership of random points, exact products by Arb, every pattern of aliasing. */
#include "core/rt/box.h"
#include "tests/prop/arb_support.h"
#include "tests/support/check.h"

enum { MAX = 6, CASES = 50000 };

#define INF HYSI_INF

static void random_box(hys_interval *a, size_t n) {
  for (size_t i = 0; i < n; i++)
    a[i] = rng_interval();
}

/* As a caller that knows nothing of the one form might leave it: some component is empty. */
static void maybe_spoil(hys_interval *a, size_t n) {
  if (n > 0 && rng_below(5) == 0)
    a[rng_below((unsigned)n)] = hys_interval_empty();
}

static bool same(const hys_interval *a, const hys_interval *b, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!hys_interval_equal(a[i], b[i]))
      return false;
  return true;
}

/* The same sets: the two zeros are alike. */
static bool alike(const hys_interval *a, const hys_interval *b, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (a[i].lo != b[i].lo || a[i].hi != b[i].hi)
      return false;
  return true;
}

static bool canonical(const hys_interval *a, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (a[i].lo != INF || a[i].hi != -INF)
      return false;
  return n > 0;
}

/* ---------------------------------------------------------------------------------------------------------
 * Sets. */

static void set_operations_agree_with_points(void) {
  expect_begin();
  for (unsigned s = 0; s < SEEDS; s++) {
    rng_state = seed_of(s);
    for (unsigned c = 0; c < CASES; c++) {
      hys_interval a[MAX], b[MAX], h[MAX], x[MAX], copy[MAX];
      double p[MAX], m[MAX];
      const size_t n = rng_below(MAX + 1);
      random_box(a, n);
      if (rng_below(2))
        random_box(b, n);
      else
        for (size_t i = 0; i < n; i++)
          b[i] = rng_subset(a[i]);
      for (size_t i = 0; i < n; i++)
        p[i] = rng_member(a[i]);
      bool in_b = true;
      for (size_t i = 0; i < n; i++)
        in_b = in_b && b[i].lo <= p[i] && p[i] <= b[i].hi;
#define HOLDS(cond) EXPECT(cond, "seed %u case %u n %zu", s, c, n)
      HOLDS(hys_box_contains_surely(a, p, n));
      HOLDS(hys_box_contains_surely(b, p, n) == in_b);
      hys_box_mid(m, a, n);
      HOLDS(hys_box_contains_surely(a, m, n));
      hys_box_hull(h, a, b, n);
      HOLDS(hys_box_contains_surely(h, p, n));
      HOLDS(hys_box_inside_surely(a, h, n) && hys_box_inside_surely(b, h, n));
      const bool met = hys_box_intersect(x, a, b, n);
      HOLDS(hys_box_contains_surely(x, p, n) == in_b);
      HOLDS(met == hys_box_meets_maybe(a, b, n) && met == !hys_box_disjoint_surely(a, b, n));
      HOLDS(met == !hys_box_is_empty(x, n) && (met || canonical(x, n)));
      if (met)
        HOLDS(hys_box_inside_surely(x, a, n) && hys_box_inside_surely(x, b, n));
      if (hys_box_inside_surely(a, b, n))
        HOLDS(in_b && alike(h, b, n) && alike(x, a, n));
      hys_box_copy(copy, a, n);
      HOLDS(same(copy, a, n));
#undef HOLDS
    }
  }
  expect_end();
}

static void empty_boxes_certify_nothing(void) {
  expect_begin();
  for (unsigned s = 0; s < SEEDS; s++) {
    rng_state = seed_of(s);
    for (unsigned c = 0; c < CASES / 4; c++) {
      hys_interval a[MAX], b[MAX], r[MAX];
      double p[MAX];
      const size_t n = 1 + rng_below(MAX);
      random_box(a, n);
      random_box(b, n);
      for (size_t i = 0; i < n; i++)
        p[i] = rng_member(a[i]);
      a[rng_below((unsigned)n)] = hys_interval_empty();
#define HOLDS(cond) EXPECT(cond, "seed %u case %u n %zu", s, c, n)
      HOLDS(hys_box_is_empty(a, n) && !hys_box_contains_surely(a, p, n));
      HOLDS(!hys_box_inside_surely(a, b, n) && !hys_box_inside_surely(b, a, n) &&
            !hys_box_inside_surely(a, a, n));
      HOLDS(!hys_box_meets_maybe(a, b, n) && !hys_box_meets_maybe(b, a, n));
      HOLDS(!hys_box_disjoint_surely(a, b, n) && !hys_box_disjoint_surely(b, a, n));
      hys_box_copy(r, a, n);
      HOLDS(canonical(r, n));
      hys_box_hull(r, a, b, n);
      HOLDS(same(r, b, n));
      hys_box_hull(r, b, a, n);
      HOLDS(same(r, b, n));
      hys_box_hull(r, a, a, n);
      HOLDS(canonical(r, n));
      HOLDS(!hys_box_intersect(r, a, b, n) && canonical(r, n));
      HOLDS(!hys_box_intersect(r, b, a, n) && canonical(r, n));
      hys_box_mid(p, a, n);
      HOLDS(p[0] != p[0] && p[n - 1] != p[n - 1]);
      hys_box_set_empty(r, n);
      HOLDS(canonical(r, n));
      hys_box_set_entire(r, n);
      HOLDS(hys_box_inside_surely(b, r, n));
      hys_interval M[MAX], d[1];
      random_box(M, n);
      HOLDS(hys_box_affine(d, M, a, 1, n) && canonical(d, 1));
      for (size_t i = 0; i < n; i++)
        M[i] = hys_interval_point(0.0);
      HOLDS(canonical((d[0] = hys_box_dot(M, a, n), d), 1));
      M[rng_below((unsigned)n)] = hys_interval_empty();
      HOLDS(hys_box_affine(d, M, b, 1, n) && canonical(d, 1));
#undef HOLDS
    }
  }
  expect_end();
}

/* out may be a, b or both. */
static void aliases_change_nothing(void) {
  expect_begin();
  for (unsigned s = 0; s < SEEDS; s++) {
    rng_state = seed_of(s);
    for (unsigned c = 0; c < CASES; c++) {
      hys_interval a[MAX], b[MAX], want[MAX], got[MAX];
      const size_t n = rng_below(MAX + 1);
      random_box(a, n);
      random_box(b, n);
      maybe_spoil(a, n);
      maybe_spoil(b, n);
#define PATTERN(call_ab, call_out_b, call_a_out, call_aa, call_out_out)                                      \
  do {                                                                                                       \
    call_ab;                                                                                                 \
    memcpy(got, a, sizeof got);                                                                              \
    call_out_b;                                                                                              \
    EXPECT(same(got, want, n), "out == a, seed %u case %u n %zu", s, c, n);                                  \
    memcpy(got, b, sizeof got);                                                                              \
    call_a_out;                                                                                              \
    EXPECT(same(got, want, n), "out == b, seed %u case %u n %zu", s, c, n);                                  \
    call_aa;                                                                                                 \
    memcpy(got, a, sizeof got);                                                                              \
    call_out_out;                                                                                            \
    EXPECT(same(got, want, n), "out == a == b, seed %u case %u n %zu", s, c, n);                             \
  } while (0)
      memset(a + n, 0, (MAX - n) * sizeof *a);
      memset(b + n, 0, (MAX - n) * sizeof *b);
      PATTERN(hys_box_hull(want, a, b, n), hys_box_hull(got, got, b, n), hys_box_hull(got, a, got, n),
              hys_box_hull(want, a, a, n), hys_box_hull(got, got, got, n));
      PATTERN(hys_box_intersect(want, a, b, n), hys_box_intersect(got, got, b, n),
              hys_box_intersect(got, a, got, n), hys_box_intersect(want, a, a, n),
              hys_box_intersect(got, got, got, n));
#undef PATTERN
      hys_box_copy(want, a, n);
      memcpy(got, a, sizeof got);
      hys_box_copy(got, got, n);
      EXPECT(same(got, want, n), "copy to itself, seed %u case %u n %zu", s, c, n);
      hys_interval long_one[MAX + 1] = {{0.0, 0.0}};
      memcpy(long_one, a, sizeof a);
      hys_box_copy(long_one + 1, long_one, n);
      EXPECT(same(long_one + 1, want, n), "copy up, seed %u case %u n %zu", s, c, n);
    }
  }
  expect_end();
}

/* ---------------------------------------------------------------------------------------------------------
 * Products. */

/* sum p[i] v[i], exactly. */
static void exact_dot(arf_t sum, const double *p, const double *v, size_t n) {
  arf_t x, y;
  arf_init(x);
  arf_init(y);
  arf_zero(sum);
  for (size_t i = 0; i < n; i++) {
    arf_set_d(x, p[i]);
    arf_set_d(y, v[i]);
    arf_addmul(sum, x, y, ARF_PREC_EXACT, ARF_RND_DOWN);
  }
  arf_clear(x);
  arf_clear(y);
}

static hys_interval random_entry(void) {
  switch (rng_below(4)) {
  case 0:
    return hys_interval_point(0.0);
  case 1:
    return hys_interval_point(rng_double());
  case 2:
    return hys_interval_point(rng_unit() - 0.5);
  default:
    return rng_interval();
  }
}

static void affine_encloses_products_of_members(void) {
  arf_t sum;
  arf_init(sum);
  expect_begin();
  for (unsigned s = 0; s < SEEDS; s++) {
    rng_state = seed_of(s);
    for (unsigned c = 0; c < CASES; c++) {
      hys_interval M[MAX * MAX], x[MAX], out[MAX];
      double p[MAX], v[MAX];
      const size_t rows = rng_below(MAX + 1), cols = rng_below(MAX + 1);
      for (size_t i = 0; i < rows * cols; i++)
        M[i] = random_entry();
      random_box(x, cols);
      for (size_t j = 0; j < cols; j++)
        v[j] = rng_member(x[j]);
      EXPECT(hys_box_affine(out, M, x, rows, cols), "seed %u case %u", s, c);
      for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < cols; j++)
          p[j] = rng_member(M[i * cols + j]);
        exact_dot(sum, p, v, cols);
        EXPECT(arf_cmp_d(sum, out[i].lo) >= 0 && arf_cmp_d(sum, out[i].hi) <= 0,
               "seed %u case %u row %zu: [%a,%a]", s, c, i, out[i].lo, out[i].hi);
        EXPECT(hys_interval_equal(out[i], hys_box_dot(M + i * cols, x, cols)), "seed %u case %u", s, c);
      }
    }
  }
  expect_end();
  arf_clear(sum);
}

/* Points: the result is within the documented bound of the exact sum, and its extremes are reached. */
static void dot_is_tight(void) {
  arf_t sum, bound, t;
  arf_init(sum);
  arf_init(bound);
  arf_init(t);
  expect_begin();
  for (unsigned s = 0; s < SEEDS; s++) {
    rng_state = seed_of(s);
    for (unsigned c = 0; c < CASES; c++) {
      hys_interval row[40], x[40];
      double p[40], v[40], size = 0.0, k = 0.0;
      const size_t n = rng_below(41);
      for (size_t j = 0; j < n; j++) {
        p[j] = rng_below(3) ? (rng_unit() - 0.5) * ldexp(1.0, (int)rng_below(60) - 30) : 0.0;
        v[j] = (rng_unit() - 0.5) * ldexp(1.0, (int)rng_below(60) - 30);
        row[j] = hys_interval_point(p[j]);
        x[j] = hys_interval_point(v[j]);
        size += fabs(p[j] * v[j]);
        k += p[j] != 0.0 ? 1.0 : 0.0;
      }
      const hys_interval r = hys_box_dot(row, x, n);
      exact_dot(sum, p, v, n);
      EXPECT(arf_cmp_d(sum, r.lo) >= 0 && arf_cmp_d(sum, r.hi) <= 0, "seed %u case %u", s, c);
      EXPECT(r.hi - r.lo <= 2.0 * (k + 2.0) * 0x1p-52 * size, "seed %u case %u: %a, %a", s, c, r.hi - r.lo,
             size);
    }
  }
  expect_end();
  arf_clear(sum);
  arf_clear(bound);
  arf_clear(t);
}

static void affine_is_isotone(void) {
  expect_begin();
  for (unsigned s = 0; s < SEEDS; s++) {
    rng_state = seed_of(s);
    for (unsigned c = 0; c < CASES; c++) {
      hys_interval M[MAX], x[MAX], P[MAX], y[MAX];
      const size_t n = rng_below(MAX + 1);
      for (size_t j = 0; j < n; j++) {
        M[j] = random_entry();
        P[j] = rng_subset(M[j]);
      }
      random_box(x, n);
      for (size_t j = 0; j < n; j++)
        y[j] = rng_subset(x[j]);
      double size = 0.0;
      for (size_t j = 0; j < n; j++)
        if (M[j].lo != 0.0 || M[j].hi != 0.0)
          size += 4.0 * hys_interval_mag(M[j]) * hys_interval_mag(x[j]);
      if (!(size <= DBL_MAX))
        continue;
      const hys_interval large = hys_box_dot(M, x, n), small = hys_box_dot(P, y, n);
      EXPECT(hys_interval_inside_surely(small, large), "seed %u case %u: [%a,%a] in [%a,%a]", s, c, small.lo,
             small.hi, large.lo, large.hi);
    }
  }
  expect_end();
}

static void affine_refuses_overlap(void) {
  hys_interval pool[MAX * MAX + 2 * MAX];
  const size_t total = sizeof pool / sizeof pool[0];
  expect_begin();
  rng_state = 1;
  for (unsigned c = 0; c < CASES; c++) {
    const size_t rows = rng_below(MAX) + 1, cols = rng_below(MAX) + 1;
    const size_t m = rng_below((unsigned)(total - rows * cols + 1)),
                 x = rng_below((unsigned)(total - cols + 1)), out = rng_below((unsigned)(total - rows + 1));
    for (size_t i = 0; i < total; i++)
      pool[i] = hys_interval_point(1.0);
    bool overlaps = false;
    for (size_t i = out; i < out + rows; i++)
      overlaps = overlaps || (i >= m && i < m + rows * cols) || (i >= x && i < x + cols);
    EXPECT(hys_box_affine(pool + out, pool + m, pool + x, rows, cols) == !overlaps, "case %u", c);
    for (size_t i = 0; i < rows; i++) {
      const hys_interval r = pool[out + i];
      EXPECT(overlaps ? r.lo == -INF && r.hi == INF : hys_interval_contains_surely(r, (double)cols),
             "case %u", c);
    }
  }
  expect_end();
}

CHECK_MAIN("prop_box", {"set operations agree with points", set_operations_agree_with_points},
           {"empty boxes certify nothing", empty_boxes_certify_nothing},
           {"aliases change nothing", aliases_change_nothing},
           {"affine encloses products of members", affine_encloses_products_of_members},
           {"dot is tight", dot_is_tight}, {"affine is isotone", affine_is_isotone},
           {"affine refuses overlap", affine_refuses_overlap})
