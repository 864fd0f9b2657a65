// A journal on the disk, opened for its only writer.
#pragma once

#include "eyehand/agent/run_store.hpp"

#include <filesystem>
#include <memory>

namespace eyehand::agent {

/// Throws Error{run_locked} while another writer has the file, and Error{journal_failed}.
[[nodiscard]] std::unique_ptr<AppendStream> lock_file(const std::filesystem::path& file);

} // namespace eyehand::agent
