/* Terms that are not affine, with their places; strict comparisons; divisors that may be zero, roots and
 * logarithms of what may be negative. */
#include <stdio.h>
#include <string.h>

#include "models/expr_parse.h"
#include "models/lint_private.h"

/* ---- terms that are not affine ---- */

typedef struct terms {
  hysi_lint *lint;
  uint8_t *kind; /* scratch: one a node */
  uint32_t capacity;
  bool *number; /* of the parameters */
  uint32_t found;
  const hys_expr_node *beyond; /* the first that was not listed */
  uint32_t strict;
  const hys_expr *strict_in;
  uint32_t strict_node;
} terms;

static bool is_curved(const hys_expr *e, uint32_t i, const uint8_t *kind) {
  const hys_expr_node *k = &e->node[i];
  const bool binary =
      (k->op >= HYS_EXPR_ADD && k->op <= HYS_EXPR_POW) || k->op == HYS_EXPR_MIN || k->op == HYS_EXPR_MAX;
  if (k->op < HYS_EXPR_NEG || k->op > HYS_EXPR_RESHAPE || kind[i] <= HYS_CLASS_AFFINE)
    return false;
  if (k->op >= HYS_EXPR_LUT)
    return true;
  /* the smallest such part: its own children are affine */
  return kind[k->a] <= HYS_CLASS_AFFINE && (!binary || kind[k->b] <= HYS_CLASS_AFFINE);
}

static void report_term(terms *t, const hys_expr *e, uint32_t i) {
  const bool room = t->lint->document.diagnostics->n < HYS_MAX_DIAGNOSTICS;
  const char *written = room ? hysi_expr_print(e, i, t->lint->arena) : NULL;

  if (written != NULL)
    hysi_report_node(&t->lint->document, HYS_NOTE, &e->node[i], "`%.60s%s' is not affine", written,
                     strlen(written) > 60 ? "..." : "");
}

static void look_at(terms *t, const hysi_text_tree *text) {
  const hys_expr *e = &text->e;

  if (e->n == 0 || text->unknown)
    return;
  if (e->n > t->capacity) {
    t->kind = hysi_lint_alloc(t->lint, 2 * (size_t)e->n, sizeof *t->kind);
    t->capacity = t->kind != NULL ? 2 * e->n : 0;
    if (t->kind == NULL)
      return;
  }
  for (uint32_t i = 0; i < e->n; i++) {
    const hys_expr_node *k = &e->node[i];
    if (k->op == HYS_EXPR_LT || k->op == HYS_EXPR_GT) {
      if (t->strict++ == 0) {
        t->strict_in = e;
        t->strict_node = i;
      }
    }
  }
  for (uint32_t i = 0; i < e->n; i++) {
    const hys_expr_node *k = &e->node[i];
    if (k->op < HYS_EXPR_LT || k->op > HYS_EXPR_ASSIGN)
      continue;
    for (int side = 0; side < 2; side++) {
      const uint32_t root = side == 0 ? k->a : k->b, first = hys_expr_first(e, root);
      if (hys_expr_classify(e, root, t->number, t->kind) <= HYS_CLASS_AFFINE)
        continue;
      for (uint32_t j = first; j <= root; j++) {
        if (!is_curved(e, j, t->kind))
          continue;
        if (t->found++ < t->lint->most_places)
          report_term(t, e, j);
        else if (t->beyond == NULL)
          t->beyond = &e->node[j];
      }
    }
  }
}

void hysi_lint_terms(hysi_lint *lint) {
  terms t = {.lint = lint};
  uint32_t most = 0;

  for (uint32_t p = 0; p < lint->n_parts; p++)
    if (lint->part[p].component->n_params > most)
      most = lint->part[p].component->n_params;
  t.number = hysi_lint_alloc(lint, most, sizeof *t.number);
  for (uint32_t p = 0; p < lint->n_parts && lint->status == HYS_OK; p++) {
    const hysi_component *c = lint->part[p].component;
    lint->here = &lint->part[p];
    for (uint32_t k = 0; k < c->n_params; k++)
      t.number[k] = lint->here->param[k].rest;
    for (uint32_t l = 0; l < c->n_locations; l++) {
      look_at(&t, &c->location[l].invariant);
      look_at(&t, &c->location[l].flow);
    }
    for (uint32_t k = 0; k < c->n_transitions; k++) {
      look_at(&t, &c->transition[k].guard);
      look_at(&t, &c->transition[k].assignment);
    }
  }
  if (lint->status != HYS_OK)
    return;
  if (t.beyond != NULL) {
    const unsigned more = t.found - lint->most_places;
    hysi_report_node(&lint->document, HYS_NOTE, t.beyond,
                     more == 1 ? "%u more term that is not affine"
                               : "%u more terms that are not affine, the first here",
                     more);
  }
  if (t.strict > 0) {
    const char *written = hysi_expr_print(t.strict_in, t.strict_node, lint->arena);
    char more[40] = "";
    if (t.strict > 1)
      snprintf(more, sizeof more, " (and %u more)", (unsigned)(t.strict - 1));
    if (written != NULL)
      hysi_report_node(&lint->document, HYS_NOTE, &t.strict_in->node[t.strict_node],
                       "`%.60s%s' is strict%s: what encloses sets of states keeps the border", written,
                       strlen(written) > 60 ? "..." : "", more);
  }
}

/* ---- where a function is defined ---- */

typedef struct domain {
  hysi_lint *lint;
  const hysi_lint_rows *rows;
  hys_interval *box; /* of the parameters, from the rows; made when first needed */
} domain;

/* Whether every parameter under a node is bounded: only then is something known. */
static bool is_bounded(const domain *d, const hys_expr *e, uint32_t root) {
  bool any = false;

  for (uint32_t i = hys_expr_first(e, root); i <= root; i++) {
    const hys_expr_node *k = &e->node[i];
    if (k->op != HYS_EXPR_VARIABLE)
      continue;
    any = true;
    if (!(d->box[k->a].lo >= -DBL_MAX && d->box[k->a].hi <= DBL_MAX))
      return false;
  }
  return any;
}

/* Whether the number under root can be zero: exactly where it is affine. */
static bool may_vanish(domain *d, const hys_expr *e, uint32_t root, hys_interval range) {
  hysi_lint_rows rows = {.exact = true};
  hysi_lint_row zero = {.relation = HYS_LP_EQ, .e = e, .node = root};

  if (!(range.lo <= 0.0 && 0.0 <= range.hi))
    return false;
  zero.f = hysi_lint_linear(d->lint, e, root);
  if (zero.f == NULL)
    return true;
  hysi_lint_append(d->lint, &rows, d->rows);
  hysi_lint_push(d->lint, &rows, zero);
  return hysi_lint_solve(d->lint, &rows, true, NULL) == HYS_LP_FEASIBLE;
}

static void check_node(domain *d, const hys_expr *e, uint32_t i, hys_interval *scratch) {
  const hys_expr_node *k = &e->node[i];
  const uint32_t of = k->op == HYS_EXPR_DIV ? k->b : k->a;
  const char *written;
  hys_interval range;
  bool bad;

  if (!is_bounded(d, e, of))
    return;
  range = hys_expr_eval_interval(e, of, d->box, NULL, NULL, scratch);
  if (hys_interval_is_empty(range))
    return;
  bad = k->op == HYS_EXPR_DIV    ? may_vanish(d, e, of, range)
        : k->op == HYS_EXPR_SQRT ? range.lo < 0.0
                                 : range.lo <= 0.0;
  written = bad ? hysi_expr_print(e, of, d->lint->arena) : NULL;
  if (written == NULL)
    return;
  hysi_report_node(&d->lint->document, HYS_WARNING, k, "%s `%.60s' %s",
                   k->op == HYS_EXPR_DIV ? "the divisor" : "the argument", written,
                   k->op == HYS_EXPR_DIV    ? "may be zero here"
                   : k->op == HYS_EXPR_SQRT ? "may be negative here: it has no square root then"
                                            : "may be zero or negative here: it has no logarithm then");
}

static void check_text(domain *d, const hysi_text_tree *t) {
  hysi_lint *lint = d->lint;
  hys_interval *scratch = NULL;

  if (t->unknown)
    return;
  for (uint32_t i = 0; i < t->e.n && lint->status == HYS_OK; i++) {
    const hys_expr_node *k = &t->e.node[i];
    if (k->op != HYS_EXPR_DIV && k->op != HYS_EXPR_SQRT && k->op != HYS_EXPR_LOG)
      continue;
    if (k->op == HYS_EXPR_DIV && t->e.node[k->b].op == HYS_EXPR_CONSTANT)
      continue;
    if (!hysi_lint_spend(lint, i - hys_expr_first(&t->e, i) + 1))
      return;
    if (d->box == NULL) {
      if (!hysi_lint_spend(lint, (uint64_t)hysi_lint_params(lint) + d->rows->n))
        return;
      d->box = hysi_lint_alloc(lint, hysi_lint_params(lint), sizeof *d->box);
      if (d->box == NULL)
        return;
      hysi_lint_box(lint, d->rows, d->box);
    }
    if (scratch == NULL)
      scratch = hysi_lint_alloc(lint, t->e.n, sizeof *scratch);
    if (scratch == NULL)
      return;
    check_node(d, &t->e, i, scratch);
  }
}

static void check_jump(hysi_lint *lint, uint32_t t) {
  const hysi_lint_part *c = lint->here;
  const hysi_transition *k = &c->component->transition[t];
  hysi_lint_rows rows = {.exact = true};
  domain d = {.lint = lint, .rows = &rows};

  if (k->source == HYSI_NONE || c->never[t] || !hysi_lint_spend(lint, c->invariant[k->source].n))
    return;
  hysi_lint_append(lint, &rows, &c->invariant[k->source]);
  check_text(&d, &k->guard);
  hysi_lint_append(lint, &rows, &c->guard[t]);
  d.box = NULL;
  check_text(&d, &k->assignment);
}

void hysi_lint_domains(hysi_lint *lint) {
  const hysi_lint_part *c = lint->here;

  for (uint32_t l = 0; l < c->component->n_locations && hysi_lint_begin(lint); l++) {
    domain d = {.lint = lint, .rows = &c->invariant[l]};
    check_text(&d, &c->component->location[l].flow);
    hysi_lint_end(lint);
  }
  for (uint32_t t = 0; t < c->component->n_transitions && hysi_lint_begin(lint); t++) {
    check_jump(lint, t);
    hysi_lint_end(lint);
  }
}
