# cmake --install: the libraries with their headers, agent-cli, and a package for find_package(eyehand).
include(CMakePackageConfigHelpers)

install(TARGETS eyehand_boost eyehand_boost_ssl eyehand_winio eyehand_vlm eyehand_agent
    EXPORT eyehand
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(library winio vlm agent)
    install(DIRECTORY lib${library}/include/${library} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endforeach()

set(package "${CMAKE_INSTALL_LIBDIR}/cmake/eyehand")
install(EXPORT eyehand NAMESPACE eyehand:: FILE eyehand-targets.cmake DESTINATION ${package})
configure_package_config_file(cmake/eyehand-config.cmake.in
    "${PROJECT_BINARY_DIR}/eyehand-config.cmake" INSTALL_DESTINATION ${package})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/eyehand-config-version.cmake"
    COMPATIBILITY SameMajorVersion)
install(FILES
    "${PROJECT_BINARY_DIR}/eyehand-config.cmake"
    "${PROJECT_BINARY_DIR}/eyehand-config-version.cmake"
    DESTINATION ${package})
