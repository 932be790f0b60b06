#include "core/zonotope.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/rounding.h"

static const double none[1] = {0.0};

hys_status hys_zonotope_open(hys_zonotope *z, size_t n, size_t capacity, const hys_allocator *allocator) {
  memset(z, 0, sizeof *z);
  if (n == 0)
    return HYS_ERR_ARG;
  z->n = n;
  z->allocator = allocator;
  z->center = hys_allocate(allocator, 2 * n * sizeof *z->center);
  if (z->center == NULL)
    return HYS_ERR_MEMORY;
  memset(z->center, 0, 2 * n * sizeof *z->center);
  z->radius = z->center + n;
  if (capacity > 0) {
    z->generator = hys_allocate(allocator, n * capacity * sizeof *z->generator);
    if (z->generator == NULL) {
      hys_zonotope_close(z);
      return HYS_ERR_MEMORY;
    }
    z->capacity = capacity;
  }
  return HYS_OK;
}

void hys_zonotope_close(hys_zonotope *z) {
  if (z->center != NULL)
    hys_release(z->allocator, z->center);
  if (z->generator != NULL)
    hys_release(z->allocator, z->generator);
  memset(z, 0, sizeof *z);
}

/* Room for g generators in all; those there are stay. */
static hys_status reserve(hys_zonotope *z, size_t g) {
  size_t more = z->capacity == 0 ? 8 : z->capacity;
  double *bigger;

  if (g <= z->capacity)
    return HYS_OK;
  while (more < g)
    more *= 2;
  bigger = hys_allocate(z->allocator, z->n * more * sizeof *bigger);
  if (bigger == NULL)
    return HYS_ERR_MEMORY;
  if (z->generator != NULL) {
    memcpy(bigger, z->generator, z->n * z->g * sizeof *bigger);
    hys_release(z->allocator, z->generator);
  }
  z->generator = bigger;
  z->capacity = more;
  return HYS_OK;
}

hys_status hys_zonotope_copy(hys_zonotope *z, const hys_zonotope *y) {
  hys_status status;

  if (z->n != y->n)
    return HYS_ERR_ARG;
  status = reserve(z, y->g);
  if (status != HYS_OK)
    return status;
  memcpy(z->center, y->center, z->n * sizeof *z->center);
  memcpy(z->radius, y->radius, z->n * sizeof *z->radius);
  memcpy(z->generator != NULL ? z->generator : z->center, y->generator != NULL ? y->generator : y->center,
         (y->g > 0 ? z->n * y->g : 0) * sizeof *z->generator);
  z->g = y->g;
  return HYS_OK;
}

hys_status hys_zonotope_from_box(hys_zonotope *z, const hys_interval *x) {
  size_t g = 0;
  hys_status status;

  for (size_t i = 0; i < z->n; i++) {
    if (!(fabs(x[i].lo) <= DBL_MAX && fabs(x[i].hi) <= DBL_MAX))
      return HYS_ERR_NUMERIC;
    g += x[i].lo != x[i].hi;
  }
  status = reserve(z, g);
  if (status != HYS_OK)
    return status;
  memset(z->generator != NULL ? z->generator : z->radius, 0, (g > 0 ? z->n * g : 0) * sizeof *z->generator);
  memset(z->radius, 0, z->n * sizeof *z->radius);
  z->g = 0;
  for (size_t i = 0; i < z->n; i++) {
    z->center[i] = hys_interval_mid(x[i]);
    if (x[i].lo != x[i].hi)
      z->generator[z->n * z->g++ + i] =
          fmax(hys_sub_up(z->center[i], x[i].lo), hys_sub_up(x[i].hi, z->center[i]));
  }
  return HYS_OK;
}

/* |x_j| of every point, from above. */
static double magnitude(const hys_zonotope *z, size_t j) {
  double sum = fabs(z->center[j]) + z->radius[j];

  for (size_t k = 0; k < z->g; k++)
    sum += fabs(z->generator[k * z->n + j]);
  return hysi_up(sum);
}

/* The nearest matrix by columns, where it is small enough: the inner loops then run along it. */
enum { MAP_ENTRIES = 400 };

hys_status hys_zonotope_map(hys_zonotope *z, const hys_interval *m, const hys_interval *v,
                            const hys_zonotope *y) {
  const size_t n = z->n, from = y->n;
  const double gamma = hysi_gamma(from + 2);
  const bool small = n * from <= MAP_ENTRIES;
  double by_column[MAP_ENTRIES], sizes[MAP_ENTRIES];
  hys_status status = reserve(z, y->g);

  if (status != HYS_OK)
    return status;
  z->g = y->g;
  if (y->g > 0)
    memset(z->generator, 0, n * y->g * sizeof *z->generator);
  for (size_t i = 0; i < n; i++) {
    z->center[i] = v != NULL ? hys_interval_mid(v[i]) : 0.0;
    z->radius[i] = v != NULL ? hys_interval_rad(v[i]) + gamma * fabs(z->center[i]) : 0.0;
  }
  for (size_t j = 0; j < from && small; j++)
    sizes[j] = fabs(y->center[j]) + y->radius[j];
  for (size_t k = 0; k < y->g && small; k++)
    for (size_t j = 0; j < from; j++)
      sizes[j] += fabs(y->generator[k * from + j]);
  for (size_t j = 0; j < from; j++) {
    const double size = small ? hysi_up(sizes[j]) : magnitude(y, j);
    for (size_t i = 0; i < n; i++) {
      const hys_interval a = m[i * from + j];
      const double p = hys_interval_mid(a), d = a.lo == a.hi ? 0.0 : hys_interval_rad(a);
      if (small)
        by_column[j * n + i] = p;
      if (p == 0.0 && d == 0.0)
        continue;
      z->center[i] += p * y->center[j];
      z->radius[i] += (d + gamma * fabs(p)) * size + (fabs(p) + d) * y->radius[j];
      for (size_t k = 0; k < y->g && !small; k++)
        z->generator[k * n + i] += p * y->generator[k * from + j];
    }
  }
  for (size_t k = 0; k < y->g && small; k++) {
    double *restrict to = z->generator + k * n;
    for (size_t j = 0; j < from; j++) {
      const double g = y->generator[k * from + j];
      const double *restrict column = by_column + j * n;
      if (g == 0.0)
        continue;
      for (size_t i = 0; i < n; i++)
        to[i] += column[i] * g;
    }
  }
  for (size_t i = 0; i < n; i++)
    z->radius[i] = z->radius[i] > 0.0 ? hysi_up(z->radius[i]) : 0.0;
  return HYS_OK;
}

hys_status hys_zonotope_add(hys_zonotope *z, const hys_zonotope *y) {
  hys_status status;

  if (z->n != y->n)
    return HYS_ERR_ARG;
  status = reserve(z, z->g + y->g);
  if (status != HYS_OK)
    return status;
  for (size_t i = 0; i < z->n; i++) {
    const double sum = z->center[i] + y->center[i];
    const double error = fmax(hys_sub_up(sum, hys_add_down(z->center[i], y->center[i])),
                              hys_sub_up(hys_add_up(z->center[i], y->center[i]), sum));
    z->center[i] = sum;
    z->radius[i] = hys_add_up(hys_add_up(z->radius[i], y->radius[i]), error);
  }
  if (y->g > 0)
    memcpy(z->generator + z->n * z->g, y->generator, z->n * y->g * sizeof *z->generator);
  z->g += y->g;
  return HYS_OK;
}

void hys_zonotope_add_box(hys_zonotope *z, const hys_interval *x) {
  for (size_t i = 0; i < z->n; i++) {
    const double mid = hys_interval_mid(x[i]), sum = z->center[i] + mid;
    const double error = fmax(hys_sub_up(sum, hys_add_down(z->center[i], mid)),
                              hys_sub_up(hys_add_up(z->center[i], mid), sum));
    z->center[i] = sum;
    z->radius[i] = hys_add_up(hys_add_up(z->radius[i], hys_interval_rad(x[i])), error);
  }
}

typedef struct weight {
  double w;
  size_t k;
} weight;

static int by_weight(const void *a, const void *b) {
  const double p = ((const weight *)a)->w, q = ((const weight *)b)->w;

  return p < q ? -1 : p > q;
}

/* The smallest generators by  ||g||_1 - ||g||_inf  become a part of the box (Girard 2005). */
void hys_zonotope_reduce(hys_zonotope *z, size_t keep) {
  const size_t n = z->n, drop = z->g > keep ? z->g - keep : 0;
  weight *order;
  size_t kept = 0;

  if (drop == 0)
    return;
  order = hys_allocate(z->allocator, z->g * sizeof *order);
  for (size_t k = 0; order != NULL && k < z->g; k++) {
    double sum = 0.0, most = 0.0;
    for (size_t i = 0; i < n; i++) {
      const double a = fabs(z->generator[k * n + i]);
      sum += a;
      most = a > most ? a : most;
    }
    order[k] = (weight){sum - most, k};
  }
  if (order != NULL)
    qsort(order, z->g, sizeof *order, by_weight);
  for (size_t k = 0; k < drop; k++) { /* without memory to sort: the last ones */
    double *g = z->generator + n * (order != NULL ? order[k].k : z->g - 1 - k);
    for (size_t i = 0; i < n; i++)
      z->radius[i] = hys_add_up(z->radius[i], fabs(g[i]));
    g[0] = HYSI_NAN; /* to be left out */
  }
  for (size_t k = 0; k < z->g; k++) {
    if (isnan(z->generator[k * n]))
      continue;
    if (kept != k)
      memcpy(z->generator + kept * n, z->generator + k * n, n * sizeof *z->generator);
    kept++;
  }
  z->g = kept;
  hys_release(z->allocator, order);
}

void hys_zonotope_box(const hys_zonotope *z, hys_interval *x) {
  for (size_t i = 0; i < z->n; i++) {
    double sum = 0.0;
    for (size_t k = 0; k < z->g; k++)
      sum += fabs(z->generator[k * z->n + i]);
    if (sum > 0.0)
      sum *= 1.0 + (double)(z->g + 1) * 0x1p-52;
    sum = hys_add_up(sum, z->radius[i]);
    x[i] = sum == 0.0 ? hys_interval_point(z->center[i])
                      : hys_interval_make(hys_sub_down(z->center[i], sum), hys_add_up(z->center[i], sum));
  }
}

double hys_zonotope_max(const hys_zonotope *z, const hys_affine *row) {
  const double gamma = hysi_gamma(row->n + z->g + 4);
  double sum = row->constant.hi, error = 0.0;
  const double *g = z->generator != NULL ? z->generator : none;

  for (uint32_t t = 0; t < row->n; t++) {
    const size_t i = row->term[t].variable;
    const double p = hys_interval_mid(row->term[t].coef), d = hys_interval_rad(row->term[t].coef);
    sum += p * z->center[i] + fabs(p) * z->radius[i];
    error += (d + gamma * fabs(p)) * magnitude(z, i);
  }
  for (size_t k = 0; k < z->g; k++) {
    double dot = 0.0;
    for (uint32_t t = 0; t < row->n; t++)
      dot += hys_interval_mid(row->term[t].coef) * g[k * z->n + row->term[t].variable];
    sum += fabs(dot);
  }
  error += gamma * (fabs(row->constant.hi) + fabs(sum));
  return hys_add_up(sum, hysi_up(error));
}

/* ---- parallelotopes ---- */

/* Inverse in plain doubles by Gauss and Jordan with pivots; false: singular. */
static bool invert(size_t n, double *a, double *inverse) {
  memset(inverse, 0, n * n * sizeof *inverse);
  for (size_t i = 0; i < n; i++)
    inverse[i * n + i] = 1.0;
  for (size_t c = 0; c < n; c++) {
    size_t p = c;
    for (size_t i = c + 1; i < n; i++)
      if (fabs(a[i * n + c]) > fabs(a[p * n + c]))
        p = i;
    if (!(fabs(a[p * n + c]) > 0.0))
      return false;
    for (size_t j = 0; j < n && p != c; j++) {
      const double x = a[c * n + j], y = inverse[c * n + j];
      a[c * n + j] = a[p * n + j];
      a[p * n + j] = x;
      inverse[c * n + j] = inverse[p * n + j];
      inverse[p * n + j] = y;
    }
    const double f = 1.0 / a[c * n + c];
    for (size_t j = 0; j < n; j++) {
      a[c * n + j] *= f;
      inverse[c * n + j] *= f;
    }
    for (size_t i = 0; i < n; i++) {
      const double g = a[i * n + c];
      if (i == c || g == 0.0)
        continue;
      for (size_t j = 0; j < n; j++) {
        a[i * n + j] -= g * a[c * n + j];
        inverse[i * n + j] -= g * inverse[c * n + j];
      }
    }
  }
  return true;
}

/* With R ~ M^-1 and |I - R M| <= E, ||E|| < 1:  M x = y  means  x = R y + (I - R M) x, so that |x - R y| <= E
 * |x|; with z >= |R y| and t := E z / (1 - ||E||) componentwise in norm, |x - R y| <= E z + ||E||^2 / (1 -
 * ||E||) max z. */
hys_status hys_zonotope_from_rows(hys_zonotope *z, const double *row, const hys_interval *bounds) {
  const size_t n = z->n;
  const double gamma = hysi_gamma(n);
  double *a = hys_allocate(z->allocator, (2 * n * n + n) * sizeof *a), *r, *size;
  double norm = 0.0, most = 0.0;
  hys_status status = a == NULL ? HYS_ERR_MEMORY : reserve(z, n);

  if (status != HYS_OK) {
    hys_release(z->allocator, a);
    return status;
  }
  r = a + n * n;
  size = r + n * n;
  memcpy(a, row, n * n * sizeof *a);
  if (!invert(n, a, r))
    status = HYS_ERR_NUMERIC;
  for (size_t i = 0; i < n && status == HYS_OK; i++) {
    double sum = 0.0;
    for (size_t j = 0; j < n; j++) {
      double dot = i == j ? -1.0 : 0.0, mag = i == j ? 1.0 : 0.0;
      for (size_t k = 0; k < n; k++) {
        dot += r[i * n + k] * row[k * n + j];
        mag += fabs(r[i * n + k] * row[k * n + j]);
      }
      a[i * n + j] = hysi_up(fabs(dot) + gamma * mag); /* E */
      sum += a[i * n + j];
    }
    norm = fmax(norm, hysi_up(sum));
    if (!(fabs(bounds[i].lo) <= DBL_MAX && fabs(bounds[i].hi) <= DBL_MAX) || hys_interval_is_empty(bounds[i]))
      status = HYS_ERR_NUMERIC;
  }
  if (!(norm < 0.5))
    status = HYS_ERR_NUMERIC;
  if (status != HYS_OK) {
    hys_release(z->allocator, a);
    return status;
  }
  z->g = 0;
  for (size_t i = 0; i < n; i++) {
    double center = 0.0, mag = 0.0;
    for (size_t k = 0; k < n; k++) {
      const double mid = hys_interval_mid(bounds[k]), rad = hys_interval_rad(bounds[k]);
      center += r[i * n + k] * mid;
      mag += fabs(r[i * n + k]) * (fabs(mid) + rad);
    }
    z->center[i] = center;
    size[i] = hysi_up(mag);
    most = fmax(most, size[i]);
  }
  for (size_t i = 0; i < n; i++) {
    double error = gamma * size[i] + norm * norm / (1.0 - norm) * most;
    for (size_t j = 0; j < n; j++)
      error += a[i * n + j] * size[j];
    z->radius[i] = hysi_up(error);
  }
  for (size_t k = 0; k < n; k++) {
    const double rad = hys_interval_rad(bounds[k]);
    if (rad == 0.0)
      continue;
    for (size_t i = 0; i < n; i++)
      z->generator[n * z->g + i] = r[i * n + k] * rad;
    z->g++;
  }
  hys_release(z->allocator, a);
  return HYS_OK;
}

/* y inside the parallelotope of z's generators: for square ones by their inverse, else by the boxes (which is
 * sure only where z is its box). */
bool hys_zonotope_contains_surely(const hys_zonotope *z, const hys_zonotope *y) {
  const size_t n = z->n;
  const double gamma = hysi_gamma(n + 2);
  bool box = true, inside = true;
  double *a;

  if (y->n != n)
    return false;
  for (size_t k = 0; k < z->g && box; k++) {
    size_t entries = 0;
    for (size_t i = 0; i < n; i++)
      entries += z->generator[k * n + i] != 0.0;
    box = entries <= 1;
  }
  if (box) {
    for (size_t i = 0; i < n && inside; i++) {
      double outer = z->radius[i], inner = y->radius[i];
      const double away =
          fmax(hys_sub_up(y->center[i], z->center[i]), hys_sub_up(z->center[i], y->center[i]));
      for (size_t k = 0; k < z->g; k++) { /* a sum with nothing is exact: a box holds itself */
        const double g = fabs(z->generator[k * n + i]);
        outer = outer == 0.0 ? g : g == 0.0 ? outer : hys_add_down(outer, g);
      }
      for (size_t k = 0; k < y->g; k++) {
        const double g = fabs(y->generator[k * n + i]);
        inner = inner == 0.0 ? g : g == 0.0 ? inner : hys_add_up(inner, g);
      }
      inside = (away == 0.0 ? inner : hys_add_up(away, inner)) <= outer;
    }
    return inside;
  }
  if (z->g != n)
    return false;
  /* the coordinates of y's points in z's generators, |xi| <= 1 wanted; z's own box part is left out */
  a = hys_allocate(z->allocator, 2 * n * n * sizeof *a);
  if (a == NULL)
    return false;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++)
      a[i * n + k] = z->generator[k * n + i];
  if (!invert(n, a, a + n * n)) {
    hys_release(z->allocator, a);
    return false;
  }
  const double *r = a + n * n;
  double norm = 0.0, most = 0.0;
  for (size_t i = 0; i < n; i++) { /* E = |I - R G| */
    double sum = 0.0;
    for (size_t j = 0; j < n; j++) {
      double dot = i == j ? -1.0 : 0.0, mag = i == j ? 1.0 : 0.0;
      for (size_t k = 0; k < n; k++) {
        dot += r[i * n + k] * z->generator[j * n + k];
        mag += fabs(r[i * n + k] * z->generator[j * n + k]);
      }
      sum += fabs(dot) + gamma * mag;
    }
    norm = fmax(norm, hysi_up(sum));
  }
  for (size_t i = 0; i < n; i++) {
    double center = 0.0, reach = 0.0;
    for (size_t j = 0; j < n; j++) {
      const double d = y->center[j] - z->center[j];
      center += r[i * n + j] * d;
      reach += fabs(r[i * n + j]) * (y->radius[j] + gamma * (fabs(d) + fabs(y->center[j]) + magnitude(y, j)));
    }
    for (size_t k = 0; k < y->g; k++) {
      double dot = 0.0;
      for (size_t j = 0; j < n; j++)
        dot += r[i * n + j] * y->generator[k * n + j];
      reach += fabs(dot);
    }
    most = fmax(most, hysi_up(fabs(center) + reach));
  }
  hys_release(z->allocator, a);
  /* |xi - R d| <= E |xi|  gives  |xi| <= most / (1 - norm) */
  return norm < 0.5 && hys_div_up(most, hys_sub_down(1.0, norm)) <= 1.0;
}
