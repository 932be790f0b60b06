/* Start sets that need not be followed, since others hold them. */
#include <math.h>
#include <string.h>

#include "core/contract.h"
#include "synth/offline/pass.h"

enum { NARROWING_ROUNDS = 10 };
static const uint32_t often = 24; /* visits of a place before what comes is made wider by much */

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
hys_status hysi_pass_look_at(const hysi_pass *p, hysi_item *item) {
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
static uint32_t last_in(const hysi_pass *p, uint32_t index) {
  return index < p->n_last ? p->last[index] : 0;
}

hys_status hysi_pass_add_seen(hysi_pass *p, hysi_item *item) {
  const uint32_t index = item->index;
  hys_status status = hysi_pass_look_at(p, item);

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
hys_status hysi_pass_cover(hysi_pass *p, const hysi_items *more, hysi_item *item, bool *covered) {
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
