/* A shield over a copy of a specification, and one call per thing that happens to it: for tests of the
 * shield. Times in milliseconds in the calls, so that scripts are readable. */
#ifndef HYSHIELD_TESTS_SUPPORT_RIG_H
#define HYSHIELD_TESTS_SUPPORT_RIG_H

#include "core/allocator.h"
#include "monitor/rt/shield_state.h"

typedef struct rig {
  hys_arena *arena; /* of the file; NULL when the specification is somebody else's */
  hys_spec spec;    /* may be changed before rig_make */
  hys_shield_config config;
  hys_shield *shield;
  hys_output out;                                       /* of the last call */
  hys_status status;                                    /* of the last call */
  uint32_t accelerate, cruise, coast, brake, set_accel; /* of the cruise control */
  size_t d, v, a, w;
} rig;

#define RIG_MS(ms) ((int64_t)((ms)*1e6 + ((ms) < 0 ? -0.5 : 0.5)))

/* Reads models/library/acc/acc.shield.xml. false: a check has failed. */
bool rig_read_acc(rig *r);
/* Over a specification made elsewhere, which is copied. */
void rig_use(rig *r, const hys_spec *spec);
/* Makes the shield. */
bool rig_make(rig *r);
void rig_end(rig *r);

/* Each returns the first record, or a record of zeros when there is none. */
const hys_record *rig_sample_at(rig *r, int64_t now, int64_t stamp, const double *x);
const hys_record *rig_acc_sample(rig *r, double ms, double d, double v, double w); /* stamped now */
const hys_record *rig_command_at(rig *r, int64_t now, uint32_t which, double value, uint64_t id);
const hys_record *rig_command(rig *r, double ms, uint32_t which, uint64_t id);
const hys_record *rig_event(rig *r, double ms, uint32_t which, const double *value);
const hys_record *rig_timer_at(rig *r, int64_t now);

/* Both outputs say and send the same, bit for bit. */
bool rig_same_output(const hys_output *a, const hys_output *b);

#endif
