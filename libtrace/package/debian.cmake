# `cpack -G DEB` in a build folder: a package a library, libswtrace-dev for all that compiling takes,
# swtrace for the commands.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME swtrace)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
# Who packs them, as Debian's own tools are told.
if(DEFINED ENV{DEBEMAIL})
  set(CPACK_PACKAGE_CONTACT "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
else()
  set(CPACK_PACKAGE_CONTACT "swtrace <root@localhost>")
endif()
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL libswtrace1 libcpidecode1 libcpc1 libperflib1 libswtrace-dev swtrace)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# Compresses man pages, adds what each package has to carry.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/libtrace/package/debian_tree.cmake)
set(CPACK_SWTRACE_SOURCE ${PROJECT_SOURCE_DIR})

# debian_package(NAME SECTION DEPENDS SUMMARY TEXT)
function(debian_package name section depends summary text)
  string(TOUPPER ${name} upper)
  foreach(pair "PACKAGE_NAME=${name}" "PACKAGE_SECTION=${section}" "PACKAGE_DEPENDS=${depends}")
    string(REGEX MATCH "^([^=]*)=(.*)$" pair "${pair}")
    set(CPACK_DEBIAN_${upper}_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}" PARENT_SCOPE)
  endforeach()
  # A library: which package brings it, and that the linker's cache is to be renewed.
  if(name MATCHES "^(lib.*)([0-9]+)$")
    set(control ${CMAKE_BINARY_DIR}/debian/${name})
    file(WRITE ${control}/shlibs
      "${CMAKE_MATCH_1} ${CMAKE_MATCH_2} ${name} (>= ${PROJECT_VERSION})\n")
    file(WRITE ${control}/triggers "activate-noawait ldconfig\n")
    set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${control}/shlibs ${control}/triggers
      PARENT_SCOPE)
  endif()
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
endfunction()

set(same "(= ${PROJECT_VERSION})")
debian_package(libswtrace1 libs "" "cycles per instruction of a program's intervals"
  "Measures intervals of a program and writes hooks to lock-free rings, one a\nprocessor, that all programs of the machine share.")
debian_package(libcpidecode1 libs "" "reader of swtrace's traces"
  "Hands out the hooks, fields and intervals of a trace, and whole reports.")
debian_package(libcpc1 libs "libswtrace1 ${same}" "performance counters by sets of requests"
  "Binds sets of counters to threads and processors, in the manner of Solaris.")
debian_package(libperflib1 libs "libswtrace1 ${same}, libcpidecode1 ${same}"
  "countersets that programs query and offer"
  "Countersets of the machine, of trace rings and of other programs, in the\nmanner of PerfLib.")
debian_package(libswtrace-dev libdevel
  "libswtrace1 ${same}, libcpidecode1 ${same}, libcpc1 ${same}, libperflib1 ${same}"
  "headers and static libraries of the swtrace toolkit"
  "What compiling takes: headers, static libraries, pkg-config files, CMake\npackages, manual pages.")
debian_package(swtrace devel "" "trace control command and offline decoder"
  "swtrace controls tracing and dumps the rings; cpidecode turns a trace into\nreports and pictures.")
# Loaded for --format sqlite and --compress zstd.
set(CPACK_DEBIAN_LIBCPIDECODE1_PACKAGE_SUGGESTS "libsqlite3-0")
set(CPACK_DEBIAN_SWTRACE_PACKAGE_RECOMMENDS "libsqlite3-0, libzstd1")
# Loaded when an event is looked for by one of its names.
if(SWTRACE_LIBPFM4)
  set(CPACK_DEBIAN_LIBSWTRACE1_PACKAGE_SUGGESTS "libpfm4")
  set(CPACK_DEBIAN_SWTRACE_PACKAGE_RECOMMENDS "libpfm4, libsqlite3-0, libzstd1")
endif()
include(CPack)
