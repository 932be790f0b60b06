#include "synth/rt/plan.h"

enum { HYSI_MAX_FIRST = 4 };
enum { HYSI_FAR = 2048 }; /* an insertion t ahead is found to within t/2048: 0.5 ms at 1 s */

/* The windows of effects open down and close up to ticks. */
enum { HYSI_TICKS = 2 * 61036 };

static const double no_value = HYSI_NAN;

static bool certified(const hys_situation *situation, const hys_flight *first, uint32_t n_first, int64_t at,
                      uint32_t command, hys_search *search, hys_plan *plan) {
  hys_flight more[HYSI_MAX_FIRST + 1];
  uint32_t n = 0;
  for (; n < n_first && n < HYSI_MAX_FIRST; n++)
    more[n] = first[n];
  if (command != HYS_NO_COMMAND)
    more[n++] = hys_flight_at(situation->spec, at, command, no_value);
  hys_reach_result *result = search->result;
  hys_certify_schedule(situation, more, n, search->budget, &search->used, search->work, result);
  if (result->verdict != HYS_HOLDS) {
    search->reason = result->reason;
    search->constraint = result->constraint;
    search->margin = result->margin;
    return false;
  }
  plan->at = command == HYS_NO_COMMAND ? HYS_NEVER : at;
  plan->command = command;
  plan->value = no_value;
  plan->margin = result->margin;
  plan->constraint = result->constraint;
  return true;
}

static bool precedes(const hys_spec *spec, uint32_t i, uint32_t j) {
  const uint8_t p = spec->command[i].priority, q = spec->command[j].priority;
  return p < q || (p == q && i < j);
}

/* Commands with a value are not inserted. */
static bool insertable(const hys_command *command) {
  return command->insert && command->value_state < 0;
}

/* The insertable command number k in the order of priority (ties: the order of the file); HYS_NO_COMMAND at
 * the end. */
static uint32_t by_priority(const hys_spec *spec, uint32_t k) {
  for (uint32_t i = 0; i < spec->n_commands; i++) {
    if (!insertable(&spec->command[i]))
      continue;
    uint32_t before = 0;
    for (uint32_t j = 0; j < spec->n_commands; j++)
      before += insertable(&spec->command[j]) && precedes(spec, j, i) ? 1U : 0U;
    if (before == k)
      return i;
  }
  return HYS_NO_COMMAND;
}

static void keep_reason(hys_search *search, const hys_search *why) {
  search->reason = why->reason;
  search->constraint = why->constraint;
  search->margin = why->margin;
}

bool hys_plan_exists(const hys_situation *situation, const hys_flight *first, uint32_t n_first, int64_t from,
                     hys_search *search, hys_plan *plan) {
  if (n_first > HYSI_MAX_FIRST)
    return false;
  hys_search why = *search;
  for (uint32_t k = 0;; k++) {
    const uint32_t command = by_priority(situation->spec, k);
    if (certified(situation, first, n_first, from, command, search, plan))
      return true;
    if (k == 0)
      why = *search; /* the reason that counts is that of the command of first priority */
    if (command == HYS_NO_COMMAND) {
      keep_reason(search, &why);
      return false;
    }
  }
}

/* The grid, and coarser for an insertion that is still far away: it will be renewed before it is due. */
static int64_t resolution(const hys_situation *situation, int64_t at, const hys_search *search) {
  const int64_t far = (at - situation->time32 / 32) / HYSI_FAR;
  return far > search->grid ? far : search->grid;
}

/* The latest certified instant for one command, from plan->at (certified) up to high (not known to be
 * certified). */
static void latest_of(const hys_situation *situation, const hys_flight *first, uint32_t n_first, int64_t high,
                      int64_t hint, hys_search *search, hys_plan *plan) {
  const uint32_t command = plan->command;
  int64_t step = search->grid;
  hys_plan trial;
  if (hint != HYS_NEVER && hint > plan->at && hint < high) {
    /* gallop away from the last answer: the new one is near it */
    if (certified(situation, first, n_first, hint, command, search, &trial)) {
      *plan = trial;
      while (plan->at + step < high) {
        const int64_t next = plan->at + step;
        if (!certified(situation, first, n_first, next, command, search, &trial)) {
          high = next;
          break;
        }
        *plan = trial;
        step *= 4;
      }
    } else {
      high = hint;
      while (high - step > plan->at) {
        if (certified(situation, first, n_first, high - step, command, search, &trial)) {
          *plan = trial;
          break;
        }
        high -= step;
        step *= 4;
      }
    }
  }
  while (high - plan->at > resolution(situation, plan->at, search)) {
    const int64_t middle = plan->at + (high - plan->at) / 2;
    if (certified(situation, first, n_first, middle, command, search, &trial))
      *plan = trial;
    else
      high = middle;
  }
}

bool hys_plan_latest(const hys_situation *situation, const hys_flight *first, uint32_t n_first, int64_t from,
                     int64_t hint, hys_search *search, hys_plan *plan) {
  if (n_first > HYSI_MAX_FIRST)
    return false;
  if (certified(situation, first, n_first, 0, HYS_NO_COMMAND, search, plan))
    return true;
  /* Without a command the flowpipe failed here: an insertion that takes effect later comes too late. */
  const hys_timing *timing = &situation->spec->timing;
  const int64_t start = situation->time32 / 32;
  int64_t high = start + search->result->reached * 61036; /* a tick is 61035.2 ns */
  const int64_t last = start + situation->spec->limits.horizon - timing->actuation_max - timing->timer_late;
  if (high > last)
    high = last;
  /* Events that are recovered from in time: the insertion has to be taken by then. */
  uint32_t recovery = HYS_NO_COMMAND;
  int64_t within = 0;
  const bool capped = hys_recovery_needed(situation->spec, &recovery, &within);
  const int64_t cap = start + within - timing->actuation_max - timing->timer_late - HYSI_TICKS;
  if (capped && high > cap)
    high = cap;
  bool found = false;
  hys_search why = *search;
  for (uint32_t k = 0; from != HYS_NEVER; k++) {
    const uint32_t command = by_priority(situation->spec, k);
    hys_plan best;
    if (command == HYS_NO_COMMAND)
      break;
    if (capped && !found && command == recovery && high == cap && cap >= from &&
        certified(situation, first, n_first, cap, command, search, &best)) {
      *plan = best; /* most often there is no need for it any earlier */
      found = true;
    } else if (certified(situation, first, n_first, found ? plan->at + search->grid : from, command, search,
                         &best)) {
      latest_of(situation, first, n_first, high, hint, search, &best);
      *plan = best;
      found = true;
    }
    if (k == 0)
      why = *search;
  }
  keep_reason(search, &why);
  return found;
}
