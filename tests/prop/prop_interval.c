/* Sums, products, quotients and decimals as intervals against exact values: they enclose them, they are
 * tight. Built a second time with HYS_PLANT_NO_ROUNDING by gate_rounding.sh: each test whose name begins with
 * "encloses" must fail there. */
#include "core/rt/interval.h"
#include "tests/prop/exact_support.h"
#include "tests/support/check.h"

/* ---------------------------------------------------------------------------------------------------------
 * Sum, difference, product, quotient. */

static void ref_add(hys_interval a, hys_interval b) {
  ref_set(a.lo, a.hi);
  arf_set_d(scratch, b.lo);
  arf_add(ref.lo, ref.lo, scratch, ARF_PREC_EXACT, ARF_RND_DOWN);
  arf_set_d(scratch, b.hi);
  arf_add(ref.hi, ref.hi, scratch, ARF_PREC_EXACT, ARF_RND_DOWN);
}
static void ref_sub(hys_interval a, hys_interval b) {
  ref_add(a, hys_interval_make(-b.hi, -b.lo));
}

static void ref_mul(hys_interval a, hys_interval b) {
  const double x[2] = {a.lo, a.hi}, y[2] = {b.lo, b.hi};
  ref_begin();
  for (int i = 0; i < 4; i++) {
    arf_set_d(scratch, x[i & 1]);
    arf_set_d(scratch2, y[i >> 1]);
    if (arf_is_zero(scratch) || arf_is_zero(scratch2))
      arf_zero(scratch);
    else
      arf_mul(scratch, scratch, scratch2, ARF_PREC_EXACT, ARF_RND_DOWN);
    arf_set(scratch2, scratch);
    ref_include(scratch, scratch2);
  }
}

/* x / y for y != 0, between scratch and scratch2; what tends to zero as y tends to infinity is zero. */
static void quotient(double x, double y) {
  arf_t p, q;
  if (fabs(y) > DBL_MAX)
    x = 0.0;
  arf_init(p);
  arf_init(q);
  arf_set_d(p, x);
  arf_set_d(q, y);
  arf_div(scratch, p, q, 128, ARF_RND_FLOOR);
  arf_div(scratch2, p, q, 128, ARF_RND_CEIL);
  arf_clear(p);
  arf_clear(q);
}

static void ref_div(hys_interval a, hys_interval b) {
  const double x[2] = {a.lo, a.hi}, y[2] = {b.lo, b.hi};
  ref_begin();
  if (a.lo == 0 && a.hi == 0 && (b.lo != 0 || b.hi != 0)) {
    ref_set(0.0, 0.0);
  } else if ((b.lo == 0 && b.hi == 0) || (b.lo < 0 && b.hi > 0) ||
             ((b.lo == 0 || b.hi == 0) && a.lo < 0 && a.hi > 0)) {
    ref_set(-INF, INF);
  } else if (b.lo == 0 || b.hi == 0) {
    const double far = b.lo == 0 ? b.hi : b.lo, near = a.lo >= 0 ? a.lo : a.hi;
    const bool positive = (a.lo >= 0) == (far > 0);
    quotient(near, far);
    ref_include(scratch, scratch2);
    if (positive)
      arf_pos_inf(ref.hi);
    else
      arf_neg_inf(ref.lo);
  } else {
    for (int i = 0; i < 4; i++) {
      quotient(x[i & 1], y[i >> 1]);
      ref_include(scratch, scratch2);
    }
  }
}

static hys_interval mul_scalar(hys_interval a, hys_interval b) {
  return hys_interval_mul_scalar(a, b.lo);
}

typedef hys_interval (*binary)(hys_interval, hys_interval);

/* Random operands, exact bounds; then random members and their exact result. */
static void check_binary(const char *op, binary f, void (*bounds)(hys_interval, hys_interval), bool scalar,
                         int slack) {
  setup();
  for (unsigned s = 0; s < SEEDS; s++) {
    rng_state = seed_of(s);
    for (unsigned i = 0; i < 25000; i++) {
      const hys_interval a = rng_interval(), b = scalar ? hys_interval_point(rng_double()) : rng_interval();
      const hys_interval r = f(a, b);
      bounds(a, b);
      expect_result(op, a, b, r, slack);
      const double x = rng_member(a), y = rng_member(b);
      if (bounds != ref_div || y != 0.0) {
        bounds(hys_interval_point(x), hys_interval_point(y));
        ENCLOSED(encloses(r), "%s [%a,%a] [%a,%a] = [%a,%a] at %a, %a", op, a.lo, a.hi, b.lo, b.hi, r.lo,
                 r.hi, x, y);
      }
    }
  }
  teardown();
}

static void encloses_add(void) {
  check_binary("add", hys_interval_add, ref_add, false, 1);
}
static void encloses_sub(void) {
  check_binary("sub", hys_interval_sub, ref_sub, false, 1);
}
static void encloses_mul(void) {
  check_binary("mul", hys_interval_mul, ref_mul, false, 1);
}
static void encloses_mul_scalar(void) {
  check_binary("mul_scalar", mul_scalar, ref_mul, true, 1);
}
static void encloses_div(void) {
  check_binary("div", hys_interval_div, ref_div, false, 1);
}

/* The directed scalar operations, and that a zero operand costs nothing. */
static void encloses_scalars(void) {
  setup();
  for (unsigned s = 0; s < SEEDS; s++) {
    rng_state = seed_of(s);
    for (unsigned i = 0; i < 25000; i++) {
      const double x = rng_double(), y = rng_double();
      const hys_interval a = hys_interval_point(x), b = hys_interval_point(y), none = hys_interval_point(0.0);
      ref_add(a, b);
      expect_result("add", a, b, hysi_pair(hys_add_down(x, y), hys_add_up(x, y)), 1);
      ref_sub(a, b);
      expect_result("sub", a, b, hysi_pair(hys_sub_down(x, y), hys_sub_up(x, y)), 1);
      ref_mul(a, b);
      expect_result("mul", a, b, hysi_pair(hys_mul_down(x, y), hys_mul_up(x, y)), 1);
      if (y != 0.0) {
        ref_div(a, b);
        expect_result("div", a, b, hysi_pair(hys_div_down(x, y), hys_div_up(x, y)), 1);
      }
      if (x >= 0.0) {
        arf_set_d(scratch, x);
        arf_sqrt(ref.lo, scratch, 128, ARF_RND_FLOOR);
        arf_sqrt(ref.hi, scratch, 128, ARF_RND_CEIL);
        expect_result("sqrt", a, a, hysi_pair(hys_sqrt_down(x), hys_sqrt_up(x)), 1);
      }
      EXPECT(hys_add_up(x, 0.0) >= x && hys_mul_up(x, 0.0) == 0.0 && hys_mul_down(0.0, x) == 0.0, "%a", x);
      EXPECT(hys_sub_up(x, x) == 0.0 && hys_sub_down(x, x) == 0.0, "%a", x);
      (void)none;
      /* a step is the neighbour */
      EXPECT(hys_up(x) == nextafter(x, INF) && hys_down(x) == nextafter(x, -INF), "%a", x);
    }
  }
  teardown();
}

/* ---------------------------------------------------------------------------------------------------------
 * Decimals. */

/* The side on which the double x lies of digits * 10^e, by integers: -1 below, 0 equal, 1 above. */
static int side(double x, const arf_t digits, const arf_t power, bool inverse) {
  arf_set_d(scratch, x);
  arf_set(scratch2, digits);
  if (inverse)
    arf_mul(scratch, scratch, power, ARF_PREC_EXACT, ARF_RND_DOWN);
  else
    arf_mul(scratch2, scratch2, power, ARF_PREC_EXACT, ARF_RND_DOWN);
  return arf_cmp(scratch, scratch2);
}

/* text is digits, sign, exponent of a literal: its enclosure is the tightest. */
static void expect_decimal(const char *text, const char *digits, bool negative, long e) {
  hys_interval r = hys_interval_empty();
  fmpz_t p;
  arf_t value, scale;
  const size_t n = strlen(text), used = hys_interval_from_decimal(text, n, &r);
  fmpz_init(p);
  arf_init(value);
  arf_init(scale);
  fmpz_set_str(p, digits, 10);
  if (negative)
    fmpz_neg(p, p);
  arf_set_fmpz(value, p);
  fmpz_set_ui(p, 10);
  fmpz_pow_ui(p, p, (ulong)(e < 0 ? -e : e));
  arf_set_fmpz(scale, p);
  const int lo = side(r.lo, value, scale, e < 0), hi = side(r.hi, value, scale, e < 0);
  EXPECT(used == n, "%.150s: read %zu", text, used);
  ENCLOSED(lo <= 0 && hi >= 0, "%.150s in [%a,%a]", text, r.lo, r.hi);
  EXPECT((lo == 0 && hi == 0) || (lo < 0 && hi > 0), "%.150s in [%a,%a]", text, r.lo, r.hi);
  EXPECT(r.hi == r.lo || r.hi == nextafter(r.lo, INF), "%.150s in [%a,%a]", text, r.lo, r.hi);
  /* and by Arb's own reader */
  if (n < 60) {
    arb_set_str(ball, text, 300);
    arf_set_d(scratch, r.lo);
    arf_set_d(scratch2, r.hi);
    arb_set_interval_arf(ball2, scratch, scratch2, 2200);
    EXPECT(arb_overlaps(ball, ball2), "%.150s in [%a,%a]", text, r.lo, r.hi);
  }
  fmpz_clear(p);
  arf_clear(value);
  arf_clear(scale);
}

static void random_decimal(void) {
  char digits[1300], text[2000];
  const unsigned long_one = rng_below(20) == 0 ? 1200 : 25;
  const unsigned count = 1 + rng_below(rng_below(3) ? 8 : long_one), point = rng_below(count + 1);
  size_t n = 0;
  for (unsigned i = 0; i < count; i++)
    digits[i] = (char)('0' + (rng_below(3) ? rng_below(10) : 0));
  digits[count] = '\0';
  const bool negative = rng_below(3) == 0;
  if (negative)
    text[n++] = '-';
  else if (rng_below(4) == 0)
    text[n++] = '+';
  memcpy(text + n, digits, point);
  n += point;
  if (point < count || rng_below(2))
    text[n++] = '.';
  memcpy(text + n, digits + point, count - point);
  n += count - point;
  long e = 0;
  if (rng_below(2)) {
    e = (long)rng_below(rng_below(3) ? 40 : 720) * (rng_below(2) ? 1 : -1);
    n += (size_t)snprintf(text + n, sizeof text - n, rng_below(2) ? "e%ld" : "E%+ld", e);
  }
  text[n] = '\0';
  expect_decimal(text, digits, negative, e - (long)(count - point));
}

/* The exact decimal expansion of a double is that double; one digit more or less, however late, is not. */
static void expansion(void) {
  char text[2450], digits[2400];
  const double x = fabs(rng_double());
  const int places = (int)rng_below(2) ? 1100 : 780;
  snprintf(text, sizeof text, "%.*e", places, x); /* d.ddd...e[+-]xx */
  char *tail = strchr(text, 'e');
  const long e = strtol(tail + 1, NULL, 10);
  digits[0] = text[0];
  memcpy(digits + 1, text + 2, (size_t)places);
  digits[places + 1] = '\0';
  const unsigned change = rng_below(3);
  if (change == 1)
    digits[places] = (char)(digits[places] == '9' ? '8' : digits[places] + 1);
  long shift = e - places;
  if (change == 2 && x > 0.0) { /* a little less */
    fmpz_t p;
    fmpz_init(p);
    fmpz_set_str(p, digits, 10);
    fmpz_sub_ui(p, p, 1);
    fmpz_get_str(digits, 10, p);
    fmpz_clear(p);
  }
  snprintf(text, sizeof text, "%se%ld", digits, shift);
  expect_decimal(text, digits, false, shift);
}

static void encloses_decimal(void) {
  setup();
  for (unsigned s = 0; s < SEEDS; s++) {
    rng_state = seed_of(s);
    for (unsigned i = 0; i < 10000; i++)
      random_decimal();
    for (unsigned i = 0; i < 300; i++)
      expansion();
  }
  teardown();
}

CHECK_MAIN("prop_interval", {"encloses add", encloses_add}, {"encloses sub", encloses_sub},
           {"encloses mul", encloses_mul}, {"encloses mul_scalar", encloses_mul_scalar},
           {"encloses div", encloses_div}, {"encloses scalars", encloses_scalars},
           {"encloses decimal", encloses_decimal})
