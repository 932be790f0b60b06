/* Verification: flowpipes of a general automaton against sets that are to be avoided.
 *
 * Every property is decided by the same flowpipes: SAFE (HYS_HOLDS) when no enclosure of what is reachable
 * meets its sets, UNSAFE (HYS_VIOLATED) only with a run that surely enters one (synth/offline/run.h), else
 * UNKNOWN with the place and the reason.  Passes are repeated with smaller steps, smaller clusters and a
 * divided initial set until all is decided, nothing gets better, or the caller says stop.
 *
 * Source: reachability with jumps by directions and multipliers as in docs/reachability.md.  Setup only. */
#ifndef HYSHIELD_SYNTH_OFFLINE_VERIFY_H
#define HYSHIELD_SYNTH_OFFLINE_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/allocator.h"
#include "core/flowpipe.h"
#include "core/hybrid.h"
#include "core/rt/reason.h"
#include "synth/offline/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hys_property {
  const char *name;
  const hys_hybrid_set *set; /* union; none: nothing is forbidden */
  uint32_t n;
} hys_property;

/* A piece of a flowpipe: while time is in [from, to] since the start and the plant in the location, it is in
 * the box. */
typedef struct hys_segment_view {
  double from, to; /* s */
  uint32_t index;
  const hys_hybrid_location *location;
  const hys_interval *box; /* n, cut with the invariant */
} hys_segment_view;

typedef struct hys_verify_options {
  double time_horizon;             /* s, > 0 */
  const hys_hybrid_set *initially; /* NULL: the automaton's */
  uint32_t n_initially;
  uint32_t max_jumps;    /* along one path; default 1000 */
  uint32_t max_items;    /* flowpipes of one pass; default 20000 */
  uint32_t max_passes;   /* default 12 */
  uint32_t clusters;     /* of one crossing, in the first pass; default 1 */
  uint32_t falsify_runs; /* tried before the second pass, more with each; default 24; 0 = none */
  unsigned threads;      /* 1 to 64; default 1 */
  uint64_t seed;
  hys_pipe_options pipe;       /* of the first pass */
  bool (*stop)(void *context); /* NULL: never; asked inside loops; true: out of budget */
  void *stop_context;
  /* The segments of the last completed pass, in a fixed order; NULL: not wanted. */
  void (*segment)(void *context, const hys_segment_view *segment);
  void *segment_context;
  void (*progress)(void *context, uint32_t pass, uint32_t items, double time); /* may be NULL */
  void *progress_context;
} hys_verify_options;
HYS_API void hys_verify_options_default(hys_verify_options *options, double time_horizon);

typedef struct hys_property_result {
  hys_verdict verdict;
  const char *reason; /* of UNKNOWN, with the place; in the arena */
  hys_run run;        /* of VIOLATED */
} hys_property_result;

typedef struct hys_verify_result {
  hys_property_result *property; /* as many as were asked about */
  hys_interval *bounds;          /* n: over all of the flowpipes, defined variables included */
  double time_bound;             /* s: up to here the bounds and verdicts hold; HYSI_INF with a fixpoint */
  bool fixpoint;                 /* nothing was cut off by the horizon */
  bool complete;          /* the flowpipes were followed to their ends; else bounds are those of a part */
  const char *incomplete; /* why; NULL if they were */
  uint32_t passes, items;
  uint64_t steps;
  const char *blocked; /* a place where no time can pass and no jump leads on; NULL: none was met */
} hys_verify_result;

/* Everything in the result lives in the arena.  HYS_ERR_ARG, HYS_ERR_INPUT (no initial state),
 * HYS_ERR_UNSUPPORTED (a flow that no engine knows), HYS_ERR_MEMORY, what making a location returns. */
HYS_API hys_status hys_verify(const hys_hybrid *automaton, const hys_property *property,
                              uint32_t n_properties, const hys_verify_options *options, hys_arena *arena,
                              hys_verify_result *result);

#ifdef __cplusplus
}
#endif
#endif
