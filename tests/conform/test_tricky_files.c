/* Files that readers trip over: roots and name spaces, maps, networks, labels, encodings, what XML does to
 * text, configurations.  Each family has what it means, or what is said and where. */
#include "tests/conform/tricky.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define NOTHING 0, 0, 0, NULL
#define E(line, column, text) HYS_ERROR, line, column, text
#define W(line, column, text) HYS_WARNING, line, column, text

#define REAL(name)                                                                                           \
  "<param name=\"" name "\" type=\"real\" d1=\"1\" d2=\"1\" local=\"false\" dynamics=\"any\"/>"
#define SEEN(name)                                                                                           \
  "<param name=\"" name "\" type=\"real\" d1=\"1\" d2=\"1\" local=\"false\" dynamics=\"any\" "               \
  "controlled=\"false\"/>"
#define CONST(name)                                                                                          \
  "<param name=\"" name "\" type=\"real\" d1=\"1\" d2=\"1\" local=\"false\" dynamics=\"const\"/>"
#define OWN(name) "<param name=\"" name "\" type=\"real\" d1=\"1\" d2=\"1\" local=\"true\" dynamics=\"any\"/>"
#define LABEL(name) "<param name=\"" name "\" type=\"label\" local=\"false\"/>"
#define OWN_LABEL(name) "<param name=\"" name "\" type=\"label\" local=\"true\"/>"
#define LOOP(label) "<transition source=\"1\" target=\"1\"><label>" label "</label></transition>"
#define ON(flow) "<location id=\"1\" name=\"on\"><flow>" flow "</flow></location>"
#define ROOT(body) "<sspaceex version=\"0.2\" math=\"SpaceEx\">\n" body "</sspaceex>\n"
#define COMPONENT(id, body) "<component id=\"" id "\">" body "</component>\n"
#define CLOCK COMPONENT("c", REAL("x") ON("x' == 1"))
#define BIND(component, as, maps) "<bind component=\"" component "\" as=\"" as "\">" maps "</bind>"
#define MAP(key, value) "<map key=\"" key "\">" value "</map>"

/* ---- roots ---- */

static void roots(void) {
  static const struct {
    const char *open, *close;
    hys_severity severity;
    uint32_t line, column;
    const char *says;
  } rows[] = {
      {"<sspaceex version=\"0.2\" math=\"SpaceEx\">", "</sspaceex>", NOTHING},
      {"<sspaceex>", "</sspaceex>", NOTHING},
      {"<sspaceex xmlns=\"http://www-verimag.imag.fr/xml-namespaces/sspaceex\" version=\"0.2\">",
       "</sspaceex>", NOTHING},
      {"<sspaceex xmlns=\"http://www.verimag.imag.fr/xml-namespaces/sspaceex\" version=\"0.2\">",
       "</sspaceex>", NOTHING},
      {"<sspaceex xmlns=\"urn:anything\">", "</sspaceex>", NOTHING},
      {"<sspaceex xmlns=\"\">", "</sspaceex>", NOTHING},
      {"<sx:sspaceex xmlns:sx=\"urn:x\" version=\"0.2\">", "</sx:sspaceex>", NOTHING},
      {"<sspaceex xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:schemaLocation=\"a b\">",
       "</sspaceex>", NOTHING},
      {"<SSpaceEx version=\"0.2\">", "</SSpaceEx>", NOTHING},
      {"<SSPACEEX VERSION=\"0.2\" Math=\"spaceex\">", "</SSPACEEX>", NOTHING},
      {"<sspaceex math=\"spaceex\">", "</sspaceex>", NOTHING},
      {"<sspaceex version=\"2.0\" math=\"spaceex\">", "</sspaceex>",
       W(1, 20, "version \"2.0\" of the format is not known; it is read as 0.2")},
      {"<sspaceex version=\"\">", "</sspaceex>",
       W(1, 20, "version \"\" of the format is not known; it is read as 0.2")},
      {"<sspaceex version=\"0.2\" math=\"PHAVer\">", "</sspaceex>",
       W(1, 31, "math=\"PHAVer\" is not known; it is read as SpaceEx")},
      {"<spaceex>", "</spaceex>", E(1, 1, "the root element is <spaceex>, expected <sspaceex>")},
      {"<html>", "</html>", E(1, 1, "the root element is <html>, expected <sspaceex>")},
      {"<sx:sspaceex>", "</sx:sspaceex>",
       E(1, 13, "not well-formed XML: Namespace prefix sx on sspaceex is not defined")},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    tricky_world w = {0};
    char xml[1024];
    const tricky_said want = {rows[i].severity, rows[i].line, rows[i].column, rows[i].says};
    check_label("%s", rows[i].open);
    const int n = snprintf(xml, sizeof xml, "%s\n%s%s\n", rows[i].open, CLOCK, rows[i].close);
    if (tricky_read(&w, xml, (size_t)n, NULL, "m.xml", &want) && rows[i].severity != HYS_ERROR) {
      CHECK_STR(hys_model_system(w.model), "c");
      CHECK_INT(hys_model_flow_class(w.model), HYS_CLASS_CONSTANT);
    }
    tricky_end(&w);
  }
}

/* ---- maps ---- */

#define MAP_HEAD                                                                                             \
  "<sspaceex version=\"0.2\">\n" COMPONENT(                                                                  \
      "c", OWN("x") SEEN("p") CONST("q") SEEN("r") CONST("s") LABEL("go")                                    \
               ON("x' == p + 0*q") "<transition source=\"1\" target=\"1\"><label>go</label><guard>r + s "    \
                                   "&gt;= 0</guard></transition>")
/* In line 5, column 1: the map of p; the system's own v, w, go are always used. */
#define MAP_MIDDLE "<component id=\"n\">" REAL("v") CONST("w") LABEL("go") "\n" BIND_OPEN "\n"
#define BIND_OPEN "<bind component=\"c\" as=\"i\">"
#define MAP_TAIL(q)                                                                                          \
  "\n" MAP("q", q) MAP("r", "v") MAP("s", "w") MAP("go", "go") "</bind></component></sspaceex>\n"

static void maps(void) {
  static const struct {
    const char *map;
    hys_severity severity;
    uint32_t line, column;
    const char *says;
    double value; /* of p, if it is a number */
    bool number;
  } rows[] = {
      {"<map key=\"p\">-9.81</map>", NOTHING, -9.81, true},
      {"<map key=\"p\">1.0E-3</map>", NOTHING, 1e-3, true},
      {"<map key=\"p\"> 5 </map>", NOTHING, 5, true},
      {"<map key=\"p\">\n 5\n\t</map>", NOTHING, 5, true},
      {"<map key=\"p\">+5</map>", NOTHING, 5, true},
      {"<map key=\"p\">.5</map>", NOTHING, 0.5, true},
      {"<map key=\"p\">3.986e14*3600</map>", NOTHING, 3.986e14 * 3600, true},
      {"<map key=\"p\">(1 + 2)*3^2</map>", NOTHING, 27, true},
      {"<map key=\"p\">-(-5)</map>", NOTHING, 5, true},
      {"<map key=\"p\">1/4</map>", NOTHING, 0.25, true},
      {"<map key=\"p\">1 -2</map>", NOTHING, -1, true},
      {"<map key=\"p\"><![CDATA[5]]></map>", NOTHING, 5, true},
      {"<map key=\"p\">&#53;</map>", NOTHING, 5, true},
      {"<map key=\"p\">5<!-- metres --></map>", NOTHING, 5, true},
      {"<map key=\"p\">5<link>756.0,80.0</link></map>", NOTHING, 5, true},
      {"<map KEY=\"p\">5</map>", NOTHING, 5, true},
      {"<map key=\"p\">sqrt(16)</map>", NOTHING, 4, true},
      {"<map key=\"p\">lut(1, [0, 6], [0, 2])</map>", NOTHING, 3, true},
      {"<map key=\"p\">v</map>", NOTHING, 0, false},
      {"<map key=\"p\"> v\n</map>", NOTHING, 0, false},
      {"<map key=\"p\">\n v\n <link>756.0,80.0</link>\n</map>", NOTHING, 0, false},
      {"<map key=\"p\">w</map>", NOTHING, 0, false},
      {"<map key=\"p\"></map>", E(5, 1, "the map of `p' has no value"), 0, false},
      {"<map key=\"p\"/>", E(5, 1, "the map of `p' has no value"), 0, false},
      {"<map key=\"p\"> \n </map>", E(5, 1, "the map of `p' has no value"), 0, false},
      {"<map key=\"p\"><!-- 5 --></map>", E(5, 1, "the map of `p' has no value"), 0, false},
      {"<map key=\"p\"><link>1,2</link></map>", E(5, 1, "the map of `p' has no value"), 0, false},
      {"<map key=\"p\">-v</map>",
       E(5, 15, "`v' in an expression: a map's value is a name, or an expression of numbers"), 0, false},
      {"<map key=\"p\">2*w</map>",
       E(5, 16, "`w' in an expression: a map's value is a name, or an expression of numbers"), 0, false},
      {"<map key=\"p\">n.v</map>", E(5, 14, "`n.v' is not declared in component `n'"), 0, false},
      {"<map key=\"p\">1 2 3</map>", E(5, 16, "expected an operator, found `2'"), 0, false},
      {"<map key=\"p\">1,5</map>",
       E(5, 15,
         "a comma separates arguments; conditions are joined by `&', and a number has a decimal point"),
       0, false},
      {"<map key=\"p\">[1, 2]</map>",
       E(5, 14, "a list in brackets is no number: it belongs into lut() or reshape()"), 0, false},
      {"<map key=\"p\">1/0</map>", E(5, 15, "this has no finite value"), 0, false},
      {"<map key=\"p\">log(0)</map>", E(5, 14, "this has no finite value"), 0, false},
      {"<map key=\"p\">1 == 1</map>", E(5, 16, "a number is expected here, this is a condition"), 0, false},
      {"<map key=\"p\">go</map>", E(5, 14, "`go' is a label, but `p' of component `c' is a variable"), 0,
       false},
      {"<map key=\"p\">z</map>", E(5, 14, "`z' is not declared in component `n'"), 0, false},
      {"<map key=\"p\">V</map>", E(5, 14, "`V' is not declared in component `n'; did you mean `v'?"), 0,
       false},
      {"<map key=\"p\">1</map><map key=\"p\">2</map>", E(5, 31, "`p' is mapped twice in one bind"), 0, false},
      {"<map key=\"p\">1</map><map key=\"x\">2</map>",
       E(5, 31, "`x' is local to component `c': it cannot be mapped"), 0, false},
      {"<map key=\"p\">1</map><map key=\"zz\">2</map>", E(5, 31, "`zz' is not a parameter of component `c'"),
       0, false},
      {"<map key=\"p\">1</map><map>2</map>", E(5, 21, "<map> needs the attribute `key'"), 0, false},
      {"<map key=\"p\">1</map><map key=\"\">2</map>", E(5, 31, "<map> needs the attribute `key'"), 0, false},
      {"<map key=\" p\">1</map>", E(5, 11, "` p' is not a parameter of component `c'; did you mean `p'?"), 0,
       false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    tricky_world w = {0};
    char xml[4096];
    const hys_automaton *a = NULL;
    const tricky_said want = {rows[i].severity, rows[i].line, rows[i].column, rows[i].says};
    check_label("%s", rows[i].map);
    const int n = snprintf(xml, sizeof xml, "%s%s%s%s", MAP_HEAD, MAP_MIDDLE, rows[i].map, MAP_TAIL("0"));
    /* a key that is no parameter leaves p without a map too: that is a fault of its own */
    if (rows[i].says != NULL && strstr(rows[i].says, "did you mean `p'") != NULL) {
      hys_diagnostics_init(&w.said, w.arena = hys_arena_create(NULL));
      CHECK_INT(
          hys_model_read_memory(&w.model, xml, (size_t)n, "m.xml", NULL, 0, NULL, NULL, w.arena, &w.said),
          HYS_ERR_INPUT);
      CHECK_INT(w.said.errors, 2);
      CHECK_STR(w.said.item[0].text, "`p' of component `c' is not mapped");
      CHECK_STR(w.said.item[1].text, rows[i].says);
      CHECK_INT(w.said.item[1].column, rows[i].column);
    } else if (tricky_read(&w, xml, (size_t)n, "initially = \"w == 0\"", "m.xml", &want) && rows[i].number) {
      /* v is an input without bounds: what p is stands in the class and in the automaton of a closed system
       */
      CHECK_INT(hys_model_flow_class(w.model), HYS_CLASS_CONSTANT);
      char *free_input = strstr(xml, "<map key=\"r\">v");
      CHECK(free_input != NULL);
      if (free_input != NULL)
        free_input[strlen("<map key=\"r\">")] = '1';
      hys_diagnostics_init(&w.said, w.arena);
      CHECK_INT(hys_model_read_memory(&w.model, xml, (size_t)n, "m.xml", "initially = \"w == 0\"", 20,
                                      "m.cfg", NULL, w.arena, &w.said),
                HYS_OK);
      a = tricky_flatten(&w);
      if (a != NULL)
        CHECK(a->location[0].flow.c[0].lo <= rows[i].value && rows[i].value <= a->location[0].flow.c[0].hi &&
              a->location[0].flow.c[0].hi - a->location[0].flow.c[0].lo <= 1e-14 * fabs(rows[i].value));
    } else if (rows[i].says == NULL) {
      CHECK_INT(hys_model_flow_class(w.model),
                strstr(rows[i].map, "w<") != NULL ? HYS_CLASS_CONSTANT : HYS_CLASS_AFFINE);
    }
    tricky_end(&w);
  }
}

/* ---- networks and labels ---- */

/* Whole files: counts of what is read, or what is said. */
static void networks(void) {
  static const struct {
    const char *label, *xml;
    hys_severity severity;
    uint32_t line, column;
    const char *says;
    const char *system;
    uint64_t locations, jumps;
  } rows[] = {
      {"a network before its base", ROOT(COMPONENT("n", REAL("v") BIND("c", "a", MAP("x", "v"))) CLOCK),
       NOTHING, "n", 1, 0},
      {"three levels, backwards",
       ROOT(COMPONENT("t", REAL("v") BIND("n", "b", MAP("v", "v")))
                COMPONENT("n", REAL("v") BIND("c", "a", MAP("x", "v"))) CLOCK),
       NOTHING, "t", 1, 0},
      {"itself", ROOT(COMPONENT("n", BIND("n", "a", ""))),
       E(2, 36, "component `n' would contain itself; the instance is left out"), "n", 1, 0},
      {"A in B in A", ROOT(COMPONENT("a", BIND("b", "i", "")) COMPONENT("b", BIND("a", "i", ""))),
       E(3, 36, "component `a' would contain itself; the instance is left out"), "b", 1, 0},
      {"A in B in C in A",
       ROOT(COMPONENT("a", BIND("b", "i", "")) COMPONENT("b", BIND("c", "i", ""))
                COMPONENT("c", BIND("a", "i", ""))),
       E(4, 36, "component `a' would contain itself; the instance is left out"), "c", 1, 0},
      {"unknown component",
       ROOT(CLOCK COMPONENT("n", BIND("clock", "a", "") BIND("c", "b", MAP("x", "v")) REAL("v"))),
       E(3, 36, "component `clock' is not in the file; the instance is left out"), NULL, 0, 0},
      {"two components of one id", ROOT(CLOCK CLOCK),
       E(3, 16, "a second component with id=\"c\"; it is left out"), "c", 1, 0},
      {"two instances of one name",
       ROOT(CLOCK COMPONENT("n",
                            REAL("v") "\n" BIND("c", "a", MAP("x", "v")) "\n" BIND("c", "a", MAP("x", "1")))),
       E(0, 0, ""), NULL, 0, 0},
      {"bind and location in one", ROOT(CLOCK COMPONENT("n", REAL("v") BIND("c", "a", MAP("x", "v")) ON(""))),
       E(3, 1, "component `n' has locations and binds: it must be either a base or a network"), NULL, 0, 0},
      {"neither", ROOT(COMPONENT("n", "")), E(2, 1, "component `n' has neither locations nor binds"), "n", 1,
       0},
      {"nothing in it", ROOT(""), E(1, 1, "the model has no component"), NULL, 0, 0},
      {"no parameters", ROOT(COMPONENT("c", ON("") LOOP(""))), NOTHING, "c", 1, 1},
      {"two that nobody binds", ROOT(CLOCK COMPONENT("d", REAL("x") ON("x' == 2"))),
       W(3, 1, "2 components are bound by nobody; `d', the last, is taken as the system"), "d", 1, 0},

      {"declared, unused: it blocks",
       ROOT(COMPONENT("a", LABEL("go") ON("") LOOP("go")) COMPONENT("b", LABEL("go") ON(""))
                COMPONENT("n", LABEL("go") BIND("a", "i", MAP("go", "go")) BIND("b", "k", MAP("go", "go")))),
       W(3, 19, "label `go' is declared, but no transition has it: it blocks everyone who shares it"), "n", 1,
       0},
      {"used, undeclared: private", ROOT(COMPONENT("a", ON("") "\n" LOOP("go"))),
       W(3, 42, "label `go' is not declared in component `a': nobody else can take part in it"), "a", 1, 1},
      {"renamed by maps: they meet",
       ROOT(COMPONENT("a", LABEL("p") ON("") LOOP("p")) COMPONENT("b", LABEL("q") ON("") LOOP("q"))
                COMPONENT("n", LABEL("go") BIND("a", "i", MAP("p", "go")) BIND("b", "k", MAP("q", "go")))),
       NOTHING, "n", 1, 1},
      {"local: they do not meet",
       ROOT(COMPONENT("a", OWN_LABEL("go") ON("") LOOP("go")) COMPONENT(
           "b", OWN_LABEL("go") ON("") LOOP("go")) COMPONENT("n", BIND("a", "i", "") BIND("b", "k", ""))),
       NOTHING, "n", 1, 2},
      {"one name, mapped to two: they do not meet",
       ROOT(COMPONENT("a", LABEL("go") ON("") LOOP("go")) COMPONENT(
           "n", LABEL("p") LABEL("q") BIND("a", "i", MAP("go", "p")) BIND("a", "k", MAP("go", "q")))),
       NOTHING, "n", 1, 2},
      {"twice in one component: a choice", ROOT(COMPONENT("a", LABEL("go") ON("") LOOP("go") LOOP("go"))),
       NOTHING, "a", 1, 2},
      {"empty label",
       ROOT(COMPONENT("a", ON("") "<transition source=\"1\" target=\"1\"><label/></transition>")), NOTHING,
       "a", 1, 1},
      {"no label", ROOT(COMPONENT("a", ON("") "<transition source=\"1\" target=\"1\"/>")), NOTHING, "a", 1,
       1},
      {"blanks around a label", ROOT(COMPONENT("a", LABEL("go") ON("") LOOP(" \n go\t"))), NOTHING, "a", 1,
       1},
      {"blanks inside a label", ROOT(COMPONENT("a", LABEL("go") ON("") "\n" LOOP("go on"))),
       E(3, 42, "`go on' is not the name of a label"), NULL, 0, 0},
      {"two labels",
       ROOT(COMPONENT("a",
                      LABEL("go") ON("") "\n"
                                         "<transition source=\"1\" "
                                         "target=\"1\"><label>go</label>\n<label>go</label></transition>")),
       E(4, 1, "a second <label> in one <transition>"), NULL, 0, 0},
      {"a variable for a label", ROOT(COMPONENT("a", REAL("x") ON("x' == 1") "\n" LOOP("x"))),
       E(3, 42, "`x' is a variable, not a label"), NULL, 0, 0},
      {"a label bound to a number",
       ROOT(COMPONENT("a", LABEL("go") ON("") LOOP("go"))
                COMPONENT("n", BIND("a", "i", "\n" MAP("go", "1")))),
       E(4, 1, "label `go' is mapped to a number"), NULL, 0, 0},
      {"a constant bound to a variable",
       ROOT(COMPONENT("a", CONST("k") REAL("x") ON("x' == k"))
                COMPONENT("n", REAL("v") REAL("x") BIND("a", "i", MAP("x", "x") "\n" MAP("k", "v")))),
       E(4, 14, "`v' may change, but `k' of component `a' is a constant"), NULL, 0, 0},
      {"a flow of what is bound to a number",
       ROOT(COMPONENT("a", REAL("x") "<location id=\"1\" name=\"on\"><flow>\nx' == 1</flow></location>")
                COMPONENT("n", BIND("a", "i", MAP("x", "1")))),
       E(3, 4, "`x' has a flow, but instance `i' binds it to a number"), NULL, 0, 0},
      {"an assignment of what is bound to a number",
       ROOT(COMPONENT(
           "a",
           REAL("x")
               ON("") "<transition source=\"1\" target=\"1\"><assignment>\nx := 1</assignment></transition>")
                COMPONENT("n", BIND("a", "i", MAP("x", "1")))),
       E(3, 3, "`x' is assigned, but instance `i' binds it to a number"), NULL, 0, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    tricky_world w = {0};
    const tricky_said want = {rows[i].severity, rows[i].line, rows[i].column, rows[i].says};
    check_label("%s", rows[i].label);
    if (rows[i].says != NULL && rows[i].says[0] == '\0') { /* several things at once */
      hys_diagnostics_init(&w.said, w.arena = hys_arena_create(NULL));
      CHECK_INT(hys_model_read_memory(&w.model, rows[i].xml, strlen(rows[i].xml), "m.xml", NULL, 0, NULL,
                                      NULL, w.arena, &w.said),
                HYS_ERR_INPUT);
      CHECK_INT(w.said.errors, 2);
      CHECK_STR(w.said.item[0].text, "`x' has a flow, but instance `a' binds it to a number");
      CHECK_STR(w.said.item[1].text, "a second instance with as=\"a\" in component `n'");
      CHECK_INT(w.said.item[1].line, 5);
      CHECK_INT(w.said.item[1].column, 25);
    } else {
      tricky_read(&w, rows[i].xml, strlen(rows[i].xml), NULL, "m.xml", &want);
      if (rows[i].system != NULL && w.model != NULL && rows[i].severity != HYS_ERROR) {
        CHECK_STR(hys_model_system(w.model), rows[i].system);
        CHECK_INT(hys_model_location_count(w.model), rows[i].locations);
        CHECK_INT(hys_model_jump_count(w.model), rows[i].jumps);
      }
    }
    tricky_end(&w);
  }
}

/* ---- what XML does to a text ---- */

#define IN_FLOW(text)                                                                                        \
  "<sspaceex version=\"0.2\">\n<component id=\"c\">" REAL(                                                   \
      "x") "<location id=\"1\" name=\"on\"><flow>\n" text "</flow></location></component></sspaceex>"
#define IN_INVARIANT(text)                                                                                   \
  "<sspaceex version=\"0.2\">\n<component id=\"c\">" REAL(                                                   \
      "x") "<location id=\"1\" name=\"on\"><invariant>\n" text                                               \
           "</invariant><flow>x'==1</flow></location></component></sspaceex>"
#define IN_LOCATION(text)                                                                                    \
  "<sspaceex version=\"0.2\">\n<component id=\"c\">" REAL(                                                   \
      "x") "<location id=\"1\" name=\"on\">\n" text "<flow>x'==1</flow></location></component></sspaceex>"
#define NO_DTD "a document type definition is not allowed"
#define NO_OPERAND "expected a number, a name or a parenthesis, found "

static void texts(void) {
  static const struct {
    const char *label, *xml;
    size_t size; /* 0: to the zero byte */
    hys_severity severity;
    uint32_t line, column;
    const char *says;
  } rows[] = {
      {"entities", IN_INVARIANT("x&lt;=1"), 0, NOTHING},
      {"CDATA", IN_INVARIANT("<![CDATA[x<=1]]>"), 0, NOTHING},
      {"CDATA in pieces", IN_INVARIANT("x<![CDATA[<]]>=<![CDATA[1]]>"), 0, NOTHING},
      {"a comment inside", IN_INVARIANT("x &lt;= <!-- c --> 1"), 0, NOTHING},
      {"a comment inside a word", IN_FLOW("x' == 1<!-- 0 -->5"), 0, NOTHING},
      {"an instruction inside", IN_INVARIANT("x &lt;= <?p q?> 1"), 0, NOTHING},
      {"references", IN_INVARIANT("x &#60;= 1"), 0, NOTHING},
      {"hexadecimal references", IN_INVARIANT("&#x78; &#x3C;&#x3d; 1"), 0, NOTHING},
      {"apos and quot", IN_FLOW("x&apos;==1"), 0, NOTHING},
      {"amp twice", IN_INVARIANT("x &lt;= 1 &amp;&amp; x >= 0"), 0, NOTHING},
      {"CRLF and tabs", IN_INVARIANT("x\r\n\t&lt;=\r\n1\r\n"), 0, NOTHING},
      {"a bare >", IN_INVARIANT("x > 1"), 0, NOTHING},
      {"no declaration", CLOCK, 0, E(1, 1, "the root element is <component>, expected <sspaceex>")},
      {"place behind entities", IN_INVARIANT("x &lt;= 1 &amp; y &lt;= 1"), 0,
       W(3, 17, "`y' is not declared in component `c'")},
      {"place behind a comment", IN_FLOW("x' == <!-- c --> +"), 0,
       E(3, 19, NO_OPERAND "the end of the text")},
      {"place behind a comment of two lines", IN_FLOW("x' == <!-- c\n --> * 2"), 0,
       E(4, 6, NO_OPERAND "`*'")},
      {"place inside CDATA", IN_INVARIANT("<![CDATA[x<=1 & & x>0]]>"), 0, E(3, 17, NO_OPERAND "`&'")},
      {"place behind CDATA", IN_INVARIANT("<![CDATA[x<=1 &]]> *"), 0, E(3, 20, NO_OPERAND "`*'")},
      {"place behind references", IN_INVARIANT("&#x78;&#60;&#61; *"), 0, E(3, 18, NO_OPERAND "`*'")},
      {"place behind letters beyond ASCII",
       IN_INVARIANT("x &lt;= <!-- \xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80 --> *"), 0,
       E(3, 22, NO_OPERAND "`*'")},
      {"place behind tabs", IN_INVARIANT("\tx &lt;=\t*"), 0, E(3, 10, NO_OPERAND "`*'")},
      {"place behind CRLF", IN_INVARIANT("x &lt;=\r\n *"), 0, E(4, 2, NO_OPERAND "`*'")},
      {"an unknown entity", IN_INVARIANT("x &le; 1"), 0,
       E(3, 7, "not well-formed XML: Entity 'le' not defined")},
      {"a bare &", IN_INVARIANT("x >= 1 & x >= 0"), 0,
       E(3, 9, "not well-formed XML: xmlParseEntityRef: no name")},
      {"a bare <", IN_INVARIANT("x <= 1"), 0, E(3, 4, "not well-formed XML: StartTag: invalid element name")},
      {"DOCTYPE", "<!DOCTYPE sspaceex>" IN_FLOW("x'==1"), 0, E(1, 1, NO_DTD)},
      {"an internal entity in a flow", "<!DOCTYPE s [<!ENTITY e \"x'==1\">]>\n" IN_FLOW("&e;"), 0,
       E(1, 1, NO_DTD)},
      {"an external entity",
       "<?xml version=\"1.0\"?>\n<!DOCTYPE s [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>\n" IN_FLOW("&e;"),
       0, E(2, 1, NO_DTD)},
      {"an external DTD", "<!DOCTYPE s SYSTEM \"http://example.org/s.dtd\">" IN_FLOW("x'==1"), 0,
       E(1, 1, NO_DTD)},
      {"two flows", IN_LOCATION("<flow>x' == 2</flow>"), 0, E(3, 21, "a second <flow> in one <location>")},
      {"two empty flows", IN_LOCATION("<flow/>"), 0, E(3, 8, "a second <flow> in one <location>")},
      {"two invariants", IN_LOCATION("<invariant>x &lt;= 1</invariant><invariant/>"), 0,
       E(3, 33, "a second <invariant> in one <location>")},
      {"a flow outside of a location",
       "<sspaceex>\n" COMPONENT("c", REAL("x") "\n<flow>x' == 2</flow>" ON("x'==1")) "</sspaceex>", 0,
       W(3, 1, "element <flow> does not belong into <component>; it is ignored")},
      {"notes", IN_LOCATION("<notes>n</notes>"), 0,
       W(3, 1, "element <notes> is not known; it is ignored; did you mean `note'?")},
      {"a note", IN_LOCATION("<note>x' == &lt; (</note>"), 0, NOTHING},
      {"an element of another name space", IN_LOCATION("<q:note xmlns:q=\"urn:q\">n</q:note>"), 0, NOTHING},
      {"an element inside a formula", IN_FLOW("x' == <b>1</b>"), 0, E(3, 7, "element <b> inside a formula")},
      {"stray text", IN_LOCATION("stray"), 0, W(3, 1, "text directly inside <location> is ignored")},
      {"an unknown attribute", IN_LOCATION("<invariant  hint=\"1\">x &lt;= 1</invariant>"), 0,
       W(3, 13, "attribute `hint' of <invariant> is not known; it is ignored")},
      {"behind the root: blanks and comments", IN_FLOW("x'==1") "\n<!-- end -->\n  \n", 0, NOTHING},
      {"behind the root: text", IN_FLOW("x'==1") "\ngarbage", 0,
       E(4, 1, "not well-formed XML: Extra content at the end of the document")},
      {"behind the root: another", IN_FLOW("x'==1") "<sspaceex/>", 0,
       E(3, 47, "not well-formed XML: Extra content at the end of the document")},
      {"behind the root: zero bytes", IN_FLOW("x'==1") "\0\0", sizeof(IN_FLOW("x'==1")) + 1,
       E(3, 47, "a zero byte: this is no text")},
      {"before the root: text", "garbage" IN_FLOW("x'==1"), 0,
       E(1, 1, "not well-formed XML: Start tag expected, '<' not found")},
      {"before the declaration: a blank", " <?xml version=\"1.0\"?>" IN_FLOW("x'==1"), 0,
       E(1, 7, "not well-formed XML: XML declaration allowed only at the start of the document")},
      {"a zero byte in a formula", IN_FLOW("x'==\0001"), sizeof(IN_FLOW("x'==\0001")) - 1,
       E(3, 5, "a zero byte: this is no text")},
      {"a control character", IN_FLOW("x'==\0011"), 0,
       E(3, 5, "not well-formed XML: PCDATA invalid Char value 1")},
      {"nothing", "", 0, E(1, 1, "the file is empty")},
      {"blanks", " \n ", 0, E(2, 2, "not well-formed XML: Start tag expected, '<' not found")},
      {"cut off", "<sspaceex>\n<component id=\"c\">", 0,
       E(2, 19, "not well-formed XML: Premature end of data in tag component line 2")},
      {"not XML", "initially = \"x == 1\"\n", 0,
       E(1, 1, "not well-formed XML: Start tag expected, '<' not found")},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    tricky_world w = {0};
    const size_t size = rows[i].size > 0 ? rows[i].size : strlen(rows[i].xml);
    const tricky_said want = {rows[i].severity, rows[i].line, rows[i].column, rows[i].says};
    check_label("%s", rows[i].label);
    tricky_read(&w, rows[i].xml, size, NULL, "m.xml", &want);
    tricky_end(&w);
  }
  /* and what a comment inside a word means */
  tricky_world w = {0};
  const tricky_said none = {0};
  const hys_automaton *a = NULL;
  if (tricky_read(&w, IN_FLOW("x' == 1<!-- 0 -->5"), strlen(IN_FLOW("x' == 1<!-- 0 -->5")), NULL, "m.xml",
                  &none))
    a = tricky_flatten(&w);
  CHECK(a != NULL && a->location[0].flow.c[0].lo == 15.0);
  tricky_end(&w);
}

/* ---- encodings ---- */

/* A model as UTF-16, with or without a mark. */
static size_t to_utf16(char *out, const char *text, bool big, bool mark) {
  size_t n = 0;
  if (mark) {
    out[n++] = big ? '\xFE' : '\xFF';
    out[n++] = big ? '\xFF' : '\xFE';
  }
  for (const unsigned char *b = (const unsigned char *)text; *b != 0; b++) {
    unsigned code = *b;
    if (code >= 0xC3 && code < 0xE0) { /* two bytes of UTF-8 are all that is needed here */
      code = (code & 0x1F) << 6 | (b[1] & 0x3F);
      b++;
    }
    out[n++] = (char)(big ? code >> 8 : code & 0xFF);
    out[n++] = (char)(big ? code & 0xFF : code >> 8);
  }
  return n;
}

static void utf16(void) {
  static const struct {
    const char *declaration;
    hys_severity severity;
    uint32_t line, column;
    const char *says;
  } rows[] = {
      {"", NOTHING},
      {"<?xml version=\"1.0\"?>", NOTHING},
      {"<?xml version=\"1.0\" encoding=\"UTF-16\"?>", NOTHING},
      {"<?xml version=\"1.0\" encoding=\"utf-16le\"?>", NOTHING},
      {"<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
       W(1, 31, "the file is UTF-16, whatever its first line says: \"UTF-8\" means nothing")},
      {"<?xml version=\"1.0\" encoding=\"iso-8859-1\"?>",
       W(1, 31, "the file is UTF-16, whatever its first line says: \"iso-8859-1\" means nothing")},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    for (unsigned kind = 0; kind < 4; kind++) {
      tricky_world w = {0};
      char text[1024], bytes[2048];
      const tricky_said want = {rows[i].severity, rows[i].line, rows[i].column, rows[i].says};
      check_label("%s, %s endian, mark %u", rows[i].declaration, kind & 1 ? "big" : "little", kind >> 1);
      snprintf(text, sizeof text, "%s%s", rows[i].declaration, IN_FLOW("x' == <!-- \xC3\xA9 --> 7"));
      const size_t n = to_utf16(bytes, text, (kind & 1) != 0, kind >> 1 != 0);
      const hys_automaton *a = NULL;
      if (tricky_read(&w, bytes, n, NULL, "m.xml", &want))
        a = tricky_flatten(&w);
      CHECK(a != NULL && a->location[0].flow.c[0].lo == 7.0);
      tricky_end(&w);
    }
  }
  /* places count characters; damage is found */
  static const struct {
    const char *text;
    size_t cut; /* bytes off the end */
    uint32_t line, column;
    const char *says;
  } broken[] = {
      {IN_FLOW("x' == <!-- \xC3\xA9 --> *"), 0, 3, 18, NO_OPERAND "`*'"},
      {IN_FLOW("x' == 1"), 1, 3, 48, "half a character of UTF-16 at the end: the file is damaged"},
      {IN_FLOW("x' == 1"), 2, 3, 48, "not well-formed XML: expected '>'"},
  };
  for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
    tricky_world w = {0};
    char bytes[2048];
    const tricky_said want = {HYS_ERROR, broken[i].line, broken[i].column, broken[i].says};
    check_label("%s", broken[i].says);
    tricky_read(&w, bytes, to_utf16(bytes, broken[i].text, false, true) - broken[i].cut, NULL, "m.xml",
                &want);
    tricky_end(&w);
  }
  static const char half[] = "\xFF\xFE<\0s\0>\0\0\xD8<\0/\0s\0>\0",
                    swapped[] = "\xFF\xFE<\0s\0>\0\0\xDC\0\xD8<\0";
  const tricky_said high = {HYS_ERROR, 1, 4, "half a pair of UTF-16 (0xD800): the file is damaged"};
  const tricky_said low = {HYS_ERROR, 1, 4, "half a pair of UTF-16 (0xDC00): the file is damaged"};
  tricky_world w = {0};
  tricky_read(&w, half, sizeof half - 1, NULL, "m.xml", &high);
  tricky_read(&w, swapped, sizeof swapped - 1, NULL, "m.xml", &low);
  tricky_end(&w);
}

#define DECLARED(name, body) "<?xml version=\"1.0\" encoding=\"" name "\"?>\n" body
#define NOT_READ(name)                                                                                       \
  "the encoding \"" name                                                                                     \
  "\" is not read; expected UTF-8, ISO-8859-1 or UTF-16; to convert the file: iconv -f " name " -t UTF-8"
#define LATIN_HINT                                                                                           \
  " is not UTF-8; a file in ISO-8859-1 says so in its first line: <?xml version=\"1.0\" "                    \
  "encoding=\"iso-8859-1\"?>"

static void encodings(void) {
  static const struct {
    const char *xml;
    hys_severity severity;
    uint32_t line, column;
    const char *says;
  } rows[] = {
      {"\xEF\xBB\xBF" IN_FLOW("x'==1"), NOTHING},
      {"\xEF\xBB\xBF" DECLARED("UTF-8", IN_FLOW("x'==1")), NOTHING},
      {"\xEF\xBB\xBF" IN_FLOW("x'==*"), E(3, 5, NO_OPERAND "`*'")},
      {"\xEF\xBB\xBF<html/>", E(1, 1, "the root element is <html>, expected <sspaceex>")},
      {DECLARED("UTF-8", IN_LOCATION("<note>\xC3\xA9</note>")), NOTHING},
      {DECLARED("utf-8", IN_LOCATION("<note>\xC3\xA9</note>")), NOTHING},
      {DECLARED("US-ASCII", IN_FLOW("x'==1")), NOTHING},
      {DECLARED("iso-8859-1", IN_FLOW("x'==1")), NOTHING},
      {DECLARED("iso-8859-1", IN_LOCATION("<note>\xE9\xFC\x80</note>")), NOTHING},
      {DECLARED("ISO-8859-1", IN_LOCATION("<note>\xE9</note>")), NOTHING},
      {DECLARED("latin1", IN_LOCATION("<note>\xE9</note>")), NOTHING},
      {"<?xml version='1.0' encoding='iso-8859-1'?>" IN_LOCATION("<note>\xE9</note>"), NOTHING},
      {"<?xml version='1.0' encoding = 'iso-8859-1' standalone='yes'?>" IN_LOCATION("<note>\xE9</note>"),
       NOTHING},
      {DECLARED("iso-8859-1", IN_FLOW("x' <!-- \xE9\xE8 --> == *")), E(4, 19, NO_OPERAND "`*'")},
      {DECLARED("iso-8859-1", IN_FLOW("\xE9' == 1")), E(4, 1, "unexpected character (byte 0xc3)")},
      {IN_LOCATION("<note>\xE9</note>"), E(3, 7, "byte 0xE9" LATIN_HINT)},
      {DECLARED("UTF-8", IN_LOCATION("<note>\xC3\xA9 \xE9</note>")), E(4, 9, "byte 0xE9" LATIN_HINT)},
      {DECLARED("UTF-8", IN_LOCATION("<note>\xC0\xBC</note>")), E(4, 7, "byte 0xC0" LATIN_HINT)},
      {DECLARED("UTF-8", IN_LOCATION("<note>\xED\xA0\x80</note>")), E(4, 7, "byte 0xED" LATIN_HINT)},
      {DECLARED("UTF-8", IN_LOCATION("<note>\xF4\x90\x80\x80</note>")), E(4, 7, "byte 0xF4" LATIN_HINT)},
      {DECLARED("UTF-8", IN_LOCATION("<note>\xE2\x82</note>")), E(4, 7, "byte 0xE2" LATIN_HINT)},
      {DECLARED("utf-7", IN_FLOW("x'==1")), E(1, 31, NOT_READ("utf-7"))},
      {DECLARED("windows-1252", IN_FLOW("x'==1")), E(1, 31, NOT_READ("windows-1252"))},
      {DECLARED("iso-8859-15", IN_FLOW("x'==1")), E(1, 31, NOT_READ("iso-8859-15"))},
      {DECLARED("Shift_JIS", IN_FLOW("x'==1")), E(1, 31, NOT_READ("Shift_JIS"))},
      {DECLARED("EBCDIC-CP-US", IN_FLOW("x'==1")), E(1, 31, NOT_READ("EBCDIC-CP-US"))},
      {DECLARED("x; rm y", IN_FLOW("x'==1")),
       E(1, 31, "the encoding \"x; rm y\" is not read; expected UTF-8, ISO-8859-1 or UTF-16")},
      {DECLARED("UTF-16", IN_FLOW("x'==1")),
       E(1, 31, "the file is not UTF-16; if it is UTF-8, its first line has to say encoding=\"UTF-8\"")},
      {"\xFF\xFE\x01", E(1, 1, "half a character of UTF-16 at the end: the file is damaged")},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    tricky_world w = {0};
    const tricky_said want = {rows[i].severity, rows[i].line, rows[i].column, rows[i].says};
    check_label("%zu: %.60s", i, rows[i].xml);
    tricky_read(&w, rows[i].xml, strlen(rows[i].xml), NULL, "m.xml", &want);
    tricky_end(&w);
  }
  static const char wide[] = "\xFF\xFE\0\0<\0\0\0", wide_big[] = "\0\0\xFE\xFF\0\0\0<";
  const tricky_said refused = {
      HYS_ERROR, 1, 1, "the encoding UTF-32 is not read; to convert the file: iconv -f UTF-32 -t UTF-8"};
  tricky_world w = {0};
  tricky_read(&w, wide, sizeof wide - 1, NULL, "m.xml", &refused);
  tricky_read(&w, wide_big, sizeof wide_big - 1, NULL, "m.xml", &refused);
  tricky_end(&w);
}

/* ---- configurations ---- */

static const char plant[] = ROOT(COMPONENT("c", REAL("x") REAL("y") ON("x' == 1 &amp; y' == 0")));

static void configurations(void) {
  static const struct {
    const char *cfg;
    hys_severity severity;
    uint32_t line, column;
    const char *says;
    uint32_t sets, rows; /* of initially */
    double horizon;
    uint32_t bad; /* sets of forbidden */
  } rows[] = {
      {"", NOTHING, 1, 0, 0, 0},
      {"\n\n", NOTHING, 1, 0, 0, 0},
      {"# nothing", NOTHING, 1, 0, 0, 0},
      {"initially = \"x == 0\"", NOTHING, 1, 2, 0, 0},
      {"initially = \"x == 0 &\n\n  y == 1\"\n", NOTHING, 1, 4, 0, 0},
      {"initially = \"x == 0 &\r\n\r\n  y == 1\"\r\n", NOTHING, 1, 4, 0, 0},
      {"initially=\"x==0\"# c\n", NOTHING, 1, 2, 0, 0},
      {"initially = \"x == 0\" # c \" d\n", NOTHING, 1, 2, 0, 0},
      {"initially = x == 0 # c\n", NOTHING, 1, 2, 0, 0},
      {"initially = x == 0#c", NOTHING, 1, 2, 0, 0},
      {"initially=x==0", NOTHING, 1, 2, 0, 0},
      {"  initially\t=\t\"x == 0\"", NOTHING, 1, 2, 0, 0},
      {"INITIALLY = \"x == 0\"\nTime-Horizon = 3\n", NOTHING, 1, 2, 3, 0},
      {"initially = \"x == 0\";\ntime-horizon = 2.5 ;\n", NOTHING, 1, 2, 2.5, 0},
      {"initially = \"\"", NOTHING, 1, 0, 0, 0},
      {"initially =", NOTHING, 1, 0, 0, 0},
      {"forbidden = \"\"\n", NOTHING, 1, 0, 0, 0},
      {"forbidden =\n", NOTHING, 1, 0, 0, 0},
      {"forbidden = # none\n", NOTHING, 1, 0, 0, 0},
      {"forbidden = y >= 0.006", NOTHING, 1, 0, 0, 1},
      {"forbidden = \"x > 1 | y > 1 || x < -1\"", NOTHING, 1, 0, 0, 3},
      {"forbidden = \"x > 1 & (y > 1 | y < 0 | (y == 0.5 & x > 3))\"", NOTHING, 1, 0, 0, 3},
      {"system = c\n", NOTHING, 1, 0, 0, 0},
      {"system = \"c\" # c\n", NOTHING, 1, 0, 0, 0},
      {"system =\n", NOTHING, 1, 0, 0, 0},
      {"system = \"\"\n", NOTHING, 1, 0, 0, 0},
      {"zono.order = 50;\niter-max=-1\ndirections = { t == 1 & x1 == 1 }\n", NOTHING, 1, 0, 0, 0},
      {"initially = \"loc()==on\"", NOTHING, 1, 0, 0, 0},
      {"initially = \"loc(c) = on & x == 0\"", NOTHING, 1, 2, 0, 0},
      {"initially = \"loc( c )==on\"", NOTHING, 1, 0, 0, 0},
      {"time-horizon = 1e2", NOTHING, 1, 0, 100, 0},
      {"\xEF\xBB\xBFinitially = \"x == 0\"", NOTHING, 1, 2, 0, 0},
      {"\xEF\xBB\xBFinitially = \"x == z\"", E(1, 19, "`z' is not a variable of system `c'"), 0, 0, 0, 0},
      {"\xEF\xBB\xBFinitialy = 1",
       W(1, 1, "key `initialy' is not known; it has no effect; did you mean `initially'?"), 1, 0, 0, 0},
      {"[nonlinear]\n", W(1, 1, "sections mean nothing here; this line is ignored"), 1, 0, 0, 0},
      {"initially = \"x <= 1\"\ninitially = \"x == 2\"\n",
       W(2, 1, "key `initially' is there twice; the last one counts"), 1, 2, 0, 0},
      {"time-horizon = 1\nTIME-HORIZON = 2\n",
       W(2, 1, "key `TIME-HORIZON' is there twice; the last one counts"), 1, 0, 2, 0},
      {"directions = oct\ndirections = box\n", NOTHING, 1, 0, 0, 0},
      {"initially = \"# x == 0\"", E(1, 14, "unexpected character `#'"), 0, 0, 0, 0},
      {"initially = \"x == 0\nforbidden = x > 1\n", E(1, 13, "this quote is not closed"), 0, 0, 0, 0},
      {"initially = \"", E(1, 13, "this quote is not closed"), 0, 0, 0, 0},
      {"initially = \"x == 0\" & y == 1", E(1, 22, "expected the end of the line behind a quoted value"), 0,
       0, 0, 0},
      {"initially = 'x == 0'", E(1, 13, "a prime stands directly behind the name of a variable"), 0, 0, 0, 0},
      {"initially \"x == 0\"", E(1, 1, "expected a line `key = value'"), 0, 0, 0, 0},
      {"= 5", E(1, 1, "expected a line `key = value'"), 0, 0, 0, 0},
      {"// comment", E(1, 1, "expected a line `key = value'"), 0, 0, 0, 0},
      {"system = d", E(1, 10, "system `d' is not a component of the model"), 0, 0, 0, 0},
      {"system = C", E(1, 10, "system `C' is not a component of the model; did you mean `c'?"), 0, 0, 0, 0},
      {"time-horizon = ten", E(1, 16, "time-horizon is not a number"), 0, 0, 0, 0},
      {"time-horizon = 10 s", E(1, 16, "time-horizon is not a number"), 0, 0, 0, 0},
      {"time-horizon = -1", E(1, 16, "time-horizon must be a number of seconds, not negative"), 0, 0, 0, 0},
      {"time-horizon = 1e999", E(1, 16, "time-horizon must be a number of seconds, not negative"), 0, 0, 0,
       0},
      {"initially = \"x == 0 &\n\n  z == 1\"", E(3, 3, "`z' is not a variable of system `c'"), 0, 0, 0, 0},
      {"initially = \"loc()==off\"", E(1, 14, "`off' is not a location of component `c'"), 0, 0, 0, 0},
      {"initially = \"loc(apple)==on\"", E(1, 14, "`apple' is not an instance with locations of system `c'"),
       0, 0, 0, 0},
      {"initially = \"loc()!=on\"", E(1, 19, "expected `==' behind loc(), found `!='"), 0, 0, 0, 0},
      {"initially = \"loc()==\"", E(1, 21, "expected the name of a location, found the end of the text"), 0,
       0, 0, 0},
      {"initially = \"loc(c d)==on\"", E(1, 20, "expected `)' behind the instance in loc(), found `d'"), 0, 0,
       0, 0},
      {"initially = \"x' == 0\"",
       E(1, 15, "a primed variable has no meaning here: primes belong to flows and assignments"), 0, 0, 0, 0},
      {"initially = \"x := 0\"", E(1, 16, "`:=' belongs to assignments; a comparison is written `=='"), 0, 0,
       0, 0},
      {"initially = \"x\"",
       E(1, 14, "a condition is expected here (a comparison, true or false), this is a number"), 0, 0, 0, 0},
      {"initially = x == 0, y == 1",
       E(1, 19,
         "a comma separates arguments; conditions are joined by `&', and a number has a decimal point"),
       0, 0, 0, 0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    tricky_world w = {0};
    const hys_automaton *a = NULL;
    const tricky_said want = {rows[i].severity, rows[i].line, rows[i].column, rows[i].says};
    check_label("%s", rows[i].cfg);
    if (tricky_read(&w, plant, strlen(plant), rows[i].cfg, "m.cfg", &want) &&
        (rows[i].says == NULL || rows[i].severity != HYS_ERROR))
      a = tricky_flatten(&w);
    if (a != NULL) {
      CHECK_INT(a->n_initially, rows[i].sets);
      if (a->n_initially > 0)
        CHECK_INT(a->initially[0].set.n, rows[i].rows);
      CHECK_SAME(a->time_horizon, rows[i].horizon);
      CHECK_INT(a->n_forbidden, rows[i].bad);
    }
    tricky_end(&w);
  }
}

/* All keys that SpaceEx knows for itself: one note, each named once. */
static void other_keys(void) {
  static const char *const keys[] = {"sampling-time",
                                     "scenario",
                                     "output-variables",
                                     "output-format",
                                     "directions",
                                     "iter-max",
                                     "rel-err",
                                     "abs-err",
                                     "set-aggregation",
                                     "flowpipe-tolerance",
                                     "flowpipe-tolerance-rel",
                                     "output-error",
                                     "clustering",
                                     "verbosity",
                                     "simu-init-sampling-points",
                                     "output-file",
                                     "zono.order",
                                     "zono.ntaylor",
                                     "additional-options",
                                     "map-zero-duration-jump-sets",
                                     "intersection-error",
                                     "linearization-error-factor",
                                     "domain-distance-factor"};
  enum { N = sizeof keys / sizeof keys[0] };
  char cfg[4096] = "time-horizon = 1\n", want[1024] = "without effect here: ";
  tricky_world w = {0};
  const tricky_said none = {0};
  for (size_t i = 0; i < N; i++) {
    snprintf(cfg + strlen(cfg), sizeof cfg - strlen(cfg), "%s = \"a == 1, b\"\n%s = 5\n", keys[i], keys[i]);
    snprintf(want + strlen(want), sizeof want - strlen(want), "%s%s", i > 0 ? ", " : "", keys[i]);
  }
  if (tricky_read(&w, plant, strlen(plant), cfg, "m.cfg", &none) && CHECK_INT(w.said.n, 1)) {
    CHECK_STR(w.said.item[0].text, want);
    CHECK_INT(w.said.item[0].line, 2);
    CHECK_INT(w.said.item[0].severity, HYS_NOTE);
  }
  tricky_end(&w);
}

CHECK_MAIN("tricky files", {"roots and name spaces", roots}, {"maps", maps},
           {"networks and labels", networks}, {"what XML does to texts", texts}, {"UTF-16", utf16},
           {"encodings", encodings}, {"configurations", configurations}, {"keys without effect", other_keys})
