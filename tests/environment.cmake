# The environment of every test, whoever starts CTest: CTest reads this file before it runs any. What the tests' own
# machine needs is kept, what they are told on purpose too; everything else of the caller's is gone.
set(kept
    PATH LD_LIBRARY_PATH LD_PRELOAD TMPDIR USER LOGNAME CUDA_.* NVIDIA_.* [A-Z]*SAN_OPTIONS CTEST_.*
    WEFT_DEVICE WEFT_UPDATE_GOLDENS WEFT_TEST_EXAMPLES WEFT_ARRAY_API_TESTS WEFT_KEEP_KERNELS WEFT_SHOW_ULP)
list(JOIN kept "|" kept)
execute_process(COMMAND env COMMAND sed -nE "s/^([A-Za-z_][A-Za-z0-9_]*)=.*/\\1/p" OUTPUT_VARIABLE names)
string(REPLACE "\n" ";" names "${names}")
foreach(name ${names})
  if(NOT name MATCHES "^(${kept})$")
    unset(ENV{${name}})
  endif()
endforeach()
set(ENV{HOME} ${WEFT_TEST_HOME})
set(ENV{LC_ALL} C.UTF-8)
set(ENV{TZ} UTC)
set(ENV{TERM} dumb)
# Tests in C++ count kernels and compilations; those of first calls set the tier themselves. Python's have the default.
set(ENV{WEFT_TIER} compile)
# Explanations tell the time by it.
set(ENV{WEFT_MEMORY_SPEED} 20)
