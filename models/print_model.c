/* The product as one base component. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "models/print_private.h"

/* What a location or a transition says, over flattened names; NULL: nothing. */
typedef struct location_text {
  const char *invariant, *flow;
} location_text;
typedef struct transition_text {
  const char *label; /* that nobody declares */
  const char *guard, *assignment;
} transition_text;

typedef struct printing {
  const hys_model *model;
  const hysi_network *network;
  hysi_document document;
  hys_arena *arena;
  hysi_product product;
  hysi_jumps jumps;
  hysi_names taken;         /* flattened names of variables and labels */
  location_text **location; /* per base instance */
  transition_text **transition;
  uint32_t *speaking; /* base instances with an invariant or a flow somewhere */
  uint32_t n_speaking;
  bool always_urgent; /* some instance lets no time pass anywhere */
  uint32_t *part;     /* scratch: one a base instance */
  uint64_t elements;
  uint64_t longest; /* text of an element */
  hysi_out *out;
} printing;

/* ---- names that nobody declares ---- */

typedef struct speaker {
  printing *p;
  const hysi_instance *instance;
} speaker;

/* The name with the path of its instance, so that it is declared by nobody still. */
static const char *undeclared(void *context, const char *name, size_t length) {
  const speaker *s = context;
  const char *path = s->instance->path;
  const size_t size = strlen(path) + length + 8;
  char *text = hys_arena_alloc(s->p->arena, size, 1);
  size_t used;

  if (text == NULL)
    return NULL;
  snprintf(text, size, "%s%s%.*s", path, path[0] != '\0' ? "." : "", (int)length, name);
  for (used = strlen(text); hysi_names_get(&s->p->taken, text, used) != HYSI_NO_NAME; used++) {
    char *longer = hys_arena_alloc(s->p->arena, used + 2, 1);
    if (longer == NULL)
      return NULL;
    memcpy(longer, text, used);
    longer[used] = '_';
    text = longer;
  }
  return text;
}

static hys_status check_name(printing *p, const char *name, const hysi_xml_element *at, bool *good) {
  if (strlen(name) > HYS_XML_MAX_NAME) {
    hysi_report(
        &p->document, HYS_ERROR, at,
        "the flattened name `%.40s...' has more than %d bytes (HYS_XML_MAX_NAME): nobody could read it", name,
        HYS_XML_MAX_NAME);
    *good = false;
  }
  return hysi_names_set(&p->taken, name, strlen(name), 0) ? HYS_OK : HYS_ERR_MEMORY;
}

static hys_status check_names(printing *p, bool *good) {
  hys_status status = HYS_OK;

  p->taken.arena = p->arena;
  for (uint32_t v = 0; v < p->network->n_variables && status == HYS_OK; v++)
    status = check_name(p, p->network->variable[v].name, p->network->variable[v].param->at, good);
  for (uint32_t l = 0; l < p->network->n_labels && status == HYS_OK; l++)
    status = check_name(p, p->network->label[l].name, p->network->system->at, good);
  return status;
}

/* ---- what each instance says ---- */

static hys_status text_of(printing *p, const hysi_instance *i, const hysi_text_tree *t, const char **out) {
  speaker s = {p, i};
  const hysi_rename names = {p->network, i, undeclared, &s};
  const hys_expr e = {t->e.node, t->e.n > 0 ? t->e.n : t->written};

  *out = NULL;
  return e.n > 0 ? hysi_formula_text(&names, &e, e.n - 1, true, p->arena, out) : HYS_OK;
}

static hys_status private_label(printing *p, const hysi_instance *i, const hysi_transition *t,
                                const char **out) {
  speaker s = {p, i};

  for (const hysi_xml_element *k = t->at->first; k != NULL; k = k->next) {
    const char *text = k->text.bytes;
    if (strcasecmp(k->name, "label") != 0)
      continue;
    text += strspn(text, " \t\r\n");
    *out = undeclared(&s, text, strcspn(text, " \t\r\n"));
    return *out != NULL ? HYS_OK : HYS_ERR_MEMORY;
  }
  return HYS_OK;
}

static hys_status texts_of(printing *p, uint32_t b) {
  const hysi_instance *i = hysi_base(p->network, b);
  const hysi_component *c = i->component;
  location_text *l = hys_arena_alloc(p->arena, c->n_locations, sizeof *l);
  transition_text *t = hys_arena_alloc(p->arena, c->n_transitions, sizeof *t);
  bool speaks = false, urgent = true;
  hys_status status = HYS_OK;

  if (l == NULL || t == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t k = 0; k < c->n_locations && status == HYS_OK; k++) {
    status = text_of(p, i, &c->location[k].invariant, &l[k].invariant);
    if (status == HYS_OK)
      status = text_of(p, i, &c->location[k].flow, &l[k].flow);
    speaks = speaks || l[k].invariant != NULL || l[k].flow != NULL;
    urgent = urgent && c->location[k].urgent;
  }
  for (uint32_t k = 0; k < c->n_transitions && status == HYS_OK; k++) {
    status = text_of(p, i, &c->transition[k].guard, &t[k].guard);
    if (status == HYS_OK)
      status = text_of(p, i, &c->transition[k].assignment, &t[k].assignment);
    if (status == HYS_OK && c->transition[k].label == HYSI_PRIVATE_LABEL)
      status = private_label(p, i, &c->transition[k], &t[k].label);
  }
  if (speaks)
    p->speaking[p->n_speaking++] = b;
  p->always_urgent = p->always_urgent || urgent;
  p->location[b] = l;
  p->transition[b] = t;
  return status;
}

static hys_status gather(printing *p) {
  const uint32_t n = p->network->n_base;
  bool good = true;
  hys_status status = check_names(p, &good);

  if (status == HYS_OK && !good)
    return HYS_ERR_LIMIT;
  if (status == HYS_OK)
    status = hysi_jumps_open(&p->jumps, p->network, p->arena);
  if (status == HYS_OK)
    status = hysi_jumps_check(&p->jumps, &p->document, &good);
  if (status != HYS_OK || !good)
    return status == HYS_OK ? HYS_ERR_UNSUPPORTED : status;
  p->location = hys_arena_alloc(p->arena, n, sizeof *p->location);
  p->transition = hys_arena_alloc(p->arena, n, sizeof *p->transition);
  p->speaking = hys_arena_alloc(p->arena, n, sizeof *p->speaking);
  p->part = hys_arena_alloc(p->arena, n, sizeof *p->part);
  if (p->location == NULL || p->transition == NULL || p->speaking == NULL || p->part == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t b = 0; b < n && status == HYS_OK; b++)
    status = texts_of(p, b);
  return status;
}

/* ---- elements ---- */

/* An element whose text is a conjunction: begun with the first part. */
typedef struct conjunction {
  printing *p;
  const char *tag;
  uint64_t from; /* output before the text */
  bool open;
} conjunction;

static void add(conjunction *c, const char *text) {
  hysi_out *out = c->p->out;

  if (text == NULL)
    return;
  if (c->open) {
    hysi_put(out, " &amp; ");
  } else {
    c->p->elements++;
    hysi_put(out, "      <");
    hysi_put(out, c->tag);
    hysi_put(out, ">");
    c->from = out->bytes;
    c->open = true;
  }
  hysi_put_xml(out, text);
}

static void end(conjunction *c) {
  hysi_out *out = c->p->out;

  if (!c->open)
    return;
  if (out->bytes - c->from > c->p->longest)
    c->p->longest = out->bytes - c->from;
  hysi_put(out, "</");
  hysi_put(out, c->tag);
  hysi_put(out, ">\n");
}

static void attribute(hysi_out *out, const char *name, const char *value) {
  hysi_put(out, " ");
  hysi_put(out, name);
  hysi_put(out, "=\"");
  hysi_put_xml(out, value);
  hysi_put(out, "\"");
}

/* Whether variables may keep their units: 1 has none, so that a bind which gave one to a parameter with a
 * unit would leave formulas in which units do not match. */
static bool units_stay(const hysi_network *n) {
  for (uint32_t b = 0; b < n->n_base; b++) {
    const hysi_instance *i = hysi_base(n, b);
    for (uint32_t k = 0; k < i->component->n_params; k++)
      if (i->component->param[k].unit != NULL && i->binding[k].kind == HYSI_BOUND_NUMBER &&
          fabs(i->binding[k].value.lo) == 1.0 && fabs(i->binding[k].value.hi) == 1.0)
        return false;
  }
  return true;
}

/* The note of a parameter, with its unit. */
static void put_param_note(printing *p, const hysi_variable *x) {
  const char *text = "";

  for (const hysi_xml_element *k = x->param->at->first; k != NULL; k = k->next)
    if (strcasecmp(k->name, "note") == 0)
      text = k->text.bytes;
  if (text[0] == '\0' && x->unit == NULL) {
    hysi_put(p->out, "/>\n");
    return;
  }
  p->elements++;
  hysi_put(p->out, "><note>");
  hysi_put_xml(p->out, text);
  if (x->unit != NULL && x->param->unit == NULL) {
    hysi_put(p->out, text[0] != '\0' ? " [" : "[");
    hysi_put_xml(p->out, x->unit);
    hysi_put(p->out, "]");
  }
  hysi_put(p->out, "</note></param>\n");
}

static void put_params(printing *p) {
  const bool notes = units_stay(p->network);
  hysi_out *out = p->out;

  for (uint32_t v = 0; v < p->network->n_variables && !out->failed; v++) {
    const hysi_variable *x = &p->network->variable[v];
    hysi_put(out, "    <param");
    attribute(out, "name", x->name);
    attribute(out, "type", "real");
    attribute(out, "local", x->param->local ? "true" : "false");
    attribute(out, "d1", "1");
    attribute(out, "d2", "1");
    attribute(out, "dynamics", x->param->constant ? "const" : "any");
    attribute(out, "controlled", x->controlled ? "true" : "false");
    if (notes)
      put_param_note(p, x);
    else
      hysi_put(out, "/>\n");
  }
  for (uint32_t l = 0; l < p->network->n_labels && !out->failed; l++) {
    hysi_put(out, "    <param");
    attribute(out, "name", p->network->label[l].name);
    attribute(out, "type", "label");
    attribute(out, "local", p->network->label[l].local ? "true" : "false");
    hysi_put(out, "/>\n");
  }
  p->elements += (uint64_t)p->network->n_variables + p->network->n_labels;
}

/* What the location's number stands for. */
static void put_note(printing *p, const uint32_t *part) {
  hysi_out *out = p->out;

  p->elements++;
  hysi_put(out, "      <note>");
  for (uint32_t k = 0; k < p->product.n_active; k++) {
    const hysi_instance *i = hysi_base(p->network, p->product.active[k]);
    hysi_put(out, k > 0 ? "; " : "");
    hysi_put_xml(out, i->path);
    hysi_put(out, i->path[0] != '\0' ? "=" : "");
    hysi_put_xml(out, i->component->location[part[p->product.active[k]]].name);
  }
  hysi_put(out, "</note>\n");
}

static void put_flow(printing *p, const uint32_t *part) {
  conjunction flow = {.p = p, .tag = "flow"};
  bool urgent = false;

  for (uint32_t k = 0; k < p->n_speaking; k++) {
    const uint32_t b = p->speaking[k];
    const char *text = p->location[b][part[b]].flow;
    if (!hysi_base(p->network, b)->component->location[part[b]].urgent)
      continue;
    /* once is enough; with it may stand what is said nowhere else */
    if (!urgent || strcmp(text, "false") != 0)
      add(&flow, text);
    urgent = true;
  }
  for (uint32_t k = 0; k < p->n_speaking; k++) {
    const uint32_t b = p->speaking[k];
    if (hysi_base(p->network, b)->component->location[part[b]].urgent)
      continue;
    if (!urgent || p->always_urgent)
      add(&flow, p->location[b][part[b]].flow);
  }
  end(&flow);
}

static void put_locations(printing *p) {
  hysi_out *out = p->out;
  char name[HYSI_LOCATION_NAME];
  uint64_t id = 1;

  memset(p->part, 0, p->network->n_base * sizeof *p->part);
  do {
    conjunction invariant = {.p = p, .tag = "invariant"};
    hysi_product_name(&p->product, p->part, name);
    p->elements++;
    hysi_put(out, "    <location id=\"");
    hysi_put_number(out, id++);
    hysi_put(out, "\"");
    attribute(out, "name", name);
    hysi_put(out, ">\n");
    if (p->product.numbered)
      put_note(p, p->part);
    for (uint32_t k = 0; k < p->n_speaking; k++)
      add(&invariant, p->location[p->speaking[k]][p->part[p->speaking[k]]].invariant);
    end(&invariant);
    put_flow(p, p->part);
    hysi_put(out, "    </location>\n");
  } while (hysi_product_next(&p->product, p->part) && !out->failed);
}

/* ---- jumps ---- */

/* Instances that jump together, and the transitions that each may take. */
typedef struct together {
  uint32_t n;
  uint32_t *base, *count;
  const uint32_t **choice;
  const char *label; /* NULL: each transition's own, if it has one */
  /* a wheel for each of them, then one for each other instance with a choice of location */
  uint32_t n_wheels, *wheel, *wheel_base;
  uint32_t *member, serial; /* per base instance: of the last group it was in */
} together;

static hys_status open_together(printing *p, together *g) {
  const size_t most = (size_t)p->network->n_base + p->product.n_active;

  *g = (together){.n = 0};
  g->base = hys_arena_alloc(p->arena, p->network->n_base, sizeof *g->base);
  g->count = hys_arena_alloc(p->arena, p->network->n_base, sizeof *g->count);
  g->choice = hys_arena_alloc(p->arena, p->network->n_base, sizeof *g->choice);
  g->wheel = hys_arena_alloc(p->arena, most, sizeof *g->wheel);
  g->wheel_base = hys_arena_alloc(p->arena, most, sizeof *g->wheel_base);
  g->member = hys_arena_alloc(p->arena, p->network->n_base, sizeof *g->member);
  return g->base != NULL && g->count != NULL && g->choice != NULL && g->wheel != NULL &&
                 g->wheel_base != NULL && g->member != NULL
             ? HYS_OK
             : HYS_ERR_MEMORY;
}

static uint32_t wheel_size(const printing *p, const together *g, uint32_t w) {
  return w < g->n ? g->count[w] : hysi_base(p->network, g->wheel_base[w])->component->n_locations;
}

static void put_jump(printing *p, const together *g) {
  conjunction label = {.p = p, .tag = "label"}, guard = {.p = p, .tag = "guard"},
              assignment = {.p = p, .tag = "assignment"};
  uint64_t source = 1, target = 1;

  for (uint32_t w = 0; w < g->n_wheels; w++) {
    const uint32_t b = g->wheel_base[w];
    uint32_t from = g->wheel[w], to = g->wheel[w];
    if (w < g->n) {
      const hysi_transition *t = &hysi_base(p->network, b)->component->transition[g->choice[w][g->wheel[w]]];
      from = t->source;
      to = t->target;
    }
    source += p->product.stride[b] * from;
    target += p->product.stride[b] * to;
  }
  p->elements++;
  hysi_put(p->out, "    <transition source=\"");
  hysi_put_number(p->out, source);
  hysi_put(p->out, "\" target=\"");
  hysi_put_number(p->out, target);
  hysi_put(p->out, "\">\n");
  add(&label, g->label != NULL ? g->label : p->transition[g->base[0]][g->choice[0][g->wheel[0]]].label);
  end(&label);
  for (uint32_t w = 0; w < g->n; w++)
    add(&guard, p->transition[g->base[w]][g->choice[w][g->wheel[w]]].guard);
  end(&guard);
  for (uint32_t w = 0; w < g->n; w++)
    add(&assignment, p->transition[g->base[w]][g->choice[w][g->wheel[w]]].assignment);
  end(&assignment);
  hysi_put(p->out, "    </transition>\n");
}

/* All ways in which they jump, from all locations of the others. */
static void put_together(printing *p, together *g) {
  g->serial++;
  g->n_wheels = 0;
  for (uint32_t w = 0; w < g->n; w++) {
    if (g->count[w] == 0)
      return;
    g->member[g->base[w]] = g->serial;
    g->wheel_base[g->n_wheels++] = g->base[w];
  }
  for (uint32_t k = 0; k < p->product.n_active; k++)
    if (g->member[p->product.active[k]] != g->serial)
      g->wheel_base[g->n_wheels++] = p->product.active[k];
  memset(g->wheel, 0, g->n_wheels * sizeof *g->wheel);
  for (bool more = g->n > 0; more && !p->out->failed;) {
    put_jump(p, g);
    more = false;
    for (uint32_t w = g->n_wheels; w > 0 && !more; w--) {
      more = ++g->wheel[w - 1] < wheel_size(p, g, w - 1);
      if (!more)
        g->wheel[w - 1] = 0;
    }
  }
}

static void put_jumps(printing *p, together *g) {
  const hysi_network *n = p->network;
  const hysi_jumps *j = &p->jumps;

  for (uint32_t b = 0; b < n->n_base; b++) {
    g->n = 1;
    g->base[0] = b;
    g->choice[0] = j->alone + j->alone_from[b];
    g->count[0] = j->alone_from[b + 1] - j->alone_from[b];
    g->label = NULL;
    put_together(p, g);
  }
  for (uint32_t l = 0; l < n->n_labels; l++) {
    g->n = 0;
    g->label = n->label[l].name;
    for (uint32_t k = n->label[l].first_part; k != HYSI_NONE; k = n->part[k].next) {
      g->base[g->n] = n->part[k].base;
      g->choice[g->n] = j->shared + j->shared_from[k];
      g->count[g->n++] = j->shared_from[k + 1] - j->shared_from[k];
    }
    put_together(p, g);
  }
}

/* ---- the whole ---- */

/* What was printed may be larger than what is read. */
static void warn_large(printing *p) {
  const hysi_document *d = &p->document;
  const hysi_xml_element *at = p->network->system->at;

  if (p->out->bytes > HYS_XML_MAX_BYTES)
    hysi_report(d, HYS_WARNING, at,
                "what was printed has more than %d bytes (HYS_XML_MAX_BYTES): this "
                "version does not read it",
                HYS_XML_MAX_BYTES);
  if (p->elements > HYS_XML_MAX_ELEMENTS)
    hysi_report(d, HYS_WARNING, at,
                "what was printed has more than %d elements (HYS_XML_MAX_ELEMENTS): this "
                "version does not read it",
                HYS_XML_MAX_ELEMENTS);
  if (p->longest > HYS_MAX_EXPR_BYTES)
    hysi_report(d, HYS_WARNING, at,
                "what was printed has a formula of more than %d bytes "
                "(HYS_MAX_EXPR_BYTES): this version does not read it",
                HYS_MAX_EXPR_BYTES);
}

hys_status hys_model_print(const hys_model *model, const hys_model_writer *writer, hys_arena *arena,
                           hys_diagnostics *diagnostics) {
  printing p = {.model = model, .arena = arena};
  together g;
  hys_status status;

  if (model == NULL || writer == NULL || writer->write == NULL || arena == NULL || diagnostics == NULL)
    return HYS_ERR_ARG;
  p.network = &model->network;
  p.document = hysi_document_for(model, diagnostics, arena);
  p.out = hys_arena_alloc(arena, 1, sizeof *p.out);
  if (p.out == NULL)
    return HYS_ERR_MEMORY;
  p.out->to = writer;
  status = hysi_product_open(&p.product, model, arena, diagnostics);
  if (status == HYS_OK)
    status = gather(&p);
  if (status == HYS_OK)
    status = open_together(&p, &g);
  if (status != HYS_OK)
    return status;
  p.elements = 2;
  hysi_put(p.out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<sspaceex xmlns=\"http://www-verimag.imag.fr/xml-namespaces/sspaceex\" version=\"0.2\" "
                  "math=\"SpaceEx\">\n  <component");
  attribute(p.out, "id", p.network->system->id);
  hysi_put(p.out, ">\n");
  put_params(&p);
  put_locations(&p);
  put_jumps(&p, &g);
  hysi_put(p.out, "  </component>\n</sspaceex>\n");
  status = hysi_put_end(p.out);
  if (status == HYS_OK)
    warn_large(&p);
  return status;
}
