/* Preparation of an affine flow for the run-time engine: rigorous matrices for every step size.  Setup only. */
#ifndef HYSHIELD_MODELS_PREPARE_FLOW_H
#define HYSHIELD_MODELS_PREPARE_FLOW_H

#include "core/allocator.h"
#include "core/rt/automaton.h"
#include "core/rt/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills flow->w, monotone and level[] from flow->a, b, c (set by the caller, in the arena), the bounds u of the inputs
 * (nu intervals, bounded) and the location's invariant (for the rows with a pin).  HYS_ERR_ARG, HYS_ERR_LIMIT (nx, nu),
 * HYS_ERR_NUMERIC (an enclosure is not finite), HYS_ERR_MEMORY. */
HYS_API hys_status hys_flow_prepare(hys_flow *flow, size_t nx, size_t nu, const hys_interval *u,
                                    const hys_conjunction *invariant, hys_arena *arena);

#ifdef __cplusplus
}
#endif
#endif
