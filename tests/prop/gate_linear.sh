#!/bin/bash
# The tests of polyhedra and of automata with constant rates see a fault in what they test: an edge of a polyhedron that
# is lost, a containment that takes an equation for a row, a corner of the rates or the width of a reset that is left
# out, sets that do not move. Each planted_* program is the test built with the fault.
set -u
build=${HYSHIELD_BUILDDIR:-$PWD}
passed=0 failed=0
for fault in polyhedron_{edge,holds} linear_{corner,width,still}; do
  got=$("$build/tests/prop/planted_$fault" 2>&1 | tail -n 1)
  if [[ $got =~ ^[0-9]+\ passed,\ [1-9][0-9]*\ failed$ ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $fault: \`$got'"
  fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
