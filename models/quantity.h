/* Quantities: a number, one blank, a unit ("40 ms", "0.25 m"), read into SI with outward rounding.
 *
 * A number alone has no dimension (its unit is "1").  The list of units is closed: what is not in it is
 * refused.  Setup only.  The locale plays no part. */
#ifndef HYSHIELD_MODELS_QUANTITY_H
#define HYSHIELD_MODELS_QUANTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rt/interval.h"
#include "core/rt/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Characters of a number; a longer one is refused. */
enum { HYS_MAX_NUMBER_LENGTH = 200 };

/* Powers of the base units; an angle and a percentage have none. */
typedef struct hys_dimension {
  int8_t m, s, kg, K, A, mol;
} hys_dimension;

/* SI value = number * 10^exponent * factor / divisor + offset, all of them exact. */
typedef struct hys_unit {
  const char *name;
  hys_dimension dimension;
  int8_t exponent;
  uint16_t factor, divisor;
  double turn;           /* half-turns: the factor is pi times this, 0 = no angle in degrees */
  uint32_t offset_cents; /* offset in hundredths */
} hys_unit;

/* The unit of that name (length bytes), NULL if it is none.  "1" and the empty name: no dimension. */
HYS_API const hys_unit *hys_unit_find(const char *name, size_t length);
/* The i-th unit of the list, NULL behind the last one. */
HYS_API const hys_unit *hys_unit_at(size_t i);
HYS_API bool hys_unit_same_dimension(const hys_unit *a, const hys_unit *b);
HYS_API bool hys_unit_is_time(const hys_unit *unit);
/* A number in the unit to SI, outward; a point stays one where the arithmetic is exact.  difference: the
 * offset plays no part (an error of 1 degC is 1 K). */
HYS_API hys_interval hys_unit_to_si(const hys_unit *unit, hys_interval number, bool difference);

typedef enum hys_quantity_fault {
  HYS_QUANTITY_OK,
  HYS_QUANTITY_NO_NUMBER, /* does not begin with a number */
  HYS_QUANTITY_BLANK,     /* not exactly one blank between number and unit, or a blank at an end */
  HYS_QUANTITY_UNIT,      /* not a unit */
  HYS_QUANTITY_RANGE      /* not finite in SI, or longer than HYS_MAX_NUMBER_LENGTH */
} hys_quantity_fault;

typedef struct hys_quantity {
  const hys_unit *unit;
  hys_interval number; /* as written: the tightest enclosure */
  hys_interval si;     /* with the offset; the tightest one where the unit is a power of ten of SI */
  hys_interval si_difference;
  hys_interval ns; /* of a time; else empty */
} hys_quantity;

/* The whole text has to be a quantity.  On a fault *out is zeroed. */
HYS_API hys_quantity_fault hys_quantity_read(hys_quantity *out, const char *text);
/* A constant text that completes "... is not a quantity: ". */
HYS_API const char *hys_quantity_fault_text(hys_quantity_fault fault);

/* Which way a time goes that is no whole number of nanoseconds. */
typedef enum hys_round { HYS_ROUND_DOWN, HYS_ROUND_UP } hys_round;

/* A time in nanoseconds, exact if it is a whole number of them, else rounded as asked.  HYS_ERR_ARG: not a
 * time; HYS_ERR_LIMIT: beyond +-2^53 ns (104 days). */
HYS_API hys_status hys_quantity_ns(int64_t *out, const hys_quantity *quantity, hys_round round);

#ifdef __cplusplus
}
#endif
#endif
