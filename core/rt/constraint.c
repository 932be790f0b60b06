#include "core/rt/constraint.h"

#include "core/rt/box.h"

static bool zero(hys_interval a) {
  return a.lo == 0.0 && a.hi == 0.0;
}

/* The one variable of a row x_j <= c or -x_j <= c, or n: its value needs no rounding, so that d >= 2 is
 * decided exactly. */
static size_t unit_variable(const hys_interval *a, size_t n) {
  size_t found = n;
  for (size_t j = 0; j < n; j++) {
    if (zero(a[j]))
      continue;
    if (found < n || a[j].lo != a[j].hi || fabs(a[j].lo) != 1.0)
      return n;
    found = j;
  }
  return found;
}

hys_interval hys_halfspace_value(const hys_automaton *automaton, const hys_halfspace *row,
                                 const hys_interval *x, const hys_interval *u) {
  const size_t nx = automaton->nx, n = nx + automaton->nu, j = unit_variable(row->a, n);
  if (j < n) {
    const hys_interval value = j < nx ? x[j] : u[j - nx];
    return row->a[j].lo > 0.0 ? value : hys_interval_neg(value);
  }
  return hys_interval_add(hys_box_dot(row->a, x, nx), hys_box_dot(row->a + nx, u, automaton->nu));
}

double hys_halfspace_clearance(const hys_automaton *automaton, const hys_halfspace *row,
                               const hys_interval *x, const hys_interval *u) {
  const hys_interval value = hys_halfspace_value(automaton, row, x, u);
  if (hys_interval_is_empty(value))
    return -HYSI_INF; /* an empty set certifies nothing */
  return value.lo == row->c.hi ? 0.0 : hys_sub_down(value.lo, row->c.hi);
}

static bool clear(const hys_halfspace *row, double clearance) {
  return clearance > 0.0 || (row->strict && clearance == 0.0);
}

bool hys_conjunction_holds_surely(const hys_automaton *automaton, const hys_conjunction *set,
                                  const hys_interval *x, const hys_interval *u) {
  if (hys_box_is_empty(x, automaton->nx))
    return false;
  for (uint32_t i = 0; i < set->n; i++) {
    const hys_interval value = hys_halfspace_value(automaton, &set->row[i], x, u);
    if (!(set->row[i].strict ? hys_interval_lt_surely(value, set->row[i].c)
                             : hys_interval_le_surely(value, set->row[i].c)))
      return false;
  }
  return true;
}

/* c / a; exact where a is 1 or -1, so that the bound d >= 2 is 2 and not its neighbour. */
static hys_interval quotient(double c, hys_interval a) {
  if (a.lo == a.hi && fabs(a.lo) == 1.0)
    return hys_interval_point(a.lo > 0.0 ? c : -c);
  return hys_interval_div(hys_interval_point(c), a);
}

/* One linear row used on one variable after the other: a_j x_j <= c - sum of the others. */
static bool cut_by_row(const hys_automaton *automaton, const hys_halfspace *row, hys_interval *x,
                       const hys_interval *u) {
  const size_t nx = automaton->nx, n = nx + automaton->nu;
  for (size_t j = 0; j < nx; j++) {
    if (zero(row->a[j]))
      continue;
    hys_interval rest = row->c;
    for (size_t k = 0; k < n; k++)
      if (k != j && !zero(row->a[k]))
        rest = hys_interval_sub(rest, hys_interval_mul(row->a[k], k < nx ? x[k] : u[k - nx]));
    if (hys_interval_is_empty(rest))
      return false;
    if (row->a[j].lo > 0.0)
      x[j] = hys_interval_intersect(x[j], hys_interval_make(-HYSI_INF, quotient(rest.hi, row->a[j]).hi));
    else if (row->a[j].hi < 0.0)
      x[j] = hys_interval_intersect(x[j], hys_interval_make(quotient(rest.hi, row->a[j]).lo, HYSI_INF));
    if (hys_interval_is_empty(x[j]))
      return false;
  }
  const hys_interval value = hys_halfspace_value(automaton, row, x, u);
  return !(value.lo > row->c.hi); /* a bound that is no number cuts nothing away */
}

bool hys_conjunction_cut(const hys_automaton *automaton, const hys_conjunction *set, hys_interval *x,
                         const hys_interval *u) {
  if (hys_box_is_empty(x, automaton->nx))
    return false;
  for (uint32_t i = 0; i < set->n; i++)
    if (!cut_by_row(automaton, &set->row[i], x, u)) {
      hys_box_set_empty(x, automaton->nx);
      return false;
    }
  return true;
}

bool hys_halfspace_cut_opposite(const hys_automaton *automaton, const hys_halfspace *row, hys_interval *x,
                                const hys_interval *u) {
  hys_interval minus[HYS_MAX_STATES + HYS_MAX_INPUTS];
  for (size_t j = 0; j < automaton->nx + automaton->nu; j++)
    minus[j] = hys_interval_neg(row->a[j]);
  const hys_halfspace opposite = {minus, hys_interval_neg(row->c), false, 0};
  const hys_conjunction one = {&opposite, 1};
  return hys_conjunction_cut(automaton, &one, x, u);
}

bool hys_conjunction_missed_surely(const hys_automaton *automaton, const hys_conjunction *set,
                                   const hys_interval *x, const hys_interval *u, double *clearance,
                                   const hys_halfspace **row) {
  bool missed = false;
  *clearance = -HYSI_INF;
  *row = NULL;
  for (uint32_t i = 0; i < set->n; i++) {
    const double c = hys_halfspace_clearance(automaton, &set->row[i], x, u);
    if (clear(&set->row[i], c))
      missed = true;
    if (!(c <= *clearance) || *row == NULL) {
      *clearance = c;
      *row = &set->row[i];
    }
  }
  return missed;
}

bool hys_forbidden_missed_surely(const hys_automaton *automaton, uint32_t location, const hys_interval *x,
                                 const hys_halfspace **row) {
  for (uint32_t i = 0; i < automaton->n_forbidden; i++) {
    const hys_region *bad = &automaton->forbidden[i];
    double clearance;
    if ((bad->location == HYS_ANY_LOCATION || bad->location == location) &&
        !hys_conjunction_missed_surely(automaton, &bad->set, x, automaton->location[location].u, &clearance,
                                       row))
      return false;
  }
  return true;
}

bool hys_regions_hold_surely(const hys_automaton *automaton, const hys_region *region, uint32_t n,
                             uint32_t location, const hys_interval *x) {
  for (uint32_t i = 0; i < n; i++)
    if ((region[i].location == HYS_ANY_LOCATION || region[i].location == location) &&
        hys_conjunction_holds_surely(automaton, &region[i].set, x, automaton->location[location].u))
      return true;
  return false;
}
