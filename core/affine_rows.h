/* Many directions of one affine location at once, without any set in between: for big locations in which no
 * jump is taken.
 *
 * With x' = A x + w(t), the largest value of a row l over the states at time t is
 *     max over x0 of l(t).x0 + int_0^t max over w of l(s).w ds,   l(t) = exp(A t)^T l:
 * a few dot products a step of the sequence r_{k+1} = Phi^T r_k (Le Guernic, Girard 2009), of which no step
 * wraps.  Both ends of the row come from the same pass, and with them values that are surely reached: the
 * signs of the sequence are the input that reaches them.  Inside a step the chord between two instants is
 * widened by h^2/8 of the curvature, or, where asked for, the step is cut in pieces until that is small.
 *
 * Only what the flow does: invariants are not cut in (as in core/flowpipe.h).  A row may have states, free
 * and defined variables.  Connected components of A that a row does not touch cost nothing.
 * Setup only: allocates, may take long.  A prepared object is read only for _run: rows may be shared out to
 * threads. */
#ifndef HYSHIELD_CORE_AFFINE_ROWS_H
#define HYSHIELD_CORE_AFFINE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/allocator.h"
#include "core/hybrid.h"
#include "core/rt/interval.h"
#include "core/rt/status.h"
#include "core/zonotope.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hys_affine_rows hys_affine_rows;

/* A location, the states it starts from (over all variables of the automaton, as for hys_pipe_create) and one
 * interval a variable with the bounds of the free ones.  States that depend on a free variable without finite
 * bounds are free too, with the bounds given for them.  The automaton and the location must outlive it.
 * HYS_ERR_UNSUPPORTED (a flow that is not affine), HYS_ERR_NUMERIC (bounds that are not finite where they
 * must be), HYS_ERR_LIMIT, HYS_ERR_MEMORY. */
HYS_API hys_status hys_affine_rows_create(hys_affine_rows **out, const hys_hybrid *automaton,
                                          const hys_hybrid_location *location, const hys_interval *free_box,
                                          const hys_zonotope *x0, const hys_allocator *allocator);
HYS_API void hys_affine_rows_destroy(hys_affine_rows *a);

/* Prepares for steps of `h` s (> 0), at most `steps` of them, in place of what was prepared before: the
 * exponential, and how much an error can grow in that many steps.  HYS_ERR_ARG, HYS_ERR_MEMORY,
 * HYS_ERR_NUMERIC (h is far too large). */
HYS_API hys_status hys_affine_rows_prepare(hys_affine_rows *a, double h, size_t steps);
/* A step to begin with for a time of T s: a power of two that divides T's power of two, fit for the rates of
 * the flow. */
HYS_API double hys_affine_rows_suggest(const hys_affine_rows *a, double T);

/* A step of one row: t from t0 to t1. */
typedef struct hys_affine_rows_step {
  size_t row, k;
  double t0, t1;
  hys_interval tube;    /* the row over all states at all instants of the step */
  hys_interval end;     /* over those at t1 */
  hys_interval reached; /* values that are surely taken at t1; empty: none is known */
  hys_interval taken;   /* values that are surely taken in the step, t1 included */
} hys_affine_rows_step;

/* Looks at each step in turn: first the start (k = 0, t0 = t1 = 0: tube and end are the start set's), then
 * those of the row from 1 on; then the next row's.  What is returned: go on with this row, leave it for the
 * next one, or end the run. */
typedef enum hys_affine_rows_next { HYS_ROWS_GO_ON, HYS_ROWS_NEXT_ROW, HYS_ROWS_END } hys_affine_rows_next;
typedef hys_affine_rows_next hys_affine_rows_look(void *context, const hys_affine_rows_step *step);

typedef struct hys_affine_rows_job {
  const hys_affine *row;
  size_t n_rows;
  hys_affine_rows_look *look;
  void *context;
  /* One interval a row, or NULL: tubes inside need not be better.  One that sticks out is cut in pieces until
   * it is inside or `pieces` (0 = 64) are used up.  `look` may change them as it goes. */
  const hys_interval *enough;
  unsigned pieces;
  bool (*more)(void *budget); /* NULL, or asked now and then: false ends the run with HYS_ERR_LIMIT */
  void *budget;
} hys_affine_rows_job;

/* Runs the rows through the steps prepared.  HYS_OK also when `look` has ended it. */
HYS_API hys_status hys_affine_rows_run(const hys_affine_rows *a, const hys_affine_rows_job *job);

/* Enclosures of the rows over all states up to T, and the values that are surely taken: outer[i] contains
 * inner[i].  Steps are halved until outer exceeds inner by at most `tolerance` (absolute) at both ends, or
 * until `more` says false or no better enclosure is found (HYS_OK all the same: look at the widths).  at:
 * NULL, or two times a row: when the least and the largest value of inner are taken. */
HYS_API hys_status hys_affine_rows_bounds(hys_affine_rows *a, const hys_affine *row, size_t n_rows, double T,
                                          double tolerance, bool (*more)(void *), void *budget,
                                          hys_interval *outer, hys_interval *inner, double *at);

/* Whether row <= limit at all times up to T (strict: < limit), from the first pass that decides; VIOLATED: it
 * surely is not, *when says when (a multiple of *step, after hys_affine_rows_prepare for *step).  UNKNOWN:
 * the budget ran out, or the largest value is the limit up to rounding. */
HYS_API hys_status hys_affine_rows_decide(hys_affine_rows *a, const hys_affine *row, double limit,
                                          bool strict, double T, bool (*more)(void *), void *budget,
                                          hys_verdict *verdict, double *when, double *step);

/* The start state and the inputs that take a row nearly to its largest value at the k-th instant of the steps
 * prepared, in plain doubles: who uses them as a proof checks them.  x0: one number a variable; u: k + 1 rows
 * of one number a variable: the values of the free variables and, for states, what their slack adds, constant
 * over [j h, (j + 1) h]; the last row is at the instant itself. */
HYS_API hys_status hys_affine_rows_witness(const hys_affine_rows *a, const hys_affine *row, size_t k,
                                           double *x0, double *u);

#ifdef __cplusplus
}
#endif
#endif
