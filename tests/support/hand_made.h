/* Small automata made by hand, for tests that must not depend on a reader. Each call fills static storage:
 * one of each kind at a time, not for threads. */
#ifndef HYSHIELD_TESTS_SUPPORT_HAND_MADE_H
#define HYSHIELD_TESTS_SUPPORT_HAND_MADE_H

#include "core/rt/spec.h"

/* Bouncing ball: states x (height), v; x' = v, v' = -g; invariant x >= 0; at x <= 0 & v <= 0: v := -c v.
 * Bad: x > bad_above. */
const hys_automaton *hand_made_ball(double g, double c, double bad_above);

/* Harmonic oscillator x' = w y, y' = -w x without jumps, in the invariant x <= limit; Bad: x > bad_above. */
const hys_automaton *hand_made_oscillator(double w, double limit, double bad_above);

/* The double-integrator ACC: states d, v, a, w; input a_lead in [-6, 3.5]; labels accelerate (+2), cruise,
 * coast (-0.5), brake (-6), set_accel; Bad: d < 2. */
enum {
  HAND_ACCELERATE,
  HAND_CRUISE,
  HAND_COAST,
  HAND_BRAKE,
  HAND_DRIVE, /* label set_accel */
  HAND_STOPPED,
  HAND_LOCATIONS
};
enum { HAND_D, HAND_V, HAND_A, HAND_W, HAND_NX };
const hys_automaton *hand_made_acc(void);
/* Its specification, all flows prepared (those of the others are not): period 100 ms, deadline 5 ms,
 * actuation 10 to 40 ms, errors 0.25, 0.1, 0.1. */
const hys_spec *hand_made_acc_spec(void);

#endif
