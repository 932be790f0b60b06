/* Flowpipes of flows that are not affine on the benchmarks of the field (ARCH-COMP, category NLN): thread
 * time of a run from the start to the horizon, boxes of every step included; medians of several runs, with a
 * reference loop of plain arithmetic in the same run. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/flowpipe.h"
#include "tests/support/check.h"
#include "tests/support/text_model.h"

enum { RUNS = 5, MAX_N = 16 };

typedef struct benchmark {
  const char *name, *states, *inputs, *flow;
  double start[MAX_N][2];
  double T;
  int row; /* the state whose upper bound over the tube is told; its width at the end too */
  double tolerance;
  unsigned order;
} benchmark;

#define VDP "x' == y & y' == (1 - x^2)*y - x"
#define VDP2 "x' == y & y' == 2*(1 - x^2)*y - x"
#define LALO                                                                                                 \
  "x1' == 1.4*x3 - 0.9*x1 & x2' == 2.5*x5 - 1.5*x2 & x3' == 0.6*x7 - 0.8*x2*x3 & x4' == 2 - 1.3*x3*x4 & "    \
  "x5' == 0.7*x1 - x4*x5 & x6' == 0.3*x1 - 3.1*x6 & x7' == 1.8*x6 - 1.5*x2*x7"
#define LALO_START(w)                                                                                        \
  {                                                                                                          \
    {1.2 - (w), 1.2 + (w)}, {1.05 - (w), 1.05 + (w)}, {1.5 - (w), 1.5 + (w)}, {2.4 - (w), 2.4 + (w)},        \
        {1.0 - (w), 1.0 + (w)}, {0.1 - (w), 0.1 + (w)}, {                                                    \
      0.45 - (w), 0.45 + (w)                                                                                 \
    }                                                                                                        \
  }
#define QUAD                                                                                                 \
  "x1' == cos(x8)*cos(x9)*x4 + (sin(x7)*sin(x8)*cos(x9) - cos(x7)*sin(x9))*x5 + (cos(x7)*sin(x8)*cos(x9) + " \
  "sin(x7)*sin(x9))*x6 & "                                                                                   \
  "x2' == cos(x8)*sin(x9)*x4 + (sin(x7)*sin(x8)*sin(x9) + cos(x7)*cos(x9))*x5 + (cos(x7)*sin(x8)*sin(x9) - " \
  "sin(x7)*cos(x9))*x6 & "                                                                                   \
  "x3' == sin(x8)*x4 - sin(x7)*cos(x8)*x5 - cos(x7)*cos(x8)*x6 & "                                           \
  "x4' == x12*x5 - x11*x6 - 9.81*sin(x8) & x5' == x10*x6 - x12*x4 + 9.81*cos(x8*sin(x7)) & "                 \
  "x6' == x11*x4 - x10*x5 + 9.81*cos(x8*cos(x7)) - 1/1.4*(1.4*9.81 - 10*(x3 - 1) + 3*x6) & "                 \
  "x7' == x10 + (sin(x7)*tan(x8))*x11 + (cos(x7)*tan(x8))*x12 & x8' == cos(x7)*x11 - sin(x7)*x12 & "         \
  "x9' == sin(x7)/cos(x8)*x11 + cos(x7)/cos(x8)*x12 & "                                                      \
  "x10' == (0.054 - 0.104)/0.054*x11*x12 + 1/0.054*(-x7 - x10) & "                                           \
  "x11' == (0.104 - 0.054)/0.054*x10*x12 + 1/0.054*(-x8 - x11) & x12' == 0"

static const benchmark table[] = {
    {"vdp .3 x .1", "x y", "", VDP, {{1.25, 1.55}, {2.25, 2.35}}, 1.5, 1, 0, 0},
    {"vdp .3 x .1 fast", "x y", "", VDP, {{1.25, 1.55}, {2.25, 2.35}}, 1.5, 1, 1e-3, 3},
    {"cvdp mu 1", "x y", "", VDP, {{1.25, 1.55}, {2.35, 2.45}}, 7.0, 1, 0, 0},
    {"cvdp mu 2", "x y", "", VDP2, {{1.55, 1.85}, {2.35, 2.45}}, 8.0, 1, 0, 0},
    {"lalo .01", "x1 x2 x3 x4 x5 x6 x7", "", LALO, LALO_START(.01), 20.0, 3, 0, 0},
    {"lalo .05", "x1 x2 x3 x4 x5 x6 x7", "", LALO, LALO_START(.05), 20.0, 3, 0, 0},
    {"lalo .1", "x1 x2 x3 x4 x5 x6 x7", "", LALO, LALO_START(.1), 20.0, 3, 0, 0},
    {"quad",
     "x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11 x12",
     "",
     QUAD,
     {{-.4, .4}, {-.4, .4}, {-.4, .4}, {-.4, .4}, {-.4, .4}, {-.4, .4}},
     5.0,
     2,
     0,
     0},
    {"lovo", "x y", "", "x' == 3*x - 3*x*y & y' == x*y - y", {{1.288, 1.312}, {1, 1}}, 3.64, 0, 0, 0},
    {"robe 1e2 1e3",
     "x y z",
     "",
     "x' == -0.4*x + 100*y*z & y' == 0.4*x - 100*y*z - 1000*y^2 & z' == 1000*y^2",
     {{1, 1}, {0, 0}, {0, 0}},
     40.0,
     1,
     0,
     0},
    {"robe 1e3 1e5",
     "x y z",
     "",
     "x' == -0.4*x + 1000*y*z & y' == 0.4*x - 1000*y*z - 100000*y^2 & z' == 100000*y^2",
     {{1, 1}, {0, 0}, {0, 0}},
     40.0,
     1,
     0,
     0}};

typedef struct outcome {
  double seconds, top, width[2];
  unsigned steps;
  double reached;
} outcome;

static double thread_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool once(const benchmark *b, const hys_hybrid *h, const hys_hybrid_location *location, outcome *o) {
  const hys_pipe_options options = {.tolerance = b->tolerance, .order = b->order};
  hys_interval start[MAX_N], box[MAX_N];
  hys_pipe_flow *flow;
  hys_pipe *pipe;
  hys_zonotope z;
  double now = 0.0, taken, began;

  for (size_t i = 0; i < h->n; i++)
    start[i] = hysi_pair(b->start[i][0], b->start[i][1]);
  if (hys_zonotope_open(&z, h->n, h->n, NULL) != HYS_OK || hys_zonotope_from_box(&z, start) != HYS_OK)
    return false;
  began = thread_time();
  if (!CHECK_INT(hys_pipe_flow_create(&flow, h, location, start, &options, NULL), HYS_OK) ||
      !CHECK_INT(hys_pipe_create(&pipe, flow, &z, NULL), HYS_OK))
    return false;
  *o = (outcome){.top = -HYSI_INF};
  while (now < b->T) {
    if (hys_pipe_try(pipe, hys_pipe_suggest(pipe, b->T - now), &taken) != HYS_OK)
      break;
    hys_pipe_box(pipe, HYS_PIPE_TUBE, box);
    o->top = fmax(o->top, box[b->row].hi);
    hys_pipe_accept(pipe);
    now += taken;
    o->steps++;
    if (b->T - now < 1e-11)
      break;
  }
  hys_pipe_box(pipe, HYS_PIPE_END, box);
  o->width[0] = box[0].hi - box[0].lo;
  o->width[1] = box[1].hi - box[1].lo;
  o->reached = now;
  o->seconds = thread_time() - began;
  hys_pipe_destroy(pipe);
  hys_pipe_flow_destroy(flow);
  hys_zonotope_close(&z);
  return true;
}

static int by_value(const void *a, const void *b) {
  const double p = *(const double *)a, q = *(const double *)b;
  return p < q ? -1 : p > q;
}

/* A million steps of Euler's method. */
static double reference(void) {
  const double began = thread_time();
  volatile double sink;
  double x = 1.4, y = 2.3;

  for (unsigned i = 0; i < 1000000; i++) {
    const double f = y, g = (1.0 - x * x) * y - x;
    x += 1e-3 * f;
    y += 1e-3 * g;
  }
  sink = x + y;
  (void)sink;
  return thread_time() - began;
}

static const char *only;

static void run_all(void) {
  const double unit = reference();

  printf("reference loop: %.3f ms\n", 1e3 * unit);
  printf("%-18s %10s %8s %6s %9s %9s %9s %9s\n", "flow", "ms", "ratio", "steps", "reached", "top", "width x",
         "width y");
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    const benchmark *b = &table[k];
    const hys_hybrid_location *location;
    double seconds[RUNS];
    uint32_t index;
    text_model m;
    outcome o = {0};
    if (only != NULL && strstr(b->name, only) == NULL)
      continue;
    if (!text_model_flow(&m, b->states, b->inputs, b->flow, "true", ""))
      return;
    const hys_hybrid *h = m.automaton;
    if (!CHECK_INT(h->initial(h->context, &h->initially[0], 0, &index), HYS_OK) ||
        !CHECK_INT(h->location(h->context, index, &location), HYS_OK))
      return;
    for (unsigned r = 0; r < RUNS; r++) {
      if (!CHECK(once(b, h, location, &o)))
        return;
      seconds[r] = o.seconds;
    }
    qsort(seconds, RUNS, sizeof *seconds, by_value);
    printf("%-18s %10.3f %8.3f %6u %9.5f %9.5f %9.5f %9.5f\n", b->name, 1e3 * seconds[RUNS / 2],
           seconds[RUNS / 2] / unit, o.steps, o.reached, o.top, o.width[0], o.width[1]);
    CHECK(o.steps > 0);
    text_model_close(&m);
  }
}

int main(int argc, char **argv) {
  static const check_test tests[] = {{"flowpipes", run_all}};

  only = argc > 1 ? argv[1] : NULL;
  return check_main("bench_taylor", tests, 1, 1, argv);
}
