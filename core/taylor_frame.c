#include "core/taylor_frame.h"

#include <math.h>
#include <string.h>

#include "core/rounding.h"

/* zeta outgrows eta by so much before it becomes a part of it. */
static const double outgrown = 0.3;

size_t hysi_tp_frame_work(const hysi_tp_space *s, size_t m) {
  (void)s;
  return 4 * m * m + 8 * m;
}

/* An orthogonal matrix q (n x n, columns) along the columns of a (n x count), the longest first; nearly: the
 * caller bounds what it lacks. */
static void orthogonal(size_t n, const double *a, size_t count, double *length, double *q) {
  size_t made = 0;

  for (size_t c = 0; c < count; c++) {
    length[c] = 0.0;
    for (size_t i = 0; i < n; i++)
      length[c] += a[c * n + i] * a[c * n + i];
  }
  for (size_t turn = 0; turn < count + n && made < n; turn++) {
    double *v = q + made * n, before = 0.0, after = 0.0;
    if (turn < count) {
      size_t best = 0;
      for (size_t c = 1; c < count; c++)
        if (length[c] > length[best])
          best = c;
      if (!(length[best] > 0.0)) {
        turn = count - 1;
        continue;
      }
      memcpy(v, a + best * n, n * sizeof *v);
      before = length[best];
      length[best] = -1.0;
    } else {
      memset(v, 0, n * sizeof *v);
      v[turn - count] = before = 1.0;
    }
    for (unsigned again = 0; again < 2; again++)
      for (size_t p = 0; p < made; p++) {
        double dot = 0.0;
        for (size_t i = 0; i < n; i++)
          dot += q[p * n + i] * v[i];
        for (size_t i = 0; i < n; i++)
          v[i] -= dot * q[p * n + i];
      }
    for (size_t i = 0; i < n; i++)
      after += v[i] * v[i];
    if (!(after > 1e-12 * before) || !(after > 1e-290))
      continue;
    after = 1.0 / sqrt(after);
    for (size_t i = 0; i < n; i++)
      v[i] *= after;
    made++;
  }
  for (; made < n; made++) { /* cannot be but for numbers at the end of their range: no frame, see lack */
    memset(q + made * n, 0, n * sizeof *q);
    q[made * n + made] = 1.0;
  }
}

/* At least ||I - q^T q|| in the infinity norm. */
static double lack(size_t n, const double *q) {
  const double gamma = hysi_gamma(n + 1);
  double most = 0.0;

  for (size_t i = 0; i < n; i++) {
    double sum = 0.0;
    for (size_t j = 0; j < n; j++) {
      double dot = i == j ? -1.0 : 0.0, mag = i == j ? 1.0 : 0.0;
      for (size_t k = 0; k < n; k++) {
        dot += q[i * n + k] * q[j * n + k];
        mag += fabs(q[i * n + k] * q[j * n + k]);
      }
      sum += fabs(dot) + gamma * mag;
    }
    most = fmax(most, hysi_up(sum));
  }
  return most;
}

/* reach_i += |q^T v|_i, rounding included. */
static void add_reach(size_t n, const double *q, const double *v, double *reach) {
  const double gamma = hysi_gamma(n);

  for (size_t i = 0; i < n; i++) {
    double dot = 0.0, mag = 0.0;
    for (size_t k = 0; k < n; k++) {
      dot += q[i * n + k] * v[k];
      mag += fabs(q[i * n + k] * v[k]);
    }
    reach[i] += fabs(dot) + gamma * mag;
  }
}

static double coefficient(const hysi_tp *x, size_t at) {
  return x->c[at];
}

void hysi_tp_frame_renew(const hysi_tp_space *s, hysi_tp *x, size_t m, double *work) {
  /* m columns of eta, m of zeta, of the n states that have any */
  double *column = work, *q = work + 2 * m * m, *length = q + m * m, *reach = length + 2 * m,
         *vector = reach + m, *box = vector + m;
  size_t live[64], n = 0;
  double old = 0.0, fresh = 0.0, gap, most = 0.0;
  bool merge;

  for (size_t i = 0; i < m && n < 64; i++) {
    double eta = 0.0;
    const double width = hysi_tp_spread(s, &x[i]) + x[i].error;
    for (unsigned d = 0; d <= s->coupling; d++)
      eta += x[i].eta[d];
    if (!(eta + x[i].zeta + x[i].error > 0.0))
      continue;
    live[n++] = i;
    old += eta / width;
    fresh += (x[i].zeta + x[i].error) / width;
  }
  if (n == 0)
    return;
  merge = fresh > outgrown * old;
  for (size_t j = 0; j < m; j++)
    for (size_t i = 0; i < n; i++) {
      column[j * n + i] = coefficient(&x[live[i]], s->zeta + j);
      column[(m + j) * n + i] = coefficient(&x[live[i]], s->eta + j * s->per_eta);
    }
  orthogonal(n, column, merge ? 2 * m : m, length, q);
  gap = lack(n, q);
  if (!(gap < 0.25)) {
    memset(q, 0, n * n * sizeof *q);
    for (size_t i = 0; i < n; i++)
      q[i * n + i] = 1.0;
    gap = lack(n, q);
  }
  memset(reach, 0, n * sizeof *reach);
  for (size_t j = 0; j < (merge ? 2 * m : m); j++)
    add_reach(n, q, column + j * n, reach);
  for (size_t j = 0; merge && j < m; j++)
    for (size_t a = 1; a < s->per_eta; a++) {
      for (size_t i = 0; i < n; i++)
        vector[i] = coefficient(&x[live[i]], s->eta + j * s->per_eta + a);
      add_reach(n, q, vector, reach);
    }
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < n; k++)
      reach[i] += fabs(q[i * n + k]) * x[live[k]].error;
    reach[i] = hysi_up(reach[i]);
    most = fmax(most, reach[i]);
  }
  /* the coordinates: (q^T q)^-1 q^T v, and |(q^T q)^-1 - I| <= gap / (1 - gap) */
  for (size_t i = 0; i < n; i++)
    reach[i] = hysi_up(reach[i] + 2.0 * gap * most);
  for (size_t i = 0; i < n; i++) {
    hysi_tp *p = &x[live[i]];
    double left = 0.0;
    memset(p->c + s->zeta, 0, s->n_zeta * sizeof *p->c);
    if (merge)
      memset(p->c + s->eta, 0, (s->zeta - s->eta) * sizeof *p->c);
    for (size_t j = 0; j < n; j++) {
      const double g = q[j * n + i] * reach[j];
      p->c[merge ? s->eta + j * s->per_eta : s->zeta + j] = g;
      left += fabs(g);
    }
    box[i] = hysi_up(0x1.001p-53 * left);
  }
  for (size_t i = 0; i < n; i++) {
    hysi_tp_measure(s, &x[live[i]]);
    x[live[i]].error = box[i];
  }
}

/* ---- start sets ---- */

static double magnitude(const hys_zonotope *z) {
  double most = 0.0;

  for (size_t k = 0; k < z->g * z->n; k++)
    most = fmax(most, fabs(z->generator[k]));
  return most;
}

/* The parallelotope: rows are the inverse of a frame of the longest independent columns. */
static hys_status hull(hys_zonotope *out, const hys_zonotope *z, const hys_allocator *allocator) {
  const size_t m = z->n;
  const size_t bytes = (3 * m * m + 2 * m) * sizeof(double) + m * (sizeof(hys_interval) + sizeof(hys_term));
  double *work = hys_allocate(allocator, bytes), *q, *length;
  hys_interval *bounds;
  hys_term *term;
  hys_status status;

  if (work == NULL)
    return HYS_ERR_MEMORY;
  q = work;
  length = hys_allocate(allocator, (z->g + 1) * sizeof *length);
  bounds = (hys_interval *)(void *)(work + 3 * m * m + 2 * m);
  term = (hys_term *)(void *)(bounds + m);
  if (length == NULL) {
    hys_release(allocator, work);
    return HYS_ERR_MEMORY;
  }
  orthogonal(m, z->generator, z->g, length, q);
  for (size_t i = 0; i < m; i++) {
    hys_affine row = {term, (uint32_t)m, {0.0, 0.0}};
    for (size_t j = 0; j < m; j++)
      term[j] = (hys_term){(uint32_t)j, hys_interval_point(q[i * m + j])};
    bounds[i].hi = hys_zonotope_max(z, &row);
    for (size_t j = 0; j < m; j++)
      term[j].coef = hys_interval_neg(term[j].coef);
    bounds[i].lo = -hys_zonotope_max(z, &row);
  }
  status = hys_zonotope_from_rows(out, q, bounds);
  hys_release(allocator, length);
  hys_release(allocator, work);
  return status;
}

hys_status hysi_tp_frame_start(hys_zonotope *out, const hys_zonotope *z, const size_t *variable, size_t m,
                               const hys_allocator *allocator) {
  hys_zonotope part;
  hys_status status = hys_zonotope_open(&part, m, z->g + m, allocator);
  double most;

  if (status != HYS_OK)
    return status;
  status = hys_zonotope_open(out, m, z->g + 2 * m, allocator);
  if (status != HYS_OK) {
    hys_zonotope_close(&part);
    return status;
  }
  for (size_t i = 0; i < m; i++) {
    part.center[i] = z->center[variable[i]];
    part.radius[i] = z->radius[variable[i]];
  }
  for (size_t k = 0; k < z->g; k++) {
    double size = 0.0;
    for (size_t i = 0; i < m; i++) {
      part.generator[part.g * m + i] = z->generator[k * z->n + variable[i]];
      size += fabs(part.generator[part.g * m + i]);
    }
    part.g += size > 0.0;
  }
  /* radii as large as generators are symbols too, and generators as small as rounding are not */
  most = magnitude(&part);
  for (size_t i = 0; i < m; i++)
    if (part.radius[i] > 1e-4 * most) {
      memset(part.generator + part.g * m, 0, m * sizeof *part.generator);
      part.generator[part.g++ * m + i] = part.radius[i];
      part.radius[i] = 0.0;
    }
  most = 1e-10 * magnitude(&part);
  for (size_t k = part.g; k-- > 0;) {
    double *g = part.generator + k * m, size = 0.0;
    for (size_t i = 0; i < m; i++)
      size = fmax(size, fabs(g[i]));
    if (size > most)
      continue;
    for (size_t i = 0; i < m; i++)
      part.radius[i] = hys_add_up(part.radius[i], fabs(g[i]));
    memmove(g, part.generator + --part.g * m, m * sizeof *g);
  }
  if (part.g <= m) {
    status = hys_zonotope_copy(out, &part);
  } else {
    double box = 0.0;
    status = hull(out, &part, allocator);
    for (size_t k = 0; k < out->g * m; k++)
      box += fabs(out->generator[k]);
    if (status != HYS_OK || !(box < HYSI_INF)) {
      hys_zonotope_reduce(&part, 0);
      status = hys_zonotope_copy(out, &part);
      for (size_t i = 0; i < m && status == HYS_OK; i++)
        if (out->radius[i] > 0.0) {
          memset(out->generator + out->g * m, 0, m * sizeof *out->generator);
          out->generator[out->g++ * m + i] = out->radius[i];
          out->radius[i] = 0.0;
        }
    }
  }
  hys_zonotope_close(&part);
  if (status != HYS_OK)
    hys_zonotope_close(out);
  return status;
}
