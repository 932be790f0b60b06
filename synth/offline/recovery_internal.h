/* Shared by the two parts of the search for a recovery. Private to synth. */
#ifndef HYSHIELD_SYNTH_OFFLINE_RECOVERY_INTERNAL_H
#define HYSHIELD_SYNTH_OFFLINE_RECOVERY_INTERNAL_H

#include "core/rt/spec.h"

enum { HYSI_RECOVERY_LOCATIONS = 64 };

/* One event and one command. */
typedef struct hysi_recovery {
  const hys_spec *spec;
  const hys_automaton *automaton;
  int32_t event, command;              /* labels */
  uint64_t commands;                   /* labels that are commands */
  uint64_t absent;                     /* these, and the labels of all events that need a recovery */
  uint32_t changes;                    /* states that those events change */
  hys_interval range[HYS_MAX_STATES];  /* own states: where a schedule may be decided; else entire */
  hys_interval domain[HYS_MAX_STATES]; /* own states: where they may be when the event happens; else entire */
  bool settled[HYSI_RECOVERY_LOCATIONS]; /* the command has no jump there */
} hysi_recovery;

bool hysi_is_label(uint64_t labels, int32_t label);
/* Fills range, domain and settled and checks what the argument supposes of the automaton; NULL, or what is
 * missing. */
const char *hysi_recovery_supposed(hysi_recovery *r);

#endif
