#!/bin/bash
# The trajectories see it when an error term of an affine flowpipe or of a row sequence is left out. Each planted_*
# program is the test built with the fault; few_terms is no fault, it makes the remainder of the series large enough to
# be missed.
set -u
build=${HYSHIELD_BUILDDIR:-$PWD}
passed=0 failed=0
for fault in rows_{few_terms,no_remainder,no_rounding,no_input_curve,no_bow,no_loss} \
  pipe_{few_terms,no_remainder,no_rounding,no_input_curve,no_bow,no_reduction}; do
  program=$build/tests/prop/planted_$fault
  want=', [1-9][0-9]* failed'
  [ "${fault#*_}" = few_terms ] && want=', 0 failed'
  got=$(HYSHIELD_SEED=1 "$program" encloses 2>&1 | tail -n 1)
  if [[ $got =~ ^[0-9]+\ passed$want$ ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $fault: \`$got'"
  fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
