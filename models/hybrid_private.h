/* The general automaton of a model while it is being made.  Private to models.  Setup only. */
#ifndef HYSHIELD_MODELS_HYBRID_PRIVATE_H
#define HYSHIELD_MODELS_HYBRID_PRIVATE_H

#include <pthread.h>

#include "models/flatten.h"
#include "models/hybrid_model.h"

/* Nodes of one tree after what the invariant defines has been put in. */
enum { HYSI_MAX_TREE = 1000000 };

typedef struct hysi_hybrid {
  hys_hybrid face;
  hys_arena *arena;
  hysi_flat flat; /* constants, and where a variable stands in the automaton (slot; flat.n is their number) */
  uint32_t *variable_of;                /* the network's, per variable of the automaton */
  bool *at_rest;                        /* a constant with more than one value */
  hysi_names seen;                      /* parts, as bytes */
  uint32_t **part;                      /* per location */
  const hys_hybrid_location **location; /* NULL: not made yet */
  uint32_t n_locations, part_capacity, location_capacity;
  uint32_t *scratch_part;
  pthread_mutex_t lock;
  /* scratch of the trees */
  uint32_t *dense; /* per variable: its number in the tree at hand, HYSI_NONE */
} hysi_hybrid;

/* What a name in the invariant's equations stands for, per variable of the automaton; n = 0: for itself. */
typedef struct hysi_definitions {
  hys_expr *of;
} hysi_definitions;

/* ---- hybrid_trees.c ---- */

/* The number under a node of a formula over the automaton's variables.  *good: false: it was reported. */
hys_status hysi_hybrid_number(hysi_hybrid *h, const hysi_formula *f, uint32_t root, hys_expr *out,
                              bool *good);
/* left - right. */
hys_status hysi_hybrid_difference(hysi_hybrid *h, const hys_expr *left, const hys_expr *right, hys_expr *out);
hys_status hysi_hybrid_negative(hysi_hybrid *h, const hys_expr *e, hys_expr *out);
/* With what is defined put in. */
hys_status hysi_hybrid_substitute(hysi_hybrid *h, const hys_expr *e, const hysi_definitions *d,
                                  hys_expr *out);
/* The tree as a row.  *affine: it is one (else row is untouched). */
hys_status hysi_hybrid_row(hysi_hybrid *h, const hys_expr *e, hys_affine *row, bool *affine);
/* The row back as a tree without variable `skip`, over -coef_skip: the solution for it of row == 0. */
hys_status hysi_hybrid_solved(hysi_hybrid *h, const hys_affine *row, uint32_t skip, hys_expr *out);
bool hysi_hybrid_mentions(const hys_expr *e, uint32_t variable);

/* ---- hybrid_conditions.c ---- */

typedef struct hysi_condition_list {
  hys_condition *item;
  uint32_t n, capacity;
} hysi_condition_list;

/* Appends the condition that a comparison read with this operator is. */
hys_status hysi_hybrid_comparison(hysi_hybrid *h, const hysi_formula *f, uint32_t node, uint8_t op,
                                  hysi_condition_list *list);
/* A condition that never holds. */
hys_status hysi_hybrid_never(hysi_hybrid *h, uint32_t line, hysi_condition_list *list);
/* Rows of the conditions, with what is defined put in; those that surely hold are left out. */
hys_status hysi_hybrid_finish(hysi_hybrid *h, const hysi_definitions *d, hysi_condition_list *list);
/* The sets of a formula over the whole system.  initially: comparisons that define constants are left out. */
hys_status hysi_hybrid_formula_sets(hysi_hybrid *h, const hysi_formula *f, bool initially,
                                    const hys_hybrid_set **out, uint32_t *n);

/* ---- hybrid_location.c ---- */

/* The number of the product location with these parts, which may be new. */
hys_status hysi_hybrid_intern(hysi_hybrid *h, const uint32_t *part, uint32_t *index);
hys_status hysi_hybrid_make(hysi_hybrid *h, uint32_t index);

#endif
