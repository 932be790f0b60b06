/* Lists in brackets and look-up tables: their entries put into order, their sizes compared. */
#include <math.h>
#include <stdio.h>

#include "models/expr_parser.h"

static const hys_expr_node *node(const hysi_parser *p, uint32_t i) {
  return &p->node[i];
}

/* The number that a node stands for, if it can be computed; otherwise that is reported. */
static bool constant(hysi_parser *p, uint32_t root, hys_interval *value) {
  const hys_expr e = {p->node, p->n};
  hys_interval *scratch = hys_arena_alloc(p->arena, root - hys_expr_first(&e, root) + 1, sizeof *scratch);

  if (scratch == NULL) {
    p->status = HYS_ERR_MEMORY;
    return false;
  }
  if (hys_expr_affine(&e, root, 0, NULL, value, scratch, NULL) == HYS_OK)
    return true;
  if (!p->reported) /* an unknown name, perhaps this one */
    hysi_parser_fail_at(p, root, "sizes, tables and breakpoints are numbers; this is none");
  return false;
}

/* The entries of a list in their order, in the arena; NULL: no memory. */
static uint32_t *entries(hysi_parser *p, uint32_t list, uint32_t *n) {
  uint32_t *out;

  *n = 0;
  for (uint32_t k = list; k != HYS_EXPR_NO_CHILD; k = node(p, k)->a)
    ++*n;
  out = hys_arena_alloc(p->arena, *n, sizeof *out);
  if (out == NULL) {
    p->status = HYS_ERR_MEMORY;
    return NULL;
  }
  for (uint32_t k = list, i = *n; k != HYS_EXPR_NO_CHILD; k = node(p, k)->a)
    out[--i] = node(p, k)->b;
  return out;
}

/* ---- lists ---- */

void hysi_table_end_row(hysi_parser *p, hysi_pending *open, size_t offset) {
  /* all rows have as many entries as the first, so those before this one are a multiple of it */
  const uint32_t columns = open->rows > 0 ? open->columns : open->arguments;

  open->rows++;
  open->columns = columns;
  if (open->arguments != open->rows * columns)
    hysi_parser_fail(p, offset, "this row has %u entries, the first has %u",
                     open->arguments - (open->rows - 1) * columns, columns);
}

static uint32_t add_entry(hysi_parser *p, uint32_t list, uint32_t entry, size_t offset) {
  return hysi_parser_add(p, HYS_EXPR_LIST, list, entry, offset);
}

static uint32_t add_number(hysi_parser *p, double value, size_t offset) {
  const uint32_t k = hysi_parser_add(p, HYS_EXPR_CONSTANT, 0, 0, offset);
  if (p->status == HYS_OK)
    p->node[k].value = hys_interval_point(value);
  return k;
}

uint32_t hysi_table_matrix(hysi_parser *p, const hysi_pending *open, uint32_t list, size_t offset) {
  hysi_pending rows = *open;
  uint32_t n = 0, *entry, made = HYS_EXPR_NO_CHILD;

  if (open->rows > 0)
    hysi_table_end_row(p, &rows, offset);
  if (p->status == HYS_OK && open->arguments > HYS_MAX_LUT_ENTRIES)
    hysi_parser_fail(p, open->offset, "more than %d entries (HYS_MAX_LUT_ENTRIES)", HYS_MAX_LUT_ENTRIES);
  if (p->status != HYS_OK || rows.rows < 2 || rows.columns < 2)
    return p->status == HYS_OK ? hysi_parser_add(p, HYS_EXPR_MATRIX, list, 0, open->offset) : 0;
  /* rows by columns: column after column, as reshape takes them */
  entry = entries(p, list, &n);
  for (uint32_t i = 0; i < n && p->status == HYS_OK; i++)
    made = add_entry(p, made, entry[i % rows.rows * rows.columns + i / rows.rows], open->offset);
  if (p->status == HYS_OK)
    made = hysi_parser_add(p, HYS_EXPR_MATRIX, made, 0, open->offset);
  if (p->status == HYS_OK)
    made = add_entry(p, HYS_EXPR_NO_CHILD, made, open->offset);
  for (uint32_t i = 0; i < 2 && p->status == HYS_OK; i++) {
    const uint32_t size = add_number(p, (double)(i == 0 ? rows.rows : rows.columns), open->offset);
    if (p->status == HYS_OK)
      made = add_entry(p, made, size, open->offset);
  }
  return p->status == HYS_OK ? hysi_parser_add(p, HYS_EXPR_RESHAPE, made, 0, open->offset) : 0;
}

/* ---- tables ---- */

/* A size of reshape(): a whole number from 1 on, up to the limit of a table; 0: reported. */
static uint32_t size_of(hysi_parser *p, uint32_t root) {
  hys_interval v;

  if (!constant(p, root, &v))
    return 0;
  if (v.lo == v.hi && v.lo == floor(v.lo) && v.lo >= 1.0 && v.lo <= HYS_MAX_LUT_ENTRIES)
    return (uint32_t)v.lo;
  hysi_parser_fail_at(p, root, "a size is a whole number from 1 to %d (HYS_MAX_LUT_ENTRIES)",
                      HYS_MAX_LUT_ENTRIES);
  return 0;
}

void hysi_table_check_reshape(hysi_parser *p, uint32_t list, size_t offset) {
  uint32_t n, found, *argument = entries(p, list, &n);
  uint64_t wanted = 1;

  if (argument == NULL)
    return;
  if (node(p, argument[0])->op != HYS_EXPR_MATRIX) {
    hysi_parser_fail_at(p, argument[0], "reshape() takes a list in brackets and its sizes");
    return;
  }
  for (uint32_t i = 1; i < n; i++) {
    const uint32_t size = node(p, argument[i])->op == HYS_EXPR_MATRIX ? 0 : size_of(p, argument[i]);
    if (size == 0) {
      hysi_parser_fail_at(p, argument[i], "reshape() takes a list in brackets and its sizes");
      return;
    }
    wanted = wanted <= HYS_MAX_LUT_ENTRIES ? wanted * size : wanted;
  }
  if (entries(p, node(p, argument[0])->a, &found) != NULL && found != wanted)
    hysi_parser_fail(p, offset, "the list has %u entries, its sizes call for %llu", found,
                     (unsigned long long)wanted);
}

static void check_breakpoints(hysi_parser *p, uint32_t root, uint32_t *size) {
  hys_interval before = hys_interval_empty(), v;
  uint32_t *entry;

  if (node(p, root)->op != HYS_EXPR_MATRIX) {
    hysi_parser_fail_at(p, root, "breakpoints are a list of numbers in brackets");
    return;
  }
  entry = entries(p, node(p, root)->a, size);
  if (entry != NULL && *size < 2)
    hysi_parser_fail_at(p, root, "a list of breakpoints has at least two");
  for (uint32_t i = 0; i < *size && p->status == HYS_OK; i++) {
    if (!constant(p, entry[i], &v))
      return;
    if (i > 0 && !(before.hi < v.lo))
      hysi_parser_fail_at(p, entry[i], "this breakpoint is not larger than the one before it");
    before = v;
  }
}

/* "5 by 4" */
static void put_sizes(char *out, size_t room, const uint32_t *size, uint32_t n) {
  size_t used = 0;

  out[0] = '\0';
  for (uint32_t i = 0; i < n && used + 1 < room; i++) {
    const int put = snprintf(out + used, room - used, "%s%u", i > 0 ? " by " : "", size[i]);
    used += put > 0 ? (size_t)put : 0;
  }
}

static void check_table(hysi_parser *p, uint32_t root, const uint32_t *wanted, uint32_t n) {
  uint32_t size[HYS_MAX_LUT_INPUTS + 1], sizes = 1, matrix = root, count = 0, *entry;
  char found[64], call[64];
  hys_interval v;
  bool fits;

  if (node(p, root)->op == HYS_EXPR_RESHAPE) {
    uint32_t *argument = entries(p, node(p, root)->a, &count);
    if (argument == NULL)
      return;
    matrix = argument[0];
    sizes = count - 1 <= HYS_MAX_LUT_INPUTS ? count - 1 : HYS_MAX_LUT_INPUTS + 1;
    for (uint32_t i = 0; i < sizes; i++) {
      size[i] = size_of(p, argument[i + 1]);
      if (size[i] == 0)
        return;
    }
  } else if (node(p, root)->op != HYS_EXPR_MATRIX) {
    hysi_parser_fail_at(p, root, "the table of lut() is a list of numbers in brackets, or reshape()");
    return;
  }
  entry = entries(p, node(p, matrix)->a, &count);
  if (entry == NULL)
    return;
  if (matrix == root)
    size[0] = count;
  fits = sizes == n;
  for (uint32_t i = 0; i < n && fits; i++)
    fits = size[i] == wanted[i];
  if (!fits) {
    put_sizes(found, sizeof found, size, sizes);
    put_sizes(call, sizeof call, wanted, n);
    hysi_parser_fail_at(p, root, "the table is %s, the breakpoints call for %s", found, call);
    return;
  }
  for (uint32_t i = 0; i < count && p->status == HYS_OK; i++) {
    if (!constant(p, entry[i], &v))
      return;
  }
}

void hysi_table_check_lut(hysi_parser *p, uint32_t list, size_t offset) {
  uint32_t n, inputs = 1, size[HYS_MAX_LUT_INPUTS] = {0}, *argument = entries(p, list, &n);

  if (argument == NULL)
    return;
  if (node(p, argument[0])->op == HYS_EXPR_RESHAPE) {
    hysi_parser_fail_at(p, argument[0], "the inputs of lut() are a number, or a list of numbers in brackets");
    return;
  }
  if (node(p, argument[0])->op == HYS_EXPR_MATRIX && entries(p, node(p, argument[0])->a, &inputs) == NULL)
    return;
  if (inputs != n - 2)
    hysi_parser_fail(p, offset, "lut() has %u input%s and %u list%s of breakpoints", inputs,
                     inputs == 1 ? "" : "s", n - 2, n == 3 ? "" : "s");
  else if (inputs > HYS_MAX_LUT_INPUTS)
    hysi_parser_fail(p, offset, "more than %d inputs of lut() (HYS_MAX_LUT_INPUTS)", HYS_MAX_LUT_INPUTS);
  for (uint32_t i = 0; i < inputs && p->status == HYS_OK; i++)
    check_breakpoints(p, argument[i + 2], &size[i]);
  if (p->status == HYS_OK && !p->reported)
    check_table(p, argument[1], size, inputs);
}
