/* The reader of shield files from inside: what its files share.  Private to models.  Setup only. */
#ifndef HYSHIELD_MODELS_SHIELD_READER_H
#define HYSHIELD_MODELS_SHIELD_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/allocator.h"
#include "core/diagnostics.h"
#include "core/rt/reach.h"
#include "core/rt/spec.h"
#include "core/rt/status.h"
#include "models/model.h"
#include "models/quantity.h"
#include "models/shield_file.h"
#include "models/xml_source.h"

/* What the sections may have; the message names the limit. */
enum {
  HYS_MAX_DERIVED = 64,
  HYS_MAX_TERMINAL_SETS = 64,                            /* elements <set> */
  HYS_MAX_CYCLE = 64,                                    /* insertions of a cycle */
  HYS_MAX_PLAN_LENGTH = HYS_MAX_EFFECTS - HYS_MAX_QUEUE, /* insertions of a plan */
  HYS_MAX_ATTRIBUTE_LENGTH = 4096
};

typedef struct hysi_shield_reader {
  const char *path; /* of the shield file */
  hys_arena *arena;
  hys_diagnostics *said;
  hys_status status;    /* HYS_OK or HYS_ERR_MEMORY */
  uint32_t unsupported; /* errors that only say what this version cannot do */
  const hys_model *model;
  const hys_automaton *automaton; /* NULL: could not be read; what needs it is not checked */
  hys_spec spec;
  hys_shield_extras extras;
  /* per state */
  hys_observed *observed;
  const hysi_xml_element **observed_by; /* NULL: not listed */
  const hys_unit **observed_unit;
} hysi_shield_reader;

/* What a message is made of: "TEXT; expected EXPECTED, found "FOUND" (HINT)".  Place: the element's, unless a
 * line is given. */
typedef struct hysi_problem {
  hys_severity severity; /* 0 = error: see hysi_shield_say */
  const hysi_xml_element *at;
  uint32_t line, column;
  const char *expected, *found, *hint;
} hysi_problem;

/* ---- shield_structure.c ---- */

/* An error (never a note: severity 0 is taken for HYS_ERROR). */
void hysi_shield_say(hysi_shield_reader *r, const hysi_problem *problem, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* An error that counts as unsupported: what the format has and this version does not enforce.  hint: NULL or
 * what can be said instead. */
void hysi_shield_not_yet(hysi_shield_reader *r, const hysi_xml_element *e, const char *what,
                         const char *hint);
/* A hint like: did you mean "NAME"?  NULL if no name is near, or no memory. */
const char *hysi_shield_did_you_mean(hysi_shield_reader *r, const char *name, const char *const *candidate,
                                     size_t n);
/* "a, b or c" of at most a dozen names, in the arena; NULL if there are none, or no memory. */
const char *hysi_shield_one_of(hysi_shield_reader *r, const char *const *name, size_t n);

/* Elements and attributes against the format: unknown, missing, repeated ones, text where none may be. */
void hysi_shield_structure(hysi_shield_reader *r, const hysi_xml_element *root);

/* hysi_xml_place for a text behind a pointer to anything. */
void hysi_shield_place(const void *text, size_t offset, uint32_t *line, uint32_t *column);

/* First child of that name, of any element or NULL. */
const hysi_xml_element *hysi_shield_child(const hysi_xml_element *parent, const char *name);
/* Next sibling of that name. */
const hysi_xml_element *hysi_shield_next(const hysi_xml_element *element, const char *name);
/* The number of children of that name. */
size_t hysi_shield_count(const hysi_xml_element *parent, const char *name);

/* ---- shield_values.c: attributes.  What is absent was reported by the structure: they leave *out alone and
 * return false, also after a fault of the value, which they report. ---- */

bool hysi_shield_quantity(hysi_shield_reader *r, const hysi_xml_element *e, const char *attribute,
                          hys_quantity *out);
/* unit: what the dimension has to be that of; NULL = not checked. */
bool hysi_shield_measure(hysi_shield_reader *r, const hysi_xml_element *e, const char *attribute,
                         const hys_unit *unit, hys_quantity *out);
/* A time that is not negative (or, positive: greater than zero). */
bool hysi_shield_time(hysi_shield_reader *r, const hysi_xml_element *e, const char *attribute,
                      hys_round round, bool positive, int64_t *out);
bool hysi_shield_unit(hysi_shield_reader *r, const hysi_xml_element *e, const hys_unit **out);
/* Index of the word among n. */
bool hysi_shield_word(hysi_shield_reader *r, const hysi_xml_element *e, const char *attribute,
                      const char *const *word, size_t n, size_t *out);
bool hysi_shield_yes(hysi_shield_reader *r, const hysi_xml_element *e, const char *attribute, bool *out);
bool hysi_shield_integer(hysi_shield_reader *r, const hysi_xml_element *e, const char *attribute,
                         uint32_t least, uint32_t most, uint32_t *out);
/* An error bound: not negative, rounded up, its dimension that of unit. */
bool hysi_shield_error_bound(hysi_shield_reader *r, const hysi_xml_element *e, const hys_unit *unit,
                             double *out);

/* A letter first, then letters, digits, _, - and dots. */
bool hysi_shield_is_name(const char *text);
/* Index of a name among n: the exact one, else the only one that ends in ".NAME"; SIZE_MAX if there is none.
 */
size_t hysi_shield_find(const char *name, const char *const *among, size_t n);
/* A state named by an attribute; reports what else the name is. */
bool hysi_shield_state(hysi_shield_reader *r, const hysi_xml_element *e, const char *attribute, size_t *out);
/* The label of a command or event, carried by at least one jump. */
bool hysi_shield_label(hysi_shield_reader *r, const hysi_xml_element *e, int32_t *out);
/* An instance, a location of it. */
bool hysi_shield_instance(hysi_shield_reader *r, const hysi_xml_element *e, uint32_t *out);
bool hysi_shield_location(hysi_shield_reader *r, const hysi_xml_element *e, uint32_t instance, uint32_t *out);
/* Memory; sets the status. */
void *hysi_shield_alloc(hysi_shield_reader *r, size_t n, size_t size);

/* ---- the sections; each takes its element, which may be NULL ---- */

void hysi_shield_timing(hysi_shield_reader *r, const hysi_xml_element *e);
void hysi_shield_observe(hysi_shield_reader *r, const hysi_xml_element *e);
void hysi_shield_limits(hysi_shield_reader *r, const hysi_xml_element *e);
void hysi_shield_commands(hysi_shield_reader *r, const hysi_xml_element *e);
void hysi_shield_events(hysi_shield_reader *r, const hysi_xml_element *e);
void hysi_shield_labels_left(hysi_shield_reader *r, const hysi_xml_element *root);
void hysi_shield_fallback(hysi_shield_reader *r, const hysi_xml_element *e);
void hysi_shield_terminal(hysi_shield_reader *r, const hysi_xml_element *e);

/* A shield file in memory against a model that has been read already; whatever <model> says. */
hys_status hysi_shield_read_memory(const char *bytes, size_t length, const char *path, const hys_model *model,
                                   const hys_automaton *automaton, hys_arena *arena,
                                   hys_diagnostics *diagnostics, const hys_spec **out);

#endif
