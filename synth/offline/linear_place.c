#include "synth/offline/linear.h"

#include <math.h>
#include <string.h>

#include "core/contract.h"
#include "core/lp_exact.h"
#include "core/rational.h"

enum { MOST_CORNERS = 6 };

/* ---- rationals ---- */

fmpq *hysi_rationals(size_t n) {
  fmpq *q = hys_allocate(NULL, (n + 1) * sizeof *q);

  for (size_t i = 0; q != NULL && i <= n; i++)
    fmpq_init(q + i);
  return q;
}

void hysi_rationals_free(fmpq *q, size_t n) {
  for (size_t i = 0; q != NULL && i <= n; i++)
    fmpq_clear(q + i);
  hys_release(NULL, q);
}

void hysi_lines_free(hysi_lines *r, size_t n) {
  for (uint32_t i = 0; i < r->n; i++) {
    hysi_rationals_free(r->line[i].coef, n);
    fmpq_clear(r->line[i].bound);
  }
  hys_release(NULL, r->line);
  *r = (hysi_lines){NULL, 0};
}

/* An affine tree into w->wide, exactly.  An enclosure of its row serves where the coefficients are exact and
 * only the least value of the constant is asked for. */
static hys_status exact_row(hysi_linear *w, const hys_expr *value, bool affine, const hys_affine *row,
                            bool lower, bool *good) {
  hys_status status = HYS_OK;

  *good = false;
  if (!affine)
    return HYS_OK;
  if (value->n > 0)
    status = hysi_rational_affine(value, w->a->n, w->wide, good, NULL);
  if (status != HYS_OK || *good)
    return status;
  if (row->constant.lo != row->constant.hi && !lower)
    return HYS_OK;
  for (size_t i = 0; i <= w->a->n; i++)
    fmpq_zero(w->wide + i);
  for (uint32_t i = 0; i < row->n; i++) {
    if (row->term[i].coef.lo != row->term[i].coef.hi)
      return HYS_OK;
    hysi_lp_from_double(w->wide + row->term[i].variable, row->term[i].coef.lo);
  }
  hysi_lp_from_double(w->wide + w->a->n, row->constant.lo);
  *good = true;
  return HYS_OK;
}

/* w->wide speaks of variables that are kept only. */
static bool only_kept(const hysi_linear *w) {
  for (size_t i = 0; i < w->a->n; i++)
    if (w->column[i] == UINT32_MAX && !fmpq_is_zero(w->wide + i))
      return false;
  return true;
}

/* The conditions that have the form. */
hys_status hysi_lines_make(hysi_linear *w, const hys_conditions *c, hysi_lines *out) {
  *out = (hysi_lines){hys_allocate(NULL, (c->n + 1) * sizeof(hysi_line)), 0};
  if (out->line == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t i = 0; i < c->n; i++) {
    const hys_condition *k = &c->condition[i];
    hysi_line *r = &out->line[out->n];
    bool good;
    const hys_status status =
        exact_row(w, &k->value, k->affine, &k->row, k->relation != HYS_RELATION_EQ, &good);
    if (status != HYS_OK)
      return status;
    if (!good || !only_kept(w))
      continue;
    r->coef = hysi_rationals(w->n);
    if (r->coef == NULL)
      return HYS_ERR_MEMORY;
    for (size_t j = 0; j < w->n; j++)
      fmpq_set(r->coef + j, w->wide + w->kept[j]);
    fmpq_init(r->bound);
    fmpq_sub(r->bound, r->bound, w->wide + w->a->n);
    r->relation = k->relation == HYS_RELATION_EQ   ? HYS_LP_EQ
                  : k->relation == HYS_RELATION_LT ? HYS_LP_LT
                                                   : HYS_LP_LE;
    out->n++;
  }
  return HYS_OK;
}

/* The equations of defined variables, behind those of an invariant. */
static hys_status make_definitions(hysi_linear *w, const hys_hybrid_location *l, hysi_lines *out) {
  hysi_lines all = {hys_allocate(NULL, (out->n + w->n + 1) * sizeof(hysi_line)), out->n};

  if (all.line == NULL)
    return HYS_ERR_MEMORY;
  memcpy(all.line, out->line, out->n * sizeof *all.line);
  hys_release(NULL, out->line);
  *out = all;
  for (size_t j = 0; j < w->n; j++) {
    const hys_rate *r = &l->rate[w->kept[j]];
    hysi_line *d = &out->line[out->n];
    bool good = false;
    hys_status status = HYS_OK;
    if (r->motion == HYS_MOTION_DEFINED)
      status = exact_row(w, &r->value, r->affine, &r->row, false, &good);
    if (status != HYS_OK)
      return status;
    if (!good || !only_kept(w))
      continue;
    d->coef = hysi_rationals(w->n);
    if (d->coef == NULL)
      return HYS_ERR_MEMORY;
    for (size_t i = 0; i < w->n; i++)
      fmpq_set(d->coef + i, w->wide + w->kept[i]);
    fmpq_sub_si(d->coef + j, d->coef + j, 1);
    fmpq_init(d->bound);
    fmpq_sub(d->bound, d->bound, w->wide + w->a->n);
    d->relation = HYS_LP_EQ;
    out->n++;
  }
  return HYS_OK;
}

hys_status hysi_lines_cut(hysi_polyhedron *p, const hysi_lines *r) {
  hys_status status = HYS_OK;

  for (uint32_t i = 0; i < r->n && status == HYS_OK; i++)
    status = hysi_polyhedron_cut(p, r->line[i].coef, r->line[i].bound, r->line[i].relation);
  return status;
}

/* ---- places ---- */

static hys_status scratch_for(hysi_linear *w, const hys_conditions *c) {
  const size_t need = hys_conditions_scratch(c);

  if (need > w->scratch_size) {
    hys_release(NULL, w->scratch);
    w->scratch_size = 0;
    w->scratch = hys_allocate(NULL, need * sizeof *w->scratch);
    if (w->scratch == NULL)
      return HYS_ERR_MEMORY;
    w->scratch_size = need;
  }
  return HYS_OK;
}

/* The rate of one kept variable: *lo and *hi where they are finite. */
static hys_status rate_of(hysi_linear *w, const hys_rate *r, fmpq_t lo, fmpq_t hi, bool *below, bool *above,
                          bool *good) {
  hys_interval more = r->slack;
  fmpq_t end;
  hys_status status;

  *below = *above = *good = true;   /* no bound on that side */
  if (r->motion != HYS_MOTION_FLOW) /* anything, as far as the invariant allows */
    return HYS_OK;
  status = exact_row(w, &r->value, r->affine, &r->row, false, good);
  if (status != HYS_OK)
    return status;
  if (!*good && r->affine && r->row.n == 0) { /* only an enclosure is known of it */
    fmpq_zero(w->wide + w->a->n);
    more = hys_interval_add(r->row.constant, more);
    *good = true;
  } else if (!*good) {
    return HYS_OK;
  } else {
    for (size_t i = 0; i < w->a->n; i++) {
      hys_interval c;
      if (fmpq_is_zero(w->wide + i))
        continue;
      if (w->column[i] != UINT32_MAX) {
        *good = false; /* it hangs on a state */
        return HYS_OK;
      }
      c = hysi_lp_enclosure(w->wide + i);
      more = hys_interval_add(more, hys_interval_mul(c, w->box[i]));
    }
  }
  fmpq_init(end);
  *below = !isfinite(more.lo);
  *above = !isfinite(more.hi);
  if (!*below) {
    hysi_lp_from_double(end, more.lo);
    fmpq_add(lo, w->wide + w->a->n, end);
  }
  if (!*above) {
    hysi_lp_from_double(end, more.hi);
    fmpq_add(hi, w->wide + w->a->n, end);
  }
  fmpq_clear(end);
  return HYS_OK;
}

/* The cone of the rates: what a ray says of all corners, and a ray or line for each rate without bound. */
static hys_status make_directions(hysi_linear *w, hysi_place *p) {
  const size_t n = w->n;
  fmpq *lo = hysi_rationals(n), *hi = hysi_rationals(n);
  bool *open = hys_allocate(NULL, 2 * (n + 1) * sizeof *open), good = true;
  uint32_t corners = 1, both = 0, rays = 0, k = 0;
  hys_status status = lo == NULL || hi == NULL || open == NULL ? HYS_ERR_MEMORY : HYS_OK;

  for (size_t j = 0; j < n && status == HYS_OK && good; j++) {
    bool *b = open + 2 * j;
    status = rate_of(w, &p->l->rate[w->kept[j]], lo + j, hi + j, &b[0], &b[1], &good);
    if (b[0] && b[1])
      both++;
    else if (b[0] || b[1])
      rays++;
    else if (!fmpq_equal(lo + j, hi + j))
      corners *= 2;
    good = good && corners <= 1U << MOST_CORNERS;
  }
  w->fits = w->fits && good;
  if (status == HYS_OK && good) {
    p->n_rays = corners + rays;
    p->n_lines = both;
    p->direction = hysi_rationals((corners + rays + both) * n);
    if (p->direction == NULL)
      status = HYS_ERR_MEMORY;
  }
  for (uint32_t c = 0; c < corners && status == HYS_OK && good; c++) {
#ifdef HYS_PLANT_LINEAR_CORNER
    uint32_t bit = 0;
#else
    uint32_t bit = c;
#endif
    for (size_t j = 0; j < n; j++) {
      const bool *b = open + 2 * j;
      const bool two = !b[0] && !b[1] && !fmpq_equal(lo + j, hi + j);
      if (!b[0] || !b[1])
        fmpq_set(p->direction + c * n + j, b[0] || (two && (bit & 1U) != 0) ? hi + j : lo + j);
      bit >>= two;
    }
  }
  for (int turn = 0; turn < 2 && status == HYS_OK && good; turn++) /* rays, then lines */
    for (size_t j = 0; j < n; j++) {
      const bool *b = open + 2 * j;
      if (turn == 0 ? b[0] != b[1] : b[0] && b[1])
        fmpq_set_si(p->direction + (corners + k++) * n + j, b[1] ? 1 : -1, 1);
    }
  hysi_rationals_free(lo, n);
  hysi_rationals_free(hi, n);
  hys_release(NULL, open);
  return status;
}

static hys_status make_reset(hysi_linear *w, const hys_reset *r, size_t j, hysi_path *out) {
  bool good = false;
  hys_status status;

  out->add[j] = hys_interval_point(0.0);
  if (r->kind == HYS_RESET_KEEP)
    return HYS_OK;
  out->matrix[j] = hysi_rationals(w->n);
  if (out->matrix[j] == NULL)
    return HYS_ERR_MEMORY;
  out->add[j] = hys_interval_entire();
  if (r->kind == HYS_RESET_ANY)
    return HYS_OK;
  status = exact_row(w, &r->value, r->affine, &r->row, false, &good);
  if (status != HYS_OK || !good || !only_kept(w))
    return status;
  for (size_t i = 0; i < w->n; i++)
    fmpq_set(out->matrix[j] + i, w->wide + w->kept[i]);
  fmpq_set(out->matrix[j] + w->n, w->wide + w->a->n);
#ifdef HYS_PLANT_LINEAR_WIDTH
  out->add[j] = hys_interval_point(r->slack.lo);
#else
  out->add[j] = r->slack;
#endif
  return HYS_OK;
}

static hys_status make_path(hysi_linear *w, const hys_hybrid_jump *jump, hysi_path *out) {
  hys_status status = hysi_lines_make(w, &jump->guard, &out->guard);

  out->target = jump->target;
  out->matrix = hys_allocate(NULL, (w->n + 1) * sizeof *out->matrix);
  out->add = hys_allocate(NULL, (w->n + 1) * sizeof *out->add);
  if (out->matrix == NULL || out->add == NULL)
    return HYS_ERR_MEMORY;
  for (size_t j = 0; j < w->n; j++)
    out->matrix[j] = NULL;
  for (size_t j = 0; j < w->n && status == HYS_OK; j++)
    status = make_reset(w, &jump->reset[w->kept[j]], j, out);
  return status;
}

void hysi_place_free(const hysi_linear *w, hysi_place *p) {
  if (p == NULL)
    return;
  hysi_lines_free(&p->invariant, w->n);
  hysi_rationals_free(p->direction, p->direction != NULL ? (p->n_rays + p->n_lines) * w->n : 0);
  for (uint32_t k = 0; p->path != NULL && k < p->l->n_jumps; k++) {
    hysi_path *t = &p->path[k];
    hysi_lines_free(&t->guard, w->n);
    for (size_t j = 0; t->matrix != NULL && j < w->n; j++)
      hysi_rationals_free(t->matrix[j], w->n);
    hys_release(NULL, t->matrix);
    hys_release(NULL, t->add);
  }
  hys_release(NULL, p->path);
  for (uint32_t k = 0; k < p->n; k++)
    hysi_polyhedron_destroy(p->reached[k]);
  hys_release(NULL, p->reached);
  hys_release(NULL, p);
}

hys_status hysi_place_get(hysi_linear *w, uint32_t index, hysi_place **out) {
  hysi_place *p;
  hys_status status;

  if (index >= w->n_places) {
    const uint32_t more = 2 * index + 16;
    hysi_place **bigger = hys_allocate(NULL, more * sizeof *bigger);
    if (bigger == NULL)
      return HYS_ERR_MEMORY;
    for (uint32_t i = 0; i < more; i++)
      bigger[i] = i < w->n_places ? w->place[i] : NULL;
    hys_release(NULL, w->place);
    w->place = bigger;
    w->n_places = more;
  }
  *out = w->place[index];
  if (*out != NULL)
    return HYS_OK;
  p = hys_allocate(NULL, sizeof *p);
  if (p == NULL)
    return HYS_ERR_MEMORY;
  memset(p, 0, sizeof *p);
  w->place[index] = p;
  status = w->a->location(w->a->context, index, &p->l);
  if (status == HYS_OK)
    status = hysi_lines_make(w, &p->l->invariant, &p->invariant);
  if (status == HYS_OK)
    status = make_definitions(w, p->l, &p->invariant);
  if (status == HYS_OK)
    status = scratch_for(w, &p->l->invariant);
  if (status != HYS_OK)
    return status;
  for (size_t i = 0; i < w->a->n; i++)
    w->box[i] = hys_interval_entire();
  if (!hys_conditions_contract(&p->l->invariant, w->box, HYSI_LINEAR_NARROWING, w->scratch))
    for (size_t i = 0; i < w->a->n; i++)
      w->box[i] = hys_interval_point(0.0); /* nothing satisfies it: there will be no states either */
  status = make_directions(w, p);
  if (status == HYS_OK && p->l->n_jumps > 0) {
    p->path = hys_allocate(NULL, p->l->n_jumps * sizeof *p->path);
    if (p->path == NULL)
      return HYS_ERR_MEMORY;
    memset(p->path, 0, p->l->n_jumps * sizeof *p->path);
    for (uint32_t k = 0; k < p->l->n_jumps && status == HYS_OK; k++)
      status = make_path(w, &p->l->jump[k], &p->path[k]);
  }
  *out = p;
  return status;
}
