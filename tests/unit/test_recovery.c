/* Recovery from events whose image only a relation describes: a tank that drains at 1 m/s until it is
 * stopped; an event may set its level to any u that the guard allows; below 1 m is forbidden.  With u >= g
 * the command may take effect up to g - 1 seconds after the event, exactly. */
#include <stdlib.h>
#include <string.h>

#include "core/rt/guard.h"
#include "monitor/rt/shield_state.h"
#include "monitor/shield_alloc.h"
#include "synth/offline/recovery.h"
#include "synth/rt/terminal.h"
#include "tests/support/built.h"
#include "tests/support/check.h"

#define MS INT64_C(1000000)

enum { DRAIN, STOPPED };             /* locations */
enum { STOP, OPEN, REFILL, LABELS }; /* labels; STOP and OPEN are commands */
enum { STOP_JUMP, OPEN_JUMP, REFILL_DRAINING, REFILL_STOPPED };

typedef enum fault {
  NO_FAULT,
  GUARDED_COMMAND, /* stop is possible above 3 m alone */
  LEAKS,           /* the plant leaves STOPPED by itself */
  NOT_INSERTED,    /* the shield may not stop it */
  ONE_LOCATION,    /* no event in STOPPED */
  OTHER_GUARD,     /* a jump of the plant is guarded by what the event changes */
} fault;

/* u^2 >= g^2 in place of u >= g: nodes g^2, u, 2, u^2, g^2 - u^2. */
static hys_expr_node node[5];
static hys_curved_row curved;

static void bend(built *m, double least) {
  memset(node, 0, sizeof node);
  node[0] = (hys_expr_node){.op = HYS_EXPR_CONSTANT, .value = hys_interval_point(least * least)};
  node[1] = (hys_expr_node){.op = HYS_EXPR_VARIABLE, .a = 1};
  node[2] = (hys_expr_node){.op = HYS_EXPR_CONSTANT, .value = hys_interval_point(2.0)};
  node[3] = (hys_expr_node){.op = HYS_EXPR_POW, .a = 1, .b = 2};
  node[4] = (hys_expr_node){.op = HYS_EXPR_SUB, .a = 0, .b = 3};
  curved = (hys_curved_row){.tree = {node, 5}, .line = 1};
  for (int j = REFILL_DRAINING; j <= REFILL_STOPPED; j++) {
    m->jump[j].guard.n = 0;
    m->jump[j].curved = &curved;
    m->jump[j].n_curved = 1;
  }
}

static bool tank(built *m, double least, bool bent, fault wrong) {
  built_start(m, 1, 1);
  built_location(m, "drain", NULL, NULL, (double[]){-1.0});
  built_location(m, "stopped", NULL, NULL, NULL);
  for (uint32_t l = 0; l < 2; l++)
    built_input(m, l, 0, 0.0, 10.0);
  built_command(m, "stop");
  built_command(m, "open");
  built_event(m, "refill", 100 * MS);
  const uint32_t stop = built_jump(m, DRAIN, STOPPED, STOP);
  built_jump(m, STOPPED, DRAIN, OPEN);
  for (uint32_t l = 0; l < 2; l++) {
    if (wrong == ONE_LOCATION && l == STOPPED)
      continue;
    const uint32_t j = built_jump(m, l, l, REFILL);
    built_guard(m, j, (double[]){0.0, -1.0}, -least);
    built_reset(m, j, 0, (double[]){0.0, 1.0}, 0.0, 0.0);
  }
  if (wrong == GUARDED_COMMAND)
    built_guard(m, stop, (double[]){-1.0, 0.0}, -3.0);
  if (wrong == LEAKS)
    built_jump(m, STOPPED, DRAIN, HYS_NO_LABEL);
  if (wrong == OTHER_GUARD)
    built_guard(m, built_jump(m, DRAIN, STOPPED, HYS_NO_LABEL), (double[]){1.0, 0.0}, 2.0);
  built_forbidden(m, 0, HYS_ANY_LOCATION, (double[]){1.0, 0.0}, 1.0, true);
  built_terminal(m, 0, STOPPED, (double[]){-1.0, 0.0}, -1.0);
  built_initially(m, 0, DRAIN, (double[]){-1.0, 0.0}, -5.0);
  m->command[STOP].insert = wrong != NOT_INSERTED;
  m->spec.timing.period = 600 * MS;
  const bool good = built_finish(m);
  if (good && bent)
    bend(m, least);
  return good;
}

static int64_t window_of(double least, bool bent, fault wrong, const char **why) {
  built m;
  hys_recovered ready;
  hys_recovery_report report;
  int64_t found = -1;
  if (CHECK(tank(&m, least, bent, wrong)) &&
      CHECK_INT(hys_recovery_prepare(&ready, &m.spec, NULL, &report), HYS_OK)) {
    CHECK_INT(report.wanted, 1);
    found = ready.event[0].recovery / MS;
    CHECK_INT(report.found, found > 0);
    CHECK((report.why == NULL) == (found > 0));
    CHECK((ready.spec.recovery_range != NULL) == (found > 0));
    CHECK_INT(m.event[0].recovery, 0); /* what was given stays as it was */
    *why = report.why != NULL ? report.why : "";
  }
  built_end(&m);
  return found;
}

static void windows(void) {
  const char *why = "";
  for (int bent = 0; bent < 2; bent++) {
    check_label("%s: more than is looked for, 5/4 of latency and period", bent ? "curved" : "affine");
    CHECK_INT(window_of(2.0, bent, NO_FAULT, &why), 876);
    check_label("%s: 500 ms exactly", bent ? "curved" : "affine");
    const int64_t found = window_of(1.5, bent, NO_FAULT, &why);
    CHECK(498 <= found && found <= 500);
    check_label("%s: nothing to spare", bent ? "curved" : "affine");
    CHECK_INT(window_of(1.0, bent, NO_FAULT, &why), 0);
  }
}

static void suppositions(void) {
  static const struct {
    fault wrong;
    const char *why;
  } t[] = {{GUARDED_COMMAND, "guarded by what the event changes"},
           {LEAKS, "by itself"},
           {NOT_INSERTED, "inserted"},
           {ONE_LOCATION, "in every location"},
           {OTHER_GUARD, "guarded by what the event changes"}};
  for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
    const char *why = "";
    check_label("%s", t[i].why);
    CHECK_INT(window_of(2.0, false, t[i].wrong, &why), 0);
    CHECK(strstr(why, t[i].why) != NULL);
  }
}

static void contracts(void) {
  built m;
  if (!CHECK(tank(&m, 2.0, true, NO_FAULT)))
    return;
  const hys_jump *jump = &m.jump[REFILL_DRAINING];
  hys_interval x = hys_interval_make(5.0, 6.0), u = hys_interval_make(0.0, 10.0), image;
  CHECK(hys_guard_contract(&m.automaton, jump, &x, &u));
  CHECK(u.lo <= 2.0 && u.lo >= 1.999 && u.hi == 10.0);
  CHECK(x.lo == 5.0 && x.hi == 6.0);
  hys_jump_image_of(&m.automaton, jump, &x, &u, &image);
  CHECK(image.lo <= 2.0 && image.lo >= 1.998 && image.hi >= 10.0);
  CHECK(!hys_curved_hold_surely(&m.automaton, jump, &x, &u));
  u = hys_interval_make(2.5, 3.0);
  CHECK(hys_curved_hold_surely(&m.automaton, jump, &x, &u));
  u = hys_interval_make(0.0, 1.5);
  CHECK(!hys_guard_contract(&m.automaton, jump, &x, &u));
  x = hys_interval_make(5.0, 6.0);
  u = hys_interval_make(0.0, 10.0);
  image = hys_interval_make(3.0, 4.0);
  CHECK(hys_jump_image_contract(&m.automaton, jump, &image, 1, &x, &u));
  CHECK(u.lo <= 3.0 && u.lo > 2.99 && u.hi >= 4.0 && u.hi < 4.01);
  CHECK(hys_jump_reads_inputs(&m.automaton, jump) &&
        !hys_jump_reads_inputs(&m.automaton, &m.jump[STOP_JUMP]));
  hys_terminal_report report;
  check_label("stopped above 1 m is terminal with the event, which fills up to 2 m at least");
  CHECK_INT(hys_terminal_check(&m.spec, &report), HYS_HOLDS);
  bend(&m, 0.5);
  check_label("and is not if it may fill to 0.5 m");
  CHECK_INT(hys_terminal_check(&m.spec, &report), HYS_UNKNOWN);
  CHECK(report.jump != NULL && report.jump->label == REFILL);
  built_end(&m);
}

/* Runs a test with a prepared tank: 876 ms, told within 100 ms. */
static void with_tank(void (*run)(const hys_spec *spec, hys_reach_work *work, hys_reach_result *result)) {
  built m;
  hys_recovered ready;
  hys_recovery_report report;
  hys_reach_work *work = malloc(hys_reach_work_size());
  hys_reach_result *result = malloc(sizeof *result);
  if (CHECK(work != NULL && result != NULL) && CHECK(tank(&m, 2.0, false, NO_FAULT)) &&
      CHECK_INT(hys_recovery_prepare(&ready, &m.spec, NULL, &report), HYS_OK) && CHECK_INT(report.found, 1))
    run(&ready.spec, work, result);
  built_end(&m);
  free(work);
  free(result);
}

static hys_set level(uint32_t location, double lo, double hi) {
  hys_set set = {.location = location};
  set.x[0] = hys_interval_make(lo, hi);
  return set;
}

static void schedules_on(const hys_spec *spec, hys_reach_work *work, hys_reach_result *result) {
  static const struct {
    const char *what;
    uint32_t location;
    int n;
    uint32_t command[2];
    int64_t at[2];
    hys_reason reason;
  } t[] = {{"nothing to come while it drains", DRAIN, 0, {0, 0}, {0, 0}, HYS_REASON_EVENT_UNCOVERED},
           {"nothing to come, stopped", STOPPED, 0, {0, 0}, {0, 0}, HYS_REASON_NONE},
           {"stopped in time", DRAIN, 1, {STOP, 0}, {775 * MS, 0}, HYS_REASON_NONE},
           {"stopped too late for an event", DRAIN, 1, {STOP, 0}, {777 * MS, 0}, HYS_REASON_EVENT_UNCOVERED},
           {"opened again behind it", DRAIN, 2, {STOP, OPEN}, {0, 100 * MS}, HYS_REASON_EVENT_UNCOVERED},
           {"opened, stopped", STOPPED, 2, {OPEN, STOP}, {0, 100 * MS}, HYS_REASON_NONE}};
  for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
    const hys_set set = level(t[i].location, 5.0, 6.0);
    const hys_situation at = {
        .spec = spec, .command_labels = hys_absent_labels(spec), .set = &set, .n_sets = 1};
    hys_flight more[2];
    uint32_t used = 0;
    for (int k = 0; k < t[i].n; k++)
      more[k] = hys_flight_at(spec, t[i].at[k], t[i].command[k], (double)NAN);
    check_label("%s", t[i].what);
    hys_certify_schedule(&at, more, (uint32_t)t[i].n, 10000, &used, work, result);
    CHECK_INT(result->reason, t[i].reason);
    CHECK_INT(result->verdict, t[i].reason == HYS_REASON_NONE ? HYS_HOLDS : HYS_UNKNOWN);
  }
  check_label("the latest stop: level 5 m would do for 4 s, an event for 776 ms");
  const hys_set set = level(DRAIN, 5.0, 6.0);
  const hys_situation at = {
      .spec = spec, .command_labels = hys_absent_labels(spec), .set = &set, .n_sets = 1};
  hys_search search = {.work = work, .result = result, .budget = 100000, .grid = MS};
  hys_plan plan;
  CHECK(hys_plan_latest(&at, NULL, 0, 0, HYS_NEVER, &search, &plan));
  CHECK(plan.at <= 776 * MS && plan.at >= 774 * MS);
}

static void schedules(void) {
  with_tank(schedules_on);
}

static void told_on(const hys_spec *spec, hys_reach_work *work, hys_reach_result *result) {
  static const struct {
    bool possible;
    double value; /* NaN: none is reported */
    double lo, hi;
  } t[] = {
      {true, (double)NAN, 1.9, 10.0}, {true, 4.0, 3.7, 4.2}, {true, 1.9, 1.9, 2.1}, {false, 1.7, 0.0, 0.0}};
  hys_event event = spec->event[0];
  hys_spec with_value = *spec;
  event.n_values = 1;
  event.value[0] = (hys_event_value){.state = 0, .error = 0.2};
  with_value.event = &event;
  for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
    hys_estimate e;
    hys_estimate_clear(&e, &with_value);
    e.time32 = 32000 * MS;
    e.set[e.n_sets++] = level(DRAIN, 8.0, 8.5);
    check_label("told %g", t[i].value);
    CHECK_INT(
        hys_estimate_told(&e, 1000 * MS, 0, t[i].value == t[i].value ? &t[i].value : NULL, work, result),
        t[i].possible);
    CHECK_INT(e.n_sets, 1);
    if (!t[i].possible) {
      CHECK(e.set[0].x[0].lo == 8.0 && e.set[0].x[0].hi == 8.5);
      continue;
    }
    CHECK_INT(e.set[0].location, DRAIN);
    CHECK_NEAR(e.set[0].x[0].lo, t[i].lo, 1e-3);
    CHECK_NEAR(e.set[0].x[0].hi, t[i].hi, 1e-3);
  }
}

static void told(void) {
  with_tank(told_on);
}

/* A stop is on its way: the tank drains or stands.  A reading after an event that is not told agrees by
 * accident with the tank that stands. */
static void by_accident_on(const hys_spec *spec, hys_reach_work *work, hys_reach_result *result) {
  hys_shield *shield = NULL;
  hys_reading reading = {.from = 1000 * MS, .to = 1000 * MS};
  const hys_input event = {.kind = HYS_INPUT_EVENT, .which = 0};
  bool drains = false;
  (void)work;
  (void)result;
  if (!CHECK_INT(hys_shield_create(&shield, spec, NULL, NULL), HYS_OK))
    return;
  shield->estimate.time32 = 32000 * MS;
  shield->estimate.set[0] = level(DRAIN, 4.0, 4.2);
  shield->estimate.set[1] = level(STOPPED, 4.4, 5.0);
  shield->estimate.set[1].stage = 1;
  shield->estimate.n_sets = 2;
  const hys_flight stop = {STOP, (double)NAN, 500 * MS, 1500 * MS};
  CHECK(hysi_sent(shield, &stop));
  hysi_untold_follow(shield);
  reading.x[0] = hys_interval_make(4.7, 4.9);
  check_label("the cut leaves the tank that stands");
  CHECK_INT(hysi_cut(shield, 1000 * MS, &reading), HYS_REASON_NONE);
  CHECK_INT(shield->estimate.n_sets, 1);
  CHECK_INT(shield->estimate.set[0].location, STOPPED);
  check_label("no second cut while the event may still be told");
  reading.from = reading.to = 1050 * MS;
  reading.x[0] = hys_interval_make(8.0, 8.1);
  CHECK_INT(hysi_cut(shield, 1050 * MS, &reading), HYS_REASON_NONE);
  check_label("told: it may drain all the same");
  CHECK(hysi_told(shield, 1080 * MS, &event));
  for (uint32_t i = 0; i < shield->estimate.n_sets; i++)
    drains = drains || shield->estimate.set[i].location == DRAIN;
  CHECK(drains);
  CHECK_INT(shield->estimate.n_flights, 1);
  check_label("a contradiction is set aside once, and is one when no event explains it");
  reading.from = reading.to = 1080 * MS;
  reading.x[0] = hys_interval_make(20.0, 21.0);
  CHECK_INT(hysi_cut(shield, 1080 * MS, &reading), HYS_REASON_EVENT_PENDING);
  CHECK_INT(hysi_cut(shield, 1180 * MS, &reading), HYS_REASON_EVENT_PENDING);
  CHECK_INT(hysi_cut(shield, 1181 * MS, &reading), HYS_REASON_MODEL_MISMATCH);
  hys_shield_destroy(shield, NULL);
}

static void by_accident(void) {
  with_tank(by_accident_on);
}

CHECK_MAIN("recovery", {"windows", windows}, {"suppositions", suppositions}, {"guards contract", contracts},
           {"schedules end with the command", schedules}, {"an event is told", told},
           {"a reading agrees by accident", by_accident})
