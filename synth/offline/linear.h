/* Automata with constant rates in exact form: conditions as rows, rates as the cone of what they may be,
 * jumps as maps, over the variables that an attempt keeps.  Private to synth/offline. */
#ifndef HYSHIELD_SYNTH_OFFLINE_LINEAR_H
#define HYSHIELD_SYNTH_OFFLINE_LINEAR_H

#include "core/polyhedron.h"
#include "synth/offline/walk.h"

enum { HYSI_LINEAR_NARROWING = 10 };

/* sum coef[i] x[i] <= bound over the variables that are kept. */
typedef struct hysi_line {
  fmpq *coef; /* n */
  fmpq_t bound;
  hys_lp_relation relation;
} hysi_line;

typedef struct hysi_lines {
  hysi_line *line;
  uint32_t n;
} hysi_lines;

typedef struct hysi_path {
  uint32_t target;
  hysi_lines guard;
  fmpq **matrix; /* n, each n + 1 or NULL */
  hys_interval *add;
} hysi_path;

/* A location in this form, with what was reached in it. */
typedef struct hysi_place {
  const hys_hybrid_location *l;
  hysi_lines invariant;
  fmpq *direction; /* n each: rays, then lines */
  uint32_t n_rays, n_lines;
  hysi_path *path;
  hysi_polyhedron **reached; /* with all the time that the invariant allows */
  uint32_t n, capacity;
} hysi_place;

typedef struct hysi_task {
  uint32_t index;
  hysi_polyhedron *start;
} hysi_task;

typedef struct hysi_linear {
  const hys_hybrid *a;
  const hys_verify_options *o;
  const hys_property *property;
  uint32_t n_properties;
  size_t n;         /* variables that are kept */
  uint32_t *column; /* per variable of the automaton: its place among them, UINT32_MAX: it is left out */
  uint32_t *kept;   /* per column: the variable */
  fmpq *axis;       /* n unit vectors */
  fmpq *wide;       /* a->n + 1: scratch */
  hys_interval *box, *scratch;
  size_t scratch_size;
  hysi_place **place; /* per location index */
  uint32_t n_places;
  hysi_task *task;
  uint32_t first, n_tasks, capacity;
  uint32_t sets;
  bool *touched;
  bool fits; /* all that was met had the form */
} hysi_linear;

fmpq *hysi_rationals(size_t n); /* n + 1, zero; NULL: no memory */
void hysi_rationals_free(fmpq *q, size_t n);

/* The conditions that have the form; others are left out. */
hys_status hysi_lines_make(hysi_linear *w, const hys_conditions *c, hysi_lines *out);
void hysi_lines_free(hysi_lines *r, size_t n);
hys_status hysi_lines_cut(hysi_polyhedron *p, const hysi_lines *r);

/* The location, made at the first call for it; w->fits becomes false if its rates have another form. */
hys_status hysi_place_get(hysi_linear *w, uint32_t index, hysi_place **out);
void hysi_place_free(const hysi_linear *w, hysi_place *p);

#endif
