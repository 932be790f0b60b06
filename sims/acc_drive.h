/* A drive of the ACC: binds the agents and scenarios, which know d, v, w and commands by name, to a
 * specification.
 *
 * The automaton is one of the ACC if it has states d, v, w (or INSTANCE.d ..), an input a_lead, and an
 * instance with a location `cruise`.  Bounds of the lead, accelerations of the modes and d_min are read from
 * the automaton. Setup only. */
#ifndef HYSHIELD_SIMS_ACC_DRIVE_H
#define HYSHIELD_SIMS_ACC_DRIVE_H

#include <stddef.h>
#include <stdint.h>

#include "core/rt/spec.h"
#include "core/rt/status.h"
#include "sims/acc_lead.h"
#include "sims/drive.h"
#include "sims/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct acc_drive_options {
  const char *scenario;  /* NULL: "recorded" with a lead file, else "worst-case" */
  const char *agent;     /* NULL: "idm" */
  const char *lead_file; /* CSV with t, v_lead, v_follow, gap; NULL = none */
  double duration;       /* s; 0 = the scenario's */
  uint64_t seed;
  hys_drive_mode mode;
  /* Start instead of the scenario's: nx numbers, NaN = as the scenario; NULL = all.  location UINT32_MAX =
   * the scenario's. */
  const double *x;
  uint32_t location;
  const char *trace;    /* path; NULL = none */
  hys_journal *journal; /* NULL = none */
  const hys_trace_note *note;
  size_t n_notes; /* further notes of the trace, at most ACC_DRIVE_MAX_NOTES */
  bool (*interrupted)(void *context);
  void *interrupted_context;
} acc_drive_options;

enum { ACC_DRIVE_MAX_NOTES = 16 };

void acc_drive_options_default(acc_drive_options *options);

typedef struct acc_drive_report {
  const char *scenario, *agent; /* as used */
  bool outside_model;           /* the scenario does on purpose what the model does not allow */
  bool recorded;
  acc_recording recording; /* what was found in the lead file */
  double start[HYS_MAX_STATES];
  uint32_t start_location;
  double d_min; /* m, of a Bad that is d < d_min; NaN = it is something else */
} acc_drive_report;

/* report (may be NULL) is filled as far as things went; why (may be NULL) receives a message on error.
 * HYS_ERR_ARG: no such scenario or agent, a wrong duration; HYS_ERR_UNSUPPORTED: not an ACC, or an event of
 * the scenario is not in the specification; HYS_ERR_OPEN, HYS_ERR_INPUT: the lead file; HYS_ERR_WRITE: the
 * trace; HYS_ERR_STATE: the start lies outside of the location's invariant; those of hys_drive_run. */
hys_status acc_drive_run(const hys_spec *spec, const acc_drive_options *options, hys_drive_result *result,
                         acc_drive_report *report, char *why, size_t size);

#ifdef __cplusplus
}
#endif
#endif
