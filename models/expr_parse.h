/* Expressions and formulas from text: the dialect's grammar, by operator precedence, without recursion; time
 * and memory linear in the length.  Private to models.  Setup only.
 *
 *   formula := or      or := and {("|"|"||") and}     and := not {("&"|"&&") not}
 *   not     := "!" "(" or ")" | "(" or ")" | cmp      cmp := "true" | "false" | sum {relation sum}
 *   relation := "<" "<=" ">" ">=" "==" "=" "!=" ":="  (a chain a <= x <= b holds pairwise)
 *   sum := product {("+"|"-") product}                product := unary {("*"|"/") unary}
 *   unary := ("-"|"+") unary | power                  power := atom ["^" unary]
 *   atom := number | name ["'"] | function "(" sum {"," sum} ")" | "(" sum ")"
 *         | "loc" "(" [name] ")" ("==" | "=") name
 *         | "lut" "(" (list | sum) "," table {"," list} ")"
 *   table := list | "reshape" "(" list {"," sum} ")"   list := "[" sum {("," | ";") sum} "]"
 * A list of several rows (";") is a table.  What stands in a table or in breakpoints is a number that can be
 * computed here; a table that does not fit is an error. */
#ifndef HYSHIELD_MODELS_EXPR_PARSE_H
#define HYSHIELD_MODELS_EXPR_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/allocator.h"
#include "core/diagnostics.h"
#include "core/rt/expr.h"
#include "core/rt/status.h"

/* Where byte `offset` of a text stands in its file. */
typedef void hysi_place(const void *context, size_t offset, uint32_t *line, uint32_t *column);

typedef struct hysi_expr_source {
  const char *file, *element; /* for diagnostics */
  const char *text;           /* must outlive the tree: its nodes point into it */
  size_t length;
  hysi_place *place;
  const void *place_context;
} hysi_expr_source;

typedef enum hysi_name_kind {
  HYSI_NAME_UNKNOWN, /* has been reported */
  HYSI_NAME_VARIABLE,
  HYSI_NAME_NUMBER
} hysi_name_kind;

typedef struct hysi_name {
  hysi_name_kind kind;
  uint32_t index;     /* of a variable */
  hys_interval value; /* of a number */
} hysi_name;

/* What the names in a text mean.  `where` has the place of the name, for diagnostics. */
typedef struct hysi_expr_names {
  void *context;
  hysi_name (*variable)(void *context, const char *name, size_t length, bool primed,
                        const hys_diagnostic *where);
  /* NULL: loc() is not allowed here.  Returns false after having reported. */
  bool (*location)(void *context, const char *instance, size_t instance_length, const char *location,
                   size_t location_length, const hys_diagnostic *where, uint32_t *instance_index,
                   uint32_t *location_index);
} hysi_expr_names;

typedef enum hysi_expr_want {
  HYSI_WANT_NUMBER,
  HYSI_WANT_FORMULA,   /* no primes, no := */
  HYSI_WANT_FLOW,      /* primes */
  HYSI_WANT_ASSIGNMENT /* primes and := */
} hysi_expr_want;

/* Parses the whole text.  A formula that is all blank is TRUE.  HYS_ERR_INPUT: something was reported; *out
 * then is the tree if the grammar was kept (unknown names stand in it as the entire line) and has n = 0 if
 * not.  HYS_ERR_LIMIT, HYS_ERR_MEMORY. */
hys_status hysi_expr_parse(hys_expr *out, const hysi_expr_source *source, const hysi_expr_names *names,
                           hysi_expr_want want, hys_arena *arena, hys_diagnostics *diagnostics);

/* The subtree under root as text that parses to the same tree; names as they were written.  NULL: no memory.
 */
char *hysi_expr_print(const hys_expr *e, uint32_t root, hys_arena *arena);

/* A NaN-free double that a constant node stands for: the nearest one to what was written. */
double hysi_expr_nearest(const hys_expr_node *node);

#endif
