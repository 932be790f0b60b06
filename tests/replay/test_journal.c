/* Journals: what is written reads back, and whatever is done to the bytes is found. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/allocator.h"
#include "core/diagnostics.h"
#include "models/shield_file.h"
#include "monitor/journal.h"
#include "monitor/journal_rules.h"
#include "monitor/shield_alloc.h"
#include "tests/support/check.h"

enum { MAX_BYTES = 1 << 22, MAX_LINES = 1000 };

static const char key[] = "0101010101010101010101010101010101010101010101010101010101010101";
static const char other_key[] = "0202020202020202020202020202020202020202020202020202020202020202";
/* Ed25519's public key of the seed 01 01 .. 01, as RFC 8032 derives it. */
static const char public_key[] = "8a88e3dd7409f195fd52db2d3cba5d72ca6709bf1d94121bf3748801b40f6f5c";

static char folder[] = "journal-XXXXXX";
static char *bytes;
static size_t size;
static const char *line[MAX_LINES + 1]; /* line[n_lines] is the end */
static size_t n_lines;

static const char *in_folder(const char *name) {
  static char path[4][256];
  static int next;
  char *const out = path[next = (next + 1) % 4];
  snprintf(out, sizeof path[0], "%s/%s", folder, name);
  return out;
}

static bool write_bytes(const char *path, const char *text, size_t n) {
  FILE *const file = fopen(path, "wb");
  const bool good = file != NULL && fwrite(text, 1, n, file) == n;
  return file != NULL && fclose(file) == 0 && good;
}

static size_t read_bytes(const char *path, char *text) {
  FILE *const file = fopen(path, "rb");
  if (file == NULL)
    return 0;
  const size_t n = fread(text, 1, MAX_BYTES, file);
  fclose(file);
  return n;
}

/* The command's exit status. */
static int command(const char *arguments) {
  const char *const program = check_build_path("hyshield");
  char text[8300];
  snprintf(text, sizeof text, "'%s' %s >/dev/null 2>&1", program, arguments);
  const int status = system(text);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int drive(const char *journal, const char *with_key, const char *more) {
  char text[4096];
  snprintf(text, sizeof text,
           "drive '%s' -o '%s' --no-plot --quiet --agent accelerate --scenario ccrb-40-6 --journal '%s' "
           "--key '%s' %s",
           check_source_path("models/library/acc/acc.shield.xml"), folder, journal, with_key, more);
  return command(text);
}

static int audit(const char *journal, const char *more) {
  char text[4096];
  snprintf(text, sizeof text, "audit --quiet '%s' %s", journal, more);
  return command(text);
}

/* A journal of some 200 lines, made once. */
static bool made(void) {
  if (bytes != NULL)
    return n_lines > 0;
  bytes = malloc(MAX_BYTES);
  if (!CHECK(bytes != NULL && mkdtemp(folder) != NULL))
    return false;
  CHECK(write_bytes(in_folder("key"), key, 64));
  CHECK(write_bytes(in_folder("key2"), other_key, 64));
  if (!CHECK_INT(drive(in_folder("whole"), in_folder("key"), "--duration 8"), 0))
    return false;
  size = read_bytes(in_folder("whole"), bytes);
  size_t from = 0;
  for (size_t k = 0; k < size && n_lines < MAX_LINES; k++) {
    if (bytes[k] == '\n') {
      line[n_lines++] = bytes + from;
      from = k + 1;
    }
  }
  line[n_lines] = bytes + size;
  return CHECK(n_lines > 150 && n_lines < MAX_LINES);
}

static hys_journal_report report_of(const char *text, size_t n, const char *with_key) {
  hys_journal_report report;
  memset(&report, 0, sizeof report);
  const char *const path = in_folder("changed");
  CHECK(write_bytes(path, text, n));
  CHECK_INT(hys_journal_verify(path, with_key, &report), HYS_OK);
  return report;
}

static bool sound(const hys_journal_report *r) {
  return r->why[0] == '\0' && r->closed && !r->half_line;
}

static void whole_ones_hold(void) {
  if (!made())
    return;
  hys_journal_report r = report_of(bytes, size, public_key);
  CHECK(sound(&r));
  CHECK_INT(r.lines, n_lines);
  CHECK_INT(r.signed_lines, n_lines);
  CHECK_INT(r.dropped, 0);
  CHECK_STR(r.public_key, public_key);
  r = report_of(bytes, size, NULL);
  CHECK(sound(&r));
  r = report_of(bytes, size, other_key);
  CHECK(!sound(&r));
  CHECK_INT(audit(in_folder("whole"), ""), 0);
  CHECK_INT(audit(in_folder("missing"), ""), 66);
  CHECK_INT(audit(in_folder("whole"), "--key 12"), 64);
}

/* All bits of the first line, of the last and of the first signatures; of the other lines, all bits of every
 * 997th byte (all of them would take hours). */
static void flipped_bits_are_found(void) {
  if (!made())
    return;
  char *const copy = malloc(size);
  if (!CHECK(copy != NULL))
    return;
  size_t missed = 0, tried = 0;
  for (size_t n = 0; n < n_lines; n++) {
    const bool signs = strncmp(line[n] + strcspn(line[n], ","), ",\"type\":\"signature\"", 19) == 0;
    const bool all = n == 0 || n + 1 == n_lines || (signs && n < 40);
    for (const char *p = line[n]; p < line[n + 1]; p += all ? 1 : 997) {
      for (unsigned bit = 0; bit < 8; bit++) {
        memcpy(copy, bytes, size);
        copy[p - bytes] = (char)((unsigned char)copy[p - bytes] ^ (1U << bit));
        const hys_journal_report r = report_of(copy, size, public_key);
        missed += sound(&r);
        tried++;
      }
    }
  }
  free(copy);
  CHECK_INT(missed, 0);
  CHECK(tried > 8 * 1000);
}

/* Lines a, b of the journal in another order, left out or doubled: order lists line numbers. */
static hys_journal_report reordered(size_t at, size_t skip, bool twice, bool swap) {
  char *const copy = malloc(2 * size);
  size_t n = 0;
  hys_journal_report r;
  memset(&r, 0, sizeof r);
  if (!CHECK(copy != NULL))
    return r;
  for (size_t k = 0; k < n_lines; k++) {
    size_t from = k;
    if (k >= at && k < at + skip)
      continue;
    if (swap && k == at)
      from = at + 1;
    else if (swap && k == at + 1)
      from = at;
    for (int times = twice && k == at ? 2 : 1; times > 0; times--) {
      memcpy(copy + n, line[from], (size_t)(line[from + 1] - line[from]));
      n += (size_t)(line[from + 1] - line[from]);
    }
  }
  r = report_of(copy, n, public_key);
  free(copy);
  return r;
}

static void moved_lines_are_found(void) {
  if (!made())
    return;
  for (size_t k = 0; k < n_lines; k++) {
    check_label("line %zu", k + 1);
    hys_journal_report r = reordered(k, 1, false, false);
    CHECK(!sound(&r));
    r = reordered(k, 0, true, false);
    CHECK(r.bad_line > 0);
    if (k + 1 < n_lines) {
      r = reordered(k, 0, false, true);
      CHECK(r.bad_line > 0);
    }
    /* Cut off behind this line. */
    r = report_of(bytes, (size_t)(line[k] - bytes), public_key);
    CHECK(!sound(&r) && (k == 0 || r.bad_line == 0) && r.lines == k);
    /* ... and in the middle of it. */
    r = report_of(bytes, (size_t)(line[k] - bytes) + 20, public_key);
    CHECK(!r.closed && r.half_line && r.lines == k);
  }
}

static void exit_statuses(void) {
  if (!made())
    return;
  CHECK(write_bytes(in_folder("cut"), bytes, (size_t)(line[n_lines / 2] - bytes) + 10));
  CHECK_INT(audit(in_folder("cut"), ""), 2);
  CHECK(write_bytes(in_folder("cut"), bytes, (size_t)(line[n_lines - 1] - bytes)));
  CHECK_INT(audit(in_folder("cut"), ""), 2);
  CHECK(write_bytes(in_folder("cut"), line[1], (size_t)(line[n_lines] - line[1])));
  CHECK_INT(audit(in_folder("cut"), ""), 1);
  CHECK(write_bytes(in_folder("cut"), "", 0));
  CHECK_INT(audit(in_folder("cut"), ""), 1);
}

/* The same key, another seed: the first half of one and the second half of the other. */
static void spliced_ones_are_found(void) {
  if (!made())
    return;
  char *const other = malloc(MAX_BYTES), *const both = malloc(2 * (size_t)MAX_BYTES);
  if (CHECK(other != NULL && both != NULL) &&
      CHECK_INT(drive(in_folder("other"), in_folder("key"), "--duration 8 --seed 2"), 0)) {
    const size_t n = read_bytes(in_folder("other"), other);
    CHECK(n > 0 && (n != size || memcmp(other, bytes, n) != 0));
    size_t from = 0, number = 0;
    for (size_t k = 0; k < n && number < n_lines; k++) {
      if (other[k] != '\n')
        continue;
      from = k + 1;
      number++;
      const size_t head = (size_t)(line[number] - bytes);
      memcpy(both, bytes, head);
      memcpy(both + head, other + from, n - from);
      if (head == size && n - from == 0)
        continue; /* the whole of the first */
      check_label("spliced behind line %zu", number);
      const hys_journal_report r = report_of(both, head + n - from, public_key);
      CHECK(!sound(&r));
    }
  }
  free(other);
  free(both);
}

static void replay_gives_the_same_bytes(void) {
  if (!made())
    return;
  CHECK_INT(audit(in_folder("whole"), "--replay"), 0);
  char text[200];
  snprintf(text, sizeof text, "--replay --key %s", public_key);
  CHECK_INT(audit(in_folder("whole"), text), 0);
  char *const again = malloc(MAX_BYTES);
  if (CHECK(again != NULL) && CHECK_INT(drive(in_folder("again"), in_folder("key"), "--duration 8"), 0)) {
    CHECK_INT(read_bytes(in_folder("again"), again), size);
    CHECK(memcmp(again, bytes, size) == 0);
    CHECK_INT(drive(in_folder("again"), in_folder("key2"), "--duration 8"), 0);
    CHECK_INT(audit(in_folder("again"), ""), 0);
    CHECK_INT(audit(in_folder("again"), text), 1);
    CHECK_INT(drive(in_folder("again"), in_folder("key"), "--observe-only"), 1); /* it collides */
    CHECK_INT(audit(in_folder("again"), text), 0);
  }
  free(again);
}

static void bad_keys_are_refused(void) {
  if (!made())
    return;
  CHECK_INT(drive(in_folder("none"), in_folder("nokey"), ""), 66);
  CHECK(write_bytes(in_folder("short"), key, 63));
  CHECK_INT(drive(in_folder("none"), in_folder("short"), ""), 65);
  CHECK(write_bytes(in_folder("short"), "0g010101010101010101010101010101010101010101010101010101010101010",
                    65));
  CHECK_INT(drive(in_folder("none"), in_folder("short"), ""), 65);
  CHECK_INT(drive("/dev/full", in_folder("key"), "--duration 1"), 73);
}

/* The faults are those that a shield could make: the record is changed as if it had made them. */
static void records_that_contradict_themselves(void) {
  if (!made())
    return;
  json_t *before = NULL;
  const char *why = NULL;
  size_t seen[3] = {0};
  for (size_t n = 0; n < n_lines; n++) {
    json_t *const step = json_loadb(line[n], (size_t)(line[n + 1] - line[n]) - 1, 0, NULL);
    json_t *const records = json_object_get(step, "records"), *const sends = json_object_get(step, "sends");
    check_label("line %zu", n + 1);
    if (records == NULL) {
      json_decref(step);
      continue;
    }
    CHECK(hysi_journal_rules(before, step, &why));
    json_t *const record = json_array_get(records, 0);
    const char *const action = json_string_value(json_object_get(record, "action"));
    if (json_array_size(records) == 1 && strcmp(action, "pass") == 0) {
      seen[0]++;
      json_t *const other = json_deep_copy(step);
      json_object_set_new(json_object_get(json_array_get(json_object_get(other, "records"), 0), "applied"),
                          "command", json_string("brake!"));
      CHECK(!hysi_journal_rules(before, other, &why));
      json_decref(other);
      json_t *const lost = json_deep_copy(step);
      json_array_clear(json_object_get(lost, "sends"));
      CHECK(!hysi_journal_rules(before, lost, &why));
      json_decref(lost);
    } else if (json_array_size(records) == 1 && strcmp(action, "suppress") == 0) {
      seen[1]++;
      json_t *const other = json_deep_copy(step);
      json_array_append(json_object_get(other, "sends"), json_object_get(record, "requested"));
      CHECK(!hysi_journal_rules(before, other, &why));
      json_decref(other);
    } else if (json_array_size(records) == 1 && strcmp(action, "insert") == 0 &&
               json_array_size(sends) == 1) {
      seen[2]++;
      json_t *const early = json_deep_copy(step); /* one nanosecond before the plan's instant */
      const json_int_t at = json_integer_value(json_object_get(json_object_get(before, "armed"), "at"));
      json_object_set_new(early, "now", json_integer(at - 1));
      CHECK(!hysi_journal_rules(before, early, &why));
      json_object_set_new(early, "now", json_integer(at));
      CHECK(hysi_journal_rules(before, early, &why));
      json_decref(early);
    }
    json_decref(before);
    before = step;
  }
  json_decref(before);
  check_label("all");
  CHECK(seen[0] > 0 && seen[1] > 0 && seen[2] > 0);
}

/* The writer, the only child there is; 0: none. */
static pid_t writer(void) {
  char path[64];
  int pid = 0;
  snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
  FILE *const file = fopen(path, "r");
  if (file != NULL) {
    if (fscanf(file, "%d", &pid) != 1)
      pid = 0;
    fclose(file);
  }
  return (pid_t)pid;
}

static void a_stopped_and_a_dead_writer(void) {
  const hys_spec *spec = NULL;
  hys_shield *shield = NULL;
  hys_journal *journal = NULL;
  hys_diagnostics problems;
  hys_arena *const arena = hys_arena_create(NULL);
  const char *const path = check_source_path("models/library/acc/acc.shield.xml");
  if (!made() || !CHECK(arena != NULL))
    return;
  hys_diagnostics_init(&problems, arena);
  if (!CHECK_INT(hys_shield_file_read(path, arena, &problems, &spec), HYS_OK) ||
      !CHECK_INT(hys_shield_create(&shield, spec, NULL, NULL), HYS_OK))
    return;
  for (int dead = 0; dead < 2; dead++) {
    check_label("%s", dead ? "killed" : "stopped");
    const hys_journal_config config = {.path = in_folder("stopped"), .spec = spec, .shield_path = path};
    CHECK_INT(hys_journal_open(&journal, &config), HYS_OK);
    const pid_t pid = writer();
    if (!CHECK(journal != NULL && pid > 0))
      break;
    usleep(200000); /* for the first record */
    CHECK_INT(kill(pid, dead ? SIGKILL : SIGSTOP), 0);
    if (dead)
      usleep(100000);
    hys_status status = HYS_OK;
    for (int k = 0; k < 20000 && status == HYS_OK; k++)
      status = hys_journal_note(journal, k, "a key", "a text");
    CHECK_INT(status, dead ? HYS_ERR_WRITE : HYS_ERR_LIMIT);
    CHECK(hys_journal_dropped(journal) == 1);
    if (!dead) {
      CHECK_INT(kill(pid, SIGCONT), 0);
      usleep(500000);
      CHECK_INT(hys_journal_note(journal, 20000, "a key", "again"), HYS_OK);
    }
    CHECK_INT(hys_journal_close(journal), dead ? HYS_ERR_WRITE : HYS_OK);
    hys_journal_report r;
    CHECK_INT(hys_journal_verify(in_folder("stopped"), NULL, &r), HYS_OK);
    CHECK_STR(r.why, "");
    CHECK_INT(r.closed, !dead);
    CHECK_INT(r.dropped, dead ? 0 : 1);
  }
  hys_shield_destroy(shield, NULL);
  hys_arena_destroy(arena);
}

static void explain_tells_a_decision(void) {
  if (!made())
    return;
  char text[400];
  snprintf(text, sizeof text, "explain '%s' 3", in_folder("whole"));
  CHECK_INT(command(text), 0);
  snprintf(text, sizeof text, "explain '%s' 1", in_folder("whole"));
  CHECK_INT(command(text), 64);
  snprintf(text, sizeof text, "rm -rf '%s'", folder);
  CHECK_INT(system(text), 0);
}

CHECK_MAIN("journal", {"whole ones hold", whole_ones_hold},
           {"flipped bits are found", flipped_bits_are_found},
           {"lines dropped, swapped, doubled, cut off", moved_lines_are_found},
           {"exit statuses", exit_statuses}, {"spliced ones are found", spliced_ones_are_found},
           {"replay gives the same bytes", replay_gives_the_same_bytes},
           {"bad keys and full disks are refused", bad_keys_are_refused},
           {"records that contradict themselves", records_that_contradict_themselves},
           {"a stopped and a dead writer", a_stopped_and_a_dead_writer},
           {"explain tells a decision", explain_tells_a_decision})
