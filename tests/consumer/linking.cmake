# Builds and runs applications that use their own Boost and fmt beside the installed libraries.
#   cmake -D BUILD=... -D REPOSITORY=... -D WORK=... -D GENERATOR=... [-D SANITIZE=...] -P linking.cmake
# BUILD is this project's build tree, whose static libraries are installed. SANITIZE: its sanitizers. The applications are
# compiled without them, and linked with the run-time libraries that Eyehand's archives need.
find_program(gcc g++ REQUIRED)
find_program(clang clang++ REQUIRED)
cmake_host_system_information(RESULT processors QUERY NUMBER_OF_LOGICAL_CORES)

function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        list(JOIN ARGV " " command)
        message(FATAL_ERROR "failed (${result}): ${command}\n${output}")
    endif()
endfunction()

set(prefix "${WORK}/prefix")
file(REMOVE_RECURSE "${prefix}")
run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${prefix}")

# link_options_of(COMPILER RESULT): what a program needs that contains archives with sanitizers. Clang links those of GCC by
# their paths, before everything else, because the one for addresses must be the first library of a program.
function(link_options_of compiler result)
    set(options "-Wl,--strip-debug") # half of the linker's time is debug information of the archives
    if(SANITIZE AND compiler STREQUAL "gcc")
        string(APPEND options " -fsanitize=${SANITIZE}")
    elseif(SANITIZE)
        string(APPEND options " -Wl,--push-state,--no-as-needed")
        foreach(library asan ubsan)
            execute_process(COMMAND "${gcc}" "-print-file-name=lib${library}.so" OUTPUT_VARIABLE file
                OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
            string(APPEND options " ${file}")
        endforeach()
        string(APPEND options " -Wl,--pop-state")
    endif()
    set(${result} "${options}" PARENT_SCOPE)
endfunction()

# Shared libraries: without optimization, because that is faster, and the most symbols can then meet.
set(shared "${WORK}/shared-prefix")
file(REMOVE_RECURSE "${shared}")
run(${CMAKE_COMMAND} -G "${GENERATOR}" -S "${REPOSITORY}" -B "${WORK}/shared"
    -DCMAKE_BUILD_TYPE=None -DBUILD_SHARED_LIBS=ON -DEYEHAND_BUILD_APPS=OFF -DEYEHAND_UNITY=ON)
run(${CMAKE_COMMAND} --build "${WORK}/shared" --parallel ${processors})
run(${CMAKE_COMMAND} --install "${WORK}/shared" --prefix "${shared}")
# They export only symbols of Eyehand, and template instances of the standard library for its types.
file(GLOB_RECURSE libraries "${shared}/libeyehand_*.so")
list(TRANSFORM libraries REPLACE ".*/libeyehand_(.*)[.]so$" "\\1" OUTPUT_VARIABLE components)
list(SORT components)
set(expected agent mcp panel session vlm winio)
if(NOT components STREQUAL expected)
    message(FATAL_ERROR "shared libraries are missing or unexpected: expected ${expected}, found ${components}")
endif()
foreach(library ${libraries})
    run("${REPOSITORY}/tests/linking/check_symbols" "nm --dynamic" "${library}")
    execute_process(COMMAND nm --dynamic --defined-only "${library}" OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
    if(symbols MATCHES "[^\n]*(13eyehand_boost|11eyehand_fmt)[^\n]*")
        message(FATAL_ERROR "${library} exports a symbol of its private copies: ${CMAKE_MATCH_0}")
    endif()
    # A program may link only one of them.
    execute_process(COMMAND ldd "${library}" OUTPUT_VARIABLE needed COMMAND_ERROR_IS_FATAL ANY)
    if(needed MATCHES "[^\n]*not found")
        message(FATAL_ERROR "${library} does not find a library: ${CMAKE_MATCH_0}")
    endif()
endforeach()

# They export what agent-cli uses.
set(private_archives libbase/libeyehand_base.a cmake/boost/libeyehand_boost.a cmake/fmt/libeyehand_fmt.a)
list(TRANSFORM private_archives PREPEND "${BUILD}/")
run("${REPOSITORY}/tests/linking/check_exports" "${BUILD}/apps/agent-cli/libeyehand_cli.a" ${private_archives} -- ${libraries})

include("${CMAKE_CURRENT_LIST_DIR}/compiler_cache.cmake")

# application(COMPILER OWN FLAGS [PLUGIN]): see linking/CMakeLists.txt.
function(application compiler own flags)
    set(name "${compiler}${flags}-${own}")
    link_options_of(${compiler} link_options)
    application_with("${prefix}" ${name} ${compiler} ${own} ${flags} "${link_options}" ${ARGN})
endfunction()

# application_with(PREFIX NAME COMPILER OWN FLAGS LINK_OPTIONS [PLUGIN]): with the libraries installed in PREFIX.
function(application_with prefix name compiler own flags link_options)
    file(REMOVE_RECURSE "${WORK}/${name}")
    run(${CMAKE_COMMAND} -G "${GENERATOR}" -S "${REPOSITORY}/tests/consumer/linking" -B "${WORK}/${name}"
        "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_CXX_COMPILER=${${compiler}}" "-DCMAKE_CXX_FLAGS=${flags}"
        "-DCMAKE_EXE_LINKER_FLAGS=${link_options}" -DCMAKE_BUILD_TYPE=None -DOWN=${own} -DPLUGIN=${ARGN})
    run(${CMAKE_COMMAND} --build "${WORK}/${name}" --parallel ${processors})
    run("${WORK}/${name}/application" "${WORK}/${name}/runs")
    if(ARGN)
        run("${WORK}/${name}/host" "${WORK}/${name}/libplugin.so" "${WORK}/${name}/plugin-runs")
    endif()
    message(STATUS "passed: ${name}")
endfunction()

# Settings of private dependencies must not reach the application's compile commands.
run(${CMAKE_COMMAND} -G "${GENERATOR}" -S "${REPOSITORY}/tests/consumer/subdirectory" -B "${WORK}/subdirectory"
    "-DREPOSITORY=${REPOSITORY}" -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)
file(READ "${WORK}/subdirectory/compile_commands.json" commands)
string(JSON count LENGTH "${commands}")
math(EXPR last "${count} - 1")
set(checked 0)
foreach(index RANGE ${last})
    string(JSON file GET "${commands}" ${index} file)
    if(file MATCHES "/tests/consumer/main\\.cpp$")
        string(JSON command GET "${commands}" ${index} command)
        if(command MATCHES " -D| -fvisibility| -fno-gnu-unique| -include ")
            message(FATAL_ERROR "the application's compile command has settings of Eyehand: ${command}")
        endif()
        run(sh -c "${command} -fsyntax-only")
        set(checked 1)
    endif()
endforeach()
if(NOT checked)
    message(FATAL_ERROR "compile_commands.json does not have the application")
endif()
message(STATUS "passed: add_subdirectory")

# pkg-config serves projects without CMake, also after the installation has moved.
find_program(pkg_config pkg-config REQUIRED)

# by_pkg_config(PREFIX STATIC LINK_OPTIONS "SOURCE PACKAGE"...): compiles and links each source with the libraries installed in
# PREFIX. STATIC: --static for static libraries.
function(by_pkg_config prefix static link_options)
    file(GLOB_RECURSE pc "${prefix}/*/eyehand-vlm.pc")
    cmake_path(GET pc PARENT_PATH pkgconfig)
    set(ENV{PKG_CONFIG_PATH} "${pkgconfig}")
    set(output "${WORK}/by-pkg-config")
    foreach(program ${ARGN})
        string(REPLACE " " ";" program "${program}")
        list(GET program 0 source)
        list(GET program 1 package)
        # ccache compiles but does not link.
        run(sh -ec "$CMAKE_CXX_COMPILER_LAUNCHER g++ -std=c++20 $('${pkg_config}' ${static} --cflags ${package}) -c '${REPOSITORY}/${source}' -o '${output}.o'")
        run(sh -ec "g++ ${link_options} '${output}.o' -o '${output}' $('${pkg_config}' ${static} --libs ${package})")
    endforeach()
    run("${output}" "${WORK}/pkg-config-runs") # the last one
endfunction()

file(REMOVE_RECURSE "${WORK}/moved")
file(COPY "${prefix}/" DESTINATION "${WORK}/moved")
link_options_of(gcc link_options)
by_pkg_config("${WORK}/moved" --static "${link_options}"
    "docs/examples/ask/main.cpp eyehand-vlm" "docs/examples/screenshot/main.cpp eyehand-winio"
    "tests/consumer/main.cpp eyehand-mcp" "tests/consumer/main.cpp eyehand-panel" "tests/consumer/main.cpp eyehand-session"
    "tests/consumer/main.cpp eyehand-agent")
by_pkg_config("${shared}" "" "-Wl,-rpath,${shared}/lib" "docs/examples/ask/main.cpp eyehand-vlm" "tests/consumer/main.cpp eyehand-mcp")
message(STATUS "passed: pkg-config")

application(gcc headers -O0 ON)
application(gcc headers -O2)
application(gcc compiled -O2)
application(clang headers -O2 ON)
application(clang compiled -O0)
application_with("${shared}" shared-gcc-compiled gcc compiled -O0 "")
application_with("${shared}" shared-clang-headers clang headers -O0 "")
# ccache has most objects of these from the same combinations above.
application_with("${shared}" shared-gcc-headers gcc headers -O2 "")
application_with("${shared}" shared-clang-compiled clang compiled -O0 "")
