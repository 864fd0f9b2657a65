# Runs the example in an empty folder and checks that the file that it writes is a PNG image.
#   cmake -D PROGRAM=... -D EMULATOR=... -D WORK=... -P screenshot.cmake
# EMULATOR runs PROGRAM; empty: PROGRAM runs directly.
file(REMOVE_RECURSE "${WORK}")
file(MAKE_DIRECTORY "${WORK}")
execute_process(COMMAND ${EMULATOR} "${PROGRAM}"
    WORKING_DIRECTORY "${WORK}" COMMAND_ERROR_IS_FATAL ANY)

file(SIZE "${WORK}/screen.png" bytes)
if(bytes LESS 1000)
    message(FATAL_ERROR "screen.png has ${bytes} bytes")
endif()
file(READ "${WORK}/screen.png" signature LIMIT 8 HEX)
if(NOT signature STREQUAL "89504e470d0a1a0a")
    message(FATAL_ERROR "screen.png begins with ${signature}, which is not the signature of a PNG file")
endif()
