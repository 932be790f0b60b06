/* The command on shield files: check and new, their exit codes and their JSON. */
#include "core/allocator.h"
#include "core/diagnostics.h"
#include "models/shield_file.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <jansson.h>
#include <libxml/parser.h>
#include <libxml/relaxng.h>

#define FOLDER "tests/conform/broken_shields/"

enum { OUTPUT = 1 << 16 };
static char output[OUTPUT];

/* Runs `hyshield ARGUMENTS' and keeps its standard output (with 2>&1 among them: its standard error too); the
 * exit code. */
static int run(const char *arguments) {
  char command[8192];
  size_t n = 0;

  output[0] = '\0';
  snprintf(command, sizeof command, "'%s' %s%s", check_build_path("hyshield"), arguments,
           strstr(arguments, "2>&1") != NULL ? "" : " 2>/dev/null");
  FILE *in = popen(command, "r");
  if (!CHECK(in != NULL))
    return -1;
  n = fread(output, 1, sizeof output - 1, in);
  output[n] = '\0';
  const int status = pclose(in);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int run_on(const char *before, const char *file, const char *after) {
  char arguments[4096];
  snprintf(arguments, sizeof arguments, "%s '%s' %s", before, check_source_path(file), after);
  return run(arguments);
}

static const char *text_of(const json_t *object, const char *key) {
  const char *text = json_string_value(json_object_get(object, key));
  return text != NULL ? text : "(none)";
}

static void check_json(void) {
  static const struct {
    const char *file;
    int code;
    long line, column; /* of the one error; 0 = no error */
  } rows[] = {{"good", 2, 0, 0},
              {"unknown_label", 65, 20, 5},
              {"doctype", 65, 2, 1},
              {"unsupported_cycle", 2, 32, 5}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char file[256];
    check_label("%s", rows[i].file);
    snprintf(file, sizeof file, FOLDER "%s.shield.xml", rows[i].file);
    CHECK_INT(run_on("check --json", file, ""), rows[i].code);
    json_t *object = json_loads(output, JSON_REJECT_DUPLICATES, NULL);
    if (!CHECK(json_is_object(object))) {
      json_decref(object);
      continue;
    }
    CHECK_STR(text_of(object, "enforceable"), "unknown");
    CHECK(json_object_get(object, "terminal") != NULL);
    CHECK(json_object_get(object, "witness") != NULL);
    const json_t *problems = json_object_get(object, "problems");
    const json_t *problem = NULL;
    size_t errors = 0;
    for (size_t k = 0; k < json_array_size(problems); k++) {
      const json_t *one = json_array_get(problems, k);
      if (strcmp(text_of(one, "severity"), "error") == 0) {
        problem = one;
        errors++;
      }
    }
    CHECK(json_is_array(problems));
    CHECK_INT(errors, rows[i].line > 0 ? 1 : 0);
    if (rows[i].line > 0 && problem != NULL) {
      CHECK_INT(json_integer_value(json_object_get(problem, "line")), rows[i].line);
      CHECK_INT(json_integer_value(json_object_get(problem, "column")), rows[i].column);
      CHECK(strlen(text_of(problem, "text")) > 10);
    }
    json_decref(object);
  }
  CHECK_INT(run("check --json /nowhere/a.shield.xml"), 66);
}

static void check_text(void) {
  CHECK_INT(run_on("check", FOLDER "good.shield.xml", ""), 2);
  CHECK(strstr(output, "shield cart: 4 commands, 2 events, 3 states") != NULL);
  CHECK(strstr(output, "enforceable: unknown") != NULL);
  CHECK_INT(run_on("check", FOLDER "many_problems.shield.xml", "2>&1"), 65);
  CHECK(strstr(output, "many_problems.shield.xml:33:3: error: ") != NULL);
  CHECK(strstr(output, "6 errors, ") != NULL);
}

static bool valid(const char *path) {
  xmlRelaxNGParserCtxtPtr parser = xmlRelaxNGNewParserCtxt(check_source_path("models/shield.rng"));
  xmlRelaxNGPtr schema = parser != NULL ? xmlRelaxNGParse(parser) : NULL;
  xmlDocPtr document = xmlReadFile(path, NULL, XML_PARSE_NONET);
  xmlRelaxNGValidCtxtPtr context = schema != NULL ? xmlRelaxNGNewValidCtxt(schema) : NULL;
  const bool result = document != NULL && context != NULL && xmlRelaxNGValidateDoc(context, document) == 0;
  xmlRelaxNGFreeParserCtxt(parser);
  xmlRelaxNGFreeValidCtxt(context);
  xmlRelaxNGFree(schema);
  xmlFreeDoc(document);
  return result;
}

/* The skeleton passes both gates as it is written. */
static void new_file(const char *model, const char *config, uint32_t commands, size_t states) {
  char folder[512], path[640], before[1024], after[1024];
  hys_arena *arena = hys_arena_create(NULL);
  hys_diagnostics said;
  const hys_spec *spec = NULL;

  snprintf(folder, sizeof folder, "%s", check_build_path("new-shield-XXXXXX"));
  if (!CHECK(mkdtemp(folder) != NULL) || !CHECK(arena != NULL))
    return;
  snprintf(path, sizeof path, "%s/new.shield.xml", folder);
  snprintf(before, sizeof before, "new -c '%s'", check_source_path(config));
  snprintf(after, sizeof after, "-o '%s'", path);
  CHECK_INT(run_on(before, model, after), 0);
  CHECK_STR(output, "");
  CHECK(valid(path));
  hys_diagnostics_init(&said, arena);
  CHECK_INT(hys_shield_file_read(path, arena, &said, &spec), HYS_OK);
  CHECK_INT(said.errors, 0);
  if (spec != NULL) {
    CHECK_INT(spec->n_commands, commands);
    CHECK_INT(spec->automaton->nx, states);
    CHECK(spec->command[spec->fallback].insert);
  }
  CHECK_INT(run_on(before, model, after), 73); /* it is there now, and is left alone */
  unlink(path);
  rmdir(folder);
  hys_arena_destroy(arena);
}

static void new_skeleton(void) {
  new_file(FOLDER "cart.xml", FOLDER "cart.cfg", 6, 3);
  new_file("models/library/acc/acc.xml", "models/library/acc/acc.cfg", 6, 4);
}

static void new_output(void) {
  CHECK_INT(run_on("new", FOLDER "cart.xml", ""), 0);
  CHECK(strstr(output, "<model file=\"cart.xml\" config=\"cart.cfg\" system=\"track\"/>") != NULL);
  CHECK(strstr(output, "<value variable=\"a\" unit=\"1\" min=\"-2\" max=\"2\"/>") != NULL);
  CHECK(strstr(output, "label horn: no jump carries it") != NULL);
  CHECK_INT(run_on("new --json", FOLDER "cart.xml", ""), 0);
  json_t *object = json_loads(output, 0, NULL);
  CHECK(strncmp(text_of(object, "shield"), "<?xml", 5) == 0);
  json_decref(object);
  CHECK_INT(run("new"), 64);
  CHECK_INT(run("new --no-such-option a.xml"), 64);
  CHECK_INT(run("new /nowhere/a.xml"), 66);
  CHECK_INT(run("new --help"), 0);
  CHECK(strstr(output, "usage: hyshield new MODEL") != NULL);
  CHECK_INT(run_on("new", FOLDER "good.shield.xml", ""), 65);
}

CHECK_MAIN("command on shields", {"check, JSON", check_json}, {"check, text", check_text},
           {"new writes a valid file", new_skeleton}, {"new, output", new_output})
