/* The start sets behind a crossing: what a jump makes of the states from which it may be taken. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/contract.h"
#include "synth/offline/walk.h"

enum { NARROWING_ROUNDS = 6 };

/* The image of a box. */
static void map_box(const hys_hybrid *a, const hys_hybrid_jump *jump, const hys_interval *x,
                    hys_interval *scratch, hys_interval *y) {
  for (size_t i = 0; i < a->n; i++) {
    const hys_reset *r = &jump->reset[i];
    y[i] = r->kind == HYS_RESET_KEEP ? x[i]
           : r->kind == HYS_RESET_ANY
               ? hys_interval_entire()
               : hys_interval_add_exact(
                     r->affine ? hys_affine_value(&r->row, x)
                               : hys_expr_eval_interval(&r->value, r->value.n - 1, x, NULL, NULL, scratch),
                     r->slack);
  }
}

/* The image of a zonotope whose states lie in the box x; y: bounds of its image, for what no matrix says. */
static hys_status map_zonotope(const hys_hybrid *a, const hys_hybrid_jump *jump, const hys_zonotope *from,
                               const hys_interval *y, hys_zonotope *to) {
  const size_t n = a->n;
  hys_interval *m = hys_allocate(NULL, (n * n + n) * sizeof *m), *v = m != NULL ? m + n * n : NULL;
  hys_status status;

  if (m == NULL)
    return HYS_ERR_MEMORY;
  for (size_t i = 0; i < n; i++) {
    const hys_reset *r = &jump->reset[i];
    for (size_t j = 0; j < n; j++)
      m[i * n + j] = hys_interval_point(0.0);
    v[i] = hys_interval_point(0.0);
    if (r->kind == HYS_RESET_KEEP) {
      m[i * n + i] = hys_interval_point(1.0);
    } else if (r->kind == HYS_RESET_ASSIGN && r->affine && fabs(r->slack.lo) <= DBL_MAX &&
               fabs(r->slack.hi) <= DBL_MAX) {
      for (uint32_t t = 0; t < r->row.n; t++)
        m[i * n + r->row.term[t].variable] = r->row.term[t].coef;
      v[i] = hys_interval_add_exact(r->row.constant, r->slack);
    } else {
      v[i] = y[i];
    }
  }
  status = hys_zonotope_map(to, m, v, from);
  hys_release(NULL, m);
  return status;
}

hys_status hysi_cross(hysi_explorer *e, const hysi_item *item, const hys_hybrid_jump *jump, hysi_crossing *c,
                      hysi_found *found) {
  const hys_hybrid *a = e->automaton;
  const size_t n = a->n;
  const hys_hybrid_location *target = NULL;
  hysi_item next = {
      .index = jump->target, .from = item->from + c->from, .to = item->to + c->to, .depth = item->depth + 1};
  size_t need;
  hys_interval *y, *scratch;
  hys_status status = a->location(a->context, jump->target, &target);

  if (status != HYS_OK)
    return status;
  need = hys_conditions_scratch(&target->invariant);
  for (size_t i = 0; i < n; i++)
    need = jump->reset[i].value.n > need ? jump->reset[i].value.n : need;
  y = hys_allocate(NULL, 2 * n * sizeof *y);
  scratch = hys_allocate(NULL, need * sizeof *scratch);
  if (y == NULL || scratch == NULL) {
    hys_release(NULL, y);
    hys_release(NULL, scratch);
    return HYS_ERR_MEMORY;
  }
  map_box(a, jump, c->box, scratch, y);
  /* what is free or defined there takes its values from the invariant */
  for (size_t i = 0; i < n; i++)
    if (target->rate[i].motion != HYS_MOTION_FLOW)
      y[i] = hys_interval_entire();
  if (hys_conditions_contract(&target->invariant, y, NARROWING_ROUNDS, scratch)) {
    for (size_t i = 0; i < n; i++)
      if (target->rate[i].motion != HYS_MOTION_FLOW)
        y[i] = hys_interval_point(0.0); /* not looked at */
      else if (!(fabs(y[i].lo) <= DBL_MAX && fabs(y[i].hi) <= DBL_MAX))
        status = HYS_ERR_NUMERIC;
    if (status == HYS_OK)
      status = hys_zonotope_open(&next.start, n, n, NULL);
    if (status == HYS_OK)
      status = c->oriented ? map_zonotope(a, jump, &c->tube, y, &next.start)
                           : hys_zonotope_from_box(&next.start, y);
    if (status == HYS_OK)
      status = hysi_items_add(&found->next, &next);
    hysi_item_close(&next);
    if (status == HYS_ERR_NUMERIC) {
      found->lost = "a jump leads to values without bounds";
      status = HYS_OK;
    }
  }
  hys_release(NULL, y);
  hys_release(NULL, scratch);
  return status;
}
