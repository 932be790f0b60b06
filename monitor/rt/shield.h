/* The shield: the loop around a controller, one call per thing that happens.
 *
 * The caller owns time: it calls hys_shield_step with the present instant for every sample, command, event
 * and whenever the instant `wake` of the last output is reached, then sends what the output lists, in order.
 * A step is a transaction: the input is copied, the decision computed, the state committed last.  Every step
 * writes a permitted output, also when it returns an error.
 *
 * Memory: hys_shield_size bytes in the caller's hands (setup only); no allocation, I/O or clock in a step.
 * Any number of shields over one specification; a shield is used by one thread at a time. */
#ifndef HYSHIELD_MONITOR_RT_SHIELD_H
#define HYSHIELD_MONITOR_RT_SHIELD_H

#include "core/rt/api.h"
#include "core/rt/reason.h"
#include "core/rt/spec.h"
#include "core/rt/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hys_shield hys_shield;

typedef enum hys_action {
  HYS_ACTION_NONE, /* a record that is about no command */
  HYS_ACTION_PASS,
  HYS_ACTION_DELAY,
  HYS_ACTION_SUBSTITUTE,
  HYS_ACTION_SUPPRESS,
  HYS_ACTION_INSERT
} hys_action;
HYS_API const char *hys_action_name(hys_action action); /* "pass", ... ; RT-safe */

typedef enum hys_state { HYS_STATE_START, HYS_STATE_GUARDED, HYS_STATE_LOST, HYS_STATE_OBSERVE } hys_state;
HYS_API const char *hys_state_name(hys_state state); /* "START", ...; RT-safe */

typedef enum hys_input_kind {
  HYS_INPUT_TIMER,
  HYS_INPUT_SAMPLE,
  HYS_INPUT_COMMAND,
  HYS_INPUT_EVENT
} hys_input_kind;

typedef struct hys_input {
  hys_input_kind kind;
  int64_t stamp;   /* SAMPLE: when it was measured, within sigma [ns] */
  const double *x; /* SAMPLE: nx readings; NaN = not measured. Copied */
  const uint32_t
      *mode;   /* SAMPLE, may be NULL: n_instances location indices for instances with mode from="sample" */
  uint64_t id; /* COMMAND: the caller's number for it */
  uint32_t which;            /* COMMAND, EVENT: index in the specification */
  double value;              /* COMMAND with a value */
  const double *event_value; /* EVENT: n_values readings, in the order of the specification */
} hys_input;

/* Something to send to the plant now, or (waiting, armed plan) the instant at which it will be. */
typedef struct hys_send {
  uint32_t command;
  double value; /* NaN without a value */
  uint64_t id;  /* of the controller's command; 0 = inserted */
  bool timed;   /* fired on the instant of the plan: goes out now; else when the decision ends, in [Cmin, C]
                   after now */
} hys_send;

enum { HYS_MAX_SENDS = 4, HYS_MAX_RECORDS = 8 };

typedef struct hys_record {
  int64_t now; /* [ns] */
  hys_action action;
  hys_reason reason;
  hys_state state; /* after the decision */
  bool guarantee;  /* false: void */
  bool would;      /* observe-only: what would have been done */
  bool has_requested, has_applied;
  hys_send requested, applied;
  int64_t at;      /* DELAY: when it will be sent [ns] */
  int64_t plan_at; /* first insertion of the armed plan after this decision [ns]; INT64_MAX = none needed */
  uint32_t plan_command;           /* the command it inserts; UINT32_MAX = none */
  const hys_halfspace *constraint; /* the one that decided; NULL = none */
  hys_reason failure; /* why the alternative that was not taken failed: UNSAFE, BLOCKED, NOT_TERMINAL, ... */
  double margin; /* smallest distance to Bad along the certified (or refused) flowpipe, in the constraint's
                    unit; NaN = none */
  double admissible_min, admissible_max; /* of the value, NaN = none: an empty range or no value */
  uint32_t work;                         /* flowpipe steps taken */
} hys_record;

typedef struct hys_output {
  hys_send send[HYS_MAX_SENDS]; /* in this order, now */
  uint32_t n_sends;
  int64_t wake; /* call again with HYS_INPUT_TIMER at this instant at the latest [ns]; INT64_MAX = no need */
  hys_record record[HYS_MAX_RECORDS];
  uint32_t n_records;
  hys_state state;
} hys_output;

typedef struct hys_shield_config {
  bool observe_only;    /* decide and record, edit nothing; default false */
  uint32_t work_budget; /* flowpipe steps a decision may take; default 2000, some 2 ms of a 2020s core */
  int64_t plan_grid;    /* resolution of the latest insertion [ns]; default 250 us */
  int64_t delay_grid;   /* instants that are tried for a delay [ns]; default 50 ms */
} hys_shield_config;
HYS_API void hys_shield_config_default(hys_shield_config *config);

/* Bytes that hys_shield_init needs for this specification, or 0 if it cannot be guarded (too many states,
 * ...). */
HYS_API size_t hys_shield_size(const hys_spec *spec);
/* Makes a shield in `memory` (aligned as by malloc).  spec stays in use.  config NULL = defaults.
 * HYS_ERR_ARG, HYS_ERR_LIMIT (memory too small, model too large), HYS_ERR_FLOAT_ENV, HYS_ERR_UNSUPPORTED (a
 * polled trigger, a channel that keeps), HYS_ERR_INPUT (the terminal set is not shown to be one:
 * hys_terminal_check tells where).  Setup only (but allocates nothing).
 */
HYS_API hys_status hys_shield_init(hys_shield **shield, void *memory, size_t size, const hys_spec *spec,
                                   const hys_shield_config *config);
/* One thing that happened at `now` [ns], on any clock that does not go backwards.  input NULL =
 * HYS_INPUT_TIMER. HYS_ERR_ARG: a NULL, or time goes backwards or is beyond HYS_MAX_TIME after the first
 * instant; HYS_ERR_STATE: not initialised (zeroed memory).  Nothing is sent then, and what was armed stays
 * armed.  RT-safe. */
HYS_API hys_status hys_shield_step(hys_shield *shield, int64_t now, const hys_input *input,
                                   hys_output *output);
/* As after init.  RT-safe. */
HYS_API hys_status hys_shield_reset(hys_shield *shield);
HYS_API hys_state hys_shield_state(const hys_shield *shield);
/* The estimate as one box over all locations (hull), nx intervals; all empty when there is none.  RT-safe. */
HYS_API void hys_shield_estimate(const hys_shield *shield, hys_interval *box);
/* Where the plant may be, by the estimate: writes at most `max` location indices, returns their number.
 * RT-safe. */
HYS_API uint32_t hys_shield_locations(const hys_shield *shield, uint32_t *location, uint32_t max);

#ifdef __cplusplus
}
#endif
#endif
