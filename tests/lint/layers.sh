#!/bin/bash
# Who may include whom: core <- {models, synth} <- monitor <- sims <- cli.
. "$(dirname "$0")/lib.sh"

gate() {
  local tree=$1 files
  public_headers "$tree" >"$scratch/public"
  mapfile -t files < <(c_files "$tree" $rooms examples)
  (cd "$tree" && awk '
    BEGIN {
      allowed["core"] = " core "
      allowed["models"] = " core models "
      allowed["synth"] = " core synth "
      allowed["monitor"] = " core models synth monitor "
      allowed["sims"] = " core models synth monitor sims "
      allowed["cli"] = " core models synth monitor sims cli "
      allowed["examples"] = " core models synth monitor "
      standard = " complex ctype errno fenv float inttypes iso646 limits math stdalign stdarg stdbool stddef stdint" \
                 " stdnoreturn string tgmath "
    }
    FILENAME == ARGV[1] { public[$1] = 1; next }
    function wrong(what) { print FILENAME ":" FNR ": " what; bad = 1 }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
      target = $0; sub(/^[^"]*"/, "", target); sub(/".*/, "", target)
      room = FILENAME; sub(/\/.*/, "", room)
      other = target; sub(/\/.*/, "", other)
      if (target !~ /\// || target ~ /(^|\/)\.\.?\//) { wrong("include by room path: " target); next }
      if (index(allowed[room], " " other " ") == 0 && !(room == "examples" && target ~ /^tests\/support\//))
        wrong(room " may not include " target)
      if (FILENAME ~ /^[a-z]+\/rt\// && target !~ /^[a-z]+\/rt\//) wrong("a run-time file may not include " target)
      if (FILENAME ~ /^synth\/checker\// && target !~ /^(core|synth\/checker)\//) wrong("the checker may not include " target)
      if ((FILENAME in public) && !(target in public)) wrong("a public header may not include the private " target)
      if (room == "examples" && !(target in public) && target !~ /^tests\/support\//)
        wrong("an example may not include the private " target)
    }
    /^[ \t]*#[ \t]*include[ \t]*</ {
      target = $0; sub(/^[^<]*</, "", target); sub(/>.*/, "", target)
      room = FILENAME; sub(/\/.*/, "", room)
      if (target ~ /^gsl\// && room != "sims" && room != "cli") wrong("only sims and cli may use GSL: " target)
      if (FILENAME ~ /^[a-z]+\/rt\//) {
        name = target; sub(/\.h$/, "", name)
        if (index(standard, " " name " ") == 0) wrong("a run-time file may not include <" target ">")
      }
    }
    END { exit bad }' "$scratch/public" "${files[@]}")
}

plant() { # FILE LINE
  mkdir -p "$(dirname "$copy/$1")"
  printf '%s\n' "$2" >>"$copy/$1"
}

expect_clean 'includes follow the layers'
while IFS='|' read -r file line text; do
  fresh_copy
  plant "$file" "$line"
  expect_caught "$file: $line" "$text"
done <<'PLANTS'
core/planted.c|#include "models/reader.h"|core may not include models/reader.h
models/planted.c|#include "synth/plan.h"|models may not include synth/plan.h
synth/planted.c|#include "models/reader.h"|synth may not include models/reader.h
monitor/planted.c|  #  include "sims/plant.h"|monitor may not include sims/plant.h
sims/planted.h|#include "cli/cli.h"|sims may not include cli/cli.h
synth/checker/planted.c|#include "synth/plan.h"|the checker may not include synth/plan.h
core/rt/planted.c|#include "core/version.h"|a run-time file may not include core/version.h
core/rt/planted.c|#include <stdio.h>|a run-time file may not include <stdio.h>
core/planted.c|#include <gsl/gsl_rng.h>|only sims and cli may use GSL
core/rt/status.h|#include "core/rt/private.h"|a public header may not include the private core/rt/private.h
core/planted.c|#include "version.h"|include by room path: version.h
examples/planted.c|#include "core/private.h"|an example may not include the private core/private.h
PLANTS
finish
