/* Linear programs against brute force: all vertices of small systems of small whole numbers, by Cramer's rule
 * in integers. */
#include <string.h>

#include "core/lp.h"
#include "tests/support/check.h"

enum { N = 3, ROWS = 6, BOX = 9, CASES = 6000 };

static uint64_t state;

static int drawn(int lo, int hi) {
  state += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = state;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return lo + (int)((z ^ (z >> 31)) % (uint64_t)(hi - lo + 1));
}

typedef struct row {
  int a[N], b;
  hys_lp_relation relation;
} row;

static int64_t det3(int64_t m[N][N]) {
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

/* x = p / q, q > 0. */
typedef struct vertex {
  int64_t p[N], q;
} vertex;

static bool meet(const row *r, const row *s, const row *t, vertex *v) {
  const row *rows[N] = {r, s, t};
  int64_t m[N][N];
  for (int k = -1; k < N; k++) {
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++)
        m[i][j] = j == k ? rows[i]->b : rows[i]->a[j];
    if (k < 0)
      v->q = det3(m);
    else
      v->p[k] = det3(m);
  }
  if (v->q < 0) {
    v->q = -v->q;
    for (int k = 0; k < N; k++)
      v->p[k] = -v->p[k];
  }
  return v->q != 0;
}

/* a x - b, times q. */
static int64_t excess(const row *r, const vertex *v) {
  int64_t sum = -(int64_t)r->b * v->q;
  for (int k = 0; k < N; k++)
    sum += r->a[k] * v->p[k];
  return sum;
}

static bool in_closure(const row *rows, int n, const vertex *v) {
  for (int i = 0; i < n; i++) {
    const int64_t e = excess(&rows[i], v);
    if (e > 0 || (e < 0 && rows[i].relation == HYS_LP_EQ))
      return false;
  }
  return true;
}

typedef struct answer {
  bool empty_closure, empty;
  double best; /* of the objective */
} answer;

/* Of rows that bound every variable.  The closure's vertices; a strict row can be met strictly if some vertex
 * does so, as the mean of all vertices then does. */
static answer brute(const row *rows, int n, const int *goal) {
  answer a = {.empty_closure = true};
  bool strictly[2 * ROWS + 2 * N] = {false};
  int64_t best_p = 0, best_q = 1;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++)
      for (int k = j + 1; k < n; k++) {
        vertex v = {0};
        int64_t value = 0;
        if (!meet(&rows[i], &rows[j], &rows[k], &v) || !in_closure(rows, n, &v))
          continue;
        for (int l = 0; l < n; l++)
          strictly[l] = strictly[l] || excess(&rows[l], &v) < 0;
        for (int l = 0; l < N; l++)
          value += goal[l] * v.p[l];
        if (a.empty_closure || value * best_q > best_p * v.q) {
          best_p = value;
          best_q = v.q;
        }
        a.empty_closure = false;
      }
  a.empty = a.empty_closure;
  for (int l = 0; l < n; l++)
    a.empty = a.empty || (rows[l].relation == HYS_LP_LT && !strictly[l]);
  a.best = (double)best_p / (double)best_q;
  return a;
}

static int boxed(row *rows, int n, int size) {
  for (int k = 0; k < N; k++)
    for (int side = -1; side <= 1; side += 2) {
      rows[n] = (row){.b = size, .relation = HYS_LP_LE};
      rows[n++].a[k] = side;
    }
  return n;
}

static int random_rows(row *rows) {
  const int n = drawn(0, ROWS);
  for (int i = 0; i < n; i++) {
    const int kind = drawn(0, 9);
    rows[i].relation = kind < 5 ? HYS_LP_LE : kind < 8 ? HYS_LP_LT : HYS_LP_EQ;
    rows[i].b = drawn(-4, 5);
    for (int k = 0; k < N; k++)
      rows[i].a[k] = drawn(0, 2) == 0 ? 0 : drawn(-3, 3);
    /* now and then the other side of the row before: the closure is thin */
    if (i > 0 && drawn(0, 3) == 0) {
      rows[i].b = -rows[i - 1].b;
      for (int k = 0; k < N; k++)
        rows[i].a[k] = -rows[i - 1].a[k];
    }
  }
  return n;
}

static hys_lp *program(const row *rows, int n) {
  hys_lp *lp = NULL;
  CHECK_INT(hys_lp_create(&lp, N, NULL), HYS_OK);
  for (int i = 0; i < n; i++) {
    const double a[N] = {rows[i].a[0], rows[i].a[1], rows[i].a[2]};
    CHECK_INT(hys_lp_add(lp, a, rows[i].b, rows[i].relation), HYS_OK);
  }
  return lp;
}

static bool satisfied(const row *rows, int n, const double *x) {
  for (int i = 0; i < n; i++) {
    double sum = -rows[i].b;
    for (int k = 0; k < N; k++)
      sum += rows[i].a[k] * x[k];
    if (sum > 1e-12 || (rows[i].relation == HYS_LP_EQ && sum < -1e-12))
      return false;
  }
  return true;
}

static void bounded_programs_agree(void) {
  int empty = 0, only_strictly_empty = 0;
  state = 1;
  for (int c = 0; c < CASES; c++) {
    row rows[ROWS + 2 * N];
    const int n = boxed(rows, random_rows(rows), BOX);
    const int goal[N] = {drawn(-3, 3), drawn(-3, 3), drawn(-3, 3)};
    const double objective[N] = {goal[0], goal[1], goal[2]};
    const answer want = brute(rows, n, goal);
    hys_lp *lp = program(rows, n);
    hys_lp_answer got;
    hys_interval value;
    double x[N];
    check_label("case %d", c);
    empty += want.empty_closure;
    only_strictly_empty += want.empty && !want.empty_closure;
    CHECK_INT(hys_lp_feasible(lp, HYS_LP_PIVOTS, &got, x), HYS_OK);
    CHECK_INT(got, want.empty ? HYS_LP_EMPTY : HYS_LP_FEASIBLE);
    if (got == HYS_LP_FEASIBLE)
      CHECK(satisfied(rows, n, x));
    CHECK_INT(hys_lp_maximize(lp, objective, HYS_LP_PIVOTS, &got, &value, x), HYS_OK);
    CHECK_INT(got, want.empty ? HYS_LP_EMPTY : HYS_LP_FEASIBLE);
    if (got == HYS_LP_FEASIBLE) {
      CHECK(satisfied(rows, n, x));
      /* both neighbours of a rational, or the number itself */
      CHECK(value.lo <= want.best && want.best <= value.hi);
      CHECK(nextafter(value.lo, HYSI_INF) >= value.hi);
    }
    hys_lp_destroy(lp);
  }
  /* the draw is not one-sided */
  CHECK(empty > CASES / 20 && empty < CASES / 2);
  CHECK(only_strictly_empty > CASES / 100);
}

/* Without the box: unbounded where the closure has points and a direction of it raises the objective. */
static void unbounded_programs_agree(void) {
  int unbounded = 0, finite = 0;
  state = 2;
  for (int c = 0; c < CASES; c++) {
    row rows[ROWS + 2 * N], wide[ROWS + 2 * N], cone[ROWS + 2 * N];
    const int n = random_rows(rows);
    const int goal[N] = {drawn(-2, 2), drawn(-2, 2), drawn(-2, 2)};
    const double objective[N] = {goal[0], goal[1], goal[2]};
    answer points, directions;
    hys_lp *lp = program(rows, n);
    hys_lp_answer got;
    hys_interval value;
    check_label("case %d", c);
    for (int i = 0; i < n; i++) {
      wide[i] = cone[i] = rows[i];
      cone[i].b = 0;
      if (cone[i].relation == HYS_LP_LT)
        cone[i].relation = HYS_LP_LE;
    }
    /* every vertex of such rows, if there is one, has coordinates below this: 3 x 3 determinants */
    points = brute(wide, boxed(wide, n, 1000), goal);
    directions = brute(cone, boxed(cone, n, 1), goal);
    CHECK_INT(hys_lp_maximize(lp, objective, HYS_LP_PIVOTS, &got, &value, NULL), HYS_OK);
    if (points.empty) {
      CHECK_INT(got, HYS_LP_EMPTY);
    } else if (directions.best > 0) {
      CHECK_INT(got, HYS_LP_UNBOUNDED);
      unbounded++;
    } else {
      CHECK_INT(got, HYS_LP_FEASIBLE);
      CHECK(value.lo <= points.best && points.best <= value.hi);
      finite++;
    }
    hys_lp_destroy(lp);
  }
  CHECK(unbounded > CASES / 20 && finite > CASES / 20);
}

/* Beale's example, on which the largest-coefficient rule cycles. */
static void does_not_cycle(void) {
  static const double rows[7][4] = {{0.25, -60, -0.04, 9}, {0.5, -90, -0.02, 3}, {0, 0, 1, 0}, {-1, 0, 0, 0},
                                    {0, -1, 0, 0},         {0, 0, -1, 0},        {0, 0, 0, -1}};
  static const double bound[7] = {0, 0, 1, 0, 0, 0, 0}, goal[4] = {0.75, -150, 0.02, -6};
  hys_lp *lp = NULL;
  hys_lp_answer got;
  hys_interval value;
  CHECK_INT(hys_lp_create(&lp, 4, NULL), HYS_OK);
  for (int i = 0; i < 7; i++)
    CHECK_INT(hys_lp_add(lp, rows[i], bound[i], HYS_LP_LE), HYS_OK);
  CHECK_INT(hys_lp_maximize(lp, goal, HYS_LP_PIVOTS, &got, &value, NULL), HYS_OK);
  CHECK_INT(got, HYS_LP_FEASIBLE);
  CHECK_NEAR(value.lo, 0.05, 1e-15);
  /* the work is bounded, and what ran out is not called empty */
  CHECK_INT(hys_lp_maximize(lp, goal, 0, &got, &value, NULL), HYS_OK);
  CHECK_INT(got, HYS_LP_UNKNOWN);
  hys_lp_destroy(lp);
}

/* 0.1 + 0.2 is not 0.3 among doubles: rows are taken as the numbers that they are. */
static void is_exact(void) {
  static const double one[1] = {1}, minus[1] = {-1};
  hys_lp *lp = NULL;
  hys_lp_answer got;
  hys_interval value;
  CHECK_INT(hys_lp_create(&lp, 1, NULL), HYS_OK);
  CHECK_INT(hys_lp_add(lp, minus, -(0.1 + 0.2), HYS_LP_LE), HYS_OK);
  CHECK_INT(hys_lp_add(lp, one, 0.3, HYS_LP_LE), HYS_OK);
  CHECK_INT(hys_lp_feasible(lp, HYS_LP_PIVOTS, &got, NULL), HYS_OK);
  CHECK_INT(got, HYS_LP_EMPTY);
  hys_lp_destroy(lp);

  static const double three[1] = {3};
  CHECK_INT(hys_lp_create(&lp, 1, NULL), HYS_OK);
  CHECK_INT(hys_lp_add(lp, three, 1, HYS_LP_LE), HYS_OK);
  CHECK_INT(hys_lp_maximize(lp, one, HYS_LP_PIVOTS, &got, &value, NULL), HYS_OK);
  CHECK_SAME(value.lo, 0x1.5555555555555p-2);
  CHECK_SAME(value.hi, 0x1.5555555555556p-2);
  hys_lp_destroy(lp);

  static const double small[2] = {0x1p-1074, 0}, large[2] = {0, 0x1p1023}, goal[2] = {1, 1};
  double x[2];
  CHECK_INT(hys_lp_create(&lp, 2, NULL), HYS_OK);
  CHECK_INT(hys_lp_add(lp, small, 0x1p-1073, HYS_LP_EQ), HYS_OK);
  CHECK_INT(hys_lp_add(lp, large, -0x1p1023, HYS_LP_EQ), HYS_OK);
  CHECK_INT(hys_lp_maximize(lp, goal, HYS_LP_PIVOTS, &got, &value, x), HYS_OK);
  CHECK_SAME(x[0], 2.0);
  CHECK_SAME(x[1], -1.0);
  CHECK_SAME(value.lo, 1.0);
  CHECK_SAME(value.hi, 1.0);
  hys_lp_destroy(lp);
}

static void refuses(void) {
  static const double bad[1] = {HYSI_NAN}, one[1] = {1};
  hys_lp *lp = NULL;
  hys_lp_answer got;
  CHECK_INT(hys_lp_create(NULL, 1, NULL), HYS_ERR_ARG);
  CHECK_INT(hys_lp_create(&lp, HYS_LP_MAX_VARIABLES + 1, NULL), HYS_ERR_LIMIT);
  CHECK_INT(hys_lp_create(&lp, 1, NULL), HYS_OK);
  CHECK_INT(hys_lp_add(lp, bad, 0, HYS_LP_LE), HYS_ERR_ARG);
  CHECK_INT(hys_lp_add(lp, one, HYSI_INF, HYS_LP_LE), HYS_ERR_ARG);
  CHECK_INT(hys_lp_add(NULL, one, 0, HYS_LP_LE), HYS_ERR_ARG);
  CHECK_INT(hys_lp_maximize(lp, bad, HYS_LP_PIVOTS, &got, NULL, NULL), HYS_ERR_ARG);
  for (int i = 0; i < HYS_LP_MAX_ROWS / 2; i++)
    if (hys_lp_add(lp, one, 1, HYS_LP_EQ) != HYS_OK)
      CHECK(false);
  CHECK_INT(hys_lp_add(lp, one, 1, HYS_LP_LE), HYS_ERR_LIMIT);
  hys_lp_destroy(lp);
  hys_lp_destroy(NULL);
  /* nothing to satisfy, and nothing to satisfy it with */
  CHECK_INT(hys_lp_create(&lp, 0, NULL), HYS_OK);
  CHECK_INT(hys_lp_feasible(lp, HYS_LP_PIVOTS, &got, NULL), HYS_OK);
  CHECK_INT(got, HYS_LP_FEASIBLE);
  CHECK_INT(hys_lp_add(lp, NULL, -1, HYS_LP_LE), HYS_OK);
  CHECK_INT(hys_lp_feasible(lp, HYS_LP_PIVOTS, &got, NULL), HYS_OK);
  CHECK_INT(got, HYS_LP_EMPTY);
  hys_lp_destroy(lp);
}

CHECK_MAIN("linear programs", {"bounded ones agree with all vertices", bounded_programs_agree},
           {"unbounded ones agree with their directions", unbounded_programs_agree},
           {"a program on which others cycle", does_not_cycle}, {"exact", is_exact},
           {"what is refused", refuses})
