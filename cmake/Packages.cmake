# Debian packages: cpack -G DEB, or scripts/package. One for each component of Install.cmake; DebianFiles.cmake adds what
# only packages have.
set(SPMVGEN_MAINTAINER "the spmvgen authors <spmvgen@localhost.localdomain>" CACHE STRING "Maintainer of the packages: Name <mail>")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME spmvgen)
set(CPACK_PACKAGE_VENDOR "the spmvgen authors")
set(CPACK_PACKAGE_CONTACT "${SPMVGEN_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL runtime jit tools tuning development)
if(TARGET petscspmvgen)
  list(APPEND CPACK_COMPONENTS_ALL petsc)
endif()
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(runtime_package libspmvgen${PROJECT_VERSION_MAJOR})
set(needs_runtime "${runtime_package} (= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")

# spmvgen_package(COMPONENT NAME section depends summary text): depends are those that the binaries do not tell themselves.
macro(spmvgen_package component name section depends summary text)
  string(TOUPPER ${component} key)
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_DEBIAN_${key}_DESCRIPTION "${summary}
spmvgen makes a kernel for each sparse matrix and multiplies with it:
y = alpha A x + beta y, on CPUs and on NVIDIA and AMD GPUs.

${text}")
endmacro()
spmvgen_package(runtime ${runtime_package} libs "" "sparse matrix-vector products with kernels made for the matrix"
"This package has the shared library.")
spmvgen_package(jit libspmvgen-jit libs "${needs_runtime}" "kernel compiler of spmvgen"
"This package has the module that makes kernels, with Clang inside.
Without it, programs run kernels from the cache and from kernel sets,
and the generic one.")
spmvgen_package(tools spmvgen math "${needs_runtime}" "command line of spmvgen, for sparse matrix-vector kernels"
"This package has the program, which emits, runs, times and tunes
kernels.")
spmvgen_package(tuning spmvgen-data math "" "tuning parameters of spmvgen"
"This package has what was measured on some devices, by which kernels
are chosen.")
spmvgen_package(petsc libspmvgen-petsc libs "${needs_runtime}" "matrix types of PETSc that multiply by spmvgen"
"This package has the types seqaijspmvgen, mpiaijspmvgen and aijspmvgen,
which unchanged programs load by PETSc's option -dll_append.")
spmvgen_package(development libspmvgen-dev libdevel "${needs_runtime}" "headers of spmvgen, for C and C++"
"This package has the headers, the CMake package with
spmvgen_add_kernel, and the pkg-config file.")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "libspmvgen-jit, spmvgen-data")
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS libspmvgen-jit)
set(CPACK_DEBIAN_PETSC_PACKAGE_RECOMMENDS libspmvgen-jit)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS "libspmvgen-jit, spmvgen")
set(CPACK_DEBIAN_TUNING_PACKAGE_ARCHITECTURE all)

# Programs that are linked with the library depend on this minor version of it: its C++ interface may change with the next.
math(EXPR next_minor "${PROJECT_VERSION_MINOR} + 1")
set(control_dir ${PROJECT_BINARY_DIR}/debian)
file(CONFIGURE OUTPUT ${control_dir}/shlibs CONTENT "libspmvgen ${PROJECT_VERSION_MAJOR} ${runtime_package} (>= ${PROJECT_VERSION}), \
${runtime_package} (<< ${PROJECT_VERSION_MAJOR}.${next_minor}~)\n" @ONLY)
file(CONFIGURE OUTPUT ${control_dir}/triggers CONTENT "activate-noawait ldconfig\n" @ONLY)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA "${control_dir}/shlibs;${control_dir}/triggers")

set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/DebianFiles.cmake)
set(CPACK_SPMVGEN_SOURCE_DIR ${PROJECT_SOURCE_DIR})
set(CPACK_SPMVGEN_LIBDIR ${CMAKE_INSTALL_LIBDIR})
include(CPack)
