/* One pass of verification: every flowpipe at one fineness, generation by generation.  Private to
 * synth/offline. */
#ifndef HYSHIELD_SYNTH_OFFLINE_PASS_H
#define HYSHIELD_SYNTH_OFFLINE_PASS_H

#include "synth/offline/walk.h"

typedef struct hysi_pass {
  hysi_explorer e;
  const hys_verify_options *o;
  uint32_t *last; /* per location index: the last in `seen`, plus one */
  uint32_t n_last;
  hysi_items todo, seen; /* this generation; all that were followed */
  bool *undecided;       /* per property, for the whole pass */
  bool *touched;
  char **where;
  hys_interval *bounds;
  hysi_segment_store segments;
  bool to_horizon, stopped, blocked;
  bool timeless; /* a set with less time left held another: good if nothing is cut off by the horizon */
  const char *lost;
  uint32_t items, subsumed;
  uint64_t steps;
} hysi_pass;

hys_status hysi_pass_open(hysi_pass *p, const hys_hybrid *a, const hys_property *property,
                          uint32_t n_properties, const hys_verify_options *o, const bool *undecided);
/* Follows everything.  Unless bounds are wanted it ends when every property has been touched. */
hys_status hysi_pass_run(hysi_pass *p, hys_arena *arena, bool bounds_wanted);
void hysi_pass_close(hysi_pass *p);
void hysi_segments_close(hysi_segment_store *s);

/* pass_cover.c */
hys_status hysi_pass_look_at(const hysi_pass *p, hysi_item *item); /* what a box surely holds, once */
hys_status hysi_pass_add_seen(hysi_pass *p, hysi_item *item);
/* Sets that were followed (or are `more`), and had at least as much time left or did not need it, hold this
 * one; or (of boxes) hold a part of it, which is then taken off. */
hys_status hysi_pass_cover(hysi_pass *p, const hysi_items *more, hysi_item *item, bool *covered);

#endif
