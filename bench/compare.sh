#!/bin/bash
# Instructions of one build of the program relative to another one, by callgrind: checks of up to 20,000 executions without
# their start-up. Unlike times they do not depend on other processes.
# Usage: bench/compare.sh BEFORE AFTER [ALGORITHM...]. Prints one line per check, and the counts if they differ.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
before=$(realpath "$1") after=$(realpath "$2")
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# collected BINARY EXECUTIONS ARGUMENT...: prints "instructions executions/transitions"
collected() {
  valgrind --tool=callgrind --callgrind-out-file="$folder/out" "$1" check "${@:3}" --max-executions "$2" \
    --keep-going --no-symmetry --no-progress --json >"$folder/report" 2>"$folder/log" || true
  echo "$(awk '/Collected/ { print $NF }' "$folder/log")" \
    "$(grep -oE '"(executions|transitions)": *[0-9]+' "$folder/report" | grep -oE '[0-9]+$' | paste -sd/)"
}
# run BINARY ARGUMENT...: the same without start-up
run() {
  local first all counts
  read -r first counts <<<"$(collected "$1" 1 "${@:2}")"
  read -r all counts <<<"$(collected "$1" 20000 "${@:2}")"
  echo "$((all - first)) $counts"
}

while read -r algorithm model file definitions; do
  if (($#)) && [[ " $* " != *" $algorithm "* ]]; then continue; fi
  # shellcheck disable=SC2086 # one word per definition
  arguments=("$file" --algorithm "$algorithm" --model "$model" $definitions)
  read -r a a_counts <<<"$(run "$before" "${arguments[@]}")"
  read -r b b_counts <<<"$(run "$after" "${arguments[@]}")"
  printf '%+6.1f %%  %13d  %s%s\n' "$(awk "BEGIN { print 100 * ($b - $a) / $a }")" "$b" "${arguments[*]}" \
    "$([[ $a_counts == "$b_counts" ]] || echo "   counts: $a_counts, now $b_counts")"
done < <(
  reference=tests/programs/reference
  for model in sc tso pso; do
    for algorithm in dpor source sdpor rf trust rsmc; do
      echo "$algorithm $model $reference/inc.hed -D N=5"
      echo "$algorithm $model $reference/casw.hed -D N=5"
      echo "$algorithm $model $reference/fib2.hed -D K=5"
    done
    echo "naive $model $reference/inc.hed -D N=3"
    echo "naive $model $reference/nw1r.hed -D N=7"
    echo "trust $model $reference/coa.hed -D N=5"
    echo "trust $model $reference/lastzero.hed -D N=12"
    echo "trust $model examples/readers_writers.hed"
    echo "trust $model $reference/inc.hed -D N=6 --preemption-bound 2"
    echo "trust $model $reference/sigma.hed -D N=6 --preemption-bound 2"
  done
  for algorithm in naive dpor source sdpor rf trust rsmc; do
    echo "$algorithm power $reference/fib2.hed -D K=3"
    echo "$algorithm power $reference/casw.hed -D N=4"
    echo "$algorithm power examples/peterson.hed"
  done
)
