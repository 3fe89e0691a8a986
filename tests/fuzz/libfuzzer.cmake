# The readers' own sources, without LLVM and OpenMP (stand_ins/omp.h): the programs run on other machines, too.
set(runtime ${PROJECT_SOURCE_DIR}/runtime)
file(GLOB fuzzed_sources CONFIGURE_DEPENDS ${runtime}/kernel/*.cpp ${runtime}/store/*.cpp)
file(GLOB readers CONFIGURE_DEPENDS ${runtime}/matrix/files/*.cpp ${runtime}/matrix/read/*.cpp ${runtime}/tuner/csr_k/*.cpp
     ${runtime}/tuner/files/json_text.cpp ${runtime}/tuner/cost/constants.cpp ${runtime}/tuner/cost/correction.cpp)
list(FILTER readers EXCLUDE REGEX "csr_k_db")
list(APPEND fuzzed_sources ${readers})
foreach(name IN ITEMS buffer coo_matrix csr_matrix layouts/block_matrix layouts/index_base layouts/row_list overflow parts/partition parts/parts sort_rows transpose value_order features/features_json)
  list(APPEND fuzzed_sources ${runtime}/matrix/${name}.cpp)
endforeach()
foreach(name IN ITEMS compatible exported search set_file trust)
  list(APPEND fuzzed_sources ${runtime}/sets/${name}.cpp)
endforeach()
foreach(name IN ITEMS profiles/device_profile profiles/device_profile_scaled profiles/device_profile_json profiles/dense_profile
                      records/record records/record_features records/record_json records/signature_name
                      cost/figures/subwarp cost/figures/row_steps)
  list(APPEND fuzzed_sources ${runtime}/tuner/${name}.cpp)
endforeach()
list(APPEND fuzzed_sources ${runtime}/process/log.cpp
     ${runtime}/verify/epilogue_check.cpp ${runtime}/verify/epilogue_expression.cpp)
file(GLOB registry_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/templates/*.cpp ${PROJECT_SOURCE_DIR}/templates/families/*.cpp)
file(GLOB family_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/templates/families/*.cpp)
spmvgen_collect(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/families.cpp HEADER family.hpp TYPE Family FUNCTION families
                SUFFIX family FILES ${family_files})
list(APPEND registry_sources ${CMAKE_CURRENT_BINARY_DIR}/families.cpp)
list(APPEND fuzzed_sources ${registry_sources})

# Not what Clang understands by `undefined`, and yet undefined: a number that its integer cannot hold.
set(checks address,undefined,float-cast-overflow)
add_library(fuzzed STATIC ${fuzzed_sources} stand_ins/stand_ins.cpp)
target_include_directories(fuzzed PUBLIC stand_ins ${runtime} ${runtime}/include ${PROJECT_SOURCE_DIR}/templates)
target_compile_definitions(fuzzed PRIVATE SPMVGEN_VERSION="${PROJECT_VERSION}" SPMVGEN_COMPILER_KIND="clang"
                                          SPMVGEN_COMPILER_SERIES="19.1")
target_compile_options(fuzzed PUBLIC -Wno-source-uses-openmp -fsanitize=fuzzer-no-link,${checks} -fno-sanitize-recover=all
                                     -fno-omit-frame-pointer)
find_library(static_zlib libz.a REQUIRED)
find_library(static_libmd libmd.a REQUIRED)
target_link_libraries(fuzzed PUBLIC fmt::fmt nlohmann_json::nlohmann_json ${static_zlib} ${static_libmd})

add_library(fuzz_support STATIC support.cpp matrices.cpp entries.cpp layouts_support.cpp json_mutation.cpp)
target_include_directories(fuzz_support PUBLIC . ${PROJECT_SOURCE_DIR}/tests/store)
target_link_libraries(fuzz_support PUBLIC fuzzed)

set(mutator_csr_k_json json_mutator.cpp)
set(mutator_dense_profile json_mutator.cpp)
set(mutator_device_profile json_mutator.cpp)
set(mutator_tuning_records json_mutator.cpp)
set(mutator_cost_constants json_mutator.cpp)
set(mutator_store_entry store_entry_mutator.cpp)
set(mutator_kernel_set kernel_set_mutator.cpp)
foreach(target IN LISTS fuzz_targets)
  add_executable(fuzz_${target} ${target}.cpp ${mutator_${target}})
  target_link_libraries(fuzz_${target} PRIVATE fuzz_support)
  target_link_options(fuzz_${target} PRIVATE -fsanitize=fuzzer,${checks})
  set_target_properties(fuzz_${target} PROPERTIES BUILD_RPATH "\$ORIGIN")  # a bundle brings libfmt along
endforeach()
