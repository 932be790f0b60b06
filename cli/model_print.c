#include "cli/model_print.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/report.h"
#include "models/print.h"

struct cli_printing {
  const char *option;
  bool product; /* as large as the product */
  hys_status (*print)(const hys_model *model, const hys_model_writer *writer, hys_arena *arena,
                      hys_diagnostics *diagnostics);
};

const cli_printing *cli_find_printing(const char *option) {
  static const cli_printing known[] = {{"--print", true, hys_model_print},
                                       {"--print-cfg", true, hys_model_print_config},
                                       {"--dot", false, hys_model_print_dot}};

  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
    if (strcmp(option, known[i].option) == 0)
      return &known[i];
  return NULL;
}

static bool write_bytes(void *context, const char *bytes, size_t n) {
  return fwrite(bytes, 1, n, context) == n;
}

int cli_print_model(const cli_printing *printing, const hys_model *model, bool force, hys_arena *arena) {
  const hys_model_writer writer = {write_bytes, stdout};
  const uint64_t locations = hys_model_location_count(model);
  hys_diagnostics said;
  hys_status status;

  if (printing->product && locations > HYS_PRINT_MAX_LOCATIONS && !force) {
    if (locations == UINT64_MAX)
      fputs("hyshield check: the product has more than 2^53 locations", stderr);
    else
      fprintf(stderr, "hyshield check: the product has %" PRIu64 " locations", locations);
    fprintf(stderr, "; more than %d are printed only with --force\n", HYS_PRINT_MAX_LOCATIONS);
    return CLI_USAGE;
  }
  hys_diagnostics_init(&said, arena);
  status = printing->print(model, &writer, arena, &said);
  cli_print_diagnostics(stderr, &said);
  if (status == HYS_OK && fflush(stdout) != 0)
    status = HYS_ERR_WRITE;
  /* that standard output failed is told at the end of every command */
  if (status != HYS_OK && status != HYS_ERR_WRITE && said.errors == 0)
    fprintf(stderr, "hyshield check: %s\n", hys_status_text(status));
  /* what one component cannot say is a fault of the file */
  return status == HYS_ERR_UNSUPPORTED ? CLI_BAD_INPUT : cli_exit_of(status);
}
