#!/bin/bash
# The sanitizers of this build are there: planted faults die, and the objects are instrumented. Run in a build that was
# configured with --enable-sanitizers.
. "$(dirname "$0")/lib.sh"

setting() { sed -n "s/^$1 = *//p" "$build/Makefile" | head -n 1; }
cflags="$(setting HYS_CFLAGS) $(setting CFLAGS)"
ldflags=$(setting HYS_LDFLAGS)
cc=$(setting CC)
case $cflags in
  *-fsanitize=*) ;;
  *) skip 'this build has no sanitizers'; finish ;;
esac

compile() { # STATEMENTS
  printf '#include <limits.h>\n#include <stdlib.h>\nint main(void) {\n%s\n}\n' "$1" >"$scratch/planted.c"
  # shellcheck disable=SC2086
  $cc $cflags $ldflags "$scratch/planted.c" -o "$scratch/planted"
}

plant() { # NAME STATEMENTS TEXT
  if ! compile "$2"; then
    bad "planted fault does not compile: $1"
  elif "$scratch/planted" >"$scratch/out" 2>&1; then
    bad "planted fault lives: $1"
  elif grep -q "$3" "$scratch/out"; then
    ok "planted fault dies: $1"
  else
    bad "planted fault died of something else: $1"
    sed 's/^/  /' "$scratch/out"
  fi
}

if compile '  return 0;' && "$scratch/planted"; then ok 'a good program lives'; else bad 'a good program dies'; fi
# Volatile, so that the compiler neither sees the fault nor removes it.
plant 'heap overflow' '  char *volatile p = malloc(8); size_t volatile i = 8; p[i] = 1; char c = p[i]; free(p); return c != 1;' 'heap-buffer-overflow'
plant 'use after free' '  char *volatile p = malloc(8); free(p); return *p != 0;' 'heap-use-after-free'
plant 'signed overflow' '  int volatile big = INT_MAX; big = big + 1; return 0;' 'signed integer overflow'
plant 'leak' '  void *volatile p = malloc(8); p = NULL; return p != NULL;' 'LeakSanitizer'
for name in libhyshield-rt libhyshield; do
  if nm "$build/.libs/$name.a" 2>/dev/null | grep -q __asan; then ok "$name is instrumented"; else bad "$name is not instrumented"; fi
done
finish
