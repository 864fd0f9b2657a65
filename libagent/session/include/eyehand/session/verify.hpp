// Verifies the files of a run: what was changed, removed, added or reordered since they were written.
//
//     const session::Verification result = session::verify_run(agent::RunDirectory::open(path), key);
//     std::cout << session::to_text(result);
//     return result.problems.empty() ? 0 : 1;
//
// What proves what:
//   - events.jsonl: each line holds the hash of the line before it (journal.hpp);
//   - screenshots: the journal holds the SHA-256 of each;
//   - prompts/: the name of each file is the hash of its content;
//   - the other files and the last line of the journal: seal.json holds their hashes. A run that is
//     interrupted has no seal, or the one of its part before; then its last lines may be missing.
// report.html is not verified, because it can be written again from the other files.
//
// Without a key, anyone who can write the files can also compute new hashes: verification finds
// damage and careless changes. With a key, a line cannot be changed unnoticed without the key.
#pragma once

#include "eyehand/agent/error.hpp"
#include "eyehand/agent/run_store.hpp"
#include "eyehand/export.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::session {

/// The name of the seal in a run's store.
inline constexpr const char* seal_name = "seal.json";

/// Writes seal.json: the number of lines of the journal, the hash of the last one, and the size and
/// SHA-256 of each file that the journal does not name. With a key, the seal itself has an HMAC.
/// `RunSession` calls it when a run ends. A store that does not know its names
/// (`RunStore::names`) gets a seal for the journal only. Throws agent::Error{journal_failed}.
EYEHAND_SESSION_API void seal_run(agent::RunStore& run, std::string_view key = {});

/// What is wrong, and where.
struct Problem {
    std::string file{};
    std::size_t line = 0; ///< of the journal, from 1; 0: the complete file
    std::string text{};
};

/// Against whom the verification holds.
enum class Assurance {
    hashes, ///< finds damage, and changes whose author did not compute new hashes
    key,    ///< finds all changes whose author does not know the key
    none, ///< the run has a key that was not given: only the files that the journal names agree with it
};

struct Verification {
    std::vector<Problem> problems{}; ///< what was changed, removed, added or reordered
    /// What could not be verified, in words: the run was interrupted, or has no seal.
    std::vector<std::string> unverified{};
    Assurance assurance = Assurance::hashes;
    std::size_t lines = 0; ///< of the journal
    std::size_t screenshots = 0;
    std::size_t prompts = 0;
    std::size_t logs = 0; ///< files in the seal
};

/// Reads all files of a run and compares them with their hashes. Reads only. `key`: the key with
/// which the run was carried out (`agent::AgentOptions::journal_key`); with a key, a run without one
/// is a problem. A run in progress has no seal yet. Throws agent::Error{bad_run} if the store has no
/// journal.
[[nodiscard]] EYEHAND_SESSION_API Verification verify_run(const agent::RunStore& run,
                                                          std::string_view key = {});

/// Such as "events.jsonl, line 7: the line before it has been changed"; one line, without terminal
/// control characters.
[[nodiscard]] EYEHAND_SESSION_API std::string to_text(const Problem& problem);

/// The result as lines of text; file names and texts cannot contain terminal control characters.
[[nodiscard]] EYEHAND_SESSION_API std::string to_text(const Verification& verification);

} // namespace eyehand::session
