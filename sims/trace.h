/* Traces of runs: CSV with a header of comment lines.
 *
 *   # schema = hyshield-trace-1
 *   # KEY = VALUE                      any number, anywhere (what is only known at the end comes at the end)
 *   t [s],location,VAR [unit]..,id,requested,applied,action,reason,margin
 *   0.1,ego=cruise;lead=driving,31.2,22,..,,,,,,29.2
 *
 * reason is a name of core/rt/reason.h: of a delay, a substitution or a suppression the one that made it
 * necessary. A row is a sample or an output instant; an empty field is not applicable.  location is
 * inst=name;.. . requested and applied are a command, or command=value.  Numbers are the shortest that read
 * back to the same double, whatever the locale.  Setup only. */
#ifndef HYSHIELD_SIMS_TRACE_H
#define HYSHIELD_SIMS_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/allocator.h"
#include "core/diagnostics.h"
#include "core/rt/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HYS_TRACE_SCHEMA "hyshield-trace-1"

enum {
  HYS_MAX_TRACE_LINE = 16384,    /* bytes */
  HYS_MAX_TRACE_ROWS = 10000000, /* a day at 100 Hz */
  HYS_MAX_TRACE_VARIABLES = 64
};

typedef struct hys_trace_row {
  double t;             /* s */
  const char *location; /* never NULL, may be "" (so may the other texts) */
  const double *x;      /* one a variable, NaN = empty */
  bool has_id;
  uint64_t id;
  const char *requested, *applied, *action, *reason;
  double margin; /* NaN = empty */
} hys_trace_row;

typedef struct hys_trace_note {
  const char *key, *value;
} hys_trace_note;

typedef struct hys_trace_variable {
  const char *name, *unit; /* unit "" = none given */
} hys_trace_variable;

/* ---- writing */

typedef struct hys_trace_writer hys_trace_writer;

/* Creates or replaces the file and writes the schema line, the notes and the header.
 * HYS_ERR_ARG, HYS_ERR_MEMORY, HYS_ERR_WRITE (errno says why). */
hys_status hys_trace_writer_create(hys_trace_writer **writer, const char *path, const hys_trace_note *note,
                                   size_t n_notes, const hys_trace_variable *variable, size_t n_variables);
hys_status hys_trace_writer_row(hys_trace_writer *writer, const hys_trace_row *row);
hys_status hys_trace_writer_note(hys_trace_writer *writer, const char *key, const char *value);
/* Flushes and closes; HYS_ERR_WRITE if any byte was lost.  NULL is allowed. */
hys_status hys_trace_writer_destroy(hys_trace_writer *writer);

/* The shortest of %.15g .. %.17g that reads back, with a point; "" for NaN; inf as "inf".  Writes at most
 * size bytes (32 are enough), returns text. */
const char *hys_trace_number(double value, char *text, size_t size);
/* A real number from the whole of text (n bytes, blanks around it allowed), whatever the locale; false: there
 * is none. */
bool hys_trace_read_number(const char *text, size_t n, double *value);

/* ---- reading */

typedef struct hys_trace {
  const hys_trace_note *note;
  size_t n_notes;
  const hys_trace_variable *variable;
  size_t n_variables;
  const hys_trace_row *row;
  size_t n_rows;
} hys_trace;

/* Everything lives in the arena; problems (file, line, column) go to `problems`.  HYS_ERR_OPEN, HYS_ERR_INPUT
 * (a problem was reported), HYS_ERR_LIMIT, HYS_ERR_MEMORY. */
hys_status hys_trace_read(const char *path, hys_arena *arena, hys_diagnostics *problems,
                          const hys_trace **trace);
/* The last note with that key, NULL if there is none. */
const char *hys_trace_find(const hys_trace *trace, const char *key);

/* 64-bit FNV-1a (offset basis 0xcbf29ce484222325, prime 0x100000001b3) of a file's bytes: tells two versions
 * of a file apart, is no protection against intent.  HYS_ERR_OPEN. */
hys_status hys_trace_hash_file(const char *path, uint64_t *hash);

#ifdef __cplusplus
}
#endif
#endif
