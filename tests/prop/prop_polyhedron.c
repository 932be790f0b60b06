/* Polyhedra against exact linear programs: emptiness, the largest value in a random direction, containment;
 * after cuts, with a ray or a point added, joined, mapped. */
#include <string.h>

#include "core/lp_exact.h"
#include "core/polyhedron.h"
#include "tests/support/check.h"

enum { MOST = 4, ROWS = 9, CASES = 1500 };

static uint64_t state = 1;

static int drawn(int lo, int hi) {
  state += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = state;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return lo + (int)((z ^ (z >> 31)) % (uint64_t)(hi - lo + 1));
}

/* Small whole numbers; a row's last is its bound. */
typedef struct rows {
  int n, rows;
  int a[ROWS][MOST + 1];
  hys_lp_relation relation[ROWS];
} rows;

static rows draw_rows(int n) {
  rows s = {.n = n, .rows = drawn(n, ROWS)};

  for (int i = 0; i < s.rows; i++) {
    const int kind = drawn(0, 9);
    s.relation[i] = kind == 0 ? HYS_LP_EQ : kind < 3 ? HYS_LP_LT : HYS_LP_LE;
    for (int j = 0; j < n; j++)
      s.a[i][j] = drawn(0, 2) == 0 ? 0 : drawn(-4, 4);
    s.a[i][n] = drawn(-3, 9);
  }
  return s;
}

static void set_numbers(fmpq *to, const int *from, int n) {
  for (int j = 0; j < n; j++)
    fmpq_set_si(to + j, from[j], 1);
}

static hysi_polyhedron *made(const rows *s) {
  hysi_polyhedron *p = NULL;
  fmpq number[MOST + 1];
  bool strict = false;

  for (int j = 0; j <= MOST; j++)
    fmpq_init(number + j);
  CHECK_INT(hysi_polyhedron_create(&p, (size_t)s->n, true, NULL), HYS_OK);
  for (int i = 0; i < s->rows; i++) {
    set_numbers(number, s->a[i], s->n + 1);
    CHECK_INT(hysi_polyhedron_cut(p, number, number + s->n, s->relation[i]), HYS_OK);
    strict = strict || s->relation[i] == HYS_LP_LT;
    if (!strict && drawn(0, 5) == 0) /* closing would take the border in */
      CHECK_INT(hysi_polyhedron_close(p), HYS_OK);
  }
  CHECK_INT(hysi_polyhedron_close(p), HYS_OK);
  for (int j = 0; j <= MOST; j++)
    fmpq_clear(number + j);
  return p;
}

/* The rows, and (ray not NULL) one variable more, not negative, which moves along it: y = x + t ray in place
 * of x; the supremum of goal . y. */
static hys_lp_answer program(const rows *s, const int *ray, const int *goal, hys_interval *value) {
  const size_t n = (size_t)s->n + (ray != NULL);
  double row[MOST + 1] = {0.0};
  hys_lp *lp = NULL;
  hys_lp_answer answer = HYS_LP_UNKNOWN;

  CHECK_INT(hys_lp_create(&lp, n, NULL), HYS_OK);
  for (int i = 0; i < s->rows; i++) {
    for (int j = 0; j < s->n; j++)
      row[j] = s->a[i][j];
    row[s->n] = 0.0;
    CHECK_INT(hys_lp_add(lp, row, s->a[i][s->n], s->relation[i]), HYS_OK);
  }
  if (ray != NULL) {
    memset(row, 0, sizeof row);
    row[s->n] = -1.0;
    CHECK_INT(hys_lp_add(lp, row, 0.0, HYS_LP_LE), HYS_OK);
  }
  memset(row, 0, sizeof row);
  for (int j = 0; j < s->n; j++) {
    row[j] = goal[j];
    if (ray != NULL)
      row[s->n] += goal[j] * ray[j];
  }
  CHECK_INT(hys_lp_maximize(lp, row, 10000, &answer, value, NULL), HYS_OK);
  hys_lp_destroy(lp);
  return answer;
}

/* The same of a polyhedron: x[0] becomes goal . x, then its bounds. */
static hys_interval reach(const hysi_polyhedron *from, int n, const int *goal) {
  hysi_polyhedron *p = NULL;
  fmpq number[MOST + 1];
  const fmpq *matrix[MOST] = {number, NULL, NULL, NULL};
  hys_interval add[MOST] = {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}}, v = hys_interval_empty();

  for (int j = 0; j <= MOST; j++)
    fmpq_init(number + j);
  set_numbers(number, goal, n);
  CHECK_INT(hysi_polyhedron_copy(&p, from), HYS_OK);
  if (CHECK_INT(hysi_polyhedron_map(p, matrix, add), HYS_OK) && CHECK_INT(hysi_polyhedron_close(p), HYS_OK))
    v = hysi_polyhedron_bounds(p, 0);
  hysi_polyhedron_destroy(p);
  for (int j = 0; j <= MOST; j++)
    fmpq_clear(number + j);
  return v;
}

static void same_end(hys_interval got, hys_lp_answer answer, hys_interval want) {
  switch (answer) {
  case HYS_LP_EMPTY:
    CHECK(hys_interval_is_empty(got));
    break;
  case HYS_LP_FEASIBLE:
    CHECK_SAME(got.hi, want.hi); /* both are the least double above the same rational */
    break;
  case HYS_LP_UNBOUNDED:
    CHECK(got.hi == HYSI_INF);
    break;
  default:
    CHECK_INT(answer, HYS_LP_FEASIBLE);
  }
}

static void draw_vector(int *v, int n) {
  for (int j = 0; j < n; j++)
    v[j] = drawn(-3, 3);
}

static unsigned empties, bounded, unbounded, held;

static void directions(void) {
  for (int k = 0; k < CASES; k++) {
    const int n = drawn(1, MOST);
    const rows s = draw_rows(n);
    hysi_polyhedron *p = made(&s);
    fmpq ray_q[MOST];
    int ray[MOST];
    check_label("case %d", k);
    draw_vector(ray, n);
    for (int turn = 0; turn < 2; turn++) { /* without the ray, with it */
      for (int d = 0; d < 4; d++) {
        int goal[MOST];
        hys_interval value = {0.0, 0.0};
        hys_lp_answer answer;
        draw_vector(goal, n);
        answer = program(&s, turn == 0 ? NULL : ray, goal, &value);
        same_end(reach(p, n, goal), answer, value);
        empties += answer == HYS_LP_EMPTY;
        bounded += answer == HYS_LP_FEASIBLE;
        unbounded += answer == HYS_LP_UNBOUNDED;
      }
      for (int j = 0; j < MOST; j++)
        fmpq_init(ray_q + j);
      set_numbers(ray_q, ray, n);
      CHECK_INT(hysi_polyhedron_add(p, HYSI_RAY, ray_q), HYS_OK);
      CHECK_INT(hysi_polyhedron_close(p), HYS_OK);
      for (int j = 0; j < MOST; j++)
        fmpq_clear(ray_q + j);
    }
    hysi_polyhedron_destroy(p);
  }
  CHECK(empties > 500 && bounded > 1000 && unbounded > 500);
}

/* The larger of two ends; of a set without points there is none. */
static double larger(hys_interval a, hys_interval b) {
  return hys_interval_is_empty(a) ? b.hi : hys_interval_is_empty(b) ? a.hi : a.hi > b.hi ? a.hi : b.hi;
}

static void joins_and_containment(void) {
  for (int k = 0; k < CASES; k++) {
    const int n = drawn(1, MOST);
    const rows s = draw_rows(n);
    rows t = draw_rows(n);
    hysi_polyhedron *p, *q, *both = NULL;
    bool inside = true;
    check_label("case %d", k);
    if (drawn(0, 1) == 0) { /* one that lies inside more often */
      t = s;
      if (t.rows < ROWS)
        memcpy(t.a[t.rows++], draw_rows(n).a[0], sizeof t.a[0]);
    }
    p = made(&s);
    q = made(&t);
    /* q lies in the closure of p: by each of p's rows */
    for (int i = 0; i < s.rows && !hysi_polyhedron_is_empty(q); i++)
      for (int sign = 1; sign >= (s.relation[i] == HYS_LP_EQ ? -1 : 1); sign -= 2) {
        int goal[MOST];
        for (int j = 0; j < n; j++)
          goal[j] = sign * s.a[i][j];
        inside = inside && reach(q, n, goal).hi <= sign * s.a[i][n];
      }
    inside = hysi_polyhedron_is_empty(q) || (inside && !hysi_polyhedron_is_empty(p));
    CHECK_INT(hysi_polyhedron_holds(p, q), inside);
    held += inside && !hysi_polyhedron_is_empty(q);
    CHECK_INT(hysi_polyhedron_copy(&both, p), HYS_OK);
    CHECK_INT(hysi_polyhedron_join(both, q), HYS_OK);
    CHECK_INT(hysi_polyhedron_close(both), HYS_OK);
    CHECK(hysi_polyhedron_holds(both, p) && hysi_polyhedron_holds(both, q));
    for (int d = 0; d < 3; d++) {
      int goal[MOST];
      draw_vector(goal, n);
      CHECK_SAME(reach(both, n, goal).hi, larger(reach(p, n, goal), reach(q, n, goal)));
    }
    hysi_polyhedron_destroy(both);
    hysi_polyhedron_destroy(p);
    hysi_polyhedron_destroy(q);
  }
  CHECK(held > 100);
}

/* x := M x + c + [lo, hi] has the values that it says in every direction: a sum of the ends. */
static void images(void) {
  for (int k = 0; k < CASES / 3; k++) {
    const int n = drawn(1, 3);
    const rows s = draw_rows(n);
    hysi_polyhedron *p = made(&s), *image = NULL;
    fmpq number[3][4];
    const fmpq *matrix[3] = {NULL, NULL, NULL};
    int m[3][4] = {{0}}, goal[MOST] = {0}, back[MOST] = {0};
    hys_interval add[3] = {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}}, want;
    double constant = 0.0;
    check_label("case %d", k);
    draw_vector(goal, n);
    for (int i = 0; i < n; i++) {
      m[i][i] = 1; /* stays */
      for (int j = 0; j <= n; j++)
        fmpq_init(&number[i][j]);
      if (drawn(0, 2) == 0)
        continue;
      for (int j = 0; j <= n; j++) {
        m[i][j] = drawn(-2, 2);
        fmpq_set_si(&number[i][j], m[i][j], 1);
      }
      matrix[i] = number[i];
      add[i] = hys_interval_make(drawn(-3, 0), drawn(0, 3));
    }
    for (int i = 0; i < n; i++) { /* goal . (M x + c + e) = (goal M) . x + .. */
      for (int j = 0; j < n; j++)
        back[j] += goal[i] * m[i][j];
      constant += goal[i] * (m[i][n] + (goal[i] > 0 ? add[i].hi : add[i].lo));
    }
    want = reach(p, n, back);
    CHECK_INT(hysi_polyhedron_copy(&image, p), HYS_OK);
    CHECK_INT(hysi_polyhedron_map(image, matrix, add), HYS_OK);
    CHECK_INT(hysi_polyhedron_close(image), HYS_OK);
    CHECK_INT(hysi_polyhedron_is_empty(image), hysi_polyhedron_is_empty(p));
    if (!hysi_polyhedron_is_empty(p)) /* quotients of small numbers: the sum is off by little if at all */
      CHECK(reach(image, n, goal).hi == want.hi + constant ||
            fabs(reach(image, n, goal).hi - (want.hi + constant)) <=
                1e-13 * (fabs(want.hi) + fabs(constant)));
    hysi_polyhedron_destroy(image);
    hysi_polyhedron_destroy(p);
    for (int i = 0; i < n; i++)
      for (int j = 0; j <= n; j++)
        fmpq_clear(&number[i][j]);
  }
}

/* Rows beyond what is allowed, and generators that explode, are refused. */
static void limits(void) {
  hysi_polyhedron *p = NULL;
  hys_status status = HYS_OK;

  CHECK_INT(hysi_polyhedron_create(&p, HYSI_POLYHEDRON_MAX_VARIABLES + 1, true, NULL), HYS_ERR_ARG);
  CHECK(p == NULL);
  CHECK_INT(hysi_polyhedron_create(&p, 12, true, NULL), HYS_OK); /* a cube has 4096 corners */
  for (int i = 0; i < 24 && status == HYS_OK; i++) {
    fmpq number[13];
    for (int j = 0; j <= 12; j++)
      fmpq_init(number + j);
    fmpq_set_si(number + i / 2, i % 2 == 0 ? 1 : -1, 1);
    fmpq_one(number + 12);
    status = hysi_polyhedron_cut(p, number, number + 12, HYS_LP_LE);
    for (int j = 0; j <= 12; j++)
      fmpq_clear(number + j);
  }
  CHECK_INT(status, HYS_OK);
  CHECK_INT(hysi_polyhedron_close(p), HYS_ERR_LIMIT);
  hysi_polyhedron_destroy(p);
}

CHECK_MAIN("prop_polyhedron", {"every direction as a linear program says", directions},
           {"joins and containment", joins_and_containment}, {"images", images}, {"limits", limits})
