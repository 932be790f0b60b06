/* Runs the families of warnings over a model. */
#include "models/lint.h"

#include <string.h>

#include "models/flatten.h"
#include "models/lint_private.h"

/* Of linear programs, in columns^2 rows: about fifty milliseconds. */
static const uint64_t most_work = 200000;
/* Of everything else that may grow faster than the model. */
static const uint64_t most_steps = 5000000;

/* ---- memory ---- */

struct hysi_lint_block {
  fmpq *number;
  size_t n;
  hysi_lint_block *next;
};

void *hysi_lint_alloc(hysi_lint *lint, size_t n, size_t size) {
  void *memory = hys_arena_alloc(lint->arena, n, size);
  if (memory == NULL)
    lint->status = HYS_ERR_MEMORY;
  return memory;
}

bool hysi_lint_spend(hysi_lint *lint, uint64_t steps) {
  if (steps > lint->steps) {
    lint->undecided = true;
    return false;
  }
  lint->steps -= steps;
  return lint->status == HYS_OK;
}

fmpq *hysi_lint_numbers(hysi_lint *lint, size_t n) {
  hysi_lint_block *block = hysi_lint_alloc(lint, 1, sizeof *block);
  fmpq *number = hysi_lint_alloc(lint, n, sizeof *number);

  if (block == NULL || number == NULL)
    return NULL;
  for (size_t i = 0; i < n; i++)
    fmpq_init(number + i);
  *block = (hysi_lint_block){.number = number, .n = n, .next = lint->block};
  lint->block = block;
  return number;
}

static void release_numbers(hysi_lint_block *block) {
  for (hysi_lint_block *b = block; b != NULL; b = b->next)
    for (size_t i = 0; i < b->n; i++)
      fmpq_clear(b->number + i);
}

bool hysi_lint_begin(hysi_lint *lint) {
  hys_arena *passing = lint->status == HYS_OK ? hys_arena_create(NULL) : NULL;

  if (passing == NULL) {
    lint->status = lint->status == HYS_OK ? HYS_ERR_MEMORY : lint->status;
    return false;
  }
  lint->lasting = lint->arena;
  lint->lasting_block = lint->block;
  lint->arena = passing;
  lint->block = NULL;
  return true;
}

void hysi_lint_end(hysi_lint *lint) {
  release_numbers(lint->block);
  hys_arena_destroy(lint->arena);
  lint->arena = lint->lasting;
  lint->block = lint->lasting_block;
  lint->lasting = NULL;
}

/* ---- components ---- */

/* Groups the instances by component. */
static void find_parts(hysi_lint *lint) {
  const hysi_network *n = lint->network;
  const size_t components = lint->model->document.n_components;
  uint32_t *index = hysi_lint_alloc(lint, components, sizeof *index);

  lint->part = hysi_lint_alloc(lint, components, sizeof *lint->part);
  lint->next_base = hysi_lint_alloc(lint, n->n_base, sizeof *lint->next_base);
  if (lint->part == NULL || lint->next_base == NULL || index == NULL)
    return;
  /* backwards, so that each list is in the order of the instances */
  for (uint32_t b = n->n_base; b > 0; b--) {
    const hysi_component *c = hysi_base(n, b - 1)->component;
    uint32_t *i = &index[c - lint->model->document.component];
    if (*i == 0) {
      lint->part[lint->n_parts] = (hysi_lint_part){.component = c, .first_base = HYSI_NONE};
      *i = ++lint->n_parts;
    }
    lint->next_base[b - 1] = lint->part[*i - 1].first_base;
    lint->part[*i - 1].first_base = b - 1;
    lint->part[*i - 1].n_bases++;
  }
}

/* What one instance says of a parameter. */
static void see(hysi_lint *lint, uint32_t base, uint32_t p, hysi_lint_param *out, hys_interval *value) {
  const hysi_binding *b = &hysi_base(lint->network, base)->binding[p];
  const hysi_variable *v = b->kind == HYSI_BOUND_VARIABLE ? &lint->network->variable[b->index] : NULL;
  const bool owned = hysi_base(lint->network, base)->component->param[p].controlled;

  *out = (hysi_lint_param){0};
  *value = hys_interval_entire();
  if (b->kind == HYSI_BOUND_NUMBER || (v != NULL && v->role == HYS_ROLE_CONSTANT)) {
    out->rest = true;
    out->number = b->kind == HYSI_BOUND_NUMBER || lint->known[b->index];
    if (out->number)
      *value = b->kind == HYSI_BOUND_NUMBER ? b->value : lint->constant[b->index];
  } else if (v != NULL) {
    out->kept_alone = v->role == HYS_ROLE_STATE && lint->controllers[b->index] > 0;
    out->kept = out->kept_alone && owned && lint->controllers[b->index] == 1;
    out->flows_here = v->flow_in == base;
  }
}

static void find_params(hysi_lint *lint, hysi_lint_part *part) {
  const hysi_component *c = part->component;

  part->param = hysi_lint_alloc(lint, c->n_params, sizeof *part->param);
  for (uint32_t p = 0; part->param != NULL && p < c->n_params && lint->status == HYS_OK; p++) {
    hysi_lint_param *all = &part->param[p];
    hys_interval value, hull = hys_interval_empty();
    bool same = true;
    fmpq *number;
    for (uint32_t b = part->first_base; b != HYSI_NONE; b = lint->next_base[b]) {
      hysi_lint_param one;
      see(lint, b, p, &one, &value);
      if (b == part->first_base)
        *all = one;
      all->rest = all->rest && one.rest;
      all->number = all->number && one.number;
      all->kept = all->kept && one.kept;
      all->kept_alone = all->kept_alone && one.kept_alone;
      all->flows_here = all->flows_here && one.flows_here;
      same = same && (b == part->first_base || hys_interval_equal(hull, value));
      hull = hys_interval_hull(hull, value);
    }
    all->box = all->number ? hull : hys_interval_entire();
    if (!all->number)
      continue;
    all->range = !same;
    all->number = same;
    number = hysi_lint_numbers(lint, 2);
    if (number == NULL)
      return;
    all->value = number;
    if (same) {
      hysi_lint_decimal(number, hull);
    } else {
      hysi_lp_from_double(number, hull.lo);
      hysi_lp_from_double(number + 1, hull.hi);
    }
  }
}

/* Transitions by their source. */
static void find_leaving(hysi_lint *lint, hysi_lint_part *part) {
  const hysi_component *c = part->component;
  uint32_t *fill;

  part->out = hysi_lint_alloc(lint, (size_t)c->n_locations + 1, sizeof *part->out);
  part->leaving = hysi_lint_alloc(lint, c->n_transitions, sizeof *part->leaving);
  fill = hysi_lint_alloc(lint, c->n_locations, sizeof *fill);
  if (part->out == NULL || part->leaving == NULL || fill == NULL)
    return;
  for (uint32_t t = 0; t < c->n_transitions; t++)
    if (c->transition[t].source != HYSI_NONE)
      part->out[c->transition[t].source + 1]++;
  for (uint32_t l = 0; l < c->n_locations; l++) {
    part->out[l + 1] += part->out[l];
    fill[l] = part->out[l];
  }
  for (uint32_t t = 0; t < c->n_transitions; t++)
    if (c->transition[t].source != HYSI_NONE)
      part->leaving[fill[c->transition[t].source]++] = t;
}

static void find_rows(hysi_lint *lint, hysi_lint_part *part) {
  const hysi_component *c = part->component;

  part->invariant = hysi_lint_alloc(lint, c->n_locations, sizeof *part->invariant);
  part->guard = hysi_lint_alloc(lint, c->n_transitions, sizeof *part->guard);
  part->never = hysi_lint_alloc(lint, c->n_transitions, sizeof *part->never);
  if (part->invariant == NULL || part->guard == NULL || part->never == NULL)
    return;
  for (uint32_t l = 0; l < c->n_locations && lint->status == HYS_OK; l++)
    hysi_lint_conjuncts(lint, &c->location[l].invariant, HYSI_OF_INVARIANT, &part->invariant[l]);
  for (uint32_t t = 0; t < c->n_transitions && lint->status == HYS_OK; t++)
    hysi_lint_conjuncts(lint, &c->transition[t].guard, HYSI_OF_GUARD, &part->guard[t]);
}

static bool open_scratch(hysi_lint *lint) {
  size_t most = 0;

  for (uint32_t p = 0; p < lint->n_parts; p++)
    if (lint->part[p].component->n_params > most)
      most = lint->part[p].component->n_params;
  most *= HYSI_LINT_COPIES;
  lint->sum = hysi_lint_numbers(lint, most);
  lint->touched = hysi_lint_alloc(lint, most, sizeof *lint->touched);
  lint->slot = hysi_lint_alloc(lint, most, sizeof *lint->slot);
  for (size_t i = 0; lint->slot != NULL && i < most; i++)
    lint->slot[i] = HYSI_NONE;
  return lint->status == HYS_OK;
}

static void check_part(hysi_lint *lint, hysi_lint_part *part) {
  static void (*const steps[])(hysi_lint *, hysi_lint_part *) = {find_params, find_leaving};
  static void (*const families[])(hysi_lint *) = {hysi_lint_sets, hysi_lint_locations, hysi_lint_domains};

  lint->here = part;
  for (size_t i = 0; i < sizeof steps / sizeof steps[0] && lint->status == HYS_OK; i++)
    steps[i](lint, part);
  if (lint->status == HYS_OK)
    find_rows(lint, part);
  for (size_t i = 0; i < sizeof families / sizeof families[0] && lint->status == HYS_OK; i++)
    families[i](lint);
  if (lint->status == HYS_OK)
    hysi_lint_followers(lint, part);
}

/* ---- the model ---- */

/* Values of constants and who controls what. */
static void open_model(hysi_lint *lint) {
  const hysi_network *n = lint->network;
  hys_diagnostics unheard;
  hysi_flat flat;

  lint->controllers = hysi_lint_alloc(lint, n->n_variables, sizeof *lint->controllers);
  if (lint->controllers == NULL)
    return;
  for (uint32_t b = 0; b < n->n_base; b++) {
    const hysi_instance *i = hysi_base(n, b);
    for (uint32_t p = 0; p < i->component->n_params; p++)
      if (i->component->param[p].controlled && i->binding[p].kind == HYSI_BOUND_VARIABLE)
        lint->controllers[i->binding[p].index]++;
  }
  hys_diagnostics_init(&unheard, lint->arena);
  if (hysi_flat_open(&flat, lint->model, lint->arena, &unheard) == HYS_ERR_MEMORY)
    lint->status = HYS_ERR_MEMORY;
  lint->constant = flat.value;
  lint->known = flat.known;
  if (flat.value == NULL || flat.known == NULL)
    lint->status = HYS_ERR_MEMORY;
}

hys_status hys_model_lint(const hys_model *model, uint32_t most_places, hys_arena *arena,
                          hys_diagnostics *diagnostics) {
  hysi_lint lint = {
      .model = model, .arena = arena, .most_places = most_places, .work = most_work, .steps = most_steps};

  if (model == NULL || arena == NULL || diagnostics == NULL)
    return HYS_ERR_ARG;
  if (!model->has_network)
    return HYS_OK;
  lint.network = &model->network;
  lint.document = hysi_document_for(model, diagnostics, arena);
  open_model(&lint);
  if (lint.status == HYS_OK)
    find_parts(&lint);
  if (lint.status == HYS_OK && open_scratch(&lint)) {
    /* parts were found backwards */
    for (uint32_t p = lint.n_parts; p > 0 && lint.status == HYS_OK; p--)
      check_part(&lint, &lint.part[p - 1]);
    if (lint.status == HYS_OK)
      hysi_lint_names(&lint);
    if (lint.status == HYS_OK)
      hysi_lint_cycles(&lint);
    /* many notes last: the list of diagnostics has an end */
    for (uint32_t p = lint.n_parts; p > 0 && lint.status == HYS_OK; p--) {
      lint.here = &lint.part[p - 1];
      hysi_lint_time(&lint);
    }
    if (lint.status == HYS_OK)
      hysi_lint_terms(&lint);
  }
  if (lint.status == HYS_OK && lint.undecided)
    hysi_report(&lint.document, HYS_NOTE, lint.network->system->at,
                "some conditions are too large, or too many, to be looked at; there may be more to warn of");
  release_numbers(lint.block);
  hys_diagnostics_sort(diagnostics);
  return lint.status;
}
