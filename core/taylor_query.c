/* What is asked of the sets of a try: boxes, bounds of rows, ranges of trees, zonotopes.
 *
 * A tube is looked at in pieces of time: on a piece around t of half length d, with |sigma| <= 1,
 *   x(t + sigma d) = x(t) + sigma d x'(t) + [-1, 1] d^2/2 max |x''|,
 * sigma being the last zeta where it meets no other symbol. */
#include <math.h>
#include <string.h>

#include "core/rounding.h"
#include "core/taylor_pipe.h"

enum { MAX_TIME_PIECES = 16 };

static const hys_allocator *of(const hysi_taylor_pipe *p) {
  return p->has_allocator ? &p->allocator : NULL;
}

static const hysi_tp *state(const hysi_taylor_pipe *p, size_t v, unsigned i) {
  return &p->states[v * (p->order + 1) + i];
}

/* c := the row at the end, without time. Returns the error. */
static double row_at_end(const hysi_taylor_pipe *p, const double *coef, double *c) {
  const hysi_tp_space *s = &p->space;
  double error = 0.0, size = 0.0;
  size_t terms = 0;
  bool exact = true;

  memset(c, 0, s->size * sizeof *c);
  for (size_t v = 0; v < p->flow->m; v++) {
    const hysi_tp *x = &p->end[v];
    if (coef[v] == 0.0)
      continue;
    terms++;
    exact = exact && terms == 1 && fabs(coef[v]) == 1.0;
    for (size_t a = 0; a < s->size; a++)
      c[a] += coef[v] * x->c[a];
    error += fabs(coef[v]) * x->error;
    size += fabs(coef[v]) * hysi_tp_total(s, x);
  }
  if (!exact)
    error += hysi_gamma(terms + 1) * size;
  return error > 0.0 ? hysi_up(error) : 0.0;
}

/* Bound of |second derivative| of the row's series in [0, t]. */
static double row_bend(const hysi_taylor_pipe *p, const double *coef, double t) {
  double sum = 0.0;

  for (size_t v = 0; v < p->flow->m; v++) {
    double power = 1.0;
    if (coef[v] == 0.0)
      continue;
    for (unsigned i = 2; i <= p->order; i++) {
      const hysi_tp *x = state(p, v, i);
      sum += fabs(coef[v]) * power * (double)(i * (i - 1)) * (hysi_tp_total(&p->space, x) + x->error);
      power *= t;
    }
  }
  return sum > 0.0 ? hysi_up(sum) : 0.0;
}

/* c := the row on the piece [from, to] of the try, time as the last zeta; bend: of row_bend.  Returns the
 * error. */
static double row_in_tube(const hysi_taylor_pipe *p, const double *coef, double from, double to, double bend,
                          double *c) {
  const hysi_tp_space *s = &p->space;
  const double t = 0.5 * (from + to), d = fmax(to - t, t - from) * (1.0 + 0x1p-50);
  double error = 0.0, size = 0.0, drift = 0.0, spread = 0.0, drift_size = 0.0;

  memset(c, 0, s->size * sizeof *c);
  memset(p->slope, 0, s->size * sizeof *p->slope);
  for (size_t v = 0; v < p->flow->m; v++) {
    double power = 1.0, before = 0.0;
    if (coef[v] == 0.0)
      continue;
    for (unsigned i = 0; i <= p->order; i++) {
      const hysi_tp *x = state(p, v, i);
      const double f = coef[v] * power, g = coef[v] * before * (double)i;
      if (!hysi_tp_is_zero(s, x)) {
        const double total = hysi_tp_total(s, x);
        for (size_t a = 0; a < s->size; a++)
          c[a] += f * x->c[a];
        size += fabs(f) * total;
        error += fabs(f) * x->error;
        drift += g * x->c[0];
        drift_size += fabs(g) * total;
        for (size_t a = 1; i > 0 && a < s->size; a++)
          p->slope[a] += g * x->c[a];
        error += d * fabs(g) * x->error;
      }
      before = power;
      power *= t;
    }
    error += fabs(coef[v]) * (hys_interval_mag(p->remainder[v]) * (1.0 + 0x1p-40) + p->deviation[v]);
  }
  for (size_t a = 1; a < s->size; a++)
    spread += fabs(p->slope[a]);
  error += d * spread + 0.5 * d * d * bend;
  error += hysi_gamma(4 * HYSI_TP_MAX_ORDER + 2 * p->flow->m) * (size + d * drift_size);
  c[s->size - 1] = d * drift;
  return error > 0.0 ? hysi_up(error) : 0.0;
}

/* Into how many pieces of time: what the bend leaves is to be small beside the rest. */
static unsigned time_pieces(const hysi_taylor_pipe *p, const double *coef, double bend) {
  double width = 0.0, pieces;

  for (size_t v = 0; v < p->flow->m; v++) {
    const hysi_tp *x = state(p, v, 0);
    width +=
        fabs(coef[v]) * (hysi_tp_spread(&p->space, x) + x->error + p->taken * fabs(state(p, v, 1)->c[0]));
  }
  pieces = ceil(p->taken * sqrt(bend / (0.08 * width)));
  return pieces >= 1.0 && pieces <= MAX_TIME_PIECES ? (unsigned)pieces : pieces > 1.0 ? MAX_TIME_PIECES : 1;
}

static unsigned splits_of(const hysi_taylor_pipe *p, hys_pipe_set which) {
  if (which == HYS_PIPE_TUBE)
    return p->space.symbols <= 3 ? 4 : 0;
  return p->space.symbols <= 3 ? 24 : 8;
}

void hysi_taylor_boxes(const hysi_taylor_pipe *p, hys_pipe_set which) {
  const size_t m = p->flow->m;
  const bool tube = which == HYS_PIPE_TUBE && p->taken > 0.0;
  hysi_tp_scalar *q = p->scalar;

  memset(p->unit, 0, m * sizeof *p->unit);
  for (size_t v = 0; v < m; v++) {
    hys_interval x = hys_interval_empty();
    double bend = 0.0;
    unsigned pieces = 1;
    p->unit[v] = 1.0;
    if (tube) {
      bend = row_bend(p, p->unit, p->taken);
      pieces = time_pieces(p, p->unit, bend);
    }
    for (unsigned k = 0; k < pieces; k++) {
      const double from = p->taken * k / pieces,
                   to = k + 1 == pieces ? p->taken : p->taken * (k + 1) / pieces;
      const double error =
          tube ? row_in_tube(p, p->unit, from, to, bend, p->row) : row_at_end(p, p->unit, p->row);
      double hi, lo;
      bool point = error == 0.0;
      for (size_t a = 1; a < p->space.size && point; a++)
        point = p->row[a] == 0.0;
      if (point) {
        x = hys_interval_hull(x, hys_interval_point(p->row[0]));
        continue;
      }
      hysi_tp_scalar_from(&p->space, q, p->row, error);
      hi = hysi_tp_scalar_max(&p->space, q, NULL, NULL, 0, splits_of(p, which), p->range);
      for (size_t a = 0; a < p->space.size; a++)
        p->row[a] = -p->row[a];
      hysi_tp_scalar_from(&p->space, q, p->row, error);
      lo = -hysi_tp_scalar_max(&p->space, q, NULL, NULL, 0, splits_of(p, which), p->range);
      x = hys_interval_hull(x, hys_interval_make(lo, hi));
    }
    p->box[which][v] = x;
    p->unit[v] = 0.0;
  }
  p->known[which] = true;
}

/* ---- rows with conditions ---- */

/* A row on an instant or a piece: into q.  bend: of row_bend, for tubes. */
static void load(const hysi_taylor_pipe *p, bool tube, const hysi_dense_row *row, double from, double to,
                 hysi_tp_scalar *q) {
  const hysi_taylor_flow *f = p->flow;
  const hys_interval *box = p->box[tube ? HYS_PIPE_TUBE : HYS_PIPE_END];
  hys_interval rest = row->constant;
  double error, mid;

  for (size_t i = 0; i < f->n; i++) {
    const hys_interval a =
        hysi_pair(hys_sub_down(row->mid[i], row->rad[i]), hys_add_up(row->mid[i], row->rad[i]));
    if (f->state[i] != HYS_EXPR_NO_CHILD) {
      p->unit[f->state[i]] = row->mid[i];
      if (row->rad[i] > 0.0)
        rest =
            hys_interval_add(rest, hys_interval_mul(hysi_pair(-row->rad[i], row->rad[i]), box[f->state[i]]));
    } else if (row->mid[i] != 0.0 || row->rad[i] != 0.0) {
      rest = hys_interval_add(rest, hys_interval_mul(a, f->input[i]));
    }
  }
  error = tube ? row_in_tube(p, p->unit, from, to, row_bend(p, p->unit, p->taken), p->row)
               : row_at_end(p, p->unit, p->row);
  mid = hys_interval_mid(rest);
  error = hys_add_up(error, hys_interval_rad(rest));
  if (mid != 0.0) {
    const double sum = p->row[0] + mid;
    error = hysi_up(error + 0x1.001p-53 * fabs(sum));
    p->row[0] = sum;
  }
  hysi_tp_scalar_from(&p->space, q, p->row, error);
}

static bool usable(const hysi_taylor_pipe *p, const hysi_dense_row *row) {
  double sum = fabs(row->constant.lo) + fabs(row->constant.hi);

  for (size_t i = 0; i < p->flow->n; i++)
    sum += fabs(row->mid[i]) + row->rad[i];
  return sum < HYSI_INF;
}

double hysi_taylor_max(void *pipe, hys_pipe_set which, const hysi_dense_row *row, const hysi_dense_row *cut,
                       const bool *equation, size_t n_cuts) {
  hysi_taylor_pipe *p = pipe;
  const bool tube = which == HYS_PIPE_TUBE && p->taken > 0.0;
  bool equal[HYSI_TP_MAX_CUTS];
  const hysi_dense_row *use[HYSI_TP_MAX_CUTS];
  size_t used = 0;
  unsigned pieces = 1;
  double most = -HYSI_INF;

  if (!p->known[which])
    hysi_taylor_boxes(p, which);
  if (!usable(p, row))
    return HYSI_INF;
  for (size_t k = 0; k < n_cuts && used < HYSI_TP_MAX_CUTS; k++)
    if (usable(p, &cut[k])) {
      use[used] = &cut[k];
      equal[used++] = equation[k];
    }
  if (tube) {
    for (size_t v = 0; v < p->flow->m; v++)
      p->unit[v] = row->mid[p->flow->variable[v]];
    pieces = time_pieces(p, p->unit, row_bend(p, p->unit, p->taken));
    pieces = pieces < 4 ? 4 : pieces;
  }
  for (unsigned k = 0; k < pieces; k++) {
    const double from = p->taken * k / pieces, to = k + 1 == pieces ? p->taken : p->taken * (k + 1) / pieces;
    double top;
    load(p, tube, row, from, to, &p->scalar[0]);
    for (size_t c = 0; c < used; c++)
      load(p, tube, use[c], from, to, &p->scalar[1 + c]);
    top = hysi_tp_scalar_max(&p->space, &p->scalar[0], &p->scalar[1], equal, used, splits_of(p, which),
                             p->range);
    if (!(top <= most))
      most = top;
  }
  return most;
}

/* ---- trees ---- */

typedef struct query {
  hysi_tp_program program;
  hysi_tp *polynomial; /* states, values, 4 for work */
  double *memory;
  uint32_t result;
} query;

static bool open_query(const hysi_taylor_pipe *p, const hys_expr *e, query *q) {
  const size_t m = p->flow->m, size = p->space.size;
  size_t count;

  memset(q, 0, sizeof *q);
  hysi_tp_program_open(&q->program, of(p));
  if (hysi_tp_program_compile(&q->program, e, p->flow->state, &q->result) != HYS_OK)
    return false;
  count = m + q->program.n + 4;
  q->polynomial = hys_allocate(of(p), count * sizeof *q->polynomial);
  q->memory = hys_allocate(of(p), count * size * sizeof *q->memory);
  if (q->polynomial == NULL || q->memory == NULL)
    return false;
  memset(q->polynomial, 0, count * sizeof *q->polynomial);
  for (size_t i = 0; i < count; i++)
    q->polynomial[i].c = q->memory + i * size;
  return true;
}

static void close_query(const hysi_taylor_pipe *p, query *q) {
  hys_release(of(p), q->polynomial);
  hys_release(of(p), q->memory);
  hysi_tp_program_close(&q->program);
}

hys_interval hysi_taylor_range(void *pipe, hys_pipe_set which, const hys_expr *e) {
  hysi_taylor_pipe *p = pipe;
  const hysi_taylor_flow *f = p->flow;
  const bool tube = which == HYS_PIPE_TUBE && p->taken > 0.0;
  const unsigned pieces = tube ? 4 : 1;
  hys_interval range = hys_interval_empty();
  query q;

  if (!open_query(p, e, &q)) {
    close_query(p, &q);
    return hys_interval_entire();
  }
  for (unsigned k = 0; k < pieces && !hys_interval_equal(range, hys_interval_entire()); k++) {
    const double from = p->taken * k / pieces, to = k + 1 == pieces ? p->taken : p->taken * (k + 1) / pieces;
    const hysi_tp *value;
    double hi, lo;
    memset(p->unit, 0, f->m * sizeof *p->unit);
    for (size_t v = 0; v < f->m; v++) {
      hysi_tp *x = &q.polynomial[v];
      double error;
      p->unit[v] = 1.0;
      error = tube ? row_in_tube(p, p->unit, from, to, row_bend(p, p->unit, p->taken), x->c)
                   : row_at_end(p, p->unit, x->c);
      p->unit[v] = 0.0;
      hysi_tp_measure(&p->space, x);
      x->error = error;
    }
    if (!hysi_tp_poly_values(&p->space, &q.program, q.polynomial, f->input, q.polynomial + f->m,
                             q.polynomial + f->m + q.program.n)) {
      range = hys_interval_entire();
      break;
    }
    value = q.program.op[q.result].kind == HYSI_TP_STATE ? &q.polynomial[q.program.op[q.result].a]
                                                         : &q.polynomial[f->m + q.result];
    hysi_tp_scalar_from(&p->space, &p->scalar[0], value->c, value->error);
    hi = hysi_tp_scalar_max(&p->space, &p->scalar[0], NULL, NULL, 0, splits_of(p, which), p->range);
    for (size_t a = 0; a < p->space.size; a++)
      p->row[a] = -value->c[a];
    hysi_tp_scalar_from(&p->space, &p->scalar[0], p->row, value->error);
    lo = -hysi_tp_scalar_max(&p->space, &p->scalar[0], NULL, NULL, 0, splits_of(p, which), p->range);
    range = hys_interval_hull(range, hys_interval_make(lo, hi));
  }
  close_query(p, &q);
  return range;
}

/* ---- zonotopes ---- */

/* Generators: the linear terms at the end, or in the middle of the tube with a time symbol.  The box: all
 * else; of a tube the most that any piece differs from them. */
hys_status hysi_taylor_zonotope(const void *pipe, hys_pipe_set which, hys_zonotope *out) {
  const hysi_taylor_pipe *p = pipe;
  const hysi_taylor_flow *f = p->flow;
  const hysi_tp_space *s = &p->space;
  const bool tube = which == HYS_PIPE_TUBE && p->taken > 0.0;
  const size_t linear = s->degree > 0 ? s->symbols : 0, noises = s->n_eta + s->n_zeta;
  hys_zonotope z;
  hys_status status = hys_zonotope_open(&z, f->n, linear + noises, of(p));

  if (status != HYS_OK)
    return status;
  z.g = linear + noises;
  memset(z.generator, 0, z.g * z.n * sizeof *z.generator);
  memset(p->unit, 0, f->m * sizeof *p->unit);
  for (size_t v = 0; v < f->m; v++) {
    const size_t i = f->variable[v];
    double *gen = z.generator + i, bend, time, radius = 0.0;
    double *c = p->row;
    unsigned pieces = tube ? 4 : 1;
    p->unit[v] = 1.0;
    bend = tube ? row_bend(p, p->unit, p->taken) : 0.0;
    if (tube)
      row_in_tube(p, p->unit, 0.0, p->taken, bend, c);
    else
      row_at_end(p, p->unit, c);
    z.center[i] = c[0];
    for (size_t k = 0; k < linear; k++)
      gen[k * z.n] = c[1 + k];
    for (size_t j = 0; j < s->n_eta; j++)
      gen[(linear + j) * z.n] = c[s->eta + j * s->per_eta];
    for (size_t j = 0; j < s->n_zeta; j++)
      gen[(linear + s->n_eta + j) * z.n] = c[s->zeta + j];
    time = gen[(z.g - 1) * z.n];
    for (unsigned k = 0; k < pieces; k++) {
      const double from = p->taken * k / pieces,
                   to = k + 1 == pieces ? p->taken : p->taken * (k + 1) / pieces;
      const double shift = tube ? (2.0 * k + 1.0) / pieces - 1.0 : 0.0;
      double rest = tube ? row_in_tube(p, p->unit, from, to, bend, c) : row_at_end(p, p->unit, c);
      double size = fabs(z.center[i]) + fabs(time) + fabs(c[0]);
      rest += fabs(c[0] - z.center[i] - shift * time);
      for (size_t a = 1; a < s->eta; a++) {
        rest += fabs(c[a] - (a <= linear ? gen[(a - 1) * z.n] : 0.0));
        size += fabs(c[a]);
      }
      for (size_t j = 0; j < s->n_eta; j++)
        for (size_t a = 0; a < s->per_eta; a++) {
          rest += fabs(c[s->eta + j * s->per_eta + a] - (a == 0 ? gen[(linear + j) * z.n] : 0.0));
          size += fabs(c[s->eta + j * s->per_eta + a]);
        }
      for (size_t j = 0; j + 1 < s->n_zeta; j++) {
        rest += fabs(c[s->zeta + j] - gen[(linear + s->n_eta + j) * z.n]);
        size += fabs(c[s->zeta + j]);
      }
      rest += fabs(c[s->size - 1] - time / pieces);
      if (rest > 0.0)
        rest = hysi_up(rest + (tube ? 0x1p-49 * size : 0.0));
      radius = fmax(radius, rest);
    }
    z.radius[i] = radius;
    p->unit[v] = 0.0;
    if (!(radius < HYSI_INF))
      status = HYS_ERR_NUMERIC;
  }
  /* without the generators that are zero */
  for (size_t k = z.g; k-- > 0;) {
    double *g = z.generator + k * z.n, size = 0.0;
    for (size_t i = 0; i < z.n; i++)
      size += fabs(g[i]);
    if (size == 0.0)
      memmove(g, z.generator + --z.g * z.n, z.n * sizeof *g);
  }
  if (status == HYS_OK)
    status = hys_zonotope_copy(out, &z);
  hys_zonotope_close(&z);
  return status;
}
