/* For the property tests of intervals: exact intervals, whose ends are arf, which holds every double, every
 * product and sum of doubles, and the infinities; and what a result is held against. */
#ifndef HYSHIELD_TESTS_PROP_EXACT_SUPPORT_H
#define HYSHIELD_TESTS_PROP_EXACT_SUPPORT_H

#include "tests/prop/arb_support.h"

#define INF HYSI_INF

typedef struct exact {
  arf_t lo, hi;
} exact;

static exact ref; /* what the test at hand compares with */
static arf_t scratch, scratch2;
static arb_t ball, ball2, ball3;

static inline void setup(void) {
  arf_init(ref.lo);
  arf_init(ref.hi);
  arf_init(scratch);
  arf_init(scratch2);
  arb_init(ball);
  arb_init(ball2);
  arb_init(ball3);
  expect_begin();
}
static inline void teardown(void) {
  expect_end();
  arf_clear(ref.lo);
  arf_clear(ref.hi);
  arf_clear(scratch);
  arf_clear(scratch2);
  arb_clear(ball);
  arb_clear(ball2);
  arb_clear(ball3);
  flint_cleanup();
}

/* The greatest double that is not above x, the least that is not below; infinity is no lower bound. */
static inline double floor_double(const arf_t x) {
  if (arf_is_neg_inf(x))
    return -INF;
  if (arf_is_pos_inf(x))
    return DBL_MAX;
  double d = arf_get_d(x, ARF_RND_FLOOR);
  if (d > DBL_MAX)
    d = DBL_MAX;
  while (arf_cmp_d(x, d) < 0)
    d = nextafter(d, -INF);
  while (d < DBL_MAX && arf_cmp_d(x, nextafter(d, INF)) >= 0)
    d = nextafter(d, INF);
  return d;
}
static inline double ceil_double(const arf_t x) {
  arf_t y;
  arf_init(y);
  arf_neg(y, x);
  const double d = -floor_double(y);
  arf_clear(y);
  return d;
}

/* The gate looks for the text of a failed ENCLOSED. */
#define ENCLOSED(cond, ...)                                                                                  \
  do {                                                                                                       \
    if (!(cond)) {                                                                                           \
      check_label(__VA_ARGS__);                                                                              \
      wrong("exact value inside");                                                                           \
    }                                                                                                        \
  } while (0)

/* The result encloses ref, with each bound at most `slack` doubles beyond the best one (< 0: any). */
static inline bool encloses(hys_interval r) {
  return arf_cmp_d(ref.lo, r.lo) >= 0 && arf_cmp_d(ref.hi, r.hi) <= 0;
}
static inline bool tight(hys_interval r, int slack) {
  return r.lo >= outward(floor_double(ref.lo), -INF, slack) &&
         r.hi <= outward(ceil_double(ref.hi), INF, slack);
}
static inline bool well_formed(hys_interval r) {
  return r.lo <= r.hi && r.lo < INF && r.hi > -INF;
}

static inline void expect_result(const char *op, hys_interval a, hys_interval b, hys_interval r, int slack) {
  EXPECT(well_formed(r), "%s [%a,%a] [%a,%a] = [%a,%a]", op, a.lo, a.hi, b.lo, b.hi, r.lo, r.hi);
  ENCLOSED(encloses(r), "%s [%a,%a] [%a,%a] = [%a,%a]", op, a.lo, a.hi, b.lo, b.hi, r.lo, r.hi);
  if (slack >= 0)
    EXPECT(tight(r, slack), "%s [%a,%a] [%a,%a] = [%a,%a]", op, a.lo, a.hi, b.lo, b.hi, r.lo, r.hi);
}

static inline void ref_set(double lo, double hi) {
  arf_set_d(ref.lo, lo);
  arf_set_d(ref.hi, hi);
}
static inline void ref_begin(void) {
  arf_pos_inf(ref.lo);
  arf_neg_inf(ref.hi);
}
static inline void ref_include(const arf_t lo, const arf_t hi) {
  if (arf_cmp(lo, ref.lo) < 0)
    arf_set(ref.lo, lo);
  if (arf_cmp(hi, ref.hi) > 0)
    arf_set(ref.hi, hi);
}
static inline void ref_include_ball(const arb_t b, slong prec) {
  arb_get_lbound_arf(scratch, b, prec);
  arb_get_ubound_arf(scratch2, b, prec);
  ref_include(scratch, scratch2);
}

#endif
