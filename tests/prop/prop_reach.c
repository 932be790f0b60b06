/* Random runs of random automata lie in the sets that the engine gives for their instant, and never in what
 * it has shown to be avoided.
 *
 * A run is simulated in long double: between jumps x' = A x + B u + c with u constant over pieces of random
 * length, by the Taylor series until its terms vanish (||A|| t is at most 1/2: what is left out is below
 * 2^-64 of the state).  A piece is only gone if the invariants hold all along it, by the bound max(ends) +
 * t^2/8 |n.x''|; a border that a state moves towards at constant speed is met exactly, and stayed on where an
 * input allows it.  So what is simulated is a run but for the rounding of long double, 2^11 times finer than
 * the engine's. */
#include "core/rt/reach.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/built.h"
#include "tests/support/check.h"

enum { AUTOMATA = 240, RUNS = 50, HORIZONS = 6, MAX_N = 3, MAX_EFFECTS = 3 };

/* ---- numbers ----------------------------------------------------------------------------------------------
 */

static uint64_t random_state;

static uint64_t next_bits(void) { /* splitmix64 */
  uint64_t z = (random_state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}
static uint32_t below(uint32_t n) {
  return (uint32_t)(next_bits() % n);
}
static bool chance(uint32_t percent) {
  return below(100) < percent;
}
static double uniform(double lo, double hi) {
  return lo + (hi - lo) * ((double)(next_bits() >> 11) * 0x1p-53);
}
/* The ends as often as what lies between. */
static double member(hys_interval a) {
  const uint32_t pick = below(4);
  return pick == 0 || a.lo == a.hi ? a.lo : pick == 1 ? a.hi : fmin(fmax(uniform(a.lo, a.hi), a.lo), a.hi);
}

/* ---- automata ---------------------------------------------------------------------------------------------
 */

typedef struct subject {
  built m;
  hys_effect effect[MAX_EFFECTS];
  uint32_t n_effects;
  hys_set start;
  int64_t horizon[HORIZONS]; /* ticks, increasing */
  bool dense;                /* many jumps, and steps that are long to the end */
} subject;

static void random_row(double *row, size_t n, uint32_t percent) {
  for (size_t i = 0; i < n; i++)
    row[i] = chance(percent) ? uniform(-1.0, 1.0) : 0.0;
}

/* Of one state: row . x <= c with the sign and place given. */
static void unit_row(double *row, size_t n, size_t i, double sign) {
  for (size_t k = 0; k < n; k++)
    row[k] = 0.0;
  row[i] = sign;
}

static uint32_t random_location(built *m, uint32_t kind) {
  const size_t nx = m->automaton.nx, nu = m->automaton.nu;
  double a[MAX_N * MAX_N] = {0}, b[MAX_N * 2] = {0}, c[MAX_N] = {0};
  for (size_t i = 0; i < nx; i++) {
    for (size_t j = 0; j < nx; j++)
      switch (kind) {
      case 0: /* anything */
        a[i * nx + j] = uniform(-2.0, 2.0);
        break;
      case 1: /* order-monotone */
        a[i * nx + j] = i == j ? uniform(-2.0, 0.5) : chance(50) ? uniform(0.0, 1.5) : 0.0;
        break;
      case 2: /* chain of integrators: singular */
        a[i * nx + j] = j == i + 1 ? uniform(-1.0, 1.0) : 0.0;
        break;
      case 3: /* turns */
        a[i * nx + j] = i == j ? uniform(-0.3, 0.1) : (i < j ? 1.0 : -1.0) * uniform(0.5, 2.0);
        break;
      default: /* A = 0 */
        break;
      }
    for (size_t j = 0; j < nu; j++)
      b[i * nu + j] = (kind == 2 ? i + 1 == nx : chance(60)) ? uniform(-1.5, 1.5) : 0.0; /* one-row inputs */
    c[i] = chance(60) ? uniform(-1.0, 1.0) : 0.0;
  }
  const uint32_t k = built_location(m, "l", a, b, c);
  for (size_t j = 0; j < nu; j++) {
    const double at = uniform(-1.5, 1.5); /* off centre */
    built_input(m, k, j, at, at + (chance(80) ? uniform(0.0, 1.5) : 0.0));
  }
  return k;
}

static void random_jump(built *m, int32_t label, bool dense) {
  const size_t nx = m->automaton.nx, nu = m->automaton.nu;
  double row[MAX_N + 2];
  const uint32_t j = built_jump(m, below(m->automaton.n_locations), below(m->automaton.n_locations), label);
  if (label == HYS_NO_LABEL || chance(50)) {
    if (chance(60))
      unit_row(row, nx + nu, below((uint32_t)nx), chance(50) ? 1.0 : -1.0);
    else
      random_row(row, nx + nu, 70);
    built_guard(m, j, row, dense ? uniform(-0.3, 0.3) : uniform(-1.0, 0.5));
  }
  if (chance(20)) {
    random_row(row, nx + nu, 70);
    built_guard(m, j, row, uniform(-0.5, 1.5));
  }
  for (size_t i = 0; i < nx; i++) {
    if (chance(dense ? 85 : 60))
      continue;
    random_row(row, nx + nu, 50);
    const double lo = uniform(-0.5, 0.5);
    built_reset(m, j, i, chance(60) ? row : NULL, lo, chance(50) ? lo : lo + uniform(0.0, 0.3));
  }
}

static void random_subject(subject *s) {
  const size_t nx = 2 + below(2), nu = below(3), n = nx + nu;
  double row[MAX_N + 2];
  built *m = &s->m;
  built_start(m, nx, nu);
  const uint32_t locations = 1 + below(3);
  for (uint32_t k = 0; k < locations; k++) {
    random_location(m, below(5));
    for (uint32_t i = below(3); i > 0; i--) {
      if (chance(70)) {
        unit_row(row, n, below((uint32_t)nx), chance(50) ? 1.0 : -1.0);
        built_invariant(m, k, row, uniform(0.3, 1.5));
      } else {
        random_row(row, n, 70);
        for (size_t j = nx; j < n; j++)
          row[j] = 0.0; /* over states */
        built_invariant(m, k, row, uniform(0.5, 2.0));
      }
    }
  }
  built_command(m, "first");
  built_command(m, "second");
  built_event(m, "event", 0);
  s->dense = chance(50);
  for (uint32_t i = s->dense ? 2 + below(4) : below(3); i > 0; i--)
    random_jump(m, HYS_NO_LABEL, s->dense);
  if (chance(40))
    random_jump(m, 2, s->dense);
  for (int32_t label = 0; label < 2; label++)
    for (uint32_t i = 1 + below(3); i > 0; i--)
      random_jump(m, label, s->dense);
  int64_t t = 0;
  for (uint32_t i = 0; i < HORIZONS; i++)
    s->horizon[i] = t += s->dense ? INT64_C(1) << (11 + below(2)) : 1 + below(i % 2 == 0 ? 700 : 5000);
  int64_t last = 0;
  s->n_effects = below(s->dense ? 2 : MAX_EFFECTS + 1);
  for (uint32_t i = 0; i < s->n_effects; i++) {
    hys_effect *e = &s->effect[i];
    const int64_t from = below(9000), to = from + (chance(20) ? 0 : below(1500));
    *e = (hys_effect){(int32_t)below(2), -1, hys_interval_entire(), false, from, to > last ? to : last};
    last = e->to;
  }
  s->start = (hys_set){.location = 0};
  for (size_t i = 0; i < nx; i++) {
    const double lo = uniform(-0.3, 0.2);
    s->start.x[i] = hys_interval_make(lo, chance(s->dense ? 60 : 15) ? lo : lo + uniform(0.0, 0.3));
  }
}

/* ---- runs -------------------------------------------------------------------------------------------------
 */

typedef long double real;

typedef struct run {
  const subject *s;
  real x[MAX_N], u[2];
  uint32_t location, stage;
  real t;      /* s */
  real effect; /* instant of the next one */
  uint32_t jumps;
} run;

static real value_of(const hys_halfspace *row, const real *x, size_t nx, const real *u, size_t nu) {
  real sum = 0.0L;
  for (size_t i = 0; i < nx; i++)
    sum += (real)row->a[i].lo * x[i];
  for (size_t j = 0; u != NULL && j < nu; j++)
    sum += (real)row->a[nx + j].lo * u[j];
  return sum;
}

static bool holds(const run *r, const hys_conjunction *set, const real *x, const real *u) {
  const hys_automaton *a = &r->s->m.automaton;
  for (uint32_t k = 0; k < set->n; k++)
    if (!(value_of(&set->row[k], x, a->nx, u, a->nu) <= (real)set->row[k].c.lo))
      return false;
  return true;
}

static void slope_of(const run *r, const real *x, real *slope) {
  const hys_automaton *a = &r->s->m.automaton;
  const hys_flow *f = &a->location[r->location].flow;
  for (size_t i = 0; i < a->nx; i++) {
    slope[i] = (real)f->c[i].lo;
    for (size_t j = 0; j < a->nx; j++)
      slope[i] += (real)f->a[i * a->nx + j].lo * x[j];
    for (size_t j = 0; j < a->nu; j++)
      slope[i] += (real)f->b[i * a->nu + j].lo * r->u[j];
  }
}

static real norm_of(const hys_automaton *a, const hys_flow *f) {
  real most = 0.0L;
  for (size_t i = 0; i < a->nx; i++) {
    real sum = 0.0L;
    for (size_t j = 0; j < a->nx; j++)
      sum += fabsl((real)f->a[i * a->nx + j].lo);
    most = sum > most ? sum : most;
  }
  return most;
}

/* x(t) by its series: x + sum_k t^k/k! A^(k-1) x'. */
static void flow_to(const run *r, real t, real *x) {
  const hys_automaton *a = &r->s->m.automaton;
  const hys_flow *f = &a->location[r->location].flow;
  real term[MAX_N], next[MAX_N];
  slope_of(r, r->x, term);
  for (size_t i = 0; i < a->nx; i++) {
    x[i] = r->x[i];
    term[i] *= t;
  }
  for (int k = 2; k < 40; k++) {
    real largest = 0.0L;
    for (size_t i = 0; i < a->nx; i++) {
      x[i] += term[i];
      next[i] = 0.0L;
      for (size_t j = 0; j < a->nx; j++)
        next[i] += (real)f->a[i * a->nx + j].lo * term[j];
      next[i] *= t / (real)k;
      largest = fmaxl(largest, fabsl(next[i]));
    }
    memcpy(term, next, sizeof term);
    if (largest < 1e-22L)
      break;
  }
}

/* The invariant holds on all of [0,t] of the flow from r->x to `end'. */
static bool stays(const run *r, real t, const real *end) {
  const hys_automaton *a = &r->s->m.automaton;
  const hys_location *here = &a->location[r->location];
  const real norm = norm_of(a, &here->flow);
  real slope[MAX_N], fastest = 0.0L;
  slope_of(r, r->x, slope);
  for (size_t i = 0; i < a->nx; i++)
    fastest = fmaxl(fastest, fabsl(slope[i]));
  for (uint32_t k = 0; k < here->invariant.n; k++) {
    const hys_halfspace *row = &here->invariant.row[k];
    /* n.x'' = n.A x': the norm of n A, no more than zero where the face moves at a constant speed */
    real bend = 0.0L;
    for (size_t j = 0; j < a->nx; j++) {
      real sum = 0.0L;
      for (size_t i = 0; i < a->nx; i++)
        sum += (real)row->a[i].lo * (real)here->flow.a[i * a->nx + j].lo;
      bend += fabsl(sum);
    }
    bend *= fastest * expl(norm * t);
    const real most = fmaxl(value_of(row, r->x, a->nx, NULL, 0), value_of(row, end, a->nx, NULL, 0));
    if (!(most + t * t / 8.0L * bend <= (real)row->c.lo))
      return false;
  }
  return true;
}

static void pick_input(run *r) {
  const hys_automaton *a = &r->s->m.automaton;
  for (size_t j = 0; j < a->nu; j++)
    r->u[j] = (real)member(a->location[r->location].u[j]);
}

/* On a border x_i = c with x_i' = b u_j + c' one input may be chosen so that the state stays there. */
static bool pick_input_for_border(run *r) {
  const hys_automaton *a = &r->s->m.automaton;
  const hys_location *here = &a->location[r->location];
  for (uint32_t k = 0; k < here->invariant.n; k++) {
    const hys_halfspace *row = &here->invariant.row[k];
    real rate = 0.0L, slope[MAX_N];
    if (value_of(row, r->x, a->nx, NULL, 0) < (real)row->c.lo - 1e-12L)
      continue;
    slope_of(r, r->x, slope);
    for (size_t i = 0; i < a->nx; i++)
      rate += (real)row->a[i].lo * slope[i];
    for (size_t j = 0; j < a->nu && rate > 0.0L; j++) {
      real gain = 0.0L;
      for (size_t i = 0; i < a->nx; i++)
        gain += (real)row->a[i].lo * (real)here->flow.b[i * a->nu + j].lo;
      if (gain == 0.0L)
        continue;
      const real wanted = r->u[j] - rate / gain * (1.0L + 1e-15L);
      if ((real)here->u[j].lo <= wanted && wanted <= (real)here->u[j].hi) {
        r->u[j] = wanted;
        return true;
      }
    }
  }
  return false;
}

/* The image of x under the jump with random choices; false: not enabled. */
static bool take(run *r, const hys_jump *jump) {
  const hys_automaton *a = &r->s->m.automaton;
  real image[MAX_N];
  if (!holds(r, &jump->guard, r->x, r->u))
    return false;
  for (size_t i = 0; i < a->nx; i++) {
    const hys_reset_row *row = &jump->reset[i];
    if (row->identity) {
      image[i] = r->x[i];
      continue;
    }
    image[i] = (real)member(row->offset);
    for (size_t j = 0; row->coef != NULL && j < a->nx; j++)
      image[i] += (real)row->coef[j].lo * r->x[j];
    for (size_t j = 0; row->coef != NULL && j < a->nu; j++)
      image[i] += (real)row->coef[a->nx + j].lo * r->u[j];
  }
  if (!holds(r, &a->location[jump->target].invariant, image, NULL))
    return false;
  memcpy(r->x, image, sizeof image);
  r->location = jump->target;
  r->jumps++;
  pick_input(r);
  return true;
}

static bool take_label(run *r, int32_t label) {
  const hys_automaton *a = &r->s->m.automaton;
  const hys_location *here = &a->location[r->location];
  const uint32_t first = here->n_jumps > 0 ? below(here->n_jumps) : 0;
  for (uint32_t k = 0; k < here->n_jumps; k++) {
    const hys_jump *jump = &a->jump[here->jump[(first + k) % here->n_jumps]];
    if (jump->label == label && take(r, jump))
      return true;
  }
  return false;
}

static real instant(int64_t from, int64_t to) {
  const uint32_t pick = below(4);
  const real at = pick == 0 ? (real)from : pick == 1 ? (real)to : (real)uniform((double)from, (double)to);
  return at / 16384.0L;
}

static void next_effect(run *r) {
  if (r->stage < r->s->n_effects) {
    const hys_effect *e = &r->s->effect[r->stage];
    r->effect = fmaxl(r->t, instant(e->from, e->to));
  }
}

static void start_run(run *r, const subject *s) {
  memset(r, 0, sizeof *r);
  r->s = s;
  r->location = s->start.location;
  for (size_t i = 0; i < s->m.automaton.nx; i++)
    r->x[i] = (real)member(s->start.x[i]);
  next_effect(r);
  pick_input(r);
}

/* Goes on to `until'.  false: no way on was found. */
static bool advance(run *r, real until) {
  const hys_automaton *a = &r->s->m.automaton;
  const uint32_t patience = r->jumps + 200;
  for (int stuck = 0; stuck < 40 && r->jumps < patience;) {
    /* at the horizon nothing more happens but effects that are due before it or have to happen */
    const bool open = r->stage < r->s->n_effects;
    if (open && r->effect <= r->t) {
      const hys_effect *e = &r->s->effect[r->stage];
      take_label(r, e->label); /* else it is ignored */
      r->stage++;
      next_effect(r);
      continue;
    }
    if (r->t >= until)
      return true;
    if (chance(r->s->dense ? 40 : 25) && (take_label(r, HYS_NO_LABEL) || take_label(r, 2)))
      continue;
    if (chance(30))
      pick_input(r);
    real dt = (real)uniform(0.0, 0.03), end[MAX_N];
    const hys_flow *f = &a->location[r->location].flow;
    const real limit = 0.5L / fmaxl(1.0L, norm_of(a, f));
    const real stop = open && r->effect < until ? r->effect : until;
    dt = fminl(dt, limit);
    if (r->t + dt > stop)
      dt = stop - r->t;
    /* shorter and shorter pieces towards a border, then another input, then a jump */
    bool moved = false;
    for (int k = 0; k < 12 && !moved; k++, dt *= 0.25L) {
      flow_to(r, dt, end);
      moved = stays(r, dt, end);
      if (moved) {
        memcpy(r->x, end, sizeof end);
        r->t = r->t + dt > stop || stop - (r->t + dt) < 1e-18L ? stop : r->t + dt;
      }
    }
    if (moved) {
      stuck = 0;
      continue;
    }
    stuck++;
    if (!pick_input_for_border(r) && !take_label(r, HYS_NO_LABEL) && !take_label(r, 2))
      pick_input(r);
  }
  return false;
}

/* ---- containment ------------------------------------------------------------------------------------------
 */

static bool inside(const run *r, const hys_reach_result *result, double shrink) {
  const size_t nx = r->s->m.automaton.nx;
  for (uint32_t k = 0; k < result->n_sets; k++) {
    const hys_set *set = &result->set[k];
    bool in = set->location == r->location && set->stage == r->stage;
    for (size_t i = 0; i < nx && in; i++) {
      const real by = (real)(shrink * (set->x[i].hi - set->x[i].lo));
      in = (real)set->x[i].lo + by <= r->x[i] && r->x[i] <= (real)set->x[i].hi - by;
    }
    if (in)
      return true;
  }
  return false;
}

static void describe(const run *r, const hys_reach_result *result) {
  printf("  run at t %.9Lf location %u stage %u:", r->t, r->location, r->stage);
  for (size_t i = 0; i < r->s->m.automaton.nx; i++)
    printf(" %.21Lg", r->x[i]);
  printf("\n");
  for (uint32_t k = 0; k < result->n_sets; k++) {
    printf("  set location %u stage %u:", result->set[k].location, result->set[k].stage);
    for (size_t i = 0; i < r->s->m.automaton.nx; i++)
      printf(" [%.17g, %.17g]", result->set[k].x[i].lo, result->set[k].x[i].hi);
    printf("\n");
  }
}

static hys_reach_problem problem_of(const subject *s) {
  return (hys_reach_problem){.automaton = &s->m.automaton,
                             .command_labels = 3,
                             .effect = s->effect,
                             .n_effects = s->n_effects,
                             .budget = 20000};
}

typedef struct tally {
  unsigned decided, undecided, reached, jumped, taken, shrunk;
} tally;

static void contain(subject *s, hys_reach_work *work, tally *sum) {
  static hys_reach_result result[HORIZONS];
  bool known[HORIZONS], shrunk = false;
  hys_reach_problem p = problem_of(s);
  unsigned decided = 0;
  for (uint32_t h = 0; h < HORIZONS; h++) {
    p.horizon = s->horizon[h];
    known[h] = hys_reach(&p, &s->start, 1, work, &result[h]) == HYS_OK && result[h].verdict == HYS_HOLDS;
    decided += known[h];
  }
  sum->decided += decided;
  sum->undecided += HORIZONS - decided;
  for (uint32_t i = 0; i < RUNS; i++) {
    run r;
    start_run(&r, s);
    if (!holds(&r, &s->m.automaton.location[r.location].invariant, r.x, NULL))
      continue; /* no state of the automaton */
    for (uint32_t h = 0; h < HORIZONS && advance(&r, (real)s->horizon[h] / 16384.0L); h++) {
      if (!known[h])
        continue;
      sum->reached++;
      sum->jumped += r.jumps > 0;
      sum->taken += r.stage > 0;
      shrunk = shrunk || !inside(&r, &result[h], 0.02);
      if (!CHECK(inside(&r, &result[h], 0.0))) {
        describe(&r, &result[h]);
        return;
      }
    }
  }
  sum->shrunk += shrunk;
}

static void containment(void) {
  static subject s;
  tally sum = {0};
  hys_reach_work *work = malloc(hys_reach_work_size());
  if (!CHECK(work != NULL))
    return;
  for (uint64_t seed = 1; seed <= AUTOMATA; seed++) {
    check_label("automaton %u", (unsigned)seed);
    random_state = seed * UINT64_C(1000003);
    random_subject(&s);
    if (CHECK(built_finish(&s.m)))
      contain(&s, work, &sum);
    built_end(&s.m);
  }
  free(work);
  check_label("sums");
  printf(
      "%u horizons decided, %u not; %u points compared, %u after a jump, %u after a command; in %u automata "
      "a point lies within 2 %% of the border\n",
      sum.decided, sum.undecided, sum.reached, sum.jumped, sum.taken, sum.shrunk);
  CHECK(sum.decided >= 2 * sum.undecided); /* the rest has more sets at a time than there is room for */
  CHECK(sum.reached > AUTOMATA * RUNS && sum.jumped > sum.reached / 10 && sum.taken > sum.reached / 10);
  CHECK(sum.shrunk > AUTOMATA / 2); /* sets a little smaller would have been found out */
}

/* The same with a clock, Bad and a terminal set that is the clock's end: what is certified is never entered,
 * and with Bad moved inside by a little more than the enclosure's slack it would not be certified. */
static void avoidance(void) {
  static subject s;
  static hys_reach_result result;
  unsigned certified = 0, points = 0, close = 0;
  hys_reach_work *work = malloc(hys_reach_work_size());
  if (!CHECK(work != NULL))
    return;
  for (uint64_t seed = 1; seed <= 120; seed++) {
    check_label("automaton %u", (unsigned)seed);
    random_state = seed * UINT64_C(7777777);
    built *m = &s.m;
    const size_t nx = 3, nu = below(3);
    built_start(m, nx, nu);
    const uint32_t locations = 1 + below(2);
    for (uint32_t k = 0; k < locations; k++) {
      const uint32_t kind = below(5);
      double a[9] = {0}, b[6] = {0}, c[3] = {0};
      for (size_t i = 0; i < 2; i++) {
        for (size_t j = 0; j < 2; j++)
          a[i * 3 + j] = kind == 4   ? 0.0
                         : kind == 1 ? (i == j ? uniform(-2.0, 0.5) : uniform(0.0, 1.5))
                         : kind == 2 ? (i < j ? 1.0 : 0.0)
                                     : uniform(-2.0, 2.0);
        for (size_t j = 0; j < nu; j++)
          b[i * nu + j] = chance(60) ? uniform(-1.5, 1.5) : 0.0;
        c[i] = uniform(-1.0, 1.0);
      }
      c[2] = 1.0; /* the clock */
      built_location(m, "l", a, b, c);
      for (size_t j = 0; j < nu; j++) {
        const double at = uniform(-1.0, 1.0);
        built_input(m, k, j, at, at + uniform(0.0, 1.0));
      }
    }
    built_command(m, "first");
    built_command(m, "second");
    built_event(m, "event", 0);
    for (uint32_t i = below(4); i > 0; i--) {
      const int32_t labels[3] = {HYS_NO_LABEL, 0, 2};
      const uint32_t j = built_jump(m, below(locations), below(locations), labels[below(3)]);
      double row[MAX_N + 2] = {0};
      row[below(2)] = chance(50) ? 1.0 : -1.0;
      built_guard(m, j, row, uniform(-0.5, 0.5));
      if (chance(50)) {
        const double lo = uniform(-0.5, 0.5);
        built_reset(m, j, below(2), NULL, lo, lo + 0.1);
      }
    }
    const double length = uniform(0.1, 1.0);
    double clock[MAX_N + 2] = {0, 0, -1}, bad[MAX_N + 2] = {0};
    built_terminal(m, 0, HYS_ANY_LOCATION, clock, -length);
    bad[0] = uniform(-1.0, 1.0);
    bad[1] = chance(50) ? 0.0 : uniform(-1.0, 1.0);
    built_forbidden(m, 0, HYS_ANY_LOCATION, bad, 0.0, false);
    s.n_effects = below(2);
    s.effect[0] = (hys_effect){0, -1, hys_interval_entire(), false, 100, 900};
    s.start = (hys_set){.location = 0};
    for (size_t i = 0; i < 2; i++) {
      const double lo = uniform(-0.3, 0.2);
      s.start.x[i] = hys_interval_make(lo, lo + uniform(0.0, 0.3));
    }
    s.start.x[2] = hys_interval_point(0.0);
    if (CHECK(built_finish(m))) {
      hys_reach_problem p = problem_of(&s);
      p.certify = true;
      p.terminal = m->terminal;
      p.n_terminal = 1;
      p.horizon = 20000;
      /* the largest c for which bad . x <= c is certified to be avoided, within 1/100 */
      double low = -20.0, high = 2.0;
      bool any = false;
      while (high - low > 0.01) {
        const double c = 0.5 * (low + high);
        m->forbidden_row[0][0].c = hys_interval_point(c);
        hys_reach(&p, &s.start, 1, work, &result);
        if (result.verdict == HYS_HOLDS) {
          low = c;
          any = true;
        } else
          high = c;
      }
      certified += any;
      real nearest = HUGE_VALL;
      for (uint32_t i = 0; any && i < RUNS; i++) {
        run r;
        start_run(&r, &s);
        for (int k = 0; k <= 64; k++) {
          if (!advance(&r, (real)length * (real)k / 64.0L))
            break;
          const real value = value_of(&m->forbidden_row[0][0], r.x, nx, NULL, 0);
          points++;
          nearest = fminl(nearest, value);
          if (!CHECK(value > (real)low)) {
            printf("  certified above %.17g, a run has %.17Lg at %.9Lf\n", low, value, r.t);
            break;
          }
        }
      }
      close += any && nearest < (real)low + 0.1L;
    }
    built_end(m);
  }
  free(work);
  check_label("sums");
  printf("%u of 120 automata certified, %u points, %u with a run within 0.1 of what is certified\n",
         certified, points, close);
  CHECK(certified > 80 && close > 20);
}

CHECK_MAIN("prop_reach", {"runs lie in the sets", containment}, {"what is certified is avoided", avoidance})
