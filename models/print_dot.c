/* The components of a system as a graph. */
#include <string.h>
#include <strings.h>

#include "models/print_private.h"

/* What a label shows at most. */
enum { MAX_LINES = 20, MAX_LINE = 120, MAX_INSTANCES = 8 };

typedef struct drawing {
  const hys_model *model;
  const hysi_network *network;
  hys_arena *arena;
  hysi_out *out;
  uint32_t *open, open_capacity; /* scratch of conjuncts */
  uint8_t *scratch;
  bool *mentioned;     /* per base instance: `initially' speaks of its location */
  bool anywhere;       /* those that it does not speak of may begin */
  uint32_t *next;      /* per base instance: the next one of its component; HYSI_NONE */
  uint32_t lines, cut; /* of the label at hand */
} drawing;

/* ---- labels ---- */

/* Inside quotes. */
static void put_quoted(hysi_out *out, const char *text, size_t n) {
  for (size_t i = 0; i < n; i++) {
    switch (text[i]) {
    case '"':
      hysi_put(out, "\\\"");
      break;
    case '\\':
      hysi_put(out, "\\\\");
      break;
    case '\n':
      hysi_put(out, "\\n");
      break;
    case '\r':
      break;
    default:
      hysi_put_bytes(out, text + i, 1);
    }
  }
}

static void put_line(drawing *d, const char *text) {
  const size_t n = strlen(text);
  size_t shown = n > MAX_LINE ? MAX_LINE - 3 : n;

  if (d->lines == MAX_LINES) {
    d->cut++;
    return;
  }
  while (shown < n && shown > 0 && ((unsigned char)text[shown] & 0xC0) == 0x80)
    shown--; /* not inside a character */
  d->lines++;
  put_quoted(d->out, text, shown);
  hysi_put(d->out, shown < n ? "...\\l" : "\\l");
}

static void end_lines(drawing *d) {
  if (d->cut > 0) {
    hysi_put(d->out, "... and ");
    hysi_put_number(d->out, d->cut);
    hysi_put(d->out, " more\\l");
  }
  d->lines = d->cut = 0;
}

/* The conjuncts of a formula, a line each. */
static hys_status put_conjuncts(drawing *d, const hysi_text_tree *t) {
  static const hysi_rename as_written = {.network = NULL};
  const hys_expr e = {t->e.node, t->e.n > 0 ? t->e.n : t->written};
  uint32_t depth = 0;
  hys_status status = HYS_OK;

  if (e.n == 0)
    return HYS_OK;
  d->open = hysi_grow(d->arena, d->open, depth, &d->open_capacity, sizeof *d->open);
  if (d->open == NULL)
    return HYS_ERR_MEMORY;
  d->open[depth++] = e.n - 1;
  while (depth > 0 && status == HYS_OK) {
    const uint32_t node = d->open[--depth];
    const hys_expr_node *k = &e.node[node];
    const char *text = NULL;
    if (k->op == HYS_EXPR_AND && !k->chain) {
      uint32_t *grown = hysi_grow(d->arena, d->open, depth + 1, &d->open_capacity, sizeof *grown);
      if (grown == NULL)
        return HYS_ERR_MEMORY;
      d->open = grown;
      grown[depth++] = k->b;
      grown[depth++] = k->a;
    } else if (d->lines == MAX_LINES) {
      d->cut++;
    } else {
      status = hysi_formula_text(&as_written, &e, node, false, d->arena, &text);
      if (text != NULL)
        put_line(d, text);
    }
  }
  return status;
}

/* ---- components ---- */

static bool begins(drawing *d, uint32_t base, uint32_t location) {
  return d->mentioned[base] ? hysi_may_begin(d->model, base, location, d->scratch) : d->anywhere;
}

static void put_node_name(hysi_out *out, uint32_t component, uint32_t location) {
  hysi_put(out, "c");
  hysi_put_number(out, component);
  hysi_put(out, "_");
  hysi_put_number(out, location);
}

static void put_path(drawing *d, uint32_t base, uint32_t nth) {
  const char *path = hysi_base(d->network, base)->path;

  if (nth > MAX_INSTANCES)
    return;
  hysi_put(d->out, nth > 1 ? ", " : "");
  put_quoted(d->out, path, strlen(path));
}

static void put_more(drawing *d, uint32_t n) {
  if (n <= MAX_INSTANCES)
    return;
  hysi_put(d->out, " and ");
  hysi_put_number(d->out, n - MAX_INSTANCES);
  hysi_put(d->out, " more");
}

static hys_status put_location(drawing *d, uint32_t number, uint32_t first, uint32_t l) {
  const hysi_model_location *x = &hysi_base(d->network, first)->component->location[l];
  uint32_t all = 0, some = 0, nth = 0;
  hys_status status;

  for (uint32_t b = first; b != HYSI_NONE; b = d->next[b]) {
    all++;
    some += begins(d, b, l);
  }
  hysi_put(d->out, "    ");
  put_node_name(d->out, number, l);
  hysi_put(d->out, some > 0 ? " [penwidth=3, label=\"" : " [label=\"");
  put_quoted(d->out, x->name, strlen(x->name));
  hysi_put(d->out, "\\n");
  if (some > 0 && some < all) {
    hysi_put(d->out, "initial in ");
    for (uint32_t b = first; b != HYSI_NONE; b = d->next[b])
      if (begins(d, b, l))
        put_path(d, b, ++nth);
    put_more(d, nth);
    hysi_put(d->out, "\\n");
  }
  status = put_conjuncts(d, &x->invariant);
  if (status == HYS_OK)
    status = put_conjuncts(d, &x->flow);
  end_lines(d);
  hysi_put(d->out, "\"];\n");
  return status;
}

static hys_status put_jump(drawing *d, uint32_t number, const hysi_component *c, const hysi_transition *t) {
  hys_status status;

  hysi_put(d->out, "    ");
  put_node_name(d->out, number, t->source);
  hysi_put(d->out, " -> ");
  put_node_name(d->out, number, t->target);
  hysi_put(d->out, " [label=\"");
  if (t->label == HYSI_PRIVATE_LABEL) {
    for (const hysi_xml_element *k = t->at->first; k != NULL; k = k->next) {
      const char *name = k->text.bytes + strspn(k->text.bytes, " \t\r\n");
      if (strcasecmp(k->name, "label") != 0)
        continue;
      put_quoted(d->out, name, strcspn(name, " \t\r\n"));
      hysi_put(d->out, " (private)\\l");
    }
  } else if (t->label != HYSI_NONE) {
    put_line(d, c->param[t->label].name);
  }
  status = put_conjuncts(d, &t->guard);
  if (status == HYS_OK)
    status = put_conjuncts(d, &t->assignment);
  end_lines(d);
  hysi_put(d->out, "\"];\n");
  return status;
}

static hys_status put_component(drawing *d, uint32_t number, uint32_t first) {
  const hysi_component *c = hysi_base(d->network, first)->component;
  uint32_t n = 0;
  hys_status status = HYS_OK;

  hysi_put(d->out, "  subgraph cluster_");
  hysi_put_number(d->out, number);
  hysi_put(d->out, " {\n    label=\"");
  put_quoted(d->out, c->id, strlen(c->id));
  if (hysi_base(d->network, first)->path[0] != '\0') {
    hysi_put(d->out, d->next[first] == HYSI_NONE ? "\\ninstance " : "\\ninstances ");
    for (uint32_t b = first; b != HYSI_NONE; b = d->next[b])
      put_path(d, b, ++n);
    put_more(d, n);
  }
  hysi_put(d->out, "\";\n");
  for (uint32_t l = 0; l < c->n_locations && status == HYS_OK && !d->out->failed; l++)
    status = put_location(d, number, first, l);
  for (uint32_t t = 0; t < c->n_transitions && status == HYS_OK && !d->out->failed; t++)
    status = put_jump(d, number, c, &c->transition[t]);
  hysi_put(d->out, "  }\n");
  return status;
}

/* ---- the whole ---- */

static hys_status open_drawing(drawing *d, uint32_t **first_of) {
  const hysi_network *n = d->network;
  const hys_expr *e = &d->model->initially;
  uint32_t *last = hys_arena_alloc(d->arena, d->model->document.n_components, sizeof *last);
  uint32_t *first = hys_arena_alloc(d->arena, n->n_base, sizeof *first);

  d->scratch = hys_arena_alloc(d->arena, e->n, 1);
  d->mentioned = hys_arena_alloc(d->arena, n->n_base, sizeof *d->mentioned);
  d->next = hys_arena_alloc(d->arena, n->n_base, sizeof *d->next);
  if (d->scratch == NULL || d->mentioned == NULL || d->next == NULL || last == NULL || first == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t i = 0; i < e->n; i++)
    if (e->node[i].op == HYS_EXPR_LOCATION)
      d->mentioned[e->node[i].a] = true;
  d->anywhere = hysi_may_begin(d->model, n->n_base, 0, d->scratch); /* an instance that is not there */
  for (uint32_t b = 0; b < n->n_base; b++) {
    const size_t c = (size_t)(hysi_base(n, b)->component - d->model->document.component);
    first[b] = last[c] == 0 ? b : HYSI_NONE;
    if (last[c] > 0)
      d->next[last[c] - 1] = b;
    last[c] = b + 1;
    d->next[b] = HYSI_NONE;
  }
  *first_of = first;
  return HYS_OK;
}

hys_status hys_model_print_dot(const hys_model *model, const hys_model_writer *writer, hys_arena *arena,
                               hys_diagnostics *diagnostics) {
  drawing d = {.model = model, .arena = arena};
  uint32_t *first, number = 0;
  hys_status status;

  if (model == NULL || writer == NULL || writer->write == NULL || arena == NULL || diagnostics == NULL)
    return HYS_ERR_ARG;
  if (model->broken || !model->has_network || model->network.n_base == 0)
    return HYS_ERR_INPUT;
  d.network = &model->network;
  d.out = hys_arena_alloc(arena, 1, sizeof *d.out);
  if (d.out == NULL)
    return HYS_ERR_MEMORY;
  d.out->to = writer;
  status = open_drawing(&d, &first);
  if (status != HYS_OK)
    return status;
  hysi_put(d.out, "digraph \"");
  put_quoted(d.out, d.network->system->id, strlen(d.network->system->id));
  hysi_put(d.out, "\" {\n  node [shape=box, style=rounded];\n");
  for (uint32_t b = 0; b < d.network->n_base && status == HYS_OK && !d.out->failed; b++)
    if (first[b] != HYSI_NONE)
      status = put_component(&d, number++, b);
  hysi_put(d.out, "}\n");
  return status == HYS_OK ? hysi_put_end(d.out) : status;
}
