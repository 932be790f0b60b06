/* Flowpipes as files: CSV with time-tagged boxes, rectangles for gnuplot, pictures of a phase plane or over
 * time.
 *
 *   # schema = hyshield-flowpipe-1
 *   t_lo [s],t_hi [s],location,VAR_lo,VAR_hi,..
 *
 * Numbers are rounded outward to the shortest decimals that read back.  Setup only. */
#ifndef HYSHIELD_SIMS_PLOT_PIPE_H
#define HYSHIELD_SIMS_PLOT_PIPE_H

#include <stdbool.h>
#include <stdio.h>

#include "core/hybrid.h"
#include "synth/offline/verify.h"

/* Visible so that it can live on the stack; use the functions. */
typedef struct pipe_file {
  FILE *csv, *data;
  const char *picture;
  const hys_hybrid *automaton;
  size_t x, y;       /* variables of the picture */
  bool over_time;    /* x is time */
  double *rectangle; /* x_lo, x_hi, y_lo, y_hi each */
  const char **place;
  size_t n, capacity;
} pipe_file;

/* Paths may be NULL.  vars: "x,y", "t,y", "y" or NULL.  false: why says what is wrong. */
bool pipe_file_open(pipe_file *f, const hys_hybrid *automaton, const char *csv, const char *data,
                    const char *picture, const char *vars, char *why, size_t size);
/* A segment (for hys_verify_options.segment; context: the pipe_file). */
void pipe_file_segment(void *context, const hys_segment_view *segment);
/* Writes what is left, draws the picture with the forbidden sets of the properties as far as they are bounds
 * of its two variables. */
bool pipe_file_close(pipe_file *f, const hys_property *property, uint32_t n, char *why, size_t size);

#endif
