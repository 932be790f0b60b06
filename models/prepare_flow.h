/* Preparation of an affine flow for the run-time engine: rigorous matrices for every step size.  Setup only.
 */
#ifndef HYSHIELD_MODELS_PREPARE_FLOW_H
#define HYSHIELD_MODELS_PREPARE_FLOW_H

#include "core/allocator.h"
#include "core/rt/automaton.h"
#include "core/rt/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills flow->w, monotone and level[] from flow->a, b, c and still (set by the caller; a, b, c stay where
 * they are), the bounds u of the inputs (nu intervals) and the location's invariant (its half-spaces on a
 * single state give the rows with a pin; NULL: none).  What is built lives in the arena.
 *
 * a, b, c and the invariant's numbers are fixed numbers known up to an enclosure: what may change with time
 * within its bounds is an input.  The step sizes are 1 s, 1/2 s, ... 2^-14 s in every flow.
 *
 * Plain row of l = +-e_i at h: coef = l exp(A h), constant.hi = int_0^h max { l exp(A s) (B u + c) : u } ds
 * up to rounding and, where l exp(A s) B changes its sign inside the step, up to the part of h / 256 in which
 * it does. A row with a pin takes the multiplier that leaves nothing of the pinned variable at h.  Entries
 * that are doubles are points.  A flow that is `still` gets h and ticks, w = 0 and monotone; its rows and
 * matrices are NULL.
 *
 * HYS_ERR_ARG (a pointer is missing, a number is not finite, an interval is empty), HYS_ERR_LIMIT (nx or nu
 * above HYS_MAX_STATES, HYS_MAX_INPUTS), HYS_ERR_NUMERIC (an enclosure is not finite, or ||A||_inf above 8192
 * / s), HYS_ERR_MEMORY; flow->w, monotone and level[] are then not to be used.  FLINT ends the process if
 * malloc fails inside it.  Setup only. */
HYS_API hys_status hys_flow_prepare(hys_flow *flow, size_t nx, size_t nu, const hys_interval *u,
                                    const hys_conjunction *invariant, hys_arena *arena);

#ifdef __cplusplus
}
#endif
#endif
