/* Stays in guards: what is known of the states that may jump, and the start sets behind the jump. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/contract.h"
#include "synth/offline/explore.h"

enum { GENERATORS = 12 /* of a start set, a dimension */ };
/* A set that is so little wider than its part in the guard is taken whole. */
static const double nearly_all = 1.05, hardly = 1e-9;

/* ---- the question ---- */

static bool kept(const hysi_walk *w, const hys_hybrid_location *target, const hys_hybrid_jump *jump,
                 const hys_condition *c) {
  if (!c->affine || c->row.n == 0)
    return false;
  for (uint32_t t = 0; t < c->row.n; t++) {
    const uint32_t v = c->row.term[t].variable;
    if (jump->reset[v].kind != HYS_RESET_KEEP || target->rate[v].motion != HYS_MOTION_FLOW ||
        w->ready->location->rate[v].motion == HYS_MOTION_DEFINED)
      return false;
  }
  return true;
}

hys_status hysi_jump_question(hysi_walk *w, const hys_hybrid_jump *jump, hysi_crossing *c,
                              hysi_question *q) {
  if (!c->prepared) {
    hysi_ready *target;
    hys_status status = hysi_ready_get(w->e, jump->target, &target);
    if (status != HYS_OK)
      return status;
    c->entry = hys_allocate(NULL, (target->location->invariant.n + 1) * sizeof *c->entry);
    if (c->entry == NULL)
      return HYS_ERR_MEMORY;
    for (uint32_t k = 0; k < target->location->invariant.n; k++)
      if (kept(w, target->location, jump, &target->location->invariant.condition[k]))
        c->entry[c->n_entry++] = target->location->invariant.condition[k];
    c->prepared = true;
  }
  *q = (hysi_question){{w->ready->location->invariant, jump->guard, {c->entry, c->n_entry}}};
  return HYS_OK;
}

/* ---- along a stay ---- */

static hys_status open_crossing(hysi_walk *w, hysi_crossing *c) {
  const size_t n = w->n;

  if (c->box == NULL) {
    c->box = hys_allocate(NULL, 2 * n * sizeof *c->box);
    c->row = hys_allocate(NULL, n * n * sizeof *c->row);
    if (c->box == NULL || c->row == NULL)
      return HYS_ERR_MEMORY;
    c->bounds = c->box + n;
  }
  for (size_t i = 0; i < 2 * n; i++)
    c->box[i] = hys_interval_empty();
  c->open = true;
  c->steps = 0;
  c->oriented = false;
  return HYS_OK;
}

/* The set as a zonotope and rows along it; neither where a variable has no bounds. */
static void orient(hysi_walk *w, hysi_crossing *c, hys_pipe_set which, const hys_condition *edge) {
  const size_t n = w->n;
  double *direction;

  hys_zonotope_close(&c->set);
  if (hys_zonotope_open(&c->set, n, 4 * n, NULL) != HYS_OK)
    return;
  if (hys_pipe_zonotope(w->pipe, which, &c->set) != HYS_OK) {
    hys_zonotope_close(&c->set);
    return;
  }
  direction = hys_allocate(NULL, n * sizeof *direction);
  if (direction == NULL)
    return;
  for (size_t i = 0; i < n; i++) {
    direction[i] = hys_interval_mid(w->end_box[i]) - hys_interval_mid(w->start_box[i]);
    if (!(fabs(direction[i]) <= DBL_MAX))
      direction[i] = 0.0;
  }
  c->oriented = n > 1 && hysi_rows_choose(&c->set, edge, direction, c->row);
  hys_release(NULL, direction);
}

hys_status hysi_cross_step(hysi_walk *w, hysi_crossing *c, hys_pipe_set which, const hys_condition *edge,
                           size_t n_cuts, double from, double to) {
  const size_t n = w->n;
  bool tight = true;

  for (size_t i = 0; i < n && n_cuts > 0; i++) {
    hys_interval *x = &w->cut_box[i];
    if (x->lo == x->hi || w->ready->location->rate[i].motion == HYS_MOTION_FREE)
      continue;
    *x = hys_interval_intersect(*x, hysi_walk_axis(w, which, i, n_cuts));
    if (hys_interval_is_empty(*x))
      return HYS_OK; /* it only seemed to meet the guard */
  }
  if (!c->open) {
    const hys_status status = open_crossing(w, c);
    if (status != HYS_OK)
      return status;
    c->from = from;
    orient(w, c, which, edge);
  }
  c->to = to;
  c->steps++;
  for (size_t i = 0; i < n; i++)
    c->box[i] = hys_interval_hull(c->box[i], w->cut_box[i]);
  for (size_t k = 0; c->oriented && tight && k < n; k++) {
    hys_affine row = {NULL, 0, {0.0, 0.0}};
    hys_term *term = w->term + n; /* the first half is used by who bounds rows */
    hys_interval v;
    for (size_t i = 0; i < n; i++)
      if (c->row[k * n + i] != 0.0)
        term[row.n++] = (hys_term){(uint32_t)i, hys_interval_point(c->row[k * n + i])};
    row.term = term;
    v = hys_interval_intersect(hysi_walk_row(w, which, &row, n_cuts), hys_affine_value(&row, w->cut_box));
    if (hys_interval_is_empty(v))
      v = hys_affine_value(&row, w->cut_box);
    c->bounds[k] = hys_interval_hull(c->bounds[k], v);
    tight = isfinite(v.lo) && isfinite(v.hi);
  }
  c->oriented = c->oriented && tight;
  return HYS_OK;
}

void hysi_crossing_close(hysi_crossing *c) {
  hys_release(NULL, c->box);
  hys_release(NULL, c->row);
  hys_release(NULL, c->entry);
  hys_zonotope_close(&c->set);
  memset(c, 0, sizeof *c);
}

/* ---- through the reset ---- */

/* What a jump makes of a set. */
typedef struct image {
  hys_interval *m, *v, *y; /* matrix, vector, box */
  bool identity;
} image;

static bool bounded(hys_interval a) {
  return fabs(a.lo) <= DBL_MAX && fabs(a.hi) <= DBL_MAX;
}

static void put_row(hys_interval *m, const hys_affine *row) {
  for (uint32_t t = 0; t < row->n; t++)
    m[row->term[t].variable] = row->term[t].coef;
}

/* Row i of the image; x: box around the states before. */
static void reset_row(hysi_walk *w, const hys_reset *r, size_t i, const hys_interval *x, image *im) {
  const hys_rate *before = &w->ready->location->rate[i];
  hys_interval *m = im->m + i * w->n;

  im->v[i] = hys_interval_point(0.0);
  if (r->kind == HYS_RESET_KEEP && (before->motion != HYS_MOTION_DEFINED || !before->affine)) {
    im->y[i] = x[i];
    m[i] = hys_interval_point(1.0);
    if (before->motion == HYS_MOTION_DEFINED)
      im->v[i] = hys_interval_entire(); /* its box has to do */
  } else if (r->kind == HYS_RESET_KEEP) {
    im->y[i] = x[i];
    im->v[i] = before->row.constant;
    put_row(m, &before->row);
  } else if (r->kind == HYS_RESET_ASSIGN && r->affine) {
    im->y[i] = hys_interval_add(hys_affine_value(&r->row, x), r->slack);
    im->v[i] = r->row.constant;
    if (r->slack.lo == 0.0 && r->slack.hi == 0.0)
      im->y[i] = hys_affine_value(&r->row, x);
    else
      im->v[i] = hys_interval_add(im->v[i], r->slack);
    put_row(m, &r->row);
  } else if (r->kind == HYS_RESET_ASSIGN && hysi_walk_scratch(w, r->value.n, 0) == HYS_OK) {
    im->y[i] = hys_expr_eval_interval(&r->value, r->value.n - 1, x, NULL, NULL, w->scratch);
    if (r->slack.lo != 0.0 || r->slack.hi != 0.0)
      im->y[i] = hys_interval_add(im->y[i], r->slack);
    im->v[i] = im->y[i];
  } else {
    im->y[i] = im->v[i] = hys_interval_entire();
  }
}

/* Rows of the image that a box describes as well; false: one has no bounds. */
static bool settle(hysi_walk *w, const hys_hybrid_location *target, const hys_interval *plain, image *im) {
  const size_t n = w->n;

  for (size_t i = 0; i < n; i++) {
    hys_interval *m = im->m + i * n;
    const bool flows = target->rate[i].motion == HYS_MOTION_FLOW;
    bool own = im->v[i].lo == 0.0 && im->v[i].hi == 0.0;
    if (flows && !bounded(im->y[i]))
      return false;
    for (size_t j = 0; j < n; j++)
      own = own && m[j].lo == (i == j ? 1.0 : 0.0) && m[j].hi == m[j].lo;
    if (flows && own)
      continue;
    if (flows && bounded(im->v[i]) && im->y[i].lo < im->y[i].hi &&
        im->y[i].hi - im->y[i].lo >= 0.5 * (plain[i].hi - plain[i].lo)) {
      im->identity = false;
      continue;
    }
    if (flows) {
      im->identity = false;
      im->v[i] = im->y[i];
    } else {
      im->v[i] = hys_interval_point(0.0); /* said by the target */
    }
    for (size_t j = 0; j < n; j++)
      m[j] = hys_interval_point(0.0);
  }
  return true;
}

/* A whole zonotope is hardly more than what is inside the guard. */
static bool whole(hysi_walk *w, const hys_zonotope *z, const hys_interval *box) {
  if (z->n == 0)
    return false;
  hys_zonotope_box(z, w->spare);
  for (size_t i = 0; i < w->n; i++) {
    if (w->ready->location->rate[i].motion == HYS_MOTION_FREE)
      continue;
    if (!(w->spare[i].hi - w->spare[i].lo <=
          nearly_all * (box[i].hi - box[i].lo) + hardly * (1.0 + hys_interval_mag(box[i]))))
      return false;
  }
  return true;
}

/* States of the location that the start says nothing of. */
static bool start_says_all(const hysi_walk *w, const hys_hybrid_location *target) {
  for (size_t i = 0; i < w->n; i++)
    if (w->ready->location->rate[i].motion != HYS_MOTION_FLOW && target->rate[i].motion == HYS_MOTION_FLOW)
      return false;
  return true;
}

static hys_status behind(hysi_walk *w, const hys_hybrid_jump *jump, hysi_crossing *c, image *im,
                         hys_interval *plain) {
  const size_t n = w->n;
  hysi_ready *target;
  hysi_item next = {.index = jump->target, .depth = w->item->depth + 1};
  hys_zonotope before = {0};
  bool all = c->steps == 1 && whole(w, &c->set, c->box);
  hys_status status = hysi_ready_get(w->e, jump->target, &target);

  if (status != HYS_OK)
    return status;
  for (size_t i = 0; i < n * n; i++)
    im->m[i] = hys_interval_point(0.0);
  for (size_t i = 0; i < n; i++) {
    reset_row(w, &jump->reset[i], i, c->box, im);
    plain[i] = im->y[i];
    if (target->location->rate[i].motion == HYS_MOTION_DEFINED)
      im->y[i] = hys_interval_entire();
  }
  status = hysi_walk_scratch(w, hys_conditions_scratch(&target->location->invariant), 0);
  if (status != HYS_OK)
    return status;
  if (!hys_conditions_contract(&target->location->invariant, im->y, 4, w->scratch))
    return HYS_OK;
  im->identity = true;
  if (!settle(w, target->location, plain, im)) {
    w->found->lost = "a jump leaves a variable without bounds";
    w->found->lost_at = w->item->from + c->from;
    return HYS_OK;
  }
  next.from = c->from > 0.0 ? hys_add_down(w->item->from, c->from) : w->item->from;
  next.to = c->instant ? w->item->to : hys_add_up(w->item->to, c->to);
  next.idle = c->instant ? w->item->idle + 1 : 0;
  status = hys_zonotope_open(&next.start, n, GENERATORS * n + n, NULL);
  if (status != HYS_OK)
    return status;
  if (c->instant && all && im->identity && start_says_all(w, target->location)) {
    /* bit for bit: so that a cycle in no time closes */
    status = hys_zonotope_copy(&next.start, &w->item->start);
    for (size_t i = 0; status == HYS_OK && i < n; i++) {
      if (target->location->rate[i].motion == HYS_MOTION_FLOW)
        continue;
      next.start.center[i] = next.start.radius[i] = 0.0;
      for (size_t k = 0; k < next.start.g; k++)
        next.start.generator[k * n + i] = 0.0;
    }
  } else {
    if (!all) {
      for (size_t i = 0; i < n; i++) /* what has no bounds is not asked for: settle has looked */
        if (!bounded(c->box[i]))
          c->box[i] = hys_interval_point(0.0);
      status = hys_zonotope_open(&before, n, n, NULL);
      if (status == HYS_OK)
        status = hysi_rows_enclose(&before, c->box, c->oriented ? c->row : NULL, c->bounds);
    }
    if (status == HYS_OK)
      status = hys_zonotope_map(&next.start, im->m, im->v, all ? &c->set : &before);
    if (status == HYS_OK)
      hys_zonotope_reduce(&next.start, GENERATORS * n);
    hys_zonotope_close(&before);
  }
  if (status != HYS_OK) {
    hys_zonotope_close(&next.start);
    return status;
  }
  return hysi_items_add(&w->found->next, &next);
}

hys_status hysi_cross(hysi_walk *w, const hys_hybrid_jump *jump, hysi_crossing *c) {
  const size_t n = w->n;
  image im;
  hys_interval *memory = hys_allocate(NULL, (n * n + 3 * n) * sizeof *memory);
  hys_status status;

  c->open = false;
  if (memory == NULL)
    return HYS_ERR_MEMORY;
  im = (image){memory, memory + n * n, memory + n * n + n, true};
  status = behind(w, jump, c, &im, memory + n * n + 2 * n);
  hys_release(NULL, memory);
  return status;
}
