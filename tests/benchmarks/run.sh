#!/usr/bin/env bash
# Runs the benchmark programs, then Weft beside its peers, and prints the tables last.
# usage: run.sh PROGRAMS LIBRARIES OUT PYTHON [ARGUMENTS OF peers.py...]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
programs=$1 libraries=$2 out=$3 python=$4
shift 4
# Steady speed is measured: kernels are there from the first call on.
export WEFT_TIER=${WEFT_TIER:-compile}
mkdir -p "$out"
rm -f "$out"/*.json
ran=0
for program in "$programs"/*; do
  [[ -x $program ]] || continue
  "$program" --benchmark_out="$out/${program##*/}.json" --benchmark_out_format=json
  ran=1
done
((ran)) || {
  echo "there are no benchmarks in $programs" >&2
  exit 2
}
"$python" "$here/peers.py" --library "$libraries" --json "$out/peers.jsonl" "$@"
echo
"$python" "$here/report.py" "$out"/*.json
