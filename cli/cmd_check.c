/* hyshield check: reads a model (or, by its root element, a shield file), says what it is and what is wrong.
 */
#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/model_print.h"
#include "cli/options.h"
#include "cli/report.h"
#include "models/lint.h"
#include "models/model.h"

typedef struct options {
  const char *file;
  const char *config, *system, *seed; /* NULL = not given */
  bool json, quiet, force;
  const cli_printing *print; /* NULL = nothing */
} options;

static void print_help(void) {
  fputs(
      "usage: hyshield check [OPTION...] FILE\n"
      "\n"
      "Reads a SpaceEx model, or a shield file: what it is, and what is wrong with it (file:line:column: "
      "text,\n"
      "on standard error).  Of a shield file also whether it is enforceable: certified, where the terminal "
      "set is one\n"
      "and from every initial state a plan is certified; unknown, where that was not shown (with the "
      "reason), "
      "also for\n"
      "what this version does not support.\n"
      "\n"
      "  -c, --config CFG   the model's configuration (default: the model's stem with .cfg, if it is there)\n"
      "      --system NAME  the component that is the system (default: the configuration's, else the one "
      "that\n"
      "                     no other binds)\n"
      "      --json         one JSON object on standard output\n"
      "      --print        the flattened model on standard output: one component, all product locations and "
      "jumps;\n"
      "                     it can be read again; words go to standard error\n"
      "      --print-cfg    the configuration that belongs to it\n"
      "      --dot          a graph for graphviz: the components as written, a cluster each; initial "
      "locations "
      "have a\n"
      "                     thick border, long formulas are cut\n"
      "      --force        --print and --print-cfg also of more than 10000 product locations\n"
      "      --quiet        only problems and, of a shield file, the answer\n"
      "      --seed N       accepted as by every command; nothing here is random\n"
      "      --help, --version\n"
      "\n"
      "Exit: 0 no error, and of a shield file: certified; 1 not enforceable (never said by this version); 2 "
      "unknown;\n"
      "64 usage, 65 errors in a file, 66 cannot open it, 70 fault of ours, 73 cannot write output.\n",
      stdout);
}

/* ---- a model ---- */

static json_t *count_json(uint64_t count) {
  return count == UINT64_MAX ? json_null() : json_integer((json_int_t)count);
}

static json_t *model_json(const hys_model *model, const hys_diagnostics *problems) {
  json_t *variables = json_array(), *labels = json_array();
  json_t *answer = json_object();

  for (size_t i = 0; model != NULL && i < hys_model_variable_count(model); i++) {
    const hys_model_variable v = hys_model_variable_at(model, i);
    json_array_append_new(variables, json_pack("{s:s, s:s, s:s*}", "name", v.name, "role",
                                               hys_role_text(v.role), "unit", v.unit));
  }
  for (size_t i = 0; model != NULL && i < hys_model_label_count(model); i++)
    json_array_append_new(labels, json_string(hys_model_label_at(model, i)));
  json_object_set_new(answer, "system",
                      model != NULL && hys_model_system(model) != NULL ? json_string(hys_model_system(model))
                                                                       : json_null());
  json_object_set_new(answer, "variables", variables);
  json_object_set_new(answer, "labels", labels);
  json_object_set_new(answer, "locations", count_json(model != NULL ? hys_model_location_count(model) : 0));
  json_object_set_new(answer, "jumps", count_json(model != NULL ? hys_model_jump_count(model) : 0));
  json_object_set_new(
      answer, "flow",
      json_string(hys_expr_class_text(model != NULL ? hys_model_flow_class(model) : HYS_CLASS_NONE)));
  json_object_set_new(answer, "problems", cli_problems_json(problems));
  return answer;
}

static void print_count(FILE *out, uint64_t count, const char *what) {
  if (count == UINT64_MAX)
    fprintf(out, "more than 2^53 %ss", what);
  else
    cli_print_counted(out, count, what);
}

static void print_summary(FILE *out, const hys_model *model, const hys_diagnostics *problems) {
  static const hys_role roles[] = {HYS_ROLE_STATE, HYS_ROLE_INPUT, HYS_ROLE_CONSTANT};

  if (model != NULL && hys_model_system(model) != NULL) {
    fprintf(out, "system %s: ", hys_model_system(model));
    print_count(out, hys_model_location_count(model), "location");
    fputs(", ", out);
    print_count(out, hys_model_jump_count(model), "jump");
    fprintf(out, ", flow %s\n", hys_expr_class_text(hys_model_flow_class(model)));
    for (size_t r = 0; r < sizeof roles / sizeof roles[0]; r++) {
      size_t n = 0;
      for (size_t i = 0; i < hys_model_variable_count(model); i++) {
        const hys_model_variable v = hys_model_variable_at(model, i);
        if (v.role == roles[r])
          fprintf(out, "%s%s",
                  n++ == 0 ? (r == 0   ? "states: "
                              : r == 1 ? "inputs: "
                                       : "constants: ")
                           : ", ",
                  v.name);
      }
      if (n > 0)
        fputc('\n', out);
    }
    for (size_t i = 0; i < hys_model_label_count(model); i++)
      fprintf(out, "%s%s%s", i == 0 ? "labels: " : ", ", hys_model_label_at(model, i),
              i + 1 == hys_model_label_count(model) ? "\n" : "");
  }
  cli_print_counted(out, problems->errors, "error");
  fputs(", ", out);
  cli_print_counted(out, problems->warnings, "warning");
  fputc('\n', out);
}

/* What the model reader cannot hold is a fault of its file. */
static int exit_of(hys_status status) {
  return status == HYS_ERR_UNSUPPORTED ? CLI_BAD_INPUT : cli_exit_of(status);
}

static int check_model(const options *o, hys_arena *arena) {
  const hys_model *model = NULL;
  hys_diagnostics problems;
  hys_status status;

  hys_diagnostics_init(&problems, arena);
  status = hys_model_read(&model, o->file, o->config, o->system, arena, &problems);
  if (model != NULL &&
      hys_model_lint(model, o->json ? UINT32_MAX : HYS_LINT_PLACES, arena, &problems) != HYS_OK)
    status = HYS_ERR_MEMORY;
  if (o->config == NULL && model != NULL && hys_model_config(model) != NULL && !o->quiet)
    fprintf(stderr, "configuration: %s\n", hys_model_config(model));
  cli_print_diagnostics(stderr, &problems);
  if (o->json) {
    if (!cli_print_json(model_json(model, &problems))) {
      fputs("hyshield: cannot write the answer\n", stderr);
      return CLI_NO_OUTPUT;
    }
  }
  if (!o->quiet)
    print_summary(o->json || o->print != NULL ? stderr : stdout, model, &problems);
  if (status == HYS_ERR_MEMORY || status == HYS_ERR_INTERNAL)
    fprintf(stderr, "hyshield: %s\n", hys_status_text(status));
  if (o->print != NULL && status == HYS_OK)
    return cli_print_model(o->print, model, o->force, arena);
  if (o->print != NULL)
    fprintf(stderr, "hyshield check: nothing is printed of a model with errors\n");
  return exit_of(status);
}

/* Whether the root element of a file is <shield>, by a look at its begin; what is not XML is left to the
 * reader. */
static bool is_shield(const char *path) {
  char text[65537];
  FILE *file = fopen(path, "rb");
  size_t n = 0;
  const char *at;

  if (file == NULL)
    return false;
  n = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[n] = '\0';
  at = strchr(text, '<');
  while (at != NULL && (at[1] == '?' || at[1] == '!')) {
    const char *end = strncmp(at, "<!--", 4) == 0 ? strstr(at + 4, "-->") : strchr(at, '>');
    at = end != NULL ? strchr(end, '<') : NULL;
  }
  if (at == NULL)
    return false;
  n = strcspn(++at, " \t\r\n/>");
  for (const char *colon = memchr(at, ':', n); colon != NULL; colon = NULL) {
    n -= (size_t)(colon + 1 - at);
    at = colon + 1;
  }
  return n == strlen("shield") && memcmp(at, "shield", n) == 0;
}

/* ---- the command line ---- */

static int usage(const char *message, const char *argument) {
  fprintf(stderr, "hyshield check: %s%s%s; see `hyshield check --help'\n", message,
          argument != NULL ? " " : "", argument != NULL ? argument : "");
  return CLI_USAGE;
}

int cli_cmd_check(int argc, char **argv) {
  options o = {0};
  uint64_t seed = 0; /* nothing is drawn at random */
  hys_arena *arena;
  int code;

  signal(SIGPIPE, SIG_IGN); /* a reader that has gone is an error to be told, not the end */
  for (int i = 1; i < argc; i++) {
    const char *a = argv[i];
    const char **value = strcmp(a, "-c") == 0 || strcmp(a, "--config") == 0 ? &o.config
                         : strcmp(a, "--system") == 0                       ? &o.system
                         : strcmp(a, "--seed") == 0                         ? &o.seed
                                                                            : NULL;
    if (strcmp(a, "--help") == 0 || strcmp(a, "-h") == 0) {
      print_help();
      return CLI_OK;
    }
    if (strcmp(a, "--version") == 0)
      return cli_print_version();
    if (value != NULL) {
      if (i + 1 == argc)
        return usage("a value is missing behind", a);
      *value = argv[++i];
    } else if (cli_find_printing(a) != NULL) {
      if (o.print != NULL && o.print != cli_find_printing(a))
        return usage("standard output takes one of --print, --print-cfg and --dot, not also", a);
      o.print = cli_find_printing(a);
    } else if (strcmp(a, "--force") == 0) {
      o.force = true;
    } else if (strcmp(a, "--json") == 0) {
      o.json = true;
    } else if (strcmp(a, "--quiet") == 0) {
      o.quiet = true;
    } else if (a[0] == '-' && a[1] != '\0') {
      return usage("unknown option", a);
    } else if (o.file != NULL) {
      return usage("one file at a time, not also", a);
    } else {
      o.file = a;
    }
  }
  if (o.seed != NULL && !cli_read_seed(o.seed, &seed))
    return usage("not a seed:", o.seed);
  if (o.file == NULL)
    return usage("a file is missing", NULL);
  if (o.json && o.print != NULL)
    return usage("standard output takes one object with --json, or what is printed, not both", NULL);
  if (is_shield(o.file) && o.print != NULL)
    return usage("only a model can be printed, and this is a shield file:", o.file);
  if (is_shield(o.file))
    return cli_check_shield(o.file, o.json, o.quiet);
  arena = hys_arena_create(NULL);
  if (arena == NULL) {
    fputs("hyshield: out of memory\n", stderr);
    return CLI_INTERNAL;
  }
  code = check_model(&o, arena);
  hys_arena_destroy(arena);
  return code;
}
