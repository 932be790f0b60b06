/* An automaton without variables, for engines that need one: the same locations and jumps with a variable
 * that rests at zero.  Private to synth/offline. */
#ifndef HYSHIELD_SYNTH_OFFLINE_STATELESS_H
#define HYSHIELD_SYNTH_OFFLINE_STATELESS_H

#include "core/allocator.h"
#include "core/hybrid.h"

typedef struct hysi_stateless hysi_stateless;

/* a->n is 0.  *out lives as long as the object.  HYS_OK; HYS_ERR_MEMORY. */
hys_status hysi_stateless_open(hysi_stateless **object, const hys_hybrid *a, const hys_hybrid **out);
void hysi_stateless_close(hysi_stateless *object); /* NULL is allowed */

#endif
