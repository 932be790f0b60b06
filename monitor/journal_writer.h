/* The process that writes a journal: private to monitor/journal.c. */
#ifndef HYSHIELD_MONITOR_JOURNAL_WRITER_H
#define HYSHIELD_MONITOR_JOURNAL_WRITER_H

#include <stdint.h>

/* Every message to the writer starts with this; the bytes of the record's body follow. */
typedef struct hysi_journal_head {
  int64_t stamp; /* ns */
  uint32_t last; /* 1: the closing record */
  uint32_t unused;
} hysi_journal_head;

/* What the writer answers once, before the first message. */
typedef struct hysi_journal_hello {
  int32_t status; /* hys_status */
  char public_key[65];
} hysi_journal_hello;

/* Signed text starts with this. */
#define HYSI_JOURNAL_DOMAIN "hyshield-journal-1\n"

/* The life of the writer; returns its exit status.  queue: a socket of packets; file: the journal. */
int hysi_journal_child(int queue, int file, const char *key_path);

#endif
