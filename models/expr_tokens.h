/* The words of an expression.  Private to models.  Setup only. */
#ifndef HYSHIELD_MODELS_EXPR_TOKENS_H
#define HYSHIELD_MODELS_EXPR_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum hysi_token_kind {
  HYSI_TOKEN_END,
  HYSI_TOKEN_NUMBER,
  HYSI_TOKEN_NAME,
  HYSI_TOKEN_OPERATOR, /* op */
  HYSI_TOKEN_PUNCTUATION,
  HYSI_TOKEN_BAD /* see hysi_lexer.message */
} hysi_token_kind;

typedef struct hysi_token {
  hysi_token_kind kind;
  size_t offset, length;
  uint8_t op;  /* hys_expr_op of an operator */
  char symbol; /* of punctuation: ( ) [ ] , ; ! */
  bool primed; /* of a name */
} hysi_token;

typedef struct hysi_lexer {
  const char *text;
  size_t length;
  size_t at;
  char message[96]; /* of a bad token, whose offset is the place */
} hysi_lexer;

hysi_token hysi_token_next(hysi_lexer *lexer);

/* The next character that is not blank, without reading it; 0 at the end. */
char hysi_token_peek(const hysi_lexer *lexer);

#endif
