/* Which elements and attributes a shield file has, as a table, and the walk that holds a file against it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "models/shield_reader.h"
#include "models/suggest.h"

enum { MAX_ATTRIBUTES = 11, MAX_CHILDREN = 8, MESSAGE = 1024, FOUND = 80 };

typedef struct element_rule {
  const char *name, *parent;
  bool needed, repeats, text;
  const char *attribute[MAX_ATTRIBUTES]; /* "!name": has to be there */
} element_rule;

/* A parent stands before its children.  Two elements of one name have different parents. */
static const element_rule rules[] = {
    {"shield", "", true, false, false, {"!version", "!name"}},
    {"model", "shield", true, false, false, {"!file", "config", "system"}},
    {"timing",
     "shield",
     true,
     false,
     false,
     {"!trigger", "!period", "!deadline", "compute-min", "!actuation-min", "!actuation-max", "!timer-late",
      "!stamp-error", "order"}},
    {"observe", "shield", true, false, false, {NULL}},
    {"variable", "observe", false, true, false, {"!name", "!unit", "!error", "!stale", "min", "max"}},
    {"derived", "observe", false, true, true, {"!name", "!unit"}},
    {"unobserved", "observe", false, true, false, {"!name", "!unit", "!min", "!max"}},
    {"mode", "observe", false, true, false, {"!instance", "!from"}},
    {"commands", "shield", true, false, false, {NULL}},
    {"command",
     "commands",
     true,
     true,
     false,
     {"!label", "edits", "!insert", "validity", "priority", "otherwise", "channel"}},
    {"value", "command", false, false, false, {"!variable", "!unit", "!min", "!max", "step"}},
    {"events", "shield", false, false, false, {NULL}},
    {"event", "events", false, true, false, {"!label", "!latency"}},
    {"value", "event", false, true, false, {"!variable", "!unit", "!error"}},
    {"fallback", "shield", true, false, false, {"command", "value", "cycle", "!latch"}},
    {"terminal", "shield", true, false, false, {"find"}},
    {"set", "terminal", false, true, true, {"instance", "location"}},
    {"cycle", "terminal", false, false, false, {"!length"}},
    {"insert", "cycle", true, true, false, {"!command", "!at", "value"}},
    {"limits",
     "shield",
     true,
     false,
     false,
     {"!insertions-per-second", "!burst", "!queue", "!plan-length", "!horizon", "!locations"}},
};
enum { RULES = sizeof rules / sizeof rules[0] };

/* ---- messages ---- */

/* A text from the file as one short line. */
static void show(char out[FOUND], const char *text) {
  size_t n = 0, length = strlen(text);
  while (length > 0 && strchr(" \t\n\r", text[length - 1]) != NULL)
    length--;
  for (; n < length && n + 4 < FOUND; n++)
    out[n] = (unsigned char)text[n] < 0x20 || (unsigned char)text[n] == 0x7F ? '?' : text[n];
  if (n < length) {
    while (n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80) /* not in the middle of a character */
      n--;
    memcpy(out + n, "...", 3);
    n += 3;
  }
  out[n] = '\0';
}

void hysi_shield_say(hysi_shield_reader *r, const hysi_problem *problem, const char *format, ...) {
  char text[MESSAGE], found[FOUND];
  va_list args;
  int n;
  size_t at;
  hys_diagnostic where = {.severity = problem->severity == HYS_NOTE ? HYS_ERROR : problem->severity,
                          .file = r->path,
                          .line = problem->line,
                          .column = problem->column,
                          .expected = problem->expected,
                          .hint = problem->hint};

  if (problem->at != NULL) {
    where.element = problem->at->name;
    if (where.line == 0) {
      where.line = problem->at->line;
      where.column = problem->at->column;
    }
  }
  va_start(args, format);
  n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  at = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
  if (problem->expected != NULL && at < sizeof text) {
    n = snprintf(text + at, sizeof text - at, "; expected %s", problem->expected);
    at += n < 0 ? 0 : (size_t)n;
  }
  if (problem->found != NULL && at < sizeof text) {
    show(found, problem->found);
    where.found = found;
    n = snprintf(text + at, sizeof text - at, "%s found \"%s\"", problem->expected != NULL ? "," : ";",
                 found);
    at += n < 0 ? 0 : (size_t)n;
  }
  if (problem->hint != NULL && at < sizeof text)
    snprintf(text + at, sizeof text - at, " (%s)", problem->hint);
  hys_diagnostics_add(r->said, &where, "%s", text);
}

void hysi_shield_not_yet(hysi_shield_reader *r, const hysi_xml_element *e, const char *what,
                         const char *hint) {
  hysi_shield_say(r, &(hysi_problem){.at = e, .hint = hint}, "%s is not enforced by this version", what);
  r->unsupported++;
}

void *hysi_shield_alloc(hysi_shield_reader *r, size_t n, size_t size) {
  void *memory = hys_arena_alloc(r->arena, n > 0 ? n : 1, size);
  if (memory == NULL)
    r->status = HYS_ERR_MEMORY;
  return memory;
}

const char *hysi_shield_did_you_mean(hysi_shield_reader *r, const char *name, const char *const *candidate,
                                     size_t n) {
  const char *best = hysi_suggest(name, candidate, n);
  if (best == NULL)
    return NULL;
  const size_t size = strlen(best) + 32;
  char *text = hysi_shield_alloc(r, size, 1);
  if (text != NULL)
    snprintf(text, size, "did you mean \"%s\"?", best);
  return text;
}

const char *hysi_shield_one_of(hysi_shield_reader *r, const char *const *name, size_t n) {
  enum { SHOWN = 12 };
  size_t size = 16, at = 0;
  char *text;

  if (n == 0)
    return NULL;
  for (size_t i = 0; i < n && i < SHOWN; i++)
    size += strlen(name[i]) + 4;
  text = hysi_shield_alloc(r, size, 1);
  for (size_t i = 0; text != NULL && i < n && i < SHOWN; i++) {
    const bool last = i + 1 == n;
    at += (size_t)snprintf(text + at, size - at, "%s%s", i == 0 ? "" : last ? " or " : ", ", name[i]);
  }
  if (text != NULL && n > SHOWN)
    snprintf(text + at, size - at, ", ...");
  return text;
}

void hysi_shield_place(const void *text, size_t offset, uint32_t *line, uint32_t *column) {
  hysi_xml_place(text, offset, line, column);
}

/* ---- children ---- */

const hysi_xml_element *hysi_shield_next(const hysi_xml_element *element, const char *name) {
  const hysi_xml_element *e = element->next;
  while (e != NULL && strcmp(e->name, name) != 0)
    e = e->next;
  return e;
}

const hysi_xml_element *hysi_shield_child(const hysi_xml_element *parent, const char *name) {
  const hysi_xml_element *e = parent != NULL ? parent->first : NULL;
  return e == NULL || strcmp(e->name, name) == 0 ? e : hysi_shield_next(e, name);
}

size_t hysi_shield_count(const hysi_xml_element *parent, const char *name) {
  size_t n = 0;
  for (const hysi_xml_element *e = hysi_shield_child(parent, name); e != NULL; e = hysi_shield_next(e, name))
    n++;
  return n;
}

/* ---- the walk ---- */

static const element_rule *rule_of(const char *name, const char *parent) {
  for (size_t i = 0; i < RULES; i++) {
    if (strcmp(rules[i].name, name) == 0 && strcmp(rules[i].parent, parent) == 0)
      return &rules[i];
  }
  return NULL;
}

static size_t children_of(const element_rule *parent, const char *name[MAX_CHILDREN]) {
  size_t n = 0;
  for (size_t i = 0; i < RULES && n < MAX_CHILDREN; i++) {
    if (strcmp(rules[i].parent, parent->name) == 0 && &rules[i] != parent)
      name[n++] = rules[i].name;
  }
  return n;
}

static void check_attributes(hysi_shield_reader *r, const hysi_xml_element *e, const element_rule *rule) {
  const char *known[MAX_ATTRIBUTES];
  size_t n = 0;

  for (size_t k = 0; k < MAX_ATTRIBUTES && rule->attribute[k] != NULL; k++)
    known[n++] = rule->attribute[k] + (rule->attribute[k][0] == '!');
  for (size_t i = 0; i < e->n_attributes; i++) {
    const hysi_xml_attribute *a = &e->attribute[i];
    bool found = false;
    for (size_t k = 0; k < n; k++)
      found = found || (a->space == NULL && strcmp(known[k], a->name) == 0);
    if (!found) {
      const char *hint = hysi_shield_did_you_mean(r, a->name, known, n);
      hysi_shield_say(r,
                      &(hysi_problem){.at = e,
                                      .expected = n > 0 ? hysi_shield_one_of(r, known, n) : "none",
                                      .hint = hint},
                      "unknown attribute \"%s\" of <%s>", a->name, e->name);
    } else if (strlen(a->value) > HYS_MAX_ATTRIBUTE_LENGTH) {
      hysi_shield_say(r, &(hysi_problem){.at = e},
                      "the value of \"%s\" is longer than %d bytes "
                      "(HYS_MAX_ATTRIBUTE_LENGTH)",
                      a->name, HYS_MAX_ATTRIBUTE_LENGTH);
    }
  }
  for (size_t k = 0; k < n; k++) {
    if (rule->attribute[k][0] == '!' && hysi_xml_attribute_value(e, known[k]) == NULL)
      hysi_shield_say(r, &(hysi_problem){.at = e}, "<%s> lacks the attribute \"%s\"", e->name, known[k]);
  }
}

static void check_children(hysi_shield_reader *r, const hysi_xml_element *e, const element_rule *parent) {
  for (size_t i = 0; i < RULES; i++) {
    const element_rule *child = &rules[i];
    if (strcmp(child->parent, parent->name) != 0)
      continue;
    const hysi_xml_element *first = hysi_shield_child(e, child->name);
    if (first == NULL && child->needed)
      hysi_shield_say(r, &(hysi_problem){.at = e}, "<%s> lacks the element <%s>", e->name, child->name);
    if (first != NULL && !child->repeats && hysi_shield_next(first, child->name) != NULL)
      hysi_shield_say(r, &(hysi_problem){.at = hysi_shield_next(first, child->name)},
                      "<%s> is there twice in <%s>; the first is in line %u", child->name, e->name,
                      (unsigned)first->line);
  }
}

static void check_text(hysi_shield_reader *r, const hysi_xml_element *e, const element_rule *rule) {
  size_t blank = 0;
  uint32_t line, column;

  if (rule->text || e->text.length == 0)
    return;
  while (blank < e->text.length && strchr(" \t\n", e->text.bytes[blank]) != NULL)
    blank++;
  hysi_xml_place(&e->text, blank, &line, &column);
  hysi_shield_say(r, &(hysi_problem){.at = e, .line = line, .column = column, .found = e->text.bytes + blank},
                  "<%s> holds no text", e->name);
}

void hysi_shield_structure(hysi_shield_reader *r, const hysi_xml_element *root) {
  const element_rule *at[HYS_XML_MAX_DEPTH]; /* rules of the open elements */
  const hysi_xml_element *e = root;
  size_t depth = 0;

  at[0] = &rules[0];
  while (e != NULL) {
    const element_rule *rule = at[depth];
    if (rule != NULL) {
      check_attributes(r, e, rule);
      check_children(r, e, rule);
      check_text(r, e, rule);
    }
    const hysi_xml_element *next = rule != NULL ? e->first : NULL; /* nothing is known inside the unknown */
    if (next != NULL) {
      depth++;
    } else {
      while (e != root && e->next == NULL) {
        e = e->parent;
        depth--;
      }
      next = e == root ? NULL : e->next;
    }
    e = next;
    if (e == NULL)
      break;
    at[depth] = NULL;
    const bool ours = e->space != NULL && strcmp(e->space, HYS_SHIELD_NAMESPACE) == 0;
    if (ours || root->space == NULL || strcmp(root->space, HYS_SHIELD_NAMESPACE) != 0)
      at[depth] = rule_of(e->name, at[depth - 1]->name);
    if (at[depth] == NULL) {
      const char *known[MAX_CHILDREN];
      const size_t n = children_of(at[depth - 1], known);
      const char *hint = hysi_shield_did_you_mean(r, e->name, known, n);
      hysi_shield_say(r,
                      &(hysi_problem){.at = e,
                                      .expected = n > 0 ? hysi_shield_one_of(r, known, n) : "nothing",
                                      .hint = hint},
                      "unknown element <%s> in <%s>", e->name, e->parent->name);
    }
  }
}
