#!/bin/bash
# The cost of trust's preemption bound: instructions of the search with a bound relative to those without one, as the table
# of docs/benchmarks.md (paper 3, table 4). callgrind counts them, independent of other processes. The last bounds of a row
# are the least one at which no execution is beyond it, and the next two. Needs valgrind and build/heddle.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
output=$(mktemp)
trap 'rm -f "$output"' EXIT

instructions() {
  valgrind --tool=callgrind --callgrind-out-file="$output" --toggle-collect='heddle::checker::run_trust(heddle::checker::Search&)' \
    build/heddle check --algorithm trust --no-symmetry "$@" 2>&1 | sed -n 's/.*Collected : //p'
}

row() {
  local file=$1 model=$2 bound=0 none cost k cells=""
  shift 2
  local arguments=("tests/programs/$file.hed" --model "$model" "${@/#/-D}")
  while (build/heddle check --algorithm trust "${arguments[@]}" --preemption-bound $bound || (($? == 1))) | grep -qE "(beyond|by) the preemption bound"; do
    bound=$((bound + 1))
  done
  none=$(instructions "${arguments[@]}")
  for k in 0 1 2 $bound $((bound + 1)) $((bound + 2)); do
    cost=$(instructions "${arguments[@]}" --preemption-bound "$k")
    cells+=$(printf ' %+d %% |' $(((cost - none) * 100 / none)))
  done
  echo "| $(basename "$file") $* | $model | $none | $bound |$cells"
}

echo "| program | model | instructions without a bound | b | k = 0 | 1 | 2 | b | b + 1 | b + 2 |"
echo "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|"
row expect/treiber_clients sc W=3 R=1
row expect/treiber_clients sc W=2 R=2
row expect/treiber_clients sc W=3 R=2
row expect/ttas_clients sc N=3
row expect/ttas_clients sc N=4
row reference/casw sc N=5
row reference/coa sc N=5
row reference/coa tso N=5
row reference/inc sc N=5
row reference/sigma sc N=6
row reference/lastzero sc N=10
row reference/eratosthenes tso N=6
row reference/ainc sc N=7
row reference/nw1r sc N=6
row reference/indexer-locks sc N=12
row reference/fib2 tso K=4
row reference/inc pso N=5
