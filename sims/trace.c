#include "sims/trace.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/rt/interval.h"

struct hys_trace_writer {
  FILE *file;
  size_t n_variables;
  bool failed;
};

/* ---- numbers, whatever the locale */

const char *hys_trace_number(double value, char *text, size_t size) {
  if (size == 0)
    return text;
  text[0] = '\0';
  if (isnan(value))
    return text;
  if (isinf(value)) {
    snprintf(text, size, "%s", value > 0 ? "inf" : "-inf");
    return text;
  }
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, size, "%.*g", digits, value);
    if (strtod(text, NULL) == value) /* the same locale as above */
      break;
  }
  /* Whatever stands between the digits is the locale's point. */
  size_t to = 0;
  for (size_t from = 0; text[from] != '\0'; from++) {
    const char c = text[from];
    if ((c >= '0' && c <= '9') || c == '-' || c == '+' || c == 'e')
      text[to++] = c;
    else if (to == 0 || text[to - 1] != '.')
      text[to++] = '.';
  }
  text[to] = '\0';
  return text;
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

static void trim(const char **text, size_t *n) {
  while (*n > 0 && is_blank(**text))
    (*text)++, (*n)--;
  while (*n > 0 && is_blank((*text)[*n - 1]))
    (*n)--;
}

bool hys_trace_read_number(const char *text, size_t n, double *value) {
  trim(&text, &n);
  for (size_t sign = 0; sign < 2; sign++) {
    const char *const word = sign == 0 ? "inf" : "-inf";
    if (n == strlen(word) && memcmp(text, word, n) == 0) {
      *value = sign == 0 ? HYSI_INF : -HYSI_INF;
      return true;
    }
  }
  hys_interval range;
  if (n == 0 || hys_interval_from_decimal(text, n, &range) != n)
    return false;
  if (range.lo == range.hi) {
    *value = range.lo == 0 && text[0] == '-' ? -0.0 : range.lo;
    return true;
  }
  /* The nearest double needs the digits again: with the locale's point in place of ours. */
  char copy[512];
  const char *const point = localeconv()->decimal_point;
  const size_t width = strlen(point);
  size_t to = 0;
  for (size_t k = 0; k < n; k++) {
    const size_t more = text[k] == '.' ? width : 1;
    if (to + more >= sizeof copy)
      return false;
    memcpy(copy + to, text[k] == '.' ? point : text + k, more);
    to += more;
  }
  copy[to] = '\0';
  *value = strtod(copy, NULL);
  return *value >= range.lo && *value <= range.hi;
}

/* ---- writing */

/* A field or a note may hold neither a line break nor, a field, a comma or a quote. */
static bool plain(const char *text, const char *forbidden) {
  return text == NULL || text[strcspn(text, forbidden)] == '\0';
}

static hys_status put(hys_trace_writer *w, bool written) {
  if (!written)
    w->failed = true;
  return w->failed ? HYS_ERR_WRITE : HYS_OK;
}

hys_status hys_trace_writer_note(hys_trace_writer *writer, const char *key, const char *value) {
  if (writer == NULL || key == NULL || value == NULL || !plain(key, "\r\n=") || !plain(value, "\r\n"))
    return HYS_ERR_ARG;
  return put(writer, fprintf(writer->file, "# %s = %s\n", key, value) >= 0);
}

hys_status hys_trace_writer_create(hys_trace_writer **writer, const char *path, const hys_trace_note *note,
                                   size_t n_notes, const hys_trace_variable *variable, size_t n_variables) {
  if (writer == NULL)
    return HYS_ERR_ARG;
  *writer = NULL;
  if (path == NULL || n_variables > HYS_MAX_TRACE_VARIABLES)
    return HYS_ERR_ARG;
  for (size_t k = 0; k < n_variables; k++) {
    if (variable[k].name == NULL || !plain(variable[k].name, "\r\n,\"[]") ||
        !plain(variable[k].unit, "\r\n,\"[]"))
      return HYS_ERR_ARG;
  }
  hys_trace_writer *w = calloc(1, sizeof *w);
  if (w == NULL)
    return HYS_ERR_MEMORY;
  w->n_variables = n_variables;
  w->file = fopen(path, "w");
  if (w->file == NULL) {
    free(w);
    return HYS_ERR_WRITE;
  }
  hys_status status = hys_trace_writer_note(w, "schema", HYS_TRACE_SCHEMA);
  for (size_t k = 0; k < n_notes && status == HYS_OK; k++)
    status = hys_trace_writer_note(w, note[k].key, note[k].value);
  if (status == HYS_OK)
    status = put(w, fputs("t [s],location", w->file) >= 0);
  for (size_t k = 0; k < n_variables && status == HYS_OK; k++) {
    const char *const unit = variable[k].unit;
    if (unit != NULL && unit[0] != '\0')
      status = put(w, fprintf(w->file, ",%s [%s]", variable[k].name, unit) >= 0);
    else
      status = put(w, fprintf(w->file, ",%s", variable[k].name) >= 0);
  }
  if (status == HYS_OK)
    status = put(w, fputs(",id,requested,applied,action,reason,margin\n", w->file) >= 0);
  if (status != HYS_OK) {
    hys_trace_writer_destroy(w);
    return status;
  }
  *writer = w;
  return HYS_OK;
}

hys_status hys_trace_writer_row(hys_trace_writer *writer, const hys_trace_row *row) {
  if (writer == NULL || row == NULL)
    return HYS_ERR_ARG;
  const char *const texts[5] = {row->location, row->requested, row->applied, row->action, row->reason};
  for (int k = 0; k < 5; k++) {
    if (!plain(texts[k], "\r\n,\""))
      return HYS_ERR_ARG;
  }
  char number[32];
  FILE *const f = writer->file;
  bool good = fputs(hys_trace_number(row->t, number, sizeof number), f) >= 0;
  good = good && fprintf(f, ",%s", row->location != NULL ? row->location : "") >= 0;
  for (size_t k = 0; k < writer->n_variables && good; k++) {
    const double x = row->x != NULL ? row->x[k] : HYSI_NAN;
    good = fprintf(f, ",%s", hys_trace_number(x, number, sizeof number)) >= 0;
  }
  if (row->has_id)
    good = good && fprintf(f, ",%llu", (unsigned long long)row->id) >= 0;
  else
    good = good && fputc(',', f) != EOF;
  for (int k = 1; k < 5; k++)
    good = good && fprintf(f, ",%s", texts[k] != NULL ? texts[k] : "") >= 0;
  good = good && fprintf(f, ",%s\n", hys_trace_number(row->margin, number, sizeof number)) >= 0;
  return put(writer, good);
}

hys_status hys_trace_writer_destroy(hys_trace_writer *writer) {
  if (writer == NULL)
    return HYS_OK;
  bool good = !writer->failed && fflush(writer->file) == 0 && !ferror(writer->file);
  if (fclose(writer->file) != 0)
    good = false;
  free(writer);
  return good ? HYS_OK : HYS_ERR_WRITE;
}

hys_status hys_trace_hash_file(const char *path, uint64_t *hash) {
  if (path == NULL || hash == NULL)
    return HYS_ERR_ARG;
  FILE *const f = fopen(path, "rb");
  if (f == NULL)
    return HYS_ERR_OPEN;
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  unsigned char block[4096];
  size_t n;
  while ((n = fread(block, 1, sizeof block, f)) > 0) {
    for (size_t k = 0; k < n; k++)
      h = (h ^ block[k]) * UINT64_C(0x100000001b3);
  }
  const bool failed = ferror(f) != 0;
  fclose(f);
  *hash = h;
  return failed ? HYS_ERR_OPEN : HYS_OK;
}
