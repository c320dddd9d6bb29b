#!/bin/bash
# Instructions per transition (executed and undone, all bookkeeping included), by callgrind. Unlike times they do not depend
# on other processes. Each number is the difference of two runs of one check, so start-up cancels out.
# Usage: bench/instructions.sh BINARY. Prints a Markdown table.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
binary=$(realpath "${1:-build/heddle}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# run EXECUTIONS ARGUMENT...: prints "instructions transitions"
run() {
  local executions=$1 instructions
  shift
  valgrind --tool=callgrind --callgrind-out-file="$folder/out" "$binary" check "$@" --max-executions "$executions" \
    --keep-going --no-symmetry --no-progress --json >"$folder/report" 2>"$folder/log" || true
  instructions=$(awk '/Collected/ { print $NF }' "$folder/log")
  echo "$instructions $(grep -o '"transitions": *[0-9]*' "$folder/report" | grep -o '[0-9]*$')"
}

per_transition() {
  local few many
  read -r -a few <<<"$(run 1000 "$@")"
  read -r -a many <<<"$(run 21000 "$@")"
  echo $(((many[0] - few[0]) / (many[1] - few[1])))
}

echo "| program | algorithm | SC | TSO | PSO | TSO / SC | PSO / SC |"
echo "|---|---|---|---|---|---|---|"
while read -r file definition algorithm; do
  declare -A cost
  for model in sc tso pso; do
    cost[$model]=$(per_transition "tests/programs/reference/$file.hed" -D "$definition" --model $model --algorithm "$algorithm")
  done
  printf '| %s %s | %s | %d | %d | %d | %s | %s |\n' "$file" "$definition" "$algorithm" "${cost[sc]}" "${cost[tso]}" \
    "${cost[pso]}" "$(awk "BEGIN { printf \"%.2f\", ${cost[tso]} / ${cost[sc]} }")" \
    "$(awk "BEGIN { printf \"%.2f\", ${cost[pso]} / ${cost[sc]} }")"
done <<'PROGRAMS'
nw1r N=8 naive
nw1r N=8 dpor
nw1r N=8 source
inc N=6 dpor
ainc N=8 dpor
casw N=6 dpor
coa N=5 dpor
fib2 K=6 dpor
PROGRAMS
