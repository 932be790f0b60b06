/* What is told late must not hide what has happened since.  Each case has run a plant into its forbidden set
 * with the shield GUARDED, or has lost a shield without a fault: the mode in an aged sample was compared with
 * the sets of now, an event kept only the targets of its own jumps, and its values outlived later resets. */
#include "monitor/shield_alloc.h"
#include "tests/support/built.h"
#include "tests/support/check.h"
#include "tests/support/rig.h"

#define ROW(...) ((const double[]){__VA_ARGS__})

/* x may not exceed `limit'; `stop' leads from wherever the plant is to `halt', where x stays, within 1 ms. */
typedef struct plant {
  built m;
  uint32_t halt, stop;
  rig r;
} plant;

static void start(plant *p, double limit) {
  built *m = &p->m;
  built_start(m, 1, 0);
  p->halt = built_location(m, "halt", NULL, NULL, ROW(0));
  p->stop = built_command(m, "stop");
  m->command[p->stop].insert = true;
  m->command[p->stop].priority = 1;
  m->spec.fallback = p->stop;
  built_forbidden(m, 0, HYS_ANY_LOCATION, ROW(-1), -limit, true); /* x > limit */
  built_terminal(m, 0, p->halt, ROW(1), limit);
  m->spec.timing = (hys_timing){HYS_TRIGGER_TIMER, RIG_MS(500), RIG_MS(1), 0, 0, RIG_MS(1), 0, 0, true};
}

/* A location with x' = rate, from which the plant can be stopped. */
static uint32_t location(plant *p, const char *name, double rate) {
  const uint32_t l = built_location(&p->m, name, NULL, NULL, ROW(rate));
  built_jump(&p->m, l, p->halt, (int32_t)p->stop);
  return l;
}

static bool make(plant *p, uint32_t initially, hys_mode_from mode) {
  built_initially(&p->m, 0, initially, NULL, 0.0);
  if (!CHECK(built_finish(&p->m)))
    return false;
  p->m.mode[0] = mode;
  rig_use(&p->r, &p->m.spec);
  return rig_make(&p->r);
}

static void end(plant *p) {
  rig_end(&p->r);
  built_end(&p->m);
}

static const hys_record *sample(plant *p, double ms, double stamp, double x, uint32_t mode) {
  const hys_input in = {.kind = HYS_INPUT_SAMPLE, .stamp = RIG_MS(stamp), .x = &x, .mode = &mode};
  p->r.status = hys_shield_step(p->r.shield, RIG_MS(ms), &in, &p->r.out);
  return &p->r.out.record[0];
}

static bool may_be_in(const plant *p, uint32_t l) {
  uint32_t at[BUILT_LOCATIONS];
  const uint32_t n = hys_shield_locations(p->r.shield, at, BUILT_LOCATIONS);
  for (uint32_t i = 0; i < n; i++)
    if (at[i] == l)
      return true;
  return false;
}

/* The shield vouches for the plant, which is in `l' at x, and will be stopped by `latest'.  The estimate is
 * of an instant at most a tick ago, since when x, with x' <= 1, has grown by at most a tick. */
static void guards(const plant *p, uint32_t l, double x, double latest_ms) {
  hys_interval box[1];
  hys_shield_estimate(p->r.shield, box);
  CHECK_INT(p->r.status, HYS_OK);
  CHECK_STR(hys_state_name(p->r.out.state), "GUARDED");
  CHECK(may_be_in(p, l));
  CHECK(box[0].lo <= x && x - 1.0 / 16384.0 <= box[0].hi);
  CHECK(p->r.out.wake <= RIG_MS(latest_ms) - p->r.spec.timing.actuation_max);
}

/* ---- the mode of a sample ---------------------------------------------------------------------------------
 */

/* The plant leaves `rest' at 100 ms, by itself: x = t - 100 ms.  At 600 ms comes a sample of 90 ms. */
static void mode_of_then(void) {
  plant p;
  start(&p, 1.0);
  const uint32_t rest = location(&p, "rest", 0), move = location(&p, "move", 1);
  built_jump(&p.m, rest, move, HYS_NO_LABEL);
  if (make(&p, rest, HYS_MODE_SAMPLE)) {
    sample(&p, 0, 0, 0.0, rest);
    check_label("a sample of now");
    guards(&p, rest, 0.0, 1000.0);
    check_label("a sample of then");
    sample(&p, 600, 90, 0.0, rest);
    guards(&p, move, 0.5, 1100.0);
    check_label("a sample of now cuts by its mode");
    sample(&p, 700, 700, 0.6, move);
    guards(&p, move, 0.6, 1100.0);
    CHECK(!may_be_in(&p, rest));
  }
  end(&p);
}

/* The plant surely has left `first' when x is 0.3, and the sample still names it: no contradiction. */
static void mode_left_behind(void) {
  plant p;
  start(&p, 1.0);
  const uint32_t first = location(&p, "first", 1), second = location(&p, "second", 1);
  built_invariant(&p.m, first, ROW(1), 0.3);
  built_guard(&p.m, built_jump(&p.m, first, second, HYS_NO_LABEL), ROW(-1), -0.3);
  if (make(&p, first, HYS_MODE_SAMPLE)) {
    sample(&p, 0, 0, 0.0, first);
    sample(&p, 600, 90, 0.09, first);
    guards(&p, second, 0.6, 1000.0);
    CHECK(!may_be_in(&p, first));
    check_label("a mode of now that cannot be is one");
    CHECK_STR(hys_reason_name(sample(&p, 610, 610, 0.61, first)->reason), "MODEL_MISMATCH");
  }
  end(&p);
}

/* ---- events told late -------------------------------------------------------------------------------------
 */

/* The event at 100 ms, the plant goes on by itself at 110 ms: x = t - 110 ms; the event is told at 600 ms. */
static void plant_went_on(void) {
  plant p;
  start(&p, 1.0);
  const uint32_t a = location(&p, "a", 0), b = location(&p, "b", 0), c = location(&p, "c", 1);
  const uint32_t event = built_event(&p.m, "event", RIG_MS(500));
  built_jump(&p.m, a, b, p.m.event[event].label);
  built_jump(&p.m, b, c, HYS_NO_LABEL);
  if (make(&p, a, HYS_MODE_ESTIMATE)) {
    sample(&p, 0, 0, 0.0, a);
    rig_event(&p.r, 600, event, NULL);
    guards(&p, c, 0.49, 1110.0);
    CHECK(may_be_in(&p, b)); /* it need not have gone on */
    CHECK(!may_be_in(&p, a));
  }
  end(&p);
}

/* Two events at 100 and 110 ms, told at 550 and 560 ms: the first must leave room for the second. */
static void event_went_on(void) {
  plant p;
  start(&p, 1.0);
  const uint32_t a = location(&p, "a", 0), b = location(&p, "b", 0), c = location(&p, "c", 1);
  const uint32_t one = built_event(&p.m, "one", RIG_MS(500)), two = built_event(&p.m, "two", RIG_MS(500));
  built_jump(&p.m, a, b, p.m.event[one].label);
  built_jump(&p.m, b, c, p.m.event[two].label);
  if (make(&p, a, HYS_MODE_ESTIMATE)) {
    sample(&p, 0, 0, 0.0, a);
    check_label("the first is told");
    rig_event(&p.r, 550, one, NULL);
    guards(&p, c, 0.44, 1110.0);
    check_label("the second is told");
    rig_event(&p.r, 560, two, NULL);
    guards(&p, c, 0.45, 1110.0);
    CHECK(!may_be_in(&p, a) && !may_be_in(&p, b));
    check_label("neither can be told again");
    CHECK_STR(hys_reason_name(rig_event(&p.r, 570, one, NULL)->reason), "EVENT_OUT_OF_MODEL");
  }
  end(&p);
}

/* The event sets x to 2 (of [0, 5]) at 100.5 ms and says so at 250 ms.  `bump', sent at 100 ms, has set x to
 * 8 at 101.5 ms: x = 8 + t - 101.5 ms. */
static void values_bumped(void) {
  plant p;
  const double value = 2.0;
  start(&p, 10.0);
  const uint32_t a = location(&p, "a", 1), b = location(&p, "b", 1);
  const uint32_t bump = built_command(&p.m, "bump"), event = built_event(&p.m, "event", RIG_MS(200));
  p.m.event[event].n_values = 1;
  p.m.event[event].value[0] = (hys_event_value){0, 0.0};
  built_reset(&p.m, built_jump(&p.m, a, b, p.m.event[event].label), 0, NULL, 0.0, 5.0);
  built_reset(&p.m, built_jump(&p.m, a, a, (int32_t)bump), 0, NULL, 8.0, 8.0);
  built_reset(&p.m, built_jump(&p.m, b, b, (int32_t)bump), 0, NULL, 8.0, 8.0);
  if (make(&p, a, HYS_MODE_ESTIMATE)) {
    hys_interval box[1];
    sample(&p, 0, 0, 0.0, a);
    rig_command(&p.r, 100, bump, 1);
    CHECK_INT(p.r.out.n_sends, 1);
    rig_event(&p.r, 250, event, &value);
    guards(&p, b, 8.1485, 2101.5);
    check_label("no command since");
    CHECK_INT(hys_shield_reset(p.r.shield), HYS_OK);
    sample(&p, 1000, 1000, 0.0, a);
    rig_event(&p.r, 1250, event, &value); /* at 1100.5 ms */
    guards(&p, b, 2.1495, 9100.5);
    hys_shield_estimate(p.r.shield, box);
    CHECK_NEAR(box[0].lo, 2.0, 0.001); /* it has just happened */
    CHECK_NEAR(box[0].hi, 2.2, 0.001); /* 200 ms ago */
  }
  end(&p);
}

CHECK_MAIN("regressions of the estimate", {"a mode that has changed since", mode_of_then},
           {"a mode that surely has changed", mode_left_behind}, {"the plant went on", plant_went_on},
           {"another event went on", event_went_on}, {"values that were assigned since", values_bumped})
