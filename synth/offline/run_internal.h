/* What the parts of a confirmed run share.  Private to synth/offline.  Setup only.
 *
 * A box here always contains the state of the run; "border" is a condition whose value is exactly zero at it.
 */
#ifndef HYSHIELD_SYNTH_OFFLINE_RUN_INTERNAL_H
#define HYSHIELD_SYNTH_OFFLINE_RUN_INTERNAL_H

#include "synth/offline/run.h"

enum { HYSI_RUN_FLOWS = 64 };

typedef struct hysi_run_flow {
  uint32_t location;
  double *input; /* n: values of the free variables */
  hys_pipe_flow *flow;
  hys_pipe *pipe;
} hysi_run_flow;

struct hys_runner {
  const hys_hybrid *automaton;
  const hys_hybrid_set *initially;
  uint32_t n_initially;
  double horizon;
  uint32_t max_jumps;
  hys_pipe_options options;
  bool (*stop)(void *context); /* NULL: never */
  void *stop_context;
  hys_zonotope start;
  hysi_run_flow flow[HYSI_RUN_FLOWS];
  uint32_t next_flow;
  hys_interval *x, *y, *begin, *tube, *hull; /* n each, x owns them all */
  hys_term *term;                            /* n */
  bool *given;                               /* n */
  bool *solved, *held, *next_held;           /* conditions: solved owns them all */
  size_t conditions;
  hys_interval *scratch; /* for trees and conditions */
  size_t scratch_size;
};

/* A stay in a location. */
typedef struct hysi_leg {
  hys_runner *runner;
  uint32_t index;
  const hys_hybrid_location *location;
  hys_pipe *pipe;
  double now;  /* s, from above */
  double late; /* s: jumps at borders may have come this much later than `now` counts */
} hysi_leg;

/* ---- run_sets.c: boxes and conditions ---- */

/* In [0,1); moves the seed on. */
double hysi_run_chance(uint64_t *seed);
/* A double of the interval, at a fraction of it; of an unbounded one within 1000 of its finite end, or of 0.
 */
double hysi_run_drawn(hys_interval x, double fraction);
hys_status hysi_run_scratch(hys_runner *r, size_t n);
hys_status hysi_run_conditions(hys_runner *r, size_t n);
/* The location, with scratch for all that is in it. */
hys_status hysi_run_location(hys_runner *r, uint32_t index, const hys_hybrid_location **out);
hys_interval hysi_run_value(const hys_runner *r, bool affine, const hys_affine *row, const hys_expr *value,
                            const hys_interval *x);
/* The defined variables from the others. */
void hysi_run_define(const hys_runner *r, const hys_hybrid_location *l, hys_interval *x);
/* The term's variable that makes the row zero, the others being in x. */
hys_interval hysi_run_solve(const hys_affine *row, uint32_t pivot, const hys_interval *x);
/* A box around one state of a set inside the invariant (runner->x); false: the plan gives none. */
bool hysi_run_start(hys_runner *r, const hys_hybrid_location *l, const hys_hybrid_set *set,
                    const hys_run_plan *plan);

/* ---- run_leg.c: conditions along a step of the pipe ---- */

double hysi_leg_most(const hysi_leg *a, hys_pipe_set which, const hys_condition *c);
double hysi_leg_least(const hysi_leg *a, hys_pipe_set which, const hys_condition *c);
/* Values between lo and hi satisfy the condition. */
bool hysi_run_within(const hys_condition *c, double lo, double hi);
/* The first condition of the invariant that may fail within the step that was tried, leaving out `border` and
 * what is the same (NULL: none); their number: none fails. */
uint32_t hysi_leg_failing(const hysi_leg *a, const hys_condition *border);
/* The value of the border surely changes its sign within the step that was tried; before: the box at its
 * begin. */
bool hysi_leg_crosses(const hysi_leg *a, const hys_condition *border, const hys_interval *before);
/* From a step of h that reaches the border: as near as is sure not to reach it, and then a step no longer
 * than about `unit` is tried that surely reaches it.  true: its tube, put into runner->x, holds the state at
 * the first instant on the border, and the invariant holds until then. */
bool hysi_leg_approach(hysi_leg *a, const hys_condition *border, double h, double unit);
/* How far the state is from the nearest set: the largest value of a condition; 0 and *enters where it surely
 * is in one. */
double hysi_leg_distance(const hysi_leg *a, const hys_hybrid_set *set, uint32_t n_sets,
                         const hys_hybrid_set **enters);
/* Some state of the step that was tried may be in a set. */
bool hysi_leg_may_enter(const hysi_leg *a, const hys_hybrid_set *set, uint32_t n_sets);

/* ---- run_jump.c ---- */

/* Two conditions have the same border. */
bool hysi_run_same_border(const hys_condition *a, const hys_condition *b);
/* The guard surely holds on the box; border (or NULL): the state is on it. */
bool hysi_run_enabled(const hys_runner *r, const hys_hybrid_jump *jump, const hys_interval *x,
                      const hys_condition *border);
/* The guard may hold somewhere in the step that was tried. */
bool hysi_leg_may_enable(const hysi_leg *a, const hys_hybrid_jump *jump);
/* Image of runner->x into runner->y, and what is known of the target's invariant there into runner->next_held
 * (conditions on free variables are left to the choice of their values).  false: not shown to be inside. */
bool hysi_run_take(hys_runner *r, const hys_hybrid_jump *jump, const hys_condition *border, uint64_t *seed,
                   const hys_hybrid_location *target);
bool hysi_run_has_free(const hys_hybrid_location *l, const hys_condition *c);

#endif
