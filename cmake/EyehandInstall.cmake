# cmake --install: the libraries with their headers, agent-cli, and a package for find_package(eyehand), of which
# each library is a component: who links libwinio alone needs nothing that the others need.
include(CMakePackageConfigHelpers)

set(package "${CMAKE_INSTALL_LIBDIR}/cmake/eyehand")
foreach(library winio vlm agent panel)
    set(targets eyehand_${library})
    set(headers lib${library}/include)
    if(library STREQUAL "panel")
        set(headers libagent/panel/include)
    endif()
    if(library STREQUAL "vlm")
        list(APPEND targets eyehand_boost eyehand_boost_ssl)
    endif()
    if(library STREQUAL "agent")
        list(APPEND targets eyehand_fmt)
    endif()
    install(TARGETS ${targets} EXPORT eyehand-${library} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(DIRECTORY ${headers}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    install(EXPORT eyehand-${library} NAMESPACE eyehand:: FILE eyehand-${library}-targets.cmake
        DESTINATION ${package})
endforeach()

configure_package_config_file(cmake/eyehand-config.cmake.in
    "${PROJECT_BINARY_DIR}/eyehand-config.cmake" INSTALL_DESTINATION ${package})
write_basic_package_version_file("${PROJECT_BINARY_DIR}/eyehand-config-version.cmake"
    COMPATIBILITY SameMajorVersion)
install(FILES
    "${PROJECT_BINARY_DIR}/eyehand-config.cmake"
    "${PROJECT_BINARY_DIR}/eyehand-config-version.cmake"
    cmake/EyehandXcb.cmake
    DESTINATION ${package})
