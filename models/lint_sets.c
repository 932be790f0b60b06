/* Invariants and guards that never hold, jumps that are never taken. */
#include "models/lint_private.h"

typedef struct set {
  hysi_lint_rows rows;
  const hysi_model_location *from, *to; /* what the origins of the rows mean; NULL: none such */
} set;

/* A conjunct that is not affine and is false all over the box of the others. */
static const hysi_lint_row *curved_contradiction(hysi_lint *lint, const hysi_lint_rows *rows) {
  hys_interval *box = NULL, *scratch = NULL;
  uint32_t capacity = 0;

  for (uint32_t i = 0; i < rows->n; i++) {
    const hysi_lint_row *r = &rows->row[i];
    hys_interval value;
    if (r->f != NULL || r->origin == HYSI_OF_TARGET || r->origin == HYSI_OF_RESET)
      continue;
    if (!hysi_lint_spend(lint, r->node - hys_expr_first(r->e, r->node) + 1))
      return NULL;
    if (box == NULL) {
      if (!hysi_lint_spend(lint, hysi_lint_params(lint)))
        return NULL;
      box = hysi_lint_alloc(lint, hysi_lint_params(lint), sizeof *box);
      if (box == NULL)
        return NULL;
      hysi_lint_box(lint, rows, box);
    }
    if (r->e->n > capacity) {
      scratch = hysi_lint_alloc(lint, r->e->n, sizeof *scratch);
      capacity = r->e->n;
    }
    if (scratch == NULL)
      return NULL;
    value = hys_expr_eval_interval(r->e, r->node, box, NULL, NULL, scratch);
    if (value.lo == 0.0 && value.hi == 0.0)
      return r;
  }
  return NULL;
}

typedef enum emptiness {
  SOME,     /* not known to be empty */
  NO_INNER, /* empty, but not if strict rows are read as closed */
  NONE
} emptiness;

/* Says that a set is empty, if it is, at its first culprit: "WHAT: `x >= 5' and ... cannot hold together". */
static emptiness report_empty(hysi_lint *lint, const set *s, const hysi_xml_element *at, const char *what) {
  const hysi_lint_row *curved;
  const hys_expr_node *node = NULL;
  const char *culprits, *tail = "cannot hold together";
  emptiness empty = NONE;
  hys_severity severity;

  if (hysi_lint_solve(lint, &s->rows, false, NULL) == HYS_LP_EMPTY) {
    if (hysi_lint_solve(lint, &s->rows, true, NULL) != HYS_LP_EMPTY) {
      empty = NO_INNER;
      tail = "meet on a border that a strict comparison leaves out";
    }
    culprits = hysi_lint_culprits(lint, &s->rows, empty == NONE, s->from, s->to, &node);
  } else {
    hysi_lint_rows one = {0};
    curved = curved_contradiction(lint, &s->rows);
    if (curved == NULL)
      return SOME;
    hysi_lint_push(lint, &one, *curved);
    culprits = hysi_lint_culprits(lint, &one, true, s->from, s->to, &node);
    tail = "is false wherever the other conditions hold";
  }
  if (culprits == NULL || lint->status != HYS_OK)
    return empty;
  /* what reads strict rows as closed goes on */
  severity = empty == NONE ? HYS_WARNING : HYS_NOTE;
  if (node != NULL && node->line > 0)
    hysi_report_node(&lint->document, severity, node, "%s: %s %s", what, culprits, tail);
  else
    hysi_report(&lint->document, severity, at, "%s: %s %s", what, culprits, tail);
  return empty;
}

/* Appends what the target's invariant asks of the state after the jump. */
static void push_target(hysi_lint *lint, uint32_t index, hysi_lint_rows *rows) {
  const hysi_lint_part *c = lint->here;
  const hysi_lint_rows *target = &c->invariant[c->component->transition[index].target];
  const hysi_linear **after = hysi_lint_alloc(lint, hysi_lint_params(lint), sizeof *after);

  if (after == NULL)
    return;
  hysi_lint_jump(lint, index, NULL, 1, after, rows);
  for (uint32_t i = 0; i < target->n && lint->status == HYS_OK; i++) {
    hysi_lint_row r = target->row[i];
    r.origin = HYSI_OF_TARGET;
    r.f = hysi_lint_substitute(lint, r.f, after);
    hysi_lint_push(lint, rows, r);
  }
}

/* The guard alone, then with the source's invariant, then with the target's after the assignment: what is
 * empty first is told. */
static void check_transition(hysi_lint *lint, uint32_t index, const bool *dead) {
  const hysi_lint_part *c = lint->here;
  const hysi_transition *t = &c->component->transition[index];
  set s = {.rows = {.exact = true}};
  emptiness empty;

  if (t->source != HYSI_NONE && t->target != HYSI_NONE &&
      !hysi_lint_spend(lint, (uint64_t)c->invariant[t->source].n + c->invariant[t->target].n))
    return;
  hysi_lint_append(lint, &s.rows, &c->guard[index]);
  empty = report_empty(lint, &s, t->at, "this guard can never hold");
  if (empty == SOME && t->source != HYSI_NONE && t->target != HYSI_NONE) {
    if (dead[t->source] || dead[t->target]) {
      c->never[index] = true; /* has been said of the location */
      return;
    }
    s.from = &c->component->location[t->source];
    s.to = &c->component->location[t->target];
    hysi_lint_append(lint, &s.rows, &c->invariant[t->source]);
    empty = report_empty(lint, &s, t->at, "this jump can never be taken");
    if (empty == SOME && c->invariant[t->target].n > 0 && hysi_lint_spend(lint, hysi_lint_params(lint))) {
      push_target(lint, index, &s.rows);
      empty = report_empty(lint, &s, t->at, "this jump can never be taken");
    }
  }
  c->never[index] = empty == NONE;
}

void hysi_lint_sets(hysi_lint *lint) {
  const hysi_lint_part *c = lint->here;
  bool *dead = hysi_lint_alloc(lint, c->component->n_locations, sizeof *dead);

  if (dead == NULL)
    return;
  for (uint32_t l = 0; l < c->component->n_locations && hysi_lint_begin(lint); l++) {
    const hysi_model_location *location = &c->component->location[l];
    set s = {.rows = {.exact = true}, .from = location};
    hysi_lint_append(lint, &s.rows, &c->invariant[l]);
    dead[l] = report_empty(lint, &s, location->at, "this invariant can never hold") == NONE;
    hysi_lint_end(lint);
  }
  for (uint32_t t = 0; t < c->component->n_transitions && hysi_lint_begin(lint); t++) {
    check_transition(lint, t, dead);
    hysi_lint_end(lint);
  }
}
