# Writes a C++ source file that contains the files of a folder and its subfolders, as declared in
# libagent/src/embedded.hpp.
#   cmake -D FOLDER=.../profiles -D FUNCTION=embedded_profiles -D OUTPUT=...cpp -P embed_files.cmake
file(GLOB_RECURSE files RELATIVE "${FOLDER}" "${FOLDER}/*")
list(SORT files)
set(arrays "")
set(table "")
set(index 0)
foreach(file ${files})
    get_filename_component(folder "${file}" DIRECTORY)
    get_filename_component(name "${file}" NAME)
    file(READ "${FOLDER}/${file}" hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
    # Bytes instead of a string literal, because compilers limit the length of literals.
    string(APPEND arrays "constexpr char file_${index}[] = {${bytes}'\\0'};\n")
    string(APPEND table
        "    {\"${folder}\", \"${name}\", {file_${index}, sizeof(file_${index}) - 1}},\n")
    math(EXPR index "${index} + 1")
endforeach()
file(WRITE "${OUTPUT}" "// Made by embed_files.cmake.
#include \"embedded.hpp\"

namespace eyehand::agent {
namespace {

${arrays}
constexpr EmbeddedFile files[] = {
${table}};

} // namespace

std::span<const EmbeddedFile> ${FUNCTION}() { return files; }

} // namespace eyehand::agent
")
