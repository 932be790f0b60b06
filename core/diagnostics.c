#include "core/diagnostics.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { MAX_TEXT = 1024 };

void hys_diagnostics_init(hys_diagnostics *list, hys_arena *arena) {
  *list = (hys_diagnostics){.arena = arena};
}

static bool room(hys_diagnostics *list) {
  const uint32_t capacity = list->capacity == 0 ? 16 : 2 * list->capacity;
  hys_diagnostic *item;

  if (list->n < list->capacity)
    return true;
  if (list->n >= HYS_MAX_DIAGNOSTICS)
    return false;
  item = hys_arena_alloc(list->arena, capacity, sizeof *item);
  if (item == NULL)
    return false;
  if (list->n > 0)
    memcpy(item, list->item, list->n * sizeof *item);
  list->item = item;
  list->capacity = capacity;
  return true;
}

static const char *copy(hys_diagnostics *list, const char *text) {
  return text != NULL ? hys_arena_strdup(list->arena, text, strlen(text)) : NULL;
}

/* One line, and nothing in it that a terminal would obey. */
static void clean(char *text) {
  for (; *text != '\0'; text++) {
    if ((unsigned char)*text < 0x20 || *text == 0x7F)
      *text = ' ';
  }
}

/* A text that did not fit: ends in "..." and not inside a character. */
static void cut(char *text, size_t size) {
  size_t end = size - 4;

  while (end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80)
    end--;
  memcpy(text + end, "...", 4);
}

/* Where the next one goes; NULL: nowhere, then it is not worth writing out.  When the list is full an error
 * takes the place of the last that is none. */
static hys_diagnostic *place_for(hys_diagnostics *list, hys_severity severity) {
  if (list->n < HYS_MAX_DIAGNOSTICS)
    return room(list) ? &list->item[list->n++] : NULL;
  if (severity != HYS_ERROR || list->errors > HYS_MAX_DIAGNOSTICS)
    return NULL;
  for (uint32_t i = 0; i < list->n; i++) {
    if (list->item[i].severity != HYS_ERROR) {
      list->dropped++;
      return &list->item[i];
    }
  }
  return NULL;
}

void hys_diagnostics_add(hys_diagnostics *list, const hys_diagnostic *where, const char *format, ...) {
  static const hys_diagnostic nowhere = {.severity = HYS_ERROR};
  char text[MAX_TEXT];
  hys_diagnostic *d;
  va_list args;
  int length;

  if (where == NULL)
    where = &nowhere;
  if (where->severity == HYS_ERROR)
    list->errors++;
  if (where->severity == HYS_WARNING)
    list->warnings++;
  d = place_for(list, where->severity);
  if (d == NULL) {
    list->dropped++;
    return;
  }
  va_start(args, format);
  length = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (length < 0)
    text[0] = '\0';
  else if ((size_t)length >= sizeof text)
    cut(text, sizeof text);
  clean(text);
  *d = *where;
  d->file = copy(list, where->file);
  d->element = copy(list, where->element);
  d->text = copy(list, text);
  if (d->text == NULL)
    d->text = "(no memory for the text)";
  d->expected = copy(list, where->expected);
  d->found = copy(list, where->found);
  d->hint = copy(list, where->hint);
}

static int order(const hys_diagnostic *a, const hys_diagnostic *b) {
  const int file = strcmp(a->file != NULL ? a->file : "", b->file != NULL ? b->file : "");

  if (file != 0)
    return file;
  if (a->line != b->line)
    return a->line < b->line ? -1 : 1;
  return a->column != b->column ? (a->column < b->column ? -1 : 1) : 0;
}

/* By insertion: stable, and the list is short. */
void hys_diagnostics_sort(hys_diagnostics *list) {
  for (uint32_t i = 1; i < list->n; i++) {
    const hys_diagnostic d = list->item[i];
    uint32_t k = i;
    for (; k > 0 && order(&list->item[k - 1], &d) > 0; k--)
      list->item[k] = list->item[k - 1];
    list->item[k] = d;
  }
}
