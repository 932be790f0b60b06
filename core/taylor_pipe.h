/* The pieces of the engine of Taylor models that its files share.  Private to core.
 *
 * A set is m polynomials (core/taylor_poly.h), one a state.  A step: their coefficients in time by automatic
 * differentiation of the right-hand sides (nominal: inputs and disturbances in the middle), an a-priori box B
 * that is verified by  (series over [0, h]) + [0, h]^(p+1) f[p](B) + deviation  being inside of B's interior,
 * and that last term as the remainder; the deviation that inputs make is bounded over B by a linear
 * comparison. */
#ifndef HYSHIELD_CORE_TAYLOR_PIPE_H
#define HYSHIELD_CORE_TAYLOR_PIPE_H

#include "core/pipe_engine.h"
#include "core/taylor_frame.h"
#include "core/taylor_poly.h"
#include "core/taylor_program.h"
#include "core/taylor_range.h"

enum { HYSI_TP_MAX_STATES = 64, HYSI_TP_MAX_ORDER = 16, HYSI_TP_MAX_CUTS = 16 };

typedef struct hysi_taylor_flow {
  size_t n, m;         /* variables; those that move */
  size_t *variable;    /* m */
  uint32_t *state;     /* n: index among the states, or HYS_EXPR_NO_CHILD */
  hys_interval *input; /* n: bounds of what does not move */
  double *middle;      /* n */
  hys_interval *held;  /* n: the middles */
  double *slack;       /* m: radius */
  hysi_tp_program program;
  uint32_t *rate;   /* m: operations */
  uint32_t *bends;  /* n_abs: what the absolute values are of */
  uint32_t *column; /* inputs that are read and are not points */
  size_t n_columns;
  bool disturbed; /* by inputs, slack or absolute values */
  hys_pipe_options options;
  hys_allocator allocator;
  bool has_allocator;
} hysi_taylor_flow;

typedef struct hysi_taylor_pipe {
  const hysi_taylor_flow *flow;
  hys_allocator allocator;
  bool has_allocator;
  hysi_tp_space space;
  unsigned order; /* p: coefficients 0..p in time */
  void *memory;   /* all below, in one piece */
  hysi_tp *series, *states, *inverse, *end, *work;
  hysi_tp_bend *bend;
  hys_interval *box_series, *box_states, *value, *gradient; /* of programs */
  hys_interval *tube, *apriori, *remainder;                 /* m */
  hys_interval *box[2];                                     /* m: answers; by hys_pipe_set */
  double *deviation, *frame, *range;                        /* m; work of frames, of ranges */
  double *row, *slope;                                      /* size: of a row at an instant, and by time */
  double *unit;                                             /* m */
  hysi_tp_scalar *scalar;                                   /* HYSI_TP_MAX_CUTS + 1 */
  bool *known; /* 2: boxes that have been made since the last try */
  bool fresh;  /* the series of the set in end has not been made yet */
  bool ready;  /* a series was made and is finite */
  bool tried;
  double taken;  /* of the last try, also when it was accepted; 0: none, the tube is the end */
  double length; /* what the last steps took; 0: none yet */
  double worse;  /* remainders found over those foreseen */
} hysi_taylor_pipe;

double hysi_taylor_max(void *pipe, hys_pipe_set which, const hysi_dense_row *row, const hysi_dense_row *cut,
                       const bool *equation, size_t n_cuts);
hys_interval hysi_taylor_range(void *pipe, hys_pipe_set which, const hys_expr *e);
hys_status hysi_taylor_zonotope(const void *pipe, hys_pipe_set which, hys_zonotope *z);
/* Makes the boxes of a set. */
void hysi_taylor_boxes(const hysi_taylor_pipe *p, hys_pipe_set which);

#endif
