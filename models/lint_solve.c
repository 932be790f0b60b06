/* Whether rows can hold together: by the bounds that single rows give, where there is more by a small linear
 * program; what a jump does to the parameters; and which rows are to blame. */
#include <stdio.h>
#include <string.h>

#include "models/expr_parse.h"
#include "models/lint_private.h"

/* ---- bounds of single columns ---- */

typedef struct bound {
  fmpq_t value;
  bool is, strict;
} bound;

/* Takes a bound if it is the tighter one; sign +1: upper. */
static void tighten(bound *b, const fmpq_t value, bool strict, int sign) {
  const int order = b->is ? sign * fmpq_cmp(value, b->value) : -1;

  if (order < 0) {
    fmpq_set(b->value, value);
    b->strict = strict;
  } else if (order == 0) {
    b->strict = b->strict || strict;
  }
  b->is = true;
}

/* The columns of a system, and what single rows say of each. */
typedef struct columns {
  hysi_lint *lint;
  bound *lower, *upper; /* one a column of the system */
  uint32_t n;           /* columns: lint->touched[0 .. n), their numbers in lint->slot */
} columns;

static bool open_system(columns *s, hysi_lint *lint, const hysi_lint_rows *rows) {
  *s = (columns){.lint = lint};
  for (uint32_t i = 0; i < rows->n; i++) {
    const hysi_linear *f = rows->row[i].f;
    for (uint32_t k = 0; f != NULL && k < f->n; k++) {
      if (lint->slot[f->column[k]] != HYSI_NONE)
        continue;
      lint->slot[f->column[k]] = s->n;
      lint->touched[s->n++] = f->column[k];
    }
  }
  s->lower = hysi_lint_alloc(lint, s->n, sizeof *s->lower);
  s->upper = hysi_lint_alloc(lint, s->n, sizeof *s->upper);
  for (uint32_t k = 0; s->lower != NULL && s->upper != NULL && k < s->n; k++) {
    fmpq_init(s->lower[k].value);
    fmpq_init(s->upper[k].value);
  }
  return s->lower != NULL && s->upper != NULL;
}

static void close_system(columns *s) {
  for (uint32_t k = 0; k < s->n; k++) {
    s->lint->slot[s->lint->touched[k]] = HYSI_NONE;
    if (s->lower != NULL && s->upper != NULL) {
      fmpq_clear(s->lower[k].value);
      fmpq_clear(s->upper[k].value);
    }
  }
}

/* Takes the rows about at most one column; whether there are others goes to *more.  false: one of them, or
 * two together, cannot hold. */
static bool take_bounds(columns *s, const hysi_lint_rows *rows, bool closed, bool *more) {
  hysi_lint *lint = s->lint;
  bool good = true;
  fmpq_t q;

  *more = false;
  fmpq_init(q);
  for (uint32_t k = 0; k < s->n; k++) {
    const uint32_t c = lint->touched[k];
    if (c < hysi_lint_params(lint) && lint->here->param[c].range) {
      tighten(&s->lower[k], lint->here->param[c].value, false, -1);
      tighten(&s->upper[k], lint->here->param[c].value + 1, false, 1);
    }
  }
  for (uint32_t i = 0; i < rows->n && good; i++) {
    const hysi_lint_row *r = &rows->row[i];
    const bool strict = r->relation == HYS_LP_LT && !closed;
    if (r->f == NULL)
      continue;
    if (r->f->n == 0) {
      const int sign = fmpq_sgn(r->f->coef);
      good = r->relation == HYS_LP_EQ ? sign == 0 : strict ? sign < 0 : sign <= 0;
    } else if (r->f->n == 1) {
      const uint32_t k = lint->slot[r->f->column[0]];
      fmpq_div(q, r->f->coef + 1, r->f->coef);
      fmpq_mul_si(q, q, -1);
      if (r->relation == HYS_LP_EQ || fmpq_sgn(r->f->coef) > 0)
        tighten(&s->upper[k], q, strict, 1);
      if (r->relation == HYS_LP_EQ || fmpq_sgn(r->f->coef) < 0)
        tighten(&s->lower[k], q, strict, -1);
    } else {
      *more = true;
    }
  }
  for (uint32_t k = 0; k < s->n && good; k++) {
    const bound *lo = &s->lower[k], *hi = &s->upper[k];
    const int order = lo->is && hi->is ? fmpq_cmp(lo->value, hi->value) : -1;
    good = order < 0 || (order == 0 && !lo->strict && !hi->strict);
  }
  fmpq_clear(q);
  return good;
}

void hysi_lint_box(hysi_lint *lint, const hysi_lint_rows *rows, hys_interval *box) {
  columns s;
  bool more;

  for (uint32_t p = 0; p < hysi_lint_params(lint); p++)
    box[p] = lint->here->param[p].box;
  if (open_system(&s, lint, rows)) {
    take_bounds(&s, rows, true, &more);
    for (uint32_t k = 0; k < s.n; k++) {
      const uint32_t c = lint->touched[k];
      if (c >= hysi_lint_params(lint))
        continue;
      box[c] = hys_interval_make(s.lower[k].is ? hysi_lp_enclosure(s.lower[k].value).lo : -HYSI_INF,
                                 s.upper[k].is ? hysi_lp_enclosure(s.upper[k].value).hi : HYSI_INF);
    }
  }
  close_system(&s);
}

/* ---- systems ---- */

/* A point within the bounds. */
static void pick(fmpq *out, const bound *lo, const bound *hi) {
  if (lo->is && hi->is) {
    fmpq_add(out, lo->value, hi->value);
    fmpq_div_2exp(out, out, 1);
  } else if (lo->is || hi->is) {
    fmpq_t step;
    fmpq_init(step);
    fmpq_set_si(step, lo->is ? 1 : -1, 1);
    if (lo->is ? lo->strict : hi->strict)
      fmpq_add(out, lo->is ? lo->value : hi->value, step);
    else
      fmpq_set(out, lo->is ? lo->value : hi->value);
    fmpq_clear(step);
  } else {
    fmpq_zero(out);
  }
}

static hys_status add_rows(hysi_lint *lint, hys_lp *lp, const hysi_lint_rows *rows, bool closed) {
  uint32_t column[HYSI_LINT_COLUMNS];
  hys_status status = HYS_OK;
  fmpq_t q;

  fmpq_init(q);
  for (uint32_t i = 0; i < rows->n && status == HYS_OK; i++) {
    const hysi_lint_row *r = &rows->row[i];
    if (r->f == NULL)
      continue;
    for (uint32_t k = 0; k < r->f->n; k++)
      column[k] = lint->slot[r->f->column[k]];
    fmpq_mul_si(q, r->f->coef + r->f->n, -1);
    status = hysi_lp_add(lp, column, r->f->coef, r->f->n, q,
                         closed && r->relation == HYS_LP_LT ? HYS_LP_LE : r->relation);
  }
  fmpq_clear(q);
  return status;
}

static hys_status add_ranges(const columns *s, hys_lp *lp) {
  hysi_lint *lint = s->lint;
  hys_status status = HYS_OK;
  fmpq_t one, end;

  fmpq_init(one);
  fmpq_init(end);
  for (uint32_t k = 0; k < s->n && status == HYS_OK; k++) {
    const uint32_t c = lint->touched[k];
    if (c >= hysi_lint_params(lint) || !lint->here->param[c].range)
      continue;
    fmpq_one(one);
    status = hysi_lp_add(lp, &k, one, 1, lint->here->param[c].value + 1, HYS_LP_LE);
    fmpq_mul_si(one, one, -1);
    fmpq_mul_si(end, lint->here->param[c].value, -1);
    if (status == HYS_OK)
      status = hysi_lp_add(lp, &k, one, 1, end, HYS_LP_LE);
  }
  fmpq_clear(one);
  fmpq_clear(end);
  return status;
}

static hys_lp_answer by_program(columns *s, const hysi_lint_rows *rows, bool closed, fmpq *point) {
  hysi_lint *lint = s->lint;
  const uint64_t cost = (uint64_t)(s->n + 1) * rows->n * (s->n + 1);
  fmpq at[HYSI_LINT_COLUMNS];
  hys_lp_answer answer = HYS_LP_UNKNOWN;
  hys_lp *lp = NULL;
  hys_status status;

  if (s->n > HYSI_LINT_COLUMNS || rows->n > HYSI_LINT_ROWS || cost > lint->work) {
    lint->undecided = true;
    return HYS_LP_UNKNOWN;
  }
  lint->work -= cost;
  status = hys_lp_create(&lp, s->n, NULL);
  if (status == HYS_OK)
    status = add_rows(lint, lp, rows, closed);
  if (status == HYS_OK)
    status = add_ranges(s, lp);
  for (uint32_t k = 0; k < s->n; k++)
    fmpq_init(at + k);
  if (status == HYS_OK)
    status = hysi_lp_solve(lp, NULL, HYS_LP_PIVOTS, &answer, NULL, at);
  for (uint32_t k = 0; k < s->n; k++) {
    if (point != NULL && lint->touched[k] < hysi_lint_params(lint))
      fmpq_swap(point + lint->touched[k], at + k);
    fmpq_clear(at + k);
  }
  hys_lp_destroy(lp);
  if (status == HYS_ERR_MEMORY)
    lint->status = status;
  return status == HYS_OK ? answer : HYS_LP_UNKNOWN;
}

hys_lp_answer hysi_lint_solve(hysi_lint *lint, const hysi_lint_rows *rows, bool closed, fmpq *point) {
  hys_lp_answer answer = HYS_LP_UNKNOWN;
  columns s;
  bool more;

  if (open_system(&s, lint, rows)) {
    if (!take_bounds(&s, rows, closed, &more)) {
      answer = HYS_LP_EMPTY;
    } else if (!more) {
      answer = HYS_LP_FEASIBLE;
      for (uint32_t k = 0; point != NULL && k < s.n; k++)
        if (lint->touched[k] < hysi_lint_params(lint))
          pick(point + lint->touched[k], &s.lower[k], &s.upper[k]);
    } else {
      answer = by_program(&s, rows, closed, point);
    }
  }
  close_system(&s);
  return answer;
}

/* ---- jumps ---- */

/* Whether what comes after a jump is known where the jump does not say it. */
static bool keeps(const hysi_lint_param *p, const hysi_transition *t) {
  return p->rest || (t->label == HYSI_NONE || t->label == HYSI_PRIVATE_LABEL ? p->kept_alone : p->kept);
}

void hysi_lint_jump(hysi_lint *lint, uint32_t transition, const hysi_linear *const *before, uint32_t copy,
                    const hysi_linear **after, hysi_lint_rows *rows) {
  const hysi_transition *t = &lint->here->component->transition[transition];
  const uint32_t n = hysi_lint_params(lint);

  for (uint32_t p = 0; p < n; p++) {
    if (lint->here->component->param[p].label || lint->here->param[p].number)
      after[p] = NULL;
    else if (keeps(&lint->here->param[p], t) && !t->assignment.unknown)
      after[p] = before != NULL ? before[p] : NULL;
    else
      after[p] = hysi_lint_column(lint, copy * n + p);
  }
  for (uint32_t r = 0; r < t->assignment.n_rows; r++) {
    const hysi_row *row = &t->assignment.row[r];
    const hysi_linear *value = hysi_lint_linear(lint, &t->assignment.e, row->rhs);
    const bool above = row->op == HYS_EXPR_GT || row->op == HYS_EXPR_GE;
    hysi_lint_row limit = {.relation =
                               row->op == HYS_EXPR_LT || row->op == HYS_EXPR_GT ? HYS_LP_LT : HYS_LP_LE,
                           .origin = HYSI_OF_RESET,
                           .e = &t->assignment.e,
                           .node = row->node};
    const hysi_linear *fresh = hysi_lint_column(lint, copy * n + row->param);
    value = hysi_lint_substitute(lint, value, before);
    if (row->op == HYS_EXPR_EQ && value != NULL) {
      after[row->param] = value;
      continue;
    }
    after[row->param] = fresh;
    if (value == NULL)
      continue;
    limit.f = above ? hysi_lint_minus(lint, value, fresh) : hysi_lint_minus(lint, fresh, value);
    hysi_lint_push(lint, rows, limit);
  }
}

/* ---- who is to blame ---- */

/* The rows but for one. */
static void without(hysi_lint *lint, const hysi_lint_rows *rows, uint32_t skip, hysi_lint_rows *out) {
  out->n = 0;
  for (uint32_t i = 0; i < rows->n; i++)
    if (i != skip)
      hysi_lint_push(lint, out, rows->row[i]);
}

const char *hysi_lint_culprits(hysi_lint *lint, const hysi_lint_rows *rows, bool closed,
                               const hysi_model_location *from, const hysi_model_location *to,
                               const hys_expr_node **at) {
  hysi_lint_rows left = {0}, fewer = {0};
  size_t used = 0;
  char text[400];

  hysi_lint_append(lint, &left, rows);
  for (uint32_t i = 0; i < left.n && left.n <= HYSI_LINT_ROWS;) {
    without(lint, &left, i, &fewer);
    if (hysi_lint_solve(lint, &fewer, closed, NULL) != HYS_LP_EMPTY) {
      i++;
      continue;
    }
    without(lint, &fewer, UINT32_MAX, &left);
  }
  *at = NULL;
  for (uint32_t i = 0; i < left.n; i++) {
    const hysi_lint_row *r = &left.row[i];
    const char *written = used + 1 < sizeof text ? hysi_expr_print(r->e, r->node, lint->arena) : NULL;
    const hysi_model_location *where = r->origin == HYSI_OF_TARGET ? to : from;
    char origin[HYS_XML_MAX_NAME + 64] = "";
    int put;
    bool again = false;
    for (uint32_t k = 0; k < i && written != NULL; k++)
      again = again || (left.row[k].e == r->e && left.row[k].node == r->node);
    if (*at == NULL && (r->origin == HYSI_OF_GUARD || (r->origin == HYSI_OF_INVARIANT && to == NULL)))
      *at = &r->e->node[r->node];
    if (again || written == NULL || used + 1 >= sizeof text)
      continue;
    if (r->origin == HYSI_OF_INVARIANT && to != NULL)
      snprintf(origin, sizeof origin, " (invariant of `%s')", where->name);
    else if (r->origin == HYSI_OF_TARGET)
      snprintf(origin, sizeof origin, " (invariant of `%s', after the jump)", where->name);
    else if (r->origin == HYSI_OF_RESET)
      snprintf(origin, sizeof origin, " (assignment)");
    put = snprintf(text + used, sizeof text - used, "%s`%.*s%s'%s", used == 0 ? "" : " and ",
                   strlen(written) > 80 ? 77 : 80, written, strlen(written) > 80 ? "..." : "", origin);
    used += put > 0 ? (size_t)put : 0;
  }
  if (left.n == 0 || used == 0)
    return "";
  return hys_arena_strdup(lint->arena, text, strlen(text));
}
