#include "models/xml_bytes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { READ_CHUNK = 1 << 16 };

size_t hysi_utf8_put(char *out, unsigned long code) {
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  if (code < 0x800) {
    out[0] = (char)(0xC0 | (code >> 6));
    out[1] = (char)(0x80 | (code & 0x3F));
    return 2;
  }
  if (code < 0x10000) {
    out[0] = (char)(0xE0 | (code >> 12));
    out[1] = (char)(0x80 | ((code >> 6) & 0x3F));
    out[2] = (char)(0x80 | (code & 0x3F));
    return 3;
  }
  out[0] = (char)(0xF0 | (code >> 18));
  out[1] = (char)(0x80 | ((code >> 12) & 0x3F));
  out[2] = (char)(0x80 | ((code >> 6) & 0x3F));
  out[3] = (char)(0x80 | (code & 0x3F));
  return 4;
}

/* The encoding that the XML declaration names, "" if it names none. */
static void declared_encoding(char *out, size_t size, const char *bytes, size_t length) {
  const char *end = NULL, *at = NULL;

  out[0] = '\0';
  if (length < 6 || memcmp(bytes, "<?xml", 5) != 0)
    return;
  for (size_t i = 5; i + 1 < length && i < 1024 && end == NULL; i++) {
    if (bytes[i] == '?' && bytes[i + 1] == '>')
      end = bytes + i;
    else if (at == NULL && i + 8 < length && memcmp(bytes + i, "encoding", 8) == 0)
      at = bytes + i + 8;
  }
  if (end == NULL || at == NULL)
    return;
  while (at < end && (strchr(" \t\n\r", *at) != NULL || *at == '='))
    at++;
  if (at >= end || (*at != '"' && *at != '\''))
    return;
  const char quote = *at++;
  for (size_t n = 0; at < end && *at != quote && n + 1 < size; n++) {
    out[n] = *at++;
    out[n + 1] = '\0';
  }
}

hys_status hysi_xml_utf8(const char **out, size_t *n_out, const char *bytes, size_t length, const char *file,
                         hys_arena *arena, hys_diagnostics *diagnostics) {
  char encoding[64];

  if (length >= 2 && (memcmp(bytes, "\xFE\xFF", 2) == 0 || memcmp(bytes, "\xFF\xFE", 2) == 0)) {
    hys_diagnostic where = {.severity = HYS_ERROR, .file = file, .line = 1, .column = 1};
    hys_diagnostics_add(diagnostics, &where, "the encoding UTF-16 is not read; expected UTF-8 or ISO-8859-1");
    return HYS_ERR_INPUT;
  }
  if (length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
    bytes += 3;
    length -= 3;
  }
  *out = bytes;
  *n_out = length;
  declared_encoding(encoding, sizeof encoding, bytes, length);
  if (encoding[0] == '\0' || strcasecmp(encoding, "UTF-8") == 0 || strcasecmp(encoding, "US-ASCII") == 0)
    return HYS_OK;
  if (strcasecmp(encoding, "ISO-8859-1") != 0) {
    hys_diagnostic where = {.severity = HYS_ERROR, .file = file, .line = 1, .column = 1, .found = encoding};
    hys_diagnostics_add(diagnostics, &where, "the encoding \"%s\" is not read; expected UTF-8 or ISO-8859-1",
                        encoding);
    return HYS_ERR_INPUT;
  }
  size_t high = 0, n = 0;
  for (size_t i = 0; i < length; i++)
    high += ((unsigned char)bytes[i] & 0x80) != 0;
  if (high == 0)
    return HYS_OK;
  char *wide = hys_arena_alloc(arena, length + high + 1, 1);
  if (wide == NULL)
    return HYS_ERR_MEMORY;
  for (size_t i = 0; i < length; i++)
    n += hysi_utf8_put(wide + n, (unsigned char)bytes[i]);
  *out = wide;
  *n_out = n;
  return HYS_OK;
}

hys_status hysi_file_read(char **bytes, size_t *length, const char *path, size_t limit, hys_arena *arena,
                          hys_diagnostics *diagnostics) {
  const hys_diagnostic where = {.severity = HYS_ERROR, .file = path};
  hys_status status = HYS_OK;
  char *buffer = NULL;
  size_t n = 0, capacity = 0;
  FILE *in = fopen(path, "rb");

  *bytes = NULL;
  *length = 0;
  if (in == NULL) {
    hys_diagnostics_add(diagnostics, &where, "cannot open the file: %s", strerror(errno));
    return HYS_ERR_OPEN;
  }
  for (;;) {
    if (n == capacity) {
      const size_t larger = capacity == 0 ? READ_CHUNK : 2 * capacity;
      char *moved = realloc(buffer, larger);
      if (moved == NULL) {
        status = HYS_ERR_MEMORY;
        break;
      }
      buffer = moved;
      capacity = larger;
    }
    const size_t got = fread(buffer + n, 1, capacity - n, in);
    n += got;
    if (n > limit) {
      hys_diagnostics_add(diagnostics, &where, "the file is larger than %zu bytes", limit);
      status = HYS_ERR_LIMIT;
      break;
    }
    if (got == 0) {
      if (ferror(in)) {
        hys_diagnostics_add(diagnostics, &where, "cannot read the file: %s", strerror(errno));
        status = HYS_ERR_OPEN;
      }
      break;
    }
  }
  fclose(in);
  if (status == HYS_OK) {
    char *copy = hys_arena_alloc(arena, n + 1, 1);
    if (copy == NULL) {
      status = HYS_ERR_MEMORY;
    } else {
      if (n > 0)
        memcpy(copy, buffer, n);
      *bytes = copy;
      *length = n;
    }
  }
  free(buffer);
  return status;
}
