/* The exact answers of adaptive cruise control, double integrator, to which the engine's are compared.
 *
 * Plain double arithmetic, rounded to nearest: an oracle for tests, not an enclosure. It shares no code with
 * the engine. SI units. d gap, v speed of the ego vehicle, w speed of the vehicle ahead (both not negative),
 * a acceleration in force. The worst that the vehicle ahead can do is to brake at B from now to standstill.
 * The ego vehicle stays at standstill once it has come to it. */
#ifndef HYSHIELD_TESTS_ORACLE_ACC_ORACLE_H
#define HYSHIELD_TESTS_ORACLE_ACC_ORACLE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct acc_car {
  double d, v, w;
} acc_car;

typedef struct acc_set {
  const char *name;
  double d_min;
  double b; /* braking of the ego vehicle, m/s^2, positive */
  double B; /* hardest braking of the vehicle ahead, m/s^2, positive */
} acc_set;

/* The main set first, then the three others. */
enum { ACC_SETS = 4 };
extern const acc_set acc_sets[ACC_SETS];

typedef struct acc_timing {
  double compute_min;   /* Cmin */
  double deadline;      /* C */
  double actuation_min; /* rho- */
  double actuation_max; /* rho+ */
  double timer_late;    /* theta */
  double stamp_error;   /* sigma */
} acc_timing;
extern const acc_timing acc_timing_main;

typedef struct acc_errors {
  double d, v, w;
} acc_errors;
extern const acc_errors acc_errors_main;

/* Accelerations of the discrete commands that do not depend on the set. */
#define ACC_ACCELERATE 2.0
#define ACC_COAST (-0.5)

/* The gap that must remain when the ego vehicle begins to brake at b and the vehicle ahead at B at the same
 * instant, so that the gap never falls below zero: the largest fall of the gap from then on. */
double acc_need(double v, double w, double b, double B);

/* The difference of stopping distances (what RSS asks for without its response time): not enough when b > B.
 */
double acc_stopping_difference(double v, double w, double b, double B);

/* Braking from now on keeps d >= d_min for ever. */
bool acc_safe_for_ever(acc_car c, const acc_set *set);

/* Moves both vehicles on by dt, the ego vehicle at a and the vehicle ahead at -B, each until it stands;
 * returns the smallest gap on the way. */
double acc_advance(acc_car *c, double a, double dt, double B);

/* The ego vehicle at a until s, then braking: d >= d_min for ever. */
bool acc_good(acc_car c, double a, double s, const acc_set *set);

/* The latest instant of braking: the end of the interval of good s, for -b < a, by bisection to the last bit;
 * for a <= -b infinite if good at all. -INFINITY: too late already; INFINITY: no need to brake. */
double acc_tau(acc_car c, double a, const acc_set *set);

/* The same in closed form; only for b <= B, else NaN. */
double acc_tau_closed(acc_car c, double a, const acc_set *set);

/* The latest instant to which the timer of an armed braking may be set, given when it is decided at 0; and
 * with the events of acc_cutin, whose guard leaves `react' seconds (0 = without). */
double acc_latest_insertion(acc_car c, double a, const acc_set *set, const acc_timing *timing, double react);

/* A command that makes the acceleration e, decided now while the acceleration in force is a, and a braking
 * armed behind it as early as can be, keep d >= d_min for ever. For a box pass its worst corner: (d_lo, v_hi,
 * w_lo) and a_hi. */
bool acc_passable(acc_car c, double a, double e, const acc_set *set, const acc_timing *timing);

/* How far inside S a start is, in metres of gap (negative: outside): with the acceleration a kept until a
 * first braking takes effect, the least of d - d_min on the way and d - d_min - need at its end. The worst
 * corner of the estimate. */
double acc_start_margin(acc_car c, double a, const acc_set *set, const acc_timing *timing);

/* The worst corner of the estimate after a first sample, whatever the reading: a reading is off by the error
 * at most, and the estimate by the error again; the stamp's error is time that may have passed. */
acc_car acc_worst_first_estimate(acc_car truth, double a, const acc_set *set, const acc_timing *timing,
                                 const acc_errors *errors);

/* The guard of cut_in: the intruder at this gap and speed can still be survived after react seconds at a_max.
 */
bool acc_cut_in_allowed(double gap, double speed, double v, const acc_set *set, double react, double a_max);

/* UN R157: a cut-in must be survived when the time to collision exceeds v_rel / 12 + 0.35 s: the gap at which
 * it equals that; 0 when the intruder is not slower. */
double acc_r157_gap(double v, double speed);

#endif
