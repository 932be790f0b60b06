/* Runs with jumps of models that were read, against runs computed here from the equations: closed forms where
 * there are, else an integration of our own right-hand sides. */
#include <float.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <math.h>
#include <string.h>

#include "sims/plant.h"
#include "sims/trajectory.h"
#include "tests/conform/meaning.h"
#include "tests/support/check.h"

#define REAL(name) "<param name='" name "' type='real' local='false' d1='1' d2='1' dynamics='any'/>"
#define SEEN(name)                                                                                           \
  "<param name='" name "' type='real' local='false' d1='1' d2='1' dynamics='any' controlled='false'/>"
#define OWN(name) "<param name='" name "' type='real' local='true' d1='1' d2='1' dynamics='any'/>"
#define CONST(name) "<param name='" name "' type='real' local='false' d1='1' d2='1' dynamics='const'/>"
#define LABEL(name) "<param name='" name "' type='label' local='false'/>"
#define LOCATION(id, name, invariant, flow)                                                                  \
  "<location id='" id "' name='" name "'><invariant>" invariant "</invariant><flow>" flow "</flow></"        \
  "location>"
#define JUMP(from, to, label, guard, assignment)                                                             \
  "<transition source='" from "' target='" to "'>" label "<guard>" guard "</guard><assignment>" assignment   \
  "</assignment></transition>"
#define ON(label) "<label>" label "</label>"
#define BIND(component, as, maps) "<bind component='" component "' as='" as "'>" maps "</bind>"
#define MAP(key, value) "<map key='" key "'>" value "</map>"
#define COMPONENT(id, body) "<component id='" id "'>" body "</component>"

/* How far two runs may be apart: the integrator keeps 1e-10 a step and an event is found to 1e-12 of one; the
 * runs below have at most some hundred steps and events, and neither their flows nor their jumps widen a
 * difference by more than a factor of ten. */
static const double apart = 1e-6;

/* A run by hand: the state at t, asked for at increasing t; a jump of the model at t itself is not yet taken.
 */
typedef struct by_hand {
  const text_model *m;
  size_t index[4]; /* of the variables that are compared */
  size_t n;
  void (*at)(double t, double *x, const char **location); /* location: as the model names it */
  double ambiguous;                                       /* no comparison so near to a jump of ours */
  double (*next_jump)(double t);
  unsigned rows;
  uint64_t jumps;
} by_hand;

static bool compare(void *context, const hys_trajectory_row *row) {
  by_hand *h = context;
  double x[4];
  const char *location = NULL;

  if (row->jump != NULL)
    h->jumps++;
  if (fabs(h->next_jump(row->t) - row->t) < h->ambiguous ||
      fabs(h->next_jump(row->t - 2.0 * h->ambiguous) - row->t) < h->ambiguous)
    return true;
  h->at(row->t, x, &location);
  check_label("t = %.17g", row->t);
  h->rows++;
  if (location != NULL && !CHECK_STR(row->location->name, location))
    return false;
  for (size_t i = 0; i < h->n; i++)
    if (!CHECK_NEAR(row->x[h->index[i]], x[i], apart))
      return false;
  return true;
}

static double never(double t) {
  (void)t;
  return HUGE_VAL;
}

static hys_trajectory_result run(by_hand *h, const char *const *names, size_t n,
                                 const hys_trajectory_config *config) {
  hys_trajectory_result result = {.end = HYS_END_STOPPED};

  h->n = n;
  for (size_t i = 0; i < n; i++) {
    h->index[i] = meaning_variable(h->m->automaton, names[i]);
    if (h->index[i] == SIZE_MAX)
      return result;
  }
  CHECK_INT(hys_trajectory_run(h->m->automaton, config, compare, h, &result), HYS_OK);
  return result;
}

/* ---- a heater and its controller: labels, a shared variable, constants by bind and by `initially' ---- */

static const char heater[] = COMPONENT(
    "heater", REAL("t") CONST("up") CONST("down") LABEL("on") LABEL("off")
                  LOCATION("1", "heating", "", "t' == up") LOCATION("2", "cooling", "", "t' == -down")
                      JUMP("1", "2", ON("off"), "", "") JUMP("2", "1", ON("on"), "", ""))
    COMPONENT("controller", SEEN("t") CONST("low") CONST("high") LABEL("on") LABEL("off") OWN("n")
                                LOCATION("1", "hot", "t &lt;= high", "n' == 0")
                                    LOCATION("2", "cold", "t &gt;= low", "n' == 0")
                                        JUMP("1", "2", ON("off"), "t &gt;= high", "n := n + 1")
                                            JUMP("2", "1", ON("on"), "t &lt;= low", ""))
        COMPONENT("house",
                  REAL("temp") CONST("d") LABEL("on") LABEL("off")
                      BIND("heater", "h",
                           MAP("t", "temp") MAP("up", "2") MAP("down", "d") MAP("on", "on") MAP("off", "off"))
                          BIND("controller", "k",
                               MAP("t", "temp") MAP("low", "18") MAP("high", "3*7") MAP("on", "on")
                                   MAP("off", "off")));

/* From 20 it heats by 2 a second to 21 at 0.5, and from then on cools by 1 for 3 s, heats for 1.5 s. */
static void heater_at(double t, double *x, const char **location) {
  const double since = fmod(t + 4.0, 4.5);
  const bool cooling = since < 3.0 && t >= 0.5;
  x[0] = cooling ? 21.0 - since : 18.0 + 2.0 * (since - 3.0);
  x[1] = t < 0.5 ? 0.0 : 1.0 + floor((t - 0.5) / 4.5);
  *location = cooling ? "h=cooling;k=cold" : "h=heating;k=hot";
}
static double heater_next(double t) {
  const double k = floor((t - 0.5) / 4.5), since = t - 0.5 - 4.5 * k;
  return t < 0.5 ? 0.5 : 0.5 + 4.5 * k + (since < 3.0 ? 3.0 : 4.5);
}
static void heaters(void) {
  text_model m;
  by_hand h = {.m = &m, .at = heater_at, .next_jump = heater_next, .ambiguous = 1e-9};
  hys_trajectory_config config;
  if (text_model_open(
          &m, heater,
          "system = house\ninitially = \"temp == 20 & d == 1 & n == 0 & loc(h)==heating & loc(k)==hot\"\n")) {
    hys_trajectory_config_default(&config, 20.0);
    config.sample = 0.07;
    config.haste = HYS_HASTE_EARLY;
    const hys_trajectory_result r = run(&h, (const char *const[]){"temp", "k.n"}, 2, &config);
    check_label("all");
    CHECK_INT(r.end, HYS_END_HORIZON);
    CHECK_INT(r.jumps, 9); /* 0.5, 3.5, 5, 8, 9.5, 12.5, 14, 17, 18.5 */
    CHECK(h.rows > 250);
  }
  text_model_close(&m);
}

/* ---- simultaneous assignments, an urgent location, a clock ---- */

static const char swapper[] = COMPONENT(
    "c",
    REAL("x") REAL("y") REAL("c") LOCATION("1", "run", "c &lt;= 1", "x' == 1 &amp; y' == -2 &amp; c' == 1")
        LOCATION("2", "now", "", "false") JUMP("1", "2", "", "c &gt;= 1", "x := y &amp; y' == x &amp; c := 0")
            JUMP("2", "1", "", "", "x' == 2*x - y"));

static void swap_at(double t, double *x, const char **location) {
  x[0] = 1.0, x[1] = 3.0;
  for (double k = 1.0; k <= t; k += 1.0) {
    const double a = x[0] + 1.0, b = x[1] - 2.0; /* at the end of the second */
    x[1] = a;
    x[0] = 2.0 * b - a;
  }
  x[2] = t - floor(t);
  x[0] += x[2];
  x[1] -= 2.0 * x[2];
  *location = "run";
}
static double swap_next(double t) {
  return floor(t) + 1.0;
}
static void swaps(void) {
  text_model m;
  by_hand h = {.m = &m, .at = swap_at, .next_jump = swap_next, .ambiguous = 1e-9};
  hys_trajectory_config config;
  if (text_model_open(&m, swapper, "initially = \"x == 1 & y == 3 & c == 0 & loc()==run\"\n")) {
    hys_trajectory_config_default(&config, 6.5);
    config.sample = 0.125 + 1e-3;
    config.haste = HYS_HASTE_LATE;
    const hys_trajectory_result r = run(&h, (const char *const[]){"x", "y", "c"}, 3, &config);
    check_label("all");
    CHECK_INT(r.end, HYS_END_HORIZON);
    CHECK_INT(r.jumps, 12);
    CHECK(h.rows > 45);
  }
  text_model_close(&m);
}

/* ---- a reset to an interval, beside one that reads the values before the jump ---- */

static const char chooser[] =
    COMPONENT("c", REAL("x") REAL("y") LOCATION("1", "run", "x &lt;= 5", "x' == 1 &amp; y' == 0")
                       JUMP("1", "1", "", "x &gt;= 5", "x' &gt;= 1 &amp; x' &lt;= 2 &amp; y' == x/2 + y"));

typedef struct choices {
  size_t x, y;
  double least, largest, y_before;
  unsigned n;
  bool good;
} choices;
static bool choose(void *context, const hys_trajectory_row *row) {
  choices *c = context;
  if (row->jump != NULL) {
    const double x = row->x[c->x];
    c->n++;
    c->least = fmin(c->least, x);
    c->largest = fmax(c->largest, x);
    c->good = c->good && fabs(row->x[c->y] - (c->y_before + 2.5)) <= apart;
  }
  c->y_before = row->x[c->y];
  return true;
}
static void intervals(void) {
  text_model m;
  hys_trajectory_config config;
  hys_trajectory_result r;
  if (text_model_open(&m, chooser, "initially = \"x == 4 & y == 1\"\n")) {
    choices c = {meaning_variable(m.automaton, "x"),
                 meaning_variable(m.automaton, "y"),
                 HUGE_VAL,
                 -HUGE_VAL,
                 1.0,
                 0,
                 true};
    hys_trajectory_config_default(&config, 300.0);
    config.haste = HYS_HASTE_LATE;
    CHECK_INT(hys_trajectory_run(m.automaton, &config, choose, &c, &r), HYS_OK);
    /* between jumps pass 3 to 4 s; the chance that of eighty draws none lies in a tenth at an end is 2e-4,
     * and the seed is fixed */
    CHECK(c.n >= 75 && c.n <= 100 && c.good);
    CHECK(c.least >= 1.0 && c.least <= 1.1 && c.largest <= 2.0 && c.largest >= 1.9);
  }
  text_model_close(&m);
}

/* ---- an input that nobody controls, by a script ---- */

static const char driven[] = COMPONENT(
    "c", REAL("x") SEEN("u") LOCATION("1", "run", "u &gt;= -1 &amp; u &lt;= 1", "x' == -2*x + 3*u"));

static void driven_at(double t, double *x, const char **location) {
  const double u = t < 1.0 ? 0.5 : -1.0, from = t < 1.0 ? 0.0 : 1.0;
  const double start = t < 1.0 ? 2.0 : 0.75 + (2.0 - 0.75) * exp(-2.0);
  x[0] = 1.5 * u + (start - 1.5 * u) * exp(-2.0 * (t - from));
  *location = "run";
}
static void inputs(void) {
  text_model m;
  by_hand h = {.m = &m, .at = driven_at, .next_jump = never};
  hys_trajectory_config config;
  if (text_model_open(&m, driven, "initially = \"x == 2\"\n")) {
    double first[2], second[2];
    const size_t x = meaning_variable(m.automaton, "x"), u = meaning_variable(m.automaton, "u");
    if (CHECK(x < 2 && u < 2)) {
      first[x] = second[x] = HYSI_NAN;
      first[u] = 0.5;
      second[u] = -1.0;
      const hys_script_entry script[] = {{0.0, first, HYS_NO_LABEL}, {1.0, second, HYS_NO_LABEL}};
      hys_trajectory_config_default(&config, 3.0);
      config.sample = 0.05;
      config.script = script;
      config.n_script = 2;
      CHECK(m.automaton->input[u] && !m.automaton->input[x]);
      const hys_trajectory_result r = run(&h, (const char *const[]){"x"}, 1, &config);
      CHECK_INT(r.end, HYS_END_HORIZON);
      CHECK(h.rows > 55);
    }
  }
  text_model_close(&m);
}

/* ---- a bouncing ball from a public file, by trajectory and by plant ---- */

/* Dropped from 10 m; each impact leaves three quarters of the speed. */
static void ball_at(double t, double *x, const char **location) {
  const double g = 9.81;
  double from = sqrt(20.0 / g), v = g * from;
  *location = "loc1";
  if (t <= from) {
    x[0] = 10.0 - g * t * t / 2.0;
    x[1] = -g * t;
    return;
  }
  for (v *= 0.75; t > from + 2.0 * v / g; v *= 0.75)
    from += 2.0 * v / g;
  x[0] = v * (t - from) - g * (t - from) * (t - from) / 2.0;
  x[1] = v - g * (t - from);
}
static double ball_next(double t) {
  const double g = 9.81;
  double at = sqrt(20.0 / g), v = g * at;
  while (at < t) {
    v *= 0.75;
    at += 2.0 * v / g;
  }
  return at;
}
static void bouncing_ball(void) {
  static const char text[] = "x1 == 10 & x2 == 0";
  const hys_model_text start = {
      .file = "start", .text = text, .length = sizeof text - 1, .line = 1, .column = 1};
  text_model m;
  by_hand h = {.m = &m, .at = ball_at, .next_jump = ball_next, .ambiguous = 1e-7};
  hys_trajectory_config config;
  hys_diagnostics said;
  if (meaning_open(&m, "17_hybrid_bball.xml", NULL)) {
    hys_trajectory_config_default(&config, 5.0);
    hys_diagnostics_init(&said, m.arena);
    CHECK_INT(hys_hybrid_sets(m.automaton, &start, &said, &config.initially, &config.n_initially), HYS_OK);
    config.sample = 0.03;
    config.haste = HYS_HASTE_LATE;
    const hys_trajectory_result r = run(&h, (const char *const[]){"x1", "x2"}, 2, &config);
    check_label("all");
    CHECK_INT(r.end, HYS_END_HORIZON);
    CHECK_INT(r.jumps, 2); /* at 1.43 s and 3.57 s */
    CHECK(h.rows > 150);
  }
  text_model_close(&m);
}

static void ball_as_plant(void) {
  static const char ball[] = COMPONENT(
      "ball", REAL("x1") REAL("x2") LOCATION("1", "loc1", "x1 &gt;= 0", "x1' == x2 &amp; x2' == -9.81")
                  JUMP("1", "1", "", "x1 &lt;= 0 &amp; x2 &lt;= 0", "x2 := -3*x2/4"));
  text_model m;
  const hys_automaton *a = NULL;
  hys_plant *plant = NULL;
  hys_diagnostics said;
  hys_plant_view view;
  if (text_model_open(&m, ball, "initially = \"x1 == 10 & x2 == 0\"\n")) {
    hys_diagnostics_init(&said, m.arena);
    CHECK_INT(hys_model_automaton(m.model, m.arena, &said, &a), HYS_OK);
    if (a != NULL && CHECK_INT(hys_plant_create(&plant, a, NULL, NULL), HYS_OK)) {
      const size_t x1 = strcmp(a->state_name[0], "x1") == 0 ? 0 : 1;
      double x[2], want[2];
      const char *location;
      x[x1] = 10.0;
      x[1 - x1] = 0.0;
      CHECK_INT(hys_plant_start(plant, 0.0, 0, x), HYS_OK);
      for (double t = 0.1; t < 5.0; t += 0.1) {
        check_label("t = %g", t);
        CHECK_INT(hys_plant_advance(plant, t), HYS_OK);
        hys_plant_look(plant, &view);
        ball_at(t, want, &location);
        CHECK_NEAR(view.x[x1], want[0], apart);
        CHECK_NEAR(view.x[1 - x1], want[1], apart);
      }
      hys_plant_look(plant, &view);
      CHECK_INT(view.jumps, 2);
    }
    hys_plant_destroy(plant);
  }
  text_model_close(&m);
}

/* ---- a sampled controller from a public file: urgent start, a period from `initially', resets with products
 * ---- */

static void sampled_at(double t, double *x, const char **location) {
  const double period = 0.005;
  double v = 0.0, p = 0.05, a = 10.0 * (1.0 - p) + 3.0 * -v, left = t;
  for (; left > period; left -= period) {
    p += v * period + a * period * period / 2.0;
    v += a * period;
    a = 10.0 * (1.0 - p) + 3.0 * -v;
  }
  x[0] = p + v * left + a * left * left / 2.0;
  x[1] = v + a * left;
  x[2] = a;
  x[3] = t;
  *location = "helicopter_1=flying;controller_1=running;timer_1=ticking";
}
static double sampled_next(double t) {
  return 0.005 * ceil(t / 0.005 + 1e-9);
}
static void sampled_controller(void) {
  static const char text[] =
      "x == 0.05 & v == 0 & a == 0 & controller_1.clock == 0 & t == 0 & loc(controller_1)==initial";
  const hys_model_text start = {
      .file = "start", .text = text, .length = sizeof text - 1, .line = 1, .column = 1};
  text_model m;
  by_hand h = {.m = &m, .at = sampled_at, .next_jump = sampled_next, .ambiguous = 1e-7};
  hys_trajectory_config config;
  hys_diagnostics said;
  if (meaning_open(&m, "18_di_periodic.xml", "18_di_periodic.cfg")) {
    hys_trajectory_config_default(&config, 2.0);
    hys_diagnostics_init(&said, m.arena);
    CHECK_INT(hys_hybrid_sets(m.automaton, &start, &said, &config.initially, &config.n_initially), HYS_OK);
    config.sample = 0.0213;
    config.haste = HYS_HASTE_LATE;
    const hys_trajectory_result r = run(&h, (const char *const[]){"x", "v", "a", "t"}, 4, &config);
    check_label("all");
    CHECK_INT(r.end, HYS_END_HORIZON);
    CHECK(r.jumps >= 400 && r.jumps <= 401); /* one at the start and one each 5 ms */
    CHECK(h.rows > 90);
  }
  text_model_close(&m);
}

/* ---- a pendulum that hits a wall: nothing in closed form ---- */

static const char pendulum[] =
    COMPONENT("p", REAL("a") REAL("w") CONST("l")
                       LOCATION("1", "swing", "a &gt;= -0.3", "a' == w &amp; w' == -9.81/l*sin(a) - 0.1*w^3")
                           JUMP("1", "1", "", "a &lt;= -0.3 &amp; w &lt;= 0", "w := -exp(-l)*w"));

static int pendulum_flow(double t, const double *x, double *dx, void *context) {
  (void)t, (void)context;
  dx[0] = x[1];
  dx[1] = -9.81 / 0.5 * sin(x[0]) - 0.1 * x[1] * x[1] * x[1];
  return GSL_SUCCESS;
}
/* Goes on from *t to `until', or to the wall if that is hit before: true. */
static bool pendulum_leg(gsl_odeiv2_driver *driver, double *t, double until, double *x) {
  while (*t < until) {
    const double before[2] = {x[0], x[1]}, at = *t;
    double lo = at, hi = fmin(at + 0.01, until);
    gsl_odeiv2_driver_reset(driver);
    gsl_odeiv2_driver_apply(driver, t, hi, x);
    if (x[0] > -0.3)
      continue;
    for (int k = 0; k < 60; k++) { /* the impact, by halving */
      const double mid = 0.5 * (lo + hi);
      *t = at;
      x[0] = before[0], x[1] = before[1];
      gsl_odeiv2_driver_reset(driver);
      gsl_odeiv2_driver_apply(driver, t, mid, x);
      *(x[0] > -0.3 ? &lo : &hi) = mid;
    }
    return true;
  }
  return false;
}
/* From the start at each call: the state at t, and the first impact behind t. */
static double pendulum_go(double t, double *x) {
  gsl_odeiv2_system system = {pendulum_flow, NULL, 2, NULL};
  gsl_odeiv2_driver *driver =
      gsl_odeiv2_driver_alloc_y_new(&system, gsl_odeiv2_step_rk8pd, 1e-3, 1e-12, 1e-12);
  double now = 0.0, beyond[2];

  x[0] = 1.0, x[1] = 0.0;
  while (pendulum_leg(driver, &now, t, x))
    x[1] = -exp(-0.5) * x[1];
  beyond[0] = x[0], beyond[1] = x[1];
  if (!pendulum_leg(driver, &now, t + 10.0, beyond))
    now = HUGE_VAL;
  gsl_odeiv2_driver_free(driver);
  return now;
}
static void pendulum_at(double t, double *x, const char **location) {
  pendulum_go(t, x);
  *location = "swing";
}
static double pendulum_next(double t) {
  double x[2];
  return pendulum_go(fmax(t, 0.0), x);
}
static void pendulum_wall(void) {
  text_model m;
  by_hand h = {.m = &m, .at = pendulum_at, .next_jump = pendulum_next, .ambiguous = 1e-6};
  hys_trajectory_config config;
  if (text_model_open(&m, pendulum, "initially = \"a == 1 & w == 0 & l == 0.5\"\n")) {
    hys_trajectory_config_default(&config, 3.0);
    config.sample = 0.1;
    config.haste = HYS_HASTE_LATE;
    const hys_trajectory_result r = run(&h, (const char *const[]){"a", "w"}, 2, &config);
    check_label("all");
    CHECK_INT(r.end, HYS_END_HORIZON);
    CHECK(r.jumps >= 2);
    CHECK(h.rows > 25);
  }
  text_model_close(&m);
}

CHECK_MAIN("meaning of runs", {"heater and controller", heaters}, {"swap in an urgent location", swaps},
           {"reset to an interval", intervals}, {"scripted input", inputs}, {"bouncing ball", bouncing_ball},
           {"bouncing ball as a plant", ball_as_plant}, {"sampled controller", sampled_controller},
           {"pendulum at a wall", pendulum_wall})
