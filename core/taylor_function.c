/* Functions of truncated polynomials, by their Taylor series at the constant. */
#include <math.h>

#include "core/rounding.h"
#include "core/taylor_poly.h"

static hys_interval integer(unsigned i) {
  return hys_interval_point((double)i);
}

static void all_entire(unsigned order, hys_interval *out) {
  for (unsigned j = 0; j <= order; j++)
    out[j] = hys_interval_entire();
}

/* g with g' = 1 + sign g^2. */
static void riccati(double sign, unsigned order, hys_interval *out) {
  for (unsigned j = 0; j < order; j++) {
    hys_interval q = hys_interval_point(j == 0 ? 1.0 : 0.0), sum = hys_interval_point(0.0);
    for (unsigned i = 0; i <= j; i++)
      sum = hys_interval_add(sum, j % 2 == 0 && i == j / 2 ? hys_interval_sqr(out[i])
                                                           : hys_interval_mul(out[i], out[j - i]));
    q = sign > 0.0 ? hys_interval_add(q, sum) : hys_interval_sub(q, sum);
    out[j + 1] = hys_interval_div(q, integer(j + 1));
  }
}

static void arc_tangent(hys_interval u, unsigned order, hys_interval *out) {
  const hys_interval w0 = hys_interval_add(hys_interval_point(1.0), hys_interval_sqr(u));
  const hys_interval w1 = hys_interval_mul_scalar(u, 2.0);
  hys_interval q0 = hys_interval_div(hys_interval_point(1.0), w0), q1 = hys_interval_point(0.0);

  for (unsigned j = 0; j < order; j++) {
    const hys_interval next =
        hys_interval_div(hys_interval_neg(hys_interval_add(hys_interval_mul(w1, q0), q1)), w0);
    out[j + 1] = hys_interval_div(q0, integer(j + 1));
    q1 = q0;
    q0 = next;
  }
}

static void power(hys_interval a, hys_interval u, unsigned order, hys_interval *out) {
  hys_interval binomial = hys_interval_point(1.0);

  for (unsigned j = 0; j <= order; j++) {
    out[j] = hys_interval_mul(binomial, hys_interval_pow(u, hys_interval_sub(a, integer(j))));
    binomial = hys_interval_div(hys_interval_mul(binomial, hys_interval_sub(a, integer(j))), integer(j + 1));
  }
}

void hysi_function_series(hysi_function f, hys_interval exponent, hys_interval u, unsigned order,
                          hys_interval *out) {
  if (!(fabs(u.lo) <= DBL_MAX && fabs(u.hi) <= DBL_MAX)) {
    all_entire(order, out);
    return;
  }
  switch (f) {
  case HYSI_EXP:
    out[0] = hys_interval_exp(u);
    for (unsigned j = 1; j <= order; j++)
      out[j] = hys_interval_div(out[j - 1], integer(j));
    break;
  case HYSI_SIN:
  case HYSI_COS: {
    const hys_interval sine = hys_interval_sin(u), cosine = hys_interval_cos(u);
    hys_interval factorial = hys_interval_point(1.0);
    for (unsigned j = 0; j <= order; j++) {
      const unsigned turn = (j + (f == HYSI_COS ? 1U : 0U)) % 4;
      const hys_interval value = turn % 2 == 0 ? sine : cosine;
      if (j > 0)
        factorial = hys_interval_mul(factorial, integer(j));
      out[j] = hys_interval_div(turn < 2 ? value : hys_interval_neg(value), factorial);
      if (j == 0)
        out[j] = turn < 2 ? value : hys_interval_neg(value);
    }
    break;
  }
  case HYSI_TAN:
    out[0] = hys_interval_tan(u);
    riccati(1.0, order, out);
    break;
  case HYSI_TANH:
    out[0] = hys_interval_tanh(u);
    riccati(-1.0, order, out);
    break;
  case HYSI_ATAN:
    out[0] = hys_interval_atan(u);
    arc_tangent(u, order, out);
    break;
  case HYSI_LOG:
    if (!(u.lo > 0.0)) {
      all_entire(order, out);
      break;
    }
    out[0] = hys_interval_log(u);
    for (unsigned j = 1; j <= order; j++) {
      const hys_interval q = hys_interval_div(hys_interval_pow_int(u, -(int)j), integer(j));
      out[j] = j % 2 == 1 ? q : hys_interval_neg(q);
    }
    break;
  case HYSI_POWER:
    if (u.lo > 0.0)
      power(exponent, u, order, out);
    else
      all_entire(order, out);
    break;
  case HYSI_INVERSE:
    if (!(u.lo > 0.0 || u.hi < 0.0)) {
      all_entire(order, out);
      break;
    }
    for (unsigned j = 0; j <= order; j++) {
      const hys_interval q =
          j == 0 ? hys_interval_div(hys_interval_point(1.0), u) : hys_interval_pow_int(u, -(int)(j + 1));
      out[j] = j % 2 == 0 ? q : hys_interval_neg(q);
    }
    break;
  }
}

static bool bounded(hys_interval a) {
  return fabs(a.lo) <= DBL_MAX && fabs(a.hi) <= DBL_MAX;
}

/* Horner's scheme in d = u - constant; the series ends at the degree, or earlier where d is only noise, with
 * the next coefficient over the whole range for the rest. */
bool hysi_tp_compose(const hysi_tp_space *s, hysi_tp *p, hysi_function f, hys_interval exponent,
                     const hysi_tp *u, hysi_tp *work) {
  const unsigned order = s->degree > 1 ? s->degree : 1;
  const double spread = hys_add_up(hysi_tp_spread(s, u), u->error);
  hys_interval at[HYSI_TP_MAX_DEGREE + 3], over[HYSI_TP_MAX_DEGREE + 3];
  hysi_tp *d = &work[0], *next = &work[1];
  double rest;

  hysi_function_series(f, exponent, hys_interval_point(u->c[0]), order, at);
  hysi_function_series(f, exponent, hysi_tp_crude(s, u), order + 1, over);
  if (!bounded(over[order + 1]) || !(spread < HYSI_INF)) {
    hysi_tp_constant(s, p, hys_interval_entire());
    return false;
  }
  if (spread == 0.0) {
    hysi_tp_constant(s, p, at[0]);
    return p->error < HYSI_INF;
  }
  hysi_tp_copy(s, d, u);
  d->c[0] = d->norm[0] = 0.0;
  hysi_tp_constant(s, p, at[order]);
  for (unsigned j = order; j-- > 0;) {
    double *swap = p->c;
    const double mid = hys_interval_mid(at[j]);
    double sum;
    hysi_tp_zero(s, next);
    hysi_tp_multiply_add(s, next, 1.0, p, d, 1);
    sum = next->c[0] + mid;
    next->error = hysi_up(next->error + hys_interval_rad(at[j]) + 0x1.001p-53 * fabs(sum));
    next->c[0] = sum;
    hysi_tp_measure(s, next);
    *p = *next; /* the memory of the two is swapped */
    next->c = swap;
  }
  rest = hys_interval_mag(over[order + 1]);
  for (unsigned j = 0; j <= order; j++)
    rest = hys_mul_up(rest, spread);
  p->error = hys_add_up(p->error, rest);
  return p->error < HYSI_INF;
}
