/* From a file to the UTF-8 bytes that XML is read from.  Private to models.  Setup only. */
#ifndef HYSHIELD_MODELS_XML_BYTES_H
#define HYSHIELD_MODELS_XML_BYTES_H

#include <stddef.h>

#include "core/allocator.h"
#include "core/diagnostics.h"
#include "core/rt/status.h"

/* A code point (below 0x110000) as UTF-8; the number of bytes, at most 4. */
size_t hysi_utf8_put(char *out, unsigned long code);

/* What was read, as UTF-8 without a byte order mark: the same memory, or, of UTF-16, a copy in the arena.
 * What is not marked is taken as it is, unless it begins as XML in UTF-16 does.  HYS_ERR_INPUT: UTF-32, or
 * broken UTF-16 (reported); HYS_ERR_MEMORY. */
hys_status hysi_text_utf8(const char **out, size_t *n_out, const char *bytes, size_t length, const char *file,
                          hys_arena *arena, hys_diagnostics *diagnostics);

/* The same for XML: its declaration may say UTF-8, US-ASCII, ISO-8859-1 or UTF-16, and then the bytes have to
 * be that.  HYS_ERR_INPUT: they are not, or another encoding (reported); HYS_ERR_MEMORY. */
hys_status hysi_xml_utf8(const char **out, size_t *n_out, const char *bytes, size_t length, const char *file,
                         hys_arena *arena, hys_diagnostics *diagnostics);

/* The whole of a file in the arena, with a zero byte behind it; `limit` in bytes.  HYS_ERR_OPEN,
 * HYS_ERR_LIMIT (both reported), HYS_ERR_MEMORY. */
hys_status hysi_file_read(char **bytes, size_t *length, const char *path, size_t limit, hys_arena *arena,
                          hys_diagnostics *diagnostics);

#endif
