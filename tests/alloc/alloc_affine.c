/* Affine flowpipes and row sequences with memory that runs out at each of their allocations in turn. */
#include <stdlib.h>

#include "core/affine_rows.h"
#include "core/flowpipe.h"
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

/* x' = y, y' = -x + u + k, k constant, |u| <= 1. */
enum { N = 4 };
static const hys_term term_x[1] = {{1, {1.0, 1.0}}};
static const hys_term term_y[3] = {{0, {-1.0, -1.0}}, {2, {1.0, 1.0}}, {3, {1.0, 1.0}}};
static const hys_rate rate[N] = {{.motion = HYS_MOTION_FLOW, .affine = true, .row = {term_x, 1, {0.0, 0.0}}},
                                 {.motion = HYS_MOTION_FLOW, .affine = true, .row = {term_y, 3, {0.0, 0.0}}},
                                 {.motion = HYS_MOTION_FREE},
                                 {.motion = HYS_MOTION_FLOW, .affine = true}};
static const hys_hybrid_location location = {.name = "run", .rate = rate};
static const hys_hybrid automaton = {.name = "plant", .n = N};
static const hys_interval box[N] = {{0.0, 0.0}, {0.0, 0.0}, {-1.0, 1.0}, {0.0, 0.0}};
static const hys_interval start[N] = {{0.9, 1.1}, {-0.1, 0.1}, {0.0, 0.0}, {-0.5, 0.5}};
static const hys_affine row = {term_x, 1, {0.0, 0.0}};

static hys_status rows(const hys_allocator *allocator, const hys_zonotope *x0) {
  hys_affine_rows *a;
  hys_interval outer, inner;
  hys_status status = hys_affine_rows_create(&a, &automaton, &location, box, x0, allocator);

  if (status != HYS_OK)
    return status;
  status = hys_affine_rows_bounds(a, &row, 1, 4.0, 1e-2, NULL, NULL, &outer, &inner, NULL);
  if (status == HYS_OK) {
    double x[N], u[(64 + 1) * N];
    CHECK(outer.hi - inner.hi <= 1e-2);
    status = hys_affine_rows_prepare(a, 0.0625, 64);
    if (status == HYS_OK)
      status = hys_affine_rows_witness(a, &row, 64, x, u);
  }
  hys_affine_rows_destroy(a);
  return status;
}

static hys_status pipes(const hys_allocator *allocator, const hys_zonotope *x0) {
  hys_pipe_flow *flow;
  hys_pipe *pipe = NULL;
  hys_interval x[N];
  double taken;
  hys_status status = hys_pipe_flow_create(&flow, &automaton, &location, box, NULL, allocator);

  if (status != HYS_OK)
    return status;
  status = hys_pipe_create(&pipe, flow, x0, allocator);
  for (int k = 0; k < 40 && status == HYS_OK; k++) {
    status = hys_pipe_try(pipe, 0.125, &taken);
    if (status == HYS_OK)
      hys_pipe_accept(pipe);
  }
  if (status == HYS_OK)
    status = hys_pipe_restart(pipe, x0);
  if (status == HYS_OK)
    hys_pipe_box(pipe, HYS_PIPE_END, x);
  hys_pipe_destroy(pipe);
  hys_pipe_flow_destroy(flow);
  return status;
}

static void run_out(hys_status (*work)(const hys_allocator *, const hys_zonotope *)) {
  hys_status status = HYS_ERR_MEMORY;
  hys_zonotope x0;
  long i = 0;

  if (!CHECK_INT(hys_zonotope_open(&x0, N, N, NULL), HYS_OK) ||
      !CHECK_INT(hys_zonotope_from_box(&x0, start), HYS_OK))
    return;
  for (; status != HYS_OK && i < 10000; i++) {
    counter k = {.left = i};
    const hys_allocator allocator = {allocate, release, &k};
    check_label("%ld allocations", i);
    status = work(&allocator, &x0);
    CHECK(status == HYS_OK || status == HYS_ERR_MEMORY);
    if (!CHECK_INT(k.live, 0))
      break;
  }
  CHECK_INT(status, HYS_OK);
  CHECK(i > 5);
  hys_zonotope_close(&x0);
}

static void rows_run_out(void) {
  run_out(rows);
}

static void pipes_run_out(void) {
  run_out(pipes);
}

CHECK_MAIN("affine", {"memory of row sequences runs out", rows_run_out},
           {"memory of flowpipes runs out", pipes_run_out})
