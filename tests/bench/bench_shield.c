/* How long a decision of the shield takes, by kind: adaptive cruise control in a closed loop with noise.
 *
 * Processor time of the thread, one clock read before and after a step. Next to it, in the same run, the bare
 * loop: as many steps of a box by the prepared rows as the decisions took, without anything around them.
 * PERIODS of the environment (default 4000) sets the length. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/rt/step.h"
#include "tests/support/check.h"
#include "tests/support/rig.h"

typedef enum kind {
  SAMPLE_RENEWED,
  SAMPLE_STANDS,
  COMMAND_PASSED,
  COMMAND_DELAYED,
  COMMAND_SUPPRESSED,
  TIMER_FIRED,
  TIMER_IDLE,
  KINDS
} kind;
static const char *const kind_name[KINDS] = {
    "sample, plan renewed", "sample, plan stands", "command passed",    "command delayed",
    "command suppressed",   "timer, plan fires",   "timer, nothing due"};

typedef struct series {
  double *ns;
  double work;
  size_t n, room;
} series;

static double thread_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static uint64_t random_state = 1;
static double uniform(double lo, double hi) { /* splitmix64 */
  uint64_t z = (random_state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return lo + (hi - lo) * ((double)((z ^ (z >> 31)) >> 11) * 0x1p-53);
}

static void note(series *s, double ns, uint32_t work) {
  if (s->n < s->room)
    s->ns[s->n++] = ns;
  s->work += work;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double at_share(const series *s, double share) {
  return s->n > 0 ? s->ns[(size_t)(share * (double)(s->n - 1))] : (double)NAN;
}

/* The plant, to within a millisecond: good enough to be a load, since samples tell the shield where it is.
 */
typedef struct plant {
  double d, v, w, a, lead;
  double next_a, effect; /* a command on its way */
} plant;

static void run_plant(plant *p, double from, double to) {
  for (double t = from; t < to - 1e-12;) {
    const double h = fmin(1e-3, to - t);
    if (p->effect <= t) {
      p->a = p->next_a;
      p->effect = HUGE_VAL;
    }
    const double a = p->v <= 0.0 && p->a < 0.0 ? 0.0 : p->a, l = p->w <= 0.0 && p->lead < 0.0 ? 0.0 : p->lead;
    p->d += (p->w - p->v) * h + 0.5 * (l - a) * h * h;
    p->v = fmax(0.0, p->v + a * h);
    p->w = fmin(59.0, fmax(0.0, p->w + l * h));
    t += h;
  }
}

static double acceleration(const rig *r, const hys_send *send) {
  return send->command == r->accelerate  ? 2.0
         : send->command == r->cruise    ? 0.0
         : send->command == r->coast     ? -0.5
         : send->command == r->set_accel ? send->value
                                         : -6.0;
}

static void take_sends(const rig *r, plant *p, double t) {
  for (uint32_t i = 0; i < r->out.n_sends; i++) {
    p->next_a = acceleration(r, &r->out.send[i]);
    p->effect = t + 0.02;
  }
}

static void run_timer(rig *r, plant *p, double *t, double until, series *all) {
  while (r->out.wake != HYS_NEVER && (double)r->out.wake * 1e-9 <= until) {
    const int64_t wake = r->out.wake;
    run_plant(p, *t, (double)wake * 1e-9);
    *t = fmax(*t, (double)wake * 1e-9);
    const double before = thread_ns();
    rig_timer_at(r, wake);
    const double ns = thread_ns() - before;
    if (r->out.n_sends > 0)
      note(&all[TIMER_FIRED], ns, r->shield->search.used);
    take_sends(r, p, *t);
  }
  run_plant(p, *t, until);
  *t = until;
}

/* Periods of a drive: a sample, a command a little later, and a timer that finds nothing to do. */
static void drive(rig *r, int periods, series *all) {
  plant p = {.v = uniform(5.0, 30.0), .w = uniform(5.0, 30.0), .effect = HUGE_VAL};
  p.d = 4.0 + fmax(0.0, (p.v * p.v - p.w * p.w) / 12.0) + 0.1 * p.v + uniform(0.0, 15.0);
  double t = 0.0;
  hys_shield_reset(r->shield);
  r->out.wake = HYS_NEVER;
  for (int k = 0; k < periods; k++) {
    run_timer(r, &p, &t, 0.1 * k, all);
    if (k % 10 == 0)
      p.lead = uniform(0.0, 1.0) < 0.3 ? -6.0 : uniform(-2.0, 3.5);
    const int64_t plan = r->shield->plan.at;
    const double d = p.d + uniform(-0.25, 0.25), v = p.v + uniform(-0.1, 0.1), w = p.w + uniform(-0.1, 0.1);
    double before = thread_ns();
    rig_acc_sample(r, 1e3 * t, d, v, w);
    double ns = thread_ns() - before;
    if (r->out.state != HYS_STATE_GUARDED) {
      take_sends(r, &p, t);
      break;
    }
    note(&all[r->shield->plan.at != plan ? SAMPLE_RENEWED : SAMPLE_STANDS], ns, r->shield->search.used);
    take_sends(r, &p, t);
    run_timer(r, &p, &t, 0.1 * k + uniform(0.002, 0.05), all);
    /* an impatient driver: mostly wants to go faster */
    const uint32_t commands[5] = {r->accelerate, r->cruise, r->coast, r->set_accel, r->set_accel};
    before = thread_ns();
    const hys_record *record = rig_command_at(r, (int64_t)(t * 1e9), commands[(int)uniform(0.0, 4.999)],
                                              uniform(-1.0, 2.0), (uint64_t)k + 1);
    ns = thread_ns() - before;
    if (r->out.n_records == 1)
      note(&all[record->action == HYS_ACTION_PASS    ? COMMAND_PASSED
                : record->action == HYS_ACTION_DELAY ? COMMAND_DELAYED
                                                     : COMMAND_SUPPRESSED],
           ns, r->shield->search.used);
    take_sends(r, &p, t);
    const double next = t + 0.01;
    run_timer(r, &p, &t, next, all);
    if (r->out.wake > (int64_t)(t * 1e9)) {
      before = thread_ns();
      rig_timer_at(r, (int64_t)(t * 1e9));
      note(&all[TIMER_IDLE], thread_ns() - before, 0);
    }
  }
}

/* One step of a box by the rows of the braking mode, over and over. */
static double bare_step_ns(const rig *r, size_t steps) {
  const hys_automaton *a = r->spec.automaton;
  hys_interval x[HYS_MAX_STATES], tube[HYS_MAX_STATES];
  double sum = 0.0;
  for (size_t i = 0; i < a->nx; i++)
    x[i] = hys_interval_make(20.0, 20.5);
  const double before = thread_ns();
  for (size_t k = 0; k < steps; k++) {
    x[r->d].lo = 20.0 + 1e-9 * (double)k;
    hys_flow_tube(&a->location[0].flow, a->nx, 4, x, tube);
    sum += tube[r->d].lo;
  }
  const double ns = (thread_ns() - before) / (double)steps;
  return sum == 1.5 ? 0.0 : ns; /* the sum is used */
}

static void measure(void) {
  const char *text = getenv("PERIODS");
  const int periods = text != NULL ? (int)strtol(text, NULL, 10) : 4000;
  series all[KINDS] = {{0}};
  rig r;
  if (!rig_read_acc(&r))
    return;
  bool room = true;
  for (int k = 0; k < KINDS; k++) {
    all[k].room = (size_t)periods * 4;
    all[k].ns = malloc(all[k].room * sizeof *all[k].ns);
    room = room && all[k].ns != NULL;
  }
  if (CHECK(room) && rig_make(&r)) {
    for (int k = 0; k < periods; k += 50)
      drive(&r, 50, all);
    double ns = 0.0, work = 0.0;
    size_t decisions = 0;
    printf("%-22s %8s %10s %10s %10s %12s\n", "decision", "number", "p50 us", "p99 us", "max us",
           "mean steps");
    for (int k = 0; k < KINDS; k++) {
      const series *s = &all[k];
      qsort(s->ns, s->n, sizeof *s->ns, by_value);
      printf("%-22s %8zu %10.2f %10.2f %10.2f %12.1f\n", kind_name[k], s->n, 1e-3 * at_share(s, 0.5),
             1e-3 * at_share(s, 0.99), 1e-3 * at_share(s, 1.0), s->n > 0 ? s->work / (double)s->n : 0.0);
      for (size_t i = 0; i < s->n; i++)
        ns += s->ns[i];
      work += s->work;
      decisions += k == TIMER_IDLE ? 0 : s->n;
    }
    const double bare = bare_step_ns(&r, 1000000);
    printf("%zu decisions, %.0f steps, %.1f ns a step all told; the bare loop over the same rows %.1f ns a "
           "step: ratio %.2f\n",
           decisions, work, ns / work, bare, ns / work / bare);
    printf("a shield takes %zu bytes\n", hys_shield_size(&r.spec));
    CHECK(decisions >= 2000 || periods < 2000);
  }
  for (int k = 0; k < KINDS; k++)
    free(all[k].ns);
  rig_end(&r);
}

CHECK_MAIN("bench_shield", {"decisions", measure})
