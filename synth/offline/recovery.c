#include "synth/offline/recovery.h"

#include <string.h>

#include "core/rt/box.h"
#include "core/rt/constraint.h"
#include "core/rt/guard.h"
#include "core/rt/reach.h"
#include "core/rt/step.h"
#include "synth/offline/recovery_internal.h"
#include "synth/rt/schedule.h"

enum {
  HYSI_SUBSTEPS = 8,    /* of the window, in which slopes are bounded anew */
  HYSI_ROUNDS = 12,     /* until a bound on slopes holds itself */
  HYSI_MAX_CELLS = 256, /* waiting: a cell and its halves, depth first */
  HYSI_MAX_GUARDS = 64,
  HYSI_MAX_JUMPS = 1024
};

typedef struct hysi_cell {
  hys_interval x[HYS_MAX_STATES], u[HYS_MAX_INPUTS];
} hysi_cell;

typedef struct hysi_lemma {
  hysi_recovery supposed;
  const hys_automaton *automaton;
  uint32_t guard[HYSI_MAX_GUARDS]; /* a jump of the event for each guard and reset that differ */
  uint32_t n_guards;
  bool pending[HYSI_RECOVERY_LOCATIONS]; /* where the plant may be behind the event, before the command */
  hys_interval given[HYS_MAX_STATES];    /* what jumps assign there whatever the state; else empty */
  bool simple[HYSI_MAX_JUMPS];           /* the jump assigns nothing else, or is not taken at all */
  uint32_t bent;                         /* variables (states first) along which cells are cut */
  int64_t window;                        /* ms: shown up to here for the cells so far */
  hys_reach_work *work;
  hys_reach_result *result;
  hysi_cell *cell;
  uint32_t steps, cells;
} hysi_lemma;

/* ---- the event's jumps ------------------------------------------------------------------------------------
 */

static bool same_tree(const hys_expr *p, const hys_expr *q) {
  bool same = p->n == q->n;
  for (uint32_t i = 0; same && p->node != q->node && i < p->n; i++) {
    const hys_expr_node *k = &p->node[i], *l = &q->node[i];
    same = k->op == l->op && (k->op == HYS_EXPR_CONSTANT ? hys_interval_equal(k->value, l->value)
                                                         : k->a == l->a && k->b == l->b);
  }
  return same;
}

static bool same_numbers(const hys_interval *p, const hys_interval *q, size_t n) {
  bool same = (p == NULL) == (q == NULL);
  for (size_t i = 0; same && p != NULL && i < n; i++)
    same = hys_interval_equal(p[i], q[i]);
  return same;
}

/* Two jumps with the same guard and reset, from different locations. */
static bool same_jump(const hys_automaton *a, const hys_jump *p, const hys_jump *q) {
  const size_t n = a->nx + a->nu;
  bool same = p->guard.n == q->guard.n && p->n_curved == q->n_curved &&
              same_numbers(a->location[p->source].u, a->location[q->source].u, a->nu);
  for (uint32_t k = 0; same && k < p->guard.n; k++)
    same = same_numbers(p->guard.row[k].a, q->guard.row[k].a, n) &&
           hys_interval_equal(p->guard.row[k].c, q->guard.row[k].c);
  for (uint32_t k = 0; same && k < p->n_curved; k++)
    same = same_tree(&p->curved[k].tree, &q->curved[k].tree);
  for (size_t i = 0; same && i < a->nx; i++)
    same = p->reset[i].identity == q->reset[i].identity &&
           (p->reset[i].identity || (same_numbers(p->reset[i].coef, q->reset[i].coef, n) &&
                                     hys_interval_equal(p->reset[i].offset, q->reset[i].offset)));
  return same;
}

/* Variables in which a tree is not affine: those below a product of two numbers that are not constant, below
 * a divisor, a power or a function. */
static uint32_t bent_variables(const hys_expr *e) {
  uint32_t mask[HYS_MAX_CURVED_NODES] = {0}, bent = 0;
  if (e->n > HYS_MAX_CURVED_NODES)
    return 0;
  for (uint32_t i = 0; i < e->n; i++) {
    const hys_expr_node *k = &e->node[i];
    if (k->op == HYS_EXPR_CONSTANT)
      continue;
    if (k->op == HYS_EXPR_VARIABLE) {
      mask[i] = UINT32_C(1) << k->a;
      continue;
    }
    const uint32_t a = k->a < i ? mask[k->a] : 0, b = k->b < i && k->op != HYS_EXPR_NEG ? mask[k->b] : 0;
    mask[i] = a | b;
    if (k->op == HYS_EXPR_NEG || k->op == HYS_EXPR_ADD || k->op == HYS_EXPR_SUB ||
        (k->op == HYS_EXPR_MUL && (a == 0 || b == 0)) || (k->op == HYS_EXPR_DIV && b == 0))
      continue;
    bent |= mask[i];
  }
  return bent;
}

/* Jumps that may be taken while the command is pending: all but the events' themselves. */
static bool may_happen(const hysi_lemma *m, const hys_jump *jump) {
  return hysi_is_label(m->supposed.commands, jump->label) || !hysi_is_label(m->supposed.absent, jump->label);
}

/* Sorts out jumps whose assignments do not depend on the state. */
static void sort_out(hysi_lemma *m) {
  const hys_automaton *a = m->automaton;
  for (size_t i = 0; i < a->nx; i++)
    m->given[i] = hys_interval_empty();
  for (uint32_t j = 0; j < a->n_jumps; j++) {
    const hys_jump *jump = &a->jump[j];
    bool simple = jump->guard.n == 0;
    for (size_t i = 0; i < a->nx; i++)
      simple = simple && (jump->reset[i].identity || jump->reset[i].coef == NULL);
    m->simple[j] = simple || !m->pending[jump->source] || !may_happen(m, jump);
    if (!m->simple[j] || !simple || !m->pending[jump->source] || !may_happen(m, jump))
      continue;
    for (size_t i = 0; i < a->nx; i++)
      if (!jump->reset[i].identity)
        m->given[i] = hys_interval_hull(m->given[i], jump->reset[i].offset);
  }
}

static const char *collect(hysi_lemma *m) {
  const hys_automaton *a = m->automaton;
  const hysi_recovery *r = &m->supposed;
  for (uint32_t l = 0; l < a->n_locations; l++)
    m->pending[l] = false;
  for (uint32_t j = 0; j < a->n_jumps; j++) {
    const hys_jump *jump = &a->jump[j];
    if (jump->label != r->event)
      continue;
    m->pending[jump->target] = true;
    bool known = false;
    for (uint32_t k = 0; k < m->n_guards && !known; k++)
      known = same_jump(a, &a->jump[m->guard[k]], jump);
    if (known)
      continue;
    if (m->n_guards >= HYSI_MAX_GUARDS)
      return "the event has too many guards";
    m->guard[m->n_guards++] = j;
    for (uint32_t k = 0; k < jump->n_curved; k++)
      m->bent |= bent_variables(&jump->curved[k].tree);
  }
  for (bool more = true; more;) { /* at most as often as there are locations */
    more = false;
    for (uint32_t j = 0; j < a->n_jumps; j++) {
      const hys_jump *jump = &a->jump[j];
      if (jump->label != r->event && m->pending[jump->source] && !m->pending[jump->target])
        m->pending[jump->target] = more = true;
    }
  }
  sort_out(m);
  return NULL;
}

/* ---- behind the event, before the command -----------------------------------------------------------------
 */

/* Of the box, what is in some pending location. */
static bool confine(const hysi_lemma *m, hys_interval *x) {
  const hys_automaton *a = m->automaton;
  hys_interval all[HYS_MAX_STATES];
  hys_box_set_empty(all, a->nx);
  for (uint32_t l = 0; l < a->n_locations; l++) {
    hys_interval y[HYS_MAX_STATES];
    hys_box_copy(y, x, a->nx);
    if (m->pending[l] && hys_conjunction_cut(a, &a->location[l].invariant, y, a->location[l].u))
      hys_box_hull(all, all, y, a->nx);
  }
  hys_box_copy(x, all, a->nx);
  return !hys_box_is_empty(x, a->nx);
}

/* Hull of the slopes in all pending locations over the tube, and of what jumps make of states in it. */
static void spread_over(const hysi_lemma *m, const hys_interval *tube, hys_interval *slope,
                        hys_interval *assigned) {
  const hys_automaton *a = m->automaton;
  for (size_t i = 0; i < a->nx; i++) {
    slope[i] = hys_interval_empty();
    assigned[i] = m->given[i]; /* some may be empty, some not: no box */
  }
  for (uint32_t l = 0; l < a->n_locations; l++) {
    const hys_location *here = &a->location[l];
    hys_interval x[HYS_MAX_STATES], image[HYS_MAX_STATES];
    hys_box_copy(x, tube, a->nx);
    if (!m->pending[l] || !hys_conjunction_cut(a, &here->invariant, x, here->u))
      continue;
    for (size_t i = 0; i < a->nx; i++)
      slope[i] = hys_interval_hull(slope[i], here->flow.still ? hys_interval_point(0.0)
                                                              : hys_flow_slope(&here->flow, a->nx, i, x));
    for (uint32_t k = 0; k < here->n_jumps; k++) {
      const hys_jump *jump = &a->jump[here->jump[k]];
      if (m->simple[here->jump[k]] || !hys_jump_image(a, jump, NULL, x, image))
        continue;
      for (size_t i = 0; i < a->nx; i++)
        if (!jump->reset[i].identity)
          assigned[i] = hys_interval_hull(assigned[i], image[i]);
    }
  }
}

/* Out of Bad, and time can go on, in every pending location. */
static bool harmless(const hysi_lemma *m, const hys_interval *tube) {
  const hys_automaton *a = m->automaton;
  for (uint32_t l = 0; l < a->n_locations; l++) {
    const hys_location *here = &a->location[l];
    hys_interval x[HYS_MAX_STATES];
    hys_box_copy(x, tube, a->nx);
    if (!m->pending[l] || !hys_conjunction_cut(a, &here->invariant, x, here->u))
      continue;
    if (here->flow.still || !hys_never_blocked_surely(a, l, x))
      return false;
    const hys_halfspace *row;
    if (!hys_forbidden_missed_surely(a, l, x, &row))
      return false;
  }
  return true;
}

/* x: the image of the event; then all states, in any pending location, at any instant of the window.  false:
 * not shown to be harmless. */
static bool pass_window(const hysi_lemma *m, int64_t window, hys_interval *x) {
  const size_t nx = m->automaton->nx;
  const hys_interval h =
      hys_interval_div(hys_interval_point((double)window), hys_interval_point(1000.0 * HYSI_SUBSTEPS));
  const hys_interval within = hys_interval_make(0.0, h.hi);
  hys_interval now[HYS_MAX_STATES], slope[HYS_MAX_STATES], assigned[HYS_MAX_STATES];
  hys_box_copy(now, x, nx);
  for (int step = 0; step < HYSI_SUBSTEPS; step++) {
    hys_interval tube[HYS_MAX_STATES], wider[HYS_MAX_STATES];
    bool closed = false;
    hys_box_copy(tube, now, nx);
    for (int round = 0; round < HYSI_ROUNDS && !closed; round++) {
      spread_over(m, tube, slope, assigned);
      for (size_t i = 0; i < nx; i++)
        wider[i] =
            hys_interval_add(hys_interval_hull(now[i], assigned[i]), hys_interval_mul(within, slope[i]));
      closed = hys_box_inside_surely(wider, tube, nx);
      hys_box_hull(tube, tube, wider, nx);
    }
    if (!closed || !confine(m, tube) || !harmless(m, tube))
      return false;
    for (size_t i = 0; i < nx; i++)
      now[i] = hys_interval_is_empty(assigned[i]) ? hys_interval_add(now[i], hys_interval_mul(h, slope[i]))
                                                  : wider[i];
    hys_box_hull(x, x, tube, nx);
    if (!confine(m, now))
      return false;
  }
  return true;
}

/* ---- from the command on ----------------------------------------------------------------------------------
 */

static bool add_set(const hysi_lemma *m, hys_set *set, uint32_t *n, uint32_t location,
                    const hys_interval *x) {
  for (uint32_t k = 0; k < *n; k++)
    if (set[k].location == location) {
      hys_box_hull(set[k].x, set[k].x, x, m->automaton->nx);
      return true;
    }
  if (*n >= HYS_MAX_SETS)
    return false;
  set[*n].location = location;
  set[*n].stage = 0;
  hys_box_copy(set[(*n)++].x, x, m->automaton->nx);
  return true;
}

static bool comes_to_rest(hysi_lemma *m, const hys_interval *from) {
  const hys_automaton *a = m->automaton;
  const hys_spec *spec = m->supposed.spec;
  hys_set set[HYS_MAX_SETS];
  uint32_t n = 0;
  for (uint32_t l = 0; l < a->n_locations; l++) {
    const hys_location *here = &a->location[l];
    hys_interval x[HYS_MAX_STATES], image[HYS_MAX_STATES];
    hys_box_copy(x, from, a->nx);
    if (!m->pending[l] || !hys_conjunction_cut(a, &here->invariant, x, here->u))
      continue;
    if (m->supposed.settled[l] && !add_set(m, set, &n, l, x))
      return false;
    for (uint32_t k = 0; k < here->n_jumps; k++) {
      const hys_jump *jump = &a->jump[here->jump[k]];
      if (jump->label == m->supposed.command && hys_jump_image(a, jump, NULL, x, image) &&
          !add_set(m, set, &n, jump->target, image))
        return false;
    }
  }
  if (n == 0 || m->steps >= HYS_RECOVERY_WORK)
    return false;
  const hys_reach_problem problem = {.automaton = a,
                                     .command_labels = m->supposed.absent,
                                     .horizon = spec->limits.horizon / 1000 * 16384 / 1000000,
                                     .budget = HYS_RECOVERY_WORK - m->steps,
                                     .certify = true,
                                     .terminal = spec->terminal,
                                     .n_terminal = spec->n_terminal};
  const bool holds =
      hys_reach(&problem, set, n, m->work, m->result) == HYS_OK && m->result->verdict == HYS_HOLDS;
  m->steps += m->result->work;
  return holds;
}

/* The Lemma for the states and inputs of a cell.  window in ms. */
static bool cell_holds(hysi_lemma *m, const hysi_cell *cell, int64_t window) {
  const hys_automaton *a = m->automaton;
  hys_interval all[HYS_MAX_STATES];
  hys_box_set_empty(all, a->nx);
  for (uint32_t k = 0; k < m->n_guards; k++) {
    const hys_jump *jump = &a->jump[m->guard[k]];
    hysi_cell part = *cell;
    hys_interval image[HYS_MAX_STATES];
    if (!hys_box_intersect(part.u, part.u, a->location[jump->source].u, a->nu) ||
        !hys_guard_contract(a, jump, part.x, part.u))
      continue;
    hys_jump_image_of(a, jump, part.x, part.u, image);
    hys_box_hull(all, all, image, a->nx);
  }
  if (hys_box_is_empty(all, a->nx) || !confine(m, all))
    return true; /* the event is not possible here */
  return pass_window(m, window, all) && comes_to_rest(m, all);
}

/* ---- cells ------------------------------------------------------------------------------------------------
 */

static hys_interval *side(const hysi_lemma *m, hysi_cell *cell, size_t j) {
  return j < m->automaton->nx ? &cell->x[j] : &cell->u[j - m->automaton->nx];
}

/* Halves the widest side, measured by the whole's; false: it is among the smallest. */
static bool halve(const hysi_lemma *m, hysi_cell *whole, hysi_cell *low, hysi_cell *high) {
  const size_t n = m->automaton->nx + m->automaton->nu;
  double widest = 0.0;
  size_t at = n;
  for (size_t j = 0; j < n; j++) {
    const hys_interval all = *side(m, whole, j), here = *side(m, low, j);
    const double part = (here.hi - here.lo) / (all.hi - all.lo);
    if ((m->bent >> j & 1U) != 0 && part > widest) {
      widest = part;
      at = j;
    }
  }
  if (!(widest > 1.5 / HYS_RECOVERY_CELLS))
    return false;
  *high = *low;
  const double middle = hys_interval_mid(*side(m, low, at));
  side(m, high, at)->lo = middle;
  side(m, low, at)->hi = middle;
  return true;
}

/* The longest window, in ms, that the cell allows. */
static int64_t longest_of(hysi_lemma *m, const hysi_cell *cell, int64_t bad) {
  int64_t good = 0;
  while (bad - good > 1) {
    const int64_t middle = good + (bad - good) / 2;
    if (cell_holds(m, cell, middle))
      good = middle;
    else
      bad = middle;
  }
  return good;
}

/* What is looked for, in ms: what renewing a plan needs, and a quarter more. */
static int64_t wanted(const hys_spec *spec, int32_t label) {
  const hys_timing *t = &spec->timing;
  int64_t latency = 0;
  for (uint32_t k = 0; k < spec->n_events; k++)
    if (spec->event[k].label == label)
      latency = spec->event[k].latency;
  const int64_t need = latency + t->period + t->deadline + t->actuation_max + t->timer_late;
  const int64_t window = need / 1000000 * 5 / 4 + 1;
  return window < HYS_RECOVERY_LONGEST ? window : HYS_RECOVERY_LONGEST;
}

static const char *prove(hysi_lemma *m) {
  const hys_automaton *a = m->automaton;
  hysi_cell whole;
  uint32_t n = 1;
  hys_box_copy(whole.x, m->supposed.domain, a->nx);
  hys_box_set_empty(whole.u, a->nu);
  for (uint32_t k = 0; k < m->n_guards; k++)
    hys_box_hull(whole.u, whole.u, a->location[a->jump[m->guard[k]].source].u, a->nu);
  hys_interval possible[HYS_MAX_STATES]; /* where invariants let own states be */
  hys_box_set_entire(possible, a->nx);
  if (!confine(m, possible) || !hys_box_intersect(whole.x, whole.x, possible, a->nx))
    return "the event is possible nowhere";
  for (size_t i = 0; i < a->nx; i++)
    if ((m->supposed.changes >> i & 1U) != 0)
      whole.x[i] = hys_interval_entire(); /* before the event: anything */
  m->cell[0] = whole;
  m->window = wanted(m->supposed.spec, m->supposed.event);
  while (n > 0 && m->window > 0) {
    hysi_cell cell = m->cell[--n], high;
    if (m->steps >= HYS_RECOVERY_WORK)
      return "too much work";
    if (cell_holds(m, &cell, m->window)) {
      m->cells++;
    } else if (halve(m, &whole, &cell, &high)) {
      if (n + 2 > HYSI_MAX_CELLS)
        return "too many cells";
      m->cell[n++] = cell;
      m->cell[n++] = high;
    } else {
      m->window = longest_of(m, &cell, m->window);
      m->cells++;
    }
  }
  return m->window > 0 ? NULL : "the plant is not saved even at once";
}

/* ---- the whole --------------------------------------------------------------------------------------------
 */

static bool needs_recovery(const hys_automaton *a, int32_t label) {
  for (uint32_t j = 0; j < a->n_jumps; j++)
    if (a->jump[j].label == label && hys_jump_reads_inputs(a, &a->jump[j]))
      return true;
  return false;
}

static uint32_t changes_of(const hys_automaton *a, int32_t label) {
  uint32_t mask = 0;
  for (uint32_t j = 0; j < a->n_jumps; j++)
    for (size_t i = 0; a->jump[j].label == label && i < a->nx; i++)
      if (!a->jump[j].reset[i].identity)
        mask |= UINT32_C(1) << i;
  return mask;
}

/* All events that need it, with one command: NULL and the windows, or why not. */
static const char *try_command(hysi_lemma *m, hys_recovered *out, uint32_t command, uint64_t events,
                               int64_t *window) {
  const hys_spec *spec = &out->spec;
  const hys_command *c = &spec->command[command];
  if (c->value_state >= 0 || !c->insert || c->otherwise != HYS_OTHERWISE_IGNORED)
    return "no command without a value may be inserted and is ignored where it has no jump";
  for (uint32_t k = 0; k < spec->n_events; k++) {
    const hys_event *e = &out->event[k];
    if (!hysi_is_label(events, e->label))
      continue;
    m->n_guards = m->bent = 0;
    m->supposed = (hysi_recovery){.spec = spec, .automaton = spec->automaton, .event = e->label};
    m->supposed.command = c->label;
    m->supposed.commands = hys_command_labels(spec);
    m->supposed.absent = m->supposed.commands | events;
    for (uint32_t i = 0; i < spec->n_events; i++)
      if (hysi_is_label(events, out->event[i].label))
        m->supposed.changes |= out->event[i].changes;
    const char *why = hysi_recovery_supposed(&m->supposed);
    if (why == NULL)
      why = collect(m);
    if (why == NULL)
      why = prove(m);
    if (why != NULL)
      return why;
    window[k] = m->window * 1000000;
  }
  return NULL;
}

static void search(hysi_lemma *m, hys_recovered *out, uint64_t events, hys_recovery_report *report) {
  const hys_spec *spec = &out->spec;
  for (uint32_t k = 0; k <= spec->n_commands; k++) {
    int64_t window[HYS_MAX_EVENTS] = {0};
    const uint32_t command = k == 0 ? spec->fallback : k - 1; /* the fallback first */
    if (k > 0 && command == spec->fallback)
      continue;
    m->steps = m->cells = 0;
    const char *why = try_command(m, out, command, events, window);
    if (k == 0 || why == NULL) {
      report->why = why; /* that of the fallback counts */
      report->cells = m->cells;
    }
    report->work += m->steps;
    if (why != NULL)
      continue;
    for (uint32_t i = 0; i < spec->n_events; i++)
      if (window[i] > 0) {
        out->event[i].recovery = window[i];
        out->event[i].recovery_command = command;
        report->found++;
      }
    hys_box_copy(out->range, m->supposed.range, spec->automaton->nx);
    out->spec.recovery_range = out->range;
    return;
  }
}

hys_status hys_recovery_prepare(hys_recovered *out, const hys_spec *spec, const hys_allocator *allocator,
                                hys_recovery_report *report) {
  const hys_automaton *a = spec->automaton;
  uint64_t events = 0;
  *report = (hys_recovery_report){0};
  if (spec->n_events > HYS_MAX_EVENTS || a->nx > HYS_MAX_STATES || a->nu > HYS_MAX_INPUTS || a->n_labels > 64)
    return HYS_ERR_LIMIT;
  out->spec = *spec;
  out->spec.event = out->event;
  out->spec.recovery_range = NULL;
  for (uint32_t k = 0; k < spec->n_events; k++) {
    hys_event *e = &out->event[k];
    *e = spec->event[k];
    e->recovery = 0;
    e->changes = 0;
    if (e->label == HYS_NO_LABEL || !needs_recovery(a, e->label))
      continue;
    e->changes = changes_of(a, e->label);
    events |= UINT64_C(1) << (unsigned)e->label;
    report->wanted++;
  }
  if (events == 0)
    return HYS_OK;
  if (a->n_locations > HYSI_RECOVERY_LOCATIONS || a->n_jumps > HYSI_MAX_JUMPS)
    return HYS_ERR_LIMIT;
  hysi_lemma m = {.automaton = a,
                  .work = hys_allocate(allocator, hys_reach_work_size()),
                  .result = hys_allocate(allocator, sizeof(hys_reach_result)),
                  .cell = hys_allocate(allocator, sizeof(hysi_cell) * HYSI_MAX_CELLS)};
  const bool memory = m.work != NULL && m.result != NULL && m.cell != NULL;
  if (memory)
    search(&m, out, events, report);
  hys_release(allocator, m.work);
  hys_release(allocator, m.result);
  hys_release(allocator, m.cell);
  return memory ? HYS_OK : HYS_ERR_MEMORY;
}
