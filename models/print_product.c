/* The product's locations: numbers, names, and where it may begin. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "models/print_private.h"

static const hysi_model_location *location_of(const hysi_network *n, uint32_t base, uint32_t location) {
  return &hysi_base(n, base)->component->location[location];
}

/* ---- names ---- */

static bool is_location_name(const char *name) {
  return hysi_is_name(name, strlen(name), true) && strcmp(name, "true") != 0 && strcmp(name, "false") != 0;
}

/* Names joined by `__' come apart in one way if none of them has it or could share an underscore with it. */
static bool joins_well(const char *name) {
  return strstr(name, "__") == NULL && name[0] != '_' && name[strlen(name) - 1] != '_';
}

/* Whether locations can be called after their parts alone. */
static bool names_serve(const hysi_product *p) {
  size_t longest = 0;

  for (uint32_t k = 0; k < p->n_active; k++) {
    const hysi_component *c = hysi_base(p->network, p->active[k])->component;
    size_t most = 0;
    for (uint32_t l = 0; l < c->n_locations; l++) {
      const char *name = c->location[l].name;
      if (!is_location_name(name) || (p->n_active > 1 && !joins_well(name)))
        return false;
      most = strlen(name) > most ? strlen(name) : most;
    }
    longest += most + 2;
  }
  if (p->n_active == 0)
    return is_location_name(location_of(p->network, 0, 0)->name) &&
           strlen(location_of(p->network, 0, 0)->name) < HYSI_LOCATION_NAME;
  return longest <= HYSI_LOCATION_NAME;
}

/* Appends what of a name may stand in one, as far as there is room. */
static size_t append(char *out, size_t used, size_t room, const char *name, bool verbatim) {
  for (; *name != '\0' && used + 1 < room; name++) {
    const char c = *name;
    const bool fits =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (used > 0 && c >= '0' && c <= '9');
    out[used++] = verbatim || fits ? c : '_';
  }
  return used;
}

void hysi_product_name(const hysi_product *p, const uint32_t *part, char name[HYSI_LOCATION_NAME]) {
  const size_t room = p->numbered ? HYSI_LOCATION_NAME - 24 : HYSI_LOCATION_NAME;
  size_t used = 0;

  if (p->n_active == 0)
    used = append(name, used, room, location_of(p->network, 0, 0)->name, !p->numbered);
  for (uint32_t k = 0; k < p->n_active; k++) {
    const uint32_t b = p->active[k];
    if (k > 0)
      used = append(name, used, room, "__", true);
    used = append(name, used, room, location_of(p->network, b, part[b])->name, !p->numbered);
  }
  name[used] = '\0';
  if (p->numbered)
    snprintf(name + used, HYSI_LOCATION_NAME - used, "_%" PRIu64, hysi_product_index(p, part) + 1);
}

/* ---- numbers ---- */

hys_status hysi_product_open(hysi_product *p, const hys_model *m, hys_arena *arena, hys_diagnostics *said) {
  const hysi_network *n = &m->network;
  uint64_t stride = 1;

  *p = (hysi_product){.network = n};
  if (m->broken || !m->has_network || n->n_base == 0)
    return HYS_ERR_INPUT;
  if (n->locations == UINT64_MAX || n->jumps == UINT64_MAX) {
    const hysi_document d = hysi_document_for(m, said, arena);
    hysi_report(&d, HYS_ERROR, n->system->at, "system `%s' has more than 2^53 product %s: too many to print",
                n->system->id, n->locations == UINT64_MAX ? "locations" : "jumps");
    return HYS_ERR_LIMIT;
  }
  p->active = hys_arena_alloc(arena, n->n_base, sizeof *p->active);
  p->stride = hys_arena_alloc(arena, n->n_base, sizeof *p->stride);
  if (p->active == NULL || p->stride == NULL)
    return HYS_ERR_MEMORY;
  for (uint32_t b = n->n_base; b > 0; b--) {
    const uint32_t count = hysi_base(n, b - 1)->component->n_locations;
    p->stride[b - 1] = count > 1 ? stride : 0;
    stride *= count;
  }
  for (uint32_t b = 0; b < n->n_base; b++)
    if (p->stride[b] > 0)
      p->active[p->n_active++] = b;
  p->n = n->locations;
  p->numbered = !names_serve(p);
  return HYS_OK;
}

void hysi_product_parts(const hysi_product *p, uint64_t index, uint32_t *part) {
  memset(part, 0, p->network->n_base * sizeof *part);
  for (uint32_t k = 0; k < p->n_active; k++) {
    const uint32_t b = p->active[k];
    part[b] = (uint32_t)(index / p->stride[b]);
    index %= p->stride[b];
  }
}

bool hysi_product_next(const hysi_product *p, uint32_t *part) {
  for (uint32_t k = p->n_active; k > 0; k--) {
    const uint32_t b = p->active[k - 1];
    if (++part[b] < hysi_base(p->network, b)->component->n_locations)
      return true;
    part[b] = 0;
  }
  return false;
}

uint64_t hysi_product_index(const hysi_product *p, const uint32_t *part) {
  uint64_t index = 0;

  for (uint32_t k = 0; k < p->n_active; k++)
    index += p->stride[p->active[k]] * part[p->active[k]];
  return index;
}

/* ---- where it begins ---- */

bool hysi_may_begin(const hys_model *m, uint32_t base, uint32_t location, uint8_t *scratch) {
  enum { NEVER = 1, ALWAYS = 2, PERHAPS = 3 }; /* a set of truth values: 1 false, 2 true */
  const hys_expr *e = &m->initially;

  if (e->n == 0)
    return true;
  for (uint32_t i = 0; i < e->n; i++) {
    const hys_expr_node *k = &e->node[i];
    uint8_t v = PERHAPS;
    switch ((hys_expr_op)k->op) {
    case HYS_EXPR_TRUE:
      v = ALWAYS;
      break;
    case HYS_EXPR_FALSE:
      v = NEVER;
      break;
    case HYS_EXPR_LOCATION:
      if (k->a == base)
        v = k->b == location ? ALWAYS : NEVER;
      break;
    case HYS_EXPR_NOT:
      v = (uint8_t)((scratch[k->a] >> 1) | ((scratch[k->a] & 1) << 1));
      break;
    case HYS_EXPR_AND:
      v = (uint8_t)(((scratch[k->a] | scratch[k->b]) & NEVER) | (scratch[k->a] & scratch[k->b] & ALWAYS));
      break;
    case HYS_EXPR_OR:
      v = (uint8_t)(((scratch[k->a] | scratch[k->b]) & ALWAYS) | (scratch[k->a] & scratch[k->b] & NEVER));
      break;
    default:
      break;
    }
    scratch[i] = v;
  }
  return (scratch[e->n - 1] & ALWAYS) != 0;
}
