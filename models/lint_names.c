/* Variables that nobody gives a value, constants without one. */
#include <string.h>

#include "models/lint_private.h"

/* What the texts of all instances do with a flattened variable. */
typedef struct use {
  bool read;                     /* a text speaks of it, other than to assign it or to give it a flow */
  bool bounded;                  /* an invariant speaks of it */
  const hys_expr_node *assigned; /* where it is first assigned */
} use;

/* Marks the parameters that a text reads; of rows (a flow, an assignment) the right sides. */
static void mark(const hysi_text_tree *t, bool *read) {
  for (uint32_t i = 0; i < t->e.n; i++)
    if (t->e.node[i].op == HYS_EXPR_VARIABLE)
      read[t->e.node[i].a] = true;
}

static void mark_rows(const hysi_text_tree *t, bool *read) {
  for (uint32_t r = 0; r < t->n_rows; r++)
    for (uint32_t i = hys_expr_first(&t->e, t->row[r].rhs); i <= t->row[r].rhs; i++)
      if (t->e.node[i].op == HYS_EXPR_VARIABLE)
        read[t->e.node[i].a] = true;
}

static bool look_at(hysi_lint *lint, const hysi_lint_part *part, use *all) {
  const hysi_component *c = part->component;
  bool *read = hysi_lint_alloc(lint, c->n_params, sizeof *read);
  bool *bounded = hysi_lint_alloc(lint, c->n_params, sizeof *bounded);
  const hys_expr_node **assigned = hysi_lint_alloc(lint, c->n_params, sizeof *assigned);

  if (read == NULL || bounded == NULL || assigned == NULL)
    return false;
  for (uint32_t l = 0; l < c->n_locations; l++) {
    mark(&c->location[l].invariant, bounded);
    mark_rows(&c->location[l].flow, read);
    for (uint32_t k = 0; k < c->location[l].flow.n_algebraic; k++)
      mark(&c->location[l].flow, bounded);
  }
  for (uint32_t t = 0; t < c->n_transitions; t++) {
    const hysi_text_tree *a = &c->transition[t].assignment;
    mark(&c->transition[t].guard, read);
    mark_rows(a, read);
    for (uint32_t r = 0; r < a->n_rows; r++)
      if (assigned[a->row[r].param] == NULL)
        assigned[a->row[r].param] = &a->e.node[a->row[r].node];
  }
  for (uint32_t b = part->first_base; b != HYSI_NONE; b = lint->next_base[b]) {
    const hysi_instance *i = hysi_base(lint->network, b);
    for (uint32_t p = 0; p < c->n_params; p++) {
      use *u;
      if (i->binding[p].kind != HYSI_BOUND_VARIABLE)
        continue;
      u = &all[i->binding[p].index];
      u->read = u->read || read[p];
      u->bounded = u->bounded || bounded[p];
      if (u->assigned == NULL)
        u->assigned = assigned[p];
    }
  }
  return true;
}

static void check_constant(hysi_lint *lint, uint32_t v, const use *u, bool mentioned) {
  const hysi_variable *var = &lint->network->variable[v];

  if ((!u->read && !u->bounded) || lint->known[v] || mentioned)
    return;
  hysi_report(&lint->document, lint->model->has_cfg ? HYS_WARNING : HYS_NOTE, var->param->at,
              "constant `%s' has no value: a configuration gives one by `initially', or a bind by a number",
              var->name);
}

static void check_input(hysi_lint *lint, uint32_t v, const use *u) {
  const hysi_variable *var = &lint->network->variable[v];

  if (u->assigned != NULL)
    hysi_report_node(
        &lint->document, HYS_WARNING, u->assigned,
        "`%s' is assigned here and has no flow in any location: it may change at once, inside the "
        "invariant; a value that stays needs the flow %s' == 0",
        var->name, var->param->name);
  else if (u->read && !u->bounded)
    /* how inputs are often written */
    hysi_report(
        &lint->document, HYS_NOTE, var->param->at,
        "`%s' is read and never written: it has no flow and no assignment, and no invariant bounds it",
        var->name);
}

/* A state that flows in one location of its component and not in another. */
static void check_flows(hysi_lint *lint, const hysi_lint_part *part) {
  const hysi_component *c = part->component;
  uint32_t *flows = hysi_lint_alloc(lint, c->n_params, sizeof *flows);
  uint32_t *last = hysi_lint_alloc(lint, c->n_params, sizeof *last), n = 0;
  uint64_t rows = 0;

  if (flows == NULL || last == NULL)
    return;
  for (uint32_t l = 0; l < c->n_locations; l++) {
    const hysi_text_tree *t = &c->location[l].flow;
    if (c->location[l].urgent || (t->at != NULL && (t->e.n == 0 || t->unknown)))
      continue;
    n++;
    rows += t->n_rows;
    for (uint32_t r = 0; r < t->n_rows; r++) {
      const uint32_t p = t->row[r].param;
      flows[p] += last[p] != l + 1;
      last[p] = l + 1;
    }
  }
  for (uint32_t p = 0; p < c->n_params; p++) {
    if (flows[p] == 0 || flows[p] >= n)
      continue;
    if (!hysi_lint_spend(lint, rows))
      return;
    for (uint32_t l = 0; l < c->n_locations; l++) {
      const hysi_text_tree *t = &c->location[l].flow;
      bool there = c->location[l].urgent || (t->at != NULL && (t->e.n == 0 || t->unknown));
      for (uint32_t r = 0; r < t->n_rows; r++)
        there = there || t->row[r].param == p;
      if (there)
        continue;
      hysi_report(&lint->document, HYS_WARNING, c->location[l].at,
                  "`%s' has no flow in location `%s', but one elsewhere: it may change at will here, inside "
                  "the invariant",
                  c->param[p].name, c->location[l].name);
      break;
    }
  }
}

void hysi_lint_names(hysi_lint *lint) {
  const hysi_network *n = lint->network;
  const hys_expr *e = &lint->model->initially;
  use *all = hysi_lint_alloc(lint, n->n_variables, sizeof *all);
  bool *mentioned = hysi_lint_alloc(lint, n->n_variables, sizeof *mentioned), refused = false;

  if (all == NULL || mentioned == NULL)
    return;
  for (uint32_t i = 0; i < e->n; i++)
    if (e->node[i].op == HYS_EXPR_VARIABLE)
      mentioned[e->node[i].a] = true;
  for (uint32_t p = 0; p < lint->n_parts; p++) {
    refused = refused || lint->part[p].component->refused;
    if (!look_at(lint, &lint->part[p], all))
      return;
  }
  for (uint32_t p = 0; p < lint->n_parts && lint->status == HYS_OK; p++)
    check_flows(lint, &lint->part[p]);
  /* what could not be read may have said it */
  if (refused || lint->model->broken)
    return;
  for (uint32_t v = 0; v < n->n_variables; v++) {
    if (n->variable[v].role == HYS_ROLE_CONSTANT)
      check_constant(lint, v, &all[v], mentioned[v]);
    else if (n->variable[v].role == HYS_ROLE_INPUT && n->variable[v].controlled)
      check_input(lint, v, &all[v]);
  }
}
