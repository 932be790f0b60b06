/* Verification on small automata with known answers: verdicts, bounds, fixpoints, runs that prove. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/contract.h"
#include "synth/offline/verify.h"
#include "tests/support/check.h"
#include "tests/support/text_model.h"

#define PARAM(name)                                                                                          \
  "<param name=\"" name                                                                                      \
  "\" type=\"real\" local=\"false\" d1=\"1\" d2=\"1\" dynamics=\"any\" controlled=\"true\"/>"
#define INPUT(name)                                                                                          \
  "<param name=\"" name                                                                                      \
  "\" type=\"real\" local=\"false\" d1=\"1\" d2=\"1\" dynamics=\"any\" controlled=\"false\"/>"
#define LABEL(name) "<param name=\"" name "\" type=\"label\" local=\"false\"/>"
#define LOCATION(id, name, invariant, flow)                                                                  \
  "<location id=\"" id "\" name=\"" name "\"><invariant>" invariant "</invariant><flow>" flow                \
  "</flow></location>"
#define JUMP(from, to, label, guard, assignment)                                                             \
  "<transition source=\"" from "\" target=\"" to "\"><label>" label "</label><guard>" guard                  \
  "</guard><assignment>" assignment "</assignment></transition>"

static const char ball[] = "<component id=\"ball\">" PARAM("x") PARAM("v") LABEL("hit")
    LOCATION("1", "fall", "x &gt;= 0", "x' == v &amp; v' == -9.81")
        JUMP("1", "1", "hit", "x == 0 &amp; v &lt;= 0", "v := -0.75*v") "</component>";

static const char thermostat[] = "<component id=\"room\">" PARAM("T") LABEL("on") LABEL("off")
    LOCATION("1", "heating", "T &lt;= 22", "T' == 4 - 0.1*(T - 10)")
        LOCATION("2", "idle", "T &gt;= 18", "T' == -0.1*(T - 10)") JUMP("1", "2", "off", "T &gt;= 21.5", "")
            JUMP("2", "1", "on", "T &lt;= 18.5", "") "</component>";

typedef struct run {
  text_model m;
  hys_arena *arena;
  hys_verify_options o;
  hys_verify_result r;
  hys_property p[4];
  uint32_t n;
} run;

static bool begin(run *t, const char *body, const char *cfg, double horizon) {
  memset(t, 0, sizeof *t);
  if (!text_model_open(&t->m, body, cfg))
    return false;
  t->arena = hys_arena_create(NULL);
  hys_verify_options_default(&t->o, horizon);
  return CHECK(t->arena != NULL);
}

static bool forbid(run *t, const char *formula) {
  const hys_model_text text = {
      .file = "test", .text = formula, .length = strlen(formula), .line = 1, .column = 1};
  hys_diagnostics problems;

  hys_diagnostics_init(&problems, t->arena);
  t->p[t->n].name = formula;
  return CHECK_INT(hys_hybrid_sets(t->m.automaton, &text, &problems, &t->p[t->n].set, &t->p[t->n].n),
                   HYS_OK) &&
         ++t->n > 0;
}

static bool verify(run *t) {
  return CHECK_INT(hys_verify(t->m.automaton, t->p, t->n, &t->o, t->arena, &t->r), HYS_OK);
}

static void end(run *t) {
  hys_arena_destroy(t->arena);
  text_model_close(&t->m);
}

/* x in [10, 10.2], three impacts until 5.3 s: v falls to -sqrt(2 g 10.2) and rises to .75 of it. */
static void bouncing(void) {
  const double fastest = sqrt(2.0 * 9.81 * 10.2);
  run t;
  if (!begin(&t, ball, "initially = \"10 <= x & x <= 10.2 & v == 0\"\n", 5.3))
    return;
  t.o.pipe.max_step = 0.001;
  if (forbid(&t, "x >= 10.21") && verify(&t)) {
    CHECK_INT(t.r.property[0].verdict, HYS_HOLDS);
    CHECK(t.r.complete && !t.r.fixpoint);
    CHECK(t.r.bounds[1].lo <= -fastest && t.r.bounds[1].lo >= -fastest - 1e-2);
    CHECK(t.r.bounds[1].hi >= 0.75 * fastest && t.r.bounds[1].hi <= 0.75 * fastest + 1e-2);
    CHECK(t.r.bounds[0].lo <= 0.0 && t.r.bounds[0].lo >= -1e-9);
  }
  end(&t);
}

/* What is reached is said to be reached, with a run; what lies a little beyond is not. */
static void runs_that_prove(void) {
  static const struct {
    const char *forbidden;
    hys_verdict verdict;
  } row[] = {{"v <= -14.14", HYS_VIOLATED},
             {"v <= -14.2", HYS_HOLDS},
             {"v >= 10.605", HYS_VIOLATED},
             {"v >= 10.7", HYS_HOLDS},
             {"x >= 10.199", HYS_VIOLATED}};
  for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
    run t;
    check_label("%s", row[k].forbidden);
    if (!begin(&t, ball, "initially = \"10 <= x & x <= 10.2 & v == 0\"\n", 2.0))
      return;
    if (forbid(&t, row[k].forbidden) && verify(&t)) {
      CHECK_INT(t.r.property[0].verdict, row[k].verdict);
      if (row[k].verdict == HYS_VIOLATED && CHECK(t.r.property[0].run.n_legs > 0)) {
        const hys_run *w = &t.r.property[0].run;
        const hys_run_leg *last = &w->leg[w->n_legs - 1];
        hys_interval scratch[4];
        CHECK(w->enters == t.p[0].set);
        CHECK(w->leg[0].start[0].lo >= 10.0 && w->leg[0].start[0].hi <= 10.2);
        CHECK(hys_conditions_hold_surely(&w->enters->set, last->end, scratch));
        for (uint32_t i = 1; i < w->n_legs; i++)
          CHECK(w->leg[i].from >= w->leg[i - 1].to && w->leg[i - 1].jump >= -1);
      }
    }
    end(&t);
  }
}

static void thermostat_for_ever(void) {
  run t;
  if (!begin(&t, thermostat, "initially = \"19 <= T & T <= 20 & loc()==heating\"\n", 1000.0))
    return;
  if (forbid(&t, "T >= 22.5") && forbid(&t, "T <= 17.9") && forbid(&t, "T >= 21") && verify(&t)) {
    CHECK_INT(t.r.property[0].verdict, HYS_HOLDS);
    CHECK_INT(t.r.property[1].verdict, HYS_HOLDS);
    CHECK_INT(t.r.property[2].verdict, HYS_VIOLATED);
    CHECK(t.r.fixpoint);
    CHECK(t.r.time_bound == HYSI_INF);
    CHECK(t.r.bounds[0].hi >= 22.0 - 1e-9 && t.r.bounds[0].hi <= 22.01);
    CHECK(t.r.bounds[0].lo <= 18.0 + 1e-9 && t.r.bounds[0].lo >= 17.99);
  }
  end(&t);
}

/* A clock that is reset at 1 exactly counts to 1; a second one runs on. */
static void clocks(void) {
  static const char body[] = "<component id=\"clock\">" PARAM("c") PARAM("t") LABEL("tick")
      LOCATION("1", "run", "c &lt;= 1", "c' == 1 &amp; t' == 1")
          JUMP("1", "1", "tick", "c &gt;= 1", "c := 0") "</component>";
  run t;
  if (!begin(&t, body, "initially = \"c == 0 & t == 0\"\n", 10.0))
    return;
  if (forbid(&t, "c > 1.0001") && forbid(&t, "t >= 9.99") && forbid(&t, "t >= 10.1") && verify(&t)) {
    CHECK_INT(t.r.property[0].verdict, HYS_HOLDS);
    CHECK_INT(t.r.property[1].verdict, HYS_VIOLATED);
    CHECK_INT(t.r.property[2].verdict, HYS_HOLDS);
    CHECK_NEAR(t.r.bounds[0].hi, 1.0, 1e-9);
  }
  end(&t);
}

/* No time passes in an urgent location; where it has no jump, that is said. */
static void urgent(void) {
  static const char body[] =
      "<component id=\"c\">" PARAM("x") LABEL("a") LABEL("b") LOCATION("1", "run", "x &lt;= 1", "x' == 1")
          LOCATION("2", "now", "", "false") LOCATION("3", "rest", "x &lt;= 7", "x' == 0")
              JUMP("1", "2", "a", "x &gt;= 1", "x := x + 5") JUMP("2", "3", "b", "", "") "</component>";
  run t;
  if (!begin(&t, body, "initially = \"x == 0 & loc()==run\"\n", 3.0))
    return;
  if (forbid(&t, "x >= 6.01") && forbid(&t, "loc()==rest & x >= 5.99") && verify(&t)) {
    CHECK_INT(t.r.property[0].verdict, HYS_HOLDS);
    CHECK_INT(t.r.property[1].verdict, HYS_VIOLATED);
    CHECK(t.r.blocked == NULL);
  }
  end(&t);
}

/* A reset to an interval; what it may lead to is reached, what not is not. */
static void nondeterministic_reset(void) {
  static const char body[] = "<component id=\"c\">" PARAM("x") LABEL("a")
      LOCATION("1", "run", "x &lt;= 1", "x' == 1") LOCATION("2", "rest", "", "x' == 0")
          JUMP("1", "2", "a", "x &gt;= 1", "x' &gt;= 2 &amp; x' &lt;= 3") "</component>";
  run t;
  if (!begin(&t, body, "initially = \"x == 0 & loc()==run\"\n", 3.0))
    return;
  if (forbid(&t, "x > 3.001") && forbid(&t, "x > 1.5 & x < 1.99") && forbid(&t, "x >= 2.6 & x <= 2.9") &&
      verify(&t)) {
    CHECK_INT(t.r.property[0].verdict, HYS_HOLDS);
    CHECK_INT(t.r.property[1].verdict, HYS_HOLDS);
    CHECK_INT(t.r.property[2].verdict, HYS_VIOLATED);
  }
  end(&t);
}

/* A guard with two sides, and an input that decides which is taken. */
static void disjunction(void) {
  static const char body[] = "<component id=\"c\">" PARAM("x") INPUT("u") LABEL("a")
      LOCATION("1", "run", "-1 &lt;= u &amp; u &lt;= 1 &amp; x &lt;= 2 &amp; x &gt;= -2", "x' == u")
          LOCATION("2", "out", "", "x' == 0")
              JUMP("1", "2", "a", "x &gt;= 1 | x &lt;= -1", "") "</component>";
  run t;
  if (!begin(&t, body, "initially = \"x == 0 & loc()==run\"\n", 2.0))
    return;
  if (forbid(&t, "loc()==out & x > -0.9 & x < 0.9") && forbid(&t, "loc()==out & x >= 1.5") &&
      forbid(&t, "loc()==out & x <= -1.5") && verify(&t)) {
    CHECK_INT(t.r.property[0].verdict, HYS_HOLDS);
    CHECK_INT(t.r.property[1].verdict, HYS_VIOLATED);
    CHECK_INT(t.r.property[2].verdict, HYS_VIOLATED);
  }
  end(&t);
}

/* Jumps without end in no time: never SAFE by giving up. */
static void zeno(void) {
  static const char body[] = "<component id=\"c\">" PARAM("x") LABEL("a")
      LOCATION("1", "run", "x &lt;= 1", "x' == 1") JUMP("1", "1", "a", "", "x := x + 0.001") "</component>";
  run t;
  if (!begin(&t, body, "initially = \"x == 0\"\n", 1.0))
    return;
  t.o.max_jumps = 20;
  t.o.max_passes = 2;
  t.o.falsify_runs = 0;
  if (forbid(&t, "x >= 1.5") && verify(&t)) {
    CHECK(t.r.property[0].verdict != HYS_VIOLATED);
    CHECK(t.r.property[0].verdict == HYS_HOLDS || t.r.property[0].reason != NULL);
  }
  end(&t);
}

/* The answer is the same for any number of threads. */
static void threads(void) {
  hys_interval first[2];
  for (unsigned k = 1; k <= 3; k++) {
    run t;
    check_label("%u threads", k);
    if (!begin(&t, ball, "initially = \"10 <= x & x <= 10.2 & v == 0\"\n", 5.3))
      return;
    t.o.threads = k;
    t.o.max_passes = 3;
    if (forbid(&t, "v >= 10.62") && verify(&t)) {
      if (k == 1)
        memcpy(first, t.r.bounds, sizeof first);
      for (size_t i = 0; i < 2; i++) {
        CHECK_SAME(t.r.bounds[i].lo, first[i].lo);
        CHECK_SAME(t.r.bounds[i].hi, first[i].hi);
      }
    }
    end(&t);
  }
}

/* Constant rates, decimals that are no doubles: what is reached is exact for all time, without flowpipes. */
static void constant_rates(void) {
  static const char tooth[] = "<component id=\"tooth\">" PARAM("x") PARAM("y") LABEL("turn")
      LOCATION("1", "up", "x &lt;= 1 &amp; y == 2*x - 1", "x' == 0.1")
          LOCATION("2", "down", "x &gt;= 0.2", "x' == -0.3 &amp; y' == 0")
              JUMP("1", "2", "turn", "x == 1", "") JUMP("2", "1", "turn", "x == 0.2", "") "</component>";
  run t;
  if (!begin(&t, tooth, "initially = \"x == 0.2 & loc()==up\"\n", 5.0))
    return;
  t.o.max_passes = 0;
  if (forbid(&t, "x >= 1.0000001") && forbid(&t, "y >= 1.0000001") && forbid(&t, "x <= 0.2") && verify(&t)) {
    CHECK_INT(t.r.property[0].verdict, HYS_HOLDS);
    CHECK_INT(t.r.property[1].verdict,
              HYS_HOLDS); /* a defined variable, and the value that it leaves behind */
    CHECK_INT(t.r.property[2].verdict, HYS_UNKNOWN);
    CHECK(t.r.fixpoint && t.r.time_bound == HYSI_INF);
    CHECK(t.r.bounds[0].hi == 1.0 && t.r.bounds[0].lo == nextafter(0.2, 0.0)); /* 0.2 lies below its double */
    CHECK(t.r.bounds[1].hi == 1.0);
  }
  end(&t);
}

/* Two saw-teeth that never meet again: together they have no fixpoint, each of them has. */
static void one_variable_at_a_time(void) {
  static const char teeth[] = "<component id=\"teeth\">" PARAM("x") PARAM("y") LABEL("tick")
      LOCATION("1", "run", "x &lt;= 1 &amp; y &lt;= 1", "x' == 1 &amp; y' == 0.70001")
          JUMP("1", "1", "tick", "x == 1", "x := 0")
              JUMP("1", "1", "tick", "y == 1", "y := 0") "</component>";
  run t;
  if (!begin(&t, teeth, "initially = \"x == 0 & y == 0 & loc()==run\"\n", 5.0))
    return;
  t.o.max_passes = 0;
  if (forbid(&t, "x >= 1.001") && forbid(&t, "y <= -0.001") && forbid(&t, "x - y >= 0.5") && verify(&t)) {
    CHECK_INT(t.r.property[0].verdict, HYS_HOLDS);
    CHECK_INT(t.r.property[1].verdict, HYS_HOLDS);
    CHECK_INT(t.r.property[2].verdict, HYS_UNKNOWN);
    CHECK(!t.r.complete && !t.r.fixpoint);
  }
  end(&t);
}

/* Locations and jumps alone. */
static void no_variables(void) {
  static const char body[] = "<component id=\"c\">" LABEL("a") LOCATION("1", "one", "", "")
      LOCATION("2", "two", "", "") LOCATION("3", "three", "", "") JUMP("1", "2", "a", "", "") "</component>";
  run t;
  if (!begin(&t, body, "initially = \"loc()==one\"\n", 5.0))
    return;
  if (forbid(&t, "loc()==three") && forbid(&t, "loc()==two") && verify(&t)) {
    CHECK_INT(t.r.property[0].verdict, HYS_HOLDS);
    CHECK_INT(t.r.property[1].verdict, HYS_VIOLATED);
    CHECK_INT(t.r.property[1].run.n_legs, 2);
    CHECK_INT(t.r.property[1].run.n, 0);
    CHECK(t.r.fixpoint);
  }
  end(&t);
}

static bool at_once(void *context) {
  (void)context;
  return true;
}

/* Out of budget at once: UNKNOWN, and nothing that was not computed is claimed. */
static void no_budget(void) {
  run t;
  if (!begin(&t, ball, "initially = \"10 <= x & x <= 10.2 & v == 0\"\n", 5.3))
    return;
  t.o.stop = at_once;
  if (forbid(&t, "x >= 11") && verify(&t)) {
    CHECK_INT(t.r.property[0].verdict, HYS_UNKNOWN);
    CHECK(t.r.property[0].reason != NULL);
    CHECK(!t.r.complete && !t.r.fixpoint);
  }
  end(&t);
}

CHECK_MAIN("verify", {"bouncing ball", bouncing}, {"runs that prove", runs_that_prove},
           {"a thermostat for ever", thermostat_for_ever}, {"clocks", clocks}, {"urgent", urgent},
           {"non-deterministic reset", nondeterministic_reset}, {"a guard with two sides", disjunction},
           {"zeno", zeno}, {"no variables", no_variables}, {"constant rates", constant_rates},
           {"one variable at a time", one_variable_at_a_time}, {"any number of threads", threads},
           {"no budget", no_budget})
