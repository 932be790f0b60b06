#include "core/taylor_poly.h"

#include <math.h>
#include <string.h>

#include "core/rounding.h"

/* ---- numbering ---- */

static const hys_allocator *of(const hysi_tp_space *s) {
  return s->has_allocator ? &s->allocator : NULL;
}

void hysi_tp_space_close(hysi_tp_space *s) {
  hys_release(of(s), s->monomial_degree);
  hys_release(of(s), s->exponent);
  hys_release(of(s), s->product);
  hys_release(of(s), s->row);
  hys_release(of(s), s->below);
  hys_release(of(s), s->even);
  memset(s, 0, sizeof *s);
}

/* A monomial is its parent times its last symbol, the largest that is in it; times[a * symbols + v] is the
 * number of xi^a xi_v. */
static hys_status number(hysi_tp_space *s, uint32_t *parent, uint32_t *last, uint32_t *times) {
  const size_t n = s->upto[s->degree], v_end = s->symbols;
  size_t made = 1, pairs = 0;

  parent[0] = last[0] = 0;
  s->monomial_degree[0] = 0;
  for (size_t a = 0; a < n && made < n; a++)
    for (size_t v = last[a]; v < v_end && made < n; v++) {
      parent[made] = (uint32_t)a;
      last[made] = (uint32_t)v;
      s->monomial_degree[made] = (uint8_t)(s->monomial_degree[a] + 1);
      memcpy(s->exponent + made * v_end, s->exponent + a * v_end, v_end);
      s->exponent[made * v_end + v]++;
      times[a * v_end + v] = (uint32_t)made++;
    }
  /* a xi_v with v below the last symbol: (parent xi_v) xi_last */
  for (size_t a = 1; a < n && s->monomial_degree[a] < s->degree; a++)
    for (size_t v = 0; v < last[a]; v++)
      times[a * v_end + v] = times[times[parent[a] * v_end + v] * v_end + last[a]];
  for (size_t a = 0; a < n; a++)
    pairs += s->upto[s->degree - s->monomial_degree[a]];
  s->product = hys_allocate(of(s), pairs * sizeof *s->product);
  if (s->product == NULL)
    return HYS_ERR_MEMORY;
  pairs = 0;
  for (size_t a = 0; a < n; a++) {
    const size_t m = s->upto[s->degree - s->monomial_degree[a]];
    uint32_t *row = s->product + pairs;
    s->row[a] = (uint32_t)pairs;
    row[0] = (uint32_t)a;
    for (size_t b = 1; b < m; b++)
      row[b] = times[row[parent[b]] * v_end + last[b]];
    pairs += m;
  }
  for (size_t a = 0; a < n && s->monomial_degree[a] < s->degree; a++)
    for (size_t v = 0; v < v_end; v++)
      s->below[times[a * v_end + v] * v_end + v] = (uint32_t)a;
  for (size_t a = 0; a < n; a++) {
    unsigned ways = 1;
    s->even[a] = true;
    for (size_t v = 0; v < v_end; v++) {
      ways *= s->exponent[a * v_end + v] + 1U;
      s->even[a] = s->even[a] && s->exponent[a * v_end + v] % 2 == 0;
    }
    if (ways > s->pairs[s->monomial_degree[a]])
      s->pairs[s->monomial_degree[a]] = ways;
  }
  return HYS_OK;
}

hys_status hysi_tp_space_open(hysi_tp_space *s, size_t symbols, unsigned degree, unsigned coupling,
                              size_t n_eta, size_t n_zeta, const hys_allocator *allocator) {
  hys_status status = HYS_ERR_MEMORY;
  uint32_t *work;
  size_t n;

  memset(s, 0, sizeof *s);
  if (degree > HYSI_TP_MAX_DEGREE || coupling > HYSI_TP_MAX_COUPLING || coupling > degree)
    return HYS_ERR_LIMIT;
  if (symbols == 0)
    degree = coupling = 0;
  if (allocator != NULL) {
    s->allocator = *allocator;
    s->has_allocator = true;
  }
  s->symbols = symbols;
  s->degree = degree;
  s->coupling = coupling;
  s->n_eta = n_eta;
  s->n_zeta = n_zeta;
  s->upto[0] = 1;
  for (unsigned d = 1; d <= degree; d++) { /* C(symbols + d, d) */
    s->upto[d] = s->upto[d - 1] * (symbols + d) / d;
    if (s->upto[d] > HYSI_TP_MAX_SIZE)
      return HYS_ERR_LIMIT;
  }
  n = s->upto[degree];
  s->per_eta = s->upto[coupling];
  s->eta = n;
  s->zeta = n + n_eta * s->per_eta;
  s->size = s->zeta + n_zeta;
  if (s->size > HYSI_TP_MAX_SIZE)
    return HYS_ERR_LIMIT;
  s->monomial_degree = hys_allocate(allocator, n);
  s->exponent = hys_allocate(allocator, n * symbols + 1);
  s->row = hys_allocate(allocator, n * sizeof *s->row);
  s->below = hys_allocate(allocator, (n * symbols + 1) * sizeof *s->below);
  s->even = hys_allocate(allocator, n * sizeof *s->even);
  work = hys_allocate(allocator, n * (symbols + 2) * sizeof *work);
  if (s->monomial_degree != NULL && s->exponent != NULL && s->row != NULL && s->below != NULL &&
      s->even != NULL && work != NULL) {
    memset(s->exponent, 0, n * symbols + 1);
    memset(work, 0, n * (symbols + 2) * sizeof *work);
    status = number(s, work, work + n, work + 2 * n);
  }
  hys_release(allocator, work);
  if (status != HYS_OK)
    hysi_tp_space_close(s);
  return status;
}

/* ---- polynomials ---- */

double hysi_tp_spread(const hysi_tp_space *s, const hysi_tp *p) {
  double sum = p->zeta;

  for (unsigned d = 1; d <= s->degree; d++)
    sum += p->norm[d];
  for (unsigned d = 0; d <= s->coupling; d++)
    sum += p->eta[d];
  return sum > 0.0 ? hysi_up(sum) : 0.0;
}

double hysi_tp_total(const hysi_tp_space *s, const hysi_tp *p) {
  const double sum = p->norm[0] + hysi_tp_spread(s, p);

  return sum > 0.0 ? hysi_up(sum) : 0.0;
}

hys_interval hysi_tp_crude(const hysi_tp_space *s, const hysi_tp *p) {
  const double r = hys_add_up(hysi_tp_spread(s, p), p->error);

  return r == 0.0 ? hys_interval_point(p->c[0])
                  : hys_interval_make(hys_sub_down(p->c[0], r), hys_add_up(p->c[0], r));
}

bool hysi_tp_is_zero(const hysi_tp_space *s, const hysi_tp *p) {
  double sum = p->zeta + p->error;

  for (unsigned d = 0; d <= s->degree; d++)
    sum += p->norm[d];
  for (unsigned d = 0; d <= s->coupling; d++)
    sum += p->eta[d];
  return sum == 0.0;
}

static void no_norms(hysi_tp *p) {
  memset(p->norm, 0, sizeof p->norm);
  memset(p->eta, 0, sizeof p->eta);
  p->zeta = 0.0;
}

void hysi_tp_zero(const hysi_tp_space *s, hysi_tp *p) {
  memset(p->c, 0, s->size * sizeof *p->c);
  no_norms(p);
  p->error = 0.0;
}

void hysi_tp_constant(const hysi_tp_space *s, hysi_tp *p, hys_interval value) {
  hysi_tp_zero(s, p);
  if (!(fabs(value.lo) <= DBL_MAX && fabs(value.hi) <= DBL_MAX)) {
    p->error = HYSI_INF;
    return;
  }
  p->c[0] = hys_interval_mid(value);
  p->norm[0] = fabs(p->c[0]);
  p->error = value.lo == value.hi ? 0.0 : hys_interval_rad(value);
}

void hysi_tp_copy(const hysi_tp_space *s, hysi_tp *p, const hysi_tp *q) {
  double *c = p->c;

  memcpy(c, q->c, s->size * sizeof *c);
  *p = *q;
  p->c = c;
}

static double sum_abs(const double *c, size_t n) {
  double s0 = 0.0, s1 = 0.0;

  for (size_t i = 0; i + 1 < n; i += 2) {
    s0 += fabs(c[i]);
    s1 += fabs(c[i + 1]);
  }
  return s0 + s1 + (n % 2 != 0 ? fabs(c[n - 1]) : 0.0);
}

void hysi_tp_measure(const hysi_tp_space *s, hysi_tp *p) {
  p->norm[0] = fabs(p->c[0]);
  for (unsigned d = 1; d <= s->degree; d++)
    p->norm[d] = sum_abs(p->c + s->upto[d - 1], s->upto[d] - s->upto[d - 1]);
  for (unsigned d = 0; d <= s->coupling; d++) {
    const size_t from = d == 0 ? 0 : s->upto[d - 1];
    double sum = 0.0;
    for (size_t j = 0; j < s->n_eta; j++)
      sum += sum_abs(p->c + s->eta + j * s->per_eta + from, s->upto[d] - from);
    p->eta[d] = sum;
  }
  p->zeta = sum_abs(p->c + s->zeta, s->n_zeta);
  if (!(hysi_tp_total(s, p) + p->error < HYSI_INF))
    p->error = HYSI_INF;
}

/* ---- products ---- */

/* Of the highest degree that is there; 0 for a constant and for zero. */
static unsigned top(const double *norm, unsigned degree) {
  while (degree > 0 && norm[degree] == 0.0)
    degree--;
  return degree;
}

/* c += factor a b up to a degree, of polynomials in xi that end at degrees da and db. */
static void convolve(const hysi_tp_space *s, double *restrict c, double factor, const double *restrict a,
                     unsigned da, const double *restrict b, unsigned db, unsigned degree) {
  for (unsigned d = 0; d <= da && d <= degree; d++) {
    const unsigned rest = degree - d < db ? degree - d : db;
    const size_t end = s->upto[rest];
    for (size_t i = d == 0 ? 0 : s->upto[d - 1]; i < s->upto[d]; i++) {
      const double x = factor * a[i];
      const uint32_t *row = s->product + s->row[i];
      if (x == 0.0)
        continue;
      for (size_t j = 0; j < end; j++)
        c[row[j]] += x * b[j];
    }
  }
}

/* |a| |b| cut off, and what rounding does to the rest. */
static double product_error(const hysi_tp_space *s, const hysi_tp *a, unsigned da, const hysi_tp *b,
                            unsigned db, unsigned terms) {
  double lost = 0.0, rounding = 0.0, na = 0.0, nb = 0.0, ea = 0.0, eb = 0.0;
  double gamma[HYSI_TP_MAX_DEGREE + 1];

  for (unsigned d = 0; d <= s->degree; d++)
    gamma[d] = hysi_gamma((size_t)terms * s->pairs[d] + 2);
  for (unsigned d = 0; d <= da; d++) {
    na += a->norm[d];
    for (unsigned e = 0; e <= db; e++) {
      const double size = a->norm[d] * b->norm[e];
#ifdef HYS_PLANT_TAYLOR_NO_TRUNCATION
      if (d + e <= s->degree)
        rounding += gamma[d + e] * size;
#else
      if (d + e > s->degree)
        lost += size;
      else
        rounding += gamma[d + e] * size;
#endif
    }
  }
  for (unsigned e = 0; e <= db; e++)
    nb += b->norm[e];
  for (unsigned e = 0; e <= s->coupling; e++) {
    ea += a->eta[e];
    eb += b->eta[e];
  }
  if (ea + eb > 0.0) {
    const double *bound = gamma;
    for (unsigned e = 0; e <= s->coupling; e++) {
      for (unsigned d = 0; d <= da; d++) {
        const double size = a->norm[d] * b->eta[e];
        if (d + e > s->coupling)
          lost += size;
        else
          rounding += 2.0 * bound[d + e] * size;
      }
      for (unsigned d = 0; d <= db; d++) {
        const double size = b->norm[d] * a->eta[e];
        if (d + e > s->coupling)
          lost += size;
        else
          rounding += 2.0 * bound[d + e] * size;
      }
    }
  }
  lost += (na - a->norm[0]) * b->zeta + (nb - b->norm[0]) * a->zeta;
  rounding += 4.0 * gamma[0] * (a->norm[0] * b->zeta + b->norm[0] * a->zeta);
  ea += a->zeta;
  eb += b->zeta;
#ifdef HYS_PLANT_TAYLOR_NO_ROUNDING
  rounding = 0.0;
#endif
  /* na - norm[0] may have come out below its value by two roundings of na */
  lost += 0x1p-50 * (na * b->zeta + nb * a->zeta);
  return lost + rounding + ea * eb + (na + ea) * b->error + (nb + eb) * a->error + a->error * b->error;
}

void hysi_tp_multiply_add(const hysi_tp_space *s, hysi_tp *p, double factor, const hysi_tp *a,
                          const hysi_tp *b, unsigned terms) {
  const unsigned da = top(a->norm, s->degree), db = top(b->norm, s->degree);
  const bool swap = s->upto[da] > s->upto[db]; /* short rows are the slow ones */
  bool etas = false;

  if (hysi_tp_is_zero(s, a) || hysi_tp_is_zero(s, b))
    return;
  p->error = hysi_up(p->error + fabs(factor) * product_error(s, a, da, b, db, terms));
  if (swap)
    convolve(s, p->c, factor, a->c, da, b->c, db, s->degree);
  else
    convolve(s, p->c, factor, b->c, db, a->c, da, s->degree);
  for (unsigned d = 0; d <= s->coupling; d++)
    etas = etas || a->eta[d] > 0.0 || b->eta[d] > 0.0;
  if (etas) {
    const unsigned ea = top(a->eta, s->coupling), eb = top(b->eta, s->coupling);
    for (size_t j = 0; j < s->n_eta; j++) {
      const size_t at = s->eta + j * s->per_eta;
      convolve(s, p->c + at, factor, a->c, da, b->c + at, eb, s->coupling);
      convolve(s, p->c + at, factor, b->c, db, a->c + at, ea, s->coupling);
    }
  }
  if (a->zeta > 0.0 || b->zeta > 0.0) {
    const double x = factor * a->c[0], y = factor * b->c[0];
    for (size_t j = s->zeta; j < s->size; j++)
      p->c[j] += x * b->c[j] + y * a->c[j];
  }
}

void hysi_tp_add(const hysi_tp_space *s, hysi_tp *p, const hysi_tp *a, double sign, const hysi_tp *b) {
  const double ea = a->error, eb = b->error;
  double error;

  if (hysi_tp_is_zero(s, b)) {
    if (p != a)
      hysi_tp_copy(s, p, a);
    return;
  }
  if (hysi_tp_is_zero(s, a) && sign > 0.0) {
    if (p != b)
      hysi_tp_copy(s, p, b);
    return;
  }
  for (size_t i = 0; i < s->size; i++)
    p->c[i] = a->c[i] + sign * b->c[i];
  hysi_tp_measure(s, p);
  error = ea + eb;
#ifndef HYS_PLANT_TAYLOR_NO_ROUNDING
  error += 0x1.001p-53 * hysi_tp_total(s, p);
#endif
  p->error = error > 0.0 ? hysi_up(error) : 0.0;
}

void hysi_tp_divide(const hysi_tp_space *s, hysi_tp *p, double divisor) {
  double error = p->error / fabs(divisor);

  if (divisor == 1.0 || hysi_tp_is_zero(s, p))
    return;
  for (size_t i = 0; i < s->size; i++)
    p->c[i] /= divisor;
  hysi_tp_measure(s, p);
#ifndef HYS_PLANT_TAYLOR_NO_ROUNDING
  error += 0x1.001p-53 * hysi_tp_total(s, p);
#endif
  p->error = hysi_up(error);
}
