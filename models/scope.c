/* Names as configurations and shield files use them: flattened, or a suffix that only one variable has. */
#include <stdio.h>
#include <string.h>

#include "models/model_private.h"

/* Names that an ambiguous suffix may mean, for a message. */
static void list_matches(const hysi_scope *s, const char *name, size_t length, char *out, size_t size) {
  const hysi_network *n = &s->model->network;
  size_t used = 0;

  out[0] = '\0';
  for (uint32_t i = 0; i < n->n_variables && used + 1 < size; i++) {
    const char *full = n->variable[i].name;
    const size_t l = strlen(full);
    if (l > length && full[l - length - 1] == '.' && memcmp(full + l - length, name, length) == 0) {
      const int put = snprintf(out + used, size - used, "%s`%s'", used > 0 ? ", " : "", full);
      used += put > 0 ? (size_t)put : 0;
    }
  }
}

/* Of the diagnostics at hand: those that the model was read with may be gone. */
static const char *did_you_mean(const hysi_scope *s, const char *name, const char *const *candidate,
                                size_t n) {
  const hysi_document d = hysi_document_for(s->model, s->diagnostics, s->arena);
  return hysi_did_you_mean(&d, name, candidate, n);
}

static hysi_name find_variable(void *context, const char *name, size_t length, bool primed,
                               const hys_diagnostic *where) {
  hysi_scope *s = context;
  const hysi_network *n = &s->model->network;
  const uint32_t v = hysi_names_get(&n->variable_names, name, length);
  char copy[65], matches[256];

  (void)primed;
  if (v != HYSI_NO_NAME && v != HYSI_AMBIGUOUS)
    return (hysi_name){.kind = HYSI_NAME_VARIABLE, .index = v};
  snprintf(copy, sizeof copy, "%.*s", (int)(length > 64 ? 64 : length), name);
  if (v == HYSI_AMBIGUOUS) {
    matches[0] = '\0';
    if (!hysi_diagnostics_full(s->diagnostics))
      list_matches(s, name, length, matches, sizeof matches);
    hys_diagnostics_add(s->diagnostics, where, "`%s' may mean several variables: %s", copy, matches);
    return (hysi_name){.kind = HYSI_NAME_UNKNOWN};
  }
  if (s->candidate == NULL && s->diagnostics->n < HYS_MAX_DIAGNOSTICS) {
    s->candidate = hys_arena_alloc(s->arena, n->n_variables, sizeof *s->candidate);
    for (uint32_t i = 0; s->candidate != NULL && i < n->n_variables; i++)
      s->candidate[i] = n->variable[i].name;
  }
  hys_diagnostics_add(s->diagnostics, where, "`%s' is not a variable of system `%s'%s", copy, n->system->id,
                      s->candidate != NULL && s->diagnostics->n < HYS_MAX_DIAGNOSTICS
                          ? did_you_mean(s, copy, s->candidate, n->n_variables)
                          : "");
  return (hysi_name){.kind = HYSI_NAME_UNKNOWN};
}

static bool find_location(void *context, const char *instance, size_t instance_length, const char *location,
                          size_t location_length, const hys_diagnostic *where, uint32_t *instance_index,
                          uint32_t *location_index) {
  hysi_scope *s = context;
  const hysi_network *n = &s->model->network;
  const uint32_t i = hysi_names_get(&n->instance_names, instance, instance_length);
  const char **candidate;
  const hysi_component *c;
  char copy[65];
  uint32_t l, k = 0;

  snprintf(copy, sizeof copy, "%.*s", (int)(instance_length > 64 ? 64 : instance_length), instance);
  if (i == HYSI_NO_NAME || i == HYSI_AMBIGUOUS) {
    const uint32_t most = hysi_diagnostics_full(s->diagnostics) ? 0 : n->n_base;
    candidate = hys_arena_alloc(s->arena, most, sizeof *candidate);
    for (; candidate != NULL && k < most; k++)
      candidate[k] = hysi_base(n, k)->path;
    if (i == HYSI_AMBIGUOUS)
      hys_diagnostics_add(s->diagnostics, where, "`%s' may mean several instances", copy);
    else if (instance_length == 0)
      hys_diagnostics_add(s->diagnostics, where,
                          "loc() names no instance: system `%s' is a network of %u; write loc(%s)",
                          n->system->id, n->n_base, n->n_base > 0 ? hysi_base(n, 0)->path : "NAME");
    else
      hys_diagnostics_add(s->diagnostics, where, "`%s' is not an instance with locations of system `%s'%s",
                          copy, n->system->id, did_you_mean(s, copy, candidate, k));
    return false;
  }
  c = hysi_base(n, i)->component;
  l = hysi_names_get(&c->location_names, location, location_length);
  if (l == HYSI_NO_NAME) {
    const uint32_t most = hysi_diagnostics_full(s->diagnostics) ? 0 : c->n_locations;
    candidate = hys_arena_alloc(s->arena, most, sizeof *candidate);
    for (; candidate != NULL && k < most; k++)
      candidate[k] = c->location[k].name;
    snprintf(copy, sizeof copy, "%.*s", (int)(location_length > 64 ? 64 : location_length), location);
    hys_diagnostics_add(s->diagnostics, where, "`%s' is not a location of component `%s'%s", copy, c->id,
                        did_you_mean(s, copy, candidate, k));
    return false;
  }
  *instance_index = i;
  *location_index = l;
  return true;
}

hysi_expr_names hysi_scope_names(hysi_scope *scope) {
  return (hysi_expr_names){.context = scope, .variable = find_variable, .location = find_location};
}

hysi_document hysi_document_for(const hys_model *model, hys_diagnostics *diagnostics, hys_arena *arena) {
  hysi_document d = model->document;
  d.diagnostics = diagnostics;
  d.arena = arena;
  return d;
}
