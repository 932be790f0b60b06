#!/bin/bash
# Global names of the two libraries: hys_ and visible, or hysi_ and hidden. A hysi_ name that a public header declares, because
# an inline function there calls it, is visible too.
. "$(dirname "$0")/lib.sh"

command -v readelf >/dev/null || { skip 'the gate needs readelf'; finish; }

# The private names that public headers mention.
(cd "$src" && public_headers "$src" | xargs -r cat) | grep -oE 'hysi_[A-Za-z0-9_]+' | sort -u >"$scratch/inline"

# names ARCHIVE...: what is wrong with the names that they define.
names() {
  readelf -sW "$@" | awk '
    FILENAME != "-" { inlined[$1] = 1; next }
    $1 ~ /^[0-9]+:$/ && $5 != "LOCAL" && $7 != "UND" && NF >= 8 {
      name = $8
      if (name ~ /^(__odr_asan|__asan|__ubsan|__gcov|__llvm)/) next
      seen++
      if (name ~ /^hys_/) { if ($6 != "DEFAULT") { print "public but hidden (HYS_API is missing): " name; bad = 1 } }
      else if (name ~ /^hysi_/) { if (($6 == "HIDDEN") == ((name in inlined) ? 1 : 0)) { print "private but " ((name in inlined) ? "hidden from inline functions: " : "visible: ") name; bad = 1 } }
      else { print "global name without hys_ or hysi_: " name; bad = 1 }
    }
    END { if (!seen) { print "no names at all"; bad = 1 } exit bad }' "$scratch/inline" -
}

archives=()
for name in libhyshield-rt libhyshield; do
  for file in "$build/.libs/$name.a" "$build/.libs/$name.so"; do
    [ -e "$file" ] && { archives+=("$file"); break; }
  done
done
if [ ${#archives[@]} -ne 2 ]; then
  bad "the libraries are not in $build"
elif out=$(names "${archives[@]}"); then
  ok 'global names'
else
  bad 'global names'
  printf '%s\n' "$out"
fi

plant() { # NAME SOURCE TEXT
  printf '%s\n' "$2" >"$scratch/planted.c"
  if ! ${CC:-cc} -std=c11 -fvisibility=hidden -I"$src" -c "$scratch/planted.c" -o "$scratch/planted.o"; then
    bad "planted fault does not compile: $1"
  elif names "$scratch/planted.o" | grep -qF "$3"; then
    ok "planted fault seen: $1"
  else
    bad "planted fault not seen: $1"
  fi
}
plant 'a name of nobody' 'int helper(void); int helper(void) { return 1; }' 'global name without hys_ or hysi_: helper'
plant 'a forgotten HYS_API' 'int hys_x(void); int hys_x(void) { return 1; }' 'public but hidden (HYS_API is missing): hys_x'
plant 'a private name made visible' '#include "core/rt/api.h"
HYS_API int hysi_x(void); int hysi_x(void) { return 1; }' 'private but visible: hysi_x'
finish
