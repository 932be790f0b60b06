/* Flowpipes of flows that are not affine, by Taylor models: steps.  What is asked of a set is in
 * core/taylor_query.c.
 *
 * Sources: a-priori boxes from the series itself, Corliss and Rihm 1996; the interior is asked for, so that a
 * solution cannot be the first to leave.  Remainders in orthogonal frames: Lohner 1987.  Comparison for the
 * deviations:  |d|' <= M |d| + w  componentwise with M >= 0 off its diagonal (here everywhere). */
#include "core/taylor_pipe.h"

#include <math.h>
#include <string.h>

#include "core/rounding.h"

static const hys_allocator *of(const hysi_taylor_pipe *p) {
  return p->has_allocator ? &p->allocator : NULL;
}

/* ---- flows ---- */

static void flow_destroy(void *flow) {
  hysi_taylor_flow *f = flow;
  hys_allocator copy;
  const hys_allocator *allocator = NULL;

  if (f == NULL)
    return;
  if (f->has_allocator) {
    copy = f->allocator;
    allocator = &copy;
  }
  hysi_tp_program_close(&f->program);
  hys_release(allocator, f->variable);
  hys_release(allocator, f->state);
  hys_release(allocator, f->input);
  hys_release(allocator, f->middle);
  hys_release(allocator, f->held);
  hys_release(allocator, f->slack);
  hys_release(allocator, f->rate);
  hys_release(allocator, f->bends);
  hys_release(allocator, f->column);
  hys_release(allocator, f);
}

static hys_status compile(hysi_taylor_flow *f, const hysi_pipe_view *view) {
  for (size_t v = 0; v < f->m; v++) {
    const hys_rate *rate = &view->location->rate[f->variable[v]];
    const bool point = rate->slack.lo == rate->slack.hi;
    const double mid = hys_interval_mid(rate->slack);
    hys_status status = hysi_tp_program_compile(&f->program, &rate->value, f->state, &f->rate[v]);
    if (status == HYS_OK)
      status = hysi_tp_program_shift(&f->program, f->rate[v], hys_interval_point(mid), &f->rate[v]);
    if (status != HYS_OK)
      return status;
    f->slack[v] = point ? 0.0 : hys_interval_rad(rate->slack);
    f->disturbed = f->disturbed || f->slack[v] > 0.0;
  }
  return HYS_OK;
}

static hys_status flow_create(void **flow, const hysi_pipe_view *view) {
  const hys_allocator *allocator = view->allocator;
  const size_t n = view->n;
  hysi_taylor_flow *f = hys_allocate(allocator, sizeof *f);
  hys_status status = HYS_OK;
  uint32_t k = 0;

  if (f == NULL)
    return HYS_ERR_MEMORY;
  memset(f, 0, sizeof *f);
  if (allocator != NULL) {
    f->allocator = *allocator;
    f->has_allocator = true;
  }
  f->n = n;
  f->options = view->options;
  hysi_tp_program_open(&f->program, allocator);
  f->variable = hys_allocate(allocator, n * sizeof *f->variable);
  f->state = hys_allocate(allocator, n * sizeof *f->state);
  f->input = hys_allocate(allocator, n * sizeof *f->input);
  f->middle = hys_allocate(allocator, n * sizeof *f->middle);
  f->held = hys_allocate(allocator, n * sizeof *f->held);
  f->slack = hys_allocate(allocator, n * sizeof *f->slack);
  f->rate = hys_allocate(allocator, n * sizeof *f->rate);
  if (f->variable == NULL || f->state == NULL || f->input == NULL || f->middle == NULL || f->held == NULL ||
      f->slack == NULL || f->rate == NULL) {
    flow_destroy(f);
    return HYS_ERR_MEMORY;
  }
  for (size_t i = 0; i < n; i++) {
    f->state[i] = HYS_EXPR_NO_CHILD;
    f->input[i] = view->moving[i] ? hys_interval_point(0.0) : view->free[i];
    f->middle[i] = hys_interval_mid(f->input[i]);
    f->held[i] = hys_interval_point(f->middle[i]);
    if (view->moving[i]) {
      f->state[i] = (uint32_t)f->m;
      f->variable[f->m++] = i;
    }
  }
  if (f->m > HYSI_TP_MAX_STATES)
    status = HYS_ERR_UNSUPPORTED;
  if (status == HYS_OK)
    status = compile(f, view);
  if (status == HYS_OK) {
    f->bends = hys_allocate(allocator, (f->program.n_abs + 1) * sizeof *f->bends);
    f->column = hys_allocate(allocator, (f->program.n + 1) * sizeof *f->column);
    if (f->bends == NULL || f->column == NULL)
      status = HYS_ERR_MEMORY;
  }
  for (uint32_t i = 0; i < f->program.n && status == HYS_OK; i++) {
    const hysi_tp_op *o = &f->program.op[i];
    if (o->kind == HYSI_TP_ABS)
      f->bends[k++] = o->a;
    if (o->kind == HYSI_TP_INPUT &&
        !(fabs(f->input[o->a].lo) <= DBL_MAX && fabs(f->input[o->a].hi) <= DBL_MAX))
      status = HYS_ERR_NUMERIC;
    if (o->kind == HYSI_TP_INPUT && f->input[o->a].lo != f->input[o->a].hi)
      f->column[f->n_columns++] = o->a;
  }
  f->disturbed = f->disturbed || f->n_columns > 0 || f->program.n_abs > 0;
  if (status != HYS_OK) {
    flow_destroy(f);
    return status;
  }
  *flow = f;
  return HYS_OK;
}

/* ---- memory ---- */

/* Takes from a piece of memory; with base NULL it only counts. */
typedef struct cutter {
  char *base;
  size_t used;
} cutter;

static void *cut(cutter *c, size_t count, size_t size) {
  void *at = c->base != NULL ? c->base + c->used : NULL;

  c->used += (count * size + 15) / 16 * 16;
  return at;
}

static hysi_tp *cut_polynomials(cutter *c, size_t count, size_t size) {
  hysi_tp *p = cut(c, count, sizeof *p);
  double *at = cut(c, count * size, sizeof *at);

  for (size_t i = 0; i < count && p != NULL; i++) {
    memset(&p[i], 0, sizeof p[i]);
    p[i].c = at + i * size;
  }
  return p;
}

static void lay_out(hysi_taylor_pipe *p, cutter *c) {
  const hysi_taylor_flow *f = p->flow;
  const size_t m = f->m, size = p->space.size, w = p->order + 1, ops = f->program.n;

  p->series = cut_polynomials(c, ops * w, size);
  p->states = cut_polynomials(c, m * w, size);
  p->inverse = cut_polynomials(c, f->program.n_div, size);
  p->end = cut_polynomials(c, m, size);
  p->work = cut_polynomials(c, 4, size);
  p->bend = cut(c, f->program.n_abs + 1, sizeof *p->bend);
  p->box_series = cut(c, ops * w, sizeof *p->box_series);
  p->box_states = cut(c, m * (w + 1), sizeof *p->box_states);
  p->value = cut(c, ops, sizeof *p->value);
  p->gradient = cut(c, ops * (m + f->n_columns + f->program.n_abs), sizeof *p->gradient);
  p->tube = cut(c, m, sizeof *p->tube);
  p->apriori = cut(c, m, sizeof *p->apriori);
  p->remainder = cut(c, m, sizeof *p->remainder);
  p->box[0] = cut(c, m, sizeof *p->box[0]);
  p->box[1] = cut(c, m, sizeof *p->box[1]);
  p->deviation = cut(c, 3 * m, sizeof *p->deviation);
  p->frame = cut(c, hysi_tp_frame_work(&p->space, m), sizeof *p->frame);
  p->range = cut(c, hysi_tp_scalar_work(&p->space), sizeof *p->range);
  p->row = cut(c, size, sizeof *p->row);
  p->slope = cut(c, size, sizeof *p->slope);
  p->unit = cut(c, m, sizeof *p->unit);
  p->known = cut(c, 2, sizeof *p->known);
  p->scalar = cut(c, HYSI_TP_MAX_CUTS + 1, sizeof *p->scalar);
  for (size_t k = 0; k <= HYSI_TP_MAX_CUTS; k++) {
    double *xi = cut(c, p->space.upto[p->space.degree], sizeof *xi);
    double *noise = cut(c, p->space.n_eta + p->space.n_zeta, sizeof *noise);
    if (p->scalar != NULL)
      p->scalar[k] = (hysi_tp_scalar){xi, noise, 0.0};
  }
}

/* Degree in space for so many symbols: as high as stays cheap. */
static unsigned choose_degree(const hysi_taylor_flow *f, size_t symbols) {
  static const unsigned high[] = {1, 6, 6, 5, 4, 4, 4, 4};
  unsigned degree = symbols < sizeof high / sizeof *high ? high[symbols] : symbols <= 12 ? 3 : 2;

  if (f->options.order > 0)
    degree = f->options.order < HYSI_TP_MAX_DEGREE ? f->options.order : HYSI_TP_MAX_DEGREE;
  return degree;
}

/* Space and memory for a start with so many symbols; keeps what fits. */
static hys_status make_room(hysi_taylor_pipe *p, size_t symbols) {
  const hysi_taylor_flow *f = p->flow;
  unsigned degree = choose_degree(f, symbols), coupling;
  cutter c = {NULL, 0};
  hys_status status = HYS_OK;

  if (p->memory != NULL && p->space.symbols == symbols)
    return HYS_OK;
  hys_release(of(p), p->memory);
  p->memory = NULL;
  for (;; degree--) {
    if (p->space.upto[0] != 0)
      hysi_tp_space_close(&p->space);
    coupling = symbols <= 2 ? 2 : 1;
    coupling = coupling < degree ? coupling : degree - 1;
    status = hysi_tp_space_open(&p->space, symbols, degree, coupling, f->m, f->m + 1, of(p));
    if (status != HYS_ERR_LIMIT || degree <= 1)
      break;
  }
  if (status != HYS_OK)
    return status == HYS_ERR_LIMIT ? HYS_ERR_UNSUPPORTED : status;
  p->order = f->options.order > 0 ? f->options.order + 4 : f->m <= 3 ? 10 : 8;
  if (p->order > HYSI_TP_MAX_ORDER)
    p->order = HYSI_TP_MAX_ORDER;
  lay_out(p, &c);
  c.base = p->memory = hys_allocate(of(p), c.used);
  if (p->memory == NULL)
    return HYS_ERR_MEMORY;
  memset(p->memory, 0, c.used);
  c.used = 0;
  lay_out(p, &c);
  return HYS_OK;
}

/* ---- series ---- */

static hysi_tp *state(const hysi_taylor_pipe *p, size_t v, unsigned i) {
  return &p->states[v * (p->order + 1) + i];
}

/* Where the absolute values may be bent: over where the states may come in a step. */
static void choose_bends(hysi_taylor_pipe *p) {
  const hysi_taylor_flow *f = p->flow;
  const double h = p->length > 0.0 ? 1.5 * p->length : 1.0 / 64;

  for (size_t v = 0; v < f->m; v++)
    p->apriori[v] = hysi_tp_crude(&p->space, state(p, v, 0));
  for (unsigned round = 0; round < 3; round++) {
    hysi_tp_values(&f->program, p->apriori, f->input, NULL, p->value);
    for (size_t v = 0; v < f->m; v++) {
      const hys_interval move = hys_interval_mul(
          hysi_pair(0.0, h), hys_interval_add(p->value[f->rate[v]], hysi_pair(-f->slack[v], f->slack[v])));
      p->tube[v] = hys_interval_add(hysi_tp_crude(&p->space, state(p, v, 0)), move);
    }
    for (size_t v = 0; v < f->m; v++)
      p->apriori[v] = p->tube[v];
  }
  hysi_tp_values(&f->program, p->apriori, f->input, NULL, p->value);
  for (uint32_t k = 0; k < f->program.n_abs; k++) {
    hys_interval d = p->value[f->bends[k]];
    const double more = 0.05 * (d.hi - d.lo) + 0x1p-40 * hys_interval_mag(d) + 0x1p-60;
    if (!(more < HYSI_INF))
      d = hysi_pair(-0x1p100, 0x1p100);
    else
      d = hysi_pair(d.lo - more, d.hi + more);
    hysi_tp_bend_choose(&p->bend[k], d);
    if (d.lo >= 0.0)
      p->bend[k].domain = hysi_pair(0.0, HYSI_INF);
    if (d.hi <= 0.0)
      p->bend[k].domain = hysi_pair(-HYSI_INF, 0.0);
  }
}

static void make_series(hysi_taylor_pipe *p) {
  const hysi_taylor_flow *f = p->flow;

  if (f->program.n_abs > 0)
    choose_bends(p);
  p->ready = hysi_tp_poly_series(&p->space, &f->program, f->rate, f->m, f->middle, p->bend, p->order,
                                 p->series, p->states, p->inverse, p->work);
}

/* What a remainder of state v is measured by. */
static double scale_of(const hysi_taylor_pipe *p, size_t v, double widest) {
  const hysi_tp *x = state(p, v, 0);
  const double width = hysi_tp_spread(&p->space, x) + x->error;

  return fmax(width, fmax(1e-6 * (fabs(x->c[0]) + 0.01 * fabs(state(p, v, 1)->c[0])), 1e-3 * widest));
}

static double widest_of(const hysi_taylor_pipe *p) {
  double most = 0.0;

  for (size_t v = 0; v < p->flow->m; v++)
    most = fmax(most, hysi_tp_spread(&p->space, state(p, v, 0)));
  return most;
}

static double tolerance(const hysi_taylor_pipe *p) {
  return p->flow->options.tolerance > 0.0 ? p->flow->options.tolerance : 0x1p-17;
}

/* The step whose remainders are what is allowed, as foreseen from the last coefficients. */
static double foresee(const hysi_taylor_pipe *p) {
  const unsigned o = p->order;
  const double widest = widest_of(p), allowed = tolerance(p);
  double up = 0.0, down = 0.0, best = HYSI_INF;

  for (size_t v = 0; v < p->flow->m; v++) {
    up += hysi_tp_total(&p->space, state(p, v, o)) / scale_of(p, v, widest);
    down += hysi_tp_total(&p->space, state(p, v, o - 2)) / scale_of(p, v, widest);
  }
  const double growth = up > 0.0 && down > 0.0 ? sqrt(up / down) : 0.0;
  for (size_t v = 0; v < p->flow->m; v++) {
    const double last = hysi_tp_total(&p->space, state(p, v, o)) * growth * p->worse;
    if (last > 0.0)
      best = fmin(best, pow(allowed * scale_of(p, v, widest) / last, 1.0 / (o + 1)));
  }
  return best;
}

/* ---- pipes ---- */

static void destroy(void *pipe) {
  hysi_taylor_pipe *p = pipe;
  hys_allocator copy;
  const hys_allocator *allocator = NULL;

  if (p == NULL)
    return;
  if (p->has_allocator) {
    copy = p->allocator;
    allocator = &copy;
  }
  if (p->space.upto[0] != 0)
    hysi_tp_space_close(&p->space);
  hys_release(allocator, p->memory);
  hys_release(allocator, p);
}

static void begin_step(hysi_taylor_pipe *p) {
  const hysi_taylor_flow *f = p->flow;

  hysi_tp_frame_renew(&p->space, p->end, f->m, p->frame);
  for (size_t v = 0; v < f->m; v++)
    hysi_tp_copy(&p->space, state(p, v, 0), &p->end[v]);
}

static hys_status restart(void *pipe, const hys_zonotope *x0) {
  hysi_taylor_pipe *p = pipe;
  const hysi_taylor_flow *f = p->flow;
  hys_zonotope z;
  hys_status status = f->m > 0 ? hysi_tp_frame_start(&z, x0, f->variable, f->m, of(p)) : HYS_ERR_ARG;

  if (status != HYS_OK)
    return status;
  status = make_room(p, z.g);
  for (size_t v = 0; v < f->m && status == HYS_OK; v++) {
    hysi_tp *x = &p->end[v];
    hysi_tp_zero(&p->space, x);
    x->c[0] = z.center[v];
    for (size_t k = 0; k < z.g; k++)
      x->c[1 + k] = z.generator[k * f->m + v];
    hysi_tp_measure(&p->space, x);
    x->error = z.radius[v];
    if (!(x->error < HYSI_INF))
      status = HYS_ERR_NUMERIC;
  }
  hys_zonotope_close(&z);
  if (status != HYS_OK)
    return status;
  p->tried = p->ready = false;
  p->taken = p->length = 0.0;
  p->worse = 1.0;
  p->fresh = true;
  p->known[0] = p->known[1] = false;
  return HYS_OK;
}

static hys_status create(void **pipe, void *flow, const hys_zonotope *x0, const hys_allocator *allocator) {
  hysi_taylor_pipe *p = hys_allocate(allocator, sizeof *p);
  hys_status status;

  if (p == NULL)
    return HYS_ERR_MEMORY;
  memset(p, 0, sizeof *p);
  p->flow = flow;
  if (allocator != NULL) {
    p->allocator = *allocator;
    p->has_allocator = true;
  }
  status = restart(p, x0);
  if (status != HYS_OK) {
    destroy(p);
    return status;
  }
  *pipe = p;
  return HYS_OK;
}

static double suggest(const void *pipe, double most) {
  const hysi_taylor_pipe *p = pipe;
  double h = !p->fresh && p->ready ? foresee(p) : p->length > 0.0 ? 2.0 * p->length : most;

  if (p->flow->options.max_step > 0.0)
    h = fmin(h, p->flow->options.max_step);
  if (!(h < most))
    return most;
  return 2.0 * h > most ? 0.5 * most : h;
}

/* ---- a try ---- */

/* The nominal series over [0, h], crudely. */
static void series_tube(hysi_taylor_pipe *p, double h) {
  const hys_interval time = hysi_pair(0.0, h);

  for (size_t v = 0; v < p->flow->m; v++) {
    hys_interval x = hysi_tp_crude(&p->space, state(p, v, p->order));
    for (unsigned i = p->order; i-- > 0;)
      x = hys_interval_add_exact(hysi_tp_crude(&p->space, state(p, v, i)), hys_interval_mul(time, x));
    p->tube[v] = x;
  }
}

/* Bounds of |x - nominal| up to time h, over the a-priori box: v(h) of v' = M v + w. */
static bool deviations(hysi_taylor_pipe *p, double h) {
  const hysi_taylor_flow *f = p->flow;
  const size_t m = f->m, columns = m + f->n_columns + f->program.n_abs, terms = m > 12 ? m : 12;
  double *d = p->deviation, *term = d + m, *next = term + m, norm = 0.0, last = 0.0;

  hysi_tp_values(&f->program, p->apriori, f->input, p->bend, p->value);
  for (uint32_t k = 0; k < f->program.n_abs; k++)
    if (!(p->value[f->bends[k]].lo >= p->bend[k].domain.lo &&
          p->value[f->bends[k]].hi <= p->bend[k].domain.hi))
      return false;
  hysi_tp_gradient(&f->program, p->value, p->bend, m, f->column, f->n_columns, p->gradient);
  for (size_t v = 0; v < m; v++) {
    const hys_interval *g = p->gradient + f->rate[v] * columns;
    double w = f->slack[v], sum = 0.0;
    for (size_t c = 0; c < f->n_columns; c++) {
      const hys_interval u = f->input[f->column[c]];
      const double mid = f->middle[f->column[c]];
      w = hys_add_up(
          w, hys_mul_up(hys_interval_mag(g[m + c]), fmax(hys_sub_up(u.hi, mid), hys_sub_up(mid, u.lo))));
    }
    for (uint32_t k = 0; k < f->program.n_abs; k++)
      w = hys_add_up(w, hys_mul_up(hys_interval_mag(g[m + f->n_columns + k]), p->bend[k].radius));
    for (size_t c = 0; c < m; c++)
      sum += c == v ? fmax(g[c].hi, 0.0) : hys_interval_mag(g[c]);
    norm = fmax(norm, hysi_up(sum));
    d[v] = term[v] = hys_mul_up(h, w);
    if (!(sum < HYSI_INF && w < HYSI_INF))
      return false;
  }
  norm = hysi_up(norm * h);
  if (!(norm < 4.0))
    return false;
  /* v(h) = sum_j h^(j+1) M^j w / (j+1)! */
  for (size_t j = 1; j <= terms; j++) {
    last = 0.0;
    for (size_t v = 0; v < m; v++) {
      const hys_interval *g = p->gradient + f->rate[v] * columns;
      double sum = 0.0;
      for (size_t c = 0; c < m; c++)
        sum += (c == v ? fmax(g[c].hi, 0.0) : hys_interval_mag(g[c])) * term[c];
      next[v] = sum > 0.0 ? hysi_up(sum * h / (double)(j + 1)) : 0.0;
    }
    for (size_t v = 0; v < m; v++) {
      term[v] = next[v];
      d[v] = term[v] > 0.0 ? hys_add_up(d[v], term[v]) : d[v];
      last = fmax(last, term[v]);
    }
  }
  /* the rest: last * (q + q^2 + ..), q = norm / (terms + 2); only where anything has come in so many terms */
  const double q = norm / (double)(terms + 2);
  for (size_t v = 0; v < m; v++)
    if (d[v] > 0.0)
      d[v] = hysi_up(d[v] + 2.0 * last * q);
  return true;
}

/* The a-priori box and the remainder for a step of h; false: none found.  *excess: the largest remainder over
 * what is allowed. */
static bool enclose(hysi_taylor_pipe *p, double h, double *excess) {
  const hysi_taylor_flow *f = p->flow;
  const size_t m = f->m;
  const unsigned o = p->order;
  const double widest = widest_of(p), allowed = tolerance(p);
  double power = 1.0, found = 0.0;

  for (unsigned i = 0; i <= o; i++)
    power = hys_mul_up(power, h);
  series_tube(p, h);
  memset(p->deviation, 0, m * sizeof *p->deviation);
  for (size_t v = 0; v < m; v++) {
    const double scale = scale_of(p, v, widest);
    const double more = fmin(2.0 * allowed, 0.05) * scale + 1e-3 * hys_interval_width(p->tube[v]) +
                        0x1p-50 * hys_interval_mag(p->tube[v]) + 0x1p-900;
    const double drift = f->disturbed ? h * (f->slack[v] + 0.1 * scale) : 0.0;
    p->apriori[v] = hysi_pair(p->tube[v].lo - more - drift, p->tube[v].hi + more + drift);
    if (!(more + drift < HYSI_INF))
      return false;
  }
  for (unsigned round = 0; round < 6; round++) {
    bool inside = true, sane = true;
    if (f->disturbed && !deviations(p, h))
      return false;
    hysi_tp_box_series(&f->program, f->rate, m, p->apriori, f->held, p->bend, o, p->box_series,
                       p->box_states);
    found = 0.0;
    for (size_t v = 0; v < m; v++) {
      const hys_interval last = p->box_states[v * (o + 2) + o + 1];
      const hys_interval over = hys_interval_mul(hysi_pair(0.0, power), last);
      hys_interval all = hys_interval_add(p->tube[v], over);
      p->remainder[v] = hys_interval_mul(hysi_pair(power * (1.0 - 0x1p-48), power), last);
      all = hysi_pair(hys_sub_down(all.lo, p->deviation[v]), hys_add_up(all.hi, p->deviation[v]));
      sane = sane && all.hi - all.lo < HYSI_INF;
#ifndef HYS_PLANT_TAYLOR_NO_APRIORI
      if (!(all.lo > p->apriori[v].lo && all.hi < p->apriori[v].hi)) {
        const double more = 0.1 * (all.hi - all.lo) + 0x1p-900;
        inside = false;
        p->apriori[v] = hys_interval_hull(p->apriori[v], hysi_pair(all.lo - more, all.hi + more));
      }
#endif
      found = fmax(found, hys_interval_mag(last) * power / (allowed * scale_of(p, v, widest)));
    }
    if (!sane)
      return false;
    if (inside) {
      *excess = found;
      return true;
    }
  }
  return false;
}

/* x(h) = sum h^i x_i + remainder + deviation, into end. */
static void arrive(hysi_taylor_pipe *p, double h) {
  const hysi_tp_space *s = &p->space;
  const unsigned o = p->order;
  double power[HYSI_TP_MAX_ORDER + 2];

  power[0] = 1.0;
  for (unsigned i = 1; i <= o; i++)
    power[i] = power[i - 1] * h;
  for (size_t v = 0; v < p->flow->m; v++) {
    hysi_tp *x = &p->end[v];
    double error = state(p, v, 0)->error, rounding = 0.0, sum;
    hysi_tp_copy(s, x, state(p, v, 0));
    for (unsigned i = 1; i <= o; i++) {
      const hysi_tp *c = state(p, v, i);
      const double t = power[i], term = t * c->c[0];
      if (hysi_tp_is_zero(s, c))
        continue;
      error += t * (1.0 + 0x1p-48) * c->error;
      if (hysi_tp_spread(s, c) > 0.0) {
        for (size_t a = 1; a < s->size; a++)
          x->c[a] += t * c->c[a];
        rounding += hysi_gamma(2 * o + 4) * t * hysi_tp_spread(s, c);
      }
      /* the constant apart: a clock from a point stays a point */
      sum = x->c[0] + term;
      if (i > 1 || fabs(c->c[0]) != 1.0)
        rounding += hysi_gamma(i + 1) * fabs(term);
      {
        const double b = sum - x->c[0];
        rounding += fabs((x->c[0] - (sum - b)) + (term - b));
      }
      x->c[0] = sum;
    }
    if (rounding > 0.0)
      rounding += hysi_gamma(o + 2) * hysi_tp_spread(s, state(p, v, 0));
#ifdef HYS_PLANT_TAYLOR_NO_ROUNDING
    rounding = 0.0;
#endif
#ifndef HYS_PLANT_TAYLOR_NO_REMAINDER
    if (p->remainder[v].lo != 0.0 || p->remainder[v].hi != 0.0) {
      const double mid = hys_interval_mid(p->remainder[v]);
      sum = x->c[0] + mid;
      rounding += 0x1.001p-53 * fabs(sum);
      error += hys_interval_rad(p->remainder[v]);
      x->c[0] = sum;
    }
#endif
    error += rounding + p->deviation[v];
    hysi_tp_measure(s, x);
    x->error = error > 0.0 ? hysi_up(error) : 0.0;
  }
}

/* A try that leaves `end' anywhere when it fails. */
static hys_status step(hysi_taylor_pipe *p, double h, double *taken) {
  const double least = p->flow->options.min_step > 0.0 ? p->flow->options.min_step : 0x1p-40;
  double foreseen, excess;

  *taken = 0.0;
  if (!(h > 0.0))
    return HYS_ERR_ARG;
  if (p->fresh) {
    begin_step(p);
    make_series(p);
    p->fresh = false;
  }
  p->tried = p->known[0] = p->known[1] = false;
  p->taken = 0.0;
  if (!p->ready)
    return HYS_ERR_NUMERIC;
  if (p->flow->options.max_step > 0.0)
    h = fmin(h, p->flow->options.max_step);
  foreseen = foresee(p);
  if (!(foreseen > 0.0))
    return HYS_ERR_NUMERIC;
  if (h > 1.2 * foreseen)
    h = h < 2.0 * foreseen ? 0.5 * h : foreseen;
  for (unsigned tries = 0; h >= least; tries++) {
    if (!enclose(p, h, &excess)) {
      h *= 0.5;
      continue;
    }
    p->worse = fmin(fmax(p->worse * excess * pow(foreseen / h, p->order + 1), 1e-3), 1e9);
    foreseen = foresee(p);
    if (excess > 30.0 && tries < 4) {
      h *= fmax(0.3, 0.9 * pow(excess, -1.0 / (p->order + 1)));
      continue;
    }
    arrive(p, h);
    for (size_t v = 0; v < p->flow->m; v++)
      if (!(p->end[v].error < HYSI_INF))
        return HYS_ERR_NUMERIC;
    p->tried = true;
    p->taken = *taken = h;
    return HYS_OK;
  }
  return HYS_ERR_NUMERIC;
}

static hys_status attempt(void *pipe, double h, double *taken) {
  hysi_taylor_pipe *p = pipe;
  const hys_status status = step(p, h, taken);

  for (size_t v = 0; v < p->flow->m && status != HYS_OK && !p->fresh; v++)
    hysi_tp_copy(&p->space, &p->end[v], state(p, v, 0));
  return status;
}

static void accept(void *pipe) {
  hysi_taylor_pipe *p = pipe;

  if (!p->tried)
    return;
  p->tried = false;
  p->length = p->taken;
  p->fresh = true;
}

static void box(const void *pipe, hys_pipe_set which, hys_interval *x) {
  const hysi_taylor_pipe *p = pipe;

  if (!p->known[which])
    hysi_taylor_boxes(p, which);
  for (size_t v = 0; v < p->flow->m; v++)
    x[p->flow->variable[v]] = p->box[which][v];
}

const hysi_pipe_engine hysi_taylor_engine = {
    flow_create, flow_destroy, create, destroy,         restart,           suggest,
    attempt,     accept,       box,    hysi_taylor_max, hysi_taylor_range, hysi_taylor_zonotope};
