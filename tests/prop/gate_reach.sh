#!/bin/bash
# Two jumps in one step see it when an arrival is taken to have moved for the whole step (no_part), and when one arrival is
# left out for another that began the step elsewhere (no_base). Each planted_* program is the test built with the fault.
set -u
build=${HYSHIELD_BUILDDIR:-$PWD}
passed=0 failed=0
for fault in no_part no_base; do
  got=$("$build/tests/prop/planted_reach_$fault" 2>&1 | tail -n 1)
  if [ "$got" = '1 passed, 1 failed' ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $fault: \`$got', wanted \`1 passed, 1 failed'"
  fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
