/* Affine flowpipes against exact trajectories: boxes, supports, cuts and zonotopes of tubes and ends. */
#include "core/flowpipe.h"
#include "tests/prop/affine_support.h"

enum { RUNS = 6, STEPS = 10 };

typedef struct runs {
  arb_ptr x[RUNS];
  double u[RUNS][SIZE];
} runs;

static void random_row(const plant *p, hys_term *term, hys_affine *row) {
  row->term = term;
  row->n = 0;
  row->constant = hys_interval_point(rng_below(2) == 0 ? 0.0 : any(-1.0, 1.0));
  for (uint32_t i = 0; i < p->n; i++)
    if (rng_below(2) == 0)
      term[row->n++] = (hys_term){i, hys_interval_point(any(-2.0, 2.0))};
}

/* value <= bound, surely. */
static bool below(const arb_t value, double bound) {
  return holds(hys_interval_make(-HYSI_INF, bound), value) || bound == HYSI_INF;
}

/* The cut row - c <= 0 (or == 0) put through the run's own state: it holds there in the reals only if what
 * rounding did to c leaves it so; so c is moved up a little. */
static bool with_cut(hys_pipe *pipe, hys_pipe_set which, const plant *p, arb_srcptr x, const double *u) {
  hys_term term[3][SIZE];
  hys_affine row[3];
  hys_condition condition[2];
  const hys_condition *cut[2] = {&condition[0], &condition[1]};
  arb_t value;
  bool good;

  arb_init(value);
  for (unsigned k = 0; k < 3; k++)
    random_row(p, term[k], &row[k]);
  for (unsigned k = 0; k < 2; k++) {
    plant_row(p, &row[k + 1], x, u, value);
    const double v = middle(value), c = row[k + 1].constant.lo - v;
    /* an enclosure of the constant that makes the value zero holds for an equation, too */
    row[k + 1].constant =
        hys_interval_make(c - 1e-12 * (1.0 + fabs(v) + fabs(c)), c + 1e-12 * (1.0 + fabs(v) + fabs(c)));
    condition[k] = (hys_condition){
        .relation = rng_below(3) == 0 ? HYS_RELATION_EQ : HYS_RELATION_LE, .affine = true, .row = row[k + 1]};
  }
  plant_row(p, &row[0], x, u, value);
  good = CHECK(below(value, hys_pipe_max(pipe, which, &row[0], cut, 1 + rng_below(2))));
  arb_clear(value);
  return good;
}

/* A run's state lies in the set. */
static bool state_inside(hys_pipe *pipe, hys_pipe_set which, const plant *p, arb_srcptr x, const double *u) {
  hys_interval box[SIZE];
  hys_term term[SIZE];
  hys_affine row;
  arb_t value;
  bool good = true;

  arb_init(value);
  hys_pipe_box(pipe, which, box);
  for (size_t i = 0; i < p->m && good; i++)
    good = CHECK(holds(box[i], &x[i]));
  random_row(p, term, &row);
  plant_row(p, &row, x, u, value);
  good = good && CHECK(below(value, hys_pipe_max(pipe, which, &row, NULL, 0)));
  arb_clear(value);
  return good && with_cut(pipe, which, p, x, u);
}

static bool zonotope_around(hys_pipe *pipe, hys_pipe_set which, const plant *p, arb_srcptr x,
                            const double *u) {
  hys_zonotope z;
  hys_term term[SIZE];
  hys_affine row;
  arb_t value;
  bool good;

  if (!CHECK_INT(hys_zonotope_open(&z, p->n, 0, NULL), HYS_OK))
    return false;
  arb_init(value);
  good = CHECK_INT(hys_pipe_zonotope(pipe, which, &z), HYS_OK);
  random_row(p, term, &row);
  plant_row(p, &row, x, u, value);
  good = good && CHECK(below(value, hys_zonotope_max(&z, &row)));
  arb_clear(value);
  hys_zonotope_close(&z);
  return good;
}

static bool walk(const plant *p, const hys_pipe_options *options) {
  hys_pipe_flow *flow;
  hys_pipe *pipe;
  runs r;
  bool good =
      CHECK_INT(hys_pipe_flow_create(&flow, &p->automaton, &p->location, p->free_box, options, NULL), HYS_OK);

  if (!good || !CHECK_INT(hys_pipe_create(&pipe, flow, &p->x0, NULL), HYS_OK))
    return false;
  for (unsigned k = 0; k < RUNS; k++) {
    r.x[k] = _arb_vec_init((slong)p->m);
    plant_start(p, r.x[k], k % 2 == 0);
    plant_inputs(p, r.u[k], true);
    good = good && state_inside(pipe, HYS_PIPE_END, p, r.x[k], r.u[k]);
  }
  for (unsigned step = 0; step < STEPS && good; step++) {
    double taken, h = rng_below(2) == 0 ? hys_pipe_suggest(pipe, 0.5) : any(0.01, 0.4);
    if (rng_below(3) == 0) /* a try that is thrown away */
      good = CHECK_INT(hys_pipe_try(pipe, 2.0 * h, &taken), HYS_OK);
    good = good && CHECK_INT(hys_pipe_try(pipe, h, &taken), HYS_OK) && CHECK(taken > 0.0 && taken <= h);
    for (unsigned k = 0; k < RUNS && good; k++) {
      const double part = any(0.0, 1.0) < 0.4 ? 0.5 : 0.125;
      good = state_inside(pipe, HYS_PIPE_TUBE, p, r.x[k], r.u[k]);
      if (rng_below(2) == 0)
        plant_inputs(p, r.u[k], k % 2 == 0);
      plant_flow(p, r.x[k], r.u[k], part * taken);
      good = good && state_inside(pipe, HYS_PIPE_TUBE, p, r.x[k], r.u[k]);
      plant_flow(p, r.x[k], r.u[k], (1.0 - part) * taken);
      good = good && state_inside(pipe, HYS_PIPE_TUBE, p, r.x[k], r.u[k]) &&
             state_inside(pipe, HYS_PIPE_END, p, r.x[k], r.u[k]) &&
             zonotope_around(pipe, HYS_PIPE_END, p, r.x[k], r.u[k]) &&
             zonotope_around(pipe, HYS_PIPE_TUBE, p, r.x[k], r.u[k]);
    }
    hys_pipe_accept(pipe);
    for (unsigned k = 0; k < RUNS && good; k++)
      good = state_inside(pipe, HYS_PIPE_END, p, r.x[k], r.u[k]);
  }
  for (unsigned k = 0; k < RUNS; k++)
    _arb_vec_clear(r.x[k], (slong)p->m);
  hys_pipe_destroy(pipe);
  hys_pipe_flow_destroy(flow);
  return good;
}

static void encloses_trajectories(void) {
  for (unsigned seed = 0; seed < SEEDS; seed++) {
    rng_state = seed_of(seed);
    for (unsigned trial = 0; trial < 36; trial++) {
      const hys_pipe_options options = {.order = trial % 4 == 0 ? 1 : 0,
                                        .max_step = trial % 3 == 0 ? 0.25 : 0.0};
      plant p;
      bool good;
      check_label("seed %u trial %u", seed, trial);
      if (!plant_random(&p, trial % 12))
        return;
      good = walk(&p, &options);
      plant_close(&p);
      if (!good)
        return;
    }
  }
}

static bool box_start(plant *p, const hys_interval *x) {
  return CHECK_INT(hys_zonotope_open(&p->x0, p->n, p->n, NULL), HYS_OK) &&
         CHECK_INT(hys_zonotope_from_box(&p->x0, x), HYS_OK);
}

/* To time T in steps of at most h; *most: the largest value of the tubes in variable 0. */
static bool run_to(plant *p, double T, double h, hys_interval *end, double *most) {
  hys_pipe_flow *flow;
  hys_pipe *pipe;
  hys_interval box[SIZE];
  double t = 0.0, taken;
  bool good =
      CHECK_INT(hys_pipe_flow_create(&flow, &p->automaton, &p->location, p->free_box, NULL, NULL), HYS_OK);

  if (!good || !CHECK_INT(hys_pipe_create(&pipe, flow, &p->x0, NULL), HYS_OK))
    return false;
  *most = -HYSI_INF;
  while (good && T - t > 1e-12) {
    good = CHECK_INT(hys_pipe_try(pipe, fmin(h, T - t), &taken), HYS_OK) && CHECK(taken > 0.0);
    hys_pipe_box(pipe, HYS_PIPE_TUBE, box);
    *most = fmax(*most, box[0].hi);
    hys_pipe_accept(pipe);
    t += taken;
  }
  hys_pipe_box(pipe, HYS_PIPE_END, end);
  hys_pipe_destroy(pipe);
  hys_pipe_flow_destroy(flow);
  return good;
}

/* x' = -y, y' = x: the largest x lies between two instants. */
static void between_instants(void) {
  const hys_interval start[2] = {{0.9, 1.1}, {-0.1, 0.1}};
  const double far = sqrt(1.1 * 1.1 + 0.1 * 0.1);

  for (int k = 0; k < 6; k++) {
    const double h = exp2(-k);
    hys_interval end[SIZE];
    double most;
    plant p;
    check_label("h = %g", h);
    plant_clear(&p, 2, 0);
    p.a[0][1] = -1.0;
    p.a[1][0] = 1.0;
    plant_build(&p);
    if (!box_start(&p, start) || !run_to(&p, 6.5, h, end, &most))
      return;
    CHECK(most >= far);
    CHECK(most <= far * (1.0 + h * h));
    plant_close(&p);
  }
}

/* The reachable end of integrators at 0 with |u| <= 1 in the last is t^m / m! wide on each side, and no less.
 */
static void encloses_what_inputs_reach(void) {
  for (size_t m = 1; m <= 4; m++)
    for (int k = 0; k < 5; k++) {
      const hys_interval start[SIZE] = {{0.0, 0.0}};
      const double h = exp2(-k);
      hys_interval end[SIZE];
      double most, want = 1.0;
      plant p;
      check_label("%zu integrators, h = %g", m, h);
      plant_clear(&p, m, 1);
      for (size_t i = 0; i + 1 < m; i++)
        p.a[i][i + 1] = 1.0;
      p.b[m - 1][0] = 1.0;
      plant_build(&p);
      p.free_box[m] = hys_interval_make(-1.0, 1.0);
      for (size_t i = 1; i <= m; i++)
        want *= 2.0 / (double)i;
      if (!box_start(&p, start) || !run_to(&p, 2.0, h, end, &most))
        return;
      CHECK(end[0].hi >= want && end[0].lo <= -want);
      CHECK(end[0].hi <= want * (1.0 + 1e-9) + 0.5 * h * h);
      plant_close(&p);
    }
}

/* x' = y, y' = -x + u, |u| <= 1, from 0: int_0^t |sin| to t = pi, where an input of one sign gives all. */
static void encloses_swinging_input(void) {
  for (int k = 2; k < 7; k++) {
    const hys_interval start[SIZE] = {{0.0, 0.0}};
    const double h = exp2(-k);
    hys_interval end[SIZE];
    double most;
    plant p;
    check_label("h = %g", h);
    plant_clear(&p, 2, 1);
    p.a[0][1] = 1.0;
    p.a[1][0] = -1.0;
    p.b[1][0] = 1.0;
    plant_build(&p);
    p.free_box[2] = hys_interval_make(-1.0, 1.0);
    if (!box_start(&p, start) || !run_to(&p, 3.0, h, end, &most))
      return;
    CHECK(end[0].hi >= 1.0 - cos(3.0));
    CHECK(end[0].hi <= (1.0 - cos(3.0)) * (1.0 + h * h));
    plant_close(&p);
  }
}

CHECK_MAIN("affine pipe", {"encloses trajectories", encloses_trajectories},
           {"encloses what lies between instants", between_instants},
           {"encloses what inputs reach", encloses_what_inputs_reach},
           {"encloses what a swinging input reaches", encloses_swinging_input})
