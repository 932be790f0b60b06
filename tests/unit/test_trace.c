/* Traces: what is written reads back, and what is wrong is said with its place. */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/rt/interval.h"
#include "sims/trace.h"
#include "tests/support/check.h"

static char path[] = "trace-XXXXXX";

static bool fresh(void) {
  strcpy(path, "trace-XXXXXX");
  const int fd = mkstemp(path);
  if (!CHECK(fd >= 0))
    return false;
  close(fd);
  return true;
}

static bool write_text(const char *text) {
  if (!fresh())
    return false;
  FILE *f = fopen(path, "w");
  const bool good = f != NULL && fputs(text, f) >= 0;
  if (f != NULL)
    fclose(f);
  return CHECK(good);
}

static const double numbers[] = {
    0,       -0.0,     0.1,       1.0 / 3, 1e-300,      -1e300, DBL_MAX, 4.9406564584124654e-324,
    123456., 1e22 / 3, 0.1 + 0.2, 5,       -6.02214e23, 31.25};

static void numbers_read_back(void) {
  char text[32];
  for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; k++) {
    double back = 99;
    hys_trace_number(numbers[k], text, sizeof text);
    check_label("%s", text);
    CHECK(hys_trace_read_number(text, strlen(text), &back));
    CHECK_SAME(back, numbers[k]);
  }
  CHECK_STR(hys_trace_number(0.1, text, sizeof text), "0.1");
  CHECK_STR(hys_trace_number(0.1 + 0.2, text, sizeof text), "0.30000000000000004");
  CHECK_STR(hys_trace_number(HYSI_NAN, text, sizeof text), "");
  CHECK_STR(hys_trace_number(-HYSI_INF, text, sizeof text), "-inf");
  double value = 0;
  CHECK(hys_trace_read_number(" 2.5 ", 5, &value));
  CHECK_SAME(value, 2.5);
  static const char *const wrong[] = {"", " ", "nan", "1,5", "0x10", "1e", "2 3", "--1", "1.5m"};
  for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
    check_label("'%s'", wrong[k]);
    CHECK(!hys_trace_read_number(wrong[k], strlen(wrong[k]), &value));
  }
}

static void a_comma_locale_changes_nothing(void) {
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
  bool found = false;
  for (size_t k = 0; k < 4 && !found; k++)
    found = setlocale(LC_ALL, names[k]) != NULL;
  if (!found) {
    check_skip("no locale with a decimal comma is installed");
    return;
  }
  char text[32];
  double value = 0;
  CHECK_STR(hys_trace_number(0.1, text, sizeof text), "0.1");
  CHECK(hys_trace_read_number("0.1", 3, &value));
  CHECK_SAME(value, 0.1);
  setlocale(LC_ALL, "C");
}

static void rows_read_back(void) {
  if (!fresh())
    return;
  const hys_trace_note notes[] = {{"seed", "7"}, {"title", "a = b, c"}};
  const hys_trace_variable variables[] = {{"d", "m"}, {"v", "m/s"}, {"mode", ""}};
  const double x[3] = {31.1, 0.1 + 0.2, HYSI_NAN};
  hys_trace_writer *w = NULL;
  CHECK_INT(hys_trace_writer_create(&w, path, notes, 2, variables, 3), HYS_OK);
  if (w == NULL)
    return;
  const hys_trace_row sample = {.t = 0.1, .location = "ego=cruise;lead=driving", .x = x, .margin = 29.1};
  const hys_trace_row edit = {.t = 0.1,
                              .location = "ego=cruise;lead=driving",
                              .x = x,
                              .has_id = true,
                              .id = 9007199254740991,
                              .requested = "set_accel=1.5",
                              .applied = "set_accel=1.25",
                              .action = "substitute",
                              .reason = "SUBSTITUTED",
                              .margin = HYSI_NAN};
  CHECK_INT(hys_trace_writer_row(w, &sample), HYS_OK);
  CHECK_INT(hys_trace_writer_row(w, &edit), HYS_OK);
  hys_trace_row comma = edit;
  comma.reason = "a,b";
  CHECK_INT(hys_trace_writer_row(w, &comma), HYS_ERR_ARG);
  CHECK_INT(hys_trace_writer_note(w, "violated_at", ""), HYS_OK);
  CHECK_INT(hys_trace_writer_destroy(w), HYS_OK);

  hys_arena *arena = hys_arena_create(NULL);
  hys_diagnostics problems;
  hys_diagnostics_init(&problems, arena);
  const hys_trace *trace = NULL;
  if (CHECK_INT(hys_trace_read(path, arena, &problems, &trace), HYS_OK) && trace != NULL) {
    CHECK_STR(hys_trace_find(trace, "schema"), HYS_TRACE_SCHEMA);
    CHECK_STR(hys_trace_find(trace, "title"), "a = b, c");
    CHECK_STR(hys_trace_find(trace, "violated_at"), "");
    CHECK(hys_trace_find(trace, "none") == NULL);
    CHECK_INT(trace->n_variables, 3);
    CHECK_STR(trace->variable[1].name, "v");
    CHECK_STR(trace->variable[1].unit, "m/s");
    CHECK_STR(trace->variable[2].unit, "");
    if (CHECK_INT(trace->n_rows, 2)) {
      CHECK_SAME(trace->row[0].t, 0.1);
      CHECK_SAME(trace->row[0].x[1], 0.1 + 0.2);
      CHECK(isnan(trace->row[0].x[2]));
      CHECK(!trace->row[0].has_id);
      CHECK_STR(trace->row[0].requested, "");
      CHECK_SAME(trace->row[0].margin, 29.1);
      CHECK(trace->row[1].has_id && trace->row[1].id == 9007199254740991);
      CHECK_STR(trace->row[1].location, "ego=cruise;lead=driving");
      CHECK_STR(trace->row[1].requested, "set_accel=1.5");
      CHECK_STR(trace->row[1].applied, "set_accel=1.25");
      CHECK_STR(trace->row[1].action, "substitute");
      CHECK_STR(trace->row[1].reason, "SUBSTITUTED");
      CHECK(isnan(trace->row[1].margin));
    }
  }
  hys_arena_destroy(arena);
  unlink(path);
}

#define HEAD "t [s],location,d [m],id,requested,applied,action,reason,margin\n"

static void problems_have_a_place(void) {
  static const struct {
    const char *text;
    uint32_t line, column;
    const char *part;
  } bad[] = {
      {"", 0, 1, "a header"},
      {"t [s],location,d [m],id,requested,applied,action,margin,reason\n", 1, 50, "reason"},
      {"time,location,d [m],id,requested,applied,action,reason,margin\n", 1, 1, "t [s]"},
      {"t [s],location,d [m,id,requested,applied,action,reason,margin\n", 1, 16, "NAME [UNIT]"},
      {"# a = b\n" HEAD "0,,1,,,,,,\n0.1,,1m,,,,,,\n", 4, 6, "a number"},
      {HEAD "0,,1,,,,,\n", 2, 1, "9 fields"},
      {HEAD "1,,1,,,,,,\n0.5,,1,,,,,,\n", 3, 1, "not before"},
      {HEAD "1,,1,x7,,,,,\n", 2, 6, "number of a command"},
      {HEAD "1,,1,99999999999999999999999,,,,,\n", 2, 6, "number of a command"},
  };
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
    if (!write_text(bad[k].text))
      return;
    hys_arena *arena = hys_arena_create(NULL);
    hys_diagnostics problems;
    hys_diagnostics_init(&problems, arena);
    const hys_trace *trace = NULL;
    check_label("row %zu", k);
    CHECK_INT(hys_trace_read(path, arena, &problems, &trace), HYS_ERR_INPUT);
    CHECK(trace == NULL);
    if (CHECK(problems.n >= 1)) {
      CHECK_INT(problems.item[0].line, bad[k].line);
      CHECK_INT(problems.item[0].column, bad[k].column);
      CHECK(strstr(problems.item[0].text, bad[k].part) != NULL);
    }
    hys_arena_destroy(arena);
    unlink(path);
  }
  hys_arena *arena = hys_arena_create(NULL);
  hys_diagnostics problems;
  hys_diagnostics_init(&problems, arena);
  const hys_trace *trace = NULL;
  CHECK_INT(hys_trace_read("no/such/file.csv", arena, &problems, &trace), HYS_ERR_OPEN);
  hys_arena_destroy(arena);
}

/* Known values of the 64-bit FNV-1a: of nothing, and of "foobar". */
static void hashes_are_fnv_1a(void) {
  uint64_t hash = 0;
  if (!write_text(""))
    return;
  CHECK_INT(hys_trace_hash_file(path, &hash), HYS_OK);
  CHECK(hash == UINT64_C(0xcbf29ce484222325));
  unlink(path);
  if (!write_text("foobar"))
    return;
  CHECK_INT(hys_trace_hash_file(path, &hash), HYS_OK);
  CHECK(hash == UINT64_C(0x85944171f73967e8));
  unlink(path);
  CHECK_INT(hys_trace_hash_file(path, &hash), HYS_ERR_OPEN);
}

CHECK_MAIN("trace", {"numbers read back", numbers_read_back},
           {"a locale with a comma changes nothing", a_comma_locale_changes_nothing},
           {"rows read back", rows_read_back}, {"problems have a place", problems_have_a_place},
           {"hashes are FNV-1a", hashes_are_fnv_1a})
