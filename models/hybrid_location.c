/* The locations of the product, one by one: what their parts say together. */
#include <string.h>

#include "models/hybrid_private.h"

hys_status hysi_hybrid_intern(hysi_hybrid *h, const uint32_t *part, uint32_t *index) {
  const size_t bytes = h->flat.network->n_base * sizeof *part;
  hysi_product_location *grown;
  uint32_t *copy;

  *index = hysi_names_get(&h->seen, (const char *)part, bytes);
  if (*index != HYSI_NO_NAME)
    return HYS_OK;
  copy = hys_arena_alloc(h->arena, h->flat.network->n_base, sizeof *copy);
  grown = hysi_grow(h->arena, h->location, h->n_locations, &h->locations_capacity, sizeof *grown);
  if (grown != NULL)
    h->location = grown;
  if (copy == NULL || grown == NULL)
    return HYS_ERR_MEMORY;
  memcpy(copy, part, bytes);
  if (!hysi_names_set(&h->seen, (const char *)copy, bytes, h->n_locations))
    return HYS_ERR_MEMORY;
  grown[h->n_locations] = (hysi_product_location){.part = copy};
  *index = h->n_locations++;
  return HYS_OK;
}

typedef struct making {
  hysi_hybrid *h;
  hys_hybrid_location *out;
  hysi_stay **place; /* one a base instance */
  hys_rate *rate;
  hysi_condition_list invariant;
  hysi_definitions definitions;
  hys_status status; /* why it cannot be made */
} making;

static const hys_expr_node zero = {.op = HYS_EXPR_CONSTANT};

static hys_rate at_rest(void) {
  return (hys_rate){.motion = HYS_MOTION_FLOW, .affine = true, .value = {&zero, 1}};
}

static hys_status find_places(making *m) {
  const hysi_network *net = m->h->flat.network;

  m->place = hys_arena_alloc(m->h->arena, net->n_base, sizeof(hysi_stay *));
  if (m->place == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t b = 0; b < net->n_base; b++) {
    const hys_status status = hysi_hybrid_stay(m->h, b, m->out->part[b], &m->place[b]);
    if (status != HYS_OK)
      return status;
    if (m->place[b]->status != HYS_OK)
      m->status = m->place[b]->status;
    m->out->loose = m->out->loose || m->place[b]->loose;
    m->out->urgent = m->out->urgent || hysi_base(net, b)->component->location[m->out->part[b]].urgent;
  }
  return HYS_OK;
}

/* Who moves how, before equations define anything. */
static void set_motions(making *m) {
  hysi_hybrid *h = m->h;

  for (uint32_t b = 0; b < h->flat.network->n_base; b++) {
    for (uint32_t k = 0; k < m->place[b]->n_flows; k++) {
      const hysi_bound *f = &m->place[b]->flow[k];
      hys_rate *rate = &m->rate[f->variable];
      if (rate->motion == HYS_MOTION_FLOW) {
        const hysi_instance *i = hysi_base(h->flat.network, b);
        const hysi_formula text = {&i->component->location[m->out->part[b]].flow.e, i, h->flat.document.file};
        hysi_refuse(&h->flat, HYS_ERR_UNSUPPORTED, &text, f->bounds.node,
                    "a second flow of `%s' in location `%s'", h->face.variable[f->variable], m->out->name);
      }
      *rate = (hys_rate){.motion = HYS_MOTION_FLOW, .line = f->bounds.line};
    }
  }
  for (size_t v = 0; v < h->face.n;
       v++) /* without time there is no change, but inputs are not of this world */
    if (h->at_rest[v] || (m->out->urgent && m->rate[v].motion == HYS_MOTION_FREE && !h->face.input[v]))
      m->rate[v] = at_rest();
}

static hys_status join_invariants(making *m) {
  const hysi_network *net = m->h->flat.network;
  hys_conditions all = {NULL, 0};
  bool equations = false;
  uint32_t speaking = 0;
  hys_status status;

  for (uint32_t b = 0; b < net->n_base; b++) {
    const hysi_condition_list *own = &m->place[b]->invariant;
    all.n += own->n;
    speaking = own->n > 0 ? b : speaking;
    for (uint32_t k = 0; k < own->n; k++)
      equations = equations || own->item[k].relation == HYS_RELATION_EQ;
  }
  if (all.n == m->place[speaking]->invariant.n && !equations) { /* only one says anything */
    m->out->invariant = (hys_conditions){m->place[speaking]->invariant.item, all.n};
    return HYS_OK;
  }
  m->invariant.item = hys_arena_alloc(m->h->arena, all.n, sizeof *m->invariant.item);
  if (m->invariant.item == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t b = 0; b < net->n_base; b++) {
    const hysi_condition_list *own = &m->place[b]->invariant;
    if (own->n > 0)
      memcpy(m->invariant.item + m->invariant.n, own->item, own->n * sizeof *own->item);
    m->invariant.n += own->n;
  }
  if (equations) {
    m->definitions.of = hys_arena_alloc(m->h->arena, m->h->face.n, sizeof *m->definitions.of);
    if (m->definitions.of == NULL)
      return HYS_ERR_MEMORY;
    status = hysi_hybrid_find_definitions(m->h, &m->invariant, m->rate, &m->definitions);
    if (status != HYS_OK)
      return status;
  }
  all = (hys_conditions){m->invariant.item, m->invariant.n};
  m->out->invariant = all;
  return m->definitions.n > 0 ? hysi_hybrid_define_conditions(m->h, &m->definitions, &all, &m->out->invariant)
                              : HYS_OK;
}

static hys_status set_rates(making *m) {
  hysi_hybrid *h = m->h;
  hys_status status = HYS_OK;

  for (uint32_t b = 0; b < h->flat.network->n_base; b++) {
    for (uint32_t k = 0; k < m->place[b]->n_flows && status == HYS_OK; k++) {
      hysi_bound *f = &m->place[b]->flow[k];
      const hysi_instance *inst = hysi_base(h->flat.network, b);
      const hysi_formula text = {&inst->component->location[m->out->part[b]].flow.e, inst,
                                 h->flat.document.file};
      hys_rate *rate = &m->rate[f->variable];
      hysi_inclusion i;
      status = hysi_hybrid_included(h, f, &text, &m->definitions, &i);
      rate->affine = i.affine;
      rate->row = i.row;
      rate->value = i.value;
      rate->slack = i.slack;
    }
  }
  for (uint32_t k = 0; k < m->definitions.n && status == HYS_OK; k++) {
    const uint32_t v = m->definitions.defined[k];
    m->rate[v].value = m->definitions.of[v];
    status = hysi_hybrid_row(h, &m->rate[v].value, &m->rate[v].row, &m->rate[v].affine);
  }
  return status;
}

static hys_status make(making *m) {
  hysi_hybrid *h = m->h;
  hys_status status, jumps = HYS_OK;

  m->out->name = hysi_location_name(h->flat.network, m->out->part, h->arena);
  m->rate = hys_arena_alloc(h->arena, h->face.n, sizeof *m->rate);
  if (m->out->name == NULL || m->rate == NULL)
    return HYS_ERR_MEMORY;
  m->out->rate = m->rate;
  status = find_places(m);
  if (status != HYS_OK || m->status != HYS_OK)
    return status;
  h->flat.status = HYS_OK;
  set_motions(m);
  status = join_invariants(m);
  if (status == HYS_OK)
    status = set_rates(m);
  m->status = h->flat.status;
  if (status == HYS_OK)
    status = hysi_hybrid_jumps(h, m->out->part, &m->definitions, m->out, &jumps);
  if (m->status == HYS_OK)
    m->status = jumps;
  return status;
}

hys_status hysi_hybrid_make(hysi_hybrid *h, uint32_t index) {
  making m = {.h = h, .out = hys_arena_alloc(h->arena, 1, sizeof *m.out)};
  hys_status status;

  if (m.out == NULL)
    return HYS_ERR_MEMORY;
  m.out->part = h->location[index].part;
  status = make(&m);
  if (status == HYS_OK)
    status = m.status;
  if (status == HYS_OK)
    h->location[index].made = m.out;
  else if (status != HYS_ERR_MEMORY)
    h->location[index].status = status;
  return status;
}
