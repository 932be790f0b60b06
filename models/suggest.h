/* "Did you mean ...?": the nearest of some names.  Private to models.  Setup only. */
#ifndef HYSHIELD_MODELS_SUGGEST_H
#define HYSHIELD_MODELS_SUGGEST_H

#include <stddef.h>

/* The name with the least edit distance (insertions, deletions, changes, swaps of neighbours; case alone
 * counts nothing) if that is small against the length, else NULL; the first of equals.  Entries may be NULL.
 * Names longer than 64 bytes have no suggestion.  Time grows with the sum of the lengths. */
const char *hysi_suggest(const char *name, const char *const *candidate, size_t n);

#endif
