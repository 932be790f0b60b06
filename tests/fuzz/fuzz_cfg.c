/* Configurations, read alone and against a model of a few instances: values and places lie inside the file, a
 * verdict goes with an error, and what is accepted makes both automata. */
#include <string.h>

#include "core/allocator.h"
#include "core/diagnostics.h"
#include "models/cfg.h"
#include "models/hybrid_model.h"
#include "models/model.h"
#include "tests/fuzz/automata.h"
#include "tests/fuzz/fuzz.h"

const fuzz_target fuzz_this = {"cfg", {"tests/fuzz/corpus/cfg", "tests/conform/broken_models"}, ".cfg", 4000};

static const char model_text[] =
    "<sspaceex version='0.2' math='SpaceEx'>"
    "<component id='tank'><param name='h' type='real' local='false' d1='1' d2='1' dynamics='any'/>"
    "<param name='k' type='real' local='false' d1='1' d2='1' dynamics='const'/>"
    "<param name='t' type='real' local='true' d1='1' d2='1' dynamics='any'/>"
    "<location id='1' name='open'><flow>h' == -1 &amp; t' == 1</flow></location>"
    "<location id='2' name='shut'><flow>h' == k &amp; t' == 1</flow></location>"
    "<transition source='1' target='2'><guard>t &gt;= 1</guard></transition></component>"
    "<component id='pair'><param name='x' type='real' local='false' d1='1' d2='1' dynamics='any'/>"
    "<param name='y' type='real' local='false' d1='1' d2='1' dynamics='any'/>"
    "<param name='k' type='real' local='false' d1='1' d2='1' dynamics='const'/>"
    "<bind component='tank' as='a'><map key='h'>x</map><map key='k'>k</map></bind>"
    "<bind component='tank' as='b'><map key='h'>y</map><map key='k'>2</map></bind></component></sspaceex>";

/* A value stands inside the file, and its place is counted from its bytes. */
static void inside(const hysi_cfg *cfg, const hysi_cfg_value *value) {
  uint32_t line = 1, got_line = 0, got_column = 0;

  if (value->text == NULL)
    return;
  const bool good = value->text >= cfg->bytes && value->length <= cfg->size &&
                    (size_t)(value->text - cfg->bytes) <= cfg->size - value->length;
  FUZZ_REQUIRE(good);
  if (!good)
    return;
  const hysi_cfg_text at = {cfg, (size_t)(value->text - cfg->bytes)};
  for (size_t i = 0; i < at.start + value->length; i++)
    line += cfg->bytes[i] == '\n';
#ifdef HYS_PLANTED_FAULT /* for the gate: another way of counting */
  line -= value->length > 0 && memchr(value->text, '#', value->length) != NULL &&
          memchr(value->text, '\n', value->length) != NULL;
#endif
  hysi_cfg_place(&at, value->length, &got_line, &got_column);
  FUZZ_REQUIRE(got_line == line && got_column >= 1);
}

static void alone(const char *bytes, size_t size) {
  hys_arena *arena = hys_arena_create(NULL);
  hys_diagnostics said;
  hysi_cfg cfg;

  if (arena == NULL)
    return;
  hys_diagnostics_init(&said, arena);
  const hys_status status = hysi_cfg_read(&cfg, bytes, size, "t", arena, &said);
  FUZZ_REQUIRE(status == HYS_OK);
  inside(&cfg, &cfg.system);
  inside(&cfg, &cfg.initially);
  inside(&cfg, &cfg.forbidden);
  FUZZ_REQUIRE(cfg.time_horizon >= 0.0);
  hys_arena_destroy(arena);
}

bool fuzz_one(const uint8_t *data, size_t size) {
  const char *bytes = (const char *)data;
  hys_arena *arena = hys_arena_create(NULL);
  const hys_model *model = NULL;
  hys_diagnostics said;

  if (arena == NULL)
    return false;
  alone(bytes, size);
  hys_diagnostics_init(&said, arena);
  const hys_status status = hys_model_read_memory(&model, model_text, sizeof model_text - 1, "m.xml", bytes,
                                                  size, "m.cfg", NULL, arena, &said);
  FUZZ_REQUIRE(status == HYS_OK || status == HYS_ERR_INPUT);
  FUZZ_REQUIRE((status == HYS_OK) == (said.errors == 0) && model != NULL);
  if (status == HYS_OK)
    automata_hold(model, arena);
  hys_arena_destroy(arena);
  return status == HYS_OK;
}
