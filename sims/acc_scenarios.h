/* The scenarios of adaptive cruise control, as data: where each starts and what the vehicle ahead does.
 * SI units. Everything is constant. */
#ifndef HYSHIELD_SIMS_ACC_SCENARIOS_H
#define HYSHIELD_SIMS_ACC_SCENARIOS_H

#include <stdbool.h>
#include <stddef.h>

#include "sims/acc_lead.h"

typedef struct acc_scenario {
  const char *name;
  const char *text;     /* one line for people, with its source */
  const char *system;   /* "acc", or "acc_cutin" where another vehicle cuts in */
  double d, v, w;       /* gap, speed of the ego vehicle, speed of the vehicle ahead at t = 0 */
  const char *ego_mode; /* location of the ego vehicle at t = 0; its acceleration is 0 */
  acc_lead_profile lead;
  double duration;    /* s */
  double agent_start; /* s: the agent's first command */
  /* At cut_in_at another vehicle takes the place ahead, with this gap and speed; infinite = never. */
  double cut_in_at, cut_in_gap, cut_in_speed;
  double lost_at;     /* the vehicle ahead leaves; infinite = never */
  bool recorded;      /* d, v, w, duration and lead come from a recorded drive (acc_lead_read) */
  bool outside_model; /* does on purpose what the model does not allow: not covered by the guarantee */
} acc_scenario;

size_t acc_scenario_count(void);
/* NULL beyond the last. */
const acc_scenario *acc_scenario_at(size_t index);
/* NULL when there is none of that name. */
const acc_scenario *acc_scenario_find(const char *name);

#endif
