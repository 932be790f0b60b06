/* The shield's edits, its limits, and what it only observes. */
#include "monitor/shield_alloc.h"
#include "tests/support/built.h"
#include "tests/support/check.h"
#include "tests/support/rig.h"

#define ROW(...) ((const double[]){__VA_ARGS__})

static const char *name(hys_reason reason) {
  return hys_reason_name(reason);
}

/* ---- delay ------------------------------------------------------------------------------------------------
 */

/* A door that opens by itself: p' = 1.  To go through it (`go') is forbidden while p < 1.  Waiting is safe
 * for ever, and so is to have gone through an open door: waiting longer only helps. */
typedef struct door {
  built m;
  uint32_t wait, through, go, stay;
  rig r;
} door;

static bool make_door(door *o, int64_t validity) {
  built *m = &o->m;
  built_start(m, 1, 0);
  o->wait = built_location(m, "wait", NULL, NULL, ROW(1));
  o->through = built_location(m, "through", NULL, NULL, ROW(1));
  o->go = built_command(m, "go");
  o->stay = built_command(m, "stay");
  built_jump(m, o->wait, o->through, (int32_t)o->go);
  built_jump(m, o->through, o->wait, (int32_t)o->stay);
  built_forbidden(m, 0, o->through, ROW(1), 1.0, true); /* p < 1 */
  built_terminal(m, 0, o->wait, NULL, 0.0);
  built_terminal(m, 1, o->through, ROW(-1), -1.0);
  built_initially(m, 0, o->wait, NULL, 0.0);
  m->command[o->go].edit[0] = HYS_EDIT_DELAY;
  m->command[o->go].validity = validity;
  m->command[o->stay].insert = true;
  m->spec.fallback = o->stay;
  m->spec.timing =
      (hys_timing){HYS_TRIGGER_TIMER, RIG_MS(100), RIG_MS(5), 0, RIG_MS(10), RIG_MS(40), RIG_MS(1), 0, true};
  m->observed[0].error = 0.001;
  m->observed[0].stale = RIG_MS(250);
  if (!CHECK(built_finish(m)))
    return false;
  rig_use(&o->r, &m->spec);
  return rig_make(&o->r);
}

static const hys_record *door_sample(door *o, double ms, double p) {
  return rig_sample_at(&o->r, RIG_MS(ms), RIG_MS(ms), &p);
}

static void end_door(door *o) {
  rig_end(&o->r);
  built_end(&o->m);
}

/* With p = .63 +- .001 at 0 a command takes effect at the earliest when p is .639 + s: 0.35 is refused, 0.40
 * holds. */
static void delay(void) {
  door o;
  if (make_door(&o, RIG_MS(500))) {
    rig *r = &o.r;
    door_sample(&o, 0.0, 0.63);
    CHECK_STR(hys_state_name(r->out.state), "GUARDED");
    CHECK_INT(r->out.wake, HYS_NEVER);
    const hys_record *k = rig_command(r, 0.0, o.go, 4);
    CHECK_INT(r->out.n_records, 1);
    CHECK_STR(hys_action_name(k->action), "delay");
    CHECK_STR(name(k->reason), "DELAYED");
    CHECK_STR(name(k->failure), "UNSAFE");
    CHECK_INT(k->at, RIG_MS(400)); /* the least of the grid of 50 ms */
    CHECK(k->has_requested && !k->has_applied && k->guarantee);
    CHECK_INT(r->out.n_sends, 0);
    CHECK_INT(r->out.wake, RIG_MS(395)); /* when its decision starts */
    check_label("the timer too early");
    rig_timer_at(r, RIG_MS(394));
    CHECK_INT(r->out.n_sends + r->out.n_records, 0);
    CHECK_INT(r->out.wake, RIG_MS(395));
    check_label("decided for good");
    rig_timer_at(r, r->out.wake);
    CHECK_INT(r->out.n_sends + r->out.n_records, 0);
    CHECK_INT(r->out.wake, RIG_MS(400));
    check_label("another command before it is sent: the order would not be known");
    k = rig_command(r, 398.0, o.stay, 5);
    CHECK_STR(hys_action_name(k->action), "suppress");
    CHECK_STR(name(k->failure), "DEADLINE");
    CHECK_INT(r->out.n_sends, 0);
    CHECK_INT(r->out.wake, RIG_MS(400));
    check_label("sent, a little late");
    k = rig_timer_at(r, RIG_MS(401));
    CHECK_INT(r->out.n_records, 1);
    CHECK_STR(hys_action_name(k->action), "pass");
    CHECK_STR(name(k->reason), "DELAYED");
    CHECK_INT(k->requested.id, 4);
    CHECK(k->guarantee && k->has_applied);
    if (CHECK_INT(r->out.n_sends, 1)) {
      CHECK_INT(r->out.send[0].command, o.go);
      CHECK_INT(r->out.send[0].id, 4);
      CHECK(r->out.send[0].timed);
    }
    CHECK_INT(r->out.wake, HYS_NEVER);
  }
  end_door(&o);
}

/* The timer misses the instant of a delayed command. */
static void delayed_too_late(void) {
  door o;
  if (make_door(&o, RIG_MS(500))) {
    rig *r = &o.r;
    door_sample(&o, 0.0, 0.63);
    rig_command(r, 0.0, o.go, 4);
    rig_timer_at(r, RIG_MS(395));
    const hys_record *k = rig_timer_at(r, RIG_MS(401) + 1);
    CHECK_STR(name(k->reason), "TIMING_FAULT");
    CHECK(!k->guarantee);
    CHECK_STR(hys_state_name(r->out.state), "LOST");
    if (CHECK_INT(r->out.n_sends, 1))
      CHECK_INT(r->out.send[0].command, o.stay); /* the fallback, and not what is late */
    check_label("the decision itself comes too late: it is taken again");
    hys_shield_reset(r->shield);
    door_sample(&o, 1000.0, 0.63);
    rig_command(r, 1000.0, o.go, 6);
    k = rig_timer_at(r, RIG_MS(1397));
    CHECK_INT(r->out.n_records, 1);
    CHECK_STR(hys_state_name(r->out.state), "GUARDED");
    CHECK_STR(name(k->reason), "DELAYED");
    if (CHECK_INT(r->out.n_sends, 1)) /* .629 + .397 + .010: it can be sent at once */
      CHECK(!r->out.send[0].timed);
  }
  end_door(&o);
}

static void delay_on_a_finer_grid(void) {
  door o;
  if (make_door(&o, RIG_MS(500))) {
    hys_shield_destroy(o.r.shield, NULL);
    o.r.config.delay_grid = RIG_MS(1);
    o.r.config.work_budget = 100000;  /* some 360 instants are tried */
    o.r.config.work_budget = 1000000; /* some hundred instants are refused before one holds */
    if (rig_make(&o.r)) {
      door_sample(&o, 0.0, 0.63);
      const hys_record *k = rig_command(&o.r, 0.0, o.go, 4);
      /* .629 + .010 + s >= 1; a tick of 61 microseconds each way */
      CHECK(k->at == RIG_MS(361) || k->at == RIG_MS(362));
    }
  }
  end_door(&o);
}

/* A sample while it waits: decided again, and told only if something changes. */
static void retimed(void) {
  door o;
  if (make_door(&o, RIG_MS(500))) {
    rig *r = &o.r;
    door_sample(&o, 0.0, 0.63);
    rig_command(r, 0.0, o.go, 4);
    door_sample(&o, 100.0, 0.73);
    CHECK_INT(r->out.n_records + r->out.n_sends, 0);
    CHECK_INT(r->out.wake, RIG_MS(395));
    const hys_record *k = door_sample(&o, 120.0, 0.75);
    CHECK_STR(hys_action_name(k->action), "delay");
    CHECK_INT(k->at, RIG_MS(370)); /* the grid begins at the decision: .120 + 5 x .050 */
    CHECK_INT(k->requested.id, 4);
    CHECK_INT(r->out.wake, RIG_MS(365));
  }
  end_door(&o);
}

static void overtaken(void) {
  door o;
  if (make_door(&o, RIG_MS(500))) {
    rig *r = &o.r;
    door_sample(&o, 0.0, 0.63);
    rig_command(r, 0.0, o.go, 4);
    const hys_record *k = rig_command(r, 50.0, o.stay, 5);
    CHECK_INT(r->out.n_records, 2);
    CHECK_STR(hys_action_name(k[0].action), "suppress");
    CHECK_STR(name(k[0].reason), "OVERTAKEN");
    CHECK_INT(k[0].requested.id, 4);
    CHECK_STR(name(k[1].reason), "PASSED");
    CHECK_INT(k[1].requested.id, 5);
    if (CHECK_INT(r->out.n_sends, 1))
      CHECK_INT(r->out.send[0].command, o.stay);
    CHECK_INT(r->out.wake, HYS_NEVER);
    rig_timer_at(r, RIG_MS(395));
    CHECK_INT(r->out.n_sends + r->out.n_records, 0); /* it does not come back */
    door_sample(&o, 600.0, 1.23);
    CHECK_INT(r->out.n_sends, 0);
  }
  end_door(&o);
}

/* Not certified within its validity: suppressed, and handed back at the first sample at which it is. */
static void handed_back(void) {
  door o;
  if (make_door(&o, RIG_MS(300))) {
    rig *r = &o.r;
    door_sample(&o, 0.0, 0.63);
    const hys_record *k = rig_command(r, 0.0, o.go, 4);
    CHECK_STR(hys_action_name(k->action), "suppress");
    CHECK_STR(name(k->reason), "SUPPRESSED");
    CHECK_STR(name(k->failure), "UNSAFE");
    CHECK(k->constraint == &o.m.forbidden_row[0][0]);
    CHECK(k->margin < 0.0 && k->margin > -0.4);
    CHECK_INT(k->at, HYS_NEVER);
    CHECK_INT(r->out.n_sends, 0);
    CHECK_INT(r->out.wake, HYS_NEVER);
    check_label("not yet");
    door_sample(&o, 300.0, 0.93);
    CHECK_INT(r->out.n_sends + r->out.n_records, 0);
    check_label("now");
    k = door_sample(&o, 400.0, 1.03);
    CHECK_STR(hys_action_name(k->action), "pass");
    CHECK_STR(name(k->reason), "HANDED_BACK");
    CHECK_INT(k->requested.id, 4);
    CHECK(k->guarantee);
    if (CHECK_INT(r->out.n_sends, 1))
      CHECK_INT(r->out.send[0].command, o.go);
    check_label("once");
    door_sample(&o, 500.0, 1.13);
    CHECK_INT(r->out.n_sends, 0);
  }
  end_door(&o);
}

/* ---- limits -----------------------------------------------------------------------------------------------
 */

/* One insertion, and then none for a quarter of an hour. */
static void bucket_empty(void) {
  for (int empty = 0; empty < 2; empty++) {
    rig r;
    check_label("%s", empty ? "empty" : "full");
    if (!rig_read_acc(&r))
      return;
    r.spec.limits.insertions_per_second = empty ? 0.001 : 1000.0;
    r.spec.limits.burst = 1;
    if (rig_make(&r)) {
      rig_acc_sample(&r, 0.0, 60.0, 25.0, 22.0);
      const double fired = (double)r.out.wake * 1e-9;
      rig_timer_at(&r, r.out.wake);
      CHECK_STR(name(r.out.record[0].reason), "INSERTED");
      /* the vehicle ahead has accelerated by 3 m/s^2 all the time: plenty of room */
      const double t = fired + 0.5, v = 25.0 - 6.0 * 0.47;
      const double d = 60.0 - 3.0 * t + 1.5 * t * t + 3.0 * 0.47 * 0.47;
      rig_acc_sample(&r, 1e3 * t, d, v, 22.0 + 3.0 * t);
      CHECK_STR(hys_state_name(r.out.state), "GUARDED");
      const hys_record *k = rig_command(&r, 1e3 * t + 1.0, r.accelerate, 3);
      CHECK_INT(r.out.n_records, 1);
      CHECK_STR(hys_action_name(k->action), empty ? "suppress" : "pass");
      CHECK_STR(name(empty ? k->failure : k->reason), empty ? "RATE_BOUND" : "PASSED");
      CHECK_INT(r.out.n_sends, empty ? 0 : 1);
      CHECK(k->guarantee);
      CHECK_STR(hys_state_name(r.out.state), "GUARDED");
    }
    rig_end(&r);
  }
}

/* No insertion at all: what needs one is never begun. */
static void no_bucket(void) {
  rig r;
  if (!rig_read_acc(&r))
    return;
  r.spec.limits.insertions_per_second = 0.0;
  r.spec.limits.burst = 0;
  if (rig_make(&r)) {
    const hys_record *k = rig_acc_sample(&r, 0.0, 60.0, 25.0, 22.0);
    CHECK_INT(r.out.wake, HYS_NEVER);
    CHECK_STR(hys_action_name(k->action), "insert"); /* the fallback does not ask the bucket */
    if (CHECK_INT(r.out.n_sends, 1))
      CHECK_INT(r.out.send[0].command, r.brake);
    k = rig_command(&r, 10.0, r.accelerate, 3);
    CHECK_STR(hys_action_name(k->action), "suppress");
    CHECK_INT(r.out.n_sends, 0);
  }
  rig_end(&r);
}

static void queue_full(void) {
  rig r;
  if (!rig_read_acc(&r))
    return;
  r.spec.limits.queue = 3;
  if (rig_make(&r)) {
    uint64_t id = 0;
    uint32_t sent = 0;
    const hys_record *k = NULL;
    rig_acc_sample(&r, 0.0, 80.0, 22.0, 22.0);
    for (double t = 1.0; t < 30.0 && (k == NULL || r.out.n_sends > 0); t += 1.0) {
      k = rig_command_at(&r, RIG_MS(t), r.set_accel, id % 2 == 0 ? 0.5 : -0.5, id + 1); /* no delay */
      sent += r.out.n_sends;
      id++;
    }
    CHECK(sent >= 1 && sent <= 3);
    CHECK_INT(id, sent + 1);
    CHECK_STR(hys_action_name(k->action), "suppress");
    CHECK_STR(name(k->failure), "QUEUE_FULL");
    CHECK(k->guarantee);
    CHECK_STR(hys_state_name(r.out.state), "GUARDED");
    check_label("and when the first have taken effect it goes on");
    rig_acc_sample(&r, 100.0, 80.0, 22.0, 22.0);
    k = rig_command(&r, 110.0, r.coast, 99);
    CHECK_STR(name(k->reason), "PASSED");
  }
  rig_end(&r);
}

/* A command is passed only if the plan behind it has room in the queue: else the plan could not fire. */
static void queue_holds_the_plan(void) {
  int tried = 0;
  rig r;
  if (!rig_read_acc(&r))
    return;
  r.spec.limits.queue = 1;
  if (rig_make(&r))
    for (double d = 15.5; d < 18.0 && tried < 5; d += 0.02) {
      check_label("gap %g", d);
      hys_shield_reset(r.shield);
      rig_acc_sample(&r, 0.0, d, 25.0, 22.0);
      if (r.out.state != HYS_STATE_GUARDED || r.out.wake <= RIG_MS(10.0) || r.out.wake > RIG_MS(100.0))
        continue;
      rig_command_at(&r, 0, r.set_accel, 0.5, 1);
      if (r.out.n_sends == 0 || r.out.wake >= RIG_MS(45.0))
        continue;
      tried++; /* it may still be in flight when the plan fires */
      rig_timer_at(&r, r.out.wake);
      CHECK_STR(hys_state_name(r.out.state), "GUARDED");
      CHECK_STR(name(r.out.record[0].reason), "INSERTED");
    }
  rig_end(&r);
  check_label("gaps tried");
  CHECK(tried > 0 || r.spec.limits.queue == 1); /* none is passed: the same */
}

/* Where the wire does not keep the order, an insertion stays clear of what was sent before it. */
static void order_not_kept(void) {
  for (int kept = 0; kept < 2; kept++) {
    rig r;
    check_label("%s", kept ? "kept" : "not kept");
    if (!rig_read_acc(&r))
      return;
    r.spec.timing.order_kept = kept;
    if (rig_make(&r)) {
      rig_acc_sample(&r, 0.0, 80.0, 22.0, 22.0);
      const hys_record *k = rig_command(&r, 10.0, r.accelerate, 1);
      CHECK_STR(name(k->reason), "PASSED");
      CHECK(k->plan_at >= RIG_MS(10.0 + 5.0) + (kept ? 0 : RIG_MS(30.0)));
      k = rig_command_at(&r, RIG_MS(20.0), r.set_accel, 0.0, 2); /* the first may take effect until 55 ms */
      CHECK_STR(name(kept ? k->reason : k->failure), kept ? "PASSED" : "QUEUE_FULL");
      CHECK_INT(r.out.n_sends, kept);
      k = rig_command(&r, 50.0, r.cruise, 3); /* takes effect from 60 ms on */
      CHECK_STR(name(k->reason), "PASSED");
    }
    rig_end(&r);
  }
}

/* ---- events
 * ------------------------------------------------------------------------------------------------ */

/* `kick' is possible from x >= 5 only; x stays where it is. */
static void event_out_of_model(void) {
  for (int inside = 0; inside < 2; inside++) {
    built m;
    rig r;
    check_label("%s", inside ? "in the model" : "out of the model");
    built_start(&m, 1, 0);
    const uint32_t rest = built_location(&m, "rest", NULL, NULL, NULL);
    const uint32_t kicked = built_location(&m, "kicked", NULL, NULL, NULL);
    const uint32_t stop = built_command(&m, "stop");
    built_event(&m, "kick", RIG_MS(20));
    built_jump(&m, kicked, rest, (int32_t)stop);
    built_guard(&m, built_jump(&m, rest, kicked, 1), ROW(-1), -5.0);
    built_terminal(&m, 0, HYS_ANY_LOCATION, NULL, 0.0);
    built_initially(&m, 0, rest, NULL, 0.0);
    m.command[stop].insert = true;
    if (CHECK(built_finish(&m))) {
      rig_use(&r, &m.spec);
      if (rig_make(&r)) {
        const double x = inside ? 6.0 : 1.0;
        rig_sample_at(&r, 0, 0, &x);
        CHECK_STR(hys_state_name(r.out.state), "GUARDED");
        const hys_record *k = rig_event(&r, 100.0, 0, NULL);
        CHECK_STR(hys_state_name(r.out.state), inside ? "GUARDED" : "LOST");
        CHECK_INT(r.out.n_sends, inside ? 0 : 1);
        if (!inside) {
          CHECK_STR(name(k->reason), "EVENT_OUT_OF_MODEL");
          CHECK(!k->guarantee);
          CHECK_INT(r.out.send[0].command, stop);
        }
        uint32_t where[4];
        CHECK_INT(hys_shield_locations(r.shield, where, 4), inside ? 1 : 0);
        CHECK(!inside || where[0] == kicked);
      }
      rig_end(&r);
    }
    built_end(&m);
  }
}

/* ---- observe-only
 * ------------------------------------------------------------------------------------------ */

static void observe_only(void) {
  rig r;
  if (!rig_read_acc(&r))
    return;
  r.config.observe_only = true;
  if (rig_make(&r)) {
    CHECK_STR(hys_state_name(hys_shield_state(r.shield)), "OBSERVE");
    check_label("before the first sample");
    const hys_record *k = rig_command(&r, 0.0, r.accelerate, 1);
    CHECK(k->would);
    CHECK_STR(name(k->reason), "NOT_READY");
    CHECK_STR(hys_action_name(k->action), "suppress");
    if (CHECK_INT(r.out.n_sends, 1))
      CHECK_INT(r.out.send[0].id, 1);
    check_label("what would pass");
    rig_acc_sample(&r, 100.0, 80.0, 22.0, 22.0);
    CHECK_INT(r.out.n_sends, 0);
    k = rig_command(&r, 150.0, r.cruise, 2);
    CHECK_STR(name(k->reason), "PASSED");
    CHECK(k->would && k->has_applied && !k->guarantee);
    if (CHECK_INT(r.out.n_sends, 1))
      CHECK_INT(r.out.send[0].id, 2);
    check_label("the plan would fire");
    k = rig_timer_at(&r, r.out.wake);
    CHECK_STR(hys_action_name(k->action), "insert");
    CHECK_STR(name(k->reason), "INSERTED");
    CHECK(k->would && !k->has_applied);
    CHECK_INT(r.out.n_sends, 0);
    CHECK_STR(hys_state_name(r.out.state), "OBSERVE");
  }
  rig_end(&r);
}

/* Close behind: the shield would not let it accelerate; it is told so, and sent. */
static void observe_what_is_unsafe(void) {
  for (int observe = 0; observe < 2; observe++) {
    rig r;
    check_label("%s", observe ? "observed" : "guarded");
    if (!rig_read_acc(&r))
      return;
    r.config.observe_only = observe;
    hys_command command[HYS_MAX_COMMANDS];
    for (uint32_t i = 0; i < r.spec.n_commands; i++) {
      command[i] = r.spec.command[i];
      command[i].n_edits = 0;
    }
    r.spec.command = command;
    if (rig_make(&r)) {
      /* the closest start from which there is time for a decision */
      double d = 14.0;
      for (; d < 60.0; d += 0.0625) {
        hys_shield_reset(r.shield);
        rig_acc_sample(&r, 0.0, d, 25.0, 22.0);
        if (r.shield->armed && r.out.n_sends == 0 && r.out.wake >= RIG_MS(6.0) && r.out.wake <= RIG_MS(60.0))
          break;
      }
      CHECK(d < 60.0);
      const hys_record *k = rig_command_at(&r, 0, r.set_accel, 2.0, 8);
      CHECK_STR(hys_action_name(k->action), "suppress");
      CHECK_STR(name(k->reason), "SUPPRESSED");
      CHECK_STR(name(k->failure), "UNSAFE");
      CHECK_INT(k->would, observe);
      CHECK_INT(k->has_applied, observe);
      CHECK_INT(k->guarantee, !observe);
      if (CHECK_INT(r.out.n_sends, observe) && observe) {
        CHECK_INT(r.out.send[0].command, r.set_accel);
        CHECK_INT(r.out.send[0].id, 8);
        CHECK_SAME(r.out.send[0].value, 2.0);
      }
    }
    rig_end(&r);
  }
}

CHECK_MAIN("shield_edits", {"delay", delay}, {"delayed too late", delayed_too_late},
           {"delay on a finer grid", delay_on_a_finer_grid}, {"re-timed", retimed}, {"overtaken", overtaken},
           {"handed back", handed_back}, {"bucket empty", bucket_empty}, {"no bucket", no_bucket},
           {"queue full", queue_full}, {"the queue holds the plan", queue_holds_the_plan},
           {"order not kept", order_not_kept}, {"event out of model", event_out_of_model},
           {"observe-only", observe_only}, {"observe what is unsafe", observe_what_is_unsafe})
