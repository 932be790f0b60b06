#include "synth/offline/enforceable.h"

#include "core/rt/box.h"
#include "core/rt/constraint.h"

/* Steps for one region of Init: some seconds at most. */
enum { HYSI_CERTIFY_BUDGET = 2000000 };

typedef struct hysi_certify {
  const hys_spec *spec;
  hys_reach_work *work;
  hys_reach_result *result;
  hys_certificate_report *report;
} hysi_certify;

static bool region_certified(hysi_certify *c, const hys_region *region) {
  const hys_automaton *a = c->spec->automaton;
  hys_set set[HYS_MAX_SETS];
  hys_situation situation = {.spec = c->spec, .command_labels = hys_absent_labels(c->spec), .set = set};
  for (uint32_t l = 0; l < a->n_locations; l++) {
    if (region->location != HYS_ANY_LOCATION && region->location != l)
      continue;
    hys_interval x[HYS_MAX_STATES];
    hys_box_set_entire(x, a->nx);
    const hys_location *here = &a->location[l];
    if (!hys_conjunction_cut(a, &region->set, x, here->u) ||
        !hys_conjunction_cut(a, &here->invariant, x, here->u))
      continue;
    if (situation.n_sets >= HYS_MAX_SETS) {
      c->report->reason = HYS_REASON_TOO_MANY_SETS;
      return false;
    }
    set[situation.n_sets].location = l;
    set[situation.n_sets].stage = 0;
    hys_box_copy(set[situation.n_sets++].x, x, a->nx);
  }
  if (situation.n_sets == 0) {
    c->report->reason = HYS_REASON_NOT_READY; /* no state: an empty set certifies nothing */
    return false;
  }
  hys_search search = {.work = c->work, .result = c->result, .budget = HYSI_CERTIFY_BUDGET, .grid = 1000000};
  const bool found = hys_plan_exists(&situation, NULL, 0, hys_earliest_insertion(c->spec, 0, false), &search,
                                     &c->report->plan);
  c->report->work += search.used;
  c->report->reason = found ? HYS_REASON_NONE : search.reason;
  c->report->constraint = search.constraint;
  c->report->margin = found ? c->report->plan.margin : search.margin;
  return found;
}

hys_verdict hys_certify(const hys_spec *spec, const hys_allocator *allocator, hys_certificate_report *report,
                        hys_status *status) {
  hys_status ignored;
  if (status == NULL)
    status = &ignored;
  *status = HYS_OK;
  *report = (hys_certificate_report){.reason = HYS_REASON_NOT_TERMINAL, .margin = HYSI_NAN};
  if (spec->automaton->nx > HYS_MAX_STATES || spec->automaton->nu > HYS_MAX_INPUTS) {
    *status = HYS_ERR_LIMIT;
    return HYS_UNKNOWN;
  }
  report->terminal = hys_terminal_check(spec, &report->terminal_report);
  if (report->terminal != HYS_HOLDS)
    return HYS_UNKNOWN;
  if (spec->automaton->n_forbidden == 0) {
    report->reason = HYS_REASON_NOT_READY; /* nothing is forbidden: there is nothing to certify */
    return HYS_UNKNOWN;
  }
  hysi_certify c = {spec, hys_allocate(allocator, hys_reach_work_size()),
                    hys_allocate(allocator, sizeof(hys_reach_result)), report};
  bool holds = c.work != NULL && c.result != NULL;
  if (!holds)
    *status = HYS_ERR_MEMORY;
  for (uint32_t i = 0; i < spec->automaton->n_initially && holds; i++) {
    report->initially = i;
    holds = region_certified(&c, &spec->automaton->initially[i]);
  }
  hys_release(allocator, c.work);
  hys_release(allocator, c.result);
  return holds && spec->automaton->n_initially > 0 ? HYS_HOLDS : HYS_UNKNOWN;
}
