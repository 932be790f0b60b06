/* Flowpipes of affine flows.
 *
 *   X(t_k) = P_k X0 + g_k + S_k,   P_k = exp(A t_k),  g_k = int_0^t_k exp(A s) w_c ds,
 *   S_k = the contribution of the inputs' deviations.
 * P_k, g_k and S_k only ever accumulate from the start set: nothing is mapped twice, so that nothing wraps
 * (Girard, Le Guernic, Maler 2006).  What rounding does to P_k is bounded in norm: an error that is made at
 * t_j has grown by exp(A (t_k - t_j)) at most, and M >= max_{t <= t_k} ||exp(A t)|| is known from the P_k
 * themselves.
 *
 * S: the largest integral of |f(s)|, f(s) = l exp(A s) b, over a step is at most the trapezoid h/2 (|f(0)| +
 * |f(h)|) plus h^3/12 max |f''|; so S gains the generators h/2 P_k b, h/2 P_k+1 b and a box. Tube: chords
 * between X(t_k) and X(t_k+1), and h^2/8 max |x''| with x'' = exp(A s) P_k A (A x0 + w_c) for the part
 * without deviations; deviations only grow in support while t does (each contains 0).
 * Source of both: docs/reachability.md; the chord error is Rolle's. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "core/affine_flow.h"
#include "core/rounding.h"

enum { KEEP = 64 /* generators of S an input, without an option */ };

/* A set that supports are taken of: m coordinates. */
typedef struct cloud {
  double *center, *radius, *size; /* size: |x_i| of every point, from above */
  double *generator;              /* g columns of m */
  size_t g;
} cloud;

typedef struct affine_pipe {
  hysi_affine_flow *flow;
  hys_allocator allocator;
  bool has_allocator;
  size_t m;
  hys_zonotope start; /* m, in the flow's numbering; its box part made generators */
  hys_zonotope bend;  /* A (A x0 + w_c) */
  /* at t_k */
  double *p, *next_p;                    /* m * m */
  double *gain, *next_gain, *most, *sum; /* per block: ||exp(A t_k) - P_k||, M, sum of the steps' errors */
  double *next_most, *next_sum;
  hys_interval *g, *next_g;   /* m */
  cloud now, next;            /* P X0 + g */
  hys_zonotope s, next_s;     /* accumulated, without the node at t_k */
  double *node, *next_node;   /* n_inputs columns of m: P_k b_j */
  double *s_box, *next_s_box; /* m: half widths of s, which stay exact while s merges generators */
  double weight, next_weight; /* of the node at t_k: h/2 of the step before */
  double *bend_box;           /* m: |P_k A (A x0 + w_c)| */
  double *bow;                /* m: box of the tube */
  double h;                   /* of the try; 0 = none */
  double *work;               /* 4 m */
  uint32_t *entry;            /* m: scratch */
  double *dot;                /* of the generators: row, and one a cut */
  size_t dots;
} affine_pipe;

static const hys_allocator *of(const affine_pipe *p) {
  return p->has_allocator ? &p->allocator : NULL;
}

static double *numbers(const affine_pipe *p, size_t n) {
  double *x = hys_allocate(of(p), (n > 0 ? n : 1) * sizeof *x);

  if (x != NULL)
    memset(x, 0, (n > 0 ? n : 1) * sizeof *x);
  return x;
}

static bool open_cloud(const affine_pipe *p, cloud *c, size_t g) {
  c->center = numbers(p, 3 * p->m);
  c->generator = numbers(p, g * p->m);
  if (c->center == NULL || c->generator == NULL)
    return false;
  c->radius = c->center + p->m;
  c->size = c->center + 2 * p->m;
  return true;
}

static void close_cloud(const affine_pipe *p, cloud *c) {
  hys_release(of(p), c->center);
  hys_release(of(p), c->generator);
}

/* ---- where a pipe is ---- */

/* The cloud of P X0 + g, and (bend_box) how strongly it bends there. */
static void place(affine_pipe *p, const double *matrix, const double *error, const hys_interval *g,
                  cloud *c) {
  const hysi_affine_flow *f = p->flow;
  const size_t m = p->m;

  c->g = p->start.g;
  for (size_t k = 0; k < c->g; k++)
    hysi_block_multiply(f, matrix, p->start.generator + k * m, c->generator + k * m);
  hysi_block_multiply(f, matrix, p->start.center, c->center);
  for (size_t b = 0; b < f->n_blocks; b++) {
    const hysi_block *block = &f->block[b];
    const double gamma = block->zero ? 0.0 : hysi_gamma(block->size + 1);
    double most = 0.0;
    for (size_t i = block->first; i < block->first + block->size; i++)
      most = fmax(most, p->work[i]); /* |x0_i| */
    for (size_t i = block->first; i < block->first + block->size; i++) {
      const double mid = hys_interval_mid(g[i]), sum = c->center[i] + mid;
      double dot = 0.0, size;
      for (size_t j = block->first; !block->zero && j < block->first + block->size; j++)
        dot += fabs(matrix[i * m + j]) * p->work[j];
      c->radius[i] = error[b] * most + gamma * dot > 0.0 ? hysi_up(error[b] * most + gamma * dot) : 0.0;
      if (g[i].lo != g[i].hi)
        c->radius[i] = hys_add_up(c->radius[i], hys_interval_rad(g[i]));
      if (mid != 0.0 && c->center[i] != 0.0)
        c->radius[i] = hys_add_up(c->radius[i], fmax(hys_sub_up(sum, hys_add_down(c->center[i], mid)),
                                                     hys_sub_up(hys_add_up(c->center[i], mid), sum)));
      if (hys_interval_equal(
              hys_interval_add_exact(hys_interval_point(c->center[i]), hys_interval_point(mid)),
              hys_interval_point(sum)) &&
          block->zero)
        c->radius[i] = g[i].lo != g[i].hi ? hys_interval_rad(g[i]) : 0.0;
      c->center[i] = sum;
      size = fabs(sum) + c->radius[i];
      for (size_t k = 0; k < c->g; k++)
        size += fabs(c->generator[k * m + i]);
      c->size[i] = size > 0.0 ? hysi_up(size) : 0.0;
    }
  }
}

/* |x0_i| into work. */
static void start_size(affine_pipe *p) {
  for (size_t i = 0; i < p->m; i++) {
    double size = fabs(p->start.center[i]);
    for (size_t k = 0; k < p->start.g; k++)
      size += fabs(p->start.generator[k * p->m + i]);
    p->work[i] = size > 0.0 ? hysi_up(size) : 0.0;
  }
}

/* |P_k z| for all z of `bend`. */
static void bend_here(affine_pipe *p) {
  const hysi_affine_flow *f = p->flow;
  const size_t m = p->m;
  double *size = p->work + m, *column = p->work + 2 * m;

  for (size_t i = 0; i < m; i++) {
    size[i] = fabs(p->bend.center[i]) + p->bend.radius[i];
    for (size_t k = 0; k < p->bend.g; k++)
      size[i] += fabs(p->bend.generator[k * m + i]);
    size[i] = size[i] > 0.0 ? hysi_up(size[i]) : 0.0;
    p->bend_box[i] = 0.0;
  }
  hysi_block_multiply(f, p->p, p->bend.center, column);
  for (size_t i = 0; i < m; i++)
    p->bend_box[i] = fabs(column[i]);
  for (size_t k = 0; k < p->bend.g; k++) {
    hysi_block_multiply(f, p->p, p->bend.generator + k * m, column);
    for (size_t i = 0; i < m; i++)
      p->bend_box[i] += fabs(column[i]);
  }
  for (size_t b = 0; b < f->n_blocks; b++) {
    const hysi_block *block = &f->block[b];
    const double gamma = hysi_gamma(block->size + p->bend.g + 2);
    double most = 0.0;
    for (size_t i = block->first; i < block->first + block->size; i++)
      most = fmax(most, size[i]);
    for (size_t i = block->first; most > 0.0 && i < block->first + block->size; i++) {
      double extra = p->gain[b] * most;
      for (size_t j = block->first; j < block->first + block->size; j++)
        extra += fabs(p->p[i * m + j]) * (p->bend.radius[j] + gamma * size[j]);
      p->bend_box[i] = hysi_up(p->bend_box[i] + extra);
    }
  }
}

/* P_k b_j for all inputs. */
static void nodes(affine_pipe *p, const double *matrix, double *node) {
  for (size_t c = 0; c < p->flow->n_inputs; c++)
    hysi_block_multiply(p->flow, matrix, p->flow->input + c * p->m, node + c * p->m);
}

static hys_status begin(affine_pipe *p, const hys_zonotope *x0) {
  const hysi_affine_flow *f = p->flow;
  const size_t m = p->m;
  hys_interval *a2, *v;
  size_t boxes = 0;
  hys_status status;

  /* the start in the flow's numbering; what is box becomes generators: they are mapped exactly */
  for (size_t i = 0; i < m; i++)
    boxes += x0->radius[f->variable[i]] > 0.0;
  hys_zonotope_close(&p->start);
  hys_zonotope_close(&p->bend);
  close_cloud(p, &p->now);
  close_cloud(p, &p->next);
  memset(&p->now, 0, sizeof p->now);
  memset(&p->next, 0, sizeof p->next);
  status = hys_zonotope_open(&p->start, m, x0->g + boxes, of(p));
  if (status == HYS_OK)
    status = hys_zonotope_open(&p->bend, m, x0->g + boxes, of(p));
  if (status != HYS_OK)
    return status;
  if (!open_cloud(p, &p->now, x0->g + boxes) || !open_cloud(p, &p->next, x0->g + boxes))
    return HYS_ERR_MEMORY;
  for (size_t i = 0; i < m; i++)
    p->start.center[i] = x0->center[f->variable[i]];
  for (size_t k = 0; k < x0->g; k++) {
    double *column = p->start.generator + p->start.g * m;
    bool zero = true;
    for (size_t i = 0; i < m; i++) {
      column[i] = x0->generator[k * x0->n + f->variable[i]];
      zero = zero && column[i] == 0.0;
    }
    p->start.g += !zero;
  }
  for (size_t i = 0; i < m; i++)
    if (x0->radius[f->variable[i]] > 0.0) {
      double *column = p->start.generator + p->start.g++ * m;
      memset(column, 0, m * sizeof *column);
      column[i] = x0->radius[f->variable[i]];
    }
  memset(p->p, 0, m * m * sizeof *p->p);
  for (size_t i = 0; i < m; i++) {
    p->p[i * m + i] = 1.0;
    p->g[i] = hys_interval_point(0.0);
  }
  for (size_t b = 0; b < f->n_blocks; b++) {
    p->gain[b] = p->sum[b] = 0.0;
    p->most[b] = 1.0;
  }
  p->s.g = 0;
  memset(p->s.center, 0, m * sizeof *p->s.center);
  memset(p->s.radius, 0, m * sizeof *p->s.radius);
  memset(p->s_box, 0, 2 * m * sizeof *p->s_box);
  p->weight = 0.0;
  p->h = 0.0;
  nodes(p, p->p, p->node);
  start_size(p);
  place(p, p->p, p->gain, p->g, &p->now);
  /* A (A x0 + w_c), twice by interval matrices */
  a2 = hys_allocate(of(p), m * m * sizeof *a2);
  v = hys_allocate(of(p), m * sizeof *v);
  if (a2 == NULL || v == NULL) {
    hys_release(of(p), a2);
    hys_release(of(p), v);
    return HYS_ERR_MEMORY;
  }
  for (size_t i = 0; i < m; i++) {
    const hysi_block *b = &f->block[f->block_of[i]];
    v[i] = hys_interval_point(0.0);
    for (size_t j = 0; j < m; j++)
      a2[i * m + j] = hys_interval_point(0.0);
    for (size_t k = b->first; k < b->first + b->size; k++) {
      const hys_interval a = f->a[i * m + k];
      if (a.lo == 0.0 && a.hi == 0.0)
        continue;
      v[i] = hys_interval_add_exact(v[i], hys_interval_mul_exact(a, f->w[k]));
      for (size_t j = b->first; j < b->first + b->size; j++)
        if (f->a[k * m + j].lo != 0.0 || f->a[k * m + j].hi != 0.0)
          a2[i * m + j] = hys_interval_add_exact(a2[i * m + j], hys_interval_mul_exact(a, f->a[k * m + j]));
    }
  }
  status = hys_zonotope_map(&p->bend, a2, v, &p->start);
  hys_release(of(p), a2);
  hys_release(of(p), v);
  if (status == HYS_OK)
    bend_here(p);
  return status;
}

static void destroy(void *pipe) {
  affine_pipe *p = pipe;
  hys_allocator copy;
  const hys_allocator *allocator = NULL;

  if (p->has_allocator) {
    copy = p->allocator;
    allocator = &copy;
  }
  hys_zonotope_close(&p->start);
  hys_zonotope_close(&p->bend);
  hys_zonotope_close(&p->s);
  hys_zonotope_close(&p->next_s);
  close_cloud(p, &p->now);
  close_cloud(p, &p->next);
  hys_release(allocator, p->p);
  hys_release(allocator, p->next_p);
  hys_release(allocator, p->gain);
  hys_release(allocator, p->g);
  hys_release(allocator, p->node);
  hys_release(allocator, p->bend_box);
  hys_release(allocator, p->work);
  hys_release(allocator, p->entry);
  hys_release(allocator, p->dot);
  hys_release(allocator, p);
}

static hys_status create(void **pipe, void *flow, const hys_zonotope *x0, const hys_allocator *allocator) {
  hysi_affine_flow *f = flow;
  affine_pipe *p = hys_allocate(allocator, sizeof *p);
  const size_t m = f->m, blocks = f->n_blocks;
  hys_status status = HYS_ERR_MEMORY;

  *pipe = NULL;
  if (p == NULL)
    return HYS_ERR_MEMORY;
  memset(p, 0, sizeof *p);
  p->flow = f;
  p->m = m;
  if (allocator != NULL) {
    p->allocator = *allocator;
    p->has_allocator = true;
  }
  p->p = numbers(p, m * m);
  p->next_p = numbers(p, m * m);
  p->gain = numbers(p, 6 * blocks);
  p->g = hys_allocate(allocator, (2 * m + 1) * sizeof *p->g);
  p->node = numbers(p, 2 * f->n_inputs * m);
  p->bend_box = numbers(p, 4 * m);
  p->work = numbers(p, 4 * m);
  p->entry = hys_allocate(allocator, (m + 1) * sizeof *p->entry);
  if (p->entry != NULL && p->p != NULL && p->next_p != NULL && p->gain != NULL && p->g != NULL &&
      p->node != NULL && p->bend_box != NULL && p->work != NULL) {
    p->next_gain = p->gain + blocks;
    p->most = p->gain + 2 * blocks;
    p->sum = p->gain + 3 * blocks;
    p->next_most = p->gain + 4 * blocks;
    p->next_sum = p->gain + 5 * blocks;
    p->next_g = p->g + m;
    p->next_node = p->node + f->n_inputs * m;
    p->bow = p->bend_box + m;
    p->s_box = p->bend_box + 2 * m;
    p->next_s_box = p->bend_box + 3 * m;
    status = m == 0 ? HYS_OK : hys_zonotope_open(&p->s, m, 16, allocator);
    if (status == HYS_OK && m > 0)
      status = hys_zonotope_open(&p->next_s, m, 16, allocator);
    if (status == HYS_OK && m > 0)
      status = begin(p, x0);
  }
  if (status != HYS_OK) {
    destroy(p);
    return status;
  }
  *pipe = p;
  return HYS_OK;
}

static hys_status restart(void *pipe, const hys_zonotope *x0) {
  affine_pipe *p = pipe;

  return p->m == 0 ? HYS_OK : begin(p, x0);
}

/* ---- steps ---- */

/* The largest power of two not above x. */
static int level_of(double x) {
  int e;

  if (!(x > 0.0))
    return HYSI_LEVEL_MIN - 1;
  (void)frexp(x, &e);
  return e - 1;
}

/* A step whose bow is a part of the width, and of the way that the set goes. */
static double suggest(const void *pipe, double most) {
  const affine_pipe *p = pipe;
  const double tolerance = p->flow->view.options.tolerance > 0.0 ? p->flow->view.options.tolerance : 0.01;
  double h = p->m > 0 ? ldexp(1.0, p->flow->top) : ldexp(1.0, HYSI_LEVEL_MAX);

  if (p->flow->view.options.max_step > 0.0)
    h = fmin(h, p->flow->view.options.max_step);
  h = fmin(h, most);
  for (size_t i = 0; i < p->m; i++) {
    double width = p->now.radius[i] + p->s.radius[i];
    if (p->bend_box[i] == 0.0)
      continue;
    for (size_t k = 0; k < p->now.g; k++)
      width += fabs(p->now.generator[k * p->m + i]);
    width += 1e-3 * fabs(p->now.center[i]) + 1e-9;
    h = fmin(h, sqrt(8.0 * tolerance * width / p->bend_box[i]));
  }
  return h;
}

/* Half as many generators: those of neighbouring steps are nearly parallel.  With d = g + g' (or g - g'),
 * g = a d + r and g' = (1 - a) d - r :  xi g + eta g' lies in zeta d and a box of 2 |r|. */
static void merge_neighbours(hys_zonotope *z, size_t inputs) {
  const size_t n = z->n, steps = z->g / inputs;
  size_t kept = 0;

  for (size_t k = 0; k + 1 < steps; k += 2)
    for (size_t c = 0; c < inputs; c++) {
      const double *a = z->generator + (k * inputs + c) * n, *b = z->generator + ((k + 1) * inputs + c) * n;
      double *to = z->generator + (k / 2 * inputs + c) * n;
      double dot = 0.0, sign, size = 0.0, other = 0.0, part;
      for (size_t i = 0; i < n; i++) {
        dot += a[i] * b[i];
        size += fabs(a[i]);
        other += fabs(b[i]);
      }
      sign = dot < 0.0 ? -1.0 : 1.0;
      part = size + other > 0.0 ? size / (size + other) : 0.5;
      for (size_t i = 0; i < n; i++) {
        const double x = a[i], y = sign * b[i], d = x + y;
        const double left = fabs(x - part * d) + fabs(y - (1.0 - part) * d) + 0x1p-49 * (fabs(x) + fabs(y));
        to[i] = d;
#ifdef HYS_PLANT_PIPE_NO_REDUCTION /* planted fault, for the gate of the tests */
        (void)left;
#else
        if (left > 0.0)
          z->radius[i] = hys_add_up(z->radius[i], left);
#endif
      }
    }
  kept = steps / 2 * inputs;
  if (steps % 2 != 0) {
    memmove(z->generator + kept * n, z->generator + (steps - 1) * inputs * n,
            inputs * n * sizeof *z->generator);
    kept += inputs;
  }
  z->g = kept;
}

static hys_status attempt(void *pipe, double h, double *taken) {
  affine_pipe *p = pipe;
  hysi_affine_flow *f = p->flow;
  const size_t m = p->m;
  int k = level_of(h);
  const hysi_level *l;
  hys_status status;

  if (m == 0) {
    p->h = *taken = h;
    return HYS_OK;
  }
  k = k > f->top ? f->top : k;
  l = hysi_affine_level(f, k);
  *taken = 0.0;
  if (l == NULL)
    return k < HYSI_LEVEL_MIN ? HYS_ERR_NUMERIC : HYS_ERR_MEMORY;
  /* P_k+1 = Phi P_k and what that loses */
  memset(p->next_p, 0, m * m * sizeof *p->next_p);
  for (size_t b = 0; b < f->n_blocks; b++) {
    const hysi_block *block = &f->block[b];
    const size_t first = block->first, end = first + block->size;
    double norm = 0.0, old = 0.0;
    for (size_t i = first; i < end; i++) {
      double *row = p->next_p + i * m;
      double sum = 0.0;
      for (size_t q = first; q < end; q++) {
        const double a = l->phi[i * m + q];
        const double *from = p->p + q * m;
        if (a == 0.0)
          continue;
        for (size_t j = first; j < end; j++)
          row[j] += a * from[j];
      }
      for (size_t j = first; j < end; j++)
        sum += fabs(row[j]);
      norm = fmax(norm, sum);
      sum = 0.0;
      for (size_t j = first; j < end; j++)
        sum += fabs(p->p[i * m + j]);
      old = fmax(old, sum);
    }
    if (block->zero) {
      p->next_sum[b] = p->next_gain[b] = 0.0;
      p->next_most[b] = 1.0;
      continue;
    }
    p->next_sum[b] =
        hysi_up(p->sum[b] + (l->error[b] + hysi_gamma(block->size) * l->size[b]) * hysi_up(old + p->gain[b]));
    p->next_gain[b] = hysi_up(p->most[b] * p->next_sum[b]);
    /* between the nodes exp(A s) P(t_i), s <= h */
    p->next_most[b] = fmax(p->most[b], hysi_up((norm + p->next_gain[b]) *
                                               exp(block->norm * ldexp(1.0, f->top)) * (1.0 + 1e-12)));
    if (p->most[b] < hysi_up(exp(block->norm * ldexp(1.0, f->top)) * (1.0 + 1e-12)))
      p->next_most[b] = fmax(p->next_most[b], hysi_up(exp(block->norm * ldexp(1.0, f->top)) * (1.0 + 1e-12)));
    if (!(p->next_gain[b] < 1e100))
      return HYS_ERR_NUMERIC;
  }
  /* g_k+1 = g_k + P_k int_0^h exp(A s) w_c */
  for (size_t b = 0; b < f->n_blocks; b++) {
    const hysi_block *block = &f->block[b];
    double most = 0.0;
    for (size_t j = block->first; j < block->first + block->size; j++)
      most = fmax(most, hys_interval_mag(l->center[j]));
    for (size_t i = block->first; i < block->first + block->size; i++) {
      hys_interval sum = p->g[i];
      for (size_t j = block->first; most > 0.0 && j < block->first + block->size; j++)
        if (p->p[i * m + j] != 0.0)
          sum = hys_interval_add_exact(
              sum, hys_interval_mul_exact(hys_interval_point(p->p[i * m + j]), l->center[j]));
      if (p->gain[b] > 0.0 && most > 0.0) {
        const double e = hysi_up(p->gain[b] * most);
        sum = hys_interval_add(sum, hys_interval_make(-e, e));
      }
      p->next_g[i] = sum;
    }
  }
  place(p, p->next_p, p->next_gain, p->next_g, &p->next);
  /* deviations: the node at t_k is complete now, with the weight of the steps at both of its sides */
  status = hys_zonotope_copy(&p->next_s, &p->s);
  if (status != HYS_OK)
    return status;
  if (f->n_inputs > 0) {
    const double weight = p->weight + l->h / 2.0;
    const size_t keep = (p->flow->view.options.order > 0 ? p->flow->view.options.order : KEEP) * f->n_inputs;
    double *curve = p->work + m, *column = p->work + 2 * m;
    hys_zonotope piece = {m, f->n_inputs, f->n_inputs, p->work + 3 * m, curve, p->next_node, of(p)};
    memset(p->work + 3 * m, 0, m * sizeof *p->work);
    for (size_t i = 0; i < m; i++)
      curve[i] = 0.0;
    for (size_t c = 0; c < f->n_inputs; c++) { /* h^3/12 e^(|A| h) |P_k A^2 b|, and rounding of P_k b */
      const double *in = f->input + c * m, *in2 = f->input2 + c * m, *in2_error = f->input2_error + c * m;
      hysi_block_multiply(f, p->p, in2, column);
      for (size_t b = 0; b < f->n_blocks; b++) {
        const hysi_block *block = &f->block[b];
        const double gamma = hysi_gamma(block->size + 2);
        double most = 0.0, most2 = 0.0;
        for (size_t j = block->first; j < block->first + block->size; j++) {
          most = fmax(most, fabs(in[j]));
          most2 = fmax(most2, fabs(in2[j]) + in2_error[j]);
        }
        if (most == 0.0)
          continue;
        for (size_t i = block->first; i < block->first + block->size; i++) {
          double round = 0.0, second = fabs(column[i]) + p->gain[b] * most2;
          for (size_t j = block->first; j < block->first + block->size; j++) {
            const double a = fabs(p->p[i * m + j]);
            round += a * (gamma * fabs(in[j]) + f->input_error[j]);
            second += a * (gamma * fabs(in2[j]) + in2_error[j]);
          }
          /* both halves of the trapezoid lose what rounding makes of P b: the larger gain serves for both */
          curve[i] +=
              l->h * hysi_up(4.0 * round + fmax(p->gain[b], p->next_gain[b]) * (most + f->input_error[i]));
          p->bow[i] = second;
        }
        for (size_t i = block->first; i < block->first + block->size; i++) {
          double x = 0.0;
          for (size_t j = block->first; j < block->first + block->size; j++)
            x += l->spread[i * m + j] * p->bow[j];
#ifndef HYS_PLANT_PIPE_NO_INPUT_CURVE /* planted fault, for the gate of the tests */
          curve[i] += hysi_up(l->h * l->h * l->h / 12.0 * x);
#else
          (void)x;
#endif
        }
      }
    }
    for (size_t i = 0; i < m; i++)
      curve[i] = curve[i] > 0.0 ? hysi_up(curve[i]) : 0.0;
    for (size_t c = 0; c < f->n_inputs * m; c++)
      p->next_node[c] = p->node[c] * weight;
    for (size_t i = 0; i < m; i++) {
      double more = curve[i];
      for (size_t c = 0; c < f->n_inputs; c++)
        more += fabs(p->next_node[c * m + i]);
      p->next_s_box[i] = more > 0.0 ? hys_add_up(p->s_box[i], more * (1.0 + 0x1p-46)) : p->s_box[i];
    }
    if (p->next_s.g + f->n_inputs > keep)
      merge_neighbours(&p->next_s, f->n_inputs);
    status = hys_zonotope_add(&p->next_s, &piece);
    if (status != HYS_OK)
      return status;
    nodes(p, p->next_p, p->next_node);
    p->next_weight = l->h / 2.0;
  }
  /* h^2/8 e^(|A| h) |P_k bend| */
  for (size_t i = 0; i < m; i++) {
    const hysi_block *block = &f->block[f->block_of[i]];
    double x = 0.0;
    for (size_t j = block->first; j < block->first + block->size; j++)
      x += l->spread[i * m + j] * p->bend_box[j];
    p->bow[i] = x > 0.0 ? hysi_up(l->h * l->h / 8.0 * x) : 0.0;
#ifdef HYS_PLANT_PIPE_NO_BOW /* likewise */
    p->bow[i] = 0.0;
#endif
  }
  p->h = *taken = l->h;
  return HYS_OK;
}

static void swap_numbers(double **a, double **b) {
  double *c = *a;

  *a = *b;
  *b = c;
}

static void accept(void *pipe) {
  affine_pipe *p = pipe;

  if (p->m == 0 || p->h == 0.0)
    return;
  swap_numbers(&p->p, &p->next_p);
  for (size_t c = 0; c < p->flow->n_inputs * p->m; c++) /* the two are one allocation */
    p->node[c] = p->next_node[c];
  {
    const cloud c = p->now;
    const hys_zonotope z = p->s;
    p->now = p->next;
    p->next = c;
    p->s = p->next_s;
    p->next_s = z;
  }
  for (size_t i = 0; i < p->m; i++) {
    p->g[i] = p->next_g[i];
    p->s_box[i] = p->flow->n_inputs > 0 ? p->next_s_box[i] : 0.0;
  }
  for (size_t b = 0; b < p->flow->n_blocks; b++) {
    p->gain[b] = p->next_gain[b];
    p->most[b] = p->next_most[b];
    p->sum[b] = p->next_sum[b];
  }
  p->weight = p->next_weight;
  p->h = 0.0;
  bend_here(p);
}

/* ---- supports ---- */

/* A set of the pipe: one cloud or the chords between two, what deviations add, and a box. */
typedef struct body {
  const cloud *a, *b; /* b NULL: one */
  const hys_zonotope *s;
  const double *s_box; /* half widths of s */
  const double *node;
  double weight;
  const double *bow; /* NULL: none */
} body;

static body body_of(const affine_pipe *p, hys_pipe_set which) {
  if (p->h == 0.0)
    return (body){&p->now, NULL, &p->s, p->s_box, p->node, p->weight, NULL};
  if (which == HYS_PIPE_END)
    return (body){&p->next, NULL, &p->next_s, p->next_s_box, p->next_node, p->next_weight, NULL};
  return (body){&p->now, &p->next, &p->next_s, p->next_s_box, p->next_node, p->next_weight, p->bow};
}

/* Half the width of coordinate i by rounding of the clouds and by the bow. */
static double cloud_radius(const body *o, size_t i) {
  double r = o->a->radius[i];

  if (o->b != NULL)
    r = fmax(r, o->b->radius[i]);
  if (o->bow != NULL && o->bow[i] > 0.0)
    r = hys_add_up(r, o->bow[i]);
  return r;
}

/* With the box part of s too: all that belongs to no generators. */
static double common_radius(const body *o, size_t i) {
  const double r = cloud_radius(o, i);

  return o->s->radius[i] > 0.0 ? hys_add_up(r, o->s->radius[i]) : r;
}

static void box(const void *pipe, hys_pipe_set which, hys_interval *x) {
  const affine_pipe *p = pipe;
  const size_t m = p->m;
  const body o = body_of(p, which);

  for (size_t i = 0; i < m; i++) {
    double wide = cloud_radius(&o, i) + 0.0, more = 0.0;
    hys_interval range = hys_interval_empty();
    if (o.s_box[i] > 0.0)
      wide = hys_add_up(wide, o.s_box[i]);
    for (size_t c = 0; c < p->flow->n_inputs; c++)
      more += fabs(o.node[c * m + i]) * o.weight;
    if (more > 0.0)
      wide = hys_add_up(wide, more * (1.0 + (double)(p->flow->n_inputs + 2) * 0x1p-52));
    for (int side = 0; side < (o.b != NULL ? 2 : 1); side++) {
      const cloud *c = side == 0 ? o.a : o.b;
      double sum = 0.0;
      for (size_t k = 0; k < c->g; k++)
        sum += fabs(c->generator[k * m + i]);
      if (sum > 0.0)
        sum *= 1.0 + (double)(c->g + 1) * 0x1p-52;
      sum = sum + wide == 0.0 ? 0.0 : hys_add_up(sum, wide);
      range = hys_interval_hull(range, sum == 0.0 ? hys_interval_point(c->center[i])
                                                  : hys_interval_make(hys_sub_down(c->center[i], sum),
                                                                      hys_add_up(c->center[i], sum)));
    }
    x[p->flow->variable[i]] = range;
  }
}

/* The coordinates that a row speaks of, into p->entry; their number. */
static size_t entries_of(const affine_pipe *p, const hysi_dense_row *row) {
  size_t n = 0;

  for (uint32_t i = 0; i < p->m; i++)
    if (row->mid[p->flow->variable[i]] != 0.0)
      p->entry[n++] = i;
  return n;
}

static double dot_of(const affine_pipe *p, const hysi_dense_row *row, size_t entries, const double *column) {
  double dot = 0.0;

  for (size_t k = 0; k < entries; k++)
    dot += row->mid[p->flow->variable[p->entry[k]]] * column[p->entry[k]];
  return dot;
}

/* Upper bound of a row over the body; free variables anywhere in their bounds. */
static double support(const affine_pipe *p, const body *o, const hysi_dense_row *row) {
  const hysi_affine_flow *f = p->flow;
  const size_t m = p->m, entries = entries_of(p, row),
               terms = o->a->g + o->s->g + f->n_inputs + f->view.n + 8;
  const double gamma = hysi_gamma(m + terms);
  double sum = row->constant.hi, error = gamma * fabs(row->constant.hi), best = -HYSI_INF, all = 0.0;
  double boxed = 0.0, merged = 0.0; /* s in this direction: by its half widths, by its generators */

  for (size_t i = 0; i < f->view.n; i++) {
    const double a = row->mid[i], d = row->rad[i];
    double size;
    if (a == 0.0 && d == 0.0)
      continue;
    if (f->place[i] == UINT32_MAX) {
      const hys_interval v = f->view.free[i];
      sum += a > 0.0 ? a * v.hi : a * v.lo;
      size = hys_interval_mag(v);
    } else {
      const size_t k = f->place[i];
      const double r = common_radius(o, k);
      sum += fabs(a) * cloud_radius(o, k);
      boxed += fabs(a) * o->s_box[k];
      merged += fabs(a) * o->s->radius[k];
      size = fmax(o->a->size[k], o->b != NULL ? o->b->size[k] : 0.0) + r;
      for (size_t g = 0; g < o->s->g; g++)
        size += fabs(o->s->generator[g * m + k]);
      for (size_t c = 0; c < f->n_inputs; c++)
        size += fabs(o->node[c * m + k]) * o->weight;
    }
    error += (gamma * fabs(a) + d) * size;
    all += fabs(a) * size;
  }
  for (size_t g = 0; g < o->s->g + f->n_inputs; g++) {
    const double *column = g < o->s->g ? o->s->generator + g * m : o->node + (g - o->s->g) * m;
    const double dot = dot_of(p, row, entries, column);
    *(g < o->s->g ? &merged : &sum) += fabs(dot) * (g < o->s->g ? 1.0 : o->weight);
  }
  sum += fmin(boxed, merged);
  for (int side = 0; side < (o->b != NULL ? 2 : 1); side++) {
    const cloud *c = side == 0 ? o->a : o->b;
    double here = dot_of(p, row, entries, c->center);
    for (size_t g = 0; g < c->g; g++)
      here += fabs(dot_of(p, row, entries, c->generator + g * m));
    best = fmax(best, here);
  }
  if (!isfinite(best))
    best = 0.0; /* nothing moves */
  return all + error == 0.0 ? sum + best : hys_add_up(hys_add_up(sum, best), hysi_up(error));
}

/* ---- with cuts ---- */

/* The bound as a function of the multipliers: cA + sum |a - lambda b| over the first cloud's generators, the
 * same for the second, and what both have in common. */
typedef struct game {
  size_t na, nb, nc, cuts;    /* generators of each, cuts */
  double *row, *cut;          /* na + nb + nc dots; cut: one array a cut */
  double constant[2], *slope; /* of the clouds; slope: 2 a cut */
} game;

static void fill_dots(const affine_pipe *p, const body *o, const hysi_dense_row *row, double *dot,
                      double *constant) {
  const hysi_affine_flow *f = p->flow;
  const size_t m = p->m, entries = entries_of(p, row);
  size_t k = 0;

  for (int side = 0; side < 2; side++) {
    const cloud *c = side == 0 ? o->a : o->b;
    constant[side] = hys_interval_mid(row->constant);
    if (c == NULL) {
      constant[side] = -HYSI_INF;
      continue;
    }
    constant[side] += dot_of(p, row, entries, c->center);
    for (size_t g = 0; g < c->g; g++, k++)
      dot[k] = dot_of(p, row, entries, c->generator + g * m);
  }
  for (size_t g = 0; g < o->s->g + f->n_inputs; g++, k++) {
    const double *column = g < o->s->g ? o->s->generator + g * m : o->node + (g - o->s->g) * m;
    dot[k] = dot_of(p, row, entries, column) * (g < o->s->g ? 1.0 : o->weight);
  }
  for (size_t i = 0; i < f->view.n; i++) {
    if (f->place[i] != UINT32_MAX) {
      dot[k++] = row->mid[i] * common_radius(o, f->place[i]);
    } else if (row->mid[i] != 0.0) {
      dot[k++] = row->mid[i] * hys_interval_rad(f->view.free[i]);
      constant[0] += row->mid[i] * hys_interval_mid(f->view.free[i]);
      constant[1] += row->mid[i] * hys_interval_mid(f->view.free[i]);
    } else {
      dot[k++] = 0.0;
    }
  }
}

/* Value and a subgradient in multiplier j at the point where the row's dots are `at` less t times cut j's. */
static double value_at(const game *g, const double *at, const double *constant, size_t j, double t,
                       double *slope) {
  const double *b = g->cut + j * (g->na + g->nb + g->nc);
  double v[2] = {constant[0] - t * g->slope[2 * j], constant[1] - t * g->slope[2 * j + 1]};
  double d[2] = {-g->slope[2 * j], -g->slope[2 * j + 1]}, rest = 0.0, rest_slope = 0.0;

  for (size_t k = 0; k < g->na; k++) {
    const double x = at[k] - t * b[k];
    v[0] += fabs(x);
    d[0] += x > 0.0 ? -b[k] : b[k];
  }
  for (size_t k = g->na; k < g->na + g->nb; k++) {
    const double x = at[k] - t * b[k];
    v[1] += fabs(x);
    d[1] += x > 0.0 ? -b[k] : b[k];
  }
  for (size_t k = g->na + g->nb; k < g->na + g->nb + g->nc; k++) {
    const double x = at[k] - t * b[k];
    rest += fabs(x);
    rest_slope += x > 0.0 ? -b[k] : b[k];
  }
  *slope = rest_slope + (v[0] >= v[1] ? d[0] : d[1]);
  return rest + fmax(v[0], v[1]);
}

/* The best step t in multiplier j, t >= low: where tangents from both sides meet. */
static double best_step(const game *g, const double *at, const double *constant, size_t j, double low,
                        double scale) {
  double s0, s1 = 0.0, t0 = fmax(low, 0.0), t1, f0, f1 = 0.0, best, best_t;

  f0 = value_at(g, at, constant, j, t0, &s0);
  best = f0;
  best_t = t0;
  if (s0 > 0.0) { /* go back, as far as low */
    double step = scale;
    t1 = t0;
    f1 = f0;
    s1 = s0;
    for (int k = 0; k < 60 && s0 > 0.0; k++) {
      if (t0 <= low)
        return best_t;
      t1 = t0;
      f1 = f0;
      s1 = s0;
      t0 = fmax(low, t0 - step);
      step *= 4.0;
      f0 = value_at(g, at, constant, j, t0, &s0);
      if (f0 < best) {
        best = f0;
        best_t = t0;
      }
    }
    if (s0 > 0.0)
      return best_t;
  } else {
    double step = scale;
    t1 = t0;
    for (int k = 0; k < 60 && s1 <= 0.0; k++) {
      t1 = t0 + step;
      step *= 4.0;
      f1 = value_at(g, at, constant, j, t1, &s1);
      if (f1 < best) {
        best = f1;
        best_t = t1;
      }
      if (s1 <= 0.0) {
        t0 = t1;
        f0 = f1;
        s0 = s1;
      }
    }
    if (s1 <= 0.0)
      return best_t; /* no end: there are no states */
  }
  for (int k = 0; k < 24 && t1 - t0 > 1e-9 * (fabs(t0) + scale); k++) {
    double t = s1 > s0 ? (f0 - f1 + s1 * t1 - s0 * t0) / (s1 - s0) : 0.5 * (t0 + t1), f, s;
    if (!(t > t0 && t < t1) || k % 6 == 5)
      t = 0.5 * (t0 + t1);
    f = value_at(g, at, constant, j, t, &s);
    if (f < best) {
      best = f;
      best_t = t;
    }
    if (s > 0.0) {
      t1 = t;
      f1 = f;
      s1 = s;
    } else {
      t0 = t;
      f0 = f;
      s0 = s;
    }
  }
  return best_t;
}

/* row - sum lambda_j cut_j, in enclosures. */
static void combine(const affine_pipe *p, const hysi_dense_row *row, const hysi_dense_row *cut,
                    const double *lambda, size_t n_cuts, hysi_dense_row *out) {
  out->constant = row->constant;
  for (size_t i = 0; i < p->flow->view.n; i++) {
    out->mid[i] = row->mid[i];
    out->rad[i] = row->rad[i];
  }
  for (size_t j = 0; j < n_cuts; j++) {
    if (lambda[j] == 0.0)
      continue;
    out->constant = hys_interval_add_exact(
        out->constant, hys_interval_mul_exact(hys_interval_point(-lambda[j]), cut[j].constant));
    for (size_t i = 0; i < p->flow->view.n; i++) {
      double product, sum;
      if (cut[j].mid[i] == 0.0 && cut[j].rad[i] == 0.0)
        continue;
      product = lambda[j] * cut[j].mid[i];
      sum = out->mid[i] - product;
      out->rad[i] = hysi_up(out->rad[i] + fabs(lambda[j]) * cut[j].rad[i] +
                            0x1p-52 * (fabs(product) + fabs(sum) + fabs(out->mid[i])));
      out->mid[i] = sum;
    }
  }
}

/* Leaves out the generators that neither the row nor a cut meets; `at` as the row. */
static void leave_out_zeros(game *g) {
  const size_t dots = g->na + g->nb + g->nc;
  size_t kept = 0, na = 0, nb = 0;
  double *const cut = g->cut;

  for (size_t k = 0; k < dots; k++) {
    bool met = g->row[k] != 0.0;
    for (size_t j = 0; j < g->cuts && !met; j++)
      met = cut[j * dots + k] != 0.0;
    if (!met)
      continue;
    g->row[kept] = g->row[k];
    for (size_t j = 0; j < g->cuts; j++)
      cut[j * dots + kept] = cut[j * dots + k];
    na += k < g->na;
    nb += k >= g->na && k < g->na + g->nb;
    kept++;
  }
  for (size_t j = 1; j < g->cuts; j++)
    memmove(cut + j * kept, cut + j * dots, kept * sizeof *cut);
  g->na = na;
  g->nb = nb;
  g->nc = kept - na - nb;
}

static double max_cut(void *pipe, hys_pipe_set which, const hysi_dense_row *row, const hysi_dense_row *cut,
                      const bool *equation, size_t n_cuts) {
  affine_pipe *p = pipe;
  const hysi_affine_flow *f = p->flow;
  const body o = body_of(p, which);
  const size_t n = f->view.n;
  game g = {.na = o.a->g, .nb = o.b != NULL ? o.b->g : 0, .nc = o.s->g + f->n_inputs + n, .cuts = n_cuts};
  size_t dots = g.na + g.nb + g.nc;
  const size_t need = (n_cuts + 2) * dots + 4 * n_cuts + 2 * n;
  double *at, *lambda, constant[2], bound = support(p, &o, row), size = 0.0, low;
  hysi_dense_row mixed;

  if (n_cuts == 0)
    return bound;
  if (need > p->dots) {
    double *bigger = numbers(p, need);
    if (bigger == NULL)
      return bound;
    hys_release(of(p), p->dot);
    p->dot = bigger;
    p->dots = need;
  }
  g.row = p->dot;
  at = p->dot + dots;
  g.cut = p->dot + 2 * dots;
  g.slope = p->dot + (n_cuts + 2) * dots;
  lambda = g.slope + 2 * n_cuts;
  mixed.mid = lambda + 2 * n_cuts;
  mixed.rad = mixed.mid + n;
  fill_dots(p, &o, row, g.row, constant);
  for (size_t k = 0; k < dots; k++)
    size += fabs(g.row[k]);
  for (size_t j = 0; j < n_cuts; j++) {
    double reach[2] = {0.0, 0.0}, common = 0.0, *b = g.cut + j * dots;
    fill_dots(p, &o, &cut[j], b, g.slope + 2 * j);
    if (o.b == NULL)
      g.slope[2 * j + 1] = 0.0;
    lambda[j] = 0.0;
    for (size_t k = 0; k < dots; k++)
      *(k < g.na ? &reach[0] : k < g.na + g.nb ? &reach[1] : &common) += fabs(b[k]);
    /* surely outside of one cut alone? first by plain numbers */
    for (int sign = -1; sign <= (equation[j] ? 1 : -1); sign += 2) {
      double far = sign * g.slope[2 * j] + reach[0] + common;
      if (o.b != NULL)
        far = fmax(far, sign * g.slope[2 * j + 1] + reach[1] + common);
      if (!(far < 0.0))
        continue;
      for (size_t i = 0; i < n; i++) {
        mixed.mid[i] = sign * cut[j].mid[i];
        mixed.rad[i] = cut[j].rad[i];
      }
      mixed.constant = sign < 0 ? hys_interval_neg(cut[j].constant) : cut[j].constant;
      if (support(p, &o, &mixed) < 0.0)
        return -HYSI_INF;
    }
  }
  leave_out_zeros(&g);
  dots = g.na + g.nb + g.nc;
  memcpy(at, g.row, dots * sizeof *at);
  for (int pass = 0; pass < (n_cuts > 1 ? 3 : 1); pass++) {
    bool moved = false;
    for (size_t j = 0; j < n_cuts; j++) {
      const double *b = g.cut + j * dots;
      double reach = fabs(g.slope[2 * j]), t;
      for (size_t k = 0; k < dots; k++)
        reach += fabs(b[k]);
      if (!(reach > 0.0))
        continue;
      t = best_step(&g, at, constant, j, equation[j] ? -HYSI_INF : -lambda[j],
                    0.25 * (size + 1e-300) / reach);
      if (t == 0.0 || !isfinite(t))
        continue;
      lambda[j] = equation[j] ? lambda[j] + t : fmax(0.0, lambda[j] + t);
      for (size_t k = 0; k < dots; k++)
        at[k] -= t * b[k];
      constant[0] -= t * g.slope[2 * j];
      constant[1] -= t * g.slope[2 * j + 1];
      moved = true;
    }
    if (!moved)
      break;
  }
  combine(p, row, cut, lambda, n_cuts, &mixed);
  bound = fmin(bound, support(p, &o, &mixed));
  for (size_t i = 0; i < n; i++) {
    mixed.mid[i] = -row->mid[i];
    mixed.rad[i] = row->rad[i];
  }
  mixed.constant = hys_interval_neg(row->constant);
  low =
      -support(p, &o, &mixed); /* no state has less: one that satisfies the cuts would have at most `bound' */
  return bound < low ? -HYSI_INF : bound;
}

static hys_status zonotope(const void *pipe, hys_pipe_set which, hys_zonotope *z) {
  const affine_pipe *p = pipe;
  const hysi_affine_flow *f = p->flow;
  const size_t m = p->m, n = f->view.n;
  const body o = body_of(p, which);
  const size_t g = o.a->g + (o.b != NULL ? o.b->g + 1 : 0) + o.s->g + f->n_inputs;
  hys_zonotope fresh;
  hys_status status = hys_zonotope_open(&fresh, n, g, z->allocator);

  if (status != HYS_OK)
    return status;
  if (g > 0)
    memset(fresh.generator, 0, g * n * sizeof *fresh.generator);
  fresh.g = g;
  for (size_t i = 0; i < m; i++) {
    const size_t v = f->variable[i];
    const double a = o.a->center[i], b = o.b != NULL ? o.b->center[i] : a;
    double lost = 0.0;
    size_t k = 0;
    fresh.center[v] = a == b ? a : 0.5 * a + 0.5 * b;
    fresh.radius[v] = common_radius(&o, i);
    if (o.b != NULL) {
      fresh.generator[n * k++ + v] = a == b ? 0.0 : hys_up(fabs(0.5 * b - 0.5 * a)) * (b < a ? -1.0 : 1.0);
      lost += 0x1p-51 * (fabs(a) + fabs(b));
      for (size_t j = 0; j < o.a->g; j++) {
        const double x = o.a->generator[j * m + i], y = o.b->generator[j * m + i];
        fresh.generator[n * k++ + v] = 0.5 * x + 0.5 * y;
        fresh.generator[n * k++ + v] = 0.5 * x - 0.5 * y;
        lost += 0x1p-51 * (fabs(x) + fabs(y));
      }
      if (a == b && lost > 0.0 && fresh.radius[v] == 0.0) {
        bool still = true;
        for (size_t j = 0; j < o.a->g; j++)
          still = still && o.a->generator[j * m + i] == 0.0 && o.b->generator[j * m + i] == 0.0;
        lost = still ? 0.0 : lost;
      }
    } else {
      for (size_t j = 0; j < o.a->g; j++)
        fresh.generator[n * k++ + v] = o.a->generator[j * m + i];
    }
    for (size_t j = 0; j < o.s->g; j++)
      fresh.generator[n * k++ + v] = o.s->generator[j * m + i];
    for (size_t j = 0; j < f->n_inputs; j++) {
      fresh.generator[n * k++ + v] = o.node[j * m + i] * o.weight;
      lost += 0x1p-52 * fabs(o.node[j * m + i] * o.weight);
    }
    if (lost > 0.0)
      fresh.radius[v] = hys_add_up(fresh.radius[v], hysi_up(lost));
  }
  hys_zonotope_close(z);
  *z = fresh;
  return HYS_OK;
}

const hysi_pipe_engine hysi_affine_engine = {hysi_affine_flow_create,
                                             hysi_affine_flow_destroy,
                                             create,
                                             destroy,
                                             restart,
                                             suggest,
                                             attempt,
                                             accept,
                                             box,
                                             max_cut,
                                             NULL,
                                             zonotope};
