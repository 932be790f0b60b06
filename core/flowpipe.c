/* What both engines need: which variables move, what defined ones stand for, and the choice of the engine. */
#include "core/flowpipe.h"

#include <math.h>
#include <string.h>

#include "core/contract.h"
#include "core/pipe_engine.h"

struct hys_pipe_flow {
  const hysi_pipe_engine *engine;
  void *own;
  hysi_pipe_view view;
  bool *moving;
  hys_interval *free;
  size_t largest_tree;
};

struct hys_pipe {
  const hys_pipe_flow *flow;
  void *own;
  hys_allocator allocator;
  bool has_allocator;
  hys_interval *box;   /* n: scratch */
  double *dense;       /* 2 n a row */
  hysi_dense_row *row; /* capacity + 1 */
  bool *equation;
  size_t capacity;       /* of cuts */
  hys_interval *scratch; /* trees */
  size_t scratch_size;
};

static const hys_allocator *of(const hys_pipe *p) {
  return p->has_allocator ? &p->allocator : NULL;
}

/* ---- flows ---- */

/* The flow of variable i reads variable j. */
static bool reads(const hys_rate *rate, uint32_t j) {
  if (rate->affine) {
    for (uint32_t k = 0; k < rate->row.n; k++)
      if (rate->row.term[k].variable == j)
        return true;
    return false;
  }
  for (uint32_t k = 0; k < rate->value.n; k++)
    if (rate->value.node[k].op == HYS_EXPR_VARIABLE && rate->value.node[k].a == j)
      return true;
  return false;
}

static bool bounded(hys_interval a) {
  return isfinite(a.lo) && isfinite(a.hi);
}

/* A state whose flow reads what has no bounds may go anywhere: it is free itself, and so on. */
static void find_moving(const hys_hybrid_location *l, size_t n, const hys_interval *free, bool *moving) {
  bool changed = true;

  for (size_t i = 0; i < n; i++)
    moving[i] = l->rate[i].motion == HYS_MOTION_FLOW && bounded(l->rate[i].slack);
  while (changed) {
    changed = false;
    for (size_t j = 0; j < n; j++) {
      if (moving[j] || l->rate[j].motion == HYS_MOTION_DEFINED || bounded(free[j]))
        continue;
      for (size_t i = 0; i < n; i++)
        if (moving[i] && reads(&l->rate[i], (uint32_t)j)) {
          moving[i] = false;
          changed = true;
        }
    }
  }
}

hys_status hys_pipe_flow_create(hys_pipe_flow **out, const hys_hybrid *automaton,
                                const hys_hybrid_location *location, const hys_interval *free_box,
                                const hys_pipe_options *options, const hys_allocator *allocator) {
  const size_t n = automaton->n;
  hys_pipe_flow *f = hys_allocate(allocator, sizeof *f);
  bool affine = true;
  hys_status status;

  *out = NULL;
  if (f == NULL)
    return HYS_ERR_MEMORY;
  memset(f, 0, sizeof *f);
  f->moving = hys_allocate(allocator, n * sizeof *f->moving);
  f->free = hys_allocate(allocator, n * sizeof *f->free);
  f->view = (hysi_pipe_view){.automaton = automaton,
                             .location = location,
                             .n = n,
                             .moving = f->moving,
                             .free = f->free,
                             .allocator = allocator};
  if (options != NULL)
    f->view.options = *options;
  if (f->moving == NULL || f->free == NULL) {
    hys_pipe_flow_destroy(f);
    return HYS_ERR_MEMORY;
  }
  memcpy(f->free, free_box, n * sizeof *f->free);
  find_moving(location, n, f->free, f->moving);
  for (size_t i = 0; i < n; i++) {
    affine = affine && (!f->moving[i] || location->rate[i].affine);
    if (location->rate[i].motion == HYS_MOTION_DEFINED && location->rate[i].value.n > f->largest_tree)
      f->largest_tree = location->rate[i].value.n;
  }
  f->engine = affine ? &hysi_affine_engine : &hysi_taylor_engine;
  status = f->engine->flow_create(&f->own, &f->view);
  if (status != HYS_OK) {
    hys_pipe_flow_destroy(f);
    return status;
  }
  *out = f;
  return HYS_OK;
}

void hys_pipe_flow_destroy(hys_pipe_flow *f) {
  const hys_allocator *allocator;

  if (f == NULL)
    return;
  allocator = f->view.allocator;
  if (f->own != NULL)
    f->engine->flow_destroy(f->own);
  hys_release(allocator, f->moving);
  hys_release(allocator, f->free);
  hys_release(allocator, f);
}

bool hys_pipe_flow_is_affine(const hys_pipe_flow *flow) {
  return flow->engine == &hysi_affine_engine;
}

/* ---- pipes ---- */

/* Room for so many cuts beside a row. */
static bool room(hys_pipe *p, size_t cuts) {
  const size_t n = p->flow->view.n;
  double *dense;
  hysi_dense_row *row;
  bool *equation;

  if (cuts <= p->capacity && p->row != NULL)
    return true;
  dense = hys_allocate(of(p), 2 * n * (cuts + 1) * sizeof *dense);
  row = hys_allocate(of(p), (cuts + 1) * sizeof *row);
  equation = hys_allocate(of(p), (cuts + 1) * sizeof *equation);
  if (dense == NULL || row == NULL || equation == NULL) {
    hys_release(of(p), dense);
    hys_release(of(p), row);
    hys_release(of(p), equation);
    return false;
  }
  hys_release(of(p), p->dense);
  hys_release(of(p), p->row);
  hys_release(of(p), p->equation);
  p->dense = dense;
  p->row = row;
  p->equation = equation;
  p->capacity = cuts;
  for (size_t k = 0; k <= cuts; k++)
    row[k] = (hysi_dense_row){dense + 2 * n * k, dense + 2 * n * k + n, {0.0, 0.0}};
  return true;
}

hys_status hys_pipe_create(hys_pipe **out, const hys_pipe_flow *flow, const hys_zonotope *x0,
                           const hys_allocator *allocator) {
  hys_pipe *p = hys_allocate(allocator, sizeof *p);
  hys_status status = HYS_ERR_MEMORY;

  *out = NULL;
  if (p == NULL)
    return HYS_ERR_MEMORY;
  memset(p, 0, sizeof *p);
  p->flow = flow;
  if (allocator != NULL) {
    p->allocator = *allocator;
    p->has_allocator = true;
  }
  p->box = hys_allocate(allocator, flow->view.n * sizeof *p->box);
  p->scratch = hys_allocate(allocator, (flow->largest_tree + 1) * sizeof *p->scratch);
  p->scratch_size = flow->largest_tree + 1;
  if (p->box != NULL && p->scratch != NULL && room(p, 8))
    status = flow->engine->create(&p->own, flow->own, x0, allocator);
  if (status != HYS_OK) {
    hys_pipe_destroy(p);
    return status;
  }
  *out = p;
  return HYS_OK;
}

void hys_pipe_destroy(hys_pipe *p) {
  hys_allocator copy;
  const hys_allocator *allocator = NULL;

  if (p == NULL)
    return;
  if (p->has_allocator) {
    copy = p->allocator;
    allocator = &copy;
  }
  if (p->own != NULL)
    p->flow->engine->destroy(p->own);
  hys_release(allocator, p->box);
  hys_release(allocator, p->dense);
  hys_release(allocator, p->row);
  hys_release(allocator, p->equation);
  hys_release(allocator, p->scratch);
  hys_release(allocator, p);
}

hys_status hys_pipe_restart(hys_pipe *p, const hys_zonotope *x0) {
  return p->flow->engine->restart(p->own, x0);
}

double hys_pipe_suggest(const hys_pipe *p, double most) {
  return p->flow->engine->suggest(p->own, most);
}

hys_status hys_pipe_try(hys_pipe *p, double h, double *taken) {
  *taken = 0.0;
  return p->flow->engine->attempt(p->own, h, taken);
}

void hys_pipe_accept(hys_pipe *p) {
  p->flow->engine->accept(p->own);
}

/* ---- what is asked of a set ---- */

void hys_pipe_box(const hys_pipe *p, hys_pipe_set which, hys_interval *x) {
  const hysi_pipe_view *v = &p->flow->view;

  p->flow->engine->box(p->own, which, x);
  for (size_t i = 0; i < v->n; i++)
    if (!v->moving[i])
      x[i] = v->free[i];
  for (size_t i = 0; i < v->n; i++) {
    const hys_rate *r = &v->location->rate[i];
    if (r->motion == HYS_MOTION_DEFINED)
      x[i] = r->affine ? hys_affine_value(&r->row, x)
                       : hys_expr_eval_interval(&r->value, r->value.n - 1, x, NULL, NULL, p->scratch);
  }
}

static void add_term(hysi_dense_row *d, size_t i, hys_interval a) {
  const double mid = hys_interval_mid(a), sum = d->mid[i] + mid;
  const double error =
      fmax(hys_sub_up(sum, hys_add_down(d->mid[i], mid)), hys_sub_up(hys_add_up(d->mid[i], mid), sum));

  d->rad[i] = hys_add_up(hys_add_up(d->rad[i], a.lo == a.hi ? 0.0 : hys_interval_rad(a)),
                         d->mid[i] == 0.0 || mid == 0.0 ? 0.0 : error);
  d->mid[i] = sum;
}

/* The row without defined variables.  false: one of them has no row, or a free one no bounds. */
static bool spread(hys_pipe *p, hys_pipe_set which, const hys_affine *row, hysi_dense_row *d) {
  const hysi_pipe_view *v = &p->flow->view;
  bool box = false, finite = true;

  memset(d->mid, 0, v->n * sizeof *d->mid);
  memset(d->rad, 0, v->n * sizeof *d->rad);
  d->constant = row->constant;
  for (uint32_t t = 0; t < row->n; t++) {
    const uint32_t i = row->term[t].variable;
    const hys_interval a = row->term[t].coef;
    const hys_rate *r = &v->location->rate[i];
    if (r->motion != HYS_MOTION_DEFINED) {
      add_term(d, i, a);
      finite = finite && (v->moving[i] || bounded(v->free[i]));
    } else if (r->affine) {
      d->constant = hys_interval_add_exact(d->constant, hys_interval_mul_exact(a, r->row.constant));
      for (uint32_t k = 0; k < r->row.n; k++) {
        const uint32_t j = r->row.term[k].variable;
        add_term(d, j, hys_interval_mul_exact(a, r->row.term[k].coef));
        finite = finite && (v->moving[j] || bounded(v->free[j]));
      }
    } else {
      if (!box)
        hys_pipe_box(p, which, p->box);
      box = true;
      d->constant = hys_interval_add(d->constant, hys_interval_mul(a, p->box[i]));
    }
  }
  return finite && bounded(d->constant);
}

double hys_pipe_max(hys_pipe *p, hys_pipe_set which, const hys_affine *row, const hys_condition *const *cut,
                    size_t n_cuts) {
  size_t kept = 0;

  if (!room(p, n_cuts))
    return HYSI_INF;
  for (size_t k = 0; k < n_cuts; k++) {
    if (!cut[k]->affine || !spread(p, which, &cut[k]->row, &p->row[kept + 1]))
      continue;
    p->equation[kept++] = cut[k]->relation == HYS_RELATION_EQ;
  }
  if (!spread(p, which, row, &p->row[0])) { /* no bound; but there may be no states at all */
    memset(p->row[0].mid, 0, 2 * p->flow->view.n * sizeof *p->row[0].mid);
    p->row[0].constant = hys_interval_point(0.0);
    return p->flow->engine->max(p->own, which, &p->row[0], &p->row[1], p->equation, kept) == -HYSI_INF
               ? -HYSI_INF
               : HYSI_INF;
  }
  return p->flow->engine->max(p->own, which, &p->row[0], &p->row[1], p->equation, kept);
}

hys_interval hys_pipe_range(hys_pipe *p, hys_pipe_set which, const hys_expr *e) {
  if (e->n > p->scratch_size) {
    hys_interval *bigger = hys_allocate(of(p), e->n * sizeof *bigger);
    if (bigger == NULL)
      return hys_interval_entire();
    hys_release(of(p), p->scratch);
    p->scratch = bigger;
    p->scratch_size = e->n;
  }
  hys_pipe_box(p, which, p->box);
  {
    const hys_interval plain = hys_expr_eval_interval(e, e->n - 1, p->box, NULL, NULL, p->scratch);
    return p->flow->engine->range != NULL
               ? hys_interval_intersect(plain, p->flow->engine->range(p->own, which, e))
               : plain;
  }
}

hys_status hys_pipe_zonotope(hys_pipe *p, hys_pipe_set which, hys_zonotope *z) {
  const hysi_pipe_view *v = &p->flow->view;
  hys_status status = p->flow->engine->zonotope(p->own, which, z);

  if (status != HYS_OK)
    return status;
  hys_pipe_box(p, which, p->box);
  for (size_t i = 0; i < v->n; i++)
    if (!v->moving[i] && !bounded(p->box[i]))
      return HYS_ERR_NUMERIC;
  for (size_t i = 0; i < v->n; i++)
    if (v->moving[i])
      p->box[i] = hys_interval_point(0.0);
  hys_zonotope_add_box(z, p->box);
  return HYS_OK;
}
