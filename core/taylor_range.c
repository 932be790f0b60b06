#include "core/taylor_range.h"

#include <math.h>
#include <string.h>

#include "core/rounding.h"

static size_t monomials(const hysi_tp_space *s) {
  return s->upto[s->degree];
}

static size_t noises(const hysi_tp_space *s) {
  return s->n_eta + s->n_zeta;
}

void hysi_tp_scalar_from(const hysi_tp_space *s, hysi_tp_scalar *q, const double *c, double error) {
  double coupled = 0.0;

  memcpy(q->xi, c, monomials(s) * sizeof *c);
  for (size_t j = 0; j < s->n_eta; j++) {
    const double *e = c + s->eta + j * s->per_eta;
    q->noise[j] = e[0];
    for (size_t a = 1; a < s->per_eta; a++)
      coupled += fabs(e[a]);
  }
  memcpy(q->noise + s->n_eta, c + s->zeta, s->n_zeta * sizeof *c);
  q->error = coupled > 0.0 ? hysi_up(error + coupled) : error;
}

/* ---- polynomials in xi on a box ---- */

/* out := p at xi_v = mid + rad xi_v, |mid| + rad <= 1 (but for rounding).  The error of the coefficients, in
 * sum, is at most substitution_error times their sum. */
static void substitute(const hysi_tp_space *s, const double *p, size_t v, double mid, double rad,
                       double *out) {
  const size_t n = monomials(s);
  double mids[HYSI_TP_MAX_DEGREE + 1], rads[HYSI_TP_MAX_DEGREE + 1];

  mids[0] = rads[0] = 1.0;
  for (unsigned d = 1; d <= s->degree; d++) {
    mids[d] = mids[d - 1] * mid;
    rads[d] = rads[d - 1] * rad;
  }
  memset(out, 0, n * sizeof *out);
  for (size_t a = 0; a < n; a++) {
    const unsigned e = s->exponent[a * s->symbols + v];
    double binomial = 1.0;
    size_t at = a;
    if (p[a] == 0.0)
      continue;
    for (unsigned t = e;; t--) { /* C(e, t) mid^(e-t) rad^t */
      out[at] += p[a] * (binomial * mids[e - t] * rads[t]);
      if (t == 0)
        break;
      binomial = binomial * t / (double)(e - t + 1);
      at = s->below[at * s->symbols + v];
    }
  }
}

static double substitution_error(const hysi_tp_space *s) {
  return hysi_gamma(8 * (size_t)s->degree + 8);
}

static double size_of(const hysi_tp_space *s, const double *p) {
  double sum = 0.0;

  for (size_t a = 0; a < monomials(s); a++)
    sum += fabs(p[a]);
  return sum;
}

/* Upper bound of p; weight, if given, s->symbols numbers: what each symbol's nonlinear terms may be worth. */
static double bound(const hysi_tp_space *s, const double *p, double *weight) {
  const size_t n = monomials(s);
  double sum = p[0], size = fabs(p[0]);

  if (weight != NULL)
    memset(weight, 0, s->symbols * sizeof *weight);
  for (size_t v = 0; v < s->symbols && s->degree > 0; v++) {
    const double b = fabs(p[1 + v]);
    const size_t square = s->degree > 1 ? s->product[s->row[1 + v] + 1 + v] : 0;
    const double a = square != 0 ? p[square] : 0.0;
    size += b + fabs(a);
    sum += a < 0.0 && b < -2.0 * a ? 0.25 * b * (b / -a) : a + b;
  }
  for (size_t a = s->symbols + 1; a < n; a++) {
    const double c = fabs(p[a]);
    unsigned in = 0;
    if (c == 0.0)
      continue;
    for (size_t v = 0; v < s->symbols; v++)
      if (s->exponent[a * s->symbols + v] > 0) {
        in++;
        if (weight != NULL)
          weight[v] += c;
      }
    if (in == 1 && s->monomial_degree[a] == 2)
      continue;
    size += c;
    sum += s->even[a] && p[a] < 0.0 ? 0.0 : c;
  }
  return sum + hysi_gamma(2 * n + 16) * size + 0x1p-1000;
}

/* Symbols in which p grows all over the box are put at the end where it is largest. p and spare: both are
 * used, the result is returned. */
static double *fix_monotone(const hysi_tp_space *s, double *p, double *spare, double *error) {
  const size_t n = monomials(s);

  for (size_t v = 0; v < s->symbols && s->degree > 1; v++) {
    double others = 0.0;
    for (size_t a = s->symbols + 1; a < n; a++)
      others += s->exponent[a * s->symbols + v] * fabs(p[a]);
    if (others > 0.0 && fabs(p[1 + v]) > others * (1.0 + 0x1p-30)) {
      double *swap = p;
      *error += substitution_error(s) * size_of(s, p);
      substitute(s, p, v, p[1 + v] > 0.0 ? 1.0 : -1.0, 0.0, spare);
      p = spare;
      spare = swap;
    }
  }
  return p;
}

typedef struct piece {
  double *p;
  double error, top;
} piece;

/* Upper bound of a polynomial in xi over the box. */
static double branch(const hysi_tp_space *s, const double *xi, unsigned splits, double *work) {
  const size_t n = monomials(s);
  double *weight = work, *spare = work + s->symbols;
  piece pool[HYSI_TP_PIECES + 2];
  size_t used = 1;
  double most = -HYSI_INF, whole;

  pool[0].p = spare + n;
  pool[0].error = 0.0;
  memcpy(pool[0].p, xi, n * sizeof *xi);
  {
    double *fixed = fix_monotone(s, pool[0].p, spare, &pool[0].error);
    if (fixed != pool[0].p) {
      memcpy(pool[0].p, fixed, n * sizeof *xi);
    }
  }
  pool[0].top = bound(s, pool[0].p, NULL) + pool[0].error;
  whole = size_of(s, pool[0].p) - fabs(pool[0].p[0]);
  for (unsigned k = 0; k < splits && used < HYSI_TP_PIECES; k++) {
    size_t best = 0, v = 0;
    double slack = 0.0, heavy = 0.0;
    for (size_t i = 1; i < used; i++)
      if (pool[i].top > pool[best].top)
        best = i;
    bound(s, pool[best].p, weight);
    for (size_t i = 0; i < s->symbols; i++) {
      slack += weight[i];
      if (weight[i] > heavy) {
        heavy = weight[i];
        v = i;
      }
    }
    if (!(slack > 1e-3 * whole))
      break;
    {
      piece *one = &pool[best], *two = &pool[used];
      const double extra = substitution_error(s) * size_of(s, one->p);
      double *fixed;
      two->p = spare + (used + 1) * n;
      used++;
      two->error = one->error = one->error + extra;
      substitute(s, one->p, v, 0.5, 0.5, two->p);
      substitute(s, one->p, v, -0.5, 0.5, spare);
      memcpy(one->p, spare, n * sizeof *spare);
      fixed = fix_monotone(s, one->p, spare, &one->error);
      if (fixed != one->p)
        memcpy(one->p, fixed, n * sizeof *spare);
      fixed = fix_monotone(s, two->p, spare, &two->error);
      if (fixed != two->p)
        memcpy(two->p, fixed, n * sizeof *spare);
      one->top = fmin(one->top, bound(s, one->p, NULL) + hysi_up(one->error));
      two->top = bound(s, two->p, NULL) + hysi_up(two->error);
    }
  }
  for (size_t i = 0; i < used; i++)
    if (!(pool[i].top <= most))
      most = pool[i].top;
  return hys_add_up(most, 0x1p-50 * fabs(most));
}

size_t hysi_tp_scalar_work(const hysi_tp_space *s) {
  return s->symbols + (HYSI_TP_PIECES + 3) * monomials(s) + 2 * (s->symbols + noises(s));
}

/* ---- conditions ---- */

static double noise_size(const hysi_tp_space *s, const hysi_tp_scalar *q) {
  double sum = q->error;

  for (size_t j = 0; j < noises(s); j++)
    sum += fabs(q->noise[j]);
  return sum > 0.0 ? hysi_up(sum) : 0.0;
}

/* Bounds of the terms that are not linear. */
static double bent_size(const hysi_tp_space *s, const hysi_tp_scalar *q) {
  double sum = q->error;

  for (size_t a = s->symbols + 1; a < monomials(s); a++)
    sum += fabs(q->xi[a]);
  return sum > 0.0 ? hysi_up(sum) : 0.0;
}

static double linear(const hysi_tp_space *s, const hysi_tp_scalar *q, size_t i) {
  return i >= s->symbols ? q->noise[i - s->symbols] : s->degree > 0 ? q->xi[1 + i] : 0.0;
}

/* Narrows the symbols to where sign * cut may be <= 0; false: nowhere. */
static bool narrow(const hysi_tp_space *s, const hysi_tp_scalar *cut, double sign, double *lo, double *hi) {
  const size_t n = s->symbols + noises(s);
  double least = sign * cut->xi[0] - bent_size(s, cut), size = fabs(cut->xi[0]) + bent_size(s, cut), slack;

  for (size_t i = 0; i < n; i++) {
    const double c = sign * linear(s, cut, i);
    least += c > 0.0 ? c * lo[i] : c * hi[i];
    size += fabs(c);
  }
  slack = hysi_up(hysi_gamma(4 * n + 64) * size);
  if (!(size < HYSI_INF))
    return true;
  if (least - slack > 0.0)
    return false;
  for (size_t i = 0; i < n; i++) {
    const double c = sign * linear(s, cut, i);
    /* c x <= -(least - own) */
    if (!(fabs(c) > 0x1p-40 * size))
      continue;
    if (c > 0.0) {
      const double x = (slack - least + c * lo[i]) / c;
      hi[i] = fmin(hi[i], x + 0x1p-48 * (1.0 + fabs(x)));
    } else {
      const double x = (slack - least + c * hi[i]) / c;
      lo[i] = fmax(lo[i], x - 0x1p-48 * (1.0 + fabs(x)));
    }
    if (lo[i] > hi[i])
      return false;
  }
  return true;
}

static void restrict_to(const hysi_tp_space *s, hysi_tp_scalar *q, const double *lo, const double *hi,
                        double *spare) {
  double error = 0.0;

  for (size_t i = 0; i < s->symbols + noises(s); i++) {
    const double mid = 0.5 * (lo[i] + hi[i]), rad = fmax(hi[i] - mid, mid - lo[i]) * (1.0 + 0x1p-51);
    if (lo[i] == -1.0 && hi[i] == 1.0)
      continue;
    if (i < s->symbols) {
      if (s->degree == 0)
        continue;
      error += substitution_error(s) * size_of(s, q->xi);
      substitute(s, q->xi, i, mid, rad, spare);
      memcpy(q->xi, spare, monomials(s) * sizeof *spare);
    } else {
      double *x = &q->noise[i - s->symbols];
      error += 0x1p-51 * (fabs(q->xi[0]) + fabs(*x));
      q->xi[0] += *x * mid;
      *x *= rad;
    }
  }
  if (error > 0.0)
    q->error = hysi_up(q->error + error);
}

/* What  q - t cut  is worth in linear terms, |t| times the rest of cut included. */
static double value_at(const hysi_tp_space *s, const hysi_tp_scalar *q, const hysi_tp_scalar *cut,
                       double bent, double t) {
  double sum = q->xi[0] - t * cut->xi[0] + fabs(t) * bent;

  for (size_t i = 0; i < s->symbols + noises(s); i++)
    sum += fabs(linear(s, q, i) - t * linear(s, cut, i));
  return sum;
}

/* q := q - t cut for the t that makes the most of it; any t (>= 0 but for an equation) is sound. */
static void multiplier(const hysi_tp_space *s, hysi_tp_scalar *q, const hysi_tp_scalar *cut, bool equation) {
  const double bent = bent_size(s, cut);
  double best = 0.0, least = value_at(s, q, cut, bent, 0.0);

  for (size_t i = 0; i < s->symbols + noises(s); i++) {
    const double c = linear(s, cut, i), t = linear(s, q, i) / c;
    if (!(fabs(t) <= 1e12) || (!equation && t < 0.0))
      continue;
    const double value = value_at(s, q, cut, bent, t);
    if (value < least) {
      least = value;
      best = t;
    }
  }
  if (best == 0.0)
    return;
  double error = 0.0;
  for (size_t a = 0; a < monomials(s); a++) {
    error += fabs(q->xi[a]) + 2.0 * fabs(best * cut->xi[a]);
    q->xi[a] -= best * cut->xi[a];
  }
  for (size_t j = 0; j < noises(s); j++) {
    error += fabs(q->noise[j]) + 2.0 * fabs(best * cut->noise[j]);
    q->noise[j] -= best * cut->noise[j];
  }
  q->error = hysi_up(q->error + fabs(best) * cut->error + 0x1.01p-53 * error);
}

double hysi_tp_scalar_max(const hysi_tp_space *s, hysi_tp_scalar *q, hysi_tp_scalar *cut,
                          const bool *equation, size_t n_cuts, unsigned splits, double *work) {
  const size_t n = s->symbols + noises(s);
  double *lo = work, *hi = work + n, *rest = hi + n, top;

  if (n_cuts > 0) {
    for (size_t i = 0; i < n; i++) {
      lo[i] = -1.0;
      hi[i] = 1.0;
    }
    for (unsigned round = 0; round < 3; round++)
      for (size_t k = 0; k < n_cuts; k++)
        if (!narrow(s, &cut[k], 1.0, lo, hi) || (equation[k] && !narrow(s, &cut[k], -1.0, lo, hi)))
          return -HYSI_INF;
    restrict_to(s, q, lo, hi, rest);
    for (size_t k = 0; k < n_cuts; k++) {
      hysi_tp_scalar *c = &cut[k];
      restrict_to(s, c, lo, hi, rest);
      /* no place at all: the least value is positive, or, of an equation, the largest negative */
      if (equation[k]) {
        const double up = branch(s, c->xi, 4, rest) + noise_size(s, c);
        if (up < 0.0)
          return -HYSI_INF;
      }
    }
    for (unsigned round = 0; round < 3; round++)
      for (size_t k = 0; k < n_cuts; k++)
        if (cut[k].error < HYSI_INF)
          multiplier(s, q, &cut[k], equation[k]);
  }
  top = branch(s, q->xi, splits, rest);
  top = hys_add_up(top, noise_size(s, q));
  return top == top ? top : HYSI_INF;
}
