#include "core/affine_flow.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "core/rounding.h"

#ifdef HYS_PLANT_PIPE_FEW_TERMS /* no fault: makes the remainder large enough to be missed */
enum { ORDER = 4 };
#else
enum { ORDER = 20 }; /* 1/21! = 2e-20 */
#endif

static bool bounded(hys_interval a) {
  return fabs(a.lo) <= DBL_MAX && fabs(a.hi) <= DBL_MAX;
}

static void *get(const hysi_affine_flow *f, size_t count, size_t size) {
  void *memory = hys_allocate(f->view.allocator, (count > 0 ? count : 1) * size);

  if (memory != NULL)
    memset(memory, 0, (count > 0 ? count : 1) * size);
  return memory;
}

/* ---- blocks ---- */

static uint32_t root_of(uint32_t *parent, uint32_t i) {
  while (parent[i] != i)
    i = parent[i] = parent[parent[i]];
  return i;
}

/* Numbers the moving variables, those of one connected component of A in a row. */
static hys_status find_blocks(hysi_affine_flow *f) {
  const hysi_pipe_view *v = &f->view;
  uint32_t *parent = get(f, v->n, sizeof *parent);

  f->place = get(f, v->n, sizeof *f->place);
  if (parent == NULL || f->place == NULL) {
    hys_release(v->allocator, parent);
    return HYS_ERR_MEMORY;
  }
  for (size_t i = 0; i < v->n; i++) {
    parent[i] = (uint32_t)i;
    f->place[i] = UINT32_MAX;
    f->m += v->moving[i];
  }
  f->variable = get(f, f->m, sizeof *f->variable);
  f->block = get(f, f->m, sizeof *f->block);
  f->block_of = get(f, f->m, sizeof *f->block_of);
  if (f->variable == NULL || f->block == NULL || f->block_of == NULL) {
    hys_release(v->allocator, parent);
    return HYS_ERR_MEMORY;
  }
  for (size_t i = 0; i < v->n; i++) {
    const hys_affine *row = &v->location->rate[i].row;
    for (uint32_t t = 0; v->moving[i] && t < row->n; t++)
      if (v->moving[row->term[t].variable])
        parent[root_of(parent, row->term[t].variable)] = root_of(parent, (uint32_t)i);
  }
  for (size_t r = 0, next = 0; r < v->n; r++) {
    if (!v->moving[r] || f->place[r] != UINT32_MAX)
      continue;
    const uint32_t root = root_of(parent, (uint32_t)r);
    hysi_block *b = &f->block[f->n_blocks];
    b->first = next;
    /* members come after r in the order of the variables */
    for (size_t i = r; i < v->n; i++)
      if (v->moving[i] && f->place[i] == UINT32_MAX && root_of(parent, (uint32_t)i) == root) {
        f->place[i] = (uint32_t)next;
        f->block_of[next] = f->n_blocks;
        f->variable[next++] = (uint32_t)i;
      }
    b->size = next - b->first;
    f->n_blocks++;
  }
  hys_release(v->allocator, parent);
  return HYS_OK;
}

/* ---- A, w, inputs ---- */

static double mag(hys_interval a) {
  return hys_interval_mag(a);
}

static hys_status fill(hysi_affine_flow *f) {
  const hysi_pipe_view *v = &f->view;
  const size_t m = f->m;
  size_t columns = 0;

  f->a = get(f, m * m, sizeof *f->a);
  f->w = get(f, m, sizeof *f->w);
  for (size_t j = 0; j < v->n; j++)
    columns += !v->moving[j] && v->location->rate[j].motion != HYS_MOTION_DEFINED;
  f->input = get(f, (columns + m) * m, sizeof *f->input);
  f->input2 = get(f, (columns + m) * m, sizeof *f->input2);
  f->input2_error = get(f, (columns + m) * m, sizeof *f->input2_error);
  f->input_error = get(f, m, sizeof *f->input_error);
  if (f->a == NULL || f->w == NULL || f->input == NULL || f->input2 == NULL || f->input2_error == NULL ||
      f->input_error == NULL)
    return HYS_ERR_MEMORY;
  for (size_t i = 0; i < m; i++) {
    const hys_rate *rate = &v->location->rate[f->variable[i]];
    f->w[i] = rate->row.constant;
    for (uint32_t t = 0; t < rate->row.n; t++) {
      const uint32_t j = rate->row.term[t].variable;
      const hys_interval coef = rate->row.term[t].coef;
      if (!bounded(coef))
        return HYS_ERR_NUMERIC;
      if (v->moving[j]) {
        f->a[i * m + f->place[j]] = coef;
      } else { /* a free variable: its middle into w, the rest an input */
        if (!bounded(v->free[j]))
          return HYS_ERR_NUMERIC;
        f->w[i] = hys_interval_add_exact(
            f->w[i], hys_interval_mul_exact(coef, hys_interval_point(hys_interval_mid(v->free[j]))));
      }
    }
    f->w[i] = hys_interval_add_exact(f->w[i], hys_interval_point(hys_interval_mid(rate->slack)));
    if (!bounded(f->w[i]))
      return HYS_ERR_NUMERIC;
  }
  for (size_t j = 0; j < v->n; j++) {
    const bool varies =
        !v->moving[j] && v->location->rate[j].motion != HYS_MOTION_DEFINED && bounded(v->free[j]);
    const double radius = varies && v->free[j].lo != v->free[j].hi ? hys_interval_rad(v->free[j]) : 0.0;
    bool used = false;
    if (radius == 0.0)
      continue;
    for (size_t i = 0; i < m; i++) {
      const hys_affine *row = &v->location->rate[f->variable[i]].row;
      for (uint32_t t = 0; t < row->n; t++) {
        if (row->term[t].variable != j)
          continue;
        const hys_interval b = hys_interval_mul(row->term[t].coef, hys_interval_point(radius));
        f->input[f->n_inputs * m + i] = hys_interval_mid(b);
        f->input_error[i] = hys_add_up(f->input_error[i], hys_interval_rad(b));
        used = true;
      }
    }
    f->n_inputs += used;
  }
  for (size_t i = 0; i < m; i++) {
    const hys_interval slack = v->location->rate[f->variable[i]].slack;
    if (slack.lo == slack.hi)
      continue;
    f->input[f->n_inputs++ * m + i] = hys_interval_rad(slack);
  }
  return HYS_OK;
}

/* Norms, and A (A b) for each input. */
static void finish(hysi_affine_flow *f) {
  const size_t m = f->m;
  double norm = 0.0;

  for (size_t b = 0; b < f->n_blocks; b++) {
    hysi_block *block = &f->block[b];
    block->zero = true;
    for (size_t i = block->first; i < block->first + block->size; i++) {
      double sum = 0.0;
      for (size_t j = block->first; j < block->first + block->size; j++)
        sum += mag(f->a[i * m + j]);
      block->zero = block->zero && sum == 0.0;
      block->norm = fmax(block->norm, sum > 0.0 ? hysi_up(sum) : 0.0);
    }
    norm = fmax(norm, block->norm);
  }
  f->top = HYSI_LEVEL_MAX;
  while (f->top > HYSI_LEVEL_MIN && norm * ldexp(1.0, f->top) > 1.0)
    f->top--;
  for (size_t c = 0; c < f->n_inputs; c++) {
    const double *in = f->input + c * m;
    /* intervals, as this is done once */
    for (size_t i = 0; i < m; i++) {
      const hysi_block *b = &f->block[f->block_of[i]];
      hys_interval sum = hys_interval_point(0.0);
      for (size_t k = b->first; k < b->first + b->size; k++) {
        hys_interval inner = hys_interval_point(0.0);
        if (f->a[i * m + k].lo == 0.0 && f->a[i * m + k].hi == 0.0)
          continue;
        for (size_t j = b->first; j < b->first + b->size; j++)
          if (in[j] != 0.0)
            inner = hys_interval_add_exact(
                inner, hys_interval_mul_exact(f->a[k * m + j], hys_interval_point(in[j])));
        sum = hys_interval_add_exact(sum, hys_interval_mul_exact(f->a[i * m + k], inner));
      }
      f->input2[c * m + i] = hys_interval_mid(sum);
      f->input2_error[c * m + i] = hys_interval_rad(sum);
    }
  }
}

hys_status hysi_affine_flow_create(void **flow, const hysi_pipe_view *view) {
  hysi_affine_flow *f = hys_allocate(view->allocator, sizeof *f);
  hys_status status;

  *flow = NULL;
  if (f == NULL)
    return HYS_ERR_MEMORY;
  memset(f, 0, sizeof *f);
  f->view = *view;
  if (pthread_mutex_init(&f->lock, NULL) != 0) {
    hys_release(view->allocator, f);
    return HYS_ERR_MEMORY;
  }
  status = find_blocks(f);
  if (status == HYS_OK)
    status = fill(f);
  if (status != HYS_OK) {
    hysi_affine_flow_destroy(f);
    return status;
  }
  finish(f);
  *flow = f;
  return HYS_OK;
}

static void free_level(const hysi_affine_flow *f, hysi_level *l) {
  if (l == NULL)
    return;
  hys_release(f->view.allocator, l->phi);
  hys_release(f->view.allocator, l->error);
  hys_release(f->view.allocator, l->center);
  hys_release(f->view.allocator, l);
}

void hysi_affine_flow_destroy(void *flow) {
  hysi_affine_flow *f = flow;
  const hys_allocator *allocator = f->view.allocator;

  for (size_t k = 0; k < sizeof f->level / sizeof f->level[0]; k++)
    free_level(f, f->level[k]);
  pthread_mutex_destroy(&f->lock);
  hys_release(allocator, f->variable);
  hys_release(allocator, f->place);
  hys_release(allocator, f->block);
  hys_release(allocator, f->block_of);
  hys_release(allocator, f->a);
  hys_release(allocator, f->w);
  hys_release(allocator, f->input);
  hys_release(allocator, f->input2);
  hys_release(allocator, f->input2_error);
  hys_release(allocator, f->input_error);
  hys_release(allocator, f);
}

/* ---- levels ---- */

void hysi_block_multiply(const hysi_affine_flow *f, const double *matrix, const double *x, double *y) {
  const size_t m = f->m;

  for (size_t b = 0; b < f->n_blocks; b++) {
    const size_t first = f->block[b].first, end = first + f->block[b].size;
    for (size_t i = first; i < end; i++) {
      double sum = 0.0;
      for (size_t j = first; j < end; j++)
        sum += matrix[i * m + j] * x[j];
      y[i] = sum;
    }
  }
}

/* One block of a level: sum_{k<=p} (A h)^k / k!, and the integral of it times w. */
static void expand(const hysi_affine_flow *f, const hysi_block *b, double h, hysi_level *l,
                   hys_interval *work) {
  const size_t m = f->m, s = b->size, o = b->first;
  hys_interval *term = work, *next = work + s * s, *sum = work + 2 * s * s, *integral = work + 3 * s * s;
  double *bound = l->spread; /* e^(|A| h) */
  const double v = hysi_up(b->norm * h);
  double rest = 1.0, spread_rest, last = v * v / 2.0;
  int order = 1; /* as many terms as v needs */

  for (; order < ORDER && last > 0x1p-75; order++)
    last *= v / (order + 2);
  for (int k = 1; k <= order + 1; k++)
    rest = hysi_up(rest * v / k);
  rest = hysi_up(rest / (1.0 - v / (order + 2)));
#ifdef HYS_PLANT_PIPE_NO_REMAINDER /* planted faults, for the gate of the tests */
  rest = 0.0;
#endif
  spread_rest = rest;
  for (size_t i = 0; i < s; i++)
    for (size_t j = 0; j < s; j++) {
      term[i * s + j] = sum[i * s + j] = hys_interval_point(i == j ? 1.0 : 0.0);
      integral[i * s + j] = hys_interval_point(i == j ? h : 0.0);
    }
  for (int k = 1; k <= order && !b->zero; k++) {
    const hys_interval scale = hys_interval_div(hys_interval_point(h), hys_interval_point((double)k));
    const hys_interval more = hys_interval_div(hys_interval_point(h), hys_interval_point((double)(k + 1)));
    bool zero = true;
    for (size_t i = 0; i < s; i++)
      for (size_t j = 0; j < s; j++) {
        hys_interval x = hys_interval_point(0.0);
        for (size_t q = 0; q < s; q++) {
          const hys_interval a = f->a[(o + i) * m + o + q], t = term[q * s + j];
          if ((a.lo == 0.0 && a.hi == 0.0) || (t.lo == 0.0 && t.hi == 0.0))
            continue;
          x = hys_interval_add_exact(x, hys_interval_mul_exact(a, t));
        }
        next[i * s + j] = hys_interval_mul_exact(x, scale);
        zero = zero && next[i * s + j].lo == 0.0 && next[i * s + j].hi == 0.0;
      }
    memcpy(term, next, s * s * sizeof *term);
    if (zero) { /* nilpotent: the series ends, and there is no remainder */
      rest = 0.0;
      break;
    }
    for (size_t i = 0; i < s * s; i++) {
      sum[i] = hys_interval_add_exact(sum[i], term[i]);
      integral[i] = hys_interval_add_exact(integral[i], hys_interval_mul_exact(term[i], more));
    }
  }
  if (b->zero)
    rest = 0.0;
  l->error[b - f->block] = 0.0;
  l->size[b - f->block] = 0.0;
  for (size_t i = 0; i < s; i++) {
    double row = 0.0, size = 0.0;
    hys_interval c = hys_interval_point(0.0);
    for (size_t j = 0; j < s; j++) {
      hys_interval x = sum[i * s + j], g = integral[i * s + j];
      if (rest > 0.0) {
        x = hys_interval_add(x, hys_interval_make(-rest, rest));
        g = hys_interval_add(g, hys_interval_make(-hys_mul_up(h, rest), hys_mul_up(h, rest)));
      }
      l->phi[(o + i) * m + o + j] = hys_interval_mid(x);
      row += x.lo == x.hi ? 0.0 : hys_interval_rad(x);
      size += fabs(hys_interval_mid(x));
      if (f->w[o + j].lo != 0.0 || f->w[o + j].hi != 0.0)
        c = hys_interval_add_exact(c, hys_interval_mul_exact(g, f->w[o + j]));
    }
    l->center[o + i] = c;
    l->error[b - f->block] = fmax(l->error[b - f->block], row > 0.0 ? hysi_up(row) : 0.0);
    l->size[b - f->block] = fmax(l->size[b - f->block], hysi_up(size));
  }
  /* e^(|A| h): the same series in non-negative doubles */
  {
    double *p = (double *)(void *)term, *q = (double *)(void *)next;
    for (size_t i = 0; i < s; i++)
      for (size_t j = 0; j < s; j++)
        p[i * s + j] = bound[(o + i) * m + o + j] = i == j ? 1.0 : 0.0;
    for (int k = 1; k <= order && !b->zero; k++) {
      for (size_t i = 0; i < s; i++)
        for (size_t j = 0; j < s; j++) {
          double x = 0.0;
          for (size_t t = 0; t < s; t++)
            x += mag(f->a[(o + i) * m + o + t]) * p[t * s + j];
          q[i * s + j] = x > 0.0 ? hysi_up(x * h / k) : 0.0;
        }
      memcpy(p, q, s * s * sizeof *p);
      for (size_t i = 0; i < s; i++)
        for (size_t j = 0; j < s; j++)
          bound[(o + i) * m + o + j] = p[i * s + j] > 0.0 ? hysi_up(bound[(o + i) * m + o + j] + p[i * s + j])
                                                          : bound[(o + i) * m + o + j];
    }
    if (!b->zero)
      for (size_t i = 0; i < s; i++)
        for (size_t j = 0; j < s; j++)
          bound[(o + i) * m + o + j] = hysi_up(bound[(o + i) * m + o + j] + spread_rest);
  }
}

const hysi_level *hysi_affine_level(hysi_affine_flow *f, int k) {
  const size_t m = f->m;
  hysi_level **slot, *l;
  size_t largest = 0;
  hys_interval *work;

  if (k < HYSI_LEVEL_MIN || k > f->top)
    return NULL;
  slot = &f->level[k - HYSI_LEVEL_MIN];
  pthread_mutex_lock(&f->lock);
  l = *slot;
  if (l == NULL) {
    for (size_t b = 0; b < f->n_blocks; b++)
      largest = f->block[b].size > largest ? f->block[b].size : largest;
    l = get(f, 1, sizeof *l);
    work = get(f, 4 * largest * largest, sizeof *work);
    if (l != NULL) {
      l->h = ldexp(1.0, k);
      l->phi = get(f, 2 * m * m, sizeof *l->phi);
      l->spread = l->phi != NULL ? l->phi + m * m : NULL;
      l->error = get(f, 2 * f->n_blocks, sizeof *l->error);
      l->size = l->error != NULL ? l->error + f->n_blocks : NULL;
      l->center = get(f, m, sizeof *l->center);
    }
    if (l == NULL || work == NULL || l->phi == NULL || l->error == NULL || l->center == NULL) {
      free_level(f, l);
      l = NULL;
    } else {
      for (size_t b = 0; b < f->n_blocks; b++)
        expand(f, &f->block[b], l->h, l, work);
      *slot = l;
    }
    hys_release(f->view.allocator, work);
  }
  pthread_mutex_unlock(&f->lock);
  return l;
}
