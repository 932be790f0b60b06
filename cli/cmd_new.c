/* `hyshield new': a commented skeleton of a shield file, from the labels and variables of a model. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "cli/report.h"
#include "core/allocator.h"
#include "core/diagnostics.h"
#include "models/model.h"
#include "models/quantity.h"
#include "models/shield_file.h"

typedef struct options {
  const char *model, *config, *system, *output;
  bool json, quiet;
} options;

static void help(FILE *out) {
  fputs(
      "usage: hyshield new MODEL [-c CFG] [--system NAME] [-o FILE] [--json] [--quiet]\n"
      "\n"
      "Writes a skeleton of a shield file for a SpaceEx model: every state, label and instance is listed, "
      "each\n"
      "number is a placeholder, comments say what to fill in. It is a valid file as it stands.\n"
      "\n"
      "  -c, --config CFG   the configuration (default: the model's stem with .cfg, if it is there)\n"
      "      --system NAME  the component that is the system\n"
      "  -o, --output FILE  write here; a file that exists is left alone (default: standard output, with "
      "file\n"
      "                     names as seen from the model's folder)\n"
      "      --json         one JSON object on standard output: the file, and problems; without -o also the "
      "text\n"
      "      --quiet        no words on standard error but errors\n"
      "      --seed N       accepted as by every command; nothing here is random\n"
      "      --help, --version\n"
      "\n"
      "Exit: 0 done, 64 usage, 65 bad model, 66 cannot open it, 70 fault of ours, 73 cannot write output.\n",
      out);
}

/* Text inside an attribute. */
static void put_escaped(FILE *out, const char *text) {
  for (; *text != '\0'; text++) {
    switch (*text) {
    case '&':
      fputs("&amp;", out);
      break;
    case '<':
      fputs("&lt;", out);
      break;
    case '"':
      fputs("&quot;", out);
      break;
    default:
      fputc(*text, out);
    }
  }
}

static void put_attribute(FILE *out, const char *name, const char *value) {
  fprintf(out, " %s=\"", name);
  put_escaped(out, value);
  fputc('"', out);
}

/* Bytes of the path up to and with its last slash. */
static size_t folder_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

/* How the shield file names another one: alone if they stand side by side, else in full. */
static void put_file(FILE *out, const char *name, const char *path, const char *beside) {
  const size_t folder = folder_of(path);
  char *full = NULL;
  if (folder != folder_of(beside) || strncmp(path, beside, folder) != 0)
    full = realpath(path, NULL);
  put_attribute(out, name, full != NULL ? full : path + folder);
  free(full);
}

/* A name of letters, digits and the like, as the shield's name has to be. */
static void put_name(FILE *out, const char *system) {
  fputs(" name=\"", out);
  if (!((system[0] >= 'a' && system[0] <= 'z') || (system[0] >= 'A' && system[0] <= 'Z') || system[0] == '_'))
    fputc('_', out);
  for (; *system != '\0'; system++) {
    const char c = *system;
    const bool fits =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
    fputc(fits ? c : '_', out);
  }
  fputc('"', out);
}

static bool carried(const hys_automaton *a, int32_t label) {
  for (uint32_t i = 0; i < a->n_jumps; i++) {
    if (a->jump[i].label == label)
      return true;
  }
  return false;
}

/* The state that every jump with the label assigns by an interval, and the hull of those; -1: none. */
static int32_t value_of(const hys_automaton *a, int32_t label, double *min, double *max) {
  for (size_t s = 0; s < a->nx; s++) {
    hys_interval hull = hys_interval_empty();
    bool all = true;
    for (uint32_t i = 0; all && i < a->n_jumps; i++) {
      const hys_jump *jump = &a->jump[i];
      const hys_reset_row *row = &jump->reset[s];
      if (jump->label != label)
        continue;
      all = !row->identity && row->coef == NULL && row->offset.lo < row->offset.hi;
      hull = hys_interval_hull(hull, row->offset);
    }
    *min = hull.lo;
    *max = hull.hi;
    if (all && isfinite(*min) && isfinite(*max))
      return (int32_t)s;
  }
  return -1;
}

/* The unit that the model's notes give a state, if a shield file has it; else "1". */
static const char *unit_of(const hys_model *model, const char *state) {
  for (size_t i = 0; i < hys_model_variable_count(model); i++) {
    const hys_model_variable v = hys_model_variable_at(model, i);
    if (strcmp(v.name, state) == 0 && v.unit != NULL && hys_unit_find(v.unit, strlen(v.unit)) != NULL)
      return v.unit;
  }
  return "1";
}

/* What stands behind the number of a quantity in this unit. */
static const char *blank_before(const char *unit) {
  return strcmp(unit, "1") == 0 ? "" : " ";
}

static void put_observe(FILE *out, const hys_model *model, const hys_automaton *a) {
  fputs("\n  <!-- Every state is a variable (measured within error; a reading older than stale is not used; "
        "min and max:\n"
        "       what a reading may be) or unobserved (with the range it lies in). Set the units. Inputs of "
        "the model are\n"
        "       not listed. -->\n"
        "  <observe>\n",
        out);
  for (size_t i = 0; i < a->nx; i++) {
    fputs("    <variable", out);
    put_attribute(out, "name", a->state_name[i]);
    const char *unit = unit_of(model, a->state_name[i]), *blank = blank_before(unit);
    fprintf(out, " unit=\"%s\" error=\"0%s%s\" stale=\"300 ms\"/>\n", unit, blank,
            *blank != '\0' ? unit : "");
  }
  fputs("    <!-- <unobserved name=\"...\" unit=\"1\" min=\"-1\" max=\"1\"/> -->\n"
        "    <!-- where the mode of an instance comes from: commands, sample or estimate -->\n",
        out);
  for (uint32_t i = 0; i < a->n_instances; i++) {
    if (a->instance[i].name[0] == '\0')
      continue;
    fputs("    <mode", out);
    put_attribute(out, "instance", a->instance[i].name);
    fputs(" from=\"estimate\"/>\n", out);
  }
  fputs("  </observe>\n", out);
}

static bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}

static bool is_upper(char c) {
  return c >= 'A' && c <= 'Z';
}

/* One of the words in the name is what a command is often called that ends a danger.  Words are apart by what
 * is no letter, or by an upper-case letter behind a lower-case one: neither `offset' nor `unsafe' has one. */
static bool sounds_safe(const char *name) {
  static const char *const word[] = {"brake", "stop", "halt", "off", "safe"};
  while (*name != '\0') {
    size_t n = 0;
    while (is_lower(name[n]) || (is_upper(name[n]) && (n == 0 || !is_lower(name[n - 1]))))
      n++;
    for (size_t i = 0; i < sizeof word / sizeof word[0]; i++) {
      if (strlen(word[i]) == n && strncasecmp(name, word[i], n) == 0)
        return true;
    }
    name += n > 0 ? n : 1;
  }
  return false;
}

/* The label of the fallback, a guess: by its name, then one without a value, then the first. */
static int32_t guess_fallback(const hys_automaton *a) {
  int32_t best = -1;
  int best_rank = -1;
  double min, max;

  for (int32_t l = 0; l < (int32_t)a->n_labels; l++) {
    if (!carried(a, l))
      continue;
    const int rank = (sounds_safe(a->label_name[l]) ? 2 : 0) + (value_of(a, l, &min, &max) < 0 ? 1 : 0);
    if (rank > best_rank) {
      best = l;
      best_rank = rank;
    }
  }
  return best;
}

static void put_commands(FILE *out, const hys_model *model, const hys_automaton *a, int32_t fallback) {
  double min, max;

  fputs("\n  <!-- What the controller sends. Labels that the environment brings about belong into <events>. "
        "edits: delay,\n"
        "       substitute, substitute+delay, suppress, in order of preference (delay needs a validity). "
        "insert: may the\n"
        "       shield send it unasked? otherwise: what it does where no jump is enabled, ignored or "
        "illegal. -->\n"
        "  <commands>\n",
        out);
  for (int32_t l = 0; l < (int32_t)a->n_labels; l++) {
    if (!carried(a, l)) {
      fprintf(out, "    <!-- label %s: no jump carries it -->\n", a->label_name[l]);
      continue;
    }
    const int32_t value = value_of(a, l, &min, &max);
    fputs("    <command", out);
    put_attribute(out, "label", a->label_name[l]);
    fprintf(out, " edits=\"%sdelay suppress\" validity=\"500 ms\" insert=\"%s\"",
            value >= 0 ? "substitute " : "", l == fallback ? "yes" : "no");
    if (value >= 0) {
      fputs(">\n      <value", out);
      put_attribute(out, "variable", a->state_name[value]);
      const char *unit = unit_of(model, a->state_name[value]), *blank = blank_before(unit);
      const char *behind = *blank != '\0' ? unit : "";
      fprintf(out, " unit=\"%s\" min=\"%.15g%s%s\" max=\"%.15g%s%s\"/>\n    </command>\n", unit, min, blank,
              behind, max, blank, behind);
    } else {
      fputs("/>\n", out);
    }
  }
  fputs("  </commands>\n", out);
}

static void put_skeleton(FILE *out, const options *o, const hys_model *model, const hys_automaton *a) {
  const char *beside = o->output != NULL ? o->output : o->model, *system = hys_model_system(model);
  const char *config = hys_model_config(model);

  fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<!-- Skeleton of a shield. Every number is a placeholder: the guarantee is as good as they are. "
        "Quantities are a\n"
        "     number, one blank and a unit; formulas are in SI units. -->\n"
        "<shield xmlns=\"" HYS_SHIELD_NAMESPACE "\" version=\"1\"",
        out);
  put_name(out, system != NULL ? system : "shield");
  fputs(">\n  <model", out);
  put_file(out, "file", o->model, beside);
  if (config != NULL)
    put_file(out, "config", config, beside);
  if (system != NULL)
    put_attribute(out, "system", system);
  fputs("/>\n\n"
        "  <!-- trigger: timer or event (polled, decisions on samples only, is refused by this version). "
        "deadline: "
        "what a\n"
        "       decision may take. A command takes effect between actuation-min and actuation-max after it "
        "was sent. -->\n"
        "  <timing trigger=\"timer\" period=\"100 ms\" deadline=\"5 ms\" actuation-min=\"0 s\" "
        "actuation-max=\"20 ms\"\n"
        "          timer-late=\"1 ms\" stamp-error=\"1 ms\" order=\"free\"/>\n",
        out);
  put_observe(out, model, a);
  double min = 0.0, max = 0.0;
  const int32_t fallback = guess_fallback(a);
  put_commands(out, model, a, fallback);
  fputs("\n  <!-- <events>\n         <event label=\"...\" latency=\"20 ms\"/>\n       </events> -->\n"
        "\n  <!-- What is sent when nothing is certified: it has to be a command with insert=\"yes\". This "
        "one is a "
        "guess by names. -->\n"
        "  <fallback",
        out);
  put_attribute(out, "command", a->label_name[fallback]);
  if (value_of(a, fallback, &min, &max) >= 0)
    fprintf(out, " value=\"%.15g\"", min);
  fputs(" latch=\"no\"/>\n\n"
        "  <!-- Where a plan may end: a closed set in Safe that the plant does not leave by itself. It is "
        "always checked;\n"
        "       with `true' nothing will be certified. A set may be bound to a location:\n",
        out);
  if (a->n_instances > 0 && a->instance[0].n_locations > 0 && a->instance[0].name[0] != '\0')
    fprintf(out, "       <set instance=\"%s\" location=\"%s\">FORMULA</set>\n", a->instance[0].name,
            a->instance[0].location[0]);
  fputs("       -->\n"
        "  <terminal>\n"
        "    <set>true</set>\n"
        "  </terminal>\n"
        "\n  <!-- insertions fit a bucket of `burst' that fills at the given rate; horizon: how far a plan "
        "looks ahead. -->\n"
        "  <limits insertions-per-second=\"5\" burst=\"2\" queue=\"8\" plan-length=\"2\" horizon=\"10 s\" "
        "locations=\"8\"/>\n"
        "</shield>\n",
        out);
}

static int write_out(const options *o, const char *text, size_t length) {
  FILE *out = o->output != NULL ? fopen(o->output, "wx") : stdout;
  if (out == NULL) {
    fprintf(stderr, "hyshield: cannot write %s: %s\n", o->output, strerror(errno));
    return CLI_NO_OUTPUT;
  }
  bool written = fwrite(text, 1, length, out) == length;
  if (o->output != NULL)
    written = fclose(out) == 0 && written;
  if (!written)
    fprintf(stderr, "hyshield: cannot write %s\n", o->output != NULL ? o->output : "to standard output");
  return written ? CLI_OK : CLI_NO_OUTPUT;
}

static bool any_label(const hys_automaton *a) {
  for (int32_t l = 0; l < (int32_t)a->n_labels; l++) {
    if (carried(a, l))
      return true;
  }
  return false;
}

static int make(const options *o, hys_arena *arena, hys_diagnostics *said) {
  const hys_model *model = NULL;
  const hys_automaton *automaton = NULL;
  char *text = NULL;
  size_t length = 0;

  hys_status status = hys_model_read(&model, o->model, o->config, o->system, arena, said);
  if (status == HYS_OK)
    status = hys_model_automaton(model, arena, said, &automaton);
  if (status == HYS_OK && !any_label(automaton)) {
    const hys_diagnostic where = {.severity = HYS_ERROR, .file = o->model};
    hys_diagnostics_add(said, &where, "no jump carries a label: there is nothing that a shield could edit");
    status = HYS_ERR_INPUT;
  }
  if (!o->quiet || status != HYS_OK)
    cli_print_diagnostics(stderr, said);
  if (status != HYS_OK)
    return cli_exit_of(status) == CLI_UNKNOWN ? CLI_BAD_INPUT : cli_exit_of(status);
  if (o->config == NULL && hys_model_config(model) != NULL && !o->quiet)
    fprintf(stderr, "hyshield: configuration %s\n", hys_model_config(model));
  FILE *memory = open_memstream(&text, &length);
  if (memory == NULL)
    return CLI_INTERNAL;
  put_skeleton(memory, o, model, automaton);
  int code = CLI_INTERNAL;
  if (fclose(memory) == 0) {
    if (o->json && o->output == NULL) /* the one object on standard output holds the file */
      code = cli_print_json(json_pack("{s:s%, s:n, s:o}", "shield", text, length, "file", "problems",
                                      cli_problems_json(said)))
                 ? CLI_OK
                 : CLI_INTERNAL;
    else
      code = write_out(o, text, length);
    if (code == CLI_OK && o->json && o->output != NULL)
      cli_print_json(json_pack("{s:s, s:o}", "file", o->output, "problems", cli_problems_json(said)));
  }
  free(text);
  return code;
}

int cli_cmd_new(int argc, char **argv) {
  static const struct option known[] = {{"config", required_argument, NULL, 'c'},
                                        {"system", required_argument, NULL, 'y'},
                                        {"output", required_argument, NULL, 'o'},
                                        {"json", no_argument, NULL, 'j'},
                                        {"quiet", no_argument, NULL, 'q'},
                                        {"seed", required_argument, NULL, 's'},
                                        {"help", no_argument, NULL, 'h'},
                                        {"version", no_argument, NULL, 'v'},
                                        {NULL, 0, NULL, 0}};
  options o = {0};
  uint64_t seed = 0; /* nothing is drawn at random */
  hys_diagnostics said;

  optind = 1;
  for (int c; (c = getopt_long(argc, argv, "c:o:h", known, NULL)) != -1;) {
    switch (c) {
    case 'c':
      o.config = optarg;
      break;
    case 'y':
      o.system = optarg;
      break;
    case 'o':
      o.output = optarg;
      break;
    case 'j':
      o.json = true;
      break;
    case 'q':
      o.quiet = true;
      break;
    case 's':
      if (!cli_read_seed(optarg, &seed)) {
        fprintf(stderr, "hyshield new: not a seed: '%s'; see `hyshield new --help'\n", optarg);
        return CLI_USAGE;
      }
      break;
    case 'h':
      help(stdout);
      return CLI_OK;
    case 'v':
      return cli_print_version();
    default:
      help(stderr);
      return CLI_USAGE;
    }
  }
  if (argc - optind != 1) {
    help(stderr);
    return CLI_USAGE;
  }
  o.model = argv[optind];
  hys_arena *arena = hys_arena_create(NULL);
  if (arena == NULL) {
    fputs("hyshield: out of memory\n", stderr);
    return CLI_INTERNAL;
  }
  hys_diagnostics_init(&said, arena);
  const int code = make(&o, arena, &said);
  hys_arena_destroy(arena);
  return code;
}
