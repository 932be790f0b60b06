/* Linear hybrid automata: where every variable moves at a constant rate (or between constant rates), what is
 * reachable from a polyhedron is a polyhedron, and a fixpoint of them is found without rounding: an answer
 * for unbounded time.  Decimals are taken as they were written.  What has no such form is left out on the
 * side of more runs: rows that are not affine, inputs in guards, jumps that must be taken. */
#include "synth/offline/linear.h"

#include <math.h>
#include <string.h>

#include "core/contract.h"

enum { MOST_LOCATIONS = 4096, MOST_VARIABLES = 16 };
/* Sets of one attempt; of one that is only tried. */
enum { MOST_SETS = 3000, FEW_SETS = 300, LARGEST_PART = 3 };

/* ---- the exploration ---- */

/* Takes the polyhedron over; one that is empty or lies in what was reached is dropped. */
static hys_status push(hysi_linear *w, uint32_t index, hysi_polyhedron *start) {
  hysi_place *p;
  bool known;
  hys_status status = hysi_place_get(w, index, &p);

  for (size_t j = 0; j < w->n && status == HYS_OK && w->fits; j++)
    if (p->l->rate[w->kept[j]].motion != HYS_MOTION_FLOW)
      status = hysi_polyhedron_add(start, HYSI_LINE, w->axis + j * w->n);
  if (status == HYS_OK)
    status = hysi_lines_cut(start, &p->invariant);
  if (status == HYS_OK)
    status = hysi_polyhedron_close(start);
  known = status != HYS_OK || hysi_polyhedron_is_empty(start);
  for (uint32_t k = 0; !known && k < p->n; k++)
    known = hysi_polyhedron_holds(p->reached[k], start);
  if (known) {
    hysi_polyhedron_destroy(start);
    return status;
  }
  if (w->n_tasks == w->capacity) {
    const uint32_t more = w->capacity == 0 ? 64 : 2 * w->capacity;
    hysi_task *bigger = hys_allocate(NULL, more * sizeof *bigger);
    if (bigger == NULL) {
      hysi_polyhedron_destroy(start);
      return HYS_ERR_MEMORY;
    }
    if (w->n_tasks > 0)
      memcpy(bigger, w->task, w->n_tasks * sizeof *bigger);
    hys_release(NULL, w->task);
    w->task = bigger;
    w->capacity = more;
  }
  w->task[w->n_tasks++] = (hysi_task){index, start};
  return HYS_OK;
}

static hys_status elapse(hysi_linear *w, const hysi_place *p, hysi_polyhedron *x) {
  hys_status status = HYS_OK;

  if (p->l->urgent)
    return HYS_OK;
#ifdef HYS_PLANT_LINEAR_STILL
  if (p->n > 0) /* only the first set of a location moves */
    return HYS_OK;
#endif
  for (uint32_t k = 0; k < p->n_rays + p->n_lines && status == HYS_OK; k++)
    status = hysi_polyhedron_add(x, k < p->n_rays ? HYSI_RAY : HYSI_LINE, p->direction + k * w->n);
  if (status == HYS_OK)
    status = hysi_lines_cut(x, &p->invariant);
  return status == HYS_OK ? hysi_polyhedron_close(x) : status;
}

static hys_status look(hysi_linear *w, const hysi_place *p, const hysi_polyhedron *reached) {
  hys_status status = HYS_OK;

  for (uint32_t q = 0; q < w->n_properties; q++)
    for (uint32_t s = 0; s < w->property[q].n && !w->touched[q] && status == HYS_OK; s++) {
      const hys_hybrid_set *set = &w->property[q].set[s];
      hysi_polyhedron *x = NULL;
      hysi_lines rows = {NULL, 0};
      if (!hys_hybrid_set_in(set, p->l->part))
        continue;
      status = hysi_lines_make(w, &set->set, &rows);
      if (status == HYS_OK)
        status = hysi_polyhedron_copy(&x, reached);
      if (status == HYS_OK)
        status = hysi_lines_cut(x, &p->invariant); /* as of a guard */
      if (status == HYS_OK)
        status = hysi_lines_cut(x, &rows);
      if (status == HYS_OK)
        status = hysi_polyhedron_close(x);
      if (status == HYS_OK)
        w->touched[q] = !hysi_polyhedron_is_empty(x);
      hysi_polyhedron_destroy(x);
      hysi_lines_free(&rows, w->n);
    }
  return status;
}

static hys_status keep(hysi_place *p, hysi_polyhedron *x) {
  uint32_t left = 0;

  for (uint32_t k = 0; k < p->n; k++)
    if (hysi_polyhedron_holds(x, p->reached[k]))
      hysi_polyhedron_destroy(p->reached[k]);
    else
      p->reached[left++] = p->reached[k];
  p->n = left;
  if (p->n == p->capacity) {
    const uint32_t more = 2 * p->capacity + 8;
    hysi_polyhedron **bigger = hys_allocate(NULL, more * sizeof *bigger);
    if (bigger == NULL)
      return HYS_ERR_MEMORY;
    if (p->n > 0)
      memcpy(bigger, p->reached, p->n * sizeof *bigger);
    hys_release(NULL, p->reached);
    p->reached = bigger;
    p->capacity = more;
  }
  p->reached[p->n++] = x;
  return HYS_OK;
}

static hys_status follow(hysi_linear *w, uint32_t index, hysi_polyhedron *start) {
  hysi_place *p = w->place[index];
  bool known = false;
  hys_status status = HYS_OK;

  for (uint32_t k = 0; !known && k < p->n; k++)
    known = hysi_polyhedron_holds(p->reached[k], start);
  if (!known) {
    status = elapse(w, p, start);
    w->sets++;
  }
  if (status == HYS_OK && !known)
    status = look(w, p, start);
  for (uint32_t k = 0; k < p->l->n_jumps && status == HYS_OK && !known; k++) {
    hysi_path *t = &p->path[k];
    hysi_polyhedron *x = NULL;
    status = hysi_polyhedron_copy(&x, start);
    if (status == HYS_OK)
      status =
          hysi_lines_cut(x, &p->invariant); /* again: a strict row and the guard may have nothing in common */
    if (status == HYS_OK)
      status = hysi_lines_cut(x, &t->guard);
    if (status == HYS_OK)
      status = hysi_polyhedron_map(x, (const fmpq *const *)t->matrix, t->add);
    if (status == HYS_OK)
      status = push(w, t->target, x);
    else
      hysi_polyhedron_destroy(x);
    p = w->place[index];
  }
  if (status != HYS_OK || known) {
    hysi_polyhedron_destroy(start);
    return status;
  }
  status = keep(p, start);
  if (status != HYS_OK)
    hysi_polyhedron_destroy(start);
  return status;
}

static hys_status begin(hysi_linear *w) {
  const hys_hybrid_set *set = w->o->initially != NULL ? w->o->initially : w->a->initially;
  const uint32_t n = w->o->initially != NULL ? w->o->n_initially : w->a->n_initially;
  hys_status status = HYS_OK;

  for (uint32_t s = 0; s < n && status == HYS_OK; s++)
    for (uint32_t k = 0; status == HYS_OK; k++) {
      uint32_t index;
      hysi_place *p;
      hysi_lines rows = {NULL, 0};
      hysi_polyhedron *x = NULL;
      status = w->a->initial(w->a->context, &set[s], k, &index);
      if (status == HYS_ERR_LIMIT) {
        status = HYS_OK;
        break;
      }
      w->fits = w->fits && k < MOST_LOCATIONS;
      if (!w->fits)
        return status;
      if (status == HYS_OK)
        status = hysi_lines_make(w, &set[s].set, &rows);
      if (status == HYS_OK)
        status = hysi_polyhedron_create(&x, w->n, true, NULL);
      if (status == HYS_OK)
        status = hysi_lines_cut(x, &rows);
      if (status == HYS_OK)
        status = hysi_place_get(w, index, &p);
      if (status == HYS_OK)
        status = hysi_lines_cut(x, &p->invariant);
      if (status == HYS_OK)
        status = push(w, index, x);
      else
        hysi_polyhedron_destroy(x);
      hysi_lines_free(&rows, w->n);
    }
  return status;
}

/* ---- attempts ---- */

/* Makes ready for an attempt that keeps the variables of `keep` only: all that is said of others is left out,
 * so that there are more runs, none fewer. */
static hys_status open_attempt(hysi_linear *w, const bool *keep_variable) {
  const size_t n = w->a->n;

  w->column = hys_allocate(NULL, (n + 1) * sizeof *w->column);
  w->kept = hys_allocate(NULL, (n + 1) * sizeof *w->kept);
  w->wide = hysi_rationals(n);
  w->box = hys_allocate(NULL, (n + 1) * sizeof *w->box);
  w->touched = hys_allocate(NULL, (w->n_properties + 1) * sizeof *w->touched);
  if (w->column == NULL || w->kept == NULL || w->wide == NULL || w->box == NULL || w->touched == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t q = 0; q < w->n_properties; q++)
    w->touched[q] = false;
  for (uint32_t i = 0; i < n; i++) {
    w->column[i] = keep_variable[i] ? (uint32_t)w->n : UINT32_MAX;
    if (keep_variable[i])
      w->kept[w->n++] = i;
  }
  w->axis = hysi_rationals(w->n * w->n);
  if (w->axis == NULL)
    return HYS_ERR_MEMORY;
  for (size_t j = 0; j < w->n; j++)
    fmpq_one(w->axis + j * w->n + j);
  w->fits = true;
  return HYS_OK;
}

static void close_attempt(hysi_linear *w) {
  for (uint32_t i = 0; i < w->n_places; i++)
    hysi_place_free(w, w->place[i]);
  hys_release(NULL, w->place);
  for (uint32_t k = w->first; k < w->n_tasks; k++)
    hysi_polyhedron_destroy(w->task[k].start);
  hys_release(NULL, w->task);
  hys_release(NULL, w->column);
  hys_release(NULL, w->kept);
  hysi_rationals_free(w->axis, w->n * w->n);
  hysi_rationals_free(w->wide, w->a->n);
  hys_release(NULL, w->box);
  hys_release(NULL, w->scratch);
  hys_release(NULL, w->touched);
}

static bool stopped(const hys_verify_options *o) {
  return o->stop != NULL && o->stop(o->stop_context);
}

/* The box of a reached set, cut with the invariant, into w->box. */
static void box_of(const hysi_linear *w, const hysi_place *p, const hysi_polyhedron *reached) {
  for (size_t i = 0; i < w->a->n; i++)
    w->box[i] =
        w->column[i] == UINT32_MAX ? hys_interval_entire() : hysi_polyhedron_bounds(reached, w->column[i]);
  if (!hys_conditions_contract(&p->l->invariant, w->box, HYSI_LINEAR_NARROWING, w->scratch))
    for (size_t i = 0; i < w->a->n; i++)
      w->box[i] = hys_interval_entire(); /* it has points: this does not happen */
}

/* The boxes of what was reached, each for all of the time. */
static void tell(const hysi_linear *w) {
  for (uint32_t i = 0; i < w->n_places; i++)
    for (uint32_t k = 0; w->place[i] != NULL && k < w->place[i]->n; k++) {
      const hys_segment_view v = {0.0, w->o->time_horizon, i, w->place[i]->l, w->box};
      box_of(w, w->place[i], w->place[i]->reached[k]);
      w->o->segment(w->o->segment_context, &v);
    }
}

/* What a closed attempt proves: properties that were not touched, and bounds. */
static hys_status conclude(const hysi_linear *w, bool *undecided, hys_verify_result *result) {
  const size_t n = w->a->n;
  hys_interval *all = hys_allocate(NULL, (n + 1) * sizeof *all);

  if (all == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t q = 0; q < w->n_properties; q++)
    if (undecided[q] && !w->touched[q]) {
      result->property[q].verdict = HYS_HOLDS;
      result->property[q].reason = NULL;
      undecided[q] = false;
    }
  for (size_t i = 0; i < n; i++)
    all[i] = hys_interval_empty();
  for (uint32_t l = 0; l < w->n_places; l++)
    for (uint32_t k = 0; w->place[l] != NULL && k < w->place[l]->n; k++) {
      box_of(w, w->place[l], w->place[l]->reached[k]);
      for (size_t i = 0; i < n; i++)
        all[i] = hys_interval_hull(all[i], w->box[i]);
    }
  for (size_t i = 0; i < n; i++)
    result->bounds[i] = hys_interval_intersect(result->bounds[i], all[i]);
  hys_release(NULL, all);
  return HYS_OK;
}

static uint32_t count(const bool *flag, uint32_t n) {
  uint32_t k = 0;

  for (uint32_t i = 0; i < n; i++)
    k += flag[i];
  return k;
}

/* *closed: a fixpoint was found with at most `most` sets; *fits: the locations that were met had the form;
 * *told (NULL: not wanted): the segments were told. */
static hys_status attempt(const hysi_linear *what, const bool *keep_variable, uint32_t most, bool *told,
                          bool *undecided, hys_verify_result *result, bool *closed, bool *fits) {
  hysi_linear w = *what;
  hys_status status = open_attempt(&w, keep_variable);

  *closed = false;
  if (status == HYS_OK)
    status = begin(&w);
  while (status == HYS_OK && w.fits && w.first < w.n_tasks && w.sets < most && !stopped(w.o)) {
    const hysi_task t = w.task[w.first++];
    status = follow(&w, t.index, t.start);
  }
  *closed = status == HYS_OK && w.fits && w.first == w.n_tasks && w.sets > 0;
  *fits = w.fits;
  result->items += w.sets;
  if (*closed) {
    status = conclude(&w, undecided, result);
    if (told != NULL)
      *told = w.o->segment != NULL && count(undecided, w.n_properties) == 0;
    if (told != NULL && *told)
      tell(&w);
  }
  if (status == HYS_ERR_LIMIT)
    status = HYS_OK;
  close_attempt(&w);
  return status;
}

/* The next set of `size` of the numbers below n, in the order of their first, second, ..; false: that was the
 * last one. */
static bool next_choice(uint32_t *choice, uint32_t size, uint32_t n) {
  for (uint32_t i = size; i-- > 0;)
    if (choice[i] < n - size + i) {
      choice[i]++;
      for (uint32_t k = i + 1; k < size; k++)
        choice[k] = choice[k - 1] + 1;
      return true;
    }
  return false;
}

/* Attempts with few variables, until everything is decided. */
static hys_status parts(const hysi_linear *what, const uint32_t *variable, uint32_t n, bool *keep_variable,
                        bool *undecided, hys_verify_result *result) {
  hys_status status = HYS_OK;

  for (uint32_t size = 1; size <= LARGEST_PART && size < n; size++) {
    uint32_t choice[LARGEST_PART];
    bool more = true;
    for (uint32_t i = 0; i < size; i++)
      choice[i] = i;
    for (; more && status == HYS_OK; more = next_choice(choice, size, n)) {
      bool closed, fits;
      if (stopped(what->o) || (size > 1 && count(undecided, what->n_properties) == 0))
        return HYS_OK;
      memset(keep_variable, 0, what->a->n * sizeof *keep_variable);
      for (uint32_t i = 0; i < size; i++)
        keep_variable[variable[choice[i]]] = true;
      status = attempt(what, keep_variable, FEW_SETS, NULL, undecided, result, &closed, &fits);
    }
  }
  return status;
}

hys_status hysi_linear_verify(const hys_hybrid *a, const hys_property *property, uint32_t n_properties,
                              const hys_verify_options *o, bool thorough, bool *undecided,
                              hys_verify_result *result, hysi_linear_outcome *outcome) {
  const hysi_linear what = {.a = a, .o = o, .property = property, .n_properties = n_properties};
  bool *keep_variable = hys_allocate(NULL, (a->n + 1) * sizeof *keep_variable), closed = false;
  uint32_t *variable = hys_allocate(NULL, (a->n + 1) * sizeof *variable), n = 0;
  hys_status status = keep_variable == NULL || variable == NULL ? HYS_ERR_MEMORY : HYS_OK;

  *outcome = (hysi_linear_outcome){false, false, false, false};
  for (uint32_t i = 0; i < a->n && status == HYS_OK; i++) {
    keep_variable[i] = !a->input[i];
    if (keep_variable[i])
      variable[n++] = i;
  }
  if (status == HYS_OK && n <= MOST_VARIABLES)
    status = attempt(&what, keep_variable, thorough ? MOST_SETS : FEW_SETS, &outcome->told, undecided, result,
                     &closed, &outcome->fits);
  if (status == HYS_OK && outcome->fits && !closed && !thorough)
    status = parts(&what, variable, n, keep_variable, undecided, result);
  outcome->handled = closed || (outcome->fits && n_properties > 0 && count(undecided, n_properties) == 0);
  outcome->bounded = outcome->handled;
  for (uint32_t k = 0; k < n; k++)
    outcome->bounded = outcome->bounded && isfinite(result->bounds[variable[k]].lo) &&
                       isfinite(result->bounds[variable[k]].hi);
  if (outcome->handled) {
    result->complete = result->fixpoint = true;
    result->incomplete = NULL;
    result->time_bound = HYSI_INF;
    result->passes++;
  }
  hys_release(NULL, keep_variable);
  hys_release(NULL, variable);
  return status;
}
