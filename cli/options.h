/* Options that every subcommand takes. */
#ifndef HYSHIELD_CLI_OPTIONS_H
#define HYSHIELD_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

/* --seed: a whole number from 0 to 2^64 - 1 in decimal digits.  false: it is none; unchanged. */
bool cli_read_seed(const char *text, uint64_t *seed);

/* --version: one line on standard output.  Returns an exit code. */
int cli_print_version(void);

#endif
