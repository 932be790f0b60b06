/* The simplex method on a dictionary: each basic variable as an affine function of the others.  The free
 * variables are made basic first and stay so; what is left speaks of slacks only, which are not negative.
 * Chvatal, Linear Programming, chapters 2 and 3. */
#include "core/lp.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#if defined(HAVE_FLINT_ARB_MAT_H)
#include <flint/arb.h>
#else
#include <arb.h>
#endif

#include "core/lp_exact.h"

struct hys_lp {
  const hys_allocator *allocator;
  size_t n, rows, capacity;
  fmpq *row;    /* rows of n coefficients and the bound; an equation is two of them */
  bool *strict; /* one a row */
};

/* ---- arrays of rationals ---- */

static fmpq *rationals(const hys_allocator *allocator, size_t count) {
  fmpq *q = hys_allocate(allocator, (count > 0 ? count : 1) * sizeof *q);

  for (size_t i = 0; q != NULL && i < count; i++)
    fmpq_init(q + i);
  return q;
}

static void release(const hys_allocator *allocator, fmpq *q, size_t count) {
  for (size_t i = 0; q != NULL && i < count; i++)
    fmpq_clear(q + i);
  hys_release(allocator, q);
}

/* fmpq_neg is an inline function that needs GMP itself; this does not. */
static void negate(fmpq_t to, const fmpq_t from) {
  fmpz_mul_si(fmpq_numref(to), fmpq_numref(from), -1);
  fmpz_set(fmpq_denref(to), fmpq_denref(from));
}

void hysi_lp_from_double(fmpq_t q, double d) {
  int exponent;
  const double mantissa = frexp(d, &exponent);

  fmpz_set_d(fmpq_numref(q), ldexp(mantissa, DBL_MANT_DIG)); /* a whole number, exactly */
  fmpz_one(fmpq_denref(q));
  exponent -= DBL_MANT_DIG;
  if (exponent >= 0)
    fmpq_mul_2exp(q, q, (flint_bitcnt_t)exponent);
  else
    fmpq_div_2exp(q, q, (flint_bitcnt_t)-exponent);
}

/* Bounds, neighbours unless the number is a double; the number of what is nearest. */
static hys_interval get_doubles(const fmpq_t q, double *nearest) {
  hys_interval v;
  arb_t ball;
  arf_t end;

  arb_init(ball);
  arf_init(end);
  /* twice the digits first: the ball then lies between two doubles, or is one */
  arb_set_fmpq(ball, q, 2 * DBL_MANT_DIG);
  arb_get_lbound_arf(end, ball, 2 * DBL_MANT_DIG);
  v.lo = arf_get_d(end, ARF_RND_FLOOR);
  arb_get_ubound_arf(end, ball, 2 * DBL_MANT_DIG);
  v.hi = arf_get_d(end, ARF_RND_CEIL);
  *nearest = arf_get_d(arb_midref(ball), ARF_RND_NEAR);
  arb_clear(ball);
  arf_clear(end);
  return hys_interval_make(v.lo, v.hi);
}

hys_interval hysi_lp_enclosure(const fmpq_t value) {
  double nearest;
  return get_doubles(value, &nearest);
}

/* ---- a program ---- */

hys_status hys_lp_create(hys_lp **out, size_t n, const hys_allocator *allocator) {
  hys_lp *lp;

  if (out == NULL)
    return HYS_ERR_ARG;
  *out = NULL;
  if (n > HYS_LP_MAX_VARIABLES)
    return HYS_ERR_LIMIT;
  lp = hys_allocate(allocator, sizeof *lp);
  if (lp == NULL)
    return HYS_ERR_MEMORY;
  *lp = (hys_lp){.allocator = allocator, .n = n};
  *out = lp;
  return HYS_OK;
}

void hys_lp_destroy(hys_lp *lp) {
  if (lp == NULL)
    return;
  release(lp->allocator, lp->row, lp->capacity * (lp->n + 1));
  hys_release(lp->allocator, lp->strict);
  hys_release(lp->allocator, lp);
}

/* Room for `more` rows. */
static hys_status reserve(hys_lp *lp, size_t more) {
  const size_t width = lp->n + 1;
  size_t capacity = lp->capacity > 0 ? lp->capacity : 8;
  fmpq *row;
  bool *strict;

  if (lp->rows + more > HYS_LP_MAX_ROWS)
    return HYS_ERR_LIMIT;
  if (lp->rows + more <= lp->capacity)
    return HYS_OK;
  while (capacity < lp->rows + more)
    capacity *= 2;
  row = rationals(lp->allocator, capacity * width);
  strict = hys_allocate(lp->allocator, capacity * sizeof *strict);
  if (row == NULL || strict == NULL) {
    release(lp->allocator, row, capacity * width);
    hys_release(lp->allocator, strict);
    return HYS_ERR_MEMORY;
  }
  for (size_t i = 0; i < lp->rows * width; i++)
    fmpq_swap(row + i, lp->row + i);
  if (lp->rows > 0)
    memcpy(strict, lp->strict, lp->rows * sizeof *strict);
  release(lp->allocator, lp->row, lp->capacity * width);
  hys_release(lp->allocator, lp->strict);
  lp->row = row;
  lp->strict = strict;
  lp->capacity = capacity;
  return HYS_OK;
}

/* The last row, and for an equation its negative. */
static void finish_row(hys_lp *lp, hys_lp_relation relation) {
  const size_t width = lp->n + 1;
  fmpq *row = lp->row + lp->rows * width;

  lp->strict[lp->rows++] = relation == HYS_LP_LT;
  if (relation != HYS_LP_EQ)
    return;
  for (size_t i = 0; i < width; i++)
    negate(row + width + i, row + i);
  lp->strict[lp->rows++] = false;
}

hys_status hys_lp_add(hys_lp *lp, const double *row, double bound, hys_lp_relation relation) {
  hys_status status;
  fmpq *to;

  if (lp == NULL || (row == NULL && lp->n > 0) || !(fabs(bound) <= DBL_MAX))
    return HYS_ERR_ARG;
  for (size_t i = 0; i < lp->n; i++)
    if (!(fabs(row[i]) <= DBL_MAX))
      return HYS_ERR_ARG;
  status = reserve(lp, relation == HYS_LP_EQ ? 2 : 1);
  if (status != HYS_OK)
    return status;
  to = lp->row + lp->rows * (lp->n + 1);
  for (size_t i = 0; i < lp->n; i++)
    hysi_lp_from_double(to + i, row[i]);
  hysi_lp_from_double(to + lp->n, bound);
  finish_row(lp, relation);
  return HYS_OK;
}

hys_status hysi_lp_add(hys_lp *lp, const uint32_t *variable, const fmpq *coef, size_t count,
                       const fmpq_t bound, hys_lp_relation relation) {
  const hys_status status = reserve(lp, relation == HYS_LP_EQ ? 2 : 1);
  fmpq *to;

  if (status != HYS_OK)
    return status;
  to = lp->row + lp->rows * (lp->n + 1);
  for (size_t i = 0; i < lp->n; i++)
    fmpq_zero(to + i);
  for (size_t k = 0; k < count; k++)
    fmpq_add(to + variable[k], to + variable[k], coef + k);
  fmpq_set(to + lp->n, bound);
  finish_row(lp, relation);
  return HYS_OK;
}

/* ---- the dictionary ----
 *
 * Variables are numbered: the free ones 0 .. n-1, then the slacks, then the one that phase 1 adds.  A line
 * has one coefficient for each column and a constant.  Below the lines of the basic variables stand the
 * objective and phase 1's. */

typedef struct dictionary {
  size_t n, lines, width; /* n free variables; width = columns + 1 */
  fmpq *cell;
  uint32_t *basic;  /* one a line */
  uint32_t *column; /* number of the variable of a column */
  bool *dead;       /* of a column: its variable stays zero */
  uint32_t extra;   /* number of phase 1's variable */
  uint32_t pivots;  /* that are left */
} dictionary;

static fmpq *line(const dictionary *d, size_t i) {
  return d->cell + i * d->width;
}

/* The basic variable of line i and the variable of column j change places. */
static void pivot(dictionary *d, size_t i, size_t j) {
  fmpq *r = line(d, i);
  fmpq_t factor;
  uint32_t number;

  fmpq_init(factor);
  /* b = .. + q x  gives  x = (b - ..) / q */
  fmpq_inv(factor, r + j);
  for (size_t k = 0; k < d->width; k++) {
    if (k == j || fmpq_is_zero(r + k))
      continue;
    fmpq_mul(r + k, r + k, factor);
    negate(r + k, r + k);
  }
  fmpq_set(r + j, factor);
  for (size_t l = 0; l < d->lines + 2; l++) {
    fmpq *to = line(d, l);
    if (l == i || fmpq_is_zero(to + j))
      continue;
    fmpq_swap(factor, to + j);
    fmpq_zero(to + j);
    for (size_t k = 0; k < d->width; k++)
      if (!fmpq_is_zero(r + k))
        fmpq_addmul(to + k, factor, r + k);
  }
  number = d->basic[i];
  d->basic[i] = d->column[j];
  d->column[j] = number;
  fmpq_clear(factor);
}

static void free_variables_first(dictionary *d) {
  for (size_t j = 0; j < d->n; j++) {
    size_t i = 0;
    while (i < d->lines && (d->basic[i] < d->n || fmpq_is_zero(line(d, i) + j)))
      i++;
    if (i < d->lines)
      pivot(d, i, j);
    else
      d->dead[j] = true;
  }
}

/* Of equals the variable with the smaller number leaves, phase 1's before all others. */
static uint32_t rank(const dictionary *d, uint32_t variable) {
  return variable == d->extra ? 0 : variable + 1;
}

/* Raises the objective in line `goal` as far as it goes, from a feasible dictionary. */
static hys_lp_answer climb(dictionary *d, size_t goal) {
  fmpq_t ratio, best;
  hys_lp_answer answer = HYS_LP_UNKNOWN;

  fmpq_init(ratio);
  fmpq_init(best);
  for (;;) {
    size_t j = d->width - 1, i = d->lines;
    for (size_t k = 0; k + 1 < d->width; k++)
      if (!d->dead[k] && fmpq_sgn(line(d, goal) + k) > 0 &&
          (j == d->width - 1 || d->column[k] < d->column[j]))
        j = k;
    if (j == d->width - 1) {
      answer = HYS_LP_FEASIBLE;
      break;
    }
    for (size_t l = 0; l < d->lines; l++) {
      int order;
      if (d->basic[l] < d->n || fmpq_sgn(line(d, l) + j) >= 0)
        continue;
      fmpq_div(ratio, line(d, l) + d->width - 1, line(d, l) + j);
      negate(ratio, ratio);
      order = i < d->lines ? fmpq_cmp(ratio, best) : -1;
      if (order < 0 || (order == 0 && rank(d, d->basic[l]) < rank(d, d->basic[i]))) {
        fmpq_set(best, ratio);
        i = l;
      }
    }
    if (i == d->lines) {
      answer = HYS_LP_UNBOUNDED;
      break;
    }
    if (d->pivots == 0)
      break;
    d->pivots--;
    pivot(d, i, j);
  }
  fmpq_clear(ratio);
  fmpq_clear(best);
  return answer;
}

/* Phase 1.  The extra variable is added to every slack and made as small as can be. */
static hys_lp_answer make_feasible(dictionary *d) {
  const size_t extra = d->n, constant = d->width - 1, goal = d->lines + 1;
  size_t worst = d->lines;
  hys_lp_answer answer;

  for (size_t l = 0; l < d->lines; l++)
    if (d->basic[l] >= d->n && fmpq_sgn(line(d, l) + constant) < 0 &&
        (worst == d->lines || fmpq_cmp(line(d, l) + constant, line(d, worst) + constant) < 0))
      worst = l;
  if (worst == d->lines)
    return HYS_LP_FEASIBLE;
  d->dead[extra] = false;
  for (size_t l = 0; l < d->lines; l++)
    if (d->basic[l] >= d->n)
      fmpq_one(line(d, l) + extra);
  fmpq_set_si(line(d, goal) + extra, -1, 1);
  pivot(d, worst, extra);
  answer = climb(d, goal);
  if (answer != HYS_LP_FEASIBLE)
    return answer; /* not unbounded: the goal is at most zero */
  if (fmpq_sgn(line(d, goal) + constant) < 0)
    return HYS_LP_EMPTY;
  for (size_t l = 0; l < d->lines; l++) {
    size_t j = 0;
    if (d->basic[l] != d->extra)
      continue;
    while (j < constant && (d->dead[j] || fmpq_is_zero(line(d, l) + j)))
      j++;
    if (j < constant)
      pivot(d, l, j);
    /* else the line says  extra = 0  and does no harm: its variable is zero in all that follows */
  }
  for (size_t j = 0; j < constant; j++)
    if (d->column[j] == d->extra)
      d->dead[j] = true;
  return HYS_LP_FEASIBLE;
}

/* Builds the dictionary of the rows.  eps: a further free variable, at most 1, that the strict rows have
 * besides; it is then the objective. */
static bool open_dictionary(dictionary *d, const hys_lp *lp, const fmpq *objective, bool eps) {
  const size_t n = lp->n + (eps ? 1 : 0);

  *d = (dictionary){.n = n, .lines = lp->rows + (eps ? 1 : 0), .width = n + 2};
  d->extra = (uint32_t)(n + d->lines);
  d->cell = rationals(lp->allocator, (d->lines + 2) * d->width);
  d->basic = hys_allocate(lp->allocator, (d->lines + 1) * sizeof *d->basic);
  d->column = hys_allocate(lp->allocator, d->width * sizeof *d->column);
  d->dead = hys_allocate(lp->allocator, d->width * sizeof *d->dead);
  if (d->cell == NULL || d->basic == NULL || d->column == NULL || d->dead == NULL)
    return false;
  for (size_t j = 0; j < d->width; j++) {
    d->column[j] = j < n ? (uint32_t)j : d->extra;
    d->dead[j] = j >= n;
  }
  for (size_t i = 0; i < d->lines; i++) {
    fmpq *to = line(d, i);
    d->basic[i] = (uint32_t)(n + i);
    if (i < lp->rows) {
      const fmpq *row = lp->row + i * (lp->n + 1);
      for (size_t j = 0; j < lp->n; j++)
        negate(to + j, row + j);
      fmpq_set(to + d->width - 1, row + lp->n);
    } else {
      fmpq_one(to + d->width - 1);
    }
    if (eps && (i == lp->rows || lp->strict[i]))
      fmpq_set_si(to + lp->n, -1, 1);
  }
  if (eps)
    fmpq_one(line(d, d->lines) + lp->n);
  else if (objective != NULL)
    for (size_t j = 0; j < lp->n; j++)
      fmpq_set(line(d, d->lines) + j, objective + j);
  return true;
}

static void close_dictionary(dictionary *d, const hys_allocator *allocator) {
  release(allocator, d->cell, (d->lines + 2) * d->width);
  hys_release(allocator, d->basic);
  hys_release(allocator, d->column);
  hys_release(allocator, d->dead);
}

static bool moves_objective(const dictionary *d, size_t j) {
  return d->dead[j] && d->column[j] < d->n && !fmpq_is_zero(line(d, d->lines) + j);
}

/* The largest value of the objective (of eps), the pivots that are left in *pivots. */
static hys_status run(const hys_lp *lp, const fmpq *objective, bool eps, uint32_t *pivots,
                      hys_lp_answer *answer, fmpq_t value, fmpq *point) {
  dictionary d;

  if (!open_dictionary(&d, lp, objective, eps)) {
    close_dictionary(&d, lp->allocator);
    return HYS_ERR_MEMORY;
  }
  d.pivots = *pivots;
  free_variables_first(&d);
  *answer = make_feasible(&d);
  if (*answer == HYS_LP_FEASIBLE) {
    bool free_ascent = false;
    for (size_t j = 0; j + 1 < d.width; j++)
      free_ascent = free_ascent || moves_objective(&d, j);
    *answer = free_ascent ? HYS_LP_UNBOUNDED : climb(&d, d.lines);
  }
  if (*answer == HYS_LP_FEASIBLE) {
    fmpq_set(value, line(&d, d.lines) + d.width - 1);
    for (size_t j = 0; point != NULL && j < lp->n; j++)
      fmpq_zero(point + j);
    for (size_t i = 0; point != NULL && i < d.lines; i++)
      if (d.basic[i] < lp->n)
        fmpq_set(point + d.basic[i], line(&d, i) + d.width - 1);
  }
  *pivots = d.pivots;
  close_dictionary(&d, lp->allocator);
  return HYS_OK;
}

hys_status hysi_lp_solve(hys_lp *lp, const fmpq *objective, uint32_t max_pivots, hys_lp_answer *answer,
                         fmpq_t value, fmpq *point) {
  bool strict = false;
  hys_status status = HYS_OK;
  fmpq_t best;

  *answer = HYS_LP_UNKNOWN;
  for (size_t i = 0; i < lp->rows; i++)
    strict = strict || lp->strict[i];
  fmpq_init(best);
  if (strict) {
    status = run(lp, NULL, true, &max_pivots, answer, best, point);
    if (status == HYS_OK && *answer == HYS_LP_FEASIBLE && fmpq_sgn(best) <= 0)
      *answer = HYS_LP_EMPTY;
  }
  if (status == HYS_OK && (!strict || (*answer == HYS_LP_FEASIBLE && objective != NULL)))
    status = run(lp, objective, false, &max_pivots, answer, best, point);
  if (value != NULL)
    fmpq_set(value, best);
  fmpq_clear(best);
  return status;
}

/* ---- doubles ---- */

hys_status hys_lp_maximize(hys_lp *lp, const double *objective, uint32_t max_pivots, hys_lp_answer *answer,
                           hys_interval *value, double *point) {
  fmpq *goal = NULL, *at = NULL;
  hys_status status = HYS_ERR_MEMORY;
  fmpq_t best;

  if (lp == NULL || answer == NULL)
    return HYS_ERR_ARG;
  *answer = HYS_LP_UNKNOWN;
  for (size_t i = 0; objective != NULL && i < lp->n; i++)
    if (!(fabs(objective[i]) <= DBL_MAX))
      return HYS_ERR_ARG;
  if (objective != NULL)
    goal = rationals(lp->allocator, lp->n);
  if (point != NULL)
    at = rationals(lp->allocator, lp->n);
  fmpq_init(best);
  if ((goal != NULL || objective == NULL) && (at != NULL || point == NULL)) {
    for (size_t i = 0; goal != NULL && i < lp->n; i++)
      hysi_lp_from_double(goal + i, objective[i]);
    status = hysi_lp_solve(lp, goal, max_pivots, answer, best, at);
  }
  if (status == HYS_OK && *answer == HYS_LP_FEASIBLE) {
    double nearest;
    const hys_interval bounds = get_doubles(best, &nearest);
    if (value != NULL)
      *value = bounds;
    for (size_t i = 0; point != NULL && i < lp->n; i++)
      get_doubles(at + i, &point[i]);
  }
  fmpq_clear(best);
  release(lp->allocator, goal, lp->n);
  release(lp->allocator, at, lp->n);
  return status;
}

hys_status hys_lp_feasible(hys_lp *lp, uint32_t max_pivots, hys_lp_answer *answer, double *point) {
  return hys_lp_maximize(lp, NULL, max_pivots, answer, NULL, point);
}
