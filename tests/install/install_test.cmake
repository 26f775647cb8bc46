# Installs the build into a prefix of its own, or unpacks an archive, moves the prefix, builds the consumer against it and runs it.
# Takes way (find_package or pkg_config), build_dir or archive, consumer_dir, work_dir, compiler, lib_dir and jit, whether kernels are
# compiled.

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${work_dir})
if(archive)
  file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${work_dir}/unpacked)
  file(GLOB unpacked ${work_dir}/unpacked/*)
  file(RENAME ${unpacked} ${work_dir}/installed)
else()
  run(${CMAKE_COMMAND} --install ${build_dir} --prefix ${work_dir}/installed)
endif()
# Nothing in an installed tree may remember where it was put.
set(prefix ${work_dir}/moved)
file(RENAME ${work_dir}/installed ${prefix})

# Of the compiler users get what the public headers say with its words, and no more.
file(GLOB_RECURSE inner RELATIVE ${prefix}/include/weft ${prefix}/include/weft/*/*)
list(JOIN inner " " inner)
set(expected compiler/base/dtype.h compiler/base/error.h compiler/base/interrupted.h compiler/base/shape.h compiler/ir/ops/op_table.inc
    compiler/program/numerics.h compiler/program/tier.h)
list(JOIN expected " " expected)
if(NOT inner STREQUAL expected)
  message(FATAL_ERROR "installed beside the public headers: ${inner}; expected: ${expected}")
endif()

if(way STREQUAL "find_package")
  run(${CMAKE_COMMAND} -S ${consumer_dir} -B ${work_dir}/build -D CMAKE_PREFIX_PATH=${prefix}
      -D CMAKE_CXX_COMPILER=${compiler} -D CMAKE_BUILD_TYPE=Release)
  run(${CMAKE_COMMAND} --build ${work_dir}/build)
  set(consumer ${work_dir}/build/consumer)
else()
  set(ENV{PKG_CONFIG_PATH} ${prefix}/${lib_dir}/pkgconfig)
  execute_process(COMMAND pkg-config --cflags --libs weft OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(${compiler} -std=c++20 -O2 ${consumer_dir}/consumer.cpp -o ${work_dir}/consumer ${flags}
      -Wl,-rpath,${prefix}/${lib_dir})
  set(consumer ${work_dir}/consumer)
endif()

# The manual page and the completions are those that the installed program writes.
foreach(pair "manual:man/man1/weft.1" "completion bash:bash-completion/completions/weft" "completion zsh:zsh/site-functions/_weft"
        "completion fish:fish/vendor_completions.d/weft.fish")
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 words)
  list(GET pair 1 file)
  separate_arguments(words UNIX_COMMAND "${words}")
  execute_process(COMMAND ${prefix}/bin/weft ${words} OUTPUT_VARIABLE said COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${prefix}/share/${file} installed)
  if(NOT said STREQUAL installed OR said STREQUAL "")
    message(FATAL_ERROR "share/${file} is not what `weft ${words}` writes")
  endif()
endforeach()

run(${consumer})
if(jit)
  # What is exported is linked with libweft_runtime, and needs nothing of the other libraries.
  run(${prefix}/bin/weft export ${consumer_dir}/../../golden/graph/softmax.weft --folder ${work_dir}/exported)
  run(${compiler} -x c -std=c99 ${consumer_dir}/exported.c -I${work_dir}/exported -I${prefix}/include -x none
      ${work_dir}/exported/libsoftmax.a -L${prefix}/${lib_dir} -lweft_runtime -Wl,-rpath,${prefix}/${lib_dir} -o ${work_dir}/exported/program)
  file(GLOB others ${prefix}/${lib_dir}/libweft.so* ${prefix}/${lib_dir}/libweft_jit.so)
  file(MAKE_DIRECTORY ${work_dir}/away)
  foreach(library ${others})
    get_filename_component(name ${library} NAME)
    file(RENAME ${library} ${work_dir}/away/${name})
  endforeach()
  run(${work_dir}/exported/program)
  foreach(library ${others})
    get_filename_component(name ${library} NAME)
    file(RENAME ${work_dir}/away/${name} ${library})
  endforeach()

  # Without the disk cache, as that might know the kernel.
  set(ENV{WEFT_CACHE_DIR} off)
  set(ENV{WEFT_TIER} compile)
  run(${consumer})
  # The compiler is opened where the library lies; without it, an error says what to do, and blocks do without.
  file(REMOVE ${prefix}/${lib_dir}/libweft_jit.so)
  execute_process(COMMAND ${consumer} RESULT_VARIABLE result ERROR_VARIABLE said)
  if(result EQUAL 0 OR NOT said MATCHES "cannot open libweft_jit.so, which compiles kernels.*set WEFT_TIER=blocks")
    message(FATAL_ERROR "without libweft_jit.so: ${result}, ${said}")
  endif()
  set(ENV{WEFT_TIER} blocks)
  run(${consumer})
endif()
