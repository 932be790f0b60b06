/* Reads a shield file: structure first, then the model that it names, then section after section. */
#include "models/shield_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "models/model.h"
#include "models/shield_reader.h"
#include "models/xml_source.h"

/* A path of the shield file, relative to its folder. */
static const char *beside(hysi_shield_reader *r, const char *name) {
  const char *slash = strrchr(r->path, '/');
  const size_t folder = name[0] != '/' && slash != NULL ? (size_t)(slash - r->path) + 1 : 0;
  const size_t size = folder + strlen(name) + 1;
  char *path = hysi_shield_alloc(r, size, 1);
  if (path != NULL)
    snprintf(path, size, "%.*s%s", (int)folder, r->path, name);
  return path;
}

/* A file that an attribute names and that can be opened; NULL after a complaint. */
static const char *file_of(hysi_shield_reader *r, const hysi_xml_element *e, const char *attribute) {
  const char *name = hysi_xml_attribute_value(e, attribute);
  if (name == NULL)
    return NULL;
  if (name[0] == '\0') {
    hysi_shield_say(r, &(hysi_problem){.at = e, .expected = "the name of a file"},
                    "\"%s\" of <model> is empty", attribute);
    return NULL;
  }
  const char *path = beside(r, name);
  FILE *in = path != NULL ? fopen(path, "rb") : NULL;
  if (in == NULL) {
    if (path != NULL)
      hysi_shield_say(r, &(hysi_problem){.at = e, .found = name, .hint = "relative to the shield file"},
                      "cannot open \"%s\" of <model>: %s", attribute, strerror(errno));
    return NULL;
  }
  fclose(in);
  return path;
}

static void heading(hysi_shield_reader *r, const hysi_xml_element *root) {
  const char *version = hysi_xml_attribute_value(root, "version"),
             *name = hysi_xml_attribute_value(root, "name");

  if (version != NULL && strcmp(version, "1") != 0)
    hysi_shield_say(r, &(hysi_problem){.at = root, .expected = "1", .found = version},
                    "the version of the format is not known");
  if (name != NULL && !hysi_shield_is_name(name))
    hysi_shield_say(
        r,
        &(hysi_problem){.at = root, .expected = "letters, digits, _, - and ., a letter first", .found = name},
        "\"name\" of <shield> is not a name");
  r->spec.name = name;
}

static void model(hysi_shield_reader *r, const hysi_xml_element *e) {
  if (e == NULL || r->automaton != NULL) /* the caller has read it */
    return;
  const bool has_config = hysi_xml_attribute_value(e, "config") != NULL;
  const char *file = file_of(r, e, "file"), *config = file_of(r, e, "config");
  const uint32_t errors = r->said->errors;

  r->extras.model_path = file;
  r->extras.config_path = config;
  r->extras.system = hysi_xml_attribute_value(e, "system");
  if (file == NULL || (has_config && config == NULL))
    return;
  hys_status status = hys_model_read(&r->model, file, config, r->extras.system, r->arena, r->said);
  if (status == HYS_OK) {
    if (config == NULL)
      r->extras.config_path = hys_model_config(r->model);
    status = hys_model_automaton(r->model, r->arena, r->said, &r->automaton);
  }
  if (status == HYS_OK) {
    if (r->automaton->n_forbidden == 0) /* a key that was misspelt, most likely */
      hysi_shield_say(r, &(hysi_problem){.at = e, .hint = "the configuration's key is `forbidden'"},
                      "the model forbids nothing: there is nothing to enforce");
    if (r->automaton->n_initially == 0)
      hysi_shield_say(r, &(hysi_problem){.at = e}, "the model has no initial state");
    return;
  }
  r->automaton = NULL;
  if (status == HYS_ERR_MEMORY)
    r->status = status;
  if (status == HYS_ERR_UNSUPPORTED) /* the model is in order, but not one for a shield of this version */
    r->unsupported += r->said->errors - errors + 1;
  hysi_shield_say(r, &(hysi_problem){.at = e, .found = hysi_xml_attribute_value(e, "file")},
                  "the model cannot be used: %s", hys_status_text(status));
}

static void sections(hysi_shield_reader *r, const hysi_xml_element *root) {
  heading(r, root);
  model(r, hysi_shield_child(root, "model"));
  hysi_shield_timing(r, hysi_shield_child(root, "timing"));
  hysi_shield_observe(r, hysi_shield_child(root, "observe"));
  hysi_shield_commands(r, hysi_shield_child(root, "commands"));
  hysi_shield_events(r, hysi_shield_child(root, "events"));
  hysi_shield_labels_left(r, root);
  hysi_shield_fallback(r, hysi_shield_child(root, "fallback"));
  hysi_shield_terminal(r, hysi_shield_child(root, "terminal"));
  hysi_shield_limits(r, hysi_shield_child(root, "limits"));
}

static hys_status read_root(hysi_shield_reader *r, const hysi_xml_element *root, const hys_spec **out,
                            hys_shield_extras *extras) {
  const uint32_t before = r->said->errors, lost = r->said->dropped;

  if (strcmp(root->name, "shield") != 0) {
    hysi_shield_say(r, &(hysi_problem){.at = root, .expected = "<shield>", .found = root->name},
                    "this is not a shield file");
    return HYS_ERR_INPUT;
  }
  if (root->space == NULL || strcmp(root->space, HYS_SHIELD_NAMESPACE) != 0)
    hysi_shield_say(r,
                    &(hysi_problem){.at = root,
                                    .expected = HYS_SHIELD_NAMESPACE,
                                    .found = root->space != NULL ? root->space : "",
                                    .hint = "write xmlns=\"" HYS_SHIELD_NAMESPACE "\""},
                    "the namespace of <shield> is not that of the format");
  hysi_shield_structure(r, root);
  sections(r, root);
  hys_diagnostics_sort(r->said);
  if (r->status != HYS_OK)
    return r->status;
  if (r->said->dropped > lost && r->said->n < HYS_MAX_DIAGNOSTICS)
    return HYS_ERR_MEMORY; /* a message found no place */
  const uint32_t errors = r->said->errors - before;
  if (errors > 0)
    return errors == r->unsupported ? HYS_ERR_UNSUPPORTED : HYS_ERR_INPUT;
  hys_spec *spec = hys_arena_alloc(r->arena, 1, sizeof *spec);
  if (spec == NULL)
    return HYS_ERR_MEMORY;
  *spec = r->spec;
  spec->automaton = r->automaton;
  *out = spec;
  if (extras != NULL)
    *extras = r->extras;
  return HYS_OK;
}

hys_status hysi_shield_read_memory(const char *bytes, size_t length, const char *path, const hys_model *model,
                                   const hys_automaton *automaton, hys_arena *arena,
                                   hys_diagnostics *diagnostics, const hys_spec **out) {
  hysi_shield_reader r = {
      .path = path, .arena = arena, .said = diagnostics, .model = model, .automaton = automaton};
  const hysi_xml_element *root = NULL;

  *out = NULL;
  const hys_status status = hysi_xml_read_memory(&root, bytes, length, path, arena, diagnostics);
  return status != HYS_OK ? status : read_root(&r, root, out, NULL);
}

hys_status hys_shield_file_read_all(const char *path, hys_arena *arena, hys_diagnostics *diagnostics,
                                    const hys_spec **out, hys_shield_extras *extras) {
  hysi_shield_reader r = {.arena = arena, .said = diagnostics};
  const hysi_xml_element *root = NULL;

  *out = NULL;
  if (extras != NULL)
    memset(extras, 0, sizeof *extras);
  r.path = hys_arena_strdup(arena, path, strlen(path));
  if (r.path == NULL)
    return HYS_ERR_MEMORY;
  const hys_status status = hysi_xml_read(&root, r.path, arena, diagnostics);
  return status != HYS_OK ? status : read_root(&r, root, out, extras);
}

hys_status hys_shield_file_read(const char *path, hys_arena *arena, hys_diagnostics *diagnostics,
                                const hys_spec **out) {
  return hys_shield_file_read_all(path, arena, diagnostics, out, NULL);
}
