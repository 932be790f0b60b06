/* Where set-up memory comes from.  Only set-up calls take one; NULL stands for malloc and free. */
#ifndef HYSHIELD_CORE_ALLOCATOR_H
#define HYSHIELD_CORE_ALLOCATOR_H

#include <stddef.h>

#include "core/rt/api.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct hys_allocator {
  void *(*allocate)(void *context, size_t size); /* NULL when there is none left */
  void (*release)(void *context, void *memory);
  void *context;
} hys_allocator;

/* Through the allocator, or malloc and free where it is NULL.  Releasing NULL is allowed. */
HYS_API void *hys_allocate(const hys_allocator *allocator, size_t size);
HYS_API void hys_release(const hys_allocator *allocator, void *memory);

/* An arena: many allocations, one release.  Everything a reader builds lives in one.  Memory is zeroed and
 * aligned as by malloc.  After a failed allocation the arena stays valid and hys_arena_alloc returns NULL. */
typedef struct hys_arena hys_arena;
HYS_API hys_arena *hys_arena_create(const hys_allocator *allocator); /* NULL: no memory */
HYS_API void hys_arena_destroy(hys_arena *arena);                    /* NULL is allowed */
HYS_API void *hys_arena_alloc(hys_arena *arena, size_t count,
                              size_t size); /* checked product; count*size may be 0 */
HYS_API char *hys_arena_strdup(hys_arena *arena, const char *text, size_t length);
HYS_API size_t hys_arena_bytes(const hys_arena *arena);

#ifdef __cplusplus
}
#endif
#endif
