/* The reasons of a decision: the third axis beside status and verdict.  core, synth and monitor share the
 * list, since the flowpipe already knows why it certified nothing. */
#ifndef HYSHIELD_CORE_RT_REASON_H
#define HYSHIELD_CORE_RT_REASON_H

#include "core/rt/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Why a decision was what it was.  One list: constant and text. */
#define HYS_REASON_LIST(X)                                                                                   \
  X(NONE, "none")                                                                                            \
  X(PASSED, "passed")                                                                                        \
  X(DELAYED, "delayed")                                                                                      \
  X(SUBSTITUTED, "substituted")                                                                              \
  X(SUPPRESSED, "suppressed")                                                                                \
  X(INSERTED, "inserted")                                                                                    \
  X(HANDED_BACK, "handed back")                                                                              \
  X(RENEWED, "plan renewed")                                                                                 \
  X(INPUT_STALE, "input stale")                                                                              \
  X(INPUT_NONFINITE, "input not finite")                                                                     \
  X(INPUT_RANGE, "input out of range")                                                                       \
  X(INPUT_UNKNOWN, "input unknown")                                                                          \
  X(TIME_BACKWARDS, "time goes backwards")                                                                   \
  X(MODEL_MISMATCH, "sample contradicts the model")                                                          \
  X(EVENT_OUT_OF_MODEL, "event the model does not allow")                                                    \
  X(TIMING_FAULT, "timing fault")                                                                            \
  X(NOT_READY, "not ready")                                                                                  \
  X(NOT_ENABLED, "command not enabled")                                                                      \
  X(OVERTAKEN, "overtaken by a later command")                                                               \
  X(CANCELLED, "cancelled")                                                                                  \
  X(RATE_BOUND, "insertion bucket empty")                                                                    \
  X(BLOCKED, "time may stop")                                                                                \
  X(UNSAFE, "the forbidden set may be reached")                                                              \
  X(NOT_TERMINAL, "no terminal set reached in the horizon")                                                  \
  X(TOO_MANY_SETS, "more sets than the work area holds")                                                     \
  X(QUEUE_FULL, "queue full")                                                                                \
  X(NO_SAFE_ACTION, "no safe action")                                                                        \
  X(DEADLINE, "deadline")                                                                                    \
  X(LATCHED, "latched")                                                                                      \
  X(EVENT_PENDING, "sample set aside: an event may not have been told yet")                                  \
  X(EVENT_UNCOVERED, "an event could not be recovered from in time")

typedef enum hys_reason {
#define X(name, text) HYS_REASON_##name,
  HYS_REASON_LIST(X)
#undef X
      HYS_REASON_COUNT
} hys_reason;

HYS_API const char *hys_reason_text(hys_reason reason); /* words for people; RT-safe */
HYS_API const char *hys_reason_name(hys_reason reason); /* the constant's name without its prefix; RT-safe */

#ifdef __cplusplus
}
#endif
#endif
