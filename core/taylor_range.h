/* Bounds of one polynomial with noise over its symbols, where other such polynomials are not positive.
 * Private to core.  Source: Taylor expansion in pieces of the symbols' box (branch and bound), multipliers
 * for the conditions (weak duality), hull consistency on their linear parts. */
#ifndef HYSHIELD_CORE_TAYLOR_RANGE_H
#define HYSHIELD_CORE_TAYLOR_RANGE_H

#include "core/taylor_poly.h"

enum { HYSI_TP_PIECES = 48 };

/* sum xi[a] xi^a + sum noise[j] nu_j + [-error, error], noise: eta and zeta. */
typedef struct hysi_tp_scalar {
  double *xi;    /* upto[degree] */
  double *noise; /* n_eta + n_zeta */
  double error;
} hysi_tp_scalar;

/* From the coefficients of a polynomial (space's numbering) and an error; coupled terms are bounded. */
void hysi_tp_scalar_from(const hysi_tp_space *s, hysi_tp_scalar *q, const double *c, double error);
/* Doubles of work that hysi_tp_scalar_max needs. */
size_t hysi_tp_scalar_work(const hysi_tp_space *s);
/* An upper bound of q where all cuts are <= 0 (equation[i]: == 0), -inf: there surely is no such place.  q
 * and the cuts are changed.  splits: how many pieces may be halved, at most HYSI_TP_PIECES. */
double hysi_tp_scalar_max(const hysi_tp_space *s, hysi_tp_scalar *q, hysi_tp_scalar *cut,
                          const bool *equation, size_t n_cuts, unsigned splits, double *work);

#endif
