/* Looks for a run that surely enters a set: corners and random points of the start, constant, extreme and
 * switching inputs, early, late and random jumps, then local search from the run that came nearest.  What it
 * returns is a proof (synth/offline/run.h); that it returns nothing proves nothing.  Setup only. */
#ifndef HYSHIELD_SYNTH_OFFLINE_FALSIFY_H
#define HYSHIELD_SYNTH_OFFLINE_FALSIFY_H

#include "synth/offline/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hys_falsify_options {
  double time_horizon; /* s */
  uint32_t max_jumps;  /* of one run */
  uint32_t max_runs;   /* tried */
  uint64_t seed;
  const hys_pipe_options *pipe;    /* NULL: chosen */
  const hys_hybrid_set *initially; /* NULL: the automaton's */
  uint32_t n_initially;
  bool (*stop)(void *context); /* NULL: never; looked at before each run */
  void *stop_context;
} hys_falsify_options;

/* HYS_OK: the search was made; *found says whether run (in the arena) enters one of the sets.  *nearest: the
 * least distance (hys_run_make) of all runs tried. */
HYS_API hys_status hys_falsify(const hys_hybrid *automaton, const hys_hybrid_set *set, uint32_t n_sets,
                               const hys_falsify_options *options, hys_arena *arena, hys_run *run,
                               bool *found, double *nearest);

#ifdef __cplusplus
}
#endif
#endif
