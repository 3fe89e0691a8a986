# What the tests of the installed package share.

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

# The text `wanted` within `got`, line breaks being blanks.
function(expect_within what got wanted)
  string(REGEX REPLACE "[ \n]+" " " got_line "${got}")
  string(REGEX REPLACE "[ \n]+" " " wanted_line "${wanted}")
  string(FIND "${got_line}" "${wanted_line}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "${what} is\n${got}\nand does not hold\n${wanted}")
  endif()
endfunction()

# Ends a test that cannot be run here; CTest shows it as skipped.
function(skip why)
  message("SKIPPED: ${why}")
endfunction()
