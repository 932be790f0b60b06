/* Plans: a certified insertion, as late as can be certified.
 *
 * A plan here is at most one insertion; no insertion at all where the flowpipe reaches T without a command.
 * RT-safe: all of it. */
#ifndef HYSHIELD_SYNTH_RT_PLAN_H
#define HYSHIELD_SYNTH_RT_PLAN_H

#include "core/rt/api.h"
#include "core/rt/spec.h"
#include "synth/rt/schedule.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HYS_NO_COMMAND UINT32_MAX
#define HYS_NEVER INT64_MAX

typedef struct hys_plan {
  int64_t at;       /* of the insertion [ns]; HYS_NEVER: none is needed */
  uint32_t command; /* HYS_NO_COMMAND when none */
  double value;
  double margin; /* smallest clearance from Bad along the certified flowpipe */
  const hys_halfspace *constraint;
} hys_plan;

/* Why the last search failed, and what it cost. */
typedef struct hys_search {
  hys_reach_work *work;
  hys_reach_result *result;
  uint32_t budget, used; /* steps */
  int64_t grid;          /* resolution of the latest insertion [ns] */
  hys_reason reason;
  const hys_halfspace *constraint;
  double margin;
} hys_search;

/* Some plan with its insertion at `from` (or none) behind the schedule `first` is certified: *plan is it. */
HYS_API bool hys_plan_exists(const hys_situation *situation, const hys_flight *first, uint32_t n_first,
                             int64_t from, hys_search *search, hys_plan *plan);

/* The plan with the latest insertion, not before `from`, behind `first`.  hint: where the last one was
 * (HYS_NEVER = not known).  Good instants are bracketed from a certified one, so what is returned is
 * certified; it is the latest on the grid where the good instants form an interval.  false: none is certified
 * at `from`. */
HYS_API bool hys_plan_latest(const hys_situation *situation, const hys_flight *first, uint32_t n_first,
                             int64_t from, int64_t hint, hys_search *search, hys_plan *plan);

#ifdef __cplusplus
}
#endif
#endif
