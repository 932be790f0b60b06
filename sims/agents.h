/* Agents: the controllers that are put in the loop, the safe ones and the unsafe ones.
 *
 * An agent sees samples (d, v, w), never the truth, and answers each with at most one command. SI units.
 * agent_create and agent_destroy are the only calls that allocate. */
#ifndef HYSHIELD_SIMS_AGENTS_H
#define HYSHIELD_SIMS_AGENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/allocator.h"
#include "core/rt/status.h"

typedef struct agent agent;

/* What an agent asks for. */
typedef struct agent_command {
  const char
      *label; /* "accelerate", "cruise", "coast", "brake", "set_accel"; NULL = nothing this time. Constant */
  double value; /* m/s^2, of set_accel; NaN for the others */
} agent_command;

/* Places in a sample. */
enum { AGENT_D, AGENT_V, AGENT_W, AGENT_SAMPLE_SIZE };

typedef struct agent_config {
  double period;     /* s between two commands; default 0.1 */
  double d_min;      /* m; default 2 */
  double brake;      /* m/s^2, a positive number: what `brake' does; default 6 */
  double accelerate; /* m/s^2; default 2 */
  double coast;      /* m/s^2, a positive number: what `coast' takes away; default 0.5 */
  double start;      /* s: no command before; default 0 */
  bool values;       /* random: ask for set_accel too; default true */
  uint64_t seed;     /* random; default 1 */
} agent_config;

void agent_config_default(agent_config *config);

/* The agents there are:
 *   idm         Intelligent Driver Model, safe in ordinary traffic
 *   headway_pi  a proportional-integral controller of the time gap, safe in ordinary traffic
 *   accelerate  always accelerates
 *   wrong_sign  headway_pi with the sign of its errors the wrong way round
 *   stale       idm on the sample of two seconds ago
 *   random      any command at any time */
size_t agent_count(void);
const char *agent_name(size_t index); /* NULL beyond the last */
const char *agent_text(size_t index); /* one line for people; NULL beyond the last */

/* config NULL = defaults, allocator NULL = malloc. *a is NULL unless HYS_OK.
 * HYS_ERR_ARG (a number is not finite or has the wrong sign), HYS_ERR_UNSUPPORTED (no agent of that name),
 * HYS_ERR_MEMORY. */
hys_status agent_create(agent **a, const char *name, const agent_config *config,
                        const hys_allocator *allocator);
void agent_destroy(agent *a); /* NULL is allowed */
/* As just created, with the same seed. */
void agent_reset(agent *a);

/* The sample at t (d, v, w in the places above; NaN = not measured: the last value stands for it). Writes the
 * command for this period. Call it once a period, t increasing. */
void agent_decide(agent *a, double t, const double *sample, agent_command *out);

/* The Intelligent Driver Model (Treiber, Hennecke, Helbing 2000): acceleration wanted at (d, v, w). */
typedef struct agent_idm {
  double v0; /* desired speed, m/s: 50, not limiting here */
  double T;  /* time gap, s: 1.5 */
  double s0; /* gap at standstill, m: d_min + 1 */
  double a;  /* acceleration, m/s^2: 1.4 */
  double b;  /* comfortable braking, m/s^2: 2 */
} agent_idm;
double agent_idm_accel(const agent_idm *p, double d, double v, double w);

/* Turns a wanted acceleration into one of the four discrete commands: the level nearest to the wanted one
 * plus what the periods before left over; what is left over now is carried on, at most 3 m/s^2 either way.
 * Without the carry a wanted acceleration between two levels would never be met. Ties go to the level that
 * accelerates less. */
typedef struct agent_levels {
  double accelerate, coast, brake; /* m/s^2, positive numbers, as in agent_config */
  double carry;                    /* m/s^2, state: starts at 0 */
} agent_levels;
const char *agent_levels_choose(agent_levels *levels, double wanted);

#endif
