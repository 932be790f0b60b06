/* Units of a model's parameters, given by their notes, and dimensions inferred through its formulas.  Private
 * to models.  Setup only.
 *
 * A parameter's unit is what stands in brackets at the end of its note: <note>speed of the ego [m/s]</note>.
 * A unit is one of models/quantity.h, or a product of such: N*s/m, kg*m^2, 1/m^2. */
#ifndef HYSHIELD_MODELS_UNITS_H
#define HYSHIELD_MODELS_UNITS_H

#include "models/model_private.h"
#include "models/quantity.h"

/* Reads the notes; gives flattened variables their units (hysi_variable.unit); checks formulas, maps and the
 * configuration.  Unknown units are warnings, clashes errors.  Without any unit nothing is done.
 * HYS_ERR_MEMORY. */
hys_status hysi_units_check(hys_model *model);

/* Checks a formula over the flattened variables, or a number that is to have a unit (NULL = any).
 * HYS_ERR_INPUT: a clash was reported; HYS_ERR_MEMORY. */
hys_status hysi_units_formula(const hys_model *model, const hys_expr *e, const char *file,
                              const hys_unit *wanted, hys_arena *arena, hys_diagnostics *diagnostics);

/* Whether a variable whose model unit is `text` may be given in `unit`, which is converted to SI: the same
 * dimension, and the model's unit is SI's itself.  *why: what is wrong if not. */
bool hysi_units_fit(const char *text, const hys_unit *unit, const char **why);

#endif
