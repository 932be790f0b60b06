#include "core/rt/step.h"

#include "core/rt/box.h"

static hys_interval dot(const hys_interval *a, const hys_interval *x, size_t n, hys_interval sum) {
  return hys_interval_add(sum, hys_box_dot(a, x, n));
}

/* h^2/8 max(0, -m), upwards: how far a function whose second derivative is at least m may rise above its
 * chord. */
static double bulge(double h, double m) {
  if (m >= 0.0)
    return 0.0;
  return hys_mul_up(0.125 * h * h, -m); /* h is a power of two: the factor is exact */
}

/* Bounds of the set at the end of the step and of the tube, by the rows. */
static void step_by_rows(const hys_step_table *table, size_t nx, const hys_interval *x, hys_interval *end,
                         hys_interval *tube) {
  double end_bound[2 * HYS_MAX_STATES], tube_bound[2 * HYS_MAX_STATES];
  for (size_t i = 0; i < 2 * nx; i++)
    end_bound[i] = tube_bound[i] = HYSI_INF;
  for (uint32_t r = 0; r < table->n_rows; r++) {
    const hys_step_row *row = &table->row[r];
    const size_t i = row->variable, k = 2 * i + (row->upper ? 0U : 1U);
    const double start = row->upper ? x[i].hi : -x[i].lo;
    const double end_here = dot(row->coef, x, nx, row->constant).hi;
    const double bend = dot(row->curve, x, nx, row->curve_constant).lo;
    const double rise = bulge(table->h, bend);
    const double top = start > end_here ? start : end_here;
    const double tube_here = rise > 0.0 ? hys_add_up(top, rise) : top;
    if (end_here < end_bound[k])
      end_bound[k] = end_here;
    if (tube_here < tube_bound[k])
      tube_bound[k] = tube_here;
  }
  for (size_t i = 0; i < nx; i++) {
    end[i] = hys_interval_make(-end_bound[2 * i + 1], end_bound[2 * i]);
    tube[i] = hys_interval_make(-tube_bound[2 * i + 1], tube_bound[2 * i]);
  }
}

void hys_segment_start(hys_segment *segment, const hys_flow *flow, size_t nx, const hys_interval *x) {
  hys_box_copy(segment->x, x, nx);
  if (flow->monotone)
    return;
  hys_box_copy(segment->x0, x, nx);
  for (size_t i = 0; i < nx; i++) {
    segment->s[i] = hys_interval_point(0.0);
    for (size_t j = 0; j < nx; j++)
      segment->m[i * nx + j] = hys_interval_point(i == j ? 1.0 : 0.0);
  }
}

/* The step from the start of the segment; tightens next->x and tube. */
static void step_by_segment(const hys_segment *segment, const hys_flow *flow, size_t nx,
                            const hys_step_table *table, hys_segment *next, hys_interval *tube) {
  hys_interval homogeneous[HYS_MAX_STATES], forced[HYS_MAX_STATES], input[HYS_MAX_STATES];
  hys_box_copy(next->x0, segment->x0, nx);
  for (size_t i = 0; i < nx; i++) {
    homogeneous[i] = dot(&segment->m[i * nx], segment->x0, nx, hys_interval_point(0.0));
    forced[i] = dot(&segment->m[i * nx], flow->w, nx, hys_interval_point(0.0));
    input[i] = dot(&segment->m[i * nx], table->input, nx, hys_interval_point(0.0));
    next->s[i] = hys_interval_add(segment->s[i], input[i]);
    for (size_t j = 0; j < nx; j++) {
      hys_interval sum = hys_interval_point(0.0);
      for (size_t k = 0; k < nx; k++)
        sum = hys_interval_add(sum, hys_interval_mul(table->phi[i * nx + k], segment->m[k * nx + j]));
      next->m[i * nx + j] = sum;
    }
  }
  for (size_t i = 0; i < nx; i++) {
    const hys_interval before = hys_interval_add(homogeneous[i], segment->s[i]);
    const hys_interval after = dot(&next->m[i * nx], segment->x0, nx, next->s[i]);
    const hys_interval bend = dot(&table->curve_input[i * nx], forced, nx,
                                  dot(&table->curve_state[i * nx], homogeneous, nx, hys_interval_point(0.0)));
    const hys_interval hull = hys_interval_hull(before, after);
    const hys_interval here = hys_interval_make(hys_sub_down(hull.lo, bulge(table->h, -bend.hi)),
                                                hys_add_up(hull.hi, bulge(table->h, bend.lo)));
    next->x[i] = hys_interval_intersect(next->x[i], after);
    tube[i] = hys_interval_intersect(tube[i], here);
  }
}

void hys_segment_step(const hys_segment *segment, const hys_flow *flow, size_t nx, unsigned level,
                      hys_segment *next, hys_interval *tube) {
  const hys_step_table *table = &flow->level[level];
  step_by_rows(table, nx, segment->x, next->x, tube);
  if (!flow->monotone)
    step_by_segment(segment, flow, nx, table, next, tube);
}

void hys_flow_tube(const hys_flow *flow, size_t nx, unsigned level, const hys_interval *x,
                   hys_interval *tube) {
  hys_interval end[HYS_MAX_STATES];
  step_by_rows(&flow->level[level], nx, x, end, tube);
}

/* Term by term, so that a slope that is exactly zero stays zero: one error bound for the sum would not tell.
 */
hys_interval hys_flow_slope(const hys_flow *flow, size_t nx, size_t i, const hys_interval *x) {
  hys_interval sum = flow->w[i];
  for (size_t j = 0; j < nx; j++)
    if (flow->a[i * nx + j].lo != 0.0 || flow->a[i * nx + j].hi != 0.0)
      sum = hys_interval_add(sum, hys_interval_mul(flow->a[i * nx + j], x[j]));
  return sum;
}
