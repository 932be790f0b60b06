/* What holds of all operations on intervals alike: they are inclusion isotone, do not mind aliases, are empty
 * where an operand is; and sets and measures against members. */
#include "core/rt/interval.h"
#include "tests/prop/exact_support.h"
#include "tests/support/check.h"

typedef hys_interval (*unary)(hys_interval);
typedef hys_interval (*binary)(hys_interval, hys_interval);

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

static bool is_integer(hys_interval b) {
  return b.lo == b.hi && floor(b.lo) == b.lo && fabs(b.lo) <= 2147483647.0;
}
/* Some member of a has powers with exponents of b: otherwise a has left the domain. */
static bool has_power(hys_interval a, hys_interval b) {
  return is_integer(b) ? b.lo >= 0.0 || !zero(a) : a.hi > 0.0;
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
        if (binaries[k].f == hys_interval_pow && !has_power(a, b))
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

/* Integer exponents take bases of all signs: that the larger base reaches below zero changes nothing for
 * the smaller one. */
static void powers_are_isotone(void) {
  setup();
  for (unsigned s = 0; s < SEEDS; s++) {
    rng_state = seed_of(s);
    for (unsigned i = 0; i < 100000; i++) {
      const double x = (rng_unit() - 0.5) * 8.0, n = (double)rng_below(61) - 20.0;
      const hys_interval A = rng_below(4) ? hys_interval_make(x, x + rng_unit() * 4.0) : rng_interval(),
                         a = rng_subset(A), b = hys_interval_point(n);
      if (!has_power(a, b))
        continue;
      const hys_interval r = hys_interval_pow(a, b), R = hys_interval_pow(A, b);
      EXPECT(inside(r, R, 2), "[%a,%a] in [%a,%a] ^ %g: [%a,%a] in [%a,%a]", a.lo, a.hi, A.lo, A.hi, n, r.lo,
             r.hi, R.lo, R.hi);
      EXPECT(inside(r, hys_interval_pow_int(a, (int)n), 0), "[%a,%a] ^ %g", a.lo, a.hi, n);
    }
  }
  teardown();
}

/* f(x, x) with one object in all three places is f of two copies; arithmetic that is symmetric is so bit
 * for bit. */
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

CHECK_MAIN("prop_interval_laws", {"is isotone", is_isotone}, {"powers are isotone", powers_are_isotone},
           {"is alias free", is_alias_free}, {"empty gives empty", empty_gives_empty},
           {"agrees with members", agrees_with_members})
