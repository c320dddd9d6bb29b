#!/bin/bash
# Reads the files of deploy/ with their linters, and runs what can run here: check.sh SOURCE BUILD
set -euo pipefail
source=$1
build=$2

for tool in shellcheck yamllint redis-server; do
  command -v "$tool" >/dev/null || {
    echo "$tool is missing: ./dev test installs it" >&2
    exit 1
  }
done

shellcheck "$source"/deploy/*.sh "$source"/tests/deploy/*.sh
yamllint --strict -d '{extends: default, rules: {line-length: {max: 140}, document-start: disable}}' "$source"/deploy/*.yaml

# What the files run are commands and options that exist.
for file in compose.yaml kubernetes.yaml slurm.sh; do
  grep -q 'cluster' "$source/deploy/$file"
  for option in $(grep -E 'cluster"?,? "?work' "$source/deploy/$file" | grep -oE -- '(--[a-z]+|"?-j)' | tr -d '"' | sort -u); do
    [[ "$option" == --export ]] || "$build/heddle" cluster --help | grep -q -- "$option" || {
      echo "$file uses $option, which heddle cluster does not have" >&2
      exit 1
    }
  done
done

# The Slurm script as an array of two tasks, with a stand-in for srun.
folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
printf '#!/bin/bash\nshift\nexec "$@"\n' >"$folder/srun"
chmod +x "$folder/srun"
export HEDDLE_REDIS_PASSWORD=secret HEDDLE=$build/heddle PATH=$folder:$PATH SLURM_CPUS_PER_TASK=1
redis-server --port 0 --unixsocket "$folder/redis.sock" --dir "$folder" --appendonly yes --requirepass secret >/dev/null &
until [[ -S "$folder/redis.sock" ]]; do sleep 0.05; done
url=redis+unix://$folder/redis.sock
if "$source/deploy/slurm.sh" 2>/dev/null; then
  echo "slurm.sh runs without a server" >&2
  exit 1
fi
"$source/deploy/slurm.sh" "$url" &
"$source/deploy/slurm.sh" "$url" &
"$build/heddle" check "$source/examples/peterson.hed" --algorithm trust --cluster "$url" --timeout 60
[[ $("$build/heddle" cluster status "$url" | head -1) == "2 workers:" ]]
