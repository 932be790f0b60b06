/* Linear hybrid automata: where every variable moves at a constant rate (or between constant rates), what is
 * reachable from a polyhedron is a polyhedron, and a fixpoint of them is found without rounding: an answer
 * for unbounded time.  Decimals are taken as they were written.  What has no such form is left out on the
 * side of more runs: rows that are not affine, inputs in guards, jumps that must be taken. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/contract.h"
#include "core/lp_exact.h"
#include "core/polyhedron.h"
#include "core/rational.h"
#include "synth/offline/walk.h"

enum { NARROWING_ROUNDS = 10, MOST_CORNERS = 6, MOST_LOCATIONS = 4096, MOST_VARIABLES = 16 };
/* Sets of one attempt; of one that is only tried. */
enum { MOST_SETS = 3000, FEW_SETS = 300, LARGEST_PART = 3 };

/* sum coef[i] x[i] <= bound over the variables that are kept. */
typedef struct line {
  fmpq *coef; /* n */
  fmpq_t bound;
  hys_lp_relation relation;
} line;

typedef struct lines {
  line *line;
  uint32_t n;
} lines;

typedef struct path {
  uint32_t target;
  lines guard;
  fmpq **matrix; /* n, each n + 1 or NULL */
  hys_interval *add;
} path;

/* A location in this form, with what was reached in it. */
typedef struct place {
  const hys_hybrid_location *l;
  lines invariant;
  fmpq *direction; /* n each: rays, then lines */
  uint32_t n_rays, n_lines;
  path *path;
  hysi_polyhedron **reached; /* with all the time that the invariant allows */
  uint32_t n, capacity;
} place;

typedef struct task {
  uint32_t index;
  hysi_polyhedron *start;
} task;

typedef struct linear {
  const hys_hybrid *a;
  const hys_verify_options *o;
  const hys_property *property;
  uint32_t n_properties;
  size_t n;         /* variables that are kept */
  uint32_t *column; /* per variable of the automaton: its place among them, UINT32_MAX: it is left out */
  uint32_t *kept;   /* per column: the variable */
  fmpq *axis;       /* n unit vectors */
  fmpq *wide;       /* a->n + 1: scratch */
  hys_interval *box, *scratch;
  size_t scratch_size;
  place **place; /* per location index */
  uint32_t n_places;
  task *task;
  uint32_t first, n_tasks, capacity;
  uint32_t sets;
  bool *touched;
  bool fits; /* all that was met had the form */
} linear;

/* ---- rationals ---- */

static fmpq *rationals(size_t n) {
  fmpq *q = hys_allocate(NULL, (n + 1) * sizeof *q);

  for (size_t i = 0; q != NULL && i <= n; i++)
    fmpq_init(q + i);
  return q;
}

static void free_rationals(fmpq *q, size_t n) {
  for (size_t i = 0; q != NULL && i <= n; i++)
    fmpq_clear(q + i);
  hys_release(NULL, q);
}

static void free_lines(lines *r, size_t n) {
  for (uint32_t i = 0; i < r->n; i++) {
    free_rationals(r->line[i].coef, n);
    fmpq_clear(r->line[i].bound);
  }
  hys_release(NULL, r->line);
  *r = (lines){NULL, 0};
}

/* An affine tree into w->wide, exactly.  An enclosure of its row serves where the coefficients are exact and
 * only the least value of the constant is asked for. */
static hys_status exact_row(linear *w, const hys_expr *value, bool affine, const hys_affine *row, bool lower,
                            bool *good) {
  hys_status status = HYS_OK;

  *good = false;
  if (!affine)
    return HYS_OK;
  if (value->n > 0)
    status = hysi_rational_affine(value, w->a->n, w->wide, good, NULL);
  if (status != HYS_OK || *good)
    return status;
  if (row->constant.lo != row->constant.hi && !lower)
    return HYS_OK;
  for (size_t i = 0; i <= w->a->n; i++)
    fmpq_zero(w->wide + i);
  for (uint32_t i = 0; i < row->n; i++) {
    if (row->term[i].coef.lo != row->term[i].coef.hi)
      return HYS_OK;
    hysi_lp_from_double(w->wide + row->term[i].variable, row->term[i].coef.lo);
  }
  hysi_lp_from_double(w->wide + w->a->n, row->constant.lo);
  *good = true;
  return HYS_OK;
}

/* w->wide speaks of variables that are kept only. */
static bool only_kept(const linear *w) {
  for (size_t i = 0; i < w->a->n; i++)
    if (w->column[i] == UINT32_MAX && !fmpq_is_zero(w->wide + i))
      return false;
  return true;
}

/* The conditions that have the form. */
static hys_status make_lines(linear *w, const hys_conditions *c, lines *out) {
  *out = (lines){hys_allocate(NULL, (c->n + 1) * sizeof(line)), 0};
  if (out->line == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t i = 0; i < c->n; i++) {
    const hys_condition *k = &c->condition[i];
    line *r = &out->line[out->n];
    bool good;
    const hys_status status =
        exact_row(w, &k->value, k->affine, &k->row, k->relation != HYS_RELATION_EQ, &good);
    if (status != HYS_OK)
      return status;
    if (!good || !only_kept(w))
      continue;
    r->coef = rationals(w->n);
    if (r->coef == NULL)
      return HYS_ERR_MEMORY;
    for (size_t j = 0; j < w->n; j++)
      fmpq_set(r->coef + j, w->wide + w->kept[j]);
    fmpq_init(r->bound);
    fmpq_sub(r->bound, r->bound, w->wide + w->a->n);
    r->relation = k->relation == HYS_RELATION_EQ   ? HYS_LP_EQ
                  : k->relation == HYS_RELATION_LT ? HYS_LP_LT
                                                   : HYS_LP_LE;
    out->n++;
  }
  return HYS_OK;
}

/* The equations of defined variables, behind those of an invariant. */
static hys_status make_definitions(linear *w, const hys_hybrid_location *l, lines *out) {
  lines all = {hys_allocate(NULL, (out->n + w->n + 1) * sizeof(line)), out->n};

  if (all.line == NULL)
    return HYS_ERR_MEMORY;
  memcpy(all.line, out->line, out->n * sizeof *all.line);
  hys_release(NULL, out->line);
  *out = all;
  for (size_t j = 0; j < w->n; j++) {
    const hys_rate *r = &l->rate[w->kept[j]];
    line *d = &out->line[out->n];
    bool good = false;
    hys_status status = HYS_OK;
    if (r->motion == HYS_MOTION_DEFINED)
      status = exact_row(w, &r->value, r->affine, &r->row, false, &good);
    if (status != HYS_OK)
      return status;
    if (!good || !only_kept(w))
      continue;
    d->coef = rationals(w->n);
    if (d->coef == NULL)
      return HYS_ERR_MEMORY;
    for (size_t i = 0; i < w->n; i++)
      fmpq_set(d->coef + i, w->wide + w->kept[i]);
    fmpq_sub_si(d->coef + j, d->coef + j, 1);
    fmpq_init(d->bound);
    fmpq_sub(d->bound, d->bound, w->wide + w->a->n);
    d->relation = HYS_LP_EQ;
    out->n++;
  }
  return HYS_OK;
}

static hys_status cut(hysi_polyhedron *p, const lines *r) {
  hys_status status = HYS_OK;

  for (uint32_t i = 0; i < r->n && status == HYS_OK; i++)
    status = hysi_polyhedron_cut(p, r->line[i].coef, r->line[i].bound, r->line[i].relation);
  return status;
}

/* ---- places ---- */

static hys_status scratch_for(linear *w, const hys_conditions *c) {
  const size_t need = hys_conditions_scratch(c);

  if (need > w->scratch_size) {
    hys_release(NULL, w->scratch);
    w->scratch_size = 0;
    w->scratch = hys_allocate(NULL, need * sizeof *w->scratch);
    if (w->scratch == NULL)
      return HYS_ERR_MEMORY;
    w->scratch_size = need;
  }
  return HYS_OK;
}

/* The rate of one kept variable: *lo and *hi where they are finite. */
static hys_status rate_of(linear *w, const hys_rate *r, fmpq_t lo, fmpq_t hi, bool *below, bool *above,
                          bool *good) {
  hys_interval more = r->slack;
  fmpq_t end;
  hys_status status;

  *below = *above = *good = true;   /* no bound on that side */
  if (r->motion != HYS_MOTION_FLOW) /* anything, as far as the invariant allows */
    return HYS_OK;
  status = exact_row(w, &r->value, r->affine, &r->row, false, good);
  if (status != HYS_OK)
    return status;
  if (!*good && r->affine && r->row.n == 0) { /* only an enclosure is known of it */
    fmpq_zero(w->wide + w->a->n);
    more = hys_interval_add(r->row.constant, more);
    *good = true;
  } else if (!*good) {
    return HYS_OK;
  } else {
    for (size_t i = 0; i < w->a->n; i++) {
      hys_interval c;
      if (fmpq_is_zero(w->wide + i))
        continue;
      if (w->column[i] != UINT32_MAX) {
        *good = false; /* it hangs on a state */
        return HYS_OK;
      }
      c = hysi_lp_enclosure(w->wide + i);
      more = hys_interval_add(more, hys_interval_mul(c, w->box[i]));
    }
  }
  fmpq_init(end);
  *below = !isfinite(more.lo);
  *above = !isfinite(more.hi);
  if (!*below) {
    hysi_lp_from_double(end, more.lo);
    fmpq_add(lo, w->wide + w->a->n, end);
  }
  if (!*above) {
    hysi_lp_from_double(end, more.hi);
    fmpq_add(hi, w->wide + w->a->n, end);
  }
  fmpq_clear(end);
  return HYS_OK;
}

/* The cone of the rates: what a ray says of all corners, and a ray or line for each rate without bound. */
static hys_status make_directions(linear *w, place *p) {
  const size_t n = w->n;
  fmpq *lo = rationals(n), *hi = rationals(n);
  bool *open = hys_allocate(NULL, 2 * (n + 1) * sizeof *open), good = true;
  uint32_t corners = 1, both = 0, rays = 0, k = 0;
  hys_status status = lo == NULL || hi == NULL || open == NULL ? HYS_ERR_MEMORY : HYS_OK;

  for (size_t j = 0; j < n && status == HYS_OK && good; j++) {
    bool *b = open + 2 * j;
    status = rate_of(w, &p->l->rate[w->kept[j]], lo + j, hi + j, &b[0], &b[1], &good);
    if (b[0] && b[1])
      both++;
    else if (b[0] || b[1])
      rays++;
    else if (!fmpq_equal(lo + j, hi + j))
      corners *= 2;
    good = good && corners <= 1U << MOST_CORNERS;
  }
  w->fits = w->fits && good;
  if (status == HYS_OK && good) {
    p->n_rays = corners + rays;
    p->n_lines = both;
    p->direction = rationals((corners + rays + both) * n);
    if (p->direction == NULL)
      status = HYS_ERR_MEMORY;
  }
  for (uint32_t c = 0; c < corners && status == HYS_OK && good; c++) {
#ifdef HYS_PLANT_LINEAR_CORNER
    uint32_t bit = 0;
#else
    uint32_t bit = c;
#endif
    for (size_t j = 0; j < n; j++) {
      const bool *b = open + 2 * j;
      const bool two = !b[0] && !b[1] && !fmpq_equal(lo + j, hi + j);
      if (!b[0] || !b[1])
        fmpq_set(p->direction + c * n + j, b[0] || (two && (bit & 1U) != 0) ? hi + j : lo + j);
      bit >>= two;
    }
  }
  for (int turn = 0; turn < 2 && status == HYS_OK && good; turn++) /* rays, then lines */
    for (size_t j = 0; j < n; j++) {
      const bool *b = open + 2 * j;
      if (turn == 0 ? b[0] != b[1] : b[0] && b[1])
        fmpq_set_si(p->direction + (corners + k++) * n + j, b[1] ? 1 : -1, 1);
    }
  free_rationals(lo, n);
  free_rationals(hi, n);
  hys_release(NULL, open);
  return status;
}

static hys_status make_reset(linear *w, const hys_reset *r, size_t j, path *out) {
  bool good = false;
  hys_status status;

  out->add[j] = hys_interval_point(0.0);
  if (r->kind == HYS_RESET_KEEP)
    return HYS_OK;
  out->matrix[j] = rationals(w->n);
  if (out->matrix[j] == NULL)
    return HYS_ERR_MEMORY;
  out->add[j] = hys_interval_entire();
  if (r->kind == HYS_RESET_ANY)
    return HYS_OK;
  status = exact_row(w, &r->value, r->affine, &r->row, false, &good);
  if (status != HYS_OK || !good || !only_kept(w))
    return status;
  for (size_t i = 0; i < w->n; i++)
    fmpq_set(out->matrix[j] + i, w->wide + w->kept[i]);
  fmpq_set(out->matrix[j] + w->n, w->wide + w->a->n);
#ifdef HYS_PLANT_LINEAR_WIDTH
  out->add[j] = hys_interval_point(r->slack.lo);
#else
  out->add[j] = r->slack;
#endif
  return HYS_OK;
}

static hys_status make_path(linear *w, const hys_hybrid_jump *jump, path *out) {
  hys_status status = make_lines(w, &jump->guard, &out->guard);

  out->target = jump->target;
  out->matrix = hys_allocate(NULL, (w->n + 1) * sizeof *out->matrix);
  out->add = hys_allocate(NULL, (w->n + 1) * sizeof *out->add);
  if (out->matrix == NULL || out->add == NULL)
    return HYS_ERR_MEMORY;
  for (size_t j = 0; j < w->n; j++)
    out->matrix[j] = NULL;
  for (size_t j = 0; j < w->n && status == HYS_OK; j++)
    status = make_reset(w, &jump->reset[w->kept[j]], j, out);
  return status;
}

static void free_place(const linear *w, place *p) {
  if (p == NULL)
    return;
  free_lines(&p->invariant, w->n);
  free_rationals(p->direction, p->direction != NULL ? (p->n_rays + p->n_lines) * w->n : 0);
  for (uint32_t k = 0; p->path != NULL && k < p->l->n_jumps; k++) {
    path *t = &p->path[k];
    free_lines(&t->guard, w->n);
    for (size_t j = 0; t->matrix != NULL && j < w->n; j++)
      free_rationals(t->matrix[j], w->n);
    hys_release(NULL, t->matrix);
    hys_release(NULL, t->add);
  }
  hys_release(NULL, p->path);
  for (uint32_t k = 0; k < p->n; k++)
    hysi_polyhedron_destroy(p->reached[k]);
  hys_release(NULL, p->reached);
  hys_release(NULL, p);
}

static hys_status make_place(linear *w, uint32_t index, place **out) {
  place *p;
  hys_status status;

  if (index >= w->n_places) {
    const uint32_t more = 2 * index + 16;
    place **bigger = hys_allocate(NULL, more * sizeof *bigger);
    if (bigger == NULL)
      return HYS_ERR_MEMORY;
    for (uint32_t i = 0; i < more; i++)
      bigger[i] = i < w->n_places ? w->place[i] : NULL;
    hys_release(NULL, w->place);
    w->place = bigger;
    w->n_places = more;
  }
  *out = w->place[index];
  if (*out != NULL)
    return HYS_OK;
  p = hys_allocate(NULL, sizeof *p);
  if (p == NULL)
    return HYS_ERR_MEMORY;
  memset(p, 0, sizeof *p);
  w->place[index] = p;
  status = w->a->location(w->a->context, index, &p->l);
  if (status == HYS_OK)
    status = make_lines(w, &p->l->invariant, &p->invariant);
  if (status == HYS_OK)
    status = make_definitions(w, p->l, &p->invariant);
  if (status == HYS_OK)
    status = scratch_for(w, &p->l->invariant);
  if (status != HYS_OK)
    return status;
  for (size_t i = 0; i < w->a->n; i++)
    w->box[i] = hys_interval_entire();
  if (!hys_conditions_contract(&p->l->invariant, w->box, NARROWING_ROUNDS, w->scratch))
    for (size_t i = 0; i < w->a->n; i++)
      w->box[i] = hys_interval_point(0.0); /* nothing satisfies it: there will be no states either */
  status = make_directions(w, p);
  if (status == HYS_OK && p->l->n_jumps > 0) {
    p->path = hys_allocate(NULL, p->l->n_jumps * sizeof *p->path);
    if (p->path == NULL)
      return HYS_ERR_MEMORY;
    memset(p->path, 0, p->l->n_jumps * sizeof *p->path);
    for (uint32_t k = 0; k < p->l->n_jumps && status == HYS_OK; k++)
      status = make_path(w, &p->l->jump[k], &p->path[k]);
  }
  *out = p;
  return status;
}

/* ---- the exploration ---- */

/* Takes the polyhedron over; one that is empty or lies in what was reached is dropped. */
static hys_status push(linear *w, uint32_t index, hysi_polyhedron *start) {
  place *p;
  bool known;
  hys_status status = make_place(w, index, &p);

  for (size_t j = 0; j < w->n && status == HYS_OK && w->fits; j++)
    if (p->l->rate[w->kept[j]].motion != HYS_MOTION_FLOW)
      status = hysi_polyhedron_add(start, HYSI_LINE, w->axis + j * w->n);
  if (status == HYS_OK)
    status = cut(start, &p->invariant);
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
    task *bigger = hys_allocate(NULL, more * sizeof *bigger);
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
  w->task[w->n_tasks++] = (task){index, start};
  return HYS_OK;
}

static hys_status elapse(linear *w, const place *p, hysi_polyhedron *x) {
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
    status = cut(x, &p->invariant);
  return status == HYS_OK ? hysi_polyhedron_close(x) : status;
}

static hys_status look(linear *w, const place *p, const hysi_polyhedron *reached) {
  hys_status status = HYS_OK;

  for (uint32_t q = 0; q < w->n_properties; q++)
    for (uint32_t s = 0; s < w->property[q].n && !w->touched[q] && status == HYS_OK; s++) {
      const hys_hybrid_set *set = &w->property[q].set[s];
      hysi_polyhedron *x = NULL;
      lines rows = {NULL, 0};
      if (!hys_hybrid_set_in(set, p->l->part))
        continue;
      status = make_lines(w, &set->set, &rows);
      if (status == HYS_OK)
        status = hysi_polyhedron_copy(&x, reached);
      if (status == HYS_OK)
        status = cut(x, &p->invariant); /* as of a guard */
      if (status == HYS_OK)
        status = cut(x, &rows);
      if (status == HYS_OK)
        status = hysi_polyhedron_close(x);
      if (status == HYS_OK)
        w->touched[q] = !hysi_polyhedron_is_empty(x);
      hysi_polyhedron_destroy(x);
      free_lines(&rows, w->n);
    }
  return status;
}

static hys_status keep(place *p, hysi_polyhedron *x) {
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

static hys_status follow(linear *w, uint32_t index, hysi_polyhedron *start) {
  place *p = w->place[index];
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
    path *t = &p->path[k];
    hysi_polyhedron *x = NULL;
    status = hysi_polyhedron_copy(&x, start);
    if (status == HYS_OK)
      status = cut(x, &p->invariant); /* again: a strict row and the guard may have nothing in common */
    if (status == HYS_OK)
      status = cut(x, &t->guard);
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

static hys_status begin(linear *w) {
  const hys_hybrid_set *set = w->o->initially != NULL ? w->o->initially : w->a->initially;
  const uint32_t n = w->o->initially != NULL ? w->o->n_initially : w->a->n_initially;
  hys_status status = HYS_OK;

  for (uint32_t s = 0; s < n && status == HYS_OK; s++)
    for (uint32_t k = 0; status == HYS_OK; k++) {
      uint32_t index;
      place *p;
      lines rows = {NULL, 0};
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
        status = make_lines(w, &set[s].set, &rows);
      if (status == HYS_OK)
        status = hysi_polyhedron_create(&x, w->n, true, NULL);
      if (status == HYS_OK)
        status = cut(x, &rows);
      if (status == HYS_OK)
        status = make_place(w, index, &p);
      if (status == HYS_OK)
        status = cut(x, &p->invariant);
      if (status == HYS_OK)
        status = push(w, index, x);
      else
        hysi_polyhedron_destroy(x);
      free_lines(&rows, w->n);
    }
  return status;
}

/* ---- attempts ---- */

/* Makes ready for an attempt that keeps the variables of `keep` only: all that is said of others is left out,
 * so that there are more runs, none fewer. */
static hys_status open_attempt(linear *w, const bool *keep_variable) {
  const size_t n = w->a->n;

  w->column = hys_allocate(NULL, (n + 1) * sizeof *w->column);
  w->kept = hys_allocate(NULL, (n + 1) * sizeof *w->kept);
  w->wide = rationals(n);
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
  w->axis = rationals(w->n * w->n);
  if (w->axis == NULL)
    return HYS_ERR_MEMORY;
  for (size_t j = 0; j < w->n; j++)
    fmpq_one(w->axis + j * w->n + j);
  w->fits = true;
  return HYS_OK;
}

static void close_attempt(linear *w) {
  for (uint32_t i = 0; i < w->n_places; i++)
    free_place(w, w->place[i]);
  hys_release(NULL, w->place);
  for (uint32_t k = w->first; k < w->n_tasks; k++)
    hysi_polyhedron_destroy(w->task[k].start);
  hys_release(NULL, w->task);
  hys_release(NULL, w->column);
  hys_release(NULL, w->kept);
  free_rationals(w->axis, w->n * w->n);
  free_rationals(w->wide, w->a->n);
  hys_release(NULL, w->box);
  hys_release(NULL, w->scratch);
  hys_release(NULL, w->touched);
}

static bool stopped(const hys_verify_options *o) {
  return o->stop != NULL && o->stop(o->stop_context);
}

/* The boxes of what was reached, each for all of the time. */
static void tell(const linear *w) {
  for (uint32_t i = 0; i < w->n_places; i++)
    for (uint32_t k = 0; w->place[i] != NULL && k < w->place[i]->n; k++) {
      const hys_segment_view v = {0.0, w->o->time_horizon, i, w->place[i]->l, w->box};
      for (size_t j = 0; j < w->a->n; j++)
        w->box[j] = w->column[j] == UINT32_MAX
                        ? hys_interval_entire()
                        : hysi_polyhedron_bounds(w->place[i]->reached[k], w->column[j]);
      (void)hys_conditions_contract(&w->place[i]->l->invariant, w->box, NARROWING_ROUNDS, w->scratch);
      w->o->segment(w->o->segment_context, &v);
    }
}

/* What a closed attempt proves: properties that were not touched, and bounds of the kept variables. */
static void conclude(const linear *w, bool *undecided, hys_verify_result *result) {
  for (uint32_t q = 0; q < w->n_properties; q++)
    if (undecided[q] && !w->touched[q]) {
      result->property[q].verdict = HYS_HOLDS;
      result->property[q].reason = NULL;
      undecided[q] = false;
    }
  for (size_t j = 0; j < w->n; j++) {
    hys_interval all = hys_interval_empty(), *bounds = &result->bounds[w->kept[j]];
    for (uint32_t i = 0; i < w->n_places; i++)
      for (uint32_t k = 0; w->place[i] != NULL && k < w->place[i]->n; k++)
        all = hys_interval_hull(all, hysi_polyhedron_bounds(w->place[i]->reached[k], j));
    *bounds = hys_interval_intersect(*bounds, all);
  }
}

static uint32_t count(const bool *flag, uint32_t n) {
  uint32_t k = 0;

  for (uint32_t i = 0; i < n; i++)
    k += flag[i];
  return k;
}

/* *closed: a fixpoint was found with at most `most` sets; *fits: the locations that were met had the form;
 * *told (NULL: not wanted): the segments were told. */
static hys_status attempt(const linear *what, const bool *keep_variable, uint32_t most, bool *told,
                          bool *undecided, hys_verify_result *result, bool *closed, bool *fits) {
  linear w = *what;
  hys_status status = open_attempt(&w, keep_variable);

  *closed = false;
  if (status == HYS_OK)
    status = begin(&w);
  while (status == HYS_OK && w.fits && w.first < w.n_tasks && w.sets < most && !stopped(w.o)) {
    const task t = w.task[w.first++];
    status = follow(&w, t.index, t.start);
  }
  *closed = status == HYS_OK && w.fits && w.first == w.n_tasks && w.sets > 0;
  *fits = w.fits;
  result->items += w.sets;
  if (*closed) {
    conclude(&w, undecided, result);
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
static hys_status parts(const linear *what, const uint32_t *variable, uint32_t n, bool *keep_variable,
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
  const linear what = {.a = a, .o = o, .property = property, .n_properties = n_properties};
  bool *keep_variable = hys_allocate(NULL, (a->n + 1) * sizeof *keep_variable), closed = false;
  uint32_t *variable = hys_allocate(NULL, (a->n + 1) * sizeof *variable), n = 0;
  hys_status status = keep_variable == NULL || variable == NULL ? HYS_ERR_MEMORY : HYS_OK;

  *outcome = (hysi_linear_outcome){false, false, false};
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
