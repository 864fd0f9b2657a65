// Exports a run as a script that repeats its actions without a model.
//
//     std::cout << session::script_of(agent::RunDirectory::open("runs/run_0007"));
#pragma once

#include "eyehand/agent/error.hpp"
#include "eyehand/agent/run_store.hpp"
#include "eyehand/export.hpp"

#include <string>

namespace eyehand::session {

/// A script for a POSIX shell: one `agent-cli do` command per action that was carried out, in
/// order, for the area of the run; the waits of the run become pauses. The script ends at the first
/// action that fails. Comments stand for what cannot be repeated: refused and interrupted actions,
/// texts with a secret (setting `secrets` of the run), the recovery from loops, and tools that are
/// not built in. Quotes all texts of the model, so that the shell runs no part of them. Throws
/// agent::Error{bad_run} and agent::Error{journal_corrupt}.
[[nodiscard]] EYEHAND_SESSION_API std::string script_of(const agent::RunStore& run);

} // namespace eyehand::session
