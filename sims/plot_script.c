/* The script of a picture: terminal, data, three panels a run. */
#include <math.h>
#include <string.h>

#include "core/rt/interval.h"
#include "core/rt/reason.h"
#include "sims/plot_internal.h"

/* Colours that people who confuse red and green can tell apart (Okabe and Ito). */
static const char *const line_colour[HYSI_PLOT_MAX_LINES] = {"#0072B2", "#E69F00", "#009E73",
                                                             "#CC79A7", "#56B4E9", "#000000"};
#define DARK "#333333"
#define FAINT "#E4E4E4"
#define RED "#C0392B"
#define PALE_RED "#F7CFC9"
#define ASKED "#9A9A9A"
#define APPLIED "#0B3C5D"

enum {
  MARKS = 110, /* marks of a kind along the time axis, at most: more would be one thick line */
  MAX_LABEL = 160
};

#define SHIFT 0.15 /* asked above, applied below the line of its command */

/* A string of gnuplot: quotes doubled, nothing that ends a line. */
static void quote(FILE *out, const char *text) {
  fputc('\'', out);
  for (; *text != '\0'; text++) {
    if (*text == '\'')
      fputs("''", out);
    else
      fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
  }
  fputc('\'', out);
}

static const char *number(double value, char *text) {
  return hys_trace_number(value, text, 32);
}

static const char *variable_label(const hys_trace *trace, int k) {
  char key[MAX_LABEL];
  snprintf(key, sizeof key, "label.%.100s", trace->variable[k].name);
  const char *const label = hys_trace_find(trace, key);
  return label != NULL ? label : trace->variable[k].name;
}

static const char *shield_words(const hys_trace *trace) {
  const char *const shield = hys_trace_find(trace, "shield");
  if (shield == NULL)
    return "";
  if (strcmp(shield, "on") == 0)
    return "with shield";
  return strcmp(shield, "off") == 0 ? "without shield" : "shield only looks on";
}

static const char *reason_words(const char *name) {
  for (int k = 0; k < (int)HYS_REASON_COUNT; k++) {
    if (strcmp(hys_reason_name((hys_reason)k), name) == 0)
      return hys_reason_text((hys_reason)k);
  }
  return name;
}

static const char *action_colour(const char *action) {
  return strcmp(action, "suppress") == 0 ? "#D55E00"
         : strcmp(action, "delay") == 0  ? "#AA4499"
         : strcmp(action, "insert") == 0 ? "#6A3D9A"
                                         : "#007A5A";
}

static const char *action_words(const char *action) {
  return strcmp(action, "suppress") == 0 ? "suppressed"
         : strcmp(action, "delay") == 0  ? "delayed"
         : strcmp(action, "insert") == 0 ? "inserted"
                                         : "substituted";
}

/* ---- data */

static void print_series(FILE *out, const hysi_plot_run *run, size_t which, const char *name, int k) {
  char t[32], x[32];
  fprintf(out, "$%s%zu << EOD\n", name, which);
  for (size_t r = 0; r < run->trace->n_rows; r++) {
    const hys_trace_row *const row = &run->trace->row[r];
    if (isfinite(row->x[k]))
      fprintf(out, "%s %s\n", number(row->t, t), number(row->x[k], x));
  }
  fputs("EOD\n", out);
}

/* The level in force from row to row, up to the end. */
static void print_steps(FILE *out, const hysi_plot_run *run, size_t which, bool applied) {
  char t[32], y[32];
  int last = -1;
  fprintf(out, "$%s%zu << EOD\n", applied ? "applied" : "asked", which);
  for (size_t r = 0; r < run->trace->n_rows; r++) {
    const hys_trace_row *const row = &run->trace->row[r];
    const int level = hysi_plot_level(run, applied ? row->applied : row->requested);
    if (level < 0)
      continue;
    fprintf(out, "%s %s\n", number(row->t, t), number(level + (applied ? -SHIFT : SHIFT), y));
    last = level;
  }
  if (last >= 0)
    fprintf(out, "%s %s\n", number(run->end, t), number(last + (applied ? -SHIFT : SHIFT), y));
  else
    fputs("0 NaN\n", out);
  fputs("EOD\n", out);
}

static void print_marks(FILE *out, const hysi_plot_run *run, size_t which, int group, double span) {
  char t[32], y[32];
  double last = -HYSI_INF;
  fprintf(out, "$mark%zu_%d << EOD\n", which, group);
  for (size_t r = 0; r < run->trace->n_rows; r++) {
    const hys_trace_row *const row = &run->trace->row[r];
    if (hysi_plot_group_of(run, row) != group || row->t - last < span / MARKS)
      continue;
    const bool asked = row->requested[0] != '\0';
    const int level = hysi_plot_level(run, asked ? row->requested : row->applied);
    if (level < 0)
      continue;
    fprintf(out, "%s %s\n", number(row->t, t), number(level + (asked ? SHIFT : -SHIFT), y));
    last = row->t;
  }
  if (last < 0)
    fputs("0 NaN\n", out);
  fputs("EOD\n", out);
}

/* ---- scales */

typedef struct scales {
  double t_hi, gap_lo, gap_hi, speed_lo, speed_hi;
} scales;

static void stretch(double value, double *lo, double *hi) {
  if (value < *lo)
    *lo = value;
  if (value > *hi)
    *hi = value;
}

static scales find_scales(const hysi_plot_run *run, size_t n) {
  scales s = {0, 0, 0, 0, 0};
  for (size_t k = 0; k < n; k++) {
    if (run[k].end > s.t_hi)
      s.t_hi = run[k].end;
    if (isfinite(run[k].unsafe_below))
      stretch(2 * run[k].unsafe_below, &s.gap_lo, &s.gap_hi);
    for (size_t r = 0; r < run[k].trace->n_rows; r++) {
      const double *const x = run[k].trace->row[r].x;
      if (run[k].gap >= 0 && isfinite(x[run[k].gap]))
        stretch(x[run[k].gap], &s.gap_lo, &s.gap_hi);
      for (size_t i = 0; i < run[k].n_speeds; i++) {
        if (isfinite(x[run[k].speed[i]]))
          stretch(x[run[k].speed[i]], &s.speed_lo, &s.speed_hi);
      }
    }
  }
  s.t_hi = s.t_hi > 0 ? s.t_hi * 1.01 : 1;
  s.gap_hi += 0.08 * (s.gap_hi - s.gap_lo) + 1e-6;
  s.speed_hi += 0.08 * (s.speed_hi - s.speed_lo) + 1e-6;
  if (s.gap_lo < 0)
    s.gap_lo -= 0.03 * (s.gap_hi - s.gap_lo);
  if (s.speed_lo < 0)
    s.speed_lo -= 0.03 * (s.speed_hi - s.speed_lo);
  return s;
}

/* ---- panels */

typedef struct place {
  double left, right; /* of the panels, in parts of the picture's width */
  double name;        /* where the names of the vertical axes stand */
  bool first;         /* bears these names */
} place;

static void print_margins(FILE *out, const place *p, double bottom, double top) {
  char a[32], b[32], c[32], d[32];
  fprintf(out,
          "unset label\nunset object\nset lmargin at screen %s\nset rmargin at screen %s\nset bmargin at "
          "screen %s\nset tmargin at "
          "screen %s\n",
          number(p->left, a), number(p->right, b), number(bottom, c), number(top, d));
}

/* The name of an axis stands at the same distance in every panel. */
static void print_axis_name(FILE *out, const char *label, const place *p) {
  char x[32];
  if (!p->first)
    return;
  fputs("set label 9 ", out);
  quote(out, label);
  fprintf(out, " at screen %s, graph 0.5 center rotate by 90 tc rgb '" DARK "'\n", number(p->name, x));
}

static void print_y(FILE *out, const char *what, const char *unit, double lo, double hi, const place *p) {
  char a[32], b[32], label[MAX_LABEL];
  fprintf(out, "set yrange [%s:%s]\nset format y '%s'\n", number(lo, a), number(hi, b), p->first ? "%g" : "");
  snprintf(label, sizeof label, unit[0] != '\0' ? "%.80s [%.40s]" : "%.80s%.40s", what, unit);
  print_axis_name(out, label, p);
}

static void print_collision_line(FILE *out, const hysi_plot_run *run) {
  char t[32];
  fputs("unset arrow\n", out);
  if (isfinite(run->violated_at))
    fprintf(out,
            "set arrow from first %s, graph 0 to first %s, graph 1 nohead lc rgb '" RED
            "' lw 1.2 dt (6,4) back\n",
            number(run->violated_at, t), t);
}

static void print_gap_panel(FILE *out, const hysi_plot_run *run, size_t which, const scales *s,
                            const place *p) {
  char a[32], b[32];
  const hys_trace_variable *const gap = run->gap >= 0 ? &run->trace->variable[run->gap] : NULL;
  print_margins(out, p, 0.68, 0.885);
  print_y(out, gap != NULL ? variable_label(run->trace, run->gap) : "", gap != NULL ? gap->unit : "",
          s->gap_lo, s->gap_hi, p);
  print_collision_line(out, run);
  if (isfinite(run->unsafe_below) && run->gap >= 0) {
    char words[MAX_LABEL];
    /* The words stand on the side where the curve is farther away. */
    bool left = run->trace->row[0].x[run->gap] >= run->trace->row[run->trace->n_rows - 1].x[run->gap];
    if (isfinite(run->violated_at))
      left = run->violated_at > 0.5 * s->t_hi;
    snprintf(words, sizeof words, "unsafe: less than %s %.20s", number(run->unsafe_below, a), gap->unit);
    fprintf(out,
            "set object 1 rectangle from graph 0, first %s to graph 1, first %s fc rgb '" PALE_RED
            "' fs solid noborder behind\n",
            number(s->gap_lo, a), number(run->unsafe_below, b));
    fprintf(out, "set arrow from graph 0, first %s to graph 1, first %s nohead lc rgb '" RED "' lw 1 back\n",
            b, b);
    fputs("set label 1 ", out);
    quote(out, words);
    fprintf(out, " at graph %s, first %s %s offset 0,0.55 tc rgb '" RED "' font ',10' front\n",
            left ? "0.012" : "0.988", b, left ? "left" : "right");
  }
  if (isfinite(run->violated_at)) {
    char words[MAX_LABEL];
    const bool late = run->violated_at > 0.6 * s->t_hi;
    snprintf(words, sizeof words, "collision at %.2f s", run->violated_at);
    fputs("set label 2 ", out);
    quote(out, words);
    fprintf(out, " at first %s, graph 0.9 %s offset %s,0 tc rgb '" RED "' font ',12' front\n",
            number(run->violated_at, a), late ? "right" : "left", late ? "-0.8" : "0.8");
    fprintf(out, "set label 3 '' at first %s, first %s point pt 3 ps 2.4 lw 3 lc rgb '" RED "' front\n",
            number(run->violated_at, a),
            number(isfinite(run->unsafe_below) ? run->unsafe_below : run->least_gap, b));
  } else if (isfinite(run->least_gap) && run->gap >= 0) {
    char words[MAX_LABEL];
    const bool late = run->least_gap_at > 0.6 * s->t_hi;
    snprintf(words, sizeof words, "smallest %s %.3f %.20s", variable_label(run->trace, run->gap),
             run->least_gap, gap->unit);
    fputs("set label 2 ", out);
    quote(out, words);
    fprintf(out, " at first %s, first %s %s offset %s,1.1 tc rgb '" DARK "' font ',11' front\n",
            number(run->least_gap_at, a), number(run->least_gap, b), late ? "right" : "left",
            late ? "-0.4" : "0.4");
    fprintf(out, "set label 3 '' at first %s, first %s point pt 6 ps 1.2 lw 2 lc rgb '" DARK "' front\n", a,
            b);
  }
  fputs("unset key\n", out);
  if (run->gap >= 0)
    fprintf(out, "plot $gap%zu using 1:2 with lines lc rgb '" DARK "' lw 2.4 notitle\n", which);
  else
    fputs("plot NaN notitle\n", out);
}

static void print_speed_panel(FILE *out, const hysi_plot_run *run, size_t which, const scales *s,
                              const place *p) {
  print_margins(out, p, 0.46, 0.63);
  const char *const unit = run->n_speeds > 0 ? run->trace->variable[run->speed[0]].unit : "";
  print_y(out, "speed", unit, s->speed_lo, s->speed_hi, p);
  print_collision_line(out, run);
  fputs("set key at graph 1, graph 1.02 right bottom horizontal samplen 2.5 "
        "spacing 1 font ',11'\n",
        out);
  if (run->n_speeds == 0)
    fputs("plot NaN notitle\n", out);
  for (size_t i = 0; i < run->n_speeds; i++) {
    fprintf(out, "%s$speed%zu_%zu using 1:2 with lines lc rgb '%s' lw 2.4 title ",
            i == 0 ? "plot " : ", \\\n  ", i, which, line_colour[i]);
    quote(out, variable_label(run->trace, run->speed[i]));
  }
  fputc('\n', out);
}

static void print_command_panel(FILE *out, const hysi_plot_run *run, size_t which, const place *p) {
  print_margins(out, p, 0.25, 0.41);
  print_collision_line(out, run);
  fprintf(out, "set yrange [-0.6:%zu.6]\nset ytics scale 0 (", run->n_levels > 0 ? run->n_levels - 1 : 0);
  for (size_t k = 0; k < run->n_levels; k++) {
    fputs(k > 0 ? ", " : "", out);
    quote(out, p->first ? run->level[k] : "");
    fprintf(out, " %zu", k);
  }
  fputs(")\n", out);
  print_axis_name(out, "command", p);
  fputs("set format x '%g'\nset xlabel 'time [s]' offset 0,0.4\n", out);
  fputs("set key at graph 0, graph -0.42 left top vertical maxrows 8 samplen 2.5 spacing 1.15 width 1 font "
        "',10.5' "
        "reverse Left\n",
        out);
  fprintf(out, "plot $asked%zu using 1:2 with steps lc rgb '" ASKED "' lw 2 title 'asked', \\\n", which);
  fprintf(out, "  $applied%zu using 1:2 with steps lc rgb '" APPLIED "' lw 2.8 title 'applied'", which);
  for (size_t k = 0; k < run->n_groups; k++) {
    const hysi_plot_group *const g = &run->group[k];
    const char *const why = reason_words(g->reason);
    char words[MAX_LABEL];
    if (why[0] == '\0' || strcmp(why, action_words(g->action)) == 0)
      snprintf(words, sizeof words, "%s (%zu)", action_words(g->action), g->count);
    else
      snprintf(words, sizeof words, "%s: %.100s (%zu)", action_words(g->action), why, g->count);
    fprintf(out, ", \\\n  $mark%zu_%zu using 1:2 with points pt %d ps 1.1 lw 1.8 lc rgb '%s' title ", which,
            k, g->symbol, action_colour(g->action));
    quote(out, words);
  }
  fputs("\nset format x ''\nunset xlabel\nset ytics nomirror scale 0.6 autofreq\n", out);
}

/* ---- the whole */

static void print_terminal(FILE *out, hys_plot_format format, size_t n) {
  const int width = n == 1 ? 1100 : 1700, height = 1000;
  switch (format) {
  case HYS_PLOT_PNG:
    fprintf(out, "set terminal pngcairo noenhanced size %d,%d font 'Sans,12' background '#FFFFFF'\n", width,
            height);
    break;
  case HYS_PLOT_SVG:
    fprintf(out, "set terminal svg noenhanced size %d,%d dynamic font 'Sans,15' background '#FFFFFF'\n",
            width, height);
    break;
  case HYS_PLOT_PDF:
    fprintf(out, "set terminal pdfcairo noenhanced size %.2fin,%.2fin font 'Sans,12' background '#FFFFFF'\n",
            width / 96.0, height / 96.0);
    break;
  }
}

static void print_run(FILE *out, const hysi_plot_run *run, size_t which, const scales *s, const place *p) {
  print_gap_panel(out, run, which, s, p);
  print_speed_panel(out, run, which, s, p);
  print_command_panel(out, run, which, p);
}

static void print_titles(FILE *out, const hysi_plot_run *run, size_t n, const place *p) {
  const char *const title = hys_trace_find(run[0].trace, "title");
  char words[2 * MAX_LABEL], x[32];
  const char *const shield = shield_words(run[0].trace);
  if (n == 1)
    snprintf(words, sizeof words, "%.200s%s%s", title != NULL ? title : "trace",
             shield[0] != '\0' ? ", " : "", shield);
  else
    snprintf(words, sizeof words, "%.200s", title != NULL ? title : "two traces");
  fputs("set label 100 ", out);
  quote(out, words);
  fprintf(out, " at screen %s, screen 0.963 left font ',17' tc rgb '#111111' front\n", number(p[0].left, x));
  for (size_t k = 0; k < n; k++) {
    const char *const own = shield_words(run[k].trace);
    if (isfinite(run[k].violated_at))
      snprintf(words, sizeof words, "%s%scollision at t = %.2f s", n == 2 ? own : "",
               n == 2 && own[0] != '\0' ? ": " : "", run[k].violated_at);
    else
      snprintf(words, sizeof words, "%s%sno collision", n == 2 ? own : "",
               n == 2 && own[0] != '\0' ? ": " : "");
    fprintf(out, "set label %zu ", 101 + k);
    quote(out, words);
    fprintf(out, " at screen %s, screen 0.918 left font ',14' tc rgb '%s' front\n", number(p[k].left, x),
            isfinite(run[k].violated_at) ? RED : "#1B6E3C");
  }
}

bool hysi_plot_print(FILE *out, const hysi_plot_run *run, size_t n, hys_plot_format format) {
  static const place one[1] = {{0.13, 0.965, 0.025, true}};
  static const place two[2] = {{0.085, 0.52, 0.017, true}, {0.55, 0.985, 0.017, false}};
  const place *const p = n == 1 ? one : two;
  const scales s = find_scales(run, n);
  char t[32];
  print_terminal(out, format, n);
  fputs("set encoding utf8\n", out);
  for (size_t k = 0; k < n; k++) {
    if (run[k].gap >= 0)
      print_series(out, &run[k], k, "gap", run[k].gap);
    for (size_t i = 0; i < run[k].n_speeds; i++) {
      char name[32];
      snprintf(name, sizeof name, "speed%zu_", i);
      print_series(out, &run[k], k, name, run[k].speed[i]);
    }
    print_steps(out, &run[k], k, false);
    print_steps(out, &run[k], k, true);
    for (size_t g = 0; g < run[k].n_groups; g++)
      print_marks(out, &run[k], k, (int)g, s.t_hi);
  }
  fputs("set border 3 lc rgb '#888888' lw 1\nset tics nomirror out scale 0.6 tc rgb '" DARK "'\n"
        "set grid xtics ytics lc rgb '" FAINT "' lw 1 lt 1, lc rgb '" FAINT
        "' lw 1 lt 1\nset style fill solid\n",
        out);
  fprintf(out, "set xrange [0:%s]\nset format x ''\n", number(s.t_hi, t));
  fputs("set multiplot\n", out);
  print_titles(out, run, n, p);
  /* The titles are labels of an empty plot of their own: each panel drops labels. */
  fputs("set lmargin at screen 0\nset rmargin at screen 1\nset bmargin at screen 0\nset tmargin at screen 1\n"
        "unset border\nunset tics\nunset key\nset yrange [0:1]\nplot NaN notitle\nunset label\n"
        "set border 3 lc rgb '#888888' lw 1\nset tics nomirror out scale 0.6 tc rgb '" DARK
        "'\nset xtics nomirror\nset ytics nomirror\n",
        out);
  for (size_t k = 0; k < n; k++)
    print_run(out, &run[k], k, &s, &p[k]);
  fputs("unset multiplot\n", out);
  return fflush(out) == 0 && !ferror(out);
}
