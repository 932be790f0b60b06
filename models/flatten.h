/* From a network to an affine automaton: what its parts share.  Private to models.  Setup only.
 *
 * A row is nx + nu coefficients, states first.  Errors are reported and remembered in `status`, so that one
 * run finds many; a function that returns a status returns only what ends the work (no memory). */
#ifndef HYSHIELD_MODELS_FLATTEN_H
#define HYSHIELD_MODELS_FLATTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rt/automaton.h"
#include "models/model_private.h"

typedef struct hysi_rows {
  hys_halfspace *row;
  uint32_t n, capacity;
} hysi_rows;

typedef struct hysi_curved {
  hys_curved_row *row;
  uint32_t n, capacity;
} hysi_curved;

typedef struct hysi_flat {
  const hys_model *model;
  const hysi_network *network;
  hysi_document document; /* the model's, with the diagnostics and the arena of this work */
  hys_arena *arena;
  size_t nx, nu, n; /* n = nx + nu */
  uint32_t *slot;   /* per flattened variable: its index in a row; HYSI_NONE: a constant, or nowhere used */
  hys_interval *value; /* of a constant */
  bool *known;         /* the constant has a value */
  bool *defines; /* per node of the configuration's initially: a comparison that gives a constant its value */
  hys_status status; /* HYS_OK or why there will be no automaton */
  /* scratch */
  hys_expr_node *node;
  uint32_t node_capacity;
  hys_interval *scratch;
  uint32_t scratch_capacity;
} hysi_flat;

/* Gives constants their values and variables their places.  The same model gives the same places each time.
 */
hys_status hysi_flat_open(hysi_flat *flat, const hys_model *model, hys_arena *arena,
                          hys_diagnostics *diagnostics);

/* The constants that the configuration's initially gives values to; no variable has a place yet. */
hys_status hysi_flat_constants(hysi_flat *flat, const hys_model *model, hys_arena *arena,
                               hys_diagnostics *diagnostics);

/* "inst=name;inst=name", of a single component its location's name.  NULL: no memory. */
const char *hysi_location_name(const hysi_network *n, const uint32_t *part, hys_arena *arena);

/* The next transition of an instance, from `from` on, that leaves a location with a label (HYSI_NONE: with
 * one that nobody shares); n_transitions: there is none. */
uint32_t hysi_next_transition(const hysi_instance *i, uint32_t from, uint32_t location, uint32_t label);

/* Parses a text that belongs to the model. */
hys_status hysi_model_formula(const hys_model *model, const hys_model_text *text, hysi_expr_want want,
                              hys_arena *arena, hys_diagnostics *diagnostics, hys_expr *e);

/* The place of what is being computed, for reports. */
typedef struct hysi_formula {
  const hys_expr *e;
  const hysi_instance *instance; /* whose parameters the variables are; NULL: flattened variables */
  const char *file;
} hysi_formula;

__attribute__((format(printf, 5, 6))) void hysi_refuse(hysi_flat *flat, hys_status why, const hysi_formula *f,
                                                       uint32_t node, const char *format, ...);

/* A number as a row and a constant.  *good: it could be done; otherwise it is reported. */
hys_status hysi_affine_row(hysi_flat *flat, const hysi_formula *f, uint32_t root, hys_interval *row,
                           hys_interval *constant, bool *good);

/* The half-spaces of a comparison, its operator being `op` (LT ... EQ), appended to rows. */
hys_status hysi_comparison_rows(hysi_flat *flat, const hysi_formula *f, uint32_t node, uint8_t op,
                                hysi_rows *rows);

/* As hysi_comparison_rows, but an inequality that is not affine is appended to curved instead of refused. */
hys_status hysi_guard_rows(hysi_flat *flat, const hysi_formula *f, uint32_t node, uint8_t op, hysi_rows *rows,
                           hysi_curved *curved);

/* Whether a row has a coefficient on a state, on an input. */
bool hysi_row_has_state(const hysi_flat *flat, const hys_halfspace *row);
bool hysi_row_has_input(const hysi_flat *flat, const hys_halfspace *row);
/* It says nothing:  0 <= c, surely. */
bool hysi_row_is_idle(const hysi_flat *flat, const hys_halfspace *row);

/* ---- disjunctive normal form ---- */

/* A literal of a conjunction: a comparison read with this operator, or a location that is or is not. */
typedef struct hysi_literal {
  uint32_t node;
  uint8_t op; /* HYS_EXPR_LT ... HYS_EXPR_EQ, HYS_EXPR_LOCATION, or HYS_EXPR_NOT: not in that location */
} hysi_literal;

typedef struct hysi_conjunct {
  hysi_literal *literal;
  uint32_t n;
} hysi_conjunct;

/* A formula as a union of conjunctions; more than HYS_MAX_DISJUNCTS are refused. */
hys_status hysi_dnf(hysi_flat *flat, const hysi_formula *f, hysi_conjunct **out, uint32_t *n);

/* ---- regions ---- */

/* The sets of a formula over the automaton's locations.  inputs_dropped: a condition on inputs alone is left
 * out with a warning (the set grows), otherwise refused.  initially: comparisons that define constants are
 * left out. */
hys_status hysi_regions(hysi_flat *flat, const hysi_formula *f, const hys_automaton *automaton,
                        bool inputs_dropped, bool initially, const hys_region **out, uint32_t *n);

#endif
