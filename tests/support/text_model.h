/* A model from a few lines of text, as a general automaton: for tests of flowpipes, runs and simulations. */
#ifndef HYSHIELD_TESTS_SUPPORT_TEXT_MODEL_H
#define HYSHIELD_TESTS_SUPPORT_TEXT_MODEL_H

#include "models/hybrid_model.h"

typedef struct text_model {
  hys_arena *arena;
  const hys_model *model;
  const hys_hybrid *automaton;
} text_model;

/* body: what stands inside <sspaceex>; cfg: text of a configuration. false: a check has failed. */
bool text_model_open(text_model *m, const char *body, const char *cfg);
/* One location `run' with states (names separated by blanks), inputs, flow and invariant in model syntax (&
 * as such). */
bool text_model_flow(text_model *m, const char *states, const char *inputs, const char *flow,
                     const char *invariant, const char *initially);
void text_model_close(text_model *m);

#endif
