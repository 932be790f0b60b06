/* Sets of states: formulas of configurations and shield files over the locations of an automaton. */
#include <stdio.h>
#include <string.h>

#include "models/flatten.h"
#include "models/units.h"

typedef struct builder {
  hysi_flat *flat;
  const hysi_formula *f;
  const hys_automaton *automaton;
  bool inputs_dropped;
  hys_region *region;
  uint32_t n, capacity;
} builder;

static bool location_fits(const builder *b, const hysi_conjunct *set, const hys_location *l,
                          bool *constrained) {
  for (uint32_t i = 0; i < set->n; i++) {
    const hys_expr_node *k = &b->f->e->node[set->literal[i].node];
    if (set->literal[i].op != HYS_EXPR_LOCATION && set->literal[i].op != HYS_EXPR_NOT)
      continue;
    *constrained = true;
    if ((l->part[k->a] == k->b) != (set->literal[i].op == HYS_EXPR_LOCATION))
      return false;
  }
  return true;
}

static hys_status add_region(builder *b, uint32_t location, const hysi_rows *rows) {
  hys_region *r = hysi_grow(b->flat->arena, b->region, b->n, &b->capacity, sizeof *r);

  if (r == NULL)
    return HYS_ERR_MEMORY;
  if (b->n == HYS_MAX_REGIONS) {
    hysi_refuse(b->flat, HYS_ERR_LIMIT, b->f, b->f->e->n - 1,
                "this splits into more than %d sets (HYS_MAX_REGIONS)", HYS_MAX_REGIONS);
    return HYS_OK;
  }
  b->region = r;
  r[b->n++] = (hys_region){.location = location, .set = {.row = rows->row, .n = rows->n}};
  return HYS_OK;
}

static void warn_at(const builder *b, uint32_t node, const char *text) {
  const hys_expr_node *k = &b->f->e->node[node];
  const hys_diagnostic where = {
      .severity = HYS_WARNING, .file = b->f->file, .line = k->line, .column = k->column};
  hys_diagnostics_add(b->flat->document.diagnostics, &where, "%s", text);
}

/* Whether a comparison speaks of a variable that no location speaks of: it may be anything. */
static bool is_free(const builder *b, uint32_t node) {
  const hys_expr *e = b->f->e;

  for (uint32_t i = hys_expr_first(e, node); i <= node; i++) {
    const uint32_t v = e->node[i].a;
    if (e->node[i].op == HYS_EXPR_VARIABLE && b->flat->slot[v] == HYSI_NONE &&
        b->flat->network->variable[v].role == HYS_ROLE_INPUT)
      return true;
  }
  return false;
}

/* Rows about states; what surely holds is left out. */
static hys_status rows_of(builder *b, const hysi_conjunct *set, bool initially, hysi_rows *rows) {
  for (uint32_t i = 0; i < set->n; i++) {
    const hysi_literal *l = &set->literal[i];
    const uint32_t before = rows->n;
    uint32_t kept = before;
    hys_status status;
    if (l->op == HYS_EXPR_LOCATION || l->op == HYS_EXPR_NOT ||
        (initially && b->flat->defines != NULL && b->flat->defines[l->node]))
      continue;
    if (b->inputs_dropped && is_free(b, l->node)) {
      warn_at(b, l->node, "no location speaks of this variable: the condition is left out");
      continue;
    }
    status = hysi_comparison_rows(b->flat, b->f, l->node, l->op, rows);
    if (status != HYS_OK)
      return status;
    for (uint32_t k = before; k < rows->n; k++) {
      const hys_halfspace row = rows->row[k];
      if (hysi_row_has_input(b->flat, &row)) {
        if (b->inputs_dropped && !hysi_row_has_state(b->flat, &row)) {
          warn_at(b, l->node, "this speaks of an input, which may change at any time: it is left out");
          break;
        }
        hysi_refuse(b->flat, HYS_ERR_UNSUPPORTED, b->f, l->node, "an input in a set of states");
        break;
      }
      if (!hysi_row_is_idle(b->flat, &row))
        rows->row[kept++] = row;
    }
    rows->n = kept;
  }
  return HYS_OK;
}

hys_status hysi_regions(hysi_flat *flat, const hysi_formula *f, const hys_automaton *automaton,
                        bool inputs_dropped, bool initially, const hys_region **out, uint32_t *n) {
  builder b = {.flat = flat, .f = f, .automaton = automaton, .inputs_dropped = inputs_dropped};
  hysi_conjunct *set = NULL;
  uint32_t sets = 0;
  hys_status status;

  *out = NULL;
  *n = 0;
  status = hysi_dnf(flat, f, &set, &sets);
  for (uint32_t i = 0; i < sets && status == HYS_OK && flat->status != HYS_ERR_LIMIT; i++) {
    hysi_rows rows = {0};
    bool constrained = false;
    status = rows_of(&b, &set[i], initially, &rows);
    for (uint32_t l = 0; l < automaton->n_locations && status == HYS_OK; l++) {
      if (location_fits(&b, &set[i], &automaton->location[l], &constrained) && constrained)
        status = add_region(&b, l, &rows);
    }
    if (!constrained && status == HYS_OK)
      status = add_region(&b, HYS_ANY_LOCATION, &rows);
  }
  *out = b.region;
  *n = b.n;
  return status;
}

/* ---- texts of other files ---- */

typedef struct text_place {
  const hys_model_text *text;
} text_place;

static void place_in(const void *context, size_t offset, uint32_t *line, uint32_t *column) {
  const hys_model_text *t = ((const text_place *)context)->text;

  if (t->place != NULL) {
    t->place(t->place_context, offset, line, column);
    return;
  }
  *line = t->line;
  *column = t->column;
  for (size_t i = 0; i < offset && i < t->length; i++) {
    if (t->text[i] == '\n') {
      ++*line;
      *column = 1;
    } else if (((unsigned char)t->text[i] & 0xC0) != 0x80) {
      ++*column;
    }
  }
}

/* The text as a tree over flattened variables, and the work on the model opened again. */
hys_status hysi_model_formula(const hys_model *model, const hys_model_text *text, hysi_expr_want want,
                              hys_arena *arena, hys_diagnostics *diagnostics, hys_expr *e) {
  hysi_scope scope = {.model = model, .arena = arena, .diagnostics = diagnostics};
  const hysi_expr_names names = hysi_scope_names(&scope);
  const text_place place = {text};
  const hysi_expr_source source = {.file = text->file,
                                   .element = text->element,
                                   .text = text->text,
                                   .length = text->length,
                                   .place = place_in,
                                   .place_context = &place};

  const hys_status status = hysi_expr_parse(e, &source, &names, want, arena, diagnostics);
  return status == HYS_OK ? hysi_units_formula(model, e, text->file, NULL, arena, diagnostics) : status;
}

static hys_status open_text(hysi_flat *flat, const hys_model *model, const hys_automaton *automaton,
                            const hys_model_text *text, hysi_expr_want want, hys_arena *arena,
                            hys_diagnostics *diagnostics, hys_expr *e) {
  hys_status status = hysi_flat_open(flat, model, arena, diagnostics);

  if (status == HYS_OK)
    status = flat->status;
  if (status == HYS_OK && (automaton->nx != flat->nx || automaton->nu != flat->nu))
    status = HYS_ERR_ARG;
  return status == HYS_OK ? hysi_model_formula(model, text, want, arena, diagnostics, e) : status;
}

/* loc(instance)==location of a text's own restriction. */
static hys_status restriction(const hys_model *model, const hys_model_text *text, hys_arena *arena,
                              hys_diagnostics *diagnostics, uint32_t *instance, uint32_t *location) {
  hysi_scope scope = {.model = model, .arena = arena, .diagnostics = diagnostics};
  const hysi_expr_names names = hysi_scope_names(&scope);
  hys_diagnostic where = {.severity = HYS_ERROR, .file = text->file, .element = text->element};
  const text_place place = {text};

  *instance = *location = HYSI_NONE;
  if (text->instance == NULL && text->location == NULL)
    return HYS_OK;
  if (text->instance == NULL || text->location == NULL)
    return HYS_ERR_ARG;
  place_in(&place, 0, &where.line, &where.column);
  return names.location(names.context, text->instance, strlen(text->instance), text->location,
                        strlen(text->location), &where, instance, location)
             ? HYS_OK
             : HYS_ERR_INPUT;
}

hys_status hys_model_regions(const hys_model *model, const hys_automaton *automaton,
                             const hys_model_text *text, hys_arena *arena, hys_diagnostics *diagnostics,
                             const hys_region **out, uint32_t *n) {
  hysi_flat flat;
  hys_expr e;
  uint32_t instance, location, kept = 0;
  const hys_region *all;
  hys_region *some;
  uint32_t count;
  hysi_formula f;
  hys_status status;

  if (model == NULL || automaton == NULL || text == NULL || text->text == NULL || arena == NULL ||
      diagnostics == NULL || out == NULL || n == NULL)
    return HYS_ERR_ARG;
  *out = NULL;
  *n = 0;
  status = restriction(model, text, arena, diagnostics, &instance, &location);
  if (status == HYS_OK)
    status = open_text(&flat, model, automaton, text, HYSI_WANT_FORMULA, arena, diagnostics, &e);
  if (status != HYS_OK)
    return status;
  f = (hysi_formula){.e = &e, .file = text->file};
  status = hysi_regions(&flat, &f, automaton, false, false, &all, &count);
  if (status == HYS_OK)
    status = flat.status;
  if (status != HYS_OK || instance == HYSI_NONE) {
    *out = status == HYS_OK ? all : NULL;
    *n = status == HYS_OK ? count : 0;
    return status;
  }
  /* a set in every location becomes one in each that fits */
  some = hys_arena_alloc(arena, (size_t)count * automaton->n_locations, sizeof *some);
  if (some == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t l = 0; l < automaton->n_locations; l++) {
      if (automaton->location[l].part[instance] == location &&
          (all[i].location == HYS_ANY_LOCATION || all[i].location == l))
        some[kept++] = (hys_region){.location = l, .set = all[i].set};
    }
  }
  *out = some;
  *n = kept;
  return HYS_OK;
}

hys_status hys_model_affine(const hys_model *model, const hys_automaton *automaton,
                            const hys_model_text *text, hys_arena *arena, hys_diagnostics *diagnostics,
                            const hys_interval **coef, hys_interval *constant) {
  hysi_flat flat;
  hysi_formula f;
  hys_expr e;
  hys_interval *row;
  bool good = true;
  hys_status status;

  if (model == NULL || automaton == NULL || text == NULL || text->text == NULL || arena == NULL ||
      diagnostics == NULL || coef == NULL || constant == NULL)
    return HYS_ERR_ARG;
  status = open_text(&flat, model, automaton, text, HYSI_WANT_NUMBER, arena, diagnostics, &e);
  if (status != HYS_OK)
    return status;
  row = hys_arena_alloc(arena, flat.n, sizeof *row);
  if (row == NULL)
    return HYS_ERR_MEMORY;
  f = (hysi_formula){.e = &e, .file = text->file};
  status = hysi_affine_row(&flat, &f, e.n - 1, row, constant, &good);
  *coef = row;
  return status == HYS_OK ? flat.status : status;
}
