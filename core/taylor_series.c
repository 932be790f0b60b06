/* Programs run: on boxes, on polynomials, with their derivatives by the unknowns. */
#include <math.h>
#include <string.h>

#include "core/rounding.h"
#include "core/taylor_program.h"

static const hys_interval zero = {0.0, 0.0};

void hysi_tp_bend_choose(hysi_tp_bend *bend, hys_interval d) {
  *bend = (hysi_tp_bend){d, d.lo >= 0.0 ? 1.0 : -1.0, 0.0, 0.0};
  if (!(d.lo < 0.0 && d.hi > 0.0))
    return;
  /* the chord from (lo, -lo) to (hi, hi) lies above |a|, by c at most; rounding is left to the radius */
  const double slope = (d.hi + d.lo) / (d.hi - d.lo), c = -2.0 * d.lo * (d.hi / (d.hi - d.lo));
  bend->slope = slope;
  bend->offset = 0.5 * c;
  bend->radius = hysi_up(0.5 * c + 0x1p-50 * (d.hi - d.lo));
}

uint32_t hysi_tp_program_bent(const hysi_tp_program *p, uint32_t k) {
  for (uint32_t i = 0; i < p->n; i++)
    if (p->op[i].kind == HYSI_TP_ABS && k-- == 0)
      return p->op[i].a;
  return 0;
}

static hys_interval function_value(hysi_function f, hys_interval x, hys_interval exponent) {
  hys_interval out[2];

  hysi_function_series(f, exponent, x, 1, out);
  return out[0];
}

static hys_interval bent(const hysi_tp_bend *b, hys_interval a, bool whole) {
  const hys_interval v = hys_interval_mul_scalar(a, b->slope);

  if (b->offset == 0.0 && b->radius == 0.0)
    return v;
  return hys_interval_add(
      v, whole ? hys_interval_make(hys_sub_down(b->offset, b->radius), hys_add_up(b->offset, b->radius))
               : hys_interval_point(b->offset));
}

void hysi_tp_values(const hysi_tp_program *p, const hys_interval *state, const hys_interval *input,
                    const hysi_tp_bend *bend, hys_interval *v) {
  uint32_t abs = 0;

  for (uint32_t k = 0; k < p->n; k++) {
    const hysi_tp_op *o = &p->op[k];
    switch ((hysi_tp_kind)o->kind) {
    case HYSI_TP_CONSTANT:
      v[k] = o->value;
      break;
    case HYSI_TP_STATE:
      v[k] = state[o->a];
      break;
    case HYSI_TP_INPUT:
      v[k] = input[o->a];
      break;
    case HYSI_TP_ADD:
      v[k] = hys_interval_add(v[o->a], v[o->b]);
      break;
    case HYSI_TP_SUB:
      v[k] = hys_interval_sub(v[o->a], v[o->b]);
      break;
    case HYSI_TP_NEG:
      v[k] = hys_interval_neg(v[o->a]);
      break;
    case HYSI_TP_MUL:
      v[k] = hys_interval_mul(v[o->a], v[o->b]);
      break;
    case HYSI_TP_SQR:
      v[k] = hys_interval_sqr(v[o->a]);
      break;
    case HYSI_TP_DIV:
      v[k] =
          v[o->b].lo > 0.0 || v[o->b].hi < 0.0 ? hys_interval_div(v[o->a], v[o->b]) : hys_interval_entire();
      break;
    case HYSI_TP_CHAIN:
      v[k] = function_value((hysi_function)o->function, v[o->a], o->value);
      break;
    case HYSI_TP_ABS:
      v[k] = bend != NULL ? bent(&bend[abs++], v[o->a], true) : hys_interval_abs(v[o->a]);
      break;
    }
  }
}

/* ---- boxes ---- */

static hys_interval product(const hys_interval *a, const hys_interval *b, unsigned i) {
  hys_interval sum = zero;

  for (unsigned j = 0; j <= i; j++)
    sum = hys_interval_add(sum, hys_interval_mul(a[j], b[i - j]));
  return sum;
}

static hys_interval square(const hys_interval *a, unsigned i) {
  hys_interval sum = zero;

  for (unsigned j = 0; 2 * j < i; j++)
    sum = hys_interval_add(sum, hys_interval_mul(a[j], a[i - j]));
  sum = hys_interval_mul_scalar(sum, 2.0);
  return i % 2 == 0 ? hys_interval_add(sum, hys_interval_sqr(a[i / 2])) : sum;
}

static hys_interval quotient(const hys_interval *a, const hys_interval *b, const hys_interval *c,
                             unsigned i) {
  hys_interval sum = a[i];

  if (!(b[0].lo > 0.0 || b[0].hi < 0.0))
    return hys_interval_entire();
  for (unsigned j = 1; j <= i; j++)
    sum = hys_interval_sub(sum, hys_interval_mul(b[j], c[i - j]));
  return hys_interval_div(sum, b[0]);
}

static hys_interval chained(const hysi_tp_op *o, const hys_interval *u, const hys_interval *q, unsigned i) {
  hys_interval sum = zero;

  for (unsigned j = 1; j <= i; j++)
    sum = hys_interval_add(sum, hys_interval_mul(hys_interval_mul_scalar(u[j], (double)j), q[i - j]));
  sum = hys_interval_div(sum, hys_interval_point((double)i));
  return o->sign < 0.0 ? hys_interval_neg(sum) : sum;
}

void hysi_tp_box_series(const hysi_tp_program *p, const uint32_t *rate, size_t m, const hys_interval *state,
                        const hys_interval *input, const hysi_tp_bend *bend, unsigned order,
                        hys_interval *series, hys_interval *states) {
  const size_t w = order + 1, ws = order + 2;

  for (size_t v = 0; v < m; v++)
    states[v * ws] = state[v];
  for (unsigned i = 0; i <= order; i++) {
    uint32_t abs = 0;
    for (uint32_t k = 0; k < p->n; k++) {
      const hysi_tp_op *o = &p->op[k];
      hys_interval *out = series + k * w;
      const hys_interval *a = series + o->a * w, *b = series + o->b * w;
      switch ((hysi_tp_kind)o->kind) {
      case HYSI_TP_CONSTANT:
        out[i] = i == 0 ? o->value : zero;
        break;
      case HYSI_TP_STATE:
        out[i] = states[o->a * ws + i];
        break;
      case HYSI_TP_INPUT:
        out[i] = i == 0 ? input[o->a] : zero;
        break;
      case HYSI_TP_ADD:
        out[i] = hys_interval_add(a[i], b[i]);
        break;
      case HYSI_TP_SUB:
        out[i] = hys_interval_sub(a[i], b[i]);
        break;
      case HYSI_TP_NEG:
        out[i] = hys_interval_neg(a[i]);
        break;
      case HYSI_TP_MUL:
        out[i] = product(a, b, i);
        break;
      case HYSI_TP_SQR:
        out[i] = square(a, i);
        break;
      case HYSI_TP_DIV:
        out[i] = quotient(a, b, out, i);
        break;
      case HYSI_TP_CHAIN:
        out[i] = i == 0 ? function_value((hysi_function)o->function, a[0], o->value) : chained(o, a, b, i);
        break;
      case HYSI_TP_ABS:
        out[i] = i == 0 ? bent(&bend[abs], a[0], false) : hys_interval_mul_scalar(a[i], bend[abs].slope);
        abs++;
        break;
      }
    }
    for (size_t v = 0; v < m; v++)
      states[v * ws + i + 1] =
          i == 0 ? series[rate[v] * w]
                 : hys_interval_div(series[rate[v] * w + i], hys_interval_point((double)(i + 1)));
  }
}

/* ---- derivatives ---- */

void hysi_tp_gradient(const hysi_tp_program *p, const hys_interval *value, const hysi_tp_bend *bend, size_t m,
                      const uint32_t *column_input, size_t n_inputs, hys_interval *gradient) {
  const size_t columns = m + n_inputs + p->n_abs;
  uint32_t abs = 0;

  for (uint32_t k = 0; k < p->n; k++) {
    const hysi_tp_op *o = &p->op[k];
    hys_interval *g = gradient + k * columns;
    const hys_interval *ga = gradient + o->a * columns, *gb = gradient + o->b * columns;
    const hys_interval a = value[o->a], b = value[o->b];
    for (size_t c = 0; c < columns; c++) {
      switch ((hysi_tp_kind)o->kind) {
      case HYSI_TP_CONSTANT:
        g[c] = zero;
        break;
      case HYSI_TP_STATE:
        g[c] = hys_interval_point(c == o->a ? 1.0 : 0.0);
        break;
      case HYSI_TP_INPUT:
        g[c] = hys_interval_point(c >= m && c < m + n_inputs && column_input[c - m] == o->a ? 1.0 : 0.0);
        break;
      case HYSI_TP_ADD:
        g[c] = hys_interval_add(ga[c], gb[c]);
        break;
      case HYSI_TP_SUB:
        g[c] = hys_interval_sub(ga[c], gb[c]);
        break;
      case HYSI_TP_NEG:
        g[c] = hys_interval_neg(ga[c]);
        break;
      case HYSI_TP_MUL:
        g[c] = hys_interval_add(hys_interval_mul(ga[c], b), hys_interval_mul(a, gb[c]));
        break;
      case HYSI_TP_SQR:
        g[c] = hys_interval_mul_scalar(hys_interval_mul(ga[c], a), 2.0);
        break;
      case HYSI_TP_DIV: /* (a' - (a/b) b') / b */
        g[c] = hys_interval_div(hys_interval_sub(ga[c], hys_interval_mul(value[k], gb[c])), b);
        break;
      case HYSI_TP_CHAIN:
        g[c] = hys_interval_mul(o->sign < 0.0 ? hys_interval_neg(b) : b, ga[c]);
        break;
      case HYSI_TP_ABS:
        g[c] = hys_interval_mul_scalar(ga[c], bend[abs].slope);
        if (c == m + n_inputs + abs)
          g[c] = hys_interval_add(g[c], hys_interval_point(1.0));
        break;
      }
    }
    abs += o->kind == HYSI_TP_ABS;
  }
}

/* ---- polynomials ---- */

/* Where coefficients of an operation are: those of a state with the states. */
typedef struct run {
  const hysi_tp_space *s;
  const hysi_tp_program *p;
  hysi_tp *series, *states;
  size_t width;
} run;

static hysi_tp *at(const run *r, uint32_t k, unsigned i) {
  const hysi_tp_op *o = &r->p->op[k];

  return o->kind == HYSI_TP_STATE ? &r->states[o->a * r->width + i] : &r->series[k * r->width + i];
}

static void scale(const hysi_tp_space *s, hysi_tp *out, const hysi_tp *a, double factor) {
  double error;

  hysi_tp_copy(s, out, a);
  if (factor == 1.0)
    return;
  for (size_t j = 0; j < s->size; j++)
    out->c[j] *= factor;
  error = fabs(factor) * a->error;
  hysi_tp_measure(s, out);
  if (factor != -1.0)
    error += 0x1.001p-53 * hysi_tp_total(s, out);
  out->error = error > 0.0 ? hysi_up(error) : 0.0;
}

static void add_number(const hysi_tp_space *s, hysi_tp *out, double x) {
  const double sum = out->c[0] + x;

  if (x == 0.0)
    return;
  out->c[0] = sum;
  out->error = hysi_up(out->error + 0x1.001p-53 * fabs(sum));
  hysi_tp_measure(s, out);
}

static bool one(const run *r, uint32_t k, unsigned i, const double *input, const hysi_tp_bend *bend,
                hysi_tp *inverse, hysi_tp *work) {
  const hysi_tp_space *s = r->s;
  const hysi_tp_op *o = &r->p->op[k];
  hysi_tp *out = at(r, k, i);

  switch ((hysi_tp_kind)o->kind) {
  case HYSI_TP_STATE:
    return true;
  case HYSI_TP_CONSTANT:
    if (i == 0)
      hysi_tp_constant(s, out, o->value);
    else
      hysi_tp_zero(s, out);
    return out->error < HYSI_INF;
  case HYSI_TP_INPUT:
    hysi_tp_constant(s, out, hys_interval_point(i == 0 ? input[o->a] : 0.0));
    return true;
  case HYSI_TP_ADD:
  case HYSI_TP_SUB:
    hysi_tp_add(s, out, at(r, o->a, i), o->kind == HYSI_TP_ADD ? 1.0 : -1.0, at(r, o->b, i));
    return out->error < HYSI_INF;
  case HYSI_TP_NEG:
    scale(s, out, at(r, o->a, i), -1.0);
    return true;
  case HYSI_TP_ABS:
    scale(s, out, at(r, o->a, i), bend->slope);
    if (i == 0)
      add_number(s, out, bend->offset);
    return out->error < HYSI_INF;
  case HYSI_TP_MUL:
    hysi_tp_zero(s, out);
    for (unsigned j = 0; j <= i; j++)
      hysi_tp_multiply_add(s, out, 1.0, at(r, o->a, j), at(r, o->b, i - j), i + 1);
    break;
  case HYSI_TP_SQR:
    hysi_tp_zero(s, out);
    for (unsigned j = 0; 2 * j < i; j++)
      hysi_tp_multiply_add(s, out, 2.0, at(r, o->a, j), at(r, o->a, i - j), i + 1);
    if (i % 2 == 0)
      hysi_tp_multiply_add(s, out, 1.0, at(r, o->a, i / 2), at(r, o->a, i / 2), i + 1);
    break;
  case HYSI_TP_DIV:
    if (i == 0 && !hysi_tp_compose(s, inverse, HYSI_INVERSE, zero, at(r, o->b, 0), work))
      return false;
    {
      hysi_tp *sum = &work[2];
      hysi_tp_zero(s, sum);
      for (unsigned j = 1; j <= i; j++)
        hysi_tp_multiply_add(s, sum, -1.0, at(r, o->b, j), at(r, k, i - j), i + 1);
      hysi_tp_measure(s, sum);
      hysi_tp_add(s, sum, sum, 1.0, at(r, o->a, i));
      hysi_tp_zero(s, out);
      hysi_tp_multiply_add(s, out, 1.0, sum, inverse, 1);
    }
    break;
  case HYSI_TP_CHAIN:
    if (i == 0)
      return hysi_tp_compose(s, out, (hysi_function)o->function, o->value, at(r, o->a, 0), work);
    hysi_tp_zero(s, out);
    for (unsigned j = 1; j <= i; j++)
      hysi_tp_multiply_add(s, out, o->sign * (double)j, at(r, o->a, j), at(r, o->b, i - j), i + 1);
    hysi_tp_measure(s, out);
    hysi_tp_divide(s, out, (double)i);
    return out->error < HYSI_INF;
  }
  hysi_tp_measure(s, out);
  return out->error < HYSI_INF;
}

bool hysi_tp_poly_series(const hysi_tp_space *s, const hysi_tp_program *p, const uint32_t *rate, size_t m,
                         const double *input, const hysi_tp_bend *bend, unsigned order, hysi_tp *series,
                         hysi_tp *states, hysi_tp *inverse, hysi_tp *work) {
  const run r = {s, p, series, states, order + 1};

  for (unsigned i = 0; i <= order; i++) {
    uint32_t abs = 0, div = 0;
    if (i < order || order == 0)
      for (uint32_t k = 0; k < p->n; k++) {
        if (!one(&r, k, i, input, bend != NULL ? bend + abs : NULL, inverse != NULL ? inverse + div : NULL,
                 work))
          return false;
        abs += p->op[k].kind == HYSI_TP_ABS;
        div += p->op[k].kind == HYSI_TP_DIV;
      }
    if (i == order)
      break;
    for (size_t v = 0; v < m; v++) {
      hysi_tp *next = &states[v * r.width + i + 1];
      hysi_tp_copy(s, next, at(&r, rate[v], i));
      hysi_tp_divide(s, next, (double)(i + 1));
      if (!(next->error < HYSI_INF))
        return false;
    }
  }
  return true;
}

bool hysi_tp_poly_values(const hysi_tp_space *s, const hysi_tp_program *p, hysi_tp *state,
                         const hys_interval *input, hysi_tp *series, hysi_tp *work) {
  const run r = {s, p, series, state, 1};

  for (uint32_t k = 0; k < p->n; k++) {
    const hysi_tp_op *o = &p->op[k];
    bool good = true;
    if (o->kind == HYSI_TP_INPUT) {
      hysi_tp_constant(s, at(&r, k, 0), input[o->a]);
      good = at(&r, k, 0)->error < HYSI_INF;
    } else if (o->kind == HYSI_TP_ABS) {
      hysi_tp_bend bend;
      hysi_tp *out = at(&r, k, 0);
      hysi_tp_bend_choose(&bend, hysi_tp_crude(s, at(&r, o->a, 0)));
      good = one(&r, k, 0, NULL, &bend, NULL, work);
      if (bend.radius > 0.0)
        out->error = hys_add_up(out->error, bend.radius);
    } else {
      good = one(&r, k, 0, NULL, NULL, &work[3], work);
    }
    if (!good)
      return false;
  }
  return true;
}
