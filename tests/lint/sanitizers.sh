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

plant() { # NAME STATEMENTS TEXT
  printf '#include <limits.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n  (void)argv;\n%s\n}\n' "$2" >"$scratch/planted.c"
  # shellcheck disable=SC2086
  if ! $cc $cflags $ldflags "$scratch/planted.c" -o "$scratch/planted"; then
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
plant 'nothing wrong' '  return argc;' '^' | sed -n '/died of something else/p' | grep -q . && bad 'a good program does not start'
plant 'heap overflow' '  volatile char *p = malloc(8); if (p == NULL) return 0; p[8 * argc] = 1; return 0;' 'heap-buffer-overflow'
plant 'signed overflow' '  int volatile big = INT_MAX; big = big + argc; return 0;' 'signed integer overflow'
plant 'leak' '  void *volatile p = malloc((size_t)argc * 8); p = NULL; return p != NULL;' 'LeakSanitizer'
for name in libhyshield-rt libhyshield; do
  if nm "$build/.libs/$name.a" 2>/dev/null | grep -q __asan; then ok "$name is instrumented"; else bad "$name is not instrumented"; fi
done
finish
