/* Look-up tables: between the breakpoints linear in each input, outside of them the value at the border.
 *
 * A table over breakpoints b_0 < .. < b_m of each input is multilinear in every cell of the grid, so on a box
 * inside of a cell its least and largest values are at corners of the box.  A box over several cells is cut
 * along the grid: what is to be looked at are all points whose coordinates are ends of the box or breakpoints
 * between them. */
#include "core/rt/expr_internal.h"

#include <math.h>

/* Up to this many products of a weight and an entry are computed for one enclosure; a box that needs more
 * gets the hull of the entries around it, which encloses less tightly. */
enum { MAX_WORK = 1 << 20 };

/* What a node of a tree says: the table's entries, the first input's place turning fastest. */
typedef struct lut {
  uint32_t n;                          /* inputs */
  uint32_t input[HYS_MAX_LUT_INPUTS];  /* nodes */
  uint32_t points[HYS_MAX_LUT_INPUTS]; /* breakpoints of each input, a list */
  uint32_t size[HYS_MAX_LUT_INPUTS];   /* how many these are */
  uint32_t table, entries;             /* a list, and its length */
} lut;

static const hys_expr_node *last_of(const hys_expr *e, uint32_t list) {
  return list < e->n && e->node[list].op == HYS_EXPR_LIST ? &e->node[list] : NULL;
}

/* The entries of a list, from the last one on:  for (each = last_of(..); each != NULL; each = before(e,
 * each))
 */
static const hys_expr_node *before(const hys_expr *e, const hys_expr_node *each) {
  return each->a != HYS_EXPR_NO_CHILD ? last_of(e, each->a) : NULL;
}

static uint32_t count(const hys_expr *e, uint32_t list) {
  uint32_t n = 0;
  for (const hys_expr_node *k = last_of(e, list); k != NULL; k = before(e, k))
    n++;
  return n;
}

static bool is(const hys_expr *e, uint32_t node, hys_expr_op op) {
  return e->node[node].op == op;
}

static bool look(const hys_expr *e, uint32_t node, lut *out) {
  uint32_t argument[HYS_MAX_LUT_INPUTS + 2], n = 0;
  uint64_t cells = 1;

  for (const hys_expr_node *k = last_of(e, e->node[node].a); k != NULL; k = before(e, k)) {
    if (n == HYS_MAX_LUT_INPUTS + 2)
      return false;
    argument[n++] = k->b;
  }
  if (n < 3)
    return false;
  out->n = n - 2;
  /* the inputs: a list, or one number */
  if (is(e, argument[n - 1], HYS_EXPR_MATRIX)) {
    uint32_t i = out->n;
    for (const hys_expr_node *k = last_of(e, e->node[argument[n - 1]].a); k != NULL; k = before(e, k)) {
      if (i == 0)
        return false;
      out->input[--i] = k->b;
    }
    if (i != 0)
      return false;
  } else {
    if (out->n != 1)
      return false;
    out->input[0] = argument[n - 1];
  }
  for (uint32_t i = 0; i < out->n; i++) {
    const uint32_t points = argument[n - 3 - i];
    if (!is(e, points, HYS_EXPR_MATRIX))
      return false;
    out->points[i] = e->node[points].a;
    out->size[i] = count(e, out->points[i]);
    cells *= out->size[i];
    if (out->size[i] < 2 || cells > HYS_MAX_LUT_ENTRIES)
      return false;
  }
  /* the table: a list, or one with sizes */
  uint32_t table = argument[n - 2];
  if (is(e, table, HYS_EXPR_RESHAPE)) {
    const hys_expr_node *k = last_of(e, e->node[table].a), *first = k;
    for (; k != NULL; k = before(e, k))
      first = k;
    if (first == NULL)
      return false;
    table = first->b;
  }
  if (!is(e, table, HYS_EXPR_MATRIX))
    return false;
  out->table = e->node[table].a;
  out->entries = (uint32_t)cells;
  return count(e, out->table) == out->entries;
}

/* ---- a point ---- */

/* The cell of x and how far x is into it, from 0 to 1; NaN for NaN. */
static double locate(const hys_expr *e, const lut *t, uint32_t axis, const double *value, double x,
                     uint32_t *cell) {
  uint32_t i = t->size[axis];
  double above = HYSI_NAN;

  *cell = 0;
  for (const hys_expr_node *k = last_of(e, t->points[axis]); k != NULL; k = before(e, k)) {
    const double at = value[k->b];
    i--;
    if (x >= at) {
      *cell = i;
      return i + 1 == t->size[axis] || x == at ? 0.0 : (x - at) / (above - at);
    }
    above = at;
  }
  return x < above ? 0.0 : HYSI_NAN;
}

double hysi_lut_point(const hys_expr *e, uint32_t node, const double *value) {
  uint32_t cell[HYS_MAX_LUT_INPUTS], i;
  double part[HYS_MAX_LUT_INPUTS], sum = 0.0;
  lut t;

  if (!look(e, node, &t))
    return HYSI_NAN;
  for (uint32_t axis = 0; axis < t.n; axis++) {
    part[axis] = locate(e, &t, axis, value, value[t.input[axis]], &cell[axis]);
    if (!(part[axis] >= 0.0))
      return HYSI_NAN;
  }
  i = t.entries;
  for (const hys_expr_node *k = last_of(e, t.table); k != NULL; k = before(e, k)) {
    uint32_t rest = --i;
    double weight = 1.0;
    for (uint32_t axis = 0; axis < t.n; axis++) {
      const uint32_t at = rest % t.size[axis];
      rest /= t.size[axis];
      weight *= at == cell[axis] ? 1.0 - part[axis] : at == cell[axis] + 1 ? part[axis] : 0.0;
    }
    if (weight != 0.0)
      sum += weight * value[k->b];
  }
  return sum;
}

/* ---- a box ---- */

static hys_interval value_of(const hysi_values *value, uint32_t node) {
  return value->at[(node - value->first) * value->stride];
}

/* A coordinate of a point to look at: `part` of the way from one breakpoint to the next, in [0, 1]. */
typedef struct coordinate {
  uint32_t cell;
  hys_interval part;
} coordinate;

/* Where an input ranges: from low over the breakpoints [inside, end) to high; the entries [first, last] are
 * around it. */
typedef struct axis {
  coordinate low, high;
  uint32_t inside, end, n; /* n: coordinates in all; if 1, low alone */
  uint32_t first, last;
} axis;

static hys_interval fraction(double x, hys_interval from, hys_interval to) {
  const hys_interval way = hys_interval_add_exact(hys_interval_point(x), hys_interval_neg(from));
  const hys_interval whole = hys_interval_add_exact(to, hys_interval_neg(from));
  const hys_interval part = hys_interval_intersect(hys_interval_div_exact(way, whole), hysi_pair(0.0, 1.0));
  return hys_interval_is_empty(part) ? hysi_pair(0.0, 1.0) : part;
}

static bool is_exactly(hys_interval at, double x) {
  return at.lo == at.hi && at.lo == x;
}

/* Breakpoints are enclosures: low begins at the last one that surely is not above x.lo, high ends at the
 * first one that surely is not below x.hi. */
static void range(const hys_expr *e, const lut *t, uint32_t number, const hysi_values *value, hys_interval x,
                  axis *out) {
  const hys_interval none = hysi_pair(0.0, 0.0);
  const uint32_t n = t->size[number];
  hys_interval below = none, next = none, before_top = none, top_at = none, above = none;
  uint32_t i = n, from = n, top = n; /* n: there is none */
  bool fresh = false;                /* the one below top has not been seen */

  for (const hys_expr_node *k = last_of(e, t->points[number]); k != NULL; k = before(e, k)) {
    const hys_interval at = value_of(value, k->b);
    i--;
    if (fresh && !(at.lo >= x.hi)) {
      before_top = at;
      fresh = false;
    }
    if (at.lo >= x.hi) {
      top = i;
      top_at = at;
      fresh = true;
    }
    if (from == n && at.hi <= x.lo) {
      from = i;
      below = at;
      next = above;
    }
    above = at;
  }
  out->low = (coordinate){from < n ? from : 0, none};
  if (from + 1 < n && !is_exactly(below, x.lo))
    out->low.part = fraction(x.lo, below, next);
  if (top == n || top == 0 || is_exactly(top_at, x.hi))
    out->high = (coordinate){top < n ? top : n - 1, none};
  else
    out->high = (coordinate){top - 1, fraction(x.hi, before_top, top_at)};
  out->first = out->low.cell;
  out->last = top < n ? top : n - 1;
  out->inside = out->first + 1;
  out->end = out->last > out->inside ? out->last : out->inside;
  out->n = 2 + out->end - out->inside;
  if (out->n == 2 && out->low.cell == out->high.cell && hys_interval_equal(out->low.part, out->high.part))
    out->n = 1;
}

static coordinate pick(const axis *a, uint32_t number) {
  if (number == 0)
    return a->low;
  if (number + 1 == a->n)
    return a->high;
  return (coordinate){a->inside + number - 1, hysi_pair(0.0, 0.0)};
}

static hys_interval value_at(const hys_expr *e, const lut *t, const coordinate *at,
                             const hysi_values *value) {
  const hys_interval one = hysi_pair(1.0, 1.0);
  hys_interval sum = hysi_pair(0.0, 0.0);
  uint32_t i = t->entries;

  for (const hys_expr_node *k = last_of(e, t->table); k != NULL; k = before(e, k)) {
    hys_interval weight = one;
    uint32_t rest = --i;
    bool counts = true;
    for (uint32_t a = 0; a < t->n && counts; a++) {
      const uint32_t there = rest % t->size[a];
      rest /= t->size[a];
      if (there == at[a].cell)
        weight = hys_interval_mul_exact(weight, hys_interval_add_exact(one, hys_interval_neg(at[a].part)));
      else if (there == at[a].cell + 1 && at[a].part.hi > 0.0)
        weight = hys_interval_mul_exact(weight, at[a].part);
      else
        counts = false;
    }
    if (counts)
      sum = hys_interval_add_exact(sum, hys_interval_mul_exact(weight, value_of(value, k->b)));
  }
  return sum;
}

/* All entries that are around the box. */
static hys_interval hull_around(const hys_expr *e, const lut *t, const axis *a, const hysi_values *value) {
  hys_interval hull = hys_interval_empty();
  uint32_t i = t->entries;

  for (const hys_expr_node *k = last_of(e, t->table); k != NULL; k = before(e, k)) {
    uint32_t rest = --i;
    bool counts = true;
    for (uint32_t n = 0; n < t->n; n++) {
      const uint32_t there = rest % t->size[n];
      rest /= t->size[n];
      counts = counts && there >= a[n].first && there <= a[n].last;
    }
    if (counts)
      hull = hys_interval_hull(hull, value_of(value, k->b));
  }
  return hull;
}

hys_interval hysi_lut_interval(const hys_expr *e, uint32_t node, const hysi_values *value) {
  hys_interval hull = hys_interval_empty(), around;
  uint32_t turn[HYS_MAX_LUT_INPUTS] = {0};
  coordinate at[HYS_MAX_LUT_INPUTS];
  axis a[HYS_MAX_LUT_INPUTS];
  uint64_t work;
  lut t;

  if (!look(e, node, &t))
    return hys_interval_entire();
  work = t.entries;
  for (uint32_t n = 0; n < t.n; n++) {
    const hys_interval x = value_of(value, t.input[n]);
    if (hys_interval_is_empty(x))
      return hys_interval_empty();
    range(e, &t, n, value, x, &a[n]);
    work = work <= MAX_WORK ? work * a[n].n : work;
  }
  around = hull_around(e, &t, a, value);
  if (work > MAX_WORK)
    return around;
  for (;;) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < t.n; k++)
      at[k] = pick(&a[k], turn[k]);
    hull = hys_interval_hull(hull, value_at(e, &t, at, value));
    while (n < t.n && ++turn[n] == a[n].n)
      turn[n++] = 0;
    if (n == t.n)
      break;
  }
  /* both enclose: rounding may have gone beyond the entries */
  return hys_interval_intersect(hull, around);
}
