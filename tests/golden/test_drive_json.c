/* `hyshield drive': what scripts rely on. */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/check.h"

enum { MAX_OUTPUT = 1 << 16 };

static char folder[] = "drive-json-XXXXXX";

/* Runs the command with these arguments; what it printed is in text. */
static int run(const char *arguments, char *text) {
  const char *const program = check_build_path("hyshield"), *const spec = check_source_path(
                                                                "models/library/acc/acc.shield.xml");
  char line[8192];
  text[0] = '\0';
  if (program == NULL || spec == NULL)
    return -1;
  snprintf(line, sizeof line, "'%s' drive '%s' -o '%s' --no-plot --quiet %s 2>/dev/null", program, spec,
           folder, arguments);
  FILE *const pipe = popen(line, "r");
  if (pipe == NULL)
    return -1;
  const size_t n = fread(text, 1, MAX_OUTPUT - 1, pipe);
  text[n] = '\0';
  const int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static char *read_file(const char *path) {
  FILE *f = fopen(path, "rb");
  char *text = calloc(1, 1 << 20);
  if (f != NULL && text != NULL)
    text[fread(text, 1, (1 << 20) - 1, f)] = '\0';
  if (f != NULL)
    fclose(f);
  return text;
}

static const char *const keys[] = {"violated", "violated_at", "margin", "final",       "edits", "first_edit",
                                   "commands", "reasons",     "trace",  "decision_ns", "state"};
static const char *const edits[] = {"pass", "delay", "substitute", "suppress", "insert"};
static const char *const times[] = {"p50", "p99", "max"};

static json_t *object_of(const char *text) {
  json_t *const object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
  CHECK(json_is_object(object));
  for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
    check_label("%s", keys[k]);
    CHECK(json_object_get(object, keys[k]) != NULL);
  }
  for (size_t k = 0; k < 5; k++)
    CHECK(json_is_integer(json_object_get(json_object_get(object, "edits"), edits[k])));
  for (size_t k = 0; k < 3; k++)
    CHECK(json_object_get(json_object_get(object, "decision_ns"), times[k]) != NULL);
  check_label("all");
  return object;
}

static void keys_without_and_with_a_shield(void) {
  char *text = malloc(MAX_OUTPUT);
  if (!CHECK(text != NULL && mkdtemp(folder) != NULL))
    return;
  CHECK_INT(run("--scenario ccrb-40-6 --agent accelerate --no-shield --json", text), 1);
  json_t *object = object_of(text);
  CHECK(json_is_true(json_object_get(object, "violated")));
  /* d = 40 - t1^2 - 3 (t-1)^2 with t1 = t - [0.01, 0.04] until the lead rests at 1 s + 13.89/6 s */
  CHECK_NEAR(json_number_value(json_object_get(object, "violated_at")), 3.84, 0.02);
  CHECK_NEAR(json_number_value(json_object_get(json_object_get(object, "final"), "d")), 2, 1e-9);
  CHECK(json_is_null(json_object_get(object, "first_edit")));
  CHECK(json_is_null(json_object_get(object, "state")));
  json_decref(object);

  CHECK_INT(run("--scenario ccrb-40-6 --agent accelerate --json", text), 0);
  object = object_of(text);
  CHECK(json_is_false(json_object_get(object, "violated")));
  CHECK(json_is_null(json_object_get(object, "violated_at")));
  CHECK(json_is_string(json_object_get(object, "state")));
  CHECK(json_number_value(json_object_get(object, "margin")) > 0);
  CHECK_INT(json_integer_value(json_object_get(object, "commands")), 201);
  json_int_t sum = 0;
  for (size_t k = 0; k < 4; k++)
    sum += json_integer_value(json_object_get(json_object_get(object, "edits"), edits[k]));
  CHECK_INT(sum, 201); /* every command is decided once */
  CHECK(json_integer_value(json_object_get(json_object_get(object, "decision_ns"), "max")) > 0);
  const char *const path = json_string_value(json_object_get(object, "trace"));
  if (CHECK(path != NULL)) {
    char *const first = read_file(path);
    CHECK(first != NULL && strncmp(first, "# schema = hyshield-trace-1\n", 28) == 0);
    CHECK(first != NULL && strstr(first, "\nt [s],location,") != NULL);
    CHECK(first != NULL && strstr(first, ",id,requested,applied,action,reason,margin\n") != NULL);
    CHECK_INT(run("--scenario ccrb-40-6 --agent accelerate --json", text), 0);
    char *const second = read_file(path);
    CHECK(first != NULL && second != NULL && strcmp(first, second) == 0); /* the same seed, the same bytes */
    free(first);
    free(second);
    unlink(path);
  }
  json_decref(object);
  CHECK_INT(run("--scenario ccrb-40-6 --agent accelerate --no-shield", text), 1);
  CHECK(strncmp(text, "without shield: collision at t = 3.8", 36) == 0 && strstr(text, " s\n") != NULL);
  CHECK_INT(run("--scenario ccrb-40-6 --agent accelerate", text), 0);
  CHECK(strncmp(text, "with shield: no collision, smallest gap ", 40) == 0);
  CHECK(strstr(text, " m, edits: pass ") != NULL && strstr(text, ", slowest decision ") != NULL);
  char line[512];
  snprintf(line, sizeof line, "%s/ccrb-40-6-accelerate-no-shield.csv", folder);
  unlink(line);
  snprintf(line, sizeof line, "%s/ccrb-40-6-accelerate-shield.csv", folder);
  unlink(line);
  rmdir(folder);
  free(text);
}

static void wrong_command_lines(void) {
  char *text = malloc(MAX_OUTPUT);
  static const char *const wrong[] = {
      "--agent nobody", "--scenario nowhere",        "--duration -1", "--duration x", "--seed 1.5",
      "--unknown",      "--no-shield --observe-only"};
  for (size_t k = 0; text != NULL && k < sizeof wrong / sizeof wrong[0]; k++) {
    check_label("%s", wrong[k]);
    CHECK_INT(run(wrong[k], text), 64);
    CHECK_STR(text, "");
  }
  CHECK(text != NULL);
  check_label("a lead that is not there");
  if (text != NULL)
    CHECK_INT(run("--lead /no/such/file.csv", text), 66);
  free(text);
  rmdir(folder);
}

CHECK_MAIN("drive_json", {"keys, without and with a shield", keys_without_and_with_a_shield},
           {"wrong command lines", wrong_command_lines})
