/* Expressions and formulas as a flat tree: an array of nodes in which children precede their parents, so that
 * every evaluation is one pass over an array and nothing recurses.  The root is the last node.  A node may
 * have several parents (the middle of a chain  a <= x <= b  is there once).
 *
 * Numbers are enclosures of the decimals that were written.  Variables are indices whose meaning belongs to
 * whoever made the tree.  models/expr_parse.h makes trees from text.
 *
 * RT-safe: every function here; time linear in the number of nodes, memory is the caller's scratch. */
#ifndef HYSHIELD_CORE_RT_EXPR_H
#define HYSHIELD_CORE_RT_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rt/interval.h"
#include "core/rt/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Grows at the end only.  Those up to HYS_EXPR_LIST are numbers (or lists of numbers), the rest are truths.
 */
typedef enum hys_expr_op {
  HYS_EXPR_NONE, /* zeroed memory is no expression */
  HYS_EXPR_CONSTANT,
  HYS_EXPR_VARIABLE, /* a: index */
  HYS_EXPR_PRIMED,   /* a: index; the derivative in a flow, the value after the jump in an assignment */
  HYS_EXPR_NEG,
  HYS_EXPR_ADD,
  HYS_EXPR_SUB,
  HYS_EXPR_MUL,
  HYS_EXPR_DIV,
  HYS_EXPR_POW,
  HYS_EXPR_SIN,
  HYS_EXPR_COS,
  HYS_EXPR_TAN,
  HYS_EXPR_EXP,
  HYS_EXPR_LOG,
  HYS_EXPR_SQRT,
  HYS_EXPR_ABS,
  HYS_EXPR_TANH,
  HYS_EXPR_ATAN,
  HYS_EXPR_MIN,
  HYS_EXPR_MAX,
  HYS_EXPR_LUT,     /* a: list of arguments: inputs (a matrix, or one number), table (a matrix or a reshape),
                       breakpoints of each input (a matrix each); linear in each input between breakpoints,
                       constant beyond the outermost ones */
  HYS_EXPR_RESHAPE, /* a: list of arguments: a matrix, then its sizes; no value of its own: entire, NaN */
  HYS_EXPR_MATRIX,  /* a: list of entries, the first index turning fastest; likewise */
  HYS_EXPR_LIST,    /* a: the entries before (HYS_EXPR_NO_CHILD: none), b: the last entry */
  HYS_EXPR_LT,
  HYS_EXPR_LE,
  HYS_EXPR_GT,
  HYS_EXPR_GE,
  HYS_EXPR_EQ,
  HYS_EXPR_NE,
  HYS_EXPR_ASSIGN, /* := */
  HYS_EXPR_AND,
  HYS_EXPR_OR,
  HYS_EXPR_NOT,
  HYS_EXPR_TRUE,
  HYS_EXPR_FALSE,
  HYS_EXPR_LOCATION /* loc(instance)==location; a: instance, b: location inside it */
} hys_expr_op;

#define HYS_EXPR_NO_CHILD UINT32_MAX

/* Of a look-up table; one that has more has no value. */
enum { HYS_MAX_LUT_INPUTS = 4, HYS_MAX_LUT_ENTRIES = 65536 };

typedef struct hys_expr_node {
  uint8_t op;         /* hys_expr_op */
  bool chain;         /* an AND that was written as a chain of comparisons */
  bool nearest_is_hi; /* of a constant: the double nearest to it is value.hi, else value.lo */
  bool grouped;       /* was written in parentheses */
  uint32_t a, b;      /* children, for functions of one argument a; see above for others */
  uint32_t line;      /* where it was written, from 1; 0 = nowhere */
  uint32_t column;    /* in characters, from 1 */
  hys_interval value; /* of a constant */
  const char *text;   /* of a constant, a variable or a location: as it was written; NULL = made by us */
  uint32_t length;    /* of text */
} hys_expr_node;

typedef struct hys_expr {
  const hys_expr_node *node;
  uint32_t n; /* 0: no expression; a formula without text is TRUE by convention of the reader */
} hys_expr;

static inline bool hys_expr_op_is_truth(hys_expr_op op) {
  return op > HYS_EXPR_LIST;
}

/* First node of the part of the tree under `root`: all that root needs lies in [first, root]. */
HYS_API uint32_t hys_expr_first(const hys_expr *e, uint32_t root);

/* Value at a point: numbers in round to nearest, truths as 1 and 0, of the subtree under root (e->n - 1 is
 * the whole).  x: values of the variables; dx: of the primed ones, may be NULL if there are none; at: current
 * location of each instance, may be NULL if the formula has no location.  scratch: e->n doubles.  A
 * comparison with NaN is false.  An estimate: for what must be sure use the interval form. */
HYS_API double hys_expr_eval_point(const hys_expr *e, uint32_t root, const double *x, const double *dx,
                                   const uint32_t *at, double *scratch);

/* Enclosure over a box x (and dx, at as above; at NULL: a location may be true or false).  For a number, the
 * result holds every value of the expression on x; for a truth, lo and hi are the least and largest truth
 * value: [1,1] true all over x, [0,0] false all over it, [0,1] not known.  scratch: e->n intervals. */
HYS_API hys_interval hys_expr_eval_interval(const hys_expr *e, uint32_t root, const hys_interval *x,
                                            const hys_interval *dx, const uint32_t *at,
                                            hys_interval *scratch);

/* The number under root as  sum coef[i] x_i + *constant,  i < n, coefficients as enclosures, points where the
 * arithmetic is exact; terms that cancel do so, if they are affine themselves (x*x - x*x is refused).
 * Constants are folded, functions of constants too.
 * HYS_OK; HYS_ERR_UNSUPPORTED: not affine (or a primed variable, a list, a truth): *fault is the node to
 * blame; HYS_ERR_NUMERIC: a coefficient is not finite, *fault likewise; HYS_ERR_ARG: a variable index >= n.
 * scratch: (root - hys_expr_first(e, root) + 1) * (n + 1) intervals. fault may be NULL. */
HYS_API hys_status hys_expr_affine(const hys_expr *e, uint32_t root, size_t n, hys_interval *coef,
                                   hys_interval *constant, hys_interval *scratch, uint32_t *fault);

/* What kind of function of its variables a number is; in order of generality. */
typedef enum hys_expr_class {
  HYS_CLASS_NONE,
  HYS_CLASS_CONSTANT,
  HYS_CLASS_CONSTANT_INCLUSION, /* of a flow: constant bounds */
  HYS_CLASS_AFFINE,
  HYS_CLASS_POLYNOMIAL,
  HYS_CLASS_RATIONAL,
  HYS_CLASS_TRANSCENDENTAL
} hys_expr_class;

/* Class of the number under root.  number[i] says that variable i counts as a number; NULL: none does.
 * scratch: e->n bytes. */
HYS_API hys_expr_class hys_expr_classify(const hys_expr *e, uint32_t root, const bool *number,
                                         uint8_t *scratch);

/* Sum, product, quotient as exact points where double arithmetic is exact, else as by hys_interval_... . */
HYS_API hys_interval hys_interval_add_exact(hys_interval a, hys_interval b);
HYS_API hys_interval hys_interval_mul_exact(hys_interval a, hys_interval b);
HYS_API hys_interval hys_interval_div_exact(hys_interval a, hys_interval b);

#ifdef __cplusplus
}
#endif
#endif
