/* Scripted inputs of a simulation: CSV with a header  t [s],NAME..  and, if wanted, a column  label .
 *
 *   t [s],u,label
 *   0,0.5,
 *   2.5,-1,brake
 *
 * From t on the variables named have these values, until the next row; an empty field leaves the variable to
 * chance. A label makes a jump with that label be taken at t if one is enabled.  Units in brackets behind a
 * name are converted to SI; without one the number is in SI.  Lines that begin with # are comments.  Setup
 * only. */
#ifndef HYSHIELD_SIMS_SCRIPT_H
#define HYSHIELD_SIMS_SCRIPT_H

#include "core/allocator.h"
#include "core/diagnostics.h"
#include "sims/trajectory.h"

enum { HYS_MAX_SCRIPT_LINE = 65536, HYS_MAX_SCRIPT_ROWS = 1000000 };

/* Problems (file, line, column) go to `problems`; what is made lives in the arena.
 * HYS_ERR_OPEN, HYS_ERR_INPUT (a problem was reported), HYS_ERR_LIMIT (likewise), HYS_ERR_MEMORY. */
hys_status hys_script_read(const char *path, const hys_hybrid *automaton, hys_arena *arena,
                           hys_diagnostics *problems, const hys_script_entry **entry, size_t *n);

#endif
