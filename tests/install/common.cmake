# What the tests of the installed package share. Each gets BUILD_DIR CONFIG WORK_DIR PREFIX SOURCE_DIR LIBDIR VERSION
# GENERATOR SANITIZE, and begins in an empty WORK_DIR.
file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(library ${PREFIX}/${LIBDIR}/libspmvgen.so)
set(module ${PREFIX}/${LIBDIR}/spmvgen/libspmvgen_jit.so)

# Runs a command; a failure ends the test with all that it printed.
function(run_or_fail)
  cmake_parse_arguments(R "" "OUTPUT;FOLDER" "COMMAND" ${ARGN})
  if(NOT R_FOLDER)
    set(R_FOLDER ${WORK_DIR})
  endif()
  execute_process(COMMAND ${R_COMMAND} WORKING_DIRECTORY ${R_FOLDER} RESULT_VARIABLE status
                  OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${R_COMMAND}: ${status}\n${output}${errors}")
  endif()
  if(R_OUTPUT)
    set(${R_OUTPUT} "${output}" PARENT_SCOPE)
  endif()
endfunction()

function(expect_equal what got wanted)
  if(NOT got STREQUAL wanted)
    message(FATAL_ERROR "${what} is\n${got}\nnot\n${wanted}")
  endif()
endfunction()

# `wanted` stands somewhere in `got`; any white space is one blank.
function(expect_within what got wanted)
  string(REGEX REPLACE "[ \n]+" " " got_line "${got}")
  string(REGEX REPLACE "[ \n]+" " " wanted_line "${wanted}")
  string(FIND "${got_line}" "${wanted_line}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${what} is\n${got}\nand does not hold\n${wanted}")
  endif()
endfunction()

# In a script: ends the test, which CTest then shows as skipped.
macro(skip why)
  message("SKIPPED: ${why}")
  return()
endmacro()

# In a script: skips without the C++ compiler CXX, or when it is not that of an instrumented library; sets CC beside it.
macro(need_compiler)
  find_program(CXX_PATH NAMES ${CXX} ${CXX}-19)
  if(NOT CXX_PATH)
    skip("${CXX} is not found")
  endif()
  if(SANITIZE AND NOT OWN)
    skip("the library is built with -fsanitize=${SANITIZE} of another compiler")
  endif()
  string(REGEX REPLACE "clang\\+\\+([^/]*)$" "clang\\1" CC_PATH "${CXX_PATH}")
  string(REGEX REPLACE "g\\+\\+([^/]*)$" "gcc\\1" CC_PATH "${CC_PATH}")
  string(REGEX REPLACE "/c\\+\\+$" "/cc" CC_PATH "${CC_PATH}")
  if(NOT EXISTS ${CC_PATH})
    skip("${CC_PATH}, for C, is not found")
  endif()
endmacro()
