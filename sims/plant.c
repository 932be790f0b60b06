#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sims/plant_internal.h"

enum {
  MAX_CHAIN = 64,     /* jumps at one instant */
  MAX_STANDSTILL = 64 /* steps in a row that make no progress */
};

/* Relative to 1 + sum |a_j f_j|: a touched half-space is being left from this speed on. */
#define SLOPE 1e-9
/* Slack of guards, resets and invariants at a jump: borders are found to about the touch. */
#define GUARD 1e-9

void hys_plant_config_default(hys_plant_config *config) {
  memset(config, 0, sizeof *config);
  config->step_max = 0.05;
  config->tolerance = 1e-10;
  config->seed = 1;
  config->stop_at_bad = true;
}

/* ---- half-spaces */

double hysi_plant_row(const hys_halfspace *row, size_t nx, const double *x, size_t nu, const double *u,
                      double *scale) {
  const double c = hys_interval_mid(row->c);
  double sum = -c, size = 1 + fabs(c);
  for (size_t i = 0; i < nx + nu; i++) {
    const double a = hys_interval_mid(row->a[i]);
    if (a == 0 || (i >= nx && u == NULL))
      continue;
    const double term = a * (i < nx ? x[i] : u[i - nx]);
    sum += term;
    size += fabs(term);
  }
  if (scale != NULL)
    *scale = size;
  return sum;
}

static bool conjunction_holds(const hys_conjunction *set, size_t nx, const double *x, size_t nu,
                              const double *u) {
  for (uint32_t r = 0; r < set->n; r++) {
    double scale;
    if (!(hysi_plant_row(&set->row[r], nx, x, nu, u, &scale) <= GUARD * scale))
      return false;
  }
  return true;
}

/* Signed distance to a region: the largest row, each over the length of its normal. */
double hysi_plant_distance(const hys_conjunction *set, size_t nx, const double *x, uint32_t *active) {
  double worst = -HYSI_INF;
  for (uint32_t r = 0; r < set->n; r++) {
    double norm = 0;
    for (size_t i = 0; i < nx; i++)
      norm = hypot(norm, hys_interval_mid(set->row[r].a[i]));
    const double value = hysi_plant_row(&set->row[r], nx, x, 0, NULL, NULL) / (norm > 0 ? norm : 1);
    if (value > worst) {
      worst = value;
      if (active != NULL)
        *active = r;
    }
  }
  return worst;
}

bool hysi_plant_region_here(const hys_region *region, uint32_t location) {
  return region->location == HYS_ANY_LOCATION || region->location == location;
}

bool hysi_plant_region_strict(const hys_region *region) {
  for (uint32_t r = 0; r < region->set.n; r++) {
    if (region->set.row[r].strict)
      return true;
  }
  return false;
}

double hys_plant_margin(const hys_automaton *automaton, uint32_t location, const double *x) {
  double least = HYSI_NAN;
  for (uint32_t k = 0; k < automaton->n_forbidden; k++) {
    if (!hysi_plant_region_here(&automaton->forbidden[k], location))
      continue;
    const double value = hysi_plant_distance(&automaton->forbidden[k].set, automaton->nx, x, NULL);
    if (!(value >= least))
      least = value;
  }
  return least;
}

/* ---- the flow */

static void rates(const hys_plant *p, const double *x, double *f) {
  const size_t nx = p->h->nx;
  for (size_t i = 0; i < nx; i++) {
    double sum = p->bias[i];
    for (size_t j = 0; j < nx; j++)
      sum += p->a[i * nx + j] * x[j];
    f[i] = sum;
  }
}

int hysi_plant_rates(double t, const double *x, double *f, void *context) {
  (void)t;
  rates(context, x, f);
  return GSL_SUCCESS;
}

static void load_flow(hys_plant *p) {
  const size_t nx = p->h->nx, nu = p->h->nu;
  const hys_flow *flow = &p->h->location[p->seen.location].flow;
  for (size_t i = 0; i < nx; i++) {
    for (size_t j = 0; j < nx; j++)
      p->a[i * nx + j] = flow->still ? 0 : hys_interval_mid(flow->a[i * nx + j]);
    p->bias[i] = flow->still ? 0 : hys_interval_mid(flow->c[i]);
    for (size_t j = 0; j < nu && !flow->still; j++)
      p->bias[i] += hys_interval_mid(flow->b[i * nu + j]) * p->u[j];
  }
  p->fresh = true;
}

static double clamp(double v, hys_interval range) {
  return v < range.lo ? range.lo : v > range.hi ? range.hi : v;
}

static void ask_inputs(hys_plant *p) {
  const hys_location *here = &p->h->location[p->seen.location];
  double wish[HYS_MAX_INPUTS];
  for (size_t j = 0; j < p->h->nu; j++) {
    const double none = here->u[j].lo <= 0 && 0 <= here->u[j].hi ? 0 : hys_interval_mid(here->u[j]);
    p->u[j] = wish[j] = none;
  }
  if (p->config.inputs.value != NULL)
    p->config.inputs.value(p->config.inputs.context, p->seen.t, p->x, wish);
  bool moved = false;
  for (size_t j = 0; j < p->h->nu; j++) {
    const double got = clamp(wish[j], here->u[j]);
    moved = moved || got != wish[j];
    if (isfinite(got))
      p->u[j] = got;
  }
  p->seen.clamped += moved;
  p->next_break = HYSI_INF;
  if (p->config.inputs.next_break != NULL) {
    const double at = p->config.inputs.next_break(p->config.inputs.context, p->seen.t);
    if (at > p->seen.t)
      p->next_break = at;
  }
  p->inputs_due = false;
  load_flow(p);
}

/* Along the flow. */
double hysi_plant_slope(const hys_plant *p, const hys_halfspace *row, const double *x, double *scale) {
  double f[HYS_MAX_STATES], sum = 0, size = 1;
  rates(p, x, f);
  for (size_t i = 0; i < p->h->nx; i++) {
    const double term = hys_interval_mid(row->a[i]) * f[i];
    sum += term;
    size += fabs(term);
  }
  if (scale != NULL)
    *scale = size;
  return sum;
}

static bool row_left(const hys_plant *p, const hys_halfspace *row) {
  double size, speed;
  const double value = hysi_plant_row(row, p->h->nx, p->x, 0, NULL, &size);
  const double slope = hysi_plant_slope(p, row, p->x, &speed);
  return (value >= -HYSI_PLANT_TOUCH * size && slope > SLOPE * speed) ||
         (value > 0.5 * HYSI_PLANT_TOUCH * size && slope > 0);
}

static bool invariant_left(const hys_plant *p) {
  const hys_conjunction *invariant = &p->h->location[p->seen.location].invariant;
  for (uint32_t r = 0; r < invariant->n; r++) {
    if (row_left(p, &invariant->row[r]))
      return true;
  }
  return false;
}

/* Moves the inputs so that no touched row of the invariant is being left; false if they cannot. */
static bool keep_invariant(hys_plant *p) {
  const hys_location *here = &p->h->location[p->seen.location];
  const size_t nx = p->h->nx, nu = p->h->nu;
  for (uint32_t r = 0; r < here->invariant.n; r++) {
    const hys_halfspace *row = &here->invariant.row[r];
    if (!row_left(p, row))
      continue;
    for (size_t j = 0; j < nu; j++) {
      const double slope = hysi_plant_slope(p, row, p->x, NULL);
      double gain = 0;
      for (size_t i = 0; i < nx; i++)
        gain += hys_interval_mid(row->a[i]) * hys_interval_mid(here->flow.b[i * nu + j]);
      if (gain == 0 || !(slope > 0))
        continue;
      p->u[j] = clamp(p->u[j] - slope / gain, here->u[j]);
      load_flow(p);
    }
    /* Onto the border itself, where one variable says what that is. */
    size_t only = nx, count = 0;
    for (size_t i = 0; i < nx; i++) {
      if (hys_interval_mid(row->a[i]) != 0) {
        only = i;
        count++;
      }
    }
    if (count == 1)
      p->x[only] = hys_interval_mid(row->c) / hys_interval_mid(row->a[only]);
  }
  p->seen.clamped++;
  return !invariant_left(p);
}

/* ---- jumps */

/* Curved rows at a point, with the slack of the others. */
static bool curved_hold(const hys_jump *jump, size_t nx, const double *x, size_t nu, const double *u) {
  double both[HYS_MAX_STATES + HYS_MAX_INPUTS], scratch[HYS_MAX_CURVED_NODES];
  memcpy(both, x, nx * sizeof *x);
  memcpy(both + nx, u, nu * sizeof *u);
  for (uint32_t k = 0; k < jump->n_curved; k++) {
    const hys_expr *tree = &jump->curved[k].tree;
    if (!(hys_expr_eval_point(tree, tree->n - 1, both, NULL, NULL, scratch) <= GUARD))
      return false;
  }
  return true;
}

static bool try_jump(const hys_plant *p, const hys_jump *jump, size_t n, const uint32_t *states,
                     const double *value, double *x, gsl_rng *rng) {
  const size_t nx = p->h->nx, nu = p->h->nu;
  double u[HYS_MAX_INPUTS] = {0};
  memcpy(u, p->u, nu * sizeof *u);
  /* A value that the reset reads from an input is that input. */
  for (size_t k = 0; k < n; k++) {
    const hys_reset_row *reset = &jump->reset[states[k]];
    for (size_t j = 0; !reset->identity && reset->coef != NULL && j < nu; j++) {
      if (hys_interval_mid(reset->coef[nx + j]) == 1)
        u[j] = value[k];
    }
  }
  if (!conjunction_holds(&jump->guard, nx, p->x, nu, u) || !curved_hold(jump, nx, p->x, nu, u))
    return false;
  for (size_t i = 0; i < nx; i++) {
    const hys_reset_row *reset = &jump->reset[i];
    const double *given = NULL;
    for (size_t k = 0; k < n; k++) {
      if (states[k] == i)
        given = &value[k];
    }
    if (reset->identity) {
      if (given != NULL)
        return false;
      x[i] = p->x[i];
      continue;
    }
    double base = 0, size = 1;
    for (size_t j = 0; reset->coef != NULL && j < nx + nu; j++) {
      const double term = hys_interval_mid(reset->coef[j]) * (j < nx ? p->x[j] : u[j - nx]);
      base += term;
      size += fabs(term);
    }
    const hys_interval range = reset->offset;
    if (given != NULL) {
      if (!(*given >= base + range.lo - GUARD * size && *given <= base + range.hi + GUARD * size))
        return false;
      x[i] = *given;
    } else if (rng != NULL && range.lo < range.hi && isfinite(range.hi - range.lo)) {
      x[i] = base + range.lo + (range.hi - range.lo) * gsl_rng_uniform(rng);
    } else {
      x[i] = base + hys_interval_mid(range);
    }
    if (!isfinite(x[i]))
      return false;
  }
  return conjunction_holds(&p->h->location[jump->target].invariant, nx, x, 0, NULL);
}

static void look_for_bad(hys_plant *p) {
  for (uint32_t k = 0; k < p->h->n_forbidden; k++) {
    const hys_region *region = &p->h->forbidden[k];
    if (!hysi_plant_region_here(region, p->seen.location))
      continue;
    const double value = hysi_plant_distance(&region->set, p->h->nx, p->x, NULL);
    if (!(value >= p->seen.margin)) {
      p->seen.margin = value;
      p->seen.margin_at = p->seen.t;
    }
    if (!p->seen.bad && (hysi_plant_region_strict(region) ? value < 0 : value <= 0)) {
      p->seen.bad = true;
      p->seen.bad_at = p->seen.t;
      p->seen.bad_region = k;
    }
  }
}

static bool take_jump(hys_plant *p, int32_t label, size_t n, const uint32_t *states, const double *value) {
  const hys_location *here = &p->h->location[p->seen.location];
  double x[HYS_MAX_STATES];
  for (uint32_t k = 0; k < here->n_jumps; k++) {
    const hys_jump *jump = &p->h->jump[here->jump[k]];
    if (jump->label != label ||
        !try_jump(p, jump, n, states, value, x, p->config.draw_resets ? p->rng : NULL))
      continue;
    memcpy(p->x, x, p->h->nx * sizeof *x);
    p->seen.location = jump->target;
    p->seen.jumps++;
    p->inputs_due = true;
    look_for_bad(p);
    return true;
  }
  return false;
}

/* Whatever has to happen before time can pass.  A timelock is said in the view. */
static void settle(hys_plant *p) {
  for (int chain = 0; chain < MAX_CHAIN; chain++) {
    if (p->inputs_due)
      ask_inputs(p);
    const bool still = p->h->location[p->seen.location].flow.still;
    if (p->seen.bad && p->config.stop_at_bad)
      return;
    if (!still && !invariant_left(p))
      return;
    if (take_jump(p, HYS_NO_LABEL, 0, NULL, NULL))
      continue;
    if (!still && keep_invariant(p))
      return;
    break;
  }
  p->seen.timelock = true;
  p->seen.timelock_at = p->seen.t;
}

/* ---- the interface */

hys_status hys_plant_create(hys_plant **plant, const hys_automaton *automaton, const hys_plant_config *config,
                            const hys_allocator *allocator) {
  if (plant == NULL)
    return HYS_ERR_ARG;
  *plant = NULL;
  hys_plant_config defaults;
  hys_plant_config_default(&defaults);
  if (config == NULL)
    config = &defaults;
  if (automaton == NULL || !(config->step_max > 0 && isfinite(config->step_max)) || !(config->tolerance > 0))
    return HYS_ERR_ARG;
  if (automaton->nx == 0 || automaton->nx > HYS_MAX_STATES || automaton->nu > HYS_MAX_INPUTS)
    return HYS_ERR_LIMIT;
  hys_plant *p = allocator != NULL ? allocator->allocate(allocator->context, sizeof *p) : malloc(sizeof *p);
  if (p == NULL)
    return HYS_ERR_MEMORY;
  memset(p, 0, sizeof *p);
  p->h = automaton;
  p->config = *config;
  if (allocator != NULL)
    p->allocator = *allocator;
  p->step = gsl_odeiv2_step_alloc(gsl_odeiv2_step_rk8pd, automaton->nx);
  p->probe = gsl_odeiv2_step_alloc(gsl_odeiv2_step_rk8pd, automaton->nx);
  p->control = gsl_odeiv2_control_y_new(config->tolerance, config->tolerance);
  p->evolve = gsl_odeiv2_evolve_alloc(automaton->nx);
  p->solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
  p->rng = gsl_rng_alloc(gsl_rng_mt19937);
  if (p->step == NULL || p->probe == NULL || p->control == NULL || p->evolve == NULL || p->solver == NULL ||
      p->rng == NULL) {
    hys_plant_destroy(p);
    return HYS_ERR_MEMORY;
  }
  *plant = p;
  return HYS_OK;
}

void hys_plant_destroy(hys_plant *plant) {
  if (plant == NULL)
    return;
  if (plant->rng != NULL)
    gsl_rng_free(plant->rng);
  if (plant->solver != NULL)
    gsl_root_fsolver_free(plant->solver);
  if (plant->evolve != NULL)
    gsl_odeiv2_evolve_free(plant->evolve);
  if (plant->control != NULL)
    gsl_odeiv2_control_free(plant->control);
  if (plant->probe != NULL)
    gsl_odeiv2_step_free(plant->probe);
  if (plant->step != NULL)
    gsl_odeiv2_step_free(plant->step);
  const hys_allocator allocator = plant->allocator;
  if (allocator.release != NULL)
    allocator.release(allocator.context, plant);
  else
    free(plant);
}

hys_status hys_plant_start(hys_plant *plant, double t, uint32_t location, const double *x) {
  if (plant == NULL || x == NULL || !isfinite(t) || location >= plant->h->n_locations)
    return HYS_ERR_ARG;
  for (size_t i = 0; i < plant->h->nx; i++) {
    if (!isfinite(x[i]))
      return HYS_ERR_ARG;
  }
  plant->started = false;
  if (!conjunction_holds(&plant->h->location[location].invariant, plant->h->nx, x, 0, NULL))
    return HYS_ERR_INPUT;
  memcpy(plant->x, x, plant->h->nx * sizeof *x);
  plant->seen = (hys_plant_view){.t = t,
                                 .location = location,
                                 .x = plant->x,
                                 .u = plant->u,
                                 .bad_at = HYSI_NAN,
                                 .margin = HYSI_NAN,
                                 .margin_at = HYSI_NAN,
                                 .timelock_at = HYSI_NAN};
  plant->started = true;
  plant->inputs_due = true;
  gsl_rng_set(plant->rng, (unsigned long)(plant->config.seed ^ (plant->config.seed >> 32)));
  look_for_bad(plant);
  return HYS_OK;
}

hys_status hys_plant_advance(hys_plant *plant, double until) {
  if (plant == NULL || !isfinite(until))
    return HYS_ERR_ARG;
  if (!plant->started)
    return HYS_ERR_STATE;
  if (until < plant->seen.t)
    return plant->seen.timelock || (plant->seen.bad && plant->config.stop_at_bad) ? HYS_OK : HYS_ERR_ARG;
  int standstill = 0;
  while (plant->seen.t < until) {
    if (plant->seen.timelock)
      return HYS_OK;
    settle(plant);
    if (plant->seen.timelock || (plant->seen.bad && plant->config.stop_at_bad))
      return HYS_OK;
    const double before = plant->seen.t;
    const hys_status status = hysi_plant_step(plant, plant->next_break < until ? plant->next_break : until);
    if (status != HYS_OK)
      return status;
    if (plant->seen.t >= plant->next_break)
      plant->inputs_due = true;
    standstill = plant->seen.t > before ? 0 : standstill + 1;
    if (standstill > MAX_STANDSTILL)
      return HYS_ERR_NUMERIC;
  }
  return HYS_OK;
}

hys_status hys_plant_fire(hys_plant *plant, int32_t label, size_t n, const uint32_t *states,
                          const double *value, bool *taken) {
  if (plant == NULL || taken == NULL || (n > 0 && (states == NULL || value == NULL)))
    return HYS_ERR_ARG;
  *taken = false;
  for (size_t k = 0; k < n; k++) {
    if (states[k] >= plant->h->nx || !isfinite(value[k]))
      return HYS_ERR_ARG;
  }
  if (!plant->started)
    return HYS_ERR_STATE;
  if (plant->seen.timelock)
    return HYS_OK;
  if (plant->inputs_due)
    ask_inputs(plant);
  *taken = take_jump(plant, label, n, states, value);
  return HYS_OK;
}

hys_status hys_plant_place(hys_plant *plant, uint32_t location, const double *x) {
  if (plant == NULL || x == NULL || location >= plant->h->n_locations)
    return HYS_ERR_ARG;
  if (!plant->started)
    return HYS_ERR_STATE;
  for (size_t i = 0; i < plant->h->nx; i++) {
    if (!isfinite(x[i]))
      return HYS_ERR_ARG;
  }
  if (!conjunction_holds(&plant->h->location[location].invariant, plant->h->nx, x, 0, NULL))
    return HYS_ERR_INPUT;
  memcpy(plant->x, x, plant->h->nx * sizeof *x);
  plant->seen.location = location;
  plant->inputs_due = true;
  look_for_bad(plant);
  return HYS_OK;
}

bool hys_plant_enabled(const hys_plant *plant, int32_t label, size_t n, const uint32_t *states,
                       const double *value) {
  if (plant == NULL || !plant->started || plant->seen.timelock)
    return false;
  const hys_location *here = &plant->h->location[plant->seen.location];
  double x[HYS_MAX_STATES];
  for (uint32_t k = 0; k < here->n_jumps; k++) {
    const hys_jump *jump = &plant->h->jump[here->jump[k]];
    if (jump->label == label && try_jump(plant, jump, n, states, value, x, NULL))
      return true;
  }
  return false;
}

void hys_plant_look(const hys_plant *plant, hys_plant_view *view) {
  *view = plant->seen;
  view->x = plant->x;
  view->u = plant->u;
}
