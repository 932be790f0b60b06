/* Intervals of reals with double endpoints, rounded outward.
 *
 * An interval is the set of all *reals* x with lo <= x <= hi; an infinite bound says that the set has none
 * on that side, infinity itself is never a member.  What holds for every non-empty interval made here:
 * lo <= hi, lo < +inf, hi > -inf, no NaN.  A real beyond DBL_MAX is enclosed by [DBL_MAX, +inf].
 *
 * Rounding.  Each result is computed in round-to-nearest and moved outward by one step of the
 * representation ("bit step"): the rounding mode is neither read nor changed, the code is reentrant.  The
 * caller has checked hys_float_env_ok() once per thread.  A sum that is zero is exact and stays zero, and so
 * does a product or quotient with a zero operand: a zero stays a zero instead of decaying to a subnormal.
 * Bounds of add, sub, mul, div, sqr, sqrt lie at most one double beyond the exactly rounded bound.
 *
 * Empty.  The empty set is a tag, the one value {+inf, -inf}; ask hys_interval_is_empty and nothing else.
 * An operation with an empty operand is empty.  NaN never makes an empty set, it makes the entire line.
 *
 * Domains.  An operation takes the part of its operand that lies in its domain (sqrt of [-1,4] is [0,2]); an
 * operand that lies outside altogether gives the entire line, not the empty set, so that it certifies
 * nothing.  Division by a set that holds more than zero is the quotients by its non-zero members; division
 * by exactly zero is the entire line.  Hence these operations are inclusion isotone except when the smaller
 * operand has left the domain; those of libm as far as libm is monotone: a bound of the smaller result may
 * lie up to two steps outside the larger one.
 *
 * Predicates end in _surely or _maybe.  True always means good: on an empty operand or a NaN all are false.
 * So `!..._maybe(a, b)` proves something only about operands known to be non-empty and free of NaN.
 *
 * Where IEEE 1788-2015 (set-based flavour) is followed: sets of reals, 0 * inf = 0 in endpoint products,
 * restriction to the domain, mid of half-lines.  Where not: empty domain gives entire (1788: empty);
 * predicates on the empty set are false (1788: subset and less are true); bounds of elementary functions
 * are libm's result widened by HYS_LIBM_ULPS steps, not the tightest ones; no decorations.
 *
 * RT-safe: every function here; no heap, no I/O, no recursion, no state, libm only.  Aliasing: intervals go
 * by value, there is none.
 */
#ifndef HYSHIELD_CORE_RT_INTERVAL_H
#define HYSHIELD_CORE_RT_INTERVAL_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/rt/api.h"

#if FLT_EVAL_METHOD != 0
#error "enclosures need double arithmetic without excess precision (FLT_EVAL_METHOD 0; -mfpmath=sse)"
#endif
#if FLT_RADIX != 2 || DBL_MANT_DIG != 53 || DBL_MAX_EXP != 1024
#error "enclosures need IEEE 754 binary64"
#endif

/* Steps by which a result of libm is widened on each side.  glibc documents at most 1 ulp for exp, log, sin,
 * cos, tan, atan and pow and 2 for tanh on x86_64 and aarch64; a step below a power of two is half an ulp. */
#define HYS_LIBM_ULPS 4
#define HYS_LIBM_ULPS_TANH 6

/* Significant digits of a decimal that are read exactly; those beyond only say "a little more".  No double
 * and no neighbour of one has more than 767, so the enclosure is the tightest whatever the length. */
#define HYS_DECIMAL_MAX_DIGITS 800

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hys_interval {
  double lo, hi;
} hys_interval;

#if defined(__GNUC__)
#define HYSI_LIKELY(x) __builtin_expect(!!(x), 1)
#else
#define HYSI_LIKELY(x) (x)
#endif

#define HYSI_INF ((double)INFINITY)
#define HYSI_NAN ((double)NAN)
#define HYSI_MIN_SUBNORMAL 4.9406564584124654e-324 /* 2^-1074 */

/* ---------------------------------------------------------------------------------------------------------
 * Scalars.  Each returns a bound of the exact result: ..._up one that is not smaller, ..._down one that is
 * not larger.  NaN, in or out, opens outward: +inf or -inf.  An overflow keeps the finite side: the lower
 * bound of a result that overflowed to +inf is DBL_MAX. */

static inline hys_interval hysi_pair(double lo, double hi) {
  hys_interval a;
  a.lo = lo;
  a.hi = hi;
  return a;
}

/* The step of a number that is neither zero nor NaN nor already at the far end. */
static inline double hysi_step(double x, uint64_t down) {
#ifdef HYS_PLANT_NO_ROUNDING /* planted fault for the gate of the tests */
  (void)down;
  return x;
#else
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  bits += (UINT64_C(0) - ((bits >> 63) ^ down)) | 1U; /* away from zero +1, towards zero -1 */
  memcpy(&x, &bits, sizeof x);
  return x;
#endif
}

/* Outward step that leaves zero alone: for results that are exact when they are zero. */
static inline double hysi_up_nonzero(double x) {
  const double y = hysi_step(x, 0);
  const double z = x < HYSI_INF ? y : HYSI_INF;
  return x == 0.0 ? 0.0 : z;
}
static inline double hysi_down_nonzero(double x) {
  const double y = hysi_step(x, 1);
  const double z = x > -HYSI_INF ? y : -HYSI_INF;
  return x == 0.0 ? 0.0 : z;
}

/* The next double above x; +inf for +inf and NaN, -DBL_MAX for -inf. */
static inline double hys_up(double x) {
#ifdef HYS_PLANT_NO_ROUNDING
  return x == x ? x : HYSI_INF;
#else
  const double z = hysi_up_nonzero(x);
  return x == 0.0 ? HYSI_MIN_SUBNORMAL : z;
#endif
}
/* The next double below x; -inf for -inf and NaN, DBL_MAX for +inf. */
static inline double hys_down(double x) {
#ifdef HYS_PLANT_NO_ROUNDING
  return x == x ? x : -HYSI_INF;
#else
  const double z = hysi_down_nonzero(x);
  return x == 0.0 ? -HYSI_MIN_SUBNORMAL : z;
#endif
}

static inline double hys_add_up(double a, double b) {
  return hysi_up_nonzero(a + b);
}
static inline double hys_add_down(double a, double b) {
  return hysi_down_nonzero(a + b);
}
static inline double hys_sub_up(double a, double b) {
  return hysi_up_nonzero(a - b);
}
static inline double hys_sub_down(double a, double b) {
  return hysi_down_nonzero(a - b);
}

/* A product that came out as zero: exact if a factor is zero, else it underflowed on the side of its sign. */
static inline double hys_mul_up(double a, double b) {
  const double p = a * b;
  if (HYSI_LIKELY(p != 0.0))
    return hysi_up_nonzero(p);
  return a != 0.0 && b != 0.0 && (a > 0.0) == (b > 0.0) ? hys_up(0.0) : 0.0;
}
static inline double hys_mul_down(double a, double b) {
  const double p = a * b;
  if (HYSI_LIKELY(p != 0.0))
    return hysi_down_nonzero(p);
  return a != 0.0 && b != 0.0 && (a > 0.0) != (b > 0.0) ? hys_down(0.0) : 0.0;
}
/* By zero: +inf, -inf (nothing is known). */
static inline double hys_div_up(double a, double b) {
  const double q = a / b;
  if (b == 0.0)
    return HYSI_INF;
  if (HYSI_LIKELY(q != 0.0))
    return hysi_up_nonzero(q);
  return a != 0.0 && (a > 0.0) == (b > 0.0) ? hys_up(0.0) : 0.0;
}
static inline double hys_div_down(double a, double b) {
  const double q = a / b;
  if (b == 0.0)
    return -HYSI_INF;
  if (HYSI_LIKELY(q != 0.0))
    return hysi_down_nonzero(q);
  return a != 0.0 && (a > 0.0) != (b > 0.0) ? hys_down(0.0) : 0.0;
}
/* Of a negative number: +inf, -inf (nothing is known). */
static inline double hys_sqrt_up(double a) {
  return hysi_up_nonzero(sqrt(a));
}
static inline double hys_sqrt_down(double a) {
  return hysi_down_nonzero(sqrt(a));
}

/* True iff this thread's floating point is what the enclosures are proved for: round to nearest even, and
 * subnormals neither flushed nor read as zero.  Found by computing, so it sees every unit that computes.
 * To be asked at init and again wherever foreign code may have changed the environment. */
HYS_API bool hys_float_env_ok(void);

/* ---------------------------------------------------------------------------------------------------------
 * Making and looking. */

static inline hys_interval hys_interval_empty(void) {
  return hysi_pair(HYSI_INF, -HYSI_INF);
}
static inline hys_interval hys_interval_entire(void) {
  return hysi_pair(-HYSI_INF, HYSI_INF);
}
static inline bool hys_interval_is_empty(hys_interval a) {
  return a.lo > a.hi;
}

/* [lo, hi]: a NaN gives entire, lo > hi gives empty; lo = +inf is read as DBL_MAX, hi = -inf as -DBL_MAX. */
static inline hys_interval hys_interval_make(double lo, double hi) {
  if (!(lo <= hi))
    return lo > hi ? hys_interval_empty() : hys_interval_entire();
  return hysi_pair(lo <= DBL_MAX ? lo : DBL_MAX, hi >= -DBL_MAX ? hi : -DBL_MAX);
}
/* [x, x]; of a NaN entire, of an infinity what lies beyond the largest double. */
static inline hys_interval hys_interval_point(double x) {
  return hys_interval_make(x, x);
}

/* The tightest enclosure of the decimal literal that starts at s[0] and has at most n characters:
 *   [+-] digits [. digits] [(e|E) [+-] digits]      at least one digit before or after the point
 * A point if a double equals it (0.5, 2, 1e3), else two neighbouring doubles; beyond DBL_MAX
 * [DBL_MAX, +inf], below the least subnormal [0, least].  The locale plays no part; no blanks, no hex, no
 * "inf", no "nan".  Returns the number of characters read (an "e" without digits is not read), 0 if there is
 * no number: then *out is entire.  Time grows linearly with n. */
HYS_API size_t hys_interval_from_decimal(const char *s, size_t n, hys_interval *out);

/* Bit equality: the two zeros differ. */
static inline bool hys_interval_equal(hys_interval a, hys_interval b) {
  return memcmp(&a.lo, &b.lo, sizeof a.lo) == 0 && memcmp(&a.hi, &b.hi, sizeof a.hi) == 0;
}

/* ---------------------------------------------------------------------------------------------------------
 * Arithmetic. */

static inline hys_interval hys_interval_neg(hys_interval a) {
  return hys_interval_is_empty(a) ? a : hysi_pair(-a.hi, -a.lo);
}

HYS_API hys_interval hysi_interval_add_unbounded(hys_interval a, hys_interval b);

/* Finite sums come from finite bounds, so nothing is empty or NaN; what is not finite is sorted out apart. */
static inline hys_interval hys_interval_add(hys_interval a, hys_interval b) {
  const double lo = a.lo + b.lo, hi = a.hi + b.hi;
  if (!HYSI_LIKELY(fabs(lo) + fabs(hi) < HYSI_INF))
    return hysi_interval_add_unbounded(a, b);
  return hysi_pair(lo != 0.0 ? hysi_step(lo, 1) : 0.0, hi != 0.0 ? hysi_step(hi, 0) : 0.0);
}
static inline hys_interval hys_interval_sub(hys_interval a, hys_interval b) {
  const double lo = a.lo - b.hi, hi = a.hi - b.lo;
  if (!HYSI_LIKELY(fabs(lo) + fabs(hi) < HYSI_INF))
    return hysi_interval_add_unbounded(a, hys_interval_neg(b));
  return hysi_pair(lo != 0.0 ? hysi_step(lo, 1) : 0.0, hi != 0.0 ? hysi_step(hi, 0) : 0.0);
}

HYS_API hys_interval hysi_interval_mul_unbounded(hys_interval a, hys_interval b);

/* Four products; rounding is monotone, so the bound of the least rounded product bounds the least product.
 * A least product that rounds to zero is kept at zero unless a negative product exists at all. */
static inline hys_interval hys_interval_mul(hys_interval a, hys_interval b) {
  const double p = a.lo * b.lo, q = a.lo * b.hi, r = a.hi * b.lo, s = a.hi * b.hi;
  const double size = (fabs(p) + fabs(q)) + (fabs(r) + fabs(s));
  /* finite: all products are, hence all bounds, hence nothing is empty, NaN or 0 * inf */
  if (!HYSI_LIKELY(size < HYSI_INF))
    return hysi_interval_mul_unbounded(a, b);
  const double lo1 = p < q ? p : q, lo2 = r < s ? r : s, hi1 = p > q ? p : q, hi2 = r > s ? r : s;
  double lo = lo1 < lo2 ? lo1 : lo2, hi = hi1 > hi2 ? hi1 : hi2;
  if (HYSI_LIKELY(lo != 0.0))
    lo = hysi_step(lo, 1);
  else
    lo = (a.lo < 0.0 && b.hi > 0.0) || (a.hi > 0.0 && b.lo < 0.0) ? hys_down(0.0) : 0.0;
  if (HYSI_LIKELY(hi != 0.0))
    hi = hysi_step(hi, 0);
  else
    hi = (a.lo < 0.0 && b.lo < 0.0) || (a.hi > 0.0 && b.hi > 0.0) ? hys_up(0.0) : 0.0;
  return hysi_pair(lo, hi);
}

/* a times the number s; a NaN counts as the entire line, an infinity as the numbers beyond DBL_MAX. */
static inline hys_interval hys_interval_mul_scalar(hys_interval a, double s) {
  const double p = a.lo * s, q = a.hi * s;
  if (!HYSI_LIKELY(fabs(p) + fabs(q) < HYSI_INF))
    return hysi_interval_mul_unbounded(a, hys_interval_point(s));
  const bool swap = s < 0.0;
  double lo = swap ? q : p, hi = swap ? p : q;
  if (HYSI_LIKELY(lo != 0.0))
    lo = hysi_step(lo, 1);
  else
    lo = s != 0.0 && (swap ? a.hi > 0.0 : a.lo < 0.0) ? hys_down(0.0) : 0.0;
  if (HYSI_LIKELY(hi != 0.0))
    hi = hysi_step(hi, 0);
  else
    hi = s != 0.0 && (swap ? a.lo < 0.0 : a.hi > 0.0) ? hys_up(0.0) : 0.0;
  return hysi_pair(lo, hi);
}

/* x * x, tighter than mul(a, a) when a holds zero. */
static inline hys_interval hys_interval_sqr(hys_interval a) {
  const double l = fabs(a.lo), h = fabs(a.hi), far = l > h ? l : h, near = l > h ? h : l;
  if (a.lo > a.hi)
    return a;
  const double zero_or_near = a.lo <= 0.0 && a.hi >= 0.0 ? 0.0 : near;
  return hysi_pair(hys_mul_down(zero_or_near, zero_or_near), hys_mul_up(far, far));
}

/* a / b.  A b with zero as one end gives a half-line if a lies on one side of zero; with zero inside the
 * entire line, unless a is exactly zero (zero); a b that is exactly zero gives the entire line. */
HYS_API hys_interval hys_interval_div(hys_interval a, hys_interval b);

/* x^n; x^0 = 1 everywhere, zero too; n < 0 is 1 / x^-n.  At most 3 |n| + 3 steps beyond the exact bound. */
HYS_API hys_interval hys_interval_pow_int(hys_interval a, int n);
/* x^y for x > 0, and 0^y for y >= 0 (0^0 = 1).  A b that is a point and an integer of int's range: x^b for
 * all x, by pow_int or libm, whichever bound is better.  Another b where a is negative in part: that part is
 * left out if b holds no integer (the power is not defined there), else the entire line. */
HYS_API hys_interval hys_interval_pow(hys_interval a, hys_interval b);
HYS_API hys_interval hys_interval_sqrt(hys_interval a);
HYS_API hys_interval hys_interval_exp(hys_interval a);
HYS_API hys_interval hys_interval_log(hys_interval a);
/* Radians.  sin and cos of large arguments degrade to [-1,1] when their place in the period is not sure
 * (beyond about 1e15); tan gives entire as soon as a pole cannot be excluded. */
HYS_API hys_interval hys_interval_sin(hys_interval a);
HYS_API hys_interval hys_interval_cos(hys_interval a);
HYS_API hys_interval hys_interval_tan(hys_interval a);
HYS_API hys_interval hys_interval_tanh(hys_interval a);
HYS_API hys_interval hys_interval_atan(hys_interval a);

static inline hys_interval hys_interval_abs(hys_interval a) {
  if (a.lo >= 0.0 || hys_interval_is_empty(a))
    return a;
  if (a.hi <= 0.0)
    return hysi_pair(-a.hi, -a.lo);
  return hysi_pair(0.0, a.hi > -a.lo ? a.hi : -a.lo);
}
/* The set of min(x, y), of max(x, y). */
static inline hys_interval hys_interval_min(hys_interval a, hys_interval b) {
  if (hys_interval_is_empty(a) || hys_interval_is_empty(b))
    return hys_interval_empty();
  return hysi_pair(a.lo < b.lo ? a.lo : b.lo, a.hi < b.hi ? a.hi : b.hi);
}
static inline hys_interval hys_interval_max(hys_interval a, hys_interval b) {
  if (hys_interval_is_empty(a) || hys_interval_is_empty(b))
    return hys_interval_empty();
  return hysi_pair(a.lo > b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi);
}

/* ---------------------------------------------------------------------------------------------------------
 * Sets. */

/* The least interval that holds both; the hull with the empty set is the other set. */
static inline hys_interval hys_interval_hull(hys_interval a, hys_interval b) {
  return hysi_pair(a.lo < b.lo ? a.lo : b.lo, a.hi > b.hi ? a.hi : b.hi);
}
static inline hys_interval hys_interval_intersect(hys_interval a, hys_interval b) {
  const double lo = a.lo > b.lo ? a.lo : b.lo, hi = a.hi < b.hi ? a.hi : b.hi;
  return lo > hi ? hys_interval_empty() : hysi_pair(lo, hi);
}

/* A finite member near the middle: 0 for the entire line, -DBL_MAX or DBL_MAX for other half-lines; NaN for
 * the empty set. */
static inline double hys_interval_mid(hys_interval a) {
  if (HYSI_LIKELY(fabs(a.lo) + fabs(a.hi) < HYSI_INF))
    return 0.5 * (a.lo + a.hi);
  if (hys_interval_is_empty(a))
    return HYSI_NAN;
  if (a.lo < -DBL_MAX)
    return a.hi > DBL_MAX ? 0.0 : -DBL_MAX;
  return a.hi > DBL_MAX ? DBL_MAX : 0.5 * a.lo + 0.5 * a.hi;
}
/* Least r found with a inside [mid - r, mid + r], rounded up; +inf if unbounded, NaN if empty. */
static inline double hys_interval_rad(hys_interval a) {
  if (hys_interval_is_empty(a))
    return HYSI_NAN;
  const double m = hys_interval_mid(a), l = hys_sub_up(m, a.lo), r = hys_sub_up(a.hi, m);
  return l > r ? l : r;
}
/* hi - lo rounded up; NaN if empty. */
static inline double hys_interval_width(hys_interval a) {
  return hys_interval_is_empty(a) ? HYSI_NAN : hys_sub_up(a.hi, a.lo);
}
/* Largest and least absolute value, exact; NaN if empty. */
static inline double hys_interval_mag(hys_interval a) {
  if (hys_interval_is_empty(a))
    return HYSI_NAN;
  const double l = fabs(a.lo), h = fabs(a.hi);
  return l > h ? l : h;
}
static inline double hys_interval_mig(hys_interval a) {
  if (hys_interval_is_empty(a))
    return HYSI_NAN;
  return a.lo > 0.0 ? a.lo : a.hi < 0.0 ? -a.hi : 0.0;
}

/* ---------------------------------------------------------------------------------------------------------
 * Predicates. */

/* The real number x is a member; an infinity is no real number. */
static inline bool hys_interval_contains_surely(hys_interval a, double x) {
  return a.lo <= x && x <= a.hi && fabs(x) <= DBL_MAX;
}
/* Every member of a is one of b. */
static inline bool hys_interval_inside_surely(hys_interval a, hys_interval b) {
  return b.lo <= a.lo && a.hi <= b.hi && a.lo <= a.hi;
}
/* x <= y (x < y) for all x of a and y of b. */
static inline bool hys_interval_le_surely(hys_interval a, hys_interval b) {
  return a.hi <= b.lo && a.lo <= a.hi && b.lo <= b.hi;
}
static inline bool hys_interval_lt_surely(hys_interval a, hys_interval b) {
  return a.hi < b.lo && a.lo <= a.hi && b.lo <= b.hi;
}
/* x <= y (x < y) for some x of a and y of b. */
static inline bool hys_interval_le_maybe(hys_interval a, hys_interval b) {
  return a.lo <= b.hi && a.lo <= a.hi && b.lo <= b.hi;
}
static inline bool hys_interval_lt_maybe(hys_interval a, hys_interval b) {
  return a.lo < b.hi && a.lo <= a.hi && b.lo <= b.hi;
}
/* Some number lies in both. */
static inline bool hys_interval_meets_maybe(hys_interval a, hys_interval b) {
  return a.lo <= b.hi && b.lo <= a.hi && a.lo <= a.hi && b.lo <= b.hi;
}
/* No number lies in both, and neither is empty: what to ask in place of !meets_maybe. */
static inline bool hys_interval_disjoint_surely(hys_interval a, hys_interval b) {
  return (a.hi < b.lo || b.hi < a.lo) && a.lo <= a.hi && b.lo <= b.hi;
}

#ifdef __cplusplus
}
#endif

#endif
