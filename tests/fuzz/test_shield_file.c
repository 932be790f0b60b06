/* Shield files and XML at large, damaged at random: no fault of ours, an error for what is wrong, a whole
 * specification for what is right. */
#include "core/allocator.h"
#include "core/diagnostics.h"
#include "models/model.h"
#include "models/shield_reader.h"
#include "models/xml_source.h"
#include "tests/support/check.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER "tests/conform/broken_shields/"

enum { SHIELD_RUNS = 4000, XML_RUNS = 2000, MOST = 1 << 16 };

static uint64_t seed;

static uint32_t random_below(uint32_t n) {
  seed ^= seed << 13;
  seed ^= seed >> 7;
  seed ^= seed << 17;
  return (uint32_t)((seed >> 16) % n);
}

static size_t load(const char *name, char *out) {
  FILE *in = fopen(check_source_path(name), "rb");
  size_t n = 0;
  if (CHECK(in != NULL)) {
    n = fread(out, 1, MOST, in);
    fclose(in);
  }
  CHECK(n > 0 && n < MOST);
  return n;
}

/* A few changes: bytes, stretches taken out, doubled, or put elsewhere, words of the format. */
static size_t damage(char *text, const char *from, size_t size) {
  static const char *const words[] = {"<set>",
                                      "</set>",
                                      "\"",
                                      "<",
                                      "&lt;",
                                      "&#x10FFFF;",
                                      "value",
                                      "1e400 m",
                                      "-1 s",
                                      "nan",
                                      "<!--",
                                      "]]>",
                                      "\xC3",
                                      "find=\"yes\"",
                                      "cart",
                                      "  ",
                                      "loc(cart)==moving",
                                      "|",
                                      "&amp;",
                                      "((((",
                                      "'",
                                      "0 s",
                                      "v",
                                      "x*v"};
  memcpy(text, from, size);
  size_t n = size;
  for (uint32_t k = 1 + random_below(3); k > 0 && n > 2; k--) {
    const size_t at = random_below((uint32_t)n),
                 length = 1 + random_below(n - at < 40 ? (uint32_t)(n - at) : 40);
    const char *word = words[random_below(sizeof words / sizeof words[0])];
    switch (random_below(5)) {
    case 0:
      text[at] = (char)random_below(256);
      break;
    case 1:
      memmove(text + at, text + at + length, n - at - length);
      n -= length;
      break;
    case 2:
      memmove(text + at + length, text + at, n - at);
      n += length;
      break;
    default:
      memmove(text + at + strlen(word), text + at, n - at);
      memcpy(text + at, word, strlen(word));
      n += strlen(word);
    }
  }
  return n;
}

static void whole(const hys_spec *s) {
  CHECK(s->automaton != NULL && s->observed != NULL && s->mode_from != NULL);
  CHECK(s->n_commands >= 1 && s->n_commands <= HYS_MAX_COMMANDS && s->fallback < s->n_commands);
  CHECK(s->command[s->fallback].insert && s->n_terminal >= 1);
  CHECK(s->timing.period > 0 && s->timing.deadline >= 0 && s->timing.deadline <= s->timing.period);
  CHECK(s->timing.actuation_min >= 0 && s->timing.actuation_min <= s->timing.actuation_max);
  CHECK(s->limits.horizon > 0 && s->limits.queue >= 1 && s->limits.queue <= HYS_MAX_QUEUE);
  for (size_t i = 0; i < s->automaton->nx; i++)
    CHECK(s->observed[i].error >= 0.0 && s->observed[i].min <= s->observed[i].max &&
          s->observed[i].unit != NULL);
  for (uint32_t i = 0; i < s->n_commands; i++)
    CHECK(s->command[i].label >= 0 && s->command[i].n_edits <= HYS_MAX_EDITS);
  for (uint32_t i = 0; i < s->n_terminal; i++)
    CHECK(s->terminal[i].location == HYS_ANY_LOCATION || s->terminal[i].location < s->automaton->n_locations);
}

static void shield_files(void) {
  static char good[MOST], text[2 * MOST];
  const size_t size = load(FOLDER "good.shield.xml", good);
  hys_arena *kept = hys_arena_create(NULL);
  hys_diagnostics said;
  const hys_model *model = NULL;
  const hys_automaton *automaton = NULL;
  unsigned taken = 0;

  if (size == 0 || !CHECK(kept != NULL))
    return;
  hys_diagnostics_init(&said, kept);
  CHECK_INT(hys_model_read(&model, check_source_path(FOLDER "cart.xml"), NULL, NULL, kept, &said), HYS_OK);
  if (model == NULL || !CHECK(hys_model_automaton(model, kept, &said, &automaton) == HYS_OK))
    return;
  seed = 0x9E3779B97F4A7C15;
  for (unsigned run = 0; run < SHIELD_RUNS; run++) {
    hys_arena *arena = hys_arena_create(NULL);
    const hys_spec *spec = NULL;
    hys_diagnostics problems;

    check_label("run %u", run);
    if (!CHECK(arena != NULL))
      return;
    hys_diagnostics_init(&problems, arena);
    const size_t n = run == 0 ? size : damage(text, good, size);
    const hys_status status =
        hysi_shield_read_memory(run == 0 ? good : text, n, "fuzz", model, automaton, arena, &problems, &spec);
    CHECK((status == HYS_OK) == (spec != NULL) && (status == HYS_OK) == (problems.errors == 0));
    CHECK(status != HYS_ERR_INTERNAL && status != HYS_ERR_MEMORY && status != HYS_ERR_ARG);
    if (spec != NULL) {
      whole(spec);
      taken++;
    }
    hys_arena_destroy(arena);
  }
  CHECK(taken > SHIELD_RUNS / 200 && taken < SHIELD_RUNS); /* both ends were reached */
  hys_arena_destroy(kept);
}

static void xml(void) {
  static char good[MOST], text[2 * MOST];
  const size_t size = load(FOLDER "cart.xml", good);
  seed = 0xD1B54A32D192ED03;
  for (unsigned run = 0; size > 0 && run < XML_RUNS; run++) {
    hys_arena *arena = hys_arena_create(NULL);
    const hysi_xml_element *root = NULL;
    hys_diagnostics problems;

    check_label("run %u", run);
    if (!CHECK(arena != NULL))
      return;
    hys_diagnostics_init(&problems, arena);
    const size_t n = damage(text, good, size);
    const hys_status status = hysi_xml_read_memory(&root, text, n, "fuzz", arena, &problems);
    CHECK(status == HYS_OK || status == HYS_ERR_INPUT || status == HYS_ERR_LIMIT);
    CHECK((root != NULL) == (status == HYS_OK) && (problems.errors == 0) == (status == HYS_OK));
    hys_arena_destroy(arena);
  }
}

CHECK_MAIN("fuzz, shield file", {"shield files", shield_files}, {"XML", xml})
