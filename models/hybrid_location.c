/* The locations of the product, one by one: flows, invariant, what the invariant defines, and the jumps. */
#include <string.h>

#include "models/hybrid_private.h"

hys_status hysi_hybrid_intern(hysi_hybrid *h, const uint32_t *part, uint32_t *index) {
  const size_t bytes = h->flat.network->n_base * sizeof *part;
  const hys_hybrid_location **location;
  uint32_t *copy, **parts;

  *index = hysi_names_get(&h->seen, (const char *)part, bytes);
  if (*index != HYSI_NO_NAME)
    return HYS_OK;
  copy = hys_arena_alloc(h->arena, h->flat.network->n_base, sizeof *copy);
  parts = hysi_grow(h->arena, h->part, h->n_locations, &h->part_capacity, sizeof *parts);
  if (parts != NULL)
    h->part = parts;
  location = hysi_grow(h->arena, h->location, h->n_locations, &h->location_capacity, sizeof *location);
  if (location != NULL)
    h->location = location;
  if (copy == NULL || parts == NULL || location == NULL)
    return HYS_ERR_MEMORY;
  memcpy(copy, part, bytes);
  if (!hysi_names_set(&h->seen, (const char *)copy, bytes, h->n_locations))
    return HYS_ERR_MEMORY;
  h->part[h->n_locations] = copy;
  h->location[h->n_locations] = NULL;
  *index = h->n_locations++;
  return HYS_OK;
}

/* What is being made. */
typedef struct making {
  hysi_hybrid *h;
  const uint32_t *part;
  hys_hybrid_location *out;
  hys_rate *rate;
  hysi_condition_list invariant;
  hysi_definitions definitions;
  hys_hybrid_jump *jump;
  uint32_t n_jumps, capacity;
} making;

static hys_status refuse_unknown(hysi_hybrid *h, const hysi_text_tree *t) {
  if (!t->unknown)
    return HYS_OK;
  hysi_report(&h->flat.document, HYS_ERROR, t->at,
              "this has a name that is not declared: no automaton can be made");
  h->flat.status = HYS_ERR_INPUT;
  return HYS_OK;
}

/* ---- the invariant ---- */

static hys_status add_invariant(making *m, const hysi_instance *i, const hysi_model_location *l) {
  const hysi_formula f = {.e = &l->invariant.e, .instance = i, .file = m->h->flat.document.file};
  const hysi_formula flow = {.e = &l->flow.e, .instance = i, .file = m->h->flat.document.file};
  hysi_conjunct *set;
  uint32_t n;
  hys_status status = refuse_unknown(m->h, &l->invariant);

  for (uint32_t k = 0; status == HYS_OK && k < l->flow.n_algebraic; k++)
    status = hysi_hybrid_comparison(m->h, &flow, l->flow.algebraic[k], flow.e->node[l->flow.algebraic[k]].op,
                                    &m->invariant);
  if (status != HYS_OK || f.e->n == 0)
    return status;
  status = hysi_dnf(&m->h->flat, &f, &set, &n);
  if (status != HYS_OK)
    return status;
  if (n == 0)
    return hysi_hybrid_never(m->h, f.e->node[f.e->n - 1].line, &m->invariant);
  if (n > 1) {
    m->out->loose = true;
    return HYS_OK;
  }
  for (uint32_t k = 0; k < set[0].n && status == HYS_OK; k++)
    status = hysi_hybrid_comparison(m->h, &f, set[0].literal[k].node, set[0].literal[k].op, &m->invariant);
  return status;
}

/* ---- flows ---- */

/* Bounds of one derivative, or of one value after a jump, by the rows about it. */
typedef struct bounds {
  bool below, above, equal;
  hys_expr lower, upper;
  uint32_t line;
} bounds;

/* Up to so many rows are linked by looking. */
enum { FEW_ROWS = 8 };

/* The rows about one parameter, in their order: next is HYSI_NONE at the last. */
typedef struct row_link {
  uint32_t next;
  bool later; /* than another row about this parameter */
} row_link;

/* Links the rows of a text; NULL: no memory. */
static row_link *link_rows(hysi_hybrid *h, const hysi_text_tree *t, uint32_t n_params) {
  row_link *rows = hys_arena_alloc(h->arena, t->n_rows, sizeof *rows);
  uint32_t *last =
      hys_arena_alloc(h->arena, t->n_rows > FEW_ROWS ? n_params : 0, sizeof *last); /* plus one */

  if (rows == NULL || last == NULL)
    return NULL;
  for (uint32_t r = 0; r < t->n_rows; r++) {
    uint32_t before = r;
    rows[r].next = HYSI_NONE;
    if (t->n_rows > FEW_ROWS) {
      before = last[t->row[r].param];
      last[t->row[r].param] = r + 1;
    } else
      while (before > 0 && t->row[before - 1].param != t->row[r].param)
        before--;
    if (before > 0) {
      rows[before - 1].next = r;
      rows[r].later = true;
    }
  }
  return rows;
}

/* What row r and those linked to it say. */
static hys_status take_bounds(hysi_hybrid *h, const hysi_formula *f, const hysi_text_tree *t,
                              const row_link *linked, uint32_t r, bounds *b, bool *good) {
  hys_status status = HYS_OK;

  for (; r != HYSI_NONE && status == HYS_OK; r = linked[r].next) {
    const hysi_row *row = &t->row[r];
    hys_expr e;
    status = hysi_hybrid_number(h, f, row->rhs, &e, good);
    if (status != HYS_OK || !*good)
      return status;
    b->line = f->e->node[row->node].line;
    if (row->op != HYS_EXPR_GT && row->op != HYS_EXPR_GE) {
      if (b->above)
        *good = false;
      b->above = true;
      b->upper = e;
    }
    if (row->op != HYS_EXPR_LT && row->op != HYS_EXPR_LE) {
      if (b->below)
        *good = false;
      b->below = true;
      b->lower = e;
    }
    b->equal = row->op == HYS_EXPR_EQ;
    if (!*good) {
      hysi_refuse(&h->flat, HYS_ERR_UNSUPPORTED, f, row->node, "a second bound on the same side");
      return HYS_OK;
    }
  }
  return status;
}

/* The bounds as value + slack.  They must differ by a number. */
static hys_status as_slack(hysi_hybrid *h, const hysi_formula *f, uint32_t node, const bounds *b,
                           const hysi_definitions *d, hys_expr *value, hys_interval *slack, bool *good) {
  hys_expr difference, from = b->below ? b->lower : b->upper, to = b->upper;
  hys_affine row;
  bool affine;
  hys_status status = hysi_hybrid_substitute(h, &from, d, &from);

  *good = true;
  *value = from;
  *slack = hys_interval_point(0.0);
  if (b->equal || status != HYS_OK)
    return status;
  if (!b->below || !b->above) {
    *slack = b->below ? hys_interval_make(0.0, HYSI_INF) : hys_interval_make(-HYSI_INF, 0.0);
    return HYS_OK;
  }
  status = hysi_hybrid_substitute(h, &to, d, &to);
  if (status == HYS_OK)
    status = hysi_hybrid_difference(h, &to, &from, &difference);
  if (status == HYS_OK)
    status = hysi_hybrid_row(h, &difference, &row, &affine);
  if (status != HYS_OK)
    return status;
  if (!affine || row.n > 0 || !(row.constant.hi >= 0.0)) {
    hysi_refuse(&h->flat, HYS_ERR_UNSUPPORTED, f, node,
                "the two bounds must differ by a number that is not negative");
    *good = false;
    return HYS_OK;
  }
  *slack = hys_interval_make(0.0, row.constant.hi);
  return HYS_OK;
}

/* Which variables have a flow here, as trees; the definitions are not known yet. */
static hys_status add_flows(making *m, const hysi_instance *i, const hysi_model_location *l) {
  hysi_hybrid *h = m->h;
  const hysi_formula f = {.e = &l->flow.e, .instance = i, .file = h->flat.document.file};
  const row_link *linked = link_rows(h, &l->flow, i->component->n_params);
  hys_status status = linked == NULL ? HYS_ERR_MEMORY : refuse_unknown(h, &l->flow);

  for (uint32_t r = 0; r < l->flow.n_rows && status == HYS_OK; r++) {
    const uint32_t v = hysi_variable_of(i, l->flow.row[r].param);
    const uint32_t x = v == HYSI_NONE ? HYSI_NONE : h->flat.slot[v];
    bool good = true;
    bounds b = {false, false, false, {NULL, 0}, {NULL, 0}, 0};
    hys_rate *rate;
    if (linked[r].later || x == HYSI_NONE)
      continue;
    rate = &m->rate[x];
    if (rate->motion == HYS_MOTION_FLOW) {
      hysi_refuse(&h->flat, HYS_ERR_UNSUPPORTED, &f, l->flow.row[r].node,
                  "two instances drive `%s' in location %s", h->face.variable[x], m->out->name);
      continue;
    }
    status = take_bounds(h, &f, &l->flow, linked, r, &b, &good);
    if (status != HYS_OK || !good)
      continue;
    if (!b.below || !b.above)
      continue; /* no bound on one side: it may change as fast as it likes */
    rate->motion = HYS_MOTION_FLOW;
    rate->line = b.line;
    status = as_slack(h, &f, l->flow.row[r].node, &b, NULL, &rate->value, &rate->slack, &good);
  }
  return status;
}

/* ---- what equations of the invariant define ---- */

/* A side of an equation that is a variable alone which may be defined by the other side. */
static bool bare_side(const making *m, const hys_expr *e, uint32_t *variable, hys_expr *value) {
  const hys_expr_node *k = &e->node[e->n - 1];

  for (int side = 0; k->op == HYS_EXPR_SUB && side < 2; side++) {
    const uint32_t mine = side == 0 ? k->a : k->b, other = side == 0 ? k->b : k->a;
    const hys_expr_node *v = &e->node[mine];
    bool itself = false;
    if (v->op != HYS_EXPR_VARIABLE || m->rate[v->a].motion != HYS_MOTION_FREE)
      continue;
    const uint32_t first = hys_expr_first(e, other);
    for (uint32_t i = first; i <= other; i++)
      itself = itself || (e->node[i].op == HYS_EXPR_VARIABLE && e->node[i].a == v->a);
    if (itself)
      continue;
    *variable = v->a;
    /* the other side stands in the same array: shift it to its begin */
    hys_expr_node *node = hys_arena_alloc(m->h->arena, other - first + 1, sizeof *node);
    if (node == NULL)
      return false;
    for (uint32_t i = first; i <= other; i++) {
      node[i - first] = e->node[i];
      if (node[i - first].op != HYS_EXPR_CONSTANT && node[i - first].op != HYS_EXPR_VARIABLE) {
        const uint32_t a = e->node[i].a, b = e->node[i].b;
        node[i - first].a = a >= first && a < i ? a - first : HYS_EXPR_NO_CHILD;
        node[i - first].b = b >= first && b < i ? b - first : HYS_EXPR_NO_CHILD;
      }
    }
    *value = (hys_expr){node, other - first + 1};
    return true;
  }
  return false;
}

static hys_status define(making *m, uint32_t variable, hys_expr value, uint32_t line) {
  hysi_hybrid *h = m->h;

  m->definitions.of[variable] = value;
  m->rate[variable].motion = HYS_MOTION_DEFINED;
  m->rate[variable].line = line;
  for (size_t v = 0; v < h->face.n; v++) /* in what was defined before */
    if (v != variable && m->definitions.of[v].n > 0) {
      const hys_status status =
          hysi_hybrid_substitute(h, &m->definitions.of[v], &m->definitions, &m->definitions.of[v]);
      if (status != HYS_OK)
        return status;
    }
  return HYS_OK;
}

/* Equations that fix a variable without a flow go out of the invariant. */
static hys_status find_definitions(making *m) {
  hysi_hybrid *h = m->h;
  uint32_t kept = 0;

  for (uint32_t i = 0; i < m->invariant.n; i++) {
    hys_condition c = m->invariant.item[i];
    hys_affine row;
    bool affine = false, defined = false;
    hys_status status = HYS_OK;
    if (c.relation == HYS_RELATION_EQ) {
      uint32_t v = HYSI_NONE;
      hys_expr value = {NULL, 0};
      status = hysi_hybrid_substitute(h, &c.value, &m->definitions, &c.value);
      if (status == HYS_OK && bare_side(m, &c.value, &v, &value)) {
        defined = true;
        status = define(m, v, value, c.line);
      } else if (status == HYS_OK) {
        status = hysi_hybrid_row(h, &c.value, &row, &affine);
        for (uint32_t k = 0; status == HYS_OK && affine && !defined && k < row.n; k++) {
          const hys_term *t = &row.term[k];
          if (m->rate[t->variable].motion != HYS_MOTION_FREE || (t->coef.lo <= 0.0 && t->coef.hi >= 0.0))
            continue;
          v = t->variable;
          status = hysi_hybrid_solved(h, &row, v, &value);
          if (status == HYS_OK)
            status = define(m, v, value, c.line);
          defined = true;
        }
      }
    }
    if (status != HYS_OK)
      return status;
    if (!defined)
      m->invariant.item[kept++] = c;
  }
  m->invariant.n = kept;
  return HYS_OK;
}

static hys_status finish_rates(making *m) {
  hysi_hybrid *h = m->h;

  for (size_t v = 0; v < h->face.n; v++) {
    hys_rate *rate = &m->rate[v];
    hys_status status = HYS_OK;
    if (rate->motion == HYS_MOTION_FREE)
      continue;
    if (rate->motion == HYS_MOTION_DEFINED)
      rate->value = m->definitions.of[v];
    else
      status = hysi_hybrid_substitute(h, &rate->value, &m->definitions, &rate->value);
    if (status == HYS_OK)
      status = hysi_hybrid_row(h, &rate->value, &rate->row, &rate->affine);
    if (status != HYS_OK)
      return status;
  }
  return HYS_OK;
}

/* ---- jumps ---- */

/* Resets of one participant into the jump's. */
static hys_status add_resets(making *m, const hysi_instance *i, const hysi_transition *t, hys_reset *reset) {
  hysi_hybrid *h = m->h;
  const hysi_formula f = {.e = &t->assignment.e, .instance = i, .file = h->flat.document.file};
  const row_link *linked = link_rows(h, &t->assignment, i->component->n_params);
  hys_status status = linked == NULL ? HYS_ERR_MEMORY : refuse_unknown(h, &t->assignment);

  for (uint32_t r = 0; r < t->assignment.n_rows && status == HYS_OK; r++) {
    const hysi_row *row = &t->assignment.row[r];
    const uint32_t v = hysi_variable_of(i, row->param);
    const uint32_t x = v == HYSI_NONE ? HYSI_NONE : h->flat.slot[v];
    bool good = true;
    bounds b = {false, false, false, {NULL, 0}, {NULL, 0}, 0};
    if (linked[r].later || x == HYSI_NONE)
      continue;
    if (reset[x].kind == HYS_RESET_ASSIGN) {
      hysi_refuse(&h->flat, HYS_ERR_UNSUPPORTED, &f, row->node,
                  "`%s' is assigned by two instances in one jump", h->face.variable[x]);
      continue;
    }
    status = take_bounds(h, &f, &t->assignment, linked, r, &b, &good);
    if (status != HYS_OK || !good)
      continue;
    reset[x].kind = HYS_RESET_ASSIGN;
    status = as_slack(h, &f, row->node, &b, &m->definitions, &reset[x].value, &reset[x].slack, &good);
    if (status == HYS_OK)
      status = hysi_hybrid_row(h, &reset[x].value, &reset[x].row, &reset[x].affine);
  }
  return status;
}

/* The transitions of some instances, taken together: choice[k] is one of base instance base[k].  A
 * disjunction in a guard makes several jumps. */
static hys_status add_jump(making *m, const uint32_t *base, const uint32_t *choice, uint32_t n,
                           uint32_t label) {
  hysi_hybrid *h = m->h;
  const hysi_network *net = h->flat.network;
  hys_reset *reset = hys_arena_alloc(h->arena, h->face.n, sizeof *reset);
  hysi_conjunct **alternative = hys_arena_alloc(h->arena, n, sizeof *alternative);
  uint32_t *count = hys_arena_alloc(h->arena, n, sizeof *count),
           *turn = hys_arena_alloc(h->arena, n, sizeof *turn);
  uint32_t target;
  hys_status status = HYS_OK;

  if (reset == NULL || alternative == NULL || count == NULL || turn == NULL)
    return HYS_ERR_MEMORY;
  memcpy(h->scratch_part, m->part, net->n_base * sizeof *m->part);
  for (size_t v = 0; v < h->face.n; v++)
    reset[v].kind =
        net->variable[h->variable_of[v]].controlled || h->at_rest[v] ? HYS_RESET_KEEP : HYS_RESET_ANY;
  for (uint32_t k = 0; k < n && status == HYS_OK; k++) {
    const hysi_instance *i = hysi_base(net, base[k]);
    const hysi_transition *t = &i->component->transition[choice[k]];
    const hysi_formula guard = {.e = &t->guard.e, .instance = i, .file = h->flat.document.file};
    h->scratch_part[base[k]] = t->target;
    status = refuse_unknown(h, &t->guard);
    if (status == HYS_OK)
      status = add_resets(m, i, t, reset);
    if (status == HYS_OK && guard.e->n > 0)
      status = hysi_dnf(&h->flat, &guard, &alternative[k], &count[k]);
    else
      count[k] = HYSI_NONE; /* true */
    if (count[k] == 0)
      return status; /* never enabled */
  }
  if (status == HYS_OK)
    status = hysi_hybrid_intern(h, h->scratch_part, &target);
  while (status == HYS_OK) {
    hysi_condition_list list = {0};
    hys_hybrid_jump *bigger;
    uint32_t k;
    for (k = 0; k < n && status == HYS_OK; k++) {
      const hysi_instance *i = hysi_base(net, base[k]);
      const hysi_formula guard = {
          .e = &i->component->transition[choice[k]].guard.e, .instance = i, .file = h->flat.document.file};
      const hysi_conjunct *c = count[k] == HYSI_NONE ? NULL : &alternative[k][turn[k]];
      for (uint32_t j = 0; c != NULL && j < c->n && status == HYS_OK; j++)
        status = hysi_hybrid_comparison(h, &guard, c->literal[j].node, c->literal[j].op, &list);
    }
    if (status == HYS_OK)
      status = hysi_hybrid_finish(h, &m->definitions, &list);
    bigger = hysi_grow(h->arena, m->jump, m->n_jumps, &m->capacity, sizeof *bigger);
    if (bigger == NULL)
      return HYS_ERR_MEMORY;
    m->jump = bigger;
    bigger[m->n_jumps++] =
        (hys_hybrid_jump){.target = target,
                          .label = label == HYSI_NONE ? HYS_NO_LABEL : (int32_t)label,
                          .guard = {list.item, list.n},
                          .reset = reset,
                          .line = hysi_base(net, base[0])->component->transition[choice[0]].at->line};
    for (k = n; k > 0; k--) { /* the last one turns fastest */
      if (count[k - 1] != HYSI_NONE && ++turn[k - 1] < count[k - 1])
        break;
      turn[k - 1] = 0;
    }
    if (k == 0)
      break;
  }
  return status;
}

/* All ways in which the participants of a label can take it together. */
static hys_status add_shared(making *m, uint32_t label, uint32_t *base, uint32_t *choice) {
  const hysi_network *net = m->h->flat.network;
  uint32_t n = 0;

  for (uint32_t k = net->label[label].first_part; k != HYSI_NONE; k = net->part[k].next) {
    const hysi_instance *i = hysi_base(net, net->part[k].base);
    base[n] = net->part[k].base;
    choice[n] = hysi_next_transition(i, 0, m->part[base[n]], label);
    if (choice[n] == i->component->n_transitions)
      return HYS_OK;
    n++;
  }
  while (n > 0) {
    uint32_t k = n;
    const hys_status status = add_jump(m, base, choice, n, label);
    if (status != HYS_OK)
      return status;
    for (; k > 0; k--) { /* the last participant turns fastest */
      const hysi_instance *i = hysi_base(net, base[k - 1]);
      choice[k - 1] = hysi_next_transition(i, choice[k - 1] + 1, m->part[base[k - 1]], label);
      if (choice[k - 1] < i->component->n_transitions)
        break;
      choice[k - 1] = hysi_next_transition(i, 0, m->part[base[k - 1]], label);
    }
    if (k == 0)
      break;
  }
  return HYS_OK;
}

static hys_status add_jumps(making *m) {
  const hysi_network *net = m->h->flat.network;
  uint32_t *base = hys_arena_alloc(m->h->arena, net->n_base, sizeof *base);
  uint32_t *choice = hys_arena_alloc(m->h->arena, net->n_base, sizeof *choice);
  hys_status status = HYS_OK;

  if (base == NULL || choice == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t b = 0; b < net->n_base; b++) {
    const hysi_instance *i = hysi_base(net, b);
    for (uint32_t t = hysi_next_transition(i, 0, m->part[b], HYSI_NONE);
         t < i->component->n_transitions && status == HYS_OK;
         t = hysi_next_transition(i, t + 1, m->part[b], HYSI_NONE))
      status = add_jump(m, &b, &t, 1, HYSI_NONE);
  }
  for (uint32_t l = 0; l < net->n_labels && status == HYS_OK; l++)
    status = add_shared(m, l, base, choice);
  /* in the order of the file: by insertion, few and nearly ordered */
  for (uint32_t i = 1; i < m->n_jumps; i++) {
    const hys_hybrid_jump j = m->jump[i];
    uint32_t k = i;
    for (; k > 0 && m->jump[k - 1].line > j.line; k--)
      m->jump[k] = m->jump[k - 1];
    m->jump[k] = j;
  }
  return status;
}

/* ---- the whole ---- */

hys_status hysi_hybrid_make(hysi_hybrid *h, uint32_t index) {
  static const hys_expr_node zero = {.op = HYS_EXPR_CONSTANT};
  const hysi_network *net = h->flat.network;
  making m = {.h = h, .part = h->part[index]};
  hys_status status = HYS_OK;

  h->flat.status = HYS_OK;
  m.out = hys_arena_alloc(h->arena, 1, sizeof *m.out);
  m.rate = hys_arena_alloc(h->arena, h->face.n, sizeof *m.rate);
  m.definitions.of = hys_arena_alloc(h->arena, h->face.n, sizeof *m.definitions.of);
  if (m.out == NULL || m.rate == NULL || m.definitions.of == NULL)
    return HYS_ERR_MEMORY;
  m.out->part = m.part;
  m.out->name = hysi_location_name(net, m.part, h->arena);
  if (m.out->name == NULL)
    return HYS_ERR_MEMORY;
  for (size_t v = 0; v < h->face.n; v++)
    if (h->at_rest[v])
      m.rate[v] = (hys_rate){.motion = HYS_MOTION_FLOW, .value = {&zero, 1}};
  for (uint32_t b = 0; b < net->n_base && status == HYS_OK; b++) {
    const hysi_instance *i = hysi_base(net, b);
    const hysi_model_location *l = &i->component->location[m.part[b]];
    m.out->urgent = m.out->urgent || l->urgent;
    status = add_invariant(&m, i, l);
    if (status == HYS_OK)
      status = add_flows(&m, i, l);
  }
  if (status == HYS_OK)
    status = find_definitions(&m);
  for (size_t v = 0; m.out->urgent && v < h->face.n; v++)
    if (m.rate[v].motion == HYS_MOTION_FREE && !h->face.input[v]) /* no time, no change */
      m.rate[v] = (hys_rate){.motion = HYS_MOTION_FLOW, .value = {&zero, 1}};
  if (status == HYS_OK)
    status = hysi_hybrid_finish(h, &m.definitions, &m.invariant);
  if (status == HYS_OK)
    status = finish_rates(&m);
  if (status == HYS_OK)
    status = add_jumps(&m);
  if (status == HYS_OK)
    status = h->flat.status;
  if (status != HYS_OK)
    return status;
  m.out->invariant = (hys_conditions){m.invariant.item, m.invariant.n};
  m.out->rate = m.rate;
  m.out->jump = m.jump;
  m.out->n_jumps = m.n_jumps;
  h->location[index] = m.out;
  return HYS_OK;
}
