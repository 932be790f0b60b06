/* What holds for every shield: reset, two at a time, the same again, and memory that is none. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "monitor/shield_alloc.h"
#include "tests/support/check.h"
#include "tests/support/rig.h"

static uint64_t next_bits(uint64_t *state) { /* splitmix64 */
  uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

static double uniform(uint64_t *state, double lo, double hi) {
  return lo + (hi - lo) * ((double)(next_bits(state) >> 11) * 0x1p-53);
}

/* A run of inputs that depends on the seed and on nothing else: good and bad samples, commands, events, the
 * timer on its instants, late, and early. */
typedef struct script {
  uint64_t random;
  double t, d, v, w;
  int64_t wake;
} script;

static script script_start(uint64_t seed) {
  script s = {.random = seed, .wake = HYS_NEVER};
  s.d = uniform(&s.random, 30.0, 90.0);
  s.v = uniform(&s.random, 10.0, 30.0);
  s.w = uniform(&s.random, 10.0, 30.0);
  return s;
}

static void script_step(script *s, rig *r) {
  double dt = uniform(&s->random, 0.001, 0.06);
  if (s->wake != HYS_NEVER && s->t + dt > (double)s->wake * 1e-9)
    dt = (double)s->wake * 1e-9 - s->t;
  if (dt < 0.0)
    dt = 0.0;
  const int64_t now = (int64_t)((s->t + dt) * 1e9);
  s->d += (s->w - s->v) * dt;
  s->t += dt;
  switch (next_bits(&s->random) % 8) {
  case 0:
  case 1:
  case 2:
    rig_acc_sample(r, (double)now * 1e-6, s->d + uniform(&s->random, -0.2, 0.2), s->v, s->w);
    break;
  case 3:
    rig_acc_sample(r, (double)now * 1e-6, uniform(&s->random, -3.0, 310.0), s->v, HYSI_NAN);
    break;
  case 4:
    rig_event(r, (double)now * 1e-6, (uint32_t)(next_bits(&s->random) % 64 == 0 ? 0 : 7), NULL);
    break;
  case 5:
    rig_timer_at(r, now);
    break;
  default:
    rig_command_at(r, now, (uint32_t)(next_bits(&s->random) % 6), uniform(&s->random, -7.0, 3.0),
                   next_bits(&s->random) >> 12);
  }
  s->wake = r->out.wake;
}

/* A shield after reset gives what a fresh one gives, and two runs of a script the same. */
static void reset_equals_fresh(void) {
  rig r, fresh;
  if (!rig_read_acc(&r))
    return;
  rig_use(&fresh, &r.spec);
  fresh.accelerate = r.accelerate;
  fresh.d = r.d;
  fresh.v = r.v;
  fresh.a = r.a;
  fresh.w = r.w;
  if (rig_make(&r)) {
    uint32_t sends = 0, kinds = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
      check_label("seed %u", (unsigned)seed);
      if (!rig_make(&fresh))
        break;
      script s = script_start(seed), f = s;
      CHECK_INT(hys_shield_reset(r.shield), HYS_OK);
      bool alike = true;
      for (int i = 0; i < 150 && alike; i++) {
        script_step(&s, &r);
        script_step(&f, &fresh);
        alike = CHECK(rig_same_output(&r.out, &fresh.out));
        sends += r.out.n_sends;
        for (uint32_t k = 0; k < r.out.n_records; k++)
          kinds |= UINT32_C(1) << r.out.record[k].reason;
      }
      hys_shield_destroy(fresh.shield, NULL);
    }
    check_label("the scripts do something");
    CHECK(sends > 50);
    CHECK((kinds >> HYS_REASON_PASSED & 1U) != 0 && (kinds >> HYS_REASON_MODEL_MISMATCH & 1U) != 0 &&
          (kinds >> HYS_REASON_INPUT_RANGE & 1U) != 0);
  }
  rig_end(&r);
}

/* Two shields over one specification, step by step in turn, each as if it were alone. */
static void two_shields(void) {
  enum { STEPS = 200 };
  static hys_output alone[2][STEPS];
  rig r[2];
  if (!rig_read_acc(&r[0]))
    return;
  r[1] = r[0];
  r[1].arena = NULL;
  for (int k = 0; k < 2; k++) {
    if (rig_make(&r[k])) {
      script s = script_start(100U + (uint64_t)k);
      for (int i = 0; i < STEPS; i++) {
        script_step(&s, &r[k]);
        alone[k][i] = r[k].out;
      }
      hys_shield_destroy(r[k].shield, NULL);
    }
  }
  r[1].spec = r[0].spec;
  if (rig_make(&r[0]) && rig_make(&r[1])) {
    script s[2] = {script_start(100), script_start(101)};
    for (int i = 0; i < STEPS; i++)
      for (int k = 0; k < 2; k++) {
        script_step(&s[k], &r[k]);
        check_label("shield %d, step %d", k, i);
        CHECK(rig_same_output(&r[k].out, &alone[k][i]));
      }
  }
  hys_shield_destroy(r[1].shield, NULL);
  rig_end(&r[0]);
}

/* Memory that nobody has made into a shield lets nothing through. In a process of its own: it may end it. */
static void zeroed_shield(void) {
  fflush(stdout);
  const pid_t child = fork();
  if (!CHECK(child >= 0))
    return;
  if (child == 0) {
    static union {
      hys_shield shield;
      max_align_t align;
    } memory;
    static hys_output out;
    static const double x[HYS_MAX_STATES];
    const hys_input inputs[3] = {
        {.kind = HYS_INPUT_COMMAND}, {.kind = HYS_INPUT_SAMPLE, .x = x}, {.kind = HYS_INPUT_EVENT}};
    int sends = 0;
    for (int i = 0; i < 3; i++) {
      out.n_sends = 7;
      const hys_status status = hys_shield_step(&memory.shield, 1 + i, &inputs[i], &out);
      sends += (int)out.n_sends + (status == HYS_OK ? 100 : 0);
    }
    _exit(sends == 0 ? 0 : 1);
  }
  int status = 0;
  CHECK_INT(waitpid(child, &status, 0), child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void zeroed_specification(void) {
  static hys_spec spec;
  static hys_automaton automaton;
  static max_align_t memory[1 << 16];
  hys_shield *shield = NULL;
  spec.automaton = &automaton;
  CHECK_INT(hys_shield_size(&spec), 0);
  CHECK_INT(hys_shield_init(&shield, memory, sizeof memory, &spec, NULL), HYS_ERR_LIMIT);
  CHECK(shield == NULL);
  check_label("nothing given");
  CHECK_INT(hys_shield_init(NULL, memory, sizeof memory, &spec, NULL), HYS_ERR_ARG);
  CHECK_INT(hys_shield_init(&shield, NULL, sizeof memory, &spec, NULL), HYS_ERR_ARG);
  CHECK_INT(hys_shield_init(&shield, memory, sizeof memory, NULL, NULL), HYS_ERR_ARG);
  CHECK_INT(hys_shield_step(NULL, 0, NULL, NULL), HYS_ERR_ARG);
  CHECK_INT(hys_shield_reset(NULL), HYS_ERR_ARG);
  /* verdicts and reasons of zero permit nothing */
  CHECK_INT(HYS_UNKNOWN, 0);
  CHECK_INT(HYS_REASON_NONE, 0);
  CHECK_INT(HYS_ACTION_NONE, 0);
  CHECK_INT(HYS_STATE_START, 0);
}

static void memory_given(void) {
  rig r;
  if (!rig_read_acc(&r))
    return;
  const size_t size = hys_shield_size(&r.spec);
  hys_shield *shield = NULL;
  char *memory = malloc(size + 16);
  if (CHECK(memory != NULL) && CHECK(size > 0)) {
    memset(memory, 0xA5, size + 16);
    CHECK_INT(hys_shield_init(&shield, memory, size - 1, &r.spec, NULL), HYS_ERR_LIMIT);
    CHECK(shield == NULL);
    CHECK_INT(hys_shield_init(&shield, memory, size, &r.spec, NULL), HYS_OK);
    CHECK((void *)shield == (void *)memory);
    r.shield = shield;
    rig_acc_sample(&r, 0.0, 80.0, 22.0, 22.0);
    rig_command(&r, 10.0, r.accelerate, 1);
    CHECK_INT(r.out.n_sends, 1);
    for (size_t i = size; i < size + 16; i++)
      CHECK((unsigned char)memory[i] == 0xA5);
    r.shield = NULL;
  }
  free(memory);
  rig_end(&r);
}

CHECK_MAIN("shield_instances", {"reset equals fresh", reset_equals_fresh}, {"two shields", two_shields},
           {"zeroed shield", zeroed_shield}, {"zeroed specification", zeroed_specification},
           {"memory given", memory_given})
