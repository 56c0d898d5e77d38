# What `cmake --install` puts where. The libraries are packaged the same way: a pkg-config
# file (lib<name>.pc) and a CMake package (<name>, with targets <name>::<name> and
# <name>::<name>_static). They find their files from where they stand, so that the prefix
# may be chosen at installation (--prefix, DESTDIR) and the tree moved afterwards. Install
# folders that are absolute stay as they are.
include(CMakePackageConfigHelpers)

# The prefix as the pkg-config file sees it from its own folder.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
  file(RELATIVE_PATH to_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
  string(REGEX REPLACE "/$" "" to_prefix "${to_prefix}")
  set(pc_prefix "\${pcfiledir}/${to_prefix}")
endif()

function(pc_folder out folder)
  if(IS_ABSOLUTE "${folder}")
    set(${out} "${folder}" PARENT_SCOPE)
  else()
    set(${out} "\${prefix}/${folder}" PARENT_SCOPE)
  endif()
endfunction()

# What the static library needs: requires: of pkg-config's packages; libs: their and other
# libraries' names; link_options: the linker's. After these the libraries of the project that both
# kinds need.
function(install_library library header description requires libs link_options)
  set(soversion 1)
  set(own_libs "${ARGN}")
  set(here ${PROJECT_SOURCE_DIR}/libtrace/package)
  set(there ${CMAKE_INSTALL_LIBDIR}/cmake/${library})
  pc_folder(pc_libdir "${CMAKE_INSTALL_LIBDIR}")
  pc_folder(pc_includedir "${CMAKE_INSTALL_INCLUDEDIR}")
  list(TRANSFORM own_libs REPLACE "(.+)" "\\1::\\1_static" OUTPUT_VARIABLE cmake_libs)
  list(APPEND cmake_libs ${libs})
  list(TRANSFORM own_libs REPLACE "(.+)" "\\1::\\1" OUTPUT_VARIABLE cmake_shared_libs)
  list(TRANSFORM own_libs PREPEND "lib" OUTPUT_VARIABLE own_packages)
  list(JOIN own_packages " " own_packages)
  string(STRIP "${requires} ${own_packages}" requires)
  foreach(package z lz4 xxhash) # those of `requires`
    list(REMOVE_ITEM libs ${package})
  endforeach()
  list(TRANSFORM libs PREPEND "-l" OUTPUT_VARIABLE pc_libs_private)
  list(APPEND pc_libs_private ${link_options})
  list(JOIN pc_libs_private " " pc_libs_private)
  configure_file(${here}/library.pc.in lib${library}.pc @ONLY)
  configure_package_config_file(${here}/libraryConfig.cmake.in ${library}Config.cmake
    INSTALL_DESTINATION ${there}
    PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
  write_basic_package_version_file(${library}ConfigVersion.cmake
    COMPATIBILITY SameMajorVersion)
  install(TARGETS ${library}_shared ${library}_static
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES ${PROJECT_SOURCE_DIR}/include/${header}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/lib${library}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${library}Config.cmake
                ${CMAKE_CURRENT_BINARY_DIR}/${library}ConfigVersion.cmake
    DESTINATION ${there})
endfunction()

install_library(swtrace perfutil.h
  "CPI measurement and trace hooks in lock-free per-CPU rings"
  "zlib liblz4 libxxhash" "z;lz4;xxhash;pthread;m" "")
install_library(cpidecode cpidecode.h
  "Reads binary traces: hooks, intervals, cycles per instruction"
  "zlib liblz4 libxxhash" "z;lz4;xxhash;m" "")
set(cpc_libs pthread dl)
if(SWTRACE_LIBPFM4)
  list(APPEND cpc_libs pfm)
endif()
install_library(cpc libcpc.h
  "Performance counters by sets of requests, in the manner of Solaris"
  "" "${cpc_libs}" "-Wl,--wrap=pthread_create")
install_library(perflib perflib.h
  "Countersets that anyone can query and offer, in the manner of PerfLib"
  "" "pthread;m" "" cpidecode swtrace)
install(TARGETS swtrace_cmd cpidecode DESTINATION ${CMAKE_INSTALL_BINDIR})

install(FILES libtrace/cmd/swtrace.1 decoder/cmd/cpidecode.1
  DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES libtrace/perfutil.3 libtrace/libcpc.3 libtrace/perflib.3
  DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
install(FILES formats/trace-file.5 DESTINATION ${CMAKE_INSTALL_MANDIR}/man5)
install(FILES libtrace/cmd/swtrace.bash RENAME swtrace
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES decoder/cmd/cpidecode.bash RENAME cpidecode
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES formats/cpi.hooks formats/cpuutil.hooks formats/counters.hooks
  DESTINATION ${CMAKE_INSTALL_DATADIR}/swtrace)
install(FILES formats/hook-schema.md formats/session.md formats/trace-file.md README.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
