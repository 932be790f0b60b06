/* The bounds of a step.
 *
 * x' = A x + w, w = B u + c, u(t) in the box U at each time.  With x(t) = exp(A t) x0 + int_0^t exp(A s)
 * w(t-s) ds and, for a half-space n.x <= c0 that holds all through [0,t] and any multiplier >= 0 (Fubini's
 * theorem), 0 <= multiplier int_0^t (c0 - n.x(s)) ds = multiplier (c0 t - q(t).x0 - int_0^t q(s).w(t-s) ds),
 * q(t)^T = int_0^t n^T exp(A s) ds, the row f(t)^T = l^T exp(A t) - multiplier q(t)^T bounds l.x: l.x(t) <=
 * f(t).x0 + int_0^t max { f(s).w : w in W } ds + multiplier c0 t. f(0) = l and f'(t) = d exp(A t) with d =
 * l^T A - multiplier n^T: what cancels in d is gone exactly, in all of f. For fixed x0 the right-hand side
 * has a.e. the second derivative f''.x0 + (f' B)_j u_j + f'.c with the maximising u_j (one of U_j's ends
 * wherever (f B)_j is not zero); a function whose second derivative is at least m lies below its chord plus
 * h^2/8 max(0,-m), which gives the bound inside the step.
 *
 * A long step is cut into pieces of a length L with ||A|| L <= 1, on each of which f is a short series. */
#include "models/prepare_flow.h"

#include <float.h>
#include <math.h>

#include "models/flow_series.h"

/* h_0: with it the last level is one tick. */
#define STEP_LONGEST 1.0

enum {
  PIECES_MAX = 256,
  NORM_MAX = 8192, /* of A, 1/s: beyond, a piece's series would be long */
#ifdef HYS_PLANT_FEW_TERMS
  TERMS_BITS = 12,
#else
  TERMS_BITS = 130, /* remainders below 2^-TERMS_BITS */
#endif
  PREC_LEAST = 192
};

/* One row to be bounded. */
typedef struct row_request {
  slong variable;
  bool upper;
  int pin;            /* index of the half-space, -1: none */
  slong pin_variable; /* factor x <= bound */
  hys_interval pin_factor, pin_bound;
  double multiplier;
} row_request;

enum { POLY_GAIN, POLY_SLOPE, POLY_BEND, POLY_DRIFT, POLY_SUM_SLOPE, POLY_SUM_BEND, POLYS };

typedef struct prepare_work {
  slong n, m, prec;
  double norm;       /* of A, bounded from above */
  arb_mat_t a, e, g; /* A, exp(A L) and int_0^L exp(A s) ds */
  arb_ptr b;         /* columns of B: m times n */
  arb_ptr c;         /* n */
  const hys_interval *u;
  arb_ptr f, d, t; /* n: the row and its derivative's at the start of a piece, a spare one */
  hysi_range curve[HYS_MAX_STATES], curve_input[HYS_MAX_STATES];
  hysi_range bend, one, extra;
  arb_t total, x;
  /* of a level */
  double length; /* L */
  long pieces;
  hysi_series series;
  arb_ptr poly[POLYS];
} prepare_work;

static bool finite_interval(hys_interval a) {
  return a.lo <= a.hi && fabs(a.lo) <= DBL_MAX && fabs(a.hi) <= DBL_MAX;
}

static bool finite_all(const hys_interval *a, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!finite_interval(a[i]))
      return false;
  return true;
}

static bool zero_interval(hys_interval a) {
  return a.lo == 0.0 && a.hi == 0.0;
}

static bool zero_all(const hys_interval *a, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!zero_interval(a[i]))
      return false;
  return true;
}

static double norm_above(const hys_interval *a, size_t n) {
  double norm = 0.0;
  for (size_t i = 0; i < n; i++) {
    double sum = 0.0;
    for (size_t j = 0; j < n; j++)
      sum = hys_add_up(sum, hys_interval_mag(a[i * n + j]));
    norm = sum > norm ? sum : norm;
  }
  return norm;
}

/* The number of terms after which the remainder of exp is below 2^-TERMS_BITS; only tightness hangs on that.
 */
static slong terms_for(double v) {
  const double step = v > 0x1p-60 ? log2(v) : -60.0;
  double bits = 0.0;
  slong k = 0;
  do {
    k++;
    bits += log2((double)k) - step;
  } while (bits < TERMS_BITS || k < 3 || (double)k < v + 4.0);
  return k;
}

static void work_init(prepare_work *w, const hys_flow *flow, slong n, slong m, const hys_interval *u) {
  w->n = n;
  w->m = m;
  w->u = u;
  w->norm = norm_above(flow->a, (size_t)n);
  w->prec = PREC_LEAST + (slong)fmin(w->norm, 256.0);
  arb_mat_init(w->a, n, n);
  arb_mat_init(w->e, n, n);
  arb_mat_init(w->g, n, n);
  w->b = _arb_vec_init(n * m);
  w->c = _arb_vec_init(n);
  w->f = _arb_vec_init(n);
  w->d = _arb_vec_init(n);
  w->t = _arb_vec_init(n);
  arb_init(w->total);
  arb_init(w->x);
  hysi_range_init(&w->bend);
  hysi_range_init(&w->one);
  hysi_range_init(&w->extra);
  for (slong i = 0; i < n; i++) {
    hysi_range_init(&w->curve[i]);
    hysi_range_init(&w->curve_input[i]);
    hysi_arb_set_interval(w->c + i, flow->c[i], w->prec);
    for (slong j = 0; j < n; j++)
      hysi_arb_set_interval(arb_mat_entry(w->a, i, j), flow->a[i * n + j], w->prec);
    for (slong j = 0; j < m; j++)
      hysi_arb_set_interval(w->b + j * n + i, flow->b[i * m + j], w->prec);
  }
}

static void work_clear(prepare_work *w) {
  arb_mat_clear(w->a);
  arb_mat_clear(w->e);
  arb_mat_clear(w->g);
  _arb_vec_clear(w->b, w->n * w->m);
  _arb_vec_clear(w->c, w->n);
  _arb_vec_clear(w->f, w->n);
  _arb_vec_clear(w->d, w->n);
  _arb_vec_clear(w->t, w->n);
  arb_clear(w->total);
  arb_clear(w->x);
  hysi_range_clear(&w->bend);
  hysi_range_clear(&w->one);
  hysi_range_clear(&w->extra);
  for (slong i = 0; i < w->n; i++) {
    hysi_range_clear(&w->curve[i]);
    hysi_range_clear(&w->curve_input[i]);
  }
}

/* Chooses the pieces of a step h and makes their matrices. */
static void level_init(prepare_work *w, double h) {
  w->length = h;
  w->pieces = 1;
  while (w->norm * w->length > 1.0 && w->pieces < PIECES_MAX) {
    w->length *= 0.5;
    w->pieces *= 2;
  }
  const double v = hys_mul_up(w->norm, w->length);
  hysi_series *s = &w->series;
  hysi_series_init(s, w->n, terms_for(v), w->prec);
  for (int k = 0; k < POLYS; k++)
    w->poly[k] = _arb_vec_init(s->len);
  arb_set_d(w->x, w->length);
  _arb_vec_zero(w->f, w->n);
  for (slong i = 0; i < w->n; i++) {
    _arb_vec_zero(w->d, w->n);
    arb_one(w->d + i);
    hysi_series_make(s, w->f, w->d, w->a, v);
    for (slong j = 0; j < w->n; j++) {
      _arb_poly_evaluate(arb_mat_entry(w->g, i, j), s->order[HYSI_VALUE] + j * s->len, s->len, w->x, w->prec);
      _arb_poly_evaluate(arb_mat_entry(w->e, i, j), s->order[HYSI_FIRST] + j * s->len, s->len, w->x, w->prec);
    }
  }
}

static void level_clear(prepare_work *w) {
  for (int k = 0; k < POLYS; k++)
    _arb_vec_clear(w->poly[k], w->series.len);
  hysi_series_clear(&w->series);
}

/* out += v M. */
static void add_row_times(arb_ptr out, arb_srcptr v, const arb_mat_t m, slong n, slong prec) {
  for (slong i = 0; i < n; i++)
    for (slong j = 0; j < n; j++)
      arb_addmul(out + j, v + i, arb_mat_entry(m, i, j), prec);
}

/* To the start of the next piece. */
static void next_piece(prepare_work *w) {
  add_row_times(w->f, w->d, w->g, w->n, w->prec);
  _arb_vec_zero(w->t, w->n);
  add_row_times(w->t, w->d, w->e, w->n, w->prec);
  arb_ptr t = w->d;
  w->d = w->t;
  w->t = t;
}

/* About (int_0^h exp(A s) ds)_pp. */
static double integral_near(prepare_work *w, slong p) {
  _arb_vec_zero(w->f, w->n);
  _arb_vec_zero(w->d, w->n);
  arb_one(w->d + p);
  for (long k = 0; k < w->pieces; k++)
    next_piece(w);
  return arf_get_d(arb_midref(w->f + p), ARF_RND_NEAR);
}

static void row_begin(prepare_work *w, const row_request *q) {
  _arb_vec_zero(w->f, w->n);
  _arb_vec_zero(w->d, w->n);
  arb_set_si(w->f + q->variable, q->upper ? 1 : -1);
  add_row_times(w->d, w->f, w->a, w->n, w->prec);
  arb_zero(w->total);
  if (q->pin < 0)
    return;
  arb_t factor;
  arb_init(factor);
  arb_set_d(w->x, q->multiplier);
  hysi_arb_set_interval(factor, q->pin_factor, w->prec);
  arb_submul(w->d + q->pin_variable, factor, w->x, w->prec);
  hysi_arb_set_interval(factor, q->pin_bound, w->prec);
  arb_mul(w->total, factor, w->x, w->prec);
  arb_set_d(w->x, w->length);
  arb_mul(w->total, w->total, w->x, w->prec);
  arb_mul_si(w->total, w->total, w->pieces, w->prec);
#ifdef HYS_PLANT_NO_PIN_BOUND /* planted fault for the gate of the tests */
  arb_zero(w->total);
#endif
  arb_clear(factor);
}

/* Inputs and constants on a piece: to total and bend. */
static void piece_inputs(prepare_work *w, bool first) {
  hysi_series *s = &w->series;
  arb_ptr *p = w->poly;
  _arb_vec_zero(p[POLY_DRIFT], s->len);
  _arb_vec_zero(p[POLY_SUM_SLOPE], s->len);
  _arb_vec_zero(p[POLY_SUM_BEND], s->len);
  hysi_series_dot(p[POLY_DRIFT], s, HYSI_VALUE, w->c);
  hysi_series_dot(p[POLY_SUM_SLOPE], s, HYSI_FIRST, w->c);
  hysi_series_dot(p[POLY_SUM_BEND], s, HYSI_SECOND, w->c);
  hysi_poly_integral(w->total, s, p[POLY_DRIFT], 0.0, w->length);
  hysi_range_zero(&w->extra);
  for (slong j = 0; j < w->m; j++) {
    arb_srcptr column = w->b + j * w->n;
    for (int k = POLY_GAIN; k <= POLY_BEND; k++) {
      _arb_vec_zero(p[k], s->len);
      hysi_series_dot(p[k], s, HYSI_VALUE + (k - POLY_GAIN), column);
    }
    if (_arb_vec_is_zero(p[POLY_GAIN], s->len))
      continue;
    double best;
    if (hysi_poly_input_integral(w->total, &best, s, p[POLY_GAIN], w->length, w->u[j])) {
      arb_set_d(w->x, best);
      _arb_vec_scalar_addmul(p[POLY_SUM_SLOPE], p[POLY_SLOPE], s->len, w->x, w->prec);
      _arb_vec_scalar_addmul(p[POLY_SUM_BEND], p[POLY_BEND], s->len, w->x, w->prec);
    } else {
      hysi_poly_range(&w->one, s, p[POLY_SLOPE], p[POLY_BEND], 0.0, w->length);
      hysi_range_scale(&w->one, w->u[j], w->prec);
      hysi_range_add(&w->extra, &w->one, w->prec);
    }
  }
  hysi_poly_range(&w->one, s, p[POLY_SUM_SLOPE], p[POLY_SUM_BEND], 0.0, w->length);
  hysi_range_add(&w->one, &w->extra, w->prec);
  hysi_range_join(&w->bend, &w->one, first);
}

/* Bounds the row over all pieces: f holds its coefficients at h, total the constant, curve and bend the
 * ranges of the second derivative, curve_input (if asked for) that of the first. */
static void row_run(prepare_work *w, const row_request *q, bool with_first) {
  hysi_series *s = &w->series;
  row_begin(w, q);
  const double v = hys_mul_up(w->norm, w->length);
  for (long k = 0; k < w->pieces; k++) {
    const bool first = k == 0;
    hysi_series_make(s, w->f, w->d, w->a, v);
    for (slong j = 0; j < w->n; j++) {
      arb_srcptr d1 = s->order[HYSI_FIRST] + j * s->len, d2 = s->order[HYSI_SECOND] + j * s->len,
                 d3 = s->order[HYSI_THIRD] + j * s->len;
      hysi_poly_range(&w->one, s, d2, d3, 0.0, w->length);
      hysi_range_join(&w->curve[j], &w->one, first);
      if (with_first) {
        hysi_poly_range(&w->one, s, d1, d2, 0.0, w->length);
        hysi_range_join(&w->curve_input[j], &w->one, first);
      }
    }
    piece_inputs(w, first);
    next_piece(w);
  }
}

/* Writes the row that was run. */
static hys_status row_store(const prepare_work *w, const row_request *q, hys_step_row *row,
                            hys_arena *arena) {
  const size_t n = (size_t)w->n;
  hys_interval *coef = hys_arena_alloc(arena, 2 * n, sizeof *coef);
  if (coef == NULL)
    return HYS_ERR_MEMORY;
  hys_interval *curve = coef + n;
  for (size_t j = 0; j < n; j++) {
    coef[j] = hysi_arb_interval(w->f + j, w->prec);
    curve[j] = hysi_range_interval(&w->curve[j]);
  }
  row->coef = coef;
  row->curve = curve;
  row->constant = hysi_arb_interval(w->total, w->prec);
  row->curve_constant = hysi_range_interval(&w->bend);
#ifdef HYS_PLANT_NO_CURVATURE /* planted fault for the gate of the tests */
  for (size_t j = 0; j < n; j++)
    curve[j] = hys_interval_point(0.0);
  row->curve_constant = hys_interval_point(0.0);
#endif
  row->variable = (uint16_t)q->variable;
  row->upper = q->upper;
  row->pin = (int16_t)q->pin;
  return finite_all(coef, 2 * n) && finite_interval(row->constant) && finite_interval(row->curve_constant)
             ? HYS_OK
             : HYS_ERR_NUMERIC;
}

/* The plain rows, and the matrices that are read off them. */
static hys_status plain_rows(prepare_work *w, hys_step_table *level, hys_step_row *row, hys_arena *arena) {
  const size_t n = (size_t)w->n;
  hys_interval *phi = hys_arena_alloc(arena, n * n, sizeof *phi);
  hys_interval *input = hys_arena_alloc(arena, n, sizeof *input);
  hys_interval *curve_state = hys_arena_alloc(arena, n * n, sizeof *curve_state);
  hys_interval *curve_input = hys_arena_alloc(arena, n * n, sizeof *curve_input);
  if (phi == NULL || input == NULL || curve_state == NULL || curve_input == NULL)
    return HYS_ERR_MEMORY;
  for (size_t i = 0; i < n; i++) {
    row_request q = {.variable = (slong)i, .upper = true, .pin = -1};
    row_run(w, &q, true);
    hys_status status = row_store(w, &q, &row[2 * i], arena);
    if (status != HYS_OK)
      return status;
    for (size_t j = 0; j < n; j++) {
      phi[i * n + j] = row[2 * i].coef[j];
      curve_state[i * n + j] = hysi_range_interval(&w->curve[j]);
      curve_input[i * n + j] = hysi_range_interval(&w->curve_input[j]);
    }
    q.upper = false;
    row_run(w, &q, false);
    status = row_store(w, &q, &row[2 * i + 1], arena);
    if (status != HYS_OK)
      return status;
    input[i] = hysi_pair(-row[2 * i + 1].constant.hi, row[2 * i].constant.hi);
  }
  level->phi = phi;
  level->input = input;
  level->curve_state = curve_state;
  level->curve_input = curve_input;
  return finite_all(curve_input, n * n) && finite_all(input, n) ? HYS_OK : HYS_ERR_NUMERIC;
}

/* The one variable of a half-space that speaks of one state only, with a factor of certain sign, and whose
 * invariant can bind inside a step (the variable moves); -1 otherwise. */
static slong pin_variable(const hys_flow *flow, const hys_halfspace *half, size_t n, size_t m) {
  slong found = -1;
  for (size_t j = 0; j < n + m; j++) {
    const hys_interval a = half->a[j];
    if (zero_interval(a))
      continue;
    if (found >= 0 || j >= n || !finite_interval(a) || (a.lo <= 0.0 && a.hi >= 0.0))
      return -1;
    found = (slong)j;
  }
  if (found < 0 || !finite_interval(half->c))
    return -1;
  const size_t p = (size_t)found;
  const bool moves =
      !zero_all(flow->a + p * n, n) || !zero_all(flow->b + p * m, m) || !zero_interval(flow->c[p]);
  return moves ? found : -1;
}

/* The rows with a pin on one half-space; *count rows are there already. */
static hys_status pin_rows(prepare_work *w, hys_step_row *row, uint32_t *count, const hys_halfspace *half,
                           int pin, slong p, hys_arena *arena) {
  const double q_near = integral_near(w, p) * hys_interval_mid(half->a[p]);
  for (slong k = 0; k < 2 * w->n; k++) {
    row_request q = {.variable = k / 2,
                     .upper = k % 2 == 0,
                     .pin = pin,
                     .pin_variable = p,
                     .pin_factor = half->a[p],
                     .pin_bound = half->c};
    q.multiplier = hys_interval_mid(row[k].coef[p]) / q_near; /* leaves nothing of p at h */
    if (q.variable == p || !(q.multiplier > 0.0 && q.multiplier <= DBL_MAX))
      continue;
    row_run(w, &q, false);
    const hys_status status = row_store(w, &q, &row[*count], arena);
    if (status != HYS_OK)
      return status;
    ++*count;
  }
  return HYS_OK;
}

static hys_status level_prepare(prepare_work *w, hys_flow *flow, int k, const hys_conjunction *invariant,
                                hys_arena *arena) {
  const size_t n = (size_t)w->n, m = (size_t)w->m;
  hys_step_table *level = &flow->level[k];
  size_t pins = 0;
  const uint32_t halves = invariant->n <= INT16_MAX ? invariant->n : INT16_MAX;
  for (uint32_t i = 0; i < halves; i++)
    pins += pin_variable(flow, &invariant->row[i], n, m) >= 0;
  hys_step_row *row = hys_arena_alloc(arena, 2 * n * (1 + pins), sizeof *row);
  if (row == NULL)
    return HYS_ERR_MEMORY;
  uint32_t count = (uint32_t)(2 * n);
  hys_status status = plain_rows(w, level, row, arena);
  for (uint32_t i = 0; i < halves && status == HYS_OK; i++) {
    const slong p = pin_variable(flow, &invariant->row[i], n, m);
    if (p >= 0)
      status = pin_rows(w, row, &count, &invariant->row[i], (int)i, p, arena);
  }
  level->row = row;
  level->n_rows = count;
  return status;
}

/* The box of B u + c. */
static hys_status input_box(prepare_work *w, hys_flow *flow, hys_arena *arena) {
  const size_t n = (size_t)w->n;
  hys_interval *box = hys_arena_alloc(arena, n, sizeof *box);
  if (box == NULL)
    return HYS_ERR_MEMORY;
  for (slong i = 0; i < w->n; i++) {
    arf_set_d(w->extra.lo, flow->c[i].lo);
    arf_set_d(w->extra.hi, flow->c[i].hi);
    for (slong j = 0; j < w->m; j++) {
      const hys_interval b = flow->b[i * w->m + j];
      arf_set_d(w->one.lo, b.lo);
      arf_set_d(w->one.hi, b.hi);
      hysi_range_scale(&w->one, w->u[j], w->prec);
      hysi_range_add(&w->extra, &w->one, w->prec);
    }
    box[i] = hysi_range_interval(&w->extra);
  }
  flow->w = box;
  return finite_all(box, n) ? HYS_OK : HYS_ERR_NUMERIC;
}

/* Whether signs s_i = +-1 exist with s_i s_j A_ij >= 0 off the diagonal: variables tied by a non-negative
 * entry get the same sign, by a non-positive one opposite signs, and no circle of ties may contradict itself.
 */
static bool is_monotone(const hys_interval *a, size_t n) {
  int sign[HYS_MAX_STATES] = {0};
  size_t queue[HYS_MAX_STATES];
  for (size_t start = 0; start < n; start++) {
    if (sign[start] != 0)
      continue;
    size_t head = 0, tail = 0;
    sign[start] = 1;
    queue[tail++] = start;
    while (head < tail) {
      const size_t i = queue[head++];
      for (size_t k = 0; k < 2 * n; k++) {
        const size_t j = k / 2;
        const hys_interval e = k % 2 == 0 ? a[i * n + j] : a[j * n + i];
        if (j == i || zero_interval(e))
          continue;
        if (e.lo < 0.0 && e.hi > 0.0)
          return false;
        const int want = e.lo >= 0.0 ? sign[i] : -sign[i];
        if (sign[j] == 0) {
          sign[j] = want;
          queue[tail++] = j;
        }
        if (sign[j] != want)
          return false;
      }
    }
  }
  return true;
}

static bool arguments_ok(const hys_flow *flow, size_t nx, size_t nu, const hys_interval *u,
                         const hys_conjunction *invariant) {
  if ((nx > 0 && (flow->a == NULL || flow->c == NULL)) || (nx > 0 && nu > 0 && flow->b == NULL) ||
      (nu > 0 && u == NULL) || (invariant->n > 0 && invariant->row == NULL))
    return false;
  for (uint32_t i = 0; i < invariant->n; i++)
    if (invariant->row[i].a == NULL && nx + nu > 0)
      return false;
  return finite_all(flow->a, nx * nx) && finite_all(flow->b, nx * nu) && finite_all(flow->c, nx) &&
         finite_all(u, nu);
}

static const hys_interval *zeros(hys_arena *arena, size_t n) {
  return hys_arena_alloc(arena, n, sizeof(hys_interval));
}

hys_status hys_flow_prepare(hys_flow *flow, size_t nx, size_t nu, const hys_interval *u,
                            const hys_conjunction *invariant, hys_arena *arena) {
  static const hys_conjunction anything = {NULL, 0};
  if (flow == NULL || arena == NULL)
    return HYS_ERR_ARG;
  if (nx > HYS_MAX_STATES || nu > HYS_MAX_INPUTS)
    return HYS_ERR_LIMIT;
  if (invariant == NULL)
    invariant = &anything;
  for (int k = 0; k < HYS_FLOW_LEVELS; k++) {
    flow->level[k] = (hys_step_table){.h = ldexp(STEP_LONGEST, -k)};
    flow->level[k].ticks = (uint32_t)ldexp(flow->level[k].h, HYS_TICK_LOG2);
  }
  if (flow->still) {
    flow->monotone = true;
    flow->w = zeros(arena, nx);
    return flow->w != NULL ? HYS_OK : HYS_ERR_MEMORY;
  }
  if (!arguments_ok(flow, nx, nu, u, invariant))
    return HYS_ERR_ARG;
  flow->monotone = is_monotone(flow->a, nx);
  if (!(norm_above(flow->a, nx) <= NORM_MAX))
    return HYS_ERR_NUMERIC;
  prepare_work w;
  work_init(&w, flow, (slong)nx, (slong)nu, u);
  hys_status status = input_box(&w, flow, arena);
  for (int k = 0; k < HYS_FLOW_LEVELS && status == HYS_OK; k++) {
    level_init(&w, flow->level[k].h);
    status = level_prepare(&w, flow, k, invariant, arena);
    level_clear(&w);
  }
  work_clear(&w);
  return status;
}
