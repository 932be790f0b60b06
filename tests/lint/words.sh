#!/bin/bash
# Words that may not be in the tree: calls that end the process in a library, notes to oneself, paths of one machine.
. "$(dirname "$0")/lib.sh"

# text_files TREE: the text that is ours, as paths from TREE.
text_files() {
  (cd "$1" && find . \( -name .git -o -name 'build*' -o -name _build -o -name _inst -o -name autom4te.cache -o -name demo \
    -o -path ./configure -o -path './configure~' -o -path ./aclocal.m4 -o -path ./Makefile.in -o -path './m4/l*.m4' \
    -o -path ./Makefile -o -path ./libtool -o -path './config.*' -o -name .libs -o -name .deps \) -prune \
    -o -type f -size -1000k -print0)
}

gate() {
  local tree=$1 bad=0 file forked
  for file in $(c_files "$tree" core models synth monitor); do
    # A forked child ends itself, not its caller: _exit(hysi_NAME_child(...)), in monitor alone.
    case $file in monitor/rt/*) forked= ;; monitor/*) forked='s/_exit(hysi_[a-z_]*_child(/(/g' ;; *) forked= ;; esac
    # The preprocessor, used only to take comments away.
    ${CC:-cc} -fpreprocessed -dD -E -P "$tree/$file" 2>/dev/null | sed 's/"\([^"\\]\|\\.\)*"/""/g' |
      sed "$forked" |
      grep -oE '(^|[^A-Za-z0-9_])(abort|exit|_exit|_Exit|quick_exit|assert)[[:space:]]*\(' | sed "s|^|$file: ends the process: |" |
      grep . && bad=1
  done
  text_files "$tree" | (cd "$tree" && xargs -0 grep -nIwE 'TO[D]O|FIX[M]E|XX[X]') | sed 's/^/note to oneself: /' | grep . && bad=1
  text_files "$tree" | (cd "$tree" && xargs -0 grep -nIE '(^|[^A-Za-z0-9_.~*}/-])/(wor[k]|roo[t]|far[m]|hom[e])/') |
    sed 's/^/path of one machine: /' | grep . && bad=1
  return $bad
}

expect_clean 'no forbidden words'
while IFS='|' read -r file line text; do
  fresh_copy
  mkdir -p "$(dirname "$copy/$file")"
  printf '%b\n' "$line" >>"$copy/$file"
  expect_caught "$file" "$text"
done <<'PLANTS'
core/planted.c|void f(void) { abort(); }|core/planted.c: ends the process:  abort(
models/planted.c|void f(int x) { assert(x > 0); }|models/planted.c: ends the process:  assert(
synth/planted.c|void f(void)\n{\n  exit (3);\n}|synth/planted.c: ends the process:  exit (
monitor/planted.c|void f(void) { if (1) _exit(3); }|monitor/planted.c: ends the process:  _exit(
synth/planted.c|void f(void) { _exit(hysi_journal_child(1)); }|synth/planted.c: ends the process:  _exit(
sims/planted.c|// TO\x44O: later|note to oneself: ./sims/planted.c
docs/planted.md|FIX\x4dE|note to oneself: ./docs/planted.md
tests/planted.sh|cat /wor\x6b/x|path of one machine: ./tests/planted.sh
PLANTS

fresh_copy
printf '%s\n' '/* we never exit (or abort()) here */' '_Static_assert(1, "static_assert(1) is not assert(1)");' >"$copy/core/fine.c"
if gate "$copy" >"$scratch/out" 2>&1; then ok 'comments, strings and _Static_assert are let through'; else
  bad 'comments, strings and _Static_assert are let through'
  cat "$scratch/out"
fi
finish
