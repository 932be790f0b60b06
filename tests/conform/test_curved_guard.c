/* Guards that are not affine: the one of cut_in against its oracle, and on a command refused with its place.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/rt/guard.h"
#include "models/shield_file.h"
#include "tests/oracle/acc_oracle.h"
#include "tests/support/check.h"

static size_t index_of(const char *const *name, size_t n, const char *wanted) {
  for (size_t i = 0; i < n; i++)
    if (strcmp(name[i], wanted) == 0)
      return i;
  return n;
}

static bool holds(const hys_automaton *a, const hys_jump *jump, const hys_interval *x,
                  const hys_interval *u) {
  for (uint32_t k = 0; k < jump->guard.n; k++) {
    const hys_halfspace *row = &jump->guard.row[k];
    hys_interval sum = hys_interval_point(0.0);
    for (size_t j = 0; j < a->nx + a->nu; j++)
      if (row->a[j].lo != 0.0 || row->a[j].hi != 0.0)
        sum = hys_interval_add(sum, hys_interval_mul(row->a[j], j < a->nx ? x[j] : u[j - a->nx]));
    if (!(sum.hi <= row->c.lo))
      return false;
  }
  return hys_curved_hold_surely(a, jump, x, u);
}

static void cut_in(void) {
  hys_arena *arena = hys_arena_create(NULL);
  hys_diagnostics said;
  const hys_spec *spec = NULL;
  int jumps = 0, allowed = 0, compared = 0;
  if (!CHECK(arena != NULL))
    return;
  hys_diagnostics_init(&said, arena);
  if (CHECK_INT(hys_shield_file_read(check_source_path("models/library/acc/acc_cutin.shield.xml"), arena,
                                     &said, &spec),
                HYS_OK)) {
    const hys_automaton *a = spec->automaton;
    const size_t v = index_of(a->state_name, a->nx, "v"), gap = index_of(a->input_name, a->nu, "gap"),
                 speed = index_of(a->input_name, a->nu, "speed");
    for (uint32_t k = 0; k < a->n_jumps && CHECK(v < a->nx && gap < a->nu && speed < a->nu); k++) {
      const hys_jump *jump = &a->jump[k];
      CHECK_INT(jump->n_curved, strcmp(jump->label < 0 ? "" : a->label_name[jump->label], "cut_in") == 0);
      jumps += jump->n_curved > 0;
      for (int i = 0; jump->n_curved > 0 && i < 1000; i++) {
        hys_interval x[HYS_MAX_STATES] = {{0.0, 0.0}}, u[HYS_MAX_INPUTS] = {{0.0, 0.0}};
        const double ego = (double)(i % 10) * 5.0, ahead = (double)(i / 10 % 10) * 5.0;
        const double need = 2.0 + 0.36 * ego + 0.1296 + acc_need(ego + 0.72, ahead, 6.0, 6.0);
        const double here = need + ((double)(i / 100) - 4.5) * 0.01;
        x[v] = hys_interval_point(ego);
        u[gap] = hys_interval_point(here);
        u[speed] = hys_interval_point(ahead);
        const bool yes = acc_cut_in_allowed(here, ahead, ego, &acc_sets[0], 0.36, ACC_ACCELERATE);
        CHECK_INT(holds(a, jump, x, u), yes);
        allowed += yes;
        compared++;
      }
    }
    CHECK_INT(jumps, 12);
    CHECK(allowed > compared / 3 && allowed < compared * 2 / 3);
  }
  hys_arena_destroy(arena);
}

/* Copies a file of the library into a folder, with one text in it replaced. */
static bool copy(const char *name, const char *folder, const char *from, const char *to) {
  char path[512], text[32768];
  snprintf(path, sizeof path, "models/library/acc/%s", name);
  FILE *in = fopen(check_source_path(path), "r");
  if (in == NULL)
    return false;
  const size_t n = fread(text, 1, sizeof text - 1, in);
  fclose(in);
  text[n] = '\0';
  snprintf(path, sizeof path, "%s/%s", folder, name);
  const char *at = from != NULL ? strstr(text, from) : text;
  FILE *out = at != NULL ? fopen(path, "w") : NULL;
  if (out == NULL)
    return false;
  fwrite(text, 1, (size_t)(at - text), out);
  if (from != NULL)
    fputs(to, out);
  fputs(at + (from != NULL ? strlen(from) : 0), out);
  return fclose(out) == 0;
}

static hys_status read_with(const char *from, const char *to, const char *message, bool *said_it) {
  const char *folder = check_build_path("tests/conform/curved_guard.tmp");
  char path[600];
  hys_arena *arena = hys_arena_create(NULL);
  hys_diagnostics said;
  const hys_spec *spec = NULL;
  mkdir(folder, 0777);
  hys_diagnostics_init(&said, arena);
  CHECK(copy("acc.xml", folder, from, to) && copy("acc.cfg", folder, NULL, NULL) &&
        copy("acc.shield.xml", folder, NULL, NULL));
  snprintf(path, sizeof path, "%s/acc.shield.xml", folder);
  const hys_status status = hys_shield_file_read(path, arena, &said, &spec);
  *said_it = false;
  for (uint32_t k = 0; k < said.n; k++)
    *said_it = *said_it || strstr(said.item[k].text, message) != NULL;
  static const char *const names[] = {"acc.xml", "acc.cfg", "acc.shield.xml"};
  for (int k = 0; k < 3; k++) {
    snprintf(path, sizeof path, "%s/%s", folder, names[k]);
    remove(path);
  }
  rmdir(folder);
  hys_arena_destroy(arena);
  return status;
}

static void refused(void) {
  static const char before[] = "<label>brake</label>";
  bool said_it;
  check_label("a command");
  CHECK_INT(
      read_with(before, "<label>brake</label><guard>v*v &lt;= 400</guard>", "is not affine, and", &said_it),
      HYS_ERR_INPUT);
  CHECK(said_it);
  check_label("an equation");
  CHECK(read_with("<label>lead_lost</label>", "<label>lead_lost</label><guard>w*w == v*v</guard>",
                  "not affine", &said_it) != HYS_OK);
  CHECK(said_it);
  check_label("an invariant");
  CHECK(read_with("<invariant>v &gt;= 0</invariant>", "<invariant>v*v &gt;= 0</invariant>", "not affine",
                  &said_it) != HYS_OK);
  CHECK(said_it);
  check_label("an event");
  CHECK_INT(read_with("<label>lead_lost</label>", "<label>lead_lost</label><guard>w*w &lt;= v*v</guard>",
                      "affine", &said_it),
            HYS_OK);
  CHECK(!said_it);
}

CHECK_MAIN("curved_guard", {"cut_in against its oracle", cut_in}, {"where it is refused", refused})
