/* A shield in a loop of one's own: read the shield file, make the shield, step it with samples and commands,
 * send what it says, and come back when it wants to.
 *
 * The plant is a few lines at the end: two vehicles, the one ahead brakes at 6 m/s^2 after a second, and the
 * controller asks to accelerate every 100 ms all the same.  A real loop has sensors, a wire and a clock
 * there.
 *
 *   shield_loop [SHIELD_FILE]      (default: acc.shield.xml of the library, by HYSHIELD_SRCDIR) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/allocator.h"
#include "core/diagnostics.h"
#include "models/shield_file.h"
#include "monitor/shield_alloc.h"
#include "synth/offline/recovery.h"

static const int64_t ms = 1000000; /* instants are in nanoseconds */

typedef struct plant plant;
static void plant_send(plant *p, int64_t now, const char *command);
static void plant_sample(const plant *p, const hys_automaton *a, double *x);
static void plant_advance(plant *p, int64_t now);

/* ---- the loop ---- */

/* One thing that happened at `now`: tell the shield, send what it answers. */
static hys_output tell(hys_shield *shield, const hys_spec *spec, plant *p, int64_t now,
                       const hys_input *input) {
  hys_output output;
  if (hys_shield_step(shield, now, input, &output) != HYS_OK)
    fprintf(stderr, "%.3f s: the step failed\n", (double)now * 1e-9);
  for (uint32_t i = 0; i < output.n_sends; i++)
    plant_send(p, now, spec->command[output.send[i].command].name);
  for (uint32_t i = 0; i < output.n_records; i++)
    if (output.record[i].action != HYS_ACTION_NONE && output.record[i].action != HYS_ACTION_PASS)
      printf("%.3f s: %s (%s)\n", (double)now * 1e-9, hys_action_name(output.record[i].action),
             hys_reason_text(output.record[i].reason));
  return output;
}

/* false: the guarantee was lost on the way. */
static bool drive(hys_shield *shield, const hys_spec *spec, plant *p, uint32_t wanted) {
  uint64_t id = 1; /* 0 marks insertions */
  bool kept = true;
  for (int64_t now = 0, wake = INT64_MAX; now <= 12000 * ms; now += ms) {
    plant_advance(p, now);
    if (now % spec->timing.period == 0) {
      double x[HYS_MAX_STATES];
      plant_sample(p, spec->automaton, x);
      const hys_input sample = {.kind = HYS_INPUT_SAMPLE, .stamp = now, .x = x};
      tell(shield, spec, p, now, &sample);
      const hys_input command = {
          .kind = HYS_INPUT_COMMAND, .which = wanted, .value = (double)NAN, .id = id++};
      wake = tell(shield, spec, p, now, &command).wake;
    }
    if (wake <= now) /* the timer: at most timer-late after the instant that was asked for */
      wake = tell(shield, spec, p, now, NULL).wake;
    kept = kept && hys_shield_state(shield) == HYS_STATE_GUARDED;
  }
  return kept;
}

/* ---- the plant ---- */

enum { WIRE = 16 };

struct plant {
  double d, v, w, a; /* gap [m], speeds [m/s], acceleration in force [m/s^2] */
  double least;      /* smallest gap so far [m] */
  unsigned braked;   /* times that `brake' was sent */
  struct {
    int64_t at;
    double a;
  } wire[WIRE]; /* commands on their way */
  size_t first, last;
};

/* Takes effect 20 ms later (the shield file allows 10 to 40 ms), in the order of sending. */
static void plant_send(plant *p, int64_t now, const char *command) {
  const bool brake = strcmp(command, "brake") == 0;
  p->braked += brake;
  if (p->last - p->first == WIRE)
    return;
  p->wire[p->last % WIRE].at = now + 20 * ms;
  p->wire[p->last++ % WIRE].a = brake ? -6.0 : 2.0;
}

/* What is measured; NaN: not measured. */
static void plant_sample(const plant *p, const hys_automaton *a, double *x) {
  for (size_t i = 0; i < a->nx; i++) {
    const char *name = a->state_name[i];
    x[i] = strcmp(name, "d") == 0   ? p->d
           : strcmp(name, "v") == 0 ? p->v
           : strcmp(name, "w") == 0 ? p->w
                                    : (double)NAN;
  }
}

/* A millisecond, up to `now`. */
static void plant_advance(plant *p, int64_t now) {
  const double h = 1e-3, lead = now > 1000 * ms ? -6.0 : 0.0;
  const double v = fmax(p->v + h * p->a, 0.0), w = fmax(p->w + h * lead, 0.0);
  if (now == 0)
    return;
  p->d += h * 0.5 * (p->w + w - p->v - v);
  p->v = v;
  p->w = w;
  p->least = fmin(p->least, p->d);
  while (p->first < p->last && p->wire[p->first % WIRE].at <= now)
    p->a = p->wire[p->first++ % WIRE].a;
}

/* ---- setting up ---- */

static uint32_t find_command(const hys_spec *spec, const char *name) {
  uint32_t k = 0;
  while (k < spec->n_commands && strcmp(spec->command[k].name, name) != 0)
    k++;
  return k;
}

int main(int argc, char **argv) {
  const char *folder = getenv("HYSHIELD_SRCDIR");
  char path[4096];
  snprintf(path, sizeof path, "%s/models/library/acc/acc.shield.xml", folder != NULL ? folder : ".");

  hys_arena *arena = hys_arena_create(NULL); /* what the reader builds lives here */
  hys_diagnostics said;
  const hys_spec *file = NULL;
  hys_recovered ready;
  hys_recovery_report recovery;
  hys_shield *shield = NULL;

  if (arena == NULL)
    return 70;
  hys_diagnostics_init(&said, arena);
  hys_status status = hys_shield_file_read(argc > 1 ? argv[1] : path, arena, &said, &file);
  for (uint32_t i = 0; i < said.n; i++)
    fprintf(stderr, "%s:%u:%u: %s\n", said.item[i].file != NULL ? said.item[i].file : "", said.item[i].line,
            said.item[i].column, said.item[i].text);
  if (status == HYS_OK) /* does nothing unless an event joins states and inputs */
    status = hys_recovery_prepare(&ready, file, NULL, &recovery);
  if (status == HYS_OK)
    status = hys_shield_create(&shield, &ready.spec, NULL, NULL);
  if (status != HYS_OK || find_command(&ready.spec, "accelerate") == ready.spec.n_commands) {
    fprintf(stderr, "no shield: %s\n", hys_status_text(status));
    hys_shield_destroy(shield, NULL);
    hys_arena_destroy(arena);
    return 65;
  }

  plant p = {.d = 60.0, .v = 20.0, .w = 20.0, .least = 60.0};
  const bool kept = drive(shield, &ready.spec, &p, find_command(&ready.spec, "accelerate"));
  hys_shield_destroy(shield, NULL);
  hys_arena_destroy(arena);

  printf("smallest gap %.3f m, %u times braked, the guarantee %s\n", p.least, p.braked,
         kept ? "was kept" : "was lost");
  const int failed = (p.least >= 2.0 ? 0 : 1) + (p.braked > 0 ? 0 : 1) + (kept ? 0 : 1);
  printf("%d passed, %d failed\n", 3 - failed, failed);
  return failed == 0 ? 0 : 1;
}
