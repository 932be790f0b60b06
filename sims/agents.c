#include "sims/agents.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_rng.h>

static const char label_accelerate[] = "accelerate", label_cruise[] = "cruise", label_coast[] = "coast",
                  label_brake[] = "brake", label_set_accel[] = "set_accel";

enum {
  HISTORY = 128 /* samples that the stale agent remembers */
};

#define STALE_AGE 2.0  /* s */
#define CARRY_MAX 3.0  /* m/s^2 */
#define GAP_LEAST 0.01 /* m: a gap below is taken as this, so that nothing is divided by zero */

/* The headway controller: acceleration per metre of gap error, per m/s of speed difference, per metre second
 * of the integral; the integral is bounded so that it is worth half a m/s^2 at most. */
#define PI_GAP 0.2
#define PI_SPEED 0.7
#define PI_INTEGRAL 0.01
#define PI_INTEGRAL_MAX 50.0
#define PI_TIME_GAP 1.5

typedef struct agent_kind agent_kind;

struct agent {
  const agent_kind *kind;
  agent_config config;
  hys_allocator allocator;
  bool own_allocator;
  double last[AGENT_SAMPLE_SIZE]; /* last value measured of each; NaN = none yet */
  agent_levels levels;
  agent_idm idm;
  double integral; /* m s */
  gsl_rng *rng;
  double history_t[HISTORY], history[HISTORY][AGENT_SAMPLE_SIZE];
  size_t history_next, history_count;
};

struct agent_kind {
  const char *name, *text;
  void (*decide)(agent *a, double t, const double *sample, agent_command *out);
};

void agent_config_default(agent_config *config) {
  *config = (agent_config){.period = 0.1,
                           .d_min = 2.0,
                           .brake = 6.0,
                           .accelerate = 2.0,
                           .coast = 0.5,
                           .start = 0.0,
                           .values = true,
                           .seed = 1};
}

double agent_idm_accel(const agent_idm *p, double d, double v, double w) {
  const double gap = fmax(d, GAP_LEAST);
  const double wanted = p->s0 + fmax(0.0, v * p->T + v * (v - w) / (2.0 * sqrt(p->a * p->b)));
  const double ratio = v / p->v0, square = ratio * ratio;
  return p->a * (1.0 - square * square - (wanted / gap) * (wanted / gap));
}

const char *agent_levels_choose(agent_levels *levels, double wanted) {
  const struct {
    const char *label;
    double a;
  } level[] = {{label_brake, -levels->brake},
               {label_coast, -levels->coast},
               {label_cruise, 0.0},
               {label_accelerate, levels->accelerate}};
  const double total = wanted + levels->carry;
  size_t best = 0;
  for (size_t i = 1; i < sizeof level / sizeof level[0]; i++)
    if (fabs(total - level[i].a) < fabs(total - level[best].a))
      best = i;
  levels->carry = fmin(fmax(total - level[best].a, -CARRY_MAX), CARRY_MAX);
  return level[best].label;
}

static void decide_idm(agent *a, double t, const double *sample, agent_command *out) {
  (void)t;
  out->label = agent_levels_choose(
      &a->levels, agent_idm_accel(&a->idm, sample[AGENT_D], sample[AGENT_V], sample[AGENT_W]));
}

static double headway_accel(agent *a, const double *sample, double sign) {
  const double error =
      sign * (sample[AGENT_D] - (a->config.d_min + 1.0 + PI_TIME_GAP * fmax(0.0, sample[AGENT_V])));
  const double closing = sign * (sample[AGENT_W] - sample[AGENT_V]);
  const double wanted = PI_GAP * error + PI_SPEED * closing + PI_INTEGRAL * a->integral;
  /* No winding up: the integral rests while the wanted acceleration cannot be had. */
  if (wanted < a->config.accelerate && wanted > -a->config.brake)
    a->integral = fmin(fmax(a->integral + error * a->config.period, -PI_INTEGRAL_MAX), PI_INTEGRAL_MAX);
  return fmin(fmax(wanted, -a->config.brake), a->config.accelerate);
}

static void decide_headway_pi(agent *a, double t, const double *sample, agent_command *out) {
  (void)t;
  out->label = agent_levels_choose(&a->levels, headway_accel(a, sample, 1.0));
}

static void decide_wrong_sign(agent *a, double t, const double *sample, agent_command *out) {
  (void)t;
  out->label = agent_levels_choose(&a->levels, headway_accel(a, sample, -1.0));
}

static void decide_accelerate(agent *a, double t, const double *sample, agent_command *out) {
  (void)a;
  (void)t;
  (void)sample;
  out->label = label_accelerate;
}

/* The newest sample that is at least STALE_AGE old, or the oldest there is. */
static void decide_stale(agent *a, double t, const double *sample, agent_command *out) {
  a->history_t[a->history_next] = t;
  memcpy(a->history[a->history_next], sample, sizeof a->history[0]);
  a->history_next = (a->history_next + 1) % HISTORY;
  if (a->history_count < HISTORY)
    a->history_count++;
  const size_t oldest = (a->history_next + HISTORY - a->history_count) % HISTORY;
  size_t chosen = oldest;
  for (size_t k = 0; k < a->history_count; k++) {
    const size_t i = (oldest + k) % HISTORY;
    /* A rounding's worth short of the age is that old. */
    if (t - a->history_t[i] >= STALE_AGE - 1e-9)
      chosen = i;
  }
  const double *old = a->history[chosen];
  out->label =
      agent_levels_choose(&a->levels, agent_idm_accel(&a->idm, old[AGENT_D], old[AGENT_V], old[AGENT_W]));
}

static void decide_random(agent *a, double t, const double *sample, agent_command *out) {
  (void)t;
  (void)sample;
  static const char *const label[] = {label_accelerate, label_cruise, label_coast, label_brake,
                                      label_set_accel};
  const unsigned long count = a->config.values ? 5 : 4;
  out->label = label[gsl_rng_uniform_int(a->rng, count)];
  if (out->label == label_set_accel)
    out->value = -a->config.brake + (a->config.accelerate + a->config.brake) * gsl_rng_uniform(a->rng);
}

static const agent_kind kinds[] = {
    {"idm", "Intelligent Driver Model: safe in ordinary traffic", decide_idm},
    {"headway_pi", "proportional-integral control of the time gap: safe in ordinary traffic",
     decide_headway_pi},
    {"accelerate", "always accelerates", decide_accelerate},
    {"wrong_sign", "control of the time gap with the sign the wrong way round", decide_wrong_sign},
    {"stale", "Intelligent Driver Model on the sample of two seconds ago", decide_stale},
    {"random", "any command at any time", decide_random},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

size_t agent_count(void) {
  return KINDS;
}

const char *agent_name(size_t index) {
  return index < KINDS ? kinds[index].name : NULL;
}

const char *agent_text(size_t index) {
  return index < KINDS ? kinds[index].text : NULL;
}

static bool positive(double x) {
  return x > 0.0 && x < HUGE_VAL;
}

static bool config_allowed(const agent_config *c) {
  /* The period also keeps two seconds within what the stale agent remembers. */
  return positive(c->period) && c->period * (HISTORY - 2) >= STALE_AGE && positive(c->brake) &&
         positive(c->accelerate) && positive(c->coast) && c->d_min >= 0.0 && c->d_min < HUGE_VAL &&
         c->start >= 0.0 && c->start < HUGE_VAL;
}

void agent_reset(agent *a) {
  for (size_t i = 0; i < AGENT_SAMPLE_SIZE; i++)
    a->last[i] = (double)NAN;
  a->levels = (agent_levels){a->config.accelerate, a->config.coast, a->config.brake, 0.0};
  a->integral = 0.0;
  a->history_next = a->history_count = 0;
  gsl_rng_set(a->rng, (unsigned long)(a->config.seed & 0xffffffffU));
}

hys_status agent_create(agent **a, const char *name, const agent_config *config,
                        const hys_allocator *allocator) {
  if (a == NULL)
    return HYS_ERR_ARG;
  *a = NULL;
  agent_config defaults;
  agent_config_default(&defaults);
  if (config == NULL)
    config = &defaults;
  if (name == NULL || !config_allowed(config))
    return HYS_ERR_ARG;
  const agent_kind *kind = NULL;
  for (size_t i = 0; i < KINDS && kind == NULL; i++)
    if (strcmp(kinds[i].name, name) == 0)
      kind = &kinds[i];
  if (kind == NULL)
    return HYS_ERR_UNSUPPORTED;
  agent *made =
      allocator != NULL ? allocator->allocate(allocator->context, sizeof *made) : malloc(sizeof *made);
  if (made == NULL)
    return HYS_ERR_MEMORY;
  memset(made, 0, sizeof *made);
  made->kind = kind;
  made->config = *config;
  made->idm = (agent_idm){.v0 = 50.0, .T = 1.5, .s0 = config->d_min + 1.0, .a = 1.4, .b = 2.0};
  if (allocator != NULL) {
    made->allocator = *allocator;
    made->own_allocator = true;
  }
  made->rng = gsl_rng_alloc(gsl_rng_mt19937);
  if (made->rng == NULL) {
    agent_destroy(made);
    return HYS_ERR_MEMORY;
  }
  agent_reset(made);
  *a = made;
  return HYS_OK;
}

void agent_destroy(agent *a) {
  if (a == NULL)
    return;
  if (a->rng != NULL)
    gsl_rng_free(a->rng);
  if (a->own_allocator) {
    const hys_allocator allocator = a->allocator;
    allocator.release(allocator.context, a);
  } else {
    free(a);
  }
}

void agent_decide(agent *a, double t, const double *sample, agent_command *out) {
  *out = (agent_command){NULL, (double)NAN};
  for (size_t i = 0; i < AGENT_SAMPLE_SIZE; i++)
    if (isfinite(sample[i]))
      a->last[i] = sample[i];
  if (t < a->config.start)
    return;
  for (size_t i = 0; i < AGENT_SAMPLE_SIZE; i++)
    if (isnan(a->last[i]))
      return;
  a->kind->decide(a, t, a->last, out);
}
