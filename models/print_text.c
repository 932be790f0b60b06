/* Output, and formulas over flattened names. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "models/expr_parse.h"
#include "models/print_private.h"

/* ---- output ---- */

static void flush(hysi_out *out) {
  if (out->n > 0 && !out->failed)
    out->failed = !out->to->write(out->to->context, out->buffer, out->n);
  out->n = 0;
}

void hysi_put_bytes(hysi_out *out, const char *bytes, size_t n) {
  out->bytes += n;
  if (n > sizeof out->buffer - out->n)
    flush(out);
  if (n > sizeof out->buffer) {
    if (!out->failed)
      out->failed = !out->to->write(out->to->context, bytes, n);
    return;
  }
  memcpy(out->buffer + out->n, bytes, n);
  out->n += n;
}

void hysi_put(hysi_out *out, const char *text) {
  hysi_put_bytes(out, text, strlen(text));
}

void hysi_put_number(hysi_out *out, uint64_t number) {
  char text[24];

  snprintf(text, sizeof text, "%" PRIu64, number);
  hysi_put(out, text);
}

void hysi_put_xml(hysi_out *out, const char *text) {
  for (;;) {
    const size_t plain = strcspn(text, "&<>\"\r\n\t");
    hysi_put_bytes(out, text, plain);
    text += plain;
    switch (*text++) {
    case '&':
      hysi_put(out, "&amp;");
      break;
    case '<':
      hysi_put(out, "&lt;");
      break;
    case '>':
      hysi_put(out, "&gt;");
      break;
    case '"':
      hysi_put(out, "&quot;");
      break;
    case '\r':
      hysi_put(out, "&#13;");
      break;
    case '\n':
      hysi_put(out, "&#10;");
      break;
    case '\t':
      hysi_put(out, "&#9;");
      break;
    default:
      return;
    }
  }
}

hys_status hysi_put_end(hysi_out *out) {
  flush(out);
  return out->failed ? HYS_ERR_WRITE : HYS_OK;
}

/* ---- trees ---- */

static const hysi_binding *number_of(const hysi_rename *names, const hys_expr_node *k) {
  const hysi_binding *b;

  if (k->op != HYS_EXPR_VARIABLE || names->instance == NULL)
    return NULL;
  b = &names->instance->binding[k->a];
  return b->kind == HYSI_BOUND_NUMBER && b->map != NULL && b->map->number.n > 0 ? b : NULL;
}

static bool is_undeclared(const hys_expr_node *k) {
  const char c = k->op == HYS_EXPR_CONSTANT && k->text != NULL && k->length > 0 ? k->text[0] : '0';
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* A name of the network, or one of nobody. */
static bool rename_leaf(const hysi_rename *names, hys_expr_node *k) {
  uint32_t v = k->a;
  const char *text;

  if (is_undeclared(k)) {
    text = names->undeclared != NULL ? names->undeclared(names->context, k->text, k->length) : NULL;
    if (names->undeclared != NULL && text == NULL)
      return false;
    k->op = k->b != 0 ? HYS_EXPR_PRIMED : HYS_EXPR_VARIABLE;
    k->a = HYSI_NONE;
    if (text != NULL) {
      k->text = text;
      k->length = (uint32_t)strlen(text);
    }
    return true;
  }
  if ((k->op != HYS_EXPR_VARIABLE && k->op != HYS_EXPR_PRIMED) || names->network == NULL)
    return true;
  if (names->instance != NULL)
    v = hysi_variable_of(names->instance, k->a);
  k->a = v;
  if (v != HYSI_NONE) {
    k->text = names->network->variable[v].name;
    k->length = (uint32_t)strlen(k->text);
  }
  return true;
}

static bool has_children(const hys_expr_node *k) {
  return k->op != HYS_EXPR_CONSTANT && k->op != HYS_EXPR_VARIABLE && k->op != HYS_EXPR_PRIMED &&
         k->op != HYS_EXPR_LOCATION;
}

static hys_status flattened(const hysi_rename *names, const hys_expr *e, uint32_t root, hys_arena *arena,
                            hys_expr_node **out, uint32_t *count) {
  const uint32_t first = hys_expr_first(e, root);
  uint64_t n = (uint64_t)root - first + 1;
  hys_expr_node *node;
  uint32_t *place, to = 0;

  *out = NULL;
  *count = 0;
  for (uint32_t i = first; i <= root; i++) {
    const hysi_binding *b = number_of(names, &e->node[i]);
    n += b != NULL ? b->map->number.n - 1 : 0;
  }
  if (n >= UINT32_MAX)
    return HYS_ERR_LIMIT;
  node = hys_arena_alloc(arena, (size_t)n, sizeof *node);
  place = hys_arena_alloc(arena, (size_t)(root - first) + 1, sizeof *place);
  if (node == NULL || place == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t i = first; i <= root; i++) {
    const hysi_binding *b = number_of(names, &e->node[i]);
    hys_expr_node *k = &node[to];
    if (b != NULL) {
      const hys_expr *number = &b->map->number;
      for (uint32_t j = 0; j < number->n; j++) {
        k[j] = number->node[j];
        if (has_children(&k[j])) {
          k[j].a = k[j].a < j ? k[j].a + to : HYS_EXPR_NO_CHILD;
          k[j].b = k[j].b < j ? k[j].b + to : HYS_EXPR_NO_CHILD;
        }
      }
      to += number->n;
      node[to - 1].grouped = node[to - 1].grouped || node[to - 1].op != HYS_EXPR_CONSTANT;
    } else {
      *k = e->node[i];
      if (has_children(k)) {
        k->a = k->a >= first && k->a < i ? place[k->a - first] : HYS_EXPR_NO_CHILD;
        k->b = k->b >= first && k->b < i ? place[k->b - first] : HYS_EXPR_NO_CHILD;
      } else if (!rename_leaf(names, k)) {
        return HYS_ERR_MEMORY;
      }
      to++;
    }
    place[i - first] = to - 1;
  }
  *out = node;
  *count = to;
  return HYS_OK;
}

hys_status hysi_flattened_tree(const hysi_rename *names, const hys_expr *e, uint32_t root, hys_arena *arena,
                               hys_expr *out) {
  hys_expr_node *node;
  uint32_t n;
  const hys_status status = flattened(names, e, root, arena, &node, &n);

  *out = (hys_expr){node, n};
  return status;
}

hys_status hysi_formula_text(const hysi_rename *names, const hys_expr *e, uint32_t root, bool under_and,
                             hys_arena *arena, const char **text) {
  /* the tree and the printer's stack are many times the text: they live in an arena of their own */
  hys_arena *work;
  hys_expr_node *node;
  uint32_t n;
  hys_status status;

  *text = NULL;
  if (e->n == 0 || e->node[root].op == HYS_EXPR_TRUE)
    return HYS_OK;
  work = hys_arena_create(NULL);
  if (work == NULL)
    return HYS_ERR_MEMORY;
  status = flattened(names, e, root, work, &node, &n);
  if (status == HYS_OK) {
    const hys_expr tree = {node, n};
    node[n - 1].grouped = node[n - 1].grouped || (under_and && node[n - 1].op == HYS_EXPR_OR);
    const char *printed = hysi_expr_print(&tree, tree.n - 1, work);
    *text = printed != NULL ? hys_arena_strdup(arena, printed, strlen(printed)) : NULL;
    status = *text != NULL ? HYS_OK : HYS_ERR_MEMORY;
  }
  hys_arena_destroy(work);
  return status;
}
