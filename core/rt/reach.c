#include "core/rt/reach.h"

#include "core/rt/box.h"
#include "core/rt/constraint.h"
#include "core/rt/reach_internal.h"

/* Inside the window of an effect the steps are at most 2^-7 s: an arrival at an unknown instant of a step
 * costs its square. */
enum { HYSI_WINDOW_LEVEL = 7 };
/* An invariant that holds a disturbance back is found to within 2^-8 s of when it begins to: the step in
 * which it does charges the disturbance in full for part of it. */
enum { HYSI_PIN_LEVEL = 8 };

typedef struct hysi_front {
  uint32_t location, stage;
  hys_segment segment;
} hysi_front;

/* Sets that enter a location at an unknown instant of the step. */
typedef struct hysi_arrival {
  uint32_t location, stage;
  hys_interval x[HYS_MAX_STATES];     /* at the instant of the jump */
  hys_interval base[HYS_MAX_STATES];  /* at the start of the step */
  hys_interval slope[HYS_MAX_STATES]; /* of x_i since the start of the step, jumps left out */
  bool kept[HYS_MAX_STATES];          /* no jump since the start of the step changed x_i */
  bool absorbs;                       /* another arrival was not followed, since this one holds it */
  bool stays;                         /* some of it is still in the location at the end of the step */
} hysi_arrival;

struct hys_reach_work {
  hysi_front list[2][HYS_MAX_SETS];
  hysi_arrival arrival[HYS_MAX_ARRIVALS];
};

typedef struct hysi_reach {
  const hys_reach_problem *problem;
  const hys_automaton *automaton;
  hys_reach_work *work;
  hys_reach_result *result;
  hysi_front *now, *next;
  uint32_t n_now, n_next, n_arrivals;
  int64_t t;
  unsigned level;
  bool finer;     /* the step is to end where an invariant begins to hold */
  int64_t pin_at; /* ticks: it begins there, to within HYSI_PIN_LEVEL; a boundary of the steps */
  bool hopeless;  /* the set at the end of the step meets Bad, and no shorter steps make it smaller */
  double margin;  /* of the step that is being tried */
  const hys_halfspace *constraint;
} hysi_reach;

size_t hys_reach_work_size(void) {
  return sizeof(hys_reach_work);
}

/* ---- lists of sets ---------------------------------------------------------------------------------------
 */

/* What a jump that may be taken changes. */
static void note_jump(const hysi_reach *r, const hys_jump *jump) {
  const hys_automaton *a = r->automaton;
  for (size_t i = 0; i < a->nx; i++)
    if (!jump->reset[i].identity)
      r->result->kept[i] = false;
  if (jump->label != HYS_NO_LABEL)
    r->result->taken |= UINT64_C(1) << (unsigned)jump->label;
  for (uint32_t k = 0; k < a->n_instances; k++)
    if (a->location[jump->source].part[k] != a->location[jump->target].part[k])
      r->result->moved |= UINT64_C(1) << (k < 63 ? k : 63); /* the last bit stands for all beyond it */
}

static hys_reason add_front(const hysi_reach *r, hysi_front *list, uint32_t *n, uint32_t location,
                            uint32_t stage, const hys_interval *x) {
  const size_t nx = r->automaton->nx;
  const hys_flow *flow = &r->automaton->location[location].flow;
  for (uint32_t i = 0; i < *n; i++)
    if (list[i].location == location && list[i].stage == stage) {
      hys_interval hull[HYS_MAX_STATES];
      hys_box_hull(hull, list[i].segment.x, x, nx);
      hys_segment_start(&list[i].segment, flow, nx, hull);
      return HYS_REASON_NONE;
    }
  if (*n >= HYS_MAX_SETS)
    return HYS_REASON_TOO_MANY_SETS;
  list[*n].location = location;
  list[*n].stage = stage;
  hys_segment_start(&list[*n].segment, flow, nx, x);
  (*n)++;
  return HYS_REASON_NONE;
}

/* The end of an effect's window: at least a tick after its start, so that a step follows whatever may happen
 * before and behind it at one instant. */
static int64_t closes(const hys_effect *effect) {
  return effect->to > effect->from ? effect->to : effect->from + 1;
}

static bool in_terminal(const hysi_reach *r, uint32_t location, uint32_t stage, const hys_interval *x) {
  const hys_reach_problem *p = r->problem;
  return p->certify && stage == p->n_effects &&
         hys_regions_hold_surely(r->automaton, p->terminal, p->n_terminal, location, x);
}

/* ---- checks on a tube
 * -------------------------------------------------------------------------------------- */

/* The tube stays out of Bad; keeps the smallest clearance. */
static hys_reason check_forbidden(hysi_reach *r, uint32_t location, const hys_interval *tube) {
  const hys_automaton *a = r->automaton;
  for (uint32_t i = 0; i < a->n_forbidden; i++) {
    const hys_region *bad = &a->forbidden[i];
    if (bad->location != HYS_ANY_LOCATION && bad->location != location)
      continue;
    double clearance;
    const hys_halfspace *row;
    const bool missed =
        hys_conjunction_missed_surely(a, &bad->set, tube, a->location[location].u, &clearance, &row);
    if (!(clearance >= r->margin)) {
      r->margin = clearance;
      r->constraint = row;
    }
    if (!missed)
      return HYS_REASON_UNSAFE;
  }
  return HYS_REASON_NONE;
}

/* ---- jumps inside a step
 * ----------------------------------------------------------------------------------- */

/* What has been followed already holds the new arrival, whatever bound was used for it. */
static bool subsumed(const hysi_reach *r, const hysi_arrival *arrival) {
  const size_t nx = r->automaton->nx;
  for (uint32_t k = 0; k < r->n_arrivals; k++) {
    hysi_arrival *old = &r->work->arrival[k];
    if (old->location != arrival->location || old->stage != arrival->stage ||
        !hys_box_inside_surely(arrival->x, old->x, nx))
      continue;
    bool inside = true;
    for (size_t i = 0; i < nx && inside; i++)
      if (old->kept[i])
        inside = arrival->kept[i] &&
#ifndef HYS_PLANT_NO_BASE /* planted faults for the gate of the tests */
                 hys_interval_inside_surely(arrival->base[i], old->base[i]) &&
#endif
                 hys_interval_inside_surely(arrival->slope[i], old->slope[i]);
    if (inside) {
      old->absorbs = true;
      return true;
    }
  }
  return false;
}

/* Arrivals that hold others and of which nothing is left at the end of the step: that may be a cycle of jumps
 * in which no time passes, and what vanishes in it has been certified by nothing. */
static hys_reason check_cycles(const hysi_reach *r) {
  for (uint32_t k = 0; k < r->n_arrivals && r->problem->certify; k++)
    if (r->work->arrival[k].absorbs && !r->work->arrival[k].stays)
      return HYS_REASON_BLOCKED;
  return HYS_REASON_NONE;
}

/* jump NULL: the command has no effect, only the stage changes. */
static hys_reason arrive(hysi_reach *r, const hysi_arrival *from, const hys_interval *tube,
                         const hys_jump *jump, const hys_effect *value, uint32_t stage) {
  const size_t nx = r->automaton->nx;
  hysi_arrival to = *from;
  to.stage = stage;
  to.absorbs = to.stays = false;
  if (jump == NULL)
    hys_box_copy(to.x, tube, nx);
  else {
    if (!hys_jump_image(r->automaton, jump, value, tube, to.x))
      return HYS_REASON_NONE;
    to.location = jump->target;
    for (size_t i = 0; i < nx; i++)
      if (!jump->reset[i].identity)
        to.kept[i] = false;
    note_jump(r, jump);
  }
  if (in_terminal(r, to.location, to.stage, to.x))
    return HYS_REASON_NONE;
  if (subsumed(r, &to))
    return HYS_REASON_NONE;
  if (r->n_arrivals >= HYS_MAX_ARRIVALS)
    return HYS_REASON_TOO_MANY_SETS;
  r->work->arrival[r->n_arrivals++] = to;
  return HYS_REASON_NONE;
}

static bool spontaneous(const hys_reach_problem *p, const hys_jump *jump) {
  return jump->label == HYS_NO_LABEL || (p->command_labels >> (unsigned)jump->label & 1U) == 0;
}

/* Everything that may happen while a set is in `tube` (cut by the invariant). */
static hys_reason follow(hysi_reach *r, const hysi_arrival *set, const hys_interval *tube) {
  const hys_reach_problem *p = r->problem;
  const hys_location *here = &r->automaton->location[set->location];
  const hys_effect *effect = set->stage < p->n_effects ? &p->effect[set->stage] : NULL;
  if (effect != NULL && !(effect->from <= r->t && r->t < closes(effect)))
    effect = NULL;
  bool surely = false;
  for (uint32_t j = 0; j < here->n_jumps; j++) {
    const hys_jump *jump = &r->automaton->jump[here->jump[j]];
    const bool by_effect = effect != NULL && jump->label == effect->label;
    if (!by_effect && !spontaneous(p, jump))
      continue;
    const hys_reason why =
        arrive(r, set, tube, jump, by_effect ? effect : NULL, set->stage + (by_effect ? 1U : 0U));
    if (why != HYS_REASON_NONE)
      return why;
    if (by_effect && hys_jump_enabled_surely(r->automaton, jump, effect, tube))
      surely = true;
  }
  if (effect == NULL || surely)
    return HYS_REASON_NONE;
  return effect->illegal ? HYS_REASON_NOT_ENABLED : arrive(r, set, tube, NULL, NULL, set->stage + 1);
}

/* Checks a tube, notes its slopes, follows its jumps.  raw: before the invariant cut it; set->slope is
 * widened by the slopes in this location. */
static hys_reason visit(hysi_reach *r, hysi_arrival *set, const hys_interval *raw, hys_interval *tube,
                        hys_interval *end) {
  const hys_automaton *a = r->automaton;
  const hys_location *here = &a->location[set->location];
  if (r->problem->certify) {
    if (!hys_never_blocked_surely(a, set->location, raw))
      return HYS_REASON_BLOCKED;
  }
  hys_box_copy(tube, raw, a->nx);
  if (!hys_conjunction_cut(a, &here->invariant, tube, here->u))
    return HYS_REASON_NONE;
  for (size_t i = 0; i < a->nx; i++) {
    const hys_interval slope =
        here->flow.still ? hys_interval_point(0.0) : hys_flow_slope(&here->flow, a->nx, i, tube);
    /* what does not fall is not below where it started: without this a state at rest on the border of Bad
     * would be beyond it by a rounding */
    hys_interval *const bound[2] = {&tube[i], end != NULL ? &end[i] : &tube[i]};
    for (int k = 0; k < 2; k++) {
      if (slope.lo >= 0.0 && bound[k]->lo < set->x[i].lo && bound[k]->hi >= set->x[i].lo)
        bound[k]->lo = set->x[i].lo;
      if (slope.hi <= 0.0 && bound[k]->hi > set->x[i].hi && bound[k]->lo <= set->x[i].hi)
        bound[k]->hi = set->x[i].hi;
    }
    set->slope[i] = hys_interval_hull(set->slope[i], slope);
    r->result->slope[i] = hys_interval_hull(r->result->slope[i], set->slope[i]);
  }
  if (r->problem->certify) {
    const hys_reason why = check_forbidden(r, set->location, tube);
    if (why != HYS_REASON_NONE)
      return why;
  }
  return HYS_REASON_NONE;
}

/* In an urgent location no time passes: some plant jump has to be possible everywhere. */
static hys_reason check_urgent(const hysi_reach *r, uint32_t location, const hys_interval *x) {
  const hys_location *here = &r->automaton->location[location];
  for (uint32_t j = 0; j < here->n_jumps; j++) {
    const hys_jump *jump = &r->automaton->jump[here->jump[j]];
    if (jump->label == HYS_NO_LABEL && hys_jump_enabled_surely(r->automaton, jump, NULL, x))
      return HYS_REASON_NONE;
  }
  return HYS_REASON_BLOCKED;
}

/* A set that arrives at an unknown instant of the step: where it may be until the end of the step, and at the
 * end. */
static hys_reason step_arrival(hysi_reach *r, uint32_t k) {
  const hys_automaton *a = r->automaton;
  hysi_arrival *set = &r->work->arrival[k];
  const hys_location *here = &a->location[set->location];
  const double h = here->flow.level[r->level].h;
  hys_interval raw[HYS_MAX_STATES], tube[HYS_MAX_STATES], end[HYS_MAX_STATES];
  if (here->flow.still) {
    hys_reason why = r->problem->certify ? check_urgent(r, set->location, set->x) : HYS_REASON_NONE;
    if (why == HYS_REASON_NONE)
      why = visit(r, set, set->x, tube, NULL);
    return why == HYS_REASON_NONE ? follow(r, set, tube) : why;
  }
  hys_flow_tube(&here->flow, a->nx, r->level, set->x, raw);
  const hys_reason why = visit(r, set, raw, tube, NULL);
  if (why != HYS_REASON_NONE)
    return why;
  if (hys_box_is_empty(tube, a->nx))
    return HYS_REASON_NONE;
  hys_box_copy(end, tube, a->nx);
  for (size_t i = 0; i < a->nx; i++) {
    if (!set->kept[i])
      continue;
    /* mean value: what no jump changed has moved by at most the slopes it met since the start of the step */
    const hys_interval full = hys_interval_mul_scalar(set->slope[i], h);
#ifdef HYS_PLANT_NO_PART
    const hys_interval part = full;
#else
    const hys_interval part = hys_interval_hull(full, hys_interval_point(0.0));
#endif
    tube[i] = hys_interval_intersect(tube[i], hys_interval_add(set->base[i], part));
    end[i] = hys_interval_intersect(end[i], hys_interval_add(set->base[i], full));
  }
  if (hys_box_is_empty(tube, a->nx))
    return HYS_REASON_NONE;
  const hys_reason jumps = follow(r, set, tube);
  if (jumps != HYS_REASON_NONE)
    return jumps;
  if (!hys_conjunction_cut(a, &here->invariant, end, here->u))
    return HYS_REASON_NONE;
  r->work->arrival[k].stays = true;
  return add_front(r, r->next, &r->n_next, set->location, set->stage, end);
}

/* Row k of the invariant holds all through the step, or did hold the state back from its start on: either way
 * the end of the step is exact. */
static bool border_is_exact(const hysi_reach *r, uint32_t location, uint32_t k, const hys_interval *start,
                            const hys_interval *tube) {
  const hys_automaton *a = r->automaton;
  const hys_location *here = &a->location[location];
  const hys_halfspace *row = &here->invariant.row[k];
  uint64_t used = 0;
  if (hys_halfspace_value(a, row, tube, here->u).hi <= row->c.lo)
    return true;
  return hys_halfspace_value(a, row, start, here->u).hi >= row->c.lo &&
         hysi_held_inside(a, location, row, tube, &used);
}

/* The set at the end of the step meets Bad, and shorter steps would not help: the ends of an order-monotone
 * flow are exact where no border is crossed, and T is not met before.  (If it is wrong, something is not
 * certified that might be.) */
static bool ends_in_forbidden(const hysi_reach *r, const hysi_front *front, const hys_interval *raw,
                              const hys_interval *end) {
  const hys_reach_problem *p = r->problem;
  const hys_automaton *a = r->automaton;
  const uint32_t location = front->location;
  const hys_location *here = &a->location[location];
  hys_interval x[HYS_MAX_STATES];
  for (uint32_t k = 0; k < here->invariant.n; k++)
    if (!border_is_exact(r, location, k, front->segment.x, raw))
      return false;
  for (uint32_t i = 0; i < p->n_terminal && front->stage == p->n_effects; i++) {
    hys_box_copy(x, raw, a->nx);
    if ((p->terminal[i].location == HYS_ANY_LOCATION || p->terminal[i].location == location) &&
        hys_conjunction_cut(a, &p->terminal[i].set, x, here->u))
      return false;
  }
  hys_box_copy(x, end, a->nx);
  const hys_halfspace *row;
  return hys_conjunction_cut(a, &here->invariant, x, here->u) &&
         !hys_forbidden_missed_surely(a, location, x, &row);
}

/* Ticks into the step at which it crosses a border of the invariant that the rows of the flow know how to
 * use, and along which the state can stay; 0: it crosses none.  Rounded down to a step of the pin level; a
 * guess, so no rounding. */
static int64_t pin_begins(const hysi_reach *r, uint32_t location, const hys_interval *start,
                          const hys_interval *end) {
  const hys_automaton *a = r->automaton;
  const hys_location *here = &a->location[location];
  const hys_step_table *table = &here->flow.level[r->level];
  const int64_t grain = here->flow.level[HYSI_PIN_LEVEL].ticks;
  int last = -1;
  for (uint32_t k = 2 * (uint32_t)a->nx; k < table->n_rows; k++) {
    const int pin = table->row[k].pin;
    if (pin == last)
      continue;
    last = pin;
    const hys_halfspace *row = &here->invariant.row[pin];
    const double before = hys_halfspace_value(a, row, start, here->u).hi,
                 after = hys_halfspace_value(a, row, end, here->u).hi;
    uint64_t used = 0;
    if (!(before < row->c.lo && after > row->c.hi) || !hysi_held_inside(a, location, row, end, &used))
      continue;
    const int64_t ticks =
        (int64_t)((row->c.lo - before) / (after - before) * (double)table->ticks) / grain * grain;
    return ticks < grain ? grain : ticks;
  }
  return 0;
}

/* A set that is there at the start of the step. */
static hys_reason step_front(hysi_reach *r, const hysi_front *front) {
  const hys_automaton *a = r->automaton;
  const hys_location *here = &a->location[front->location];
  hysi_arrival set;
  set.location = front->location;
  set.stage = front->stage;
  hys_box_copy(set.x, front->segment.x, a->nx);
  hys_box_copy(set.base, front->segment.x, a->nx);
  for (size_t i = 0; i < a->nx; i++) {
    set.kept[i] = true;
    set.slope[i] = hys_interval_empty();
  }
  hys_interval raw[HYS_MAX_STATES], tube[HYS_MAX_STATES];
  hysi_front after;
  after.location = front->location;
  after.stage = front->stage;
  if (here->flow.still) {
    const hys_reason why = r->problem->certify ? check_urgent(r, set.location, set.x) : HYS_REASON_NONE;
    if (why != HYS_REASON_NONE)
      return why;
    hys_box_copy(raw, set.x, a->nx);
  } else {
    hys_segment_step(&front->segment, &here->flow, a->nx, r->level, &after.segment, raw);
    const int64_t pin =
        r->level < HYSI_PIN_LEVEL ? pin_begins(r, front->location, set.x, after.segment.x) : 0;
    if (pin > 0) {
      r->finer = true;
      r->pin_at = r->t + pin;
    }
  }
  hys_reason why = visit(r, &set, raw, tube, here->flow.still ? NULL : after.segment.x);
  if (why == HYS_REASON_UNSAFE && here->flow.monotone && !here->flow.still && !r->finer)
    r->hopeless = ends_in_forbidden(r, front, raw, after.segment.x);
  if (why == HYS_REASON_NONE && !hys_box_is_empty(tube, a->nx))
    why = follow(r, &set, tube);
  if (why != HYS_REASON_NONE || here->flow.still ||
      !hys_conjunction_cut(a, &here->invariant, after.segment.x, here->u))
    return why;
  for (uint32_t i = 0; i < r->n_next; i++)
    if (r->next[i].location == after.location && r->next[i].stage == after.stage)
      return add_front(r, r->next, &r->n_next, after.location, after.stage, after.segment.x);
  if (r->n_next >= HYS_MAX_SETS)
    return HYS_REASON_TOO_MANY_SETS;
  r->next[r->n_next++] = after;
  return HYS_REASON_NONE;
}

static hys_reason try_step(hysi_reach *r) {
  r->n_next = r->n_arrivals = 0;
  r->finer = r->hopeless = false;
  for (uint32_t i = 0; i < r->n_now; i++) {
    r->result->work++;
    const hys_reason why = step_front(r, &r->now[i]);
    if (why != HYS_REASON_NONE || r->finer)
      return why;
  }
  for (uint32_t k = 0; k < r->n_arrivals; k++) { /* grows while it is walked: chains of jumps */
    r->result->work++;
    const hys_reason why = step_arrival(r, k);
    if (why != HYS_REASON_NONE)
      return why;
  }
  return check_cycles(r);
}

/* ---- the walk over time
 * -------------------------------------------------------------------------------------- */

/* Effects whose window ends now have been taken.  Reads r->now, leaves the result there. */
static hys_reason take_due(hysi_reach *r) {
  const hys_reach_problem *p = r->problem;
  const hys_automaton *a = r->automaton;
  for (uint32_t i = 0; i < r->n_now;) {
    const uint32_t stage = r->now[i].stage, location = r->now[i].location;
    if (stage >= p->n_effects || closes(&p->effect[stage]) > r->t) {
      i++;
      continue;
    }
    const hys_effect *effect = &p->effect[stage];
    hys_interval x[HYS_MAX_STATES], image[HYS_MAX_STATES];
    hys_box_copy(x, r->now[i].segment.x, a->nx);
    r->now[i] = r->now[--r->n_now];
    bool surely = false;
    const hys_location *here = &a->location[location];
    for (uint32_t j = 0; j < here->n_jumps; j++) {
      const hys_jump *jump = &a->jump[here->jump[j]];
      if (jump->label != effect->label)
        continue;
      if (hys_jump_enabled_surely(a, jump, effect, x))
        surely = true;
      if (!hys_jump_image(a, jump, effect, x, image))
        continue;
      note_jump(r, jump);
      const hys_reason why = add_front(r, r->now, &r->n_now, jump->target, stage + 1, image);
      if (why != HYS_REASON_NONE)
        return why;
    }
    if (!surely) {
      if (effect->illegal)
        return HYS_REASON_NOT_ENABLED;
      const hys_reason why = add_front(r, r->now, &r->n_now, location, stage + 1, x);
      if (why != HYS_REASON_NONE)
        return why;
    }
    i = 0; /* an earlier set may have been hulled into one that is due */
  }
  return HYS_REASON_NONE;
}

static void drop_terminal(hysi_reach *r) {
  for (uint32_t i = 0; i < r->n_now;)
    if (in_terminal(r, r->now[i].location, r->now[i].stage, r->now[i].segment.x))
      r->now[i] = r->now[--r->n_now];
    else
      i++;
}

static bool too_many_locations(const hysi_reach *r) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < r->n_now; i++) {
    bool seen = false;
    for (uint32_t j = 0; j < i && !seen; j++)
      seen = r->now[j].location == r->now[i].location;
    n += seen ? 0U : 1U;
  }
  return r->problem->max_locations != 0 && n > r->problem->max_locations;
}

/* The coarsest level that ends at or before the next instant at which a window opens or closes. */
static unsigned coarsest(const hysi_reach *r) {
  const hys_reach_problem *p = r->problem;
  int64_t until = p->horizon;
  bool inside = false;
  if (r->pin_at > r->t && r->pin_at < until)
    until = r->pin_at;
  for (uint32_t k = 0; k < p->n_effects; k++) {
    if (p->effect[k].from > r->t && p->effect[k].from < until)
      until = p->effect[k].from;
    if (closes(&p->effect[k]) > r->t && closes(&p->effect[k]) < until)
      until = closes(&p->effect[k]);
    if (p->effect[k].from <= r->t && r->t < closes(&p->effect[k]))
      inside = true;
  }
  unsigned level = inside ? (unsigned)HYSI_WINDOW_LEVEL : 0U;
  while (level + 1 < HYS_FLOW_LEVELS && (INT64_C(1) << (HYS_TICK_LOG2 - (int)level)) > until - r->t)
    level++;
  return level;
}

static void finish(hysi_reach *r, hys_verdict verdict, hys_reason reason) {
  hys_reach_result *result = r->result;
  result->verdict = verdict;
  result->reason = reason;
  result->reached = r->t;
  if (reason == HYS_REASON_UNSAFE) {
    result->margin = r->margin;
    result->constraint = r->constraint;
  }
  result->n_sets = r->n_now;
  for (uint32_t i = 0; i < r->n_now; i++) {
    result->set[i].location = r->now[i].location;
    result->set[i].stage = r->now[i].stage;
    hys_box_copy(result->set[i].x, r->now[i].segment.x, r->automaton->nx);
  }
}

static bool well_posed(const hys_reach_problem *p, const hys_set *start, uint32_t n_start) {
  const hys_automaton *a = p->automaton;
  if (n_start == 0 || n_start > HYS_MAX_SETS || a->nx == 0 || a->nx > HYS_MAX_STATES ||
      a->nu > HYS_MAX_INPUTS || a->n_labels > 64 || p->horizon < 0 || p->n_effects > HYS_MAX_EFFECTS)
    return false;
  for (uint32_t i = 0; i < n_start; i++)
    if (start[i].location >= a->n_locations || start[i].stage > p->n_effects ||
        hys_box_is_empty(start[i].x, a->nx))
      return false;
  for (uint32_t k = 0; k < p->n_effects; k++)
    if (p->effect[k].from > p->effect[k].to || (p->certify && closes(&p->effect[k]) > p->horizon) ||
        (k > 0 && p->effect[k].to < p->effect[k - 1].to))
      return false;
  return true;
}

static void walk(hysi_reach *r) {
  const hys_reach_problem *p = r->problem;
  unsigned refine = 0;
  for (;;) {
    hys_reason why = take_due(r);
    if (why != HYS_REASON_NONE) {
      finish(r, HYS_UNKNOWN, why);
      return;
    }
    if (p->certify) {
      drop_terminal(r);
      if (r->n_now == 0) {
        finish(r, HYS_HOLDS, HYS_REASON_NONE);
        return;
      }
    }
    if (r->t >= p->horizon || r->n_now == 0) {
      finish(r, p->certify ? HYS_UNKNOWN : HYS_HOLDS, p->certify ? HYS_REASON_NOT_TERMINAL : HYS_REASON_NONE);
      return;
    }
    if (too_many_locations(r)) {
      finish(r, HYS_UNKNOWN, HYS_REASON_TOO_MANY_SETS);
      return;
    }
    unsigned most = coarsest(r);
    r->level = most > refine ? most : refine;
    for (;;) {
      if (r->result->work >= p->budget) {
        finish(r, HYS_UNKNOWN, HYS_REASON_DEADLINE);
        return;
      }
      r->margin = r->result->margin;
      r->constraint = r->result->constraint;
      why = try_step(r);
      if (why == HYS_REASON_NONE && !r->finer)
        break;
      if (r->level + 1 >= HYS_FLOW_LEVELS || r->hopeless) {
        r->t += INT64_C(1) << (HYS_TICK_LOG2 - (int)r->level);
        finish(r, HYS_UNKNOWN, why);
        return;
      }
      if (r->finer) {
        most = coarsest(r);
        r->level = most > r->level ? most : r->level + 1;
      } else
        r->level++;
    }
    r->result->margin = r->margin;
    r->result->constraint = r->constraint;
    refine = r->level > most ? r->level - 1 : 0; /* what the boundaries of time asked for is over with them */
    r->t += INT64_C(1) << (HYS_TICK_LOG2 - (int)r->level);
    hysi_front *const done = r->now;
    r->now = r->next;
    r->n_now = r->n_next;
    r->next = done;
  }
}

hys_status hys_reach(const hys_reach_problem *problem, const hys_set *start, uint32_t n_start,
                     hys_reach_work *work, hys_reach_result *result) {
  const hys_automaton *a = problem->automaton;
  result->verdict = HYS_UNKNOWN;
  result->reason = HYS_REASON_NONE;
  result->constraint = NULL;
  result->margin = HYSI_INF;
  result->reached = 0;
  result->work = 0;
  result->n_sets = 0;
  result->moved = result->taken = 0;
  if (!well_posed(problem, start, n_start))
    return HYS_ERR_ARG;
  for (size_t i = 0; i < a->nx; i++) {
    result->slope[i] = hys_interval_empty();
    result->kept[i] = true;
  }
  hysi_reach r = {.problem = problem,
                  .automaton = a,
                  .work = work,
                  .result = result,
                  .now = work->list[0],
                  .next = work->list[1],
                  .margin = HYSI_INF};
  for (uint32_t i = 0; i < n_start; i++) {
    hys_interval x[HYS_MAX_STATES];
    const hys_location *here = &a->location[start[i].location];
    hys_box_copy(x, start[i].x, a->nx);
    if (!hys_conjunction_cut(a, &here->invariant, x, here->u))
      continue; /* no state of the automaton */
    const hys_reason why = add_front(&r, r.now, &r.n_now, start[i].location, start[i].stage, x);
    if (why != HYS_REASON_NONE) {
      finish(&r, HYS_UNKNOWN, why);
      return HYS_OK;
    }
  }
  if (r.n_now == 0)
    return HYS_ERR_ARG; /* an empty set certifies nothing */
  walk(&r);
  return HYS_OK;
}
