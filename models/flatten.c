/* The product: locations reached by jumps from the initial ones, each made when it is first seen. */
#include "models/flatten.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "models/flatten_parts.h"
#include "models/prepare_flow.h"

typedef struct product {
  hysi_flat *flat;
  const hysi_network *network;
  hysi_location_part **location_part;     /* per base instance, per location */
  hysi_transition_part **transition_part; /* per base instance, per transition */
  hys_location *location;
  uint32_t n_locations, locations_capacity;
  hys_jump *jump;
  uint32_t n_jumps, jumps_capacity;
  hysi_names seen; /* parts, as bytes */
  uint32_t *part;  /* scratch: one a base instance */
  uint32_t *choice;
  bool *without_flow; /* per state: has been reported */
} product;

/* ---- locations ---- */

const char *hysi_location_name(const hysi_network *n, const uint32_t *part, hys_arena *arena) {
  size_t size = 1, used = 0;
  char *text;

  for (uint32_t b = 0; b < n->n_base; b++) {
    const hysi_instance *i = hysi_base(n, b);
    size += strlen(i->path) + strlen(i->component->location[part[b]].name) + 2;
  }
  text = hys_arena_alloc(arena, size, 1);
  for (uint32_t b = 0; text != NULL && b < n->n_base; b++) {
    const hysi_instance *i = hysi_base(n, b);
    const int put = snprintf(text + used, size - used, "%s%s%s%s", b > 0 ? ";" : "", i->path,
                             i->path[0] != '\0' ? "=" : "", i->component->location[part[b]].name);
    used += put > 0 ? (size_t)put : 0;
  }
  return text;
}

/* The number of the product location with these parts, which may be new.  HYSI_NONE: the limit, or no memory.
 */
static hys_status find_location(product *p, const uint32_t *part, uint32_t *index) {
  const size_t bytes = p->network->n_base * sizeof *part;
  hys_location *l;
  uint32_t *copy;

  *index = hysi_names_get(&p->seen, (const char *)part, bytes);
  if (*index != HYSI_NO_NAME)
    return HYS_OK;
  if (p->n_locations == HYS_MAX_PRODUCT_LOCATIONS) {
    if (p->flat->status == HYS_OK)
      hysi_report(&p->flat->document, HYS_ERROR, p->network->system->at,
                  "more than %d locations of the product can be reached (HYS_MAX_PRODUCT_LOCATIONS)",
                  HYS_MAX_PRODUCT_LOCATIONS);
    p->flat->status = HYS_ERR_LIMIT;
    return HYS_OK;
  }
  copy = hys_arena_alloc(p->flat->arena, p->network->n_base, sizeof *copy);
  l = hysi_grow(p->flat->arena, p->location, p->n_locations, &p->locations_capacity, sizeof *l);
  if (copy == NULL || l == NULL)
    return HYS_ERR_MEMORY;
  memcpy(copy, part, bytes);
  if (!hysi_names_set(&p->seen, (const char *)copy, bytes, p->n_locations))
    return HYS_ERR_MEMORY;
  p->location = l;
  l[p->n_locations] =
      (hys_location){.name = hysi_location_name(p->network, part, p->flat->arena), .part = copy};
  if (l[p->n_locations].name == NULL)
    return HYS_ERR_MEMORY;
  *index = p->n_locations++;
  return HYS_OK;
}

static void report_at_location(product *p, const hys_location *l, const char *what, const char *name,
                               const char *why) {
  const hysi_instance *i = hysi_base(p->network, 0);
  hysi_report(&p->flat->document, HYS_ERROR, i->component->location[l->part[0]].at,
              "%s `%s' %s in location `%s'", what, name, why, l->name);
  p->flat->status = HYS_ERR_UNSUPPORTED;
}

static const char *name_of_slot(const product *p, size_t slot) {
  for (uint32_t v = 0; v < p->network->n_variables; v++) {
    if (p->flat->slot[v] == slot)
      return p->network->variable[v].name;
  }
  return "?";
}

/* Bounds of the inputs and the invariant over states: what the parts say together. */
static hys_status join_invariants(product *p, hys_location *l) {
  hysi_flat *flat = p->flat;
  hys_interval *u = hys_arena_alloc(flat->arena, flat->nu, sizeof *u);
  hys_halfspace *row;
  uint32_t n = 0;

  for (uint32_t b = 0; b < p->network->n_base; b++)
    n += p->location_part[b][l->part[b]].invariant.n;
  row = hys_arena_alloc(flat->arena, n, sizeof *row);
  if (u == NULL || row == NULL)
    return HYS_ERR_MEMORY;
  for (size_t k = 0; k < flat->nu; k++)
    u[k] = hys_interval_entire();
  n = 0;
  for (uint32_t b = 0; b < p->network->n_base; b++) {
    const hysi_location_part *part = &p->location_part[b][l->part[b]];
    for (uint32_t k = 0; k < part->invariant.n; k++)
      row[n++] = part->invariant.row[k];
    for (size_t k = 0; k < flat->nu; k++)
      u[k] = hys_interval_intersect(u[k], part->u[k]);
  }
  for (size_t k = 0; k < flat->nu; k++) {
    const char *name = name_of_slot(p, flat->nx + k);
    if (hys_interval_is_empty(u[k]))
      report_at_location(p, l, "input", name, "has bounds that contradict each other");
    else if (!(u[k].lo >= -DBL_MAX && u[k].hi <= DBL_MAX))
      report_at_location(p, l, "input", name, "is not bounded: the invariant must say  lo <= input <= hi");
  }
  l->invariant = (hys_conjunction){.row = row, .n = n};
  l->u = u;
  return HYS_OK;
}

/* Whether another location has a flow of a state that this one has not; said once a state. */
static void missing_flow(product *p, const hys_location *l, size_t state) {
  if (p->without_flow[state])
    return;
  p->without_flow[state] = true;
  report_at_location(p, l, "state", name_of_slot(p, state),
                     "has no flow, but one elsewhere: it would be free");
}

static hys_status join_flows(product *p, hys_location *l) {
  hysi_flat *flat = p->flat;
  const size_t nx = flat->nx, nu = flat->nu;
  hys_interval *a = hys_arena_alloc(flat->arena, nx * nx, sizeof *a);
  hys_interval *b = hys_arena_alloc(flat->arena, nx * nu, sizeof *b);
  hys_interval *c = hys_arena_alloc(flat->arena, nx, sizeof *c);
  bool has[HYS_MAX_STATES] = {false};
  bool still = false;
  hys_status status;

  if (a == NULL || b == NULL || c == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t i = 0; i < p->network->n_base; i++) {
    const hysi_location_part *part = &p->location_part[i][l->part[i]];
    still = still || hysi_base(p->network, i)->component->location[l->part[i]].urgent;
    for (uint32_t k = 0; k < part->n_flows; k++) {
      const hysi_flow_part *f = &part->flow[k];
      memcpy(a + f->state * nx, f->row, nx * sizeof *a);
      memcpy(b + f->state * nu, f->row + nx, nu * sizeof *b);
      c[f->state] = f->constant;
      has[f->state] = true;
    }
  }
  for (uint32_t v = 0; v < p->network->n_variables; v++) {
    if (p->network->variable[v].role == HYS_ROLE_STATE && !has[flat->slot[v]] && !still &&
        flat->status == HYS_OK)
      missing_flow(p, l, flat->slot[v]);
  }
  l->flow = (hys_flow){.a = a, .b = b, .c = c, .still = still};
  if (flat->status != HYS_OK)
    return HYS_OK;
  status = hys_flow_prepare(&l->flow, nx, nu, l->u, &l->invariant, flat->arena);
  if (status == HYS_ERR_MEMORY)
    return status;
  if (status != HYS_OK) {
    report_at_location(p, l, "the flow of", p->network->system->id, "cannot be enclosed");
    flat->status = status;
  }
  return HYS_OK;
}

static hys_status complete_location(product *p, uint32_t index) {
  hys_status status = HYS_OK;

  for (uint32_t b = 0; b < p->network->n_base && status == HYS_OK; b++) {
    const uint32_t k = p->location[index].part[b];
    status = hysi_make_location_part(p->flat, hysi_base(p->network, b), k, &p->location_part[b][k]);
  }
  if (status == HYS_OK)
    status = join_invariants(p, &p->location[index]);
  return status == HYS_OK ? join_flows(p, &p->location[index]) : status;
}

/* ---- jumps ---- */

/* The transitions of some instances, taken together: choice[i] is one of base instance base[i]. */
static hys_status add_jump(product *p, uint32_t source, const uint32_t *base, const uint32_t *choice,
                           uint32_t n, uint32_t label) {
  hysi_flat *flat = p->flat;
  hys_reset_row *reset = hys_arena_alloc(flat->arena, flat->nx, sizeof *reset);
  bool assigned[HYS_MAX_STATES] = {false};
  hys_halfspace *guard;
  hys_curved_row *curved;
  hys_jump *jump;
  uint32_t rows = 0, bent = 0, target;
  hys_status status;

  memcpy(p->part, p->location[source].part, p->network->n_base * sizeof *p->part);
  for (uint32_t i = 0; i < n; i++) {
    const hysi_instance *inst = hysi_base(p->network, base[i]);
    hysi_transition_part *part = &p->transition_part[base[i]][choice[i]];
    status = hysi_make_transition_part(flat, inst, choice[i], part);
    if (status != HYS_OK)
      return status;
    p->part[base[i]] = inst->component->transition[choice[i]].target;
    rows += part->guard.n;
    bent += part->curved.n;
  }
  status = find_location(p, p->part, &target);
  if (status != HYS_OK || target == HYSI_NO_NAME)
    return status;
  if (p->n_jumps == HYS_MAX_PRODUCT_JUMPS) {
    hysi_report(&flat->document, HYS_ERROR, p->network->system->at,
                "more than %d jumps of the product can be reached (HYS_MAX_PRODUCT_JUMPS)",
                HYS_MAX_PRODUCT_JUMPS);
    flat->status = HYS_ERR_LIMIT;
    return HYS_OK;
  }
  guard = hys_arena_alloc(flat->arena, rows, sizeof *guard);
  curved = hys_arena_alloc(flat->arena, bent, sizeof *curved);
  jump = hysi_grow(flat->arena, p->jump, p->n_jumps, &p->jumps_capacity, sizeof *jump);
  if (reset == NULL || guard == NULL || curved == NULL || jump == NULL)
    return HYS_ERR_MEMORY;
  for (size_t s = 0; s < flat->nx; s++)
    reset[s].identity = true;
  rows = bent = 0;
  for (uint32_t i = 0; i < n; i++) {
    const hysi_transition_part *part = &p->transition_part[base[i]][choice[i]];
    const hysi_transition *t = &hysi_base(p->network, base[i])->component->transition[choice[i]];
    for (uint32_t k = 0; k < part->guard.n; k++)
      guard[rows++] = part->guard.row[k];
    for (uint32_t k = 0; k < part->curved.n; k++)
      curved[bent++] = part->curved.row[k];
    for (uint32_t k = 0; k < part->n_resets; k++) {
      const uint32_t s = part->reset[k].state;
      if (assigned[s]) {
        hysi_report(&flat->document, HYS_ERROR, t->at, "`%s' is assigned by two instances in one jump",
                    name_of_slot(p, s));
        flat->status = HYS_ERR_UNSUPPORTED;
      }
      assigned[s] = true;
      reset[s] = part->reset[k].row;
    }
  }
  p->jump = jump;
  jump[p->n_jumps++] =
      (hys_jump){.source = source,
                 .target = target,
                 .label = label == HYSI_NONE ? HYS_NO_LABEL : (int32_t)label,
                 .guard = {.row = guard, .n = rows},
                 .curved = curved,
                 .n_curved = bent,
                 .reset = reset,
                 .line = hysi_base(p->network, base[0])->component->transition[choice[0]].at->line};
  return HYS_OK;
}

uint32_t hysi_next_transition(const hysi_instance *i, uint32_t from, uint32_t location, uint32_t label) {
  const hysi_component *c = i->component;

  for (uint32_t t = from; t < c->n_transitions; t++) {
    const uint32_t own = c->transition[t].label;
    const bool alone = own == HYSI_NONE || own == HYSI_PRIVATE_LABEL;
    if (c->transition[t].source != location)
      continue;
    if (alone ? label == HYSI_NONE : label != HYSI_NONE && i->binding[own].index == label)
      return t;
  }
  return c->n_transitions;
}

/* All ways in which the participants of a label can take it together. */
static hys_status add_shared(product *p, uint32_t source, uint32_t label, uint32_t *base) {
  const uint32_t *part = p->location[source].part;
  uint32_t n = 0;

  for (uint32_t k = p->network->label[label].first_part; k != HYSI_NONE; k = p->network->part[k].next) {
    const uint32_t b = p->network->part[k].base;
    base[n] = b;
    p->choice[n] = hysi_next_transition(hysi_base(p->network, b), 0, part[b], label);
    if (p->choice[n] == hysi_base(p->network, b)->component->n_transitions)
      return HYS_OK;
    n++;
  }
  while (n > 0 && p->flat->status != HYS_ERR_LIMIT) {
    uint32_t k = n;
    const hys_status status = add_jump(p, source, base, p->choice, n, label);
    if (status != HYS_OK)
      return status;
    part = p->location[source].part;
    for (; k > 0; k--) { /* the last participant turns fastest */
      const hysi_instance *i = hysi_base(p->network, base[k - 1]);
      p->choice[k - 1] = hysi_next_transition(i, p->choice[k - 1] + 1, part[base[k - 1]], label);
      if (p->choice[k - 1] < i->component->n_transitions)
        break;
      p->choice[k - 1] = hysi_next_transition(i, 0, part[base[k - 1]], label);
    }
    if (k == 0)
      break;
  }
  return HYS_OK;
}

static hys_status add_jumps(product *p, uint32_t source, uint32_t *base) {
  const uint32_t first = p->n_jumps;
  uint32_t *list;
  hys_status status = HYS_OK;

  for (uint32_t b = 0; b < p->network->n_base; b++) {
    const hysi_instance *i = hysi_base(p->network, b);
    const uint32_t at = p->location[source].part[b];
    for (uint32_t t = hysi_next_transition(i, 0, at, HYSI_NONE);
         t < i->component->n_transitions && status == HYS_OK;
         t = hysi_next_transition(i, t + 1, at, HYSI_NONE))
      status = add_jump(p, source, &b, &t, 1, HYSI_NONE);
  }
  for (uint32_t l = 0; l < p->network->n_labels && status == HYS_OK; l++)
    status = add_shared(p, source, l, base);
  if (status != HYS_OK)
    return status;
  /* in the order of the file: by insertion, few and nearly ordered */
  for (uint32_t i = first + 1; i < p->n_jumps; i++) {
    const hys_jump j = p->jump[i];
    uint32_t k = i;
    for (; k > first && p->jump[k - 1].line > j.line; k--)
      p->jump[k] = p->jump[k - 1];
    p->jump[k] = j;
  }
  list = hys_arena_alloc(p->flat->arena, p->n_jumps - first, sizeof *list);
  if (list == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t i = first; i < p->n_jumps; i++)
    list[i - first] = i;
  p->location[source].jump = list;
  p->location[source].n_jumps = p->n_jumps - first;
  return HYS_OK;
}

/* ---- where it begins ---- */

/* All product locations that a conjunction's loc() literals allow. */
static hys_status add_initial(product *p, const hysi_formula *f, const hysi_conjunct *set) {
  const hysi_network *n = p->network;
  uint8_t **allowed = hys_arena_alloc(p->flat->arena, n->n_base, sizeof *allowed);
  uint32_t index;

  if (allowed == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t b = 0; b < n->n_base; b++) {
    const uint32_t count = hysi_base(n, b)->component->n_locations;
    allowed[b] = hys_arena_alloc(p->flat->arena, count, 1);
    if (allowed[b] == NULL)
      return HYS_ERR_MEMORY;
    memset(allowed[b], 1, count);
  }
  for (uint32_t i = 0; set != NULL && i < set->n; i++) {
    const hys_expr_node *k = &f->e->node[set->literal[i].node];
    if (set->literal[i].op == HYS_EXPR_NOT) {
      allowed[k->a][k->b] = 0;
    } else if (set->literal[i].op == HYS_EXPR_LOCATION) {
      const uint8_t before = allowed[k->a][k->b];
      memset(allowed[k->a], 0, hysi_base(n, k->a)->component->n_locations);
      allowed[k->a][k->b] = before;
    }
  }
  for (uint32_t b = 0; b < n->n_base; b++) {
    const void *first = memchr(allowed[b], 1, hysi_base(n, b)->component->n_locations);
    if (first == NULL)
      return HYS_OK; /* no location fits */
    p->part[b] = (uint32_t)((const uint8_t *)first - allowed[b]);
  }
  while (p->flat->status != HYS_ERR_LIMIT) {
    uint32_t b = n->n_base;
    const hys_status status = find_location(p, p->part, &index);
    if (status != HYS_OK)
      return status;
    for (; b > 0; b--) {
      const uint32_t count = hysi_base(n, b - 1)->component->n_locations;
      uint32_t *at = &p->part[b - 1];
      do
        ++*at;
      while (*at < count && !allowed[b - 1][*at]);
      if (*at < count)
        break;
      *at = (uint32_t)((const uint8_t *)memchr(allowed[b - 1], 1, count) - allowed[b - 1]);
    }
    if (b == 0)
      break;
  }
  return HYS_OK;
}

static hys_status begin(product *p) {
  const hys_model *m = p->flat->model;
  const hysi_formula f = {.e = &m->initially, .file = m->has_cfg ? m->cfg.file : NULL};
  hysi_conjunct *set;
  uint32_t n;
  hys_status status;

  if (m->initially.n == 0)
    return add_initial(p, &f, NULL);
  status = hysi_dnf(p->flat, &f, &set, &n);
  for (uint32_t i = 0; i < n && status == HYS_OK; i++)
    status = add_initial(p, &f, &set[i]);
  return status;
}

/* ---- the whole ---- */

static hys_status open_product(product *p, hysi_flat *flat) {
  const hysi_network *n = flat->network;

  *p = (product){.flat = flat, .network = n, .seen = {.arena = flat->arena}};
  p->part = hys_arena_alloc(flat->arena, n->n_base, sizeof *p->part);
  p->choice = hys_arena_alloc(flat->arena, n->n_base, sizeof *p->choice);
  p->without_flow = hys_arena_alloc(flat->arena, flat->nx, sizeof *p->without_flow);
  p->location_part = hys_arena_alloc(flat->arena, n->n_base, sizeof *p->location_part);
  p->transition_part = hys_arena_alloc(flat->arena, n->n_base, sizeof *p->transition_part);
  if (p->part == NULL || p->choice == NULL || p->without_flow == NULL || p->location_part == NULL ||
      p->transition_part == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t b = 0; b < n->n_base; b++) {
    const hysi_component *c = hysi_base(n, b)->component;
    p->location_part[b] = hys_arena_alloc(flat->arena, c->n_locations, sizeof **p->location_part);
    p->transition_part[b] = hys_arena_alloc(flat->arena, c->n_transitions, sizeof **p->transition_part);
    if (p->location_part[b] == NULL || p->transition_part[b] == NULL)
      return HYS_ERR_MEMORY;
  }
  return HYS_OK;
}

/* States that nobody controls might change in every jump. */
static void check_control(hysi_flat *flat) {
  for (uint32_t v = 0; v < flat->network->n_variables; v++) {
    const hysi_variable *x = &flat->network->variable[v];
    if (x->role != HYS_ROLE_STATE || x->controlled)
      continue;
    hysi_report(&flat->document, HYS_ERROR, x->param->at,
                "state `%s' is controlled by no component: any jump might change it", x->name);
    flat->status = HYS_ERR_UNSUPPORTED;
  }
}

static hys_status fill_names(const hysi_flat *flat, hys_automaton *a) {
  const hysi_network *n = flat->network;
  const char **state = hys_arena_alloc(flat->arena, flat->nx, sizeof *state);
  const char **input = hys_arena_alloc(flat->arena, flat->nu, sizeof *input);
  const char **label = hys_arena_alloc(flat->arena, n->n_labels, sizeof *label);
  hys_instance *instance = hys_arena_alloc(flat->arena, n->n_base, sizeof *instance);

  if (state == NULL || input == NULL || label == NULL || instance == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t v = 0; v < n->n_variables; v++) {
    const uint32_t slot = flat->slot[v];
    if (slot != HYSI_NONE)
      *(slot < flat->nx ? &state[slot] : &input[slot - flat->nx]) = n->variable[v].name;
  }
  for (uint32_t l = 0; l < n->n_labels; l++)
    label[l] = n->label[l].name;
  for (uint32_t b = 0; b < n->n_base; b++) {
    const hysi_component *c = hysi_base(n, b)->component;
    const char **name = hys_arena_alloc(flat->arena, c->n_locations, sizeof *name);
    if (name == NULL)
      return HYS_ERR_MEMORY;
    for (uint32_t l = 0; l < c->n_locations; l++)
      name[l] = c->location[l].name;
    instance[b] =
        (hys_instance){.name = hysi_base(n, b)->path, .location = name, .n_locations = c->n_locations};
  }
  a->name = n->system->id;
  a->nx = flat->nx;
  a->nu = flat->nu;
  a->state_name = state;
  a->input_name = input;
  a->label_name = label;
  a->n_labels = n->n_labels;
  a->instance = instance;
  a->n_instances = n->n_base;
  return HYS_OK;
}

static hys_status fill_sets(hysi_flat *flat, hys_automaton *a) {
  const hys_model *m = flat->model;
  hysi_formula f = {.e = &m->initially, .file = m->has_cfg ? m->cfg.file : NULL};
  hys_status status = HYS_OK;

  if (m->has_cfg)
    a->time_horizon = m->cfg.time_horizon;
  if (m->initially.n > 0) {
    status = hysi_regions(flat, &f, a, true, true, &a->initially, &a->n_initially);
  } else {
    hys_region *all = hys_arena_alloc(flat->arena, 1, sizeof *all);
    if (all == NULL)
      return HYS_ERR_MEMORY;
    all->location = HYS_ANY_LOCATION;
    a->initially = all;
    a->n_initially = 1;
  }
  f.e = &m->forbidden;
  if (status == HYS_OK && m->forbidden.n > 0)
    status = hysi_regions(flat, &f, a, true, false, &a->forbidden, &a->n_forbidden);
  return status;
}

static hys_status flatten(hysi_flat *flat, hys_automaton *a) {
  uint32_t *base = hys_arena_alloc(flat->arena, flat->network->n_base, sizeof *base);
  product p;
  hys_status status = open_product(&p, flat);

  if (base == NULL)
    return HYS_ERR_MEMORY;
  if (status == HYS_OK)
    status = begin(&p);
  for (uint32_t i = 0; i < p.n_locations && status == HYS_OK && flat->status != HYS_ERR_LIMIT; i++) {
    status = complete_location(&p, i);
    if (status == HYS_OK)
      status = add_jumps(&p, i, base);
  }
  if (status != HYS_OK)
    return status;
  a->location = p.location;
  a->n_locations = p.n_locations;
  a->jump = p.jump;
  a->n_jumps = p.n_jumps;
  return fill_sets(flat, a);
}

hys_status hys_model_automaton(const hys_model *model, hys_arena *arena, hys_diagnostics *diagnostics,
                               const hys_automaton **out) {
  hys_automaton *a;
  hysi_flat flat;
  hys_status status;

  if (model == NULL || arena == NULL || diagnostics == NULL || out == NULL)
    return HYS_ERR_ARG;
  *out = NULL;
  if (model->broken || !model->has_network || model->network.n_base == 0)
    return HYS_ERR_INPUT;
  a = hys_arena_alloc(arena, 1, sizeof *a);
  if (a == NULL)
    return HYS_ERR_MEMORY;
  status = hysi_flat_open(&flat, model, arena, diagnostics);
  if (status == HYS_OK && flat.status == HYS_OK)
    check_control(&flat);
  /* with too many variables the rows would have no room */
  if (status == HYS_OK && flat.status != HYS_ERR_LIMIT)
    status = flatten(&flat, a);
  if (status == HYS_OK && flat.status != HYS_ERR_LIMIT)
    status = fill_names(&flat, a);
  if (status == HYS_OK)
    status = flat.status;
  if (status == HYS_OK)
    *out = a;
  hys_diagnostics_sort(diagnostics);
  return status;
}
