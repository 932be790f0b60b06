/* Guards whose conjuncts join states and inputs, affine and curved: what a jump that reads its inputs can be.
 *
 * hys_jump_image looks at the states alone and takes every input of the source: a superset, which is enough
 * where a jump does not assign inputs.  These keep the relation between both as far as boxes can.
 * RT-safe: all of it; work linear in the nodes of the rows, times HYS_CONTRACT_STEPS a bound. */
#ifndef HYSHIELD_CORE_RT_GUARD_H
#define HYSHIELD_CORE_RT_GUARD_H

#include "core/rt/automaton.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A bound is found to this many halvings of its box. */
enum { HYS_CONTRACT_STEPS = 16 };

/* Enclosure of the row's left side over the box (x,u). */
HYS_API hys_interval hys_curved_value(const hys_automaton *automaton, const hys_curved_row *row,
                                      const hys_interval *x, const hys_interval *u);

/* Every (state, input) of the box satisfies the jump's curved rows. */
HYS_API bool hys_curved_hold_surely(const hys_automaton *automaton, const hys_jump *jump,
                                    const hys_interval *x, const hys_interval *u);

/* Shrinks the box (x,u) to one that still holds every (state, input) of it at which the jump's guard holds,
 * affine and curved rows; invariants are not looked at.  false: there is none; x is empty then. */
HYS_API bool hys_guard_contract(const hys_automaton *automaton, const hys_jump *jump, hys_interval *x,
                                hys_interval *u);

/* What the jump makes of the box (x,u), all of which is taken as enabled; invariants are not looked at.
 * image may not overlap x. */
HYS_API void hys_jump_image_of(const hys_automaton *automaton, const hys_jump *jump, const hys_interval *x,
                               const hys_interval *u, hys_interval *image);

/* The jump is told apart from others by what it assigns: shrinks the box (x,u) to what may give a value in
 * image[i], for every state i of the mask (bit i).  false: nothing may. */
HYS_API bool hys_jump_image_contract(const hys_automaton *automaton, const hys_jump *jump,
                                     const hys_interval *image, uint32_t mask, hys_interval *x,
                                     hys_interval *u);

/* The jump assigns something that depends on an input: its image is known by its guard alone. */
HYS_API bool hys_jump_reads_inputs(const hys_automaton *automaton, const hys_jump *jump);

#ifdef __cplusplus
}
#endif
#endif
