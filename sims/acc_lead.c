#include "sims/acc_lead.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_rng.h>

#include "sims/acc_lead_build.h"

static void *take(const hys_allocator *allocator, size_t size) {
  return allocator != NULL ? allocator->allocate(allocator->context, size) : malloc(size);
}

static void give(const hys_allocator *allocator, void *memory) {
  if (memory == NULL)
    return;
  if (allocator != NULL)
    allocator->release(allocator->context, memory);
  else
    free(memory);
}

hys_status acc_lead_begin(acc_lead **lead, double w0, const acc_lead_bounds *bounds,
                          const hys_allocator *allocator) {
  *lead = NULL;
  if (!(w0 >= 0.0 && w0 <= ACC_LEAD_MAX_SPEED) || bounds == NULL || !(bounds->brake_max > 0.0) ||
      !(bounds->brake_max <= ACC_LEAD_MAX_RATE) || !(bounds->accel_max > 0.0) ||
      !(bounds->accel_max <= ACC_LEAD_MAX_RATE))
    return HYS_ERR_ARG;
  acc_lead *made = take(allocator, sizeof *made);
  if (made == NULL)
    return HYS_ERR_MEMORY;
  *made = (acc_lead){.w_end = w0, .bounds = *bounds};
  if (allocator != NULL) {
    made->allocator = *allocator;
    made->own_allocator = true;
  }
  *lead = made;
  return HYS_OK;
}

static const hys_allocator *allocator_of(const acc_lead *lead) {
  return lead->own_allocator ? &lead->allocator : NULL;
}

void acc_lead_destroy(acc_lead *lead) {
  if (lead == NULL)
    return;
  const bool own = lead->own_allocator;
  const hys_allocator allocator = lead->allocator;
  give(own ? &allocator : NULL, lead->piece);
  give(own ? &allocator : NULL, lead);
}

static hys_status push_piece(acc_lead *lead, double t, double w, double a) {
  if (lead->n >= ACC_LEAD_MAX_PIECES)
    return HYS_ERR_LIMIT;
  if (lead->n == lead->capacity) {
    const size_t capacity = lead->capacity == 0 ? 64 : 2 * lead->capacity;
    acc_lead_piece *piece = take(allocator_of(lead), capacity * sizeof *piece);
    if (piece == NULL)
      return HYS_ERR_MEMORY;
    if (lead->n > 0)
      memcpy(piece, lead->piece, lead->n * sizeof *piece);
    give(allocator_of(lead), lead->piece);
    lead->piece = piece;
    lead->capacity = capacity;
  }
  lead->piece[lead->n++] = (acc_lead_piece){t, w, a};
  return HYS_OK;
}

hys_status acc_lead_add(acc_lead *lead, double until, double a) {
  if (!(until > lead->t_end))
    return HYS_OK;
  a = fmin(fmax(a, -lead->bounds.brake_max), lead->bounds.accel_max);
  double w = lead->w_end;
  if (w <= 0.0)
    a = fmax(a, 0.0);
  hys_status status = push_piece(lead, lead->t_end, w, a);
  if (status != HYS_OK)
    return status;
  const double stands = a < 0.0 ? lead->t_end + w / -a : HUGE_VAL;
  if (stands <= until) {
    if (stands < until && (status = push_piece(lead, stands, 0.0, 0.0)) != HYS_OK)
      return status;
    w = 0.0;
  } else {
    w = fmin(fmax(w + a * (until - lead->t_end), 0.0), ACC_LEAD_MAX_SPEED);
  }
  lead->t_end = until;
  lead->w_end = w;
  return HYS_OK;
}

hys_status acc_lead_swap(acc_lead *lead, double t, double w) {
  while (lead->n > 0 && lead->piece[lead->n - 1].t >= t)
    lead->n--;
  lead->t_end = t;
  lead->w_end = w;
  return push_piece(lead, t, w, 0.0);
}

hys_status acc_lead_follow(acc_lead *lead, double until, double w, bool *clamped) {
  const double a = (w - lead->w_end) / (until - lead->t_end);
  /* Only a rounding above a bound is within it. */
  const double slack = 1e-9;
  *clamped = a < -lead->bounds.brake_max - slack || a > lead->bounds.accel_max + slack;
  return acc_lead_add(lead, until, a);
}

static hys_status add_bang_bang(acc_lead *lead, const acc_lead_profile *p, double rate, double rate_up,
                                double duration) {
  gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
  if (rng == NULL)
    return HYS_ERR_MEMORY;
  gsl_rng_set(rng, (unsigned long)(p->seed & 0xffffffffU));
  const double speed_max = p->speed_max > 0.0 ? p->speed_max : 40.0;
  hys_status status = HYS_OK;
  for (size_t k = 1; status == HYS_OK && lead->t_end < duration; k++) {
    const double until = fmin(duration, p->start + (double)k * p->period);
    const bool brakes = gsl_rng_uniform(rng) < rate_up / (rate + rate_up);
    const double room = fmax(0.0, (speed_max - lead->w_end) / p->period);
    status = acc_lead_add(lead, until, brakes ? -rate : fmin(rate_up, room));
  }
  gsl_rng_free(rng);
  return status;
}

static hys_status add_oscillating(acc_lead *lead, const acc_lead_profile *p, double rate, double duration) {
  const double pi = 3.14159265358979323846;
  const double amplitude = fmin(rate, lead->bounds.accel_max);
  hys_status status = HYS_OK;
  for (size_t k = 0; status == HYS_OK && lead->t_end < duration; k++) {
    const double until = fmin(duration, p->start + (double)(k + 1) * p->period / 20.0);
    status = acc_lead_add(lead, until, amplitude * sin(2.0 * pi * ((double)(k % 20) + 0.5) / 20.0));
  }
  return status;
}

static hys_status add_stop_and_go(acc_lead *lead, const acc_lead_profile *p, double w0, double rate,
                                  double rate_up, double duration) {
  hys_status status = HYS_OK;
  while (status == HYS_OK && lead->t_end < duration) {
    const double start = lead->t_end;
    status = acc_lead_add(lead, start + w0 / rate, -rate);
    lead->w_end = 0.0; /* not a rounding's worth above it */
    if (status == HYS_OK)
      status = acc_lead_add(lead, lead->t_end + p->period, 0.0);
    if (status == HYS_OK)
      status = acc_lead_add(lead, lead->t_end + w0 / rate_up, rate_up);
    if (status == HYS_OK)
      status = acc_lead_add(lead, lead->t_end + p->period, 0.0);
  }
  return status;
}

static hys_status add_table(acc_lead *lead, const acc_lead_profile *p) {
  hys_status status = HYS_OK;
  for (size_t i = 1; status == HYS_OK && i < p->n_points; i++) {
    bool clamped;
    status = acc_lead_follow(lead, p->point[i].t, p->point[i].w, &clamped);
  }
  return status;
}

static bool profile_allowed(const acc_lead_profile *p) {
  if (!(p->start >= 0.0 && p->start <= DBL_MAX) || !(p->rate >= 0.0 && p->rate <= DBL_MAX) ||
      !(p->rate_up >= 0.0 && p->rate_up <= DBL_MAX) || !(p->speed_max >= 0.0))
    return false;
  if (p->swap_at < HUGE_VAL &&
      !(p->swap_at >= 0.0 && p->swap_speed >= 0.0 && p->swap_speed <= ACC_LEAD_MAX_SPEED))
    return false;
  switch (p->kind) {
  case ACC_LEAD_STEADY:
  case ACC_LEAD_BRAKE:
    return true;
  case ACC_LEAD_BANG_BANG:
  case ACC_LEAD_OSCILLATING:
  case ACC_LEAD_STOP_AND_GO:
    return p->period > 0.0 && p->period <= DBL_MAX;
  case ACC_LEAD_TABLE:
    if (p->point == NULL || p->n_points == 0 || !(p->point[0].t <= 0.0 && p->point[0].t >= 0.0))
      return false;
    for (size_t i = 0; i < p->n_points; i++) {
      if (!(p->point[i].w >= 0.0 && p->point[i].w <= ACC_LEAD_MAX_SPEED))
        return false;
      if (i > 0 && !(p->point[i].t > p->point[i - 1].t && p->point[i].t <= DBL_MAX))
        return false;
    }
    return true;
  case ACC_LEAD_RECORDED:
    return false;
  }
  return false;
}

hys_status acc_lead_create(acc_lead **lead, const acc_lead_profile *profile, double w0, double duration,
                           const acc_lead_bounds *bounds, const hys_allocator *allocator) {
  if (lead == NULL)
    return HYS_ERR_ARG;
  *lead = NULL;
  if (profile == NULL || !(duration >= 0.0 && duration <= DBL_MAX) || !profile_allowed(profile))
    return HYS_ERR_ARG;
  acc_lead *made;
  hys_status status = acc_lead_begin(&made, w0, bounds, allocator);
  if (status != HYS_OK)
    return status;
  const double rate = profile->rate > 0.0 ? fmin(profile->rate, bounds->brake_max) : bounds->brake_max;
  const double rate_up =
      profile->rate_up > 0.0 ? fmin(profile->rate_up, bounds->accel_max) : bounds->accel_max;
  if (profile->kind != ACC_LEAD_TABLE)
    status = acc_lead_add(made, profile->start, 0.0);
  if (status == HYS_OK) {
    switch (profile->kind) {
    case ACC_LEAD_BRAKE:
      status = acc_lead_add(made, profile->start + w0 / rate, -rate);
      made->w_end = 0.0;
      break;
    case ACC_LEAD_BANG_BANG:
      status = add_bang_bang(made, profile, rate, rate_up, duration);
      break;
    case ACC_LEAD_OSCILLATING:
      status = add_oscillating(made, profile, rate, duration);
      break;
    case ACC_LEAD_STOP_AND_GO:
      status = w0 > 0.0 ? add_stop_and_go(made, profile, w0, rate, rate_up, duration) : HYS_OK;
      break;
    case ACC_LEAD_TABLE:
      status = add_table(made, profile);
      break;
    case ACC_LEAD_STEADY:
    case ACC_LEAD_RECORDED:
      break;
    }
  }
  if (status == HYS_OK && profile->swap_at < HUGE_VAL)
    status = acc_lead_swap(made, profile->swap_at, profile->swap_speed);
  if (status == HYS_OK)
    status = acc_lead_end(made);
  if (status != HYS_OK) {
    acc_lead_destroy(made);
    return status;
  }
  *lead = made;
  return HYS_OK;
}

hys_status acc_lead_end(acc_lead *lead) {
  return push_piece(lead, lead->t_end, lead->w_end, 0.0);
}

/* The last piece that starts at t or before; the first one for a t before all. */
static size_t piece_at(const acc_lead *lead, double t) {
  size_t low = 0, high = lead->n;
  while (high - low > 1) {
    const size_t middle = low + (high - low) / 2;
    if (lead->piece[middle].t <= t)
      low = middle;
    else
      high = middle;
  }
  return low;
}

double acc_lead_accel(const acc_lead *lead, double t, double w) {
  const double a = lead->piece[piece_at(lead, t)].a;
  return w <= 0.0 ? fmax(a, 0.0) : a;
}

double acc_lead_next_break(const acc_lead *lead, double t) {
  if (t < lead->piece[0].t)
    return lead->piece[0].t;
  const size_t i = piece_at(lead, t);
  return i + 1 < lead->n ? lead->piece[i + 1].t : HUGE_VAL;
}

double acc_lead_speed(const acc_lead *lead, double t) {
  const acc_lead_piece *piece = &lead->piece[piece_at(lead, t)];
  return t <= piece->t ? piece->w : fmax(0.0, piece->w + piece->a * (t - piece->t));
}

size_t acc_lead_pieces(const acc_lead *lead) {
  return lead->n;
}
