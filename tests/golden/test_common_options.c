/* What every subcommand takes, what --quiet may not hide, and what `new' guesses. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/check.h"

#define SHIELDS "tests/conform/broken_shields/"
#define ACC "models/library/acc/"

enum { MAX_OUTPUT = 1 << 16, MAX_PATH = 1024 };

static const char *const commands[] = {"check", "new", "drive", "plot"};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

/* Runs `hyshield COMMAND OPTIONS FILE REDIRECTION'; what it printed is in text. */
static int run_on(const char *command, const char *options, const char *file, const char *redirection,
                  char *text) {
  char line[4 * MAX_PATH];
  snprintf(line, sizeof line, "'%s' %s %s %s%s%s %s", check_build_path("hyshield"), command, options,
           file[0] != '\0' ? "'" : "", file, file[0] != '\0' ? "'" : "", redirection);
  FILE *const pipe = popen(line, "r");
  text[0] = '\0';
  if (!CHECK(pipe != NULL))
    return -1;
  const size_t n = fread(text, 1, MAX_OUTPUT - 1, pipe);
  text[n] = '\0';
  const int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int words_of(const char *command, const char *options, const char *file, char *text) {
  return run_on(command, options, file, "2>&1 >/dev/null", text);
}

static int answer_of(const char *command, const char *options, const char *file, char *text) {
  return run_on(command, options, file, "2>/dev/null", text);
}

static void version(void) {
  char want[MAX_OUTPUT], got[MAX_OUTPUT];
  CHECK_INT(answer_of("--version", "", "", want), 0);
  CHECK(strncmp(want, "hyshield ", 9) == 0);
  CHECK(strchr(want, '\n') == want + strlen(want) - 1);
  for (size_t i = 0; i < COMMANDS; i++) {
    check_label("%s", commands[i]);
    CHECK_INT(answer_of(commands[i], "--version", "", got), 0);
    CHECK_STR(got, want);
  }
}

static void seed(void) {
  static const char *const wrong[] = {"x", "-1", "1.5", "' 1'", "''", "18446744073709551616"};
  char text[MAX_OUTPUT];
  for (size_t i = 0; i < COMMANDS; i++) {
    char options[128];
    check_label("%s", commands[i]);
    CHECK_INT(answer_of(commands[i], "--seed 18446744073709551615 --help", "", text), 0);
    CHECK(strstr(text, "--seed N") != NULL && strstr(text, "--version") != NULL);
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
      check_label("%s --seed %s", commands[i], wrong[k]);
      snprintf(options, sizeof options, "--seed %s", wrong[k]);
      CHECK_INT(words_of(commands[i], options, check_source_path(ACC "acc.xml"), text), 64);
      CHECK(strstr(text, "not a seed") != NULL);
    }
  }
  check_label("before the file");
  CHECK_INT(answer_of("check", "--seed 7 --quiet", check_source_path(ACC "acc.xml"), text), 0);
  CHECK_INT(answer_of("new", "--seed 7 --quiet", check_source_path(ACC "acc.xml"), text), 0);
  CHECK_INT(answer_of("drive", "--seed 7 --list", "", text), 0);
}

static void quiet(void) {
  static const struct {
    const char *command, *file;
    int code;
    const char *says;
  } rows[] = {
      {"check", SHIELDS "unknown_label.shield.xml", 65, "unknown_label.shield.xml:20:5: error: "},
      {"check", SHIELDS "unsupported_polled.shield.xml", 2, "unsupported_polled.shield.xml:4:3: error: "},
      {"check", "tests/conform/broken_models/product.xml", 65, ": error: "},
      {"new", "tests/conform/broken_models/product.xml", 65, ": error: "},
      {"new", "tests/no-such-model.xml", 66, "cannot open"},
      {"drive", SHIELDS "unknown_label.shield.xml", 65, "unknown_label.shield.xml:20:5: error: "},
      {"plot", "tests/no-such-trace.csv", 66, "cannot open"},
  };
  char text[MAX_OUTPUT];
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    check_label("%s %s", rows[i].command, rows[i].file);
    CHECK_INT(words_of(rows[i].command, "--quiet", check_source_path(rows[i].file), text), rows[i].code);
    CHECK(strstr(text, rows[i].says) != NULL);
  }
  check_label("nothing to say");
  CHECK_INT(words_of("new", "--quiet", check_source_path(SHIELDS "cart.xml"), text), 0);
  CHECK_STR(text, "");
}

static void help_of_check(void) {
  static const char *const words[] = {"certified", "unknown", "1 not enforceable", "2 unknown"};
  char text[MAX_OUTPUT];
  CHECK_INT(answer_of("check", "--help", "", text), 0);
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    check_label("%s", words[i]);
    CHECK(strstr(text, words[i]) != NULL);
  }
}

/* ---- the fallback of a skeleton ---- */

/* A model with one location and a jump for each label, in this order. */
static bool write_model(const char *path, const char *const *label) {
  FILE *const out = fopen(path, "w");
  if (out == NULL)
    return false;
  fputs("<?xml version=\"1.0\"?>\n<sspaceex xmlns=\"http://www-verimag.imag.fr/xml-namespaces/sspaceex\" "
        "version=\"0.2\" math=\"SpaceEx\">\n<component id=\"c\">\n"
        "<param name=\"x\" type=\"real\" local=\"false\" d1=\"1\" d2=\"1\" dynamics=\"any\"/>\n",
        out);
  for (size_t i = 0; label[i] != NULL; i++)
    fprintf(out, "<param name=\"%s\" type=\"label\" local=\"false\"/>\n", label[i]);
  fputs("<location id=\"1\" name=\"on\"><flow>x' == 1</flow></location>\n", out);
  for (size_t i = 0; label[i] != NULL; i++)
    fprintf(out, "<transition source=\"1\" target=\"1\"><label>%s</label></transition>\n", label[i]);
  fputs("</component>\n</sspaceex>\n", out);
  return fclose(out) == 0;
}

static void fallback(void) {
  static const struct {
    const char *label[4], *want;
  } rows[] = {
      {{"go", "brake_hard", "stop"}, "brake_hard"},      {{"go", "turn_off"}, "turn_off"},
      {{"go", "EmergencyStop"}, "EmergencyStop"},        {{"go", "SAFE"}, "SAFE"},
      {{"go", "offset", "unsafe", "unstoppable"}, "go"}, {{"slow", "fast"}, "slow"},
  };
  char folder[MAX_PATH], path[MAX_PATH + 16], text[MAX_OUTPUT], want[128];
  snprintf(folder, sizeof folder, "%s", check_build_path("fallback-XXXXXX"));
  if (!CHECK(mkdtemp(folder) != NULL))
    return;
  snprintf(path, sizeof path, "%s/model.xml", folder);
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const char *label[5] = {rows[i].label[0], rows[i].label[1], rows[i].label[2], rows[i].label[3], NULL};
    check_label("%s", rows[i].want);
    snprintf(want, sizeof want, "<fallback command=\"%s\" latch=\"no\"/>", rows[i].want);
    CHECK(write_model(path, label));
    CHECK_INT(answer_of("new", "", path, text), 0);
    CHECK(strstr(text, want) != NULL);
    snprintf(want, sizeof want,
             "<command label=\"%s\" edits=\"delay suppress\" validity=\"500 ms\" insert=\"yes\"/>",
             rows[i].want);
    CHECK(strstr(text, want) != NULL);
  }
  unlink(path);
  rmdir(folder);
  check_label("the cruise control");
  CHECK_INT(answer_of("new", "", check_source_path(ACC "acc.xml"), text), 0);
  CHECK(strstr(text, "<fallback command=\"brake\" latch=\"no\"/>") != NULL);
}

static void new_json(void) {
  char folder[MAX_PATH], path[MAX_PATH + 16], options[2 * MAX_PATH], text[MAX_OUTPUT];
  snprintf(folder, sizeof folder, "%s", check_build_path("new-json-XXXXXX"));
  if (!CHECK(mkdtemp(folder) != NULL))
    return;
  snprintf(path, sizeof path, "%s/a.shield.xml", folder);
  snprintf(options, sizeof options, "--json -o '%s'", path);
  CHECK_INT(answer_of("new", options, check_source_path(ACC "acc.xml"), text), 0);
  json_t *const object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
  CHECK_STR(json_string_value(json_object_get(object, "file")), path);
  CHECK(json_is_array(json_object_get(object, "problems")));
  CHECK_INT(access(path, R_OK), 0);
  json_decref(object);
  unlink(path);
  rmdir(folder);
}

CHECK_MAIN("common options", {"--version", version}, {"--seed", seed}, {"--quiet", quiet},
           {"help of check", help_of_check}, {"the fallback of a skeleton", fallback},
           {"new --json", new_json})
