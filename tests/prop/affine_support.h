/* Random affine locations by hand, and their exact trajectories at 160 bits: for the tests of affine
 * flowpipes. */
#ifndef HYSHIELD_TESTS_PROP_AFFINE_SUPPORT_H
#define HYSHIELD_TESTS_PROP_AFFINE_SUPPORT_H

#include <math.h>
#include <string.h>

#include "core/hybrid.h"
#include "core/zonotope.h"
#include "tests/prop/arb_support.h"

#ifdef HAVE_FLINT_ARB_MAT_H
#include <flint/arb_mat.h>
#else
#include <arb_mat.h>
#endif

enum { STATES = 6, INPUTS = 2, SIZE = STATES + INPUTS, BITS = 160 };

typedef struct plant {
  size_t m, n_inputs, n; /* variables: states, then inputs */
  double a[STATES][STATES], b[STATES][INPUTS], c[STATES];
  hys_interval slack[STATES];
  hys_interval free_box[SIZE];
  hys_rate rate[SIZE];
  hys_term term[STATES][SIZE];
  hys_hybrid_location location;
  hys_hybrid automaton;
  hys_zonotope x0;
} plant;

static inline double any(double lo, double hi) {
  return lo + (hi - lo) * rng_unit();
}

/* From the numbers, the rows; x0 must be set by the caller after this. */
static inline void plant_build(plant *p) {
  p->n = p->m + p->n_inputs;
  for (size_t i = 0; i < p->m; i++) {
    uint32_t n = 0;
    for (size_t j = 0; j < p->n; j++) {
      const double v = j < p->m ? p->a[i][j] : p->b[i][j - p->m];
      if (v != 0.0)
        p->term[i][n++] = (hys_term){(uint32_t)j, hys_interval_point(v)};
    }
    p->rate[i] = (hys_rate){.motion = HYS_MOTION_FLOW,
                            .affine = true,
                            .row = {p->term[i], n, hys_interval_point(p->c[i])},
                            .slack = p->slack[i]};
    p->free_box[i] = hys_interval_entire();
  }
  for (size_t j = p->m; j < p->n; j++)
    p->rate[j] = (hys_rate){.motion = HYS_MOTION_FREE};
  p->location = (hys_hybrid_location){.name = "run", .rate = p->rate};
  p->automaton = (hys_hybrid){.name = "plant", .n = p->n};
}

static inline void plant_clear(plant *p, size_t m, size_t n_inputs) {
  memset(p, 0, sizeof *p);
  p->m = m;
  p->n_inputs = n_inputs;
}

/* kind 0..9: what the notes on soundness ask for; others: anything. */
static inline bool plant_random(plant *p, unsigned kind) {
  const size_t m = kind == 2 ? 1 : kind == 4 ? 4 : 1 + rng_below(STATES);
  const double size = exp2(any(-2.0, 3.0));

  plant_clear(p, m, kind == 4 || kind == 6 ? 1 : rng_below(INPUTS + 1));
  for (size_t i = 0; i < m; i++) {
    p->c[i] = rng_below(2) == 0 ? 0.0 : any(-1.0, 1.0);
    if (rng_below(4) == 0)
      p->slack[i] = hys_interval_make(any(-0.3, 0.0), any(0.0, 0.2));
    for (size_t j = 0; j < m; j++)
      p->a[i][j] = rng_below(3) == 0 ? 0.0 : any(-1.0, 1.0) * size / (double)m;
    for (size_t j = 0; j < p->n_inputs; j++)
      p->b[i][j] = rng_below(2) == 0 ? 0.0 : any(-1.0, 1.0);
  }
  if (kind == 0 || kind == 6) /* A = 0 */
    memset(p->a, 0, sizeof p->a);
  if (kind == 1 && m > 1) /* singular */
    memcpy(p->a[0], p->a[1], sizeof p->a[0]);
  if (kind == 3 && m > 1) /* nilpotent */
    for (size_t i = 0; i < m; i++)
      for (size_t j = 0; j <= i; j++)
        p->a[i][j] = 0.0;
  if (kind ==
      4) { /* a chain of integrators, the input in the last: b reaches the first in the fourth order only */
    memset(p->a, 0, sizeof p->a);
    memset(p->b, 0, sizeof p->b);
    memset(p->slack, 0, sizeof p->slack);
    memset(p->c, 0, sizeof p->c);
    for (size_t i = 0; i + 1 < m; i++)
      p->a[i][i + 1] = 1.0;
    p->b[m - 1][0] = 1.0;
  }
  if (kind == 5) /* an input in one row only */
    for (size_t i = 1; i < m; i++)
      memset(p->b[i], 0, sizeof p->b[i]);
  if (kind == 6) { /* at 0 with w = 1 */
    memset(p->b, 0, sizeof p->b);
    memset(p->slack, 0, sizeof p->slack);
    for (size_t i = 0; i < m; i++)
      p->c[i] = 1.0;
  }
  plant_build(p);
  for (size_t j = p->m; j < p->n; j++) {
    const double center = kind % 2 == 0 ? 0.0 : any(-2.0, 2.0),
                 radius = rng_below(5) == 0 ? 0.0 : any(0.0, 1.0);
    p->free_box[j] = hys_interval_make(center - radius, center + radius);
  }
  if (!CHECK_INT(hys_zonotope_open(&p->x0, p->n, p->n + 2, NULL), HYS_OK))
    return false;
  for (size_t i = 0; i < p->m && kind != 6; i++)
    p->x0.center[i] = any(-2.0, 2.0);
  if (kind != 6 && kind != 7) { /* 7: a point */
    p->x0.g = rng_below((unsigned)p->m + 2);
    for (size_t k = 0; k < p->x0.g; k++)
      for (size_t i = 0; i < p->n; i++)
        p->x0.generator[k * p->n + i] = i < p->m && (rng_below(2) == 0 || i == k) ? any(-0.3, 0.3) : 0.0;
    for (size_t i = 0; i < p->m; i++)
      p->x0.radius[i] = rng_below(3) == 0 ? any(0.0, 0.2) : 0.0;
  }
  return true;
}

static inline void plant_close(plant *p) {
  hys_zonotope_close(&p->x0);
}

/* ---- exact trajectories ---- */

/* A corner of the start set, or a point of it. */
static inline void plant_start(const plant *p, arb_ptr x, bool corner) {
  arb_t t;

  arb_init(t);
  for (size_t i = 0; i < p->m; i++)
    arb_set_d(&x[i], p->x0.center[i]);
  for (size_t k = 0; k < p->x0.g + p->m; k++) {
    const double f = corner ? (rng_below(2) == 0 ? -1.0 : 1.0) : any(-1.0, 1.0);
    for (size_t i = 0; i < p->m; i++) {
      const double g = k < p->x0.g ? p->x0.generator[k * p->n + i] : k - p->x0.g == i ? p->x0.radius[i] : 0.0;
      arb_set_d(t, g);
      arb_mul_si(t, t, 1, BITS);
      {
        arb_t factor;
        arb_init(factor);
        arb_set_d(factor, f);
        arb_addmul(&x[i], t, factor, BITS);
        arb_clear(factor);
      }
    }
  }
  arb_clear(t);
}

/* One value a variable: inputs, and what slack adds to the states. */
static inline void plant_inputs(const plant *p, double *u, bool corner) {
  for (size_t i = 0; i < p->n; i++) {
    const hys_interval v = i < p->m ? p->slack[i] : p->free_box[i];
    const unsigned way = corner ? rng_below(2) : 2;
    u[i] = way == 0 ? v.lo : way == 1 ? v.hi : v.lo + (v.hi - v.lo) * rng_unit();
    u[i] = fmin(fmax(u[i], v.lo), v.hi);
  }
}

/* x := the state t s later, with these inputs all the time. */
static inline void plant_flow(const plant *p, arb_ptr x, const double *u, double t) {
  const slong m = (slong)p->m;
  arb_mat_t a;
  arb_t f, sum;
  arb_ptr y = _arb_vec_init(m);

  arb_mat_init(a, m + 1, m + 1);
  arb_init(f);
  arb_init(sum);
  for (slong i = 0; i < m; i++) {
    for (slong j = 0; j < m; j++)
      arb_set_d(arb_mat_entry(a, i, j), p->a[i][j]);
    arb_set_d(sum, p->c[i]);
    arb_set_d(f, u[i]);
    arb_add(sum, sum, f, BITS);
    for (size_t j = 0; j < p->n_inputs; j++) {
      arb_t g;
      arb_init(g);
      arb_set_d(f, p->b[i][j]);
      arb_set_d(g, u[p->m + j]);
      arb_addmul(sum, f, g, BITS);
      arb_clear(g);
    }
    arb_set(arb_mat_entry(a, i, m), sum);
  }
  arb_set_d(f, t);
  arb_mat_scalar_mul_arb(a, a, f, BITS);
  arb_mat_exp(a, a, BITS);
  for (slong i = 0; i < m; i++) {
    arb_set(&y[i], arb_mat_entry(a, i, m));
    for (slong j = 0; j < m; j++)
      arb_addmul(&y[i], arb_mat_entry(a, i, j), &x[j], BITS);
  }
  for (slong i = 0; i < m; i++)
    arb_set(&x[i], &y[i]);
  _arb_vec_clear(y, m);
  arb_mat_clear(a);
  arb_clear(f);
  arb_clear(sum);
}

/* The row at a state; inputs as they are then. */
static inline void plant_row(const plant *p, const hys_affine *row, arb_srcptr x, const double *u,
                             arb_t value) {
  arb_t f, g;

  arb_init(f);
  arb_init(g);
  arb_set_d(value, row->constant.lo);
  for (uint32_t t = 0; t < row->n; t++) {
    const uint32_t i = row->term[t].variable;
    arb_set_d(f, row->term[t].coef.lo);
    if (i < p->m) {
      arb_addmul(value, f, &x[i], BITS);
    } else {
      arb_set_d(g, u[i]);
      arb_addmul(value, f, g, BITS);
    }
  }
  arb_clear(f);
  arb_clear(g);
}

/* The whole ball of value lies in x. */
static inline bool holds(hys_interval x, const arb_t value) {
  arf_t b;
  bool inside;

  arf_init(b);
  arb_get_lbound_arf(b, value, BITS);
  inside = arf_cmp_d(b, x.lo) >= 0;
  arb_get_ubound_arf(b, value, BITS);
  inside = inside && arf_cmp_d(b, x.hi) <= 0;
  arf_clear(b);
  return inside;
}

static inline double middle(const arb_t value) {
  return arf_get_d(arb_midref(value), ARF_RND_NEAR);
}

#endif
