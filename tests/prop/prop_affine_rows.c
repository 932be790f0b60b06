/* Row sequences against exact trajectories: nothing sticks out of tubes and ends, what is said to be reached
 * is reached, and bounds are sharp. */
#include "core/affine_rows.h"
#include "tests/prop/affine_support.h"

enum { STEPS = 24, RUNS = 4 };

typedef struct seen {
  hys_interval tube[STEPS + 1], end[STEPS + 1], reached[STEPS + 1];
  size_t rows, steps;
} seen;

static hys_affine_rows_next look(void *context, const hys_affine_rows_step *s) {
  seen *o = context;

  o->tube[s->k] = s->tube;
  o->end[s->k] = s->end;
  o->reached[s->k] = s->reached;
  o->steps++;
  return HYS_ROWS_GO_ON;
}

static void random_row(const plant *p, hys_term *term, hys_affine *row) {
  row->term = term;
  row->n = 0;
  row->constant = hys_interval_point(rng_below(2) == 0 ? 0.0 : any(-1.0, 1.0));
  for (uint32_t i = 0; i < p->n; i++)
    if (rng_below(2) == 0)
      term[row->n++] = (hys_term){i, hys_interval_point(any(-2.0, 2.0))};
}

/* A random run looked at inside and at the end of each step. */
static bool inside(const plant *p, const hys_affine *row, const seen *o, double h, bool corner) {
  arb_ptr x = _arb_vec_init((slong)p->m);
  arb_t value;
  double u[SIZE];
  bool good = true;

  arb_init(value);
  plant_start(p, x, corner);
  for (size_t k = 1; k <= STEPS && good; k++) {
    const double part = any(0.0, 1.0) < 0.3 ? 0.5 : 0.25;
    plant_inputs(p, u, corner);
    plant_flow(p, x, u, part * h);
    plant_row(p, row, x, u, value);
    good = CHECK(holds(o->tube[k], value));
    if (rng_below(3) == 0)
      plant_inputs(p, u, corner);
    plant_flow(p, x, u, (1.0 - part) * h);
    plant_row(p, row, x, u, value);
    good = good && CHECK(holds(o->tube[k], value)) && CHECK(holds(o->end[k], value));
  }
  arb_clear(value);
  _arb_vec_clear(x, (slong)p->m);
  return good;
}

/* The witness of the largest value takes what is said to be reached. */
static bool witness(const hys_affine_rows *a, const plant *p, const hys_affine *row, const seen *o,
                    double h) {
  double x0[SIZE], u[(STEPS + 1) * SIZE];
  const size_t k = 1 + rng_below(STEPS);
  arb_ptr x;
  arb_t value;
  bool good;

  if (hys_interval_is_empty(o->reached[k]))
    return true;
  if (!CHECK_INT(hys_affine_rows_witness(a, row, k, x0, u), HYS_OK))
    return false;
  x = _arb_vec_init((slong)p->m);
  arb_init(value);
  for (size_t i = 0; i < p->m; i++)
    arb_set_d(&x[i], x0[i]);
  for (size_t j = 0; j < k; j++)
    plant_flow(p, x, u + j * p->n, h);
  plant_row(p, row, x, u + k * p->n, value);
  const double size = 1.0 + hys_interval_mag(o->end[k]);
  good = CHECK(middle(value) >= o->reached[k].hi - 1e-12 * size) &&
         CHECK(middle(value) <= o->end[k].hi + 1e-12 * size);
  arb_clear(value);
  _arb_vec_clear(x, (slong)p->m);
  return good;
}

static void encloses_trajectories(void) {
  for (unsigned seed = 0; seed < SEEDS; seed++) {
    rng_state = seed_of(seed);
    for (unsigned trial = 0; trial < 60; trial++) {
      plant p;
      hys_affine_rows *a;
      hys_affine row;
      hys_term term[SIZE];
      seen o = {.steps = 0};
      const double h = exp2(-(double)(1 + rng_below(7)));
      const hys_interval enough = hys_interval_point(0.0);
      bool good;
      check_label("seed %u trial %u", seed, trial);
      if (!plant_random(&p, trial % 12))
        return;
      random_row(&p, term, &row);
      if (!CHECK_INT(hys_affine_rows_create(&a, &p.automaton, &p.location, p.free_box, &p.x0, NULL), HYS_OK))
        return;
      good =
          CHECK_INT(hys_affine_rows_prepare(a, h, STEPS), HYS_OK) &&
          CHECK_INT(hys_affine_rows_run(a, &(hys_affine_rows_job){.row = &row,
                                                                  .n_rows = 1,
                                                                  .look = look,
                                                                  .context = &o,
                                                                  .enough = trial % 2 == 0 ? &enough : NULL,
                                                                  .pieces = 1 + trial % 40}),
                    HYS_OK) &&
          CHECK_INT(o.steps, STEPS + 1);
      for (unsigned run = 0; run < RUNS && good; run++)
        good = inside(&p, &row, &o, h, run % 2 == 0);
      good = good && witness(a, &p, &row, &o, h);
      hys_affine_rows_destroy(a);
      plant_close(&p);
      if (!good)
        return;
    }
  }
}

/* One row of a plant to T: outer and inner bounds. */
static bool bounds_of(plant *p, uint32_t i, double T, double tolerance, hys_interval *outer,
                      hys_interval *inner) {
  const hys_term term = {i, hys_interval_point(1.0)};
  const hys_affine row = {&term, 1, hys_interval_point(0.0)};
  hys_affine_rows *a;
  bool good =
      CHECK_INT(hys_affine_rows_create(&a, &p->automaton, &p->location, p->free_box, &p->x0, NULL), HYS_OK);

  good =
      good &&
      CHECK_INT(hys_affine_rows_bounds(a, &row, 1, T, tolerance, NULL, NULL, outer, inner, NULL), HYS_OK) &&
      CHECK(hys_interval_inside_surely(*inner, *outer));
  if (good)
    hys_affine_rows_destroy(a);
  return good;
}

static bool box_start(plant *p, const hys_interval *x) {
  return CHECK_INT(hys_zonotope_open(&p->x0, p->n, p->n, NULL), HYS_OK) &&
         CHECK_INT(hys_zonotope_from_box(&p->x0, x), HYS_OK);
}

/* x' = y, y' = -x from [.9, 1.1] x [-.1, .1]: x reaches sqrt of the corner's square, 1.1^2 + .1^2. */
static void oscillates(void) {
  const hys_interval start[SIZE] = {{0.9, 1.1}, {-0.1, 0.1}};
  const double far = sqrt(1.1 * 1.1 + 0.1 * 0.1);
  hys_interval outer, inner;
  plant p;

  plant_clear(&p, 2, 0);
  p.a[0][1] = 1.0;
  p.a[1][0] = -1.0;
  plant_build(&p);
  if (!box_start(&p, start) || !bounds_of(&p, 0, 6.5, 1e-9, &outer, &inner))
    return;
  CHECK_NEAR(outer.hi, far, 1e-9);
  CHECK_NEAR(outer.lo, -far, 1e-9);
  CHECK_NEAR(inner.hi, far, 1e-9);
  plant_close(&p);
}

/* The same in steps of a half: the largest value lies between two instants, and chords alone would miss it.
 */
static void between_instants(void) {
  const hys_interval start[SIZE] = {{0.9, 1.1}, {-0.1, 0.1}};
  const double far = sqrt(1.1 * 1.1 + 0.1 * 0.1);
  const hys_term term = {0, {1.0, 1.0}};
  const hys_affine row = {&term, 1, {0.0, 0.0}};
  hys_affine_rows *a;
  plant p;

  plant_clear(&p, 2, 0);
  p.a[0][1] = 1.0;
  p.a[1][0] = -1.0;
  plant_build(&p);
  if (!box_start(&p, start) ||
      !CHECK_INT(hys_affine_rows_create(&a, &p.automaton, &p.location, p.free_box, &p.x0, NULL), HYS_OK))
    return;
  for (unsigned k = 1; k <= 40; k++) {
    seen o = {.steps = 0};
    double most = 0.0;
    const double h = 0.6 - 0.01 * (double)k;
    check_label("h = %g", h);
    CHECK_INT(hys_affine_rows_prepare(a, h, STEPS), HYS_OK);
    CHECK_INT(
        hys_affine_rows_run(a, &(hys_affine_rows_job){.row = &row, .n_rows = 1, .look = look, .context = &o}),
        HYS_OK);
    for (size_t i = 1; i <= STEPS; i++)
      most = fmax(most, -o.tube[i].lo);
    if (STEPS * h > 3.2) {
      CHECK(most >= far);
      CHECK(most <= far * (1.0 + 0.5 * h * h));
    }
  }
  hys_affine_rows_destroy(a);
  plant_close(&p);
}

/* x' = u, |u| <= 1 in the k-th derivative: t^k / k! at most. */
static void integrates(void) {
  plant p;

  for (size_t m = 1; m <= 4; m++) {
    const hys_interval start[SIZE] = {{0.0, 0.0}};
    hys_interval outer, inner;
    double want = 1.0;
    check_label("%zu integrators", m);
    plant_clear(&p, m, 1);
    for (size_t i = 0; i + 1 < m; i++)
      p.a[i][i + 1] = 1.0;
    p.b[m - 1][0] = 1.0;
    plant_build(&p);
    p.free_box[m] = hys_interval_make(-1.0, 1.0);
    for (size_t k = 1; k <= m; k++)
      want *= 2.0 / (double)k;
    if (!box_start(&p, start) || !bounds_of(&p, 0, 2.0, 1e-9, &outer, &inner))
      return;
    CHECK_NEAR(outer.hi, want, 2e-9);
    CHECK_NEAR(inner.lo, -want, 2e-9);
    plant_close(&p);
  }
}

/* A constant of the run is one number for all times: x' = k - x, k in [-1, 1] known to be what x - starts
 * from. */
static void constants_are_one_number(void) {
  const hys_interval start[2] = {{0.0, 0.0}, {-1.0, 1.0}};
  hys_interval outer, inner;
  plant p;

  plant_clear(&p, 2, 0); /* x'' = -x + k as x' = y, y' = -x + k would swing; here y is k */
  p.a[0][0] = -1.0;
  p.a[0][1] = 1.0;
  plant_build(&p);
  if (!box_start(&p, start) || !bounds_of(&p, 0, 3.0, 1e-9, &outer, &inner))
    return;
  CHECK_NEAR(outer.hi, 1.0 - exp(-3.0), 2e-9);
  CHECK_NEAR(outer.lo, exp(-3.0) - 1.0, 2e-9);
  plant_close(&p);
  plant_clear(&p, 3,
              0); /* x' = y, y' = -x + k from rest: x = k (1 - cos t), at most 2; an input could do more */
  p.a[0][1] = 1.0;
  p.a[1][0] = -1.0;
  p.a[1][2] = 1.0;
  plant_build(&p);
  {
    const hys_interval rest[3] = {{0.0, 0.0}, {0.0, 0.0}, {-1.0, 1.0}};
    if (!box_start(&p, rest) || !bounds_of(&p, 0, 20.0, 1e-8, &outer, &inner))
      return;
  }
  CHECK_NEAR(outer.hi, 2.0, 2e-8);
  CHECK_NEAR(inner.hi, 2.0, 2e-8);
  plant_close(&p);
}

/* An input at resonance: x' = y, y' = -x + u grows by int |sin|. */
static void decides(void) {
  const hys_interval start[SIZE] = {{0.0, 0.0}, {0.0, 0.0}};
  const hys_term term = {0, {1.0, 1.0}};
  const hys_affine row = {&term, 1, {0.0, 0.0}};
  const double T = 4.0 * acos(-1.0), most = 8.0; /* int_0^{4 pi} |sin| */
  hys_affine_rows *a;
  hys_verdict verdict;
  double when, step;
  plant p;

  plant_clear(&p, 2, 1);
  p.a[0][1] = 1.0;
  p.a[1][0] = -1.0;
  p.b[1][0] = 1.0;
  plant_build(&p);
  p.free_box[2] = hys_interval_make(-1.0, 1.0);
  if (!box_start(&p, start) ||
      !CHECK_INT(hys_affine_rows_create(&a, &p.automaton, &p.location, p.free_box, &p.x0, NULL), HYS_OK))
    return;
  CHECK_INT(hys_affine_rows_decide(a, &row, most + 1e-6, false, T, NULL, NULL, &verdict, &when, &step),
            HYS_OK);
  CHECK_INT(verdict, HYS_HOLDS);
  CHECK_INT(hys_affine_rows_decide(a, &row, most - 1e-6, false, T, NULL, NULL, &verdict, &when, &step),
            HYS_OK);
  CHECK_INT(verdict, HYS_VIOLATED);
  CHECK(when > 12.5 && when <= T);
  CHECK_INT(hys_affine_rows_prepare(a, step, (size_t)(T / step)), HYS_OK);
  hys_affine_rows_destroy(a);
  plant_close(&p);
}

/* A long chain of cells, x_i' = 1000 (x_{i-1} - 2 x_i + x_{i+1}): no matrix is made, and rows stay below the
 * start's largest value. */
static void does_without_a_matrix(void) {
  enum { CELLS = 600 };
  static hys_rate rate[CELLS];
  static hys_term term[CELLS][3];
  static hys_interval free_box[CELLS], start[CELLS];
  const hys_hybrid_location location = {.name = "rod", .rate = rate};
  const hys_hybrid automaton = {.name = "rod", .n = CELLS};
  const hys_term middle_term = {CELLS / 2, {1.0, 1.0}};
  const hys_affine row = {&middle_term, 1, {0.0, 0.0}};
  hys_affine_rows *a;
  hys_zonotope z;
  seen o = {.steps = 0};

  for (uint32_t i = 0; i < CELLS; i++) {
    uint32_t n = 0;
    if (i > 0)
      term[i][n++] = (hys_term){i - 1, {1000.0, 1000.0}};
    term[i][n++] = (hys_term){i, {-2000.0, -2000.0}};
    if (i + 1 < CELLS)
      term[i][n++] = (hys_term){i + 1, {1000.0, 1000.0}};
    rate[i] = (hys_rate){.motion = HYS_MOTION_FLOW, .affine = true, .row = {term[i], n, {0.0, 0.0}}};
    free_box[i] = hys_interval_entire();
    start[i] = i == CELLS / 2 ? hys_interval_make(0.9, 1.1) : hys_interval_point(0.0);
  }
  if (!CHECK_INT(hys_zonotope_open(&z, CELLS, 1, NULL), HYS_OK) ||
      !CHECK_INT(hys_zonotope_from_box(&z, start), HYS_OK) ||
      !CHECK_INT(hys_affine_rows_create(&a, &automaton, &location, free_box, &z, NULL), HYS_OK))
    return;
  CHECK_INT(hys_affine_rows_prepare(a, 0.0005, STEPS), HYS_OK);
  CHECK_INT(
      hys_affine_rows_run(a, &(hys_affine_rows_job){.row = &row, .n_rows = 1, .look = look, .context = &o}),
      HYS_OK);
  /* a walk: e^(-2 c t) I_0(2 c t) of the start, c t = 12 */
  CHECK_NEAR(o.end[STEPS].hi, 1.1 * 0.08186, 1e-4);
  CHECK_NEAR(o.end[STEPS].lo, 0.9 * 0.08186, 1e-4);
  CHECK(hys_interval_width(o.end[STEPS]) < 0.2 * 0.0819 + 1e-9);
  hys_affine_rows_destroy(a);
  hys_zonotope_close(&z);
}

/* Beyond the largest double there are bounds no more, and nothing is said to be reached. */
static void numbers_end(void) {
  const hys_interval start[SIZE] = {{1.0, 1.0}, {0.0, 0.0}};
  const hys_term term[2] = {{0, {1.0, 1.0}}, {1, {1.0, 1.0}}};
  hys_affine_rows *a;
  plant p;

  plant_clear(&p, 2, 0);
  p.a[0][0] = 300.0;
  p.a[0][1] = 1.0;
  p.a[1][1] = 300.0;
  plant_build(&p);
  if (!box_start(&p, start) ||
      !CHECK_INT(hys_affine_rows_create(&a, &p.automaton, &p.location, p.free_box, &p.x0, NULL), HYS_OK))
    return;
  CHECK_INT(hys_affine_rows_prepare(a, 0.1, STEPS), HYS_OK);
  for (uint32_t i = 0; i < 2; i++) {
    const hys_affine row = {&term[i], 1, {0.0, 0.0}};
    seen o = {.steps = 0};
    check_label("row %u", i);
    CHECK_INT(
        hys_affine_rows_run(a, &(hys_affine_rows_job){.row = &row, .n_rows = 1, .look = look, .context = &o}),
        HYS_OK);
    CHECK(i == 0 ? o.end[STEPS].hi == HYSI_INF : o.end[STEPS].hi >= 0.0);
    CHECK(i == 1 || hys_interval_is_empty(o.reached[STEPS]) || o.reached[STEPS].hi <= DBL_MAX);
    CHECK(i == 1 || o.end[1].hi >= exp(30.0) * (1.0 - 1e-12));
  }
  hys_affine_rows_destroy(a);
  plant_close(&p);
}

static bool never(void *context) {
  (void)context;
  return false;
}

static void refuses(void) {
  const hys_interval start[1] = {{1.0, 1.0}};
  const hys_term term = {0, {1.0, 1.0}};
  const hys_affine row = {&term, 1, {0.0, 0.0}};
  hys_affine_rows *a;
  hys_zonotope other;
  seen o = {.steps = 0};
  plant p;

  plant_clear(&p, 1, 0);
  p.a[0][0] = -1.0;
  plant_build(&p);
  if (!box_start(&p, start) || !CHECK_INT(hys_zonotope_open(&other, 2, 0, NULL), HYS_OK))
    return;
  CHECK_INT(hys_affine_rows_create(&a, &p.automaton, &p.location, p.free_box, &other, NULL), HYS_ERR_ARG);
  p.rate[0].affine = false;
  CHECK_INT(hys_affine_rows_create(&a, &p.automaton, &p.location, p.free_box, &p.x0, NULL),
            HYS_ERR_UNSUPPORTED);
  p.rate[0].affine = true;
  if (!CHECK_INT(hys_affine_rows_create(&a, &p.automaton, &p.location, p.free_box, &p.x0, NULL), HYS_OK))
    return;
  CHECK_INT(
      hys_affine_rows_run(a, &(hys_affine_rows_job){.row = &row, .n_rows = 1, .look = look, .context = &o}),
      HYS_ERR_STATE);
  CHECK_INT(hys_affine_rows_prepare(a, 0.0, 4), HYS_ERR_ARG);
  CHECK_INT(hys_affine_rows_prepare(a, 0.001, 0), HYS_ERR_ARG);
  CHECK_INT(hys_affine_rows_prepare(a, 0.001, 100000), HYS_OK);
  o.steps = 0;
  CHECK_INT(
      hys_affine_rows_run(a, &(hys_affine_rows_job){.row = &row, .n_rows = 0, .look = look, .context = &o}),
      HYS_OK);
  CHECK_INT(o.steps, 0);
  CHECK_INT(hys_affine_rows_prepare(a, 0.001, STEPS), HYS_OK);
  {
    hys_interval outer, inner;
    CHECK_INT(hys_affine_rows_bounds(a, &row, 1, 100.0, 1e-300, never, NULL, &outer, &inner, NULL), HYS_OK);
  }
  hys_affine_rows_destroy(a);
  hys_zonotope_close(&other);
  plant_close(&p);
}

CHECK_MAIN("affine rows", {"encloses trajectories", encloses_trajectories}, {"oscillates", oscillates},
           {"encloses what lies between instants", between_instants}, {"integrates", integrates},
           {"constants are one number", constants_are_one_number}, {"decides at resonance", decides},
           {"does without a matrix", does_without_a_matrix}, {"numbers end", numbers_end},
           {"refuses", refuses})
