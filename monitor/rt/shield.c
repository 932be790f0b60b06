/* The shield's states and what each input does in them. */
#include "monitor/rt/shield_state.h"

#include "core/rt/box.h"
#include "synth/rt/terminal.h"

/* ---- making
 * ------------------------------------------------------------------------------------------------ */

void hys_shield_config_default(hys_shield_config *config) {
  config->observe_only = false;
  config->work_budget = 2000;
  config->plan_grid = 250000;
  config->delay_grid = 50000000;
}

static size_t work_offset(void) {
  const size_t align = sizeof(max_align_t);
  return (sizeof(hys_shield) + align - 1) / align * align;
}

/* A specification from other hands than the reader's may ask for what this version does not do. */
static bool does(const hys_spec *spec) {
  bool known = spec->timing.trigger != HYS_TRIGGER_POLLED;
  for (uint32_t i = 0; i < spec->n_commands && i < HYS_MAX_COMMANDS; i++)
    known = known && spec->command[i].channel == HYS_CHANNEL_LATEST;
  return known;
}

static bool fits(const hys_spec *spec) {
  const hys_automaton *a = spec->automaton;
  return a->nx > 0 && a->nx <= HYS_MAX_STATES && a->nu <= HYS_MAX_INPUTS && a->n_labels <= 64 &&
         a->n_locations <= HYS_MAX_LOCATIONS && spec->n_commands > 0 &&
         spec->n_commands <= HYS_MAX_COMMANDS && spec->n_events <= HYS_MAX_EVENTS &&
         spec->fallback < spec->n_commands;
}

size_t hys_shield_size(const hys_spec *spec) {
  return fits(spec) ? work_offset() + hys_reach_work_size() : 0;
}

static void clear(hys_shield *shield) {
  shield->state = shield->config.observe_only ? HYS_STATE_OBSERVE : HYS_STATE_START;
  shield->started = shield->sampled = shield->fallback_sent = shield->armed = false;
  shield->plan.at = HYS_NEVER;
  shield->plan.command = HYS_NO_COMMAND;
  shield->request.standing = false;
  shield->request.send_at = HYS_NEVER;
  shield->due.pending = false;
  for (uint32_t i = 0; i < HYS_MAX_COMMANDS; i++)
    shield->in_force[i] = HYSI_NAN;
  shield->tokens = (double)shield->spec->limits.burst;
  shield->tokens_at = 0;
  hys_estimate_clear(&shield->estimate, shield->spec);
  hysi_untold_clear(shield);
  hysi_search_start(shield);
}

hys_status hys_shield_init(hys_shield **shield, void *memory, size_t size, const hys_spec *spec,
                           const hys_shield_config *config) {
  if (shield == NULL || memory == NULL || spec == NULL)
    return HYS_ERR_ARG;
  *shield = NULL;
  if (!hys_float_env_ok())
    return HYS_ERR_FLOAT_ENV;
  const size_t need = hys_shield_size(spec);
  if (need == 0 || size < need)
    return HYS_ERR_LIMIT;
  if (!does(spec))
    return HYS_ERR_UNSUPPORTED;
  hys_terminal_report terminal;
  if (hys_terminal_check(spec, &terminal) != HYS_HOLDS)
    return HYS_ERR_INPUT;
  hys_shield *s = memory;
  *s = (hys_shield){.spec = spec};
  if (config != NULL)
    s->config = *config;
  else
    hys_shield_config_default(&s->config);
  if (s->config.plan_grid <= 0 || s->config.delay_grid <= 0)
    return HYS_ERR_ARG;
  s->work = (hys_reach_work *)(void *)((char *)memory + work_offset());
  clear(s);
  *shield = s;
  return HYS_OK;
}

hys_status hys_shield_reset(hys_shield *shield) {
  if (shield == NULL)
    return HYS_ERR_ARG;
  clear(shield);
  return HYS_OK;
}

hys_state hys_shield_state(const hys_shield *shield) {
  return shield->state;
}

void hys_shield_estimate(const hys_shield *shield, hys_interval *box) {
  const size_t nx = shield->spec->automaton->nx;
  hys_box_set_empty(box, nx);
  for (uint32_t i = 0; i < shield->estimate.n_sets; i++)
    hys_box_hull(box, box, shield->estimate.set[i].x, nx);
}

uint32_t hys_shield_locations(const hys_shield *shield, uint32_t *location, uint32_t max) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < shield->estimate.n_sets; i++) {
    uint32_t j = 0;
    while (j < n && location[j] != shield->estimate.set[i].location)
      j++;
    if (j == n && n < max)
      location[n++] = shield->estimate.set[i].location;
  }
  return n;
}

/* ---- states
 * ------------------------------------------------------------------------------------------------ */

static bool observing(const hys_shield *shield) {
  return shield->state == HYS_STATE_OBSERVE;
}

/* The fallback goes out with this decision, for `reason`. */
static void send_fallback(hys_shield *shield, int64_t now, hys_reason reason, hys_output *output) {
  hys_send send = {shield->spec->fallback, shield->spec->fallback_value, 0, false};
  shield->fallback_sent = true;
  if (!observing(shield)) {
    const hys_flight flight = hys_flight_now(shield->spec, now, send.command, send.value);
    if (!hysi_sent(shield, &flight) && !hys_estimate_send_again(&shield->estimate, &flight))
      shield->estimate.n_sets = shield->estimate.n_flights =
          0; /* the estimate begins anew, without what was sent */
    hysi_send(output, &send);
  }
  hys_record *r = hysi_record(shield, output, now, HYS_ACTION_INSERT, reason);
  r->has_applied = !observing(shield);
  r->applied = send;
}

/* The guarantee is void: fallback at once, the estimate to be begun from the next sample alone. */
static void lose(hys_shield *shield, int64_t now, hys_reason reason, hys_output *output) {
  if (!observing(shield))
    shield->state = HYS_STATE_LOST;
  shield->armed = false;
  shield->plan.at = HYS_NEVER;
  shield->plan.command = HYS_NO_COMMAND;
  shield->request.send_at = HYS_NEVER;
  if (shield->due.pending && shield->estimate.n_flights > 0)
    shield->estimate
        .n_flights--; /* the last one, as nothing is sent behind it before it goes out: it will not */
  shield->due.pending = false;
  shield->estimate.n_sets = 0;
  shield->estimate.n_history = 0;
  hysi_untold_follow(shield);
  send_fallback(shield, now, reason, output);
}

static void note(hys_shield *shield, int64_t now, hys_reason reason, hys_output *output) {
  hysi_record(shield, output, now, HYS_ACTION_NONE, reason);
}

/* ---- time
 * -------------------------------------------------------------------------------------------------- */

/* The armed plan's insertion, on its instant. */
static void fire(hys_shield *shield, int64_t now, hys_output *output) {
  const hys_plan plan = shield->plan;
  const hys_send send = {plan.command, plan.value, 0, true};
  shield->plan.at = HYS_NEVER;
  shield->plan.command = HYS_NO_COMMAND;
  if (observing(shield)) {
    shield->armed = false; /* what the plan would have done is not done */
  } else {
    const hys_flight flight = hys_flight_at(shield->spec, plan.at, plan.command, plan.value);
    hysi_take_token(shield, now);
    hysi_send(output, &send);
    if (!hysi_sent(shield, &flight)) {
      lose(shield, now, HYS_REASON_QUEUE_FULL, output);
      return;
    }
  }
  hys_record *r = hysi_record(shield, output, now, HYS_ACTION_INSERT, HYS_REASON_INSERTED);
  r->has_applied = !observing(shield);
  r->applied = send;
  r->margin = plan.margin;
  r->constraint = plan.constraint;
}

/* A delayed command goes out on its instant. */
static void send_due(hys_shield *shield, int64_t now, hys_output *output) {
  shield->due.pending = false;
  hysi_send(output, &shield->due.send);
  const bool same = shield->spec->command[shield->due.send.command].value_state < 0 ||
                    shield->due.requested.value == shield->due.send.value;
  hys_record *r = hysi_record(shield, output, now, same ? HYS_ACTION_PASS : HYS_ACTION_SUBSTITUTE,
                              same ? HYS_REASON_DELAYED : HYS_REASON_SUBSTITUTED);
  r->has_requested = r->has_applied = true;
  r->requested = shield->due.requested;
  r->applied = shield->due.send;
  r->at = shield->due.at;
}

/* What was due by now. */
static void on_time(hys_shield *shield, int64_t now, hys_output *output) {
  if (shield->due.pending && shield->due.at <= now) {
    if (now > shield->due.at + shield->spec->timing.timer_late) {
      lose(shield, now, HYS_REASON_TIMING_FAULT, output);
      return;
    }
    send_due(shield, now, output);
  }
  if (!shield->armed || shield->plan.at == HYS_NEVER || shield->plan.at > now)
    return;
  if (now > shield->plan.at + shield->spec->timing.timer_late)
    lose(shield, now, HYS_REASON_TIMING_FAULT, output);
  else
    fire(shield, now, output);
}

/* ---- inputs
 * ------------------------------------------------------------------------------------------------ */

/* Predicts to now.  While a certified plan is armed the plant is outside Bad, whatever the estimate alone
 * would allow: nothing left means MODEL_MISMATCH.  A prediction that needs more sets than there are breaches
 * nothing: the plan holds without an estimate, which is begun again from the next sample (TOO_MANY_SETS). */
static hys_reason predict(hys_shield *shield, int64_t now) {
  if (shield->estimate.n_sets == 0)
    return HYS_REASON_TOO_MANY_SETS;
  if (!hys_estimate_advance(&shield->estimate, now, shield->work, &shield->result)) {
    shield->estimate.n_sets = 0;
    shield->estimate.n_history = 0;
    hysi_untold_follow(shield);
    return HYS_REASON_TOO_MANY_SETS;
  }
  if (shield->state == HYS_STATE_GUARDED && shield->armed && !hys_estimate_keep_safe(&shield->estimate))
    return HYS_REASON_MODEL_MISMATCH;
  return HYS_REASON_NONE;
}

/* The reading a sample stands for; a reason if it is not to be used. */
static hys_reason read_sample(const hys_shield *shield, int64_t now, const hys_input *input,
                              hys_reading *reading) {
  const hys_spec *spec = shield->spec;
  const int64_t sigma = spec->timing.stamp_error;
  bool any = false, late = false;
  if (input->x == NULL)
    return HYS_REASON_INPUT_UNKNOWN;
  if (input->stamp < -HYS_MAX_TIME)
    return HYS_REASON_INPUT_STALE;
  if (input->stamp > now + sigma || (shield->sampled && input->stamp < shield->last_stamp))
    return HYS_REASON_TIME_BACKWARDS;
  if (shield->sampled && input->stamp == shield->last_stamp)
    return HYS_REASON_INPUT_STALE;
  for (size_t i = 0; i < spec->automaton->nx; i++) {
    const hys_observed *o = &spec->observed[i];
    const double v = input->x[i];
    reading->x[i] = hys_interval_entire();
    if (o->kind != HYS_OBSERVED || isnan(v))
      continue;
    if (!(fabs(v) <= DBL_MAX))
      return HYS_REASON_INPUT_NONFINITE;
    if (!(o->min <= v && v <= o->max))
      return HYS_REASON_INPUT_RANGE;
    if (now - input->stamp > o->stale) {
      late = true;
      continue;
    }
    reading->x[i] = hys_interval_make(hys_sub_down(v, o->error), hys_add_up(v, o->error));
    any = true;
  }
  if (!any)
    return late ? HYS_REASON_INPUT_STALE : HYS_REASON_INPUT_NONFINITE;
  reading->from = input->stamp - sigma;
  reading->to = input->stamp + sigma < now ? input->stamp + sigma : now;
  reading->mode = input->mode;
  return HYS_REASON_NONE;
}

/* A first plan, or a new one after the guarantee was lost; the fallback meanwhile. */
static void establish(hys_shield *shield, int64_t now, hys_output *output) {
  if (shield->spec->latch && shield->state == HYS_STATE_LOST) {
    note(shield, now, HYS_REASON_LATCHED, output);
    return;
  }
  if (hysi_renew(shield, now)) {
    if (!observing(shield))
      shield->state = HYS_STATE_GUARDED;
    shield->fallback_sent = false;
    hysi_record(shield, output, now, HYS_ACTION_NONE, HYS_REASON_RENEWED);
    return;
  }
  if (shield->fallback_sent) {
    hysi_record_why(shield, hysi_record(shield, output, now, HYS_ACTION_NONE, HYS_REASON_NOT_READY));
    return;
  }
  /* The fallback goes out; where it alone leads to T it is a plan that has begun. */
  hys_situation situation;
  const hys_flight flight =
      hys_flight_now(shield->spec, now, shield->spec->fallback, shield->spec->fallback_value);
  hys_estimate_situation(&shield->estimate, &situation);
  const hys_search why = shield->search;
  hys_certify_schedule(&situation, &flight, 1, shield->search.budget, &shield->search.used, shield->work,
                       &shield->result);
  const bool holds = shield->result.verdict == HYS_HOLDS && !observing(shield);
  if (holds) {
    shield->state = HYS_STATE_GUARDED;
    shield->armed = true;
    shield->plan =
        (hys_plan){HYS_NEVER, HYS_NO_COMMAND, HYSI_NAN, shield->result.margin, shield->result.constraint};
  }
  send_fallback(shield, now, HYS_REASON_NOT_READY, output);
  shield->fallback_sent = !holds;
  shield->search = why;
  hysi_record_why(shield, &output->record[output->n_records - 1]);
}

static void take_sample(hys_shield *shield, int64_t now, const hys_input *input, hys_output *output) {
  hys_reading reading;
  const hys_reason why = read_sample(shield, now, input, &reading);
  if (why != HYS_REASON_NONE) {
    note(shield, now, why, output);
    return;
  }
  const bool first = !shield->sampled;
  shield->sampled = true;
  shield->last_stamp = input->stamp;
  if (shield->estimate.n_sets > 0) {
    hys_reason fit = predict(shield, now);
    if (fit == HYS_REASON_NONE)
      fit = hysi_cut(shield, now, &reading);
    if (fit == HYS_REASON_MODEL_MISMATCH) {
      lose(shield, now, fit, output);
      return;
    }
    if (fit != HYS_REASON_NONE)
      note(shield, now, fit, output);
  }
  if (shield->estimate.n_sets == 0) {
    if (reading.from <= shield->untold.told_at) {
      note(shield, now, HYS_REASON_INPUT_STALE, output); /* it may be from before the event */
      return;
    }
    if (!hys_estimate_begin(&shield->estimate, now, &reading, first, shield->work, &shield->result)) {
      note(shield, now, shield->armed ? HYS_REASON_TOO_MANY_SETS : HYS_REASON_MODEL_MISMATCH, output);
      if (!shield->armed && !shield->fallback_sent)
        send_fallback(shield, now, HYS_REASON_MODEL_MISMATCH, output);
      return;
    }
    hysi_untold_follow(shield);
  }
  if (!shield->armed) {
    establish(shield, now, output);
    if (!shield->armed || observing(shield))
      return;
  } else
    hysi_renew(shield, now);
  if (shield->request.standing && !observing(shield)) {
    const hys_send wanted = shield->request.send;
    hysi_decide(shield, now, &wanted, false, output);
  }
}

static hys_reason read_command(const hys_shield *shield, const hys_input *input) {
  if (input->which >= shield->spec->n_commands)
    return HYS_REASON_INPUT_UNKNOWN;
  const hys_command *command = &shield->spec->command[input->which];
  if (command->value_state < 0)
    return HYS_REASON_NONE;
  if (!(fabs(input->value) <= DBL_MAX))
    return HYS_REASON_INPUT_NONFINITE;
  return command->value_min <= input->value && input->value <= command->value_max ? HYS_REASON_NONE
                                                                                  : HYS_REASON_INPUT_RANGE;
}

static void drop_command(hys_shield *shield, int64_t now, const hys_send *wanted, hys_reason why,
                         hys_output *output) {
  hys_record *r = hysi_record(shield, output, now, HYS_ACTION_SUPPRESS, why);
  r->has_requested = true;
  r->requested = *wanted;
}

/* Decides as the shield would, sends as the controller says. */
static void watch_command(hys_shield *shield, int64_t now, const hys_send *wanted, hys_output *output) {
  const hys_flight flight = hys_flight_now(shield->spec, now, wanted->command, wanted->value);
  const uint32_t flights = shield->estimate.n_flights, sends = output->n_sends;
  bool passed = false;
  if (shield->armed) {
    hysi_decide(shield, now, wanted, true, output);
    hys_record *r = &output->record[output->n_records - 1];
    passed = r->action == HYS_ACTION_PASS;
    if (!passed)
      output->n_sends = sends;
    if (r->action != HYS_ACTION_SUBSTITUTE) { /* of that the record tells what would have been sent */
      r->has_applied = true;
      r->applied = *wanted;
    }
  } else
    drop_command(shield, now, wanted, HYS_REASON_NOT_READY, output);
  shield->request.standing = false;
  shield->request.send_at = HYS_NEVER;
  if (passed)
    return;
  hysi_send(output, wanted);
  shield->armed = false;
  shield->estimate.n_flights = flights;
  if (!hys_estimate_send(&shield->estimate, &flight))
    shield->estimate.n_sets = 0;
  hysi_untold_follow(shield); /* nothing is claimed while looking on */
}

static void take_command(hys_shield *shield, int64_t now, const hys_input *input, hys_output *output) {
  const hys_send wanted = {input->which, input->value, input->id, false};
  const hys_reason why = read_command(shield, input);
  if (why != HYS_REASON_NONE) {
    drop_command(shield, now, &wanted, why, output);
    return;
  }
  if (shield->request.standing && shield->request.send_at != HYS_NEVER)
    drop_command(shield, now, &shield->request.send, HYS_REASON_OVERTAKEN, output);
  shield->request.standing = false;
  shield->request.send_at = HYS_NEVER;
  const hys_reason fit = predict(shield, now);
  if (observing(shield)) {
    watch_command(shield, now, &wanted, output);
    return;
  }
  if (shield->state == HYS_STATE_GUARDED && fit == HYS_REASON_MODEL_MISMATCH)
    lose(shield, now, fit, output);
  if (shield->state != HYS_STATE_GUARDED || fit != HYS_REASON_NONE) {
    const bool latched = shield->spec->latch && shield->state == HYS_STATE_LOST;
    const hys_reason not_ready = latched ? HYS_REASON_LATCHED : HYS_REASON_NOT_READY;
    drop_command(shield, now, &wanted, shield->state == HYS_STATE_GUARDED ? fit : not_ready, output);
    shield->request.standing = true;
    shield->request.send = wanted;
    shield->request.since = now;
    return;
  }
  hysi_decide(shield, now, &wanted, true, output);
}

static void take_event(hys_shield *shield, int64_t now, const hys_input *input, hys_output *output) {
  if (input->which >= shield->spec->n_events) {
    note(shield, now, HYS_REASON_INPUT_UNKNOWN, output);
    return;
  }
  if (shield->spec->event[input->which].recovery > 0)
    shield->untold.told_at = now;
  if (shield->estimate.n_sets == 0)
    return; /* the next sample alone says where the plant is */
  const hys_reason fit = predict(shield, now);
  if (fit == HYS_REASON_MODEL_MISMATCH)
    lose(shield, now, fit, output);
  else if (fit != HYS_REASON_NONE)
    note(shield, now, fit, output);
  if (fit != HYS_REASON_NONE)
    return;
  if (!hysi_told(shield, now, input)) {
    lose(shield, now, HYS_REASON_EVENT_OUT_OF_MODEL, output);
    return;
  }
  if (shield->armed)
    hysi_renew(shield, now);
  if (shield->armed && shield->request.standing && !observing(shield)) {
    const hys_send wanted = shield->request.send;
    hysi_decide(shield, now, &wanted, false, output);
  }
}

/* A delayed command whose decision is due. */
static void take_waiting(hys_shield *shield, int64_t now, hys_output *output) {
  if (!shield->request.standing || shield->request.send_at == HYS_NEVER || !shield->armed ||
      shield->request.send_at - shield->spec->timing.deadline > now)
    return;
  const hys_reason fit = predict(shield, now);
  if (fit == HYS_REASON_MODEL_MISMATCH) {
    lose(shield, now, fit, output);
    return;
  }
  if (fit != HYS_REASON_NONE) {
    drop_command(shield, now, &shield->request.send, fit, output);
    shield->request.send_at = HYS_NEVER;
    return;
  }
  hysi_decide_delayed(shield, now, output);
}

static int64_t next_wake(const hys_shield *shield) {
  int64_t wake = shield->armed ? shield->plan.at : HYS_NEVER;
  if (shield->due.pending && shield->due.at < wake)
    wake = shield->due.at;
  if (shield->request.standing && shield->request.send_at != HYS_NEVER) {
    const int64_t decide_at = shield->request.send_at - shield->spec->timing.deadline;
    wake = decide_at < wake ? decide_at : wake;
  }
  return wake;
}

/* The shield counts from its first instant: any clock will do, also one that counts from 1970. */
static int64_t since_origin(const hys_shield *shield, int64_t instant) {
  if (instant < shield->origin) {
    const uint64_t before = (uint64_t)shield->origin - (uint64_t)instant;
    return before > (uint64_t)HYS_MAX_TIME ? -HYS_MAX_TIME - 1 : -(int64_t)before;
  }
  const uint64_t after = (uint64_t)instant - (uint64_t)shield->origin;
  return after > (uint64_t)HYS_MAX_TIME ? HYS_MAX_TIME + 1 : (int64_t)after;
}

static int64_t on_callers_clock(const hys_shield *shield, int64_t instant) {
  const bool beyond = shield->origin > 0 && instant > INT64_MAX - shield->origin;
  return instant == HYS_NEVER || beyond ? HYS_NEVER : instant + shield->origin;
}

static void finish(hys_shield *shield, hys_output *output) {
  output->state = shield->state;
  output->wake = on_callers_clock(shield, next_wake(shield));
  for (uint32_t i = 0; i < output->n_records; i++) {
    hys_record *r = &output->record[i];
    r->now = on_callers_clock(shield, r->now);
    r->at = on_callers_clock(shield, r->at);
    r->plan_at = on_callers_clock(shield, r->plan_at);
  }
}

static void take(hys_shield *shield, int64_t now, const hys_input *input, hys_output *output) {
  hys_input shifted = {.kind = HYS_INPUT_TIMER};
  if (input != NULL)
    shifted = *input;
  shifted.stamp = since_origin(shield, shifted.stamp);
  switch (shifted.kind) {
  case HYS_INPUT_TIMER:
    take_waiting(shield, now, output);
    break;
  case HYS_INPUT_SAMPLE:
    take_sample(shield, now, &shifted, output);
    break;
  case HYS_INPUT_COMMAND:
    take_command(shield, now, &shifted, output);
    break;
  case HYS_INPUT_EVENT:
    take_event(shield, now, &shifted, output);
    break;
  }
}

hys_status hys_shield_step(hys_shield *shield, int64_t now, const hys_input *input, hys_output *output) {
  if (shield == NULL || output == NULL)
    return HYS_ERR_ARG;
  output->n_sends = output->n_records = 0;
  if (shield->spec == NULL) { /* memory that was never made a shield permits nothing */
    output->state = HYS_STATE_START;
    output->wake = HYS_NEVER;
    return HYS_ERR_STATE;
  }
  hysi_search_start(shield);
  if (!shield->started)
    shield->origin = now;
  const int64_t t = since_origin(shield, now);
  if (t > HYS_MAX_TIME || (shield->started && t < shield->last_now)) {
    note(shield, t, HYS_REASON_TIME_BACKWARDS, output);
    finish(shield, output);
    output->record[0].now = now;
    return HYS_ERR_ARG;
  }
  shield->started = true;
  shield->last_now = t;
  on_time(shield, t, output);
  take(shield, t, input, output);
  finish(shield, output);
  return HYS_OK;
}
