/* What a reader has to say, for people. */
#ifndef HYSHIELD_CLI_PROBLEMS_H
#define HYSHIELD_CLI_PROBLEMS_H

#include <stdbool.h>

#include "core/diagnostics.h"
#include "core/rt/status.h"

/* One line each on standard error: FILE:LINE:COLUMN: SEVERITY: TEXT (HINT). With quiet errors only. */
void cli_print_problems(const hys_diagnostics *problems, bool quiet);
/* The exit code for a status that came from reading an input or writing an output. */
int cli_exit_for(hys_status status);

#endif
