/* How the command tells what a reader found: text for people on standard error, JSON for scripts. */
#ifndef HYSHIELD_CLI_REPORT_H
#define HYSHIELD_CLI_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "core/diagnostics.h"
#include "core/rt/status.h"

/* One line each, `FILE:LINE:COLUMN: severity: text', and one for those beyond the limit. */
void cli_print_diagnostics(FILE *out, const hys_diagnostics *list);

/* `1 error', `2 errors': one is a word whose plural ends in s. */
void cli_print_counted(FILE *out, uint64_t n, const char *one);

/* [{"line":,"column":,"severity":,"text":,"file":,"element":,"expected":,"found":,"hint":}]: the first four
 * always (null where there is no place), the rest where they are known.  A new reference; NULL: no memory. */
json_t *cli_problems_json(const hys_diagnostics *list);

/* Prints one object and a line break on standard output and drops the reference.  false: no memory (object
 * NULL), or not written. */
bool cli_print_json(json_t *object);

/* The exit code for what a reader returned. */
int cli_exit_of(hys_status status);

#endif
