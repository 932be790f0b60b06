/* Numbers and affine expressions as exact rationals: what was written in the model, where enclosures would
 * lose that 1.3 is 13/10.  Private to the library (FLINT's types, whose memory does not come from the
 * allocator).  Setup only. */
#ifndef HYSHIELD_CORE_RATIONAL_H
#define HYSHIELD_CORE_RATIONAL_H

#include <stdbool.h>
#include <stddef.h>

#include <flint/fmpq.h>

#include "core/allocator.h"
#include "core/rt/expr.h"

/* A decimal without sign, as it was written.  False: it is none, or has too many digits to be read exactly.
 */
bool hysi_rational_decimal(fmpq_t out, const char *text, size_t length);

/* A constant node: the decimal that was written, or the double that its value is.  False: only an enclosure
 * is known. */
bool hysi_rational_constant(fmpq_t out, const hys_expr_node *node);

/* A number as  sum coef[i] x_i + coef[n],  all of it exactly; coef: n + 1, initialised.  *exact: it is affine
 * and nothing in it is known by an enclosure only; else coef is undefined.  HYS_OK; HYS_ERR_MEMORY. */
hys_status hysi_rational_affine(const hys_expr *e, size_t n, fmpq *coef, bool *exact,
                                const hys_allocator *allocator);

#endif
