/* The same programs with rational coefficients.  Private to the library (FLINT's types).  Setup only. */
#ifndef HYSHIELD_CORE_LP_EXACT_H
#define HYSHIELD_CORE_LP_EXACT_H

#include <flint/fmpq.h>

#include "core/lp.h"

/* A row of `count` coefficients, the others being zero: variable[k] has coef[k]; a variable may come twice.
 */
hys_status hysi_lp_add(hys_lp *lp, const uint32_t *variable, const fmpq *coef, size_t count,
                       const fmpq_t bound, hys_lp_relation relation);
/* As hys_lp_maximize; objective: n coefficients, NULL = feasibility alone.  value, point (n of them): set
 * where the answer is HYS_LP_FEASIBLE; NULL = not wanted. */
hys_status hysi_lp_solve(hys_lp *lp, const fmpq *objective, uint32_t max_pivots, hys_lp_answer *answer,
                         fmpq_t value, fmpq *point);

/* The rational that a finite double is. */
void hysi_lp_from_double(fmpq_t out, double value);
/* Doubles around a rational, neighbours or the number itself. */
hys_interval hysi_lp_enclosure(const fmpq_t value);

#endif
