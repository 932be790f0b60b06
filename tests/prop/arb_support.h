/* For the property tests of numbers: random operands with all the edges, and exact values by Arb. */
#ifndef HYSHIELD_TESTS_PROP_ARB_SUPPORT_H
#define HYSHIELD_TESTS_PROP_ARB_SUPPORT_H

#include "core/rt/interval.h"
#include "tests/support/check.h"

#ifdef HAVE_FLINT_ARB_MAT_H /* FLINT 3 */
#include <flint/arb.h>
#else
#include <arb.h>
#endif
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* ---------------------------------------------------------------------------------------------------------
 * Random numbers: splitmix64. */

static uint64_t rng_state;

static inline uint64_t rng(void) {
  uint64_t z = (rng_state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}
static inline unsigned rng_below(unsigned n) {
  return (unsigned)(rng() % n);
}
static inline double rng_unit(void) {
  return (double)(rng() >> 11) * 0x1p-53;
}

/* Three fixed seeds and a random one, which is printed; HYSHIELD_SEED=N replaces it. */
#ifdef HYS_PLANT_NO_ROUNDING /* one is enough to see that the tests fail */
enum { SEEDS = 1 };
#else
enum { SEEDS = 4 };
#endif
static inline uint64_t seed_of(unsigned i) {
  static uint64_t chosen;
  if (i + 1 < SEEDS)
    return i + 1;
  if (chosen == 0) {
    const char *given = getenv("HYSHIELD_SEED");
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    chosen = given != NULL ? strtoull(given, NULL, 10)
                           : ((uint64_t)t.tv_sec * UINT64_C(1000003) ^ (uint64_t)t.tv_nsec) % 1000000007U;
    printf("random seed %llu (HYSHIELD_SEED repeats it)\n", (unsigned long long)chosen);
  }
  return chosen;
}

/* A finite double of any kind. */
static inline double rng_double(void) {
  static const double edges[] = {0.0,
                                 -0.0,
                                 1.0,
                                 2.0,
                                 0.1,
                                 0.5,
                                 3.0,
                                 DBL_MIN,
                                 DBL_MAX,
                                 0x1p-1074,
                                 0x1p-1073,
                                 0x1p1023,
                                 DBL_EPSILON,
                                 0x1p-537,
                                 0x1p512,
                                 10.0,
                                 1e308,
                                 1e-308,
                                 0x1p53,
                                 0x1p-53,
                                 1e16,
                                 0x1.8p1,
                                 1.0 / 3.0,
                                 0x1p-1022,
                                 0x1p511,
                                 0x1p-511,
                                 1e5,
                                 100.0,
                                 0x1p-1021,
                                 7.0,
                                 0x1.fp-538,
                                 1.5707963267948966,
                                 3.1415926535897931};
  double x;
  uint64_t bits;
  switch (rng_below(8)) {
  case 0:
    x = edges[rng_below(sizeof edges / sizeof edges[0])];
    break;
  case 1: /* any bits */
    do {
      bits = rng();
      memcpy(&x, &bits, sizeof x);
    } while (!(fabs(x) <= DBL_MAX));
    break;
  case 2: /* about a power of two */
    x = ldexp(1.0, (int)rng_below(40) - 20);
    for (unsigned k = rng_below(3); k > 0; k--)
      x = nextafter(x, 0.0);
    for (unsigned k = rng_below(3); k > 0; k--)
      x = nextafter(x, 1e300);
    break;
  case 3: /* subnormal */
    x = (double)(rng() >> (12 + rng_below(52))) * 0x1p-1074;
    break;
  case 4:
    x = (double)rng_below(20);
    break;
  case 5: /* a wide range of exponents */
    x = ldexp(1.0 + rng_unit(), (int)rng_below(600) - 300);
    break;
  default:
    x = rng_unit() * (rng_below(2) ? 10.0 : 1.0);
    break;
  }
  return rng_below(2) ? -x : x;
}

/* A non-empty interval of any kind. */
static inline hys_interval rng_interval(void) {
  double x = rng_double(), y = rng_double();
  switch (rng_below(10)) {
  case 0:
    y = x;
    break;
  case 1: /* neighbours */
    y = nextafter(x, DBL_MAX);
    break;
  case 2: /* narrow */
    y = x + fabs(x) * ldexp(rng_unit(), -(int)rng_below(50));
    break;
  case 3: /* with a zero end */
    x = rng_below(2) ? 0.0 : -0.0;
    break;
  case 4:
    y = -x;
    break;
  case 5:
    if (rng_below(3) == 0)
      x = -(double)INFINITY;
    if (rng_below(3) == 0)
      y = (double)INFINITY;
    break;
  case 6: /* width of a few */
    y = x + rng_unit() * 8.0;
    break;
  default:
    break;
  }
  if (y > DBL_MAX && x > DBL_MAX)
    x = DBL_MAX;
  return x <= y ? hys_interval_make(x, y) : hys_interval_make(y, x);
}

/* A finite member of a: an end, zero, or one from inside. */
static inline double rng_member(hys_interval a) {
  const double lo = a.lo < -DBL_MAX ? -DBL_MAX : a.lo, hi = a.hi > DBL_MAX ? DBL_MAX : a.hi;
  double x;
  switch (rng_below(5)) {
  case 0:
    return lo;
  case 1:
    return hi;
  case 2:
    x = rng_double();
    break;
  case 3:
    x = 0.0;
    break;
  default:
    x = lo * (1.0 - rng_unit()) + hi * rng_unit();
    break;
  }
  return x < lo ? lo : x > hi ? hi : x;
}

/* A non-empty subset of a. */
static inline hys_interval rng_subset(hys_interval a) {
  const double x = rng_below(4) ? rng_member(a) : a.lo, y = rng_below(4) ? rng_member(a) : a.hi;
  if (x <= y)
    return hys_interval_make(x, y);
  return hys_interval_make(y, x);
}

/* ---------------------------------------------------------------------------------------------------------
 * Reporting: silent until something is wrong, then the first few only. */

static unsigned wrong_count;

static inline bool wrong(const char *text) {
  if (wrong_count++ < 3)
    check_true(false, text, __FILE__, __LINE__);
  return false;
}
#define EXPECT(held, ...)                                                                                    \
  do {                                                                                                       \
    if (!(held)) {                                                                                           \
      check_label(__VA_ARGS__);                                                                              \
      wrong(#held);                                                                                          \
    }                                                                                                        \
  } while (0)

static inline void expect_begin(void) {
  wrong_count = 0;
}
static inline void expect_end(void) {
  check_label("all");
  CHECK(wrong_count == 0);
}

/* x moved outward by n doubles, by other means than the code under test. */
static inline double outward(double x, double towards, int n) {
  for (int i = 0; i < n; i++)
    x = nextafter(x, towards);
  return x;
}

#endif
