/* What the argument for a recovery supposes of the automaton (recovery.h). */
#include "core/rt/box.h"
#include "core/rt/constraint.h"
#include "core/rt/guard.h"
#include "core/rt/reach.h"
#include "core/rt/step.h"
#include "synth/offline/recovery.h"
#include "synth/offline/recovery_internal.h"

#define ROUNDING 1e-6

bool hysi_is_label(uint64_t labels, int32_t label) {
  return label != HYS_NO_LABEL && (labels >> (unsigned)label & 1U) != 0;
}

static bool changed(const hysi_recovery *r, size_t i) {
  return (r->changes >> i & 1U) != 0;
}

static bool zero(hys_interval a) {
  return a.lo == 0.0 && a.hi == 0.0;
}

/* A row over states and inputs reads a state that the event changes. */
static bool reads_changed(const hysi_recovery *r, const hys_interval *row) {
  for (size_t j = 0; j < r->automaton->nx; j++)
    if (changed(r, j) && !zero(row[j]))
      return true;
  return false;
}

static bool same(const hys_interval *a, const hys_interval *b, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (a[i].lo != b[i].lo || a[i].hi != b[i].hi)
      return false;
  return true;
}

static void box_of(const hysi_recovery *r, uint32_t location, hys_interval *x) {
  const hys_location *here = &r->automaton->location[location];
  hys_box_copy(x, r->domain, r->automaton->nx);
  hys_conjunction_cut(r->automaton, &here->invariant, x, here->u);
}

/* ---- the command -----------------------------------------------------------------------------------------
 */

/* Surely enabled wherever it has a jump, leads to settled locations, which only commands leave. */
static const char *check_command(hysi_recovery *r) {
  const hys_automaton *a = r->automaton;
  for (uint32_t l = 0; l < a->n_locations; l++)
    r->settled[l] = true;
  for (uint32_t j = 0; j < a->n_jumps; j++)
    if (a->jump[j].label == r->command)
      r->settled[a->jump[j].source] = false;
  for (uint32_t j = 0; j < a->n_jumps; j++) {
    const hys_jump *jump = &a->jump[j];
    if (jump->label == r->command) {
      hys_interval x[HYS_MAX_STATES];
      box_of(r, jump->source, x);
      if (!hys_box_is_empty(x, a->nx) && !hys_jump_enabled_surely(a, jump, NULL, x))
        return "the command is not surely enabled where it has a jump";
      if (!r->settled[jump->target])
        return "the command leads to a location in which it would do something again";
    } else if (!hysi_is_label(r->commands, jump->label) && r->settled[jump->source] &&
               !r->settled[jump->target])
      return "the plant leaves by itself what the command has led to";
  }
  return NULL;
}

/* ---- the range of own states ------------------------------------------------------------------------------
 */

/* Hull of the slopes over the domain, in all locations or in the settled ones. */
static hys_interval slope_of(const hysi_recovery *r, size_t i, bool settled_only) {
  const hys_automaton *a = r->automaton;
  hys_interval all = hys_interval_point(0.0);
  for (uint32_t l = 0; l < a->n_locations; l++) {
    hys_interval x[HYS_MAX_STATES];
    if ((settled_only && !r->settled[l]) || a->location[l].flow.still)
      continue;
    box_of(r, l, x);
    if (!hys_box_is_empty(x, a->nx))
      all = hys_interval_hull(all, hys_flow_slope(&a->location[l].flow, a->nx, i, x));
  }
  return all;
}

/* The declared range with the error of a reading, and what outward rounding makes of a bound over a long
 * drive. */
static void declared(hysi_recovery *r) {
  for (size_t i = 0; i < r->automaton->nx; i++) {
    const hys_observed *o = &r->spec->observed[i];
    const double error = o->kind == HYS_OBSERVED ? o->error : 0.0;
    const double low = o->min - error, high = o->max + error;
    r->range[i] = changed(r, i) ? hys_interval_entire()
                                : hys_interval_make(hys_sub_down(low, ROUNDING * (1.0 + fabs(low))),
                                                    hys_add_up(high, ROUNDING * (1.0 + fabs(high))));
  }
}

/* The domain: where own states can be within the longest window of a decision. */
static const char *widen(hysi_recovery *r) {
  const hys_automaton *a = r->automaton;
  const hys_interval longest = hys_interval_make(0.0, HYS_RECOVERY_LONGEST * 1e-3);
  bool closed = false;
  hys_box_copy(r->domain, r->range, a->nx);
  for (int round = 0; round < HYS_MAX_STATES + 2 && !closed; round++) {
    closed = true;
    for (size_t i = 0; i < a->nx; i++) {
      if (changed(r, i))
        continue;
      const hys_interval far =
          hys_interval_add(r->range[i], hys_interval_mul(longest, slope_of(r, i, false)));
      closed = closed && hys_interval_inside_surely(far, r->domain[i]);
      r->domain[i] = hys_interval_hull(far, r->domain[i]);
    }
  }
  return closed ? NULL : "a state that the event does not change has no bounds: declare its range";
}

static const char *check_range(const hysi_recovery *r) {
  const hys_automaton *a = r->automaton;
  for (uint32_t l = 0; l < a->n_locations; l++) {
    hys_interval x[HYS_MAX_STATES];
    if (!r->settled[l])
      continue;
    hys_box_set_entire(x, a->nx);
    hys_conjunction_cut(a, &a->location[l].invariant, x, a->location[l].u);
    for (size_t i = 0; i < a->nx; i++) {
      const hys_interval slope = slope_of(r, i, true);
      if (!changed(r, i) && ((slope.hi > 0.0 && !(x[i].hi <= r->domain[i].hi)) ||
                             (slope.lo < 0.0 && !(x[i].lo >= r->domain[i].lo))))
        return "a state leaves its range while the command is in effect";
    }
  }
  for (uint32_t j = 0; j < a->n_jumps; j++) {
    const hys_jump *jump = &a->jump[j];
    hys_interval x[HYS_MAX_STATES], image[HYS_MAX_STATES];
    box_of(r, jump->source, x);
    if (jump->label == r->event || hys_box_is_empty(x, a->nx) || !hys_jump_image(a, jump, NULL, x, image))
      continue;
    for (size_t i = 0; i < a->nx; i++)
      if (!changed(r, i) && !jump->reset[i].identity && !hys_interval_inside_surely(image[i], r->range[i]))
        return "a jump assigns a state a value outside of its declared range";
  }
  return NULL;
}

/* ---- the event is of another part of the plant ------------------------------------------------------------
 */

/* Where the event leads from each location; UINT32_MAX: it has none there.  false: it has several. */
static bool event_targets(const hysi_recovery *r, uint32_t *target) {
  const hys_automaton *a = r->automaton;
  for (uint32_t l = 0; l < a->n_locations; l++)
    target[l] = UINT32_MAX;
  for (uint32_t j = 0; j < a->n_jumps; j++) {
    const hys_jump *jump = &a->jump[j];
    if (jump->label != r->event)
      continue;
    if (target[jump->source] != UINT32_MAX && target[jump->source] != jump->target)
      return false;
    target[jump->source] = jump->target;
  }
  return true;
}

/* Locations between which only the event's part of the plant differs: own states flow alike, their invariants
 * are the same. */
static bool alike(const hysi_recovery *r, uint32_t l, uint32_t m) {
  const hys_automaton *a = r->automaton;
  const hys_location *p = &a->location[l], *q = &a->location[m];
  const hys_conjunction *one[2] = {&p->invariant, &q->invariant};
  for (size_t i = 0; i < a->nx; i++)
    if (!changed(r, i) &&
        !(same(&p->flow.a[i * a->nx], &q->flow.a[i * a->nx], a->nx) &&
          same(&p->flow.b[i * a->nu], &q->flow.b[i * a->nu], a->nu) && same(&p->flow.c[i], &q->flow.c[i], 1)))
      return false;
  if (p->flow.still != q->flow.still || !same(p->u, q->u, a->nu))
    return false;
  for (int side = 0; side < 2; side++)
    for (uint32_t k = 0; k < one[side]->n; k++) {
      const hys_halfspace *row = &one[side]->row[k];
      bool found = false;
      for (uint32_t n = 0; n < one[1 - side]->n && !found; n++) {
        const hys_halfspace *other = &one[1 - side]->row[n];
        found = same(row->a, other->a, a->nx + a->nu) && same(&row->c, &other->c, 1);
      }
      if (!found)
        return false;
    }
  return true;
}

/* The same transition of the model, taken in another location. */
static bool twin(const hysi_recovery *r, const hys_jump *jump, uint32_t location, const uint32_t *target) {
  const hys_automaton *a = r->automaton;
  const hys_location *here = &a->location[location];
  for (uint32_t k = 0; k < here->n_jumps; k++) {
    const hys_jump *other = &a->jump[here->jump[k]];
    if (other->label == jump->label && other->line == jump->line && other->guard.n == jump->guard.n &&
        other->n_curved == jump->n_curved && target[other->target] == target[jump->target])
      return true;
  }
  return false;
}

/* Rows of invariants that read what the event changes are the same everywhere: no jump is kept from happening
 * by them. */
static bool common_rows(const hysi_recovery *r) {
  const hys_automaton *a = r->automaton;
  for (uint32_t l = 0; l < a->n_locations; l++)
    for (uint32_t k = 0; k < a->location[l].invariant.n; k++) {
      const hys_halfspace *row = &a->location[l].invariant.row[k];
      if (!reads_changed(r, row->a))
        continue;
      for (uint32_t m = 0; m < a->n_locations; m++) {
        const hys_conjunction *set = &a->location[m].invariant;
        bool found = false;
        for (uint32_t n = 0; n < set->n && !found; n++)
          found = same(row->a, set->row[n].a, a->nx + a->nu) && same(&row->c, &set->row[n].c, 1);
        if (!found)
          return false;
      }
    }
  return true;
}

static const char *check_apart(const hysi_recovery *r) {
  static const char reads[] = "a state that the event does not change depends on one that it changes";
  const hys_automaton *a = r->automaton;
  uint32_t target[HYSI_RECOVERY_LOCATIONS];
  if (!event_targets(r, target))
    return "the event leads from a location to several";
  for (uint32_t l = 0; l < a->n_locations; l++) {
    if (target[l] == UINT32_MAX)
      return "the event is not possible in every location";
    for (size_t i = 0; i < a->nx; i++)
      if (!changed(r, i) && reads_changed(r, &a->location[l].flow.a[i * a->nx]))
        return reads;
    for (uint32_t m = 0; m < a->n_locations; m++)
      if (target[m] == target[l] && !alike(r, l, m))
        return "the event changes how other states move";
  }
  if (!common_rows(r))
    return "an invariant of what the event changes differs between locations";
  for (uint32_t j = 0; j < a->n_jumps; j++) {
    const hys_jump *jump = &a->jump[j];
    if (jump->label == r->event)
      continue;
    for (uint32_t k = 0; k < jump->guard.n; k++)
      if (reads_changed(r, jump->guard.row[k].a))
        return "another jump is guarded by what the event changes";
    for (size_t i = 0; i < a->nx; i++) {
      if (!changed(r, i) && !jump->reset[i].identity && jump->reset[i].coef != NULL &&
          reads_changed(r, jump->reset[i].coef))
        return reads;
      if (changed(r, i) && !jump->reset[i].identity && !hysi_is_label(r->absent & ~r->commands, jump->label))
        return "another jump assigns what the event changes";
    }
    if (jump->n_curved > 0 && !hysi_is_label(r->absent, jump->label))
      return "another jump has a curved guard";
    if (target[jump->target] == target[jump->source]) {
      /* a jump of the event's part of the plant: nobody commands it, and it leaves the rest alone */
      bool own = hysi_is_label(r->commands, jump->label);
      for (size_t i = 0; i < a->nx; i++)
        own = own || (!changed(r, i) && !jump->reset[i].identity);
      if (!own || jump->source == jump->target)
        continue;
    }
    for (uint32_t m = 0; m < a->n_locations; m++)
      if (target[m] == target[jump->source] && !twin(r, jump, m, target))
        return "a jump depends on what the event changes";
  }
  return NULL;
}

const char *hysi_recovery_supposed(hysi_recovery *r) {
  declared(r);
  hys_box_copy(r->domain, r->range, r->automaton->nx);
  const char *why = check_apart(r);
  if (why == NULL)
    why = widen(r);
  if (why == NULL)
    why = check_command(r);
  return why != NULL ? why : check_range(r);
}
