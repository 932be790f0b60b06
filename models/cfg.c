#include "models/cfg.h"

#include <float.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "models/names.h"
#include "models/suggest.h"
#include "models/xml_bytes.h"

/* The place of every so many bytes: from there on it is counted. */
enum { MARK_BYTES = 128 };
struct hysi_cfg_mark {
  uint32_t line, column;
};

/* Keys of SpaceEx that steer its own analysis and mean nothing here. */
static const char *const other_keys[] = {"sampling-time",
                                         "scenario",
                                         "output-variables",
                                         "output-format",
                                         "directions",
                                         "iter-max",
                                         "rel-err",
                                         "abs-err",
                                         "set-aggregation",
                                         "flowpipe-tolerance",
                                         "flowpipe-tolerance-rel",
                                         "output-error",
                                         "clustering",
                                         "verbosity",
                                         "simu-init-sampling-points",
                                         "output-file",
                                         "zono.order",
                                         "zono.ntaylor",
                                         "additional-options",
                                         "map-zero-duration-jump-sets",
                                         "intersection-error",
                                         "linearization-error-factor",
                                         "domain-distance-factor",
                                         "model-file"};
static const char *const own_keys[] = {"system", "initially", "forbidden", "time-horizon"};
enum {
  N_OTHER_KEYS = sizeof other_keys / sizeof other_keys[0],
  N_OWN_KEYS = sizeof own_keys / sizeof own_keys[0]
};

typedef struct reader {
  hysi_cfg *cfg;
  hys_arena *arena;
  hys_diagnostics *diagnostics;
  size_t at;
  bool without_effect[N_OTHER_KEYS]; /* found, for one note */
  size_t first_without_effect;       /* its place, if any */
} reader;

static void advance(const hysi_cfg *cfg, size_t from, size_t to, uint32_t *line, uint32_t *column) {
  for (size_t i = from; i < to && i < cfg->size; i++) {
    const unsigned char b = (unsigned char)cfg->bytes[i];
    if (b == '\n') {
      ++*line;
      *column = 1;
    } else if ((b & 0xC0) != 0x80) {
      ++*column;
    }
  }
}

static bool make_marks(hysi_cfg *cfg, hys_arena *arena) {
  const size_t n = cfg->size / MARK_BYTES + 1;
  struct hysi_cfg_mark at = {1, 1};

  cfg->mark = hys_arena_alloc(arena, n, sizeof *cfg->mark);
  for (size_t i = 0; cfg->mark != NULL && i < n; i++) {
    cfg->mark[i] = at;
    advance(cfg, i * MARK_BYTES, (i + 1) * MARK_BYTES, &at.line, &at.column);
  }
  return cfg->mark != NULL;
}

static void place(const hysi_cfg *cfg, size_t offset, uint32_t *line, uint32_t *column) {
  const size_t i = (offset < cfg->size ? offset : cfg->size) / MARK_BYTES;

  *line = cfg->mark[i].line;
  *column = cfg->mark[i].column;
  advance(cfg, i * MARK_BYTES, offset, line, column);
}

void hysi_cfg_place(const void *context, size_t offset, uint32_t *line, uint32_t *column) {
  const hysi_cfg_text *text = context;
  place(text->cfg, text->start + offset, line, column);
}

static void report(reader *r, hys_severity severity, size_t offset, const char *format, const char *a,
                   size_t n, const char *b) {
  hys_diagnostic where = {.severity = severity, .file = r->cfg->file};
  char text[256];

  place(r->cfg, offset, &where.line, &where.column);
  snprintf(text, sizeof text, "%.*s", (int)(n > 100 ? 100 : n), a);
  if (strcmp(format, "key") == 0)
    hys_diagnostics_add(r->diagnostics, &where, "key `%s' %s", text, b);
  else
    hys_diagnostics_add(r->diagnostics, &where, "%s", b);
}

static void complain(reader *r, hys_severity severity, size_t offset, const char *message) {
  report(r, severity, offset, "", "", 0, message);
}

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

static char peek(const reader *r, size_t offset) {
  return offset < r->cfg->size ? r->cfg->bytes[offset] : '\n';
}

static void skip_blanks(reader *r) {
  while (r->at < r->cfg->size && is_blank(peek(r, r->at)))
    r->at++;
}

static void skip_line(reader *r) {
  while (r->at < r->cfg->size && peek(r, r->at) != '\n')
    r->at++;
  if (r->at < r->cfg->size)
    r->at++;
}

/* Reads a value; `at` is then behind its line.  false: reported. */
static bool read_value(reader *r, hysi_cfg_value *value) {
  size_t from, to;

  skip_blanks(r);
  from = r->at;
  if (r->at < r->cfg->size && peek(r, from) == '"') {
    const char *end = memchr(r->cfg->bytes + from + 1, '"', r->cfg->size - from - 1);
    if (end == NULL) {
      complain(r, HYS_ERROR, from, "this quote is not closed");
      r->at = r->cfg->size;
      return false;
    }
    *value = (hysi_cfg_value){r->cfg->bytes + from + 1, (size_t)(end - r->cfg->bytes) - from - 1};
    r->at = (size_t)(end - r->cfg->bytes) + 1;
    skip_blanks(r);
    if (peek(r, r->at) == ';') {
      r->at++;
      skip_blanks(r);
    }
    if (peek(r, r->at) != '\n' && peek(r, r->at) != '#')
      complain(r, HYS_ERROR, r->at, "expected the end of the line behind a quoted value");
    skip_line(r);
    return true;
  }
  for (to = from; to < r->cfg->size && peek(r, to) != '\n' && peek(r, to) != '#'; to++) {
  }
  r->at = to;
  skip_line(r);
  while (to > from && (is_blank(peek(r, to - 1)) || peek(r, to - 1) == ';'))
    to--;
  *value = (hysi_cfg_value){r->cfg->bytes + from, to - from};
  return true;
}

static bool is_key(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.';
}

static bool key_is(const char *key, size_t length, const char *name) {
  return strlen(name) == length && strncasecmp(key, name, length) == 0;
}

static void read_time_horizon(reader *r, const hysi_cfg_value *value) {
  hys_interval t;
  const size_t n = hys_interval_from_decimal(value->text, value->length, &t);
  const size_t at = (size_t)(value->text - r->cfg->bytes);

  if (n == 0 || n != value->length)
    complain(r, HYS_ERROR, at, "time-horizon is not a number");
  else if (!(t.lo >= 0.0 && t.hi <= DBL_MAX))
    complain(r, HYS_ERROR, at, "time-horizon must be a number of seconds, not negative");
  else
    r->cfg->time_horizon = t.hi;
}

static void other_key(reader *r, size_t at, const char *key, size_t length) {
  const char *near;
  char copy[64], message[128];

  for (size_t i = 0; i < N_OTHER_KEYS; i++) {
    if (!key_is(key, length, other_keys[i]))
      continue;
    r->without_effect[i] = true;
    if (r->first_without_effect == SIZE_MAX)
      r->first_without_effect = at;
    return;
  }
  snprintf(copy, sizeof copy, "%.*s", (int)(length > 63 ? 63 : length), key);
  near = hysi_suggest(copy, own_keys, N_OWN_KEYS);
  if (near == NULL)
    near = hysi_suggest(copy, other_keys, N_OTHER_KEYS);
  snprintf(message, sizeof message, "is not known; it has no effect%s%s%s",
           near != NULL ? "; did you mean `" : "", near != NULL ? near : "", near != NULL ? "'?" : "");
  report(r, HYS_WARNING, at, "key", key, length, message);
}

/* One note for all of them: they are in every configuration that SpaceEx wrote. */
static void note_without_effect(reader *r) {
  hys_diagnostic where = {.severity = HYS_NOTE, .file = r->cfg->file};
  char text[640] = "";
  size_t used = 0;

  for (size_t i = 0; i < N_OTHER_KEYS; i++) {
    const int put = r->without_effect[i] ? snprintf(text + used, sizeof text - used, "%s%s",
                                                    used > 0 ? ", " : "", other_keys[i])
                                         : 0;
    used += put > 0 && used + (size_t)put < sizeof text ? (size_t)put : 0;
  }
  place(r->cfg, r->first_without_effect, &where.line, &where.column);
  hys_diagnostics_add(r->diagnostics, &where, "without effect here: %s", text);
}

static hys_status keep_line(reader *r, size_t from, size_t to, hysi_cfg_value value) {
  hysi_cfg *cfg = r->cfg;
  hysi_cfg_entry *e =
      hysi_grow(r->arena, cfg->entry, cfg->n_entries, &cfg->entries_capacity, sizeof *cfg->entry);

  if (e == NULL)
    return HYS_ERR_MEMORY;
  cfg->entry = e;
  e[cfg->n_entries++] =
      (hysi_cfg_entry){{cfg->bytes + from, to - from}, value, value.text[-1] == '"'}; /* a key is before it */
  return HYS_OK;
}

static hys_status read_line(reader *r) {
  hysi_cfg_value *slot = NULL;
  hysi_cfg_value value = {0}, horizon = {0};
  size_t from, to;

  skip_blanks(r);
  if (r->at >= r->cfg->size)
    return HYS_OK;
  from = r->at;
  if (peek(r, from) == '\n' || peek(r, from) == '#') {
    skip_line(r);
    return HYS_OK;
  }
  if (peek(r, from) == '[') {
    complain(r, HYS_WARNING, from, "sections mean nothing here; this line is ignored");
    skip_line(r);
    return HYS_OK;
  }
  for (to = from; to < r->cfg->size && is_key(peek(r, to)); to++) {
  }
  for (r->at = to; is_blank(peek(r, r->at)); r->at++) {
  }
  if (peek(r, r->at) != '=' || to == from) {
    complain(r, HYS_ERROR, from, "expected a line `key = value'");
    skip_line(r);
    return HYS_OK;
  }
  r->at++;
  if (!read_value(r, &value))
    return HYS_OK;
  if (keep_line(r, from, to, value) != HYS_OK)
    return HYS_ERR_MEMORY;
  const char *key = r->cfg->bytes + from;
  const size_t length = to - from;
  if (key_is(key, length, "system"))
    slot = &r->cfg->system;
  else if (key_is(key, length, "initially"))
    slot = &r->cfg->initially;
  else if (key_is(key, length, "forbidden"))
    slot = &r->cfg->forbidden;
  else if (key_is(key, length, "time-horizon"))
    slot = &horizon;
  else
    other_key(r, from, key, length);
  if (slot == NULL)
    return HYS_OK;
  if (slot->text != NULL || (slot == &horizon && r->cfg->time_horizon > 0.0))
    report(r, HYS_WARNING, from, "key", key, length, "is there twice; the last one counts");
  *slot = value;
  if (slot == &horizon)
    read_time_horizon(r, &value);
  return HYS_OK;
}

hys_status hysi_cfg_read(hysi_cfg *cfg, const char *bytes, size_t size, const char *file, hys_arena *arena,
                         hys_diagnostics *diagnostics) {
  reader r = {.cfg = cfg, .arena = arena, .diagnostics = diagnostics, .first_without_effect = SIZE_MAX};
  hys_status status;

  *cfg = (hysi_cfg){.file = file};
  status = hysi_text_utf8(&cfg->bytes, &cfg->size, bytes, size, file, arena, diagnostics);
  if (status != HYS_OK) {
    cfg->bytes = "";
    cfg->size = 0;
  }
  if (status == HYS_ERR_MEMORY || !make_marks(cfg, arena))
    return HYS_ERR_MEMORY;
  while (r.at < cfg->size)
    if (read_line(&r) != HYS_OK)
      return HYS_ERR_MEMORY;
  if (r.first_without_effect != SIZE_MAX)
    note_without_effect(&r);
  return HYS_OK;
}
