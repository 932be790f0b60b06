/* Shield files against the model of tests/conform/broken_shields: an error for what is wrong, a whole
 * specification for what is right. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/allocator.h"
#include "core/diagnostics.h"
#include "models/model.h"
#include "models/shield_reader.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/check.h"

#define FOLDER "tests/conform/broken_shields"

const fuzz_target fuzz_this = {"shield", {FOLDER}, ".shield.xml", 4000};

static const hys_model *model;
static const hys_automaton *automaton;

/* Reads the model, once; it lives as long as the process. */
static bool prepare(void) {
  static hys_arena *arena;
  hys_diagnostics said;

  if (arena != NULL)
    return automaton != NULL;
  arena = hys_arena_create(NULL);
  if (arena == NULL)
    return false;
  hys_diagnostics_init(&said, arena);
  if (hys_model_read(&model, check_source_path(FOLDER "/cart.xml"), NULL, NULL, arena, &said) != HYS_OK ||
      hys_model_automaton(model, arena, &said, &automaton) != HYS_OK)
    fputs("the model of the shield files cannot be read\n", stderr);
  FUZZ_REQUIRE(automaton != NULL);
  return automaton != NULL;
}

/* The specification as the rest of this file sees it. */
static int64_t period_of(const hys_spec *s) {
#ifdef HYS_PLANTED_FAULT /* for the gate: a period that is not the seed's is lost */
  return s->timing.period != 50000000 ? 0 : s->timing.period;
#else
  return s->timing.period;
#endif
}

static void whole(const hys_spec *s) {
  FUZZ_REQUIRE(s->automaton == automaton && s->observed != NULL && s->mode_from != NULL);
  FUZZ_REQUIRE(s->n_commands >= 1 && s->n_commands <= HYS_MAX_COMMANDS && s->fallback < s->n_commands);
  FUZZ_REQUIRE(s->n_commands == 0 || s->command[s->fallback].insert);
  FUZZ_REQUIRE(s->n_terminal >= 1);
  FUZZ_REQUIRE(period_of(s) > 0 && s->timing.deadline >= 0 && s->timing.deadline <= s->timing.period);
  FUZZ_REQUIRE(s->timing.actuation_min >= 0 && s->timing.actuation_min <= s->timing.actuation_max);
  FUZZ_REQUIRE(s->limits.horizon > 0 && s->limits.queue >= 1 && s->limits.queue <= HYS_MAX_QUEUE);
  for (size_t i = 0; i < automaton->nx; i++)
    FUZZ_REQUIRE(s->observed[i].error >= 0.0 && s->observed[i].min <= s->observed[i].max &&
                 s->observed[i].unit != NULL);
  for (uint32_t i = 0; i < s->n_commands; i++)
    FUZZ_REQUIRE(s->command[i].label >= 0 && (uint32_t)s->command[i].label < automaton->n_labels &&
                 s->command[i].n_edits <= HYS_MAX_EDITS);
  for (uint32_t i = 0; i < s->n_terminal; i++) {
    FUZZ_REQUIRE(s->terminal[i].location == HYS_ANY_LOCATION ||
                 s->terminal[i].location < automaton->n_locations);
    for (uint32_t k = 0; k < s->terminal[i].set.n; k++)
      FUZZ_REQUIRE(!isnan(s->terminal[i].set.row[k].c.lo) && !isnan(s->terminal[i].set.row[k].c.hi));
  }
}

bool fuzz_one(const uint8_t *data, size_t size) {
  hys_arena *arena = hys_arena_create(NULL);
  const hys_spec *spec = NULL;
  hys_diagnostics said;

  if (arena == NULL || !prepare()) {
    hys_arena_destroy(arena);
    return false;
  }
  hys_diagnostics_init(&said, arena);
  const hys_status status =
      hysi_shield_read_memory((const char *)data, size, "fuzz", model, automaton, arena, &said, &spec);
  FUZZ_REQUIRE((status == HYS_OK) == (spec != NULL) && (status == HYS_OK) == (said.errors == 0));
  FUZZ_REQUIRE(status == HYS_OK || status == HYS_ERR_INPUT || status == HYS_ERR_UNSUPPORTED ||
               status == HYS_ERR_LIMIT);
  if (spec != NULL)
    whole(spec);
  hys_arena_destroy(arena);
  return spec != NULL;
}
