/* The names of actions and states, as they stand in traces. */
#include "monitor/rt/shield.h"

const char *hys_action_name(hys_action action) {
  switch (action) {
  case HYS_ACTION_NONE:
    return "none";
  case HYS_ACTION_PASS:
    return "pass";
  case HYS_ACTION_DELAY:
    return "delay";
  case HYS_ACTION_SUBSTITUTE:
    return "substitute";
  case HYS_ACTION_SUPPRESS:
    return "suppress";
  case HYS_ACTION_INSERT:
    return "insert";
  }
  return "?";
}

const char *hys_state_name(hys_state state) {
  switch (state) {
  case HYS_STATE_START:
    return "START";
  case HYS_STATE_GUARDED:
    return "GUARDED";
  case HYS_STATE_LOST:
    return "LOST";
  case HYS_STATE_OBSERVE:
    return "OBSERVE";
  }
  return "?";
}
