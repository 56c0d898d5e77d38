# Run by CPack on the trees that become packages, before it packs them.
file(GLOB trees LIST_DIRECTORIES true "${CPACK_TEMPORARY_DIRECTORY}/*")
set(ENV{TZ} UTC)
foreach(tree ${trees})
  if(NOT IS_DIRECTORY "${tree}/usr")
    continue()
  endif()
  get_filename_component(package "${tree}" NAME)
  file(GLOB_RECURSE pages "${tree}/usr/share/man/*.[135]")
  foreach(page ${pages})
    execute_process(COMMAND gzip -9n "${page}" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
  # The system's linker finds the libraries of /usr, and Debian forbids other paths.
  file(GLOB libraries "${tree}/usr/lib/*.so.*.*" "${tree}/usr/lib/*/*.so.*.*")
  foreach(library ${libraries})
    file(RPATH_REMOVE FILE "${library}")
  endforeach()
  set(doc "${tree}/usr/share/doc/${package}")
  file(READ "${CPACK_SWTRACE_SOURCE}/LICENSE" license)
  string(REPLACE "\n\n" "\n .\n" license "${license}")
  string(REGEX REPLACE "\n([^ ])" "\n \\1" license "${license}")
  string(STRIP "${license}" license)
  file(WRITE "${doc}/copyright"
    "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\n"
    "Files: *\nCopyright: the swtrace developers\nLicense: Expat\n ${license}\n")
  file(REMOVE "${doc}/LICENSE")
  string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
  file(WRITE "${doc}/changelog"
    "swtrace (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium\n\n"
    "  * Built from the source tree of this version.\n\n"
    " -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
  execute_process(COMMAND gzip -9n "${doc}/changelog" COMMAND_ERROR_IS_FATAL ANY)
  file(CHMOD_RECURSE "${doc}" FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ
    DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
endforeach()
