#include "cli/problems.h"

#include <stdio.h>

#include "cli/cli.h"

void cli_print_problems(const hys_diagnostics *problems, bool quiet) {
  static const char *const words[] = {"note", "warning", "error"};
  for (uint32_t k = 0; k < problems->n; k++) {
    const hys_diagnostic *const d = &problems->item[k];
    if (quiet && d->severity != HYS_ERROR)
      continue;
    if (d->file != NULL)
      fprintf(stderr, "%s:", d->file);
    if (d->line > 0)
      fprintf(stderr, "%lu:", (unsigned long)d->line);
    if (d->line > 0 && d->column > 0)
      fprintf(stderr, "%lu:", (unsigned long)d->column);
    fprintf(stderr, "%s%s: %s", d->file != NULL || d->line > 0 ? " " : "", words[d->severity],
            d->text != NULL ? d->text : "");
    if (d->hint != NULL)
      fprintf(stderr, " (%s)", d->hint);
    fputc('\n', stderr);
  }
  if (problems->dropped > 0)
    fprintf(stderr, "hyshield: %lu more problems\n", (unsigned long)problems->dropped);
}

int cli_exit_for(hys_status status) {
  switch (status) {
  case HYS_OK:
    return CLI_OK;
  case HYS_ERR_OPEN:
    return CLI_NO_INPUT;
  case HYS_ERR_WRITE:
    return CLI_NO_OUTPUT;
  case HYS_ERR_INPUT:
  case HYS_ERR_LIMIT:
  case HYS_ERR_UNSUPPORTED:
  case HYS_ERR_NUMERIC:
    return CLI_BAD_INPUT;
  case HYS_ERR_ARG:
  case HYS_ERR_MEMORY:
  case HYS_ERR_STATE:
  case HYS_ERR_FLOAT_ENV:
  case HYS_ERR_INTERNAL:
    break;
  }
  return CLI_INTERNAL;
}
