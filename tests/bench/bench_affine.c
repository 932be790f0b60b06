/* How long affine flows take: zonotopes, steps of a flowpipe, exponentials, row sequences of big locations.
 *
 * Processor time of the thread, medians of RUNS (default 7); next to it, in the same run, a reference loop: a
 * dense product of a matrix of 48 rows with a vector, in plain doubles.  The big models are those of the
 * shared folder; without it their lines are left out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/affine_rows.h"
#include "core/contract.h"
#include "core/flowpipe.h"
#include "models/hybrid_model.h"
#include "tests/bench/timing.h"
#include "tests/support/check.h"

static unsigned runs = 7;

static void print_line(const char *what, double ms, double aim) {
  char text[32] = "";
  if (aim > 0.0)
    snprintf(text, sizeof text, "aim %g ms", aim);
  printf("%-58s %12.6f ms  %s\n", what, ms, text);
}

/* ---- small ones ---- */

static void zonotopes(void) {
  enum { N = 8, G = 40, TIMES = 2000 };
  hys_zonotope y, z;
  hys_interval m[N * N];
  double ms[TIMING_MOST_RUNS];

  if (!CHECK_INT(hys_zonotope_open(&y, N, G, NULL), HYS_OK) ||
      !CHECK_INT(hys_zonotope_open(&z, N, G, NULL), HYS_OK))
    return;
  y.g = G;
  for (size_t i = 0; i < N * G; i++)
    y.generator[i] = 0.01 * (double)(i % 11);
  for (size_t i = 0; i < N * N; i++)
    m[i] = hys_interval_point(0.1 * (double)(i % 5));
  for (unsigned r = 0; r < runs; r++) {
    const double before = timing_ms();
    for (int k = 0; k < TIMES; k++)
      (void)hys_zonotope_map(&z, m, NULL, &y);
    ms[r] = (timing_ms() - before) / TIMES;
  }
  print_line("zonotope of 8 dimensions, 40 generators: image", timing_median(ms, runs), 0.001);
  hys_zonotope_close(&y);
  hys_zonotope_close(&z);
}

/* A chain of n oscillating cells with damping, all of one block. */
typedef struct chain {
  hys_rate *rate;
  hys_term *term;
  hys_interval *box, *start;
  hys_hybrid_location location;
  hys_hybrid automaton;
  hys_zonotope x0;
} chain;

static bool open_chain(chain *c, size_t n, double rate, double width) {
  memset(c, 0, sizeof *c);
  c->rate = calloc(n, sizeof *c->rate);
  c->term = calloc(3 * n, sizeof *c->term);
  c->box = calloc(n, sizeof *c->box);
  c->start = calloc(n, sizeof *c->start);
  if (!CHECK(c->rate != NULL && c->term != NULL && c->box != NULL && c->start != NULL))
    return false;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t k = 0;
    hys_term *t = c->term + 3 * i;
    if (i > 0)
      t[k++] = (hys_term){i - 1, hys_interval_point(-rate)};
    if (n > 2)
      t[k++] = (hys_term){i, hys_interval_point(-0.1 * rate)};
    if (i + 1 < n)
      t[k++] = (hys_term){i + 1, hys_interval_point(rate)};
    c->rate[i] = (hys_rate){.motion = HYS_MOTION_FLOW, .affine = true, .row = {t, k, {0.0, 0.0}}};
    c->box[i] = hys_interval_entire();
    c->start[i] = hys_interval_make(1.0 / (double)(i + 1) - width, 1.0 / (double)(i + 1) + width);
  }
  c->location = (hys_hybrid_location){.name = "run", .rate = c->rate};
  c->automaton = (hys_hybrid){.name = "chain", .n = n};
  return CHECK_INT(hys_zonotope_open(&c->x0, n, n, NULL), HYS_OK) &&
         CHECK_INT(hys_zonotope_from_box(&c->x0, c->start), HYS_OK);
}

static void close_chain(chain *c) {
  hys_zonotope_close(&c->x0);
  free(c->rate);
  free(c->term);
  free(c->box);
  free(c->start);
}

static void steps(size_t n, const char *what) {
  enum { TIMES = 200 };
  hys_interval box[64];
  hys_pipe_flow *flow;
  hys_pipe *pipe;
  double ms[TIMING_MOST_RUNS], taken;
  chain c;

  if (!open_chain(&c, n, 1.0, 0.1) ||
      !CHECK_INT(hys_pipe_flow_create(&flow, &c.automaton, &c.location, c.box, NULL, NULL), HYS_OK) ||
      !CHECK_INT(hys_pipe_create(&pipe, flow, &c.x0, NULL), HYS_OK))
    return;
  for (unsigned r = 0; r < runs; r++) {
    (void)hys_pipe_restart(pipe, &c.x0);
    (void)hys_pipe_try(pipe, 0.0625, &taken);
    const double before = timing_ms();
    for (int k = 0; k < TIMES; k++) {
      (void)hys_pipe_try(pipe, 0.0625, &taken);
      hys_pipe_box(pipe, HYS_PIPE_TUBE, box);
      hys_pipe_accept(pipe);
    }
    ms[r] = (timing_ms() - before) / TIMES;
  }
  print_line(what, timing_median(ms, runs), 0.0);
  hys_pipe_destroy(pipe);
  hys_pipe_flow_destroy(flow);
  close_chain(&c);
}

static void exponential(void) {
  double ms[TIMING_MOST_RUNS], taken;
  chain c;

  if (!open_chain(&c, 48, 100.0, 0.1))
    return;
  for (unsigned r = 0; r < runs; r++) {
    hys_pipe_flow *flow;
    hys_pipe *pipe;
    const double before = timing_ms();
    if (hys_pipe_flow_create(&flow, &c.automaton, &c.location, c.box, NULL, NULL) != HYS_OK ||
        hys_pipe_create(&pipe, flow, &c.x0, NULL) != HYS_OK)
      return;
    (void)hys_pipe_try(pipe, 0.001, &taken);
    ms[r] = timing_ms() - before;
    hys_pipe_destroy(pipe);
    hys_pipe_flow_destroy(flow);
  }
  print_line("48 states: flow, pipe and first step", timing_median(ms, runs), 10.0);
  close_chain(&c);
}

/* Both states of a harmonic oscillator over one turn, within 1e-9 of exact. */
static void first_millisecond(void) {
  const hys_term term[2] = {{0, {1.0, 1.0}}, {1, {1.0, 1.0}}};
  const hys_affine row[2] = {{&term[0], 1, {0.0, 0.0}}, {&term[1], 1, {0.0, 0.0}}};
  double ms[TIMING_MOST_RUNS];
  chain c;

  if (!open_chain(&c, 2, 1.0, 0.1))
    return;
  for (unsigned r = 0; r < runs; r++) {
    hys_interval outer[2], inner[2];
    hys_affine_rows *a;
    const double before = timing_ms();
    if (hys_affine_rows_create(&a, &c.automaton, &c.location, c.box, &c.x0, NULL) != HYS_OK)
      return;
    (void)hys_affine_rows_bounds(a, row, 2, 6.25, 1e-9, NULL, NULL, outer, inner, NULL);
    hys_affine_rows_destroy(a);
    ms[r] = timing_ms() - before;
    CHECK(outer[0].hi - inner[0].hi <= 1e-9 && inner[0].lo - outer[0].lo <= 1e-9);
    CHECK(outer[1].hi - inner[1].hi <= 1e-9 && inner[1].lo - outer[1].lo <= 1e-9);
  }
  print_line("oscillator: bounds of two states within 1e-9", timing_median(ms, runs), 1.0);
  close_chain(&c);
}

/* ---- big ones ---- */

typedef struct big {
  hys_arena *arena;
  const hys_hybrid *automaton;
  const hys_hybrid_location *location;
  hys_interval *free_box;
  hys_zonotope x0;
} big;

static bool open_big(big *b, const char *xml, const char *cfg) {
  char xml_name[64], cfg_name[64];
  const hys_model *model;
  hys_diagnostics problems;
  hys_interval *x, *scratch;
  uint32_t index;

  memset(b, 0, sizeof *b);
  snprintf(xml_name, sizeof xml_name, "arch/%s", xml);
  snprintf(cfg_name, sizeof cfg_name, "arch/%s", cfg);
  const char *xml_path = check_shared_path(xml_name), *cfg_path = check_shared_path(cfg_name);
  if (xml_path == NULL || cfg_path == NULL)
    return false;
  b->arena = hys_arena_create(NULL);
  hys_diagnostics_init(&problems, b->arena);
  if (!CHECK_INT(hys_model_read(&model, xml_path, cfg_path, NULL, b->arena, &problems), HYS_OK) ||
      !CHECK_INT(hys_hybrid_open(&b->automaton, model, &problems), HYS_OK))
    return false;
  const hys_hybrid *h = b->automaton;
  if (!CHECK_INT(h->initial(h->context, &h->initially[0], 0, &index), HYS_OK) ||
      !CHECK_INT(h->location(h->context, index, &b->location), HYS_OK))
    return false;
  x = hys_arena_alloc(b->arena, h->n, sizeof *x);
  b->free_box = hys_arena_alloc(b->arena, h->n, sizeof *b->free_box);
  scratch = hys_arena_alloc(b->arena,
                            hys_conditions_scratch(&h->initially[0].set) +
                                hys_conditions_scratch(&b->location->invariant) + 1,
                            sizeof *scratch);
  for (size_t i = 0; i < h->n; i++)
    x[i] = b->free_box[i] = hys_interval_entire();
  (void)hys_conditions_contract(&b->location->invariant, b->free_box, 4, scratch);
  (void)hys_conditions_contract(&h->initially[0].set, x, 4, scratch);
  for (size_t i = 0; i < h->n; i++)
    if (b->location->rate[i].motion != HYS_MOTION_FLOW)
      x[i] = hys_interval_point(0.0);
  return CHECK_INT(hys_zonotope_open(&b->x0, h->n, h->n, NULL), HYS_OK) &&
         CHECK_INT(hys_zonotope_from_box(&b->x0, x), HYS_OK);
}

static void close_big(big *b) {
  if (b->arena == NULL)
    return;
  hys_zonotope_close(&b->x0);
  hys_hybrid_close(b->automaton);
  hys_arena_destroy(b->arena);
}

static uint32_t named(const hys_hybrid *h, const char *name) {
  for (uint32_t i = 0; i < h->n; i++)
    if (strcmp(h->variable[i], name) == 0)
      return i;
  return 0;
}

static void decide(const big *b, const hys_affine *row, double limit, hys_verdict want, const char *what,
                   double aim) {
  double ms[TIMING_MOST_RUNS];

  for (unsigned r = 0; r < runs; r++) {
    hys_affine_rows *a;
    hys_verdict verdict;
    double when, step;
    const double before = timing_ms();
    if (!CHECK_INT(hys_affine_rows_create(&a, b->automaton, b->location, b->free_box, &b->x0, NULL), HYS_OK))
      return;
    (void)hys_affine_rows_decide(a, row, limit, false, 20.0, NULL, NULL, &verdict, &when, &step);
    hys_affine_rows_destroy(a);
    ms[r] = timing_ms() - before;
    CHECK_INT(verdict, want);
  }
  print_line(what, timing_median(ms, runs), aim);
}

static void building(void) {
  hys_term term[48];
  hys_affine row[48];
  hys_interval outer[48], inner[48];
  double ms[TIMING_MOST_RUNS];
  size_t n = 0;
  big b;

  if (open_big(&b, "building.xml", "building.BDS.cfg")) {
    const hys_term x25 = {named(b.automaton, "x25"), {1.0, 1.0}};
    const hys_affine one = {&x25, 1, {0.0, 0.0}};
    decide(&b, &one, 5.1e-3, HYS_HOLDS, "building: x25 <= .0051 holds to 20 s", 30.0);
    decide(&b, &one, 4e-3, HYS_VIOLATED, "building: x25 <= .004 is violated", 30.0);
    for (uint32_t i = 0; i < b.automaton->n && n < 48; i++)
      if (b.automaton->variable[i][0] == 'x') {
        term[n] = (hys_term){i, {1.0, 1.0}};
        row[n] = (hys_affine){&term[n], 1, {0.0, 0.0}};
        n++;
      }
    for (unsigned r = 0; r < runs; r++) {
      hys_affine_rows *a;
      const double before = timing_ms();
      if (!CHECK_INT(hys_affine_rows_create(&a, b.automaton, b.location, b.free_box, &b.x0, NULL), HYS_OK))
        break;
      (void)hys_affine_rows_bounds(a, row, n, 20.0, 1e-3, NULL, NULL, outer, inner, NULL);
      hys_affine_rows_destroy(a);
      ms[r] = timing_ms() - before;
    }
    print_line("building: bounds of all 48 states, both ends, within 1e-3", timing_median(ms, runs), 300.0);
  }
  close_big(&b);
}

/* The output y3 of the free model's constant-input form, whose states are the same. */
static void station(void) {
  big b, with_output;

  if (open_big(&b, "iss.xml", "iss.cfg") && open_big(&with_output, "iss_270.xml", "iss_270.cfg")) {
    const uint32_t y3 = named(with_output.automaton, "y3");
    const hys_affine *from = &with_output.location->rate[y3].row;
    hys_term *term = calloc(from->n + 1, sizeof *term);
    if (CHECK(term != NULL)) {
      hys_affine row = {term, from->n, from->constant};
      for (uint32_t t = 0; t < from->n; t++)
        term[t] = (hys_term){named(b.automaton, with_output.automaton->variable[from->term[t].variable]),
                             from->term[t].coef};
      decide(&b, &row, 6.1e-4, HYS_HOLDS, "space station, inputs that vary: y3 <= 6.1e-4 to 20 s", 30.0);
      decide(&b, &row, 5e-4, HYS_VIOLATED, "space station, inputs that vary: y3 <= 5e-4 is violated", 30.0);
      const hys_term own = {y3, {1.0, 1.0}};
      const hys_affine output = {&own, 1, {0.0, 0.0}};
      decide(&with_output, &output, 5e-4, HYS_HOLDS, "space station, constant inputs: y3 <= 5e-4 to 20 s",
             0.0);
    }
    free(term);
    close_big(&with_output);
  }
  close_big(&b);
}

static void measure(void) {
  runs = timing_runs(runs);
  print_line("reference: matrix of 48 rows times vector", timing_product(runs), 0.0);
  zonotopes();
  steps(2, "pipe of 2 states: step with box");
  steps(5, "pipe of 5 states: step with box");
  steps(10, "pipe of 10 states: step with box");
  exponential();
  first_millisecond();
  building();
  station();
  CHECK(true);
}

CHECK_MAIN("bench affine", {"measure", measure})
