#include "tests/support/hand_made.h"

#include <string.h>

#include "core/allocator.h"
#include "models/prepare_flow.h"

#define P(value)                                                                                             \
  { (value), (value) }

/* ---- ball and oscillator: two states */

static hys_interval ball_a[4] = {P(0), P(1), P(0), P(0)}, ball_c[2];
static const hys_interval ball_above[2] = {P(-1), P(0)}, ball_low[2] = {P(1), P(0)},
                          ball_falling[2] = {P(0), P(1)}, ball_high[2] = {P(-1), P(0)};
static const hys_halfspace ball_invariant[1] = {{ball_above, P(0), false, 0}};
static const hys_halfspace ball_guard[2] = {{ball_low, P(0), false, 0}, {ball_falling, P(0), false, 0}};
static hys_halfspace ball_bad[1] = {{ball_high, P(0), true, 0}};
static hys_interval ball_bounce[2];
static hys_reset_row ball_reset[2];
static hys_jump ball_jump[1];
static const uint32_t first_jump[1] = {0}, no_part[1] = {0};
static hys_location ball_location[1];
static hys_region ball_region[1];
static const char *const ball_states[2] = {"x", "v"}, *const one_location[1] = {"on"};
static const hys_instance one_instance[1] = {{"", one_location, 1}};
static hys_automaton ball;

const hys_automaton *hand_made_ball(double g, double c, double bad_above) {
  ball_c[0] = hys_interval_point(0);
  ball_c[1] = hys_interval_point(-g);
  ball_bounce[0] = hys_interval_point(0);
  ball_bounce[1] = hys_interval_point(-c);
  ball_reset[0] = (hys_reset_row){.identity = true};
  ball_reset[1] = (hys_reset_row){.coef = ball_bounce, .offset = P(0)};
  ball_jump[0] = (hys_jump){.label = HYS_NO_LABEL, .guard = {ball_guard, 2}, .reset = ball_reset};
  ball_location[0] = (hys_location){.name = "on",
                                    .part = no_part,
                                    .invariant = {ball_invariant, 1},
                                    .flow = {.a = ball_a, .c = ball_c},
                                    .jump = first_jump,
                                    .n_jumps = 1};
  ball_bad[0].c = hys_interval_point(-bad_above);
  ball_region[0] = (hys_region){HYS_ANY_LOCATION, {ball_bad, 1}};
  ball = (hys_automaton){.name = "ball",
                         .nx = 2,
                         .state_name = ball_states,
                         .instance = one_instance,
                         .n_instances = 1,
                         .location = ball_location,
                         .n_locations = 1,
                         .jump = ball_jump,
                         .n_jumps = 1,
                         .forbidden = ball_region,
                         .n_forbidden = 1};
  return &ball;
}

static hys_interval wave_a[4];
static const hys_interval wave_c[2] = {P(0), P(0)};
static hys_halfspace wave_invariant[1] = {{ball_low, P(0), false, 0}},
                     wave_bad[1] = {{ball_high, P(0), true, 0}};
static hys_location wave_location[1];
static hys_region wave_region[1];
static hys_automaton wave;

const hys_automaton *hand_made_oscillator(double w, double limit, double bad_above) {
  wave_a[0] = wave_a[3] = hys_interval_point(0);
  wave_a[1] = hys_interval_point(w);
  wave_a[2] = hys_interval_point(-w);
  wave_invariant[0].c = hys_interval_point(limit);
  wave_bad[0].c = hys_interval_point(-bad_above);
  wave_location[0] = (hys_location){
      .name = "on", .part = no_part, .invariant = {wave_invariant, 1}, .flow = {.a = wave_a, .c = wave_c}};
  wave_region[0] = (hys_region){HYS_ANY_LOCATION, {wave_bad, 1}};
  wave = (hys_automaton){.name = "oscillator",
                         .nx = 2,
                         .state_name = ball_states,
                         .instance = one_instance,
                         .n_instances = 1,
                         .location = wave_location,
                         .n_locations = 1,
                         .forbidden = wave_region,
                         .n_forbidden = 1};
  return &wave;
}

/* ---- ACC: four states, one input */

static const hys_interval acc_flow[16] = {
    P(0), P(-1), P(0), P(1), /* d' = w - v */
    P(0), P(0),  P(1), P(0), /* v' = a */
    P(0), P(0),  P(0), P(0), /* a' = 0 */
    P(0), P(0),  P(0), P(0)  /* w' = a_lead */
};
static const hys_interval acc_standing[16] = {P(0), P(-1), P(0), P(1)};
static const hys_interval acc_b[4] = {P(0), P(0), P(0), P(1)}, acc_c[4] = {P(0), P(0), P(0), P(0)};
static const hys_interval acc_u[1] = {{-6, 3.5}};
static const hys_interval minus_v[5] = {P(0), P(-1)}, minus_w[5] = {P(0), P(0), P(0), P(-1)},
                          plus_v[5] = {P(0), P(1)}, plus_d[5] = {P(1)}, plus_a[5] = {P(0), P(0), P(1)},
                          zero5[5];
static const hys_halfspace acc_moving[2] = {{minus_v, P(0), false, 0}, {minus_w, P(0), false, 0}};
static const hys_halfspace acc_still[3] = {
    {minus_v, P(0), false, 0}, {plus_v, P(0), false, 0}, {minus_w, P(0), false, 0}};
static const hys_halfspace acc_stop[2] = {{plus_v, P(0), false, 0}, {plus_a, P(0), false, 0}};
static const hys_halfspace acc_bad[1] = {{plus_d, P(2), true, 0}};
static const hys_region acc_region[1] = {{HYS_ANY_LOCATION, {acc_bad, 1}}};
static const hys_region acc_first[1] = {{HAND_CRUISE, {NULL, 0}}};
static const char *const acc_states[4] = {"d", "v", "a", "w"}, *const acc_inputs[1] = {"a_lead"},
                         *const acc_labels[5] = {"accelerate", "cruise", "coast", "brake", "set_accel"},
                         *const acc_names[HAND_LOCATIONS] = {"accelerate", "cruise", "coast",
                                                             "brake",      "drive",  "stopped"};
static const hys_instance acc_instance[1] = {{"ego", acc_names, HAND_LOCATIONS}};
static const char *const acc_full_names[HAND_LOCATIONS] = {"ego=accelerate", "ego=cruise", "ego=coast",
                                                           "ego=brake",      "ego=drive",  "ego=stopped"};
static const hys_interval acc_level[HAND_LOCATIONS] = {P(2), P(0), P(-0.5), P(-6), {-6, 2}, P(0)};
static hys_reset_row acc_reset[HAND_LOCATIONS + 1][4]; /* the last: set_accel at standstill */
static uint32_t acc_part[HAND_LOCATIONS], acc_out[HAND_LOCATIONS][HAND_LOCATIONS];
static hys_location acc_location[HAND_LOCATIONS];
static hys_jump acc_jump[64];
static hys_automaton acc;

static void acc_add(uint32_t from, uint32_t to, int32_t label, const hys_halfspace *guard, uint32_t n,
                    const hys_reset_row *reset) {
  hys_location *here = &acc_location[from];
  acc_out[from][here->n_jumps++] = acc.n_jumps;
  acc_jump[acc.n_jumps++] =
      (hys_jump){.source = from, .target = to, .label = label, .guard = {guard, n}, .reset = reset};
}

const hys_automaton *hand_made_acc(void) {
  acc = (hys_automaton){.name = "acc",
                        .nx = 4,
                        .nu = 1,
                        .state_name = acc_states,
                        .input_name = acc_inputs,
                        .label_name = acc_labels,
                        .n_labels = 5,
                        .instance = acc_instance,
                        .n_instances = 1,
                        .location = acc_location,
                        .n_locations = HAND_LOCATIONS,
                        .jump = acc_jump,
                        .initially = acc_first,
                        .n_initially = 1,
                        .forbidden = acc_region,
                        .n_forbidden = 1};
  for (uint32_t k = 0; k < HAND_LOCATIONS; k++) {
    const bool stopped = k == HAND_STOPPED;
    acc_part[k] = k;
    acc_location[k] = (hys_location){
        .name = acc_full_names[k],
        .part = &acc_part[k],
        .invariant = {stopped ? acc_still : acc_moving, stopped ? 3 : 2},
        .u = acc_u,
        .flow = {.a = stopped ? acc_standing : acc_flow, .b = acc_b, .c = acc_c, .monotone = true},
        .jump = acc_out[k]};
    for (uint32_t i = 0; i < 4; i++)
      acc_reset[k][i] = (hys_reset_row){.identity = true};
    acc_reset[k][HAND_A] = (hys_reset_row){.coef = zero5, .offset = acc_level[k]};
  }
  acc_reset[HAND_STOPPED][HAND_V] = (hys_reset_row){.coef = zero5, .offset = P(0)};
  memcpy(acc_reset[HAND_LOCATIONS], acc_reset[HAND_DRIVE], sizeof acc_reset[0]);
  acc_reset[HAND_LOCATIONS][HAND_A].offset = (hys_interval){0, 2};
  for (uint32_t from = 0; from < HAND_STOPPED; from++) {
    for (uint32_t to = 0; to < HAND_STOPPED; to++) {
      if (from != to || to == HAND_DRIVE)
        acc_add(from, to, (int32_t)to, NULL, 0, acc_reset[to]);
    }
  }
  acc_add(HAND_STOPPED, HAND_ACCELERATE, HAND_ACCELERATE, NULL, 0, acc_reset[HAND_ACCELERATE]);
  acc_add(HAND_STOPPED, HAND_DRIVE, HAND_DRIVE, NULL, 0, acc_reset[HAND_LOCATIONS]);
  acc_add(HAND_BRAKE, HAND_STOPPED, HYS_NO_LABEL, acc_stop, 1, acc_reset[HAND_STOPPED]);
  acc_add(HAND_COAST, HAND_STOPPED, HYS_NO_LABEL, acc_stop, 1, acc_reset[HAND_STOPPED]);
  acc_add(HAND_DRIVE, HAND_STOPPED, HYS_NO_LABEL, acc_stop, 2, acc_reset[HAND_STOPPED]);
  return &acc;
}

#define MS(n) ((int64_t)(n)*1000000)

static const hys_observed acc_observed[4] = {{HYS_OBSERVED, 0.25, MS(250), -1, 300, "m"},
                                             {HYS_OBSERVED, 0.1, MS(250), -0.5, 60, "m/s"},
                                             {HYS_UNOBSERVED, 0, 0, -6, 2, "m/s^2"},
                                             {HYS_OBSERVED, 0.1, MS(250), -0.5, 60, "m/s"}};
static const hys_mode_from acc_mode[1] = {HYS_MODE_COMMANDS};
static hys_command acc_command[5];
static const hys_interval minus_d[5] = {P(-1)};
static const hys_halfspace acc_end[3] = {
    {minus_d, P(-2), false, 0}, {minus_v, P(0), false, 0}, {plus_v, P(0), false, 0}};
static const hys_region acc_terminal[1] = {{HAND_STOPPED, {acc_end, 3}}};
static hys_spec acc_spec;

const hys_spec *hand_made_acc_spec(void) {
  static hys_arena *arena; /* kept: what is prepared lives in it */
  if (arena != NULL)
    return &acc_spec;
  arena = hys_arena_create(NULL);
  hand_made_acc();
  for (uint32_t k = 0; k < HAND_LOCATIONS; k++) {
    hys_location *here = &acc_location[k];
    if (hys_flow_prepare(&here->flow, 4, 1, here->u, &here->invariant, arena) != HYS_OK)
      return NULL;
  }
  for (int32_t k = 0; k < 5; k++) {
    acc_command[k] = (hys_command){.name = acc_labels[k],
                                   .label = k,
                                   .edit = {k < 2 ? HYS_EDIT_DELAY : HYS_EDIT_SUPPRESS},
                                   .n_edits = 1,
                                   .insert = k == HAND_BRAKE,
                                   .validity = k < 2 ? MS(500) : 0,
                                   .priority = 255,
                                   .channel = HYS_CHANNEL_LATEST,
                                   .otherwise = HYS_OTHERWISE_IGNORED,
                                   .value_state = -1};
  }
  acc_command[HAND_DRIVE].value_state = HAND_A;
  acc_command[HAND_DRIVE].value_min = -6;
  acc_command[HAND_DRIVE].value_max = 2;
  acc_spec = (hys_spec){.name = "acc",
                        .automaton = &acc,
                        .timing = {HYS_TRIGGER_TIMER, MS(100), MS(5), 0, MS(10), MS(40), MS(1), MS(1), true},
                        .observed = acc_observed,
                        .mode_from = acc_mode,
                        .command = acc_command,
                        .n_commands = 5,
                        .fallback = HAND_BRAKE,
                        .fallback_value = HYSI_NAN,
                        .terminal = acc_terminal,
                        .n_terminal = 1,
                        .limits = {5, 2, 8, 2, MS(20000), 4}};
  return &acc_spec;
}
