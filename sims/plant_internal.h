/* What the two files of the plant share. */
#ifndef HYSHIELD_SIMS_PLANT_INTERNAL_H
#define HYSHIELD_SIMS_PLANT_INTERNAL_H

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_roots.h>

#include "sims/plant.h"

enum {
  HYSI_PLANT_PIECES = 8 /* of an accepted step: borders are bracketed on these */
};

/* Relative to 1 + |c| + sum |a_j x_j| of a half-space: this near to its border it is touched; also the most
 * that it may be left by. */
#define HYSI_PLANT_TOUCH 1e-11

struct hys_plant {
  const hys_automaton *h;
  hys_plant_config config;
  hys_allocator allocator;
  gsl_odeiv2_step *step, *probe;
  gsl_odeiv2_control *control;
  gsl_odeiv2_evolve *evolve;
  gsl_root_fsolver *solver;
  gsl_rng *rng;
  bool started, inputs_due, fresh; /* fresh: the integrator has to forget the past */
  double next_break, step_hint;
  double a[HYS_MAX_STATES * HYS_MAX_STATES],
      bias[HYS_MAX_STATES]; /* of the location, with the inputs in force */
  double x[HYS_MAX_STATES], u[HYS_MAX_INPUTS];
  double sub[HYSI_PLANT_PIECES + 1][HYS_MAX_STATES]; /* the step that is being examined */
  double width;                                      /* of a piece of it */
  hys_plant_view seen;
};

/* a . (x,u) - c of a half-space at the midpoints; u NULL = without the inputs.  scale (may be NULL) is the
 * size of the terms, to which rounding is relative. */
double hysi_plant_row(const hys_halfspace *row, size_t nx, const double *x, size_t nu, const double *u,
                      double *scale);
/* Its derivative along the flow. */
double hysi_plant_slope(const hys_plant *p, const hys_halfspace *row, const double *x, double *scale);
/* Signed distance to a region: the largest row (number in active, may be NULL), each over the length of its
 * normal. */
double hysi_plant_distance(const hys_conjunction *set, size_t nx, const double *x, uint32_t *active);
bool hysi_plant_region_here(const hys_region *region, uint32_t location);
bool hysi_plant_region_strict(const hys_region *region);
/* The right-hand side for GSL: context is the plant. */
int hysi_plant_rates(double t, const double *x, double *f, void *context);
/* One accepted step of the integrator towards `stop`, cut at the first border of the invariant or
 * (stop_at_bad) at the entry into Bad. */
hys_status hysi_plant_step(hys_plant *p, double stop);

#endif
