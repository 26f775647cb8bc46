# WEFT_SELF_CONTAINED: libweft holds fmt and spdlog, and libweft_jit holds Clang and LLVM. They show no symbols but their own, and
# ask for no younger C library than they have to. What remains to be found at run time is libc, libstdc++ and oneTBB, whose
# design wants it shared.
option(WEFT_SELF_CONTAINED "Link Clang and LLVM into libweft_jit, fmt and spdlog into libweft, for packages that need nothing else" OFF)

# weft_compiler_libraries(OUT): what libweft_jit is linked with.
function(weft_compiler_libraries out)
  if(NOT WEFT_SELF_CONTAINED)
    # Debian ships no unversioned libclang-cpp.so and leaves Clang's CMake package incomplete.
    set(${out} -l:libclang-cpp.so.19.1 -l:libLLVM.so.19.1 PARENT_SCOPE)
    return()
  endif()
  set(clang Frontend Driver CodeGen Parse Serialization Sema APINotes Analysis ASTMatchers Support Edit AST Lex Basic)
  list(TRANSFORM clang PREPEND -lclang)
  if(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64")
    set(target aarch64)
  else()
    set(target x86)
  endif()
  find_program(WEFT_LLVM_CONFIG NAMES llvm-config-19 REQUIRED)
  execute_process(COMMAND ${WEFT_LLVM_CONFIG} --link-static --libs orcjit ${target} passes bitreader bitwriter coverage lto option
                          frontendopenmp frontendhlsl frontenddriver
                  OUTPUT_VARIABLE llvm OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(llvm)
  # Extensions name Polly, which nothing here asks for.
  list(FILTER llvm EXCLUDE REGEX "Polly|LLVMExtensions")
  set(${out} -Wl,--start-group ${clang} ${llvm} -Wl,--end-group -l:libzstd.a -l:libz.a PARENT_SCOPE)
endfunction()

# weft_contain(TARGET options...): the target holds what it calls of fmt and spdlog, leaves out what nobody calls, and is linked
# with the options.
function(weft_contain target)
  if(NOT WEFT_SELF_CONTAINED)
    return()
  endif()
  if(NOT TARGET weft_contained)
    find_package(fmt REQUIRED)
    find_package(spdlog REQUIRED)
    set(folder ${PROJECT_SOURCE_DIR}/runtime/self_contained)
    add_library(weft_contained OBJECT ${folder}/fmt_and_spdlog.cpp ${folder}/older_c_library.cpp)
    target_link_libraries(weft_contained PRIVATE spdlog::spdlog fmt::fmt)
    # No other library of the process may find them: libstdc++ would wait by the wait of Python's module, which waits by libstdc++'s.
    set_target_properties(weft_contained PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  endif()
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:weft_contained>)
  target_link_options(${target} PRIVATE LINKER:--gc-sections LINKER:--as-needed ${ARGN})
  # Conversions of half precision, which libgcc_s has from GCC 12 on alone.
  target_link_libraries(${target} PRIVATE -l:libgcc.a)
endfunction()
