#include "core/taylor_program.h"

#include <math.h>
#include <string.h>

enum { MAX_OPS = 100000 };

static const hys_allocator *of(const hysi_tp_program *p) {
  return p->has_allocator ? &p->allocator : NULL;
}

void hysi_tp_program_open(hysi_tp_program *p, const hys_allocator *allocator) {
  memset(p, 0, sizeof *p);
  if (allocator != NULL) {
    p->allocator = *allocator;
    p->has_allocator = true;
  }
}

void hysi_tp_program_close(hysi_tp_program *p) {
  hys_release(of(p), p->op);
  hys_release(of(p), p->bucket);
  memset(p, 0, sizeof *p);
}

/* ---- operations, each once ---- */

static uint32_t mix(uint32_t h, uint32_t x) {
  h = (h ^ x) * 0x9E3779B1U;
  return h ^ (h >> 15);
}

static uint32_t hash(const hysi_tp_op *o) {
  uint32_t words[4], h = mix(mix(mix(o->kind, o->function), o->a), o->kind == HYSI_TP_CHAIN ? 0 : o->b);

  memcpy(words, &o->value, sizeof words);
  for (size_t i = 0; i < 4; i++)
    h = mix(h, words[i]);
  return mix(h, o->sign < 0.0);
}

static bool same(const hysi_tp_op *p, const hysi_tp_op *q) {
  return p->kind == q->kind && p->function == q->function && p->a == q->a &&
         (p->b == q->b || p->kind == HYSI_TP_CHAIN) && (p->sign < 0.0) == (q->sign < 0.0) &&
         hys_interval_equal(p->value, q->value);
}

static hys_status grow(hysi_tp_program *p) {
  const uint32_t capacity = p->capacity == 0 ? 64 : 2 * p->capacity, buckets = 4 * capacity;
  hysi_tp_op *op = hys_allocate(of(p), capacity * sizeof *op);
  uint32_t *bucket = hys_allocate(of(p), buckets * sizeof *bucket);

  if (op == NULL || bucket == NULL) {
    hys_release(of(p), op);
    hys_release(of(p), bucket);
    return HYS_ERR_MEMORY;
  }
  if (p->n > 0)
    memcpy(op, p->op, p->n * sizeof *op);
  memset(bucket, 0, buckets * sizeof *bucket);
  for (uint32_t i = 0; i < p->n; i++) {
    uint32_t at = hash(&op[i]) % buckets;
    while (bucket[at] != 0)
      at = (at + 1) % buckets;
    bucket[at] = i + 1;
  }
  hys_release(of(p), p->op);
  hys_release(of(p), p->bucket);
  p->op = op;
  p->bucket = bucket;
  p->capacity = capacity;
  p->buckets = buckets;
  return HYS_OK;
}

static hys_status put(hysi_tp_program *p, hysi_tp_op o, uint32_t *result) {
  hys_status status;
  uint32_t at;

  if (p->n == p->capacity) {
    if (p->n >= MAX_OPS)
      return HYS_ERR_LIMIT;
    status = grow(p);
    if (status != HYS_OK)
      return status;
  }
  for (at = hash(&o) % p->buckets; p->bucket[at] != 0; at = (at + 1) % p->buckets)
    if (same(&p->op[p->bucket[at] - 1], &o)) {
      *result = p->bucket[at] - 1;
      return HYS_OK;
    }
  p->op[p->n] = o;
  p->bucket[at] = p->n + 1;
  p->n_abs += o.kind == HYSI_TP_ABS;
  p->n_div += o.kind == HYSI_TP_DIV;
  *result = p->n++;
  return HYS_OK;
}

/* ---- trees ---- */

/* A compilation: the first fault stays, and what follows it does nothing. */
typedef struct builder {
  hysi_tp_program *p;
  hys_status status;
} builder;

static uint32_t add_op(builder *b, hysi_tp_op o) {
  uint32_t result = 0;

  if (b->status == HYS_OK)
    b->status = put(b->p, o, &result);
  return result;
}

static uint32_t constant(builder *b, hys_interval value) {
  return add_op(b, (hysi_tp_op){.kind = HYSI_TP_CONSTANT, .value = {value.lo + 0.0, value.hi + 0.0}});
}

static uint32_t number(builder *b, double value) {
  return constant(b, hys_interval_point(value));
}

static const hysi_tp_op *at(const builder *b, uint32_t i) {
  return &b->p->op[i];
}

static bool is_constant(const builder *b, uint32_t i) {
  return b->status == HYS_OK && at(b, i)->kind == HYSI_TP_CONSTANT;
}

static bool is_number(const builder *b, uint32_t i, double x) {
  return is_constant(b, i) && at(b, i)->value.lo == x && at(b, i)->value.hi == x;
}

static uint32_t negate(builder *b, uint32_t x) {
  if (is_constant(b, x))
    return constant(b, hys_interval_neg(at(b, x)->value));
  if (b->status == HYS_OK && at(b, x)->kind == HYSI_TP_NEG)
    return at(b, x)->a;
  return add_op(b, (hysi_tp_op){.kind = HYSI_TP_NEG, .a = x});
}

static uint32_t add(builder *b, uint32_t x, uint32_t y) {
  if (is_constant(b, x) && is_constant(b, y))
    return constant(b, hys_interval_add_exact(at(b, x)->value, at(b, y)->value));
  if (is_number(b, x, 0.0))
    return y;
  if (is_number(b, y, 0.0))
    return x;
  return add_op(b, (hysi_tp_op){.kind = HYSI_TP_ADD, .a = x < y ? x : y, .b = x < y ? y : x});
}

static uint32_t subtract(builder *b, uint32_t x, uint32_t y) {
  if (is_constant(b, x) && is_constant(b, y))
    return constant(b, hys_interval_add_exact(at(b, x)->value, hys_interval_neg(at(b, y)->value)));
  if (is_number(b, y, 0.0))
    return x;
  if (is_number(b, x, 0.0))
    return negate(b, y);
  return add_op(b, (hysi_tp_op){.kind = HYSI_TP_SUB, .a = x, .b = y});
}

static uint32_t multiply(builder *b, uint32_t x, uint32_t y) {
  if (is_constant(b, x) && is_constant(b, y))
    return constant(b, hys_interval_mul_exact(at(b, x)->value, at(b, y)->value));
  if (is_number(b, x, 0.0) || is_number(b, y, 1.0))
    return x;
  if (is_number(b, y, 0.0) || is_number(b, x, 1.0))
    return y;
  if (is_number(b, x, -1.0))
    return negate(b, y);
  if (is_number(b, y, -1.0))
    return negate(b, x);
  if (x == y)
    return add_op(b, (hysi_tp_op){.kind = HYSI_TP_SQR, .a = x});
  return add_op(b, (hysi_tp_op){.kind = HYSI_TP_MUL, .a = x < y ? x : y, .b = x < y ? y : x});
}

static uint32_t divide(builder *b, uint32_t x, uint32_t y) {
  if (is_constant(b, x) && is_constant(b, y))
    return constant(b, hys_interval_div_exact(at(b, x)->value, at(b, y)->value));
  if (is_constant(b, y)) /* times its inverse: a product costs less; exact where that is */
    return multiply(b, x, constant(b, hys_interval_div_exact(hys_interval_point(1.0), at(b, y)->value)));
  return add_op(b, (hysi_tp_op){.kind = HYSI_TP_DIV, .a = x, .b = y});
}

/* The operation of f(x) before its derivative is known; the caller sets that. */
static uint32_t chain(builder *b, hysi_function f, double sign, uint32_t x, hys_interval exponent,
                      bool *fresh) {
  const hysi_tp_op o = {
      .kind = HYSI_TP_CHAIN, .function = (uint8_t)f, .sign = sign, .a = x, .b = 0, .value = exponent};
  const uint32_t before = b->p->n, result = add_op(b, o);

  *fresh = b->status == HYS_OK && result == before;
  return result;
}

static hys_interval function_value(hysi_function f, hys_interval x, hys_interval exponent) {
  hys_interval out[2];

  hysi_function_series(f, exponent, x, 1, out);
  return out[0];
}

/* b of a chain; the hash table does not look at it. */
static void set_derivative(builder *b, uint32_t g, uint32_t q) {
  if (b->status == HYS_OK)
    b->p->op[g].b = q;
}

static uint32_t sine_or_cosine(builder *b, hysi_function f, uint32_t x) {
  const hys_interval zero = {0.0, 0.0};
  bool fresh, other;
  const uint32_t s = chain(b, HYSI_SIN, 1.0, x, zero, &fresh);
  const uint32_t c = chain(b, HYSI_COS, -1.0, x, zero, &other);

  set_derivative(b, s, c);
  set_derivative(b, c, s);
  return f == HYSI_SIN ? s : c;
}

static uint32_t function(builder *b, hysi_function f, uint32_t x, hys_interval exponent) {
  uint32_t g, q;
  bool fresh;

  if (b->status != HYS_OK)
    return 0;
  if (is_constant(b, x))
    return constant(b, function_value(f, at(b, x)->value, exponent));
  if (f == HYSI_SIN || f == HYSI_COS)
    return sine_or_cosine(b, f, x);
  g = chain(b, f, 1.0, x, exponent, &fresh);
  if (!fresh)
    return g;
  switch (f) {
  case HYSI_EXP:
    q = g;
    break;
  case HYSI_LOG:
    q = divide(b, number(b, 1.0), x);
    break;
  case HYSI_TAN:
    q = add(b, number(b, 1.0), multiply(b, g, g));
    break;
  case HYSI_TANH:
    q = subtract(b, number(b, 1.0), multiply(b, g, g));
    break;
  case HYSI_ATAN:
    q = divide(b, number(b, 1.0), add(b, number(b, 1.0), multiply(b, x, x)));
    break;
  case HYSI_POWER:
    q = multiply(b, constant(b, exponent), divide(b, g, x));
    break;
  default:
    q = 0;
    break;
  }
  set_derivative(b, g, q);
  return g;
}

static uint32_t natural_power(builder *b, uint32_t x, uint32_t n) {
  uint32_t result = number(b, 1.0), square = x;

  for (; n > 0; n /= 2) {
    if (n % 2 == 1)
      result = multiply(b, result, square);
    if (n > 1)
      square = multiply(b, square, square);
  }
  return result;
}

static uint32_t power(builder *b, uint32_t x, uint32_t y) {
  const hys_interval zero = {0.0, 0.0};

  if (is_constant(b, x) && is_constant(b, y))
    return constant(b, hys_interval_pow(at(b, x)->value, at(b, y)->value));
  if (is_constant(b, y)) {
    const hys_interval e = at(b, y)->value;
    if (e.lo == e.hi && e.lo == floor(e.lo) && fabs(e.lo) <= 1e6) {
      const uint32_t p = natural_power(b, x, (uint32_t)fabs(e.lo));
      return e.lo >= 0.0 ? p : divide(b, number(b, 1.0), p);
    }
    return function(b, HYSI_POWER, x, e);
  }
  return function(b, HYSI_EXP, multiply(b, y, function(b, HYSI_LOG, x, zero)), zero);
}

static uint32_t absolute(builder *b, uint32_t x) {
  if (is_constant(b, x))
    return constant(b, hys_interval_abs(at(b, x)->value));
  return add_op(b, (hysi_tp_op){.kind = HYSI_TP_ABS, .a = x});
}

/* min and max: half the sum and half the distance. */
static uint32_t extreme(builder *b, double sign, uint32_t x, uint32_t y) {
  const uint32_t half = number(b, 0.5), d = absolute(b, subtract(b, x, y));
  const uint32_t sum = add(b, x, y);

  return multiply(b, half, sign > 0.0 ? add(b, sum, d) : subtract(b, sum, d));
}

static uint32_t node(builder *b, const hys_expr_node *k, const uint32_t *done, const uint32_t *state) {
  const hys_interval zero = {0.0, 0.0}, half = {0.5, 0.5};
  const bool one = k->op >= HYS_EXPR_NEG && k->op <= HYS_EXPR_MAX;
  const bool two =
      (k->op >= HYS_EXPR_ADD && k->op <= HYS_EXPR_POW) || k->op == HYS_EXPR_MIN || k->op == HYS_EXPR_MAX;
  const uint32_t x = one ? done[k->a] : 0;

  /* truths and lists stand between the parts of a number; who needs their value has none */
  if ((one && x == HYS_EXPR_NO_CHILD) || (two && done[k->b] == HYS_EXPR_NO_CHILD))
    return HYS_EXPR_NO_CHILD;

  switch ((hys_expr_op)k->op) {
  case HYS_EXPR_CONSTANT:
    return constant(b, k->value);
  case HYS_EXPR_VARIABLE:
    return add_op(b, (hysi_tp_op){.kind = state[k->a] == HYS_EXPR_NO_CHILD ? HYSI_TP_INPUT : HYSI_TP_STATE,
                                  .a = state[k->a] == HYS_EXPR_NO_CHILD ? k->a : state[k->a]});
  case HYS_EXPR_NEG:
    return negate(b, x);
  case HYS_EXPR_ADD:
    return add(b, x, done[k->b]);
  case HYS_EXPR_SUB:
    return subtract(b, x, done[k->b]);
  case HYS_EXPR_MUL:
    return multiply(b, x, done[k->b]);
  case HYS_EXPR_DIV:
    return divide(b, x, done[k->b]);
  case HYS_EXPR_POW:
    return power(b, x, done[k->b]);
  case HYS_EXPR_SIN:
    return function(b, HYSI_SIN, x, zero);
  case HYS_EXPR_COS:
    return function(b, HYSI_COS, x, zero);
  case HYS_EXPR_TAN:
    return function(b, HYSI_TAN, x, zero);
  case HYS_EXPR_EXP:
    return function(b, HYSI_EXP, x, zero);
  case HYS_EXPR_LOG:
    return function(b, HYSI_LOG, x, zero);
  case HYS_EXPR_SQRT:
    return function(b, HYSI_POWER, x, half);
  case HYS_EXPR_ABS:
    return absolute(b, x);
  case HYS_EXPR_TANH:
    return function(b, HYSI_TANH, x, zero);
  case HYS_EXPR_ATAN:
    return function(b, HYSI_ATAN, x, zero);
  case HYS_EXPR_MIN:
    return extreme(b, -1.0, x, done[k->b]);
  case HYS_EXPR_MAX:
    return extreme(b, 1.0, x, done[k->b]);
  default:
    return HYS_EXPR_NO_CHILD;
  }
}

hys_status hysi_tp_program_compile(hysi_tp_program *p, const hys_expr *e, const uint32_t *state,
                                   uint32_t *result) {
  builder b = {p, HYS_OK};
  uint32_t *done, first;

  if (e->n == 0)
    return HYS_ERR_ARG;
  done = hys_allocate(of(p), e->n * sizeof *done);
  if (done == NULL)
    return HYS_ERR_MEMORY;
  first = hys_expr_first(e, e->n - 1);
  for (uint32_t i = first; i < e->n && b.status == HYS_OK; i++)
    done[i] = node(&b, &e->node[i], done, state);
  if (b.status == HYS_OK && done[e->n - 1] == HYS_EXPR_NO_CHILD)
    b.status = HYS_ERR_UNSUPPORTED;
  if (b.status == HYS_OK)
    *result = done[e->n - 1];
  hys_release(of(p), done);
  return b.status;
}

hys_status hysi_tp_program_shift(hysi_tp_program *p, uint32_t a, hys_interval value, uint32_t *result) {
  builder b = {p, HYS_OK};

  *result = add(&b, a, constant(&b, value));
  return b.status;
}
