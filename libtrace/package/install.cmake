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
function(install_library library headers description requires libs link_options)
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
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT lib${library}${soversion}
            NAMELINK_COMPONENT libswtrace-dev
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libswtrace-dev)
  list(TRANSFORM headers PREPEND ${PROJECT_SOURCE_DIR}/include/)
  install(FILES ${headers}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT libswtrace-dev)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/lib${library}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT libswtrace-dev)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${library}Config.cmake
                ${CMAKE_CURRENT_BINARY_DIR}/${library}ConfigVersion.cmake
    DESTINATION ${there} COMPONENT libswtrace-dev)
endfunction()

# A library's manual page, and links to it under the names of its functions (those of its map
# that match a regular expression) and of further ones.
function(install_library_page page map names)
  get_filename_component(name ${page} NAME)
  set(pages ${CMAKE_CURRENT_BINARY_DIR}/pages/${name})
  file(REMOVE_RECURSE ${pages})
  file(STRINGS ${map} functions REGEX "^\t\t[A-Za-z0-9_]+;$")
  foreach(function ${functions} ${ARGN})
    string(REGEX MATCH "[A-Za-z0-9_]+" function ${function})
    if(function MATCHES "${names}")
      file(WRITE ${pages}/${function}.3 ".so man3/${name}\n")
    endif()
  endforeach()
  install(FILES ${page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT libswtrace-dev)
  install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man3
    COMPONENT libswtrace-dev)
endfunction()

install_library(swtrace "perfutil.h;swtrace.h;p4counters.h"
  "CPI measurement and trace hooks in lock-free per-CPU rings"
  "zlib liblz4 libxxhash" "z;lz4;xxhash;pthread;m;dl" "")
install_library(cpidecode "cpidecode.h;cpidecode.hpp"
  "Reads binary traces: hooks, intervals, cycles per instruction"
  "zlib liblz4 libxxhash" "z;lz4;xxhash;m" "")
install_library(cpc "libcpc.h;libpctx.h;cpc_event.h"
  "Performance counters by sets of requests, in the manner of Solaris"
  "" "pthread;dl" "-Wl,--wrap=pthread_create" swtrace)
install_library(perflib perflib.h
  "Countersets that anyone can query and offer, in the manner of PerfLib"
  "" "pthread;m" "" cpidecode swtrace)
# Not swtrace_gate, which is for the header's macros.
install_library_page(libtrace/perfutil.3 libtrace/libswtrace.map.in
  "^([ABD-OQRT-Z]|C[^p]|Cp[^i]|Cpi[^A]|P[^4])")
install_library_page(libtrace/swtrace.3 libtrace/libswtrace.map.in "^(Swtrace|SWTRACE_|CpiArg)"
  SWTRACE_SCOPE SwtraceBegin CpiArg)
install_library_page(libtrace/p4counters.3 libtrace/libswtrace.map.in "^P4")
install_library_page(libtrace/libcpc.3 libtrace/cpc/libcpc.map "^(cpc_([^e]|en)|_lwp_)")
install_library_page(libtrace/cpc_event.3 libtrace/cpc/libcpc.map "^cpc_event_")
install_library_page(libtrace/libpctx.3 libtrace/cpc/libcpc.map "^pctx_")
install_library_page(libtrace/perflib.3 libtrace/perflib/libperflib.map "^Perf")
install_library_page(decoder/libcpidecode.3 decoder/libcpidecode.map "^cpidecode_")

function(install_files destination)
  install(FILES ${ARGN} DESTINATION ${destination} COMPONENT swtrace)
endfunction()
install(TARGETS swtrace_cmd cpidecode DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT swtrace)
install_files(${CMAKE_INSTALL_MANDIR}/man1 libtrace/cmd/swtrace.1 decoder/cmd/cpidecode.1)
# The page is generated from the formats' prose. lowdown is optional.
find_program(LOWDOWN lowdown)
if(LOWDOWN)
  set(trace_file_page ${CMAKE_BINARY_DIR}/trace-file.5)
  add_custom_command(OUTPUT ${trace_file_page}
    COMMAND sh formats/trace-file.5.sh ${LOWDOWN} ${trace_file_page}
    DEPENDS formats/trace-file.5.sh formats/trace-file.md formats/hook-schema.md
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    VERBATIM)
  add_custom_target(trace_file_page ALL DEPENDS ${trace_file_page})
  install_files(${CMAKE_INSTALL_MANDIR}/man5 ${trace_file_page})
else()
  message(STATUS "lowdown not found: trace-file(5) is left out")
endif()
# install_completion(shell folder before after): for both commands, whose name is between the two.
function(install_completion shell folder before after)
  foreach(COMMAND swtrace cpidecode)
    set(script ${CMAKE_BINARY_DIR}/completion/${shell}/${before}${COMMAND}${after})
    configure_file(libtrace/package/completion.${shell}.in ${script} @ONLY)
    install_files(${CMAKE_INSTALL_DATADIR}/${folder} ${script})
  endforeach()
endfunction()
install_completion(bash bash-completion/completions "" "")
install_completion(zsh zsh/site-functions _ "")
install_completion(fish fish/vendor_completions.d "" .fish)
install_files(${CMAKE_INSTALL_DATADIR}/swtrace
  formats/cpi.hooks formats/interval.hooks formats/scope.hooks formats/cpuutil.hooks formats/counters.hooks)
# What pip installs.
file(GLOB python_package CONFIGURE_DEPENDS decoder/python/swtrace/*.py)
install_files(${CMAKE_INSTALL_DATADIR}/swtrace/python decoder/python/pyproject.toml decoder/python/README.md)
install_files(${CMAKE_INSTALL_DATADIR}/swtrace/python/swtrace ${python_package} decoder/python/swtrace/py.typed)
# The documents keep their places relative to each other, so that their links lead there.
install_files(${CMAKE_INSTALL_DOCDIR} README.md LICENSE)
file(GLOB formats_prose CONFIGURE_DEPENDS formats/*.md)
install_files(${CMAKE_INSTALL_DOCDIR}/formats ${formats_prose})
file(GLOB samples CONFIGURE_DEPENDS samples/*.md samples/*.[ch] samples/*.py samples/*.svg samples/*.png
  samples/*.trace)
install_files(${CMAKE_INSTALL_DOCDIR}/samples ${samples})
install_files(${CMAKE_INSTALL_DOCDIR}/samples/fleet samples/fleet/README.md samples/fleet/lake.md
  samples/fleet/lake.sql samples/fleet/submit.sh
  samples/fleet/job.sh)
install_files(${CMAKE_INSTALL_DOCDIR}/decoder/python decoder/python/README.md)
install_files(${CMAKE_INSTALL_DOCDIR}/tests tests/CONTRIBUTING.md)
install_files(${CMAKE_INSTALL_DOCDIR}/tests/bench tests/bench/README.md)
install_files(${CMAKE_INSTALL_DOCDIR}/tests/litmus tests/litmus/README.md)
install_files(${CMAKE_INSTALL_DOCDIR}/tests/structure tests/structure/arrows)
install_files(${CMAKE_INSTALL_DOCDIR}/tests/fuzz tests/fuzz/README.md)

# What the last `cmake --install` of this build folder put somewhere.
add_custom_target(uninstall
  COMMAND ${CMAKE_COMMAND} -DMANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt
          -P ${CMAKE_CURRENT_SOURCE_DIR}/libtrace/package/uninstall.cmake
  COMMENT "Removing what cmake --install installed" VERBATIM)

include(libtrace/package/debian.cmake)
