/* Products made location by location, against a product enumerated here from the components; and networks
 * whose product no one could enumerate, which open at once and cost what is visited. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/check.h"
#include "tests/support/text_model.h"

enum { MOST_PARTS = 4, MOST_LOCATIONS = 3, MOST_JUMPS = 5, LABELS = 3, CASES = 300 };
enum { MOST_STATES = 81, MOST_LINES = 4096, LINE = 160 };

static uint64_t state = 3;

static int drawn(int lo, int hi) {
  state += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = state;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return lo + (int)((z ^ (z >> 31)) % (uint64_t)(hi - lo + 1));
}

/* ---- networks ---- */

typedef struct step {
  int from, to, label; /* label < 0: none */
  int guard, reset;    /* x <= guard; x := reset, 0: it keeps its value */
} step;

typedef struct part {
  int locations, steps, rate[MOST_LOCATIONS], most[MOST_LOCATIONS];
  bool declares[LABELS];
  step step[MOST_JUMPS];
} part;

typedef struct network {
  int n;
  part part[MOST_PARTS];
} network;

static network draw(void) {
  network w = {.n = drawn(1, MOST_PARTS)};

  for (int i = 0; i < w.n; i++) {
    part *p = &w.part[i];
    p->locations = drawn(2, MOST_LOCATIONS);
    p->steps = drawn(1, MOST_JUMPS);
    for (int l = 0; l < LABELS; l++)
      p->declares[l] = drawn(0, 1) == 0;
    for (int k = 0; k < p->locations; k++) {
      p->rate[k] = drawn(1, 9);
      p->most[k] = drawn(10, 99);
    }
    for (int k = 0; k < p->steps; k++) {
      step *s = &p->step[k];
      s->from = drawn(0, p->locations - 1);
      s->to = drawn(0, p->locations - 1);
      s->label = drawn(0, 1) == 0 ? -1 : drawn(0, LABELS - 1);
      if (s->label >= 0 && !p->declares[s->label])
        s->label = -1;
      s->guard = drawn(100, 999);
      s->reset = drawn(0, 5);
    }
  }
  return w;
}

#define PUT(...) used += (size_t)snprintf(text + used, size - used, __VA_ARGS__)

static void write_network(const network *w, char *text, size_t size) {
  size_t used = 0;

  for (int i = 0; i < w->n; i++) {
    const part *p = &w->part[i];
    PUT("<component id='c%d'><param name='x' type='real' local='false' d1='1' d2='1' dynamics='any'/>", i);
    for (int l = 0; l < LABELS; l++)
      if (p->declares[l])
        PUT("<param name='l%d' type='label' local='false'/>", l);
    for (int k = 0; k < p->locations; k++)
      PUT("<location id='%d' name='p%d'><invariant>x &lt;= %d</invariant><flow>x' == %d</flow></location>",
          k + 1, k, p->most[k], p->rate[k]);
    for (int k = 0; k < p->steps; k++) {
      const step *s = &p->step[k];
      PUT("<transition source='%d' target='%d'>", s->from + 1, s->to + 1);
      if (s->label >= 0)
        PUT("<label>l%d</label>", s->label);
      PUT("<guard>x &lt;= %d</guard>", s->guard);
      if (s->reset != 0)
        PUT("<assignment>x := %d</assignment>", s->reset);
      PUT("</transition>");
    }
    PUT("</component>");
  }
  PUT("<component id='net'>");
  for (int i = 0; i < w->n; i++)
    PUT("<param name='x%d' type='real' local='false' d1='1' d2='1' dynamics='any'/>", i);
  for (int l = 0; l < LABELS; l++)
    PUT("<param name='l%d' type='label' local='false'/>", l);
  for (int i = 0; i < w->n; i++) {
    PUT("<bind component='c%d' as='i%d'><map key='x'>x%d</map>", i, i, i);
    for (int l = 0; l < LABELS; l++)
      if (w->part[i].declares[l])
        PUT("<map key='l%d'>l%d</map>", l, l);
    PUT("</bind>");
  }
  PUT("</component>");
}

/* ---- what there is, a line each, sorted ---- */

typedef struct lines {
  char at[MOST_LINES][LINE];
  size_t n;
} lines;

static int by_text(const void *a, const void *b) {
  return strcmp(a, b);
}

static char *next_line(lines *t) {
  return t->at[t->n < MOST_LINES - 1 ? t->n++ : t->n];
}

static void name_of(const network *w, const int *at, char *name, size_t size) {
  size_t used = 0;

  for (int i = 0; i < w->n; i++)
    used += (size_t)snprintf(name + used, size - used, "%si%d=p%d", i > 0 ? ";" : "", i, at[i]);
}

/* A jump that the parts of `taken' make (NULL: stays), in the order of the variables. */
static void naive_jump(const network *w, const int *at, const step *const *taken, int label, lines *out) {
  int to[MOST_PARTS];
  char from_name[64], to_name[64], *line = next_line(out);
  size_t used;

  for (int i = 0; i < w->n; i++)
    to[i] = taken[i] != NULL ? taken[i]->to : at[i];
  name_of(w, at, from_name, sizeof from_name);
  name_of(w, to, to_name, sizeof to_name);
  used = (size_t)snprintf(line, LINE, "%s -> %s l%d", from_name, to_name, label);
  for (int i = 0; i < w->n; i++) {
    if (taken[i] != NULL)
      used += (size_t)snprintf(line + used, LINE - used, " x%d<=%d", i, taken[i]->guard);
    if (taken[i] != NULL && taken[i]->reset != 0)
      used += (size_t)snprintf(line + used, LINE - used, " x%d:=%d", i, taken[i]->reset);
  }
}

static void naive_jumps(const network *w, const int *at, lines *out) {
  const step *taken[MOST_PARTS] = {NULL};

  for (int i = 0; i < w->n; i++)
    for (int k = 0; k < w->part[i].steps; k++) {
      const step *s = &w->part[i].step[k];
      if (s->label >= 0 || s->from != at[i])
        continue;
      taken[i] = s;
      naive_jump(w, at, taken, -1, out);
      taken[i] = NULL;
    }
  for (int l = 0; l < LABELS; l++) {
    long choices = 0;
    for (int i = 0; i < w->n; i++)
      if (w->part[i].declares[l])
        choices = (choices == 0 ? 1 : choices) * (MOST_JUMPS + 1);
    for (long c = 0; c < choices; c++) { /* a step of each that declares it */
      long left = c;
      bool good = true;
      for (int i = 0; i < w->n; i++) {
        int k;
        taken[i] = NULL;
        if (!w->part[i].declares[l])
          continue;
        k = (int)(left % (MOST_JUMPS + 1));
        left /= MOST_JUMPS + 1;
        good = good && k < w->part[i].steps;
        taken[i] = good ? &w->part[i].step[k] : NULL;
        good = good && taken[i]->label == l && taken[i]->from == at[i];
      }
      if (good)
        naive_jump(w, at, taken, l, out);
    }
    for (int i = 0; i < w->n; i++)
      taken[i] = NULL;
  }
}

/* Locations that jumps reach from all p0, and their jumps. */
static void naive(const network *w, lines *out) {
  int at[MOST_STATES][MOST_PARTS] = {{0}}, n = 1;

  for (int k = 0; k < n; k++) {
    const size_t before = out->n;
    char name[64], *line;
    size_t used, after;
    name_of(w, at[k], name, sizeof name);
    line = next_line(out);
    used = (size_t)snprintf(line, LINE, "%s", name);
    for (int i = 0; i < w->n; i++)
      used += (size_t)snprintf(line + used, LINE - used, " x%d<=%d x%d'=%d", i, w->part[i].most[at[k][i]], i,
                               w->part[i].rate[at[k][i]]);
    naive_jumps(w, at[k], out);
    after = out->n;
    for (size_t j = before + 1; j < after; j++) { /* its targets, from their names */
      int to[MOST_PARTS];
      const char *name_at = strstr(out->at[j], "-> ") + 3;
      bool known = false;
      for (int i = 0; i < w->n; i++) {
        to[i] = (int)strtol(strchr(name_at, 'p') + 1, NULL, 10);
        name_at = strchr(name_at, 'p') + 1;
      }
      for (int q = 0; q < n && !known; q++)
        known = memcmp(at[q], to, (size_t)w->n * sizeof to[0]) == 0;
      if (!known && n < MOST_STATES)
        memcpy(at[n++], to, (size_t)w->n * sizeof to[0]);
    }
  }
}

/* The bound c of a row x - c <= 0. */
static bool at_most(const hys_condition *c, int *variable, int *bound) {
  if (!CHECK(c->affine && c->relation == HYS_RELATION_LE && c->row.n == 1 && c->row.term[0].coef.lo == 1.0))
    return false;
  *variable = (int)c->row.term[0].variable;
  *bound = (int)-c->row.constant.lo;
  return true;
}

static void as_made(const hys_hybrid *h, lines *out) {
  uint32_t queue[MOST_STATES], n = 0;

  CHECK_INT(h->initial(h->context, &h->initially[0], 0, &queue[n++]), HYS_OK);
  for (uint32_t k = 0; k < n; k++) {
    const hys_hybrid_location *l = NULL;
    int most[MOST_PARTS] = {0}, v, b;
    char *line;
    size_t used;
    if (!CHECK_INT(h->location(h->context, queue[k], &l), HYS_OK))
      return;
    line = next_line(out);
    used = (size_t)snprintf(line, LINE, "%s", l->name);
    for (uint32_t i = 0; i < l->invariant.n; i++)
      if (at_most(&l->invariant.condition[i], &v, &b))
        most[v] = b;
    for (size_t i = 0; i < h->n; i++)
      used += (size_t)snprintf(line + used, LINE - used, " x%zu<=%d x%zu'=%g", i, most[i], i,
                               l->rate[i].row.constant.lo);
    for (uint32_t j = 0; j < l->n_jumps; j++) {
      const hys_hybrid_jump *t = &l->jump[j];
      const hys_hybrid_location *to = NULL;
      int guard[MOST_PARTS] = {0};
      bool known = false;
      if (!CHECK_INT(h->location(h->context, t->target, &to), HYS_OK))
        return;
      line = next_line(out);
      used = (size_t)snprintf(line, LINE, "%s -> %s l%d", l->name, to->name,
                              t->label == HYS_NO_LABEL ? -1 : (int)(h->label[t->label][1] - '0'));
      for (uint32_t i = 0; i < t->guard.n; i++)
        if (at_most(&t->guard.condition[i], &v, &b))
          guard[v] = b;
      for (size_t i = 0; i < h->n; i++) {
        if (guard[i] != 0)
          used += (size_t)snprintf(line + used, LINE - used, " x%zu<=%d", i, guard[i]);
        if (t->reset[i].kind == HYS_RESET_ASSIGN)
          used += (size_t)snprintf(line + used, LINE - used, " x%zu:=%g", i, t->reset[i].row.constant.lo);
        CHECK(t->reset[i].kind != HYS_RESET_ANY);
      }
      for (uint32_t q = 0; q < n; q++)
        known = known || queue[q] == t->target;
      if (!known && n < MOST_STATES)
        queue[n++] = t->target;
    }
  }
}

static void as_enumerated(void) {
  static char body[65536];
  static lines want, got;
  size_t all = 0;

  for (int k = 0; k < CASES; k++) {
    const network w = draw();
    char cfg[400];
    size_t used = (size_t)snprintf(cfg, sizeof cfg, "system = net\ninitially = \"");
    text_model m;
    check_label("case %d", k);
    for (int i = 0; i < w.n; i++)
      used += (size_t)snprintf(cfg + used, sizeof cfg - used, "%sx%d==0 & loc(i%d)==p0", i > 0 ? " & " : "",
                               i, i);
    snprintf(cfg + used, sizeof cfg - used, "\"\n");
    write_network(&w, body, sizeof body);
    if (!text_model_open(&m, body, cfg))
      return;
    want.n = got.n = 0;
    naive(&w, &want);
    as_made(m.automaton, &got);
    qsort(want.at, want.n, LINE, by_text);
    qsort(got.at, got.n, LINE, by_text);
    CHECK_INT(got.n, want.n);
    for (size_t i = 0; i < want.n && i < got.n; i++)
      CHECK_STR(got.at[i], want.at[i]);
    all += want.n;
    text_model_close(&m);
  }
  CHECK(all > 10 * CASES);
}

/* ---- large ones ---- */

/* n switches, each of which turns by itself. */
static void switches(int n, char *text, size_t size) {
  size_t used = 0;

  PUT("<component id='switch'><location id='1' name='off'/><location id='2' name='on'/>"
      "<transition source='1' target='2'/><transition source='2' target='1'/></component>"
      "<component id='clock'><param name='t' type='real' local='false' d1='1' d2='1' dynamics='any'/>"
      "<location id='1' name='run'><flow>t' == 1</flow></location></component>"
      "<component id='net'><param name='t' type='real' local='false' d1='1' d2='1' dynamics='any'/>"
      "<bind component='clock' as='c'><map key='t'>t</map></bind>");
  for (int i = 0; i < n; i++)
    PUT("<bind component='switch' as='s%d'/>", i);
  PUT("</component>");
}

static size_t bytes(void) {
  const struct mallinfo2 m = mallinfo2();

  return m.uordblks + m.hblkhd;
}

static void large(void) {
  static const int size[] = {20, 60};
  static char body[65536];

  for (size_t k = 0; k < sizeof size / sizeof size[0]; k++) {
    static char cfg[4096];
    size_t used = (size_t)snprintf(cfg, sizeof cfg, "system = net\ninitially = \"t == 0");
    const size_t empty = bytes();
    size_t at[3] = {0};
    uint32_t next = 0, known = 1;
    text_model m;
    check_label("2^%d locations", size[k]);
    for (int i = 0; i < size[k]; i++)
      used += (size_t)snprintf(cfg + used, sizeof cfg - used, " & loc(s%d)==off", i);
    snprintf(cfg + used, sizeof cfg - used, "\"\n");
    switches(size[k], body, sizeof body);
    if (!text_model_open(&m, body, cfg))
      return;
    CHECK_INT(m.automaton->n_instances, size[k] + 1);
    at[0] = bytes();
    CHECK_INT(m.automaton->initial(m.automaton->context, &m.automaton->initially[0], 0, &next), HYS_OK);
    CHECK_INT(next, 0);
    for (; next < 2000; next++) { /* indices are given as they are met */
      const hys_hybrid_location *l = NULL;
      if (!CHECK_INT(m.automaton->location(m.automaton->context, next, &l), HYS_OK))
        break;
      CHECK_INT(l->n_jumps, size[k]);
      for (uint32_t j = 0; j < l->n_jumps; j++)
        known = l->jump[j].target + 1 > known ? l->jump[j].target + 1 : known;
      if (next + 1 == 1000)
        at[1] = bytes();
    }
    at[2] = bytes();
    CHECK(known > 2000 && known < 2000U * (uint32_t)size[k]);
    if (bytes() > empty) { /* the allocator of a sanitizer tells nothing */
      CHECK(at[0] - empty < 2000000);
      CHECK(at[2] - at[0] < 2 * (at[1] - at[0]) + 4000000 && at[1] > at[0]);
      CHECK(at[2] - at[0] < 2000 * 400 * (size_t)size[k]); /* bytes a jump of a location */
      printf("2^%d locations: %zu bytes to open, %zu with 2000 of them made\n", size[k], at[0] - empty,
             at[2] - empty);
    }
    text_model_close(&m);
  }
}

CHECK_MAIN("hybrid_product", {"as enumerated", as_enumerated}, {"large ones", large})
