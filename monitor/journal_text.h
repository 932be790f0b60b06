/* The text of a journal's records: shared by what writes them and what replays them. */
#ifndef HYSHIELD_MONITOR_JOURNAL_TEXT_H
#define HYSHIELD_MONITOR_JOURNAL_TEXT_H

#include "monitor/rt/shield.h"

enum { HYSI_JOURNAL_LINE = 1 << 16 }; /* bytes of a line, with room for what the writer adds */

/* Text that grows in a fixed buffer; full: it did not fit. */
typedef struct hysi_text {
  char *at;
  size_t n, size;
  bool full;
} hysi_text;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void hysi_text_add(hysi_text *text, const char *format, ...);
void hysi_text_string(hysi_text *text, const char *string); /* quoted, escaped */

/* `"type":"step",...,"input":{..}' */
void hysi_journal_text_input(hysi_text *text, const hys_spec *spec, uint64_t step, int64_t now,
                             const hys_input *input);
/* The rest, from `,"before":' on.  before: hash of the estimate's text at the last step, replaced by this
 * one's. */
void hysi_journal_text_output(hysi_text *text, const hys_spec *spec, const hys_shield *shield,
                              hys_status status, const hys_output *output, char before[65]);
void hysi_journal_hex(char hex[65], const unsigned char hash[32]);

#endif
