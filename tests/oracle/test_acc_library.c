/* The configurations of the model acc against the oracle: every state of each initial box is inside S for its
 * parameters, and the shield beside it names the same ones. */
#include <stdio.h>
#include <string.h>

#include "tests/oracle/acc_oracle.h"
#include "tests/support/check.h"

static const struct {
  const char *stem, *system;
  size_t set;
} file[] = {{"acc", "acc", 0},
            {"acc-b6-B8", "acc", 1},
            {"acc-b8-B6", "acc", 2},
            {"acc-b4-B8", "acc", 3},
            {"acc_cutin", "acc_cutin", 0}};

/* The whole file in a buffer of the test's own. */
static char text[16384];

static const char *read_file(const char *stem, const char *ending) {
  char name[128];
  snprintf(name, sizeof name, "models/library/acc/%s%s", stem, ending);
  FILE *in = fopen(check_source_path(name), "r");
  if (!CHECK(in != NULL))
    return NULL;
  const size_t n = fread(text, 1, sizeof text - 1, in);
  CHECK(ferror(in) == 0 && n < sizeof text - 1);
  fclose(in);
  text[n] = '\0';
  return text;
}

static void initial_boxes(void) {
  for (size_t i = 0; i < sizeof file / sizeof file[0]; i++) {
    check_label("%s.cfg", file[i].stem);
    const char *cfg = read_file(file[i].stem, ".cfg");
    if (cfg == NULL)
      continue;
    char line[64];
    snprintf(line, sizeof line, "system = \"%s\"\n", file[i].system);
    CHECK(strstr(cfg, line) != NULL);
    CHECK(strstr(cfg, "forbidden = \"d < 2\"\n") != NULL);
    double d_lo, d_hi, v_lo, v_hi, w_lo, w_hi, b, B;
    const char *box = strstr(cfg, "initially = ");
    if (!CHECK(box != NULL) || !CHECK_INT(sscanf(box,
                                                 "initially = \"loc(ego)==cruise & loc(lead)==driving & %lf "
                                                 "<= d & d <= %lf & %lf <= v & v <= %lf"
                                                 " & %lf <= w & w <= %lf & a == 0 & b == %lf & B == %lf\"",
                                                 &d_lo, &d_hi, &v_lo, &v_hi, &w_lo, &w_hi, &b, &B),
                                          8))
      continue;
    const acc_set *set = &acc_sets[file[i].set];
    CHECK_SAME(b, set->b);
    CHECK_SAME(B, set->B);
    CHECK(d_lo < d_hi && v_lo < v_hi && w_lo < w_hi);
    CHECK(acc_start_margin((acc_car){d_lo, v_hi, w_lo}, 0.0, set, &acc_timing_main) > 0.0);
  }
}

static void shields(void) {
  for (size_t i = 0; i < sizeof file / sizeof file[0]; i++) {
    check_label("%s.shield.xml", file[i].stem);
    const char *shield = read_file(file[i].stem, ".shield.xml");
    if (shield == NULL)
      continue;
    char line[160];
    snprintf(line, sizeof line, "<model file=\"acc.xml\" config=\"%s.cfg\" system=\"%s\"/>", file[i].stem,
             file[i].system);
    CHECK(strstr(shield, line) != NULL);
    const acc_set *set = &acc_sets[file[i].set];
    snprintf(line, sizeof line, "<unobserved name=\"a\" unit=\"m/s^2\" min=\"-%g m/s^2\" max=\"2 m/s^2\"/>",
             set->b);
    CHECK(strstr(shield, line) != NULL);
    snprintf(line, sizeof line,
             "<value variable=\"a\" unit=\"m/s^2\" min=\"-%g m/s^2\" max=\"2 m/s^2\" step=\"0.01 m/s^2\"/>",
             set->b);
    CHECK(strstr(shield, line) != NULL);
    double horizon;
    const char *at = strstr(shield, "horizon=\"");
    if (CHECK(at != NULL) && CHECK_INT(sscanf(at, "horizon=\"%lf s\"", &horizon), 1)) {
      /* From the largest speed that a reading may have, error included, to a stop, an insertion's latency
       * before. */
      const double longest =
          (60.0 + acc_errors_main.v) / set->b + acc_timing_main.actuation_max + acc_timing_main.timer_late;
      CHECK(horizon > longest);
    }
  }
}

CHECK_MAIN("acc_library", {"initial boxes are inside S", initial_boxes},
           {"shields agree with their configuration", shields})
