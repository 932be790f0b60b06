/* A shield on the heap: create and destroy on top of hys_shield_init.  Setup only. */
#ifndef HYSHIELD_MONITOR_SHIELD_ALLOC_H
#define HYSHIELD_MONITOR_SHIELD_ALLOC_H

#include "core/allocator.h"
#include "monitor/rt/shield.h"

#ifdef __cplusplus
extern "C" {
#endif

/* *shield is NULL on error (HYS_ERR_MEMORY and those of hys_shield_init).  allocator NULL = malloc. */
HYS_API hys_status hys_shield_create(hys_shield **shield, const hys_spec *spec,
                                     const hys_shield_config *config, const hys_allocator *allocator);
/* NULL is allowed. The allocator is the one of create. */
HYS_API void hys_shield_destroy(hys_shield *shield, const hys_allocator *allocator);

#ifdef __cplusplus
}
#endif
#endif
