# What `cmake --install` lays down: the shared library `weft`, its headers, the package files for
# find_package(weft) and pkg-config, and the program `weft`.
include(CMakePackageConfigHelpers)

# A wheel holds it all in the package's folder: weft/libweft.so.0.1, weft/bin/weft, weft/include, weft/cmake.
if(SKBUILD)
  set(CMAKE_INSTALL_LIBDIR weft)
  set(CMAKE_INSTALL_BINDIR weft/bin)
  set(CMAKE_INSTALL_INCLUDEDIR weft/include)
endif()

# Until 1.0 each minor version has an interface of its own.
function(weft_install_library target)
  set_target_properties(${target} PROPERTIES SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  if(SKBUILD)
    # Wheels hold no links: each name would be a copy.
    install(TARGETS ${target} EXPORT weftTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP)
  else()
    set_target_properties(${target} PROPERTIES VERSION ${PROJECT_VERSION})
    install(TARGETS ${target} EXPORT weftTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endfunction()

# For pkg-config. The prefix is found from where the file lies, so that an installed tree can be moved. A wheel's library has the name
# of its interface alone, in a folder where no loader looks.
function(weft_install_pc name description)
  file(RELATIVE_PATH pc_to_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" pc_to_prefix ${pc_to_prefix})
  set(pc_name ${name})
  set(pc_description ${description})
  set(pc_libraries -l${name})
  if(SKBUILD)
    set(pc_libraries "-l:lib${name}.so.${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} -Wl,-rpath,\${libdir}")
  endif()
  configure_file(cmake/library.pc.in ${CMAKE_BINARY_DIR}/package/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/package/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

if(TARGET weft)
  target_compile_features(weft INTERFACE cxx_std_20)
  target_include_directories(weft INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  weft_install_library(weft)
  # What runs exported programs, which needs nothing of the other libraries.
  target_include_directories(weft_exported INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  weft_install_library(weft_exported)
  install(FILES runtime/exported/weft_runtime.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

  # Beside the library, which opens it.
  if(TARGET weft_jit)
    set_target_properties(weft_jit PROPERTIES INSTALL_RPATH $ORIGIN)
    install(TARGETS weft_jit LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()

  install(CODE "set(source_dir \"${PROJECT_SOURCE_DIR}\")
set(include_dir \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")
include(\"${PROJECT_SOURCE_DIR}/cmake/install_headers.cmake\")")

  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
  if(SKBUILD)
    set(package_dir weft/cmake)
  endif()
  install(EXPORT weftTargets NAMESPACE weft:: DESTINATION ${package_dir})
  configure_package_config_file(cmake/weftConfig.cmake.in ${CMAKE_BINARY_DIR}/package/weftConfig.cmake
                                INSTALL_DESTINATION ${package_dir})
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/weftConfigVersion.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(FILES ${CMAKE_BINARY_DIR}/package/weftConfig.cmake ${CMAKE_BINARY_DIR}/package/weftConfigVersion.cmake
          DESTINATION ${package_dir})

  weft_install_pc(weft "${PROJECT_DESCRIPTION} (C++20)")
  weft_install_pc(weft_runtime "What runs the programs that Weft exported (C99 and C++20)")
endif()

if(TARGET weft_cli)
  if(SKBUILD)
    set_target_properties(weft_cli PROPERTIES INSTALL_RPATH $ORIGIN/..)
  endif()
  install(TARGETS weft_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # The manual page and the shells' completions, which the program writes itself.
  if(NOT SKBUILD AND NOT WEFT_SANITIZE)
    set(said ${CMAKE_BINARY_DIR}/package/said)
    file(MAKE_DIRECTORY ${said})
    set(weft_bash ${said}/weft)
    set(weft_zsh ${said}/_weft)
    set(weft_fish ${said}/weft.fish)
    set(weft_manual ${said}/weft.1)
    add_custom_command(OUTPUT ${weft_manual} ${weft_bash} ${weft_zsh} ${weft_fish}
      COMMAND weft_cli manual > ${weft_manual}
      COMMAND weft_cli completion bash > ${weft_bash}
      COMMAND weft_cli completion zsh > ${weft_zsh}
      COMMAND weft_cli completion fish > ${weft_fish}
      DEPENDS weft_cli COMMENT "Writing the manual page and completions" VERBATIM)
    add_custom_target(weft_shell_files ALL DEPENDS ${weft_manual} ${weft_bash} ${weft_zsh} ${weft_fish})
    install(FILES ${weft_manual} DESTINATION ${CMAKE_INSTALL_DATADIR}/man/man1)
    install(FILES ${weft_bash} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES ${weft_zsh} DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${weft_fish} DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  endif()
endif()

if(WEFT_SELF_CONTAINED)
  include(cmake/weft_package.cmake)
endif()
