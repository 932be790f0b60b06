/* Each rule of what a model means, on the smallest model that shows it: the automaton written out as text,
 * location by location as jumps reach them, against the text that the rule asks for. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/support/text_model.h"

#define PARAM(name, more) "<param name='" name "' type='real' local='false' d1='1' d2='1' " more "/>"
#define REAL(name) PARAM(name, "dynamics='any'")
#define SEEN(name) PARAM(name, "dynamics='any' controlled='false'")
#define CONST(name) PARAM(name, "dynamics='const'")
#define LABEL(name) "<param name='" name "' type='label' local='false'/>"
#define LOCAL_LABEL(name) "<param name='" name "' type='label' local='true'/>"
#define LOCATION(id, name, invariant, flow)                                                                  \
  "<location id='" id "' name='" name "'><invariant>" invariant "</invariant><flow>" flow "</flow></"        \
  "location>"
#define JUMP(from, to, more, guard, assignment)                                                              \
  "<transition source='" from "' target='" to "'" more "<guard>" guard "</guard><assignment>" assignment     \
  "</assignment></transition>"
#define ON(label) "><label>" label "</label>"
#define COMPONENT(id, body) "<component id='" id "'>" body "</component>"
#define BIND(component, as, maps) "<bind component='" component "' as='" as "'>" maps "</bind>"
#define MAP(key, value) "<map key='" key "'>" value "</map>"

/* ---- the automaton as text ---- */

typedef struct text {
  char at[8192];
  size_t n;
} text;

static void put(text *t, const char *format, ...) CHECK_PRINTF(2, 3);
static void put(text *t, const char *format, ...) {
  va_list list;

  va_start(list, format);
  t->n += (size_t)vsnprintf(t->at + t->n, sizeof t->at - t->n, format, list);
  va_end(list);
  if (t->n >= sizeof t->at)
    t->n = sizeof t->at - 1;
}

static void put_number(text *t, hys_interval v) {
  if (v.lo == v.hi)
    put(t, "%g", v.lo);
  else
    put(t, "[%g,%g]", v.lo, v.hi);
}

static void put_row(text *t, const hys_hybrid *h, bool affine, const hys_affine *row) {
  bool first = true;

  if (!affine) {
    put(t, "(not affine)");
    return;
  }
  for (uint32_t i = 0; i < row->n; i++) {
    put(t, "%s", first ? "" : " + ");
    if (row->term[i].coef.lo != 1.0 || row->term[i].coef.hi != 1.0) {
      put_number(t, row->term[i].coef);
      put(t, "*");
    }
    put(t, "%s", h->variable[row->term[i].variable]);
    first = false;
  }
  if (first || row->constant.lo != 0.0 || row->constant.hi != 0.0) {
    put(t, "%s", first ? "" : " + ");
    put_number(t, row->constant);
  }
}

static void put_conditions(text *t, const hys_hybrid *h, const char *before, const hys_conditions *c) {
  static const char *const relation[] = {"<=", "<", "=="};

  for (uint32_t i = 0; i < c->n; i++) {
    put(t, "%s", i == 0 ? before : " & ");
    put_row(t, h, c->condition[i].affine, &c->condition[i].row);
    put(t, " %s 0", relation[c->condition[i].relation]);
  }
}

static void put_slack(text *t, hys_interval slack) {
  if (slack.lo == 0.0 && slack.hi == 0.0)
    return;
  put(t, " + ");
  put_number(t, slack);
}

static void put_location(text *t, const hys_hybrid *h, const hys_hybrid_location *l) {
  put(t, "%s:%s%s", l->name, l->urgent ? " urgent" : "", l->loose ? " loose" : "");
  put_conditions(t, h, " | ", &l->invariant);
  for (size_t i = 0; i < h->n; i++) {
    const hys_rate *r = &l->rate[i];
    if (r->motion == HYS_MOTION_FREE) {
      put(t, "; %s free", h->variable[i]);
      continue;
    }
    put(t, r->motion == HYS_MOTION_FLOW ? "; %s' = " : "; %s = ", h->variable[i]);
    put_row(t, h, r->affine, &r->row);
    put_slack(t, r->slack);
  }
  put(t, "\n");
}

static void put_jump(text *t, const hys_hybrid *h, const hys_hybrid_jump *j) {
  const hys_hybrid_location *to = NULL;

  if (!CHECK_INT(h->location(h->context, j->target, &to), HYS_OK))
    return;
  put(t, "  %s%s -> %s", j->label == HYS_NO_LABEL ? "." : h->label[j->label], j->must ? " must" : "",
      to->name);
  put_conditions(t, h, " if ", &j->guard);
  for (size_t i = 0; i < h->n; i++) {
    const hys_reset *r = &j->reset[i];
    if (r->kind == HYS_RESET_KEEP)
      continue;
    if (r->kind == HYS_RESET_ANY) {
      put(t, "; %s any", h->variable[i]);
      continue;
    }
    put(t, "; %s := ", h->variable[i]);
    put_row(t, h, r->affine, &r->row);
    put_slack(t, r->slack);
  }
  put(t, "\n");
}

/* Breadth first from the initial locations; jumps in their order. */
static void put_automaton(text *t, const hys_hybrid *h) {
  uint32_t queue[64], n = 0;

  for (uint32_t s = 0; s < h->n_initially; s++) {
    uint32_t index;
    for (uint32_t k = 0; h->initial(h->context, &h->initially[s], k, &index) == HYS_OK && n < 64; k++) {
      bool known = false;
      for (uint32_t i = 0; i < n; i++)
        known = known || queue[i] == index;
      if (!known)
        queue[n++] = index;
    }
    put_conditions(t, h, "start ", &h->initially[s].set);
    put(t, "%s\n", h->initially[s].set.n == 0 ? "start" : "");
  }
  for (uint32_t at = 0; at < n; at++) {
    const hys_hybrid_location *l = NULL;
    if (!CHECK_INT(h->location(h->context, queue[at], &l), HYS_OK))
      return;
    put_location(t, h, l);
    for (uint32_t k = 0; k < l->n_jumps; k++) {
      bool known = false;
      put_jump(t, h, &l->jump[k]);
      for (uint32_t i = 0; i < n; i++)
        known = known || queue[i] == l->jump[k].target;
      if (!known && n < 64)
        queue[n++] = l->jump[k].target;
    }
  }
}

typedef struct rule {
  const char *name, *model, *cfg, *automaton;
} rule;

static const rule rules[] = {
    /* ---- labels ---- */
    {"three instances take a shared label together, guards and resets united; no label: one goes alone",
     COMPONENT("a", REAL("x") LABEL("go") LOCATION("1", "p", "", "x' == 1") LOCATION("2", "q", "", "x' == 2")
                        JUMP("1", "2", ON("go"), "x &gt;= 1", "x := 0"))
         COMPONENT("b",
                   REAL("y") LABEL("go") LOCATION("1", "p", "", "y' == 3") LOCATION("2", "q", "", "y' == 0")
                       JUMP("1", "2", ON("go"), "y &lt; 2", "") JUMP("2", "1", ">", "", ""))
             COMPONENT("n",
                       REAL("x") REAL("y") REAL("z") LABEL("go") BIND("a", "i", MAP("x", "x") MAP("go", "go"))
                           BIND("b", "j", MAP("y", "y") MAP("go", "go"))
                               BIND("a", "k", MAP("x", "z") MAP("go", "go"))),
     "system = n\ninitially = \"x==0 & y==0 & z==0 & loc(i)==p & loc(j)==p & loc(k)==p\"\n",
     "start x == 0 & y == 0 & z == 0\n"
     "i=p;j=p;k=p:; x' = 1; y' = 3; z' = 1\n"
     "  go -> i=q;j=q;k=q if -1*x + 1 <= 0 & y + -2 < 0 & -1*z + 1 <= 0; x := 0; z := 0\n"
     "i=q;j=q;k=q:; x' = 2; y' = 0; z' = 2\n"
     "  . -> i=q;j=p;k=q\n"
     "i=q;j=p;k=q:; x' = 2; y' = 3; z' = 2\n"},
    {"a label that a component declares and never uses blocks the others",
     COMPONENT("a",
               REAL("x") LABEL("go") LOCATION("1", "p", "", "x' == 1") JUMP("1", "1", ON("go"), "", "x := 0"))
         COMPONENT("b", LABEL("go") LOCATION("1", "p", "", ""))
             COMPONENT("n", REAL("x") LABEL("go") BIND("a", "i", MAP("x", "x") MAP("go", "go"))
                                BIND("b", "j", MAP("go", "go"))),
     "system = n\ninitially = \"x==0\"\n",
     "start x == 0\n"
     "i=p;j=p:; x' = 1\n"},
    {"a component without the label does not care",
     COMPONENT("a", REAL("x") LABEL("go") LOCATION("1", "p", "", "x' == 1")
                        JUMP("1", "1", ON("go"), "", "x := 0")) COMPONENT("b", LOCATION("1", "p", "", ""))
         COMPONENT("n",
                   REAL("x") LABEL("go") BIND("a", "i", MAP("x", "x") MAP("go", "go")) BIND("b", "j", "")),
     "system = n\ninitially = \"x==0\"\n",
     "start x == 0\n"
     "i=p;j=p:; x' = 1\n"
     "  go -> i=p;j=p; x := 0\n"},
    {"labels that the network does not join are two labels",
     COMPONENT("a", REAL("x") LABEL("go") LOCATION("1", "p", "", "x' == 1") LOCATION("2", "q", "", "x' == 0")
                        JUMP("1", "2", ON("go"), "", ""))
         COMPONENT("n", REAL("x") REAL("y") LABEL("one") LABEL("two")
                            BIND("a", "i", MAP("x", "x") MAP("go", "one"))
                                BIND("a", "j", MAP("x", "y") MAP("go", "two"))),
     "system = n\ninitially = \"x==0 & y==0 & loc(i)==p & loc(j)==p\"\n",
     "start x == 0 & y == 0\n"
     "i=p;j=p:; x' = 1; y' = 1\n"
     "  one -> i=q;j=p\n"
     "  two -> i=p;j=q\n"
     "i=q;j=p:; x' = 0; y' = 1\n"
     "  two -> i=q;j=q\n"
     "i=p;j=q:; x' = 1; y' = 0\n"
     "  one -> i=q;j=q\n"
     "i=q;j=q:; x' = 0; y' = 0\n"},
    {"a local label is private to its instance",
     COMPONENT("a", REAL("x") LOCAL_LABEL("go") LOCATION("1", "p", "", "x' == 1")
                        JUMP("1", "1", ON("go"), "", "x := 0"))
         COMPONENT("n", REAL("x") REAL("y") BIND("a", "i", MAP("x", "x")) BIND("a", "j", MAP("x", "y"))),
     "system = n\ninitially = \"x==0 & y==0\"\n",
     "start x == 0 & y == 0\n"
     "i=p;j=p:; x' = 1; y' = 1\n"
     "  i.go -> i=p;j=p; x := 0\n"
     "  j.go -> i=p;j=p; y := 0\n"},
    {"a label that is not declared is private to its instance",
     COMPONENT("a", REAL("x") LOCATION("1", "p", "", "x' == 1") JUMP("1", "1", ON("go"), "", "x := 0"))
         COMPONENT("n", REAL("x") REAL("y") BIND("a", "i", MAP("x", "x")) BIND("a", "j", MAP("x", "y"))),
     "system = n\ninitially = \"x==0 & y==0\"\n",
     "start x == 0 & y == 0\n"
     "i=p;j=p:; x' = 1; y' = 1\n"
     "  . -> i=p;j=p; x := 0\n"
     "  . -> i=p;j=p; y := 0\n"},
    {"two ways to take a label, times two",
     COMPONENT("a", REAL("x") LABEL("go") LOCATION("1", "p", "", "x' == 0")
                        JUMP("1", "1", ON("go"), "x &lt;= 1", "x := 1")
                            JUMP("1", "1", ON("go"), "x &gt;= 1", "x := 2"))
         COMPONENT("n", REAL("x") REAL("y") LABEL("go") BIND("a", "i", MAP("x", "x") MAP("go", "go"))
                            BIND("a", "j", MAP("x", "y") MAP("go", "go"))),
     "system = n\ninitially = \"x==0 & y==0\"\n",
     "start x == 0 & y == 0\n"
     "i=p;j=p:; x' = 0; y' = 0\n"
     "  go -> i=p;j=p if x + -1 <= 0 & y + -1 <= 0; x := 1; y := 1\n"
     "  go -> i=p;j=p if x + -1 <= 0 & -1*y + 1 <= 0; x := 1; y := 2\n"
     "  go -> i=p;j=p if -1*x + 1 <= 0 & y + -1 <= 0; x := 2; y := 1\n"
     "  go -> i=p;j=p if -1*x + 1 <= 0 & -1*y + 1 <= 0; x := 2; y := 2\n"},

    /* ---- variables ---- */
    {"a variable that one component controls and another reads; one that nobody controls",
     COMPONENT("a",
               REAL("x") SEEN("u") LABEL("go") LOCATION("1", "p", "u &lt;= 1 &amp; u &gt;= -1", "x' == u")
                   JUMP("1", "1", ON("go"), "u &gt;= 0", ""))
         COMPONENT("b", SEEN("x") REAL("y") LOCATION("1", "p", "", "y' == x - y")
                            JUMP("1", "1", ">", "x &gt;= 3", "y := 0"))
             COMPONENT("n", REAL("x") REAL("y") SEEN("u") LABEL("go")
                                BIND("a", "i", MAP("x", "x") MAP("u", "u") MAP("go", "go"))
                                    BIND("b", "j", MAP("x", "x") MAP("y", "y"))),
     "system = n\ninitially = \"x==0 & y==0\"\n",
     "start x == 0 & y == 0\n"
     "i=p;j=p: | u + -1 <= 0 & -1*u + -1 <= 0; x' = u; y' = x + -1*y; u free\n"
     "  . -> i=p;j=p if -1*x + 3 <= 0; y := 0; u any\n"
     "  go -> i=p;j=p if -1*u <= 0; u any\n"},
    {"no flow: anything; back to a flow: the value that it has",
     COMPONENT("a", REAL("x") REAL("y") LOCATION("1", "p", "y &gt;= 0 &amp; y &lt;= 2", "x' == 1") LOCATION(
                        "2", "q", "", "x' == 1 &amp; y' == -y") JUMP("1", "2", ">", "x &gt;= 1", "")),
     "system = a\ninitially = \"x==0 & y==0 & loc()==p\"\n",
     "start x == 0 & y == 0\n"
     "p: | -1*y <= 0 & y + -2 <= 0; x' = 1; y free\n"
     "  . -> q if -1*x + 1 <= 0\n"
     "q:; x' = 1; y' = -1*y\n"},
    {"defined by the invariant, one by the other, and an equation to be solved",
     COMPONENT("a", REAL("x") REAL("y") REAL("z") REAL("w")
                        LOCATION("1", "p", "y == 2*x + 1 &amp; z == y + x &amp; 2*w - x == 4 &amp; z &lt;= 9",
                                 "x' == z") JUMP("1", "1", ">", "y + w &gt;= 5", "x := w")),
     "system = a\ninitially = \"x==0\"\n",
     "start x == 0\n"
     "p: | 3*x + -8 <= 0; x' = 3*x + 1; y = 2*x + 1; z = 3*x + 1; w = 0.5*x + 2\n"
     "  . -> p if -2.5*x + 2 <= 0; x := 0.5*x + 2; y any; z any; w any\n"},
    {"a relation between two that flow cuts, it defines nothing",
     COMPONENT("a", REAL("x") REAL("y") LOCATION("1", "p", "y == 2*x", "x' == 1 &amp; y' == 2")),
     "system = a\ninitially = \"x==0 & y==0\"\n",
     "start x == 0 & y == 0\n"
     "p: | -2*x + y == 0; x' = 1; y' = 2\n"},
    {"rates between bounds, and both ends of an inclusion",
     COMPONENT("a", REAL("x") REAL("y")
                        LOCATION("1", "p", "",
                                 "1 &lt;= x' &amp; x' &lt;= 2 &amp; y' &gt;= x - 1 &amp; y' &lt;= x + 3")),
     "system = a\ninitially = \"x==0 & y==0\"\n",
     "start x == 0 & y == 0\n"
     "p:; x' = 1 + [0,1]; y' = x + -1 + [0,4]\n"},

    /* ---- constants ---- */
    {"a constant that `initially' fixes is a number; one between bounds is a state at rest",
     COMPONENT("a", REAL("x") CONST("k") CONST("c") LOCATION("1", "p", "x &lt;= k", "x' == k*x + c")),
     "system = a\ninitially = \"x==0 & k==2 & 1 <= c & c <= 3\"\n",
     "start x == 0 & -1*c + 1 <= 0 & c + -3 <= 0\n"
     "p: | x + -2 <= 0; x' = 2*x + c; c' = 0\n"},
    {"a constant bound to an expression, through two networks",
     COMPONENT("a", REAL("x") CONST("k") LOCATION("1", "p", "", "x' == k"))
         COMPONENT("m", REAL("x") CONST("r") BIND("a", "i", MAP("x", "x") MAP("k", "r")))
             COMPONENT("n", REAL("x") BIND("m", "o", MAP("x", "x") MAP("r", "2*3 - 1/4"))),
     "system = n\ninitially = \"x==0\"\n",
     "start x == 0\n"
     "o.i=p:; x' = 5.75\n"},

    /* ---- time ---- */
    {"a flow that is false in one instance stops all",
     COMPONENT("a", REAL("x") LOCATION("1", "p", "", "x' == 1") LOCATION("2", "q", "", "false")
                        JUMP("1", "2", ">", "x &gt;= 1", "") JUMP("2", "1", ">", "", "x := 0"))
         COMPONENT("b", REAL("y") LOCATION("1", "r", "", "y' == 1"))
             COMPONENT("n", REAL("x") REAL("y") BIND("a", "i", MAP("x", "x")) BIND("b", "j", MAP("y", "y"))),
     "system = n\ninitially = \"x==0 & y==0 & loc(i)==p\"\n",
     "start x == 0 & y == 0\n"
     "i=p;j=r:; x' = 1; y' = 1\n"
     "  . -> i=q;j=r if -1*x + 1 <= 0\n"
     "i=q;j=r: urgent; x' = 0; y' = 1\n"
     "  . -> i=p;j=r; x := 0\n"},
    {"a jump that must be taken",
     COMPONENT("a", REAL("x") LOCATION("1", "p", "", "x' == 1")
                        JUMP("1", "1", " asap='true'>", "x &gt;= 1", "x := 0")),
     "system = a\ninitially = \"x==0\"\n",
     "start x == 0\n"
     "p:; x' = 1\n"
     "  . must -> p if -1*x + 1 <= 0; x := 0\n"},

    /* ---- conditions ---- */
    {"a disjunction is several jumps, and so is `not equal'",
     COMPONENT("a", REAL("x") REAL("y") LOCATION("1", "p", "", "x' == 1 &amp; y' == 0")
                        JUMP("1", "1", ">", "(x &gt;= 1 | y &gt;= 2) &amp; x != 5", "x := 0")),
     "system = a\ninitially = \"x==0 & y==0\"\n",
     "start x == 0 & y == 0\n"
     "p:; x' = 1; y' = 0\n"
     "  . -> p if -1*x + 1 <= 0 & x + -5 < 0; x := 0\n"
     "  . -> p if -1*x + 1 <= 0 & -1*x + 5 < 0; x := 0\n"
     "  . -> p if -1*y + 2 <= 0 & x + -5 < 0; x := 0\n"
     "  . -> p if -1*y + 2 <= 0 & -1*x + 5 < 0; x := 0\n"},
    {"strict and not strict, chains, both sides",
     COMPONENT("a", REAL("x") REAL("y") LOCATION("1", "p", "-1 &lt; x &lt;= 2*y", "x' == 1 &amp; y' == 0")
                        JUMP("1", "1", ">", "x &gt; 3 - y &amp; !(y &gt;= 2)", "")),
     "system = a\ninitially = \"x==0 & y==0\"\n",
     "start x == 0 & y == 0\n"
     "p: | -1*x + -1 < 0 & x + -2*y <= 0; x' = 1; y' = 0\n"
     "  . -> p if -1*x + -1*y + 3 < 0 & y + -2 < 0\n"},
    {"an invariant that nothing satisfies stands; what cannot be reached is not made",
     COMPONENT("a", REAL("x") LOCATION("1", "p", "", "x' == 1")
                        LOCATION("2", "q", "x &lt;= 0 &amp; x &gt;= 1", "x' == 0")
                            LOCATION("3", "lost", "", "x' == 7") JUMP("1", "2", ">", "", "")),
     "system = a\ninitially = \"x==0 & loc()==p\"\n",
     "start x == 0\n"
     "p:; x' = 1\n"
     "  . -> q\n"
     "q: | x <= 0 & -1*x + 1 <= 0; x' = 0\n"},
    {"a part of an invariant that is a disjunction is left out, and said to be",
     COMPONENT("a", REAL("x") LOCATION("1", "p", "x &lt;= 5 &amp; (x &lt;= 1 | x &gt;= 2)", "x' == 1")),
     "system = a\ninitially = \"x==0\"\n",
     "start x == 0\n"
     "p: loose | x + -5 <= 0; x' = 1\n"},

    /* ---- jumps ---- */
    {"all of a jump's values are those before it; intervals, relations and nothing",
     COMPONENT("a",
               REAL("x") REAL("y") REAL("z") LOCATION("1", "p", "", "x' == 0 &amp; y' == 0 &amp; z' == 0")
                   JUMP("1", "1", ">", "", "x := y &amp; y := x")
                       JUMP("1", "1", ">", "", "1 &lt;= x' &amp; x' &lt;= 2")
                           JUMP("1", "1", ">", "", "z' &lt;= x + 1 &amp; z' &gt;= x")),
     "system = a\ninitially = \"x==0 & y==0 & z==0\"\n",
     "start x == 0 & y == 0 & z == 0\n"
     "p:; x' = 0; y' = 0; z' = 0\n"
     "  . -> p; x := y; y := x\n"
     "  . -> p; x := 1 + [0,1]\n"
     "  . -> p; z := x + [0,1]\n"},
    {"no location is named: the jump begins in all of them",
     COMPONENT("a", REAL("x") LOCATION("1", "p", "", "x' == 1") LOCATION("2", "q", "", "x' == 2")),
     "system = a\ninitially = \"x==0\"\n",
     "start x == 0\n"
     "p:; x' = 1\n"
     "q:; x' = 2\n"},
    {"an initial set that is a disjunction",
     COMPONENT("a", REAL("x") LOCATION("1", "p", "", "x' == 1") LOCATION("2", "q", "", "x' == 2")),
     "system = a\ninitially = \"(x==0 & loc()==p) | (x==1 & loc()==q)\"\n",
     "start x == 0\n"
     "start x + -1 == 0\n"
     "p:; x' = 1\n"
     "q:; x' = 2\n"},
};

static void each_rule(void) {
  for (size_t k = 0; k < sizeof rules / sizeof rules[0]; k++) {
    const rule *r = &rules[k];
    static text t;
    text_model m;
    check_label("%s", r->name);
    t.n = 0;
    if (text_model_open(&m, r->model, r->cfg))
      put_automaton(&t, m.automaton);
    CHECK_STR(t.at, r->automaton);
    text_model_close(&m);
  }
}

CHECK_MAIN("hybrid", {"each rule of the meaning", each_rule})
