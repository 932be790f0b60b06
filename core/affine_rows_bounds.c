/* Bounds, verdicts and witnesses from passes of core/affine_rows.c with steps of half the size each. */
#include <math.h>
#include <string.h>

#include "core/affine_rows.h"
#include "core/affine_rows_system.h"

enum { PASSES = 24, STEPS_FIRST = 1 << 20, STEPS_MOST = 1 << 26 };

hys_status hys_affine_rows_prepare(hys_affine_rows *a, double h, size_t steps) {
  hys_status status;

  if (!(h > 0.0) || !(h * (double)steps < HYSI_INF) || steps == 0)
    return HYS_ERR_ARG;
  status = hysi_rows_level_make(a, h, steps);
  if (status != HYS_OK) {
    hys_arena_destroy(a->level.arena);
    memset(&a->level, 0, sizeof a->level);
  }
  return status;
}

double hys_affine_rows_suggest(const hys_affine_rows *a, double T) {
  double norm = 0.0, h = T;

  for (size_t k = 0; k < a->n_blocks; k++)
    norm = fmax(norm, a->block[k].norm);
  while (h * norm > 1.0 && T / h < STEPS_FIRST)
    h *= 0.5;
  return h;
}

/* ---- bounds ---- */

typedef struct bounding {
  hys_interval *inner, *pass, *enough;
  const size_t *row; /* of the pass -> of the caller */
  double *at;
  double tolerance;
} bounding;

static hys_affine_rows_next look_bounds(void *context, const hys_affine_rows_step *s) {
  const bounding *b = context;
  const size_t i = b->row[s->row];
  hys_interval *inner = &b->inner[i];

  b->pass[i] = hys_interval_hull(b->pass[i], s->tube);
  if (!hys_interval_is_empty(s->taken)) {
    if (b->at != NULL && s->taken.lo < inner->lo)
      b->at[2 * i] = s->t1;
    if (b->at != NULL && s->taken.hi > inner->hi)
      b->at[2 * i + 1] = s->t1;
    *inner = hys_interval_hull(*inner, s->taken);
  }
  b->enough[s->row] = hys_interval_is_empty(*inner)
                          ? hys_interval_empty()
                          : hys_interval_make(inner->lo - 0.5 * b->tolerance, inner->hi + 0.5 * b->tolerance);
  return HYS_ROWS_GO_ON;
}

hys_status hys_affine_rows_bounds(hys_affine_rows *a, const hys_affine *row, size_t n_rows, double T,
                                  double tolerance, bool (*more)(void *), void *budget, hys_interval *outer,
                                  hys_interval *inner, double *at) {
  hys_arena *arena = hys_arena_create(a->allocator);
  hys_interval *pass = NULL, *enough = NULL;
  hys_affine *todo = NULL;
  size_t *index = NULL, left = n_rows;
  hys_status status = HYS_OK;
  double h = hys_affine_rows_suggest(a, T), before = HYSI_INF;
  bounding b;

  if (arena != NULL) {
    pass = hys_arena_alloc(arena, n_rows + 1, sizeof *pass);
    enough = hys_arena_alloc(arena, n_rows + 1, sizeof *enough);
    todo = hys_arena_alloc(arena, n_rows + 1, sizeof *todo);
    index = hys_arena_alloc(arena, n_rows + 1, sizeof *index);
  }
  if (pass == NULL || enough == NULL || todo == NULL || index == NULL) {
    hys_arena_destroy(arena);
    return HYS_ERR_MEMORY;
  }
  for (size_t i = 0; i < n_rows; i++) {
    outer[i] = hys_interval_entire();
    inner[i] = hys_interval_empty();
    todo[i] = row[i];
    index[i] = i;
    if (at != NULL)
      at[2 * i] = at[2 * i + 1] = 0.0;
  }
  b = (bounding){inner, pass, enough, index, at, tolerance};
  for (int p = 0; p < PASSES && left > 0 && T / h <= STEPS_MOST; p++, h *= 0.5) {
    size_t kept = 0;
    double excess = 0.0;
    status = hys_affine_rows_prepare(a, h, (size_t)(T / h));
    if (status == HYS_ERR_NUMERIC) /* too large a step */
      continue;
    if (status != HYS_OK)
      break;
    for (size_t k = 0; k < left; k++) {
      pass[index[k]] = hys_interval_empty();
      enough[k] = hys_interval_is_empty(inner[index[k]]) ? hys_interval_empty() : inner[index[k]];
    }
    status =
        hys_affine_rows_run(a, &(hys_affine_rows_job){todo, left, look_bounds, &b, enough, 0, more, budget});
    if (status != HYS_OK)
      break;
    for (size_t k = 0; k < left; k++) {
      const size_t i = index[k];
      const double below = inner[i].lo - pass[i].lo, above = pass[i].hi - inner[i].hi;
      outer[i] = hys_interval_intersect(outer[i], pass[i]);
      if (below <= tolerance && above <= tolerance)
        continue;
      excess = fmax(excess, fmax(below, above));
      todo[kept] = todo[k];
      index[kept++] = i;
    }
    left = kept;
    if (!(excess < 0.75 * before) && p > 2)
      break;
    before = excess;
  }
  hys_arena_destroy(arena);
  return status == HYS_ERR_LIMIT || status == HYS_ERR_NUMERIC ? HYS_OK : status;
}

/* ---- verdicts ---- */

typedef struct deciding {
  double limit, when;
  bool strict, holds, violated;
} deciding;

static hys_affine_rows_next look_decide(void *context, const hys_affine_rows_step *s) {
  deciding *d = context;

  if (d->strict ? s->reached.hi >= d->limit : s->reached.hi > d->limit) {
    d->violated = true;
    d->when = s->t1;
    return HYS_ROWS_END;
  }
  d->holds = d->holds && (d->strict ? s->tube.hi < d->limit : s->tube.hi <= d->limit);
  return HYS_ROWS_GO_ON;
}

hys_status hys_affine_rows_decide(hys_affine_rows *a, const hys_affine *row, double limit, bool strict,
                                  double T, bool (*more)(void *), void *budget, hys_verdict *verdict,
                                  double *when, double *step) {
  const hys_interval enough = hys_interval_make(-HYSI_INF, strict ? hys_down(limit) : limit);
  hys_status status = HYS_OK;
  double h = hys_affine_rows_suggest(a, T);

  *verdict = HYS_UNKNOWN;
  *when = *step = 0.0;
  for (int p = 0; p < PASSES && *verdict == HYS_UNKNOWN && T / h <= STEPS_MOST; p++, h *= 0.5) {
    deciding d = {limit, 0.0, strict, true, false};
    status = hys_affine_rows_prepare(a, h, (size_t)(T / h));
    if (status == HYS_ERR_NUMERIC)
      continue;
    if (status == HYS_OK)
      status =
          hys_affine_rows_run(a, &(hys_affine_rows_job){row, 1, look_decide, &d, &enough, 0, more, budget});
    if (status != HYS_OK)
      break;
    *verdict = d.violated ? HYS_VIOLATED : d.holds ? HYS_HOLDS : HYS_UNKNOWN;
    *when = d.when;
    *step = h;
  }
  return status == HYS_ERR_LIMIT || status == HYS_ERR_NUMERIC ? HYS_OK : status;
}

/* ---- witnesses ---- */

/* r_k by the level's steps, in plain doubles: a witness need not be exact, who uses it checks it. */
static void forward(const hys_affine_rows *a, double *r, double *next, double *term) {
  const hysi_rows_level *l = &a->level;

  for (size_t k = 0; k < a->n_blocks; k++) {
    const hysi_rows_block *b = &a->block[k];
    double *in = r + b->first, *out = next + b->first;
    if (l->phi[k] == NULL) {
      for (size_t p = 0; p < l->pieces[k]; p++)
        hysi_rows_series(a, b, l->h / (double)l->pieces[k], r, term);
      continue;
    }
    for (size_t j = 0; j < b->size; j++) {
      double sum = 0.0;
      for (size_t i = 0; i < b->size; i++)
        sum += in[i] * l->phi[k][i * b->size + j];
      out[j] = sum;
    }
    memcpy(in, out, b->size * sizeof *in);
  }
}

static double column_dot(const hysi_rows_sparse *of, size_t c, const double *r) {
  double sum = 0.0;

  for (size_t t = of->start[c]; t < of->start[c + 1]; t++)
    sum += of->entry[t].value * r[of->entry[t].at];
  return sum;
}

static void add_state(const hys_affine_rows *a, double *r, double *direct, uint32_t variable,
                      hys_interval coef) {
  if (a->place[variable] != UINT32_MAX)
    r[a->place[variable]] += hys_interval_mid(coef) * a->scale[a->place[variable]];
  else
    direct[variable] += hys_interval_mid(coef);
}

/* The middle of what each variable may be, or may add. */
static void rest(const hys_affine_rows *a, double *u) {
  for (size_t i = 0; i < a->n; i++) {
    const hys_rate *rate = &a->location->rate[i];
    u[i] = a->place[i] != UINT32_MAX                                  ? hys_interval_mid(rate->slack)
           : rate->motion == HYS_MOTION_DEFINED || a->rest_of[i] != 0 ? 0.0
                                                                      : hys_interval_mid(a->free[i]);
  }
}

hys_status hys_affine_rows_witness(const hys_affine_rows *a, const hys_affine *row, size_t k, double *x0,
                                   double *u) {
  const size_t m = a->m + 1;
  const double h = a->level.h;
  hys_arena *arena;
  double *r, *next, *term, *f, *direct;

  if (a->level.arena == NULL || k > a->level.steps)
    return HYS_ERR_STATE;
  arena = hys_arena_create(a->allocator);
  r = arena != NULL ? hys_arena_alloc(arena, 4 * m + a->n_inputs + 1 + a->n, sizeof *r) : NULL;
  if (r == NULL) {
    hys_arena_destroy(arena);
    return HYS_ERR_MEMORY;
  }
  next = r + m;
  term = r + 2 * m;
  f = r + 4 * m;
  direct = f + a->n_inputs + 1;
  for (uint32_t t = 0; t < row->n; t++) {
    const hys_rate *rate = &a->location->rate[row->term[t].variable];
    if (rate->motion != HYS_MOTION_DEFINED)
      add_state(a, r, direct, row->term[t].variable, row->term[t].coef);
    else if (rate->affine)
      for (uint32_t e = 0; e < rate->row.n; e++)
        add_state(a, r, direct, rate->row.term[e].variable,
                  hys_interval_mul(row->term[t].coef, rate->row.term[e].coef));
  }
  rest(a, u + k * a->n);
  for (size_t i = 0; i < a->n; i++)
    if (a->place[i] == UINT32_MAX && a->rest_of[i] == 0 && direct[i] != 0.0)
      u[k * a->n + i] = direct[i] > 0.0 ? a->free[i].hi : a->free[i].lo;
  for (size_t j = 0; j < k; j++) { /* step j of the row is step k - 1 - j of the run */
    double *out = u + (k - 1 - j) * a->n;
    rest(a, out);
    for (size_t q = 0; q < a->n_rest; q++)
      for (size_t i = 0; i < a->m && a->rest_radius[q] > 0.0; i++)
        direct[a->rest_variable[q]] += r[i] * a->level.held[q * a->m + i] / a->rest_radius[q];
    for (size_t c = 0; c < a->n_inputs; c++) /* the sign of the corrected trapezoid, as in the sequences */
      f[c] = 0.5 * h * column_dot(&a->b, c, r) + h * h / 12.0 * column_dot(&a->ab, c, r);
    forward(a, r, next, term);
    for (size_t c = 0; c < a->n_inputs; c++) {
      const uint32_t i = a->input[c].variable;
      const hys_interval range = a->place[i] != UINT32_MAX ? a->location->rate[i].slack : a->free[i];
      const double after = 0.5 * h * column_dot(&a->b, c, r) - h * h / 12.0 * column_dot(&a->ab, c, r);
      out[i] = f[c] + after > 0.0 ? range.hi : range.lo;
    }
  }
  for (size_t i = 0; i < a->n; i++)
    x0[i] = a->place[i] != UINT32_MAX ? 0.0 : hys_interval_mid(a->free[i]);
  for (size_t q = 0; q < a->n_rest; q++)
    x0[a->rest_variable[q]] =
        a->rest_center[q] + (direct[a->rest_variable[q]] > 0.0 ? a->rest_radius[q] : -a->rest_radius[q]);
  for (size_t i = 0; i < a->m; i++)
    x0[a->variable[i]] = (a->center[i] + (r[i] > 0.0 ? a->radius[i] : -a->radius[i])) * a->scale[i];
  for (size_t g = 0; g < a->n_generators; g++) {
    double dot = 0.0;
    for (size_t i = 0; i < a->m; i++)
      dot += r[i] * a->generator[g * a->m + i];
    for (size_t i = 0; i < a->m; i++)
      x0[a->variable[i]] += (dot > 0.0 ? 1.0 : -1.0) * a->generator[g * a->m + i] * a->scale[i];
  }
  hys_arena_destroy(arena);
  return HYS_OK;
}
