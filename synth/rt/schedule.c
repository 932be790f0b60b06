#include "synth/rt/schedule.h"

#include "core/rt/box.h"

enum { HYSI_TICK32 = 1953125 };  /* a tick in units of 1/32 ns */
enum { HYSI_WINDOW_GRAIN = 16 }; /* ticks: 1 ms */

hys_interval hys_seconds_of32(int64_t time32) {
  return hys_interval_div(hys_interval_point((double)time32), hys_interval_point(32e9));
}

static int64_t ticks_down(int64_t time32) {
  const int64_t q = time32 / HYSI_TICK32;
  return time32 % HYSI_TICK32 < 0 ? q - 1 : q;
}

static int64_t ticks_up(int64_t time32) {
  return -ticks_down(-time32);
}

hys_flight hys_flight_now(const hys_spec *spec, int64_t now, uint32_t command, double value) {
  const hys_timing *t = &spec->timing;
  const hys_flight f = {command, value, now + t->compute_min + t->actuation_min,
                        now + t->deadline + t->actuation_max};
  return f;
}

hys_flight hys_flight_at(const hys_spec *spec, int64_t s, uint32_t command, double value) {
  const hys_timing *t = &spec->timing;
  const hys_flight f = {command, value, s + t->actuation_min, s + t->actuation_max + t->timer_late};
  return f;
}

int64_t hys_earliest_insertion(const hys_spec *spec, int64_t now, bool behind) {
  const hys_timing *t = &spec->timing;
  return now + t->deadline + (behind && !t->order_kept ? t->actuation_max - t->actuation_min : 0);
}

uint64_t hys_command_labels(const hys_spec *spec) {
  uint64_t labels = 0;
  for (uint32_t i = 0; i < spec->n_commands; i++)
    labels |= UINT64_C(1) << (unsigned)spec->command[i].label;
  return labels;
}

uint64_t hys_absent_labels(const hys_spec *spec) {
  uint64_t labels = hys_command_labels(spec);
  for (uint32_t i = 0; i < spec->n_events; i++)
    if (spec->event[i].recovery > 0)
      labels |= UINT64_C(1) << (unsigned)spec->event[i].label;
  return labels;
}

bool hys_recovery_needed(const hys_spec *spec, uint32_t *command, int64_t *within) {
  bool any = false;
  for (uint32_t i = 0; i < spec->n_events; i++) {
    const hys_event *e = &spec->event[i];
    if (e->recovery <= 0)
      continue;
    if (!any || e->recovery - e->latency < *within)
      *within = e->recovery - e->latency;
    *command = e->recovery_command; /* the same for all */
    any = true;
  }
  return any;
}

/* Flights as effects in ticks from the situation's time; the windows open down and close up.  Ends do not
 * decrease: effects keep the order of sending, so one cannot come after the end of one that was sent later.
 */
static uint32_t effects_of(const hys_situation *at, const hys_flight *more, uint32_t n_more,
                           hys_effect *effect) {
  uint32_t n = 0;
  int64_t last = 0;
  for (uint32_t i = 0; i < at->n_flights + n_more && n < HYS_MAX_EFFECTS; i++) {
    const hys_flight *f = i < at->n_flights ? &at->flight[i] : &more[i - at->n_flights];
    const hys_command *command = &at->spec->command[f->command];
    hys_effect *e = &effect[n++];
    e->label = command->label;
    e->value_state = command->value_state;
    e->value = command->value_state >= 0 ? hys_interval_point(f->value) : hys_interval_entire();
    e->illegal = command->otherwise == HYS_OTHERWISE_ILLEGAL;
    e->from = ticks_down(f->from * 32 - at->time32);
    e->to = ticks_up(f->to * 32 - at->time32);
    if (e->from < 0)
      e->from = 0;
    if (e->to < last)
      e->to = last;
    if (e->to < e->from)
      e->to = e->from;
    /* a window of a round length takes fewer steps; it may open a little early */
    const int64_t length = (e->to - e->from + HYSI_WINDOW_GRAIN - 1) / HYSI_WINDOW_GRAIN * HYSI_WINDOW_GRAIN;
    e->from = e->to > length ? e->to - length : 0;
    last = e->to;
  }
  return n;
}

/* What recovery.h asks of a schedule that is decided now. */
static bool covered(const hys_situation *at, const hys_flight *more, uint32_t n_more,
                    const hys_effect *effect, uint32_t n) {
  const hys_spec *spec = at->spec;
  const hys_automaton *a = spec->automaton;
  uint32_t command = 0;
  int64_t within = 0;
  if (!hys_recovery_needed(spec, &command, &within))
    return true;
  for (uint32_t i = 0; spec->recovery_range != NULL && i < at->n_sets; i++)
    if (!hys_box_inside_surely(at->set[i].x, spec->recovery_range, a->nx))
      return false;
  if (n > 0) {
    const hys_flight *last = n_more > 0 ? &more[n_more - 1] : &at->flight[at->n_flights - 1];
    return last->command == command && effect[n - 1].to <= ticks_down(within * 32);
  }
  for (uint32_t i = 0; i < at->n_sets; i++) {
    const hys_location *here = &a->location[at->set[i].location];
    for (uint32_t j = 0; j < here->n_jumps; j++)
      if (a->jump[here->jump[j]].label == spec->command[command].label)
        return false;
  }
  return true;
}

void hys_certify_schedule(const hys_situation *situation, const hys_flight *more, uint32_t n_more,
                          uint32_t budget, uint32_t *used, hys_reach_work *work, hys_reach_result *result) {
  const hys_spec *spec = situation->spec;
  hys_effect effect[HYS_MAX_EFFECTS];
  hys_reach_problem problem;
  result->verdict = HYS_UNKNOWN;
  result->reason = HYS_REASON_QUEUE_FULL;
  result->constraint = NULL;
  result->margin = HYSI_NAN;
  result->reached = 0;
  result->work = 0;
  if (situation->n_flights + n_more > HYS_MAX_EFFECTS)
    return;
  if (*used >= budget) {
    result->reason = HYS_REASON_DEADLINE;
    return;
  }
  problem.automaton = spec->automaton;
  problem.command_labels = situation->command_labels;
  problem.effect = effect;
  problem.n_effects = effects_of(situation, more, n_more, effect);
  problem.horizon = ticks_down(spec->limits.horizon * 32);
  if (!covered(situation, more, n_more, effect, problem.n_effects)) {
    result->reason = HYS_REASON_EVENT_UNCOVERED;
    result->reached = problem.horizon;
    return;
  }
  problem.budget = budget - *used;
  problem.max_locations = spec->limits.locations;
  problem.certify = true;
  problem.terminal = spec->terminal;
  problem.n_terminal = spec->n_terminal;
  if (hys_reach(&problem, situation->set, situation->n_sets, work, result) != HYS_OK)
    result->reason = HYS_REASON_NOT_TERMINAL; /* a schedule that ends beyond the horizon, or no sets */
  *used += result->work;
}

static int64_t propagate(const hys_situation *situation, int64_t ticks, hys_reach_work *work,
                         hys_reach_result *result) {
  hys_effect effect[HYS_MAX_EFFECTS];
  hys_reach_problem problem;
  problem.automaton = situation->spec->automaton;
  problem.command_labels = situation->command_labels;
  problem.effect = effect;
  problem.n_effects = effects_of(situation, NULL, 0, effect);
  problem.horizon = ticks;
  problem.budget = UINT32_MAX;
  problem.max_locations = 0;
  problem.certify = false;
  problem.terminal = NULL;
  problem.n_terminal = 0;
  if (hys_reach(&problem, situation->set, situation->n_sets, work, result) != HYS_OK)
    result->verdict = HYS_UNKNOWN;
  return situation->time32 + ticks * HYSI_TICK32;
}

int64_t hys_propagate(const hys_situation *situation, int64_t now, hys_reach_work *work,
                      hys_reach_result *result) {
  return propagate(situation, ticks_down(now * 32 - situation->time32), work, result);
}

int64_t hys_propagate_beyond(const hys_situation *situation, int64_t now, hys_reach_work *work,
                             hys_reach_result *result) {
  return propagate(situation, ticks_up(now * 32 - situation->time32), work, result);
}
