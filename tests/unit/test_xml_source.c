#include "models/xml_source.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hys_arena *arena;
static hys_diagnostics said;

static const hysi_xml_element *read_text(const char *bytes, size_t length, hys_status want) {
  const hysi_xml_element *root = NULL;
  hys_arena_destroy(arena);
  arena = hys_arena_create(NULL);
  hys_diagnostics_init(&said, arena);
  const hys_status got = hysi_xml_read_memory(&root, bytes, length, "memory", arena, &said);
  CHECK_INT(got, want);
  CHECK((root != NULL) == (want == HYS_OK));
  CHECK_INT(said.errors, want == HYS_OK ? 0 : 1);
  return root;
}

static void places_of_elements(void) {
  static const char text[] = "<?xml version=\"1.0\"?>\n"
                             "<!-- \xC3\xA9 < --> <root xmlns=\"urn:x\"\n"
                             "   a = '1>2' b:c=\"&lt;\"  xmlns:b='urn:b'>\n"
                             "  <!-- <no/> --><one/><two\n >\xC3\xA9<three></three >  </two>\r\n"
                             "\t<four x=\"1\"   />\n"
                             "</root>\n<!-- end -->\n";
  const hysi_xml_element *root = read_text(text, sizeof text - 1, HYS_OK);
  if (root == NULL)
    return;
  CHECK_STR(root->name, "root");
  CHECK_STR(root->space, "urn:x");
  CHECK_INT(root->line, 2);
  CHECK_INT(root->column, 14);
  CHECK_INT(root->n_attributes, 2);
  CHECK_STR(hysi_xml_attribute_value(root, "a"), "1>2");
  CHECK_INT(root->attribute[0].line, 3);
  CHECK_INT(root->attribute[0].column, 9);
  CHECK_INT(root->attribute[0].name_column, 4);
  CHECK_INT(root->attribute[1].column, 19);
  CHECK_INT(root->attribute[1].name_column, 14);
  CHECK(hysi_xml_attribute_value(root, "c") == NULL);
  CHECK_STR(root->attribute[1].name, "c");
  CHECK_STR(root->attribute[1].space, "urn:b");
  CHECK_STR(root->attribute[1].value, "<");
  CHECK_INT(root->text.length, 0);
  const hysi_xml_element *one = root->first, *two = one->next, *three = two->first, *four = two->next;
  CHECK_STR(one->name, "one");
  CHECK_INT(one->line, 4);
  CHECK_INT(one->column, 17);
  CHECK_INT(two->line, 4);
  CHECK_INT(two->column, 23);
  CHECK_STR(two->text.bytes, "\xC3\xA9");
  CHECK(two->parent == root);
  CHECK_STR(three->name, "three");
  CHECK_INT(three->line, 5);
  CHECK_INT(three->column, 4);
  CHECK(three->next == NULL);
  CHECK_STR(four->name, "four");
  CHECK_INT(four->line, 6);
  CHECK_INT(four->column, 2);
  CHECK(four->next == NULL);
}

static void places_of_text(void) {
  static const char text[] =
      "<r><a>x &lt;= \xC3\xA9&#x20AC;\n  y &amp;<!-- c\n --> z<b/>tail<![CDATA[ <q> ]]>.\r\nlast</a></r>";
  static const char want[] = "x <= \xC3\xA9\xE2\x82\xAC\n  y & ztail <q> .\nlast";
  static const struct {
    const char *at;
    uint32_t line, column;
  } places[] = {{"x ", 1, 7},  {"<=", 1, 9},   {"= ", 1, 13}, {"\xC3\xA9", 1, 15}, {"\xE2\x82\xAC", 1, 16},
                {"y", 2, 3},   {"& z", 2, 5},  {" z", 3, 5},  {"ztail", 3, 6},     {"tail", 3, 11},
                {"il", 3, 13}, {"<q>", 3, 25}, {".", 3, 32},  {"last", 4, 1},      {"", 4, 5}};
  const hysi_xml_element *root = read_text(text, sizeof text - 1, HYS_OK);
  if (root == NULL)
    return;
  const hysi_xml_text *t = &root->first->text;
  CHECK_STR(t->bytes, want);
  CHECK_INT(t->length, sizeof want - 1);
  for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
    uint32_t line = 0, column = 0;
    const char *at = places[i].at[0] != '\0' ? strstr(t->bytes, places[i].at) : t->bytes + t->length;
    check_label("\"%s\"", places[i].at);
    if (!CHECK(at != NULL))
      continue;
    hysi_xml_place(t, (size_t)(at - t->bytes), &line, &column);
    CHECK_INT(line, places[i].line);
    CHECK_INT(column, places[i].column);
  }
}

/* Longer than the parser's buffers, so that text comes in many pieces and the buffer has been moved. */
static void long_text(void) {
  enum { TERMS = 60000 };
  char *text = malloc(64 + (size_t)TERMS * 16);
  size_t n = 0;
  if (!CHECK(text != NULL))
    return;
  n += (size_t)sprintf(text, "<r>\n<f>");
  for (int i = 0; i < TERMS; i++)
    n += (size_t)sprintf(text + n, "%c&lt;\xC3\xA9%05d%s", 'a' + i % 26, i, i % 10 == 9 ? "\n" : " ");
  n += (size_t)sprintf(text + n, "</f><g/></r>");
  const hysi_xml_element *root = read_text(text, n, HYS_OK);
  if (root != NULL) {
    const hysi_xml_text *t = &root->first->text;
    CHECK_INT(t->length, (size_t)TERMS * 10);
    uint32_t line = 0, column = 0;
    bool right = true;
    for (size_t i = 0; i < TERMS; i++) {
      /* 12 characters a term in the file; the first line begins behind <f> */
      hysi_xml_place(t, 10 * i + 4, &line, &column);
      right = right && line == 2 + i / 10 && column == (i < 10 ? 4 : 1) + 12 * (i % 10) + 6;
    }
    CHECK(right);
    CHECK_INT(root->first->next->line, 2 + TERMS / 10);
    CHECK_INT(root->first->next->column, 5);
  }
  free(text);
}

static void encodings(void) {
  const hysi_xml_element *root = read_text("\xEF\xBB\xBF<r>\xC3\xA9</r>", 12, HYS_OK);
  if (root != NULL) {
    CHECK_STR(root->text.bytes, "\xC3\xA9");
    CHECK_INT(root->column, 1);
  }
  static const char latin[] = "<?xml version='1.0' encoding='iso-8859-1'?><r n='\xE9'>\xE9\xFC<s/></r>";
  root = read_text(latin, sizeof latin - 1, HYS_OK);
  if (root != NULL) {
    CHECK_STR(root->text.bytes, "\xC3\xA9\xC3\xBC");
    CHECK_STR(hysi_xml_attribute_value(root, "n"), "\xC3\xA9");
    CHECK_INT(root->first->column, 55);
  }
}

static void refused(void) {
  static const struct {
    const char *text;
    uint32_t line, column;
    const char *says;
  } rows[] = {
      {"", 1, 1, "empty"},
      {"<r>\n <s></r>", 2, 9, "mismatch"},
      {"<r>\n <s a='1' a='2'/></r>", 2, 16, "redefined"},
      {"<?xml version='1.0'?>\n<!DOCTYPE r [<!ENTITY e 'x'>]><r>&e;</r>", 2, 1, "document type"},
      {"<!DOCTYPE r SYSTEM 'http://example.org/r.dtd'><r/>", 1, 1, "document type"},
      {"<r>&nbsp;</r>", 1, 10, "nbsp"},
      {"<r>\xFF</r>", 1, 4, "UTF-8"},
      {"<p:r/>", 1, 5, "amespace"},
      {"<r/><r/>", 1, 5, "Extra content"},
      {"\xFE\xFF", 1, 1, "empty"},
      {"<?xml version='1.0' encoding='utf-7'?><r/>", 1, 31, "utf-7"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    check_label("%s", rows[i].text);
    read_text(rows[i].text, strlen(rows[i].text), HYS_ERR_INPUT);
    if (said.n == 1) {
      CHECK_INT(said.item[0].line, rows[i].line);
      CHECK_INT(said.item[0].column, rows[i].column);
      if (!CHECK(strstr(said.item[0].text, rows[i].says) != NULL))
        CHECK_STR(said.item[0].text, rows[i].says);
    }
  }
}

/* Every beginning of a file, in memory that ends where it does: nothing is read behind it (the sanitizers
 * see). */
static void cut_short(void) {
  static const char text[] = "<a b='c'><d e=\"&lt;\">f &amp; g</d><!-- h --><i/></a>";
  for (size_t n = 0; n + 1 < sizeof text; n++) {
    char *piece = malloc(n > 0 ? n : 1);
    check_label("%zu bytes", n);
    if (!CHECK(piece != NULL))
      return;
    memcpy(piece, text, n);
    read_text(piece, n, HYS_ERR_INPUT);
    free(piece);
  }
}

static void limits(void) {
  char text[HYS_XML_MAX_DEPTH * 8 + 64] = "";
  for (int depth = HYS_XML_MAX_DEPTH; depth <= HYS_XML_MAX_DEPTH + 1; depth++) {
    size_t n = 0;
    check_label("depth %d", depth);
    for (int i = 0; i < depth; i++)
      n += (size_t)sprintf(text + n, "<a>");
    for (int i = 0; i < depth; i++)
      n += (size_t)sprintf(text + n, "</a>");
    read_text(text, n, depth > HYS_XML_MAX_DEPTH ? HYS_ERR_LIMIT : HYS_OK);
    if (depth > HYS_XML_MAX_DEPTH && said.n == 1)
      CHECK(strstr(said.item[0].text, "HYS_XML_MAX_DEPTH") != NULL);
  }
  char name[HYS_XML_MAX_NAME + 16];
  memset(name, 'n', sizeof name);
  memcpy(name, "<", 1);
  memcpy(name + HYS_XML_MAX_NAME + 2, "/>", 2);
  read_text(name, HYS_XML_MAX_NAME + 4, HYS_ERR_LIMIT);
}

static void no_file(void) {
  const hysi_xml_element *root = NULL;
  hys_arena_destroy(arena);
  arena = hys_arena_create(NULL);
  hys_diagnostics_init(&said, arena);
  CHECK_INT(hysi_xml_read(&root, "/nowhere/at/all.xml", arena, &said), HYS_ERR_OPEN);
  CHECK_INT(said.errors, 1);
  hys_arena_destroy(arena);
  arena = NULL;
}

CHECK_MAIN("xml_source", {"places of elements", places_of_elements}, {"places of text", places_of_text},
           {"long text", long_text}, {"encodings", encodings}, {"refused", refused}, {"cut short", cut_short},
           {"limits", limits}, {"no file", no_file})
