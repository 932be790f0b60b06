/* The reader of traces: one pass over the lines, every problem with its place. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rt/interval.h"
#include "sims/trace.h"

enum {
  FIXED_AFTER = 6, /* id, requested, applied, action, reason, margin */
  MAX_COLUMNS = HYS_MAX_TRACE_VARIABLES + 2 + FIXED_AFTER,
  MAX_NOTES = 256
};

static const char *const after[FIXED_AFTER] = {"id", "requested", "applied", "action", "reason", "margin"};

typedef struct field {
  const char *text;
  size_t n;
  uint32_t column;
} field;

typedef struct reader {
  const char *path;
  hys_arena *arena;
  hys_diagnostics *problems;
  uint32_t line;
  bool header;
  bool no_memory;
  hys_trace_note note[MAX_NOTES];
  hys_trace_variable variable[HYS_MAX_TRACE_VARIABLES];
  size_t n_notes, n_variables, n_rows, capacity;
  hys_trace_row *row;    /* grows outside of the arena, copied at the end */
  const char *known[64]; /* texts that were seen last, so that a long trace keeps few */
  size_t n_known;
  double last_t;
  uint32_t before; /* errors that were there already */
} reader;

static void complain(reader *r, uint32_t column, const char *expected, const field *found) {
  char text[64];
  hys_diagnostic where = {
      .severity = HYS_ERROR, .file = r->path, .line = r->line, .column = column, .expected = expected};
  if (found == NULL) {
    hys_diagnostics_add(r->problems, &where, "expected %s", expected);
    return;
  }
  snprintf(text, sizeof text, "%.*s", found->n < 40 ? (int)found->n : 40, found->text);
  where.found = text;
  hys_diagnostics_add(r->problems, &where, "expected %s, found '%s'", expected, text);
}

/* The same text again costs nothing. */
static const char *keep(reader *r, const char *text, size_t n) {
  if (n == 0)
    return "";
  for (size_t k = 0; k < r->n_known; k++) {
    if (strlen(r->known[k]) == n && memcmp(r->known[k], text, n) == 0)
      return r->known[k];
  }
  const char *const copy = hys_arena_strdup(r->arena, text, n);
  if (copy == NULL) {
    r->no_memory = true;
    return "";
  }
  if (r->n_known == sizeof r->known / sizeof r->known[0]) {
    memmove(r->known, r->known + 1, (r->n_known - 1) * sizeof r->known[0]);
    r->n_known--;
  }
  r->known[r->n_known++] = copy;
  return copy;
}

static field trimmed(const char *text, size_t n, uint32_t column) {
  field f = {text, n, column};
  while (f.n > 0 && (f.text[0] == ' ' || f.text[0] == '\t'))
    f.text++, f.n--, f.column++;
  while (f.n > 0 && (f.text[f.n - 1] == ' ' || f.text[f.n - 1] == '\t' || f.text[f.n - 1] == '\r'))
    f.n--;
  return f;
}

static bool is(const field *f, const char *word) {
  return f->n == strlen(word) && memcmp(f->text, word, f->n) == 0;
}

static size_t split(const char *line, size_t n, field *fields) {
  size_t count = 0, start = 0;
  for (size_t k = 0; k <= n; k++) {
    if (k < n && line[k] != ',')
      continue;
    if (count < MAX_COLUMNS)
      fields[count] = trimmed(line + start, k - start, (uint32_t)start + 1);
    count++;
    start = k + 1;
  }
  return count;
}

static void read_note(reader *r, const char *line, size_t n) {
  const char *const sign = memchr(line, '=', n);
  if (sign == NULL)
    return; /* a comment that is no note */
  if (r->n_notes == MAX_NOTES) {
    complain(r, 1, "at most 256 notes", NULL);
    return;
  }
  const field key = trimmed(line + 1, (size_t)(sign - line) - 1, 2),
              value = trimmed(sign + 1, n - (size_t)(sign - line) - 1, 1);
  const char *const k = hys_arena_strdup(r->arena, key.text, key.n);
  const char *const v = hys_arena_strdup(r->arena, value.text, value.n);
  if (k == NULL || v == NULL)
    r->no_memory = true;
  else
    r->note[r->n_notes++] = (hys_trace_note){k, v};
}

static void read_header(reader *r, const field *f, size_t count) {
  r->header = true;
  if (count < 2 + FIXED_AFTER || count > MAX_COLUMNS) {
    complain(r, 1, "a header t [s],location,..,id,requested,applied,action,reason,margin", NULL);
    return;
  }
  if (!is(&f[0], "t [s]"))
    complain(r, f[0].column, "t [s]", &f[0]);
  if (!is(&f[1], "location"))
    complain(r, f[1].column, "location", &f[1]);
  r->n_variables = count - 2 - FIXED_AFTER;
  for (size_t k = 0; k < FIXED_AFTER; k++) {
    const field *const g = &f[2 + r->n_variables + k];
    if (!is(g, after[k]))
      complain(r, g->column, after[k], g);
  }
  for (size_t k = 0; k < r->n_variables; k++) {
    const field *const g = &f[2 + k];
    const char *const open = memchr(g->text, '[', g->n);
    field name = *g, unit = {"", 0, 0};
    if (open != NULL && g->text[g->n - 1] == ']') {
      name = trimmed(g->text, (size_t)(open - g->text), g->column);
      unit = trimmed(open + 1, g->n - (size_t)(open - g->text) - 2, 0);
    } else if (open != NULL) {
      complain(r, g->column, "NAME [UNIT]", g);
    }
    if (name.n == 0)
      complain(r, g->column, "the name of a variable", g);
    r->variable[k] = (hys_trace_variable){keep(r, name.text, name.n), keep(r, unit.text, unit.n)};
  }
}

static double number_or_nan(reader *r, const field *f) {
  double value = HYSI_NAN;
  if (f->n > 0 && !hys_trace_read_number(f->text, f->n, &value)) {
    complain(r, f->column, "a number", f);
    return HYSI_NAN;
  }
  return value;
}

static bool grow(reader *r) {
  if (r->n_rows < r->capacity)
    return true;
  const size_t capacity = r->capacity == 0 ? 1024 : 2 * r->capacity;
  hys_trace_row *const row = realloc(r->row, capacity * sizeof *row);
  if (row == NULL) {
    r->no_memory = true;
    return false;
  }
  r->row = row;
  r->capacity = capacity;
  return true;
}

static void read_row(reader *r, const field *f, size_t count) {
  if (count != r->n_variables + 2 + FIXED_AFTER) {
    char expected[48];
    snprintf(expected, sizeof expected, "%zu fields as in the header", r->n_variables + 2 + FIXED_AFTER);
    complain(r, 1, expected, NULL);
    return;
  }
  double *const x = hys_arena_alloc(r->arena, r->n_variables, sizeof *x);
  if ((x == NULL && r->n_variables > 0) || !grow(r)) {
    r->no_memory = true;
    return;
  }
  hys_trace_row row = {.t = number_or_nan(r, &f[0]), .x = x};
  if (!(row.t >= r->last_t)) {
    complain(r, f[0].column, "a time that is not before the last one", &f[0]);
    return;
  }
  r->last_t = row.t;
  row.location = keep(r, f[1].text, f[1].n);
  for (size_t k = 0; k < r->n_variables; k++)
    x[k] = number_or_nan(r, &f[2 + k]);
  const field *const g = &f[2 + r->n_variables];
  for (size_t k = 0; k < g[0].n; k++) {
    const char c = g[0].text[k];
    if (c < '0' || c > '9' || row.id > (UINT64_MAX - 9) / 10) {
      complain(r, g[0].column, "a number of a command", &g[0]);
      break;
    }
    row.id = 10 * row.id + (uint64_t)(c - '0');
    row.has_id = true;
  }
  row.requested = keep(r, g[1].text, g[1].n);
  row.applied = keep(r, g[2].text, g[2].n);
  row.action = keep(r, g[3].text, g[3].n);
  row.reason = keep(r, g[4].text, g[4].n);
  row.margin = number_or_nan(r, &g[5]);
  r->row[r->n_rows++] = row;
}

static hys_status read_lines(reader *r, FILE *file) {
  char line[HYS_MAX_TRACE_LINE + 2];
  field fields[MAX_COLUMNS];
  while (fgets(line, sizeof line, file) != NULL) {
    size_t n = strlen(line);
    r->line++;
    if (n > HYS_MAX_TRACE_LINE || r->line == UINT32_MAX) {
      complain(r, 1, "a line of at most 16384 bytes (HYS_MAX_TRACE_LINE)", NULL);
      return HYS_ERR_LIMIT;
    }
    while (n > 0 && (line[n - 1] == '\n' || line[n - 1] == '\r'))
      n--;
    if (n == 0)
      continue;
    if (line[0] == '#') {
      read_note(r, line, n);
    } else {
      const size_t count = split(line, n, fields);
      if (!r->header) {
        read_header(r, fields, count);
        if (r->problems->errors > r->before)
          return HYS_ERR_INPUT; /* the rows would only repeat it */
      } else if (r->n_rows >= HYS_MAX_TRACE_ROWS)
        return HYS_ERR_LIMIT;
      else
        read_row(r, fields, count);
    }
    if (r->no_memory)
      return HYS_ERR_MEMORY;
    if (r->problems->errors >= HYS_MAX_DIAGNOSTICS)
      return HYS_ERR_INPUT;
  }
  if (ferror(file))
    return HYS_ERR_OPEN;
  if (!r->header)
    complain(r, 1, "a header", NULL);
  return HYS_OK;
}

static hys_status finish(reader *r, const hys_trace **out) {
  hys_trace *const trace = hys_arena_alloc(r->arena, 1, sizeof *trace);
  hys_trace_note *const note = hys_arena_alloc(r->arena, r->n_notes, sizeof *note);
  hys_trace_variable *const variable = hys_arena_alloc(r->arena, r->n_variables, sizeof *variable);
  hys_trace_row *const row = hys_arena_alloc(r->arena, r->n_rows, sizeof *row);
  if (trace == NULL || (note == NULL && r->n_notes > 0) || (variable == NULL && r->n_variables > 0) ||
      (row == NULL && r->n_rows > 0))
    return HYS_ERR_MEMORY;
  if (r->n_notes > 0)
    memcpy(note, r->note, r->n_notes * sizeof *note);
  if (r->n_variables > 0)
    memcpy(variable, r->variable, r->n_variables * sizeof *variable);
  if (r->n_rows > 0)
    memcpy(row, r->row, r->n_rows * sizeof *row);
  *trace = (hys_trace){note, r->n_notes, variable, r->n_variables, row, r->n_rows};
  *out = trace;
  return HYS_OK;
}

hys_status hys_trace_read(const char *path, hys_arena *arena, hys_diagnostics *problems,
                          const hys_trace **trace) {
  if (path == NULL || arena == NULL || problems == NULL || trace == NULL)
    return HYS_ERR_ARG;
  *trace = NULL;
  FILE *const file = fopen(path, "r");
  if (file == NULL)
    return HYS_ERR_OPEN;
  reader *const r = calloc(1, sizeof *r);
  if (r == NULL) {
    fclose(file);
    return HYS_ERR_MEMORY;
  }
  r->path = path;
  r->arena = arena;
  r->problems = problems;
  r->last_t = -HYSI_INF;
  r->before = problems->errors;
  hys_status status = read_lines(r, file);
  fclose(file);
  if (status == HYS_OK && problems->errors > r->before)
    status = HYS_ERR_INPUT;
  if (status == HYS_OK)
    status = finish(r, trace);
  free(r->row);
  free(r);
  return status;
}

const char *hys_trace_find(const hys_trace *trace, const char *key) {
  for (size_t k = trace->n_notes; k > 0; k--) {
    if (strcmp(trace->note[k - 1].key, key) == 0)
      return trace->note[k - 1].value;
  }
  return NULL;
}
