/* A model as the general automaton of core/hybrid.h: any size, any flow, locations of the product made one by
 * one as they are asked for.  Setup only. */
#ifndef HYSHIELD_MODELS_HYBRID_MODEL_H
#define HYSHIELD_MODELS_HYBRID_MODEL_H

#include "core/hybrid.h"
#include "models/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opens the automaton of a model that was read without errors.  What it makes lives in an arena of its own
 * until hys_hybrid_close; the model and its arena must outlive it.  Cost: linear in the model as written,
 * never in the product.  HYS_ERR_INPUT (the model has errors, a constant that is used has no value, no
 * initial state), HYS_ERR_UNSUPPORTED, HYS_ERR_LIMIT, HYS_ERR_MEMORY; the diagnostics say why and where. */
HYS_API hys_status hys_hybrid_open(const hys_hybrid **out, const hys_model *model,
                                   hys_diagnostics *diagnostics);
/* The same with memory from an allocator, which must outlive the automaton; NULL = malloc.  It is called with
 * a lock held where several threads ask for locations. */
HYS_API hys_status hys_hybrid_open_with(const hys_hybrid **out, const hys_model *model,
                                        hys_diagnostics *diagnostics, const hys_allocator *allocator);
HYS_API void hys_hybrid_close(const hys_hybrid *automaton);

/* A formula that belongs to the model, as a union of sets over the automaton's variables; lives as long as
 * the automaton. */
HYS_API hys_status hys_hybrid_sets(const hys_hybrid *automaton, const hys_model_text *text,
                                   hys_diagnostics *diagnostics, const hys_hybrid_set **out, uint32_t *n);

/* The forbidden formula of another configuration, as a text for hys_hybrid_sets: text->text NULL if it
 * forbids nothing; file and element are kept.  What it says lives in the arena. */
HYS_API hys_status hys_model_forbidden_of(const char *cfg_path, hys_arena *arena,
                                          hys_diagnostics *diagnostics, hys_model_text *text);

#ifdef __cplusplus
}
#endif
#endif
