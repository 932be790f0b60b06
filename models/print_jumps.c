/* Transitions by what they synchronise on, and whether one component can say what several say together. */
#include <string.h>

#include "models/print_private.h"

static bool is_shared(const hysi_instance *i, const hysi_transition *t) {
  return t->label != HYSI_NONE && t->label != HYSI_PRIVATE_LABEL &&
         i->binding[t->label].kind == HYSI_BOUND_LABEL;
}

/* Places to put numbers to, from counts in from[k + 1]. */
static uint32_t *places(uint32_t *from, uint32_t n, hys_arena *arena) {
  for (uint32_t k = 0; k < n; k++)
    from[k + 1] += from[k];
  return hys_arena_alloc(arena, from[n], sizeof *from);
}

/* The part of each label that an instance has, from the labels' lists: parts by instance, and their labels.
 */
typedef struct inverse {
  uint32_t *first, *next; /* per instance, per part */
  uint32_t *label;        /* per part */
  uint32_t *part_of;      /* per label: of the instance at hand */
} inverse;

static hys_status invert(const hysi_network *n, hys_arena *arena, inverse *v) {
  v->first = hys_arena_alloc(arena, n->n_base, sizeof *v->first);
  v->next = hys_arena_alloc(arena, n->n_parts, sizeof *v->next);
  v->label = hys_arena_alloc(arena, n->n_parts, sizeof *v->label);
  v->part_of = hys_arena_alloc(arena, n->n_labels, sizeof *v->part_of);
  if (v->first == NULL || v->next == NULL || v->label == NULL || v->part_of == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t b = 0; b < n->n_base; b++)
    v->first[b] = HYSI_NONE;
  for (uint32_t l = 0; l < n->n_labels; l++) {
    for (uint32_t p = n->label[l].first_part; p != HYSI_NONE; p = n->part[p].next) {
      v->label[p] = l;
      v->next[p] = v->first[n->part[p].base];
      v->first[n->part[p].base] = p;
    }
  }
  return HYS_OK;
}

hys_status hysi_jumps_open(hysi_jumps *j, const hysi_network *n, hys_arena *arena) {
  inverse v;
  uint32_t *next;
  hys_status status = invert(n, arena, &v);

  *j = (hysi_jumps){.network = n};
  j->alone_from = hys_arena_alloc(arena, (size_t)n->n_base + 1, sizeof *j->alone_from);
  j->shared_from = hys_arena_alloc(arena, (size_t)n->n_parts + 1, sizeof *j->shared_from);
  next = hys_arena_alloc(arena, n->n_parts, sizeof *next);
  if (status != HYS_OK || j->alone_from == NULL || j->shared_from == NULL || next == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t p = 0; p < n->n_parts; p++)
    j->shared_from[p + 1] = n->part[p].transitions;
  for (uint32_t b = 0; b < n->n_base; b++) {
    const hysi_component *c = hysi_base(n, b)->component;
    for (uint32_t t = 0; t < c->n_transitions; t++)
      j->alone_from[b + 1] += !is_shared(hysi_base(n, b), &c->transition[t]);
  }
  j->alone = places(j->alone_from, n->n_base, arena);
  j->shared = places(j->shared_from, n->n_parts, arena);
  if (j->alone == NULL || j->shared == NULL)
    return HYS_ERR_MEMORY;
  memcpy(next, j->shared_from, n->n_parts * sizeof *next);
  for (uint32_t b = 0; b < n->n_base; b++) {
    const hysi_instance *i = hysi_base(n, b);
    uint32_t at = j->alone_from[b];
    for (uint32_t p = v.first[b]; p != HYSI_NONE; p = v.next[p])
      v.part_of[v.label[p]] = p;
    for (uint32_t t = 0; t < i->component->n_transitions; t++) {
      const hysi_transition *x = &i->component->transition[t];
      if (is_shared(i, x))
        j->shared[next[v.part_of[i->binding[x->label].index]]++] = t;
      else
        j->alone[at++] = t;
    }
  }
  return HYS_OK;
}

/* ---- what one component can say ---- */

/* What has been said of a variable since a mark. */
typedef struct said {
  uint32_t since; /* serial number; older: nothing */
  uint32_t base;  /* who was the first */
  bool equation;
} said;

typedef struct checking {
  const hysi_document *document;
  said *of;           /* per variable: in all of a jump, or a location */
  said *within;       /* in one transition */
  uint32_t *reported; /* per variable: said once */
  uint32_t serial;
  bool good;
} checking;

/* Takes a row; false: something was said of the variable with which it cannot stand. */
static bool take(said *s, uint32_t serial, uint32_t base, bool equation, bool own_too) {
  if (s->since != serial) {
    *s = (said){serial, base, equation};
    return true;
  }
  if ((s->equation || equation) && (own_too || s->base != base))
    return false;
  s->equation = s->equation || equation;
  return true;
}

static void check_rows(checking *c, const hysi_network *n, uint32_t base, const hysi_text_tree *t,
                       uint32_t jump, const char *complaint) {
  const hysi_instance *i = hysi_base(n, base);

  c->serial++;
  for (uint32_t r = 0; r < t->n_rows; r++) {
    const uint32_t v = hysi_variable_of(i, t->row[r].param);
    const bool equation = t->row[r].op == HYS_EXPR_EQ;
    if (v == HYSI_NONE)
      continue;
    const bool fits = take(&c->within[v], c->serial, base, equation, true) &&
                      (jump == 0 || take(&c->of[v], jump, base, equation, false));
    if (fits || c->reported[v] != 0)
      continue;
    c->reported[v] = 1;
    c->good = false;
    hysi_report_node(c->document, HYS_ERROR, &t->e.node[t->row[r].node],
                     "`%s' %s: one component cannot say that", n->variable[v].name, complaint);
  }
}

hys_status hysi_jumps_check(const hysi_jumps *j, const hysi_document *document, bool *good) {
  static const char assigned[] = "is assigned twice in one jump, by two instances or under two names";
  const hysi_network *n = j->network;
  checking c = {.document = document, .good = true};

  c.of = hys_arena_alloc(document->arena, n->n_variables, sizeof *c.of);
  c.within = hys_arena_alloc(document->arena, n->n_variables, sizeof *c.within);
  c.reported = hys_arena_alloc(document->arena, n->n_variables, sizeof *c.reported);
  if (c.of == NULL || c.within == NULL || c.reported == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t b = 0; b < n->n_base; b++) {
    const hysi_instance *i = hysi_base(n, b);
    for (uint32_t l = 0; l < i->component->n_locations; l++)
      check_rows(&c, n, b, &i->component->location[l].flow, 0, "has a second flow in one location");
    for (uint32_t k = j->alone_from[b]; k < j->alone_from[b + 1]; k++)
      check_rows(&c, n, b, &i->component->transition[j->alone[k]].assignment, 0, assigned);
  }
  for (uint32_t l = 0; l < n->n_labels; l++) {
    bool possible = true; /* someone may have no transition for it: nothing happens then */
    for (uint32_t p = n->label[l].first_part; p != HYSI_NONE; p = n->part[p].next)
      possible = possible && n->part[p].transitions > 0;
    for (uint32_t p = n->label[l].first_part; possible && p != HYSI_NONE; p = n->part[p].next) {
      const hysi_instance *i = hysi_base(n, n->part[p].base);
      for (uint32_t k = j->shared_from[p]; k < j->shared_from[p + 1]; k++)
        check_rows(&c, n, n->part[p].base, &i->component->transition[j->shared[k]].assignment, l + 1,
                   assigned);
    }
  }
  *good = c.good;
  return HYS_OK;
}
