/* The i-th allocation fails while a shield file and its model are read: a clean error each time. */
#include "core/allocator.h"
#include "core/diagnostics.h"
#include "models/shield_file.h"
#include "tests/support/check.h"

#include <stdlib.h>

typedef struct failing {
  size_t left; /* allocations that succeed */
  size_t live;
  bool failed;
} failing;

static void *allocate(void *context, size_t size) {
  failing *f = context;
  if (f->left == 0) {
    f->failed = true;
    return NULL;
  }
  f->left--;
  f->live++;
  return malloc(size);
}

static void release(void *context, void *memory) {
  failing *f = context;
  f->live -= memory != NULL;
  free(memory);
}

static void each_allocation(const char *path, hys_status otherwise) {
  bool failed = true;
  for (size_t i = 0; failed && i < 100000; i++) {
    failing f = {.left = i};
    const hys_allocator allocator = {.allocate = allocate, .release = release, .context = &f};
    hys_arena *arena = hys_arena_create(&allocator);
    const hys_spec *spec = NULL;
    hys_diagnostics said;

    check_label("allocation %zu fails", i);
    if (arena != NULL) {
      hys_diagnostics_init(&said, arena);
      const hys_status status = hys_shield_file_read(check_source_path(path), arena, &said, &spec);
      if (!f.failed || status != otherwise ||
          otherwise == HYS_OK) /* a message may be lost beside other errors */
        CHECK_INT(status, f.failed ? HYS_ERR_MEMORY : otherwise);
      CHECK((spec != NULL) == (status == HYS_OK));
    }
    failed = f.failed;
    hys_arena_destroy(arena);
    CHECK_INT(f.live, 0);
  }
  CHECK(!failed);
}

static void good_file(void) {
  each_allocation("tests/conform/broken_shields/good.shield.xml", HYS_OK);
}

static void bad_file(void) {
  each_allocation("tests/conform/broken_shields/many_problems.shield.xml", HYS_ERR_INPUT);
}

CHECK_MAIN("allocation, shield file", {"good file", good_file}, {"bad file", bad_file})
