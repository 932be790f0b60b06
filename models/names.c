#include "models/names.h"

#include <string.h>

/* FNV-1a, its high bits folded in. */
static size_t hash(const char *name, size_t length) {
  uint64_t h = UINT64_C(14695981039346656037);

  for (size_t i = 0; i < length; i++)
    h = (h ^ (unsigned char)name[i]) * UINT64_C(1099511628211);
  return (size_t)(h ^ (h >> 32));
}

static struct hysi_names_slot *find(const hysi_names *table, const char *name, size_t length) {
  size_t i = hash(name, length) & (table->capacity - 1);

  while (table->slot[i].name != NULL &&
         (table->slot[i].length != length || memcmp(table->slot[i].name, name, length) != 0))
    i = (i + 1) & (table->capacity - 1);
  return &table->slot[i];
}

uint32_t hysi_names_get(const hysi_names *table, const char *name, size_t length) {
  const struct hysi_names_slot *s;

  if (table->capacity == 0)
    return HYSI_NO_NAME;
  s = find(table, name, length);
  return s->name != NULL ? s->value : HYSI_NO_NAME;
}

static bool enlarge(hysi_names *table) {
  hysi_names larger = {.arena = table->arena, .capacity = table->capacity == 0 ? 16 : 2 * table->capacity};

  larger.slot = hys_arena_alloc(table->arena, larger.capacity, sizeof *larger.slot);
  if (larger.slot == NULL)
    return false;
  larger.n = table->n;
  for (size_t i = 0; i < table->capacity; i++) {
    if (table->slot[i].name != NULL)
      *find(&larger, table->slot[i].name, table->slot[i].length) = table->slot[i];
  }
  *table = larger;
  return true;
}

bool hysi_names_set(hysi_names *table, const char *name, size_t length, uint32_t value) {
  struct hysi_names_slot *s;

  if (2 * (table->n + 1) > table->capacity && !enlarge(table))
    return false;
  s = find(table, name, length);
  if (s->name == NULL) {
    s->name = name;
    s->length = length;
    table->n++;
  }
  s->value = value;
  return true;
}

void *hysi_grow(hys_arena *arena, void *array, uint32_t n, uint32_t *capacity, size_t size) {
  const uint32_t larger = *capacity == 0 ? 8 : 2 * *capacity;
  void *grown;

  if (n < *capacity)
    return array;
  if (*capacity > UINT32_MAX / 2)
    return NULL;
  grown = hys_arena_alloc(arena, larger, size);
  if (grown == NULL)
    return NULL;
  if (n > 0)
    memcpy(grown, array, (size_t)n * size);
  *capacity = larger;
  return grown;
}
