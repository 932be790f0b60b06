/* Flowpipes of affine flows against closed forms: what an end and a tube are, cuts, inputs, clocks. */
#include <math.h>
#include <string.h>

#include "core/flowpipe.h"
#include "tests/support/check.h"
#include "tests/support/text_model.h"

typedef struct pipe {
  text_model m;
  const hys_hybrid_location *location;
  hys_pipe_flow *flow;
  hys_pipe *pipe;
  hys_interval box[8];
} pipe;

static bool open_pipe(pipe *p, const char *states, const char *inputs, const char *flow,
                      const char *invariant, const hys_interval *start, const hys_interval *free_box,
                      double max_step) {
  const hys_pipe_options options = {.max_step = max_step};
  hys_zonotope z;
  bool good;

  memset(p, 0, sizeof *p);
  if (!text_model_flow(&p->m, states, inputs, flow, invariant, ""))
    return false;
  const hys_hybrid *h = p->m.automaton;
  uint32_t index;
  good = CHECK_INT(h->initial(h->context, &h->initially[0], 0, &index), HYS_OK) &&
         CHECK_INT(h->location(h->context, index, &p->location), HYS_OK) &&
         CHECK_INT(hys_pipe_flow_create(&p->flow, h, p->location, free_box, &options, NULL), HYS_OK) &&
         CHECK_INT(hys_zonotope_open(&z, h->n, h->n, NULL), HYS_OK);
  if (!good)
    return false;
  good = CHECK_INT(hys_zonotope_from_box(&z, start), HYS_OK) &&
         CHECK_INT(hys_pipe_create(&p->pipe, p->flow, &z, NULL), HYS_OK);
  hys_zonotope_close(&z);
  return good;
}

static void close_pipe(pipe *p) {
  hys_pipe_destroy(p->pipe);
  hys_pipe_flow_destroy(p->flow);
  text_model_close(&p->m);
}

/* To time T by steps of at most h; the last one as often halved as T needs. */
static bool run_to(pipe *p, double T, double h) {
  double now = 0.0, taken;

  while (now < T) {
    if (!CHECK_INT(hys_pipe_try(p->pipe, fmin(h, T - now), &taken), HYS_OK) || !CHECK(taken > 0.0))
      return false;
    hys_pipe_accept(p->pipe);
    now += taken;
    if (T - now < 1e-12)
      break;
  }
  hys_pipe_box(p->pipe, HYS_PIPE_END, p->box);
  return true;
}

static double width(hys_interval a) {
  return a.hi - a.lo;
}

/* x' = -x/2 + y, y' = -x - y/2 from [.9,1.1] x [-.1,.1]: at T = 5 the width is .2 e^-2.5 (|cos 5| + |sin 5|).
 */
static void converging(void) {
  const hys_interval start[] = {{0.9, 1.1}, {-0.1, 0.1}};
  pipe p;
  if (!open_pipe(&p, "x y", "", "x' == -0.5*x + y & y' == -x - 0.5*y", "true", start, start, 0.0))
    return;
  if (run_to(&p, 5.0, 0.25)) {
    const double want = 0.2 * exp(-2.5) * (fabs(cos(5.0)) + fabs(sin(5.0)));
    CHECK_NEAR(width(p.box[0]), want, 1e-12);
    CHECK_NEAR(width(p.box[1]), want, 1e-12);
    CHECK(width(p.box[0]) >= want - 1e-15);
    CHECK_NEAR(p.box[0].lo + width(p.box[0]) / 2, exp(-2.5) * cos(5.0), 1e-12);
  }
  close_pipe(&p);
}

static void harmonic(void) {
  const hys_interval start[] = {{0.9, 1.1}, {-0.1, 0.1}};
  const double pi = 3.14159265358979323846;
  pipe p;
  if (!open_pipe(&p, "x y", "", "x' == y & y' == -x", "true", start, start, 0.0))
    return;
  if (run_to(&p, 2.0 * pi, 0.25)) {
    CHECK_NEAR(width(p.box[0]), 0.2, 1e-11);
    CHECK_NEAR(width(p.box[1]), 0.2, 1e-11);
    CHECK(p.box[0].lo <= 0.9 + 1e-12 && p.box[0].hi >= 1.1 - 1e-12);
  }
  close_pipe(&p);
}

/* A clock from a point stays a point where its steps are doubles. */
static void clock_exact(void) {
  const hys_interval start[] = {{0.0, 0.0}, {1.0, 2.0}};
  pipe p;
  if (!open_pipe(&p, "t x", "", "t' == 1 & x' == -x", "true", start, start, 0.0))
    return;
  if (run_to(&p, 5.0, 0.125)) {
    CHECK_SAME(p.box[0].lo, 5.0);
    CHECK_SAME(p.box[0].hi, 5.0);
    CHECK_NEAR(p.box[1].lo, exp(-5.0), 1e-12);
    CHECK_NEAR(p.box[1].hi, 2.0 * exp(-5.0), 1e-12);
  }
  close_pipe(&p);
}

/* x' = v, v' = u, |u| <= 1 from rest: |v| <= T, |x| <= T^2/2, and (x - T v) = -int s u ds, also T^2/2. */
static void inputs(void) {
  const hys_interval start[] = {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}},
                     free_box[] = {{0, 0}, {0, 0}, {-1.0, 1.0}};
  const hys_term skew[] = {{0, {1.0, 1.0}}, {1, {-2.0, -2.0}}};
  const hys_affine row = {skew, 2, {0.0, 0.0}};
  pipe p;
  if (!open_pipe(&p, "x v", "u", "x' == v & v' == u", "-1 <= u & u <= 1", start, free_box, 0.0))
    return;
  if (run_to(&p, 2.0, 0.015625)) {
    CHECK(p.box[1].hi >= 2.0 && p.box[1].hi <= 2.0 + 1e-10);
    CHECK(p.box[1].lo <= -2.0 && p.box[1].lo >= -2.0 - 1e-10);
    CHECK(p.box[0].hi >= 2.0 && p.box[0].hi <= 2.0 + 1e-4);
    const double most = hys_pipe_max(p.pipe, HYS_PIPE_END, &row, NULL, 0);
    CHECK(most >= 2.0 - 1e-12 && most <= 2.1); /* s merges generators */
    CHECK(p.box[2].lo == -1.0 && p.box[2].hi == 1.0);
  }
  close_pipe(&p);
}

/* Off centre: x' = u, u in [1, 3]; A = 0. */
static void off_centre(void) {
  const hys_interval start[] = {{0.0, 0.0}, {0.0, 0.0}}, free_box[] = {{0, 0}, {1.0, 3.0}};
  double taken;
  pipe p;
  if (!open_pipe(&p, "x", "u", "x' == u", "1 <= u & u <= 3", start, free_box, 0.0))
    return;
  CHECK_INT(hys_pipe_try(p.pipe, 0.5, &taken), HYS_OK);
  hys_pipe_box(p.pipe, HYS_PIPE_TUBE, p.box);
  CHECK(p.box[0].lo <= 0.0 && p.box[0].hi >= 3.0 * taken);
  hys_pipe_box(p.pipe, HYS_PIPE_END, p.box);
  CHECK_NEAR(p.box[0].lo, taken, 1e-12);
  CHECK_NEAR(p.box[0].hi, 3.0 * taken, 1e-12);
  close_pipe(&p);
}

/* Falling: v on {x = 0} from x in [10, 10.2] is -sqrt(2 g x0). */
static void cut_by_a_plane(void) {
  const hys_interval start[] = {{10.0, 10.2}, {0.0, 0.0}};
  const hys_term x_term[] = {{0, {1.0, 1.0}}}, v_term[] = {{1, {1.0, 1.0}}}, down[] = {{1, {-1.0, -1.0}}};
  const hys_condition ground = {.relation = HYS_RELATION_EQ, .affine = true, .row = {x_term, 1, {0.0, 0.0}}};
  const hys_condition *cut[] = {&ground};
  const hys_affine v = {v_term, 1, {0.0, 0.0}}, minus_v = {down, 1, {0.0, 0.0}};
  double now = 0.0, taken, lo = HYSI_INF, hi = -HYSI_INF;
  unsigned met = 0;
  pipe p;
  if (!open_pipe(&p, "x v", "", "x' == v & v' == -9.81", "true", start, start, 0.0))
    return;
  while (now < 1.5) {
    if (!CHECK_INT(hys_pipe_try(p.pipe, 0.00390625, &taken), HYS_OK))
      break;
    const double up = hys_pipe_max(p.pipe, HYS_PIPE_TUBE, &v, cut, 1);
    if (up > -HYSI_INF) {
      hi = fmax(hi, up);
      lo = fmin(lo, -hys_pipe_max(p.pipe, HYS_PIPE_TUBE, &minus_v, cut, 1));
      met++;
    }
    hys_pipe_accept(p.pipe);
    now += taken;
  }
  CHECK(met >= 4 && met <= 8);
  CHECK(lo <= -sqrt(2 * 9.81 * 10.2) && lo >= -sqrt(2 * 9.81 * 10.2) - 1e-3);
  CHECK(hi >= -sqrt(2 * 9.81 * 10.0) && hi <= -sqrt(2 * 9.81 * 10.0) + 1e-3);
  close_pipe(&p);
}

/* Two cuts that contradict each other leave nothing; one of them alone leaves something. */
static void no_states(void) {
  const hys_interval start[] = {{0.0, 1.0}, {0.0, 1.0}};
  const hys_term sum[] = {{0, {1.0, 1.0}}, {1, {1.0, 1.0}}}, first[] = {{0, {1.0, 1.0}}},
                 second[] = {{1, {1.0, 1.0}}};
  const hys_term minus[] = {{0, {-1.0, -1.0}}, {1, {-1.0, -1.0}}};
  const hys_condition high = {.affine = true, .row = {minus, 2, {1.5, 1.5}}};     /* x + y >= 1.5 */
  const hys_condition left = {.affine = true, .row = {first, 1, {-0.25, -0.25}}}; /* x <= .25 */
  const hys_condition far = {.affine = true, .row = {minus, 2, {2.5, 2.5}}};      /* x + y >= 2.5 */
  const hys_condition *both[] = {&high, &left}, *none[] = {&far};
  const hys_affine y = {second, 1, {0.0, 0.0}}, all = {sum, 2, {0.0, 0.0}};
  pipe p;
  if (!open_pipe(&p, "x y", "", "x' == 0 & y' == 0", "true", start, start, 0.0))
    return;
  CHECK(hys_pipe_max(p.pipe, HYS_PIPE_END, &y, both, 1) >= 1.0);
  /* the largest x + y - 1.5 where x <= .25 is below zero */
  CHECK(hys_pipe_max(p.pipe, HYS_PIPE_END, &(hys_affine){sum, 2, {-1.5, -1.5}}, &both[1], 1) < -0.24);
  CHECK(hys_pipe_max(p.pipe, HYS_PIPE_END, &y, none, 1) == -HYSI_INF);
  CHECK_NEAR(hys_pipe_max(p.pipe, HYS_PIPE_END, &all, &both[1], 1), 1.25, 1e-6);
  close_pipe(&p);
}

CHECK_MAIN("flowpipe", {"a box that shrinks shrinks", converging}, {"a circle closes", harmonic},
           {"a clock is exact", clock_exact}, {"inputs", inputs}, {"inputs off centre", off_centre},
           {"cut by a plane", cut_by_a_plane}, {"no states", no_states})
