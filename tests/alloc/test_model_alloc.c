/* The i-th allocation of a reader fails, for every i: the call says so, and nothing is lost. */
#include "core/allocator.h"
#include "core/diagnostics.h"
#include "models/lint.h"
#include "models/model.h"
#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>

typedef struct countdown {
  unsigned long left, made, released;
} countdown;

static void *allocate(void *context, size_t size) {
  countdown *c = context;
  if (c->left == 0)
    return NULL;
  c->left--;
  c->made++;
  return malloc(size);
}

static void release(void *context, void *memory) {
  ((countdown *)context)->released++;
  free(memory);
}

/* Reads and flattens with so many allocations; the status of the step that failed, or HYS_OK. */
static hys_status attempt(countdown *c, const char *xml) {
  const hys_allocator allocator = {allocate, release, c};
  hys_arena *arena = hys_arena_create(&allocator);
  const hys_model *model = NULL;
  const hys_automaton *automaton = NULL;
  hys_diagnostics said;
  hys_status status;

  if (arena == NULL)
    return HYS_ERR_MEMORY;
  hys_diagnostics_init(&said, arena);
  status = hys_model_read(&model, xml, NULL, NULL, arena, &said);
  if (status == HYS_OK)
    status = hys_model_lint(model, HYS_LINT_PLACES, arena, &said);
  if (status == HYS_OK)
    status = hys_model_automaton(model, arena, &said, &automaton);
  CHECK((status == HYS_OK) == (automaton != NULL));
  hys_arena_destroy(arena);
  return status;
}

static void every_allocation(void) {
  const char *xml = check_source_path("models/library/acc/acc.xml");
  unsigned long n = 0;
  for (;; n++) {
    countdown c = {.left = n};
    const hys_status status = attempt(&c, xml);
    check_label("%lu allocations", n);
    CHECK_INT(c.released, c.made);
    if (status == HYS_OK)
      break;
    if (!CHECK_INT(status, HYS_ERR_MEMORY) || !CHECK(n < 10000))
      break;
  }
  CHECK(n > 3); /* there was something to fail */
}

CHECK_MAIN("model, allocations", {"the i-th one fails", every_allocation})
