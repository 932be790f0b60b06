#include "models/hybrid_model.h"

#include <string.h>

#include "models/hybrid_private.h"
#include "models/xml_bytes.h"

/* ---- what hys_hybrid asks for ---- */

static hys_status make_location(void *context, uint32_t index, const hys_hybrid_location **out) {
  hysi_hybrid *h = context;
  hys_status status = HYS_OK;

  *out = NULL;
  pthread_mutex_lock(&h->lock);
  if (index >= h->n_locations)
    status = HYS_ERR_ARG;
  else if (h->location[index].made == NULL)
    status = h->location[index].status != HYS_OK ? h->location[index].status : hysi_hybrid_make(h, index);
  if (status == HYS_OK)
    *out = h->location[index].made;
  pthread_mutex_unlock(&h->lock);
  return status;
}

/* The conditions on locations, one list an instance. */
static hys_status sort_where(hysi_hybrid *h, const hys_hybrid_set *set) {
  if (set->n_where > h->next_where_capacity) {
    h->next_where_capacity = 0;
    h->next_where = hys_arena_alloc(h->arena, set->n_where, sizeof *h->next_where);
    if (h->next_where == NULL)
      return HYS_ERR_MEMORY;
    h->next_where_capacity = set->n_where;
  }
  for (uint32_t b = 0; b < h->flat.network->n_base; b++)
    h->first_where[b] = HYSI_NONE;
  for (uint32_t i = 0; i < set->n_where; i++) {
    h->next_where[i] = h->first_where[set->where[i].instance];
    h->first_where[set->where[i].instance] = i;
  }
  return HYS_OK;
}

/* Whether a set reaches into a location of an instance. */
static bool allowed(const hysi_hybrid *h, const hys_hybrid_set *set, uint32_t instance, uint32_t location) {
  for (uint32_t i = h->first_where[instance]; i != HYSI_NONE; i = h->next_where[i])
    if ((set->where[i].location == location) != set->where[i].is)
      return false;
  return true;
}

/* The k-th tuple of allowed locations, the last instance turning fastest. */
static hys_status find_initial(hysi_hybrid *h, const hys_hybrid_set *set, uint32_t k, uint32_t *location) {
  const hysi_network *net = h->flat.network;
  uint32_t left = k;
  hys_status status = sort_where(h, set);

  for (uint32_t b = net->n_base; b > 0 && status == HYS_OK; b--) {
    const uint32_t all = hysi_base(net, b - 1)->component->n_locations;
    uint32_t count = h->first_where[b - 1] == HYSI_NONE ? all : 0, want;
    for (uint32_t l = 0; l < all && h->first_where[b - 1] != HYSI_NONE; l++)
      count += allowed(h, set, b - 1, l);
    if (count == 0)
      return HYS_ERR_LIMIT;
    want = left % count;
    left /= count;
    for (uint32_t l = 0; l < all; l++) {
      if (allowed(h, set, b - 1, l) && want-- == 0) {
        h->part[b - 1] = l;
        break;
      }
    }
  }
  if (status == HYS_OK && left > 0)
    status = HYS_ERR_LIMIT;
  return status == HYS_OK ? hysi_hybrid_intern(h, h->part, location) : status;
}

static hys_status initial_location(void *context, const hys_hybrid_set *set, uint32_t k, uint32_t *location) {
  hysi_hybrid *h = context;
  hys_status status;

  pthread_mutex_lock(&h->lock);
  status = find_initial(h, set, k, location);
  pthread_mutex_unlock(&h->lock);
  return status;
}

/* ---- opening ---- */

/* Every variable that is no number gets a place; constants with a value, or that nothing speaks of, get none.
 */
static hys_status place_variables(hysi_hybrid *h) {
  const hysi_network *net = h->flat.network;
  const hys_expr *e = &h->flat.model->initially;
  bool *mentioned = hys_arena_alloc(h->arena, net->n_variables, sizeof *mentioned);
  const char **name = hys_arena_alloc(h->arena, net->n_variables, sizeof *name);
  bool *input = hys_arena_alloc(h->arena, net->n_variables, sizeof *input);
  uint32_t n = 0;

  h->variable_of = hys_arena_alloc(h->arena, net->n_variables, sizeof *h->variable_of);
  h->at_rest = hys_arena_alloc(h->arena, net->n_variables, sizeof *h->at_rest);
  if (mentioned == NULL || name == NULL || input == NULL || h->variable_of == NULL || h->at_rest == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t i = 0; i < e->n; i++)
    if (e->node[i].op == HYS_EXPR_VARIABLE)
      mentioned[e->node[i].a] = true;
  for (uint32_t v = 0; v < net->n_variables; v++) {
    const hys_role role = net->variable[v].role;
    if (role == HYS_ROLE_CONSTANT && (h->flat.known[v] || !mentioned[v]))
      continue;
    h->flat.slot[v] = n;
    h->variable_of[n] = v;
    h->at_rest[n] = role == HYS_ROLE_CONSTANT;
    name[n] = net->variable[v].name;
    input[n] = role == HYS_ROLE_INPUT;
    n++;
  }
  h->face.n = h->flat.n = n;
  h->face.variable = name;
  h->face.input = input;
  return hysi_hybrid_rows_open(h);
}

/* A jump keeps what somebody controls; what has no flow anywhere may change in it as at any other time. */
static hys_status make_idle(hysi_hybrid *h) {
  hys_reset *idle = hys_arena_alloc(h->arena, h->face.n, sizeof *idle);

  if (idle == NULL)
    return HYS_ERR_MEMORY;
  for (size_t v = 0; v < h->face.n; v++) {
    const bool kept = h->flat.network->variable[h->variable_of[v]].controlled && !h->face.input[v];
    idle[v].kind = kept || h->at_rest[v] ? HYS_RESET_KEEP : HYS_RESET_ANY;
  }
  h->idle = idle;
  return HYS_OK;
}

/* Transitions by the location they leave, in the order of the file. */
static hys_status sort_exits(hysi_hybrid *h, const hysi_component *c, hysi_exits *x) {
  uint32_t *next = hys_arena_alloc(h->arena, (size_t)c->n_locations + 1, sizeof *next);

  x->first = hys_arena_alloc(h->arena, (size_t)c->n_locations + 1, sizeof *x->first);
  x->transition = hys_arena_alloc(h->arena, c->n_transitions, sizeof *x->transition);
  if (next == NULL || x->first == NULL || x->transition == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t t = 0; t < c->n_transitions; t++)
    x->first[c->transition[t].source + 1]++;
  for (uint32_t l = 0; l < c->n_locations; l++)
    next[l + 1] = x->first[l + 1] += x->first[l];
  for (uint32_t t = 0; t < c->n_transitions; t++)
    x->transition[next[c->transition[t].source]++] = t;
  return HYS_OK;
}

static hys_status make_room(hysi_hybrid *h) {
  const hysi_network *net = h->flat.network;
  const hysi_component *first = h->flat.model->document.component;
  hys_status status = make_idle(h);

  h->exits = hys_arena_alloc(h->arena, h->flat.model->document.n_components, sizeof *h->exits);
  h->place = hys_arena_alloc(h->arena, net->n_base, sizeof(hysi_stay *));
  h->move = hys_arena_alloc(h->arena, net->n_base, sizeof(hysi_move *));
  h->part = hys_arena_alloc(h->arena, net->n_base, sizeof *h->part);
  h->choice = hys_arena_alloc(h->arena, net->n_base, sizeof *h->choice);
  h->turn = hys_arena_alloc(h->arena, net->n_base, sizeof *h->turn);
  h->first_where = hys_arena_alloc(h->arena, net->n_base, sizeof *h->first_where);
  if (h->exits == NULL || h->place == NULL || h->move == NULL || h->part == NULL || h->choice == NULL ||
      h->turn == NULL || h->first_where == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t b = 0; b < net->n_base && status == HYS_OK; b++) {
    const hysi_component *c = hysi_base(net, b)->component;
    if (h->exits[c - first].first == NULL)
      status = sort_exits(h, c, &h->exits[c - first]);
  }
  return status;
}

static hys_status name_parts(hysi_hybrid *h) {
  const hysi_network *net = h->flat.network;
  const char **label = hys_arena_alloc(h->arena, net->n_labels, sizeof *label);
  hys_instance *instance = hys_arena_alloc(h->arena, net->n_base, sizeof *instance);

  if (label == NULL || instance == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t l = 0; l < net->n_labels; l++)
    label[l] = net->label[l].name;
  for (uint32_t b = 0; b < net->n_base; b++) {
    const hysi_component *c = hysi_base(net, b)->component;
    const char **name = hys_arena_alloc(h->arena, c->n_locations, sizeof *name);
    if (name == NULL)
      return HYS_ERR_MEMORY;
    for (uint32_t l = 0; l < c->n_locations; l++)
      name[l] = c->location[l].name;
    instance[b] =
        (hys_instance){.name = hysi_base(net, b)->path, .location = name, .n_locations = c->n_locations};
  }
  h->face.name = net->system->id;
  h->face.label = label;
  h->face.n_labels = net->n_labels;
  h->face.instance = instance;
  h->face.n_instances = net->n_base;
  return HYS_OK;
}

static hys_status make_sets(hysi_hybrid *h) {
  static const hys_hybrid_set everywhere = {NULL, 0, {NULL, 0}};
  const hys_model *m = h->flat.model;
  hysi_formula f = {.e = &m->initially, .file = m->has_cfg ? m->cfg.file : NULL};
  hys_status status = HYS_OK;

  if (m->has_cfg)
    h->face.time_horizon = m->cfg.time_horizon;
  h->face.initially = &everywhere;
  h->face.n_initially = 1;
  if (m->initially.n > 0)
    status = hysi_hybrid_formula_sets(h, &f, true, &h->face.initially, &h->face.n_initially);
  f.e = &m->forbidden;
  if (status == HYS_OK && m->forbidden.n > 0)
    status = hysi_hybrid_formula_sets(h, &f, false, &h->face.forbidden, &h->face.n_forbidden);
  return status;
}

hys_status hys_hybrid_open(const hys_hybrid **out, const hys_model *model, hys_diagnostics *diagnostics) {
  return hys_hybrid_open_with(out, model, diagnostics, NULL);
}

hys_status hys_hybrid_open_with(const hys_hybrid **out, const hys_model *model, hys_diagnostics *diagnostics,
                                const hys_allocator *allocator) {
  hys_arena *arena;
  hysi_hybrid *h;
  hys_status status;

  if (out == NULL || model == NULL || diagnostics == NULL)
    return HYS_ERR_ARG;
  *out = NULL;
  if (model->broken || !model->has_network || model->network.n_base == 0)
    return HYS_ERR_INPUT;
  arena = hys_arena_create(allocator);
  if (arena == NULL)
    return HYS_ERR_MEMORY;
  h = hys_arena_alloc(arena, 1, sizeof *h);
  if (h == NULL) {
    hys_arena_destroy(arena);
    return HYS_ERR_MEMORY;
  }
  h->arena = arena;
  h->seen.arena = h->joint_of.arena = arena;
  if (pthread_mutex_init(&h->lock, NULL) != 0) {
    hys_arena_destroy(arena);
    return HYS_ERR_MEMORY;
  }
  status = hysi_flat_constants(&h->flat, model, arena, diagnostics);
  if (status == HYS_OK)
    status = place_variables(h);
  if (status == HYS_OK)
    status = name_parts(h);
  if (status == HYS_OK)
    status = make_room(h);
  if (status == HYS_OK)
    status = make_sets(h);
  if (status == HYS_OK)
    status = h->flat.status;
  h->face.context = h;
  h->face.location = make_location;
  h->face.initial = initial_location;
  if (status != HYS_OK) {
    hys_hybrid_close(&h->face);
    return status;
  }
  *out = &h->face;
  return HYS_OK;
}

void hys_hybrid_close(const hys_hybrid *automaton) {
  hysi_hybrid *h;

  if (automaton == NULL)
    return;
  h = automaton->context;
  pthread_mutex_destroy(&h->lock);
  hys_arena_destroy(h->arena);
}

hys_status hys_hybrid_sets(const hys_hybrid *automaton, const hys_model_text *text,
                           hys_diagnostics *diagnostics, const hys_hybrid_set **out, uint32_t *n) {
  hysi_hybrid *h;
  hys_diagnostics *before;
  hys_expr *tree;
  hys_status status;

  if (automaton == NULL || text == NULL || diagnostics == NULL || out == NULL || n == NULL)
    return HYS_ERR_ARG;
  h = automaton->context;
  *out = NULL;
  *n = 0;
  pthread_mutex_lock(&h->lock);
  before = h->flat.document.diagnostics;
  h->flat.document.diagnostics = diagnostics;
  h->flat.status = HYS_OK;
  tree = hys_arena_alloc(h->arena, 1, sizeof *tree);
  status = tree == NULL
               ? HYS_ERR_MEMORY
               : hysi_model_formula(h->flat.model, text, HYSI_WANT_FORMULA, h->arena, diagnostics, tree);
  if (status == HYS_OK) {
    const hysi_formula f = {.e = tree, .file = text->file};
    status = hysi_hybrid_formula_sets(h, &f, false, out, n);
  }
  if (status == HYS_OK)
    status = h->flat.status;
  h->flat.document.diagnostics = before;
  pthread_mutex_unlock(&h->lock);
  return status;
}

/* ---- another configuration ---- */

typedef struct other {
  hysi_cfg cfg;
  hysi_cfg_text place;
} other;

hys_status hys_model_forbidden_of(const char *cfg_path, hys_arena *arena, hys_diagnostics *diagnostics,
                                  hys_model_text *text) {
  other *o = hys_arena_alloc(arena, 1, sizeof *o);
  char *bytes = NULL;
  size_t size = 0;
  hys_status status;

  if (cfg_path == NULL || text == NULL || o == NULL)
    return o == NULL ? HYS_ERR_MEMORY : HYS_ERR_ARG;
  status = hysi_file_read(&bytes, &size, cfg_path, HYS_XML_MAX_BYTES, arena, diagnostics);
  if (status == HYS_OK)
    status = hysi_cfg_read(&o->cfg, bytes, size, cfg_path, arena, diagnostics);
  if (status != HYS_OK || o->cfg.forbidden.text == NULL)
    return status;
  if (strspn(o->cfg.forbidden.text, " \t\r\n") >= o->cfg.forbidden.length)
    return HYS_OK;
  o->place = (hysi_cfg_text){&o->cfg, (size_t)(o->cfg.forbidden.text - o->cfg.bytes)};
  text->text = o->cfg.forbidden.text;
  text->length = o->cfg.forbidden.length;
  text->place = hysi_cfg_place;
  text->place_context = &o->place;
  return HYS_OK;
}
