/* The table of scenarios: names, and the numbers that its sources give. */
#include <math.h>
#include <string.h>

#include "sims/acc_scenarios.h"
#include "tests/oracle/acc_oracle.h"
#include "tests/support/check.h"

#define KMH(speed) ((speed) / 3.6)

static void names(void) {
  CHECK(acc_scenario_at(acc_scenario_count()) == NULL);
  CHECK(acc_scenario_find("no-such") == NULL);
  CHECK(acc_scenario_find(NULL) == NULL);
  for (size_t i = 0; i < acc_scenario_count(); i++) {
    const acc_scenario *s = acc_scenario_at(i);
    check_label("%s", s->name);
    CHECK(acc_scenario_find(s->name) == s);
    CHECK(s->text != NULL && s->text[0] != '\0');
    CHECK(strcmp(s->system, "acc") == 0 || strcmp(s->system, "acc_cutin") == 0);
    CHECK((strcmp(s->system, "acc_cutin") == 0) == (s->cut_in_at < HUGE_VAL));
    CHECK(strcmp(s->ego_mode,
                 s->v > 0 || s->recorded || s->lead.kind != ACC_LEAD_TABLE ? "cruise" : "stopped") == 0);
    CHECK(s->recorded || (s->duration > 0 && s->d >= 2 && s->v >= 0 && s->w >= 0));
    CHECK(s->agent_start >= 0);
  }
}

static void ncap(void) {
  static const struct {
    const char *name;
    double d, v, w, rate;
  } row[] = {{"ccrb-12-2", 12, KMH(50), KMH(50), 2},        {"ccrb-12-6", 12, KMH(50), KMH(50), 6},
             {"ccrb-40-2", 40, KMH(50), KMH(50), 2},        {"ccrb-40-6", 40, KMH(50), KMH(50), 6},
             {"ccrm-30", 4 * KMH(10), KMH(30), KMH(20), 0}, {"ccrm-80", 4 * KMH(60), KMH(80), KMH(20), 0},
             {"ccrs-10", 4 * KMH(10), KMH(10), 0, 0},       {"ccrs-80", 4 * KMH(80), KMH(80), 0, 0}};
  for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
    check_label("%s", row[i].name);
    const acc_scenario *s = acc_scenario_find(row[i].name);
    if (!CHECK(s != NULL))
      continue;
    CHECK_NEAR(s->d, row[i].d, 1e-12);
    CHECK_NEAR(s->v, row[i].v, 1e-12);
    CHECK_NEAR(s->w, row[i].w, 1e-12);
    CHECK_NEAR(s->lead.rate, row[i].rate, 0);
    CHECK_INT(s->lead.kind, row[i].rate > 0 ? ACC_LEAD_BRAKE : ACC_LEAD_STEADY);
    CHECK(s->lead.kind != ACC_LEAD_BRAKE || s->lead.start >= 1);
  }
}

/* The one is allowed by the guard even to an ego vehicle that accelerated all the time before; of the other
 * one UN R157 says that it must be survived, and the guard does not allow it. */
static void cut_in(void) {
  const acc_scenario *yes = acc_scenario_find("cut-in"), *no = acc_scenario_find("cut-in-close");
  if (!CHECK(yes != NULL && no != NULL))
    return;
  const acc_set *set = &acc_sets[0];
  CHECK_NEAR(yes->v, KMH(60), 1e-12);
  CHECK_NEAR(yes->cut_in_speed, KMH(40), 1e-12);
  CHECK_SAME(yes->lead.swap_at, yes->cut_in_at);
  CHECK_SAME(yes->lead.swap_speed, yes->cut_in_speed);
  CHECK(!yes->outside_model);
  CHECK(acc_cut_in_allowed(yes->cut_in_gap, yes->cut_in_speed, yes->v + 2 * yes->cut_in_at, set, 0.36, 2));
  CHECK_SAME(no->lead.swap_at, no->cut_in_at);
  CHECK(no->outside_model);
  CHECK(!acc_cut_in_allowed(no->cut_in_gap, no->cut_in_speed, no->v, set, 0.36, 2));
  CHECK(no->cut_in_gap > acc_r157_gap(no->v, no->cut_in_speed));
}

CHECK_MAIN("acc_scenarios", {"names", names}, {"Euro NCAP", ncap}, {"cutting in", cut_in})
