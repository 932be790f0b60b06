#include "models/flow_series.h"

#include <math.h>

/* Ranges. */

void hysi_range_init(hysi_range *r) {
  arf_init(r->lo);
  arf_init(r->hi);
}

void hysi_range_clear(hysi_range *r) {
  arf_clear(r->lo);
  arf_clear(r->hi);
}

void hysi_range_zero(hysi_range *r) {
  arf_zero(r->lo);
  arf_zero(r->hi);
}

void hysi_range_join(hysi_range *r, const hysi_range *s, bool first) {
  if (first || arf_cmp(s->lo, r->lo) < 0)
    arf_set(r->lo, s->lo);
  if (first || arf_cmp(s->hi, r->hi) > 0)
    arf_set(r->hi, s->hi);
}

void hysi_range_add(hysi_range *r, const hysi_range *s, slong prec) {
  arf_add(r->lo, r->lo, s->lo, prec, ARF_RND_FLOOR);
  arf_add(r->hi, r->hi, s->hi, prec, ARF_RND_CEIL);
}

void hysi_range_scale(hysi_range *r, hys_interval u, slong prec) {
  arf_t lo, hi, x, p;
  arf_init(lo);
  arf_init(hi);
  arf_init(x);
  arf_init(p);
  for (int k = 0; k < 4; k++) {
    arf_set_d(x, k < 2 ? u.lo : u.hi);
    arf_mul(p, k % 2 == 0 ? r->lo : r->hi, x, prec, ARF_RND_FLOOR);
    if (k == 0 || arf_cmp(p, lo) < 0)
      arf_set(lo, p);
    arf_mul(p, k % 2 == 0 ? r->lo : r->hi, x, prec, ARF_RND_CEIL);
    if (k == 0 || arf_cmp(p, hi) > 0)
      arf_set(hi, p);
  }
  arf_swap(r->lo, lo);
  arf_swap(r->hi, hi);
  arf_clear(lo);
  arf_clear(hi);
  arf_clear(x);
  arf_clear(p);
}

void hysi_range_set_arb(hysi_range *r, const arb_t x, slong prec) {
  arb_get_lbound_arf(r->lo, x, prec);
  arb_get_ubound_arf(r->hi, x, prec);
}

hys_interval hysi_range_interval(const hysi_range *r) {
  hys_interval a;
#ifdef HYS_PLANT_NO_OUTWARD /* planted fault for the gate of the tests */
  a.lo = arf_get_d(r->lo, ARF_RND_NEAR);
  a.hi = arf_get_d(r->hi, ARF_RND_NEAR);
#else
  a.lo = arf_get_d(r->lo, ARF_RND_FLOOR);
  a.hi = arf_get_d(r->hi, ARF_RND_CEIL);
#endif
  return a;
}

hys_interval hysi_arb_interval(const arb_t x, slong prec) {
  hysi_range r;
  hysi_range_init(&r);
  hysi_range_set_arb(&r, x, prec);
  const hys_interval a = hysi_range_interval(&r);
  hysi_range_clear(&r);
  return a;
}

void hysi_arb_set_interval(arb_t x, hys_interval a, slong prec) {
  if (a.lo == a.hi) {
    arb_set_d(x, a.lo);
    return;
  }
  hysi_range r;
  hysi_range_init(&r);
  arf_set_d(r.lo, a.lo);
  arf_set_d(r.hi, a.hi);
  arb_set_interval_arf(x, r.lo, r.hi, prec);
  hysi_range_clear(&r);
}

/* Series. */

void hysi_series_init(hysi_series *s, slong n, slong top, slong prec) {
  s->n = n;
  s->top = top;
  s->len = top + 3;
  s->prec = prec;
  for (int o = 0; o < HYSI_ORDERS; o++)
    s->order[o] = _arb_vec_init(n * s->len);
  s->cur = _arb_vec_init(n);
  s->next = _arb_vec_init(n);
  s->shifted = _arb_vec_init(s->len + 1);
  s->stripped = _arb_vec_init(s->len + 1);
  arb_init(s->x);
  arb_init(s->y);
  arb_init(s->z);
  arf_init(s->p);
  arf_init(s->q);
  hysi_range_init(&s->range);
}

void hysi_series_clear(hysi_series *s) {
  for (int o = 0; o < HYSI_ORDERS; o++)
    _arb_vec_clear(s->order[o], s->n * s->len);
  _arb_vec_clear(s->cur, s->n);
  _arb_vec_clear(s->next, s->n);
  _arb_vec_clear(s->shifted, s->len + 1);
  _arb_vec_clear(s->stripped, s->len + 1);
  arb_clear(s->x);
  arb_clear(s->y);
  arb_clear(s->z);
  arf_clear(s->p);
  arf_clear(s->q);
  hysi_range_clear(&s->range);
}

/* The components of cur A^k that can differ from zero for some k >= 0, one bit each. */
static uint64_t components_reached(const hysi_series *s, const arb_mat_t a) {
  uint64_t reached = 0, before;
  for (slong j = 0; j < s->n; j++)
    if (!arb_is_zero(s->cur + j))
      reached |= UINT64_C(1) << j;
  do {
    before = reached;
    for (slong i = 0; i < s->n; i++)
      for (slong j = 0; j < s->n; j++)
        if ((reached >> i & 1) != 0 && !arb_is_zero(arb_mat_entry(a, i, j)))
          reached |= UINT64_C(1) << j;
  } while (reached != before);
  return reached;
}

/* With s_k = d0 A^k / k!: the sum of |s_k|_1 k!/(k-m)! t^(k-m) over k > top is at most t^(top+1-m) times
 *   |s_top+1|_1 (top+1)!/(top+1-m)! / (1 - norm_h / (top+2-m)),
 * since |r A|_1 <= |r|_1 ||A||_inf and so a term is at most norm_h / (top+2-m) times the one before.  m is
 * the order of the derivative of f' (m = -1 for f itself). */
static void add_remainder(hysi_series *s, const arb_mat_t a, double norm_h) {
#ifdef HYS_PLANT_NO_REMAINDER /* planted fault for the gate of the tests */
  return;
#endif
  arf_zero(s->p);
  for (slong j = 0; j < s->n; j++) {
    arb_get_abs_ubound_arf(s->q, s->cur + j, s->prec);
    arf_add(s->p, s->p, s->q, s->prec, ARF_RND_CEIL);
  }
  if (arf_is_zero(s->p))
    return;
  const uint64_t reached = components_reached(s, a);
  for (int o = 0; o < HYSI_ORDERS; o++) {
    const slong m = o - 1, at = s->top + 1 - m;
    arb_set_d(s->x, norm_h);
    arb_div_si(s->x, s->x, s->top + 2 - m, s->prec);
    arb_sub_si(s->x, s->x, 1, s->prec);
    arb_neg(s->x, s->x);
    arb_set_arf(s->y, s->p);
    if (m < 0)
      arb_div_si(s->y, s->y, s->top + 2, s->prec);
    for (slong k = 0; k < m; k++)
      arb_mul_si(s->y, s->y, s->top + 1 - k, s->prec);
    arb_div(s->y, s->y, s->x, s->prec);
    arb_get_ubound_arf(s->q, s->y, s->prec);
    for (slong j = 0; j < s->n; j++)
      if ((reached >> j & 1) != 0)
        arb_add_error_arf(s->order[o] + j * s->len + at, s->q);
  }
}

void hysi_series_make(hysi_series *s, arb_srcptr f0, arb_srcptr d0, const arb_mat_t a, double norm_h) {
  for (int o = 0; o < HYSI_ORDERS; o++)
    _arb_vec_zero(s->order[o], s->n * s->len);
  for (slong j = 0; j < s->n; j++) {
    arb_set(s->order[HYSI_VALUE] + j * s->len, f0 + j);
    arb_set(s->cur + j, d0 + j);
  }
  for (slong k = 0; k <= s->top; k++) {
    if (_arb_vec_is_zero(s->cur, s->n))
      return; /* the series ends here, exactly */
    for (slong j = 0; j < s->n; j++) {
      arb_srcptr c = s->cur + j;
      const slong at = j * s->len + k;
      arb_div_si(s->order[HYSI_VALUE] + at + 1, c, k + 1, s->prec);
      arb_set(s->order[HYSI_FIRST] + at, c);
      if (k >= 1)
        arb_mul_si(s->order[HYSI_SECOND] + at - 1, c, k, s->prec);
      if (k >= 2)
        arb_mul_si(s->order[HYSI_THIRD] + at - 2, c, k * (k - 1), s->prec);
    }
    for (slong j = 0; j < s->n; j++) {
      arb_zero(s->next + j);
      for (slong i = 0; i < s->n; i++)
        arb_addmul(s->next + j, s->cur + i, arb_mat_entry(a, i, j), s->prec);
      arb_div_si(s->next + j, s->next + j, k + 1, s->prec);
    }
    arb_ptr t = s->cur;
    s->cur = s->next;
    s->next = t;
  }
  add_remainder(s, a, norm_h);
}

void hysi_series_dot(arb_ptr out, const hysi_series *s, int o, arb_srcptr v) {
  for (slong i = 0; i < s->n; i++)
    if (!arb_is_zero(v + i))
      _arb_vec_scalar_addmul(out, s->order[o] + i * s->len, s->len, v + i, s->prec);
}

/* Polynomials. */

static slong used_length(arb_srcptr p, slong len) {
  while (len > 0 && arb_is_zero(p + len - 1))
    len--;
  return len;
}

/* p(m + s) = sum q_k s^k lies within q_0 -+ sum_k>0 |q_k| r^k for |s| <= r. */
static void centred_range(hysi_range *out, hysi_series *s, arb_srcptr p, slong len, double a, double b) {
  if (len == 0) {
    hysi_range_zero(out);
    return;
  }
  _arb_vec_set(s->shifted, p, len);
  arb_set_d(s->x, a);
  arb_set_d(s->y, b);
  arb_add(s->z, s->x, s->y, s->prec);
  arb_mul_2exp_si(s->z, s->z, -1);
  arb_sub(s->x, s->y, s->x, s->prec);
  arb_mul_2exp_si(s->x, s->x, -1);
  _arb_poly_taylor_shift(s->shifted, s->z, len, s->prec);
  arb_zero(s->y);
  for (slong k = len - 1; k > 0; k--) {
    arb_get_abs_ubound_arf(s->p, s->shifted + k, s->prec);
    arb_set_arf(s->z, s->p);
    arb_add(s->y, s->y, s->z, s->prec);
    arb_mul(s->y, s->y, s->x, s->prec);
  }
  arb_get_ubound_arf(s->p, s->y, s->prec);
  hysi_range_set_arb(out, s->shifted, s->prec);
  arf_sub(out->lo, out->lo, s->p, s->prec, ARF_RND_FLOOR);
  arf_add(out->hi, out->hi, s->p, s->prec, ARF_RND_CEIL);
}

/* 1 or -1 if all of the range has that sign (zero allowed), else 0. */
static int range_sign(const hysi_range *r) {
  return arf_sgn(r->lo) >= 0 ? 1 : arf_sgn(r->hi) <= 0 ? -1 : 0;
}

void hysi_poly_range(hysi_range *out, hysi_series *s, arb_srcptr p, arb_srcptr dp, double a, double b) {
  const slong len = used_length(p, s->len);
  if (len > 1 && dp != NULL) {
    centred_range(&s->range, s, dp, used_length(dp, s->len), a, b);
    if (range_sign(&s->range) != 0) {
      arb_set_d(s->x, a);
      _arb_poly_evaluate(s->y, p, len, s->x, s->prec);
      hysi_range_set_arb(out, s->y, s->prec);
      arb_set_d(s->x, b);
      _arb_poly_evaluate(s->y, p, len, s->x, s->prec);
      hysi_range_set_arb(&s->range, s->y, s->prec);
      hysi_range_join(out, &s->range, false);
      return;
    }
  }
  centred_range(out, s, p, len, a, b);
}

void hysi_poly_integral(arb_t out, hysi_series *s, arb_srcptr p, double a, double b) {
  const slong len = used_length(p, s->len);
  if (len == 0)
    return;
  for (slong k = 0; k < len; k++)
    arb_div_si(s->shifted + k, p + k, k + 1, s->prec);
  arb_set_d(s->x, b);
  _arb_poly_evaluate(s->y, s->shifted, len, s->x, s->prec);
  arb_mul(s->y, s->y, s->x, s->prec);
  arb_add(out, out, s->y, s->prec);
  arb_set_d(s->x, a);
  _arb_poly_evaluate(s->y, s->shifted, len, s->x, s->prec);
  arb_mul(s->y, s->y, s->x, s->prec);
  arb_sub(out, out, s->y, s->prec);
}

/* The sign of p on [a,b], 0 <= a; leading zeros are divided out, so that a p that starts from zero has a
 * sign. */
static int poly_sign(hysi_series *s, arb_srcptr p, double a, double b) {
  slong len = used_length(p, s->len), skip = 0;
  while (skip < len && arb_is_zero(p + skip))
    skip++;
  centred_range(&s->range, s, p + skip, len - skip, a, b);
  return range_sign(&s->range);
}

/* Where the sign of p is not known on [a,b]:  max p u = p u_c + |p| u_r  with u = u_c -+ u_r, and
 * |int p| <= int |p| <= (b - a) max |p|. */
static void add_unsigned(arb_t total, hysi_series *s, arb_srcptr p, double a, double b, hys_interval u) {
  hysi_range r;
  arb_t integral, lo, hi;
  hysi_range_init(&r);
  arb_init(integral);
  arb_init(lo);
  arb_init(hi);
  hysi_poly_integral(integral, s, p, a, b);
  centred_range(&r, s, p, used_length(p, s->len), a, b);
  arf_abs(r.lo, r.lo);
  arf_abs(r.hi, r.hi);
  arb_set_arf(hi, arf_cmp(r.lo, r.hi) > 0 ? r.lo : r.hi);
  arb_set_d(s->x, b);
  arb_set_d(s->y, a);
  arb_sub(s->x, s->x, s->y, s->prec);
  arb_mul(hi, hi, s->x, s->prec);
  arb_abs(lo, integral);
  arb_union(hi, lo, hi, s->prec);
  arb_set_d(s->x, u.hi);
  arb_set_d(s->y, u.lo);
  arb_add(s->z, s->x, s->y, s->prec);
  arb_sub(s->x, s->x, s->y, s->prec);
  arb_mul(integral, integral, s->z, s->prec);
  arb_addmul(integral, hi, s->x, s->prec);
  arb_mul_2exp_si(integral, integral, -1);
  arb_add(total, total, integral, s->prec);
  hysi_range_clear(&r);
  arb_clear(integral);
  arb_clear(lo);
  arb_clear(hi);
}

static void add_signed(arb_t total, hysi_series *s, arb_srcptr p, double a, double b, double u) {
  arb_t integral;
  arb_init(integral);
  hysi_poly_integral(integral, s, p, a, b);
  arb_set_d(s->x, u);
  arb_addmul(total, integral, s->x, s->prec);
  arb_clear(integral);
}

/* Too small for its sign to matter: a coefficient that would be zero if the model's decimals were exact. */
static bool is_noise(const hysi_range *r) {
  return arf_cmpabs_2exp_si(r->lo, -50) < 0 && arf_cmpabs_2exp_si(r->hi, -50) < 0;
}

/* How finely a change of sign is searched for: parts of h 2^-SIGN_DEPTH, and at most SIGN_PARTS looked at. */
enum { SIGN_DEPTH = 8, SIGN_PARTS = 128 };

bool hysi_poly_input_integral(arb_t total, double *best, hysi_series *s, arb_srcptr p, double h,
                              hys_interval u) {
#ifdef HYS_PLANT_NO_INPUT /* planted fault for the gate of the tests */
  u = hys_interval_point(0.0);
#endif
  *best = u.hi;
  if (u.lo == u.hi) {
    add_signed(total, s, p, 0.0, h, u.hi);
    return true;
  }
  struct {
    double a, b;
  } stack[SIGN_DEPTH + 1];
  int depth = 1, looked = 0;
  bool one = true;
  stack[0].a = 0.0;
  stack[0].b = h;
  while (depth > 0) {
    depth--;
    const double a = stack[depth].a, b = stack[depth].b;
    const int sign = poly_sign(s, p, a, b);
    looked++;
    if (sign != 0) {
      if (looked == 1)
        *best = sign > 0 ? u.hi : u.lo;
      add_signed(total, s, p, a, b, sign > 0 ? u.hi : u.lo);
      continue;
    }
    one = false;
    const double mid = 0.5 * (a + b);
    if (b - a <= ldexp(h, -SIGN_DEPTH) || looked + depth >= SIGN_PARTS || is_noise(&s->range)) {
      add_unsigned(total, s, p, a, b, u);
      continue;
    }
    stack[depth].a = mid; /* the left half first: the stack never holds more than one part of each size */
    stack[depth].b = b;
    stack[depth + 1].a = a;
    stack[depth + 1].b = mid;
    depth += 2;
  }
  return one;
}
