#!/bin/bash
# The tests of Taylor models see it when a part of the error is left out. Each planted_* program is a test built with the
# fault of its name; without one the same test passes.
set -u
build=${HYSHIELD_BUILDDIR:-$PWD}
passed=0 failed=0
see() { # PROGRAM TEST WANTED
  local got
  got=$(HYSHIELD_SEED=1 "$build/tests/prop/$1" "$2" 2>&1 | tail -n 1)
  if [ "$got" = "$3" ]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $1, $2: \`$got', wanted \`$3'"
  fi
}
see prop_taylor 'rounding is accounted for' '1 passed, 0 failed'
see planted_taylor_no_rounding 'rounding is accounted for' '0 passed, 1 failed'
see prop_taylor 'products hold the exact ones' '1 passed, 0 failed'
see planted_taylor_no_truncation 'products hold the exact ones' '0 passed, 1 failed'
see prop_taylor_pipe 'coarse sets' '1 passed, 0 failed'
see planted_taylor_no_remainder 'coarse sets' '0 passed, 1 failed'
see prop_taylor_pipe 'blows up' '1 passed, 0 failed'
see planted_taylor_no_apriori 'blows up' '0 passed, 1 failed'
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
