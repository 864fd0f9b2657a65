# Everything this project takes from others: Boost (headers), zlib, fmt, OpenSSL; outside Windows XCB;
# for the programs CLI11; for the tests Catch2 and libpng.
include_guard()

find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
if(CMAKE_CROSSCOMPILING AND MINGW AND NOT EXISTS "${OPENSSL_ROOT_DIR}/lib/libssl.a")
    message(FATAL_ERROR "OpenSSL for MinGW is missing in ${OPENSSL_ROOT_DIR}: "
        "run scripts/openssl-mingw, which builds it once (about 2 minutes on two cores)")
endif()
find_package(OpenSSL 3.0 REQUIRED COMPONENTS SSL Crypto)

if(EYEHAND_X11)
    include(EyehandXcb)
    eyehand_find_xcb()
    if(NOT eyehand_xcb_FOUND)
        message(FATAL_ERROR
            "XCB is missing. On Debian: apt-get install pkg-config libxcb1-dev libxcb-shm0-dev "
            "libxcb-xtest0-dev libxcb-xfixes0-dev libxcb-randr0-dev. Without a desktop for X11: -DEYEHAND_X11=OFF")
    endif()
endif()

if(CMAKE_CROSSCOMPILING AND MINGW)
    # The cross compiler must not see all of /usr/include. The header-only libraries are shown to it
    # one by one, through links in the build tree.
    set(_headers "${PROJECT_BINARY_DIR}/host-headers")
    file(MAKE_DIRECTORY "${_headers}")
    foreach(_library boost fmt CLI catch2)
        if(NOT EXISTS "/usr/include/${_library}")
            message(FATAL_ERROR "/usr/include/${_library} is missing: run scripts/setup")
        endif()
        file(CREATE_LINK "/usr/include/${_library}" "${_headers}/${_library}" SYMBOLIC)
    endforeach()
    add_library(Boost::headers INTERFACE IMPORTED GLOBAL)
    add_library(fmt::fmt-header-only INTERFACE IMPORTED GLOBAL)
    target_compile_definitions(fmt::fmt-header-only INTERFACE FMT_HEADER_ONLY=1)
    add_library(CLI11::CLI11 INTERFACE IMPORTED GLOBAL)
    add_library(Catch2::Catch2 INTERFACE IMPORTED GLOBAL)
    set(Catch2_VERSION 2.13)
    foreach(_target Boost::headers fmt::fmt-header-only CLI11::CLI11 Catch2::Catch2)
        target_include_directories(${_target} SYSTEM INTERFACE "${_headers}")
    endforeach()
else()
    find_package(Boost 1.81 REQUIRED)
    find_package(fmt REQUIRED)
    if(EYEHAND_BUILD_APPS)
        find_package(CLI11 REQUIRED)
    endif()
    if(EYEHAND_BUILD_TESTS)
        find_package(Catch2 REQUIRED)
        find_package(PNG REQUIRED)
    endif()
endif()
