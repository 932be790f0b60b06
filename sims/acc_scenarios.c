#include "sims/acc_scenarios.h"

#include <math.h>
#include <string.h>

#define KMH(speed) ((speed) / 3.6)
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* The urban cycle (ECE-15) and the extra-urban cycle of UN Regulation 83: speeds in km/h at the ends of the
 * operations. */
static const acc_lead_point urban[] = {
    {0, KMH(0)},    {11, KMH(0)},   {15, KMH(15)},  {23, KMH(15)},  {25, KMH(10)},  {28, KMH(0)},
    {49, KMH(0)},   {54, KMH(15)},  {56, KMH(15)},  {61, KMH(32)},  {85, KMH(32)},  {93, KMH(10)},
    {96, KMH(0)},   {117, KMH(0)},  {122, KMH(15)}, {124, KMH(15)}, {133, KMH(35)}, {135, KMH(35)},
    {143, KMH(50)}, {155, KMH(50)}, {163, KMH(35)}, {176, KMH(35)}, {178, KMH(32)}, {185, KMH(10)},
    {188, KMH(0)},  {195, KMH(0)}};
static const acc_lead_point extra_urban[] = {
    {0, KMH(0)},    {20, KMH(0)},   {25, KMH(15)},   {27, KMH(15)},   {36, KMH(35)},   {38, KMH(35)},
    {46, KMH(50)},  {48, KMH(50)},  {61, KMH(70)},   {111, KMH(70)},  {119, KMH(50)},  {188, KMH(50)},
    {201, KMH(70)}, {251, KMH(70)}, {286, KMH(100)}, {316, KMH(100)}, {336, KMH(120)}, {346, KMH(120)},
    {362, KMH(80)}, {370, KMH(50)}, {380, KMH(0)},   {400, KMH(0)}};

#define NEVER HUGE_VAL
#define LEAD(...)                                                                                            \
  { .swap_at = NEVER, __VA_ARGS__ }
#define FROM(mode) .system = "acc", .ego_mode = mode, .cut_in_at = NEVER, .lost_at = NEVER
#define BASE FROM("cruise")

/* Euro NCAP, car to car rear braking: both at 50 km/h, the vehicle ahead brakes one second after the start.
 */
#define CCRB(gap, decel)                                                                                     \
  {                                                                                                          \
    BASE,                                                                                                    \
        .name = "ccrb-" #gap "-" #decel,                                                                     \
        .text = "Euro NCAP CCRb: both at 50 km/h, gap " #gap " m, lead brakes at " #decel " m/s2 from 1 s",  \
        .d = gap, .v = KMH(50.0), .w = KMH(50.0),                                                            \
        .lead = LEAD(.kind = ACC_LEAD_BRAKE, .start = 1.0, .rate = decel), .duration = 20.0                  \
  }

/* Euro NCAP, car to car rear moving and standing: a steady lead, from a time to collision of 4 s. */
#define STEADY(name_, text_, ego, ahead)                                                                     \
  {                                                                                                          \
    BASE, .name = name_ #ego, .text = text_ ", ego at " #ego " km/h, 4 s to collision",                      \
          .d = 4.0 * (KMH(ego) - KMH(ahead)), .v = KMH(ego), .w = KMH(ahead),                                \
          .lead = LEAD(.kind = ACC_LEAD_STEADY), .duration = 20.0                                            \
  }
#define CCRM(ego) STEADY("ccrm-", "Euro NCAP CCRm: lead steady at 20 km/h", ego, 20.0)
#define CCRS(ego) STEADY("ccrs-", "Euro NCAP CCRs: lead stands", ego, 0.0)

#define CUT_IN(name_, gap, outside, text_)                                                                   \
  {                                                                                                          \
    .system = "acc_cutin", .ego_mode = "cruise", .lost_at = NEVER, .name = name_,                            \
    .text = "at 60 km/h, a vehicle at 40 km/h cuts in " #gap " m ahead at 1 s: " text_, .d = 100.0,          \
    .v = KMH(60.0), .w = KMH(60.0),                                                                          \
    .lead = {.kind = ACC_LEAD_STEADY, .swap_at = 1.0, .swap_speed = KMH(40.0)}, .cut_in_at = 1.0,            \
    .cut_in_gap = gap, .cut_in_speed = KMH(40.0), .outside_model = outside, .duration = 20.0                 \
  }

static const acc_scenario scenarios[] = {
    CCRB(12, 2),
    CCRB(12, 6),
    CCRB(40, 2),
    CCRB(40, 6),
    CCRM(30),
    CCRM(40),
    CCRM(50),
    CCRM(60),
    CCRM(70),
    CCRM(80),
    CCRS(10),
    CCRS(20),
    CCRS(30),
    CCRS(40),
    CCRS(50),
    CCRS(60),
    CCRS(70),
    CCRS(80),
    CUT_IN("cut-in", 30, false, "the model allows it (b = B = 6)"),
    CUT_IN("cut-in-close", 10, true, "UN R157 asks for it, the model does not allow it (b = B = 6)"),
    {FROM("stopped"), .name = "urban",
     .text = "the lead drives the ECE-15 urban cycle (UN R83), from standstill 4 m apart", .d = 4.0,
     .lead = LEAD(.kind = ACC_LEAD_TABLE, .point = urban, .n_points = COUNT(urban)), .duration = 195.0},
    {FROM("stopped"), .name = "extra-urban",
     .text = "the lead drives the extra-urban cycle (UN R83), from standstill 4 m apart", .d = 4.0,
     .lead = LEAD(.kind = ACC_LEAD_TABLE, .point = extra_urban, .n_points = COUNT(extra_urban)),
     .duration = 400.0},
    {BASE, .name = "worst-case",
     .text = "both at 25 m/s 60 m apart, the lead brakes as hard as it can from 5 s", .d = 60.0, .v = 25.0,
     .w = 25.0, .lead = LEAD(.kind = ACC_LEAD_BRAKE, .start = 5.0), .duration = 25.0},
    {BASE, .name = "bang-bang",
     .text = "the lead brakes or accelerates as hard as it can, at random, every 0.7 s", .d = 60.0, .v = 20.0,
     .w = 20.0,
     .lead = LEAD(.kind = ACC_LEAD_BANG_BANG, .start = 1.0, .period = 0.7, .speed_max = 35.0, .seed = 1),
     .duration = 120.0},
    {BASE, .name = "oscillating", .text = "the lead's speed swings between 20 and 30 m/s every 10.5 s",
     .d = 60.0, .v = 20.0, .w = 20.0,
     .lead = LEAD(.kind = ACC_LEAD_OSCILLATING, .start = 1.0, .rate = 3.0, .period = 10.472),
     .duration = 120.0},
    {BASE, .name = "stop-and-go", .text = "the lead stops from 36 km/h and goes again, again and again",
     .d = 30.0, .v = KMH(36.0), .w = KMH(36.0),
     .lead = LEAD(.kind = ACC_LEAD_STOP_AND_GO, .start = 3.0, .rate = 3.0, .rate_up = 1.5, .period = 5.0),
     .duration = 120.0},
    {.system = "acc",
     .ego_mode = "cruise",
     .cut_in_at = NEVER,
     .name = "lead-lost",
     .text = "as worst-case, but the lead leaves the lane at 4 s",
     .d = 60.0,
     .v = 25.0,
     .w = 25.0,
     .lead = LEAD(.kind = ACC_LEAD_BRAKE, .start = 5.0),
     .lost_at = 4.0,
     .duration = 25.0},
    {BASE, .name = "recorded",
     .text = "the lead drives as recorded (a CSV file), from the recorded gap and speeds",
     .lead = LEAD(.kind = ACC_LEAD_RECORDED), .recorded = true},
};

size_t acc_scenario_count(void) {
  return COUNT(scenarios);
}

const acc_scenario *acc_scenario_at(size_t index) {
  return index < COUNT(scenarios) ? &scenarios[index] : NULL;
}

const acc_scenario *acc_scenario_find(const char *name) {
  for (size_t i = 0; name != NULL && i < COUNT(scenarios); i++)
    if (strcmp(scenarios[i].name, name) == 0)
      return &scenarios[i];
  return NULL;
}
