/* No escape: every point of random trajectories lies in a segment of the flowpipe, at its time and in its
 * location.
 *
 * HYSHIELD_LONG=N runs N trajectories a model in place of the usual few. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sims/trajectory.h"
#include "synth/offline/verify.h"
#include "tests/support/check.h"
#include "tests/support/text_model.h"

typedef struct store {
  size_t n, count, capacity;
  double *time;
  uint32_t *index;
  hys_interval *box;
} store;

static void keep(void *context, const hys_segment_view *s) {
  store *o = context;

  if (o->count == o->capacity) {
    o->capacity = o->capacity == 0 ? 1024 : 2 * o->capacity;
    o->time = realloc(o->time, 2 * o->capacity * sizeof *o->time);
    o->index = realloc(o->index, o->capacity * sizeof *o->index);
    o->box = realloc(o->box, o->capacity * o->n * sizeof *o->box);
    if (o->time == NULL || o->index == NULL || o->box == NULL)
      abort();
  }
  o->time[2 * o->count] = s->from;
  o->time[2 * o->count + 1] = s->to;
  o->index[o->count] = s->index;
  memcpy(o->box + o->n * o->count++, s->box, o->n * sizeof *o->box);
}

typedef struct watch {
  const store *pipe;
  const hys_hybrid *automaton;
  uint64_t rows, escaped;
  bool timeless; /* a fixpoint: what comes later lies in segments of an earlier time */
} watch;

/* The simulation's own error: its borders are touched to 1e-9 of the terms. */
static bool inside(const watch *w, const hys_trajectory_row *r) {
  const store *o = w->pipe;

  for (size_t k = 0; k < o->count; k++) {
    bool in = o->index[k] == r->index &&
              (w->timeless || (r->t >= o->time[2 * k] - 1e-8 && r->t <= o->time[2 * k + 1] + 1e-8));
    for (size_t i = 0; in && i < o->n; i++) {
      const hys_interval b = o->box[k * o->n + i];
      const double slack = 2e-8 * (1.0 + fabs(r->x[i]));
      in = r->x[i] >= b.lo - slack && r->x[i] <= b.hi + slack;
    }
    if (in)
      return true;
  }
  return false;
}

static bool look(void *context, const hys_trajectory_row *r) {
  watch *w = context;

  w->rows++;
  if (!inside(w, r)) {
    if (w->escaped++ == 0) {
      fprintf(stderr, "escaped at t = %.9g in %s:", r->t, r->location->name);
      for (size_t i = 0; i < w->automaton->n; i++)
        fprintf(stderr, " %s = %.9g", w->automaton->variable[i], r->x[i]);
      fputc('\n', stderr);
    }
    return false;
  }
  return true;
}

static uint64_t trajectories(void) {
  const char *text = getenv("HYSHIELD_LONG");
  const long n = text != NULL ? strtol(text, NULL, 10) : 0;

  return n > 0 ? (uint64_t)n : 60;
}

static void no_escape(const hys_hybrid *a, double horizon) {
  store pipe = {.n = a->n};
  watch w = {.pipe = &pipe, .automaton = a};
  hys_arena *arena = hys_arena_create(NULL);
  hys_verify_options o;
  hys_verify_result r;

  hys_verify_options_default(&o, horizon);
  o.max_passes = 1;
  o.falsify_runs = 0;
  o.segment = keep;
  o.segment_context = &pipe;
  if (CHECK_INT(hys_verify(a, NULL, 0, &o, arena, &r), HYS_OK) && CHECK(r.complete)) {
    w.timeless = r.fixpoint;
    for (uint64_t k = 0; k < trajectories() && w.escaped == 0; k++) {
      hys_trajectory_config c;
      hys_trajectory_result end;
      hys_trajectory_config_default(&c, horizon);
      c.seed = k + 1;
      c.start = k % 3 == 0 ? HYS_DRAW_EXTREME : HYS_DRAW_RANDOM;
      c.inputs = k % 2 == 0 ? HYS_DRAW_EXTREME : HYS_DRAW_RANDOM;
      c.haste = (hys_haste)(k % 3);
      c.hold = horizon / (double)(1 + k % 40);
      c.stop_at_forbidden = false;
      c.max_jumps = 2000;
      if (!CHECK_INT(hys_trajectory_run(a, &c, look, &w, &end), HYS_OK))
        break;
    }
    CHECK_INT(w.escaped, 0);
    CHECK(w.rows >= 60);
  }
  free(pipe.time);
  free(pipe.index);
  free(pipe.box);
  hys_arena_destroy(arena);
}

static void flow(const char *states, const char *inputs, const char *f, const char *invariant,
                 const char *initially, double horizon) {
  text_model m;
  check_label("%s", f);
  if (text_model_flow(&m, states, inputs, f, invariant, initially)) {
    no_escape(m.automaton, horizon);
    text_model_close(&m);
  }
}

static void flows(void) {
  flow("x y", "", "x' == y & y' == -x", "true", "0.9 <= x & x <= 1.1 & -0.1 <= y & y <= 0.1", 6.0);
  flow("x y", "u", "x' == -0.5*x + y + u & y' == -x - 0.5*y", "-0.3 <= u & u <= 0.1",
       "0.9 <= x & x <= 1.1 & -0.1 <= y & y <= 0.1", 5.0);
  flow("a b c d", "u", "a' == b & b' == c & c' == d & d' == u", "-1 <= u & u <= 2",
       "a == 0 & b == 0 & c == 0 & d == 0", 2.0);
  flow("x", "u", "x' == u", "1 <= u & u <= 3", "x == 0", 2.0);
  flow("x y", "u", "x' == -40*x + u & y' == x - 0.2*y", "-1 <= u & u <= 1", "0 <= x & x <= 1 & y == 1", 3.0);
  flow("x y z", "u v", "x' == y + u & y' == z - x & z' == -0.1*z + v",
       "-1 <= u & u <= 1 & 0.2 <= v & v <= 0.5", "x == 1 & 0 <= y & y <= 0.2 & z == 0", 4.0);
  flow("x", "", "x' >= -1 & x' <= 2", "x <= 5 & x >= -5", "x == 0", 2.0);
}

#define PARAM(name)                                                                                          \
  "<param name=\"" name                                                                                      \
  "\" type=\"real\" local=\"false\" d1=\"1\" d2=\"1\" dynamics=\"any\" controlled=\"true\"/>"
#define LOCATION(id, name, invariant, flow)                                                                  \
  "<location id=\"" id "\" name=\"" name "\"><invariant>" invariant "</invariant><flow>" flow                \
  "</flow></location>"
#define JUMP(from, to, guard, assignment)                                                                    \
  "<transition source=\"" from "\" target=\"" to "\"><guard>" guard "</guard><assignment>" assignment        \
  "</assignment></transition>"

static void automata(void) {
  static const struct {
    const char *name, *body, *cfg;
    double horizon;
  } row[] = {
      {"ball",
       "<component id=\"c\">" PARAM("x") PARAM("v")
           LOCATION("1", "fall", "x &gt;= 0", "x' == v &amp; v' == -9.81")
               JUMP("1", "1", "x == 0 &amp; v &lt;= 0", "v := -0.75*v") "</component>",
       "initially = \"10 <= x & x <= 10.2 & v == 0\"\n", 4.0},
      {"thermostat",
       "<component id=\"c\">" PARAM("T") LOCATION("1", "heat", "T &lt;= 22", "T' == 4 - 0.1*(T - 10)")
           LOCATION("2", "idle", "T &gt;= 18", "T' == -0.1*(T - 10)") JUMP("1", "2", "T &gt;= 21.5", "")
               JUMP("2", "1", "T &lt;= 18.5", "") "</component>",
       "initially = \"19 <= T & T <= 20 & loc()==heat\"\n", 20.0},
      {"resets",
       "<component id=\"c\">" PARAM("x") PARAM("y") LOCATION("1", "up", "x &lt;= 2",
                                                             "x' == 1 + 0.1*y &amp; y' == -0.3*y")
           LOCATION("2", "down", "x &gt;= -1", "x' == -1 &amp; y' == 0.2*y - 0.1*x")
               JUMP("1", "2", "x &gt;= 1 &amp; x + y &gt;= 1.2", "y' &gt;= 0.5*y &amp; y' &lt;= 0.5*y + 0.2")
                   JUMP("2", "1", "x &lt;= 0", "x := -x &amp; y := y + 0.1*x") "</component>",
       "initially = \"0 <= x & x <= 0.3 & 0.4 <= y & y <= 0.6 & loc()==up\"\n", 6.0},
      {"clocks",
       "<component id=\"c\">" PARAM("c") PARAM("x") LOCATION("1", "a", "c &lt;= 1", "c' == 1 &amp; x' == -x")
           LOCATION("2", "b", "c &lt;= 0.5", "c' == 1 &amp; x' == 1 - x")
               JUMP("1", "2", "c &gt;= 1", "c := 0") JUMP("2", "1", "c &gt;= 0.5", "c := 0") "</component>",
       "initially = \"c == 0 & 1 <= x & x <= 1.5 & loc()==a\"\n", 8.0}};
  for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
    text_model m;
    check_label("%s", row[k].name);
    if (text_model_open(&m, row[k].body, row[k].cfg)) {
      no_escape(m.automaton, row[k].horizon);
      text_model_close(&m);
    }
  }
}

static void public_models(void) {
  static const struct {
    const char *model, *cfg;
    double horizon;
  } row[] = {{"arch/rendezvous_nopass.xml", "arch/rendezvous_nopass.LOS1.cfg", 240.0},
             {"arch/platoon.xml", "arch/platoon.BND42.cfg", 20.0},
             {"arch/gearbox.xml", "arch/gearbox.cfg", 0.2},
             {"arch/water-level.xml", "arch/water-level.cfg", 10.0},
             {"arch/rendezvous_passive.xml", "arch/rendezvous_passive.COLLISION.cfg", 240.0}};
  for (size_t k = 0; k < sizeof row / sizeof row[0]; k++) {
    const char *model = check_shared_path(row[k].model), *cfg = check_shared_path(row[k].cfg);
    hys_arena *arena;
    hys_diagnostics problems;
    const hys_model *m = NULL;
    const hys_hybrid *a = NULL;
    if (model == NULL || cfg == NULL)
      return;
    check_label("%s", row[k].model);
    arena = hys_arena_create(NULL);
    hys_diagnostics_init(&problems, arena);
    if (CHECK_INT(hys_model_read(&m, model, cfg, NULL, arena, &problems), HYS_OK) &&
        CHECK_INT(hys_hybrid_open(&a, m, &problems), HYS_OK))
      no_escape(a, row[k].horizon);
    hys_hybrid_close(a);
    hys_arena_destroy(arena);
  }
}

CHECK_MAIN("escape", {"flows", flows}, {"automata", automata}, {"public models", public_models})
