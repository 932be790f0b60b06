/* A point run of a general automaton (core/hybrid.h): one start, one signal for the free variables, one
 * choice at every jump.
 *
 * Numbers are midpoints of the automaton's enclosures; between jumps the flow is integrated with GSL
 * (Prince-Dormand 8(9)); borders of invariants and guards are located by root finding inside the accepted
 * steps, to about 1e-12 of the step.  This is a simulation: it proves nothing.
 *
 * Free variables are held for a while and then drawn again, within what the invariant leaves to them at that
 * state, and moved by as little as possible when the invariant is about to be left.  A jump is taken when the
 * run reaches a guard (early), when time cannot go on (late), or at a moment between that chance chooses.
 * Time ends where neither a jump nor another value of the free variables lets it go on: a timelock, which is
 * reported.
 *
 * SI units, time in seconds.  Setup only. */
#ifndef HYSHIELD_SIMS_TRAJECTORY_H
#define HYSHIELD_SIMS_TRAJECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/hybrid.h"
#include "core/rt/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hys_draw { HYS_DRAW_RANDOM, HYS_DRAW_EXTREME, HYS_DRAW_MIDDLE } hys_draw;
typedef enum hys_haste { HYS_HASTE_RANDOM, HYS_HASTE_EARLY, HYS_HASTE_LATE } hys_haste;

/* Values by a script: from time t on, until the next entry.  NaN: drawn. */
typedef struct hys_script_entry {
  double t;
  const double *value; /* one a variable of the automaton */
  int32_t label;       /* a jump with that label is taken at t, if one is enabled; HYS_NO_LABEL: none */
} hys_script_entry;

typedef struct hys_trajectory_config {
  double time_horizon; /* s, > 0 */
  double sample;       /* s between rows; 0: rows at the integrator's steps */
  double hold;         /* s, that free variables keep a value; default: horizon / 20 */
  double tolerance;    /* local error of a step, absolute and relative; default 1e-10 */
  uint32_t max_jumps;  /* default 10000 */
  hys_draw start, inputs;
  hys_haste haste;
  uint64_t seed;                   /* default 1 */
  const hys_hybrid_set *initially; /* NULL: the automaton's */
  uint32_t n_initially;
  const hys_hybrid_set *forbidden; /* NULL: the automaton's */
  uint32_t n_forbidden;
  bool stop_at_forbidden;         /* default true */
  const hys_script_entry *script; /* sorted by time */
  size_t n_script;
} hys_trajectory_config;
void hys_trajectory_config_default(hys_trajectory_config *config, double time_horizon);

typedef enum hys_trajectory_end {
  HYS_END_HORIZON,
  HYS_END_FORBIDDEN,
  HYS_END_TIMELOCK,
  HYS_END_JUMPS,   /* max_jumps */
  HYS_END_ZENO,    /* more than a thousand jumps without time passing */
  HYS_END_BLOW_UP, /* the integrator cannot go on */
  HYS_END_STOPPED  /* by the caller */
} hys_trajectory_end;
const char *hys_trajectory_end_text(hys_trajectory_end end);

/* A row: the state at t; jump: it was reached by this jump just now (NULL: by time). */
typedef struct hys_trajectory_row {
  double t;
  uint32_t index;
  const hys_hybrid_location *location;
  const double *x;
  const hys_hybrid_jump *jump;
} hys_trajectory_row;

typedef struct hys_trajectory_result {
  hys_trajectory_end end;
  double t; /* s, of the end */
  uint64_t jumps;
  bool forbidden; /* a forbidden set was entered, the first time at */
  double forbidden_at;
  uint32_t forbidden_set;
} hys_trajectory_result;

/* Runs once; row returns false to stop.  HYS_ERR_ARG, HYS_ERR_MEMORY; HYS_ERR_INPUT: no start was found in
 * the initial sets; what a location's preparation says. */
hys_status hys_trajectory_run(const hys_hybrid *automaton, const hys_trajectory_config *config,
                              bool (*row)(void *context, const hys_trajectory_row *row), void *context,
                              hys_trajectory_result *result);

#ifdef __cplusplus
}
#endif
#endif
