/* Places where time may stop: states on the border of an invariant from which the flow leads out and no jump
 * of the component is enabled.  A note, for an invariant often stands for the end of what the model is good
 * for.  Affine invariants, flows and guards; of jumps that others take part in, and of what the target's
 * invariant asks, it is assumed that they do not stand in the way. */
#include <stdio.h>
#include <string.h>

#include "models/lint_private.h"

/* Of a location: jumps that lead out, and alternatives of their guards that are tried. */
enum { MOST_JUMPS = 16, MOST_TRIES = 100 };

typedef struct flows {
  const hysi_linear **rate; /* one a parameter; NULL: no flow here that is known */
} flows;

static bool find_flows(hysi_lint *lint, const hysi_model_location *l, flows *f) {
  f->rate = hysi_lint_alloc(lint, hysi_lint_params(lint), sizeof *f->rate);
  if (f->rate == NULL)
    return false;
  for (uint32_t r = 0; r < l->flow.n_rows; r++) {
    const hysi_row *row = &l->flow.row[r];
    if (row->op == HYS_EXPR_EQ && lint->here->param[row->param].flows_here)
      f->rate[row->param] = hysi_lint_linear(lint, &l->flow.e, row->rhs);
  }
  return true;
}

/* How fast f grows along the flow; NULL: it is not known, or f does not move. */
static const hysi_linear *growth(hysi_lint *lint, const hysi_linear *f, const flows *flow) {
  hysi_linear moving = {0};
  const hysi_linear **rate = hysi_lint_alloc(lint, hysi_lint_params(lint), sizeof *rate);
  uint32_t *column = hysi_lint_alloc(lint, f->n, sizeof *column);
  fmpq *coef = hysi_lint_numbers(lint, (size_t)f->n + 1);

  if (rate == NULL || column == NULL || coef == NULL)
    return NULL;
  for (uint32_t k = 0; k < f->n; k++) {
    const uint32_t p = f->column[k];
    if (lint->here->param[p].rest)
      continue;
    if (flow->rate[p] == NULL)
      return NULL;
    rate[p] = flow->rate[p];
    column[moving.n] = p;
    fmpq_set(coef + moving.n++, f->coef + k);
  }
  moving.column = column;
  moving.coef = coef;
  return moving.n > 0 ? hysi_lint_substitute(lint, &moving, rate) : NULL;
}

/* What is outside of a row, strict rows being read as closed: f > 0; of an equation f < 0, or f > 0. */
static hysi_lint_row opposite(hysi_lint *lint, const hysi_lint_row *r, bool below) {
  hysi_lint_row out = *r;
  out.relation = HYS_LP_LT;
  if (r->relation != HYS_LP_EQ || !below)
    out.f = hysi_lint_opposite(lint, r->f);
  return out;
}

/* Which way each guard is left: its row, and of an equation the side. */
typedef struct choice {
  uint32_t transition, row;
  bool below;
} choice;

/* Moves on to the next way to leave the guard of one jump; false: there is none. */
static bool next_way(const hysi_lint_rows *guard, choice *c) {
  if (guard->row[c->row].relation == HYS_LP_EQ && c->below) {
    c->below = false;
    return true;
  }
  c->below = true;
  return ++c->row < guard->n;
}

/* Whether some state of the region is in none of the guards: depth first through the ways to leave each. */
static bool escapes(hysi_lint *lint, hysi_lint_rows *region, const uint32_t *jump, uint32_t n, fmpq *point) {
  choice way[MOST_JUMPS] = {{0}};
  const uint32_t base = region->n;
  uint32_t depth = 0, tries = 0;

  if (n == 0)
    return hysi_lint_solve(lint, region, false, point) == HYS_LP_FEASIBLE;
  way[0] = (choice){.transition = jump[0], .below = true};
  for (;;) {
    const hysi_lint_rows *guard = &lint->here->guard[way[depth].transition];
    hys_lp_answer answer;
    region->n = base + depth;
    if (way[depth].row < guard->n) {
      hysi_lint_push(lint, region, opposite(lint, &guard->row[way[depth].row], way[depth].below));
      if (lint->status != HYS_OK || ++tries > MOST_TRIES) {
        lint->undecided = true;
        return false;
      }
      answer = hysi_lint_solve(lint, region, false, point);
      if (answer == HYS_LP_UNKNOWN)
        return false;
      if (answer == HYS_LP_FEASIBLE) {
        if (depth + 1 == n)
          return true;
        depth++;
        way[depth] = (choice){.transition = jump[depth], .below = true};
        continue;
      }
    } else {
      if (depth == 0)
        return false;
      depth--;
      guard = &lint->here->guard[way[depth].transition];
    }
    next_way(guard, &way[depth]);
  }
}

/* ", for instance at x = 1, y = 2": the parameters that the border and its growth speak of. */
static void describe(hysi_lint *lint, const hysi_linear *f, const hysi_linear *rate, const fmpq *point,
                     char *text, size_t size) {
  const hysi_linear *both[] = {f, rate};
  uint32_t shown[4], n = 0;
  size_t used = 0;

  text[0] = '\0';
  for (int i = 0; i < 2; i++) {
    for (uint32_t k = 0; k < both[i]->n; k++) {
      bool again = false;
      for (uint32_t j = 0; j < n; j++)
        again = again || shown[j] == both[i]->column[k];
      if (again)
        continue;
      if (n == sizeof shown / sizeof shown[0])
        return;
      shown[n++] = both[i]->column[k];
    }
  }
  for (uint32_t j = 0; j < n && used < size; j++) {
    const hys_interval v = hysi_lp_enclosure(point + shown[j]);
    const int put = snprintf(text + used, size - used, "%s%s = %.6g", j == 0 ? ", for instance at " : ", ",
                             lint->here->component->param[shown[j]].name, v.lo);
    used += put > 0 ? (size_t)put : 0;
  }
}

static void check_border(hysi_lint *lint, const hysi_model_location *l, const hysi_lint_rows *invariant,
                         uint32_t index, const flows *flow, const uint32_t *jump, uint32_t n) {
  const hysi_lint_row *r = &invariant->row[index];
  const uint64_t cost = (uint64_t)hysi_lint_params(lint) + invariant->n;
  const hysi_linear *rate = hysi_lint_spend(lint, cost) ? growth(lint, r->f, flow) : NULL;
  hysi_lint_rows region = {.exact = true};
  hysi_lint_row leaving = *r;
  fmpq *point;
  char where[160];

  if (rate == NULL || (rate->n == 0 && fmpq_sgn(rate->coef) <= 0))
    return;
  point = hysi_lint_numbers(lint, hysi_lint_params(lint));
  if (point == NULL)
    return;
  hysi_lint_append(lint, &region, invariant);
  leaving.relation = HYS_LP_EQ;
  hysi_lint_push(lint, &region, leaving);
  leaving.relation = HYS_LP_LT;
  leaving.f = hysi_lint_opposite(lint, rate);
  hysi_lint_push(lint, &region, leaving);
  if (lint->status != HYS_OK)
    return;
  /* strict rows of the invariant have no border: read as closed */
  for (uint32_t i = 0; i < invariant->n; i++)
    if (region.row[i].relation == HYS_LP_LT)
      region.row[i].relation = HYS_LP_LE;
  if (!escapes(lint, &region, jump, n, point) || lint->places++ >= lint->most_places)
    return;
  describe(lint, r->f, rate, point, where, sizeof where);
  hysi_report_node(&lint->document, HYS_NOTE, &r->e->node[r->node],
                   "time may stop in `%s': the flow leads out of its invariant here and no jump is enabled%s",
                   l->name, where);
}

static void check_location(hysi_lint *lint, uint32_t index) {
  const hysi_lint_part *c = lint->here;
  const hysi_model_location *l = &c->component->location[index];
  const hysi_lint_rows *invariant = &c->invariant[index];
  uint32_t jump[MOST_JUMPS], n = 0;
  flows flow;

  if (l->urgent || !invariant->exact || invariant->n == 0)
    return;
  for (uint32_t k = c->out[index]; k < c->out[index + 1]; k++) {
    const uint32_t t = c->leaving[k];
    if (c->never[t])
      continue;
    /* one that is always enabled, one of which it is not known when, too many: nothing is said */
    if (c->guard[t].n == 0 || !c->guard[t].exact || n == MOST_JUMPS)
      return;
    jump[n++] = t;
  }
  if (!hysi_lint_spend(lint, hysi_lint_params(lint)) || !find_flows(lint, l, &flow))
    return;
  for (uint32_t i = 0; i < invariant->n && lint->status == HYS_OK; i++)
    if (invariant->row[i].relation != HYS_LP_EQ)
      check_border(lint, l, invariant, i, &flow, jump, n);
}

void hysi_lint_time(hysi_lint *lint) {
  const hysi_component *c = lint->here->component;

  lint->places = 0;
  for (uint32_t l = 0; l < c->n_locations && hysi_lint_begin(lint); l++) {
    check_location(lint, l);
    hysi_lint_end(lint);
  }
  if (lint->places > lint->most_places && lint->status == HYS_OK) {
    const unsigned more = lint->places - lint->most_places;
    hysi_report(&lint->document, HYS_NOTE, c->at, "time may stop in %u more place%s of component `%s'", more,
                more == 1 ? "" : "s", c->id);
  }
}
