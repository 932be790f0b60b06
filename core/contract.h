/* Conditions of a general automaton on boxes: values, and boxes narrowed to where the conditions may hold.
 *
 * Narrowing keeps every point of the box that satisfies all conditions (hull consistency: Benhamou, Goualard,
 * Granvilliers, Puget 1999); strict conditions are taken as closed.  A box is one interval a variable.
 * RT-safe: all of it, in the caller's scratch. */
#ifndef HYSHIELD_CORE_CONTRACT_H
#define HYSHIELD_CORE_CONTRACT_H

#include "core/hybrid.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Enclosure of a row over a box. */
HYS_API hys_interval hys_affine_value(const hys_affine *row, const hys_interval *x);

/* Intervals of scratch that the functions below need for these conditions. */
HYS_API size_t hys_conditions_scratch(const hys_conditions *c);
/* Enclosure of a condition's value over a box. */
HYS_API hys_interval hys_condition_value(const hys_condition *c, const hys_interval *x,
                                         hys_interval *scratch);
/* The condition holds at every point of the box. */
HYS_API bool hys_condition_holds_surely(const hys_condition *c, const hys_interval *x, hys_interval *scratch);
HYS_API bool hys_conditions_hold_surely(const hys_conditions *c, const hys_interval *x,
                                        hys_interval *scratch);
/* Narrows x; false: no point of it satisfies all conditions (x is then unspecified).  At most `rounds` passes
 * over the conditions, fewer when nothing changes any more. */
HYS_API bool hys_conditions_contract(const hys_conditions *c, hys_interval *x, unsigned rounds,
                                     hys_interval *scratch);

#ifdef __cplusplus
}
#endif
#endif
