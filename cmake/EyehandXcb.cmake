# XCB and the extensions that libwinio uses, as PkgConfig::eyehand_xcb. Here and in the installed package, because
# who links a static library links what it needs.
include_guard()

macro(eyehand_find_xcb)
    find_package(PkgConfig QUIET)
    if(PkgConfig_FOUND)
        pkg_check_modules(eyehand_xcb QUIET IMPORTED_TARGET xcb xcb-shm xcb-xtest xcb-xfixes xcb-randr>=1.12)
    endif()
endmacro()
