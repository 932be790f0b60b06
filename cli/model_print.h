/* `hyshield check' with --print, --print-cfg or --dot. */
#ifndef HYSHIELD_CLI_MODEL_PRINT_H
#define HYSHIELD_CLI_MODEL_PRINT_H

#include <stdbool.h>

#include "models/model.h"

typedef struct cli_printing cli_printing;

/* What an option prints; NULL: it is none of these. */
const cli_printing *cli_find_printing(const char *option);

/* Prints a model that was read without errors on standard output, what there is to say on standard error.
 * force: also a large product. Returns an exit code. */
int cli_print_model(const cli_printing *printing, const hys_model *model, bool force, hys_arena *arena);

#endif
