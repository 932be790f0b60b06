#include "synth/rt/terminal.h"

#include "core/rt/box.h"
#include "core/rt/constraint.h"
#include "core/rt/guard.h"
#include "core/rt/reach.h"
#include "synth/rt/schedule.h"

static bool on_one_variable(const hys_automaton *a, const hys_halfspace *row) {
  uint32_t n = 0;
  for (size_t j = 0; j < a->nx + a->nu; j++)
    if (row->a[j].lo != 0.0 || row->a[j].hi != 0.0)
      n += j < a->nx ? 1U : 2U;
  return n == 1;
}

/* T2 for one face: the largest n . f over the face and the inputs is not positive. */
static bool face_holds(const hys_automaton *a, uint32_t location, const hys_conjunction *set,
                       const hys_halfspace *row, const hys_interval *box) {
  const hys_location *here = &a->location[location];
  hys_interval border[HYS_MAX_STATES];
  hys_box_set_entire(border, a->nx);
  if (hys_conjunction_cut(a, &here->invariant, border, here->u) &&
      hys_conjunction_holds_surely(a, &(hys_conjunction){row, 1}, border, here->u))
    return true; /* implied by the invariant */
  hys_box_copy(border, box, a->nx);
  if (!hys_halfspace_cut_opposite(a, row, border, here->u) || !hys_conjunction_cut(a, set, border, here->u))
    return true; /* the face is empty */
  hys_interval rate = hys_interval_point(0.0);
  for (size_t i = 0; i < a->nx; i++)
    if (row->a[i].lo != 0.0 || row->a[i].hi != 0.0)
      rate =
          hys_interval_add(rate, hys_interval_mul(row->a[i], hys_flow_slope(&here->flow, a->nx, i, border)));
  return here->flow.still || rate.hi <= 0.0;
}

/* Where the jump may lead from the box; false: nowhere.  What it assigns from inputs is what its guard leaves
 * of them. */
static bool image_from(const hys_automaton *a, const hys_jump *jump, const hys_interval *box,
                       hys_interval *image) {
  if (jump->n_curved == 0 && !hys_jump_reads_inputs(a, jump))
    return hys_jump_image(a, jump, NULL, box, image);
  const hys_location *target = &a->location[jump->target];
  hys_interval x[HYS_MAX_STATES], u[HYS_MAX_INPUTS];
  hys_box_copy(x, box, a->nx);
  hys_box_copy(u, a->location[jump->source].u, a->nu);
  if (!hys_guard_contract(a, jump, x, u))
    return false;
  hys_jump_image_of(a, jump, x, u, image);
  return hys_conjunction_cut(a, &target->invariant, image, target->u);
}

static hys_reason check_in(const hys_spec *spec, uint64_t command_labels, const hys_region *region,
                           uint32_t location, hys_terminal_report *report) {
  const hys_automaton *a = spec->automaton;
  const hys_location *here = &a->location[location];
  hys_interval box[HYS_MAX_STATES], image[HYS_MAX_STATES];
  hys_box_set_entire(box, a->nx);
  if (!hys_conjunction_cut(a, &here->invariant, box, here->u) ||
      !hys_conjunction_cut(a, &region->set, box, here->u))
    return HYS_REASON_NONE; /* no state of this location is in it */
  if (!hys_forbidden_missed_surely(a, location, box, &report->row))
    return HYS_REASON_UNSAFE;
  for (uint32_t k = 0; k < region->set.n; k++) {
    report->row = &region->set.row[k];
    if (!(fabs(report->row->c.lo) <= DBL_MAX && fabs(report->row->c.hi) <= DBL_MAX) ||
        !on_one_variable(a, report->row) || !face_holds(a, location, &region->set, report->row, box))
      return HYS_REASON_NOT_TERMINAL;
  }
  report->row = NULL;
  if (here->flow.still || !hys_never_blocked_surely(a, location, box))
    return HYS_REASON_BLOCKED; /* no time passes in an urgent location: nobody stays there for ever */
  for (uint32_t j = 0; j < here->n_jumps; j++) {
    const hys_jump *jump = &a->jump[here->jump[j]];
    if (jump->label != HYS_NO_LABEL && (command_labels >> (unsigned)jump->label & 1U) != 0)
      continue;
    report->jump = jump;
    if (image_from(a, jump, box, image) &&
        !hys_regions_hold_surely(a, spec->terminal, spec->n_terminal, jump->target, image))
      return HYS_REASON_NOT_TERMINAL;
  }
  report->jump = NULL;
  return HYS_REASON_NONE;
}

hys_verdict hys_terminal_check(const hys_spec *spec, hys_terminal_report *report) {
  const hys_automaton *a = spec->automaton;
  const uint64_t command_labels = hys_command_labels(spec);
  *report = (hys_terminal_report){.reason = HYS_REASON_NOT_TERMINAL};
  for (uint32_t i = 0; i < spec->n_terminal; i++) {
    report->region = i;
    for (uint32_t location = 0; location < a->n_locations; location++) {
      if (spec->terminal[i].location != HYS_ANY_LOCATION && spec->terminal[i].location != location)
        continue;
      report->reason = check_in(spec, command_labels, &spec->terminal[i], location, report);
      if (report->reason != HYS_REASON_NONE)
        return HYS_UNKNOWN;
    }
  }
  return spec->n_terminal > 0 ? HYS_HOLDS : HYS_UNKNOWN;
}
