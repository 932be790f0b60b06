/* Narrowing keeps every point that satisfies the conditions, and narrows to what is known in closed form. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/contract.h"
#include "tests/support/check.h"

static uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

static double uniform(double lo, double hi) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return lo + (hi - lo) * (double)(state >> 11) * 0x1p-53;
}

static unsigned below(unsigned n) {
  return (unsigned)uniform(0.0, (double)n) % n;
}

enum { N = 3, NODES = 24 };

static hys_expr_node number(double x) {
  hys_expr_node k = {.op = HYS_EXPR_CONSTANT};
  k.value = hys_interval_point(x);
  return k;
}

/* A random number over N variables in postfix order: leaves are pushed, operators take what is on the stack.
 */
static uint32_t random_tree(hys_expr_node *node) {
  static const hys_expr_op one[] = {HYS_EXPR_NEG, HYS_EXPR_EXP, HYS_EXPR_SQRT,
                                    HYS_EXPR_LOG, HYS_EXPR_ABS, HYS_EXPR_SIN};
  static const hys_expr_op two[] = {HYS_EXPR_ADD, HYS_EXPR_SUB, HYS_EXPR_MUL, HYS_EXPR_DIV};
  uint32_t stack[NODES], top = 0, n = 0;

  for (;;) {
    const bool closing = n + top + 4 > NODES;
    const unsigned what = closing ? 2 : below(4);
    if (closing && top == 1)
      return n;
    if (top >= 2 && what >= 2) {
      node[n] = (hys_expr_node){.op = (uint8_t)two[below(4)], .a = stack[top - 2], .b = stack[top - 1]};
      stack[--top - 1] = n++;
    } else if (top >= 1 && what == 1 && below(3) == 0) {
      node[n] = number((double)(2 + below(5)));
      node[n + 1] = (hys_expr_node){.op = HYS_EXPR_POW, .a = stack[top - 1], .b = n};
      stack[top - 1] = n + 1;
      n += 2;
    } else if (top >= 1 && what == 1) {
      node[n] = (hys_expr_node){.op = (uint8_t)one[below(6)], .a = stack[top - 1]};
      stack[top - 1] = n++;
    } else {
      node[n] = below(4) == 0 ? number(uniform(-3.0, 3.0))
                              : (hys_expr_node){.op = HYS_EXPR_VARIABLE, .a = below(N)};
      stack[top++] = n++;
    }
  }
}

static void keeps_solutions(void) {
  unsigned held = 0, narrowed = 0;

  for (unsigned t = 0; t < 4000; t++) {
    hys_expr_node node[NODES];
    hys_condition c[2];
    const hys_conditions all = {c, 2};
    hys_interval box[N], out[N], scratch[NODES];
    double value[NODES];
    bool left;
    check_label("trial %u", t);
    memset(c, 0, sizeof c);
    const uint32_t n = random_tree(node);
    c[0].value = (hys_expr){node, n};
    c[0].relation = HYS_RELATION_LE;
    const hys_term term[2] = {{0, {-1.5, -1.5}}, {2, {0.75, 0.75}}};
    c[1].affine = true;
    c[1].row = (hys_affine){term, 2, hys_interval_point(uniform(-1.0, 1.0))};
    c[1].relation = HYS_RELATION_LT;
    for (size_t i = 0; i < N; i++) {
      const double lo = uniform(-3.0, 2.5);
      out[i] = box[i] = hys_interval_make(lo, lo + uniform(0.0, 3.0));
    }
    left = hys_conditions_contract(&all, out, 4, scratch);
    for (unsigned k = 0; k < 50; k++) {
      double x[N];
      bool inside = left;
      for (size_t i = 0; i < N; i++)
        x[i] = uniform(box[i].lo, box[i].hi);
      /* well inside the conditions, so that rounding of the point value does not matter */
      const double v = hys_expr_eval_point(&c[0].value, n - 1, x, NULL, NULL, value);
      if (!(v <= -1e-9 * (1.0 + fabs(v))) || !(-1.5 * x[0] + 0.75 * x[2] + c[1].row.constant.lo <= -1e-9))
        continue;
      for (size_t i = 0; i < N; i++)
        inside = inside && x[i] >= out[i].lo && x[i] <= out[i].hi;
      held++;
      CHECK(inside);
    }
    for (size_t i = 0; left && i < N; i++)
      narrowed += out[i].lo > box[i].lo || out[i].hi < box[i].hi;
  }
  CHECK(held > 10000);
  CHECK(narrowed > 500);
}

static void known(void) {
  /* x^2 + y^2 <= 4 from anywhere: both in [-2, 2]; with x - y == 0 and x >= 0 too: x in [0, 2] */
  const hys_expr_node node[] = {{.op = HYS_EXPR_VARIABLE, .a = 0},
                                {.op = HYS_EXPR_MUL, .a = 0, .b = 0},
                                {.op = HYS_EXPR_VARIABLE, .a = 1},
                                number(2.0),
                                {.op = HYS_EXPR_POW, .a = 2, .b = 3},
                                {.op = HYS_EXPR_ADD, .a = 1, .b = 4},
                                number(4.0),
                                {.op = HYS_EXPR_SUB, .a = 5, .b = 6}};
  const hys_term difference[2] = {{0, {1.0, 1.0}}, {1, {-1.0, -1.0}}}, minus[1] = {{0, {-1.0, -1.0}}};
  hys_condition c[3];
  hys_interval x[2] = {hys_interval_entire(), hys_interval_entire()}, scratch[8];

  memset(c, 0, sizeof c);
  c[0].value = (hys_expr){node, 8};
  c[1].affine = c[2].affine = true;
  c[1].relation = HYS_RELATION_EQ;
  c[1].row = (hys_affine){difference, 2, {0.0, 0.0}};
  c[2].row = (hys_affine){minus, 1, {0.0, 0.0}};
  CHECK(hys_conditions_scratch(&(hys_conditions){c, 3}) == 8);
  CHECK(hys_conditions_contract(&(hys_conditions){c, 1}, x, 5, scratch));
  for (size_t i = 0; i < 2; i++) {
    CHECK_NEAR(x[i].lo, -2.0, 1e-14);
    CHECK_NEAR(x[i].hi, 2.0, 1e-14);
  }
  CHECK(hys_conditions_contract(&(hys_conditions){c, 3}, x, 5, scratch));
  for (size_t i = 0; i < 2; i++) {
    CHECK(x[i].lo == 0.0);
    CHECK_NEAR(x[i].hi, 2.0, 1e-14);
  }
  x[0] = hys_interval_make(2.5, 3.0);
  x[1] = hys_interval_entire();
  CHECK(!hys_conditions_contract(&(hys_conditions){c, 1}, x, 5, scratch));
}

static void sure(void) {
  const hys_term t[1] = {{0, {1.0, 1.0}}};
  hys_condition c = {.affine = true, .row = {t, 1, {-1.0, -1.0}}};
  const hys_interval upto = hys_interval_make(0.0, 1.0), at = hys_interval_point(1.0);
  hys_interval scratch[1];

  CHECK(hys_condition_holds_surely(&c, &upto, scratch));
  c.relation = HYS_RELATION_LT;
  CHECK(!hys_condition_holds_surely(&c, &upto, scratch));
  c.relation = HYS_RELATION_EQ;
  CHECK(!hys_condition_holds_surely(&c, &upto, scratch));
  CHECK(hys_condition_holds_surely(&c, &at, scratch));
  CHECK(hys_conditions_hold_surely(&(hys_conditions){NULL, 0}, &upto, scratch));
}

CHECK_MAIN("contract", {"narrowing keeps every solution", keeps_solutions},
           {"discs and lines narrow to their hulls", known}, {"conditions that surely hold", sure})
