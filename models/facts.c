/* What a network is: roles of its variables, counts of its product, class of its flow. */
#include <stdio.h>
#include <string.h>

#include "models/network.h"
#include "models/print_private.h"

/* Counts up to this are exact; the next one is "too many". */
static const uint64_t exact_limit = UINT64_C(1) << 53;
#define TOO_MANY UINT64_MAX

/* Labels times instances with a choice of location that are multiplied out when the product is too large to
 * divide. */
static const uint64_t work_limit = 10000000;

static uint64_t times(uint64_t a, uint64_t b) {
  if (a == 0 || b == 0)
    return 0;
  return a == TOO_MANY || b == TOO_MANY || a > exact_limit / b ? TOO_MANY : a * b;
}

static uint64_t plus(uint64_t a, uint64_t b) {
  return a == TOO_MANY || b == TOO_MANY || a + b > exact_limit ? TOO_MANY : a + b;
}

static hys_status add_part(hysi_network *n, uint32_t label, uint32_t base) {
  hysi_label *l = &n->label[label];
  hysi_part *p;

  if (l->last_part != HYSI_NONE && n->part[l->last_part].base == base)
    return HYS_OK;
  p = hysi_grow(n->document->arena, n->part, n->n_parts, &n->parts_capacity, sizeof *p);
  if (p == NULL)
    return HYS_ERR_MEMORY;
  n->part = p;
  p[n->n_parts] = (hysi_part){.base = base, .next = HYSI_NONE};
  if (l->last_part != HYSI_NONE)
    p[l->last_part].next = n->n_parts;
  else
    l->first_part = n->n_parts;
  l->last_part = n->n_parts++;
  return HYS_OK;
}

/* Who takes part in which label, and how often.  Instances come in order, so a label's last part is this
 * one's. */
static hys_status find_parts(hysi_network *n, uint64_t *unlabelled) {
  for (uint32_t b = 0; b < n->n_base; b++) {
    const hysi_instance *i = hysi_base(n, b);
    const hysi_component *c = i->component;
    for (uint32_t k = 0; k < c->n_params; k++) {
      if (i->binding[k].kind == HYSI_BOUND_LABEL) {
        const hys_status status = add_part(n, i->binding[k].index, b);
        if (status != HYS_OK)
          return status;
      }
    }
    unlabelled[b] = 0;
    for (uint32_t k = 0; k < c->n_transitions; k++) {
      const uint32_t label = c->transition[k].label;
      if (label == HYSI_NONE || label == HYSI_PRIVATE_LABEL)
        unlabelled[b]++;
      else if (i->binding[label].kind == HYSI_BOUND_LABEL)
        n->part[n->label[i->binding[label].index].last_part].transitions++;
    }
  }
  return HYS_OK;
}

static uint64_t locations_of(const hysi_network *n, uint32_t base) {
  return hysi_base(n, base)->component->n_locations;
}

static hys_status count(hysi_network *n) {
  hys_arena *arena = n->document->arena;
  uint64_t *unlabelled = hys_arena_alloc(arena, n->n_base, sizeof *unlabelled);
  uint64_t *behind = hys_arena_alloc(arena, (size_t)n->n_base + 1, sizeof *behind);
  uint32_t *mark = hys_arena_alloc(arena, n->n_base, sizeof *mark);
  uint64_t before = 1, choices = 0;
  hys_status status;

  if (unlabelled == NULL || behind == NULL || mark == NULL)
    return HYS_ERR_MEMORY;
  status = find_parts(n, unlabelled);
  if (status != HYS_OK)
    return status;
  behind[n->n_base] = 1;
  for (uint32_t b = n->n_base; b > 0; b--) {
    behind[b - 1] = times(behind[b], locations_of(n, b - 1));
    choices += locations_of(n, b - 1) > 1;
  }
  n->locations = n->n_base > 0 ? behind[0] : 0;
  n->jumps = 0;
  for (uint32_t b = 0; b < n->n_base; b++) {
    n->jumps = plus(n->jumps, times(unlabelled[b], times(before, behind[b + 1])));
    before = times(before, locations_of(n, b));
  }
  for (uint32_t l = 0; l < n->n_labels; l++) {
    uint64_t ways = n->label[l].first_part != HYSI_NONE ? 1 : 0, own = 1, others = 1;
    for (uint32_t p = n->label[l].first_part; p != HYSI_NONE; p = n->part[p].next) {
      ways = times(ways, n->part[p].transitions);
      own = times(own, locations_of(n, n->part[p].base));
      mark[n->part[p].base] = l + 1;
    }
    if (n->locations != TOO_MANY) {
      others = own > 0 ? n->locations / own : 0;
    } else if (ways > 0) {
      if (choices * n->n_labels > work_limit)
        others = TOO_MANY;
      for (uint32_t b = 0; b < n->n_base && others != TOO_MANY; b++)
        others = mark[b] != l + 1 ? times(others, locations_of(n, b)) : others;
    }
    n->jumps = plus(n->jumps, times(ways, others));
  }
  return HYS_OK;
}

/* ---- roles ---- */

static void flow_row(hysi_network *n, uint32_t base, const hysi_model_location *l, const hysi_row *row,
                     uint32_t *seen_in, uint32_t serial) {
  const hysi_instance *i = hysi_base(n, base);
  const hys_expr_node *at = &l->flow.e.node[row->node];
  const hysi_binding *b = &i->binding[row->param];
  const char *name = i->component->param[row->param].name;
  hysi_variable *v;

  if (b->kind == HYSI_BOUND_NUMBER) {
    hysi_report_node(n->document, HYS_ERROR, at, "`%s' has a flow, but instance `%s' binds it to a number",
                     name, i->path);
    return;
  }
  if (b->kind != HYSI_BOUND_VARIABLE)
    return;
  v = &n->variable[b->index];
  if (v->param->constant) {
    hysi_report_node(n->document, HYS_ERROR, at,
                     "`%s' has a flow, but instance `%s' binds it to the constant `%s'", name, i->path,
                     v->name);
    return;
  }
  if (v->flow_in != HYSI_NONE && v->flow_in != base) {
    hysi_report_node(n->document, HYS_ERROR, at, "`%s' has a flow in two instances, `%s' and `%s'", v->name,
                     hysi_base(n, v->flow_in)->path, i->path);
    return;
  }
  if (seen_in[b->index] == serial && row->op == HYS_EXPR_EQ && v->flow_in == base) {
    hysi_report_node(n->document, HYS_ERROR, at,
                     "`%s' has a second flow in one location: two parameters are bound to it", v->name);
    return;
  }
  if (!i->component->param[row->param].controlled && seen_in[b->index] == 0)
    hysi_report_node(n->document, HYS_WARNING, at,
                     "`%s' has a flow in component `%s', which does not control it", name, i->component->id);
  seen_in[b->index] = serial;
  v->flow_in = base;
  v->role = HYS_ROLE_STATE;
}

static void assigned_row(hysi_network *n, const hysi_instance *i, const hysi_text_tree *t,
                         const hysi_row *row) {
  const hysi_binding *b = &i->binding[row->param];
  const char *name = i->component->param[row->param].name;

  if (b->kind == HYSI_BOUND_NUMBER)
    hysi_report_node(n->document, HYS_ERROR, &t->e.node[row->node],
                     "`%s' is assigned, but instance `%s' binds it to a number", name, i->path);
  else if (b->kind == HYSI_BOUND_VARIABLE && n->variable[b->index].param->constant)
    hysi_report_node(n->document, HYS_ERROR, &t->e.node[row->node],
                     "`%s' is assigned, but instance `%s' binds it to the constant `%s'", name, i->path,
                     n->variable[b->index].name);
}

static hys_status find_roles(hysi_network *n) {
  uint32_t *seen_in = hys_arena_alloc(n->document->arena, n->n_variables, sizeof *seen_in);
  uint32_t serial = 0;

  if (seen_in == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t v = 0; v < n->n_variables; v++)
    n->variable[v].role = n->variable[v].param->constant ? HYS_ROLE_CONSTANT : HYS_ROLE_INPUT;
  for (uint32_t b = 0; b < n->n_base; b++) {
    const hysi_instance *i = hysi_base(n, b);
    const hysi_component *c = i->component;
    for (uint32_t k = 0; k < c->n_params; k++) {
      if (c->param[k].controlled && i->binding[k].kind == HYSI_BOUND_VARIABLE)
        n->variable[i->binding[k].index].controlled = true;
    }
    for (uint32_t l = 0; l < c->n_locations; l++) {
      serial++;
      for (uint32_t r = 0; r < c->location[l].flow.n_rows; r++)
        flow_row(n, b, &c->location[l], &c->location[l].flow.row[r], seen_in, serial);
    }
    for (uint32_t t = 0; t < c->n_transitions; t++) {
      for (uint32_t r = 0; r < c->transition[t].assignment.n_rows; r++)
        assigned_row(n, i, &c->transition[t].assignment, &c->transition[t].assignment.row[r]);
    }
  }
  return HYS_OK;
}

/* ---- class of the flow ---- */

/* Whether an exponent is a name that stands for a number: which one decides the class. */
static bool has_named_power(const hysi_instance *i, const hys_expr *e) {
  for (uint32_t k = 0; k < i->component->n_params; k++)
    if (i->binding[k].kind == HYSI_BOUND_BADLY)
      return false; /* an error elsewhere: not all names have a meaning */
  for (uint32_t k = 0; k < e->n; k++) {
    const hys_expr_node *exponent = e->node[k].op == HYS_EXPR_POW ? &e->node[e->node[k].b] : NULL;
    if (exponent != NULL && exponent->op == HYS_EXPR_VARIABLE &&
        i->binding[exponent->a].kind == HYSI_BOUND_NUMBER)
      return true;
  }
  return false;
}

/* The class of a right side with the numbers in their places. */
static hys_status classify_row(const hysi_network *n, const hysi_instance *i, const hys_expr *e, uint32_t rhs,
                               hys_expr_class *kind) {
  const hysi_rename names = {.network = n, .instance = i};
  hys_arena *work = hys_arena_create(NULL);
  bool *number = work != NULL ? hys_arena_alloc(work, n->n_variables, sizeof *number) : NULL;
  uint8_t *scratch = NULL;
  hys_expr tree;
  hys_status status = HYS_ERR_MEMORY;

  if (number != NULL) {
    status = hysi_flattened_tree(&names, e, rhs, work, &tree);
    scratch = status == HYS_OK ? hys_arena_alloc(work, tree.n, 1) : NULL;
    for (uint32_t v = 0; v < n->n_variables; v++)
      number[v] = n->variable[v].param->constant;
    if (scratch != NULL)
      *kind = hys_expr_classify(&tree, tree.n - 1, number, scratch);
    else if (status == HYS_OK)
      status = HYS_ERR_MEMORY;
  }
  hys_arena_destroy(work);
  return status;
}

static hys_status classify(hysi_network *n) {
  hys_arena *arena = n->document->arena;
  uint32_t most_params = 0, most_nodes = 0;
  bool *number;
  uint8_t *scratch;

  for (uint32_t b = 0; b < n->n_base; b++) {
    const hysi_component *c = hysi_base(n, b)->component;
    most_params = c->n_params > most_params ? c->n_params : most_params;
    for (uint32_t l = 0; l < c->n_locations; l++)
      most_nodes = c->location[l].flow.e.n > most_nodes ? c->location[l].flow.e.n : most_nodes;
  }
  number = hys_arena_alloc(arena, most_params, sizeof *number);
  scratch = hys_arena_alloc(arena, most_nodes, 1);
  if (number == NULL || scratch == NULL)
    return HYS_ERR_MEMORY;
  n->flow_class = HYS_CLASS_NONE;
  for (uint32_t b = 0; b < n->n_base; b++) {
    const hysi_instance *i = hysi_base(n, b);
    const hysi_component *c = i->component;
    for (uint32_t k = 0; k < c->n_params; k++)
      number[k] =
          i->binding[k].kind == HYSI_BOUND_NUMBER ||
          (i->binding[k].kind == HYSI_BOUND_VARIABLE && n->variable[i->binding[k].index].param->constant);
    for (uint32_t l = 0; l < c->n_locations; l++) {
      const hysi_text_tree *t = &c->location[l].flow;
      const bool named = has_named_power(i, &t->e);
      for (uint32_t r = 0; r < t->n_rows; r++) {
        hys_expr_class kind = hys_expr_classify(&t->e, t->row[r].rhs, number, scratch);
        if (named) {
          const hys_status status = classify_row(n, i, &t->e, t->row[r].rhs, &kind);
          if (status != HYS_OK)
            return status;
        }
        if (kind == HYS_CLASS_CONSTANT && t->row[r].op != HYS_EXPR_EQ)
          kind = HYS_CLASS_CONSTANT_INCLUSION;
        n->flow_class = kind > n->flow_class ? kind : n->flow_class;
      }
    }
  }
  return HYS_OK;
}

hys_status hysi_network_facts(hysi_network *n) {
  hys_status status = count(n);

  if (status == HYS_OK)
    status = find_roles(n);
  return status == HYS_OK ? classify(n) : status;
}
