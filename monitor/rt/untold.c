/* Events that have happened and are not told yet.
 *
 * Predictions leave an event out from which a command recovers, and every armed schedule ends with that
 * command in time (synth/offline/recovery.h): until it is told the plant is safe, whatever the estimate says.
 * What is left to see to is that the estimate is true again once it is told.  A sample that was taken after
 * the event and before it was told may contradict the estimate; then it is set aside, and only a
 * contradiction that no event explains within its latency is one of the model's.  It may also agree by
 * accident, and leave of the estimate what is not true.  So a copy is kept from before each cut; where the
 * event is told, the copy is what goes on.  A cut that is older than the latency is known to have been before
 * any event that is told now: only then is the next one made.
 *
 * Sound under the assumption that an event is told within its latency, and events in their order. */
#include "monitor/rt/shield_state.h"

static bool waits(const hys_shield *shield) {
  return shield->untold.within >= 0;
}

void hysi_untold_clear(hys_shield *shield) {
  hysi_untold *u = &shield->untold;
  u->within = -1;
  for (uint32_t i = 0; i < shield->spec->n_events; i++) {
    const hys_event *e = &shield->spec->event[i];
    if (e->recovery > 0 && e->latency > u->within)
      u->within = e->latency;
  }
  hys_estimate_clear(&u->base, shield->spec);
  u->cut_until = u->told_at = INT64_MIN;
  u->since = HYS_NEVER;
}

void hysi_untold_follow(hys_shield *shield) {
  if (!waits(shield))
    return;
  shield->untold.base = shield->estimate;
  shield->untold.cut_until = INT64_MIN;
  shield->untold.since = HYS_NEVER;
}

bool hysi_sent(hys_shield *shield, const hys_flight *flight) {
  hys_estimate *base = &shield->untold.base;
  shield->in_force[flight->command] = flight->value;
  if (!hys_estimate_send(&shield->estimate, flight))
    return false;
  if (!waits(shield) || base->n_sets == 0 || hys_estimate_send(base, flight))
    return true;
  /* what has taken effect is taken off */
  if (!hys_estimate_advance(base, shield->estimate.time32 / 32, shield->work, &shield->result) ||
      !hys_estimate_send(base, flight))
    base->n_sets = 0;
  return true;
}

hys_reason hysi_cut(hys_shield *shield, int64_t now, const hys_reading *reading) {
  hysi_untold *u = &shield->untold;
  if (waits(shield)) {
    if (now <= u->cut_until)
      return HYS_REASON_NONE; /* the last cut may still turn out to have been after an event */
    u->base = shield->estimate;
  }
  if (hys_estimate_cut(&shield->estimate, now, reading, shield->work, &shield->result)) {
    u->since = HYS_NEVER;
    if (waits(shield))
      u->cut_until = reading->to + u->within;
    return HYS_REASON_NONE;
  }
  if (!waits(shield) || (u->since != HYS_NEVER && now > u->since + u->within))
    return HYS_REASON_MODEL_MISMATCH;
  if (u->since == HYS_NEVER)
    u->since = now;
  return HYS_REASON_EVENT_PENDING;
}

bool hysi_told(hys_shield *shield, int64_t now, const hys_input *input) {
  hysi_untold *u = &shield->untold;
  if (shield->spec->event[input->which].recovery <= 0)
    return hys_estimate_event(&shield->estimate, now, input->which, input->event_value, shield->work,
                              &shield->result);
  if (!hys_estimate_advance(&u->base, now, shield->work, &shield->result) ||
      !hys_estimate_told(&u->base, now, input->which, input->event_value, shield->work, &shield->result))
    return false;
  shield->estimate = u->base;
  u->cut_until = INT64_MIN;
  u->since = HYS_NEVER;
  return true;
}
