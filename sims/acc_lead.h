/* The vehicle ahead: its acceleration as a function of time.
 *
 * Every profile is made once into pieces of constant acceleration within [-brake_max, accel_max] under which
 * the speed never falls below zero; the ends of the pieces are declared, so that an integrator can stop at
 * each of them. SI units: s, m, m/s, m/s^2. Create and destroy are set-up calls; the others neither allocate
 * nor change anything. */
#ifndef HYSHIELD_SIMS_ACC_LEAD_H
#define HYSHIELD_SIMS_ACC_LEAD_H

#include <stddef.h>
#include <stdint.h>

#include "core/allocator.h"
#include "core/rt/status.h"

enum {
  ACC_LEAD_MAX_PIECES = 1000000, /* of one profile */
  ACC_LEAD_MAX_ROWS = 200000,    /* of a recorded drive */
  ACC_LEAD_MAX_LINE = 4096       /* bytes of a line of a recorded drive */
};

typedef enum acc_lead_kind {
  ACC_LEAD_STEADY,      /* keeps its speed */
  ACC_LEAD_BRAKE,       /* from `start` brakes at `rate` to standstill */
  ACC_LEAD_BANG_BANG,   /* from `start`, every `period`, at random -rate or +rate_up, so that the mean is zero
                         */
  ACC_LEAD_OSCILLATING, /* from `start` a sine of amplitude `rate` and length `period`, in steps of period /
                           20 */
  ACC_LEAD_STOP_AND_GO, /* from `start`: brake at `rate` to standstill, stand `period`, go at `rate_up` to the
                           first speed, keep it `period`, again */
  ACC_LEAD_TABLE,       /* speeds at given instants, linear in between; the last one is kept */
  ACC_LEAD_RECORDED     /* only made by acc_lead_read */
} acc_lead_kind;

typedef struct acc_lead_point {
  double t; /* s, increasing, the first 0 */
  double w; /* m/s, not negative */
} acc_lead_point;

typedef struct acc_lead_profile {
  acc_lead_kind kind;
  double start;     /* s */
  double rate;      /* m/s^2, a positive number; 0 = the bound of braking */
  double rate_up;   /* m/s^2; 0 = the bound of accelerating */
  double period;    /* s */
  double speed_max; /* m/s, of BANG_BANG; 0 = 40 */
  uint64_t seed;    /* of BANG_BANG */
  const acc_lead_point *point;
  size_t n_points;
  /* Another vehicle takes the place of the first at `swap_at` and keeps its speed; infinite = never. */
  double swap_at, swap_speed;
} acc_lead_profile;

typedef struct acc_lead_bounds {
  double brake_max; /* B > 0, m/s^2 */
  double accel_max; /* A > 0, m/s^2 */
} acc_lead_bounds;

/* What was found in a recorded drive (columns t, v_lead, v_follow, gap in any order, others ignored; `t [s]'
 * is t). */
typedef struct acc_recording {
  size_t rows;     /* read */
  size_t clamped;  /* rows whose speed cannot be reached within the bounds of acceleration: followed as
                      closely as the bounds allow */
  size_t negative; /* rows with a speed below zero, taken as zero */
  size_t dropped;  /* rows that are not numbers or do not move on in time: left out */
  double largest_deviation; /* m/s, between the profile's speed and the recorded one, at the rows kept */
  double duration;          /* s, from the first row to the last */
  double d, v, w;           /* first row: gap, v_follow, v_lead; NaN where the column is absent */
  size_t bad_line;          /* with HYS_ERR_INPUT, HYS_ERR_LIMIT: the line, from 1 */
  const char *problem;      /* and what is wrong with it, in words; a constant string */
} acc_recording;

typedef struct acc_lead acc_lead;

/* Makes the profile of a vehicle that has the speed w0 at t = 0, up to t = duration; afterwards it keeps its
 * speed. Rates beyond the bounds are clamped to them. allocator NULL = malloc. *lead is NULL unless HYS_OK.
 * HYS_ERR_ARG (a number is not finite or has the wrong sign, points out of order), HYS_ERR_LIMIT (too many
 * pieces), HYS_ERR_MEMORY. The points are not kept. */
hys_status acc_lead_create(acc_lead **lead, const acc_lead_profile *profile, double w0, double duration,
                           const acc_lead_bounds *bounds, const hys_allocator *allocator);

/* Reads a recorded drive, CSV, in SI unless the header says otherwise (v_lead [km/h]). Acceleration is what
 * reaches the next recorded speed, clamped to the bounds. report is filled also on failure. HYS_ERR_OPEN,
 * HYS_ERR_INPUT (no header, no column t or v_lead, a unit of another kind, a row with too few fields, fewer
 * than two rows), HYS_ERR_LIMIT, HYS_ERR_ARG, HYS_ERR_MEMORY. */
hys_status acc_lead_read(acc_lead **lead, acc_recording *report, const char *path,
                         const acc_lead_bounds *bounds, const hys_allocator *allocator);

void acc_lead_destroy(acc_lead *lead); /* NULL is allowed */

/* Acceleration at t of a vehicle that has the speed w: the piece that holds t (at a break the one that
 * starts), but never negative when w <= 0. */
double acc_lead_accel(const acc_lead *lead, double t, double w);

/* The first instant after t at which the acceleration may change; INFINITY = none. */
double acc_lead_next_break(const acc_lead *lead, double t);

/* The speed at t that the profile was made with. */
double acc_lead_speed(const acc_lead *lead, double t);

size_t acc_lead_pieces(const acc_lead *lead);

#endif
