/* A specification made ready for its events: what both check and drive do behind the reader. */
#ifndef HYSHIELD_CLI_RECOVERED_H
#define HYSHIELD_CLI_RECOVERED_H

#include <stdbool.h>

#include "synth/offline/recovery.h"

/* hys_recovery_prepare, and one line on standard error for each event that needs it, unless quiet.  Use
 * out->spec where the status is HYS_OK. */
hys_status cli_recover(hys_recovered *out, const hys_spec *spec, bool quiet);

#endif
