# Runs the example in an empty folder and looks whether the file that it leaves there is a picture.
#   cmake -D PROGRAM=... -D EMULATOR=... -D WORK=... -P screenshot.cmake
# EMULATOR runs PROGRAM; empty where it runs by itself.
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
    message(FATAL_ERROR "screen.png begins with ${signature}, which is no PNG file's signature")
endif()
