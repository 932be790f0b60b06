/* A fuzz target is a program of three parts: the target itself (fuzz_NAME.c), which says what must hold for
 * any bytes; what turns bytes out, libFuzzer or the driver of mutations in fuzz_driver.c; and seeds.
 *
 * Without libFuzzer the program is a test: seeds and mutations of them from a fixed seed.  PROGRAM FILE...
 * runs the target on these files only, with either driver: so a finding is repeated. */
#ifndef HYSHIELD_TESTS_FUZZ_FUZZ_H
#define HYSHIELD_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  FUZZ_MAX_FOLDERS = 2,
  FUZZ_MAX_BYTES = 16384 /* longer inputs are passed over: FLINT ends the process when memory does */
};

typedef struct fuzz_target {
  const char *name;
  const char *folder[FUZZ_MAX_FOLDERS]; /* of seeds, from the top of the sources; NULL: no more */
  const char *suffix;                   /* of the seeds' names; NULL: any */
  unsigned runs;                        /* of a short run without libFuzzer */
} fuzz_target;

extern const fuzz_target fuzz_this;

/* One input.  true: it was accepted, as far as the target distinguishes that. */
bool fuzz_one(const uint8_t *data, size_t size);

/* Something that has to hold does not; returns only without libFuzzer. */
void fuzz_fault(const char *what, const char *file, int line);
#define FUZZ_REQUIRE(held) ((held) ? (void)0 : fuzz_fault(#held, __FILE__, __LINE__))

/* Numbers that depend on the input alone. */
typedef struct fuzz_random {
  uint64_t state;
} fuzz_random;
static inline fuzz_random fuzz_random_from(const uint8_t *data, size_t size) { /* FNV-1a */
  fuzz_random r = {UINT64_C(14695981039346656037)};
  for (size_t i = 0; i < size; i++)
    r.state = (r.state ^ data[i]) * UINT64_C(1099511628211);
  return r;
}
static inline uint64_t fuzz_random_next(fuzz_random *r) { /* splitmix64 */
  uint64_t z = (r->state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}
static inline double fuzz_random_double(fuzz_random *r, double lo, double hi) {
  const double x = lo + (hi - lo) * ((double)(fuzz_random_next(r) >> 11) * 0x1p-53);
  return x < lo ? lo : x > hi ? hi : x;
}

#endif
