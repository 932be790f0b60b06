/* An affine flow of any size prepared for steps of any length 2^-k s: exponential, and what bounds the
 * curvature of its solutions inside a step.  Doubles with the error apart.  Private to core.  Setup only;
 * levels are made when a step first needs them, under a lock.
 *
 * The m moving variables are numbered so that each connected component of A is a range (a block): all
 * matrices are block diagonal.  x' = A x + w_c + sum_j b_j u_j,  |u_j| <= U_j : the centre of the inputs is
 * in w_c. Sources: docs/reachability.md; the exponential is the Taylor series in interval arithmetic with the
 * remainder v^(p+1)/(p+1)! / (1 - v/(p+2)), v = ||A|| h <= 1; ||.|| is the infinity norm. */
#ifndef HYSHIELD_CORE_AFFINE_FLOW_H
#define HYSHIELD_CORE_AFFINE_FLOW_H

#include <pthread.h>

#include "core/pipe_engine.h"

enum { HYSI_LEVEL_MIN = -46, HYSI_LEVEL_MAX = 10 }; /* steps of 2^k s */

typedef struct hysi_block {
  size_t first, size;
  bool zero;   /* A is zero here */
  double norm; /* ||A||, from above */
} hysi_block;

typedef struct hysi_level {
  double h;
  double *phi;          /* m * m: the exponential, nearest */
  double *error;        /* per block: ||exp(A h) - phi||, from above */
  double *size;         /* per block: ||phi||, from above */
  double *spread;       /* m * m: e^(|A| h), from above */
  hys_interval *center; /* m: int_0^h e^(A s) w_c ds */
} hysi_level;

typedef struct hysi_affine_flow {
  hysi_pipe_view view;
  size_t m;
  uint32_t *variable; /* of the automaton, per moving one */
  uint32_t *place;    /* per variable of the automaton; UINT32_MAX: does not move */
  hysi_block *block;
  size_t n_blocks;
  size_t *block_of; /* m */
  hys_interval *a;  /* m * m */
  hys_interval *w;  /* m: w_c */
  size_t n_inputs;
  double *input;                 /* n_inputs columns of m: b_j U_j, nearest */
  double *input_error;           /* m: what that leaves, summed over the inputs */
  double *input2, *input2_error; /* n_inputs columns: A (A b_j) U_j, nearest, and its error */
  int top;                       /* the largest k with ||A|| 2^k <= 1 */
  hysi_level *level[HYSI_LEVEL_MAX - HYSI_LEVEL_MIN + 1];
  pthread_mutex_t lock;
} hysi_affine_flow;

hys_status hysi_affine_flow_create(void **flow, const hysi_pipe_view *view);
void hysi_affine_flow_destroy(void *flow);
/* The level of 2^k s; NULL: no memory, or ||A|| h is above 1. */
const hysi_level *hysi_affine_level(hysi_affine_flow *flow, int k);

/* y := M x for a block-diagonal matrix. */
void hysi_block_multiply(const hysi_affine_flow *flow, const double *matrix, const double *x, double *y);

#endif
