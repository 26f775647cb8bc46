#!/usr/bin/env bash
# Runs what `./dev bundle` packed, with the libraries that came along.
#   run.sh test [PATTERN]        every test program whose name matches, then `N passed, N failed, N skipped`
#   run.sh bench [ARGS...]       every benchmark program, and Weft beside what python3 has; ARGS as for peers.py
#   run.sh sweep [ARGS...]       rows of every length and number, every dtype; ARGS as --device gpu --csv FILE --seconds N
#   run.sh schedules [ARGS...]   schedules beside their neighbours, expected beside measured; ARGS as --device gpu --csv FILE --seconds N
#   run.sh python [ARGS...]      python3 with the package weft, where `./dev bundle --python` packed it
#   run.sh PROGRAM [ARGS...]     a program of bin/
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export PYTHONPATH="$here/python${PYTHONPATH:+:$PYTHONPATH}"

# count LABEL: the N of the last line `[  LABEL  ] N test...` on standard input, 0 when there is none
count() {
  sed -nE "s/^\[ +$1 +\] ([0-9]+) tests?.*/\1/p" | tail -n 1 | grep . || echo 0
}

run_tests() {
  local pattern=${1-} program output log ended passed=0 failed=0 skipped=0
  log=$(mktemp)
  cd "$here" || exit 2
  for program in bin/tests/*"$pattern"*; do
    [[ -f $program && -x $program ]] || continue
    "$program" 2>&1 | tee "$log" | grep -vE '^(Running main|\[[=-]+\]|\[ RUN |\[ +OK |$)'
    ended=${PIPESTATUS[0]}
    output=$(grep -E '^\[ +(PASSED|FAILED|SKIPPED) +\] [0-9]+ test' "$log")
    if ((ended != 0)) && [[ $output != *FAILED* ]]; then
      echo "$program ended with status $ended and named no failed test"
      failed=$((failed + 1))
    fi
    passed=$((passed + $(count PASSED <<< "$output")))
    failed=$((failed + $(count FAILED <<< "$output")))
    skipped=$((skipped + $(count SKIPPED <<< "$output")))
  done
  rm -f "$log"
  echo "$passed passed, $failed failed, $skipped skipped"
  ((failed == 0 && passed > 0))
}

case ${1-} in
  "")
    sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
    exit 2
    ;;
  test)
    shift
    run_tests "$@"
    ;;
  bench)
    shift
    exec "$here/tests/benchmarks/run.sh" "$here/bin/benchmarks" "$here/lib" "$here/benchmarks" python3 "$@"
    ;;
  python)
    shift
    exec python3 "$@"
    ;;
  *)
    program=$1
    shift
    exec "$here/bin/$program" "$@"
    ;;
esac
