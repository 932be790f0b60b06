/* The tests' support: a main for a table of tests on CUnit, labels, skipping, and where the files are.
 *
 *   #include "tests/support/check.h"
 *
 *   static void adds(void) {
 *     for (size_t i = 0; i < n; i++) {
 *       check_label("row %zu", i);          // printed with a failure
 *       CHECK(add(t[i].a, t[i].b) == t[i].sum);
 *     }
 *   }
 *
 *   CHECK_MAIN("add", {"adds two numbers", adds})
 *
 * A test counts once: failed if any check in it failed or if it checked nothing, skipped if it called
 * check_skip(). The program ends with a line `N skipped' (only if N > 0) and a line `N passed, N failed'.
 * `PROGRAM TEXT' runs only the tests whose name contains TEXT, `PROGRAM --list' prints the names. */
#ifndef HYSHIELD_TESTS_SUPPORT_CHECK_H
#define HYSHIELD_TESTS_SUPPORT_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define CHECK_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define CHECK_PRINTF(fmt, args)
#endif

typedef struct check_test {
  const char *name;
  void (*run)(void);
} check_test;

/* Runs the tests and prints the summary; the value is main's. */
int check_main(const char *suite, const check_test *tests, size_t count, int argc, char **argv);

#define CHECK_MAIN(suite, ...)                                                                               \
  int main(int argc, char **argv) {                                                                          \
    static const check_test check_tests_[] = {__VA_ARGS__};                                                  \
    return check_main(suite, check_tests_, sizeof check_tests_ / sizeof check_tests_[0], argc, argv);        \
  }

/* Each check returns whether it held, so that a test can stop: if (!CHECK(p != NULL)) return; */
#define CHECK(cond) check_true((cond), #cond, __FILE__, __LINE__)
#define CHECK_INT(got, want) check_int((intmax_t)(got), (intmax_t)(want), #got, __FILE__, __LINE__)
#define CHECK_STR(got, want) check_str((got), (want), #got, __FILE__, __LINE__)
/* The same real number, bit for bit but for NaNs, which are all alike; 0 and -0 differ. */
#define CHECK_SAME(got, want) check_same((got), (want), #got, __FILE__, __LINE__)
/* |got - want| <= tol; false if any is NaN. */
#define CHECK_NEAR(got, want, tol) check_near((got), (want), (tol), #got, __FILE__, __LINE__)

bool check_true(bool held, const char *text, const char *file, int line);
bool check_int(intmax_t got, intmax_t want, const char *text, const char *file, int line);
bool check_str(const char *got, const char *want, const char *text, const char *file, int line);
bool check_same(double got, double want, const char *text, const char *file, int line);
bool check_near(double got, double want, double tol, const char *text, const char *file, int line);

/* Names the row of a table that is being checked; holds until the next call or the end of the test. */
void check_label(const char *format, ...) CHECK_PRINTF(1, 2);

/* The test cannot run here: it will count as skipped, unless a check failed. Return after it. */
void check_skip(const char *format, ...) CHECK_PRINTF(1, 2);

/* Paths: of a file of the source tree, of the build tree, of the folder of shared files. They live until the
 * end of the test (or, outside of one, of the program). The shared folder is $HYSHIELD_SHARED, else ../shared
 * beside the sources; where the file is not there, NULL is returned and the test is marked as skipped. */
const char *check_source_path(const char *name);
const char *check_build_path(const char *name);
const char *check_shared_path(const char *name);

#endif
