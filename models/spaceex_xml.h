/* A SpaceEx model as it stands in its file: components with their parameters, locations, transitions and
 * binds, formulas parsed over the parameters of their component.  What the network means is network.h's.
 * Private to models.  Setup only. */
#ifndef HYSHIELD_MODELS_SPACEEX_XML_H
#define HYSHIELD_MODELS_SPACEEX_XML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/allocator.h"
#include "core/diagnostics.h"
#include "core/rt/expr.h"
#include "core/rt/status.h"
#include "models/names.h"
#include "models/xml_source.h"

#define HYSI_NONE UINT32_MAX
#define HYSI_PRIVATE_LABEL (UINT32_MAX - 1) /* used, but declared by nobody */

typedef struct hysi_param {
  const char *name;
  const char *unit; /* of its note; NULL = none */
  const hysi_xml_element *at;
  bool label;
  bool constant; /* dynamics="const" */
  bool local;
  bool controlled;
  bool used;                         /* some text of the component, or a map, names it */
  const struct hysi_bind *mapped_in; /* the last bind that maps it */
} hysi_param;

/* One conjunct of a flow or an assignment about one variable:  param' op rhs,  op one of LT LE GT GE EQ. */
typedef struct hysi_row {
  uint32_t param;
  uint8_t op;
  uint32_t rhs;  /* node of the tree it came from */
  uint32_t node; /* the comparison, for its place */
} hysi_row;

typedef struct hysi_text_tree {
  hys_expr e;                 /* n = 0: absent, or refused */
  bool unknown;               /* a name in it is not declared: a warning, but nothing can be computed */
  uint32_t written;           /* nodes of e that there are all the same if `unknown', for printing alone */
  const hysi_xml_element *at; /* NULL: absent */
  hysi_row *row;              /* of a flow or an assignment */
  uint32_t n_rows, rows_capacity;
  uint32_t *algebraic; /* of a flow: comparisons without a derivative */
  uint32_t n_algebraic, algebraic_capacity;
} hysi_text_tree;

typedef struct hysi_model_location {
  const char *id, *name;
  const hysi_xml_element *at;
  hysi_text_tree invariant, flow;
  bool urgent; /* the flow is `false' */
} hysi_model_location;

typedef struct hysi_transition {
  uint32_t source, target; /* locations; HYSI_NONE: not found */
  const hysi_xml_element *at;
  bool asap;      /* taken as soon as it is enabled */
  uint32_t label; /* param, HYSI_NONE or HYSI_PRIVATE_LABEL */
  hysi_text_tree guard, assignment;
} hysi_transition;

typedef struct hysi_map {
  const hysi_xml_element *at;
  uint32_t key;       /* param of the child; HYSI_NONE: reported */
  uint32_t parent;    /* param of the parent, or HYSI_NONE: a number */
  hys_interval value; /* of a number */
  hys_expr number;    /* as it was written */
} hysi_map;

typedef struct hysi_bind {
  const char *component_name, *as;
  const hysi_xml_element *at;
  uint32_t component; /* HYSI_NONE: not found or cyclic, left out */
  hysi_map *map;
  uint32_t n_maps, maps_capacity;
} hysi_bind;

typedef struct hysi_component {
  const char *id;
  const hysi_xml_element *at;
  hysi_param *param;
  hysi_model_location *location;
  hysi_transition *transition;
  hysi_bind *bind;
  uint32_t n_params, n_locations, n_transitions, n_binds;
  uint32_t params_capacity, locations_capacity, transitions_capacity, binds_capacity;
  hysi_names param_names, location_ids, location_names;
  hysi_names private_labels; /* used and not declared */
  bool bound;                /* by another component */
  bool dotted;               /* a parameter's name has a dot: it may be another's flattened name */
  bool refused;              /* some part of it could not be read: who knows what that speaks of */
} hysi_component;

typedef struct hysi_document {
  const char *file;
  hys_arena *arena;
  hys_diagnostics *diagnostics;
  hysi_component *component;
  uint32_t n_components, capacity;
  hysi_names ids;
  uint64_t parts;      /* parameters that binds have to map */
  const char **listed; /* ids of the components, made when first needed */
} hysi_document;

/* Reads the components of a file.  Problems are reported and what can be kept is kept: HYS_OK also then;
 * HYS_ERR_INPUT if nothing could be; HYS_ERR_MEMORY. */
hys_status hysi_document_read(hysi_document *document, const hysi_xml_element *root);

/* Parses the formulas of a component, once all components are there.  HYS_ERR_MEMORY, HYS_ERR_LIMIT. */
hys_status hysi_component_parse(hysi_document *document, hysi_component *component);

/* Whether a text is a name: letters, digits and `_', not beginning with a digit; dots: several of those with
 * dots between them, as flattened names are. */
bool hysi_is_name(const char *text, size_t length, bool dots);

/* The value of an attribute without prefix, its name in any case; NULL if it is not there. */
const char *hysi_attribute(const hysi_xml_element *element, const char *name);

/* Diagnostics at an element. */
__attribute__((format(printf, 4, 5))) void hysi_report(const hysi_document *document, hys_severity severity,
                                                       const hysi_xml_element *at, const char *format, ...);
/* Diagnostics at the value of an attribute, at the element where it has none. */
__attribute__((format(printf, 5, 6))) void hysi_report_value(const hysi_document *document,
                                                             hys_severity severity,
                                                             const hysi_xml_element *at,
                                                             const char *attribute, const char *format, ...);
/* Whether no more diagnostics are kept: what would only make one better is not worth its time. */
static inline bool hysi_diagnostics_full(const hys_diagnostics *d) {
  return d->n >= HYS_MAX_DIAGNOSTICS;
}
/* "; did you mean `x'?" or "". */
const char *hysi_did_you_mean(const hysi_document *document, const char *name, const char *const *candidate,
                              size_t n);
/* Diagnostics at a node of a tree. */
__attribute__((format(printf, 4, 5))) void hysi_report_node(const hysi_document *document,
                                                            hys_severity severity, const hys_expr_node *node,
                                                            const char *format, ...);

#endif
