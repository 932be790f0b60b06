#include "core/allocator.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 32 * 1024, CHUNK_MAX_BYTES = 1024 * 1024 };

typedef struct chunk {
  struct chunk *next;
  size_t used, size; /* of the memory behind this header */
} chunk;

struct hys_arena {
  hys_allocator allocator;
  chunk *first; /* the one that is being filled */
  size_t next_size;
  size_t bytes;
};

static void *heap_allocate(void *context, size_t size) {
  (void)context;
  return malloc(size);
}

static void heap_release(void *context, void *memory) {
  (void)context;
  free(memory);
}

/* Rounded up to what malloc aligns to; 0 on overflow. */
static size_t aligned(size_t size) {
  const size_t unit = alignof(max_align_t);
  return size > SIZE_MAX - unit ? 0 : (size + unit - 1) / unit * unit;
}

static const size_t header =
    (sizeof(chunk) + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);

hys_arena *hys_arena_create(const hys_allocator *allocator) {
  const hys_allocator use =
      allocator != NULL ? *allocator : (hys_allocator){heap_allocate, heap_release, NULL};
  hys_arena *arena = use.allocate(use.context, sizeof *arena);

  if (arena == NULL)
    return NULL;
  *arena = (hys_arena){.allocator = use, .next_size = CHUNK_BYTES};
  return arena;
}

void hys_arena_destroy(hys_arena *arena) {
  if (arena == NULL)
    return;
  while (arena->first != NULL) {
    chunk *gone = arena->first;
    arena->first = gone->next;
    arena->allocator.release(arena->allocator.context, gone);
  }
  const hys_allocator allocator = arena->allocator;
  allocator.release(allocator.context, arena);
}

/* A large request has a chunk of its own, so that it does not waste the rest of the one being filled. */
static chunk *add_chunk(hys_arena *arena, size_t need) {
  const bool own = need > arena->next_size / 4;
  const size_t size = own ? need : arena->next_size;
  chunk *c;

  if (size > SIZE_MAX - header)
    return NULL;
  c = arena->allocator.allocate(arena->allocator.context, header + size);
  if (c == NULL)
    return NULL;
  c->used = 0;
  c->size = size;
  arena->bytes += header + size;
  if (own && arena->first != NULL) {
    c->next = arena->first->next;
    arena->first->next = c;
  } else {
    c->next = arena->first;
    arena->first = c;
  }
  if (!own && arena->next_size < CHUNK_MAX_BYTES)
    arena->next_size *= 2;
  return c;
}

void *hys_arena_alloc(hys_arena *arena, size_t count, size_t size) {
  size_t need;
  chunk *c = arena->first;
  char *memory;

  if (size != 0 && count > SIZE_MAX / size)
    return NULL;
  need = aligned(count * size != 0 ? count * size : 1);
  if (need == 0)
    return NULL;
  if (c == NULL || c->size - c->used < need) {
    c = add_chunk(arena, need);
    if (c == NULL)
      return NULL;
  }
  memory = (char *)c + header + c->used;
  c->used += need;
  memset(memory, 0, need);
  return memory;
}

char *hys_arena_strdup(hys_arena *arena, const char *text, size_t length) {
  char *copy = length < SIZE_MAX ? hys_arena_alloc(arena, length + 1, 1) : NULL;

  if (copy != NULL && length > 0)
    memcpy(copy, text, length);
  return copy;
}

size_t hys_arena_bytes(const hys_arena *arena) {
  return arena->bytes;
}

void *hys_allocate(const hys_allocator *allocator, size_t size) {
  return allocator != NULL ? allocator->allocate(allocator->context, size) : malloc(size);
}

void hys_release(const hys_allocator *allocator, void *memory) {
  if (allocator == NULL)
    free(memory);
  else if (memory != NULL)
    allocator->release(allocator->context, memory);
}
