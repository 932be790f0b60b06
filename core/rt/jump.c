/* Jumps on boxes: image, and whether one is surely enabled. */
#include "core/rt/box.h"
#include "core/rt/constraint.h"
#include "core/rt/guard.h"
#include "core/rt/reach.h"

/* The values after the jump, before the target's invariant is looked at; false: the value asked for is not
 * one that the jump assigns. */
static bool assign(const hys_automaton *automaton, const hys_jump *jump, const hys_effect *value,
                   const hys_interval *x, hys_interval *image) {
  const hys_interval *u = automaton->location[jump->source].u;
  for (size_t i = 0; i < automaton->nx; i++) {
    const hys_reset_row *row = &jump->reset[i];
    if (row->identity) {
      image[i] = x[i];
      continue;
    }
    hys_interval offset = row->offset;
    if (value != NULL && value->value_state == (int32_t)i) {
      offset = hys_interval_intersect(offset, value->value);
      if (hys_interval_is_empty(offset))
        return false;
    }
    image[i] =
        row->coef == NULL
            ? offset
            : hys_interval_add(hys_interval_add(hys_box_dot(row->coef, x, automaton->nx),
                                                hys_box_dot(row->coef + automaton->nx, u, automaton->nu)),
                               offset);
  }
  return true;
}

bool hys_jump_image(const hys_automaton *automaton, const hys_jump *jump, const hys_effect *value,
                    const hys_interval *x, hys_interval *image) {
  hys_interval inside[HYS_MAX_STATES];
  hys_box_copy(inside, x, automaton->nx);
  if (!hys_conjunction_cut(automaton, &jump->guard, inside, automaton->location[jump->source].u))
    return false;
  if (!assign(automaton, jump, value, inside, image))
    return false;
  const hys_location *target = &automaton->location[jump->target];
  return hys_conjunction_cut(automaton, &target->invariant, image, target->u);
}

bool hys_jump_enabled_surely(const hys_automaton *automaton, const hys_jump *jump, const hys_effect *value,
                             const hys_interval *x) {
  hys_interval image[HYS_MAX_STATES];
  if (!hys_conjunction_holds_surely(automaton, &jump->guard, x, automaton->location[jump->source].u) ||
      !hys_curved_hold_surely(automaton, jump, x, automaton->location[jump->source].u))
    return false;
  if (!assign(automaton, jump, value, x, image))
    return false;
  if (value != NULL && value->value_state >= 0 &&
      !hys_interval_inside_surely(value->value, jump->reset[value->value_state].offset))
    return false; /* part of the value's enclosure lies outside what the jump assigns */
  const hys_location *target = &automaton->location[jump->target];
  return hys_conjunction_holds_surely(automaton, &target->invariant, image, target->u);
}
