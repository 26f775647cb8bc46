#!/usr/bin/env bash
# Every ```cpp block of the pages stands, but for its indentation, in one of the example programs, which are compiled and
# run. Usage: check_pages.sh [PAGE...]; without one it reads README.md and all of docs but add_a*.md, whose blocks go into the
# compiler.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
shopt -s extglob
(($# > 0)) || set -- README.md docs/!(add_a*).md

awk '
  function bare(line) { sub(/^ +/, "", line); return line "\n" }
  FNR == 1 { page = FILENAME; inside = 0 }
  FILENAME ~ /\.cpp$/ { program[FILENAME] = program[FILENAME] bare($0); next }
  inside && /^```/ {
    inside = 0
    for (name in program) if (index(program[name], block)) next
    print page ":" start ": the block stands in no program of docs/examples"
    missing++
    next
  }
  inside { block = block bare($0) }
  /^```cpp$/ { inside = 1; start = FNR; block = ""; blocks++ }
  END {
    print blocks + 0 " blocks, " missing + 0 " not found"
    exit missing > 0 || blocks == 0
  }' docs/examples/*.cpp "$@"
