#include "core/rt/reason.h"

const char *hys_reason_text(hys_reason reason) {
  switch (reason) {
#define X(name, text)                                                                                        \
  case HYS_REASON_##name:                                                                                    \
    return text;
    HYS_REASON_LIST(X)
#undef X
  case HYS_REASON_COUNT:
    break;
  }
  return "not a reason";
}

const char *hys_reason_name(hys_reason reason) {
  switch (reason) {
#define X(name, text)                                                                                        \
  case HYS_REASON_##name:                                                                                    \
    return #name;
    HYS_REASON_LIST(X)
#undef X
  case HYS_REASON_COUNT:
    break;
  }
  return "?";
}
