/* A SpaceEx configuration: lines  key = value,  a value bare or in double quotes (then over several lines),
 * # to the end of a line is a comment outside quotes.  Private to models.  Setup only. */
#ifndef HYSHIELD_MODELS_CFG_H
#define HYSHIELD_MODELS_CFG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/allocator.h"
#include "core/diagnostics.h"
#include "core/rt/status.h"
#include "models/expr_parse.h"

typedef struct hysi_cfg_value {
  const char *text; /* NULL: the key is not there; otherwise inside the file's bytes, length of it */
  size_t length;
} hysi_cfg_value;

/* A line, as it was written. */
typedef struct hysi_cfg_entry {
  hysi_cfg_value key, value;
  bool quoted;
} hysi_cfg_entry;

typedef struct hysi_cfg {
  const char *file;
  const char *bytes;
  size_t size;
  hysi_cfg_value system, initially, forbidden;
  double time_horizon;   /* 0: not given */
  hysi_cfg_entry *entry; /* all lines */
  uint32_t n_entries, entries_capacity;
  struct hysi_cfg_mark *mark; /* places of some bytes */
} hysi_cfg;

/* Reads a configuration from bytes that stay.  Problems are reported; HYS_OK also then, or HYS_ERR_MEMORY. */
hys_status hysi_cfg_read(hysi_cfg *cfg, const char *bytes, size_t size, const char *file, hys_arena *arena,
                         hys_diagnostics *diagnostics);

/* The place of a byte of a value; context: a hysi_cfg_text.  In constant time. */
typedef struct hysi_cfg_text {
  const hysi_cfg *cfg;
  size_t start; /* of the value in the file */
} hysi_cfg_text;
void hysi_cfg_place(const void *context, size_t offset, uint32_t *line, uint32_t *column);

#endif
