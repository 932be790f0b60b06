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
  else if (h->location[index] == NULL)
    status = hysi_hybrid_make(h, index);
  if (status == HYS_OK)
    *out = h->location[index];
  pthread_mutex_unlock(&h->lock);
  return status;
}

/* Whether a set reaches into a location of an instance. */
static bool allowed(const hys_hybrid_set *set, uint32_t instance, uint32_t location) {
  for (uint32_t i = 0; i < set->n_where; i++)
    if (set->where[i].instance == instance && (set->where[i].location == location) != set->where[i].is)
      return false;
  return true;
}

/* The k-th tuple of allowed locations, the last instance turning fastest. */
static hys_status initial_location(void *context, const hys_hybrid_set *set, uint32_t k, uint32_t *location) {
  hysi_hybrid *h = context;
  const hysi_network *net = h->flat.network;
  uint64_t left = k;
  hys_status status = HYS_OK;

  pthread_mutex_lock(&h->lock);
  for (uint32_t b = net->n_base; b > 0 && status == HYS_OK; b--) {
    const uint32_t all = hysi_base(net, b - 1)->component->n_locations;
    uint32_t count = 0, want;
    for (uint32_t l = 0; l < all; l++)
      count += allowed(set, b - 1, l);
    if (count == 0) {
      status = HYS_ERR_LIMIT;
      break;
    }
    want = (uint32_t)(left % count);
    left /= count;
    for (uint32_t l = 0; l < all; l++)
      if (allowed(set, b - 1, l) && want-- == 0)
        h->scratch_part[b - 1] = l;
  }
  if (status == HYS_OK && left > 0)
    status = HYS_ERR_LIMIT;
  if (status == HYS_OK)
    status = hysi_hybrid_intern(h, h->scratch_part, location);
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
  h->dense = hys_arena_alloc(h->arena, net->n_variables, sizeof *h->dense);
  if (mentioned == NULL || name == NULL || input == NULL || h->variable_of == NULL || h->at_rest == NULL ||
      h->dense == NULL)
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
    h->dense[n] = HYSI_NONE;
    n++;
  }
  h->face.n = h->flat.n = n;
  h->face.variable = name;
  h->face.input = input;
  return HYS_OK;
}

static hys_status name_parts(hysi_hybrid *h) {
  const hysi_network *net = h->flat.network;
  const char **label = hys_arena_alloc(h->arena, net->n_labels, sizeof *label);
  hys_instance *instance = hys_arena_alloc(h->arena, net->n_base, sizeof *instance);

  h->scratch_part = hys_arena_alloc(h->arena, net->n_base, sizeof *h->scratch_part);
  if (label == NULL || instance == NULL || h->scratch_part == NULL)
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
  hys_arena *arena;
  hysi_hybrid *h;
  hys_status status;

  if (out == NULL || model == NULL || diagnostics == NULL)
    return HYS_ERR_ARG;
  *out = NULL;
  if (model->broken || !model->has_network || model->network.n_base == 0)
    return HYS_ERR_INPUT;
  arena = hys_arena_create(NULL);
  if (arena == NULL)
    return HYS_ERR_MEMORY;
  h = hys_arena_alloc(arena, 1, sizeof *h);
  if (h == NULL) {
    hys_arena_destroy(arena);
    return HYS_ERR_MEMORY;
  }
  h->arena = arena;
  h->seen.arena = arena;
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
