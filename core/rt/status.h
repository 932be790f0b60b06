/* Two of the three axes that are never mixed: status (could the call do its work) and verdict (what it
 * found). The third, the reason of a decision, belongs to the shield. */
#ifndef HYSHIELD_CORE_RT_STATUS_H
#define HYSHIELD_CORE_RT_STATUS_H

#include "core/rt/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The one list of status codes: name, text for people. Codes are numbered from 0 in this order; new ones go
 * to the end. */
#define HYS_STATUS_LIST(X)                                                                                   \
  X(HYS_OK, "done")                                                                                          \
  X(HYS_ERR_ARG, "an argument is not allowed")                                                               \
  X(HYS_ERR_MEMORY, "out of memory")                                                                         \
  X(HYS_ERR_LIMIT, "a limit is exceeded")                                                                    \
  X(HYS_ERR_INPUT, "the input is not valid")                                                                 \
  X(HYS_ERR_OPEN, "cannot open the input")                                                                   \
  X(HYS_ERR_WRITE, "cannot write the output")                                                                \
  X(HYS_ERR_UNSUPPORTED, "not supported")                                                                    \
  X(HYS_ERR_NUMERIC, "the computation left the range of numbers")                                            \
  X(HYS_ERR_STATE, "not possible in this state of the object")                                               \
  X(HYS_ERR_FLOAT_ENV, "the floating-point environment is not the one relied on")                            \
  X(HYS_ERR_INTERNAL, "a fault of hyshield")

typedef enum hys_status {
#define HYS_STATUS_CODE(code, text) code,
  HYS_STATUS_LIST(HYS_STATUS_CODE)
#undef HYS_STATUS_CODE
} hys_status;

/* The one list of verdicts. Zeroed memory says UNKNOWN and so permits nothing. */
#define HYS_VERDICT_LIST(X)                                                                                  \
  X(HYS_UNKNOWN, "unknown")                                                                                  \
  X(HYS_HOLDS, "holds")                                                                                      \
  X(HYS_VIOLATED, "violated")

typedef enum hys_verdict {
#define HYS_VERDICT_CODE(code, text) code,
  HYS_VERDICT_LIST(HYS_VERDICT_CODE)
#undef HYS_VERDICT_CODE
} hys_verdict;

/* The text of a status: a constant string, never NULL; "not a status" for a number outside the list. RT-safe.
 */
HYS_API const char *hys_status_text(hys_status status);

/* The text of a verdict: a constant string, never NULL; "not a verdict" for a number outside the list.
 * RT-safe. */
HYS_API const char *hys_verdict_text(hys_verdict verdict);

#ifdef __cplusplus
}
#endif

#endif
