#include "tests/support/built.h"

#include <string.h>

#include "models/prepare_flow.h"

/* n numbers as points in the arena; NULL = zeros. */
static hys_interval *points(built *m, const double *x, size_t n) {
  hys_interval *p = hys_arena_alloc(m->arena, n > 0 ? n : 1, sizeof *p);
  m->failed = m->failed || p == NULL;
  for (size_t i = 0; p != NULL && x != NULL && i < n; i++)
    p[i] = hys_interval_point(x[i]);
  return p;
}

static size_t width(const built *m) {
  return m->automaton.nx + m->automaton.nu;
}

static void add_row(built *m, hys_halfspace *list, uint32_t *n, const double *row, double c, bool strict) {
  if (*n >= BUILT_ROWS) {
    m->failed = true;
    return;
  }
  list[(*n)++] = (hys_halfspace){points(m, row, width(m)), hys_interval_point(c), strict, 0};
}

void built_start(built *m, size_t nx, size_t nu) {
  memset(m, 0, sizeof *m);
  m->arena = hys_arena_create(NULL);
  m->failed = m->arena == NULL || nx > HYS_MAX_STATES || nu > HYS_MAX_INPUTS;
  m->automaton = (hys_automaton){.name = "built",
                                 .nx = nx,
                                 .nu = nu,
                                 .state_name = m->state,
                                 .input_name = m->input,
                                 .label_name = m->label,
                                 .instance = m->instance,
                                 .n_instances = 1,
                                 .location = m->location,
                                 .jump = m->jump,
                                 .initially = m->initially,
                                 .forbidden = m->forbidden};
  m->spec = (hys_spec){.name = "built",
                       .automaton = &m->automaton,
                       .timing = {.trigger = HYS_TRIGGER_TIMER, .order_kept = true},
                       .observed = m->observed,
                       .mode_from = m->mode,
                       .command = m->command,
                       .event = m->event,
                       .fallback_value = HYSI_NAN,
                       .terminal = m->terminal,
                       .limits = {.insertions_per_second = 10,
                                  .burst = 4,
                                  .queue = 8,
                                  .plan_length = 2,
                                  .horizon = INT64_C(10000000000)}};
  for (size_t i = 0; i < HYS_MAX_STATES; i++) {
    m->state[i] = "x";
    m->input[i] = "u";
    m->observed[i] = (hys_observed){HYS_OBSERVED, 0.0, INT64_MAX, -HYSI_INF, HYSI_INF, ""};
  }
}

void built_end(built *m) {
  hys_arena_destroy(m->arena);
}

uint32_t built_location(built *m, const char *name, const double *a, const double *b, const double *c) {
  const uint32_t k = m->automaton.n_locations;
  const size_t nx = m->automaton.nx, nu = m->automaton.nu;
  if (k >= BUILT_LOCATIONS) {
    m->failed = true;
    return 0;
  }
  m->automaton.n_locations++;
  m->name[k] = name;
  m->part[k] = k;
  m->location[k] =
      (hys_location){.name = name,
                     .part = &m->part[k],
                     .invariant = {m->invariant[k], 0},
                     .u = m->u[k],
                     .flow = {.a = points(m, a, nx * nx), .b = points(m, b, nx * nu), .c = points(m, c, nx)},
                     .jump = m->leaving[k]};
  return k;
}

void built_input(built *m, uint32_t location, size_t i, double lo, double hi) {
  m->u[location][i] = hys_interval_make(lo, hi);
}

void built_invariant(built *m, uint32_t location, const double *row, double c) {
  add_row(m, m->invariant[location], &m->location[location].invariant.n, row, c, false);
}

void built_urgent(built *m, uint32_t location) {
  m->location[location].flow.still = true;
}

uint32_t built_jump(built *m, uint32_t source, uint32_t target, int32_t label) {
  const uint32_t k = m->automaton.n_jumps;
  hys_location *here = &m->location[source];
  if (k >= BUILT_JUMPS) {
    m->failed = true;
    return 0;
  }
  m->automaton.n_jumps++;
  m->leaving[source][here->n_jumps++] = k;
  m->jump[k] = (hys_jump){
      .source = source, .target = target, .label = label, .guard = {m->guard[k], 0}, .reset = m->reset[k]};
  for (size_t i = 0; i < m->automaton.nx; i++)
    m->reset[k][i].identity = true;
  return k;
}

void built_guard(built *m, uint32_t jump, const double *row, double c) {
  add_row(m, m->guard[jump], &m->jump[jump].guard.n, row, c, false);
}

void built_reset(built *m, uint32_t jump, size_t i, const double *row, double lo, double hi) {
  m->reset[jump][i] = (hys_reset_row){.coef = row != NULL ? points(m, row, width(m)) : NULL,
                                      .offset = hys_interval_make(lo, hi)};
}

static void add_region(built *m, hys_region *list, hys_halfspace rows[][BUILT_ROWS], uint32_t *n,
                       uint32_t region, uint32_t location, const double *row, double c, bool strict) {
  if (region >= BUILT_REGIONS) {
    m->failed = true;
    return;
  }
  if (region >= *n)
    *n = region + 1;
  list[region].location = location;
  list[region].set.row = rows[region];
  if (row != NULL)
    add_row(m, rows[region], &list[region].set.n, row, c, strict);
}

void built_forbidden(built *m, uint32_t region, uint32_t location, const double *row, double c, bool strict) {
  add_region(m, m->forbidden, m->forbidden_row, &m->automaton.n_forbidden, region, location, row, c, strict);
}

void built_terminal(built *m, uint32_t region, uint32_t location, const double *row, double c) {
  add_region(m, m->terminal, m->terminal_row, &m->spec.n_terminal, region, location, row, c, false);
}

void built_initially(built *m, uint32_t region, uint32_t location, const double *row, double c) {
  add_region(m, m->initially, m->initially_row, &m->automaton.n_initially, region, location, row, c, false);
}

uint32_t built_command(built *m, const char *name) {
  const uint32_t k = m->spec.n_commands, l = m->automaton.n_labels;
  if (l >= BUILT_LABELS) {
    m->failed = true;
    return 0;
  }
  m->spec.n_commands++;
  m->label[m->automaton.n_labels++] = name;
  m->command[k] = (hys_command){.name = name,
                                .label = (int32_t)l,
                                .edit = {HYS_EDIT_SUPPRESS},
                                .n_edits = 1,
                                .priority = 255,
                                .channel = HYS_CHANNEL_LATEST,
                                .otherwise = HYS_OTHERWISE_IGNORED,
                                .value_state = -1};
  return k;
}

uint32_t built_event(built *m, const char *name, int64_t latency) {
  const uint32_t k = m->spec.n_events, l = m->automaton.n_labels;
  if (l >= BUILT_LABELS) {
    m->failed = true;
    return 0;
  }
  m->spec.n_events++;
  m->label[m->automaton.n_labels++] = name;
  m->event[k] = (hys_event){.name = name, .label = (int32_t)l, .latency = latency};
  return k;
}

bool built_finish(built *m) {
  m->instance[0] = (hys_instance){"", m->name, m->automaton.n_locations};
  m->mode[0] = HYS_MODE_ESTIMATE;
  for (uint32_t k = 0; k < m->automaton.n_locations && !m->failed; k++) {
    hys_location *here = &m->location[k];
    m->failed = hys_flow_prepare(&here->flow, m->automaton.nx, m->automaton.nu, here->u, &here->invariant,
                                 m->arena) != HYS_OK;
  }
  return !m->failed;
}
