#include "core/allocator.h"
#include "core/diagnostics.h"
#include "models/model.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <string.h>

/* One fault a file: where it was planted and what is to be said, word for word. */
static const struct row {
  const char *name; /* of the .xml, and of the .cfg where there is one */
  bool in_cfg;      /* the fault is in the configuration */
  uint32_t line, column;
  hys_severity severity;
  bool flatten; /* reading succeeds, the automaton does not */
  const char *text;
} rows[] = {
    {"root", false, 2, 1, HYS_ERROR, false, "the root element is <automaton>, expected <sspaceex>"},
    {"no-component", false, 2, 1, HYS_ERROR, false, "the model has no component"},
    {"component-id", false, 3, 1, HYS_ERROR, false, "<component> needs the attribute `id'"},
    {"component-twice", false, 10, 16, HYS_ERROR, false, "a second component with id=\"c\"; it is left out"},
    {"neither", false, 3, 1, HYS_ERROR, false, "component `c' has neither locations nor binds"},
    {"both", false, 10, 1, HYS_ERROR, false,
     "component `n' has locations and binds: it must be either a base or a network"},
    {"param-type", false, 4, 23, HYS_ERROR, false, "parameter `x' has type `int', expected real or label"},
    {"param-size", false, 4, 47, HYS_ERROR, false,
     "parameter `x' has d1=\"3\": vectors and matrices are not read, only 1 by 1"},
    {"param-dynamics", false, 4, 67, HYS_ERROR, false,
     "parameter `x' has dynamics=\"some\", expected any or const"},
    {"param-boolean", false, 4, 36, HYS_ERROR, false, "attribute `local' is `no', expected true or false"},
    {"param-twice", false, 5, 14, HYS_ERROR, false, "parameter `x' is declared twice in component `c'"},
    {"param-name", false, 5, 14, HYS_ERROR, false,
     "`2y' is not a name: letters, digits and `_', not beginning with a digit"},
    {"location-id-twice", false, 9, 15, HYS_ERROR, false, "a second location with id=\"1\" in component `c'"},
    {"location-name-twice", false, 9, 24, HYS_ERROR, false,
     "a second location with the name `on' in component `c'"},
    {"target", false, 9, 32, HYS_ERROR, false, "target=\"7\" is the id of no location of component `c'"},
    {"asap", false, 9, 41, HYS_ERROR, true,
     "asap=\"true\" (a jump that must be taken at once): a shield does not read it"},
    {"flow-twice", false, 8, 5, HYS_ERROR, false, "a second <flow> in one <location>"},
    {"label-is-variable", false, 10, 12, HYS_ERROR, false, "`x' is a variable, not a label"},
    {"operand", false, 7, 24, HYS_ERROR, false,
     "expected a number, a name or a parenthesis, found the end of the text"},
    {"two-operators", false, 7, 21, HYS_ERROR, false,
     "expected a number, a name or a parenthesis, found `*'"},
    {"product", false, 7, 18, HYS_ERROR, false,
     "expected an operator between a number and a name; a product is written with `*'"},
    {"semicolon", false, 7, 18, HYS_ERROR, false, "unexpected `;'"},
    {"comma", false, 7, 18, HYS_ERROR, false,
     "a comma separates arguments; conditions are joined by `&', and a number has a decimal point"},
    {"parenthesis", false, 7, 19, HYS_ERROR, false, "this parenthesis is not closed"},
    {"closing", false, 6, 25, HYS_ERROR, false, "`)' closes nothing"},
    {"exponent", false, 7, 18, HYS_ERROR, false, "an exponent needs digits"},
    {"points", false, 7, 20, HYS_ERROR, false, "a number has one decimal point"},
    {"overflow", false, 7, 17, HYS_ERROR, false, "the number is too large (the largest is about 1.797e308)"},
    {"second-prime", false, 7, 13, HYS_ERROR, false, "a second prime: only first derivatives are read"},
    {"prime-apart", false, 7, 13, HYS_ERROR, false, "a prime stands directly behind the name of a variable"},
    {"prime-in-guard", false, 10, 13, HYS_ERROR, false,
     "a primed variable has no meaning here: primes belong to flows and assignments"},
    {"function", false, 7, 17, HYS_ERROR, false,
     "`sine' is not a function that is read here; did you mean `sin'?"},
    {"arguments", false, 7, 17, HYS_ERROR, false, "`min' takes 2 arguments, here are 1"},
    {"unknown-name", false, 7, 25, HYS_ERROR, false,
     "`sped' is not declared in component `c'; did you mean `speed'?"},
    {"label-in-flow", false, 8, 17, HYS_ERROR, false, "`go' is a label, a variable is expected here"},
    {"condition-as-number", false, 7, 20, HYS_ERROR, false, "a number is expected here, this is a condition"},
    {"number-as-condition", false, 6, 18, HYS_ERROR, false,
     "a condition is expected here (a comparison, true or false), this is a number"},
    {"assign-in-invariant", false, 6, 18, HYS_ERROR, false,
     "`:=' belongs to assignments; a comparison is written `=='"},
    {"loc-in-guard", false, 10, 12, HYS_ERROR, false, "loc() belongs to the sets of a configuration"},
    {"character", false, 7, 19, HYS_ERROR, false, "unexpected character `#'"},
    {"dump", false, 7, 19, HYS_ERROR, false,
     "`with ...' is how SpaceEx prints a flattened model with inputs; it is no model text and cannot be "
     "read"},
    {"split-by-entities", false, 7, 19, HYS_ERROR, false,
     "expected a number, a name or a parenthesis, found `<'"},
    {"flow-twice-in-text", false, 7, 28, HYS_ERROR, false, "`x' has a second flow in one location"},
    {"flow-two-primes", false, 8, 14, HYS_ERROR, false,
     "a derivative must stand alone on one side: x' == e, without primes in e"},
    {"flow-or", false, 7, 19, HYS_ERROR, false,
     "a flow is a conjunction of equations x' == e; this is not read"},
    {"flow-of-constant", false, 8, 28, HYS_ERROR, false, "`k' is a constant: it has no flow"},
    {"assigned-twice", false, 10, 32, HYS_ERROR, false, "`x' is assigned twice in one transition"},
    {"assign-constant", false, 11, 19, HYS_ERROR, false, "`k' is a constant: it cannot be assigned"},
    {"assign-number", false, 10, 19, HYS_ERROR, false, "on the left of an assignment stands one variable"},
    {"assign-nothing", false, 10, 19, HYS_ERROR, false,
     "this assigns nothing: the value after the jump is written x'; a condition belongs to the guard"},
    {"unknown-component", false, 12, 20, HYS_ERROR, false,
     "component `d' is not in the file; the instance is left out"},
    {"self-bind", false, 4, 20, HYS_ERROR, false,
     "component `n' would contain itself; the instance is left out"},
    {"as-twice", false, 15, 27, HYS_ERROR, false, "a second instance with as=\"c1\" in component `n'"},
    {"map-key", false, 14, 15, HYS_ERROR, false, "`z' is not a parameter of component `c'"},
    {"map-missing", false, 12, 3, HYS_ERROR, false, "`x' of component `c' is not mapped"},
    {"map-empty", false, 13, 5, HYS_ERROR, false, "the map of `x' has no value"},
    {"map-undeclared", false, 13, 18, HYS_ERROR, false, "`z1' is not declared in component `n'"},
    {"map-expression", false, 13, 20, HYS_ERROR, false,
     "`x' in an expression: a map's value is a name, or an expression of numbers"},
    {"map-list", false, 13, 20, HYS_ERROR, false, "expected an operator, found `2'"},
    {"map-twice", false, 14, 15, HYS_ERROR, false, "`x' is mapped twice in one bind"},
    {"map-local", false, 13, 15, HYS_ERROR, false, "`x' is local to component `c': it cannot be mapped"},
    {"map-type", false, 13, 18, HYS_ERROR, false, "`go' is a label, but `x' of component `c' is a variable"},
    {"map-constant", false, 15, 18, HYS_ERROR, false,
     "`x' may change, but `k' of component `c' is a constant"},
    {"flow-of-number", false, 7, 14, HYS_ERROR, false,
     "`x' has a flow, but instance `c1' binds it to a number"},
    {"two-drivers", false, 7, 14, HYS_ERROR, false, "`x' has a flow in two instances, `c1' and `c2'"},
    {"cfg-quote", true, 2, 13, HYS_ERROR, false, "this quote is not closed"},
    {"cfg-line", true, 1, 1, HYS_ERROR, false, "expected a line `key = value'"},
    {"cfg-behind", true, 1, 22, HYS_ERROR, false, "expected the end of the line behind a quoted value"},
    {"cfg-horizon", true, 1, 16, HYS_ERROR, false, "time-horizon is not a number"},
    {"cfg-system", true, 1, 11, HYS_ERROR, false, "system `d' is not a component of the model"},
    {"cfg-variable", true, 2, 3, HYS_ERROR, false, "`y' is not a variable of system `c'"},
    {"cfg-location", true, 1, 14, HYS_ERROR, false, "`off' is not a location of component `c'"},
    {"cfg-instance", true, 2, 22, HYS_ERROR, false,
     "`c2' is not an instance with locations of system `n'; did you mean `c1'?"},
    {"cfg-network-loc", true, 1, 13, HYS_ERROR, false,
     "loc() names no instance: system `n' is a network of 1; write loc(c1)"},
    {"cfg-ambiguous", true, 1, 14, HYS_ERROR, false, "`x' may mean several variables: `c1.x', `c2.x'"},
    {"unused", false, 5, 1, HYS_WARNING, false, "`y' is declared and never used"},
    {"undeclared-label", false, 10, 13, HYS_WARNING, false,
     "label `go' is not declared in component `c': nobody else can take part in it"},
    {"unknown-element", false, 8, 5, HYS_WARNING, false,
     "element <invariants> is not known; it is ignored; did you mean `invariant'?"},
    {"power", false, 7, 17, HYS_WARNING, false,
     "a minus before a power is read as -(x^y); parentheses would say so"},
    {"cfg-key", true, 1, 1, HYS_WARNING, false,
     "key `initialy' is not known; it has no effect; did you mean `initially'?"},
    {"cfg-twice", true, 2, 1, HYS_WARNING, false, "key `initially' is there twice; the last one counts"},
    {"flat-product", false, 8, 18, HYS_ERROR, true,
     "this is not affine in the variables: a shield needs affine models"},
    {"flat-disjunction", false, 6, 26, HYS_ERROR, true,
     "a disjunction: a shield needs convex conditions here"},
    {"flat-unbounded", false, 6, 1, HYS_ERROR, true,
     "input `u' is not bounded: the invariant must say  lo <= input <= hi in location `on'"},
    {"flat-half-open", false, 10, 20, HYS_ERROR, true,
     "the value after the jump has no upper bound: a shield needs both"},
    {"flat-constant", false, 8, 17, HYS_ERROR, true,
     "the constant `k' has no value: the configuration gives one by `initially'"},
    {"flat-free-state", false, 9, 1, HYS_ERROR, true,
     "state `x' has no flow, but one elsewhere: it would be free in location `off'"},
    {"flat-division", false, 7, 18, HYS_ERROR, true, "this is not a finite number"},
    {"doctype", false, 2, 1, HYS_ERROR, false, "a document type definition is not allowed"},
    {"tags-crossed", false, 6, 29, HYS_ERROR, false,
     "not well-formed XML: Opening and ending tag mismatch: flow line 6 and location"},
    {"bare-ampersand", false, 6, 24, HYS_ERROR, false, "not well-formed XML: xmlParseEntityRef: no name"},
    {"entity", false, 7, 25, HYS_ERROR, false, "not well-formed XML: Entity 'nbsp' not defined"},
    {"attribute-twice", false, 4, 39, HYS_ERROR, false, "not well-formed XML: Attribute name redefined"},
    {"cut-off", false, 5, 1, HYS_ERROR, false,
     "not well-formed XML: Premature end of data in tag component line 3"},
    {"behind-the-root", false, 11, 1, HYS_ERROR, false,
     "not well-formed XML: Extra content at the end of the document"},
    {"encoding-unknown", false, 1, 31, HYS_ERROR, false,
     "the encoding \"koi8-r\" is not read; expected UTF-8, ISO-8859-1 or UTF-16; to convert the file: iconv "
     "-f koi8-r -t UTF-8"},
    {"encoding-wrong", false, 1, 31, HYS_ERROR, false,
     "the file is not UTF-16; if it is UTF-8, its first line has to say encoding=\"UTF-8\""},
    {"byte", false, 4, 12, HYS_ERROR, false,
     "byte 0xE9 is not UTF-8; a file in ISO-8859-1 says so in its first line: <?xml version=\"1.0\" "
     "encoding=\"iso-8859-1\"?>"},
    {"zero-byte", false, 4, 9, HYS_ERROR, false, "a zero byte: this is no text"},
    {"deep-elements", false, 9, 192, HYS_ERROR, false,
     "elements are nested more than 64 deep (HYS_XML_MAX_DEPTH)"},
    {"long-name", false, 9, 3, HYS_ERROR, false, "a name longer than 256 bytes (HYS_XML_MAX_NAME)"},
    {"param-nameless", false, 4, 3, HYS_ERROR, false, "<param> needs the attribute `name'"},
    {"param-typeless", false, 4, 3, HYS_ERROR, false, "<param> needs the attribute `type'"},
    {"param-explicit", false, 4, 41, HYS_ERROR, false,
     "parameter `x' has dynamics=\"explicit\", which is not read"},
    {"param-truth", false, 4, 16, HYS_ERROR, false, "`true' cannot be a name: it is a truth value"},
    {"location-without-id", false, 9, 3, HYS_ERROR, false, "<location> needs the attribute `id'"},
    {"location-without-name", false, 5, 3, HYS_WARNING, false,
     "location 1 has no name; its id stands for it"},
    {"source-missing", false, 9, 3, HYS_ERROR, false, "<transition> needs the attribute `source'"},
    {"target-empty", false, 9, 34, HYS_ERROR, false, "<transition> needs the attribute `target'"},
    {"source", false, 9, 23, HYS_ERROR, false, "source=\"9\" is the id of no location of component `c'"},
    {"timedriven", false, 9, 49, HYS_ERROR, false, "timedriven=\"true\" is not read"},
    {"priority", false, 9, 47, HYS_WARNING, false,
     "priority=\"2\" has no effect here: every enabled jump may be taken"},
    {"bind-component", false, 11, 3, HYS_ERROR, false, "<bind> needs the attribute `component'"},
    {"bind-as", false, 12, 3, HYS_ERROR, false, "<bind> needs the attribute `as'"},
    {"invariant-twice", false, 7, 5, HYS_ERROR, false, "a second <invariant> in one <location>"},
    {"guard-twice", false, 11, 5, HYS_ERROR, false, "a second <guard> in one <transition>"},
    {"label-twice", false, 12, 5, HYS_ERROR, false, "a second <label> in one <transition>"},
    {"assignment-element-twice", false, 11, 5, HYS_ERROR, false, "a second <assignment> in one <transition>"},
    {"version", false, 2, 79, HYS_WARNING, false,
     "version \"0.3\" of the format is not known; it is read as 0.2"},
    {"math", false, 2, 90, HYS_WARNING, false, "math=\"HyTech\" is not known; it is read as SpaceEx"},
    {"attribute", false, 5, 30, HYS_WARNING, false,
     "attribute `initial' of <location> is not known; it is ignored"},
    {"misplaced", false, 5, 3, HYS_WARNING, false,
     "element <guard> does not belong into <component>; it is ignored"},
    {"stray-text", false, 10, 5, HYS_WARNING, false, "text directly inside <transition> is ignored"},
    {"element-in-formula", false, 7, 17, HYS_ERROR, false, "element <i> inside a formula"},
    {"label-words", false, 10, 12, HYS_ERROR, false, "`go now' is not the name of a label"},
    {"label-number", false, 17, 5, HYS_ERROR, false, "label `go' is mapped to a number"},
    {"label-blocks", false, 5, 3, HYS_WARNING, false,
     "label `go' is declared, but no transition has it: it blocks everyone who shares it"},
    {"two-systems", false, 10, 1, HYS_WARNING, false,
     "2 components are bound by nobody; `d', the last, is taken as the system"},
    {"map-no-key", false, 14, 5, HYS_ERROR, false, "<map> needs the attribute `key'"},
    {"map-infinite", false, 14, 19, HYS_ERROR, false, "this has no finite value"},
    {"flow-bound-constant", false, 7, 14, HYS_ERROR, false,
     "`x' has a flow, but instance `c1' binds it to the constant `k'"},
    {"assign-bound-number", false, 11, 19, HYS_ERROR, false,
     "`x' is assigned, but instance `c1' binds it to a number"},
    {"assign-bound-constant", false, 11, 19, HYS_ERROR, false,
     "`x' is assigned, but instance `c1' binds it to the constant `k'"},
    {"flow-of-two-names", false, 8, 28, HYS_ERROR, false,
     "`v' has a second flow in one location: two parameters are bound to it"},
    {"flow-uncontrolled", false, 7, 14, HYS_WARNING, false,
     "`x' has a flow in component `c', which does not control it"},
    {"assign-uncontrolled", false, 11, 19, HYS_WARNING, false,
     "`y' is assigned in component `c', which does not control it"},
    {"algebraic", false, 8, 27, HYS_WARNING, false,
     "without a prime this says nothing of a derivative: it is read as a condition that always holds here"},
    {"assign-primes", false, 11, 19, HYS_ERROR, false,
     "the right side of an assignment speaks of the values before the jump: no primes"},
    {"assign-chain", false, 11, 24, HYS_ERROR, false, "`:=' cannot be part of a chain of comparisons"},
    {"assign-two-primes", false, 11, 25, HYS_ERROR, false,
     "a primed variable must stand alone on one side: x' <= e, without primes in e"},
    {"assign-or", false, 11, 24, HYS_ERROR, false,
     "an assignment is a conjunction of x := e and bounds of x'; this is not read"},
    {"assign-undeclared", false, 11, 30, HYS_WARNING, false, "`w' is not declared in component `c'"},
    {"not", false, 6, 16, HYS_ERROR, false, "`!' is followed by a condition in parentheses"},
    {"juxtaposed", false, 7, 19, HYS_ERROR, false,
     "expected an operator, found `x'; a product is written with `*', a conjunction with `&'"},
    {"tower", false, 7, 18, HYS_WARNING, false, "x^y^z is read as x^(y^z); parentheses would say so"},
    {"pow-function", false, 7, 17, HYS_ERROR, false,
     "`pow' is not a function that is read here; it is written x^y"},
    {"no-arguments", false, 7, 17, HYS_ERROR, false, "`cos' takes 1 argument, here are 0"},
    {"deep-parentheses", false, 7, 1016, HYS_ERROR, false,
     "more than 1000 operators and parentheses are open here (HYS_MAX_EXPR_DEPTH)"},
    {"list-alone", false, 7, 21, HYS_ERROR, false,
     "a list in brackets is no number: it belongs into lut() or reshape()"},
    {"lut-inputs", false, 7, 17, HYS_ERROR, false, "lut() has 2 inputs and 1 list of breakpoints"},
    {"lut-many-inputs", false, 7, 17, HYS_ERROR, false, "more than 4 inputs of lut() (HYS_MAX_LUT_INPUTS)"},
    {"lut-sizes", false, 7, 24, HYS_ERROR, false, "the table is 3, the breakpoints call for 2"},
    {"lut-order", false, 7, 42, HYS_ERROR, false, "this breakpoint is not larger than the one before it"},
    {"lut-short", false, 7, 29, HYS_ERROR, false, "a list of breakpoints has at least two"},
    {"lut-no-number", false, 7, 28, HYS_ERROR, false,
     "sizes, tables and breakpoints are numbers; this is none"},
    {"lut-breakpoints", false, 7, 32, HYS_ERROR, false, "breakpoints are a list of numbers in brackets"},
    {"lut-table", false, 7, 24, HYS_ERROR, false,
     "the table of lut() is a list of numbers in brackets, or reshape()"},
    {"lut-reshaped-input", false, 7, 21, HYS_ERROR, false,
     "the inputs of lut() are a number, or a list of numbers in brackets"},
    {"reshape-count", false, 7, 29, HYS_ERROR, false, "the list has 3 entries, its sizes call for 4"},
    {"reshape-size", false, 7, 45, HYS_ERROR, false,
     "a size is a whole number from 1 to 65536 (HYS_MAX_LUT_ENTRIES)"},
    {"reshape-list", false, 7, 37, HYS_ERROR, false, "reshape() takes a list in brackets and its sizes"},
    {"row-length", false, 7, 37, HYS_ERROR, false, "this row has 1 entries, the first has 2"},
    {"cfg-section", true, 1, 1, HYS_WARNING, false, "sections mean nothing here; this line is ignored"},
    {"cfg-horizon-negative", true, 1, 16, HYS_ERROR, false,
     "time-horizon must be a number of seconds, not negative"},
    {"cfg-loc-relation", true, 1, 20, HYS_ERROR, false, "expected `==' behind loc(), found `<='"},
    {"cfg-loc-name", true, 1, 21, HYS_ERROR, false, "expected the name of a location, found `1'"},
    {"cfg-loc-parenthesis", true, 1, 20, HYS_ERROR, false,
     "expected `)' behind the instance in loc(), found `=='"},
    {"flat-contradiction", false, 6, 3, HYS_ERROR, true,
     "input `u' has bounds that contradict each other in location `on'"},
    {"flat-joined-inputs", false, 8, 5, HYS_ERROR, true,
     "the condition in line 9 joins several inputs: a shield needs a bound for each"},
    {"flat-states", false, 3, 1, HYS_ERROR, true,
     "system `c' has 9 states; a shield takes 8 (HYS_MAX_STATES)"},
};
enum { N_ROWS = sizeof rows / sizeof rows[0] };

static const char *file_of(const struct row *r, const char *extension) {
  char name[128];
  snprintf(name, sizeof name, "tests/conform/broken_models/%s.%s", r->name, extension);
  return check_source_path(name);
}

/* Prints what was said instead, for whoever looks at a failure. */
static void print_all(const hys_diagnostics *said) {
  for (uint32_t i = 0; i < said->n; i++)
    printf("  %u:%u %d: %s\n", said->item[i].line, said->item[i].column, (int)said->item[i].severity,
           said->item[i].text);
}

static void check_row(const struct row *r, hys_arena *arena) {
  const char *xml = file_of(r, "xml"), *where = r->in_cfg ? file_of(r, "cfg") : xml;
  const hys_model *model = NULL;
  const hys_automaton *automaton = NULL;
  hys_diagnostics said;
  bool found = false;
  hys_status status;

  hys_diagnostics_init(&said, arena);
  status = hys_model_read(&model, xml, NULL, NULL, arena, &said);
  if (r->flatten) {
    CHECK_INT(status, HYS_OK);
    if (status == HYS_OK)
      CHECK(hys_model_automaton(model, arena, &said, &automaton) != HYS_OK);
    CHECK(automaton == NULL);
  } else {
    CHECK_INT(status, r->severity != HYS_ERROR               ? HYS_OK
                      : strstr(r->text, "(HYS_XML_") != NULL ? HYS_ERR_LIMIT
                                                             : HYS_ERR_INPUT);
  }
  for (uint32_t i = 0; i < said.n; i++) {
    const hys_diagnostic *d = &said.item[i];
    found = found || (d->severity == r->severity && d->line == r->line && d->column == r->column &&
                      strcmp(d->file, where) == 0 && strcmp(d->text, r->text) == 0);
  }
  if (!CHECK(found))
    print_all(&said);
  /* one fault, one error */
  if (!CHECK_INT(said.errors, r->severity == HYS_ERROR ? 1 : 0))
    print_all(&said);
}

static void broken_models(void) {
  for (size_t i = 0; i < N_ROWS; i++) {
    hys_arena *arena = hys_arena_create(NULL);
    check_label("%s", rows[i].name);
    if (CHECK(arena != NULL))
      check_row(&rows[i], arena);
    hys_arena_destroy(arena);
  }
}

/* Two files may not stand for the same fault. */
static void different_faults(void) {
  for (size_t i = 0; i < N_ROWS; i++) {
    for (size_t k = 0; k < i; k++) {
      check_label("%s and %s", rows[i].name, rows[k].name);
      CHECK(strcmp(rows[i].text, rows[k].text) != 0);
    }
  }
}

CHECK_MAIN("broken models", {"each fault has its message and its place", broken_models},
           {"the faults differ", different_faults})
