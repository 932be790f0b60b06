/* What the two files of the pictures share: a trace, looked at for drawing. */
#ifndef HYSHIELD_SIMS_PLOT_INTERNAL_H
#define HYSHIELD_SIMS_PLOT_INTERNAL_H

#include <stdbool.h>
#include <stdio.h>

#include "sims/plot.h"

enum {
  HYSI_PLOT_MAX_LINES = 6,   /* speeds in one panel */
  HYSI_PLOT_MAX_LEVELS = 24, /* commands */
  HYSI_PLOT_MAX_GROUPS = 24, /* kinds of edits: an action for a reason */
  HYSI_PLOT_MAX_NAME = 64
};

typedef struct hysi_plot_group {
  const char *action, *reason; /* of the trace */
  size_t count;                /* of commands, and of insertions */
  uint64_t last_id;
  int symbol; /* gnuplot's number */
} hysi_plot_group;

typedef struct hysi_plot_run {
  const hys_trace *trace;
  int gap; /* column; -1 = none */
  int speed[HYSI_PLOT_MAX_LINES];
  size_t n_speeds;
  double unsafe_below, violated_at; /* NaN = none */
  double least_gap, least_gap_at;
  double end;
  char level[HYSI_PLOT_MAX_LEVELS][HYSI_PLOT_MAX_NAME];
  bool used[HYSI_PLOT_MAX_LEVELS];
  size_t n_levels;
  hysi_plot_group group[HYSI_PLOT_MAX_GROUPS];
  size_t n_groups;
} hysi_plot_run;

/* false: the trace has no rows or no variables. */
bool hysi_plot_look(hysi_plot_run *run, const hys_trace *trace);
/* Number of the level of a command (without its value), -1 = none. */
int hysi_plot_level(const hysi_plot_run *run, const char *command);
/* Group of a row; -1: the row is no edit. */
int hysi_plot_group_of(const hysi_plot_run *run, const hys_trace_row *row);
/* Runs gnuplot on a script; its standard output becomes the file at path. */
hys_status hysi_plot_draw(FILE *script, const char *path, char *why, size_t size);
/* The whole script: terminal, panels, data. */
bool hysi_plot_print(FILE *out, const hysi_plot_run *run, size_t n, hys_plot_format format);

#endif
