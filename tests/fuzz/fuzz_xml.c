/* Models: XML, and behind a line %%% a configuration.  An error goes with a verdict, what is read is whole,
 * and what can be made of it is consistent. */
#include <string.h>

#include "core/allocator.h"
#include "core/diagnostics.h"
#include "models/model.h"
#include "tests/fuzz/automata.h"
#include "tests/fuzz/fuzz.h"

const fuzz_target fuzz_this = {"xml", {"tests/fuzz/corpus/xml", "tests/conform/broken_models"}, ".xml", 4000};

enum { MOST_NAMES = 64 };

/* The model as the rest of this file sees it. */
static hys_model_variable variable(const hys_model *model, size_t i) {
  hys_model_variable v = hys_model_variable_at(model, i);
#ifdef HYS_PLANTED_FAULT /* for the gate: a name that begins with a letter twice is lost */
  if (v.name[0] == v.name[1])
    v.name = "";
#endif
  return v;
}

/* What can be told of a model, also of one with errors: then names may be there twice. */
static void whole(const hys_model *model, bool good) {
  const size_t n = hys_model_variable_count(model), labels = hys_model_label_count(model);

  for (size_t i = 0; i < n; i++) {
    const hys_model_variable v = variable(model, i);
    FUZZ_REQUIRE(v.name != NULL && v.name[0] != '\0' && strcmp(hys_role_text(v.role), "") != 0);
    for (size_t k = 0; k < i && i < MOST_NAMES && good; k++)
      FUZZ_REQUIRE(strcmp(v.name, hys_model_variable_at(model, k).name) != 0);
  }
  for (size_t i = 0; i < labels; i++)
    FUZZ_REQUIRE(hys_model_label_at(model, i) != NULL);
  FUZZ_REQUIRE(hys_expr_class_text(hys_model_flow_class(model)) != NULL);
}

/* Locations are the product of those of the instances. */
static void counts(const hys_model *model, const hys_hybrid *h) {
  uint64_t product = 1;

  for (uint32_t i = 0; i < h->n_instances && product < UINT64_C(1) << 40; i++)
    product *= h->instance[i].n_locations;
  if (product < UINT64_C(1) << 40)
    FUZZ_REQUIRE(product == hys_model_location_count(model));
  FUZZ_REQUIRE(h->n <= hys_model_variable_count(model));
}

static const char *find(const char *bytes, size_t size, const char *what) {
  const size_t n = strlen(what);
  for (size_t i = 0; i + n <= size; i++)
    if (memcmp(bytes + i, what, n) == 0)
      return bytes + i;
  return NULL;
}

bool fuzz_one(const uint8_t *data, size_t size) {
  const char *xml = (const char *)data, *mark = find(xml, size, "\n%%%\n"), *cfg = NULL;
  const size_t xml_size = mark != NULL ? (size_t)(mark - xml) : size;
  hys_arena *arena = hys_arena_create(NULL);
  const hys_model *model = NULL;
  hys_diagnostics said;

  if (arena == NULL)
    return false;
  if (mark != NULL)
    cfg = mark + 5;
  hys_diagnostics_init(&said, arena);
  const hys_status status =
      hys_model_read_memory(&model, xml, xml_size, "m.xml", cfg, cfg != NULL ? size - xml_size - 5 : 0,
                            "m.cfg", NULL, arena, &said);
  FUZZ_REQUIRE(status == HYS_OK || status == HYS_ERR_INPUT || status == HYS_ERR_LIMIT);
  FUZZ_REQUIRE((status == HYS_OK) == (said.errors == 0));
  FUZZ_REQUIRE(status != HYS_OK || model != NULL);
  if (model != NULL)
    whole(model, status == HYS_OK);
  if (status == HYS_OK) {
    hys_diagnostics more;
    const hys_hybrid *h = NULL;
    hys_diagnostics_init(&more, arena);
    if (hys_hybrid_open(&h, model, &more) == HYS_OK)
      counts(model, h);
    hys_hybrid_close(h);
    automata_hold(model, arena);
  }
  hys_arena_destroy(arena);
  return status == HYS_OK;
}
