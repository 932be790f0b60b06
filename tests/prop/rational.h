/* For the property tests of expressions: rationals of FLINT, doubles as rationals, texts as trees. */
#ifndef HYSHIELD_TESTS_PROP_RATIONAL_H
#define HYSHIELD_TESTS_PROP_RATIONAL_H

#include "core/allocator.h"
#include "core/diagnostics.h"
#include "models/expr_parse.h"

#include <flint/flint.h>
#include <flint/fmpq.h>
#include <math.h>
#include <string.h>

static inline void rational_set_double(fmpq_t q, double d) {
  int exponent;
  const double mantissa = frexp(d, &exponent);
  fmpq_set_si(q, (slong)ldexp(mantissa, 53), 1);
  exponent -= 53;
  if (exponent >= 0)
    fmpq_mul_2exp(q, q, (flint_bitcnt_t)exponent);
  else
    fmpq_div_2exp(q, q, (flint_bitcnt_t)-exponent);
}

/* lo <= q <= hi; infinite ends hold everything. */
static inline bool rational_inside(const fmpq_t q, hys_interval v) {
  bool inside = true;
  fmpq_t end;
  fmpq_init(end);
  if (isfinite(v.lo)) {
    rational_set_double(end, v.lo);
    inside = fmpq_cmp(end, q) <= 0;
  }
  if (inside && isfinite(v.hi)) {
    rational_set_double(end, v.hi);
    inside = fmpq_cmp(q, end) <= 0;
  }
  fmpq_clear(end);
  return inside;
}

static inline double rational_nearly(const fmpq_t q) {
  fmpz_t scaled;
  double d;
  fmpz_init(scaled);
  fmpz_mul_2exp(scaled, fmpq_numref(q), 64);
  fmpz_tdiv_q(scaled, scaled, fmpq_denref(q));
  d = ldexp(fmpz_get_d(scaled), -64);
  fmpz_clear(scaled);
  return d;
}

/* x, y, z are the variables 0, 1, 2. */
static inline hysi_name rational_find(void *context, const char *name, size_t length, bool primed,
                                      const hys_diagnostic *where) {
  (void)context, (void)length, (void)primed, (void)where;
  return (hysi_name){.kind = HYSI_NAME_VARIABLE, .index = (uint32_t)(name[0] - 'x')};
}
static inline void rational_place(const void *context, size_t offset, uint32_t *line, uint32_t *column) {
  (void)context;
  *line = 1;
  *column = (uint32_t)offset + 1;
}
static inline hys_status rational_parse(hys_expr *e, const char *text, hys_arena *arena) {
  const hysi_expr_names names = {.variable = rational_find};
  const hysi_expr_source source = {
      .file = "t", .text = text, .length = strlen(text), .place = rational_place};
  hys_diagnostics said;
  hys_diagnostics_init(&said, arena);
  return hysi_expr_parse(e, &source, &names, HYSI_WANT_NUMBER, arena, &said);
}

#endif
