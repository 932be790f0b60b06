/* What the errors of a step become, and what the start set is in symbols.  Private to core. */
#ifndef HYSHIELD_CORE_TAYLOR_FRAME_H
#define HYSHIELD_CORE_TAYLOR_FRAME_H

#include "core/taylor_poly.h"
#include "core/zonotope.h"

/* Doubles of work for m states. */
size_t hysi_tp_frame_work(const hysi_tp_space *s, size_t m);
/* The errors of the m polynomials become symbols zeta, in an orthogonal frame along what zeta has become
 * (Lohner 1987); when zeta has outgrown eta, both become a new eta and zeta is zero. */
void hysi_tp_frame_renew(const hysi_tp_space *s, hysi_tp *x, size_t m, double *work);

/* A start set of m dimensions with at most m generators: exact where z has no more than that, else its hull
 * by a parallelotope along the longest of them (out; opened by the call). */
hys_status hysi_tp_frame_start(hys_zonotope *out, const hys_zonotope *z, const size_t *variable, size_t m,
                               const hys_allocator *allocator);

#endif
