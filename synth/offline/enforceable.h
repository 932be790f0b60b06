/* Is the specification enforceable, before anything runs?  Setup only. */
#ifndef HYSHIELD_SYNTH_OFFLINE_ENFORCEABLE_H
#define HYSHIELD_SYNTH_OFFLINE_ENFORCEABLE_H

#include "core/allocator.h"
#include "core/rt/api.h"
#include "core/rt/spec.h"
#include "core/rt/status.h"
#include "synth/rt/plan.h"
#include "synth/rt/terminal.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hys_certificate_report {
  hys_verdict terminal; /* of the check of T */
  hys_terminal_report terminal_report;
  uint32_t initially; /* region of Init that is not certified */
  hys_plan plan;      /* HOLDS: the plan that was certified for the last region of Init */
  hys_reason reason;  /* UNKNOWN: why */
  const hys_halfspace *constraint;
  double margin;
  uint32_t work; /* flowpipe steps */
} hys_certificate_report;

/* HOLDS: T is a terminal set, and from every region of Init (as one box a location) a plan is certified,
 * decided at the start as a shield would.  UNKNOWN: not shown, for the reason in the report.  Certified
 * implies enforceable, not the other way.  status (NULL = not wanted): HYS_ERR_MEMORY, HYS_ERR_LIMIT; the
 * verdict is UNKNOWN then. */
HYS_API hys_verdict hys_certify(const hys_spec *spec, const hys_allocator *allocator,
                                hys_certificate_report *report, hys_status *status);

#ifdef __cplusplus
}
#endif
#endif
