/* Commands with a value: the nearest value that is certified is sent instead, and the one asked for is handed
 * back.
 */
#include <math.h>

#include "tests/support/check.h"
#include "tests/support/rig.h"

static const char *name(hys_reason reason) {
  return hys_reason_name(reason);
}

/* A copy of the commands that the test may change; returns set_accel. */
static hys_command *own_commands(rig *r) {
  static hys_command command[HYS_MAX_COMMANDS];
  for (uint32_t i = 0; i < r->spec.n_commands; i++)
    command[i] = r->spec.command[i];
  r->spec.command = command;
  return &command[r->set_accel];
}

/* Whether a fresh shield in this state passes the command with this value. */
static bool passes(const rig *like, double d, double v, double w, double value) {
  rig r = *like;
  if (!rig_make(&r))
    return false;
  rig_acc_sample(&r, 0.0, d, v, w);
  const hys_record *k = rig_command_at(&r, RIG_MS(1), r.set_accel, value, 1);
  const bool passed = k->action == HYS_ACTION_PASS;
  r.arena = NULL; /* it belongs to the other one */
  rig_end(&r);
  return passed;
}

/* A gap at which the value between -2 and 2 decides: halfway between the least gaps at which these pass. */
static double grazing(const rig *r, double v, double w) {
  double least[2];
  for (int k = 0; k < 2; k++) {
    double lo = 2.0, hi = 150.0;
    while (hi - lo > 0.01) {
      const double d = 0.5 * (lo + hi);
      if (passes(r, d, v, w, k == 0 ? -2.0 : 2.0))
        hi = d;
      else
        lo = d;
    }
    least[k] = hi;
  }
  CHECK(least[0] + 0.05 < least[1]);
  return 0.5 * (least[0] + least[1]);
}

/* The value that is sent is the first of the grid, by distance, that passes on its own. */
static void nearest(void) {
  static const struct {
    double v, w, wanted;
  } row[] = {{22, 20, 2}, {20, 20, 1.75}, {28, 22, 1.5}, {8, 8, 2}, {12, 10, 0.2}};
  unsigned edited = 0;
  rig r;
  if (!rig_read_acc(&r))
    return;
  r.config.work_budget = 100000;
  own_commands(&r)->value_step = 0.5;
  for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
    const double d = grazing(&r, row[i].v, row[i].w);
    double best = passes(&r, d, row[i].v, row[i].w, row[i].wanted) ? row[i].wanted : HYSI_NAN;
    check_label("row %zu", i);
    for (double v = -6.0; v <= 2.0; v += 0.5)
      if (passes(&r, d, row[i].v, row[i].w, v) && !(fabs(v - row[i].wanted) >= fabs(best - row[i].wanted)))
        best = v;
    rig shield = r;
    if (!rig_make(&shield))
      break;
    rig_acc_sample(&shield, 0.0, d, row[i].v, row[i].w);
    CHECK_STR(hys_state_name(shield.out.state), "GUARDED");
    const hys_record *k = rig_command_at(&shield, RIG_MS(1), r.set_accel, row[i].wanted, 7);
    if (isnan(best)) {
      CHECK_STR(hys_action_name(k->action), "suppress");
    } else if (best == row[i].wanted) {
      CHECK_STR(hys_action_name(k->action), "pass");
    } else {
      edited++;
      CHECK_STR(hys_action_name(k->action), "substitute");
      CHECK_STR(name(k->reason), "SUBSTITUTED");
      CHECK(k->failure != HYS_REASON_NONE);
      CHECK(k->has_requested && k->requested.value == row[i].wanted && k->requested.id == 7);
      CHECK(k->has_applied && k->applied.id == 7);
      CHECK_NEAR(k->applied.value, best, 0);
      CHECK_INT(shield.out.n_sends, 1);
      CHECK_NEAR(shield.out.send[0].value, best, 0);
    }
    shield.arena = NULL;
    rig_end(&shield);
  }
  CHECK(edited >= 2);
  hys_arena_destroy(r.arena);
}

/* On a fine grid and on a continuous range: the value sent passes, a nearer one by two steps does not. */
static void bracketed(void) {
  for (int fine = 0; fine < 2; fine++) {
    rig r;
    check_label("%s", fine ? "grid of 0.01" : "continuous");
    if (!rig_read_acc(&r))
      return;
    r.config.work_budget = 100000;
    own_commands(&r)->value_step = fine ? 0.01 : 0.0;
    const double d = grazing(&r, 22, 20);
    rig shield = r;
    if (!rig_make(&shield))
      return;
    rig_acc_sample(&shield, 0.0, d, 22, 20);
    const hys_record *k = rig_command_at(&shield, RIG_MS(1), r.set_accel, 2.0, 7);
    CHECK_STR(hys_action_name(k->action), "substitute");
    const double sent = k->applied.value;
    CHECK(sent >= -6.0 && sent < 2.0);
    CHECK(passes(&r, d, 22, 20, sent));
    CHECK(!passes(&r, d, 22, 20, sent + 0.02));
    shield.arena = NULL;
    rig_end(&shield);
    hys_arena_destroy(r.arena);
  }
}

/* A vehicle in steps of a millisecond: what is sent takes effect 25 ms later. */
typedef struct vehicle {
  double d, v, w, a, next_a, at;
} vehicle;

static void effect(vehicle *c, const rig *r, double ms) {
  for (uint32_t i = 0; i < r->out.n_sends; i++) {
    const uint32_t k = r->out.send[i].command;
    c->next_a = k == r->set_accel ? r->out.send[i].value : k == r->brake ? -6.0 : k == r->coast ? -0.5 : 0.0;
    c->at = ms + 25.0;
  }
}

static void millisecond(vehicle *c, double ms, double lead) {
  if (ms == c->at)
    c->a = c->next_a;
  const double v = fmax(c->v + 0.001 * c->a, 0.0), w = c->w + 0.001 * lead;
  c->d += 0.001 * 0.5 * (c->w + w - c->v - v);
  c->v = v;
  c->w = w;
}

/* The value asked for stands, and is sent as soon as it is certified. */
static void handed_back(void) {
  rig r;
  if (!rig_read_acc(&r))
    return;
  r.config.work_budget = 100000;
  vehicle c = {grazing(&r, 22, 20), 22, 20, 0, 0, -1};
  unsigned back = 0, other = 0;
  if (!rig_make(&r))
    return;
  rig_acc_sample(&r, 0.0, c.d, c.v, c.w);
  const hys_record *k = rig_command_at(&r, RIG_MS(1), r.set_accel, 2.0, 7);
  CHECK_STR(hys_action_name(k->action), "substitute");
  effect(&c, &r, 1.0);
  check_label("the vehicle ahead goes away");
  for (double ms = 2.0; ms < 12000.0 && back == 0; ms += 1.0) {
    millisecond(&c, ms, 3.0);
    while (r.out.wake <= RIG_MS(ms)) {
      rig_timer_at(&r, r.out.wake);
      effect(&c, &r, ms);
    }
    if (fmod(ms, 100.0) != 0.0)
      continue;
    rig_acc_sample(&r, ms, c.d, c.v, c.w);
    effect(&c, &r, ms);
    if (!CHECK(r.out.state == HYS_STATE_GUARDED))
      break;
    for (uint32_t i = 0; i < r.out.n_records; i++) {
      const hys_record *q = &r.out.record[i];
      const bool handed = q->reason == HYS_REASON_HANDED_BACK;
      back += handed && q->applied.value == 2.0 && q->requested.id == 7;
      other += !handed && q->has_requested;
    }
  }
  CHECK_INT(back, 1);
  CHECK_INT(other, 0); /* nothing else is said of it meanwhile */
  rig_end(&r);
}

static void not_listed(void) {
  rig r;
  if (!rig_read_acc(&r))
    return;
  r.config.work_budget = 100000;
  own_commands(&r)->n_edits = 0;
  const double d = grazing(&r, 22, 20);
  if (!rig_make(&r))
    return;
  rig_acc_sample(&r, 0.0, d, 22, 20);
  const hys_record *k = rig_command_at(&r, RIG_MS(1), r.set_accel, 2.0, 7);
  CHECK_STR(hys_action_name(k->action), "suppress");
  CHECK_INT(r.out.n_sends, 0);
  rig_end(&r);
}

static void observed_only(void) {
  rig r;
  if (!rig_read_acc(&r))
    return;
  r.config.work_budget = 100000;
  r.config.observe_only = true;
  const double d = grazing(&r, 22, 20);
  if (!rig_make(&r))
    return;
  rig_acc_sample(&r, 0.0, d, 22, 20);
  const hys_record *k = rig_command_at(&r, RIG_MS(1), r.set_accel, 2.0, 7);
  CHECK_STR(hys_action_name(k->action), "substitute");
  CHECK(k->would && k->applied.value < 2.0);
  CHECK_INT(r.out.n_sends, 1);
  CHECK_NEAR(r.out.send[0].value, 2.0, 0);
  rig_end(&r);
}

CHECK_MAIN("shield_values", {"the nearest value of the grid", nearest}, {"fine grids and ranges", bracketed},
           {"handed back", handed_back}, {"only where it is listed", not_listed},
           {"looking on", observed_only})
