#!/bin/bash
# Workers as a Slurm array, each task on its own cores:
#   export HEDDLE_REDIS_PASSWORD=...
#   sbatch --array=1-100 deploy/slurm.sh redis://HOST[:PORT][/DB]
# The server runs where the submitter can reach it and others cannot, on the login node for example:
#   redis-server --bind HOST --appendonly yes --requirepass "$HEDDLE_REDIS_PASSWORD"
# Workers end when they have had nothing to do for ten minutes, and give back what they have not done when Slurm ends them.
#SBATCH --job-name=heddle
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=8
#SBATCH --mem-per-cpu=1G
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --signal=TERM@60
#SBATCH --output=heddle-%A_%a.log
set -euo pipefail

if (($# != 1)); then
  echo "usage: sbatch --array=1-N $0 redis://HOST[:PORT][/DB]" >&2
  exit 2
fi
if [[ -z "${HEDDLE_REDIS_PASSWORD:-}" ]]; then
  echo "HEDDLE_REDIS_PASSWORD is not set: a server that others reach needs a password" >&2
  exit 2
fi
exec srun --export=ALL "${HEDDLE:-heddle}" cluster work "$1" -j "${SLURM_CPUS_PER_TASK:-1}" --idle 600
