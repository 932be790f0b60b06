/* The journal: every input and decision of a shield as lines of JSON, chained and signed (docs/journal.md).
 *
 * The file is written by a process of its own, which alone knows the secret key.  Lines go to it through a
 * bounded queue; where that is full, a line is dropped, counted, and told of in the next line that fits.  No
 * measured duration is written, so the same inputs give the same bytes.
 *
 *   hys_journal_input(journal, now, &input);
 *   status = hys_shield_step(shield, now, &input, &output);
 *   hys_journal_output(journal, shield, status, &output);
 *
 * Used by one thread.  Not for the run-time library; input only formats, output formats and makes one system
 * call that does not wait (unless config.wait). */
#ifndef HYSHIELD_MONITOR_JOURNAL_H
#define HYSHIELD_MONITOR_JOURNAL_H

#include "monitor/rt/shield.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HYS_JOURNAL_SCHEMA "hyshield-journal-1"

typedef struct hys_journal hys_journal;

typedef struct hys_journal_config {
  const char *path;         /* made anew */
  const char *key_path;     /* 64 hexadecimal digits: the seed of an Ed25519 key; NULL = a fresh key */
  const hys_spec *spec;     /* stays in use */
  const char *shield_path;  /* hashed; named in the first record */
  const char *model_path;   /* hashed; NULL = none */
  const char *model_config; /* hashed; NULL = none */
  hys_shield_config shield; /* as given to the shield */
  uint64_t seed;            /* of whoever draws; told in the first record */
  bool wait;                /* a full queue waits: for simulated time only */
} hys_journal_config;

/* Starts the writer and writes the first record.  HYS_ERR_ARG, HYS_ERR_MEMORY, HYS_ERR_OPEN (a file to hash
 * or the key), HYS_ERR_INPUT (not a key), HYS_ERR_WRITE (the journal; no process).  *journal is NULL then. */
HYS_API hys_status hys_journal_open(hys_journal **journal, const hys_journal_config *config);
/* 64 hexadecimal digits. */
HYS_API const char *hys_journal_public_key(const hys_journal *journal);
/* What is about to be given to the shield; copied.  input NULL = the timer. */
HYS_API void hys_journal_input(hys_journal *journal, int64_t now, const hys_input *input);
/* What the shield answered (status and output of the step), and what it knows now.  HYS_ERR_LIMIT: dropped,
 * the queue is full; HYS_ERR_WRITE: the writer is gone (disk full, killed): nothing is written any more. */
HYS_API hys_status hys_journal_output(hys_journal *journal, const hys_shield *shield, hys_status status,
                                      const hys_output *output);
/* Something else worth keeping, such as what confines the controller.  Statuses as hys_journal_output. */
HYS_API hys_status hys_journal_note(hys_journal *journal, int64_t now, const char *key, const char *text);
HYS_API uint64_t hys_journal_dropped(const hys_journal *journal);
/* Writes the closing record, waits for the writer, frees.  HYS_ERR_WRITE: the journal is not whole.  NULL is
 * allowed. */
HYS_API hys_status hys_journal_close(hys_journal *journal);

/* ---- reading */

typedef struct hys_journal_report {
  uint64_t lines;        /* whole ones that were read */
  uint64_t steps;        /* records of decisions */
  uint64_t dropped;      /* of which gap records tell */
  bool closed;           /* the closing record and its signature are there */
  bool half_line;        /* at the end, not looked at */
  uint64_t signed_lines; /* up to here everything is signed */
  uint64_t bad_line;     /* the first that does not hold, from 1; 0 = none */
  char why[192];         /* what is wrong there */
  char public_key[65];
} hys_journal_report;

/* Checks chain, signatures, counts and the form of every line.  public_key NULL: that of the first record is
 * taken, so that the journal is only found consistent with itself.  HYS_OK: look at the report; HYS_ERR_OPEN,
 * HYS_ERR_MEMORY, HYS_ERR_LIMIT (over 1 GiB), HYS_ERR_ARG (not a key). */
HYS_API hys_status hys_journal_verify(const char *path, const char *public_key, hys_journal_report *report);

/* Feeds the recorded inputs to a fresh shield over the specification and compares each record's bytes.  The
 * first that differs: bad_line and why.  Call after hys_journal_verify, with its report.  A journal with a
 * gap is compared up to the gap.  HYS_ERR_INPUT: a record cannot be read (bad_line says which). */
HYS_API hys_status hys_journal_replay(const char *path, const hys_spec *spec, hys_journal_report *report);

/* BLAKE2b-256 of a file, 64 hexadecimal digits and a 0.  HYS_ERR_OPEN. */
HYS_API hys_status hys_journal_hash_file(const char *path, char hex[65]);

#ifdef __cplusplus
}
#endif
#endif
