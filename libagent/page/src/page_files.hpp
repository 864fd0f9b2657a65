// The embedded files of the page that shows a run (libagent/page/web).
#pragma once

#include "embedded.hpp"

#include <string>
#include <string_view>

namespace eyehand::page {

/// Returns nullptr if the page has no file of that name.
[[nodiscard]] const agent::EmbeddedFile* find_file(std::string_view name);

/// The text of a file of the page, with line breaks as "\n". Throws std::logic_error for an
/// unknown name.
[[nodiscard]] std::string file_text(std::string_view name);

/// Combines a module of the page and its imports into one classic script, because browsers do not
/// import modules from files on disk. Imports and exports must be at the beginning of a line and
/// have one of these forms: `import { a } from './b.js';`, `export function`, `export class`,
/// `export const`. Throws std::logic_error for other forms.
[[nodiscard]] std::string bundle(std::string_view entry);

} // namespace eyehand::page
