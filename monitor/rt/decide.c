/* What becomes of a command: pass, substitute, delay or suppress; and which plan is armed behind it. */
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

/* Whether an edit of the file may be tried. */
static bool allows(const hys_command *command, hys_edit edit) {
  return edit == HYS_EDIT_DELAY              ? command->validity > 0
         : edit == HYS_EDIT_SUBSTITUTE       ? command->value_state >= 0
         : edit == HYS_EDIT_SUBSTITUTE_DELAY ? command->validity > 0 && command->value_state >= 0
                                             : false;
}

/* ---- other values ----------------------------------------------------------------------------------------
 */

/* A continuous range counts as so many values at equal distances from the one asked for; a range of at most
 * so many values is tried one by one. */
enum { HYSI_VALUE_PARTS = 1024, HYSI_VALUES_EACH = 16 };

/* The values of a command's range by their distance from the one asked for, in steps of the declared grid: k
 * steps to the side `up` is  base + (up ? k : -k) * step , k = 1 .. count. */
typedef struct side {
  double base, step;
  int32_t count;
} side;

static int32_t whole(double x) {
  return x < 1.0 ? 0 : x > 1e6 ? 1000000 : (int32_t)x;
}

static void sides(const hys_command *c, double wanted, side *below, side *above) {
  const bool grid = c->value_step > 0.0;
  const double step = grid ? c->value_step : (c->value_max - c->value_min) / HYSI_VALUE_PARTS;
  *below = *above = (side){wanted, step, 0};
  if (!(step > 0.0))
    return;
  if (grid) { /* of the grid, the neighbours of the value */
    const double k = floor((wanted - c->value_min) / step);
    const bool on = c->value_min + k * step >= wanted;
    below->base = c->value_min + (on ? k : k + 1.0) * step;
    above->base = c->value_min + k * step;
  }
  below->count = whole(floor((below->base - c->value_min) / step + 1e-9));
  above->count = whole(floor((c->value_max - above->base) / step + 1e-9));
}

static double value_at(const hys_command *c, const side *s, bool up, int32_t k) {
  const double v = s->base + (up ? (double)k : -(double)k) * s->step;
  return v < c->value_min ? c->value_min : v > c->value_max ? c->value_max : v;
}

/* Some plan is certified behind the command with this value, sent now (at = HYS_NEVER) or by the timer at
 * `at`. */
static bool value_holds(hys_shield *shield, int64_t now, uint32_t command, double value, int64_t at) {
  const hys_spec *spec = shield->spec;
  const hys_flight flight =
      at == HYS_NEVER ? hys_flight_now(spec, now, command, value) : hys_flight_at(spec, at, command, value);
  const int64_t token = hysi_token_at(shield, now), next = at == HYS_NEVER ? now : behind(spec, at);
  hys_situation situation;
  hys_plan plan;
  int64_t from = at == HYS_NEVER ? earliest(shield, now, true) : token;
  if (from == HYS_NEVER || overtakes(shield, &flight))
    return false;
  from = from > next ? from : next;
  hys_estimate_situation(&shield->estimate, &situation);
  return hys_plan_exists(&situation, &flight, 1, from, &shield->search, &plan);
}

/* A search for the nearest certified value. */
typedef struct value_search {
  hys_shield *shield;
  int64_t now, at;
  const hys_send *wanted;
  const hys_command *command;
  bool found;
  double value;
} value_search;

static double distance(const value_search *v, double value) {
  return fabs(value - v->wanted->value);
}

static bool try_value(value_search *v, const side *s, bool up, int32_t k) {
  const double value = value_at(v->command, s, up, k);
  if (v->shield->search.used >= v->shield->search.budget ||
      (v->found && distance(v, value) >= distance(v, v->value)) ||
      !value_holds(v->shield, v->now, v->wanted->command, value, v->at))
    return false;
  v->found = true;
  v->value = value;
  return true;
}

/* One side of a long range: the value with the refused neighbour towards the one asked for, which is the
 * nearest certified one where the certified values of the side form an interval up to its end. */
static void search_side(value_search *v, const side *s, bool up) {
  int32_t refused = 0, certified = s->count;
  while (v->found && certified > 0 &&
         distance(v, value_at(v->command, s, up, certified)) >= distance(v, v->value))
    certified -= 1 + certified / 16; /* only what is nearer than what has been found */
  if (certified < 1 || !try_value(v, s, up, certified))
    return;
  while (certified - refused > 1) {
    const int32_t middle = refused + (certified - refused) / 2;
    if (try_value(v, s, up, middle))
      certified = middle;
    else
      refused = middle;
  }
}

/* The value nearest to the one asked for that is certified (ties: towards the one in force); false: none was
 * found within the work. */
static bool nearest_value(hys_shield *shield, int64_t now, const hys_send *wanted, int64_t at,
                          double *found) {
  value_search v = {shield, now, at, wanted, &shield->spec->command[wanted->command], false, HYSI_NAN};
  const bool up_first = shield->in_force[wanted->command] > wanted->value;
  const uint32_t budget = shield->search.budget;
  side below, above;
  sides(v.command, wanted->value, &below, &above);
  if (shield->search.used < budget) /* the rest is for the plan behind the value */
    shield->search.budget = budget - (budget - shield->search.used) / 4;
  if (below.count + above.count <= HYSI_VALUES_EACH) {
    int32_t k[2] = {1, 1};
    while (!v.found && (k[0] <= below.count || k[1] <= above.count)) {
      const double down =
          k[0] <= below.count ? distance(&v, value_at(v.command, &below, false, k[0])) : HYSI_INF;
      const double up =
          k[1] <= above.count ? distance(&v, value_at(v.command, &above, true, k[1])) : HYSI_INF;
      const bool go_up = up < down || (up == down && up_first);
      (void)try_value(&v, go_up ? &above : &below, go_up, k[go_up]++);
      if (shield->search.used >= shield->search.budget)
        break;
    }
  } else {
    search_side(&v, up_first ? &above : &below, up_first);
    search_side(&v, up_first ? &below : &above, !up_first);
  }
  shield->search.budget = budget;
  *found = v.value;
  return v.found;
}

/* ---- later ------------------------------------------------------------------------------------------------
 */

/* The least s of the grid with Cert(X, (s,e).p), before the armed plan would fire; HYS_NEVER: none.
 * any_value: with the nearest value that is certified then, else with the one asked for. */
static int64_t delay(hys_shield *shield, int64_t now, const hys_send *wanted, bool any_value, double *value) {
  const hys_command *command = &shield->spec->command[wanted->command];
  *value = wanted->value;
  if (hysi_token_at(shield, now) == HYS_NEVER)
    return HYS_NEVER;
  for (int64_t s = now + shield->config.delay_grid;
       s <= shield->request.since + command->validity && s < shield->plan.at;
       s += shield->config.delay_grid) {
    if (s < hys_earliest_insertion(shield->spec, now, true))
      continue;
    if (value_holds(shield, now, wanted->command, wanted->value, s) ||
        (any_value && nearest_value(shield, now, wanted, s, value)))
      return s;
  }
  return HYS_NEVER;
}

static void stand(hys_shield *shield, int64_t now, const hys_send *wanted, bool fresh) {
  shield->request.standing = true;
  shield->request.send = *wanted;
  if (fresh) {
    shield->request.since = now;
    shield->request.substituted = false;
  }
}

/* Another value has been sent; the one asked for stands until it can be handed back. */
static void substituted(hys_shield *shield, int64_t now, const hys_send *wanted, const hys_send *instead,
                        const hys_search *why, hys_output *output) {
  shield->request.substituted = true;
  shield->request.send_at = HYS_NEVER;
  hysi_send(output, instead);
  hys_record *r = hysi_record(shield, output, now, HYS_ACTION_SUBSTITUTE, HYS_REASON_SUBSTITUTED);
  r->has_requested = r->has_applied = true;
  r->requested = *wanted;
  r->applied = *instead;
  r->failure = why->reason;
  r->constraint = why->constraint;
  r->margin = why->margin;
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
  const hys_command *command = &shield->spec->command[wanted->command];
  const hys_search why = shield->search; /* why it was not passed */
  int64_t at = HYS_NEVER;
  hys_send instead = *wanted;
  for (uint32_t k = 0; k < command->n_edits && at == HYS_NEVER; k++) {
    const hys_edit edit = command->edit[k];
    if (edit == HYS_EDIT_SUPPRESS)
      break;
    if (!allows(command, edit))
      continue;
    if (edit != HYS_EDIT_SUBSTITUTE) {
      at = delay(shield, now, wanted, edit == HYS_EDIT_SUBSTITUTE_DELAY, &shield->request.value);
    } else if (!shield->request.substituted &&
               nearest_value(shield, now, wanted, HYS_NEVER, &instead.value) && pass(shield, now, &instead)) {
      substituted(shield, now, wanted, &instead, &why, output);
      return;
    }
  }
  const bool exhausted = at == HYS_NEVER && shield->search.used >= shield->search.budget;
  shield->search.reason = exhausted ? HYS_REASON_DEADLINE : why.reason;
  shield->search.constraint = why.constraint;
  shield->search.margin = why.margin;
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
  const hys_flight flight = hys_flight_at(shield->spec, at, wanted.command, shield->request.value);
  const bool fires_first = shield->plan.at != HYS_NEVER && shield->plan.at <= at;
  if (at < now + shield->spec->timing.deadline || fires_first ||
      !commit(shield, now, &flight, behind(shield->spec, at))) {
    hysi_decide(shield, now, &wanted, false, output);
    return;
  }
  shield->request.substituted = !(wanted.value == shield->request.value) && !isnan(wanted.value);
  shield->request.standing = shield->request.substituted; /* to be handed back */
  shield->request.send_at = HYS_NEVER;
  shield->due.pending = true;
  shield->due.requested = wanted;
  shield->due.send = wanted;
  shield->due.send.value = shield->request.value;
  shield->due.send.timed = true;
  shield->due.at = at;
}
