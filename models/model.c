#include "models/model.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "models/model_private.h"
#include "models/units.h"
#include "models/xml_bytes.h"
#include "models/xml_source.h"

/* ---- which component is the system ---- */

static const hysi_component *find_system(hys_model *m, const char *name, size_t length,
                                         const hys_diagnostic *where) {
  hysi_document *d = &m->document;
  const uint32_t c = hysi_names_get(&d->ids, name, length);
  const char **candidate;
  char copy[65];
  uint32_t k = 0;

  if (c != HYSI_NO_NAME)
    return &d->component[c];
  candidate = hys_arena_alloc(d->arena, d->n_components, sizeof *candidate);
  for (; candidate != NULL && k < d->n_components; k++)
    candidate[k] = d->component[k].id;
  snprintf(copy, sizeof copy, "%.*s", (int)(length > 64 ? 64 : length), name);
  hys_diagnostics_add(d->diagnostics, where, "system `%s' is not a component of the model%s", copy,
                      hysi_did_you_mean(d, copy, candidate, k));
  return NULL;
}

static const hysi_component *unbound_component(hys_model *m) {
  hysi_document *d = &m->document;
  const hysi_component *found = NULL;
  uint32_t n = 0;

  for (uint32_t i = 0; i < d->n_components; i++) {
    if (!d->component[i].bound) {
      found = &d->component[i];
      n++;
    }
  }
  if (found == NULL)
    return &d->component[d->n_components - 1];
  if (n > 1)
    hysi_report(d, HYS_WARNING, found->at,
                "%u components are bound by nobody; `%s', the last, is taken as the system", n, found->id);
  return found;
}

static const hysi_component *choose_system(hys_model *m, const char *system) {
  const hysi_component *c = NULL;
  hys_diagnostic where = {.severity = HYS_ERROR, .file = m->document.file};

  if (system != NULL) {
    c = find_system(m, system, strlen(system), &where);
  } else if (m->has_cfg && m->cfg.system.text != NULL && m->cfg.system.length > 0) {
    const hysi_cfg_text text = {&m->cfg, (size_t)(m->cfg.system.text - m->cfg.bytes)};
    where.file = m->cfg.file;
    hysi_cfg_place(&text, 0, &where.line, &where.column);
    c = find_system(m, m->cfg.system.text, m->cfg.system.length, &where);
  }
  return c != NULL ? c : unbound_component(m);
}

/* ---- reading ---- */

static hys_status read_formula(hys_model *m, const hysi_cfg_value *value, const char *key, hys_expr *out) {
  hysi_scope scope = {.model = m, .arena = m->document.arena, .diagnostics = m->document.diagnostics};
  const hysi_expr_names names = hysi_scope_names(&scope);
  const hysi_cfg_text text = {&m->cfg, value->text != NULL ? (size_t)(value->text - m->cfg.bytes) : 0};
  const hysi_expr_source source = {.file = m->cfg.file,
                                   .element = key,
                                   .text = value->text,
                                   .length = value->length,
                                   .place = hysi_cfg_place,
                                   .place_context = &text};
  hys_status status;

  if (value->text == NULL)
    return HYS_OK;
  status =
      hysi_expr_parse(out, &source, &names, HYSI_WANT_FORMULA, m->document.arena, m->document.diagnostics);
  if (status == HYS_ERR_INPUT) {
    out->n = 0;
    status = HYS_OK;
  }
  return status;
}

/* Whether an empty text: forbidden="" means that nothing is. */
static bool is_empty(const hysi_cfg_value *value) {
  for (size_t i = 0; i < value->length; i++) {
    if (strchr(" \t\r\n", value->text[i]) == NULL)
      return false;
  }
  return true;
}

static hys_status read_system(hys_model *m, const char *system) {
  hysi_document *d = &m->document;
  hys_status status = HYS_OK;

  for (uint32_t i = 0; i < d->n_components && status == HYS_OK; i++)
    status = hysi_component_parse(d, &d->component[i]);
  if (status == HYS_OK)
    status = hysi_document_cut_cycles(d);
  if (status == HYS_OK)
    status = hysi_network_build(&m->network, d, choose_system(m, system));
  if (status == HYS_OK)
    status = hysi_network_facts(&m->network);
  if (status != HYS_OK)
    return status;
  m->has_network = true;
  if (m->has_cfg)
    status = read_formula(m, &m->cfg.initially, "initially", &m->initially);
  if (status == HYS_OK && m->has_cfg && !is_empty(&m->cfg.forbidden))
    status = read_formula(m, &m->cfg.forbidden, "forbidden", &m->forbidden);
  return status == HYS_OK ? hysi_units_check(m) : status;
}

static hys_status read_all(const hys_model **out, const hysi_xml_element *root, const char *xml_name,
                           const char *cfg, size_t cfg_size, const char *cfg_name, const char *system,
                           hys_arena *arena, hys_diagnostics *diagnostics) {
  hys_model *m = hys_arena_alloc(arena, 1, sizeof *m);
  const uint32_t errors = diagnostics->errors;
  hys_status status;

  if (m == NULL)
    return HYS_ERR_MEMORY;
  m->document = (hysi_document){.file = xml_name, .arena = arena, .diagnostics = diagnostics};
  m->document.file = hys_arena_strdup(arena, xml_name, strlen(xml_name));
  if (m->document.file == NULL)
    return HYS_ERR_MEMORY;
  status = hysi_document_read(&m->document, root);
  if (status == HYS_OK && cfg != NULL) {
    m->config_path = hys_arena_strdup(arena, cfg_name, strlen(cfg_name));
    if (m->config_path == NULL)
      return HYS_ERR_MEMORY;
    status = hysi_cfg_read(&m->cfg, cfg, cfg_size, m->config_path, arena, diagnostics);
    m->has_cfg = status == HYS_OK;
  }
  if (status == HYS_OK)
    status = read_system(m, system);
  m->broken = status != HYS_OK || diagnostics->errors > errors;
  if (status == HYS_OK || status == HYS_ERR_INPUT || status == HYS_ERR_LIMIT)
    *out = m;
  return status == HYS_OK && m->broken ? HYS_ERR_INPUT : status;
}

/* The model's path with .cfg in place of its extension. */
static char *stem_cfg(const char *xml_path, hys_arena *arena) {
  const char *slash = strrchr(xml_path, '/'), *dot = strrchr(xml_path, '.');
  const size_t stem =
      dot != NULL && (slash == NULL || dot > slash) ? (size_t)(dot - xml_path) : strlen(xml_path);
  char *path = hys_arena_alloc(arena, stem + sizeof ".cfg", 1);

  if (path != NULL) {
    memcpy(path, xml_path, stem);
    memcpy(path + stem, ".cfg", sizeof ".cfg");
  }
  return path;
}

hys_status hys_model_read(const hys_model **out, const char *xml_path, const char *cfg_path,
                          const char *system, hys_arena *arena, hys_diagnostics *diagnostics) {
  const hysi_xml_element *root = NULL;
  char *cfg = NULL;
  size_t cfg_size = 0;
  hys_status status, cfg_status = HYS_OK;

  if (out == NULL || xml_path == NULL || arena == NULL || diagnostics == NULL)
    return HYS_ERR_ARG;
  *out = NULL;
  status = hysi_xml_read(&root, xml_path, arena, diagnostics);
  if (cfg_path == NULL) {
    char *path = stem_cfg(xml_path, arena);
    if (path == NULL)
      return HYS_ERR_MEMORY;
    if (strcmp(path, xml_path) != 0 && access(path, F_OK) == 0)
      cfg_path = path;
  }
  if (cfg_path != NULL)
    cfg_status = hysi_file_read(&cfg, &cfg_size, cfg_path, HYS_XML_MAX_BYTES, arena, diagnostics);
  if (status == HYS_OK)
    status = read_all(out, root, xml_path, cfg_status == HYS_OK ? cfg : NULL, cfg_size, cfg_path, system,
                      arena, diagnostics);
  hys_diagnostics_sort(diagnostics);
  return cfg_status != HYS_OK && (status == HYS_OK || status == HYS_ERR_INPUT) ? cfg_status : status;
}

hys_status hys_model_read_memory(const hys_model **out, const char *xml, size_t xml_size,
                                 const char *xml_name, const char *cfg, size_t cfg_size, const char *cfg_name,
                                 const char *system, hys_arena *arena, hys_diagnostics *diagnostics) {
  const hysi_xml_element *root = NULL;
  char *copy = NULL;
  hys_status status;

  if (out == NULL || xml == NULL || xml_name == NULL || (cfg != NULL && cfg_name == NULL) || arena == NULL ||
      diagnostics == NULL)
    return HYS_ERR_ARG;
  *out = NULL;
  status = hysi_xml_read_memory(&root, xml, xml_size, xml_name, arena, diagnostics);
  if (cfg != NULL) {
    copy = hys_arena_strdup(arena, cfg, cfg_size);
    if (copy == NULL)
      return HYS_ERR_MEMORY;
  }
  if (status == HYS_OK)
    status = read_all(out, root, xml_name, copy, cfg_size, cfg_name, system, arena, diagnostics);
  hys_diagnostics_sort(diagnostics);
  return status;
}

/* ---- looking ---- */

const char *hys_model_config(const hys_model *m) {
  return m->config_path;
}

const char *hys_model_system(const hys_model *m) {
  return m->has_network ? m->network.system->id : NULL;
}

size_t hys_model_variable_count(const hys_model *m) {
  return m->has_network ? m->network.n_variables : 0;
}

hys_model_variable hys_model_variable_at(const hys_model *m, size_t i) {
  return (hys_model_variable){m->network.variable[i].name, m->network.variable[i].role,
                              m->network.variable[i].unit};
}

size_t hys_model_label_count(const hys_model *m) {
  return m->has_network ? m->network.n_labels : 0;
}

const char *hys_model_label_at(const hys_model *m, size_t i) {
  return m->network.label[i].name;
}

uint64_t hys_model_location_count(const hys_model *m) {
  return m->has_network ? m->network.locations : 0;
}

uint64_t hys_model_jump_count(const hys_model *m) {
  return m->has_network ? m->network.jumps : 0;
}

hys_expr_class hys_model_flow_class(const hys_model *m) {
  return m->has_network ? m->network.flow_class : HYS_CLASS_NONE;
}

const char *hys_expr_class_text(hys_expr_class kind) {
  switch (kind) {
  case HYS_CLASS_NONE:
    return "none";
  case HYS_CLASS_CONSTANT:
    return "constant";
  case HYS_CLASS_CONSTANT_INCLUSION:
    return "constant-inclusion";
  case HYS_CLASS_AFFINE:
    return "affine";
  case HYS_CLASS_POLYNOMIAL:
    return "polynomial";
  case HYS_CLASS_RATIONAL:
    return "rational";
  case HYS_CLASS_TRANSCENDENTAL:
    return "transcendental";
  }
  return "not a class";
}

const char *hys_role_text(hys_role role) {
  switch (role) {
  case HYS_ROLE_STATE:
    return "state";
  case HYS_ROLE_INPUT:
    return "input";
  case HYS_ROLE_CONSTANT:
    return "constant";
  }
  return "not a role";
}
