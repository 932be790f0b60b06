/* A journal in memory, line by line.  Private to what reads journals. */
#ifndef HYSHIELD_MONITOR_JOURNAL_LINES_H
#define HYSHIELD_MONITOR_JOURNAL_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/rt/status.h"

typedef struct hysi_journal_lines {
  char *text;
  size_t n, at;
} hysi_journal_lines;

/* HYS_ERR_OPEN, HYS_ERR_MEMORY, HYS_ERR_LIMIT. */
hys_status hysi_journal_lines_read(hysi_journal_lines *lines, const char *path);
/* The next whole line, without its break; false: there is none (what is left is half a line, or nothing). */
bool hysi_journal_lines_next(hysi_journal_lines *lines, const char **line, size_t *length);
void hysi_journal_lines_free(hysi_journal_lines *lines);

#endif
