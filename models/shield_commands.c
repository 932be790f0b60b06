/* Sections of a shield file: commands and events. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/shield_reader.h"
#include "models/suggest.h"

static const char *const edit_words[] = {"delay", "substitute", "substitute+delay", "suppress"};
static const hys_edit edit_codes[] = {HYS_EDIT_DELAY, HYS_EDIT_SUBSTITUTE, HYS_EDIT_SUBSTITUTE_DELAY,
                                      HYS_EDIT_SUPPRESS};

static bool may(const hys_command *c, hys_edit edit) {
  for (uint32_t i = 0; i < c->n_edits; i++) {
    if (c->edit[i] == edit)
      return true;
  }
  return false;
}

/* The unit that <observe> gives a state. */
static void same_unit(hysi_shield_reader *r, const hysi_xml_element *e, const hys_unit *unit, size_t state) {
  const hys_unit *declared = r->observed_unit != NULL ? r->observed_unit[state] : NULL;
  if (unit != NULL && declared != NULL && !hys_unit_same_dimension(unit, declared))
    hysi_shield_say(r, &(hysi_problem){.at = e, .expected = declared->name, .found = unit->name},
                    "\"unit\" of <%s> has another dimension than that of the state \"%s\" in <observe>",
                    e->name, r->automaton->state_name[state]);
}

/* The list of edits; the default where the file has none: whatever the command allows, in the usual order. */
static void edits(hysi_shield_reader *r, const hysi_xml_element *e, hys_command *c, bool has_value,
                  bool has_validity) {
  const char *text = hysi_xml_attribute_value(e, "edits");
  char word[32];

  if (text == NULL) {
    if (has_value)
      c->edit[c->n_edits++] = HYS_EDIT_SUBSTITUTE;
    if (has_validity)
      c->edit[c->n_edits++] = HYS_EDIT_DELAY;
    return;
  }
  for (const char *at = text + strspn(text, " "); *at != '\0'; at += strspn(at, " ")) {
    const size_t n = strcspn(at, " ");
    size_t which = 0;
    snprintf(word, sizeof word, "%.*s", (int)(n < 64 ? n : 64), at);
    at += n;
    while (which < 4 && strcmp(edit_words[which], word) != 0)
      which++;
    if (which == 4) {
      hysi_shield_say(r,
                      &(hysi_problem){.at = e,
                                      .expected = hysi_shield_one_of(r, edit_words, 4),
                                      .found = word,
                                      .hint = hysi_shield_did_you_mean(r, word, edit_words, 4)},
                      "\"edits\" of <command> has a word that is no edit");
      continue;
    }
    if (may(c, edit_codes[which])) {
      hysi_shield_say(r, &(hysi_problem){.at = e}, "\"edits\" of <command> lists %s twice", word);
      continue;
    }
    if (may(c, HYS_EDIT_SUPPRESS))
      hysi_shield_say(r, &(hysi_problem){.at = e, .hint = "what stands behind it would never be tried"},
                      "\"edits\" of <command> lists %s behind suppress", word);
    c->edit[c->n_edits++] = edit_codes[which];
  }
  if (!has_value && (may(c, HYS_EDIT_SUBSTITUTE) || may(c, HYS_EDIT_SUBSTITUTE_DELAY)))
    hysi_shield_say(r, &(hysi_problem){.at = e, .hint = "add <value>"},
                    "a command without a value cannot be substituted");
}

/* Whether a command is possible has to be sure: a guard that is not affine cannot be decided on sets. */
static void refuse_curved(hysi_shield_reader *r, const hysi_xml_element *e, const hys_command *c) {
  const hys_automaton *a = r->automaton;

  for (uint32_t i = 0; i < a->n_jumps; i++) {
    if (a->jump[i].label != c->label || a->jump[i].n_curved == 0)
      continue;
    hysi_shield_say(r, &(hysi_problem){.at = e, .hint = "only an event may have such a guard"},
                    "the guard in line %u of the model is not affine, and \"%s\" is a command",
                    (unsigned)a->jump[i].curved[0].line, c->name);
    return;
  }
}

/* Every jump with the label gives the state any value of an interval (from some locations perhaps only a part
 * of what the command may ask for: elsewhere it is not enabled), and together they give every value that the
 * file allows. */
static void check_resets(hysi_shield_reader *r, const hysi_xml_element *e, const hys_command *c) {
  const hys_automaton *a = r->automaton;
  hys_interval hull = hys_interval_empty();

  for (uint32_t i = 0; i < a->n_jumps; i++) {
    const hys_jump *jump = &a->jump[i];
    if (jump->label != c->label)
      continue;
    const hys_reset_row *row = &jump->reset[c->value_state];
    bool free_of_state = !row->identity;
    for (size_t k = 0; free_of_state && row->coef != NULL && k < a->nx + a->nu; k++)
      free_of_state = row->coef[k].lo == 0.0 && row->coef[k].hi == 0.0;
    if (!free_of_state || !(row->offset.lo < row->offset.hi)) {
      hysi_shield_say(
          r, &(hysi_problem){.at = e, .hint = "every jump with the label assigns it: a' >= LOW & a' <= HIGH"},
          "the jump in line %u of the model does not assign \"%s\" by an interval", (unsigned)jump->line,
          a->state_name[c->value_state]);
      return;
    }
    hull = hys_interval_hull(hull, row->offset);
  }
  if (c->value_min <= c->value_max && !(hull.lo <= c->value_min && c->value_max <= hull.hi)) {
    char expected[96];
    snprintf(expected, sizeof expected, "a range inside [%.9g, %.9g] (SI)", hull.lo, hull.hi);
    hysi_shield_say(r, &(hysi_problem){.at = e, .expected = expected},
                    "the range of <value> is not inside what the jumps with the label assign");
  }
}

static void command_value(hysi_shield_reader *r, const hysi_xml_element *e, hys_command *c) {
  const hys_unit *unit = NULL;
  hys_quantity low, high, step;
  size_t state = 0;

  const bool known = hysi_shield_state(r, e, "variable", &state);
  if (hysi_shield_unit(r, e, &unit))
    c->value_unit = unit->name;
  const bool has_low = hysi_shield_measure(r, e, "min", unit, &low);
  const bool has_high = hysi_shield_measure(r, e, "max", unit, &high);
  if (hysi_shield_measure(r, e, "step", unit, &step)) {
    c->value_step = step.si_difference.lo + (step.si_difference.hi - step.si_difference.lo) / 2;
    if (!(step.si_difference.lo > 0.0))
      hysi_shield_say(
          r,
          &(hysi_problem){.at = e, .expected = "more than 0", .found = hysi_xml_attribute_value(e, "step")},
          "\"step\" of <value> is not positive");
  }
  if (has_low && has_high) {
    c->value_min = low.si.hi; /* inward */
    c->value_max = high.si.lo;
    if (!(c->value_min <= c->value_max))
      hysi_shield_say(r, &(hysi_problem){.at = e}, "min (%s) is larger than max (%s)",
                      hysi_xml_attribute_value(e, "min"), hysi_xml_attribute_value(e, "max"));
  }
  if (!known)
    return;
  c->value_state = (int32_t)state;
  same_unit(r, e, unit, state);
  if (c->label >= 0 && has_low && has_high)
    check_resets(r, e, c);
}

static void command(hysi_shield_reader *r, const hysi_xml_element *e, hys_command *c) {
  static const char *const channels[] = {"latest", "keep"};
  static const char *const otherwise[] = {"ignored", "illegal"};
  const hysi_xml_element *value = hysi_shield_child(e, "value");
  uint32_t priority = UINT8_MAX;
  size_t which = 0;

  c->name = hysi_xml_attribute_value(e, "label");
  c->label = HYS_NO_LABEL;
  c->value_state = -1;
  c->channel = HYS_CHANNEL_LATEST;
  c->otherwise = HYS_OTHERWISE_IGNORED;
  if (hysi_shield_label(r, e, &c->label)) {
    c->name = r->automaton->label_name[c->label];
    for (const hys_command *other = r->spec.command; other < c; other++) {
      if (other->label == c->label)
        hysi_shield_say(r, &(hysi_problem){.at = e, .found = c->name}, "a command is listed twice");
    }
  }
  if (c->label != HYS_NO_LABEL)
    refuse_curved(r, e, c);
  hysi_shield_yes(r, e, "insert", &c->insert);
  if (hysi_shield_word(r, e, "channel", channels, 2, &which)) {
    c->channel = which == 0 ? HYS_CHANNEL_LATEST : HYS_CHANNEL_KEEP;
    if (c->channel == HYS_CHANNEL_KEEP)
      hysi_shield_not_yet(r, e, "channel=\"keep\"",
                          "a command that waits is overtaken by the next one: say latest");
  }
  if (hysi_shield_word(r, e, "otherwise", otherwise, 2, &which))
    c->otherwise = which == 0 ? HYS_OTHERWISE_IGNORED : HYS_OTHERWISE_ILLEGAL;
  if (hysi_shield_integer(r, e, "priority", 0, UINT8_MAX, &priority))
    c->priority = (uint8_t)priority;
  else
    c->priority = UINT8_MAX;
  const bool has_validity = hysi_xml_attribute_value(e, "validity") != NULL;
  hysi_shield_time(r, e, "validity", HYS_ROUND_DOWN, true, &c->validity);
  edits(r, e, c, value != NULL, has_validity);
  const bool delays = may(c, HYS_EDIT_DELAY) || may(c, HYS_EDIT_SUBSTITUTE_DELAY);
  if (has_validity && !delays)
    hysi_shield_say(r, &(hysi_problem){.at = e, .hint = "add delay to \"edits\" or take \"validity\" out"},
                    "a command that is never delayed has no validity");
  if (!has_validity && delays)
    hysi_shield_say(r, &(hysi_problem){.at = e, .hint = "say how long: validity=\"500 ms\""},
                    "a command that may be delayed lacks \"validity\"");
  if (value != NULL)
    command_value(r, value, c);
}

void hysi_shield_commands(hysi_shield_reader *r, const hysi_xml_element *e) {
  const size_t n = hysi_shield_count(e, "command");
  uint32_t i = 0;

  if (n > HYS_MAX_COMMANDS) {
    hysi_shield_say(r, &(hysi_problem){.at = e}, "%zu commands; at most %d (HYS_MAX_COMMANDS)", n,
                    HYS_MAX_COMMANDS);
    return;
  }
  hys_command *list = hysi_shield_alloc(r, n, sizeof *list);
  if (list == NULL)
    return;
  r->spec.command = list;
  for (const hysi_xml_element *c = hysi_shield_child(e, "command"); c != NULL;
       c = hysi_shield_next(c, "command"))
    command(r, c, &list[i++]);
  r->spec.n_commands = i;
}

static void event(hysi_shield_reader *r, const hysi_xml_element *e, hys_event *v) {
  v->name = hysi_xml_attribute_value(e, "label");
  v->label = HYS_NO_LABEL;
  if (hysi_shield_label(r, e, &v->label)) {
    v->name = r->automaton->label_name[v->label];
    for (const hys_event *other = r->spec.event; other < v; other++) {
      if (other->label == v->label)
        hysi_shield_say(r, &(hysi_problem){.at = e, .found = v->name}, "an event is listed twice");
    }
    for (uint32_t i = 0; i < r->spec.n_commands; i++) {
      if (r->spec.command[i].label == v->label)
        hysi_shield_say(r, &(hysi_problem){.at = e, .found = v->name}, "the label is a command and an event");
    }
  }
  hysi_shield_time(r, e, "latency", HYS_ROUND_UP, false, &v->latency);
  for (const hysi_xml_element *x = hysi_shield_child(e, "value"); x != NULL;
       x = hysi_shield_next(x, "value")) {
    const hys_unit *unit = NULL;
    double error = 0.0;
    size_t state = 0;

    hysi_shield_unit(r, x, &unit);
    hysi_shield_error_bound(r, x, unit, &error);
    if (!hysi_shield_state(r, x, "variable", &state))
      continue;
    same_unit(r, x, unit, state);
    bool twice = false;
    for (uint32_t k = 0; k < v->n_values; k++)
      twice = twice || v->value[k].state == (uint32_t)state;
    if (twice) {
      hysi_shield_say(r, &(hysi_problem){.at = x, .found = r->automaton->state_name[state]},
                      "a value of an event is listed twice");
    } else if (v->n_values == HYS_MAX_EVENT_VALUES) {
      hysi_shield_say(r, &(hysi_problem){.at = x}, "more than %d values of an event (HYS_MAX_EVENT_VALUES)",
                      HYS_MAX_EVENT_VALUES);
      return;
    } else {
      v->value[v->n_values++] = (hys_event_value){.state = (uint32_t)state, .error = error};
    }
  }
}

void hysi_shield_events(hysi_shield_reader *r, const hysi_xml_element *e) {
  const size_t n = hysi_shield_count(e, "event");
  uint32_t i = 0;

  if (n > HYS_MAX_EVENTS) {
    hysi_shield_say(r, &(hysi_problem){.at = e}, "%zu events; at most %d (HYS_MAX_EVENTS)", n,
                    HYS_MAX_EVENTS);
    return;
  }
  hys_event *list = hysi_shield_alloc(r, n, sizeof *list);
  if (list == NULL)
    return;
  r->spec.event = list;
  for (const hysi_xml_element *v = hysi_shield_child(e, "event"); v != NULL; v = hysi_shield_next(v, "event"))
    event(r, v, &list[i++]);
  r->spec.n_events = i;
}

/* A label that is neither is an event that nobody announces: sound, and easily forgotten. */
void hysi_shield_labels_left(hysi_shield_reader *r, const hysi_xml_element *root) {
  const hys_automaton *a = r->automaton;
  const hysi_xml_element *at = hysi_shield_child(root, "events");

  for (uint32_t l = 0; a != NULL && l < a->n_labels; l++) {
    bool known = true;
    for (uint32_t i = 0; i < a->n_jumps; i++)
      known = known && a->jump[i].label != (int32_t)l;
    for (uint32_t i = 0; i < r->spec.n_commands; i++)
      known = known || r->spec.command[i].label == (int32_t)l;
    for (uint32_t i = 0; i < r->spec.n_events; i++)
      known = known || r->spec.event[i].label == (int32_t)l;
    if (!known)
      hysi_shield_say(r, &(hysi_problem){.severity = HYS_WARNING, .at = at != NULL ? at : root},
                      "the label \"%s\" is neither a command nor an event: it may occur at any time, unseen",
                      a->label_name[l]);
  }
}
