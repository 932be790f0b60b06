/* Lists of vectors. */
#include <string.h>

#include <flint/fmpz_vec.h>

#include "core/polyhedron_internal.h"

void hysi_vectors_clear(const hys_allocator *al, hysi_vectors *l, size_t d) {
  for (size_t i = 0; i < l->capacity * d; i++)
    fmpz_clear(l->v + i);
  hys_release(al, l->v);
  hys_release(al, l->full);
  hys_release(al, l->strict);
  memset(l, 0, sizeof *l);
}

static hys_status room(const hys_allocator *al, hysi_vectors *l, size_t d, size_t count) {
  const size_t more = 2 * count < 8 ? 8 : 2 * count;
  hysi_vectors b = {NULL, NULL, NULL, l->n, more};

  if (count <= l->capacity)
    return HYS_OK;
  if (count > HYSI_POLYHEDRON_MAX_GENERATORS)
    return HYS_ERR_LIMIT;
  b.v = hys_allocate(al, more * d * sizeof *b.v);
  b.full = hys_allocate(al, more * sizeof *b.full);
  b.strict = hys_allocate(al, more * sizeof *b.strict);
  if (b.v == NULL || b.full == NULL || b.strict == NULL) {
    hys_release(al, b.v);
    hys_release(al, b.full);
    hys_release(al, b.strict);
    return HYS_ERR_MEMORY;
  }
  for (size_t i = 0; i < more * d; i++)
    fmpz_init(b.v + i);
  for (size_t i = 0; i < l->n * d; i++)
    fmpz_swap(b.v + i, l->v + i);
  if (l->n > 0) {
    memcpy(b.full, l->full, l->n * sizeof *b.full);
    memcpy(b.strict, l->strict, l->n * sizeof *b.strict);
  }
  hysi_vectors_clear(al, l, d);
  *l = b;
  return HYS_OK;
}

/* The next vector, to be filled. */
hys_status hysi_vectors_append(const hys_allocator *al, hysi_vectors *l, size_t d, bool full, bool strict,
                               fmpz **v) {
  const hys_status status = room(al, l, d, l->n + 1);

  if (status != HYS_OK)
    return status;
  *v = l->v + l->n * d;
  l->full[l->n] = full;
  l->strict[l->n++] = strict;
  return HYS_OK;
}

hys_status hysi_vectors_copy(const hys_allocator *al, hysi_vectors *to, const hysi_vectors *from, size_t d) {
  hys_status status = room(al, to, d, from->n);

  to->n = 0;
  for (size_t k = 0; k < from->n && status == HYS_OK; k++) {
    fmpz *v;
    status = hysi_vectors_append(al, to, d, from->full[k], from->strict[k], &v);
    if (status == HYS_OK)
      _fmpz_vec_set(v, from->v + k * d, (slong)d);
  }
  return status;
}

/* Without common factor. */
void hysi_vector_reduce(fmpz *v, size_t d) {
  fmpz_t g;

  fmpz_init(g);
  _fmpz_vec_content(g, v, (slong)d);
  if (!fmpz_is_zero(g) && !fmpz_is_one(g))
    _fmpz_vec_scalar_divexact_fmpz(v, v, (slong)d, g);
  fmpz_clear(g);
}
