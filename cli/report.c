#include "cli/report.h"

#include <inttypes.h>

#include "cli/cli.h"

static const char *severity_word(hys_severity severity) {
  return severity == HYS_ERROR ? "error" : severity == HYS_WARNING ? "warning" : "note";
}

void cli_print_diagnostics(FILE *out, const hys_diagnostics *list) {
  for (uint32_t i = 0; i < list->n; i++) {
    const hys_diagnostic *d = &list->item[i];
    if (d->file != NULL)
      fprintf(out, "%s:", d->file);
    if (d->line > 0)
      fprintf(out, "%u:", (unsigned)d->line);
    if (d->line > 0 && d->column > 0)
      fprintf(out, "%u:", (unsigned)d->column);
    fprintf(out, "%s%s: %s\n", d->file != NULL || d->line > 0 ? " " : "", severity_word(d->severity),
            d->text);
  }
  if (list->dropped > 0)
    fprintf(out, "%u more not shown\n", (unsigned)list->dropped);
}

void cli_print_counted(FILE *out, uint64_t n, const char *one) {
  fprintf(out, "%" PRIu64 " %s%s", n, one, n == 1 ? "" : "s");
}

static bool add_text(json_t *object, const char *key, const char *text) {
  return text == NULL || json_object_set_new(object, key, json_string(text)) == 0;
}

json_t *cli_problems_json(const hys_diagnostics *list) {
  json_t *all = json_array();
  for (uint32_t i = 0; all != NULL && i < list->n; i++) {
    const hys_diagnostic *d = &list->item[i];
    json_t *one = json_object();
    const bool done =
        one != NULL &&
        json_object_set_new(one, "line", d->line > 0 ? json_integer(d->line) : json_null()) == 0 &&
        json_object_set_new(one, "column", d->column > 0 ? json_integer(d->column) : json_null()) == 0 &&
        add_text(one, "severity", severity_word(d->severity)) && add_text(one, "text", d->text) &&
        add_text(one, "file", d->file) && add_text(one, "element", d->element) &&
        add_text(one, "expected", d->expected) && add_text(one, "found", d->found) &&
        add_text(one, "hint", d->hint);
    if (!done || json_array_append_new(all, one) != 0) {
      if (!done)
        json_decref(one);
      json_decref(all);
      return NULL;
    }
  }
  return all;
}

bool cli_print_json(json_t *object) {
  if (object == NULL)
    return false;
  const bool written =
      json_dumpf(object, stdout, JSON_COMPACT | JSON_REAL_PRECISION(17)) == 0 && putchar('\n') != EOF;
  json_decref(object);
  return written;
}

int cli_exit_of(hys_status status) {
  switch (status) {
  case HYS_OK:
    return CLI_OK;
  case HYS_ERR_INPUT:
  case HYS_ERR_LIMIT:
  case HYS_ERR_NUMERIC:
    return CLI_BAD_INPUT;
  case HYS_ERR_OPEN:
    return CLI_NO_INPUT;
  case HYS_ERR_UNSUPPORTED:
    return CLI_UNKNOWN;
  case HYS_ERR_WRITE:
    return CLI_NO_OUTPUT;
  case HYS_ERR_ARG:
  case HYS_ERR_MEMORY:
  case HYS_ERR_STATE:
  case HYS_ERR_FLOAT_ENV:
  case HYS_ERR_INTERNAL:
    break;
  }
  return CLI_INTERNAL;
}
