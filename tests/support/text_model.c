#include "tests/support/text_model.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/check.h"

bool text_model_open(text_model *m, const char *body, const char *cfg) {
  static char xml[65536];
  hys_diagnostics problems;
  hys_status status;

  memset(m, 0, sizeof *m);
  snprintf(xml, sizeof xml,
           "<sspaceex xmlns=\"http://www-verimag.imag.fr/xml-namespaces/sspaceex\" version=\"0.2\" "
           "math=\"SpaceEx\">%s</sspaceex>",
           body);
  m->arena = hys_arena_create(NULL);
  if (!CHECK(m->arena != NULL))
    return false;
  hys_diagnostics_init(&problems, m->arena);
  status = hys_model_read_memory(&m->model, xml, strlen(xml), "model.xml", cfg, cfg != NULL ? strlen(cfg) : 0,
                                 "model.cfg", NULL, m->arena, &problems);
  if (status == HYS_OK)
    status = hys_hybrid_open(&m->automaton, m->model, &problems);
  for (uint32_t i = 0; i < problems.n && status != HYS_OK; i++)
    fprintf(stderr, "%s:%u:%u: %s\n", problems.item[i].file, problems.item[i].line, problems.item[i].column,
            problems.item[i].text);
  return CHECK_INT(status, HYS_OK);
}

/* Text with the characters of XML escaped. */
static void escape(const char *from, char *to, size_t size) {
  size_t n = 0;

  for (; *from != '\0' && n + 8 < size; from++) {
    const char *put = *from == '&' ? "&amp;" : *from == '<' ? "&lt;" : NULL;
    if (put != NULL)
      n += (size_t)snprintf(to + n, size - n, "%s", put);
    else
      to[n++] = *from;
  }
  to[n] = '\0';
}

static size_t declare(char *text, size_t used, size_t size, const char *names, bool controlled) {
  char name[64];
  int n;

  while (sscanf(names, " %63s%n", name, &n) == 1) {
    used += (size_t)snprintf(
        text + used, size - used,
        "<param name=\"%s\" type=\"real\" local=\"false\" d1=\"1\" d2=\"1\" dynamics=\"any\" "
        "controlled=\"%s\"/>",
        name, controlled ? "true" : "false");
    names += n;
  }
  return used;
}

bool text_model_flow(text_model *m, const char *states, const char *inputs, const char *flow,
                     const char *invariant, const char *initially) {
  static char body[32768], cfg[4096], escaped[16384];
  size_t n = (size_t)snprintf(body, sizeof body, "<component id=\"system\">");

  n = declare(body, n, sizeof body, states, true);
  n = declare(body, n, sizeof body, inputs, false);
  escape(invariant, escaped, sizeof escaped);
  n += (size_t)snprintf(body + n, sizeof body - n,
                        "<location id=\"1\" name=\"run\"><invariant>%s</invariant>", escaped);
  escape(flow, escaped, sizeof escaped);
  snprintf(body + n, sizeof body - n, "<flow>%s</flow></location></component>", escaped);
  snprintf(cfg, sizeof cfg, "system = system\ninitially = \"%s\"\n", initially);
  return text_model_open(m, body, cfg);
}

void text_model_close(text_model *m) {
  hys_hybrid_close(m->automaton);
  hys_arena_destroy(m->arena);
}
