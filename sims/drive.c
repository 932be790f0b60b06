#include "sims/drive.h"

#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS 1e9

enum {
  MAX_PENDING = 65536, /* things that are under way at one instant */
  MAX_TEXT = 96,
  NUDGE = 1000 /* ns: a shield that wants to be woken in the past is woken this much later */
};

/* At one instant in this order. */
typedef enum kind {
  AT_EFFECT,  /* a command reaches the plant */
  AT_EVENT,   /* the environment does something */
  AT_SAMPLE,  /* the plant is measured, and the agent asked */
  AT_NOTICE,  /* the shield is told of an event */
  AT_COMMAND, /* the agent's command arrives */
  AT_SEND     /* an output leaves */
} kind;

typedef struct pending {
  int64_t at;
  kind what;
  uint64_t order;
  hys_send send; /* EFFECT, COMMAND, SEND */
  bool has_record;
  hys_record record; /* SEND: what it came from */
  size_t event;      /* EVENT, NOTICE */
} pending;

typedef struct loop {
  const hys_drive_config *config;
  const hys_spec *spec;
  const hys_automaton *h;
  hys_drive_result *result;
  hys_plant *plant;
  hys_shield *shield;
  gsl_rng *rng;
  pending *queue;
  size_t n_queue, queue_capacity;
  uint64_t order, next_id, decided_id;
  int64_t now, last_send, last_effect;
  int64_t wake, fire; /* what the shield asked for; when its timer will really come */
  bool over;
  hys_status status;
  hys_send in_force;
  bool has_in_force;
  int64_t *decision;
  size_t n_decisions, decision_capacity;
  double gap_sum;
  uint64_t gap_count;
} loop;

void hys_drive_config_default(hys_drive_config *config) {
  memset(config, 0, sizeof *config);
  config->seed = 1;
  config->at_bound = 0.25;
  config->gap_state = config->speed_state = -1;
}

/* ---- draws */

/* Uniform in [lo, hi], and with the declared probability one of the ends. */
static double draw(loop *l, double lo, double hi) {
  if (gsl_rng_uniform(l->rng) < l->config->at_bound)
    return gsl_rng_uniform(l->rng) < 0.5 ? lo : hi;
  return lo + (hi - lo) * gsl_rng_uniform(l->rng);
}

static int64_t draw_time(loop *l, int64_t lo, int64_t hi) {
  const double t = draw(l, 0, (double)(hi - lo));
  const int64_t at = lo + (int64_t)t;
  return at > hi ? hi : at;
}

/* A reading of x, off by at most error also after rounding. */
static double draw_reading(loop *l, double x, double error) {
  return x + draw(l, -error, error) * (1 - 1e-9);
}

/* ---- the queue */

static void push(loop *l, pending item) {
  if (l->n_queue == l->queue_capacity) {
    const size_t capacity = l->queue_capacity == 0 ? 64 : 2 * l->queue_capacity;
    pending *const queue = capacity > MAX_PENDING ? NULL : realloc(l->queue, capacity * sizeof *queue);
    if (queue == NULL) {
      l->status = capacity > MAX_PENDING ? HYS_ERR_LIMIT : HYS_ERR_MEMORY;
      return;
    }
    l->queue = queue;
    l->queue_capacity = capacity;
  }
  item.order = l->order++;
  l->queue[l->n_queue++] = item;
}

static bool before(const pending *a, const pending *b) {
  if (a->at != b->at)
    return a->at < b->at;
  return a->what != b->what ? a->what < b->what : a->order < b->order;
}

static size_t earliest(const loop *l) {
  size_t best = 0;
  for (size_t k = 1; k < l->n_queue; k++) {
    if (before(&l->queue[k], &l->queue[best]))
      best = k;
  }
  return best;
}

static pending take(loop *l, size_t k) {
  const pending item = l->queue[k];
  l->queue[k] = l->queue[--l->n_queue];
  return item;
}

/* ---- the trace */

static const char *command_text(const loop *l, const hys_send *send, char *text) {
  char number[32];
  const char *const name =
      send->command < l->spec->n_commands ? l->spec->command[send->command].name : "unknown";
  if (isnan(send->value))
    snprintf(text, MAX_TEXT, "%.60s", name);
  else
    snprintf(text, MAX_TEXT, "%.60s=%s", name, hys_trace_number(send->value, number, sizeof number));
  return text;
}

/* Where the reason says no more than the action does, what made the decision is told instead. */
static hys_reason told_reason(const hys_record *record) {
  const bool says_little = record->reason == HYS_REASON_DELAYED || record->reason == HYS_REASON_SUBSTITUTED ||
                           record->reason == HYS_REASON_SUPPRESSED;
  return says_little && record->failure != HYS_REASON_NONE ? record->failure : record->reason;
}

static void write_row(loop *l, const hys_record *record, const hys_send *applied, bool bare) {
  if (l->config->trace == NULL)
    return;
  char asked[MAX_TEXT], sent[MAX_TEXT];
  hys_plant_view view;
  hys_plant_look(l->plant, &view);
  const double truth = hys_plant_margin(l->h, view.location, view.x);
  hys_trace_row row = {
      .t = (double)l->now / NS, .location = l->h->location[view.location].name, .x = view.x, .margin = truth};
  if (view.t < row.t)
    row.t = view.t; /* the run ended at an instant of its own */
  if (record != NULL) {
    row.action = record->action == HYS_ACTION_NONE ? "" : hys_action_name(record->action);
    row.reason = bare ? "" : hys_reason_name(told_reason(record));
    row.margin = bare ? truth : record->margin;
    if (record->has_requested)
      row.requested = command_text(l, &record->requested, asked);
    row.id = record->has_requested ? record->requested.id : record->applied.id;
    row.has_id = row.id != 0;
  }
  if (applied != NULL)
    row.applied = command_text(l, applied, sent);
  const hys_status status = hys_trace_writer_row(l->config->trace, &row);
  if (status != HYS_OK && l->status == HYS_OK)
    l->status = status;
}

/* ---- commands on their way */

static bool same_command(const hys_send *a, const hys_send *b) {
  return a->command == b->command && (a->value == b->value || (isnan(a->value) && isnan(b->value)));
}

static void send_later(loop *l, int64_t at, const hys_send *send, const hys_record *record) {
  if (at < l->last_send)
    at = l->last_send;
  l->last_send = at;
  pending item = {.at = at, .what = AT_SEND, .send = *send, .has_record = record != NULL};
  if (record != NULL)
    item.record = *record;
  push(l, item);
}

static void on_send(loop *l, const pending *item) {
  l->in_force = item->send;
  l->has_in_force = true;
  hys_record told = {.action = item->send.id == 0 ? HYS_ACTION_INSERT : HYS_ACTION_PASS,
                     .has_requested = item->send.id != 0,
                     .requested = item->send,
                     .applied = item->send};
  write_row(l, item->has_record ? &item->record : &told, &item->send, !item->has_record);
  const hys_timing *const timing = &l->spec->timing;
  int64_t at = item->at + draw_time(l, timing->actuation_min, timing->actuation_max);
  if (at < l->last_effect)
    at = l->last_effect;
  l->last_effect = at;
  push(l, (pending){.at = at, .what = AT_EFFECT, .send = item->send});
}

static void on_effect(loop *l, const hys_send *send) {
  if (send->command >= l->spec->n_commands) {
    l->result->ignored++;
    return;
  }
  const hys_command *const command = &l->spec->command[send->command];
  const uint32_t state = (uint32_t)(command->value_state >= 0 ? command->value_state : 0);
  const bool valued = command->value_state >= 0 && isfinite(send->value);
  bool taken = false;
  const hys_status status =
      hys_plant_fire(l->plant, command->label, valued ? 1 : 0, &state, &send->value, &taken);
  if (status != HYS_OK)
    l->status = status;
  l->result->ignored += !taken;
}

/* ---- the shield */

static void count_record(loop *l, const hys_record *record) {
  hys_drive_result *const r = l->result;
  if (record->reason < HYS_REASON_COUNT)
    r->reasons[record->reason]++;
  if (record->state == HYS_STATE_GUARDED)
    l->result->was_guarded = true;
  if (!record->guarantee && l->result->was_guarded && record->state != HYS_STATE_OBSERVE)
    r->guarantee_void = true;
  bool edit = record->action != HYS_ACTION_NONE && record->action != HYS_ACTION_PASS;
  if (record->action == HYS_ACTION_INSERT) {
    r->edits.insert++;
  } else if (record->action != HYS_ACTION_NONE && record->has_requested) {
    if (record->requested.id <= l->decided_id) {
      edit = false; /* a later word on a command that was decided before */
    } else {
      l->decided_id = record->requested.id;
      r->edits.pass += record->action == HYS_ACTION_PASS;
      r->edits.delay += record->action == HYS_ACTION_DELAY;
      r->edits.substitute += record->action == HYS_ACTION_SUBSTITUTE;
      r->edits.suppress += record->action == HYS_ACTION_SUPPRESS;
    }
  }
  if (edit && isnan(r->first_edit))
    r->first_edit = (double)l->now / NS;
}

static bool worth_a_row(const hys_record *record) {
  if (record->action != HYS_ACTION_NONE)
    return true;
  return record->reason != HYS_REASON_NONE && record->reason != HYS_REASON_RENEWED &&
         record->reason != HYS_REASON_PASSED;
}

static void note_decision_time(loop *l, const struct timespec *from, const struct timespec *to) {
  if (l->n_decisions == l->decision_capacity) {
    const size_t capacity = l->decision_capacity == 0 ? 4096 : 2 * l->decision_capacity;
    int64_t *const decision = realloc(l->decision, capacity * sizeof *decision);
    if (decision == NULL) {
      l->status = HYS_ERR_MEMORY;
      return;
    }
    l->decision = decision;
    l->decision_capacity = capacity;
  }
  l->decision[l->n_decisions++] =
      (int64_t)(to->tv_sec - from->tv_sec) * 1000000000 + (int64_t)(to->tv_nsec - from->tv_nsec);
}

static void set_timer(loop *l, int64_t wake, bool again) {
  if (wake == l->wake && l->fire != INT64_MAX && !again)
    return;
  l->wake = wake;
  l->fire = INT64_MAX;
  if (wake == INT64_MAX)
    return;
  const int64_t from = wake > l->now ? wake : l->now + (again ? NUDGE : 0);
  l->fire = from + draw_time(l, 0, l->spec->timing.timer_late);
}

static void step_shield(loop *l, const hys_input *input) {
  static const struct timespec zero = {0, 0};
  struct timespec from = zero, to = zero;
  hys_output output;
  memset(&output, 0, sizeof output);
  output.wake = INT64_MAX;
  if (l->config->journal != NULL)
    hys_journal_input(l->config->journal, l->now, input);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
  const hys_status status = hys_shield_step(l->shield, l->now, input, &output);
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
  if (l->config->journal != NULL)
    hys_journal_output(l->config->journal, l->shield, status, &output);
  note_decision_time(l, &from, &to);
  l->result->steps++;
  l->result->step_errors += status != HYS_OK;
  l->result->state = output.state;

  const bool timer = input->kind == HYS_INPUT_TIMER;
  const int64_t leaves =
      l->now + (timer ? 0 : draw_time(l, l->spec->timing.compute_min, l->spec->timing.deadline));
  bool used[HYS_MAX_RECORDS] = {false};
  const uint32_t n_records = output.n_records < HYS_MAX_RECORDS ? output.n_records : HYS_MAX_RECORDS;
  const uint32_t n_sends = output.n_sends < HYS_MAX_SENDS ? output.n_sends : HYS_MAX_SENDS;
  for (uint32_t k = 0; k < n_records; k++)
    count_record(l, &output.record[k]);
  for (uint32_t s = 0; s < n_sends; s++) {
    const hys_record *from_record = NULL;
    for (uint32_t k = 0; k < n_records && from_record == NULL; k++) {
      const hys_record *const r = &output.record[k];
      if (used[k] || !r->has_applied || r->applied.id != output.send[s].id ||
          r->applied.command != output.send[s].command)
        continue;
      used[k] = true;
      from_record = r;
    }
    send_later(l, leaves, &output.send[s], from_record);
  }
  for (uint32_t k = 0; k < n_records; k++) {
    if (!used[k] && worth_a_row(&output.record[k]))
      write_row(l, &output.record[k], NULL, false);
  }
  set_timer(l, output.wake, timer);
}

/* ---- what happens */

static void on_sample(loop *l) {
  hys_plant_view view;
  hys_plant_look(l->plant, &view);
  double reading[HYS_MAX_STATES];
  for (size_t i = 0; i < l->h->nx; i++) {
    const hys_observed *const o = &l->spec->observed[i];
    reading[i] = o->kind == HYS_OBSERVED ? draw_reading(l, view.x[i], o->error) : HYSI_NAN;
  }
  const int64_t sigma = l->spec->timing.stamp_error;
  int64_t stamp = l->now + draw_time(l, -sigma, sigma);
  if (stamp > l->now)
    stamp = l->now;
  write_row(l, NULL, NULL, false);
  const int32_t gap = l->config->gap_state, speed = l->config->speed_state;
  if (gap >= 0 && speed >= 0 && view.x[speed] > 5) {
    l->gap_sum += view.x[gap] / view.x[speed];
    l->gap_count++;
  }
  if (l->shield != NULL) {
    const hys_input input = {
        .kind = HYS_INPUT_SAMPLE, .stamp = stamp, .x = reading, .mode = l->h->location[view.location].part};
    step_shield(l, &input);
  }
  if (l->config->agent.decide != NULL) {
    hys_drive_command wanted[HYS_DRIVE_MAX_COMMANDS];
    const size_t n = l->config->agent.decide(l->config->agent.context, (double)l->now / NS, reading, wanted,
                                             HYS_DRIVE_MAX_COMMANDS);
    for (size_t k = 0; k < n && k < HYS_DRIVE_MAX_COMMANDS; k++) {
      const hys_send send = {.command = wanted[k].command, .value = wanted[k].value, .id = l->next_id++};
      push(l, (pending){.at = l->now, .what = AT_COMMAND, .send = send});
    }
  }
  push(l, (pending){.at = l->now + l->spec->timing.period, .what = AT_SAMPLE});
  if (l->config->interrupted != NULL && l->config->interrupted(l->config->interrupted_context)) {
    l->result->interrupted = true;
    l->over = true;
  }
}

static void on_command(loop *l, const hys_send *send) {
  hys_drive_result *const r = l->result;
  bool change = !l->has_in_force || !same_command(send, &l->in_force);
  if (!l->has_in_force && send->command < l->spec->n_commands) {
    const hys_command *const command = &l->spec->command[send->command];
    const uint32_t state = (uint32_t)(command->value_state >= 0 ? command->value_state : 0);
    const bool valued = command->value_state >= 0 && isfinite(send->value);
    change = hys_plant_enabled(l->plant, command->label, valued ? 1 : 0, &state, &send->value);
  }
  r->commands++;
  r->changes += change;
  if (l->shield == NULL) {
    r->edits.pass++;
    send_later(l, l->now, send, NULL);
    return;
  }
  const uint64_t passed = r->edits.pass;
  const hys_input input = {.kind = HYS_INPUT_COMMAND,
                           .stamp = l->now,
                           .id = send->id,
                           .which = send->command,
                           .value = send->value};
  step_shield(l, &input);
  r->edited_changes += change && r->edits.pass == passed;
}

static void on_event(loop *l, const pending *item) {
  const hys_drive_event *const event = &l->config->event[item->event];
  const hys_event *const said = &l->spec->event[event->which];
  uint32_t states[HYS_MAX_EVENT_VALUES];
  bool taken = false;
  for (uint32_t k = 0; k < said->n_values && k < HYS_MAX_EVENT_VALUES; k++)
    states[k] = said->value[k].state;
  if (hys_plant_fire(l->plant, said->label, said->n_values, states, event->value, &taken) != HYS_OK)
    taken = false;
  if (!taken)
    l->result->events_refused++;
  if (!taken && event->forced) {
    hys_plant_view view;
    double x[HYS_MAX_STATES];
    hys_plant_look(l->plant, &view);
    memcpy(x, view.x, l->h->nx * sizeof *x);
    for (uint32_t k = 0; k < said->n_values && k < HYS_MAX_EVENT_VALUES; k++)
      x[states[k]] = event->value[k];
    taken = hys_plant_place(l->plant, view.location, x) == HYS_OK;
  }
  if (taken && l->shield != NULL)
    push(l,
         (pending){.at = l->now + draw_time(l, 0, said->latency), .what = AT_NOTICE, .event = item->event});
}

static void on_notice(loop *l, const pending *item) {
  const hys_drive_event *const event = &l->config->event[item->event];
  const hys_event *const said = &l->spec->event[event->which];
  double value[HYS_MAX_EVENT_VALUES] = {0};
  for (uint32_t k = 0; k < said->n_values && k < HYS_MAX_EVENT_VALUES; k++)
    value[k] = draw_reading(l, event->value[k], said->value[k].error);
  const hys_input input = {
      .kind = HYS_INPUT_EVENT, .stamp = l->now, .which = event->which, .event_value = value};
  step_shield(l, &input);
}

static void advance(loop *l, int64_t to) {
  const hys_status status = hys_plant_advance(l->plant, (double)to / NS);
  if (status != HYS_OK)
    l->status = status;
  hys_plant_view view;
  hys_plant_look(l->plant, &view);
  l->now = to;
  l->over = l->over || view.bad || view.timelock;
}

static void run(loop *l) {
  const int64_t end = l->config->duration;
  push(l, (pending){.at = 0, .what = AT_SAMPLE});
  for (size_t k = 0; k < l->config->n_events; k++)
    push(l, (pending){.at = l->config->event[k].at, .what = AT_EVENT, .event = k});
  while (!l->over && l->status == HYS_OK) {
    const size_t k = earliest(l);
    const int64_t next = l->n_queue > 0 ? l->queue[k].at : INT64_MAX;
    const bool input = l->n_queue > 0 && (l->queue[k].what == AT_SAMPLE || l->queue[k].what == AT_NOTICE ||
                                          l->queue[k].what == AT_COMMAND);
    /* The timer comes at `fire`, or just before the first input after the instant it was set to. */
    int64_t fire = l->fire;
    if (l->fire != INT64_MAX && input && next > l->wake && next < l->fire)
      fire = next;
    const int64_t at = fire <= next ? fire : next;
    if (at > end) {
      advance(l, end);
      break;
    }
    if (at > l->now || at == 0)
      advance(l, at);
    if (l->over || l->status != HYS_OK)
      break;
    if (fire <= next) {
      l->fire = INT64_MAX;
      const hys_input timer = {.kind = HYS_INPUT_TIMER, .stamp = l->now};
      step_shield(l, &timer);
      continue;
    }
    const pending item = take(l, k);
    switch (item.what) {
    case AT_EFFECT:
      on_effect(l, &item.send);
      break;
    case AT_EVENT:
      on_event(l, &item);
      break;
    case AT_SAMPLE:
      on_sample(l);
      break;
    case AT_NOTICE:
      on_notice(l, &item);
      break;
    case AT_COMMAND:
      on_command(l, &item.send);
      break;
    case AT_SEND:
      on_send(l, &item);
      break;
    }
    hys_plant_view view;
    hys_plant_look(l->plant, &view);
    l->over = l->over || view.bad || view.timelock;
  }
}

static int by_size(const void *a, const void *b) {
  const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void sum_up(loop *l) {
  hys_drive_result *const r = l->result;
  hys_plant_view view;
  hys_plant_look(l->plant, &view);
  write_row(l, NULL, NULL, false);
  r->violated = view.bad;
  r->violated_at = view.bad ? view.bad_at : HYSI_NAN;
  r->margin = view.margin;
  r->margin_at = view.margin_at;
  r->timelock = view.timelock;
  r->end = view.t;
  r->location = view.location;
  memcpy(r->x, view.x, l->h->nx * sizeof *r->x);
  r->time_gap = l->gap_count > 0 ? l->gap_sum / (double)l->gap_count : HYSI_NAN;
  if (l->n_decisions > 0) {
    qsort(l->decision, l->n_decisions, sizeof *l->decision, by_size);
    r->decision_p50 = l->decision[(l->n_decisions - 1) / 2];
    r->decision_p99 = l->decision[(99 * l->n_decisions + 99) / 100 - 1];
    r->decision_max = l->decision[l->n_decisions - 1];
  }
}

static bool sane(const hys_drive_config *c) {
  if (c == NULL || c->spec == NULL || c->spec->automaton == NULL || c->x == NULL || c->duration <= 0 ||
      !(c->at_bound >= 0 && c->at_bound <= 1) || c->spec->timing.period <= 0)
    return false;
  for (size_t k = 0; k < c->n_events; k++) {
    if (c->event[k].which >= c->spec->n_events || c->event[k].at < 0)
      return false;
  }
  const int32_t nx = (int32_t)c->spec->automaton->nx;
  return c->spec->automaton->nx <= HYS_MAX_STATES && c->gap_state < nx && c->speed_state < nx;
}

static hys_status set_up(loop *l, void **memory) {
  const hys_drive_config *const c = l->config;
  hys_plant_config plant;
  hys_plant_config_default(&plant);
  plant.seed = c->seed;
  plant.inputs = c->inputs;
  hys_status status = hys_plant_create(&l->plant, l->h, &plant, NULL);
  if (status == HYS_OK)
    status = hys_plant_start(l->plant, 0, c->location, c->x);
  if (status != HYS_OK)
    return status;
  l->rng = gsl_rng_alloc(gsl_rng_mt19937);
  if (l->rng == NULL)
    return HYS_ERR_MEMORY;
  gsl_rng_set(l->rng, (unsigned long)(c->seed ^ (c->seed >> 32)));
  if (c->mode == HYS_DRIVE_NO_SHIELD)
    return HYS_OK;
  hys_shield_config shield;
  hys_shield_config_default(&shield);
  if (c->shield != NULL)
    shield = *c->shield;
  shield.observe_only = c->mode == HYS_DRIVE_OBSERVE;
  const size_t size = hys_shield_size(l->spec);
  if (size == 0)
    return HYS_ERR_LIMIT;
  *memory = malloc(size);
  if (*memory == NULL)
    return HYS_ERR_MEMORY;
  return hys_shield_init(&l->shield, *memory, size, l->spec, &shield);
}

hys_status hys_drive_run(const hys_drive_config *config, hys_drive_result *result) {
  if (result == NULL || !sane(config))
    return HYS_ERR_ARG;
  memset(result, 0, sizeof *result);
  result->violated_at = result->first_edit = result->margin = result->margin_at = result->time_gap = HYSI_NAN;
  loop l = {.config = config,
            .spec = config->spec,
            .h = config->spec->automaton,
            .result = result,
            .next_id = 1,
            .wake = INT64_MAX,
            .fire = INT64_MAX};
  void *memory = NULL;
  hys_status status = set_up(&l, &memory);
  if (status == HYS_OK) {
    run(&l);
    sum_up(&l);
    status = l.status;
  }
  if (l.rng != NULL)
    gsl_rng_free(l.rng);
  hys_plant_destroy(l.plant);
  free(memory);
  free(l.queue);
  free(l.decision);
  return status;
}
