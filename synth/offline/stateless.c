#include "synth/offline/stateless.h"

#include <pthread.h>
#include <string.h>

struct hysi_stateless {
  const hys_hybrid *a;
  hys_hybrid out;
  const char *name[1];
  bool input[1];
  hys_expr_node zero, self;
  hys_term term;
  hys_condition rests; /* x == 0 */
  hys_rate rate;
  hys_reset reset;
  hys_arena *arena;
  pthread_mutex_t lock; /* of what follows */
  const hys_hybrid_location **location;
  uint32_t n;
};

/* The location with the variable; it lives in the arena. */
static hys_status make(hysi_stateless *s, uint32_t index, const hys_hybrid_location **out) {
  const hys_hybrid_location *l = NULL;
  hys_hybrid_location *with;
  hys_condition *invariant;
  hys_hybrid_jump *jump;
  hys_status status = s->a->location(s->a->context, index, &l);

  if (status != HYS_OK)
    return status;
  with = hys_arena_alloc(s->arena, 1, sizeof *with);
  invariant = hys_arena_alloc(s->arena, (size_t)l->invariant.n + 1, sizeof *invariant);
  jump = hys_arena_alloc(s->arena, (size_t)l->n_jumps + 1, sizeof *jump);
  if (with == NULL || invariant == NULL || jump == NULL)
    return HYS_ERR_MEMORY;
  *with = *l;
  for (uint32_t i = 0; i < l->invariant.n; i++)
    invariant[i] = l->invariant.condition[i];
  invariant[l->invariant.n] = s->rests;
  with->invariant = (hys_conditions){invariant, l->invariant.n + 1};
  with->rate = &s->rate;
  for (uint32_t k = 0; k < l->n_jumps; k++) {
    jump[k] = l->jump[k];
    jump[k].reset = &s->reset;
  }
  with->jump = jump;
  *out = with;
  return HYS_OK;
}

static hys_status location(void *context, uint32_t index, const hys_hybrid_location **out) {
  hysi_stateless *s = context;
  hys_status status = HYS_OK;

  pthread_mutex_lock(&s->lock);
  if (index >= s->n) {
    const uint32_t more = 2 * index + 16;
    const hys_hybrid_location **bigger = hys_arena_alloc(s->arena, more, sizeof *bigger);
    if (bigger == NULL) {
      status = HYS_ERR_MEMORY;
    } else {
      for (uint32_t i = 0; i < more; i++)
        bigger[i] = i < s->n ? s->location[i] : NULL;
      s->location = bigger;
      s->n = more;
    }
  }
  if (status == HYS_OK && s->location[index] == NULL)
    status = make(s, index, &s->location[index]);
  *out = status == HYS_OK ? s->location[index] : NULL;
  pthread_mutex_unlock(&s->lock);
  return status;
}

static hys_status initial(void *context, const hys_hybrid_set *set, uint32_t k, uint32_t *index) {
  const hysi_stateless *s = context;

  return s->a->initial(s->a->context, set, k, index);
}

hys_status hysi_stateless_open(hysi_stateless **object, const hys_hybrid *a, const hys_hybrid **out) {
  hysi_stateless *s = hys_allocate(NULL, sizeof *s);

  *object = NULL;
  if (s == NULL)
    return HYS_ERR_MEMORY;
  memset(s, 0, sizeof *s);
  s->arena = hys_arena_create(NULL);
  if (s->arena == NULL || pthread_mutex_init(&s->lock, NULL) != 0) {
    hys_arena_destroy(s->arena);
    hys_release(NULL, s);
    return HYS_ERR_MEMORY;
  }
  s->a = a;
  s->name[0] = "";
  s->zero = (hys_expr_node){.op = HYS_EXPR_CONSTANT, .value = {0.0, 0.0}};
  s->self = (hys_expr_node){.op = HYS_EXPR_VARIABLE, .a = 0};
  s->term = (hys_term){0, {1.0, 1.0}};
  s->rests = (hys_condition){
      .relation = HYS_RELATION_EQ, .affine = true, .row = {&s->term, 1, {0.0, 0.0}}, .value = {&s->self, 1}};
  s->rate = (hys_rate){.motion = HYS_MOTION_FLOW,
                       .affine = true,
                       .row = {NULL, 0, {0.0, 0.0}},
                       .value = {&s->zero, 1},
                       .slack = {0.0, 0.0}};
  s->reset = (hys_reset){.kind = HYS_RESET_KEEP};
  s->out = *a;
  s->out.n = 1;
  s->out.variable = s->name;
  s->out.input = s->input;
  s->out.context = s;
  s->out.location = location;
  s->out.initial = initial;
  *object = s;
  *out = &s->out;
  return HYS_OK;
}

void hysi_stateless_close(hysi_stateless *s) {
  if (s == NULL)
    return;
  pthread_mutex_destroy(&s->lock);
  hys_arena_destroy(s->arena);
  hys_release(NULL, s);
}
