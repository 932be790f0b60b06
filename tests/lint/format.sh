#!/bin/bash
# Every C file is as clang-format would write it.
. "$(dirname "$0")/lib.sh"

tool=$(command -v clang-format-14 || command -v clang-format)
if [ -z "$tool" ] || ! "$tool" --version | grep -q 'version 14\.'; then
  skip 'the gate needs clang-format 14'
  finish
fi

gate() {
  local files
  mapfile -t files < <(c_files "$1" $rooms examples tests)
  (cd "$1" && "$tool" --style=file --dry-run -Werror "${files[@]}" >"$scratch/all" 2>&1) && return 0
  # One line a file is enough.
  awk -F: '/: error: / { if (!seen[$1]++) print $1 ":" $2 ": not as clang-format writes it"; any = 1 }
    END { if (!any) while ((getline line < FILENAME) > 0) print line }' "$scratch/all"
  return 1
}

expect_clean 'format (to repair: ./dev format FILE...)'
fresh_copy
printf 'int  f( void );\n' >"$copy/core/planted.h"
expect_caught 'wrong spaces' 'core/planted.h'
finish
