#include "core/rt/guard.h"

#include "core/rt/box.h"
#include "core/rt/constraint.h"
#include "core/rt/reach.h"

static bool zero(hys_interval a) {
  return a.lo == 0.0 && a.hi == 0.0;
}

static void join(const hys_automaton *automaton, const hys_interval *x, const hys_interval *u,
                 hys_interval *both) {
  hys_box_copy(both, x, automaton->nx);
  hys_box_copy(both + automaton->nx, u, automaton->nu);
}

static hys_interval value_at(const hys_curved_row *row, const hys_interval *both) {
  hys_interval scratch[HYS_MAX_CURVED_NODES];
  if (row->tree.n == 0 || row->tree.n > HYS_MAX_CURVED_NODES)
    return hys_interval_entire();
  return hys_expr_eval_interval(&row->tree, row->tree.n - 1, both, NULL, NULL, scratch);
}

hys_interval hys_curved_value(const hys_automaton *automaton, const hys_curved_row *row,
                              const hys_interval *x, const hys_interval *u) {
  hys_interval both[HYS_MAX_STATES + HYS_MAX_INPUTS];
  join(automaton, x, u, both);
  return value_at(row, both);
}

bool hys_curved_hold_surely(const hys_automaton *automaton, const hys_jump *jump, const hys_interval *x,
                            const hys_interval *u) {
  for (uint32_t k = 0; k < jump->n_curved; k++)
    if (!(hys_curved_value(automaton, &jump->curved[k], x, u).hi <= 0.0))
      return false;
  return true;
}

/* Cuts the slab of `both` that lies at one end of variable j and surely misses the row. */
static void cut_end(const hys_curved_row *row, hys_interval *both, size_t j, bool low) {
  const hys_interval whole = both[j];
  double missed = low ? whole.lo : whole.hi; /* the slab from the end to here surely misses the row */
  double open = low ? whole.hi : whole.lo;   /* from here on it is not known */
  bool any = false;
  for (int k = 0; k < HYS_CONTRACT_STEPS; k++) {
    const double middle = k == 0 ? open : missed + (open - missed) / 2.0;
    both[j] = low ? hys_interval_make(whole.lo, middle) : hys_interval_make(middle, whole.hi);
    if (value_at(row, both).lo > 0.0) {
      missed = middle;
      any = true;
      if (k == 0)
        break; /* the whole of it */
    } else
      open = middle;
  }
  both[j] = whole;
  if (any)
    both[j] = low ? hys_interval_make(missed, whole.hi) : hys_interval_make(whole.lo, missed);
}

/* Variables that the tree reads. */
static uint32_t mentioned(const hys_curved_row *row) {
  uint32_t mask = 0;
  for (uint32_t i = 0; i < row->tree.n; i++)
    if (row->tree.node[i].op == HYS_EXPR_VARIABLE)
      mask |= UINT32_C(1) << row->tree.node[i].a;
  return mask;
}

static bool contract_curved(const hys_automaton *automaton, const hys_jump *jump, hys_interval *both) {
  const size_t n = automaton->nx + automaton->nu;
  for (uint32_t k = 0; k < jump->n_curved; k++) {
    const hys_curved_row *row = &jump->curved[k];
    const uint32_t reads = mentioned(row);
    if (value_at(row, both).lo > 0.0)
      return false;
    for (size_t j = 0; j < n; j++)
      if ((reads >> j & 1U) != 0 && fabs(both[j].lo) <= DBL_MAX && fabs(both[j].hi) <= DBL_MAX) {
        cut_end(row, both, j, true);
        cut_end(row, both, j, false);
      }
  }
  return true;
}

/* sum a_j both_j <= c, used on one variable after the other. */
static bool contract_affine(const hys_interval *a, hys_interval c, hys_interval *both, size_t n) {
  for (size_t j = 0; j < n; j++) {
    if (zero(a[j]))
      continue;
    hys_interval rest = c;
    for (size_t k = 0; k < n; k++)
      if (k != j && !zero(a[k]))
        rest = hys_interval_sub(rest, hys_interval_mul(a[k], both[k]));
    if (hys_interval_is_empty(rest))
      return false;
    const hys_interval bound = a[j].lo == 1.0 && a[j].hi == 1.0 ? rest
                               : a[j].lo == -1.0 && a[j].hi == -1.0
                                   ? hys_interval_neg(rest)
                                   : hys_interval_div(hys_interval_point(rest.hi), a[j]);
    if (a[j].lo > 0.0)
      both[j] = hys_interval_intersect(both[j], hys_interval_make(-HYSI_INF, bound.hi));
    else if (a[j].hi < 0.0)
      both[j] = hys_interval_intersect(both[j], hys_interval_make(bound.lo, HYSI_INF));
    if (hys_interval_is_empty(both[j]))
      return false;
  }
  return true;
}

static bool take_apart(const hys_automaton *automaton, bool holds, const hys_interval *both, hys_interval *x,
                       hys_interval *u) {
  if (!holds) {
    hys_box_set_empty(x, automaton->nx);
    return false;
  }
  hys_box_copy(x, both, automaton->nx);
  hys_box_copy(u, both + automaton->nx, automaton->nu);
  return true;
}

bool hys_guard_contract(const hys_automaton *automaton, const hys_jump *jump, hys_interval *x,
                        hys_interval *u) {
  const size_t n = automaton->nx + automaton->nu;
  hys_interval both[HYS_MAX_STATES + HYS_MAX_INPUTS];
  bool holds = true;
  join(automaton, x, u, both);
  for (uint32_t k = 0; k < jump->guard.n && holds; k++)
    holds = contract_affine(jump->guard.row[k].a, jump->guard.row[k].c, both, n);
  holds = holds && contract_curved(automaton, jump, both);
  return take_apart(automaton, holds, both, x, u);
}

void hys_jump_image_of(const hys_automaton *automaton, const hys_jump *jump, const hys_interval *x,
                       const hys_interval *u, hys_interval *image) {
  for (size_t i = 0; i < automaton->nx; i++) {
    const hys_reset_row *row = &jump->reset[i];
    image[i] =
        row->identity ? x[i]
        : row->coef == NULL
            ? row->offset
            : hys_interval_add(hys_interval_add(hys_box_dot(row->coef, x, automaton->nx),
                                                hys_box_dot(row->coef + automaton->nx, u, automaton->nu)),
                               row->offset);
  }
}

bool hys_jump_image_contract(const hys_automaton *automaton, const hys_jump *jump, const hys_interval *image,
                             uint32_t mask, hys_interval *x, hys_interval *u) {
  const size_t n = automaton->nx + automaton->nu;
  hys_interval both[HYS_MAX_STATES + HYS_MAX_INPUTS], minus[HYS_MAX_STATES + HYS_MAX_INPUTS];
  bool holds = true;
  join(automaton, x, u, both);
  for (size_t i = 0; i < automaton->nx && holds; i++) {
    const hys_reset_row *row = &jump->reset[i];
    if ((mask >> i & 1U) == 0)
      continue;
    if (row->identity || row->coef == NULL) {
      hys_interval *const free = row->identity ? &both[i] : NULL;
      const hys_interval meet = hys_interval_intersect(free != NULL ? *free : row->offset, image[i]);
      holds = !hys_interval_is_empty(meet);
      if (free != NULL)
        *free = meet;
      continue;
    }
    for (size_t j = 0; j < n; j++)
      minus[j] = hys_interval_neg(row->coef[j]);
    holds = contract_affine(row->coef, hys_interval_sub(image[i], row->offset), both, n) &&
            contract_affine(minus, hys_interval_sub(row->offset, image[i]), both, n);
  }
  return take_apart(automaton, holds, both, x, u);
}

bool hys_jump_reads_inputs(const hys_automaton *automaton, const hys_jump *jump) {
  for (size_t i = 0; i < automaton->nx; i++)
    for (size_t j = 0; !jump->reset[i].identity && jump->reset[i].coef != NULL && j < automaton->nu; j++)
      if (!zero(jump->reset[i].coef[automaton->nx + j]))
        return true;
  return false;
}
