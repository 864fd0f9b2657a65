# XCB and the extensions that libwinio uses, as PkgConfig::eyehand_xcb. The installed package contains this file, too,
# because a program that links a static library also links its dependencies.
include_guard()

macro(eyehand_find_xcb)
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
        pkg_check_modules(eyehand_xcb QUIET IMPORTED_TARGET xcb xcb-shm xcb-xtest xcb-xfixes xcb-randr>=1.12 xcb-xinput)
    endif()
endmacro()
