/* The specification of a shield: what the shield file says, resolved against a prepared automaton.
 * Built by models/shield_file.h; constant afterwards.  Times in nanoseconds, everything else SI.
 * Greek letters are those of the definition of a certificate: rho- and rho+ the actuation latency, theta how
 * late a timer may be, C the time a decision may take, sigma the error of a time stamp, eps the error of a
 * sample. RT-safe: types only. */
#ifndef HYSHIELD_CORE_RT_SPEC_H
#define HYSHIELD_CORE_RT_SPEC_H

#include "core/rt/automaton.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  HYS_MAX_COMMANDS = 16,
  HYS_MAX_EVENTS = 16,
  HYS_MAX_EDITS = 4,
  HYS_MAX_EVENT_VALUES = 4,
  HYS_MAX_QUEUE = 16
};

/* How far from its first instant a shield's clock may go [ns]: 4.5 years, so that sums of instants and 32
 * times one stay in an int64. */
#define HYS_MAX_TIME (INT64_C(1) << 57)

typedef enum hys_trigger { HYS_TRIGGER_POLLED, HYS_TRIGGER_EVENT, HYS_TRIGGER_TIMER } hys_trigger;

typedef struct hys_timing {
  hys_trigger trigger;
  int64_t period;        /* of samples and commands */
  int64_t deadline;      /* C */
  int64_t compute_min;   /* Cmin */
  int64_t actuation_min; /* rho- */
  int64_t actuation_max; /* rho+ */
  int64_t timer_late;    /* theta */
  int64_t stamp_error;   /* sigma */
  bool order_kept;
} hys_timing;

typedef enum hys_observation { HYS_OBSERVED, HYS_UNOBSERVED } hys_observation;

/* One a state of the automaton, in its order. */
typedef struct hys_observed {
  hys_observation kind;
  double error;    /* eps, rounded up */
  int64_t stale;   /* a sample older than this is not used */
  double min, max; /* of a reading (observed) or of the state (unobserved); -inf, inf when not given */
  const char *unit;
} hys_observed;

typedef enum hys_mode_from { HYS_MODE_COMMANDS, HYS_MODE_SAMPLE, HYS_MODE_ESTIMATE } hys_mode_from;

typedef enum hys_edit {
  HYS_EDIT_DELAY,
  HYS_EDIT_SUBSTITUTE,
  HYS_EDIT_SUBSTITUTE_DELAY,
  HYS_EDIT_SUPPRESS
} hys_edit;
typedef enum hys_channel { HYS_CHANNEL_LATEST, HYS_CHANNEL_KEEP } hys_channel;
typedef enum hys_otherwise { HYS_OTHERWISE_IGNORED, HYS_OTHERWISE_ILLEGAL } hys_otherwise;

typedef struct hys_command {
  const char *name;
  int32_t label; /* of the automaton */
  hys_edit edit[HYS_MAX_EDITS];
  uint32_t n_edits;
  bool insert;
  int64_t validity; /* how long a command may be delayed; 0 = not */
  uint8_t priority; /* of insertion, 1 before 2; 255 when not given */
  hys_channel channel;
  hys_otherwise otherwise;
  int32_t value_state; /* state that every jump with the label assigns by an interval; -1 = no value */
  double value_min, value_max, value_step; /* step 0 = continuous */
  const char *value_unit;
} hys_command;

typedef struct hys_event_value {
  uint32_t state;
  double error;
} hys_event_value;

typedef struct hys_event {
  const char *name;
  int32_t label;
  int64_t latency;
  hys_event_value value[HYS_MAX_EVENT_VALUES];
  uint32_t n_values;
  /* Found by synth/offline/recovery.h, zero until then.  recovery > 0: wherever the event happens, the
   * command recovery_command saves the plant if it takes effect within this many ns of it; flowpipes then
   * leave the event out, and every schedule ends with that command in time. */
  int64_t recovery;
  uint32_t recovery_command;
  uint32_t changes; /* bit i: the event may change state i */
} hys_event;

typedef struct hys_limits {
  double insertions_per_second;
  uint32_t burst;
  uint32_t queue;       /* commands in flight or waiting */
  uint32_t plan_length; /* insertions in a plan */
  int64_t horizon;      /* H */
  uint32_t locations;   /* locations that a flowpipe may be in at one instant */
} hys_limits;

typedef struct hys_spec {
  const char *name;
  const hys_automaton *automaton;
  hys_timing timing;
  const hys_observed *observed;   /* nx */
  const hys_mode_from *mode_from; /* n_instances; estimate when the file does not say */
  const hys_command *command;
  uint32_t n_commands;
  const hys_event *event;
  uint32_t n_events;
  const hys_interval *recovery_range; /* nx, or NULL: where the states must be when a schedule is decided, for
                                         the events' recovery to hold behind it */
  uint32_t fallback;                  /* command */
  double fallback_value;              /* NaN without a value */
  bool latch;
  const hys_region *terminal; /* T: union of regions */
  uint32_t n_terminal;
  hys_limits limits;
} hys_spec;

#ifdef __cplusplus
}
#endif
#endif
