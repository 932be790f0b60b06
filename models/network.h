/* A system: the tree of instances under one component, what their parameters are bound to, and the flattened
 * variables and labels.  The product of the locations is never made here.  Private to models.  Setup only. */
#ifndef HYSHIELD_MODELS_NETWORK_H
#define HYSHIELD_MODELS_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rt/status.h"
#include "models/model.h"
#include "models/names.h"
#include "models/spaceex_xml.h"

typedef enum hysi_binding_kind {
  HYSI_BOUND_BADLY, /* reported */
  HYSI_BOUND_VARIABLE,
  HYSI_BOUND_LABEL,
  HYSI_BOUND_NUMBER
} hysi_binding_kind;

typedef struct hysi_binding {
  hysi_binding_kind kind;
  uint32_t index;      /* of the variable or label */
  hys_interval value;  /* of a number */
  const hysi_map *map; /* that gives the number */
} hysi_binding;

typedef struct hysi_instance {
  const char *path; /* "" for the system itself */
  const hysi_component *component;
  const hysi_bind *bind;       /* NULL: the system */
  const hysi_binding *binding; /* one a parameter */
} hysi_instance;

typedef struct hysi_variable {
  const char *name;
  const char *unit;        /* of a note; NULL = not known */
  const hysi_param *param; /* that declares it */
  hys_role role;
  bool controlled;  /* by some base instance */
  uint32_t flow_in; /* base instance with a flow of it; HYSI_NONE */
} hysi_variable;

typedef struct hysi_label {
  const char *name;
  bool local;          /* to the component that declares it */
  uint32_t first_part; /* into part; HYSI_NONE: nobody takes part */
  uint32_t last_part;
} hysi_label;

/* A base instance that takes part in a label, and how many of its transitions have it. */
typedef struct hysi_part {
  uint32_t base;
  uint32_t transitions;
  uint32_t next;
} hysi_part;

typedef struct hysi_network {
  hysi_document *document;
  const hysi_component *system;
  hysi_instance *instance;
  uint32_t n_instances, instances_capacity;
  uint32_t *base; /* those with locations */
  uint32_t n_base, base_capacity;
  hysi_variable *variable;
  uint32_t n_variables, variables_capacity;
  hysi_label *label;
  uint32_t n_labels, labels_capacity;
  hysi_part *part;
  uint32_t n_parts, parts_capacity;
  hysi_names variable_names;  /* exact, and by every suffix behind a dot (HYSI_AMBIGUOUS: of several) */
  hysi_names instance_names;  /* of base instances, likewise; "" for the only one */
  uint64_t parts, name_bytes; /* for the limits */
  uint64_t locations, jumps;  /* UINT64_MAX: more than 2^53 */
  hys_expr_class flow_class;
} hysi_network;

#define HYSI_AMBIGUOUS (UINT32_MAX - 1)

/* Builds the network under a component.  Problems are reported; HYS_OK also then; HYS_ERR_MEMORY,
 * HYS_ERR_LIMIT (reported). */
hys_status hysi_network_build(hysi_network *network, hysi_document *document, const hysi_component *system);

/* Cuts binds that make a component contain itself, each with an error. */
hys_status hysi_document_cut_cycles(hysi_document *document);

/* Roles, counts and the class of the flow. */
hys_status hysi_network_facts(hysi_network *network);

static inline const hysi_instance *hysi_base(const hysi_network *n, uint32_t base) {
  return &n->instance[n->base[base]];
}

/* The flattened variable that a parameter of an instance stands for; HYSI_NONE if it is none. */
static inline uint32_t hysi_variable_of(const hysi_instance *i, uint32_t param) {
  return i->binding[param].kind == HYSI_BOUND_VARIABLE ? i->binding[param].index : HYSI_NONE;
}

#endif
