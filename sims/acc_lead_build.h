/* How a lead profile is put together, piece by piece. Between acc_lead.c and acc_lead_read.c only. */
#ifndef HYSHIELD_SIMS_ACC_LEAD_BUILD_H
#define HYSHIELD_SIMS_ACC_LEAD_BUILD_H

#include <stdbool.h>

#include "sims/acc_lead.h"

#define ACC_LEAD_MAX_SPEED 1e4 /* m/s; beyond it a number is a mistake */
#define ACC_LEAD_MAX_RATE 1e3  /* m/s^2 */

/* From t on, until the next piece: speed w at t, acceleration a. */
typedef struct acc_lead_piece {
  double t, w, a;
} acc_lead_piece;

struct acc_lead {
  acc_lead_piece *piece;
  size_t n, capacity;
  double t_end, w_end; /* where the next piece will start */
  acc_lead_bounds bounds;
  bool own_allocator;
  hys_allocator allocator;
};

/* HYS_ERR_ARG, HYS_ERR_MEMORY. */
hys_status acc_lead_begin(acc_lead **lead, double w0, const acc_lead_bounds *bounds,
                          const hys_allocator *allocator);
/* Goes on at a, clamped to the bounds, up to the instant `until`, stopping at standstill; nothing if that is
 * not later. */
hys_status acc_lead_add(acc_lead *lead, double until, double a);
/* Goes on to reach the speed w at `until`, as nearly as the bounds allow; *clamped: they do not. */
hys_status acc_lead_follow(acc_lead *lead, double until, double w, bool *clamped);
/* From t on it is another vehicle, with the speed w. */
hys_status acc_lead_swap(acc_lead *lead, double t, double w);
/* The last piece: it keeps its speed. */
hys_status acc_lead_end(acc_lead *lead);

#endif
