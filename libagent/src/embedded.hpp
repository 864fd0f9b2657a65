// Files embedded in the library at build time (cmake/embed_files.cmake).
#pragma once

#include <span>
#include <string_view>

namespace eyehand::agent {

struct EmbeddedFile {
    std::string_view folder; ///< empty for a file outside of folders
    std::string_view name;
    std::string_view text;
};

/// Each profile is a folder.
[[nodiscard]] std::span<const EmbeddedFile> embedded_profiles();
/// The built-in rules of the guard.
[[nodiscard]] std::span<const EmbeddedFile> embedded_guard_rules();
/// The built-in scenarios; defined in eyehand::session.
[[nodiscard]] std::span<const EmbeddedFile> embedded_scenarios();
/// The page that shows a run; defined in eyehand::page.
[[nodiscard]] std::span<const EmbeddedFile> embedded_page();

} // namespace eyehand::agent
