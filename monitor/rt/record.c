/* Records of decisions, and what is to be sent. */
#include "monitor/rt/shield_state.h"

void hysi_send(hys_output *output, const hys_send *send) {
  if (output->n_sends < HYS_MAX_SENDS)
    output->send[output->n_sends++] = *send;
}

/* The last record is overwritten when there are too many: what a step sends is never lost, what it says may
 * be. */
hys_record *hysi_record(hys_shield *shield, hys_output *output, int64_t now, hys_action action,
                        hys_reason reason) {
  hys_record *r =
      &output->record[output->n_records < HYS_MAX_RECORDS ? output->n_records++ : HYS_MAX_RECORDS - 1];
  *r = (hys_record){0};
  r->now = now;
  r->action = action;
  r->reason = reason;
  r->state = shield->state;
  r->guarantee = shield->state == HYS_STATE_GUARDED && shield->armed;
  r->would = shield->config.observe_only;
  r->at = HYS_NEVER;
  r->margin = r->admissible_min = r->admissible_max = HYSI_NAN;
  r->requested.value = r->applied.value = HYSI_NAN;
  r->work = shield->search.used;
  hysi_record_plan(shield, r);
  return r;
}

void hysi_record_plan(const hys_shield *shield, hys_record *record) {
  record->plan_at = shield->armed ? shield->plan.at : HYS_NEVER;
  record->plan_command = shield->armed ? shield->plan.command : HYS_NO_COMMAND;
  if (shield->armed) {
    record->margin = shield->plan.margin;
    record->constraint = shield->plan.constraint;
  }
}

/* Why what was asked for was not certified. */
void hysi_record_why(const hys_shield *shield, hys_record *record) {
  record->failure = shield->search.reason;
  record->constraint = shield->search.constraint;
  record->margin = shield->search.margin;
}
