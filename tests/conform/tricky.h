/* For the tests of models that are easily misread: a model of one component whose formulas are filled in, and
 * what is said about it, word for word. */
#ifndef HYSHIELD_TESTS_CONFORM_TRICKY_H
#define HYSHIELD_TESTS_CONFORM_TRICKY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/allocator.h"
#include "core/diagnostics.h"
#include "core/rt/automaton.h"
#include "models/model.h"

/* What is to be said: nothing (text NULL), or one warning or error. */
typedef struct tricky_said {
  hys_severity severity;
  uint32_t line, column;
  const char *text;
} tricky_said;

/* Where formulas of the model stand: each begins a line. */
enum { TRICKY_INVARIANT = 9, TRICKY_FLOW = 11, TRICKY_GUARD = 14, TRICKY_ASSIGNMENT = 16 };

typedef struct tricky_world {
  hys_arena *arena;
  hys_diagnostics said;
  const hys_model *model;
  const hys_automaton *automaton;
} tricky_world;

/* Component c: x, y real, k const, u not controlled, go a label; one location `on', one jump of it to itself
 * with go.  In the line `line` stands `text`, elsewhere something harmless.  The text is escaped.  Lives in
 * the arena. */
char *tricky_model(hys_arena *arena, uint32_t line, const char *text);

/* The column, in the file, of a column of a text that was escaped. */
uint32_t tricky_column(const char *text, uint32_t column);

/* Reads and compares what was said: all warnings and errors (notes are left out) are the one that is wanted.
 * `file` is "m.xml" or "m.cfg", where it is said.  The model is in the world, which the caller has to end. */
bool tricky_read(tricky_world *world, const char *xml, size_t size, const char *cfg, const char *file,
                 const tricky_said *want);
/* The automaton of the model that was read; NULL, and a failed check, if there is none. */
const hys_automaton *tricky_flatten(tricky_world *world);
void tricky_end(tricky_world *world);

/* Whether a double is the enclosure, or one of its two ends where it is no double. */
bool tricky_near(hys_interval got, double want);

#endif
