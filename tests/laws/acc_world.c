#include "tests/laws/acc_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/rt/shield_state.h"
#include "monitor/shield_alloc.h"

/* splitmix64: the same numbers everywhere. */
static uint64_t next_bits(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}
static double uniform(uint64_t *state, double lo, double hi) {
  return lo + (hi - lo) * ((double)(next_bits(state) >> 11) * 0x1p-53);
}
/* At a bound of the range every other time. */
static double at_bounds(uint64_t *state, double lo, double hi) {
  const uint64_t pick = next_bits(state) & 3;
  return pick == 0 ? lo : pick == 1 ? hi : uniform(state, lo, hi);
}

typedef struct world_state {
  double t, d, v, w;
  double a;      /* in force; standing still it is zero until the vehicle is told to move */
  double a_lead; /* in force */
  double lowest;
} world_state;

/* Exact motion for dt at constant accelerations, each vehicle until it stands. */
static void move(world_state *s, double dt) {
  while (dt > 0.0) {
    const double a = s->v <= 0.0 && s->a <= 0.0 ? 0.0 : s->a;
    const double l = s->w <= 0.0 && s->a_lead <= 0.0 ? 0.0 : s->a_lead;
    double h = dt;
    if (a < 0.0 && -s->v / a < h)
      h = -s->v / a;
    if (l < 0.0 && -s->w / l < h)
      h = -s->w / l;
    const double rate = s->w - s->v, bend = l - a;
    if (bend > 0.0 && rate < 0.0 && -rate / bend < h)
      s->lowest = fmin(s->lowest, s->d - 0.5 * rate * rate / bend);
    s->d += rate * h + 0.5 * bend * h * h;
    s->v = a < 0.0 && h == -s->v / a ? 0.0 : fmax(0.0, s->v + a * h);
    s->w = l < 0.0 && h == -s->w / l ? 0.0 : fmax(0.0, s->w + l * h);
    s->lowest = fmin(s->lowest, s->d);
    s->t += h;
    dt -= h;
    if (h == 0.0 && a == 0.0 && l == 0.0)
      break;
  }
}

typedef struct world_pending {
  double at;
  double a; /* NaN: a command that changes nothing at standstill */
} world_pending;

enum { WORLD_PENDING = 16, WORLD_ACCELERATE = 0, WORLD_CRUISE, WORLD_COAST, WORLD_BRAKE, WORLD_SET };

/* What the shield is told of a cut-in, and when. */
typedef struct world_told {
  double at, gap, speed;
} world_told;

enum { WORLD_TOLD = 4 };

typedef struct world {
  const hys_spec *spec;
  const acc_set *set;
  hys_shield *shield;
  uint64_t random;
  world_state s;
  world_pending pending[WORLD_PENDING];
  int n_pending;
  double last_effect;
  int command[5];    /* index in the specification by kind */
  size_t d, v, w, a; /* index of states */
  world_lead lead;
  double lead_break; /* the worst lead brakes from here on */
  bool plan_known;   /* plan_limit belongs to the armed plan */
  double plan_limit;
  hys_estimate ahead;
  world_tally *tally;
  const world_cut_ins *cut; /* NULL: nobody cuts in */
  world_cut_tally *cuts;
  world_told told[WORLD_TOLD]; /* cut-ins that are not told yet, in order */
  int n_told;
  double last_told;
  uint32_t event; /* cut_in in the specification */
  bool over;
} world;

static double acceleration(const world *w, uint32_t command, double value) {
  if ((int)command == w->command[WORLD_ACCELERATE])
    return ACC_ACCELERATE;
  if ((int)command == w->command[WORLD_CRUISE])
    return 0.0;
  if ((int)command == w->command[WORLD_COAST])
    return ACC_COAST;
  if ((int)command == w->command[WORLD_BRAKE])
    return -w->set->b;
  return value;
}

/* Advances the plant to t, taking effects on the way. */
static void run_to(world *w, double t) {
  for (;;) {
    double until = t;
    const bool effect = w->n_pending > 0 && w->pending[0].at <= until;
    if (effect)
      until = w->pending[0].at;
    const bool brake = w->lead == WORLD_WORST_LEAD && w->lead_break > w->s.t && w->lead_break < until;
    if (brake)
      until = w->lead_break;
    move(&w->s, until - w->s.t);
    w->s.t = until;
    if (brake) {
      w->s.a_lead = -w->set->B;
      continue;
    }
    if (!effect)
      return;
    const double a = w->pending[0].a;
    memmove(&w->pending[0], &w->pending[1], sizeof w->pending[0] * (size_t)(--w->n_pending));
    if (w->s.v > 0.0 || w->s.a > 0.0 || a > 0.0)
      w->s.a = a; /* stopped, only what moves the vehicle changes anything */
  }
}

static void send_to_plant(world *w, double sent, const hys_send *send) {
  const hys_timing *t = &w->spec->timing;
  double at = sent + at_bounds(&w->random, (double)t->actuation_min * 1e-9, (double)t->actuation_max * 1e-9);
  at = fmax(at, w->last_effect); /* the order of sending is kept */
  w->last_effect = at;
  if (w->n_pending < WORLD_PENDING)
    w->pending[w->n_pending++] = (world_pending){at, acceleration(w, send->command, send->value)};
}

/* The worst corner of the shield's estimate, over locations in which the lead drives. */
static bool corner(const world *w, const hys_estimate *e, acc_car *c, double *a) {
  *c = (acc_car){HUGE_VAL, 0.0, HUGE_VAL};
  *a = -HUGE_VAL;
  bool any = false;
  for (uint32_t i = 0; i < e->n_sets; i++) {
    const hys_set *set = &e->set[i];
    if (strstr(w->spec->automaton->location[set->location].name, "gone") != NULL)
      continue;
    any = true;
    c->d = fmin(c->d, set->x[w->d].lo);
    c->v = fmax(c->v, set->x[w->v].hi);
    c->w = fmin(c->w, set->x[w->w].lo);
    *a = fmax(*a, set->x[w->a].hi);
  }
  return any;
}

static double estimate_time(const world *w) {
  return (double)w->shield->estimate.time32 / 32e9;
}

/* The exact latest instant for a plan that was made from the estimate as it is now. */
static void note_plan(world *w) {
  acc_car c;
  double a;
  w->plan_known = w->shield->armed && w->shield->plan.at != HYS_NEVER && w->shield->estimate.n_flights == 0 &&
                  corner(w, &w->shield->estimate, &c, &a);
  if (w->plan_known)
    w->plan_limit = estimate_time(w) + acc_latest_insertion(c, a, w->set, &acc_timing_main,
                                                            w->cut != NULL ? w->cut->window : 0.0);
  if (w->plan_known && w->cut != NULL) { /* most are renewed before they fire: looked at as they are made */
    const double lead = w->plan_limit - (double)w->shield->plan.at * 1e-9;
    if (lead < -1e-9)
      w->tally->late++;
    else if (w->tally->n_leads < w->tally->max_leads)
      w->tally->leads[w->tally->n_leads++] = lead;
    w->plan_known = false;
  }
}

static void take_output(world *w, double now, const hys_output *out) {
  for (uint32_t i = 0; i < out->n_records; i++)
    if (out->record[i].reason == HYS_REASON_NO_SAFE_ACTION)
      w->tally->no_safe_action++;
    else if (w->cuts != NULL && out->record[i].reason == HYS_REASON_EVENT_PENDING)
      w->cuts->set_aside++;
  for (uint32_t i = 0; i < out->n_sends; i++) {
    const double delay = out->send[i].timed
                             ? 0.0
                             : at_bounds(&w->random, (double)w->spec->timing.compute_min * 1e-9,
                                         (double)w->spec->timing.deadline * 1e-9);
    send_to_plant(w, now + delay, &out->send[i]);
  }
}

static int64_t ns(double t) {
  return (int64_t)llround(t * 1e9);
}

/* The timer: whatever is due before t fires, late by up to theta. */
static void run_timer(world *w, double t, int64_t *wake) {
  hys_output out;
  while (*wake != HYS_NEVER && (double)*wake * 1e-9 <= t) {
    const bool plan = w->shield->armed && w->shield->plan.at == *wake;
    const double lateness =
        plan ? at_bounds(&w->random, 0.0, (double)w->spec->timing.timer_late * 1e-9) : 0.0;
    const int64_t late = *wake + (int64_t)(lateness * 1e9);
    const int64_t at = late < ns(t) ? late : ns(t); /* what comes at t is told after it */
    const double now = (double)at * 1e-9;
    if (plan && w->plan_known) {
      const double lead = w->plan_limit - (double)*wake * 1e-9;
      if (lead < -1e-9)
        w->tally->late++;
      else if (w->tally->n_leads < w->tally->max_leads)
        w->tally->leads[w->tally->n_leads++] = lead;
    }
    run_to(w, now);
    hys_shield_step(w->shield, at, NULL, &out);
    w->plan_known = false;
    take_output(w, now, &out);
    *wake = out.wake;
  }
}

static void sample(world *w, double t, int64_t *wake) {
  const acc_errors *e = &acc_errors_main;
  double x[HYS_MAX_STATES];
  for (size_t i = 0; i < w->spec->automaton->nx; i++)
    x[i] = (double)NAN;
  /* at the bounds, but for the rounding of this plant, which would otherwise step over them */
  const double inside = 1.0 - 1e-6;
  x[w->d] = w->s.d + inside * at_bounds(&w->random, -e->d, e->d);
  x[w->v] = w->s.v + inside * at_bounds(&w->random, -e->v, e->v);
  x[w->w] = w->s.w + inside * at_bounds(&w->random, -e->w, e->w);
  const double sigma = (double)w->spec->timing.stamp_error * 1e-9;
  const hys_input in = {
      .kind = HYS_INPUT_SAMPLE, .stamp = ns(t + inside * at_bounds(&w->random, -sigma, sigma)), .x = x};
  const int64_t before = w->shield->plan.at;
  hys_output out;
  hys_shield_step(w->shield, ns(t), &in, &out);
  if (w->shield->plan.at != before)
    note_plan(w);
  take_output(w, t, &out);
  *wake = out.wake;
}

static void command(world *w, double t, uint64_t id, int64_t *wake) {
  /* every other command accelerates: they are what brings the loop to the border */
  const uint64_t pick = next_bits(&w->random) % 10;
  const uint32_t which = (uint32_t)w->command[pick < 5 ? pick : WORLD_ACCELERATE];
  const double value = uniform(&w->random, -w->set->b, ACC_ACCELERATE);
  const hys_input in = {.kind = HYS_INPUT_COMMAND, .id = id, .which = which, .value = value};
  acc_car c;
  double a;
  const bool may_fire = w->shield->armed && w->shield->plan.at != HYS_NEVER &&
                        w->shield->plan.at <= ns(t) + w->spec->timing.deadline;
  /* the estimate that the decision will see */
  w->ahead = w->shield->estimate;
  const bool known = w->ahead.n_sets > 0 &&
                     hys_estimate_advance(&w->ahead, ns(t), w->shield->work, &w->shield->result) &&
                     hys_estimate_keep_safe(&w->ahead);
  const bool compare = known && w->shield->state == HYS_STATE_GUARDED && w->ahead.n_flights == 0 &&
                       !may_fire && hysi_token_at(w->shield, ns(t)) <= ns(t) && corner(w, &w->ahead, &c, &a);
  const bool passable =
      compare && acc_passable(c, a, acceleration(w, which, value), w->set, &acc_timing_main);
  hys_output out;
  hys_shield_step(w->shield, ns(t), &in, &out);
  w->tally->decisions++;
  w->plan_known = w->plan_known && out.n_sends == 0;
  if (compare) {
    /* what was sent may have another value than what was asked for: it is judged by its own */
    const bool sent = out.n_sends > 0;
    const double applied = sent ? acceleration(w, out.send[0].command, out.send[0].value) : 0.0;
    const bool passed = sent && applied == acceleration(w, which, value);
    w->tally->passable += passable;
    w->tally->passable_passed += passable && passed;
    w->tally->passed_not_passable += sent && !acc_passable(c, a, applied, w->set, &acc_timing_main);
  }
  take_output(w, t, &out);
  *wake = out.wake;
}

/* ---- vehicles that cut in ---- */

/* The least gap that the guard asks for. */
static double least_gap(const world *w, double speed) {
  const double r = w->cut->react, a = ACC_ACCELERATE, v = w->s.v;
  return w->set->d_min + v * r + a * r * r / 2.0 + acc_need(v + a * r, speed, w->set->b, w->set->B);
}

/* A vehicle cuts in now, right at the guard every other time; false: none that the sensor would see. */
static bool cut_in(world *w) {
  const uint64_t pick = next_bits(&w->random);
  const double speed = (pick & 3) == 0   ? w->s.v
                       : (pick & 3) == 1 ? fmax(0.0, w->s.v - uniform(&w->random, 0.0, 10.0))
                                         : at_bounds(&w->random, 0.0, 40.0);
  double gap = least_gap(w, speed);
  const bool at_guard = (pick & 4) != 0 && w->cut->short_by == 0.0;
  if (w->cut->short_by > 0.0)
    gap -= w->cut->short_by;
  else
    gap += at_guard ? 1e-9 : uniform(&w->random, 0.0, (pick & 8) != 0 ? 1.0 : 60.0);
  if (gap < 0.0 || gap > 299.0 || w->n_told >= (w->cut->short_by > 0.0 ? 1 : WORLD_TOLD))
    return false;
  w->s.d = gap;
  w->s.lowest = fmin(w->s.lowest, gap);
  w->s.w = speed;
  w->s.a_lead = (pick & 16) != 0 ? -w->set->B : at_bounds(&w->random, -w->set->B, 3.5);
  w->lead_break = w->s.t;
  w->plan_known = false;
  w->cuts->cut_ins++;
  w->cuts->at_guard += at_guard;
  const hys_event *e = &w->spec->event[w->event];
  const double late = at_bounds(&w->random, 0.0, (double)e->latency * 1e-9);
  w->last_told = fmax(w->last_told, w->s.t + late);
  w->told[w->n_told++] =
      (world_told){w->last_told, gap + at_bounds(&w->random, -e->value[0].error, e->value[0].error),
                   speed + at_bounds(&w->random, -e->value[1].error, e->value[1].error)};
  return true;
}

/* Tells what is due by t. */
static void tell(world *w, double t, int64_t *wake) {
  while (w->n_told > 0 && w->told[0].at <= t && !w->over) {
    const world_told told = w->told[0];
    const double value[2] = {told.gap, told.speed};
    const hys_input in = {
        .kind = HYS_INPUT_EVENT, .stamp = ns(told.at), .which = w->event, .event_value = value};
    hys_output out;
    memmove(&w->told[0], &w->told[1], sizeof w->told[0] * (size_t)(--w->n_told));
    run_timer(w, told.at, wake);
    run_to(w, told.at);
    /* rounded to a nanosecond, and not before what was */
    const int64_t at = ns(told.at) > w->shield->last_now ? ns(told.at) : w->shield->last_now;
    hys_shield_step(w->shield, at, &in, &out);
    w->plan_known = false;
    take_output(w, told.at, &out);
    *wake = out.wake;
    if (w->cut->short_by == 0.0)
      continue;
    for (uint32_t k = 0; k < out.n_records; k++)
      if (out.record[k].reason == HYS_REASON_EVENT_OUT_OF_MODEL) {
        w->cuts->refused++;
        w->cuts->answered += out.n_sends > 0 && out.send[out.n_sends - 1].command == w->spec->fallback &&
                             out.state == HYS_STATE_LOST && !out.record[k].guarantee;
      }
    w->over = true;
  }
}

/* What happens from t to `until`, cut-ins among it. */
static void pass_time(world *w, double t, double until, int64_t *wake) {
  const bool any = w->cut != NULL && !w->over && (next_bits(&w->random) & 1) == 0;
  if (any) {
    double at = fmax(t, (next_bits(&w->random) & 1) == 0 ? uniform(&w->random, t, until)
                                                         : until - uniform(&w->random, 0.0, 0.02));
    for (int again = 0; again < 2 && at < until; again++) {
      tell(w, at, wake);
      if (w->over)
        break;
      run_timer(w, at, wake);
      run_to(w, at);
      if (!cut_in(w) || w->cut->short_by > 0.0 || (next_bits(&w->random) & 3) != 0)
        break;
      at += uniform(&w->random, 0.0, 0.03);
    }
  }
  if (w->cut != NULL)
    tell(w, until, wake);
  if (!w->over) {
    run_timer(w, until, wake);
    run_to(w, until);
  }
}

static size_t state_index(const hys_automaton *a, const char *name) {
  for (size_t i = 0; i < a->nx; i++)
    if (strcmp(a->state_name[i], name) == 0)
      return i;
  return a->nx;
}

static void run(const hys_spec *spec, const acc_set *set, uint64_t seed, bool near, world_lead lead,
                int periods, world_tally *tally, const world_cut_ins *cut, world_cut_tally *cuts) {
  static const char *const names[5] = {"accelerate", "cruise", "coast", "brake", "set_accel"};
  world w = {.spec = spec, .set = set, .random = seed, .lead = lead, .tally = tally, .last_effect = -1.0};
  w.cut = cut;
  w.cuts = cuts;
  for (uint32_t i = 0; i < spec->n_events; i++)
    if (strcmp(spec->event[i].name, "cut_in") == 0)
      w.event = i;
  for (int k = 0; k < 5; k++)
    for (uint32_t i = 0; i < spec->n_commands; i++)
      if (strcmp(spec->command[i].name, names[k]) == 0)
        w.command[k] = (int)i;
  w.d = state_index(spec->automaton, "d");
  w.v = state_index(spec->automaton, "v");
  w.w = state_index(spec->automaton, "w");
  w.a = state_index(spec->automaton, "a");
  tally->situations++;
  w.s.v = (next_bits(&w.random) & 15) == 0 ? 0.0 : uniform(&w.random, 0.0, 40.0);
  w.s.w = (next_bits(&w.random) & 15) == 0 ? 0.0 : uniform(&w.random, 0.0, 40.0);
  /* the least gap whose first estimate, whatever the noise, is inside S; then up to 1 m or up to 60 m more */
  double low = set->d_min, high = 1000.0;
  while (high - low > 1e-9) {
    const double middle = 0.5 * (low + high);
    const acc_car worst = acc_worst_first_estimate((acc_car){middle, w.s.v, w.s.w}, 0.0, set,
                                                   &acc_timing_main, &acc_errors_main);
    if (acc_start_margin(worst, 0.0, set, &acc_timing_main) >= 0.0)
      high = middle;
    else
      low = middle;
  }
  w.s.d = w.s.lowest = high + 1e-6 + uniform(&w.random, 0.0, near ? 1.0 : 60.0);
  w.s.a_lead = lead == WORLD_RANDOM_LEAD ? at_bounds(&w.random, -set->B, 3.5) : 0.0;
  w.lead_break = uniform(&w.random, 0.0, 1.0);
  if (lead == WORLD_WORST_LEAD && (next_bits(&w.random) & 1) == 0) {
    w.lead_break = 0.0;
    w.s.a_lead = -set->B;
  }
  if (w.s.d > 299.0)
    return; /* beyond the sensor */
  tally->starts_inside++;
  if (hys_shield_create(&w.shield, spec, NULL, NULL) != HYS_OK) {
    tally->not_guarded++;
    return;
  }
  int64_t wake = HYS_NEVER;
  for (int k = 0; k < periods && !w.over; k++) {
    const double t = 0.1 * (double)k;
    run_timer(&w, t, &wake);
    run_to(&w, t);
    if (lead == WORLD_RANDOM_LEAD && k > 0)
      w.s.a_lead = at_bounds(&w.random, -set->B, 3.5);
    sample(&w, t, &wake);
    if (w.shield->state != HYS_STATE_GUARDED)
      k == 0 ? tally->not_guarded++ : tally->lost++;
    const double later = t + uniform(&w.random, 0.0, 0.05);
    pass_time(&w, t, later, &wake);
    if (w.over)
      break;
    command(&w, later, (uint64_t)k + 1, &wake);
    pass_time(&w, later, 0.1 * (double)(k + 1), &wake);
  }
  if (cut != NULL)
    tell(&w, HUGE_VAL, &wake);
  if (cut != NULL && cut->short_by > 0.0) { /* nothing is promised */
    hys_shield_destroy(w.shield, NULL);
    return;
  }
  /* what was armed saves the rest without the monitor: only the timer is left */
  run_timer(&w, 0.1 * (double)periods + 30.0, &wake);
  w.s.a_lead = -set->B;
  run_to(&w, 0.1 * (double)periods + 60.0);
  if (w.s.lowest < set->d_min)
    tally->violations++;
  tally->smallest_gap = fmin(tally->smallest_gap, w.s.lowest);
  hys_shield_destroy(w.shield, NULL);
}

void world_run(const hys_spec *spec, const acc_set *set, uint64_t seed, bool near, world_lead lead,
               int periods, world_tally *tally) {
  run(spec, set, seed, near, lead, periods, tally, NULL, NULL);
}

void world_run_cut_ins(const hys_spec *spec, const acc_set *set, uint64_t seed, bool near, world_lead lead,
                       int periods, const world_cut_ins *cut, world_tally *tally, world_cut_tally *cuts) {
  run(spec, set, seed, near, lead, periods, tally, cut, cuts);
}
