# Shared by the gates; read with `. lib.sh'. A gate is a function `gate TREE' that prints what is wrong in TREE and returns
# whether nothing was; each script runs it on the sources and then on copies with a planted fault.
set -u
export LC_ALL=C

src=${HYSHIELD_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
build=${HYSHIELD_BUILDDIR:-$PWD}
scratch=$(mktemp -d) || exit 73
trap 'rm -rf "$scratch"' EXIT
passed=0 failed=0 skipped=0

rooms='core models synth monitor sims cli'

ok() { passed=$((passed + 1)); echo "ok: $*"; }
bad() { failed=$((failed + 1)); echo "FAILED: $*"; }
skip() { skipped=$((skipped + 1)); echo "skipped: $*"; }

finish() {
  [ $skipped -gt 0 ] && echo "$skipped skipped"
  echo "$passed passed, $failed failed"
  [ $failed -gt 0 ] && exit 1
  [ $passed -eq 0 ] && exit 77
  exit 0
}

# expect_clean NAME: the gate has nothing to say about the sources.
expect_clean() {
  if gate "$src" >"$scratch/out" 2>&1; then
    ok "$1"
  else
    bad "$1"
    sed 's/^/  /' "$scratch/out"
  fi
}

# fresh_copy: a copy of the sources in $copy, to plant a fault in.
fresh_copy() {
  local folder
  copy=$scratch/copy
  rm -rf "$copy"
  mkdir "$copy"
  for folder in $rooms examples tests docs; do
    [ -d "$src/$folder" ] && cp -R "$src/$folder" "$copy/"
  done
  cp "$src/.clang-format" "$copy/" 2>/dev/null
  chmod -R u+w "$copy"
}

# expect_caught NAME TEXT: the gate fails on $copy and says TEXT.
expect_caught() {
  if gate "$copy" >"$scratch/out" 2>&1; then
    bad "planted fault not seen: $1"
  elif ! grep -qF -- "$2" "$scratch/out"; then
    bad "planted fault: $1: failed, but not with \`$2':"
    sed 's/^/  /' "$scratch/out"
  else
    ok "planted fault seen: $1"
  fi
}

# c_files TREE FOLDER...: the C sources and headers, as paths from TREE.
c_files() {
  local tree=$1 folder
  shift
  (
    cd "$tree" || exit
    for folder in "$@"; do
      [ -d "$folder" ] && find "$folder" -name '*.[ch]' -type f
    done | sort
  )
}

# public_headers TREE: those that the rooms' Makefile.inc install.
public_headers() {
  local tree=$1 room
  for room in $rooms; do
    [ -f "$tree/$room/Makefile.inc" ] || continue
    sed -e 's/#.*//' -e ':a' -e '/\\$/{N;s/\\\n/ /;ba' -e '}' "$tree/$room/Makefile.inc" |
      sed -n 's/^public_headers *+= *//p' | tr -s ' \t' '\n\n' | sed -e '/^$/d' -e "s|%D%|$room|"
  done | sort
}

# rt_sources TREE
rt_sources() { c_files "$1" core/rt synth/rt monitor/rt | grep '\.c$'; }

pkg_cflags=$(pkg-config --cflags libxml-2.0 jansson gsl 2>/dev/null)
