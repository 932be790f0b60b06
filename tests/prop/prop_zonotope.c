/* Zonotopes: every point of the arguments, carried along exactly, is in the result; and the results are no
 * larger than they need be. */
#include "tests/prop/affine_support.h"

enum { DIM = 5, TRIALS = 300 };

static const double slack = 1e-12; /* of sharpness, for sizes of about one */

static size_t random_zonotope(hys_zonotope *z, size_t n, size_t g) {
  for (size_t i = 0; i < n; i++) {
    z->center[i] = any(-2.0, 2.0);
    z->radius[i] = rng_below(2) == 0 ? 0.0 : any(0.0, 0.5);
  }
  z->g = g;
  for (size_t k = 0; k < g * n; k++)
    z->generator[k] = rng_below(3) == 0 ? 0.0 : any(-0.5, 0.5);
  return g;
}

/* A point of z; a corner of it as often as not. */
static void point_of(const hys_zonotope *z, arb_ptr x) {
  const bool corner = rng_below(2) == 0;
  arb_t f, g;

  arb_init(f);
  arb_init(g);
  for (size_t i = 0; i < z->n; i++)
    arb_set_d(&x[i], z->center[i]);
  for (size_t k = 0; k < z->g + z->n; k++) {
    arb_set_d(f, corner ? (rng_below(2) == 0 ? -1.0 : 1.0) : any(-1.0, 1.0));
    for (size_t i = 0; i < z->n; i++) {
      arb_set_d(g, k < z->g ? z->generator[k * z->n + i] : k - z->g == i ? z->radius[i] : 0.0);
      arb_addmul(&x[i], f, g, BITS);
    }
  }
  arb_clear(f);
  arb_clear(g);
}

/* x is in z as far as its box and a random row tell. */
static bool seems_inside(const hys_zonotope *z, arb_srcptr x) {
  hys_interval box[DIM];
  hys_term term[DIM];
  hys_affine row = {term, (uint32_t)z->n, {0.5, 0.5}};
  arb_t value, f;
  bool good = true;

  arb_init(value);
  arb_init(f);
  hys_zonotope_box(z, box);
  for (size_t i = 0; i < z->n && good; i++)
    good = CHECK(holds(box[i], &x[i]));
  arb_set_d(value, 0.5);
  for (uint32_t i = 0; i < z->n; i++) {
    term[i] = (hys_term){i, hys_interval_point(any(-1.0, 1.0))};
    arb_set_d(f, term[i].coef.lo);
    arb_addmul(value, f, &x[i], BITS);
  }
  good = good && CHECK(holds(hys_interval_make(-HYSI_INF, hys_zonotope_max(z, &row)), value));
  arb_clear(value);
  arb_clear(f);
  return good;
}

static void carries_points(void) {
  for (unsigned seed = 0; seed < SEEDS; seed++) {
    rng_state = seed_of(seed);
    for (unsigned trial = 0; trial < TRIALS; trial++) {
      const size_t n = 1 + rng_below(DIM), k = 1 + rng_below(DIM), g = rng_below(12);
      hys_zonotope y, z, sum;
      hys_interval m[DIM * DIM], v[DIM], more[DIM];
      arb_ptr x = _arb_vec_init(DIM), image = _arb_vec_init(DIM);
      arb_t f;
      bool good = CHECK_INT(hys_zonotope_open(&y, n, g, NULL), HYS_OK) &&
                  CHECK_INT(hys_zonotope_open(&z, k, 0, NULL), HYS_OK) &&
                  CHECK_INT(hys_zonotope_open(&sum, k, 6, NULL), HYS_OK);
      check_label("seed %u trial %u", seed, trial);
      if (!good)
        return;
      arb_init(f);
      random_zonotope(&y, n, g);
      random_zonotope(&sum, k, 1 + rng_below(6));
      for (size_t i = 0; i < k * n; i++) {
        const double a = rng_below(4) == 0 ? 0.0 : any(-2.0, 2.0);
        m[i] = rng_below(2) == 0 ? hys_interval_point(a) : hys_interval_make(a, a + any(0.0, 0.1));
      }
      for (size_t i = 0; i < k; i++) {
        v[i] = hys_interval_make(any(-1.0, 0.0), any(0.0, 1.0));
        more[i] = hys_interval_make(any(-0.2, 0.0), any(0.0, 0.2));
      }
      good = CHECK_INT(hys_zonotope_map(&z, m, v, &y), HYS_OK);
      for (unsigned points = 0; points < 4 && good; points++) {
        point_of(&y, x);
        for (size_t i = 0; i < k; i++) { /* any matrix and vector in the enclosures */
          arb_set_d(&image[i], rng_below(2) == 0 ? v[i].lo : v[i].hi);
          for (size_t j = 0; j < n; j++) {
            arb_set_d(f, rng_below(2) == 0 ? m[i * n + j].lo : m[i * n + j].hi);
            arb_addmul(&image[i], f, &x[j], BITS);
          }
        }
        good = seems_inside(&z, image);
      }
      { /* z := z + sum + a box, then fewer generators */
        arb_ptr a = _arb_vec_init(DIM), b = _arb_vec_init(DIM);
        point_of(&z, a);
        point_of(&sum, b);
        for (size_t i = 0; i < k; i++) {
          arb_add(&a[i], &a[i], &b[i], BITS);
          arb_set_d(f, rng_below(2) == 0 ? more[i].lo : more[i].hi);
          arb_add(&a[i], &a[i], f, BITS);
        }
        good = good && CHECK_INT(hys_zonotope_add(&z, &sum), HYS_OK);
        hys_zonotope_add_box(&z, more);
        good = good && seems_inside(&z, a);
        hys_zonotope_reduce(&z, k);
        good = good && CHECK(z.g <= k) && seems_inside(&z, a);
        _arb_vec_clear(a, DIM);
        _arb_vec_clear(b, DIM);
      }
      arb_clear(f);
      _arb_vec_clear(x, DIM);
      _arb_vec_clear(image, DIM);
      hys_zonotope_close(&y);
      hys_zonotope_close(&z);
      hys_zonotope_close(&sum);
      if (!good)
        return;
    }
  }
}

/* { lo <= R x <= hi }: its corners are R^-1 of corners, here for R of small whole numbers. */
static void from_rows(void) {
  rng_state = 5;
  for (unsigned trial = 0; trial < TRIALS; trial++) {
    const size_t n = 1 + rng_below(DIM);
    double row[DIM * DIM];
    hys_interval bounds[DIM];
    arb_ptr x = _arb_vec_init((slong)n);
    arb_mat_t a, b;
    hys_zonotope z;
    check_label("trial %u", trial);
    if (!CHECK_INT(hys_zonotope_open(&z, n, 0, NULL), HYS_OK))
      return;
    arb_mat_init(a, (slong)n, (slong)n);
    arb_mat_init(b, (slong)n, 1);
    for (size_t i = 0; i < n * n; i++)
      row[i] = (double)rng_below(5) - 2.0 + (i % (n + 1) == 0 ? 3.0 : 0.0);
    for (size_t i = 0; i < n; i++)
      bounds[i] = hys_interval_make(any(-1.0, 0.0), rng_below(3) == 0 ? 0.0 : any(0.0, 1.0));
    if (hys_zonotope_from_rows(&z, row, bounds) == HYS_OK) {
      for (size_t i = 0; i < n; i++) {
        arb_set_d(arb_mat_entry(b, (slong)i, 0), rng_below(2) == 0 ? bounds[i].lo : bounds[i].hi);
        for (size_t j = 0; j < n; j++)
          arb_set_d(arb_mat_entry(a, (slong)i, (slong)j), row[i * n + j]);
      }
      if (CHECK(arb_mat_solve(b, a, b, BITS) != 0)) {
        for (size_t i = 0; i < n; i++)
          arb_set(&x[i], arb_mat_entry(b, (slong)i, 0));
        if (!seems_inside(&z, x))
          trial = TRIALS;
      }
      for (uint32_t i = 0; i < n; i++) { /* and each row's bound is met */
        hys_term term[DIM];
        const hys_affine r = {term, (uint32_t)n, {0.0, 0.0}};
        for (uint32_t j = 0; j < n; j++)
          term[j] = (hys_term){j, hys_interval_point(row[i * n + j])};
        CHECK_NEAR(hys_zonotope_max(&z, &r), bounds[i].hi, 1e-10);
      }
    }
    arb_mat_clear(a);
    arb_mat_clear(b);
    _arb_vec_clear(x, (slong)n);
    hys_zonotope_close(&z);
  }
  {
    const double singular[4] = {1.0, 2.0, 2.0, 4.0};
    const hys_interval bounds[2] = {{0.0, 1.0}, {0.0, 1.0}};
    hys_zonotope z;
    CHECK_INT(hys_zonotope_open(&z, 2, 0, NULL), HYS_OK);
    CHECK_INT(hys_zonotope_from_rows(&z, singular, bounds), HYS_ERR_NUMERIC);
    hys_zonotope_close(&z);
  }
}

static void is_sharp(void) {
  const hys_interval x[3] = {{-1.0, 2.0}, {0.25, 0.25}, {3.0, 3.5}};
  const hys_interval turn[9] = {{0.0, 0.0}, {-1.0, -1.0}, {0.0, 0.0}, {1.0, 1.0}, {0.0, 0.0},
                                {0.0, 0.0}, {0.0, 0.0},   {0.0, 0.0}, {1.0, 1.0}};
  const hys_term term[2] = {{0, {1.0, 1.0}}, {2, {-2.0, -2.0}}};
  const hys_affine row = {term, 2, {0.5, 0.5}};
  hys_interval box[3];
  hys_zonotope z, y;

  if (!CHECK_INT(hys_zonotope_open(&z, 3, 0, NULL), HYS_OK) ||
      !CHECK_INT(hys_zonotope_open(&y, 3, 0, NULL), HYS_OK))
    return;
  CHECK_INT(hys_zonotope_from_box(&z, x), HYS_OK);
  hys_zonotope_box(&z, box);
  for (size_t i = 0; i < 3; i++) {
    CHECK_NEAR(box[i].lo, x[i].lo, slack);
    CHECK_NEAR(box[i].hi, x[i].hi, slack);
  }
  CHECK_SAME(box[1].lo, 0.25); /* a point stays one */
  CHECK_SAME(box[1].hi, 0.25);
  CHECK_NEAR(hys_zonotope_max(&z, &row), 2.0 - 6.0 + 0.5, slack);
  CHECK_INT(hys_zonotope_map(&y, turn, NULL, &z), HYS_OK);
  hys_zonotope_box(&y, box);
  CHECK_NEAR(box[0].hi, -0.25, slack);
  CHECK_NEAR(box[1].lo, -1.0, slack);
  CHECK(hys_zonotope_contains_surely(&z, &z));
  CHECK(!hys_zonotope_contains_surely(&z, &y));
  {
    const hys_interval larger[3] = {{-1.1, 2.1}, {0.0, 1.0}, {2.0, 4.0}};
    hys_zonotope big;
    CHECK_INT(hys_zonotope_open(&big, 3, 0, NULL), HYS_OK);
    CHECK_INT(hys_zonotope_from_box(&big, larger), HYS_OK);
    CHECK(hys_zonotope_contains_surely(&big, &z));
    CHECK(!hys_zonotope_contains_surely(&z, &big));
    hys_zonotope_close(&big);
  }
  hys_zonotope_close(&z);
  hys_zonotope_close(&y);
}

/* Whatever contains_surely says yes to: points of the one are points of the other, in coordinates of its
 * generators. */
static void contains_only_what_is_inside(void) {
  size_t yes = 0;

  rng_state = 9;
  for (unsigned trial = 0; trial < 2000; trial++) {
    hys_zonotope big, small;
    double det, x[2];
    check_label("trial %u", trial);
    if (!CHECK_INT(hys_zonotope_open(&big, 2, 2, NULL), HYS_OK) ||
        !CHECK_INT(hys_zonotope_open(&small, 2, 3, NULL), HYS_OK))
      return;
    random_zonotope(&big, 2, 2);
    random_zonotope(&small, 2, rng_below(4));
    for (size_t i = 0; i < 2; i++) {
      big.radius[i] = 0.0;
      small.center[i] = big.center[i] + any(-0.2, 0.2);
      small.radius[i] *= 0.1;
      for (size_t k = 0; k < small.g; k++)
        small.generator[k * 2 + i] *= 0.3;
    }
    det = big.generator[0] * big.generator[3] - big.generator[1] * big.generator[2];
    if (fabs(det) > 1e-3 && hys_zonotope_contains_surely(&big, &small)) {
      yes++;
      for (unsigned corner = 0; corner < 32; corner++) {
        for (size_t i = 0; i < 2; i++) {
          x[i] = small.center[i] - big.center[i] +
                 ((corner >> i & 1U) != 0 ? small.radius[i] : -small.radius[i]);
          for (size_t k = 0; k < small.g; k++)
            x[i] += (corner >> (2 + k) & 1U) != 0 ? small.generator[k * 2 + i] : -small.generator[k * 2 + i];
        }
        CHECK(fabs(x[0] * big.generator[3] - x[1] * big.generator[2]) <= fabs(det) * (1.0 + 1e-9));
        CHECK(fabs(x[1] * big.generator[0] - x[0] * big.generator[1]) <= fabs(det) * (1.0 + 1e-9));
      }
    }
    hys_zonotope_close(&big);
    hys_zonotope_close(&small);
  }
  CHECK(yes > 50);
}

CHECK_MAIN("zonotope", {"carries points", carries_points}, {"from rows", from_rows}, {"is sharp", is_sharp},
           {"contains only what is inside", contains_only_what_is_inside})
