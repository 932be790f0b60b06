/* Events that are told within their latency: what is left of the estimate. */
#include "core/rt/box.h"
#include "synth/rt/estimate.h"

enum { HYSI_WORDS = HYS_MAX_LOCATIONS / 64 };

typedef struct hysi_locations {
  uint64_t word[HYSI_WORDS];
} hysi_locations;

static bool has(const hysi_locations *set, uint32_t location) {
  return (set->word[location / 64] >> (location % 64) & 1U) != 0;
}

static void add(hysi_locations *set, uint32_t location) {
  set->word[location / 64] |= UINT64_C(1) << (location % 64);
}

/* The jump may have been taken in the time of which `taken` tells. */
static bool possible(const hys_jump *jump, uint64_t taken) {
  return jump->label == HYS_NO_LABEL || (taken >> (unsigned)jump->label & 1U) != 0;
}

/* Where a run can be that has taken a jump with the label and then any others: between the event and the
 * instant at which it is told the plant may have gone on. */
static void locations_behind(const hys_automaton *a, int32_t label, uint64_t taken, hysi_locations *set) {
  *set = (hysi_locations){{0}};
  for (uint32_t j = 0; j < a->n_jumps; j++)
    if (a->jump[j].label == label)
      add(set, a->jump[j].target);
  for (bool more = true; more;) { /* at most once a location */
    more = false;
    for (uint32_t j = 0; j < a->n_jumps; j++)
      if (possible(&a->jump[j], taken) && has(set, a->jump[j].source) && !has(set, a->jump[j].target)) {
        add(set, a->jump[j].target);
        more = true;
      }
  }
}

/* A jump behind the event may have assigned the state since: what was reported of it no longer counts. */
static bool may_be_assigned(const hys_automaton *a, const hysi_locations *behind, uint64_t taken,
                            uint32_t state) {
  for (uint32_t j = 0; j < a->n_jumps; j++)
    if (possible(&a->jump[j], taken) && has(behind, a->jump[j].source) && !a->jump[j].reset[state].identity)
      return true;
  return false;
}

/* Labels of the jumps that may have been taken since from32. */
static uint64_t taken_since(const hys_estimate *estimate, int64_t from32, const hys_reach_result *beyond) {
  uint64_t taken = beyond->taken;
  for (uint32_t k = 0; k < estimate->n_history && estimate->history[k].to32 >= from32; k++)
    taken |= estimate->history[k].taken;
  return taken;
}

/* Cuts the set with what was reported; false: nothing is left. */
static bool cut_with_values(const hys_estimate *estimate, const hys_event *e, const double *value,
                            int64_t now, const hysi_locations *behind, uint64_t taken,
                            const hys_reach_result *beyond, hys_set *set) {
  const int64_t from32 = (now - e->latency) * 32;
  const hys_interval delta = hys_interval_hull(hys_seconds_of32(estimate->time32 - from32),
                                               hys_seconds_of32(estimate->time32 - now * 32));
  if (estimate->n_history == 0 || estimate->history[estimate->n_history - 1].from32 > from32)
    return true; /* the event may be older than what is remembered */
  for (uint32_t k = 0; k < e->n_values; k++) {
    const uint32_t i = e->value[k].state;
    if (!(fabs(value[k]) <= DBL_MAX) || may_be_assigned(estimate->spec->automaton, behind, taken, i))
      continue;
    hys_interval slope = beyond->slope[i];
    for (uint32_t s = 0; s < estimate->n_history; s++)
      slope = hys_interval_hull(slope, estimate->history[s].slope[i]);
    const hys_interval read =
        hys_interval_make(hys_sub_down(value[k], e->value[k].error), hys_add_up(value[k], e->value[k].error));
    set->x[i] = hys_interval_intersect(set->x[i], hys_interval_add(read, hys_interval_mul(delta, slope)));
    if (hys_interval_is_empty(set->x[i]))
      return false;
  }
  return true;
}

bool hys_estimate_event(hys_estimate *estimate, int64_t now, uint32_t event, const double *value,
                        hys_reach_work *work, hys_reach_result *result) {
  const hys_automaton *a = estimate->spec->automaton;
  const hys_event *e = &estimate->spec->event[event];
  hys_set left[HYS_MAX_SETS];
  uint32_t n = 0;
  hys_situation situation;
  hysi_locations behind;
  hys_estimate_situation(estimate, &situation);
  hys_propagate_beyond(&situation, now + 1, work, result); /* also an event at this very instant */
  if (result->verdict != HYS_HOLDS)
    return false;
  const uint64_t taken = taken_since(estimate, (now - e->latency) * 32, result);
  if ((taken >> (unsigned)e->label & 1U) == 0)
    return false; /* nowhere in this time was it possible */
  locations_behind(a, e->label, taken, &behind);
  for (uint32_t i = 0; i < estimate->n_sets; i++) {
    if (!has(&behind, estimate->set[i].location))
      continue;
    left[n] = estimate->set[i];
    if (value == NULL || cut_with_values(estimate, e, value, now, &behind, taken, result, &left[n]))
      n++;
  }
  if (n == 0)
    return false;
  for (uint32_t i = 0; i < n; i++)
    estimate->set[i] = left[i];
  estimate->n_sets = n;
  /* told once: what may still be told of this time leads out of where this one has led */
  uint64_t labels = 0;
  for (uint32_t j = 0; j < a->n_jumps; j++)
    if (has(&behind, a->jump[j].source) && a->jump[j].label >= 0)
      labels |= UINT64_C(1) << (unsigned)a->jump[j].label;
  for (uint32_t k = 0; k < estimate->n_history; k++)
    estimate->history[k].taken &= labels;
  return true;
}
