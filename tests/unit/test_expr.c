#include "core/allocator.h"
#include "core/diagnostics.h"
#include "core/rt/expr.h"
#include "models/expr_parse.h"
#include "models/model.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Variables x, y, z of the tests are 0, 1, 2; k is the number 3. */
static hysi_name find(void *context, const char *name, size_t length, bool primed,
                      const hys_diagnostic *where) {
  (void)context;
  (void)primed;
  (void)where;
  if (length == 1 && name[0] >= 'x' && name[0] <= 'z')
    return (hysi_name){.kind = HYSI_NAME_VARIABLE, .index = (uint32_t)(name[0] - 'x')};
  if (length == 1 && name[0] == 'k')
    return (hysi_name){.kind = HYSI_NAME_NUMBER, .value = hys_interval_point(3.0)};
  return (hysi_name){.kind = HYSI_NAME_UNKNOWN};
}

static void place(const void *context, size_t offset, uint32_t *line, uint32_t *column) {
  (void)context;
  *line = 1;
  *column = (uint32_t)offset + 1;
}

static hys_arena *arena;
static hys_diagnostics said;

static hys_status parse_n(hys_expr *e, const char *text, size_t length, hysi_expr_want want) {
  const hysi_expr_names names = {.variable = find};
  const hysi_expr_source source = {.file = "t", .text = text, .length = length, .place = place};
  hys_diagnostics_init(&said, arena);
  return hysi_expr_parse(e, &source, &names, want, arena, &said);
}

static hys_status parse(hys_expr *e, const char *text, hysi_expr_want want) {
  return parse_n(e, text, strlen(text), want);
}

static double value_at(const char *text, hysi_expr_want want, double x, double y, double z) {
  const double at[] = {x, y, z};
  double scratch[128];
  hys_expr e;
  if (!CHECK_INT(parse(&e, text, want), HYS_OK) || e.n > 128)
    return (double)NAN;
  return hys_expr_eval_point(&e, e.n - 1, at, NULL, NULL, scratch);
}

/* At x = 2, y = -3, z = 0.5; the values are worked out by hand. */
static void numbers(void) {
  static const struct {
    const char *text;
    double value;
  } rows[] = {{"1 + 2*3", 7},
              {"(1 + 2)*3", 9},
              {"10 - 4 - 3", 3},
              {"24/4/3", 2},
              {"-x", -2},
              {"-x^2", -4},
              {"(-x)^2", 4},
              {"2^3^2", 512},
              {"2^-1", 0.5},
              {"x*-y", 6},
              {"-x*y", 6},
              {"--x", 2},
              {"+x - +y", 5},
              {".5 + 5.", 5.5},
              {"1E+2", 100},
              {"4.5e-1", 0.45},
              {"k*x", 6},
              {"x-1", 1},
              {"x -1", 1},
              {"min(x, y)", -3},
              {"max(x, y)", 2},
              {"abs(y)", 3},
              {"sqrt(x*2)", 2},
              {"exp(0)", 1},
              {"log(1)", 0},
              {"sin(0) + cos(0)", 1},
              {"tan(0)", 0},
              {"tanh(0)", 0},
              {"atan(0) + z", 0.5},
              {"x/(y + 1)", -1},
              {"((((x))))", 2},
              {"x\n*\ty", -6},
              {"2*(x + y*(z - 1))", 7}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    check_label("%s", rows[i].text);
    CHECK_SAME(value_at(rows[i].text, HYSI_WANT_NUMBER, 2, -3, 0.5), rows[i].value);
  }
}

static void truths(void) {
  static const struct {
    const char *text;
    int value;
  } rows[] = {
      {"", 1},
      {" \n ", 1},
      {"true", 1},
      {"false", 0},
      {"x == 2", 1},
      {"x = 2", 1},
      {"x != 2", 0},
      {"x < 2", 0},
      {"x <= 2", 1},
      {"x > 2", 0},
      {"x >= 2", 1},
      {"1 <= x <= 2", 1},
      {"1 <= x < 2", 0},
      {"-4 < y < x == 2", 1},
      {"x == 2 & y == 2", 0},
      {"x == 2 && y == -3", 1},
      {"x == 1 | y == -3", 1},
      {"x == 1 || y == 2", 0},
      {"x == 2 | x == 1 & y == 2", 1},
      {"(x == 2 | x == 1) & y == 2", 0},
      {"!(x == 2)", 0},
      {"!(x == 1) & x + y <= 0", 1},
      {"(x + y) <= 0", 1},
      {"((x + y) <= (0))", 1},
      {"x <= log(-1)", 0}, /* NaN fails closed */
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    check_label("%s", rows[i].text);
    CHECK_SAME(value_at(rows[i].text, HYSI_WANT_FORMULA, 2, -3, 0.5), rows[i].value);
  }
}

/* On x in [1, 2], y in [-1, 3], z = 0. */
static void boxes(void) {
  static const struct {
    const char *text;
    double lo, hi;
  } rows[] = {{"x <= 2", 1, 1},           {"x < 2", 0, 1},          {"x > 2", 0, 0},    {"x >= 3", 0, 0},
              {"y == 0", 0, 1},           {"z == 0", 1, 1},         {"z != 0", 0, 0},   {"x != 3", 1, 1},
              {"x <= 2 & y >= -1", 1, 1}, {"x > 2 | y <= 3", 1, 1}, {"!(x > 2)", 1, 1}, {"!(y > 0)", 0, 1},
              {"log(z - 1) <= 0", 0, 1}};
  const hys_interval x[] = {{1, 2}, {-1, 3}, {0, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    hys_interval scratch[32], v;
    hys_expr e;
    check_label("%s", rows[i].text);
    if (!CHECK_INT(parse(&e, rows[i].text, HYSI_WANT_FORMULA), HYS_OK))
      continue;
    v = hys_expr_eval_interval(&e, e.n - 1, x, NULL, NULL, scratch);
    CHECK_SAME(v.lo, rows[i].lo);
    CHECK_SAME(v.hi, rows[i].hi);
  }
}

/* Numbers that double arithmetic can hold come out as points, the others as enclosures. */
static void affine(void) {
  static const struct {
    const char *text;
    hys_status status;
    double x, y, z, c;
  } rows[] = {
      {"2*x + 3*x - y", HYS_OK, 5, -1, 0, 0},
      {"x - x", HYS_OK, 0, 0, 0, 0},
      {"(x + 2*y)*k/4 - 1", HYS_OK, 0.75, 1.5, 0, -1},
      {"-(x - z) + 2^2", HYS_OK, -1, 0, 1, 4},
      {"x^1*(k - 1)", HYS_OK, 2, 0, 0, 0},
      {"max(k, 4)*x", HYS_OK, 4, 0, 0, 0},
      {"x*y", HYS_ERR_UNSUPPORTED, 0, 0, 0, 0},
      {"x^2", HYS_ERR_UNSUPPORTED, 0, 0, 0, 0},
      {"1/x", HYS_ERR_UNSUPPORTED, 0, 0, 0, 0},
      {"sin(x)", HYS_ERR_UNSUPPORTED, 0, 0, 0, 0},
      {"1/0", HYS_ERR_NUMERIC, 0, 0, 0, 0},
      {"x/(k - 3)", HYS_ERR_NUMERIC, 0, 0, 0, 0},
      {"lut([x], [1, 2], [0, 1])", HYS_ERR_UNSUPPORTED, 0, 0, 0, 0},
      {"lut([k], [1, 5], [2, 4])*x", HYS_OK, 3, 0, 0, 0},
      {"lut(k - x, [1, 5], [2, 4]) + lut(x, [1, 5], [2, 4])", HYS_ERR_UNSUPPORTED, 0, 0, 0, 0},
      {"x*x - x*x", HYS_ERR_UNSUPPORTED, 0, 0, 0, 0}, /* each step has to be affine */
      {"(x - x)*y", HYS_OK, 0, 0, 0, 0},
      {"0*x*y", HYS_OK, 0, 0, 0, 0},
      {"0*(x*y)", HYS_ERR_UNSUPPORTED, 0, 0, 0, 0},
      {"y/(2 + x - x)", HYS_OK, 0, 0.5, 0, 0},
      {"x^0 + y", HYS_OK, 0, 1, 0, 1},
      {"(x + y)^(3 - 2)", HYS_OK, 1, 1, 0, 0},
      {"sin(0*x) + z", HYS_OK, 0, 0, 1, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    hys_interval coef[3] = {{0, 0}, {0, 0}, {0, 0}}, c, scratch[128];
    hys_expr e;
    check_label("%s", rows[i].text);
    if (!CHECK_INT(parse(&e, rows[i].text, HYSI_WANT_NUMBER), HYS_OK))
      continue;
    CHECK_INT(hys_expr_affine(&e, e.n - 1, 3, coef, &c, scratch, NULL), rows[i].status);
    if (rows[i].status != HYS_OK)
      continue;
    CHECK(hys_interval_equal(coef[0], hys_interval_point(rows[i].x)));
    CHECK(hys_interval_equal(coef[1], hys_interval_point(rows[i].y)));
    CHECK(hys_interval_equal(coef[2], hys_interval_point(rows[i].z)));
    CHECK(hys_interval_equal(c, hys_interval_point(rows[i].c)));
  }
}

/* 1/3 is no double and 0.1 is none either: what encloses them is not a point and holds them. */
static void enclosures(void) {
  hys_interval coef[3], c, scratch[64];
  hys_expr e;
  if (!CHECK_INT(parse(&e, "x/3 + 0.1*3", HYSI_WANT_NUMBER), HYS_OK) ||
      !CHECK_INT(hys_expr_affine(&e, e.n - 1, 3, coef, &c, scratch, NULL), HYS_OK))
    return;
  CHECK(coef[0].lo < coef[0].hi);
  CHECK(3.0L * (long double)coef[0].lo < 1.0L && 1.0L < 3.0L * (long double)coef[0].hi);
  CHECK(10.0L * (long double)c.lo < 3.0L && 3.0L < 10.0L * (long double)c.hi);
  CHECK(c.hi - c.lo < 1e-15);
}

static void exact_operations(void) {
  const hys_interval a = hys_interval_point(0.1), b = hys_interval_point(0.2), q = hys_interval_point(0.25);
  CHECK(hys_interval_equal(hys_interval_add_exact(q, q), hys_interval_point(0.5)));
  CHECK(hys_interval_add_exact(a, b).lo < hys_interval_add_exact(a, b).hi);
  CHECK(hys_interval_equal(hys_interval_mul_exact(q, a), hys_interval_point(0.025)) ==
        (fma(0.25, 0.1, -0.025) == 0.0));
  CHECK(hys_interval_mul_exact(a, a).lo < hys_interval_mul_exact(a, a).hi);
  CHECK(hys_interval_equal(hys_interval_div_exact(q, hys_interval_point(0.5)), hys_interval_point(0.5)));
  CHECK(hys_interval_div_exact(hys_interval_point(1), hys_interval_point(3)).lo <
        hys_interval_div_exact(hys_interval_point(1), hys_interval_point(3)).hi);
  /* an underflow that fma cannot see is not taken for exact */
  CHECK(hys_interval_mul_exact(hys_interval_point(0x1p-600), hys_interval_point(0x1.8p-600)).hi > 0.0);
  CHECK(hys_interval_equal(hys_interval_mul_exact(hys_interval_point(-1), (hys_interval){1, 2}),
                           (hys_interval){-2, -1}));
}

static void classes(void) {
  static const struct {
    const char *text;
    hys_expr_class kind;
  } rows[] = {{"1 + 2", HYS_CLASS_CONSTANT},
              {"k*2", HYS_CLASS_CONSTANT},
              {"sin(2)", HYS_CLASS_CONSTANT},
              {"z", HYS_CLASS_CONSTANT}, /* z counts as a number here */
              {"x + z*y", HYS_CLASS_AFFINE},
              {"x/z", HYS_CLASS_AFFINE},
              {"x*y", HYS_CLASS_POLYNOMIAL},
              {"x^2", HYS_CLASS_POLYNOMIAL},
              {"x^1", HYS_CLASS_AFFINE},
              {"1/x", HYS_CLASS_RATIONAL},
              {"x*(1/y)", HYS_CLASS_RATIONAL},
              {"x^0.5", HYS_CLASS_TRANSCENDENTAL},
              {"x^-1", HYS_CLASS_TRANSCENDENTAL},
              {"x^y", HYS_CLASS_TRANSCENDENTAL},
              {"abs(x)", HYS_CLASS_TRANSCENDENTAL},
              {"lut([x], [1, 2], [0, 1])", HYS_CLASS_TRANSCENDENTAL}};
  const bool number[] = {false, false, true};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    uint8_t scratch[64];
    hys_expr e;
    check_label("%s", rows[i].text);
    if (CHECK_INT(parse(&e, rows[i].text, HYSI_WANT_NUMBER), HYS_OK))
      CHECK_INT(hys_expr_classify(&e, e.n - 1, number, scratch), rows[i].kind);
  }
}

/* The literal's double is the nearest one, whichever end of the enclosure that is. */
static void nearest(void) {
  static const char *const text[] = {"0.1",      "0.2",   "0.3", "0.7", "1e23", "9007199254740993",
                                     "2.5e-324", "5e-324"};
  for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
    hys_expr e;
    check_label("%s", text[i]);
    if (CHECK_INT(parse(&e, text[i], HYSI_WANT_NUMBER), HYS_OK))
      CHECK_SAME(hysi_expr_nearest(&e.node[0]), strtod(text[i], NULL));
  }
}

static char *repeated(const char *before, const char *unit, size_t n, const char *after) {
  const size_t a = strlen(before), u = strlen(unit), z = strlen(after);
  char *text = malloc(a + u * n + z + 1);
  if (text == NULL)
    return NULL;
  memcpy(text, before, a);
  for (size_t i = 0; i < n; i++)
    memcpy(text + a + i * u, unit, u);
  memcpy(text + a + u * n, after, z + 1);
  return text;
}

/* Long is fine, deep is refused with the name of the limit. */
static void sizes(void) {
  static const struct {
    const char *before, *unit, *after;
    size_t n;
    hysi_expr_want want;
    hys_status status;
  } rows[] = {
      {"x <= 1", " & x <= 1", "", 100000, HYSI_WANT_FORMULA, HYS_OK},
      {"x", " + x", "", 100000, HYSI_WANT_NUMBER, HYS_OK},
      {"x", " <= x", "", 100000, HYSI_WANT_FORMULA, HYS_OK},
      {"", "(", "x", HYS_MAX_EXPR_DEPTH + 1, HYSI_WANT_NUMBER, HYS_ERR_INPUT},
      {"", "-", "x", HYS_MAX_EXPR_DEPTH + 1, HYSI_WANT_NUMBER, HYS_ERR_INPUT},
      {"2", "^2", "", HYS_MAX_EXPR_DEPTH + 1, HYSI_WANT_NUMBER, HYS_ERR_INPUT},
      {"", "abs(", "x", 1000000, HYSI_WANT_NUMBER, HYS_ERR_INPUT},
      {"", "-", "x", HYS_MAX_EXPR_DEPTH - 1, HYSI_WANT_NUMBER, HYS_OK},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char *text = repeated(rows[i].before, rows[i].unit, rows[i].n, rows[i].after);
    hys_expr e;
    check_label("%s%s...", rows[i].before, rows[i].unit);
    if (!CHECK(text != NULL))
      return;
    CHECK_INT(parse(&e, text, rows[i].want), rows[i].status);
    if (rows[i].status != HYS_OK && CHECK(said.n > 0))
      CHECK(strstr(said.item[said.n - 1].text, "HYS_MAX_EXPR_DEPTH") != NULL);
    free(text);
  }
}

static void (*inner)(void);
static void with_arena(void) {
  arena = hys_arena_create(NULL);
  if (CHECK(arena != NULL))
    inner();
  hys_arena_destroy(arena);
}
#define WITH_ARENA(name)                                                                                     \
  static void test_##name(void) {                                                                            \
    inner = name;                                                                                            \
    with_arena();                                                                                            \
  }
WITH_ARENA(numbers)
WITH_ARENA(truths)
WITH_ARENA(boxes)
WITH_ARENA(affine)
WITH_ARENA(enclosures)
WITH_ARENA(classes)
WITH_ARENA(nearest)
WITH_ARENA(sizes)

CHECK_MAIN("expr", {"numbers at a point", test_numbers}, {"truths at a point", test_truths},
           {"truths on a box", test_boxes}, {"affine forms", test_affine},
           {"what is no double is enclosed", test_enclosures}, {"exact operations", exact_operations},
           {"classes", test_classes}, {"the nearest double", test_nearest},
           {"long and deep texts", test_sizes})
