/* What is printed and read again is the same model: names, roles, labels, counts, and the same functions in
 * every location and jump; and with its configuration the same automaton. */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/expr_parse.h"
#include "models/model_private.h"
#include "models/print.h"
#include "tests/support/check.h"

/* ---- reading and printing ---- */

typedef struct text {
  char *bytes;
  size_t n, room;
  size_t most; /* the writer fails beyond */
} text;

static bool append(void *context, const char *bytes, size_t n) {
  text *t = context;

  if (t->n + n > t->most)
    return false;
  if (t->n + n + 1 > t->room) {
    t->room = 2 * (t->n + n + 1);
    t->bytes = realloc(t->bytes, t->room);
    if (t->bytes == NULL)
      abort();
  }
  memcpy(t->bytes + t->n, bytes, n);
  t->n += n;
  t->bytes[t->n] = '\0';
  return true;
}

/* A model, what is printed of it, and that read again. */
typedef struct pair {
  hys_arena *arena;
  hys_diagnostics said;
  const hys_model *before, *after;
  text xml, cfg;
  bool without_units; /* a bound 1 had a unit */
} pair;

static void complain(const hys_diagnostics *said) {
  for (uint32_t i = 0; i < said->n; i++)
    if (said->item[i].severity == HYS_ERROR)
      fprintf(stderr, "  %s:%u:%u: %s\n", said->item[i].file != NULL ? said->item[i].file : "?",
              said->item[i].line, said->item[i].column, said->item[i].text);
}

static void close_pair(pair *p) {
  hys_arena_destroy(p->arena);
  free(p->xml.bytes);
  free(p->cfg.bytes);
}

static bool again(pair *p) {
  const hys_model_writer xml = {append, &p->xml}, cfg = {append, &p->cfg};
  hys_status status = hys_model_print(p->before, &xml, p->arena, &p->said);

  if (CHECK_INT(status, HYS_OK))
    status = hys_model_print_config(p->before, &cfg, p->arena, &p->said);
  if (!CHECK_INT(status, HYS_OK)) {
    complain(&p->said);
    return false;
  }
  hys_diagnostics_init(&p->said, p->arena);
  status = hys_model_read_memory(&p->after, p->xml.bytes, p->xml.n, "printed.xml", p->cfg.bytes, p->cfg.n,
                                 "printed.cfg", NULL, p->arena, &p->said);
  if (!CHECK_INT(status, HYS_OK))
    complain(&p->said);
  return status == HYS_OK;
}

static void open_pair(pair *p) {
  memset(p, 0, sizeof *p);
  p->xml.most = p->cfg.most = SIZE_MAX / 4;
  p->arena = hys_arena_create(NULL);
  hys_diagnostics_init(&p->said, p->arena);
}

/* Printed once more it is the same text, but for notes, which are about the first model. */
static void same_text(const pair *p) {
  pair q;

  open_pair(&q);
  q.before = p->after;
  if (again(&q)) {
    if (strstr(p->xml.bytes, "<note>") == NULL)
      CHECK_STR(q.xml.bytes, p->xml.bytes);
    CHECK_STR(q.cfg.bytes, p->cfg.bytes);
  }
  close_pair(&q);
}

static hys_status read_text(pair *p, const char *body, const char *cfg) {
  const char *begin = "<sspaceex version=\"0.2\" math=\"SpaceEx\">", *end = "</sspaceex>";
  const size_t size = strlen(begin) + strlen(body) + strlen(end) + 1;
  char *xml = hys_arena_alloc(p->arena, size, 1);

  snprintf(xml, size, "%s%s%s", begin, body, end);
  return hys_model_read_memory(&p->before, xml, size - 1, "model.xml", cfg, cfg != NULL ? strlen(cfg) : 0,
                               "model.cfg", NULL, p->arena, &p->said);
}

/* ---- points ---- */

static uint64_t state = 20261201;

static uint64_t draw(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

/* Small whole numbers now and then, so that equations hold sometimes. */
static double draw_value(void) {
  if (draw() % 3 == 0)
    return (double)(draw() % 3) - 1.0;
  return ((double)(draw() >> 11) * 0x1p-53 - 0.5) * 8.0;
}

static double *draw_point(const hys_model *m, hys_arena *arena) {
  double *x = hys_arena_alloc(arena, m->network.n_variables, sizeof *x);

  for (uint32_t v = 0; v < m->network.n_variables; v++)
    x[v] = draw_value();
  return x;
}

/* Its parameters as an instance sees the point. */
static double *seen_by(const hysi_instance *i, const double *x, hys_arena *arena) {
  double *own = hys_arena_alloc(arena, i->component->n_params, sizeof *own);

  for (uint32_t k = 0; k < i->component->n_params; k++) {
    const hysi_binding *b = &i->binding[k];
    if (b->kind == HYSI_BOUND_VARIABLE)
      own[k] = x[b->index];
    else if (b->kind == HYSI_BOUND_NUMBER)
      own[k] = b->value.lo + (b->value.hi - b->value.lo) / 2.0;
  }
  return own;
}

/* ---- what a place says, as a list of numbers ---- */

typedef struct facts {
  double *item;
  uint32_t n, capacity;
} facts;

static void say(facts *f, hys_arena *arena, double value) {
  f->item = hysi_grow(arena, f->item, f->n, &f->capacity, sizeof *f->item);
  f->item[f->n++] = value;
}

static bool same_number(double a, double b) {
  if (isnan(a) || isnan(b))
    return isnan(a) && isnan(b);
  return a == b || fabs(a - b) <= 1e-11 * fmax(fabs(a), fabs(b));
}

static bool same_facts(const facts *a, const facts *b) {
  if (a->n != b->n)
    return false;
  for (uint32_t i = 0; i < a->n; i++)
    if (!same_number(a->item[i], b->item[i]))
      return false;
  return true;
}

/* Every comparison and both of its sides; the truth of the whole if there is a choice in it. */
static void say_formula(facts *f, const hys_expr *e, const double *own, hys_arena *arena) {
  double *scratch = hys_arena_alloc(arena, e->n, sizeof *scratch);

  for (uint32_t i = 0; i < e->n; i++) {
    const hys_expr_node *k = &e->node[i];
    if (k->op == HYS_EXPR_OR || k->op == HYS_EXPR_NOT || k->op == HYS_EXPR_FALSE)
      say(f, arena, 1000.0 + k->op + 1e-3 * hys_expr_eval_point(e, i, own, own, NULL, scratch));
    if (k->op < HYS_EXPR_LT || k->op > HYS_EXPR_ASSIGN)
      continue;
    say(f, arena, k->op);
    say(f, arena, hys_expr_eval_point(e, k->a, own, own, NULL, scratch));
    say(f, arena, hys_expr_eval_point(e, k->b, own, own, NULL, scratch));
  }
}

static bool is_unknown(const hysi_text_tree *t) {
  return t->unknown;
}

static void say_rows(facts *f, const hysi_instance *i, const hysi_text_tree *t, const double *own,
                     hys_arena *arena) {
  double *scratch = hys_arena_alloc(arena, t->e.n, sizeof *scratch);

  for (uint32_t r = 0; r < t->n_rows; r++) {
    say(f, arena, hysi_variable_of(i, t->row[r].param));
    say(f, arena, t->row[r].op);
    say(f, arena, hys_expr_eval_point(&t->e, t->row[r].rhs, own, NULL, NULL, scratch));
  }
  for (uint32_t r = 0; r < t->n_algebraic; r++) {
    const hys_expr_node *k = &t->e.node[t->algebraic[r]];
    say(f, arena, -1.0);
    say(f, arena, hys_expr_eval_point(&t->e, k->a, own, NULL, NULL, scratch));
    say(f, arena, hys_expr_eval_point(&t->e, k->b, own, NULL, NULL, scratch));
  }
}

static uint64_t index_of(const hysi_network *n, const uint32_t *part) {
  uint64_t index = 0;

  for (uint32_t b = 0; b < n->n_base; b++)
    index = index * hysi_base(n, b)->component->n_locations + part[b];
  return index;
}

static void parts_of(const hysi_network *n, uint64_t index, uint32_t *part) {
  for (uint32_t b = n->n_base; b > 0; b--) {
    const uint32_t count = hysi_base(n, b - 1)->component->n_locations;
    part[b - 1] = (uint32_t)(index % count);
    index /= count;
  }
}

/* ---- locations ---- */

static bool same_location(const pair *p, uint64_t index, const double *x, hys_arena *arena) {
  const hysi_network *n = &p->before->network, *m = &p->after->network;
  const hysi_instance *one = hysi_base(m, 0);
  const hysi_model_location *printed = &one->component->location[index];
  uint32_t *part = hys_arena_alloc(arena, n->n_base, sizeof *part);
  facts before = {0}, after = {0};
  bool urgent = false, unknown = false;

  parts_of(n, index, part);
  for (uint32_t b = 0; b < n->n_base; b++)
    urgent = urgent || hysi_base(n, b)->component->location[part[b]].urgent;
  for (uint32_t b = 0; b < n->n_base; b++) {
    const hysi_instance *i = hysi_base(n, b);
    const hysi_model_location *l = &i->component->location[part[b]];
    const double *own = seen_by(i, x, arena);
    say_formula(&before, &l->invariant.e, own, arena);
    unknown = unknown || is_unknown(&l->invariant);
  }
  say_formula(&after, &printed->invariant.e, seen_by(one, x, arena), arena);
  if (!CHECK_INT(printed->urgent, urgent) || !CHECK_INT(is_unknown(&printed->invariant), unknown))
    return false;
  for (uint32_t b = 0; b < n->n_base && !urgent; b++) {
    const hysi_instance *i = hysi_base(n, b);
    say_rows(&before, i, &i->component->location[part[b]].flow, seen_by(i, x, arena), arena);
  }
  if (!urgent) {
    /* algebraic rows stand behind the others: of one instance only they can be compared in order */
    say_rows(&after, one, &printed->flow, seen_by(one, x, arena), arena);
  }
  return unknown || CHECK(same_facts(&before, &after));
}

/* ---- jumps ---- */

typedef struct jump {
  uint64_t source, target;
  int64_t label;
  facts facts;
  bool unknown;
} jump;

typedef struct jumps {
  jump *item;
  uint32_t n, capacity;
} jumps;

static int by_order(const void *a, const void *b) {
  const jump *p = a, *q = b;

  if (p->source != q->source)
    return p->source < q->source ? -1 : 1;
  if (p->target != q->target)
    return p->target < q->target ? -1 : 1;
  if (p->label != q->label)
    return p->label < q->label ? -1 : 1;
  if (p->facts.n != q->facts.n)
    return p->facts.n < q->facts.n ? -1 : 1;
  for (uint32_t i = 0; i < p->facts.n; i++)
    if (!same_number(p->facts.item[i], q->facts.item[i]))
      return p->facts.item[i] < q->facts.item[i] ? -1 : 1;
  return 0;
}

static int64_t label_of(const hysi_instance *i, const hysi_transition *t) {
  if (t->label == HYSI_NONE)
    return -1;
  return t->label == HYSI_PRIVATE_LABEL ? -2 : (int64_t)i->binding[t->label].index;
}

/* From one location, what the instances in base[] do together, one choice after the other. */
static void add_jumps(jumps *all, const hysi_network *n, const uint32_t *part, const uint32_t *base,
                      uint32_t k, const double *x, hys_arena *arena, int64_t label) {
  uint32_t *at = hys_arena_alloc(arena, k, sizeof *at), *to = hys_arena_alloc(arena, n->n_base, sizeof *to);

  for (uint32_t done = 0; k > 0 && !done;) {
    jump j = {.source = index_of(n, part), .label = label};
    bool fits = true;
    memcpy(to, part, n->n_base * sizeof *to);
    for (uint32_t m = 0; m < k && fits; m++) {
      const hysi_instance *i = hysi_base(n, base[m]);
      const hysi_transition *t =
          at[m] < i->component->n_transitions ? &i->component->transition[at[m]] : NULL;
      fits = t != NULL && t->source == part[base[m]] && label_of(i, t) == label;
      if (!fits)
        break;
      to[base[m]] = t->target;
      say_formula(&j.facts, &t->guard.e, seen_by(i, x, arena), arena);
      j.unknown = j.unknown || is_unknown(&t->guard) || is_unknown(&t->assignment);
    }
    for (uint32_t m = 0; m < k && fits; m++) {
      const hysi_instance *i = hysi_base(n, base[m]);
      say_rows(&j.facts, i, &i->component->transition[at[m]].assignment, seen_by(i, x, arena), arena);
    }
    if (fits) {
      j.target = index_of(n, to);
      if (j.unknown)
        j.facts.n = 0;
      all->item = hysi_grow(arena, all->item, all->n, &all->capacity, sizeof j);
      all->item[all->n++] = j;
    }
    done = 1;
    for (uint32_t m = k; m > 0 && done; m--) {
      done = ++at[m - 1] >= hysi_base(n, base[m - 1])->component->n_transitions;
      if (done)
        at[m - 1] = 0;
    }
  }
}

/* All jumps from some locations, by trying all choices. */
static void all_jumps(jumps *all, const hysi_network *n, const uint64_t *source, uint32_t sources,
                      const double *x, hys_arena *arena) {
  uint32_t *part = hys_arena_alloc(arena, n->n_base, sizeof *part);
  uint32_t *base = hys_arena_alloc(arena, n->n_base, sizeof *base);

  for (uint32_t s = 0; s < sources; s++) {
    parts_of(n, source[s], part);
    for (uint32_t b = 0; b < n->n_base; b++) {
      add_jumps(all, n, part, &b, 1, x, arena, -1);
      add_jumps(all, n, part, &b, 1, x, arena, -2);
    }
    for (uint32_t l = 0; l < n->n_labels; l++) {
      uint32_t k = 0;
      for (uint32_t q = n->label[l].first_part; q != HYSI_NONE; q = n->part[q].next)
        base[k++] = n->part[q].base;
      add_jumps(all, n, part, base, k, x, arena, l);
    }
  }
  if (all->n > 0)
    qsort(all->item, all->n, sizeof *all->item, by_order);
}

static void same_jumps(const pair *p, const uint64_t *source, uint32_t sources, const double *x,
                       hys_arena *arena) {
  jumps before = {0}, after = {0};

  all_jumps(&before, &p->before->network, source, sources, x, arena);
  all_jumps(&after, &p->after->network, source, sources, x, arena);
  if (!CHECK_INT(after.n, before.n))
    return;
  for (uint32_t i = 0; i < before.n; i++) {
    const jump *a = &before.item[i], *b = &after.item[i];
    if (!CHECK(a->source == b->source && a->target == b->target && a->label == b->label) ||
        !CHECK_INT(b->unknown, a->unknown) || !CHECK(same_facts(&a->facts, &b->facts)))
      return;
  }
}

/* ---- all of it ---- */

static void same_names(const pair *p) {
  const hysi_network *n = &p->before->network, *m = &p->after->network;

  CHECK_STR(hys_model_system(p->after), hys_model_system(p->before));
  CHECK_INT(m->n_base, 1);
  CHECK(m->locations == n->locations && m->jumps == n->jumps);
  CHECK_INT(m->flow_class, n->flow_class);
  if (!CHECK_INT(m->n_variables, n->n_variables) || !CHECK_INT(m->n_labels, n->n_labels))
    return;
  for (uint32_t v = 0; v < n->n_variables; v++) {
    CHECK_STR(m->variable[v].name, n->variable[v].name);
    CHECK_INT(m->variable[v].role, n->variable[v].role);
    CHECK_INT(m->variable[v].controlled, n->variable[v].controlled);
    if (!p->without_units)
      CHECK_STR(m->variable[v].unit != NULL ? m->variable[v].unit : "",
                n->variable[v].unit != NULL ? n->variable[v].unit : "");
  }
  for (uint32_t l = 0; l < n->n_labels; l++)
    CHECK_STR(m->label[l].name, n->label[l].name);
}

static void same_sets(const pair *p, const hys_expr *before, const hys_expr *after, const double *x,
                      const uint64_t *at, uint32_t n, hys_arena *arena) {
  uint32_t *part = hys_arena_alloc(arena, p->before->network.n_base, sizeof *part);
  double *scratch = hys_arena_alloc(arena, (size_t)before->n + after->n, sizeof *scratch);

  if (before->n == 0 || after->n == 0) {
    CHECK_INT(after->n, before->n);
    return;
  }
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t one = (uint32_t)at[i];
    parts_of(&p->before->network, at[i], part);
    if (!CHECK(hys_expr_eval_point(before, before->n - 1, x, NULL, part, scratch) ==
               hys_expr_eval_point(after, after->n - 1, x, NULL, &one, scratch)))
      return;
  }
}

static void same_automata(const pair *p) {
  hys_arena *arena = hys_arena_create(NULL);
  const hys_automaton *before = NULL, *after = NULL;
  hys_diagnostics said;

  hys_diagnostics_init(&said, arena);
  if (hys_model_automaton(p->before, arena, &said, &before) == HYS_OK) {
    hys_diagnostics_init(&said, arena);
    if (!CHECK_INT(hys_model_automaton(p->after, arena, &said, &after), HYS_OK)) {
      complain(&said);
    } else {
      CHECK(after->nx == before->nx && after->nu == before->nu);
      CHECK_INT(after->n_locations, before->n_locations);
      CHECK_INT(after->n_jumps, before->n_jumps);
      CHECK_INT(after->n_labels, before->n_labels);
      CHECK_SAME(after->time_horizon, before->time_horizon);
    }
  }
  hys_arena_destroy(arena);
}

enum { MOST_SOURCES = 40, POINTS = 4 };

static void same_model(const pair *p) {
  const uint64_t locations = p->before->network.locations;
  uint64_t at[MOST_SOURCES];
  const uint32_t n = locations < MOST_SOURCES ? (uint32_t)locations : MOST_SOURCES;

  same_names(p);
  for (uint32_t i = 0; i < n; i++)
    at[i] = locations <= MOST_SOURCES ? i : draw() % locations;
  for (int k = 0; k < POINTS; k++) {
    hys_arena *arena = hys_arena_create(NULL);
    const double *x = draw_point(p->before, arena);
    for (uint32_t i = 0; i < n; i++)
      if (!same_location(p, at[i], x, arena))
        break;
    if (k == 0)
      same_jumps(p, at, n, x, arena);
    same_sets(p, &p->before->initially, &p->after->initially, x, at, n, arena);
    same_sets(p, &p->before->forbidden, &p->after->forbidden, x, at, n, arena);
    hys_arena_destroy(arena);
  }
  same_automata(p);
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Every model of a folder that has no errors. */
static uint32_t folder(const char *path) {
  char *name[200];
  uint32_t n = 0, done = 0;
  DIR *dir = opendir(path);

  if (!CHECK(dir != NULL))
    return 0;
  for (const struct dirent *d; (d = readdir(dir)) != NULL && n < 200;) {
    const size_t length = strlen(d->d_name);
    if (length > 4 && strcmp(d->d_name + length - 4, ".xml") == 0 && strstr(d->d_name, "shield") == NULL)
      name[n++] = strdup(d->d_name);
  }
  closedir(dir);
  qsort(name, n, sizeof *name, by_name);
  for (uint32_t i = 0; i < n; i++) {
    char file[1024];
    pair p;
    check_label("%s", name[i]);
    snprintf(file, sizeof file, "%s/%s", path, name[i]);
    open_pair(&p);
    p.without_units = strcmp(name[i], "unit_of_one.xml") == 0;
    if (hys_model_read(&p.before, file, NULL, NULL, p.arena, &p.said) == HYS_OK && again(&p)) {
      same_model(&p);
      if (p.before->network.locations < 1000)
        same_text(&p);
      done++;
    }
    close_pair(&p);
    free(name[i]);
  }
  return done;
}

static void public_models(void) {
  const char *path = check_shared_path("spaceex");

  if (path != NULL)
    CHECK_INT(folder(path), 37);
}

static void own_models(void) {
  CHECK_INT(folder(check_source_path("models/library/acc")), 1);
}

static void broken_models(void) {
  CHECK(folder(check_source_path("tests/conform/broken_models")) > 10);
}

/* ---- what cannot be printed ---- */

typedef struct refusal {
  const char *what, *body, *cfg;
  hys_status status;
  const char *says;
} refusal;

static const char two_values[] =
    "<component id='a'><param name='x' type='real'/><param name='go' type='label'/><location id='1' "
    "name='p'/>"
    "<transition source='1' target='1'><label>go</label><assignment>x := "
    "1</assignment></transition></component>"
    "<component id='b'><param name='x' type='real'/><param name='go' type='label'/><location id='1' "
    "name='p'/>"
    "<transition source='1' target='1'><label>go</label><assignment>x' &lt;= 1</assignment></transition>"
    "</component><component id='s'><param name='x' type='real'/><param name='go' type='label'/>"
    "<bind component='a' as='i'><map key='x'>x</map><map key='go'>go</map></bind>"
    "<bind component='b' as='j'><map key='x'>x</map><map key='go'>go</map></bind></component>";
static const char one_under_two_names[] =
    "<component id='a'><param name='x' type='real'/><param name='y' type='real'/><location id='1' name='p'/>"
    "<transition source='1' target='1'><assignment>x := 1 &amp; y := 2</assignment></transition></component>"
    "<component id='s'><param name='x' type='real'/>"
    "<bind component='a' as='i'><map key='x'>x</map><map key='y'>x</map></bind></component>";
static const char error[] =
    "<component id='a'><location id='1' name='p'><flow>x' == 1</flow></location></component>";

static void refused(const refusal *r) {
  pair p;
  const hys_model_writer xml = {append, &p.xml};

  check_label("%s", r->what);
  open_pair(&p);
  (void)read_text(&p, r->body, r->cfg);
  hys_diagnostics_init(&p.said, p.arena);
  if (CHECK(p.before != NULL)) {
    CHECK_INT(hys_model_print(p.before, &xml, p.arena, &p.said), r->status);
    CHECK_INT(p.xml.n, 0);
    if (r->says == NULL)
      CHECK_INT(p.said.n, 0);
    else if (CHECK_INT(p.said.n, 1))
      CHECK(strstr(p.said.item[0].text, r->says) != NULL);
  }
  close_pair(&p);
}

/* Components c0, c1, .. that bind the one before, under names of so many letters. */
static char *chain(unsigned depth, unsigned letters, hys_arena *arena) {
  char name[128], *body = hys_arena_alloc(arena, 65536, 1);
  size_t n = 0;

  memset(name, 'n', letters);
  name[letters] = '\0';
  n += (size_t)snprintf(body + n, 65536 - n,
                        "<component id='c0'><param name='x' type='real' local='true'/>"
                        "<location id='1' name='p'><flow>x' == 1</flow></location></component>");
  for (unsigned i = 1; i <= depth; i++)
    n += (size_t)snprintf(body + n, 65536 - n,
                          "<component id='c%u'><bind component='c%u' as='%s'/></component>", i, i - 1, name);
  return body;
}

static void refusals(void) {
  static const refusal table[] = {
      {"two values after one jump", two_values, NULL, HYS_ERR_UNSUPPORTED,
       "`x' is assigned twice in one jump"},
      {"two values under two names", one_under_two_names, NULL, HYS_ERR_UNSUPPORTED,
       "`x' is assigned twice in one jump"},
      {"a model with errors", error, NULL, HYS_ERR_INPUT, NULL},
  };
  hys_arena *arena = hys_arena_create(NULL);
  const refusal name = {"a name that is too long", chain(3, 90, arena), NULL, HYS_ERR_LIMIT,
                        "HYS_XML_MAX_NAME"};
  /* 2^60 locations */
  char *many = hys_arena_alloc(arena, 65536, 1);
  size_t n = (size_t)snprintf(many, 65536,
                              "<component id='a'><location id='1' name='p'/><location id='2' name='q'/>"
                              "</component><component id='s'>");
  for (int i = 0; i < 60; i++)
    n += (size_t)snprintf(many + n, 65536 - n, "<bind component='a' as='i%d'/>", i);
  snprintf(many + n, 65536 - n, "</component>");
  const refusal large = {"more locations than can be counted", many, NULL, HYS_ERR_LIMIT, "2^53"};

  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
    refused(&table[i]);
  refused(&name);
  refused(&large);
  hys_arena_destroy(arena);
}

/* Names as long as they may be are read again; so are joined names of many instances. */
static void long_names(void) {
  pair p;

  open_pair(&p);
  if (CHECK_INT(read_text(&p, chain(3, 84, p.arena), NULL), HYS_OK) && again(&p)) {
    CHECK_INT(strlen(p.after->network.variable[0].name), 3 * 84 + 4);
    same_model(&p);
  }
  close_pair(&p);
}

/* Wherever the writer fails, that is what is said. */
static void writers(void) {
  static hys_status (*const print[])(const hys_model *, const hys_model_writer *, hys_arena *,
                                     hys_diagnostics *) = {hys_model_print, hys_model_print_config,
                                                           hys_model_print_dot};
  for (size_t k = 0; k < sizeof print / sizeof print[0]; k++) {
    pair p;
    const hys_model_writer out = {append, &p.xml};
    hys_status status;
    open_pair(&p);
    if (CHECK_INT(hys_model_read(&p.before, check_source_path("tests/prop/print/instances.xml"), NULL, NULL,
                                 p.arena, &p.said),
                  HYS_OK)) {
      CHECK_INT(print[k](p.before, &out, p.arena, &p.said), HYS_OK);
      for (size_t most = 0, all = p.xml.n; most < all; most += all / 7 + 1) {
        check_label("%zu of %zu bytes", most, all);
        p.xml.n = 0;
        p.xml.most = most;
        status = print[k](p.before, &out, p.arena, &p.said);
        CHECK_INT(status, HYS_ERR_WRITE);
        CHECK(p.xml.n <= most);
      }
      CHECK_INT(print[k](NULL, &out, p.arena, &p.said), HYS_ERR_ARG);
      CHECK_INT(print[k](p.before, NULL, p.arena, &p.said), HYS_ERR_ARG);
    }
    close_pair(&p);
  }
}

/* Names with dots are read, but none may be two things. */
static void dotted_names(void) {
  static const struct {
    const char *what, *body, *says; /* NULL: it is read */
  } table[] = {
      {"a variable of an instance",
       "<component id='a'><param name='x' type='real' local='true'/><location id='1' name='p'/></component>"
       "<component id='s'><param name='i.x' type='real'/><bind component='a' as='i'/></component>",
       "`i.x' is the flattened name of two parameters of system `s'"},
      {"a label of an instance",
       "<component id='a'><param name='x' type='label' local='true'/><location id='1' name='p'/></component>"
       "<component id='s'><param name='i.x' type='real'/><bind component='a' as='i'/></component>",
       "`i.x' is the flattened name of two parameters of system `s'"},
      {"another name",
       "<component id='a'><param name='x' type='real' local='true'/><location id='1' name='p'/></component>"
       "<component id='s'><param name='i.y' type='real'/><bind component='a' as='i'/></component>",
       NULL},
      {"a dot at the end",
       "<component id='a'><param name='x.' type='real'/><location id='1' name='p'/></component>",
       "`x.' is not a name"},
      {"a dot at the begin",
       "<component id='a'><param name='.x' type='real'/><location id='1' name='p'/></component>",
       "`.x' is not a name"},
      {"two dots",
       "<component id='a'><param name='x..y' type='real'/><location id='1' name='p'/></component>",
       "`x..y' is not a name"},
      {"a digit behind a dot",
       "<component id='a'><param name='x.1' type='real'/><location id='1' name='p'/></component>",
       "`x.1' is not a name"},
      {"in an instance",
       "<component id='a'><location id='1' name='p'/></component>"
       "<component id='s'><bind component='a' as='i.j'/></component>",
       "`i.j' is not a name"},
      {"in a component", "<component id='a.b'><location id='1' name='p'/></component>",
       "`a.b' is not a name"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
    pair p;
    bool said = false;
    check_label("%s", table[i].what);
    open_pair(&p);
    CHECK_INT(read_text(&p, table[i].body, NULL), table[i].says == NULL ? HYS_OK : HYS_ERR_INPUT);
    CHECK_INT(p.said.errors, table[i].says != NULL);
    for (uint32_t k = 0; k < p.said.n && table[i].says != NULL; k++)
      said = said || strstr(p.said.item[k].text, table[i].says) != NULL;
    CHECK_INT(said, table[i].says != NULL);
    close_pair(&p);
  }
}

/* An arena that ends: so many allocations. */
static void *allocate(void *context, size_t size) {
  unsigned long *left = context;
  return *left > 0 && (*left)-- > 0 ? malloc(size) : NULL;
}

static void release(void *context, void *memory) {
  (void)context;
  free(memory);
}

static void no_memory(void) {
  static hys_status (*const print[])(const hys_model *, const hys_model_writer *, hys_arena *,
                                     hys_diagnostics *) = {hys_model_print, hys_model_print_config,
                                                           hys_model_print_dot};
  pair p;
  const hys_model_writer out = {append, &p.xml};

  open_pair(&p);
  if (CHECK_INT(hys_model_read(&p.before, check_source_path("tests/prop/print/instances.xml"), NULL, NULL,
                               p.arena, &p.said),
                HYS_OK)) {
    for (size_t k = 0; k < sizeof print / sizeof print[0]; k++) {
      hys_status status = HYS_ERR_MEMORY;
      for (unsigned long n = 1; status == HYS_ERR_MEMORY && n < 10000; n++) {
        unsigned long left = n;
        const hys_allocator allocator = {allocate, release, &left};
        hys_arena *arena = hys_arena_create(&allocator);
        if (arena == NULL)
          continue;
        status = print[k](p.before, &out, arena, &p.said);
        CHECK(status == HYS_OK || status == HYS_ERR_MEMORY);
        hys_arena_destroy(arena);
      }
      CHECK_INT(status, HYS_OK);
    }
  }
  close_pair(&p);
}

static void kinds(void) {
  CHECK_INT(folder(check_source_path("tests/prop/print")), 15);
}

CHECK_MAIN("print", {"public models", public_models}, {"models of the library", own_models},
           {"models with warnings", broken_models}, {"every kind of thing a model says", kinds},
           {"what cannot be printed", refusals}, {"long names", long_names}, {"writers that fail", writers},
           {"names with dots", dotted_names}, {"no memory", no_memory})
