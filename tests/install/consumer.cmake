# A project that knows only find_package(spmvgen), in C and C++, built with the compiler CXX. OWN: it is the one that
# spmvgen was built with.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
need_compiler()
run_or_fail(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${WORK_DIR}/build
            -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_CXX_COMPILER=${CXX_PATH} -DCMAKE_C_COMPILER=${CC_PATH} -DCMAKE_PREFIX_PATH=${PREFIX}
            -DSANITIZE=${SANITIZE} -DC_SOURCE=${SOURCE_DIR}/examples/multiply.c -DEACH_HEADER=${OWN})
run_or_fail(COMMAND ${CMAKE_COMMAND} --build ${WORK_DIR}/build)
set(consumer ${WORK_DIR}/build/consumer)
run_or_fail(COMMAND ${consumer} OUTPUT output)
expect_equal("the consumer's output" "${output}" "${VERSION}\n50,60\n${module}\n")
run_or_fail(COMMAND ${WORK_DIR}/build/consumer_c OUTPUT output)
expect_within("the C program's output" "${output}" "y = (50, 60), by ")
if(NOT OWN)
  return()
endif()

# loaded through a symlink, then by a relative path with a change of folder before the generator is loaded
file(REAL_PATH ${library} real_library)
file(MAKE_DIRECTORY ${WORK_DIR}/links)
file(CREATE_LINK ${real_library} ${WORK_DIR}/links/libspmvgen.so.0 SYMBOLIC)
run_or_fail(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${WORK_DIR}/links ${consumer} OUTPUT output)
expect_equal("the output through a symlink" "${output}" "${VERSION}\n50,60\n${module}\n")
run_or_fail(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=. ${consumer} --chdir FOLDER ${PREFIX}/${LIBDIR}
            OUTPUT output)
expect_equal("the output with a relative path" "${output}" "${VERSION}\n50,60\n${module}\n")

# without the module the error lists the places
file(MAKE_DIRECTORY ${WORK_DIR}/alone)
file(COPY ${real_library} DESTINATION ${WORK_DIR}/alone)
get_filename_component(file ${real_library} NAME)
file(CREATE_LINK ${file} ${WORK_DIR}/alone/libspmvgen.so.0 SYMBOLIC)
execute_process(COMMAND ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${WORK_DIR}/alone ${consumer}
                OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE status)
set(missing "cannot open shared object file: No such file or directory")
expect_equal("the exit status without the module" "${status}" "1")
expect_within("the error without the module" "${errors}" "cannot load the kernel compiler:
  ${WORK_DIR}/alone/libspmvgen_jit.so: ${missing}
  ${WORK_DIR}/alone/spmvgen/libspmvgen_jit.so: ${missing}
install libspmvgen_jit.so with Clang 19 in one of these places (in Python: pip install spmvgen[jit]), or set SPMVGEN_JIT to its path
")
