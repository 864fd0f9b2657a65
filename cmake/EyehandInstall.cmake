# cmake --install: the libraries with their headers, agent-cli, the license, and two descriptions of the libraries: a
# package for find_package(eyehand) with a component for each library, and a file for pkg-config for each library.
# A project that needs libwinio alone needs no dependency of the other libraries.
include(CMakePackageConfigHelpers)

set(package "${CMAKE_INSTALL_LIBDIR}/cmake/eyehand")
# An archive that every static library needs, without headers. A shared library contains it.
if(NOT BUILD_SHARED_LIBS)
    install(TARGETS eyehand_base EXPORT eyehand-base ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT eyehand-base NAMESPACE eyehand:: FILE eyehand-base-targets.cmake DESTINATION ${package})
endif()
foreach(library winio vlm agent session panel mcp)
    set(targets eyehand_${library})
    set(headers lib${library}/include)
    if(library MATCHES "^(session|panel|mcp)$")
        set(headers libagent/${library}/include)
    endif()
    # A shared library contains its private dependencies.
    if(NOT BUILD_SHARED_LIBS AND library STREQUAL "vlm")
        list(APPEND targets eyehand_http eyehand_boost eyehand_boost_ssl)
    elseif(NOT BUILD_SHARED_LIBS AND library STREQUAL "agent")
        list(APPEND targets eyehand_agent_base eyehand_fmt eyehand_page eyehand_web)
    endif()
    install(TARGETS ${targets} EXPORT eyehand-${library}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(DIRECTORY ${headers}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    install(EXPORT eyehand-${library} NAMESPACE eyehand:: FILE eyehand-${library}-targets.cmake
        DESTINATION ${package})
endforeach()
install(FILES
    "${PROJECT_BINARY_DIR}/include/eyehand/export.hpp"
    "${PROJECT_BINARY_DIR}/include/eyehand/version.hpp"
    DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/eyehand")
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/eyehand")

configure_package_config_file(cmake/eyehand-config.cmake.in
    "${PROJECT_BINARY_DIR}/eyehand-config.cmake" INSTALL_DESTINATION ${package})
# Minor versions may break interfaces until 1.0.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/eyehand-config-version.cmake"
    COMPATIBILITY SameMinorVersion)
install(FILES
    "${PROJECT_BINARY_DIR}/eyehand-config.cmake"
    "${PROJECT_BINARY_DIR}/eyehand-config-version.cmake"
    cmake/EyehandWebp.cmake
    cmake/EyehandXcb.cmake
    DESTINATION ${package})

# --- pkg-config ---

set(pkgconfig "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
# The prefix is relative to the file, so an installation can be moved. This does not work with an absolute
# CMAKE_INSTALL_LIBDIR or CMAKE_INSTALL_INCLUDEDIR.
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}/${pkgconfig}"
    OUTPUT_VARIABLE pc_prefix)
string(PREPEND pc_prefix "\${pcfiledir}/")
string(REGEX REPLACE "/$" "" pc_prefix "${pc_prefix}")

# eyehand_pkg_config(LIBRARY DESCRIPTION [REQUIRES ...] [REQUIRES_PRIVATE ...] [LIBS_PRIVATE ...])
function(eyehand_pkg_config library pc_description)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "REQUIRES;REQUIRES_PRIVATE;LIBS_PRIVATE")
    set(pc_cflags "")
    if(BUILD_SHARED_LIBS)
        set(pc_cflags " -DEYEHAND_SHARED")
        set(arg_REQUIRES_PRIVATE "")
        set(arg_LIBS_PRIVATE "")
    endif()
    list(JOIN arg_REQUIRES ", " pc_requires)
    list(JOIN arg_REQUIRES_PRIVATE ", " pc_requires_private)
    list(JOIN arg_LIBS_PRIVATE " " pc_libs_private)
    configure_file(cmake/eyehand.pc.in "${PROJECT_BINARY_DIR}/eyehand-${library}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/eyehand-${library}.pc" DESTINATION "${pkgconfig}")
endfunction()

set(standard_library "")
if(NOT MSVC)
    set(standard_library -lstdc++)
endif()
set(fmt "")
get_target_property(type eyehand_fmt TYPE)
if(type STREQUAL "STATIC_LIBRARY")
    set(fmt -leyehand_fmt)
endif()
set(xcb "")
set(winio_system ${CMAKE_THREAD_LIBS_INIT})
set(vlm_system ${CMAKE_THREAD_LIBS_INIT})
if(WIN32)
    set(winio_system -luser32 -lgdi32 -ladvapi32 -lshell32 -lole32)
    set(vlm_system -lws2_32 -lmswsock -lbcrypt -lcrypt32 -lgdi32 -luser32)
elseif(EYEHAND_X11)
    set(xcb xcb xcb-shm xcb-xtest xcb-xfixes "xcb-randr >= 1.12" xcb-xinput)
endif()
set(webp "")
if(EYEHAND_WEBP)
    set(webp libwebp)
endif()
eyehand_pkg_config(winio "Screen capture and input for desktop agents"
    REQUIRES_PRIVATE zlib ${webp} ${xcb} LIBS_PRIVATE -leyehand_base ${winio_system} ${standard_library})
eyehand_pkg_config(vlm "Client for vision language models with an OpenAI-compatible server"
    REQUIRES_PRIVATE zlib "openssl >= 3.0"
    LIBS_PRIVATE -leyehand_http -leyehand_base -leyehand_boost_ssl -leyehand_boost ${vlm_system} ${standard_library})
eyehand_pkg_config(agent "Desktop agents: tools, profiles, runs"
    REQUIRES "eyehand-winio = ${PROJECT_VERSION}" "eyehand-vlm = ${PROJECT_VERSION}"
    LIBS_PRIVATE -leyehand_agent_base -leyehand_base ${fmt} -leyehand_boost ${standard_library})
eyehand_pkg_config(session "Complete runs of an agent: server, logs, recordings, report"
    REQUIRES "eyehand-agent = ${PROJECT_VERSION}"
    LIBS_PRIVATE -leyehand_page -leyehand_agent_base -leyehand_base ${fmt} -leyehand_boost ${standard_library})
eyehand_pkg_config(panel "Local web page that shows and controls a run"
    REQUIRES "eyehand-agent = ${PROJECT_VERSION}"
    LIBS_PRIVATE -leyehand_page -leyehand_web -leyehand_agent_base -leyehand_base ${fmt} -leyehand_boost ${standard_library})
eyehand_pkg_config(mcp "Server and client of the Model Context Protocol"
    REQUIRES "eyehand-agent = ${PROJECT_VERSION}" REQUIRES_PRIVATE "eyehand-session = ${PROJECT_VERSION}"
    LIBS_PRIVATE -leyehand_web -leyehand_agent_base -leyehand_base ${fmt} -leyehand_boost ${standard_library})
