#include "models/expr_tokens.h"

#include <stdio.h>

#include "core/rt/expr.h"

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static char peek(const hysi_lexer *p, size_t offset) {
  return offset < p->length ? p->text[offset] : '\0';
}

static hysi_token bad(hysi_lexer *p, size_t offset, const char *message) {
  snprintf(p->message, sizeof p->message, "%s", message);
  return (hysi_token){.kind = HYSI_TOKEN_BAD, .offset = offset};
}

static hysi_token number(hysi_lexer *p) {
  const size_t from = p->at;
  size_t i = from;

  while (is_digit(peek(p, i)))
    i++;
  if (peek(p, i) == '.') {
    i++;
    while (is_digit(peek(p, i)))
      i++;
  }
  if (peek(p, i) == 'e' || peek(p, i) == 'E') {
    size_t k = i + 1;
    if (peek(p, k) == '+' || peek(p, k) == '-')
      k++;
    if (!is_digit(peek(p, k)))
      return bad(p, i, "an exponent needs digits");
    while (is_digit(peek(p, k)))
      k++;
    i = k;
  }
  p->at = i;
  if (is_letter(peek(p, i)))
    return bad(p, i, "expected an operator between a number and a name; a product is written with `*'");
  if (peek(p, i) == '.')
    return bad(p, i, "a number has one decimal point");
  return (hysi_token){.kind = HYSI_TOKEN_NUMBER, .offset = from, .length = i - from};
}

static hysi_token name(hysi_lexer *p) {
  const size_t from = p->at;
  size_t i = from;
  bool primed = false;

  for (;;) {
    while (is_letter(peek(p, i)) || is_digit(peek(p, i)))
      i++;
    if (peek(p, i) != '.' || !is_letter(peek(p, i + 1)))
      break;
    i++;
  }
  p->at = i;
  if (peek(p, i) == '\'') {
    primed = true;
    p->at = i + 1;
    if (peek(p, p->at) == '\'')
      return bad(p, p->at, "a second prime: only first derivatives are read");
  }
  return (hysi_token){.kind = HYSI_TOKEN_NAME, .offset = from, .length = i - from, .primed = primed};
}

static hysi_token operator_of(hysi_lexer *p, uint8_t op, size_t length) {
  const hysi_token t = {.kind = HYSI_TOKEN_OPERATOR, .op = op, .offset = p->at, .length = length};
  p->at += length;
  return t;
}

hysi_token hysi_token_next(hysi_lexer *p) {
  while (is_blank(peek(p, p->at)) && p->at < p->length)
    p->at++;
  if (p->at >= p->length) {
    size_t end = p->length; /* behind the last word, not behind the blanks that follow it */
    while (end > 0 && is_blank(p->text[end - 1]))
      end--;
    return (hysi_token){.kind = HYSI_TOKEN_END, .offset = end};
  }
  const char c = peek(p, p->at), d = peek(p, p->at + 1);
  if (is_digit(c) || (c == '.' && is_digit(d)))
    return number(p);
  if (is_letter(c))
    return name(p);
  switch (c) {
  case '+':
    return operator_of(p, HYS_EXPR_ADD, 1);
  case '-':
    return operator_of(p, HYS_EXPR_SUB, 1);
  case '*':
    return operator_of(p, HYS_EXPR_MUL, 1);
  case '/':
    return operator_of(p, HYS_EXPR_DIV, 1);
  case '^':
    return operator_of(p, HYS_EXPR_POW, 1);
  case '&':
    return operator_of(p, HYS_EXPR_AND, d == '&' ? 2 : 1);
  case '|':
    return operator_of(p, HYS_EXPR_OR, d == '|' ? 2 : 1);
  case '<':
    return operator_of(p, d == '=' ? HYS_EXPR_LE : HYS_EXPR_LT, d == '=' ? 2 : 1);
  case '>':
    return operator_of(p, d == '=' ? HYS_EXPR_GE : HYS_EXPR_GT, d == '=' ? 2 : 1);
  case '=':
    return operator_of(p, HYS_EXPR_EQ, d == '=' ? 2 : 1);
  case ':':
    if (d == '=')
      return operator_of(p, HYS_EXPR_ASSIGN, 2);
    break;
  case '!':
    if (d == '=')
      return operator_of(p, HYS_EXPR_NE, 2);
    p->at++;
    return (hysi_token){.kind = HYSI_TOKEN_PUNCTUATION, .symbol = '!', .offset = p->at - 1, .length = 1};
  case '(':
  case ')':
  case '[':
  case ']':
  case ',':
  case ';':
    p->at++;
    return (hysi_token){.kind = HYSI_TOKEN_PUNCTUATION, .symbol = c, .offset = p->at - 1, .length = 1};
  case '\'':
    return bad(p, p->at, "a prime stands directly behind the name of a variable");
  default:
    break;
  }
  if ((unsigned char)c > 0x20 && (unsigned char)c < 0x7F)
    snprintf(p->message, sizeof p->message, "unexpected character `%c'", c);
  else
    snprintf(p->message, sizeof p->message, "unexpected character (byte 0x%02x)", (unsigned)(unsigned char)c);
  return (hysi_token){.kind = HYSI_TOKEN_BAD, .offset = p->at};
}

char hysi_token_peek(const hysi_lexer *p) {
  size_t i = p->at;

  while (i < p->length && is_blank(p->text[i]))
    i++;
  return peek(p, i);
}
