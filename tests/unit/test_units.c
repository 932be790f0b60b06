#include "core/allocator.h"
#include "core/diagnostics.h"
#include "models/model.h"
#include "models/shield_file.h"
#include "models/units.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* d [m], v [m/s], a [m/s^2], h [s], p (none given), angle [deg], k [N/m], m [kg], g [m/s^2], q [km/h]; the
 * texts stand in lines 14 to 17. */
#define PARAM(name, unit)                                                                                    \
  "<param name=\"" name "\" type=\"real\" d1=\"1\" d2=\"1\" local=\"false\" dynamics=\"any\">" unit          \
  "</param>\n"
#define MODEL(invariant, flow, guard, assignment)                                                            \
  "<sspaceex version=\"0.2\" math=\"SpaceEx\">\n<component id=\"c\">\n" PARAM(                               \
      "d", "<note>the gap [m]</note>") PARAM("v", "<note>[m/s]</note>")                                      \
      PARAM("a", "<note>in [0,1] or [m/s^2].</note>") PARAM("h", "<note>[s]</note>")                         \
          PARAM("p", "<note>a plain note</note>") PARAM("angle", "<note>[deg]</note>") PARAM(                \
              "k", "<note>[N/m]</note>") PARAM("m", "<note>[kg]</note>") PARAM("g", "<note>[m*s^-2]</note>") \
              PARAM("q", "<note>[km/h]</note>") "<location id=\"1\" name=\"on\">\n<invariant>" invariant     \
                                                "</invariant>\n<flow>" flow                                  \
                                                "</flow></location>\n<transition source=\"1\" "              \
                                                "target=\"1\"><guard>" guard                                 \
                                                "</guard><assignment>" assignment                            \
                                                "</assignment></transition>\n</component></sspaceex>"

typedef struct row {
  const char *xml, *cfg;
  const char *said[3]; /* errors and warnings about units: "FILE:line:column text" */
} row;

static void check_row(const row *r) {
  hys_arena *arena = hys_arena_create(NULL);
  const hys_model *model = NULL;
  hys_diagnostics said;
  uint32_t k = 0;
  hys_diagnostics_init(&said, arena);
  CHECK_INT(hys_model_read_memory(&model, r->xml, strlen(r->xml), "m.xml", r->cfg,
                                  r->cfg != NULL ? strlen(r->cfg) : 0, "m.cfg", NULL, arena, &said),
            r->said[0] == NULL || strstr(r->said[0], "is not a unit") != NULL ? HYS_OK : HYS_ERR_INPUT);
  for (uint32_t i = 0; i < said.n; i++) {
    char text[500];
    if (strstr(said.item[i].text, "unit") == NULL && said.item[i].severity != HYS_ERROR)
      continue;
    snprintf(text, sizeof text, "%s:%u:%u %s", said.item[i].file, said.item[i].line, said.item[i].column,
             said.item[i].text);
    CHECK_STR(text, k < 3 && r->said[k] != NULL ? r->said[k] : "(nothing)");
    k++;
  }
  if (k < 3)
    CHECK_STR(r->said[k], NULL);
  hys_arena_destroy(arena);
}

static void formulas(void) {
  static const row rows[] = {
      {MODEL("", "d' == v &amp; v' == a &amp; h' == 1", "d &gt;= v*h", "v := v + a*h"), NULL, {NULL}},
      {MODEL("", "d' == a", "", ""),
       NULL,
       {"m.xml:15:10 units do not match: `d'' is in m/s, `a' in m/s^2; they cannot be compared"}},
      {MODEL("d - v &lt;= 3", "", "", ""),
       NULL,
       {"m.xml:14:14 units do not match: `d' is in m, `v' in m/s; they cannot be subtracted"}},
      {MODEL("d &lt;= 3 &amp; v &gt;= d", "", "", ""),
       NULL,
       {"m.xml:14:30 units do not match: `v' is in m/s, `d' in m; they cannot be compared"}},
      {MODEL("", "", "d &gt;= v*h + a*h^2", "v := d &amp; d := v*h"),
       NULL,
       {"m.xml:16:83 units do not match: `v' is in m/s, `d' in m; they cannot be assigned"}},
      /* a written number may carry a unit: two seconds of headway, a gain, a square's half */
      {MODEL("d &gt;= 2*v", "d' == -0.5*d + 3*v &amp; v' == a/2", "d == v^2/2 + 4", ""), NULL, {NULL}},
      {MODEL("d &gt;= -1*v", "", "", ""),
       NULL,
       {"m.xml:14:14 units do not match: `d' is in m, `-1*v' in m/s; they cannot be compared"}},
      {MODEL("1/h &gt;= d", "", "", ""),
       NULL,
       {"m.xml:14:16 units do not match: `1/h' is in 1/s, `d' in m; they cannot be compared"}},
      /* a sum takes the unit of the part that is sure of it */
      {MODEL("(2*v + d) - v &gt;= 0", "", "", ""),
       NULL,
       {"m.xml:14:22 units do not match: `(2*v + d)' is in m, `v' in m/s; they cannot be subtracted"}},
      /* what has no unit given is not checked */
      {MODEL("p &gt;= d", "p' == v*p", "p &gt;= v", ""), NULL, {NULL}},
      /* products, powers and roots */
      {MODEL("k*d/m &lt;= a", "v' == -(k/m)*d + g", "v^2 &gt;= d*a", "v := sqrt(d*a)"), NULL, {NULL}},
      {MODEL("v^0.5*v^(1/2) &lt;= v &amp; d^3/d^2 &lt;= d", "", "", ""), NULL, {NULL}},
      {MODEL("sqrt(d) &lt;= d", "", "", ""),
       NULL,
       {"m.xml:14:20 units do not match: `sqrt(d)' is in m^0.5, `d' in m; they cannot be compared"}},
      {MODEL("k*d &lt;= m*v", "", "", ""),
       NULL,
       {"m.xml:14:16 units do not match: `k*d' is in N, `m*v' in m*kg/s; they cannot be compared"}},
      {MODEL("min(d, h) &lt;= 1 &amp; abs(v) &lt;= v", "", "", ""),
       NULL,
       {"m.xml:14:12 units do not match: `d' is in m, `h' in s; they cannot be compared"}},
      /* functions */
      {MODEL("sin(p) &lt;= exp(d/d) &amp; tanh(v*h/d) &lt;= 1", "", "", ""), NULL, {NULL}},
      {MODEL("sin(d) &lt;= 1", "", "", ""),
       NULL,
       {"m.xml:14:12 units do not match: the argument of a function is a number without a unit (an angle is "
        "in "
        "rad), `d' is in m"}},
      {MODEL("cos(angle) &lt;= 1", "", "", ""),
       NULL,
       {"m.xml:14:12 units do not match: the argument of a function is a number without a unit (an angle is "
        "in "
        "rad), `angle' is in deg"}},
      {MODEL("cos(angle*3.14159/180) &lt;= 1", "", "", ""), NULL, {NULL}},
      {MODEL("p^d &lt;= 1", "", "", ""),
       NULL,
       {"m.xml:14:13 units do not match: an exponent is a number without a unit (an angle is in rad), `d' is "
        "in m"}},
      /* the same dimension at another scale */
      {MODEL("v &lt;= q", "", "", ""),
       NULL,
       {"m.xml:14:14 units do not match: `v' is in m/s, `q' in km/h; numbers of a model are not converted"}},
      {MODEL("v &lt;= q/3.6", "", "", ""), NULL, {NULL}},
      /* the configuration */
      {MODEL("", "", "", ""),
       "initially = \"d == 3 & 0 <= v <= 2 & d >= h\"\nforbidden = \"d <= v\"",
       {"m.cfg:1:39 units do not match: `d' is in m, `h' in s; they cannot be compared",
        "m.cfg:2:16 units do not match: `d' is in m, `v' in m/s; they cannot be compared"}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    check_label("row %zu", i);
    check_row(&rows[i]);
  }
}

#define CHILD(unit)                                                                                          \
  "<component id=\"t\">\n" PARAM("x", unit)                                                                  \
      PARAM("y", "") "<location id=\"1\" name=\"on\"><flow>x' == y</flow></location></component>\n"
#define PARENT(z, w)                                                                                         \
  "<component id=\"s\">\n" PARAM("z", z)                                                                     \
      PARAM("w", w) "<bind component=\"t\" as=\"a\">\n<map key=\"x\">z</map>\n"                              \
                    "<map key=\"y\">w</map></bind></component></sspaceex>"
#define NET(child, z, w) "<sspaceex>\n" child PARENT(z, w)

static void networks(void) {
  static const row rows[] = {
      {NET(CHILD("<note>[m]</note>"), "<note>[m]</note>", "<note>[m/s]</note>"), NULL, {NULL}},
      /* the unit of the parent's name is the child's too */
      {NET(CHILD("<note>[m]</note>"), "", "<note>[m]</note>"),
       NULL,
       {"m.xml:5:37 units do not match: `x'' is in m/s, `y' in m; they cannot be compared"}},
      {NET(CHILD("<note>[m]</note>"), "<note>[cm]</note>", ""),
       NULL,
       {"m.xml:10:1 units do not match: `x' of component `t' is in m, `z' in cm"}},
      {NET(CHILD("<note>[metre]</note>"), "<note>[ms/s]</note>", "<note>[m/sec]</note>"),
       NULL,
       {"m.xml:3:72 `metre' is not a unit: `x' is taken to have none",
        "m.xml:8:72 `m/sec' is not a unit: `w' is taken to have none; did you mean `m/s'?"}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    check_label("row %zu", i);
    check_row(&rows[i]);
  }
}

static void what_a_model_tells(void) {
  static const char xml[] = NET(CHILD("<note>[m]</note>"), "", "");
  hys_arena *arena = hys_arena_create(NULL);
  const hys_model *model = NULL;
  hys_diagnostics said;
  hys_diagnostics_init(&said, arena);
  CHECK_INT(hys_model_read_memory(&model, xml, strlen(xml), "m.xml", NULL, 0, NULL, NULL, arena, &said),
            HYS_OK);
  CHECK_STR(hys_model_variable_at(model, 0).unit, "m");
  CHECK_STR(hys_model_variable_at(model, 1).unit, NULL);
  hys_arena_destroy(arena);
}

/* The unit of a model and one that is converted to SI for it. */
static void conversions(void) {
  static const struct {
    const char *model, *given;
    bool fit;
  } rows[] = {
      {"m", "m", true},   {"m", "cm", true},        {"m", "s", false},     {"km", "km", false},
      {"km", "m", false}, {"rad", "deg", true},     {"deg", "deg", false}, {"N/m", "kg", false},
      {"1", "%", true},   {"m*s^-1", "km/h", true}, {"K", "degC", true},   {"kg*m/s^2", "N", true},
      {"N/m", "1", true}, {"m", "1", false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const char *why = NULL;
    check_label("%s for %s", rows[i].given, rows[i].model);
    CHECK(hysi_units_fit(rows[i].model, hys_unit_find(rows[i].given, strlen(rows[i].given)), &why) ==
          rows[i].fit);
    CHECK((why == NULL) == rows[i].fit);
  }
}

/* ---- the library's model, and shield files against it ---- */

static char *slurp(const char *path) {
  FILE *file = path != NULL ? fopen(path, "rb") : NULL;
  char *text = calloc(1, 65536);
  if (file == NULL || text == NULL) {
    free(text);
    if (file != NULL)
      fclose(file);
    return NULL;
  }
  text[fread(text, 1, 65535, file)] = '\0';
  fclose(file);
  return text;
}

/* The text with the first `from` behind `behind` replaced; NULL: not there. */
static char *edited(const char *text, const char *behind, const char *from, const char *to) {
  const char *at = strstr(text, behind);
  char *out = calloc(1, strlen(text) + strlen(to) + 1);
  at = at != NULL ? strstr(at, from) : NULL;
  if (at == NULL || out == NULL) {
    free(out);
    return NULL;
  }
  memcpy(out, text, (size_t)(at - text));
  strcat(out, to);
  strcat(out, at + strlen(from));
  return out;
}

static void adaptive_cruise_control(void) {
  char *xml = slurp(check_source_path("models/library/acc/acc.xml"));
  if (!CHECK(xml != NULL))
    return;
  check_row(&(row){.xml = xml});
  char *wrong = edited(xml, "<flow>d' ==", "w - v", "d - v");
  if (CHECK(wrong != NULL)) {
    hys_arena *arena = hys_arena_create(NULL);
    hys_diagnostics said;
    const hys_model *model = NULL;
    hys_diagnostics_init(&said, arena);
    CHECK_INT(hys_model_read_memory(&model, wrong, strlen(wrong), "m.xml", NULL, 0, NULL, NULL, arena, &said),
              HYS_ERR_INPUT);
    CHECK_INT(said.errors, 1);
    CHECK_STR(said.item[0].text, "units do not match: `d' is in m, `v' in m/s; they cannot be subtracted");
    hys_arena_destroy(arena);
  }
  free(wrong);
  free(xml);
}

static bool put(const char *path, const char *text) {
  FILE *file = text != NULL ? fopen(path, "wb") : NULL;
  const bool done = file != NULL && fputs(text, file) >= 0;
  return file != NULL && fclose(file) == 0 && done;
}

static void shield_files(void) {
  static const struct {
    const char *behind, *from, *to, *says; /* NULL: nothing */
  } rows[] = {
      {"name=\"d\"", "unit=\"m\"", "unit=\"cm\"", NULL}, /* converted */
      {"name=\"d\"", "unit=\"m\"", "unit=\"s\"",
       "the unit of \"d\" does not match the model: the dimensions differ"},
  };
  char *xml = slurp(check_source_path("models/library/acc/acc.xml"));
  char *cfg = slurp(check_source_path("models/library/acc/acc.cfg"));
  char *shield = slurp(check_source_path("models/library/acc/acc.shield.xml"));
  if (!CHECK(xml != NULL && cfg != NULL && shield != NULL))
    return;
  CHECK(put("test_units.tmp.xml", xml));
  CHECK(put("test_units.tmp.cfg", cfg));
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char *changed = edited(shield, rows[i].behind, rows[i].from, rows[i].to);
    const char *says = rows[i].says;
    hys_arena *arena = hys_arena_create(NULL);
    const hys_spec *spec = NULL;
    hys_diagnostics said;
    bool found = false;
    char *one, *two;
    check_label("row %zu", i);
    hys_diagnostics_init(&said, arena);
    if (!CHECK(changed != NULL))
      return;
    one = edited(changed, "<model", "\"acc.xml\"", "\"test_units.tmp.xml\"");
    two = one != NULL ? edited(one, "<model", "\"acc.cfg\"", "\"test_units.tmp.cfg\"") : NULL;
    CHECK(put("test_units.tmp.shield.xml", two));
    hys_shield_file_read("test_units.tmp.shield.xml", arena, &said, &spec);
    for (uint32_t k = 0; k < said.n; k++) {
      const bool unit = strstr(said.item[k].text, "of \"d\" does not match the model") != NULL;
      found = found || (says != NULL && unit && strstr(said.item[k].text, says) != NULL);
      CHECK(!unit || says != NULL);
    }
    CHECK(found == (says != NULL));
    hys_arena_destroy(arena);
    free(changed);
    free(one);
    free(two);
  }
  remove("test_units.tmp.xml");
  remove("test_units.tmp.cfg");
  remove("test_units.tmp.shield.xml");
  free(xml);
  free(cfg);
  free(shield);
}

CHECK_MAIN("units", {"formulas", formulas}, {"networks", networks},
           {"what a model tells", what_a_model_tells}, {"conversions", conversions},
           {"adaptive cruise control", adaptive_cruise_control}, {"shield files", shield_files})
