/* Shared by the parts of the evaluation of expressions. */
#ifndef HYSHIELD_CORE_RT_EXPR_INTERNAL_H
#define HYSHIELD_CORE_RT_EXPR_INTERNAL_H

#include "core/rt/expr.h"

/* Where the nodes of a tree have their values: node i at at[(i - first) * stride]. */
typedef struct hysi_values {
  const hys_interval *at;
  uint32_t first;
  size_t stride;
} hysi_values;

/* The value of a look-up table, a node of a tree.  All nodes that it needs have a value.  Without a meaning
 * (sizes that do not fit, more than the limits) it is the entire line; NaN. */
hys_interval hysi_lut_interval(const hys_expr *e, uint32_t lut, const hysi_values *values);
double hysi_lut_point(const hys_expr *e, uint32_t lut, const double *value);

#endif
