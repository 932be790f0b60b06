/* print(parse(x)) = x for texts in the printer's own spelling, and the value on a box holds the values at its
 * points. */
#include "core/allocator.h"
#include "core/diagnostics.h"
#include "core/rt/expr.h"
#include "models/expr_parse.h"
#include "tests/support/check.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { TEXT = 4096, CASES = 4000, NODES = 2048 };

static uint64_t state;
static unsigned pick(unsigned n) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)((state >> 11) % n);
}

static hysi_name find(void *context, const char *name, size_t length, bool primed,
                      const hys_diagnostic *where) {
  (void)context;
  (void)primed;
  (void)where;
  (void)length;
  return (hysi_name){.kind = HYSI_NAME_VARIABLE, .index = (uint32_t)(name[0] - 'x')};
}

static void place(const void *context, size_t offset, uint32_t *line, uint32_t *column) {
  (void)context;
  *line = 1;
  *column = (uint32_t)offset + 1;
}

static void add(char *text, const char *more) {
  const size_t n = strlen(text);
  snprintf(text + n, TEXT - n, "%s", more);
}

/* Random texts: operands with operators between; an operand may be a group.  A group holds at
 * least two, so that no parentheses stand directly in parentheses (they are printed once).  Depth bounds the
 * recursion. */
static void number_text(char *text, unsigned depth, unsigned least) {
  static const char *const leaf[] = {"x", "y", "z", "1", "0.1", "2.50", "3e-2", "1E+02", "x'"};
  static const char *const op[] = {" + ", " - ", "*", "/", "^"};
  static const char *const call[] = {"sin(", "abs(", "sqrt(", "exp("};
  const unsigned n = least + pick(3);
  for (unsigned i = 0; i < n; i++) {
    if (i > 0)
      add(text, op[pick(5)]);
    if (pick(6) == 0)
      add(text, "-");
    if (depth == 0 || pick(2) == 0) {
      add(text, leaf[pick(9)]);
    } else if (pick(4) == 0) {
      add(text, call[pick(4)]);
      number_text(text, depth - 1, 1);
      add(text, ")");
    } else if (pick(6) == 0) {
      add(text, "min(");
      number_text(text, depth - 1, 1);
      add(text, ", ");
      number_text(text, depth - 1, 1);
      add(text, ")");
    } else {
      add(text, "(");
      number_text(text, depth - 1, 2);
      add(text, ")");
    }
  }
}

static void formula_text(char *text, unsigned depth, unsigned least) {
  static const char *const rel[] = {" < ", " <= ", " > ", " >= ", " == ", " != "};
  const unsigned n = least + pick(3);
  for (unsigned i = 0; i < n; i++) {
    if (i > 0)
      add(text, pick(2) ? " & " : " | ");
    if (depth > 0 && pick(3) == 0) {
      add(text, pick(2) ? "!(" : "(");
      formula_text(text, depth - 1, 2);
      add(text, ")");
    } else if (pick(8) == 0) {
      add(text, pick(2) ? "true" : "false");
    } else {
      const unsigned parts = 2 + (pick(4) == 0);
      for (unsigned k = 0; k < parts; k++) {
        if (k > 0)
          add(text, rel[pick(6)]);
        number_text(text, depth, 1);
      }
    }
  }
}

static hys_status parse(hys_expr *e, const char *text, hys_arena *arena) {
  const hysi_expr_names names = {.variable = find};
  const hysi_expr_source source = {.file = "t", .text = text, .length = strlen(text), .place = place};
  hys_diagnostics said;
  hys_diagnostics_init(&said, arena);
  return hysi_expr_parse(e, &source, &names, HYSI_WANT_FLOW, arena, &said);
}

/* What is enclosed on a part of a box is enclosed on the box, node by node.  Where the part has left the
 * domain of a function the whole line stands for it, and nothing above that node is compared. */
static void isotone(const hys_expr *e) {
  static hys_interval on_box[NODES], on_point[NODES];
  static bool left[NODES];
  hys_interval box[6], point[6];

  for (size_t i = 0; i < 6; i++) {
    const double a = pick(4001) / 1000.0 - 2.0, b = pick(4001) / 1000.0 - 2.0;
    box[i] = hys_interval_make(a < b ? a : b, a < b ? b : a);
    point[i] = hys_interval_point(pick(2) ? box[i].lo : hys_interval_mid(box[i]));
  }
  hys_expr_eval_interval(e, e->n - 1, box, box + 3, NULL, on_box);
  hys_expr_eval_interval(e, e->n - 1, point, point + 3, NULL, on_point);
  for (uint32_t i = 0; i < e->n; i++) {
    const hys_expr_node *k = &e->node[i];
    left[i] = (on_point[i].lo < -1e308 && on_point[i].hi > 1e308);
    if (k->op >= HYS_EXPR_NEG && k->op < HYS_EXPR_TRUE && k->a != HYS_EXPR_NO_CHILD)
      left[i] = left[i] || left[k->a];
    if ((k->op >= HYS_EXPR_ADD && k->op <= HYS_EXPR_POW) || k->op == HYS_EXPR_MIN || k->op == HYS_EXPR_MAX ||
        (k->op >= HYS_EXPR_LT && k->op <= HYS_EXPR_OR))
      left[i] = left[i] || left[k->b];
    if (!left[i] && k->op != HYS_EXPR_LIST)
      CHECK(hys_interval_inside_surely(on_point[i], on_box[i]));
  }
  CHECK(on_box[e->n - 1].lo >= 0.0 && on_box[e->n - 1].hi <= 1.0);
}

static void run(uint64_t seed) {
  state = seed;
  for (unsigned i = 0; i < CASES; i++) {
    hys_arena *arena = hys_arena_create(NULL);
    char text[TEXT] = "";
    const char *printed;
    hys_expr e;
    formula_text(text, 2, 1);
    check_label("seed %llu, case %u: %.180s", (unsigned long long)seed, i, text);
    if (CHECK(arena != NULL) && CHECK_INT(parse(&e, text, arena), HYS_OK)) {
      printed = hysi_expr_print(&e, e.n - 1, arena);
      CHECK_STR(printed, text);
      if (e.n <= NODES)
        isotone(&e);
    }
    hys_arena_destroy(arena);
  }
}

static void fixed_seeds(void) {
  run(UINT64_C(88172645463325252));
  run(UINT64_C(1234567890123));
}

static void random_seed(void) {
  const uint64_t seed = (uint64_t)time(NULL) * UINT64_C(2654435761) + 1;
  printf("random seed %llu\n", (unsigned long long)seed);
  run(seed);
}

CHECK_MAIN("expr, properties", {"fixed seeds", fixed_seeds}, {"a random seed", random_seed})
