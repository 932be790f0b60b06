#include "tests/fuzz/automata.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/diagnostics.h"
#include "tests/fuzz/fuzz.h"

/* The affine automaton is prepared by rigorous matrices, at a few milliseconds a location: small ones only.
 */
enum { MOST_LOCATIONS = 24, SMALL_VARIABLES = 4, SMALL_LOCATIONS = 6, MOST_VARIABLES = 64 };

static void check_affine(const hys_hybrid *h, const hys_affine *row) {
  for (uint32_t k = 0; k < row->n; k++) {
    FUZZ_REQUIRE(row->term[k].variable < h->n && row->term[k].coef.lo <= row->term[k].coef.hi);
    FUZZ_REQUIRE(k == 0 || row->term[k - 1].variable < row->term[k].variable);
  }
  FUZZ_REQUIRE(row->constant.lo <= row->constant.hi);
}

static void check_tree(const hys_hybrid *h, const hys_expr *e) {
  FUZZ_REQUIRE(e->n > 0);
  for (uint32_t i = 0; i < e->n; i++) {
    const hys_expr_node *k = &e->node[i];
    if (k->op == HYS_EXPR_VARIABLE)
      FUZZ_REQUIRE(k->a < h->n);
    else if (k->op != HYS_EXPR_CONSTANT)
      FUZZ_REQUIRE(k->op > HYS_EXPR_PRIMED && k->op <= HYS_EXPR_LIST &&
                   (k->a < i || k->a == HYS_EXPR_NO_CHILD));
  }
}

static void check_conditions(const hys_hybrid *h, const hys_conditions *set) {
  for (uint32_t i = 0; i < set->n; i++) {
    check_tree(h, &set->condition[i].value);
    if (set->condition[i].affine)
      check_affine(h, &set->condition[i].row);
  }
}

static void check_location(const hys_hybrid *h, const hys_hybrid_location *l) {
  FUZZ_REQUIRE(l->name != NULL);
  for (uint32_t i = 0; i < h->n_instances; i++)
    FUZZ_REQUIRE(l->part[i] < h->instance[i].n_locations);
  check_conditions(h, &l->invariant);
  for (size_t i = 0; i < h->n; i++) {
    const hys_rate *rate = &l->rate[i];
    if (rate->motion == HYS_MOTION_FREE)
      continue;
    check_tree(h, &rate->value);
    if (rate->affine)
      check_affine(h, &rate->row);
    if (rate->motion == HYS_MOTION_FLOW)
      FUZZ_REQUIRE(rate->slack.lo <= rate->slack.hi && fabs(rate->slack.lo) <= DBL_MAX &&
                   fabs(rate->slack.hi) <= DBL_MAX);
  }
  for (uint32_t k = 0; k < l->n_jumps; k++) {
    const hys_hybrid_jump *jump = &l->jump[k];
    FUZZ_REQUIRE(jump->label == HYS_NO_LABEL || (jump->label >= 0 && (uint32_t)jump->label < h->n_labels));
    check_conditions(h, &jump->guard);
    for (size_t i = 0; i < h->n; i++) {
      const hys_reset *reset = &jump->reset[i];
      if (reset->kind != HYS_RESET_ASSIGN)
        continue;
      check_tree(h, &reset->value);
      if (reset->affine)
        check_affine(h, &reset->row);
      FUZZ_REQUIRE(reset->slack.lo <= reset->slack.hi);
    }
  }
}

/* The first locations that are reached, in the order in which they are met. */
static uint32_t walk(const hys_hybrid *h, const hys_hybrid_location **out) {
  uint32_t index[MOST_LOCATIONS], n = 0;

  for (uint32_t s = 0; s < h->n_initially && n < MOST_LOCATIONS; s++)
    for (uint32_t k = 0; k < 4 && n < MOST_LOCATIONS; k++) {
      uint32_t at;
      if (h->initial(h->context, &h->initially[s], k, &at) != HYS_OK)
        break;
      index[n++] = at;
    }
  for (uint32_t i = 0; i < n; i++) {
    const hys_status status = h->location(h->context, index[i], &out[i]);
    FUZZ_REQUIRE(status == HYS_OK || status == HYS_ERR_UNSUPPORTED || status == HYS_ERR_INPUT ||
                 status == HYS_ERR_LIMIT || status == HYS_ERR_NUMERIC);
    FUZZ_REQUIRE((status == HYS_OK) == (out[i] != NULL));
    if (status != HYS_OK || out[i] == NULL) {
      out[i] = NULL;
      continue;
    }
    check_location(h, out[i]);
    for (uint32_t k = 0; k < out[i]->n_jumps && n < MOST_LOCATIONS; k++) {
      bool known = false;
      for (uint32_t j = 0; j < n && !known; j++)
        known = index[j] == out[i]->jump[k].target;
      if (!known)
        index[n++] = out[i]->jump[k].target;
    }
  }
  return n;
}

static size_t find(const hys_hybrid *h, const char *name) {
  for (size_t i = 0; i < h->n; i++)
    if (strcmp(h->variable[i], name) == 0)
      return i;
  return SIZE_MAX;
}

static void check_conjunction(const hys_automaton *a, const hys_conjunction *set) {
  for (uint32_t i = 0; i < set->n; i++)
    for (size_t k = 0; k < a->nx + a->nu; k++)
      FUZZ_REQUIRE(fabs(set->row[i].a[k].lo) <= DBL_MAX && fabs(set->row[i].a[k].hi) <= DBL_MAX);
}

static void check_automaton(const hys_automaton *a) {
  FUZZ_REQUIRE(a->n_locations >= 1 || a->n_initially == 0);
  for (uint32_t i = 0; i < a->n_locations; i++) {
    check_conjunction(a, &a->location[i].invariant);
    for (uint32_t k = 0; k < a->location[i].n_jumps; k++)
      FUZZ_REQUIRE(a->location[i].jump[k] < a->n_jumps && a->jump[a->location[i].jump[k]].source == i);
    for (size_t k = 0; k < a->nu; k++)
      FUZZ_REQUIRE(fabs(a->location[i].u[k].lo) <= DBL_MAX && fabs(a->location[i].u[k].hi) <= DBL_MAX);
  }
  for (uint32_t i = 0; i < a->n_jumps; i++) {
    FUZZ_REQUIRE(a->jump[i].source < a->n_locations && a->jump[i].target < a->n_locations);
    FUZZ_REQUIRE(a->jump[i].label == HYS_NO_LABEL || (uint32_t)a->jump[i].label < a->n_labels);
    check_conjunction(a, &a->jump[i].guard);
  }
  for (uint32_t i = 0; i < a->n_initially; i++)
    FUZZ_REQUIRE(a->initially[i].location < a->n_locations || a->initially[i].location == HYS_ANY_LOCATION);
  for (uint32_t i = 0; i < a->n_forbidden; i++)
    FUZZ_REQUIRE(a->forbidden[i].location < a->n_locations || a->forbidden[i].location == HYS_ANY_LOCATION);
}

/* One location as two automata have it: each flow at a point, from the rows of the one and the tree of the
 * other. */
static void same_flow(const hys_automaton *a, const hys_location *l, const hys_hybrid *h,
                      const hys_hybrid_location *g, fuzz_random *r) {
  static hys_interval scratch[4096];
  hys_interval value[SMALL_VARIABLES], x[MOST_VARIABLES];

  if (h->n > MOST_VARIABLES || l->flow.still || g->urgent) {
    FUZZ_REQUIRE(l->flow.still == g->urgent);
    return;
  }
  for (size_t i = 0; i < h->n; i++)
    x[i] = hys_interval_point(fuzz_random_double(r, -2.0, 2.0));
  for (size_t k = 0; k < a->nx + a->nu; k++) {
    const size_t i = find(h, k < a->nx ? a->state_name[k] : a->input_name[k - a->nx]);
    FUZZ_REQUIRE(i != SIZE_MAX);
    if (i == SIZE_MAX)
      return;
    value[k] = x[i];
  }
  for (size_t k = 0; k < a->nx; k++) {
    const hys_rate *rate = &g->rate[find(h, a->state_name[k])];
    hys_interval sum = l->flow.c[k];
    if (rate->motion != HYS_MOTION_FLOW || rate->value.n > 4096)
      continue;
    for (size_t j = 0; j < a->nx; j++)
      sum = hys_interval_add(sum, hys_interval_mul(l->flow.a[k * a->nx + j], value[j]));
    for (size_t j = 0; j < a->nu; j++)
      sum = hys_interval_add(sum, hys_interval_mul(l->flow.b[k * a->nu + j], value[a->nx + j]));
    FUZZ_REQUIRE(hys_interval_meets_maybe(
        sum, hys_interval_add(rate->slack, hys_expr_eval_interval(&rate->value, rate->value.n - 1, x, NULL,
                                                                  NULL, scratch))));
  }
}

static void compare(const hys_model *model, const hys_hybrid *h, const hys_hybrid_location *const *g,
                    uint32_t n, hys_arena *arena) {
  const hys_automaton *a = NULL;
  fuzz_random r = {1};
  hys_diagnostics said;

  hys_diagnostics_init(&said, arena);
  const hys_status status = hys_model_automaton(model, arena, &said, &a);
  FUZZ_REQUIRE(status == HYS_OK || status == HYS_ERR_UNSUPPORTED || status == HYS_ERR_LIMIT ||
               status == HYS_ERR_INPUT || status == HYS_ERR_NUMERIC);
  FUZZ_REQUIRE((status == HYS_OK) == (a != NULL) && (status == HYS_OK) == (said.errors == 0));
  if (status != HYS_OK || a == NULL)
    return;
  check_automaton(a);
  FUZZ_REQUIRE(a->n_instances == h->n_instances);
  for (uint32_t i = 0; i < a->n_locations; i++)
    for (uint32_t k = 0; k < n; k++)
      if (g[k] != NULL &&
          memcmp(g[k]->part, a->location[i].part, h->n_instances * sizeof *a->location[i].part) == 0)
        same_flow(a, &a->location[i], h, g[k], &r);
}

void automata_hold(const hys_model *model, hys_arena *arena) {
  const hys_hybrid_location *location[MOST_LOCATIONS];
  const hys_hybrid *h = NULL;
  hys_diagnostics said;

  hys_diagnostics_init(&said, arena);
  const hys_status status = hys_hybrid_open(&h, model, &said);
  FUZZ_REQUIRE(status == HYS_OK || status == HYS_ERR_UNSUPPORTED || status == HYS_ERR_LIMIT ||
               status == HYS_ERR_INPUT || status == HYS_ERR_NUMERIC);
  FUZZ_REQUIRE((status == HYS_OK) == (h != NULL));
  if (status == HYS_OK && h != NULL) {
    const uint32_t n = walk(h, location);
    if (h->n <= SMALL_VARIABLES && hys_model_location_count(model) <= SMALL_LOCATIONS)
      compare(model, h, location, n, arena);
  }
  hys_hybrid_close(h);
}
