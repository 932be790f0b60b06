/* An affine hybrid automaton, flattened and prepared: the form in which models hands a plant to synth.
 *
 * Everything here is constant data once it has been prepared (models/prepare.h builds it, and only that
 * allocates); the run-time part only reads it.  All numbers are enclosures: a decimal of the model that is
 * not a double is an interval that holds it.  SI units inside.
 *
 * x in R^nx are the continuous states, u in R^nu the inputs that nobody here controls (bounded per location
 * by the invariant).  A row over both has nx + nu coefficients, states first.
 *
 * RT-safe: types only. */
#ifndef HYSHIELD_CORE_RT_AUTOMATON_H
#define HYSHIELD_CORE_RT_AUTOMATON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rt/expr.h"
#include "core/rt/interval.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Limits of the run-time engine (work areas are sized with them). */
enum {
  HYS_MAX_STATES = 8,        /* continuous states of a model behind a shield */
  HYS_MAX_INPUTS = 8,        /* uncontrolled inputs */
  HYS_FLOW_LEVELS = 15,      /* step sizes 1 s, 1/2 s, ... 2^-14 s, one tick */
  HYS_TICK_LOG2 = 14,        /* time inside a flowpipe counts in ticks of 2^-14 s (61 microseconds) */
  HYS_MAX_CURVED_NODES = 64, /* nodes in the tree of a curved row */
  HYS_MAX_LOCATIONS = 4096,  /* of a model behind a shield */
  HYS_NO_LABEL = -1
};

/* Half-space  a . (x,u) <= c  (strict: <). */
typedef struct hys_halfspace {
  const hys_interval *a; /* nx + nu coefficients */
  hys_interval c;
  bool strict;
  uint32_t line; /* of the model file, for reports; 0 = none */
} hys_halfspace;

/* Conjunction of half-spaces; n = 0 is "true". */
typedef struct hys_conjunction {
  const hys_halfspace *row;
  uint32_t n;
} hys_conjunction;

/* One row of a prepared step: an upper bound of l . x along a step of length h from a box X, l = +e_i or -e_i
 * (reachability note: the endpoint is exact up to rounding for a box and a constant input; with pin >= 0 the
 * row uses the invariant half-space of the location with that index through the whole step, by a multiplier).
 *   value at h        <=  sum_j coef[j] X_j + constant
 *   second derivative >=  sum_j curve[j] X_j + curve_constant   (of the bound as a function of time in [0,h])
 * so on [0,h] the bound is at most max(value at 0, value at h) + h^2/8 max(0, -second derivative). */
typedef struct hys_step_row {
  const hys_interval *coef;  /* nx */
  const hys_interval *curve; /* nx */
  hys_interval constant;
  hys_interval curve_constant;
  uint16_t variable; /* i */
  bool upper;        /* l = +e_i, else -e_i */
  int16_t pin;       /* index into the location's invariant, -1 = none */
} hys_step_row;

/* All rows for one step size.  The first 2 nx rows are the plain ones (pin = -1) in the order
 * +e_0, -e_0, +e_1, -e_1, ...; the rest are the alternatives with a pin, in any order. */
typedef struct hys_step_table {
  double h; /* seconds, a power of two */
  uint32_t ticks;
  const hys_step_row *row;
  uint32_t n_rows;
  /* For flows that are not order-monotone the engine propagates from the start of a segment: */
  const hys_interval *phi;         /* nx * nx, row-major: exp(A h) */
  const hys_interval *input;       /* nx: hull of the contribution of inputs and constants over the step */
  const hys_interval *curve_state; /* nx * nx: enclosure of A^2 exp(A t), t in [0,h] */
  const hys_interval *curve_input; /* nx * nx: enclosure of A exp(A t), t in [0,h] */
} hys_step_table;

typedef struct hys_flow {
  const hys_interval *a; /* nx * nx */
  const hys_interval *b; /* nx * nu */
  const hys_interval *c; /* nx */
  const hys_interval *w; /* nx: box of B u + c over the location's inputs */
  bool monotone; /* a sign change makes A Metzler: corners of boxes are exact, a box may be restarted */
  bool still;    /* no time passes here (urgent location) */
  hys_step_table level[HYS_FLOW_LEVELS];
} hys_flow;

/* x_i' after a jump. */
typedef struct hys_reset_row {
  bool identity;            /* keeps its value; the rest is unused */
  const hys_interval *coef; /* nx + nu, of the values before the jump; NULL = all zero */
  hys_interval offset; /* x_i' in coef . (x,u) + offset; an interval where the reset is nondeterministic */
} hys_reset_row;

/* tree <= 0 (strict ones are taken as closed).  Variables: states first, then inputs; at most
 * HYS_MAX_CURVED_NODES nodes. */
typedef struct hys_curved_row {
  hys_expr tree;
  uint32_t line; /* of the model file */
} hys_curved_row;

typedef struct hys_jump {
  uint32_t source, target; /* locations */
  int32_t label;           /* index, or HYS_NO_LABEL */
  hys_conjunction guard;
  const hys_curved_row *curved; /* conjuncts of the guard that are not affine; of no command's jump */
  uint32_t n_curved;
  const hys_reset_row *reset; /* nx rows */
  uint32_t line;
} hys_jump;

typedef struct hys_location {
  const char *name;          /* "ego=brake;lead=driving" */
  const uint32_t *part;      /* n_instances: index of the location inside each instance */
  hys_conjunction invariant; /* over x only; inputs' bounds are in u */
  const hys_interval *u;     /* nu: bounds of the inputs here */
  hys_flow flow;
  const uint32_t *jump; /* indices of the jumps that leave this location, in file order */
  uint32_t n_jumps;
} hys_location;

/* A set of states: in one location (or in all: location = HYS_ANY_LOCATION), a conjunction. A list of them is
 * a union.  Used for Init, Bad and T. */
#define HYS_ANY_LOCATION UINT32_MAX
typedef struct hys_region {
  uint32_t location;
  hys_conjunction set;
} hys_region;

typedef struct hys_instance {
  const char *name;            /* path, "" for a single base component */
  const char *const *location; /* names of its locations */
  uint32_t n_locations;
} hys_instance;

typedef struct hys_automaton {
  const char *name;
  size_t nx, nu;
  const char *const *state_name; /* nx, flattened */
  const char *const *input_name; /* nu */
  const char *const *label_name;
  uint32_t n_labels;
  const hys_instance *instance;
  uint32_t n_instances;
  const hys_location *location; /* those reachable from Init by the graph of jumps */
  uint32_t n_locations;
  const hys_jump *jump;
  uint32_t n_jumps;
  const hys_region *initially; /* union */
  uint32_t n_initially;
  const hys_region *forbidden; /* union: Bad */
  uint32_t n_forbidden;
  double time_horizon; /* of the configuration; 0 = none */
} hys_automaton;

#ifdef __cplusplus
}
#endif
#endif
