# A library that compiles no kernels, or opens what compiles them late, is small and asks for no compiler: `library` has at most
# `most` bytes.
file(SIZE ${library} bytes)
if(bytes GREATER most)
  message(FATAL_ERROR "${library} has ${bytes} bytes, more than ${most}")
endif()
execute_process(COMMAND objdump -p ${library} OUTPUT_VARIABLE headers COMMAND_ERROR_IS_FATAL ANY)
if(headers MATCHES "NEEDED +lib(LLVM|clang)[^\n]*")
  message(FATAL_ERROR "${library} needs a compiler: ${CMAKE_MATCH_0}")
endif()
message(STATUS "${bytes} bytes")
