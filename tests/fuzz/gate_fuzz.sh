#!/bin/bash
# Each fuzz target sees a fault planted in what it looks through: built with HYS_PLANTED_FAULT it fails on a changed seed,
# while all seeds as they are hold.
set -u
build=${HYSHIELD_BUILDDIR:-$PWD}
passed=0 failed=0
work=$(mktemp -d) || exit 73
trap 'rm -rf "$work"' EXIT
for target in cfg expr shield xml; do
  out=$(cd "$work" && HYSHIELD_BUILDDIR=$build HYSHIELD_FUZZ_RUNS=40000 "$build/tests/fuzz/planted_fuzz_$target" 2>&1)
  if [ "$(printf '%s\n' "$out" | tail -n 1)" = '1 passed, 1 failed' ] && printf '%s\n' "$out" | grep -q ', [1-9] findings$'; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED: the fault planted for %s is not found, or not by a changed seed\n%s\n' "$target" "$out"
  fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
