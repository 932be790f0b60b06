/* hyshield audit: is a journal whole, and does it follow from its inputs? */
#include <getopt.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/recovered.h"
#include "cli/report.h"
#include "core/allocator.h"
#include "core/diagnostics.h"
#include "models/shield_file.h"
#include "monitor/journal.h"

static const char usage[] =
    "usage: hyshield audit JOURNAL [OPTION...]\n"
    "\n"
    "Checks the chain, the signatures, the counts and the form of a journal, and names the first line that\n"
    "does not hold.\n"
    "\n"
    "  --key PUBLIC     the signatures have to be by this key (64 hexadecimal digits); without it a journal "
    "is\n"
    "                   only found consistent with itself\n"
    "  --replay         give the recorded inputs to a fresh shield: the same bytes have to come out\n"
    "  --shield FILE    the shield file for --replay (default: the path that the journal names)\n"
    "  --json           one object on standard output\n"
    "  --quiet          no words on standard error but errors\n"
    "  --seed N         changes nothing\n"
    "  --help, --version\n"
    "\n"
    "Exit: 0 it holds, 1 it does not, 2 it ends without its closing record or a gap ends the replay, 64 "
    "usage,\n"
    "65 bad input, 66 cannot open input, 70 fault of ours.\n";

typedef struct audit_options {
  const char *journal, *key, *shield;
  bool replay, json, quiet;
} audit_options;

static int read_options(int argc, char **argv, audit_options *o) {
  enum { KEY = 256, REPLAY, SHIELD, JSON, QUIET, SEED, TELL_VERSION };
  static const struct option known[] = {{"key", required_argument, NULL, KEY},
                                        {"replay", no_argument, NULL, REPLAY},
                                        {"shield", required_argument, NULL, SHIELD},
                                        {"json", no_argument, NULL, JSON},
                                        {"quiet", no_argument, NULL, QUIET},
                                        {"seed", required_argument, NULL, SEED},
                                        {"help", no_argument, NULL, 'h'},
                                        {"version", no_argument, NULL, TELL_VERSION},
                                        {NULL, 0, NULL, 0}};
  uint64_t seed;
  int c;
  optind = 1;
  while ((c = getopt_long(argc, argv, "h", known, NULL)) != -1) {
    switch (c) {
    case KEY:
      o->key = optarg;
      break;
    case REPLAY:
      o->replay = true;
      break;
    case SHIELD:
      o->shield = optarg;
      break;
    case JSON:
      o->json = true;
      break;
    case QUIET:
      o->quiet = true;
      break;
    case SEED:
      if (!cli_read_seed(optarg, &seed)) {
        fprintf(stderr, "hyshield audit: not a seed: '%s'\n", optarg);
        return CLI_USAGE;
      }
      break;
    case 'h':
      fputs(usage, stdout);
      return -1;
    case TELL_VERSION:
      cli_print_version();
      return -1;
    default:
      fputs("see `hyshield audit --help'\n", stderr);
      return CLI_USAGE;
    }
  }
  if (optind + 1 != argc) {
    fputs("hyshield audit: one journal is needed; see `hyshield audit --help'\n", stderr);
    return CLI_USAGE;
  }
  o->journal = argv[optind];
  return CLI_OK;
}

/* The first record; NULL: none.  A new reference. */
static json_t *first_record(const char *path) {
  FILE *const file = fopen(path, "rb");
  json_t *const object = file != NULL ? json_loadf(file, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
  if (file != NULL)
    fclose(file);
  return object;
}

static bool same_hash(const json_t *first, const char *which, const char *path) {
  char hex[65];
  const char *const said = json_string_value(json_object_get(json_object_get(first, "hash"), which));
  if (path == NULL)
    return said != NULL && said[0] == '\0';
  return said != NULL && hys_journal_hash_file(path, hex) == HYS_OK && strcmp(hex, said) == 0;
}

static int replay_over(const audit_options *o, const json_t *first, hys_arena *arena,
                       hys_journal_report *report) {
  const char *const path =
      o->shield != NULL ? o->shield : json_string_value(json_object_get(first, "shield"));
  hys_diagnostics problems;
  hys_shield_extras extras;
  const hys_spec *spec = NULL;
  memset(&extras, 0, sizeof extras);
  hys_diagnostics_init(&problems, arena);
  hys_status status =
      path != NULL ? hys_shield_file_read_all(path, arena, &problems, &spec, &extras) : HYS_ERR_INPUT;
  if (status != HYS_OK) {
    cli_print_diagnostics(stderr, &problems);
    fprintf(stderr, "hyshield audit: %s: %s\n", path != NULL ? path : o->journal, hys_status_text(status));
    return cli_exit_of(status);
  }
  if (!same_hash(first, "shield", path) || !same_hash(first, "model", extras.model_path) ||
      !same_hash(first, "config", extras.config_path)) {
    report->bad_line = 1;
    snprintf(report->why, sizeof report->why, "the shield file or its model is not the one of the journal");
    return CLI_OK;
  }
  hys_recovered ready;
  status = cli_recover(&ready, spec, true);
  if (status == HYS_OK)
    status = hys_journal_replay(o->journal, &ready.spec, report);
  if (status == HYS_ERR_INPUT)
    return CLI_OK; /* the report says where */
  if (status != HYS_OK)
    fprintf(stderr, "hyshield audit: %s: %s\n", o->journal, hys_status_text(status));
  return status == HYS_OK ? CLI_OK : cli_exit_of(status);
}

static int replay(const audit_options *o, hys_journal_report *report) {
  hys_arena *const arena = hys_arena_create(NULL);
  json_t *const first = first_record(o->journal);
  int code = CLI_INTERNAL;
  if (arena == NULL)
    fputs("hyshield audit: out of memory\n", stderr);
  else
    code = replay_over(o, first, arena, report);
  json_decref(first);
  hys_arena_destroy(arena);
  return code;
}

static void print_words(const audit_options *o, const hys_journal_report *r) {
  if (r->half_line)
    fprintf(stderr, "%s: half a line after line %llu is not looked at\n", o->journal,
            (unsigned long long)r->lines);
  if (r->dropped > 0)
    fprintf(stderr, "%s: %llu records were dropped when it was written\n", o->journal,
            (unsigned long long)r->dropped);
  if (o->key == NULL)
    fprintf(stderr, "%s: no --key: the journal is only found consistent with itself (key %s)\n", o->journal,
            r->public_key);
}

static void print_json(const audit_options *o, const hys_journal_report *r, const char *verdict) {
  json_t *const why = r->bad_line > 0 ? json_string(r->why) : json_null();
  cli_print_json(json_pack("{s:s,s:I,s:I,s:I,s:b,s:b,s:I,s:b,s:b,s:I,s:o}", "verdict", verdict, "lines",
                           (json_int_t)r->lines, "steps", (json_int_t)r->steps, "dropped",
                           (json_int_t)r->dropped, "closed", (int)r->closed, "half_line", (int)r->half_line,
                           "signed_lines", (json_int_t)r->signed_lines, "key_given", (int)(o->key != NULL),
                           "replayed", (int)o->replay, "bad_line", (json_int_t)r->bad_line, "why", why));
}

int cli_cmd_audit(int argc, char **argv) {
  audit_options o = {.quiet = false};
  hys_journal_report r;
  int code = read_options(argc, argv, &o);
  if (code != CLI_OK)
    return code < 0 ? CLI_OK : code;
  const hys_status status = hys_journal_verify(o.journal, o.key, &r);
  if (status != HYS_OK) {
    fprintf(stderr, "hyshield audit: %s: %s\n", status == HYS_ERR_ARG ? o.key : o.journal,
            status == HYS_ERR_ARG ? "not a public key of 64 hexadecimal digits" : hys_status_text(status));
    return status == HYS_ERR_ARG ? CLI_USAGE : cli_exit_of(status);
  }
  if (o.replay && r.bad_line == 0 && r.lines > 0)
    code = replay(&o, &r);
  if (code != CLI_OK)
    return code;
  const bool bad = r.why[0] != '\0', short_replay = o.replay && r.dropped > 0;
  code = bad ? CLI_VIOLATED : r.closed && !short_replay ? CLI_OK : CLI_UNKNOWN;
  if (!o.quiet)
    print_words(&o, &r);
  if (o.json) {
    print_json(&o, &r, bad ? "broken" : r.closed ? "whole" : "unclosed");
    return code;
  }
  if (bad)
    printf("%s: line %llu: %s\n", o.journal, (unsigned long long)r.bad_line, r.why);
  else if (!r.closed)
    printf("%s: ends without a closing record after line %llu; signed up to line %llu\n", o.journal,
           (unsigned long long)r.lines, (unsigned long long)r.signed_lines);
  else
    printf("%s: %llu lines, %llu decisions: chain, signatures and counts hold%s\n", o.journal,
           (unsigned long long)r.lines, (unsigned long long)r.steps,
           !o.replay      ? ""
           : short_replay ? "; replayed up to the first gap"
                          : "; replay gives the same bytes");
  return code;
}
