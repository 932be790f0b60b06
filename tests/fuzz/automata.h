/* What must hold of the automata that are made of any model. */
#ifndef HYSHIELD_TESTS_FUZZ_AUTOMATA_H
#define HYSHIELD_TESTS_FUZZ_AUTOMATA_H

#include "models/hybrid_model.h"
#include "models/model.h"

/* Makes the general automaton, looks at its first locations, makes the affine one if it is small, and holds
 * one against the other: the same locations have the same flows. */
void automata_hold(const hys_model *model, hys_arena *arena);

#endif
