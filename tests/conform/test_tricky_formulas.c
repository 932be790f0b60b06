/* Formulas that readers trip over: flows, numbers, assignments, conditions.  Each family has what it means,
 * or what is said and where. */
#include "models/expr_parse.h"
#include "tests/conform/tricky.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOTHING 0, 0, NULL
#define E(column, text) HYS_ERROR, column, text
#define W(column, text) HYS_WARNING, column, text

#define EXPECTED "expected a number, a name or a parenthesis, found "
#define OPERATOR "expected an operator, found "
#define PRODUCT_HINT "; a product is written with `*', a conjunction with `&'"
#define GLUED "expected an operator between a number and a name; a product is written with `*'"
#define ALONE "a derivative must stand alone on one side: x' == e, without primes in e"
#define CONDITION                                                                                            \
  "without a prime this says nothing of a derivative: it is read as a condition that always holds here"
#define TWICE "`x' has a second flow in one location"
#define NO_FLOW "a flow is a conjunction of equations x' == e; this is not read"

/* x' = a x + b y + c of what is read, for those that a shield takes. */
typedef struct slope {
  bool has;
  double a, b, c;
} slope;

static const struct flow_row {
  const char *text;
  hys_severity severity;
  uint32_t column;
  const char *says;
  hys_expr_class kind;
  slope x;
} flows[] = {
    {"", NOTHING, HYS_CLASS_NONE, {0}},
    {"   ", NOTHING, HYS_CLASS_NONE, {0}},
    {"\t", NOTHING, HYS_CLASS_NONE, {0}},
    {"true", NOTHING, HYS_CLASS_NONE, {0}},
    {"true & true", NOTHING, HYS_CLASS_NONE, {0}},
    {"false", NOTHING, HYS_CLASS_NONE, {0}},
    {"(false)", NOTHING, HYS_CLASS_NONE, {0}},
    {"x'==1", NOTHING, HYS_CLASS_CONSTANT, {true, 0, 0, 1}},
    {"x'=1", NOTHING, HYS_CLASS_CONSTANT, {true, 0, 0, 1}},
    {"x' = 1 && y'==2", NOTHING, HYS_CLASS_CONSTANT, {true, 0, 0, 1}},
    {"x' = 1 & y' == 3", NOTHING, HYS_CLASS_CONSTANT, {true, 0, 0, 1}},
    {"y' == 1&&x'==x", NOTHING, HYS_CLASS_AFFINE, {true, 1, 0, 0}},
    {"(x' == 1 & (y' == 2))", NOTHING, HYS_CLASS_CONSTANT, {true, 0, 0, 1}},
    {"true & x' == 4", NOTHING, HYS_CLASS_CONSTANT, {true, 0, 0, 4}},
    {"2 == x'", NOTHING, HYS_CLASS_CONSTANT, {true, 0, 0, 2}},
    {"x - y == x' & y' == 0", NOTHING, HYS_CLASS_AFFINE, {true, 1, -1, 0}},
    {"x'\n==\r\n-2\t*\tx", NOTHING, HYS_CLASS_AFFINE, {true, -2, 0, 0}},
    {"x'==1 &", E(8, EXPECTED "the end of the text"), 0, {0}},
    {"x'==1 &&", E(9, EXPECTED "the end of the text"), 0, {0}},
    {"& x'==1", E(1, EXPECTED "`&'"), 0, {0}},
    {"x'==1 & & y'==1", E(9, EXPECTED "`&'"), 0, {0}},
    {"x'==1 &&& y'==1", E(9, EXPECTED "`&'"), 0, {0}},
    {"x == 1", W(3, CONDITION), HYS_CLASS_NONE, {0}},
    {"x' == 1 & y = 2*x", W(13, CONDITION), HYS_CLASS_CONSTANT, {0}},
    {"x' == -y & y == 2*x", W(14, CONDITION), HYS_CLASS_AFFINE, {0}},
    {"x' == 1 & x <= 4", W(13, CONDITION), HYS_CLASS_CONSTANT, {0}},
    {"x'' == 1", E(3, "a second prime: only first derivatives are read"), 0, {0}},
    {"x''' == 1", E(3, "a second prime: only first derivatives are read"), 0, {0}},
    {"x ' == 1", E(3, "a prime stands directly behind the name of a variable"), 0, {0}},
    {"x\n' == 1", HYS_ERROR, 1, "a prime stands directly behind the name of a variable", 0, {0}},
    {"' == 1", E(1, "a prime stands directly behind the name of a variable"), 0, {0}},
    {"2' == 1", E(2, "a prime stands directly behind the name of a variable"), 0, {0}},
    {"x' >= 1 & x' <= 2", NOTHING, HYS_CLASS_CONSTANT_INCLUSION, {0}},
    {"1 <= x' <= 2", NOTHING, HYS_CLASS_CONSTANT_INCLUSION, {0}},
    {"1 < x' < 2", NOTHING, HYS_CLASS_CONSTANT_INCLUSION, {0}},
    {"x' >= y", NOTHING, HYS_CLASS_AFFINE, {0}},
    {"x' == y' + 1", E(4, ALONE), 0, {0}},
    {"x' + 1 == 2", E(8, ALONE), 0, {0}},
    {"2*x' == 2", E(6, ALONE), 0, {0}},
    {"-x' == 2", E(5, ALONE), 0, {0}},
    {"x' == x'", E(4, ALONE), 0, {0}},
    {"x' != 1", E(4, NO_FLOW), 0, {0}},
    {"x'==1 & x'==2", E(11, TWICE), 0, {0}},
    {"x'==1 & x'==1", E(11, TWICE), 0, {0}},
    {"x'==1 & x'<=2", E(11, TWICE), 0, {0}},
    {"x'<=1 & x'==2", E(11, TWICE), 0, {0}},
    {"x' == y == 1", W(9, CONDITION), HYS_CLASS_AFFINE, {0}},
    {"x'==1 | y'==1", E(7, NO_FLOW), 0, {0}},
    {"!(x'==1)", E(1, NO_FLOW), 0, {0}},
    {"x' == 2x", E(8, GLUED), 0, {0}},
    {"x' == 2 x", E(9, OPERATOR "`x'" PRODUCT_HINT), 0, {0}},
    {"x' == (2)(x)", E(10, OPERATOR "`('" PRODUCT_HINT), 0, {0}},
    {"x' == 2(x)", E(8, OPERATOR "`('" PRODUCT_HINT), 0, {0}},
    {"x' == x y", E(9, OPERATOR "`y'" PRODUCT_HINT), 0, {0}},
    {"x' == y(x)", E(7, "`y' is not a function that is read here"), 0, {0}},
    {"x'==1 y'==1", E(7, OPERATOR "`y'" PRODUCT_HINT), 0, {0}},
    {"x'==1, y'==1",
     E(6, "a comma separates arguments; conditions are joined by `&', and a number has a decimal point"),
     0,
     {0}},
    {"x' == 1;", E(8, "unexpected `;'"), 0, {0}},
    {"x' := 1", E(4, "`:=' belongs to assignments; a comparison is written `=='"), 0, {0}},
    {"x' : 1", E(4, "unexpected character `:'"), 0, {0}},
    {"x' === 1", E(6, EXPECTED "`='"), 0, {0}},
    {"x' =< 1", E(5, EXPECTED "`<'"), 0, {0}},
    {"x' == 1 + ", E(10, EXPECTED "the end of the text"), 0, {0}},
    {"x' == ((1)", E(7, "this parenthesis is not closed"), 0, {0}},
    {"x' == 1)", E(8, "`)' closes nothing"), 0, {0}},
    {"x' == ()", E(8, EXPECTED "`)'"), 0, {0}},
    {"x' == 1]", E(8, "`]' closes nothing"), 0, {0}},
    {"x' == $1", E(7, "unexpected character `$'"), 0, {0}},
    {"x' == \xC3\xA9", E(7, "unexpected character (byte 0xc3)"), 0, {0}},
    {"\xC3\xA9 x' == 1", E(1, "unexpected character (byte 0xc3)"), 0, {0}},
    {"k' == 0", E(4, "`k' is a constant: it has no flow"), 0, {0}},
    {"u' == 0", W(4, "`u' has a flow in component `c', which does not control it"), HYS_CLASS_CONSTANT, {0}},
    {"go' == 0", E(1, "`go' is a label, a variable is expected here"), 0, {0}},
    {"z' == 0", E(1, "`z' is not declared in component `c'"), 0, {0}},
    {"X' == 0", E(1, "`X' is not declared in component `c'; did you mean `x'?"), 0, {0}},
    {"true' == 0", E(1, "`true' is not declared in component `c'"), 0, {0}},
    {"x' == true", E(7, "a number is expected here, this is a condition"), 0, {0}},
    {"x'", E(1, "a condition is expected here (a comparison, true or false), this is a number"), 0, {0}},
    {"x' == 1 & 2",
     E(11, "a condition is expected here (a comparison, true or false), this is a number"),
     0,
     {0}},
    {"x' == loc()", E(7, "loc() belongs to the sets of a configuration"), 0, {0}},
};

static void flow_texts(void) {
  for (size_t i = 0; i < sizeof flows / sizeof flows[0]; i++) {
    const struct flow_row *r = &flows[i];
    tricky_world w = {.arena = hys_arena_create(NULL)};
    const uint32_t line =
        (uint32_t)TRICKY_FLOW + (r->says != NULL && strchr(r->text, '\n') != NULL ? 1U : 0U);
    const tricky_said want = {r->severity, line, tricky_column(r->text, r->column), r->says};
    const char *xml = tricky_model(w.arena, TRICKY_FLOW, r->text);
    const hys_automaton *a = NULL;
    check_label("flow `%s'", r->text);
    if (CHECK(xml != NULL) && tricky_read(&w, xml, strlen(xml), "initially = \"k == 2\"", "m.xml", &want) &&
        (r->says == NULL || r->severity != HYS_ERROR)) {
      CHECK_INT(hys_model_flow_class(w.model), r->kind);
      a = r->x.has ? tricky_flatten(&w) : NULL;
      if (a != NULL) {
        CHECK_SAME(a->location[0].flow.a[0].lo, r->x.a);
        CHECK_SAME(a->location[0].flow.c[0].lo, r->x.c);
        if (a->nx > 1)
          CHECK_SAME(a->location[0].flow.a[1].lo, r->x.b);
      }
    }
    tricky_end(&w);
  }
}

/* false means that no time passes, wherever it stands in the conjunction. */
static void urgent(void) {
  static const char *const texts[] = {"false & x' == 1", "x' == 1 & false", "(x' == 1 & (false))",
                                      "true & false && x' == x"};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    tricky_world w = {.arena = hys_arena_create(NULL)};
    const tricky_said none = {0};
    const char *xml = tricky_model(w.arena, TRICKY_FLOW, texts[i]);
    const hys_automaton *a = NULL;
    check_label("%s", texts[i]);
    if (CHECK(xml != NULL) && tricky_read(&w, xml, strlen(xml), "initially = \"k == 2\"", "m.xml", &none))
      a = tricky_flatten(&w);
    CHECK(a != NULL && a->location[0].flow.still);
    tricky_end(&w);
  }
}

/* ---- numbers ---- */

static void place(const void *context, size_t offset, uint32_t *line, uint32_t *column) {
  (void)context;
  *line = 1;
  *column = (uint32_t)offset + 1;
}

static hysi_name find(void *context, const char *name, size_t length, bool primed,
                      const hys_diagnostic *where) {
  (void)context, (void)length, (void)primed, (void)where;
  return (hysi_name){.kind = HYSI_NAME_VARIABLE, .index = name[0] == 'a' ? 0 : name[0] == 'b' ? 1 : 2};
}

static hys_diagnostics said;
static hys_status parse(hys_expr *e, const char *text, hys_arena *arena) {
  const hysi_expr_names names = {.variable = find};
  const hysi_expr_source source = {.file = "t", .text = text, .length = strlen(text), .place = place};
  hys_diagnostics_init(&said, arena);
  return hysi_expr_parse(e, &source, &names, HYSI_WANT_NUMBER, arena, &said);
}

/* All spellings of a mantissa and an exponent: one constant, which holds what was written, as tightly as it
 * gets. */
static void spellings(void) {
  static const char *const mantissa[] = {"0",
                                         "5",
                                         "5.",
                                         ".5",
                                         "5.0",
                                         "00.50",
                                         "007",
                                         "0.1",
                                         "3.14159265358979323846",
                                         "1.7976931348623157",
                                         "123456789012345678901234567890",
                                         "9007199254740993",
                                         "0.000000000000000000000000000001",
                                         "2.2250738585072011"};
  static const char *const exponent[] = {"",      "e0",         "E0",   "e5",    "E+05", "e-7",
                                         "E-007", "e+00000000", "e300", "e-300", "e-320"};
  for (size_t i = 0; i < sizeof mantissa / sizeof mantissa[0]; i++) {
    for (size_t k = 0; k < sizeof exponent / sizeof exponent[0]; k++) {
      hys_arena *arena = hys_arena_create(NULL);
      char text[128];
      hys_expr e;
      snprintf(text, sizeof text, "%s%s", mantissa[i], exponent[k]);
      const double nearest = strtod(text, NULL);
      check_label("%s", text);
      if (nearest > 1e308) {
        CHECK_INT(parse(&e, text, arena), HYS_ERR_INPUT);
        CHECK_STR(said.item[0].text, "the number is too large (the largest is about 1.797e308)");
      } else if (CHECK_INT(parse(&e, text, arena), HYS_OK) && CHECK_INT(e.n, 1)) {
        CHECK(tricky_near(e.node[0].value, nearest));
        CHECK_SAME(hysi_expr_nearest(&e.node[0]), nearest);
      }
      hys_arena_destroy(arena);
    }
  }
}

static void long_numbers(void) {
  static const size_t lengths[] = {400, 1000, 5000, 100000};
  for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
    hys_arena *arena = hys_arena_create(NULL);
    char *text = hys_arena_alloc(arena, lengths[i] + 3, 1);
    hys_expr e;
    check_label("%zu digits", lengths[i]);
    memcpy(text, "0.", 2);
    for (size_t k = 0; k < lengths[i]; k++)
      text[k + 2] = (char)('0' + (k + 1) % 10);
    if (CHECK_INT(parse(&e, text, arena), HYS_OK)) {
      CHECK(tricky_near(e.node[0].value, 0.12345678901234568));
      CHECK_SAME(hysi_expr_nearest(&e.node[0]), 0.12345678901234568);
    }
    hys_arena_destroy(arena);
  }
}

/* With a = 3, b = 4, others 0.5. */
static void values(void) {
  static const struct {
    const char *text;
    double value;
    uint32_t column; /* of a warning; 0: none */
    const char *says;
  } rows[] = {
      {"1e-400", 0, 0, NULL},
      {"+3", 3, 0, NULL},
      {"-3", -3, 0, NULL},
      {"--3", 3, 0, NULL},
      {"-+-+3", 3, 0, NULL},
      {"- - 3", 3, 0, NULL},
      {"a-1", 2, 0, NULL},
      {"a -1", 2, 0, NULL},
      {"a- 1", 2, 0, NULL},
      {"a--1", 4, 0, NULL},
      {"a*-1", -3, 0, NULL},
      {"a/-2", -1.5, 0, NULL},
      {"2^-1", 0.5, 0, NULL},
      {"2^-1*4", 2, 0, NULL},
      {"2^+2", 4, 0, NULL},
      {"-a^2", -9, 1, "a minus before a power is read as -(x^y); parentheses would say so"},
      {"(-a)^2", 9, 0, NULL},
      {"-(a^2)", -9, 0, NULL},
      {"1 - a^2", -8, 0, NULL},
      {"2^-a^2", 1.0 / 512, 3, "a minus before a power is read as -(x^y); parentheses would say so"},
      {"2^3^2", 512, 2, "x^y^z is read as x^(y^z); parentheses would say so"},
      {"2^(3^2)", 512, 0, NULL},
      {"(2^3)^2", 64, 0, NULL},
      {"b^0.5", 2, 0, NULL},
      {"a^b", 81, 0, NULL},
      {"a^0", 1, 0, NULL},
      {"a/b/c", 1.5, 0, NULL},
      {"a/(b/c)", 0.375, 0, NULL},
      {"a-b-c", -1.5, 0, NULL},
      {"a-b+c", -0.5, 0, NULL},
      {"2*a/4*b", 6, 0, NULL},
      {"1 + 2*3^2", 19, 0, NULL},
      {"((((a))))", 3, 0, NULL},
      {"min(a, b) + max(a,b)", 7, 0, NULL},
      {"abs(-a)", 3, 0, NULL},
      {"sqrt(b)", 2, 0, NULL},
      {"1e3", 1000, 0, NULL},
      {"1e3-1", 999, 0, NULL},
      {"e3", 0.5, 0, NULL}, /* a name */
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const double at[] = {3, 4, 0.5};
    const hys_interval box[] = {{3, 3}, {4, 4}, {0.5, 0.5}};
    hys_arena *arena = hys_arena_create(NULL);
    double scratch[32];
    hys_interval wide[32];
    hys_expr e;
    check_label("%s", rows[i].text);
    if (CHECK_INT(parse(&e, rows[i].text, arena), HYS_OK)) {
      const hys_interval v = hys_expr_eval_interval(&e, e.n - 1, box, NULL, NULL, wide);
      CHECK_SAME(hys_expr_eval_point(&e, e.n - 1, at, NULL, NULL, scratch), rows[i].value);
      CHECK(v.lo <= rows[i].value && rows[i].value <= v.hi &&
            v.hi - v.lo < 1e-12 * (1 + fabs(rows[i].value)));
      CHECK_INT(said.n, rows[i].says != NULL ? 1 : 0);
      if (said.n == 1 && rows[i].says != NULL) {
        CHECK_STR(said.item[0].text, rows[i].says);
        CHECK_INT(said.item[0].severity, HYS_WARNING);
        CHECK_INT(said.item[0].column, rows[i].column);
      }
    }
    hys_arena_destroy(arena);
  }
}

static void no_numbers(void) {
  static const struct {
    const char *text;
    uint32_t column;
    const char *says;
  } rows[] = {
      {"", 1, EXPECTED "the end of the text"},
      {"1e", 2, "an exponent needs digits"},
      {"1e+", 2, "an exponent needs digits"},
      {"1.5E-", 4, "an exponent needs digits"},
      {"1e.5", 2, "an exponent needs digits"},
      {"1.2.3", 4, "a number has one decimal point"},
      {"1..2", 3, "a number has one decimal point"},
      {".", 1, "unexpected character `.'"},
      {"1e2.5", 4, "a number has one decimal point"},
      {"0x10", 2, GLUED},
      {"1f", 2, GLUED},
      {"2a", 2, GLUED},
      {"1e5e5", 4, GLUED},
      {"1_000", 2, GLUED},
      {"1,5", 2,
       "a comma separates arguments; conditions are joined by `&', and a number has a decimal point"},
      {"1 000", 3, OPERATOR "`000'"},
      {"1e400", 1, "the number is too large (the largest is about 1.797e308)"},
      {"-1e400", 2, "the number is too large (the largest is about 1.797e308)"},
      {"1e99999999999999999999", 1, "the number is too large (the largest is about 1.797e308)"},
      {"inf()", 1, "`inf' is not a function that is read here"},
      {"sin", 0, NULL}, /* a name like others */
      {"sin()", 1, "`sin' takes 1 argument, here are 0"},
      {"sin(a, b)", 1, "`sin' takes 1 argument, here are 2"},
      {"min(a)", 1, "`min' takes 2 arguments, here are 1"},
      {"min(a,b,c)", 1, "`min' takes 2 arguments, here are 3"},
      {"min()", 1, "`min' takes 2 arguments, here are 0"},
      {"sin(,)", 5, EXPECTED "`,'"},
      {"sin(a,)", 7, EXPECTED "`)'"},
      {"sin(a", 1, "this parenthesis is not closed"},
      {"Sin(a)", 1, "`Sin' is not a function that is read here; did you mean `sin'?"},
      {"ln(a)", 1, "`ln' is not a function that is read here; it is written log(x)"},
      {"pow(a, 2)", 1, "`pow' is not a function that is read here; it is written x^y"},
      {"sin a", 5, OPERATOR "`a'" PRODUCT_HINT},
      {"a**2", 3, EXPECTED "`*'"},
      {"a^", 3, EXPECTED "the end of the text"},
      {"*a", 1, EXPECTED "`*'"},
      {"a == b", 3, "a number is expected here, this is a condition"},
      {"(a == b) + 1", 4, "a number is expected here, this is a condition"},
      {"sin(a == b)", 7, "a number is expected here, this is a condition"},
      {"sin(a; b)", 6, "unexpected `;'"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    hys_arena *arena = hys_arena_create(NULL);
    hys_expr e;
    check_label("`%s'", rows[i].text);
    CHECK_INT(parse(&e, rows[i].text, arena), rows[i].says != NULL ? HYS_ERR_INPUT : HYS_OK);
    CHECK_INT(said.n, rows[i].says != NULL ? 1 : 0);
    if (said.n == 1) {
      CHECK_STR(said.item[0].text, rows[i].says);
      CHECK_INT(said.item[0].column, rows[i].column);
      CHECK_INT(e.n, 0);
    }
    hys_arena_destroy(arena);
  }
}

/* ---- assignments ---- */

#define PLAIN "an assignment is a conjunction of x := e and bounds of x'; this is not read"
#define NEXT_ALONE "a primed variable must stand alone on one side: x' <= e, without primes in e"
#define NOTHING_ASSIGNED                                                                                     \
  "this assigns nothing: the value after the jump is written x'; a condition belongs to the guard"
#define AGAIN "`x' is assigned twice in one transition"

/* x after the jump = a x + b y + [lo, hi], and y likewise where `swap`. */
static const struct assignment_row {
  const char *text;
  hys_severity severity;
  uint32_t column;
  const char *says;
  double a, b, lo, hi;
  bool keeps, no_shield;
} assignments[] = {
    {"x:=0", NOTHING, 0, 0, 0, 0, false, false},
    {"x := 0", NOTHING, 0, 0, 0, 0, false, false},
    {"x':=0", NOTHING, 0, 0, 0, 0, false, false},
    {"x'==0", NOTHING, 0, 0, 0, 0, false, false},
    {"x'=0", NOTHING, 0, 0, 0, 0, false, false},
    {"x==0", NOTHING, 0, 0, 0, 0, false, false},
    {"x=0", NOTHING, 0, 0, 0, 0, false, false},
    {"0 == x'", NOTHING, 0, 0, 0, 0, false, false},
    {"x = 1", NOTHING, 0, 0, 1, 1, false, false},
    {"x := x + 1", NOTHING, 1, 0, 1, 1, false, false},
    {"x' == y & y' == x", NOTHING, 0, 1, 0, 0, false, false},
    {"y := x & x := y", NOTHING, 0, 1, 0, 0, false, false},
    {"y = x && x = y", NOTHING, 0, 1, 0, 0, false, false},
    {"x' >= 0 & x' <= 1", NOTHING, 0, 0, 0, 1, false, false},
    {"0<=x'<=1", NOTHING, 0, 0, 0, 1, false, false},
    {"1 >= x' >= 0", NOTHING, 0, 0, 0, 1, false, false},
    {"0 < x' & x' < 1", NOTHING, 0, 0, 0, 1, false, false},
    {"x <= x' <= x + 2", NOTHING, 1, 0, 0, 2, false, false},
    {"x' >= 0", NOTHING, 0, 0, 0, 0, false, true},
    {"", NOTHING, 0, 0, 0, 0, true, false},
    {"true", NOTHING, 0, 0, 0, 0, true, false},
    {"x' == x", NOTHING, 1, 0, 0, 0, true, false},
    {"x := k", NOTHING, 0, 0, 2, 2, false, false},
    {"x := 1 & x := 2", E(12, AGAIN), 0, 0, 0, 0, false, false},
    {"x := 1 & x' <= 2", E(13, AGAIN), 0, 0, 0, 0, false, false},
    {"x' <= 1 & x == 2", E(13, AGAIN), 0, 0, 0, 0, false, false},
    {"k := 1", E(3, "`k' is a constant: it cannot be assigned"), 0, 0, 0, 0, false, false},
    {"k' == k", E(4, "`k' is a constant: it cannot be assigned"), 0, 0, 0, 0, false, false},
    {"u := 1", W(3, "`u' is assigned in component `c', which does not control it"), 0, 0, 0, 0, true, false},
    {"z := 1", W(1, "`z' is not declared in component `c'"), 0, 0, 0, 0, true, true},
    {"go := 1", E(1, "`go' is a label, a variable is expected here"), 0, 0, 0, 0, false, false},
    {"1 := x", E(3, "on the left of an assignment stands one variable"), 0, 0, 0, 0, false, false},
    {"x + y := 1", E(7, "on the left of an assignment stands one variable"), 0, 0, 0, 0, false, false},
    {"x := y'", E(3, "the right side of an assignment speaks of the values before the jump: no primes"), 0, 0,
     0, 0, false, false},
    {"x' == y'", E(4, NEXT_ALONE), 0, 0, 0, 0, false, false},
    {"x' + y' <= 1", E(9, NEXT_ALONE), 0, 0, 0, 0, false, false},
    {"x <= 1", E(3, NOTHING_ASSIGNED), 0, 0, 0, 0, false, false},
    {"1 == x", E(3, NOTHING_ASSIGNED), 0, 0, 0, 0, false, false},
    {"x' != 1", E(4, PLAIN), 0, 0, 0, 0, false, false},
    {"x := 1 | y := 1", E(8, PLAIN), 0, 0, 0, 0, false, false},
    {"!(x := 1)", E(1, PLAIN), 0, 0, 0, 0, false, false},
    {"false", E(1, PLAIN), 0, 0, 0, 0, false, false},
    {"x := y := 1", E(8, "`:=' cannot be part of a chain of comparisons"), 0, 0, 0, 0, false, false},
    {"x := 1; y := 2", E(7, "unexpected `;'"), 0, 0, 0, 0, false, false},
    {"x : = 1", E(3, "unexpected character `:'"), 0, 0, 0, 0, false, false},
    {"x :== 1", E(5, EXPECTED "`='"), 0, 0, 0, 0, false, false},
    {"x := 1 &", E(9, EXPECTED "the end of the text"), 0, 0, 0, 0, false, false},
};

static void assignment_texts(void) {
  for (size_t i = 0; i < sizeof assignments / sizeof assignments[0]; i++) {
    const struct assignment_row *r = &assignments[i];
    tricky_world w = {.arena = hys_arena_create(NULL)};
    const tricky_said want = {r->severity, TRICKY_ASSIGNMENT, tricky_column(r->text, r->column), r->says};
    const char *xml = tricky_model(w.arena, TRICKY_ASSIGNMENT, r->text);
    const hys_automaton *a = NULL;
    check_label("assignment `%s'", r->text);
    /* y moves too, else it would be an input */
    char *flow = xml != NULL ? strstr(xml, "x' == 1") : NULL;
    if (CHECK(flow != NULL)) {
      const char *both = "x'==1&amp;y'==0";
      char *copy = hys_arena_alloc(w.arena, strlen(xml) + 32, 1);
      snprintf(copy, strlen(xml) + 32, "%.*s%s%s", (int)(flow - xml), xml, both, flow + strlen("x' == 1"));
      if (tricky_read(&w, copy, strlen(copy), "initially = \"k == 2\"", "m.xml", &want) && !r->no_shield &&
          (r->says == NULL || r->severity == HYS_WARNING))
        a = tricky_flatten(&w);
      if (a != NULL && CHECK_INT(a->n_jumps, 1)) {
        const hys_reset_row *x = &a->jump[0].reset[0];
        CHECK(x->identity == r->keeps);
        if (!x->identity) {
          CHECK_SAME(x->coef != NULL ? x->coef[0].lo : 0.0, r->a);
          CHECK_SAME(x->coef != NULL ? x->coef[1].lo : 0.0, r->b);
          CHECK_SAME(x->offset.lo, r->lo);
          CHECK_SAME(x->offset.hi, r->hi);
        }
      } else if (r->no_shield && w.model != NULL) {
        CHECK(hys_model_automaton(w.model, w.arena, &w.said, &w.automaton) != HYS_OK);
      }
    }
    tricky_end(&w);
  }
}

/* ---- conditions ---- */

/* How many half-spaces a condition is, as an invariant. */
static void conditions(void) {
  static const struct {
    const char *text;
    uint32_t rows;
    hys_severity severity;
    uint32_t column;
    const char *says;
  } rows[] = {
      {"x <= 1", 1, NOTHING},
      {"x < 1", 1, NOTHING},
      {"1 >= x", 1, NOTHING},
      {"x == 1", 2, NOTHING},
      {"x = 1", 2, NOTHING},
      {"0 <= x <= 1", 2, NOTHING},
      {"0 <= x <= 1 <= 2", 2, NOTHING},
      {"0 <= x < y + 20 < 40", 3, NOTHING},
      {"x <= 1 & true", 1, NOTHING},
      {"(x <= 1 & (x >= 0 && true))", 2, NOTHING},
      {"!(x > 1)", 1, NOTHING},
      {"!(x > 1 | x < 0)", 2, NOTHING},
      {"!!(x <= 1)", 1, NOTHING},
      {"! ! !(x > 1)", 1, NOTHING},
      {"!(!(x <= 1))", 1, NOTHING},
      {"!(x != 1)", 2, NOTHING},
      {"x <= 1 | false", 1, NOTHING},
      {"false || x <= 1", 1, NOTHING},
      {"x <= 1 & y x", 0, E(12, OPERATOR "`x'" PRODUCT_HINT)},
      {"!x <= 1", 0, E(1, "`!' is followed by a condition in parentheses")},
      {"!", 0, E(1, "`!' is followed by a condition in parentheses")},
      {"!true", 0, E(1, "`!' is followed by a condition in parentheses")},
      {"x <= 1 and y <= 1", 0, E(8, OPERATOR "`and'" PRODUCT_HINT)},
      {"x => 1", 0, E(4, EXPECTED "`>'")},
      {"x <> 1", 0, E(4, EXPECTED "`>'")},
      {"x' <= 1", 0, E(2, "a primed variable has no meaning here: primes belong to flows and assignments")},
      {"x", 0, E(1, "a condition is expected here (a comparison, true or false), this is a number")},
      {"(x <= 1) <= 2", 0, E(4, "a number is expected here, this is a condition")},
      {"x <= 1 & sin(x) ", 0,
       E(10, "a condition is expected here (a comparison, true or false), this is a number")},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    tricky_world w = {.arena = hys_arena_create(NULL)};
    char text[128];
    const hys_automaton *a = NULL;
    const tricky_said want = {rows[i].severity, TRICKY_INVARIANT, tricky_column(rows[i].text, rows[i].column),
                              rows[i].says};
    check_label("invariant `%s'", rows[i].text);
    /* the bounds of the inputs behind it */
    snprintf(text, sizeof text, "%s%s", rows[i].text, rows[i].says == NULL ? " & u==0 & -9<=y & y<=9" : "");
    if (rows[i].says == NULL && strchr(rows[i].text, '|') != NULL)
      snprintf(text, sizeof text, "(%s) & u==0 & -9<=y & y<=9", rows[i].text);
    /* y moves, so that it may be compared with x */
    const char *xml = tricky_model(w.arena, TRICKY_INVARIANT, text);
    char *flow = xml != NULL ? strstr(xml, "x' == 1") : NULL;
    if (CHECK(flow != NULL)) {
      char *copy = hys_arena_alloc(w.arena, strlen(xml) + 32, 1);
      snprintf(copy, strlen(xml) + 32, "%.*sx'==1&amp;y'==0%s", (int)(flow - xml), xml, flow + 7);
      if (tricky_read(&w, copy, strlen(copy), "initially = \"k == 2\"", "m.xml", &want) &&
          rows[i].says == NULL)
        a = tricky_flatten(&w);
      if (a != NULL)
        CHECK_INT(a->location[0].invariant.n, rows[i].rows + 2);
    }
    tricky_end(&w);
  }
}

CHECK_MAIN("tricky formulas", {"flows", flow_texts}, {"urgent locations", urgent},
           {"numbers in every spelling", spellings}, {"numbers of many digits", long_numbers},
           {"what expressions mean", values}, {"what is no number", no_numbers},
           {"assignments", assignment_texts}, {"conditions", conditions})
