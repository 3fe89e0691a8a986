# Installs spmvgen and builds examples as a stranger does: each folder by itself, against what was installed. Runs the first.
# Input: BUILD_DIR CONFIG WORK_DIR SOURCE_DIR CXX GENERATOR SANITIZE EXAMPLES (names, separated by commas).
function(run_or_fail)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${ARGN}: ${status}\n${output}${errors}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
run_or_fail(${CMAKE_COMMAND} --install ${BUILD_DIR} --config ${CONFIG} --prefix ${WORK_DIR}/prefix)
set(flags "")
if(SANITIZE)
  set(flags -DCMAKE_CXX_FLAGS=-fsanitize=${SANITIZE})
endif()
string(REPLACE "," ";" EXAMPLES "${EXAMPLES}")
foreach(name IN LISTS EXAMPLES)
  run_or_fail(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE_DIR}/${name} -B ${WORK_DIR}/${name} -DCMAKE_CXX_COMPILER=${CXX}
              -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix ${flags})
  run_or_fail(${CMAKE_COMMAND} --build ${WORK_DIR}/${name})
  message("built ${name}")
endforeach()
list(GET EXAMPLES 0 first)
run_or_fail(${CMAKE_COMMAND} -E env SPMVGEN_CACHE=memory ${WORK_DIR}/${first}/example_${first})
