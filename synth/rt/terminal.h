/* Is T a set in which the plant may be left alone for ever?  Checked when a shield is made, never believed.
 * Setup only (but allocates nothing). */
#ifndef HYSHIELD_SYNTH_RT_TERMINAL_H
#define HYSHIELD_SYNTH_RT_TERMINAL_H

#include "core/rt/api.h"
#include "core/rt/reason.h"
#include "core/rt/spec.h"
#include "core/rt/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hys_terminal_report {
  uint32_t region;          /* that failed */
  const hys_halfspace *row; /* face or constraint, NULL = none */
  const hys_jump *jump;     /* that may lead out of T, NULL = none */
  hys_reason reason;        /* UNSAFE, BLOCKED, NOT_TERMINAL (not invariant) */
} hys_terminal_report;

/* HOLDS: every region of T lies in Safe (T1); on each of its faces that the invariant does not imply the flow
 * points inside for every input (T2); every plant and event jump leads into T (T3); time never stops in it
 * (T4).  UNKNOWN otherwise: the check looks at boxes (rows on one variable each), so it may fail for a set
 * that is invariant.  A T without regions is UNKNOWN. */
HYS_API hys_verdict hys_terminal_check(const hys_spec *spec, hys_terminal_report *report);

#ifdef __cplusplus
}
#endif
#endif
