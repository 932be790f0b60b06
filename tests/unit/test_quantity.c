#include "models/quantity.h"
#include "tests/support/check.h"

#include <math.h>
#include <string.h>

/* Exactly [lo, hi] in SI; the bounds were worked out by hand or are C's nearest doubles and their neighbours.
 */
static void values(void) {
  static const struct {
    const char *text;
    double lo, hi;
  } rows[] = {
      {"0", 0.0, 0.0},
      {"2.5", 2.5, 2.5},
      {"-6 m/s^2", -6.0, -6.0},
      {"+3 m", 3.0, 3.0},
      {".5 m", 0.5, 0.5},
      {"5. m", 5.0, 5.0},
      {"25e-2 m", 0.25, 0.25},
      {"250 mm", 0.25, 0.25},
      {"0.25E3 mm", 0.25, 0.25},
      {"36 km/h", 10.0, 10.0},
      {"-36 km/h", -10.0, -10.0},
      {"50 %", 0.5, 0.5},
      {"5 min", 300.0, 300.0},
      {"2 h", 7200.0, 7200.0},
      {"1 km", 1000.0, 1000.0},
      {"4 Hz", 4.0, 4.0},
      {"0.1 m", 0x1.9999999999999p-4, 0x1.999999999999ap-4},
      {"-0.1 m", -0x1.999999999999ap-4, -0x1.9999999999999p-4},
      {"100 mm", 0x1.9999999999999p-4, 0x1.999999999999ap-4},
      {"40 ms", 0x1.47ae147ae147ap-5, 0x1.47ae147ae147bp-5},
      {"0 m", 0.0, 0.0},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    hys_quantity q;
    check_label("%s", rows[i].text);
    CHECK_INT(hys_quantity_read(&q, rows[i].text), HYS_QUANTITY_OK);
    CHECK_SAME(q.si.lo, rows[i].lo);
    CHECK_SAME(q.si.hi, rows[i].hi);
  }
}

/* What is no power of ten of SI: enclosed, and not by much. */
static void enclosed(void) {
  static const struct {
    const char *text;
    double near;
  } rows[] = {{"50 km/h", 50.0 / 3.6},   {"90 deg", 1.5707963267948966},   {"20 degC", 293.15},
              {"10 l/min", 0.01 / 60.0}, {"60 deg/s", 1.0471975511965976}, {"-40 degC", 233.15}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    hys_quantity q;
    check_label("%s", rows[i].text);
    CHECK_INT(hys_quantity_read(&q, rows[i].text), HYS_QUANTITY_OK);
    CHECK(q.si.lo < q.si.hi);
    CHECK(q.si.lo <= rows[i].near && rows[i].near <= q.si.hi);
    CHECK(q.si.hi - q.si.lo <= 8 * 0x1p-52 * fabs(rows[i].near));
  }
}

static void differences(void) {
  hys_quantity q;
  CHECK_INT(hys_quantity_read(&q, "1 degC"), HYS_QUANTITY_OK);
  CHECK_SAME(q.si_difference.lo, 1.0);
  CHECK_SAME(q.si_difference.hi, 1.0);
  CHECK(q.si.lo <= 274.15 && 274.15 <= q.si.hi);
  const hys_interval k = hys_unit_to_si(q.unit, hys_interval_point(2.0), true);
  CHECK_SAME(k.lo, 2.0);
  CHECK_SAME(k.hi, 2.0);
  const hys_interval v = hys_unit_to_si(hys_unit_find("km/h", 4), hys_interval_make(36.0, 72.0), false);
  CHECK_SAME(v.lo, 10.0);
  CHECK_SAME(v.hi, 20.0);
}

static void faults(void) {
  static const struct {
    const char *text;
    hys_quantity_fault fault;
  } rows[] = {
      {"", HYS_QUANTITY_NO_NUMBER},
      {"m", HYS_QUANTITY_NO_NUMBER},
      {"-", HYS_QUANTITY_NO_NUMBER},
      {".", HYS_QUANTITY_NO_NUMBER},
      {"nan m", HYS_QUANTITY_NO_NUMBER},
      {"inf", HYS_QUANTITY_NO_NUMBER},
      {"1,5 m", HYS_QUANTITY_BLANK},
      {"10ms", HYS_QUANTITY_BLANK},
      {"10  ms", HYS_QUANTITY_BLANK},
      {" 10 ms", HYS_QUANTITY_BLANK},
      {"10 ms ", HYS_QUANTITY_BLANK},
      {"10 ", HYS_QUANTITY_BLANK},
      {"0x10 m", HYS_QUANTITY_BLANK},
      {"10 e3 m", HYS_QUANTITY_UNIT},
      {"10 MS", HYS_QUANTITY_UNIT},
      {"10 parsec", HYS_QUANTITY_UNIT},
      {"1e400 m", HYS_QUANTITY_RANGE},
      {"1.7e308 km", HYS_QUANTITY_RANGE},
      {"-1e99999999999999999999 m", HYS_QUANTITY_RANGE},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    hys_quantity q;
    check_label("\"%s\"", rows[i].text);
    memset(&q, 0x55, sizeof q);
    CHECK_INT(hys_quantity_read(&q, rows[i].text), rows[i].fault);
    CHECK(q.unit == NULL);
    CHECK(strcmp(hys_quantity_fault_text(rows[i].fault), "not a fault") != 0);
  }
  char text[HYS_MAX_NUMBER_LENGTH + 8];
  hys_quantity q;
  memset(text, '1', sizeof text);
  memcpy(text, "0.", 2);
  text[HYS_MAX_NUMBER_LENGTH] = '\0';
  CHECK_INT(hys_quantity_read(&q, text), HYS_QUANTITY_OK);
  text[HYS_MAX_NUMBER_LENGTH] = '1';
  text[HYS_MAX_NUMBER_LENGTH + 1] = '\0';
  CHECK_INT(hys_quantity_read(&q, text), HYS_QUANTITY_RANGE);
}

static void nanoseconds(void) {
  static const struct {
    const char *text;
    int64_t down, up;
    hys_status status;
  } rows[] = {
      {"40 ms", 40000000, 40000000, HYS_OK},
      {"0.1 s", 100000000, 100000000, HYS_OK},
      {"500 us", 500000, 500000, HYS_OK},
      {"0 s", 0, 0, HYS_OK},
      {"1.5 ns", 1, 2, HYS_OK},
      {"-1.5 ns", -2, -1, HYS_OK},
      {"1e-10 s", 0, 1, HYS_OK},
      {"1e-400 s", 0, 1, HYS_OK},
      {"0.0000001 ms", 0, 1, HYS_OK},
      {"2 min", 120000000000, 120000000000, HYS_OK},
      {"1 h", 3600000000000, 3600000000000, HYS_OK},
      {"9007199.254740992 s", 9007199254740992, 9007199254740992, HYS_OK},
      {"9007199.254740993 s", 0, 0, HYS_ERR_LIMIT},
      {"1e300 s", 0, 0, HYS_ERR_LIMIT},
      {"5", 0, 0, HYS_ERR_ARG},
      {"5 m", 0, 0, HYS_ERR_ARG},
      {"5 Hz", 0, 0, HYS_ERR_ARG},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    hys_quantity q;
    int64_t down = -1, up = -1;
    check_label("%s", rows[i].text);
    CHECK_INT(hys_quantity_read(&q, rows[i].text), HYS_QUANTITY_OK);
    if (rows[i].status != HYS_ERR_LIMIT)
      CHECK_INT(hys_quantity_ns(&down, &q, HYS_ROUND_DOWN), rows[i].status);
    CHECK_INT(hys_quantity_ns(&up, &q, HYS_ROUND_UP), rows[i].status);
    if (rows[i].status != HYS_ERR_LIMIT)
      CHECK_INT(down, rows[i].down);
    CHECK_INT(up, rows[i].up);
  }
}

static void unit_list(void) {
  size_t n = 0;
  for (const hys_unit *u = hys_unit_at(0); u != NULL; u = hys_unit_at(++n)) {
    check_label("%s", u->name);
    CHECK(hys_unit_find(u->name, strlen(u->name)) == u); /* no name twice */
    CHECK(u->exponent >= -22 && u->exponent <= 22 && u->factor > 0 && u->divisor > 0);
  }
  CHECK(n > 50);
  CHECK(hys_unit_find("", 0) == hys_unit_at(0));
  CHECK(hys_unit_find("meter", 5) == NULL);
  CHECK(hys_unit_same_dimension(hys_unit_find("km/h", 4), hys_unit_find("m/s", 3)));
  CHECK(!hys_unit_same_dimension(hys_unit_find("m", 1), hys_unit_find("m/s", 3)));
  CHECK(hys_unit_is_time(hys_unit_find("ms", 2)));
  CHECK(!hys_unit_is_time(hys_unit_find("1", 1)));
}

CHECK_MAIN("quantity", {"values in SI", values}, {"units that do not divide", enclosed},
           {"differences", differences}, {"faults", faults}, {"nanoseconds", nanoseconds},
           {"the list of units", unit_list})
