/* A flowpipe in one location: from a start set forward in time, step by step, without jumps.
 *
 * One interface, two engines: affine flows by zonotopes whose homogeneous and input parts travel apart
 * (nothing wraps; core/affine_pipe.c), all others by Taylor models (core/taylor_pipe.c).  Which it is follows
 * from the location; the caller need not know.
 *
 * A step is tried, looked at, and then accepted or tried again smaller.  Two sets can be looked at:
 *   HYS_PIPE_TUBE  every state at every instant of the step that was tried, both ends included;
 *   HYS_PIPE_END   every state at its end (the start set before the first try): a set at an instant, not
 * bloated. Only what the flow does: the invariant is not cut in; who explores does that with the cuts of
 * hys_pipe_max. Every answer is an enclosure. */
#ifndef HYSHIELD_CORE_FLOWPIPE_H
#define HYSHIELD_CORE_FLOWPIPE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/allocator.h"
#include "core/hybrid.h"
#include "core/rt/interval.h"
#include "core/rt/status.h"
#include "core/zonotope.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hys_pipe_options {
  double max_step; /* s; 0 = chosen by the engine */
  double min_step; /* s; 0 = 2^-40 */
  double
      tolerance; /* aim for what one step adds to the set, relative to its width and absolute; 0 = chosen */
  unsigned
      order; /* of Taylor models in time and space; of zonotopes: generators kept a dimension; 0 = chosen */
} hys_pipe_options;

/* A location prepared for any start set and any step; shared by the pipes (and threads) that use it. */
typedef struct hys_pipe_flow hys_pipe_flow;
/* free_box: one interval a variable, bounds of the free ones (the rest is not looked at); a free variable
 * without finite bounds, on which a flow depends, makes the states that depend on it free too, with the
 * bounds given for them.  HYS_ERR_UNSUPPORTED (a function of the flow that no engine knows), HYS_ERR_NUMERIC,
 * HYS_ERR_MEMORY. */
HYS_API hys_status hys_pipe_flow_create(hys_pipe_flow **out, const hys_hybrid *automaton,
                                        const hys_hybrid_location *location, const hys_interval *free_box,
                                        const hys_pipe_options *options, const hys_allocator *allocator);
HYS_API void hys_pipe_flow_destroy(hys_pipe_flow *flow);
HYS_API bool hys_pipe_flow_is_affine(const hys_pipe_flow *flow);

typedef struct hys_pipe hys_pipe;
typedef enum hys_pipe_set { HYS_PIPE_TUBE, HYS_PIPE_END } hys_pipe_set;

/* A pipe at its start set x0, over all variables of the automaton (free and defined ones: what x0 says of
 * them is replaced by their bounds).  The flow must outlive it. */
HYS_API hys_status hys_pipe_create(hys_pipe **out, const hys_pipe_flow *flow, const hys_zonotope *x0,
                                   const hys_allocator *allocator);
HYS_API void hys_pipe_destroy(hys_pipe *pipe);
/* The pipe again at another start set. */
HYS_API hys_status hys_pipe_restart(hys_pipe *pipe, const hys_zonotope *x0);
/* A good size for the next step, at most `most`. */
HYS_API double hys_pipe_suggest(const hys_pipe *pipe, double most);
/* Tries a step of h from the last accepted end; forgets a try before.  *taken <= h is what could be done (0:
 * no enclosure was found down to min_step: HYS_ERR_NUMERIC, as where a flow blows up). */
HYS_API hys_status hys_pipe_try(hys_pipe *pipe, double h, double *taken);
/* Makes the end of the try the place to go on from. */
HYS_API void hys_pipe_accept(hys_pipe *pipe);

/* n intervals. */
HYS_API void hys_pipe_box(const hys_pipe *pipe, hys_pipe_set which, hys_interval *x);
/* An upper bound of row over the states of the set that satisfy all the cuts (cut <= 0, strict ones closed,
 * == 0; those that are not affine may be left out); -inf: there surely are none. */
HYS_API double hys_pipe_max(hys_pipe *pipe, hys_pipe_set which, const hys_affine *row,
                            const hys_condition *const *cut, size_t n_cuts);
/* Range of a tree over the set, at least as good as over its box. */
HYS_API hys_interval hys_pipe_range(hys_pipe *pipe, hys_pipe_set which, const hys_expr *e);
/* A zonotope around the set. */
HYS_API hys_status hys_pipe_zonotope(hys_pipe *pipe, hys_pipe_set which, hys_zonotope *z);

#ifdef __cplusplus
}
#endif
#endif
