/* Shared by the parts of the reachability engine. */
#ifndef HYSHIELD_CORE_RT_REACH_INTERNAL_H
#define HYSHIELD_CORE_RT_REACH_INTERNAL_H

#include "core/rt/automaton.h"

/* Some input keeps every state of the border inside the half-space: n.(A x + c) + min over u of n.B u <= 0.
 * Inputs that are needed for it are marked in *used (bit j: input j); one that another border needs too does
 * not count. */
bool hysi_held_inside(const hys_automaton *automaton, uint32_t location, const hys_halfspace *row,
                      const hys_interval *border, uint64_t *used);

#endif
