#include "models/network.h"

#include <stdio.h>
#include <string.h>

/* ---- cycles ---- */

typedef struct visit {
  uint32_t component, bind;
} visit;

hys_status hysi_document_cut_cycles(hysi_document *d) {
  enum { NEW, OPEN, DONE };
  uint8_t *state = hys_arena_alloc(d->arena, d->n_components, 1);
  visit *stack = hys_arena_alloc(d->arena, (size_t)d->n_components + 1, sizeof *stack);

  if (state == NULL || stack == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t root = 0; root < d->n_components; root++) {
    uint32_t depth = 0;
    if (state[root] != NEW)
      continue;
    stack[depth++] = (visit){root, 0};
    state[root] = OPEN;
    while (depth > 0) {
      visit *v = &stack[depth - 1];
      hysi_component *c = &d->component[v->component];
      hysi_bind *b;
      if (v->bind == c->n_binds) {
        state[v->component] = DONE;
        depth--;
        continue;
      }
      b = &c->bind[v->bind++];
      if (b->component == HYSI_NONE)
        continue;
      if (state[b->component] == OPEN) {
        hysi_report_value(d, HYS_ERROR, b->at, "component",
                          "component `%s' would contain itself; the instance is left out",
                          d->component[b->component].id);
        b->component = HYSI_NONE;
      } else if (state[b->component] == NEW) {
        state[b->component] = OPEN;
        stack[depth++] = (visit){b->component, 0};
      }
    }
  }
  return HYS_OK;
}

/* ---- instances ---- */

/* What a name takes: its bytes, and the ends of it that are looked up, one a dot. */
static uint64_t name_cost(const char *name) {
  uint64_t cost = 0;
  for (; *name != '\0'; name++)
    cost += *name == '.' ? 64 : 1;
  return cost;
}

/* path.name, in `out`; HYS_ERR_LIMIT is reported at `at`. */
static hys_status joined(hysi_network *n, const char *path, const char *name, const hysi_xml_element *at,
                         const char **out) {
  hysi_document *d = n->document;
  const size_t size = strlen(path) + strlen(name) + 2;
  char *text;

  *out = name;
  if (path[0] == '\0')
    return HYS_OK;
  n->name_bytes += name_cost(path) + size;
  if (n->name_bytes > HYS_MAX_NAME_BYTES) {
    hysi_report(d, HYS_ERROR, at, "the flattened names have more than %d bytes (HYS_MAX_NAME_BYTES)",
                HYS_MAX_NAME_BYTES);
    return HYS_ERR_LIMIT;
  }
  text = hys_arena_alloc(d->arena, size, 1);
  if (text == NULL)
    return HYS_ERR_MEMORY;
  snprintf(text, size, "%s.%s", path, name);
  *out = text;
  return HYS_OK;
}

/* Under the whole name the number, under every part behind a dot the number too, unless two have it. */
static bool add_suffixes(hysi_names *table, const char *name, uint32_t number) {
  for (const char *s = strchr(name, '.'); s != NULL; s = strchr(s + 1, '.')) {
    const size_t n = strlen(s + 1);
    const uint32_t there = hysi_names_get(table, s + 1, n);
    /* an exact name wins: set later, see below */
    if (!hysi_names_set(table, s + 1, n, there == HYSI_NO_NAME || there == number ? number : HYSI_AMBIGUOUS))
      return false;
  }
  return true;
}

static bool add_exact(hysi_names *table, const char *name, uint32_t number) {
  return hysi_names_set(table, name, strlen(name), number);
}

/* A parameter that nothing outside gives a meaning: a variable or label of its own. */
static hys_status own(hysi_network *n, const char *path, const hysi_param *p, hysi_binding *binding) {
  hysi_document *d = n->document;
  const char *name;
  const hys_status status = joined(n, path, p->name, p->at, &name);

  if (status != HYS_OK)
    return status;
  if (p->label) {
    hysi_label *l = hysi_grow(d->arena, n->label, n->n_labels, &n->labels_capacity, sizeof *l);
    if (l == NULL)
      return HYS_ERR_MEMORY;
    n->label = l;
    l[n->n_labels] =
        (hysi_label){.name = name, .local = p->local, .first_part = HYSI_NONE, .last_part = HYSI_NONE};
    *binding = (hysi_binding){.kind = HYSI_BOUND_LABEL, .index = n->n_labels++};
  } else {
    hysi_variable *v = hysi_grow(d->arena, n->variable, n->n_variables, &n->variables_capacity, sizeof *v);
    if (v == NULL)
      return HYS_ERR_MEMORY;
    if (n->n_variables == HYS_MAX_VARIABLES) {
      hysi_report(d, HYS_ERROR, p->at, "more than %d variables (HYS_MAX_VARIABLES)", HYS_MAX_VARIABLES);
      return HYS_ERR_LIMIT;
    }
    n->variable = v;
    v[n->n_variables] = (hysi_variable){.name = name, .param = p, .flow_in = HYSI_NONE};
    *binding = (hysi_binding){.kind = HYSI_BOUND_VARIABLE, .index = n->n_variables++};
  }
  return HYS_OK;
}

/* What an instance takes, of memory and time. */
static uint64_t parts_of(const hysi_component *c) {
  uint64_t parts = (uint64_t)c->n_params + c->n_locations + c->n_transitions;
  for (uint32_t i = 0; i < c->n_locations; i++)
    parts += c->location[i].flow.n_rows;
  for (uint32_t i = 0; i < c->n_transitions; i++)
    parts += c->transition[i].assignment.n_rows;
  return parts;
}

/* parent: HYSI_NONE for the system. */
static hys_status add_instance(hysi_network *n, const hysi_component *c, const hysi_bind *b,
                               uint32_t parent) {
  hysi_document *d = n->document;
  hysi_binding *binding;
  hysi_instance *i;

  n->parts += parts_of(c);
  if (n->parts > HYS_MAX_PARTS) {
    hysi_report(d, HYS_ERROR, b != NULL ? b->at : c->at,
                "more than %d parameters, locations and transitions of instances (HYS_MAX_PARTS)",
                HYS_MAX_PARTS);
    return HYS_ERR_LIMIT;
  }
  binding = hys_arena_alloc(d->arena, c->n_params, sizeof *binding);
  i = hysi_grow(d->arena, n->instance, n->n_instances, &n->instances_capacity, sizeof *i);
  if (binding == NULL || i == NULL)
    return HYS_ERR_MEMORY;
  n->instance = i;
  if (n->n_instances == HYS_MAX_INSTANCES) {
    hysi_report(d, HYS_ERROR, b != NULL ? b->at : c->at, "more than %d instances (HYS_MAX_INSTANCES)",
                HYS_MAX_INSTANCES);
    return HYS_ERR_LIMIT;
  }
  i += n->n_instances;
  *i = (hysi_instance){.path = "", .component = c, .bind = b, .binding = binding};
  if (parent != HYSI_NONE) {
    const hysi_instance *up = &n->instance[parent];
    const hys_status status = joined(n, up->path, b->as != NULL ? b->as : "?", b->at, &i->path);
    if (status != HYS_OK)
      return status;
    for (uint32_t k = 0; k < b->n_maps; k++) {
      const hysi_map *m = &b->map[k];
      if (m->key == HYSI_NONE)
        continue;
      binding[m->key] = m->parent == HYSI_NONE
                            ? (hysi_binding){.kind = HYSI_BOUND_NUMBER, .value = m->value, .map = m}
                            : up->binding[m->parent];
    }
  }
  for (uint32_t k = 0; k < c->n_params; k++) {
    hys_status status;
    if (parent != HYSI_NONE && !c->param[k].local)
      continue;
    status = own(n, i->path, &c->param[k], &binding[k]);
    if (status != HYS_OK)
      return status;
  }
  if (c->n_locations > 0) {
    uint32_t *base = hysi_grow(d->arena, n->base, n->n_base, &n->base_capacity, sizeof *base);
    if (base == NULL)
      return HYS_ERR_MEMORY;
    n->base = base;
    base[n->n_base++] = n->n_instances;
  }
  n->n_instances++;
  return HYS_OK;
}

/* A parameter with a dot in its name may have the flattened name of another: who would be meant? */
static hys_status check_names(hysi_network *n) {
  const hysi_document *d = n->document;
  hysi_names all = {.arena = d->arena};
  bool dotted = false;

  for (uint32_t i = 0; i < n->n_instances; i++)
    dotted = dotted || n->instance[i].component->dotted;
  for (uint32_t i = 0; dotted && i < n->n_variables + n->n_labels; i++) {
    const bool label = i >= n->n_variables;
    const char *name = label ? n->label[i - n->n_variables].name : n->variable[i].name;
    const hysi_xml_element *at = label ? n->system->at : n->variable[i].param->at;
    if (hysi_names_get(&all, name, strlen(name)) != HYSI_NO_NAME)
      hysi_report(d, HYS_ERROR, at, "`%s' is the flattened name of two parameters of system `%s'", name,
                  n->system->id);
    if (!add_exact(&all, name, i))
      return HYS_ERR_MEMORY;
  }
  return HYS_OK;
}

/* Names by suffix first, whole names over them: a whole name always wins. */
static hys_status index_names(hysi_network *n) {
  hysi_names *v = &n->variable_names, *b = &n->instance_names;

  v->arena = b->arena = n->document->arena;
  for (uint32_t i = 0; i < n->n_variables; i++) {
    if (!add_suffixes(v, n->variable[i].name, i))
      return HYS_ERR_MEMORY;
  }
  for (uint32_t i = 0; i < n->n_variables; i++) {
    if (!add_exact(v, n->variable[i].name, i))
      return HYS_ERR_MEMORY;
  }
  for (uint32_t i = 0; i < n->n_base; i++) {
    if (!add_suffixes(b, hysi_base(n, i)->path, i))
      return HYS_ERR_MEMORY;
  }
  for (uint32_t i = 0; i < n->n_base; i++) {
    if (!add_exact(b, hysi_base(n, i)->path, i))
      return HYS_ERR_MEMORY;
  }
  /* loc() and loc(component) of a system that is one base component */
  if (n->n_instances == 1 && n->n_base == 1 && !add_exact(b, n->system->id, 0))
    return HYS_ERR_MEMORY;
  return HYS_OK;
}

typedef struct waiting {
  const hysi_bind *bind;
  uint32_t parent;
} waiting;

hys_status hysi_network_build(hysi_network *n, hysi_document *d, const hysi_component *system) {
  waiting *stack = NULL;
  uint32_t depth = 0, capacity = 0;
  hys_status status;

  *n = (hysi_network){.document = d, .system = system};
  status = add_instance(n, system, NULL, HYSI_NONE);
  for (uint32_t done = 0; status == HYS_OK;) {
    const hysi_component *c = n->instance[n->n_instances - 1].component;
    /* the newest instance's parts, the first on top: instances come in the order of the file */
    if (done < n->n_instances) {
      for (uint32_t k = c->n_binds; k > 0; k--) {
        if (c->bind[k - 1].component == HYSI_NONE)
          continue;
        stack = hysi_grow(d->arena, stack, depth, &capacity, sizeof *stack);
        if (stack == NULL)
          return HYS_ERR_MEMORY;
        stack[depth++] = (waiting){&c->bind[k - 1], n->n_instances - 1};
      }
      done = n->n_instances;
    }
    if (depth == 0)
      break;
    const waiting w = stack[--depth];
    status = add_instance(n, &d->component[w.bind->component], w.bind, w.parent);
  }
  if (status == HYS_OK)
    status = check_names(n);
  return status == HYS_OK ? index_names(n) : status;
}
