#include "cli/recovered.h"

#include <stdio.h>

hys_status cli_recover(hys_recovered *out, const hys_spec *spec, bool quiet) {
  hys_recovery_report report;
  const hys_status status = hys_recovery_prepare(out, spec, NULL, &report);

  if (status != HYS_OK || report.wanted == 0 || quiet)
    return status;
  for (uint32_t k = 0; k < out->spec.n_events; k++) {
    const hys_event *e = &out->spec.event[k];
    if (e->recovery > 0)
      fprintf(stderr, "event %s: %s saves the plant if it takes effect within %lld ms (shown in %u cells)\n",
              e->name, out->spec.command[e->recovery_command].name, (long long)(e->recovery / 1000000),
              (unsigned)report.cells);
  }
  if (report.found < report.wanted)
    fprintf(stderr, "events that no command is shown to recover from: %u of %u (%s)\n",
            (unsigned)(report.wanted - report.found), (unsigned)report.wanted,
            report.why != NULL ? report.why : "no reason was given");
  return HYS_OK;
}
