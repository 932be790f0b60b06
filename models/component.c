/* The formulas and maps of a component: parsed, split into rows, checked as far as the component alone tells.
 */
#include <stdio.h>
#include <string.h>

#include "models/expr_parse.h"
#include "models/model.h"
#include "models/spaceex_xml.h"

typedef struct work {
  hysi_document *document;
  hysi_component *component;
  const char *element;    /* for diagnostics */
  const char **candidate; /* names of parameters, made when first needed */
  uint32_t *stack;        /* of nodes, see conjuncts() */
  uint32_t stack_capacity;
  uint32_t *equation, *bound; /* per parameter: serial number of the text that has one about it */
  uint32_t serial;
  bool lenient;          /* an undeclared name is a warning in this text */
  const hysi_bind *bind; /* whose maps are being read */
} work;

static const char *suggestion(work *w, const char *name) {
  const hysi_component *c = w->component;

  if (w->document->diagnostics->n >= HYS_MAX_DIAGNOSTICS)
    return "";
  if (w->candidate == NULL) {
    w->candidate = hys_arena_alloc(w->document->arena, c->n_params, sizeof *w->candidate);
    if (w->candidate == NULL)
      return "";
    for (uint32_t i = 0; i < c->n_params; i++)
      w->candidate[i] = c->param[i].name;
  }
  return hysi_did_you_mean(w->document, name, w->candidate, c->n_params);
}

/* ---- names in formulas ---- */

static hysi_name find_variable(void *context, const char *name, size_t length, bool primed,
                               const hys_diagnostic *where) {
  work *w = context;
  hysi_component *c = w->component;
  const uint32_t p = hysi_names_get(&c->param_names, name, length);
  const int shown = length > 64 ? 64 : (int)length;
  char copy[65];

  (void)primed;
  if (p == HYSI_NO_NAME) {
    /* models in use have such names in jumps: a warning, and no automaton is made; a flow would be lost */
    hys_diagnostic there = *where;
    there.severity = w->lenient ? HYS_WARNING : HYS_ERROR;
    snprintf(copy, sizeof copy, "%.*s", shown, name);
    hys_diagnostics_add(w->document->diagnostics, &there, "`%s' is not declared in component `%s'%s", copy,
                        c->id, suggestion(w, copy));
    return (hysi_name){.kind = HYSI_NAME_UNKNOWN};
  }
  c->param[p].used = true;
  if (c->param[p].label) {
    hys_diagnostics_add(w->document->diagnostics, where, "`%.*s' is a label, a variable is expected here",
                        shown, name);
    return (hysi_name){.kind = HYSI_NAME_UNKNOWN};
  }
  return (hysi_name){.kind = HYSI_NAME_VARIABLE, .index = p};
}

static void place_in_text(const void *context, size_t offset, uint32_t *line, uint32_t *column) {
  hysi_xml_place(context, offset, line, column);
}

static hys_status parse(work *w, hysi_text_tree *t, hysi_expr_want want) {
  const hysi_expr_names names = {.context = w, .variable = find_variable};
  hysi_expr_source source = {.file = w->document->file, .element = w->element, .place = place_in_text};
  hys_status status;

  if (t->at == NULL)
    return HYS_OK;
  source.place_context = &t->at->text;
  for (const hysi_xml_element *k = t->at->first; k != NULL; k = k->next)
    hysi_report(w->document, HYS_ERROR, k, "element <%s> inside a formula", k->name);
  if (t->at->first != NULL) {
    w->component->refused = true;
    return HYS_OK;
  }
  w->lenient = want != HYSI_WANT_FLOW;
  source.text = t->at->text.bytes;
  source.length = t->at->text.length;
  status = hysi_expr_parse(&t->e, &source, &names, want, w->document->arena, w->document->diagnostics);
  if (status != HYS_ERR_INPUT)
    return status;
  /* with an unknown name in it the tree means nothing */
  t->unknown = t->e.n > 0;
  t->written = t->e.n;
  w->component->refused = w->component->refused || !t->unknown;
  t->e.n = 0;
  return HYS_OK;
}

/* ---- splitting into rows ---- */

/* Calls take() for every conjunct of a formula, left to right; 100 000 of them need no recursion. */
static hys_status conjuncts(work *w, hysi_text_tree *t,
                            hys_status (*take)(work *, hysi_text_tree *, uint32_t)) {
  uint32_t depth = 0;
  hys_status status = HYS_OK;

  w->stack = hysi_grow(w->document->arena, w->stack, 0, &w->stack_capacity, sizeof *w->stack);
  if (w->stack == NULL)
    return HYS_ERR_MEMORY;
  w->stack[depth++] = t->e.n - 1;
  while (depth > 0 && status == HYS_OK) {
    const uint32_t node = w->stack[--depth];
    const hys_expr_node *k = &t->e.node[node];
    if (k->op != HYS_EXPR_AND) {
      status = take(w, t, node);
      continue;
    }
    w->stack = hysi_grow(w->document->arena, w->stack, depth + 1, &w->stack_capacity, sizeof *w->stack);
    if (w->stack == NULL)
      return HYS_ERR_MEMORY;
    w->stack[depth++] = k->b;
    w->stack[depth++] = k->a;
  }
  return status;
}

static bool has_prime(const hys_expr *e, uint32_t root) {
  for (uint32_t i = hys_expr_first(e, root); i <= root; i++) {
    if (e->node[i].op == HYS_EXPR_PRIMED)
      return true;
  }
  return false;
}

static uint8_t mirrored(uint8_t op) {
  switch ((hys_expr_op)op) {
  case HYS_EXPR_LT:
    return HYS_EXPR_GT;
  case HYS_EXPR_LE:
    return HYS_EXPR_GE;
  case HYS_EXPR_GT:
    return HYS_EXPR_LT;
  case HYS_EXPR_GE:
    return HYS_EXPR_LE;
  default:
    return op;
  }
}

static void refuse(work *w, const hysi_text_tree *t, uint32_t node, const char *message) {
  hysi_report_node(w->document, HYS_ERROR, &t->e.node[node], "%s", message);
}

static hys_status add_row(work *w, hysi_text_tree *t, hysi_row row, bool flow) {
  const hysi_param *p = &w->component->param[row.param];
  const hys_expr_node *at = &t->e.node[row.node];
  hysi_row *grown;

  if (p->constant) {
    hysi_report_node(w->document, HYS_ERROR, at, "`%s' is a constant: it %s", p->name,
                     flow ? "has no flow" : "cannot be assigned");
    return HYS_OK;
  }
  if (w->equation[row.param] == w->serial || (row.op == HYS_EXPR_EQ && w->bound[row.param] == w->serial)) {
    hysi_report_node(w->document, HYS_ERROR, at, "`%s' %s", p->name,
                     flow ? "has a second flow in one location" : "is assigned twice in one transition");
    return HYS_OK;
  }
  if (!flow && !p->controlled)
    hysi_report_node(w->document, HYS_WARNING, at,
                     "`%s' is assigned in component `%s', which does not control it", p->name,
                     w->component->id);
  *(row.op == HYS_EXPR_EQ ? &w->equation[row.param] : &w->bound[row.param]) = w->serial;
  grown = hysi_grow(w->document->arena, t->row, t->n_rows, &t->rows_capacity, sizeof *grown);
  if (grown == NULL)
    return HYS_ERR_MEMORY;
  t->row = grown;
  t->row[t->n_rows++] = row;
  return HYS_OK;
}

static bool is_relation(const hys_expr_node *k) {
  return k->op >= HYS_EXPR_LT && k->op <= HYS_EXPR_ASSIGN;
}

/* A comparison about one primed variable that stands alone on a side.  false: it is none. */
static bool primed_row(const hysi_text_tree *t, uint32_t node, hysi_row *row) {
  const hys_expr_node *k = &t->e.node[node], *a = &t->e.node[k->a], *b = &t->e.node[k->b];

  if (a->op == HYS_EXPR_PRIMED && !has_prime(&t->e, k->b))
    *row = (hysi_row){.param = a->a, .op = k->op, .rhs = k->b, .node = node};
  else if (b->op == HYS_EXPR_PRIMED && !has_prime(&t->e, k->a))
    *row = (hysi_row){.param = b->a, .op = mirrored(k->op), .rhs = k->a, .node = node};
  else
    return false;
  return true;
}

static hys_status take_flow(work *w, hysi_text_tree *t, uint32_t node) {
  const hys_expr_node *k = &t->e.node[node];
  hysi_row row;
  uint32_t *grown;

  if (k->op == HYS_EXPR_TRUE || k->op == HYS_EXPR_FALSE)
    return HYS_OK; /* false: the caller looks for it */
  if (!is_relation(k) || k->op == HYS_EXPR_NE) {
    refuse(w, t, node, "a flow is a conjunction of equations x' == e; this is not read");
    return HYS_OK;
  }
  if (primed_row(t, node, &row))
    return add_row(w, t, row, true);
  if (has_prime(&t->e, k->a) || has_prime(&t->e, k->b)) {
    refuse(w, t, node, "a derivative must stand alone on one side: x' == e, without primes in e");
    return HYS_OK;
  }
  hysi_report_node(
      w->document, HYS_WARNING, k,
      "without a prime this says nothing of a derivative: it is read as a condition that always holds here");
  grown = hysi_grow(w->document->arena, t->algebraic, t->n_algebraic, &t->algebraic_capacity, sizeof *grown);
  if (grown == NULL)
    return HYS_ERR_MEMORY;
  t->algebraic = grown;
  t->algebraic[t->n_algebraic++] = node;
  return HYS_OK;
}

static hys_status take_assignment(work *w, hysi_text_tree *t, uint32_t node) {
  const hys_expr_node *k = &t->e.node[node];
  const hys_expr_node *a;
  hysi_row row;

  if (k->op == HYS_EXPR_TRUE)
    return HYS_OK;
  if (!is_relation(k) || k->op == HYS_EXPR_NE) {
    refuse(w, t, node, "an assignment is a conjunction of x := e and bounds of x'; this is not read");
    return HYS_OK;
  }
  a = &t->e.node[k->a];
  if (k->op == HYS_EXPR_ASSIGN ||
      (k->op == HYS_EXPR_EQ && a->op == HYS_EXPR_VARIABLE && !has_prime(&t->e, k->b))) {
    if (a->op != HYS_EXPR_VARIABLE && a->op != HYS_EXPR_PRIMED)
      refuse(w, t, node, "on the left of an assignment stands one variable");
    else if (has_prime(&t->e, k->b))
      refuse(w, t, node, "the right side of an assignment speaks of the values before the jump: no primes");
    else
      return add_row(w, t, (hysi_row){.param = a->a, .op = HYS_EXPR_EQ, .rhs = k->b, .node = node}, false);
    return HYS_OK;
  }
  if (primed_row(t, node, &row))
    return add_row(w, t, row, false);
  if (has_prime(&t->e, k->a) || has_prime(&t->e, k->b))
    refuse(w, t, node, "a primed variable must stand alone on one side: x' <= e, without primes in e");
  else
    refuse(w, t, node,
           "this assigns nothing: the value after the jump is written x'; a condition belongs to the guard");
  return HYS_OK;
}

/* ---- locations and transitions ---- */

static const char *element_name(work *w, const char *what, const char *name) {
  const size_t size = strlen(what) + strlen(name) + strlen(w->component->id) + sizeof "component , ";
  char *text = hys_arena_alloc(w->document->arena, size, 1);

  if (text != NULL)
    snprintf(text, size, "component %s, %s%s", w->component->id, what, name);
  return text;
}

static hys_status parse_location(work *w, hysi_model_location *l) {
  hys_status status;

  w->element = element_name(w, "location ", l->name);
  status = parse(w, &l->invariant, HYSI_WANT_FORMULA);
  if (status == HYS_OK)
    status = parse(w, &l->flow, HYSI_WANT_FLOW);
  if (status != HYS_OK || l->flow.e.n == 0)
    return status;
  w->serial++;
  for (uint32_t i = 0; i < l->flow.e.n; i++) {
    /* a negation or a disjunction with it is refused below */
    if (l->flow.e.node[i].op == HYS_EXPR_FALSE)
      l->urgent = true;
  }
  return conjuncts(w, &l->flow, take_flow);
}

static hys_status parse_transition(work *w, hysi_transition *t) {
  hys_status status;

  w->element = element_name(w, "transition from ",
                            t->source != HYSI_NONE ? w->component->location[t->source].name : "?");
  status = parse(w, &t->guard, HYSI_WANT_FORMULA);
  if (status == HYS_OK)
    status = parse(w, &t->assignment, HYSI_WANT_ASSIGNMENT);
  if (status != HYS_OK || t->assignment.e.n == 0)
    return status;
  w->serial++;
  return conjuncts(w, &t->assignment, take_assignment);
}

/* ---- maps ---- */

static hysi_name no_variable(void *context, const char *name, size_t length, bool primed,
                             const hys_diagnostic *where) {
  work *w = context;

  (void)primed;
  hys_diagnostics_add(w->document->diagnostics, where,
                      "`%.*s' in an expression: a map's value is a name, or an expression of numbers",
                      (int)(length > 64 ? 64 : length), name);
  return (hysi_name){.kind = HYSI_NAME_UNKNOWN};
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static hys_status map_number(work *w, hysi_map *m, const hysi_param *key) {
  const hysi_expr_names names = {.context = w, .variable = no_variable};
  const hysi_expr_source source = {.file = w->document->file,
                                   .element = "map",
                                   .text = m->at->text.bytes,
                                   .length = m->at->text.length,
                                   .place = place_in_text,
                                   .place_context = &m->at->text};
  hys_interval *scratch;
  uint32_t fault = 0;
  hys_expr e;
  hys_status status =
      hysi_expr_parse(&e, &source, &names, HYSI_WANT_NUMBER, w->document->arena, w->document->diagnostics);

  if (status != HYS_OK || key->label) {
    m->key = HYSI_NONE;
    if (status == HYS_OK)
      hysi_report(w->document, HYS_ERROR, m->at, "label `%s' is mapped to a number", key->name);
    return status == HYS_ERR_INPUT ? HYS_OK : status;
  }
  scratch = hys_arena_alloc(w->document->arena, e.n, sizeof *scratch);
  if (scratch == NULL)
    return HYS_ERR_MEMORY;
  status = hys_expr_affine(&e, e.n - 1, 0, NULL, &m->value, scratch, &fault);
  if (status != HYS_OK) {
    hysi_report_node(w->document, HYS_ERROR, &e.node[fault], "this has no finite value");
    m->key = HYSI_NONE;
  }
  m->number = e;
  return HYS_OK;
}

static hys_status map_value(work *w, hysi_map *m, const hysi_param *key) {
  const hysi_xml_text *text = &m->at->text;
  hysi_component *c = w->component;
  hys_diagnostic where = {.severity = HYS_ERROR, .file = w->document->file, .element = "map"};
  size_t from = 0, to = text->length;
  const hysi_param *p;
  char name[HYS_XML_MAX_NAME + 1];

  while (from < to && is_blank(text->bytes[from]))
    from++;
  while (to > from && is_blank(text->bytes[to - 1]))
    to--;
  hysi_xml_place(text, from, &where.line, &where.column);
  if (from == to) {
    hysi_report(w->document, HYS_ERROR, m->at, "the map of `%s' has no value", key->name);
    m->key = HYSI_NONE;
    return HYS_OK;
  }
  if (!hysi_is_name(text->bytes + from, to - from, true))
    return map_number(w, m, key);
  snprintf(name, sizeof name, "%.*s", (int)(to - from > HYS_XML_MAX_NAME ? HYS_XML_MAX_NAME : to - from),
           text->bytes + from);
  m->parent = hysi_names_get(&c->param_names, text->bytes + from, to - from);
  if (m->parent == HYSI_NO_NAME) {
    hys_diagnostics_add(w->document->diagnostics, &where, "`%s' is not declared in component `%s'%s", name,
                        c->id, suggestion(w, name));
    m->key = HYSI_NONE;
    return HYS_OK;
  }
  p = &c->param[m->parent];
  c->param[m->parent].used = true;
  if (p->label != key->label) {
    hys_diagnostics_add(w->document->diagnostics, &where, "`%s' is a %s, but `%s' of component `%s' is a %s",
                        name, p->label ? "label" : "variable", key->name,
                        w->document->component[w->bind->component].id, key->label ? "label" : "variable");
    m->key = HYSI_NONE;
  } else if (key->constant && !p->constant) {
    hys_diagnostics_add(w->document->diagnostics, &where,
                        "`%s' may change, but `%s' of component `%s' is a constant", name, key->name,
                        w->document->component[w->bind->component].id);
    m->key = HYSI_NONE;
  }
  return HYS_OK;
}

static hys_status parse_map(work *w, hysi_map *m) {
  hysi_component *child = &w->document->component[w->bind->component];
  const char *key = hysi_attribute(m->at, "key");
  const char **candidate;
  uint32_t k;

  if (key == NULL || key[0] == '\0') {
    hysi_report_value(w->document, HYS_ERROR, m->at, "key", "<map> needs the attribute `key'");
    return HYS_OK;
  }
  k = hysi_names_get(&child->param_names, key, strlen(key));
  if (k == HYSI_NO_NAME) {
    const uint32_t n = hysi_diagnostics_full(w->document->diagnostics) ? 0 : child->n_params;
    candidate = hys_arena_alloc(w->document->arena, n, sizeof *candidate);
    if (candidate == NULL)
      return HYS_ERR_MEMORY;
    for (uint32_t i = 0; i < n; i++)
      candidate[i] = child->param[i].name;
    hysi_report_value(w->document, HYS_ERROR, m->at, "key", "`%s' is not a parameter of component `%s'%s",
                      key, child->id, hysi_did_you_mean(w->document, key, candidate, n));
    return HYS_OK;
  }
  if (child->param[k].local) {
    hysi_report_value(w->document, HYS_ERROR, m->at, "key",
                      "`%s' is local to component `%s': it cannot be mapped", key, child->id);
    return HYS_OK;
  }
  if (child->param[k].mapped_in == w->bind) {
    hysi_report_value(w->document, HYS_ERROR, m->at, "key", "`%s' is mapped twice in one bind", key);
    return HYS_OK;
  }
  child->param[k].mapped_in = w->bind;
  m->key = k;
  return map_value(w, m, &child->param[k]);
}

static hys_status parse_bind(work *w, hysi_bind *b) {
  const hysi_component *child;

  if (b->component_name == NULL)
    return HYS_OK;
  b->component = hysi_names_get(&w->document->ids, b->component_name, strlen(b->component_name));
  if (b->component == HYSI_NO_NAME) {
    hysi_document *d = w->document;
    if (d->listed == NULL) {
      d->listed = hys_arena_alloc(d->arena, d->n_components, sizeof *d->listed);
      if (d->listed == NULL)
        return HYS_ERR_MEMORY;
      for (uint32_t i = 0; i < d->n_components; i++)
        d->listed[i] = d->component[i].id;
    }
    hysi_report_value(w->document, HYS_ERROR, b->at, "component",
                      "component `%s' is not in the file; the instance is left out%s", b->component_name,
                      hysi_did_you_mean(d, b->component_name, d->listed, d->n_components));
    for (uint32_t i = 0; i < b->n_maps; i++)
      b->map[i].key = HYSI_NONE;
    return HYS_OK;
  }
  w->bind = b;
  w->document->component[b->component].bound = true;
  child = &w->document->component[b->component];
  w->document->parts += child->n_params;
  if (w->document->parts > HYS_MAX_PARTS) {
    hysi_report(w->document, HYS_ERROR, b->at,
                "more than %d parameters, locations and transitions of instances (HYS_MAX_PARTS)",
                HYS_MAX_PARTS);
    return HYS_ERR_LIMIT;
  }
  for (uint32_t i = 0; i < b->n_maps; i++) {
    const hys_status status = parse_map(w, &b->map[i]);
    if (status != HYS_OK)
      return status;
  }
  for (uint32_t i = 0; i < child->n_params; i++) {
    if (!child->param[i].local && child->param[i].mapped_in != b)
      hysi_report(w->document, HYS_ERROR, b->at, "`%s' of component `%s' is not mapped", child->param[i].name,
                  child->id);
  }
  return HYS_OK;
}

static hys_status parse_binds(work *w) {
  hysi_component *c = w->component;
  hysi_names as = {.arena = w->document->arena};

  for (uint32_t i = 0; i < c->n_binds; i++) {
    hysi_bind *b = &c->bind[i];
    hys_status status;
    if (b->as != NULL && hysi_names_get(&as, b->as, strlen(b->as)) != HYSI_NO_NAME)
      hysi_report_value(w->document, HYS_ERROR, b->at, "as",
                        "a second instance with as=\"%s\" in component `%s'", b->as, c->id);
    if (b->as != NULL && !hysi_names_set(&as, b->as, strlen(b->as), i))
      return HYS_ERR_MEMORY;
    status = parse_bind(w, b);
    if (status != HYS_OK)
      return status;
  }
  return HYS_OK;
}

static void warn_unused(const hysi_document *d, const hysi_component *c) {
  for (uint32_t i = 0; i < c->n_params; i++) {
    const hysi_param *p = &c->param[i];
    if (p->used)
      continue;
    if (!p->label)
      hysi_report(d, HYS_WARNING, p->at, "`%s' is declared and never used", p->name);
    else if (c->n_locations > 0)
      hysi_report(d, HYS_WARNING, p->at,
                  "label `%s' is declared, but no transition has it: it blocks everyone who shares it",
                  p->name);
  }
}

hys_status hysi_component_parse(hysi_document *d, hysi_component *c) {
  work w = {.document = d, .component = c};
  hys_status status = HYS_OK;

  w.equation = hys_arena_alloc(d->arena, c->n_params, sizeof *w.equation);
  w.bound = hys_arena_alloc(d->arena, c->n_params, sizeof *w.bound);
  if (w.equation == NULL || w.bound == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t i = 0; i < c->n_locations && status == HYS_OK; i++)
    status = parse_location(&w, &c->location[i]);
  for (uint32_t i = 0; i < c->n_transitions && status == HYS_OK; i++)
    status = parse_transition(&w, &c->transition[i]);
  if (status == HYS_OK)
    status = parse_binds(&w);
  if (status == HYS_OK && !c->refused)
    warn_unused(d, c);
  return status;
}
