#include "synth/offline/falsify.h"

#include <math.h>
#include <string.h>

#include "synth/offline/run_internal.h"

/* Runs of the systematic part before chance begins; then how often a run is a variation of the best one. */
enum { MOST_LOCATIONS = 64, FIRST_RANDOM = 24 };
static const double vary_often = 0.75;

typedef struct plan {
  hys_run_plan p;
  double *start, *input; /* what p points to */
} plan;

typedef struct search {
  size_t n;
  hys_runner *runner;
  const hys_hybrid_set *set;
  uint32_t n_sets;
  uint32_t (*at)[2]; /* starts: set and location */
  uint32_t n_at;
  uint64_t seed;
  plan best, next;
  double nearest;
} search;

static hys_status open_plan(plan *a, size_t n, hys_arena *arena) {
  a->start = hys_arena_alloc(arena, n, sizeof *a->start);
  a->input = hys_arena_alloc(arena, HYS_RUN_PIECES * n, sizeof *a->input);
  a->p = (hys_run_plan){0, 0, a->start, 1, a->input, 0.0, 0};
  return a->start != NULL && a->input != NULL ? HYS_OK : HYS_ERR_MEMORY;
}

static void copy_plan(plan *to, const plan *from, size_t n) {
  memcpy(to->start, from->start, n * sizeof *to->start);
  memcpy(to->input, from->input, HYS_RUN_PIECES * n * sizeof *to->input);
  to->p = from->p;
  to->p.start = to->start;
  to->p.input = to->input;
}

static double chance(search *s) {
  return hysi_run_chance(&s->seed);
}

/* An end of [0,1] more often than not: what is extreme is reached from what is extreme. */
static double fraction(search *s) {
  const double c = chance(s);

  return c < 0.35 ? 0.0 : c < 0.7 ? 1.0 : chance(s);
}

/* The k-th of the systematic plans: starts at the low, high and middle corner, inputs likewise, jumps early
 * or late. */
static bool systematic(search *s, uint32_t k) {
  static const double place[] = {0.5, 0.0, 1.0};
  plan *a = &s->next;
  const uint32_t at = k / 18;

  if (at >= s->n_at)
    return false;
  a->p.set = s->at[at][0];
  a->p.location = s->at[at][1];
  a->p.pieces = 1;
  a->p.patience = k % 2 == 0 ? 0.0 : 1.0;
  a->p.seed = k;
  for (size_t i = 0; i < s->n; i++) {
    a->start[i] = place[k / 2 % 3];
    a->input[i] = place[(k / 6 + 1) % 3];
  }
  return true;
}

static void random_plan(search *s) {
  plan *a = &s->next;
  const uint32_t at = (uint32_t)(chance(s) * s->n_at);
  const bool all_jumps_alike = chance(s) < 0.6;

  a->p.set = s->at[at][0];
  a->p.location = s->at[at][1];
  a->p.pieces = 1U << (uint32_t)(chance(s) * 5.0);
  a->p.patience = all_jumps_alike ? (chance(s) < 0.5 ? 0.0 : 1.0) : chance(s);
  a->p.seed = (uint64_t)(chance(s) * 0x1p53);
  for (size_t i = 0; i < s->n; i++)
    a->start[i] = fraction(s);
  for (size_t i = 0; i < HYS_RUN_PIECES * s->n; i++)
    a->input[i] = fraction(s);
}

static double nudged(search *s, double x) {
  const double y =
      chance(s) < 0.3 ? (x < 0.5 ? 1.0 : 0.0) : x + (chance(s) - 0.5) * pow(2.0, -8.0 * chance(s));

  return y < 0.0 ? 0.0 : y > 1.0 ? 1.0 : y;
}

/* The best plan with a few changes. */
static void vary(search *s) {
  plan *a = &s->next;
  const double part = pow(2.0, -4.0 * chance(s));

  copy_plan(a, &s->best, s->n);
  switch ((unsigned)(chance(s) * 6.0)) {
  case 0:
    a->p.seed = (uint64_t)(chance(s) * 0x1p53);
    break;
  case 1:
    a->p.patience = nudged(s, a->p.patience);
    break;
  case 2: /* twice as many pieces, for now with the same values */
    if (2 * a->p.pieces <= HYS_RUN_PIECES) {
      for (uint32_t k = 2 * a->p.pieces; k-- > 0;)
        memmove(a->input + k * s->n, a->input + k / 2 * s->n, s->n * sizeof *a->input);
      a->p.pieces *= 2;
    }
    break;
  default:
    break;
  }
  if (chance(s) < 0.7)
    for (size_t i = 0; i < s->n; i++)
      a->start[i] = chance(s) < part ? nudged(s, a->start[i]) : a->start[i];
  if (chance(s) < 0.7)
    for (size_t i = 0; i < a->p.pieces * s->n; i++)
      a->input[i] = chance(s) < part ? nudged(s, a->input[i]) : a->input[i];
}

/* The starts: every set with its first locations. */
static hys_status find_starts(search *s, const hys_hybrid *automaton, const hys_hybrid_set *initially,
                              uint32_t n_initially, hys_arena *arena) {
  s->at = hys_arena_alloc(arena, (size_t)n_initially * MOST_LOCATIONS, sizeof *s->at);
  if (s->at == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t i = 0; i < n_initially; i++)
    for (uint32_t k = 0; k < MOST_LOCATIONS; k++) {
      uint32_t location;
      const hys_status status = automaton->initial(automaton->context, &initially[i], k, &location);
      if (status == HYS_ERR_LIMIT)
        break;
      if (status != HYS_OK)
        return status;
      s->at[s->n_at][0] = i;
      s->at[s->n_at++][1] = k;
    }
  return HYS_OK;
}

/* Makes the next plan's run; keeps the plan if it came nearer. */
static hys_status try_next(search *s, hys_arena *arena, hys_run *run, bool *found) {
  hys_arena *scratch = hys_arena_create(NULL);
  hys_run made;
  double distance = HYSI_INF;
  hys_status status;

  if (scratch == NULL)
    return HYS_ERR_MEMORY;
  status = hys_run_make(s->runner, &s->next.p, s->set, s->n_sets, scratch, &made, &distance);
  *found = status == HYS_OK && made.enters != NULL;
  hys_arena_destroy(scratch);
  if (status == HYS_ERR_ARG)
    return HYS_OK; /* no such start */
  if (status != HYS_OK)
    return status;
  if (distance <= s->nearest) {
    s->nearest = distance;
    copy_plan(&s->best, &s->next, s->n);
  }
  return *found ? hys_run_make(s->runner, &s->best.p, s->set, s->n_sets, arena, run, &distance) : HYS_OK;
}

hys_status hys_falsify(const hys_hybrid *automaton, const hys_hybrid_set *set, uint32_t n_sets,
                       const hys_falsify_options *options, hys_arena *arena, hys_run *run, bool *found,
                       double *nearest) {
  const hys_hybrid_set *initially = options->initially != NULL ? options->initially : automaton->initially;
  const uint32_t n_initially = options->initially != NULL ? options->n_initially : automaton->n_initially;
  search s = {.n = automaton->n, .set = set, .n_sets = n_sets, .seed = options->seed, .nearest = HYSI_INF};
  hys_status status;
  uint32_t k = 0;

  *found = false;
  *nearest = HYSI_INF;
  *run = (hys_run){automaton->n, NULL, 0, 0.0, NULL};
  status = open_plan(&s.best, s.n, arena);
  if (status == HYS_OK)
    status = open_plan(&s.next, s.n, arena);
  if (status == HYS_OK)
    status = find_starts(&s, automaton, initially, n_initially, arena);
  if (status == HYS_OK)
    status = hys_runner_create(&s.runner, automaton, initially, n_initially, options->time_horizon,
                               options->max_jumps, options->pipe);
  if (status == HYS_OK)
    hys_runner_watch(s.runner, options->stop, options->stop_context);
  for (uint32_t tried = 0; status == HYS_OK && !*found && s.n_at > 0 && tried < options->max_runs; tried++) {
    if (options->stop != NULL && options->stop(options->stop_context))
      break;
    if (!systematic(&s, k++)) {
      if (k < 18 * s.n_at + FIRST_RANDOM || !(chance(&s) < vary_often) || isinf(s.nearest))
        random_plan(&s);
      else
        vary(&s);
    }
    status = try_next(&s, arena, run, found);
  }
  hys_runner_destroy(s.runner);
  *nearest = s.nearest;
  return status;
}
