/* Rows l . exp(A t) of a linear flow as interval polynomials in t, and what is read off them: ranges and the
 * largest integral against an input.  Private to models; setup only.  Arb's balls inside, doubles outside.
 *
 * A polynomial here is an array of balls c_0 .. c_len-1.  It stands for every function p for which at each t
 * there are numbers c_k in the balls with p(t) = sum c_k t^k: the last coefficient may hold a remainder,
 * different at each t.  So values, ranges, integrals and linear combinations may be taken of it, derivatives
 * may not. */
#ifndef HYSHIELD_MODELS_FLOW_SERIES_H
#define HYSHIELD_MODELS_FLOW_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#if defined(HAVE_FLINT_ARB_MAT_H)
#include <flint/arb_mat.h>
#include <flint/arb_poly.h>
#else
#include <arb_mat.h>
#include <arb_poly.h>
#endif

#include "core/rt/interval.h"

#ifdef __cplusplus
extern "C" {
#endif

/* [lo, hi], with ends of working precision: a ball's radius has 30 bits, too few to see that a range begins
 * at zero. */
typedef struct hysi_range {
  arf_t lo, hi;
} hysi_range;

void hysi_range_init(hysi_range *r);
void hysi_range_clear(hysi_range *r);
void hysi_range_zero(hysi_range *r);
/* r := hull of r and s, or s if `first`. */
void hysi_range_join(hysi_range *r, const hysi_range *s, bool first);
/* r := r + s. */
void hysi_range_add(hysi_range *r, const hysi_range *s, slong prec);
/* r := the products of r's and u's members. */
void hysi_range_scale(hysi_range *r, hys_interval u, slong prec);
void hysi_range_set_arb(hysi_range *r, const arb_t x, slong prec);
/* Outward. An end that no finite double bounds is infinite. */
hys_interval hysi_range_interval(const hysi_range *r);
hys_interval hysi_arb_interval(const arb_t x, slong prec);
/* The ball around a: exact if a is a point. a is finite and not empty. */
void hysi_arb_set_interval(arb_t x, hys_interval a, slong prec);

/* The row vector f(t), 0 <= t <= length of a piece, with f(0) = f0 and f'(t) = d0 exp(A t), and its
 * derivatives. */
enum { HYSI_VALUE = 0, HYSI_FIRST = 1, HYSI_SECOND = 2, HYSI_THIRD = 3, HYSI_ORDERS = 4 };

typedef struct hysi_series {
  slong n;                    /* components */
  slong top;                  /* f' has coefficients 0 .. top and the remainder */
  slong len;                  /* coefficients of each polynomial, top + 3 */
  slong prec;                 /* bits */
  arb_ptr order[HYSI_ORDERS]; /* n polynomials each */
  arb_ptr cur, next;          /* n */
  arb_ptr shifted, stripped;  /* len + 1 */
  arb_t x, y, z;
  arf_t p, q;
  hysi_range range;
} hysi_series;

/* n <= 64, top >= 3. */
void hysi_series_init(hysi_series *s, slong n, slong top, slong prec);
void hysi_series_clear(hysi_series *s);

/* Fills order[].  norm_h bounds ||A||_inf times the length of the piece from above and is below top. */
void hysi_series_make(hysi_series *s, arb_srcptr f0, arb_srcptr d0, const arb_mat_t a, double norm_h);

/* out (len coefficients) += sum_i order[o]_i v_i. */
void hysi_series_dot(arb_ptr out, const hysi_series *s, int o, arb_srcptr v);

/* Range on [a,b], 0 <= a <= b.  dp: the derivative's polynomial (then the range is sharp where that has one
 * sign) or NULL. */
void hysi_poly_range(hysi_range *out, hysi_series *s, arb_srcptr p, arb_srcptr dp, double a, double b);

/* out += integral of p over [a,b]. */
void hysi_poly_integral(arb_t out, hysi_series *s, arb_srcptr p, double a, double b);

/* total += an enclosure of int_0^h max { p(t) u : u in [u.lo, u.hi] } dt.  Returns true if one u, stored in
 * *best, attains the maximum at all t in [0,h]. */
bool hysi_poly_input_integral(arb_t total, double *best, hysi_series *s, arb_srcptr p, double h,
                              hys_interval u);

#ifdef __cplusplus
}
#endif
#endif
