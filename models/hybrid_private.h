/* The general automaton of a model while it is being made.  Private to models.  Setup only.
 *
 * Three layers, each made when it is first needed and kept: what one location of one instance says, what one
 * transition of one instance does (hybrid_parts.c); transitions taken together, and locations of the product,
 * which only point to those, unless an equation of the invariant defines a variable that they speak of.
 *
 * A function that returns a status returns what ends the work; what is wrong with the model is reported once,
 * and remembered in the status of the part that has it. */
#ifndef HYSHIELD_MODELS_HYBRID_PRIVATE_H
#define HYSHIELD_MODELS_HYBRID_PRIVATE_H

#include <pthread.h>

#include "models/flatten.h"
#include "models/hybrid_model.h"

/* Nodes of one tree after what the invariant defines has been put in. */
enum { HYSI_MAX_TREE = 1000000 };

typedef struct hysi_condition_list {
  hys_condition *item;
  uint32_t n, capacity;
} hysi_condition_list;

/* Bounds of a derivative, or of a value after a jump, as they are written. */
typedef struct hysi_bounds {
  bool below, above, equal;
  hys_expr lower, upper; /* over the automaton's variables */
  uint32_t line, node;
} hysi_bounds;

/* The bounds as value + slack. */
typedef struct hysi_inclusion {
  bool affine;
  hys_affine row;
  hys_expr value;
  hys_interval slack;
} hysi_inclusion;

typedef struct hysi_bound {
  uint32_t variable;
  hysi_bounds bounds;
  hysi_inclusion inclusion; /* without nodes: their distance is no number before something is defined */
  bool told;                /* that it is none */
} hysi_bound;

/* What a location of an instance contributes. */
typedef struct hysi_stay {
  bool made, loose;
  hys_status status;
  hysi_condition_list invariant; /* with the equations without a derivative of the flow */
  hysi_bound *flow;              /* of those that have both bounds */
  uint32_t n_flows;
} hysi_stay;

/* What a transition of an instance contributes. */
typedef struct hysi_move {
  bool made;
  hys_status status;
  hys_conditions *guard; /* a disjunction's parts; n_guards = 0: never enabled */
  uint32_t n_guards;
  hysi_bound *reset;
  uint32_t n_resets;
} hysi_move;

/* A transition of an instance. */
typedef struct hysi_choice {
  uint32_t base, transition;
} hysi_choice;

/* Transitions taken together. */
typedef struct hysi_joint {
  const hysi_choice *choice;
  uint32_t n;
  int32_t label;
  bool must;
  uint32_t line;
  hys_status status;
  const hys_conditions *guard;
  uint32_t n_guards;
  bool tied;              /* the resets need definitions */
  const hys_reset *reset; /* one a variable */
} hysi_joint;

/* Transitions of a component, by the location they leave. */
typedef struct hysi_exits {
  uint32_t *first; /* n_locations + 1, into transition */
  uint32_t *transition;
} hysi_exits;

typedef struct hysi_product_location {
  const uint32_t *part;
  const hys_hybrid_location *made; /* NULL: not yet, or not possible */
  hys_status status;               /* why not; HYS_OK: not tried */
} hysi_product_location;

typedef struct hysi_hybrid {
  hys_hybrid face;
  hys_arena *arena;
  hysi_flat flat; /* constants, and where a variable stands in the automaton (slot; flat.n is their number) */
  uint32_t *variable_of; /* the network's, per variable of the automaton */
  bool *at_rest;         /* a constant with more than one value */
  hysi_exits *exits;     /* per component of the document */
  hysi_stay **place;     /* per base instance, per location; NULL: not needed yet */
  hysi_move **move;      /* per base instance, per transition */
  const hys_reset *idle; /* of a jump that assigns nothing */

  hysi_joint *joint;
  uint32_t n_joints, joints_capacity;
  hysi_names joint_of; /* choices, as bytes */
  hysi_product_location *location;
  uint32_t n_locations, locations_capacity;
  hysi_names seen; /* parts, as bytes */
  pthread_mutex_t lock;

  /* scratch */
  uint32_t *part;        /* n_base */
  hysi_choice *choice;   /* n_base */
  uint32_t *turn;        /* n_base */
  uint32_t *first_where; /* n_base: see hys_hybrid's initial() */
  uint32_t *next_where, next_where_capacity;
  struct hysi_row_work *rows; /* hybrid_rows.c */
} hysi_hybrid;

/* ---- hybrid_trees.c ---- */

/* The number under a node of a formula over the automaton's variables.  *good: false: it was reported. */
hys_status hysi_hybrid_number(hysi_hybrid *h, const hysi_formula *f, uint32_t root, hys_expr *out,
                              bool *good);
/* The number under `left` less the number under `right`, likewise. */
hys_status hysi_hybrid_difference_of(hysi_hybrid *h, const hysi_formula *f, uint32_t left, uint32_t right,
                                     hys_expr *out, bool *good);
/* left - right. */
hys_status hysi_hybrid_difference(hysi_hybrid *h, const hys_expr *left, const hys_expr *right, hys_expr *out);
/* The part of a tree under a node as a tree of its own. */
hys_status hysi_hybrid_part(hysi_hybrid *h, const hys_expr *e, uint32_t root, hys_expr *out);
/* The row back as a tree without variable `skip`, over -coef_skip: the solution for it of row == 0. */
hys_status hysi_hybrid_solved(hysi_hybrid *h, const hys_affine *row, uint32_t skip, hys_expr *out);
/* The same operations on the same numbers in the same order. */
bool hysi_hybrid_same(const hys_expr *a, const hys_expr *b);

/* ---- hybrid_rows.c ---- */

hys_status hysi_hybrid_rows_open(hysi_hybrid *h);
/* The tree as a row, in time linear in its nodes for sums of small terms.  *affine: it is one (else row is
 * untouched). */
hys_status hysi_hybrid_row(hysi_hybrid *h, const hys_expr *e, hys_affine *row, bool *affine);

/* ---- hybrid_conditions.c ---- */

/* Appends the condition that a comparison read with this operator is. */
hys_status hysi_hybrid_comparison(hysi_hybrid *h, const hysi_formula *f, uint32_t node, uint8_t op,
                                  hysi_condition_list *list);
/* Appends what a formula says that is a conjunction; *loose is set if that is not all. */
hys_status hysi_hybrid_conjunction(hysi_hybrid *h, const hysi_formula *f, hysi_condition_list *list,
                                   bool *loose);
/* A formula as a union of conjunctions. */
hys_status hysi_hybrid_union(hysi_hybrid *h, const hysi_formula *f, hys_conditions **out, uint32_t *n);
/* The sets of a formula over the whole system.  initially: comparisons that define constants are left out. */
hys_status hysi_hybrid_formula_sets(hysi_hybrid *h, const hysi_formula *f, bool initially,
                                    const hys_hybrid_set **out, uint32_t *n);
/* A row without variables that surely satisfies the condition. */
bool hysi_hybrid_is_idle(const hys_condition *c);

/* ---- hybrid_parts.c ---- */

hys_status hysi_hybrid_stay(hysi_hybrid *h, uint32_t base, uint32_t location, hysi_stay **out);
hys_status hysi_hybrid_move(hysi_hybrid *h, uint32_t base, uint32_t transition, hysi_move **out);

/* ---- hybrid_define.c ---- */

/* What equations of the invariant fix, per variable of the automaton; n = 0: nothing does. */
typedef struct hysi_definitions {
  hys_expr *of;
  uint32_t *defined; /* which */
  uint32_t n, capacity;
} hysi_definitions;

/* Takes equations that fix a variable without a flow out of the invariant; such a variable's motion becomes
 * HYS_MOTION_DEFINED.  d->of: one a variable, zeroed. */
hys_status hysi_hybrid_find_definitions(hysi_hybrid *h, hysi_condition_list *list, hys_rate *rate,
                                        hysi_definitions *d);
/* A tree, conditions, bounds with what is defined put in; what does not speak of it stays as it is. */
hys_status hysi_hybrid_substitute(hysi_hybrid *h, const hys_expr *e, const hysi_definitions *d,
                                  hys_expr *out);
hys_status hysi_hybrid_define_conditions(hysi_hybrid *h, const hysi_definitions *d, const hys_conditions *in,
                                         hys_conditions *out);
bool hysi_hybrid_speaks_of(const hys_expr *e, const hysi_definitions *d);
/* Bounds as value + slack; d may be NULL.  *good: false: their distance is no number. */
hys_status hysi_hybrid_inclusion(hysi_hybrid *h, const hysi_bounds *b, const hysi_definitions *d,
                                 hysi_inclusion *out, bool *good);
/* The same for what a part has made already, where d defines something (or nothing); reports what is not
 * good.
 */
hys_status hysi_hybrid_included(hysi_hybrid *h, hysi_bound *b, const hysi_formula *f,
                                const hysi_definitions *d, hysi_inclusion *out);

/* ---- hybrid_jumps.c ---- */

/* The jumps of a location of the product. */
/* *why: HYS_OK, or why there are none (reported). */
hys_status hysi_hybrid_jumps(hysi_hybrid *h, const uint32_t *part, const hysi_definitions *d,
                             hys_hybrid_location *out, hys_status *why);

/* ---- hybrid_location.c ---- */

/* The number of the product location with these parts, which may be new. */
hys_status hysi_hybrid_intern(hysi_hybrid *h, const uint32_t *part, uint32_t *index);
/* Makes it.  What ends the work, or what is wrong with the model, which is remembered. */
hys_status hysi_hybrid_make(hysi_hybrid *h, uint32_t index);

#endif
