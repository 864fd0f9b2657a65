# The packages that CPack (scripts/package) writes: agent-cli without debug symbols, its documentation, and the licenses
# of Eyehand and of all code that the program contains. A ZIP for Windows, a tarball for other systems. The same build
# tree gives the same bytes if SOURCE_DATE_EPOCH is set.
#
# The rules belong to the component "package", which `cmake --install` leaves out: the SDK's installation
# (EyehandInstall.cmake) and the packages do not affect each other.
block(PROPAGATE eyehand_package)

set(rule COMPONENT package EXCLUDE_FROM_ALL)

string(TOLOWER "${CMAKE_SYSTEM_NAME}" system)
string(TOLOWER "${CMAKE_SYSTEM_PROCESSOR}" processor)
string(REPLACE "amd64" "x86_64" processor "${processor}")

# --- content -------------------------------------------------------------------------------------------

install(TARGETS agent-cli RUNTIME DESTINATION . ${rule})
if(MINGW)
    # By default the linker stores the time of the build.
    target_link_options(agent-cli PRIVATE -Wl,--no-insert-timestamp)
endif()

if(WIN32)
    set(system_title Windows)
    set(requirements "64-bit Windows 10 or later. agent-cli.exe is a single file and needs no installation. It has been
tested with Wine, but not yet on Windows itself.")
else()
    set(system_title "${CMAKE_SYSTEM_NAME}")
    set(requirements "Debian 12 or a system with the same libraries (apt-get install libssl3 zlib1g")
    if(EYEHAND_WEBP)
        string(APPEND requirements " libwebp7")
    endif()
    if(EYEHAND_X11)
        string(APPEND requirements
            " libxcb1\nlibxcb-shm0 libxcb-xtest0 libxcb-xfixes0 libxcb-randr0\nlibxcb-xinput0), and an X11 session.")
    else()
        string(APPEND requirements "). This build has no desktop for X11.")
    endif()
endif()
configure_file(cmake/package-readme.md.in package/README.md @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/package/README.md" CHANGELOG.md DESTINATION . ${rule})
install(DIRECTORY docs DESTINATION . ${rule})

# Windows opens a file by its extension.
install(FILES LICENSE DESTINATION . RENAME LICENSE.txt ${rule})

# Each entry: the name of the license file, a file of the code that agent-cli contains, and the licenses that the
# Debian package of this code names without their text.
get_target_property(boost Boost::headers INTERFACE_INCLUDE_DIRECTORIES)
get_target_property(fmt fmt::fmt-header-only INTERFACE_INCLUDE_DIRECTORIES)
get_target_property(cli11 CLI11::CLI11 INTERFACE_INCLUDE_DIRECTORIES)
set(licenses
    "boost|${boost}/boost/version.hpp|"
    "fmt|${fmt}/fmt/core.h|"
    "stb|${EYEHAND_STB_INCLUDE_DIR}/stb_image_write.h|"
    "cli11|${cli11}/CLI/CLI.hpp|")
if(NOT MSVC)
    execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-libgcc-file-name
        OUTPUT_VARIABLE libgcc OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(APPEND licenses "gcc|${libgcc}|GPL-3")
endif()
if(MINGW)
    execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=libwinpthread.a
        OUTPUT_VARIABLE winpthread OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(APPEND licenses "mingw-w64|${winpthread}|" "zlib|${ZLIB_LIBRARIES}|"
        # scripts/openssl-mingw builds OpenSSL from the source package that libssl-dev comes from.
        "openssl|/usr/include/openssl/ssl.h|Apache-2.0")
    if(EYEHAND_WEBP)
        # Debian has no libwebp for MinGW: the builder's own, under the license of libwebp-dev.
        list(APPEND licenses "libwebp|/usr/include/webp/decode.h|")
    endif()
endif()
install(CODE "set(folder [[${PROJECT_BINARY_DIR}/package/licenses]])\nset(licenses [[${licenses}]])" ${rule})
install(SCRIPT cmake/package_licenses.cmake ${rule})

# --- CPack ---------------------------------------------------------------------------------------------

set(CPACK_GENERATOR TGZ)
if(WIN32)
    set(CPACK_GENERATOR ZIP)
endif()
set(CPACK_PACKAGE_NAME "${PROJECT_NAME}")
set(CPACK_PACKAGE_VENDOR "The Eyehand authors")
# Also the name of the folder inside, and of the package in the tests.
set(eyehand_package "${PROJECT_NAME}-${PROJECT_VERSION}-${system}-${processor}")
set(CPACK_PACKAGE_FILE_NAME "${eyehand_package}")
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};${PROJECT_NAME};package;/")
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_POST_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/package_sorted.cmake")
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)

endblock()
