#include "models/expr_parse.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/expr_parser.h"
#include "models/suggest.h"

/* What waits on the stack of operators besides the operators of the tree. */
enum { OP_PLUS = 200, OP_PAREN, OP_CALL, OP_BRACKET };

enum {
  PRECEDENCE_OPEN,
  PRECEDENCE_OR,
  PRECEDENCE_AND,
  PRECEDENCE_NOT,
  PRECEDENCE_RELATION,
  PRECEDENCE_SUM,
  PRECEDENCE_PRODUCT,
  PRECEDENCE_SIGN,
  PRECEDENCE_POWER
};

typedef hysi_pending pending;
typedef hysi_parser parser;

static const struct function {
  const char *name;
  uint8_t op;
  uint8_t min_arguments, max_arguments; /* 0: any number */
} functions[] = {
    {"sin", HYS_EXPR_SIN, 1, 1},         {"cos", HYS_EXPR_COS, 1, 1},   {"tan", HYS_EXPR_TAN, 1, 1},
    {"exp", HYS_EXPR_EXP, 1, 1},         {"log", HYS_EXPR_LOG, 1, 1},   {"sqrt", HYS_EXPR_SQRT, 1, 1},
    {"abs", HYS_EXPR_ABS, 1, 1},         {"tanh", HYS_EXPR_TANH, 1, 1}, {"atan", HYS_EXPR_ATAN, 1, 1},
    {"min", HYS_EXPR_MIN, 2, 2},         {"max", HYS_EXPR_MAX, 2, 2},   {"lut", HYS_EXPR_LUT, 3, 0},
    {"reshape", HYS_EXPR_RESHAPE, 2, 0},
};
enum { N_FUNCTIONS = sizeof functions / sizeof functions[0] };

static hys_diagnostic place(const parser *p, size_t offset, hys_severity severity) {
  hys_diagnostic where = {.severity = severity, .file = p->source->file, .element = p->source->element};
  p->source->place(p->source->place_context, offset, &where.line, &where.column);
  return where;
}

__attribute__((format(printf, 3, 0))) static void say(parser *p, const hys_diagnostic *where,
                                                      const char *format, va_list args) {
  char text[400];

  if (p->status != HYS_OK)
    return;
  vsnprintf(text, sizeof text, format, args);
  hys_diagnostics_add(p->diagnostics, where, "%s", text);
  p->status = HYS_ERR_INPUT;
}

void hysi_parser_fail(parser *p, size_t offset, const char *format, ...) {
  const hys_diagnostic where = place(p, offset, HYS_ERROR);
  va_list args;

  va_start(args, format);
  say(p, &where, format, args);
  va_end(args);
}

void hysi_parser_fail_at(parser *p, uint32_t node, const char *format, ...) {
  hys_diagnostic where = place(p, 0, HYS_ERROR);
  va_list args;

  where.line = p->node[node].line;
  where.column = p->node[node].column;
  va_start(args, format);
  say(p, &where, format, args);
  va_end(args);
}

/* ---- tokens ---- */

/* Part of the text for a message: one token, short. */
static const char *shown(const parser *p, const hysi_token *t, char *buffer, size_t size) {
  if (t->kind == HYSI_TOKEN_END)
    return "the end of the text";
  snprintf(buffer, size, "`%.*s'", (int)(t->length > 40 ? 40 : t->length), p->source->text + t->offset);
  return buffer;
}

static hysi_token next_token(parser *p) {
  const hysi_token t = hysi_token_next(&p->lexer);

  if (t.kind == HYSI_TOKEN_BAD)
    hysi_parser_fail(p, t.offset, "%s", p->lexer.message);
  return t;
}

/* ---- the tree ---- */

uint32_t hysi_parser_add(parser *p, uint8_t op, uint32_t a, uint32_t b, size_t offset) {
  hys_expr_node *k;

  if (p->n == p->capacity) {
    const uint32_t capacity = p->capacity == 0 ? (uint32_t)(p->source->length / 3 + 8) : 2 * p->capacity;
    hys_expr_node *grown = hys_arena_alloc(p->arena, capacity, sizeof *grown);
    if (grown == NULL) {
      p->status = HYS_ERR_MEMORY;
      return 0;
    }
    if (p->n > 0)
      memcpy(grown, p->node, p->n * sizeof *grown);
    p->node = grown;
    p->capacity = capacity;
  }
  k = &p->node[p->n];
  *k = (hys_expr_node){.op = op, .a = a, .b = b};
  p->source->place(p->source->place_context, offset, &k->line, &k->column);
  return p->n++;
}

static void push_value(parser *p, uint32_t node) {
  if (p->n_values < sizeof p->values / sizeof p->values[0])
    p->values[p->n_values++] = node;
  else
    p->status = HYS_ERR_LIMIT;
}

static void push_operator(parser *p, pending op) {
  if (p->n_ops == HYS_MAX_EXPR_DEPTH) {
    hysi_parser_fail(p, op.offset,
                     "more than %d operators and parentheses are open here (HYS_MAX_EXPR_DEPTH)",
                     HYS_MAX_EXPR_DEPTH);
    return;
  }
  p->ops[p->n_ops++] = op;
}

static bool is_truth(const parser *p, uint32_t node) {
  return hys_expr_op_is_truth((hys_expr_op)p->node[node].op);
}

static bool is_list(const parser *p, uint32_t node) {
  return p->node[node].op == HYS_EXPR_MATRIX || p->node[node].op == HYS_EXPR_RESHAPE;
}

static void need_number(parser *p, uint32_t node) {
  if (is_truth(p, node))
    hysi_parser_fail_at(p, node, "a number is expected here, this is a condition");
  else if (is_list(p, node))
    hysi_parser_fail_at(p, node, "a list in brackets is no number: it belongs into lut() or reshape()");
}

static void need_truth(parser *p, uint32_t node) {
  if (!is_truth(p, node))
    hysi_parser_fail_at(p, node,
                        "a condition is expected here (a comparison, true or false), this is a number");
}

static void warn(parser *p, size_t offset, const char *message) {
  const hys_diagnostic where = place(p, offset, HYS_WARNING);
  hys_diagnostics_add(p->diagnostics, &where, "%s", message);
}

/* Takes the operator on top of the stack and its operands, and puts the result in their place. */
static void reduce(parser *p) {
  const pending op = p->ops[--p->n_ops];
  uint32_t a, b, made;

  if (op.op == HYS_EXPR_NEG || op.op == OP_PLUS || op.op == HYS_EXPR_NOT) {
    a = p->values[--p->n_values];
    if (op.op == HYS_EXPR_NOT)
      need_truth(p, a);
    else
      need_number(p, a);
    if (p->status != HYS_OK)
      return;
    if (op.op == HYS_EXPR_NEG && p->node[a].op == HYS_EXPR_POW && !p->node[a].grouped)
      warn(p, op.offset, "a minus before a power is read as -(x^y); parentheses would say so");
    push_value(p, op.op == OP_PLUS ? a : hysi_parser_add(p, op.op, a, 0, op.offset));
    return;
  }
  b = p->values[--p->n_values];
  a = p->values[--p->n_values];
  if (op.op == HYS_EXPR_AND || op.op == HYS_EXPR_OR) {
    need_truth(p, a);
    need_truth(p, b);
  } else {
    need_number(p, a);
    need_number(p, b);
  }
  if (p->status != HYS_OK)
    return;
  if (op.op == HYS_EXPR_POW && p->node[b].op == HYS_EXPR_POW && !p->node[b].grouped)
    warn(p, op.offset, "x^y^z is read as x^(y^z); parentheses would say so");
  made = hysi_parser_add(p, op.op, a, b, op.offset);
  if (op.chain && p->status == HYS_OK) {
    made = hysi_parser_add(p, HYS_EXPR_AND, p->values[--p->n_values], made, op.offset);
    if (p->status == HYS_OK)
      p->node[made].chain = true;
  }
  push_value(p, made);
}

static void reduce_above(parser *p, uint8_t precedence) {
  while (p->status == HYS_OK && p->n_ops > 0 && p->ops[p->n_ops - 1].precedence > precedence)
    reduce(p);
}

static uint8_t precedence_of(uint8_t op) {
  switch ((hys_expr_op)op) {
  case HYS_EXPR_OR:
    return PRECEDENCE_OR;
  case HYS_EXPR_AND:
    return PRECEDENCE_AND;
  case HYS_EXPR_NOT:
    return PRECEDENCE_NOT;
  case HYS_EXPR_ADD:
  case HYS_EXPR_SUB:
    return PRECEDENCE_SUM;
  case HYS_EXPR_MUL:
  case HYS_EXPR_DIV:
    return PRECEDENCE_PRODUCT;
  case HYS_EXPR_NEG:
    return PRECEDENCE_SIGN;
  case HYS_EXPR_POW:
    return PRECEDENCE_POWER;
  default:
    return PRECEDENCE_RELATION;
  }
}

/* ---- what may stand where an operand is expected ---- */

double hysi_expr_nearest(const hys_expr_node *node) {
  return node->nearest_is_hi ? node->value.hi : node->value.lo;
}

/* Which end of the enclosure is nearest to the literal.  strtod follows the locale's decimal point. */
static bool nearest_is_hi(const char *text, size_t length, hys_interval value) {
  char copy[1024];
  const char *point = localeconv()->decimal_point;
  const size_t n = strlen(point);
  size_t k = 0;

  if (value.lo == value.hi || length + n >= sizeof copy)
    return false;
  for (size_t i = 0; i < length; i++) {
    if (text[i] == '.') {
      memcpy(copy + k, point, n);
      k += n;
    } else {
      copy[k++] = text[i];
    }
  }
  copy[k] = '\0';
  return strtod(copy, NULL) == value.hi;
}

static void number_operand(parser *p, const hysi_token *t) {
  const char *text = p->source->text + t->offset;
  hys_interval value;
  uint32_t k;

  if (hys_interval_from_decimal(text, t->length, &value) != t->length) {
    hysi_parser_fail(p, t->offset, "this is not a number");
    return;
  }
  if (!(value.hi < HYSI_INF)) {
    hysi_parser_fail(p, t->offset, "the number is too large (the largest is about 1.797e308)");
    return;
  }
  k = hysi_parser_add(p, HYS_EXPR_CONSTANT, 0, 0, t->offset);
  if (p->status != HYS_OK)
    return;
  p->node[k].value = value;
  p->node[k].nearest_is_hi = nearest_is_hi(text, t->length, value);
  p->node[k].text = text;
  p->node[k].length = (uint32_t)t->length;
  push_value(p, k);
}

static bool token_is(const parser *p, const hysi_token *t, const char *word) {
  return strlen(word) == t->length && memcmp(p->source->text + t->offset, word, t->length) == 0;
}

static bool next_is(const parser *p, char symbol) {
  return hysi_token_peek(&p->lexer) == symbol;
}

static void variable_operand(parser *p, const hysi_token *t) {
  const char *text = p->source->text + t->offset;
  const hys_diagnostic where = place(p, t->offset, HYS_ERROR);
  hysi_name meaning;
  uint32_t k;

  if (t->primed && p->want != HYSI_WANT_FLOW && p->want != HYSI_WANT_ASSIGNMENT) {
    hysi_parser_fail(p, t->offset + t->length,
                     "a primed variable has no meaning here: primes belong to flows and assignments");
    return;
  }
  meaning = p->names->variable(p->names->context, text, t->length, t->primed, &where);
  if (meaning.kind == HYSI_NAME_VARIABLE) {
    k = hysi_parser_add(p, t->primed ? HYS_EXPR_PRIMED : HYS_EXPR_VARIABLE, meaning.index, 0, t->offset);
  } else {
    /* b: of an unknown name, whether it is primed; printing alone looks at it */
    k = hysi_parser_add(p, HYS_EXPR_CONSTANT, 0, t->primed ? 1 : 0, t->offset);
    if (meaning.kind == HYSI_NAME_UNKNOWN) {
      p->reported = true;
      meaning.value = hys_interval_entire();
    }
    if (p->status == HYS_OK)
      p->node[k].value = meaning.value;
  }
  if (p->status != HYS_OK)
    return;
  p->node[k].text = text;
  p->node[k].length = (uint32_t)t->length;
  push_value(p, k);
}

/* loc(instance)==location, the name loc having been read. */
static void location_operand(parser *p, const hysi_token *loc) {
  const hys_diagnostic where = place(p, loc->offset, HYS_ERROR);
  char buffer[64];
  hysi_token instance, t;
  uint32_t i = 0, l = 0, k;

  if (p->names->location == NULL) {
    hysi_parser_fail(p, loc->offset, "loc() belongs to the sets of a configuration");
    return;
  }
  next_token(p); /* the parenthesis */
  instance = next_token(p);
  t = instance;
  if (instance.kind == HYSI_TOKEN_NAME && !instance.primed)
    t = next_token(p);
  else
    instance.length = 0;
  if (t.kind != HYSI_TOKEN_PUNCTUATION || t.symbol != ')') {
    hysi_parser_fail(p, t.offset, "expected `)' behind the instance in loc(), found %s",
                     shown(p, &t, buffer, sizeof buffer));
    return;
  }
  t = next_token(p);
  if (t.kind != HYSI_TOKEN_OPERATOR || t.op != HYS_EXPR_EQ) {
    hysi_parser_fail(p, t.offset, "expected `==' behind loc(), found %s",
                     shown(p, &t, buffer, sizeof buffer));
    return;
  }
  t = next_token(p);
  if (t.kind != HYSI_TOKEN_NAME || t.primed) {
    hysi_parser_fail(p, t.offset, "expected the name of a location, found %s",
                     shown(p, &t, buffer, sizeof buffer));
    return;
  }
  if (!p->names->location(p->names->context, p->source->text + instance.offset, instance.length,
                          p->source->text + t.offset, t.length, &where, &i, &l)) {
    p->reported = true;
    k = hysi_parser_add(p, HYS_EXPR_TRUE, 0, 0, loc->offset);
  } else {
    k = hysi_parser_add(p, HYS_EXPR_LOCATION, i, l, loc->offset);
  }
  if (p->status != HYS_OK)
    return;
  /* for printing: the text from loc to the end of the location's name */
  p->node[k].text = p->source->text + loc->offset;
  p->node[k].length = (uint32_t)(t.offset + t.length - loc->offset);
  push_value(p, k);
}

/* A name before a parenthesis.  Returns whether it is a call that has been opened. */
static bool open_call(parser *p, const hysi_token *t) {
  static const struct {
    const char *name, *here;
  } elsewhere[] = {{"ln", "log(x)"},   {"pow", "x^y"}, {"power", "x^y"},           {"arctan", "atan(x)"},
                   {"fabs", "abs(x)"}, {"sqr", "x^2"}, {"log10", "log(x)/log(10)"}};
  const char *known[N_FUNCTIONS];
  char called[65];
  const char *near;

  for (size_t i = 0; i < N_FUNCTIONS; i++) {
    if (token_is(p, t, functions[i].name)) {
      next_token(p); /* the parenthesis */
      push_operator(p, (pending){.op = OP_CALL, .function = (uint8_t)i, .offset = t->offset});
      return true;
    }
    known[i] = functions[i].name;
  }
  snprintf(called, sizeof called, "%.*s", (int)(t->length > 64 ? 64 : t->length),
           p->source->text + t->offset);
  for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++) {
    if (strcmp(called, elsewhere[i].name) == 0) {
      hysi_parser_fail(p, t->offset, "`%s' is not a function that is read here; it is written %s", called,
                       elsewhere[i].here);
      return false;
    }
  }
  near = hysi_suggest(called, known, N_FUNCTIONS);
  hysi_parser_fail(p, t->offset, "`%s' is not a function that is read here%s%s%s", called,
                   near != NULL ? "; did you mean `" : "", near != NULL ? near : "",
                   near != NULL ? "'?" : "");
  return false;
}

static void end_call(parser *p, pending open) {
  const struct function *f = &functions[open.function];
  uint32_t list, made;

  if (open.arguments < f->min_arguments || (f->max_arguments > 0 && open.arguments > f->max_arguments)) {
    hysi_parser_fail(p, open.offset, "`%s' takes %s%u argument%s, here are %u", f->name,
                     f->max_arguments == 0 ? "at least " : "", f->min_arguments,
                     f->min_arguments == 1 ? "" : "s", open.arguments);
    return;
  }
  list = p->values[--p->n_values];
  if (f->op == HYS_EXPR_LUT)
    hysi_table_check_lut(p, list, open.offset);
  else if (f->op == HYS_EXPR_RESHAPE)
    hysi_table_check_reshape(p, list, open.offset);
  if (p->status != HYS_OK)
    return;
  if (f->max_arguments == 0)
    made = hysi_parser_add(p, f->op, list, 0, open.offset);
  else if (f->max_arguments == 1)
    made = hysi_parser_add(p, f->op, p->node[list].b, 0, open.offset);
  else
    made = hysi_parser_add(p, f->op, p->node[p->node[list].a].b, p->node[list].b, open.offset);
  if (p->status == HYS_OK)
    push_value(p, made);
}

/* Returns whether an operand is still expected. */
static bool operand(parser *p, const hysi_token *t) {
  char buffer[64];

  if (t->kind == HYSI_TOKEN_NUMBER) {
    number_operand(p, t);
    return false;
  }
  if (t->kind == HYSI_TOKEN_NAME) {
    if (!t->primed && (token_is(p, t, "true") || token_is(p, t, "false"))) {
      const uint32_t k =
          hysi_parser_add(p, token_is(p, t, "true") ? HYS_EXPR_TRUE : HYS_EXPR_FALSE, 0, 0, t->offset);
      if (p->status == HYS_OK)
        push_value(p, k);
      return false;
    }
    if (!t->primed && next_is(p, '(')) {
      if (!token_is(p, t, "loc"))
        return open_call(p, t);
      location_operand(p, t);
      return false;
    }
    variable_operand(p, t);
    return false;
  }
  if (t->kind == HYSI_TOKEN_OPERATOR && (t->op == HYS_EXPR_SUB || t->op == HYS_EXPR_ADD)) {
    push_operator(p, (pending){.op = t->op == HYS_EXPR_SUB ? (uint8_t)HYS_EXPR_NEG : (uint8_t)OP_PLUS,
                               .precedence = PRECEDENCE_SIGN,
                               .offset = t->offset});
    return true;
  }
  if (t->kind == HYSI_TOKEN_PUNCTUATION && t->symbol == '!') {
    if (!next_is(p, '(') && !next_is(p, '!'))
      hysi_parser_fail(p, t->offset, "`!' is followed by a condition in parentheses");
    push_operator(p, (pending){.op = HYS_EXPR_NOT, .precedence = PRECEDENCE_NOT, .offset = t->offset});
    return true;
  }
  if (t->kind == HYSI_TOKEN_PUNCTUATION && (t->symbol == '(' || t->symbol == '[')) {
    push_operator(p, (pending){.op = t->symbol == '(' ? OP_PAREN : OP_BRACKET, .offset = t->offset});
    return true;
  }
  if (t->kind == HYSI_TOKEN_PUNCTUATION && t->symbol == ')' && p->n_ops > 0 &&
      p->ops[p->n_ops - 1].op == OP_CALL && p->ops[p->n_ops - 1].arguments == 0)
    end_call(p, p->ops[p->n_ops - 1]); /* f(): of no function the right number */
  else if (t->kind != HYSI_TOKEN_BAD)
    hysi_parser_fail(p, t->offset, "expected a number, a name or a parenthesis, found %s",
                     shown(p, t, buffer, sizeof buffer));
  return false;
}

/* ---- what may stand behind an operand ---- */

static void binary(parser *p, const hysi_token *t) {
  const uint8_t precedence = precedence_of(t->op);
  pending op = {.op = t->op, .precedence = precedence, .offset = t->offset};

  if (t->op == HYS_EXPR_ASSIGN && p->want != HYSI_WANT_ASSIGNMENT) {
    hysi_parser_fail(p, t->offset, "`:=' belongs to assignments; a comparison is written `=='");
    return;
  }
  if (precedence == PRECEDENCE_RELATION) {
    reduce_above(p, PRECEDENCE_RELATION);
    if (p->status == HYS_OK && p->n_ops > 0 && p->ops[p->n_ops - 1].precedence == PRECEDENCE_RELATION) {
      uint32_t before, middle;
      if (t->op == HYS_EXPR_ASSIGN || p->ops[p->n_ops - 1].op == HYS_EXPR_ASSIGN) {
        hysi_parser_fail(p, t->offset, "`:=' cannot be part of a chain of comparisons");
        return;
      }
      reduce(p);
      if (p->status != HYS_OK)
        return;
      before = p->values[p->n_values - 1];
      middle = p->node[before].op == HYS_EXPR_AND ? p->node[p->node[before].b].b : p->node[before].b;
      push_value(p, middle);
      op.chain = true;
    }
  } else {
    /* left-associative but for the power */
    reduce_above(p, precedence == PRECEDENCE_POWER ? precedence : (uint8_t)(precedence - 1));
  }
  if (p->status == HYS_OK)
    push_operator(p, op);
}

/* Adds the value on top to the list of arguments of the call or bracket on top of the operators. */
static void end_argument(parser *p) {
  pending *open = &p->ops[p->n_ops - 1];
  const uint32_t last = p->values[--p->n_values];
  const uint32_t before = open->arguments > 0 ? p->values[--p->n_values] : HYS_EXPR_NO_CHILD;
  uint32_t list;

  if (open->op != OP_CALL || functions[open->function].max_arguments > 0 || !is_list(p, last))
    need_number(p, last);
  if (p->status != HYS_OK)
    return;
  list = hysi_parser_add(p, HYS_EXPR_LIST, before, last, open->offset);
  if (p->status == HYS_OK)
    push_value(p, list);
  open->arguments++;
}

static void comma(parser *p, const hysi_token *t) {
  reduce_above(p, PRECEDENCE_OPEN);
  if (p->status != HYS_OK)
    return;
  if (p->n_ops == 0 || p->ops[p->n_ops - 1].op == OP_PAREN ||
      (t->symbol == ';' && p->ops[p->n_ops - 1].op != OP_BRACKET)) {
    hysi_parser_fail(p, t->offset,
                     t->symbol == ','
                         ? "a comma separates arguments; conditions are joined by `&', and a number has "
                           "a decimal point"
                         : "unexpected `;'");
    return;
  }
  end_argument(p);
  if (t->symbol == ';' && p->status == HYS_OK)
    hysi_table_end_row(p, &p->ops[p->n_ops - 1], t->offset);
}

static void close_group(parser *p, const hysi_token *t) {
  pending open;

  reduce_above(p, PRECEDENCE_OPEN);
  if (p->status != HYS_OK)
    return;
  if (p->n_ops == 0 || (p->ops[p->n_ops - 1].op == OP_BRACKET) != (t->symbol == ']')) {
    hysi_parser_fail(p, t->offset, "`%c' closes nothing", t->symbol);
    return;
  }
  open = p->ops[p->n_ops - 1];
  if (open.op == OP_PAREN) {
    p->n_ops--;
    p->node[p->values[p->n_values - 1]].grouped = true;
    return;
  }
  end_argument(p);
  open = p->ops[--p->n_ops];
  if (p->status != HYS_OK)
    return;
  if (open.op == OP_CALL) {
    end_call(p, open);
  } else {
    const uint32_t made = hysi_table_matrix(p, &open, p->values[--p->n_values], t->offset);
    if (p->status == HYS_OK)
      push_value(p, made);
  }
}

/* Returns whether an operand is expected next. */
static bool behind(parser *p, const hysi_token *t) {
  char buffer[64];

  if (t->kind == HYSI_TOKEN_OPERATOR) {
    binary(p, t);
    return true;
  }
  if (t->kind == HYSI_TOKEN_PUNCTUATION && (t->symbol == ')' || t->symbol == ']')) {
    close_group(p, t);
    return false;
  }
  if (t->kind == HYSI_TOKEN_PUNCTUATION && (t->symbol == ',' || t->symbol == ';')) {
    comma(p, t);
    return true;
  }
  if (t->kind == HYSI_TOKEN_NAME && token_is(p, t, "with"))
    hysi_parser_fail(
        p, t->offset,
        "`with ...' is how SpaceEx prints a flattened model with inputs; it is no model text and cannot be "
        "read");
  else if (t->kind == HYSI_TOKEN_NAME || (t->kind == HYSI_TOKEN_PUNCTUATION && t->symbol != '!'))
    hysi_parser_fail(p, t->offset,
                     "expected an operator, found %s; a product is written with `*', a conjunction with `&'",
                     shown(p, t, buffer, sizeof buffer));
  else if (t->kind != HYSI_TOKEN_BAD)
    hysi_parser_fail(p, t->offset, "expected an operator, found %s", shown(p, t, buffer, sizeof buffer));
  return false;
}

static void finish(parser *p, hys_expr *out) {
  reduce_above(p, PRECEDENCE_OPEN);
  if (p->status == HYS_OK && p->n_ops > 0) {
    const pending open = p->ops[p->n_ops - 1];
    hysi_parser_fail(p, open.offset, "this parenthesis is not closed");
  }
  if (p->status != HYS_OK)
    return;
  if (p->want == HYSI_WANT_NUMBER)
    need_number(p, p->values[0]);
  else
    need_truth(p, p->values[0]);
  if (p->status == HYS_OK)
    *out = (hys_expr){.node = p->node, .n = p->n};
}

hys_status hysi_expr_parse(hys_expr *out, const hysi_expr_source *source, const hysi_expr_names *names,
                           hysi_expr_want want, hys_arena *arena, hys_diagnostics *diagnostics) {
  parser p;
  bool expect_operand = true;
  hysi_token t;

  *out = (hys_expr){0};
  p.source = source;
  p.names = names;
  p.want = want;
  p.arena = arena;
  p.diagnostics = diagnostics;
  p.status = HYS_OK;
  p.reported = false;
  p.lexer = (hysi_lexer){.text = source->text, .length = source->length};
  p.node = NULL;
  p.n = p.capacity = p.n_ops = p.n_values = 0;

  if (source->length > HYS_MAX_EXPR_BYTES) {
    hysi_parser_fail(&p, 0, "this formula is longer than %d bytes (HYS_MAX_EXPR_BYTES)", HYS_MAX_EXPR_BYTES);
    return p.status;
  }
  t = next_token(&p);
  if (t.kind == HYSI_TOKEN_END && want != HYSI_WANT_NUMBER) {
    const uint32_t k = hysi_parser_add(&p, HYS_EXPR_TRUE, 0, 0, 0);
    if (p.status == HYS_OK)
      push_value(&p, k);
    expect_operand = false;
  }
  while (p.status == HYS_OK && (t.kind != HYSI_TOKEN_END || expect_operand)) {
    expect_operand = expect_operand ? operand(&p, &t) : behind(&p, &t);
    if (p.status == HYS_OK)
      t = next_token(&p);
  }
  if (p.status == HYS_OK)
    finish(&p, out);
  return p.status == HYS_OK && p.reported ? HYS_ERR_INPUT : p.status;
}
