/* What the printing of models shares: output, trees over flattened names, the product's locations.  Private
 * to models.  Setup only. */
#ifndef HYSHIELD_MODELS_PRINT_PRIVATE_H
#define HYSHIELD_MODELS_PRINT_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/model_private.h"
#include "models/print.h"

/* ---- output (print_text.c) ---- */

typedef struct hysi_out {
  const hys_model_writer *to;
  uint64_t bytes; /* all that was put */
  size_t n;
  bool failed; /* from then on nothing is written */
  char buffer[8192];
} hysi_out;

void hysi_put_bytes(hysi_out *out, const char *bytes, size_t n);
void hysi_put(hysi_out *out, const char *text);
void hysi_put_number(hysi_out *out, uint64_t number);
/* With the characters of XML as references; fits into attributes. */
void hysi_put_xml(hysi_out *out, const char *text);
/* The rest of the buffer. HYS_OK or HYS_ERR_WRITE. */
hys_status hysi_put_end(hysi_out *out);

/* ---- formulas (print_text.c) ---- */

/* The part of a tree under a node, as a tree of its own: variables are those of the network with their
 * flattened names as text, numbers that a bind gives stand in their place.  instance: whose parameters the
 * variables are; NULL: the network's variables.  Nodes for locations keep their numbers.  Names that nobody
 * declares become free(context, name): a primed or unprimed variable HYSI_NONE of that text. */
typedef struct hysi_rename {
  const hysi_network *network; /* NULL: names as they were written */
  const hysi_instance *instance;
  const char *(*undeclared)(void *context, const char *name, size_t length); /* NULL: as they are */
  void *context;
} hysi_rename;
hys_status hysi_flattened_tree(const hysi_rename *names, const hys_expr *e, uint32_t root, hys_arena *arena,
                               hys_expr *out);

/* The tree as text, under_and: such that it may stand beside others under `&'; NULL in *text: it is empty or
 * `true'. */
hys_status hysi_formula_text(const hysi_rename *names, const hys_expr *e, uint32_t root, bool under_and,
                             hys_arena *arena, const char **text);

/* ---- the product (print_product.c) ---- */

typedef struct hysi_product {
  const hysi_network *network;
  uint32_t *active; /* base instances with several locations */
  uint32_t n_active;
  uint64_t *stride; /* per base instance: of a location's number; 0 if there is only one location */
  uint64_t n;       /* locations */
  bool numbered;    /* names end in their number */
} hysi_product;

enum { HYSI_LOCATION_NAME = 256 };

/* HYS_ERR_INPUT: the model has errors; HYS_ERR_LIMIT: too many locations to be numbered, reported. */
hys_status hysi_product_open(hysi_product *product, const hys_model *model, hys_arena *arena,
                             hys_diagnostics *diagnostics);
/* Number from 0; all parts of it are written, n_base. */
void hysi_product_parts(const hysi_product *product, uint64_t index, uint32_t *part);
/* The next location: the last instance turns fastest.  false: that was the last. */
bool hysi_product_next(const hysi_product *product, uint32_t *part);
uint64_t hysi_product_index(const hysi_product *product, const uint32_t *part);
/* The name of a location, a name of the dialect. */
void hysi_product_name(const hysi_product *product, const uint32_t *part, char name[HYSI_LOCATION_NAME]);

/* ---- who takes part in which jumps (print_jumps.c) ---- */

/* The transitions of the instances by what they synchronise on. */
typedef struct hysi_jumps {
  const hysi_network *network;
  uint32_t *alone;       /* transitions without a label that is shared, instance by instance */
  uint32_t *alone_from;  /* n_base + 1: where those of an instance begin */
  uint32_t *shared;      /* transitions with a label, by the network's parts */
  uint32_t *shared_from; /* n_parts + 1: where those of a part begin */
} hysi_jumps;
hys_status hysi_jumps_open(hysi_jumps *jumps, const hysi_network *network, hys_arena *arena);
/* Reports what one component cannot say: a variable with two values after one jump, or two flows in one
 * location. *good: nothing. */
hys_status hysi_jumps_check(const hysi_jumps *jumps, const hysi_document *document, bool *good);

/* Whether an instance may be in a location in some initial state, as far as the formula's conditions on
 * locations tell.  scratch: initially.n bytes. */
bool hysi_may_begin(const hys_model *model, uint32_t base, uint32_t location, uint8_t *scratch);

#endif
