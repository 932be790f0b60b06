/* XML from strangers, with places: a file is read by libxml2's SAX2 interface into a small tree in which
 * every element and every character of text knows its line and column.
 *
 * Hardened: no DTD, no entities but the five predefined ones and character references, no network, no
 * recovery, libxml2's own limits in force, and the limits below.  Encodings: UTF-8, US-ASCII, ISO-8859-1,
 * UTF-16 (all the tree is UTF-8).  Nothing here recurses; time and memory are linear in the size of the file.
 *
 * Columns count characters from 1.  The place of an element is its '<', that of an attribute the first
 * character of its value.
 *
 * Private to models.  Setup only. */
#ifndef HYSHIELD_MODELS_XML_SOURCE_H
#define HYSHIELD_MODELS_XML_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/allocator.h"
#include "core/diagnostics.h"
#include "core/rt/status.h"

/* What a file may have at most.  The message that refuses one names the limit. */
enum {
  HYS_XML_MAX_BYTES = 64 * 1024 * 1024,
  HYS_XML_MAX_DEPTH = 64,
  HYS_XML_MAX_NAME = 256,
  HYS_XML_MAX_ATTRIBUTES = 64, /* of an element, those that declare name spaces included */
  HYS_XML_MAX_VALUE = 65536,   /* bytes of an attribute */
  HYS_XML_MAX_ELEMENTS = 1000000
};

/* A run of text that stands in one line of the file without a reference in it. */
typedef struct hysi_xml_piece {
  size_t offset; /* of its first byte in the text */
  uint32_t line, column;
} hysi_xml_piece;

/* The text directly inside an element, references resolved, comments left out.  bytes is never NULL and ends
 * with a zero byte that length does not count.  Text that is all blank between child elements is left out. */
typedef struct hysi_xml_text {
  const char *bytes;
  size_t length;
  const hysi_xml_piece *piece; /* ordered by offset; none if there is no text */
  size_t n_pieces;
} hysi_xml_text;

typedef struct hysi_xml_attribute {
  const char *name;  /* without prefix */
  const char *space; /* URI of its prefix, NULL without one */
  const char *value;
  uint32_t line, column;           /* of the value, behind its quote */
  uint32_t name_line, name_column; /* of the name, with its prefix */
} hysi_xml_attribute;

typedef struct hysi_xml_element hysi_xml_element;
struct hysi_xml_element {
  const char *name;      /* without prefix */
  const char *space;     /* URI of its namespace, NULL = none */
  uint32_t line, column; /* of its '<' */
  const hysi_xml_attribute *attribute;
  size_t n_attributes;
  hysi_xml_text text;
  const hysi_xml_element *parent;       /* NULL: the root */
  const hysi_xml_element *first, *next; /* first child, next sibling; in the order of the file */
};

/* Reads a file.  The tree lives in the arena.  HYS_ERR_OPEN (a diagnostic tells why), HYS_ERR_INPUT (not
 * well-formed, or refused: the diagnostic has the place), HYS_ERR_LIMIT, HYS_ERR_MEMORY.  *root is NULL
 * unless HYS_OK. */
hys_status hysi_xml_read(const hysi_xml_element **root, const char *path, hys_arena *arena,
                         hys_diagnostics *diagnostics);
/* The same from memory; `file` is the name for diagnostics.  The bytes are not kept. */
hys_status hysi_xml_read_memory(const hysi_xml_element **root, const char *bytes, size_t length,
                                const char *file, hys_arena *arena, hys_diagnostics *diagnostics);

/* Where byte `offset` of the text stands in the file; offset == length: behind the last character.  O(log n).
 */
void hysi_xml_place(const hysi_xml_text *text, size_t offset, uint32_t *line, uint32_t *column);

/* The value of an attribute without prefix, NULL if it is not there. */
const char *hysi_xml_attribute_value(const hysi_xml_element *element, const char *name);

#endif
