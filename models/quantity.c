#include "models/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* pi lies between these neighbours. */
#define PI_LOW 3.141592653589793116
#define PI_HIGH 3.1415926535897935601

/* clang-format off */
#define DIM(m_, s_, kg_, K_, A_, mol_) {.m = m_, .s = s_, .kg = kg_, .K = K_, .A = A_, .mol = mol_}
#define NONE     DIM(0, 0, 0, 0, 0, 0)
#define TIME     DIM(0, 1, 0, 0, 0, 0)
#define RATE     DIM(0, -1, 0, 0, 0, 0)
#define RATE2    DIM(0, -2, 0, 0, 0, 0)
#define LENGTH   DIM(1, 0, 0, 0, 0, 0)
#define SPEED    DIM(1, -1, 0, 0, 0, 0)
#define ACCEL    DIM(1, -2, 0, 0, 0, 0)
#define JERK     DIM(1, -3, 0, 0, 0, 0)
#define AREA     DIM(2, 0, 0, 0, 0, 0)
#define VOLUME   DIM(3, 0, 0, 0, 0, 0)
#define VRATE    DIM(3, -1, 0, 0, 0, 0)
#define MASS     DIM(0, 0, 1, 0, 0, 0)
#define MRATE    DIM(0, -1, 1, 0, 0, 0)
#define DENSITY  DIM(-3, 0, 1, 0, 0, 0)
#define FORCE    DIM(1, -2, 1, 0, 0, 0)
#define TORQUE   DIM(2, -2, 1, 0, 0, 0)
#define PRESSURE DIM(-1, -2, 1, 0, 0, 0)
#define POWER    DIM(2, -3, 1, 0, 0, 0)
#define VOLT     DIM(2, -3, 1, 0, -1, 0)
#define AMPERE   DIM(0, 0, 0, 0, 1, 0)
#define KELVIN   DIM(0, 0, 0, 1, 0, 0)
#define KRATE    DIM(0, -1, 0, 1, 0, 0)
#define MOLE     DIM(0, 0, 0, 0, 0, 1)
#define CONC     DIM(-3, 0, 0, 0, 0, 1)

static const hys_unit units[] = {
    {"1", NONE, 0, 1, 1, 0, 0},        {"%", NONE, -2, 1, 1, 0, 0},       {"rad", NONE, 0, 1, 1, 0, 0},
    {"mrad", NONE, -3, 1, 1, 0, 0},    {"deg", NONE, 0, 1, 180, 1, 0},

    {"s", TIME, 0, 1, 1, 0, 0},        {"ms", TIME, -3, 1, 1, 0, 0},      {"us", TIME, -6, 1, 1, 0, 0},
    {"ns", TIME, -9, 1, 1, 0, 0},      {"min", TIME, 0, 60, 1, 0, 0},     {"h", TIME, 0, 3600, 1, 0, 0},
    {"1/s", RATE, 0, 1, 1, 0, 0},      {"1/min", RATE, 0, 1, 60, 0, 0},   {"1/h", RATE, 0, 1, 3600, 0, 0},
    {"Hz", RATE, 0, 1, 1, 0, 0},       {"kHz", RATE, 3, 1, 1, 0, 0},      {"%/s", RATE, -2, 1, 1, 0, 0},
    {"rad/s", RATE, 0, 1, 1, 0, 0},    {"deg/s", RATE, 0, 1, 180, 1, 0},
    {"rad/s^2", RATE2, 0, 1, 1, 0, 0}, {"deg/s^2", RATE2, 0, 1, 180, 1, 0}, {"1/s^2", RATE2, 0, 1, 1, 0, 0},

    {"m", LENGTH, 0, 1, 1, 0, 0},      {"km", LENGTH, 3, 1, 1, 0, 0},     {"dm", LENGTH, -1, 1, 1, 0, 0},
    {"cm", LENGTH, -2, 1, 1, 0, 0},    {"mm", LENGTH, -3, 1, 1, 0, 0},    {"um", LENGTH, -6, 1, 1, 0, 0},
    {"m/s", SPEED, 0, 1, 1, 0, 0},     {"cm/s", SPEED, -2, 1, 1, 0, 0},   {"mm/s", SPEED, -3, 1, 1, 0, 0},
    {"km/s", SPEED, 3, 1, 1, 0, 0},    {"km/h", SPEED, 1, 1, 36, 0, 0},   {"m/min", SPEED, 0, 1, 60, 0, 0},
    {"m/s^2", ACCEL, 0, 1, 1, 0, 0},   {"cm/s^2", ACCEL, -2, 1, 1, 0, 0}, {"mm/s^2", ACCEL, -3, 1, 1, 0, 0},
    {"m/s^3", JERK, 0, 1, 1, 0, 0},

    {"m^2", AREA, 0, 1, 1, 0, 0},      {"cm^2", AREA, -4, 1, 1, 0, 0},    {"mm^2", AREA, -6, 1, 1, 0, 0},
    {"m^3", VOLUME, 0, 1, 1, 0, 0},    {"l", VOLUME, -3, 1, 1, 0, 0},     {"ml", VOLUME, -6, 1, 1, 0, 0},
    {"m^3/s", VRATE, 0, 1, 1, 0, 0},   {"m^3/h", VRATE, 0, 1, 3600, 0, 0}, {"l/s", VRATE, -3, 1, 1, 0, 0},
    {"l/min", VRATE, -3, 1, 60, 0, 0}, {"ml/s", VRATE, -6, 1, 1, 0, 0},   {"ml/min", VRATE, -6, 1, 60, 0, 0},
    {"ml/h", VRATE, -6, 1, 3600, 0, 0},

    {"kg", MASS, 0, 1, 1, 0, 0},       {"g", MASS, -3, 1, 1, 0, 0},       {"mg", MASS, -6, 1, 1, 0, 0},
    {"ug", MASS, -9, 1, 1, 0, 0},      {"t", MASS, 3, 1, 1, 0, 0},
    {"kg/s", MRATE, 0, 1, 1, 0, 0},    {"mg/s", MRATE, -6, 1, 1, 0, 0},   {"mg/min", MRATE, -6, 1, 60, 0, 0},
    {"mg/h", MRATE, -6, 1, 3600, 0, 0},
    {"kg/m^3", DENSITY, 0, 1, 1, 0, 0}, {"mg/l", DENSITY, -3, 1, 1, 0, 0}, {"g/l", DENSITY, 0, 1, 1, 0, 0},

    {"N", FORCE, 0, 1, 1, 0, 0},       {"kN", FORCE, 3, 1, 1, 0, 0},      {"N*m", TORQUE, 0, 1, 1, 0, 0},
    {"J", TORQUE, 0, 1, 1, 0, 0},      {"kJ", TORQUE, 3, 1, 1, 0, 0},     {"W", POWER, 0, 1, 1, 0, 0},
    {"kW", POWER, 3, 1, 1, 0, 0},      {"Pa", PRESSURE, 0, 1, 1, 0, 0},   {"kPa", PRESSURE, 3, 1, 1, 0, 0},
    {"hPa", PRESSURE, 2, 1, 1, 0, 0},  {"bar", PRESSURE, 5, 1, 1, 0, 0},  {"mbar", PRESSURE, 2, 1, 1, 0, 0},
    {"V", VOLT, 0, 1, 1, 0, 0},        {"mV", VOLT, -3, 1, 1, 0, 0},      {"kV", VOLT, 3, 1, 1, 0, 0},
    {"A", AMPERE, 0, 1, 1, 0, 0},      {"mA", AMPERE, -3, 1, 1, 0, 0},
    {"K", KELVIN, 0, 1, 1, 0, 0},      {"degC", KELVIN, 0, 1, 1, 0, 27315}, {"K/s", KRATE, 0, 1, 1, 0, 0},
    {"K/min", KRATE, 0, 1, 60, 0, 0},  {"K/h", KRATE, 0, 1, 3600, 0, 0},
    {"mol", MOLE, 0, 1, 1, 0, 0},      {"mmol", MOLE, -3, 1, 1, 0, 0},    {"mmol/l", CONC, 0, 1, 1, 0, 0},
};
/* clang-format on */

const hys_unit *hys_unit_find(const char *name, size_t length) {
  if (length == 0)
    return &units[0];
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
    if (strlen(units[i].name) == length && memcmp(units[i].name, name, length) == 0)
      return &units[i];
  }
  return NULL;
}

const hys_unit *hys_unit_at(size_t i) {
  return i < sizeof units / sizeof units[0] ? &units[i] : NULL;
}

bool hys_unit_same_dimension(const hys_unit *a, const hys_unit *b) {
  const hys_dimension x = a->dimension, y = b->dimension;
  return x.m == y.m && x.s == y.s && x.kg == y.kg && x.K == y.K && x.A == y.A && x.mol == y.mol;
}

bool hys_unit_is_time(const hys_unit *unit) {
  return hys_unit_same_dimension(unit, hys_unit_find("s", 1));
}

/* Bound by bound: the exact result where it is a double, else the enclosure.  d is a positive point. */
static hys_interval times(hys_interval a, double d) {
  const hys_interval wide = hys_interval_mul(a, hys_interval_point(d));
  const double lo = a.lo * d, hi = a.hi * d;
  return hys_interval_make(fma(a.lo, d, -lo) == 0.0 && fabs(lo) > DBL_MIN ? lo : wide.lo,
                           fma(a.hi, d, -hi) == 0.0 && fabs(hi) > DBL_MIN ? hi : wide.hi);
}

static hys_interval over(hys_interval a, double d) {
  const hys_interval wide = hys_interval_div(a, hys_interval_point(d));
  const double lo = a.lo / d, hi = a.hi / d;
  return hys_interval_make(fma(lo, d, -a.lo) == 0.0 && fabs(lo) > DBL_MIN ? lo : wide.lo,
                           fma(hi, d, -a.hi) == 0.0 && fabs(hi) > DBL_MIN ? hi : wide.hi);
}

static double power_of_ten(int exponent) { /* up to 22: exact */
  double p = 1.0;
  for (int i = 0; i < exponent; i++)
    p *= 10.0;
  return p;
}

/* All but the power of ten. */
static hys_interval scale(const hys_unit *unit, hys_interval a, bool difference) {
  if (unit->factor != 1)
    a = times(a, (double)unit->factor);
  if (unit->divisor != 1)
    a = over(a, (double)unit->divisor);
  if (unit->turn > 0.0)
    a = hys_interval_mul(
        a, hys_interval_mul(hys_interval_point(unit->turn), hys_interval_make(PI_LOW, PI_HIGH)));
  if (unit->offset_cents != 0 && !difference)
    a = hys_interval_add(a, over(hys_interval_point((double)unit->offset_cents), 100.0));
  return a;
}

hys_interval hys_unit_to_si(const hys_unit *unit, hys_interval number, bool difference) {
  if (unit->exponent > 0)
    number = times(number, power_of_ten(unit->exponent));
  else if (unit->exponent < 0)
    number = over(number, power_of_ten(-unit->exponent));
  return scale(unit, number, difference);
}

/* The decimal times a power of ten, enclosed as tightly as a decimal can be: only its exponent is changed. */
static hys_interval shifted(const char *number, size_t length, int shift) {
  char text[HYS_MAX_NUMBER_LENGTH + 16];
  size_t mantissa = 0;
  long exponent = 0;
  bool negative = false;
  hys_interval out;

  while (mantissa < length && number[mantissa] != 'e' && number[mantissa] != 'E')
    mantissa++;
  for (size_t i = mantissa + 1; i < length; i++) {
    if (number[i] == '-')
      negative = true;
    else if (number[i] != '+' && exponent < 1000000)
      exponent = 10 * exponent + (number[i] - '0');
  }
  exponent = (negative ? -exponent : exponent) + shift;
  memcpy(text, number, mantissa);
  const int n = snprintf(text + mantissa, sizeof text - mantissa, "e%ld", exponent);
  hys_interval_from_decimal(text, mantissa + (n > 0 ? (size_t)n : 0), &out);
  return out;
}

static bool is_finite(hys_interval a) {
  return fabs(a.lo) <= DBL_MAX && fabs(a.hi) <= DBL_MAX;
}

hys_quantity_fault hys_quantity_read(hys_quantity *out, const char *text) {
  hys_quantity q = {0};
  const size_t n = hys_interval_from_decimal(text, strlen(text), &q.number);

  memset(out, 0, sizeof *out);
  if (n == 0)
    return text[0] == ' ' ? HYS_QUANTITY_BLANK : HYS_QUANTITY_NO_NUMBER;
  const char *unit = text + n;
  if (*unit != '\0') {
    if (*unit != ' ' || unit[1] == ' ' || unit[1] == '\0')
      return HYS_QUANTITY_BLANK;
    unit++;
    if (unit[strlen(unit) - 1] == ' ')
      return HYS_QUANTITY_BLANK;
  }
  q.unit = hys_unit_find(unit, strlen(unit));
  if (q.unit == NULL)
    return HYS_QUANTITY_UNIT;
  if (n > HYS_MAX_NUMBER_LENGTH)
    return HYS_QUANTITY_RANGE;
  const hys_interval si = shifted(text, n, q.unit->exponent);
  q.si = scale(q.unit, si, false);
  q.si_difference = scale(q.unit, si, true);
  q.ns = hys_unit_is_time(q.unit) ? scale(q.unit, shifted(text, n, q.unit->exponent + 9), true)
                                  : hys_interval_empty();
  if (!is_finite(q.number) || !is_finite(q.si))
    return HYS_QUANTITY_RANGE;
  *out = q;
  return HYS_QUANTITY_OK;
}

const char *hys_quantity_fault_text(hys_quantity_fault fault) {
  switch (fault) {
  case HYS_QUANTITY_OK:
    return "it is one";
  case HYS_QUANTITY_NO_NUMBER:
    return "it does not begin with a number";
  case HYS_QUANTITY_BLANK:
    return "there has to be one blank between number and unit and none elsewhere";
  case HYS_QUANTITY_UNIT:
    return "the unit is not known";
  case HYS_QUANTITY_RANGE:
    return "the number is too large or too long";
  }
  return "not a fault";
}

hys_status hys_quantity_ns(int64_t *out, const hys_quantity *quantity, hys_round round) {
  static const double most = 9007199254740992.0; /* 2^53: whole numbers are exact up to here */
  const double ns = round == HYS_ROUND_UP ? ceil(quantity->ns.hi) : floor(quantity->ns.lo);

  *out = 0;
  if (quantity->unit == NULL || !hys_unit_is_time(quantity->unit))
    return HYS_ERR_ARG;
  if (!(fabs(ns) <= most))
    return HYS_ERR_LIMIT;
  *out = (int64_t)ns;
  return HYS_OK;
}
