/* Which hyshield this is. */
#ifndef HYSHIELD_CORE_VERSION_H
#define HYSHIELD_CORE_VERSION_H

#include "core/rt/api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that is linked, as "MAJOR.MINOR.PATCH": a constant string. RT-safe. */
HYS_API const char *hys_version_text(void);

#ifdef __cplusplus
}
#endif

#endif
