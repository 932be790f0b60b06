#include <jansson.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/journal.h"
#include "monitor/journal_lines.h"
#include "monitor/journal_rules.h"
#include "monitor/journal_text.h"
#include "monitor/journal_writer.h"

#define SECOND INT64_C(1000000000)
enum { MAX_BYTES = 1 << 30, HEX_SIGNATURE = 2 * crypto_sign_BYTES };

hys_status hysi_journal_lines_read(hysi_journal_lines *lines, const char *path) {
  *lines = (hysi_journal_lines){NULL, 0, 0};
  FILE *const file = fopen(path, "rb");
  if (file == NULL)
    return HYS_ERR_OPEN;
  hys_status status = HYS_OK;
  size_t capacity = 0, n = 0;
  do {
    if (lines->n == capacity) {
      capacity = capacity == 0 ? 1 << 16 : 2 * capacity;
      char *const text = capacity > MAX_BYTES ? NULL : realloc(lines->text, capacity);
      if (text == NULL) {
        status = capacity > MAX_BYTES ? HYS_ERR_LIMIT : HYS_ERR_MEMORY;
        break;
      }
      lines->text = text;
    }
    n = fread(lines->text + lines->n, 1, capacity - lines->n, file);
    lines->n += n;
  } while (n > 0);
  if (ferror(file) != 0)
    status = HYS_ERR_OPEN;
  fclose(file);
  if (status != HYS_OK)
    hysi_journal_lines_free(lines);
  return status;
}

bool hysi_journal_lines_next(hysi_journal_lines *lines, const char **line, size_t *length) {
  if (lines->at == lines->n)
    return false;
  const char *const from = lines->text + lines->at, *const end = memchr(from, '\n', lines->n - lines->at);
  if (end == NULL)
    return false;
  *line = from;
  *length = (size_t)(end - from);
  lines->at += *length + 1;
  return true;
}

void hysi_journal_lines_free(hysi_journal_lines *lines) {
  free(lines->text);
  lines->text = NULL;
}

/* ---- one line after the other */

typedef struct reader {
  hys_journal_report *report;
  unsigned char key[crypto_sign_PUBLICKEYBYTES];
  bool has_key;
  char prev[65];
  bool gap, end, unsigned_lines;
  bool timed; /* `now' is an instant */
  int64_t now;
  uint64_t step;  /* the next one expected */
  uint64_t lost;  /* of steps, inside gaps */
  json_t *before; /* the last step, if none is missing behind it */
} reader;

static bool wrong(reader *r, const char *why) {
  r->report->bad_line = r->report->lines;
  snprintf(r->report->why, sizeof r->report->why, "%s", why);
  return false;
}

static bool is_hex(const char *text, size_t n) {
  return strspn(text, "0123456789abcdef") >= n;
}

static bool check_signature(reader *r, const char *line, size_t n) {
  static const char ending[] = ",\"signature\":\"";
  char text[600], want[300];
  unsigned char signature[crypto_sign_BYTES];
  const size_t tail = sizeof ending - 1 + HEX_SIGNATURE + 2;
  if (n <= tail || n - tail > 400)
    return wrong(r, "not the form of a signature record");
  const size_t body = n - tail;
  snprintf(want, sizeof want, "{\"n\":%llu,\"type\":\"signature\",\"now\":%lld,\"prev\":\"%s\"",
           (unsigned long long)(r->report->lines - 1), (long long)r->now, r->prev);
  if (strlen(want) != body || memcmp(want, line, body) != 0)
    return wrong(r, "the signature record does not follow the line before it");
  const char *const hex = line + body + sizeof ending - 1;
  if (memcmp(line + body, ending, sizeof ending - 1) != 0 || memcmp(hex + HEX_SIGNATURE, "\"}", 2) != 0 ||
      !is_hex(hex, HEX_SIGNATURE) ||
      sodium_hex2bin(signature, sizeof signature, hex, HEX_SIGNATURE, NULL, NULL, NULL) != 0)
    return wrong(r, "not the form of a signature record");
  const int m = snprintf(text, sizeof text, "%s%s", HYSI_JOURNAL_DOMAIN, want);
  if (m < 0 ||
      crypto_sign_verify_detached(signature, (const unsigned char *)text, (unsigned long long)m, r->key) != 0)
    return wrong(r, "the signature does not belong to the key");
  r->unsigned_lines = false;
  r->report->signed_lines = r->report->lines;
  r->report->closed = r->end;
  return true;
}

static bool check_first(reader *r, const json_t *object) {
  const char *const schema = json_string_value(json_object_get(object, "schema"));
  const char *const key = json_string_value(json_object_get(object, "public_key"));
  if (schema == NULL || strcmp(schema, HYS_JOURNAL_SCHEMA) != 0)
    return wrong(r, "not a journal of this version");
  if (key == NULL || strlen(key) != 64 || !is_hex(key, 64))
    return wrong(r, "no public key");
  memcpy(r->report->public_key, key, 65);
  if (!r->has_key)
    sodium_hex2bin(r->key, sizeof r->key, key, 64, NULL, NULL, NULL);
  return true;
}

static bool whole(const json_t *object, const char *key, uint64_t *value) {
  const json_t *const number = json_object_get(object, key);
  *value =
      json_is_integer(number) && json_integer_value(number) >= 0 ? (uint64_t)json_integer_value(number) : 0;
  return json_is_integer(number) && json_integer_value(number) >= 0;
}

static bool check_step(reader *r, json_t *object) {
  uint64_t step = 0;
  const char *why = NULL;
  if (!whole(object, "step", &step) || step < r->step || (step > r->step && !r->gap))
    return wrong(r, "a step is missing or out of order");
  r->lost += step - r->step;
  if (!hysi_journal_rules(r->gap ? NULL : r->before, object, &why))
    return wrong(r, why);
  json_decref(r->before);
  r->before = json_incref(object);
  r->step = step + 1;
  r->report->steps++;
  r->gap = false;
  return true;
}

static bool check_end(reader *r, const json_t *object) {
  uint64_t steps = 0, dropped = 0;
  if (!whole(object, "steps", &steps) || !whole(object, "dropped", &dropped))
    return wrong(r, "the closing record has no counts");
  if (steps < r->step || steps - r->step + r->lost > dropped || dropped < r->report->dropped)
    return wrong(r, "the counts of the closing record do not fit");
  r->report->dropped = dropped;
  r->end = true;
  return true;
}

static bool check_record(reader *r, const char *line, size_t n) {
  static const char ending[] = ",\"prev\":\"";
  char start[40];
  const size_t tail = sizeof ending - 1 + 64 + 2;
  const int m = snprintf(start, sizeof start, "{\"n\":%llu,", (unsigned long long)(r->report->lines - 1));
  if (m < 0 || n < tail + (size_t)m || memcmp(line, start, (size_t)m) != 0)
    return wrong(r, "not the record with this number");
  const char *const end = line + n - tail;
  if (memcmp(end, ending, sizeof ending - 1) != 0 || memcmp(end + tail - 2, "\"}", 2) != 0)
    return wrong(r, "not the form of a record");
  if (memcmp(end + sizeof ending - 1, r->prev, 64) != 0)
    return wrong(r, "the chain is broken: this or the line before it was changed, or lines are missing");
  json_t *const object = json_loadb(line, n, JSON_REJECT_DUPLICATES, NULL);
  const char *const type = json_string_value(json_object_get(object, "type"));
  bool good = type != NULL || wrong(r, "not JSON, or without a type");
  if (good && (strcmp(type, "journal") == 0) != (r->report->lines == 1))
    good = wrong(r, "the first record has to describe the journal, and no other");
  if (good && r->report->lines > 1) {
    const json_t *const now = json_object_get(object, "now");
    if (!json_is_integer(now) || (r->timed && json_integer_value(now) < r->now))
      good = wrong(r, "no stamp, or time goes backwards");
    else if (r->unsigned_lines && json_integer_value(now) / SECOND != r->now / SECOND)
      good = wrong(r, "a signature is missing before this record");
    r->now = (int64_t)json_integer_value(now);
    r->timed = true;
  }
  if (good) {
    uint64_t dropped = 0;
    if (strcmp(type, "journal") == 0) {
      good = check_first(r, object);
    } else if (strcmp(type, "step") == 0) {
      good = check_step(r, object);
    } else if (strcmp(type, "gap") == 0) {
      good = (whole(object, "dropped", &dropped) && dropped > 0) || wrong(r, "a gap without a number");
      r->report->dropped += dropped;
      r->gap = true;
    } else if (strcmp(type, "end") == 0) {
      good = check_end(r, object);
    } else if (strcmp(type, "note") != 0) {
      good = wrong(r, "an unknown type of record");
    }
  }
  json_decref(object);
  r->unsigned_lines = true;
  return good;
}

static bool check_line(reader *r, const char *line, size_t n) {
  unsigned char hash[32];
  char start[64];
  r->report->lines++;
  if (r->report->closed)
    return wrong(r, "a line behind the end");
  const int m = snprintf(start, sizeof start, "{\"n\":%llu,\"type\":\"signature\",",
                         (unsigned long long)(r->report->lines - 1));
  const bool signs = m > 0 && n > (size_t)m && memcmp(line, start, (size_t)m) == 0;
  if (!signs && r->end)
    return wrong(r, "the closing record is not followed by its signature");
  if (signs && r->report->lines == 1)
    return wrong(r, "the first record has to describe the journal");
  if (!(signs ? check_signature(r, line, n) : check_record(r, line, n)))
    return false;
  crypto_generichash(hash, sizeof hash, (const unsigned char *)line, n, NULL, 0);
  hysi_journal_hex(r->prev, hash);
  return true;
}

hys_status hys_journal_verify(const char *path, const char *public_key, hys_journal_report *report) {
  if (path == NULL || report == NULL)
    return HYS_ERR_ARG;
  memset(report, 0, sizeof *report);
  reader r = {.report = report, .has_key = public_key != NULL};
  memset(r.prev, '0', 64);
  if (sodium_init() < 0)
    return HYS_ERR_INTERNAL;
  if (public_key != NULL && (strlen(public_key) != 64 ||
                             sodium_hex2bin(r.key, sizeof r.key, public_key, 64, NULL, NULL, NULL) != 0))
    return HYS_ERR_ARG;
  hysi_journal_lines lines;
  const hys_status status = hysi_journal_lines_read(&lines, path);
  if (status != HYS_OK)
    return status;
  const char *line = NULL;
  size_t n = 0;
  bool good = true;
  while (good && hysi_journal_lines_next(&lines, &line, &n))
    good = check_line(&r, line, n);
  report->half_line = good && lines.at < lines.n;
  if (good && report->half_line && report->closed) {
    report->lines++;
    wrong(&r, "something behind the end");
  }
  if (good && report->lines == 0) {
    report->lines = 1;
    wrong(&r, "no record");
    report->lines = 0;
  }
  json_decref(r.before);
  hysi_journal_lines_free(&lines);
  return HYS_OK;
}
