/* What the families of warnings share.  Private to models.  Setup only.
 *
 * A component is looked at once for all its instances: what is said of it holds for each of them.  A
 * parameter that all instances bind to one number is that number, exactly; one that they bind to several is
 * an unknown between the least and the greatest.  Rows are over columns: parameter p of the component is
 * column p, its value after k jumps, where it is not known from before, column k * n_params + p. */
#ifndef HYSHIELD_MODELS_LINT_PRIVATE_H
#define HYSHIELD_MODELS_LINT_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lp_exact.h"
#include "models/lint.h"
#include "models/model_private.h"

enum {
  HYSI_LINT_COPIES = 2 * HYS_LINT_MAX_CYCLE + 2, /* of the parameters, in columns */
  HYSI_LINT_COLUMNS = 24,                        /* a larger linear program is not tried */
  HYSI_LINT_ROWS = 96
};

typedef struct hysi_linear {
  const uint32_t *column;
  const fmpq *coef; /* n, and the constant behind them */
  uint32_t n;
} hysi_linear;

/* Where a row comes from, for people. */
typedef enum hysi_origin { HYSI_OF_GUARD, HYSI_OF_INVARIANT, HYSI_OF_TARGET, HYSI_OF_RESET } hysi_origin;

/* f <= 0, < 0 or == 0. */
typedef struct hysi_lint_row {
  const hysi_linear *f; /* NULL: not affine */
  hys_lp_relation relation;
  hysi_origin origin;
  const hys_expr *e; /* the comparison is e->node[node] */
  uint32_t node;
} hysi_lint_row;

typedef struct hysi_lint_rows {
  hysi_lint_row *row;
  uint32_t n, capacity;
  bool exact; /* the rows say all that the formula says; else there was more, or it could not be read */
} hysi_lint_rows;

/* A parameter, as all instances of the component see it. */
typedef struct hysi_lint_param {
  bool number, range; /* one number in all instances; numbers between two */
  const fmpq *value;  /* of a number: one; of a range: least and greatest */
  hys_interval box;   /* encloses it; else the entire line */
  bool rest;          /* never changes */
  bool kept;          /* a jump of the component that does not assign it, with a label, keeps it */
  bool kept_alone;    /* the same of a jump without a label */
  bool flows_here;    /* its flow, if it has one, is in this component */
} hysi_lint_param;

/* A component with what is known of it. */
typedef struct hysi_lint_part {
  const hysi_component *component;
  uint32_t first_base, n_bases; /* its instances; hysi_lint.next_base leads to the others */
  hysi_lint_param *param;
  hysi_lint_rows *invariant; /* one a location */
  hysi_lint_rows *guard;     /* one a transition */
  uint32_t *out, *leaving;   /* the transitions from location l: leaving[out[l]] .. leaving[out[l + 1]] */
  bool *never;               /* of a transition: it is known that it is never taken */
  /* transition t may be followed at once by those in successor[first[t]] .. successor[first[t + 1]] */
  uint32_t *first, *successor;
  bool *alive; /* of a transition: some endless sequence of jumps in no time may go through it */
} hysi_lint_part;

typedef struct hysi_lint_block hysi_lint_block;

typedef struct hysi_lint {
  const hys_model *model;
  const hysi_network *network;
  hysi_document document; /* with the diagnostics of this work */
  hys_arena *arena;
  uint32_t most_places, places; /* of a kind of notes: to be listed, found */
  hys_status status;            /* HYS_OK, or what ended the work */
  uint64_t work;                /* left for linear programs */
  uint64_t steps;               /* left for all that may grow faster than the model */
  bool undecided;               /* something was too large to be decided */
  hysi_lint_block *block;
  /* those of the whole work, while a passing arena is in use */
  hys_arena *lasting;
  hysi_lint_block *lasting_block;

  const hys_interval *constant; /* of flattened variables with role constant */
  const bool *known;
  uint32_t *controllers; /* base instances that control a flattened variable */

  hysi_lint_part *part; /* one a component with locations and instances */
  uint32_t n_parts;
  uint32_t *next_base;        /* of the same component; HYSI_NONE: the last */
  const hysi_lint_part *here; /* the component that is looked at */

  /* scratch */
  fmpq *sum; /* one a column of the largest component */
  uint32_t *touched, *slot;
  uint32_t n_touched;
  uint32_t *stack;
  uint32_t stack_capacity;
  fmpq *value, *factor; /* of the nodes of a tree */
  bool *is_number;
  uint32_t *waiting, nodes;
} hysi_lint;

/* n rationals, zero; they live as long as what hysi_lint_alloc gives.  NULL: no memory, and status says so.
 */
fmpq *hysi_lint_numbers(hysi_lint *lint, size_t n);
void *hysi_lint_alloc(hysi_lint *lint, size_t n, size_t size);
/* What is allocated between these two passes away at the second; they do not nest.  false: no memory, and
 * there is nothing to end. */
bool hysi_lint_begin(hysi_lint *lint);
void hysi_lint_end(hysi_lint *lint);
/* Takes steps from what is left; false: there are not enough, what was to be done is left undecided. */
bool hysi_lint_spend(hysi_lint *lint, uint64_t steps);
/* The decimal with the fewest digits in an interval of neighbours, the number of a point. */
void hysi_lint_decimal(fmpq_t out, hys_interval value);

/* ---- lint_rows.c ---- */

/* The conjuncts of a formula of the component. */
void hysi_lint_conjuncts(hysi_lint *lint, const hysi_text_tree *t, hysi_origin origin, hysi_lint_rows *out);
/* A number as a linear function of the component's parameters; NULL: it is none. */
const hysi_linear *hysi_lint_linear(hysi_lint *lint, const hys_expr *e, uint32_t root);
/* sum of scale * f over columns replaced by what `after` says (NULL entry: themselves); after has n_params
 * entries, for columns below n_params. */
const hysi_linear *hysi_lint_substitute(hysi_lint *lint, const hysi_linear *f,
                                        const hysi_linear *const *after);
const hysi_linear *hysi_lint_column(hysi_lint *lint, uint32_t column);
/* a - b. */
const hysi_linear *hysi_lint_minus(hysi_lint *lint, const hysi_linear *a, const hysi_linear *b);
/* -a. */
const hysi_linear *hysi_lint_opposite(hysi_lint *lint, const hysi_linear *a);
void hysi_lint_push(hysi_lint *lint, hysi_lint_rows *rows, hysi_lint_row row);
void hysi_lint_append(hysi_lint *lint, hysi_lint_rows *rows, const hysi_lint_rows *more);

/* Whether the rows can hold together; closed: strict ones read as closed.  Rows that are not affine are left
 * out, so that EMPTY is sure and FEASIBLE is not.  point: one value a parameter (columns below n_params), as
 * far as the rows speak of it; NULL = not wanted. */
hys_lp_answer hysi_lint_solve(hysi_lint *lint, const hysi_lint_rows *rows, bool closed, fmpq *point);
/* Bounds of the parameters that single rows give. */
void hysi_lint_box(hysi_lint *lint, const hysi_lint_rows *rows, hys_interval *box);

/* What a transition does to the parameters: after[p] as a function of what `before` says (NULL: of the
 * parameters themselves); unknown values are columns of copy `copy`, their bounds appended to rows. */
void hysi_lint_jump(hysi_lint *lint, uint32_t transition, const hysi_linear *const *before, uint32_t copy,
                    const hysi_linear **after, hysi_lint_rows *rows);

/* The rows that cannot hold together, as few as can be, as text: "`x >= 5' and `x <= 3' (invariant of `on')".
 * from, to: locations that the origins mean.  The first row of the guard (without a target: of the invariant)
 * among them goes to *at; NULL if there is none. */
const char *hysi_lint_culprits(hysi_lint *lint, const hysi_lint_rows *rows, bool closed,
                               const hysi_model_location *from, const hysi_model_location *to,
                               const hys_expr_node **at);

static inline uint32_t hysi_lint_params(const hysi_lint *lint) {
  return lint->here->component->n_params;
}

/* ---- the families: each about lint->here ---- */

void hysi_lint_sets(hysi_lint *lint);      /* conditions that never hold */
void hysi_lint_locations(hysi_lint *lint); /* locations that no jump reaches */
void hysi_lint_time(hysi_lint *lint);      /* where time may stop */
void hysi_lint_followers(hysi_lint *lint, hysi_lint_part *part);
void hysi_lint_domains(hysi_lint *lint); /* divisors that may be zero, roots of what may be negative */

/* ---- about the whole model ---- */

void hysi_lint_cycles(hysi_lint *lint); /* needs the followers of all parts */
void hysi_lint_names(hysi_lint *lint);
void hysi_lint_terms(hysi_lint *lint);

#endif
