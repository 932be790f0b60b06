#!/bin/bash
# Each public header compiles alone, as C11 and as C++17, and is refused under fast-math.
. "$(dirname "$0")/lib.sh"

cc=${CC:-cc}
cxx=$(command -v g++ || command -v clang++ || command -v c++)
if [ -z "$cxx" ] || ! echo '#include <cstddef>' | "$cxx" -E -x c++ - >/dev/null 2>&1; then
  cxx=
fi
strict='-Wall -Wextra -pedantic-errors -Werror -fsyntax-only'

gate() {
  local tree=$1 header bad=0
  for header in $(public_headers "$tree"); do
    printf '#include "%s"\n#include "%s"\ntypedef int hys_nothing;\n' "$header" "$header" >"$scratch/alone.c"
    # shellcheck disable=SC2086
    $cc -std=c11 $strict -I"$tree" $pkg_cflags "$scratch/alone.c" || { echo "not C11 by itself: $header"; bad=1; }
    if [ -n "$cxx" ]; then
      # shellcheck disable=SC2086
      "$cxx" -std=c++17 $strict -I"$tree" $pkg_cflags -x c++ "$scratch/alone.c" || { echo "not C++17 by itself: $header"; bad=1; }
    fi
    if grep -q 'HYS_API' "$tree/$header" && [ "$header" != core/rt/api.h ] && ! grep -q 'extern "C"' "$tree/$header"; then
      echo "functions without extern \"C\": $header"
      bad=1
    fi
    if $cc -std=c11 -ffast-math -fsyntax-only -I"$tree" $pkg_cflags "$scratch/alone.c" 2>/dev/null; then
      echo "not refused under fast-math (include core/rt/api.h): $header"
      bad=1
    fi
  done
  return $bad
}

if [ -z "$(public_headers "$src")" ]; then bad 'no public headers found'; else ok 'public headers found'; fi
expect_clean 'public headers'
[ -n "$cxx" ] || skip 'no C++ compiler'

plant() { # TEXT
  fresh_copy
  printf '%s\n' "$1" >"$copy/core/planted.h"
  echo 'public_headers += %D%/planted.h' >>"$copy/core/Makefile.inc"
}
plant '#include "core/rt/api.h"
static inline size_t hys_planted(void) { return 1; }'
expect_caught 'a header that needs another' 'not C11 by itself: core/planted.h'
plant '#include "core/rt/api.h"
typedef struct hys_planted { int new; } hys_planted;'
[ -n "$cxx" ] && expect_caught 'a word of C++' 'not C++17 by itself: core/planted.h'
plant '#include "core/rt/api.h"
HYS_API int hys_planted(void);'
expect_caught 'no extern "C"' 'functions without extern "C": core/planted.h'
plant 'typedef int hys_planted;'
expect_caught 'a header that fast-math can use' 'not refused under fast-math (include core/rt/api.h): core/planted.h'
finish
