#!/bin/bash
# The trajectories see it when an error term of a prepared flow is left out. Each planted_* program is the test built with
# the fault; few_terms is no fault, it makes the remainder of the series large enough to be missed.
set -u
build=${HYSHIELD_BUILDDIR:-$PWD}
passed=0 failed=0
for fault in few_terms no_remainder no_input no_curvature no_outward no_pin_bound; do
  program=$build/tests/prop/planted_flow_$fault
  want='0 passed, 1 failed'
  [ $fault = few_terms ] && want='1 passed, 0 failed'
  got=$(HYSHIELD_SEED=1 "$program" 'encloses trajectories' 2>&1 | tail -n 1)
  if [ "$got" = "$want" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $fault: \`$got', wanted \`$want'"
  fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
