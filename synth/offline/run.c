/* Confirmed runs: legs and the jumps between them. */
#include "synth/offline/run.h"

#include <math.h>
#include <string.h>

#include "core/contract.h"
#include "synth/offline/run_internal.h"

/* Steps: at least so many of the horizon, and these split as often near a set, so that a short visit is seen.
 */
static const double steps_at_least = 512.0;
static const double finer_near_set = 64.0;
/* A border is approached until the step is this part of the horizon. */
static const double shortest = 0x1p-46;
static const double shortest_step = 0x1p-42; /* s: the engine has none much shorter */
static const unsigned narrowing_rounds = 8;

/* ---- the runner ---- */

hys_status hys_runner_create(hys_runner **out, const hys_hybrid *automaton, const hys_hybrid_set *initially,
                             uint32_t n_initially, double time_horizon, uint32_t max_jumps,
                             const hys_pipe_options *options) {
  const size_t n = automaton->n;
  hys_runner *r = hys_allocate(NULL, sizeof *r);
  hys_status status = HYS_OK;

  *out = NULL;
  if (!(time_horizon > 0.0 && isfinite(time_horizon))) {
    hys_release(NULL, r);
    return HYS_ERR_ARG;
  }
  if (r == NULL)
    return HYS_ERR_MEMORY;
  memset(r, 0, sizeof *r);
  r->automaton = automaton;
  r->initially = initially != NULL ? initially : automaton->initially;
  r->n_initially = initially != NULL ? n_initially : automaton->n_initially;
  r->horizon = time_horizon;
  r->max_jumps = max_jumps;
  if (options != NULL)
    r->options = *options;
  r->x = hys_allocate(NULL, 5 * n * sizeof *r->x);
  r->term = hys_allocate(NULL, n * sizeof *r->term);
  r->given = hys_allocate(NULL, n * sizeof *r->given);
  if (r->x == NULL || r->term == NULL || r->given == NULL)
    status = HYS_ERR_MEMORY;
  else
    status = hys_zonotope_open(&r->start, n, n, NULL);
  if (status != HYS_OK) {
    hys_runner_destroy(r);
    return status;
  }
  r->y = r->x + n;
  r->begin = r->x + 2 * n;
  r->tube = r->x + 3 * n;
  r->hull = r->x + 4 * n;
  *out = r;
  return HYS_OK;
}

void hys_runner_watch(hys_runner *r, bool (*stop)(void *context), void *context) {
  r->stop = stop;
  r->stop_context = context;
}

void hys_runner_destroy(hys_runner *r) {
  if (r == NULL)
    return;
  for (uint32_t i = 0; i < HYSI_RUN_FLOWS; i++) {
    hys_pipe_destroy(r->flow[i].pipe);
    hys_pipe_flow_destroy(r->flow[i].flow);
    hys_release(NULL, r->flow[i].input);
  }
  hys_zonotope_close(&r->start);
  hys_release(NULL, r->x);
  hys_release(NULL, r->term);
  hys_release(NULL, r->given);
  hys_release(NULL, r->solved);
  hys_release(NULL, r->scratch);
  hys_release(NULL, r);
}

/* ---- flows, kept from run to run ---- */

static bool same_inputs(const hys_runner *r, const hys_hybrid_location *l, const double *input) {
  for (size_t i = 0; i < r->automaton->n; i++)
    if (l->rate[i].motion == HYS_MOTION_FREE && !(input[i] == r->x[i].lo))
      return false;
  return true;
}

/* The leg's pipe, at runner->x with the values it gives the free variables. */
static hys_status open_pipe(hysi_leg *a) {
  hys_runner *r = a->runner;
  const size_t n = r->automaton->n;
  hysi_run_flow *slot = NULL;
  hys_status status = hys_zonotope_from_box(&r->start, r->x);

  if (status != HYS_OK)
    return status;
  for (uint32_t i = 0; i < HYSI_RUN_FLOWS && slot == NULL; i++)
    if (r->flow[i].pipe != NULL && r->flow[i].location == a->index &&
        same_inputs(r, a->location, r->flow[i].input))
      slot = &r->flow[i];
  if (slot != NULL) {
    a->pipe = slot->pipe;
    return hys_pipe_restart(slot->pipe, &r->start);
  }
  slot = &r->flow[r->next_flow++ % HYSI_RUN_FLOWS];
  hys_pipe_destroy(slot->pipe);
  hys_pipe_flow_destroy(slot->flow);
  slot->pipe = NULL;
  slot->flow = NULL;
  if (slot->input == NULL && (slot->input = hys_allocate(NULL, n * sizeof *slot->input)) == NULL)
    return HYS_ERR_MEMORY;
  for (size_t i = 0; i < n; i++)
    slot->input[i] = r->x[i].lo;
  slot->location = a->index;
  status = hys_pipe_flow_create(&slot->flow, r->automaton, a->location, r->x, &r->options, NULL);
  if (status == HYS_OK)
    status = hys_pipe_create(&slot->pipe, slot->flow, &r->start, NULL);
  a->pipe = slot->pipe;
  return status;
}

/* ---- what is recorded ---- */

typedef struct record {
  hys_arena *arena;
  hys_run_leg *leg;
  uint32_t n, capacity;
} record;

static hys_status add_leg(record *c, const hysi_leg *a, double from, const hys_hybrid_jump *jump) {
  const size_t n = a->runner->automaton->n;
  hys_interval *box = hys_arena_alloc(c->arena, 2 * n, sizeof *box);

  if (c->n == c->capacity) {
    const uint32_t more = c->capacity == 0 ? 16 : 2 * c->capacity;
    hys_run_leg *bigger = hys_arena_alloc(c->arena, more, sizeof *bigger);
    if (bigger == NULL)
      return HYS_ERR_MEMORY;
    if (c->n > 0)
      memcpy(bigger, c->leg, c->n * sizeof *bigger);
    c->leg = bigger;
    c->capacity = more;
  }
  if (box == NULL)
    return HYS_ERR_MEMORY;
  memcpy(box, a->runner->begin, n * sizeof *box);
  memcpy(box + n, a->runner->x, n * sizeof *box);
  c->leg[c->n++] = (hys_run_leg){a->index, from,    a->now,
                                 box,      box + n, jump != NULL ? (int32_t)(jump - a->location->jump) : -1};
  return HYS_OK;
}

/* ---- legs ---- */

/* Values of the free variables; then what the invariant says of the state, at the begin of a leg.  false: it
 * is not shown to hold. */
static bool begin_leg(hysi_leg *a, const double *fraction) {
  hys_runner *r = a->runner;
  const hys_hybrid_location *l = a->location;
  const size_t n = r->automaton->n;
  bool good = true;

  for (unsigned turn = 0; turn < 2; turn++) {
    /* the state may be on a border, where rounding leaves nothing: then the inputs' own bounds alone */
    for (size_t i = 0; i < n; i++)
      r->hull[i] = turn == 0 && l->rate[i].motion != HYS_MOTION_FREE ? r->x[i] : hys_interval_entire();
    if (hys_conditions_contract(&l->invariant, r->hull, narrowing_rounds, r->scratch))
      break;
    good = turn == 0;
  }
  for (size_t i = 0; good && i < n; i++)
    if (l->rate[i].motion == HYS_MOTION_FREE)
      r->x[i] = hys_interval_point(hysi_run_drawn(r->hull[i], fraction[i]));
  if (good)
    hysi_run_define(r, l, r->x);
  for (uint32_t i = 0; good && i < l->invariant.n; i++) {
    const hys_condition *c = &l->invariant.condition[i];
    if (!r->held[i] || hysi_run_has_free(l, c))
      r->held[i] = hys_condition_holds_surely(c, r->x, r->scratch);
    good = r->held[i];
  }
  memcpy(r->begin, r->x, n * sizeof *r->x);
  return good;
}

/* What ends a leg. */
typedef struct ending {
  const hys_hybrid_jump *jump;
  const hys_condition *border; /* on which the jump is taken */
  bool lost;                   /* nothing can be shown of what comes next */
} ending;

/* A jump that is enabled now and that the plan takes. */
static const hys_hybrid_jump *chosen(const hysi_leg *a, const hys_run_plan *plan, uint64_t *seed) {
  const hys_hybrid_location *l = a->location;
  const uint32_t first = l->n_jumps > 1 ? (uint32_t)(hysi_run_chance(seed) * l->n_jumps) : 0;

  for (uint32_t k = 0; k < l->n_jumps; k++) {
    const hys_hybrid_jump *jump = &l->jump[(first + k) % l->n_jumps];
    if (hysi_run_enabled(a->runner, jump, a->runner->x, NULL) &&
        (l->urgent || jump->must || hysi_run_chance(seed) >= plan->patience))
      return jump;
  }
  return NULL;
}

/* A condition whose border the run meets within the step that was tried and where something may have to
 * happen: the invariant's; an equation of a guard; the last condition of a must-jump's. */
static const hys_condition *met(const hysi_leg *a, const hys_run_plan *plan, uint64_t *seed, bool *lost) {
  const hys_hybrid_location *l = a->location;
  const uint32_t bad = hysi_leg_failing(a, NULL);

  for (uint32_t j = 0; j < l->n_jumps; j++) {
    const hys_hybrid_jump *jump = &l->jump[j];
    if (jump->must && hysi_leg_may_enable(a, jump)) {
      for (uint32_t i = 0; i < jump->guard.n; i++)
        if (jump->guard.condition[i].affine && hysi_leg_crosses(a, &jump->guard.condition[i], a->runner->x))
          return &jump->guard.condition[i];
      *lost = true;
    }
    for (uint32_t i = 0; i < jump->guard.n; i++) {
      const hys_condition *c = &jump->guard.condition[i];
      if (c->affine && c->relation == HYS_RELATION_EQ && hysi_leg_crosses(a, c, a->runner->x) &&
          hysi_run_chance(seed) >= 0.5 * plan->patience)
        return c;
    }
  }
  return bad < l->invariant.n ? &l->invariant.condition[bad] : NULL;
}

/* Along the flow until a jump, `until`, a set, or nothing more to show.  The pipe is at runner->x. */
static hys_status flow_on(hysi_leg *a, const hys_run_plan *plan, double until, const hys_hybrid_set *set,
                          uint32_t n_sets, uint64_t *seed, double *distance, const hys_hybrid_set **enters,
                          ending *end) {
  hys_runner *r = a->runner;
  const double usual = r->horizon / steps_at_least, finest = usual / finer_near_set;

  *end = (ending){chosen(a, plan, seed), NULL, false};
  while (*enters == NULL && end->jump == NULL && !a->location->urgent && a->now < until) {
    if (r->stop != NULL && r->stop(r->stop_context)) {
      end->lost = true;
      return HYS_OK;
    }
    double taken = 0.0, h = fmin(fmin(hys_pipe_suggest(a->pipe, usual), usual), until - a->now);
    hys_status status = hys_pipe_try(a->pipe, h, &taken);
    if (status != HYS_OK || !(taken > 0.0))
      return status;
    while (taken > finest && hysi_leg_may_enter(a, set, n_sets)) {
      const hys_hybrid_set *here = NULL;
      if (hysi_leg_distance(a, set, n_sets, &here) <= 0.0)
        break;
      status = hys_pipe_try(a->pipe, taken / 2.0, &taken);
      if (status != HYS_OK || !(taken > 0.0))
        return status;
    }
    end->border = met(a, plan, seed, &end->lost);
    if (end->lost)
      return HYS_OK;
    if (end->border != NULL) {
      end->lost = !end->border->affine ||
                  !hysi_leg_approach(a, end->border, taken, fmax(r->horizon * shortest, shortest_step));
      if (end->lost)
        return HYS_OK;
      if (end->border->row.n == 1) { /* the box has no other value of that variable */
        hys_interval *v = &r->x[end->border->row.term[0].variable];
        *v = hys_interval_intersect(*v, hysi_run_solve(&end->border->row, 0, r->x));
      }
      for (uint32_t j = 0; end->jump == NULL && j < a->location->n_jumps; j++)
        if (hysi_run_enabled(r, &a->location->jump[j], r->x, end->border))
          end->jump = &a->location->jump[j];
      end->lost = end->jump == NULL;
      return HYS_OK;
    }
    hys_pipe_accept(a->pipe);
    a->now = hys_add_up(a->now, taken);
    hys_pipe_box(a->pipe, HYS_PIPE_END, r->x);
    for (uint32_t i = 0; i < a->location->invariant.n; i++)
      r->held[i] = true; /* all through the step */
    *distance = fmin(*distance, hysi_leg_distance(a, set, n_sets, enters));
    end->jump = *enters == NULL ? chosen(a, plan, seed) : NULL;
  }
  return HYS_OK;
}

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

/* The location and the state in it at which a plan begins. */
static hys_status begin_run(hysi_leg *a, const hys_run_plan *plan, const hys_hybrid_set *set,
                            uint32_t n_sets) {
  hys_runner *r = a->runner;
  const hys_hybrid *automaton = r->automaton;
  const hys_hybrid_set *initially = &r->initially[plan->set];
  size_t need = hys_conditions_scratch(&initially->set);
  hys_status status = automaton->initial(automaton->context, initially, plan->location, &a->index);

  if (status != HYS_OK)
    return status == HYS_ERR_LIMIT ? HYS_ERR_ARG : status;
  for (uint32_t s = 0; s < n_sets; s++)
    need = larger(need, hys_conditions_scratch(&set[s].set));
  status = hysi_run_scratch(r, need);
  if (status == HYS_OK)
    status = hysi_run_location(r, a->index, &a->location);
  if (status == HYS_OK)
    status = hysi_run_conditions(r, larger(a->location->invariant.n, initially->set.n));
  if (status != HYS_OK)
    return status;
  if (!hysi_run_start(r, a->location, initially, plan))
    return HYS_ERR_ARG;
  for (uint32_t i = 0; i < a->location->invariant.n; i++) {
    r->held[i] = false; /* looked at when the leg begins, but for what an equation of the start says */
    for (uint32_t k = 0; k < initially->set.n && !r->held[i]; k++)
      r->held[i] = initially->set.condition[k].relation == HYS_RELATION_EQ &&
                   a->location->invariant.condition[i].relation != HYS_RELATION_LT &&
                   hysi_run_same_border(&initially->set.condition[k], &a->location->invariant.condition[i]);
  }
  return HYS_OK;
}

hys_status hys_run_make(hys_runner *r, const hys_run_plan *plan, const hys_hybrid_set *set, uint32_t n_sets,
                        hys_arena *arena, hys_run *run, double *distance) {
  const size_t n = r->automaton->n;
  record c = {arena, NULL, 0, 0};
  hysi_leg a = {r, 0, NULL, NULL, 0.0, 0.0};
  uint64_t seed = plan->seed;
  hys_status status;

  *run = (hys_run){n, NULL, 0, 0.0, NULL};
  *distance = HYSI_INF;
  if (plan->set >= r->n_initially || plan->pieces == 0 || plan->pieces > HYS_RUN_PIECES)
    return HYS_ERR_ARG;
  status = begin_run(&a, plan, set, n_sets);
  for (uint32_t jumps = 0; status == HYS_OK && run->enters == NULL;) {
    const double last = hys_sub_down(r->horizon, a.late), piece = r->horizon / plan->pieces, from = a.now;
    const uint32_t k = a.now / piece < plan->pieces - 1 ? (uint32_t)(a.now / piece) : plan->pieces - 1;
    const double until = k + 1 == plan->pieces ? last : fmin(last, (k + 1) * piece);
    const hys_hybrid_location *target = NULL;
    ending end = {NULL, NULL, false};

    if (!begin_leg(&a, plan->input + k * n))
      break;
    status = open_pipe(&a);
    if (status != HYS_OK)
      break;
    *distance = fmin(*distance, hysi_leg_distance(&a, set, n_sets, &run->enters));
    if (run->enters == NULL)
      status = flow_on(&a, plan, until, set, n_sets, &seed, distance, &run->enters, &end);
    if (status == HYS_OK)
      status = add_leg(&c, &a, from, end.jump);
    if (status != HYS_OK || end.lost || run->enters != NULL ||
        (end.jump == NULL && (a.now >= last || a.location->urgent)))
      break;
    if (end.jump == NULL)
      continue;
    if (++jumps > r->max_jumps)
      break;
    status = hysi_run_location(r, end.jump->target, &target);
    if (status == HYS_OK)
      status = hysi_run_conditions(r, target->invariant.n);
    if (status != HYS_OK || !hysi_run_take(r, end.jump, end.border, &seed, target))
      break;
    memcpy(r->x, r->y, n * sizeof *r->x);
    memcpy(r->held, r->next_held, target->invariant.n * sizeof *r->held);
    a.index = end.jump->target;
    a.location = target;
  }
  run->leg = c.leg;
  run->n_legs = c.n;
  run->time = a.now;
  return status == HYS_ERR_NUMERIC ? HYS_OK : status; /* it blew up: the run ends there */
}
