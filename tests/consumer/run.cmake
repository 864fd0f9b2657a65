# Installs the build into a separate folder, builds the consumer against it, and runs it.
#   cmake -D BUILD=... -D SOURCE=... -D EXAMPLES=... -D WORK=... -D FLAGS=... -D GENERATOR=...
#       -D ASK_TEST=... -D AGENT_TEST=... [-D ON_DESKTOP=...] -P run.cmake
# ASK_TEST runs the example "ask" against a server, AGENT_TEST the examples of libagent.
# ON_DESKTOP runs a program on a desktop; without it, programs that need a desktop are only built.
include("${CMAKE_CURRENT_LIST_DIR}/compiler_cache.cmake")

function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE result)
    if(NOT result EQUAL 0)
        list(JOIN ARGV " " command)
        message(FATAL_ERROR "failed: ${command}")
    endif()
endfunction()

# build(SOURCE NAME OPTIONS...): builds a project that finds only the installation.
function(build source name)
    # Half of the linker's time is debug information of the archives.
    run(${CMAKE_COMMAND} -G "${GENERATOR}" -S "${source}" -B "${WORK}/${name}" "-DCMAKE_EXE_LINKER_FLAGS=-Wl,--strip-debug"
        "-DCMAKE_PREFIX_PATH=${WORK}/prefix" "-DCMAKE_CXX_FLAGS=${FLAGS}" -DCMAKE_BUILD_TYPE=Debug ${ARGN})
    run(${CMAKE_COMMAND} --build "${WORK}/${name}")
endfunction()

file(REMOVE_RECURSE "${WORK}")
run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${WORK}/prefix")

# The license is installed.
file(GLOB_RECURSE license "${WORK}/prefix/LICENSE")
if(NOT license)
    message(FATAL_ERROR "LICENSE is not installed")
endif()

# The error for an unknown component lists the existing ones.
execute_process(
    COMMAND ${CMAKE_COMMAND} -G "${GENERATOR}" -S "${SOURCE}" -B "${WORK}/unknown"
        "-DCMAKE_PREFIX_PATH=${WORK}/prefix" -DCOMPONENTS=telepathy
    RESULT_VARIABLE result ERROR_VARIABLE message OUTPUT_QUIET)
string(REGEX REPLACE "[ \n]+" " " message "${message}")
if(result EQUAL 0 OR NOT message MATCHES
        "no component \"telepathy\"\\. Its components are: winio, vlm, agent, session, panel, mcp")
    message(FATAL_ERROR "an unknown component is reported as: ${message}")
endif()

# While the version is 0.x, another minor version is not compatible.
execute_process(
    COMMAND ${CMAKE_COMMAND} -G "${GENERATOR}" -S "${SOURCE}" -B "${WORK}/other-version"
        "-DCMAKE_PREFIX_PATH=${WORK}/prefix" -DVERSION=0.0
    RESULT_VARIABLE result ERROR_VARIABLE message OUTPUT_QUIET)
string(REGEX REPLACE "[ \n]+" " " message "${message}")
if(result EQUAL 0 OR NOT message MATCHES "compatible with requested version \"0\\.0\"")
    message(FATAL_ERROR "a request for another minor version is reported as: ${message}")
endif()

build("${SOURCE}" consumer)
run("${WORK}/consumer/consumer" "${WORK}/runs")

# libwinio alone, while the dependencies of the other libraries cannot be found.
build("${EXAMPLES}/screenshot" screenshot
    -DCMAKE_DISABLE_FIND_PACKAGE_Boost=ON -DCMAKE_DISABLE_FIND_PACKAGE_OpenSSL=ON)
if(ON_DESKTOP)
    execute_process(COMMAND "${ON_DESKTOP}" "${WORK}/screenshot/screenshot"
        WORKING_DIRECTORY "${WORK}" COMMAND_ERROR_IS_FATAL ANY)
    file(SIZE "${WORK}/screen.png" bytes)
    if(bytes LESS 1000)
        message(FATAL_ERROR "screen.png has ${bytes} bytes")
    endif()
endif()

# libvlm alone, while libwinio's X11 dependencies cannot be found.
build("${EXAMPLES}/ask" ask -DPKG_CONFIG_EXECUTABLE=/nowhere)
run("${ASK_TEST}" "${WORK}/ask/ask")

# The examples of libagent.
build("${SOURCE}/../examples/agent" agent_examples "-DEXAMPLES=${EXAMPLES}")
set(ENV{EYEHAND_EXAMPLE_PROGRAMS} "${WORK}/agent_examples/bin")
set(ENV{EYEHAND_EXAMPLE_SOURCES} "${EXAMPLES}")
if(ON_DESKTOP)
    run("${ON_DESKTOP}" "${AGENT_TEST}")
else()
    run("${AGENT_TEST}" "~[desktop]")
endif()
