/* What the benches share: processor time of the thread, medians, and a reference loop that tells how fast the
 * machine is just now. */
#ifndef HYSHIELD_TESTS_BENCH_TIMING_H
#define HYSHIELD_TESTS_BENCH_TIMING_H

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { TIMING_MOST_RUNS = 101 };

static inline double timing_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static inline int timing_by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Sorts. */
static inline double timing_median(double *ms, unsigned runs) {
  qsort(ms, runs, sizeof *ms, timing_by_value);
  return ms[runs / 2];
}

/* RUNS of the environment, where it is a number of runs. */
static inline unsigned timing_runs(unsigned otherwise) {
  const char *given = getenv("RUNS");
  const unsigned long n = given != NULL ? strtoul(given, NULL, 10) : 0;
  return n > 0 && n <= TIMING_MOST_RUNS ? (unsigned)n : otherwise;
}

/* ms of a dense product of a matrix of 48 rows with a vector, in plain doubles. */
static inline double timing_product(unsigned runs) {
  static double m[48 * 48], x[48], y[48];
  double ms[TIMING_MOST_RUNS];

  for (size_t i = 0; i < 48 * 48; i++)
    m[i] = 1e-3 * (double)(i % 7);
  for (unsigned r = 0; r < runs; r++) {
    const double before = timing_ms();
    for (size_t i = 0; i < 48; i++)
      x[i] = 1.0;
    for (int k = 0; k < 1000; k++) {
      for (size_t i = 0; i < 48; i++) {
        double sum = 0.0;
        for (size_t j = 0; j < 48; j++)
          sum += m[i * 48 + j] * x[j];
        y[i] = sum;
      }
      memcpy(x, y, sizeof x);
    }
    ms[r] = (timing_ms() - before) / 1000.0;
  }
  return x[0] == 0.5 ? 0.0 : timing_median(ms, runs);
}

#endif
