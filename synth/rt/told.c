/* Events that predictions leave out, once they are told. */
#include "core/rt/box.h"
#include "core/rt/constraint.h"
#include "core/rt/guard.h"
#include "core/rt/step.h"
#include "synth/rt/estimate.h"

enum { HYSI_ROUNDS = 12 }; /* until a bound on slopes holds itself */

typedef struct hysi_told {
  const hys_spec *spec;
  const hys_automaton *automaton;
  const hys_event *event;
  const double *value;                /* NULL: none is reported */
  hys_interval since;                 /* s: from the event to the estimate's time */
  hys_interval slope[HYS_MAX_STATES]; /* in that time, the event left out */
  bool kept[HYS_MAX_STATES];          /* no jump changed the state in that time */
} hysi_told;

static bool changed(const hysi_told *t, size_t i) {
  return (t->event->changes >> i & 1U) != 0;
}

/* What is remembered of the time since the event may have happened. */
static void look_back(hysi_told *t, const hys_estimate *estimate, int64_t now,
                      const hys_reach_result *beyond) {
  const int64_t from32 = (now - t->event->latency) * 32;
  int64_t covered32 = estimate->time32;
  t->since = hys_interval_hull(hys_seconds_of32(estimate->time32 - from32),
                               hys_seconds_of32(estimate->time32 - now * 32));
  for (size_t i = 0; i < t->automaton->nx; i++) {
    t->slope[i] = beyond->slope[i];
    t->kept[i] = beyond->kept[i];
  }
  for (uint32_t k = 0; k < estimate->n_history && covered32 > from32; k++) {
    const hys_slopes *s = &estimate->history[k];
    for (size_t i = 0; i < t->automaton->nx; i++) {
      t->slope[i] = hys_interval_hull(t->slope[i], s->slope[i]);
      t->kept[i] = t->kept[i] && s->kept[i];
    }
    covered32 = s->from32;
  }
  for (uint32_t l = 0; covered32 > from32 && l < t->automaton->n_locations; l++) {
    /* older than what is remembered: anything in the declared range */
    const hys_location *here = &t->automaton->location[l];
    hys_interval x[HYS_MAX_STATES];
    hys_box_copy(x, t->spec->recovery_range, t->automaton->nx);
    if (!hys_conjunction_cut(t->automaton, &here->invariant, x, here->u))
      continue;
    for (size_t i = 0; i < t->automaton->nx; i++) {
      t->kept[i] = false;
      if (!changed(t, i))
        t->slope[i] = hys_interval_hull(t->slope[i], hys_flow_slope(&here->flow, t->automaton->nx, i, x));
    }
  }
  for (size_t i = 0; i < t->automaton->nx; i++)
    if (hys_interval_is_empty(t->slope[i]))
      t->slope[i] = hys_interval_point(0.0); /* no time has passed */
}

/* What state i may have been at a jump that has changed it since; empty if no jump can have been the last
 * one, because what it assigns does not lead to x in the time. */
static hys_interval before_jump(const hysi_told *t, size_t i, hys_interval x) {
  const hys_automaton *a = t->automaton;
  const hys_interval moved = hys_interval_mul(t->since, t->slope[i]);
  hys_interval all = hys_interval_empty();
  bool possible = false;
  for (uint32_t j = 0; j < a->n_jumps; j++) {
    const hys_jump *jump = &a->jump[j];
    const hys_location *here = &a->location[jump->source];
    hys_interval y[HYS_MAX_STATES], image[HYS_MAX_STATES];
    if (jump->label == t->event->label || jump->reset[i].identity)
      continue;
    hys_box_copy(y, t->spec->recovery_range, a->nx);
    if (!hys_conjunction_cut(a, &here->invariant, y, here->u) ||
        !hys_conjunction_cut(a, &jump->guard, y, here->u))
      continue;
    all = hys_interval_hull(all, y[i]);
    hys_jump_image_of(a, jump, y, here->u, image);
    possible = possible || !hys_interval_disjoint_surely(hys_interval_add(image[i], moved), x);
  }
  return possible ? all : hys_interval_empty();
}

/* Own states when the event happened: those of now, or of a jump since, taken back. */
static void before(const hysi_told *t, const hys_interval *x, hys_interval *then) {
  for (size_t i = 0; i < t->automaton->nx; i++) {
    const hys_interval last =
        t->kept[i] || changed(t, i) ? x[i] : hys_interval_hull(x[i], before_jump(t, i, x[i]));
    then[i] = changed(t, i) ? hys_interval_entire()
                            : hys_interval_sub(last, hys_interval_mul(t->since, t->slope[i]));
  }
}

/* Hull of what the event makes of states `then` in the location; its target.  false: it is not possible. */
static bool image_of(const hysi_told *t, uint32_t location, const hys_interval *then, hys_interval *image,
                     uint32_t *target) {
  const hys_automaton *a = t->automaton;
  const hys_location *here = &a->location[location];
  hys_interval reading[HYS_MAX_STATES];
  uint32_t mask = 0;
  for (size_t i = 0; i < a->nx; i++)
    reading[i] = hys_interval_entire();
  for (uint32_t k = 0; t->value != NULL && k < t->event->n_values; k++) {
    const hys_event_value *v = &t->event->value[k];
    if (!(fabs(t->value[k]) <= DBL_MAX))
      continue;
    reading[v->state] =
        hys_interval_make(hys_sub_down(t->value[k], v->error), hys_add_up(t->value[k], v->error));
    mask |= UINT32_C(1) << v->state;
  }
  hys_box_set_empty(image, a->nx);
  for (uint32_t j = 0; j < here->n_jumps; j++) {
    const hys_jump *jump = &a->jump[here->jump[j]];
    hys_interval x[HYS_MAX_STATES], u[HYS_MAX_INPUTS], one[HYS_MAX_STATES];
    if (jump->label != t->event->label)
      continue;
    hys_box_copy(x, then, a->nx);
    hys_box_copy(u, here->u, a->nu);
    if (!hys_jump_image_contract(a, jump, reading, mask, x, u) || !hys_guard_contract(a, jump, x, u))
      continue;
    hys_jump_image_of(a, jump, x, u, one);
    for (size_t i = 0; i < a->nx; i++)
      if (changed(t, i))
        one[i] = hys_interval_intersect(one[i], reading[i]);
    if (hys_box_is_empty(one, a->nx))
      continue;
    hys_box_hull(image, image, one, a->nx);
    *target = jump->target;
  }
  return !hys_box_is_empty(image, a->nx);
}

static uint32_t target_of(const hysi_told *t, uint32_t location) {
  const hys_location *here = &t->automaton->location[location];
  for (uint32_t j = 0; j < here->n_jumps; j++)
    if (t->automaton->jump[here->jump[j]].label == t->event->label)
      return t->automaton->jump[here->jump[j]].target;
  return UINT32_MAX;
}

/* Moves what the event changed on to the estimate's time: own states are in `own` all the while, in locations
 * that the event leads to `target` from, since only its part of the plant may have jumped besides. */
static bool move_on(const hysi_told *t, uint32_t target, const hys_interval *own, hys_interval *x) {
  const hys_automaton *a = t->automaton;
  hys_interval tube[HYS_MAX_STATES], start[HYS_MAX_STATES];
  for (size_t i = 0; i < a->nx; i++)
    start[i] = tube[i] = changed(t, i) ? x[i] : own[i];
  for (int round = 0; round < HYSI_ROUNDS; round++) {
    bool closed = true;
    hys_interval wider[HYS_MAX_STATES];
    for (size_t i = 0; i < a->nx; i++) {
      hys_interval slope = hys_interval_point(0.0);
      wider[i] = tube[i];
      if (!changed(t, i))
        continue;
      for (uint32_t l = 0; l < a->n_locations; l++)
        if (target_of(t, l) == target)
          slope = hys_interval_hull(slope, hys_flow_slope(&a->location[l].flow, a->nx, i, tube));
      wider[i] = hys_interval_add(start[i], hys_interval_mul(t->since, slope));
      closed = closed && hys_interval_inside_surely(wider[i], tube[i]);
    }
    for (size_t i = 0; i < a->nx; i++)
      if (changed(t, i) && closed)
        x[i] = wider[i];
    if (closed)
      return true;
    hys_box_hull(tube, tube, wider, a->nx);
  }
  return false;
}

static bool add_set(const hys_automaton *a, hys_set *set, uint32_t *n, const hys_set *more) {
  for (uint32_t k = 0; k < *n; k++)
    if (set[k].location == more->location && set[k].stage == more->stage) {
      hys_box_hull(set[k].x, set[k].x, more->x, a->nx);
      return true;
    }
  if (*n >= HYS_MAX_SETS)
    return false;
  set[(*n)++] = *more;
  return true;
}

bool hys_estimate_told(hys_estimate *estimate, int64_t now, uint32_t event, const double *value,
                       hys_reach_work *work, hys_reach_result *result) {
  const hys_automaton *a = estimate->spec->automaton;
  hysi_told t = {
      .spec = estimate->spec, .automaton = a, .event = &estimate->spec->event[event], .value = value};
  hys_set left[HYS_MAX_SETS];
  hys_situation situation;
  uint32_t n = 0;
  hys_estimate_situation(estimate, &situation);
  hys_propagate_beyond(&situation, now, work, result);
  if (result->verdict != HYS_HOLDS)
    return false;
  if (t.spec->recovery_range == NULL)
    return false;
  look_back(&t, estimate, now, result);
  for (uint32_t k = 0; k < estimate->n_sets; k++) {
    const hys_set *set = &estimate->set[k];
    hys_interval then[HYS_MAX_STATES], image[HYS_MAX_STATES], own[HYS_MAX_STATES];
    uint32_t target = UINT32_MAX;
    before(&t, set->x, then);
    if (!image_of(&t, set->location, then, image, &target))
      continue;
    hys_box_hull(own, then, set->x, a->nx);
    if (!move_on(&t, target, own, image))
      return false;
    for (uint32_t l = 0; l < a->n_locations; l++) {
      const hys_location *here = &a->location[l];
      hys_set one = {.location = l, .stage = set->stage};
      if (target_of(&t, l) != target)
        continue;
      for (size_t i = 0; i < a->nx; i++)
        one.x[i] = changed(&t, i) ? image[i] : set->x[i];
      if (hys_conjunction_cut(a, &here->invariant, one.x, here->u) && !add_set(a, left, &n, &one))
        return false;
    }
  }
  if (n == 0)
    return false;
  for (uint32_t i = 0; i < n; i++)
    estimate->set[i] = left[i];
  estimate->n_sets = n;
  for (uint32_t k = 0; k < estimate->n_history; k++) /* a reading from before says nothing of them */
    for (size_t i = 0; i < a->nx; i++)
      estimate->history[k].kept[i] = estimate->history[k].kept[i] && !changed(&t, i);
  return true;
}
