/* A hybrid automaton of any size and any kind of flow, as trees, whose locations are made when they are asked
 * for: the form in which models hands a model to verification and simulation.  (What runs behind a shield is
 * the small prepared automaton of core/rt/automaton.h.)
 *
 * Variables are all flattened names that are not bound to a number, in the model's order: states, inputs, and
 * constants whose value is not one number (they are states at rest).  A constant that `initially` fixes is
 * folded away and is no variable.  SI units inside; decimals are enclosures.
 *
 * In one location a variable moves in one of three ways (hys_motion).  A jump keeps, assigns or frees it.
 * Setup only: types, and calls that allocate through the automaton's context. */
#ifndef HYSHIELD_CORE_HYBRID_H
#define HYSHIELD_CORE_HYBRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rt/automaton.h"
#include "core/rt/expr.h"
#include "core/rt/interval.h"
#include "core/rt/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* sum coef_i x_variable_i + constant; variables strictly increasing. */
typedef struct hys_term {
  uint32_t variable;
  hys_interval coef;
} hys_term;
typedef struct hys_affine {
  const hys_term *term;
  uint32_t n;
  hys_interval constant;
} hys_affine;

typedef enum hys_relation { HYS_RELATION_LE, HYS_RELATION_LT, HYS_RELATION_EQ } hys_relation;

/* value <= 0, < 0 or == 0. */
typedef struct hys_condition {
  hys_relation relation;
  bool affine;
  hys_affine row; /* affine: the value; else unused */
  hys_expr value; /* always there: a number over the variables */
  uint32_t line;  /* of the model file, for reports; 0 = none */
} hys_condition;

/* A conjunction; n = 0 is "true". */
typedef struct hys_conditions {
  const hys_condition *condition;
  uint32_t n;
} hys_conditions;

typedef enum hys_motion {
  HYS_MOTION_FREE,   /* no flow here: any value at any time, inside the invariant */
  HYS_MOTION_FLOW,   /* x' in value + slack */
  HYS_MOTION_DEFINED /* an equation of the invariant fixes it: x == value, over variables that are not defined
                      */
} hys_motion;

/* How one variable moves in a location.  Defined variables are already substituted in every other tree and
 * row of the location (flows, invariant, guards and resets of its jumps). */
typedef struct hys_rate {
  hys_motion motion;
  bool affine;
  hys_affine row;     /* of an affine value */
  hys_expr value;     /* not of a free variable */
  hys_interval slack; /* of a flow; [0,0] where there is none; finite */
  uint32_t line;
} hys_rate;

typedef enum hys_reset_kind {
  HYS_RESET_KEEP,
  HYS_RESET_ASSIGN, /* x' in value + slack, of the values before the jump */
  HYS_RESET_ANY     /* any value that the target's invariant allows */
} hys_reset_kind;

typedef struct hys_reset {
  hys_reset_kind kind;
  bool affine;
  hys_affine row;
  hys_expr value;
  hys_interval slack; /* ends may be infinite */
} hys_reset;

typedef struct hys_hybrid_jump {
  uint32_t target;        /* index of a location, which may not have been made yet */
  int32_t label;          /* index, or HYS_NO_LABEL */
  bool must;              /* taken as soon as it is enabled (asap); otherwise it may be taken while it is */
  hys_conditions guard;   /* a guard with a disjunction is several jumps */
  const hys_reset *reset; /* one a variable */
  uint32_t line;
} hys_hybrid_jump;

typedef struct hys_hybrid_location {
  const char *name;     /* "inst=name;..", of a single component its location's name */
  const uint32_t *part; /* n_instances: index of the location inside each instance */
  bool urgent;          /* no time passes here */
  bool loose; /* a part of the invariant that is no conjunction was left out: there are more runs than in
                 the model, none fewer */
  hys_conditions invariant;
  const hys_rate *rate; /* one a variable */
  const hys_hybrid_jump *jump;
  uint32_t n_jumps;
} hys_hybrid_location;

/* In this location of this instance, or (is = false) in any other. */
typedef struct hys_hybrid_where {
  uint32_t instance, location;
  bool is;
} hys_hybrid_where;

/* A set of states: where all of the conditions on locations and all of those on variables hold. */
typedef struct hys_hybrid_set {
  const hys_hybrid_where *where;
  uint32_t n_where; /* 0: in every location */
  hys_conditions set;
} hys_hybrid_set;

typedef struct hys_hybrid {
  const char *name;
  size_t n; /* variables */
  const char *const *variable;
  const bool *input; /* no flow in any location, and not a constant */
  const hys_instance *instance;
  uint32_t n_instances;
  const char *const *label;
  uint32_t n_labels;
  const hys_hybrid_set *initially; /* union; each is to be cut with the invariant of its location */
  uint32_t n_initially;
  const hys_hybrid_set *forbidden; /* union */
  uint32_t n_forbidden;
  double time_horizon; /* of the configuration; 0 = none */

  void *context;
  /* A location, made at the first call for it; it lives as long as the automaton.  May be called from several
   * threads at a time.  HYS_ERR_UNSUPPORTED, HYS_ERR_INPUT (the diagnostics say why and where),
   * HYS_ERR_MEMORY. */
  hys_status (*location)(void *context, uint32_t index, const hys_hybrid_location **out);
  /* The k-th location, k = 0, 1, .., in which a set lies (of `initially`, or of one that replaces it).
   * HYS_ERR_LIMIT: there is no k-th. */
  hys_status (*initial)(void *context, const hys_hybrid_set *set, uint32_t k, uint32_t *location);
} hys_hybrid;

/* Whether a set reaches into a location with these parts. RT-safe. */
static inline bool hys_hybrid_set_in(const hys_hybrid_set *set, const uint32_t *part) {
  for (uint32_t i = 0; i < set->n_where; i++)
    if ((part[set->where[i].instance] == set->where[i].location) != set->where[i].is)
      return false;
  return true;
}

#ifdef __cplusplus
}
#endif
#endif
