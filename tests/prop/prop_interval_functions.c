/* Functions and powers of intervals against exact values: they enclose them, they are tight.  Built a second
 * time with HYS_PLANT_NO_ROUNDING by gate_rounding.sh: each test whose name begins with "encloses" must fail
 * there. */
#include "core/rt/interval.h"
#include "tests/prop/exact_support.h"
#include "tests/support/check.h"

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

/* x^y for finite x > 0; exact where y is a small natural number. */
static void power_real(double x, double y) {
  arb_set_d(ball, x);
  if (floor(y) == y && y >= 0.0 && y <= 30.0) {
    arb_pow_ui(ball, ball, (ulong)y, 3000);
    return;
  }
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

CHECK_MAIN("prop_interval_functions", {"encloses sqr", encloses_sqr}, {"encloses sqrt", encloses_sqrt},
           {"encloses exp", encloses_exp}, {"encloses log", encloses_log}, {"encloses sin", encloses_sin},
           {"encloses cos", encloses_cos}, {"encloses tan", encloses_tan}, {"encloses tanh", encloses_tanh},
           {"encloses atan", encloses_atan}, {"encloses pow_int", encloses_pow_int},
           {"encloses pow", encloses_pow})
