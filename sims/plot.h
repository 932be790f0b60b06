/* Pictures of traces, drawn by gnuplot (run as a process with the script on its standard input; no shell, no
 * temporary names). Setup only. */
#ifndef HYSHIELD_SIMS_PLOT_H
#define HYSHIELD_SIMS_PLOT_H

#include <stddef.h>

#include "core/rt/status.h"
#include "sims/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hys_plot_format { HYS_PLOT_SVG, HYS_PLOT_PNG, HYS_PLOT_PDF } hys_plot_format;

/* Draws one trace, or two side by side over the same scales (n = 1 or 2), into the file at path: a panel for
 * the gap with the unsafe region, one for the speeds, one for commands asked and applied with a mark for each
 * edit.
 *
 * Which columns go where is said by the trace's notes (all optional): title, `panel.gap = NAME`,
 * `panel.speeds = NAME [NAME..]`, `label.NAME = text`, `unsafe.below = NUMBER` (of the gap), `commands = NAME
 * NAME ..` (lowest level first), `shield = on|off|observe`, `violated_at = SECONDS`.  Without them the first
 * variable is the gap and all others with the unit of the second are the speeds.
 *
 * why (may be NULL) receives a message on error, at most size bytes.  HYS_ERR_ARG, HYS_ERR_MEMORY,
 * HYS_ERR_WRITE, HYS_ERR_UNSUPPORTED (gnuplot cannot be run or failed). */
hys_status hys_plot_write(const hys_trace *const *trace, size_t n, hys_plot_format format, const char *path,
                          char *why, size_t size);
/* The script alone, for a look. Same statuses. */
hys_status hys_plot_script(const hys_trace *const *trace, size_t n, hys_plot_format format, const char *path);

#ifdef __cplusplus
}
#endif
#endif
