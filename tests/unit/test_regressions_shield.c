/* The shield's own books when several things go wrong at once: a delayed command whose effect was taken for
 * done, a queue that is full when the fallback goes out, what comes together with a failed timer, and a
 * prediction that needs too many sets.  Each has left the shield with a wrong count or queue, silent, or LOST
 * without a fault. */
#include "monitor/shield_alloc.h"
#include "tests/support/built.h"
#include "tests/support/check.h"
#include "tests/support/rig.h"

#define ROW(...) ((const double[]){__VA_ARGS__})

static const char *name(hys_reason reason) {
  return hys_reason_name(reason);
}

static bool make(rig *r, built *m, hys_mode_from mode) {
  if (!CHECK(built_finish(m)))
    return false;
  m->mode[0] = mode;
  rig_use(r, &m->spec);
  return rig_make(r);
}

static const hys_record *sample(rig *r, double ms, double x, uint32_t mode) {
  const hys_input in = {.kind = HYS_INPUT_SAMPLE, .stamp = RIG_MS(ms), .x = &x, .mode = &mode};
  r->status = hys_shield_step(r->shield, RIG_MS(ms), &in, &r->out);
  return &r->out.record[0];
}

/* `go' through a gate is forbidden while x < 1, and is delayed.  10 us before it goes out a reading is,
 * wrongly, that of a plant behind the gate, where x stands still since 0.2 ms: less than a window opens
 * early, and the flight is over for the estimate.  The timer then comes too late, and the shield takes a
 * command back that is no longer among the flights. */
static void taken_back_twice(void) {
  built m;
  rig r = {0};
  built_start(&m, 1, 0);
  const uint32_t before = built_location(&m, "before", NULL, NULL, ROW(1));
  const uint32_t behind = built_location(&m, "behind", NULL, NULL, ROW(0));
  const uint32_t go = built_command(&m, "go");
  built_jump(&m, before, behind, (int32_t)go);
  built_forbidden(&m, 0, behind, ROW(1), 0.5, true);
  built_terminal(&m, 0, behind, ROW(-1), -0.5);
  built_terminal(&m, 1, before, ROW(-1), 0.0);
  built_initially(&m, 0, before, ROW(-1), 0.0);
  m.command[go].edit[0] = HYS_EDIT_DELAY;
  m.command[go].validity = RIG_MS(2000);
  m.spec.timing = (hys_timing){HYS_TRIGGER_TIMER, RIG_MS(100), RIG_MS(2), 0, 0, RIG_MS(1.5), 0, 0, true};
  if (make(&r, &m, HYS_MODE_ESTIMATE)) {
    sample(&r, 0.0, 0.1, before);
    CHECK_STR(name(rig_command(&r, 10.0, go, 1)->reason), "DELAYED");
    rig_timer_at(&r, r.out.wake);
    const int64_t due = r.shield->due.at;
    CHECK(r.shield->due.pending);
    sample(&r, (double)(due - 10000) * 1e-6, 0.1 + (double)(due - 200000) * 1e-9, before);
    CHECK_INT(r.shield->estimate.n_flights, 0);
    CHECK(r.shield->due.pending);
    rig_timer_at(&r, due + RIG_MS(5));
    CHECK_STR(hys_state_name(r.out.state), "LOST");
    CHECK_INT(r.shield->estimate.n_flights, 1); /* the fallback */
    CHECK(!r.shield->due.pending);
  }
  rig_end(&r);
  built_end(&m);
}

/* x' = 1 in `move', into which `go' leads; x > 1 is forbidden, and `stop' can be inserted. */
typedef struct cart {
  built m;
  uint32_t rest, move, go, stop;
  rig r;
} cart;

static bool make_cart(cart *c, uint32_t queue, double latency_ms) {
  built *m = &c->m;
  built_start(m, 1, 0);
  c->rest = built_location(m, "rest", NULL, NULL, ROW(0));
  c->move = built_location(m, "move", NULL, NULL, ROW(1));
  c->go = built_command(m, "go");
  c->stop = built_command(m, "stop");
  built_jump(m, c->rest, c->move, (int32_t)c->go);
  built_jump(m, c->move, c->rest, (int32_t)c->stop);
  built_forbidden(m, 0, HYS_ANY_LOCATION, ROW(-1), -1.0, true);
  built_terminal(m, 0, c->rest, ROW(1), 1.0);
  built_initially(m, 0, c->rest, ROW(1), 1.0);
  m->command[c->stop].insert = true;
  m->command[c->stop].priority = 1;
  m->spec.fallback = c->stop;
  m->spec.limits.queue = queue;
  m->spec.timing =
      (hys_timing){HYS_TRIGGER_TIMER, RIG_MS(100), RIG_MS(1), 0, 0, RIG_MS(latency_ms), 0, 0, true};
  return make(&c->r, m, HYS_MODE_SAMPLE);
}

static void end_cart(cart *c) {
  rig_end(&c->r);
  built_end(&c->m);
}

/* Two readings that contradict the estimate while `go' is in flight: two fallbacks behind it, in a queue for
 * two. `go' may still take effect, and stays among the flights. */
static void full_queue(void) {
  cart c;
  if (make_cart(&c, 2, 400.0)) {
    rig *r = &c.r;
    sample(r, 0.0, 0.0, c.rest);
    CHECK_STR(name(rig_command(r, 1.0, c.go, 1)->reason), "PASSED");
    CHECK_INT(r->out.n_sends, 1);
    for (int k = 0; k < 2; k++) {
      check_label("reading %d", k + 1);
      sample(r, 10.0 + 20.0 * k, 0.1, c.rest); /* x = 0.1 needs 100 ms */
      sample(r, 20.0 + 20.0 * k, 0.0, c.rest);
    }
    check_label("flights");
    CHECK(r->shield->estimate.n_flights > 2);
    CHECK_INT(r->shield->estimate.flight[0].command, c.go);
    for (uint32_t i = 1; i < r->shield->estimate.n_flights; i++)
      CHECK_INT(r->shield->estimate.flight[i].command, c.stop);
  }
  end_cart(&c);
}

/* The plan's instant has passed unserved when something else comes: the fault is told, and that is taken too.
 */
static void with_a_failed_timer(void) {
  cart c;
  check_label("a command");
  if (make_cart(&c, 8, 10.0)) {
    rig *r = &c.r;
    sample(r, 0.0, 0.0, c.rest);
    rig_command(r, 1.0, c.go, 1);
    CHECK(r->out.wake < RIG_MS(1000)); /* `stop' has to be there when x is 1 */
    rig_command(r, 1500.0, c.go, 7);
    CHECK_STR(hys_state_name(r->out.state), "LOST");
    CHECK_STR(name(r->out.record[0].reason), "TIMING_FAULT");
    CHECK_INT(r->out.n_records, 2);
    CHECK_INT(r->out.record[1].requested.id, 7);
    CHECK_STR(name(r->out.record[1].reason), "NOT_READY");
    CHECK_INT(r->out.n_sends, 1);
    CHECK_INT(r->out.send[0].command, c.stop);
  }
  end_cart(&c);
  check_label("a sample");
  if (make_cart(&c, 8, 10.0)) {
    rig *r = &c.r;
    sample(r, 0.0, 0.0, c.rest);
    rig_command(r, 1.0, c.go, 1);
    sample(r, 1500.0, 0.5, c.rest);
    CHECK_STR(name(r->out.record[0].reason), "TIMING_FAULT");
    CHECK(r->shield->estimate.n_sets > 0); /* begun anew */
  }
  end_cart(&c);
}

/* The plant may add 1 to x as often as it likes, also in no time, and is safe for ever: no number of sets
 * holds where it may be, and the certificate needs none.  That is no fault. */
static void too_many_sets(void) {
  built m;
  rig r = {0};
  built_start(&m, 1, 0);
  const uint32_t count = built_location(&m, "count", NULL, NULL, ROW(0));
  const uint32_t halt = built_location(&m, "halt", NULL, NULL, ROW(0));
  const uint32_t stop = built_command(&m, "stop");
  m.command[stop].insert = true;
  built_reset(&m, built_jump(&m, count, count, HYS_NO_LABEL), 0, ROW(1), 1.0, 1.0);
  built_jump(&m, count, halt, (int32_t)stop);
  built_forbidden(&m, 0, HYS_ANY_LOCATION, ROW(1), -1.0, true);
  built_terminal(&m, 0, count, ROW(-1), 0.0);
  built_terminal(&m, 1, halt, ROW(-1), 0.0);
  built_initially(&m, 0, count, ROW(-1), 0.0);
  m.spec.timing = (hys_timing){HYS_TRIGGER_TIMER, RIG_MS(100), RIG_MS(1), 0, 0, RIG_MS(1), 0, 0, true};
  if (make(&r, &m, HYS_MODE_SAMPLE)) {
    sample(&r, 0.0, 0.0, count);
    CHECK_STR(hys_state_name(r.out.state), "GUARDED");
    check_label("a command without an estimate");
    CHECK_STR(name(rig_command(&r, 50.0, stop, 3)->reason), "TOO_MANY_SETS");
    CHECK_STR(hys_state_name(r.out.state), "GUARDED");
    CHECK_INT(r.out.n_sends, 0);
    check_label("the next sample begins again");
    sample(&r, 100.0, 7.0, count);
    CHECK_STR(hys_state_name(r.out.state), "GUARDED");
    CHECK_INT(r.shield->estimate.n_sets, 1);
    CHECK(r.shield->estimate.set[0].x[0].lo <= 7.0 && 7.0 <= r.shield->estimate.set[0].x[0].hi);
  }
  rig_end(&r);
  built_end(&m);
}

CHECK_MAIN("regressions of the shield", {"a command taken back twice", taken_back_twice},
           {"the fallback in a full queue", full_queue}, {"with a failed timer", with_a_failed_timer},
           {"a prediction that needs too many sets", too_many_sets})
