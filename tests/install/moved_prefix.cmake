# Installs to a prefix, moves that, and uses it from a project that knows only find_package(spmvgen).
# Input: BUILD_DIR CONFIG WORK_DIR CONSUMER LIBDIR VERSION CXX GENERATOR SANITIZE HAS_CLI.
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

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})
set(prefix "${WORK_DIR}/moved prefix")
run_or_fail(COMMAND ${CMAKE_COMMAND} --install ${BUILD_DIR} --config ${CONFIG} --prefix ${WORK_DIR}/first)
file(RENAME ${WORK_DIR}/first ${prefix})

# nothing installed leads back to the build tree, and libspmvgen does not need LLVM
set(library ${prefix}/${LIBDIR}/libspmvgen.so)
set(module ${prefix}/${LIBDIR}/spmvgen/libspmvgen_jit.so)
foreach(file IN ITEMS ${library} ${module})
  run_or_fail(COMMAND readelf -d ${file} OUTPUT dynamic)
  if(dynamic MATCHES "${BUILD_DIR}|${WORK_DIR}")
    message(FATAL_ERROR "${file} has a path of the build tree:\n${dynamic}")
  endif()
  if(file STREQUAL library AND dynamic MATCHES "LLVM|clang")
    message(FATAL_ERROR "libspmvgen needs LLVM:\n${dynamic}")
  endif()
endforeach()

run_or_fail(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${CONSUMER} -B ${WORK_DIR}/consumer -DCMAKE_BUILD_TYPE=${CONFIG}
            -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_PREFIX_PATH=${prefix} -DSANITIZE=${SANITIZE})
run_or_fail(COMMAND ${CMAKE_COMMAND} --build ${WORK_DIR}/consumer)
set(consumer ${WORK_DIR}/consumer/consumer)
file(REAL_PATH ${library} real_library)

run_or_fail(COMMAND ${consumer} OUTPUT output)
expect_equal("the consumer's output" "${output}" "${VERSION}\n50,60\n${module}\n")

# loaded through a symlink, then by a relative path with a change of folder before the generator is loaded
file(MAKE_DIRECTORY ${WORK_DIR}/links)
file(CREATE_LINK ${real_library} ${WORK_DIR}/links/libspmvgen.so.0 SYMBOLIC)
run_or_fail(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${WORK_DIR}/links ${consumer} OUTPUT output)
expect_equal("the output through a symlink" "${output}" "${VERSION}\n50,60\n${module}\n")
run_or_fail(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=. ${consumer} --chdir FOLDER ${prefix}/${LIBDIR}
            OUTPUT output)
expect_equal("the output with a relative path" "${output}" "${VERSION}\n50,60\n${module}\n")

# without the module the error lists the places
file(RENAME ${module} ${module}.gone)
execute_process(COMMAND ${consumer} OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE status)
file(RENAME ${module}.gone ${module})
set(missing "cannot open shared object file: No such file or directory")
expect_equal("the exit status without the module" "${status}" "1")
set(places "cannot load the kernel compiler:
  ${prefix}/${LIBDIR}/libspmvgen_jit.so: ${missing}
  ${module}: ${missing}
install libspmvgen_jit.so with Clang 19 in one of these places, or set SPMVGEN_JIT to its path
")
string(FIND "${errors}" "${places}" at)
if(at EQUAL -1)
  message(FATAL_ERROR "the error without the module is\n${errors}\nand does not hold\n${places}")
endif()

if(HAS_CLI)
  run_or_fail(COMMAND ${prefix}/bin/spmvgen --help)
endif()
