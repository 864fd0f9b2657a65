// The files of the page that shows a run (libagent/page/web).
#pragma once

#include "embedded.hpp"

#include <string>
#include <string_view>

namespace eyehand::page {

/// nullptr if the page has no file of that name.
[[nodiscard]] const agent::EmbeddedFile* find_file(std::string_view name);

/// The text of a file that the page has, with line breaks as "\n".
[[nodiscard]] std::string file_text(std::string_view name);

/// A module of the page and what it imports as one classic script: browsers do not import modules from
/// files. Modules import and export names at the beginning of a line: `import { a } from './b.js';`,
/// `export function`, `export class`, `export const`. Throws std::logic_error for anything else.
[[nodiscard]] std::string bundle(std::string_view entry);

} // namespace eyehand::page
