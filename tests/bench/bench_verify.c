/* How long verification takes once the model is loaded: whole calls of hys_verify, one thread, without
 * pictures.
 *
 * Processor time of the thread, medians of RUNS (default 5); next to it, in the same run, a reference loop: a
 * dense product of a matrix of 48 rows with a vector, in plain doubles.  The public models are those of the
 * shared folder; without it their lines are left out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/hybrid_model.h"
#include "synth/offline/verify.h"
#include "tests/bench/timing.h"
#include "tests/support/check.h"
#include "tests/support/text_model.h"

enum { PROPERTIES = 8 };
static unsigned runs = 5;

typedef struct target {
  const char *name;
  const char *model;                  /* of the shared folder; NULL: text */
  const char *config[PROPERTIES];     /* the first is the model's; the rest are further properties */
  const char *text, *cfg, *forbidden; /* of an own model */
  double horizon, aim;                /* s, 0: the configuration's; ms, 0: none */
} target;

static const char ball[] =
    "<component id='ball'><param name='x' type='real' local='false' d1='1' d2='1' dynamics='any'/>"
    "<param name='v' type='real' local='false' d1='1' d2='1' dynamics='any'/>"
    "<location id='1' name='fall'><invariant>x &gt;= 0</invariant><flow>x' == v &amp; v' == "
    "-9.81</flow></location>"
    "<transition source='1' target='1'><guard>x == 0 &amp; v &lt;= 0</guard><assignment>v := "
    "-0.75*v</assignment>"
    "</transition></component>";

static const target targets[] = {
    {.name = "rendezvous, six properties in one flowpipe",
     .model = "rendezvous_nopass",
     .config = {"LOS1", "LOS2", "LOS3", "VEL1", "VEL2", "VEL3"},
     .aim = 15.0},
    {.name = "rendezvous with passive mode, collision",
     .model = "rendezvous_passive",
     .config = {"COLLISION"}},
    {.name = "platoon, BND42", .model = "platoon", .config = {"BND42"}, .aim = 30.0},
    {.name = "platoon, BND30", .model = "platoon", .config = {"BND30"}, .aim = 30.0},
    {.name = "building, BDS (safe)", .model = "building", .config = {"BDS"}, .aim = 30.0},
    {.name = "building, BDU (unsafe, with a run)", .model = "building", .config = {"BDU"}, .aim = 30.0},
    {.name = "gearbox", .model = "gearbox", .config = {""}},
    {.name = "NAV_3_2, unbounded time", .model = "NAV_3_2", .config = {""}, .aim = 5.0},
    {.name = "NAV_3_4, unbounded time", .model = "NAV_3_4", .config = {""}},
    {.name = "water-level, unbounded time", .model = "water-level", .config = {""}},
    {.name = "Van der Pol to T 7", .model = "vanderpol", .config = {""}, .aim = 20.0},
    {.name = "bouncing ball, three jumps",
     .text = ball,
     .cfg = "system = ball\ninitially = \"10 <= x & x <= 10.2 & v == 0\"\n",
     .forbidden = "v >= 10.62",
     .horizon = 5.3,
     .aim = 3.0},
};

/* Verdicts as letters: s safe, u unsafe, ? unknown. */
static char letter(hys_verdict v) {
  return v == HYS_HOLDS ? 's' : v == HYS_VIOLATED ? 'u' : '?';
}

static void path_of(char *path, size_t size, const target *t, const char *config, const char *end) {
  snprintf(path, size, "%s%s%s%s", t->model, config != NULL && *config != '\0' ? "." : "",
           config != NULL ? config : "", end);
}

/* The property that another configuration forbids. */
static bool property_of(const hys_hybrid *h, const char *cfg, hys_arena *arena, hys_property *out) {
  hys_diagnostics said;
  hys_model_text text = {.text = NULL};

  hys_diagnostics_init(&said, arena);
  return CHECK_INT(hys_model_forbidden_of(cfg, arena, &said, &text), HYS_OK) &&
         CHECK_INT(hys_hybrid_sets(h, &text, &said, &out->set, &out->n), HYS_OK);
}

static void measure(const target *t, const hys_hybrid *h, const hys_property *p, uint32_t n) {
  double ms[TIMING_MOST_RUNS];
  char verdicts[PROPERTIES + 1] = "", aim[32] = "";

  for (unsigned r = 0; r < runs; r++) {
    hys_arena *arena = hys_arena_create(NULL);
    hys_verify_options o;
    hys_verify_result result;
    double before;
    if (!CHECK(arena != NULL))
      return;
    hys_verify_options_default(&o, t->horizon > 0.0 ? t->horizon : h->time_horizon);
    before = timing_ms();
    CHECK_INT(hys_verify(h, p, n, &o, arena, &result), HYS_OK);
    ms[r] = timing_ms() - before;
    for (uint32_t q = 0; q < n; q++)
      verdicts[q] = letter(result.property[q].verdict);
    hys_arena_destroy(arena);
  }
  if (t->aim > 0.0)
    snprintf(aim, sizeof aim, "aim %g ms", t->aim);
  printf("%-46s %-7s %10.3f ms  %s\n", t->name, verdicts, timing_median(ms, runs), aim);
}

static void own(const target *t) {
  text_model m;
  hys_property p = {.name = t->forbidden};
  hys_diagnostics said;
  const hys_model_text text = {
      .file = "bench", .text = t->forbidden, .length = strlen(t->forbidden), .line = 1, .column = 1};

  if (!text_model_open(&m, t->text, t->cfg))
    return;
  hys_diagnostics_init(&said, m.arena);
  if (CHECK_INT(hys_hybrid_sets(m.automaton, &text, &said, &p.set, &p.n), HYS_OK))
    measure(t, m.automaton, &p, 1);
  text_model_close(&m);
}

static void shared(const target *t, const char *folder) {
  char xml[800], cfg[800], name[128];
  hys_arena *arena = hys_arena_create(NULL);
  const hys_model *model = NULL;
  const hys_hybrid *h = NULL;
  hys_property p[PROPERTIES];
  hys_diagnostics said;
  uint32_t n = 0;
  bool good = CHECK(arena != NULL);

  if (!good)
    return;
  hys_diagnostics_init(&said, arena);
  snprintf(xml, sizeof xml, "%s/arch/%s.xml", folder, t->model);
  path_of(name, sizeof name, t, t->config[0], ".cfg");
  snprintf(cfg, sizeof cfg, "%s/arch/%s", folder, name);
  good = CHECK_INT(hys_model_read(&model, xml, cfg, NULL, arena, &said), HYS_OK) &&
         CHECK_INT(hys_hybrid_open(&h, model, &said), HYS_OK);
  for (; good && n < PROPERTIES && t->config[n] != NULL; n++) {
    path_of(name, sizeof name, t, t->config[n], ".cfg");
    snprintf(cfg, sizeof cfg, "%s/arch/%s", folder, name);
    p[n].name = t->config[n];
    good = property_of(h, cfg, arena, &p[n]);
  }
  if (good)
    measure(t, h, p, n);
  hys_hybrid_close(h);
  hys_arena_destroy(arena);
}

static void whole_calls(void) {
  const char *set = getenv("HYSHIELD_SHARED");
  char folder[400], probe[512];
  FILE *there;

  if (set != NULL)
    snprintf(folder, sizeof folder, "%s", set);
  else
    snprintf(folder, sizeof folder, "%s", check_source_path("../shared"));
  snprintf(probe, sizeof probe, "%s/arch/NAV_3_2.xml", folder);
  there = fopen(probe, "r");
  printf("%-46s %-7s %10.6f ms\n", "reference: a dense product, 48 rows", "", timing_product(runs));
  for (size_t k = 0; k < sizeof targets / sizeof targets[0]; k++)
    if (targets[k].model == NULL)
      own(&targets[k]);
    else if (there != NULL)
      shared(&targets[k], folder);
  if (there == NULL)
    printf("the public models are not there: their lines are left out\n");
  else
    fclose(there);
  CHECK(runs > 0);
}

int main(int argc, char **argv) {
  static const check_test tests[] = {{"whole calls", whole_calls}};

  runs = timing_runs(runs);
  return check_main("bench_verify", tests, sizeof tests / sizeof tests[0], argc, argv);
}
