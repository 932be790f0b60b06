/* Jumps without end in no time.
 *
 * In each component: which jump may follow which one at once (their guards and assignments, strictly inside
 * the inequalities of guards: what happens on a border alone, as between two cells of a partition or at a
 * ball at rest, is not meant).  Then, through the labels: a jump is struck out that none may follow or
 * precede, and a label that some instance has no jump left for strikes out its jumps everywhere, until
 * nothing changes.  Where jumps are left a cycle is looked for and gone through twice, exactly. */
#include <stdio.h>
#include <string.h>

#include "models/lint_private.h"

enum {
  MOST_PAIRS = 4096, /* of a component */
  MOST_STARTS = 8    /* cycles that are tried */
};

/* Appends a guard with its inequalities made strict; `before` as in hysi_lint_jump. */
static void push_inside(hysi_lint *lint, const hysi_lint_rows *rows, bool strict,
                        const hysi_linear *const *before, hysi_lint_rows *out) {
  for (uint32_t i = 0; i < rows->n && lint->status == HYS_OK; i++) {
    hysi_lint_row r = rows->row[i];
    if (r.f == NULL)
      continue;
    if (strict && r.relation == HYS_LP_LE)
      r.relation = HYS_LP_LT;
    r.f = hysi_lint_substitute(lint, r.f, before);
    hysi_lint_push(lint, out, r);
  }
}

/* Whether these jumps may happen one after the other in no time, from some state. */
static bool may_follow(hysi_lint *lint, const uint32_t *jump, uint32_t n) {
  const hysi_lint_part *c = lint->here;
  const hysi_linear **before = NULL;
  hysi_lint_rows rows = {.exact = true};

  for (uint32_t i = 0; i < n; i++) {
    const hysi_transition *t = &c->component->transition[jump[i]];
    const uint64_t cost =
        (uint64_t)c->invariant[t->source].n + c->guard[jump[i]].n + c->invariant[t->target].n;
    const hysi_linear **after = hysi_lint_alloc(lint, hysi_lint_params(lint), sizeof *after);
    if (after == NULL || !hysi_lint_spend(lint, hysi_lint_params(lint) + cost))
      return false;
    const bool bare = c->guard[jump[i]].n == 0; /* the invariants stand in for a guard */
    push_inside(lint, &c->invariant[t->source], bare, before, &rows);
    push_inside(lint, &c->guard[jump[i]], true, before, &rows);
    hysi_lint_jump(lint, jump[i], before, i + 1, after, &rows);
    push_inside(lint, &c->invariant[t->target], bare, after, &rows);
    before = after;
  }
  return lint->status == HYS_OK && hysi_lint_solve(lint, &rows, false, NULL) == HYS_LP_FEASIBLE;
}

static bool chain(hysi_lint *lint, const uint32_t *jump, uint32_t n) {
  bool may;

  if (!hysi_lint_begin(lint))
    return false;
  may = may_follow(lint, jump, n);
  hysi_lint_end(lint);
  return may;
}

void hysi_lint_followers(hysi_lint *lint, hysi_lint_part *c) {
  const uint32_t n = c->component->n_transitions;
  uint32_t pairs = 0, found = 0;

  c->alive = hysi_lint_alloc(lint, n, sizeof *c->alive);
  c->first = hysi_lint_alloc(lint, (size_t)n + 1, sizeof *c->first);
  if (c->alive == NULL || c->first == NULL)
    return;
  for (uint32_t t = 0; t < n; t++) {
    const uint32_t target = c->component->transition[t].target;
    if (target != HYSI_NONE && pairs <= MOST_PAIRS)
      pairs += c->out[target + 1] - c->out[target];
  }
  if (pairs > MOST_PAIRS) {
    lint->undecided = true;
    return; /* no followers: no cycles are found */
  }
  c->successor = hysi_lint_alloc(lint, pairs, sizeof *c->successor);
  if (c->successor == NULL)
    return;
  for (uint32_t t = 0; t < n && lint->status == HYS_OK; t++) {
    const hysi_transition *from = &c->component->transition[t];
    c->first[t] = found;
    if (from->source == HYSI_NONE || from->target == HYSI_NONE || c->never[t])
      continue;
    c->alive[t] = true;
    for (uint32_t k = c->out[from->target]; k < c->out[from->target + 1]; k++) {
      const uint32_t both[] = {t, c->leaving[k]};
      if (!c->never[both[1]] && chain(lint, both, 2))
        c->successor[found++] = both[1];
    }
  }
  c->first[n] = found;
}

/* ---- through the labels ---- */

static bool shared_label(const hysi_lint *lint, const hysi_lint_part *c, uint32_t base, uint32_t transition,
                         uint32_t *label) {
  const uint32_t p = c->component->transition[transition].label;
  const hysi_binding *b;

  if (p == HYSI_NONE || p == HYSI_PRIVATE_LABEL)
    return false;
  b = &hysi_base(lint->network, base)->binding[p];
  *label = b->index;
  return b->kind == HYSI_BOUND_LABEL;
}

/* Strikes out what has no follower, no predecessor, or a label that is struck out; whether anything was. */
static bool strike(hysi_lint *lint, hysi_lint_part *c, const bool *blocked, bool *preceded) {
  const uint32_t n = c->component->n_transitions;
  bool any = false;

  memset(preceded, 0, n * sizeof *preceded);
  for (uint32_t t = 0; t < n; t++)
    for (uint32_t k = c->first[t]; c->alive[t] && k < c->first[t + 1]; k++)
      preceded[c->successor[k]] = true;
  for (uint32_t t = 0; t < n; t++) {
    bool followed = false, free_label = false, labelled = false;
    uint32_t label;
    if (!c->alive[t])
      continue;
    for (uint32_t k = c->first[t]; k < c->first[t + 1] && !followed; k++)
      followed = c->alive[c->successor[k]];
    /* of several instances one will do */
    for (uint32_t b = c->first_base; b != HYSI_NONE && !free_label; b = lint->next_base[b]) {
      const bool is = shared_label(lint, c, b, t, &label);
      labelled = labelled || is;
      free_label = !is || !blocked[label];
    }
    if (followed && preceded[t] && (free_label || !labelled))
      continue;
    c->alive[t] = false;
    any = true;
  }
  return any;
}

/* Which labels some participant has no jump left for. */
static void find_blocked(hysi_lint *lint, bool *blocked, uint32_t *seen, const uint32_t *part_of) {
  const hysi_network *n = lint->network;

  for (uint32_t b = 0; b < n->n_base; b++) {
    const hysi_lint_part *c = &lint->part[part_of[b]];
    uint32_t label;
    for (uint32_t t = 0; t < c->component->n_transitions; t++)
      if (c->alive[t] && shared_label(lint, c, b, t, &label))
        seen[label] = b + 1;
    for (uint32_t p = 0; p < c->component->n_params; p++) {
      const hysi_binding *k = &hysi_base(n, b)->binding[p];
      if (k->kind == HYSI_BOUND_LABEL && seen[k->index] != b + 1)
        blocked[k->index] = true;
    }
  }
}

static void strike_all(hysi_lint *lint) {
  const hysi_network *n = lint->network;
  bool *blocked = hysi_lint_alloc(lint, n->n_labels, sizeof *blocked);
  uint32_t *seen = hysi_lint_alloc(lint, n->n_labels, sizeof *seen);
  uint32_t *part_of = hysi_lint_alloc(lint, n->n_base, sizeof *part_of), most = 0;
  uint64_t round = 1;
  bool *preceded;

  for (uint32_t c = 0; c < lint->n_parts; c++) {
    const hysi_component *k = lint->part[c].component;
    if (k->n_transitions > most)
      most = k->n_transitions;
    round += (uint64_t)lint->part[c].n_bases * (k->n_params + 2 * (uint64_t)k->n_transitions);
  }
  preceded = hysi_lint_alloc(lint, most, sizeof *preceded);
  if (blocked == NULL || seen == NULL || part_of == NULL || preceded == NULL)
    return;
  /* a label of one instance alone is a command or an event: whoever gives it may have seen to it */
  for (uint32_t l = 0; l < n->n_labels; l++)
    blocked[l] = n->label[l].first_part == n->label[l].last_part;
  for (uint32_t c = 0; c < lint->n_parts; c++)
    for (uint32_t b = lint->part[c].first_base; b != HYSI_NONE; b = lint->next_base[b])
      part_of[b] = c;
  for (bool any = true; any;) {
    any = false;
    if (!hysi_lint_spend(lint, round)) {
      for (uint32_t c = 0; c < lint->n_parts; c++)
        memset(lint->part[c].alive, 0, lint->part[c].component->n_transitions * sizeof(bool));
      return;
    }
    memset(seen, 0, n->n_labels * sizeof *seen);
    find_blocked(lint, blocked, seen, part_of);
    for (uint32_t c = 0; c < lint->n_parts; c++)
      any = strike(lint, &lint->part[c], blocked, preceded) || any;
  }
}

/* ---- a cycle, for people ---- */

/* A shortest cycle through a jump, breadth first; its length, 0 if it is too long. */
static uint32_t cycle_from(const hysi_lint_part *c, uint32_t start, uint32_t *queue, uint32_t *parent,
                           uint32_t *cycle) {
  const uint32_t n = c->component->n_transitions;
  uint32_t head = 0, tail = 0, length = 0;

  for (uint32_t t = 0; t < n; t++)
    parent[t] = HYSI_NONE;
  queue[tail++] = start;
  while (head < tail) {
    const uint32_t t = queue[head++];
    for (uint32_t k = c->first[t]; k < c->first[t + 1]; k++) {
      const uint32_t u = c->successor[k];
      if (!c->alive[u] || parent[u] != HYSI_NONE)
        continue;
      parent[u] = t;
      if (u != start) {
        queue[tail++] = u;
        continue;
      }
      head = tail;
      break;
    }
  }
  if (parent[start] == HYSI_NONE)
    return 0;
  for (uint32_t t = parent[start];; t = parent[t]) {
    if (length == HYS_LINT_MAX_CYCLE)
      return 0;
    cycle[length++] = t;
    if (t == start)
      break;
  }
  for (uint32_t i = 0; i < length / 2; i++) {
    const uint32_t t = cycle[i];
    cycle[i] = cycle[length - 1 - i];
    cycle[length - 1 - i] = t;
  }
  return length;
}

static void report_cycle(hysi_lint *lint, const uint32_t *cycle, uint32_t n) {
  const hysi_component *c = lint->here->component;
  bool labelled = false, urgent = true;
  char text[300];
  size_t used = 0;

  text[0] = '\0';
  for (uint32_t i = 0; i < n; i++) {
    const hysi_transition *t = &c->transition[cycle[i]];
    int put = 0;
    labelled = labelled || (t->label != HYSI_NONE && t->label != HYSI_PRIVATE_LABEL);
    urgent = urgent && c->location[t->source].urgent;
    if (used < sizeof text)
      put = snprintf(text + used, sizeof text - used, "%s`%s' (line %u)", i == 0 ? "" : ", ",
                     c->location[t->source].name, (unsigned)t->at->line);
    used += put > 0 ? (size_t)put : 0;
  }
  /* where nothing flows, time means nothing */
  hysi_report(&lint->document,
              labelled || lint->network->flow_class == HYS_CLASS_NONE ? HYS_NOTE : HYS_WARNING,
              c->transition[cycle[0]].at,
              n == 1 ? "the jump from %s may be taken again and again %s"
                     : "the jumps from %s may follow each other again and again %s",
              text,
              urgent     ? "and no time passes in between: the locations are urgent"
              : labelled ? "in no time, as far as the model says"
                         : "in no time (a Zeno suspect)");
}

/* Whether all that the jumps ask and do is affine: otherwise what chain() finds may not be there. */
static bool is_exact(hysi_lint *lint, const uint32_t *cycle, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    const hysi_text_tree *t = &lint->here->component->transition[cycle[i]].assignment;
    if (!lint->here->guard[cycle[i]].exact || t->unknown || (t->at != NULL && t->e.n == 0))
      return false;
    for (uint32_t r = 0; r < t->n_rows; r++)
      if (hysi_lint_linear(lint, &t->e, t->row[r].rhs) == NULL)
        return false;
  }
  return true;
}

static void find_cycle(hysi_lint *lint) {
  const hysi_lint_part *c = lint->here;
  const uint32_t n = c->component->n_transitions;
  uint32_t *queue = hysi_lint_alloc(lint, n, sizeof *queue),
           *parent = hysi_lint_alloc(lint, n, sizeof *parent);
  uint32_t starts = 0;

  if (queue == NULL || parent == NULL)
    return;
  for (uint32_t t = 0; t < n && lint->status == HYS_OK; t++) {
    uint32_t twice[2 * HYS_LINT_MAX_CYCLE], length;
    if (!c->alive[t])
      continue;
    if (++starts > MOST_STARTS) {
      lint->undecided = true;
      return;
    }
    length = cycle_from(c, t, queue, parent, twice);
    memcpy(twice + length, twice, length * sizeof *twice);
    if (length == 0 || !is_exact(lint, twice, length) || !chain(lint, twice, 2 * length))
      continue;
    report_cycle(lint, twice, length);
    return; /* the first will do: the others hang together with it as a rule */
  }
}

void hysi_lint_cycles(hysi_lint *lint) {
  strike_all(lint);
  for (uint32_t c = 0; c < lint->n_parts && lint->status == HYS_OK; c++) {
    lint->here = &lint->part[c];
    find_cycle(lint);
  }
}
