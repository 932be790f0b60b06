/* A recorded drive as a lead profile. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/rt/interval.h"
#include "models/quantity.h"
#include "sims/acc_lead_build.h"

enum { COLUMN_T, COLUMN_W, COLUMN_V, COLUMN_D, COLUMNS };
static const char *const column_name[COLUMNS] = {"t", "v_lead", "v_follow", "gap"};
static const char *const column_unit[COLUMNS] = {"s", "m/s", "m/s", "m"};

typedef struct reader {
  FILE *file;
  acc_lead *lead;
  acc_recording *report;
  const acc_lead_bounds *bounds;
  const hys_allocator *allocator;
  size_t line;
  size_t place[COLUMNS];         /* of each column in a row, from 1; 0 = absent */
  const hys_unit *unit[COLUMNS]; /* NULL: SI */
  double first_t, last_t;
  char text[ACC_LEAD_MAX_LINE];
} reader;

static hys_status fault(reader *r, hys_status status, const char *problem) {
  r->report->bad_line = r->line;
  r->report->problem = problem;
  return status;
}

/* The next line that is neither blank nor a comment, without its end. *got = false at the end of the file. */
static hys_status next_line(reader *r, bool *got) {
  *got = false;
  while (fgets(r->text, sizeof r->text, r->file) != NULL) {
    r->line++;
    size_t n = strlen(r->text);
    if (n + 1 == sizeof r->text && r->text[n - 1] != '\n')
      return fault(r, HYS_ERR_LIMIT, "the line is longer than 4094 characters");
    while (n > 0 && (r->text[n - 1] == '\n' || r->text[n - 1] == '\r'))
      r->text[--n] = '\0';
    if (n > 0 && r->text[0] != '#') {
      *got = true;
      return HYS_OK;
    }
  }
  return ferror(r->file) ? fault(r, HYS_ERR_OPEN, "the file cannot be read further") : HYS_OK;
}

/* The field that starts at *from: its first character and its length without blanks around; *from moves to
 * the next one, NULL after the last. */
static const char *field(const char **from, size_t *length) {
  const char *start = *from, *comma = strchr(start, ',');
  size_t n = comma != NULL ? (size_t)(comma - start) : strlen(start);
  *from = comma != NULL ? comma + 1 : NULL;
  while (n > 0 && (*start == ' ' || *start == '\t'))
    start++, n--;
  while (n > 0 && (start[n - 1] == ' ' || start[n - 1] == '\t'))
    n--;
  *length = n;
  return start;
}

/* "[km/h]": its unit, of the same dimension as the column. */
static bool read_unit(reader *r, size_t c, const char *text, size_t n) {
  const hys_unit *const si = hys_unit_find(column_unit[c], strlen(column_unit[c]));

  if (n < 2 || text[n - 1] != ']')
    return false;
  r->unit[c] = hys_unit_find(text + 1, n - 2);
  return r->unit[c] != NULL && hys_unit_same_dimension(r->unit[c], si);
}

static hys_status read_header(reader *r) {
  bool got;
  const hys_status status = next_line(r, &got);
  if (status != HYS_OK)
    return status;
  if (!got)
    return fault(r, HYS_ERR_INPUT, "no header line");
  const char *rest = r->text;
  for (size_t at = 1; rest != NULL; at++) {
    size_t n;
    const char *name = field(&rest, &n);
    const char *bracket = memchr(name, '[', n); /* a unit */
    const size_t unit = bracket != NULL ? n - (size_t)(bracket - name) : 0;
    if (bracket != NULL)
      n = (size_t)(bracket - name);
    while (n > 0 && name[n - 1] == ' ')
      n--;
    for (size_t c = 0; c < COLUMNS; c++)
      if (r->place[c] == 0 && strlen(column_name[c]) == n && memcmp(name, column_name[c], n) == 0) {
        r->place[c] = at;
        if (unit > 0 && !read_unit(r, c, bracket, unit))
          return fault(r, HYS_ERR_INPUT, "a unit in the header is not one of this column's kind");
      }
  }
  if (r->place[COLUMN_T] == 0)
    return fault(r, HYS_ERR_INPUT, "the header has no column t");
  if (r->place[COLUMN_W] == 0)
    return fault(r, HYS_ERR_INPUT, "the header has no column v_lead");
  return HYS_OK;
}

/* NaN where the text is no number. A decimal lies between two doubles at most: either is it to half a unit of
 * the last digit that a sensor has. */
static double number(const char *text, size_t n, const hys_unit *unit) {
  hys_interval x;
  if (n == 0 || hys_interval_from_decimal(text, n, &x) != n)
    return (double)NAN;
  if (unit != NULL)
    x = hys_unit_to_si(unit, x, false);
  return isfinite(x.lo) && isfinite(x.hi) ? x.lo / 2.0 + x.hi / 2.0 : (double)NAN;
}

static hys_status read_row(reader *r, double *value) {
  const char *rest = r->text;
  size_t last = 0;
  for (size_t c = 0; c < COLUMNS; c++) {
    value[c] = (double)NAN;
    last = r->place[c] > last ? r->place[c] : last;
  }
  size_t at = 1;
  for (; rest != NULL; at++) {
    size_t n;
    const char *text = field(&rest, &n);
    for (size_t c = 0; c < COLUMNS; c++)
      if (r->place[c] == at)
        value[c] = number(text, n, r->unit[c]);
  }
  return at <= last ? fault(r, HYS_ERR_INPUT, "the row has fewer fields than the header") : HYS_OK;
}

static hys_status take_row(reader *r, double *value) {
  acc_recording *report = r->report;
  const double t = value[COLUMN_T], speed = value[COLUMN_W];
  /* The first row that counts decides where time begins. */
  if (!isfinite(t) || !isfinite(speed) || (r->lead != NULL && !(t > r->last_t)) ||
      fabs(speed) > ACC_LEAD_MAX_SPEED) {
    report->dropped++;
    return HYS_OK;
  }
  const double w = fmax(0.0, speed);
  report->negative += speed < 0.0;
  r->last_t = t;
  if (r->lead == NULL) {
    r->first_t = t;
    report->d = value[COLUMN_D];
    report->v = value[COLUMN_V];
    report->w = w;
    return acc_lead_begin(&r->lead, w, r->bounds, r->allocator);
  }
  bool clamped;
  const hys_status status = acc_lead_follow(r->lead, t - r->first_t, w, &clamped);
  report->clamped += clamped;
  report->largest_deviation = fmax(report->largest_deviation, fabs(r->lead->w_end - w));
  report->duration = t - r->first_t;
  return status;
}

static hys_status read_all(reader *r) {
  hys_status status = read_header(r);
  while (status == HYS_OK) {
    bool got;
    double value[COLUMNS];
    status = next_line(r, &got);
    if (status != HYS_OK || !got)
      break;
    if (r->report->rows >= ACC_LEAD_MAX_ROWS)
      return fault(r, HYS_ERR_LIMIT, "more than 200000 rows");
    r->report->rows++;
    status = read_row(r, value);
    if (status == HYS_OK)
      status = take_row(r, value);
  }
  if (status != HYS_OK)
    return status;
  if (r->lead == NULL || !(r->report->duration > 0.0))
    return fault(r, HYS_ERR_INPUT, "fewer than two rows that can be used");
  return acc_lead_end(r->lead);
}

hys_status acc_lead_read(acc_lead **lead, acc_recording *report, const char *path,
                         const acc_lead_bounds *bounds, const hys_allocator *allocator) {
  if (lead != NULL)
    *lead = NULL;
  if (report == NULL)
    return HYS_ERR_ARG;
  *report = (acc_recording){.d = (double)NAN, .v = (double)NAN, .w = (double)NAN};
  if (lead == NULL || path == NULL || bounds == NULL)
    return HYS_ERR_ARG;
  reader r = {.report = report, .bounds = bounds, .allocator = allocator, .file = fopen(path, "r")};
  if (r.file == NULL)
    return HYS_ERR_OPEN;
  hys_status status = read_all(&r);
  if (fclose(r.file) != 0 && status == HYS_OK)
    status = HYS_ERR_OPEN;
  if (status != HYS_OK) {
    acc_lead_destroy(r.lead);
    return status;
  }
  *lead = r.lead;
  return HYS_OK;
}
