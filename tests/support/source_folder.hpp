/// The folder of this project's sources, for tests that read files of it.
#pragma once

#include <filesystem>

namespace test {

/// Absolute. A function of one source file instead of a macro: a compiler cache shares all other files of the tests
/// between clones.
[[nodiscard]] std::filesystem::path source_folder();

} // namespace test
