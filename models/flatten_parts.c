#include "models/flatten_parts.h"

#include <string.h>

static bool is_zero(hys_interval a) {
  return a.lo == 0.0 && a.hi == 0.0;
}

static hys_status refuse_unknown(hysi_flat *flat, const hysi_text_tree *t) {
  if (t->unknown) {
    hysi_report(&flat->document, HYS_ERROR, t->at,
                "this has a name that is not declared: no automaton can be made");
    flat->status = HYS_ERR_INPUT;
  }
  return HYS_OK;
}

/* Appends the half-spaces of a conjunction.  A false one gives  0 <= -1.  curved: where what is not affine
 * goes; NULL: it is refused. */
static hys_status condition_rows(hysi_flat *flat, const hysi_formula *f, hysi_rows *rows,
                                 hysi_curved *curved) {
  hysi_conjunct *set;
  uint32_t n;
  hys_status status;

  if (f->e->n == 0)
    return HYS_OK;
  status = hysi_dnf(flat, f, &set, &n);
  if (status != HYS_OK || flat->status == HYS_ERR_LIMIT)
    return status;
  if (n > 1) {
    hysi_refuse(flat, HYS_ERR_UNSUPPORTED, f, f->e->n - 1,
                "a disjunction: a shield needs convex conditions here");
    return HYS_OK;
  }
  if (n == 0) {
    hys_halfspace *row = hysi_grow(flat->arena, rows->row, rows->n, &rows->capacity, sizeof *row);
    hys_interval *a = hys_arena_alloc(flat->arena, flat->n, sizeof *a);
    if (row == NULL || a == NULL)
      return HYS_ERR_MEMORY;
    rows->row = row;
    row[rows->n++] =
        (hys_halfspace){.a = a, .c = hys_interval_point(-1.0), .line = f->e->node[f->e->n - 1].line};
    return HYS_OK;
  }
  for (uint32_t i = 0; i < set[0].n && status == HYS_OK; i++) {
    const uint32_t before = rows->n;
    const hysi_literal *l = &set[0].literal[i];
    status = curved != NULL ? hysi_guard_rows(flat, f, l->node, l->op, rows, curved)
                            : hysi_comparison_rows(flat, f, l->node, l->op, rows);
    /* what surely holds says nothing */
    while (rows->n > before && hysi_row_is_idle(flat, &rows->row[rows->n - 1]))
      rows->n--;
  }
  return status;
}

/* ---- locations ---- */

/* A bound of one input:  a u <= c. */
static void bound_input(hysi_flat *flat, const hysi_instance *i, const hysi_model_location *l,
                        const hys_halfspace *row, hys_interval *u) {
  size_t input = flat->n;
  hys_interval limit;

  for (size_t k = flat->nx; k < flat->n; k++) {
    if (is_zero(row->a[k]))
      continue;
    if (input != flat->n) {
      hysi_report(&flat->document, HYS_ERROR, l->invariant.at,
                  "the condition in line %u joins several inputs: a shield needs a bound for each",
                  row->line);
      flat->status = HYS_ERR_UNSUPPORTED;
      return;
    }
    input = k;
  }
  if (hysi_row_has_state(flat, row)) {
    hysi_report(&flat->document, HYS_ERROR, l->invariant.at,
                "the condition in line %u joins an input and a state in location `%s' of `%s': a shield "
                "needs bounds of "
                "the inputs that do not depend on the states",
                row->line, l->name, i->path);
    flat->status = HYS_ERR_UNSUPPORTED;
    return;
  }
  limit = hys_interval_div_exact(row->c, row->a[input]);
  if (row->a[input].lo > 0.0)
    u[input - flat->nx] = hys_interval_intersect(u[input - flat->nx], hys_interval_make(-HYSI_INF, limit.hi));
  else if (row->a[input].hi < 0.0)
    u[input - flat->nx] = hys_interval_intersect(u[input - flat->nx], hys_interval_make(limit.lo, HYSI_INF));
}

static hys_status split_invariant(hysi_flat *flat, const hysi_instance *i, const hysi_model_location *l,
                                  hysi_location_part *part) {
  const hysi_formula f = {.e = &l->invariant.e, .instance = i, .file = flat->document.file};
  hys_interval *u = hys_arena_alloc(flat->arena, flat->nu, sizeof *u);
  hysi_rows all = {0};
  hys_status status;
  uint32_t kept = 0;

  if (u == NULL)
    return HYS_ERR_MEMORY;
  for (size_t k = 0; k < flat->nu; k++)
    u[k] = hys_interval_entire();
  part->u = u;
  status = refuse_unknown(flat, &l->invariant);
  if (status == HYS_OK)
    status = condition_rows(flat, &f, &all, NULL);
  if (status != HYS_OK)
    return status;
  for (uint32_t k = 0; k < all.n; k++) {
    if (hysi_row_has_input(flat, &all.row[k]))
      bound_input(flat, i, l, &all.row[k], u);
    else
      all.row[kept++] = all.row[k];
  }
  all.n = kept;
  part->invariant = all;
  return HYS_OK;
}

hys_status hysi_make_location_part(hysi_flat *flat, const hysi_instance *i, uint32_t location,
                                   hysi_location_part *part) {
  const hysi_model_location *l = &i->component->location[location];
  const hysi_formula f = {.e = &l->flow.e, .instance = i, .file = flat->document.file};
  hys_status status;

  if (part->made)
    return HYS_OK;
  part->made = true;
  status = split_invariant(flat, i, l, part);
  if (status != HYS_OK)
    return status;
  part->flow = hys_arena_alloc(flat->arena, l->flow.n_rows, sizeof *part->flow);
  if (part->flow == NULL)
    return HYS_ERR_MEMORY;
  if (l->flow.n_algebraic > 0)
    hysi_refuse(flat, HYS_ERR_UNSUPPORTED, &f, l->flow.algebraic[0],
                "an equation without a derivative in a flow: a shield does not read it");
  for (uint32_t r = 0; r < l->flow.n_rows && status == HYS_OK; r++) {
    const hysi_row *row = &l->flow.row[r];
    const uint32_t v = hysi_variable_of(i, row->param);
    hysi_flow_part *p = &part->flow[part->n_flows];
    hys_interval *coef = hys_arena_alloc(flat->arena, flat->n, sizeof *coef);
    bool good = false;
    if (coef == NULL)
      return HYS_ERR_MEMORY;
    if (row->op != HYS_EXPR_EQ) {
      hysi_refuse(flat, HYS_ERR_UNSUPPORTED, &f, row->node,
                  "bounds of a derivative: write x' == e + u with an input u that the invariant bounds");
      continue;
    }
    status = hysi_affine_row(flat, &f, row->rhs, coef, &p->constant, &good);
    if (status != HYS_OK || !good || v == HYSI_NONE)
      continue;
    p->state = flat->slot[v];
    p->row = coef;
    part->n_flows++;
  }
  return status;
}

/* ---- transitions ---- */

/* The rows about one variable as one reset.  *good: it is done, or reported. */
static hys_status make_reset(hysi_flat *flat, const hysi_formula *f, const hysi_text_tree *t, uint32_t param,
                             hys_reset_row *out, bool *good) {
  hys_interval *lower = NULL, *upper = NULL;
  hys_interval low = {-HYSI_INF, HYSI_INF}, high = {-HYSI_INF, HYSI_INF};
  uint32_t at = 0;

  for (uint32_t r = 0; r < t->n_rows; r++) {
    const hysi_row *row = &t->row[r];
    const bool below = row->op == HYS_EXPR_LT || row->op == HYS_EXPR_LE || row->op == HYS_EXPR_EQ;
    const bool above = row->op == HYS_EXPR_GT || row->op == HYS_EXPR_GE || row->op == HYS_EXPR_EQ;
    hys_interval *coef, c;
    hys_status status;
    if (row->param != param)
      continue;
    coef = hys_arena_alloc(flat->arena, flat->n, sizeof *coef);
    if (coef == NULL)
      return HYS_ERR_MEMORY;
    status = hysi_affine_row(flat, f, row->rhs, coef, &c, good);
    if (status != HYS_OK || !*good)
      return status;
    at = row->node;
    if ((below && upper != NULL) || (above && lower != NULL)) {
      *good = false;
      hysi_refuse(flat, HYS_ERR_UNSUPPORTED, f, row->node, "a second bound on the same side");
      return HYS_OK;
    }
    if (below) {
      upper = coef;
      high = c;
    }
    if (above) {
      lower = coef;
      low = c;
    }
  }
  *good = false;
  if (lower == NULL || upper == NULL) {
    hysi_refuse(flat, HYS_ERR_UNSUPPORTED, f, at,
                "the value after the jump has no %s bound: a shield needs both",
                lower == NULL ? "lower" : "upper");
    return HYS_OK;
  }
  for (size_t i = 0; i < flat->n; i++) {
    if (!hys_interval_equal(lower[i], upper[i])) {
      hysi_refuse(flat, HYS_ERR_UNSUPPORTED, f, at, "the two bounds must differ by a number alone");
      return HYS_OK;
    }
  }
  if (!(low.lo <= high.hi)) {
    hysi_refuse(flat, HYS_ERR_UNSUPPORTED, f, at,
                "the lower bound is above the upper one: the jump is never possible");
    return HYS_OK;
  }
  *good = true;
  *out = (hys_reset_row){.coef = lower, .offset = {low.lo, high.hi}};
  return HYS_OK;
}

/* x' == x, and coefficients that are all zero, in their short forms. */
static void shorten(const hysi_flat *flat, uint32_t state, hys_reset_row *row) {
  bool zero = true, unit = is_zero(row->offset);

  for (size_t i = 0; i < flat->n; i++) {
    zero = zero && is_zero(row->coef[i]);
    unit = unit && (i == state ? row->coef[i].lo == 1.0 && row->coef[i].hi == 1.0 : is_zero(row->coef[i]));
  }
  if (unit)
    *row = (hys_reset_row){.identity = true};
  else if (zero)
    row->coef = NULL;
}

static hys_status make_resets(hysi_flat *flat, const hysi_formula *f, const hysi_text_tree *t,
                              hysi_transition_part *part) {
  const hysi_instance *i = f->instance;

  part->reset = hys_arena_alloc(flat->arena, t->n_rows, sizeof *part->reset);
  if (part->reset == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t r = 0; r < t->n_rows; r++) {
    const uint32_t v = hysi_variable_of(i, t->row[r].param);
    hysi_reset_part *p = &part->reset[part->n_resets];
    bool done = false, good = true;
    hys_status status;
    for (uint32_t k = 0; k < r; k++)
      done = done || t->row[k].param == t->row[r].param;
    if (done || v == HYSI_NONE || flat->slot[v] == HYSI_NONE)
      continue;
    if (flat->network->variable[v].role == HYS_ROLE_INPUT) {
      const hys_expr_node *at = &f->e->node[t->row[r].node];
      hysi_report_node(&flat->document, HYS_WARNING, at,
                       "`%s' has no flow: it may change at any time, so that assigning it has no effect",
                       flat->network->variable[v].name);
      continue;
    }
    if (!i->component->param[t->row[r].param].controlled) {
      hysi_refuse(flat, HYS_ERR_UNSUPPORTED, f, t->row[r].node,
                  "`%s' is assigned by a component that does not control it",
                  flat->network->variable[v].name);
      continue;
    }
    status = make_reset(flat, f, t, t->row[r].param, &p->row, &good);
    if (status != HYS_OK)
      return status;
    if (!good)
      continue;
    p->state = flat->slot[v];
    shorten(flat, p->state, &p->row);
    part->n_resets++;
  }
  return HYS_OK;
}

hys_status hysi_make_transition_part(hysi_flat *flat, const hysi_instance *i, uint32_t transition,
                                     hysi_transition_part *part) {
  const hysi_transition *t = &i->component->transition[transition];
  const hysi_formula guard = {.e = &t->guard.e, .instance = i, .file = flat->document.file};
  const hysi_formula assignment = {.e = &t->assignment.e, .instance = i, .file = flat->document.file};
  hys_status status;

  if (part->made)
    return HYS_OK;
  part->made = true;
  if (t->asap) {
    hysi_report_value(&flat->document, HYS_ERROR, t->at, "asap",
                      "asap=\"true\" (a jump that must be taken at once): a shield does not read it");
    flat->status = HYS_ERR_UNSUPPORTED;
  }
  status = refuse_unknown(flat, &t->guard);
  if (status == HYS_OK)
    status = refuse_unknown(flat, &t->assignment);
  if (status == HYS_OK)
    status = condition_rows(flat, &guard, &part->guard, &part->curved);
  return status == HYS_OK ? make_resets(flat, &assignment, &t->assignment, part) : status;
}
