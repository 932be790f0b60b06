#include <stdio.h>
#include <string.h>

#include "models/expr_parse.h"

/* A piece of output that waits: text, or a node that stands under an operator of a certain strength. */
typedef struct item {
  const char *text;
  uint32_t node;
  uint8_t under; /* precedence that the node must exceed to stand without parentheses */
} item;

typedef struct printer {
  const hys_expr *e;
  hys_arena *arena;
  item *stack;
  size_t depth;
  char *out;
  size_t n, capacity;
  bool failed;
} printer;

static void put(printer *p, const char *text, size_t length) {
  if (p->failed)
    return;
  if (p->capacity - p->n <= length) {
    const size_t capacity = 2 * (p->capacity + length) + 64;
    char *grown = hys_arena_alloc(p->arena, capacity, 1);
    if (grown == NULL) {
      p->failed = true;
      return;
    }
    if (p->n > 0)
      memcpy(grown, p->out, p->n);
    p->out = grown;
    p->capacity = capacity;
  }
  memcpy(p->out + p->n, text, length);
  p->n += length;
}

static uint8_t strength(const hys_expr_node *k) {
  switch ((hys_expr_op)k->op) {
  case HYS_EXPR_OR:
    return 1;
  case HYS_EXPR_AND:
    return k->chain ? 4 : 2;
  case HYS_EXPR_NOT:
    return 3;
  case HYS_EXPR_LT:
  case HYS_EXPR_LE:
  case HYS_EXPR_GT:
  case HYS_EXPR_GE:
  case HYS_EXPR_EQ:
  case HYS_EXPR_NE:
  case HYS_EXPR_ASSIGN:
    return 4;
  case HYS_EXPR_ADD:
  case HYS_EXPR_SUB:
    return 5;
  case HYS_EXPR_MUL:
  case HYS_EXPR_DIV:
    return 6;
  case HYS_EXPR_NEG:
    return 7;
  case HYS_EXPR_POW:
    return 8;
  default:
    return 9;
  }
}

static const char *symbol(hys_expr_op op) {
  switch (op) {
  case HYS_EXPR_ADD:
    return " + ";
  case HYS_EXPR_SUB:
    return " - ";
  case HYS_EXPR_MUL:
    return "*";
  case HYS_EXPR_DIV:
    return "/";
  case HYS_EXPR_POW:
    return "^";
  case HYS_EXPR_LT:
    return " < ";
  case HYS_EXPR_LE:
    return " <= ";
  case HYS_EXPR_GT:
    return " > ";
  case HYS_EXPR_GE:
    return " >= ";
  case HYS_EXPR_EQ:
    return " == ";
  case HYS_EXPR_NE:
    return " != ";
  case HYS_EXPR_ASSIGN:
    return " := ";
  case HYS_EXPR_AND:
    return " & ";
  default:
    return " | ";
  }
}

static const char *function(hys_expr_op op) {
  static const char *const names[] = {"sin",  "cos",  "tan", "exp", "log", "sqrt",   "abs",
                                      "tanh", "atan", "min", "max", "lut", "reshape"};
  return op >= HYS_EXPR_SIN && op <= HYS_EXPR_RESHAPE ? names[op - HYS_EXPR_SIN] : "";
}

static void push_text(printer *p, const char *text) {
  p->stack[p->depth++] = (item){.text = text};
}
static void push_node(printer *p, uint32_t node, uint8_t under) {
  p->stack[p->depth++] = (item){.node = node, .under = under};
}

static void leaf(printer *p, const hys_expr_node *k) {
  char buffer[64];

  switch ((hys_expr_op)k->op) {
  case HYS_EXPR_TRUE:
    put(p, "true", 4);
    return;
  case HYS_EXPR_FALSE:
    put(p, "false", 5);
    return;
  default:
    break;
  }
  if (k->text != NULL) {
    put(p, k->text, k->length);
  } else if (k->op == HYS_EXPR_CONSTANT) {
    snprintf(buffer, sizeof buffer, "%.17g", hysi_expr_nearest(k));
    put(p, buffer, strlen(buffer));
  } else {
    snprintf(buffer, sizeof buffer, "x%u", k->a);
    put(p, buffer, strlen(buffer));
  }
  if (k->op == HYS_EXPR_PRIMED)
    put(p, "'", 1);
}

/* Pushes the parts of a node in reverse order. */
static void expand(printer *p, const hys_expr_node *k) {
  const hys_expr_op op = (hys_expr_op)k->op;
  const uint8_t own = strength(k);

  switch (op) {
  case HYS_EXPR_NONE:
  case HYS_EXPR_CONSTANT:
  case HYS_EXPR_VARIABLE:
  case HYS_EXPR_PRIMED:
  case HYS_EXPR_TRUE:
  case HYS_EXPR_FALSE:
  case HYS_EXPR_LOCATION:
    leaf(p, k);
    return;
  case HYS_EXPR_NEG: /* another minus needs no parentheses */
    push_node(p, k->a, (uint8_t)(own - 1));
    push_text(p, "-");
    return;
  case HYS_EXPR_NOT: /* its operand stands in parentheses always */
    push_node(p, k->a, UINT8_MAX);
    push_text(p, "!");
    return;
  case HYS_EXPR_LIST:
    push_node(p, k->b, 0);
    if (k->a != HYS_EXPR_NO_CHILD) {
      push_text(p, ", ");
      push_node(p, k->a, 0);
    }
    return;
  case HYS_EXPR_MATRIX:
    push_text(p, "]");
    push_node(p, k->a, 0);
    push_text(p, "[");
    return;
  default:
    break;
  }
  if (op >= HYS_EXPR_SIN && op <= HYS_EXPR_RESHAPE) {
    push_text(p, ")");
    if (op == HYS_EXPR_MIN || op == HYS_EXPR_MAX) {
      push_node(p, k->b, 0);
      push_text(p, ", ");
    }
    push_node(p, k->a, 0);
    push_text(p, "(");
    push_text(p, function(op));
    return;
  }
  if (op == HYS_EXPR_AND && k->chain) {
    const hys_expr_node *last = &p->e->node[k->b];
    push_node(p, last->b, 4);
    push_text(p, symbol((hys_expr_op)last->op));
    push_node(p, k->a, 1);
    return;
  }
  push_node(p, k->b, op == HYS_EXPR_POW ? (uint8_t)(own - 2) : own);
  push_text(p, symbol(op));
  push_node(p, k->a, op == HYS_EXPR_POW || own == 4 ? own : (uint8_t)(own - 1));
}

char *hysi_expr_print(const hys_expr *e, uint32_t root, hys_arena *arena) {
  printer p = {.e = e, .arena = arena};

  /* a node takes one item and pushes seven at most: name ( a , b ) and a closing parenthesis */
  p.stack = hys_arena_alloc(arena, 6 * ((size_t)e->n + 2), sizeof *p.stack);
  if (p.stack == NULL)
    return NULL;
  push_node(&p, root, 0);
  while (p.depth > 0 && !p.failed) {
    const item i = p.stack[--p.depth];
    const hys_expr_node *k;
    if (i.text != NULL) {
      put(&p, i.text, strlen(i.text));
      continue;
    }
    k = &e->node[i.node];
    if (k->grouped || strength(k) <= i.under) {
      put(&p, "(", 1);
      push_text(&p, ")");
    }
    expand(&p, k);
  }
  put(&p, "", 1);
  return p.failed ? NULL : p.out;
}
