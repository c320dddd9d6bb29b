#!/bin/bash
# What ending executions at idle rounds saves: complete and blocked executions and seconds of trust with it and with loops run as
# written, as the table of docs/benchmarks.md. One thread, no symmetry. Needs build/heddle.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cells() {
  build/heddle check --algorithm trust -j 1 --no-symmetry --no-progress --timeout 60 --json "$@" | python3 -c '
import json, sys
report = json.load(sys.stdin)
counts = report["counts"]
text = " {:,} | {:,} | {:.4f} |".format(counts["executions"], counts["blocked_idle"], report["seconds"])
print(text if report["finished"] else text.replace(" |", "+ |", 1), end="")'
}

row() {
  local file=$1 model=$2
  shift 2
  local arguments=("tests/programs/expect/$file.hed" --model "$model" "${@/#/-D}")
  echo "| $file $* | $model |$(cells "${arguments[@]}" || true)$(cells "${arguments[@]}" --no-spin-await || true)"
}

echo "| program | model | complete | idle | s | as written: complete | idle | s |"
echo "|---|---|---:|---:|---:|---:|---:|---:|"
row counter_clients sc N=3
row counter_clients sc N=4
row counter_clients sc N=5
row counter_clients sc N=6
row counter_outside sc N=4
row counter_outside sc N=5
row counter_outside sc N=6
row counter_outside sc N=7
row rwlock_clients sc WRITERS=2 READERS=2
row rwlock_clients tso WRITERS=2 READERS=2
row rwlock_clients sc WRITERS=2 READERS=3
row futex_mutex sc N=3
row treiber_clients sc W=2 R=2
row rwlock_natural sc N=2
row rwlock_natural sc N=3
row polling sc N=3
row waiting_updates sc N=5
