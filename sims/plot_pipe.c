#include "sims/plot_pipe.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/contract.h"
#include "sims/plot_internal.h"
#include "sims/trace.h"

static bool find(const hys_hybrid *a, const char *name, size_t n, size_t *which) {
  for (size_t i = 0; i < a->n; i++)
    if (strlen(a->variable[i]) == n && memcmp(a->variable[i], name, n) == 0) {
      *which = i;
      return true;
    }
  return false;
}

static bool choose(pipe_file *f, const char *vars, char *why, size_t size) {
  const hys_hybrid *a = f->automaton;
  const char *comma = vars != NULL ? strchr(vars, ',') : NULL, *second;
  size_t first = comma != NULL ? (size_t)(comma - vars) : 0;

  if (vars == NULL) {
    f->over_time = a->n < 2;
    f->x = 0;
    f->y = a->n < 2 ? 0 : 1;
    return true;
  }
  second = comma != NULL ? comma + 1 : vars;
  f->over_time = comma == NULL || (first == 1 && vars[0] == 't' && !find(a, "t", 1, &f->x));
  if (!f->over_time && !find(a, vars, first, &f->x)) {
    snprintf(why, size, "--vars: `%.*s' is not a variable of the model", (int)first, vars);
    return false;
  }
  if (!find(a, second, strlen(second), &f->y)) {
    snprintf(why, size, "--vars: `%s' is not a variable of the model", second);
    return false;
  }
  return true;
}

static FILE *create(const char *path, char *why, size_t size) {
  FILE *file = fopen(path, "w");

  if (file == NULL)
    snprintf(why, size, "cannot write %s: %s", path, strerror(errno));
  return file;
}

bool pipe_file_open(pipe_file *f, const hys_hybrid *automaton, const char *csv, const char *data,
                    const char *picture, const char *vars, char *why, size_t size) {
  memset(f, 0, sizeof *f);
  f->automaton = automaton;
  f->picture = picture;
  if (automaton->n == 0 && (picture != NULL || data != NULL)) {
    snprintf(why, size, "%s: there are no variables to draw", picture != NULL ? "--plot" : "--gnuplot");
    return false;
  }
  if (picture != NULL) {
    const char *dot = strrchr(picture, '.');
    if (dot == NULL || (strcmp(dot, ".svg") != 0 && strcmp(dot, ".png") != 0 && strcmp(dot, ".pdf") != 0)) {
      snprintf(why, size, "--plot: %s does not end in .svg, .png or .pdf", picture);
      return false;
    }
  }
  if (!choose(f, vars, why, size))
    return false;
  if (csv != NULL && (f->csv = create(csv, why, size)) == NULL)
    return false;
  if (data != NULL && (f->data = create(data, why, size)) == NULL) {
    if (f->csv != NULL)
      fclose(f->csv);
    return false;
  }
  if (f->csv != NULL) {
    fprintf(f->csv, "# schema = hyshield-flowpipe-1\n# system = %s\nt_lo [s],t_hi [s],location",
            automaton->name);
    for (size_t i = 0; i < automaton->n; i++)
      fprintf(f->csv, ",%s_lo,%s_hi", automaton->variable[i], automaton->variable[i]);
    fputc('\n', f->csv);
  }
  return true;
}

static const char *number(double x, char *text) {
  return isinf(x) ? (x > 0.0 ? "inf" : "-inf") : hys_trace_number(x, text, 40);
}

void pipe_file_segment(void *context, const hys_segment_view *s) {
  pipe_file *f = context;
  const hys_interval x = f->over_time ? hys_interval_make(s->from, s->to) : s->box[f->x], y = s->box[f->y];
  char text[40];

  if (f->csv != NULL) {
    fprintf(f->csv, "%s,", number(s->from, text));
    fprintf(f->csv, "%s,%s", number(s->to, text), s->location->name);
    for (size_t i = 0; i < f->automaton->n; i++) {
      fprintf(f->csv, ",%s", number(s->box[i].lo, text));
      fprintf(f->csv, ",%s", number(s->box[i].hi, text));
    }
    fputc('\n', f->csv);
  }
  if (!isfinite(x.lo) || !isfinite(x.hi) || !isfinite(y.lo) || !isfinite(y.hi))
    return;
  if (f->data != NULL)
    fprintf(f->data, "%.17g %.17g\n%.17g %.17g\n%.17g %.17g\n%.17g %.17g\n%.17g %.17g\n\n", x.lo, y.lo, x.hi,
            y.lo, x.hi, y.hi, x.lo, y.hi, x.lo, y.lo);
  if (f->picture == NULL)
    return;
  if (f->n == f->capacity) {
    const size_t more = f->capacity == 0 ? 1024 : 2 * f->capacity;
    double *bigger = realloc(f->rectangle, 4 * more * sizeof *bigger);
    const char **places;
    if (bigger == NULL)
      return; /* the picture ends here */
    f->rectangle = bigger;
    places = realloc(f->place, more * sizeof *places);
    if (places == NULL)
      return;
    f->place = places;
    f->capacity = more;
  }
  f->rectangle[4 * f->n] = x.lo;
  f->rectangle[4 * f->n + 1] = x.hi;
  f->rectangle[4 * f->n + 2] = y.lo;
  f->rectangle[4 * f->n + 3] = y.hi;
  f->place[f->n++] = s->location->name;
}

/* A forbidden set as a rectangle (an outline where it is forbidden in some locations only), where its
 * conditions leave bounds for the two variables inside the view. */
static void forbidden_rectangle(FILE *out, const pipe_file *f, const hys_hybrid_set *set,
                                const double *view) {
  const size_t n = f->automaton->n;
  hys_interval *x = calloc(n, sizeof *x),
               *scratch = calloc(hys_conditions_scratch(&set->set), sizeof *scratch);

  for (size_t i = 0; x != NULL && i < n; i++)
    x[i] = hys_interval_entire();
  if (x != NULL && scratch != NULL && hys_conditions_contract(&set->set, x, 10, scratch)) {
    const hys_interval a = f->over_time ? hys_interval_entire() : x[f->x], b = x[f->y];
    const double r[4] = {fmax(a.lo, view[0]), fmin(a.hi, view[1]), fmax(b.lo, view[2]), fmin(b.hi, view[3])};
    if (r[0] < r[1] && r[2] < r[3] && (r[0] > view[0] || r[1] < view[1] || r[2] > view[2] || r[3] < view[3]))
      fprintf(out,
              "set object rectangle from %.9g,%.9g to %.9g,%.9g fillcolor '#D9534F' fillstyle %s border lc "
              "'#B03030'\n",
              r[0], r[2], r[1], r[3], set->n_where > 0 ? "empty" : "transparent solid 0.25");
  }
  free(x);
  free(scratch);
}

/* Locations get colours in the order in which they are met. */
static const char *const colours[] = {"#3366AA", "#CC8833", "#449955", "#8855AA",
                                      "#227788", "#AA4477", "#777733"};

static void print_script(FILE *out, const pipe_file *f, const hys_property *property, uint32_t n) {
  const char *dot = strrchr(f->picture, '.'), *seen[8];
  double view[4] = {HYSI_INF, -HYSI_INF, HYSI_INF, -HYSI_INF};
  size_t n_seen = 0;

  for (size_t k = 0; k < f->n; k++) {
    const double *r = f->rectangle + 4 * k;
    bool old = false;
    view[0] = fmin(view[0], r[0]);
    view[1] = fmax(view[1], r[1]);
    view[2] = fmin(view[2], r[2]);
    view[3] = fmax(view[3], r[3]);
    for (size_t i = 0; i < n_seen; i++)
      old = old || strcmp(seen[i], f->place[k]) == 0;
    if (!old && n_seen < 7)
      seen[n_seen++] = f->place[k];
  }
  for (int d = 0; d < 2; d++) { /* room around it */
    const double w = 0.06 * (view[2 * d + 1] - view[2 * d]) + 1e-12 + 1e-6 * fabs(view[2 * d]);
    view[2 * d] -= w;
    view[2 * d + 1] += w;
  }
  if (strcmp(dot, ".png") == 0)
    fputs("set terminal pngcairo noenhanced size 900,640 font 'Sans,12' background '#FFFFFF'\n", out);
  else if (strcmp(dot, ".svg") == 0)
    fputs("set terminal svg noenhanced size 900,640 dynamic font 'Sans,14' background '#FFFFFF'\n", out);
  else
    fputs("set terminal pdfcairo noenhanced size 9in,6.4in font 'Sans,12' background '#FFFFFF'\n", out);
  fprintf(out, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", view[0], view[1], view[2], view[3]);
  fprintf(out, "set xlabel '%s'\nset ylabel '%s'\nset grid lc '#DDDDDD'\nset key outside top horizontal\n",
          f->over_time ? "t [s]" : f->automaton->variable[f->x], f->automaton->variable[f->y]);
  fprintf(out, "set title 'reachable states of %s'\n", f->automaton->name);
  for (uint32_t q = 0; q < n; q++)
    for (uint32_t s = 0; s < property[q].n; s++)
      forbidden_rectangle(out, f, &property[q].set[s], view);
  for (size_t i = 0; i < n_seen; i++) {
    fprintf(out, "$pipe%zu << EOD\n", i);
    for (size_t k = 0; k < f->n; k++) {
      const double *r = f->rectangle + 4 * k;
      if (strcmp(f->place[k], seen[i]) == 0 || (i + 1 == n_seen && n_seen == 7))
        fprintf(out, "%.9g %.9g %.9g %.9g %.9g %.9g\n", 0.5 * (r[0] + r[1]), 0.5 * (r[2] + r[3]), r[0], r[1],
                r[2], r[3]);
    }
    fputs("EOD\n", out);
  }
  fputs("plot ", out);
  for (size_t i = 0; i < n_seen; i++)
    fprintf(out,
            "%s$pipe%zu with boxxyerror fillcolor '%s' fillstyle transparent solid 0.35 noborder lc '%s' "
            "title '%s'",
            i > 0 ? ", " : "", i, colours[i], colours[i], seen[i][0] != '\0' ? seen[i] : f->automaton->name);
  fputs(n_seen == 0 ? "NaN notitle\n" : "\n", out);
}

bool pipe_file_close(pipe_file *f, const hys_property *property, uint32_t n, char *why, size_t size) {
  bool good = true;
  FILE *const file[] = {f->csv, f->data};

  for (int k = 0; k < 2; k++)
    if (file[k] != NULL && (ferror(file[k]) | (fclose(file[k]) != 0)) != 0) {
      snprintf(why, size, "cannot write the flowpipe: %s", strerror(errno));
      good = false;
    }
  if (f->picture != NULL && good) {
    FILE *script = tmpfile();
    if (script == NULL) {
      snprintf(why, size, "no temporary file: %s", strerror(errno));
      good = false;
    } else {
      print_script(script, f, property, n);
      good = hysi_plot_draw(script, f->picture, why, size) == HYS_OK;
      fclose(script);
    }
  }
  free(f->rectangle);
  free(f->place);
  f->rectangle = NULL;
  f->place = NULL;
  return good;
}
