/* The shield file: XML in the namespace urn:hyshield:shield:1 that says of a model what its commands and
 * events are, how well it is observed, how fast it is acted on, and where a plan may end.  models/shield.rng
 * is its schema; this reader makes the messages.  Setup only. */
#ifndef HYSHIELD_MODELS_SHIELD_FILE_H
#define HYSHIELD_MODELS_SHIELD_FILE_H

#include "core/allocator.h"
#include "core/diagnostics.h"
#include "core/rt/spec.h"
#include "core/rt/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HYS_SHIELD_NAMESPACE "urn:hyshield:shield:1"

/* Reads a shield file and the model it names (relative to the shield file; its configuration too) and
 * resolves one against the other.  *out and all it points to live in the arena; NULL unless HYS_OK.
 *
 * Every problem that is found is added to the diagnostics, those of the model among them, each with its file,
 * line and column (of an attribute: of its element); the list is sorted.  Warnings alone do not fail.
 *
 * Rounding: a bound of the world goes outward, a promise inward, so that the shield never relies on more than
 * the file says.  Nanoseconds down: actuation-min, compute-min, validity, at; up: period, deadline,
 * actuation-max, timer-late, stamp-error, latency, horizon; stale down.  Errors (eps) up.  min and max of a
 * reading or of an unobserved state outward; min and max of a command's value inward.
 *
 * HYS_ERR_OPEN: the shield file cannot be opened.  HYS_ERR_INPUT: problems, of it or of the model.
 * HYS_ERR_UNSUPPORTED: nothing wrong but an element that this version cannot enforce (a cycle, find="yes").
 * HYS_ERR_LIMIT, HYS_ERR_MEMORY. */
HYS_API hys_status hys_shield_file_read(const char *path, hys_arena *arena, hys_diagnostics *diagnostics,
                                        const hys_spec **out);

/* What a shield file says beyond hys_spec: for people, journals and printers.  Same arena. */
typedef struct hys_derived {
  const char *name, *unit, *expression;
} hys_derived;
typedef struct hys_shield_extras {
  const char *model_path, *config_path; /* as opened; config NULL = none given */
  const char *system;                   /* NULL = not said */
  const hys_derived *derived;
  uint32_t n_derived;
} hys_shield_extras;
/* As hys_shield_file_read, and the rest (NULL: not wanted). */
HYS_API hys_status hys_shield_file_read_all(const char *path, hys_arena *arena, hys_diagnostics *diagnostics,
                                            const hys_spec **out, hys_shield_extras *extras);

#ifdef __cplusplus
}
#endif
#endif
