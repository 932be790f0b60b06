/* Truncated polynomials with an error: the sets of which Taylor models are made.  Private to core.
 *
 *   p = sum_a c_a xi^a + sum_j eta_j sum_a c_ja xi^a + sum_j c_j zeta_j + e,
 *   all symbols in [-1, 1], |a| <= degree in the first sum, <= coupling in the second, |e| <= error.
 * xi are the symbols of the start set; eta are remainders that were absorbed into symbols, zeta those of the
 * last steps, and the last zeta is the time inside a piece of a tube.  Products of two of eta and zeta, and
 * of xi and zeta, are bounded and go into the error, as what is beyond the degrees does; and so does every
 * rounding.
 *
 * A polynomial knows the sums of its coefficients' absolute values by degree: with them the part of a product
 * that is cut off and the rounding of the rest are bounded in O(degree^2), and factors that are zero cost
 * nothing.  Monomials are numbered by degree, so that all up to a degree are a prefix. */
#ifndef HYSHIELD_CORE_TAYLOR_POLY_H
#define HYSHIELD_CORE_TAYLOR_POLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/allocator.h"
#include "core/rt/interval.h"
#include "core/rt/status.h"

enum { HYSI_TP_MAX_DEGREE = 8, HYSI_TP_MAX_COUPLING = 3, HYSI_TP_MAX_SIZE = 4000 };

/* Numbering of the coefficients. */
typedef struct hysi_tp_space {
  size_t symbols; /* xi */
  unsigned degree, coupling;
  size_t n_eta, n_zeta;                   /* the last zeta: time */
  size_t upto[HYSI_TP_MAX_DEGREE + 2];    /* upto[d]: monomials of degree <= d */
  size_t per_eta;                         /* coefficients of each eta */
  size_t eta, zeta, size;                 /* where those of eta and zeta begin, all */
  unsigned pairs[HYSI_TP_MAX_DEGREE + 1]; /* most products that meet in one monomial of this degree */
  uint8_t *monomial_degree;               /* upto[degree] */
  uint8_t *exponent;                      /* upto[degree] rows of symbols */
  uint32_t *product;                      /* row a at product + row[a]: where xi^a xi^b is */
  uint32_t *row;
  uint32_t *below; /* of a monomial and a symbol that is in it: the monomial without one power of it */
  bool *even;      /* all exponents are */
  hys_allocator allocator;
  bool has_allocator;
} hysi_tp_space;

/* HYS_ERR_MEMORY, HYS_ERR_LIMIT (more than HYSI_TP_MAX_SIZE coefficients). */
hys_status hysi_tp_space_open(hysi_tp_space *s, size_t symbols, unsigned degree, unsigned coupling,
                              size_t n_eta, size_t n_zeta, const hys_allocator *allocator);
void hysi_tp_space_close(hysi_tp_space *s);

typedef struct hysi_tp {
  double *c;
  double norm[HYSI_TP_MAX_DEGREE + 1]; /* sum |c_a| over the monomials of each degree */
  double eta[HYSI_TP_MAX_COUPLING + 1];
  double zeta, error; /* infinite error: nothing is known */
} hysi_tp;

/* Bounds of |p|: of all but the error, of all but the constant and the error. */
double hysi_tp_total(const hysi_tp_space *s, const hysi_tp *p);
double hysi_tp_spread(const hysi_tp_space *s, const hysi_tp *p);
/* A crude enclosure: the constant and all else. */
hys_interval hysi_tp_crude(const hysi_tp_space *s, const hysi_tp *p);
bool hysi_tp_is_zero(const hysi_tp_space *s, const hysi_tp *p);

void hysi_tp_zero(const hysi_tp_space *s, hysi_tp *p);
void hysi_tp_constant(const hysi_tp_space *s, hysi_tp *p, hys_interval value);
void hysi_tp_copy(const hysi_tp_space *s, hysi_tp *p, const hysi_tp *q);
/* The norms again from the coefficients. */
void hysi_tp_measure(const hysi_tp_space *s, hysi_tp *p);

/* p += factor a b in one of `terms` calls that make one sum, which begins at zero and ends with
 * hysi_tp_measure; the error is accounted for in each.  p is neither a nor b. */
void hysi_tp_multiply_add(const hysi_tp_space *s, hysi_tp *p, double factor, const hysi_tp *a,
                          const hysi_tp *b, unsigned terms);
/* p := a + sign b; p may be a or b. */
void hysi_tp_add(const hysi_tp_space *s, hysi_tp *p, const hysi_tp *a, double sign, const hysi_tp *b);
/* p := p / divisor */
void hysi_tp_divide(const hysi_tp_space *s, hysi_tp *p, double divisor);

typedef enum hysi_function {
  HYSI_EXP,
  HYSI_LOG,
  HYSI_SIN,
  HYSI_COS,
  HYSI_TAN,
  HYSI_TANH,
  HYSI_ATAN,
  HYSI_POWER, /* of positive numbers, with a constant exponent */
  HYSI_INVERSE
} hysi_function;

/* f(x + d) = sum out[j] d^j for the order first coefficients, for all x in u (Taylor coefficients of f);
 * entire where f is not smooth on u.  out: order + 1. */
void hysi_function_series(hysi_function f, hys_interval exponent, hys_interval u, unsigned order,
                          hys_interval *out);

/* p := f(u), by f's Taylor polynomial at the constant of u; work: two polynomials, none the same.  false:
 * f is not smooth on the range of u (p is then entire). */
bool hysi_tp_compose(const hysi_tp_space *s, hysi_tp *p, hysi_function f, hys_interval exponent,
                     const hysi_tp *u, hysi_tp *work);

#endif
