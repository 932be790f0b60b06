#include "models/spaceex_xml.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "models/model.h"
#include "models/suggest.h"

__attribute__((format(printf, 6, 0))) static void report_at(const hysi_document *d, hys_severity severity,
                                                            const char *element, uint32_t line,
                                                            uint32_t column, const char *format,
                                                            va_list args) {
  const hys_diagnostic where = {
      .severity = severity, .file = d->file, .line = line, .column = column, .element = element};
  char text[512] = "";

  if (!hysi_diagnostics_full(d->diagnostics) ||
      (severity == HYS_ERROR && d->diagnostics->errors < HYS_MAX_DIAGNOSTICS))
    vsnprintf(text, sizeof text, format, args);
  hys_diagnostics_add(d->diagnostics, &where, "%s", text);
}

void hysi_report(const hysi_document *d, hys_severity severity, const hysi_xml_element *at,
                 const char *format, ...) {
  va_list args;
  va_start(args, format);
  report_at(d, severity, at->name, at->line, at->column, format, args);
  va_end(args);
}

static const hysi_xml_attribute *find_attribute(const hysi_xml_element *e, const char *name) {
  for (size_t i = 0; i < e->n_attributes; i++) {
    if (e->attribute[i].space == NULL && strcasecmp(e->attribute[i].name, name) == 0)
      return &e->attribute[i];
  }
  return NULL;
}

void hysi_report_value(const hysi_document *d, hys_severity severity, const hysi_xml_element *at,
                       const char *attribute, const char *format, ...) {
  const hysi_xml_attribute *a = find_attribute(at, attribute);
  va_list args;
  va_start(args, format);
  report_at(d, severity, at->name, a != NULL ? a->line : at->line, a != NULL ? a->column : at->column, format,
            args);
  va_end(args);
}

void hysi_report_node(const hysi_document *d, hys_severity severity, const hys_expr_node *node,
                      const char *format, ...) {
  va_list args;
  va_start(args, format);
  report_at(d, severity, NULL, node->line, node->column, format, args);
  va_end(args);
}

const char *hysi_did_you_mean(const hysi_document *d, const char *name, const char *const *candidate,
                              size_t n) {
  const char *near = hysi_diagnostics_full(d->diagnostics) ? NULL : hysi_suggest(name, candidate, n);
  size_t size;
  char *text;

  if (near == NULL)
    return "";
  size = strlen(near) + 32;
  text = hys_arena_alloc(d->arena, size, 1);
  if (text == NULL)
    return "";
  snprintf(text, size, "; did you mean `%s'?", near);
  return text;
}

/* ---- what an element may have ---- */

/* The elements that are known: where they stand, and their attributes between blanks. */
static const struct known {
  const char *name, *parents, *attributes;
} known[] = {
    {"component", " sspaceex ", " id "},
    {"note", " component location transition param bind ", " "},
    {"param", " component ", " name type local d1 d2 dynamics controlled x y width height placement "},
    {"location", " component ", " id name x y width height "},
    {"invariant", " location ", " x y width height "},
    {"flow", " location ", " x y width height "},
    {"transition", " component ", " source target asap timedriven priority bezier "},
    {"label", " transition ", " x y width height "},
    {"guard", " transition ", " x y width height "},
    {"assignment", " transition ", " x y width height "},
    {"labelposition", " transition ", " x y width height "},
    {"middlepoint", " transition ", " x y width height "},
    {"beforemiddle", " transition ", " "},
    {"aftermiddle", " transition ", " "},
    {"waypoints", " transition ", " "},
    {"bind", " component ", " component as x y width height "},
    {"map", " bind ", " key "},
    {"link", " map ", " "},
};
enum { N_KNOWN = sizeof known / sizeof known[0] };

static bool in_list(const char *list, const char *word) {
  const size_t n = strlen(word);

  for (const char *at = list; *at != '\0'; at++) {
    if (at[0] == ' ' && strncasecmp(at + 1, word, n) == 0 && at[1 + n] == ' ')
      return true;
  }
  return false;
}

/* Whether an element is one of the format's, where it may stand; says so if it is not. */
static bool is_known(const hysi_document *d, const hysi_xml_element *e) {
  const char *candidate[N_KNOWN];
  const char *parent = e->parent->name;
  size_t n = 0;

  for (size_t i = 0; i < N_KNOWN; i++) {
    if (in_list(known[i].parents, parent))
      candidate[n++] = known[i].name;
    if (strcasecmp(known[i].name, e->name) != 0)
      continue;
    if (!in_list(known[i].parents, parent)) {
      hysi_report(d, HYS_WARNING, e, "element <%s> does not belong into <%s>; it is ignored", e->name,
                  parent);
      return false;
    }
    for (size_t k = 0; k < e->n_attributes; k++) {
      const hysi_xml_attribute *a = &e->attribute[k];
      const hys_diagnostic where = {.severity = HYS_WARNING,
                                    .file = d->file,
                                    .line = a->name_line,
                                    .column = a->name_column,
                                    .element = e->name};
      if (a->space == NULL && !in_list(known[i].attributes, a->name))
        hys_diagnostics_add(d->diagnostics, &where, "attribute `%s' of <%s> is not known; it is ignored",
                            a->name, e->name);
    }
    return true;
  }
  hysi_report(d, HYS_WARNING, e, "element <%s> is not known; it is ignored%s", e->name,
              hysi_did_you_mean(d, e->name, candidate, n));
  return false;
}

static bool is(const hysi_xml_element *e, const char *name) {
  return strcasecmp(e->name, name) == 0;
}

const char *hysi_attribute(const hysi_xml_element *e, const char *name) {
  const hysi_xml_attribute *a = find_attribute(e, name);
  return a != NULL ? a->value : NULL;
}

/* An attribute that must be there, a name or a number of something; "" is as good as absent. */
static const char *required(const hysi_document *d, const hysi_xml_element *e, const char *name) {
  const char *value = hysi_attribute(e, name);

  if (value == NULL || value[0] == '\0') {
    hysi_report_value(d, HYS_ERROR, e, name, "<%s> needs the attribute `%s'", e->name, name);
    return NULL;
  }
  if (strlen(value) > HYS_XML_MAX_NAME) {
    hysi_report_value(d, HYS_ERROR, e, name, "a name longer than %d bytes (HYS_XML_MAX_NAME)",
                      HYS_XML_MAX_NAME);
    return NULL;
  }
  return value;
}

static bool boolean(const hysi_document *d, const hysi_xml_element *e, const char *name, bool otherwise) {
  const char *value = hysi_attribute(e, name);

  if (value == NULL)
    return otherwise;
  if (strcasecmp(value, "true") == 0 || strcmp(value, "1") == 0)
    return true;
  if (strcasecmp(value, "false") != 0 && strcmp(value, "0") != 0)
    hysi_report_value(d, HYS_ERROR, e, name, "attribute `%s' is `%s', expected true or false", name, value);
  return false;
}

bool hysi_is_name(const char *text, size_t length, bool dots) {
  bool begins = true; /* the name, or what stands behind a dot */

  for (size_t i = 0; i < length; i++) {
    const char c = text[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!letter && (begins || !((c >= '0' && c <= '9') || (c == '.' && dots))))
      return false;
    begins = c == '.';
  }
  return !begins;
}

/* dots: the name may be a flattened one. */
static void check_name(const hysi_document *d, const hysi_xml_element *e, const char *which, const char *name,
                       bool dots) {
  if (!hysi_is_name(name, strlen(name), dots))
    hysi_report_value(d, HYS_ERROR, e, which,
                      "`%s' is not a name: letters, digits and `_', not beginning with a digit", name);
  else if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0)
    hysi_report_value(d, HYS_ERROR, e, which, "`%s' cannot be a name: it is a truth value", name);
}

/* Text between tags where there is only room for elements. */
static void no_text(const hysi_document *d, const hysi_xml_element *e) {
  for (size_t i = 0; i < e->text.length; i++) {
    hys_diagnostic where = {.severity = HYS_WARNING, .file = d->file, .element = e->name};
    if (strchr(" \t\r\n", e->text.bytes[i]) != NULL)
      continue;
    hysi_xml_place(&e->text, i, &where.line, &where.column);
    hys_diagnostics_add(d->diagnostics, &where, "text directly inside <%s> is ignored", e->name);
    return;
  }
}

/* ---- the parts of a component ---- */

static hys_status read_param(const hysi_document *d, hysi_component *c, const hysi_xml_element *e) {
  const char *name = required(d, e, "name"), *type = required(d, e, "type"),
             *dynamics = hysi_attribute(e, "dynamics");
  static const char *const size[] = {"d1", "d2"};
  hysi_param *p;

  if (name == NULL)
    return HYS_OK;
  check_name(d, e, "name", name, true);
  if (hysi_names_get(&c->param_names, name, strlen(name)) != HYSI_NO_NAME) {
    hysi_report_value(d, HYS_ERROR, e, "name", "parameter `%s' is declared twice in component `%s'", name,
                      c->id);
    return HYS_OK;
  }
  p = hysi_grow(d->arena, c->param, c->n_params, &c->params_capacity, sizeof *p);
  if (p == NULL || !hysi_names_set(&c->param_names, name, strlen(name), c->n_params))
    return HYS_ERR_MEMORY;
  c->param = p;
  p += c->n_params++;
  if (strchr(name, '.') != NULL && !c->dotted) {
    c->dotted = true;
    hysi_report_value(d, HYS_NOTE, e, "name",
                      "`%s' is the name of a flattened model: it is read, other tools may not", name);
  }
  *p = (hysi_param){.name = name, .at = e, .local = boolean(d, e, "local", false)};
  p->controlled = boolean(d, e, "controlled", true);
  if (type == NULL)
    return HYS_OK;
  p->label = strcasecmp(type, "label") == 0;
  if (!p->label && strcasecmp(type, "real") != 0)
    hysi_report_value(d, HYS_ERROR, e, "type", "parameter `%s' has type `%s', expected real or label", name,
                      type);
  for (size_t i = 0; i < 2; i++) {
    const char *value = hysi_attribute(e, size[i]);
    if (value != NULL && strcmp(value, "1") != 0)
      hysi_report_value(d, HYS_ERROR, e, size[i],
                        "parameter `%s' has %s=\"%s\": vectors and matrices are not read, only 1 by 1", name,
                        size[i], value);
  }
  if (p->label || dynamics == NULL)
    return HYS_OK;
  p->constant = strcasecmp(dynamics, "const") == 0;
  if (strcasecmp(dynamics, "explicit") == 0)
    hysi_report_value(d, HYS_ERROR, e, "dynamics",
                      "parameter `%s' has dynamics=\"explicit\", which is not read", name);
  else if (!p->constant && strcasecmp(dynamics, "any") != 0)
    hysi_report_value(d, HYS_ERROR, e, "dynamics",
                      "parameter `%s' has dynamics=\"%s\", expected any or const", name, dynamics);
  return HYS_OK;
}

/* The one child of a kind; a second one is an error. */
static void only_child(const hysi_document *d, hysi_component *c, const hysi_xml_element *child,
                       const hysi_xml_element **slot) {
  c->refused = c->refused || *slot != NULL;
  if (*slot != NULL)
    hysi_report(d, HYS_ERROR, child, "a second <%s> in one <%s>", child->name, child->parent->name);
  else
    *slot = child;
}

static hys_status read_location(const hysi_document *d, hysi_component *c, const hysi_xml_element *e) {
  const char *id = required(d, e, "id"), *name = hysi_attribute(e, "name");
  hysi_model_location *l;

  if (id == NULL)
    return HYS_OK;
  if (name != NULL && strlen(name) > HYS_XML_MAX_NAME)
    name = required(d, e, "name"); /* says so */
  else if (name == NULL || name[0] == '\0') {
    name = id;
    hysi_report(d, HYS_WARNING, e, "location %s has no name; its id stands for it", id);
  }
  if (name == NULL)
    return HYS_OK;
  l = hysi_grow(d->arena, c->location, c->n_locations, &c->locations_capacity, sizeof *l);
  if (l == NULL)
    return HYS_ERR_MEMORY;
  c->location = l;
  if (hysi_names_get(&c->location_ids, id, strlen(id)) != HYSI_NO_NAME) {
    hysi_report_value(d, HYS_ERROR, e, "id", "a second location with id=\"%s\" in component `%s'", id, c->id);
    return HYS_OK;
  }
  if (hysi_names_get(&c->location_names, name, strlen(name)) != HYSI_NO_NAME)
    hysi_report_value(d, HYS_ERROR, e, "name", "a second location with the name `%s' in component `%s'", name,
                      c->id);
  if (!hysi_names_set(&c->location_ids, id, strlen(id), c->n_locations) ||
      !hysi_names_set(&c->location_names, name, strlen(name), c->n_locations))
    return HYS_ERR_MEMORY;
  l += c->n_locations++;
  *l = (hysi_model_location){.id = id, .name = name, .at = e};
  no_text(d, e);
  for (const hysi_xml_element *k = e->first; k != NULL; k = k->next) {
    if (!is_known(d, k))
      continue;
    if (is(k, "invariant"))
      only_child(d, c, k, &l->invariant.at);
    else if (is(k, "flow"))
      only_child(d, c, k, &l->flow.at);
  }
  return HYS_OK;
}

static uint32_t location_by_id(const hysi_document *d, const hysi_component *c, const hysi_xml_element *e,
                               const char *which) {
  const char *id = required(d, e, which);
  uint32_t l;

  if (id == NULL)
    return HYSI_NONE;
  l = hysi_names_get(&c->location_ids, id, strlen(id));
  if (l == HYSI_NO_NAME)
    hysi_report_value(d, HYS_ERROR, e, which, "%s=\"%s\" is the id of no location of component `%s'", which,
                      id, c->id);
  return l;
}

/* A label's text without the blanks around it. */
static const char *trimmed(const hysi_document *d, const hysi_xml_text *text, size_t *offset) {
  size_t from = 0, to = text->length;

  while (from < to && strchr(" \t\r\n", text->bytes[from]) != NULL)
    from++;
  while (to > from && strchr(" \t\r\n", text->bytes[to - 1]) != NULL)
    to--;
  *offset = from;
  return hys_arena_strdup(d->arena, text->bytes + from, to - from);
}

static hys_status read_label(const hysi_document *d, hysi_component *c, const hysi_xml_element *e,
                             uint32_t *label) {
  hys_diagnostic where = {.severity = HYS_WARNING, .file = d->file, .element = "label"};
  size_t offset;
  const char *name = trimmed(d, &e->text, &offset);
  uint32_t p;

  if (name == NULL)
    return HYS_ERR_MEMORY;
  if (name[0] == '\0')
    return HYS_OK;
  hysi_xml_place(&e->text, offset, &where.line, &where.column);
  p = hysi_names_get(&c->param_names, name, strlen(name));
  if (p == HYSI_NO_NAME) {
    *label = HYSI_PRIVATE_LABEL;
    if (!hysi_is_name(name, strlen(name), true)) {
      c->refused = true;
      where.severity = HYS_ERROR;
      hys_diagnostics_add(d->diagnostics, &where, "`%s' is not the name of a label", name);
    } else if (hysi_names_get(&c->private_labels, name, strlen(name)) == HYSI_NO_NAME) {
      if (!hysi_names_set(&c->private_labels, name, strlen(name), 0))
        return HYS_ERR_MEMORY;
      hys_diagnostics_add(d->diagnostics, &where,
                          "label `%s' is not declared in component `%s': nobody else can take part in it",
                          name, c->id);
    }
  } else if (!c->param[p].label) {
    c->refused = true;
    where.severity = HYS_ERROR;
    hys_diagnostics_add(d->diagnostics, &where, "`%s' is a variable, not a label", name);
  } else {
    *label = p;
    c->param[p].used = true;
  }
  return HYS_OK;
}

static hys_status read_transition(const hysi_document *d, hysi_component *c, const hysi_xml_element *e) {
  const hysi_xml_element *label = NULL;
  const char *priority = hysi_attribute(e, "priority");
  hysi_transition *t =
      hysi_grow(d->arena, c->transition, c->n_transitions, &c->transitions_capacity, sizeof *t);

  if (t == NULL)
    return HYS_ERR_MEMORY;
  c->transition = t;
  t += c->n_transitions++;
  *t = (hysi_transition){.at = e, .label = HYSI_NONE};
  t->source = location_by_id(d, c, e, "source");
  t->target = location_by_id(d, c, e, "target");
  t->asap = boolean(d, e, "asap", false);
  if (boolean(d, e, "timedriven", false))
    hysi_report_value(d, HYS_ERROR, e, "timedriven", "timedriven=\"true\" is not read");
  if (priority != NULL && strcmp(priority, "0") != 0)
    hysi_report_value(d, HYS_WARNING, e, "priority",
                      "priority=\"%s\" has no effect here: every enabled jump may be taken", priority);
  no_text(d, e);
  for (const hysi_xml_element *k = e->first; k != NULL; k = k->next) {
    if (!is_known(d, k))
      continue;
    if (is(k, "label"))
      only_child(d, c, k, &label);
    else if (is(k, "guard"))
      only_child(d, c, k, &t->guard.at);
    else if (is(k, "assignment"))
      only_child(d, c, k, &t->assignment.at);
  }
  return label != NULL ? read_label(d, c, label, &t->label) : HYS_OK;
}

static hys_status read_bind(const hysi_document *d, hysi_component *c, const hysi_xml_element *e) {
  hysi_bind *b = hysi_grow(d->arena, c->bind, c->n_binds, &c->binds_capacity, sizeof *b);

  if (b == NULL)
    return HYS_ERR_MEMORY;
  c->bind = b;
  b += c->n_binds++;
  *b = (hysi_bind){.at = e, .component = HYSI_NONE};
  b->component_name = required(d, e, "component");
  b->as = required(d, e, "as");
  if (b->as != NULL)
    check_name(d, e, "as", b->as, false);
  no_text(d, e);
  for (const hysi_xml_element *k = e->first; k != NULL; k = k->next) {
    hysi_map *m;
    if (!is_known(d, k) || !is(k, "map"))
      continue;
    m = hysi_grow(d->arena, b->map, b->n_maps, &b->maps_capacity, sizeof *m);
    if (m == NULL)
      return HYS_ERR_MEMORY;
    b->map = m;
    m[b->n_maps++] = (hysi_map){.at = k, .key = HYSI_NONE, .parent = HYSI_NONE};
    for (const hysi_xml_element *g = k->first; g != NULL; g = g->next)
      is_known(d, g);
  }
  return HYS_OK;
}

/* Parameters first, then locations, then the rest: the order in the file is free. */
static hys_status read_parts(const hysi_document *d, hysi_component *c) {
  static const struct {
    const char *name;
    hys_status (*read)(const hysi_document *, hysi_component *, const hysi_xml_element *);
  } parts[] = {{"param", read_param},
               {"location", read_location},
               {"transition", read_transition},
               {"bind", read_bind}};

  no_text(d, c->at);
  for (const hysi_xml_element *k = c->at->first; k != NULL; k = k->next)
    is_known(d, k);
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    for (const hysi_xml_element *k = c->at->first; k != NULL; k = k->next) {
      if (is(k, parts[i].name)) {
        const hys_status status = parts[i].read(d, c, k);
        if (status != HYS_OK)
          return status;
      }
    }
  }
  if (c->n_locations > 0 && c->n_binds > 0)
    hysi_report(d, HYS_ERROR, c->at,
                "component `%s' has locations and binds: it must be either a base or a network", c->id);
  if (c->n_locations == 0 && c->n_binds == 0)
    hysi_report(d, HYS_ERROR, c->at, "component `%s' has neither locations nor binds", c->id);
  return HYS_OK;
}

static hys_status read_component(hysi_document *d, const hysi_xml_element *e) {
  const char *id = required(d, e, "id");
  hysi_component *c;

  if (id == NULL)
    return HYS_OK;
  check_name(d, e, "id", id, false);
  if (hysi_names_get(&d->ids, id, strlen(id)) != HYSI_NO_NAME) {
    hysi_report_value(d, HYS_ERROR, e, "id", "a second component with id=\"%s\"; it is left out", id);
    return HYS_OK;
  }
  c = hysi_grow(d->arena, d->component, d->n_components, &d->capacity, sizeof *c);
  if (c == NULL || !hysi_names_set(&d->ids, id, strlen(id), d->n_components))
    return HYS_ERR_MEMORY;
  d->component = c;
  c += d->n_components++;
  *c = (hysi_component){.id = id, .at = e};
  c->param_names.arena = c->location_ids.arena = c->location_names.arena = c->private_labels.arena = d->arena;
  return read_parts(d, c);
}

hys_status hysi_document_read(hysi_document *d, const hysi_xml_element *root) {
  const char *version = hysi_attribute(root, "version"), *math = hysi_attribute(root, "math");
  const uint32_t errors = d->diagnostics->errors;

  d->ids.arena = d->arena;
  if (!is(root, "sspaceex")) {
    hysi_report(d, HYS_ERROR, root, "the root element is <%s>, expected <sspaceex>", root->name);
    return HYS_ERR_INPUT;
  }
  if (version != NULL && strcmp(version, "0.2") != 0)
    hysi_report_value(d, HYS_WARNING, root, "version",
                      "version \"%s\" of the format is not known; it is read as 0.2", version);
  if (math != NULL && strcasecmp(math, "SpaceEx") != 0)
    hysi_report_value(d, HYS_WARNING, root, "math", "math=\"%s\" is not known; it is read as SpaceEx", math);
  no_text(d, root);
  for (const hysi_xml_element *k = root->first; k != NULL; k = k->next) {
    if (is_known(d, k)) {
      const hys_status status = read_component(d, k);
      if (status != HYS_OK)
        return status;
    }
  }
  if (d->n_components == 0) {
    if (d->diagnostics->errors == errors)
      hysi_report(d, HYS_ERROR, root, "the model has no component");
    return HYS_ERR_INPUT;
  }
  return HYS_OK;
}
