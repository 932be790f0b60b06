/* What a model is inside.  Private to models.  Setup only. */
#ifndef HYSHIELD_MODELS_MODEL_PRIVATE_H
#define HYSHIELD_MODELS_MODEL_PRIVATE_H

#include "models/cfg.h"
#include "models/model.h"
#include "models/network.h"

struct hys_model {
  hysi_document document;
  hysi_network network;
  bool has_network;
  hysi_cfg cfg;
  bool has_cfg;
  const char *config_path;
  hys_expr initially,
      forbidden; /* over the flattened variables and base instances; n = 0: absent or refused */
  bool broken;   /* errors were reported while it was read */
};

/* Meanings of names in formulas over the whole system; context: a hysi_scope. */
typedef struct hysi_scope {
  const hys_model *model;
  hys_arena *arena;
  hys_diagnostics *diagnostics;
  const char **candidate; /* names of variables, made when first needed */
} hysi_scope;
hysi_expr_names hysi_scope_names(hysi_scope *scope);

/* The document with other diagnostics: for reports after the reading. */
hysi_document hysi_document_for(const hys_model *model, hys_diagnostics *diagnostics, hys_arena *arena);

#endif
