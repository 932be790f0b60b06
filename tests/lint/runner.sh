#!/bin/bash
# tests/run counts honestly: a dead test, one without tests, one that lies about its end.
. "$(dirname "$0")/lib.sh"

mkdir "$scratch/t"
cd "$scratch/t" || exit 73
fake() { printf '#!/bin/bash\n%s\n' "$2" >"$1"; chmod +x "$1"; }
fake good 'echo "3 passed, 0 failed"'
fake skips 'echo "2 skipped"; echo "1 passed, 0 failed"'
fake only_skips 'echo "2 skipped"; echo "0 passed, 0 failed"; exit 77'
fake fails 'echo "1 passed, 2 failed"; exit 1'
fake dies 'kill -SEGV $$'
fake silent 'exit 0'
fake empty 'echo "0 passed, 0 failed"'
fake late 'echo "4 passed, 0 failed"; exit 23'
fake talks_on 'echo "4 passed, 0 failed"; echo "ERROR: a report of a sanitizer"; exit 1'
fake slow 'sleep 30; echo "1 passed, 0 failed"'

check() { # WANT STATUS TEST...
  local want=$1 status=$2 got
  shift 2
  HYSHIELD_SRCDIR=$scratch/t "$src/tests/run" -t 1 -l logs "$@" >out 2>&1
  got=$?
  [ $got -ne 0 ] && got=1
  if [ "$(tail -n 2 out | tr '\n' ' ')" = "$want " ] && [ $got -eq "$status" ]; then ok "$*"; else
    bad "$*: exit $got, wanted $status and $want"
    sed 's/^/  /' out
  fi
}
check '0 skipped 3 passed, 0 failed' 0 good
check '2 skipped 1 passed, 0 failed' 0 skips
check '2 skipped 0 passed, 0 failed' 0 only_skips
check '4 skipped 4 passed, 0 failed' 0 good skips only_skips
check '0 skipped 1 passed, 2 failed' 1 fails
check '0 skipped 0 passed, 1 failed' 1 dies
check '0 skipped 0 passed, 1 failed' 1 silent
check '0 skipped 0 passed, 1 failed' 1 empty
check '0 skipped 4 passed, 1 failed' 1 late
check '0 skipped 0 passed, 1 failed' 1 talks_on
check '0 skipped 0 passed, 1 failed' 1 slow
check '0 skipped 0 passed, 1 failed' 1 missing
check '0 skipped 0 passed, 0 failed' 1
check '2 skipped 5 passed, 4 failed' 1 good dies fails skips silent
finish
