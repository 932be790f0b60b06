#include "tests/conform/tricky.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/check.h"

static void put(char *out, size_t *n, const char *text) {
  const size_t length = strlen(text);
  memcpy(out + *n, text, length + 1);
  *n += length;
}

static void put_escaped(char *out, size_t *n, const char *text) {
  for (; *text != '\0'; text++) {
    const char one[2] = {*text, '\0'};
    put(out, n, *text == '<' ? "&lt;" : *text == '&' ? "&amp;" : one);
  }
}

uint32_t tricky_column(const char *text, uint32_t column) {
  uint32_t moved = column;
  for (uint32_t i = 1; i < column && text[i - 1] != '\0'; i++)
    moved += text[i - 1] == '<' ? 3 : text[i - 1] == '&' ? 4 : 0;
  return moved;
}

char *tricky_model(hys_arena *arena, uint32_t line, const char *text) {
  static const char *const head =
      "<sspaceex version=\"0.2\" math=\"SpaceEx\">\n<component id=\"c\">\n"
      "<param name=\"x\" type=\"real\" d1=\"1\" d2=\"1\" local=\"false\" dynamics=\"any\"/>\n"
      "<param name=\"y\" type=\"real\" d1=\"1\" d2=\"1\" local=\"false\" dynamics=\"any\"/>\n"
      "<param name=\"k\" type=\"real\" d1=\"1\" d2=\"1\" local=\"false\" dynamics=\"const\"/>\n"
      "<param name=\"u\" type=\"real\" d1=\"1\" d2=\"1\" local=\"false\" dynamics=\"any\" "
      "controlled=\"false\"/>\n"
      "<param name=\"go\" type=\"label\" local=\"false\"/>\n"
      "<location id=\"1\" name=\"on\"><invariant>\n";
  static const struct {
    uint32_t line;
    const char *text, *behind;
  } parts[] = {{TRICKY_INVARIANT, "-1 <= u <= 1 & -9 <= y <= 9", "\n</invariant><flow>\n"},
               {TRICKY_FLOW, "x' == 1",
                "\n</flow></location>\n<transition source=\"1\" target=\"1\">"
                "<label>go</label><guard>\n"},
               {TRICKY_GUARD, "x + y + k >= 0", "\n</guard><assignment>\n"},
               {TRICKY_ASSIGNMENT, "x := 0", "\n</assignment></transition>\n</component></sspaceex>\n"}};
  char *out = hys_arena_alloc(arena, 8 * strlen(text) + 4096, 1);
  size_t n = 0;

  if (out == NULL)
    return NULL;
  put(out, &n, head);
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
    put_escaped(out, &n, parts[i].line == line ? text : parts[i].text);
    put(out, &n, parts[i].behind);
  }
  return out;
}

bool tricky_read(tricky_world *w, const char *xml, size_t size, const char *cfg, const char *file,
                 const tricky_said *want) {
  const hys_diagnostic *d = NULL;
  bool good;
  hys_status status;

  w->model = NULL;
  w->automaton = NULL;
  if (w->arena == NULL)
    w->arena = hys_arena_create(NULL);
  hys_diagnostics_init(&w->said, w->arena);
  status = hys_model_read_memory(&w->model, xml, size, "m.xml", cfg, cfg != NULL ? strlen(cfg) : 0, "m.cfg",
                                 NULL, w->arena, &w->said);
  const bool wrong = want->text != NULL && want->severity == HYS_ERROR;
  if (wrong && status == HYS_ERR_LIMIT)
    status = HYS_ERR_INPUT;
  good = CHECK_INT(status, wrong ? HYS_ERR_INPUT : HYS_OK);
  good = CHECK_INT(w->said.errors + w->said.warnings, want->text != NULL ? 1 : 0) && good;
  for (uint32_t i = 0; i < w->said.n && d == NULL; i++) {
    if (w->said.item[i].severity != HYS_NOTE)
      d = &w->said.item[i];
  }
  if (d != NULL && want->text != NULL) {
    good = CHECK_STR(d->text, want->text) && good;
    good = CHECK_INT(d->severity, want->severity) && good;
    good = CHECK_STR(d->file, file) && good;
    good = CHECK_INT(d->line, want->line) && good;
    good = CHECK_INT(d->column, want->column) && good;
  }
  if (!good) {
    for (uint32_t i = 0; i < w->said.n; i++)
      printf("  %s:%u:%u %d: %s\n", w->said.item[i].file, w->said.item[i].line, w->said.item[i].column,
             (int)w->said.item[i].severity, w->said.item[i].text);
  }
  return good;
}

const hys_automaton *tricky_flatten(tricky_world *w) {
  if (w->model == NULL ||
      !CHECK_INT(hys_model_automaton(w->model, w->arena, &w->said, &w->automaton), HYS_OK)) {
    for (uint32_t i = 0; i < w->said.n; i++)
      printf("  %s:%u:%u: %s\n", w->said.item[i].file, w->said.item[i].line, w->said.item[i].column,
             w->said.item[i].text);
    return NULL;
  }
  return w->automaton;
}

void tricky_end(tricky_world *w) {
  hys_arena_destroy(w->arena);
  *w = (tricky_world){0};
}

bool tricky_near(hys_interval got, double want) {
  return (got.lo == want || got.hi == want) && nextafter(got.lo, HYSI_INF) >= got.hi;
}
