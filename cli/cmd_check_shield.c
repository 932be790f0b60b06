/* `hyshield check' on a shield file: what is wrong with it, and whether it is certified. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/recovered.h"
#include "cli/report.h"
#include "core/allocator.h"
#include "core/diagnostics.h"
#include "models/shield_file.h"
#include "synth/offline/enforceable.h"

typedef struct finding {
  const char *enforceable; /* "certified", "no", "unknown" */
  const char *terminal;    /* verdict on T; NULL: not looked at */
  char reason[256];
} finding;

static const char *failure(hys_reason reason, const char *otherwise) {
  return reason != HYS_REASON_NONE ? hys_reason_text(reason) : otherwise;
}

/* Asks for the certificate. */
static int certify(const hys_spec *spec, finding *f, bool quiet) {
  hys_certificate_report report;
  hys_recovered ready;
  hys_status status = cli_recover(&ready, spec, quiet);

  memset(&report, 0, sizeof report);
  const hys_verdict verdict =
      status == HYS_OK ? hys_certify(&ready.spec, NULL, &report, &status) : HYS_UNKNOWN;
  f->terminal = hys_verdict_text(report.terminal);
  switch (verdict) {
  case HYS_HOLDS:
    f->enforceable = "certified";
    snprintf(f->reason, sizeof f->reason, "a plan is certified from every initial state; margin %.6g",
             report.margin);
    return CLI_OK;
  case HYS_VIOLATED:
    f->enforceable = "no";
    snprintf(f->reason, sizeof f->reason, "initial set %u: %s", (unsigned)report.initially + 1,
             failure(report.reason, "no schedule keeps it out of the forbidden set"));
    return CLI_VIOLATED;
  case HYS_UNKNOWN:
    break;
  }
  f->enforceable = "unknown";
  if (status != HYS_OK)
    snprintf(f->reason, sizeof f->reason, "%s", hys_status_text(status));
  else if (report.terminal != HYS_HOLDS)
    snprintf(f->reason, sizeof f->reason, "terminal set %u is not shown to be one: %s",
             (unsigned)report.terminal_report.region + 1,
             failure(report.terminal_report.reason, "no reason was given"));
  else
    snprintf(f->reason, sizeof f->reason, "initial set %u is not certified: %s",
             (unsigned)report.initially + 1, failure(report.reason, "no reason was given"));
  return status == HYS_ERR_MEMORY ? CLI_INTERNAL : CLI_UNKNOWN;
}

/* Without a specification there is nothing to certify: the reader's status says why. */
static int no_spec(hys_status status, finding *f) {
  f->enforceable = "unknown";
  snprintf(f->reason, sizeof f->reason, "%s",
           status == HYS_ERR_UNSUPPORTED ? "the file or its model needs what this version does not support"
                                         : hys_status_text(status));
  return cli_exit_of(status);
}

static bool print_json(const hys_spec *spec, const hys_diagnostics *said, const finding *f) {
  json_t *problems = cli_problems_json(said);
  return problems != NULL &&
         cli_print_json(json_pack("{s:s, s:s?, s:n, s:o, s:s?, s:s}", "enforceable", f->enforceable,
                                  "terminal", f->terminal, "witness", "problems", problems, "name",
                                  spec != NULL ? spec->name : NULL, "reason", f->reason));
}

static void print_text(const char *path, const hys_spec *spec, const hys_diagnostics *said, const finding *f,
                       int code, bool quiet) {
  if (spec != NULL && !quiet) {
    const struct {
      uint64_t n;
      const char *one;
    } parts[] = {{spec->n_commands, "command"},
                 {spec->n_events, "event"},
                 {spec->automaton->nx, "state"},
                 {spec->automaton->n_locations, "location"},
                 {spec->n_terminal, "terminal set"}};
    printf("shield %s", spec->name);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
      fputs(i == 0 ? ": " : ", ", stdout);
      cli_print_counted(stdout, parts[i].n, parts[i].one);
    }
    putchar('\n');
  }
  if (code == CLI_OK || code == CLI_VIOLATED || code == CLI_UNKNOWN)
    printf("%s: enforceable: %s (%s)\n", path, f->enforceable, f->reason);
  else {
    printf("%s: no shield: ", path);
    cli_print_counted(stdout, said->errors, "error");
    fputs(", ", stdout);
    cli_print_counted(stdout, said->warnings, "warning");
    printf(" (%s)\n", f->reason);
  }
}

int cli_check_shield(const char *path, bool json, bool quiet) {
  hys_arena *arena = hys_arena_create(NULL);
  hys_diagnostics said;
  const hys_spec *spec = NULL;
  finding f = {.enforceable = "unknown"};

  if (arena == NULL) {
    fputs("hyshield: out of memory\n", stderr);
    return CLI_INTERNAL;
  }
  hys_diagnostics_init(&said, arena);
  const hys_status status = hys_shield_file_read(path, arena, &said, &spec);
  int code = spec != NULL ? certify(spec, &f, quiet) : no_spec(status, &f);
  cli_print_diagnostics(stderr, &said);
  if (!json)
    print_text(path, spec, &said, &f, code, quiet);
  else if (!print_json(spec, &said, &f))
    code = CLI_INTERNAL;
  hys_arena_destroy(arena);
  return code;
}
