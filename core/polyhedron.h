/* Convex polyhedra in exact arithmetic, by rows and by generators at once: what straight motion (constant
 * rates) makes of a polyhedron is again one, and nothing is lost by rounding.  For few variables; the number
 * of generators can grow exponentially and is bounded (HYS_ERR_LIMIT).
 *
 * The rows say sum row[i] x[i] <= bound; the generators are points, rays and lines; all are rationals.
 *
 * Source: the double description method (Motzkin, Raiffa, Thompson, Thrall 1953; Fukuda and Prodon 1996) on
 * the cone over the polyhedron; the elapse of time as in Halbwachs, Proy and Roumanoff, "Verification of
 * real-time systems using linear relation analysis" (1997).
 *
 * Private to the library (FLINT's types, whose memory does not come from the allocator).  Setup only. */
#ifndef HYSHIELD_CORE_POLYHEDRON_H
#define HYSHIELD_CORE_POLYHEDRON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <flint/fmpq.h>

#include "core/allocator.h"
#include "core/lp.h"
#include "core/rt/interval.h"
#include "core/rt/status.h"

enum {
  HYSI_POLYHEDRON_MAX_VARIABLES = 64,
  HYSI_POLYHEDRON_MAX_GENERATORS = 512, /* and rows */
  HYSI_POLYHEDRON_MAX_BITS = 4096       /* of a number in them */
};

typedef struct hysi_polyhedron hysi_polyhedron;

typedef enum hysi_generator { HYSI_POINT, HYSI_RAY, HYSI_LINE } hysi_generator;

/* All of R^n, or none of it.  allocator: NULL = malloc.  HYS_OK; HYS_ERR_ARG (n); HYS_ERR_MEMORY. */
hys_status hysi_polyhedron_create(hysi_polyhedron **out, size_t n, bool all, const hys_allocator *allocator);
hys_status hysi_polyhedron_copy(hysi_polyhedron **out, const hysi_polyhedron *p);
void hysi_polyhedron_destroy(hysi_polyhedron *p); /* NULL is allowed */

/* Cuts with a row (n).  A strict row cuts as one that is not, except that what lies on its border altogether
 * when the polyhedron is closed next is empty then; what is left has its border again.  HYS_OK,
 * HYS_ERR_LIMIT, HYS_ERR_MEMORY. */
hys_status hysi_polyhedron_cut(hysi_polyhedron *p, const fmpq *row, const fmpq_t bound,
                               hys_lp_relation relation);

/* Adds a generator (n): the closed convex hull with a point; all that moves along a ray or line.  A ray or
 * line added to nothing leaves nothing.  Status as above. */
hys_status hysi_polyhedron_add(hysi_polyhedron *p, hysi_generator kind, const fmpq *generator);

/* The closed convex hull of p and q, into p; q is closed (below).  HYS_ERR_ARG: another n, q not closed. */
hys_status hysi_polyhedron_join(hysi_polyhedron *p, const hysi_polyhedron *q);

/* Every x[i] with a matrix[i] (n coefficients and a constant; NULL: x[i] stays) becomes what that says of
 * the values before, plus any value of add[i], whose ends may be infinite. */
hys_status hysi_polyhedron_map(hysi_polyhedron *p, const fmpq *const *matrix, const hys_interval *add);

/* Makes both descriptions, without what is superfluous.  The queries below need it. */
hys_status hysi_polyhedron_close(hysi_polyhedron *p);

bool hysi_polyhedron_is_empty(const hysi_polyhedron *p);
bool hysi_polyhedron_holds(const hysi_polyhedron *p, const hysi_polyhedron *q); /* q inside p */
size_t hysi_polyhedron_generators(const hysi_polyhedron *p);
size_t hysi_polyhedron_rows(const hysi_polyhedron *p);
/* The tightest doubles around x[i] on p; empty if p is. */
hys_interval hysi_polyhedron_bounds(const hysi_polyhedron *p, size_t i);

#endif
