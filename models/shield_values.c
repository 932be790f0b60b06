/* The attributes of a shield file: their values, and the names of the model in them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/shield_reader.h"
#include "models/suggest.h"

#define QUANTITY "a number, or a number, one blank and a unit"

static const char *value_of(const hysi_xml_element *e, const char *attribute) {
  const char *value = hysi_xml_attribute_value(e, attribute);
  return value != NULL && strlen(value) <= HYS_MAX_ATTRIBUTE_LENGTH ? value : NULL; /* reported already */
}

/* The unit that was meant, for a hint. */
static const char *nearest_unit(hysi_shield_reader *r, const char *unit) {
  enum { MOST = 160 };
  const char *name[MOST];
  size_t n = 0;
  for (const hys_unit *u = hys_unit_at(0); u != NULL && n < MOST; u = hys_unit_at(n))
    name[n++] = u->name;
  return hysi_shield_did_you_mean(r, unit, name, n);
}

/* "100ms": a number and a unit without the blank; the hint is how to write it. */
static const char *with_blank(hysi_shield_reader *r, const char *text) {
  hys_interval number;
  const size_t n = hys_interval_from_decimal(text, strlen(text), &number);
  const size_t skip = strspn(text + n, " ");
  const char *unit = text + n + skip;
  if (n == 0 || *unit == '\0' || hys_unit_find(unit, strlen(unit)) == NULL)
    return NULL;
  const size_t size = strlen(text) + 16;
  char *hint = hysi_shield_alloc(r, size, 1);
  if (hint != NULL)
    snprintf(hint, size, "write \"%.*s %s\"", (int)n, text, unit);
  return hint;
}

bool hysi_shield_quantity(hysi_shield_reader *r, const hysi_xml_element *e, const char *attribute,
                          hys_quantity *out) {
  const char *text = value_of(e, attribute);
  if (text == NULL)
    return false;
  const hys_quantity_fault fault = hys_quantity_read(out, text);
  if (fault == HYS_QUANTITY_OK)
    return true;
  const char *hint = NULL;
  if (fault == HYS_QUANTITY_BLANK)
    hint = with_blank(r, text);
  else if (fault == HYS_QUANTITY_UNIT)
    hint = nearest_unit(r, strrchr(text, ' ') != NULL ? strrchr(text, ' ') + 1 : text);
  hysi_shield_say(r, &(hysi_problem){.at = e, .expected = QUANTITY, .found = text, .hint = hint},
                  "\"%s\" of <%s> is not a quantity: %s", attribute, e->name, hys_quantity_fault_text(fault));
  return false;
}

bool hysi_shield_measure(hysi_shield_reader *r, const hysi_xml_element *e, const char *attribute,
                         const hys_unit *unit, hys_quantity *out) {
  if (!hysi_shield_quantity(r, e, attribute, out))
    return false;
  if (unit == NULL || hys_unit_same_dimension(out->unit, unit))
    return true;
  char expected[64];
  snprintf(expected, sizeof expected, "a quantity in %s", unit->name);
  hysi_shield_say(r, &(hysi_problem){.at = e, .expected = expected, .found = value_of(e, attribute)},
                  "\"%s\" of <%s> has another dimension", attribute, e->name);
  return false;
}

bool hysi_shield_time(hysi_shield_reader *r, const hysi_xml_element *e, const char *attribute,
                      hys_round round, bool positive, int64_t *out) {
  const char *text = value_of(e, attribute), *expected = "a time, like \"10 ms\"";
  hys_quantity q;
  int64_t ns = 0;

  if (!hysi_shield_quantity(r, e, attribute, &q))
    return false;
  const hys_status status = hys_quantity_ns(&ns, &q, round);
  if (status == HYS_ERR_ARG) {
    hysi_shield_say(r,
                    &(hysi_problem){.at = e,
                                    .expected = expected,
                                    .found = text,
                                    .hint = strchr(text, ' ') == NULL
                                                ? "a time has a unit: ns, us, ms, s, min, h"
                                                : NULL},
                    "\"%s\" of <%s> is not a time", attribute, e->name);
  } else if (status != HYS_OK) {
    hysi_shield_say(r, &(hysi_problem){.at = e, .expected = "at most 104 days", .found = text},
                    "\"%s\" of <%s> is too long", attribute, e->name);
  } else if (positive ? !(q.ns.lo > 0.0 && ns > 0) : !(q.ns.lo >= 0.0)) {
    hysi_shield_say(
        r, &(hysi_problem){.at = e, .expected = positive ? "more than 0 s" : "0 s or more", .found = text},
        "\"%s\" of <%s> is %s", attribute, e->name, q.ns.lo < 0.0 ? "negative" : "zero");
  } else {
    *out = ns;
    return true;
  }
  return false;
}

bool hysi_shield_unit(hysi_shield_reader *r, const hysi_xml_element *e, const hys_unit **out) {
  const char *text = value_of(e, "unit");
  if (text == NULL)
    return false;
  const hys_unit *unit = *text != '\0' ? hys_unit_find(text, strlen(text)) : NULL;
  if (unit == NULL) {
    hysi_shield_say(
        r,
        &(hysi_problem){
            .at = e, .expected = "a unit, \"1\" for none", .found = text, .hint = nearest_unit(r, text)},
        "\"unit\" of <%s> is not known", e->name);
    return false;
  }
  *out = unit;
  return true;
}

bool hysi_shield_word(hysi_shield_reader *r, const hysi_xml_element *e, const char *attribute,
                      const char *const *word, size_t n, size_t *out) {
  const char *text = value_of(e, attribute);
  if (text == NULL)
    return false;
  for (size_t i = 0; i < n; i++) {
    if (strcmp(text, word[i]) == 0) {
      *out = i;
      return true;
    }
  }
  hysi_shield_say(r,
                  &(hysi_problem){.at = e,
                                  .expected = hysi_shield_one_of(r, word, n),
                                  .found = text,
                                  .hint = hysi_shield_did_you_mean(r, text, word, n)},
                  "\"%s\" of <%s> is none of its words", attribute, e->name);
  return false;
}

bool hysi_shield_yes(hysi_shield_reader *r, const hysi_xml_element *e, const char *attribute, bool *out) {
  static const char *const words[] = {"no", "yes"};
  size_t which = 0;
  if (!hysi_shield_word(r, e, attribute, words, 2, &which))
    return false;
  *out = which == 1;
  return true;
}

bool hysi_shield_integer(hysi_shield_reader *r, const hysi_xml_element *e, const char *attribute,
                         uint32_t least, uint32_t most, uint32_t *out) {
  const char *text = value_of(e, attribute);
  uint64_t value = 0;
  char expected[64];

  if (text == NULL)
    return false;
  const size_t n = strspn(text, "0123456789");
  for (size_t i = 0; i < n && value <= UINT32_MAX; i++)
    value = 10 * value + (uint64_t)(text[i] - '0');
  if (n > 0 && text[n] == '\0' && value >= least && value <= most) {
    *out = (uint32_t)value;
    return true;
  }
  snprintf(expected, sizeof expected, "a whole number from %u to %u", (unsigned)least, (unsigned)most);
  hysi_shield_say(r, &(hysi_problem){.at = e, .expected = expected, .found = text},
                  "\"%s\" of <%s> is out of range", attribute, e->name);
  return false;
}

bool hysi_shield_error_bound(hysi_shield_reader *r, const hysi_xml_element *e, const hys_unit *unit,
                             double *out) {
  hys_quantity q;
  if (!hysi_shield_measure(r, e, "error", unit, &q))
    return false;
  if (!(q.si_difference.lo >= 0.0)) {
    hysi_shield_say(r, &(hysi_problem){.at = e, .expected = "0 or more", .found = value_of(e, "error")},
                    "\"error\" of <%s> is negative", e->name);
    return false;
  }
  *out = q.si_difference.hi;
  return true;
}

/* ---- names of the model ---- */

bool hysi_shield_is_name(const char *text) {
  bool first = true;
  for (; *text != '\0'; text++) {
    const char c = *text;
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    const bool later = (c >= '0' && c <= '9') || c == '-' || c == '.';
    if (!(letter || (later && !first)))
      return false;
    first = false;
  }
  return !first;
}

static bool ends_in(const char *name, const char *suffix) {
  const size_t n = strlen(name), m = strlen(suffix);
  return n > m && name[n - m - 1] == '.' && strcmp(name + n - m, suffix) == 0;
}

size_t hysi_shield_find(const char *name, const char *const *among, size_t n) {
  size_t found = SIZE_MAX, matches = 0;
  for (size_t i = 0; i < n; i++) {
    if (strcmp(among[i], name) == 0)
      return i;
    if (ends_in(among[i], name)) {
      found = i;
      matches++;
    }
  }
  return matches == 1 ? found : SIZE_MAX;
}

bool hysi_shield_state(hysi_shield_reader *r, const hysi_xml_element *e, const char *attribute, size_t *out) {
  const hys_automaton *a = r->automaton;
  const char *text = value_of(e, attribute);

  if (text == NULL || a == NULL)
    return false;
  const size_t at = hysi_shield_find(text, a->state_name, a->nx);
  if (at != SIZE_MAX) {
    *out = at;
    return true;
  }
  const char *expected = hysi_shield_one_of(r, a->state_name, a->nx);
  if (hysi_shield_find(text, a->input_name, a->nu) != SIZE_MAX) {
    hysi_shield_say(
        r, &(hysi_problem){.at = e, .expected = expected, .found = text, .hint = "inputs are not listed"},
        "\"%s\" of <%s> is an input of the model, not a state", attribute, e->name);
    return false;
  }
  for (size_t i = 0; r->model != NULL && i < hys_model_variable_count(r->model); i++) {
    const hys_model_variable v = hys_model_variable_at(r->model, i);
    if (v.role == HYS_ROLE_CONSTANT && v.name != NULL && strcmp(v.name, text) == 0) {
      hysi_shield_say(r, &(hysi_problem){.at = e, .expected = expected, .found = text},
                      "\"%s\" of <%s> is a constant of the model, not a state", attribute, e->name);
      return false;
    }
  }
  hysi_shield_say(r,
                  &(hysi_problem){.at = e,
                                  .expected = expected,
                                  .found = text,
                                  .hint = hysi_shield_did_you_mean(r, text, a->state_name, a->nx)},
                  "\"%s\" of <%s> is not a state of the model", attribute, e->name);
  return false;
}

bool hysi_shield_label(hysi_shield_reader *r, const hysi_xml_element *e, int32_t *out) {
  const hys_automaton *a = r->automaton;
  const char *text = value_of(e, "label");

  if (text == NULL || a == NULL)
    return false;
  const size_t at = hysi_shield_find(text, a->label_name, a->n_labels);
  if (at == SIZE_MAX) {
    hysi_shield_say(r,
                    &(hysi_problem){.at = e,
                                    .expected = hysi_shield_one_of(r, a->label_name, a->n_labels),
                                    .found = text,
                                    .hint = hysi_shield_did_you_mean(r, text, a->label_name, a->n_labels)},
                    "\"label\" of <%s> is not a label of the model", e->name);
    return false;
  }
  for (uint32_t i = 0; i < a->n_jumps; i++) {
    if (a->jump[i].label == (int32_t)at) {
      *out = (int32_t)at;
      return true;
    }
  }
  hysi_shield_say(r, &(hysi_problem){.at = e, .found = text},
                  "no jump that can be reached carries the label of this <%s>", e->name);
  return false;
}

bool hysi_shield_instance(hysi_shield_reader *r, const hysi_xml_element *e, uint32_t *out) {
  const hys_automaton *a = r->automaton;
  const char *text = value_of(e, "instance");

  if (text == NULL || a == NULL)
    return false;
  const char **name = hysi_shield_alloc(r, a->n_instances, sizeof *name);
  if (name == NULL)
    return false;
  for (uint32_t i = 0; i < a->n_instances; i++)
    name[i] = a->instance[i].name;
  const size_t at = hysi_shield_find(text, name, a->n_instances);
  if (at != SIZE_MAX) {
    *out = (uint32_t)at;
    return true;
  }
  hysi_shield_say(r,
                  &(hysi_problem){.at = e,
                                  .expected = hysi_shield_one_of(r, name, a->n_instances),
                                  .found = text,
                                  .hint = hysi_shield_did_you_mean(r, text, name, a->n_instances)},
                  "\"instance\" of <%s> is not an instance of the model", e->name);
  return false;
}

bool hysi_shield_location(hysi_shield_reader *r, const hysi_xml_element *e, uint32_t instance,
                          uint32_t *out) {
  const hys_instance *in = &r->automaton->instance[instance];
  const char *text = value_of(e, "location");

  if (text == NULL)
    return false;
  for (uint32_t i = 0; i < in->n_locations; i++) {
    if (strcmp(in->location[i], text) == 0) {
      *out = i;
      return true;
    }
  }
  hysi_shield_say(r,
                  &(hysi_problem){.at = e,
                                  .expected = hysi_shield_one_of(r, in->location, in->n_locations),
                                  .found = text,
                                  .hint = hysi_shield_did_you_mean(r, text, in->location, in->n_locations)},
                  "\"location\" of <%s> is not a location of \"%s\"", e->name, in->name);
  return false;
}
