/* A shield file without a fault: every field of the specification. */
#include "core/allocator.h"
#include "core/diagnostics.h"
#include "models/shield_file.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FOLDER "tests/conform/broken_shields/"

static hys_arena *arena;
static hys_diagnostics said;
static hys_shield_extras extras;

static const hys_spec *read_file(const char *path) {
  const hys_spec *spec = NULL;
  hys_arena_destroy(arena);
  arena = hys_arena_create(NULL);
  if (!CHECK(arena != NULL))
    return NULL;
  hys_diagnostics_init(&said, arena);
  CHECK_INT(hys_shield_file_read_all(path, arena, &said, &spec, &extras), HYS_OK);
  for (uint32_t i = 0; i < said.n; i++) {
    if (said.item[i].severity == HYS_ERROR)
      CHECK_STR(said.item[i].text, "");
  }
  CHECK(spec != NULL);
  return spec;
}

static void done(void) {
  hys_arena_destroy(arena);
  arena = NULL;
}

static size_t state(const hys_automaton *a, const char *name) {
  for (size_t i = 0; i < a->nx; i++) {
    if (strcmp(a->state_name[i], name) == 0)
      return i;
  }
  CHECK_STR("no such state", name);
  return 0;
}

static uint32_t instance(const hys_automaton *a, const char *name) {
  for (uint32_t i = 0; i < a->n_instances; i++) {
    if (strcmp(a->instance[i].name, name) == 0)
      return i;
  }
  CHECK_STR("no such instance", name);
  return 0;
}

static void timing_and_limits(void) {
  const hys_spec *s = read_file(check_source_path(FOLDER "good.shield.xml"));
  if (s == NULL)
    return;
  CHECK_STR(s->name, "cart");
  CHECK_STR(s->automaton->name, "track");
  CHECK_INT(s->automaton->nx, 3);
  CHECK_INT(s->automaton->nu, 1);
  CHECK_INT(s->timing.trigger, HYS_TRIGGER_TIMER);
  CHECK_INT(s->timing.period, 50000000);
  CHECK_INT(s->timing.deadline, 4000000);
  CHECK_INT(s->timing.compute_min, 1000000);
  CHECK_INT(s->timing.actuation_min, 1);        /* 1.5 ns, down */
  CHECK_INT(s->timing.actuation_max, 20000001); /* 20000000.1 ns, up */
  CHECK_INT(s->timing.timer_late, 300000);
  CHECK_INT(s->timing.stamp_error, 2000000);
  CHECK(s->timing.order_kept);
  CHECK_SAME(s->limits.insertions_per_second, 5.0);
  CHECK_INT(s->limits.burst, 3);
  CHECK_INT(s->limits.queue, 6);
  CHECK_INT(s->limits.plan_length, 2);
  CHECK_INT(s->limits.horizon, 12500000000);
  CHECK_INT(s->limits.locations, 4);
  CHECK(s->latch);
  CHECK_STR(extras.model_path, check_source_path(FOLDER "cart.xml"));
  CHECK_STR(extras.config_path, check_source_path(FOLDER "cart.cfg"));
  CHECK_STR(extras.system, "track");
  done();
}

static void observation(void) {
  const hys_spec *s = read_file(check_source_path(FOLDER "good.shield.xml"));
  if (s == NULL)
    return;
  const hys_observed *x = &s->observed[state(s->automaton, "x")], *v = &s->observed[state(s->automaton, "v")],
                     *a = &s->observed[state(s->automaton, "a")];
  CHECK_INT(x->kind, HYS_OBSERVED);
  CHECK_SAME(x->error, 0x1.999999999999ap-4); /* 10 cm, up */
  CHECK_INT(x->stale, 120000000);
  CHECK_SAME(x->min, -0.5);
  CHECK_SAME(x->max, 120.0);
  CHECK_STR(x->unit, "cm");
  CHECK_INT(v->kind, HYS_OBSERVED);
  CHECK(v->error >= 0.1 && v->error < 0.1 + 1e-15); /* 0.36 km/h is a little less than the double 0.1 */
  CHECK_INT(v->stale, 120000000);
  CHECK_SAME(v->min, -(double)INFINITY);
  CHECK_SAME(v->max, (double)INFINITY);
  CHECK_STR(v->unit, "km/h");
  CHECK_INT(a->kind, HYS_UNOBSERVED);
  CHECK_SAME(a->min, -2.0);
  CHECK_SAME(a->max, 2.0);
  CHECK_STR(a->unit, "m/s^2");
  CHECK_INT(extras.n_derived, 1);
  CHECK_STR(extras.derived[0].name, "left");
  CHECK_STR(extras.derived[0].unit, "m");
  CHECK_STR(extras.derived[0].expression, "100 - x");
  CHECK_INT(s->automaton->n_instances, 2);
  CHECK_INT(s->mode_from[instance(s->automaton, "cart")], HYS_MODE_COMMANDS);
  CHECK_INT(s->mode_from[instance(s->automaton, "lamp")], HYS_MODE_SAMPLE);
  done();
}

static void commands(void) {
  const hys_spec *s = read_file(check_source_path(FOLDER "good.shield.xml"));
  if (s == NULL)
    return;
  static const char *const names[] = {"go", "halt", "push", "kick"};
  CHECK_INT(s->n_commands, 4);
  for (uint32_t i = 0; i < 4 && i < s->n_commands; i++) {
    CHECK_STR(s->command[i].name, names[i]);
    CHECK_STR(s->automaton->label_name[s->command[i].label], names[i]);
  }
  const hys_command *go = &s->command[0], *halt = &s->command[1], *push = &s->command[2],
                    *kick = &s->command[3];
  CHECK_INT(go->n_edits, 2);
  CHECK_INT(go->edit[0], HYS_EDIT_DELAY);
  CHECK_INT(go->edit[1], HYS_EDIT_SUPPRESS);
  CHECK(!go->insert);
  CHECK_INT(go->validity, 400000000);
  CHECK_INT(go->priority, 255);
  CHECK_INT(go->channel, HYS_CHANNEL_LATEST);
  CHECK_INT(go->otherwise, HYS_OTHERWISE_ILLEGAL);
  CHECK_INT(go->value_state, -1);
  CHECK(go->value_unit == NULL);

  CHECK_INT(halt->n_edits, 0);
  CHECK(halt->insert);
  CHECK_INT(halt->validity, 0);
  CHECK_INT(halt->priority, 1);
  CHECK_INT(halt->channel, HYS_CHANNEL_LATEST);
  CHECK_INT(halt->otherwise, HYS_OTHERWISE_IGNORED);

  CHECK_INT(push->n_edits, 3);
  CHECK_INT(push->edit[0], HYS_EDIT_SUBSTITUTE);
  CHECK_INT(push->edit[1], HYS_EDIT_SUBSTITUTE_DELAY);
  CHECK_INT(push->edit[2], HYS_EDIT_DELAY);
  CHECK_INT(push->priority, 7);
  CHECK_INT(push->validity, 1000000000);
  CHECK_INT(push->value_state, state(s->automaton, "a"));
  CHECK_SAME(push->value_min, -1.5);
  CHECK_SAME(push->value_max, 2.0);
  CHECK_SAME(push->value_step, 0.25);
  CHECK_STR(push->value_unit, "m/s^2");

  CHECK_INT(kick->n_edits, 1); /* the default of a command without a value */
  CHECK_INT(kick->edit[0], HYS_EDIT_DELAY);
  CHECK_INT(kick->validity, 10000000);

  CHECK_INT(s->fallback, 1);
  CHECK(isnan(s->fallback_value));
  done();
}

static void events(void) {
  const hys_spec *s = read_file(check_source_path(FOLDER "good.shield.xml"));
  if (s == NULL)
    return;
  CHECK_INT(s->n_events, 2);
  CHECK_STR(s->event[0].name, "slip");
  CHECK_STR(s->automaton->label_name[s->event[0].label], "slip");
  CHECK_INT(s->event[0].latency, 15000000);
  CHECK_INT(s->event[0].n_values, 1);
  CHECK_INT(s->event[0].value[0].state, state(s->automaton, "v"));
  CHECK(s->event[0].value[0].error >= 0.2 && s->event[0].value[0].error < 0.2 + 1e-15);
  CHECK_STR(s->event[1].name, "flip");
  CHECK_INT(s->event[1].latency, 0);
  CHECK_INT(s->event[1].n_values, 0);
  for (uint32_t i = 0; i < said.n; i++) /* horn is on no jump, so it is not missed */
    CHECK(strstr(said.item[i].text, "neither a command nor an event") == NULL);
  done();
}

static void terminal(void) {
  const hys_spec *s = read_file(check_source_path(FOLDER "good.shield.xml"));
  if (s == NULL)
    return;
  /* resting with the lamp dark and lit, and two sets for all locations */
  const uint32_t cart = instance(s->automaton, "cart");
  uint32_t scoped = 0, all = 0;
  for (uint32_t i = 0; i < s->n_terminal; i++) {
    const hys_region *t = &s->terminal[i];
    if (t->location == HYS_ANY_LOCATION) {
      all++;
      CHECK_INT(t->set.n, 2);
      continue;
    }
    scoped++;
    const uint32_t part = s->automaton->location[t->location].part[cart];
    CHECK_STR(s->automaton->instance[cart].location[part], "resting");
    CHECK_INT(t->set.n, 3); /* x <= 99, v <= 0, -v <= 0 */
    for (uint32_t k = 0; k < t->set.n; k++)
      CHECK(!t->set.row[k].strict);
    CHECK_SAME(t->set.row[0].c.hi, 99.0);
    CHECK_SAME(t->set.row[0].a[state(s->automaton, "x")].lo, 1.0);
    CHECK_SAME(t->set.row[0].a[state(s->automaton, "v")].hi, 0.0);
  }
  CHECK_INT(scoped, 2);
  CHECK_INT(all, 2);
  done();
}

/* A label that the shield file leaves out is told. */
static void missed_label(void) {
  hys_arena_destroy(arena);
  arena = hys_arena_create(NULL);
  const hys_spec *spec = NULL;
  bool told = false;
  if (!CHECK(arena != NULL))
    return;
  hys_diagnostics_init(&said, arena);
  hys_shield_file_read(check_source_path(FOLDER "unknown_label.shield.xml"), arena, &said, &spec);
  for (uint32_t i = 0; i < said.n; i++)
    told = told || (said.item[i].severity == HYS_WARNING &&
                    strstr(said.item[i].text, "\"kick\" is neither a command nor an event") != NULL);
  CHECK(told);
  done();
}

static void library(void) {
  static const char *const names[] = {"acc", "acc-b4-B8", "acc-b6-B8", "acc-b8-B6"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char path[128];
    check_label("%s", names[i]);
    snprintf(path, sizeof path, "models/library/acc/%s.shield.xml", names[i]);
    const hys_spec *s = read_file(check_source_path(path));
    if (s == NULL)
      continue;
    CHECK_INT(said.errors, 0);
    CHECK(s->n_commands >= 4 && s->n_terminal >= 1);
    CHECK(s->command[s->fallback].insert);
  }
  done();
}

static void nothing_there(void) {
  const hys_spec *spec = NULL;
  arena = hys_arena_create(NULL);
  if (!CHECK(arena != NULL))
    return;
  hys_diagnostics_init(&said, arena);
  CHECK_INT(hys_shield_file_read("/nowhere/a.shield.xml", arena, &said, &spec), HYS_ERR_OPEN);
  CHECK(spec == NULL);
  CHECK_INT(said.errors, 1);
  done();
}

CHECK_MAIN("shield file", {"timing and limits", timing_and_limits}, {"observation", observation},
           {"commands", commands}, {"events", events}, {"terminal", terminal},
           {"a label that is left out", missed_label}, {"library", library}, {"no file", nothing_there})
