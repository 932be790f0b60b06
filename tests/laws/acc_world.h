/* A closed loop of adaptive cruise control with an exact plant (piecewise quadratic motion), for the laws:
 * what is sent takes effect inside the declared windows, samples are off by up to their errors, and every
 * answer of the shield is compared with the oracle on the shield's own estimate. */
#ifndef HYSHIELD_TESTS_LAWS_ACC_WORLD_H
#define HYSHIELD_TESTS_LAWS_ACC_WORLD_H

#include <stdint.h>

#include "core/rt/spec.h"
#include "tests/oracle/acc_oracle.h"

typedef enum world_lead { WORLD_WORST_LEAD, WORLD_RANDOM_LEAD } world_lead;

typedef struct world_tally {
  long situations, starts_inside, decisions, violations, no_safe_action, not_guarded, lost;
  long passable, passable_passed, passed_not_passable;
  long late; /* insertions after the exact latest instant */
  long n_leads;
  double *leads; /* s, of n_leads insertions ahead of the exact latest instant */
  long max_leads;
  double smallest_gap;
} world_tally;

/* One situation: a start inside S (for the worst corner of the first estimate), then `periods` periods of
 * samples and random commands.  near: within 1 m of the border of S.  Deterministic in seed. */
void world_run(const hys_spec *spec, const acc_set *set, uint64_t seed, bool near, world_lead lead,
               int periods, world_tally *tally);

/* Vehicles that cut in (system acc_cutin).  Each is told within the event's latency, in order; readings of
 * the gap and the speed are off by up to their errors. */
typedef struct world_cut_ins {
  double react;    /* s, of the guard */
  double window;   /* s: within which a plan has to be taken, from the instant of a decision */
  double short_by; /* m: 0 = inside the guard; else cut-ins leave this much less than it asks for */
} world_cut_ins;

typedef struct world_cut_tally {
  long cut_ins, at_guard, set_aside;
  long refused, answered; /* told as out of the model; of these with the fallback at once */
} world_cut_tally;

/* As world_run, with random cut-ins; after one that is short the situation ends. */
void world_run_cut_ins(const hys_spec *spec, const acc_set *set, uint64_t seed, bool near, world_lead lead,
                       int periods, const world_cut_ins *cut, world_tally *tally, world_cut_tally *cuts);

#endif
