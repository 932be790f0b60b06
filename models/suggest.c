#include "models/suggest.h"

#include <stdint.h>
#include <string.h>

enum { MAX_LENGTH = 64 };

static unsigned char lower(char c) {
  return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Optimal string alignment distance, three rows. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb) {
  size_t rows[3][MAX_LENGTH + 1];
  size_t *before = rows[0], *above = rows[1], *row = rows[2];

  memset(rows, 0, sizeof rows);
  for (size_t j = 0; j <= nb; j++)
    above[j] = j;
  for (size_t i = 1; i <= na; i++) {
    row[0] = i;
    for (size_t j = 1; j <= nb; j++) {
      const unsigned char x = lower(a[i - 1]), y = lower(b[j - 1]);
      size_t best = above[j - 1] + (x != y);
      if (above[j] + 1 < best)
        best = above[j] + 1;
      if (row[j - 1] + 1 < best)
        best = row[j - 1] + 1;
      if (i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y && before[j - 2] + 1 < best)
        best = before[j - 2] + 1;
      row[j] = best;
    }
    size_t *spare = before;
    before = above;
    above = row;
    row = spare;
  }
  return above[nb];
}

const char *hysi_suggest(const char *name, const char *const *candidate, size_t n) {
  const size_t length = strlen(name);
  const char *best = NULL;
  size_t least = SIZE_MAX;

  if (length == 0 || length > MAX_LENGTH)
    return NULL;
  for (size_t i = 0; i < n; i++) {
    if (candidate[i] == NULL)
      continue;
    const size_t other = strlen(candidate[i]);
    if (other == 0 || other > MAX_LENGTH || (other > length ? other - length : length - other) > 3)
      continue;
    const size_t d = distance(name, length, candidate[i], other);
    const size_t longer = other > length ? other : length;
    if (d < least && 3 * d <= longer + 1) { /* a third of the letters at most */
      least = d;
      best = candidate[i];
    }
  }
  return best;
}
