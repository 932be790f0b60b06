/* How long the reader of models takes: public models of the shared folder, and generated ones whose size
 * doubles.
 *
 * Processor time of the thread, the median of RUNS (default 7).  "read" is hys_model_read, with the
 * configuration of the same stem; "lint" what `check' adds to it; "bare" libxml2's own parse of the XML into
 * its tree, in the same run. */
#include <dirent.h>
#include <libxml/parser.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "models/hybrid_model.h"
#include "models/lint.h"
#include "models/model.h"
#include "tests/bench/timing.h"
#include "tests/support/check.h"

enum { MOST_FILES = 200, TEXT = 1 << 26 };

static unsigned runs = 7;

static void quiet(void *context, const char *format, ...) {
  (void)context, (void)format;
}

static double bare(const char *path) {
  double ms[TIMING_MOST_RUNS];
  xmlSetGenericErrorFunc(NULL, quiet);
  for (unsigned i = 0; i < runs; i++) {
    const double from = timing_ms();
    xmlDocPtr doc = xmlReadFile(path, NULL, XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    xmlFreeDoc(doc);
    ms[i] = timing_ms() - from;
  }
  return timing_median(ms, runs);
}

static double slowest;
static char slowest_name[256];

static void file(const char *folder, const char *name) {
  char path[1024];
  double read[TIMING_MOST_RUNS], lint[TIMING_MOST_RUNS];
  struct stat about = {.st_size = 0};
  size_t variables = 0;

  snprintf(path, sizeof path, "%s/%s", folder, name);
  stat(path, &about);
  for (unsigned i = 0; i < runs; i++) {
    hys_arena *arena = hys_arena_create(NULL);
    hys_diagnostics said;
    const hys_model *model = NULL;
    hys_diagnostics_init(&said, arena);
    const double from = timing_ms();
    hys_model_read(&model, path, NULL, NULL, arena, &said);
    read[i] = timing_ms() - from;
    if (model != NULL)
      hys_model_lint(model, HYS_LINT_PLACES, arena, &said);
    lint[i] = timing_ms() - from - read[i];
    variables = model != NULL ? hys_model_variable_count(model) : 0;
    hys_arena_destroy(arena);
  }
  const double r = timing_median(read, runs), l = timing_median(lint, runs), b = bare(path);
  printf("%-48s %8lld %6zu %9.2f %9.2f %9.2f %7.1f\n", name, (long long)about.st_size, variables, r, l, b,
         (r + l) / b);
  if (r + l > slowest) {
    slowest = r + l;
    snprintf(slowest_name, sizeof slowest_name, "%s", name);
  }
}

static int by_name(const void *a, const void *b) {
  return strcmp(a, b);
}

static void public_files(void) {
  static char name[MOST_FILES][128];
  const char *folder = check_shared_path("spaceex");
  size_t n = 0;
  DIR *dir = folder != NULL ? opendir(folder) : NULL;

  if (dir == NULL) {
    puts("the public models are not there");
    return;
  }
  for (struct dirent *e = readdir(dir); e != NULL && n < MOST_FILES; e = readdir(dir)) {
    const size_t length = strlen(e->d_name);
    if (length > 4 && strcmp(e->d_name + length - 4, ".xml") == 0)
      snprintf(name[n++], sizeof name[0], "%s", e->d_name);
  }
  closedir(dir);
  qsort(name, n, sizeof name[0], by_name);
  printf("%-48s %8s %6s %9s %9s %9s %7s\n", "model", "bytes", "names", "read, ms", "lint, ms", "bare, ms",
         "ratio");
  for (size_t i = 0; i < n; i++)
    file(folder, name[i]);
  printf("slowest: %s, %.2f ms\n\n", slowest_name, slowest);
}

/* ---- generated ---- */

static char *text, *cfg;
static size_t used, cfg_used;

__attribute__((format(printf, 3, 4))) static void put(char *to, size_t *n, const char *format, ...) {
  va_list args;
  va_start(args, format);
  *n += (size_t)vsnprintf(to + *n, TEXT - *n, format, args);
  va_end(args);
}

typedef struct times {
  double read, lint, open;
} times;

static times measure(bool open) {
  double read[TIMING_MOST_RUNS], lint[TIMING_MOST_RUNS], opened[TIMING_MOST_RUNS];
  for (unsigned i = 0; i < runs; i++) {
    hys_arena *arena = hys_arena_create(NULL);
    hys_diagnostics said;
    const hys_model *model = NULL;
    const hys_hybrid *h = NULL;
    const hys_hybrid_location *l = NULL;
    uint32_t first = 0;
    hys_diagnostics_init(&said, arena);
    double from = timing_ms();
    const hys_status status = hys_model_read_memory(&model, text, used, "m.xml", cfg_used > 0 ? cfg : NULL,
                                                    cfg_used, "m.cfg", NULL, arena, &said);
    read[i] = timing_ms() - from;
    if (status != HYS_OK) {
      fprintf(stderr, "the generated model is refused: %s\n", said.n > 0 ? said.item[0].text : "");
      exit(EXIT_FAILURE);
    }
    from = timing_ms();
    hys_model_lint(model, HYS_LINT_PLACES, arena, &said);
    lint[i] = timing_ms() - from;
    from = timing_ms();
    if (open && (hys_hybrid_open(&h, model, &said) != HYS_OK ||
                 h->initial(h->context, &h->initially[0], 0, &first) != HYS_OK ||
                 h->location(h->context, first, &l) != HYS_OK)) {
      fputs("the generated model does not open\n", stderr);
      exit(EXIT_FAILURE);
    }
    opened[i] = timing_ms() - from;
    hys_hybrid_close(h);
    hys_arena_destroy(arena);
  }
  return (times){timing_median(read, runs), timing_median(lint, runs), timing_median(opened, runs)};
}

static void parameter(const char *prefix, unsigned i) {
  put(text, &used,
      "<param name=\"%s%u\" type=\"real\" local=\"false\" d1=\"1\" d2=\"1\" dynamics=\"any\"/>\n", prefix, i);
}

/* A chain of n variables in one location. */
static void chain(unsigned n, unsigned initially) {
  used = cfg_used = 0;
  put(text, &used, "<sspaceex version=\"0.2\" math=\"SpaceEx\"><component id=\"c\">\n");
  for (unsigned i = 0; i < n; i++)
    parameter("x", i);
  put(text, &used, "<location id=\"1\" name=\"run\"><flow>");
  for (unsigned i = 0; i < n; i++)
    put(text, &used, "%sx%u' == -2.5*x%u + 0.125*x%u", i > 0 ? " &amp;\n" : "", i, i, (i + 1) % n);
  put(text, &used, "</flow></location></component></sspaceex>");
  if (initially == 0)
    return;
  put(cfg, &cfg_used, "system = c\ninitially = \"");
  for (unsigned i = 0; i < initially; i++)
    put(cfg, &cfg_used, "%sx%u >= -0.%05u & x%u <= 1.%05u", i > 0 ? " &\n" : "", i % n, i, i % n, i);
  put(cfg, &cfg_used, "\"\n");
}

/* n switches on one label, each with two locations. */
static void switches(unsigned n) {
  used = cfg_used = 0;
  put(text, &used,
      "<sspaceex version=\"0.2\" math=\"SpaceEx\"><component id=\"switch\">"
      "<param name=\"x\" type=\"real\" local=\"true\" d1=\"1\" d2=\"1\" dynamics=\"any\"/>"
      "<param name=\"go\" type=\"label\" local=\"false\"/>"
      "<location id=\"1\" name=\"off\"><invariant>x &lt;= 1</invariant><flow>x' == 1</flow></location>"
      "<location id=\"2\" name=\"on\"><flow>x' == -1</flow></location>"
      "<transition source=\"1\" target=\"2\"><guard>x &gt;= 1</guard></transition>"
      "<transition source=\"2\" target=\"1\"><label>go</label></transition></component>\n"
      "<component id=\"all\"><param name=\"go\" type=\"label\" local=\"false\"/>\n");
  for (unsigned i = 0; i < n; i++)
    put(text, &used, "<bind component=\"switch\" as=\"s%u\"><map key=\"go\">go</map></bind>\n", i);
  put(text, &used, "</component></sspaceex>");
}

static void generated(void) {
  puts("generated                                             bytes  read, ms  lint, ms  open, ms");
  for (unsigned n = 2500; n <= 10000; n *= 2) {
    chain(n, 0);
    const times t = measure(true);
    printf("%6u variables in one location               %10zu %9.1f %9.1f %9.1f\n", n, used, t.read, t.lint,
           t.open);
  }
  for (unsigned n = 22000; n <= 88000; n *= 2) {
    chain(100, n);
    const times t = measure(false);
    printf("%6u lines of initially                      %10zu %9.1f %9.1f         -\n", n, cfg_used, t.read,
           t.lint);
  }
  for (unsigned n = 5; n <= 20; n *= 2) {
    switches(n);
    const times t = measure(true);
    printf("%7u locations, the product of %2u            %10zu %9.2f %9.2f %9.2f\n", 1U << n, n, used, t.read,
           t.lint, t.open);
  }
}

int main(void) {
  runs = timing_runs(runs);
  text = malloc(TEXT);
  cfg = malloc(TEXT);
  if (text == NULL || cfg == NULL)
    return EXIT_FAILURE;
  public_files();
  generated();
  free(text);
  free(cfg);
  xmlCleanupParser();
  return EXIT_SUCCESS;
}
