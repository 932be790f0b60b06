/* Look-up tables against exact multilinear interpolation in rationals: at points, and on boxes, whose value
 * must hold all of it and, up to rounding, nothing more. */
#include "tests/prop/rational.h"
#include "tests/support/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 6, INPUTS = 3, TEXT = 1 << 14, NODES = 4096, CASES = 1500, SAMPLES = 40 };

static uint64_t state;
static unsigned pick(unsigned n) {
  state += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = state;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (unsigned)((z ^ (z >> 31)) % n);
}

/* All numbers in tenths. */
typedef struct table {
  unsigned n, size[INPUTS], entries;
  int point[INPUTS][MOST];
  int entry[MOST * MOST * MOST];
} table;

static char text[TEXT];
static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *format, ...) {
  const size_t n = strlen(text);
  va_list args;
  va_start(args, format);
  vsnprintf(text + n, TEXT - n, format, args);
  va_end(args);
}
static void put_tenths(int v) {
  put("%s%d.%d", v < 0 ? "-" : "", abs(v) / 10, abs(v) % 10);
}

static void draw(table *t) {
  t->n = 1 + pick(INPUTS);
  t->entries = 1;
  for (unsigned i = 0; i < t->n; i++) {
    int at = (int)pick(41) - 40;
    t->size[i] = 2 + pick(MOST - 1);
    t->entries *= t->size[i];
    for (unsigned k = 0; k < t->size[i]; k++) {
      t->point[i][k] = at;
      at += 1 + (int)pick(25);
    }
  }
  for (unsigned i = 0; i < t->entries; i++)
    t->entry[i] = (int)pick(201) - 100;
}

/* Of two inputs also as rows. */
static void write_out(const table *t) {
  text[0] = '\0';
  put(t->n == 1 && pick(2) ? "lut(x, "
      : t->n == 1          ? "lut([x], "
      : t->n == 2          ? "lut([x, y], "
                           : "lut([x, y, z], ");
  if (t->n == 2 && pick(2)) {
    for (unsigned row = 0; row < t->size[0]; row++) {
      put(row == 0 ? "[" : "; ");
      for (unsigned column = 0; column < t->size[1]; column++) {
        put(column > 0 ? ", " : "");
        put_tenths(t->entry[row + t->size[0] * column]);
      }
    }
    put("]");
  } else {
    put(t->n > 1 ? "reshape([" : "[");
    for (unsigned i = 0; i < t->entries; i++) {
      put(i > 0 ? ", " : "");
      put_tenths(t->entry[i]);
    }
    put("]");
    for (unsigned i = 0; i < t->n && t->n > 1; i++)
      put(", %u", t->size[i]);
    put(t->n > 1 ? ")" : "");
  }
  for (unsigned i = 0; i < t->n; i++) {
    for (unsigned k = 0; k < t->size[i]; k++) {
      put(k == 0 ? ", [" : ", ");
      put_tenths(t->point[i][k]);
    }
    put("]");
  }
  put(")");
}

/* The exact value at a point: `out`. */
static void interpolate(const table *t, const fmpq *x, fmpq_t out) {
  unsigned cell[INPUTS];
  fmpq_t part[INPUTS], weight, from, to;
  fmpq_init(weight), fmpq_init(from), fmpq_init(to);
  for (unsigned i = 0; i < t->n; i++) {
    fmpq_init(part[i]);
    cell[i] = 0;
    for (unsigned k = 0; k < t->size[i]; k++) {
      fmpq_set_si(from, t->point[i][k], 10);
      if (fmpq_cmp(from, x + i) <= 0)
        cell[i] = k;
    }
    fmpq_set_si(from, t->point[i][cell[i]], 10);
    if (cell[i] + 1 == t->size[i] || fmpq_cmp(x + i, from) < 0) {
      fmpq_zero(part[i]);
      continue;
    }
    fmpq_set_si(to, t->point[i][cell[i] + 1], 10);
    fmpq_sub(to, to, from);
    fmpq_sub(part[i], x + i, from);
    fmpq_div(part[i], part[i], to);
  }
  fmpq_zero(out);
  for (unsigned k = 0; k < t->entries; k++) {
    unsigned rest = k;
    fmpq_set_si(weight, t->entry[k], 10);
    for (unsigned i = 0; i < t->n; i++) {
      const unsigned at = rest % t->size[i];
      rest /= t->size[i];
      if (at == cell[i]) {
        fmpq_set_si(from, 1, 1);
        fmpq_sub(from, from, part[i]);
        fmpq_mul(weight, weight, from);
      } else if (at == cell[i] + 1) {
        fmpq_mul(weight, weight, part[i]);
      } else {
        fmpq_zero(weight);
      }
    }
    fmpq_add(out, out, weight);
  }
  for (unsigned i = 0; i < t->n; i++)
    fmpq_clear(part[i]);
  fmpq_clear(weight), fmpq_clear(from), fmpq_clear(to);
}

/* Least and largest value on a box: at points whose coordinates are its ends or breakpoints inside. */
static void extremes(const table *t, const hys_interval *box, fmpq_t least, fmpq_t largest) {
  unsigned turn[INPUTS] = {0};
  fmpq *x = _fmpq_vec_init(INPUTS);
  bool first = true;
  fmpq_t v;
  fmpq_init(v);
  for (;;) {
    unsigned i = 0;
    bool inside = true;
    for (unsigned k = 0; k < t->n; k++) {
      if (turn[k] < 2) {
        rational_set_double(x + k, turn[k] == 0 ? box[k].lo : box[k].hi);
      } else {
        fmpq_set_si(x + k, t->point[k][turn[k] - 2], 10);
        inside = inside && rational_inside(x + k, box[k]);
      }
    }
    if (inside) {
      interpolate(t, x, v);
      if (first || fmpq_cmp(v, least) < 0)
        fmpq_set(least, v);
      if (first || fmpq_cmp(v, largest) > 0)
        fmpq_set(largest, v);
      first = false;
    }
    while (i < t->n && ++turn[i] == t->size[i] + 2)
      turn[i++] = 0;
    if (i == t->n)
      break;
  }
  fmpq_clear(v);
  _fmpq_vec_clear(x, INPUTS);
}

/* On a breakpoint, near one, or anywhere. */
static double draw_coordinate(const table *t, unsigned i) {
  const double at = t->point[i][pick(t->size[i])] / 10.0;
  switch (pick(4)) {
  case 0:
    return at;
  case 1:
    return nextafter(at, pick(2) ? 100 : -100);
  default:
    return pick(20000) / 1000.0 - 8.0;
  }
}

static void check_table(hys_arena *arena) {
  static hys_interval scratch[NODES], inner[NODES];
  static double points[NODES];
  hys_expr e;
  table t;
  fmpq *x = _fmpq_vec_init(INPUTS);
  fmpq_t v, least, largest;

  fmpq_init(v), fmpq_init(least), fmpq_init(largest);
  draw(&t);
  write_out(&t);
  check_label("%.300s", text);
  if (CHECK_INT(rational_parse(&e, text, arena), HYS_OK) && CHECK(e.n <= NODES)) {
    hys_interval box[INPUTS];
    for (unsigned i = 0; i < INPUTS; i++) {
      const double a = i < t.n ? draw_coordinate(&t, i) : 0,
                   b = i < t.n && pick(3) > 0 ? draw_coordinate(&t, i) : a;
      box[i] = hys_interval_make(a < b ? a : b, a < b ? b : a);
    }
    const hys_interval on_box = hys_expr_eval_interval(&e, e.n - 1, box, NULL, NULL, scratch);
    extremes(&t, box, least, largest);
    CHECK(rational_inside(least, on_box));
    CHECK(rational_inside(largest, on_box));
    /* and nothing more: rounding alone */
    CHECK(on_box.lo >= rational_nearly(least) - 1e-11 && on_box.hi <= rational_nearly(largest) + 1e-11);
    for (unsigned s = 0; s < SAMPLES; s++) {
      double at[INPUTS];
      hys_interval spot[INPUTS];
      for (unsigned i = 0; i < INPUTS; i++) {
        at[i] = box[i].lo + (box[i].hi - box[i].lo) * (pick(1001) / 1000.0);
        at[i] = at[i] > box[i].hi ? box[i].hi : at[i];
        spot[i] = hys_interval_point(at[i]);
        rational_set_double(x + i, at[i]);
      }
      interpolate(&t, x, v);
      const hys_interval on_spot = hys_expr_eval_interval(&e, e.n - 1, spot, NULL, NULL, inner);
      CHECK(rational_inside(v, on_box));
      CHECK(rational_inside(v, on_spot));
      CHECK(on_spot.hi - on_spot.lo <= 1e-11);
      CHECK_NEAR(hys_expr_eval_point(&e, e.n - 1, at, NULL, NULL, points), rational_nearly(v), 1e-12);
    }
  }
  fmpq_clear(v), fmpq_clear(least), fmpq_clear(largest);
  _fmpq_vec_clear(x, INPUTS);
}

static void tables(void) {
  const uint64_t seeds[] = {1, (uint64_t)time(NULL)};
  for (size_t s = 0; s < 2; s++) {
    printf("seed %llu\n", (unsigned long long)seeds[s]);
    state = seeds[s];
    for (unsigned i = 0; i < CASES / 2; i++) {
      hys_arena *arena = hys_arena_create(NULL);
      if (CHECK(arena != NULL))
        check_table(arena);
      hys_arena_destroy(arena);
    }
  }
}

static hys_interval on(const char *lut, hys_interval x, hys_interval y) {
  const hys_interval box[] = {x, y, {0, 0}};
  hys_arena *arena = hys_arena_create(NULL);
  static hys_interval scratch[NODES];
  hys_interval v = hys_interval_empty();
  hys_expr e;
  check_label("%s", lut);
  if (CHECK_INT(rational_parse(&e, lut, arena), HYS_OK))
    v = hys_expr_eval_interval(&e, e.n - 1, box, NULL, NULL, scratch);
  hys_arena_destroy(arena);
  return v;
}

/* By hand: the ends, half-lines, what has no value. */
static void edges(void) {
  static const char one[] = "lut(x, [1, 5, 3], [0, 1, 2])",
                    two[] = "lut([x, y], [1, 2; 3, 4], [0, 1], [0, 1])";
  const double inf = HYSI_INF;
  static const struct {
    double lo, hi, least, largest;
  } rows[] = {{0, 2, 1, 5},     {0, 0, 1, 1},      {1, 1, 5, 5},     {2, 2, 3, 3},
              {0.5, 0.5, 3, 3}, {0.25, 0.5, 2, 3}, {0.5, 1.5, 3, 5}, {1, 2, 3, 5},
              {-5, -1, 1, 1},   {3, 9, 3, 3},      {-1, 0.5, 1, 3},  {1.5, 7, 3, 4},
              {-7, 7, 1, 5},    {0, 1, 1, 5},      {-1, 0, 1, 1},    {2, 3, 3, 3}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    const hys_interval v = on(one, hys_interval_make(rows[i].lo, rows[i].hi), hys_interval_point(0));
    check_label("[%g, %g]", rows[i].lo, rows[i].hi);
    CHECK_SAME(v.lo, rows[i].least);
    CHECK_SAME(v.hi, rows[i].largest);
  }
  hys_interval v = on(one, hys_interval_entire(), hys_interval_point(0));
  CHECK(v.lo == 1 && v.hi == 5);
  v = on(one, hys_interval_make(-inf, 0.5), hys_interval_point(0));
  CHECK(v.lo == 1 && v.hi == 3);
  v = on(one, hys_interval_make(1.5, inf), hys_interval_point(0));
  CHECK(v.lo == 3 && v.hi == 4);
  CHECK(hys_interval_is_empty(on(one, hys_interval_empty(), hys_interval_point(0))));
  /* rows run along the first input */
  v = on(two, hys_interval_point(1), hys_interval_point(0));
  CHECK(v.lo == 3 && v.hi == 3);
  v = on(two, hys_interval_point(0), hys_interval_point(1));
  CHECK(v.lo == 2 && v.hi == 2);
  v = on("lut([x, y], reshape([1, 3, 2, 4], 2, 2), [0, 1], [0, 1])", hys_interval_point(1),
         hys_interval_point(0));
  CHECK(v.lo == 3 && v.hi == 3);
  v = on("lut(x, [1; 5; 3], [0, 1, 2])", hys_interval_point(1), hys_interval_point(0));
  CHECK(v.lo == 5 && v.hi == 5);
}

/* A box over so many cells that the hull of the entries has to do: it holds all of them. */
static void wide(void) {
  enum { SIDE = 40 };
  char *long_text = malloc(SIDE * SIDE * 8 + SIDE * 16 + 256);
  size_t n = 0;
  if (!CHECK(long_text != NULL))
    return;
  n += (size_t)sprintf(long_text + n, "lut([x, y], reshape([");
  for (int i = 0; i < SIDE * SIDE; i++)
    n += (size_t)sprintf(long_text + n, "%s%d", i > 0 ? "," : "", i % SIDE + i / SIDE);
  n += (size_t)sprintf(long_text + n, "],%d,%d)", SIDE, SIDE);
  for (int k = 0; k < 2; k++) {
    for (int i = 0; i < SIDE; i++)
      n += (size_t)sprintf(long_text + n, "%s%d", i > 0 ? "," : ",[", i);
    n += (size_t)sprintf(long_text + n, "]");
  }
  sprintf(long_text + n, ")");
  /* x + y */
  const hys_interval box[] = {{0.5, 38.5}, {0.5, 38.5}, {0, 0}}, small[] = {{3.25, 3.5}, {7.25, 7.5}, {0, 0}};
  hys_arena *arena = hys_arena_create(NULL);
  hys_expr e;
  check_label("%d by %d", SIDE, SIDE);
  if (CHECK_INT(rational_parse(&e, long_text, arena), HYS_OK)) {
    hys_interval *scratch = malloc(e.n * sizeof *scratch);
    if (CHECK(scratch != NULL)) {
      hys_interval v = hys_expr_eval_interval(&e, e.n - 1, box, NULL, NULL, scratch);
      CHECK(v.lo <= 1 && v.lo >= 0 && v.hi >= 77 && v.hi <= 78);
      v = hys_expr_eval_interval(&e, e.n - 1, small, NULL, NULL, scratch);
      CHECK_NEAR(v.lo, 10.5, 1e-12);
      CHECK_NEAR(v.hi, 11, 1e-12);
    }
    free(scratch);
  }
  hys_arena_destroy(arena);
  free(long_text);
}

CHECK_MAIN("look-up tables", {"random tables on random boxes", tables}, {"edges", edges},
           {"wide boxes", wide})
