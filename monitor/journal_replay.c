#include <errno.h>
#include <jansson.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rt/box.h"
#include "monitor/journal.h"
#include "monitor/journal_lines.h"
#include "monitor/journal_text.h"
#include "monitor/shield_alloc.h"

typedef struct replay {
  const hys_spec *spec;
  hys_shield *shield;
  hys_journal_report *report;
  uint64_t line, step;
  char before[65];
  char text[HYSI_JOURNAL_LINE];
  double x[HYS_MAX_STATES + HYS_MAX_EVENT_VALUES]; /* readings, or values of an event */
  uint32_t *mode;
} replay;

static hys_status differs(replay *r, hys_status status, const char *why) {
  r->report->bad_line = r->line;
  snprintf(r->report->why, sizeof r->report->why, "%s", why);
  return status;
}

static bool read_number(const json_t *value, double *out) {
  const char *const text = json_string_value(value);
  if (text == NULL) {
    *out = json_number_value(value);
    return json_is_number(value);
  }
  *out = strcmp(text, "nan") == 0 ? HYSI_NAN : strcmp(text, "inf") == 0 ? HYSI_INF : -HYSI_INF;
  return strcmp(text, "nan") == 0 || strcmp(text, "inf") == 0 || strcmp(text, "-inf") == 0;
}

static bool read_numbers(const json_t *array, double *out, size_t n) {
  if (json_array_size(array) != n)
    return false;
  for (size_t i = 0; i < n; i++) {
    if (!read_number(json_array_get(array, i), &out[i]))
      return false;
  }
  return true;
}

static bool read_u32(const json_t *value, uint32_t *out) {
  const json_int_t number = json_integer_value(value);
  *out = (uint32_t)number;
  return json_is_integer(value) && number >= 0 && number <= (json_int_t)UINT32_MAX;
}

static bool read_input(replay *r, const json_t *from, hys_input *input) {
  const char *const kind = json_string_value(json_object_get(from, "kind"));
  const hys_automaton *const h = r->spec->automaton;
  memset(input, 0, sizeof *input);
  if (kind == NULL)
    return false;
  if (strcmp(kind, "timer") == 0) {
    input->kind = HYS_INPUT_TIMER;
    return true;
  }
  if (strcmp(kind, "sample") == 0) {
    const json_t *const x = json_object_get(from, "x"), *const mode = json_object_get(from, "mode");
    input->kind = HYS_INPUT_SAMPLE;
    input->stamp = (int64_t)json_integer_value(json_object_get(from, "stamp"));
    input->x = json_is_null(x) ? NULL : r->x;
    input->mode = json_is_null(mode) ? NULL : r->mode;
    if (input->x != NULL && !read_numbers(x, r->x, h->nx))
      return false;
    if (input->mode == NULL)
      return true;
    bool good = json_array_size(mode) == h->n_instances;
    for (uint32_t i = 0; good && i < h->n_instances; i++)
      good = read_u32(json_array_get(mode, i), &r->mode[i]);
    return good;
  }
  if (!read_u32(json_object_get(from, "which"), &input->which))
    return false;
  if (strcmp(kind, "command") == 0) {
    const char *const id = json_string_value(json_object_get(from, "id"));
    input->kind = HYS_INPUT_COMMAND;
    errno = 0;
    input->id = id != NULL ? strtoull(id, NULL, 10) : 0;
    return id != NULL && errno == 0 && read_number(json_object_get(from, "value"), &input->value);
  }
  input->kind = HYS_INPUT_EVENT;
  const json_t *const values = json_object_get(from, "values");
  input->event_value = json_is_null(values) ? NULL : r->x;
  return strcmp(kind, "event") == 0 &&
         (input->event_value == NULL || (input->which < r->spec->n_events &&
                                         read_numbers(values, r->x, r->spec->event[input->which].n_values)));
}

static hys_status replay_step(replay *r, const json_t *object, const char *line, size_t n) {
  hys_input input;
  hys_output output;
  memset(&output, 0, sizeof output);
  const json_t *const now = json_object_get(object, "now");
  if (!json_is_integer(now) || !read_input(r, json_object_get(object, "input"), &input))
    return differs(r, HYS_ERR_INPUT, "the input cannot be read");
  hysi_text text = {.at = r->text, .size = sizeof r->text};
  hysi_journal_text_input(&text, r->spec, r->step++, (int64_t)json_integer_value(now), &input);
  const hys_status status = hys_shield_step(r->shield, (int64_t)json_integer_value(now), &input, &output);
  hysi_journal_text_output(&text, r->spec, r->shield, status, &output, r->before);
  /* What the writer adds: `{"n":N,' in front, `,"prev":"..."}' behind. */
  const char *const body = memchr(line, ',', n);
  const size_t length = body != NULL ? n - (size_t)(body + 1 - line) : 0;
  if (text.full || length != text.n + 75 || memcmp(body + 1, text.at, text.n) != 0) {
    size_t k = 0;
    while (k < text.n && k < length && body[1 + k] == text.at[k])
      k++;
    const size_t from = k > 30 ? k - 30 : 0;
    char why[160];
    snprintf(why, sizeof why, "the shield answers otherwise: `%.*s' here",
             (int)(text.n - from > 90 ? 90 : text.n - from), text.at + from);
    return differs(r, HYS_OK, why);
  }
  return HYS_OK;
}

static hys_status start_shield(replay *r, const json_t *first) {
  hys_shield_config config;
  uint32_t budget = 0;
  hys_shield_config_default(&config);
  if (!read_u32(json_object_get(first, "work_budget"), &budget))
    return differs(r, HYS_ERR_INPUT, "the configuration of the shield cannot be read");
  config.work_budget = budget;
  config.observe_only = json_is_true(json_object_get(first, "observe_only"));
  config.plan_grid = (int64_t)json_integer_value(json_object_get(first, "plan_grid"));
  config.delay_grid = (int64_t)json_integer_value(json_object_get(first, "delay_grid"));
  return hys_shield_create(&r->shield, r->spec, &config, NULL);
}

static hys_status replay_lines(replay *r, hysi_journal_lines *lines) {
  const char *line = NULL;
  size_t n = 0;
  hys_status status = HYS_OK;
  bool gap = false;
  while (status == HYS_OK && r->report->bad_line == 0 && !gap && hysi_journal_lines_next(lines, &line, &n)) {
    r->line++;
    json_t *const object = json_loadb(line, n, 0, NULL);
    const char *const type = json_string_value(json_object_get(object, "type"));
    if (type == NULL)
      status = differs(r, HYS_ERR_INPUT, "not JSON");
    else if (r->line == 1)
      status = start_shield(r, object);
    else if (strcmp(type, "step") == 0)
      status = replay_step(r, object, line, n);
    else
      gap = strcmp(type, "gap") == 0;
    json_decref(object);
  }
  return status;
}

hys_status hys_journal_replay(const char *path, const hys_spec *spec, hys_journal_report *report) {
  if (path == NULL || spec == NULL || report == NULL)
    return HYS_ERR_ARG;
  if (sodium_init() < 0)
    return HYS_ERR_INTERNAL;
  hysi_journal_lines lines;
  hys_status status = hysi_journal_lines_read(&lines, path);
  if (status != HYS_OK)
    return status;
  replay *const r = calloc(1, sizeof *r);
  uint32_t *const mode = calloc((size_t)spec->automaton->n_instances + 1, sizeof *mode);
  if (r == NULL || mode == NULL) {
    status = HYS_ERR_MEMORY;
  } else {
    r->spec = spec;
    r->report = report;
    r->mode = mode;
    memset(r->before, '0', 64);
    status = replay_lines(r, &lines);
    hys_shield_destroy(r->shield, NULL);
  }
  free(mode);
  free(r);
  hysi_journal_lines_free(&lines);
  return status;
}
