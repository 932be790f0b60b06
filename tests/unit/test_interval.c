/* Intervals: tables of exact expectations, and the mistakes others have made. The random part is
 * tests/prop/prop_interval.c. */
#include "core/rt/interval.h"
#include "tests/support/check.h"

#include <fenv.h>
#include <limits.h>
#include <locale.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#define INF HYSI_INF
#define MAXD DBL_MAX
#define LEAST HYSI_MIN_SUBNORMAL
#define COUNT(table) (sizeof(table) / sizeof(table)[0])

static hys_interval iv(double lo, double hi) {
  return hysi_pair(lo, hi);
}

static void check_interval(hys_interval got, hys_interval want) {
  CHECK_SAME(got.lo, want.lo);
  CHECK_SAME(got.hi, want.hi);
}
/* The same set: the two zeros are alike. */
static void check_set(hys_interval got, hys_interval want) {
  CHECK_SAME(got.lo + 0.0, want.lo + 0.0);
  CHECK_SAME(got.hi + 0.0, want.hi + 0.0);
}

static void steps(void) {
  static const struct {
    double x, down, up;
  } t[] = {
      {0.0, -0x1p-1074, 0x1p-1074},
      {-0.0, -0x1p-1074, 0x1p-1074},
      {0x1p-1074, 0.0, 0x1p-1073},
      {-0x1p-1074, -0x1p-1073, -0.0},
      {1.0, 1.0 - 0x1p-53, 1.0 + 0x1p-52},
      {-1.0, -1.0 - 0x1p-52, -1.0 + 0x1p-53},
      {DBL_MIN, DBL_MIN - 0x1p-1074, DBL_MIN + 0x1p-1074},
      {DBL_MAX, 0x1.ffffffffffffep1023, (double)INFINITY},
      {-DBL_MAX, -(double)INFINITY, -0x1.ffffffffffffep1023},
      {(double)INFINITY, DBL_MAX, (double)INFINITY},
      {-(double)INFINITY, -(double)INFINITY, -DBL_MAX},
      {(double)NAN, -(double)INFINITY, (double)INFINITY},
  };
  for (size_t i = 0; i < COUNT(t); i++) {
    check_label("%a", t[i].x);
    CHECK_SAME(hys_up(t[i].x), t[i].up);
    CHECK_SAME(hys_down(t[i].x), t[i].down);
  }
}

static void scalars(void) {
  CHECK_SAME(hys_add_up(1.0, 0x1p-60), 1.0 + 0x1p-52);
  CHECK_SAME(hys_add_down(1.0, -0x1p-60), 1.0 - 0x1p-53);
  CHECK_SAME(hys_add_up(MAXD, MAXD), INF);
  CHECK_SAME(hys_add_down(MAXD, MAXD), MAXD);
  CHECK_SAME(hys_sub_up(-MAXD, MAXD), -MAXD);
  CHECK_SAME(hys_sub_down(-MAXD, MAXD), -INF);
  CHECK_SAME(hys_add_up(INF, -INF), INF);
  CHECK_SAME(hys_add_down(INF, -INF), -INF);
  CHECK_SAME(hys_sub_up(3.0, 3.0), 0.0);
  CHECK_SAME(hys_sub_down(3.0, 3.0), 0.0);
  /* products and quotients that underflow keep their sign, those of zero are exact */
  CHECK_SAME(hys_mul_up(LEAST, 0.25), LEAST);
  CHECK_SAME(hys_mul_down(LEAST, 0.25), 0.0);
  CHECK_SAME(hys_mul_up(-LEAST, 0.25), 0.0);
  CHECK_SAME(hys_mul_down(LEAST, -0.25), -LEAST);
  CHECK_SAME(hys_mul_up(0.0, -5.0), 0.0);
  CHECK_SAME(hys_mul_down(-7.0, 0.0), 0.0);
  CHECK_SAME(hys_mul_up(0.0, INF), INF); /* a scalar knows of no convention */
  CHECK_SAME(hys_mul_down(0.0, INF), -INF);
  CHECK_SAME(hys_mul_down(1e200, 1e200), MAXD);
  CHECK_SAME(hys_mul_up(-1e200, 1e200), -MAXD);
  CHECK_SAME(hys_div_up(LEAST, 4.0), LEAST);
  CHECK_SAME(hys_div_down(LEAST, 4.0), 0.0);
  CHECK_SAME(hys_div_up(LEAST, -4.0), 0.0);
  CHECK_SAME(hys_div_down(-LEAST, 4.0), -LEAST);
  CHECK_SAME(hys_div_up(0.0, -4.0), 0.0);
  CHECK_SAME(hys_div_down(0.0, 4.0), 0.0);
  CHECK_SAME(hys_div_up(1.0, 0.0), INF);
  CHECK_SAME(hys_div_up(1.0, -0.0), INF);
  CHECK_SAME(hys_div_down(1.0, 0.0), -INF);
  CHECK_SAME(hys_div_up(0.0, 0.0), INF);
  CHECK_SAME(hys_div_down(1.0, -0.0), -INF);
  CHECK_SAME(hys_sqrt_up(0.0), 0.0);
  CHECK_SAME(hys_sqrt_down(0.0), 0.0);
  CHECK_SAME(hys_sqrt_up(-1.0), INF);
  CHECK_SAME(hys_sqrt_down(-1.0), -INF);
}

static void making(void) {
  static const struct {
    double lo, hi;
    hys_interval want;
  } t[] = {
      {1.0, 2.0, {1.0, 2.0}},
      {2.0, 1.0, {(double)INFINITY, -(double)INFINITY}},
      {(double)NAN, 1.0, {-(double)INFINITY, (double)INFINITY}},
      {1.0, (double)NAN, {-(double)INFINITY, (double)INFINITY}},
      {(double)INFINITY, (double)INFINITY, {DBL_MAX, (double)INFINITY}},
      {-(double)INFINITY, -(double)INFINITY, {-(double)INFINITY, -DBL_MAX}},
      {-(double)INFINITY, (double)INFINITY, {-(double)INFINITY, (double)INFINITY}},
      {(double)INFINITY, -(double)INFINITY, {(double)INFINITY, -(double)INFINITY}},
      {-0.0, 0.0, {-0.0, 0.0}},
  };
  for (size_t i = 0; i < COUNT(t); i++) {
    check_label("%g %g", t[i].lo, t[i].hi);
    check_interval(hys_interval_make(t[i].lo, t[i].hi), t[i].want);
  }
  check_label("point");
  check_interval(hys_interval_point(0.1), iv(0.1, 0.1));
  check_interval(hys_interval_point(HYSI_NAN), iv(-INF, INF));
  check_interval(hys_interval_point(-INF), iv(-INF, -MAXD));
  CHECK(hys_interval_is_empty(hys_interval_empty()));
  CHECK(!hys_interval_is_empty(hys_interval_entire()));
  CHECK(!hys_interval_is_empty(hys_interval_make(HYSI_NAN, HYSI_NAN)));
  CHECK(hys_interval_equal(iv(0.0, 1.0), iv(0.0, 1.0)));
  CHECK(!hys_interval_equal(iv(0.0, 1.0), iv(-0.0, 1.0)));
  CHECK(!hys_interval_equal(iv(0.0, 1.0), iv(0.0, 2.0)));
}

/* Zeroed memory is the point zero, not the entire line and not the empty set. */
static void zeroed_memory(void) {
  hys_interval a;
  memset(&a, 0, sizeof a);
  check_interval(a, hys_interval_point(0.0));
}

static void decimals(void) {
  static const struct {
    const char *text;
    size_t used;
    double lo, hi;
  } t[] = {
      {"0.5", 3, 0.5, 0.5},
      {"2", 1, 2.0, 2.0},
      {"1e3", 3, 1000.0, 1000.0},
      {"-0.25", 5, -0.25, -0.25},
      {"+3.", 3, 3.0, 3.0},
      {".5", 2, 0.5, 0.5},
      {"0", 1, 0.0, 0.0},
      {"-0", 2, 0.0, 0.0},
      {"0e999999999999999999999999", 26, 0.0, 0.0},
      {"1E+2", 4, 100.0, 100.0},
      {"5e-1", 4, 0.5, 0.5},
      {"00012.50", 8, 12.5, 12.5},
      {"0.1", 3, 0x1.9999999999999p-4, 0x1.999999999999ap-4},
      {"-0.1", 4, -0x1.999999999999ap-4, -0x1.9999999999999p-4},
      {"9007199254740993", 16, 9007199254740992.0, 9007199254740994.0},
      {"1e22", 4, 1e22, 1e22},
      {"1e23", 4, 0x1.52d02c7e14af6p+76, 0x1.52d02c7e14af7p+76},
      {"1.7976931348623157e308", 22, 0x1.ffffffffffffep1023, DBL_MAX},
      {"1.7976931348623158e308", 22, DBL_MAX, (double)INFINITY},
      {"1e309", 5, DBL_MAX, (double)INFINITY},
      {"1e99999999999999999999", 22, DBL_MAX, (double)INFINITY},
      {"-1e400", 6, -(double)INFINITY, -DBL_MAX},
      {"1e-400", 6, 0.0, 0x1p-1074},
      {"1e-99999999999999999999", 23, 0.0, 0x1p-1074},
      {"-1e-324", 7, -0x1p-1074, -0.0},
      {"4.9e-324", 8, 0.0, 0x1p-1074},
      {"5e-324", 6, 0x1p-1074, 0x1p-1073},
      {"2.2250738585072011e-308", 23, 0x0.fffffffffffffp-1022, 0x1p-1022},
      /* what is read ends where the number ends */
      {"12abc", 2, 12.0, 12.0},
      {"1e", 1, 1.0, 1.0},
      {"1e+", 1, 1.0, 1.0},
      {"1e-x", 1, 1.0, 1.0},
      {"1e:", 1, 1.0, 1.0},
      {"1e/", 1, 1.0, 1.0},
      {"1e1:", 3, 10.0, 10.0},
      {"1e1/", 3, 10.0, 10.0},
      {"1:", 1, 1.0, 1.0},
      {"1.5.5", 3, 1.5, 1.5},
      {"1,5", 1, 1.0, 1.0},
      {"0x10", 1, 0.0, 0.0},
      {"7 ", 1, 7.0, 7.0},
      /* no number */
      {"", 0, -(double)INFINITY, (double)INFINITY},
      {".", 0, -(double)INFINITY, (double)INFINITY},
      {"-", 0, -(double)INFINITY, (double)INFINITY},
      {"+.e1", 0, -(double)INFINITY, (double)INFINITY},
      {"e5", 0, -(double)INFINITY, (double)INFINITY},
      {" 1", 0, -(double)INFINITY, (double)INFINITY},
      {"inf", 0, -(double)INFINITY, (double)INFINITY},
      {"nan", 0, -(double)INFINITY, (double)INFINITY},
      {"--1", 0, -(double)INFINITY, (double)INFINITY},
  };
  for (size_t i = 0; i < COUNT(t); i++) {
    hys_interval a = hys_interval_empty();
    check_label("%s", t[i].text);
    CHECK_INT(hys_interval_from_decimal(t[i].text, strlen(t[i].text), &a), t[i].used);
    check_interval(a, iv(t[i].lo, t[i].hi));
  }
  /* not one character beyond n is looked at */
  hys_interval a;
  check_label("length");
  CHECK_INT(hys_interval_from_decimal("125e1", 2, &a), 2);
  check_interval(a, iv(12.0, 12.0));
  CHECK_INT(hys_interval_from_decimal("125e1", 4, &a), 3);
  check_interval(a, iv(125.0, 125.0));
  CHECK_INT(hys_interval_from_decimal("1e12", 3, &a), 3);
  check_interval(a, iv(10.0, 10.0));
  CHECK_INT(hys_interval_from_decimal("5", 0, &a), 0);
}

/* Digits beyond those that are kept still count. */
static void long_decimals(void) {
  enum { N = 5000 };
  static char s[N];
  hys_interval a;
  memset(s, '0', sizeof s);
  s[0] = '1';
  s[1] = '.';
  check_label("one, to the last digit");
  CHECK_INT(hys_interval_from_decimal(s, N, &a), N);
  check_interval(a, iv(1.0, 1.0));
  s[N - 1] = '1';
  check_label("a little more than one");
  CHECK_INT(hys_interval_from_decimal(s, N, &a), N);
  check_interval(a, iv(1.0, 1.0 + 0x1p-52));
  memset(s, '0', sizeof s);
  s[0] = '.';
  memcpy(s + N - 6, "1e4994", 6); /* the one stands in place 4994 */
  check_label("leading zeros");
  CHECK_INT(hys_interval_from_decimal(s, N, &a), N);
  check_interval(a, iv(1.0, 1.0));
  memset(s, '0', sizeof s);
  s[0] = '3';
  memcpy(s + N - 6, "e-4993", 6);
  check_label("trailing zeros");
  CHECK_INT(hys_interval_from_decimal(s, N, &a), N);
  check_interval(a, iv(3.0, 3.0));
}

/* A locale with a decimal comma changes nothing (where there is none installed, neither does this test). */
static void locale_plays_no_part(void) {
  hys_interval a;
  if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL)
    setlocale(LC_ALL, "");
  CHECK_INT(hys_interval_from_decimal("0.5", 3, &a), 3);
  check_interval(a, iv(0.5, 0.5));
  CHECK_INT(hys_interval_from_decimal("0,5", 3, &a), 1);
  setlocale(LC_ALL, "C");
}

/* ---------------------------------------------------------------------------------------------------------
 * Mistakes of others. */

static void even_power_of_positive(void) {
  for (int n = 2; n <= 8; n += 2) {
    const hys_interval r = hys_interval_pow_int(iv(2.0, 3.0), n), m = hys_interval_pow_int(iv(-3.0, -2.0), n);
    check_label("n %d", n);
    CHECK(hys_interval_contains_surely(r, pow(2.0, n)) && hys_interval_contains_surely(r, pow(3.0, n)));
    CHECK(r.lo > 0.99 * pow(2.0, n) && r.hi < 1.01 * pow(3.0, n));
    check_interval(m, r);
    check_set(hys_interval_pow_int(iv(-2.0, 3.0), n), iv(0.0, r.hi));
    check_set(hys_interval_pow_int(iv(-3.0, 2.0), n), iv(0.0, r.hi));
  }
  const hys_interval s = hys_interval_sqr(iv(2.0, 3.0));
  CHECK(s.lo <= 4.0 && s.lo > 3.99 && s.hi >= 9.0 && s.hi < 9.01);
}

static void division_by_what_holds_zero(void) {
  static const double inf = (double)INFINITY;
  const struct {
    hys_interval a, b, want; /* want: to one step */
  } t[] = {
      {{1.0, 2.0}, {-1.0, 1.0}, {-inf, inf}},     {{1.0, 2.0}, {0.0, 0.0}, {-inf, inf}},
      {{0.0, 0.0}, {0.0, 0.0}, {-inf, inf}},      {{0.0, 0.0}, {-0.0, 0.0}, {-inf, inf}},
      {{0.0, 0.0}, {-1.0, 1.0}, {0.0, 0.0}},      {{0.0, 0.0}, {0.0, 1.0}, {0.0, 0.0}},
      {{1.0, 2.0}, {0.0, 4.0}, {0.25, inf}},      {{1.0, 2.0}, {-4.0, 0.0}, {-inf, -0.25}},
      {{-2.0, -1.0}, {0.0, 4.0}, {-inf, -0.25}},  {{-2.0, -1.0}, {-4.0, -0.0}, {0.25, inf}},
      {{-1.0, 1.0}, {0.0, 4.0}, {-inf, inf}},     {{-1.0, 1.0}, {-4.0, 0.0}, {-inf, inf}},
      {{0.0, 1.0}, {0.0, 4.0}, {0.0, inf}},       {{-1.0, 0.0}, {0.0, 4.0}, {-inf, 0.0}},
      {{0.0, 1.0}, {-4.0, 0.0}, {-inf, 0.0}},     {{1.0, 2.0}, {0.0, inf}, {0.0, inf}},
      {{1.0, 2.0}, {4.0, inf}, {0.0, 0.5}},       {{-inf, inf}, {2.0, 4.0}, {-inf, inf}},
      {{1.0, inf}, {2.0, inf}, {0.0, inf}},       {{-inf, -1.0}, {-4.0, -2.0}, {0.25, inf}},
      {{1.0, 2.0}, {0x1p-1074, 1.0}, {1.0, inf}},
  };
  for (size_t i = 0; i < COUNT(t); i++) {
    const hys_interval r = hys_interval_div(t[i].a, t[i].b);
    check_label("[%g,%g] / [%g,%g] = [%a,%a]", t[i].a.lo, t[i].a.hi, t[i].b.lo, t[i].b.hi, r.lo, r.hi);
    CHECK(hys_interval_inside_surely(t[i].want, r));
    CHECK(r.lo >= hys_down(t[i].want.lo) && r.hi <= hys_up(t[i].want.hi));
    if (t[i].want.lo == 0.0)
      CHECK(r.lo == 0.0);
    if (t[i].want.hi == 0.0)
      CHECK(r.hi == 0.0);
  }
}

static void ten_times_a_tenth(void) {
  hys_interval tenth, sum = hys_interval_point(0.0);
  CHECK_INT(hys_interval_from_decimal("0.1", 3, &tenth), 3);
  for (int i = 0; i < 10; i++)
    sum = hys_interval_add(sum, tenth);
  CHECK(hys_interval_contains_surely(sum, 1.0));
  CHECK(hys_interval_width(sum) < 1e-14);
  CHECK(hys_interval_contains_surely(hys_interval_mul_scalar(tenth, 10.0), 1.0));
  CHECK(hys_interval_contains_surely(hys_interval_mul(hys_interval_point(10.0), tenth), 1.0));
}

/* ---------------------------------------------------------------------------------------------------------
 * Infinite bounds and empty operands. */

static void unbounded(void) {
  const hys_interval entire = hys_interval_entire(), zero = hys_interval_point(0.0), pos = iv(1.0, INF),
                     neg = iv(-INF, -1.0);
  check_label("sums");
  check_interval(hys_interval_add(pos, neg), entire);
  check_interval(hys_interval_sub(pos, pos), entire);
  check_interval(hys_interval_sub(entire, entire), entire);
  check_interval(hys_interval_add(iv(MAXD, MAXD), iv(MAXD, MAXD)), iv(MAXD, INF));
  check_interval(hys_interval_sub(iv(-MAXD, -MAXD), iv(MAXD, MAXD)), iv(-INF, -MAXD));
  check_label("products");
  check_set(hys_interval_mul(zero, entire), zero);
  check_set(hys_interval_mul(pos, zero), zero);
  check_set(hys_interval_mul(iv(0.0, 1.0), pos), iv(0.0, INF));
  check_set(hys_interval_mul(iv(1.0, INF), iv(-1.0, 0.0)), iv(-INF, 0.0));
  check_interval(hys_interval_mul(pos, neg), iv(-INF, -1.0 + 0x1p-53));
  check_interval(hys_interval_mul(neg, neg), iv(1.0 - 0x1p-53, INF));
  check_interval(hys_interval_mul(iv(1e200, 1e200), iv(1e200, 1e200)), iv(MAXD, INF));
  check_interval(hys_interval_mul(iv(-1e200, 1e200), iv(1e200, 1e200)), entire);
  check_set(hys_interval_mul_scalar(entire, 0.0), zero);
  check_interval(hys_interval_mul_scalar(iv(1.0, 2.0), HYSI_NAN), entire);
  check_interval(hys_interval_mul_scalar(iv(1.0, 2.0), INF), iv(hys_down(MAXD), INF));
  check_interval(hys_interval_mul_scalar(pos, -1.0), iv(-INF, -1.0 + 0x1p-53));
  check_label("underflow");
  check_interval(hys_interval_mul(iv(LEAST, LEAST), iv(0.25, 0.25)), iv(0.0, LEAST));
  check_interval(hys_interval_mul(iv(-LEAST, -LEAST), iv(-0.25, -0.25)), iv(0.0, LEAST));
  check_interval(hys_interval_mul(iv(LEAST, LEAST), iv(-0.25, -0.25)), iv(-LEAST, 0.0));
  check_interval(hys_interval_mul(iv(-LEAST, LEAST), iv(0.25, 0.25)), iv(-LEAST, LEAST));
  check_interval(hys_interval_mul_scalar(iv(LEAST, LEAST), -0.25), iv(-LEAST, 0.0));
  check_interval(hys_interval_mul_scalar(iv(-LEAST, LEAST), 0.25), iv(-LEAST, LEAST));
  check_interval(hys_interval_mul_scalar(iv(-LEAST, LEAST), -0.25), iv(-LEAST, LEAST));
  check_label("zero stays zero");
  check_set(hys_interval_mul(zero, iv(-3.0, 4.0)), zero);
  check_set(hys_interval_mul_scalar(iv(0.0, 1.0), 2.0), iv(0.0, 2.0 + 0x1p-51));
  check_set(hys_interval_mul(iv(0.0, 1.0), iv(2.0, 4.0)), iv(0.0, 4.0 + 0x1p-50));
  check_set(hys_interval_mul(iv(-1.0, 0.0), iv(2.0, 4.0)), iv(-4.0 - 0x1p-50, 0.0));
  check_set(hys_interval_sub(iv(3.0, 3.0), iv(3.0, 3.0)), zero);
}

static void measures(void) {
  static const struct {
    double lo, hi, mid, rad, mag, mig;
  } t[] = {
      {1.0, 3.0, 2.0, 1.0 + 0x1p-52, 3.0, 1.0},
      {-3.0, 1.0, -1.0, 2.0 + 0x1p-51, 3.0, 0.0},
      {-3.0, -2.0, -2.5, 0.5 + 0x1p-53, 3.0, 2.0},
      {5.0, 5.0, 5.0, 0.0, 5.0, 5.0},
      {-DBL_MAX, DBL_MAX, 0.0, (double)INFINITY, DBL_MAX, 0.0},
      {0x1p1023, DBL_MAX, 0x1.8p1023, 0x1.0000000000001p1022, DBL_MAX, 0x1p1023},
      {-(double)INFINITY, (double)INFINITY, 0.0, (double)INFINITY, (double)INFINITY, 0.0},
      {1.0, (double)INFINITY, DBL_MAX, (double)INFINITY, (double)INFINITY, 1.0},
      {-(double)INFINITY, 2.0, -DBL_MAX, (double)INFINITY, (double)INFINITY, 0.0},
      {0x1p-1074, 0x1p-1074, 0x1p-1074, 0.0, 0x1p-1074, 0x1p-1074},
  };
  for (size_t i = 0; i < COUNT(t); i++) {
    const hys_interval a = iv(t[i].lo, t[i].hi);
    check_label("[%g,%g]", t[i].lo, t[i].hi);
    CHECK_SAME(hys_interval_mid(a), t[i].mid);
    if (t[i].rad == INF)
      CHECK(hys_interval_rad(a) >= DBL_MAX);
    else
      CHECK_SAME(hys_interval_rad(a), t[i].rad);
    CHECK_SAME(hys_interval_mag(a), t[i].mag);
    CHECK_SAME(hys_interval_mig(a), t[i].mig);
  }
  check_label("empty");
  const hys_interval none = hys_interval_empty();
  CHECK_SAME(hys_interval_mid(none), HYSI_NAN);
  CHECK_SAME(hys_interval_rad(none), HYSI_NAN);
  CHECK_SAME(hys_interval_width(none), HYSI_NAN);
  CHECK_SAME(hys_interval_mag(none), HYSI_NAN);
  CHECK_SAME(hys_interval_mig(none), HYSI_NAN);
  CHECK_SAME(hys_interval_width(iv(1.0, 3.0)), 2.0 + 0x1p-51);
  CHECK_SAME(hys_interval_width(iv(-INF, 3.0)), INF);
}

static void functions(void) {
  const hys_interval entire = hys_interval_entire(), zero = hys_interval_point(0.0),
                     one = hys_interval_point(1.0);
  check_label("exact values");
  check_set(hys_interval_exp(zero), one);
  check_set(hys_interval_log(one), zero);
  check_set(hys_interval_sin(zero), zero);
  check_set(hys_interval_cos(zero), one);
  check_set(hys_interval_tan(zero), zero);
  check_set(hys_interval_tanh(zero), zero);
  check_set(hys_interval_atan(zero), zero);
  check_set(hys_interval_sqrt(zero), zero);
  check_set(hys_interval_pow(iv(2.0, 3.0), zero), one);
  check_label("domains");
  check_interval(hys_interval_sqrt(iv(-2.0, -1.0)), entire);
  check_interval(hys_interval_sqrt(iv(-1.0, 4.0)), iv(0.0, 2.0 + 0x1p-51));
  check_interval(hys_interval_log(iv(-2.0, 0.0)), entire);
  check_set(hys_interval_log(iv(-1.0, 1.0)), iv(-INF, 0.0));
  check_interval(hys_interval_log(iv(0.0, INF)), entire);
  check_label("ranges");
  check_set(hys_interval_exp(iv(-INF, 0.0)), iv(0.0, 1.0));
  CHECK(hys_interval_exp(iv(710.0, 710.0)).lo > 0x1.ffffffffffff0p1023 &&
        hys_interval_exp(iv(710.0, 710.0)).hi == INF);
  CHECK(hys_interval_exp(iv(-800.0, -800.0)).lo == 0.0 && hys_interval_exp(iv(-800.0, -800.0)).hi > 0.0);
  check_interval(hys_interval_sin(iv(0.0, 7.0)), iv(-1.0, 1.0));
  check_interval(hys_interval_sin(entire), iv(-1.0, 1.0));
  check_interval(hys_interval_cos(iv(-INF, 0.0)), iv(-1.0, 1.0));
  check_interval(hys_interval_sin(iv(1e300, 1e300)), iv(-1.0, 1.0));
  CHECK_SAME(hys_interval_sin(iv(1.0, 2.0)).hi, 1.0);
  CHECK_SAME(hys_interval_sin(iv(-2.0, -1.0)).lo, -1.0);
  CHECK_SAME(hys_interval_cos(iv(-1.0, 1.0)).hi, 1.0);
  CHECK_SAME(hys_interval_cos(iv(3.0, 4.0)).lo, -1.0);
  CHECK(hys_interval_cos(iv(3.0, 4.0)).hi < -0.65);
  check_interval(hys_interval_tan(iv(1.0, 2.0)), entire);
  check_interval(hys_interval_tan(iv(-2.0, -1.0)), entire);
  check_interval(hys_interval_tan(iv(-INF, 0.0)), entire);
  CHECK(hys_interval_tan(iv(2.0, 4.0)).hi < 1.16 && hys_interval_tan(iv(2.0, 4.0)).lo > -2.19);
  check_interval(hys_interval_tanh(entire), iv(-1.0, 1.0));
  CHECK(hys_interval_atan(entire).hi > 1.570796 && hys_interval_atan(entire).hi < 1.570797);
  CHECK(hys_interval_tanh(iv(LEAST, LEAST)).lo >= 0.0 && hys_interval_atan(iv(-LEAST, -LEAST)).hi <= 0.0);
  check_label("abs, min, max, neg");
  check_set(hys_interval_abs(iv(-3.0, 2.0)), iv(0.0, 3.0));
  check_set(hys_interval_abs(iv(-2.0, 3.0)), iv(0.0, 3.0));
  check_set(hys_interval_abs(iv(-3.0, -2.0)), iv(2.0, 3.0));
  check_set(hys_interval_abs(iv(2.0, 3.0)), iv(2.0, 3.0));
  check_set(hys_interval_min(iv(0.0, 5.0), iv(1.0, 2.0)), iv(0.0, 2.0));
  check_set(hys_interval_max(iv(0.0, 5.0), iv(1.0, 2.0)), iv(1.0, 5.0));
  check_set(hys_interval_neg(iv(-1.0, 2.0)), iv(-2.0, 1.0));
}

static void powers(void) {
  const hys_interval entire = hys_interval_entire(), one = hys_interval_point(1.0),
                     zero = hys_interval_point(0.0);
  check_label("integer");
  check_set(hys_interval_pow_int(entire, 0), one);
  check_set(hys_interval_pow_int(zero, 0), one);
  check_set(hys_interval_pow_int(iv(-2.0, 3.0), 1), iv(-2.0, 3.0));
  check_set(hys_interval_pow_int(zero, 5), zero);
  check_set(hys_interval_pow_int(zero, -1), entire);
  check_set(hys_interval_pow_int(zero, -2), entire);
  check_set(hys_interval_pow_int(iv(-1.0, 2.0), -1), entire);
  CHECK_SAME(hys_interval_pow_int(iv(-1.0, 2.0), -2).hi, INF);
  CHECK(hys_interval_pow_int(iv(-1.0, 2.0), -2).lo > 0.2499 &&
        hys_interval_pow_int(iv(-1.0, 2.0), -2).lo <= 0.25);
  check_set(hys_interval_pow_int(entire, 2), iv(0.0, INF));
  check_set(hys_interval_pow_int(entire, 3), entire);
  check_label("large exponents");
  CHECK(hys_interval_contains_surely(hys_interval_pow_int(iv(1.0 + 0x1p-20, 1.0 + 0x1p-20), 1 << 20),
                                     exp(0x1p20 * log1p(0x1p-20))));
  check_interval(hys_interval_pow_int(iv(2.0, 2.0), INT_MAX), iv(MAXD, INF));
  CHECK_SAME(hys_interval_pow_int(iv(2.0, 2.0), INT_MIN).lo, 0.0);
  CHECK(hys_interval_pow_int(iv(2.0, 2.0), INT_MIN).hi < DBL_MIN);
  check_interval(hys_interval_pow_int(iv(0.5, 0.5), INT_MAX), iv(0.0, LEAST));
  check_interval(hys_interval_pow_int(iv(-2.0, -2.0), INT_MAX), iv(-INF, -MAXD));
  check_label("real");
  CHECK(hys_interval_contains_surely(hys_interval_pow(iv(4.0, 4.0), iv(0.5, 0.5)), 2.0));
  check_set(hys_interval_pow(zero, iv(1.0, 2.0)), zero);
  check_set(hys_interval_pow(zero, zero), one);
  check_set(hys_interval_pow(zero, iv(-1.0, 1.0)), entire);
  check_set(hys_interval_pow(zero, iv(-1.0, -1.0)), entire);
  check_set(hys_interval_pow(iv(0.0, 2.0), iv(-1.0, -1.0)), iv(hys_down(0.5), INF));
  check_set(hys_interval_pow(iv(-0.0, 2.0), iv(-1.0, -1.0)), iv(hys_down(0.5), INF));
  check_set(hys_interval_pow(iv(1.0, INF), iv(-1.0, 0.0)), iv(0.0, hys_up(hys_up(hys_up(hys_up(1.0))))));
  check_label("negative base");
  check_interval(hys_interval_pow(iv(-3.0, 2.0), iv(2.0, 2.0)), hys_interval_pow_int(iv(-3.0, 2.0), 2));
  check_interval(hys_interval_pow(iv(-3.0, -2.0), iv(-3.0, -3.0)), hys_interval_pow_int(iv(-3.0, -2.0), -3));
  check_interval(hys_interval_pow(iv(-3.0, 2.0), iv(1.5, 2.5)), entire);
  check_interval(hys_interval_pow(iv(-3.0, 2.0), iv(1e10, 1e10)), entire);
  check_interval(hys_interval_pow(iv(-3.0, -2.0), iv(0.5, 0.5)), entire);
  CHECK(hys_interval_contains_surely(hys_interval_pow(iv(-1e-9, 4.0), iv(0.5, 0.5)), 2.0));
  CHECK_SAME(hys_interval_pow(iv(-1e-9, 4.0), iv(0.5, 0.5)).lo, 0.0);
}

/* ---------------------------------------------------------------------------------------------------------
 * Predicates. */

static void predicates(void) {
  static const struct {
    double alo, ahi, blo, bhi;
    bool inside, le, lt, le_maybe, lt_maybe, meets;
  } t[] = {
      {1.0, 2.0, 0.0, 3.0, true, false, false, true, true, true},
      {1.0, 2.0, 1.0, 2.0, true, false, false, true, true, true},
      {1.0, 2.0, 2.0, 3.0, false, true, false, true, true, true},
      {1.0, 2.0, 2.5, 3.0, false, true, true, true, true, false},
      {2.0, 3.0, 1.0, 2.0, false, false, false, true, false, true},
      {2.5, 3.0, 1.0, 2.0, false, false, false, false, false, false},
      {1.0, 1.0, 1.0, 1.0, true, true, false, true, false, true},
      {1.0, 2.0, -(double)INFINITY, (double)INFINITY, true, false, false, true, true, true},
      {-(double)INFINITY, (double)INFINITY, 1.0, 2.0, false, false, false, true, true, true},
      {-0.0, 0.0, 0.0, 0.0, true, true, false, true, false, true},
  };
  for (size_t i = 0; i < COUNT(t); i++) {
    const hys_interval a = iv(t[i].alo, t[i].ahi), b = iv(t[i].blo, t[i].bhi);
    check_label("[%g,%g] [%g,%g]", a.lo, a.hi, b.lo, b.hi);
    CHECK_INT(hys_interval_inside_surely(a, b), t[i].inside);
    CHECK_INT(hys_interval_le_surely(a, b), t[i].le);
    CHECK_INT(hys_interval_lt_surely(a, b), t[i].lt);
    CHECK_INT(hys_interval_le_maybe(a, b), t[i].le_maybe);
    CHECK_INT(hys_interval_lt_maybe(a, b), t[i].lt_maybe);
    CHECK_INT(hys_interval_meets_maybe(a, b), t[i].meets);
    CHECK_INT(hys_interval_disjoint_surely(a, b), !t[i].meets);
  }
}

/* Neither an empty set nor a NaN, made by force, makes a predicate true. */
static void predicates_fail_closed(void) {
  const double nan = HYSI_NAN;
  const hys_interval odd[] = {{INF, -INF}, {nan, nan}, {nan, 1.0}, {1.0, nan}},
                     some[] = {{0.0, 2.0}, {1.0, 1.0}, {-INF, INF}};
  for (size_t i = 0; i < COUNT(odd); i++) {
    for (size_t j = 0; j < COUNT(some); j++) {
      const hys_interval a = odd[i], b = some[j];
      check_label("%zu %zu", i, j);
      CHECK(!hys_interval_inside_surely(a, b) && !hys_interval_inside_surely(b, a));
      CHECK(!hys_interval_inside_surely(a, a));
      CHECK(!hys_interval_le_surely(a, b) && !hys_interval_le_surely(b, a));
      CHECK(!hys_interval_lt_surely(a, b) && !hys_interval_lt_surely(b, a));
      CHECK(!hys_interval_le_maybe(a, b) && !hys_interval_le_maybe(b, a));
      CHECK(!hys_interval_lt_maybe(a, b) && !hys_interval_lt_maybe(b, a));
      CHECK(!hys_interval_meets_maybe(a, b) && !hys_interval_meets_maybe(b, a));
      CHECK(!hys_interval_disjoint_surely(a, b) && !hys_interval_disjoint_surely(b, a));
      CHECK(!hys_interval_contains_surely(a, 1.0));
    }
  }
  check_label("points");
  CHECK(!hys_interval_contains_surely(hys_interval_entire(), nan));
  CHECK(!hys_interval_contains_surely(hys_interval_entire(), INF));
  CHECK(!hys_interval_contains_surely(hys_interval_entire(), -INF));
  CHECK(hys_interval_contains_surely(hys_interval_entire(), MAXD));
  CHECK(hys_interval_contains_surely(iv(1.0, 2.0), 1.0) && hys_interval_contains_surely(iv(1.0, 2.0), 2.0));
  CHECK(!hys_interval_contains_surely(iv(1.0, 2.0), 0.5) && !hys_interval_contains_surely(iv(1.0, 2.0), 2.5));
}

/* A NaN forced into an operand widens the result. */
static void nan_widens(void) {
  const hys_interval bad = {HYSI_NAN, HYSI_NAN}, a = {1.0, 2.0}, entire = hys_interval_entire();
  check_interval(hys_interval_add(bad, a), entire);
  check_interval(hys_interval_sub(a, bad), entire);
  check_interval(hys_interval_mul(bad, a), entire);
  check_interval(hys_interval_div(bad, a), entire);
  check_interval(hys_interval_div(a, bad), entire);
  check_interval(hys_interval_sin(bad), iv(-1.0, 1.0));
  check_interval(hys_interval_log(bad), entire);
  check_interval(hys_interval_tan(bad), entire);
}

/* ---------------------------------------------------------------------------------------------------------
 * The environment. */

static void environment(void) {
  static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  CHECK(hys_float_env_ok());
  for (size_t i = 0; i < COUNT(modes); i++) {
    check_label("mode %zu", i);
    if (fesetround(modes[i]) != 0)
      continue;
    const bool ok = hys_float_env_ok();
    fesetround(FE_TONEAREST);
    CHECK(!ok);
  }
#if defined(__SSE2__)
  const unsigned csr = _mm_getcsr();
  _mm_setcsr(csr | 0x8000U);
  const bool flush = hys_float_env_ok();
  _mm_setcsr(csr | 0x0040U);
  const bool read_as_zero = hys_float_env_ok();
  _mm_setcsr(csr);
  check_label("subnormals");
  CHECK(!flush);
  CHECK(!read_as_zero);
#endif
  CHECK(hys_float_env_ok());
}

CHECK_MAIN("interval", {"steps", steps}, {"scalars", scalars}, {"making", making},
           {"zeroed memory", zeroed_memory}, {"decimals", decimals}, {"long decimals", long_decimals},
           {"locale plays no part", locale_plays_no_part}, {"even power of positive", even_power_of_positive},
           {"division by what holds zero", division_by_what_holds_zero},
           {"ten times a tenth", ten_times_a_tenth}, {"unbounded", unbounded}, {"measures", measures},
           {"functions", functions}, {"powers", powers}, {"predicates", predicates},
           {"predicates fail closed", predicates_fail_closed}, {"nan widens", nan_widens},
           {"environment", environment})
