#include "synth/offline/pass.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/contract.h"

enum { NARROWING_ROUNDS = 10, MOST_LOCATIONS = 4096 };

/* The start sets of one initial set in one of its locations, divided 2^split times. */
static hys_status add_starts(hysi_pass *p, const hys_hybrid_set *set, uint32_t index, hys_arena *arena) {
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

static hys_status begin(hysi_pass *p, hys_arena *arena) {
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

static hys_status append_segments(hysi_pass *p, const hysi_segment_store *s) {
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
static hys_status merge(hysi_pass *p, hysi_found *f, hysi_items *next) {
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
static bool all_touched(const hysi_pass *p) {
  for (uint32_t q = 0; q < p->e.n_properties; q++)
    if (p->undecided[q] && !p->touched[q])
      return false;
  return p->e.n_properties > 0;
}

/* A generation's items are shared out; each is followed by one thread, and all are merged in their order. */
typedef struct share {
  hysi_pass *p;
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
static hys_status gather_starts(hysi_pass *p) {
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

static hys_status generation(hysi_pass *p) {
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
    status = hysi_pass_add_seen(p, &p->todo.item[k]);
  }
  hys_release(NULL, closed);
  hysi_items_close(&p->todo);
  for (uint32_t k = 0; k < next.n && status == HYS_OK; k++) {
    bool covered = false;
    if (p->o->stop != NULL && p->o->stop(p->o->stop_context)) {
      p->stopped = true;
      break;
    }
    status = hysi_pass_cover(p, &p->todo, &next.item[k], &covered);
    if (status == HYS_OK && !covered)
      status = hysi_pass_look_at(p, &next.item[k]);
    if (status == HYS_OK && !covered)
      status = hysi_items_add(&p->todo, &next.item[k]);
    p->subsumed += covered;
  }
  hysi_items_close(&next);
  return status == HYS_OK ? gather_starts(p) : status;
}

hys_status hysi_pass_run(hysi_pass *p, hys_arena *arena, bool bounds_wanted) {
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

hys_status hysi_pass_open(hysi_pass *p, const hys_hybrid *a, const hys_property *property,
                          uint32_t n_properties, const hys_verify_options *o, const bool *undecided) {
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

void hysi_segments_close(hysi_segment_store *s) {
  hys_release(NULL, s->time);
  hys_release(NULL, s->index);
  hys_release(NULL, s->box);
  *s = (hysi_segment_store){NULL, NULL, NULL, 0, 0};
}

void hysi_pass_close(hysi_pass *p) {
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
  hysi_segments_close(&p->segments);
  pthread_mutex_destroy(&p->e.lock);
}
