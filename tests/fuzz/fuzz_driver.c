/* What turns out the inputs of a fuzz target: with HYS_LIBFUZZER libFuzzer does, and this is its door;
 * otherwise a driver of its own, which changes seeds at random and knows nothing of coverage. */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef HYS_LIBFUZZER

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size <= FUZZ_MAX_BYTES)
    fuzz_one(data, size);
  return 0;
}

void fuzz_fault(const char *what, const char *file, int line) {
  fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
  abort();
}

#else

#include <dirent.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/check.h"

enum { MAX_SEEDS = 400, MAX_WORDS = 400, MAX_WORD = 96, MAX_FINDINGS = 5, MUTANT_BYTES = 2 * FUZZ_MAX_BYTES };

typedef struct seed {
  char name[256]; /* as long as a name in a folder may be */
  uint8_t *data;
  size_t size;
  bool good; /* half of the mutants come from these */
} seed;

static seed seeds[MAX_SEEDS];
static size_t n_seeds, n_good; /* the good ones come first */
static struct {
  uint8_t text[MAX_WORD];
  size_t size;
} word[MAX_WORDS];
static size_t n_words;
static unsigned findings, accepted, refused;
static bool testing; /* not repeating */

/* The input at hand, for when the process dies of it. */
static FILE *last;
static char last_path[128];

void fuzz_fault(const char *what, const char *file, int line) {
  findings++;
  if (testing)
    check_true(false, what, file, line);
  else
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, what);
}

static bool load(const char *path, seed *s) {
  FILE *in = fopen(path, "rb");
  bool good = false;

  if (in == NULL)
    return false;
  s->data = malloc(FUZZ_MAX_BYTES + 1);
  if (s->data != NULL) {
    s->size = fread(s->data, 1, FUZZ_MAX_BYTES + 1, in);
    good = ferror(in) == 0 && s->size <= FUZZ_MAX_BYTES;
  }
  fclose(in);
  if (!good) {
    free(s->data);
    s->data = NULL;
  }
  return good;
}

static bool ends_in(const char *name, const char *suffix) {
  const size_t n = strlen(name), m = strlen(suffix);
  return n >= m && strcmp(name + n - m, suffix) == 0;
}

/* Good ones first, then by name. */
static int by_name(const void *a, const void *b) {
  const seed *s = a, *t = b;
  return s->good != t->good ? (s->good ? -1 : 1) : strcmp(s->name, t->name);
}

static void load_folder(const char *folder, bool good) {
  char path[1024];
  DIR *dir = opendir(check_source_path(folder));

  if (!CHECK(dir != NULL))
    return;
  for (struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
    seed *s = &seeds[n_seeds];
    if (entry->d_name[0] == '.' || n_seeds == MAX_SEEDS ||
        (fuzz_this.suffix != NULL && !ends_in(entry->d_name, fuzz_this.suffix)))
      continue;
    snprintf(path, sizeof path, "%s/%s", check_source_path(folder), entry->d_name);
    snprintf(s->name, sizeof s->name, "%s", entry->d_name);
    s->good = good || strncmp(entry->d_name, "good.", 5) == 0;
    if (load(path, s)) {
      n_good += s->good;
      n_seeds++;
    }
  }
  closedir(dir);
}

/* The dictionary, in libFuzzer's format: a line is a comment or [name=]"word", in which \\, \" and \xNN stand
 * for bytes. */
static void load_words(void) {
  char name[128], line[512];
  FILE *in;

  snprintf(name, sizeof name, "tests/fuzz/%s.dict", fuzz_this.name);
  in = fopen(check_source_path(name), "r");
  if (!CHECK(in != NULL))
    return;
  while (n_words < MAX_WORDS && fgets(line, sizeof line, in) != NULL) {
    const char *c = line[0] == '#' ? NULL : strchr(line, '"');
    size_t n = 0;
    if (c == NULL)
      continue;
    for (c++; *c != '"' && *c != '\0' && n < MAX_WORD; c++) {
      unsigned byte = (unsigned char)*c;
      if (*c == '\\' && c[1] == 'x' && sscanf(c + 2, "%2x", &byte) == 1)
        c += 3;
      else if (*c == '\\')
        byte = (unsigned char)*++c;
      word[n_words].text[n++] = (uint8_t)byte;
    }
    word[n_words++].size = n;
  }
  fclose(in);
  CHECK(n_words > 0);
}

static size_t below(fuzz_random *r, size_t n) {
  return n == 0 ? 0 : (size_t)(fuzz_random_next(r) % n);
}

static size_t insert(uint8_t *text, size_t n, size_t at, const uint8_t *from, size_t size) {
  if (n + size > FUZZ_MAX_BYTES)
    return n;
  memmove(text + at + size, text + at, n - at);
  memcpy(text + at, from, size);
  return n + size;
}

static size_t take_out(uint8_t *text, size_t n, size_t at, size_t size) {
  memmove(text + at, text + at + size, n - at - size);
  return n - size;
}

/* One change: a byte, a stretch taken out, doubled or put elsewhere, a word of the dictionary, a piece of
 * another seed, a digit. */
static size_t change(uint8_t *text, size_t n, fuzz_random *r) {
  uint8_t piece[64];
  const size_t at = below(r, n + 1), left = n - at, most = left < sizeof piece ? left : sizeof piece,
               size = most == 0 ? 0 : 1 + below(r, most);

  memcpy(piece, text + at, size);
  switch (below(r, 10)) {
  case 0:
    if (left > 0)
      text[at] = (uint8_t)below(r, 256);
    return n;
  case 1:
    if (left > 0)
      text[at] ^= (uint8_t)(1U << below(r, 8));
    return n;
  case 2:
    return take_out(text, n, at, size);
  case 3:
    return insert(text, n, at, piece, size);
  case 4:
    n = take_out(text, n, at, size);
    return insert(text, n, below(r, n + 1), piece, size);
  case 5:
    return insert(text, n, below(r, n + 1), piece, size);
  case 6: {
    const seed *other = &seeds[below(r, n_seeds)];
    const size_t from = below(r, other->size), rest = other->size - from,
                 part = rest == 0 ? 0 : 1 + below(r, rest < 200 ? rest : 200);
    return insert(text, n, at, other->data + from, part);
  }
  case 7:
    for (size_t i = at; i < n; i++)
      if (text[i] >= '0' && text[i] <= '9') {
        text[i] = (uint8_t)('0' + below(r, 10));
        break;
      }
    return n;
  default: {
    const size_t w = below(r, n_words), over = below(r, 2) * word[w].size;
    n = take_out(text, n, at, over < left ? over : left);
    return insert(text, n, at, word[w].text, word[w].size);
  }
  }
}

static void run_one(const uint8_t *data, size_t size) {
  const unsigned before = findings;

  if (last != NULL && ftruncate(fileno(last), 0) == 0 && pwrite(fileno(last), data, size, 0) < 0)
    CHECK(false);
  if (fuzz_one(data, size))
    accepted++;
  else
    refused++;
  if (findings > before) {
    char path[128];
    FILE *out;
    snprintf(path, sizeof path, "fuzz-%s-%u.input", fuzz_this.name, before + 1);
    out = fopen(path, "wb");
    if (out != NULL) {
      fwrite(data, 1, size, out);
      fclose(out);
      printf("the input is in %s\n", path);
    }
  }
}

static void open_last(void) {
  snprintf(last_path, sizeof last_path, "fuzz-%s-last.input", fuzz_this.name);
  last = fopen(last_path, "wb");
  CHECK(last != NULL);
}

static void close_last(void) {
  if (last != NULL)
    fclose(last);
  last = NULL;
  remove(last_path);
}

static unsigned runs_wanted(void) {
  const char *given = getenv("HYSHIELD_FUZZ_RUNS");
  return given != NULL ? (unsigned)strtoul(given, NULL, 10) : fuzz_this.runs;
}

static void seeds_hold(void) {
  for (size_t i = 0; i < FUZZ_MAX_FOLDERS && fuzz_this.folder[i] != NULL; i++)
    load_folder(fuzz_this.folder[i], strstr(fuzz_this.folder[i], "/corpus/") != NULL);
  load_words();
  qsort(seeds, n_seeds, sizeof seeds[0], by_name);
  CHECK(n_seeds >= 10 && n_good >= 1);
  open_last();
  for (size_t i = 0; i < n_seeds; i++) {
    check_label("%s", seeds[i].name);
    run_one(seeds[i].data, seeds[i].size);
  }
  run_one((const uint8_t *)"", 0);
  close_last();
}

static void mutants_hold(void) {
  static uint8_t text[MUTANT_BYTES];
  const char *given = getenv("HYSHIELD_SEED");
  const unsigned runs = runs_wanted();
  fuzz_random r = {given != NULL ? strtoull(given, NULL, 10) : 1};
  unsigned done = 0;

  if (!CHECK(n_seeds > 0))
    return;
  open_last();
  for (; done < runs && findings < MAX_FINDINGS; done++) {
    const seed *s = &seeds[below(&r, below(&r, 2) == 0 ? n_good : n_seeds)];
    size_t n = s->size;
    memcpy(text, s->data, n);
    do
      n = change(text, n, &r);
    while (below(&r, 2) == 0);
    check_label("run %u, from %s", done, s->name);
    run_one(text, n);
  }
  close_last();
  printf("%s: %u runs, %u accepted, %u refused, %u findings\n", fuzz_this.name, done, accepted, refused,
         findings);
  check_label("both ends are reached");
  CHECK(accepted > runs / 200 && refused > runs / 200);
}

static int repeat(int n, char **path) {
  unsigned failed = 0;

  for (int i = 0; i < n; i++) {
    seed s = {.size = 0};
    const unsigned before = findings;
    if (!load(path[i], &s)) {
      fprintf(stderr, "cannot read %s\n", path[i]);
      return EXIT_FAILURE;
    }
    printf("%s: %s\n", path[i], fuzz_one(s.data, s.size) ? "accepted" : "refused");
    failed += findings > before;
    free(s.data);
  }
  printf("%u passed, %u failed\n", (unsigned)n - failed, failed);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(int argc, char **argv) {
  static const check_test tests[] = {{"seeds", seeds_hold}, {"mutants", mutants_hold}};
  int status;

  if (argc > 1 && access(argv[1], R_OK) == 0)
    return repeat(argc - 1, argv + 1);
  testing = true;
  status = check_main("fuzz", tests, sizeof tests / sizeof tests[0], argc, argv);
  for (size_t i = 0; i < n_seeds; i++)
    free(seeds[i].data);
  return status;
}

#endif
