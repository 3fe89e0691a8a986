# What `cmake --install` puts in place: bin/spmvgen, libspmvgen with its public headers and CMake package, and the kernel
# compiler in a folder beside libspmvgen, where the library looks for it. All paths are relative: the prefix can be moved.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/spmvgen)
file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})

set_target_properties(spmvgen PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS spmvgen EXPORT spmvgenTargets COMPONENT runtime)
foreach(header IN ITEMS batch error kernel kernels matrix signature spmvgen target types)
  install(FILES ${PROJECT_SOURCE_DIR}/runtime/include/spmvgen/${header}.hpp
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/spmvgen COMPONENT runtime)
endforeach()

# Clang's libraries are found where they were at build time when they are not among the system's.
set_target_properties(spmvgen_jit PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
install(TARGETS spmvgen_jit COMPONENT jit LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/spmvgen)

if(TARGET spmvgen_cli)
  set_target_properties(spmvgen_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
  install(TARGETS spmvgen_cli COMPONENT runtime)
endif()

install(EXPORT spmvgenTargets NAMESPACE spmvgen:: DESTINATION ${package_dir} COMPONENT runtime)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/spmvgenConfig.cmake.in
  ${PROJECT_BINARY_DIR}/spmvgenConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/spmvgenConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/spmvgenConfig.cmake ${PROJECT_BINARY_DIR}/spmvgenConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT runtime)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)

# Tuning parameters, where the library looks for them: share/spmvgen/tuning_db above its own folder, in the build tree too.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/tuning_db/ DESTINATION ${CMAKE_INSTALL_DATADIR}/spmvgen/tuning_db COMPONENT runtime
        FILES_MATCHING PATTERN "*.json")
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/spmvgen)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/tuning_db ${PROJECT_BINARY_DIR}/share/spmvgen/tuning_db SYMBOLIC)
