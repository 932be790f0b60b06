#include "sims/trajectory.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>

#include "core/allocator.h"
#include "core/contract.h"
#include "sims/trajectory_internal.h"

/* Jumps without time between them before the run is called Zeno; tries to find values of the free variables
 * that keep the invariant; steps of the integrator in a horizon at the least. */
enum { ZENO_JUMPS = 1000, VALUE_TRIES = 40, STEPS_AT_LEAST = 200, NARROWING_ROUNDS = 4 };

void hys_trajectory_config_default(hys_trajectory_config *config, double time_horizon) {
  memset(config, 0, sizeof *config);
  config->time_horizon = time_horizon;
  config->hold = time_horizon / 20.0;
  config->tolerance = 1e-10;
  config->max_jumps = 10000;
  config->seed = 1;
  config->stop_at_forbidden = true;
}

const char *hys_trajectory_end_text(hys_trajectory_end end) {
  switch (end) {
  case HYS_END_HORIZON:
    return "horizon";
  case HYS_END_FORBIDDEN:
    return "forbidden";
  case HYS_END_TIMELOCK:
    return "timelock";
  case HYS_END_JUMPS:
    return "jumps";
  case HYS_END_ZENO:
    return "zeno";
  case HYS_END_BLOW_UP:
    return "blow-up";
  case HYS_END_STOPPED:
    return "stopped";
  }
  return "?";
}

typedef struct run {
  hysi_trajectory a;
  const hys_hybrid_set *forbidden;
  uint32_t n_forbidden;
  double draw_at, jump_at; /* when values are drawn, and (haste by chance) when a jump is due */
  size_t script;           /* entries that lie behind */
  bool fresh;              /* the integrator has to forget the past */
  double hint;
  uint32_t at_once; /* jumps since time last passed */
  bool (*row)(void *context, const hys_trajectory_row *row);
  void *context;
  hys_trajectory_result *result;
  bool over;
} run;

static double unit(run *r) {
  return gsl_rng_uniform(r->a.rng);
}

static void tell(run *r, const hys_hybrid_jump *jump) {
  const hys_trajectory_row row = {r->a.t, r->a.index, r->a.location, r->a.x, jump};

  if (r->row != NULL && !r->row(r->context, &row)) {
    r->over = true;
    r->result->end = HYS_END_STOPPED;
  }
}

static void stop(run *r, hys_trajectory_end end) {
  if (!r->over)
    r->result->end = end;
  r->over = true;
}

/* ---- free variables ---- */

static const hys_script_entry *in_force(const run *r) {
  return r->script > 0 ? &r->a.config->script[r->script - 1] : NULL;
}

/* New values of the free variables and of what a flow leaves open, inside the invariant at this state. */
static void draw_values(run *r, hys_draw how) {
  hysi_trajectory *a = &r->a;
  const hys_script_entry *script = in_force(r);

  for (size_t i = 0; i < a->n; i++) {
    const hys_rate *rate = &a->location->rate[i];
    a->hull[i] = rate->motion == HYS_MOTION_FREE || rate->motion == HYS_MOTION_DEFINED
                     ? hys_interval_entire()
                     : hys_interval_make(a->x[i] - HYSI_TOUCH * (1 + fabs(a->x[i])),
                                         a->x[i] + HYSI_TOUCH * (1 + fabs(a->x[i])));
    a->slack[i] = rate->motion == HYS_MOTION_FLOW ? hysi_point_draw(a, how, rate->slack) : 0.0;
  }
  for (size_t i = 0; i < a->n; i++) {
    if (a->location->rate[i].motion != HYS_MOTION_FREE)
      continue;
    if (!hys_conditions_contract(&a->location->invariant, a->hull, NARROWING_ROUNDS, a->scratch))
      break; /* the values before stay */
    a->x[i] = script != NULL && !isnan(script->value[i])
                  ? fmin(fmax(script->value[i], a->hull[i].lo), a->hull[i].hi)
                  : hysi_point_draw(a, how, a->hull[i]);
    a->hull[i] = hys_interval_point(a->x[i]);
  }
  hysi_point_define(a, a->location, a->x);
  r->draw_at = a->t + a->config->hold;
  r->fresh = true;
}

/* ---- jumps ---- */

/* One of the jumps that are enabled now, by chance; label: only with that one (HYS_NO_LABEL - 1: any). */
static const hys_hybrid_jump *enabled_jump(run *r, int32_t label, bool only_must) {
  const hysi_trajectory *a = &r->a;
  const hys_hybrid_jump *found = NULL;
  unsigned n = 0;

  for (uint32_t j = 0; j < a->location->n_jumps; j++) {
    const hys_hybrid_jump *jump = &a->location->jump[j];
    if ((label >= HYS_NO_LABEL && jump->label != label) || (only_must && !jump->must))
      continue;
    if (hysi_point_all_hold(a, &jump->guard, a->x) && gsl_rng_uniform_int(a->rng, ++n) == 0)
      found = jump;
  }
  return found;
}

/* Takes a jump; false: its target's invariant does not hold there (the state is as before). */
static bool take(run *r, const hys_hybrid_jump *jump, hys_status *status) {
  hysi_trajectory *a = &r->a;
  const hys_hybrid_location *target = NULL;
  const uint32_t before = a->index;
  double *y = a->end;

  *status = hysi_point_location(a, jump->target, &target);
  if (*status != HYS_OK)
    return false;
  for (size_t i = 0; i < a->n; i++) {
    const hys_reset *s = &jump->reset[i];
    y[i] = s->kind == HYS_RESET_ASSIGN ? hysi_point_number(a, s->affine, &s->row, &s->value, a->x) : a->x[i];
    a->hull[i] = s->kind == HYS_RESET_ANY
                     ? hys_interval_entire()
                     : hys_interval_add(hys_interval_point(y[i]),
                                        s->kind == HYS_RESET_ASSIGN ? s->slack : hys_interval_point(0.0));
  }
  if (hys_conditions_contract(&target->invariant, a->hull, NARROWING_ROUNDS, a->scratch))
    for (size_t i = 0; i < a->n; i++)
      if (jump->reset[i].kind == HYS_RESET_ANY ||
          (jump->reset[i].kind == HYS_RESET_ASSIGN && jump->reset[i].slack.lo != jump->reset[i].slack.hi))
        y[i] = hysi_point_draw(a, a->config->inputs, a->hull[i]);
  hysi_point_define(a, target, y);
  memcpy(a->trial, a->x, a->n * sizeof *y);
  memcpy(a->x, y, a->n * sizeof *y);
  a->location = target;
  a->index = jump->target;
  draw_values(r, a->config->inputs);
  if (!hysi_point_all_hold(a, &target->invariant, a->x)) {
    memcpy(a->x, a->trial, a->n * sizeof *y);
    a->index = before;
    *status = hysi_point_location(a, before, &a->location);
    return false;
  }
  r->jump_at = a->t + 2.0 * a->config->hold * unit(r);
  r->result->jumps++;
  if (++r->at_once > ZENO_JUMPS)
    stop(r, HYS_END_ZENO);
  if (r->result->jumps >= a->config->max_jumps)
    stop(r, HYS_END_JUMPS);
  tell(r, jump);
  return true;
}

/* What the run does about jumps where it is now. */
static hys_status jump_if_wanted(run *r, bool at_border, bool *jumped) {
  const hys_trajectory_config *c = r->a.config;
  const hys_hybrid_jump *jump = enabled_jump(r, HYS_NO_LABEL - 1, true);
  hys_status status = HYS_OK;

  *jumped = false;
  if (jump == NULL && r->script < c->n_script && c->script[r->script].t <= r->a.t) {
    const hys_script_entry *e = &c->script[r->script++];
    draw_values(r, c->inputs);
    jump = e->label != HYS_NO_LABEL ? enabled_jump(r, e->label, false) : NULL;
    if (jump == NULL)
      return HYS_OK;
  }
  if (jump == NULL && (at_border || r->a.location->urgent || c->haste == HYS_HASTE_EARLY ||
                       (c->haste == HYS_HASTE_RANDOM && r->a.t >= r->jump_at)))
    jump = enabled_jump(r, HYS_NO_LABEL - 1, false);
  for (unsigned k = 0; jump != NULL && !*jumped && status == HYS_OK && k < 8; k++) {
    *jumped = take(r, jump, &status);
    if (!*jumped && status == HYS_OK)
      jump = enabled_jump(r, HYS_NO_LABEL - 1, false); /* another may lead into its invariant */
  }
  if (!*jumped && r->a.t >= r->jump_at)
    r->jump_at = r->a.t + 0.1 * c->hold * (1.0 + unit(r));
  return status;
}

/* ---- time ---- */

/* A strict condition has to hold by more than the touch of a border: states on it are not in the set. */
static bool inside_set(const run *r, uint32_t which) {
  const hys_hybrid_set *set = &r->forbidden[which];
  bool inside = hys_hybrid_set_in(set, r->a.location->part) && hysi_point_all_hold(&r->a, &set->set, r->a.x);

  for (uint32_t i = 0; inside && i < set->set.n; i++) {
    double size, v;
    if (set->set.condition[i].relation != HYS_RELATION_LT)
      continue;
    v = hysi_point_value(&r->a, &set->set.condition[i], r->a.x, &size);
    inside = v < -HYSI_TOUCH * size;
  }
  return inside;
}

static void look_for_forbidden(run *r) {
  for (uint32_t k = 0; !r->result->forbidden && k < r->n_forbidden; k++)
    if (inside_set(r, k)) {
      r->result->forbidden = true;
      r->result->forbidden_at = r->a.t;
      r->result->forbidden_set = k;
      if (r->a.config->stop_at_forbidden)
        stop(r, HYS_END_FORBIDDEN);
    }
}

/* The first instant of the step at which a condition that does not hold now begins to. */
static double first_begin(run *r, const hys_conditions *c) {
  double first = HYSI_INF;

  for (uint32_t i = 0; i < c->n; i++)
    if (!hysi_point_holds(&r->a, &c->condition[i], r->a.x))
      first = fmin(first, hysi_point_first(&r->a, &c->condition[i], false));
  return first;
}

/* Lets time pass, at most until `until`, less to a border or to where a guard or a set may be entered. */
static hys_status pass(run *r, double until, bool *border) {
  hysi_trajectory *a = &r->a;
  gsl_odeiv2_system system = {hysi_point_rates, NULL, a->n, a};
  const double most = fmin(until - a->t, a->config->time_horizon / STEPS_AT_LEAST);
  double s = 0.0, to, leave = HYSI_INF;

  *border = false;
  if (r->fresh) {
    gsl_odeiv2_evolve_reset(a->evolve);
    gsl_odeiv2_step_reset(a->step);
    r->hint = most;
    r->fresh = false;
  }
  memcpy(a->end, a->x, a->n * sizeof *a->end);
  if (gsl_odeiv2_evolve_apply(a->evolve, a->control, a->step, &system, &s, most, &r->hint, a->end) !=
          GSL_SUCCESS ||
      !(s > 0.0)) {
    stop(r, HYS_END_BLOW_UP);
    return HYS_OK;
  }
  a->width = s / HYSI_PIECES;
  for (int k = 0; k < HYSI_PIECES; k++)
    if (!hysi_point_after(a, k * a->width, a->sub[k])) {
      stop(r, HYS_END_BLOW_UP);
      return HYS_OK;
    }
  hysi_point_define(a, a->location, a->end);
  memcpy(a->sub[HYSI_PIECES], a->end, a->n * sizeof *a->end);
  for (uint32_t i = 0; i < a->location->invariant.n; i++)
    leave = fmin(leave, hysi_point_first(a, &a->location->invariant.condition[i], true));
  to = fmin(s, leave);
  for (uint32_t j = 0; j < a->location->n_jumps; j++)
    if (a->config->haste != HYS_HASTE_LATE || a->location->jump[j].must)
      to = fmin(to, first_begin(r, &a->location->jump[j].guard));
  for (uint32_t k = 0; !r->result->forbidden && k < r->n_forbidden; k++)
    if (hys_hybrid_set_in(&r->forbidden[k], a->location->part))
      to = fmin(to, first_begin(r, &r->forbidden[k].set));
  if (to < s) {
    r->fresh = true;
    if (!hysi_point_after(a, to, a->end)) {
      stop(r, HYS_END_BLOW_UP);
      return HYS_OK;
    }
  }
  for (size_t i = 0; i < a->n; i++) {
    if (!isfinite(a->end[i])) {
      stop(r, HYS_END_BLOW_UP);
      return HYS_OK;
    }
    a->x[i] = a->end[i];
  }
  *border = leave <= to;
  if (to > 0.0)
    r->at_once = 0;
  a->t = to == s && s >= until - a->t ? until : a->t + to;
  return HYS_OK;
}

/* At a border without a jump: other values of the free variables that keep the invariant for a while. */
static bool give_way(run *r) {
  hysi_trajectory *a = &r->a;
  const double ahead = 1e-6 * a->config->time_horizon;
  bool any = false;

  for (size_t i = 0; i < a->n; i++)
    any = any || a->location->rate[i].motion == HYS_MOTION_FREE ||
          a->location->rate[i].slack.lo < a->location->rate[i].slack.hi;
  for (unsigned k = 0; any && k < VALUE_TRIES; k++) {
    bool keeps;
    draw_values(r, k < VALUE_TRIES / 2 ? HYS_DRAW_RANDOM : HYS_DRAW_EXTREME);
    keeps = hysi_point_all_hold(a, &a->location->invariant, a->x) && hysi_point_after(a, ahead, a->trial);
    for (uint32_t i = 0; keeps && i < a->location->invariant.n; i++) {
      const hys_condition *c = &a->location->invariant.condition[i];
      double size, now = hysi_point_value(a, c, a->x, &size), then = hysi_point_value(a, c, a->trial, &size);
      keeps = then <= 0.0 || then <= now;
    }
    if (keeps)
      return true;
  }
  return false;
}

static hys_status go(run *r) {
  hysi_trajectory *a = &r->a;
  const hys_trajectory_config *c = a->config;
  double next_row = c->sample;
  unsigned stuck = 0;

  draw_values(r, c->inputs);
  r->jump_at = a->t + 2.0 * c->hold * unit(r);
  tell(r, NULL);
  look_for_forbidden(r);
  while (!r->over) {
    bool jumped = false, border = false;
    double until = c->time_horizon;
    const double before = a->t;
    hys_status status = jump_if_wanted(r, false, &jumped);
    if (status != HYS_OK)
      return status;
    if (jumped) {
      look_for_forbidden(r);
      continue;
    }
    if (a->location->urgent) {
      stop(r, HYS_END_TIMELOCK);
      break;
    }
    if (a->t >= c->time_horizon) {
      stop(r, HYS_END_HORIZON);
      break;
    }
    if (a->t >= r->draw_at)
      draw_values(r, c->inputs);
    until = fmin(until, r->draw_at);
    if (c->sample > 0.0)
      until = fmin(until, next_row);
    if (c->haste == HYS_HASTE_RANDOM && r->jump_at > a->t)
      until = fmin(until, r->jump_at);
    if (r->script < c->n_script && c->script[r->script].t > a->t)
      until = fmin(until, c->script[r->script].t);
    status = pass(r, until, &border);
    if (status != HYS_OK)
      return status;
    if (r->over)
      break;
    if (c->sample == 0.0 || a->t >= next_row || a->t >= c->time_horizon) {
      tell(r, NULL);
      next_row = c->sample > 0.0 ? c->sample * (floor(a->t / c->sample + 1e-9) + 1.0) : 0.0;
    }
    look_for_forbidden(r);
    stuck = a->t > before ? 0 : stuck + 1;
    if (!r->over && border) {
      status = jump_if_wanted(r, true, &jumped);
      if (status != HYS_OK)
        return status;
      if (jumped)
        look_for_forbidden(r);
      else if (!give_way(r))
        stop(r, HYS_END_TIMELOCK);
    }
    if (stuck > 1000)
      stop(r, HYS_END_TIMELOCK);
  }
  return HYS_OK;
}

hys_status hys_trajectory_run(const hys_hybrid *automaton, const hys_trajectory_config *config,
                              bool (*row)(void *context, const hys_trajectory_row *row), void *context,
                              hys_trajectory_result *result) {
  const size_t n = automaton->n;
  run r = {.row = row, .context = context, .result = result, .fresh = true};
  hysi_trajectory *a = &r.a;
  hys_status status = HYS_ERR_MEMORY;
  size_t need = 1;

  memset(result, 0, sizeof *result);
  if (!(config->time_horizon > 0.0 && isfinite(config->time_horizon)) || !(config->hold > 0.0) ||
      !(config->sample >= 0.0) || !(config->tolerance > 0.0) || n == 0)
    return HYS_ERR_ARG;
  a->automaton = automaton;
  a->config = config;
  a->n = n;
  r.forbidden = config->forbidden != NULL ? config->forbidden : automaton->forbidden;
  r.n_forbidden = config->forbidden != NULL ? config->n_forbidden : automaton->n_forbidden;
  a->rng = gsl_rng_alloc(gsl_rng_mt19937);
  a->step = gsl_odeiv2_step_alloc(gsl_odeiv2_step_rk8pd, n);
  a->probe = gsl_odeiv2_step_alloc(gsl_odeiv2_step_rk8pd, n);
  a->control = gsl_odeiv2_control_y_new(config->tolerance, config->tolerance);
  a->evolve = gsl_odeiv2_evolve_alloc(n);
  a->x = hys_allocate(NULL, (size_t)(HYSI_PIECES + 6) * n * sizeof *a->x);
  a->hull = hys_allocate(NULL, n * sizeof *a->hull);
  if (a->rng != NULL && a->step != NULL && a->probe != NULL && a->control != NULL && a->evolve != NULL &&
      a->x != NULL && a->hull != NULL) {
    memset(a->x, 0, (size_t)(HYSI_PIECES + 6) * n * sizeof *a->x);
    a->error = a->x + n;
    a->end = a->x + 2 * n;
    a->slack = a->x + 3 * n;
    a->trial = a->x + 4 * n;
    for (int k = 0; k <= HYSI_PIECES; k++)
      a->sub[k] = a->x + (size_t)(5 + k) * n;
    gsl_rng_set(a->rng, (unsigned long)config->seed);
    for (uint32_t k = 0; k < r.n_forbidden; k++)
      if (hys_conditions_scratch(&r.forbidden[k].set) > need)
        need = hys_conditions_scratch(&r.forbidden[k].set);
    status = hysi_point_scratch(a, need);
    if (status == HYS_OK)
      status = hysi_point_start(a);
    if (status == HYS_OK)
      status = go(&r);
    result->t = a->t;
  }
  gsl_rng_free(a->rng);
  if (a->step != NULL)
    gsl_odeiv2_step_free(a->step);
  if (a->probe != NULL)
    gsl_odeiv2_step_free(a->probe);
  if (a->control != NULL)
    gsl_odeiv2_control_free(a->control);
  if (a->evolve != NULL)
    gsl_odeiv2_evolve_free(a->evolve);
  hys_release(NULL, a->x);
  hys_release(NULL, a->hull);
  hys_release(NULL, a->point);
  hys_release(NULL, a->scratch);
  return status;
}
