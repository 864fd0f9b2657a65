# CPack archives files in the order in which the file system lists them, and its ZIP files contain the times at which
# the staged files were read and changed. This script, which CPack runs afterwards, writes the archive again: in sorted
# order, with the time SOURCE_DATE_EPOCH (if set) for all files.
cmake_path(GET CPACK_TEMPORARY_INSTALL_DIRECTORY PARENT_PATH folder)
file(GLOB_RECURSE files LIST_DIRECTORIES FALSE RELATIVE "${folder}" "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*")
list(SORT files)
list(JOIN files "\n" lines)
file(WRITE "${folder}/files" "${lines}\n")
string(TIMESTAMP time "%Y-%m-%d %H:%M:%S UTC" UTC)

if(CPACK_GENERATOR STREQUAL "ZIP")
    find_program(zip zip)
    if(NOT zip)
        message(STATUS "Without zip, the archive is not reproducible.")
        return()
    endif()
    file(REMOVE "${CPACK_PACKAGE_FILES}")
    execute_process(COMMAND touch "--date=${time}" ${files}
        WORKING_DIRECTORY "${folder}" COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND "${zip}" -q -X "${CPACK_PACKAGE_FILES}" -@ INPUT_FILE "${folder}/files"
        WORKING_DIRECTORY "${folder}" COMMAND_ERROR_IS_FATAL ANY)
else()
    execute_process(COMMAND ${CMAKE_COMMAND} -E tar czf "${CPACK_PACKAGE_FILES}" --format=gnutar "--mtime=${time}"
            --files-from=files
        WORKING_DIRECTORY "${folder}" COMMAND_ERROR_IS_FATAL ANY)
endif()
