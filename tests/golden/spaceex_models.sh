#!/bin/bash
# `hyshield check --json' on public models against recorded facts: names, roles, labels, counts, class of the flow.
# Needs the shared folder and python3; skipped without them.
set -u
shared=${HYSHIELD_SHARED:-$HYSHIELD_SRCDIR/../shared}
compare=$shared/spaceex/compare.py
hyshield=$HYSHIELD_BUILDDIR/hyshield

if [ ! -r "$compare" ] || ! command -v python3 >/dev/null 2>&1; then
  echo "skipped: $compare or python3 is not there"
  echo '1 skipped'
  echo '0 passed, 0 failed'
  exit 77
fi

# The gate can fail: a reader that leaves counts out, and one that says nothing, lose every model.
planted=$(mktemp -d) || exit 1
trap 'rm -rf "$planted"' EXIT
cat >"$planted/silent" <<'S'
#!/bin/sh
exit 0
S
cat >"$planted/countless" <<S
#!/bin/sh
'$hyshield' "\$@" 2>/dev/null | sed -E 's/"locations": *[0-9]+/"locations":null/'
exit 0
S
chmod +x "$planted/silent" "$planted/countless"
failed=0
for fault in silent countless; do
  last=$(python3 "$compare" "$planted/$fault" "$shared/spaceex" | tail -n 1)
  if [[ ! $last =~ ^(-?[0-9]+)\ passed,\ ([0-9]+)\ failed$ ]] || [ "${BASH_REMATCH[2]}" -lt 30 ]; then
    echo "the comparison does not notice a $fault reader: $last"
    failed=1
  fi
done

out=$(python3 "$compare" "$hyshield" "$shared/spaceex")
printf '%s\n' "$out" | head -n -1
if [[ ! $(printf '%s\n' "$out" | tail -n 1) =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
  echo '0 passed, 1 failed'
  exit 1
fi
echo "$((BASH_REMATCH[1] + 1 - failed)) passed, $((BASH_REMATCH[2] + failed)) failed"
[ $((BASH_REMATCH[2] + failed)) -eq 0 ]
