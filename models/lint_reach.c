/* Locations of a component that no sequence of its jumps reaches from where it may start. */
#include <stdio.h>
#include <string.h>

#include "models/lint_private.h"

/* Nodes of `initially' times locations that are looked at. */
static const uint64_t most_work = 5000000;

enum { MAY_HOLD = 1, MAY_FAIL = 2, EITHER = 3 };

/* Whether `initially' leaves a location of an instance possible; comparisons may go either way. */
static bool may_start(const hys_expr *e, uint32_t base, uint32_t location, uint8_t *may) {
  for (uint32_t i = 0; i < e->n; i++) {
    const hys_expr_node *k = &e->node[i];
    switch ((hys_expr_op)k->op) {
    case HYS_EXPR_LOCATION:
      may[i] = k->a != base ? EITHER : k->b == location ? MAY_HOLD : MAY_FAIL;
      break;
    case HYS_EXPR_AND:
      may[i] = (uint8_t)((may[k->a] & may[k->b] & MAY_HOLD) | ((may[k->a] | may[k->b]) & MAY_FAIL));
      break;
    case HYS_EXPR_OR:
      may[i] = (uint8_t)(((may[k->a] | may[k->b]) & MAY_HOLD) | (may[k->a] & may[k->b] & MAY_FAIL));
      break;
    case HYS_EXPR_NOT:
      may[i] = (uint8_t)((may[k->a] & MAY_HOLD ? MAY_FAIL : 0) | (may[k->a] & MAY_FAIL ? MAY_HOLD : 0));
      break;
    case HYS_EXPR_FALSE:
      may[i] = MAY_FAIL;
      break;
    case HYS_EXPR_TRUE:
      may[i] = MAY_HOLD;
      break;
    default:
      may[i] = EITHER;
    }
  }
  return (may[e->n - 1] & MAY_HOLD) != 0;
}

/* Names the locations that were not reached, the first four of them. */
static void report(hysi_lint *lint, const bool *reached) {
  const hysi_component *c = lint->here->component;
  const hysi_model_location *first = NULL;
  uint32_t n = 0;
  size_t used = 0;
  char text[400];

  for (uint32_t l = 0; l < c->n_locations; l++) {
    int put = 0;
    if (reached[l])
      continue;
    if (first == NULL)
      first = &c->location[l];
    if (n++ < 4 && used < sizeof text)
      put = snprintf(text + used, sizeof text - used, "%s`%.60s'", n == 1 ? "" : ", ", c->location[l].name);
    used += put > 0 ? (size_t)put : 0;
  }
  if (first == NULL)
    return;
  if (n > 4 && used < sizeof text)
    snprintf(text + used, sizeof text - used, " and %u more", (unsigned)(n - 4));
  hysi_report(&lint->document, HYS_WARNING, first->at,
              "no jump leads to location%s %s from where `%s' starts", n == 1 ? "" : "s", text, c->id);
}

void hysi_lint_locations(hysi_lint *lint) {
  const hysi_lint_part *part = lint->here;
  const hysi_component *c = part->component;
  const hys_expr *e = &lint->model->initially;
  uint32_t *queue = hysi_lint_alloc(lint, c->n_locations, sizeof *queue), head = 0, tail = 0;
  bool *reached = hysi_lint_alloc(lint, c->n_locations, sizeof *reached);
  uint8_t *may = hysi_lint_alloc(lint, e->n, sizeof *may);

  if (queue == NULL || reached == NULL || may == NULL || e->n == 0)
    return;
  if ((uint64_t)e->n * c->n_locations * part->n_bases > most_work) {
    lint->undecided = true;
    return;
  }
  for (uint32_t b = part->first_base; b != HYSI_NONE; b = lint->next_base[b]) {
    for (uint32_t l = 0; l < c->n_locations; l++) {
      if (reached[l] || !may_start(e, b, l, may))
        continue;
      reached[l] = true;
      queue[tail++] = l;
    }
  }
  if (tail == 0)
    return; /* it cannot start at all: said elsewhere */
  while (head < tail) {
    const uint32_t l = queue[head++];
    for (uint32_t k = part->out[l]; k < part->out[l + 1]; k++) {
      const uint32_t target = c->transition[part->leaving[k]].target;
      if (target == HYSI_NONE || reached[target])
        continue;
      reached[target] = true;
      queue[tail++] = target;
    }
  }
  report(lint, reached);
}
