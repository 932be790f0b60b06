/* hyshield explain: one decision of a journal in plain words. */
#include <getopt.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "core/rt/reason.h"
#include "monitor/journal.h"

enum { MAX_LINE = 1 << 17, PICTURE_COLUMNS = 60, PICTURE_ROWS = 8 };

static const char usage[] =
    "usage: hyshield explain JOURNAL N\n"
    "\n"
    "Tells the decision on line N of a journal (from 1, as `hyshield audit' counts): what was asked, what "
    "was\n"
    "known, what was done and why, what would have been allowed, and a small picture of the margin that the\n"
    "shield certified up to there.\n"
    "\n"
    "  --json           the record itself on standard output\n"
    "  --quiet, --seed N  change nothing\n"
    "  --help, --version\n"
    "\n"
    "Exit: 0 done, 1 the journal is not intact up to line N, 64 usage (also: no decision on line N), 66 "
    "cannot\n"
    "open input, 70 fault of ours.\n";

/* The margins of the decisions up to the one asked for, the last PICTURE_COLUMNS of them. */
typedef struct margins {
  double value[PICTURE_COLUMNS];
  double t[PICTURE_COLUMNS];
  size_t n;
} margins;

static double number_of(const json_t *value) {
  return json_is_number(value) ? json_number_value(value) : nan("");
}

static const char *text_of(const json_t *object, const char *key) {
  const char *const text = json_string_value(json_object_get(object, key));
  return text != NULL ? text : "";
}

static const char *reason_words(const char *name) {
  for (int k = 0; k < HYS_REASON_COUNT; k++) {
    if (strcmp(name, hys_reason_name((hys_reason)k)) == 0)
      return hys_reason_text((hys_reason)k);
  }
  return name;
}

static double seconds(const json_t *value) {
  return (double)json_integer_value(value) / 1e9;
}

static void note_margin(margins *m, const json_t *step) {
  const json_t *const armed = json_object_get(step, "armed");
  if (m->n == PICTURE_COLUMNS) {
    memmove(m->value, m->value + 1, (PICTURE_COLUMNS - 1) * sizeof *m->value);
    memmove(m->t, m->t + 1, (PICTURE_COLUMNS - 1) * sizeof *m->t);
    m->n--;
  }
  m->t[m->n] = seconds(json_object_get(step, "now"));
  m->value[m->n++] = number_of(json_object_get(armed, "margin"));
}

static void draw(const margins *m) {
  double top = 0;
  for (size_t k = 0; k < m->n; k++) {
    if (m->value[k] > top)
      top = m->value[k];
  }
  if (m->n == 0 || !(top > 0))
    return;
  puts("\nmargin of the armed plan (smallest distance to the forbidden set that is still certified):");
  for (int row = PICTURE_ROWS; row > 0; row--) {
    printf("%10.3g |", top * row / PICTURE_ROWS);
    for (size_t k = 0; k < m->n; k++)
      putchar(m->value[k] >= top * (row - 0.5) / PICTURE_ROWS ? '#' : ' ');
    putchar('\n');
  }
  printf("%10d +", 0);
  for (size_t k = 0; k < m->n; k++)
    putchar(isnan(m->value[k]) ? '?' : '-');
  printf("\n            t = %.3f s to %.3f s, a column a decision%s\n", m->t[0], m->t[m->n - 1],
         " (?: no plan was armed)");
}

static void print_send(const char *what, const json_t *send) {
  if (!json_is_object(send))
    return;
  printf("%s%s", what, text_of(send, "command")[0] != '\0' ? text_of(send, "command") : "an unknown command");
  const double value = number_of(json_object_get(send, "value"));
  if (!isnan(value))
    printf(" = %.6g", value);
  if (strcmp(text_of(send, "id"), "0") != 0)
    printf(" (the controller's command %s)", text_of(send, "id"));
  putchar('\n');
}

static void print_known(const json_t *step) {
  const json_t *const sets = json_object_get(json_object_get(step, "estimate"), "sets");
  size_t k;
  const json_t *set;
  if (json_array_size(sets) == 0)
    puts("known: nothing about the state");
  json_array_foreach(sets, k, set) {
    printf("known: in location %lld:", (long long)json_integer_value(json_object_get(set, "location")));
    size_t i;
    const json_t *x;
    json_array_foreach(json_object_get(set, "x"), i, x)
        printf(" [%.6g, %.6g]", number_of(json_array_get(x, 0)), number_of(json_array_get(x, 1)));
    putchar('\n');
  }
}

static void print_why(const json_t *record) {
  const json_t *const row = json_object_get(record, "constraint");
  const char *const failure = text_of(record, "failure");
  if (strcmp(failure, "NONE") != 0 && failure[0] != '\0')
    printf("otherwise: the alternative before it in order could not be certified: %s\n",
           reason_words(failure));
  if (json_is_object(json_object_get(record, "constraint")) && json_object_get(row, "forbidden") != NULL)
    printf("decided by: row %lld of region %lld of the forbidden set (line %lld of the model)\n",
           (long long)json_integer_value(json_object_get(row, "row")) + 1,
           (long long)json_integer_value(json_object_get(row, "forbidden")) + 1,
           (long long)json_integer_value(json_object_get(row, "line")));
  const double margin = number_of(json_object_get(record, "margin"));
  if (!isnan(margin))
    printf("margin: %.6g\n", margin);
  const json_t *const range = json_object_get(record, "admissible");
  const double lo = number_of(json_array_get(range, 0)), hi = number_of(json_array_get(range, 1));
  if (!isnan(lo) && !isnan(hi))
    printf("allowed would have been: values from %.6g to %.6g\n", lo, hi);
}

static void print_step(const json_t *step) {
  const json_t *const input = json_object_get(step, "input"), *const armed = json_object_get(step, "armed");
  printf("t = %.6f s: %s%s%s\n", seconds(json_object_get(step, "now")), text_of(input, "kind"),
         text_of(input, "name")[0] != '\0' ? " " : "", text_of(input, "name"));
  print_known(step);
  size_t k;
  const json_t *record;
  json_array_foreach(json_object_get(step, "records"), k, record) {
    print_send("asked: ", json_object_get(record, "requested"));
    printf("%s: %s (%s)\n", json_is_true(json_object_get(record, "would")) ? "would have done" : "done",
           text_of(record, "action"), reason_words(text_of(record, "reason")));
    print_send("sent: ", json_object_get(record, "applied"));
    if (json_is_integer(json_object_get(record, "at")))
      printf("to be sent: at %.6f s\n", seconds(json_object_get(record, "at")));
    print_why(record);
    if (strcmp(text_of(record, "guarantee"), "void") == 0)
      puts("guarantee: void");
  }
  if (!json_is_object(armed))
    puts("armed: no plan");
  else if (json_is_string(json_object_get(armed, "command")))
    printf("armed: %s, %.6f s after the shield's first instant\n", text_of(armed, "command"),
           seconds(json_object_get(armed, "at")));
  else
    puts("armed: nothing needs to be inserted");
}

static int explain(const char *path, uint64_t number, bool json) {
  FILE *const file = fopen(path, "rb");
  char *const line = malloc(MAX_LINE);
  margins seen = {.n = 0};
  json_t *step = NULL;
  if (file != NULL && line != NULL) {
    for (uint64_t n = 1; n <= number && fgets(line, MAX_LINE, file) != NULL; n++) {
      json_t *const object = json_loads(line, 0, NULL);
      if (strcmp(text_of(object, "type"), "step") == 0) {
        note_margin(&seen, object);
        if (n == number)
          step = json_incref(object);
      }
      json_decref(object);
    }
  }
  int code = CLI_OK;
  if (file == NULL || line == NULL) {
    code = file == NULL ? CLI_NO_INPUT : CLI_INTERNAL;
    fprintf(stderr, "hyshield explain: %s: cannot be read\n", path);
  } else if (step == NULL) {
    code = CLI_USAGE;
    fprintf(stderr, "hyshield explain: %s: line %llu is no decision\n", path, (unsigned long long)number);
  } else if (json) {
    json_dumpf(step, stdout, JSON_COMPACT);
    putchar('\n');
  } else {
    print_step(step);
    draw(&seen);
  }
  json_decref(step);
  free(line);
  if (file != NULL)
    fclose(file);
  return code;
}

int cli_cmd_explain(int argc, char **argv) {
  enum { JSON = 256, QUIET, SEED, TELL_VERSION };
  static const struct option known[] = {{"json", no_argument, NULL, JSON},
                                        {"quiet", no_argument, NULL, QUIET},
                                        {"help", no_argument, NULL, 'h'},
                                        {"seed", required_argument, NULL, SEED},
                                        {"version", no_argument, NULL, TELL_VERSION},
                                        {NULL, 0, NULL, 0}};
  bool json = false;
  uint64_t number = 0;
  int c;
  optind = 1;
  while ((c = getopt_long(argc, argv, "h", known, NULL)) != -1) {
    if (c == 'h') {
      fputs(usage, stdout);
      return CLI_OK;
    }
    if (c == TELL_VERSION)
      return cli_print_version();
    if (c == '?' || (c == SEED && !cli_read_seed(optarg, &number))) {
      fputs("see `hyshield explain --help'\n", stderr);
      return CLI_USAGE;
    }
    json = json || c == JSON;
  }
  if (optind + 2 != argc || !cli_read_seed(argv[optind + 1], &number) || number == 0) {
    fputs("hyshield explain: a journal and the number of a line are needed; see `hyshield explain --help'\n",
          stderr);
    return CLI_USAGE;
  }
  hys_journal_report report;
  const hys_status status = hys_journal_verify(argv[optind], NULL, &report);
  if (status != HYS_OK) {
    fprintf(stderr, "hyshield explain: %s: %s\n", argv[optind], hys_status_text(status));
    return status == HYS_ERR_OPEN ? CLI_NO_INPUT : CLI_INTERNAL;
  }
  if (report.bad_line > 0 && report.bad_line <= number) {
    fprintf(stderr, "hyshield explain: %s: line %llu: %s\n", argv[optind],
            (unsigned long long)report.bad_line, report.why);
    return CLI_VIOLATED;
  }
  return explain(argv[optind], number, json);
}
