/* `hyshield check' with --print, --print-cfg, --dot and --force: what stands where, and the exit codes. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/check.h"

#define MODELS "tests/prop/print/"

enum { MAX_OUTPUT = 1 << 20, MAX_LINE = 4096 };

static char output[MAX_OUTPUT];

/* Runs `hyshield check' with these arguments; standard output is in `output'. */
static int run(const char *arguments) {
  char line[MAX_LINE];
  snprintf(line, sizeof line, "'%s' check %s", check_build_path("hyshield"), arguments);
  FILE *const pipe = popen(line, "r");
  output[0] = '\0';
  if (!CHECK(pipe != NULL))
    return -1;
  const size_t n = fread(output, 1, MAX_OUTPUT - 1, pipe);
  output[n] = '\0';
  const int status = pclose(pipe);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int run_on(const char *options, const char *file, const char *behind) {
  char arguments[MAX_LINE];
  const int n = snprintf(arguments, sizeof arguments, "%s '%s' %s", options, check_source_path(file), behind);
  return CHECK(n > 0 && n < MAX_LINE) ? run(arguments) : -1;
}

/* A name for a file of this test; the caller removes it. */
static const char *scratch(const char *what) {
  static char path[2][256];
  static unsigned turn;
  char *const p = path[turn++ % 2];
  snprintf(p, sizeof path[0], "test_check_print.%ld.%s", (long)getpid(), what);
  return check_build_path(p);
}

static void reads_back(void) {
  char arguments[MAX_LINE], before[MAX_OUTPUT / 16];
  const char *const xml = scratch("a.xml"), *const cfg = scratch("a.cfg");

  CHECK_INT(run_on("--json", MODELS "instances.xml", "2>/dev/null"), 0);
  json_t *const wanted = json_loads(output, 0, NULL);
  snprintf(before, sizeof before, ">'%s'", xml);
  CHECK_INT(run_on("--print", MODELS "instances.xml", before), 0);
  CHECK_STR(output, "");
  snprintf(before, sizeof before, ">'%s' 2>/dev/null", cfg);
  CHECK_INT(run_on("--print-cfg", MODELS "instances.xml", before), 0);
  snprintf(arguments, sizeof arguments, "--json '%s' 2>/dev/null", xml);
  CHECK_INT(run(arguments), 0);
  json_t *const got = json_loads(output, 0, NULL);
  if (CHECK(wanted != NULL && got != NULL)) {
    static const char *const facts[] = {"system", "variables", "labels", "locations", "jumps", "flow"};
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
      check_label("%s", facts[i]);
      CHECK(json_equal(json_object_get(wanted, facts[i]), json_object_get(got, facts[i])) == 1);
    }
  }
  json_decref(wanted);
  json_decref(got);
  unlink(xml);
  unlink(cfg);
}

static void configuration(void) {
  CHECK_INT(run_on("--print-cfg --quiet", MODELS "instances.xml", "2>/dev/null"), 0);
  CHECK_STR(
      output,
      "system = sys\n"
      "initially = \"(loc()==on__on | loc()==on__off) & (loc()==on__off | loc()==off__off | a.c == 0) & "
      "x == 1 & b.c <= 2\"\n"
      "forbidden = \"loc()==off__off | (loc()==on__off | loc()==off__off) & y > 2 | "
      "!((loc()==on__on | loc()==on__off) & x <= 1)\"\n"
      "Output-Variables = \"x, b.c,c\"\n"
      "scenario = supp\n"
      "directions = { x == 1 & y == 2 }\n"
      "time-horizon = 5\n");
  /* names by their ends */
  CHECK_INT(run_on("--print-cfg --quiet", MODELS "power.xml", "2>/dev/null"), 0);
  CHECK_STR(output, "system = sys\ninitially = \"a.c == 1\"\noutput-variables = a.c , x\n");
  /* without one */
  CHECK_INT(run_on("--print-cfg --quiet", MODELS "units.xml", "2>/dev/null"), 0);
  CHECK_STR(output, "system = sys\n");
}

static void streams(void) {
  CHECK_INT(run_on("--print", MODELS "instances.xml", "2>/dev/null"), 0);
  CHECK(strncmp(output, "<?xml ", 6) == 0);
  CHECK(strstr(output, "</sspaceex>\n") == output + strlen(output) - strlen("</sspaceex>\n"));
  CHECK_INT(run_on("--print", MODELS "instances.xml", "2>&1 >/dev/null"), 0);
  CHECK(strstr(output, "system sys: 4 locations, 12 jumps, flow transcendental\n") != NULL);
  CHECK_INT(run_on("--print --quiet", MODELS "urgent.xml", "2>&1 >/dev/null"), 0);
  CHECK(strstr(output, "system ") == NULL);
}

/* A model of 2^n locations. */
static const char *large(unsigned n) {
  const char *const path = scratch("large.xml");
  FILE *const file = fopen(path, "w");
  if (!CHECK(file != NULL))
    return path;
  fputs("<sspaceex version=\"0.2\" math=\"SpaceEx\"><component id=\"a\"><location id=\"1\" name=\"p\"/>"
        "<location id=\"2\" name=\"q\"/></component><component id=\"s\">",
        file);
  for (unsigned i = 0; i < n; i++)
    fprintf(file, "<bind component=\"a\" as=\"i%u\"/>", i);
  fputs("</component></sspaceex>", file);
  fclose(file);
  return path;
}

static void force(void) {
  static const struct {
    const char *option;
    unsigned n;
    int code;
    const char *says;
  } rows[] = {
      {"--print", 13, 0, NULL},
      {"--print", 14, 64, "the product has 16384 locations; more than 10000 are printed only with --force"},
      {"--print-cfg", 14, 64, "with --force"},
      {"--print --force", 14, 0, NULL},
      {"--print-cfg --force", 14, 0, NULL},
      {"--dot", 14, 0, NULL},
      {"--print", 60, 64, "more than 2^53 locations; more than 10000 are printed only with --force"},
      {"--print --force", 60, 65, "more than 2^53 product locations"},
      {"--dot", 60, 0, NULL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char arguments[MAX_LINE];
    const char *const path = large(rows[i].n);
    check_label("%s, 2^%u", rows[i].option, rows[i].n);
    snprintf(arguments, sizeof arguments, "%s '%s' 2>&1 >/dev/null", rows[i].option, path);
    CHECK_INT(run(arguments), rows[i].code);
    CHECK((rows[i].says == NULL) == (strstr(output, "force") == NULL && strstr(output, "2^53 p") == NULL));
    if (rows[i].says != NULL)
      CHECK(strstr(output, rows[i].says) != NULL);
    if (rows[i].code != 0) {
      snprintf(arguments, sizeof arguments, "%s '%s' 2>/dev/null", rows[i].option, path);
      run(arguments);
      CHECK_STR(output, "");
    }
    unlink(path);
  }
}

static void usage(void) {
  static const struct {
    const char *options, *file, *says;
    int code;
  } rows[] = {
      {"--print --json", MODELS "units.xml", "not both", 64},
      {"--print --dot", MODELS "units.xml", "one of --print, --print-cfg and --dot", 64},
      {"--print", "models/library/acc/acc.shield.xml", "this is a shield file", 64},
      {"--print", "tests/conform/broken_models/unknown-name.xml", "nothing is printed", 65},
      {"--dot", "tests/conform/broken_models/flow-twice.xml", "nothing is printed", 65},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    check_label("%s %s", rows[i].options, rows[i].file);
    CHECK_INT(run_on(rows[i].options, rows[i].file, "2>&1 >/dev/null"), rows[i].code);
    CHECK(strstr(output, rows[i].says) != NULL);
    run_on(rows[i].options, rows[i].file, "2>/dev/null");
    CHECK_STR(output, "");
  }
}

/* A full disk, and a reader that has gone. */
static void no_output(void) {
  static const char *const options[] = {"--print", "--print-cfg", "--dot", "--json", ""};
  for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
    char whole[MAX_LINE];
    check_label("%s", options[i]);
    if (access("/dev/full", W_OK) == 0)
      CHECK_INT(run_on(options[i], MODELS "instances.xml", "2>/dev/null >/dev/full"), 73);
    snprintf(whole, sizeof whole,
             "exec 4>&1; { sleep 0.1; '%s' check %s '%s' 2>/dev/null; echo $? >&4; } | true",
             check_build_path("hyshield"), options[i], check_source_path(MODELS "instances.xml"));
    FILE *const pipe = popen(whole, "r");
    int code = -1;
    CHECK(pipe != NULL && fscanf(pipe, "%d", &code) == 1);
    if (pipe != NULL)
      pclose(pipe);
    CHECK_INT(code, 73);
  }
}

/* Quotes and braces that fit, outside and inside of what is quoted; the number of nodes and edges. */
static void scan_dot(const char *text, int *nodes, int *edges, int *clusters, int *initial) {
  bool quoted = false;
  int depth = 0;
  *nodes = *edges = *clusters = *initial = 0;
  for (const char *c = text; *c != '\0'; c++) {
    if (quoted && *c == '\\' && c[1] != '\0')
      c++;
    else if (*c == '"')
      quoted = !quoted;
    else if (quoted && *c == '\n')
      break;
    else if (!quoted && (*c == '{' || *c == '}'))
      depth += *c == '{' ? 1 : -1;
    else if (!quoted && strncmp(c, " -> ", 4) == 0)
      ++*edges;
    else if (!quoted && strncmp(c, "subgraph", 8) == 0)
      ++*clusters;
    else if (!quoted && strncmp(c, "penwidth=3", 10) == 0)
      ++*initial;
    else if (!quoted && strncmp(c, "label=", 6) == 0)
      ++*nodes;
    CHECK(depth >= 0);
  }
  CHECK(!quoted);
  CHECK_INT(depth, 0);
  *nodes -= *edges + *clusters; /* all have labels */
}

static void dot(void) {
  static const struct {
    const char *file;
    int clusters, nodes, edges, initial;
    const char *says;
  } rows[] = {
      {MODELS "instances.xml", 1, 2, 4, 2, "off\\ninitial in b\\n"},
      {MODELS "instances.xml", 1, 2, 4, 2, "label=\"switch\\ninstances a, b\""},
      {MODELS "instances.xml", 1, 2, 4, 2, "label=\"hidden (private)\\lx == 0 | c == 0\\l\""},
      {MODELS "nested.xml", 1, 2, 4, 2, "instances m.p, m.q, n.p, n.q\""},
      {MODELS "blocks.xml", 2, 4, 6, 4, "label=\"b\\ninstance j\""},
      {MODELS "names.xml", 2, 6, 1, 3, "very good!"},
      {MODELS "units.xml", 1, 1, 0, 1, "h' == in - k*h\\lt' == 1\\l\""},
      {"models/library/acc/acc.xml", 2, 8, 27, 2, "penwidth=3"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    int nodes, edges, clusters, initial;
    check_label("%s", rows[i].file);
    CHECK_INT(run_on("--dot --quiet", rows[i].file, "2>/dev/null"), 0);
    CHECK(strncmp(output, "digraph \"", 9) == 0);
    scan_dot(output, &nodes, &edges, &clusters, &initial);
    CHECK_INT(clusters, rows[i].clusters);
    CHECK_INT(nodes, rows[i].nodes);
    CHECK_INT(edges, rows[i].edges);
    CHECK_INT(initial, rows[i].initial);
    CHECK(strstr(output, rows[i].says) != NULL);
  }
}

/* Long formulas, many of them, and what has a meaning in a label. */
static void dot_cuts(void) {
  char arguments[MAX_LINE];
  const char *const path = scratch("long.xml");
  FILE *const file = fopen(path, "w");
  int nodes, edges, clusters, initial;

  if (!CHECK(file != NULL))
    return;
  fputs("<sspaceex version=\"0.2\" math=\"SpaceEx\"><component id=\"a\"><param name=\"x\" type=\"real\"/>"
        "<location id=\"1\" name=\"say &quot;\\n&quot; {&#10;\\\"><invariant>x &lt;= 0",
        file);
  for (int i = 0; i < 200; i++)
    fputs(" + x", file);
  for (int i = 0; i < 49; i++)
    fprintf(file, " &amp; x &lt;= %d", i);
  fputs("</invariant></location></component></sspaceex>", file);
  fclose(file);
  snprintf(arguments, sizeof arguments, "--dot --quiet '%s' 2>/dev/null", path);
  CHECK_INT(run(arguments), 0);
  scan_dot(output, &nodes, &edges, &clusters, &initial);
  CHECK_INT(nodes, 1);
  CHECK(strstr(output, "say \\\"\\\\n\\\" {\\n\\\\\\n") != NULL);
  CHECK(strstr(output, "...\\l") != NULL);
  CHECK(strstr(output, "... and 30 more\\l") != NULL);
  CHECK(strlen(output) < 1000);
  unlink(path);
}

static void plurals(void) {
  CHECK_INT(run_on("", MODELS "urgent.xml", "2>/dev/null"), 0);
  CHECK(strstr(output, "4 locations, 4 jumps") != NULL);
  CHECK_INT(run_on("", MODELS "one_name.xml", "2>/dev/null"), 0);
  CHECK(strstr(output, "system a: 1 location, 0 jumps, flow constant\n") != NULL);
  CHECK_INT(run_on("", "tests/conform/broken_models/unused.xml", "2>/dev/null"), 0);
  CHECK(strstr(output, "0 errors, 1 warning\n") != NULL);
  CHECK_INT(run_on("", "tests/conform/broken_models/flow-twice.xml", "2>/dev/null"), 65);
  CHECK(strstr(output, "1 error, 0 warnings\n") != NULL);
}

/* An unknown system is an error; the facts are those of the component that nobody binds. */
static void unknown_system(void) {
  CHECK_INT(run_on("--system syss --json", MODELS "instances.xml", "2>/dev/null"), 65);
  json_t *const answer = json_loads(output, 0, NULL);
  CHECK_STR(json_string_value(json_object_get(answer, "system")), "sys");
  CHECK_INT(json_integer_value(json_object_get(answer, "locations")), 4);
  json_decref(answer);
  CHECK_INT(run_on("--system syss", MODELS "instances.xml", "2>&1 >/dev/null"), 65);
  CHECK(strstr(output, "error: system `syss' is not a component of the model; did you mean `sys'?") != NULL);
  CHECK_INT(run_on("--system zzzzzz --print", MODELS "instances.xml", "2>/dev/null"), 65);
  CHECK_STR(output, "");
}

CHECK_MAIN("check --print", {"a printed model has the same facts", reads_back},
           {"the configuration", configuration}, {"what stands on which stream", streams},
           {"large products", force}, {"what cannot be asked for", usage},
           {"output that cannot be written", no_output}, {"graphs", dot}, {"graphs of much", dot_cuts},
           {"one and many", plurals}, {"an unknown system", unknown_system})
