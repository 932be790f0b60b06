/* Sections of a shield file: fallback and terminal. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/shield_reader.h"

enum { NOT_THERE = -1 };

/* The command of that name that may be inserted; its problems are reported at e. */
static int32_t insertable(hysi_shield_reader *r, const hysi_xml_element *e) {
  const char *text = hysi_xml_attribute_value(e, "command");
  const char *name[HYS_MAX_COMMANDS];
  size_t n = 0;

  if (text == NULL || r->spec.n_commands == 0)
    return NOT_THERE;
  for (uint32_t i = 0; i < r->spec.n_commands; i++)
    name[n++] = r->spec.command[i].name != NULL ? r->spec.command[i].name : "";
  const size_t at = hysi_shield_find(text, name, n);
  if (at == SIZE_MAX) {
    hysi_shield_say(r,
                    &(hysi_problem){.at = e,
                                    .expected = hysi_shield_one_of(r, name, n),
                                    .found = text,
                                    .hint = hysi_shield_did_you_mean(r, text, name, n)},
                    "\"command\" of <%s> is not one of <commands>", e->name);
    return NOT_THERE;
  }
  if (!r->spec.command[at].insert)
    hysi_shield_say(r, &(hysi_problem){.at = e, .hint = "say insert=\"yes\" at the command"},
                    "the command \"%s\" of <%s> may not be inserted", text, e->name);
  return (int32_t)at;
}

/* The value with which a command is inserted; NaN if it takes none. */
static double value(hysi_shield_reader *r, const hysi_xml_element *e, int32_t which) {
  const hys_command *c = which >= 0 ? &r->spec.command[which] : NULL;
  const bool given = hysi_xml_attribute_value(e, "value") != NULL;
  const hys_unit *unit = NULL;
  hys_quantity q;

  if (c != NULL && c->value_unit != NULL)
    unit = hys_unit_find(c->value_unit, strlen(c->value_unit));
  if (c != NULL && given && c->value_unit == NULL) {
    hysi_shield_say(r, &(hysi_problem){.at = e}, "the command \"%s\" of <%s> takes no value", c->name,
                    e->name);
    return (double)NAN;
  }
  if (c != NULL && !given && c->value_unit != NULL)
    hysi_shield_say(r, &(hysi_problem){.at = e, .hint = "add \"value\""},
                    "the command \"%s\" of <%s> needs a value", c->name, e->name);
  if (!hysi_shield_measure(r, e, "value", unit, &q) || c == NULL)
    return (double)NAN;
  /* The double nearest to what was written: the value is sent as one. */
  const double sent = q.si.lo + (q.si.hi - q.si.lo) / 2;
  if (c->value_min <= c->value_max && !(c->value_min <= sent && sent <= c->value_max))
    hysi_shield_say(r, &(hysi_problem){.at = e, .found = hysi_xml_attribute_value(e, "value")},
                    "\"value\" of <%s> is outside the range of the command \"%s\"", e->name, c->name);
  return sent;
}

/* An attribute that may only say yes. */
static bool only_yes(hysi_shield_reader *r, const hysi_xml_element *e, const char *attribute) {
  static const char *const words[] = {"yes"};
  size_t which = 0;
  return hysi_shield_word(r, e, attribute, words, 1, &which);
}

void hysi_shield_fallback(hysi_shield_reader *r, const hysi_xml_element *e) {
  r->spec.fallback_value = (double)NAN;
  if (e == NULL)
    return;
  const bool has_command = hysi_xml_attribute_value(e, "command") != NULL;
  const bool has_cycle = hysi_xml_attribute_value(e, "cycle") != NULL;

  hysi_shield_yes(r, e, "latch", &r->spec.latch);
  if (has_command == has_cycle) {
    hysi_shield_say(r, &(hysi_problem){.at = e, .expected = "either \"command\" or cycle=\"yes\""},
                    "<fallback> has %s", has_command ? "both" : "neither");
    return;
  }
  if (has_cycle) {
    if (hysi_xml_attribute_value(e, "value") != NULL)
      hysi_shield_say(r, &(hysi_problem){.at = e}, "a <fallback> that is a cycle takes no value");
    if (only_yes(r, e, "cycle")) {
      if (hysi_shield_child(hysi_shield_child(e->parent, "terminal"), "cycle") == NULL)
        hysi_shield_say(r, &(hysi_problem){.at = e, .hint = "add <cycle> to <terminal>"},
                        "the fallback is the cycle of <terminal>, and there is none");
      hysi_shield_not_yet(r, e, "a fallback that is a cycle", NULL);
    }
    return;
  }
  const int32_t which = insertable(r, e);
  if (which >= 0)
    r->spec.fallback = (uint32_t)which;
  r->spec.fallback_value = value(r, e, which);
}

/* ---- terminal ---- */

static void terminal_set(hysi_shield_reader *r, const hysi_xml_element *e, const hys_region **regions,
                         uint32_t *n) {
  const char *instance = hysi_xml_attribute_value(e, "instance"),
             *location = hysi_xml_attribute_value(e, "location");
  uint32_t which = 0, where = 0;

  *n = 0;
  if ((instance == NULL) != (location == NULL)) {
    hysi_shield_say(r, &(hysi_problem){.at = e}, "<set> has \"%s\" without \"%s\"",
                    instance != NULL ? "instance" : "location", instance != NULL ? "location" : "instance");
    return;
  }
  if (instance != NULL && !hysi_shield_instance(r, e, &which))
    return;
  if (instance != NULL && !hysi_shield_location(r, e, which, &where))
    return;
  if (e->text.length == 0) {
    hysi_shield_say(r,
                    &(hysi_problem){.at = e,
                                    .expected = "a formula over the states",
                                    .hint = "write true for all states"},
                    "<set> is empty");
    return;
  }
  if (r->automaton == NULL)
    return;
  const hys_model_text formula = {.file = r->path,
                                  .element = "set",
                                  .text = e->text.bytes,
                                  .length = e->text.length,
                                  .place = hysi_shield_place,
                                  .place_context = &e->text,
                                  .instance = instance != NULL ? r->automaton->instance[which].name : NULL,
                                  .location = location};
  const uint32_t errors = r->said->errors;
  const hys_status status =
      hys_model_regions(r->model, r->automaton, &formula, r->arena, r->said, regions, n);
  if (status == HYS_ERR_MEMORY)
    r->status = status;
  if (status == HYS_ERR_UNSUPPORTED)
    r->unsupported += r->said->errors - errors;
  if (status != HYS_OK)
    *n = 0;
  if (status == HYS_OK && *n == 0)
    hysi_shield_say(r, &(hysi_problem){.at = e}, "<set> holds no state of a location that can be reached");
  for (uint32_t i = 0; i < *n; i++) {
    for (uint32_t k = 0; k < (*regions)[i].set.n; k++) {
      if ((*regions)[i].set.row[k].strict) {
        hysi_shield_say(r, &(hysi_problem){.at = e, .expected = "<=, >= or =="}, "a terminal set is closed");
        return;
      }
    }
  }
}

static void cycle(hysi_shield_reader *r, const hysi_xml_element *e) {
  int64_t length = 0, before = 0;
  const bool has_length = hysi_shield_time(r, e, "length", HYS_ROUND_UP, true, &length);

  if (hysi_shield_count(e, "insert") > HYS_MAX_CYCLE)
    hysi_shield_say(r, &(hysi_problem){.at = e}, "more than %d insertions in <cycle> (HYS_MAX_CYCLE)",
                    HYS_MAX_CYCLE);
  for (const hysi_xml_element *i = hysi_shield_child(e, "insert"); i != NULL;
       i = hysi_shield_next(i, "insert")) {
    int64_t at = 0;
    value(r, i, insertable(r, i));
    if (!hysi_shield_time(r, i, "at", HYS_ROUND_DOWN, false, &at))
      continue;
    if (has_length && at > length)
      hysi_shield_say(r, &(hysi_problem){.at = i, .found = hysi_xml_attribute_value(i, "at")},
                      "\"at\" of <insert> is behind the end of the cycle");
    if (at < before)
      hysi_shield_say(r, &(hysi_problem){.at = i}, "the insertions of <cycle> are not in the order of time");
    before = at;
  }
  hysi_shield_not_yet(r, e, "a terminal cycle", NULL);
}

void hysi_shield_terminal(hysi_shield_reader *r, const hysi_xml_element *e) {
  const size_t n = hysi_shield_count(e, "set");
  const hysi_xml_element *c = hysi_shield_child(e, "cycle");
  const hys_region *part[HYS_MAX_TERMINAL_SETS];
  uint32_t size[HYS_MAX_TERMINAL_SETS], total = 0, k = 0;

  if (e == NULL)
    return;
  if (hysi_xml_attribute_value(e, "find") != NULL) {
    if (n > 0 || c != NULL)
      hysi_shield_say(r, &(hysi_problem){.at = e}, "<terminal> is to be found and is given");
    if (only_yes(r, e, "find"))
      hysi_shield_not_yet(r, e, "finding a terminal set", NULL);
  } else if (n == 0) {
    hysi_shield_say(r, &(hysi_problem){.at = e, .expected = "<set> or find=\"yes\""},
                    "<terminal> has no set");
  }
  if (c != NULL)
    cycle(r, c);
  if (n > HYS_MAX_TERMINAL_SETS) {
    hysi_shield_say(r, &(hysi_problem){.at = e}, "%zu elements <set>; at most %d (HYS_MAX_TERMINAL_SETS)", n,
                    HYS_MAX_TERMINAL_SETS);
    return;
  }
  for (const hysi_xml_element *s = hysi_shield_child(e, "set"); s != NULL; s = hysi_shield_next(s, "set")) {
    part[k] = NULL;
    terminal_set(r, s, &part[k], &size[k]);
    total += size[k];
    k++;
  }
  hys_region *all = hysi_shield_alloc(r, total, sizeof *all);
  if (all == NULL)
    return;
  r->spec.terminal = all;
  for (uint32_t i = 0; i < k; i++) {
    if (size[i] > 0)
      memcpy(all + r->spec.n_terminal, part[i], size[i] * sizeof *all);
    r->spec.n_terminal += size[i];
  }
}
