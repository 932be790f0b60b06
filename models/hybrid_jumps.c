/* Transitions taken together, and the jumps of a location of the product. */
#include <stdlib.h>
#include <string.h>

#include "models/hybrid_private.h"

/* ---- transitions taken together ---- */

static const hysi_transition *transition_of(const hysi_hybrid *h, hysi_choice c) {
  return &hysi_base(h->flat.network, c.base)->component->transition[c.transition];
}

static hys_reset as_reset(const hysi_bound *b, const hysi_inclusion *i) {
  if (b->bounds.equal && i->value.n == 1 && i->value.node[0].op == HYS_EXPR_VARIABLE &&
      i->value.node[0].a == b->variable) /* x' == x */
    return (hys_reset){.kind = HYS_RESET_KEEP};
  return (hys_reset){
      .kind = HYS_RESET_ASSIGN, .affine = i->affine, .row = i->row, .value = i->value, .slack = i->slack};
}

/* The same assignment in two components is no conflict. */
static bool agree(const hysi_bound *a, const hysi_bound *b) {
  return a->bounds.equal && b->bounds.equal && hysi_hybrid_same(&a->bounds.lower, &b->bounds.lower);
}

/* An assignment that cannot be. */
static void check_reset(hysi_hybrid *h, hysi_choice c, const hysi_bound *b, const hysi_bound *before) {
  const hysi_instance *i = hysi_base(h->flat.network, c.base);
  const hysi_transition *t = transition_of(h, c);
  const hysi_formula f = {.e = &t->assignment.e, .instance = i, .file = h->flat.document.file};
  const char *name = h->face.variable[b->variable];
  bool controls = !h->flat.network->variable[h->variable_of[b->variable]].controlled;

  for (uint32_t r = 0; r < t->assignment.n_rows && !controls; r++) {
    const uint32_t p = t->assignment.row[r].param, v = hysi_variable_of(i, p);
    controls = v == h->variable_of[b->variable] && i->component->param[p].controlled;
  }
  if (before != NULL && !agree(before, b))
    hysi_refuse(&h->flat, HYS_ERR_UNSUPPORTED, &f, b->bounds.node,
                "`%s' is assigned by two instances in one jump", name);
  else if (!controls)
    hysi_refuse(&h->flat, HYS_ERR_UNSUPPORTED, &f, b->bounds.node,
                "`%s' is assigned by a component that does not control it", name);
}

static hysi_move *move_of(const hysi_hybrid *h, hysi_choice c) {
  return &h->move[c.base][c.transition];
}

/* What the participants assign, as long as nothing is defined. */
static hys_status assign(hysi_hybrid *h, hysi_joint *j, hys_reset *reset) {
  const hysi_bound **by = hys_arena_alloc(h->arena, h->face.n, sizeof *by);

  if (by == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t k = 0; k < j->n; k++) {
    const hysi_move *m = move_of(h, j->choice[k]);
    for (uint32_t r = 0; r < m->n_resets; r++) {
      const hysi_bound *b = &m->reset[r];
      check_reset(h, j->choice[k], b, by[b->variable]);
      by[b->variable] = b;
      j->tied = j->tied || b->inclusion.value.n == 0;
      reset[b->variable] = as_reset(b, &b->inclusion);
    }
  }
  return HYS_OK;
}

/* Every alternative of each participant's guard with every one of the others'. */
static hys_status join_guards(hysi_hybrid *h, hysi_joint *j) {
  const hysi_move **move = hys_arena_alloc(h->arena, j->n, sizeof *move);
  uint32_t *turn = hys_arena_alloc(h->arena, j->n, sizeof *turn);
  hys_conditions *guard;
  uint64_t ways = 1;

  if (move == NULL || turn == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t k = 0; k < j->n; k++) {
    move[k] = move_of(h, j->choice[k]);
    ways = ways <= HYS_MAX_PRODUCT_JUMPS ? ways * move[k]->n_guards : ways;
  }
  for (uint32_t k = 0; k < j->n; k++)
    ways = move[k]->n_guards == 0 ? 0 : ways;
  if (ways > HYS_MAX_PRODUCT_JUMPS) {
    hysi_report(&h->flat.document, HYS_ERROR, transition_of(h, j->choice[0])->at,
                "the guards of this jump have more than %d alternatives together (HYS_MAX_PRODUCT_JUMPS)",
                HYS_MAX_PRODUCT_JUMPS);
    h->flat.status = HYS_ERR_LIMIT;
    return HYS_OK;
  }
  guard = hys_arena_alloc(h->arena, (size_t)ways, sizeof *guard);
  if (guard == NULL)
    return HYS_ERR_MEMORY;
  j->guard = guard;
  j->n_guards = (uint32_t)ways;
  for (uint32_t w = 0; w < j->n_guards; w++) {
    hys_condition *c;
    uint32_t n = 0, last = 0;
    for (uint32_t k = 0; k < j->n; k++) {
      n += move[k]->guard[turn[k]].n;
      last = move[k]->guard[turn[k]].n > 0 ? k : last;
    }
    if (move[last]->guard[turn[last]].n == n) { /* only one says anything */
      guard[w] = move[last]->guard[turn[last]];
    } else {
      c = hys_arena_alloc(h->arena, n, sizeof *c);
      if (c == NULL)
        return HYS_ERR_MEMORY;
      guard[w] = (hys_conditions){c, n};
      for (uint32_t k = 0; k < j->n; k++) {
        const hys_conditions *own = &move[k]->guard[turn[k]];
        if (own->n > 0)
          memcpy(c, own->condition, own->n * sizeof *c);
        c += own->n;
      }
    }
    for (uint32_t k = j->n; k > 0 && ++turn[k - 1] == move[k - 1]->n_guards; k--)
      turn[k - 1] = 0; /* the last one turns fastest */
  }
  return HYS_OK;
}

/* choice is kept. */
static hys_status make_joint(hysi_hybrid *h, const hysi_choice *choice, uint32_t n, uint32_t label,
                             hysi_joint *j) {
  bool assigns = false;
  hys_reset *reset;
  hys_status status;

  *j = (hysi_joint){.choice = choice,
                    .n = n,
                    .label = label == HYSI_NONE ? HYS_NO_LABEL : (int32_t)label,
                    .line = transition_of(h, choice[0])->at->line,
                    .reset = h->idle};
  for (uint32_t k = 0; k < n; k++) {
    hysi_move *m;
    status = hysi_hybrid_move(h, choice[k].base, choice[k].transition, &m);
    if (status != HYS_OK)
      return status;
    assigns = assigns || m->n_resets > 0;
    j->must = j->must || transition_of(h, choice[k])->asap;
    if (m->status != HYS_OK)
      j->status = m->status;
  }
  if (j->status != HYS_OK)
    return HYS_OK;
  h->flat.status = HYS_OK;
  status = join_guards(h, j);
  if (status == HYS_OK && assigns) {
    reset = hys_arena_alloc(h->arena, h->face.n, sizeof *reset);
    if (reset == NULL)
      return HYS_ERR_MEMORY;
    memcpy(reset, h->idle, h->face.n * sizeof *reset);
    j->reset = reset;
    status = assign(h, j, reset);
  }
  j->status = h->flat.status;
  return status;
}

static hys_status find_joint(hysi_hybrid *h, const hysi_choice *choice, uint32_t n, uint32_t label,
                             uint32_t *out) {
  const size_t bytes = n * sizeof *choice;
  hysi_choice *kept;
  hysi_joint *grown;
  hys_status status;

  *out = hysi_names_get(&h->joint_of, (const char *)choice, bytes);
  if (*out != HYSI_NO_NAME)
    return HYS_OK;
  kept = hys_arena_alloc(h->arena, n, sizeof *kept);
  grown = hysi_grow(h->arena, h->joint, h->n_joints, &h->joints_capacity, sizeof *grown);
  if (grown != NULL)
    h->joint = grown;
  if (kept == NULL || grown == NULL)
    return HYS_ERR_MEMORY;
  memcpy(kept, choice, bytes);
  status = make_joint(h, kept, n, label, &h->joint[h->n_joints]);
  if (status != HYS_OK)
    return status;
  if (!hysi_names_set(&h->joint_of, (const char *)kept, bytes, h->n_joints))
    return HYS_ERR_MEMORY;
  *out = h->n_joints++;
  return HYS_OK;
}

/* ---- jumps of a location ---- */

typedef struct leaving {
  hys_hybrid_jump jump;
  uint32_t serial;
} leaving;

typedef struct jumps {
  hysi_hybrid *h;
  const uint32_t *part;
  const hysi_definitions *d;
  leaving *item;
  uint32_t n, capacity;
  hys_status status;
} jumps;

/* A jump keeps a variable that an equation defined: it is the value of the equation. */
static bool keeps_defined(const hysi_hybrid *h, const hysi_definitions *d) {
  for (uint32_t i = 0; i < d->n; i++)
    if (h->idle[d->defined[i]].kind == HYS_RESET_KEEP)
      return true;
  return false;
}

static bool joint_speaks_of(const hysi_hybrid *h, const hysi_joint *j, const hysi_definitions *d) {
  for (uint32_t k = 0; k < j->n; k++) {
    const hysi_move *m = move_of(h, j->choice[k]);
    for (uint32_t r = 0; r < m->n_resets; r++)
      if (hysi_hybrid_speaks_of(&m->reset[r].inclusion.value, d))
        return true;
  }
  return false;
}

/* The resets of a joint in a location where d defines something (or nothing). */
static hys_status define_resets(hysi_hybrid *h, const hysi_joint *j, const hysi_definitions *d,
                                const hys_reset **out) {
  hys_reset *reset;
  hys_status status = HYS_OK;

  *out = j->reset;
  if (!j->tied && !joint_speaks_of(h, j, d) && !keeps_defined(h, d))
    return HYS_OK;
  reset = hys_arena_alloc(h->arena, h->face.n, sizeof *reset);
  if (reset == NULL)
    return HYS_ERR_MEMORY;
  *out = reset;
  memcpy(reset, h->idle, h->face.n * sizeof *reset);
  for (uint32_t k = 0; k < j->n; k++) {
    const hysi_formula f = {&transition_of(h, j->choice[k])->assignment.e,
                            hysi_base(h->flat.network, j->choice[k].base), h->flat.document.file};
    const hysi_move *m = move_of(h, j->choice[k]);
    for (uint32_t r = 0; r < m->n_resets && status == HYS_OK; r++) {
      hysi_bound *b = &m->reset[r];
      hysi_inclusion i;
      status = hysi_hybrid_included(h, b, &f, d, &i);
      reset[b->variable] = as_reset(b, &i);
    }
  }
  for (uint32_t i = 0; i < d->n && status == HYS_OK; i++) {
    hys_reset *r = &reset[d->defined[i]];
    if (r->kind != HYS_RESET_KEEP)
      continue;
    *r = (hys_reset){.kind = HYS_RESET_ASSIGN, .value = d->of[d->defined[i]]};
    status = hysi_hybrid_row(h, &r->value, &r->row, &r->affine);
  }
  return status;
}

/* The jumps that a joint is, one an alternative of its guard. */
static hys_status add_joint(jumps *js, const hysi_choice *choice, uint32_t n, uint32_t label) {
  hysi_hybrid *h = js->h;
  const hysi_joint *j;
  const hys_reset *reset = NULL;
  uint32_t at, target;
  hys_status status = find_joint(h, choice, n, label, &at);

  if (status != HYS_OK)
    return status;
  j = &h->joint[at];
  if (j->status != HYS_OK) {
    js->status = j->status;
    return HYS_OK;
  }
  if (j->n_guards == 0)
    return HYS_OK;
  memcpy(h->part, js->part, h->flat.network->n_base * sizeof *h->part);
  for (uint32_t k = 0; k < n; k++)
    h->part[choice[k].base] = transition_of(h, choice[k])->target;
  status = hysi_hybrid_intern(h, h->part, &target);
  h->flat.status = HYS_OK;
  if (status == HYS_OK)
    status = define_resets(h, j, js->d, &reset);
  if (h->flat.status != HYS_OK)
    js->status = h->flat.status;
  for (uint32_t g = 0; g < j->n_guards && status == HYS_OK; g++) {
    leaving *grown = hysi_grow(h->arena, js->item, js->n, &js->capacity, sizeof *grown);
    if (grown == NULL)
      return HYS_ERR_MEMORY;
    js->item = grown;
    grown[js->n] = (leaving){.jump = {.target = target,
                                      .label = j->label,
                                      .must = j->must,
                                      .guard = j->guard[g],
                                      .reset = reset,
                                      .line = j->line},
                             .serial = js->n};
    if (js->d->n > 0)
      status = hysi_hybrid_define_conditions(h, js->d, &j->guard[g], &grown[js->n].jump.guard);
    js->n++;
  }
  if (js->n > HYS_MAX_PRODUCT_JUMPS) {
    hysi_report(&h->flat.document, HYS_ERROR, h->flat.network->system->at,
                "more than %d jumps leave one location of the product (HYS_MAX_PRODUCT_JUMPS)",
                HYS_MAX_PRODUCT_JUMPS);
    js->status = HYS_ERR_LIMIT;
  }
  return status;
}

/* The label that a transition shares with others; HYSI_NONE. */
static uint32_t shared_label(const hysi_instance *i, uint32_t transition) {
  const uint32_t own = i->component->transition[transition].label;

  return own == HYSI_NONE || own == HYSI_PRIVATE_LABEL ? HYSI_NONE : i->binding[own].index;
}

static const hysi_exits *exits_of(const hysi_hybrid *h, uint32_t base) {
  return &h->exits[hysi_base(h->flat.network, base)->component - h->flat.model->document.component];
}

/* The next transition of an instance, from the exit numbered *at on, that has a label.  false: none. */
static bool next_with(const jumps *js, uint32_t base, uint32_t label, uint32_t *at, uint32_t *transition) {
  const hysi_exits *x = exits_of(js->h, base);
  const hysi_instance *i = hysi_base(js->h->flat.network, base);

  for (uint32_t end = x->first[js->part[base] + 1]; *at < end; ++*at) {
    *transition = x->transition[*at];
    if (shared_label(i, *transition) == label)
      return true;
  }
  return false;
}

/* All ways in which the participants of a label can take it together. */
static hys_status add_shared(jumps *js, uint32_t label) {
  hysi_hybrid *h = js->h;
  const hysi_network *net = h->flat.network;
  uint32_t n = 0;

  for (uint32_t k = net->label[label].first_part; k != HYSI_NONE; k = net->part[k].next) {
    const uint32_t b = net->part[k].base;
    h->choice[n].base = b;
    h->turn[n] = exits_of(h, b)->first[js->part[b]];
    if (!next_with(js, b, label, &h->turn[n], &h->choice[n].transition))
      return HYS_OK;
    n++;
  }
  while (n > 0 && js->status != HYS_ERR_LIMIT) {
    uint32_t k = n;
    const hys_status status = add_joint(js, h->choice, n, label);
    if (status != HYS_OK)
      return status;
    for (; k > 0; k--) { /* the last participant turns fastest */
      const uint32_t b = h->choice[k - 1].base;
      h->turn[k - 1]++;
      if (next_with(js, b, label, &h->turn[k - 1], &h->choice[k - 1].transition))
        break;
      h->turn[k - 1] = exits_of(h, b)->first[js->part[b]];
      (void)next_with(js, b, label, &h->turn[k - 1], &h->choice[k - 1].transition);
    }
    if (k == 0)
      break;
  }
  return HYS_OK;
}

static int by_number(const void *a, const void *b) {
  const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;

  return p < q ? -1 : p > q;
}

/* In the order of the file. */
static int by_line(const void *a, const void *b) {
  const leaving *p = a, *q = b;

  if (p->jump.line != q->jump.line)
    return p->jump.line < q->jump.line ? -1 : 1;
  return p->serial < q->serial ? -1 : 1;
}

/* Jumps that one instance takes alone; the labels whose first participant could take them. */
static hys_status add_lone(jumps *js, uint32_t **label, uint32_t *n_labels) {
  const hysi_network *net = js->h->flat.network;
  uint32_t capacity = 0;

  *label = NULL;
  *n_labels = 0;
  for (uint32_t b = 0; b < net->n_base; b++) {
    const hysi_exits *x = exits_of(js->h, b);
    for (uint32_t k = x->first[js->part[b]]; k < x->first[js->part[b] + 1]; k++) {
      const uint32_t l = shared_label(hysi_base(net, b), x->transition[k]);
      if (l == HYSI_NONE) {
        const hysi_choice alone = {b, x->transition[k]};
        const hys_status status = add_joint(js, &alone, 1, HYSI_NONE);
        if (status != HYS_OK)
          return status;
      } else if (net->part[net->label[l].first_part].base == b) {
        *label = hysi_grow(js->h->arena, *label, *n_labels, &capacity, sizeof **label);
        if (*label == NULL)
          return HYS_ERR_MEMORY;
        (*label)[(*n_labels)++] = l;
      }
    }
  }
  if (*n_labels > 1)
    qsort(*label, *n_labels, sizeof **label, by_number);
  return HYS_OK;
}

hys_status hysi_hybrid_jumps(hysi_hybrid *h, const uint32_t *part, const hysi_definitions *d,
                             hys_hybrid_location *out, hys_status *why) {
  jumps js = {.h = h, .part = part, .d = d};
  uint32_t *label, n_labels;
  hys_hybrid_jump *jump;
  hys_status status = add_lone(&js, &label, &n_labels);

  for (uint32_t k = 0; k < n_labels && status == HYS_OK && js.status != HYS_ERR_LIMIT; k++)
    if (k == 0 || label[k] != label[k - 1])
      status = add_shared(&js, label[k]);
  *why = js.status;
  if (status != HYS_OK || js.status != HYS_OK)
    return status;
  if (js.n > 1)
    qsort(js.item, js.n, sizeof *js.item, by_line);
  jump = hys_arena_alloc(h->arena, js.n, sizeof *jump);
  if (jump == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t i = 0; i < js.n; i++)
    jump[i] = js.item[i].jump;
  out->jump = jump;
  out->n_jumps = js.n;
  return HYS_OK;
}
