/* From rows to generators and back: the double description method. */
#include <string.h>

#include <flint/fmpz_vec.h>

#include "core/polyhedron_internal.h"

/* A ray of the cone while rows come in one by one: its vector, and which of them it lies on. */
typedef struct beam {
  fmpz *v;
  uint64_t *on;
  fmpz dot;
  int sign;
} beam;

typedef struct beams {
  beam *b;
  size_t n, capacity;
} beams;

typedef struct conversion {
  const hys_allocator *al;
  size_t d, words, done, lines;
  fmpz *line; /* d vectors; the first `lines` of them count */
  beams rays;
} conversion;

static void drop(const conversion *c, beam *b) {
  _fmpz_vec_clear(b->v, (slong)c->d);
  fmpz_clear(&b->dot);
  hys_release(c->al, b->on);
  b->v = NULL;
}

static hys_status new_beam(conversion *c, beams *to, beam **out) {
  beam *b;

  if (to->n == to->capacity) {
    const size_t more = to->capacity == 0 ? 32 : 2 * to->capacity;
    beam *bigger;
    if (to->n > HYSI_POLYHEDRON_MAX_GENERATORS)
      return HYS_ERR_LIMIT;
    bigger = hys_allocate(c->al, more * sizeof *bigger);
    if (bigger == NULL)
      return HYS_ERR_MEMORY;
    if (to->n > 0)
      memcpy(bigger, to->b, to->n * sizeof *bigger);
    hys_release(c->al, to->b);
    to->b = bigger;
    to->capacity = more;
  }
  b = &to->b[to->n];
  b->on = hys_allocate(c->al, c->words * sizeof *b->on);
  if (b->on == NULL)
    return HYS_ERR_MEMORY;
  memset(b->on, 0, c->words * sizeof *b->on);
  b->v = _fmpz_vec_init((slong)c->d);
  fmpz_init(&b->dot);
  b->sign = 0;
  to->n++;
  *out = b;
  return HYS_OK;
}

static void mark(beam *b, size_t row) {
  b->on[row / 64] |= UINT64_C(1) << (row % 64);
}

/* Both lie on a face of two dimensions (beyond the lines): no third lies on all the rows that both lie on. */
static bool adjacent(const conversion *c, const beam *p, const beam *q) {
  size_t common = 0;

  for (size_t w = 0; w < c->words; w++)
    common += (size_t)__builtin_popcountll(p->on[w] & q->on[w]);
#ifdef HYS_PLANT_POLYHEDRON_EDGE
  if (common + 1 + c->lines < c->d)
    return false;
#endif
  if (common + 2 + c->lines < c->d)
    return false;
  for (size_t k = 0; k < c->rays.n; k++) {
    const beam *r = &c->rays.b[k];
    bool all = r != p && r != q;
    for (size_t w = 0; all && w < c->words; w++)
      all = (p->on[w] & q->on[w] & ~r->on[w]) == 0;
    if (all)
      return false;
  }
  return true;
}

/* v := v * a - u * b, reduced. */
static void combine(fmpz *v, const fmpz_t a, const fmpz *u, const fmpz_t b, size_t d) {
  _fmpz_vec_scalar_mul_fmpz(v, v, (slong)d, a);
  _fmpz_vec_scalar_submul_fmpz(v, u, (slong)d, b);
  hysi_vector_reduce(v, d);
}

/* A row that some line does not lie on: the line becomes a ray (of an equation: goes), all others are moved
 * along it onto the row. */
static hys_status use_line(conversion *c, size_t pivot, const fmpz *row, bool full) {
  fmpz *p = c->line + pivot * c->d, *last = c->line + (c->lines - 1) * c->d;
  fmpz_t dot, other;
  hys_status status = HYS_OK;

  fmpz_init(dot);
  fmpz_init(other);
  _fmpz_vec_dot(dot, row, p, (slong)c->d);
  if (fmpz_sgn(dot) < 0) {
    _fmpz_vec_neg(p, p, (slong)c->d);
    fmpz_mul_si(dot, dot, -1);
  }
  for (size_t k = 0; k < c->lines; k++)
    if (k != pivot) {
      fmpz *l = c->line + k * c->d;
      _fmpz_vec_dot(other, row, l, (slong)c->d);
      if (!fmpz_is_zero(other))
        combine(l, dot, p, other, c->d);
    }
  for (size_t k = 0; k < c->rays.n; k++) {
    beam *r = &c->rays.b[k];
    _fmpz_vec_dot(other, row, r->v, (slong)c->d);
    if (!fmpz_is_zero(other))
      combine(r->v, dot, p, other, c->d);
    mark(r, c->done);
  }
  if (!full) {
    beam *r;
    status = new_beam(c, &c->rays, &r);
    if (status == HYS_OK) {
      _fmpz_vec_set(r->v, p, (slong)c->d);
      for (size_t k = 0; k < c->done; k++)
        mark(r, k); /* a line lay on all of them */
    }
  }
  if (p != last)
    _fmpz_vec_swap(p, last, (slong)c->d);
  c->lines--;
  fmpz_clear(dot);
  fmpz_clear(other);
  return status;
}

static hys_status split(conversion *c, const fmpz *row, bool full) {
  beams next = {NULL, 0, 0};
  hys_status status = HYS_OK;
  bool any = false;

  for (size_t k = 0; k < c->rays.n; k++) {
    beam *r = &c->rays.b[k];
    _fmpz_vec_dot(&r->dot, row, r->v, (slong)c->d);
    r->sign = fmpz_sgn(&r->dot);
    any = any || r->sign < 0 || (full && r->sign > 0);
  }
  for (size_t i = 0; any && i < c->rays.n && status == HYS_OK; i++)
    for (size_t k = 0; c->rays.b[i].sign > 0 && k < c->rays.n && status == HYS_OK; k++) {
      const beam *p = &c->rays.b[i], *q = &c->rays.b[k];
      beam *r;
      if (q->sign >= 0 || !adjacent(c, p, q))
        continue;
      status = new_beam(c, &next, &r);
      if (status != HYS_OK)
        break;
      _fmpz_vec_set(r->v, q->v, (slong)c->d);
      combine(r->v, &p->dot, p->v, &q->dot, c->d);
      if (_fmpz_vec_max_bits(r->v, (slong)c->d) > HYSI_POLYHEDRON_MAX_BITS ||
          _fmpz_vec_max_bits(r->v, (slong)c->d) < -HYSI_POLYHEDRON_MAX_BITS)
        status = HYS_ERR_LIMIT;
      for (size_t w = 0; w < c->words; w++)
        r->on[w] = p->on[w] & q->on[w];
      mark(r, c->done);
    }
  if (status == HYS_OK) {
    size_t kept = 0;
    for (size_t k = 0; k < c->rays.n; k++) {
      beam *r = &c->rays.b[k];
      if (r->sign < 0 || (full && r->sign > 0)) {
        drop(c, r);
        continue;
      }
      if (r->sign == 0)
        mark(r, c->done);
      if (kept != k)
        c->rays.b[kept] = *r;
      kept++;
    }
    c->rays.n = kept;
    for (size_t k = 0; k < next.n && status == HYS_OK; k++) {
      beam *r;
      if (c->rays.n == c->rays.capacity) {
        status = new_beam(c, &c->rays, &r); /* makes room */
        if (status == HYS_OK) {
          drop(c, r);
          c->rays.n--;
        }
      }
      if (status == HYS_OK) {
        c->rays.b[c->rays.n++] = next.b[k];
        next.b[k].v = NULL;
      }
    }
  }
  for (size_t k = 0; k < next.n; k++)
    if (next.b[k].v != NULL)
      drop(c, &next.b[k]);
  hys_release(c->al, next.b);
  return status;
}

static hys_status one_row(conversion *c, const fmpz *row, bool full) {
  hys_status status = HYS_OK;
  bool used = false;
  fmpz_t dot;

  fmpz_init(dot);
  for (size_t k = 0; k < c->lines && !used; k++) {
    _fmpz_vec_dot(dot, row, c->line + k * c->d, (slong)c->d);
    if (!fmpz_is_zero(dot)) {
      status = use_line(c, k, row, full);
      used = true;
    }
  }
  fmpz_clear(dot);
  if (!used)
    status = split(c, row, full);
  c->done++;
  return status;
}

/* The extreme rays and the lines of the cone of all x with v . x >= 0 (== 0 where v is full). */
hys_status hysi_polyhedron_convert(const hys_allocator *al, size_t d, const hysi_vectors *in, bool positive,
                                   hysi_vectors *out) {
  conversion c = {.al = al, .d = d, .words = (in->n + 1) / 64 + 1, .lines = d};
  fmpz *first;
  hys_status status = HYS_OK;

  c.line = hys_allocate(al, d * d * sizeof *c.line);
  if (c.line == NULL)
    return HYS_ERR_MEMORY;
  for (size_t i = 0; i < d * d; i++)
    fmpz_init_set_si(c.line + i, i / d == i % d);
  first = _fmpz_vec_init((slong)d);
  fmpz_one(first);
  if (positive)
    status = one_row(&c, first, false);
  for (int turn = 0; turn < 2; turn++) /* equations first */
    for (size_t k = 0; k < in->n && status == HYS_OK; k++)
      if (in->full[k] == (turn == 0))
        status = one_row(&c, in->v + k * d, in->full[k]);
  out->n = 0;
  for (size_t k = 0; k < c.rays.n + c.lines && status == HYS_OK; k++) {
    const bool line = k < c.lines;
    fmpz *v;
    status = hysi_vectors_append(al, out, d, line, false, &v);
    if (status == HYS_OK)
      _fmpz_vec_set(v, line ? c.line + k * d : c.rays.b[k - c.lines].v, (slong)d);
  }
  _fmpz_vec_clear(first, (slong)d);
  for (size_t i = 0; i < d * d; i++)
    fmpz_clear(c.line + i);
  hys_release(al, c.line);
  for (size_t k = 0; k < c.rays.n; k++)
    drop(&c, &c.rays.b[k]);
  hys_release(al, c.rays.b);
  return status;
}
