/* For the property tests of prepared flows: systems of all kinds, prepared, and their exact solutions by
 * Arb's exponential of the augmented matrix. */
#ifndef HYSHIELD_TESTS_PROP_FLOW_SUPPORT_H
#define HYSHIELD_TESTS_PROP_FLOW_SUPPORT_H

#include <math.h>

#include "models/prepare_flow.h"
#include "tests/prop/arb_support.h"

#ifdef HAVE_FLINT_ARB_MAT_H /* FLINT 3 */
#include <flint/arb_mat.h>
#else
#include <arb_mat.h>
#endif

enum { PREC = 300, MAX = HYS_MAX_STATES };

static const int levels_looked_at[] = {0, 1, 3, 8, HYS_FLOW_LEVELS - 1};
enum { LEVELS = sizeof levels_looked_at / sizeof levels_looked_at[0] };

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

static inline double rng_between(double lo, double hi) {
  return lo + (hi - lo) * rng_unit();
}

static inline void with_input(linear_system *s, size_t state, double gain, double lo, double hi) {
  s->b[state * s->nu + s->nu - 1] = gain;
  s->u[s->nu - 1] = hys_interval_make(lo, hi);
}

static inline void with_pin(linear_system *s, size_t state, double factor, double bound) {
  s->pin_state[s->pins] = state;
  s->pin_factor[s->pins] = factor;
  s->pin_bound[s->pins++] = bound;
}

static inline void fill(linear_system *s, double scale) {
  for (size_t i = 0; i < s->nx * s->nx; i++)
    s->a[i] = rng_between(-scale, scale);
  for (size_t i = 0; i < s->nx * s->nu; i++)
    s->b[i] = rng_below(3) ? rng_between(-2.0, 2.0) : 0.0;
  for (size_t i = 0; i < s->nx; i++)
    s->c[i] = rng_below(2) ? rng_between(-1.0, 1.0) : 0.0;
  for (size_t j = 0; j < s->nu; j++)
    s->u[j] = hys_interval_make(rng_between(-3.0, 1.0), rng_between(1.0, 3.0));
}

static inline void chain(linear_system *s) {
  for (size_t i = 0; i + 1 < s->nx; i++)
    s->a[i * s->nx + i + 1] = 1.0;
}

enum { SYSTEMS = 18 };

static inline void make_system(linear_system *s, int which) {
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

static inline hys_interval told(double x, double spread) {
  const double r = fabs(x) * spread;
  return spread > 0.0 ? hys_interval_make(x - r * rng_unit(), x + r * rng_unit()) : hys_interval_point(x);
}

static inline bool prepare(prepared *p, const linear_system *s) {
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
static inline void each_system(uint64_t seed, void (*body)(const linear_system *s, const prepared *p)) {
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

static inline void solution_init(solution *z, const linear_system *s) {
  z->n = s->nx + s->pins + 1;
  const slong n = (slong)z->n;
  arb_mat_init(z->m, n, n);
  arb_mat_init(z->e, n, n);
  arb_mat_init(z->x, n, 1);
  arb_mat_init(z->y, n, 1);
}

static inline void solution_clear(solution *z) {
  arb_mat_clear(z->m);
  arb_mat_clear(z->e);
  arb_mat_clear(z->x);
  arb_mat_clear(z->y);
  flint_cleanup();
}

static inline void solution_start(solution *z, const linear_system *s, const double *x0) {
  arb_mat_zero(z->x);
  for (size_t i = 0; i < s->nx; i++)
    arb_set_d(arb_mat_entry(z->x, i, 0), x0[i]);
  arb_one(arb_mat_entry(z->x, z->n - 1, 0));
}

/* Goes on for the time dt with the constant input u. */
static inline void solution_advance(solution *z, const linear_system *s, const double *u, double dt) {
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

static inline arb_srcptr solution_at(const solution *z, size_t i) {
  return arb_mat_entry(z->x, i, 0);
}

#endif
