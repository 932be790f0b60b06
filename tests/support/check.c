#include "tests/support/check.h"

#ifndef HAVE_CUNIT
#error "the tests need CUnit (Debian: libcunit1-dev); install it and configure again"
#endif

#include <CUnit/CUnit.h>
#include <CUnit/TestDB.h>
#include <CUnit/TestRun.h>

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_PATHS = 64, MAX_FAILURES_SHOWN = 20 };

/* State of the test that runs. */
static const char *current;
static char label[256];
static unsigned failures;
static unsigned checks;
static bool skipped;
static char skip_reason[512];
static char *paths[MAX_PATHS];
static size_t path_count;

static const char *suite_name = "";
static unsigned passed_total, failed_total, skipped_total;

static bool record(bool held, const char *file, int line, const char *format, ...) CHECK_PRINTF(4, 5);

static bool record(bool held, const char *file, int line, const char *format, ...) {
  char text[1024];
  va_list args;

  checks++;
  if (held) {
    return true;
  }
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  failures++;
  CU_assertImplementation(CU_FALSE, (unsigned)line, text, file, current != NULL ? current : "", CU_FALSE);
  if (failures <= MAX_FAILURES_SHOWN) {
    printf("%s:%d: %s / %s%s%s%s: %s\n", file, line, suite_name, current != NULL ? current : "",
           label[0] != '\0' ? " [" : "", label, label[0] != '\0' ? "]" : "", text);
    fflush(stdout);
  }
  return false;
}

bool check_true(bool held, const char *text, const char *file, int line) {
  return record(held, file, line, "does not hold: %s", text);
}

bool check_int(intmax_t got, intmax_t want, const char *text, const char *file, int line) {
  return record(got == want, file, line, "%s is %" PRIdMAX ", expected %" PRIdMAX, text, got, want);
}

bool check_str(const char *got, const char *want, const char *text, const char *file, int line) {
  bool held = got == NULL || want == NULL ? got == want : strcmp(got, want) == 0;
  return record(held, file, line, "%s is \"%s\", expected \"%s\"", text, got != NULL ? got : "(null)",
                want != NULL ? want : "(null)");
}

bool check_same(double got, double want, const char *text, const char *file, int line) {
  bool held = (isnan(got) && isnan(want)) || (got == want && !signbit(got) == !signbit(want));
  return record(held, file, line, "%s is %.17g (%a), expected %.17g (%a)", text, got, got, want, want);
}

bool check_near(double got, double want, double tol, const char *text, const char *file, int line) {
  return record(fabs(got - want) <= tol, file, line, "%s is %.17g, expected %.17g within %g", text, got, want,
                tol);
}

void check_label(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(label, sizeof label, format, args);
  va_end(args);
}

void check_skip(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(skip_reason, sizeof skip_reason, format, args);
  va_end(args);
  skipped = true;
}

static const char *join(const char *folder, const char *name) {
  size_t size = strlen(folder) + 1 + strlen(name) + 1;
  char *path;

  if (path_count == MAX_PATHS) { /* the oldest ones have been used by now */
    free(paths[0]);
    memmove(paths, paths + 1, (MAX_PATHS - 1) * sizeof paths[0]);
    path_count--;
  }
  path = malloc(size);
  if (path == NULL) {
    fputs("out of memory\n", stderr);
    exit(EXIT_FAILURE);
  }
  snprintf(path, size, "%s/%s", folder, name);
  paths[path_count++] = path;
  return path;
}

static const char *folder_of(const char *variable, const char *otherwise) {
  const char *value = getenv(variable);
  return value != NULL && value[0] != '\0' ? value : otherwise;
}

const char *check_source_path(const char *name) {
  return join(folder_of("HYSHIELD_SRCDIR", CHECK_SRCDIR), name);
}

const char *check_build_path(const char *name) {
  return join(folder_of("HYSHIELD_BUILDDIR", CHECK_BUILDDIR), name);
}

const char *check_shared_path(const char *name) {
  const char *folder = getenv("HYSHIELD_SHARED");
  const char *path;

  if (folder == NULL || folder[0] == '\0') {
    folder = check_source_path("../shared");
  }
  path = join(folder, name);
  if (access(path, R_OK) != 0) {
    check_skip("%s is not there", path);
    return NULL;
  }
  return path;
}

static void free_paths(void) {
  for (size_t i = 0; i < path_count; i++) {
    free(paths[i]);
  }
  path_count = 0;
}

static void before(const CU_pTest test, const CU_pSuite suite) {
  (void)suite;
  current = test->pName;
  label[0] = '\0';
  failures = 0;
  checks = 0;
  skipped = false;
}

static void after(const CU_pTest test, const CU_pSuite suite, const CU_pFailureRecord failure) {
  (void)suite;
  if (failures > MAX_FAILURES_SHOWN) {
    printf("%s / %s: %u more failures not shown\n", suite_name, test->pName, failures - MAX_FAILURES_SHOWN);
  }
  if (failures > 0 || failure != NULL) {
    failed_total++;
  } else if (skipped) {
    printf("%s / %s: skipped: %s\n", suite_name, test->pName, skip_reason);
    skipped_total++;
  } else if (checks == 0) {
    printf("%s / %s: checked nothing\n", suite_name, test->pName);
    failed_total++;
  } else {
    passed_total++;
  }
  fflush(stdout);
  free_paths();
}

int check_main(const char *suite, const check_test *tests, size_t count, int argc, char **argv) {
  CU_pSuite registered;
  const char *only = argc > 1 ? argv[1] : NULL;

  suite_name = suite;
  if (only != NULL && strcmp(only, "--list") == 0) {
    for (size_t i = 0; i < count; i++) {
      puts(tests[i].name);
    }
    return EXIT_SUCCESS;
  }
  if (CU_initialize_registry() != CUE_SUCCESS) {
    fprintf(stderr, "%s: %s\n", suite, CU_get_error_msg());
    return EXIT_FAILURE;
  }
  registered = CU_add_suite(suite, NULL, NULL);
  for (size_t i = 0; registered != NULL && i < count; i++) {
    if (only != NULL && strstr(tests[i].name, only) == NULL) {
      continue;
    }
    if (CU_add_test(registered, tests[i].name, tests[i].run) == NULL && CU_get_error() != CUE_DUP_TEST) {
      registered = NULL;
    } else if (CU_get_error() == CUE_DUP_TEST) {
      fprintf(stderr, "%s: two tests are called \"%s\"\n", suite, tests[i].name);
      CU_cleanup_registry();
      return EXIT_FAILURE;
    }
  }
  if (registered == NULL) {
    fprintf(stderr, "%s: %s\n", suite, CU_get_error_msg());
    CU_cleanup_registry();
    return EXIT_FAILURE;
  }
  CU_set_test_start_handler(before);
  CU_set_test_complete_handler(after);
  if (CU_run_all_tests() != CUE_SUCCESS) {
    fprintf(stderr, "%s: %s\n", suite, CU_get_error_msg());
    CU_cleanup_registry();
    return EXIT_FAILURE;
  }
  CU_cleanup_registry();
  free_paths();

  if (skipped_total > 0) {
    printf("%u skipped\n", skipped_total);
  }
  printf("%u passed, %u failed\n", passed_total, failed_total);
  if (failed_total > 0 || passed_total + skipped_total == 0) {
    return EXIT_FAILURE;
  }
  return passed_total == 0 ? 77 : EXIT_SUCCESS; /* 77: automake's word for skipped */
}
