/* What the row sequences of core/affine_rows.h stand on: the location as a sparse system, and a level: all
 * that belongs to one step size.  Private to core.
 *
 * The m moving variables are numbered so that each connected component of A is a range (a block), and scaled
 * by powers of two (x_i = scale_i z_i, exact) so that ||A|| is small (Osborne 1960): z' = A z + w + sum_j b_j
 * u_j, |u_j| <= 1.  Matrices and vectors are the nearest doubles and what that leaves.  ||.|| is the infinity
 * norm.  States that never move (constants of a run) are no part of A: what they add to w is a column each,
 * whose factor is one number for all times. */
#ifndef HYSHIELD_CORE_AFFINE_ROWS_SYSTEM_H
#define HYSHIELD_CORE_AFFINE_ROWS_SYSTEM_H

#include "core/affine_rows.h"
#include "core/rounding.h"

/* An upper bound of a sum of terms that are not negative; zero stays zero, and a NaN (0 times infinity)
 * bounds nothing. */
static inline double hysi_rows_up(double sum) {
  return sum > 0.0 ? hysi_up(sum) : sum == 0.0 ? 0.0 : HYSI_INF;
}

typedef struct hysi_rows_entry {
  uint32_t at;
  double value, error; /* nearest, and what that leaves */
} hysi_rows_entry;

/* Rows of a matrix, or columns, entries of each in a row: those of i from start[i] to start[i + 1]. */
typedef struct hysi_rows_sparse {
  size_t *start;
  hysi_rows_entry *entry;
} hysi_rows_sparse;

typedef struct hysi_rows_block {
  size_t first, size, widest; /* widest: most entries of a row or a column of A */
  double norm, column_norm;   /* of |A| */
  double error_norm;          /* of what the nearest doubles leave of A */
  double growth;              /* ||exp(A t)|| <= exp(growth t) (logarithmic norm) */
  double start_size;          /* |z0_i| at most */
  double input, input_error;  /* sum_j |b_ij| at most, and of the errors */
  double slope, slope_error;  /* of A b_j likewise */
  double rest, rest_error;    /* sum over the constants' columns likewise */
  double drift, drift_error;  /* |w_i| at most, and of the errors */
} hysi_rows_block;

/* Per state: what |r_i| and r_i are multiplied by at every instant. */
typedef struct hysi_rows_weight {
  double radius, curve2, curve4, bow; /* times |r_i| */
  double center, drift;               /* times r_i */
} hysi_rows_weight;

typedef struct hysi_rows_level {
  hys_arena *arena;
  double h;
  size_t steps;
  double **phi;   /* per block: size * size, or NULL: by the series of exp(A h / pieces)'s action */
  size_t *pieces; /* per block */
  double *local;  /* per block: what one step loses of a row, relative to its 1-norm */
  double *most;   /* per block: ||exp(A t)|| <= most for t up to steps * h */
  double *drift;  /* per block: |int exp(A s) w| at most, and error */
  double *drift_error;
  double *curve2, *curve4, *bow; /* per block: the largest weight */
  double *held;                  /* n_rest columns of m: int exp(A s) b ds of the constants */
  double *rest, *rest_error;     /* per block: sum over them of |held| at most, and of the errors */
  hysi_rows_weight *weight;      /* m */
} hysi_rows_level;

/* One column of inputs: b and A b. */
typedef struct hysi_rows_input {
  uint32_t variable; /* of the automaton: free, or a state with slack */
  uint32_t block;    /* where b lies if it lies in one, else UINT32_MAX */
} hysi_rows_input;

struct hys_affine_rows {
  hys_arena *arena;
  const hys_allocator *allocator;
  hys_allocator own_allocator;
  const hys_hybrid *automaton;
  const hys_hybrid_location *location;
  size_t n, m;
  hys_interval *free; /* n */
  bool *moving;       /* n */
  uint32_t *variable; /* m: of the automaton */
  uint32_t *place;    /* n; UINT32_MAX: does not move */
  double *scale;      /* m */
  hysi_rows_block *block;
  size_t n_blocks;
  uint32_t *block_of; /* m */
  hysi_rows_sparse a; /* rows */
  double *w, *w_error;
  size_t n_rest;           /* constants: states that never move */
  uint32_t *rest_of;       /* n: 1 + number of the constant, 0 = none */
  uint32_t *rest_variable; /* n_rest */
  double *rest_center, *rest_radius;
  double *rest_column, *rest_error; /* n_rest columns of m: b times the radius, and what that leaves */
  bool tied;                        /* a generator ties a constant to something else, which is not followed */
  hysi_rows_input *input;
  size_t n_inputs;
  hysi_rows_sparse b, ab;  /* columns */
  double *center, *radius; /* m: of z0: its box part and generators along one axis */
  size_t n_generators;
  double *generator; /* the rest: columns of m */
  /* m, without the step's factors: |A (A c + w)| + |A^2| radius + |A^2 g| + sum_j |A b_j|; sum_j |A^2 b_j|;
   * |A^4 b_j| */
  double *bow, *curve2, *curve4;
  hysi_rows_level level;
};

/* y := A x in one block (all arrays m long), y_error from what is known of x; x_error NULL: exact. */
void hysi_rows_multiply(const hys_affine_rows *a, const hysi_rows_block *b, const double *x,
                        const double *x_error, double *y, double *y_error);
/* y := r A in one block, in plain doubles. */
void hysi_rows_multiply_left(const hys_affine_rows *a, const hysi_rows_block *b, const double *r, double *y);
/* The order at which the series of exp of a matrix of norm v is cut, and what is left: the last term and the
 * remainder are below 2^-60. */
unsigned hysi_rows_order(double v, double *rest);
/* r := r exp(A t) in one block by the series; t so small that ||A|| t <= 1. term, sum: m.  In plain doubles:
 * the loss is part of hysi_rows_series_loss. */
void hysi_rows_series(const hys_affine_rows *a, const hysi_rows_block *b, double t, double *r, double *term);
/* What hysi_rows_series loses, relative to the 1-norm of r. */
double hysi_rows_series_loss(const hysi_rows_block *b, double t);

hys_status hysi_rows_level_make(hys_affine_rows *a, double h, size_t steps);

#endif
