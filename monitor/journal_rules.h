/* What a record of a decision has to say of itself, without a shield or a model.  Private to audit. */
#ifndef HYSHIELD_MONITOR_JOURNAL_RULES_H
#define HYSHIELD_MONITOR_JOURNAL_RULES_H

#include <jansson.h>
#include <stdbool.h>

/* The step against the one before it (NULL: there is none, or lines are missing between).  false: *why says
 * what does not fit. */
bool hysi_journal_rules(const json_t *before, const json_t *step, const char **why);

#endif
