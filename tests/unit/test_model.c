#include "core/allocator.h"
#include "core/diagnostics.h"
#include "models/model.h"
#include "tests/support/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Models are written out here in short forms: R name, C name, L name declare a real, a constant, a label. */
#define ROOT(body) "<sspaceex version=\"0.2\" math=\"SpaceEx\">" body "</sspaceex>"
#define COMPONENT(id, body) "<component id=\"" id "\">" body "</component>"
#define PARAM(name, rest) "<param name=\"" name "\" d1=\"1\" d2=\"1\" " rest "/>"
#define R(name) PARAM(name, "type=\"real\" local=\"false\" dynamics=\"any\"")
#define OWN(name) PARAM(name, "type=\"real\" local=\"true\" dynamics=\"any\"")
#define SEEN(name) PARAM(name, "type=\"real\" local=\"false\" dynamics=\"any\" controlled=\"false\"")
#define C(name) PARAM(name, "type=\"real\" local=\"false\" dynamics=\"const\"")
#define L(name) "<param name=\"" name "\" type=\"label\" local=\"false\"/>"
#define LOC(id, name, invariant, flow)                                                                       \
  "<location id=\"" id "\" name=\"" name "\"><invariant>" invariant "</invariant><flow>" flow                \
  "</flow></location>"
#define JUMP(from, to, label, guard, assignment)                                                             \
  "<transition source=\"" from "\" target=\"" to "\"><label>" label "</label><guard>" guard                  \
  "</guard><assignment>" assignment "</assignment></transition>"
#define BIND(component, as, maps) "<bind component=\"" component "\" as=\"" as "\">" maps "</bind>"
#define MAP(key, value) "<map key=\"" key "\">" value "</map>"

static hys_arena *arena;
static hys_diagnostics said;

static const hys_model *read_as(const char *xml, const char *cfg, const char *system, hys_status want) {
  const hys_model *model = NULL;
  hys_status status;
  hys_diagnostics_init(&said, arena);
  status = hys_model_read_memory(&model, xml, strlen(xml), "m.xml", cfg, cfg != NULL ? strlen(cfg) : 0,
                                 "m.cfg", system, arena, &said);
  if (!CHECK_INT(status, want)) {
    for (uint32_t i = 0; i < said.n; i++)
      printf("  %s:%u:%u: %s\n", said.item[i].file, said.item[i].line, said.item[i].column,
             said.item[i].text);
  }
  return model;
}

static const hys_automaton *flatten(const char *xml, const char *cfg) {
  const hys_model *model = read_as(xml, cfg, NULL, HYS_OK);
  const hys_automaton *a = NULL;
  if (model != NULL && !CHECK_INT(hys_model_automaton(model, arena, &said, &a), HYS_OK)) {
    for (uint32_t i = 0; i < said.n; i++)
      printf("  %s:%u:%u: %s\n", said.item[i].file, said.item[i].line, said.item[i].column,
             said.item[i].text);
  }
  return a;
}

static bool is_point(hys_interval v, double x) {
  return hys_interval_equal(v, hys_interval_point(x));
}

/* ---- configurations ---- */

static const char one[] = ROOT(COMPONENT("c", R("x") R("y") LOC("1", "on", "", "x' == 1 &amp; y' == 0")));

static void configurations(void) {
  static const struct {
    const char *cfg;
    double horizon;
    uint32_t sets, rows; /* of initially */
    uint32_t warnings;
  } rows[] = {
      {"", 0, 1, 0, 0},
      {"initially=\"x == 0\"\ntime-horizon=5", 5, 1, 2, 0},
      {"# first\n\nSYSTEM = \"c\" # c\ninitially = \"x >= 0 &\n\n y <= 1\"\r\ntime-horizon = 2.5 # s\r\n",
       2.5, 1, 2, 0},
      {"initially = x == 0 & y == 1 # bare\n", 0, 1, 4, 0},
      {"initially = \"\"\n", 0, 1, 0, 0},
      {"[nonlinear]\ninitially = \"x <= 1\"\n", 0, 1, 1, 1},
      {"initially = \"x <= 1\"\ninitially = \"x <= 1 | y <= 1 | x == y\"\n", 0, 3, 1, 1},
      {"zono.order = 50;\ndirections = { t == 1 & x1 == 1 }\niter-max=-1\ninitially = \"x <= 1\";\n", 0, 1, 1,
       0},
      {"initially = \"0 <= x <= 1 & !(y < 0 | y > 1)\"\n", 0, 1, 4, 0},
      {"initially = \"loc()==on & x <= 1 & true\"\n", 0, 1, 1, 0},
      {"initially = \"loc(c) = on & x <= 1\"\n", 0, 1, 1, 0},
      {"initially = \"false\"\n", 0, 0, 0, 0},
      {"\xEF\xBB\xBFinitially = \"x != 0\"\n", 0, 2, 1, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const hys_automaton *a;
    check_label("%s", rows[i].cfg);
    a = flatten(one, rows[i].cfg);
    CHECK_INT(said.warnings, rows[i].warnings);
    if (!CHECK(a != NULL))
      continue;
    CHECK_SAME(a->time_horizon, rows[i].horizon);
    CHECK_INT(a->n_initially, rows[i].sets);
    if (a->n_initially > 0)
      CHECK_INT(a->initially[0].set.n, rows[i].rows);
  }
}

/* ---- networks ---- */

/* Two tanks that share a label and a level, an inner network with a local clock of the same name. */
static const char nested[] = ROOT(
    COMPONENT("top", R("level") L("go") BIND("pair", "p", MAP("h", "level") MAP("go", "go"))
                         BIND("part", "q", MAP("h", "7") MAP("go", "go")))
        COMPONENT("pair",
                  R("h") L("go") BIND("part", "a", MAP("h", "h") MAP("go", "go")) BIND("clock", "b", ""))
            COMPONENT("part", SEEN("h") L("go") OWN("t") LOC("1", "idle", "", "t' == h")
                                  LOC("2", "busy", "", "t' == 2") JUMP("1", "2", "go", "", "")
                                      JUMP("1", "2", "", "", "") JUMP("2", "1", "go", "", ""))
                COMPONENT("clock", OWN("t") LOC("3", "run", "", "t' == 1") LOC("5", "stop", "", "t' == 0")
                                       JUMP("3", "5", "private", "", "")));

static void networks(void) {
  static const char *const names[] = {"level", "p.a.t", "p.b.t", "q.t"};
  static const hys_role roles[] = {HYS_ROLE_INPUT, HYS_ROLE_STATE, HYS_ROLE_STATE, HYS_ROLE_STATE};
  const hys_model *m = read_as(nested, NULL, NULL, HYS_OK);
  if (!CHECK(m != NULL))
    return;
  CHECK_STR(hys_model_system(m), "top");
  if (CHECK_INT(hys_model_variable_count(m), 4)) {
    for (size_t i = 0; i < 4; i++) {
      CHECK_STR(hys_model_variable_at(m, i).name, names[i]);
      CHECK_INT(hys_model_variable_at(m, i).role, roles[i]);
    }
  }
  if (CHECK_INT(hys_model_label_count(m), 1))
    CHECK_STR(hys_model_label_at(m, 0), "go");
  CHECK_INT(hys_model_location_count(m), 8);
  /* alone: 1 transition of each of the three instances times 4; together: 2 times 2 ways times the clock's 2
   */
  CHECK_INT(hys_model_jump_count(m), 3 * 4 + 4 * 2);
  CHECK_INT(hys_model_flow_class(m), HYS_CLASS_AFFINE);
}

static void systems(void) {
  static const char text[] = ROOT(COMPONENT("a", R("x") LOC("1", "on", "", "x' == 1"))
                                      COMPONENT("b", R("y") LOC("1", "on", "", "y' == y^2")));
  const hys_model *m = read_as(text, NULL, NULL, HYS_OK);
  CHECK_STR(m != NULL ? hys_model_system(m) : NULL, "b");
  CHECK_INT(said.warnings, 1);
  m = read_as(text, "system = a\n", NULL, HYS_OK);
  CHECK_STR(m != NULL ? hys_model_system(m) : NULL, "a");
  m = read_as(text, "system = a\n", "b", HYS_OK);
  CHECK_STR(m != NULL ? hys_model_system(m) : NULL, "b");
  CHECK_INT(m != NULL ? hys_model_flow_class(m) : HYS_CLASS_NONE, HYS_CLASS_POLYNOMIAL);
  m = read_as(text, NULL, "z", HYS_ERR_INPUT);
  CHECK_STR(m != NULL ? hys_model_system(m) : NULL, "b");
}

/* ---- flattening ---- */

static void shared_jump(void) {
  const hys_automaton *a = flatten(
      ROOT(COMPONENT("plant", R("x") SEEN("u") C("k") L("go")
                                  LOC("1", "on", "x &lt;= 10 &amp; -1 &lt;= u &lt;= k", "x' == -x/2 + u")
                                      LOC("2", "off", "-1 &lt;= u &amp; u &lt;= k", "x' == 0") JUMP(
                                          "1", "2", "go", "x &gt;= k", "x' &gt;= x + 1 &amp; x' &lt;= x + 2"))
               COMPONENT("timer", R("t") L("go") LOC("1", "run", "t &lt;= 1", "t' == 1")
                                      JUMP("1", "1", "go", "t == 1", "t := 0"))
                   COMPONENT("s", R("x") R("t") R("u") C("k") L("go") BIND(
                                      "plant", "p", MAP("x", "x") MAP("u", "u") MAP("k", "k") MAP("go", "go"))
                                      BIND("timer", "c", MAP("t", "t") MAP("go", "go")))),
      "initially = \"loc(p)==on & 0 <= x <= 1 & t == 0 & k == 2^2\"\nforbidden = \"x > 11 & loc(p)==off | t "
      "< -1\"\n");
  const hys_location *l;
  const hys_jump *j;
  if (!CHECK(a != NULL))
    return;
  CHECK_INT(a->nx, 2);
  CHECK_INT(a->nu, 1);
  CHECK_STR(a->state_name[0], "x");
  CHECK_STR(a->state_name[1], "t");
  CHECK_STR(a->input_name[0], "u");
  CHECK_INT(a->n_locations, 2);
  l = &a->location[0];
  CHECK_STR(l->name, "p=on;c=run");
  CHECK(is_point(l->u[0], 0) == false && l->u[0].lo == -1 && l->u[0].hi == 4);
  CHECK_INT(l->invariant.n, 2);
  CHECK(is_point(l->invariant.row[0].a[0], 1) && is_point(l->invariant.row[0].c, 10));
  CHECK(is_point(l->invariant.row[1].a[1], 1) && is_point(l->invariant.row[1].c, 1));
  CHECK(is_point(l->flow.a[0], -0.5) && is_point(l->flow.a[1], 0) && is_point(l->flow.b[0], 1));
  CHECK(is_point(l->flow.c[1], 1) && is_point(l->flow.a[2], 0) && is_point(l->flow.a[3], 0));
  if (!CHECK_INT(a->n_jumps, 1))
    return;
  j = &a->jump[0];
  CHECK_STR(a->label_name[j->label], "go");
  CHECK_INT(j->target, 1);
  /* x >= 4, t <= 1, t >= 1 */
  if (CHECK_INT(j->guard.n, 3)) {
    CHECK(is_point(j->guard.row[0].a[0], -1) && is_point(j->guard.row[0].c, -4));
    CHECK(is_point(j->guard.row[1].a[1], 1) && is_point(j->guard.row[1].c, 1));
    CHECK(is_point(j->guard.row[2].a[1], -1) && is_point(j->guard.row[2].c, -1));
  }
  CHECK(!j->reset[0].identity && is_point(j->reset[0].coef[0], 1));
  CHECK(j->reset[0].offset.lo == 1 && j->reset[0].offset.hi == 2);
  CHECK(!j->reset[1].identity && j->reset[1].coef == NULL && is_point(j->reset[1].offset, 0));
  /* the constant's definition is folded away: 0 <= x <= 1, t == 0 */
  CHECK_INT(a->n_initially, 1);
  CHECK_INT(a->initially[0].location, 0);
  CHECK_INT(a->initially[0].set.n, 4);
  if (CHECK_INT(a->n_forbidden, 2)) {
    CHECK_INT(a->forbidden[0].location, 1);
    CHECK(a->forbidden[0].set.row[0].strict && is_point(a->forbidden[0].set.row[0].c, -11));
    CHECK(a->forbidden[1].location == HYS_ANY_LOCATION);
  }
}

static void swap_and_keep(void) {
  const hys_automaton *a = flatten(
      ROOT(COMPONENT("c", R("x") R("y") R("z") LOC("1", "on", "", "x' == 1 &amp; y' == 2 &amp; z' == 3")
                              JUMP("1", "1", "", "", "x' == y &amp; y' == x &amp; z' == z"))),
      NULL);
  if (!CHECK(a != NULL) || !CHECK_INT(a->n_jumps, 1))
    return;
  CHECK_STR(a->location[0].name, "on");
  CHECK(is_point(a->jump[0].reset[0].coef[1], 1) && is_point(a->jump[0].reset[0].coef[0], 0));
  CHECK(is_point(a->jump[0].reset[1].coef[0], 1) && is_point(a->jump[0].reset[1].coef[1], 0));
  CHECK(a->jump[0].reset[2].identity);
  CHECK_INT(a->jump[0].label, HYS_NO_LABEL);
}

/* A declared label that nobody's transition has blocks; an urgent part stops time; unreached locations are
 * not there. */
static void blocked_and_urgent(void) {
  const hys_automaton *a =
      flatten(ROOT(COMPONENT("a", R("x") L("go") LOC("1", "on", "", "x' == 1") LOC("2", "off", "", "x' == 1")
                                      JUMP("1", "2", "go", "", ""))
                       COMPONENT("b", L("go") LOC("1", "wait", "", "false"))
                           COMPONENT("s", R("x") L("go") BIND("a", "a1", MAP("x", "x") MAP("go", "go"))
                                              BIND("b", "b1", MAP("go", "go")))),
              "initially = \"loc(a1)==on & x == 0\"\n");
  if (!CHECK(a != NULL))
    return;
  CHECK_INT(a->n_locations, 1);
  CHECK_INT(a->n_jumps, 0);
  CHECK(a->location[0].flow.still);
}

/* A constant that the configuration only bounds is a state at rest. */
static void bounded_constant(void) {
  const hys_automaton *a = flatten(ROOT(COMPONENT("c", R("x") C("k") LOC("1", "on", "", "x' == k"))),
                                   "initially = \"x == 0 & 1 <= k <= 2\"\n");
  if (!CHECK(a != NULL) || !CHECK_INT(a->nx, 2))
    return;
  CHECK(is_point(a->location[0].flow.a[1], 1) && is_point(a->location[0].flow.c[1], 0));
  CHECK_INT(a->initially[0].set.n, 4);
}

static void texts(void) {
  static const char xml[] = ROOT(COMPONENT("c", R("x") C("k") LOC("1", "on", "", "x' == k") LOC(
                                                    "2", "off", "", "x' == 0") JUMP("1", "2", "", "", "")));
  static const char cfg[] = "initially = \"loc()==on & x == 0 & k == 3\"\n";
  const hys_model *m = read_as(xml, cfg, NULL, HYS_OK);
  const hys_automaton *a = NULL;
  const hys_region *r = NULL;
  const hys_interval *coef = NULL;
  hys_interval constant;
  hys_model_text text = {.file = "s",
                         .text = "x >= k | x == 1",
                         .length = 15,
                         .line = 4,
                         .column = 9,
                         .instance = "",
                         .location = "off"};
  uint32_t n = 0;
  if (m == NULL || !CHECK_INT(hys_model_automaton(m, arena, &said, &a), HYS_OK))
    return;
  CHECK_INT(hys_model_regions(m, a, &text, arena, &said, &r, &n), HYS_OK);
  if (CHECK_INT(n, 2)) {
    CHECK_INT(r[0].location, 1);
    CHECK(is_point(r[0].set.row[0].c, -3));
    CHECK_INT(r[1].set.n, 2);
  }
  text.text = "2*x - k";
  text.length = 7;
  CHECK_INT(hys_model_affine(m, a, &text, arena, &said, &coef, &constant), HYS_OK);
  CHECK(coef != NULL && is_point(coef[0], 2) && is_point(constant, -3));
  text.text = "x >=\n z";
  text.length = 7;
  CHECK_INT(hys_model_regions(m, a, &text, arena, &said, &r, &n), HYS_ERR_INPUT);
  CHECK_INT(said.item[said.n - 1].line, 5);
  CHECK_INT(said.item[said.n - 1].column, 2);
  text.location = "gone";
  CHECK_INT(hys_model_regions(m, a, &text, arena, &said, &r, &n), HYS_ERR_INPUT);
}

/* ---- sizes ---- */

typedef struct buffer {
  char *text;
  size_t n, capacity;
} buffer;

__attribute__((format(printf, 2, 3))) static void put(buffer *b, const char *format, ...) {
  va_list args;
  if (b->capacity - b->n < 512) {
    char *grown = realloc(b->text, 2 * b->capacity + 1024);
    if (grown == NULL)
      exit(EXIT_FAILURE);
    b->text = grown;
    b->capacity = 2 * b->capacity + 1024;
  }
  va_start(args, format);
  b->n += (size_t)vsnprintf(b->text + b->n, b->capacity - b->n, format, args);
  va_end(args);
}

/* Thirty levels of two: a thousand million instances are refused, in bounded memory. */
static void instance_bomb(void) {
  buffer b = {0};
  put(&b, "<sspaceex version=\"0.2\" math=\"SpaceEx\">" COMPONENT("c0", LOC("1", "on", "", "true")));
  for (int i = 1; i <= 30; i++)
    put(&b,
        "<component id=\"c%d\">"
        "<bind component=\"c%d\" as=\"a\"/><bind component=\"c%d\" as=\"b\"/></component>",
        i, i - 1, i - 1);
  put(&b, "</sspaceex>");
  read_as(b.text, NULL, NULL, HYS_ERR_LIMIT);
  CHECK(said.n > 0 && strstr(said.item[0].text, "HYS_MAX_INSTANCES") != NULL);
  CHECK(hys_arena_bytes(arena) < (size_t)256 << 20);
  free(b.text);
}

/* A product far beyond 2^53 opens at once; its counts are told as too many. */
static void large_product(void) {
  buffer b = {0};
  const hys_model *m;
  put(&b, "<sspaceex version=\"0.2\" math=\"SpaceEx\">" COMPONENT(
              "c0", OWN("x") L("go") LOC("1", "on", "", "x' == 1") LOC("2", "off", "", "x' == 1")
                        JUMP("1", "2", "go", "", "")) "<component id=\"s\">");
  put(&b, "%s", L("go"));
  for (int i = 0; i < 100; i++)
    put(&b, "<bind component=\"c0\" as=\"i%d\"><map key=\"go\">go</map></bind>", i);
  put(&b, "</component></sspaceex>");
  m = read_as(b.text, NULL, NULL, HYS_OK);
  if (CHECK(m != NULL)) {
    CHECK(hys_model_location_count(m) == UINT64_MAX);
    CHECK_INT(hys_model_jump_count(m), 1); /* all hundred together, in one way */
    CHECK_INT(hys_model_variable_count(m), 100);
  }
  free(b.text);
}

/* Ten thousand variables, a configuration that bounds each twice. */
static void many_variables(void) {
  buffer xml = {0}, cfg = {0};
  const hys_model *m;
  put(&xml, "<sspaceex version=\"0.2\" math=\"SpaceEx\"><component id=\"c\">");
  put(&cfg, "initially = \"true");
  for (int i = 0; i < 10000; i++) {
    put(&xml, "<param name=\"x%d\" type=\"real\" local=\"false\" d1=\"1\" d2=\"1\" dynamics=\"any\"/>", i);
    put(&cfg, " & 0.25 <= x%d <= 1", i);
  }
  put(&xml, "<location id=\"1\" name=\"on\"><flow>x0' == 1");
  for (int i = 1; i < 10000; i++)
    put(&xml, " &amp; x%d' == x%d", i, i - 1);
  put(&xml, "</flow></location></component></sspaceex>");
  put(&cfg, "\"\n");
  m = read_as(xml.text, cfg.text, NULL, HYS_OK);
  if (CHECK(m != NULL)) {
    CHECK_INT(hys_model_variable_count(m), 10000);
    CHECK_INT(hys_model_variable_at(m, 9999).role, HYS_ROLE_STATE);
  }
  free(xml.text);
  free(cfg.text);
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
/* What the model was read with may be gone when a text of another file is refused. */
static void other_diagnostics(void) {
  static const char xml[] = ROOT(COMPONENT("c", R("level") LOC("1", "on", "", "level' == 1")));
  hys_diagnostics first, second;
  const hys_model *m = NULL;
  const hys_automaton *a = NULL;
  const hys_region *r;
  uint32_t n;

  hys_diagnostics_init(&first, arena);
  CHECK_INT(hys_model_read_memory(&m, xml, strlen(xml), "m.xml", NULL, 0, NULL, NULL, arena, &first), HYS_OK);
  if (m == NULL || !CHECK_INT(hys_model_automaton(m, arena, &first, &a), HYS_OK))
    return;
  memset(&first, 0xFF, sizeof first);
  hys_diagnostics_init(&second, arena);
  const hys_model_text text = {.file = "t", .text = "levle <= 1", .length = 10, .line = 1, .column = 1};
  CHECK_INT(hys_model_regions(m, a, &text, arena, &second, &r, &n), HYS_ERR_INPUT);
  if (CHECK_INT(second.n, 1))
    CHECK(strstr(second.item[0].text, "did you mean `level'?") != NULL);
}

WITH_ARENA(configurations)
WITH_ARENA(networks)
WITH_ARENA(systems)
WITH_ARENA(shared_jump)
WITH_ARENA(swap_and_keep)
WITH_ARENA(blocked_and_urgent)
WITH_ARENA(bounded_constant)
WITH_ARENA(texts)
WITH_ARENA(instance_bomb)
WITH_ARENA(large_product)
WITH_ARENA(many_variables)
WITH_ARENA(other_diagnostics)

CHECK_MAIN("model", {"configurations", test_configurations}, {"nested networks", test_networks},
           {"which component is the system", test_systems}, {"a jump of two instances", test_shared_jump},
           {"resets are simultaneous", test_swap_and_keep},
           {"blocked labels, urgent locations", test_blocked_and_urgent},
           {"a bounded constant", test_bounded_constant}, {"texts of other files", test_texts},
           {"too many instances", test_instance_bomb}, {"a large product", test_large_product},
           {"ten thousand variables", test_many_variables},
           {"diagnostics that are gone", test_other_diagnostics})
