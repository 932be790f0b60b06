#!/bin/bash
# What the objects of libhyshield-rt say of themselves: no heap, I/O, clock or exit (by the symbols they need), no writable
# state, no recursion (by the compiler's call graph). Calls through pointers are not followed.
. "$(dirname "$0")/lib.sh"

cc=gcc
command -v gcc >/dev/null || { skip 'the gate needs gcc'; finish; }

# What the library may need from outside.
cat >"$scratch/allowed" <<'NAMES'
memcpy memset memmove memcmp strlen strcmp strncmp strchr
fegetround fetestexcept feclearexcept fegetenv
fabs sqrt fma fmin fmax floor ceil trunc round nearbyint rint lrint llrint lround llround
nextafter nexttoward frexp ldexp scalbn scalbln ilogb logb modf copysign fmod remainder remquo fdim hypot
exp exp2 expm1 log log2 log10 log1p pow cbrt sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh
erf erfc tgamma lgamma
__fpclassify __signbit __isnan __isinf __finite
__popcountdi2 __multi3 __udivti3 __umodti3 __divti3 __modti3
_GLOBAL_OFFSET_TABLE_
NAMES

gate() {
  local tree=$1 out=$scratch/objects bad=0 source object
  rm -rf "$out"
  mkdir "$out"
  for source in $(rt_sources "$tree"); do
    object=$out/${source//\//.}.o
    # Not position-independent, so that constant tables of pointers count as constant.
    $cc -std=c11 -O2 -ffp-contract=off -fno-pic -fno-pie -fvisibility=hidden -I"$tree" -c "$tree/$source" -o "$object" || bad=1
    # The call graph before inlining hides edges.
    $cc -std=c11 -O0 -ffp-contract=off -fcallgraph-info -I"$tree" -c "$tree/$source" -o "${object%.o}.graph.o" || bad=1
  done
  for object in "$out"/*.c.o; do
    [ -e "$object" ] || continue
    nm -P "$object" | awk -v file="$(basename "$object" .o)" '
      FILENAME == ARGV[1] { for (i = 1; i <= NF; i++) allowed[$i] = 1; next }
      $2 == "U" && $1 !~ /^hysi?_/ && !($1 in allowed) { print file ": needs " $1; bad = 1 }
      $2 ~ /^[dDbBCsSgG]$/ { print file ": writable state: " $1; bad = 1 }
      END { exit bad }' "$scratch/allowed" - || bad=1
  done
  # Cycles of the call graph: remove what calls nothing, again and again; what is left calls itself.
  cat "$out"/*.ci 2>/dev/null | sed -n 's/^edge: { sourcename: "\([^"]*\)" targetname: "\([^"]*\)".*/\1 \2/p' | sort -u |
    awk '
      { from[NR] = $1; to[NR] = $2; calls[$1]++; }
      END {
        do {
          changed = 0
          for (i = 1; i <= NR; i++)
            if (!(i in gone) && calls[to[i]] + 0 == 0) { gone[i] = 1; calls[from[i]]--; changed = 1 }
        } while (changed)
        for (i = 1; i <= NR; i++) if (!(i in gone)) { print "recursion: " from[i] " -> " to[i]; bad = 1 }
        exit bad
      }' || bad=1
  return $bad
}

expect_clean 'libhyshield-rt needs, keeps and repeats nothing it should not'

plant() { fresh_copy; printf '%s\n' "$1" >"$copy/core/rt/planted.c"; }
plant '#include <stdlib.h>
void *hys_planted(void);
void *hys_planted(void) { return malloc(8); }'
expect_caught 'heap' 'needs malloc'
plant '#include <time.h>
long hys_planted(void);
long hys_planted(void) { return (long)time(NULL); }'
expect_caught 'clock' 'needs time'
plant 'int hys_planted(void);
int hys_planted(void) { static int calls; return ++calls; }'
expect_caught 'zeroed state' 'writable state: calls'
plant 'int hys_planted_state = 3;'
expect_caught 'initialised state' 'writable state: hys_planted_state'
plant 'unsigned hys_planted(unsigned n);
unsigned hys_planted(unsigned n) { return n > 1 ? n * hys_planted(n - 1) : 1; }'
expect_caught 'direct recursion' 'recursion: hys_planted -> hys_planted'
plant 'int hys_even(unsigned n);
static int odd(unsigned n) { return n == 0 ? 0 : hys_even(n - 1); }
int hys_even(unsigned n) { return n == 0 ? 1 : odd(n - 1); }'
expect_caught 'mutual recursion' 'recursion: hys_even -> '
finish
