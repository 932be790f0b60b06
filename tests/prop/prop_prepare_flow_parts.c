/* What else a prepared flow holds: matrices against exact ones, closed forms of the ACC's rows, monotone
 * flows, and arguments that are refused. */
#include "tests/prop/flow_support.h"
#include "tests/support/check.h"

/* ---------------------------------------------------------------------------------------------------------
 * Matrices. */

static bool holds(hys_interval a, const arb_t x) {
  arb_t lo, hi;
  arb_init(lo);
  arb_init(hi);
  arb_set_d(lo, a.lo);
  arb_set_d(hi, a.hi);
  const bool in = !arb_gt(lo, x) && !arb_lt(hi, x);
  arb_clear(lo);
  arb_clear(hi);
  return in;
}

enum { SAMPLES = 32 };

static void check_matrices(const linear_system *s, const prepared *p) {
  const slong n = (slong)s->nx;
  arb_mat_t a, e, m1, m2;
  arb_t t;
  arb_mat_init(a, n, n);
  arb_mat_init(e, n, n);
  arb_mat_init(m1, n, n);
  arb_mat_init(m2, n, n);
  arb_init(t);
  for (slong i = 0; i < n * n; i++)
    arb_set_d(arb_mat_entry(a, i / n, i % n), s->a[i]);
  for (int l = 0; l < LEVELS; l++) {
    const hys_step_table *level = &p->flow.level[levels_looked_at[l]];
    double lo[2][MAX * MAX], hi[2][MAX * MAX], scale = 1.0;
    for (int k = 0; k <= SAMPLES; k++) {
      arb_set_d(t, level->h * k / SAMPLES);
      arb_mat_scalar_mul_arb(e, a, t, PREC);
      arb_mat_exp(e, e, PREC);
      arb_mat_mul(m1, a, e, PREC);
      arb_mat_mul(m2, a, m1, PREC);
      for (slong i = 0; i < n * n; i++) {
        arb_srcptr d1 = arb_mat_entry(m1, i / n, i % n), d2 = arb_mat_entry(m2, i / n, i % n);
        const double x1 = arf_get_d(arb_midref(d1), ARF_RND_NEAR),
                     x2 = arf_get_d(arb_midref(d2), ARF_RND_NEAR);
        EXPECT(holds(level->curve_input[i], d1), "%s: h %g, A exp(A t), entry %ld", s->name, level->h,
               (long)i);
        EXPECT(holds(level->curve_state[i], d2), "%s: h %g, A^2 exp(A t), entry %ld", s->name, level->h,
               (long)i);
        lo[0][i] = k == 0 || x1 < lo[0][i] ? x1 : lo[0][i];
        hi[0][i] = k == 0 || x1 > hi[0][i] ? x1 : hi[0][i];
        lo[1][i] = k == 0 || x2 < lo[1][i] ? x2 : lo[1][i];
        hi[1][i] = k == 0 || x2 > hi[1][i] ? x2 : hi[1][i];
        scale = fmax(scale, fmax(fabs(x1), fabs(x2)));
      }
    }
    for (slong i = 0; i < n * n; i++) {
      const hys_interval f = level->phi[i];
      EXPECT(holds(f, arb_mat_entry(e, i / n, i % n)), "%s: h %g, exp(A h), entry %ld", s->name, level->h,
             (long)i);
      if (s->spread > 0.0)
        continue;
      EXPECT(nextafter(f.lo, HYSI_INF) >= f.hi, "%s: h %g, exp(A h), entry %ld: wide", s->name, level->h,
             (long)i);
      for (int k = 0; k < 2; k++) {
        const hys_interval c = k == 0 ? level->curve_input[i] : level->curve_state[i];
        EXPECT(c.hi - c.lo <= 4.0 * (hi[k][i] - lo[k][i]) + 1e-2 * level->h * scale,
               "%s: h %g, order %d, entry %ld: [%g,%g] for [%g,%g]", s->name, level->h, k + 1, (long)i, c.lo,
               c.hi, lo[k][i], hi[k][i]);
      }
    }
    for (size_t i = 0; i < s->nx; i++) {
      CHECK_SAME(level->input[i].hi, level->row[2 * i].constant.hi);
      CHECK_SAME(level->input[i].lo, -level->row[2 * i + 1].constant.hi);
    }
  }
  arb_mat_clear(a);
  arb_mat_clear(e);
  arb_mat_clear(m1);
  arb_mat_clear(m2);
  arb_clear(t);
  flint_cleanup();
}

static void encloses_matrices(void) {
  expect_begin();
  for (unsigned i = 0; i < SEEDS; i++)
    each_system(seed_of(i), check_matrices);
  expect_end();
}

/* ---------------------------------------------------------------------------------------------------------
 * Closed forms. */

static void check_point(hys_interval a, double want) {
  CHECK(a.lo == want && a.hi == want);
}

static void acc_rows(void) {
  linear_system s;
  prepared p;
  make_system(&s, 0);
  if (prepare(&p, &s)) {
    check_point(p.flow.w[0], 0.0);
    check_point(p.flow.w[1], 0.0);
    check_point(p.flow.w[2], 0.0);
    CHECK(p.flow.w[3].lo == -6.0 && p.flow.w[3].hi == 3.5);
    for (int k = 0; k < HYS_FLOW_LEVELS; k++) {
      const hys_step_table *level = &p.flow.level[k];
      const double h = ldexp(1.0, -k);
      check_label("level %d", k);
      CHECK(level->h == h);
      CHECK_INT(level->ticks, 1 << (HYS_TICK_LOG2 - k));
      /* against w: -d at worst, the lead brakes at 6 m/s^2; then with w >= 0 through the step */
      const struct {
        uint32_t row;
        double coef[4], constant, curve[4], curve_constant;
      } want[] = {
          {0, {1.0, -h, -h * h / 2, h}, 1.75 * h * h, {0.0, 0.0, -1.0, 0.0}, 3.5},
          {1, {-1.0, h, h * h / 2, -h}, 3.0 * h * h, {0.0, 0.0, 1.0, 0.0}, 6.0},
          {2, {0.0, 1.0, h, 0.0}, 0.0, {0.0, 0.0, 0.0, 0.0}, 0.0},
          {6, {0.0, 0.0, 0.0, 1.0}, 3.5 * h, {0.0, 0.0, 0.0, 0.0}, 0.0},
          {7, {0.0, 0.0, 0.0, -1.0}, 6.0 * h, {0.0, 0.0, 0.0, 0.0}, 0.0},
          {8, {-1.0, h, h * h / 2, 0.0}, 0.0, {0.0, 0.0, 1.0, 0.0}, 0.0},
      };
      CHECK(level->n_rows >= 9);
      for (size_t i = 0; i < sizeof want / sizeof want[0] && want[i].row < level->n_rows; i++) {
        const hys_step_row *r = &level->row[want[i].row];
        check_label("level %d, row %u", k, want[i].row);
        CHECK_INT(r->pin, want[i].row == 8 ? 0 : -1);
        for (int j = 0; j < 4; j++) {
          check_point(r->coef[j], want[i].coef[j]);
          check_point(r->curve[j], want[i].curve[j]);
        }
        check_point(r->constant, want[i].constant);
        check_point(r->curve_constant, want[i].curve_constant);
      }
    }
  }
  hys_arena_destroy(p.arena);
  flint_cleanup();
}

static void monotone(void) {
  const hys_interval z = {0.0, 0.0}, plus = {0.5, 1.0}, minus = {-2.0, -1.0}, any = {-1e-3, 1e-3},
                     some = {0.0, 1.0};
  const struct {
    const char *name;
    size_t n;
    hys_interval a[9];
    bool want;
  } t[] = {
      {"one state", 1, {any}, true},
      {"zero", 3, {z, z, z, z, z, z, z, z, z}, true},
      {"diagonal of any sign", 2, {any, z, z, minus}, true},
      {"gap, speed, lead", 3, {z, minus, plus, z, z, z, z, z, z}, true},
      {"rotation", 2, {z, plus, minus, z}, false},
      {"both inhibit", 2, {z, minus, minus, z}, true},
      {"sign not known", 2, {z, any, z, z}, false},
      {"perhaps zero", 2, {z, some, plus, z}, true},
      {"circle with one minus", 3, {z, plus, z, z, z, plus, minus, z, z}, false},
      {"circle with two", 3, {z, minus, z, z, z, plus, minus, z, z}, true},
      {"circle against the arrows", 3, {z, plus, minus, z, z, plus, z, z, z}, false},
  };
  for (size_t i = 0; i < sizeof t / sizeof t[0]; i++) {
    const hys_interval c[3] = {z, z, z};
    hys_arena *arena = hys_arena_create(NULL);
    hys_flow flow = {.a = t[i].a, .c = c};
    check_label("%s", t[i].name);
    CHECK_INT(hys_flow_prepare(&flow, t[i].n, 0, NULL, NULL, arena), HYS_OK);
    CHECK_INT(flow.monotone, t[i].want);
    hys_arena_destroy(arena);
  }
  flint_cleanup();
}

static void arguments(void) {
  hys_interval a[1] = {{-1.0, -1.0}}, b[1] = {{1.0, 1.0}}, c[1] = {{0.0, 0.0}}, u[1] = {{0.0, 1.0}};
  hys_interval n[2] = {{1.0, 1.0}, {0.0, 0.0}};
  hys_halfspace half = {.a = n, .c = {1.0, 1.0}};
  hys_conjunction invariant = {&half, 1};
  hys_arena *arena = hys_arena_create(NULL);
  hys_flow flow = {.a = a, .b = b, .c = c};
  check_label("as it should be");
  CHECK_INT(hys_flow_prepare(&flow, 1, 1, u, &invariant, arena), HYS_OK);
  CHECK_INT(flow.level[0].n_rows, 2); /* nothing is pinned to itself */
  check_label("null");
  CHECK_INT(hys_flow_prepare(NULL, 1, 1, u, &invariant, arena), HYS_ERR_ARG);
  CHECK_INT(hys_flow_prepare(&flow, 1, 1, NULL, &invariant, arena), HYS_ERR_ARG);
  CHECK_INT(hys_flow_prepare(&flow, 1, 1, u, &invariant, NULL), HYS_ERR_ARG);
  flow.a = NULL;
  CHECK_INT(hys_flow_prepare(&flow, 1, 1, u, &invariant, arena), HYS_ERR_ARG);
  flow.a = a;
  half.a = NULL;
  CHECK_INT(hys_flow_prepare(&flow, 1, 1, u, &invariant, arena), HYS_ERR_ARG);
  half.a = n;
  check_label("limits");
  CHECK_INT(hys_flow_prepare(&flow, HYS_MAX_STATES + 1, 1, u, &invariant, arena), HYS_ERR_LIMIT);
  CHECK_INT(hys_flow_prepare(&flow, 1, HYS_MAX_INPUTS + 1, u, &invariant, arena), HYS_ERR_LIMIT);
  check_label("not finite");
  u[0] = hys_interval_entire();
  CHECK_INT(hys_flow_prepare(&flow, 1, 1, u, &invariant, arena), HYS_ERR_ARG);
  u[0] = hys_interval_empty();
  CHECK_INT(hys_flow_prepare(&flow, 1, 1, u, &invariant, arena), HYS_ERR_ARG);
  u[0] = hys_interval_point(HYSI_NAN);
  CHECK_INT(hys_flow_prepare(&flow, 1, 1, u, &invariant, arena), HYS_ERR_ARG);
  check_label("out of range");
  u[0] = hys_interval_make(-DBL_MAX, DBL_MAX);
  b[0] = hys_interval_point(4.0);
  CHECK_INT(hys_flow_prepare(&flow, 1, 1, u, &invariant, arena), HYS_ERR_NUMERIC);
  u[0] = hys_interval_make(0.0, 1.0);
  a[0] = hys_interval_point(1e4);
  CHECK_INT(hys_flow_prepare(&flow, 1, 1, u, &invariant, arena), HYS_ERR_NUMERIC);
  a[0] = hys_interval_point(4000.0); /* exp(1000) is no double */
  CHECK_INT(hys_flow_prepare(&flow, 1, 1, u, &invariant, arena), HYS_ERR_NUMERIC);
  check_label("still");
  hys_flow still = {.still = true};
  CHECK_INT(hys_flow_prepare(&still, 1, 1, u, &invariant, arena), HYS_OK);
  CHECK(still.monotone && still.w != NULL && still.w[0].lo == 0.0 && still.w[0].hi == 0.0);
  CHECK(still.level[HYS_FLOW_LEVELS - 1].ticks == 1 && still.level[0].row == NULL &&
        still.level[0].n_rows == 0);
  check_label("no states");
  hys_flow none = {.a = NULL};
  CHECK_INT(hys_flow_prepare(&none, 0, 0, NULL, NULL, arena), HYS_OK);
  CHECK_INT(none.level[0].n_rows, 0);
  hys_arena_destroy(arena);
  flint_cleanup();
}

CHECK_MAIN("prepare_flow_parts", {"encloses the exponential and its derivatives, tightly", encloses_matrices},
           {"rows of the ACC", acc_rows}, {"monotone flows", monotone}, {"arguments", arguments})
