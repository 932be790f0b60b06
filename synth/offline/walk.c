#include "synth/offline/walk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/contract.h"
#include "synth/offline/run_internal.h"

enum { NARROWING_ROUNDS = 6 };
/* A piece of time that is left and smaller than this part of the horizon is gone through in one step. */
static const double last_bit = 0x1p-24;
/* The edges of a crossing that takes long are found to within this part of a step. */
static const double coarse = 0x1p-3;
/* Of a variable's size: as far as it may go during a crossing that counts as one instant. */
static const double little = 0x1p-18;

/* ---- items ---- */

void hysi_item_close(hysi_item *item) {
  hys_zonotope_close(&item->start);
  hys_release(NULL, item->inner);
  item->inner = NULL;
}

void hysi_items_close(hysi_items *items) {
  for (uint32_t i = 0; i < items->n; i++)
    hysi_item_close(&items->item[i]);
  hys_release(NULL, items->item);
  *items = (hysi_items){NULL, 0, 0};
}

hys_status hysi_items_add(hysi_items *items, hysi_item *item) {
  if (items->n == items->capacity) {
    const uint32_t more = items->capacity == 0 ? 16 : 2 * items->capacity;
    hysi_item *bigger = hys_allocate(NULL, more * sizeof *bigger);
    if (bigger == NULL)
      return HYS_ERR_MEMORY;
    if (items->n > 0)
      memcpy(bigger, items->item, items->n * sizeof *bigger);
    hys_release(NULL, items->item);
    items->item = bigger;
    items->capacity = more;
  }
  items->item[items->n++] = *item;
  memset(&item->start, 0, sizeof item->start);
  item->inner = NULL;
  return HYS_OK;
}

/* ---- locations ---- */

/* Whether the conditions bound the free variables; a bound that hangs on states is taken over all states. */
static hys_status make_ready(const hysi_explorer *e, uint32_t index, hysi_ready **out) {
  const hys_hybrid *a = e->automaton;
  const hys_hybrid_location *l = NULL;
  hys_pipe_options options = e->options->pipe;
  hysi_ready *r;
  hys_interval *scratch;
  hys_status status = a->location(a->context, index, &l);

  if (status != HYS_OK)
    return status;
  r = hys_allocate(NULL, sizeof *r);
  if (r == NULL)
    return HYS_ERR_MEMORY;
  memset(r, 0, sizeof *r);
  r->location = l;
  r->free = hys_allocate(NULL, a->n * sizeof *r->free);
  r->invariant = hys_allocate(NULL, (l->invariant.n + 1) * sizeof *r->invariant);
  scratch = hys_allocate(NULL, hys_conditions_scratch(&l->invariant) * sizeof *scratch);
  if (r->free == NULL || r->invariant == NULL || scratch == NULL) {
    status = HYS_ERR_MEMORY;
  } else {
    for (size_t i = 0; i < a->n; i++)
      r->free[i] = hys_interval_entire();
    if (!hys_conditions_contract(&l->invariant, r->free, NARROWING_ROUNDS, scratch))
      for (size_t i = 0; i < a->n; i++)
        r->free[i] = hys_interval_point(0.0); /* nothing satisfies it: there will be no states either */
    for (uint32_t i = 0; i < l->invariant.n; i++)
      r->invariant[i] = &l->invariant.condition[i];
    if (options.tolerance == 0.0)
      options.tolerance = e->fineness.tolerance;
    r->straight = true;
    for (size_t i = 0; i < a->n; i++)
      r->straight = r->straight &&
                    (l->rate[i].motion != HYS_MOTION_FLOW || (l->rate[i].affine && l->rate[i].row.n == 0));
    status = hys_pipe_flow_create(&r->flow, a, l, r->free, &options, NULL);
  }
  hys_release(NULL, scratch);
  if (status != HYS_OK) {
    hys_release(NULL, r->free);
    hys_release(NULL, r->invariant);
    hys_release(NULL, r);
    return status;
  }
  *out = r;
  return HYS_OK;
}

hys_status hysi_ready_get(hysi_explorer *e, uint32_t index, hysi_ready **out) {
  hys_status status = HYS_OK;

  pthread_mutex_lock(&e->lock);
  if (index >= e->n_ready) {
    const uint32_t more = 2 * index + 16;
    hysi_ready **bigger = hys_allocate(NULL, more * sizeof *bigger);
    if (bigger == NULL) {
      status = HYS_ERR_MEMORY;
    } else {
      memset(bigger, 0, more * sizeof *bigger);
      if (e->n_ready > 0)
        memcpy(bigger, e->ready, e->n_ready * sizeof *bigger);
      hys_release(NULL, e->ready);
      e->ready = bigger;
      e->n_ready = more;
    }
  }
  if (status == HYS_OK && e->ready[index] == NULL)
    status = make_ready(e, index, &e->ready[index]);
  *out = status == HYS_OK ? e->ready[index] : NULL;
  pthread_mutex_unlock(&e->lock);
  return status;
}

void hysi_ready_clear(hysi_explorer *e) {
  for (uint32_t i = 0; i < e->n_ready; i++)
    if (e->ready[i] != NULL) {
      hys_pipe_flow_destroy(e->ready[i]->flow);
      hys_release(NULL, e->ready[i]->free);
      hys_release(NULL, e->ready[i]->invariant);
      hys_release(NULL, e->ready[i]);
    }
  hys_release(NULL, e->ready);
  e->ready = NULL;
  e->n_ready = 0;
}

/* ---- what is found ---- */

hys_status hysi_found_open(hysi_found *f, const hysi_explorer *e) {
  memset(f, 0, sizeof *f);
  f->touched = hys_allocate(NULL, (e->n_properties + 1) * sizeof *f->touched);
  f->where = hys_allocate(NULL, (e->n_properties + 1) * sizeof *f->where);
  f->bounds = hys_allocate(NULL, e->automaton->n * sizeof *f->bounds);
  if (f->touched == NULL || f->where == NULL || f->bounds == NULL)
    return HYS_ERR_MEMORY;
  memset(f->touched, 0, (e->n_properties + 1) * sizeof *f->touched);
  memset(f->where, 0, (e->n_properties + 1) * sizeof *f->where);
  for (size_t i = 0; i < e->automaton->n; i++)
    f->bounds[i] = hys_interval_empty();
  return HYS_OK;
}

void hysi_found_close(hysi_found *f, const hysi_explorer *e) {
  union {
    const char *in;
    void *out;
  } text;

  hysi_items_close(&f->next);
  for (uint32_t p = 0; f->where != NULL && p < e->n_properties; p++) {
    text.in = f->where[p];
    free(text.out);
  }
  hys_release(NULL, f->touched);
  hys_release(NULL, f->where);
  hys_release(NULL, f->bounds);
  hys_release(NULL, f->segments.time);
  hys_release(NULL, f->segments.index);
  hys_release(NULL, f->segments.box);
  memset(f, 0, sizeof *f);
}

static hys_status keep_segment(const hysi_explorer *e, hysi_found *f, double from, double to, uint32_t index,
                               const hys_interval *box) {
  const size_t n = e->automaton->n;
  hysi_segment_store *s = &f->segments;

  if (s->n == s->capacity) {
    const size_t more = s->capacity == 0 ? 64 : 2 * s->capacity;
    double *time = hys_allocate(NULL, 2 * more * sizeof *time);
    uint32_t *where = hys_allocate(NULL, more * sizeof *where);
    hys_interval *boxes = hys_allocate(NULL, more * n * sizeof *boxes);
    if (time == NULL || where == NULL || boxes == NULL) {
      hys_release(NULL, time);
      hys_release(NULL, where);
      hys_release(NULL, boxes);
      return HYS_ERR_MEMORY;
    }
    if (s->n > 0) {
      memcpy(time, s->time, 2 * s->n * sizeof *time);
      memcpy(where, s->index, s->n * sizeof *where);
      memcpy(boxes, s->box, s->n * n * sizeof *boxes);
    }
    hys_release(NULL, s->time);
    hys_release(NULL, s->index);
    hys_release(NULL, s->box);
    s->time = time;
    s->index = where;
    s->box = boxes;
    s->capacity = more;
  }
  s->time[2 * s->n] = from;
  s->time[2 * s->n + 1] = to;
  s->index[s->n] = index;
  memcpy(s->box + n * s->n++, box, n * sizeof *box);
  return HYS_OK;
}

/* ---- one flowpipe ---- */

typedef struct walk {
  hysi_explorer *e;
  const hysi_item *item;
  const hysi_ready *ready;
  const bool *undecided;
  hysi_found *found;
  hys_pipe *pipe;
  size_t n;
  double now;                               /* local, s */
  hys_interval *box, *cut_box, *cut_bounds; /* n each; box: of the tube */
  const hys_condition **cut;                /* scratch: conditions of a set, then those of the invariant */
  size_t cut_capacity;
  hys_interval *scratch;
  size_t scratch_size;
  hysi_crossing *crossing; /* one a jump */
  hys_term *term;          /* n: scratch */
} walk;

static hys_status scratch_for(walk *w, size_t n) {
  if (n <= w->scratch_size)
    return HYS_OK;
  hys_release(NULL, w->scratch);
  w->scratch_size = 0;
  w->scratch = hys_allocate(NULL, n * sizeof *w->scratch);
  if (w->scratch == NULL)
    return HYS_ERR_MEMORY;
  w->scratch_size = n;
  return HYS_OK;
}

/* The conditions of a set and then the invariant's into w->cut; their number. */
static size_t gather(walk *w, const hys_conditions *c) {
  const size_t need = c->n + w->ready->location->invariant.n + 1;
  size_t k = 0;

  if (need > w->cut_capacity) {
    const hys_condition **bigger = hys_allocate(NULL, 2 * need * sizeof *bigger);
    if (bigger == NULL) {
      w->found->status = HYS_ERR_MEMORY;
      return 0;
    }
    hys_release(NULL, w->cut);
    w->cut = bigger;
    w->cut_capacity = 2 * need;
  }
  for (uint32_t i = 0; i < c->n; i++)
    w->cut[k++] = &c->condition[i];
  for (uint32_t i = 0; i < w->ready->location->invariant.n; i++)
    w->cut[k++] = w->ready->invariant[i];
  return k;
}

/* A strict condition and one of the invariant that have the same border and lie on its two sides. */
static bool opposite(const hys_condition *strict, const hys_condition *other) {
  if (strict->relation != HYS_RELATION_LT || !strict->affine || !other->affine || strict->row.n == 0 ||
      other->row.n != strict->row.n || !hysi_run_same_border(strict, other))
    return false;
  return other->relation == HYS_RELATION_EQ ||
         (strict->row.term[0].coef.lo > 0.0) != (other->row.term[0].coef.lo > 0.0);
}

/* What a box tells of the conditions in w->cut. */
typedef enum look {
  LOOK_EMPTY, /* one is satisfied nowhere */
  LOOK_ALL,   /* all are, everywhere */
  LOOK_ONE,   /* those that are not everywhere speak of one variable: a box loses nothing, whatever the set */
  LOOK_SOME
} look;

static look look_at(const walk *w, size_t n, const hys_interval *box) {
  uint32_t variable = UINT32_MAX;
  look all = LOOK_ALL;

  for (size_t i = 0; i < n; i++) {
    const hys_condition *c = w->cut[i];
    hys_interval v;
    if (!c->affine) {
      all = LOOK_SOME;
      continue;
    }
    v = hys_affine_value(&c->row, box);
    if (v.lo > 0.0 || (c->relation == HYS_RELATION_LT && v.lo >= 0.0) ||
        (c->relation == HYS_RELATION_EQ && v.hi < 0.0))
      return LOOK_EMPTY;
    if (c->relation == HYS_RELATION_EQ   ? v.lo == 0.0 && v.hi == 0.0
        : c->relation == HYS_RELATION_LT ? v.hi < 0.0
                                         : v.hi <= 0.0)
      continue;
    if (c->row.n != 1 || (variable != UINT32_MAX && variable != c->row.term[0].variable))
      all = LOOK_SOME;
    else if (all == LOOK_ALL)
      all = LOOK_ONE;
    variable = c->row.n > 0 ? c->row.term[0].variable : variable;
  }
  return all;
}

/* No state of the set of the pipe satisfies the conditions and the invariant; thorough: also by several of
 * them together. */
static bool empty(walk *w, hys_pipe_set which, const hys_conditions *c, bool thorough) {
  static const hys_affine zero = {NULL, 0, {0.0, 0.0}};
  const hys_conditions *invariant = &w->ready->location->invariant;
  const size_t n = gather(w, c);
  look first;

  if (n == 0)
    return false;
  if (scratch_for(w, hys_conditions_scratch(c)) != HYS_OK ||
      scratch_for(w, hys_conditions_scratch(invariant)) != HYS_OK)
    return false;
  memcpy(w->cut_box, w->box, w->n * sizeof *w->box);
  if (which != HYS_PIPE_TUBE)
    hys_pipe_box(w->pipe, which, w->cut_box);
  first = look_at(w, n, w->cut_box);
  if (first == LOOK_EMPTY || first == LOOK_ALL)
    return first == LOOK_EMPTY;
  for (int turn = 0; turn < 2; turn++)
    if (!hys_conditions_contract(invariant, w->cut_box, NARROWING_ROUNDS, w->scratch) ||
        !hys_conditions_contract(c, w->cut_box, NARROWING_ROUNDS, w->scratch))
      return true;
  if (first == LOOK_ONE && look_at(w, n, w->cut_box) == LOOK_EMPTY)
    return true;
  if (first == LOOK_SOME && hys_pipe_max(w->pipe, which, &zero, w->cut, n) == -HYSI_INF)
    return true;
  for (size_t i = 0; i < n; i++) {
    hys_interval v;
    if (w->cut[i]->affine)
      continue;
    v = hys_pipe_range(w->pipe, which, &w->cut[i]->value);
    if (v.lo > 0.0 || (w->cut[i]->relation == HYS_RELATION_LT && v.lo >= 0.0) ||
        (w->cut[i]->relation == HYS_RELATION_EQ && v.hi < 0.0) || hys_interval_is_empty(v))
      return true;
  }
  for (uint32_t i = 0; i < c->n; i++)
    for (uint32_t k = 0; k < invariant->n; k++)
      if (opposite(&c->condition[i], &invariant->condition[k]))
        return true;
  for (uint32_t i = 0; thorough && first == LOOK_SOME && i < c->n; i++) {
    const hys_condition *k = &c->condition[i];
    hys_term *minus;
    double most;
    if (!k->affine || n < 2)
      continue;
    minus = hys_allocate(NULL, (k->row.n + 1) * sizeof *minus);
    if (minus == NULL)
      return false;
    for (uint32_t t = 0; t < k->row.n; t++)
      minus[t] = (hys_term){k->row.term[t].variable, hys_interval_neg(k->row.term[t].coef)};
    {
      const hys_affine row = {minus, k->row.n, hys_interval_neg(k->row.constant)};
      w->cut[i] = w->cut[n - 1]; /* all others */
      most = hys_pipe_max(w->pipe, which, &row, w->cut, n - 1);
      (void)gather(w, c);
    }
    hys_release(NULL, minus);
    if (most < 0.0 || (k->relation == HYS_RELATION_LT && most <= 0.0))
      return true;
  }
  return false;
}

static void touch(walk *w, uint32_t p, double from, double to) {
  char text[512];

  if (w->found->touched[p])
    return;
  w->found->touched[p] = true;
  snprintf(text, sizeof text, "the enclosure meets the forbidden set in %s%s between %.6g and %.6g s",
           w->ready->location->name[0] != '\0' ? "location " : "", w->ready->location->name,
           w->item->from + from, w->item->to + to);
  w->found->where[p] = strdup(text);
}

/* The first property that the set may enter; n_properties: none. */
static uint32_t entered(walk *w, hys_pipe_set which) {
  for (uint32_t p = 0; p < w->e->n_properties; p++) {
    const hys_property *q = &w->e->property[p];
    if (!w->undecided[p] || w->found->touched[p])
      continue;
    for (uint32_t s = 0; s < q->n; s++)
      if (hys_hybrid_set_in(&q->set[s], w->ready->location->part) && !empty(w, which, &q->set[s].set, true))
        return p;
  }
  return w->e->n_properties;
}

/* Bounds of the set cut with conditions and the invariant, variable by variable.  false: there is nothing. */
static bool cut_bounds(walk *w, hys_pipe_set which, const hys_conditions *c, hys_interval *out) {
  const size_t n = gather(w, c);

  hys_pipe_box(w->pipe, which, out);
  for (int turn = 0; turn < 2; turn++)
    if (!hys_conditions_contract(c, out, NARROWING_ROUNDS, w->scratch) ||
        !hys_conditions_contract(&w->ready->location->invariant, out, NARROWING_ROUNDS, w->scratch))
      return false;
  for (size_t i = 0; i < w->n && w->n <= 16; i++) {
    const hys_term up[1] = {{(uint32_t)i, {1.0, 1.0}}}, down[1] = {{(uint32_t)i, {-1.0, -1.0}}};
    const hys_affine high = {up, 1, {0.0, 0.0}}, low = {down, 1, {0.0, 0.0}};
    double hi, lo;
    if (!hys_pipe_flow_is_affine(w->ready->flow) || w->ready->location->rate[i].motion != HYS_MOTION_FLOW ||
        out[i].lo == out[i].hi)
      continue;
    hi = hys_pipe_max(w->pipe, which, &high, w->cut, n);
    lo = -hys_pipe_max(w->pipe, which, &low, w->cut, n);
    if (hi < lo)
      return false;
    out[i] = hys_interval_intersect(out[i], hys_interval_make(lo, hi));
    if (hys_interval_is_empty(out[i]))
      return false;
  }
  return true;
}

/* ---- crossings ---- */

static hys_status open_crossing(walk *w, hysi_crossing *c) {
  if (c->box == NULL) {
    c->box = hys_allocate(NULL, 2 * w->n * sizeof *c->box);
    if (c->box == NULL)
      return HYS_ERR_MEMORY;
    c->bounds = c->box + w->n;
  }
  c->open = true;
  c->from = w->now;
  c->steps = 0;
  for (size_t i = 0; i < w->n; i++)
    c->box[i] = c->bounds[i] = hys_interval_empty();
  hys_zonotope_close(&c->tube);
  return hys_zonotope_open(&c->tube, w->n, w->n, NULL);
}

static hys_status close_crossing(walk *w, uint32_t jump) {
  hysi_crossing *c = &w->crossing[jump];
  hys_status status = HYS_OK;

  if (!c->open)
    return HYS_OK;
  c->open = false;
  status = hysi_cross(w->e, w->item, &w->ready->location->jump[jump], c, w->found);
  return status;
}

/* |x_i'| over a box times a duration, from above. */
static hys_status way(walk *w, const hys_interval *box, double duration, hys_interval *out) {
  size_t need = 1;

  for (size_t i = 0; i < w->n; i++)
    need = w->ready->location->rate[i].value.n > need ? w->ready->location->rate[i].value.n : need;
  if (scratch_for(w, need) != HYS_OK)
    return HYS_ERR_MEMORY;
  for (size_t i = 0; i < w->n; i++) {
    const hys_rate *r = &w->ready->location->rate[i];
    double d = 0.0;
    if (r->motion == HYS_MOTION_FLOW) {
      const hys_interval v = hys_interval_add_exact(
          r->affine ? hys_affine_value(&r->row, box)
                    : hys_expr_eval_interval(&r->value, r->value.n - 1, box, NULL, NULL, w->scratch),
          r->slack);
      d = hys_interval_mag(v) == 0.0 ? 0.0 : hys_mul_up(hys_interval_mag(v), duration);
    }
    out[i] = hys_interval_make(-d, d);
  }
  return HYS_OK;
}

/* A step (its tube is looked at) in which a jump may be taken. */
static hys_status take_crossing(walk *w, uint32_t jump, double h, const hys_interval *cut) {
  hysi_crossing *c = &w->crossing[jump];
  hys_status status = HYS_OK;

  if (!c->open)
    status = open_crossing(w, c);
  if (status != HYS_OK)
    return status;
  c->steps++;
  c->to = w->now + h;
  for (size_t i = 0; i < w->n; i++) {
    c->box[i] = hys_interval_hull(c->box[i], cut[i]);
    c->bounds[i] =
        hys_interval_hull(c->bounds[i], w->box[i]); /* not cut: for how far the set goes meanwhile */
  }
  if (c->steps == 1) { /* the set at an instant of the crossing */
    status = hys_pipe_zonotope(w->pipe, HYS_PIPE_END, &c->tube);
    if (status == HYS_ERR_NUMERIC) { /* a variable without bounds */
      c->oriented = false;
      return HYS_OK;
    }
    c->oriented = status == HYS_OK;
  }
  return status;
}

static bool along_axes(const hys_zonotope *z) {
  for (size_t k = 0; k < z->g; k++) {
    size_t entries = 0;
    for (size_t i = 0; i < z->n; i++)
      entries += z->generator[k * z->n + i] != 0.0;
    if (entries > 1)
      return false;
  }
  return true;
}

/* When a crossing ends: if it was short, all its states are near the set at one instant of it. */
static hys_status settle(walk *w, hysi_crossing *c) {
  hys_status status;

  if (!c->oriented || along_axes(&c->tube)) { /* of a box nothing is lost by taking the box */
    c->oriented = false;
    return HYS_OK;
  }
  status = way(w, c->bounds, c->to - c->from, w->cut_box);
  for (size_t i = 0; status == HYS_OK && i < w->n && c->oriented; i++) {
    const double width = hys_interval_width(c->box[i]), far = w->cut_box[i].hi;
    if (w->ready->location->rate[i].motion == HYS_MOTION_FLOW)
      c->oriented = far <= 0.05 * width || far <= little * (1.0 + hys_interval_mag(c->box[i]));
  }
  if (status == HYS_OK && c->oriented)
    hys_zonotope_add_box(&c->tube, w->cut_box);
  return status;
}

/* ---- the walk ---- */

/* Some part of the set may take the jump; then cut holds its bounds. */
static bool may_cross(walk *w, hys_pipe_set which, const hys_hybrid_jump *jump, hys_interval *cut) {
  return !empty(w, which, &jump->guard, false) && cut_bounds(w, which, &jump->guard, cut);
}

/* All states reach the guard at nearly the same instant, as by a clock: over the step a condition of it moves
 * much further than its values at one instant lie apart. */
static bool is_short(walk *w, const hys_hybrid_jump *jump) {
  for (uint32_t i = 0; i < jump->guard.n; i++) {
    const hys_condition *c = &jump->guard.condition[i];
    double at, along;
    hys_affine minus;
    if (!c->affine || c->row.n > w->n)
      continue;
    for (uint32_t t = 0; t < c->row.n; t++)
      w->term[t] = (hys_term){c->row.term[t].variable, hys_interval_neg(c->row.term[t].coef)};
    minus = (hys_affine){w->term, c->row.n, hys_interval_neg(c->row.constant)};
    at = hys_pipe_max(w->pipe, HYS_PIPE_END, &c->row, NULL, 0) +
         hys_pipe_max(w->pipe, HYS_PIPE_END, &minus, NULL, 0);
    along = hys_pipe_max(w->pipe, HYS_PIPE_TUBE, &c->row, NULL, 0) +
            hys_pipe_max(w->pipe, HYS_PIPE_TUBE, &minus, NULL, 0);
    if (at <= 0.02 * along)
      return true;
  }
  return false;
}

static hys_status step(walk *w, double h, bool *over) {
  static const hys_conditions always = {NULL, 0};
  const hys_hybrid_location *l = w->ready->location;
  hysi_found *f = w->found;
  const double usual = h;
  double taken = 0.0;
  uint32_t p;
  bool retry;
  hys_status status;

  do {
    retry = false;
    status = hys_pipe_try(w->pipe, h, &taken);
    if (status == HYS_ERR_NUMERIC || (status == HYS_OK && !(taken > 0.0))) {
      f->lost = "no enclosure of the flow was found: it may blow up";
      *over = true;
      return HYS_OK;
    }
    if (status != HYS_OK)
      return status;
    f->steps++;
    hys_pipe_box(w->pipe, HYS_PIPE_TUBE, w->box);
    if (empty(w, HYS_PIPE_TUBE, &always, false)) { /* all have left the invariant */
      *over = true;
      return HYS_OK;
    }
    p = entered(w, HYS_PIPE_TUBE);
    if (p < w->e->n_properties) {
      if (taken > w->e->fineness.shortest) {
        h = taken / 2.0;
        retry = true;
        continue;
      }
      touch(w, p, w->now, w->now + taken);
      while ((p = entered(w, HYS_PIPE_TUBE)) < w->e->n_properties)
        touch(w, p, w->now, w->now + taken);
    }
    /* edges of crossings: a step that enters or leaves a guard is short */
    for (uint32_t j = 0; j < l->n_jumps && !retry && !w->ready->straight; j++) {
      const bool open = w->crossing[j].open;
      const double edge = w->crossing[j].open ? w->crossing[j].edge : coarse;
      if (taken <= usual * fmin(edge, w->e->fineness.edge) ||
          empty(w, HYS_PIPE_TUBE, &l->jump[j].guard, false) ||
          taken <= usual * (edge < coarse || !is_short(w, &l->jump[j]) ? edge : w->e->fineness.edge))
        continue;
      if (!open || empty(w, HYS_PIPE_END, &l->jump[j].guard, false)) {
        h = taken / 2.0;
        retry = true;
      }
    }
  } while (retry);
  /* what may be crossed in this step */
  for (uint32_t j = 0; j < l->n_jumps && status == HYS_OK; j++) {
    hysi_crossing *c = &w->crossing[j];
    if (may_cross(w, HYS_PIPE_TUBE, &l->jump[j], w->cut_bounds)) {
      const hys_interval *cut = w->cut_bounds;
      if (!c->open)
        c->edge = taken <= usual * 2.0 * w->e->fineness.edge ? w->e->fineness.edge : coarse;
      status = take_crossing(w, j, taken, cut);
      if (status == HYS_OK && w->e->fineness.clusters > 1 && c->steps > 1) {
        /* a long crossing in parts: when it has grown to several times the first piece */
        double grown = 0.0;
        for (size_t i = 0; i < w->n; i++) {
          const double width = hys_interval_width(cut[i]);
          if (width > 0.0 && isfinite(width))
            grown = fmax(grown, hys_interval_width(c->box[i]) / width);
        }
        if (grown > 8.0 / w->e->fineness.clusters + 1.0) {
          status = settle(w, c);
          if (status == HYS_OK)
            status = close_crossing(w, j);
        }
      }
    } else if (c->open) {
      status = settle(w, c);
      if (status == HYS_OK)
        status = close_crossing(w, j);
    }
  }
  if (status != HYS_OK)
    return status;
  if (scratch_for(w, hys_conditions_scratch(&l->invariant)) != HYS_OK)
    return HYS_ERR_MEMORY;
  (void)hys_conditions_contract(&l->invariant, w->box, 2, w->scratch);
  for (size_t i = 0; i < w->n; i++)
    f->bounds[i] = hys_interval_hull(f->bounds[i], w->box[i]);
  if (w->e->options->segment != NULL)
    status =
        keep_segment(w->e, f, w->item->from + w->now, w->item->to + w->now + taken, w->item->index, w->box);
  hys_pipe_accept(w->pipe);
  w->now += taken;
  return status;
}

static hys_status walk_along(walk *w) {
  static const hys_conditions always = {NULL, 0};
  const hys_hybrid_location *l = w->ready->location;
  const double left = w->e->options->time_horizon - w->item->from;
  bool over = false;
  hys_status status = HYS_OK;
  uint32_t p;

  hys_pipe_box(w->pipe, HYS_PIPE_END, w->box);
  if (empty(w, HYS_PIPE_END, &always, false))
    return HYS_OK; /* it enters nothing */
  if (l->urgent || left <= 0.0) {
    while ((p = entered(w, HYS_PIPE_END)) < w->e->n_properties)
      touch(w, p, 0.0, 0.0);
    for (size_t i = 0; i < w->n; i++)
      w->found->bounds[i] = hys_interval_hull(w->found->bounds[i], w->box[i]);
    if (w->e->options->segment != NULL)
      status = keep_segment(w->e, w->found, w->item->from, w->item->to, w->item->index, w->box);
    w->found->to_horizon = left < 0.0;
    w->found->blocked = l->urgent && l->n_jumps == 0;
    for (uint32_t j = 0; j < l->n_jumps && status == HYS_OK; j++) {
      if (!may_cross(w, HYS_PIPE_END, &l->jump[j], w->cut_bounds))
        continue;
      status = take_crossing(w, j, 0.0, w->cut_bounds);
      if (status == HYS_OK)
        status = close_crossing(w, j);
    }
    return status;
  }
  while (!over && status == HYS_OK) {
    const double rest = left - w->now;
    double h = hys_pipe_suggest(w->pipe, w->e->fineness.step);
    if (rest <= 0.0) {
      w->found->to_horizon = true;
      break;
    }
    if (w->e->options->stop != NULL && w->e->options->stop(w->e->options->stop_context)) {
      w->found->stopped = true;
      break;
    }
    if (rest < h) /* the last of it by a step that goes beyond */
      h = rest > last_bit * w->e->options->time_horizon ? rest : 2.0 * last_bit * w->e->options->time_horizon;
    status = step(w, h, &over);
  }
  for (uint32_t j = 0; j < l->n_jumps && status == HYS_OK; j++)
    if (w->crossing[j].open) {
      status = settle(w, &w->crossing[j]);
      if (status == HYS_OK)
        status = close_crossing(w, j);
    }
  return status;
}

void hysi_explore(hysi_explorer *e, const hysi_item *item, const bool *undecided, hysi_found *found) {
  walk w = {.e = e, .item = item, .undecided = undecided, .found = found, .n = e->automaton->n};
  hysi_ready *ready = NULL;
  hys_status status = hysi_ready_get(e, item->index, &ready);

  w.ready = ready;
  if (status == HYS_OK) {
    w.box = hys_allocate(NULL, 3 * w.n * sizeof *w.box);
    w.crossing = hys_allocate(NULL, (ready->location->n_jumps + 1) * sizeof *w.crossing);
    w.term = hys_allocate(NULL, w.n * sizeof *w.term);
    status = w.box == NULL || w.crossing == NULL || w.term == NULL ? HYS_ERR_MEMORY : HYS_OK;
  }
  if (status == HYS_OK) {
    w.cut_box = w.box + w.n;
    w.cut_bounds = w.box + 2 * w.n;
    memset(w.crossing, 0, (ready->location->n_jumps + 1) * sizeof *w.crossing);
    status = hys_pipe_create(&w.pipe, ready->flow, &item->start, NULL);
  }
  if (status == HYS_OK)
    status = walk_along(&w);
  if (status == HYS_OK)
    status = found->status;
  if (status == HYS_ERR_UNSUPPORTED) {
    found->lost = "a flow is not one that can be enclosed";
    status = HYS_OK;
  }
  found->status = status;
  for (uint32_t j = 0; w.crossing != NULL && j < ready->location->n_jumps; j++) {
    hys_release(NULL, w.crossing[j].box);
    hys_zonotope_close(&w.crossing[j].tube);
  }
  hys_pipe_destroy(w.pipe);
  hys_release(NULL, w.box);
  hys_release(NULL, w.term);
  hys_release(NULL, w.crossing);
  hys_release(NULL, w.cut);
  hys_release(NULL, w.scratch);
}
