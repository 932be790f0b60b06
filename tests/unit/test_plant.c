/* The simulated plant against closed forms. */
#include <math.h>

#include "sims/plant.h"
#include "tests/support/check.h"
#include "tests/support/hand_made.h"

static hys_plant *make(const hys_automaton *h, const hys_plant_config *config, uint32_t location,
                       const double *x) {
  hys_plant *p = NULL;
  if (!CHECK_INT(hys_plant_create(&p, h, config, NULL), HYS_OK) ||
      !CHECK_INT(hys_plant_start(p, 0, location, x), HYS_OK)) {
    hys_plant_destroy(p);
    return NULL;
  }
  return p;
}

static hys_plant_view at(hys_plant *p, double t) {
  hys_plant_view view;
  CHECK_INT(hys_plant_advance(p, t), HYS_OK);
  hys_plant_look(p, &view);
  return view;
}

static void ball_bounces(void) {
  const double g = 9.81, c = 0.75, x[2] = {10, 0};
  hys_plant *p = make(hand_made_ball(g, c, 1000), NULL, 0, x);
  if (p == NULL)
    return;
  /* Between two bounces the height is that of a throw from the floor. */
  const double first = sqrt(2 * 10 / g);
  double start = first, speed = c * g * first;
  for (int k = 0; k < 12; k++) {
    const double flight = 2 * speed / g, middle = start + 0.4 * flight, s = 0.4 * flight;
    check_label("after bounce %d", k + 1);
    const hys_plant_view view = at(p, middle);
    CHECK_INT(view.jumps, k + 1);
    CHECK_NEAR(view.x[0], speed * s - g * s * s / 2, 1e-8);
    CHECK_NEAR(view.x[1], speed - g * s, 1e-8);
    CHECK(!view.bad && !view.timelock);
    start += flight;
    speed *= c;
  }
  hys_plant_destroy(p);
}

static void ball_meets_bad(void) {
  const double g = 9.81, x[2] = {0, 14};
  hys_plant *p = make(hand_made_ball(g, 0.75, 5), NULL, 0, x);
  if (p == NULL)
    return;
  const hys_plant_view view = at(p, 3);
  CHECK(view.bad);
  CHECK_NEAR(view.bad_at, (14 - sqrt(14 * 14 - 2 * g * 5)) / g, 1e-10);
  CHECK_SAME(view.t, view.bad_at);
  CHECK_NEAR(view.x[0], 5, 1e-9);
  hys_plant_destroy(p);
}

/* The top of the throw lies inside a step, between two of its pieces, and is above by a micron, or below. */
static void grazing_bad_is_seen(void) {
  const double g = 9.81, top = 14 * 14 / (2 * g);
  for (int k = 0; k < 2; k++) {
    const double x[2] = {0, 14}, limit = top + (k == 0 ? -1e-6 : 1e-6);
    hys_plant *p = make(hand_made_ball(g, 0.75, limit), NULL, 0, x);
    if (p == NULL)
      return;
    const hys_plant_view view = at(p, 2);
    check_label("limit %s the top", k == 0 ? "below" : "above");
    CHECK_INT(view.bad, k == 0);
    if (k == 0) {
      CHECK_NEAR(view.bad_at, 14 / g - sqrt(2 * 1e-6 / g), 1e-6);
    } else {
      CHECK_NEAR(view.margin, 1e-6, 1e-9);
      CHECK_NEAR(view.margin_at, 14 / g, 1e-6);
    }
    hys_plant_destroy(p);
  }
}

static void oscillator_margin_and_timelock(void) {
  const double x[2] = {0, 1};
  hys_plant *p = make(hand_made_oscillator(3, 2, 1.25), NULL, 0, x);
  if (p == NULL)
    return;
  hys_plant_view view = at(p, 2);
  CHECK_NEAR(view.x[0], sin(6), 1e-8);
  CHECK_NEAR(view.x[1], cos(6), 1e-8);
  CHECK_NEAR(view.margin, 0.25, 1e-8);
  CHECK(!view.bad && !view.timelock);
  hys_plant_destroy(p);
  /* x reaches 1/2 at 3 t = pi/6 and there is neither a jump nor an input: no time can pass. */
  p = make(hand_made_oscillator(3, 0.5, 9), NULL, 0, x);
  if (p == NULL)
    return;
  view = at(p, 2);
  CHECK(view.timelock);
  CHECK_NEAR(view.timelock_at, asin(0.5) / 3, 1e-10);
  CHECK_SAME(view.t, view.timelock_at);
  hys_plant_destroy(p);
}

static void ego_stops_at_the_exact_instant(void) {
  const double x[HAND_NX] = {100, 20, -6, 20};
  hys_plant *p = make(hand_made_acc(), NULL, HAND_BRAKE, x);
  if (p == NULL)
    return;
  hys_plant_view view = at(p, 20.0 / 6 - 1e-9);
  CHECK_INT(view.location, HAND_BRAKE);
  view = at(p, 20.0 / 6 + 1e-9);
  CHECK_INT(view.location, HAND_STOPPED);
  CHECK_SAME(view.x[HAND_V], 0.0);
  CHECK_SAME(view.x[HAND_A], 0.0);
  view = at(p, 5);
  CHECK_NEAR(view.x[HAND_D], 100 + 20 * 5 - 20.0 * 20 / 12, 1e-8);
  CHECK_NEAR(view.margin, 98, 1e-8);
  hys_plant_destroy(p);
}

static void brake_hard(void *context, double t, const double *x, double *u) {
  (void)context, (void)t, (void)x;
  u[0] = -9; /* more than the model allows */
}

/* v = w = 20, gap 12, lead brakes at the bound 6, ego cruises: d = 12 - 3 t^2. */
static void bad_instant_of_the_acc(void) {
  const double x[HAND_NX] = {12, 20, 0, 20};
  hys_plant_config config;
  hys_plant_config_default(&config);
  config.inputs.value = brake_hard;
  hys_plant *p = make(hand_made_acc(), &config, HAND_CRUISE, x);
  if (p == NULL)
    return;
  const hys_plant_view view = at(p, 10);
  CHECK(view.bad);
  CHECK_NEAR(view.bad_at, sqrt(10.0 / 3), 1e-10);
  CHECK_NEAR(view.margin, 0, 1e-9);
  CHECK(view.margin <= 0);
  CHECK_SAME(view.u[0], -6.0);
  CHECK(view.clamped > 0);
  hys_plant_destroy(p);
}

/* The lead comes to rest: the invariant w >= 0 moves the input to 0, there is no timelock. */
static void lead_at_rest_stays(void) {
  const double x[HAND_NX] = {30, 0, 0, 12};
  hys_plant_config config;
  hys_plant_config_default(&config);
  config.inputs.value = brake_hard;
  hys_plant *p = make(hand_made_acc(), &config, HAND_STOPPED, x);
  if (p == NULL)
    return;
  const hys_plant_view view = at(p, 10);
  CHECK(!view.timelock);
  CHECK_SAME(fabs(view.x[HAND_W]), 0.0);
  CHECK_SAME(view.u[0], 0.0);
  CHECK_NEAR(view.x[HAND_D], 30 + 12.0 * 12 / 12, 1e-8);
  hys_plant_destroy(p);
}

static void square_wave(void *context, double t, const double *x, double *u) {
  (void)context, (void)x;
  u[0] = fmod(floor(t / 0.7 + 1e-9), 2) < 1 ? 1 : -1;
}
static double square_break(void *context, double t) {
  (void)context;
  return 0.7 * (floor(t / 0.7 + 1e-9) + 1);
}

static void inputs_change_at_their_breaks(void) {
  const double x[HAND_NX] = {50, 10, 0, 10};
  hys_plant_config config;
  hys_plant_config_default(&config);
  config.inputs.value = square_wave;
  config.inputs.next_break = square_break;
  hys_plant *p = make(hand_made_acc(), &config, HAND_CRUISE, x);
  if (p == NULL)
    return;
  hys_plant_view view = at(p, 0.7);
  CHECK_NEAR(view.x[HAND_W], 10.7, 1e-9);
  view = at(p, 1.4);
  CHECK_NEAR(view.x[HAND_W], 10, 1e-9);
  CHECK_NEAR(view.x[HAND_D], 50.49, 1e-9); /* two triangles: 0.7 * 0.7 */
  hys_plant_destroy(p);
}

static void commands_take_effect(void) {
  const double x[HAND_NX] = {50, 10, 0, 10};
  hys_plant *p = make(hand_made_acc(), NULL, HAND_CRUISE, x);
  if (p == NULL)
    return;
  bool taken = false;
  const uint32_t a = HAND_A;
  double value = -1.25;
  at(p, 1);
  CHECK(!hys_plant_enabled(p, HAND_CRUISE, 0, NULL, NULL));
  CHECK_INT(hys_plant_fire(p, HAND_CRUISE, 0, NULL, NULL, &taken), HYS_OK);
  CHECK(!taken);
  CHECK(hys_plant_enabled(p, HAND_DRIVE, 1, &a, &value));
  CHECK_INT(hys_plant_fire(p, HAND_DRIVE, 1, &a, &value, &taken), HYS_OK);
  CHECK(taken);
  hys_plant_view view = at(p, 3);
  CHECK_INT(view.location, HAND_DRIVE);
  CHECK_SAME(view.x[HAND_A], -1.25);
  CHECK_NEAR(view.x[HAND_V], 7.5, 1e-9);
  value = 2.5; /* beyond what the reset allows */
  CHECK_INT(hys_plant_fire(p, HAND_DRIVE, 1, &a, &value, &taken), HYS_OK);
  CHECK(!taken);
  CHECK_INT(hys_plant_fire(p, HAND_BRAKE, 0, NULL, NULL, &taken), HYS_OK);
  CHECK(taken);
  view = at(p, 10);
  CHECK_INT(view.location, HAND_STOPPED);
  CHECK_INT(hys_plant_fire(p, HAND_BRAKE, 0, NULL, NULL, &taken), HYS_OK);
  CHECK(!taken);
  CHECK_INT(hys_plant_fire(p, HAND_ACCELERATE, 0, NULL, NULL, &taken), HYS_OK);
  CHECK(taken);
  view = at(p, 11);
  CHECK_NEAR(view.x[HAND_V], 2, 1e-9);
  hys_plant_destroy(p);
}

static void resets_without_a_value(void) {
  const double x[HAND_NX] = {50, 10, 0, 10};
  hys_plant_config config;
  hys_plant_config_default(&config);
  bool taken = false;
  double drawn[2] = {0, 0};
  for (int k = 0; k < 3; k++) {
    config.draw_resets = k > 0;
    config.seed = 7;
    hys_plant *p = make(hand_made_acc(), &config, HAND_CRUISE, x);
    if (p == NULL)
      return;
    CHECK_INT(hys_plant_fire(p, HAND_DRIVE, 0, NULL, NULL, &taken), HYS_OK);
    const hys_plant_view view = at(p, 0);
    if (k == 0)
      CHECK_SAME(view.x[HAND_A], -2.0);
    else
      drawn[k - 1] = view.x[HAND_A];
    hys_plant_destroy(p);
  }
  CHECK_SAME(drawn[0], drawn[1]);
  CHECK(drawn[0] >= -6 && drawn[0] <= 2 && drawn[0] != -2);
}

static void arguments_are_checked(void) {
  hys_plant *p = NULL;
  const double outside[HAND_NX] = {50, -1, 0, 10}, nan[HAND_NX] = {50, HYSI_NAN, 0, 10},
               good[HAND_NX] = {50, 1, 0, 10};
  CHECK_INT(hys_plant_create(&p, NULL, NULL, NULL), HYS_ERR_ARG);
  CHECK(p == NULL);
  if (!CHECK_INT(hys_plant_create(&p, hand_made_acc(), NULL, NULL), HYS_OK))
    return;
  CHECK_INT(hys_plant_advance(p, 1), HYS_ERR_STATE);
  CHECK_INT(hys_plant_start(p, 0, HAND_LOCATIONS, good), HYS_ERR_ARG);
  CHECK_INT(hys_plant_start(p, 0, HAND_CRUISE, nan), HYS_ERR_ARG);
  CHECK_INT(hys_plant_start(p, 0, HAND_CRUISE, outside), HYS_ERR_INPUT);
  CHECK_INT(hys_plant_start(p, 5, HAND_CRUISE, good), HYS_OK);
  CHECK_INT(hys_plant_advance(p, 4), HYS_ERR_ARG);
  CHECK_INT(hys_plant_advance(p, 5), HYS_OK);
  hys_plant_destroy(p);
  hys_plant_destroy(NULL);
}

CHECK_MAIN("plant", {"a ball bounces as by the formula", ball_bounces}, {"a ball meets Bad", ball_meets_bad},
           {"a grazing Bad is seen", grazing_bad_is_seen},
           {"an oscillator: margin and timelock", oscillator_margin_and_timelock},
           {"the ego stops at the exact instant", ego_stops_at_the_exact_instant},
           {"the instant of Bad in the ACC", bad_instant_of_the_acc},
           {"a lead at rest stays", lead_at_rest_stays},
           {"inputs change at their breaks", inputs_change_at_their_breaks},
           {"commands take effect", commands_take_effect}, {"resets without a value", resets_without_a_value},
           {"arguments are checked", arguments_are_checked})
