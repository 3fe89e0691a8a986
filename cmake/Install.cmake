# What `cmake --install` puts in place, in components that may be installed apart:
#   runtime      libspmvgen
#   jit          libspmvgen_jit, the kernel compiler, in a folder beside libspmvgen, where the library looks for it
#   tools        the program spmvgen, and loops that it times beside kernels, in the same folder
#   tuning       parameters that the tuner reads, in share/spmvgen/tuning_db, where the library finds them
#   petsc        libpetscspmvgen, matrix types for PETSc, in the same folder; where PETSc was found (docs/how-to/petsc.md)
#   development  headers, find_package, pkg-config, spmvgen_add_kernel
# All paths are relative: the prefix can be moved.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/spmvgen)
set(jit_dir ${CMAKE_INSTALL_LIBDIR}/spmvgen)
set(tuning_dir ${CMAKE_INSTALL_DATADIR}/spmvgen/tuning_db)
file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})

set_target_properties(spmvgen PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS spmvgen EXPORT spmvgenTargets LIBRARY COMPONENT runtime NAMELINK_COMPONENT development)
foreach(header IN ITEMS batch.hpp distributed.hpp eigen.hpp epilogue.hpp error.hpp ginkgo.hpp handle_pair.hpp kernel.hpp kernels.hpp matrix.hpp options.hpp params.hpp signature.hpp spmvgen.h spmvgen.hpp target.hpp types.hpp)
  install(FILES ${PROJECT_SOURCE_DIR}/runtime/include/spmvgen/${header}
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spmvgen COMPONENT development)
endforeach()

# Clang's libraries are found where they were at build time when they are not among the system's.
set_target_properties(spmvgen_jit PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS spmvgen_jit LIBRARY DESTINATION ${jit_dir} COMPONENT jit)

if(TARGET petscspmvgen)
  file(RELATIVE_PATH module_to_lib ${CMAKE_INSTALL_PREFIX}/${jit_dir} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(petscspmvgen PROPERTIES INSTALL_RPATH "$ORIGIN/${module_to_lib}" INSTALL_RPATH_USE_LINK_PATH ON)
  install(TARGETS petscspmvgen LIBRARY DESTINATION ${jit_dir} COMPONENT petsc)
endif()

if(TARGET spmvgen_cli)
  set_target_properties(spmvgen_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}" EXPORT_NAME program)
  install(TARGETS spmvgen_cli EXPORT spmvgenToolsTargets RUNTIME COMPONENT tools)
  # What `spmvgen bench` compares with, compiled for each architecture.
  get_property(peer_architectures GLOBAL PROPERTY SPMVGEN_PEER_ARCHITECTURES)
  foreach(arch IN LISTS peer_architectures)
    install(TARGETS spmvgen_peers_${arch} LIBRARY DESTINATION ${jit_dir} COMPONENT tools)
  endforeach()
  install(EXPORT spmvgenToolsTargets NAMESPACE spmvgen:: DESTINATION ${package_dir} COMPONENT tools)
endif()

install(EXPORT spmvgenTargets NAMESPACE spmvgen:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/spmvgenConfig.cmake.in
  ${PROJECT_BINARY_DIR}/spmvgenConfig.cmake INSTALL_DESTINATION ${package_dir} PATH_VARS jit_dir tuning_dir)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/spmvgenConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/spmvgenConfig.cmake ${PROJECT_BINARY_DIR}/spmvgenConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/spmvgenAddKernel.cmake ${PROJECT_SOURCE_DIR}/cmake/spmvgenEmbed.cmake
        DESTINATION ${package_dir} COMPONENT development)
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/spmvgen.pc.in ${PROJECT_BINARY_DIR}/spmvgen.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/spmvgen.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)

# Tuning parameters: the library looks for them from its own folder (runtime/tuner/files/tuning_files.cpp).
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tuning_db/ DESTINATION ${tuning_dir} COMPONENT tuning
        FILES_MATCHING PATTERN "*.json" PATTERN "*.json.gz")
