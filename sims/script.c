#include "sims/script.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/quantity.h"
#include "sims/trace.h"

enum { SKIP = -1, TIME = -2, LABEL = -3 };

typedef struct column {
  int32_t what; /* a variable, or one of the above */
  const hys_unit *unit;
} column;

typedef struct reader {
  const char *path;
  FILE *file;
  const hys_hybrid *automaton;
  hys_arena *arena;
  hys_diagnostics *problems;
  char *text; /* HYS_MAX_SCRIPT_LINE */
  uint32_t line;
  column *column;
  size_t n_columns;
  hys_script_entry *entry;
  size_t n, capacity;
  hys_status status;
} reader;

static void fault(reader *r, size_t at, const char *expected, const char *found, size_t length) {
  const hys_diagnostic where = {.severity = HYS_ERROR,
                                .file = r->path,
                                .line = r->line,
                                .column = (uint32_t)at + 1,
                                .expected = expected};

  hys_diagnostics_add(r->problems, &where, "expected %s, found `%.*s'", expected,
                      (int)(length < 60 ? length : 60), found);
  r->status = HYS_ERR_INPUT;
}

/* The next line with something in it, without its end. */
static bool next_line(reader *r) {
  while (fgets(r->text, HYS_MAX_SCRIPT_LINE, r->file) != NULL) {
    size_t n = strlen(r->text);
    r->line++;
    if (n + 1 == HYS_MAX_SCRIPT_LINE && r->text[n - 1] != '\n') {
      fault(r, 0, "a line of less than 65536 bytes (HYS_MAX_SCRIPT_LINE)", r->text, n);
      r->status = HYS_ERR_LIMIT;
      return false;
    }
    while (n > 0 && (r->text[n - 1] == '\n' || r->text[n - 1] == '\r'))
      r->text[--n] = '\0';
    if (n > 0 && r->text[0] != '#')
      return true;
  }
  return false;
}

/* The field at *at without blanks around it; *at moves behind its comma, or to `none` at the end of the line.
 */
static const char *field(const char *text, size_t *at, size_t *length) {
  const size_t all = strcspn(text + *at, ",");
  const char *start = text + *at;
  size_t n = all;

  *at = start[all] == ',' ? *at + all + 1 : SIZE_MAX;
  while (n > 0 && (*start == ' ' || *start == '\t')) {
    start++;
    n--;
  }
  while (n > 0 && (start[n - 1] == ' ' || start[n - 1] == '\t'))
    n--;
  *length = n;
  return start;
}

static bool is(const char *text, size_t n, const char *word) {
  return strlen(word) == n && memcmp(text, word, n) == 0;
}

static void read_heading(reader *r, column *c, const char *text, size_t n) {
  const char *bracket = memchr(text, '[', n);
  size_t name = bracket != NULL ? (size_t)(bracket - text) : n;

  while (name > 0 && text[name - 1] == ' ')
    name--;
  c->unit = NULL;
  if (bracket != NULL) {
    const size_t at = (size_t)(bracket - r->text), left = n - (size_t)(bracket - text);
    if (bracket[left - 1] != ']' || (c->unit = hys_unit_find(bracket + 1, left - 2)) == NULL)
      fault(r, at, "a unit in brackets", bracket, left);
  }
  c->what = SKIP;
  if (is(text, name, "t"))
    c->what = TIME;
  else if (is(text, name, "label"))
    c->what = LABEL;
  for (size_t i = 0; c->what == SKIP && i < r->automaton->n; i++)
    if (is(text, name, r->automaton->variable[i]))
      c->what = (int32_t)i;
  if (c->what == SKIP)
    fault(r, (size_t)(text - r->text), "t, label or the name of a variable", text, n);
  if (c->what == TIME && c->unit != NULL && !hys_unit_is_time(c->unit))
    fault(r, (size_t)(text - r->text), "a unit of time", text, n);
}

static bool read_header(reader *r) {
  bool timed = false;
  size_t commas = 1, at = 0;

  if (!next_line(r)) {
    if (r->status == HYS_OK)
      fault(r, 0, "a header line", "", 0);
    return false;
  }
  for (const char *p = r->text; *p != '\0'; p++)
    commas += *p == ',';
  r->column = hys_arena_alloc(r->arena, commas, sizeof *r->column);
  if (r->column == NULL) {
    r->status = HYS_ERR_MEMORY;
    return false;
  }
  while (at != SIZE_MAX) {
    size_t n;
    const char *text = field(r->text, &at, &n);
    read_heading(r, &r->column[r->n_columns], text, n);
    timed = timed || r->column[r->n_columns].what == TIME;
    r->n_columns++;
  }
  if (!timed)
    fault(r, 0, "a column t", r->text, strlen(r->text));
  return r->status == HYS_OK;
}

static hys_script_entry *new_entry(reader *r) {
  if (r->n == HYS_MAX_SCRIPT_ROWS) {
    fault(r, 0, "at most 1000000 rows (HYS_MAX_SCRIPT_ROWS)", "more", 4);
    r->status = HYS_ERR_LIMIT;
    return NULL;
  }
  if (r->n == r->capacity) {
    const size_t more = r->capacity == 0 ? 64 : 2 * r->capacity;
    hys_script_entry *bigger = hys_arena_alloc(r->arena, more, sizeof *bigger);
    if (bigger == NULL) {
      r->status = HYS_ERR_MEMORY;
      return NULL;
    }
    if (r->n > 0)
      memcpy(bigger, r->entry, r->n * sizeof *bigger);
    r->entry = bigger;
    r->capacity = more;
  }
  return &r->entry[r->n++];
}

static int32_t label_of(reader *r, const char *text, size_t n) {
  for (uint32_t i = 0; i < r->automaton->n_labels; i++)
    if (is(text, n, r->automaton->label[i]))
      return (int32_t)i;
  fault(r, (size_t)(text - r->text), "a label of the model", text, n);
  return HYS_NO_LABEL;
}

static void read_row(reader *r) {
  hys_script_entry *e = new_entry(r);
  double *value = hys_arena_alloc(r->arena, r->automaton->n, sizeof *value);
  size_t at = 0, k = 0;

  if (e == NULL)
    return;
  if (value == NULL) {
    r->status = HYS_ERR_MEMORY;
    return;
  }
  for (size_t i = 0; i < r->automaton->n; i++)
    value[i] = HYSI_NAN;
  *e = (hys_script_entry){HYSI_NAN, value, HYS_NO_LABEL};
  for (; at != SIZE_MAX && k < r->n_columns; k++) {
    size_t n;
    const char *text = field(r->text, &at, &n);
    const column *c = &r->column[k];
    double v;
    if (n == 0)
      continue;
    if (c->what == LABEL) {
      e->label = label_of(r, text, n);
      continue;
    }
    if (!hys_trace_read_number(text, n, &v) || !isfinite(v)) {
      fault(r, (size_t)(text - r->text), "a number", text, n);
      continue;
    }
    if (c->unit != NULL)
      v = hys_interval_mid(hys_unit_to_si(c->unit, hys_interval_point(v), false));
    if (c->what == TIME)
      e->t = v;
    else
      value[c->what] = v;
  }
  if (at != SIZE_MAX || k < r->n_columns)
    fault(r, 0, "as many fields as the header has", r->text, strlen(r->text));
  else if (isnan(e->t))
    fault(r, 0, "a time in each row", r->text, strlen(r->text));
  else if (r->n > 1 && e->t < r->entry[r->n - 2].t)
    fault(r, 0, "times that do not go back", r->text, strlen(r->text));
}

hys_status hys_script_read(const char *path, const hys_hybrid *automaton, hys_arena *arena,
                           hys_diagnostics *problems, const hys_script_entry **entry, size_t *n) {
  reader r = {.path = path, .automaton = automaton, .arena = arena, .problems = problems};

  *entry = NULL;
  *n = 0;
  r.text = hys_arena_alloc(arena, HYS_MAX_SCRIPT_LINE, 1);
  if (r.text == NULL)
    return HYS_ERR_MEMORY;
  r.file = fopen(path, "r");
  if (r.file == NULL) {
    const hys_diagnostic where = {.severity = HYS_ERROR, .file = path};
    hys_diagnostics_add(problems, &where, "cannot open the script");
    return HYS_ERR_OPEN;
  }
  if (read_header(&r))
    while (r.status != HYS_ERR_MEMORY && r.status != HYS_ERR_LIMIT && next_line(&r))
      read_row(&r);
  if (ferror(r.file) && r.status == HYS_OK)
    r.status = HYS_ERR_OPEN;
  fclose(r.file);
  *entry = r.entry;
  *n = r.n;
  return r.status;
}
