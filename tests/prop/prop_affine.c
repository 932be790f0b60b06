/* Which expressions are affine, and their coefficients, against exact expansion in rationals.
 *
 * A product is affine if one side is constant after expansion, a quotient if the divisor is, a power if both
 * are or the exponent is 0 or 1.  Terms that are not affine by themselves are refused also where they would
 * cancel (x*x - x*x): what is asked is whether each step is affine. */
#include "tests/prop/rational.h"
#include "tests/support/check.h"

#include <stdio.h>
#include <time.h>

enum { VARIABLES = 3, TEXT = 1 << 14, CASES = 20000, NODES = 4096 };

static uint64_t state;
static unsigned pick(unsigned n) {
  state += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = state;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (unsigned)((z ^ (z >> 31)) % n);
}

/* A row and a constant; what became of the arithmetic. */
typedef struct form {
  fmpq_t coef[VARIABLES + 1];
  bool affine;   /* each step was */
  bool infinite; /* a division by zero */
  bool unsure;   /* decimals that are no doubles cancelled to zero: the reader cannot know */
} form;

static void form_init(form *f) {
  for (int i = 0; i <= VARIABLES; i++)
    fmpq_init(f->coef[i]);
  f->affine = true;
  f->infinite = f->unsure = false;
}
static void form_clear(form *f) {
  for (int i = 0; i <= VARIABLES; i++)
    fmpq_clear(f->coef[i]);
}
static bool form_constant(const form *f) {
  for (int i = 0; i < VARIABLES; i++)
    if (!fmpq_is_zero(f->coef[i]))
      return false;
  return true;
}
static void form_flags(form *a, const form *b) {
  a->affine = a->affine && b->affine;
  a->infinite = a->infinite || b->infinite;
  a->unsure = a->unsure || b->unsure;
}

static char text[TEXT];
static void put(const char *more) {
  const size_t n = strlen(text);
  snprintf(text + n, TEXT - n, "%s", more);
}

/* Decimals that are doubles, or (exact false) any. */
static bool exact;

static void number(form *f) {
  static const struct {
    const char *text;
    long p, q;
  } dyadic[] = {{"1", 1, 1},    {"2", 2, 1},   {"3", 3, 1}, {"0.5", 1, 2},
                {"0.25", 1, 4}, {"10", 10, 1}, {"0", 0, 1}, {"1.5e1", 15, 1}},
    decimal[] = {{"0.1", 1, 10}, {"3.3", 33, 10},  {"1e-2", 1, 100}, {"7", 7, 1},
                 {".3", 3, 10},  {"12.75", 51, 4}, {"0.7", 7, 10},   {"1", 1, 1}};
  const unsigned k = pick(8);
  put(exact ? dyadic[k].text : decimal[k].text);
  fmpq_set_si(f->coef[VARIABLES], exact ? dyadic[k].p : decimal[k].p,
              (ulong)(exact ? dyadic[k].q : decimal[k].q));
}

static void expression(form *f, unsigned depth);

static void sum(form *f, unsigned depth) {
  expression(f, depth);
  for (unsigned n = 1 + pick(2); n > 0; n--) {
    const bool minus = pick(2) == 0;
    form g;
    form_init(&g);
    put(minus ? " - " : " + ");
    const size_t from = strlen(text);
    expression(&g, depth);
    (void)from;
    for (int i = 0; i <= VARIABLES; i++) {
      const bool cancels = !fmpq_is_zero(f->coef[i]);
      if (minus)
        fmpq_sub(f->coef[i], f->coef[i], g.coef[i]);
      else
        fmpq_add(f->coef[i], f->coef[i], g.coef[i]);
      f->unsure = f->unsure || (!exact && cancels && fmpq_is_zero(f->coef[i]));
    }
    form_flags(f, &g);
    form_clear(&g);
  }
}

/* a = b times constant, or the other way round. */
static void multiply(form *a, const form *b) {
  fmpq_t c;
  fmpq_init(c);
  form_flags(a, b);
  if (!form_constant(a) && !form_constant(b)) {
    a->affine = false;
  } else if (form_constant(a)) {
    fmpq_set(c, a->coef[VARIABLES]);
    for (int i = 0; i <= VARIABLES; i++)
      fmpq_mul(a->coef[i], b->coef[i], c);
  } else {
    fmpq_set(c, b->coef[VARIABLES]);
    for (int i = 0; i <= VARIABLES; i++)
      fmpq_mul(a->coef[i], a->coef[i], c);
  }
  fmpq_clear(c);
}

static void group(form *f, unsigned depth) {
  put("(");
  sum(f, depth);
  put(")");
}

static void expression(form *f, unsigned depth) {
  form g;
  form_init(&g);
  switch (depth == 0 ? pick(2) : pick(8)) {
  case 0:
    number(f);
    break;
  case 1: {
    const unsigned v = pick(VARIABLES);
    const char name[2] = {(char)('x' + v), '\0'};
    put(name);
    fmpq_set_si(f->coef[v], 1, 1);
    break;
  }
  case 2:
    put("-");
    group(f, depth - 1);
    for (int i = 0; i <= VARIABLES; i++)
      fmpq_neg(f->coef[i], f->coef[i]);
    break;
  case 3: /* a number times a sum, the usual thing */
    number(f);
    put("*");
    group(&g, depth - 1);
    multiply(f, &g);
    break;
  case 4:
    group(f, depth - 1);
    put("*");
    group(&g, depth - 1);
    multiply(f, &g);
    break;
  case 5: {
    static const char *const divisor[] = {"/2", "/4", "/(1 - 1)", "/8", "/0.5", "/(3 + 1)"},
                             *const decimals[] = {"/3", "/0.7", "/(1 - 1)", "/7", "/1.1", "/(3 + 3)"};
    static const long p[] = {2, 4, 0, 8, 1, 4}, q[] = {1, 1, 1, 1, 2, 1}, r[] = {3, 7, 0, 7, 11, 6},
                      s[] = {1, 10, 1, 1, 10, 1};
    const unsigned k = pick(6);
    group(f, depth - 1);
    put(exact ? divisor[k] : decimals[k]);
    if (k == 2) {
      f->infinite = true;
      break;
    }
    fmpq_set_si(g.coef[VARIABLES], exact ? p[k] : r[k], (ulong)(exact ? q[k] : s[k]));
    for (int i = 0; i <= VARIABLES; i++)
      fmpq_div(f->coef[i], f->coef[i], g.coef[VARIABLES]);
    break;
  }
  case 6: {
    const unsigned k = pick(4);
    static const char *const power[] = {"^0", "^1", "^2", "^(2 - 1)"};
    group(f, depth - 1);
    put(power[k]);
    if (k == 0) {
      for (int i = 0; i <= VARIABLES; i++)
        fmpq_set_si(f->coef[i], i == VARIABLES, 1);
    } else if (k == 2) {
      if (!form_constant(f))
        f->affine = false;
      fmpq_mul(f->coef[VARIABLES], f->coef[VARIABLES], f->coef[VARIABLES]);
    }
    break;
  }
  default:
    group(f, depth - 1);
    break;
  }
  form_clear(&g);
}

static unsigned kinds[3]; /* affine, not affine, not finite */

static void check_case(hys_arena *arena) {
  static hys_interval scratch[NODES * (VARIABLES + 1)];
  hys_interval coef[VARIABLES], constant;
  hys_expr e;
  form f;

  form_init(&f);
  text[0] = '\0';
  sum(&f, 1 + pick(3));
  check_label("%.200s", text);
  if (strlen(text) + 1 < TEXT && CHECK_INT(rational_parse(&e, text, arena), HYS_OK) && e.n <= NODES) {
    const hys_status got = hys_expr_affine(&e, e.n - 1, VARIABLES, coef, &constant, scratch, NULL);
    if (f.infinite || !f.affine) {
      kinds[f.infinite ? 2 : 1]++;
      /* whichever comes first; a factor of zero makes an infinite one no better */
      CHECK(got == HYS_ERR_NUMERIC || got == HYS_ERR_UNSUPPORTED);
      if (!f.infinite)
        CHECK_INT(got, HYS_ERR_UNSUPPORTED);
    } else if (!(f.unsure && got == HYS_ERR_UNSUPPORTED) && CHECK_INT(got, HYS_OK)) {
      kinds[0]++;
      for (int i = 0; i <= VARIABLES; i++) {
        const hys_interval v = i < VARIABLES ? coef[i] : constant;
        CHECK(rational_inside(f.coef[i], v));
        if (exact) /* a point, the only one */
          CHECK(v.lo == v.hi);
        else
          CHECK(v.hi - v.lo <= 1e-9 * (1 + fabs(v.lo)));
      }
    }
  }
  form_clear(&f);
}

static void run(void) {
  const uint64_t seeds[] = {1, (uint64_t)time(NULL)};
  for (size_t s = 0; s < 2; s++) {
    printf("seed %llu\n", (unsigned long long)seeds[s]);
    state = seeds[s];
    memset(kinds, 0, sizeof kinds);
    for (unsigned i = 0; i < CASES / 2; i++) {
      hys_arena *arena = hys_arena_create(NULL);
      if (CHECK(arena != NULL))
        check_case(arena);
      hys_arena_destroy(arena);
    }
    /* each kind was there */
    check_label("kinds: %u affine, %u not, %u not finite", kinds[0], kinds[1], kinds[2]);
    CHECK(kinds[0] > CASES / 20 && kinds[1] > CASES / 20 && kinds[2] > CASES / 200);
  }
}

static void doubles(void) {
  exact = true;
  run();
}
static void decimals(void) {
  exact = false;
  run();
}

CHECK_MAIN("affine", {"numbers that are doubles: the exact coefficients", doubles},
           {"decimals: enclosures of them", decimals})
