/* Boxes: n intervals side by side, `hys_interval *` with a `size_t n`, in the caller's memory.
 *
 * A box is empty iff a component is; each function here writes an empty box in its one form, all components
 * empty.  A box of n = 0 components is the one point of R^0, it is not empty.  Predicates are false on an
 * empty box and on a NaN, as in interval.h.
 *
 * Aliasing: `out` may be one of the inputs (the same pointer) in the componentwise functions; it may not
 * overlap one otherwise.  hys_box_affine is stricter, see there.  No pointer may be null unless n is 0.
 *
 * RT-safe: every function; time linear in n (in rows * cols), no branch on values except zeros and special
 * cases.
 */
#ifndef HYSHIELD_CORE_RT_BOX_H
#define HYSHIELD_CORE_RT_BOX_H

#include <stdbool.h>
#include <stddef.h>

#include "core/rt/api.h"
#include "core/rt/interval.h"

#ifdef __cplusplus
extern "C" {
#endif

HYS_API void hys_box_set_empty(hys_interval *out, size_t n);
HYS_API void hys_box_set_entire(hys_interval *out, size_t n);
HYS_API bool hys_box_is_empty(const hys_interval *a, size_t n);
/* out := a, an empty box in its one form.  The two may overlap in any way. */
HYS_API void hys_box_copy(hys_interval *out, const hys_interval *a, size_t n);
/* The least box that holds both; with an empty one the other. */
HYS_API void hys_box_hull(hys_interval *out, const hys_interval *a, const hys_interval *b, size_t n);
/* Returns true iff the intersection is not empty. */
HYS_API bool hys_box_intersect(hys_interval *out, const hys_interval *a, const hys_interval *b, size_t n);

/* Every point of a lies in b. */
HYS_API bool hys_box_inside_surely(const hys_interval *a, const hys_interval *b, size_t n);
/* Some point lies in both. */
HYS_API bool hys_box_meets_maybe(const hys_interval *a, const hys_interval *b, size_t n);
/* No point lies in both, and neither is empty. */
HYS_API bool hys_box_disjoint_surely(const hys_interval *a, const hys_interval *b, size_t n);
/* The point x lies in a. */
HYS_API bool hys_box_contains_surely(const hys_interval *a, const double *x, size_t n);
/* out[i] := hys_interval_mid(a[i]): a finite point of a; all NaN if a is empty. */
HYS_API void hys_box_mid(double *out, const hys_interval *a, size_t n);

/* sum_j row[j] * x[j]; zero times an unbounded component is zero.  Each bound lies within about
 * (k + 1) 2^-52 sum |row[j]| |x[j]| of the exact one, k the number of entries of row that are not zero; a
 * single one costs no more than one product.  Inclusion isotone as long as the sums stay finite; where they
 * do not, every operation is rounded by itself, which may be tighter.  Empty if row or x holds an empty
 * component. */
HYS_API hys_interval hys_box_dot(const hys_interval *row, const hys_interval *x, size_t n);

/* out := M x, M row-major with `rows` rows of `cols` entries: contains P v for every P in M, v in x.  Empty
 * if x or a row of M that is used is empty. out[0..rows) may overlap neither x[0..cols) nor M: the call then
 * gives out all entire and returns false without having computed anything; true otherwise. */
HYS_API bool hys_box_affine(hys_interval *out, const hys_interval *M, const hys_interval *x, size_t rows,
                            size_t cols);

#ifdef __cplusplus
}
#endif

#endif
