/* hyshield plot: pictures of a trace, or of two side by side. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/report.h"
#include "core/allocator.h"
#include "core/diagnostics.h"
#include "sims/plot.h"
#include "sims/trace.h"

enum { MAX_PATH = 4096, MAX_OUTPUTS = 8 };

static const char usage[] = "usage: hyshield plot TRACE.csv [TRACE2.csv] [OPTION...]\n"
                            "\n"
                            "Draws a trace, or two side by side over the same scales: the gap with the "
                            "unsafe region, the speeds, the commands\n"
                            "asked and applied with a mark for each edit.\n"
                            "\n"
                            "  -o FILE   FILE.svg, FILE.png or FILE.pdf, may be repeated (default: the first "
                            "trace's name, as .svg and .png)\n"
                            "  --json    one object on standard output\n"
                            "  --quiet   no words on standard error but errors\n"
                            "  --seed N  accepted as by every command; nothing here is random\n"
                            "  --help, --version\n"
                            "\n"
                            "Exit: 0 done, 64 usage, 65 bad input, 66 cannot open input, 70 gnuplot failed, "
                            "73 cannot write output.\n";

typedef struct output {
  char path[MAX_PATH];
  hys_plot_format format;
} output;

static bool format_of(const char *path, hys_plot_format *format) {
  const char *const dot = strrchr(path, '.');
  if (dot == NULL)
    return false;
  if (strcmp(dot, ".svg") == 0)
    *format = HYS_PLOT_SVG;
  else if (strcmp(dot, ".png") == 0)
    *format = HYS_PLOT_PNG;
  else if (strcmp(dot, ".pdf") == 0)
    *format = HYS_PLOT_PDF;
  else
    return false;
  return true;
}

static bool add_output(output *outputs, size_t *n, const char *path) {
  if (*n == MAX_OUTPUTS || strlen(path) >= MAX_PATH || !format_of(path, &outputs[*n].format))
    return false;
  strcpy(outputs[(*n)++].path, path);
  return true;
}

static bool default_outputs(output *outputs, size_t *n, const char *trace) {
  static const char *const ending[] = {".svg", ".png"};
  const size_t length = strlen(trace);
  const size_t stem = length > 4 && strcmp(trace + length - 4, ".csv") == 0 ? length - 4 : length;
  if (stem + 5 > MAX_PATH)
    return false;
  for (size_t k = 0; k < 2; k++) {
    char path[MAX_PATH];
    snprintf(path, sizeof path, "%.*s%s", (int)stem, trace, ending[k]);
    if (!add_output(outputs, n, path))
      return false;
  }
  return true;
}

static int draw(const char *const *path, size_t n, const output *outputs, size_t n_outputs, bool json,
                bool quiet, hys_arena *arena) {
  hys_diagnostics problems;
  const hys_trace *trace[2] = {NULL, NULL};
  hys_diagnostics_init(&problems, arena);
  for (size_t k = 0; k < n; k++) {
    const hys_status status = hys_trace_read(path[k], arena, &problems, &trace[k]);
    cli_print_diagnostics(stderr, &problems);
    if (status == HYS_OK)
      continue;
    if (problems.n == 0)
      fprintf(stderr, "hyshield plot: %s: %s\n", path[k], hys_status_text(status));
    return cli_exit_of(status);
  }
  json_t *const files = json_array();
  for (size_t k = 0; k < n_outputs; k++) {
    char why[512] = "";
    const hys_status status = hys_plot_write(trace, n, outputs[k].format, outputs[k].path, why, sizeof why);
    if (status != HYS_OK) {
      fprintf(stderr, "hyshield plot: %s\n", why);
      json_decref(files);
      return status == HYS_ERR_WRITE ? CLI_NO_OUTPUT : status == HYS_ERR_ARG ? CLI_BAD_INPUT : CLI_INTERNAL;
    }
    json_array_append_new(files, json_string(outputs[k].path));
    if (!quiet)
      fprintf(stderr, "picture: %s\n", outputs[k].path);
  }
  if (!json) {
    json_decref(files);
    return CLI_OK;
  }
  json_t *const object = json_object();
  json_object_set_new(object, "pictures", files);
  return cli_print_json(object) ? CLI_OK : CLI_INTERNAL;
}

int cli_cmd_plot(int argc, char **argv) {
  enum { JSON = 256, QUIET, SEED, TELL_VERSION };
  static const struct option known[] = {{"json", no_argument, NULL, JSON},
                                        {"quiet", no_argument, NULL, QUIET},
                                        {"seed", required_argument, NULL, SEED},
                                        {"help", no_argument, NULL, 'h'},
                                        {"version", no_argument, NULL, TELL_VERSION},
                                        {NULL, 0, NULL, 0}};
  static const char see[] = "; see `hyshield plot --help'\n";
  output outputs[MAX_OUTPUTS];
  size_t n_outputs = 0;
  uint64_t seed = 0; /* nothing is drawn at random */
  bool json = false, quiet = false;
  int c;
  optind = 1;
  while ((c = getopt_long(argc, argv, "o:h", known, NULL)) != -1) {
    switch (c) {
    case 'o':
      if (!add_output(outputs, &n_outputs, optarg)) {
        fprintf(stderr, "hyshield plot: '%s' does not end in .svg, .png or .pdf, or is one too many%s",
                optarg, see);
        return CLI_USAGE;
      }
      break;
    case JSON:
      json = true;
      break;
    case QUIET:
      quiet = true;
      break;
    case SEED:
      if (!cli_read_seed(optarg, &seed)) {
        fprintf(stderr, "hyshield plot: not a seed: '%s'%s", optarg, see);
        return CLI_USAGE;
      }
      break;
    case TELL_VERSION:
      return cli_print_version();
    case 'h':
      fputs(usage, stdout);
      return CLI_OK;
    default:
      fputs("see `hyshield plot --help'\n", stderr);
      return CLI_USAGE;
    }
  }
  const int n = argc - optind;
  if (n < 1 || n > 2) {
    fprintf(stderr, "hyshield plot: one trace or two%s", see);
    return CLI_USAGE;
  }
  const char *path[2] = {argv[optind], n == 2 ? argv[optind + 1] : NULL};
  if (n_outputs == 0 && !default_outputs(outputs, &n_outputs, path[0])) {
    fprintf(stderr, "hyshield plot: the path is too long%s", see);
    return CLI_USAGE;
  }
  hys_arena *const arena = hys_arena_create(NULL);
  if (arena == NULL) {
    fputs("hyshield plot: out of memory\n", stderr);
    return CLI_INTERNAL;
  }
  const int code = draw(path, (size_t)n, outputs, n_outputs, json, quiet, arena);
  hys_arena_destroy(arena);
  return code;
}
