#include "synth/rt/estimate.h"

#include "core/rt/box.h"
#include "core/rt/constraint.h"

void hys_estimate_clear(hys_estimate *estimate, const hys_spec *spec) {
  estimate->spec = spec;
  estimate->command_labels = hys_absent_labels(spec);
  estimate->time32 = 0;
  estimate->n_sets = 0;
  estimate->n_flights = 0;
  estimate->n_history = 0;
}

void hys_estimate_situation(const hys_estimate *estimate, hys_situation *situation) {
  situation->spec = estimate->spec;
  situation->command_labels = estimate->command_labels;
  situation->time32 = estimate->time32;
  situation->set = estimate->set;
  situation->n_sets = estimate->n_sets;
  situation->flight = estimate->flight;
  situation->n_flights = estimate->n_flights;
}

bool hys_estimate_send(hys_estimate *estimate, const hys_flight *flight) {
  if (estimate->n_flights >= HYS_MAX_QUEUE || estimate->n_flights >= estimate->spec->limits.queue)
    return false;
  estimate->flight[estimate->n_flights++] = *flight;
  return true;
}

bool hys_estimate_send_again(hys_estimate *estimate, const hys_flight *flight) {
  if (estimate->n_flights < HYS_MAX_QUEUE) {
    estimate->flight[estimate->n_flights++] = *flight;
    return true;
  }
  hys_flight *last = &estimate->flight[estimate->n_flights - 1];
  if (last->command != flight->command)
    return false;
  last->to = flight->to > last->to ? flight->to : last->to;
  return true;
}

/* ---- prediction ------------------------------------------------------------------------------------------
 */

static void note_slopes(hys_estimate *estimate, int64_t from32, int64_t to32,
                        const hys_reach_result *result) {
  const size_t nx = estimate->spec->automaton->nx;
  if (estimate->n_history < HYS_ESTIMATE_HISTORY)
    estimate->n_history++;
  for (uint32_t k = estimate->n_history - 1; k > 0; k--)
    estimate->history[k] = estimate->history[k - 1];
  hys_slopes *newest = &estimate->history[0];
  newest->from32 = from32;
  newest->to32 = to32;
  newest->moved = result->moved;
  newest->taken = result->taken;
  for (size_t i = 0; i < nx; i++) {
    newest->slope[i] = result->slope[i];
    newest->kept[i] = result->kept[i];
  }
}

/* Flights that every set has behind it, from the front of the queue. */
static void retire_flights(hys_estimate *estimate) {
  uint32_t done = estimate->n_flights;
  for (uint32_t i = 0; i < estimate->n_sets; i++)
    if (estimate->set[i].stage < done)
      done = estimate->set[i].stage;
  if (done == 0)
    return;
  for (uint32_t k = done; k < estimate->n_flights; k++)
    estimate->flight[k - done] = estimate->flight[k];
  estimate->n_flights -= done;
  for (uint32_t i = 0; i < estimate->n_sets; i++)
    estimate->set[i].stage -= done;
}

bool hys_estimate_advance(hys_estimate *estimate, int64_t now, hys_reach_work *work,
                          hys_reach_result *result) {
  hys_situation situation;
  if (estimate->n_sets == 0)
    return false;
  hys_estimate_situation(estimate, &situation);
  const int64_t from32 = estimate->time32, to32 = hys_propagate(&situation, now, work, result);
  if (result->verdict != HYS_HOLDS || result->n_sets == 0)
    return false;
  for (uint32_t i = 0; i < result->n_sets; i++)
    estimate->set[i] = result->set[i];
  estimate->n_sets = result->n_sets;
  if (to32 > from32) {
    estimate->time32 = to32;
    note_slopes(estimate, from32, to32, result);
  }
  retire_flights(estimate);
  return true;
}

static bool cut_away(const hys_automaton *a, const hys_region *bad, hys_set *set) {
  const hys_location *here = &a->location[set->location];
  if (bad->set.n != 1 || (bad->location != HYS_ANY_LOCATION && bad->location != set->location))
    return true;
  return hys_halfspace_cut_opposite(a, &bad->set.row[0], set->x, here->u);
}

bool hys_estimate_keep_safe(hys_estimate *estimate) {
  const hys_automaton *a = estimate->spec->automaton;
  hys_set left[HYS_MAX_SETS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < estimate->n_sets; i++) {
    left[n] = estimate->set[i];
    bool any = true;
    for (uint32_t k = 0; k < a->n_forbidden && any; k++)
      any = cut_away(a, &a->forbidden[k], &left[n]);
    n += any ? 1U : 0U;
  }
  if (n == 0)
    return false;
  for (uint32_t i = 0; i < n; i++)
    estimate->set[i] = left[i];
  estimate->n_sets = n;
  return true;
}

/* ---- samples ---------------------------------------------------------------------------------------------
 */

/* Moves a reading to the estimate's time by the slopes met since: what some jump may have changed is not
 * known, nor in which location an instance is that may have moved (bits of *moved_parts). */
static bool age(const hys_estimate *estimate, const hys_reading *reading, const hys_reach_result *beyond,
                hys_interval *x, uint64_t *moved_parts) {
  const size_t nx = estimate->spec->automaton->nx;
  hys_slopes since;
  int64_t covered32 = estimate->time32;
  *moved_parts = beyond->moved;
  for (size_t i = 0; i < nx; i++) {
    since.slope[i] = beyond->slope[i];
    since.kept[i] = beyond->kept[i];
  }
  for (uint32_t k = 0; k < estimate->n_history && covered32 > reading->from * 32; k++) {
    const hys_slopes *s = &estimate->history[k];
    for (size_t i = 0; i < nx; i++) {
      since.slope[i] = hys_interval_hull(since.slope[i], s->slope[i]);
      since.kept[i] = since.kept[i] && s->kept[i];
    }
    *moved_parts |= s->moved;
    covered32 = s->from32;
  }
  if (covered32 > reading->from * 32)
    return false; /* older than what is remembered */
  const hys_interval delta = hys_interval_hull(hys_seconds_of32(estimate->time32 - reading->to * 32),
                                               hys_seconds_of32(estimate->time32 - reading->from * 32));
  for (size_t i = 0; i < nx; i++) {
    /* no slope: nothing has been predicted, so delta is zero */
    const hys_interval moved = hys_interval_is_empty(since.slope[i])
                                   ? hys_interval_point(0.0)
                                   : hys_interval_mul(delta, since.slope[i]);
    x[i] = since.kept[i] ? hys_interval_add(reading->x[i], moved) : hys_interval_entire();
  }
  return true;
}

/* The location that the sample gives for an instance, unless the instance may have moved since. */
static bool mode_agrees(const hys_spec *spec, uint32_t location, const uint32_t *mode, uint64_t moved_parts) {
  if (mode == NULL || spec->mode_from == NULL)
    return true;
  for (uint32_t k = 0; k < spec->automaton->n_instances; k++)
    if (spec->mode_from[k] == HYS_MODE_SAMPLE && (moved_parts >> (k < 63 ? k : 63) & 1U) == 0 &&
        spec->automaton->location[location].part[k] != mode[k])
      return false;
  return true;
}

bool hys_estimate_cut(hys_estimate *estimate, int64_t now, const hys_reading *reading, hys_reach_work *work,
                      hys_reach_result *result) {
  const hys_automaton *a = estimate->spec->automaton;
  hys_situation situation;
  hys_interval sample[HYS_MAX_STATES];
  hys_estimate_situation(estimate, &situation);
  hys_propagate_beyond(&situation, now, work, result); /* slopes of the part of a tick up to now */
  if (result->verdict != HYS_HOLDS)
    return true; /* the sample is not used */
  if (now * 32 == estimate->time32)
    for (size_t i = 0; i < a->nx; i++)
      result->slope[i] = hys_interval_empty();
  uint64_t moved_parts;
  if (!age(estimate, reading, result, sample, &moved_parts))
    return true;
  hys_set left[HYS_MAX_SETS];
  uint32_t n = 0;
  for (uint32_t i = 0; i < estimate->n_sets; i++) {
    const hys_set *set = &estimate->set[i];
    const hys_location *here = &a->location[set->location];
    left[n] = *set;
    if (mode_agrees(estimate->spec, set->location, reading->mode, moved_parts) &&
        hys_box_intersect(left[n].x, set->x, sample, a->nx) &&
        hys_conjunction_cut(a, &here->invariant, left[n].x, here->u))
      n++;
  }
  if (n == 0)
    return false;
  for (uint32_t i = 0; i < n; i++)
    estimate->set[i] = left[i];
  estimate->n_sets = n;
  retire_flights(estimate);
  return true;
}

/* ---- from a sample alone
 * ----------------------------------------------------------------------------------- */

static bool add_start(hys_estimate *estimate, uint32_t location, const hys_interval *x, uint32_t stages,
                      const hys_conjunction *also) {
  const hys_automaton *a = estimate->spec->automaton;
  const hys_location *here = &a->location[location];
  hys_interval y[HYS_MAX_STATES];
  hys_box_copy(y, x, a->nx);
  if (!hys_conjunction_cut(a, &here->invariant, y, here->u))
    return true;
  if (also != NULL) { /* Init: its locations and what it says of states that are not observed */
    hys_interval inside[HYS_MAX_STATES];
    hys_box_set_entire(inside, a->nx);
    if (!hys_conjunction_cut(a, also, inside, here->u))
      return true;
    for (size_t i = 0; i < a->nx; i++)
      if (estimate->spec->observed[i].kind == HYS_UNOBSERVED)
        y[i] = hys_interval_intersect(y[i], inside[i]);
    if (hys_box_is_empty(y, a->nx))
      return true;
  }
  for (uint32_t stage = 0; stage < stages; stage++) {
    if (estimate->n_sets >= HYS_MAX_SETS)
      return false;
    hys_set *set = &estimate->set[estimate->n_sets++];
    set->location = location;
    set->stage = stage;
    hys_box_copy(set->x, y, a->nx);
  }
  return true;
}

/* Flights that have taken effect by `time` are taken off; returns how many of the rest may have. */
static uint32_t settle_flights(hys_estimate *estimate, int64_t from, int64_t to) {
  uint32_t done = 0, open = 0;
  while (done < estimate->n_flights && estimate->flight[done].to <= from)
    done++;
  for (uint32_t k = done; k < estimate->n_flights; k++)
    estimate->flight[k - done] = estimate->flight[k];
  estimate->n_flights -= done;
  while (open < estimate->n_flights && estimate->flight[open].from <= to)
    open++;
  return open;
}

/* The readings were true at some instant t of [from, to]: sets at `to` that hold Reach(readings, to - t) for
 * every t.  A state that no jump changes has moved forward by at most the time times its slopes; any state of
 * a run that goes on for the rest of [from, to] moves by at most the rest times its slopes, so that the set
 * at the end of it tells where it was. */
static bool spread(hys_estimate *estimate, const hys_reading *reading, hys_reach_work *work,
                   hys_reach_result *result) {
  const hys_automaton *a = estimate->spec->automaton;
  hys_situation situation;
  hys_estimate_situation(estimate, &situation);
  const int64_t end32 = hys_propagate_beyond(&situation, reading->to, work, result);
  if (result->verdict != HYS_HOLDS) {
    estimate->n_sets = 0;
    return false;
  }
  hys_interval origin[HYS_MAX_STATES];
  hys_box_set_empty(origin, a->nx);
  for (uint32_t k = 0; k < estimate->n_sets; k++)
    hys_box_hull(origin, origin, estimate->set[k].x, a->nx);
  for (uint32_t k = 0; k < result->n_sets; k++) {
    uint32_t at = 0;
    while (at < estimate->n_sets && (estimate->set[at].location != result->set[k].location ||
                                     estimate->set[at].stage != result->set[k].stage))
      at++;
    if (at == estimate->n_sets) {
      if (at >= HYS_MAX_SETS) {
        estimate->n_sets = 0;
        return false;
      }
      estimate->set[estimate->n_sets++] = result->set[k];
    } else
      hys_box_hull(estimate->set[at].x, estimate->set[at].x, result->set[k].x, a->nx);
  }
  const hys_interval time = hys_seconds_of32(end32 - estimate->time32);
  const hys_interval forward = hys_interval_hull(hys_interval_point(0.0), time);
  const hys_interval both_ways = hys_interval_hull(hys_interval_neg(time), time);
  uint32_t n = 0;
  for (uint32_t k = 0; k < estimate->n_sets; k++) {
    hys_set *set = &estimate->set[n];
    *set = estimate->set[k];
    for (size_t i = 0; i < a->nx; i++)
      if (!hys_interval_is_empty(result->slope[i])) {
        set->x[i] = hys_interval_add(set->x[i], hys_interval_mul(both_ways, result->slope[i]));
        if (result->kept[i])
          set->x[i] = hys_interval_intersect(
              set->x[i], hys_interval_add(origin[i], hys_interval_mul(forward, result->slope[i])));
      }
    if (hys_box_is_empty(set->x, a->nx))
      continue;
    const hys_location *here = &a->location[set->location];
    if (hys_conjunction_cut(a, &here->invariant, set->x, here->u))
      n++;
  }
  estimate->n_sets = n;
  estimate->time32 = reading->to * 32;
  return n > 0;
}

bool hys_estimate_begin(hys_estimate *estimate, int64_t now, const hys_reading *reading, bool initially,
                        hys_reach_work *work, hys_reach_result *result) {
  const hys_spec *spec = estimate->spec;
  const hys_automaton *a = spec->automaton;
  hys_interval x[HYS_MAX_STATES];
  for (size_t i = 0; i < a->nx; i++)
    x[i] = spec->observed[i].kind == HYS_UNOBSERVED
               ? hys_interval_make(spec->observed[i].min, spec->observed[i].max)
               : reading->x[i];
  estimate->n_sets = 0;
  estimate->n_history = 0;
  estimate->time32 = reading->from * 32;
  const uint32_t stages = settle_flights(estimate, reading->from, reading->to) + 1;
  bool fits = true;
  for (uint32_t i = 0; initially && i < a->n_initially && fits; i++)
    for (uint32_t l = 0; l < a->n_locations && fits; l++)
      if ((a->initially[i].location == l || a->initially[i].location == HYS_ANY_LOCATION) &&
          mode_agrees(spec, l, reading->mode, 0))
        fits = add_start(estimate, l, x, stages, &a->initially[i].set);
  for (uint32_t l = 0; !initially && l < a->n_locations && fits; l++)
    if (mode_agrees(spec, l, reading->mode, 0))
      fits = add_start(estimate, l, x, stages, NULL);
  if (!fits || estimate->n_sets == 0) {
    estimate->n_sets = 0;
    return false;
  }
  return spread(estimate, reading, work, result) && hys_estimate_advance(estimate, now, work, result);
}
