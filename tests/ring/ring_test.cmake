# ring_test(name source [arguments]): a program linked with all of libtrace, including internal
# functions, and with the sandbox.
include_guard(GLOBAL)
set(ring_test_dir ${CMAKE_CURRENT_LIST_DIR} CACHE INTERNAL "")

add_library(ring_sandbox STATIC
  ${CMAKE_CURRENT_LIST_DIR}/sandbox.c ${CMAKE_CURRENT_LIST_DIR}/storm.c
  ${CMAKE_CURRENT_LIST_DIR}/traced.c)
target_link_libraries(ring_sandbox PUBLIC PkgConfig::CHECK Threads::Threads)
target_include_directories(ring_sandbox PUBLIC ${CMAKE_CURRENT_LIST_DIR})

function(ring_test name source)
  if(NOT TARGET ${name})
    add_executable(${name} ${source} $<TARGET_OBJECTS:swtrace_objects>)
    target_link_libraries(${name} PRIVATE ring_sandbox ZLIB::ZLIB PkgConfig::LZ4
      PkgConfig::XXHASH Threads::Threads m)
    set_target_properties(${name} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  endif()
  string(REPLACE ";" "_" suffix "${ARGN}")
  if(suffix)
    set(suffix "_${suffix}")
  endif()
  add_test(NAME ${name}${suffix} COMMAND ${name} ${ARGN})
  set_tests_properties(${name}${suffix} PROPERTIES TIMEOUT 600
    ENVIRONMENT TSAN_OPTIONS=suppressions=${ring_test_dir}/tsan.supp)
endfunction()
