/* Where the plant may be: a set per location, predicted by reachability with the commands in flight and all
 * events that may have happened, and cut by samples.
 *
 * Assumptions behind it: the plant is a run of the automaton; a reading is within its error of the truth; its
 * stamp is within sigma of the instant at which it was true.  A sample that leaves nothing says that one of
 * them is broken. RT-safe: all of it. */
#ifndef HYSHIELD_SYNTH_RT_ESTIMATE_H
#define HYSHIELD_SYNTH_RT_ESTIMATE_H

#include "core/rt/api.h"
#include "core/rt/spec.h"
#include "synth/rt/schedule.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HYS_ESTIMATE_HISTORY = 4 }; /* predictions whose slopes are kept, so that an aged sample can be used */

typedef struct hys_slopes {
  int64_t from32, to32; /* [ns/32] */
  hys_interval slope[HYS_MAX_STATES];
  bool kept[HYS_MAX_STATES];
  uint64_t moved, taken; /* as in hys_reach_result */
} hys_slopes;

typedef struct hys_estimate {
  const hys_spec *spec;
  uint64_t command_labels;
  int64_t time32; /* of the sets; at most a tick before the last instant asked for */
  hys_set set[HYS_MAX_SETS];
  uint32_t n_sets; /* 0: nothing is known */
  hys_flight flight[HYS_MAX_QUEUE];
  uint32_t n_flights;
  hys_slopes history[HYS_ESTIMATE_HISTORY]; /* newest first */
  uint32_t n_history;
} hys_estimate;

/* A sample as the estimate uses it: a box that holds the true readings at an instant in [from, to] (ns). */
typedef struct hys_reading {
  int64_t from, to;
  hys_interval x[HYS_MAX_STATES]; /* entire where nothing was measured */
  const uint32_t *mode;           /* NULL, or n_instances locations for instances with mode from="sample" */
} hys_reading;

/* Nothing known, nothing in flight. */
HYS_API void hys_estimate_clear(hys_estimate *estimate, const hys_spec *spec);

/* From the sample alone (and the commands in flight), at now.  initially: in the locations of Init, with
 * unobserved states where Init has them (else in every consistent location, on their declared range).  false:
 * no location is consistent, or too many. */
HYS_API bool hys_estimate_begin(hys_estimate *estimate, int64_t now, const hys_reading *reading,
                                bool initially, hys_reach_work *work, hys_reach_result *result);

/* Predicts to now; flights that surely have taken effect are taken off.  false: the prediction needs more
 * sets than there are. */
HYS_API bool hys_estimate_advance(hys_estimate *estimate, int64_t now, hys_reach_work *work,
                                  hys_reach_result *result);

/* Cuts with the complement of Bad: for a situation in which a certificate says that the plant is outside of
 * it.  Only regions of one row can be cut away.  false: nothing is left; unchanged then. */
HYS_API bool hys_estimate_keep_safe(hys_estimate *estimate);

/* Cuts with a sample, after an advance to now.  false: nothing is left; the estimate is unchanged then. */
HYS_API bool hys_estimate_cut(hys_estimate *estimate, int64_t now, const hys_reading *reading,
                              hys_reach_work *work, hys_reach_result *result);

/* The event (index in the specification) happened in [now - latency, now], after an advance to now.  value:
 * readings of the states it reports, NULL = none.  false: the model does not allow it; unchanged. */
HYS_API bool hys_estimate_event(hys_estimate *estimate, int64_t now, uint32_t event, const double *value,
                                hys_reach_work *work, hys_reach_result *result);

/* The same for an event that has a recovery (spec->event[event].recovery > 0), which predictions leave out:
 * the states that it changes get what it reports (value, NULL = what its guard leaves), moved on by the time
 * that may have passed, in every location that another part of the plant allows.
 *
 * The estimate has to be one that no sample has cut which may have been taken after the event: such a sample
 * says something about a run of which the estimate knows nothing, and may leave by accident what is not true.
 * So whoever cuts keeps a copy from before the cut, until the latency has passed without the event having
 * been told: it was not before the sample then.  false: the guard is surely violated; unchanged. */
HYS_API bool hys_estimate_told(hys_estimate *estimate, int64_t now, uint32_t event, const double *value,
                               hys_reach_work *work, hys_reach_result *result);

/* false: the queue is full. */
HYS_API bool hys_estimate_send(hys_estimate *estimate, const hys_flight *flight);

/* A flight beyond the limit of the queue, for what has to be sent: in the room that is left, or as one with
 * the last flight if that is the same command.  false: neither; unchanged. */
HYS_API bool hys_estimate_send_again(hys_estimate *estimate, const hys_flight *flight);

HYS_API void hys_estimate_situation(const hys_estimate *estimate, hys_situation *situation);

#ifdef __cplusplus
}
#endif
#endif
