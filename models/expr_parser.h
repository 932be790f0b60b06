/* The parser of expressions inside: shared by its parts.  Private to models.  Setup only. */
#ifndef HYSHIELD_MODELS_EXPR_PARSER_H
#define HYSHIELD_MODELS_EXPR_PARSER_H

#include "models/expr_parse.h"
#include "models/expr_tokens.h"
#include "models/model.h"

typedef struct hysi_pending {
  uint8_t op;         /* hys_expr_op or OP_... */
  uint8_t precedence; /* PRECEDENCE_OPEN: a parenthesis or the like */
  uint8_t function;   /* of OP_CALL */
  bool chain;         /* a relation whose left side is the right side of the one before */
  uint32_t arguments; /* of OP_CALL and OP_BRACKET: complete ones */
  uint32_t rows;      /* of OP_BRACKET: complete ones */
  uint32_t columns;   /* of OP_BRACKET: entries of the first row, once it is complete */
  size_t offset;
} hysi_pending;

typedef struct hysi_parser {
  const hysi_expr_source *source;
  const hysi_expr_names *names;
  hysi_expr_want want;
  hys_arena *arena;
  hys_diagnostics *diagnostics;
  hys_status status; /* stops the parse */
  bool reported;     /* something else is wrong */
  hysi_lexer lexer;
  hys_expr_node *node;
  uint32_t n, capacity;
  hysi_pending ops[HYS_MAX_EXPR_DEPTH];
  uint32_t n_ops;
  uint32_t values[2 * HYS_MAX_EXPR_DEPTH + 4];
  uint32_t n_values;
} hysi_parser;

/* Reports at a byte of the text, at a node, and stops the parse. */
__attribute__((format(printf, 3, 4))) void hysi_parser_fail(hysi_parser *parser, size_t offset,
                                                            const char *format, ...);
__attribute__((format(printf, 3, 4))) void hysi_parser_fail_at(hysi_parser *parser, uint32_t node,
                                                               const char *format, ...);
/* A new node; 0 when the parse has stopped for want of memory. */
uint32_t hysi_parser_add(hysi_parser *parser, uint8_t op, uint32_t a, uint32_t b, size_t offset);

/* ---- lists in brackets, and the tables made of them (expr_table.c) ---- */

/* Ends a row of a list in brackets at `offset`. */
void hysi_table_end_row(hysi_parser *parser, hysi_pending *open, size_t offset);
/* The list as a node: a matrix, of several rows and columns reshaped. */
uint32_t hysi_table_matrix(hysi_parser *parser, const hysi_pending *open, uint32_t list, size_t offset);
/* Whether the arguments of reshape(), of lut(), fit together; if not, that is reported. */
void hysi_table_check_reshape(hysi_parser *parser, uint32_t list, size_t offset);
void hysi_table_check_lut(hysi_parser *parser, uint32_t list, size_t offset);

#endif
