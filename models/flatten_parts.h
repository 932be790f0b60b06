/* What a location or a transition of one instance contributes to a product: made once, when first needed.
 * Private to models.  Setup only. */
#ifndef HYSHIELD_MODELS_FLATTEN_PARTS_H
#define HYSHIELD_MODELS_FLATTEN_PARTS_H

#include "models/flatten.h"

typedef struct hysi_flow_part {
  uint32_t state;
  const hys_interval *row; /* nx + nu */
  hys_interval constant;
} hysi_flow_part;

typedef struct hysi_location_part {
  bool made;
  hysi_rows invariant;   /* over states */
  const hys_interval *u; /* nu: bounds of inputs from here */
  hysi_flow_part *flow;
  uint32_t n_flows;
} hysi_location_part;

typedef struct hysi_reset_part {
  uint32_t state;
  hys_reset_row row;
} hysi_reset_part;

typedef struct hysi_transition_part {
  bool made;
  hysi_rows guard; /* over states and inputs */
  hysi_curved curved;
  hysi_reset_part *reset;
  uint32_t n_resets;
} hysi_transition_part;

hys_status hysi_make_location_part(hysi_flat *flat, const hysi_instance *instance, uint32_t location,
                                   hysi_location_part *part);
hys_status hysi_make_transition_part(hysi_flat *flat, const hysi_instance *instance, uint32_t transition,
                                     hysi_transition_part *part);

#endif
