/* Events whose image only a relation describes: how long after one the plant can still be saved.
 *
 * A vehicle may cut in at any instant at which the gap that it leaves suffices for the speeds of both.  Its
 * image, hulled to a box, has lost that relation, and no flowpipe through it is certified.  For such an event
 * e and a command c (brake) this file proves, once, before anything runs, the
 *
 *   Lemma(e, c, L).  From every state of the declared range and every input that satisfy the guard of a jump
 *   labelled e, for every instant s in [0, L]: if c takes effect s after the jump, whatever other commands
 * take effect before it and whatever else the plant does, then the plant, with no command behind c and no
 * further e, is in Safe at every instant, is nowhere blocked, and comes to T.
 *
 * What a shield may do with it.  Flowpipes leave e out.  Instead every schedule that is certified at an
 * instant t0 ends with c, its effect taken by t0 - latency + L at the latest, or there is nothing left to
 * send and c is in effect already.  Claim: then no run is lost, with any number of events e at any instants.
 *
 *   By induction over the events of a run, in the order of time.  Before the first e that happens after t0,
 * or has happened and is not told, the run is one without e and lies in the certified flowpipe (or, if there
 * was an e that is not told, in the case that follows).  Let e happen at te.  Its state satisfies the guard,
 * since the plant is a run of the automaton.  Every decision between te and the instant at which e is told,
 * at most te + latency, commits a c that takes effect by t0 - latency + L <= te + L, as did the decision
 * before te. So c takes effect in [te, te + L], or has before te.  In the first case the Lemma speaks of what
 * follows up to the next e.  In the second case the plant is *settled*: in a location where c does nothing;
 * settled locations are left by commands only, so the Lemma with s = 0 speaks of it: its states include all
 * that e makes of settled locations.  At the next e' of the run the same two cases hold again, with te' >=
 * te: c takes effect by te + L <= te' + L, or has before.  Nothing is used of the states between but their
 * range. What was decided without knowing of e was decided for states that are not the true ones; that
 * matters nowhere above: the Lemma holds for any commands before c.  When e is told the estimate is set
 * right, and decisions are again about the true state.
 *
 *   After T has been reached: T3 of the terminal check includes e.
 *
 * Assumed of the environment: an event is told within its latency, events of one label in their order.
 *
 * Checked here of the automaton, so that the argument holds: c has no value, may be inserted, is ignored
 * where it has no jump, and is surely enabled wherever it has one; it leads to settled locations, which only
 * commands leave.  The event is of another part of the plant: what it does not change ("own" states) flows,
 * jumps and is guarded without regard to what it changes, and in each location it leads to one location.  Own
 * states stay in the range of the Lemma: from the declared range (of readings, their error added) they come
 * at most as far as their slopes take them in HYS_RECOVERY_LONGEST, and not further once settled; a schedule
 * is decided only for states of the declared range (hys_spec.recovery_range).
 *
 * How the Lemma is shown: the box of the variables that curved rows bend is cut into cells; in a cell the
 * guard contracts the inputs (least gap), the image is spread over [0, L] with the hull of all slopes and of
 * all jumps, checked on the way, and from there c's jump and then a flowpipe lead to T.  A cell that fails is
 * halved; the smallest ones lower L instead.
 *
 * Setup only. */
#ifndef HYSHIELD_SYNTH_OFFLINE_RECOVERY_H
#define HYSHIELD_SYNTH_OFFLINE_RECOVERY_H

#include "core/allocator.h"
#include "core/rt/api.h"
#include "core/rt/spec.h"
#include "core/rt/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  HYS_RECOVERY_LONGEST = 1000, /* ms: longer windows are not looked for */
  HYS_RECOVERY_CELLS = 1024,   /* the smallest cell is this part of a variable's range */
  HYS_RECOVERY_WORK = 4000000  /* steps of flowpipes for one command */
};

/* A specification with what was found; `spec` is the one to use, and the object stays where it is then. */
typedef struct hys_recovered {
  hys_spec spec;
  hys_event event[HYS_MAX_EVENTS];
  hys_interval range[HYS_MAX_STATES];
} hys_recovered;

typedef struct hys_recovery_report {
  uint32_t wanted; /* events that assign inputs: a box alone does not describe them */
  uint32_t found;  /* of these, with a window */
  const char *why; /* for the last command that was tried; NULL: found, or none wanted */
  uint32_t cells;  /* that the Lemma was shown for */
  uint32_t work;   /* steps of flowpipes */
} hys_recovery_report;

/* Copies spec (whose automaton, commands etc. stay in use) and fills the events' recovery.  Without events
 * that need it this is the copy.  HYS_OK, also when no window was found (see the report; the events stay
 * spontaneous then, and most likely nothing is certified); HYS_ERR_MEMORY; HYS_ERR_LIMIT (too many states,
 * events, locations). */
HYS_API hys_status hys_recovery_prepare(hys_recovered *out, const hys_spec *spec,
                                        const hys_allocator *allocator, hys_recovery_report *report);

#ifdef __cplusplus
}
#endif
#endif
