/* What a reader has to say: file, line, column, what was expected, what was found.  A reader reports all it
 * finds, up to a limit; it never prints.  Setup only. */
#ifndef HYSHIELD_CORE_DIAGNOSTICS_H
#define HYSHIELD_CORE_DIAGNOSTICS_H

#include <stddef.h>
#include <stdint.h>

#include "core/allocator.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HYS_MAX_DIAGNOSTICS = 200 };

typedef enum hys_severity { HYS_NOTE, HYS_WARNING, HYS_ERROR } hys_severity;

typedef struct hys_diagnostic {
  hys_severity severity;
  const char *file;                    /* as given by the caller; NULL = none */
  uint32_t line;                       /* from 1; 0 = unknown */
  uint32_t column;                     /* from 1, in characters; 0 = unknown */
  const char *element;                 /* where: "transition", "component ego", ...; NULL = none */
  const char *text;                    /* the whole message, one line, without the place */
  const char *expected, *found, *hint; /* parts of it, NULL = none */
} hys_diagnostic;

typedef struct hys_diagnostics {
  hys_diagnostic *item;
  uint32_t n, capacity;
  uint32_t errors, warnings; /* all that were reported, also those beyond the limit */
  uint32_t dropped;
  hys_arena *arena; /* texts live here; owned by the caller */
} hys_diagnostics;

HYS_API void hys_diagnostics_init(hys_diagnostics *list, hys_arena *arena);
/* Copies what it is given. printf-like text.  A failed allocation still counts the error. */
HYS_API void hys_diagnostics_add(hys_diagnostics *list, const hys_diagnostic *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Sorted by file, line, column (stable). */
HYS_API void hys_diagnostics_sort(hys_diagnostics *list);

#ifdef __cplusplus
}
#endif
#endif
