/* What becomes of a command: pass, delay or suppress; and which plan is armed behind it. */
#include "monitor/rt/shield_state.h"

/* ---- the insertion bucket ---------------------------------------------------------------------------------
 */

/* The earliest instant, not before now, at which the bucket has a whole insertion. */
int64_t hysi_token_at(const hys_shield *shield, int64_t now) {
  const double rate = shield->spec->limits.insertions_per_second;
  const double level = shield->tokens + (double)(now - shield->tokens_at) * 1e-9 * rate;
  if (level >= 1.0)
    return now;
  const double wait = (1.0 - level) / rate * 1e9;
  return wait < 1e18 ? now + (int64_t)wait + 1 : HYS_NEVER;
}

void hysi_take_token(hys_shield *shield, int64_t now) {
  const double rate = shield->spec->limits.insertions_per_second, burst = (double)shield->spec->limits.burst;
  double level = shield->tokens + (double)(now - shield->tokens_at) * 1e-9 * rate;
  level = level < burst ? level : burst;
  shield->tokens = level >= 1.0 ? level - 1.0 : 0.0;
  shield->tokens_at = now;
}

/* ---- search
 * ------------------------------------------------------------------------------------------------ */

void hysi_search_start(hys_shield *shield) {
  shield->search.work = shield->work;
  shield->search.result = &shield->result;
  shield->search.budget = shield->config.work_budget;
  shield->search.used = 0;
  shield->search.grid = shield->config.plan_grid;
  shield->search.reason = HYS_REASON_NONE;
  shield->search.constraint = NULL;
  shield->search.margin = HYSI_NAN;
}

/* The earliest insertion behind what is in flight and, if `behind`, a command that this decision sends. */
static int64_t earliest(const hys_shield *shield, int64_t now, bool behind) {
  const hys_timing *timing = &shield->spec->timing;
  int64_t from = hys_earliest_insertion(shield->spec, now, behind);
  const int64_t token = hysi_token_at(shield, now);
  if (token > from)
    from = token;
  for (uint32_t i = 0; !timing->order_kept && i < shield->estimate.n_flights; i++) {
    const int64_t clear = shield->estimate.flight[i].to - timing->actuation_min;
    if (clear > from)
      from = clear;
  }
  return from;
}

/* On a wire that does not keep the order a command may not overtake one that is in flight. */
static bool overtakes(const hys_shield *shield, const hys_flight *flight) {
  for (uint32_t i = 0; !shield->spec->timing.order_kept && i < shield->estimate.n_flights; i++)
    if (shield->estimate.flight[i].to > flight->from)
      return true;
  return false;
}

bool hysi_renew(hys_shield *shield, int64_t now) {
  hys_situation situation;
  hys_plan plan;
  if (shield->armed && shield->plan.at != HYS_NEVER && shield->plan.at <= now + shield->spec->timing.deadline)
    return true; /* it may fire while this is being worked out: it stands */
  if (shield->estimate.n_sets == 0)
    return shield->armed;
  hys_estimate_situation(&shield->estimate, &situation);
  const int64_t hint = shield->armed ? shield->plan.at : HYS_NEVER;
  if (hys_plan_latest(&situation, NULL, 0, earliest(shield, now, false), hint, &shield->search, &plan) &&
      (!shield->armed || plan.at >= shield->plan.at)) {
    shield->plan = plan;
    shield->armed = true;
  }
  return shield->armed;
}

/* Cert(X, (s,e).p) for some p, `flight` being e on its way; then the latest p is armed and e is in flight. */
static bool commit(hys_shield *shield, int64_t now, const hys_flight *flight, int64_t not_before) {
  hys_situation situation;
  hys_plan plan, latest;
  if (overtakes(shield, flight) || shield->estimate.n_flights + 2 > shield->spec->limits.queue) {
    /* one place is kept for the insertion of the plan */
    shield->search.reason = HYS_REASON_QUEUE_FULL;
    return false;
  }
  int64_t from = earliest(shield, now, true);
  if (from == HYS_NEVER) {
    shield->search.reason = HYS_REASON_RATE_BOUND;
    return false;
  }
  if (from < not_before)
    from = not_before;
  hys_estimate_situation(&shield->estimate, &situation);
  if (!hys_plan_exists(&situation, flight, 1, from, &shield->search, &plan)) {
    if (hysi_token_at(shield, now) > hys_earliest_insertion(shield->spec, now, true))
      shield->search.reason = HYS_REASON_RATE_BOUND;
    return false;
  }
  if (!hysi_sent(shield, flight)) {
    shield->search.reason = HYS_REASON_QUEUE_FULL;
    return false;
  }
  shield->plan = plan;
  shield->armed = true;
  hys_estimate_situation(&shield->estimate, &situation);
  if (plan.at != HYS_NEVER &&
      hys_plan_latest(&situation, NULL, 0, from, HYS_NEVER, &shield->search, &latest) && latest.at >= plan.at)
    shield->plan = latest;
  return true;
}

static bool pass(hys_shield *shield, int64_t now, const hys_send *wanted) {
  const hys_flight flight = hys_flight_now(shield->spec, now, wanted->command, wanted->value);
  return commit(shield, now, &flight, now);
}

/* The first insertion that may follow a command which the timer sends at s. */
static int64_t behind(const hys_spec *spec, int64_t s) {
  const hys_timing *t = &spec->timing;
  return t->order_kept ? s : s + t->actuation_max - t->actuation_min + t->timer_late;
}

static bool may_delay(const hys_command *command) {
  for (uint32_t i = 0; i < command->n_edits; i++)
    if (command->edit[i] == HYS_EDIT_DELAY)
      return command->validity > 0;
  return false;
}

/* The least s of the grid with Cert(X, (s,e).p), before the armed plan would fire; HYS_NEVER: none. */
static int64_t delay(hys_shield *shield, int64_t now, const hys_send *wanted) {
  const hys_command *command = &shield->spec->command[wanted->command];
  const int64_t token = hysi_token_at(shield, now);
  if (!may_delay(command) || token == HYS_NEVER)
    return HYS_NEVER;
  hys_situation situation;
  hys_estimate_situation(&shield->estimate, &situation);
  const hys_search why = shield->search;
  int64_t found = HYS_NEVER;
  for (int64_t s = now + shield->config.delay_grid;
       s <= shield->request.since + command->validity && s < shield->plan.at;
       s += shield->config.delay_grid) {
    const hys_flight flight = hys_flight_at(shield->spec, s, wanted->command, wanted->value);
    const int64_t next = behind(shield->spec, s);
    hys_plan plan;
    if (s < hys_earliest_insertion(shield->spec, now, true) || overtakes(shield, &flight))
      continue;
    if (hys_plan_exists(&situation, &flight, 1, token > next ? token : next, &shield->search, &plan)) {
      found = s;
      break;
    }
  }
  const bool exhausted = found == HYS_NEVER && shield->search.used >= shield->search.budget;
  shield->search.reason = exhausted ? HYS_REASON_DEADLINE : why.reason; /* why it was not passed */
  shield->search.constraint = why.constraint;
  shield->search.margin = why.margin;
  return found;
}

static void stand(hys_shield *shield, int64_t now, const hys_send *wanted, bool fresh) {
  shield->request.standing = true;
  shield->request.send = *wanted;
  if (fresh)
    shield->request.since = now;
}

void hysi_decide(hys_shield *shield, int64_t now, const hys_send *wanted, bool fresh, hys_output *output) {
  const bool waited = !fresh && shield->request.send_at != HYS_NEVER;
  hys_record *r;
  stand(shield, now, wanted, fresh);
  if (shield->due.pending ||
      (shield->plan.at != HYS_NEVER && shield->plan.at <= now + shield->spec->timing.deadline)) {
    /* void: the timer may send something while this is being worked out, and the order would not be known */
    shield->request.send_at = HYS_NEVER;
    if (fresh || waited) {
      r = hysi_record(shield, output, now, HYS_ACTION_SUPPRESS, HYS_REASON_SUPPRESSED);
      r->failure = HYS_REASON_DEADLINE;
      r->has_requested = true;
      r->requested = *wanted;
    }
    return;
  }
  if (pass(shield, now, wanted)) {
    shield->request.standing = false;
    shield->request.send_at = HYS_NEVER;
    hysi_send(output, wanted);
    r = hysi_record(shield, output, now, HYS_ACTION_PASS,
                    fresh    ? HYS_REASON_PASSED
                    : waited ? HYS_REASON_DELAYED
                             : HYS_REASON_HANDED_BACK);
    r->has_requested = r->has_applied = true;
    r->requested = r->applied = *wanted;
    return;
  }
  const int64_t at = delay(shield, now, wanted);
  const bool news = fresh || (waited && at != shield->request.send_at);
  shield->request.send_at = at;
  if (!news)
    return;
  r = hysi_record(shield, output, now, at == HYS_NEVER ? HYS_ACTION_SUPPRESS : HYS_ACTION_DELAY,
                  at == HYS_NEVER ? HYS_REASON_SUPPRESSED : HYS_REASON_DELAYED);
  r->at = at;
  r->has_requested = true;
  r->requested = *wanted;
  hysi_record_why(shield, r);
}

void hysi_decide_delayed(hys_shield *shield, int64_t now, hys_output *output) {
  const hys_send wanted = shield->request.send;
  const int64_t at = shield->request.send_at;
  const hys_flight flight = hys_flight_at(shield->spec, at, wanted.command, wanted.value);
  const bool fires_first = shield->plan.at != HYS_NEVER && shield->plan.at <= at;
  if (at < now + shield->spec->timing.deadline || fires_first ||
      !commit(shield, now, &flight, behind(shield->spec, at))) {
    hysi_decide(shield, now, &wanted, false, output);
    return;
  }
  shield->request.standing = false;
  shield->request.send_at = HYS_NEVER;
  shield->due.pending = true;
  shield->due.send = wanted;
  shield->due.send.timed = true;
  shield->due.at = at;
}
