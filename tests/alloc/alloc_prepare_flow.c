/* hys_flow_prepare with an arena that runs out at each of its allocations in turn. */
#include <stdlib.h>

#include "models/prepare_flow.h"
#include "tests/support/check.h"

typedef struct counter {
  long left; /* allocations that succeed */
  long live;
} counter;

static void *allocate(void *context, size_t size) {
  counter *c = context;
  if (c->left == 0)
    return NULL;
  void *p = malloc(size);
  c->left--;
  c->live += p != NULL;
  return p;
}

static void release(void *context, void *memory) {
  counter *c = context;
  c->live -= memory != NULL;
  free(memory);
}

static void runs_out(void) {
  enum { N = HYS_MAX_STATES };
  hys_interval a[N * N] = {{0.0, 0.0}}, b[N] = {{0.0, 0.0}}, c[N] = {{0.0, 0.0}}, n[N + 1] = {{0.0, 0.0}};
  const hys_interval u[1] = {{-1.0, 2.0}};
  for (size_t i = 0; i + 1 < N; i++)
    a[i * N + i + 1] = hys_interval_point(1.0);
  b[N - 1] = hys_interval_point(1.0);
  n[N - 1] = hys_interval_point(1.0);
  const hys_halfspace half = {.a = n, .c = {1.0, 1.0}};
  const hys_conjunction invariant = {&half, 1};
  hys_status status = HYS_ERR_MEMORY;
  long i = 0;
  for (; status != HYS_OK && i < 10000; i++) {
    counter k = {.left = i};
    const hys_allocator allocator = {allocate, release, &k};
    check_label("%ld allocations", i);
    hys_arena *arena = hys_arena_create(&allocator);
    if (arena != NULL) {
      hys_flow flow = {.a = a, .b = b, .c = c};
      status = hys_flow_prepare(&flow, N, 1, u, &invariant, arena);
      CHECK(status == HYS_OK || status == HYS_ERR_MEMORY);
      CHECK(status != HYS_OK || flow.level[HYS_FLOW_LEVELS - 1].n_rows > 2 * N);
      hys_arena_destroy(arena);
    }
    if (!CHECK_INT(k.live, 0))
      return;
  }
  CHECK_INT(status, HYS_OK);
  CHECK(i > 2); /* the arena did run out inside */
}

CHECK_MAIN("prepare_flow", {"the arena runs out", runs_out})
