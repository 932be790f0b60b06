/* One flowpipe of an exploration: from a start set in one location until it has surely left the invariant,
 * has come back into itself, or the horizon is reached; what it touches and where it jumps.  Private to
 * synth/offline. */
#ifndef HYSHIELD_SYNTH_OFFLINE_WALK_H
#define HYSHIELD_SYNTH_OFFLINE_WALK_H

#include <pthread.h>

#include "synth/offline/verify.h"

/* A start set, and when after the start of everything it is entered. */
typedef struct hysi_item {
  uint32_t index;
  hys_zonotope start; /* n */
  double from, to;    /* s */
  uint32_t depth;     /* jumps */
  hys_interval
      *inner;      /* n: what the set surely holds, if it is a box; NULL: it is none, or not looked at yet */
  uint32_t before; /* of those that were followed: the one before in the same location, plus one; 0: none */
  bool closed; /* it was followed until all had left the invariant: how much time was left did not matter */
} hysi_item;

typedef struct hysi_items {
  hysi_item *item;
  uint32_t n, capacity;
} hysi_items;

typedef struct hysi_segment_store {
  double *time; /* from, to a segment */
  uint32_t *index;
  hys_interval *box; /* n a segment */
  size_t n, capacity;
} hysi_segment_store;

/* How fine a pass is. */
typedef struct hysi_fineness {
  double step;       /* longest, s */
  double shortest;   /* near Bad, s */
  double edge;       /* the edges of crossings are found to within this part of a step */
  double tolerance;  /* of the engine */
  uint32_t clusters; /* of a crossing */
  bool strict;       /* a set is held by another only if that had at least as much time left */
  double widen;      /* of what has come into a location: by how much a start set may be made wider when it is
                        visited again */
  uint32_t together; /* start sets of one location in a generation; more are joined */
  unsigned split;    /* parts of the initial set in its widest directions: 2^split */
} hysi_fineness;

/* A location ready for flowpipes. */
typedef struct hysi_ready {
  const hys_hybrid_location *location;
  hys_interval *free; /* n: bounds of free variables, entire for others */
  hys_pipe_flow *flow;
  bool straight;                   /* constant rates: chords and cuts are exact, whatever the step */
  const hys_condition **invariant; /* pointers to its conditions, room for more behind them */
} hysi_ready;

typedef struct hysi_explorer {
  const hys_hybrid *automaton;
  const hys_property *property;
  uint32_t n_properties;
  const hys_verify_options *options;
  hysi_fineness fineness;
  pthread_mutex_t lock; /* of ready */
  hysi_ready **ready;   /* per location index */
  uint32_t n_ready;
} hysi_explorer;

/* What one flowpipe found. */
typedef struct hysi_found {
  hysi_items next;
  bool *touched;        /* per property */
  const char **where;   /* per property: text (malloc), of the first touch */
  hys_interval *bounds; /* n */
  hysi_segment_store segments;
  bool to_horizon;  /* it was cut off by the horizon */
  bool stopped;     /* by the caller's stop */
  bool blocked;     /* a state may be met from which nothing leads on */
  const char *lost; /* why it could not be followed to its end (constant text); NULL: it was */
  uint64_t steps;
  hys_status status;
} hysi_found;

hys_status hysi_ready_get(hysi_explorer *e, uint32_t index, hysi_ready **out);
void hysi_ready_clear(hysi_explorer *e);

hys_status hysi_found_open(hysi_found *found, const hysi_explorer *e);
void hysi_found_close(hysi_found *found, const hysi_explorer *e);
/* Follows an item.  undecided[p]: properties that are still to be looked at. */
void hysi_explore(hysi_explorer *e, const hysi_item *item, const bool *undecided, hysi_found *found);

hys_status hysi_items_add(hysi_items *items, hysi_item *item); /* takes the zonotope over */
void hysi_item_close(hysi_item *item);
void hysi_items_close(hysi_items *items);

/* rows.c: *handled: there is one affine location without jumps, and directions have told what there is to
 * tell. */
hys_status hysi_rows_verify(const hys_hybrid *automaton, const hys_property *property, uint32_t n_properties,
                            const hys_verify_options *options, hys_arena *arena, bool *undecided,
                            hys_verify_result *result, bool *handled);

/* linear.c */
typedef struct hysi_linear_outcome {
  bool fits; /* all that was met moves at constant rates */
  bool
      handled; /* a fixpoint of polyhedra was found: what it decides and its bounds hold for unbounded time */
  bool bounded; /* and they are finite: what grows for ever has better bounds up to the horizon */
  bool told;    /* and the segments were told */
} hysi_linear_outcome;
hys_status hysi_linear_verify(const hys_hybrid *automaton, const hys_property *property,
                              uint32_t n_properties, const hys_verify_options *options, bool thorough,
                              bool *undecided, hys_verify_result *result, hysi_linear_outcome *outcome);

/* walk_jump.c: the start sets behind a crossing. */
typedef struct hysi_crossing {
  bool open;
  double from, to; /* local time, s */
  double edge;     /* its edges are found to within this part of a step */
  uint32_t steps;
  hys_interval *box;    /* n: hull over its steps, cut with guard and invariant */
  double *row;          /* n * n: an oriented basis; rows */
  hys_interval *bounds; /* n: of these rows */
  bool oriented;
  hys_zonotope tube; /* of a crossing of one short step */
} hysi_crossing;

/* Appends what the jump makes of a crossing to found->next. */
hys_status hysi_cross(hysi_explorer *e, const hysi_item *item, const hys_hybrid_jump *jump,
                      hysi_crossing *crossing, hysi_found *found);

#endif
