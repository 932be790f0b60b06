#include "tests/support/rig.h"

#include <string.h>

#include "models/shield_file.h"
#include "monitor/shield_alloc.h"
#include "tests/support/check.h"

static uint32_t command_index(const hys_spec *spec, const char *name) {
  for (uint32_t i = 0; i < spec->n_commands; i++)
    if (strcmp(spec->command[i].name, name) == 0)
      return i;
  return UINT32_MAX;
}

static size_t state_index(const hys_automaton *a, const char *name) {
  for (size_t i = 0; i < a->nx; i++)
    if (strcmp(a->state_name[i], name) == 0)
      return i;
  return a->nx;
}

void rig_use(rig *r, const hys_spec *spec) {
  memset(r, 0, sizeof *r);
  r->spec = *spec;
  hys_shield_config_default(&r->config);
}

bool rig_read_acc(rig *r) {
  memset(r, 0, sizeof *r);
  hys_arena *arena = hys_arena_create(NULL);
  if (!CHECK(arena != NULL))
    return false;
  hys_diagnostics diagnostics;
  hys_diagnostics_init(&diagnostics, arena);
  const hys_spec *spec = NULL;
  if (!CHECK_INT(hys_shield_file_read(check_source_path("models/library/acc/acc.shield.xml"), arena,
                                      &diagnostics, &spec),
                 HYS_OK)) {
    hys_arena_destroy(arena);
    return false;
  }
  rig_use(r, spec);
  r->arena = arena;
  r->accelerate = command_index(spec, "accelerate");
  r->cruise = command_index(spec, "cruise");
  r->coast = command_index(spec, "coast");
  r->brake = command_index(spec, "brake");
  r->set_accel = command_index(spec, "set_accel");
  r->d = state_index(spec->automaton, "d");
  r->v = state_index(spec->automaton, "v");
  r->a = state_index(spec->automaton, "a");
  r->w = state_index(spec->automaton, "w");
  return true;
}

bool rig_make(rig *r) {
  return CHECK_INT(hys_shield_create(&r->shield, &r->spec, &r->config, NULL), HYS_OK);
}

void rig_end(rig *r) {
  hys_shield_destroy(r->shield, NULL);
  hys_arena_destroy(r->arena);
}

static const hys_record *step(rig *r, int64_t now, const hys_input *input) {
  static const hys_record none;
  memset(&r->out, 0, sizeof r->out);
  r->status = hys_shield_step(r->shield, now, input, &r->out);
  return r->out.n_records > 0 ? &r->out.record[0] : &none;
}

const hys_record *rig_sample_at(rig *r, int64_t now, int64_t stamp, const double *x) {
  const hys_input in = {.kind = HYS_INPUT_SAMPLE, .stamp = stamp, .x = x};
  return step(r, now, &in);
}

const hys_record *rig_acc_sample(rig *r, double ms, double d, double v, double w) {
  double x[HYS_MAX_STATES];
  for (size_t i = 0; i < HYS_MAX_STATES; i++)
    x[i] = HYSI_NAN;
  x[r->d] = d;
  x[r->v] = v;
  x[r->w] = w;
  return rig_sample_at(r, RIG_MS(ms), RIG_MS(ms), x);
}

const hys_record *rig_command_at(rig *r, int64_t now, uint32_t which, double value, uint64_t id) {
  const hys_input in = {.kind = HYS_INPUT_COMMAND, .which = which, .value = value, .id = id};
  return step(r, now, &in);
}

const hys_record *rig_command(rig *r, double ms, uint32_t which, uint64_t id) {
  return rig_command_at(r, RIG_MS(ms), which, HYSI_NAN, id);
}

const hys_record *rig_event(rig *r, double ms, uint32_t which, const double *value) {
  const hys_input in = {.kind = HYS_INPUT_EVENT, .which = which, .event_value = value};
  return step(r, RIG_MS(ms), &in);
}

const hys_record *rig_timer_at(rig *r, int64_t now) {
  return step(r, now, NULL);
}

static bool same(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

static bool same_send(const hys_send *a, const hys_send *b) {
  return a->command == b->command && same(a->value, b->value) && a->id == b->id && a->timed == b->timed;
}

static bool same_record(const hys_record *a, const hys_record *b) {
  return a->now == b->now && a->action == b->action && a->reason == b->reason && a->state == b->state &&
         a->guarantee == b->guarantee && a->would == b->would && a->has_requested == b->has_requested &&
         a->has_applied == b->has_applied && same_send(&a->requested, &b->requested) &&
         same_send(&a->applied, &b->applied) && a->at == b->at && a->plan_at == b->plan_at &&
         a->plan_command == b->plan_command && a->constraint == b->constraint && a->failure == b->failure &&
         same(a->margin, b->margin) && same(a->admissible_min, b->admissible_min) &&
         same(a->admissible_max, b->admissible_max) && a->work == b->work;
}

bool rig_same_output(const hys_output *a, const hys_output *b) {
  bool alike =
      a->n_sends == b->n_sends && a->n_records == b->n_records && a->wake == b->wake && a->state == b->state;
  for (uint32_t i = 0; alike && i < a->n_sends; i++)
    alike = same_send(&a->send[i], &b->send[i]);
  for (uint32_t i = 0; alike && i < a->n_records; i++)
    alike = same_record(&a->record[i], &b->record[i]);
  return alike;
}
