/* A concrete run of a hybrid automaton: one state, one signal for the inputs, one choice at every jump.
 *
 * The numbers are the midpoints of the prepared automaton's enclosures.  Between jumps the flow is integrated
 * with GSL (Prince-Dormand 8(9), local error 1e-10); borders of invariants, entries into Bad and the smallest
 * distance to Bad are located by root finding inside the accepted steps.  This is a simulation: it proves
 * nothing.
 *
 * Which run: plant jumps (without a label) are taken as late as possible, when the invariant is about to be
 * left; of several that are enabled the first in file order.  If none is, but an input can be moved inside
 * its bounds so that the invariant is kept, it is moved by as little as possible (a lead car that has come to
 * rest brakes no more).  If that is not possible either, time cannot pass: a timelock, which is reported and
 * ends the run.
 *
 * Inputs are piecewise constant: asked for at the start of a piece, clamped to the location's bounds, and
 * held.
 *
 * SI units, time in seconds.  A plant is used by one thread at a time.  Setup only (nothing here is RT-safe).
 */
#ifndef HYSHIELD_SIMS_PLANT_H
#define HYSHIELD_SIMS_PLANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/allocator.h"
#include "core/rt/automaton.h"
#include "core/rt/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hys_plant hys_plant;

/* Where the inputs come from.  Functions may be NULL: then the middle of the bounds (0 if it lies inside). */
typedef struct hys_plant_inputs {
  /* Writes the nu inputs that hold from time t, at which the state is x.  u comes filled with the default. */
  void (*value)(void *context, double t, const double *x, double *u);
  /* The first instant after t at which they change by themselves; INFINITY = never. */
  double (*next_break)(void *context, double t);
  void *context;
} hys_plant_inputs;

typedef struct hys_plant_config {
  double step_max;  /* s, > 0: longest step of the integrator; default 0.05 */
  double tolerance; /* > 0: absolute and relative local error of a step; default 1e-10 */
  /* A reset to an interval takes a draw from it instead of its middle; default false. */
  bool draw_resets;
  uint64_t seed;    /* of these draws; default 1 */
  bool stop_at_bad; /* advance ends at the instant at which Bad is entered; default true */
  hys_plant_inputs inputs;
} hys_plant_config;
void hys_plant_config_default(hys_plant_config *config);

/* What has been seen since the start.  Pointers live as long as the plant. */
typedef struct hys_plant_view {
  double t;
  uint32_t location;
  const double *x; /* nx */
  const double *u; /* nu, in force now */
  bool bad;        /* Bad was entered, the first time at bad_at */
  double bad_at;
  uint32_t bad_region; /* which one, index in `forbidden` */
  /* Smallest signed Euclidean distance to Bad's half-spaces: over regions the least, inside a region the
   * largest row; negative inside Bad.  NaN if the automaton has no Bad. */
  double margin, margin_at;
  bool timelock;
  double timelock_at;
  uint64_t jumps;   /* of all kinds */
  uint64_t clamped; /* pieces of inputs that had to be moved into the bounds or to keep an invariant */
} hys_plant_view;

/* automaton stays in use; NULL config = defaults.  *plant is NULL on error: HYS_ERR_ARG, HYS_ERR_LIMIT,
 * HYS_ERR_MEMORY. allocator NULL = malloc (GSL's own work space always comes from malloc). */
hys_status hys_plant_create(hys_plant **plant, const hys_automaton *automaton, const hys_plant_config *config,
                            const hys_allocator *allocator);
void hys_plant_destroy(hys_plant *plant); /* NULL is allowed */

/* Begins a run at time t in `location` with the nx numbers x.  HYS_ERR_ARG; HYS_ERR_INPUT: outside the
 * invariant. */
hys_status hys_plant_start(hys_plant *plant, double t, uint32_t location, const double *x);
/* Lets time pass until `until`, or less: to the entry into Bad (stop_at_bad), or to a timelock.  Look at the
 * view. HYS_ERR_ARG (until before now), HYS_ERR_STATE (not started), HYS_ERR_NUMERIC. */
hys_status hys_plant_advance(hys_plant *plant, double until);
/* Takes, now, the first enabled jump with that label, in file order.  states[k] becomes value[k] where the
 * jump's reset allows any value or reads it from an input (n values); *taken is false, and nothing happens,
 * if none is enabled or a value is outside the reset's interval.  HYS_ERR_ARG, HYS_ERR_STATE. */
hys_status hys_plant_fire(hys_plant *plant, int32_t label, size_t n, const uint32_t *states,
                          const double *value, bool *taken);
/* Puts the run into another state now, whatever the jumps say: for what the model does not allow.
 * HYS_ERR_ARG, HYS_ERR_STATE; HYS_ERR_INPUT: outside the invariant. */
hys_status hys_plant_place(hys_plant *plant, uint32_t location, const double *x);
/* True iff hys_plant_fire would take a jump. */
bool hys_plant_enabled(const hys_plant *plant, int32_t label, size_t n, const uint32_t *states,
                       const double *value);
void hys_plant_look(const hys_plant *plant, hys_plant_view *view);
/* The signed distance of a state to Bad, as in hys_plant_view.margin. */
double hys_plant_margin(const hys_automaton *automaton, uint32_t location, const double *x);

#ifdef __cplusplus
}
#endif
#endif
