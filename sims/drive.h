/* A closed loop in simulated time: plant, sensors, agent, shield, wire.
 *
 * Everything happens at an instant of an event queue in integer nanoseconds.  Each period the plant is
 * sampled (reading and stamp off by at most the declared errors, at the bounds with a declared probability)
 * and the agent asked for a command.  The shield is stepped for each of these and at its wake instants (late
 * by at most theta).  What a decision sends leaves after a time drawn from [Cmin, C], what the timer sends
 * leaves at once; each takes effect after a latency drawn from [rho-, rho+]; the order of sending is kept.
 * All draws come from one seed: same set-up, same trace. How long a step of the shield really took is
 * measured apart and changes nothing.
 *
 * Generic over the automaton: it knows no car.  sims/acc_drive.h binds it to the ACC's agents and scenarios.
 */
#ifndef HYSHIELD_SIMS_DRIVE_H
#define HYSHIELD_SIMS_DRIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rt/spec.h"
#include "core/rt/status.h"
#include "monitor/journal.h"
#include "monitor/rt/shield.h"
#include "sims/plant.h"
#include "sims/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hys_drive_mode {
  HYS_DRIVE_SHIELD,    /* behind the shield */
  HYS_DRIVE_NO_SHIELD, /* commands go straight to the wire */
  HYS_DRIVE_OBSERVE    /* the shield looks on */
} hys_drive_mode;

/* What an agent says at a sample: none, one, or (flooding) several commands. */
enum { HYS_DRIVE_MAX_COMMANDS = 32 };
typedef struct hys_drive_command {
  uint32_t command; /* index in the specification; an unknown one is passed on as it is */
  double value;     /* NaN without a value */
} hys_drive_command;

typedef struct hys_drive_agent {
  /* t [s]; reading: nx numbers, NaN = not measured.  Writes at most max commands, returns how many. */
  size_t (*decide)(void *context, double t, const double *reading, hys_drive_command *command, size_t max);
  void *context;
} hys_drive_agent;

/* An event of the environment at a given instant: `which` of the specification with its values (in its
 * order). */
typedef struct hys_drive_event {
  int64_t at; /* ns */
  uint32_t which;
  double value[HYS_MAX_EVENT_VALUES];
  bool forced; /* happens even where the model does not allow it: the states of the values are set, nothing
                  else */
} hys_drive_event;

typedef struct hys_drive_config {
  const hys_spec *spec;
  hys_drive_mode mode;
  int64_t duration; /* ns, > 0 */
  uint64_t seed;
  double at_bound; /* probability of a draw at one of its bounds, 0 to 1; default 0.25 */
  uint32_t location;
  const double *x; /* nx: the true state at time 0 */
  hys_plant_inputs inputs;
  hys_drive_agent agent;
  const hys_drive_event *event; /* sorted by instant */
  size_t n_events;
  const hys_shield_config *shield; /* NULL = defaults (observe_only is set by the mode) */
  /* For the mean time gap: states that hold the gap and the own speed; -1 = there is none. */
  int32_t gap_state, speed_state;
  hys_trace_writer *trace; /* NULL = none */
  hys_journal *journal; /* of every step of the shield; NULL = none.  Its errors end nothing: whoever closes
                           it is told */
  /* Asked now and then; true ends the drive.  May be NULL. */
  bool (*interrupted)(void *context);
  void *interrupted_context;
} hys_drive_config;
void hys_drive_config_default(hys_drive_config *config);

typedef struct hys_drive_edits {
  uint64_t pass, delay, substitute, suppress, insert;
} hys_drive_edits;

typedef struct hys_drive_result {
  bool violated;
  double violated_at; /* s; NaN = not */
  double margin, margin_at;
  bool timelock, interrupted;
  double end; /* s: when the drive ended */
  uint32_t location;
  double x[HYS_MAX_STATES];
  uint64_t commands;       /* the agent's */
  uint64_t changes;        /* of these, those that differed from the command in force */
  uint64_t edited_changes; /* of these, those that were not passed */
  hys_drive_edits edits;   /* the first decision on each command, and the insertions; in OBSERVE: would-be */
  double first_edit;       /* s; NaN = none */
  uint64_t reasons[HYS_REASON_COUNT];               /* of all records */
  int64_t decision_p50, decision_p99, decision_max; /* ns of processor time of a step; 0 without a shield */
  uint64_t steps;
  uint64_t step_errors;    /* steps that returned an error */
  hys_state state;         /* at the end; HYS_STATE_START without a shield */
  bool was_guarded;        /* the shield was GUARDED at an instant */
  bool guarantee_void;     /* some record said so after the first time the shield was GUARDED */
  double time_gap;         /* s: mean of gap / speed over the samples with a speed above 5 m/s; NaN = none */
  uint64_t ignored;        /* commands that reached the plant where no jump was enabled */
  uint64_t events_refused; /* events of the script that the plant's guards did not allow */
} hys_drive_result;

/* Runs one drive.  HYS_ERR_ARG, HYS_ERR_MEMORY, HYS_ERR_LIMIT, HYS_ERR_NUMERIC, HYS_ERR_WRITE (the trace),
 * and what the shield's set-up returns.  result is filled also for a drive that ended early. */
hys_status hys_drive_run(const hys_drive_config *config, hys_drive_result *result);

#ifdef __cplusplus
}
#endif
#endif
