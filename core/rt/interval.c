#include "core/rt/interval.h"

/* ---------------------------------------------------------------------------------------------------------
 * The environment. */

bool hys_float_env_ok(void) {
  /* volatile: computed here and now, by this thread's unit */
  volatile double one = 1.0, ulp = 0x1p-52, half = 0x1p-53, quarter = 0x1p-54, least = HYSI_MIN_SUBNORMAL,
                  smallest = DBL_MIN;
  volatile double up = one + quarter, down = one - 0.5 * quarter, below = -one - quarter, even = one + half,
                  odd = (one + ulp) + half;
  volatile double read = least * 0x1p100, written = smallest * 0.5, sum = least + least;
  written = written * 0x1p100;
  sum = sum * 0x1p100;
  const bool nearest = up == 1.0 && down == 1.0 && below == -1.0 && even == 1.0 && odd == 1.0 + 0x1p-51;
  const bool gradual = read == 0x1p-974 && written == 0x1p-923 && sum == 0x1p-973;
  return nearest && gradual;
}

/* ---------------------------------------------------------------------------------------------------------
 * Arithmetic, the cases that are not inline. */

hys_interval hysi_interval_add_unbounded(hys_interval a, hys_interval b) {
  if (hys_interval_is_empty(a) || hys_interval_is_empty(b))
    return hys_interval_empty();
  return hysi_pair(hys_add_down(a.lo, b.lo), hys_add_up(a.hi, b.hi));
}

static double product_down(double x, double y) {
  return x == 0.0 || y == 0.0 ? 0.0 : hys_mul_down(x, y); /* 0 * inf = 0 */
}
static double product_up(double x, double y) {
  return x == 0.0 || y == 0.0 ? 0.0 : hys_mul_up(x, y);
}
static double least(double x, double y) {
  return x < y ? x : y;
}
static double greatest(double x, double y) {
  return x > y ? x : y;
}

hys_interval hysi_interval_mul_unbounded(hys_interval a, hys_interval b) {
  if (hys_interval_is_empty(a) || hys_interval_is_empty(b))
    return hys_interval_empty();
  return hysi_pair(least(least(product_down(a.lo, b.lo), product_down(a.lo, b.hi)),
                         least(product_down(a.hi, b.lo), product_down(a.hi, b.hi))),
                   greatest(greatest(product_up(a.lo, b.lo), product_up(a.lo, b.hi)),
                            greatest(product_up(a.hi, b.lo), product_up(a.hi, b.hi))));
}

/* b.lo > 0, hence finite: no quotient here is inf / inf. */
static hys_interval div_by_positive(hys_interval a, hys_interval b) {
  return hysi_pair(hys_div_down(a.lo, a.lo >= 0.0 ? b.hi : b.lo),
                   hys_div_up(a.hi, a.hi >= 0.0 ? b.lo : b.hi));
}

hys_interval hys_interval_div(hys_interval a, hys_interval b) {
  if (hys_interval_is_empty(a) || hys_interval_is_empty(b))
    return hys_interval_empty();
  if (b.lo > 0.0)
    return div_by_positive(a, b);
  if (b.hi < 0.0)
    return div_by_positive(hys_interval_neg(a), hys_interval_neg(b));
  if (!(b.lo < 0.0 || b.hi > 0.0))
    return hys_interval_entire(); /* exactly zero */
  if (a.lo == 0.0 && a.hi == 0.0)
    return hysi_pair(0.0, 0.0);
  if (!(b.lo == 0.0 || b.hi == 0.0))
    return hys_interval_entire();
  if (b.hi == 0.0) {
    a = hys_interval_neg(a);
    b = hys_interval_neg(b);
  }
  if (a.lo >= 0.0)
    return hysi_pair(hys_div_down(a.lo, b.hi), HYSI_INF);
  if (a.hi <= 0.0)
    return hysi_pair(-HYSI_INF, hys_div_up(a.hi, b.hi));
  return hys_interval_entire();
}

/* x^n for x >= 0, n >= 1, by squaring with every product rounded one way: bounds of non-negative factors
 * multiply to bounds. At most 63 products. */
static double power_down(double x, unsigned n) {
  double result = 1.0;
  for (bool first = true;; x = hys_mul_down(x, x)) {
    if (n & 1U) {
      result = first ? x : hys_mul_down(result, x);
      first = false;
    }
    n >>= 1;
    if (n == 0)
      return result;
  }
}
static double power_up(double x, unsigned n) {
  double result = 1.0;
  for (bool first = true;; x = hys_mul_up(x, x)) {
    if (n & 1U) {
      result = first ? x : hys_mul_up(result, x);
      first = false;
    }
    n >>= 1;
    if (n == 0)
      return result;
  }
}

hys_interval hys_interval_pow_int(hys_interval a, int n) {
  if (hys_interval_is_empty(a))
    return a;
  if (n == 0)
    return hysi_pair(1.0, 1.0);
  const unsigned m = n > 0 ? (unsigned)n : 0U - (unsigned)n;
  hys_interval p;
  if (m % 2U == 0)
    p = hysi_pair(power_down(hys_interval_mig(a), m), power_up(hys_interval_mag(a), m));
  else
    p = hysi_pair(a.lo < 0.0 ? -power_up(-a.lo, m) : power_down(a.lo, m),
                  a.hi < 0.0 ? -power_down(-a.hi, m) : power_up(a.hi, m));
  return n > 0 ? p : hys_interval_div(hysi_pair(1.0, 1.0), p);
}

/* ---------------------------------------------------------------------------------------------------------
 * Functions of libm. */

static double lower(double y, int steps) {
  for (int i = 0; i < steps; i++)
    y = hys_down(y);
  return y;
}
static double upper(double y, int steps) {
  for (int i = 0; i < steps; i++)
    y = hys_up(y);
  return y;
}

hys_interval hys_interval_sqrt(hys_interval a) {
  if (hys_interval_is_empty(a))
    return a;
  if (a.hi < 0.0)
    return hys_interval_entire();
  return hysi_pair(a.lo > 0.0 ? hys_sqrt_down(a.lo) : 0.0, hys_sqrt_up(a.hi));
}

hys_interval hys_interval_exp(hys_interval a) {
  if (hys_interval_is_empty(a))
    return a;
  const double lo = lower(exp(a.lo), HYS_LIBM_ULPS), hi = upper(exp(a.hi), HYS_LIBM_ULPS);
  return hysi_pair(greatest(lo, a.lo >= 0.0 ? 1.0 : 0.0), a.hi <= 0.0 ? least(hi, 1.0) : hi);
}

hys_interval hys_interval_log(hys_interval a) {
  if (hys_interval_is_empty(a))
    return a;
  if (!(a.hi > 0.0))
    return hys_interval_entire();
  return hysi_pair(a.lo == 1.0  ? 0.0
                   : a.lo > 0.0 ? lower(log(a.lo), HYS_LIBM_ULPS)
                                : -HYSI_INF,
                   a.hi == 1.0 ? 0.0 : upper(log(a.hi), HYS_LIBM_ULPS));
}

#define INV_PI_LO 0x1.45f306dc9c882p-2 /* 1/pi lies between */
#define INV_PI_HI 0x1.45f306dc9c883p-2
#define INV_2PI_LO 0x1.45f306dc9c882p-3
#define INV_2PI_HI 0x1.45f306dc9c883p-3
#define HALF_PI_HI 0x1.921fb54442d19p+0 /* above pi/2 */

/* May a hold a number (k + shift) / scale with k an integer?  No is certain. */
static bool holds_maybe(hys_interval a, double scale_lo, double scale_hi, double shift) {
  const hys_interval t =
      hys_interval_sub(hys_interval_mul(a, hysi_pair(scale_lo, scale_hi)), hysi_pair(shift, shift));
  return !(floor(t.hi) < t.lo);
}

/* The range of a function of period 2 pi and amplitude 1 that libm calls `f`, whose maxima lie at
 * 2 pi (k + top) and minima at 2 pi (k + bottom): where there is none inside, an end of a has the bound. */
static hys_interval wave(hys_interval a, double (*f)(double), double top, double bottom) {
  if (hys_interval_is_empty(a))
    return a;
  const bool max_inside = holds_maybe(a, INV_2PI_LO, INV_2PI_HI, top);
  const bool min_inside = holds_maybe(a, INV_2PI_LO, INV_2PI_HI, bottom);
  if (max_inside && min_inside)
    return hysi_pair(-1.0, 1.0);
  const double l = f(a.lo), h = f(a.hi); /* a is bounded here */
  return hysi_pair(min_inside ? -1.0 : greatest(lower(least(l, h), HYS_LIBM_ULPS), -1.0),
                   max_inside ? 1.0 : least(upper(greatest(l, h), HYS_LIBM_ULPS), 1.0));
}

hys_interval hys_interval_sin(hys_interval a) {
  if (a.lo == 0.0 && a.hi == 0.0)
    return hysi_pair(0.0, 0.0);
  return wave(a, sin, 0.25, -0.25);
}

hys_interval hys_interval_cos(hys_interval a) {
  if (a.lo == 0.0 && a.hi == 0.0)
    return hysi_pair(1.0, 1.0);
  return wave(a, cos, 0.0, 0.5);
}

/* An increasing odd function with values in [-bound, bound], from libm's value at the ends; it keeps the
 * sign. */
static hys_interval odd(hys_interval a, double at_lo, double at_hi, int steps, double bound) {
  const double lo = lower(at_lo, steps), hi = upper(at_hi, steps);
  return hysi_pair(greatest(lo, a.lo >= 0.0 ? 0.0 : -bound), least(hi, a.hi <= 0.0 ? 0.0 : bound));
}

hys_interval hys_interval_tan(hys_interval a) {
  if (hys_interval_is_empty(a))
    return a;
  if (a.lo > -1.5 && a.hi < 1.5)
    return odd(a, tan(a.lo), tan(a.hi), HYS_LIBM_ULPS, HYSI_INF);
  if (holds_maybe(a, INV_PI_LO, INV_PI_HI, 0.5))
    return hys_interval_entire();
  return hysi_pair(lower(tan(a.lo), HYS_LIBM_ULPS), upper(tan(a.hi), HYS_LIBM_ULPS));
}

hys_interval hys_interval_tanh(hys_interval a) {
  if (hys_interval_is_empty(a))
    return a;
  return odd(a, tanh(a.lo), tanh(a.hi), HYS_LIBM_ULPS_TANH, 1.0);
}

hys_interval hys_interval_atan(hys_interval a) {
  if (hys_interval_is_empty(a))
    return a;
  return odd(a, atan(a.lo), atan(a.hi), HYS_LIBM_ULPS, HALF_PI_HI);
}

/* x^y = exp(y log x) and y log x is a product of two intervals, so its bounds lie at corners; libm agrees
 * with the limits there (0^0 = 1, inf^0 = 1, 0^-y = inf). */
/* An integer exponent, on both sides of zero: the better of two bounds, each of which is isotone. */
static hys_interval pow_integer(hys_interval a, int n) {
  const hys_interval exact = hys_interval_pow_int(a, n);
  const double y = n, near = pow(hys_interval_mig(a), y), far = pow(hys_interval_mag(a), y);
  double lo = n > 0 ? near : far, hi = n > 0 ? far : near; /* of the absolute values */
  if (n == 0 || (a.lo == 0.0 && a.hi == 0.0) || (n < 0 && n % 2 != 0 && a.lo < 0.0 && a.hi > 0.0))
    return exact;
  if (n % 2 != 0 && a.lo < 0.0) {
    const double least_size = lo;
    lo = n > 0 ? pow(a.lo, y) : -hi;
    hi = a.hi > 0.0 ? pow(a.hi, y) : -least_size;
  }
  return hys_interval_intersect(exact, hysi_pair(lower(lo, HYS_LIBM_ULPS), upper(hi, HYS_LIBM_ULPS)));
}

hys_interval hys_interval_pow(hys_interval a, hys_interval b) {
  if (hys_interval_is_empty(a) || hys_interval_is_empty(b))
    return hys_interval_empty();
  if (b.lo == b.hi && floor(b.lo) == b.lo && fabs(b.lo) <= 2147483647.0)
    return pow_integer(a, (int)b.lo);
  if (a.lo < 0.0 && (!(floor(b.hi) < b.lo) || a.hi < 0.0))
    return hys_interval_entire();
  const double l = a.lo > 0.0 ? a.lo : 0.0, h = a.hi;
  if (h == 0.0) {
    if (b.lo > 0.0)
      return hysi_pair(0.0, 0.0);
    return b.lo == 0.0 && b.hi == 0.0 ? hysi_pair(1.0, 1.0) : hys_interval_entire();
  }
  if (b.lo == 0.0 && b.hi == 0.0)
    return hysi_pair(1.0, 1.0);
  const double p = pow(l, b.lo), q = pow(l, b.hi), r = pow(h, b.lo), s = pow(h, b.hi);
  const double lo = least(least(p, q), least(r, s)), hi = greatest(greatest(p, q), greatest(r, s));
  return hysi_pair(greatest(lower(lo, HYS_LIBM_ULPS), 0.0), upper(hi, HYS_LIBM_ULPS));
}

/* ---------------------------------------------------------------------------------------------------------
 * Decimals.  The literal is D * 10^e with D < 10^HYS_DECIMAL_MAX_DIGITS; it is D / 5^-e * 2^e or D * 5^e *
 * 2^e, a ratio of two integers of bounded size whose first 53 bits come out by long division. */

enum {
  DECIMAL_EXP_MAX = 309,  /* 10^309 > DBL_MAX: at least this many digits before the point is an overflow */
  DECIMAL_EXP_MIN = -330, /* 10^-330 is below the least subnormal */
  /* D has 2658 bits, 5^(800+330) has 2624 and is shifted by at most 56 and 54 more */
  BIG_LIMBS = 96
};

typedef struct big { /* little endian; n limbs, the last not zero */
  uint32_t limb[BIG_LIMBS];
  unsigned n;
} big;

static void big_mul_add(big *x, uint32_t factor, uint32_t summand) {
  uint64_t carry = summand;
  for (unsigned i = 0; i < x->n; i++) {
    carry += (uint64_t)x->limb[i] * factor;
    x->limb[i] = (uint32_t)carry;
    carry >>= 32;
  }
  if (carry != 0)
    x->limb[x->n++] = (uint32_t)carry;
}

static void big_mul_pow5(big *x, unsigned n) {
  for (; n >= 13; n -= 13)
    big_mul_add(x, 1220703125U, 0);
  for (; n > 0; n--)
    big_mul_add(x, 5U, 0);
}

static int big_bits(const big *x) {
  int bits = 32 * ((int)x->n - 1);
  for (uint32_t top = x->limb[x->n - 1]; top != 0; top >>= 1)
    bits++;
  return bits;
}

static void big_shift_left(big *x, unsigned bits) {
  const unsigned limbs = bits / 32, rest = bits % 32;
  x->limb[x->n] = 0;
  for (unsigned i = x->n + 1; i-- > 0;) {
    const uint64_t pair = ((uint64_t)x->limb[i] << 32) | (i > 0 ? x->limb[i - 1] : 0U);
    x->limb[i + limbs] = (uint32_t)(pair << rest >> 32);
  }
  for (unsigned i = 0; i < limbs; i++)
    x->limb[i] = 0;
  x->n += limbs + 1;
  while (x->n > 1 && x->limb[x->n - 1] == 0)
    x->n--;
}

static void big_halve(big *x) {
  for (unsigned i = 0; i + 1 < x->n; i++)
    x->limb[i] = (x->limb[i] >> 1) | (x->limb[i + 1] << 31);
  x->limb[x->n - 1] >>= 1;
  if (x->n > 1 && x->limb[x->n - 1] == 0)
    x->n--;
}

/* x -= y if x >= y; says whether. */
static bool big_subtract(big *x, const big *y) {
  if (x->n < y->n)
    return false;
  if (x->n == y->n) {
    unsigned i = x->n - 1;
    while (i > 0 && x->limb[i] == y->limb[i])
      i--;
    if (x->limb[i] < y->limb[i])
      return false;
  }
  uint64_t borrow = 0;
  for (unsigned i = 0; i < x->n; i++) {
    const uint64_t d = (uint64_t)x->limb[i] - (i < y->n ? y->limb[i] : 0U) - borrow;
    x->limb[i] = (uint32_t)d;
    borrow = d >> 63;
  }
  while (x->n > 1 && x->limb[x->n - 1] == 0)
    x->n--;
  return true;
}

/* The enclosure of digits * 10^e, or of a little more if `more`; digits > 0, bounds as above. */
static hys_interval decimal_enclosure(big *digits, int e, bool more) {
  big divisor;
  divisor.limb[0] = 1;
  divisor.n = 1;
  big_mul_pow5(e < 0 ? &divisor : digits, (unsigned)(e < 0 ? -e : e));
  /* quotient q of 53 or 54 bits, fewer where doubles have fewer: value = q * 2^(p+e) */
  int p = big_bits(digits) - big_bits(&divisor) - DBL_MANT_DIG;
  if (p < -1074 - e)
    p = -1074 - e;
  if (p < 0)
    big_shift_left(digits, (unsigned)-p);
  else
    big_shift_left(&divisor, (unsigned)p);
  big_shift_left(&divisor, DBL_MANT_DIG);
  uint64_t q = 0;
  for (int i = 0; i <= DBL_MANT_DIG; i++) {
    q = 2 * q + (big_subtract(digits, &divisor) ? 1U : 0U);
    big_halve(&divisor);
  }
  bool exact = !more && digits->n == 1 && digits->limb[0] == 0;
  if (q >> DBL_MANT_DIG != 0) {
    exact = exact && (q & 1U) == 0;
    q >>= 1;
    p++;
  }
  const double x = ldexp((double)q, p + e);
  if (!(x <= DBL_MAX))
    return hysi_pair(DBL_MAX, HYSI_INF);
  return hysi_pair(x, exact ? x : hys_up(x));
}

size_t hys_interval_from_decimal(const char *s, size_t n, hys_interval *out) {
  /* What is counted is bounded by n and what is read as exponent by this, so that no sum overflows. */
  const int64_t exponent_max = INT64_C(1000000000000000000);
  size_t i = 0, any = 0;
  bool negative = false, point = false, more = false;
  big digits;
  digits.limb[0] = 0;
  digits.n = 1;
  int kept = 0;  /* significant digits in `digits` */
  int64_t e = 0; /* its exponent */
  *out = hys_interval_entire();
  if (i < n && (s[i] == '+' || s[i] == '-'))
    negative = s[i++] == '-';
  for (; i < n; i++) {
    const char c = s[i];
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (c < '0' || c > '9')
      break;
    any++;
    if (kept < HYS_DECIMAL_MAX_DIGITS) {
      big_mul_add(&digits, 10U, (uint32_t)(c - '0'));
      if (kept > 0 || c != '0')
        kept++;
      if (point)
        e--;
    } else {
      more = more || c != '0';
      if (!point)
        e++;
    }
  }
  if (any == 0)
    return 0;
  if (i < n && (s[i] == 'e' || s[i] == 'E')) {
    size_t j = i + 1;
    const bool minus = j < n && s[j] == '-';
    if (j < n && (s[j] == '+' || s[j] == '-'))
      j++;
    if (j < n && s[j] >= '0' && s[j] <= '9') {
      int64_t x = 0;
      for (; j < n && s[j] >= '0' && s[j] <= '9'; j++)
        x = x < exponent_max / 10 ? 10 * x + (s[j] - '0') : exponent_max;
      e += minus ? -x : x;
      i = j;
    }
  }
  hys_interval a;
  if (kept == 0)
    a = hysi_pair(0.0, 0.0);
  else if (kept + e > DECIMAL_EXP_MAX)
    a = hysi_pair(DBL_MAX, HYSI_INF);
  else if (kept + e < DECIMAL_EXP_MIN)
    a = hysi_pair(0.0, hys_up(0.0));
  else
    a = decimal_enclosure(&digits, (int)e, more);
  *out = negative && kept > 0 ? hys_interval_neg(a) : a;
  return i;
}
