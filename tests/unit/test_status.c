#include "core/rt/status.h"
#include "core/version.h"
#include "tests/support/check.h"

#include <string.h>

/* The numbers are part of the interface: written out here, not taken from the list. */
static const struct {
  hys_status code;
  int number;
  const char *text;
} statuses[] = {
    {HYS_OK, 0, "done"},
    {HYS_ERR_ARG, 1, "an argument is not allowed"},
    {HYS_ERR_MEMORY, 2, "out of memory"},
    {HYS_ERR_LIMIT, 3, "a limit is exceeded"},
    {HYS_ERR_INPUT, 4, "the input is not valid"},
    {HYS_ERR_OPEN, 5, "cannot open the input"},
    {HYS_ERR_WRITE, 6, "cannot write the output"},
    {HYS_ERR_UNSUPPORTED, 7, "not supported"},
    {HYS_ERR_NUMERIC, 8, "the computation left the range of numbers"},
    {HYS_ERR_STATE, 9, "not possible in this state of the object"},
    {HYS_ERR_FLOAT_ENV, 10, "the floating-point environment is not the one relied on"},
    {HYS_ERR_INTERNAL, 11, "a fault of hyshield"},
};

static void status_codes(void) {
  for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
    check_label("status %d", statuses[i].number);
    CHECK_INT(statuses[i].code, statuses[i].number);
    CHECK_STR(hys_status_text(statuses[i].code), statuses[i].text);
  }
}

static void status_outside(void) {
  CHECK_STR(hys_status_text((hys_status)12), "not a status");
  CHECK_STR(hys_status_text((hys_status)1000), "not a status");
}

static void verdicts(void) {
  hys_verdict zeroed;
  memset(&zeroed, 0, sizeof zeroed);
  CHECK_STR(hys_verdict_text(zeroed), "unknown");
  CHECK_INT(HYS_UNKNOWN, 0);
  CHECK_STR(hys_verdict_text(HYS_HOLDS), "holds");
  CHECK_STR(hys_verdict_text(HYS_VIOLATED), "violated");
  CHECK_STR(hys_verdict_text((hys_verdict)3), "not a verdict");
}

static void version(void) {
  CHECK_STR(hys_version_text(), PACKAGE_VERSION);
}

CHECK_MAIN("status", {"status codes and texts", status_codes}, {"a number outside the list", status_outside},
           {"verdicts", verdicts}, {"version", version})
