/* The front door of models: a SpaceEx model and its configuration, read, checked, and made into an automaton.
 *
 * Everything is built in the caller's arena and lives as long as it; nothing is freed before.  What is wrong
 * with a file is said in the diagnostics, all that is found in one run.  Setup only. */
#ifndef HYSHIELD_MODELS_MODEL_H
#define HYSHIELD_MODELS_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "core/allocator.h"
#include "core/diagnostics.h"
#include "core/rt/automaton.h"
#include "core/rt/expr.h"
#include "core/rt/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Limits of the reader (those of XML as such are in models/xml_source.h, HYS_XML_MAX_...); the message names
 * the one that is exceeded. */
enum {
  HYS_MAX_INSTANCES = 100000, /* of components under a system */
  HYS_MAX_PARTS = 16777216,   /* parameters, locations, transitions, rows of their texts, of all instances */
  HYS_MAX_NAME_BYTES = 268435456,   /* of all flattened names; a dot counts as 64 */
  HYS_MAX_EXPR_BYTES = 8388608,     /* of the text of one formula */
  HYS_MAX_EXPR_DEPTH = 1000,        /* operators and parentheses open at one place of an expression */
  HYS_MAX_VARIABLES = 1000000,      /* flattened */
  HYS_MAX_PRODUCT_LOCATIONS = 4096, /* reachable ones, of an automaton */
  HYS_MAX_PRODUCT_JUMPS = 65536,    /* likewise */
  HYS_MAX_DISJUNCTS = 1024,         /* of a formula in disjunctive normal form */
  HYS_MAX_REGIONS = 65536           /* sets that a formula of a configuration splits into */
};

typedef struct hys_model hys_model;

typedef enum hys_role { HYS_ROLE_STATE, HYS_ROLE_INPUT, HYS_ROLE_CONSTANT } hys_role;

typedef struct hys_model_variable {
  const char *name; /* flattened: inst.name where it is local to an instance */
  hys_role role;
  const char *unit; /* from a note of the model; NULL = not known */
} hys_model_variable;

/* Reads a model.  cfg_path NULL: the model's stem with .cfg if it is there (hys_model_config says so).
 * system NULL: the configuration's, else the component that nobody binds.
 * *out is set as soon as there is something to tell about, also when the file has errors; else NULL.
 * HYS_OK; HYS_ERR_INPUT: at least one error in the diagnostics; HYS_ERR_LIMIT: a limit of the XML is exceeded
 * (the diagnostic names it); HYS_ERR_OPEN: a file cannot be opened or read (likewise); HYS_ERR_MEMORY;
 * HYS_ERR_ARG. */
HYS_API hys_status hys_model_read(const hys_model **out, const char *xml_path, const char *cfg_path,
                                  const char *system, hys_arena *arena, hys_diagnostics *diagnostics);

/* The same from memory; the names are those of the diagnostics.  cfg NULL: no configuration. */
HYS_API hys_status hys_model_read_memory(const hys_model **out, const char *xml, size_t xml_size,
                                         const char *xml_name, const char *cfg, size_t cfg_size,
                                         const char *cfg_name, const char *system, hys_arena *arena,
                                         hys_diagnostics *diagnostics);

/* Path of the configuration that was read; NULL = none. */
HYS_API const char *hys_model_config(const hys_model *model);
/* Id of the component that is the system; NULL if none was found. */
HYS_API const char *hys_model_system(const hys_model *model);
HYS_API size_t hys_model_variable_count(const hys_model *model);
HYS_API hys_model_variable hys_model_variable_at(const hys_model *model, size_t i);
HYS_API size_t hys_model_label_count(const hys_model *model);
HYS_API const char *hys_model_label_at(const hys_model *model, size_t i);
/* Of the product, by arithmetic, before any pruning; UINT64_MAX: more than 2^53. */
HYS_API uint64_t hys_model_location_count(const hys_model *model);
HYS_API uint64_t hys_model_jump_count(const hys_model *model);
HYS_API hys_expr_class hys_model_flow_class(const hys_model *model);
/* "none", "constant", "constant-inclusion", "affine", ... RT-safe. */
HYS_API const char *hys_expr_class_text(hys_expr_class kind);
/* "state", "input", "constant". RT-safe. */
HYS_API const char *hys_role_text(hys_role role);

/* The automaton for a shield: the product locations that jumps reach from the initial ones, with affine flows
 * prepared, invariants, inputs' bounds, guards, resets and the sets of the configuration.  A set of initial
 * states is to be cut with the invariant of its location.  What the run-time engine cannot hold is refused
 * with its place: HYS_ERR_UNSUPPORTED (not affine, an unbounded input, ...), HYS_ERR_LIMIT,
 * HYS_ERR_INPUT (the model has errors), HYS_ERR_NUMERIC, HYS_ERR_MEMORY. */
HYS_API hys_status hys_model_automaton(const hys_model *model, hys_arena *arena, hys_diagnostics *diagnostics,
                                       const hys_automaton **out);

/* A formula of a file that belongs to the model (a shield file, a command line), over the automaton's states
 * and the model's constants, as a union of regions.  The text must outlive what is made of it.  Its byte
 * `offset` stands in `file` where place says; without it at line, column, a line break starting the next line
 * at column 1. instance and location restrict it as loc(instance)==location would; both NULL: no restriction.
 */
typedef struct hys_model_text {
  const char *file, *element; /* for diagnostics */
  const char *text;
  size_t length;
  void (*place)(const void *context, size_t offset, uint32_t *line, uint32_t *column); /* NULL: see above */
  const void *place_context;
  uint32_t line, column;
  const char *instance, *location;
} hys_model_text;
HYS_API hys_status hys_model_regions(const hys_model *model, const hys_automaton *automaton,
                                     const hys_model_text *text, hys_arena *arena,
                                     hys_diagnostics *diagnostics, const hys_region **out, uint32_t *n);

/* A number as an affine function of the automaton's states and inputs: nx + nu coefficients in the arena. */
HYS_API hys_status hys_model_affine(const hys_model *model, const hys_automaton *automaton,
                                    const hys_model_text *text, hys_arena *arena,
                                    hys_diagnostics *diagnostics, const hys_interval **coef,
                                    hys_interval *constant);

#ifdef __cplusplus
}
#endif
#endif
