/* Half-spaces, conjunctions and regions against boxes.
 *
 * A row is over states and inputs; `u` is the box of the inputs (nu intervals) where the row is evaluated.
 * Predicates end in _surely or _maybe; an empty box is surely nothing.
 * RT-safe: all of it. */
#ifndef HYSHIELD_CORE_RT_CONSTRAINT_H
#define HYSHIELD_CORE_RT_CONSTRAINT_H

#include "core/rt/automaton.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Enclosure of a . (x,u). */
HYS_API hys_interval hys_halfspace_value(const hys_automaton *automaton, const hys_halfspace *row,
                                         const hys_interval *x, const hys_interval *u);
/* Signed distance by which the box stays out of the half-space, in the row's unit: inf(a.(x,u)) - c, rounded
 * down. The box surely misses it if the distance is positive, or zero and the row is strict. */
HYS_API double hys_halfspace_clearance(const hys_automaton *automaton, const hys_halfspace *row,
                                       const hys_interval *x, const hys_interval *u);

/* Every point of the box, with every input, satisfies all rows. */
HYS_API bool hys_conjunction_holds_surely(const hys_automaton *automaton, const hys_conjunction *set,
                                          const hys_interval *x, const hys_interval *u);
/* Shrinks x to a box that still holds every point of x that satisfies all rows (for some input); false: there
 * is none, x is empty then.  Strict rows are taken as closed. */
HYS_API bool hys_conjunction_cut(const hys_automaton *automaton, const hys_conjunction *set, hys_interval *x,
                                 const hys_interval *u);
/* As hys_conjunction_cut, with the closed opposite a . (x,u) >= c of one row: its border, within the
 * half-space. */
HYS_API bool hys_halfspace_cut_opposite(const hys_automaton *automaton, const hys_halfspace *row,
                                        hys_interval *x, const hys_interval *u);
/* How far the box stays out of the conjunction: the largest clearance of a row, and that row.  out of reach
 * surely iff the result is true. */
HYS_API bool hys_conjunction_missed_surely(const hys_automaton *automaton, const hys_conjunction *set,
                                           const hys_interval *x, const hys_interval *u, double *clearance,
                                           const hys_halfspace **row);
/* The box, in `location`, misses every region of Bad; else *row is the nearest constraint of one that it may
 * meet. */
HYS_API bool hys_forbidden_missed_surely(const hys_automaton *automaton, uint32_t location,
                                         const hys_interval *x, const hys_halfspace **row);
/* The box, in `location`, lies inside one of the regions. */
HYS_API bool hys_regions_hold_surely(const hys_automaton *automaton, const hys_region *region, uint32_t n,
                                     uint32_t location, const hys_interval *x);

#ifdef __cplusplus
}
#endif
#endif
