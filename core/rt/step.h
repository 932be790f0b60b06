/* One step of an affine flow from a box, without looking at invariants, guards or Bad.
 *
 * Rows of the prepared tables give bounds in the axis directions; those of an order-monotone flow are exact
 * from a box (each bound is reached by a corner), so the box is a state of the art there.  Any other flow is
 * also propagated from the start of its segment, X(t_k) in M_k X0 + S_k, the two parts apart, so that nothing
 * wraps; the two enclosures are intersected.  RT-safe: all of it. */
#ifndef HYSHIELD_CORE_RT_STEP_H
#define HYSHIELD_CORE_RT_STEP_H

#include "core/rt/automaton.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A set on its way: the box now, and where its segment came from. */
typedef struct hys_segment {
  hys_interval x[HYS_MAX_STATES];                  /* encloses the set now */
  hys_interval x0[HYS_MAX_STATES];                 /* start of the segment (not used by a monotone flow) */
  hys_interval m[HYS_MAX_STATES * HYS_MAX_STATES]; /* nx * nx: exp(A t_k) */
  hys_interval s[HYS_MAX_STATES];                  /* contribution of inputs and constants up to now */
} hys_segment;

/* Starts a segment from the box x (copied). */
HYS_API void hys_segment_start(hys_segment *segment, const hys_flow *flow, size_t nx, const hys_interval *x);

/* next: the segment after the step (next->x encloses the states at its end; may not be segment itself).
 * tube: nx, encloses the states at every instant of the step, both ends included.
 * level < HYS_FLOW_LEVELS.  Not for a still flow. */
HYS_API void hys_segment_step(const hys_segment *segment, const hys_flow *flow, size_t nx, unsigned level,
                              hys_segment *next, hys_interval *tube);

/* Tube only, from a box: every instant of [0, h]. */
HYS_API void hys_flow_tube(const hys_flow *flow, size_t nx, unsigned level, const hys_interval *x,
                           hys_interval *tube);

/* Enclosure of x_i' over the box x: (A x + B u + c)_i. */
HYS_API hys_interval hys_flow_slope(const hys_flow *flow, size_t nx, size_t i, const hys_interval *x);

#ifdef __cplusplus
}
#endif
#endif
