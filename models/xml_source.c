#include "models/xml_source.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>

#include "models/xml_bytes.h"

/* Pieces end here at the latest, so that a place in a long line is found by a short count. */
enum { PIECE_CHARACTERS = 64 };

/* A stretch of text between two tags. */
typedef struct gap {
  struct gap *next;
  hysi_xml_text text;
} gap;

typedef struct open_element {
  hysi_xml_element *element;
  hysi_xml_element *last; /* child */
  gap *first_gap, *last_gap;
} open_element;

typedef struct source {
  const char *bytes; /* UTF-8, without a byte order mark */
  size_t length;
  const char *file;
  hys_arena *arena;
  hys_diagnostics *diagnostics;
  xmlParserCtxtPtr parser;
  hys_status status;

  size_t at; /* of the cursor, whose place is line and column */
  uint32_t line, column;
  size_t text_from;  /* behind the last tag */
  size_t text_bytes; /* of text that the parser has delivered since */
  open_element open[HYS_XML_MAX_DEPTH];
  size_t depth;
  size_t elements;
  hysi_xml_element *root;
} source;

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* ---- places ---- */

static void move_to(source *s, size_t offset) {
  for (; s->at < offset && s->at < s->length; s->at++) {
    const unsigned char c = (unsigned char)s->bytes[s->at];
    if (c == '\n') {
      s->line++;
      s->column = 1;
    } else if ((c & 0xC0) != 0x80) {
      s->column++;
    }
  }
}

/* Where the parser stands in the bytes that it was given. */
static size_t parser_offset(const source *s) {
  const long n = xmlByteConsumed(s->parser);
  return n < 0 ? 0 : (size_t)n > s->length ? s->length : (size_t)n;
}

static void stop(source *s, hys_status status) {
  if (s->status == HYS_OK)
    s->status = status;
  if (s->parser != NULL)
    xmlStopParser(s->parser);
}

__attribute__((format(printf, 3, 4))) static void refuse(source *s, hys_status status, const char *format,
                                                         ...) {
  char text[512];
  va_list args;
  hys_diagnostic where = {.severity = HYS_ERROR, .file = s->file, .line = s->line, .column = s->column};

  if (s->status != HYS_OK)
    return;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  hys_diagnostics_add(s->diagnostics, &where, "%s", text);
  stop(s, status);
}

/* ---- text between tags ---- */

static bool starts(const source *s, size_t at, size_t end, const char *with) {
  const size_t n = strlen(with);
  return end - at >= n && memcmp(s->bytes + at, with, n) == 0;
}

static size_t behind(const source *s, size_t at, size_t end, const char *mark) {
  const size_t n = strlen(mark);
  for (; at + n <= end; at++) {
    if (memcmp(s->bytes + at, mark, n) == 0)
      return at + n;
  }
  return end;
}

/* What `&name;` stands for (the parser has checked that it is one of these); the number of bytes, at most 4.
 */
static size_t resolve(const char *name, size_t n, char out[4]) {
  static const struct {
    const char *name;
    char c;
  } known[] = {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"apos", '\''}, {"quot", '"'}};

  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (strlen(known[i].name) == n && memcmp(known[i].name, name, n) == 0) {
      out[0] = known[i].c;
      return 1;
    }
  }
  if (n >= 2 && name[0] == '#') {
    const bool hex = name[1] == 'x';
    unsigned long code = 0;
    for (size_t i = hex ? 2 : 1; i < n && code < 0x110000; i++) {
      const char c = name[i];
      const unsigned digit = c >= 'a'   ? (unsigned)(c - 'a') + 10
                             : c >= 'A' ? (unsigned)(c - 'A') + 10
                                        : (unsigned)(c - '0');
      code = code * (hex ? 16 : 10) + digit;
    }
    return hysi_utf8_put(out, code);
  }
  return 0;
}

/* Writes the text between two tags and where its pieces stand; either may be NULL to count only.  The cursor
 * starts at the begin of the gap and moves over it only when pieces are written. */
static void decode(source *s, size_t end, char *bytes, hysi_xml_piece *piece, size_t *n_bytes,
                   size_t *n_pieces) {
  size_t i = s->text_from, n = 0, p = 0, run = 0; /* run: characters in the current piece */
  bool fresh = true, raw = false;                 /* raw: inside CDATA */

  while (i < end) {
    const size_t from = i;
    char text[4] = {0};
    size_t got = 0;
    bool cut = false; /* the piece ends behind this */

    if (!raw && starts(s, i, end, "<!--")) {
      i = behind(s, i + 4, end, "-->");
      fresh = true;
      continue;
    }
    if (!raw && starts(s, i, end, "<![CDATA[")) {
      i += 9;
      raw = fresh = true;
      continue;
    }
    if (!raw && starts(s, i, end, "<?")) {
      i = behind(s, i + 2, end, "?>");
      fresh = true;
      continue;
    }
    if (raw && starts(s, i, end, "]]>")) {
      i += 3;
      raw = false;
      fresh = true;
      continue;
    }
    if (!raw && s->bytes[i] == '&') {
      i = behind(s, i, end, ";");
      got = i >= from + 2 ? resolve(s->bytes + from + 1, i - from - 2, text) : 0;
      fresh = cut = true;
    } else if (s->bytes[i] == '\r') {
      i += i + 1 < end && s->bytes[i + 1] == '\n' ? 2 : 1;
      text[0] = '\n';
      got = 1;
      cut = true;
    } else {
      cut = s->bytes[i] == '\n';
      text[0] = s->bytes[i++];
      got = 1;
    }
    const bool leads = ((unsigned char)text[0] & 0xC0) != 0x80;
    if (fresh || (leads && run >= PIECE_CHARACTERS)) {
      if (piece != NULL) {
        move_to(s, from);
        piece[p] = (hysi_xml_piece){.offset = n, .line = s->line, .column = s->column};
      }
      p++;
      run = 0;
    }
    run += leads;
    fresh = cut;
    if (bytes != NULL)
      memcpy(bytes + n, text, got);
    n += got;
  }
  if (piece != NULL)
    move_to(s, end);
  *n_bytes = n;
  *n_pieces = p;
}

static bool all_blank(const char *bytes, size_t length) {
  for (size_t i = 0; i < length; i++) {
    if (!is_blank(bytes[i]))
      return false;
  }
  return true;
}

/* Ends the gap that ran from the last tag to `end`. */
static void close_gap(source *s, size_t end) {
  size_t n_bytes = 0, n_pieces = 0;

  if (s->depth > 0 && end > s->text_from) {
    open_element *o = &s->open[s->depth - 1];
    decode(s, end, NULL, NULL, &n_bytes, &n_pieces);
    if (n_bytes != s->text_bytes) { /* we and the parser read different texts */
      refuse(s, HYS_ERR_INTERNAL, "the text before this tag cannot be placed");
      return;
    }
    if (n_bytes > 0 && !all_blank(s->bytes + s->text_from, end - s->text_from)) {
      gap *g = hys_arena_alloc(s->arena, 1, sizeof *g);
      char *bytes = hys_arena_alloc(s->arena, n_bytes + 1, 1);
      hysi_xml_piece *piece = hys_arena_alloc(s->arena, n_pieces, sizeof *piece);
      if (g == NULL || bytes == NULL || piece == NULL) {
        stop(s, HYS_ERR_MEMORY);
        return;
      }
      decode(s, end, bytes, piece, &n_bytes, &n_pieces);
      if (!all_blank(bytes, n_bytes)) { /* else a comment between blanks */
        g->text = (hysi_xml_text){.bytes = bytes, .length = n_bytes, .piece = piece, .n_pieces = n_pieces};
        if (o->last_gap != NULL)
          o->last_gap->next = g;
        else
          o->first_gap = g;
        o->last_gap = g;
      }
    }
  }
  move_to(s, end);
  s->text_bytes = 0;
}

/* One text of an element's gaps. */
static void join_gaps(source *s, open_element *o) {
  size_t n_bytes = 0, n_pieces = 0;

  o->element->text = (hysi_xml_text){.bytes = ""};
  if (o->first_gap == o->last_gap) {
    if (o->first_gap != NULL)
      o->element->text = o->first_gap->text;
    return;
  }
  for (const gap *g = o->first_gap; g != NULL; g = g->next) {
    n_bytes += g->text.length;
    n_pieces += g->text.n_pieces;
  }
  char *bytes = hys_arena_alloc(s->arena, n_bytes + 1, 1);
  hysi_xml_piece *piece = hys_arena_alloc(s->arena, n_pieces, sizeof *piece);
  if (bytes == NULL || piece == NULL) {
    stop(s, HYS_ERR_MEMORY);
    return;
  }
  n_bytes = n_pieces = 0;
  for (const gap *g = o->first_gap; g != NULL; g = g->next) {
    memcpy(bytes + n_bytes, g->text.bytes, g->text.length);
    for (size_t i = 0; i < g->text.n_pieces; i++) {
      piece[n_pieces] = g->text.piece[i];
      piece[n_pieces++].offset += n_bytes;
    }
    n_bytes += g->text.length;
  }
  o->element->text = (hysi_xml_text){.bytes = bytes, .length = n_bytes, .piece = piece, .n_pieces = n_pieces};
}

/* ---- the parser's calls ---- */

static const char *keep(source *s, const xmlChar *text, size_t length) {
  const char *copy = hys_arena_strdup(s->arena, (const char *)text, length);
  if (copy == NULL)
    stop(s, HYS_ERR_MEMORY);
  return copy;
}

/* The places of a tag's attributes, the cursor standing at its '<'.  The parser has checked the tag and
 * delivers the attributes in this order, without those that declare namespaces. */
static void place_attributes(source *s, size_t end, hysi_xml_attribute *a, size_t n) {
  size_t i = s->at, k = 0;

  while (i < end && !is_blank(s->bytes[i]))
    i++;
  while (k < n) {
    while (i < end && is_blank(s->bytes[i]))
      i++;
    const size_t name = i;
    while (i < end && s->bytes[i] != '"' && s->bytes[i] != '\'')
      i++;
    if (i >= end)
      return;
    const char quote = s->bytes[i++];
    const size_t value = i;
    while (i < end && s->bytes[i] != quote)
      i++;
    i += i < end;
    if (starts(s, name, value, "xmlns:") || starts(s, name, value, "xmlns=") ||
        (starts(s, name, value, "xmlns") && is_blank(s->bytes[name + 5])))
      continue;
    move_to(s, name);
    a[k].name_line = s->line;
    a[k].name_column = s->column;
    move_to(s, value);
    a[k].line = s->line;
    a[k++].column = s->column;
  }
}

static void on_start(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                     int n_spaces, const xmlChar **spaces, int n_attributes, int n_defaulted,
                     const xmlChar **attributes) {
  source *s = context;
  size_t behind_tag = parser_offset(s), tag;

  (void)prefix, (void)n_spaces, (void)spaces, (void)n_defaulted;
  if (s->status != HYS_OK)
    return;
  /* The parser stands at the end of the tag, or of a file that ends within it; no '<' may occur inside of
   * one. */
  for (tag = behind_tag; tag > s->text_from && (tag == s->length || s->bytes[tag] != '<'); tag--) {
  }
  while (behind_tag < s->length && s->bytes[behind_tag] != '>')
    behind_tag++;
  close_gap(s, tag);
  s->text_from = behind_tag < s->length ? behind_tag + 1 : behind_tag;
  if (s->status != HYS_OK)
    return;
  if (s->depth == HYS_XML_MAX_DEPTH) {
    refuse(s, HYS_ERR_LIMIT, "elements are nested more than %d deep (HYS_XML_MAX_DEPTH)", HYS_XML_MAX_DEPTH);
    return;
  }
  if (++s->elements > HYS_XML_MAX_ELEMENTS) {
    refuse(s, HYS_ERR_LIMIT, "more than %d elements (HYS_XML_MAX_ELEMENTS)", HYS_XML_MAX_ELEMENTS);
    return;
  }
  if (strlen((const char *)name) > HYS_XML_MAX_NAME) {
    refuse(s, HYS_ERR_LIMIT, "a name longer than %d bytes (HYS_XML_MAX_NAME)", HYS_XML_MAX_NAME);
    return;
  }
  const size_t n = n_attributes > 0 ? (size_t)n_attributes : 0;
  hysi_xml_element *e = hys_arena_alloc(s->arena, 1, sizeof *e);
  hysi_xml_attribute *a = hys_arena_alloc(s->arena, n, sizeof *a);
  if (e == NULL || (a == NULL && n > 0)) {
    stop(s, HYS_ERR_MEMORY);
    return;
  }
  e->line = s->line;
  e->column = s->column;
  e->name = keep(s, name, strlen((const char *)name));
  e->space = uri != NULL ? keep(s, uri, strlen((const char *)uri)) : NULL;
  e->attribute = a;
  e->n_attributes = n;
  e->text.bytes = "";
  place_attributes(s, s->text_from, a, n);
  for (size_t i = 0; i < n && s->status == HYS_OK; i++) {
    const xmlChar *const *x = attributes + 5 * i; /* local name, prefix, URI, value, end of value */
    if (strlen((const char *)x[0]) > HYS_XML_MAX_NAME) {
      refuse(s, HYS_ERR_LIMIT, "a name longer than %d bytes (HYS_XML_MAX_NAME)", HYS_XML_MAX_NAME);
      return;
    }
    if (x[4] - x[3] > HYS_XML_MAX_VALUE) {
      s->line = a[i].line;
      s->column = a[i].column;
      refuse(s, HYS_ERR_LIMIT, "an attribute longer than %d bytes (HYS_XML_MAX_VALUE)", HYS_XML_MAX_VALUE);
      return;
    }
    a[i].name = keep(s, x[0], strlen((const char *)x[0]));
    a[i].space = x[2] != NULL ? keep(s, x[2], strlen((const char *)x[2])) : NULL;
    a[i].value = keep(s, x[3], (size_t)(x[4] - x[3]));
  }
  if (s->status != HYS_OK)
    return;
  if (s->depth > 0) {
    open_element *parent = &s->open[s->depth - 1];
    e->parent = parent->element;
    if (parent->last != NULL)
      parent->last->next = e;
    else
      parent->element->first = e;
    parent->last = e;
  } else {
    s->root = e;
  }
  s->open[s->depth++] = (open_element){.element = e};
}

static void on_end(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
  source *s = context;
  const size_t behind_tag = parser_offset(s);
  size_t tag = behind_tag > 0 ? behind_tag - 1 : 0;

  (void)name, (void)prefix, (void)uri;
  if (s->status != HYS_OK || s->depth == 0)
    return;
  if (behind_tag > s->text_from) { /* not the end of <name/>: the parser stands behind </name> */
    while (tag > s->text_from && s->bytes[tag] != '<')
      tag--;
    close_gap(s, tag);
    s->text_from = behind_tag;
  }
  if (s->status == HYS_OK)
    join_gaps(s, &s->open[s->depth - 1]);
  s->depth--;
}

static void on_characters(void *context, const xmlChar *text, int length) {
  source *s = context;
  (void)text;
  s->text_bytes += length > 0 ? (size_t)length : 0;
}

static void on_dtd(void *context, const xmlChar *name, const xmlChar *public_id, const xmlChar *system_id) {
  source *s = context;
  size_t tag = parser_offset(s);

  (void)name, (void)public_id, (void)system_id;
  for (; tag > s->at && !starts(s, tag, s->length, "<!DOCTYPE"); tag--) {
  }
  move_to(s, tag);
  refuse(s, HYS_ERR_INPUT, "a document type definition is not allowed");
}

static void on_error(void *context, xmlErrorPtr error) {
  source *s = context;
  size_t n;

  if (s->status != HYS_OK || error->level < XML_ERR_ERROR)
    return;
  if (error->code == XML_ERR_NO_MEMORY) {
    stop(s, HYS_ERR_MEMORY);
    return;
  }
  char text[256];
  snprintf(text, sizeof text, "%s", error->message != NULL ? error->message : "unknown fault");
  for (n = strlen(text); n > 0 && is_blank(text[n - 1]); n--) {
  }
  text[n] = '\0';
  for (size_t i = 0; i < n; i++) {
    if ((unsigned char)text[i] < 0x20)
      text[i] = ' ';
  }
  move_to(s, parser_offset(s));
  refuse(s, HYS_ERR_INPUT, "not well-formed XML: %s", text);
}

/* ---- before the parser ---- */

/* Refuses tags with too many attributes: the parser compares each with each. */
static void count_attributes(source *s) {
  for (size_t i = 0; i < s->length;) {
    const char *tag = memchr(s->bytes + i, '<', s->length - i);
    size_t at, n = 0;
    if (tag == NULL)
      return;
    at = i = (size_t)(tag - s->bytes);
    if (starts(s, i, s->length, "<!--")) {
      i = behind(s, i + 4, s->length, "-->");
    } else if (starts(s, i, s->length, "<![CDATA[")) {
      i = behind(s, i + 9, s->length, "]]>");
    } else if (starts(s, i, s->length, "<?")) {
      i = behind(s, i + 2, s->length, "?>");
    } else {
      for (i++; i < s->length && s->bytes[i] != '>'; i++) {
        const char *end;
        if (s->bytes[i] != '"' && s->bytes[i] != '\'')
          continue;
        end = memchr(s->bytes + i + 1, s->bytes[i], s->length - i - 1);
        if (end == NULL)
          return; /* not well-formed */
        i = (size_t)(end - s->bytes);
        n++;
      }
      if (n > HYS_XML_MAX_ATTRIBUTES) {
        move_to(s, at);
        refuse(s, HYS_ERR_LIMIT, "more than %d attributes (HYS_XML_MAX_ATTRIBUTES)", HYS_XML_MAX_ATTRIBUTES);
        return;
      }
    }
  }
}

/* ---- the door ---- */

hys_status hysi_xml_read_memory(const hysi_xml_element **root, const char *bytes, size_t length,
                                const char *file, hys_arena *arena, hys_diagnostics *diagnostics) {
  source s = {.file = file, .arena = arena, .diagnostics = diagnostics, .line = 1, .column = 1};
  xmlSAXHandler calls;

  *root = NULL;
  if (length > HYS_XML_MAX_BYTES) {
    const hys_diagnostic where = {.severity = HYS_ERROR, .file = file};
    hys_diagnostics_add(diagnostics, &where, "the file is larger than %d bytes (HYS_XML_MAX_BYTES)",
                        HYS_XML_MAX_BYTES);
    return HYS_ERR_LIMIT;
  }
  s.status = hysi_xml_utf8(&s.bytes, &s.length, bytes, length, file, arena, diagnostics);
  if (s.status != HYS_OK)
    return s.status;
  if (s.length == 0) {
    const hys_diagnostic where = {.severity = HYS_ERROR, .file = file, .line = 1, .column = 1};
    hys_diagnostics_add(diagnostics, &where, "the file is empty");
    return HYS_ERR_INPUT;
  }
  count_attributes(&s);
  if (s.status != HYS_OK)
    return s.status;
  s.parser = xmlCreateMemoryParserCtxt(s.bytes, (int)s.length);
  if (s.parser == NULL)
    return HYS_ERR_MEMORY;
  memset(&calls, 0, sizeof calls);
  calls.initialized = XML_SAX2_MAGIC;
  calls.startElementNs = on_start;
  calls.endElementNs = on_end;
  calls.characters = on_characters;
  calls.ignorableWhitespace = on_characters;
  calls.cdataBlock = on_characters;
  calls.internalSubset = on_dtd;
  calls.serror = on_error;
  if (s.parser->sax != NULL)
    *s.parser->sax = calls;
  s.parser->userData = &s;
  /* IGNORE_ENC: the bytes are UTF-8 by now, whatever the declaration says. */
  xmlCtxtUseOptions(s.parser, XML_PARSE_NONET | XML_PARSE_IGNORE_ENC);
  *s.parser->sax = calls;
  const int failed = xmlParseDocument(s.parser);
  if (s.status == HYS_OK && (failed != 0 || s.parser->wellFormed == 0 || s.root == NULL || s.depth != 0)) {
    move_to(&s, parser_offset(&s));
    refuse(&s, HYS_ERR_INPUT, "not well-formed XML");
  }
  if (s.parser->myDoc != NULL)
    xmlFreeDoc(s.parser->myDoc);
  s.parser->myDoc = NULL;
  xmlFreeParserCtxt(s.parser);
  if (s.status == HYS_OK)
    *root = s.root;
  return s.status;
}

hys_status hysi_xml_read(const hysi_xml_element **root, const char *path, hys_arena *arena,
                         hys_diagnostics *diagnostics) {
  char *bytes = NULL;
  size_t length = 0;
  hys_status status;

  *root = NULL;
  status = hysi_file_read(&bytes, &length, path, HYS_XML_MAX_BYTES, arena, diagnostics);
  return status != HYS_OK ? status : hysi_xml_read_memory(root, bytes, length, path, arena, diagnostics);
}

void hysi_xml_place(const hysi_xml_text *text, size_t offset, uint32_t *line, uint32_t *column) {
  size_t low = 0, high = text->n_pieces; /* the piece is in [low, high) */

  *line = *column = 0;
  if (text->n_pieces == 0)
    return;
  if (offset > text->length)
    offset = text->length;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (text->piece[middle].offset <= offset)
      low = middle;
    else
      high = middle;
  }
  const hysi_xml_piece *piece = &text->piece[low];
  *line = piece->line;
  *column = piece->column;
  for (size_t i = piece->offset; i < offset; i++) {
    if (((unsigned char)text->bytes[i] & 0xC0) != 0x80)
      (*column)++;
  }
}

const char *hysi_xml_attribute_value(const hysi_xml_element *element, const char *name) {
  for (size_t i = 0; i < element->n_attributes; i++) {
    if (element->attribute[i].space == NULL && strcmp(element->attribute[i].name, name) == 0)
      return element->attribute[i].value;
  }
  return NULL;
}
