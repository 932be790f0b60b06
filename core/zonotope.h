/* Zonotopes in doubles with their rounding inside:
 *     { c + sum_j xi_j g_j + eta : |xi_j| <= 1, |eta_i| <= r_i }.
 * The box part r takes what rounding and remainders leave, so that an operation costs no generators.
 * Source: Girard 2005 (reduction); the rounding bounds gamma_n |x|.|y| of docs/reachability.md.  Every
 * operation encloses the exact image of its arguments.  Setup only where memory is taken; a zonotope takes
 * memory when its capacity grows, from the allocator it was opened with. */
#ifndef HYSHIELD_CORE_ZONOTOPE_H
#define HYSHIELD_CORE_ZONOTOPE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/allocator.h"
#include "core/hybrid.h"
#include "core/rt/interval.h"
#include "core/rt/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hys_zonotope {
  size_t n;          /* dimension */
  size_t g;          /* generators */
  size_t capacity;   /* of generators */
  double *center;    /* n */
  double *radius;    /* n, >= 0 */
  double *generator; /* g columns of n: generator j at generator + j * n */
  const hys_allocator *allocator;
} hys_zonotope;

/* The point 0 in R^n; allocator NULL: malloc. HYS_ERR_MEMORY, HYS_ERR_ARG (n = 0). */
HYS_API hys_status hys_zonotope_open(hys_zonotope *z, size_t n, size_t capacity,
                                     const hys_allocator *allocator);
HYS_API void hys_zonotope_close(hys_zonotope *z);
/* z := y (same dimension). */
HYS_API hys_status hys_zonotope_copy(hys_zonotope *z, const hys_zonotope *y);
/* z := the box x (finite, not empty), as a center and one generator an axis that is not a point. */
HYS_API hys_status hys_zonotope_from_box(hys_zonotope *z, const hys_interval *x);
/* z := { x : lo_k <= row_k . x <= hi_k } for n independent rows (row-major); the inverse is verified.
 * HYS_ERR_NUMERIC: it could not be. */
HYS_API hys_status hys_zonotope_from_rows(hys_zonotope *z, const double *row, const hys_interval *bounds);
/* z := M y + v, M (n x y.n, row-major) and v (n; NULL = 0) any matrix and vector in the enclosures.  z and y
 * differ. */
HYS_API hys_status hys_zonotope_map(hys_zonotope *z, const hys_interval *m, const hys_interval *v,
                                    const hys_zonotope *y);
/* z := z + y (Minkowski). */
HYS_API hys_status hys_zonotope_add(hys_zonotope *z, const hys_zonotope *y);
HYS_API void hys_zonotope_add_box(hys_zonotope *z, const hys_interval *x);
/* At most `keep` generators; z grows. */
HYS_API void hys_zonotope_reduce(hys_zonotope *z, size_t keep);
HYS_API void hys_zonotope_box(const hys_zonotope *z, hys_interval *x);
/* An upper bound of row over z. */
HYS_API double hys_zonotope_max(const hys_zonotope *z, const hys_affine *row);
/* y inside z, surely (sufficient: may say false where it is). */
HYS_API bool hys_zonotope_contains_surely(const hys_zonotope *z, const hys_zonotope *y);

#ifdef __cplusplus
}
#endif
#endif
