# Writes a C++ source with all scenario files of a folder in it.
#   cmake -D FOLDER=.../scenarios -D OUTPUT=...cpp -P embed_scenarios.cmake
file(GLOB files RELATIVE "${FOLDER}" "${FOLDER}/*.json")
list(SORT files)
set(arrays "")
set(table "")
set(index 0)
foreach(file ${files})
    file(READ "${FOLDER}/${file}" hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
    # Bytes instead of a string literal: compilers limit how long a literal may be.
    string(APPEND arrays "constexpr char file_${index}[] = {${bytes}'\\0'};\n")
    string(APPEND table "    {\"${file}\", {file_${index}, sizeof(file_${index}) - 1}},\n")
    math(EXPR index "${index} + 1")
endforeach()
file(WRITE "${OUTPUT}" "// Made by embed_scenarios.cmake.
#include \"scenario/embedded.hpp\"

namespace agent {
namespace {

${arrays}
constexpr EmbeddedScenario files[] = {
${table}};

} // namespace

std::span<const EmbeddedScenario> embedded_scenarios() { return files; }

} // namespace agent
")
