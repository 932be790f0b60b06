/* Prints the two computed parts of models/library/acc/README.md: `acc_table known', `acc_table starts'. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sims/acc_scenarios.h"
#include "tests/oracle/acc_oracle.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void print_known(void) {
  static const struct {
    double v, w, b, B;
  } need[] = {{30, 25, 8, 6}, {30, 30, 4, 8}, {30, 30, 6, 6}, {30, 25, 6, 6},
              {30, 25, 6, 8}, {30, 0, 6, 6},  {20, 15, 8, 6}};
  printf("| v, w [m/s] | b, B [m/s²] | need(v, w) [m] | difference of stopping distances [m] |\n");
  printf("| --- | --- | --- | --- |\n");
  for (size_t i = 0; i < COUNT(need); i++)
    printf("| %g, %g | %g, %g | %.4f | %.4f |\n", need[i].v, need[i].w, need[i].b, need[i].B,
           acc_need(need[i].v, need[i].w, need[i].b, need[i].B),
           acc_stopping_difference(need[i].v, need[i].w, need[i].b, need[i].B));

  static const struct {
    acc_car c;
    double a;
  } tau[] = {{{100, 20, 0}, 0},    {{100, 20, 0}, 2}, {{60, 25, 25}, 2},
             {{60, 25, 25}, -0.5}, {{30, 20, 22}, 0}, {{10, 2, 0}, -0.5}};
  printf("\n| d [m], v, w [m/s] | a [m/s²] ");
  for (size_t s = 0; s < ACC_SETS; s++)
    printf("| %s ", acc_sets[s].name);
  printf("|\n| --- | --- | --- | --- | --- | --- |\n");
  for (size_t i = 0; i < COUNT(tau); i++) {
    printf("| %g, %g, %g | %g ", tau[i].c.d, tau[i].c.v, tau[i].c.w, tau[i].a);
    for (size_t s = 0; s < ACC_SETS; s++) {
      const double t = acc_tau(tau[i].c, tau[i].a, &acc_sets[s]);
      if (isinf(t))
        printf("| %s ", t > 0 ? "never" : "too late");
      else
        printf("| %.4f s ", t);
    }
    printf("|\n");
  }
}

static void print_starts(void) {
  printf("| scenario | d [m] | v [km/h] | w [km/h] ");
  for (size_t s = 0; s < ACC_SETS; s++)
    printf("| %s ", acc_sets[s].name);
  printf("|\n| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (size_t i = 0; i < acc_scenario_count(); i++) {
    const acc_scenario *scenario = acc_scenario_at(i);
    if (scenario->recorded)
      continue;
    printf("| %s | %.1f | %.0f | %.0f ", scenario->name, scenario->d, scenario->v * 3.6, scenario->w * 3.6);
    for (size_t s = 0; s < ACC_SETS; s++) {
      const acc_set *set = &acc_sets[s];
      const acc_car truth = {scenario->d, scenario->v, scenario->w};
      const acc_car c = acc_worst_first_estimate(truth, 0.0, set, &acc_timing_main, &acc_errors_main);
      const double margin = acc_start_margin(c, 0.0, set, &acc_timing_main);
      printf("| %s %+.1f%s ", margin >= 0 ? "inside" : "outside", margin,
             scenario->cut_in_at < HUGE_VAL &&
                     !acc_cut_in_allowed(scenario->cut_in_gap, scenario->cut_in_speed,
                                         scenario->v + ACC_ACCELERATE * scenario->cut_in_at, set, 0.36,
                                         ACC_ACCELERATE)
                 ? " \\*"
                 : "");
    }
    printf("|\n");
  }
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "known") == 0) {
    print_known();
  } else if (argc == 2 && strcmp(argv[1], "starts") == 0) {
    print_starts();
  } else {
    fprintf(stderr, "usage: acc_table known|starts\n");
    return 64;
  }
  return ferror(stdout) != 0 || fflush(stdout) != 0 ? 73 : 0;
}
