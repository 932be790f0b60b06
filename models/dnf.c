/* Formulas as unions of conjunctions.  Conjunctions are ropes (joined in constant time, written out once at
 * the end), so that a hundred thousand conjuncts stay linear; only disjunctions multiply, up to a limit. */
#include <string.h>

#include "models/flatten.h"

enum { POSITIVE, NEGATIVE };
#define ROPE_EMPTY UINT32_MAX

typedef struct rope {
  bool leaf;
  hysi_literal literal;
  uint32_t left, right;
} rope;

/* The disjuncts of a node, read straight and negated. */
typedef struct listing {
  uint32_t *rope[2];
  uint32_t n[2];
  bool need[2];
} listing;

typedef struct normal {
  hysi_flat *flat;
  const hysi_formula *f;
  rope *ropes;
  uint32_t n_ropes, capacity;
  listing *of;
  bool refused;
} normal;

static uint32_t add_rope(normal *d, rope r) {
  d->ropes = hysi_grow(d->flat->arena, d->ropes, d->n_ropes, &d->capacity, sizeof *d->ropes);
  if (d->ropes == NULL)
    return ROPE_EMPTY;
  d->ropes[d->n_ropes] = r;
  return d->n_ropes++;
}

static bool make_list(normal *d, uint32_t node, int sign, size_t n) {
  listing *l = &d->of[node];

  if (n > HYS_MAX_DISJUNCTS) {
    hysi_refuse(d->flat, HYS_ERR_LIMIT, d->f, node, "this has more than %d alternatives (HYS_MAX_DISJUNCTS)",
                HYS_MAX_DISJUNCTS);
    d->refused = true;
    return false;
  }
  l->rope[sign] = hys_arena_alloc(d->flat->arena, n, sizeof *l->rope[sign]);
  l->n[sign] = (uint32_t)n;
  return l->rope[sign] != NULL;
}

static bool leaves(normal *d, uint32_t node, int sign, const uint8_t *ops, size_t n) {
  if (!make_list(d, node, sign, n))
    return false;
  for (size_t i = 0; i < n; i++) {
    const uint32_t r = add_rope(d, (rope){.leaf = true, .literal = {node, ops[i]}});
    if (r == ROPE_EMPTY)
      return false;
    d->of[node].rope[sign][i] = r;
  }
  return true;
}

static bool comparison(normal *d, uint32_t node, int sign) {
  static const uint8_t opposite[] = {HYS_EXPR_GE, HYS_EXPR_GT, HYS_EXPR_LE, HYS_EXPR_LT};
  static const uint8_t apart[] = {HYS_EXPR_LT, HYS_EXPR_GT};
  const uint8_t op = d->f->e->node[node].op, same[] = {HYS_EXPR_EQ};

  if (op == HYS_EXPR_EQ || op == HYS_EXPR_NE)
    return (op == HYS_EXPR_EQ) == (sign == POSITIVE) ? leaves(d, node, sign, same, 1)
                                                     : leaves(d, node, sign, apart, 2);
  return leaves(d, node, sign, sign == POSITIVE ? &op : &opposite[op - HYS_EXPR_LT], 1);
}

/* Every disjunct of one with every disjunct of the other. */
static bool both(normal *d, uint32_t node, int sign, uint32_t a, uint32_t b) {
  const listing *p = &d->of[a], *q = &d->of[b];
  uint32_t k = 0;

  if (!make_list(d, node, sign, (size_t)p->n[sign] * q->n[sign]))
    return false;
  for (uint32_t i = 0; i < p->n[sign]; i++) {
    for (uint32_t j = 0; j < q->n[sign]; j++) {
      const uint32_t left = p->rope[sign][i], right = q->rope[sign][j];
      uint32_t r = left == ROPE_EMPTY ? right : left;
      if (left != ROPE_EMPTY && right != ROPE_EMPTY) {
        r = add_rope(d, (rope){.left = left, .right = right});
        if (r == ROPE_EMPTY)
          return false;
      }
      d->of[node].rope[sign][k++] = r;
    }
  }
  return true;
}

static bool either(normal *d, uint32_t node, int sign, uint32_t a, uint32_t b) {
  const listing *p = &d->of[a], *q = &d->of[b];

  if (!make_list(d, node, sign, (size_t)p->n[sign] + q->n[sign]))
    return false;
  memcpy(d->of[node].rope[sign], p->rope[sign], p->n[sign] * sizeof(uint32_t));
  memcpy(d->of[node].rope[sign] + p->n[sign], q->rope[sign], q->n[sign] * sizeof(uint32_t));
  return true;
}

static bool expand(normal *d, uint32_t node, int sign) {
  const hys_expr_node *k = &d->f->e->node[node];
  const uint8_t here[] = {HYS_EXPR_LOCATION}, elsewhere[] = {HYS_EXPR_NOT};

  switch ((hys_expr_op)k->op) {
  case HYS_EXPR_AND:
    return sign == POSITIVE ? both(d, node, sign, k->a, k->b) : either(d, node, sign, k->a, k->b);
  case HYS_EXPR_OR:
    return sign == POSITIVE ? either(d, node, sign, k->a, k->b) : both(d, node, sign, k->a, k->b);
  case HYS_EXPR_NOT:
    d->of[node].rope[sign] = d->of[k->a].rope[1 - sign];
    d->of[node].n[sign] = d->of[k->a].n[1 - sign];
    return true;
  case HYS_EXPR_TRUE:
  case HYS_EXPR_FALSE:
    if (!make_list(d, node, sign, (k->op == HYS_EXPR_TRUE) == (sign == POSITIVE) ? 1 : 0))
      return false;
    if (d->of[node].n[sign] > 0)
      d->of[node].rope[sign][0] = ROPE_EMPTY;
    return true;
  case HYS_EXPR_LOCATION:
    return leaves(d, node, sign, sign == POSITIVE ? here : elsewhere, 1);
  default:
    return comparison(d, node, sign);
  }
}

/* Which sign of which node is asked for: parents stand behind their children. */
static void mark_needs(normal *d) {
  const hys_expr *e = d->f->e;

  d->of[e->n - 1].need[POSITIVE] = true;
  for (uint32_t i = e->n; i > 0; i--) {
    const hys_expr_node *k = &e->node[i - 1];
    for (int sign = 0; sign < 2; sign++) {
      if (!d->of[i - 1].need[sign])
        continue;
      if (k->op == HYS_EXPR_AND || k->op == HYS_EXPR_OR)
        d->of[k->a].need[sign] = d->of[k->b].need[sign] = true;
      else if (k->op == HYS_EXPR_NOT)
        d->of[k->a].need[1 - sign] = true;
    }
  }
}

/* The leaves of a rope, left to right. */
static hys_status write_out(const normal *d, uint32_t root, uint32_t *stack, hysi_conjunct *out) {
  uint32_t depth = 0, n = 0;

  for (int pass = 0; pass < 2; pass++) {
    if (pass == 1) {
      out->literal = hys_arena_alloc(d->flat->arena, n, sizeof *out->literal);
      if (out->literal == NULL)
        return HYS_ERR_MEMORY;
      out->n = n;
      n = 0;
    }
    if (root != ROPE_EMPTY)
      stack[depth++] = root;
    while (depth > 0) {
      const rope *r = &d->ropes[stack[--depth]];
      if (!r->leaf) {
        stack[depth++] = r->right;
        stack[depth++] = r->left;
      } else {
        if (pass == 1)
          out->literal[n] = r->literal;
        n++;
      }
    }
  }
  return HYS_OK;
}

hys_status hysi_dnf(hysi_flat *flat, const hysi_formula *f, hysi_conjunct **out, uint32_t *n) {
  normal d = {.flat = flat, .f = f};
  const listing *root;
  uint32_t *stack;

  *out = NULL;
  *n = 0;
  d.of = hys_arena_alloc(flat->arena, f->e->n, sizeof *d.of);
  if (d.of == NULL)
    return HYS_ERR_MEMORY;
  mark_needs(&d);
  for (uint32_t i = 0; i < f->e->n; i++) {
    for (int sign = 0; sign < 2; sign++) {
      if (d.of[i].need[sign] && !expand(&d, i, sign))
        return d.refused ? HYS_OK : HYS_ERR_MEMORY;
    }
  }
  root = &d.of[f->e->n - 1];
  *out = hys_arena_alloc(flat->arena, root->n[POSITIVE], sizeof **out);
  stack = hys_arena_alloc(flat->arena, (size_t)d.n_ropes + 1, sizeof *stack);
  if (*out == NULL || stack == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t i = 0; i < root->n[POSITIVE]; i++) {
    const hys_status status = write_out(&d, root->rope[POSITIVE][i], stack, &(*out)[i]);
    if (status != HYS_OK)
      return status;
  }
  *n = root->n[POSITIVE];
  return HYS_OK;
}
