/* hyshield simulate: point runs of a model, as CSV. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/report.h"
#include "core/version.h"
#include "models/hybrid_model.h"
#include "models/model.h"
#include "sims/script.h"
#include "sims/trace.h"
#include "sims/trajectory.h"

static const char usage[] =
    "usage: hyshield simulate MODEL [OPTION...]\n"
    "\n"
    "Runs of the automaton, point by point, as CSV on standard output: for looking and for finding, not a "
    "proof\n"
    "(`hyshield verify' proves).  Each run has one start, one signal for the free variables and one choice "
    "at\n"
    "every jump, drawn by the seed; jumps are located exactly.\n"
    "\n"
    "  -c, --config CFG        the model's configuration (default: the model's stem with .cfg, if it is "
    "there)\n"
    "      --system NAME       the component that is the system\n"
    "      --initially FORMULA in place of the configuration's\n"
    "      --forbidden FORMULA likewise\n"
    "      --time-horizon T    seconds (default: the configuration's, else 10)\n"
    "      --runs N            how many (default 1); the CSV then begins with a column `run'\n"
    "      --start HOW         random, extreme or middle of the initial set (default random)\n"
    "      --inputs HOW        random, extreme or middle (default random)\n"
    "      --script FILE.csv   values of free variables and labels of jumps by time: t [s],NAME..,label\n"
    "      --hold S            how long drawn values are kept (default: horizon / 20)\n"
    "      --jumps WHEN        early: as soon as a guard holds; late: when time cannot go on; random "
    "(default)\n"
    "      --sample S          seconds between rows (default: the integrator's steps; jumps always have "
    "rows)\n"
    "      --tolerance X       local error of the integrator (default 1e-10)\n"
    "      --max-jumps N       of one run (default 10000)\n"
    "      --go-on             do not end a run where it enters the forbidden set\n"
    "  -o FILE                 the CSV (default: standard output; with --json: none)\n"
    "      --json              one JSON object on standard output\n"
    "      --quiet             no words on standard error but errors\n"
    "      --seed N            of all draws (default 1); run k of N uses N + k\n"
    "      --help, --version\n"
    "\n"
    "Exit: 0 done; 1 a run entered the forbidden set; 64 usage, 65 bad input, 66 cannot open input,\n"
    "70 fault of ours, 73 cannot write output.\n";

typedef struct options {
  const char *model, *config, *system, *initially, *forbidden, *script, *output;
  double horizon, hold, sample, tolerance;
  uint64_t runs, max_jumps, seed;
  hys_draw start, inputs;
  hys_haste haste;
  bool go_on, json, quiet;
} options;

typedef struct job {
  const options *o;
  const hys_hybrid *automaton;
  FILE *csv;
  uint64_t run;
  hys_interval *bounds;
  bool lost; /* a byte could not be written */
} job;

static bool write_row(void *context, const hys_trajectory_row *row) {
  job *j = context;
  char number[40];
  bool good = true;

  for (size_t i = 0; i < j->automaton->n; i++)
    j->bounds[i] = hys_interval_hull(j->bounds[i], hys_interval_point(row->x[i]));
  if (j->csv == NULL)
    return true;
  if (j->o->runs > 1)
    good = fprintf(j->csv, "%llu,", (unsigned long long)j->run) > 0;
  good = good &&
         fprintf(j->csv, "%s,%s", hys_trace_number(row->t, number, sizeof number), row->location->name) > 0;
  for (size_t i = 0; good && i < j->automaton->n; i++)
    good = fprintf(j->csv, ",%s", hys_trace_number(row->x[i], number, sizeof number)) > 0;
  good = good && fprintf(j->csv, ",%s\n",
                         row->jump == NULL                  ? ""
                         : row->jump->label == HYS_NO_LABEL ? "-"
                                                            : j->automaton->label[row->jump->label]) > 0;
  j->lost = j->lost || !good;
  return good;
}

static void write_header(job *j) {
  fprintf(j->csv, "# schema = hyshield-run-1\n# system = %s\n# seed = %llu\n# build = %s\n%st [s],location",
          j->automaton->name, (unsigned long long)j->o->seed, hys_version_text(),
          j->o->runs > 1 ? "run," : "");
  for (size_t i = 0; i < j->automaton->n; i++)
    fprintf(j->csv, ",%s", j->automaton->variable[i]);
  fputs(",jump\n", j->csv);
}

static int failed(const char *what, hys_status status) {
  fprintf(stderr, "hyshield simulate: %s: %s\n", what, hys_status_text(status));
  return status == HYS_ERR_UNSUPPORTED || status == HYS_ERR_INPUT ? CLI_BAD_INPUT : cli_exit_of(status);
}

static json_t *number_json(double x) {
  return isfinite(x) ? json_real(x) : json_null();
}

/* All runs; what they did. */
static int run_all(const options *o, const hys_hybrid *automaton, hys_trajectory_config *config, job *j) {
  uint64_t count[HYS_END_STOPPED + 1] = {0}, entered = 0;
  json_t *runs = json_array(), *bounds = json_object(), *ends = json_object(), *answer = json_object();

  for (uint64_t k = 0; k < o->runs && !j->lost; k++) {
    hys_trajectory_result result;
    hys_status status;
    j->run = k + 1;
    config->seed = o->seed + k;
    status = hys_trajectory_run(automaton, config, write_row, j, &result);
    if (status != HYS_OK) {
      json_decref(runs), json_decref(bounds), json_decref(ends), json_decref(answer);
      return status == HYS_ERR_INPUT
                 ? (fputs("hyshield simulate: no start was found inside the initial sets and the "
                          "invariant\n",
                          stderr),
                    CLI_BAD_INPUT)
                 : failed(o->model, status);
    }
    count[result.end]++;
    entered += result.forbidden;
    if (k < 1000)
      json_array_append_new(runs,
                            json_pack("{s:s, s:f, s:I, s:o}", "end", hys_trajectory_end_text(result.end), "t",
                                      result.t, "jumps", (json_int_t)result.jumps, "forbidden_at",
                                      result.forbidden ? json_real(result.forbidden_at) : json_null()));
  }
  for (size_t i = 0; i < automaton->n; i++)
    json_object_set_new(bounds, automaton->variable[i],
                        json_pack("[o, o]", number_json(j->bounds[i].lo), number_json(j->bounds[i].hi)));
  for (int e = 0; e <= HYS_END_STOPPED; e++)
    if (count[e] > 0)
      json_object_set_new(ends, hys_trajectory_end_text((hys_trajectory_end)e),
                          json_integer((json_int_t)count[e]));
  if (!o->quiet) {
    fprintf(stderr, "%llu run%s:", (unsigned long long)o->runs, o->runs == 1 ? "" : "s");
    for (int e = 0; e <= HYS_END_STOPPED; e++)
      if (count[e] > 0)
        fprintf(stderr, " %s %llu", hys_trajectory_end_text((hys_trajectory_end)e),
                (unsigned long long)count[e]);
    fprintf(stderr, "; forbidden set entered by %llu\n", (unsigned long long)entered);
  }
  json_object_set_new(answer, "runs", json_integer((json_int_t)o->runs));
  json_object_set_new(answer, "forbidden", json_integer((json_int_t)entered));
  json_object_set_new(answer, "ends", ends);
  json_object_set_new(answer, "bounds", bounds);
  json_object_set_new(answer, "run", runs);
  if (j->lost) {
    json_decref(answer);
    return CLI_NO_OUTPUT;
  }
  if (!o->json)
    json_decref(answer);
  else if (!cli_print_json(answer))
    return CLI_NO_OUTPUT;
  return entered > 0 ? CLI_VIOLATED : CLI_OK;
}

static hys_status read_formula(const hys_hybrid *automaton, const char *option, const char *text,
                               hys_diagnostics *problems, const hys_hybrid_set **set, uint32_t *n) {
  const hys_model_text where = {
      .file = option, .element = option, .text = text, .length = strlen(text), .line = 1, .column = 1};

  return text == NULL ? HYS_OK : hys_hybrid_sets(automaton, &where, problems, set, n);
}

static int simulate(const options *o, const hys_hybrid *automaton, hys_arena *arena,
                    hys_diagnostics *problems) {
  hys_trajectory_config config;
  job j = {.o = o, .automaton = automaton};
  hys_status status = HYS_OK;
  int code;

  hys_trajectory_config_default(&config, o->horizon > 0.0              ? o->horizon
                                         : automaton->time_horizon > 0 ? automaton->time_horizon
                                                                       : 10.0);
  if (o->hold > 0.0)
    config.hold = o->hold;
  config.sample = o->sample;
  config.tolerance = o->tolerance;
  config.max_jumps = (uint32_t)o->max_jumps;
  config.start = o->start;
  config.inputs = o->inputs;
  config.haste = o->haste;
  config.stop_at_forbidden = !o->go_on;
  if (o->initially != NULL)
    status = read_formula(automaton, "--initially", o->initially, problems, &config.initially,
                          &config.n_initially);
  if (status == HYS_OK && o->forbidden != NULL)
    status = read_formula(automaton, "--forbidden", o->forbidden, problems, &config.forbidden,
                          &config.n_forbidden);
  if (status == HYS_OK && o->script != NULL)
    status = hys_script_read(o->script, automaton, arena, problems, &config.script, &config.n_script);
  cli_print_diagnostics(stderr, problems);
  if (status != HYS_OK)
    return problems->errors > 0 && status != HYS_ERR_OPEN ? CLI_BAD_INPUT : cli_exit_of(status);
  j.bounds = hys_arena_alloc(arena, automaton->n, sizeof *j.bounds);
  if (j.bounds == NULL)
    return failed(o->model, HYS_ERR_MEMORY);
  for (size_t i = 0; i < automaton->n; i++)
    j.bounds[i] = hys_interval_empty();
  j.csv = o->output != NULL ? fopen(o->output, "w") : o->json ? NULL : stdout;
  if (o->output != NULL && j.csv == NULL) {
    fprintf(stderr, "hyshield simulate: cannot write %s: %s\n", o->output, strerror(errno));
    return CLI_NO_OUTPUT;
  }
  if (j.csv != NULL)
    write_header(&j);
  code = run_all(o, automaton, &config, &j);
  if (o->output != NULL && (ferror(j.csv) | (fclose(j.csv) != 0)) != 0) {
    fprintf(stderr, "hyshield simulate: cannot write %s: %s\n", o->output, strerror(errno));
    code = CLI_NO_OUTPUT;
  }
  return code;
}

static int open_model(const options *o) {
  hys_arena *arena = hys_arena_create(NULL);
  hys_diagnostics problems, later;
  const hys_model *model = NULL;
  const hys_hybrid *automaton = NULL;
  hys_status status;
  int code;

  if (arena == NULL)
    return failed(o->model, HYS_ERR_MEMORY);
  hys_diagnostics_init(&problems, arena);
  status = hys_model_read(&model, o->model, o->config, o->system, arena, &problems);
  if (o->config == NULL && model != NULL && hys_model_config(model) != NULL && !o->quiet)
    fprintf(stderr, "configuration: %s\n", hys_model_config(model));
  if (status == HYS_OK)
    status = hys_hybrid_open(&automaton, model, &problems);
  if (status != HYS_OK || !o->quiet)
    cli_print_diagnostics(stderr, &problems);
  hys_diagnostics_init(&later, arena);
  if (status == HYS_OK && automaton->n == 0) {
    fprintf(stderr, "hyshield simulate: %s has no variables: there is nothing to simulate\n", o->model);
    code = CLI_BAD_INPUT;
  } else if (status == HYS_OK)
    code = simulate(o, automaton, arena, &later);
  else
    code = problems.errors > 0 && status != HYS_ERR_OPEN ? CLI_BAD_INPUT : failed(o->model, status);
  hys_hybrid_close(automaton);
  hys_arena_destroy(arena);
  return code;
}

/* ---- the command line ---- */

static int wrong(const char *message, const char *argument) {
  fprintf(stderr, "hyshield simulate: %s%s%s; see `hyshield simulate --help'\n", message,
          argument != NULL ? " " : "", argument != NULL ? argument : "");
  return CLI_USAGE;
}

static bool read_positive(const char *text, double *value) {
  return hys_trace_read_number(text, strlen(text), value) && *value > 0.0 && isfinite(*value);
}

static bool read_count(const char *text, uint64_t most, uint64_t *value) {
  return cli_read_seed(text, value) && *value > 0 && *value <= most;
}

static bool read_draw(const char *text, hys_draw *draw) {
  static const char *const name[] = {"random", "extreme", "middle"};
  for (int k = 0; k < 3; k++)
    if (strcmp(text, name[k]) == 0) {
      *draw = (hys_draw)k;
      return true;
    }
  return false;
}

static bool read_haste(const char *text, hys_haste *haste) {
  static const char *const name[] = {"random", "early", "late"};
  for (int k = 0; k < 3; k++)
    if (strcmp(text, name[k]) == 0) {
      *haste = (hys_haste)k;
      return true;
    }
  return false;
}

int cli_cmd_simulate(int argc, char **argv) {
  enum {
    SYSTEM = 256,
    INITIALLY,
    FORBIDDEN,
    HORIZON,
    RUNS,
    START,
    INPUTS,
    SCRIPT,
    HOLD,
    JUMPS,
    SAMPLE,
    TOLERANCE,
    MAX_JUMPS,
    GO_ON,
    JSON,
    QUIET,
    SEED,
    TELL_VERSION
  };
  static const struct option known[] = {{"config", required_argument, NULL, 'c'},
                                        {"system", required_argument, NULL, SYSTEM},
                                        {"initially", required_argument, NULL, INITIALLY},
                                        {"forbidden", required_argument, NULL, FORBIDDEN},
                                        {"time-horizon", required_argument, NULL, HORIZON},
                                        {"runs", required_argument, NULL, RUNS},
                                        {"start", required_argument, NULL, START},
                                        {"inputs", required_argument, NULL, INPUTS},
                                        {"script", required_argument, NULL, SCRIPT},
                                        {"hold", required_argument, NULL, HOLD},
                                        {"jumps", required_argument, NULL, JUMPS},
                                        {"sample", required_argument, NULL, SAMPLE},
                                        {"tolerance", required_argument, NULL, TOLERANCE},
                                        {"max-jumps", required_argument, NULL, MAX_JUMPS},
                                        {"go-on", no_argument, NULL, GO_ON},
                                        {"json", no_argument, NULL, JSON},
                                        {"quiet", no_argument, NULL, QUIET},
                                        {"seed", required_argument, NULL, SEED},
                                        {"help", no_argument, NULL, 'h'},
                                        {"version", no_argument, NULL, TELL_VERSION},
                                        {NULL, 0, NULL, 0}};
  options o = {.runs = 1, .max_jumps = 10000, .seed = 1, .tolerance = 1e-10};
  int c;

  optind = 1;
  while ((c = getopt_long(argc, argv, "c:o:h", known, NULL)) != -1) {
    bool good = true;
    switch (c) {
    case 'c':
      o.config = optarg;
      break;
    case 'o':
      o.output = optarg;
      break;
    case SYSTEM:
      o.system = optarg;
      break;
    case INITIALLY:
      o.initially = optarg;
      break;
    case FORBIDDEN:
      o.forbidden = optarg;
      break;
    case HORIZON:
      good = read_positive(optarg, &o.horizon);
      break;
    case RUNS:
      good = read_count(optarg, 1000000000, &o.runs);
      break;
    case START:
      good = read_draw(optarg, &o.start);
      break;
    case INPUTS:
      good = read_draw(optarg, &o.inputs);
      break;
    case SCRIPT:
      o.script = optarg;
      break;
    case HOLD:
      good = read_positive(optarg, &o.hold);
      break;
    case JUMPS:
      good = read_haste(optarg, &o.haste);
      break;
    case SAMPLE:
      good = read_positive(optarg, &o.sample);
      break;
    case TOLERANCE:
      good = read_positive(optarg, &o.tolerance);
      break;
    case MAX_JUMPS:
      good = read_count(optarg, UINT32_MAX, &o.max_jumps);
      break;
    case GO_ON:
      o.go_on = true;
      break;
    case JSON:
      o.json = true;
      break;
    case QUIET:
      o.quiet = true;
      break;
    case SEED:
      good = cli_read_seed(optarg, &o.seed);
      break;
    case TELL_VERSION:
      return cli_print_version();
    case 'h':
      fputs(usage, stdout);
      return CLI_OK;
    default:
      fputs("see `hyshield simulate --help'\n", stderr);
      return CLI_USAGE;
    }
    if (!good)
      return wrong("not a value for that option:", optarg);
  }
  if (optind >= argc)
    return wrong("a model is missing", NULL);
  if (optind + 1 < argc)
    return wrong("one model at a time, not also", argv[optind + 1]);
  o.model = argv[optind];
  return open_model(&o);
}
