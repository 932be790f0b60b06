/* The shield on adaptive cruise control: what each input does, with its reason, action, state and sends. */
#include "monitor/rt/shield.h"

#include <float.h>
#include <math.h>

#include "tests/support/check.h"
#include "tests/support/rig.h"

static const char *name(hys_reason reason) {
  return hys_reason_name(reason);
}

/* A shield that a first sample at 0 ms has armed: 80 m behind a vehicle of the same speed, or what is given.
 */
static bool guarded_at(rig *r, double d, double v, double w) {
  if (!rig_read_acc(r))
    return false;
  if (!rig_make(r)) {
    rig_end(r);
    return false;
  }
  rig_acc_sample(r, 0.0, d, v, w);
  return CHECK_STR(hys_state_name(r->out.state), "GUARDED");
}

static bool guarded(rig *r) {
  return guarded_at(r, 80.0, 22.0, 22.0);
}

/* The last call sent nothing and left the plan as it was. */
static void nothing_moved(const rig *r, int64_t plan_at) {
  CHECK_INT(r->out.n_sends, 0);
  CHECK_INT(r->shield->plan.at, plan_at);
  CHECK_INT(r->out.wake, plan_at);
  CHECK(r->shield->armed);
  CHECK_STR(hys_state_name(r->out.state), "GUARDED");
}

/* ---- start ------------------------------------------------------------------------------------------------
 */

static void not_ready(void) {
  rig r;
  if (!rig_read_acc(&r))
    return;
  if (rig_make(&r)) {
    CHECK_STR(hys_state_name(hys_shield_state(r.shield)), "START");
    const hys_record *k = rig_command(&r, 0.0, r.accelerate, 1);
    CHECK_INT(r.status, HYS_OK);
    CHECK_INT(r.out.n_records, 1);
    CHECK_STR(hys_action_name(k->action), "suppress");
    CHECK_STR(name(k->reason), "NOT_READY");
    CHECK(!k->guarantee && k->has_requested && !k->has_applied);
    CHECK_INT(k->requested.id, 1);
    CHECK_INT(r.out.n_sends, 0);
    CHECK_INT(r.out.wake, HYS_NEVER);
    CHECK_STR(hys_state_name(r.out.state), "START");
    check_label("a timer with nothing armed");
    rig_timer_at(&r, RIG_MS(1.0));
    CHECK_INT(r.out.n_sends + r.out.n_records, 0);
  }
  rig_end(&r);
}

static void first_sample(void) {
  rig r;
  if (!guarded(&r))
    return;
  const hys_record *k = &r.out.record[0];
  CHECK_INT(r.out.n_records, 1);
  CHECK_STR(name(k->reason), "RENEWED");
  CHECK_STR(hys_action_name(k->action), "none");
  CHECK(k->guarantee);
  CHECK_INT(k->plan_command, r.brake);
  CHECK(k->plan_at > RIG_MS(1000.0) && k->plan_at < RIG_MS(10000.0));
  CHECK_INT(r.out.wake, k->plan_at);
  CHECK_INT(r.out.n_sends, 0);
  k = rig_command(&r, 10.0, r.accelerate, 7);
  CHECK_STR(hys_action_name(k->action), "pass");
  CHECK_STR(name(k->reason), "PASSED");
  CHECK(k->guarantee && k->has_requested && k->has_applied && !k->would);
  CHECK_INT(r.out.n_records, 1);
  if (CHECK_INT(r.out.n_sends, 1)) {
    CHECK_INT(r.out.send[0].command, r.accelerate);
    CHECK_INT(r.out.send[0].id, 7);
    CHECK(!r.out.send[0].timed && isnan(r.out.send[0].value));
  }
  CHECK_INT(r.out.wake, k->plan_at);
  CHECK_INT(k->plan_command, r.brake);
  CHECK(k->margin >= 0.0 && k->margin < 1.0); /* the plan goes to the edge */
  rig_end(&r);
}

/* Too close: braking now is not enough, and it is what is done. */
static void outside(void) {
  rig r;
  if (!rig_read_acc(&r))
    return;
  if (rig_make(&r)) {
    const hys_record *k = rig_acc_sample(&r, 0.0, 10.0, 30.0, 10.0);
    CHECK_STR(hys_action_name(k->action), "insert");
    CHECK_STR(name(k->reason), "NOT_READY");
    CHECK_STR(name(k->failure), "UNSAFE");
    CHECK(!k->guarantee);
    CHECK_STR(hys_state_name(r.out.state), "START");
    if (CHECK_INT(r.out.n_sends, 1)) {
      CHECK_INT(r.out.send[0].command, r.brake);
      CHECK_INT(r.out.send[0].id, 0);
      CHECK(!r.out.send[0].timed);
    }
    CHECK_INT(r.out.wake, HYS_NEVER);
    check_label("the fallback goes out once");
    rig_acc_sample(&r, 100.0, 8.1, 29.7, 10.0);
    CHECK_INT(r.out.n_sends, 0);
    k = rig_command(&r, 110.0, r.accelerate, 1);
    CHECK_STR(name(k->reason), "NOT_READY");
    CHECK_INT(r.out.n_sends, 0);
  }
  rig_end(&r);
}

/* ---- what is not used
 * -------------------------------------------------------------------------------------- */

static void bad_samples(void) {
  const double inf = HYSI_INF, nan = HYSI_NAN;
  const struct {
    const char *label;
    double now, stamp; /* ms */
    double d, v, w;
    const char *reason;
  } rows[] = {{"NaN", 150, 150, nan, nan, nan, "INPUT_NONFINITE"},
              {"inf", 150, 150, inf, 22, 22, "INPUT_NONFINITE"},
              {"-inf", 150, 150, 80, -inf, 22, "INPUT_NONFINITE"},
              {"above its range", 150, 150, 80, 60.5, 22, "INPUT_RANGE"},
              {"below its range", 150, 150, -1.5, 22, 22, "INPUT_RANGE"},
              {"largest double", 150, 150, DBL_MAX, 22, 22, "INPUT_RANGE"},
              {"stale", 401, 150, 80, 22, 22, "INPUT_STALE"},
              {"repeated", 150, 100, 80, 22, 22, "INPUT_STALE"},
              {"reordered", 150, 99, 80, 22, 22, "TIME_BACKWARDS"},
              {"from the future", 150, 151.000001, 80, 22, 22, "TIME_BACKWARDS"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    rig r;
    hys_interval before[HYS_MAX_STATES], after[HYS_MAX_STATES];
    check_label("%s", rows[i].label);
    if (!guarded(&r))
      return;
    rig_acc_sample(&r, 100.0, 80.0, 22.0, 22.0);
    const int64_t plan_at = r.shield->plan.at;
    hys_shield_estimate(r.shield, before);
    double x[HYS_MAX_STATES] = {nan, nan, nan, nan};
    x[r.d] = rows[i].d;
    x[r.v] = rows[i].v;
    x[r.w] = rows[i].w;
    const hys_record *k = rig_sample_at(&r, RIG_MS(rows[i].now), RIG_MS(rows[i].stamp), x);
    CHECK_INT(r.out.n_records, 1);
    CHECK_STR(name(k->reason), rows[i].reason);
    CHECK_STR(hys_action_name(k->action), "none");
    CHECK(k->guarantee);
    nothing_moved(&r, plan_at);
    hys_shield_estimate(r.shield, after);
    for (size_t j = 0; j < r.spec.automaton->nx; j++)
      CHECK(before[j].lo == after[j].lo && before[j].hi == after[j].hi);
    check_label("%s: and the plan fires", rows[i].label);
    k = rig_timer_at(&r, plan_at);
    CHECK_STR(name(k->reason), "INSERTED");
    if (CHECK_INT(r.out.n_sends, 1))
      CHECK_INT(r.out.send[0].command, r.brake);
    rig_end(&r);
  }
}

static void no_readings(void) {
  rig r;
  if (!guarded(&r))
    return;
  const int64_t plan_at = r.shield->plan.at;
  const hys_record *k = rig_sample_at(&r, RIG_MS(100.0), RIG_MS(100.0), NULL);
  CHECK_STR(name(k->reason), "INPUT_UNKNOWN");
  nothing_moved(&r, plan_at);
  check_label("a bad sample before the first good one");
  hys_shield_reset(r.shield);
  k = rig_acc_sample(&r, 100.0, HYSI_NAN, HYSI_NAN, HYSI_NAN);
  CHECK_STR(name(k->reason), "INPUT_NONFINITE");
  CHECK_INT(r.out.n_sends, 0);
  CHECK_STR(hys_state_name(r.out.state), "START");
  rig_acc_sample(&r, 200.0, 80.0, 22.0, 22.0); /* still taken as the first */
  CHECK_STR(hys_state_name(r.out.state), "GUARDED");
  hys_interval box[HYS_MAX_STATES];
  hys_shield_estimate(r.shield, box);
  CHECK(box[r.a].lo <= 0.0 && box[r.a].hi >= 0.0 && box[r.a].hi - box[r.a].lo < 1e-9); /* as Init has it */
  rig_end(&r);
}

/* Stamps are data: no number in one makes a first sample anything but not used. */
static void absurd_stamps(void) {
  const int64_t stamps[] = {INT64_MIN, INT64_MIN + 1, -INT64_C(4000000000000000000), INT64_MAX};
  for (size_t i = 0; i < sizeof stamps / sizeof stamps[0]; i++) {
    rig r;
    check_label("stamp %lld", (long long)stamps[i]);
    if (!rig_read_acc(&r))
      return;
    if (rig_make(&r)) {
      double x[HYS_MAX_STATES] = {HYSI_NAN, HYSI_NAN, HYSI_NAN, HYSI_NAN};
      x[r.d] = 80.0;
      x[r.v] = x[r.w] = 22.0;
      const hys_record *k = rig_sample_at(&r, RIG_MS(100.0), stamps[i], x);
      CHECK_STR(name(k->reason), stamps[i] < 0 ? "INPUT_STALE" : "TIME_BACKWARDS");
      CHECK_INT(r.out.n_sends, 0);
      CHECK_STR(hys_state_name(r.out.state), "START");
    }
    rig_end(&r);
  }
}

/* The clock may count from 1970: what is said is the same, only later. */
static void clock_of_the_day(void) {
  const int64_t origin[2] = {0, INT64_C(1800000000000000000)};
  int64_t plan[2] = {0, 0};
  for (int i = 0; i < 2; i++) {
    rig r;
    check_label("origin %lld", (long long)origin[i]);
    if (!rig_read_acc(&r))
      return;
    if (rig_make(&r)) {
      double x[HYS_MAX_STATES] = {HYSI_NAN, HYSI_NAN, HYSI_NAN, HYSI_NAN};
      x[r.d] = 80.0;
      x[r.v] = x[r.w] = 22.0;
      rig_sample_at(&r, origin[i], origin[i], x);
      CHECK_STR(hys_state_name(r.out.state), "GUARDED");
      const hys_record *k = rig_command_at(&r, origin[i] + RIG_MS(10.0), r.accelerate, HYSI_NAN, 1);
      CHECK_STR(name(k->reason), "PASSED");
      rig_sample_at(&r, origin[i] + RIG_MS(100.0), origin[i] + RIG_MS(100.0), x);
      CHECK_STR(hys_state_name(r.out.state), "GUARDED");
      plan[i] = r.out.wake - origin[i];
    }
    rig_end(&r);
  }
  CHECK(plan[0] > 0 && plan[0] == plan[1]);
}

/* Some of the readings are better than none. */
static void partial_sample(void) {
  rig r;
  hys_interval box[HYS_MAX_STATES];
  if (!guarded(&r))
    return;
  rig_acc_sample(&r, 100.0, 80.0, HYSI_NAN, HYSI_NAN);
  CHECK_STR(hys_state_name(r.out.state), "GUARDED");
  hys_shield_estimate(r.shield, box);
  CHECK(box[r.d].hi - box[r.d].lo < 0.51);
  CHECK(box[r.w].hi - box[r.w].lo > 0.9); /* 0.2 of the first sample, 9.5 m/s^2 for 0.1 s */
  rig_end(&r);
}

static void bad_commands(void) {
  rig r;
  if (!guarded(&r))
    return;
  const int64_t plan_at = r.shield->plan.at;
  const struct {
    const char *label;
    uint32_t which;
    double value;
    const char *reason;
  } rows[] = {{"NaN", r.set_accel, HYSI_NAN, "INPUT_NONFINITE"},
              {"inf", r.set_accel, HYSI_INF, "INPUT_NONFINITE"},
              {"above", r.set_accel, nextafter(2.0, 3.0), "INPUT_RANGE"},
              {"below", r.set_accel, nextafter(-6.0, -7.0), "INPUT_RANGE"},
              {"unknown", r.spec.n_commands, 0.0, "INPUT_UNKNOWN"},
              {"unknown, largest", UINT32_MAX, 0.0, "INPUT_UNKNOWN"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    check_label("%s", rows[i].label);
    const hys_record *k = rig_command_at(&r, RIG_MS(10.0), rows[i].which, rows[i].value, 5 + i);
    CHECK_INT(r.status, HYS_OK);
    CHECK_STR(hys_action_name(k->action), "suppress");
    CHECK_STR(name(k->reason), rows[i].reason);
    CHECK(k->guarantee && k->has_requested && !k->has_applied);
    CHECK_INT(k->requested.id, 5 + i);
    nothing_moved(&r, plan_at);
  }
  check_label("in its range");
  const hys_record *k = rig_command_at(&r, RIG_MS(10.0), r.set_accel, 0.5, 20);
  CHECK_STR(name(k->reason), "PASSED");
  if (CHECK_INT(r.out.n_sends, 1))
    CHECK_SAME(r.out.send[0].value, 0.5);
  rig_end(&r);
}

static void time_backwards(void) {
  rig r;
  if (!guarded(&r))
    return;
  rig_acc_sample(&r, 100.0, 80.0, 22.0, 22.0);
  const int64_t plan_at = r.shield->plan.at;
  const hys_record *k = rig_command(&r, 99.999999, r.accelerate, 3);
  CHECK_INT(r.status, HYS_ERR_ARG);
  CHECK_STR(name(k->reason), "TIME_BACKWARDS");
  nothing_moved(&r, plan_at);
  k = rig_timer_at(&r, RIG_MS(0.0));
  CHECK_INT(r.status, HYS_ERR_ARG);
  CHECK_STR(name(k->reason), "TIME_BACKWARDS");
  nothing_moved(&r, plan_at);
  check_label("the same instant again");
  k = rig_command(&r, 100.0, r.cruise, 4);
  CHECK_INT(r.status, HYS_OK);
  CHECK_STR(name(k->reason), "PASSED");
  rig_end(&r);
}

/* ---- the armed plan
 * ---------------------------------------------------------------------------------------- */

static void fires(void) {
  static const struct {
    const char *label;
    int64_t late;
    const char *reason, *state;
    bool timed;
  } rows[] = {{"on its instant", 0, "INSERTED", "GUARDED", true},
              {"as late as a timer may be", 1000000, "INSERTED", "GUARDED", true},
              {"later", 1000001, "TIMING_FAULT", "LOST", false}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    rig r;
    check_label("%s", rows[i].label);
    if (!guarded_at(&r, 60.0, 25.0, 22.0))
      return;
    rig_command(&r, 5.0, r.accelerate, 1);
    const int64_t plan_at = r.out.wake;
    if (CHECK_INT(r.out.n_sends, 1) && CHECK(plan_at < RIG_MS(5000.0))) {
      /* the monitor is dead from here on: only the timer comes */
      for (int64_t t = RIG_MS(100.0); t < plan_at; t += RIG_MS(100.0)) {
        rig_timer_at(&r, t);
        CHECK_INT(r.out.n_sends + r.out.n_records, 0);
        CHECK_INT(r.out.wake, plan_at);
      }
      const hys_record *k = rig_timer_at(&r, plan_at + rows[i].late);
      CHECK_STR(hys_action_name(k->action), "insert");
      CHECK_STR(name(k->reason), rows[i].reason);
      CHECK_STR(hys_state_name(r.out.state), rows[i].state);
      CHECK_INT(k->guarantee, i < 2);
      CHECK(k->has_applied && !k->has_requested);
      if (CHECK_INT(r.out.n_sends, 1)) {
        CHECK_INT(r.out.send[0].command, r.brake);
        CHECK_INT(r.out.send[0].timed, rows[i].timed);
        CHECK_INT(r.out.send[0].id, 0);
      }
      CHECK_INT(r.out.wake, HYS_NEVER);
      rig_timer_at(&r, plan_at + RIG_MS(50.0));
      CHECK_INT(r.out.n_sends, 0);
    }
    rig_end(&r);
  }
}

/* An input that comes after the plan's instant finds it fired. */
static void fires_before_the_input(void) {
  rig r;
  if (!guarded_at(&r, 60.0, 25.0, 22.0))
    return;
  const int64_t plan_at = r.shield->plan.at;
  const hys_record *k = rig_command_at(&r, plan_at + 500000, r.accelerate, HYSI_NAN, 9);
  CHECK_INT(r.out.n_records, 2);
  CHECK_STR(name(k[0].reason), "INSERTED");
  CHECK_STR(hys_action_name(k[1].action), "suppress");
  CHECK_STR(name(k[1].reason), "SUPPRESSED");
  if (CHECK_INT(r.out.n_sends, 1)) {
    CHECK_INT(r.out.send[0].command, r.brake);
    CHECK(r.out.send[0].timed);
  }
  CHECK_STR(hys_state_name(r.out.state), "GUARDED");
  rig_end(&r);
}

/* The plan may fire while a decision is being worked out: the decision is void, the plan stands. */
static void fires_during_a_decision(void) {
  rig r;
  if (!guarded_at(&r, 60.0, 25.0, 22.0))
    return;
  const int64_t plan_at = r.shield->plan.at;
  check_label("a command");
  const hys_record *k = rig_command_at(&r, plan_at - r.spec.timing.deadline, r.brake, HYSI_NAN, 9);
  CHECK_STR(hys_action_name(k->action), "suppress");
  CHECK_STR(name(k->failure), "DEADLINE");
  nothing_moved(&r, plan_at);
  check_label("a sample");
  rig_acc_sample(&r, (double)plan_at * 1e-6 - 1.0, 60.0 - 3e-9 * (double)plan_at, 25.0, 22.0);
  CHECK_INT(r.shield->plan.at, plan_at);
  CHECK_INT(r.out.n_sends, 0);
  k = rig_timer_at(&r, plan_at);
  CHECK_STR(name(k->reason), "INSERTED");
  rig_end(&r);
}

/* A renewed plan is never earlier than the one before. */
static void renewed(void) {
  rig r;
  if (!guarded_at(&r, 60.0, 25.0, 22.0))
    return;
  int64_t plan_at = r.shield->plan.at;
  for (int i = 1; i <= 10; i++) {
    check_label("sample %d", i);
    rig_acc_sample(&r, 100.0 * i, 60.0 - 0.3 * i, 25.0, 22.0); /* the vehicle ahead does not brake */
    CHECK_INT(r.out.n_sends, 0);
    CHECK(r.shield->plan.at > plan_at);
    plan_at = r.shield->plan.at;
  }
  rig_end(&r);
}

/* ---- LOST -------------------------------------------------------------------------------------------------
 */

static void mismatch(bool latch) {
  rig r;
  if (!rig_read_acc(&r))
    return;
  r.spec.latch = latch;
  if (rig_make(&r)) {
    rig_acc_sample(&r, 0.0, 80.0, 22.0, 22.0);
    CHECK_STR(hys_state_name(r.out.state), "GUARDED");
    const hys_record *k = rig_acc_sample(&r, 100.0, 90.0, 22.0, 22.0); /* ten metres in 0.1 s */
    CHECK_STR(hys_action_name(k->action), "insert");
    CHECK_STR(name(k->reason), "MODEL_MISMATCH");
    CHECK(!k->guarantee);
    CHECK_STR(hys_state_name(k->state), "LOST");
    CHECK_INT(k->plan_at, HYS_NEVER);
    if (CHECK_INT(r.out.n_sends, 1)) {
      CHECK_INT(r.out.send[0].command, r.brake);
      CHECK(!r.out.send[0].timed);
    }
    k = rig_command(&r, 110.0, r.brake, 2);
    CHECK_STR(name(k->reason), latch ? "LATCHED" : "NOT_READY");
    CHECK(!k->guarantee);
    CHECK_INT(r.out.n_sends, 0);
    /* samples of a vehicle that brakes since 0.1 s: by the second the mode is known well enough for a plan */
    for (int i = 2; i <= 4; i++) {
      const double t = 0.1 * (i - 1);
      k = rig_acc_sample(&r, 100.0 * i, 90.0 + 3.0 * t * t, 22.0 - 6.0 * t, 22.0);
      if (latch)
        CHECK_STR(name(k->reason), "LATCHED");
      if (i >= 3) {
        CHECK_INT(r.shield->armed, !latch);
        CHECK_STR(hys_state_name(r.out.state), latch ? "LOST" : "GUARDED");
      }
    }
    k = rig_command(&r, 410.0, r.cruise, 3);
    CHECK_INT(k->guarantee, !latch);
    CHECK_STR(name(k->reason), latch ? "LATCHED" : "PASSED");
    CHECK_INT(r.out.n_sends, latch ? 0 : 1);
    CHECK_STR(hys_state_name(hys_shield_state(r.shield)), latch ? "LOST" : "GUARDED");
  }
  rig_end(&r);
}

static void lost_and_back(void) {
  mismatch(false);
}

static void lost_for_good(void) {
  mismatch(true);
}

/* ---- events -----------------------------------------------------------------------------------------------
 */

static void lead_lost(void) {
  rig r;
  if (!guarded_at(&r, 60.0, 25.0, 22.0))
    return;
  CHECK(r.shield->plan.at != HYS_NEVER);
  rig_acc_sample(&r, 100.0, 59.7, 25.0, 22.0);
  rig_event(&r, 130.0, 0, NULL);
  CHECK_STR(hys_state_name(r.out.state), "GUARDED");
  CHECK_INT(r.out.n_sends, 0);
  CHECK_INT(r.shield->plan.at, HYS_NEVER); /* nobody ahead: nothing to insert */
  CHECK(r.shield->armed);
  CHECK_INT(r.out.wake, HYS_NEVER);
  const hys_record *k = rig_command(&r, 140.0, r.accelerate, 1);
  CHECK_STR(name(k->reason), "PASSED");
  CHECK(k->guarantee);
  CHECK_INT(k->plan_command, HYS_NO_COMMAND);
  check_label("an event that is not in the file");
  k = rig_event(&r, 150.0, 1, NULL);
  CHECK_STR(name(k->reason), "INPUT_UNKNOWN");
  CHECK_STR(hys_state_name(r.out.state), "GUARDED");
  CHECK_INT(r.out.n_sends, 0);
  rig_end(&r);
}

/* Who is gone for longer than the latency cannot be lost again. */
static void lead_lost_again(void) {
  rig r;
  if (!guarded_at(&r, 60.0, 25.0, 22.0))
    return;
  rig_event(&r, 30.0, 0, NULL);
  CHECK_STR(hys_state_name(r.out.state), "GUARDED");
  rig_acc_sample(&r, 200.0, 59.6, 25.0, 22.0);
  rig_acc_sample(&r, 300.0, 59.6, 25.0, 22.0);
  const hys_record *k = rig_event(&r, 400.0, 0, NULL);
  CHECK_STR(name(k->reason), "EVENT_OUT_OF_MODEL");
  CHECK_STR(hys_state_name(r.out.state), "LOST");
  CHECK(!k->guarantee);
  if (CHECK_INT(r.out.n_sends, 1))
    CHECK_INT(r.out.send[0].command, r.brake);
  rig_end(&r);
}

CHECK_MAIN("shield", {"not ready", not_ready}, {"first sample", first_sample}, {"outside S", outside},
           {"bad samples", bad_samples}, {"no readings", no_readings}, {"absurd stamps", absurd_stamps},
           {"clock of the day", clock_of_the_day}, {"partial sample", partial_sample},
           {"bad commands", bad_commands}, {"time backwards", time_backwards}, {"the plan fires", fires},
           {"the plan fires before an input", fires_before_the_input},
           {"the plan fires during a decision", fires_during_a_decision}, {"renewed", renewed},
           {"lost and back", lost_and_back}, {"lost for good", lost_for_good}, {"lead lost", lead_lost},
           {"lead lost again", lead_lost_again})
