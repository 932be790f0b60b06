#include "models/unit_kind.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/units.h"

static const char *const base_name[HYSI_UNIT_BASES] = {"m", "s", "kg", "K", "A", "mol"};

hysi_kind hysi_kind_of_unit(const hys_unit *u) {
  const hys_dimension d = u->dimension;
  const int8_t power[HYSI_UNIT_BASES] = {d.m, d.s, d.kg, d.K, d.A, d.mol};
  hysi_kind k = {.sort = HYSI_MEASURED, .scaled = true};

  for (int i = 0; i < HYSI_UNIT_BASES; i++)
    k.power[i] = (int16_t)(HYSI_UNIT_PARTS * power[i]);
  k.scale = pow(10.0, u->exponent) * u->factor / u->divisor;
  if (u->turn > 0.0)
    k.scale *= u->turn * acos(-1.0);
  return k;
}

bool hysi_kind_multiply(hysi_kind *k, const hysi_kind *other, int sixtieths) {
  for (int i = 0; i < HYSI_UNIT_BASES; i++) {
    const long product = (long)other->power[i] * sixtieths, sum = k->power[i] + product / HYSI_UNIT_PARTS;
    if (product % HYSI_UNIT_PARTS != 0 || sum > HYSI_UNIT_MOST || sum < -HYSI_UNIT_MOST)
      return false;
    k->power[i] = (int16_t)sum;
  }
  k->scaled = k->scaled && other->scaled;
  if (k->scaled)
    k->scale *= pow(other->scale, (double)sixtieths / HYSI_UNIT_PARTS);
  k->soft = k->soft || other->soft;
  k->text = NULL;
  return true;
}

bool hysi_kind_read(const char *text, size_t length, hysi_kind *out) {
  const hys_unit *whole = hys_unit_find(text, length);
  int sign = 1;

  if (whole != NULL) {
    *out = hysi_kind_of_unit(whole);
    return true;
  }
  *out = (hysi_kind){.sort = HYSI_MEASURED, .scaled = true, .scale = 1.0};
  for (size_t i = 0;; i++) {
    const size_t from = i;
    int exponent = 0, digits = 0;
    bool negative = false;
    const hys_unit *u;
    hysi_kind k;
    while (i < length && strchr("*/^", text[i]) == NULL)
      i++;
    u = i > from ? hys_unit_find(text + from, i - from) : NULL;
    if (u == NULL)
      return false;
    if (i < length && text[i] == '^') {
      negative = ++i < length && text[i] == '-';
      for (i += negative; i < length && text[i] >= '0' && text[i] <= '9' && digits < 2; i++, digits++)
        exponent = 10 * exponent + (text[i] - '0');
      if (digits == 0)
        return false;
    } else {
      exponent = 1;
    }
    k = hysi_kind_of_unit(u);
    if (!hysi_kind_multiply(out, &k, HYSI_UNIT_PARTS * sign * (negative ? -exponent : exponent)))
      return false;
    if (i == length)
      return true;
    if (text[i] != '*' && text[i] != '/')
      return false;
    sign = text[i] == '/' ? -1 : 1;
  }
}

bool hysi_kind_same_dimension(const hysi_kind *a, const hysi_kind *b) {
  return memcmp(a->power, b->power, sizeof a->power) == 0;
}

bool hysi_kind_same_scale(const hysi_kind *a, const hysi_kind *b) {
  /* products of a few factors in double arithmetic */
  return !a->scaled || !b->scaled || fabs(a->scale / b->scale - 1.0) < 1e-9;
}

bool hysi_kind_is_plain(const hysi_kind *k) {
  static const int16_t none[HYSI_UNIT_BASES] = {0};
  return memcmp(k->power, none, sizeof none) == 0;
}

static void put_power(char *text, size_t size, const char *name, int sixtieths, bool *first) {
  const size_t used = strlen(text);

  if (sixtieths % HYSI_UNIT_PARTS == 0 && sixtieths != HYSI_UNIT_PARTS)
    snprintf(text + used, size - used, "%s%s^%d", *first ? "" : "*", name, sixtieths / HYSI_UNIT_PARTS);
  else if (sixtieths == HYSI_UNIT_PARTS)
    snprintf(text + used, size - used, "%s%s", *first ? "" : "*", name);
  else
    snprintf(text + used, size - used, "%s%s^%g", *first ? "" : "*", name,
             (double)sixtieths / HYSI_UNIT_PARTS);
  *first = false;
}

const char *hysi_kind_describe(const hysi_kind *k, char *text, size_t size) {
  bool first = true;

  if (k->text != NULL)
    return k->text;
  for (size_t i = 0; hys_unit_at(i) != NULL; i++) {
    const hys_unit *u = hys_unit_at(i);
    const hysi_kind listed = hysi_kind_of_unit(u);
    if (u->offset_cents == 0 && hysi_kind_same_dimension(&listed, k) &&
        (k->scaled ? hysi_kind_same_scale(&listed, k) : listed.scale == 1.0))
      return strcmp(u->name, "1") == 0 ? "no unit" : u->name;
  }
  text[0] = '\0';
  if (k->scaled && fabs(k->scale - 1.0) > 1e-9) {
    snprintf(text, size, "%.6g", k->scale);
    first = false;
  }
  for (int i = 0; i < HYSI_UNIT_BASES; i++)
    if (k->power[i] > 0)
      put_power(text, size, base_name[i], k->power[i], &first);
  if (first)
    snprintf(text, size, "1");
  first = false;
  for (int i = 0; i < HYSI_UNIT_BASES; i++) {
    if (k->power[i] >= 0)
      continue;
    snprintf(text + strlen(text), size - strlen(text), "/");
    first = true;
    put_power(text, size, base_name[i], -k->power[i], &first);
  }
  return text;
}

bool hysi_units_fit(const char *text, const hys_unit *unit, const char **why) {
  const hysi_kind given = hysi_kind_of_unit(unit);
  hysi_kind own;

  if (!hysi_kind_read(text, strlen(text), &own))
    return true; /* has been reported */
  if (strcmp(unit->name, "1") == 0 && hys_unit_find(text, strlen(text)) == NULL)
    return true; /* a product that a shield file has no name for */
  *why = !hysi_kind_same_dimension(&own, &given) ? "the dimensions differ"
         : fabs(own.scale - 1.0) > 1e-9
             ? "a shield computes in SI units, and numbers of a model are not converted"
             : NULL;
  return *why == NULL;
}
