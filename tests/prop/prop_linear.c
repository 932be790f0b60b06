/* Automata with constant rates: runs made of exact steps (all numbers are small multiples of powers of two)
 * stay within the bounds that a fixpoint gives, and never enter what is said to be avoided.  The same
 * automata where one set is reached by construction: it is not said to be avoided. */
#include <stdio.h>
#include <string.h>

#include "synth/offline/verify.h"
#include "tests/support/check.h"
#include "tests/support/text_model.h"

enum { LOCATIONS = 3, JUMPS = 6, CASES = 400, RUNS = 60, STEPS = 25 };

static uint64_t state = 7;

static int drawn(int lo, int hi) {
  state += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = state;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return lo + (int)((z ^ (z >> 31)) % (uint64_t)(hi - lo + 1));
}

/* a x + b y <= c (< c where strict, == c where equal). */
typedef struct half {
  int a, b, c;
  bool strict, equal;
} half;

/* Of a jump: *x := k x + l y + m, or any of [lo, hi]; or it stays. */
typedef struct reset {
  int kind, k, l, m, lo, hi; /* kind 0: stays, 1: affine, 2: an interval */
} reset;

typedef struct jump {
  int from, to;
  half guard;
  reset reset[2];
} jump;

typedef struct automaton {
  int slowest[LOCATIONS][2], fastest[LOCATIONS][2]; /* rates, in quarters */
  bool urgent[LOCATIONS];
  half invariant[LOCATIONS][3];
  jump jump[JUMPS];
  int start[2][2]; /* lo, hi of x and y, in location 0 */
  half bad;
  int bad_at;
} automaton;

static half draw_half(int slack) {
  half h = {drawn(-2, 2), drawn(-2, 2), drawn(-2, 4) + slack, drawn(0, 4) == 0, false};

  if (h.a == 0 && h.b == 0)
    h.a = 1;
  return h;
}

static automaton draw(void) {
  automaton s = {.bad_at = drawn(0, LOCATIONS - 1), .bad = draw_half(-6)};

  for (int l = 0; l < LOCATIONS; l++) {
    for (int v = 0; v < 2; v++) {
      s.slowest[l][v] = drawn(-4, 4);
      s.fastest[l][v] = s.slowest[l][v] + (drawn(0, 2) == 0 ? drawn(0, 3) : 0);
    }
    s.urgent[l] = drawn(0, 9) == 0;
    s.invariant[l][0] = (half){1, 0, drawn(2, 8), drawn(0, 4) == 0, false};
    s.invariant[l][1] = (half){0, -1, drawn(2, 8), drawn(0, 4) == 0, false};
    s.invariant[l][2] = draw_half(4);
  }
  for (int k = 0; k < JUMPS; k++) {
    jump *j = &s.jump[k];
    j->from = drawn(0, LOCATIONS - 1);
    j->to = drawn(0, LOCATIONS - 1);
    j->guard = draw_half(0);
    j->guard.equal = drawn(0, 4) == 0 && !j->guard.strict;
    for (int v = 0; v < 2; v++) {
      reset *r = &j->reset[v];
      r->kind = drawn(0, 2);
      r->k = drawn(-1, 1);
      r->l = drawn(-1, 1);
      r->m = drawn(-2, 2);
      r->lo = drawn(-2, 1);
      r->hi = r->lo + drawn(0, 2);
    }
  }
  for (int v = 0; v < 2; v++) {
    s.start[v][0] = drawn(-2, 1);
    s.start[v][1] = s.start[v][0] + drawn(0, 2);
  }
  return s;
}

/* ---- as text ---- */

static size_t put_half(char *to, size_t size, const half *h) {
  return (size_t)snprintf(to, size, "%d*x + %d*y %s %d", h->a, h->b,
                          h->equal    ? "=="
                          : h->strict ? "&lt;"
                                      : "&lt;=",
                          h->c);
}

#define PUT(...) used += (size_t)snprintf(text + used, size - used, __VA_ARGS__)

static void write_model(const automaton *s, char *text, size_t size) {
  size_t used = 0;

  PUT("<component id=\"c\"><param name=\"x\" type=\"real\" local=\"false\" d1=\"1\" d2=\"1\" "
      "dynamics=\"any\"/><param name=\"y\" type=\"real\" local=\"false\" d1=\"1\" d2=\"1\" "
      "dynamics=\"any\"/>");
  for (int l = 0; l < LOCATIONS; l++) {
    PUT("<location id=\"%d\" name=\"l%d\"><invariant>", l + 1, l);
    for (int i = 0; i < 3; i++) {
      PUT("%s", i > 0 ? " &amp; " : "");
      used += put_half(text + used, size - used, &s->invariant[l][i]);
    }
    if (s->urgent[l]) {
      PUT("</invariant><flow>false</flow></location>");
      continue;
    }
    PUT("</invariant><flow>");
    for (int v = 0; v < 2; v++)
      PUT("%s%g &lt;= %s' &lt;= %g", v > 0 ? " &amp; " : "", s->slowest[l][v] / 4.0, v == 0 ? "x" : "y",
          s->fastest[l][v] / 4.0);
    PUT("</flow></location>");
  }
  for (int k = 0; k < JUMPS; k++) {
    const jump *j = &s->jump[k];
    PUT("<transition source=\"%d\" target=\"%d\"><guard>", j->from + 1, j->to + 1);
    used += put_half(text + used, size - used, &j->guard);
    PUT("</guard><assignment>");
    for (int v = 0; v < 2; v++) {
      const reset *r = &j->reset[v];
      const char *name = v == 0 ? "x" : "y";
      if (v > 0 && r->kind > 0 && j->reset[0].kind > 0)
        PUT(" &amp; ");
      if (r->kind == 1)
        PUT("%s' == %d*x + %d*y + %d", name, r->k, r->l, r->m);
      else if (r->kind == 2)
        PUT("%d &lt;= %s' &amp; %s' &lt;= %d", r->lo, name, name, r->hi);
    }
    PUT("</assignment></transition>");
  }
  PUT("</component>");
}

/* ---- runs, all of whose numbers are exact ---- */

typedef struct where {
  int l;
  double x[2];
} where;

static bool holds(const half *h, const double *x) {
  const double v = h->a * x[0] + h->b * x[1];
  return h->equal ? v == h->c : h->strict ? v < h->c : v <= h->c;
}

static bool allowed(const automaton *s, const where *w) {
  for (int i = 0; i < 3; i++)
    if (!holds(&s->invariant[w->l][i], w->x))
      return false;
  return true;
}

/* Numbers stay multiples of 2^-20 or the run ends. */
static bool step(const automaton *s, where *w) {
  where next = *w;

  if (drawn(0, 1) == 0 && !s->urgent[w->l]) {
    const double time = drawn(1, 8) / 8.0;
    for (int v = 0; v < 2; v++)
      next.x[v] += time *
                   (s->slowest[w->l][v] + (s->fastest[w->l][v] - s->slowest[w->l][v]) * drawn(0, 4) / 4.0) /
                   4.0;
  } else {
    const jump *j = &s->jump[drawn(0, JUMPS - 1)];
    if (j->from != w->l || !holds(&j->guard, w->x))
      return true;
    next.l = j->to;
    for (int v = 0; v < 2; v++) {
      const reset *r = &j->reset[v];
      if (r->kind == 1)
        next.x[v] = r->k * w->x[0] + r->l * w->x[1] + r->m;
      else if (r->kind == 2)
        next.x[v] = r->lo + (r->hi - r->lo) * drawn(0, 4) / 4.0;
    }
  }
  if (fabs(next.x[0]) > 1000.0 || fabs(next.x[1]) > 1000.0)
    return false;
  if (allowed(s, &next))
    *w = next;
  return true;
}

static unsigned closed, avoided, entered, moved;

static void one(int k, const automaton *s) {
  static char body[16384];
  char cfg[200], formula[100];
  text_model m;
  hys_verify_options o;
  hys_verify_result r;
  hys_property p = {.name = "bad"};
  hys_arena *arena = hys_arena_create(NULL);
  hys_diagnostics problems;
  size_t used;

  check_label("case %d", k);
  write_model(s, body, sizeof body);
  snprintf(cfg, sizeof cfg,
           "system = \"c\"\ninitially = \"loc() == l0 & %d <= x & x <= %d & %d <= y & y <= %d\"\n",
           s->start[0][0], s->start[0][1], s->start[1][0], s->start[1][1]);
  if (!CHECK(arena != NULL) || !text_model_open(&m, body, cfg))
    return;
  used = (size_t)snprintf(formula, sizeof formula, "loc() == l%d & ", s->bad_at);
  snprintf(formula + used, sizeof formula - used, "%d*x + %d*y %s %d", s->bad.a, s->bad.b,
           s->bad.strict ? "<" : "<=", s->bad.c);
  {
    const hys_model_text text = {
        .file = "test", .text = formula, .length = strlen(formula), .line = 1, .column = 1};
    hys_diagnostics_init(&problems, arena);
    CHECK_INT(hys_hybrid_sets(m.automaton, &text, &problems, &p.set, &p.n), HYS_OK);
  }
  hys_verify_options_default(&o, 1000.0);
  o.max_passes = 0; /* what is found without flowpipes */
  o.falsify_runs = 0;
  {
    const hys_status status = hys_verify(m.automaton, &p, 1, &o, arena, &r);
    bool bad = false;
    CHECK_INT(status, HYS_OK);
    closed += r.fixpoint;
    avoided += r.property[0].verdict == HYS_HOLDS;
    for (int run = 0; run < RUNS; run++) {
      where w = {0, {0.0, 0.0}};
      for (int v = 0; v < 2; v++)
        w.x[v] = s->start[v][0] + (s->start[v][1] - s->start[v][0]) * drawn(0, 4) / 4.0;
      if (!allowed(s, &w))
        continue;
      for (int i = 0; i < STEPS; i++) {
        if (r.fixpoint)
          CHECK(hys_interval_contains_surely(r.bounds[0], w.x[0]) &&
                hys_interval_contains_surely(r.bounds[1], w.x[1]));
        bad = bad || (w.l == s->bad_at && holds(&s->bad, w.x));
        moved++;
        if (!step(s, &w))
          break;
      }
    }
    entered += bad;
    CHECK(!bad || r.property[0].verdict != HYS_HOLDS);
  }
  hys_arena_destroy(arena);
  text_model_close(&m);
}

static void runs(void) {
  for (int k = 0; k < CASES; k++) {
    const automaton s = draw();
    one(k, &s);
  }
  CHECK(closed > CASES / 3 && avoided > CASES / 10 && entered > CASES / 20 && moved > 20 * CASES);
}

CHECK_MAIN("prop_linear", {"encloses all runs", runs})
