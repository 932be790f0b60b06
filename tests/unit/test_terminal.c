/* Terminal sets: a good one, and each condition violated once. */
#include "synth/rt/terminal.h"

#include "monitor/shield_alloc.h"
#include "synth/offline/enforceable.h"
#include "tests/support/built.h"
#include "tests/support/check.h"

#define ROW(...) ((const double[]){__VA_ARGS__})

/* Two states: x' = speed + u, y' = 0 in `run' with 0 <= y <= 4; Bad: x > 10 anywhere; T: x <= edge in `run'.
 * y and the second location `other' (x' = 0) serve the variants. */
typedef struct tank {
  built m;
  uint32_t run, other;
} tank;

static void make(tank *t, double speed, double u, double edge) {
  built *m = &t->m;
  built_start(m, 2, 1);
  t->run = built_location(m, "run", NULL, ROW(1, 0), ROW(speed, 0));
  t->other = built_location(m, "other", NULL, NULL, NULL);
  built_input(m, t->run, 0, -u, u);
  built_invariant(m, t->run, ROW(0, -1, 0), 0.0);
  built_invariant(m, t->run, ROW(0, 1, 0), 4.0);
  built_command(m, "halt");
  built_event(m, "kick", 0);
  built_forbidden(m, 0, HYS_ANY_LOCATION, ROW(-1, 0, 0), -10.0, true);
  built_terminal(m, 0, t->run, ROW(1, 0, 0), edge);
}

static hys_verdict check(tank *t, hys_terminal_report *report) {
  hys_verdict verdict = HYS_VIOLATED;
  if (CHECK(built_finish(&t->m))) {
    verdict = hys_terminal_check(&t->m.spec, report);
    /* a shield is not made over a T that is not shown to be one */
    hys_shield *shield = NULL;
    const hys_status status = hys_shield_create(&shield, &t->m.spec, NULL, NULL);
    CHECK_INT(status, verdict == HYS_HOLDS ? HYS_OK : HYS_ERR_INPUT);
    CHECK((shield != NULL) == (verdict == HYS_HOLDS));
    hys_shield_destroy(shield, NULL);
    hys_certificate_report certificate;
    hys_status trouble;
    CHECK(verdict == HYS_HOLDS ||
          hys_certify(&t->m.spec, NULL, &certificate, &trouble) == HYS_UNKNOWN); /* no Init, no T */
  }
  return verdict;
}

static void good(void) {
  hys_terminal_report report;
  tank t;
  make(&t, -1.0, 0.5, 9.0);
  CHECK_INT(check(&t, &report), HYS_HOLDS);
  built_end(&t.m);
  check_label("the edge of Bad, and standing on it");
  make(&t, -0.5, 0.5, 10.0);
  CHECK_INT(check(&t, &report), HYS_HOLDS);
  built_end(&t.m);
}

static void reaches_bad(void) { /* T1 */
  hys_terminal_report report;
  tank t;
  make(&t, -1.0, 0.5, 10.0078125);
  CHECK_INT(check(&t, &report), HYS_UNKNOWN);
  CHECK_STR(hys_reason_name(report.reason), "UNSAFE");
  CHECK_INT(report.region, 0);
  CHECK(report.row == &t.m.forbidden_row[0][0]);
  built_end(&t.m);
  check_label("Bad is closed: its edge is in it");
  make(&t, -1.0, 0.5, 10.0);
  t.m.forbidden_row[0][0].strict = false;
  CHECK_INT(check(&t, &report), HYS_UNKNOWN);
  CHECK_STR(hys_reason_name(report.reason), "UNSAFE");
  built_end(&t.m);
  check_label("Bad in the other location alone");
  make(&t, -1.0, 0.5, 11.0);
  t.m.forbidden[0].location = t.other;
  CHECK_INT(check(&t, &report), HYS_HOLDS);
  built_end(&t.m);
}

static void flow_leads_out(void) { /* T2 */
  hys_terminal_report report;
  tank t;
  make(&t, -0.5, 0.5078125, 9.0);
  CHECK_INT(check(&t, &report), HYS_UNKNOWN);
  CHECK_STR(hys_reason_name(report.reason), "NOT_TERMINAL");
  CHECK(report.row == &t.m.terminal_row[0][0]);
  CHECK(report.jump == NULL);
  built_end(&t.m);
  check_label("a second face");
  make(&t, -1.0, 0.5, 9.0);
  built_terminal(&t.m, 0, t.run, ROW(-1, 0, 0), 5.0); /* x >= -5 */
  CHECK_INT(check(&t, &report), HYS_UNKNOWN);
  CHECK_STR(hys_reason_name(report.reason), "NOT_TERMINAL");
  CHECK(report.row == &t.m.terminal_row[0][1]);
  built_end(&t.m);
  check_label("a face that the invariant implies");
  make(&t, -1.0, 0.5, 9.0);
  built_invariant(&t.m, t.run, ROW(-1, 0, 0), 4.0);   /* x >= -4: T's x >= -5 needs no proof, */
  built_terminal(&t.m, 0, t.run, ROW(-1, 0, 0), 5.0); /* but time stops at x = -4 */
  CHECK_INT(check(&t, &report), HYS_UNKNOWN);
  CHECK_STR(hys_reason_name(report.reason), "BLOCKED");
  built_end(&t.m);
}

static void jump_leads_out(void) { /* T3 */
  static const struct {
    const char *label;
    int32_t kind; /* HYS_NO_LABEL, 0 the command, 1 the event */
    double guard; /* x >= guard */
    double to;    /* x' */
    bool covered; /* T has the other location, x <= 9 */
    hys_verdict verdict;
  } rows[] = {{"plant, uncovered", HYS_NO_LABEL, 8.0, 0.0, false, HYS_UNKNOWN},
              {"plant, covered", HYS_NO_LABEL, 8.0, 9.0, true, HYS_HOLDS},
              {"plant, beyond what is covered", HYS_NO_LABEL, 8.0, 9.0078125, true, HYS_UNKNOWN},
              {"plant, never possible in T", HYS_NO_LABEL, 9.0078125, 0.0, false, HYS_HOLDS},
              {"event, uncovered", 1, 8.0, 0.0, false, HYS_UNKNOWN},
              {"event, covered", 1, 8.0, 9.0, true, HYS_HOLDS},
              {"a command does not happen in T", 0, 8.0, 0.0, false, HYS_HOLDS}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    hys_terminal_report report;
    tank t;
    check_label("%s", rows[i].label);
    make(&t, -1.0, 0.5, 9.0);
    const uint32_t j = built_jump(&t.m, t.run, t.other, rows[i].kind);
    built_guard(&t.m, j, ROW(-1, 0, 0), -rows[i].guard);
    built_reset(&t.m, j, 0, NULL, rows[i].to, rows[i].to);
    if (rows[i].covered)
      built_terminal(&t.m, 1, t.other, ROW(1, 0, 0), 9.0);
    CHECK_INT(check(&t, &report), rows[i].verdict);
    if (rows[i].verdict != HYS_HOLDS) {
      CHECK_STR(hys_reason_name(report.reason), "NOT_TERMINAL");
      CHECK(report.jump == &t.m.jump[j]);
    }
    built_end(&t.m);
  }
}

static void blocked_in_it(void) { /* T4 */
  hys_terminal_report report;
  tank t;
  make(&t, -1.0, 0.5, 9.0);
  built_invariant(&t.m, t.run, ROW(-1, 0, 0), 0.0); /* x >= 0, and nothing at the border */
  CHECK_INT(check(&t, &report), HYS_UNKNOWN);
  CHECK_STR(hys_reason_name(report.reason), "BLOCKED");
  built_end(&t.m);
  check_label("a jump at the border");
  make(&t, -1.0, 0.5, 9.0);
  built_invariant(&t.m, t.run, ROW(-1, 0, 0), 0.0);
  built_guard(&t.m, built_jump(&t.m, t.run, t.other, HYS_NO_LABEL), ROW(1, 0, 0), 0.0);
  built_terminal(&t.m, 1, t.other, ROW(1, 0, 0), 9.0);
  CHECK_INT(check(&t, &report), HYS_HOLDS);
  built_end(&t.m);
  check_label("an input holds it");
  make(&t, 0.0, 0.5, 9.0);
  built_input(&t.m, t.run, 0, -0.5, 0.0);
  built_invariant(&t.m, t.run, ROW(-1, 0, 0), 0.0);
  CHECK_INT(check(&t, &report), HYS_HOLDS);
  built_end(&t.m);
  check_label("an urgent location that nothing leaves");
  make(&t, -1.0, 0.5, 9.0);
  built_urgent(&t.m, t.other);
  built_terminal(&t.m, 1, t.other, ROW(1, 0, 0), 9.0);
  CHECK_INT(check(&t, &report), HYS_UNKNOWN); /* no time passes there */
  built_end(&t.m);
}

static void not_a_number(void) {
  for (int k = 0; k < 3; k++) {
    hys_terminal_report report;
    tank t;
    check_label("bound %d", k);
    make(&t, -1.0, 0.5, 9.0);
    hys_interval *c = &t.m.terminal_row[0][0].c;
    if (k != 1)
      c->lo = HYSI_NAN;
    if (k != 0)
      c->hi = HYSI_NAN;
    CHECK_INT(check(&t, &report), HYS_UNKNOWN);
    built_end(&t.m);
  }
  hys_terminal_report report;
  tank t;
  check_label("half a bound, and the flow leads out");
  make(&t, 1.0, 0.5, 9.0);
  t.m.terminal_row[0][0].c.hi = HYSI_NAN;
  CHECK_INT(check(&t, &report), HYS_UNKNOWN);
  built_end(&t.m);
  check_label("a coefficient");
  make(&t, -1.0, 0.5, 9.0);
  hys_interval odd[3] = {{HYSI_NAN, HYSI_NAN}, {0, 0}, {0, 0}};
  t.m.terminal_row[0][0].a = odd;
  CHECK_INT(check(&t, &report), HYS_UNKNOWN);
  built_end(&t.m);
}

static void nothing_given(void) {
  hys_terminal_report report;
  tank t;
  make(&t, -1.0, 0.5, 9.0);
  t.m.spec.n_terminal = 0;
  CHECK_INT(check(&t, &report), HYS_UNKNOWN);
  built_end(&t.m);
}

CHECK_MAIN("terminal", {"a terminal set", good}, {"T1: reaches Bad", reaches_bad},
           {"T2: the flow leads out", flow_leads_out}, {"T3: a jump leads out", jump_leads_out},
           {"T4: blocked", blocked_in_it}, {"not a number", not_a_number}, {"nothing given", nothing_given})
