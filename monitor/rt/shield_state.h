/* What a shield remembers. Private to the monitor. */
#ifndef HYSHIELD_MONITOR_RT_SHIELD_STATE_H
#define HYSHIELD_MONITOR_RT_SHIELD_STATE_H

#include "monitor/rt/shield.h"
#include "synth/rt/estimate.h"
#include "synth/rt/plan.h"

/* The last command of the controller that was not passed: it stays wanted until it is passed or another
 * comes. */
typedef struct hysi_request {
  bool standing;
  hys_send send;
  int64_t since;    /* when it was asked for [ns] */
  int64_t send_at;  /* it waits for this instant; HYS_NEVER: it was suppressed */
  double value;     /* with which it will be sent then (NaN without one) */
  bool substituted; /* another value was sent in its place */
} hysi_request;

/* A delayed command that has been certified for good: the timer sends it at `at`. */
typedef struct hysi_due {
  bool pending;
  hys_send requested, send; /* they differ where another value is sent */
  int64_t at;
} hysi_due;

/* Events that predictions leave out until they are told (hys_event.recovery). */
typedef struct hysi_untold {
  int64_t within; /* the longest latency of such an event [ns]; -1: there is none */
  hys_estimate
      base; /* the estimate, not cut by samples that may have been taken after one; no sets: unknown */
  int64_t cut_until; /* up to here an event may be told that was before the last cut [ns] */
  int64_t since;     /* a sample contradicted the estimate: one may have happened; HYS_NEVER: none did */
  int64_t told_at;   /* the last one was told; a sample that may be older is not begun from [ns] */
} hysi_untold;

struct hys_shield {
  const hys_spec *spec;
  hys_shield_config config;
  hys_state state;
  bool started;   /* origin and last_now are instants */
  int64_t origin; /* the first instant, on the caller's clock; every other one here counts from it */
  int64_t last_now;
  bool sampled; /* last_stamp is an instant */
  int64_t last_stamp;
  bool fallback_sent; /* in this START or LOST */
  bool armed;         /* plan is certified */
  hys_plan plan;
  hysi_request request;
  hysi_due due;
  double in_force[HYS_MAX_COMMANDS]; /* the value sent last with each command; NaN: none */
  double tokens;                     /* insertions that the bucket still has at tokens_at */
  int64_t tokens_at;
  hys_estimate estimate;
  hysi_untold untold;
  hys_search search;
  hys_reach_result result;
  hys_reach_work *work; /* behind this structure */
};

/* record.c */
hys_record *hysi_record(hys_shield *shield, hys_output *output, int64_t now, hys_action action,
                        hys_reason reason);
void hysi_record_why(const hys_shield *shield, hys_record *record);
void hysi_record_plan(const hys_shield *shield, hys_record *record);
void hysi_send(hys_output *output, const hys_send *send);

/* decide.c */
void hysi_search_start(hys_shield *shield);
int64_t hysi_token_at(const hys_shield *shield, int64_t now);
void hysi_take_token(hys_shield *shield, int64_t now);
/* A command of the controller.  fresh: it has just come; else it stands and is tried again. */
void hysi_decide(hys_shield *shield, int64_t now, const hys_send *wanted, bool fresh, hys_output *output);
/* The decision on a delayed command, C before its instant: it is sent by the timer then, or decided anew. */
void hysi_decide_delayed(hys_shield *shield, int64_t now, hys_output *output);
/* Renews the armed plan (or finds a first one); true: one is armed. */
bool hysi_renew(hys_shield *shield, int64_t now);

/* untold.c: nothing where the specification has no such event. */
void hysi_untold_clear(hys_shield *shield);
/* The estimate stands for itself: it has been begun anew, or is not to be trusted. */
void hysi_untold_follow(hys_shield *shield);
/* On the wire, in the estimate and in what stands behind it.  false: the queue is full. */
bool hysi_sent(hys_shield *shield, const hys_flight *flight);
/* Cuts the estimate, after a prediction to now.  HYS_REASON_NONE; HYS_REASON_EVENT_PENDING: the sample is set
 * aside; HYS_REASON_MODEL_MISMATCH: the guarantee is void. */
hys_reason hysi_cut(hys_shield *shield, int64_t now, const hys_reading *reading);
/* The event is told, after a prediction to now.  false: the model does not allow it. */
bool hysi_told(hys_shield *shield, int64_t now, const hys_input *input);

#endif
