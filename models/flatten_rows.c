/* Constants, places of variables, and comparisons as half-spaces. */
#include <float.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "models/flatten.h"

void hysi_refuse(hysi_flat *flat, hys_status why, const hysi_formula *f, uint32_t node, const char *format,
                 ...) {
  const hys_expr_node *k = &f->e->node[node];
  const hys_diagnostic where = {.severity = HYS_ERROR, .file = f->file, .line = k->line, .column = k->column};
  char text[400];
  va_list args;

  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  hys_diagnostics_add(flat->document.diagnostics, &where, "%s", text);
  if (flat->status == HYS_OK)
    flat->status = why;
}

/* ---- numbers ---- */

/* The nodes that a number needs, variables replaced by their places and constants by their values. */
static hys_status bound_nodes(hysi_flat *flat, const hysi_formula *f, uint32_t first, uint32_t root,
                              bool *good) {
  *good = true;
  if (root >= flat->node_capacity) {
    flat->node_capacity = f->e->n > root ? f->e->n : root + 1; /* once a formula, not once a comparison */
    flat->node = hys_arena_alloc(flat->arena, flat->node_capacity, sizeof *flat->node);
    if (flat->node == NULL) {
      flat->node_capacity = 0;
      return HYS_ERR_MEMORY;
    }
  }
  for (uint32_t i = first; i <= root && *good; i++) {
    hys_expr_node *k = &flat->node[i];
    hysi_binding b = {.kind = HYSI_BOUND_VARIABLE};
    *k = f->e->node[i];
    if (k->op != HYS_EXPR_VARIABLE)
      continue;
    b.index = k->a;
    if (f->instance != NULL)
      b = f->instance->binding[k->a];
    if (b.kind == HYSI_BOUND_VARIABLE && flat->slot[b.index] != HYSI_NONE) {
      k->a = flat->slot[b.index];
      continue;
    }
    k->op = HYS_EXPR_CONSTANT;
    if (b.kind == HYSI_BOUND_NUMBER) {
      k->value = b.value;
    } else if (b.kind == HYSI_BOUND_VARIABLE && flat->known[b.index]) {
      k->value = flat->value[b.index];
    } else if (b.kind == HYSI_BOUND_VARIABLE && flat->network->variable[b.index].role != HYS_ROLE_CONSTANT) {
      hysi_refuse(flat, HYS_ERR_UNSUPPORTED, f, i, "no location of system `%s' speaks of `%s'",
                  flat->network->system->id, flat->network->variable[b.index].name);
      *good = false;
    } else {
      hysi_refuse(flat, HYS_ERR_INPUT, f, i,
                  "the constant `%s' has no value: the configuration gives one by `initially'",
                  b.kind == HYSI_BOUND_VARIABLE ? flat->network->variable[b.index].name : "?");
      *good = false;
    }
  }
  return HYS_OK;
}

/* Scratch that grows by doubling; false: *status says why not. */
static bool room_for(hysi_flat *flat, size_t need, hys_status *status) {
  const size_t most = 2 * (size_t)flat->scratch_capacity, capacity = need > most ? need : most;

  *status = need > UINT32_MAX / 2 ? HYS_ERR_LIMIT : HYS_OK;
  if (*status != HYS_OK || need <= flat->scratch_capacity)
    return *status == HYS_OK;
  flat->scratch = hys_arena_alloc(flat->arena, capacity, sizeof *flat->scratch);
  flat->scratch_capacity = flat->scratch != NULL ? (uint32_t)capacity : 0;
  *status = flat->scratch != NULL ? HYS_OK : HYS_ERR_MEMORY;
  return flat->scratch != NULL;
}

hys_status hysi_affine_row(hysi_flat *flat, const hysi_formula *f, uint32_t root, hys_interval *row,
                           hys_interval *constant, bool *good) {
  const uint32_t first = hys_expr_first(f->e, root);
  const size_t need = ((size_t)(root - first) + 1) * (flat->n + 1);
  hys_expr e = {.n = root + 1};
  uint32_t fault = root;
  hys_status status = bound_nodes(flat, f, first, root, good);

  if (status != HYS_OK || !*good)
    return status;
  if (!room_for(flat, need, &status))
    return status;
  e.node = flat->node;
  status = hys_expr_affine(&e, root, flat->n, row, constant, flat->scratch, &fault);
  if (status == HYS_OK)
    return HYS_OK;
  *good = false;
  hysi_refuse(flat, status, f, fault,
              status == HYS_ERR_NUMERIC
                  ? "this is not a finite number"
                  : "this is not affine in the variables: a shield needs affine models");
  return HYS_OK;
}

/* ---- half-spaces ---- */

static hys_interval negative(hys_interval a) {
  return hysi_pair(-a.hi + 0.0, -a.lo + 0.0); /* +0 of zero */
}

static hys_status add_row(hysi_flat *flat, hysi_rows *rows, const hys_interval *coef, hys_interval c,
                          bool negate, bool strict, uint32_t line) {
  hys_interval *a = hys_arena_alloc(flat->arena, flat->n, sizeof *a);
  hys_halfspace *row = hysi_grow(flat->arena, rows->row, rows->n, &rows->capacity, sizeof *row);

  if (a == NULL || row == NULL)
    return HYS_ERR_MEMORY;
  for (size_t i = 0; i < flat->n; i++)
    a[i] = negate ? negative(coef[i]) : coef[i];
  rows->row = row;
  row[rows->n++] = (hys_halfspace){.a = a, .c = negate ? c : negative(c), .strict = strict, .line = line};
  return HYS_OK;
}

hys_status hysi_comparison_rows(hysi_flat *flat, const hysi_formula *f, uint32_t node, uint8_t op,
                                hysi_rows *rows) {
  const hys_expr_node *k = &f->e->node[node];
  const bool below = op == HYS_EXPR_LT || op == HYS_EXPR_LE || op == HYS_EXPR_EQ;
  const bool above = op == HYS_EXPR_GT || op == HYS_EXPR_GE || op == HYS_EXPR_EQ;
  const bool strict = op == HYS_EXPR_LT || op == HYS_EXPR_GT;
  hys_interval left[2 * HYS_MAX_STATES + 2 * HYS_MAX_INPUTS], right[2 * HYS_MAX_STATES + 2 * HYS_MAX_INPUTS];
  hys_interval c, d;
  bool good;
  hys_status status = hysi_affine_row(flat, f, k->a, left, &c, &good);

  if (status == HYS_OK && good)
    status = hysi_affine_row(flat, f, k->b, right, &d, &good);
  if (status != HYS_OK || !good)
    return status;
  for (size_t i = 0; i < flat->n; i++)
    left[i] = hys_interval_add_exact(left[i], hys_interval_neg(right[i]));
  c = hys_interval_add_exact(c, hys_interval_neg(d));
  if (below)
    status = add_row(flat, rows, left, c, false, strict, k->line);
  if (above && status == HYS_OK)
    status = add_row(flat, rows, left, c, true, strict, k->line);
  return status;
}

/* Whether both sides are affine; says nothing. */
static hys_status sides_affine(hysi_flat *flat, const hys_expr_node *k, uint32_t first, uint32_t node,
                               bool *affine) {
  const hys_expr e = {flat->node, node};
  const size_t need = ((size_t)(node - first) + 1) * (flat->n + 1);
  hys_interval row[2 * HYS_MAX_STATES + 2 * HYS_MAX_INPUTS], c;
  hys_status status;

  *affine = true;
  if (!room_for(flat, need, &status))
    return status;
  for (int side = 0; side < 2 && *affine; side++)
    *affine = hys_expr_affine(&e, side == 0 ? k->a : k->b, flat->n, row, &c, flat->scratch, NULL) !=
              HYS_ERR_UNSUPPORTED;
  return HYS_OK;
}

hys_status hysi_guard_rows(hysi_flat *flat, const hysi_formula *f, uint32_t node, uint8_t op, hysi_rows *rows,
                           hysi_curved *curved) {
  const hys_expr_node *k = &f->e->node[node];
  const bool below = op == HYS_EXPR_LT || op == HYS_EXPR_LE;
  const bool above = op == HYS_EXPR_GT || op == HYS_EXPR_GE;
  const uint32_t a = hys_expr_first(f->e, k->a), b = hys_expr_first(f->e, k->b), first = a < b ? a : b;
  const uint32_t count = node - first + 1 + (above ? 1U : 0U);
  hys_expr_node *copy;
  hys_curved_row *row;
  bool good, affine = true;
  hys_status status = HYS_OK;

  if (below || above) {
    status = bound_nodes(flat, f, first, node, &good);
    if (status != HYS_OK || !good)
      return status;
    status = sides_affine(flat, k, first, node, &affine);
  }
  if (status != HYS_OK || affine)
    return status != HYS_OK ? status : hysi_comparison_rows(flat, f, node, op, rows);
  if (count > HYS_MAX_CURVED_NODES) {
    hysi_refuse(flat, HYS_ERR_LIMIT, f, node,
                "this condition is not affine and has more than %d parts (HYS_MAX_CURVED_NODES)",
                HYS_MAX_CURVED_NODES);
    return HYS_OK;
  }
  copy = hys_arena_alloc(flat->arena, count, sizeof *copy);
  row = hysi_grow(flat->arena, curved->row, curved->n, &curved->capacity, sizeof *row);
  if (copy == NULL || row == NULL)
    return HYS_ERR_MEMORY;
  memcpy(copy, flat->node + first, (node - first + 1) * sizeof *copy);
  for (uint32_t i = 0; i < node - first + 1; i++) {
    if (copy[i].op == HYS_EXPR_CONSTANT || copy[i].op == HYS_EXPR_VARIABLE)
      continue;
    copy[i].a = copy[i].a != HYS_EXPR_NO_CHILD ? copy[i].a - first : HYS_EXPR_NO_CHILD;
    copy[i].b -= first;
  }
  /* the comparison becomes the difference that is not to be positive; children keep their order */
  copy[node - first].op = HYS_EXPR_SUB;
  if (above)
    copy[count - 1] = (hys_expr_node){.op = HYS_EXPR_NEG, .a = count - 2, .b = count - 2, .line = k->line};
  curved->row = row;
  row[curved->n++] = (hys_curved_row){.tree = {copy, count}, .line = k->line};
  return HYS_OK;
}

static bool is_zero(hys_interval a) {
  return a.lo == 0.0 && a.hi == 0.0;
}

bool hysi_row_has_state(const hysi_flat *flat, const hys_halfspace *row) {
  for (size_t i = 0; i < flat->nx; i++) {
    if (!is_zero(row->a[i]))
      return true;
  }
  return false;
}

bool hysi_row_has_input(const hysi_flat *flat, const hys_halfspace *row) {
  for (size_t i = flat->nx; i < flat->n; i++) {
    if (!is_zero(row->a[i]))
      return true;
  }
  return false;
}

bool hysi_row_is_idle(const hysi_flat *flat, const hys_halfspace *row) {
  return !hysi_row_has_state(flat, row) && !hysi_row_has_input(flat, row) &&
         (row->strict ? row->c.lo > 0.0 : row->c.lo >= 0.0);
}

/* ---- constants and places ---- */

/* A comparison of initially that says  constant == number. */
static hys_status take_definition(hysi_flat *flat, const hysi_formula *f, uint32_t node) {
  const hys_expr_node *k = &f->e->node[node];

  for (int side = 0; side < 2; side++) {
    const uint32_t mine = side == 0 ? k->a : k->b, other = side == 0 ? k->b : k->a;
    const hys_expr_node *v = &f->e->node[mine];
    bool constant = true, good;
    hys_interval value;
    hys_status status;
    if (v->op != HYS_EXPR_VARIABLE || flat->network->variable[v->a].role != HYS_ROLE_CONSTANT ||
        flat->known[v->a])
      continue;
    for (uint32_t i = hys_expr_first(f->e, other); i <= other; i++) {
      if (f->e->node[i].op == HYS_EXPR_VARIABLE && !flat->known[f->e->node[i].a])
        constant = false;
    }
    if (!constant)
      continue;
    status = hysi_affine_row(flat, f, other, NULL, &value, &good);
    if (status != HYS_OK || !good)
      return status;
    flat->value[v->a] = value;
    flat->known[v->a] = true;
    flat->defines[node] = true;
    return HYS_OK;
  }
  return HYS_OK;
}

/* Conjuncts of initially, outermost ones: what a disjunction says is no definition.  In reverse order nodes
 * come before their children, so one pass marks them. */
static hys_status find_constants(hysi_flat *flat) {
  const hys_expr *e = &flat->model->initially;
  const hysi_formula f = {.e = e, .file = flat->model->has_cfg ? flat->model->cfg.file : NULL};
  bool *conjunct;

  if (e->n == 0)
    return HYS_OK;
  conjunct = hys_arena_alloc(flat->arena, e->n, sizeof *conjunct);
  flat->defines = hys_arena_alloc(flat->arena, e->n, sizeof *flat->defines);
  if (conjunct == NULL || flat->defines == NULL)
    return HYS_ERR_MEMORY;
  conjunct[e->n - 1] = true;
  for (uint32_t i = e->n; i > 0; i--) {
    const hys_expr_node *k = &e->node[i - 1];
    if (conjunct[i - 1] && k->op == HYS_EXPR_AND)
      conjunct[k->a] = conjunct[k->b] = true;
  }
  for (uint32_t i = 0; i < e->n; i++) {
    if (conjunct[i] && e->node[i].op == HYS_EXPR_EQ) {
      const hys_status status = take_definition(flat, &f, i);
      if (status != HYS_OK)
        return status;
    }
  }
  return HYS_OK;
}

/* Variables that a text of the system speaks of. */
static void mark_used(const hysi_flat *flat, bool *used) {
  const hysi_network *n = flat->network;

  for (uint32_t b = 0; b < n->n_base; b++) {
    const hysi_instance *i = hysi_base(n, b);
    for (uint32_t p = 0; p < i->component->n_params; p++) {
      if (i->component->param[p].used && i->binding[p].kind == HYSI_BOUND_VARIABLE)
        used[i->binding[p].index] = true;
    }
  }
}

static void mark_mentioned(const hys_expr *e, bool *mentioned) {
  for (uint32_t i = 0; i < e->n; i++) {
    if (e->node[i].op == HYS_EXPR_VARIABLE)
      mentioned[e->node[i].a] = true;
  }
}

static void refuse_count(hysi_flat *flat, const char *what, size_t n, int limit, const char *limit_name) {
  hysi_report(&flat->document, HYS_ERROR, flat->network->system->at,
              "system `%s' has %zu %s; a shield takes %d (%s)", flat->network->system->id, n, what, limit,
              limit_name);
  flat->status = HYS_ERR_LIMIT;
}

hys_status hysi_flat_constants(hysi_flat *flat, const hys_model *model, hys_arena *arena,
                               hys_diagnostics *diagnostics) {
  const hysi_network *n = &model->network;

  *flat = (hysi_flat){.model = model, .network = n, .arena = arena};
  flat->document = hysi_document_for(model, diagnostics, arena);
  flat->slot = hys_arena_alloc(arena, n->n_variables, sizeof *flat->slot);
  flat->value = hys_arena_alloc(arena, n->n_variables, sizeof *flat->value);
  flat->known = hys_arena_alloc(arena, n->n_variables, sizeof *flat->known);
  if (flat->slot == NULL || flat->value == NULL || flat->known == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t v = 0; v < n->n_variables; v++)
    flat->slot[v] = HYSI_NONE;
  return find_constants(flat);
}

hys_status hysi_flat_open(hysi_flat *flat, const hys_model *model, hys_arena *arena,
                          hys_diagnostics *diagnostics) {
  const hysi_network *n = &model->network;
  hys_status status = hysi_flat_constants(flat, model, arena, diagnostics);
  bool *used, *mentioned;

  if (status != HYS_OK)
    return status;
  used = hys_arena_alloc(arena, n->n_variables, sizeof *used);
  mentioned = hys_arena_alloc(arena, n->n_variables, sizeof *mentioned);
  if (used == NULL || mentioned == NULL)
    return HYS_ERR_MEMORY;
  mark_used(flat, used);
  mark_mentioned(&model->initially, mentioned);
  for (uint32_t v = 0; v < n->n_variables; v++) {
    const hys_role role = n->variable[v].role;
    /* a constant that is only bounded is a state at rest */
    if (role == HYS_ROLE_STATE || (role == HYS_ROLE_CONSTANT && !flat->known[v] && mentioned[v]))
      flat->slot[v] = (uint32_t)flat->nx++;
  }
  for (uint32_t v = 0; v < n->n_variables; v++) {
    if (n->variable[v].role == HYS_ROLE_INPUT && used[v])
      flat->slot[v] = (uint32_t)(flat->nx + flat->nu++);
  }
  flat->n = flat->nx + flat->nu;
  if (flat->nx > HYS_MAX_STATES)
    refuse_count(flat, "states", flat->nx, HYS_MAX_STATES, "HYS_MAX_STATES");
  if (flat->nu > HYS_MAX_INPUTS)
    refuse_count(flat, "inputs", flat->nu, HYS_MAX_INPUTS, "HYS_MAX_INPUTS");
  return HYS_OK;
}
