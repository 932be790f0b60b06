/* The agents: the car-following laws by their known points, the rule of the remainder, and what each unsafe
 * one does. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sims/agents.h"
#include "tests/support/check.h"

static const agent_idm idm = {50, 1.5, 3, 1.4, 2};

static double level(const char *label) {
  return strcmp(label, "accelerate") == 0 ? 2.0
         : strcmp(label, "cruise") == 0   ? 0.0
         : strcmp(label, "coast") == 0    ? -0.5
                                          : -6.0;
}

static agent *make(const char *name) {
  agent *a = NULL;
  CHECK_INT(agent_create(&a, name, NULL, NULL), HYS_OK);
  return a;
}

static void idm_points(void) {
  for (double v = 0; v <= 40; v += 5) {
    check_label("equilibrium at %g m/s: (s0 + v T) / sqrt(1 - (v / v0)^4)", v);
    const double gap = (3 + 1.5 * v) / sqrt(1 - pow(v / 50, 4));
    CHECK_NEAR(agent_idm_accel(&idm, gap, v, v), 0, 1e-12);
    CHECK(agent_idm_accel(&idm, gap * 1.01, v, v) > 0);
    CHECK(agent_idm_accel(&idm, gap * 0.99, v, v) < 0);
  }
  check_label("free road");
  CHECK_NEAR(agent_idm_accel(&idm, 1e9, 0, 0), 1.4, 1e-12);
  CHECK_NEAR(agent_idm_accel(&idm, 1e9, 50, 50), 0, 1e-12);
  check_label("closing at 10 m/s: 3 + 30 + 20 * 10 / (2 sqrt 2.8) metres wanted, 60 there");
  const double wanted = 33 + 200 / (2 * sqrt(2.8));
  CHECK_NEAR(agent_idm_accel(&idm, 60, 20, 10), 1.4 * (1 - pow(0.4, 4) - wanted * wanted / 3600), 1e-12);
  check_label("running away from the vehicle behind asks for no less than s0");
  CHECK_NEAR(agent_idm_accel(&idm, 30, 10, 40), 1.4 * (1 - pow(0.2, 4) - 0.01), 1e-12);
  check_label("a gap of nothing and less is finite");
  CHECK(isfinite(agent_idm_accel(&idm, -5, 20, 10)));
}

/* Applied and carried add up to what was wanted, exactly as long as nothing was cut off. */
static void remainder_rule(void) {
  static const struct {
    double wanted;
    const char *label;
    double carry;
  } row[] = {{0.9, "cruise", 0.9},     {0.9, "accelerate", -0.2},   {0.9, "cruise", 0.7},
             {0.3, "cruise", 1.0},     {0.25, "accelerate", -0.75}, {0.0, "coast", -0.25},
             {0.0, "coast", 0.25},     {-0.5, "coast", 0.25},       {-3.75, "brake", 2.5},
             {0.0, "accelerate", 0.5}, {9.0, "accelerate", 3.0},    {-9.5, "brake", -0.5},
             {-9.0, "brake", -3.0}};
  agent_levels levels = {2, 0.5, 6, 0};
  for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
    check_label("period %zu", i);
    CHECK_STR(agent_levels_choose(&levels, row[i].wanted), row[i].label);
    CHECK_NEAR(levels.carry, row[i].carry, 1e-12);
  }
  check_label("the mean of what is applied is what is wanted, between any two levels");
  for (double wanted = -5.9; wanted < 2; wanted += 0.37) {
    agent_levels mean = {2, 0.5, 6, 0};
    double sum = 0;
    for (int k = 0; k < 1000; k++)
      sum += level(agent_levels_choose(&mean, wanted));
    CHECK_NEAR(sum + mean.carry, 1000 * wanted, 1e-9);
    CHECK_NEAR(sum / 1000, wanted, 3e-3);
  }
}

/* Follows a vehicle that keeps its speed, by exact motion within each period. */
static void follow(agent *a, double w, double *d, double *v, double seconds) {
  const char *mode = "cruise";
  for (int k = 0; k < (int)(seconds * 10); k++) {
    agent_command command;
    agent_decide(a, 0.1 * k, (const double[]){*d, *v, w}, &command);
    if (command.label != NULL)
      mode = command.label;
    const double acceleration = level(mode), v_next = fmax(0.0, *v + acceleration * 0.1);
    *d += (w - (*v + v_next) / 2) * 0.1;
    *v = v_next;
  }
}

static void safe_agents_follow(void) {
  static const struct {
    const char *name;
    double w, d, v, gap, tolerance;
  } row[] = {{"idm", 20, 60, 20, 33.43, 1.0},
             {"idm", 10, 100, 25, 18.01, 1.0},
             {"idm", 0, 40, 10, 3, 0.7},
             {"headway_pi", 20, 60, 20, 33, 1.0},
             {"headway_pi", 10, 100, 25, 18, 1.0}};
  for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
    check_label("%s behind %g m/s from %g m at %g m/s", row[i].name, row[i].w, row[i].d, row[i].v);
    agent *a = make(row[i].name);
    if (a == NULL)
      return;
    double d = row[i].d, v = row[i].v;
    follow(a, row[i].w, &d, &v, 120);
    CHECK_NEAR(d, row[i].gap, row[i].tolerance);
    CHECK_NEAR(v, row[i].w, 0.3);
    if (row[i].w > 0)
      CHECK_NEAR(d / v, row[i].gap / row[i].w, 0.1);
    agent_destroy(a);
  }
}

static void unsafe_agents_crash(void) {
  static const char *const name[] = {"accelerate", "wrong_sign"};
  for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
    check_label("%s", name[i]);
    agent *a = make(name[i]);
    if (a == NULL)
      return;
    double d = 30, v = 20;
    follow(a, 15, &d, &v, 30);
    CHECK(d < 0);
    agent_destroy(a);
  }
}

static void stale(void) {
  agent *old = make("stale"), *fresh = make("idm");
  if (old == NULL || fresh == NULL)
    return;
  agent_command late, now;
  const char *expected[100];
  for (int k = 0; k < 100; k++) {
    const double sample[] = {60 - 0.5 * k, 20 + 0.1 * k, 18};
    agent_decide(fresh, 0.1 * k, sample, &now);
    expected[k] = now.label;
  }
  /* During the first two seconds the stale one has but its first sample: prepare the other one's remainder
   * likewise. */
  agent_reset(fresh);
  for (int k = 0; k < 20; k++)
    agent_decide(fresh, 0.1 * k, (const double[]){60, 20, 18}, &now);
  int differs = 0;
  for (int k = 0; k < 100; k++) {
    check_label("period %d", k);
    const double sample[] = {60 - 0.5 * k, 20 + 0.1 * k, 18};
    agent_decide(old, 0.1 * k, sample, &late);
    if (k < 20)
      continue;
    const double then[] = {60 - 0.5 * (k - 20), 20 + 0.1 * (k - 20), 18};
    agent_decide(fresh, 0.1 * k, then, &now);
    CHECK_STR(late.label, now.label);
    differs += strcmp(late.label, expected[k]) != 0;
  }
  check_label("and it is another one than that of now");
  CHECK(differs > 10);
  agent_destroy(old);
  agent_destroy(fresh);
}

static void random_agent(void) {
  agent_config config;
  agent_config_default(&config);
  agent *a = NULL, *same = NULL, *plain = NULL;
  CHECK_INT(agent_create(&a, "random", &config, NULL), HYS_OK);
  CHECK_INT(agent_create(&same, "random", &config, NULL), HYS_OK);
  config.seed = 2;
  config.values = false;
  CHECK_INT(agent_create(&plain, "random", &config, NULL), HYS_OK);
  if (a == NULL || same == NULL || plain == NULL)
    return;
  const double sample[] = {50, 20, 20};
  int seen[5] = {0};
  agent_command x, y, first = {NULL, 0};
  for (int k = 0; k < 5000; k++) {
    agent_decide(a, 0.1 * k, sample, &x);
    agent_decide(same, 0.1 * k, sample, &y);
    if (k == 0)
      first = x;
    check_label("period %d", k);
    CHECK_STR(x.label, y.label);
    CHECK_SAME(x.value, y.value);
    const bool valued = strcmp(x.label, "set_accel") == 0;
    CHECK(valued ? x.value >= -6 && x.value <= 2 : isnan(x.value));
    seen[valued                               ? 4
         : strcmp(x.label, "accelerate") == 0 ? 0
         : strcmp(x.label, "cruise") == 0     ? 1
         : strcmp(x.label, "coast") == 0      ? 2
                                              : 3]++;
    agent_decide(plain, 0.1 * k, sample, &y);
    CHECK(strcmp(y.label, "set_accel") != 0);
  }
  for (int i = 0; i < 5; i++)
    CHECK(seen[i] > 900 && seen[i] < 1100);
  check_label("reset");
  agent_reset(a);
  agent_decide(a, 0, sample, &x);
  CHECK_STR(x.label, first.label);
  CHECK_SAME(x.value, first.value);
  agent_destroy(a);
  agent_destroy(same);
  agent_destroy(plain);
}

static void samples_that_are_missing(void) {
  const double nan_ = (double)NAN;
  agent_config config;
  agent_config_default(&config);
  config.start = 0.15;
  agent *a = NULL;
  CHECK_INT(agent_create(&a, "idm", &config, NULL), HYS_OK);
  if (a == NULL)
    return;
  agent_command command;
  check_label("before its start, and before each has been measured once, it says nothing");
  agent_decide(a, 0.1, (const double[]){10, 20, nan_}, &command);
  CHECK(command.label == NULL);
  agent_decide(a, 0.2, (const double[]){10, 20, nan_}, &command);
  CHECK(command.label == NULL);
  check_label("then the last value stands for a missing one");
  agent_decide(a, 0.3, (const double[]){nan_, nan_, 10}, &command);
  CHECK_STR(command.label, "brake");
  CHECK(isnan(command.value));
  agent_decide(a, 0.4, (const double[]){nan_, HUGE_VAL, nan_}, &command);
  CHECK_STR(command.label, "brake");
  agent_destroy(a);
}

static void *no_allocate(void *context, size_t size) {
  (void)context;
  (void)size;
  return NULL;
}

static void no_release(void *context, void *memory) {
  (void)context;
  free(memory);
}

static void refused(void) {
  agent *a;
  agent_config config;
  CHECK_INT(agent_create(&a, "nobody", NULL, NULL), HYS_ERR_UNSUPPORTED);
  CHECK(a == NULL);
  CHECK_INT(agent_create(&a, NULL, NULL, NULL), HYS_ERR_ARG);
  for (int i = 0; i < 6; i++) {
    check_label("config %d", i);
    agent_config_default(&config);
    double *const field[] = {&config.period,     &config.d_min, &config.brake,
                             &config.accelerate, &config.coast, &config.start};
    *field[i] = -1;
    CHECK_INT(agent_create(&a, "idm", &config, NULL), HYS_ERR_ARG);
    *field[i] = (double)NAN;
    CHECK_INT(agent_create(&a, "idm", &config, NULL), HYS_ERR_ARG);
  }
  check_label("a period so short that two seconds are not remembered");
  agent_config_default(&config);
  config.period = 1e-3;
  CHECK_INT(agent_create(&a, "stale", &config, NULL), HYS_ERR_ARG);
  const hys_allocator none = {no_allocate, no_release, NULL};
  CHECK_INT(agent_create(&a, "idm", NULL, &none), HYS_ERR_MEMORY);
  CHECK(a == NULL);
  for (size_t i = 0; i < agent_count(); i++) {
    check_label("%s", agent_name(i));
    CHECK(agent_text(i) != NULL);
    a = make(agent_name(i));
    CHECK(a != NULL);
    agent_destroy(a);
  }
  CHECK(agent_name(agent_count()) == NULL && agent_text(agent_count()) == NULL);
}

CHECK_MAIN("agents", {"the Intelligent Driver Model by its known points", idm_points},
           {"the rule of the remainder", remainder_rule}, {"safe agents follow", safe_agents_follow},
           {"unsafe agents crash", unsafe_agents_crash}, {"the stale one", stale},
           {"the random one", random_agent}, {"missing samples", samples_that_are_missing},
           {"what is refused", refused})
