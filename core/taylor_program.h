/* Right-hand sides as programs whose Taylor coefficients in time can be computed order by order: equal parts
 * are there once, functions stand as the equations of their derivatives.  Private to core.
 *
 * An operation has one value; operands come before it but for HYSI_TP_CHAIN, whose derivative may be any
 * operation: its coefficient i needs those of the derivative below i only. */
#ifndef HYSHIELD_CORE_TAYLOR_PROGRAM_H
#define HYSHIELD_CORE_TAYLOR_PROGRAM_H

#include "core/rt/expr.h"
#include "core/taylor_poly.h"

typedef enum hysi_tp_kind {
  HYSI_TP_CONSTANT, /* value */
  HYSI_TP_STATE,    /* a: index of a state */
  HYSI_TP_INPUT,    /* a: index of a variable that does not move */
  HYSI_TP_ADD,
  HYSI_TP_SUB,
  HYSI_TP_NEG,
  HYSI_TP_MUL,
  HYSI_TP_SQR,
  HYSI_TP_DIV,
  HYSI_TP_CHAIN, /* function(a); its derivative by time is sign * value of b * derivative of a */
  HYSI_TP_ABS    /* |a|; in a flow: slope a + offset + a disturbance, chosen for each step */
} hysi_tp_kind;

typedef struct hysi_tp_op {
  uint8_t kind, function;
  double sign;
  uint32_t a, b;
  hys_interval value; /* of a constant; the exponent of a power */
} hysi_tp_op;

typedef struct hysi_tp_program {
  hysi_tp_op *op;
  uint32_t n, capacity;
  uint32_t n_abs, n_div;
  uint32_t *bucket; /* hash table of operations, 0 = free, else index + 1 */
  uint32_t buckets;
  hys_allocator allocator;
  bool has_allocator;
} hysi_tp_program;

void hysi_tp_program_open(hysi_tp_program *p, const hys_allocator *allocator);
void hysi_tp_program_close(hysi_tp_program *p);
/* The number under the root of e as an operation.  state[i]: index of variable i as a state, or
 * HYS_EXPR_NO_CHILD: it is an input.  HYS_ERR_UNSUPPORTED: a look-up table, a truth, a primed variable;
 * HYS_ERR_MEMORY, HYS_ERR_LIMIT. */
hys_status hysi_tp_program_compile(hysi_tp_program *p, const hys_expr *e, const uint32_t *state,
                                   uint32_t *result);
/* result := a + constant */
hys_status hysi_tp_program_shift(hysi_tp_program *p, uint32_t a, hys_interval constant, uint32_t *result);

/* How |a| is replaced while a is inside `domain`: slope a + offset + [-radius, radius]. */
typedef struct hysi_tp_bend {
  hys_interval domain;
  double slope, offset, radius;
} hysi_tp_bend;
/* The least radius on a domain; without one where a has one sign. */
void hysi_tp_bend_choose(hysi_tp_bend *bend, hys_interval domain);

/* Enclosures of the operations' values over a box of states and inputs; with bends, of what stands for |a|,
 * disturbances included.  n intervals. */
void hysi_tp_values(const hysi_tp_program *p, const hys_interval *state, const hys_interval *input,
                    const hysi_tp_bend *bend, hys_interval *value);
/* Coefficients 0..order of the operations for a flow whose right-hand sides are the operations rate[0..m),
 * over a box, inputs held.  bend: n_abs, in the order of the operations.  coefficient i of operation k at
 * series[k * (order + 1) + i], of state v (one more) at states[v * (order + 2) + i]. */
void hysi_tp_box_series(const hysi_tp_program *p, const uint32_t *rate, size_t m, const hys_interval *state,
                        const hys_interval *input, const hysi_tp_bend *bend, unsigned order,
                        hys_interval *series, hys_interval *states);
/* Derivatives of all operations by `columns` unknowns: first the m states, then inputs column_input[..], then
 * the disturbances of the bends; value: from hysi_tp_values.  gradient: n rows of columns. */
void hysi_tp_gradient(const hysi_tp_program *p, const hys_interval *value, const hysi_tp_bend *bend, size_t m,
                      const uint32_t *column_input, size_t n_inputs, hys_interval *gradient);
/* Of the k-th ABS the operation that it is of. */
uint32_t hysi_tp_program_bent(const hysi_tp_program *p, uint32_t k);

/* The same for polynomials: all coefficients up to the order.  series: n * (order + 1) polynomials; states: m
 * * (order + 1), those of order 0 are the start; inverse: n_div; work: 3.  The coefficients of states that
 * are operations are in states only.  false: a function is not smooth, or numbers overflow. */
bool hysi_tp_poly_series(const hysi_tp_space *s, const hysi_tp_program *p, const uint32_t *rate, size_t m,
                         const double *input, const hysi_tp_bend *bend, unsigned order, hysi_tp *series,
                         hysi_tp *states, hysi_tp *inverse, hysi_tp *work);
/* The operations' values on polynomials, of order 0. input: enclosures. */
bool hysi_tp_poly_values(const hysi_tp_space *s, const hysi_tp_program *p, hysi_tp *state,
                         const hys_interval *input, hysi_tp *series, hysi_tp *work);

#endif
