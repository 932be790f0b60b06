/* Dimensions and scales of units, as text and as numbers.  Private to models.  Setup only. */
#ifndef HYSHIELD_MODELS_UNIT_KIND_H
#define HYSHIELD_MODELS_UNIT_KIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/quantity.h"

/* Exponents are counted in sixtieths, so that square, cube and fifth roots are whole. */
enum { HYSI_UNIT_BASES = 6, HYSI_UNIT_PARTS = 60, HYSI_UNIT_MOST = 200 * HYSI_UNIT_PARTS };

/* What is known of a number.  HYSI_ANYTHING: nothing.  HYSI_BARE: it is made of written numbers alone and
 * takes the unit of whatever it is added to or compared with. */
typedef enum hysi_sort { HYSI_ANYTHING, HYSI_BARE, HYSI_MEASURED } hysi_sort;

typedef struct hysi_kind {
  uint8_t sort;
  bool soft;   /* a bare number is a factor of it, which may carry a unit of its own */
  bool scaled; /* the factor to SI is known */
  int16_t power[HYSI_UNIT_BASES];
  double scale;
  const char *text; /* as it was written, of a variable; NULL */
} hysi_kind;

hysi_kind hysi_kind_of_unit(const hys_unit *unit);
/* A unit, or a product of units with whole powers. */
bool hysi_kind_read(const char *text, size_t length, hysi_kind *out);
/* k := k * other^(sixtieths / 60).  false: out of range. */
bool hysi_kind_multiply(hysi_kind *k, const hysi_kind *other, int sixtieths);
bool hysi_kind_same_dimension(const hysi_kind *a, const hysi_kind *b);
/* As far as both are known. */
bool hysi_kind_same_scale(const hysi_kind *a, const hysi_kind *b);
/* No dimension. */
bool hysi_kind_is_plain(const hysi_kind *k);
/* The unit for people: as it was written, one of the list, or a product written to text. */
const char *hysi_kind_describe(const hysi_kind *k, char *text, size_t size);

#endif
