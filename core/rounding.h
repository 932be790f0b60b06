/* Bounds of rounding errors in sums of doubles, for code that computes in plain doubles and accounts for the
 * error apart.  u = 2^-53; the error of a sum of products of n terms is at most gamma_n = n u / (1 - n u)
 * times the sum of the absolute products (Higham 2002, section 3.1), and n times the least double where
 * products underflow. */
#ifndef HYSHIELD_CORE_ROUNDING_H
#define HYSHIELD_CORE_ROUNDING_H

#include <stddef.h>

/* At least gamma_n for n < 2^40. */
static inline double hysi_gamma(size_t n) {
#ifdef HYS_PLANT_PIPE_NO_ROUNDING /* planted fault, for the gate of the tests */
  return 0.0 * (double)n;
#else
  return (double)(n + 2) * 0x1.0001p-53;
#endif
}

/* An upper bound of a sum of at most 2^12 non-negative terms that was computed in round to nearest, each from
 * a few operations: relative 2^-38, far more than 2^12 roundings take, and a bit for what underflowed. */
static inline double hysi_up(double sum) {
  return sum * (1.0 + 0x1p-38) + 0x1p-1000;
}

#endif
