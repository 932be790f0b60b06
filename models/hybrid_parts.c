/* What one location and one transition of one instance say, over the variables of the automaton. */
#include <string.h>

#include "models/hybrid_private.h"

static void refuse_unknown(hysi_hybrid *h, const hysi_text_tree *t) {
  if (!t->unknown)
    return;
  hysi_report(&h->flat.document, HYS_ERROR, t->at,
              "this has a name that is not declared: no automaton can be made");
  h->flat.status = HYS_ERR_INPUT;
}

/* ---- bounds of primed variables ---- */

/* One more bound on one side: the tighter of the two, if that is known. */
static hys_status tighten(hysi_hybrid *h, const hysi_formula *f, uint32_t node, bool upper, hys_expr more,
                          bool *has, hys_expr *bound) {
  hys_expr difference;
  hys_affine row;
  bool affine;
  hys_status status;

  if (!*has) {
    *has = true;
    *bound = more;
    return HYS_OK;
  }
  status = hysi_hybrid_difference(h, &more, bound, &difference);
  if (status == HYS_OK)
    status = hysi_hybrid_row(h, &difference, &row, &affine);
  if (status != HYS_OK)
    return status;
  if (!affine || row.n > 0 || !(row.constant.lo >= 0.0 || row.constant.hi <= 0.0))
    hysi_refuse(&h->flat, HYS_ERR_UNSUPPORTED, f, node,
                "a second bound on the same side, and which of them is tighter depends on the state");
  else if (upper ? row.constant.hi <= 0.0 : row.constant.lo >= 0.0)
    *bound = more;
  return HYS_OK;
}

static hys_status take_row(hysi_hybrid *h, const hysi_formula *f, const hysi_row *row, hysi_bounds *b) {
  hys_expr e;
  bool good;
  hys_status status = hysi_hybrid_number(h, f, row->rhs, &e, &good);

  if (status != HYS_OK || !good)
    return status;
  b->line = f->e->node[row->node].line;
  b->node = row->node;
  b->equal = b->equal || row->op == HYS_EXPR_EQ;
  if (row->op != HYS_EXPR_GT && row->op != HYS_EXPR_GE)
    status = tighten(h, f, row->node, true, e, &b->above, &b->upper);
  if (status == HYS_OK && row->op != HYS_EXPR_LT && row->op != HYS_EXPR_LE)
    status = tighten(h, f, row->node, false, e, &b->below, &b->lower);
  return status;
}

/* The rows of a text, one entry a variable. */
static hys_status collect(hysi_hybrid *h, const hysi_formula *f, const hysi_text_tree *t, hysi_bound **out,
                          uint32_t *n) {
  const hysi_instance *i = f->instance;
  uint32_t *entry = hys_arena_alloc(h->arena, i->component->n_params, sizeof *entry); /* + 1 */
  hys_status status = HYS_OK;

  *n = 0;
  *out = hys_arena_alloc(h->arena, t->n_rows, sizeof **out);
  if (entry == NULL || *out == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t r = 0; r < t->n_rows && status == HYS_OK; r++) {
    const hysi_row *row = &t->row[r];
    const uint32_t v = hysi_variable_of(i, row->param), x = v == HYSI_NONE ? HYSI_NONE : h->flat.slot[v];
    if (x == HYSI_NONE)
      continue;
    if (entry[row->param] == 0) {
      (*out)[*n].variable = x;
      entry[row->param] = ++*n;
    }
    status = take_row(h, f, row, &(*out)[entry[row->param] - 1].bounds);
  }
  return status;
}

/* Bounds as value + slack, for as long as nothing is defined. */
static hys_status include(hysi_hybrid *h, hysi_bound *b) {
  bool good;
  const hys_status status = hysi_hybrid_inclusion(h, &b->bounds, NULL, &b->inclusion, &good);

  if (!good)
    b->inclusion.value.n = 0;
  return status;
}

/* ---- locations ---- */

static hys_status make_invariant(hysi_hybrid *h, const hysi_instance *i, const hysi_model_location *l,
                                 hysi_stay *p) {
  const hysi_formula f = {.e = &l->invariant.e, .instance = i, .file = h->flat.document.file};
  const hysi_formula flow = {.e = &l->flow.e, .instance = i, .file = h->flat.document.file};
  hys_status status = hysi_hybrid_conjunction(h, &f, &p->invariant, &p->loose);

  for (uint32_t k = 0; status == HYS_OK && k < l->flow.n_algebraic; k++)
    status = hysi_hybrid_comparison(h, &flow, l->flow.algebraic[k], flow.e->node[l->flow.algebraic[k]].op,
                                    &p->invariant);
  return status;
}

static hys_status make_flows(hysi_hybrid *h, const hysi_instance *i, const hysi_model_location *l,
                             hysi_stay *p) {
  const hysi_formula f = {.e = &l->flow.e, .instance = i, .file = h->flat.document.file};
  hysi_bound *all;
  uint32_t n, kept = 0;
  hys_status status = collect(h, &f, &l->flow, &all, &n);

  for (uint32_t k = 0; k < n && status == HYS_OK; k++) {
    hysi_bound *b = &all[k];
    if (!b->bounds.below || !b->bounds.above) {
      if (h->flat.status == HYS_OK)
        hysi_report_node(&h->flat.document, HYS_NOTE, &f.e->node[b->bounds.node],
                         "the derivative of `%s' has no %s bound here: it may take any value at any time",
                         h->face.variable[b->variable], b->bounds.below ? "upper" : "lower");
      continue;
    }
    status = include(h, b);
    all[kept++] = *b;
  }
  p->flow = all;
  p->n_flows = kept;
  return status;
}

hys_status hysi_hybrid_stay(hysi_hybrid *h, uint32_t base, uint32_t location, hysi_stay **out) {
  const hysi_instance *i = hysi_base(h->flat.network, base);
  const hysi_model_location *l = &i->component->location[location];
  hysi_stay *p;
  hys_status status;

  if (h->place[base] == NULL)
    h->place[base] = hys_arena_alloc(h->arena, i->component->n_locations, sizeof *h->place[base]);
  if (h->place[base] == NULL)
    return HYS_ERR_MEMORY;
  *out = p = &h->place[base][location];
  if (p->made)
    return HYS_OK;
  *p = (hysi_stay){0};
  h->flat.status = HYS_OK;
  refuse_unknown(h, &l->invariant);
  refuse_unknown(h, &l->flow);
  status = make_invariant(h, i, l, p);
  if (status == HYS_OK)
    status = make_flows(h, i, l, p);
  p->status = h->flat.status;
  p->made = status == HYS_OK;
  return status;
}

/* ---- transitions ---- */

static hys_status make_resets(hysi_hybrid *h, const hysi_instance *i, const hysi_transition *t,
                              hysi_move *m) {
  const hysi_formula f = {.e = &t->assignment.e, .instance = i, .file = h->flat.document.file};
  hys_status status = collect(h, &f, &t->assignment, &m->reset, &m->n_resets);

  for (uint32_t k = 0; k < m->n_resets && status == HYS_OK; k++)
    status = m->reset[k].bounds.below || m->reset[k].bounds.above ? include(h, &m->reset[k]) : HYS_OK;
  return status;
}

hys_status hysi_hybrid_move(hysi_hybrid *h, uint32_t base, uint32_t transition, hysi_move **out) {
  const hysi_instance *i = hysi_base(h->flat.network, base);
  const hysi_transition *t = &i->component->transition[transition];
  const hysi_formula f = {.e = &t->guard.e, .instance = i, .file = h->flat.document.file};
  hysi_move *m;
  hys_status status;

  if (h->move[base] == NULL)
    h->move[base] = hys_arena_alloc(h->arena, i->component->n_transitions, sizeof *h->move[base]);
  if (h->move[base] == NULL)
    return HYS_ERR_MEMORY;
  *out = m = &h->move[base][transition];
  if (m->made)
    return HYS_OK;
  *m = (hysi_move){0};
  h->flat.status = HYS_OK;
  refuse_unknown(h, &t->guard);
  refuse_unknown(h, &t->assignment);
  status = hysi_hybrid_union(h, &f, &m->guard, &m->n_guards);
  if (status == HYS_OK)
    status = make_resets(h, i, t, m);
  m->status = h->flat.status;
  m->made = status == HYS_OK;
  return status;
}
