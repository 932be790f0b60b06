/* What an engine behind core/flowpipe.h provides.  Private to core.  Setup only.
 *
 * Variables are those of the automaton, in its order; free and defined ones are the dispatcher's
 * (core/flowpipe.c): an engine sees rows and trees over the variables that move (hysi_pipe_view.moving) and
 * over free ones, which it takes as their bounds. */
#ifndef HYSHIELD_CORE_PIPE_ENGINE_H
#define HYSHIELD_CORE_PIPE_ENGINE_H

#include "core/flowpipe.h"

/* How the variables of a location are seen by an engine. */
typedef struct hysi_pipe_view {
  const hys_hybrid *automaton;
  const hys_hybrid_location *location;
  size_t n;                 /* variables */
  const bool *moving;       /* has a flow, and none of its inputs is without bounds */
  const hys_interval *free; /* bounds of what does not move and is not defined; the rest is not looked at */
  hys_pipe_options options;
  const hys_allocator *allocator;
} hysi_pipe_view;

/* A row over moving and free variables, defined ones put in; dense, n numbers each. */
typedef struct hysi_dense_row {
  double *mid, *rad;
  hys_interval constant;
} hysi_dense_row;

typedef struct hysi_pipe_engine {
  hys_status (*flow_create)(void **flow, const hysi_pipe_view *view);
  void (*flow_destroy)(void *flow);
  hys_status (*create)(void **pipe, void *flow, const hys_zonotope *x0, const hys_allocator *allocator);
  void (*destroy)(void *pipe);
  hys_status (*restart)(void *pipe, const hys_zonotope *x0);
  double (*suggest)(const void *pipe, double most);
  hys_status (*attempt)(void *pipe, double h, double *taken);
  void (*accept)(void *pipe);
  void (*box)(const void *pipe, hys_pipe_set which, hys_interval *x); /* moving variables only */
  /* Upper bound of a row over the states that satisfy all cuts (values <= 0; equation[i]: == 0). */
  double (*max)(void *pipe, hys_pipe_set which, const hysi_dense_row *row, const hysi_dense_row *cut,
                const bool *equation, size_t n_cuts);
  hys_interval (*range)(void *pipe, hys_pipe_set which, const hys_expr *e);
  hys_status (*zonotope)(const void *pipe, hys_pipe_set which,
                         hys_zonotope *z); /* z: all n variables; writes the
                                              moving ones, the rest is zero */
} hysi_pipe_engine;

extern const hysi_pipe_engine hysi_affine_engine, hysi_taylor_engine;

#endif
