# Installs the public headers, frontend/cpp/weft/*.h, as <weft/...>, and every header of the tree that they
# include as <weft/compiler/...>, with the #include lines rewritten to match: a program then needs a single
# include folder, and the list of headers cannot fall behind what the public ones use.
# Takes source_dir and include_dir.

cmake_minimum_required(VERSION 3.25)
file(GLOB_RECURSE pending RELATIVE ${source_dir} ${source_dir}/frontend/cpp/weft/*.h)
set(done)
while(pending)
  list(POP_FRONT pending header)
  if(header IN_LIST done)
    continue()
  endif()
  list(APPEND done ${header})
  file(READ ${source_dir}/${header} text)
  string(REGEX MATCHALL "#include \"(compiler|runtime|frontend)/[^\"]+\"" includes "${text}")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "#include \"(.+)\"" "\\1" path "${include}")
    list(APPEND pending ${path})
  endforeach()
  string(REGEX REPLACE "#include \"frontend/cpp/weft/([^\"]+)\"" "#include <weft/\\1>" text "${text}")
  string(REGEX REPLACE "#include \"weft/([^\"]+)\"" "#include <weft/\\1>" text "${text}")
  string(REGEX REPLACE "#include \"((compiler|runtime|frontend)/[^\"]+)\"" "#include <weft/\\1>" text "${text}")
  string(REGEX REPLACE "^frontend/cpp/weft/" "" installed ${header})
  message(STATUS "Installing: ${include_dir}/weft/${installed}")
  file(WRITE ${include_dir}/weft/${installed} "${text}")
endwhile()
