/* Truncated polynomials against 256-bit arithmetic: an operand is a polynomial at a point of its symbols plus
 * an error inside of its own; the result's polynomial at that point plus its error must hold the exact value.
 */
#include <math.h>
#include <string.h>

#include "core/taylor_poly.h"
#include "core/taylor_range.h"
#include "tests/prop/arb_support.h"

enum { BITS = 256, OPERANDS = 3 };

static hysi_tp_space space;
static hysi_tp poly[8];
static double *memory;
/* The point: xi, then eta, then zeta. */
static double at[32];

static double symmetric(void) {
  return 2.0 * rng_unit() - 1.0;
}

static bool open_space(size_t symbols, unsigned degree, unsigned coupling, size_t n_eta, size_t n_zeta) {
  if (!CHECK_INT(hysi_tp_space_open(&space, symbols, degree, coupling, n_eta, n_zeta, NULL), HYS_OK))
    return false;
  memory = calloc(8 * space.size, sizeof *memory);
  if (!CHECK(memory != NULL))
    return false;
  memset(poly, 0, sizeof poly);
  for (size_t i = 0; i < 8; i++)
    poly[i].c = memory + i * space.size;
  return true;
}

static void close_space(void) {
  free(memory);
  hysi_tp_space_close(&space);
}

static void draw_point(void) {
  const bool corner = rng_below(3) == 0;
  for (size_t i = 0; i < space.symbols + space.n_eta + space.n_zeta; i++)
    at[i] = corner ? (rng_below(2) == 0 ? -1.0 : 1.0) : symmetric();
}

static void draw(hysi_tp *p, double size, double error) {
  const unsigned kind = rng_below(5);
  hysi_tp_zero(&space, p);
  for (size_t i = 0; i < space.size; i++)
    if (i == 0 || rng_below(3) != 0)
      p->c[i] = i == 0 ? 2.0 * symmetric() : size * symmetric();
  if (kind == 0)
    memset(p->c + 1, 0, (space.size - 1) * sizeof *p->c);
  if (kind == 1)
    memset(p->c + space.eta, 0, (space.size - space.eta) * sizeof *p->c);
  hysi_tp_measure(&space, p);
  p->error = kind % 2 == 0 ? 0.0 : error;
}

/* The polynomial at the point, without its error. */
static void value(arb_t out, const hysi_tp *p) {
  arb_t term;
  arb_init(term);
  arb_zero(out);
  for (size_t k = 0; k < space.size; k++) {
    size_t a;
    if (k < space.eta)
      a = k;
    else
      a = k < space.zeta ? (k - space.eta) % space.per_eta : 0;
    arb_set_d(term, p->c[k]);
    for (size_t v = 0; v < space.symbols; v++)
      for (unsigned e = 0; e < space.exponent[a * space.symbols + v]; e++) {
        arb_t x;
        arb_init(x);
        arb_set_d(x, at[v]);
        arb_mul(term, term, x, BITS);
        arb_clear(x);
      }
    if (k >= space.eta) {
      const size_t noise = k < space.zeta ? (k - space.eta) / space.per_eta : space.n_eta + k - space.zeta;
      arb_t x;
      arb_init(x);
      arb_set_d(x, at[space.symbols + noise]);
      arb_mul(term, term, x, BITS);
      arb_clear(x);
    }
    arb_add(out, out, term, BITS);
  }
  arb_clear(term);
}

/* A value of the set: the polynomial and some part of the error. */
static void member(arb_t out, const hysi_tp *p) {
  arb_t shift;
  arb_init(shift);
  value(out, p);
  arb_set_d(shift, p->error * (rng_below(2) == 0 ? 1.0 : symmetric()));
  arb_add(out, out, shift, BITS);
  arb_clear(shift);
}

static bool holds(const hysi_tp *p, const arb_t exact) {
  arb_t v, e;
  bool good;
  if (!(p->error < HYSI_INF))
    return true;
  arb_init(v);
  arb_init(e);
  value(v, p);
  arb_sub(v, v, exact, BITS);
  arb_abs(v, v);
  arb_set_d(e, p->error);
  arb_sub(v, v, e, BITS);
  good = !arb_is_positive(v);
  arb_clear(v);
  arb_clear(e);
  return CHECK(good);
}

static const struct {
  size_t symbols;
  unsigned degree, coupling;
  size_t n_eta, n_zeta;
} shapes[] = {{0, 0, 0, 1, 2}, {1, 1, 0, 1, 2}, {1, 4, 2, 1, 2}, {2, 3, 1, 2, 3},
              {2, 6, 2, 2, 3}, {3, 3, 2, 3, 4}, {4, 2, 1, 4, 5}};

static bool norms_are_right(const hysi_tp *p) {
  double sum = 0.0;
  for (size_t i = 0; i < space.size; i++)
    sum += fabs(p->c[i]);
  return CHECK(hysi_tp_total(&space, p) >= sum * (1.0 - 0x1p-45));
}

static void over_shapes(void (*one)(void)) {
  for (unsigned s = 0; s < SEEDS; s++) {
    rng_state = seed_of(s);
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
      if (!open_space(shapes[k].symbols, shapes[k].degree, shapes[k].coupling, shapes[k].n_eta,
                      shapes[k].n_zeta))
        return;
      for (unsigned i = 0; i < 200; i++) {
        check_label("shape %zu, seed %u, case %u", k, s, i);
        draw_point();
        one();
      }
      close_space();
    }
  }
}

static void one_product(void) {
  arb_t x, y, sum;
  const unsigned terms = 1 + rng_below(3);
  arb_init(x);
  arb_init(y);
  arb_init(sum);
  hysi_tp_zero(&space, &poly[2]);
  for (unsigned t = 0; t < terms; t++) {
    const double factor = rng_below(2) == 0 ? 1.0 : -3.0;
    draw(&poly[0], 0.7, 1e-3);
    draw(&poly[1], 0.3, 1e-5);
    hysi_tp_multiply_add(&space, &poly[2], factor, &poly[0], &poly[1], terms);
    member(x, &poly[0]);
    member(y, &poly[1]);
    arb_mul(x, x, y, BITS);
    arb_set_d(y, factor);
    arb_mul(x, x, y, BITS);
    arb_add(sum, sum, x, BITS);
  }
  hysi_tp_measure(&space, &poly[2]);
  norms_are_right(&poly[2]);
  holds(&poly[2], sum);
  arb_clear(x);
  arb_clear(y);
  arb_clear(sum);
}

/* Without errors and inside of the degrees nothing but rounding is left. */
static void one_rounding(void) {
  arb_t x, y;
  arb_init(x);
  arb_init(y);
  draw(&poly[0], 0.7, 0.0);
  hysi_tp_zero(&space, &poly[1]);
  poly[1].c[0] = symmetric();
  hysi_tp_measure(&space, &poly[1]);
  poly[0].error = 0.0;
  hysi_tp_zero(&space, &poly[2]);
  hysi_tp_multiply_add(&space, &poly[2], 1.0, &poly[0], &poly[1], 1);
  hysi_tp_measure(&space, &poly[2]);
  CHECK(poly[2].error < 1e-12);
  value(x, &poly[0]);
  value(y, &poly[1]);
  arb_mul(x, x, y, BITS);
  holds(&poly[2], x);
  arb_clear(x);
  arb_clear(y);
}

static void one_sum(void) {
  const double sign = rng_below(2) == 0 ? 1.0 : -1.0;
  arb_t x, y, z;
  arb_init(x);
  arb_init(y);
  arb_init(z);
  draw(&poly[0], 0.7, 1e-3);
  draw(&poly[1], 0.3, 1e-5);
  member(x, &poly[0]);
  member(y, &poly[1]);
  hysi_tp_add(&space, &poly[2], &poly[0], sign, &poly[1]);
  if (sign > 0.0)
    arb_add(z, x, y, BITS);
  else
    arb_sub(z, x, y, BITS);
  holds(&poly[2], z);
  /* aliases: the same result, bit for bit */
  hysi_tp_copy(&space, &poly[3], &poly[0]);
  hysi_tp_copy(&space, &poly[4], &poly[1]);
  hysi_tp_add(&space, &poly[3], &poly[3], sign, &poly[1]);
  hysi_tp_add(&space, &poly[4], &poly[0], sign, &poly[4]);
  CHECK(memcmp(poly[3].c, poly[2].c, space.size * sizeof(double)) == 0 && poly[3].error == poly[2].error);
  CHECK(memcmp(poly[4].c, poly[2].c, space.size * sizeof(double)) == 0 && poly[4].error == poly[2].error);
  hysi_tp_divide(&space, &poly[2], 3.0);
  arb_div_ui(z, z, 3, BITS);
  holds(&poly[2], z);
  arb_clear(x);
  arb_clear(y);
  arb_clear(z);
}

static void exact_function(arb_t out, hysi_function f, const arb_t x) {
  switch (f) {
  case HYSI_EXP:
    arb_exp(out, x, BITS);
    break;
  case HYSI_LOG:
    arb_log(out, x, BITS);
    break;
  case HYSI_SIN:
    arb_sin(out, x, BITS);
    break;
  case HYSI_COS:
    arb_cos(out, x, BITS);
    break;
  case HYSI_TAN:
    arb_tan(out, x, BITS);
    break;
  case HYSI_TANH:
    arb_tanh(out, x, BITS);
    break;
  case HYSI_ATAN:
    arb_atan(out, x, BITS);
    break;
  case HYSI_POWER:
    arb_sqrt(out, x, BITS);
    break;
  case HYSI_INVERSE:
    arb_inv(out, x, BITS);
    break;
  }
}

static unsigned composed, refused;
static void one_function(void) {
  static const double sizes[] = {0.0, 1e-9, 1e-2, 0.05, 0.2};
  const hysi_function f = (hysi_function)rng_below(9);
  arb_t x, y;
  arb_init(x);
  arb_init(y);
  draw(&poly[0], sizes[rng_below(5)] / (1.0 + 0.05 * (double)space.size), 1e-4 * rng_unit());
  if (f == HYSI_LOG || f == HYSI_POWER)
    poly[0].c[0] = 0.6 + fabs(poly[0].c[0]);
  if (f == HYSI_INVERSE)
    poly[0].c[0] += poly[0].c[0] > 0.0 ? 0.6 : -0.6;
  if (f == HYSI_TAN)
    poly[0].c[0] *= 0.4;
  hysi_tp_measure(&space, &poly[0]);
  if (hysi_tp_compose(&space, &poly[2], f, hys_interval_point(0.5), &poly[0], &poly[3])) {
    composed++;
    member(x, &poly[0]);
    exact_function(y, f, x);
    check_label("function %d", (int)f);
    holds(&poly[2], y);
    if (hysi_tp_spread(&space, &poly[0]) + poly[0].error < 0.02)
      CHECK(poly[2].error < 0.05);
    norms_are_right(&poly[2]);
  } else {
    refused++;
  }
  arb_clear(x);
  arb_clear(y);
}

static void functions(void) {
  composed = refused = 0;
  over_shapes(one_function);
  CHECK(composed > 20 * refused);
}

/* A bound under conditions is one for every point that satisfies them; without conditions it is also near. */
static void one_bound(void) {
  hysi_tp_scalar q, cut[2];
  double *work = calloc(hysi_tp_scalar_work(&space) + 3 * (space.eta + 32), sizeof *work);
  const size_t n_cuts = rng_below(3);
  const bool equation[2] = {false, false};
  double bound, best = -HYSI_INF;
  if (!CHECK(work != NULL))
    return;
  double *own = work + hysi_tp_scalar_work(&space);
  for (size_t k = 0; k <= n_cuts; k++) {
    hysi_tp_scalar *s = k == 0 ? &q : &cut[k - 1];
    s->xi = own + k * (space.eta + 32);
    s->noise = s->xi + space.eta;
    draw(&poly[k], 0.5, 1e-3);
    hysi_tp_scalar_from(&space, s, poly[k].c, poly[k].error);
  }
  bound = hysi_tp_scalar_max(&space, &q, cut, equation, n_cuts, rng_below(2) == 0 ? 0 : 30, work);
  for (unsigned i = 0; i < 60; i++) {
    arb_t x;
    bool inside = true;
    double v;
    arb_init(x);
    draw_point();
    for (size_t k = 1; k <= n_cuts; k++) {
      value(x, &poly[k]);
      inside = inside && arf_get_d(arb_midref(x), ARF_RND_NEAR) - poly[k].error <= -1e-14;
    }
    value(x, &poly[0]);
    v = arf_get_d(arb_midref(x), ARF_RND_NEAR) + poly[0].error;
    if (inside) {
      best = fmax(best, v);
      CHECK(v <= bound + 1e-15 * fabs(v));
    }
    arb_clear(x);
  }
  if (n_cuts == 0)
    CHECK(bound <= poly[0].c[0] + hysi_tp_spread(&space, &poly[0]) + poly[0].error + 1e-9);
  free(work);
}

static void products(void) {
  over_shapes(one_product);
}
static void rounding(void) {
  over_shapes(one_rounding);
}
static void sums(void) {
  over_shapes(one_sum);
}
static void bounds(void) {
  over_shapes(one_bound);
}

/* (1 + xi)(1 - xi) with the square kept is exact; x^2 - 2x over [-1,1] is bounded by its vertex. */
static void sharp(void) {
  double xi[3] = {0.0, 2.0, -1.0}, noise[2] = {0.0, 0.0}, *work;
  hysi_tp_scalar q = {xi, noise, 0.0};
  if (!open_space(1, 2, 1, 1, 1))
    return;
  work = calloc(hysi_tp_scalar_work(&space), sizeof *work);
  if (CHECK(work != NULL)) {
    /* 2 xi - xi^2 <= 1 */
    CHECK_NEAR(hysi_tp_scalar_max(&space, &q, NULL, NULL, 0, 8, work), 1.0, 1e-12);
    hysi_tp_constant(&space, &poly[0], hys_interval_point(1.0));
    hysi_tp_constant(&space, &poly[1], hys_interval_point(1.0));
    poly[0].c[1] = 1.0;
    poly[1].c[1] = -1.0;
    hysi_tp_measure(&space, &poly[0]);
    hysi_tp_measure(&space, &poly[1]);
    hysi_tp_zero(&space, &poly[2]);
    hysi_tp_multiply_add(&space, &poly[2], 1.0, &poly[0], &poly[1], 1);
    CHECK_SAME(poly[2].c[0], 1.0);
    CHECK_SAME(poly[2].c[1], 0.0);
    CHECK_SAME(poly[2].c[2], -1.0);
    CHECK(poly[2].error < 1e-14);
  }
  free(work);
  close_space();
}

CHECK_MAIN("prop_taylor", {"products hold the exact ones", products}, {"rounding is accounted for", rounding},
           {"sums and quotients", sums}, {"functions", functions}, {"bounds with conditions", bounds},
           {"what is exact is exact", sharp})
