/* A table from names to numbers.  Private to models.  Setup only. */
#ifndef HYSHIELD_MODELS_NAMES_H
#define HYSHIELD_MODELS_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/allocator.h"

#define HYSI_NO_NAME UINT32_MAX

typedef struct hysi_names {
  hys_arena *arena;
  struct hysi_names_slot {
    const char *name; /* not copied; NULL = free */
    size_t length;
    uint32_t value;
  } * slot;
  size_t n, capacity; /* a power of two, or 0 */
} hysi_names;

/* The number of a name, HYSI_NO_NAME if it is not there. */
uint32_t hysi_names_get(const hysi_names *table, const char *name, size_t length);
/* Sets it, whether it was there or not.  false: no memory. */
bool hysi_names_set(hysi_names *table, const char *name, size_t length, uint32_t value);

/* An array in an arena with room for one more than n: `array` itself or a larger copy; NULL: no memory.
 * *capacity is updated. */
void *hysi_grow(hys_arena *arena, void *array, uint32_t n, uint32_t *capacity, size_t size);

#endif
