#include "models/xml_bytes.h"

#include <errno.h>
#include <stdbool.h>
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

/* Where a byte of UTF-8 stands. */
static hys_diagnostic place(const char *file, const char *bytes, size_t offset, hys_severity severity) {
  hys_diagnostic where = {.severity = severity, .file = file, .line = 1, .column = 1};

  for (size_t i = 0; i < offset; i++) {
    if (bytes[i] == '\n') {
      where.line++;
      where.column = 1;
    } else if (((unsigned char)bytes[i] & 0xC0) != 0x80) {
      where.column++;
    }
  }
  return where;
}

/* ---- UTF-16 ---- */

static unsigned long unit16(const char *at, bool big) {
  const unsigned char *b = (const unsigned char *)at;
  return big ? (unsigned long)b[0] << 8 | b[1] : (unsigned long)b[1] << 8 | b[0];
}

static hys_status from_utf16(const char **out, size_t *n_out, const char *bytes, size_t length, bool big,
                             const char *file, hys_arena *arena, hys_diagnostics *diagnostics) {
  char *text = hys_arena_alloc(arena, length / 2 + 1, 3); /* of two bytes at most three, of four four */
  size_t n = 0;

  if (text == NULL)
    return HYS_ERR_MEMORY;
  for (size_t i = 0; i + 1 < length; i += 2) {
    unsigned long code = unit16(bytes + i, big);
    const unsigned long low = i + 3 < length ? unit16(bytes + i + 2, big) : 0;
    if (code >= 0xD800 && code < 0xDC00 && low >= 0xDC00 && low < 0xE000) {
      code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      i += 2;
    } else if (code >= 0xD800 && code < 0xE000) {
      const hys_diagnostic where = place(file, text, n, HYS_ERROR);
      hys_diagnostics_add(diagnostics, &where, "half a pair of UTF-16 (0x%04lX): the file is damaged", code);
      return HYS_ERR_INPUT;
    }
    n += hysi_utf8_put(text + n, code);
  }
  if (length % 2 != 0) {
    const hys_diagnostic where = place(file, text, n, HYS_ERROR);
    hys_diagnostics_add(diagnostics, &where, "half a character of UTF-16 at the end: the file is damaged");
    return HYS_ERR_INPUT;
  }
  *out = text;
  *n_out = n;
  return HYS_OK;
}

static bool begins(const char *bytes, size_t length, const char *with, size_t n) {
  return length >= n && memcmp(bytes, with, n) == 0;
}

hys_status hysi_text_utf8(const char **out, size_t *n_out, const char *bytes, size_t length, const char *file,
                          hys_arena *arena, hys_diagnostics *diagnostics) {
  if (begins(bytes, length, "\xFF\xFE\0\0", 4) || begins(bytes, length, "\0\0\xFE\xFF", 4)) {
    const hys_diagnostic where = {.severity = HYS_ERROR, .file = file, .line = 1, .column = 1};
    hys_diagnostics_add(diagnostics, &where,
                        "the encoding UTF-32 is not read; to convert the file: iconv -f UTF-32 -t UTF-8");
    return HYS_ERR_INPUT;
  }
  if (begins(bytes, length, "\xFE\xFF", 2) || begins(bytes, length, "\xFF\xFE", 2))
    return from_utf16(out, n_out, bytes + 2, length - 2, bytes[0] == '\xFE', file, arena, diagnostics);
  if (begins(bytes, length, "\0<\0", 3) || begins(bytes, length, "<\0", 2))
    return from_utf16(out, n_out, bytes, length, bytes[0] == '\0', file, arena, diagnostics);
  if (begins(bytes, length, "\xEF\xBB\xBF", 3)) {
    bytes += 3;
    length -= 3;
  }
  *out = bytes;
  *n_out = length;
  return HYS_OK;
}

/* ---- what the XML declaration says ---- */

/* The encoding that it names, "" if it names none, and where that begins. */
static size_t declared_encoding(char *out, size_t size, const char *bytes, size_t length) {
  const char *end = NULL, *at = NULL;

  out[0] = '\0';
  if (length < 6 || memcmp(bytes, "<?xml", 5) != 0)
    return 0;
  for (size_t i = 5; i + 1 < length && i < 1024 && end == NULL; i++) {
    if (bytes[i] == '?' && bytes[i + 1] == '>')
      end = bytes + i;
    else if (at == NULL && i + 8 < length && memcmp(bytes + i, "encoding", 8) == 0)
      at = bytes + i + 8;
  }
  if (end == NULL || at == NULL)
    return 0;
  while (at < end && (strchr(" \t\n\r", *at) != NULL || *at == '='))
    at++;
  if (at >= end || (*at != '"' && *at != '\''))
    return 0;
  const char quote = *at++;
  const size_t offset = (size_t)(at - bytes);
  for (size_t n = 0; at < end && *at != quote && n + 1 < size; n++) {
    out[n] = *at++;
    out[n + 1] = '\0';
  }
  return offset;
}

typedef enum encoding { UTF8, ASCII, LATIN1, UTF16, OTHER } encoding;

static encoding encoding_of(const char *name) {
  static const struct {
    const char *name;
    encoding is;
  } known[] = {{"", UTF8},
               {"UTF-8", UTF8},
               {"UTF8", UTF8},
               {"US-ASCII", ASCII},
               {"ASCII", ASCII},
               {"ISO-8859-1", LATIN1},
               {"ISO_8859-1", LATIN1},
               {"ISO8859-1", LATIN1},
               {"latin1", LATIN1},
               {"UTF-16", UTF16},
               {"UTF-16LE", UTF16},
               {"UTF-16BE", UTF16},
               {"ISO-10646-UCS-2", UTF16}};

  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (strcasecmp(name, known[i].name) == 0)
      return known[i].is;
  }
  return OTHER;
}

/* The number of bytes of the character at the begin of n bytes; 0: it is none of UTF-8. */
static size_t utf8_length(const unsigned char *b, size_t n) {
  const size_t length = b[0] < 0x80   ? 1
                        : b[0] < 0xC2 ? 0
                        : b[0] < 0xE0 ? 2
                        : b[0] < 0xF0 ? 3
                        : b[0] < 0xF5 ? 4
                                      : 0;

  if (length == 0 || length > n)
    return 0;
  for (size_t i = 1; i < length; i++) {
    if ((b[i] & 0xC0) != 0x80)
      return 0;
  }
  if ((b[0] == 0xE0 && b[1] < 0xA0) || (b[0] == 0xED && b[1] > 0x9F) || (b[0] == 0xF0 && b[1] < 0x90) ||
      (b[0] == 0xF4 && b[1] > 0x8F))
    return 0;
  return length;
}

/* Whether the bytes are UTF-8 without zero bytes; if not, where that ends is reported. */
static bool check_utf8(const char *bytes, size_t length, const char *file, hys_diagnostics *diagnostics) {
  for (size_t i = 0; i < length;) {
    const unsigned char *b = (const unsigned char *)bytes + i;
    const size_t n = utf8_length(b, length - i);
    if (n == 0 || *b == 0) {
      const hys_diagnostic where = place(file, bytes, i, HYS_ERROR);
      if (*b == 0)
        hys_diagnostics_add(diagnostics, &where, "a zero byte: this is no text");
      else
        hys_diagnostics_add(diagnostics, &where,
                            "byte 0x%02X is not UTF-8; a file in ISO-8859-1 says so in its first line: <?xml "
                            "version=\"1.0\" encoding=\"iso-8859-1\"?>",
                            (unsigned)*b);
      return false;
    }
    i += n;
  }
  return true;
}

static hys_status from_latin1(const char **out, size_t *n_out, hys_arena *arena) {
  const char *bytes = *out;
  const size_t length = *n_out;
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

/* Whether a name may stand in a command line that is shown. */
static bool is_plain(const char *name) {
  return name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:")] == '\0';
}

hys_status hysi_xml_utf8(const char **out, size_t *n_out, const char *bytes, size_t length, const char *file,
                         hys_arena *arena, hys_diagnostics *diagnostics) {
  hys_status status = hysi_text_utf8(out, n_out, bytes, length, file, arena, diagnostics);
  char name[64];

  if (status != HYS_OK)
    return status;
  const bool was_utf16 = *out != bytes && *out != bytes + 3; /* a copy; not what is behind a mark */
  const size_t at = declared_encoding(name, sizeof name, *out, *n_out);
  const encoding e = encoding_of(name);
  if (was_utf16) {
    const hys_diagnostic where = place(file, *out, at, HYS_WARNING);
    if (e != UTF16 && name[0] != '\0')
      hys_diagnostics_add(diagnostics, &where,
                          "the file is UTF-16, whatever its first line says: \"%s\" means nothing", name);
  } else if (e == UTF16 || e == OTHER) {
    hys_diagnostic where = place(file, *out, at, HYS_ERROR);
    where.found = name;
    if (e == UTF16)
      hys_diagnostics_add(
          diagnostics, &where,
          "the file is not UTF-16; if it is UTF-8, its first line has to say encoding=\"UTF-8\"");
    else
      hys_diagnostics_add(diagnostics, &where,
                          "the encoding \"%s\" is not read; expected UTF-8, ISO-8859-1 or UTF-16%s%s%s", name,
                          is_plain(name) ? "; to convert the file: iconv -f " : "",
                          is_plain(name) ? name : "", is_plain(name) ? " -t UTF-8" : "");
    return HYS_ERR_INPUT;
  }
  if (e == LATIN1 && !was_utf16)
    status = from_latin1(out, n_out, arena);
  if (status != HYS_OK)
    return status;
  return check_utf8(*out, *n_out, file, diagnostics) ? HYS_OK : HYS_ERR_INPUT;
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
