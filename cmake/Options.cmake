# Compile options shared by every target of this project: link `spmvgen_options` privately.
add_library(spmvgen_options INTERFACE)
target_compile_options(spmvgen_options INTERFACE -Wall -Wextra -Wpedantic -Wnon-virtual-dtor)
# Where sources are compiled together (FastBuild.cmake), what is private to one is seen by those after it.
set(together $<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>)
target_compile_options(spmvgen_options INTERFACE
  $<$<NOT:${together}>:-Wshadow> $<$<AND:${together},$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 at -O3 warns of overlap inside std::string's own assignment (its bug 105329).
  target_compile_options(spmvgen_options INTERFACE $<$<CONFIG:Release>:-Wno-restrict>)
endif()
if(SPMVGEN_WARNINGS_AS_ERRORS)
  target_compile_options(spmvgen_options INTERFACE -Werror)
endif()
if(SPMVGEN_SANITIZE)
  target_compile_options(spmvgen_options INTERFACE -fsanitize=${SPMVGEN_SANITIZE} -fno-sanitize-recover=all
                                                   -fno-omit-frame-pointer)
  # GCC warns of members of std::optional where it is the sanitizers' branches that read them.
  target_compile_options(spmvgen_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(spmvgen_options INTERFACE -fsanitize=${SPMVGEN_SANITIZE})
endif()

# Every binary lands in one folder, so that libspmvgen finds libspmvgen_jit beside itself in the build tree too.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
