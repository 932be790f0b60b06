#include "monitor/journal_rules.h"

#include <stdint.h>
#include <string.h>

static const char *text_of(const json_t *object, const char *key) {
  const char *const text = json_string_value(json_object_get(object, key));
  return text != NULL ? text : "";
}

static bool same(const json_t *a, const json_t *b, const char *key) {
  return json_equal(json_object_get(a, key), json_object_get(b, key)) != 0;
}

static bool same_send(const json_t *a, const json_t *b) {
  return same(a, b, "command") && same(a, b, "value") && same(a, b, "id");
}

static bool is_sent(const json_t *step, const json_t *send) {
  const json_t *const sends = json_object_get(step, "sends");
  for (size_t k = 0; k < json_array_size(sends); k++) {
    if (same_send(json_array_get(sends, k), send))
      return true;
  }
  return false;
}

/* An insertion for its reason is that of the plan that was armed, and its instant has come. */
static bool insertion_fits(const json_t *before, const json_t *step, const json_t *applied) {
  const json_t *const armed = json_object_get(before, "armed");
  const json_t *const at = json_object_get(armed, "at");
  const json_t *const origin = json_object_get(json_object_get(step, "estimate"), "origin");
  return json_is_integer(at) && strcmp(text_of(armed, "command"), text_of(applied, "command")) == 0 &&
         json_integer_value(json_object_get(step, "now")) - json_integer_value(origin) >=
             json_integer_value(at);
}

static const char *record_wrong(const json_t *before, const json_t *step, const json_t *record) {
  const char *const action = text_of(record, "action");
  const json_t *const asked = json_object_get(record, "requested"), *const applied =
                                                                        json_object_get(record, "applied");
  const bool would = json_is_true(json_object_get(record, "would"));
  if (strcmp(action, "pass") == 0) {
    if (!json_is_object(asked) || !json_is_object(applied) || !same_send(asked, applied))
      return "a command that passed is not the one that was asked for";
    if (!would && !is_sent(step, applied))
      return "a command that passed was not sent";
  } else if (strcmp(action, "suppress") == 0) {
    if (json_is_object(applied) || (!would && json_is_object(asked) && is_sent(step, asked)))
      return "a command that was suppressed was sent";
  } else if (strcmp(action, "substitute") == 0) {
    if (!same(asked, applied, "command") || same(asked, applied, "value"))
      return "a substitute is another value of the same command, and this is not";
  } else if (strcmp(action, "insert") == 0) {
    if (json_is_object(asked) || (!would && !json_is_object(applied)) ||
        (json_is_object(applied) && strcmp(text_of(applied, "id"), "0") != 0))
      return "an insertion that the controller asked for";
    if (!would && strcmp(text_of(record, "reason"), "INSERTED") == 0 && before != NULL &&
        !insertion_fits(before, step, applied))
      return "no plan was armed of which this insertion's instant had come";
  } else if (strcmp(action, "delay") != 0 && strcmp(action, "none") != 0) {
    return "an unknown action";
  }
  return NULL;
}

static bool is_recorded(const json_t *records, const json_t *send) {
  for (size_t k = 0; k < json_array_size(records); k++) {
    const json_t *const record = json_array_get(records, k);
    if (same_send(json_object_get(record, "applied"), send) ||
        (json_is_true(json_object_get(record, "would")) &&
         same_send(json_object_get(record, "requested"), send)))
      return true; /* who only looks on sends what was asked for */
  }
  return false;
}

bool hysi_journal_rules(const json_t *before, const json_t *step, const char **why) {
  const json_t *const records = json_object_get(step, "records"), *const sends =
                                                                      json_object_get(step, "sends");
  *why = NULL;
  for (size_t k = 0; k < json_array_size(records) && *why == NULL; k++)
    *why = record_wrong(before, step, json_array_get(records, k));
  for (size_t k = 0; k < json_array_size(sends) && *why == NULL; k++) {
    if (!is_recorded(records, json_array_get(sends, k)))
      *why = "a command was sent of which no record tells";
  }
  return *why == NULL;
}
