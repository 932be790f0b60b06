/* One run of a general automaton, in enclosures that are nearly points: a start, values of the inputs, the
 * moments of the jumps; and what it surely does.
 *
 * Every box of a run contains the state of one and the same run of the automaton: the flow is enclosed from a
 * box that contains a start state, conditions (initial set, invariants, guards) are shown to hold for it, and
 * a jump at the border of a condition happens at an instant that is enclosed: the first at which the border
 * is reached. So a run that surely enters a set is a proof that the set is reachable.  Setup only. */
#ifndef HYSHIELD_SYNTH_OFFLINE_RUN_H
#define HYSHIELD_SYNTH_OFFLINE_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/allocator.h"
#include "core/flowpipe.h"
#include "core/hybrid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A stay in a location with constant values of the free variables. */
typedef struct hys_run_leg {
  uint32_t location;
  double from, to;           /* s; the jump that ends it lies within 1e-9 s of `to`, later legs begin there */
  const hys_interval *start; /* n variables */
  const hys_interval *end;   /* before the jump */
  int32_t jump; /* index among the location's jumps; -1: none, the inputs change or the run ends */
} hys_run_leg;

typedef struct hys_run {
  size_t n;
  const hys_run_leg *leg;
  uint32_t n_legs;
  double time;                  /* s, of its end */
  const hys_hybrid_set *enters; /* the state at the end surely lies in this set */
} hys_run;

/* What decides about a run; every part is a fraction in [0, 1], so that a search can vary it. */
enum { HYS_RUN_PIECES = 16 };
typedef struct hys_run_plan {
  uint32_t set, location; /* of `initially`: the set, and which of its locations (k of hys_hybrid.initial) */
  const double *start;    /* n: place inside the hull of the initial set */
  uint32_t pieces;        /* 1 .. HYS_RUN_PIECES: equal parts of the horizon with constant inputs */
  const double *input; /* pieces * n: place inside the hull of what the invariant leaves to a free variable */
  double patience;     /* 0: a jump is taken as soon as it is enabled; 1: when time cannot go on; between: by
                          chance in each step */
  uint64_t seed;       /* of that chance, of the choice among jumps and of non-deterministic resets */
} hys_run_plan;

/* What makes runs: flows that were prepared are kept for the next one. */
typedef struct hys_runner hys_runner;
/* initially NULL: the automaton's.  The automaton must outlive it. */
HYS_API hys_status hys_runner_create(hys_runner **out, const hys_hybrid *automaton,
                                     const hys_hybrid_set *initially, uint32_t n_initially,
                                     double time_horizon, uint32_t max_jumps,
                                     const hys_pipe_options *options);
/* Asked at each step of a run; true ends it there. */
HYS_API void hys_runner_watch(hys_runner *runner, bool (*stop)(void *context), void *context);
HYS_API void hys_runner_destroy(hys_runner *runner);

/* The run of a plan until it surely enters one of the sets, the horizon is reached, or nothing can be shown
 * any more (a condition holds only perhaps).  HYS_OK: it was made; run->enters NULL: it enters none;
 * *distance: how near it came to the nearest of them, the least over its instants of the largest value of a
 * condition (<= 0 inside, +inf where a condition on the location was never met).  The run lives in the arena.
 * HYS_ERR_ARG: the plan gives no start; HYS_ERR_MEMORY, HYS_ERR_NUMERIC, HYS_ERR_UNSUPPORTED. */
HYS_API hys_status hys_run_make(hys_runner *runner, const hys_run_plan *plan, const hys_hybrid_set *set,
                                uint32_t n_sets, hys_arena *arena, hys_run *run, double *distance);

#ifdef __cplusplus
}
#endif
#endif
