# How every folder becomes a target: one static library for each layer, with warnings and only the dependencies
# that the layer is allowed to see. The presets make warnings errors; a build of a user's, by a compiler that we do
# not know, goes on.

find_program(WEFT_CCACHE ccache)
if(WEFT_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${WEFT_CCACHE})
endif()

add_library(weft_options INTERFACE)
target_include_directories(weft_options INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
# Nobody replaces the functions of a library that is already linked to itself (-Bsymbolic-functions): inline them.
target_compile_options(weft_options INTERFACE -fno-semantic-interposition)
target_compile_options(weft_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow $<$<BOOL:${WEFT_WERROR}>:-Werror>
                       -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # The rest of -O3 makes the library a tenth larger: what takes time is in kernels, which have options of their own.
  target_compile_options(weft_options INTERFACE $<$<CONFIG:Release>:-O2> $<$<CONFIG:Release>:-ftree-vectorize>
                         $<$<CONFIG:Release>:-fvect-cost-model=dynamic>)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # Warns of overlap inside std::string where there is none (GCC bug 105651).
  target_compile_options(weft_options INTERFACE -Wno-restrict)
endif()
if(WEFT_SANITIZE)
  # Instrumented code makes g++ 12 take variants for uninitialized.
  target_compile_options(weft_options INTERFACE -fsanitize=${WEFT_SANITIZE} -fno-sanitize-recover=all -Wno-maybe-uninitialized
                         -fno-omit-frame-pointer)
  target_link_options(weft_options INTERFACE -fsanitize=${WEFT_SANITIZE})
endif()

# weft_small(FOLDERS...): what these folders of the calling one hold is called for people, who wait for no microsecond: a third
# smaller.
function(weft_small)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    foreach(folder ${ARGN})
      file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
      set_property(SOURCE ${sources} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-Os>)
    endforeach()
  endif()
endfunction()

# weft_layer(NAME deps...): a static library of the .cpp files in the calling folder and below it, but for folders that are
# layers of their own.
function(weft_layer name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  file(GLOB_RECURSE inner RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*/CMakeLists.txt)
  foreach(list ${inner})
    get_filename_component(folder ${list} DIRECTORY)
    list(FILTER sources EXCLUDE REGEX "^${CMAKE_CURRENT_SOURCE_DIR}/${folder}/")
  endforeach()
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC weft_options ${ARGN})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE weft_options ${ARGN})
  endif()
endfunction()
