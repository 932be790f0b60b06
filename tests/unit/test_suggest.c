#include "models/suggest.h"
#include "tests/support/check.h"

#include <string.h>

static const char *const names[] = {"accelerate", NULL, "brake", "coast", "v", "w", "cut_in", ""};

static void nearest(void) {
  static const struct {
    const char *name, *want;
  } rows[] = {
      {"acelerate", "accelerate"},
      {"accelerrate", "accelerate"},
      {"accelreate", "accelerate"},
      {"ACCELERATE", "accelerate"},
      {"brakes", "brake"},
      {"baek", "brake"},
      {"cutin", "cut_in"},
      {"cut-in", "cut_in"},
      {"costs", "coast"},
      {"steer", NULL},
      {"x", NULL},
      {"vv", "v"},
      {"V", "v"},
      {"", NULL},
      {"vwxyz", NULL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    check_label("%s", rows[i].name);
    CHECK_STR(hysi_suggest(rows[i].name, names, sizeof names / sizeof names[0]), rows[i].want);
  }
}

static void long_names(void) {
  char name[80], other[80];
  const char *const candidate[] = {other};
  memset(name, 'a', sizeof name);
  memset(other, 'a', sizeof other);
  name[64] = other[63] = '\0';
  CHECK_STR(hysi_suggest(name, candidate, 1), other);
  name[64] = 'a';
  name[65] = '\0';
  CHECK(hysi_suggest(name, candidate, 1) == NULL);
  name[64] = '\0';
  other[63] = 'a';
  other[65] = '\0';
  CHECK(hysi_suggest(name, candidate, 1) == NULL);
  CHECK(hysi_suggest("a", NULL, 0) == NULL);
}

CHECK_MAIN("suggest", {"nearest name", nearest}, {"long names", long_names})
