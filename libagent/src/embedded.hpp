// Files that are put into the library at build time (cmake/embed_files.cmake).
#pragma once

#include <span>
#include <string_view>

namespace eyehand::agent {

struct EmbeddedFile {
    std::string_view folder; ///< empty for a file that is in none
    std::string_view name;
    std::string_view text;
};

/// Each profile is a folder.
[[nodiscard]] std::span<const EmbeddedFile> embedded_profiles();
/// The parts of a report's page.
[[nodiscard]] std::span<const EmbeddedFile> embedded_report();
[[nodiscard]] std::span<const EmbeddedFile> embedded_scenarios();
/// The panel's page; in eyehand::panel.
[[nodiscard]] std::span<const EmbeddedFile> embedded_web();

} // namespace eyehand::agent
