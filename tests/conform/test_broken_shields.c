/* Broken shield files, each with one fault: its message, and the place where the fault was put.  The schema,
 * the second gate, refuses those of them that it can see. */
#include "core/allocator.h"
#include "core/diagnostics.h"
#include "models/shield_file.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <string.h>

#include <libxml/parser.h>
#include <libxml/relaxng.h>

#define FOLDER "tests/conform/broken_shields/"

/* clang-format off */
static const struct {
  const char *name;
  uint32_t line, column;
  uint32_t errors; /* one fault may have consequences */
  hys_status status;
  bool schema; /* the schema lets it pass */
  const char *says;
} rows[] = {
      {"not_well_formed", 21, 13, 1, HYS_ERR_INPUT, false, "not well-formed XML"},
      {"doctype", 2, 1, 1, HYS_ERR_INPUT, true, "document type definition is not allowed"},
      {"wrong_namespace", 2, 1, 1, HYS_ERR_INPUT, false, "expected urn:hyshield:shield:1, found \"urn:hyshield:shield:2\""},
      {"wrong_root", 2, 1, 1, HYS_ERR_INPUT, false, "expected <shield>, found \"sield\""},
      {"wrong_version", 2, 1, 1, HYS_ERR_INPUT, false, "expected 1, found \"2\""},
      {"wrong_name", 2, 1, 1, HYS_ERR_INPUT, false, "is not a name"},
      {"unknown_element", 11, 5, 1, HYS_ERR_INPUT, false, "unknown element <mod> in <observe>; expected variable, derived, unobserved or mode (did you mean \"mode\"?)"},
      {"unknown_attribute", 4, 3, 1, HYS_ERR_INPUT, false, "unknown attribute \"stamp_error\" of <timing>"},
      {"missing_attribute", 4, 3, 1, HYS_ERR_INPUT, false, "<timing> lacks the attribute \"deadline\""},
      {"missing_element", 2, 1, 1, HYS_ERR_INPUT, false, "<shield> lacks the element <fallback>"},
      {"repeated_element", 29, 3, 1, HYS_ERR_INPUT, false, "<fallback> is there twice in <shield>; the first is in line 28"},
      {"stray_text", 23, 5, 1, HYS_ERR_INPUT, false, "<events> holds no text; found \"slip\""},
      {"no_model_file", 3, 3, 1, HYS_ERR_INPUT, true, "cannot open \"file\" of <model>: No such file or directory; found \"car.xml\""},
      {"no_config_file", 3, 3, 1, HYS_ERR_INPUT, true, "cannot open \"config\" of <model>: No such file or directory; found \"car.cfg\""},
      {"no_blank", 4, 3, 1, HYS_ERR_INPUT, false, "expected a number, or a number, one blank and a unit, found \"50ms\" (write \"50 ms\")"},
      {"unknown_unit", 7, 5, 1, HYS_ERR_INPUT, true, "\"unit\" of <variable> is not known; expected a unit, \"1\" for none, found \"cms\" (did you mean \""},
      {"not_a_time", 4, 3, 1, HYS_ERR_INPUT, true, "\"deadline\" of <timing> is not a time"},
      {"no_unit", 4, 3, 1, HYS_ERR_INPUT, true, "a time has a unit"},
      {"negative_time", 4, 3, 1, HYS_ERR_INPUT, true, "\"stamp-error\" of <timing> is negative"},
      {"not_a_number", 4, 3, 1, HYS_ERR_INPUT, false, "it does not begin with a number"},
      {"unknown_trigger", 4, 3, 1, HYS_ERR_INPUT, false, "expected polled, event or timer, found \"timers\" (did you mean \"timer\"?)"},
      {"deadline_too_long", 4, 3, 1, HYS_ERR_INPUT, true, "the deadline (51 ms) is longer than the period (50 ms)"},
      {"compute_min_too_long", 4, 3, 1, HYS_ERR_INPUT, true, "compute-min (5 ms) is longer than the deadline (4 ms)"},
      {"actuation_crossed", 4, 3, 1, HYS_ERR_INPUT, true, "actuation-min (30 ms) is longer than actuation-max (20.0000001 ms)"},
      {"unknown_state", 8, 5, 2, HYS_ERR_INPUT, true, "expected x, v or a, found \"vv\" (did you mean \"v\"?)"},
      {"input_listed", 10, 5, 1, HYS_ERR_INPUT, true, "is an input of the model, not a state"},
      {"constant_listed", 10, 5, 1, HYS_ERR_INPUT, true, "is a constant of the model, not a state"},
      {"state_not_covered", 6, 3, 1, HYS_ERR_INPUT, true, "the state \"a\" is neither observed nor unobserved"},
      {"state_twice", 10, 5, 1, HYS_ERR_INPUT, true, "the state \"a\" is listed twice; the first is in line 9"},
      {"range_crossed", 7, 5, 1, HYS_ERR_INPUT, true, "min (121 m) is larger than max (120 m)"},
      {"other_dimension", 7, 5, 1, HYS_ERR_INPUT, true, "\"error\" of <variable> has another dimension; expected a quantity in cm, found \"10 cm/s\""},
      {"negative_error", 8, 5, 1, HYS_ERR_INPUT, true, "\"error\" of <variable> is negative"},
      {"zero_stale", 7, 5, 1, HYS_ERR_INPUT, true, "\"stale\" of <variable> is zero"},
      {"derived_empty", 10, 5, 1, HYS_ERR_INPUT, false, "<derived> has no expression"},
      {"derived_unknown_name", 10, 41, 1, HYS_ERR_INPUT, true, "`y' is not a variable"},
      {"derived_syntax", 10, 43, 1, HYS_ERR_INPUT, true, ")"},
      {"derived_taken", 10, 5, 1, HYS_ERR_INPUT, true, "the name of <derived> is taken"},
      {"unknown_instance", 12, 5, 1, HYS_ERR_INPUT, true, "is not an instance of the model; expected cart or lamp, found \"lamb\" (did you mean \"lamp\"?)"},
      {"mode_twice", 12, 5, 1, HYS_ERR_INPUT, true, "the mode of \"cart\" is listed twice; the first is in line 11"},
      {"unknown_label", 20, 5, 1, HYS_ERR_INPUT, true, "found \"kik\" (did you mean \"kick\"?)"},
      {"label_without_jump", 20, 5, 1, HYS_ERR_INPUT, true, "no jump that can be reached carries the label of this <command>"},
      {"command_twice", 20, 5, 1, HYS_ERR_INPUT, true, "a command is listed twice; found \"go\""},
      {"unknown_edit", 15, 5, 2, HYS_ERR_INPUT, false, "(did you mean \"delay\"?)"},
      {"edit_twice", 15, 5, 1, HYS_ERR_INPUT, true, "lists delay twice"},
      {"edit_behind_suppress", 15, 5, 1, HYS_ERR_INPUT, true, "lists delay behind suppress"},
      {"substitute_without_value", 15, 5, 1, HYS_ERR_INPUT, true, "a command without a value cannot be substituted"},
      {"validity_without_delay", 16, 5, 1, HYS_ERR_INPUT, true, "a command that is never delayed has no validity"},
      {"delay_without_validity", 15, 5, 1, HYS_ERR_INPUT, true, "a command that may be delayed lacks \"validity\""},
      {"priority_out_of_range", 17, 5, 1, HYS_ERR_INPUT, false, "expected a whole number from 0 to 255, found \"256\""},
      {"value_not_a_state", 18, 7, 1, HYS_ERR_INPUT, true, "\"variable\" of <value> is not a state of the model"},
      {"value_of_other_dimension", 18, 7, 1, HYS_ERR_INPUT, true, "another dimension than that of the state \"a\""},
      {"value_not_assigned", 21, 7, 1, HYS_ERR_INPUT, true, "the jump in line 33 of the model does not assign \"a\" by an interval"},
      {"value_range_too_wide", 18, 7, 1, HYS_ERR_INPUT, true, "expected a range inside [-2, 2] (SI)"},
      {"value_step_zero", 18, 7, 1, HYS_ERR_INPUT, true, "\"step\" of <value> is not positive"},
      {"event_is_command", 26, 5, 1, HYS_ERR_INPUT, true, "the label is a command and an event; found \"kick\""},
      {"event_twice", 26, 5, 1, HYS_ERR_INPUT, true, "an event is listed twice"},
      {"latency_missing", 26, 5, 1, HYS_ERR_INPUT, false, "<event> lacks the attribute \"latency\""},
      {"event_value_not_a_state", 24, 7, 1, HYS_ERR_INPUT, true, "is an input of the model, not a state"},
      {"fallback_unknown", 28, 3, 1, HYS_ERR_INPUT, true, "is not one of <commands>; expected go, halt, push or kick, found \"hallt\" (did you mean \"halt\"?)"},
      {"fallback_not_insertable", 28, 3, 1, HYS_ERR_INPUT, true, "may not be inserted (say insert=\"yes\" at the command)"},
      {"fallback_without_value", 28, 3, 1, HYS_ERR_INPUT, true, "needs a value"},
      {"fallback_value_out_of_range", 28, 3, 1, HYS_ERR_INPUT, true, "is outside the range of the command \"push\""},
      {"fallback_value_unwanted", 28, 3, 1, HYS_ERR_INPUT, true, "takes no value"},
      {"fallback_both", 28, 3, 1, HYS_ERR_INPUT, false, "<fallback> has both"},
      {"fallback_neither", 28, 3, 1, HYS_ERR_INPUT, false, "<fallback> has neither"},
      {"fallback_cycle", 28, 3, 2, HYS_ERR_INPUT, true, "the fallback is the cycle of <terminal>, and there is none"},
      {"terminal_to_be_found", 29, 3, 2, HYS_ERR_INPUT, false, "<terminal> is to be found and is given"},
      {"terminal_without_set", 29, 3, 1, HYS_ERR_INPUT, false, "<terminal> has no set"},
      {"set_instance_alone", 30, 5, 1, HYS_ERR_INPUT, false, "<set> has \"instance\" without \"location\""},
      {"unknown_location", 30, 5, 1, HYS_ERR_INPUT, true, "is not a location of \"cart\"; expected moving, braking or resting, found \"restin\" (did you mean \"resting\"?)"},
      {"terminal_unknown_name", 30, 62, 1, HYS_ERR_INPUT, true, "w"},
      {"terminal_syntax", 31, 12, 1, HYS_ERR_INPUT, true, "50"},
      {"terminal_not_affine", 31, 12, 1, HYS_ERR_UNSUPPORTED, true, "affine"},
      {"terminal_strict", 31, 5, 1, HYS_ERR_INPUT, true, "a terminal set is closed"},
      {"queue_too_long", 33, 3, 1, HYS_ERR_INPUT, true, "expected a whole number from 1 to 16, found \"17\""},
      {"plan_too_long", 33, 3, 1, HYS_ERR_INPUT, true, "\"plan-length\" of <limits> is out of range"},
      {"horizon_zero", 33, 3, 1, HYS_ERR_INPUT, true, "\"horizon\" of <limits> is zero"},
      {"horizon_too_short", 33, 3, 1, HYS_ERR_INPUT, true, "the horizon is shorter than a command may be under way"},
      {"unsupported_find", 29, 3, 1, HYS_ERR_UNSUPPORTED, true, "finding a terminal set is not enforced by this version"},
      {"unsupported_cycle", 32, 5, 1, HYS_ERR_UNSUPPORTED, true, "a terminal cycle is not enforced by this version"},
      {"unsupported_polled", 4, 3, 1, HYS_ERR_UNSUPPORTED, true, "trigger=\"polled\" is not enforced by this version (plans send at any instant, not only on a sample: say timer or event)"},
      {"unsupported_keep", 16, 5, 1, HYS_ERR_UNSUPPORTED, true, "channel=\"keep\" is not enforced by this version (a command that waits is overtaken by the next one: say latest)"},
      {"cycle_out_of_order", 34, 7, 2, HYS_ERR_INPUT, true, "not in the order of time"},
      {"cycle_too_long", 33, 7, 2, HYS_ERR_INPUT, true, "behind the end of the cycle"},
};
/* clang-format on */
enum { ROWS = sizeof rows / sizeof rows[0] };

static const char *path_of(const char *name) {
  char path[256];
  snprintf(path, sizeof path, FOLDER "%s.shield.xml", name);
  return check_source_path(path);
}

static void messages_and_places(void) {
  for (size_t i = 0; i < ROWS; i++) {
    hys_arena *arena = hys_arena_create(NULL);
    hys_diagnostics said;
    const hys_spec *spec = NULL;
    const hys_diagnostic *found = NULL;

    check_label("%s", rows[i].name);
    if (!CHECK(arena != NULL))
      return;
    hys_diagnostics_init(&said, arena);
    CHECK_INT(hys_shield_file_read(path_of(rows[i].name), arena, &said, &spec), rows[i].status);
    CHECK(spec == NULL);
    CHECK_INT(said.errors, rows[i].errors);
    for (uint32_t k = 0; k < said.n && found == NULL; k++) {
      if (said.item[k].severity == HYS_ERROR && strstr(said.item[k].text, rows[i].says) != NULL)
        found = &said.item[k];
    }
    if (found == NULL)
      CHECK_STR(said.n > 0 ? said.item[0].text : "(nothing)", rows[i].says);
    if (found != NULL) {
      CHECK_STR(found->file, path_of(rows[i].name));
      CHECK_INT(found->line, rows[i].line);
      CHECK_INT(found->column, rows[i].column);
    }
    hys_arena_destroy(arena);
  }
}

static void quiet(void *context, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void quiet(void *context, const char *format, ...) {
  (void)context, (void)format;
}

static bool valid(xmlRelaxNGPtr schema, const char *path) {
  xmlDocPtr document = xmlReadFile(path, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
  xmlRelaxNGValidCtxtPtr context = xmlRelaxNGNewValidCtxt(schema);
  bool result = false;
  if (document != NULL && context != NULL) {
    xmlRelaxNGSetValidErrors(context, quiet, quiet, NULL);
    result = xmlRelaxNGValidateDoc(context, document) == 0;
  }
  xmlRelaxNGFreeValidCtxt(context);
  xmlFreeDoc(document);
  return result;
}

static xmlRelaxNGPtr read_schema(void) {
  xmlRelaxNGParserCtxtPtr parser = xmlRelaxNGNewParserCtxt(check_source_path("models/shield.rng"));
  xmlRelaxNGPtr schema = parser != NULL ? xmlRelaxNGParse(parser) : NULL;
  xmlRelaxNGFreeParserCtxt(parser);
  CHECK(schema != NULL);
  return schema;
}

static void second_gate(void) {
  xmlRelaxNGPtr schema = read_schema();
  for (size_t i = 0; schema != NULL && i < ROWS; i++) {
    check_label("%s", rows[i].name);
    CHECK(valid(schema, path_of(rows[i].name)) == rows[i].schema);
  }
  xmlRelaxNGFree(schema);
}

static void schema_takes(void) {
  static const char *const good[] = {FOLDER "good.shield.xml",
                                     "models/library/acc/acc.shield.xml",
                                     "models/library/acc/acc_cutin.shield.xml",
                                     "models/library/acc/acc-b4-B8.shield.xml",
                                     "models/library/acc/acc-b6-B8.shield.xml",
                                     "models/library/acc/acc-b8-B6.shield.xml"};
  xmlRelaxNGPtr schema = read_schema();
  for (size_t i = 0; schema != NULL && i < sizeof good / sizeof good[0]; i++) {
    check_label("%s", good[i]);
    CHECK(valid(schema, check_source_path(good[i])));
  }
  xmlRelaxNGFree(schema);
}

static void schema_takes_proposal(void) {
  static const char *const good[] = {"design/shield/acc.shield.xml", "design/shield/pacemaker.shield.xml"};
  xmlRelaxNGPtr schema = read_schema();
  for (size_t i = 0; schema != NULL && i < sizeof good / sizeof good[0]; i++) {
    const char *path = check_shared_path(good[i]);
    check_label("%s", good[i]);
    if (path != NULL)
      CHECK(valid(schema, path));
  }
  xmlRelaxNGFree(schema);
}

/* All of them at once, in the order of the file. */
static void many_problems(void) {
  static const struct {
    uint32_t line;
    const char *says;
  } want[] = {{4, "actuation-max"}, {4, "deadline"}, {7, "error"},
              {9, "colour"},        {15, "insert"},  {33, "queue"}};
  hys_arena *arena = hys_arena_create(NULL);
  hys_diagnostics said;
  const hys_spec *spec = NULL;

  if (!CHECK(arena != NULL))
    return;
  hys_diagnostics_init(&said, arena);
  CHECK_INT(hys_shield_file_read(check_source_path(FOLDER "many_problems.shield.xml"), arena, &said, &spec),
            HYS_ERR_INPUT);
  CHECK_INT(said.errors, sizeof want / sizeof want[0]);
  uint32_t before = 0;
  for (uint32_t k = 0; k < said.n; k++) {
    if (strstr(said.item[k].file, "many_problems") == NULL)
      continue; /* the model's own warnings */
    CHECK(said.item[k].line >= before);
    before = said.item[k].line;
  }
  for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
    bool found = false;
    check_label("%s", want[i].says);
    for (uint32_t k = 0; k < said.n; k++)
      found = found || (said.item[k].line == want[i].line && strstr(said.item[k].text, want[i].says) != NULL);
    CHECK(found);
  }
  hys_arena_destroy(arena);
}

CHECK_MAIN("broken shields", {"messages and places", messages_and_places},
           {"the schema as second gate", second_gate}, {"the schema takes what is right", schema_takes},
           {"the schema takes the proposal", schema_takes_proposal}, {"many problems at once", many_problems})
