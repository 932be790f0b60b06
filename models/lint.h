/* What is suspicious in a model although it can be read: conditions that never hold, jumps that are never
 * taken, places where time may stop, jumps without end in no time, variables and constants that nobody gives
 * a value, terms that are not affine.  Setup only. */
#ifndef HYSHIELD_MODELS_LINT_H
#define HYSHIELD_MODELS_LINT_H

#include "models/model.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  HYS_LINT_PLACES = 3,   /* of a kind of notes, for people */
  HYS_LINT_MAX_CYCLE = 6 /* jumps of a cycle that is looked at */
};

/* Adds warnings and notes about a model that was read, with their places; never an error.  Of a model with
 * errors, what can be said all the same.  Conditions are decided in rational arithmetic, component by
 * component (never on the product), each number of an instance being what it is bound to; the work is linear
 * in the model but for small linear programs, which are bounded: what is left undecided is not warned of, a
 * note says so.  most_places: of terms that are not affine, and of
 * places where time may stop in a component, so many are listed one by one and the others counted
 * (HYS_LINT_PLACES; UINT32_MAX = all).  The diagnostics come out sorted.
 * HYS_OK; HYS_ERR_ARG; HYS_ERR_MEMORY. */
HYS_API hys_status hys_model_lint(const hys_model *model, uint32_t most_terms, hys_arena *arena,
                                  hys_diagnostics *diagnostics);

#ifdef __cplusplus
}
#endif
#endif
