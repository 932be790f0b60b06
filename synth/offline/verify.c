#include "synth/offline/verify.h"

#include <math.h>
#include <string.h>

#include "synth/offline/falsify.h"
#include "synth/offline/pass.h"
#include "synth/offline/stateless.h"

/* From here on a location without jumps is looked at by directions, without sets. */
static const size_t many_variables = 12;

void hys_verify_options_default(hys_verify_options *options, double time_horizon) {
  memset(options, 0, sizeof *options);
  options->time_horizon = time_horizon;
  options->max_jumps = 1000;
  options->max_items = 20000;
  options->max_passes = 12;
  options->clusters = 1;
  options->falsify_runs = 24;
  options->threads = 1;
  options->seed = 1;
}

static hysi_fineness fineness(const hys_verify_options *o, uint32_t k, bool strict) {
  const double T = o->time_horizon;
  hysi_fineness f;

  f.step = o->pipe.max_step > 0.0 ? o->pipe.max_step : ldexp(T, -6 - (int)k);
  f.shortest = ldexp(T, -14 - 2 * (int)k);
  f.edge = 0x1p-22;
  f.tolerance = (o->pipe.tolerance > 0.0 ? o->pipe.tolerance : 0.02) * ldexp(1.0, -2 * (int)k);
  f.clusters = o->clusters << (k > 6 ? 6 : k);
  f.strict = strict;
  f.together = 65536U;
  f.widen = ldexp(1.0, -6 - 2 * (int)k);
  f.split = k < 2 ? 0 : 2 * (k - 1) > 16 ? 16 : 2 * (k - 1);
  return f;
}

static void tell_segments(const hys_hybrid *a, const hys_verify_options *o, const hysi_segment_store *s) {
  for (size_t k = 0; k < s->n; k++) {
    hys_segment_view v = {s->time[2 * k], s->time[2 * k + 1], s->index[k], NULL, s->box + k * a->n};
    if (a->location(a->context, v.index, &v.location) == HYS_OK)
      o->segment(o->segment_context, &v);
  }
}

static const char *kept(hys_arena *arena, const char *text) {
  const char *copy = hys_arena_strdup(arena, text, strlen(text));

  return copy != NULL ? copy : "";
}

/* Looks for runs into the sets that are still open. */
static hys_status falsify(const hys_hybrid *a, const hys_property *property, uint32_t n,
                          const hys_verify_options *o, uint32_t k, bool *undecided, hys_arena *arena,
                          hys_verify_result *result) {
  hys_status status = HYS_OK;

  for (uint32_t q = 0; q < n && status == HYS_OK && o->falsify_runs > 0; q++) {
    const hys_falsify_options f = {.time_horizon = o->time_horizon,
                                   .max_jumps = o->max_jumps < 200 ? o->max_jumps : 200,
                                   .max_runs = o->falsify_runs << (k > 4 ? 8 : 2 * k),
                                   .seed = o->seed + k,
                                   .initially = o->initially,
                                   .n_initially = o->n_initially,
                                   .stop = o->stop,
                                   .stop_context = o->stop_context};
    bool found = false;
    double nearest;
    if (!undecided[q] || property[q].n == 0)
      continue;
    status =
        hys_falsify(a, property[q].set, property[q].n, &f, arena, &result->property[q].run, &found, &nearest);
    if (status == HYS_ERR_UNSUPPORTED) /* the reason stands in the answer */
      return HYS_OK;
    if (found) {
      result->property[q].verdict = HYS_VIOLATED;
      result->property[q].reason = NULL;
      undecided[q] = false;
    }
  }
  return status;
}

/* Constant rates: *done if that decides everything, and nobody waits for segments that it could not tell. */
static hys_status by_polyhedra(const hys_hybrid *a, const hys_property *property, uint32_t n,
                               const hys_verify_options *o, bool thorough, bool *undecided,
                               hys_verify_result *result, hysi_linear_outcome *outcome, bool *done) {
  const hys_status status = hysi_linear_verify(a, property, n, o, thorough, undecided, result, outcome);

  *done = outcome->bounded && (outcome->told || o->segment == NULL);
  for (uint32_t q = 0; q < n; q++)
    *done = *done && !undecided[q];
  return status;
}

static hys_status with_states(const hys_hybrid *a, const hys_property *property, uint32_t n_properties,
                              const hys_verify_options *o, hys_arena *arena, hys_verify_result *result) {
  bool *undecided = hys_arena_alloc(arena, n_properties + 1, sizeof *undecided);
  hysi_segment_store segments = {NULL, NULL, NULL, 0, 0};
  uint32_t open = 0;
  bool done = false, strict = false;
  hysi_linear_outcome linear = {false, false, false, false};
  hys_status status = HYS_OK;

  result->property = hys_arena_alloc(arena, n_properties + 1, sizeof *result->property);
  result->bounds = hys_arena_alloc(arena, a->n, sizeof *result->bounds);
  if (undecided == NULL || result->property == NULL || result->bounds == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t q = 0; q < n_properties; q++) {
    undecided[q] = true;
    result->property[q] = (hys_property_result){.verdict = HYS_UNKNOWN, .reason = "nothing was computed"};
  }
  for (size_t i = 0; i < a->n; i++)
    result->bounds[i] = hys_interval_entire();
  if (a->n >= many_variables && o->segment == NULL) {
    bool handled = false;
    status = hysi_rows_verify(a, property, n_properties, o, arena, undecided, result, &handled);
    for (uint32_t q = 0; q < n_properties && handled; q++)
      open += undecided[q];
    done = handled && open == 0;
  }
  if (status == HYS_OK && !done)
    status = by_polyhedra(a, property, n_properties, o, false, undecided, result, &linear, &done);
  if (status == HYS_OK && !done &&
      a->n == 0) { /* locations alone: what is not proved now is a matter of runs */
    status = falsify(a, property, n_properties, o, 0, undecided, arena, result);
    done = true;
  }
  for (uint32_t k = 0; k < o->max_passes && !done && status == HYS_OK; k++) {
    hysi_pass p;
    bool complete;
    status = hysi_pass_open(&p, a, property, n_properties, o, undecided);
    p.e.fineness = fineness(o, k, strict);
    if (status == HYS_OK)
      status = hysi_pass_run(&p, arena, k == 0);
    complete = status == HYS_OK && !p.stopped && p.lost == NULL && p.todo.n == 0;
    open = 0;
    for (uint32_t q = 0; status == HYS_OK && q < n_properties; q++) {
      hys_property_result *r = &result->property[q];
      if (!undecided[q])
        continue;
      if (complete && !p.touched[q]) {
        r->verdict = HYS_HOLDS;
        r->reason = NULL;
        undecided[q] = false;
        continue;
      }
      open++;
      r->reason = p.touched[q] && p.where[q] != NULL ? kept(arena, p.where[q])
                  : p.lost != NULL                   ? kept(arena, p.lost)
                  : p.stopped && k > 0               ? r->reason
                                       : "the budget was spent before the flowpipes were complete";
    }
    if (status == HYS_OK && (complete || !result->complete) && (!result->fixpoint || !linear.bounded)) {
      for (size_t i = 0; i < a->n; i++) /* those of polyhedra hold for all time */
        result->bounds[i] =
            linear.handled ? hys_interval_intersect(result->bounds[i], p.bounds[i]) : p.bounds[i];
      result->complete = complete;
      result->incomplete = complete         ? NULL
                           : p.lost != NULL ? kept(arena, p.lost)
                                            : "the budget was spent before the flowpipes were complete";
      result->fixpoint = complete && !p.to_horizon;
      result->time_bound = result->fixpoint ? HYSI_INF : o->time_horizon;
      result->items = p.items;
      if (p.blocked)
        result->blocked = "a location without time and without a jump that leads on";
    }
    if (status == HYS_OK && (complete || !result->complete || segments.n == 0)) {
      hysi_segments_close(&segments);
      segments = p.segments;
      memset(&p.segments, 0, sizeof p.segments);
    }
    result->steps += p.steps;
    result->passes++;
    strict = strict || (p.timeless && p.to_horizon);
    done = open == 0 || p.stopped;
    if (o->progress != NULL)
      o->progress(o->progress_context, k, p.items, o->time_horizon);
    hysi_pass_close(&p);
    if (status == HYS_OK && !done) {
      status = falsify(a, property, n_properties, o, k, undecided, arena, result);
      open = 0;
      for (uint32_t q = 0; q < n_properties; q++)
        open += undecided[q];
      done = open == 0 || (o->stop != NULL && o->stop(o->stop_context));
    }
    if (status == HYS_OK && !done && k == 1 && linear.fits && !linear.handled)
      status = by_polyhedra(a, property, n_properties, o, true, undecided, result, &linear, &done);
  }
  if (status == HYS_OK && !linear.told && o->segment != NULL)
    tell_segments(a, o, &segments);
  hysi_segments_close(&segments);
  return status;
}

hys_status hys_verify(const hys_hybrid *a, const hys_property *property, uint32_t n_properties,
                      const hys_verify_options *o, hys_arena *arena, hys_verify_result *result) {
  hysi_stateless *object = NULL;
  const hys_hybrid *with = a;
  hys_status status = HYS_OK;

  memset(result, 0, sizeof *result);
  if (a == NULL || o == NULL || !(o->time_horizon > 0.0 && isfinite(o->time_horizon)) || o->threads < 1 ||
      o->threads > 64)
    return HYS_ERR_ARG;
  if (a->n == 0)
    status = hysi_stateless_open(&object, a, &with);
  if (status == HYS_OK)
    status = with_states(with, property, n_properties, o, arena, result);
  for (uint32_t q = 0; a->n == 0 && result->property != NULL && q < n_properties; q++)
    result->property[q].run.n = 0;
  hysi_stateless_close(object);
  return status;
}
