# Compile options and helper functions for all targets of this project.
include_guard()
include(GNUInstallDirs)

# The archives can be linked into a shared library, such as a plugin or a Python module, which then exports none of
# their symbols.
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

add_library(eyehand_options INTERFACE)
target_compile_features(eyehand_options INTERFACE cxx_std_20)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The dynamic linker merges unique symbols across all loaded libraries, even those loaded with RTLD_LOCAL.
    target_compile_options(eyehand_options INTERFACE -fno-gnu-unique)
endif()
if(MSVC)
    target_compile_options(eyehand_options INTERFACE /utf-8 /permissive- /Zc:__cplusplus /bigobj)
    # MSVC calls standard functions such as fopen and getenv deprecated.
    target_compile_definitions(eyehand_options INTERFACE _CRT_SECURE_NO_WARNINGS)
endif()
if(WIN32)
    target_compile_definitions(eyehand_options INTERFACE
        _WIN32_WINNT=0x0A00 WINVER=0x0A00 NOMINMAX WIN32_LEAN_AND_MEAN UNICODE _UNICODE)
endif()
if(MINGW)
    # Beast's and Catch2's template instances exceed the 65,535 sections of a plain object file.
    target_compile_options(eyehand_options INTERFACE -Wa,-mbig-obj)
endif()
if(EYEHAND_SANITIZE)
    target_compile_options(eyehand_options INTERFACE
        -fsanitize=${EYEHAND_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    target_link_options(eyehand_options INTERFACE -fsanitize=${EYEHAND_SANITIZE})
    if(EYEHAND_SANITIZE MATCHES "undefined")
        # At every access to a member, these checks take a quarter of the time of a compilation. A null pointer ends the
        # program without its check, too.
        target_compile_options(eyehand_options INTERFACE -fno-sanitize=null,object-size,vptr)
        if(NOT EYEHAND_FUZZ)
            # At every access through a pointer, these take up to a third more, in code for images. The fuzz targets,
            # which explore with Clang, have them.
            target_compile_options(eyehand_options INTERFACE -fno-sanitize=alignment,pointer-overflow)
        endif()
    endif()
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # False for instrumented code: GCC manual, "Instrumentation Options".
        target_compile_options(eyehand_options INTERFACE -Wno-maybe-uninitialized)
    endif()
    if(EYEHAND_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # GCC warns about every fence, because the thread sanitizer ignores fences; Asio has some besides its locks.
        # Between the sanitizer's calls, GCC 12 treats moved strings as arrays of 32 bytes: GCC bug 105651.
        target_compile_options(eyehand_options INTERFACE -Wno-tsan -Wno-array-bounds -Wno-stringop-overflow)
    endif()
endif()

add_library(eyehand_warnings INTERFACE)
if(MSVC)
    target_compile_options(eyehand_warnings INTERFACE /W4 $<$<BOOL:${EYEHAND_WARNINGS_AS_ERRORS}>:/WX>)
else()
    target_compile_options(eyehand_warnings INTERFACE
        -Wall -Wextra -Wpedantic -Wconversion -Wshadow
        $<$<BOOL:${EYEHAND_WARNINGS_AS_ERRORS}>:-Werror>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
        # With optimization, GCC 12 gives false warnings for "literal" + std::string: GCC bug 105651.
        # The same bug causes false lengths of joined strings, also inside precompiled standard headers.
        target_compile_options(eyehand_warnings INTERFACE
            -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
    elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 22)
        # The macros of Catch2 and Google Benchmark use __COUNTER__.
        target_compile_options(eyehand_warnings INTERFACE -Wno-c2y-extensions)
    endif()
endif()

# Compilations are cached if ccache is installed. GCC's precompiled headers need the two sloppiness settings
# and -fpch-preprocess (ccache manual, "Precompiled headers"). Another clone of the same sources shares the cache,
# because paths below this folder are made relative ("Compiling in different directories"). Without inode_cache, ccache
# reads the precompiled header, about 100 MB, again for each source. Without depend, it also runs the preprocessor for each
# source, an eighth of the time of a small one.
find_program(EYEHAND_CCACHE ccache)
if(EYEHAND_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # CMake's own `env` takes ten times as long to start, for each compilation.
    set(env env)
    if(CMAKE_HOST_WIN32)
        set(env ${CMAKE_COMMAND} -E env)
    endif()
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${env} CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=1
        CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_INODECACHE=1 ${EYEHAND_CCACHE})
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(eyehand_options INTERFACE -fpch-preprocess)
    endif()
endif()

# mold and lld are faster than the default linker. Only this project's own builds for ELF use them: an application
# chooses its own linker.
if(PROJECT_IS_TOP_LEVEL AND CMAKE_SYSTEM_NAME STREQUAL "Linux" AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
    find_program(EYEHAND_FAST_LINKER NAMES mold ld.lld DOC "Linker for this project's programs: mold or ld.lld")
    if(EYEHAND_FAST_LINKER)
        cmake_path(GET EYEHAND_FAST_LINKER FILENAME linker)
        string(REGEX REPLACE "^ld\\." "" linker "${linker}")
        target_link_options(eyehand_options INTERFACE -fuse-ld=${linker})
    endif()
endif()

# GCC spends most of its time on the same templates in each source. Compiled in groups, the sources of this project take
# about half the time, but each change compiles a group again, and a missing #include may go unnoticed:
# scripts/compilers compiles them one by one.
option(EYEHAND_UNITY "Compile the sources of a target in groups" OFF)

if(EYEHAND_UNITY)
    cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY) # in megabytes
    # In such a group, GCC spends an eighth of its time looking for memory to free (GCC manual, "--param ggc-min-heapsize", in
    # kilobytes). Without that, it takes up to 1.8 GB instead of 1.5.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND memory GREATER 7000)
        target_compile_options(eyehand_options INTERFACE --param=ggc-min-heapsize=524288)
    endif()
    # As many compilers at a time as there are cores (Ninja starts more, which takes 4 % more processor time) and as the memory
    # has room for.
    cmake_host_system_information(RESULT compilers QUERY NUMBER_OF_LOGICAL_CORES)
    math(EXPR fitting "1 + ${memory} / 2000")
    if(compilers GREATER fitting)
        set(compilers ${fitting})
    endif()
    set_property(GLOBAL APPEND PROPERTY JOB_POOLS eyehand_compilers=${compilers})
    set(CMAKE_JOB_POOL_COMPILE eyehand_compilers)
endif()

# eyehand_unity(TARGET): with EYEHAND_UNITY, compiles the sources of the target in groups of at most 25, without generated
# sources and those with compile options or generator expressions of their own. Call it after the last source is added.
#
# In a group, all anonymous namespaces are one: sources in which they define the same name are in different groups. If a source gets
# a name that its group already has, it does not compile until CMake runs again. The compiler also reports (-Wshadow) a local
# variable that has the name of such a definition in another source of its group.
#
# CMake's UNITY_BUILD would name each source with its absolute path. Assertions contain the name of their source, and
# the compiler cache compares them, so each clone would compile all tests again. These groups have relative names.
function(eyehand_unity target)
    if(NOT EYEHAND_UNITY)
        return()
    endif()
    get_target_property(sources ${target} SOURCES)
    set(alone "")
    set(last_group -1)
    foreach(source ${sources})
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" OUTPUT_VARIABLE path)
        cmake_path(IS_PREFIX PROJECT_BINARY_DIR "${path}" is_generated)
        set(has_options "")
        foreach(property COMPILE_DEFINITIONS COMPILE_OPTIONS INCLUDE_DIRECTORIES SKIP_UNITY_BUILD_INCLUSION)
            get_source_file_property(value "${source}" ${property})
            if(value)
                set(has_options TRUE)
            endif()
        endforeach()
        if(NOT source MATCHES "^[^$]+[.]cpp$" OR is_generated OR has_options)
            list(APPEND alone "${source}")
            continue()
        endif()

        # The first group with room that does not define these names.
        eyehand_local_names("${path}" names)
        set(group 0)
        while(group LESS_EQUAL last_group)
            set(common ${names_of_${group}})
            list(APPEND common ${names})
            list(LENGTH common both)
            list(REMOVE_DUPLICATES common)
            list(LENGTH common different)
            list(LENGTH sources_of_${group} count)
            if(both EQUAL different AND count LESS 25)
                break()
            endif()
            math(EXPR group "${group} + 1")
        endwhile()
        if(group GREATER last_group)
            set(last_group ${group})
        endif()
        cmake_path(RELATIVE_PATH path BASE_DIRECTORY "${PROJECT_SOURCE_DIR}")
        list(APPEND sources_of_${group} "#include \"${path}\"\n")
        list(APPEND names_of_${group} ${names})
    endforeach()
    set(groups "")
    if(last_group GREATER_EQUAL 0)
        foreach(group RANGE ${last_group})
            list(JOIN sources_of_${group} "" content)
            set(file "${CMAKE_CURRENT_BINARY_DIR}/${target}-groups/${group}.cpp")
            file(CONFIGURE OUTPUT "${file}" CONTENT "${content}" @ONLY)
            list(APPEND groups "${file}")
        endforeach()
    endif()
    set_target_properties(${target} PROPERTIES SOURCES "${alone};${groups}")
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # A class of a source that is included may use the anonymous namespace of that source.
        target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endif()
endfunction()

# eyehand_local_names(FILE RESULT): the names of the functions, variables and types in the anonymous namespaces of a source, if
# they are defined at the start of a line. Members of classes are not.
function(eyehand_local_names file result)
    file(READ "${file}" text)
    set(names "")
    while(TRUE)
        string(FIND "${text}" "\nnamespace {" begin)
        if(begin EQUAL -1)
            break()
        endif()
        string(SUBSTRING "${text}" ${begin} -1 text)
        string(FIND "${text}" "\n} // namespace\n" end)
        string(SUBSTRING "${text}" 0 ${end} inside)
        string(SUBSTRING "${text}" 11 -1 text)
        set(word "[A-Za-z0-9_]+")
        string(REGEX MATCHALL "\n(struct|class|enum class|enum|union) ${word}|\nusing ${word} =" types "${inside}")
        list(TRANSFORM types REPLACE "^.* (${word})( =)?$" "\\1")
        string(REGEX MATCHALL "\n(\\[\\[[a-z_]+\\]\\] )?[A-Za-z][A-Za-z0-9_:<>,&* ]*[ &*]${word} ?[=({]" others "${inside}")
        list(FILTER others EXCLUDE REGEX "^\n(struct|class|enum|union|using|namespace) ")
        list(TRANSFORM others REPLACE "^.*[ &*](${word}) ?[=({]$" "\\1")
        list(APPEND names ${types} ${others})
    endwhile()
    list(REMOVE_DUPLICATES names)
    set(${result} "${names}" PARENT_SCOPE)
endfunction()

# eyehand_precompile(TARGET headers...): precompiles the standard headers that most sources include, and HEADERS.
# eyehand_precompile(TARGET LIKE OTHER): uses those of OTHER, which has the same compile options; to precompile headers takes
# as long as some sources. Each source still includes what it uses: with CMAKE_DISABLE_PRECOMPILE_HEADERS=ON it compiles, too.
function(eyehand_precompile target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "LIKE" "")
    if(arg_LIKE)
        target_precompile_headers(${target} REUSE_FROM ${arg_LIKE})
        return()
    endif()
    target_precompile_headers(${target} PRIVATE
        <algorithm> <array> <chrono> <cmath> <cstddef> <cstdint> <functional> <limits> <memory> <optional> <span>
        <stdexcept> <string> <string_view> <utility> <vector> ${ARGN})
endfunction()

# eyehand_library(NAME sources...): a library eyehand::NAME, public headers in include/. Static unless BUILD_SHARED_LIBS
# is on; a shared library exports only what its public headers mark with EYEHAND_<NAME>_API.
function(eyehand_library name)
    add_library(eyehand_${name} ${ARGN})
    string(TOUPPER "${name}" upper)
    target_compile_definitions(eyehand_${name} PRIVATE EYEHAND_BUILDING_${upper})
    if(BUILD_SHARED_LIBS)
        target_compile_definitions(eyehand_${name} PUBLIC EYEHAND_SHARED)
        # While the major version is 0, a minor version may change the interface. Each library finds the others beside
        # itself: the paths in an executable do not apply to the libraries of a library.
        set_target_properties(eyehand_${name} PROPERTIES INSTALL_RPATH $<IF:$<PLATFORM_ID:Darwin>,@loader_path,$ORIGIN>
            VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
        if(CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang" AND NOT APPLE)
            target_link_options(eyehand_${name} PRIVATE -Wl,--exclude-libs,ALL -Wl,--no-undefined
                $<$<NOT:$<PLATFORM_ID:Windows>>:-Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/shared_library.map>)
        endif()
    endif()
    add_library(eyehand::${name} ALIAS eyehand_${name})
    set_target_properties(eyehand_${name} PROPERTIES EXPORT_NAME ${name} CXX_EXTENSIONS OFF)
    target_compile_features(eyehand_${name} PUBLIC cxx_std_20)
    target_include_directories(eyehand_${name}
        PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>
               $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
               $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
        PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/src)
    target_link_libraries(eyehand_${name}
        PRIVATE $<BUILD_INTERFACE:eyehand_options> $<BUILD_INTERFACE:eyehand_warnings>)
    # At the end of the folder's CMakeLists.txt, which may add source files.
    cmake_language(EVAL CODE "cmake_language(DEFER CALL eyehand_unity eyehand_${name})")
endfunction()

# eyehand_program(NAME sources...): an executable with the compile options of this project.
function(eyehand_program name)
    add_executable(${name} ${ARGN})
    set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
    target_link_libraries(${name} PRIVATE eyehand_options eyehand_warnings)
endfunction()

# eyehand_embed(NAME FOLDER RESULT): generates a source file that contains the files of FOLDER, for the function
# embedded_NAME of libagent/src/embedded.hpp. RESULT receives its path.
function(eyehand_embed name folder result)
    set(source "${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.cpp")
    file(GLOB_RECURSE files CONFIGURE_DEPENDS "${folder}/*")
    add_custom_command(OUTPUT "${source}"
        COMMAND ${CMAKE_COMMAND} -D "FOLDER=${folder}" -D FUNCTION=embedded_${name} -D "OUTPUT=${source}"
                -P "${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake"
        DEPENDS ${files} "${PROJECT_SOURCE_DIR}/cmake/embed_files.cmake"
        COMMENT "Embedding the ${name}"
        VERBATIM)
    set(${result} "${source}" PARENT_SCOPE)
endfunction()
