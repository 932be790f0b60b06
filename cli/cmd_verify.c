/* hyshield verify: flowpipes of a model against its forbidden sets. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/report.h"
#include "core/version.h"
#include "models/hybrid_model.h"
#include "models/model.h"
#include "sims/plot_pipe.h"
#include "sims/trace.h"
#include "synth/offline/verify.h"

static const char usage[] =
    "usage: hyshield verify MODEL [OPTION...]\n"
    "\n"
    "Reachable sets against the forbidden set of the configuration: SAFE, with enclosures of everything that "
    "is\n"
    "reachable; UNSAFE, with a run that surely enters it; UNKNOWN, with the place and the reason.\n"
    "\n"
    "  -c, --config CFG        the model's configuration (default: the model's stem with .cfg, if it is "
    "there)\n"
    "      --system NAME       the component that is the system\n"
    "      --forbidden FORMULA in place of the configuration's; may be repeated: a property each\n"
    "      --property CFG      the forbidden set of another configuration, likewise\n"
    "      --initially FORMULA in place of the configuration's\n"
    "      --time-horizon T    seconds (default: the configuration's)\n"
    "      --budget S          seconds of wall clock to refine in (default 60)\n"
    "      --threads N         1 to 64 (default: as many as processors); the answer does not depend on it\n"
    "      --out FILE.csv      the flowpipe: t_lo,t_hi,location,VAR_lo,VAR_hi..\n"
    "      --gnuplot FILE      the same as blocks of rectangles for gnuplot, over --vars\n"
    "      --plot FILE         a picture (svg, png, pdf) over --vars\n"
    "      --vars X,Y          variables of pictures, or t,X (default: the first two; of one, over time)\n"
    "      --progress          a line for each pass on standard error\n"
    "  knobs, none of which is needed:\n"
    "      --max-step S, --tolerance R, --order N, --clusters N, --max-jumps N, --max-items N, --max-passes "
    "N,\n"
    "      --falsify N         runs tried for UNSAFE before the second pass (0: none)\n"
    "      --json              one JSON object on standard output\n"
    "      --quiet             no words on standard error but errors\n"
    "      --seed N            of the search for runs (default 1)\n"
    "      --help, --version\n"
    "\n"
    "Exit: 0 SAFE, 1 UNSAFE, 2 UNKNOWN (of several properties the worst: UNSAFE, then UNKNOWN); 64 usage,\n"
    "65 bad input, 66 cannot open input, 70 fault of ours, 73 cannot write output, 130 interrupted.\n";

enum { MAX_PROPERTIES = 64 };

typedef struct options {
  const char *model, *config, *system, *initially, *out, *gnuplot, *plot, *vars;
  struct {
    bool is_file;
    const char *text;
  } property[MAX_PROPERTIES];
  uint32_t n_properties;
  double horizon, budget, max_step, tolerance;
  uint64_t order, clusters, max_jumps, max_items, max_passes, falsify, threads, seed;
  bool has_falsify, progress, json, quiet;
} options;

/* ---- the budget ---- */

static volatile sig_atomic_t stop_asked;

static void on_signal(int number) {
  (void)number;
  stop_asked = 1;
}

static double seconds(void) {
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct clock_stop {
  double end;
} clock_stop;

static bool out_of_time(void *context) {
  const clock_stop *c = context;

  return stop_asked != 0 || seconds() > c->end;
}

/* ---- outputs ---- */

static json_t *number_json(double x) {
  return isfinite(x) ? json_real(x) : json_null();
}

static const char *verdict_text(hys_verdict v) {
  return v == HYS_HOLDS ? "SAFE" : v == HYS_VIOLATED ? "UNSAFE" : "UNKNOWN";
}

static json_t *state_json(const hys_hybrid *a, const hys_interval *x) {
  json_t *o = json_object();

  for (size_t i = 0; i < a->n; i++)
    json_object_set_new(o, a->variable[i], json_pack("[o, o]", number_json(x[i].lo), number_json(x[i].hi)));
  return o;
}

static json_t *run_json(const hys_hybrid *a, const hys_property_result *r) {
  json_t *legs;

  if (r->verdict != HYS_VIOLATED)
    return json_null();
  legs = json_array();
  for (uint32_t k = 0; k < r->run.n_legs; k++) {
    const hys_run_leg *leg = &r->run.leg[k];
    const hys_hybrid_location *l = NULL;
    json_t *o = json_object();
    (void)a->location(a->context, leg->location, &l);
    json_object_set_new(o, "location", json_string(l != NULL ? l->name : ""));
    json_object_set_new(o, "from", json_real(leg->from));
    json_object_set_new(o, "to", json_real(leg->to));
    json_object_set_new(o, "start", state_json(a, leg->start));
    json_object_set_new(o, "end", state_json(a, leg->end));
    json_object_set_new(o, "jump",
                        leg->jump < 0 || l == NULL ? json_null()
                        : l->jump[leg->jump].label == HYS_NO_LABEL
                            ? json_string("")
                            : json_string(a->label[l->jump[leg->jump].label]));
    json_array_append_new(legs, o);
  }
  return json_pack("{s:f, s:o}", "time", r->run.time, "legs", legs);
}

static json_t *text_json(const char *text) {
  return text != NULL ? json_string(text) : json_null();
}

static json_t *answer_json(const hys_hybrid *a, const hys_property *property, uint32_t n,
                           const hys_verify_result *r, hys_verdict worst, uint32_t which, double took) {
  json_t *o = json_object(), *bounds = json_object(), *list = json_array();

  for (size_t i = 0; i < a->n; i++)
    json_object_set_new(bounds, a->variable[i],
                        json_pack("[o, o]", number_json(r->bounds[i].lo), number_json(r->bounds[i].hi)));
  for (uint32_t q = 0; q < n; q++)
    json_array_append_new(list,
                          json_pack("{s:s, s:s, s:o, s:o}", "name", property[q].name, "verdict",
                                    verdict_text(r->property[q].verdict), "reason",
                                    text_json(r->property[q].reason), "run", run_json(a, &r->property[q])));
  json_object_set_new(o, "verdict", json_string(verdict_text(worst)));
  json_object_set_new(o, "reason", text_json(n > 0 ? r->property[which].reason : r->incomplete));
  json_object_set_new(o, "seconds", json_real(took));
  json_object_set_new(o, "bounds", bounds);
  json_object_set_new(o, "time_bound", number_json(r->time_bound));
  json_object_set_new(o, "fixpoint", json_boolean(r->fixpoint));
  json_object_set_new(o, "run", n > 0 ? run_json(a, &r->property[which]) : json_null());
  json_object_set_new(o, "properties", list);
  json_object_set_new(o, "complete", json_boolean(r->complete));
  json_object_set_new(o, "passes", json_integer(r->passes));
  json_object_set_new(o, "flowpipes", json_integer(r->items));
  json_object_set_new(o, "steps", json_integer((json_int_t)r->steps));
  json_object_set_new(o, "blocked", text_json(r->blocked));
  return o;
}

static void print_words(const hys_hybrid *a, const hys_property *property, uint32_t n,
                        const hys_verify_result *r, double took) {
  for (uint32_t q = 0; q < n; q++) {
    const hys_property_result *p = &r->property[q];
    printf("%s%s%s", n > 1 ? property[q].name : "", n > 1 ? ": " : "", verdict_text(p->verdict));
    if (p->verdict == HYS_VIOLATED)
      printf(": a run enters the forbidden set at t = %.6g s after %u leg%s", p->run.time, p->run.n_legs,
             p->run.n_legs == 1 ? "" : "s");
    else if (p->verdict == HYS_UNKNOWN && p->reason != NULL)
      printf(": %s", p->reason);
    putchar('\n');
  }
  if (n == 0)
    printf("nothing is forbidden: bounds only%s%s\n", r->incomplete != NULL ? "; " : "",
           r->incomplete != NULL ? r->incomplete : "");
  fprintf(stderr, "%s; %u pass%s, %llu steps, %.3f s\n",
          r->fixpoint   ? "a fixpoint: for all time"
          : r->complete ? "up to the horizon"
                        : "not complete",
          r->passes, r->passes == 1 ? "" : "es", (unsigned long long)r->steps, took);
  for (size_t i = 0; i < a->n && i < 24; i++)
    fprintf(stderr, "  %s in [%.6g, %.6g]\n", a->variable[i], r->bounds[i].lo, r->bounds[i].hi);
  if (a->n > 24)
    fprintf(stderr, "  and %zu more (--json tells all)\n", a->n - 24);
  if (r->blocked != NULL)
    fprintf(stderr, "note: %s\n", r->blocked);
}

static void tell_progress(void *context, uint32_t pass, uint32_t items, double time) {
  (void)context;
  fprintf(stderr, "pass %u: %u flowpipes to %g s\n", pass + 1, items, time);
}

/* ---- the work ---- */

static int failed(const char *what, hys_status status) {
  fprintf(stderr, "hyshield verify: %s: %s\n", what, hys_status_text(status));
  return status == HYS_ERR_UNSUPPORTED || status == HYS_ERR_INPUT ? CLI_BAD_INPUT : cli_exit_of(status);
}

/* A formula of the command line as sets. */
static hys_status read_formula(const hys_hybrid *a, const char *option, const char *text,
                               hys_diagnostics *problems, const hys_hybrid_set **set, uint32_t *n) {
  const hys_model_text where = {
      .file = option, .element = option, .text = text, .length = strlen(text), .line = 1, .column = 1};

  return hys_hybrid_sets(a, &where, problems, set, n);
}

/* The properties of a run, each with its sets. */
static hys_status read_properties(const options *o, const hys_hybrid *a, hys_arena *arena,
                                  hys_diagnostics *problems, hys_property *property, uint32_t *n) {
  hys_status status = HYS_OK;

  *n = 0;
  for (uint32_t k = 0; k < o->n_properties && status == HYS_OK; k++) {
    hys_property *p = &property[*n];
    p->name = o->property[k].text;
    if (!o->property[k].is_file) {
      status = read_formula(a, "--forbidden", o->property[k].text, problems, &p->set, &p->n);
    } else {
      hys_model_text text = {.file = o->property[k].text, .element = "forbidden"};
      status = hys_model_forbidden_of(o->property[k].text, arena, problems, &text);
      if (status == HYS_OK && text.text != NULL)
        status = hys_hybrid_sets(a, &text, problems, &p->set, &p->n);
    }
    ++*n;
  }
  if (o->n_properties == 0 && a->n_forbidden > 0) {
    property[0] = (hys_property){"forbidden", a->forbidden, a->n_forbidden};
    *n = 1;
  }
  return status;
}

static int verify(const options *o, const hys_hybrid *a, hys_arena *arena, hys_diagnostics *problems) {
  hys_property property[MAX_PROPERTIES];
  uint32_t n = 0, which = 0;
  hys_verify_options v;
  hys_verify_result result;
  clock_stop stop = {seconds() + o->budget};
  pipe_file files = {NULL, NULL, NULL, a, 0, 0, false, NULL, NULL, 0, 0};
  hys_verdict worst = HYS_HOLDS;
  double began = seconds(), took;
  hys_status status;
  int code = CLI_OK;

  memset(property, 0, sizeof property);
  hys_verify_options_default(&v, o->horizon > 0.0 ? o->horizon : a->time_horizon);
  if (!(v.time_horizon > 0.0)) {
    fprintf(stderr, "hyshield verify: no time horizon: give --time-horizon T, or a configuration with one\n");
    return CLI_USAGE;
  }
  if (o->max_step > 0.0)
    v.pipe.max_step = o->max_step;
  if (o->tolerance > 0.0)
    v.pipe.tolerance = o->tolerance;
  v.pipe.order = (unsigned)o->order;
  if (o->clusters > 0)
    v.clusters = (uint32_t)o->clusters;
  if (o->max_jumps > 0)
    v.max_jumps = (uint32_t)o->max_jumps;
  if (o->max_items > 0)
    v.max_items = (uint32_t)o->max_items;
  if (o->max_passes > 0)
    v.max_passes = (uint32_t)o->max_passes;
  if (o->has_falsify)
    v.falsify_runs = (uint32_t)o->falsify;
  v.threads = (unsigned)o->threads;
  v.seed = o->seed;
  v.stop = out_of_time;
  v.stop_context = &stop;
  if (o->progress && !o->quiet)
    v.progress = tell_progress;
  status = read_properties(o, a, arena, problems, property, &n);
  if (status == HYS_OK && o->initially != NULL)
    status = read_formula(a, "--initially", o->initially, problems, &v.initially, &v.n_initially);
  cli_print_diagnostics(stderr, problems);
  if (status != HYS_OK)
    return problems->errors > 0 && status != HYS_ERR_OPEN ? CLI_BAD_INPUT : cli_exit_of(status);
  if (o->out != NULL || o->gnuplot != NULL || o->plot != NULL) {
    char why[256] = "";
    if (!pipe_file_open(&files, a, o->out, o->gnuplot, o->plot, o->vars, why, sizeof why)) {
      fprintf(stderr, "hyshield verify: %s\n", why);
      return strstr(why, "cannot write") != NULL ? CLI_NO_OUTPUT : CLI_USAGE;
    }
    v.segment = pipe_file_segment;
    v.segment_context = &files;
  }
  status = hys_verify(a, property, n, &v, arena, &result);
  took = seconds() - began;
  if (v.segment != NULL) {
    char why[512] = "";
    if (!pipe_file_close(&files, property, n, why, sizeof why)) {
      fprintf(stderr, "hyshield verify: %s\n", why);
      code = CLI_NO_OUTPUT;
    }
  }
  if (status != HYS_OK) {
    cli_print_diagnostics(stderr, problems);
    return failed(o->model, status);
  }
  for (uint32_t q = 0; q < n; q++) {
    const hys_verdict r = result.property[q].verdict;
    if ((r == HYS_VIOLATED && worst != HYS_VIOLATED) || (r == HYS_UNKNOWN && worst == HYS_HOLDS)) {
      worst = r;
      which = q;
    }
  }
  if (n == 0 && !result.complete)
    worst = HYS_UNKNOWN;
  if (o->json) {
    if (!cli_print_json(answer_json(a, property, n, &result, worst, which, took)))
      return CLI_NO_OUTPUT;
  } else if (!o->quiet) {
    print_words(a, property, n, &result, took);
  }
  if (code != CLI_OK)
    return code;
  if (stop_asked != 0) {
    fputs("hyshield verify: interrupted; this is the best answer so far\n", stderr);
    return CLI_INTERRUPTED;
  }
  return worst == HYS_HOLDS ? CLI_OK : worst == HYS_VIOLATED ? CLI_VIOLATED : CLI_UNKNOWN;
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
  hys_diagnostics_init(&later, arena);
  status = hys_model_read(&model, o->model, o->config, o->system, arena, &problems);
  if (o->config == NULL && model != NULL && hys_model_config(model) != NULL && !o->quiet)
    fprintf(stderr, "configuration: %s\n", hys_model_config(model));
  if (status == HYS_OK)
    status = hys_hybrid_open(&automaton, model, &problems);
  if (status != HYS_OK)
    cli_print_diagnostics(stderr, &problems);
  if (status == HYS_OK) {
    code = verify(o, automaton, arena, &later);
  } else {
    code = problems.errors > 0 && status != HYS_ERR_OPEN ? CLI_BAD_INPUT : failed(o->model, status);
  }
  hys_hybrid_close(automaton);
  hys_arena_destroy(arena);
  return code;
}

/* ---- the command line ---- */

static int wrong(const char *message, const char *argument) {
  fprintf(stderr, "hyshield verify: %s%s%s; see `hyshield verify --help'\n", message,
          argument != NULL ? " " : "", argument != NULL ? argument : "");
  return CLI_USAGE;
}

static bool read_positive(const char *text, double *value) {
  return hys_trace_read_number(text, strlen(text), value) && *value > 0.0 && isfinite(*value);
}

static bool read_count(const char *text, uint64_t most, uint64_t *value) {
  return cli_read_seed(text, value) && *value > 0 && *value <= most;
}

static bool add_property(options *o, bool is_file, const char *text) {
  if (o->n_properties == MAX_PROPERTIES)
    return false;
  o->property[o->n_properties].is_file = is_file;
  o->property[o->n_properties++].text = text;
  return true;
}

int cli_cmd_verify(int argc, char **argv) {
  enum {
    SYSTEM = 256,
    FORBIDDEN,
    PROPERTY,
    INITIALLY,
    HORIZON,
    BUDGET,
    THREADS,
    OUT,
    GNUPLOT,
    PLOT,
    VARS,
    PROGRESS,
    MAX_STEP,
    TOLERANCE,
    ORDER,
    CLUSTERS,
    MAX_JUMPS,
    MAX_ITEMS,
    MAX_PASSES,
    FALSIFY,
    JSON,
    QUIET,
    SEED,
    TELL_VERSION
  };
  static const struct option known[] = {{"config", required_argument, NULL, 'c'},
                                        {"system", required_argument, NULL, SYSTEM},
                                        {"forbidden", required_argument, NULL, FORBIDDEN},
                                        {"property", required_argument, NULL, PROPERTY},
                                        {"initially", required_argument, NULL, INITIALLY},
                                        {"time-horizon", required_argument, NULL, HORIZON},
                                        {"budget", required_argument, NULL, BUDGET},
                                        {"threads", required_argument, NULL, THREADS},
                                        {"out", required_argument, NULL, OUT},
                                        {"gnuplot", required_argument, NULL, GNUPLOT},
                                        {"plot", required_argument, NULL, PLOT},
                                        {"vars", required_argument, NULL, VARS},
                                        {"progress", no_argument, NULL, PROGRESS},
                                        {"max-step", required_argument, NULL, MAX_STEP},
                                        {"tolerance", required_argument, NULL, TOLERANCE},
                                        {"order", required_argument, NULL, ORDER},
                                        {"clusters", required_argument, NULL, CLUSTERS},
                                        {"max-jumps", required_argument, NULL, MAX_JUMPS},
                                        {"max-items", required_argument, NULL, MAX_ITEMS},
                                        {"max-passes", required_argument, NULL, MAX_PASSES},
                                        {"falsify", required_argument, NULL, FALSIFY},
                                        {"json", no_argument, NULL, JSON},
                                        {"quiet", no_argument, NULL, QUIET},
                                        {"seed", required_argument, NULL, SEED},
                                        {"help", no_argument, NULL, 'h'},
                                        {"version", no_argument, NULL, TELL_VERSION},
                                        {NULL, 0, NULL, 0}};
  static options o; /* large */
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  struct sigaction action, before;
  int c, code;

  memset(&o, 0, sizeof o);
  o.budget = 60.0;
  o.seed = 1;
  o.threads = processors > 0 ? (uint64_t)(processors < 64 ? processors : 64) : 1;
  optind = 1;
  while ((c = getopt_long(argc, argv, "c:h", known, NULL)) != -1) {
    bool good = true;
    switch (c) {
    case 'c':
      o.config = optarg;
      break;
    case SYSTEM:
      o.system = optarg;
      break;
    case FORBIDDEN:
      good = add_property(&o, false, optarg);
      break;
    case PROPERTY:
      good = add_property(&o, true, optarg);
      break;
    case INITIALLY:
      o.initially = optarg;
      break;
    case HORIZON:
      good = read_positive(optarg, &o.horizon);
      break;
    case BUDGET:
      good = read_positive(optarg, &o.budget);
      break;
    case THREADS:
      good = read_count(optarg, 64, &o.threads);
      break;
    case OUT:
      o.out = optarg;
      break;
    case GNUPLOT:
      o.gnuplot = optarg;
      break;
    case PLOT:
      o.plot = optarg;
      break;
    case VARS:
      o.vars = optarg;
      break;
    case PROGRESS:
      o.progress = true;
      break;
    case MAX_STEP:
      good = read_positive(optarg, &o.max_step);
      break;
    case TOLERANCE:
      good = read_positive(optarg, &o.tolerance);
      break;
    case ORDER:
      good = read_count(optarg, 1000, &o.order);
      break;
    case CLUSTERS:
      good = read_count(optarg, 1000, &o.clusters);
      break;
    case MAX_JUMPS:
      good = read_count(optarg, UINT32_MAX, &o.max_jumps);
      break;
    case MAX_ITEMS:
      good = read_count(optarg, UINT32_MAX, &o.max_items);
      break;
    case MAX_PASSES:
      good = read_count(optarg, 64, &o.max_passes);
      break;
    case FALSIFY:
      good = cli_read_seed(optarg, &o.falsify) && o.falsify <= 1000000;
      o.has_falsify = true;
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
      fputs("see `hyshield verify --help'\n", stderr);
      return CLI_USAGE;
    }
    if (!good)
      return wrong("not a value for that option, or one too many:", optarg);
  }
  if (optind >= argc)
    return wrong("a model is missing", NULL);
  if (optind + 1 < argc)
    return wrong("one model at a time, not also", argv[optind + 1]);
  o.model = argv[optind];
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &before);
  code = open_model(&o);
  sigaction(SIGINT, &before, NULL);
  return code;
}
