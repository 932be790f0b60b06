/* Commands on the wire: when one that is sent takes effect, and whether a schedule of them is certified.
 *
 * An instant is in nanoseconds on the shield's clock.  A set's time is counted in 1/32 ns, the unit in which
 * both a nanosecond (32) and a tick of 2^-14 s (1953125) are whole: no drift from rounding.  A command sent
 * by a decision that starts at `now` takes effect in now + [Cmin + rho-, C + rho+]; one that the timer sends
 * at s in s + [rho-, rho+ + theta].  RT-safe: all of it. */
#ifndef HYSHIELD_SYNTH_RT_SCHEDULE_H
#define HYSHIELD_SYNTH_RT_SCHEDULE_H

#include "core/rt/api.h"
#include "core/rt/reach.h"
#include "core/rt/spec.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hys_flight {
  uint32_t command;
  double value;     /* NaN without one */
  int64_t from, to; /* takes effect in here [ns] */
} hys_flight;

HYS_API hys_flight hys_flight_now(const hys_spec *spec, int64_t now, uint32_t command, double value);
HYS_API hys_flight hys_flight_at(const hys_spec *spec, int64_t s, uint32_t command, double value);
/* The earliest instant at which the timer may send behind a decision that starts at `now` and, if `behind`,
 * sends a command itself: effects keep the order of sending. */
HYS_API int64_t hys_earliest_insertion(const hys_spec *spec, int64_t now, bool behind);

/* Where the plant may be at `time`: the sets' stages count the flights that have taken effect. */
typedef struct hys_situation {
  const hys_spec *spec;
  uint64_t command_labels; /* of hys_absent_labels */
  int64_t time32;          /* [ns/32] */
  const hys_set *set;
  uint32_t n_sets;
  const hys_flight *flight; /* in flight, in the order of sending */
  uint32_t n_flights;
} hys_situation;

/* Bit i set iff label i of the automaton is a command of the specification. */
HYS_API uint64_t hys_command_labels(const hys_spec *spec);
/* These, and the events from which a command recovers (hys_event.recovery): flowpipes leave them out. */
HYS_API uint64_t hys_absent_labels(const hys_spec *spec);

/* With events that have a recovery: the command that a schedule has to end with, and by when, in ns after the
 * decision, its effect has to have been taken.  false: there is no such event. */
HYS_API bool hys_recovery_needed(const hys_spec *spec, uint32_t *command, int64_t *within);

/* Cert(X, q): the flowpipe from the situation, under its flights and then `more` of the schedule, stays
 * inside Safe, is nowhere blocked, and reaches T within the horizon with nothing left in flight.  With events
 * that have a recovery also what synth/offline/recovery.h asks for: q ends with the recovery command in time,
 * or nothing is on its way and the command would do nothing; else UNKNOWN for EVENT_UNCOVERED, and
 * result->reached is the horizon.  *used
 * counts steps and may grow to budget.  result->verdict HOLDS or UNKNOWN. */
HYS_API void hys_certify_schedule(const hys_situation *situation, const hys_flight *more, uint32_t n_more,
                                  uint32_t budget, uint32_t *used, hys_reach_work *work,
                                  hys_reach_result *result);

/* ns/32 to seconds, as an enclosure; |time32| < 2^53. */
HYS_API hys_interval hys_seconds_of32(int64_t time32);

/* Propagates to `now` [ns], not before the situation's time, without checks: result->set is at the last tick
 * that is not after it.  Returns that instant [ns/32]. */
HYS_API int64_t hys_propagate(const hys_situation *situation, int64_t now, hys_reach_work *work,
                              hys_reach_result *result);
/* As hys_propagate, to the first tick that is not before now: for the slopes up to now. */
HYS_API int64_t hys_propagate_beyond(const hys_situation *situation, int64_t now, hys_reach_work *work,
                                     hys_reach_result *result);

#ifdef __cplusplus
}
#endif
#endif
