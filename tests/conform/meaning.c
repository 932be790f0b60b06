#include "tests/conform/meaning.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"

enum { POINTS = 100, MOST_LOCATIONS = 200 };

static uint64_t state = 1;

static double uniform(double lo, double hi) { /* splitmix64 */
  uint64_t z = (state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  z ^= z >> 31;
  return lo + (hi - lo) * ((double)(z >> 11) * 0x1p-53);
}

bool meaning_open(text_model *m, const char *xml, const char *cfg) {
  char name[256];
  hys_diagnostics said;
  hys_status status;

  memset(m, 0, sizeof *m);
  snprintf(name, sizeof name, "spaceex/%s", xml);
  const char *xml_path = check_shared_path(name), *cfg_path = NULL;
  if (xml_path == NULL)
    return false;
  if (cfg != NULL) {
    snprintf(name, sizeof name, "spaceex/%s", cfg);
    cfg_path = check_shared_path(name);
  }
  m->arena = hys_arena_create(NULL);
  if (!CHECK(m->arena != NULL))
    return false;
  hys_diagnostics_init(&said, m->arena);
  status = hys_model_read(&m->model, xml_path, cfg_path, NULL, m->arena, &said);
  if (status == HYS_OK)
    status = hys_hybrid_open(&m->automaton, m->model, &said);
  for (uint32_t i = 0; i < said.n && status != HYS_OK; i++)
    printf("%u:%u: %s\n", said.item[i].line, said.item[i].column, said.item[i].text);
  return CHECK_INT(status, HYS_OK);
}

const hys_hybrid_location *meaning_location(const hys_hybrid *h, const char *name) {
  uint32_t seen[MOST_LOCATIONS], n = 0;

  for (uint32_t s = 0; s < h->n_initially && n < MOST_LOCATIONS; s++)
    for (uint32_t k = 0;
         n < MOST_LOCATIONS && h->initial(h->context, &h->initially[s], k, &seen[n]) == HYS_OK; k++)
      n++;
  for (uint32_t i = 0; i < n; i++) {
    const hys_hybrid_location *l;
    if (h->location(h->context, seen[i], &l) != HYS_OK)
      continue;
    if (strcmp(l->name, name) == 0)
      return l;
    for (uint32_t k = 0; k < l->n_jumps && n < MOST_LOCATIONS; k++) {
      bool known = false;
      for (uint32_t j = 0; j < n && !known; j++)
        known = seen[j] == l->jump[k].target;
      if (!known)
        seen[n++] = l->jump[k].target;
    }
  }
  check_label("location %s", name);
  check_label("no %s", "location of that name");
  CHECK(false);
  return NULL;
}

size_t meaning_variable(const hys_hybrid *h, const char *name) {
  for (size_t i = 0; i < h->n; i++)
    if (strcmp(h->variable[i], name) == 0)
      return i;
  check_label("variable %s", name);
  check_label("no %s", "variable of that name");
  CHECK(false);
  return SIZE_MAX;
}

const hys_hybrid_jump *meaning_jump(const hys_hybrid *h, const hys_hybrid_location *l, const char *target,
                                    uint32_t k) {
  for (uint32_t i = 0; i < l->n_jumps; i++) {
    const hys_hybrid_location *to;
    if (h->location(h->context, l->jump[i].target, &to) == HYS_OK && strcmp(to->name, target) == 0 &&
        k-- == 0)
      return &l->jump[i];
  }
  check_label("jump to %s", target);
  check_label("no %s", "jump of that name");
  CHECK(false);
  return NULL;
}

double meaning_value(const hys_expr *e, const double *x, double *within) {
  double *scratch = calloc(e->n, sizeof *scratch), largest = 0.0, value = HYSI_NAN;
  hys_interval *enclosed = calloc(e->n, sizeof *enclosed), box[MEANING_VARIABLES], exact;

  *within = 0.0;
  if (!CHECK(scratch != NULL && enclosed != NULL))
    goto done;
  for (size_t i = 0; i < MEANING_VARIABLES; i++)
    box[i] = hys_interval_point(x[i]);
  exact = hys_expr_eval_interval(e, e->n - 1, box, NULL, NULL, enclosed);
  value = hys_expr_eval_point(e, e->n - 1, x, NULL, NULL, scratch);
  for (uint32_t i = 0; i < e->n; i++)
    largest = fmax(largest, fabs(scratch[i]));
  *within = hys_interval_width(exact) + 2.0 * e->n * DBL_EPSILON * largest;
done:
  free(scratch);
  free(enclosed);
  return value;
}

/* A point in the order of the automaton; what is not named is at zero. */
static bool place(const hys_hybrid *h, const char *const *names, size_t n, const double *x, double *out,
                  size_t *index) {
  if (!CHECK(h->n <= MEANING_VARIABLES && n <= MEANING_VARIABLES))
    return false;
  memset(out, 0, MEANING_VARIABLES * sizeof *out);
  for (size_t i = 0; i < n; i++) {
    index[i] = meaning_variable(h, names[i]);
    if (index[i] == SIZE_MAX)
      return false;
    out[index[i]] = x[i];
  }
  return true;
}

void meaning_check_flow(const hys_hybrid *h, const char *location, const char *const *names, size_t n,
                        double lo, double hi, meaning_flow *flow) {
  double x[MEANING_VARIABLES], dx[MEANING_VARIABLES], at[MEANING_VARIABLES];
  size_t index[MEANING_VARIABLES];
  const hys_hybrid_location *l = meaning_location(h, location);

  for (unsigned p = 0; l != NULL && p < POINTS; p++) {
    for (size_t i = 0; i < n; i++)
      x[i] = uniform(lo, hi);
    if (!place(h, names, n, x, at, index))
      return;
    for (size_t i = 0; i < n; i++)
      dx[i] = HYSI_NAN; /* by hand: no flow */
    flow(x, dx);
    for (size_t i = 0; i < n; i++) {
      const hys_rate *rate = &l->rate[index[i]];
      double within;
      check_label("%s in %s", names[i], location);
      if (isnan(dx[i])) {
        CHECK_INT(rate->motion, HYS_MOTION_FREE);
        continue;
      }
      if (!CHECK(rate->motion != HYS_MOTION_FREE))
        return;
      if (rate->motion == HYS_MOTION_FLOW)
        CHECK(rate->slack.lo == 0.0 && rate->slack.hi == 0.0);
      const double value = meaning_value(&rate->value, at, &within);
      if (!CHECK_NEAR(value, dx[i], within))
        return;
    }
  }
}

void meaning_check_jump(const hys_hybrid *h, const hys_hybrid_jump *jump, const char *const *names, size_t n,
                        double lo, double hi, meaning_flow *after) {
  double x[MEANING_VARIABLES], want[MEANING_VARIABLES], at[MEANING_VARIABLES];
  size_t index[MEANING_VARIABLES];

  for (unsigned p = 0; jump != NULL && p < POINTS; p++) {
    for (size_t i = 0; i < n; i++)
      x[i] = uniform(lo, hi);
    if (!place(h, names, n, x, at, index))
      return;
    for (size_t i = 0; i < n; i++)
      want[i] = HYSI_NAN; /* by hand: any value */
    after(x, want);
    for (size_t i = 0; i < n; i++) {
      const hys_reset *reset = &jump->reset[index[i]];
      double value = at[index[i]], within = 0.0;
      check_label("%s after a jump", names[i]);
      if (isnan(want[i])) {
        CHECK_INT(reset->kind, HYS_RESET_ANY);
        continue;
      }
      if (!CHECK(reset->kind != HYS_RESET_ANY))
        return;
      if (reset->kind == HYS_RESET_ASSIGN) {
        CHECK(reset->slack.lo == 0.0 && reset->slack.hi == 0.0);
        value = meaning_value(&reset->value, at, &within);
      }
      if (!CHECK_NEAR(value, want[i], within))
        return;
    }
  }
}

bool meaning_holds(const hys_hybrid *h, const hys_conditions *set, const char *const *names, size_t n,
                   const double *x) {
  double at[MEANING_VARIABLES], within;
  size_t index[MEANING_VARIABLES];

  if (!place(h, names, n, x, at, index))
    return false;
  for (uint32_t i = 0; i < set->n; i++) {
    const hys_condition *c = &set->condition[i];
    const double value = meaning_value(&c->value, at, &within);
    if (c->relation == HYS_RELATION_LE ? !(value <= 0.0)
                                       : (c->relation == HYS_RELATION_LT ? !(value < 0.0) : value != 0.0))
      return false;
  }
  return true;
}
