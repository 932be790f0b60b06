/* Automata built call by call from plain numbers, for tests that need many small ones (hand_made.h has three
 * fixed ones). Memory comes from an arena that lives as long as the object.
 *
 *   built m;
 *   built_start(&m, 1, 0);                                        // nx, nu
 *   uint32_t run = built_location(&m, "run", (double[]){0}, NULL, (double[]){1}); // x' = 1
 *   built_invariant(&m, run, (double[]){1}, 1.0);                 // x <= 1
 *   built_finish(&m);                                             // prepares the flows
 *   ... m.automaton, m.spec ...
 *   built_end(&m);
 *
 * A row has nx + nu coefficients and stands for row . (x,u) <= c. Calls that run out of room or memory make
 * built_finish return false. */
#ifndef HYSHIELD_TESTS_SUPPORT_BUILT_H
#define HYSHIELD_TESTS_SUPPORT_BUILT_H

#include "core/allocator.h"
#include "core/rt/spec.h"

enum { BUILT_LOCATIONS = 8, BUILT_JUMPS = 24, BUILT_ROWS = 8, BUILT_REGIONS = 8, BUILT_LABELS = 8 };

typedef struct built {
  hys_arena *arena;
  bool failed;
  hys_automaton automaton;
  hys_spec spec; /* of the automaton; timing all zero, horizon 10 s, any number of locations at a time */
  hys_location location[BUILT_LOCATIONS];
  hys_halfspace invariant[BUILT_LOCATIONS][BUILT_ROWS];
  hys_interval u[BUILT_LOCATIONS][HYS_MAX_INPUTS];
  uint32_t part[BUILT_LOCATIONS];
  uint32_t leaving[BUILT_LOCATIONS][BUILT_JUMPS];
  hys_jump jump[BUILT_JUMPS];
  hys_halfspace guard[BUILT_JUMPS][BUILT_ROWS];
  hys_reset_row reset[BUILT_JUMPS][HYS_MAX_STATES];
  hys_region initially[BUILT_REGIONS], forbidden[BUILT_REGIONS], terminal[BUILT_REGIONS];
  hys_halfspace initially_row[BUILT_REGIONS][BUILT_ROWS], forbidden_row[BUILT_REGIONS][BUILT_ROWS],
      terminal_row[BUILT_REGIONS][BUILT_ROWS];
  hys_instance instance[1];
  const char *name[BUILT_LOCATIONS], *label[BUILT_LABELS], *state[HYS_MAX_STATES], *input[HYS_MAX_INPUTS];
  hys_observed observed[HYS_MAX_STATES];
  hys_mode_from mode[1];
  hys_command command[BUILT_LABELS];
  hys_event event[BUILT_LABELS];
} built;

/* No locations yet; every state is observed without error and never stale. */
void built_start(built *m, size_t nx, size_t nu);
void built_end(built *m);

/* x' = A x + B u + c (a nx * nx, b nx * nu, c nx; NULL = zero), inputs in [0, 0] until built_input. */
uint32_t built_location(built *m, const char *name, const double *a, const double *b, const double *c);
void built_input(built *m, uint32_t location, size_t i, double lo, double hi);
void built_invariant(built *m, uint32_t location, const double *row, double c);
void built_urgent(built *m, uint32_t location);

/* label HYS_NO_LABEL: of the plant. No guard, and every state keeps its value, until said. */
uint32_t built_jump(built *m, uint32_t source, uint32_t target, int32_t label);
void built_guard(built *m, uint32_t jump, const double *row, double c);
/* x_i' in row . (x,u) + [lo, hi]; row NULL = zero. */
void built_reset(built *m, uint32_t jump, size_t i, const double *row, double lo, double hi);

/* One row of a region: `region` is an index from 0 on, rows of one index are a conjunction. */
void built_forbidden(built *m, uint32_t region, uint32_t location, const double *row, double c, bool strict);
void built_terminal(built *m, uint32_t region, uint32_t location, const double *row, double c);
void built_initially(built *m, uint32_t region, uint32_t location, const double *row, double c);

/* A command or an event: label number `label` of the automaton. The command passes or is suppressed, cannot
 * be inserted, has no value and is ignored where it is not enabled: the caller changes m->command[i]. */
uint32_t built_command(built *m, const char *name);
uint32_t built_event(built *m, const char *name, int64_t latency);

/* Prepares the flows. false: something did not fit. */
bool built_finish(built *m);

#endif
