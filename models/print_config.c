/* The configuration of the printed product. */
#include <string.h>
#include <strings.h>

#include "models/print_private.h"

/* So many locations are listed; where it is not in more, those are told, so that the formula stays a union of
 * few conjunctions. */
enum { MAX_LISTED = HYS_MAX_DISJUNCTS / 2 };

/* Conditions on locations alone, all of which hold, or one of which does. */
typedef struct group {
  const uint32_t *node;
  uint32_t n;
  bool all;
  uint64_t count; /* of product locations where that is so */
} group;

/* What is still to be written; exactly one of them. */
typedef struct item {
  const char *text;
  const group *locations;
  uint32_t node;
  bool under_and;
} item;

typedef struct writing {
  const hys_model *model;
  hys_arena *arena;
  hysi_product product;
  hysi_out *out;
  const hys_expr *e;
  bool *has, *only;  /* per node: a condition on a location, nothing else */
  uint8_t **allowed; /* per active instance, per location */
  uint32_t *part;
  double *scratch;
  item *stack;
  uint32_t depth, stack_capacity;
  uint32_t *operand, n_operands, operand_capacity; /* of an AND or an OR */
  uint32_t *open, open_capacity;
} writing;

/* ---- sets of locations ---- */

static bool is_literal(const hys_expr *e, uint32_t node, uint32_t *instance, uint32_t *location, bool *is) {
  const hys_expr_node *k = &e->node[node];

  *is = k->op == HYS_EXPR_LOCATION;
  if (k->op == HYS_EXPR_NOT)
    k = &e->node[k->a];
  *instance = k->a;
  *location = k->b;
  return k->op == HYS_EXPR_LOCATION;
}

/* What single conditions allow; the others are left to be looked at. */
static void restrict_parts(writing *w, const group *g) {
  const hysi_network *n = w->product.network;

  for (uint32_t k = 0; k < w->product.n_active; k++)
    memset(w->allowed[k], 1, hysi_base(n, w->product.active[k])->component->n_locations);
  for (uint32_t i = 0; g->all && i < g->n; i++) {
    uint32_t instance, location;
    bool is;
    if (!is_literal(w->e, g->node[i], &instance, &location, &is))
      continue;
    for (uint32_t k = 0; k < w->product.n_active; k++) {
      const uint32_t b = w->product.active[k];
      for (uint32_t l = 0; b == instance && l < hysi_base(n, b)->component->n_locations; l++)
        w->allowed[k][l] = w->allowed[k][l] && (l == location) == is;
    }
  }
}

static bool holds(writing *w, const group *g) {
  bool any = false;

  for (uint32_t i = 0; i < g->n; i++) {
    const bool one = hys_expr_eval_point(w->e, g->node[i], NULL, NULL, w->part, w->scratch) > 0.5;
    if (g->all && !one)
      return false;
    any = any || one;
  }
  return g->all || any;
}

/* Turns a wheel to the next location that is allowed, round and round; false: it came round. */
static bool turn(const writing *w, uint32_t k, bool restricted) {
  const uint32_t b = w->product.active[k];
  const uint32_t count = hysi_base(w->product.network, b)->component->n_locations;

  do
    w->part[b]++;
  while (w->part[b] < count && restricted && !w->allowed[k][w->part[b]]);
  if (w->part[b] < count)
    return true;
  w->part[b] = 0;
  while (restricted && !w->allowed[k][w->part[b]])
    w->part[b]++;
  return false;
}

static bool next(writing *w, bool restricted) {
  for (uint32_t k = w->product.n_active; k > 0; k--)
    if (turn(w, k - 1, restricted))
      return true;
  return false;
}

/* The first location, if there is one. */
static bool start(writing *w, bool restricted) {
  memset(w->part, 0, w->product.network->n_base * sizeof *w->part);
  for (uint32_t k = 0; restricted && k < w->product.n_active; k++) {
    const uint32_t b = w->product.active[k], count = hysi_base(w->product.network, b)->component->n_locations;
    const void *first = memchr(w->allowed[k], 1, count);
    if (first == NULL)
      return false;
    w->part[b] = (uint32_t)((const uint8_t *)first - w->allowed[k]);
  }
  return true;
}

static void count_locations(writing *w, group *g) {
  g->count = 0;
  restrict_parts(w, g);
  for (bool more = start(w, true); more; more = next(w, true))
    g->count += holds(w, g);
}

static void put_locations(writing *w, const group *g, bool under_and) {
  const bool listed = g->count <= MAX_LISTED;
  const bool parentheses = listed && g->count > 1 && under_and;
  char name[HYSI_LOCATION_NAME];
  uint64_t done = 0;

  if (g->count == 0 || g->count == w->product.n) {
    hysi_put(w->out, g->count == 0 ? "false" : "true");
    return;
  }
  restrict_parts(w, g);
  hysi_put(w->out, parentheses ? "(" : "");
  for (bool more = start(w, listed); more && !w->out->failed; more = next(w, listed)) {
    if (holds(w, g) != listed)
      continue;
    hysi_product_name(&w->product, w->part, name);
    hysi_put(w->out, done == 0 ? "" : listed ? " | " : " & ");
    hysi_put(w->out, listed ? "loc()==" : "!(loc()==");
    hysi_put(w->out, name);
    hysi_put(w->out, listed ? "" : ")");
    done++;
  }
  hysi_put(w->out, parentheses ? ")" : "");
}

/* ---- formulas ---- */

static hys_status push(writing *w, item i) {
  item *grown = hysi_grow(w->arena, w->stack, w->depth, &w->stack_capacity, sizeof *grown);

  if (grown == NULL)
    return HYS_ERR_MEMORY;
  w->stack = grown;
  grown[w->depth++] = i;
  return HYS_OK;
}

/* The operands of an AND of ANDs, or an OR of ORs, left to right. */
static hys_status find_operands(writing *w, uint32_t root) {
  const uint8_t op = w->e->node[root].op;
  uint32_t depth = 0;

  w->n_operands = 0;
  w->open = hysi_grow(w->arena, w->open, depth, &w->open_capacity, sizeof *w->open);
  if (w->open == NULL)
    return HYS_ERR_MEMORY;
  w->open[depth++] = root;
  while (depth > 0) {
    const uint32_t node = w->open[--depth];
    const hys_expr_node *k = &w->e->node[node];
    uint32_t *grown;
    if (k->op == op && !k->chain) {
      grown = hysi_grow(w->arena, w->open, depth + 1, &w->open_capacity, sizeof *grown);
      if (grown == NULL)
        return HYS_ERR_MEMORY;
      w->open = grown;
      grown[depth++] = k->b;
      grown[depth++] = k->a;
      continue;
    }
    grown = hysi_grow(w->arena, w->operand, w->n_operands, &w->operand_capacity, sizeof *grown);
    if (grown == NULL)
      return HYS_ERR_MEMORY;
    w->operand = grown;
    grown[w->n_operands++] = node;
  }
  return HYS_OK;
}

/* Those of the operands that speak of locations alone, as one condition. */
static hys_status gather(writing *w, bool all, const group **out) {
  group *g = hys_arena_alloc(w->arena, 1, sizeof *g);
  uint32_t *node = hys_arena_alloc(w->arena, w->n_operands, sizeof *node);

  if (g == NULL || node == NULL)
    return HYS_ERR_MEMORY;
  *g = (group){.node = node, .all = all};
  for (uint32_t i = 0; i < w->n_operands; i++)
    if (w->only[w->operand[i]])
      node[g->n++] = w->operand[i];
  if (g->n > 0)
    count_locations(w, g);
  *out = g;
  return HYS_OK;
}

static hys_status expand(writing *w, uint32_t node, bool under_and) {
  const bool all = w->e->node[node].op == HYS_EXPR_AND;
  const bool parentheses = !all && under_and;
  const group *g;
  hys_status status = find_operands(w, node);
  bool behind = false; /* something stands behind */

  if (status == HYS_OK)
    status = gather(w, all, &g);
  if (status == HYS_OK && parentheses)
    status = push(w, (item){.text = ")"});
  for (uint32_t i = w->n_operands; i > 0 && status == HYS_OK; i--) {
    if (w->only[w->operand[i - 1]])
      continue;
    if (behind)
      status = push(w, (item){.text = all ? " & " : " | "});
    if (status == HYS_OK)
      status = push(w, (item){.node = w->operand[i - 1], .under_and = all});
    behind = true;
  }
  /* what holds everywhere, or nowhere, adds nothing to the others */
  if (status != HYS_OK || g->n == 0 || (behind && g->count == (all ? w->product.n : 0)))
    return status;
  if (behind)
    status = push(w, (item){.text = all ? " & " : " | "});
  return status == HYS_OK ? push(w, (item){.locations = g, .under_and = all && behind}) : status;
}

static hys_status put_node(writing *w, uint32_t node, bool under_and) {
  const hysi_rename names = {.network = w->product.network};
  const hys_expr_node *k = &w->e->node[node];
  const char *text;
  hys_status status;

  if (!w->has[node]) {
    status = hysi_formula_text(&names, w->e, node, under_and, w->arena, &text);
    hysi_put(w->out, status == HYS_OK && text != NULL ? text : "true");
    return status;
  }
  if (w->only[node] && k->op != HYS_EXPR_AND && k->op != HYS_EXPR_OR) {
    group *g = hys_arena_alloc(w->arena, 1, sizeof *g);
    uint32_t *one = hys_arena_alloc(w->arena, 1, sizeof *one);
    if (g == NULL || one == NULL)
      return HYS_ERR_MEMORY;
    *one = node;
    *g = (group){.node = one, .n = 1, .all = true};
    count_locations(w, g);
    put_locations(w, g, under_and);
    return HYS_OK;
  }
  if (k->op != HYS_EXPR_NOT) {
    hysi_put(w->out, k->op == HYS_EXPR_OR && under_and ? "(" : "");
    return expand(w, node, under_and);
  }
  hysi_put(w->out, "!(");
  status = push(w, (item){.text = ")"});
  return status == HYS_OK ? push(w, (item){.node = k->a}) : status;
}

static void find_locations(writing *w) {
  for (uint32_t i = 0; i < w->e->n; i++) {
    const hys_expr_node *k = &w->e->node[i];
    const bool two = k->op == HYS_EXPR_AND || k->op == HYS_EXPR_OR;
    if (two || k->op == HYS_EXPR_NOT) {
      w->has[i] = w->has[k->a] || (two && w->has[k->b]);
      w->only[i] = w->only[k->a] && (!two || w->only[k->b]);
    } else {
      w->has[i] = k->op == HYS_EXPR_LOCATION;
      w->only[i] = w->has[i];
    }
  }
}

static hys_status put_formula(writing *w, const hys_expr *e) {
  hys_status status;

  w->e = e;
  w->has = hys_arena_alloc(w->arena, e->n, sizeof *w->has);
  w->only = hys_arena_alloc(w->arena, e->n, sizeof *w->only);
  w->scratch = hys_arena_alloc(w->arena, e->n, sizeof *w->scratch);
  if (w->has == NULL || w->only == NULL || w->scratch == NULL)
    return HYS_ERR_MEMORY;
  find_locations(w);
  status = push(w, (item){.node = e->n - 1});
  while (w->depth > 0 && status == HYS_OK && !w->out->failed) {
    const item i = w->stack[--w->depth];
    if (i.text != NULL)
      hysi_put(w->out, i.text);
    else if (i.locations != NULL)
      put_locations(w, i.locations, i.under_and);
    else
      status = put_node(w, i.node, i.under_and);
  }
  return status;
}

/* ---- lines ---- */

static bool is_key(const hysi_cfg_value *key, const char *name) {
  return strlen(name) == key->length && strncasecmp(key->text, name, key->length) == 0;
}

static hys_status put_key(writing *w, const char *key, const hys_expr *e) {
  hys_status status = HYS_OK;

  hysi_put(w->out, key);
  hysi_put(w->out, " = \"");
  if (e->n > 0)
    status = put_formula(w, e);
  hysi_put(w->out, "\"\n");
  return status;
}

/* A list of names, each by its flattened one where it has one. */
static void put_variables(writing *w, const hysi_cfg_value *value) {
  const hysi_network *n = w->product.network;

  for (size_t at = 0; at < value->length;) {
    size_t to = at, behind;
    uint32_t v;
    while (at < value->length && strchr(" \t\r\n,", value->text[at]) != NULL)
      at++;
    hysi_put_bytes(w->out, value->text + to, at - to);
    for (to = at; to < value->length && value->text[to] != ','; to++) {
    }
    for (behind = to; behind > at && strchr(" \t\r\n", value->text[behind - 1]) != NULL; behind--) {
    }
    v = hysi_names_get(&n->variable_names, value->text + at, behind - at);
    if (v != HYSI_NO_NAME && v != HYSI_AMBIGUOUS)
      hysi_put(w->out, n->variable[v].name);
    else
      hysi_put_bytes(w->out, value->text + at, behind - at);
    at = behind;
  }
}

static hys_status put_entry(writing *w, const hysi_cfg_entry *e) {
  if (is_key(&e->key, "system"))
    return HYS_OK;
  if (is_key(&e->key, "initially"))
    return put_key(w, "initially", &w->model->initially);
  if (is_key(&e->key, "forbidden"))
    return put_key(w, "forbidden", &w->model->forbidden);
  hysi_put_bytes(w->out, e->key.text, e->key.length);
  hysi_put(w->out, e->quoted ? " = \"" : " = ");
  if (is_key(&e->key, "output-variables"))
    put_variables(w, &e->value);
  else
    hysi_put_bytes(w->out, e->value.text, e->value.length);
  hysi_put(w->out, e->quoted ? "\"\n" : "\n");
  return HYS_OK;
}

/* Of a key that stands twice the last one counts. */
static hys_status put_entries(writing *w) {
  const hysi_cfg *c = &w->model->cfg;
  hysi_names last = {.arena = w->arena};
  hys_status status = HYS_OK;

  for (int pass = 0; pass < 2; pass++) {
    for (uint32_t i = 0; i < c->n_entries && status == HYS_OK; i++) {
      char *key = hys_arena_strdup(w->arena, c->entry[i].key.text, c->entry[i].key.length);
      if (key == NULL)
        return HYS_ERR_MEMORY;
      for (char *k = key; *k != '\0'; k++)
        *k = (char)(*k >= 'A' && *k <= 'Z' ? *k - 'A' + 'a' : *k);
      if (pass == 0 && !hysi_names_set(&last, key, strlen(key), i))
        return HYS_ERR_MEMORY;
      if (pass == 1 && hysi_names_get(&last, key, strlen(key)) == i)
        status = put_entry(w, &c->entry[i]);
    }
  }
  return status;
}

static hys_status open_writing(writing *w, hys_diagnostics *diagnostics) {
  hys_status status = hysi_product_open(&w->product, w->model, w->arena, diagnostics);

  if (status != HYS_OK)
    return status;
  w->allowed = hys_arena_alloc(w->arena, w->product.n_active, sizeof *w->allowed);
  w->part = hys_arena_alloc(w->arena, w->product.network->n_base, sizeof *w->part);
  if (w->allowed == NULL || w->part == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t k = 0; k < w->product.n_active; k++) {
    const hysi_instance *i = hysi_base(w->product.network, w->product.active[k]);
    w->allowed[k] = hys_arena_alloc(w->arena, i->component->n_locations, 1);
    if (w->allowed[k] == NULL)
      return HYS_ERR_MEMORY;
  }
  return HYS_OK;
}

hys_status hys_model_print_config(const hys_model *model, const hys_model_writer *writer, hys_arena *arena,
                                  hys_diagnostics *diagnostics) {
  writing w = {.model = model, .arena = arena};
  hys_status status;

  if (model == NULL || writer == NULL || writer->write == NULL || arena == NULL || diagnostics == NULL)
    return HYS_ERR_ARG;
  w.out = hys_arena_alloc(arena, 1, sizeof *w.out);
  if (w.out == NULL)
    return HYS_ERR_MEMORY;
  w.out->to = writer;
  status = open_writing(&w, diagnostics);
  if (status != HYS_OK)
    return status;
  hysi_put(w.out, "system = ");
  hysi_put(w.out, w.product.network->system->id);
  hysi_put(w.out, "\n");
  if (model->has_cfg)
    status = put_entries(&w);
  return status == HYS_OK ? hysi_put_end(w.out) : status;
}
