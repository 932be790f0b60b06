/* Lead profiles: within their bounds, never backwards, and what each kind is said to do; recorded drives. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sims/acc_lead.h"
#include "sims/acc_scenarios.h"
#include "tests/support/check.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define KMH(speed) ((speed) / 3.6)

static const acc_lead_bounds bounds = {6.0, 3.5};

static acc_lead *make(const acc_lead_profile *profile, double w0, double duration) {
  acc_lead *lead = NULL;
  CHECK_INT(acc_lead_create(&lead, profile, w0, duration, &bounds, NULL), HYS_OK);
  return lead;
}

/* Walks from break to break as an integrator does; checks the promises; returns the distance. */
static double walk(const acc_lead *lead, double w, double until) {
  double t = 0.0, distance = 0.0;
  size_t pieces = 0;
  while (t < until) {
    const double next = fmin(acc_lead_next_break(lead, t), until), dt = next - t;
    if (!CHECK(next > t) || !CHECK(++pieces < 100000))
      break;
    const double a = acc_lead_accel(lead, t, w);
    CHECK(a >= -bounds.brake_max && a <= bounds.accel_max);
    if (w + a * dt / 2 > 1e-9)
      CHECK_SAME(acc_lead_accel(lead, t + dt / 2, w + a * dt / 2), a);
    distance += w * dt + a * dt * dt / 2;
    w += a * dt;
    CHECK(w >= -1e-9);
    w = fmax(w, 0.0);
    t = next;
    CHECK_NEAR(acc_lead_speed(lead, t), w, 1e-6);
  }
  return distance;
}

static void steady_and_brake(void) {
  acc_lead *lead = make(&(acc_lead_profile){.kind = ACC_LEAD_STEADY, .swap_at = HUGE_VAL}, 20, 60);
  if (lead != NULL) {
    CHECK_SAME(acc_lead_accel(lead, 17, 20), 0.0);
    CHECK_SAME(acc_lead_next_break(lead, 0), HUGE_VAL);
    CHECK_NEAR(walk(lead, 20, 60), 1200, 1e-9);
  }
  acc_lead_destroy(lead);
  lead =
      make(&(acc_lead_profile){.kind = ACC_LEAD_BRAKE, .start = 1, .rate = 4, .swap_at = HUGE_VAL}, 10, 60);
  if (lead != NULL) {
    CHECK_SAME(acc_lead_next_break(lead, 0), 1.0);
    CHECK_SAME(acc_lead_next_break(lead, 1), 3.5);
    CHECK_SAME(acc_lead_next_break(lead, 3.5), HUGE_VAL);
    CHECK_SAME(acc_lead_accel(lead, 0.999, 10), 0.0);
    CHECK_SAME(acc_lead_accel(lead, 1, 10), -4.0);
    check_label("a vehicle that stands brakes no more, whatever the time");
    CHECK_SAME(acc_lead_accel(lead, 2, 0), 0.0);
    CHECK_NEAR(walk(lead, 10, 60), 10 + 12.5, 1e-9);
  }
  acc_lead_destroy(lead);
  check_label("no rate, and a rate beyond the bound: the bound");
  for (int i = 0; i < 2; i++) {
    lead = make(&(acc_lead_profile){.kind = ACC_LEAD_BRAKE, .rate = i * 100, .swap_at = HUGE_VAL}, 12, 60);
    if (lead != NULL)
      CHECK_NEAR(walk(lead, 12, 60), 12, 1e-9);
    acc_lead_destroy(lead);
  }
}

static void swapped(void) {
  const acc_lead_profile profile = {
      .kind = ACC_LEAD_BRAKE, .start = 1, .rate = 4, .swap_at = 2, .swap_speed = 15};
  acc_lead *lead = make(&profile, 10, 60);
  if (lead == NULL)
    return;
  CHECK_SAME(acc_lead_next_break(lead, 1), 2.0);
  CHECK_SAME(acc_lead_accel(lead, 2, 15), 0.0);
  CHECK_SAME(acc_lead_speed(lead, 30), 15.0);
  acc_lead_destroy(lead);
}

static void bang_bang(void) {
  acc_lead_profile profile = {
      .kind = ACC_LEAD_BANG_BANG, .period = 0.7, .speed_max = 35, .seed = 7, .swap_at = HUGE_VAL};
  acc_lead *one = make(&profile, 20, 2000), *same = make(&profile, 20, 2000);
  profile.seed = 8;
  acc_lead *other = make(&profile, 20, 2000);
  if (one != NULL && same != NULL && other != NULL) {
    walk(one, 20, 2000);
    int brakes = 0, goes = 0, differs = 0;
    double sum = 0.0;
    for (int k = 0; k < 2800; k++) {
      const double t = 0.35 + k * 0.7, w = acc_lead_speed(one, t);
      check_label("period %d", k);
      CHECK(w <= 35 + 1e-9);
      CHECK_SAME(acc_lead_accel(one, t, w), acc_lead_accel(same, t, w));
      const double a = acc_lead_accel(one, t, 1.0);
      differs += a < 0 ? acc_lead_accel(other, t, 1.0) >= 0 : acc_lead_accel(other, t, 1.0) < 0;
      brakes += a <= -6;
      goes += a >= 3.5;
      sum += w;
    }
    check_label("both ends are used, the seed matters, the speed lingers neither at zero nor at its bound");
    CHECK(brakes > 500 && goes > 500 && differs > 500);
    CHECK(sum / 2800 > 5 && sum / 2800 < 30);
  }
  acc_lead_destroy(one);
  acc_lead_destroy(same);
  acc_lead_destroy(other);
}

static void oscillating(void) {
  const acc_lead_profile profile = {
      .kind = ACC_LEAD_OSCILLATING, .rate = 3, .period = 10, .swap_at = HUGE_VAL};
  acc_lead *lead = make(&profile, 20, 100);
  if (lead == NULL)
    return;
  walk(lead, 20, 100);
  /* After whole periods the first speed again; half way between, the amplitude of a sine's integral, 2 rate /
   * omega, to what twenty steps change. */
  CHECK_NEAR(acc_lead_speed(lead, 50), 20, 1e-9);
  CHECK_NEAR(acc_lead_speed(lead, 55), 20 + 2 * 3 * 10 / (2 * 3.14159265358979), 0.05);
  acc_lead_destroy(lead);
}

static void stop_and_go(void) {
  const acc_lead_profile profile = {
      .kind = ACC_LEAD_STOP_AND_GO, .start = 3, .rate = 2, .rate_up = 1, .period = 5, .swap_at = HUGE_VAL};
  acc_lead *lead = make(&profile, 10, 200);
  if (lead == NULL)
    return;
  walk(lead, 10, 200);
  /* brake 5 s, stand 5 s, go 10 s, keep 5 s: 25 s a round */
  for (int k = 0; k < 7; k++) {
    check_label("round %d", k);
    CHECK_NEAR(acc_lead_speed(lead, 3 + 25 * k), 10, 1e-9);
    CHECK_NEAR(acc_lead_speed(lead, 3 + 25 * k + 2.5), 5, 1e-9);
    CHECK_NEAR(acc_lead_speed(lead, 3 + 25 * k + 7), 0, 0);
    CHECK_NEAR(acc_lead_speed(lead, 3 + 25 * k + 15), 5, 1e-9);
    CHECK_NEAR(acc_lead_speed(lead, 3 + 25 * k + 22), 10, 1e-9);
  }
  acc_lead_destroy(lead);
}

static void cycles(void) {
  static const struct {
    const char *name;
    double seconds, metres, t, speed;
  } row[] = {{"urban", 195, 1013, 150, 50}, {"extra-urban", 400, 6955, 340, 120}};
  for (size_t i = 0; i < COUNT(row); i++) {
    check_label("%s", row[i].name);
    const acc_scenario *scenario = acc_scenario_find(row[i].name);
    if (!CHECK(scenario != NULL))
      continue;
    CHECK_SAME(scenario->duration, row[i].seconds);
    acc_lead *lead = make(&scenario->lead, scenario->w, scenario->duration);
    if (lead == NULL)
      continue;
    /* UN R83 states the theoretical distance, from accelerations rounded to two digits. */
    CHECK_NEAR(walk(lead, 0, row[i].seconds), row[i].metres, 0.005 * row[i].metres);
    CHECK_NEAR(acc_lead_speed(lead, row[i].t), KMH(row[i].speed), 1e-9);
    CHECK_NEAR(acc_lead_speed(lead, row[i].seconds), 0, 1e-9);
    acc_lead_destroy(lead);
  }
}

static void refused(void) {
  static const acc_lead_point backwards[] = {{0, 1}, {2, 1}, {1, 1}}, late[] = {{1, 1}};
  const acc_lead_profile bad[] = {
      {.kind = ACC_LEAD_BRAKE, .start = -1, .swap_at = HUGE_VAL},
      {.kind = ACC_LEAD_BRAKE, .start = (double)NAN, .swap_at = HUGE_VAL},
      {.kind = ACC_LEAD_BRAKE, .rate = -1, .swap_at = HUGE_VAL},
      {.kind = ACC_LEAD_BANG_BANG, .period = 0, .swap_at = HUGE_VAL},
      {.kind = ACC_LEAD_OSCILLATING, .period = (double)NAN, .swap_at = HUGE_VAL},
      {.kind = ACC_LEAD_TABLE, .swap_at = HUGE_VAL},
      {.kind = ACC_LEAD_TABLE, .point = backwards, .n_points = 3, .swap_at = HUGE_VAL},
      {.kind = ACC_LEAD_TABLE, .point = late, .n_points = 1, .swap_at = HUGE_VAL},
      {.kind = ACC_LEAD_RECORDED, .swap_at = HUGE_VAL},
      {.kind = ACC_LEAD_STEADY, .swap_at = 1, .swap_speed = -1},
  };
  acc_lead *lead;
  for (size_t i = 0; i < COUNT(bad); i++) {
    check_label("profile %zu", i);
    CHECK_INT(acc_lead_create(&lead, &bad[i], 10, 60, &bounds, NULL), HYS_ERR_ARG);
    CHECK(lead == NULL);
  }
  const acc_lead_profile steady = {.kind = ACC_LEAD_STEADY, .swap_at = HUGE_VAL};
  CHECK_INT(acc_lead_create(&lead, &steady, -1, 60, &bounds, NULL), HYS_ERR_ARG);
  CHECK_INT(acc_lead_create(&lead, &steady, (double)NAN, 60, &bounds, NULL), HYS_ERR_ARG);
  CHECK_INT(acc_lead_create(&lead, &steady, 1, HUGE_VAL, &bounds, NULL), HYS_ERR_ARG);
  CHECK_INT(acc_lead_create(&lead, &steady, 1, 60, &(acc_lead_bounds){0, 1}, NULL), HYS_ERR_ARG);
  check_label("too many pieces");
  const acc_lead_profile tiny = {.kind = ACC_LEAD_BANG_BANG, .period = 1e-6, .swap_at = HUGE_VAL};
  CHECK_INT(acc_lead_create(&lead, &tiny, 10, 60, &bounds, NULL), HYS_ERR_LIMIT);
}

/* An allocator that has memory for `left` more requests. */
static void *scarce_allocate(void *context, size_t size) {
  int *left = context;
  return (*left)-- > 0 ? malloc(size) : NULL;
}

static void scarce_release(void *context, void *memory) {
  (void)context;
  free(memory);
}

static void no_memory(void) {
  const acc_lead_profile profile = {.kind = ACC_LEAD_BANG_BANG, .period = 0.5, .swap_at = HUGE_VAL};
  hys_status status = HYS_ERR_MEMORY;
  int requests = 0;
  for (; status != HYS_OK && requests < 20; requests++) {
    int left = requests;
    const hys_allocator scarce = {scarce_allocate, scarce_release, &left};
    acc_lead *lead;
    status = acc_lead_create(&lead, &profile, 10, 100, &bounds, &scarce);
    check_label("%d requests granted", requests);
    CHECK(status == HYS_OK ? lead != NULL : status == HYS_ERR_MEMORY && lead == NULL);
    acc_lead_destroy(lead);
  }
  CHECK(status == HYS_OK && requests > 3);
}

static const char *write_file(const char *text) {
  const char *path = check_build_path("test_acc_lead.csv");
  FILE *file = fopen(path, "w");
  if (!CHECK(file != NULL))
    return NULL;
  fputs(text, file);
  CHECK(fclose(file) == 0);
  return path;
}

static void recorded(void) {
  const char *path = write_file("# unit = SI\r\n"
                                "gap [m], t [s] ,v_follow,v_lead [m/s],note\r\n"
                                "30.5,100.0,9.5,10.0,x\r\n"
                                "30,100.5,9.5,10.5,x\n"
                                "30,100.5,9.5,99,same instant\n"
                                "30,101.0,9.5,nan,x\n"
                                "30,101.0,9.5,1.0,cannot brake so hard\n"
                                "\n"
                                "30,103.0,9.5,-0.25,x\n"
                                "30,104.0,,2,x");
  acc_lead *lead;
  acc_recording report;
  if (path == NULL || !CHECK_INT(acc_lead_read(&lead, &report, path, &bounds, NULL), HYS_OK))
    return;
  CHECK_INT(report.rows, 7);
  CHECK_INT(report.dropped, 2);
  CHECK_INT(report.negative, 1);
  CHECK_INT(report.clamped, 1);
  CHECK_NEAR(report.duration, 4, 1e-12);
  CHECK_NEAR(report.d, 30.5, 0);
  CHECK_NEAR(report.v, 9.5, 0);
  CHECK_NEAR(report.w, 10, 0);
  /* 10.5 m/s half a second before: 7.5 at best, where 1.0 was recorded. */
  CHECK_NEAR(report.largest_deviation, 6.5, 1e-9);
  CHECK_NEAR(acc_lead_accel(lead, 0.2, 10), 1.0, 1e-9);
  CHECK_NEAR(acc_lead_accel(lead, 0.7, 10), -6.0, 0);
  CHECK_NEAR(acc_lead_speed(lead, 1), 7.5, 1e-9);
  CHECK_NEAR(acc_lead_speed(lead, 3), 0, 0);
  CHECK_NEAR(acc_lead_speed(lead, 100), 2, 1e-9);
  walk(lead, 10, 10);
  acc_lead_destroy(lead);
  remove(path);
}

/* 36 km/h = 10 m/s and 2500 ms = 2.5 s, by the header's units. */
static void recorded_units(void) {
  const char *path = write_file("t [ms],v_lead [km/h],gap [cm]\n0,36,3050\n2500,72,3000\n");
  acc_lead *lead;
  acc_recording report;
  if (path == NULL || !CHECK_INT(acc_lead_read(&lead, &report, path, &bounds, NULL), HYS_OK))
    return;
  CHECK_NEAR(report.duration, 2.5, 1e-12);
  CHECK_NEAR(report.w, 10, 1e-12);
  CHECK_NEAR(report.d, 30.5, 1e-12);
  CHECK_NEAR(acc_lead_speed(lead, 2.5), 10 + 2.5 * 3.5, 1e-9);
  acc_lead_destroy(lead);
  remove(path);
}

static void recorded_faults(void) {
  static char long_line[ACC_LEAD_MAX_LINE + 100];
  memset(long_line, 'a', sizeof long_line - 1);
  const struct {
    const char *text;
    hys_status status;
    size_t line;
  } row[] = {{"", HYS_ERR_INPUT, 0},
             {"v_lead,gap\n1,2\n", HYS_ERR_INPUT, 1},
             {"t,gap\n1,2\n", HYS_ERR_INPUT, 1},
             {"# c\nt,v_lead\n0,1\n1\n2,2\n", HYS_ERR_INPUT, 4},
             {"t,v_lead\n0,1\n", HYS_ERR_INPUT, 2},
             {"t,v_lead\nx,1\n1,y\n", HYS_ERR_INPUT, 3},
             {"t [s],v_lead [m]\n0,1\n1,2\n", HYS_ERR_INPUT, 1},
             {"t [s],v_lead [mph\n0,1\n1,2\n", HYS_ERR_INPUT, 1},
             {long_line, HYS_ERR_LIMIT, 1}};
  acc_lead *lead;
  acc_recording report;
  for (size_t i = 0; i < COUNT(row); i++) {
    check_label("file %zu", i);
    const char *path = write_file(row[i].text);
    if (path == NULL)
      return;
    CHECK_INT(acc_lead_read(&lead, &report, path, &bounds, NULL), row[i].status);
    CHECK(lead == NULL);
    CHECK_INT(report.bad_line, row[i].line);
    CHECK(report.problem != NULL);
    remove(path);
  }
  check_label("no file");
  CHECK_INT(acc_lead_read(&lead, &report, "no/such/file.csv", &bounds, NULL), HYS_ERR_OPEN);
}

static void recorded_no_memory(void) {
  const char *path = write_file("t,v_lead\n0,1\n1,2\n2,3\n");
  hys_status status = HYS_ERR_MEMORY;
  int requests = 0;
  for (; path != NULL && status != HYS_OK && requests < 20; requests++) {
    int left = requests;
    const hys_allocator scarce = {scarce_allocate, scarce_release, &left};
    acc_lead *lead;
    acc_recording report;
    status = acc_lead_read(&lead, &report, path, &bounds, &scarce);
    check_label("%d requests granted", requests);
    CHECK(status == HYS_OK ? lead != NULL : status == HYS_ERR_MEMORY && lead == NULL);
    acc_lead_destroy(lead);
  }
  CHECK(status == HYS_OK && requests == 3);
  if (path != NULL)
    remove(path);
}

static void recorded_traffic(void) {
  static const char *const name[] = {"openacc/040719_platoon10_f3_BMW_X5.csv",
                                     "openacc/040719_platoon3_f2_Tesla_Model3.csv", "ngsim/i80_00.csv"};
  for (size_t i = 0; i < COUNT(name); i++) {
    char shared[64];
    snprintf(shared, sizeof shared, "traffic/%s", name[i]);
    const char *path = check_shared_path(shared);
    if (path == NULL)
      return;
    check_label("%s", name[i]);
    acc_lead *lead;
    acc_recording report;
    if (!CHECK_INT(acc_lead_read(&lead, &report, path, &bounds, NULL), HYS_OK))
      continue;
    CHECK(report.rows > 100 && report.dropped == 0);
    CHECK(report.d > 0 && report.v >= 0);
    /* A real drive is followed closely: few of its samples ask for more than the bounds. */
    CHECK(report.clamped * 20 < report.rows);
    walk(lead, report.w, report.duration);
    acc_lead_destroy(lead);
  }
}

static void all_scenarios(void) {
  for (size_t i = 0; i < acc_scenario_count(); i++) {
    const acc_scenario *s = acc_scenario_at(i);
    check_label("%s", s->name);
    if (s->recorded)
      continue;
    acc_lead *lead = make(&s->lead, s->w, s->duration);
    if (lead == NULL)
      continue;
    double w = s->w;
    for (double t = 0; t < s->duration; t += 0.01) {
      const double a = acc_lead_accel(lead, t, w);
      CHECK(a >= -6 && a <= 3.5);
      w = acc_lead_speed(lead, t);
      CHECK(w >= 0);
    }
    acc_lead_destroy(lead);
  }
}

CHECK_MAIN("acc_lead", {"steady and braking", steady_and_brake}, {"another vehicle", swapped},
           {"random bang-bang", bang_bang}, {"oscillating", oscillating}, {"stop and go", stop_and_go},
           {"driving cycles", cycles}, {"what is refused", refused}, {"no memory", no_memory},
           {"recorded", recorded}, {"recorded: units of the header", recorded_units},
           {"recorded: faults", recorded_faults}, {"recorded: no memory", recorded_no_memory},
           {"recorded: real traffic", recorded_traffic}, {"the leads of all scenarios", all_scenarios})
