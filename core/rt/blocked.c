/* Where time may stop: at the border of an invariant, with no input that keeps the state inside and no jump.
 */
#include "core/rt/box.h"
#include "core/rt/constraint.h"
#include "core/rt/reach.h"
#include "core/rt/reach_internal.h"

/* Some input keeps every state of the border inside the half-space: n.(A x + c) + min over u of n.B u <= 0.
 * Inputs that are needed for it are marked in *used; one that another border needs too does not count. */
bool hysi_held_inside(const hys_automaton *a, uint32_t location, const hys_halfspace *row,
                      const hys_interval *border, uint64_t *used) {
  const hys_flow *flow = &a->location[location].flow;
  const hys_interval *u = a->location[location].u;
  const size_t nx = a->nx, nu = a->nu;
  hys_interval rate = hys_interval_point(0.0);
  for (size_t i = 0; i < nx; i++)
    rate = hys_interval_add(
        rate,
        hys_interval_mul(row->a[i], hys_interval_add(hys_box_dot(&flow->a[i * nx], border, nx), flow->c[i])));
  uint64_t needs = 0;
  for (size_t j = 0; j < nu; j++) {
    hys_interval gain = hys_interval_point(0.0);
    for (size_t i = 0; i < nx; i++)
      gain = hys_interval_add(gain, hys_interval_mul(row->a[i], flow->b[i * nu + j]));
    if (gain.lo == 0.0 && gain.hi == 0.0)
      continue;
    const hys_interval low = hys_interval_mul(gain, hys_interval_point(u[j].lo));
    const hys_interval high = hys_interval_mul(gain, hys_interval_point(u[j].hi));
    const double best = low.hi < high.hi ? low.hi : high.hi;
    rate = hys_interval_add(rate, hys_interval_point(best));
    needs |= UINT64_C(1) << j;
  }
  if (!(rate.hi <= 0.0) || (needs & *used) != 0)
    return false;
  *used |= needs;
  return true;
}

/* One row of the jump's guard divides the border: on one side the jump is possible, on the other the state is
 * held inside. */
static bool leaves_or_held(const hys_automaton *a, uint32_t location, const hys_jump *jump,
                           const hys_halfspace *face, const hys_interval *border, uint64_t *used) {
  const hys_interval *u = a->location[location].u;
  const hys_halfspace *open = NULL;
  for (uint32_t k = 0; k < jump->guard.n; k++) {
    const hys_conjunction one = {&jump->guard.row[k], 1};
    if (hys_conjunction_holds_surely(a, &one, border, u))
      continue;
    if (open != NULL)
      return false;
    open = &jump->guard.row[k];
  }
  if (open == NULL || open->strict)
    return false; /* the closed complement has to hold the rest */
  hys_interval inside[HYS_MAX_STATES], outside[HYS_MAX_STATES];
  const hys_conjunction enabled = {open, 1};
  hys_box_copy(inside, border, a->nx);
  hys_box_copy(outside, border, a->nx);
  if (hys_conjunction_cut(a, &enabled, inside, u) && !hys_jump_enabled_surely(a, jump, NULL, inside))
    return false;
  return !hys_halfspace_cut_opposite(a, open, outside, u) ||
         hysi_held_inside(a, location, face, outside, used);
}

bool hys_never_blocked_surely(const hys_automaton *a, uint32_t location, const hys_interval *tube) {
  const hys_location *here = &a->location[location];
  uint64_t used = 0;
  for (uint32_t k = 0; k < here->invariant.n; k++) {
    const hys_halfspace *row = &here->invariant.row[k];
    hys_interval border[HYS_MAX_STATES];
    const hys_interval value = hys_halfspace_value(a, row, tube, here->u);
    if (value.hi < row->c.lo)
      continue;
    hys_box_copy(border, tube, a->nx);
    if (!hys_conjunction_cut(a, &here->invariant, border, here->u))
      continue;
    if (!hys_halfspace_cut_opposite(a, row, border, here->u))
      continue;
    if (hysi_held_inside(a, location, row, border, &used))
      continue;
    bool leaves = false;
    for (uint32_t j = 0; j < here->n_jumps && !leaves; j++) {
      const hys_jump *jump = &a->jump[here->jump[j]];
      leaves = jump->label == HYS_NO_LABEL && (hys_jump_enabled_surely(a, jump, NULL, border) ||
                                               leaves_or_held(a, location, jump, row, border, &used));
    }
    if (!leaves)
      return false;
  }
  return true;
}
