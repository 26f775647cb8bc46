#!/usr/bin/env bash
# Every line that a program prints stands in a page. Usage: check_output.sh PROGRAM PAGE [ARGUMENTS OF THE PROGRAM...]
set -euo pipefail

output=$("$1" "${@:3}")
while IFS= read -r line; do
  grep --quiet --fixed-strings --line-regexp -- "$line" "$2" || {
    echo "$2 lacks what $1 prints: $line"
    exit 1
  }
done <<< "$output"
