/* Sections of a shield file: timing, observe, limits. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/expr_parse.h"
#include "models/model_private.h"
#include "models/shield_reader.h"
#include "models/units.h"

/* The name of an attribute's fault is its own value; both are there when this is called. */
static const char *attribute(const hysi_xml_element *e, const char *name) {
  return hysi_xml_attribute_value(e, name);
}

void hysi_shield_timing(hysi_shield_reader *r, const hysi_xml_element *e) {
  static const char *const triggers[] = {"polled", "event", "timer"};
  static const char *const orders[] = {"free", "kept"};
  hys_timing *t = &r->spec.timing;
  size_t which = 0;

  if (e == NULL)
    return;
  if (hysi_shield_word(r, e, "trigger", triggers, 3, &which)) {
    t->trigger = which == 0 ? HYS_TRIGGER_POLLED : which == 1 ? HYS_TRIGGER_EVENT : HYS_TRIGGER_TIMER;
    if (t->trigger == HYS_TRIGGER_POLLED)
      hysi_shield_not_yet(r, e, "trigger=\"polled\"",
                          "plans send at any instant, not only on a sample: say timer or event");
  }
  const bool period = hysi_shield_time(r, e, "period", HYS_ROUND_UP, true, &t->period);
  const bool deadline = hysi_shield_time(r, e, "deadline", HYS_ROUND_UP, false, &t->deadline);
  const bool compute = hysi_shield_time(r, e, "compute-min", HYS_ROUND_DOWN, false, &t->compute_min);
  const bool least = hysi_shield_time(r, e, "actuation-min", HYS_ROUND_DOWN, false, &t->actuation_min);
  const bool most = hysi_shield_time(r, e, "actuation-max", HYS_ROUND_UP, false, &t->actuation_max);
  hysi_shield_time(r, e, "timer-late", HYS_ROUND_UP, false, &t->timer_late);
  hysi_shield_time(r, e, "stamp-error", HYS_ROUND_UP, false, &t->stamp_error);
  if (hysi_shield_word(r, e, "order", orders, 2, &which))
    t->order_kept = which == 1;

  if (period && deadline && t->deadline > t->period)
    hysi_shield_say(r, &(hysi_problem){.at = e, .hint = "a decision has to end before the next one is due"},
                    "the deadline (%s) is longer than the period (%s)", attribute(e, "deadline"),
                    attribute(e, "period"));
  if (compute && deadline && t->compute_min > t->deadline)
    hysi_shield_say(r, &(hysi_problem){.at = e}, "compute-min (%s) is longer than the deadline (%s)",
                    attribute(e, "compute-min"), attribute(e, "deadline"));
  if (least && most && t->actuation_min > t->actuation_max)
    hysi_shield_say(r, &(hysi_problem){.at = e}, "actuation-min (%s) is longer than actuation-max (%s)",
                    attribute(e, "actuation-min"), attribute(e, "actuation-max"));
}

/* The state that an element of <observe> is about; false also for one that has been listed before. */
static bool claim(hysi_shield_reader *r, const hysi_xml_element *e, size_t *state) {
  if (!hysi_shield_state(r, e, "name", state))
    return false;
  if (r->observed_by[*state] != NULL) {
    hysi_shield_say(r, &(hysi_problem){.at = e}, "the state \"%s\" is listed twice; the first is in line %u",
                    r->automaton->state_name[*state], (unsigned)r->observed_by[*state]->line);
    return false;
  }
  r->observed_by[*state] = e;
  return true;
}

/* min and max, outward; what is not given stays as it is. */
static bool range(hysi_shield_reader *r, const hysi_xml_element *e, const hys_unit *unit, double *min,
                  double *max) {
  hys_quantity low, high;
  const bool has_low = hysi_shield_measure(r, e, "min", unit, &low);
  const bool has_high = hysi_shield_measure(r, e, "max", unit, &high);

  if (has_low && has_high && low.si.lo > high.si.hi) {
    hysi_shield_say(r, &(hysi_problem){.at = e}, "min (%s) is larger than max (%s)", attribute(e, "min"),
                    attribute(e, "max"));
    return false;
  }
  if (has_low)
    *min = low.si.lo;
  if (has_high)
    *max = high.si.hi;
  return has_low && has_high;
}

/* A unit of the file against the one that the model's note gives the state. */
static void check_unit(hysi_shield_reader *r, const hysi_xml_element *e, size_t state, const hys_unit *unit) {
  const char *name = r->automaton->state_name[state], *why;

  for (size_t i = 0; i < hys_model_variable_count(r->model); i++) {
    const hys_model_variable v = hys_model_variable_at(r->model, i);
    char expected[120];
    if (strcmp(v.name, name) != 0 || v.unit == NULL || hysi_units_fit(v.unit, unit, &why))
      continue;
    snprintf(expected, sizeof expected, "a unit like the model's, %.64s", v.unit);
    hysi_shield_say(r, &(hysi_problem){.at = e, .expected = expected, .found = unit->name},
                    "the unit of \"%s\" does not match the model: %s", name, why);
  }
}

static void variable(hysi_shield_reader *r, const hysi_xml_element *e, bool measured) {
  hys_observed o = {
      .kind = measured ? HYS_OBSERVED : HYS_UNOBSERVED, .min = -(double)INFINITY, .max = (double)INFINITY};
  const hys_unit *unit = NULL;
  size_t state = 0;

  const bool known = claim(r, e, &state);
  if (hysi_shield_unit(r, e, &unit))
    o.unit = unit->name;
  range(r, e, unit, &o.min, &o.max);
  if (measured) {
    hysi_shield_error_bound(r, e, unit, &o.error);
    hysi_shield_time(r, e, "stale", HYS_ROUND_DOWN, true, &o.stale);
    if (isfinite(o.min) && isfinite(o.max) && o.max - o.min < o.error)
      hysi_shield_say(r, &(hysi_problem){.severity = HYS_WARNING, .at = e},
                      "the range of a reading (%s to %s) is narrower than its error (%s)",
                      attribute(e, "min"), attribute(e, "max"), attribute(e, "error"));
  }
  if (known) {
    r->observed[state] = o;
    r->observed_unit[state] = unit;
    if (unit != NULL)
      check_unit(r, e, state, unit);
  }
}

/* Is the expression one over the model's variables?  It is kept as text. */
static void check_expression(hysi_shield_reader *r, const hysi_xml_element *e, const hys_unit *unit) {
  hysi_scope scope = {.model = r->model, .arena = r->arena, .diagnostics = r->said};
  const hysi_expr_names names = hysi_scope_names(&scope);
  const hysi_expr_source source = {.file = r->path,
                                   .element = e->name,
                                   .text = e->text.bytes,
                                   .length = e->text.length,
                                   .place = hysi_shield_place,
                                   .place_context = &e->text};
  hys_expr tree;
  hys_status status = hysi_expr_parse(&tree, &source, &names, HYSI_WANT_NUMBER, r->arena, r->said);

  if (status == HYS_OK)
    status = hysi_units_formula(r->model, &tree, r->path, unit, r->arena, r->said);
  if (status == HYS_ERR_MEMORY)
    r->status = HYS_ERR_MEMORY;
}

static void derived(hysi_shield_reader *r, const hysi_xml_element *observe) {
  const size_t n = hysi_shield_count(observe, "derived");
  hys_derived *list = hysi_shield_alloc(r, n, sizeof *list);
  uint32_t i = 0;

  if (list == NULL)
    return;
  if (n > HYS_MAX_DERIVED) {
    hysi_shield_say(r, &(hysi_problem){.at = observe}, "more than %d elements <derived> (HYS_MAX_DERIVED)",
                    HYS_MAX_DERIVED);
    return;
  }
  for (const hysi_xml_element *e = hysi_shield_child(observe, "derived"); e != NULL;
       e = hysi_shield_next(e, "derived")) {
    const char *name = attribute(e, "name");
    const hys_unit *unit = NULL;
    const bool has_unit = hysi_shield_unit(r, e, &unit);

    if (e->text.length == 0)
      hysi_shield_say(r, &(hysi_problem){.at = e, .expected = "an expression over the states"},
                      "<derived> has no expression");
    else if (r->model != NULL && r->automaton != NULL)
      check_expression(r, e, has_unit ? unit : NULL);
    if (name == NULL)
      continue;
    if (!hysi_shield_is_name(name))
      hysi_shield_say(r, &(hysi_problem){.at = e, .found = name}, "\"name\" of <derived> is not a name");
    bool taken = r->automaton != NULL &&
                 hysi_shield_find(name, r->automaton->state_name, r->automaton->nx) != SIZE_MAX;
    for (uint32_t k = 0; k < i; k++)
      taken = taken || strcmp(list[k].name, name) == 0;
    if (taken)
      hysi_shield_say(r, &(hysi_problem){.at = e, .found = name}, "the name of <derived> is taken");
    list[i++] =
        (hys_derived){.name = name, .unit = has_unit ? unit->name : NULL, .expression = e->text.bytes};
  }
  r->extras.derived = list;
  r->extras.n_derived = i;
}

static void modes(hysi_shield_reader *r, const hysi_xml_element *observe) {
  static const char *const words[] = {"commands", "sample", "estimate"};
  static const hys_mode_from from[] = {HYS_MODE_COMMANDS, HYS_MODE_SAMPLE, HYS_MODE_ESTIMATE};
  const uint32_t n = r->automaton != NULL ? r->automaton->n_instances : 0;
  hys_mode_from *mode = hysi_shield_alloc(r, n, sizeof *mode);
  const hysi_xml_element **by = hysi_shield_alloc(r, n, sizeof *by);

  if (mode == NULL || by == NULL)
    return;
  for (uint32_t i = 0; i < n; i++)
    mode[i] = HYS_MODE_ESTIMATE;
  for (const hysi_xml_element *e = hysi_shield_child(observe, "mode"); e != NULL;
       e = hysi_shield_next(e, "mode")) {
    uint32_t instance = 0;
    size_t which = 2;
    const bool word = hysi_shield_word(r, e, "from", words, 3, &which);
    if (!hysi_shield_instance(r, e, &instance))
      continue;
    if (by[instance] != NULL) {
      hysi_shield_say(r, &(hysi_problem){.at = e},
                      "the mode of \"%s\" is listed twice; the first is in line %u",
                      r->automaton->instance[instance].name, (unsigned)by[instance]->line);
      continue;
    }
    by[instance] = e;
    if (word)
      mode[instance] = from[which];
  }
  r->spec.mode_from = mode;
}

void hysi_shield_observe(hysi_shield_reader *r, const hysi_xml_element *e) {
  const size_t nx = r->automaton != NULL ? r->automaton->nx : 0;

  r->observed = hysi_shield_alloc(r, nx, sizeof *r->observed);
  r->observed_by = hysi_shield_alloc(r, nx, sizeof *r->observed_by);
  r->observed_unit = hysi_shield_alloc(r, nx, sizeof *r->observed_unit);
  if (r->status != HYS_OK)
    return;
  r->spec.observed = r->observed;
  for (const hysi_xml_element *v = e != NULL ? e->first : NULL; v != NULL; v = v->next) {
    if (strcmp(v->name, "variable") == 0)
      variable(r, v, true);
    else if (strcmp(v->name, "unobserved") == 0)
      variable(r, v, false);
  }
  derived(r, e);
  modes(r, e);
  for (size_t i = 0; e != NULL && i < nx; i++) {
    if (r->observed_by[i] == NULL)
      hysi_shield_say(r, &(hysi_problem){.at = e, .hint = "every state is a <variable> or <unobserved>"},
                      "the state \"%s\" is neither observed nor unobserved", r->automaton->state_name[i]);
  }
}

void hysi_shield_limits(hysi_shield_reader *r, const hysi_xml_element *e) {
  hys_limits *l = &r->spec.limits;
  const hys_timing *t = &r->spec.timing;
  uint32_t rate = 0;

  if (e == NULL)
    return;
  if (hysi_shield_integer(r, e, "insertions-per-second", 1, 1000000, &rate))
    l->insertions_per_second = (double)rate;
  hysi_shield_integer(r, e, "burst", 1, 1000000, &l->burst);
  hysi_shield_integer(r, e, "queue", 1, HYS_MAX_QUEUE, &l->queue);
  hysi_shield_integer(r, e, "plan-length", 1, HYS_MAX_PLAN_LENGTH, &l->plan_length);
  hysi_shield_integer(r, e, "locations", 1, HYS_MAX_SETS, &l->locations);
  if (hysi_shield_time(r, e, "horizon", HYS_ROUND_UP, true, &l->horizon)) {
    const int64_t in_flight = t->deadline + t->actuation_max + t->timer_late;
    if (l->horizon < in_flight)
      hysi_shield_say(r,
                      &(hysi_problem){.at = e,
                                      .expected = "at least deadline + actuation-max + timer-late",
                                      .found = attribute(e, "horizon")},
                      "the horizon is shorter than a command may be under way");
  }
}
