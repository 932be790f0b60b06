/* What a model that was read means, put against equations written by hand: evaluation of the general
 * automaton at points, and its runs. */
#ifndef HYSHIELD_TESTS_CONFORM_MEANING_H
#define HYSHIELD_TESTS_CONFORM_MEANING_H

#include "models/hybrid_model.h"
#include "tests/support/text_model.h"

enum { MEANING_VARIABLES = 32 };

/* A model of the shared folder with its configuration (NULL: none); false: not there (the test is skipped) or
 * a check has failed. */
bool meaning_open(text_model *m, const char *xml, const char *cfg);

/* The location of that name ("inst=name;..") among those that jumps reach from the initial ones; NULL: a
 * check has failed. */
const hys_hybrid_location *meaning_location(const hys_hybrid *h, const char *name);
/* Index of a variable; SIZE_MAX: a check has failed. */
size_t meaning_variable(const hys_hybrid *h, const char *name);
/* The k-th jump of a location to a target of that name; NULL: a check has failed. */
const hys_hybrid_jump *meaning_jump(const hys_hybrid *h, const hys_hybrid_location *l, const char *target,
                                    uint32_t k);

/* The value of a tree at x; *within: how far a computation by hand may be from it.  That is the width of the
 * enclosure at x, which holds the exact value and knows how well folded constants are known, and the rounding
 * of both computations: each of n operations is off by at most half an epsilon of its result, and no result
 * is larger than the largest one here. */
double meaning_value(const hys_expr *e, const double *x, double *within);

/* Flows by hand: x and dx are in the order of `names'. At random points of the box the automaton has these
 * derivatives, and no slack; the motion of the variables in `defined' (may be NULL) is not a flow but a
 * value, which stands in dx. */
typedef void meaning_flow(const double *x, double *dx);
void meaning_check_flow(const hys_hybrid *h, const char *location, const char *const *names, size_t n,
                        double lo, double hi, meaning_flow *flow);
/* The same for the values after a jump that assigns all variables. */
void meaning_check_jump(const hys_hybrid *h, const hys_hybrid_jump *jump, const char *const *names, size_t n,
                        double lo, double hi, meaning_flow *after);
/* All conditions hold at x (in the order of `names'). */
bool meaning_holds(const hys_hybrid *h, const hys_conditions *set, const char *const *names, size_t n,
                   const double *x);

#endif
