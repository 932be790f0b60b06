#include "synth/offline/verify.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/contract.h"
#include "synth/offline/walk.h"
#include "synth/offline/falsify.h"

enum { NARROWING_ROUNDS = 10, MOST_LOCATIONS = 4096 };
/* From here on a location without jumps is looked at by directions, without sets. */
static const size_t many_variables = 12;
static const uint32_t often = 24; /* visits before that is done */

void hys_verify_options_default(hys_verify_options *options, double time_horizon) {
  memset(options, 0, sizeof *options);
  options->time_horizon = time_horizon;
  options->max_jumps = 1000;
  options->max_items = 20000;
  options->max_passes = 12;
  options->clusters = 1;
  options->falsify_runs = 24;
  options->threads = 1;
  options->seed = 1;
}

/* ---- a pass ---- */

typedef struct pass {
  hysi_explorer e;
  const hys_verify_options *o;
  uint32_t *last; /* per location index: the last in `seen`, plus one */
  uint32_t n_last;
  hysi_items todo, seen; /* this generation; all that were followed */
  bool *undecided;       /* per property, for the whole pass */
  bool *touched;
  char **where;
  hys_interval *bounds;
  hysi_segment_store segments;
  bool to_horizon, stopped, blocked;
  bool timeless; /* a set with less time left held another: good if nothing is cut off by the horizon */
  const char *lost;
  uint32_t items, subsumed;
  uint64_t steps;
} pass;

static bool is_box(const hys_zonotope *z) {
  for (size_t k = 0; k < z->g; k++) {
    size_t entries = 0;
    for (size_t i = 0; i < z->n; i++)
      entries += z->generator[k * z->n + i] != 0.0;
    if (entries > 1)
      return false;
  }
  return true;
}

/* What a box surely holds, once. */
static hys_status look_at(const pass *p, hysi_item *item) {
  const size_t n = p->e.automaton->n;

  if (item->inner != NULL || !is_box(&item->start))
    return HYS_OK;
  item->inner = hys_allocate(NULL, n * sizeof *item->inner);
  if (item->inner == NULL)
    return HYS_ERR_MEMORY;
  for (size_t i = 0; i < n; i++) {
    double r = item->start.radius[i];
    for (size_t g = 0; g < item->start.g; g++)
      r = hys_add_down(r, fabs(item->start.generator[g * n + i]));
    item->inner[i] = r > 0.0 ? hys_interval_make(hys_add_up(item->start.center[i], -r),
                                                 hys_add_down(item->start.center[i], r))
                             : hys_interval_point(item->start.center[i]);
  }
  return HYS_OK;
}

/* Cuts from the box x what lies in y, where y covers x in all directions but one and reaches over an end
 * there. *all: y covers x. */
static bool trim(size_t n, hys_interval *x, const hys_interval *y, bool *all) {
  size_t open = n;

  *all = false;
  for (size_t i = 0; i < n; i++) {
    if (hys_interval_inside_surely(x[i], y[i]))
      continue;
    if (open != n)
      return false;
    open = i;
  }
  if (open == n) {
    *all = true;
    return true;
  }
  if (y[open].lo <= x[open].lo && y[open].hi > x[open].lo && y[open].hi < x[open].hi)
    x[open].lo = y[open].hi;
  else if (y[open].hi >= x[open].hi && y[open].lo < x[open].hi && y[open].lo > x[open].lo)
    x[open].hi = y[open].lo;
  else
    return false;
  return true;
}

/* The last of those that were followed in a location, plus one. */
static uint32_t last_in(const pass *p, uint32_t index) {
  return index < p->n_last ? p->last[index] : 0;
}

static hys_status add_seen(pass *p, hysi_item *item) {
  const uint32_t index = item->index;
  hys_status status = look_at(p, item);

  if (index >= p->n_last) {
    const uint32_t more = 2 * index + 16;
    uint32_t *bigger = hys_allocate(NULL, more * sizeof *bigger);
    if (bigger == NULL)
      return HYS_ERR_MEMORY;
    memset(bigger, 0, more * sizeof *bigger);
    if (p->n_last > 0)
      memcpy(bigger, p->last, p->n_last * sizeof *bigger);
    hys_release(NULL, p->last);
    p->last = bigger;
    p->n_last = more;
  }
  item->before = p->last[index];
  if (status == HYS_OK)
    status = hysi_items_add(&p->seen, item);
  if (status == HYS_OK)
    p->last[index] = p->seen.n;
  return status;
}

/* Sets that were followed, and had at least as much time left or did not need it, hold this one; or (of
 * boxes) hold a part of it, which is then taken off. */
static hys_status cover(pass *p, const hysi_items *more, hysi_item *item, bool *covered) {
  const size_t n = p->e.automaton->n;
  const bool box = is_box(&item->start);
  hys_interval *x = hys_allocate(NULL, 2 * n * sizeof *x), *y = x != NULL ? x + n : NULL;
  bool cut = false, again = true;
  hys_status status = HYS_OK;

  *covered = false;
  if (x == NULL)
    return HYS_ERR_MEMORY;
  hys_zonotope_box(&item->start, x);
  while (again && !*covered) {
    again = false;
    for (uint32_t k = more->n, old = last_in(p, item->index); (k > 0 || old > 0) && !*covered;) {
      const hysi_item *s = k > 0 ? &more->item[--k] : &p->seen.item[old - 1];
      const bool timely = s->from <= item->from;
      bool all = false, used = false;
      if (s >= p->seen.item && s < p->seen.item + p->seen.n)
        old = s->before;
      if (s->index != item->index || !(timely || (s->closed && !p->e.fineness.strict)))
        continue;
      if (box && s->inner != NULL) {
        if (trim(n, x, s->inner, &all)) {
          cut = used = true;
          again = !all;
        }
        *covered = all;
      } else if (hys_zonotope_contains_surely(&s->start, &item->start)) {
        *covered = used = true;
      }
      p->timeless = p->timeless || (used && !timely);
    }
  }
  /* A place that was visited before: more than what came, so that what comes next time, which is never quite
   * the same, is held by it.  By a multiple of its width where that is little against all that has come here.
   */
  if (box && !*covered) {
    uint32_t visits = 0;
    for (size_t i = 0; i < n; i++)
      y[i] = x[i];
    for (uint32_t k = last_in(p, item->index); k > 0; k = p->seen.item[k - 1].before) {
      const hysi_item *s = &p->seen.item[k - 1];
      visits++;
      for (size_t i = 0; i < n; i++)
        y[i] = hys_interval_hull(y[i], hys_interval_point(s->start.center[i]));
    }
    for (size_t i = 0; i < n && visits > 0; i++) {
      const double width = hys_interval_width(x[i]), bit = 0x1p-40 * (1.0 + hys_interval_mag(x[i]));
      const double wide =
          visits > often
              ? fmax(0.0, fmin(8.0 * width, p->e.fineness.widen * hys_interval_width(y[i]) - width))
              : 0.0;
      x[i] = hys_interval_make(x[i].lo - wide - bit, x[i].hi + wide + bit);
    }
    if (visits > 0) { /* no further than the invariant goes */
      const hys_hybrid_location *l = NULL;
      hys_interval *scratch = NULL;
      status = p->e.automaton->location(p->e.automaton->context, item->index, &l);
      if (status == HYS_OK)
        scratch = hys_allocate(NULL, hys_conditions_scratch(&l->invariant) * sizeof *scratch);
      for (size_t i = 0; i < n && scratch != NULL; i++)
        y[i] = l->rate[i].motion == HYS_MOTION_FLOW ? x[i] : hys_interval_entire();
      if (scratch != NULL && hys_conditions_contract(&l->invariant, y, NARROWING_ROUNDS, scratch))
        for (size_t i = 0; i < n; i++)
          x[i] = l->rate[i].motion == HYS_MOTION_FLOW ? y[i] : x[i];
      hys_release(NULL, scratch);
    }
    cut = cut || visits > 0;
  }
  if (cut && !*covered)
    status = hys_zonotope_from_box(&item->start, x);
  hys_release(NULL, x);
  return status;
}

/* The start sets of one initial set in one of its locations, divided 2^split times. */
static hys_status add_starts(pass *p, const hys_hybrid_set *set, uint32_t index, hys_arena *arena) {
  const hys_hybrid *a = p->e.automaton;
  const size_t n = a->n;
  unsigned split = p->e.fineness.split;
  const hys_hybrid_location *l = NULL;
  hys_interval *x = hys_arena_alloc(arena, n, sizeof *x), *y = hys_arena_alloc(arena, n, sizeof *y), *scratch;
  unsigned *cuts = hys_arena_alloc(arena, n, sizeof *cuts);
  size_t need;
  hys_status status = a->location(a->context, index, &l);

  if (status != HYS_OK)
    return status;
  need = hys_conditions_scratch(&l->invariant);
  if (hys_conditions_scratch(&set->set) > need)
    need = hys_conditions_scratch(&set->set);
  scratch = hys_arena_alloc(arena, need, sizeof *scratch);
  if (x == NULL || y == NULL || cuts == NULL || scratch == NULL)
    return HYS_ERR_MEMORY;
  for (size_t i = 0; i < n; i++)
    x[i] = hys_interval_entire();
  for (int turn = 0; turn < 2; turn++)
    if (!hys_conditions_contract(&set->set, x, NARROWING_ROUNDS, scratch) ||
        !hys_conditions_contract(&l->invariant, x, NARROWING_ROUNDS, scratch))
      return HYS_OK;
  for (size_t i = 0; i < n; i++) {
    if (l->rate[i].motion != HYS_MOTION_FLOW)
      x[i] = hys_interval_point(0.0); /* by the invariant, at every instant */
    if (!(fabs(x[i].lo) <= DBL_MAX && fabs(x[i].hi) <= DBL_MAX)) {
      p->lost = "the initial set has no bounds";
      return HYS_OK;
    }
  }
  for (unsigned k = 0; k < split; k++) { /* in halves, always the widest */
    size_t widest = 0;
    for (size_t i = 1; i < n; i++)
      if (ldexp(hys_interval_width(x[i]), -(int)cuts[i]) >
          ldexp(hys_interval_width(x[widest]), -(int)cuts[widest]))
        widest = i;
    if (!(hys_interval_width(x[widest]) > 0.0))
      split = k; /* nothing left to divide */
    else
      cuts[widest]++;
  }
  for (uint64_t k = 0; k < (UINT64_C(1) << split) && status == HYS_OK; k++) {
    hysi_item item = {.index = index};
    uint64_t left = k;
    for (size_t i = 0; i < n; i++) {
      const uint64_t parts = UINT64_C(1) << cuts[i], at = left % parts;
      left /= parts;
      y[i] = x[i];
      if (parts > 1) {
        const double w = hys_interval_width(x[i]) / (double)parts;
        if (at > 0)
          y[i].lo = x[i].lo + w * (double)at;
        if (at + 1 < parts)
          y[i].hi = x[i].lo + w * (double)(at + 1);
      }
    }
    status = hys_zonotope_open(&item.start, n, n, NULL);
    if (status == HYS_OK)
      status = hys_zonotope_from_box(&item.start, y);
    if (status == HYS_OK)
      status = hysi_items_add(&p->todo, &item);
    hysi_item_close(&item);
  }
  return status;
}

static hys_status begin(pass *p, hys_arena *arena) {
  const hys_hybrid *a = p->e.automaton;
  const hys_hybrid_set *set = p->o->initially != NULL ? p->o->initially : a->initially;
  const uint32_t n = p->o->initially != NULL ? p->o->n_initially : a->n_initially;
  hys_status status = HYS_OK;

  for (uint32_t s = 0; s < n && status == HYS_OK; s++)
    for (uint32_t k = 0; status == HYS_OK; k++) {
      uint32_t index;
      if (k == MOST_LOCATIONS) {
        p->lost = "there are more than 4096 initial locations";
        break;
      }
      status = a->initial(a->context, &set[s], k, &index);
      if (status == HYS_ERR_LIMIT) {
        status = HYS_OK;
        break;
      }
      if (status == HYS_OK)
        status = add_starts(p, &set[s], index, arena);
    }
  return status;
}

static hys_status append_segments(pass *p, const hysi_segment_store *s) {
  const size_t n = p->e.automaton->n, all = p->segments.n + s->n;

  if (s->n == 0)
    return HYS_OK;
  if (all > p->segments.capacity) {
    const size_t more = 2 * all;
    double *time = hys_allocate(NULL, 2 * more * sizeof *time);
    uint32_t *index = hys_allocate(NULL, more * sizeof *index);
    hys_interval *box = hys_allocate(NULL, more * n * sizeof *box);
    if (time == NULL || index == NULL || box == NULL) {
      hys_release(NULL, time);
      hys_release(NULL, index);
      hys_release(NULL, box);
      return HYS_ERR_MEMORY;
    }
    if (p->segments.n > 0) {
      memcpy(time, p->segments.time, 2 * p->segments.n * sizeof *time);
      memcpy(index, p->segments.index, p->segments.n * sizeof *index);
      memcpy(box, p->segments.box, p->segments.n * n * sizeof *box);
    }
    hys_release(NULL, p->segments.time);
    hys_release(NULL, p->segments.index);
    hys_release(NULL, p->segments.box);
    p->segments = (hysi_segment_store){time, index, box, p->segments.n, more};
  }
  memcpy(p->segments.time + 2 * p->segments.n, s->time, 2 * s->n * sizeof *s->time);
  memcpy(p->segments.index + p->segments.n, s->index, s->n * sizeof *s->index);
  memcpy(p->segments.box + p->segments.n * n, s->box, s->n * n * sizeof *s->box);
  p->segments.n = all;
  return HYS_OK;
}

/* What an item's flowpipe found into the pass; in the order of the items. */
static hys_status merge(pass *p, hysi_found *f, hysi_items *next) {
  hys_status status = f->status;

  p->items++;
  p->steps += f->steps;
  p->to_horizon = p->to_horizon || f->to_horizon;
  p->stopped = p->stopped || f->stopped;
  p->blocked = p->blocked || f->blocked;
  p->lost = p->lost != NULL ? p->lost : f->lost;
  for (uint32_t q = 0; q < p->e.n_properties; q++)
    if (f->touched[q] && !p->touched[q]) {
      p->touched[q] = true;
      p->where[q] = f->where[q] != NULL ? strdup(f->where[q]) : NULL;
    }
  for (size_t i = 0; i < p->e.automaton->n; i++)
    p->bounds[i] = hys_interval_hull(p->bounds[i], f->bounds[i]);
  if (status == HYS_OK)
    status = append_segments(p, &f->segments);
  for (uint32_t k = 0; k < f->next.n && status == HYS_OK; k++) {
    hysi_item *item = &f->next.item[k];
    if (item->from > p->o->time_horizon) {
      p->to_horizon = true;
    } else if (item->depth > p->o->max_jumps) {
      p->lost = "more jumps than --max-jumps allows: perhaps infinitely many in finite time (Zeno)";
    } else {
      status = hysi_items_add(next, item);
    }
  }
  return status;
}

/* Whether every property has been met: then the rest of a pass decides nothing (unless bounds are wanted). */
static bool all_touched(const pass *p) {
  for (uint32_t q = 0; q < p->e.n_properties; q++)
    if (p->undecided[q] && !p->touched[q])
      return false;
  return p->e.n_properties > 0;
}

/* A generation's items are shared out; each is followed by one thread, and all are merged in their order. */
typedef struct share {
  pass *p;
  hysi_found *found;
  uint32_t next;
  pthread_mutex_t lock;
} share;

static void *work(void *context) {
  share *s = context;

  for (;;) {
    uint32_t k;
    pthread_mutex_lock(&s->lock);
    k = s->next++;
    pthread_mutex_unlock(&s->lock);
    if (k >= s->p->todo.n)
      return NULL;
    if (s->found[k].status == HYS_OK)
      hysi_explore(&s->p->e, &s->p->todo.item[k], s->p->undecided, &s->found[k]);
  }
}

/* Too many start sets in one location: one box around all of them. */
static hys_status gather_starts(pass *p) {
  const size_t n = p->e.automaton->n;
  hys_interval *box = hys_allocate(NULL, 2 * n * sizeof *box), *one = box != NULL ? box + n : NULL;
  uint32_t kept = 0;
  hys_status status = box == NULL ? HYS_ERR_MEMORY : HYS_OK;

  for (uint32_t i = 0; i < p->todo.n && status == HYS_OK; i++) {
    hysi_item *first = &p->todo.item[i];
    uint32_t count = 1;
    if (first->start.n == 0)
      continue; /* went into another one */
    for (uint32_t j = i + 1; j < p->todo.n; j++)
      count += p->todo.item[j].start.n > 0 && p->todo.item[j].index == first->index;
    if (count > p->e.fineness.together) {
      hys_zonotope_box(&first->start, box);
      for (uint32_t j = i + 1; j < p->todo.n; j++) {
        hysi_item *other = &p->todo.item[j];
        if (other->start.n == 0 || other->index != first->index)
          continue;
        hys_zonotope_box(&other->start, one);
        for (size_t k = 0; k < n; k++)
          box[k] = hys_interval_hull(box[k], one[k]);
        first->from = fmin(first->from, other->from);
        first->to = fmax(first->to, other->to);
        first->depth = first->depth < other->depth ? first->depth : other->depth;
        hysi_item_close(other);
      }
      status = hys_zonotope_from_box(&first->start, box);
    }
    if (kept != i) {
      p->todo.item[kept] = *first;
      memset(&first->start, 0, sizeof first->start);
    }
    kept++;
  }
  if (status == HYS_OK)
    p->todo.n = kept;
  hys_release(NULL, box);
  return status;
}

static hys_status generation(pass *p) {
  const uint32_t n = p->todo.n;
  hysi_found *found = hys_allocate(NULL, n * sizeof *found);
  share s = {.p = p, .found = found};
  pthread_t thread[64];
  unsigned started = 0;
  hysi_items next = {NULL, 0, 0};
  hys_status status = HYS_OK;

  bool *closed = hys_allocate(NULL, n * sizeof *closed);

  if (found == NULL || closed == NULL) {
    hys_release(NULL, found);
    hys_release(NULL, closed);
    return HYS_ERR_MEMORY;
  }
  memset(found, 0, n * sizeof *found);
  for (uint32_t k = 0; k < n; k++)
    found[k].status = hysi_found_open(&found[k], &p->e);
  if (pthread_mutex_init(&s.lock, NULL) != 0) {
    status = HYS_ERR_MEMORY;
  } else {
    while (started + 1 < p->o->threads && started < 64 && started + 1 < n &&
           pthread_create(&thread[started], NULL, work, &s) == 0)
      started++;
    (void)work(&s);
    for (unsigned k = 0; k < started; k++)
      pthread_join(thread[k], NULL);
    pthread_mutex_destroy(&s.lock);
  }
  for (uint32_t k = 0; k < n; k++) {
    closed[k] = !found[k].to_horizon && !found[k].stopped && found[k].lost == NULL;
    if (status == HYS_OK)
      status = merge(p, &found[k], &next);
    hysi_found_close(&found[k], &p->e);
  }
  hys_release(NULL, found);
  for (uint32_t k = 0; k < n && status == HYS_OK; k++) {
    p->todo.item[k].closed = closed[k];
    status = add_seen(p, &p->todo.item[k]);
  }
  hys_release(NULL, closed);
  hysi_items_close(&p->todo);
  for (uint32_t k = 0; k < next.n && status == HYS_OK; k++) {
    bool covered = false;
    if (p->o->stop != NULL && p->o->stop(p->o->stop_context)) {
      p->stopped = true;
      break;
    }
    status = cover(p, &p->todo, &next.item[k], &covered);
    if (status == HYS_OK && !covered)
      status = look_at(p, &next.item[k]);
    if (status == HYS_OK && !covered)
      status = hysi_items_add(&p->todo, &next.item[k]);
    p->subsumed += covered;
  }
  hysi_items_close(&next);
  return status == HYS_OK ? gather_starts(p) : status;
}

static hys_status run_pass(pass *p, hys_arena *arena, bool bounds_wanted) {
  hys_status status = begin(p, arena);

  while (status == HYS_OK && p->todo.n > 0 && !p->stopped) {
    if (all_touched(p) && !bounds_wanted)
      break;
    if (p->items + p->todo.n > p->o->max_items) {
      p->lost = "more flowpipes than --max-items allows";
      break;
    }
    if (p->o->stop != NULL && p->o->stop(p->o->stop_context)) {
      p->stopped = true;
      break;
    }
    status = generation(p);
  }
  if (p->todo.n > 0)
    p->to_horizon = true; /* not followed to the end */
  if (p->timeless && p->to_horizon && p->lost == NULL)
    p->lost = "start sets of less time held others, and not all of them closed";
  return status;
}

static hys_status open_pass(pass *p, const hys_hybrid *a, const hys_property *property, uint32_t n_properties,
                            const hys_verify_options *o, const bool *undecided) {
  memset(p, 0, sizeof *p);
  p->e.automaton = a;
  p->e.property = property;
  p->e.n_properties = n_properties;
  p->e.options = o;
  p->o = o;
  p->undecided = hys_allocate(NULL, (n_properties + 1) * sizeof *p->undecided);
  p->touched = hys_allocate(NULL, (n_properties + 1) * sizeof *p->touched);
  p->where = hys_allocate(NULL, (n_properties + 1) * sizeof *p->where);
  p->bounds = hys_allocate(NULL, a->n * sizeof *p->bounds);
  if (p->undecided == NULL || p->touched == NULL || p->where == NULL || p->bounds == NULL ||
      pthread_mutex_init(&p->e.lock, NULL) != 0)
    return HYS_ERR_MEMORY;
  memset(p->touched, 0, (n_properties + 1) * sizeof *p->touched);
  memset(p->where, 0, (n_properties + 1) * sizeof *p->where);
  memcpy(p->undecided, undecided, n_properties * sizeof *undecided);
  for (size_t i = 0; i < a->n; i++)
    p->bounds[i] = hys_interval_empty();
  return HYS_OK;
}

static void free_segments(hysi_segment_store *s) {
  hys_release(NULL, s->time);
  hys_release(NULL, s->index);
  hys_release(NULL, s->box);
  *s = (hysi_segment_store){NULL, NULL, NULL, 0, 0};
}

static void close_pass(pass *p) {
  hysi_items_close(&p->todo);
  hysi_items_close(&p->seen);
  hys_release(NULL, p->last);
  hysi_ready_clear(&p->e);
  for (uint32_t q = 0; p->where != NULL && q < p->e.n_properties; q++)
    free(p->where[q]);
  hys_release(NULL, p->undecided);
  hys_release(NULL, p->touched);
  hys_release(NULL, p->where);
  hys_release(NULL, p->bounds);
  free_segments(&p->segments);
  pthread_mutex_destroy(&p->e.lock);
}

/* ---- all passes ---- */

static hysi_fineness fineness(const hys_verify_options *o, uint32_t k, bool strict) {
  const double T = o->time_horizon;
  hysi_fineness f;

  f.step = o->pipe.max_step > 0.0 ? o->pipe.max_step : ldexp(T, -6 - (int)k);
  f.shortest = ldexp(T, -14 - 2 * (int)k);
  f.edge = 0x1p-22;
  f.tolerance = (o->pipe.tolerance > 0.0 ? o->pipe.tolerance : 0.02) * ldexp(1.0, -2 * (int)k);
  f.clusters = o->clusters << (k > 6 ? 6 : k);
  f.strict = strict;
  f.together = 65536U;
  f.widen = ldexp(1.0, -6 - 2 * (int)k);
  f.split = k < 2 ? 0 : 2 * (k - 1) > 16 ? 16 : 2 * (k - 1);
  return f;
}

static void tell_segments(const hys_hybrid *a, const hys_verify_options *o, const hysi_segment_store *s) {
  for (size_t k = 0; k < s->n; k++) {
    hys_segment_view v = {s->time[2 * k], s->time[2 * k + 1], s->index[k], NULL, s->box + k * a->n};
    if (a->location(a->context, v.index, &v.location) == HYS_OK)
      o->segment(o->segment_context, &v);
  }
}

static const char *kept(hys_arena *arena, const char *text) {
  const char *copy = hys_arena_strdup(arena, text, strlen(text));

  return copy != NULL ? copy : "";
}

/* Looks for runs into the sets that are still open. */
static hys_status falsify(const hys_hybrid *a, const hys_property *property, uint32_t n,
                          const hys_verify_options *o, uint32_t k, bool *undecided, hys_arena *arena,
                          hys_verify_result *result) {
  hys_status status = HYS_OK;

  for (uint32_t q = 0; q < n && status == HYS_OK && o->falsify_runs > 0; q++) {
    const hys_falsify_options f = {.time_horizon = o->time_horizon,
                                   .max_jumps = o->max_jumps < 200 ? o->max_jumps : 200,
                                   .max_runs = o->falsify_runs << (k > 4 ? 8 : 2 * k),
                                   .seed = o->seed + k,
                                   .initially = o->initially,
                                   .n_initially = o->n_initially,
                                   .stop = o->stop,
                                   .stop_context = o->stop_context};
    bool found = false;
    double nearest;
    if (!undecided[q] || property[q].n == 0)
      continue;
    status =
        hys_falsify(a, property[q].set, property[q].n, &f, arena, &result->property[q].run, &found, &nearest);
    if (status == HYS_ERR_UNSUPPORTED) /* the reason stands in the answer */
      return HYS_OK;
    if (found) {
      result->property[q].verdict = HYS_VIOLATED;
      result->property[q].reason = NULL;
      undecided[q] = false;
    }
  }
  return status;
}

/* Constant rates: *done if that decides everything, and nobody waits for segments that it could not tell. */
static hys_status by_polyhedra(const hys_hybrid *a, const hys_property *property, uint32_t n,
                               const hys_verify_options *o, bool thorough, bool *undecided,
                               hys_verify_result *result, hysi_linear_outcome *outcome, bool *done) {
  const hys_status status = hysi_linear_verify(a, property, n, o, thorough, undecided, result, outcome);

  *done = outcome->handled && (outcome->told || o->segment == NULL);
  for (uint32_t q = 0; q < n; q++)
    *done = *done && !undecided[q];
  return status;
}

hys_status hys_verify(const hys_hybrid *a, const hys_property *property, uint32_t n_properties,
                      const hys_verify_options *o, hys_arena *arena, hys_verify_result *result) {
  bool *undecided = hys_arena_alloc(arena, n_properties + 1, sizeof *undecided);
  hysi_segment_store segments = {NULL, NULL, NULL, 0, 0};
  uint32_t open = 0;
  bool done = false, strict = false;
  hysi_linear_outcome linear = {false, false, false};
  hys_status status = HYS_OK;

  memset(result, 0, sizeof *result);
  if (a == NULL || o == NULL || !(o->time_horizon > 0.0 && isfinite(o->time_horizon)) || o->threads < 1 ||
      o->threads > 64)
    return HYS_ERR_ARG;
  result->property = hys_arena_alloc(arena, n_properties + 1, sizeof *result->property);
  result->bounds = hys_arena_alloc(arena, a->n, sizeof *result->bounds);
  if (undecided == NULL || result->property == NULL || result->bounds == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t q = 0; q < n_properties; q++) {
    undecided[q] = true;
    result->property[q] = (hys_property_result){.verdict = HYS_UNKNOWN, .reason = "nothing was computed"};
  }
  for (size_t i = 0; i < a->n; i++)
    result->bounds[i] = hys_interval_entire();
  if (a->n >= many_variables && o->segment == NULL) {
    bool handled = false;
    status = hysi_rows_verify(a, property, n_properties, o, arena, undecided, result, &handled);
    for (uint32_t q = 0; q < n_properties && handled; q++)
      open += undecided[q];
    done = handled && open == 0;
  }
  if (status == HYS_OK && !done)
    status = by_polyhedra(a, property, n_properties, o, false, undecided, result, &linear, &done);
  for (uint32_t k = 0; k < o->max_passes && !done && status == HYS_OK; k++) {
    pass p;
    bool complete;
    status = open_pass(&p, a, property, n_properties, o, undecided);
    p.e.fineness = fineness(o, k, strict);
    if (status == HYS_OK)
      status = run_pass(&p, arena, k == 0);
    complete = status == HYS_OK && !p.stopped && p.lost == NULL && p.todo.n == 0;
    open = 0;
    for (uint32_t q = 0; status == HYS_OK && q < n_properties; q++) {
      hys_property_result *r = &result->property[q];
      if (!undecided[q])
        continue;
      if (complete && !p.touched[q]) {
        r->verdict = HYS_HOLDS;
        r->reason = NULL;
        undecided[q] = false;
        continue;
      }
      open++;
      r->reason = p.touched[q] && p.where[q] != NULL ? kept(arena, p.where[q])
                  : p.lost != NULL                   ? kept(arena, p.lost)
                  : p.stopped && k > 0               ? r->reason
                                       : "the budget was spent before the flowpipes were complete";
    }
    if (status == HYS_OK && (complete || !result->complete) && !result->fixpoint) {
      memcpy(result->bounds, p.bounds, a->n * sizeof *result->bounds);
      result->complete = complete;
      result->incomplete = complete         ? NULL
                           : p.lost != NULL ? kept(arena, p.lost)
                                            : "the budget was spent before the flowpipes were complete";
      result->fixpoint = complete && !p.to_horizon;
      result->time_bound = result->fixpoint ? HYSI_INF : o->time_horizon;
      result->items = p.items;
      if (p.blocked)
        result->blocked = "a location without time and without a jump that leads on";
    }
    if (status == HYS_OK && (complete || !result->complete || segments.n == 0)) {
      free_segments(&segments);
      segments = p.segments;
      memset(&p.segments, 0, sizeof p.segments);
    }
    result->steps += p.steps;
    result->passes++;
    strict = strict || (p.timeless && p.to_horizon);
    done = open == 0 || p.stopped;
    if (o->progress != NULL)
      o->progress(o->progress_context, k, p.items, o->time_horizon);
    close_pass(&p);
    if (status == HYS_OK && !done) {
      status = falsify(a, property, n_properties, o, k, undecided, arena, result);
      open = 0;
      for (uint32_t q = 0; q < n_properties; q++)
        open += undecided[q];
      done = open == 0 || (o->stop != NULL && o->stop(o->stop_context));
    }
    if (status == HYS_OK && !done && k == 1 && linear.fits && !linear.handled)
      status = by_polyhedra(a, property, n_properties, o, true, undecided, result, &linear, &done);
  }
  if (status == HYS_OK && !linear.told && o->segment != NULL)
    tell_segments(a, o, &segments);
  free_segments(&segments);
  return status;
}
