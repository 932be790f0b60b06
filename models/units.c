#include "models/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "models/expr_parse.h"
#include "models/unit_kind.h"

/* ---- inference ---- */

typedef struct inference {
  const hys_expr *e;
  const hysi_kind *variable; /* one a variable of the tree */
  bool flow;                 /* a primed variable is a derivative */
  const char *file;
  hys_arena *arena;
  hys_diagnostics *said;
  hysi_kind *node;
  bool clash;
} inference;

static const char *written(inference *in, uint32_t node) {
  const char *text = hysi_expr_print(in->e, node, in->arena);
  return text != NULL ? text : "?";
}

__attribute__((format(printf, 3, 4))) static void say(inference *in, uint32_t node, const char *format, ...) {
  const hys_expr_node *k = &in->e->node[node];
  const hys_diagnostic where = {
      .severity = HYS_ERROR, .file = in->file, .line = k->line, .column = k->column};
  char text[400];
  va_list args;

  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  hys_diagnostics_add(in->said, &where, "%s", text);
  in->clash = true;
}

static const char *verb(uint8_t op) {
  switch ((hys_expr_op)op) {
  case HYS_EXPR_ADD:
    return "added";
  case HYS_EXPR_SUB:
    return "subtracted";
  case HYS_EXPR_ASSIGN:
    return "assigned";
  default:
    return "compared";
  }
}

/* Two numbers that have to be of one kind. */
static hysi_kind alike(inference *in, uint32_t node, uint32_t a, uint32_t b) {
  const hysi_kind *x = &in->node[a], *y = &in->node[b];
  hysi_kind out = {.sort = HYSI_ANYTHING};
  char one[120], two[120];

  if (x->sort != HYSI_MEASURED || y->sort != HYSI_MEASURED) {
    if (x->sort == HYSI_MEASURED || y->sort == HYSI_MEASURED)
      out = x->sort == HYSI_MEASURED ? *x : *y;
    else if (x->sort == HYSI_BARE && y->sort == HYSI_BARE)
      out.sort = HYSI_BARE;
    out.text = NULL;
    return out;
  }
  if (!hysi_kind_same_dimension(x, y)) {
    if (x->soft || y->soft) {
      /* the bare number carries the difference */
      if (x->soft && y->soft)
        return out;
      out = x->soft ? *y : *x;
      out.text = NULL;
      return out;
    }
    say(in, node, "units do not match: `%.60s' is in %s, `%.60s' in %s; they cannot be %s", written(in, a),
        hysi_kind_describe(x, one, sizeof one), written(in, b), hysi_kind_describe(y, two, sizeof two),
        verb(in->e->node[node].op));
    return out;
  }
  if (!hysi_kind_same_scale(x, y))
    say(in, node, "units do not match: `%.60s' is in %s, `%.60s' in %s; numbers of a model are not converted",
        written(in, a), hysi_kind_describe(x, one, sizeof one), written(in, b),
        hysi_kind_describe(y, two, sizeof two));
  out = x->soft ? *y : *x;
  if (!out.scaled && x->scaled)
    out = *x;
  out.soft = x->soft && y->soft;
  out.text = NULL;
  return out;
}

static bool is_number(const hys_expr_node *k, double value) {
  return k->op == HYS_EXPR_CONSTANT && k->value.lo == value && k->value.hi == value;
}

/* Product, or quotient (sign -1). */
static hysi_kind product(inference *in, const hys_expr_node *k, int sign) {
  const hysi_kind *x = &in->node[k->a], *y = &in->node[k->b];
  hysi_kind out = {.sort = HYSI_MEASURED, .scaled = true, .scale = 1.0};

  if (x->sort == HYSI_ANYTHING || y->sort == HYSI_ANYTHING)
    return (hysi_kind){.sort = HYSI_ANYTHING};
  if (x->sort == HYSI_BARE && y->sort == HYSI_BARE)
    return (hysi_kind){.sort = HYSI_BARE};
  if (x->sort == HYSI_BARE || y->sort == HYSI_BARE) {
    /* 1 and -1 are pure numbers, and zero adapts; any other may carry a unit */
    const hys_expr_node *bare = &in->e->node[x->sort == HYSI_BARE ? k->a : k->b];
    if (bare->op == HYS_EXPR_NEG)
      bare = &in->e->node[bare->a];
    if (is_number(bare, 0.0))
      return (hysi_kind){.sort = HYSI_BARE};
    out.soft = !is_number(bare, 1.0);
    out.scaled = !out.soft;
  }
  if (x->sort == HYSI_MEASURED && !hysi_kind_multiply(&out, x, HYSI_UNIT_PARTS))
    return (hysi_kind){.sort = HYSI_ANYTHING};
  if (y->sort == HYSI_MEASURED && !hysi_kind_multiply(&out, y, sign * HYSI_UNIT_PARTS))
    return (hysi_kind){.sort = HYSI_ANYTHING};
  return out;
}

/* The value of a node made of written numbers by at most one minus and one division; NaN: it is not. */
static double small_number(const hys_expr *e, uint32_t node) {
  const hys_expr_node *k = &e->node[node];
  double sign = 1.0;

  if (k->op == HYS_EXPR_NEG) {
    sign = -1.0;
    k = &e->node[k->a];
  }
  if (k->op == HYS_EXPR_CONSTANT)
    return sign * hysi_expr_nearest(k);
  if (k->op == HYS_EXPR_DIV && e->node[k->a].op == HYS_EXPR_CONSTANT && e->node[k->b].op == HYS_EXPR_CONSTANT)
    return sign * hysi_expr_nearest(&e->node[k->a]) / hysi_expr_nearest(&e->node[k->b]);
  return (double)NAN;
}

/* An argument that has to be a pure number, an angle in radians. */
static void pure(inference *in, uint32_t node, uint32_t argument, const char *what) {
  const hysi_kind *x = &in->node[argument];
  char text[120];

  if (x->sort != HYSI_MEASURED || x->soft)
    return;
  if (!hysi_kind_is_plain(x) || (x->scaled && fabs(x->scale - 1.0) > 1e-9))
    say(in, node, "units do not match: %s is a number without a unit (an angle is in rad), `%.60s' is in %s",
        what, written(in, argument), hysi_kind_describe(x, text, sizeof text));
}

static hysi_kind power(inference *in, uint32_t node) {
  const hys_expr_node *k = &in->e->node[node];
  const hysi_kind *x = &in->node[k->a];
  const double exponent = small_number(in->e, k->b), parts = exponent * HYSI_UNIT_PARTS;
  hysi_kind out = {.sort = HYSI_MEASURED, .scaled = true, .scale = 1.0};

  pure(in, node, k->b, "an exponent");
  if (x->sort != HYSI_MEASURED)
    return *x;
  if (fabs(parts) <= HYSI_UNIT_MOST && fabs(parts - rint(parts)) < 1e-9 &&
      hysi_kind_multiply(&out, x, (int)rint(parts)))
    return out;
  return (hysi_kind){.sort = HYSI_ANYTHING};
}

static hysi_kind infer(inference *in, uint32_t node) {
  static const hysi_kind rate = {.power = {0, -HYSI_UNIT_PARTS}, .scaled = true, .scale = 1.0};
  static const hysi_kind anything = {.sort = HYSI_ANYTHING},
                         plain = {.sort = HYSI_MEASURED, .scaled = true, .scale = 1.0};
  const hys_expr_node *k = &in->e->node[node];
  hysi_kind out = plain;

  switch ((hys_expr_op)k->op) {
  case HYS_EXPR_CONSTANT:
    return (hysi_kind){.sort = HYSI_BARE};
  case HYS_EXPR_VARIABLE:
    return in->variable[k->a];
  case HYS_EXPR_PRIMED:
    out = in->variable[k->a];
    if (in->flow && out.sort == HYSI_MEASURED && !hysi_kind_multiply(&out, &rate, HYSI_UNIT_PARTS))
      return anything;
    return out;
  case HYS_EXPR_NEG:
  case HYS_EXPR_ABS:
    out = in->node[k->a];
    out.text = NULL;
    return out;
  case HYS_EXPR_ADD:
  case HYS_EXPR_SUB:
  case HYS_EXPR_MIN:
  case HYS_EXPR_MAX:
  case HYS_EXPR_LT:
  case HYS_EXPR_LE:
  case HYS_EXPR_GT:
  case HYS_EXPR_GE:
  case HYS_EXPR_EQ:
  case HYS_EXPR_NE:
  case HYS_EXPR_ASSIGN:
    return alike(in, node, k->a, k->b);
  case HYS_EXPR_MUL:
    return product(in, k, 1);
  case HYS_EXPR_DIV:
    return product(in, k, -1);
  case HYS_EXPR_POW:
    return power(in, node);
  case HYS_EXPR_SQRT:
    if (in->node[k->a].sort != HYSI_MEASURED)
      return in->node[k->a];
    return hysi_kind_multiply(&out, &in->node[k->a], HYSI_UNIT_PARTS / 2) ? out : anything;
  case HYS_EXPR_SIN:
  case HYS_EXPR_COS:
  case HYS_EXPR_TAN:
  case HYS_EXPR_EXP:
  case HYS_EXPR_LOG:
  case HYS_EXPR_TANH:
  case HYS_EXPR_ATAN:
    pure(in, node, k->a, "the argument of a function");
    return plain;
  default:
    return anything;
  }
}

static hys_status run(inference *in) {
  if (in->e->n == 0)
    return HYS_OK;
  in->node = hys_arena_alloc(in->arena, in->e->n, sizeof *in->node);
  if (in->node == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t i = 0; i < in->e->n; i++)
    in->node[i] = infer(in, i);
  return HYS_OK;
}

/* ---- a model ---- */

/* What stands in brackets at the end of a text; NULL: nothing. */
static const char *bracketed(const char *text, size_t length, hys_arena *arena, bool *failed) {
  size_t from;
  const char *out;

  while (length > 0 && strchr(" \t\r\n.", text[length - 1]) != NULL)
    length--;
  if (length == 0 || text[length - 1] != ']')
    return NULL;
  from = --length;
  while (from > 0 && text[from - 1] != '[' && text[from - 1] != ']')
    from--;
  if (from == 0 || text[from - 1] != '[')
    return NULL;
  out = hys_arena_strdup(arena, text + from, length - from);
  *failed = *failed || out == NULL;
  return out;
}

static const hysi_xml_element *note_of(const hysi_xml_element *param) {
  for (const hysi_xml_element *k = param->first; k != NULL; k = k->next)
    if (strcmp(k->name, "note") == 0)
      return k;
  return NULL;
}

static const char *nearest(const hysi_document *d, const char *unit) {
  enum { MOST = 128 };
  const char *name[MOST];
  size_t n = 0;

  for (; n < MOST && hys_unit_at(n) != NULL; n++)
    name[n] = hys_unit_at(n)->name;
  return hysi_did_you_mean(d, unit, name, n);
}

/* The units of a component's parameters, as their notes say.  *any: there is one. */
static hys_status read_notes(hys_model *m, hysi_component *c, bool *any) {
  bool failed = false;

  for (uint32_t p = 0; p < c->n_params; p++) {
    hysi_param *param = &c->param[p];
    const hysi_xml_element *note = note_of(param->at);
    const char *text;
    hysi_kind k;
    if (note == NULL || param->label)
      continue;
    text = bracketed(note->text.bytes, note->text.length, m->document.arena, &failed);
    if (failed)
      return HYS_ERR_MEMORY;
    if (text == NULL)
      continue;
    if (hysi_kind_read(text, strlen(text), &k)) {
      param->unit = text;
      *any = true;
    } else {
      hysi_report(&m->document, HYS_WARNING, note, "`%.60s' is not a unit: `%s' is taken to have none%s",
                  text, param->name, nearest(&m->document, text));
    }
  }
  return HYS_OK;
}

static hysi_kind of_text(const char *unit) {
  hysi_kind k = {.sort = HYSI_ANYTHING};

  if (unit != NULL && hysi_kind_read(unit, strlen(unit), &k))
    k.text = unit;
  return k;
}

/* A parameter and what a bind maps it to have one unit, where both have one. */
static void check_maps(hys_model *m, const hysi_component *c) {
  for (uint32_t b = 0; b < c->n_binds; b++) {
    const hysi_bind *bind = &c->bind[b];
    for (uint32_t i = 0; i < bind->n_maps; i++) {
      const hysi_map *map = &bind->map[i];
      const hysi_param *inner, *outer;
      hysi_kind x, y;
      if (bind->component == HYSI_NONE || map->key == HYSI_NONE || map->parent == HYSI_NONE)
        continue;
      inner = &m->document.component[bind->component].param[map->key];
      outer = &c->param[map->parent];
      if (inner->unit == NULL || outer->unit == NULL)
        continue;
      x = of_text(inner->unit);
      y = of_text(outer->unit);
      if (!hysi_kind_same_dimension(&x, &y) || !hysi_kind_same_scale(&x, &y))
        hysi_report(&m->document, HYS_ERROR, map->at,
                    "units do not match: `%s' of component `%s' is in %s, `%s' in %s", inner->name,
                    m->document.component[bind->component].id, inner->unit, outer->name, outer->unit);
    }
  }
}

/* A variable has the unit of the parameter that declares it, else of the first that has one. */
static void name_variables(hys_model *m) {
  hysi_network *n = &m->network;

  for (uint32_t v = 0; v < n->n_variables; v++)
    n->variable[v].unit = n->variable[v].param->unit;
  for (uint32_t i = 0; i < n->n_instances; i++) {
    const hysi_instance *inst = &n->instance[i];
    for (uint32_t p = 0; p < inst->component->n_params; p++) {
      const hysi_binding *b = &inst->binding[p];
      if (b->kind == HYSI_BOUND_VARIABLE && n->variable[b->index].unit == NULL)
        n->variable[b->index].unit = inst->component->param[p].unit;
    }
  }
}

static hys_status check_text(hys_model *m, const hysi_text_tree *t, const hysi_kind *variable, bool flow) {
  inference in = {.e = &t->e,
                  .variable = variable,
                  .flow = flow,
                  .file = m->document.file,
                  .arena = m->document.arena,
                  .said = m->document.diagnostics};

  return t->unknown ? HYS_OK : run(&in);
}

/* A base component once: its parameters have their own units, or those of what all its instances bind them
 * to. */
static hys_status check_component(hys_model *m, const hysi_component *c, const hysi_kind *variable) {
  hys_status status = HYS_OK;

  for (uint32_t l = 0; l < c->n_locations && status == HYS_OK; l++) {
    status = check_text(m, &c->location[l].invariant, variable, false);
    if (status == HYS_OK)
      status = check_text(m, &c->location[l].flow, variable, true);
  }
  for (uint32_t t = 0; t < c->n_transitions && status == HYS_OK; t++) {
    status = check_text(m, &c->transition[t].guard, variable, false);
    if (status == HYS_OK)
      status = check_text(m, &c->transition[t].assignment, variable, false);
  }
  return status;
}

static hys_status check_components(hys_model *m) {
  const hysi_network *n = &m->network;
  const size_t count = m->document.n_components;
  hysi_kind **seen = hys_arena_alloc(m->document.arena, count, sizeof *seen);

  if (seen == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t b = 0; b < n->n_base; b++) {
    const hysi_instance *inst = hysi_base(n, b);
    const hysi_component *c = inst->component;
    hysi_kind **units = &seen[c - m->document.component];
    const bool first = *units == NULL;
    if (first)
      *units = hys_arena_alloc(m->document.arena, c->n_params, sizeof **units);
    if (*units == NULL)
      return HYS_ERR_MEMORY;
    for (uint32_t p = 0; p < c->n_params; p++) {
      const hysi_binding *bound = &inst->binding[p];
      hysi_kind *k = &(*units)[p], outer = {.sort = HYSI_ANYTHING};
      if (c->param[p].unit != NULL) {
        *k = of_text(c->param[p].unit);
        continue;
      }
      if (bound->kind == HYSI_BOUND_VARIABLE)
        outer = of_text(n->variable[bound->index].unit);
      if (first)
        *k = outer;
      else if (k->sort != outer.sort || !hysi_kind_same_dimension(k, &outer) ||
               !hysi_kind_same_scale(k, &outer))
        k->sort = HYSI_ANYTHING; /* not the same in all instances */
    }
  }
  for (size_t i = 0; i < count; i++) {
    const hysi_component *c = &m->document.component[i];
    hys_status status;
    if (seen[i] == NULL && c->n_locations > 0) { /* nobody binds it: its own notes */
      seen[i] = hys_arena_alloc(m->document.arena, c->n_params, sizeof **seen);
      for (uint32_t p = 0; seen[i] != NULL && p < c->n_params; p++)
        seen[i][p] = of_text(c->param[p].unit);
      if (seen[i] == NULL)
        return HYS_ERR_MEMORY;
    }
    status = seen[i] != NULL ? check_component(m, c, seen[i]) : HYS_OK;
    if (status != HYS_OK)
      return status;
  }
  return HYS_OK;
}

static hys_status check_flat(const hys_model *m, const hys_expr *e, const char *file, const hys_unit *wanted,
                             hys_arena *arena, hys_diagnostics *said) {
  const hysi_network *n = &m->network;
  hysi_kind *variable = hys_arena_alloc(arena, n->n_variables, sizeof *variable);
  inference in = {.e = e, .variable = variable, .file = file, .arena = arena, .said = said};
  hys_status status;

  if (variable == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t v = 0; v < n->n_variables; v++)
    variable[v] = of_text(n->variable[v].unit);
  status = run(&in);
  if (status == HYS_OK && wanted != NULL && e->n > 0) {
    const hysi_kind *got = &in.node[e->n - 1], want = hysi_kind_of_unit(wanted);
    char text[120];
    if (got->sort == HYSI_MEASURED && !got->soft && !hysi_kind_same_dimension(got, &want))
      say(&in, e->n - 1, "units do not match: `%.60s' is in %s, expected %s", written(&in, e->n - 1),
          hysi_kind_describe(got, text, sizeof text), wanted->name);
  }
  return status == HYS_OK && in.clash ? HYS_ERR_INPUT : status;
}

static bool has_units(const hys_model *m) {
  for (uint32_t v = 0; m->has_network && v < m->network.n_variables; v++)
    if (m->network.variable[v].unit != NULL)
      return true;
  return false;
}

hys_status hysi_units_formula(const hys_model *m, const hys_expr *e, const char *file, const hys_unit *wanted,
                              hys_arena *arena, hys_diagnostics *diagnostics) {
  return has_units(m) ? check_flat(m, e, file, wanted, arena, diagnostics) : HYS_OK;
}

hys_status hysi_units_check(hys_model *m) {
  const hys_expr *const sets[] = {&m->initially, &m->forbidden};
  hys_status status = HYS_OK;
  bool any = false;

  for (uint32_t c = 0; c < m->document.n_components && status == HYS_OK; c++)
    status = read_notes(m, &m->document.component[c], &any);
  if (status != HYS_OK || !any)
    return status;
  for (uint32_t c = 0; c < m->document.n_components; c++)
    check_maps(m, &m->document.component[c]);
  name_variables(m);
  status = check_components(m);
  for (size_t i = 0; i < sizeof sets / sizeof sets[0] && status == HYS_OK && m->has_cfg; i++) {
    status = check_flat(m, sets[i], m->cfg.file, NULL, m->document.arena, m->document.diagnostics);
    if (status == HYS_ERR_INPUT)
      status = HYS_OK; /* it is in the diagnostics */
  }
  return status;
}
