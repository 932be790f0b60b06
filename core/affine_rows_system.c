#include "core/affine_rows_system.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BALANCE_ROUNDS = 40, DENSE_CURVE = 600 };

static bool bounded(hys_interval a) {
  return fabs(a.lo) <= DBL_MAX && fabs(a.hi) <= DBL_MAX;
}

/* ---- what moves ---- */

/* A state whose flow reads what has no bounds is free itself, and so on. */
static hys_status find_moving(hys_affine_rows *a) {
  const hys_hybrid_location *l = a->location;
  const size_t n = a->n;
  size_t *start = hys_arena_alloc(a->arena, n + 2, sizeof *start), entries = 0, waiting = 0;
  uint32_t *reader, *queue = hys_arena_alloc(a->arena, n + 1, sizeof *queue);

  if (start == NULL || queue == NULL)
    return HYS_ERR_MEMORY;
  for (size_t i = 0; i < n; i++) {
    a->moving[i] = l->rate[i].motion == HYS_MOTION_FLOW;
    if (a->moving[i] && !bounded(l->rate[i].slack))
      a->moving[i] = false;
    if (!a->moving[i])
      continue;
    if (!l->rate[i].affine)
      return HYS_ERR_UNSUPPORTED;
    entries += l->rate[i].row.n;
    for (uint32_t t = 0; t < l->rate[i].row.n; t++)
      start[l->rate[i].row.term[t].variable + 2]++;
  }
  reader = hys_arena_alloc(a->arena, entries + 1, sizeof *reader);
  if (reader == NULL)
    return HYS_ERR_MEMORY;
  for (size_t j = 2; j < n + 2; j++)
    start[j] += start[j - 1];
  for (size_t i = 0; i < n; i++)
    for (uint32_t t = 0; a->moving[i] && t < l->rate[i].row.n; t++)
      reader[start[l->rate[i].row.term[t].variable + 1]++] = (uint32_t)i;
  for (size_t j = 0; j < n; j++)
    if (!a->moving[j] && l->rate[j].motion != HYS_MOTION_DEFINED && !bounded(a->free[j]))
      queue[waiting++] = (uint32_t)j;
  while (waiting > 0) {
    const uint32_t j = queue[--waiting];
    for (size_t t = start[j]; t < start[j + 1]; t++) {
      const uint32_t i = reader[t];
      if (!a->moving[i])
        continue;
      a->moving[i] = false;
      if (!bounded(a->free[i]))
        queue[waiting++] = i;
    }
  }
  return HYS_OK;
}

/* A state whose flow is zero is a constant of the run. */
static hys_status find_rest(hys_affine_rows *a, const hys_zonotope *x0) {
  a->rest_of = hys_arena_alloc(a->arena, a->n, sizeof *a->rest_of);
  a->rest_variable = hys_arena_alloc(a->arena, a->n, sizeof *a->rest_variable);
  a->rest_center = hys_arena_alloc(a->arena, 2 * a->n, sizeof *a->rest_center);
  if (a->rest_of == NULL || a->rest_variable == NULL || a->rest_center == NULL)
    return HYS_ERR_MEMORY;
  for (size_t i = 0; i < a->n; i++) {
    const hys_rate *rate = &a->location->rate[i];
    bool zero = a->moving[i] && rate->row.constant.lo == 0.0 && rate->row.constant.hi == 0.0 &&
                rate->slack.lo == 0.0 && rate->slack.hi == 0.0;
    double radius = x0->radius[i];
    for (uint32_t t = 0; zero && t < rate->row.n; t++)
      zero = rate->row.term[t].coef.lo == 0.0 && rate->row.term[t].coef.hi == 0.0;
    if (!zero)
      continue;
    for (size_t k = 0; k < x0->g; k++) {
      const double *g = x0->generator + k * a->n;
      if (g[i] == 0.0)
        continue;
      radius = radius > 0.0 ? hys_add_up(radius, fabs(g[i])) : fabs(g[i]);
      for (size_t j = 0; j < a->n; j++)
        a->tied = a->tied || (j != i && g[j] != 0.0);
    }
    if (!(fabs(x0->center[i]) + radius < DBL_MAX))
      return HYS_ERR_NUMERIC;
    a->moving[i] = false;
    a->rest_of[i] = (uint32_t)a->n_rest + 1;
    a->rest_variable[a->n_rest] = (uint32_t)i;
    a->rest_center[a->n_rest] = x0->center[i];
    a->rest_center[a->n + a->n_rest++] = radius;
  }
  a->rest_radius = a->rest_center + a->n;
  return HYS_OK;
}

static uint32_t root_of(uint32_t *parent, uint32_t i) {
  while (parent[i] != i)
    i = parent[i] = parent[parent[i]];
  return i;
}

static hys_status number_blocks(hys_affine_rows *a) {
  const hys_hybrid_location *l = a->location;
  uint32_t *parent = hys_arena_alloc(a->arena, a->n, sizeof *parent);
  uint32_t *rank = hys_arena_alloc(a->arena, a->n + 1, sizeof *rank);

  a->place = hys_arena_alloc(a->arena, a->n, sizeof *a->place);
  if (parent == NULL || rank == NULL || a->place == NULL)
    return HYS_ERR_MEMORY;
  for (size_t i = 0; i < a->n; i++) {
    parent[i] = (uint32_t)i;
    a->place[i] = UINT32_MAX;
    a->m += a->moving[i];
  }
  for (size_t i = 0; i < a->n; i++)
    for (uint32_t t = 0; a->moving[i] && t < l->rate[i].row.n; t++)
      if (a->moving[l->rate[i].row.term[t].variable])
        parent[root_of(parent, l->rate[i].row.term[t].variable)] = root_of(parent, (uint32_t)i);
  a->variable = hys_arena_alloc(a->arena, a->m + 1, sizeof *a->variable);
  a->block = hys_arena_alloc(a->arena, a->m + 1, sizeof *a->block);
  a->block_of = hys_arena_alloc(a->arena, a->m + 1, sizeof *a->block_of);
  if (a->variable == NULL || a->block == NULL || a->block_of == NULL)
    return HYS_ERR_MEMORY;
  for (size_t i = 0; i < a->n; i++) { /* rank[root]: its block + 1, in the order of first members */
    if (!a->moving[i])
      continue;
    const uint32_t root = root_of(parent, (uint32_t)i);
    if (rank[root] == 0)
      rank[root] = (uint32_t)++a->n_blocks;
    a->block[rank[root] - 1].size++;
  }
  for (size_t b = 0, next = 0; b < a->n_blocks; b++) {
    a->block[b].first = next;
    next += a->block[b].size;
    a->block[b].size = 0;
  }
  for (size_t i = 0; i < a->n; i++) {
    if (!a->moving[i])
      continue;
    const uint32_t b = rank[root_of(parent, (uint32_t)i)] - 1;
    const size_t p = a->block[b].first + a->block[b].size++;
    a->place[i] = (uint32_t)p;
    a->variable[p] = (uint32_t)i;
    a->block_of[p] = b;
  }
  return HYS_OK;
}

/* ---- A, scaled ---- */

static hys_status fill_a(hys_affine_rows *a) {
  size_t entries = 0;

  for (size_t i = 0; i < a->m; i++)
    entries += a->location->rate[a->variable[i]].row.n;
  a->a.start = hys_arena_alloc(a->arena, a->m + 1, sizeof *a->a.start);
  a->a.entry = hys_arena_alloc(a->arena, entries + 1, sizeof *a->a.entry);
  a->scale = hys_arena_alloc(a->arena, a->m + 1, sizeof *a->scale);
  if (a->a.start == NULL || a->a.entry == NULL || a->scale == NULL)
    return HYS_ERR_MEMORY;
  entries = 0;
  for (size_t i = 0; i < a->m; i++) {
    const hys_affine *row = &a->location->rate[a->variable[i]].row;
    a->a.start[i] = entries;
    a->scale[i] = 1.0;
    for (uint32_t t = 0; t < row->n; t++) {
      const hys_interval c = row->term[t].coef;
      if (!a->moving[row->term[t].variable] || (c.lo == 0.0 && c.hi == 0.0))
        continue;
      if (!bounded(c))
        return HYS_ERR_NUMERIC;
      a->a.entry[entries++] = (hysi_rows_entry){a->place[row->term[t].variable], hys_interval_mid(c),
                                                c.lo == c.hi ? 0.0 : hys_interval_rad(c)};
    }
    a->a.start[i + 1] = entries;
  }
  return HYS_OK;
}

/* Powers of two that make rows and columns of |A| about equal in size (Osborne 1960, Parlett and Reinsch
 * 1969). */
static hys_status balance(hys_affine_rows *a) {
  double *row = hys_arena_alloc(a->arena, a->m + 1, sizeof *row);
  double *column = hys_arena_alloc(a->arena, a->m + 1, sizeof *column);

  if (row == NULL || column == NULL)
    return HYS_ERR_MEMORY;
  for (int round = 0; round < BALANCE_ROUNDS; round++) {
    bool changed = false;
    memset(row, 0, a->m * sizeof *row);
    memset(column, 0, a->m * sizeof *column);
    for (size_t i = 0; i < a->m; i++)
      for (size_t t = a->a.start[i]; t < a->a.start[i + 1]; t++) {
        const hysi_rows_entry *e = &a->a.entry[t];
        const double size = e->at == i ? 0.0 : fabs(e->value) * a->scale[e->at] / a->scale[i];
        row[i] += size;
        column[e->at] += size;
      }
    /* every other one in turn, as neighbours pull at the same entry */
    for (size_t i = 0; i < a->m; i++) {
      int e;
      if (((i + (size_t)round) & 1U) != 0 || !(row[i] > 0.0) || !(column[i] > 0.0))
        continue;
      (void)frexp(sqrt(row[i] / column[i]) * 1.4, &e);
      e = e - 1 > 20 ? 20 : e - 1 < -20 ? -20 : e - 1;
      if (e == 0 || fabs(log2(a->scale[i]) + e) > 60.0)
        continue;
      a->scale[i] = ldexp(a->scale[i], e);
      changed = true;
    }
    if (!changed && round > 0)
      break;
  }
  for (size_t i = 0; i < a->m; i++)
    for (size_t t = a->a.start[i]; t < a->a.start[i + 1]; t++) {
      hysi_rows_entry *e = &a->a.entry[t];
      const double f = a->scale[e->at] / a->scale[i];
      if (fabs(e->value) * f > 0x1p900 || (e->value != 0.0 && fabs(e->value) * f < 0x1p-900))
        return HYS_ERR_NUMERIC;
      e->value *= f;
      e->error = hysi_rows_up(e->error * f);
    }
  return HYS_OK;
}

static hys_status measure(hys_affine_rows *a) {
  double *column = hys_arena_alloc(a->arena, a->m + 1, sizeof *column);
  size_t *count = hys_arena_alloc(a->arena, a->m + 1, sizeof *count);

  if (column == NULL || count == NULL)
    return HYS_ERR_MEMORY;
  for (size_t i = 0; i < a->m; i++) {
    hysi_rows_block *b = &a->block[a->block_of[i]];
    double sum = 0.0, error = 0.0, log_norm = 0.0;
    for (size_t t = a->a.start[i]; t < a->a.start[i + 1]; t++) {
      const hysi_rows_entry *e = &a->a.entry[t];
      sum += fabs(e->value) + e->error;
      error += e->error;
      log_norm += e->at == i ? e->value + e->error : fabs(e->value) + e->error;
      column[e->at] += fabs(e->value) + e->error;
      count[e->at]++;
    }
    log_norm += 0x1p-36 * sum;
    b->norm = fmax(b->norm, hysi_rows_up(sum));
    b->error_norm = fmax(b->error_norm, hysi_rows_up(error));
    b->growth = i == b->first ? log_norm : fmax(b->growth, log_norm);
    if (a->a.start[i + 1] - a->a.start[i] > b->widest)
      b->widest = a->a.start[i + 1] - a->a.start[i];
  }
  for (size_t i = 0; i < a->m; i++) {
    hysi_rows_block *b = &a->block[a->block_of[i]];
    b->column_norm = fmax(b->column_norm, hysi_rows_up(column[i]));
    b->widest = count[i] > b->widest ? count[i] : b->widest;
  }
  return HYS_OK;
}

/* ---- products ---- */

void hysi_rows_multiply(const hys_affine_rows *a, const hysi_rows_block *b, const double *x,
                        const double *x_error, double *y, double *y_error) {
  const double gamma = hysi_gamma(b->widest + 1);

  for (size_t i = b->first; i < b->first + b->size; i++) {
    double sum = 0.0, error = 0.0;
    for (size_t t = a->a.start[i]; t < a->a.start[i + 1]; t++) {
      const hysi_rows_entry *e = &a->a.entry[t];
      const double size = fabs(x[e->at]) * (gamma * fabs(e->value) + e->error);
      sum += e->value * x[e->at];
      error += x_error != NULL ? size + (fabs(e->value) + e->error) * x_error[e->at] : size;
    }
    y[i] = sum;
    y_error[i] = hysi_rows_up(error);
  }
}

void hysi_rows_multiply_left(const hys_affine_rows *a, const hysi_rows_block *b, const double *r, double *y) {
  for (size_t i = b->first; i < b->first + b->size; i++)
    y[i] = 0.0;
  for (size_t i = b->first; i < b->first + b->size; i++) {
    const double x = r[i];
    if (x == 0.0)
      continue;
    for (size_t t = a->a.start[i]; t < a->a.start[i + 1]; t++)
      y[a->a.entry[t].at] += a->a.entry[t].value * x;
  }
}

/* ---- inputs ---- */

static hys_status fill_w(hys_affine_rows *a) {
  a->w = hys_arena_alloc(a->arena, a->m + 1, sizeof *a->w);
  a->w_error = hys_arena_alloc(a->arena, a->m + 1, sizeof *a->w_error);
  a->rest_column = hys_arena_alloc(a->arena, 2 * a->n_rest * a->m + 1, sizeof *a->rest_column);
  if (a->w == NULL || a->w_error == NULL || a->rest_column == NULL)
    return HYS_ERR_MEMORY;
  a->rest_error = a->rest_column + a->n_rest * a->m;
  for (size_t i = 0; i < a->m; i++) {
    const hys_rate *rate = &a->location->rate[a->variable[i]];
    hys_interval w =
        hys_interval_add_exact(rate->row.constant, hys_interval_point(hys_interval_mid(rate->slack)));
    for (uint32_t t = 0; t < rate->row.n; t++) {
      const uint32_t j = rate->row.term[t].variable;
      if (a->moving[j])
        continue;
      if (a->rest_of[j] != 0) {
        const size_t q = a->rest_of[j] - 1;
        const hys_interval coef = rate->row.term[t].coef;
        const hys_interval b = hys_interval_mul_exact(coef, hys_interval_point(a->rest_radius[q]));
        w = hys_interval_add_exact(w, hys_interval_mul_exact(coef, hys_interval_point(a->rest_center[q])));
        if (!bounded(b))
          return HYS_ERR_NUMERIC;
        a->rest_column[q * a->m + i] = hys_interval_mid(b) / a->scale[i];
        a->rest_error[q * a->m + i] = b.lo == b.hi ? 0.0 : hysi_rows_up(hys_interval_rad(b) / a->scale[i]);
        continue;
      }
      if (!bounded(a->free[j]))
        return HYS_ERR_NUMERIC;
      w = hys_interval_add_exact(w, hys_interval_mul_exact(rate->row.term[t].coef,
                                                           hys_interval_point(hys_interval_mid(a->free[j]))));
    }
    if (!bounded(w))
      return HYS_ERR_NUMERIC;
    a->w[i] = hys_interval_mid(w) / a->scale[i];
    a->w_error[i] = w.lo == w.hi ? 0.0 : hysi_rows_up(hys_interval_rad(w) / a->scale[i]);
    a->block[a->block_of[i]].drift = fmax(a->block[a->block_of[i]].drift, fabs(a->w[i]));
    a->block[a->block_of[i]].drift_error = fmax(a->block[a->block_of[i]].drift_error, a->w_error[i]);
  }
  return HYS_OK;
}

/* Columns b_j of the free variables that move (in size) and of the slacks. */
static hys_status fill_b(hys_affine_rows *a) {
  size_t *count = hys_arena_alloc(a->arena, a->n + 2, sizeof *count), entries = 0, next = 0;
  double *radius = hys_arena_alloc(a->arena, a->n + 1, sizeof *radius);
  uint32_t *column = hys_arena_alloc(a->arena, a->n + 1, sizeof *column);

  if (count == NULL || radius == NULL || column == NULL)
    return HYS_ERR_MEMORY;
  for (size_t i = 0; i < a->m; i++) {
    const hys_rate *rate = &a->location->rate[a->variable[i]];
    for (uint32_t t = 0; t < rate->row.n; t++) {
      const uint32_t j = rate->row.term[t].variable;
      if (a->moving[j] || a->rest_of[j] != 0 || a->free[j].lo == a->free[j].hi)
        continue;
      radius[j] = hys_interval_rad(a->free[j]);
      count[j]++;
    }
    if (rate->slack.lo != rate->slack.hi) {
      radius[a->variable[i]] = hys_interval_rad(rate->slack);
      count[a->variable[i]]++;
    }
  }
  for (size_t j = 0; j < a->n; j++)
    if (count[j] > 0) {
      column[j] = (uint32_t)a->n_inputs++;
      entries += count[j];
    }
  a->input = hys_arena_alloc(a->arena, a->n_inputs + 1, sizeof *a->input);
  a->b.start = hys_arena_alloc(a->arena, a->n_inputs + 2, sizeof *a->b.start);
  a->b.entry = hys_arena_alloc(a->arena, entries + 1, sizeof *a->b.entry);
  if (a->input == NULL || a->b.start == NULL || a->b.entry == NULL)
    return HYS_ERR_MEMORY;
  for (size_t j = 0; j < a->n; j++)
    if (count[j] > 0) {
      a->input[column[j]] = (hysi_rows_input){(uint32_t)j, UINT32_MAX};
      a->b.start[column[j]] = next;
      next += count[j];
      count[j] = a->b.start[column[j]];
    }
  a->b.start[a->n_inputs] = next;
  for (size_t i = 0; i < a->m; i++) {
    const hys_rate *rate = &a->location->rate[a->variable[i]];
    for (uint32_t t = 0; t < rate->row.n; t++) {
      const uint32_t j = rate->row.term[t].variable;
      if (a->moving[j] || a->rest_of[j] != 0 || a->free[j].lo == a->free[j].hi)
        continue;
      const hys_interval b = hys_interval_mul_exact(rate->row.term[t].coef, hys_interval_point(radius[j]));
      if (!bounded(b))
        return HYS_ERR_NUMERIC;
      a->b.entry[count[j]++] =
          (hysi_rows_entry){(uint32_t)i, hys_interval_mid(b) / a->scale[i],
                            b.lo == b.hi ? 0.0 : hysi_rows_up(hys_interval_rad(b) / a->scale[i])};
    }
    if (rate->slack.lo != rate->slack.hi)
      a->b.entry[count[a->variable[i]]++] =
          (hysi_rows_entry){(uint32_t)i, radius[a->variable[i]] / a->scale[i], 0.0};
  }
  return HYS_OK;
}

/* A b_j, and the sums over j of |A b_j|, |A^2 b_j|, |A^4 b_j|. */
static hys_status curves(hys_affine_rows *a) {
  double *x = hys_arena_alloc(a->arena, 4 * a->m + 1, sizeof *x), *input, *input_error, *slope, *slope_error;
  size_t capacity = 0, next = 0;

  input = hys_arena_alloc(a->arena, 4 * a->m + 1, sizeof *input);
  a->ab.start = hys_arena_alloc(a->arena, a->n_inputs + 2, sizeof *a->ab.start);
  if (x == NULL || input == NULL || a->ab.start == NULL)
    return HYS_ERR_MEMORY;
  input_error = input + a->m;
  slope = input + 2 * a->m;
  slope_error = input + 3 * a->m;
  for (size_t j = 0; j < a->n_inputs;
       j++) { /* room: no more than the blocks that b_j touches, and no more than its columns hold */
    size_t most = 0;
    uint32_t last = UINT32_MAX;
    for (size_t t = a->b.start[j]; t < a->b.start[j + 1]; t++) {
      const uint32_t b = a->block_of[a->b.entry[t].at];
      const size_t fill = a->block[b].widest * (a->b.start[j + 1] - a->b.start[j]);
      if (b != last)
        most += fill < a->block[b].size ? fill : a->block[b].size;
      last = b;
    }
    capacity += most;
  }
  a->ab.entry = hys_arena_alloc(a->arena, capacity + 1, sizeof *a->ab.entry);
  if (a->ab.entry == NULL)
    return HYS_ERR_MEMORY;
  for (size_t j = 0; j < a->n_inputs; j++) {
    uint32_t last = UINT32_MAX;
    a->ab.start[j] = next;
    a->input[j].block = a->block_of[a->b.entry[a->b.start[j]].at];
    for (size_t t = a->b.start[j]; t < a->b.start[j + 1];) { /* entries of one block lie in a row */
      const uint32_t at = a->block_of[a->b.entry[t].at];
      const hysi_rows_block *b = &a->block[at];
      double *y = x + a->m, *x_error = x + 2 * a->m, *y_error = x + 3 * a->m;
      if (last != UINT32_MAX)
        a->input[j].block = UINT32_MAX;
      last = at;
      for (size_t i = b->first; i < b->first + b->size; i++)
        x[i] = x_error[i] = 0.0;
      for (; t < a->b.start[j + 1] && a->block_of[a->b.entry[t].at] == at; t++) {
        const hysi_rows_entry *e = &a->b.entry[t];
        x[e->at] = e->value;
        x_error[e->at] = e->error;
        input[e->at] += fabs(e->value);
        input_error[e->at] += e->error;
      }
      for (int power = 1; power <= 4; power++) {
        hysi_rows_multiply(a, b, x, x_error, y, y_error);
        for (size_t i = b->first; i < b->first + b->size; i++) {
          const double size = fabs(y[i]) + y_error[i];
          if (power == 1 && size > 0.0) {
            a->ab.entry[next++] = (hysi_rows_entry){(uint32_t)i, y[i], y_error[i]};
            slope[i] += fabs(y[i]);
            slope_error[i] += y_error[i];
            a->bow[i] += size;
          } else if (power == 2) {
            a->curve2[i] += size;
          } else if (power == 4) {
            a->curve4[i] += size;
          }
          x[i] = y[i];
          x_error[i] = y_error[i];
        }
      }
    }
  }
  a->ab.start[a->n_inputs] = next;
  for (size_t i = 0; i < a->m; i++) {
    hysi_rows_block *b = &a->block[a->block_of[i]];
    a->bow[i] = hysi_rows_up(a->bow[i]);
    a->curve2[i] = hysi_rows_up(a->curve2[i]);
    a->curve4[i] = hysi_rows_up(a->curve4[i]);
    b->input = fmax(b->input, hysi_rows_up(input[i]));
    b->input_error = fmax(b->input_error, hysi_rows_up(input_error[i]));
    b->slope = fmax(b->slope, hysi_rows_up(slope[i]));
    b->slope_error = fmax(b->slope_error, hysi_rows_up(slope_error[i]));
  }
  return HYS_OK;
}

/* ---- the start ---- */

static hys_status fill_start(hys_affine_rows *a, const hys_zonotope *x0) {
  size_t rest = 0;
  double *size = hys_arena_alloc(a->arena, a->m + 1, sizeof *size);

  a->center = hys_arena_alloc(a->arena, a->m + 1, sizeof *a->center);
  a->radius = hys_arena_alloc(a->arena, a->m + 1, sizeof *a->radius);
  if (a->center == NULL || a->radius == NULL || size == NULL)
    return HYS_ERR_MEMORY;
  for (int pass = 0; pass < 2; pass++) {
    rest = 0;
    for (size_t k = 0; k < x0->g; k++) {
      size_t entries = 0, at = 0;
      for (size_t i = 0; i < a->m; i++)
        if (x0->generator[k * x0->n + a->variable[i]] != 0.0) {
          entries++;
          at = i;
        }
      if (entries == 1 && pass == 1) {
        a->radius[at] =
            hys_add_up(a->radius[at], fabs(x0->generator[k * x0->n + a->variable[at]]) / a->scale[at]);
      } else if (entries > 1) {
        for (size_t i = 0; pass == 1 && i < a->m; i++) {
          a->generator[rest * a->m + i] = x0->generator[k * x0->n + a->variable[i]] / a->scale[i];
          size[i] += fabs(a->generator[rest * a->m + i]);
        }
        rest++;
      }
    }
    if (pass == 1)
      break;
    a->generator = hys_arena_alloc(a->arena, rest * a->m + 1, sizeof *a->generator);
    if (a->generator == NULL)
      return HYS_ERR_MEMORY;
  }
  a->n_generators = rest;
  for (size_t i = 0; i < a->m; i++) {
    hysi_rows_block *b = &a->block[a->block_of[i]];
    double constants = 0.0, constants_error = 0.0;
    for (size_t q = 0; q < a->n_rest; q++) {
      constants += fabs(a->rest_column[q * a->m + i]);
      constants_error += a->rest_error[q * a->m + i];
    }
    b->rest = fmax(b->rest, hysi_rows_up(constants));
    b->rest_error = fmax(b->rest_error, hysi_rows_up(constants_error));
    const double own = x0->radius[a->variable[i]] / a->scale[i];
    a->center[i] = x0->center[a->variable[i]] / a->scale[i];
    a->radius[i] = own > 0.0 ? a->radius[i] > 0.0 ? hys_add_up(a->radius[i], own) : own : a->radius[i];
    if (!(fabs(a->center[i]) + a->radius[i] + size[i] < DBL_MAX))
      return HYS_ERR_NUMERIC;
    b->start_size = fmax(b->start_size, hysi_rows_up(fabs(a->center[i]) + a->radius[i] + size[i]));
  }
  return HYS_OK;
}

/* |A (A z + w)| over the start: its center with w, each axis, each generator. */
static hys_status bend(hys_affine_rows *a) {
  double *x = hys_arena_alloc(a->arena, 4 * a->m + 1, sizeof *x), *y, *x_error, *y_error;

  if (x == NULL)
    return HYS_ERR_MEMORY;
  y = x + a->m;
  x_error = x + 2 * a->m;
  y_error = x + 3 * a->m;
  for (size_t k = 0; k < a->n_blocks; k++) {
    const hysi_rows_block *b = &a->block[k];
    const size_t first = b->first, end = first + b->size;
    if (b->norm == 0.0)
      continue;
    hysi_rows_multiply(a, b, a->center, NULL, y, y_error);
    for (size_t i = first; i < end; i++) {
      x[i] = y[i] + a->w[i];
      x_error[i] = hysi_rows_up(y_error[i] + a->w_error[i] + 0x1p-52 * fabs(x[i]));
    }
    hysi_rows_multiply(a, b, x, x_error, y, y_error);
    for (size_t i = first; i < end; i++)
      a->bow[i] += fabs(y[i]) + y_error[i];
    for (size_t g = 0; g < a->n_generators; g++) {
      hysi_rows_multiply(a, b, a->generator + g * a->m, NULL, x, x_error);
      hysi_rows_multiply(a, b, x, x_error, y, y_error);
      for (size_t i = first; i < end; i++)
        a->bow[i] += fabs(y[i]) + y_error[i];
    }
    for (size_t q = 0; q < a->n_rest; q++) {
      hysi_rows_multiply(a, b, a->rest_column + q * a->m, a->rest_error + q * a->m, y, y_error);
      for (size_t i = first; i < end; i++)
        a->bow[i] += fabs(y[i]) + y_error[i];
    }
    if (b->size <= DENSE_CURVE) {
      for (size_t j = first; j < end; j++) {
        if (a->radius[j] == 0.0)
          continue;
        memset(x + first, 0, b->size * sizeof *x);
        x[j] = a->radius[j];
        hysi_rows_multiply(a, b, x, NULL, y, y_error);
        memcpy(x + first, y + first, b->size * sizeof *x);
        memcpy(x_error + first, y_error + first, b->size * sizeof *x);
        hysi_rows_multiply(a, b, x, x_error, y, y_error);
        for (size_t i = first; i < end; i++)
          a->bow[i] += fabs(y[i]) + y_error[i];
      }
    } else { /* |A| |A| radius */
      memcpy(x + first, a->radius + first, b->size * sizeof *x);
      for (int power = 0; power < 2; power++) {
        for (size_t i = first; i < end; i++) {
          double sum = 0.0;
          for (size_t t = a->a.start[i]; t < a->a.start[i + 1]; t++)
            sum += (fabs(a->a.entry[t].value) + a->a.entry[t].error) * x[a->a.entry[t].at];
          y[i] = hysi_rows_up(sum);
        }
        memcpy(x + first, y + first, b->size * sizeof *x);
      }
      for (size_t i = first; i < end; i++)
        a->bow[i] += x[i];
    }
    for (size_t i = first; i < end; i++)
      a->bow[i] = hysi_rows_up(a->bow[i]);
  }
  return HYS_OK;
}

/* ---- the object ---- */

hys_status hys_affine_rows_create(hys_affine_rows **out, const hys_hybrid *automaton,
                                  const hys_hybrid_location *location, const hys_interval *free_box,
                                  const hys_zonotope *x0, const hys_allocator *allocator) {
  hys_affine_rows *a;
  hys_arena *arena;
  hys_status status;

  *out = NULL;
  if (automaton->n == 0 || automaton->n >= UINT32_MAX || x0->n != automaton->n)
    return HYS_ERR_ARG;
  arena = hys_arena_create(allocator);
  a = arena != NULL ? hys_arena_alloc(arena, 1, sizeof *a) : NULL;
  if (a == NULL) {
    hys_arena_destroy(arena);
    return HYS_ERR_MEMORY;
  }
  a->arena = arena;
  if (allocator != NULL) {
    a->own_allocator = *allocator;
    a->allocator = &a->own_allocator;
  }
  a->automaton = automaton;
  a->location = location;
  a->n = automaton->n;
  a->free = hys_arena_alloc(arena, a->n, sizeof *a->free);
  a->moving = hys_arena_alloc(arena, a->n, sizeof *a->moving);
  status = a->free != NULL && a->moving != NULL ? HYS_OK : HYS_ERR_MEMORY;
  if (status == HYS_OK) {
    memcpy(a->free, free_box, a->n * sizeof *a->free);
    status = find_moving(a);
  }
  if (status == HYS_OK)
    status = find_rest(a, x0);
  if (status == HYS_OK)
    status = number_blocks(a);
  if (status == HYS_OK) {
    a->bow = hys_arena_alloc(arena, 3 * a->m + 1, sizeof *a->bow);
    a->curve2 = a->bow != NULL ? a->bow + a->m : NULL;
    a->curve4 = a->bow != NULL ? a->bow + 2 * a->m : NULL;
    status = a->bow != NULL ? fill_a(a) : HYS_ERR_MEMORY;
  }
  if (status == HYS_OK)
    status = balance(a);
  if (status == HYS_OK)
    status = measure(a);
  if (status == HYS_OK)
    status = fill_w(a);
  if (status == HYS_OK)
    status = fill_b(a);
  if (status == HYS_OK)
    status = curves(a);
  if (status == HYS_OK)
    status = fill_start(a, x0);
  if (status == HYS_OK)
    status = bend(a);
  if (status != HYS_OK) {
    hys_arena_destroy(arena);
    return status;
  }
  *out = a;
  return HYS_OK;
}

void hys_affine_rows_destroy(hys_affine_rows *a) {
  if (a == NULL)
    return;
  hys_arena_destroy(a->level.arena);
  hys_arena_destroy(a->arena);
}
