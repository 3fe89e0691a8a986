# Run by cpack between installing and packing: what only Debian packages have, documentation and dependencies.
find_program(gzip gzip REQUIRED)
find_program(shlibdeps dpkg-shlibdeps)
set(lib usr/${CPACK_SPMVGEN_LIBDIR})

# As Debian 12 has them, for a machine without dpkg-shlibdeps.
set(cxx_libraries "libc6, libgcc-s1, libstdc++6, libfmt9")
set(libraries_runtime "${cxx_libraries}, libgomp1, libmd0, zlib1g")
set(libraries_jit "${cxx_libraries}, libclang-cpp19, libllvm19, libzstd1, zlib1g")
set(libraries_tools "${cxx_libraries}, libgomp1")
set(libraries_petsc "libc6, libopenmpi3, libpetsc-real3.18")

function(add_documentation staged name)
  file(REMOVE_RECURSE ${staged}/usr/share/doc)
  set(doc ${staged}/usr/share/doc/${name})
  file(MAKE_DIRECTORY ${doc})
  file(COPY_FILE ${CPACK_SPMVGEN_SOURCE_DIR}/LICENSE ${doc}/copyright)
  file(WRITE ${doc}/changelog.Debian "spmvgen (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Built by CPack; CHANGELOG.md of the sources tells what is new.

 -- ${CPACK_PACKAGE_CONTACT}  Thu, 01 Jan 2026 00:00:00 +0000
")
  execute_process(COMMAND ${gzip} -9n ${doc}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(add_manual staged)
  file(MAKE_DIRECTORY ${staged}/usr/share/man/man1)
  file(COPY_FILE ${CPACK_SPMVGEN_SOURCE_DIR}/docs/spmvgen.1 ${staged}/usr/share/man/man1/spmvgen.1)
  execute_process(COMMAND ${gzip} -9nf ${staged}/usr/share/man/man1/spmvgen.1 COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# The packages that the binary needs, as a list for Depends.
function(libraries_of binary component result)
  if(NOT shlibdeps)
    set(${result} "${libraries_${component}}" PARENT_SCOPE)
    return()
  endif()
  set(folder ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/shlibdeps)
  file(WRITE ${folder}/debian/control "")
  execute_process(COMMAND ${shlibdeps} --ignore-missing-info -l${CPACK_TEMPORARY_INSTALL_DIRECTORY}/runtime/${lib} -O -e${binary}
                  WORKING_DIRECTORY ${folder} OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE status)
  file(REMOVE_RECURSE ${folder})
  if(NOT status EQUAL 0 OR NOT output MATCHES "shlibs:Depends=([^\n]+)")
    message(FATAL_ERROR "dpkg-shlibdeps ${binary}: ${status}\n${output}${errors}")
  endif()
  set(${result} "${CMAKE_MATCH_1}" PARENT_SCOPE)
endfunction()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${component} key)
  set(staged ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/${component})
  add_documentation(${staged} ${CPACK_DEBIAN_${key}_PACKAGE_NAME})
  set(binary "")
  if(component STREQUAL runtime)
    set(binary ${staged}/${lib}/libspmvgen.so.${CPACK_PACKAGE_VERSION})
  elseif(component STREQUAL jit)
    set(binary ${staged}/${lib}/spmvgen/libspmvgen_jit.so)
    file(RPATH_REMOVE FILE ${binary})  # Debian's libclang-cpp and libLLVM are where every library is
  elseif(component STREQUAL petsc)
    set(binary ${staged}/${lib}/spmvgen/libpetscspmvgen.so)
    file(RPATH_REMOVE FILE ${binary})  # Debian's PETSc is where every library is, and so is libspmvgen
  elseif(component STREQUAL tools)
    set(binary ${staged}/usr/bin/spmvgen)
    add_manual(${staged})
  endif()
  if(binary)
    libraries_of(${binary} ${component} libraries)
    list(APPEND CPACK_DEBIAN_${key}_PACKAGE_DEPENDS "${libraries}")
    list(JOIN CPACK_DEBIAN_${key}_PACKAGE_DEPENDS ", " CPACK_DEBIAN_${key}_PACKAGE_DEPENDS)
  endif()
endforeach()
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # each package has its own
