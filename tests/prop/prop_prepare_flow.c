/* Prepared flows against exact solutions: trajectories by Arb's exponential of the augmented matrix stay
 * below every row, at the step's end and inside it; rows are attained where they can be; closed forms of the
 * ACC's rows. Built again with planted faults by gate_prepare_flow.sh: the tests whose name begins with
 * "encloses" must fail. */
#include <math.h>

#include "models/prepare_flow.h"
#include "tests/prop/arb_support.h"
#include "tests/support/check.h"

#ifdef HAVE_FLINT_ARB_MAT_H /* FLINT 3 */
#include <flint/arb_mat.h>
#else
#include <arb_mat.h>
#endif

enum { PREC = 300, MAX = HYS_MAX_STATES };

/* ---------------------------------------------------------------------------------------------------------
 * Systems. */

typedef struct linear_system {
  const char *name;
  size_t nx, nu;
  double a[MAX * MAX], b[MAX * MAX], c[MAX]; /* the truth */
  double spread; /* what is told of a, b, c: the truth -+ at most this, relatively */
  hys_interval u[MAX];
  /* half-spaces on one state: factor x <= bound */
  size_t pins;
  size_t pin_state[MAX];
  double pin_factor[MAX], pin_bound[MAX];
  bool tight; /* a sign change makes A Metzler, and an input acts on one state: constant inputs attain the
                 bounds */
} linear_system;

static double rng_between(double lo, double hi) {
  return lo + (hi - lo) * rng_unit();
}

static void with_input(linear_system *s, size_t state, double gain, double lo, double hi) {
  s->b[state * s->nu + s->nu - 1] = gain;
  s->u[s->nu - 1] = hys_interval_make(lo, hi);
}

static void with_pin(linear_system *s, size_t state, double factor, double bound) {
  s->pin_state[s->pins] = state;
  s->pin_factor[s->pins] = factor;
  s->pin_bound[s->pins++] = bound;
}

static void fill(linear_system *s, double scale) {
  for (size_t i = 0; i < s->nx * s->nx; i++)
    s->a[i] = rng_between(-scale, scale);
  for (size_t i = 0; i < s->nx * s->nu; i++)
    s->b[i] = rng_below(3) ? rng_between(-2.0, 2.0) : 0.0;
  for (size_t i = 0; i < s->nx; i++)
    s->c[i] = rng_below(2) ? rng_between(-1.0, 1.0) : 0.0;
  for (size_t j = 0; j < s->nu; j++)
    s->u[j] = hys_interval_make(rng_between(-3.0, 1.0), rng_between(1.0, 3.0));
}

static void chain(linear_system *s) {
  for (size_t i = 0; i + 1 < s->nx; i++)
    s->a[i * s->nx + i + 1] = 1.0;
}

enum { SYSTEMS = 18 };

static void make_system(linear_system *s, int which) {
  *s = (linear_system){.name = "random", .nx = 1 + rng_below(5), .nu = rng_below(3)};
  switch (which) {
  case 0:
    *s = (linear_system){.name = "acc", .nx = 4, .nu = 1, .tight = true};
    s->a[1] = -1.0;
    s->a[3] = 1.0;
    s->a[4 + 2] = 1.0;
    with_input(s, 3, 1.0, -6.0, 3.5);
    with_pin(s, 3, -1.0, 0.0);
    with_pin(s, 1, -2.0, 0.0);
    break;
  case 1:
    *s = (linear_system){.name = "four integrators, input in the last", .nx = 4, .nu = 1, .tight = true};
    chain(s);
    with_input(s, 3, 1.0, -1.0, 2.0);
    with_pin(s, 3, 1.0, 1.0);
    with_pin(s, 1, 1.0, 1.0);
    break;
  case 2:
    *s = (linear_system){.name = "A = 0, input off centre", .nx = 1, .nu = 1, .tight = true};
    with_input(s, 0, 1.0, 1.0, 1.25);
    break;
  case 3:
    *s = (linear_system){.name = "A = 0", .nx = 3, .nu = 2};
    fill(s, 0.0);
    break;
  case 4:
    *s = (linear_system){.name = "rotation", .nx = 2, .nu = 1};
    s->a[1] = 1.0;
    s->a[2] = -1.0;
    with_input(s, 0, 1.0, 2.0, 3.0);
    with_pin(s, 0, 1.0, 2.0);
    break;
  case 5:
    *s = (linear_system){.name = "fast damped rotation", .nx = 2, .nu = 1};
    s->a[0] = -1.0;
    s->a[1] = 39.0;
    s->a[2] = -39.0;
    s->a[3] = -0.5;
    with_input(s, 0, 1.0, -1.0, 2.0);
    with_pin(s, 1, 1.0, 1.0);
    break;
  case 6:
    *s = (linear_system){.name = "stiff", .nx = 2, .nu = 1, .tight = true};
    s->a[0] = -19.0;
    s->a[1] = 2.0;
    s->a[3] = -0.5;
    s->c[0] = 0.3;
    with_input(s, 1, 1.0, -1.0, -0.5);
    with_pin(s, 1, 1.0, 1.5);
    break;
  case 7:
    *s = (linear_system){.name = "lag and drag, decimals", .nx = 4, .nu = 2, .tight = true, .spread = 1e-12};
    s->a[1] = -1.0; /* d' = w - v */
    s->a[3] = 1.0;
    s->a[4 + 1] = -0.01; /* v' = a - .01 v */
    s->a[4 + 2] = 1.0;
    s->a[8 + 2] = -1.0 / 0.3; /* a' = (u - a) / .3 */
    s->b[2 * 2 + 0] = 1.0 / 0.3;
    s->u[0] = hys_interval_make(-6.0, -5.5);
    with_input(s, 3, 1.0, -6.0, 3.5);
    with_pin(s, 3, -1.0, 0.0);
    with_pin(s, 2, -1.0, 7.0);
    break;
  case 8:
    s->name = "scale 40";
    s->nx = 3;
    s->nu = 1;
    fill(s, 13.0);
    with_pin(s, 1, 1.5, 2.0);
    break;
  case 9:
    s->name = "wide enclosures";
    s->nx = 3;
    s->nu = 1;
    s->spread = 1e-3;
    fill(s, 1.0);
    with_pin(s, 0, -1.5, 2.0);
    break;
  case 10:
    *s = (linear_system){.name = "singular", .nx = 3, .nu = 1};
    fill(s, 1.0);
    for (size_t j = 0; j < 3; j++)
      s->a[6 + j] = 2.0 * s->a[j];
    with_pin(s, 2, 1.0, 2.0);
    break;
  case 11:
    *s = (linear_system){.name = "one input on two states, with a change of sign", .nx = 2, .nu = 1};
    s->a[1] = 1.0;
    s->b[0] = -0.1;
    s->b[1] = 1.0;
    s->u[0] = hys_interval_make(-1.0, 3.0);
    with_pin(s, 1, 1.0, 1.0);
    break;
  default:
    fill(s, which % 2 ? 1.0 : 4.0);
    if (s->nx > 1) {
      with_pin(s, rng_below((unsigned)s->nx), rng_below(2) ? 1.0 : -0.3, 1.0);
    }
    break;
  }
}

typedef struct prepared {
  hys_arena *arena;
  hys_interval a[MAX * MAX], b[MAX * MAX], c[MAX], n[MAX][2 * MAX];
  hys_halfspace half[MAX];
  hys_conjunction invariant;
  hys_flow flow;
} prepared;

static hys_interval told(double x, double spread) {
  const double r = fabs(x) * spread;
  return spread > 0.0 ? hys_interval_make(x - r * rng_unit(), x + r * rng_unit()) : hys_interval_point(x);
}

static bool prepare(prepared *p, const linear_system *s) {
  *p = (prepared){.arena = hys_arena_create(NULL)};
  for (size_t i = 0; i < s->nx * s->nx; i++)
    p->a[i] = told(s->a[i], s->spread);
  for (size_t i = 0; i < s->nx * s->nu; i++)
    p->b[i] = told(s->b[i], s->spread);
  for (size_t i = 0; i < s->nx; i++)
    p->c[i] = told(s->c[i], s->spread);
  for (size_t k = 0; k < s->pins; k++) {
    p->n[k][s->pin_state[k]] = told(s->pin_factor[k], s->spread);
    p->half[k] = (hys_halfspace){.a = p->n[k], .c = told(s->pin_bound[k], s->spread)};
  }
  p->invariant = (hys_conjunction){p->half, (uint32_t)s->pins};
  p->flow.a = p->a;
  p->flow.b = p->b;
  p->flow.c = p->c;
  check_label("%s", s->name);
  return CHECK_INT(hys_flow_prepare(&p->flow, s->nx, s->nu, s->u, &p->invariant, p->arena), HYS_OK);
}

/* For each system: body, with s and p. */
static void each_system(uint64_t seed, void (*body)(const linear_system *s, const prepared *p)) {
  rng_state = seed;
  for (int which = 0; which < SYSTEMS; which++) {
    linear_system s;
    prepared p;
    make_system(&s, which);
    if (prepare(&p, &s))
      body(&s, &p);
    hys_arena_destroy(p.arena);
  }
}

/* ---------------------------------------------------------------------------------------------------------
 * Exact solutions.  The state is (x, y, 1), y_k the integral of the k-th pinned variable. */

typedef struct solution {
  size_t n; /* of the augmented matrix */
  arb_mat_t m, e, x, y;
} solution;

static void solution_init(solution *z, const linear_system *s) {
  z->n = s->nx + s->pins + 1;
  const slong n = (slong)z->n;
  arb_mat_init(z->m, n, n);
  arb_mat_init(z->e, n, n);
  arb_mat_init(z->x, n, 1);
  arb_mat_init(z->y, n, 1);
}

static void solution_clear(solution *z) {
  arb_mat_clear(z->m);
  arb_mat_clear(z->e);
  arb_mat_clear(z->x);
  arb_mat_clear(z->y);
  flint_cleanup();
}

static void solution_start(solution *z, const linear_system *s, const double *x0) {
  arb_mat_zero(z->x);
  for (size_t i = 0; i < s->nx; i++)
    arb_set_d(arb_mat_entry(z->x, i, 0), x0[i]);
  arb_one(arb_mat_entry(z->x, z->n - 1, 0));
}

/* Goes on for the time dt with the constant input u. */
static void solution_advance(solution *z, const linear_system *s, const double *u, double dt) {
  arb_t t, v;
  arb_init(t);
  arb_init(v);
  arb_mat_zero(z->m);
  for (size_t i = 0; i < s->nx; i++) {
    arb_ptr w = arb_mat_entry(z->m, i, z->n - 1);
    for (size_t j = 0; j < s->nx; j++)
      arb_set_d(arb_mat_entry(z->m, i, j), s->a[i * s->nx + j]);
    arb_set_d(w, s->c[i]);
    for (size_t j = 0; j < s->nu; j++) {
      arb_set_d(t, s->b[i * s->nu + j]);
      arb_set_d(v, u[j]);
      arb_addmul(w, t, v, PREC);
    }
  }
  for (size_t k = 0; k < s->pins; k++)
    arb_one(arb_mat_entry(z->m, s->nx + k, s->pin_state[k]));
  arb_set_d(t, dt);
  arb_mat_scalar_mul_arb(z->m, z->m, t, PREC);
  arb_mat_exp(z->e, z->m, PREC);
  arb_mat_mul(z->y, z->e, z->x, PREC);
  arb_mat_set(z->x, z->y);
  arb_clear(t);
  arb_clear(v);
}

static arb_srcptr solution_at(const solution *z, size_t i) {
  return arb_mat_entry(z->x, i, 0);
}

/* ---------------------------------------------------------------------------------------------------------
 * What a row says of a start that is a point. */

/* out := upper end of sum coef_j x_j + constant. */
static void row_upper(arb_t out, const hys_interval *coef, hys_interval constant, const double *x, size_t n,
                      bool lower) {
  arb_t v, w;
  arb_init(v);
  arb_init(w);
  arb_set_d(out, lower ? constant.lo : constant.hi);
  for (size_t j = 0; j < n; j++) {
    arb_set_d(v, (x[j] > 0.0) == lower ? coef[j].lo : coef[j].hi);
    arb_set_d(w, x[j]);
    arb_addmul(out, v, w, PREC);
  }
  arb_clear(v);
  arb_clear(w);
}

/* out := the bound of the row inside the step. */
static void row_tube(arb_t out, const hys_step_row *r, double h, const double *x, size_t n) {
  arb_t v, w;
  arb_init(v);
  arb_init(w);
  row_upper(out, r->coef, r->constant, x, n, false);
  arb_set_d(v, r->upper ? x[r->variable] : -x[r->variable]);
  arb_max(out, out, v, PREC);
  row_upper(v, r->curve, r->curve_constant, x, n, true);
  if (arb_is_negative(v)) {
    arb_set_d(w, h);
    arb_mul(w, w, w, PREC);
    arb_mul_2exp_si(w, w, -3);
    arb_submul(out, v, w, PREC);
  }
  arb_clear(v);
  arb_clear(w);
}

/* Whether the half-space held in the mean up to now: that is all a row with a pin uses. */
static bool pin_held(const solution *z, const linear_system *s, int pin, double t) {
  if (pin < 0)
    return true;
  arb_t v, w;
  arb_init(v);
  arb_init(w);
  arb_set_d(v, t);
  arb_set_d(w, s->pin_bound[pin]);
  arb_mul(v, v, w, PREC);
  arb_set_d(w, s->pin_factor[pin]);
  arb_submul(v, w, solution_at(z, s->nx + (size_t)pin), PREC);
  const bool held = arb_is_nonnegative(v);
  arb_clear(v);
  arb_clear(w);
  return held;
}

/* Checks all rows of a level at the time t of a trajectory from x0. */
static unsigned pinned_checks, curved_checks;

static void check_rows(const solution *z, const linear_system *s, const hys_step_table *level,
                       const double *x0, double t) {
  arb_t bound, value;
  arb_init(bound);
  arb_init(value);
  for (uint32_t k = 0; k < level->n_rows; k++) {
    const hys_step_row *r = &level->row[k];
    if (!pin_held(z, s, r->pin, t))
      continue;
    pinned_checks += r->pin >= 0;
    arb_set(value, solution_at(z, r->variable));
    if (!r->upper)
      arb_neg(value, value);
    if (t == level->h) {
      row_upper(bound, r->coef, r->constant, x0, s->nx, false);
      EXPECT(!arb_gt(value, bound), "%s: h %g, row %u at its end", s->name, level->h, k);
    }
    row_upper(bound, r->curve, r->curve_constant, x0, s->nx, true);
    curved_checks += t < level->h && arb_is_negative(bound);
    row_tube(bound, r, level->h, x0, s->nx);
    EXPECT(!arb_gt(value, bound), "%s: h %g, row %u at t = %g", s->name, level->h, k, t);
  }
  arb_clear(bound);
  arb_clear(value);
}

/* A start: often at the end of a range, often with a pinned variable at its bound. */
static void random_start(const linear_system *s, double *x0) {
  for (size_t i = 0; i < s->nx; i++)
    x0[i] = rng_below(2) ? rng_between(-2.0, 2.0) : (double)rng_below(5) - 2.0;
  for (size_t k = 0; k < s->pins; k++)
    if (rng_below(2))
      x0[s->pin_state[k]] = s->pin_bound[k] / s->pin_factor[k];
}

static void random_input(const linear_system *s, double *u) {
  for (size_t j = 0; j < s->nu; j++)
    u[j] = rng_below(4) == 0   ? rng_between(s->u[j].lo, s->u[j].hi)
           : rng_below(2) == 0 ? s->u[j].lo
                               : s->u[j].hi;
}

static const int levels_looked_at[] = {0, 1, 3, 8, HYS_FLOW_LEVELS - 1};
enum { LEVELS = sizeof levels_looked_at / sizeof levels_looked_at[0], STARTS = 8 };

static void check_trajectories(const linear_system *s, const prepared *p) {
  solution z;
  solution_init(&z, s);
  for (int l = 0; l < LEVELS; l++) {
    const hys_step_table *level = &p->flow.level[levels_looked_at[l]];
    for (int k = 0; k < STARTS; k++) {
      double x0[MAX], u[MAX];
      random_start(s, x0);
      random_input(s, u);
      solution_start(&z, s, x0);
      const bool constant = rng_below(2) == 0;
      for (unsigned at = 0; at < 16;) {
        const unsigned step = 1 + rng_below(16 - at < 8 ? 16 - at : 8);
        solution_advance(&z, s, u, level->h * step / 16.0);
        at += step;
        check_rows(&z, s, level, x0, level->h * at / 16.0);
        if (!constant)
          random_input(s, u);
      }
    }
  }
  solution_clear(&z);
}

static void encloses_trajectories(void) {
  expect_begin();
  pinned_checks = curved_checks = 0;
  for (unsigned i = 0; i < SEEDS; i++)
    each_system(seed_of(i), check_trajectories);
  expect_end();
  CHECK(pinned_checks > 1000);
  CHECK(curved_checks > 1000);
}

/* ---------------------------------------------------------------------------------------------------------
 * Bounds are attained. */

/* The input that is worst for row r at h: the sign of (l exp(A (h - t)) B)_j, by parts of the step. */
enum { PARTS = 32 };

static void worst_value(arb_t value, solution *z, const linear_system *s, const hys_step_row *r, double h,
                        const double *x0) {
  arb_mat_t gain[PARTS];
  arb_t g, v;
  arb_init(g);
  arb_init(v);
  for (int k = 0; k < PARTS; k++) {
    arb_mat_init(gain[k], (slong)s->nx, (slong)s->nx);
    for (size_t i = 0; i < s->nx; i++)
      for (size_t j = 0; j < s->nx; j++)
        arb_set_d(arb_mat_entry(gain[k], i, j), s->a[i * s->nx + j] * h * (PARTS - k - 0.5) / PARTS);
    arb_mat_exp(gain[k], gain[k], 64);
  }
  solution_start(z, s, x0);
  for (int k = 0; k < PARTS; k++) {
    double u[MAX];
    for (size_t j = 0; j < s->nu; j++) {
      arb_zero(g);
      for (size_t i = 0; i < s->nx; i++) {
        arb_set_d(v, s->b[i * s->nu + j]);
        arb_addmul(g, v, arb_mat_entry(gain[k], r->variable, i), 64);
      }
      u[j] = (arf_sgn(arb_midref(g)) > 0) == r->upper ? s->u[j].hi : s->u[j].lo;
    }
    solution_advance(z, s, u, h / PARTS);
    arb_mat_clear(gain[k]);
  }
  arb_set(value, solution_at(z, r->variable));
  if (!r->upper)
    arb_neg(value, value);
  arb_clear(g);
  arb_clear(v);
}

static void check_attained(const linear_system *s, const prepared *p) {
  if (s->spread > 1e-9)
    return;
  solution z;
  arb_t bound, value;
  solution_init(&z, s);
  arb_init(bound);
  arb_init(value);
  /* up to 1/4 s: beyond, the worst input of a fast rotation switches more often than the one tried here */
  static const int attained_at[] = {2, 5, HYS_FLOW_LEVELS - 1};
  for (size_t l = 0; l < sizeof attained_at / sizeof attained_at[0]; l++) {
    const hys_step_table *level = &p->flow.level[attained_at[l]];
    for (size_t k = 0; k < 2 * s->nx; k++) {
      const hys_step_row *r = &level->row[k];
      double x0[MAX];
      random_start(s, x0);
      worst_value(value, &z, s, r, level->h, x0);
      row_upper(bound, r->coef, r->constant, x0, s->nx, false);
      EXPECT(!arb_gt(value, bound), "%s: h %g, row %zu: worst input", s->name, level->h, k);
      arb_sub(bound, bound, value, PREC);
      const double gap = arf_get_d(arb_midref(bound), ARF_RND_UP), size = 1.0 + fabs(r->constant.hi);
      /* A switch is placed to half a part, and the bound loses the part of h/256 that holds it. */
      EXPECT(gap <= (s->tight ? s->spread * 1e4 + 1e-14 : 2e-3) * size, "%s: h %g, row %zu: gap %g", s->name,
             level->h, k, gap);
    }
  }
  arb_clear(bound);
  arb_clear(value);
  solution_clear(&z);
}

static void attained(void) {
  expect_begin();
  for (unsigned i = 0; i < SEEDS; i += SEEDS - 1)
    each_system(seed_of(i), check_attained);
  expect_end();
}

/* A row with a pin is attained by what stays on the half-space: the lead that stands. */
static void pin_attained(void) {
  linear_system s;
  prepared p;
  make_system(&s, 0);
  if (prepare(&p, &s)) {
    solution z;
    arb_t bound;
    solution_init(&z, &s);
    arb_init(bound);
    const double x0[4] = {30.0, 12.0, -1.0, 0.0}, u[1] = {0.0};
    for (int k = 0; k < HYS_FLOW_LEVELS; k++) {
      const hys_step_table *level = &p.flow.level[k];
      check_label("level %d", k);
      if (!CHECK(level->n_rows > 8))
        continue;
      const hys_step_row *r = &level->row[8];
      CHECK(r->pin == 0 && r->variable == 0 && !r->upper);
      solution_start(&z, &s, x0);
      solution_advance(&z, &s, u, level->h);
      row_upper(bound, r->coef, r->constant, x0, 4, false);
      arb_add(bound, bound, solution_at(&z, 0), PREC);
      CHECK(arf_cmpabs_d(arb_midref(bound), 1e-60) < 0);
    }
    arb_clear(bound);
    solution_clear(&z);
  }
  hys_arena_destroy(p.arena);
}

/* ---------------------------------------------------------------------------------------------------------
 * Matrices. */

static bool holds(hys_interval a, const arb_t x) {
  arb_t lo, hi;
  arb_init(lo);
  arb_init(hi);
  arb_set_d(lo, a.lo);
  arb_set_d(hi, a.hi);
  const bool in = !arb_gt(lo, x) && !arb_lt(hi, x);
  arb_clear(lo);
  arb_clear(hi);
  return in;
}

enum { SAMPLES = 32 };

static void check_matrices(const linear_system *s, const prepared *p) {
  const slong n = (slong)s->nx;
  arb_mat_t a, e, m1, m2;
  arb_t t;
  arb_mat_init(a, n, n);
  arb_mat_init(e, n, n);
  arb_mat_init(m1, n, n);
  arb_mat_init(m2, n, n);
  arb_init(t);
  for (slong i = 0; i < n * n; i++)
    arb_set_d(arb_mat_entry(a, i / n, i % n), s->a[i]);
  for (int l = 0; l < LEVELS; l++) {
    const hys_step_table *level = &p->flow.level[levels_looked_at[l]];
    double lo[2][MAX * MAX], hi[2][MAX * MAX], scale = 1.0;
    for (int k = 0; k <= SAMPLES; k++) {
      arb_set_d(t, level->h * k / SAMPLES);
      arb_mat_scalar_mul_arb(e, a, t, PREC);
      arb_mat_exp(e, e, PREC);
      arb_mat_mul(m1, a, e, PREC);
      arb_mat_mul(m2, a, m1, PREC);
      for (slong i = 0; i < n * n; i++) {
        arb_srcptr d1 = arb_mat_entry(m1, i / n, i % n), d2 = arb_mat_entry(m2, i / n, i % n);
        const double x1 = arf_get_d(arb_midref(d1), ARF_RND_NEAR),
                     x2 = arf_get_d(arb_midref(d2), ARF_RND_NEAR);
        EXPECT(holds(level->curve_input[i], d1), "%s: h %g, A exp(A t), entry %ld", s->name, level->h,
               (long)i);
        EXPECT(holds(level->curve_state[i], d2), "%s: h %g, A^2 exp(A t), entry %ld", s->name, level->h,
               (long)i);
        lo[0][i] = k == 0 || x1 < lo[0][i] ? x1 : lo[0][i];
        hi[0][i] = k == 0 || x1 > hi[0][i] ? x1 : hi[0][i];
        lo[1][i] = k == 0 || x2 < lo[1][i] ? x2 : lo[1][i];
        hi[1][i] = k == 0 || x2 > hi[1][i] ? x2 : hi[1][i];
        scale = fmax(scale, fmax(fabs(x1), fabs(x2)));
      }
    }
    for (slong i = 0; i < n * n; i++) {
      const hys_interval f = level->phi[i];
      EXPECT(holds(f, arb_mat_entry(e, i / n, i % n)), "%s: h %g, exp(A h), entry %ld", s->name, level->h,
             (long)i);
      if (s->spread > 0.0)
        continue;
      EXPECT(nextafter(f.lo, HYSI_INF) >= f.hi, "%s: h %g, exp(A h), entry %ld: wide", s->name, level->h,
             (long)i);
      for (int k = 0; k < 2; k++) {
        const hys_interval c = k == 0 ? level->curve_input[i] : level->curve_state[i];
        EXPECT(c.hi - c.lo <= 4.0 * (hi[k][i] - lo[k][i]) + 1e-2 * level->h * scale,
               "%s: h %g, order %d, entry %ld: [%g,%g] for [%g,%g]", s->name, level->h, k + 1, (long)i, c.lo,
               c.hi, lo[k][i], hi[k][i]);
      }
    }
    for (size_t i = 0; i < s->nx; i++) {
      CHECK_SAME(level->input[i].hi, level->row[2 * i].constant.hi);
      CHECK_SAME(level->input[i].lo, -level->row[2 * i + 1].constant.hi);
    }
  }
  arb_mat_clear(a);
  arb_mat_clear(e);
  arb_mat_clear(m1);
  arb_mat_clear(m2);
  arb_clear(t);
  flint_cleanup();
}

static void encloses_matrices(void) {
  expect_begin();
  for (unsigned i = 0; i < SEEDS; i++)
    each_system(seed_of(i), check_matrices);
  expect_end();
}

/* ---------------------------------------------------------------------------------------------------------
 * Closed forms. */

static void check_point(hys_interval a, double want) {
  CHECK(a.lo == want && a.hi == want);
}

static void acc_rows(void) {
  linear_system s;
  prepared p;
  make_system(&s, 0);
  if (prepare(&p, &s)) {
    check_point(p.flow.w[0], 0.0);
    check_point(p.flow.w[1], 0.0);
    check_point(p.flow.w[2], 0.0);
    CHECK(p.flow.w[3].lo == -6.0 && p.flow.w[3].hi == 3.5);
    for (int k = 0; k < HYS_FLOW_LEVELS; k++) {
      const hys_step_table *level = &p.flow.level[k];
      const double h = ldexp(1.0, -k);
      check_label("level %d", k);
      CHECK(level->h == h);
      CHECK_INT(level->ticks, 1 << (HYS_TICK_LOG2 - k));
      /* against w: -d at worst, the lead brakes at 6 m/s^2; then with w >= 0 through the step */
      const struct {
        uint32_t row;
        double coef[4], constant, curve[4], curve_constant;
      } want[] = {
          {0, {1.0, -h, -h * h / 2, h}, 1.75 * h * h, {0.0, 0.0, -1.0, 0.0}, 3.5},
          {1, {-1.0, h, h * h / 2, -h}, 3.0 * h * h, {0.0, 0.0, 1.0, 0.0}, 6.0},
          {2, {0.0, 1.0, h, 0.0}, 0.0, {0.0, 0.0, 0.0, 0.0}, 0.0},
          {6, {0.0, 0.0, 0.0, 1.0}, 3.5 * h, {0.0, 0.0, 0.0, 0.0}, 0.0},
          {7, {0.0, 0.0, 0.0, -1.0}, 6.0 * h, {0.0, 0.0, 0.0, 0.0}, 0.0},
          {8, {-1.0, h, h * h / 2, 0.0}, 0.0, {0.0, 0.0, 1.0, 0.0}, 0.0},
      };
      CHECK(level->n_rows >= 9);
      for (size_t i = 0; i < sizeof want / sizeof want[0] && want[i].row < level->n_rows; i++) {
        const hys_step_row *r = &level->row[want[i].row];
        check_label("level %d, row %u", k, want[i].row);
        CHECK_INT(r->pin, want[i].row == 8 ? 0 : -1);
        for (int j = 0; j < 4; j++) {
          check_point(r->coef[j], want[i].coef[j]);
          check_point(r->curve[j], want[i].curve[j]);
        }
        check_point(r->constant, want[i].constant);
        check_point(r->curve_constant, want[i].curve_constant);
      }
    }
  }
  hys_arena_destroy(p.arena);
  flint_cleanup();
}

static void monotone(void) {
  const hys_interval z = {0.0, 0.0}, plus = {0.5, 1.0}, minus = {-2.0, -1.0}, any = {-1e-3, 1e-3},
                     some = {0.0, 1.0};
  const struct {
    const char *name;
    size_t n;
    hys_interval a[9];
    bool want;
  } t[] = {
      {"one state", 1, {any}, true},
      {"zero", 3, {z, z, z, z, z, z, z, z, z}, true},
      {"diagonal of any sign", 2, {any, z, z, minus}, true},
      {"gap, speed, lead", 3, {z, minus, plus, z, z, z, z, z, z}, true},
      {"rotation", 2, {z, plus, minus, z}, false},
      {"both inhibit", 2, {z, minus, minus, z}, true},
      {"sign not known", 2, {z, any, z, z}, false},
      {"perhaps zero", 2, {z, some, plus, z}, true},
      {"circle with one minus", 3, {z, plus, z, z, z, plus, minus, z, z}, false},
      {"circle with two", 3, {z, minus, z, z, z, plus, minus, z, z}, true},
      {"circle against the arrows", 3, {z, plus, minus, z, z, plus, z, z, z}, false},
  };
  for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
    const hys_interval c[3] = {z, z, z};
    hys_arena *arena = hys_arena_create(NULL);
    hys_flow flow = {.a = t[i].a, .c = c};
    check_label("%s", t[i].name);
    CHECK_INT(hys_flow_prepare(&flow, t[i].n, 0, NULL, NULL, arena), HYS_OK);
    CHECK_INT(flow.monotone, t[i].want);
    hys_arena_destroy(arena);
  }
  flint_cleanup();
}

static void arguments(void) {
  hys_interval a[1] = {{-1.0, -1.0}}, b[1] = {{1.0, 1.0}}, c[1] = {{0.0, 0.0}}, u[1] = {{0.0, 1.0}};
  hys_interval n[2] = {{1.0, 1.0}, {0.0, 0.0}};
  hys_halfspace half = {.a = n, .c = {1.0, 1.0}};
  hys_conjunction invariant = {&half, 1};
  hys_arena *arena = hys_arena_create(NULL);
  hys_flow flow = {.a = a, .b = b, .c = c};
  check_label("as it should be");
  CHECK_INT(hys_flow_prepare(&flow, 1, 1, u, &invariant, arena), HYS_OK);
  CHECK_INT(flow.level[0].n_rows, 2); /* nothing is pinned to itself */
  check_label("null");
  CHECK_INT(hys_flow_prepare(NULL, 1, 1, u, &invariant, arena), HYS_ERR_ARG);
  CHECK_INT(hys_flow_prepare(&flow, 1, 1, NULL, &invariant, arena), HYS_ERR_ARG);
  CHECK_INT(hys_flow_prepare(&flow, 1, 1, u, &invariant, NULL), HYS_ERR_ARG);
  flow.a = NULL;
  CHECK_INT(hys_flow_prepare(&flow, 1, 1, u, &invariant, arena), HYS_ERR_ARG);
  flow.a = a;
  half.a = NULL;
  CHECK_INT(hys_flow_prepare(&flow, 1, 1, u, &invariant, arena), HYS_ERR_ARG);
  half.a = n;
  check_label("limits");
  CHECK_INT(hys_flow_prepare(&flow, HYS_MAX_STATES + 1, 1, u, &invariant, arena), HYS_ERR_LIMIT);
  CHECK_INT(hys_flow_prepare(&flow, 1, HYS_MAX_INPUTS + 1, u, &invariant, arena), HYS_ERR_LIMIT);
  check_label("not finite");
  u[0] = hys_interval_entire();
  CHECK_INT(hys_flow_prepare(&flow, 1, 1, u, &invariant, arena), HYS_ERR_ARG);
  u[0] = hys_interval_empty();
  CHECK_INT(hys_flow_prepare(&flow, 1, 1, u, &invariant, arena), HYS_ERR_ARG);
  u[0] = hys_interval_point(HYSI_NAN);
  CHECK_INT(hys_flow_prepare(&flow, 1, 1, u, &invariant, arena), HYS_ERR_ARG);
  check_label("out of range");
  u[0] = hys_interval_make(-DBL_MAX, DBL_MAX);
  b[0] = hys_interval_point(4.0);
  CHECK_INT(hys_flow_prepare(&flow, 1, 1, u, &invariant, arena), HYS_ERR_NUMERIC);
  u[0] = hys_interval_make(0.0, 1.0);
  a[0] = hys_interval_point(1e4);
  CHECK_INT(hys_flow_prepare(&flow, 1, 1, u, &invariant, arena), HYS_ERR_NUMERIC);
  a[0] = hys_interval_point(4000.0); /* exp(1000) is no double */
  CHECK_INT(hys_flow_prepare(&flow, 1, 1, u, &invariant, arena), HYS_ERR_NUMERIC);
  check_label("still");
  hys_flow still = {.still = true};
  CHECK_INT(hys_flow_prepare(&still, 1, 1, u, &invariant, arena), HYS_OK);
  CHECK(still.monotone && still.w != NULL && still.w[0].lo == 0.0 && still.w[0].hi == 0.0);
  CHECK(still.level[HYS_FLOW_LEVELS - 1].ticks == 1 && still.level[0].row == NULL &&
        still.level[0].n_rows == 0);
  check_label("no states");
  hys_flow none = {.a = NULL};
  CHECK_INT(hys_flow_prepare(&none, 0, 0, NULL, NULL, arena), HYS_OK);
  CHECK_INT(none.level[0].n_rows, 0);
  hys_arena_destroy(arena);
  flint_cleanup();
}

CHECK_MAIN("prepare_flow",
           {"encloses trajectories, at the end of a step and inside it", encloses_trajectories},
           {"encloses the exponential and its derivatives, tightly", encloses_matrices},
           {"rows are attained by the worst input", attained},
           {"a row with a pin is attained on its half-space", pin_attained}, {"rows of the ACC", acc_rows},
           {"monotone flows", monotone}, {"arguments", arguments})
