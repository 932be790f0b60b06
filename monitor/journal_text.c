#include "monitor/journal_text.h"

#include <math.h>
#include <sodium.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "monitor/rt/shield_state.h"

void hysi_text_add(hysi_text *text, const char *format, ...) {
  if (text->full)
    return;
  va_list list;
  va_start(list, format);
  const int n = vsnprintf(text->at + text->n, text->size - text->n, format, list);
  va_end(list);
  if (n < 0 || (size_t)n >= text->size - text->n)
    text->full = true;
  else
    text->n += (size_t)n;
}

void hysi_text_string(hysi_text *text, const char *string) {
  hysi_text_add(text, "\"");
  for (const char *p = string; *p != '\0'; p++) {
    const unsigned char c = (unsigned char)*p;
    if (c == '"' || c == '\\')
      hysi_text_add(text, "\\%c", c);
    else if (c < 0x20)
      hysi_text_add(text, "\\u%04x", (unsigned)c);
    else
      hysi_text_add(text, "%c", c);
  }
  hysi_text_add(text, "\"");
}

/* JSON knows neither NaN nor infinities, and its readers take -0 for the integer 0. */
static void add_number(hysi_text *text, double value) {
  if (isnan(value))
    hysi_text_add(text, "\"nan\"");
  else if (isinf(value))
    hysi_text_add(text, value > 0 ? "\"inf\"" : "\"-inf\"");
  else if (value == 0 && signbit(value))
    hysi_text_add(text, "-0.0");
  else
    hysi_text_add(text, "%.17g", value);
}

static void add_numbers(hysi_text *text, const double *value, size_t n) {
  if (value == NULL) {
    hysi_text_add(text, "null");
    return;
  }
  hysi_text_add(text, "[");
  for (size_t i = 0; i < n; i++) {
    if (i > 0)
      hysi_text_add(text, ",");
    add_number(text, value[i]);
  }
  hysi_text_add(text, "]");
}

void hysi_journal_text_input(hysi_text *text, const hys_spec *spec, uint64_t step, int64_t now,
                             const hys_input *input) {
  hysi_text_add(text, "\"type\":\"step\",\"step\":%llu,\"now\":%lld,\"input\":{", (unsigned long long)step,
                (long long)now);
  switch (input != NULL ? input->kind : HYS_INPUT_TIMER) {
  case HYS_INPUT_SAMPLE:
    hysi_text_add(text, "\"kind\":\"sample\",\"stamp\":%lld,\"x\":", (long long)input->stamp);
    add_numbers(text, input->x, spec->automaton->nx);
    hysi_text_add(text, ",\"mode\":");
    if (input->mode == NULL) {
      hysi_text_add(text, "null");
    } else {
      for (uint32_t i = 0; i < spec->automaton->n_instances; i++)
        hysi_text_add(text, "%s%u", i == 0 ? "[" : ",", (unsigned)input->mode[i]);
      hysi_text_add(text, spec->automaton->n_instances == 0 ? "[]" : "]");
    }
    break;
  case HYS_INPUT_COMMAND:
    hysi_text_add(text, "\"kind\":\"command\",\"id\":\"%llu\",\"which\":%u,\"name\":",
                  (unsigned long long)input->id, (unsigned)input->which);
    hysi_text_string(text, input->which < spec->n_commands ? spec->command[input->which].name : "");
    hysi_text_add(text, ",\"value\":");
    add_number(text, input->value);
    break;
  case HYS_INPUT_EVENT:
    hysi_text_add(text, "\"kind\":\"event\",\"which\":%u,\"values\":", (unsigned)input->which);
    if (input->which < spec->n_events)
      add_numbers(text, input->event_value, spec->event[input->which].n_values);
    else
      hysi_text_add(text, "null");
    break;
  case HYS_INPUT_TIMER:
  default:
    hysi_text_add(text, "\"kind\":\"timer\"");
  }
  hysi_text_add(text, "}");
}

static void add_send(hysi_text *text, const hys_spec *spec, const hys_send *send) {
  hysi_text_add(text, "{\"command\":");
  hysi_text_string(text, send->command < spec->n_commands ? spec->command[send->command].name : "");
  hysi_text_add(text, ",\"value\":");
  add_number(text, send->value);
  hysi_text_add(text, ",\"id\":\"%llu\",\"timed\":%s}", (unsigned long long)send->id,
                send->timed ? "true" : "false");
}

static void add_instant(hysi_text *text, int64_t at) {
  if (at == INT64_MAX)
    hysi_text_add(text, "null");
  else
    hysi_text_add(text, "%lld", (long long)at);
}

/* A row of Bad by its place, any other by its line of the model. */
static void add_constraint(hysi_text *text, const hys_automaton *h, const hys_halfspace *row) {
  if (row == NULL) {
    hysi_text_add(text, "null");
    return;
  }
  for (uint32_t k = 0; k < h->n_forbidden; k++) {
    for (uint32_t r = 0; r < h->forbidden[k].set.n; r++) {
      if (&h->forbidden[k].set.row[r] == row) {
        hysi_text_add(text, "{\"forbidden\":%u,\"row\":%u,\"line\":%u}", (unsigned)k, (unsigned)r,
                      (unsigned)row->line);
        return;
      }
    }
  }
  hysi_text_add(text, "{\"line\":%u}", (unsigned)row->line);
}

static void add_record(hysi_text *text, const hys_spec *spec, const hys_record *record) {
  hysi_text_add(text, "{\"action\":\"%s\",\"reason\":\"%s\",\"state\":\"%s\",\"guarantee\":%s,\"would\":%s",
                hys_action_name(record->action), hys_reason_name(record->reason),
                hys_state_name(record->state), record->guarantee ? "\"holds\"" : "\"void\"",
                record->would ? "true" : "false");
  hysi_text_add(text, ",\"requested\":");
  if (record->has_requested)
    add_send(text, spec, &record->requested);
  else
    hysi_text_add(text, "null");
  hysi_text_add(text, ",\"applied\":");
  if (record->has_applied)
    add_send(text, spec, &record->applied);
  else
    hysi_text_add(text, "null");
  hysi_text_add(text, ",\"at\":");
  if (record->action == HYS_ACTION_DELAY)
    add_instant(text, record->at);
  else
    hysi_text_add(text, "null");
  hysi_text_add(text, ",\"constraint\":");
  add_constraint(text, spec->automaton, record->constraint);
  hysi_text_add(text, ",\"failure\":\"%s\",\"margin\":", hys_reason_name(record->failure));
  add_number(text, record->margin);
  hysi_text_add(text, ",\"admissible\":[");
  add_number(text, record->admissible_min);
  hysi_text_add(text, ",");
  add_number(text, record->admissible_max);
  hysi_text_add(text, "],\"plan_at\":");
  add_instant(text, record->plan_at);
  hysi_text_add(text, ",\"plan\":");
  if (record->plan_command < spec->n_commands)
    hysi_text_string(text, spec->command[record->plan_command].name);
  else
    hysi_text_add(text, "null");
  hysi_text_add(text, ",\"work\":%u}", (unsigned)record->work);
}

/* Instants of the estimate count from the shield's first one: `origin' is said with them. */
static void add_estimate(hysi_text *text, const hys_spec *spec, const hys_estimate *estimate,
                         int64_t origin) {
  hysi_text_add(text, "{\"origin\":%lld,\"time32\":%lld,\"sets\":[", (long long)origin,
                (long long)estimate->time32);
  for (uint32_t k = 0; k < estimate->n_sets && k < HYS_MAX_SETS; k++) {
    const hys_set *const set = &estimate->set[k];
    hysi_text_add(text, "%s{\"location\":%u,\"stage\":%u,\"x\":[", k > 0 ? "," : "", (unsigned)set->location,
                  (unsigned)set->stage);
    for (size_t i = 0; i < spec->automaton->nx; i++) {
      hysi_text_add(text, i > 0 ? ",[" : "[");
      add_number(text, set->x[i].lo);
      hysi_text_add(text, ",");
      add_number(text, set->x[i].hi);
      hysi_text_add(text, "]");
    }
    hysi_text_add(text, "]}");
  }
  hysi_text_add(text, "],\"flights\":[");
  for (uint32_t k = 0; k < estimate->n_flights && k < HYS_MAX_QUEUE; k++) {
    const hys_flight *const flight = &estimate->flight[k];
    hysi_text_add(text, "%s{\"command\":%u,\"value\":", k > 0 ? "," : "", (unsigned)flight->command);
    add_number(text, flight->value);
    hysi_text_add(text, ",\"from\":%lld,\"to\":%lld}", (long long)flight->from, (long long)flight->to);
  }
  hysi_text_add(text, "]}");
}

void hysi_journal_hex(char hex[65], const unsigned char hash[32]) {
  sodium_bin2hex(hex, 65, hash, 32);
}

void hysi_journal_text_output(hysi_text *text, const hys_spec *spec, const hys_shield *shield,
                              hys_status status, const hys_output *output, char before[65]) {
  hysi_text_add(text, ",\"before\":\"%s\",\"status\":%d,\"state\":\"%s\",\"wake\":", before, (int)status,
                hys_state_name(output->state));
  add_instant(text, output->wake);
  hysi_text_add(text, ",\"sends\":[");
  for (uint32_t k = 0; k < output->n_sends && k < HYS_MAX_SENDS; k++) {
    if (k > 0)
      hysi_text_add(text, ",");
    add_send(text, spec, &output->send[k]);
  }
  hysi_text_add(text, "],\"records\":[");
  for (uint32_t k = 0; k < output->n_records && k < HYS_MAX_RECORDS; k++) {
    if (k > 0)
      hysi_text_add(text, ",");
    add_record(text, spec, &output->record[k]);
  }
  hysi_text_add(text, "],\"armed\":");
  if (!shield->armed) {
    hysi_text_add(text, "null");
  } else {
    hysi_text_add(text, "{\"at\":");
    add_instant(text, shield->plan.at);
    hysi_text_add(text, ",\"command\":");
    if (shield->plan.command < spec->n_commands)
      hysi_text_string(text, spec->command[shield->plan.command].name);
    else
      hysi_text_add(text, "null");
    hysi_text_add(text, ",\"value\":");
    add_number(text, shield->plan.value);
    hysi_text_add(text, ",\"margin\":");
    add_number(text, shield->plan.margin);
    hysi_text_add(text, "}");
  }
  hysi_text_add(text, ",\"estimate\":");
  const size_t from = text->n;
  add_estimate(text, spec, &shield->estimate, shield->origin);
  unsigned char hash[32];
  crypto_generichash(hash, sizeof hash, (const unsigned char *)text->at + from, text->n - from, NULL, 0);
  hysi_journal_hex(before, hash);
}
