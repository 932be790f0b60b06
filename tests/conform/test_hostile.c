/* Files made to hurt a reader: each is read, or refused with a reason, in bounded memory and in time that
 * grows as the file does.  The address space of this program is limited; work is counted in bytes taken from
 * the arena, for n and 2n (what grows with the square would also not end in the time a test has). */
#include "core/allocator.h"
#include "core/diagnostics.h"
#include "models/model.h"
#include "models/xml_source.h"
#include "tests/support/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#if defined(__SANITIZE_ADDRESS__)
#define SHADOWED 1 /* the sanitizer takes address space of its own */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SHADOWED 1
#endif
#endif

/* Sanitizers are slow: the same tests on less, too little for the growth of the work to show. */
#ifdef SHADOWED
enum { SHARE = 20 };
#else
enum { SHARE = 1 };
#endif

/* ---- a text that grows ---- */

typedef struct text {
  char *bytes;
  size_t n, capacity;
} text;

static void put(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(text *t, const char *format, ...) {
  va_list args;
  int n;
  if (t->capacity - t->n < 256) {
    t->capacity = 2 * t->capacity + 4096;
    char *moved = realloc(t->bytes, t->capacity);
    if (!CHECK(moved != NULL))
      return;
    t->bytes = moved;
  }
  va_start(args, format);
  n = vsnprintf(t->bytes + t->n, t->capacity - t->n, format, args);
  va_end(args);
  if (CHECK(n >= 0 && (size_t)n < t->capacity - t->n))
    t->n += (size_t)n;
}

static void repeat(text *t, const char *what, size_t times) {
  const size_t n = strlen(what);
  char *moved = realloc(t->bytes, t->n + n * times + 4096);
  if (!CHECK(moved != NULL))
    return;
  t->bytes = moved;
  t->capacity = t->n + n * times + 4096;
  for (size_t i = 0; i < times; i++, t->n += n)
    memcpy(t->bytes + t->n, what, n);
  t->bytes[t->n] = '\0';
}

#define HEAD                                                                                                 \
  "<sspaceex>\n<component id=\"c\"><param name=\"x\" type=\"real\"/>\n<location id=\"1\" name=\"on\">\n"
#define TAIL "</location></component></sspaceex>"

/* ---- reading, counted ---- */

typedef struct counted {
  size_t bytes; /* all that was asked for */
} counted;

static void *count_allocate(void *context, size_t size) {
  ((counted *)context)->bytes += size;
  return malloc(size);
}
static void count_release(void *context, void *memory) {
  (void)context;
  free(memory);
}

typedef struct outcome {
  hys_status status;
  size_t bytes;
  uint32_t errors;
  uint64_t locations;
  hys_status flat;
  char said[400], flat_said[400]; /* first error */
} outcome;

static void first_error(char *out, size_t size, const hys_diagnostics *said, uint32_t from) {
  out[0] = '\0';
  for (uint32_t i = from; i < said->n && out[0] == '\0'; i++) {
    if (said->item[i].severity == HYS_ERROR)
      snprintf(out, size, "%s", said->item[i].text);
  }
}

static outcome read_text(const text *t, const char *cfg, size_t cfg_size, bool flatten) {
  counted work = {0};
  const hys_allocator allocator = {count_allocate, count_release, &work};
  hys_arena *arena = hys_arena_create(&allocator);
  const hys_model *model = NULL;
  const hys_automaton *automaton = NULL;
  hys_diagnostics said;
  outcome o = {0};

  hys_diagnostics_init(&said, arena);
  o.status =
      hys_model_read_memory(&model, t->bytes, t->n, "m.xml", cfg, cfg_size, "m.cfg", NULL, arena, &said);
  o.errors = said.errors;
  o.locations = model != NULL ? hys_model_location_count(model) : 0;
  first_error(o.said, sizeof o.said, &said, 0);
  if (flatten && o.status == HYS_OK) {
    const uint32_t before = said.n;
    o.flat = hys_model_automaton(model, arena, &said, &automaton);
    first_error(o.flat_said, sizeof o.flat_said, &said, before);
  }
  o.bytes = work.bytes;
  hys_arena_destroy(arena);
  return o;
}

/* ---- refused ---- */

/* The middle of a text, n times over. */
typedef void maker(text *t, size_t n);

static void doctype(text *t, size_t n) {
  put(t, "<!DOCTYPE s [<!ENTITY a0 \"lol\">");
  for (size_t i = 1; i <= n; i++)
    put(t, "<!ENTITY a%zu \"&a%zu;&a%zu;&a%zu;&a%zu;\">", i, i - 1, i - 1, i - 1, i - 1);
  put(t, "]>" HEAD "<flow>&a%zu;</flow>" TAIL, n);
}
static void one_large_entity(text *t, size_t n) {
  put(t, "<!DOCTYPE s [<!ENTITY a \"");
  repeat(t, "1 + 1 + 1 + ", n);
  put(t, "\">]>" HEAD "<flow>x' == ");
  repeat(t, "&a;", n);
  put(t, "1</flow>" TAIL);
}
static void external(text *t, size_t n) {
  (void)n;
  put(t, "<!DOCTYPE s [<!ENTITY a SYSTEM \"file:///dev/zero\">]>" HEAD "<flow>&a;</flow>" TAIL);
}
static void parameter_entity(text *t, size_t n) {
  (void)n;
  put(t, "<!DOCTYPE s [<!ENTITY %% a SYSTEM \"http://example.org/a\"> %%a;]>" HEAD "<flow/>" TAIL);
}
static void elements(text *t, size_t n) {
  put(t, HEAD);
  repeat(t, "<a>", n);
  repeat(t, "</a>", n);
  put(t, TAIL);
}
static void open_elements(text *t, size_t n) {
  repeat(t, "<a>", n);
}
static void attributes(text *t, size_t n) {
  put(t, "<sspaceex");
  for (size_t i = 0; i < n; i++)
    put(t, " a%zu=''", i);
  put(t, "/>");
}
static void name_spaces(text *t, size_t n) {
  put(t, "<sspaceex");
  for (size_t i = 0; i < n; i++)
    put(t, " xmlns:a%zu='u'", i);
  put(t, "/>");
}
static void flow_with(text *t, const char *before, const char *what, size_t n, const char *middle,
                      const char *end) {
  put(t, HEAD "<flow>x' == %s", before);
  repeat(t, what, n);
  put(t, "%s", middle);
  repeat(t, end, n);
  put(t, "</flow>" TAIL);
}
static void parentheses(text *t, size_t n) {
  flow_with(t, "", "(", n, "1", ")");
}
static void open_parentheses(text *t, size_t n) {
  flow_with(t, "", "(", n, "", "");
}
static void minuses(text *t, size_t n) {
  flow_with(t, "", "-", n, "1", "");
}
static void powers(text *t, size_t n) {
  flow_with(t, "", "1^", n, "1", "");
}
static void calls(text *t, size_t n) {
  flow_with(t, "", "sin(", n, "1", ")");
}
static void brackets(text *t, size_t n) {
  flow_with(t, "", "[", n, "1", "]");
}
static void long_list(text *t, size_t n) {
  flow_with(t, "lut(x, [", "1,", n, "1], [0, 1])", "");
}
static void overflow(text *t, size_t n) {
  flow_with(t, "1", "0", n, "", "");
}
static void exponent(text *t, size_t n) {
  flow_with(t, "1e", "9", n, "", "");
}
static void exclamations(text *t, size_t n) {
  put(t, HEAD "<invariant>");
  repeat(t, "!", n);
  put(t, "(x >= 1)</invariant>" TAIL);
}
static void negations(text *t, size_t n) {
  put(t, HEAD "<invariant>");
  repeat(t, "!(", n);
  put(t, "x >= 1");
  repeat(t, ")", n);
  put(t, "</invariant>" TAIL);
}
static void formula_of(text *t, size_t n) {
  put(t, HEAD "<invariant>x >= 1");
  repeat(t, "          ", n);
  put(t, "</invariant>" TAIL);
}
static void long_id(text *t, size_t n) {
  put(t, "<sspaceex><component id=\"");
  repeat(t, "cccccccccc", n);
  put(t, "\"/></sspaceex>");
}
static void long_element(text *t, size_t n) {
  put(t, HEAD "<");
  repeat(t, "cccccccccc", n);
  put(t, "/>" TAIL);
}
static void in_a_ring(text *t, size_t n) {
  put(t, "<sspaceex>");
  for (size_t i = 0; i < n; i++)
    put(t, "<component id=\"c%zu\"><bind component=\"c%zu\" as=\"a\"/></component>", i, (i + 1) % n);
  put(t, "</sspaceex>");
}
/* Components that each hold two of the next: 2^n of the last. */
static void doubling(text *t, size_t n) {
  put(t, "<sspaceex>");
  for (size_t i = 0; i < n; i++)
    put(t,
        "<component id=\"c%zu\"><bind component=\"c%zu\" as=\"a\"/><bind component=\"c%zu\" "
        "as=\"b\"/></component>",
        i, i + 1, i + 1);
  put(t, "<component id=\"c%zu\"><location id=\"1\" name=\"on\"/></component></sspaceex>", n);
}
static void in_a_row(text *t, size_t n) {
  put(t, "<sspaceex>");
  for (size_t i = 0; i < n; i++)
    put(t, "<component id=\"c%zu\"><bind component=\"c%zu\" as=\"a\"/></component>", i, i + 1);
  put(t, "<component id=\"c%zu\"><location id=\"1\" name=\"on\"/></component></sspaceex>", n);
}
/* n instances of a component with n parameters that nobody maps. */
static void unmapped(text *t, size_t n) {
  put(t, "<sspaceex><component id=\"c\">");
  for (size_t i = 0; i < n; i++)
    put(t, "<param name=\"p%zu\" type=\"real\"/>", i);
  put(t, "<location id=\"1\" name=\"on\"/></component><component id=\"n\">");
  for (size_t i = 0; i < n; i++)
    put(t, "<bind component=\"c\" as=\"a%zu\"/>", i);
  put(t, "</component></sspaceex>");
}
/* n instances of a component with n transitions. */
static void many_parts(text *t, size_t n) {
  put(t, "<sspaceex><component id=\"c\"><location id=\"1\" name=\"on\"/>");
  repeat(t, "<transition source=\"1\" target=\"1\"/>", n);
  put(t, "</component><component id=\"n\">");
  for (size_t i = 0; i < n; i++)
    put(t, "<bind component=\"c\" as=\"a%zu\"/>", i);
  put(t, "</component></sspaceex>");
}
static void wrong_keys(text *t, size_t n) {
  put(t, "<sspaceex><component id=\"c\">");
  for (size_t i = 0; i < n; i++)
    put(t, "<param name=\"p%zu\" type=\"real\"/>", i);
  put(t, "<location id=\"1\" name=\"on\"/></component><component id=\"n\"><bind component=\"c\" as=\"a\">");
  for (size_t i = 0; i < n; i++)
    put(t, "<map key=\"q%zu\">1</map>", i);
  put(t, "</bind></component></sspaceex>");
}
static void one_key(text *t, size_t n) {
  put(t, "<sspaceex><component id=\"c\"><param name=\"x\" type=\"real\"/><location id=\"1\" "
         "name=\"on\"/></component>"
         "<component id=\"n\"><bind component=\"c\" as=\"a\">");
  repeat(t, "<map key=\"x\">1</map>", n);
  put(t, "</bind></component></sspaceex>");
}
static void unknown_components(text *t, size_t n) {
  put(t, "<sspaceex>");
  for (size_t i = 0; i < n; i++)
    put(t, "<component id=\"c%zu\"><bind component=\"d%zu\" as=\"a\"/></component>", i, i);
  put(t, "</sspaceex>");
}
static void unknown_names(text *t, size_t n) {
  put(t, "<sspaceex><component id=\"c\">");
  for (size_t i = 0; i < n; i++)
    put(t, "<param name=\"p%zu\" type=\"real\"/>", i);
  put(t, "<location id=\"1\" name=\"on\"><flow>p0' == 0");
  for (size_t i = 0; i < n; i++)
    put(t, " + q%zu", i);
  put(t, "</flow></location></component></sspaceex>");
}

#define NO_DTD "a document type definition is not allowed"
#define DEEP "more than 1000 operators and parentheses are open here (HYS_MAX_EXPR_DEPTH)"
#define LARGE "the number is too large (the largest is about 1.797e308)"

static const struct refused_row {
  const char *label;
  maker *make;
  size_t n;
  size_t bytes; /* of the arena, at most; 0: a small multiple of the file */
  const char *says;
} refused_rows[] = {
    {"a bomb of entities", doctype, 30, 0, NO_DTD},
    {"a large entity, often", one_large_entity, 100000, 0, NO_DTD},
    {"an external entity", external, 1, 0, NO_DTD},
    {"a parameter entity", parameter_entity, 1, 0, NO_DTD},
    {"deep elements", elements, 1000000, 0, "elements are nested more than 64 deep (HYS_XML_MAX_DEPTH)"},
    {"deep open elements", open_elements, 1000000, 0,
     "elements are nested more than 64 deep (HYS_XML_MAX_DEPTH)"},
    {"attributes", attributes, 1000000, 0, "more than 64 attributes (HYS_XML_MAX_ATTRIBUTES)"},
    {"name spaces", name_spaces, 1000000, 0, "more than 64 attributes (HYS_XML_MAX_ATTRIBUTES)"},
    {"parentheses", parentheses, 200000, 0, DEEP},
    {"open parentheses", open_parentheses, 200000, 0, DEEP},
    {"minuses", minuses, 200000, 0, DEEP},
    {"powers", powers, 200000, 0, DEEP},
    {"calls", calls, 200000, 0, DEEP},
    {"brackets", brackets, 200000, 0, DEEP},
    {"exclamation marks", exclamations, 200000, 0, DEEP},
    {"negations", negations, 200000, 0, DEEP},
    {"a long list", long_list, 200000, (size_t)200 << 20, "more than 65536 entries (HYS_MAX_LUT_ENTRIES)"},
    {"a number of a million digits", overflow, 1000000, 0, LARGE},
    {"an exponent of a million digits", exponent, 1000000, 0, LARGE},
    {"a long formula", formula_of, 1000000, 0,
     "this formula is longer than 8388608 bytes (HYS_MAX_EXPR_BYTES)"},
    {"a name of a megabyte", long_id, 100000, 0, "an attribute longer than 65536 bytes (HYS_XML_MAX_VALUE)"},
    {"a name of a kilobyte", long_id, 100, 0, "a name longer than 256 bytes (HYS_XML_MAX_NAME)"},
    {"an element's name of 40 kilobytes", long_element, 4000, 0,
     "a name longer than 256 bytes (HYS_XML_MAX_NAME)"},
    {"an element's name of 40 megabytes", long_element, 4000000, 0,
     "not well-formed XML: Name too long: NCName"},
    {"a file of 100 megabytes", long_element, 10000000, 0,
     "the file is larger than 67108864 bytes (HYS_XML_MAX_BYTES)"},
    {"a ring of two", in_a_ring, 2, 0, "component `c0' would contain itself; the instance is left out"},
    {"a ring of many", in_a_ring, 50000, 0, "component `c0' would contain itself; the instance is left out"},
    {"doubling, 20 levels", doubling, 20, (size_t)100 << 20,
     "more than 100000 instances (HYS_MAX_INSTANCES)"},
    {"doubling, 40 levels", doubling, 40, (size_t)100 << 20,
     "more than 100000 instances (HYS_MAX_INSTANCES)"},
    {"a long row", in_a_row, 50000, (size_t)400 << 20,
     "the flattened names have more than 268435456 bytes (HYS_MAX_NAME_BYTES)"},
    {"parameters times instances", unmapped, 5000, 0, "`p0' of component `c' is not mapped"},
    {"transitions times instances", many_parts, 5000, 0,
     "more than 16777216 parameters, locations and transitions of instances (HYS_MAX_PARTS)"},
    {"wrong keys", wrong_keys, 10000, 0, "`q0' is not a parameter of component `c'"},
    {"one key, often", one_key, 100000, 0, "`x' is mapped twice in one bind"},
    {"unknown components", unknown_components, 20000, 0,
     "component `d0' is not in the file; the instance is left out; did you mean `c0'?"},
    {"unknown names", unknown_names, 20000, 0, "`q0' is not declared in component `c'; did you mean `p0'?"},
};

static void refused(void) {
  for (size_t i = 0; i < sizeof refused_rows / sizeof refused_rows[0]; i++) {
    const struct refused_row *r = &refused_rows[i];
    text t = {0};
    check_label("%s", r->label);
    r->make(&t, r->n);
    const outcome o = read_text(&t, NULL, 0, false);
    CHECK(o.status == HYS_ERR_INPUT || o.status == HYS_ERR_LIMIT);
    CHECK_STR(o.said, r->says);
    CHECK(o.errors > 0);
    if (!CHECK(o.bytes <= (r->bytes > 0 ? r->bytes : 40 * t.n + (4 << 20))))
      printf("  %zu bytes of memory for %zu\n", o.bytes, t.n);
    free(t.bytes);
  }
}

/* ---- read, in linear work ---- */

static void conjuncts(text *t, size_t n) {
  put(t, HEAD "<invariant>x >= 0");
  for (size_t i = 1; i < n; i++)
    put(t, " &amp; x >= -%zu", i);
  put(t, "</invariant><flow>x' == 1</flow>" TAIL);
}
static void chain(text *t, size_t n) {
  put(t, HEAD "<invariant>-1 &lt;= x");
  repeat(t, " &lt;= x", n);
  put(t, "</invariant><flow>x' == 1</flow>" TAIL);
}
static void long_sum(text *t, size_t n) {
  flow_with(t, "0", " + 1", n, "", "");
}
static void disjuncts(text *t, size_t n) {
  put(t, HEAD "<invariant>x >= 0");
  for (size_t i = 1; i < n; i++)
    put(t, " | x >= %zu", i);
  put(t, "</invariant><flow>x' == 1</flow>" TAIL);
}
static void many_flows(text *t, size_t n) {
  put(t, "<sspaceex><component id=\"c\">");
  for (size_t i = 0; i < n; i++)
    put(t, "<param name=\"p%zu\" type=\"real\"/>", i);
  put(t, "<location id=\"1\" name=\"on\"><flow>p0' == 1");
  for (size_t i = 1; i < n; i++)
    put(t, " &amp; p%zu' == p%zu", i, i - 1);
  put(t, "</flow></location></component></sspaceex>");
}
static void many_locations(text *t, size_t n) {
  put(t,
      "<sspaceex><component id=\"c\"><param name=\"x\" type=\"real\"/><param name=\"go\" type=\"label\"/>");
  for (size_t i = 0; i < n; i++)
    put(t, "<location id=\"%zu\" name=\"l%zu\"><flow>x' == %zu</flow></location>", i, i, i);
  for (size_t i = 0; i < n; i++)
    put(t, "<transition source=\"%zu\" target=\"%zu\"><label>go</label></transition>", i, (i + 1) % n);
  put(t, "</component></sspaceex>");
}
static void many_instances(text *t, size_t n) {
  put(t, "<sspaceex><component id=\"c\"><param name=\"x\" type=\"real\" local=\"true\"/><param name=\"go\" "
         "type=\"label\"/>"
         "<location id=\"1\" name=\"on\"><flow>x' == 1</flow></location>"
         "<transition source=\"1\" target=\"1\"><label>go</label></transition></component>"
         "<component id=\"n\"><param name=\"go\" type=\"label\"/>");
  for (size_t i = 0; i < n; i++)
    put(t, "<bind component=\"c\" as=\"a%zu\"><map key=\"go\">go</map></bind>", i);
  put(t, "</component></sspaceex>");
}
static void many_maps(text *t, size_t n) {
  put(t, "<sspaceex><component id=\"c\">");
  for (size_t i = 0; i < n; i++)
    put(t, "<param name=\"p%zu\" type=\"real\"/>", i);
  put(t, "<location id=\"1\" name=\"on\"><invariant>0 &lt;= 0");
  for (size_t i = 0; i < n; i++)
    put(t, "+p%zu", i);
  put(t, "</invariant></location></component><component id=\"n\"><bind component=\"c\" as=\"a\">");
  for (size_t i = 0; i < n; i++)
    put(t, "<map key=\"p%zu\">1</map>", i);
  put(t, "</bind></component></sspaceex>");
}
static void many_components(text *t, size_t n) {
  put(t, "<sspaceex>");
  for (size_t i = 0; i < n; i++)
    put(t, "<component id=\"c%zu\"><location id=\"1\" name=\"on\"/></component>", i);
  put(t, "</sspaceex>");
}
static void comments(text *t, size_t n) {
  put(t, HEAD "<flow>x' == 0");
  repeat(t, "<!-- c -->+<!----> 1", n);
  put(t, "</flow>" TAIL);
}
static void references(text *t, size_t n) {
  put(t, HEAD "<flow>x' == 0");
  repeat(t, "&#43;&#x31;", n);
  put(t, "</flow>" TAIL);
}
static void sections(text *t, size_t n) {
  put(t, HEAD "<flow>x' == 0");
  repeat(t, "<![CDATA[+1]]>", n);
  put(t, "</flow>" TAIL);
}
static void notes(text *t, size_t n) {
  put(t, HEAD "<flow>x' == 0</flow>");
  repeat(t, "<note>a note of some length</note>\n", n);
  put(t, TAIL);
}
static void one_note(text *t, size_t n) {
  put(t, HEAD "<flow>x' == 0</flow><note>");
  repeat(t, "a note of some length\n", n);
  put(t, "</note>" TAIL);
}
static void digits(text *t, size_t n) {
  flow_with(t, "0.", "7", n, "", "");
}

static void linear(void) {
  static const struct {
    const char *label;
    maker *make;
    size_t n;
    uint64_t locations;
  } rows[] = {
      {"conjuncts", conjuncts, 50000, 1},
      {"a chain", chain, 50000, 1},
      {"a sum", long_sum, 50000, 1},
      {"disjuncts", disjuncts, 50000, 1},
      {"flows", many_flows, 10000, 1},
      {"locations", many_locations, 20000, 0},
      {"instances", many_instances, 20000, 1},
      {"maps", many_maps, 10000, 1},
      {"components", many_components, 20000, 1},
      {"comments", comments, 50000, 1},
      {"references", references, 50000, 1},
      {"CDATA", sections, 50000, 1},
      {"notes", notes, 50000, 1},
      {"a long note", one_note, 300000, 1},
      {"digits", digits, 300000, 1},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const size_t n = rows[i].n / SHARE;
    outcome o[2];
    for (size_t k = 0; k < 2; k++) {
      text t = {0};
      check_label("%s, %zu", rows[i].label, n << k);
      rows[i].make(&t, n << k);
      o[k] = read_text(&t, NULL, 0, false);
      CHECK_INT(o[k].status, HYS_OK);
      CHECK_STR(o[k].said, "");
      CHECK_INT(o[k].locations, rows[i].locations > 0 ? rows[i].locations : n << k);
      free(t.bytes);
    }
    if (!CHECK(SHARE > 1 || (double)o[1].bytes <= 2.5 * (double)o[0].bytes))
      printf("  %zu bytes, then %zu\n", o[0].bytes, o[1].bytes);
  }
}

/* ---- configurations ---- */

static void cfg_conjuncts(text *t, size_t n) {
  put(t, "initially = \"x == 0");
  for (size_t i = 1; i < n; i++)
    put(t, " &\n x >= -%zu", i);
  put(t, "\"\n");
}
static void cfg_disjuncts(text *t, size_t n) {
  put(t, "forbidden = \"x > 1");
  for (size_t i = 1; i < n; i++)
    put(t, " | x == %zu", i);
  put(t, "\"\n");
}
/* (a | b) & (a | b) & ..: 2^n alternatives. */
static void cfg_products(text *t, size_t n) {
  put(t, "forbidden = \"(x > 1 | x < 0)");
  for (size_t i = 1; i < n; i++)
    put(t, " & (x > %zu | x < -%zu)", i, i);
  put(t, "\"\n");
}
static void cfg_unequal(text *t, size_t n) {
  put(t, "forbidden = \"x != 0");
  for (size_t i = 1; i < n; i++)
    put(t, " & x != %zu", i);
  put(t, "\"\n");
}
static void cfg_keys(text *t, size_t n) {
  for (size_t i = 0; i < n; i++)
    put(t, "key%zu = 5\n", i);
}
static void cfg_known_keys(text *t, size_t n) {
  repeat(t, "directions = oct\n", n);
}
static void cfg_comments(text *t, size_t n) {
  repeat(t, "# a comment = \"with things\" in it\n", n);
}
static void cfg_names(text *t, size_t n) {
  put(t, "initially = \"x == 0");
  for (size_t i = 0; i < n; i++)
    put(t, " & z%zu == 0", i);
  put(t, "\"\n");
}
static void cfg_places(text *t, size_t n) {
  put(t, "initially = \"x == 0");
  for (size_t i = 0; i < n; i++)
    put(t, " & loc(a%zu) == b", i);
  put(t, "\"\n");
}
static void cfg_quote(text *t, size_t n) {
  put(t, "initially = \"");
  repeat(t, "x == 0 & \n", n);
}
static void cfg_zeroes(text *t, size_t n) {
  for (size_t i = 0; i < n; i++) {
    put(t, " ");
    t->bytes[t->n - 1] = '\0';
  }
}

static void configurations(void) {
  static const struct {
    const char *label;
    maker *make;
    size_t n;
    const char *says, *flat_says;
  } rows[] = {
      {"conjuncts", cfg_conjuncts, 50000, "", ""},
      {"disjuncts", cfg_disjuncts, 50000, "", "this has more than 1024 alternatives (HYS_MAX_DISJUNCTS)"},
      {"disjuncts of conjuncts", cfg_products, 40, "",
       "this has more than 1024 alternatives (HYS_MAX_DISJUNCTS)"},
      {"not equal", cfg_unequal, 40, "", "this has more than 1024 alternatives (HYS_MAX_DISJUNCTS)"},
      {"unknown keys", cfg_keys, 50000, "", ""},
      {"keys without effect", cfg_known_keys, 50000, "", ""},
      {"comments", cfg_comments, 50000, "", ""},
      {"unknown names", cfg_names, 50000, "`z0' is not a variable of system `c'", ""},
      {"unknown instances", cfg_places, 50000, "`a0' is not an instance with locations of system `c'", ""},
      {"an open quote", cfg_quote, 500000, "this quote is not closed", ""},
      {"zero bytes", cfg_zeroes, 100000, "expected a line `key = value'", ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    text t = {0}, cfg[2] = {{0}, {0}};
    const size_t n = rows[i].n > 1000 ? rows[i].n / SHARE : rows[i].n;
    outcome o[2];
    put(&t, HEAD "<flow>x' == 1</flow>" TAIL);
    for (size_t k = 0; k < 2; k++) {
      check_label("%s, %zu", rows[i].label, n << k);
      rows[i].make(&cfg[k], n << k);
      o[k] = read_text(&t, cfg[k].bytes, cfg[k].n, true);
      CHECK_INT(o[k].status, rows[i].says[0] == '\0' ? HYS_OK : HYS_ERR_INPUT);
      CHECK_STR(o[k].said, rows[i].says);
      CHECK_STR(o[k].flat_said, rows[i].flat_says);
      CHECK_INT(o[k].flat, rows[i].flat_says[0] == '\0' ? HYS_OK : HYS_ERR_LIMIT);
    }
    if (!CHECK(SHARE > 1 || (double)o[1].bytes <= 2.5 * (double)o[0].bytes + 65536))
      printf("  %zu bytes, then %zu\n", o[0].bytes, o[1].bytes);
    free(t.bytes);
    free(cfg[0].bytes);
    free(cfg[1].bytes);
  }
}

int main(int argc, char **argv) {
  static const check_test tests[] = {{"refused with a reason", refused},
                                     {"read in linear work", linear},
                                     {"configurations", configurations}};
#ifndef SHADOWED
  const struct rlimit most = {(rlim_t)1536 << 20, (rlim_t)1536 << 20};
  if (setrlimit(RLIMIT_AS, &most) != 0)
    return 1;
#endif
  return check_main("hostile files", tests, sizeof tests / sizeof tests[0], argc, argv);
}
