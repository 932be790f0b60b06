/* Lists of vectors, and the conversion between the two descriptions of a cone.  Private to
 * core/polyhedron*.c.
 */
#ifndef HYSHIELD_CORE_POLYHEDRON_INTERNAL_H
#define HYSHIELD_CORE_POLYHEDRON_INTERNAL_H

#include "core/polyhedron.h"

/* Vectors of d numbers; a full one stands for itself and its opposite: a line, or an equation. */
typedef struct hysi_vectors {
  fmpz *v;
  bool *full, *strict;
  size_t n, capacity;
} hysi_vectors;

void hysi_vectors_clear(const hys_allocator *al, hysi_vectors *l, size_t d);
/* The next vector, zero or old numbers, to be filled.  HYS_ERR_LIMIT, HYS_ERR_MEMORY. */
hys_status hysi_vectors_append(const hys_allocator *al, hysi_vectors *l, size_t d, bool full, bool strict,
                               fmpz **v);
hys_status hysi_vectors_copy(const hys_allocator *al, hysi_vectors *to, const hysi_vectors *from, size_t d);
void hysi_vector_reduce(fmpz *v, size_t d); /* without common factor */

/* The extreme rays and the lines of the cone of all x with v . x >= 0 (== 0 where v is full), of x[0] >= 0
 * too if `positive`. */
hys_status hysi_polyhedron_convert(const hys_allocator *al, size_t d, const hysi_vectors *in, bool positive,
                                   hysi_vectors *out);

#endif
