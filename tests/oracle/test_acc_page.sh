#!/bin/bash
# The computed parts of the model's page are what acc_table prints. To renew one: copy `tests/oracle/acc_table PART' between
# the marks.
. "$(dirname "$0")/../lint/lib.sh"

page=$src/models/library/acc/README.md
for part in known starts; do
  "$build/tests/oracle/acc_table" "$part" >"$scratch/computed" || bad "acc_table $part fails"
  # The blank line after the first mark and the one before the second are the page's.
  sed -n "/^<!-- $part -->\$/,/^<!-- end of $part -->\$/p" "$page" | sed '1,2d;$d' | sed '$d' >"$scratch/written"
  if [ -s "$scratch/computed" ] && diff -u "$scratch/written" "$scratch/computed" >"$scratch/diff"; then
    ok "the page's part '$part' is the program's"
  else
    bad "the page's part '$part' differs from what acc_table prints"
    cat "$scratch/diff"
  fi
done
finish
