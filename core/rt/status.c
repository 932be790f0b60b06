#include "core/rt/status.h"

const char *hys_status_text(hys_status status) {
  switch (status) {
#define TEXT(code, text)                                                                                     \
  case code:                                                                                                 \
    return text;
    HYS_STATUS_LIST(TEXT)
#undef TEXT
  }
  return "not a status";
}

const char *hys_verdict_text(hys_verdict verdict) {
  switch (verdict) {
#define TEXT(code, text)                                                                                     \
  case code:                                                                                                 \
    return text;
    HYS_VERDICT_LIST(TEXT)
#undef TEXT
  }
  return "not a verdict";
}
