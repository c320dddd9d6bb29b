#!/bin/bash
# Prints the tables "Against SPIN" and "Protocols" of docs/benchmarks.md: the models of bench/spin by SPIN, with and without its
# partial-order reduction, and by Heddle's `states` and `auto`. States, seconds, and bytes a state: of SPIN what it reports for
# states, without its hash table and its stack; of Heddle all that the search holds.
# The rows of the first table are those of bench/spin/rows, which have a .pml and a .hed in bench/spin, the rows of the second
# those of bench/spin/protocols, with a .pml there and the .hed in examples/protocols. A row is a name and its parameters.
# Usage: bench/spin.sh HEDDLE [SECONDS [MEGABYTES [ROWS]]]. A run beyond these limits (60, 6000) is shown as "-". ROWS is one of
# the two files, by its name; without it both tables are printed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
heddle=$(realpath "$1") seconds=${2:-60} megabytes=${3:-6000}
if ! command -v spin >/dev/null; then
  echo "bench/spin.sh: SPIN is not installed; on Debian: apt-get install spin" >&2
  exit 2
fi
models=$PWD/bench/spin
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# row STATES SECONDS BYTES: a third of a row of the table; "-" without states
row() {
  if [[ -z "$1" ]]; then
    printf ' - | | |'
  else
    printf ' %s | %.2f | %s |' "$(sed ':a; s/\B[0-9]\{3\}\>/,&/; ta' <<<"$1")" "$2" "$(awk "BEGIN { if ($1 > 0) printf \"%.0f\", $3 / $1 }")"
  fi
}
# by_spin NAME OPTION DEFINITION...
by_spin() {
  local name=$1 option=$2 output states
  shift 2
  cd "$folder"
  spin -a "${@/#/-D}" "$models/$name.pml" >spin.log || { cat spin.log >&2; exit 1; }
  # shellcheck disable=SC2086 # no option is no word
  gcc -O2 -DSAFETY -DMEMLIM="$megabytes" $option -w -o pan pan.c
  output=$(timeout "$seconds" ./pan -m10000000 2>&1 || true)
  cd - >/dev/null
  if ! grep -q "errors: 0" <<<"$output" || grep -qE "Search not completed|max search depth too small" <<<"$output"; then
    row ""
    return
  fi
  states=$(awk '/states, stored/ { print $1; exit }' <<<"$output")
  row "$states" "$(awk '/elapsed time/ { print $4 }' <<<"$output")" \
    "$(awk '/actual memory usage for states/ && !/total/ { print $1 * 1048576; exit }' <<<"$output")"
}
# by_heddle NAME ALGORITHM DEFINITION...
by_heddle() {
  local name=$1 algorithm=$2 program report
  shift 2
  program=$models/$name.hed
  [[ -e "$program" ]] || program=examples/protocols/$name.hed
  report=$("$heddle" check "$program" "${@/#/-D}" --algorithm "$algorithm" --max-memory "${megabytes}M" \
    --timeout "$seconds" --no-progress --json || true)
  if ! grep -q '"verdict": "safe"' <<<"$report"; then
    if [[ "$algorithm" == states ]]; then row ""; else printf ' - |'; fi
    return
  fi
  # Not "seconds" of an algorithm that `auto` has given up, which is further in.
  value() { awk -F'[:,]' -v name="^(  |    )\"$1\"\$" '$1 ~ name { print $2 + 0; exit }' <<<"$report"; }
  if [[ "$algorithm" == states ]]; then
    row "$(value states)" "$(value seconds)" "$(value peak_memory)"
  else
    printf ' %.2f |' "$(value seconds)"
  fi
}

# table ROWS
table() {
  echo "| program | SPIN: states | s | bytes | without reduction: states | s | bytes | \`states\`: states | s | bytes | \`auto\`: s |"
  echo "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
  while read -r name definitions; do
    printf '| %s |' "$name${definitions:+ $definitions}"
    # shellcheck disable=SC2086 # one word per definition
    {
      by_spin "$name" "" $definitions
      by_spin "$name" -DNOREDUCE $definitions
      by_heddle "$name" states $definitions
      by_heddle "$name" auto $definitions
    }
    echo
  done <"$models/$1"
}

if [[ $# -gt 3 ]]; then
  table "$4"
else
  table rows
  echo
  table protocols
fi
