/* One step size: exp(A h) a block, how much its errors can grow, and the weights that rows are multiplied by.
 *
 * Exponential of a dense block: Taylor series at A h / 2^k of norm <= 1/2, then k squarings, in plain
 * doubles; the loss is bounded in norm beside it: the remainder v^(p+1)/(p+1)! / (1 - v/(p+2)), gamma_n a
 * product, and e (2 ||P|| + e) a squaring.  Big blocks are not made dense: the series acts on the row itself.
 *
 * Growth: a loss made at step j is multiplied by exp(A (k - j) h).  Its norm is below exp(growth t) (growth:
 * the logarithmic norm) and below what the powers themselves show: M_1 = max_{j < q} ||Phi^j||, M_2 = max_i
 * ||Phi^(q i)||, .., the product of which bounds every power; one of norm below 1 ends its list.  The powers'
 * own losses are bounded by the M found before them. */
#include "core/affine_rows_system.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
  DENSE = 200,      /* states: blocks up to this size get a matrix */
  DENSE_FULL = 500, /* and up to this if A is not sparse there */
  TERMS = 200       /* of the series of exp(|A| h) */
};

unsigned hysi_rows_order(double v, double *rest) {
  double term = 1.0;
  unsigned p = 0;

#ifdef HYS_PLANT_ROWS_FEW_TERMS /* no fault yet: makes the remainder large enough to be missed */
  const double enough = 1e-5;
#else
  const double enough = 0x1p-60;
#endif
  do {
    p++;
    term = hysi_up(term * v / (p + 1.0)); /* v^(p+1) / (p+1)!, short of one factor v */
  } while (p < TERMS && (term * v > enough || v > 0.5 * (p + 2.0)));
  *rest = !(v < p + 2.0) ? HYSI_INF : v > 0.0 ? hysi_up(term * v / (1.0 - v / (p + 2.0))) : 0.0;
#ifdef HYS_PLANT_ROWS_NO_REMAINDER
  *rest = 0.0;
#endif
  return p;
}

/* What a series of order p for exp of a matrix of norm v and of dot products of n terms loses by rounding,
 * relative to what it acts on; *sum: the norm of what is computed. */
static double series_rounding(unsigned p, double v, size_t n, double *sum) {
  const double gamma = hysi_gamma(n + 4);
  double term = 1.0, lost = 0.0, all = 0.0, norm = 1.0;

  for (unsigned k = 1; k <= p; k++) {
    lost = v / k * (lost + gamma * term);
    term = v / k * (1.0 + gamma) * term;
    all += lost;
    norm += term;
  }
  *sum = hysi_up(norm);
#ifdef HYS_PLANT_ROWS_NO_ROUNDING
  return 0.0 * all;
#else
  return hysi_rows_up(all + hysi_gamma(p + 1) * norm);
#endif
}

void hysi_rows_series(const hys_affine_rows *a, const hysi_rows_block *b, double t, double *r, double *term) {
  double rest, *now = term, *next = term + a->m;
  const unsigned p = hysi_rows_order(hysi_rows_up(b->norm * t), &rest);

  memcpy(now + b->first, r + b->first, b->size * sizeof *r);
  for (unsigned k = 1; k <= p && b->norm > 0.0; k++) {
    const double f = t / k;
    double *swap = now;
    hysi_rows_multiply_left(a, b, now, next);
    for (size_t i = b->first; i < b->first + b->size; i++) {
      next[i] *= f;
      r[i] += next[i];
    }
    now = next;
    next = swap;
  }
}

double hysi_rows_series_loss(const hysi_rows_block *b, double t) {
  const double v = hysi_rows_up(b->norm * t), x = hysi_rows_up(b->error_norm * t);
  double rest, sum;
  const unsigned p = hysi_rows_order(v, &rest);
  const double rounding = series_rounding(p, v, b->widest, &sum);

  return v == 0.0 ? 0.0 : hysi_rows_up(rest + rounding + x * exp(v) * (1.0 + 1e-9));
}

/* y += P y or y := P y ... in one block: c := a b, dense. */
static void product(size_t n, const double *restrict x, const double *restrict y, double *restrict z) {
  for (size_t i = 0; i < n; i++) {
    double *restrict out = z + i * n;
    for (size_t j = 0; j < n; j++)
      out[j] = 0.0;
    for (size_t k = 0; k < n; k++) {
      const double f = x[i * n + k];
      const double *restrict row = y + k * n;
      if (f == 0.0)
        continue;
      for (size_t j = 0; j < n; j++)
        out[j] += f * row[j];
    }
  }
}

static double norm_of(size_t n, const double *x) {
  double norm = 0.0;

  for (size_t i = 0; i < n; i++) {
    double sum = 0.0;
    for (size_t j = 0; j < n; j++)
      sum += fabs(x[i * n + j]);
    if (!(sum < HYSI_INF))
      return HYSI_INF;
    norm = fmax(norm, sum);
  }
  return hysi_up(norm);
}

/* int_0^t exp(A s) w ds by its series, ||A|| t <= 1, into y (its block); returns the loss of an entry.  term:
 * 3 m. */
static double drift_series(const hys_affine_rows *a, const hysi_rows_block *b, double t, const double *w,
                           const double *w_error, double *y, double *term) {
  const size_t first = b->first, end = first + b->size;
  const double v = hysi_rows_up(b->norm * t);
  double rest, sum, most = 0.0, error = 0.0, *now = term, *next = term + a->m, *lost = term + 2 * a->m;
  const unsigned p = hysi_rows_order(v, &rest);

  for (size_t i = first; i < end; i++) {
    most = fmax(most, fabs(w[i]));
    error = fmax(error, w_error[i]);
    now[i] = w[i] * t;
    y[i] = now[i];
  }
  for (unsigned k = 1; k <= p && b->norm > 0.0 && most > 0.0; k++) {
    double *swap = now;
    hysi_rows_multiply(a, b, now, NULL, next, lost);
    for (size_t i = first; i < end; i++) {
      next[i] *= t / (k + 1.0);
      y[i] += next[i];
    }
    now = next;
    next = swap;
  }
  return hysi_rows_up(t * (most * (rest + series_rounding(p, v, b->widest, &sum) + 0x1p-51 +
                                   hysi_rows_up(b->error_norm * t) * exp(v) * (1.0 + 1e-9)) +
                           error * exp(v) * (1.0 + 1e-9)));
}

/* Column c of what is held over a step: 0 is w, the others those of the constants. */
typedef struct column {
  const double *w, *w_error;
  double *y;
  double error;
} column;

static column column_of(const hys_affine_rows *a, size_t c, double *drift) {
  return c == 0 ? (column){a->w, a->w_error, drift, 0.0}
                : (column){a->rest_column + (c - 1) * a->m, a->rest_error + (c - 1) * a->m,
                           a->level.held + (c - 1) * a->m, 0.0};
}

/* Notes the loss of a column in block k. */
static void note_column(hys_affine_rows *a, size_t k, size_t c, double error) {
  if (c == 0)
    a->level.drift_error[k] = error;
  else
    a->level.rest_error[k] = hysi_rows_up(a->level.rest_error[k] + error);
}

/* ---- the exponential of a dense block ---- */

static hys_status dense_block(hys_affine_rows *a, size_t k, double *drift, double *term) {
  const hysi_rows_block *b = &a->block[k];
  hysi_rows_level *l = &a->level;
  const size_t n = b->size, first = b->first;
  const double gamma = hysi_gamma(n + 2);
  double *p = hys_arena_alloc(l->arena, n * n, sizeof *p), *x, *t, *s, v = hysi_rows_up(b->norm * l->h), rest,
         sum, error;
  int halvings = 0;
  double tau = l->h, *column_error = hys_arena_alloc(l->arena, a->n_rest + 1, sizeof *column_error);
  unsigned order;

  /* one work space for all blocks would do; blocks are few or small */
  x = hys_arena_alloc(l->arena, 3 * n * n, sizeof *x);
  if (p == NULL || x == NULL || column_error == NULL)
    return HYS_ERR_MEMORY;
  t = x + n * n;
  s = x + 2 * n * n;
  while (v > 0.5 && halvings < 60) {
    v *= 0.5;
    tau *= 0.5;
    halvings++;
  }
  if (v > 0.5)
    return HYS_ERR_NUMERIC;
  order = hysi_rows_order(v, &rest);
  for (size_t i = 0; i < n; i++) {
    for (size_t e = a->a.start[first + i]; e < a->a.start[first + i + 1]; e++)
      x[i * n + a->a.entry[e].at - first] = a->a.entry[e].value * tau;
    p[i * n + i] = t[i * n + i] = 1.0;
  }
  for (unsigned q = 1; q <= order && b->norm > 0.0; q++) {
    double *swap = t;
    product(n, t, x, s);
    for (size_t i = 0; i < n * n; i++) {
      s[i] /= q;
      p[i] += s[i];
    }
    t = s;
    s = swap;
  }
  error = v == 0.0 ? 0.0
                   : hysi_rows_up(rest + series_rounding(order, v, n, &sum) +
                                  (b->error_norm * tau + 0x1p-52 * v) * exp(v) * (1.0 + 1e-9));
  for (size_t c = 0; c <= a->n_rest; c++) {
    const column o = column_of(a, c, drift);
    column_error[c] = drift_series(a, b, tau, o.w, o.w_error, o.y, term);
  }
  for (int q = 0; q < halvings; q++) {
    const double norm = norm_of(n, p);
    for (size_t c = 0; c <= a->n_rest; c++) { /* int to 2 t = int to t + exp(A t) int to t */
      const column o = column_of(a, c, drift);
      double most = 0.0;
      for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(o.y[first + i]));
      for (size_t i = 0; i < n; i++) {
        double dot = 0.0;
        for (size_t j = 0; j < n; j++)
          dot += p[i * n + j] * o.y[first + j];
        term[i] = o.y[first + i] + dot;
      }
      memcpy(o.y + first, term, n * sizeof *term);
      column_error[c] = hysi_rows_up(column_error[c] * (1.0 + norm + error) +
                                     (error + gamma * norm + 0x1p-52 * (1.0 + norm)) * most);
    }
    product(n, p, p, s);
    error = hysi_rows_up(error * (2.0 * norm + error) + gamma * norm * norm);
    {
      double *swap = p;
      p = s;
      s = swap;
    }
    if (!(error < 1e6))
      return HYS_ERR_NUMERIC;
  }
  l->phi[k] = p;
#ifdef HYS_PLANT_ROWS_NO_ROUNDING
  l->local[k] = error;
#else
  l->local[k] = v == 0.0 ? 0.0 : hysi_rows_up(error + gamma * norm_of(n, p));
#endif
  for (size_t c = 0; c <= a->n_rest; c++)
    note_column(a, k, c, column_error[c]);
  return HYS_OK;
}

/* A block whose exponential is not made: exp(A h) in pieces of norm <= 1. */
static void series_block(hys_affine_rows *a, size_t k, double *drift, double *term) {
  const hysi_rows_block *b = &a->block[k];
  hysi_rows_level *l = &a->level;
  const double pieces = fmax(1.0, ceil(hysi_rows_up(b->norm * l->h))), tau = l->h / pieces;
  const double step = exp(fmax(0.0, b->growth) * tau) * (1.0 + 1e-9);
  const double loss = hysi_rows_series_loss(b, tau) + 0x1p-50 * b->norm * tau;
  double *first = term + 3 * a->m, *y = term + 4 * a->m;

  l->pieces[k] = (size_t)pieces;
  l->local[k] = hysi_rows_up(pieces * loss * pow(step + loss, pieces) * (1.0 + 1e-9));
  for (size_t c = 0; c <= a->n_rest; c++) {
    const column o = column_of(a, c, drift);
    const double one = drift_series(a, b, tau, o.w, o.w_error, first, term);
    double error = one;
    memcpy(o.y + b->first, first + b->first, b->size * sizeof *first);
    for (size_t q = 1; q < l->pieces[k]; q++) { /* y := first + exp(A tau) y */
      double rest, most = 0.0, *now = term, *next = term + a->m, *lost = term + 2 * a->m;
      const unsigned p = hysi_rows_order(hysi_rows_up(b->norm * tau), &rest);
      for (size_t i = b->first; i < b->first + b->size; i++) {
        most = fmax(most, fabs(o.y[i]));
        now[i] = y[i] = o.y[i];
      }
      for (unsigned r = 1; r <= p && most > 0.0; r++) {
        double *swap = now;
        hysi_rows_multiply(a, b, now, NULL, next, lost);
        for (size_t i = b->first; i < b->first + b->size; i++) {
          next[i] *= tau / r;
          y[i] += next[i];
        }
        now = next;
        next = swap;
      }
      for (size_t i = b->first; i < b->first + b->size; i++)
        o.y[i] = first[i] + y[i];
      error = hysi_rows_up(step * error + loss * most + one + 0x1p-52 * (most * (step + 1.0)));
    }
    note_column(a, k, c, error);
  }
}

/* ---- growth ---- */

/* A bound of ||exp(A t)|| for all t up to the last step that a row meets, at multiples of h. */
static hys_status growth_of(hys_affine_rows *a, size_t k) {
  const hysi_rows_block *b = &a->block[k];
  hysi_rows_level *l = &a->level;
  const size_t n = b->size;
  const double exponent = fmax(0.0, b->growth) * l->h * (double)l->steps;
  const double by_log = exponent < 700.0 ? exp(exponent) * (1.0 + 1e-9) : HYSI_INF;
  double *power, *next, *base, total = 1.0, base_error;
  const unsigned levels = n <= 64 ? 2 : n <= 128 ? 3 : 4;
  size_t base_step = 1;
  bool all = false; /* the lists go up to the last step */
  hys_arena *arena;

  l->most[k] = fmax(1.0, by_log);
  if (by_log <= 64.0 || l->phi[k] == NULL)
    return HYS_OK;
  arena = hys_arena_create(a->allocator);
  power = arena != NULL ? hys_arena_alloc(arena, 3 * n * n, sizeof *power) : NULL;
  if (power == NULL) {
    hys_arena_destroy(arena);
    return HYS_ERR_MEMORY;
  }
  next = power + n * n;
  base = power + 2 * n * n;
  memcpy(base, l->phi[k], n * n * sizeof *base);
  base_error = l->local[k];
  const double q = ceil(pow((double)l->steps + 1.0, 1.0 / levels));
  while (!all) {
    const size_t count = (size_t)q;
    const double base_norm = hysi_rows_up(norm_of(n, base) + base_error),
                 loss = hysi_rows_up(base_error + hysi_gamma(n) * base_norm);
    double most = fmax(1.0, base_norm), lost = base_error, norm = base_norm, sum = 0.0;
    size_t j = 1;
    bool shrinks = base_norm < 1.0;
    memcpy(power, base, n * n * sizeof *base);
    /* power ~ base^j with ||base^j - power|| <= lost = (max ||base^i||) * (sum of the losses) */
    for (j = 2; j <= count && !shrinks && (j - 1) * base_step <= l->steps; j++) {
      double *swap = power;
      sum += loss * norm;
      product(n, power, base, next);
      power = next;
      next = swap;
      lost = hysi_rows_up(base_error * most + most * sum);
      norm = hysi_rows_up(norm_of(n, power) + lost);
      if (!(norm < 1e30)) {
        total = HYSI_INF;
        break;
      }
      shrinks = norm < 1.0;
      if (norm > most)
        most = norm;
    }
    total *= most;
    if (!(total < 1e30) || !(lost < 1.0)) {
      total = HYSI_INF;
      break;
    }
    /* power is base^(j-1): the next list's base */
    all = shrinks || count < 2 || base_step > l->steps / (j - 1);
    base_step *= j - 1;
    memcpy(base, power, n * n * sizeof *base);
    base_error = lost;
  }
  if (total < l->most[k])
    l->most[k] = hysi_rows_up(total);
  hys_arena_destroy(arena);
  return HYS_OK;
}

/* y := exp(|A| h) y from above, in one block. */
static void spread(const hys_affine_rows *a, const hysi_rows_block *b, double h, double *y, double *term) {
  const size_t first = b->first, end = first + b->size;
  const double v = hysi_rows_up(b->norm * h);
  double *now = term, *next = term + a->m, most = 0.0, rest = 1.0;

  for (size_t i = first; i < end; i++) {
    now[i] = y[i];
    most = fmax(most, y[i]);
  }
  if (v == 0.0 || most == 0.0)
    return;
  for (unsigned k = 1; k < TERMS; k++) {
    double *swap = now;
    for (size_t i = first; i < end; i++) {
      double sum = 0.0;
      for (size_t t = a->a.start[i]; t < a->a.start[i + 1]; t++)
        sum += (fabs(a->a.entry[t].value) + a->a.entry[t].error) * now[a->a.entry[t].at];
      next[i] = hysi_rows_up(sum * h / k);
      y[i] += next[i];
    }
    now = next;
    next = swap;
    rest = hysi_rows_up(rest * v / k); /* v^k / k! */
    if (v < 0.5 * (k + 2.0) && rest * v / (k + 1.0) < 1e-13) {
      rest = hysi_rows_up(rest * v / (k + 1.0) / (1.0 - v / (k + 2.0)));
      break;
    }
    if (k == TERMS - 1)
      rest = HYSI_INF;
  }
  for (size_t i = first; i < end; i++)
    y[i] = hysi_rows_up(y[i] + most * rest);
}

hys_status hysi_rows_level_make(hys_affine_rows *a, double h, size_t steps) {
  hysi_rows_level *l = &a->level;
  const size_t blocks = a->n_blocks + 1;
  double *drift, *term, *bow, *curve2, *curve4, *per_block;
  hys_status status = HYS_OK;

  hys_arena_destroy(l->arena);
  memset(l, 0, sizeof *l);
  l->arena = hys_arena_create(a->allocator);
  if (l->arena == NULL)
    return HYS_ERR_MEMORY;
  l->h = h;
  l->steps = steps;
  l->phi = hys_arena_alloc(l->arena, blocks, sizeof(double *));
  l->pieces = hys_arena_alloc(l->arena, blocks, sizeof *l->pieces);
  per_block = hys_arena_alloc(l->arena, 9 * blocks, sizeof *per_block);
  l->weight = hys_arena_alloc(l->arena, a->m + 1, sizeof *l->weight);
  l->held = hys_arena_alloc(l->arena, a->n_rest * a->m + 1, sizeof *l->held);
  drift = hys_arena_alloc(l->arena, 4 * a->m + 1, sizeof *drift);
  term = hys_arena_alloc(l->arena, 5 * a->m + 1, sizeof *term);
  if (l->phi == NULL || l->pieces == NULL || per_block == NULL || l->weight == NULL || l->held == NULL ||
      drift == NULL || term == NULL)
    return HYS_ERR_MEMORY;
  l->local = per_block;
  l->most = per_block + blocks;
  l->drift = per_block + 2 * blocks;
  l->drift_error = per_block + 3 * blocks;
  l->curve2 = per_block + 4 * blocks;
  l->curve4 = per_block + 5 * blocks;
  l->bow = per_block + 6 * blocks;
  l->rest = per_block + 7 * blocks;
  l->rest_error = per_block + 8 * blocks;
  bow = drift + a->m;
  curve2 = drift + 2 * a->m;
  curve4 = drift + 3 * a->m;
  memcpy(bow, a->bow, 3 * a->m * sizeof *bow); /* with curve2 and curve4 */
  for (size_t k = 0; k < a->n_blocks && status == HYS_OK; k++) {
    const hysi_rows_block *b = &a->block[k];
    const double full = (double)b->size * (double)b->size;
    const bool dense =
        b->size <= DENSE || (b->size <= DENSE_FULL &&
                             (double)(a->a.start[b->first + b->size] - a->a.start[b->first]) > 0.1 * full);
    if (dense)
      status = dense_block(a, k, drift, term);
    else
      series_block(a, k, drift, term);
    if (status == HYS_OK)
      status = growth_of(a, k);
    spread(a, b, h, bow, term);
    spread(a, b, h, curve2, term);
    spread(a, b, h, curve4, term);
    for (size_t i = b->first; i < b->first + b->size; i++) {
      double rest = 0.0;
      for (size_t q = 0; q < a->n_rest; q++)
        rest += fabs(l->held[q * a->m + i]);
      l->rest[k] = fmax(l->rest[k], hysi_rows_up(rest));
      l->drift[k] = fmax(l->drift[k], fabs(drift[i]));
      l->bow[k] = fmax(l->bow[k], bow[i]);
      l->curve2[k] = fmax(l->curve2[k], curve2[i]);
      l->curve4[k] = fmax(l->curve4[k], curve4[i]);
      l->weight[i] = (hysi_rows_weight){a->radius[i], curve2[i], curve4[i], bow[i], a->center[i], drift[i]};
    }
  }
  return status;
}
