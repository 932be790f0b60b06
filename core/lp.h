/* Small linear programs in exact rational arithmetic: is a system of rows satisfiable, how large can a linear
 * function become on it.  For emptiness of guards and invariants, faces of polyhedra, and the like: tens of
 * variables and rows, not thousands.
 *
 * The variables are free reals.  Coefficients are doubles, taken as the rationals that they are; what is
 * answered holds without any tolerance.  (Files of the library that have exact decimals use
 * core/lp_exact.h.)  The simplex method with Bland's rule, so that it ends; the work is bounded by a number
 * of pivots all the same, beyond which the answer is "unknown".
 *
 * Setup only.  Numbers inside are FLINT's, whose memory does not come from the allocator. */
#ifndef HYSHIELD_CORE_LP_H
#define HYSHIELD_CORE_LP_H

#include <stddef.h>
#include <stdint.h>

#include "core/allocator.h"
#include "core/rt/interval.h"
#include "core/rt/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  HYS_LP_MAX_VARIABLES = 512,
  HYS_LP_MAX_ROWS = 2048, /* an equation counts as two */
  HYS_LP_PIVOTS = 2000    /* a bound on the work that suits most callers */
};

/* sum row[i] x[i] <= bound, < bound, == bound. */
typedef enum hys_lp_relation { HYS_LP_LE, HYS_LP_LT, HYS_LP_EQ } hys_lp_relation;

typedef enum hys_lp_answer {
  HYS_LP_UNKNOWN,  /* the work ran out */
  HYS_LP_EMPTY,    /* no x satisfies the rows */
  HYS_LP_FEASIBLE, /* some x does; of a maximum: it is finite */
  HYS_LP_UNBOUNDED /* of a maximum: there is none */
} hys_lp_answer;

typedef struct hys_lp hys_lp;

/* A program of n variables (at most HYS_LP_MAX_VARIABLES; 0 is allowed) without rows.  allocator: NULL =
 * malloc.  HYS_OK; HYS_ERR_ARG; HYS_ERR_LIMIT; HYS_ERR_MEMORY. */
HYS_API hys_status hys_lp_create(hys_lp **out, size_t n, const hys_allocator *allocator);
HYS_API void hys_lp_destroy(hys_lp *lp); /* NULL is allowed */

/* Adds a row; `row` is copied.  HYS_OK; HYS_ERR_ARG (NULL, or a number that is not finite); HYS_ERR_LIMIT;
 * HYS_ERR_MEMORY. */
HYS_API hys_status hys_lp_add(hys_lp *lp, const double *row, double bound, hys_lp_relation relation);

/* Whether some x satisfies all the rows, strict ones strictly: HYS_LP_EMPTY or HYS_LP_FEASIBLE, or
 * HYS_LP_UNKNOWN after max_pivots.  point: n doubles nearest to such an x where there is one; NULL = not
 * wanted.  The program stays as it is.  HYS_OK; HYS_ERR_ARG; HYS_ERR_MEMORY. */
HYS_API hys_status hys_lp_feasible(hys_lp *lp, uint32_t max_pivots, hys_lp_answer *answer, double *point);

/* The supremum of sum objective[i] x[i] on the rows, strict ones strictly: HYS_LP_EMPTY, HYS_LP_FEASIBLE with
 * *value the tightest enclosure of it (point: where the closure of the set attains it, to nearest),
 * HYS_LP_UNBOUNDED or HYS_LP_UNKNOWN.  value and point may be NULL.  Status as above. */
HYS_API hys_status hys_lp_maximize(hys_lp *lp, const double *objective, uint32_t max_pivots,
                                   hys_lp_answer *answer, hys_interval *value, double *point);

#ifdef __cplusplus
}
#endif
#endif
