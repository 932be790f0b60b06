/* Models as text: the flattened model as SpaceEx reads it, the configuration that belongs to it, and a graph
 * of the components as they were written.
 *
 * What is printed goes to the caller's writer piece by piece, so that memory grows with the model as written
 * and not with the product.  Setup only. */
#ifndef HYSHIELD_MODELS_PRINT_H
#define HYSHIELD_MODELS_PRINT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/allocator.h"
#include "core/diagnostics.h"
#include "core/rt/status.h"
#include "models/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A product with more locations is printed only for one who asks for it: the command's rule, not ours. */
enum { HYS_PRINT_MAX_LOCATIONS = 10000 };

/* Takes bytes; false ends the printing. Never called with n = 0. */
typedef struct hys_model_writer {
  bool (*write)(void *context, const char *bytes, size_t n);
  void *context;
} hys_model_writer;

/* The whole product as one base component of the system's name, in SpaceEx XML: every product location and
 * jump, before any pruning.  Read again it has the same variables with the same roles, labels, counts, class
 * of the flow, and the same functions: numbers stand as they were written, what was bound to a number is
 * replaced by it, names are the flattened ones (inst.x). A location is called after the parts of the
 * instances that have several, joined by `__'; where that is no name, is too long or may mean two locations,
 * all names end in `_' and the number of the location, and a note says what it stands for.  A label that its
 * component does not declare, and a name that nobody does, stay undeclared, with the path of their instance
 * before them.  In an urgent location only what the facts need is said of the flow. Of the configuration
 * nothing is said here.  Work and output are linear in the product. HYS_OK; HYS_ERR_INPUT: the model has
 * errors; HYS_ERR_UNSUPPORTED: one component cannot say it (two instances assign one variable in one jump);
 * HYS_ERR_LIMIT: a name is too long to be read, or the counts are beyond 2^53; for both the diagnostics say
 * where, and nothing has been written. HYS_ERR_WRITE: the writer said so; HYS_ERR_MEMORY; HYS_ERR_ARG.  What
 * is larger than the reader takes is printed, with a warning. */
HYS_API hys_status hys_model_print(const hys_model *model, const hys_model_writer *writer, hys_arena *arena,
                                   hys_diagnostics *diagnostics);

/* The configuration for what hys_model_print printed: flattened names, a condition on the location of an
 * instance as one on the product's location, the keys that have no meaning here as they were.  Without a
 * configuration: the system alone.  Statuses as above. */
HYS_API hys_status hys_model_print_config(const hys_model *model, const hys_model_writer *writer,
                                          hys_arena *arena, hys_diagnostics *diagnostics);

/* A graph in graphviz's language: a cluster for each base component under the system, as it was written, with
 * its instances, locations (name, invariant, flow) and jumps (label, guard, assignment); initial locations
 * have a thick border.  Long conditions are cut.  Statuses as above. */
HYS_API hys_status hys_model_print_dot(const hys_model *model, const hys_model_writer *writer,
                                       hys_arena *arena, hys_diagnostics *diagnostics);

#ifdef __cplusplus
}
#endif
#endif
