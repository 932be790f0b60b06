/* The i-th allocation of a general automaton fails, for every i: opening, making locations, reading a set.
 * The call says so, nothing is lost, and what was made before stays as it was. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/hybrid_model.h"
#include "tests/support/check.h"

enum { MOST_LOCATIONS = 40 };

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

/* Locations as jumps lead to them; *visited: how many. */
static hys_status walk(const hys_hybrid *h, uint32_t *visited) {
  uint32_t queue[MOST_LOCATIONS], n = 0;
  hys_status status = HYS_OK;

  for (uint32_t s = 0; s < h->n_initially; s++) {
    status = h->initial(h->context, &h->initially[s], 0, &queue[n]);
    if (status != HYS_OK)
      return status;
    n++;
    if (n == MOST_LOCATIONS)
      break;
  }
  for (uint32_t k = 0; k < n; k++) {
    const hys_hybrid_location *l = NULL;
    status = h->location(h->context, queue[k], &l);
    if (status != HYS_OK) {
      CHECK(l == NULL);
      return status;
    }
    for (uint32_t j = 0; j < l->n_jumps && n < MOST_LOCATIONS; j++) {
      bool known = false;
      for (uint32_t q = 0; q < n; q++)
        known = known || queue[q] == l->jump[j].target;
      if (!known)
        queue[n++] = l->jump[j].target;
    }
  }
  *visited = n;
  return HYS_OK;
}

static hys_status attempt(countdown *c, const hys_model *model, hys_diagnostics *said, const char *formula,
                          uint32_t *visited) {
  const hys_allocator allocator = {allocate, release, c};
  const hys_model_text text = {
      .file = "test", .text = formula, .length = strlen(formula), .line = 1, .column = 1};
  const hys_hybrid *h = NULL;
  const hys_hybrid_set *set = NULL;
  uint32_t n = 0;
  hys_status status = hys_hybrid_open_with(&h, model, said, &allocator);

  CHECK((status == HYS_OK) == (h != NULL));
  if (status == HYS_OK)
    status = walk(h, visited);
  if (status == HYS_OK)
    status = hys_hybrid_sets(h, &text, said, &set, &n);
  hys_hybrid_close(h);
  return status;
}

static void every_allocation(void) {
  static const struct {
    const char *xml, *cfg, *formula;
  } model[] = {{"tests/prop/print/blocks.xml", "tests/prop/print/blocks.cfg", ""},
               {"tests/prop/print/names.xml", "tests/prop/print/names.cfg", ""},
               {"tests/prop/print/control.xml", "tests/prop/print/control.cfg", ""},
               {"models/library/acc/acc.xml", "models/library/acc/acc.cfg", "d <= 2 | v >= 30"}};

  for (size_t k = 0; k < sizeof model / sizeof model[0]; k++) {
    char xml[4096], cfg[4096];
    hys_arena *arena = hys_arena_create(NULL);
    const hys_model *m = NULL;
    hys_diagnostics said;
    uint32_t visited = 0;
    unsigned long n = 0;
    snprintf(xml, sizeof xml, "%s", check_source_path(model[k].xml));
    snprintf(cfg, sizeof cfg, "%s", check_source_path(model[k].cfg));
    check_label("%s", model[k].xml);
    if (!CHECK(arena != NULL))
      return;
    hys_diagnostics_init(&said, arena);
    if (!CHECK_INT(hys_model_read(&m, xml, cfg, NULL, arena, &said), HYS_OK)) {
      hys_arena_destroy(arena);
      return;
    }
    for (;; n++) {
      countdown c = {.left = n};
      const hys_status status = attempt(&c, m, &said, model[k].formula, &visited);
      check_label("%s, %lu allocations", model[k].xml, n);
      CHECK_INT(c.released, c.made);
      if (status == HYS_OK || !CHECK_INT(status, HYS_ERR_MEMORY))
        break;
    }
    CHECK(n > 0 && visited > 0);
    hys_arena_destroy(arena);
  }
}

CHECK_MAIN("alloc_hybrid", {"every allocation fails once", every_allocation})
