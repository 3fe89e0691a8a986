# Tuning files are found from the folder of the library, however that lies; without them all works.
include(${CMAKE_CURRENT_LIST_DIR}/common.cmake)
file(REAL_PATH ${library} real_library)
set(run run gallery:stencil5:nx=30 --check --strict --time 0 --threads 1 --cache memory --explain)

# program(LIBRARIES ARGUMENT…): the program with libspmvgen.so.0 of that folder; `output` is what it printed.
function(program folder)
  run_or_fail(COMMAND ${CMAKE_COMMAND} -E env --unset=SPMVGEN_TUNING_DB SPMVGEN_RECORDS_DIR=${WORK_DIR}/none
              SPMVGEN_JIT=${module} LD_LIBRARY_PATH=${folder} ${PREFIX}/bin/spmvgen ${ARGN} OUTPUT output)
  set(output "${output}" PARENT_SCOPE)
endfunction()

# expect_found(LIBRARIES SHARE): the library in LIBRARIES takes tuning files of SHARE/spmvgen/tuning_db.
function(expect_found libraries share)
  program(${libraries} tune list)
  expect_within("what tune list printed" "${output}" "others: ${share}/spmvgen/tuning_db")
  expect_within("what tune list printed" "${output}" "${share}/spmvgen/tuning_db/records-nvidia-h200-f64.json.gz")
  program(${libraries} ${run})
  expect_within("what run printed" "${output}" "tuning ${share}/spmvgen/tuning_db")
  expect_within("what run printed" "${output}" "passed against the compensated reference")
endfunction()

expect_found(${PREFIX}/${LIBDIR} ${PREFIX}/share)
get_filename_component(file ${real_library} NAME)
foreach(layout IN ITEMS "lib|share" "lib64|share" "lib/x86_64-linux-gnu|share" "wheel|wheel/share" "wheel2/lib|wheel2/share")
  string(REPLACE "|" ";" layout "${layout}")
  list(GET layout 0 lib)
  list(GET layout 1 share)
  set(root ${WORK_DIR}/layout)
  file(REMOVE_RECURSE ${root})
  file(COPY ${real_library} DESTINATION ${root}/${lib})
  file(CREATE_LINK ${file} ${root}/${lib}/libspmvgen.so.0 SYMBOLIC)
  file(COPY ${PREFIX}/share/spmvgen DESTINATION ${root}/${share})
  expect_found(${root}/${lib} ${root}/${share})
endforeach()

# The library alone.
file(REMOVE_RECURSE ${root}/wheel2/share)
set(libraries ${root}/wheel2/lib)
program(${libraries} ${run})
expect_within("what run printed" "${output}" "passed against the compensated reference")
expect_within("what run printed" "${output}" "tuning none beside libspmvgen: built-in profiles and rules")
expect_within("what run printed" "${output}" "records nothing is recorded, and no tuning files are installed beside libspmvgen")
if(CMAKE_HOST_SYSTEM_PROCESSOR STREQUAL x86_64)
  expect_within("what run printed" "${output}" "by device-x86-64-v4.json (built into libspmvgen)")
endif()
foreach(level IN ITEMS recorded measure)
  program(${libraries} ${run} --level ${level})
  expect_within("what run --level ${level} printed" "${output}" "passed against the compensated reference")
endforeach()
program(${libraries} tune list)
expect_within("what tune list printed" "${output}" "0 records; your own are kept in ${WORK_DIR}/none;
  others: none beside libspmvgen")
program(${libraries} doctor)
expect_within("what doctor printed" "${output}" "missing: tuning files are in none of ${root}/wheel2/share/spmvgen/tuning_db,")
expect_within("what doctor printed" "${output}" "remedy: cmake --install BUILD --component tuning, or package
  spmvgen-data, brings them;")

# A directory that is not there is told of, too.
execute_process(COMMAND ${CMAKE_COMMAND} -E env SPMVGEN_TUNING_DB=${WORK_DIR}/nowhere ${PREFIX}/bin/spmvgen tune list
                OUTPUT_QUIET ERROR_VARIABLE errors RESULT_VARIABLE status)
expect_equal("the exit status" "${status}" "0")
expect_equal("standard error" "${errors}" "spmvgen: warning: the directory of tuning files ${WORK_DIR}/nowhere ($SPMVGEN_TUNING_DB) \
is not used: No such file or directory\n")
