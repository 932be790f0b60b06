/* Reachable sets of a prepared automaton over a bounded time, with commands that take effect inside windows.
 *
 * All sets advance on one common grid of time; a set is (location, stage, box), the stage being the number of
 * effects that have been taken, in their order.  Within a step everything that may happen is followed: plant
 * jumps, events at any instant their guard allows and any number of them, an effect at any instant of its
 * window.  Sets that arrive in the same location and stage are hulled.  Where the tube may touch Bad, or may
 * be blocked, the step is halved and tried again; what the finest step cannot decide is not certified.
 *
 * Enclosure: every run of the automaton from the initial sets, under the effects and any input, lies in the
 * tubes that were checked.  Sources: reachability by support functions with constant input bounds (Le
 * Guernic, Girard); the chord bound of a step and the multiplier rows are derived at models/prepare_flow.c;
 * the effect of a jump at an unknown instant of a step by the mean value of the variables that the jump
 * keeps.
 *
 * RT-safe: no heap, bounded work (budget), the caller's work area. */
#ifndef HYSHIELD_CORE_RT_REACH_H
#define HYSHIELD_CORE_RT_REACH_H

#include "core/rt/automaton.h"
#include "core/rt/reason.h"
#include "core/rt/status.h"
#include "core/rt/step.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  HYS_MAX_SETS = 32,     /* at one instant */
  HYS_MAX_ARRIVALS = 64, /* jumps followed inside one step, chains included */
  HYS_MAX_EFFECTS = 20   /* commands in flight and of the schedule */
};

/* A command that takes effect once, somewhere in [from, to] (ticks from the start of the problem).  The jump
 * with `label` that is enabled is taken; where none surely is, the command may also be ignored, or, if
 * illegal, nothing is certified.  value_state >= 0: the state that the label assigns gets a value in `value`.
 */
typedef struct hys_effect {
  int32_t label;
  int32_t value_state;
  hys_interval value;
  bool illegal;
  int64_t from, to;
} hys_effect;

typedef struct hys_set {
  uint32_t location;
  uint32_t stage;
  hys_interval x[HYS_MAX_STATES];
} hys_set;

typedef struct hys_reach_problem {
  const hys_automaton *automaton;
  uint64_t command_labels; /* bit i: label i is a command; the other labels are events, which may occur at any
                              time */
  const hys_effect *effect; /* in the order of sending, `to` not decreasing */
  uint32_t n_effects;
  int64_t horizon;        /* ticks */
  uint32_t budget;        /* steps of single sets */
  uint32_t max_locations; /* at one instant; 0 = no limit but HYS_MAX_SETS */
  bool certify;           /* check Bad, blocking and the terminal set; else only propagate to the horizon */
  const hys_region *terminal;
  uint32_t n_terminal;
} hys_reach_problem;

typedef struct hys_reach_result {
  hys_verdict
      verdict; /* certify: HOLDS = inside Safe, nowhere blocked, in the terminal set with no effect left.
                  Otherwise HOLDS = the horizon was reached.  Never VIOLATED: an enclosure refutes nothing. */
  hys_reason reason;               /* why not */
  const hys_halfspace *constraint; /* of Bad: nearest or touched */
  double margin;                   /* smallest clearance from Bad over the tubes; +inf if Bad is nowhere */
  int64_t reached;                 /* ticks; if not certified: the end of the step that failed */
  uint32_t work;
  hys_set set[HYS_MAX_SETS]; /* propagate: at the horizon */
  uint32_t n_sets;
  hys_interval slope[HYS_MAX_STATES]; /* hull of x_i' over all tubes */
  uint64_t moved;            /* bit k: a jump that may have been taken changes the location of instance k */
  uint64_t taken;            /* bit i: a jump with label i may have been taken */
  bool kept[HYS_MAX_STATES]; /* no jump that may have been taken changes x_i */
} hys_reach_result;

/* Work area: hys_reach_work_size bytes, aligned as by malloc; used by one call at a time. */
typedef struct hys_reach_work hys_reach_work;
HYS_API size_t hys_reach_work_size(void);

/* HYS_ERR_ARG: no sets, too many, an effect beyond the horizon; result->verdict is UNKNOWN then. */
HYS_API hys_status hys_reach(const hys_reach_problem *problem, const hys_set *start, uint32_t n_start,
                             hys_reach_work *work, hys_reach_result *result);

/* Time can go on, or a plant jump is surely possible, wherever the box `tube` meets the border of the
 * location's invariant (the box need not lie inside it). */
HYS_API bool hys_never_blocked_surely(const hys_automaton *automaton, uint32_t location,
                                      const hys_interval *tube);

/* Image of the box x (inside jump's guard, for some input of the source) under the jump, inside the target's
 * invariant; value as in hys_effect (NULL = any).  false: empty.  Curved rows of the guard are not looked at,
 * and an input that is assigned is any input of the source: core/rt/guard.h knows more. */
HYS_API bool hys_jump_image(const hys_automaton *automaton, const hys_jump *jump, const hys_effect *value,
                            const hys_interval *x, hys_interval *image);
/* The jump is surely enabled everywhere in x and surely leads into the target's invariant. */
HYS_API bool hys_jump_enabled_surely(const hys_automaton *automaton, const hys_jump *jump,
                                     const hys_effect *value, const hys_interval *x);

#ifdef __cplusplus
}
#endif
#endif
