#include "cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "core/version.h"

bool cli_read_seed(const char *text, uint64_t *seed) {
  char *end = NULL;
  errno = 0;
  const unsigned long long value = strtoull(text, &end, 10);
  if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0) /* strtoull takes blanks and signs */
    return false;
  *seed = value;
  return true;
}

int cli_print_version(void) {
  printf("hyshield %s\n", hys_version_text());
  return CLI_OK;
}
