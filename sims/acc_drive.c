#include "sims/acc_drive.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/version.h"
#include "sims/acc_scenarios.h"
#include "sims/agents.h"

enum { MAX_EVENTS = 2, MAX_NOTE = 256 };

#define NS 1e9
#define LONGEST 1e6 /* s: eleven days */

typedef struct binding {
  const hys_spec *spec;
  const hys_automaton *h;
  int32_t d, v, w, a; /* states; a may be -1 */
  int32_t a_lead;     /* input */
  uint32_t ego;       /* instance */
  const acc_scenario *scenario;
  acc_lead *lead;
  agent *driver;
  double period;
  hys_drive_event event[MAX_EVENTS];
  size_t n_events;
  char *why;
  size_t size;
} binding;

static hys_status fail(const binding *b, hys_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static hys_status fail(const binding *b, hys_status status, const char *format, ...) {
  if (b->why != NULL && b->size > 0) {
    va_list list;
    va_start(list, format);
    vsnprintf(b->why, b->size, format, list);
    va_end(list);
  }
  return status;
}

void acc_drive_options_default(acc_drive_options *options) {
  memset(options, 0, sizeof *options);
  options->seed = 1;
  options->location = UINT32_MAX;
}

/* ---- names */

static bool ends_in(const char *name, const char *last) {
  const char *const dot = strrchr(name, '.');
  return strcmp(dot != NULL ? dot + 1 : name, last) == 0;
}

static int32_t find_name(const char *const *name, size_t n, const char *last) {
  for (size_t i = 0; i < n; i++) {
    if (ends_in(name[i], last))
      return (int32_t)i;
  }
  return -1;
}

/* Index of the location inside the instance, UINT32_MAX = none. */
static uint32_t find_part(const hys_instance *instance, const char *name) {
  for (uint32_t k = 0; k < instance->n_locations; k++) {
    if (strcmp(instance->location[k], name) == 0)
      return k;
  }
  return UINT32_MAX;
}

static hys_status bind_names(binding *b) {
  const hys_automaton *const h = b->h;
  b->d = find_name(h->state_name, h->nx, "d");
  b->v = find_name(h->state_name, h->nx, "v");
  b->w = find_name(h->state_name, h->nx, "w");
  b->a = find_name(h->state_name, h->nx, "a");
  b->a_lead = find_name(h->input_name, h->nu, "a_lead");
  b->ego = UINT32_MAX;
  for (uint32_t k = 0; k < h->n_instances && b->ego == UINT32_MAX; k++) {
    if (find_part(&h->instance[k], "cruise") != UINT32_MAX)
      b->ego = k;
  }
  if (b->d < 0 || b->v < 0 || b->w < 0 || b->a_lead < 0 || b->ego == UINT32_MAX)
    return fail(b, HYS_ERR_UNSUPPORTED,
                "the model is not an adaptive cruise control: states d, v, w, an input a_lead and a location "
                "cruise are needed");
  return HYS_OK;
}

/* The location that is like `like` but with the ego in `mode`; UINT32_MAX = none. */
static uint32_t with_mode(const binding *b, const uint32_t *like, const char *mode) {
  const uint32_t part = find_part(&b->h->instance[b->ego], mode);
  for (uint32_t k = 0; k < b->h->n_locations && part != UINT32_MAX; k++) {
    const uint32_t *const have = b->h->location[k].part;
    bool same = have[b->ego] == part;
    for (uint32_t i = 0; i < b->h->n_instances; i++)
      same = same && (i == b->ego || like == NULL || have[i] == like[i]);
    if (same)
      return k;
  }
  return UINT32_MAX;
}

/* Parts of the first initial location. */
static const uint32_t *initial_parts(const binding *b) {
  for (uint32_t k = 0; k < b->h->n_initially; k++) {
    if (b->h->initially[k].location < b->h->n_locations)
      return b->h->location[b->h->initially[k].location].part;
  }
  return NULL;
}

/* v' in a mode; `otherwise` where there is no such mode, or v' depends on the state. */
static double mode_accel(const binding *b, const char *mode, double otherwise) {
  const uint32_t k = with_mode(b, initial_parts(b), mode);
  if (k == UINT32_MAX)
    return otherwise;
  const hys_flow *const flow = &b->h->location[k].flow;
  for (size_t j = 0; j < b->h->nx; j++) {
    if (hys_interval_mid(flow->a[(size_t)b->v * b->h->nx + j]) != 0)
      return otherwise;
  }
  return hys_interval_mid(flow->c[b->v]);
}

/* d_min of a Bad that is d < d_min; NaN if it is something else. */
static double least_gap(const binding *b) {
  for (uint32_t k = 0; k < b->h->n_forbidden; k++) {
    const hys_conjunction *const set = &b->h->forbidden[k].set;
    if (set->n != 1)
      continue;
    bool alone = true;
    for (int32_t i = 0; i < (int32_t)b->h->nx; i++)
      alone = alone && (i == b->d) == (hys_interval_mid(set->row[0].a[i]) != 0);
    const double a = hys_interval_mid(set->row[0].a[b->d]);
    if (alone && a > 0)
      return hys_interval_mid(set->row[0].c) / a;
  }
  return HYSI_NAN;
}

/* ---- what the drive asks for */

static void lead_value(void *context, double t, const double *x, double *u) {
  const binding *const b = context;
  u[b->a_lead] = acc_lead_accel(b->lead, t, x[b->w]);
}

static double lead_break(void *context, double t) {
  const binding *const b = context;
  return acc_lead_next_break(b->lead, t);
}

static size_t ask_agent(void *context, double t, const double *reading, hys_drive_command *command,
                        size_t max) {
  const binding *const b = context;
  const double sample[AGENT_SAMPLE_SIZE] = {
      [AGENT_D] = reading[b->d], [AGENT_V] = reading[b->v], [AGENT_W] = reading[b->w]};
  agent_command wanted = {NULL, HYSI_NAN};
  agent_decide(b->driver, t, sample, &wanted);
  if (wanted.label == NULL || max == 0)
    return 0;
  command[0] = (hys_drive_command){UINT32_MAX, wanted.value};
  for (uint32_t k = 0; k < b->spec->n_commands; k++) {
    if (strcmp(b->spec->command[k].name, wanted.label) == 0)
      command[0].command = k;
  }
  return 1;
}

static hys_status add_event(binding *b, const char *name, double at, double gap, double speed, bool forced) {
  for (uint32_t k = 0; k < b->spec->n_events; k++) {
    const hys_event *const e = &b->spec->event[k];
    if (strcmp(e->name, name) != 0)
      continue;
    hys_drive_event *const event = &b->event[b->n_events++];
    *event = (hys_drive_event){.at = llround(at * NS), .which = k, .forced = forced};
    for (uint32_t i = 0; i < e->n_values; i++)
      event->value[i] = (int32_t)e->value[i].state == b->d ? gap : speed;
    return HYS_OK;
  }
  return fail(b, HYS_ERR_UNSUPPORTED, "scenario %s needs an event %s, which the shield file does not have",
              b->scenario->name, name);
}

/* ---- putting it together */

static hys_status choose(binding *b, const acc_drive_options *o, acc_drive_report *report) {
  const char *name = o->scenario;
  if (name == NULL)
    name = o->lead_file != NULL ? "recorded" : "worst-case";
  b->scenario = acc_scenario_find(name);
  if (b->scenario == NULL)
    return fail(b, HYS_ERR_ARG, "no scenario '%s'", name);
  if (b->scenario->recorded && o->lead_file == NULL)
    return fail(b, HYS_ERR_ARG, "scenario %s needs a file of a recorded lead", name);
  if (!(o->duration >= 0 && o->duration <= LONGEST))
    return fail(b, HYS_ERR_ARG, "the duration is not between 0 and 1e6 s");
  report->scenario = b->scenario->name;
  report->d_min = least_gap(b);
  report->outside_model = b->scenario->outside_model;
  report->agent = o->agent != NULL ? o->agent : "idm";
  return HYS_OK;
}

static hys_status make_lead(binding *b, const acc_drive_options *o, acc_drive_report *report,
                            double *duration) {
  const hys_interval range = b->h->location[report->start_location].u[b->a_lead];
  const acc_lead_bounds bounds = {-range.lo, range.hi};
  *duration = o->duration > 0 ? o->duration : b->scenario->duration;
  hys_status status;
  if (o->lead_file != NULL) {
    report->recorded = true;
    acc_recording *const r = &report->recording;
    status = acc_lead_read(&b->lead, r, o->lead_file, &bounds, NULL);
    if (status == HYS_ERR_INPUT || status == HYS_ERR_LIMIT)
      return fail(b, status, "%s:%zu: %s", o->lead_file, r->bad_line,
                  r->problem != NULL ? r->problem : "not valid");
    if (status == HYS_OK && (o->duration <= 0 || r->duration < o->duration) && r->duration > 0)
      *duration = r->duration;
    if (status == HYS_OK && isfinite(r->w))
      report->start[b->w] = r->w;
    if (status == HYS_OK && b->scenario->recorded) {
      report->start[b->d] = isfinite(r->d) ? r->d : report->start[b->d];
      report->start[b->v] = isfinite(r->v) ? r->v : report->start[b->v];
    }
  } else {
    status = acc_lead_create(&b->lead, &b->scenario->lead, report->start[b->w], *duration, &bounds, NULL);
  }
  if (status != HYS_OK)
    return fail(b, status, "%s: %s", o->lead_file != NULL ? o->lead_file : b->scenario->name,
                hys_status_text(status));
  return HYS_OK;
}

static hys_status make_start(binding *b, const acc_drive_options *o, acc_drive_report *report,
                             double *duration) {
  const acc_scenario *const s = b->scenario;
  const char *mode = s->ego_mode != NULL ? s->ego_mode : "cruise";
  report->start_location = with_mode(b, initial_parts(b), mode);
  if (report->start_location == UINT32_MAX)
    return fail(b, HYS_ERR_UNSUPPORTED, "the model has no location with the ego in '%s'", mode);
  for (size_t i = 0; i < b->h->nx; i++)
    report->start[i] = 0;
  report->start[b->d] = s->d;
  report->start[b->v] = s->v;
  report->start[b->w] = s->w;
  for (size_t i = 0; o->x != NULL && i < b->h->nx; i++) {
    if (!isnan(o->x[i]))
      report->start[i] = o->x[i];
  }
  const hys_status status = make_lead(b, o, report, duration);
  if (status != HYS_OK)
    return status;
  for (size_t i = 0; o->x != NULL && i < b->h->nx && o->lead_file != NULL; i++) {
    if (!isnan(o->x[i]) && (int32_t)i != b->w)
      report->start[i] = o->x[i];
  }
  if (o->location < b->h->n_locations)
    report->start_location = o->location;
  return HYS_OK;
}

static hys_status make_agent(binding *b, const acc_drive_options *o, const acc_drive_report *report) {
  agent_config config;
  agent_config_default(&config);
  config.period = (double)b->spec->timing.period / NS;
  config.accelerate = fabs(mode_accel(b, "accelerate", config.accelerate));
  config.coast = fabs(mode_accel(b, "coast", config.coast));
  config.brake = fabs(mode_accel(b, "brake", config.brake));
  config.start = b->scenario->agent_start;
  config.seed = o->seed;
  const double d_min = least_gap(b);
  if (isfinite(d_min))
    config.d_min = d_min;
  const hys_status status = agent_create(&b->driver, report->agent, &config, NULL);
  if (status == HYS_ERR_UNSUPPORTED)
    return fail(b, HYS_ERR_ARG, "no agent '%s'", report->agent);
  return status == HYS_OK ? HYS_OK : fail(b, status, "agent %s: %s", report->agent, hys_status_text(status));
}

static hys_status make_events(binding *b) {
  const acc_scenario *const s = b->scenario;
  hys_status status = HYS_OK;
  if (isfinite(s->cut_in_at))
    status = add_event(b, "cut_in", s->cut_in_at, s->cut_in_gap, s->cut_in_speed, s->outside_model);
  if (status == HYS_OK && isfinite(s->lost_at))
    status = add_event(b, "lead_lost", s->lost_at, HYSI_NAN, HYSI_NAN, false);
  return status;
}

/* ---- the trace */

static const char *mode_text(hys_drive_mode mode) {
  return mode == HYS_DRIVE_SHIELD ? "on" : mode == HYS_DRIVE_OBSERVE ? "observe" : "off";
}

/* Commands from the one that slows most to the one that gathers most speed, those with a value last. */
static void command_order(const binding *b, char *text, size_t size) {
  double level[HYS_MAX_COMMANDS];
  uint32_t order[HYS_MAX_COMMANDS];
  const uint32_t n = b->spec->n_commands < HYS_MAX_COMMANDS ? b->spec->n_commands : HYS_MAX_COMMANDS;
  for (uint32_t k = 0; k < n; k++) {
    level[k] =
        b->spec->command[k].value_state >= 0 ? HYSI_INF : mode_accel(b, b->spec->command[k].name, HYSI_INF);
    uint32_t at = k;
    for (; at > 0 && level[order[at - 1]] > level[k]; at--)
      order[at] = order[at - 1];
    order[at] = k;
  }
  size_t used = 0;
  text[0] = '\0';
  for (uint32_t k = 0; k < n && used < size; k++) {
    const int wrote =
        snprintf(text + used, size - used, "%s%s", k == 0 ? "" : " ", b->spec->command[order[k]].name);
    used += wrote > 0 ? (size_t)wrote : 0;
  }
}

static hys_status open_trace(const binding *b, const acc_drive_options *o, const acc_drive_report *report,
                             hys_trace_writer **writer) {
  hys_trace_note note[ACC_DRIVE_MAX_NOTES + 16];
  hys_trace_variable variable[HYS_MAX_STATES];
  char seed[32], title[MAX_NOTE], order[MAX_NOTE], d_min[32], speeds[MAX_NOTE], key[3][MAX_NOTE];
  const char *const *const name = b->h->state_name;
  size_t n = 0;
  snprintf(seed, sizeof seed, "%llu", (unsigned long long)o->seed);
  snprintf(title, sizeof title, "%s, agent %s", report->scenario, report->agent);
  snprintf(speeds, sizeof speeds, "%.100s %.100s", name[b->v], name[b->w]);
  snprintf(key[0], MAX_NOTE, "label.%.100s", name[b->d]);
  snprintf(key[1], MAX_NOTE, "label.%.100s", name[b->v]);
  snprintf(key[2], MAX_NOTE, "label.%.100s", name[b->w]);
  command_order(b, order, sizeof order);
  for (size_t k = 0; k < o->n_notes && k < ACC_DRIVE_MAX_NOTES; k++)
    note[n++] = o->note[k];
  note[n++] = (hys_trace_note){"seed", seed};
  note[n++] = (hys_trace_note){"build", hys_version_text()};
  note[n++] = (hys_trace_note){"values", "true state"};
  note[n++] = (hys_trace_note){"scenario", report->scenario};
  note[n++] = (hys_trace_note){"agent", report->agent};
  note[n++] = (hys_trace_note){"shield", mode_text(o->mode)};
  note[n++] = (hys_trace_note){"title", title};
  note[n++] = (hys_trace_note){"panel.gap", name[b->d]};
  note[n++] = (hys_trace_note){"panel.speeds", speeds};
  note[n++] = (hys_trace_note){key[0], "gap"};
  note[n++] = (hys_trace_note){key[1], "ego"};
  note[n++] = (hys_trace_note){key[2], "lead"};
  note[n++] = (hys_trace_note){"commands", order};
  if (isfinite(least_gap(b)))
    note[n++] = (hys_trace_note){"unsafe.below", hys_trace_number(least_gap(b), d_min, sizeof d_min)};
  for (size_t i = 0; i < b->h->nx; i++)
    variable[i] = (hys_trace_variable){name[i], b->spec->observed[i].unit};
  const hys_status status = hys_trace_writer_create(writer, o->trace, note, n, variable, b->h->nx);
  return status == HYS_OK ? HYS_OK : fail(b, status, "%s: %s", o->trace, hys_status_text(status));
}

static hys_status close_trace(const binding *b, const acc_drive_options *o, const hys_drive_result *result,
                              hys_trace_writer *writer) {
  char text[32];
  hys_status status = HYS_OK;
  if (result->violated)
    status = hys_trace_writer_note(writer, "violated_at",
                                   hys_trace_number(result->violated_at, text, sizeof text));
  if (status == HYS_OK)
    status = hys_trace_writer_note(writer, "margin", hys_trace_number(result->margin, text, sizeof text));
  const hys_status closed = hys_trace_writer_destroy(writer);
  if (status == HYS_OK)
    status = closed;
  return status == HYS_OK ? HYS_OK : fail(b, status, "%s: %s", o->trace, hys_status_text(status));
}

static hys_status drive(binding *b, const acc_drive_options *o, hys_drive_result *result,
                        acc_drive_report *report) {
  hys_status status = bind_names(b);
  if (status == HYS_OK)
    status = choose(b, o, report);
  double duration = 0;
  if (status == HYS_OK)
    status = make_start(b, o, report, &duration);
  if (status == HYS_OK)
    status = make_agent(b, o, report);
  if (status == HYS_OK)
    status = make_events(b);
  if (status != HYS_OK)
    return status;

  hys_drive_config config;
  hys_drive_config_default(&config);
  config.spec = b->spec;
  config.mode = o->mode;
  config.duration = llround(duration * NS);
  config.seed = o->seed;
  config.location = report->start_location;
  config.x = report->start;
  config.inputs = (hys_plant_inputs){lead_value, lead_break, b};
  config.agent = (hys_drive_agent){ask_agent, b};
  config.event = b->event;
  config.n_events = b->n_events;
  config.gap_state = b->d;
  config.speed_state = b->v;
  config.interrupted = o->interrupted;
  config.interrupted_context = o->interrupted_context;
  config.journal = o->journal;
  if (o->trace != NULL) {
    status = open_trace(b, o, report, &config.trace);
    if (status != HYS_OK)
      return status;
  }
  status = hys_drive_run(&config, result);
  if (status == HYS_ERR_INPUT) /* the lead file has been read: only the start is left */
    status = HYS_ERR_STATE;
  if (config.trace != NULL) {
    const hys_status closed = close_trace(b, o, result, config.trace);
    if (status == HYS_OK)
      return closed;
  }
  if (status == HYS_ERR_STATE)
    return fail(
        b, status,
        "the start lies outside of the invariant of %s, or no shield can be made of this specification "
        "(hyshield check tells)",
        b->h->location[report->start_location].name);
  return status == HYS_OK ? HYS_OK : fail(b, status, "%s", hys_status_text(status));
}

hys_status acc_drive_run(const hys_spec *spec, const acc_drive_options *options, hys_drive_result *result,
                         acc_drive_report *report, char *why, size_t size) {
  acc_drive_report unused;
  if (spec == NULL || spec->automaton == NULL || options == NULL || result == NULL ||
      spec->automaton->nx > HYS_MAX_STATES || options->n_notes > ACC_DRIVE_MAX_NOTES)
    return HYS_ERR_ARG;
  if (report == NULL)
    report = &unused;
  memset(report, 0, sizeof *report);
  memset(result, 0, sizeof *result);
  binding b = {.spec = spec, .h = spec->automaton, .why = why, .size = size};
  const hys_status status = drive(&b, options, result, report);
  agent_destroy(b.driver);
  acc_lead_destroy(b.lead);
  return status;
}
