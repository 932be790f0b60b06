/* The sequences of core/affine_rows.h: r_{k+1} = Phi^T r_k and what is summed along them.
 *
 * At t_k, with f_j(s) = l exp(A s) b_j:   value = r_k.x0 + sum_{i<k} r_i.v + sum_j int_0^{t_k} f_j u_j,
 *   v = int_0^h exp(A s) w ds.
 * Over one step int |f| is at most the integral of the chord's absolute value plus h^3/12 max |f''|, and
 * where f surely keeps its sign it is |h/2 (f0 + f1) + h^2/12 (f0' - f1')| within h^5/720 max |f''''| (the
 * trapezoid corrected at its ends); the latter is also what the input of that sign surely adds. Inside a step
 * the value lies below the chord plus h^2/8 of its curvature: exp(A s) A (A x0 + w) for what has no inputs,
 * and |f'| for theirs. A constant's column v is summed like the drift, D_k = l.c + sum_{i<k} r_i.v, and adds
 * |D_k|: its sign is one for all times. Losses: |r_k - computed|_1 <= M (what r_0 lost + sum_i local |r_i|_1)
 * in each block, local and M of the level; then |e.x| <= |e|_1 |x|. */
#include "core/affine_rows.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/affine_rows_system.h"

enum { ORDER_MOST = 60, DEPTH = 16, PIECES = 64, ASK_EVERY = 32 };

/* What is known of a row at an instant. */
typedef struct sample {
  double at; /* inside of a step: part of it */
  double center, radius, drift, curve2, curve4, bow;
  double start_error, input_error, slope_error, drift_error;
  double *held, *kept;              /* per constant: r.v, and D */
  double *f, *slope;                /* per input that counts: r.b, r.(A b) */
  double moved, gain, least, error; /* sums up to here: of drift, of inputs at most and at least, of losses */
} sample;

typedef struct input_list {
  size_t *start; /* n + 1 */
  uint32_t *at;
  double *value;
} input_list;

typedef struct run {
  const hys_affine_rows *a;
  const hys_affine_rows_job *job;
  hys_arena *arena;
  uint32_t *on; /* blocks that the row touches */
  size_t n_on, states;
  double *r, *next, *term;     /* r_k, and r_{k+1} until it is complete; then r_{k+1} and r_k */
  double *lost, *norm, *error; /* per block: sum of losses, |r_k|_1, |r_k - computed|_1 */
  double *next_norm, *next_error;
  double gamma;    /* of the sums over the states that count */
  size_t n_inputs; /* that count */
  input_list b, ab;
  double center, radius, error_of_constant; /* of the row beside its moving states */
  double *first_kept;                       /* per constant: D_0 */
  bool exact;                               /* nothing of it is only an enclosure */
  /* inside of a step */
  double *series; /* (ORDER_MOST + 1) * m */
  double *series_lost, *growth;
  double *inside, *inside_error;
  unsigned order;
  sample stack[DEPTH + 2];
  double drift_of[ORDER_MOST + 1];
  double *rest_of; /* n_rest times as many */
} run;

#define SWAP(a, b)                                                                                           \
  do {                                                                                                       \
    double *swap_ = (a);                                                                                     \
    (a) = (b);                                                                                               \
    (b) = swap_;                                                                                             \
  } while (0)

/* ---- one instant ---- */

static void fill(const run *u, const double *r, const double *error, double *norm, sample *s) {
  const hysi_rows_level *l = &u->a->level;
  double sums[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};

  s->start_error = s->input_error = s->slope_error = s->drift_error = 0.0;
  for (size_t q = 0; q < u->n_on; q++) {
    const uint32_t k = u->on[q];
    const hysi_rows_block *b = &u->a->block[k];
    double size = 0.0, loss;
    for (size_t i = b->first; i < b->first + b->size; i++) {
      const hysi_rows_weight *w = &l->weight[i];
      const double x = r[i], positive = fabs(x);
      size += positive;
      sums[0] += positive * w->radius;
      sums[1] += positive * w->curve2;
      sums[2] += positive * w->curve4;
      sums[3] += positive * w->bow;
      sums[4] += x * w->center;
      sums[5] += x * w->drift;
    }
    if (norm != NULL)
      norm[k] = size;
    loss = error[k] + u->gamma * size;
    s->start_error += loss * b->start_size;
    s->input_error += loss * b->input + size * b->input_error;
    s->slope_error += loss * b->slope + size * b->slope_error;
    s->drift_error += loss * (l->drift[k] + l->rest[k]) + size * (l->drift_error[k] + l->rest_error[k]);
    sums[1] += loss * l->curve2[k];
    sums[2] += loss * l->curve4[k];
    sums[3] += loss * l->bow[k];
  }
  s->radius = sums[0];
  s->curve2 = hysi_rows_up(sums[1]);
  s->curve4 = hysi_rows_up(sums[2]);
  s->bow = hysi_rows_up(sums[3]);
  s->center = sums[4];
  s->drift = sums[5];
  for (size_t g = 0; g < u->a->n_generators; g++) {
    const double *generator = u->a->generator + g * u->a->m;
    double dot = 0.0;
    for (size_t q = 0; q < u->n_on; q++) {
      const hysi_rows_block *b = &u->a->block[u->on[q]];
      for (size_t i = b->first; i < b->first + b->size; i++)
        dot += r[i] * generator[i];
    }
    s->radius += fabs(dot);
  }
  for (size_t q = 0; q < u->a->n_rest; q++) {
    const double *v = l->held + q * u->a->m;
    double dot = 0.0;
    for (size_t o = 0; o < u->n_on; o++) {
      const hysi_rows_block *b = &u->a->block[u->on[o]];
      for (size_t i = b->first; i < b->first + b->size; i++)
        dot += r[i] * v[i];
    }
    s->held[q] = dot;
  }
  for (size_t j = 0; j < u->n_inputs; j++) {
    double f = 0.0, slope = 0.0;
    for (size_t t = u->b.start[j]; t < u->b.start[j + 1]; t++)
      f += u->b.value[t] * r[u->b.at[t]];
    for (size_t t = u->ab.start[j]; t < u->ab.start[j + 1]; t++)
      slope += u->ab.value[t] * r[u->ab.at[t]];
    s->f[j] = f;
    s->slope[j] = slope;
  }
}

/* What the inputs add between two instants h apart; curves: for any instant between. */
static void add_inputs(const run *u, double h, const sample *from, double curve2, double curve4, sample *to) {
  const double f_error = from->input_error + to->input_error;
  const double lost = 0.5 * h * f_error + h * h / 12.0 * (from->slope_error + to->slope_error);
  const double second = h * h * h / 12.0 * curve2, fourth = h * h * h * h * h / 720.0 * curve4;
  const double clear = hysi_rows_up(f_error + h * h / 8.0 * curve2);
  double most = 0.0, least = 0.0, all = 0.0;
  bool chord = false;

  for (size_t j = 0; j < u->n_inputs; j++) {
    const double f0 = from->f[j], f1 = to->f[j], p = fabs(f0), q = fabs(f1);
    const double trapezoid = 0.5 * h * (f0 + f1);
    const double corner = h * h / 12.0 * (from->slope[j] - to->slope[j]), area = fabs(trapezoid + corner);
    least += area;
    all += h * (p + q) + fabs(corner);
    if ((f0 > 0.0) == (f1 > 0.0) && p > clear && q > clear) {
      most += area;
    } else {
      chord = true;
      most +=
          (f0 > 0.0) == (f1 > 0.0) || p + q == 0.0 ? 0.5 * h * (p + q) : 0.5 * h * (p * p + q * q) / (p + q);
    }
  }
  const double error = u->n_inputs == 0 ? 0.0 : hysi_rows_up(lost + hysi_gamma(u->n_inputs + 8) * all);
#ifdef HYS_PLANT_ROWS_NO_INPUT_CURVE
  to->gain = from->gain + most + 0.0 * (second + (chord ? fourth : 0.0));
#else
  if (u->n_inputs > 0)
    to->gain = hys_add_up(from->gain, hysi_rows_up(most + error + fourth + (chord ? second : 0.0)));
  else
    to->gain = from->gain;
#endif
  least -= hysi_rows_up(error + fourth);
  to->least = least > 0.0 ? fmax(0.0, hys_add_down(from->least, least)) : from->least;
}

/* The row at the instant: [center - wide, center + wide] surely holds it, and all within `sure` is taken. */
static void value_of(const run *u, const sample *s, double *center, double *wide, double *sure) {
  const double c = s->center + s->moved + u->center;
  double radius = s->radius + u->radius;

  for (size_t q = 0; q < u->a->n_rest; q++)
    radius += fabs(s->kept[q]);
  const double error = hysi_rows_up(s->error + s->start_error + u->error_of_constant +
                                    hysi_gamma(u->a->n_rest + 16) * (fabs(s->center) + fabs(s->moved) +
                                                                     fabs(u->center) + radius + s->gain));

  *center = c;
#ifdef HYS_PLANT_ROWS_NO_LOSS
  *wide = radius + s->gain;
#else
  *wide = radius + s->gain + error;
#endif
  *sure = radius + s->least - error;
}

static hys_interval around(double center, double wide) {
  return hys_interval_make(hys_sub_down(center, wide), hys_add_up(center, wide));
}

static hys_interval inner(double center, double sure) {
  const double lo = hys_add_up(-sure, center), hi = hys_sub_down(sure, -center);

  return sure >= 0.0 && lo <= hi ? hys_interval_make(lo, hi) : hys_interval_empty();
}

/* Over all instants between two. */
static hys_interval chord(const run *u, const sample *p, const sample *q, double h, double bow) {
  double c0, w0, c1, w1, sure;
  const double more = hysi_rows_up(h * h / 8.0 * bow);

  value_of(u, p, &c0, &w0, &sure);
  value_of(u, q, &c1, &w1, &sure);
#ifdef HYS_PLANT_ROWS_NO_BOW
  return hys_interval_hull(around(c0, w0), around(c1, w1 + 0.0 * more));
#else
  return hys_interval_hull(around(c0, w0 + more), around(c1, w1 + more));
#endif
}

/* ---- a row's beginning ---- */

static void add_entry(run *u, uint32_t variable, hys_interval coef, bool *touched) {
  const hys_affine_rows *a = u->a;

  if (coef.lo == 0.0 && coef.hi == 0.0)
    return;
  if (a->place[variable] != UINT32_MAX) {
    const uint32_t i = a->place[variable], k = a->block_of[i];
    const double mid = hys_interval_mid(coef) * a->scale[i], sum = u->r[i] + mid;
    if (!touched[k]) {
      touched[k] = true;
      u->on[u->n_on++] = k;
    }
    u->lost[k] += (coef.lo == coef.hi ? 0.0 : hys_interval_rad(coef) * a->scale[i]) +
                  (u->r[i] == 0.0 ? 0.0 : 0x1p-52 * fabs(sum));
    u->r[i] = sum;
  } else if (a->rest_of[variable] != 0) { /* a constant: center here, radius in D */
    const size_t q = a->rest_of[variable] - 1;
    const hys_interval product = hys_interval_mul_exact(coef, hys_interval_point(a->rest_center[q]));
    const hys_interval size = hys_interval_mul_exact(coef, hys_interval_point(a->rest_radius[q]));
    const double sum = u->center + hys_interval_mid(product),
                 kept = u->first_kept[q] + hys_interval_mid(size);
    u->error_of_constant +=
        hys_interval_rad(product) + hys_interval_rad(size) + 0x1p-52 * (fabs(sum) + fabs(kept));
    u->center = sum;
    u->first_kept[q] = kept;
  } else {
    const hys_interval v = a->free[variable];
    const double mid = hys_interval_mid(v), rad = v.lo == v.hi ? 0.0 : hys_interval_rad(v);
    const hys_interval product = hys_interval_mul_exact(coef, hys_interval_point(mid));
    const double c = hys_interval_mid(product), sum = u->center + c;
    u->error_of_constant += hys_interval_rad(product) + 0x1p-52 * fabs(sum) + hys_interval_width(coef) * rad +
                            0x1p-50 * hys_interval_mag(coef) * rad;
    u->center = sum;
    u->radius += hys_interval_mag(coef) * rad;
    if (a->location->rate[variable].motion == HYS_MOTION_FLOW ||
        !(fabs(v.lo) <= DBL_MAX && fabs(v.hi) <= DBL_MAX))
      u->exact = false;
  }
}

static void filter(const run *u, const hysi_rows_sparse *from, input_list *to, const bool *touched,
                   const bool *counts) {
  size_t next = 0, column = 0;

  for (size_t j = 0; j < u->a->n_inputs; j++) {
    if (!counts[j])
      continue;
    to->start[column++] = next;
    for (size_t t = from->start[j]; t < from->start[j + 1]; t++)
      if (touched[u->a->block_of[from->entry[t].at]]) {
        to->at[next] = from->entry[t].at;
        to->value[next++] = from->entry[t].value;
      }
  }
  to->start[column] = next;
}

static void begin(run *u, const hys_affine *row, bool *touched, bool *counts) {
  const hys_affine_rows *a = u->a;

  memset(u->r, 0, a->m * sizeof *u->r);
  memset(u->lost, 0, a->n_blocks * sizeof *u->lost);
  memset(touched, 0, a->n_blocks * sizeof *touched);
  u->n_on = 0;
  u->exact = !a->tied;
  memset(u->first_kept, 0, a->n_rest * sizeof *u->first_kept);
  u->center = hys_interval_mid(row->constant);
  u->radius = 0.0;
  u->error_of_constant = row->constant.lo == row->constant.hi ? 0.0 : hys_interval_rad(row->constant);
  for (uint32_t t = 0; t < row->n; t++) {
    const uint32_t i = row->term[t].variable;
    const hys_rate *rate = &a->location->rate[i];
    if (rate->motion != HYS_MOTION_DEFINED) {
      add_entry(u, i, row->term[t].coef, touched);
    } else if (rate->affine) {
      const hys_interval c = hys_interval_mul_exact(row->term[t].coef, rate->row.constant);
      u->center += hys_interval_mid(c);
      u->error_of_constant += hys_interval_rad(c) + 0x1p-52 * fabs(u->center);
      for (uint32_t e = 0; e < rate->row.n; e++)
        add_entry(u, rate->row.term[e].variable,
                  hys_interval_mul_exact(row->term[t].coef, rate->row.term[e].coef), touched);
    } else { /* no row for it: no bound */
      u->exact = false;
      u->error_of_constant = HYSI_INF;
    }
  }
  u->error_of_constant = hysi_rows_up(u->error_of_constant + 0x1p-48 * u->radius);
  u->states = 0;
  for (size_t q = 0; q < u->n_on; q++) {
    u->states += a->block[u->on[q]].size;
    u->lost[u->on[q]] = hysi_rows_up(u->lost[u->on[q]]);
  }
#ifdef HYS_PLANT_ROWS_NO_ROUNDING
  u->gamma = 0.0;
#else
  u->gamma = hysi_gamma(u->states + u->n_on + a->n_generators + 8);
#endif
  u->n_inputs = 0;
  for (size_t j = 0; j < a->n_inputs; j++) {
    counts[j] = false;
    if (a->input[j].block != UINT32_MAX)
      counts[j] = touched[a->input[j].block];
    else
      for (size_t t = a->b.start[j]; t < a->b.start[j + 1] && !counts[j]; t++)
        counts[j] = touched[a->block_of[a->b.entry[t].at]];
    u->n_inputs += counts[j];
    /* a state that is taken as free is an enclosure, not a choice */
    if (counts[j] && a->place[a->input[j].variable] == UINT32_MAX &&
        a->location->rate[a->input[j].variable].motion == HYS_MOTION_FLOW)
      u->exact = false;
  }
  filter(u, &a->b, &u->b, touched, counts);
  filter(u, &a->ab, &u->ab, touched, counts);
}

/* r := r Phi in the blocks that count; `next` is what r was. */
static void advance(run *u) {
  const hys_affine_rows *a = u->a;
  const hysi_rows_level *l = &a->level;

  for (size_t q = 0; q < u->n_on; q++) {
    const uint32_t k = u->on[q];
    const hysi_rows_block *b = &a->block[k];
    const double *phi = l->phi[k];
    const size_t n = b->size;
    double *restrict out = u->next + b->first;
    const double *in = u->r + b->first;
    if (phi == NULL) {
      memcpy(out, in, n * sizeof *out);
      for (size_t p = 0; p < l->pieces[k]; p++)
        hysi_rows_series(a, b, l->h / (double)l->pieces[k], u->next, u->term);
    } else if (n == 1) {
      out[0] = in[0] * phi[0];
    } else if (n == 2) {
      out[0] = in[0] * phi[0] + in[1] * phi[2];
      out[1] = in[0] * phi[1] + in[1] * phi[3];
    } else {
      size_t i = 0;
      memset(out, 0, n * sizeof *out);
      for (; i + 4 <= n; i += 4) {
        const double x0 = in[i], x1 = in[i + 1], x2 = in[i + 2], x3 = in[i + 3];
        const double *p0 = phi + i * n, *p1 = p0 + n, *p2 = p1 + n, *p3 = p2 + n;
        for (size_t j = 0; j < n; j++)
          out[j] += (x0 * p0[j] + x1 * p1[j]) + (x2 * p2[j] + x3 * p3[j]);
      }
      for (; i < n; i++) {
        const double x = in[i], *p = phi + i * n;
        for (size_t j = 0; j < n; j++)
          out[j] += x * p[j];
      }
    }
    u->lost[k] = hysi_rows_up(u->lost[k] + l->local[k] * u->norm[k]);
    u->next_error[k] = hysi_rows_up(l->most[k] * u->lost[k]);
  }
  SWAP(u->r, u->next);
}

/* ---- inside of a step ---- */

/* The series of r_k exp(A s), s = at * h, from what `advance` left: false where A h is too large for it. */
static bool open_inside(run *u) {
  const hys_affine_rows *a = u->a;
  const double h = a->level.h;
  double most = 0.0, rest;

  for (size_t q = 0; q < u->n_on; q++)
    most = fmax(most, a->block[u->on[q]].norm * h);
  if (!(most <= 8.0))
    return false;
  u->order = hysi_rows_order(most, &rest);
  if (u->order > ORDER_MOST)
    return false;
  memset(u->drift_of, 0, sizeof u->drift_of);
  memset(u->rest_of, 0, a->n_rest * (ORDER_MOST + 1) * sizeof *u->rest_of);
  for (size_t q = 0; q < u->n_on; q++) {
    const uint32_t k = u->on[q];
    const hysi_rows_block *b = &a->block[k];
    const double v = hysi_rows_up(b->norm * h);
    memcpy(u->series + b->first, u->next + b->first, b->size * sizeof *u->series);
    for (unsigned p = 0; p <= u->order; p++) {
      double *now = u->series + p * a->m, *next = now + a->m;
      double dot = 0.0;
      for (size_t i = b->first; i < b->first + b->size; i++)
        dot += now[i] * a->w[i];
      u->drift_of[p] += dot * h / (p + 1);
      for (size_t c = 0; c < a->n_rest; c++) {
        const double *column = a->rest_column + c * a->m;
        dot = 0.0;
        for (size_t i = b->first; i < b->first + b->size; i++)
          dot += now[i] * column[i];
        u->rest_of[c * (ORDER_MOST + 1) + p] += dot * h / (p + 1);
      }
      if (p == u->order)
        break;
      hysi_rows_multiply_left(a, b, now, next);
      for (size_t i = b->first; i < b->first + b->size; i++)
        next[i] *= h / (p + 1);
    }
    (void)hysi_rows_order(most, &rest);
    u->growth[k] = hysi_rows_up(exp(fmax(0.0, b->growth) * h));
    u->series_lost[k] = v == 0.0 ? 0.0
                                 : hysi_rows_up(rest + hysi_rows_up(b->error_norm * h) * exp(v) +
                                                hysi_gamma((b->widest + 8) * (u->order + 2)) * exp(v));
  }
  return true;
}

/* The row a part `at` into the step that starts with `from`. */
static void look_inside(run *u, const sample *from, double at, sample *s) {
  const hys_affine_rows *a = u->a;
  const double h = a->level.h;
  double moved = 0.0, lost = 0.0;

  for (size_t q = 0; q < u->n_on; q++) {
    const uint32_t k = u->on[q];
    const hysi_rows_block *b = &a->block[k];
    const double size = exp(b->norm * h) * u->norm[k];
    for (size_t i = b->first; i < b->first + b->size; i++)
      u->inside[i] = u->series[u->order * a->m + i];
    for (unsigned p = u->order; p-- > 0;)
      for (size_t i = b->first; i < b->first + b->size; i++)
        u->inside[i] = u->inside[i] * at + u->series[p * a->m + i];
    u->inside_error[k] = hysi_rows_up(u->error[k] * u->growth[k] + u->series_lost[k] * u->norm[k]);
    lost += h * ((u->inside_error[k] + u->gamma * size * (u->order + 2)) *
                     (b->drift + b->drift_error + b->rest + b->rest_error) +
                 size * (b->drift_error + b->rest_error));
  }
  for (unsigned p = u->order + 1; p-- > 0;)
    moved = moved * at + u->drift_of[p];
  fill(u, u->inside, u->inside_error, NULL, s);
  for (size_t c = 0; c < a->n_rest; c++) {
    const double *of = u->rest_of + c * (ORDER_MOST + 1);
    double sum = 0.0;
    for (unsigned p = u->order + 1; p-- > 0;)
      sum = sum * at + of[p];
    s->kept[c] = from->kept[c] + sum * at;
    lost += 0x1p-50 * fabs(s->kept[c]);
  }
  s->at = at;
  s->moved = from->moved + moved * at;
  s->error = hysi_rows_up(from->error + lost + 0x1p-50 * fabs(s->moved));
}

static void copy(const run *u, sample *to, const sample *from) {
  const sample own = *to;

  *to = *from;
  to->f = own.f;
  to->slope = own.slope;
  to->held = own.held;
  to->kept = own.kept;
  memcpy(to->f, from->f, u->n_inputs * sizeof *to->f);
  memcpy(to->slope, from->slope, u->n_inputs * sizeof *to->slope);
  memcpy(to->kept, from->kept, u->a->n_rest * sizeof *to->kept);
}

/* The step cut in pieces, from the left, until each one's tube is good enough. */
static hys_interval refine(run *u, const sample *start, const sample *end, size_t row, hys_interval *taken) {
  const double h = u->a->level.h;
  unsigned left = u->job->pieces > 0 ? u->job->pieces : PIECES;
  hys_interval tube = hys_interval_empty();
  sample *now = &u->stack[0];
  size_t top = 1; /* stack[1..top]: right ends, the next one on top */

  copy(u, now, start);
  now->at = 0.0;
  copy(u, &u->stack[1], end);
  u->stack[1].at = 1.0;
  while (top > 0) {
    sample *right = &u->stack[top];
    const double wide = h * (right->at - now->at);
    hys_interval piece;
    double center, more, sure;
    add_inputs(u, wide, now, start->curve2, start->curve4, right);
    piece = chord(u, now, right, wide, start->bow);
    if (left > 0 && top < DEPTH && !hys_interval_inside_surely(piece, u->job->enough[row])) {
      look_inside(u, start, 0.5 * (now->at + right->at), &u->stack[++top]);
      left--;
      continue;
    }
    tube = hys_interval_hull(tube, piece);
    if (u->exact) {
      value_of(u, right, &center, &more, &sure);
      *taken = hys_interval_hull(*taken, inner(center, sure));
    }
    { /* the right end is the next left one */
      sample swap = *now;
      *now = *right;
      *right = swap;
    }
    top--;
  }
  return tube;
}

/* ---- the run ---- */

static hys_status open_run(run *u, const hys_affine_rows *a, const hys_affine_rows_job *job, sample *s,
                           bool **touched, bool **counts) {
  const size_t m = a->m + 1, blocks = a->n_blocks + 1, inputs = a->n_inputs + 1;
  hys_arena *arena = hys_arena_create(a->allocator);
  double *f, *per_block;

  memset(u, 0, sizeof *u);
  u->a = a;
  u->job = job;
  u->arena = arena;
  if (arena == NULL)
    return HYS_ERR_MEMORY;
  u->r = hys_arena_alloc(arena, 6 * m, sizeof *u->r);
  per_block = hys_arena_alloc(arena, 8 * blocks, sizeof *per_block);
  u->on = hys_arena_alloc(arena, blocks, sizeof *u->on);
  *touched = hys_arena_alloc(arena, blocks, sizeof **touched);
  *counts = hys_arena_alloc(arena, inputs, sizeof **counts);
  u->b.start = hys_arena_alloc(arena, inputs + 1, sizeof *u->b.start);
  u->ab.start = hys_arena_alloc(arena, inputs + 1, sizeof *u->ab.start);
  u->b.at = hys_arena_alloc(arena, a->n_inputs > 0 ? a->b.start[a->n_inputs] + 1 : 1, sizeof *u->b.at);
  u->b.value = hys_arena_alloc(arena, a->n_inputs > 0 ? a->b.start[a->n_inputs] + 1 : 1, sizeof *u->b.value);
  u->ab.at = hys_arena_alloc(arena, a->n_inputs > 0 ? a->ab.start[a->n_inputs] + 1 : 1, sizeof *u->ab.at);
  u->ab.value =
      hys_arena_alloc(arena, a->n_inputs > 0 ? a->ab.start[a->n_inputs] + 1 : 1, sizeof *u->ab.value);
  f = hys_arena_alloc(arena, 2 * (DEPTH + 4) * (inputs + a->n_rest) + a->n_rest * (ORDER_MOST + 2),
                      sizeof *f);
  if (job->enough != NULL)
    u->series = hys_arena_alloc(arena, (ORDER_MOST + 1) * m, sizeof *u->series);
  if (u->r == NULL || per_block == NULL || u->on == NULL || *touched == NULL || *counts == NULL ||
      u->b.start == NULL || u->ab.start == NULL || u->b.at == NULL || u->b.value == NULL ||
      u->ab.at == NULL || u->ab.value == NULL || f == NULL || (job->enough != NULL && u->series == NULL))
    return HYS_ERR_MEMORY;
  u->next = u->r + m;
  u->term = u->r + 2 * m; /* two of them */
  u->inside = u->r + 4 * m;
  u->lost = per_block;
  u->norm = per_block + blocks;
  u->error = per_block + 2 * blocks;
  u->series_lost = per_block + 3 * blocks;
  u->growth = per_block + 4 * blocks;
  u->inside_error = per_block + 5 * blocks;
  u->next_norm = per_block + 6 * blocks;
  u->next_error = per_block + 7 * blocks;
  for (size_t k = 0; k < DEPTH + 4; k++) {
    sample *to = k < DEPTH + 2 ? &u->stack[k] : &s[k - DEPTH - 2];
    to->f = f;
    to->slope = f + inputs;
    to->held = f + 2 * inputs;
    to->kept = to->held + a->n_rest;
    f = to->kept + a->n_rest;
  }
  u->first_kept = f;
  u->rest_of = f + a->n_rest;
  return HYS_OK;
}

static hys_affine_rows_next run_row(run *u, size_t row, sample *s, bool *spent) {
  const hysi_rows_level *l = &u->a->level;
  const hys_affine_rows_job *job = u->job;
  hys_affine_rows_step step = {.row = row};
  hys_affine_rows_next next;
  double center, wide, sure;

  for (size_t q = 0; q < u->n_on; q++)
    u->error[u->on[q]] = hysi_rows_up(l->most[u->on[q]] * u->lost[u->on[q]]);
  fill(u, u->r, u->error, u->norm, &s[0]);
  memcpy(s[0].kept, u->first_kept, u->a->n_rest * sizeof *s[0].kept);
  s[0].moved = s[0].gain = s[0].least = s[0].error = 0.0;
  value_of(u, &s[0], &center, &wide, &sure);
  step.tube = step.end = around(center, wide);
  step.reached = step.taken = u->exact ? inner(center, sure) : hys_interval_empty();
  next = job->look(job->context, &step);
  for (size_t k = 1; k <= l->steps && next == HYS_ROWS_GO_ON; k++) {
    sample *from = &s[(k - 1) & 1U], *to = &s[k & 1U];
    if (job->more != NULL && k % ASK_EVERY == 0 && !job->more(job->budget)) {
      *spent = true;
      return HYS_ROWS_END;
    }
    step.k = k;
    step.t0 = (double)(k - 1) * l->h;
    step.t1 = (double)k * l->h;
    advance(u);
    fill(u, u->r, u->next_error, u->next_norm, to);
    to->moved = from->moved + from->drift;
    to->error =
        from->error + from->drift_error + 0x1p-52 * (fabs(to->moved) + from->gain + fabs(from->drift));
    for (size_t q = 0; q < u->a->n_rest; q++) {
      to->kept[q] = from->kept[q] + from->held[q];
      to->error += 0x1p-52 * (fabs(to->kept[q]) + fabs(from->held[q]));
    }
    to->error = hysi_rows_up(to->error);
    add_inputs(u, l->h, from, from->curve2, from->curve4, to);
    step.tube = chord(u, from, to, l->h, from->bow);
    value_of(u, to, &center, &wide, &sure);
    step.end = around(center, wide);
    step.reached = step.taken = u->exact ? inner(center, sure) : hys_interval_empty();
    if (job->enough != NULL && !hys_interval_inside_surely(step.tube, job->enough[row]) && open_inside(u))
      step.tube = hys_interval_intersect(step.tube, refine(u, from, to, row, &step.taken));
    SWAP(u->error, u->next_error);
    SWAP(u->norm, u->next_norm);
    next = job->look(job->context, &step);
  }
  return next;
}

hys_status hys_affine_rows_run(const hys_affine_rows *a, const hys_affine_rows_job *job) {
  hys_affine_rows_next next = HYS_ROWS_GO_ON;
  bool *touched, *counts, spent = false;
  sample s[2];
  run *u;
  hys_status status;

  if (a->level.arena == NULL)
    return HYS_ERR_STATE;
  memset(s, 0, sizeof s);
  u = hys_allocate(a->allocator, sizeof *u);
  if (u == NULL)
    return HYS_ERR_MEMORY;
  status = open_run(u, a, job, s, &touched, &counts);
  for (size_t row = 0; row < job->n_rows && next != HYS_ROWS_END && status == HYS_OK; row++) {
    begin(u, &job->row[row], touched, counts);
    next = run_row(u, row, s, &spent);
    if (spent)
      status = HYS_ERR_LIMIT;
  }
  hys_arena_destroy(u->arena);
  hys_release(a->allocator, u);
  return status;
}
