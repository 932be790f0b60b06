#include "core/allocator.h"
#include "core/diagnostics.h"
#include "models/lint.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <string.h>

/* Models in short form: line 2 begins the parameters, each piece that ends with \n is a line of its own. */
#define ROOT(body) "<sspaceex version=\"0.2\" math=\"SpaceEx\">\n" body "</sspaceex>"
#define COMPONENT(id, body) "<component id=\"" id "\">\n" body "</component>\n"
#define PARAM(name, rest) "<param name=\"" name "\" d1=\"1\" d2=\"1\" local=\"false\" " rest "/>\n"
#define R(name) PARAM(name, "type=\"real\" dynamics=\"any\" controlled=\"true\"")
#define SEEN(name) PARAM(name, "type=\"real\" dynamics=\"any\" controlled=\"false\"")
#define C(name) PARAM(name, "type=\"real\" dynamics=\"const\"")
#define L(name) "<param name=\"" name "\" type=\"label\" local=\"false\"/>\n"
#define LOC(id, name, invariant, flow)                                                                       \
  "<location id=\"" id "\" name=\"" name "\">\n<invariant>" invariant "</invariant>\n<flow>" flow            \
  "</flow></location>\n"
#define JUMP(from, to, rest) "<transition source=\"" from "\" target=\"" to "\">\n" rest "</transition>\n"
#define LABEL(name) "<label>" name "</label>\n"
#define GUARD(text) "<guard>" text "</guard>\n"
#define SET(text) "<assignment>" text "</assignment>\n"
#define BIND(component, as, maps) "<bind component=\"" component "\" as=\"" as "\">" maps "</bind>\n"
#define MAP(key, value) "<map key=\"" key "\">" value "</map>"

enum { MOST = 6 };

typedef struct row {
  const char *what, *xml, *cfg;
  const char *said[MOST]; /* all that is said: "line:column severity: text" */
} row;

static void check_rows(const row *rows, size_t n) {
  static const char *const severity[] = {"note", "warning", "error"};
  for (size_t i = 0; i < n; i++) {
    hys_arena *arena = hys_arena_create(NULL);
    const hys_model *model = NULL;
    hys_diagnostics reading, said;
    uint32_t k = 0;
    check_label("%s", rows[i].what);
    hys_diagnostics_init(&reading, arena);
    hys_diagnostics_init(&said, arena);
    CHECK_INT(hys_model_read_memory(&model, rows[i].xml, strlen(rows[i].xml), "m.xml", rows[i].cfg,
                                    rows[i].cfg != NULL ? strlen(rows[i].cfg) : 0, "m.cfg", NULL, arena,
                                    &reading),
              HYS_OK);
    for (uint32_t j = 0; j < reading.n; j++)
      if (reading.item[j].severity == HYS_ERROR)
        printf("  %u:%u %s\n", reading.item[j].line, reading.item[j].column, reading.item[j].text);
    if (!CHECK(model != NULL))
      continue;
    CHECK_INT(hys_model_lint(model, HYS_LINT_PLACES, arena, &said), HYS_OK);
    for (; k < said.n || (k < MOST && rows[i].said[k] != NULL); k++) {
      char text[600] = "(nothing)";
      if (k < said.n)
        snprintf(text, sizeof text, "%u:%u %s: %s", said.item[k].line, said.item[k].column,
                 severity[said.item[k].severity], said.item[k].text);
      CHECK_STR(text, k < MOST && rows[i].said[k] != NULL ? rows[i].said[k] : "(nothing)");
      CHECK_INT(said.errors, 0);
    }
    hys_arena_destroy(arena);
  }
}

static void conditions_that_never_hold(void) {
  static const row rows[] = {
      {"a guard against itself",
       ROOT(COMPONENT("c", R("x") LOC("1", "on", "", "x' == 1")
                               JUMP("1", "1", GUARD("x &gt;= 5 &amp; x &lt;= 3")))),
       NULL,
       {"8:10 warning: this guard can never hold: `x >= 5' and `x <= 3' cannot hold together"}},
      {"decimals are exact: 0.1 + 0.2 is 0.3",
       ROOT(COMPONENT("c", R("x") LOC("1", "on", "", "x' == 1")
                               JUMP("1", "1", GUARD("x &gt;= 0.1 + 0.2 &amp; x &lt;= 0.3") SET("x := -1")))),
       NULL,
       {NULL}},
      {"a guard against the invariant, by two variables",
       ROOT(COMPONENT("c",
                      R("x") R("y") LOC("1", "on", "x + y &lt;= 3 &amp; y &gt;= 0", "x' == 0 &amp; y' == 0")
                          JUMP("1", "1", GUARD("x &gt;= 4 &amp; y &lt;= 9")))),
       NULL,
       {"9:10 warning: this jump can never be taken: `x >= 4' and `x + y <= 3' (invariant of `on') and `y >= "
        "0' "
        "(invariant of `on') cannot hold together"}},
      {"numbers of a bind and of the configuration",
       ROOT(COMPONENT("c", R("x") C("low") C("high") LOC("1", "on", "x &lt;= low", "x' == 0")
                               JUMP("1", "1", GUARD("x &gt;= high")))
                COMPONENT("s",
                          R("x") C("h") BIND("c", "a", MAP("x", "x") MAP("low", "0.3") MAP("high", "h")))),
       "initially = \"h == 0.31 & x == 0\"",
       {"10:10 warning: this jump can never be taken: `x >= high' and `x <= low' (invariant of `on') cannot "
        "hold "
        "together"}},
      {"two instances: what one of them can do is not warned of",
       ROOT(COMPONENT("c", R("x") C("low") LOC("1", "on", "x &lt;= low", "x' == 0")
                               JUMP("1", "1", GUARD("x &gt;= 2 &amp; x &lt;= 2") SET("x := 0")))
                COMPONENT("s", R("x") R("y") BIND("c", "a", MAP("x", "x") MAP("low", "1"))
                                   BIND("c", "b", MAP("x", "y") MAP("low", "3")))),
       NULL,
       {NULL}},
      {"a target that the assignment misses",
       ROOT(COMPONENT("c", R("x") LOC("1", "on", "x &gt;= 0", "x' == 0") LOC(
                               "2", "off", "x &lt;= 10", "x' == 0") JUMP("1", "2", SET("x := 2*x + 11")))),
       NULL,
       {"10:1 warning: this jump can never be taken: `x >= 0' (invariant of `on') and `x <= 10' (invariant "
        "of "
        "`off', after the jump) cannot hold together"}},
      {"a value between bounds may meet the target",
       ROOT(COMPONENT("c",
                      R("x") LOC("1", "on", "x &gt;= 20", "x' == 0") LOC("2", "off", "x &lt;= 10", "x' == 0")
                          JUMP("1", "2", SET("5 &lt;= x' &amp; x' &lt;= 15")))),
       NULL,
       {NULL}},
      {"an invariant, and no second word about its jumps",
       ROOT(COMPONENT("c", R("x") LOC("1", "on", "x &gt;= 1 &amp; x &lt;= 0", "x' == 0")
                               JUMP("1", "1", GUARD("x &gt;= 9")))),
       NULL,
       {"5:14 warning: this invariant can never hold: `x >= 1' and `x <= 0' cannot hold together"}},
      {"not affine, by ranges",
       ROOT(COMPONENT("c", R("x") LOC("1", "on", "x &gt;= 1 &amp; x &lt;= 2", "x' == 0")
                               JUMP("1", "1", GUARD("x^2 &gt;= 5") SET("x := 1")))),
       NULL,
       {"8:9 note: `x^2' is not affine", "8:12 warning: this jump can never be taken: `x^2 >= 5' is false "
                                         "wherever the other conditions hold"}},
      {"a border that is left out is a note",
       ROOT(COMPONENT("c", R("x") LOC("1", "on", "x &lt;= 5", "x' == 0")
                               JUMP("1", "1", GUARD("x &gt; 5") SET("x := 0")))),
       NULL,
       {"8:10 note: this jump can never be taken: `x > 5' and `x <= 5' (invariant of `on') meet on a border "
        "that a "
        "strict comparison leaves out",
        "8:10 note: `x > 5' is strict: what encloses sets of states keeps the border"}},
      {"a variable that another component may assign in the same jump",
       ROOT(COMPONENT("c", SEEN("x") L("go") LOC("1", "on", "x &lt;= 0", "") LOC("2", "off", "x &gt;= 1", "")
                               JUMP("1", "2", LABEL("go")))
                COMPONENT("d", R("x") L("go") LOC("1", "a", "", "x' == 0")
                                   JUMP("1", "1", LABEL("go") SET("x := 1")))
                    COMPONENT("s", R("x") L("go") BIND("c", "c", MAP("x", "x") MAP("go", "go"))
                                       BIND("d", "d", MAP("x", "x") MAP("go", "go")))),
       NULL,
       {NULL}},
      {"a disjunction",
       ROOT(COMPONENT("c", R("x") LOC("1", "on", "x &lt;= 1", "x' == 0")
                               JUMP("1", "1", GUARD("x &lt;= 0 | x &gt;= 5") SET("x := 1")))),
       NULL,
       {NULL}},
  };
  check_rows(rows, sizeof rows / sizeof rows[0]);
}

static void locations(void) {
#define FOUR                                                                                                 \
  LOC("1", "a", "", "x' == 0")                                                                               \
  LOC("2", "b", "", "x' == 0")                                                                               \
  LOC("3", "c", "", "x' == 0")                                                                               \
  LOC("4", "d", "", "x' == 0")                                                                               \
  JUMP("1", "2", GUARD("x == 0") SET("x := 1")) JUMP("3", "4", "") JUMP("4", "1", "")
  static const row rows[] = {
      {"two that no jump reaches",
       ROOT(COMPONENT("s", R("x") FOUR)),
       "initially = \"loc()==a & x == 0\"",
       {"10:1 warning: no jump leads to locations `c', `d' from where `s' starts"}},
      {"one",
       ROOT(COMPONENT("s", R("x") FOUR)),
       "initially = \"(loc()==a | loc()==d) & x == 0\"",
       {"10:1 warning: no jump leads to location `c' from where `s' starts"}},
      {"a negation",
       ROOT(COMPONENT("s", R("x") FOUR)),
       "initially = \"!(loc()==c)\"",
       {"10:1 warning: no jump leads to location `c' from where `s' starts"}},
      {"without a condition every location is a start",
       ROOT(COMPONENT("s", R("x") FOUR)),
       "initially = \"x == 0\"",
       {NULL}},
      {"without a configuration too", ROOT(COMPONENT("s", R("x") FOUR)), NULL, {NULL}},
  };
  check_rows(rows, sizeof rows / sizeof rows[0]);
}

static void places_where_time_may_stop(void) {
#define TANK(guard)                                                                                          \
  ROOT(COMPONENT("c", R("x") R("y") LOC("1", "fill", "x &lt;= 10", "x' == y &amp; y' == 0")                  \
                          LOC("2", "rest", "", "x' == 0 &amp; y' == 0") JUMP("1", "2", GUARD(guard))))
  static const row rows[] = {
      {"a guard that covers the border", TANK("x &gt;= 10"), NULL, {NULL}},
      {"a strict one is taken as closed",
       TANK("x &gt; 9"),
       NULL,
       {"12:10 note: `x > 9' is strict: what encloses sets of states keeps the border"}},
      {"a guard that covers what the flow reaches", TANK("x == 10 &amp; y &gt;= 0"), NULL, {NULL}},
      {"a gap",
       TANK("x == 10 &amp; y &gt;= 2"),
       NULL,
       {"6:14 note: time may stop in `fill': the flow leads out of its invariant here and no jump is "
        "enabled, for "
        "instance at x = 10, y = 1"}},
      {"two guards with a gap between them",
       ROOT(COMPONENT("c", R("x") R("y") LOC("1", "fill", "x &lt;= 10 &amp; y &gt;= 0 &amp; y &lt;= 3",
                                             "x' == y + 1 &amp; y' == 0")
                               LOC("2", "rest", "", "x' == 0 &amp; y' == 0")
                                   JUMP("1", "2", GUARD("x &gt;= 10 &amp; y &lt;= 1"))
                                       JUMP("1", "2", GUARD("x &gt;= 10 &amp; y &gt;= 2")))),
       NULL,
       {"6:14 note: time may stop in `fill': the flow leads out of its invariant here and no jump is "
        "enabled, for "
        "instance at x = 10, y = 1.5"}},
      {"two guards that cover it together",
       ROOT(COMPONENT("c", R("x") R("y") LOC("1", "fill", "x &lt;= 10 &amp; y &gt;= 0 &amp; y &lt;= 3",
                                             "x' == y + 1 &amp; y' == 0")
                               LOC("2", "rest", "", "x' == 0 &amp; y' == 0")
                                   JUMP("1", "2", GUARD("x &gt;= 10 &amp; y &lt;= 2"))
                                       JUMP("1", "2", GUARD("x &gt;= 10 &amp; y &gt;= 2")))),
       NULL,
       {NULL}},
      {"an input that keeps inside",
       ROOT(COMPONENT("c",
                      R("x") R("u") LOC("1", "on", "x &gt;= 0 &amp; u &gt;= 0 &amp; u &lt;= 1", "x' == u"))),
       NULL,
       {NULL}},
      {"a location where no time passes",
       ROOT(COMPONENT("c", R("x") LOC("1", "on", "x &lt;= 0", "false"))),
       NULL,
       {NULL}},
      {"more of them are counted",
       ROOT(COMPONENT("c", R("x") R("y")
                               LOC("1", "on", "0 &lt;= x &amp; x &lt;= 1 &amp; 0 &lt;= y &amp; y &lt;= 1",
                                   "x' == y - 0.5 &amp; y' == x - 0.5"))),
       NULL,
       {"2:1 note: time may stop in 1 more place of component `c'",
        "6:14 note: time may stop in `on': the flow leads out of its invariant here and no jump is enabled, "
        "for "
        "instance at x = 0, y = 0.25",
        "6:30 note: time may stop in `on': the flow leads out of its invariant here and no jump is enabled, "
        "for "
        "instance at x = 1, y = 0.75",
        "6:46 note: time may stop in `on': the flow leads out of its invariant here and no jump is enabled, "
        "for "
        "instance at y = 0, x = 0.25"}},
  };
  check_rows(rows, sizeof rows / sizeof rows[0]);
}

static void jumps_without_end(void) {
#define CLOCK(guard, assignment)                                                                             \
  ROOT(COMPONENT("c", R("t") R("n") LOC("1", "on", "t &lt;= 2", "t' == 1 &amp; n' == 0")                     \
                          JUMP("1", "1", GUARD(guard) SET(assignment))))
  static const row rows[] = {
      {"a clock that is set back", CLOCK("t == 2", "t := 0"), NULL, {NULL}},
      {"a clock that nobody sets back",
       CLOCK("t == 2", "n := n + 1"),
       NULL,
       {"8:1 warning: the jump from `on' (line 8) may be taken again and again in no time (a Zeno suspect)"}},
      {"a counter runs out",
       CLOCK("t == 2 &amp; n &lt;= 5 &amp; n &gt;= 5", "n := n + 1"),
       NULL,
       {"6:14 note: time may stop in `on': the flow leads out of its invariant here and no jump is enabled, "
        "for instance at t = 2"}},
      {"a ball at rest is not meant",
       ROOT(COMPONENT("c", R("x") R("v") LOC("1", "fall", "x &gt;= 0", "x' == v &amp; v' == -9.81")
                               JUMP("1", "1", GUARD("x == 0 &amp; v &lt;= 0") SET("v := -0.8*v")))),
       NULL,
       {NULL}},
      {"thresholds apart",
       ROOT(COMPONENT("c",
                      R("x") LOC("1", "on", "x &lt;= 22", "x' == 1") LOC("2", "off", "x &gt;= 18", "x' == -1")
                          JUMP("1", "2", GUARD("x &gt;= 22")) JUMP("2", "1", GUARD("x &lt;= 18")))),
       NULL,
       {NULL}},
      {"thresholds that overlap",
       ROOT(COMPONENT("c",
                      R("x") LOC("1", "on", "x &lt;= 22", "x' == 1") LOC("2", "off", "x &gt;= 18", "x' == -1")
                          JUMP("1", "2", GUARD("x &gt;= 19")) JUMP("2", "1", GUARD("x &lt;= 21")))),
       NULL,
       {"10:1 warning: the jumps from `on' (line 10), `off' (line 13) may follow each other again and again "
        "in no "
        "time (a Zeno suspect)"}},
      {"cells that share a border",
       ROOT(COMPONENT("c", R("x") LOC("1", "left", "x &lt;= 0", "x' == 1")
                               LOC("2", "right", "x &gt;= 0", "x' == 1") JUMP("1", "2", GUARD("x &gt;= 0"))
                                   JUMP("2", "1", GUARD("x &lt;= 0")))),
       NULL,
       {NULL}},
      {"urgent ones",
       ROOT(COMPONENT("c", R("x") LOC("1", "a", "", "false") LOC("2", "b", "", "false")
                               LOC("3", "e", "", "x' == 1") JUMP("1", "2", "") JUMP("2", "1", "")
                                   JUMP("3", "1", GUARD("x &gt;= 1")))),
       NULL,
       {"13:1 warning: the jumps from `a' (line 13), `b' (line 15) may follow each other again and again and "
        "no time "
        "passes in between: the locations are urgent"}},
      {"a label of nobody else is a command",
       ROOT(COMPONENT("c", R("x") L("go") LOC("1", "on", "", "x' == 1") JUMP("1", "1", LABEL("go")))),
       NULL,
       {NULL}},
      {"labels that both may take in no time",
       ROOT(COMPONENT("c", R("x") L("go") LOC("1", "on", "", "x' == 1") JUMP("1", "1", LABEL("go")))
                COMPONENT("d", L("go") LOC("1", "a", "", "") JUMP("1", "1", LABEL("go")))
                    COMPONENT("s", R("x") L("go") BIND("c", "c", MAP("x", "x") MAP("go", "go"))
                                       BIND("d", "d", MAP("go", "go")))),
       NULL,
       {"8:1 note: the jump from `on' (line 8) may be taken again and again in no time, as far as the model "
        "says",
        "17:1 note: the jump from `a' (line 17) may be taken again and again in no time, as far as the model "
        "says"}},
      {"a label for which another needs time",
       ROOT(COMPONENT("c", R("x") L("go") LOC("1", "on", "", "x' == 1") JUMP("1", "1", LABEL("go")))
                COMPONENT("d", R("t") L("go") LOC("1", "a", "", "t' == 1")
                                   JUMP("1", "1", LABEL("go") GUARD("t &gt;= 1") SET("t := 0")))
                    COMPONENT("s", R("x") R("t") L("go") BIND("c", "c", MAP("x", "x") MAP("go", "go"))
                                       BIND("d", "d", MAP("t", "t") MAP("go", "go")))),
       NULL,
       {NULL}},
  };
  check_rows(rows, sizeof rows / sizeof rows[0]);
}

static void names(void) {
  static const row rows[] = {
      {"a constant that the configuration forgets",
       ROOT(COMPONENT("c", R("x") C("k") LOC("1", "on", "", "x' == k"))),
       "initially = \"x == 0\"",
       {"4:1 warning: constant `k' has no value: a configuration gives one by `initially', or a bind by a "
        "number"}},
      {"a constant between bounds",
       ROOT(COMPONENT("c", R("x") C("k") LOC("1", "on", "", "x' == k"))),
       "initially = \"x == 0 & 1 <= k <= 2\"",
       {NULL}},
      {"no configuration at all",
       ROOT(COMPONENT("c", R("x") C("k") LOC("1", "on", "", "x' == k"))),
       NULL,
       {"4:1 note: constant `k' has no value: a configuration gives one by `initially', or a bind by a "
        "number"}},
      {"read and never written",
       ROOT(COMPONENT("c", R("x") R("u") LOC("1", "on", "", "x' == u"))),
       NULL,
       {"4:1 note: `u' is read and never written: it has no flow and no assignment, and no invariant bounds "
        "it"}},
      {"an input", ROOT(COMPONENT("c", R("x") SEEN("u") LOC("1", "on", "", "x' == u"))), NULL, {NULL}},
      {"an input with bounds",
       ROOT(COMPONENT("c", R("x") R("u") LOC("1", "on", "0 &lt;= u &amp; u &lt;= 1", "x' == u"))),
       NULL,
       {NULL}},
      {"assigned and lost",
       ROOT(COMPONENT("c", R("x") R("k") LOC("1", "on", "", "x' == k")
                               JUMP("1", "1", GUARD("x == 1") SET("k := 2 &amp; x := 0")))),
       NULL,
       {"10:15 warning: `k' is assigned here and has no flow in any location: it may change at once, inside "
        "the invariant; a value that stays needs the flow k' == 0"}},
      {"a flow that one location lacks",
       ROOT(COMPONENT("c", R("x") R("y") LOC("1", "on", "", "x' == 1 &amp; y' == 1")
                               LOC("2", "off", "", "x' == 0"))),
       NULL,
       {"8:1 warning: `y' has no flow in location `off', but one elsewhere: it may change at will here, "
        "inside the invariant"}},
      {"an urgent location needs none",
       ROOT(COMPONENT("c", R("x") R("y") LOC("1", "on", "", "x' == 1 &amp; y' == 1")
                               LOC("2", "off", "", "false"))),
       NULL,
       {NULL}},
  };
  check_rows(rows, sizeof rows / sizeof rows[0]);
}

static void terms(void) {
  static const row rows[] = {
      {"the smallest parts that are not affine",
       ROOT(COMPONENT("c",
                      R("x") R("y") C("k") LOC("1", "on", "", "x' == k*x + 2*x*y &amp; y' == sin(x + 1)^2"))),
       "initially = \"k == 2\"",
       {"8:22 note: `2*x*y' is not affine", "8:37 note: `sin(x + 1)' is not affine"}},
      {"a root and a logarithm",
       ROOT(COMPONENT("c", R("x") LOC("1", "on", "-1 &lt;= x &amp; x &lt;= 1", "x' == 0")
                               JUMP("1", "1", GUARD("x &gt;= 0.5") SET("x := sqrt(x) - 1"))
                                   JUMP("1", "1", SET("x := sqrt(x - 0.5)"))
                                       JUMP("1", "1", SET("x := log(x + 1)")))),
       NULL,
       {"9:18 note: `sqrt(x)' is not affine",
        "12:18 warning: the argument `x - 0.5' may be negative here: it has no square root then",
        "12:18 note: `sqrt(x - 0.5)' is not affine",
        "15:18 warning: the argument `x + 1' may be zero or negative here: it has no logarithm then",
        "15:18 note: `log(x + 1)' is not affine"}},
      {"nothing is known of what has no bounds",
       ROOT(COMPONENT("c", R("x") LOC("1", "on", "x &lt;= 1", "x' == 1/x + sqrt(x) - 1000"))),
       NULL,
       {"6:14 note: `1/x' is not affine", "6:19 note: `sqrt(x)' is not affine"}},
      {"a divisor that may be zero",
       ROOT(COMPONENT("c",
                      R("x") R("y")
                          LOC("1", "on",
                              "0 &lt;= x &amp; x &lt;= 1 &amp; 0 &lt;= y &amp; y &lt;= 1 &amp; x + y &gt;= 1",
                              "x' == 1/(x - y) &amp; y' == 1/(x + y)"))),
       NULL,
       {"7:14 warning: the divisor `(x - y)' may be zero here", "7:14 note: `1/(x - y)' is not affine",
        "7:36 note: `1/(x + y)' is not affine"}},
  };
  check_rows(rows, sizeof rows / sizeof rows[0]);
}

/* Models of others: what is suspicious in them, and no more. */
static void shared_models(void) {
  static const struct {
    const char *name;
    uint32_t warnings;
  } rows[] = {
      {"spaceex/05_NAV_3_4", 0},  {"spaceex/09_SX_Mesh", 0},     {"spaceex/10_filtered_oscillator_256", 1},
      {"spaceex/12_quad", 0},     {"spaceex/23_PLAD01_BND", 0},  {"spaceex/24_cdplayer", 0},
      {"spaceex/26_tte5", 0},     {"spaceex/27_Building", 0},    {"spaceex/28_pll_orig", 1},
      {"spaceex/30_discrete", 0}, {"spaceex/38_tank6", 0},       {"spaceex/40_deepPHA", 4},
      {"arch/gearbox", 0},        {"arch/rendezvous_nopass", 0}, {"arch/NAV_3_2", 0},
      {"arch/water-level", 0},    {"arch/vanderpol", 0},         {"arch/platoon", 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char path[80];
    const char *xml;
    hys_arena *arena = hys_arena_create(NULL);
    hys_diagnostics reading, said;
    const hys_model *model = NULL;
    snprintf(path, sizeof path, "%s.xml", rows[i].name);
    xml = check_shared_path(path);
    if (xml == NULL) {
      hys_arena_destroy(arena);
      return;
    }
    check_label("%s", rows[i].name);
    hys_diagnostics_init(&reading, arena);
    hys_diagnostics_init(&said, arena);
    hys_model_read(&model, xml, NULL, NULL, arena, &reading);
    if (CHECK(model != NULL)) {
      CHECK_INT(hys_model_lint(model, HYS_LINT_PLACES, arena, &said), HYS_OK);
      CHECK_INT(said.errors, 0);
      CHECK_INT(said.warnings, rows[i].warnings);
    }
    hys_arena_destroy(arena);
  }
}

CHECK_MAIN("lint", {"conditions that never hold", conditions_that_never_hold}, {"locations", locations},
           {"places where time may stop", places_where_time_may_stop},
           {"jumps without end", jumps_without_end}, {"names", names}, {"terms", terms},
           {"models of others", shared_models})
