/* Exact values of expressions, by Arb from the text of their decimals: what enclosures are held against. */
#ifndef HYSHIELD_TESTS_FUZZ_EXACT_H
#define HYSHIELD_TESTS_FUZZ_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#include "core/rt/expr.h"

enum { EXACT_MOST_NODES = 128 };

/* The nodes of a tree at the point x with the derivatives dx (NULL: unknown).  false: more than
 * EXACT_MOST_NODES nodes.  One tree at a time. */
bool exact_open(const hys_expr *e, const double *x, const double *dx);
/* The number or truth of the node lies in the interval, as far as Arb can tell: what has no value, or depends
 * on such a thing, is in all. */
bool exact_inside(uint32_t node, hys_interval box);
void exact_close(void);

#endif
