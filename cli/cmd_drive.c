/* hyshield drive: one closed loop in simulated time. */
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/recovered.h"
#include "cli/report.h"
#include "core/allocator.h"
#include "core/diagnostics.h"
#include "models/model.h"
#include "models/shield_file.h"
#include "sims/acc_drive.h"
#include "sims/acc_scenarios.h"
#include "sims/agents.h"
#include "sims/plot.h"
#include "sims/trace.h"

enum { MAX_PATH = 4096 };

static const char usage[] =
    "usage: hyshield drive SPEC [OPTION...]\n"
    "       hyshield drive --list\n"
    "\n"
    "Drives the plant of a shield file in a closed loop: agent, shield, plant, sensors.  The agents, the\n"
    "scenarios and the vehicle ahead are those of adaptive cruise control (gap, speed, speed ahead); for "
    "other\n"
    "models there is `hyshield simulate'.\n"
    "\n"
    "  --agent NAME         who asks for commands (default idm)\n"
    "  --scenario NAME      where it starts and what the vehicle ahead does (default worst-case)\n"
    "  --initially FORMULA  start in the middle of these states instead, e.g. \"d == 40 & v == 20 & w == "
    "20\"\n"
    "  --lead FILE.csv      the vehicle ahead drives as recorded (columns t, v_lead,\n"
    "                       v_follow, gap; SI, or with a unit: v_lead [km/h])\n"
    "  --duration S         seconds (default: the scenario's)\n"
    "  --no-shield          the commands go straight to the plant\n"
    "  --observe-only       the shield decides and edits nothing\n"
    "  -o DIR               where the trace and the pictures go (default .)\n"
    "  --no-plot            no pictures\n"
    "  --journal FILE       every input and decision, signed (see `hyshield audit')\n"
    "  --key FILE           the key that signs it: 64 hexadecimal digits (default: a fresh one)\n"
    "  --seed N             of all draws (default 1)\n"
    "  --list               agents and scenarios\n"
    "  --json               one object on standard output\n"
    "  --quiet              no words on standard error but errors\n"
    "  --help, --version\n"
    "\n"
    "Exit: 0 Bad was not entered, 1 it was, 2 the plant came to a timelock, 64 usage, 65 bad input, 66 "
    "cannot open\n"
    "input, 70 fault of ours, 73 cannot write output, 130 interrupted.\n";

typedef struct drive_options {
  const char *spec, *initially, *directory, *journal, *key;
  bool list, json, quiet, plot;
  acc_drive_options drive;
} drive_options;

static volatile sig_atomic_t stop_asked;

static void on_signal(int number) {
  (void)number;
  stop_asked = 1;
}

static bool is_interrupted(void *context) {
  (void)context;
  return stop_asked != 0;
}

/* ---- numbers and JSON */

static void json_number(double value) {
  char text[32];
  fputs(isfinite(value) ? hys_trace_number(value, text, sizeof text) : "null", stdout);
}

static void json_text(const char *value) {
  json_t *const string = value != NULL ? json_string(value) : json_null();
  char *const text = json_dumps(string, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
  fputs(text != NULL ? text : "null", stdout);
  free(text);
  json_decref(string);
}

static void json_nanoseconds(const char *key, int64_t value, bool known) {
  if (known)
    printf("\"%s\":%lld", key, (long long)value);
  else
    printf("\"%s\":null", key);
}

static const char *shield_text(hys_drive_mode mode) {
  return mode == HYS_DRIVE_SHIELD ? "on" : mode == HYS_DRIVE_OBSERVE ? "observe" : "off";
}

static void print_json(const drive_options *o, const hys_automaton *h, const hys_drive_result *r,
                       const acc_drive_report *report, const char *trace) {
  const bool shield = o->drive.mode != HYS_DRIVE_NO_SHIELD;
  printf("{\"violated\":%s,\"violated_at\":", r->violated ? "true" : "false");
  json_number(r->violated_at);
  printf(",\"margin\":");
  json_number(r->margin);
  printf(",\"final\":{");
  for (size_t i = 0; i < h->nx; i++) {
    if (i > 0)
      putchar(',');
    json_text(h->state_name[i]);
    putchar(':');
    json_number(r->x[i]);
  }
  printf("},\"edits\":{\"pass\":%llu,\"delay\":%llu,\"substitute\":%llu,\"suppress\":%llu,\"insert\":%llu}",
         (unsigned long long)r->edits.pass, (unsigned long long)r->edits.delay,
         (unsigned long long)r->edits.substitute, (unsigned long long)r->edits.suppress,
         (unsigned long long)r->edits.insert);
  printf(",\"first_edit\":");
  json_number(r->first_edit);
  printf(",\"commands\":%llu,\"reasons\":{", (unsigned long long)r->commands);
  bool first = true;
  for (int k = 0; k < (int)HYS_REASON_COUNT; k++) {
    if (r->reasons[k] == 0)
      continue;
    printf("%s\"%s\":%llu", first ? "" : ",", hys_reason_name((hys_reason)k),
           (unsigned long long)r->reasons[k]);
    first = false;
  }
  printf("},\"decision_ns\":{");
  json_nanoseconds("p50", r->decision_p50, shield);
  putchar(',');
  json_nanoseconds("p99", r->decision_p99, shield);
  putchar(',');
  json_nanoseconds("max", r->decision_max, shield);
  printf("},\"state\":");
  json_text(shield ? hys_state_name(r->state) : NULL);
  printf(",\"trace\":");
  json_text(trace);
  printf(",\"shield\":\"%s\",\"scenario\":", shield_text(o->drive.mode));
  json_text(report->scenario);
  printf(",\"agent\":");
  json_text(report->agent);
  printf(",\"seed\":%llu,\"end\":", (unsigned long long)o->drive.seed);
  json_number(r->end);
  printf(",\"location\":");
  json_text(h->location[r->location].name);
  printf(",\"margin_at\":");
  json_number(r->margin_at);
  printf(",\"changes\":%llu,\"edited_changes\":%llu,\"time_gap\":", (unsigned long long)r->changes,
         (unsigned long long)r->edited_changes);
  json_number(r->time_gap);
  printf(",\"steps\":%llu,\"step_errors\":%llu,\"guarantee_void\":%s,\"outside_model\":%s,\"timelock\":%s",
         (unsigned long long)r->steps, (unsigned long long)r->step_errors,
         r->guarantee_void ? "true" : "false", report->outside_model ? "true" : "false",
         r->timelock ? "true" : "false");
  if (report->recorded) {
    const acc_recording *const c = &report->recording;
    printf(",\"lead\":{\"rows\":%zu,\"clamped\":%zu,\"negative\":%zu,\"dropped\":%zu,\"largest_deviation\":",
           c->rows, c->clamped, c->negative, c->dropped);
    json_number(c->largest_deviation);
    putchar('}');
  }
  puts("}");
}

/* ---- words */

static void print_line(const drive_options *o, const hys_drive_result *r, const acc_drive_report *report) {
  static const char *const who[] = {[HYS_DRIVE_SHIELD] = "with shield",
                                    [HYS_DRIVE_NO_SHIELD] = "without shield",
                                    [HYS_DRIVE_OBSERVE] = "shield looks on"};
  printf("%s: ", who[o->drive.mode]);
  if (r->interrupted)
    printf("interrupted at t = %.2f s, ", r->end);
  if (r->violated)
    printf("collision at t = %.2f s", r->violated_at);
  else if (isfinite(report->d_min))
    printf("no collision, smallest gap %.3f m", r->margin + report->d_min);
  else
    printf("no collision, smallest margin %.3f", r->margin);
  if (o->drive.mode != HYS_DRIVE_NO_SHIELD)
    printf(
        ", edits: pass %llu delay %llu substitute %llu suppress %llu insert %llu, slowest decision %.0f us",
        (unsigned long long)r->edits.pass, (unsigned long long)r->edits.delay,
        (unsigned long long)r->edits.substitute, (unsigned long long)r->edits.suppress,
        (unsigned long long)r->edits.insert, (double)r->decision_max / 1000);
  putchar('\n');
}

static void print_words(const drive_options *o, const hys_spec *spec, const hys_drive_result *r,
                        const acc_drive_report *report, const char *trace) {
  const hys_automaton *const h = spec->automaton;
  fprintf(stderr, "%s, agent %s, shield %s, seed %llu: %.1f s, from", report->scenario, report->agent,
          shield_text(o->drive.mode), (unsigned long long)o->drive.seed, r->end);
  for (size_t i = 0; i < h->nx; i++)
    fprintf(stderr, " %s = %.4g", h->state_name[i], report->start[i]);
  fprintf(stderr, " in %s\n", h->location[report->start_location].name);
  fprintf(stderr, "commands %llu, of which %llu differ from the one in force and %llu of these were edited",
          (unsigned long long)r->commands, (unsigned long long)r->changes,
          (unsigned long long)r->edited_changes);
  if (isfinite(r->time_gap))
    fprintf(stderr, "; mean time gap %.2f s", r->time_gap);
  if (o->drive.mode != HYS_DRIVE_NO_SHIELD)
    fprintf(stderr, "; state at the end %s", hys_state_name(r->state));
  fputc('\n', stderr);
  if (report->recorded) {
    const acc_recording *const c = &report->recording;
    fprintf(
        stderr,
        "recorded lead: %zu rows, %zu beyond the model's bounds of acceleration (followed as closely as they "
        "allow, at most %.2f m/s off), %zu with a negative speed, %zu left out\n",
        c->rows, c->clamped, c->largest_deviation, c->negative, c->dropped);
  }
  if (report->outside_model)
    fprintf(stderr, "this scenario does what the model does not allow: the guarantee does not cover it\n");
  if (r->guarantee_void)
    fprintf(stderr, "the guarantee was void for a part of the drive\n");
  if (o->drive.mode == HYS_DRIVE_SHIELD && !r->was_guarded)
    fprintf(
        stderr,
        "no instant was guarded: the start lies outside the states from which a plan is certified, or the "
        "duration is too short\n");
  if (o->drive.mode != HYS_DRIVE_NO_SHIELD && r->decision_max > spec->timing.deadline)
    fprintf(stderr,
            "the slowest decision took %.0f us, longer than the deadline of %.0f us: on this machine the "
            "shield would "
            "have fallen back on its armed plan\n",
            (double)r->decision_max / 1000, (double)spec->timing.deadline / 1000);
  if (r->timelock)
    fprintf(stderr, "the plant came to a state in which no time can pass (timelock)\n");
  fprintf(stderr, "trace: %s\n", trace);
}

static int print_list(bool json) {
  if (json)
    printf("{\"agents\":[");
  else
    puts("agents:");
  for (size_t k = 0; k < agent_count(); k++) {
    if (json) {
      if (k > 0)
        putchar(',');
      json_text(agent_name(k));
    } else {
      printf("  %-14s %s\n", agent_name(k), agent_text(k));
    }
  }
  if (json)
    printf("],\"scenarios\":[");
  else
    puts("\nscenarios (of the adaptive cruise control):");
  for (size_t k = 0; k < acc_scenario_count(); k++) {
    const acc_scenario *const s = acc_scenario_at(k);
    if (json) {
      if (k > 0)
        putchar(',');
      json_text(s->name);
    } else {
      printf("  %-14s %s\n", s->name, s->text);
    }
  }
  if (json)
    puts("]}");
  return CLI_OK;
}

/* ---- options */

static int wrong(const char *what, const char *value) {
  fprintf(stderr, "hyshield drive: %s '%s'; see `hyshield drive --help'\n", what, value);
  return CLI_USAGE;
}

static int read_options(int argc, char **argv, drive_options *o) {
  enum {
    AGENT = 256,
    SCENARIO,
    INITIALLY,
    LEAD,
    DURATION,
    NO_SHIELD,
    OBSERVE,
    NO_PLOT,
    JOURNAL,
    KEY,
    SEED,
    LIST,
    JSON,
    QUIET,
    TELL_VERSION
  };
  static const struct option known[] = {{"agent", required_argument, NULL, AGENT},
                                        {"scenario", required_argument, NULL, SCENARIO},
                                        {"initially", required_argument, NULL, INITIALLY},
                                        {"lead", required_argument, NULL, LEAD},
                                        {"duration", required_argument, NULL, DURATION},
                                        {"no-shield", no_argument, NULL, NO_SHIELD},
                                        {"observe-only", no_argument, NULL, OBSERVE},
                                        {"no-plot", no_argument, NULL, NO_PLOT},
                                        {"journal", required_argument, NULL, JOURNAL},
                                        {"key", required_argument, NULL, KEY},
                                        {"seed", required_argument, NULL, SEED},
                                        {"list", no_argument, NULL, LIST},
                                        {"json", no_argument, NULL, JSON},
                                        {"quiet", no_argument, NULL, QUIET},
                                        {"help", no_argument, NULL, 'h'},
                                        {"version", no_argument, NULL, TELL_VERSION},
                                        {NULL, 0, NULL, 0}};
  bool no_shield = false, observe = false;
  int c;
  optind = 1;
  while ((c = getopt_long(argc, argv, "o:h", known, NULL)) != -1) {
    switch (c) {
    case AGENT:
      o->drive.agent = optarg;
      break;
    case SCENARIO:
      o->drive.scenario = optarg;
      break;
    case INITIALLY:
      o->initially = optarg;
      break;
    case LEAD:
      o->drive.lead_file = optarg;
      break;
    case DURATION:
      if (!hys_trace_read_number(optarg, strlen(optarg), &o->drive.duration) ||
          !(o->drive.duration > 0 && o->drive.duration <= 1e6))
        return wrong("not a duration between 0 and 1e6 s:", optarg);
      break;
    case NO_SHIELD:
      no_shield = true;
      o->drive.mode = HYS_DRIVE_NO_SHIELD;
      break;
    case OBSERVE:
      observe = true;
      o->drive.mode = HYS_DRIVE_OBSERVE;
      break;
    case NO_PLOT:
      o->plot = false;
      break;
    case JOURNAL:
      o->journal = optarg;
      break;
    case KEY:
      o->key = optarg;
      break;
    case SEED:
      if (!cli_read_seed(optarg, &o->drive.seed))
        return wrong("not a seed:", optarg);
      break;
    case LIST:
      o->list = true;
      break;
    case JSON:
      o->json = true;
      break;
    case QUIET:
      o->quiet = true;
      break;
    case 'o':
      o->directory = optarg;
      break;
    case TELL_VERSION:
      cli_print_version();
      return -1;
    case 'h':
      fputs(usage, stdout);
      return -1;
    default:
      fputs("see `hyshield drive --help'\n", stderr);
      return CLI_USAGE;
    }
  }
  if (no_shield && observe)
    return wrong("--no-shield goes without", "--observe-only");
  if (o->journal != NULL && no_shield)
    return wrong("--no-shield goes without --journal", o->journal);
  if (o->key != NULL && o->journal == NULL)
    return wrong("--key goes with --journal FILE, not alone:", o->key);
  if (o->list)
    return CLI_OK;
  if (optind + 1 != argc) {
    fputs(optind < argc ? "hyshield drive: one shield file only; see `hyshield drive --help'\n"
                        : "hyshield drive: a shield file is needed; see `hyshield drive --help'\n",
          stderr);
    return CLI_USAGE;
  }
  o->spec = argv[optind];
  if (o->drive.scenario != NULL && acc_scenario_find(o->drive.scenario) == NULL)
    return wrong("no scenario", o->drive.scenario);
  bool agent_known = o->drive.agent == NULL;
  for (size_t k = 0; k < agent_count(); k++)
    agent_known = agent_known || strcmp(agent_name(k), o->drive.agent) == 0;
  return agent_known ? CLI_OK : wrong("no agent", o->drive.agent);
}

/* ---- the start */

/* The middle of the first region of a formula, as far as its rows bound single states. */
static int read_start(const drive_options *o, const hys_shield_extras *extras, const hys_automaton *h,
                      hys_arena *arena, double *x, uint32_t *location) {
  const hys_model *model = NULL;
  hys_diagnostics problems; /* of its own: those of the model have been told */
  const hys_region *region = NULL;
  uint32_t n = 0;
  const hys_model_text text = {
      .file = "--initially", .text = o->initially, .length = strlen(o->initially), .line = 1, .column = 1};
  hys_diagnostics_init(&problems, arena);
  hys_status status =
      hys_model_read(&model, extras->model_path, extras->config_path, extras->system, arena, &problems);
  hys_diagnostics_init(&problems, arena);
  if (status == HYS_OK)
    status = hys_model_regions(model, h, &text, arena, &problems, &region, &n);
  if (status != HYS_OK) {
    cli_print_diagnostics(stderr, &problems);
    return status == HYS_ERR_INPUT ? CLI_USAGE : cli_exit_of(status);
  }
  if (n == 0) {
    fprintf(stderr, "hyshield drive: no state satisfies --initially\n");
    return CLI_USAGE;
  }
  *location = region[0].location;
  for (size_t i = 0; i < h->nx; i++) {
    double lo = -(double)INFINITY, hi = (double)INFINITY;
    for (uint32_t r = 0; r < region[0].set.n; r++) {
      const hys_halfspace *const row = &region[0].set.row[r];
      bool alone = true;
      for (size_t j = 0; j < h->nx + h->nu; j++)
        alone = alone && (j == i) == (hys_interval_mid(row->a[j]) != 0);
      if (!alone)
        continue;
      const double bound = hys_interval_mid(row->c) / hys_interval_mid(row->a[i]);
      if (hys_interval_mid(row->a[i]) > 0)
        hi = bound < hi ? bound : hi;
      else
        lo = bound > lo ? bound : lo;
    }
    x[i] = isfinite(lo) && isfinite(hi) ? lo + (hi - lo) / 2
           : isfinite(lo)               ? lo
           : isfinite(hi)               ? hi
                                        : (double)NAN;
  }
  return CLI_OK;
}

/* ---- files */

static const char *base_name(const char *path) {
  const char *const slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

/* The folder and those above it that are missing. */
static bool make_folders(const char *path) {
  char part[MAX_PATH];

  if (strlen(path) >= sizeof part)
    return false;
  for (size_t i = 1; path[i - 1] != '\0'; i++) {
    if (path[i] != '/' && path[i] != '\0')
      continue;
    memcpy(part, path, i);
    part[i] = '\0';
    if (mkdir(part, 0777) != 0 && errno != EEXIST)
      return false;
  }
  return true;
}

/* DIR/SCENARIO[-LEAD]-AGENT-MODE, without an ending; characters that are awkward in names become '-'. */
static bool make_stem(const drive_options *o, char *stem) {
  static const char *const ending[] = {
      [HYS_DRIVE_SHIELD] = "shield", [HYS_DRIVE_NO_SHIELD] = "no-shield", [HYS_DRIVE_OBSERVE] = "observe"};
  const char *scenario = o->drive.scenario, *lead = o->drive.lead_file;
  if (scenario == NULL)
    scenario = lead != NULL ? "recorded" : "worst-case";
  const int wrote = snprintf(stem, MAX_PATH, "%s/", o->directory);
  if (wrote < 0 || wrote >= MAX_PATH)
    return false;
  const char *const name = lead != NULL ? base_name(lead) : "";
  const char *const dot = strrchr(name, '.');
  const int length = dot != NULL ? (int)(dot - name) : (int)strlen(name);
  const int more =
      snprintf(stem + wrote, (size_t)(MAX_PATH - wrote), "%s%s%.*s-%s-%s", scenario, lead != NULL ? "-" : "",
               length, name, o->drive.agent != NULL ? o->drive.agent : "idm", ending[o->drive.mode]);
  if (more < 0 || more >= MAX_PATH - wrote)
    return false;
  for (char *p = stem + wrote; *p != '\0'; p++) {
    const bool good = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
                      *p == '-' || *p == '_' || *p == '.';
    if (!good)
      *p = '-';
  }
  return true;
}

static void draw_pictures(const drive_options *o, const char *stem, const char *trace_path, hys_arena *arena,
                          hys_diagnostics *problems) {
  static const struct {
    hys_plot_format format;
    const char *ending;
  } all[] = {{HYS_PLOT_SVG, "svg"}, {HYS_PLOT_PNG, "png"}};
  const hys_trace *trace = NULL;
  if (hys_trace_read(trace_path, arena, problems, &trace) != HYS_OK)
    return;
  for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
    char path[MAX_PATH + 8], why[256] = "";
    snprintf(path, sizeof path, "%s.%s", stem, all[k].ending);
    if (hys_plot_write(&trace, 1, all[k].format, path, why, sizeof why) != HYS_OK) {
      fprintf(stderr, "hyshield drive: no picture: %s\n", why);
      return;
    }
    if (!o->quiet)
      fprintf(stderr, "picture: %s\n", path);
  }
}

/* The journal of the drive, before it starts. */
static int open_journal(drive_options *o, const hys_spec *spec, const hys_shield_extras *extras) {
  hys_journal_config config = {.path = o->journal,
                               .key_path = o->key,
                               .spec = spec,
                               .shield_path = o->spec,
                               .model_path = extras->model_path,
                               .model_config = extras->config_path,
                               .seed = o->drive.seed,
                               .wait = true};
  hys_shield_config_default(&config.shield);
  config.shield.observe_only = o->drive.mode == HYS_DRIVE_OBSERVE;
  const hys_status status = hys_journal_open(&o->drive.journal, &config);
  if (status != HYS_OK) {
    const char *const file = status == HYS_ERR_INPUT || status == HYS_ERR_OPEN ? o->key : o->journal;
    fprintf(stderr, "hyshield drive: %s: %s\n", file != NULL ? file : o->spec,
            status == HYS_ERR_INPUT ? "not a key of 64 hexadecimal digits" : hys_status_text(status));
    return cli_exit_of(status);
  }
  if (!o->quiet)
    fprintf(stderr, "journal: %s, public key %s\n", o->journal, hys_journal_public_key(o->drive.journal));
  return CLI_OK;
}

static int run_drive(drive_options *o, const char *stem, hys_arena *arena, hys_diagnostics *problems) {
  const hys_spec *spec = NULL;
  hys_shield_extras extras;
  memset(&extras, 0, sizeof extras);
  hys_status status = hys_shield_file_read_all(o->spec, arena, problems, &spec, &extras);
  if (!o->quiet || status != HYS_OK)
    cli_print_diagnostics(stderr, problems);
  if (status != HYS_OK) {
    if (problems->n == 0)
      fprintf(stderr, "hyshield drive: %s: %s\n", o->spec, hys_status_text(status));
    return cli_exit_of(status);
  }
  hys_recovered ready;
  if (o->drive.mode != HYS_DRIVE_NO_SHIELD) {
    status = cli_recover(&ready, spec, o->quiet);
    if (status != HYS_OK) {
      fprintf(stderr, "hyshield drive: %s: %s\n", o->spec, hys_status_text(status));
      return cli_exit_of(status);
    }
    spec = &ready.spec;
  }
  double x[HYS_MAX_STATES];
  if (o->initially != NULL) {
    const int code = read_start(o, &extras, spec->automaton, arena, x, &o->drive.location);
    if (code != CLI_OK)
      return code;
    o->drive.x = x;
  }
  char trace[MAX_PATH + 8], model_hash[32] = "", spec_hash[32] = "";
  uint64_t hash = 0;
  snprintf(trace, sizeof trace, "%s.csv", stem);
  if (extras.model_path != NULL && hys_trace_hash_file(extras.model_path, &hash) == HYS_OK)
    snprintf(model_hash, sizeof model_hash, "fnv1a64:%016llx", (unsigned long long)hash);
  if (hys_trace_hash_file(o->spec, &hash) == HYS_OK)
    snprintf(spec_hash, sizeof spec_hash, "fnv1a64:%016llx", (unsigned long long)hash);
  const hys_trace_note notes[] = {{"model", extras.model_path != NULL ? base_name(extras.model_path) : ""},
                                  {"model hash", model_hash},
                                  {"shield file", base_name(o->spec)},
                                  {"shield hash", spec_hash}};
  o->drive.note = notes;
  o->drive.n_notes = sizeof notes / sizeof notes[0];
  o->drive.trace = trace;
  o->drive.interrupted = is_interrupted;
  if (o->journal != NULL) {
    const int code = open_journal(o, spec, &extras);
    if (code != CLI_OK)
      return code;
  }

  hys_drive_result result;
  acc_drive_report report;
  char why[512] = "";
  status = acc_drive_run(spec, &o->drive, &result, &report, why, sizeof why);
  const hys_status written = hys_journal_close(o->drive.journal);
  o->drive.journal = NULL;
  if (status != HYS_OK) {
    fprintf(stderr, "hyshield drive: %s\n", why[0] != '\0' ? why : hys_status_text(status));
    return status == HYS_ERR_ARG || status == HYS_ERR_STATE || status == HYS_ERR_UNSUPPORTED
               ? CLI_USAGE
               : cli_exit_of(status);
  }
  if (!o->quiet)
    print_words(o, spec, &result, &report, trace);
  if (o->plot && !result.interrupted)
    draw_pictures(o, stem, trace, arena, problems);
  if (o->json)
    print_json(o, spec->automaton, &result, &report, trace);
  else
    print_line(o, &result, &report);
  if (result.interrupted)
    return CLI_INTERRUPTED;
  if (written != HYS_OK) {
    fprintf(stderr, "hyshield drive: %s: the journal is not whole\n", o->journal);
    return result.violated ? CLI_VIOLATED : CLI_NO_OUTPUT;
  }
  return result.violated ? CLI_VIOLATED : result.timelock ? CLI_UNKNOWN : CLI_OK;
}

int cli_cmd_drive(int argc, char **argv) {
  drive_options o = {.directory = ".", .plot = true};
  acc_drive_options_default(&o.drive);
  const int code = read_options(argc, argv, &o);
  if (code != CLI_OK)
    return code < 0 ? CLI_OK : code;
  if (o.list)
    return print_list(o.json);
  char stem[MAX_PATH];
  if (!make_stem(&o, stem))
    return wrong("the path is too long:", o.directory);
  if (!make_folders(o.directory)) {
    fprintf(stderr, "hyshield drive: %s: %s\n", o.directory, strerror(errno));
    return CLI_NO_OUTPUT;
  }
  hys_arena *const arena = hys_arena_create(NULL);
  if (arena == NULL) {
    fputs("hyshield drive: out of memory\n", stderr);
    return CLI_INTERNAL;
  }
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &before);
  hys_diagnostics problems;
  hys_diagnostics_init(&problems, arena);
  const int result = run_drive(&o, stem, arena, &problems);
  sigaction(SIGINT, &before, NULL);
  hys_arena_destroy(arena);
  return result;
}
