/* What the files of the point simulator share. */
#ifndef HYSHIELD_SIMS_TRAJECTORY_INTERNAL_H
#define HYSHIELD_SIMS_TRAJECTORY_INTERNAL_H

#include <gsl/gsl_odeiv2.h>
#include <gsl/gsl_rng.h>

#include "sims/trajectory.h"

enum { HYSI_PIECES = 4 /* of an accepted step: borders are bracketed on these */ };

/* Relative to the size of a condition's terms: this near to its border it is touched. */
#define HYSI_TOUCH 1e-9

typedef struct hysi_trajectory {
  const hys_hybrid *automaton;
  const hys_trajectory_config *config;
  size_t n;
  gsl_rng *rng;
  gsl_odeiv2_step *step, *probe;
  gsl_odeiv2_control *control;
  gsl_odeiv2_evolve *evolve;
  double *x, *error, *end, *sub[HYSI_PIECES + 1], *slack, *trial; /* n each; x owns them all */
  hys_interval *hull;                                             /* n */
  double *point;                                                  /* scratch of trees */
  hys_interval *scratch;
  size_t scratch_size;
  uint32_t index;
  const hys_hybrid_location *location;
  double t, width;
} hysi_trajectory;

/* Value of a condition at a point, and the size of its terms. */
double hysi_point_value(const hysi_trajectory *a, const hys_condition *c, const double *x, double *size);
double hysi_point_number(const hysi_trajectory *a, bool affine, const hys_affine *row, const hys_expr *value,
                         const double *x);
/* The condition holds, up to HYSI_TOUCH. */
bool hysi_point_holds(const hysi_trajectory *a, const hys_condition *c, const double *x);
bool hysi_point_all_hold(const hysi_trajectory *a, const hys_conditions *c, const double *x);
/* Writes the defined variables. */
void hysi_point_define(const hysi_trajectory *a, const hys_hybrid_location *l, double *x);
hys_status hysi_point_scratch(hysi_trajectory *a, size_t n);
hys_status hysi_point_location(hysi_trajectory *a, uint32_t index, const hys_hybrid_location **out);
double hysi_point_draw(const hysi_trajectory *a, hys_draw how, hys_interval x);

/* The first instant of the step just made (from a->x to a->end, length s; a->sub are its pieces) at which the
 * condition stops holding (leaving) or begins to hold; INFINITY: none. */
double hysi_point_first(hysi_trajectory *a, const hys_condition *c, bool leaving);
/* The state s after a->x. false: the integrator failed. */
bool hysi_point_after(hysi_trajectory *a, double s, double *x);
int hysi_point_rates(double t, const double *x, double *f, void *context);

/* A start: location and state. HYS_ERR_INPUT: none found. */
hys_status hysi_point_start(hysi_trajectory *a);

#endif
