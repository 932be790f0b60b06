/* Every operation on intervals against exact values: it encloses them, it is tight, it is inclusion isotone.
 * Built a second time with HYS_PLANT_NO_ROUNDING by gate_rounding.sh: each test whose name begins with
 * "encloses" must fail there. */
#include "core/rt/interval.h"
#include "tests/prop/arb_support.h"
#include "tests/support/check.h"

#define INF HYSI_INF

/* ---------------------------------------------------------------------------------------------------------
 * Exact intervals: arf holds every double, every product and sum of doubles, and the infinities. */

typedef struct exact {
  arf_t lo, hi;
} exact;

static exact ref; /* what the test at hand compares with */
static arf_t scratch, scratch2;
static arb_t ball, ball2, ball3;

static void setup(void) {
  arf_init(ref.lo);
  arf_init(ref.hi);
  arf_init(scratch);
  arf_init(scratch2);
  arb_init(ball);
  arb_init(ball2);
  arb_init(ball3);
  expect_begin();
}
static void teardown(void) {
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
static double floor_double(const arf_t x) {
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
static double ceil_double(const arf_t x) {
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
static bool encloses(hys_interval r) {
  return arf_cmp_d(ref.lo, r.lo) >= 0 && arf_cmp_d(ref.hi, r.hi) <= 0;
}
static bool tight(hys_interval r, int slack) {
  return r.lo >= outward(floor_double(ref.lo), -INF, slack) &&
         r.hi <= outward(ceil_double(ref.hi), INF, slack);
}
static bool well_formed(hys_interval r) {
  return r.lo <= r.hi && r.lo < INF && r.hi > -INF;
}

static void expect_result(const char *op, hys_interval a, hys_interval b, hys_interval r, int slack) {
  EXPECT(well_formed(r), "%s [%a,%a] [%a,%a] = [%a,%a]", op, a.lo, a.hi, b.lo, b.hi, r.lo, r.hi);
  ENCLOSED(encloses(r), "%s [%a,%a] [%a,%a] = [%a,%a]", op, a.lo, a.hi, b.lo, b.hi, r.lo, r.hi);
  if (slack >= 0)
    EXPECT(tight(r, slack), "%s [%a,%a] [%a,%a] = [%a,%a]", op, a.lo, a.hi, b.lo, b.hi, r.lo, r.hi);
}

static void ref_set(double lo, double hi) {
  arf_set_d(ref.lo, lo);
  arf_set_d(ref.hi, hi);
}
static void ref_begin(void) {
  arf_pos_inf(ref.lo);
  arf_neg_inf(ref.hi);
}
static void ref_include(const arf_t lo, const arf_t hi) {
  if (arf_cmp(lo, ref.lo) < 0)
    arf_set(ref.lo, lo);
  if (arf_cmp(hi, ref.hi) > 0)
    arf_set(ref.hi, hi);
}
static void ref_include_ball(const arb_t b, slong prec) {
  arb_get_lbound_arf(scratch, b, prec);
  arb_get_ubound_arf(scratch2, b, prec);
  ref_include(scratch, scratch2);
}

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
 * Functions of one interval. */

static void ref_sqr(hys_interval a) {
  arf_set_d(scratch, hys_interval_mig(a));
  arf_mul(ref.lo, scratch, scratch, ARF_PREC_EXACT, ARF_RND_DOWN);
  arf_set_d(scratch, fabs(a.lo) > fabs(a.hi) ? a.lo : a.hi);
  arf_mul(ref.hi, scratch, scratch, ARF_PREC_EXACT, ARF_RND_DOWN);
}
static void ref_sqrt(hys_interval a) {
  arf_set_d(scratch, a.lo > 0.0 ? a.lo : 0.0);
  arf_sqrt(ref.lo, scratch, 128, ARF_RND_FLOOR);
  arf_set_d(scratch, a.hi);
  arf_sqrt(ref.hi, scratch, 128, ARF_RND_CEIL);
}

static bool in_domain_sqrt(hys_interval a) {
  return a.hi >= 0.0;
}
static bool in_domain_log(hys_interval a) {
  return a.hi > 0.0;
}
static bool anywhere(hys_interval a) {
  (void)a;
  return true;
}

/* 1 + x^2 must be told from 1. */
static slong precision_at(double x) {
  return fabs(x) < 0x1p-60 ? 2400 : 200;
}

/* Increasing functions by their values at the ends. */
static void end_exp(double x) {
  if (x > 1000.0) { /* beyond all doubles, or infinite */
    arf_set_d(scratch, fabs(x) > DBL_MAX ? x : 1.0);
    arf_mul_2exp_si(scratch, scratch, 1025);
    arb_set_arf(ball, scratch);
  } else if (x < -1000.0) {
    arb_one(ball);
    arb_mul_2exp_si(ball, ball, -1080);
    if (x < -DBL_MAX)
      arb_zero(ball);
  } else {
    arb_set_d(ball, x);
    arb_exp(ball, ball, precision_at(x));
  }
}
static void end_log(double x) {
  if (!(x > 0.0)) {
    arb_neg_inf(ball);
  } else if (x > DBL_MAX) {
    arb_pos_inf(ball);
  } else {
    arb_set_d(ball, x);
    arb_log(ball, ball, 200);
  }
}
static void end_tanh(double x) {
  const double y = fabs(x) < 300.0 ? fabs(x) : 300.0; /* 1 - tanh 300 is far below what a double tells */
  if (fabs(x) > DBL_MAX) {
    arb_one(ball);
  } else {
    arb_set_d(ball, y);
    arb_tanh(ball, ball, 250 + 3 * (slong)y);
  }
  if (x < 0.0)
    arb_neg(ball, ball);
}
static void end_atan(double x) {
  if (fabs(x) > DBL_MAX) {
    arb_const_pi(ball, 200);
    arb_mul_2exp_si(ball, ball, -1);
    if (x < 0.0)
      arb_neg(ball, ball);
  } else {
    arb_set_d(ball, x);
    arb_atan(ball, ball, 200);
  }
}

static void ref_increasing(hys_interval a, void (*end)(double)) {
  ref_begin();
  end(a.lo);
  ref_include_ball(ball, 4000);
  end(a.hi);
  ref_include_ball(ball, 4000);
}
static void ref_exp(hys_interval a) {
  ref_increasing(a, end_exp);
}
static void ref_log(hys_interval a) {
  ref_increasing(a, end_log);
}
static void ref_tanh(hys_interval a) {
  ref_increasing(a, end_tanh);
}
static void ref_atan(hys_interval a) {
  ref_increasing(a, end_atan);
}

static slong trig_precision(hys_interval a) {
  int e;
  frexp(fabs(a.lo) > fabs(a.hi) ? a.lo : a.hi, &e);
  return 200 + (e > 0 ? e : 0);
}
/* Is a member of a equal to pi (k + quarters / 4) * period for an integer k?  (No double is, but zero.) */
static bool holds(hys_interval a, int period, int quarters) {
  const slong prec = trig_precision(a);
  arb_const_pi(ball3, prec);
  arb_mul_si(ball3, ball3, period, prec);
  arb_set_d(ball, a.lo);
  arb_div(ball, ball, ball3, prec);
  arb_set_d(ball2, a.hi);
  arb_div(ball2, ball2, ball3, prec);
  arb_set_d(ball3, 0.25 * quarters);
  arb_sub(ball, ball, ball3, prec);
  arb_sub(ball2, ball2, ball3, prec);
  arb_ceil(ball, ball, prec);
  arb_floor(ball2, ball2, prec);
  return !arb_gt(ball, ball2);
}
static void ref_wave(hys_interval a, void (*f)(arb_t, const arb_t, slong), int top, int bottom) {
  if (fabs(a.lo) > DBL_MAX || fabs(a.hi) > DBL_MAX) {
    ref_set(-1.0, 1.0);
    return;
  }
  const bool max = holds(a, 2, top), min = holds(a, 2, bottom);
  ref_begin();
  for (int i = 0; i < 2; i++) {
    arb_set_d(ball, i ? a.hi : a.lo);
    f(ball, ball, trig_precision(a) + precision_at(i ? a.hi : a.lo));
    ref_include_ball(ball, 2400);
  }
  if (max)
    arf_one(ref.hi);
  if (min)
    arf_set_si(ref.lo, -1);
}
static void ref_sin(hys_interval a) {
  ref_wave(a, arb_sin, 1, -1);
}
static void ref_cos(hys_interval a) {
  ref_wave(a, arb_cos, 0, 2);
}
static void ref_tan(hys_interval a) {
  if (fabs(a.lo) > DBL_MAX || fabs(a.hi) > DBL_MAX || holds(a, 1, 2)) {
    ref_set(-INF, INF);
    return;
  }
  ref_begin();
  for (int i = 0; i < 2; i++) {
    arb_set_d(ball, i ? a.hi : a.lo);
    arb_tan(ball, ball, trig_precision(a));
    ref_include_ball(ball, 200);
  }
}

typedef hys_interval (*unary)(hys_interval);

static bool small(hys_interval a) {
  return fabs(a.lo) <= 1e6 && fabs(a.hi) <= 1e6;
}

static void check_unary(const char *op, unary f, void (*bounds)(hys_interval), bool (*domain)(hys_interval),
                        double scale, unsigned count, int slack) {
  const bool periodic = bounds == ref_sin || bounds == ref_cos || bounds == ref_tan;
  setup();
  for (unsigned s = 0; s < SEEDS; s++) {
    rng_state = seed_of(s);
    for (unsigned i = 0; i < count; i++) {
      hys_interval a = rng_interval();
      if (rng_below(2)) { /* where something happens */
        const double x = (rng_unit() - 0.5) * scale,
                     y = rng_below(3) ? x + rng_unit() * 3.0 : nextafter(x, 1e9);
        a = hys_interval_make(x, y);
      }
      if (periodic && rng_below(4) == 0) { /* just before, or just beyond, a far extremum or pole */
        const double at = rint(ldexp(rng_unit(), (int)rng_below(48))) * 1.5707963267948966;
        const double y = outward(at, rng_below(2) ? INF : -INF, (int)rng_below(4));
        a = rng_below(2) ? hys_interval_make(y - rng_unit(), y) : hys_interval_make(y, y + rng_unit());
      }
      const hys_interval r = f(a);
      if (!domain(a)) {
        EXPECT(r.lo == -INF && r.hi == INF, "%s [%a,%a]", op, a.lo, a.hi);
        continue;
      }
      bounds(a);
      bool loose = periodic && !small(a);
      if (bounds == ref_tan)
        loose = loose || arf_cmp_d(ref.lo, -1e8) < 0 || arf_cmp_d(ref.hi, 1e8) > 0;
      expect_result(op, a, a, r, loose ? -1 : slack);
      const hys_interval x = hys_interval_point(rng_member(a));
      if (domain(x)) {
        bounds(x);
        ENCLOSED(encloses(r), "%s [%a,%a] = [%a,%a] at %a", op, a.lo, a.hi, r.lo, r.hi, x.lo);
      }
    }
  }
  teardown();
}

enum { LIBM_SLACK = HYS_LIBM_ULPS + 2 };

static void encloses_sqr(void) {
  check_unary("sqr", hys_interval_sqr, ref_sqr, anywhere, 10.0, 25000, 1);
}
static void encloses_sqrt(void) {
  check_unary("sqrt", hys_interval_sqrt, ref_sqrt, in_domain_sqrt, 10.0, 40000, 1);
}
static void encloses_exp(void) {
  check_unary("exp", hys_interval_exp, ref_exp, anywhere, 1600.0, 20000, LIBM_SLACK);
}
static void encloses_log(void) {
  check_unary("log", hys_interval_log, ref_log, in_domain_log, 10.0, 20000, LIBM_SLACK);
}
static void encloses_sin(void) {
  check_unary("sin", hys_interval_sin, ref_sin, anywhere, 100.0, 6000, LIBM_SLACK);
}
static void encloses_cos(void) {
  check_unary("cos", hys_interval_cos, ref_cos, anywhere, 100.0, 6000, LIBM_SLACK);
}
static void encloses_tan(void) {
  check_unary("tan", hys_interval_tan, ref_tan, anywhere, 100.0, 6000, LIBM_SLACK);
}
static void encloses_tanh(void) {
  check_unary("tanh", hys_interval_tanh, ref_tanh, anywhere, 40.0, 10000, HYS_LIBM_ULPS_TANH + 2);
}
static void encloses_atan(void) {
  check_unary("atan", hys_interval_atan, ref_atan, anywhere, 10.0, 20000, LIBM_SLACK);
}

/* ---------------------------------------------------------------------------------------------------------
 * Powers. */

/* x^n for a finite or infinite x, exact: 40 * 53 bits suffice. */
static void power(arf_t out, double x, unsigned n) {
  arf_set_d(out, x);
  if (arf_is_finite(out)) {
    arb_set_arf(ball, out);
    arb_pow_ui(ball, ball, n, 2400);
    arf_set(out, arb_midref(ball));
  } else if (n % 2 == 0) {
    arf_pos_inf(out);
  }
}

static void encloses_pow_int(void) {
  setup();
  arf_t m;
  arf_init(m);
  for (unsigned s = 0; s < SEEDS; s++) {
    rng_state = seed_of(s);
    for (unsigned i = 0; i < 20000; i++) {
      hys_interval a = rng_interval();
      if (rng_below(2)) {
        const double x = (rng_unit() - 0.5) * 8.0;
        a = hys_interval_make(x, x + rng_unit());
      }
      const unsigned n = rng_below(8) ? 1 + rng_below(9) : rng_below(41);
      const bool inverse = rng_below(3) == 0 && n > 0;
      const hys_interval r = hys_interval_pow_int(a, inverse ? -(int)n : (int)n);
      if (n == 0) {
        ref_set(1.0, 1.0);
      } else if (n % 2 == 0) {
        power(ref.lo, a.lo <= 0.0 && a.hi >= 0.0 ? 0.0 : a.lo > 0.0 ? a.lo : a.hi, n);
        power(ref.hi, fabs(a.lo) > fabs(a.hi) ? a.lo : a.hi, n);
      } else {
        power(ref.lo, a.lo, n);
        power(ref.hi, a.hi, n);
      }
      const int lo_sign = arf_sgn(ref.lo), hi_sign = arf_sgn(ref.hi);
      if (inverse) {
        if ((lo_sign == 0 && hi_sign == 0) || lo_sign * hi_sign < 0) {
          ref_set(-INF, INF);
        } else { /* 1/x swaps the ends; a zero end becomes an infinity of the other's sign */
          arf_set(m, ref.lo);
          if (hi_sign == 0)
            arf_neg_inf(ref.lo);
          else
            arf_ui_div(ref.lo, 1, ref.hi, 2400, ARF_RND_FLOOR);
          if (lo_sign == 0)
            arf_pos_inf(ref.hi);
          else
            arf_ui_div(ref.hi, 1, m, 2400, ARF_RND_CEIL);
        }
      }
      /* inner results that leave the normal numbers lose digits */
      bool loose = false;
      const arf_struct *ends[2] = {ref.lo, ref.hi};
      for (int k = 0; k < 2; k++)
        loose = loose || (!arf_is_zero(ends[k]) &&
                          (arf_cmpabs_2exp_si(ends[k], 960) > 0 || arf_cmpabs_2exp_si(ends[k], -960) < 0));
      ENCLOSED(well_formed(r) && encloses(r), "[%a,%a]^%s%u = [%a,%a]", a.lo, a.hi, inverse ? "-" : "", n,
               r.lo, r.hi);
      if (!loose)
        EXPECT(tight(r, 3 * (int)n + 3), "[%a,%a]^%s%u = [%a,%a]", a.lo, a.hi, inverse ? "-" : "", n, r.lo,
               r.hi);
    }
  }
  arf_clear(m);
  teardown();
}

/* x^y for finite x > 0. */
static void power_real(double x, double y) {
  arb_set_d(ball, x);
  arb_log(ball, ball, 400);
  arb_set_d(ball2, y);
  arb_mul(ball, ball, ball2, 400);
  arb_set_si(ball2, 2000);
  if (arb_gt(ball, ball2))
    arb_set(ball, ball2);
  arb_neg(ball2, ball2);
  if (arb_lt(ball, ball2))
    arb_set(ball, ball2);
  arb_exp(ball, ball, 400);
}

static void encloses_pow(void) {
  setup();
  for (unsigned s = 0; s < SEEDS; s++) {
    rng_state = seed_of(s);
    for (unsigned i = 0; i < 10000; i++) {
      hys_interval a = rng_interval(), b = rng_interval();
      if (rng_below(2)) {
        const double x = (rng_unit() - 0.1) * 8.0, y = (rng_unit() - 0.5) * 20.0;
        a = hys_interval_make(x, x + rng_unit());
        b = hys_interval_make(y, rng_below(2) ? y + rng_unit() : y);
      }
      const hys_interval r = hys_interval_pow(a, b);
      EXPECT(well_formed(r), "[%a,%a]^[%a,%a] = [%a,%a]", a.lo, a.hi, b.lo, b.hi, r.lo, r.hi);
      const double x = rng_member(a), y = rng_member(b);
      ref_begin();
      if (x != 0.0 && floor(y) == y && fabs(y) <= 30.0) { /* exact; a negative base has these powers too */
        arb_set_d(ball, x);
        arb_set_d(ball2, y);
        arb_pow(ball, ball, ball2, 3000);
        ref_include_ball(ball, 3000);
      } else if (x > 0.0) {
        power_real(x, y);
        ref_include_ball(ball, 400);
      } else if (x == 0.0 && y >= 0.0) {
        ref_set(y == 0.0 ? 1.0 : 0.0, y == 0.0 ? 1.0 : 0.0);
      }
      ENCLOSED(encloses(r), "[%a,%a]^[%a,%a] = [%a,%a] at %a, %a", a.lo, a.hi, b.lo, b.hi, r.lo, r.hi, x, y);
      if (a.lo > 0.0 && a.hi <= DBL_MAX && fabs(b.lo) <= DBL_MAX && fabs(b.hi) <= DBL_MAX) {
        ref_begin();
        for (int k = 0; k < 4; k++) {
          power_real(k & 1 ? a.hi : a.lo, k & 2 ? b.hi : b.lo);
          ref_include_ball(ball, 400);
        }
        expect_result("pow", a, b, r, LIBM_SLACK);
      }
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

/* ---------------------------------------------------------------------------------------------------------
 * Isotone, aliased, empty. */

static const struct binary_row {
  const char *name;
  binary f;
  int steps; /* by which libm may fail to be monotone */
} binaries[] = {
    {"add", hys_interval_add, 0},   {"sub", hys_interval_sub, 0},
    {"mul", hys_interval_mul, 0},   {"div", hys_interval_div, 0},
    {"min", hys_interval_min, 0},   {"max", hys_interval_max, 0},
    {"hull", hys_interval_hull, 0}, {"intersect", hys_interval_intersect, 0},
    {"pow", hys_interval_pow, 2},
};

static hys_interval cube(hys_interval a) {
  return hys_interval_pow_int(a, 3);
}
static hys_interval fourth(hys_interval a) {
  return hys_interval_pow_int(a, 4);
}
static hys_interval inverse(hys_interval a) {
  return hys_interval_pow_int(a, -1);
}
static hys_interval inverse_sqr(hys_interval a) {
  return hys_interval_pow_int(a, -2);
}

static const struct unary_row {
  const char *name;
  unary f;
  bool (*domain)(hys_interval);
  int steps;
} unaries[] = {
    {"neg", hys_interval_neg, anywhere, 0},    {"abs", hys_interval_abs, anywhere, 0},
    {"sqr", hys_interval_sqr, anywhere, 0},    {"sqrt", hys_interval_sqrt, in_domain_sqrt, 0},
    {"exp", hys_interval_exp, anywhere, 2},    {"log", hys_interval_log, in_domain_log, 2},
    {"sin", hys_interval_sin, anywhere, 2},    {"cos", hys_interval_cos, anywhere, 2},
    {"tan", hys_interval_tan, anywhere, 2},    {"tanh", hys_interval_tanh, anywhere, 2},
    {"atan", hys_interval_atan, anywhere, 2},  {"cube", cube, anywhere, 0},
    {"fourth", fourth, anywhere, 0},           {"inverse", inverse, anywhere, 0},
    {"inverse_sqr", inverse_sqr, anywhere, 0},
};
enum { BINARIES = sizeof binaries / sizeof binaries[0], UNARIES = sizeof unaries / sizeof unaries[0] };

static bool inside(hys_interval a, hys_interval b, int steps) {
  return hys_interval_is_empty(a) ||
         (a.lo >= outward(b.lo, -INF, steps) && a.hi <= outward(b.hi, INF, steps));
}
static bool zero(hys_interval a) {
  return a.lo == 0.0 && a.hi == 0.0;
}

static void is_isotone(void) {
  setup();
  for (unsigned s = 0; s < SEEDS; s++) {
    rng_state = seed_of(s);
    for (unsigned i = 0; i < 30000; i++) {
      const hys_interval A = rng_interval(), B = rng_interval(), a = rng_subset(A), b = rng_subset(B);
      for (unsigned k = 0; k < BINARIES; k++) {
        if (binaries[k].f == hys_interval_div && zero(b))
          continue;
        /* the base has left the domain, or is zero, where only positive exponents are defined */
        if (binaries[k].f == hys_interval_pow && (a.lo < 0.0 || A.lo < 0.0 || zero(a)))
          continue;
        const hys_interval r = binaries[k].f(a, b), R = binaries[k].f(A, B);
        EXPECT(inside(r, R, binaries[k].steps), "%s [%a,%a] in [%a,%a], [%a,%a] in [%a,%a]", binaries[k].name,
               a.lo, a.hi, A.lo, A.hi, b.lo, b.hi, B.lo, B.hi);
      }
      for (unsigned k = 0; k < UNARIES; k++) {
        if (!unaries[k].domain(a) || ((unaries[k].f == inverse || unaries[k].f == inverse_sqr) && zero(a)))
          continue;
        const hys_interval r = unaries[k].f(a), R = unaries[k].f(A);
        EXPECT(inside(r, R, unaries[k].steps), "%s [%a,%a] in [%a,%a]: [%a,%a] in [%a,%a]", unaries[k].name,
               a.lo, a.hi, A.lo, A.hi, r.lo, r.hi, R.lo, R.hi);
      }
    }
  }
  teardown();
}

/* f(x, x) with one object in all three places is f of two copies; arithmetic that is symmetric is so bit for
 * bit. */
static void is_alias_free(void) {
  setup();
  for (unsigned s = 0; s < SEEDS; s++) {
    rng_state = seed_of(s);
    for (unsigned i = 0; i < 20000; i++) {
      const hys_interval a = rng_interval(), b = rng_interval(), copy = a;
      for (unsigned k = 0; k < BINARIES; k++) {
        hys_interval c = a, d = b, e = a;
        c = binaries[k].f(c, c);
        d = binaries[k].f(a, d);
        e = binaries[k].f(e, b);
        EXPECT(hys_interval_equal(c, binaries[k].f(a, copy)), "%s [%a,%a]", binaries[k].name, a.lo, a.hi);
        EXPECT(hys_interval_equal(d, e), "%s [%a,%a] [%a,%a]", binaries[k].name, a.lo, a.hi, b.lo, b.hi);
      }
      const hys_interval p = hys_interval_mul(a, b), q = hys_interval_mul(b, a), u = hys_interval_add(a, b),
                         v = hys_interval_add(b, a);
      EXPECT(hys_interval_equal(p, q) && hys_interval_equal(u, v), "[%a,%a] [%a,%a]", a.lo, a.hi, b.lo, b.hi);
      const hys_interval sq = hys_interval_sqr(a);
      EXPECT(hys_interval_inside_surely(sq, hys_interval_mul(a, a)), "[%a,%a]", a.lo, a.hi);
    }
  }
  teardown();
}

static bool canonical_empty(hys_interval a) {
  return a.lo == INF && a.hi == -INF;
}

static void empty_gives_empty(void) {
  setup();
  const hys_interval none = hys_interval_empty();
  for (unsigned s = 0; s < SEEDS; s++) {
    rng_state = seed_of(s);
    for (unsigned i = 0; i < 3000; i++) {
      const hys_interval a = i == 0 ? hys_interval_entire() : i == 1 ? none : rng_interval();
      for (unsigned k = 0; k < BINARIES; k++) {
        const hys_interval l = binaries[k].f(none, a), r = binaries[k].f(a, none);
        if (binaries[k].f == hys_interval_hull)
          EXPECT(hys_interval_equal(l, a) && hys_interval_equal(r, a), "hull [%a,%a]", a.lo, a.hi);
        else
          EXPECT(canonical_empty(l) && canonical_empty(r), "%s [%a,%a]", binaries[k].name, a.lo, a.hi);
      }
      for (unsigned k = 0; k < UNARIES; k++)
        EXPECT(canonical_empty(unaries[k].f(none)), "%s", unaries[k].name);
      EXPECT(canonical_empty(hys_interval_mul_scalar(none, a.lo)), "mul_scalar %a", a.lo);
      EXPECT(!hys_interval_inside_surely(none, a) && !hys_interval_le_surely(none, a) &&
                 !hys_interval_le_surely(a, none) && !hys_interval_lt_surely(none, a) &&
                 !hys_interval_lt_surely(a, none) && !hys_interval_meets_maybe(a, none) &&
                 !hys_interval_meets_maybe(none, a) && !hys_interval_disjoint_surely(none, a) &&
                 !hys_interval_le_maybe(none, a) && !hys_interval_le_maybe(a, none) &&
                 !hys_interval_lt_maybe(none, a) && !hys_interval_lt_maybe(a, none) &&
                 !hys_interval_contains_surely(none, a.lo),
             "[%a,%a]", a.lo, a.hi);
    }
  }
  teardown();
}

/* ---------------------------------------------------------------------------------------------------------
 * Sets and measures against members. */

static void agrees_with_members(void) {
  setup();
  for (unsigned s = 0; s < SEEDS; s++) {
    rng_state = seed_of(s);
    for (unsigned i = 0; i < 60000; i++) {
      const hys_interval a = rng_interval(), b = rng_below(2) ? rng_interval() : rng_subset(a);
      const double x = rng_member(a), y = rng_member(b);
      const hys_interval h = hys_interval_hull(a, b), c = hys_interval_intersect(a, b);
      const bool x_in_b = y <= b.hi && b.lo <= x && x <= b.hi;
#define HOLDS(cond) EXPECT(cond, "[%a,%a] [%a,%a] %a %a", a.lo, a.hi, b.lo, b.hi, x, y)
      HOLDS(hys_interval_contains_surely(a, x) && hys_interval_contains_surely(b, x) == x_in_b);
      HOLDS(hys_interval_contains_surely(h, x) && hys_interval_contains_surely(h, y));
      HOLDS(hys_interval_contains_surely(c, x) == x_in_b);
      HOLDS(hys_interval_is_empty(c) == !hys_interval_meets_maybe(a, b));
      HOLDS(hys_interval_is_empty(c) == hys_interval_disjoint_surely(a, b));
      HOLDS(!hys_interval_is_empty(c) || canonical_empty(c));
      if (x_in_b)
        HOLDS(hys_interval_meets_maybe(a, b));
      if (hys_interval_inside_surely(a, b))
        HOLDS(x_in_b && hys_interval_equal(h, b));
      if (hys_interval_le_surely(a, b))
        HOLDS(x <= y);
      if (hys_interval_lt_surely(a, b))
        HOLDS(x < y && hys_interval_disjoint_surely(a, b));
      if (x <= y)
        HOLDS(hys_interval_le_maybe(a, b));
      if (x < y)
        HOLDS(hys_interval_lt_maybe(a, b));
      HOLDS(hys_interval_le_maybe(a, b) == !hys_interval_lt_surely(b, a));
      HOLDS(hys_interval_lt_maybe(a, b) == !hys_interval_le_surely(b, a));
      HOLDS(hys_interval_contains_surely(hys_interval_abs(a), fabs(x)) &&
            hys_interval_contains_surely(hys_interval_neg(a), -x));
      HOLDS(hys_interval_contains_surely(hys_interval_min(a, b), x < y ? x : y));
      HOLDS(hys_interval_contains_surely(hys_interval_max(a, b), x > y ? x : y));
      HOLDS(hys_interval_mig(a) <= fabs(x) && fabs(x) <= hys_interval_mag(a));
      HOLDS(hys_interval_abs(a).hi == hys_interval_mag(a) && hys_interval_abs(a).lo == hys_interval_mig(a));
      const double m = hys_interval_mid(a), r = hys_interval_rad(a);
      HOLDS(hys_interval_contains_surely(a, m) && r >= 0.0);
      /* [m - r, m + r] holds a, exactly */
      arf_set_d(scratch, m);
      arf_set_d(scratch2, r);
      arf_sub(ref.lo, scratch, scratch2, ARF_PREC_EXACT, ARF_RND_DOWN);
      arf_add(ref.hi, scratch, scratch2, ARF_PREC_EXACT, ARF_RND_DOWN);
      HOLDS(arf_cmp_d(ref.lo, a.lo) <= 0 && arf_cmp_d(ref.hi, a.hi) >= 0);
      if (a.lo == a.hi)
        HOLDS(m == a.lo && r == 0.0 && hys_interval_width(a) == 0.0);
      arf_set_d(scratch, a.hi);
      arf_set_d(scratch2, a.lo);
      arf_sub(scratch, scratch, scratch2, ARF_PREC_EXACT, ARF_RND_DOWN);
      HOLDS(arf_cmp_d(scratch, hys_interval_width(a)) <= 0);
      HOLDS(hys_interval_width(a) <= nextafter(ceil_double(scratch), INF));
#undef HOLDS
    }
  }
  teardown();
}

CHECK_MAIN("prop_interval", {"encloses add", encloses_add}, {"encloses sub", encloses_sub},
           {"encloses mul", encloses_mul}, {"encloses mul_scalar", encloses_mul_scalar},
           {"encloses div", encloses_div}, {"encloses scalars", encloses_scalars},
           {"encloses sqr", encloses_sqr}, {"encloses sqrt", encloses_sqrt}, {"encloses exp", encloses_exp},
           {"encloses log", encloses_log}, {"encloses sin", encloses_sin}, {"encloses cos", encloses_cos},
           {"encloses tan", encloses_tan}, {"encloses tanh", encloses_tanh}, {"encloses atan", encloses_atan},
           {"encloses pow_int", encloses_pow_int}, {"encloses pow", encloses_pow},
           {"encloses decimal", encloses_decimal}, {"is isotone", is_isotone},
           {"is alias free", is_alias_free}, {"empty gives empty", empty_gives_empty},
           {"agrees with members", agrees_with_members})
