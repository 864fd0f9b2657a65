// The errors of libagent. Errors of the desktop and the model keep their own categories.
#pragma once

#include "eyehand/export.hpp"

#include <iosfwd>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

namespace eyehand::agent {

enum class errc {       // older journals contain the values: append, never reorder
    empty_task = 1,     ///< the task of a run is empty
    bad_profile,        ///< a profile's field is missing, of the wrong type or out of range
    profile_not_found,  ///< no built-in profile and no folder has that name
    journal_failed,     ///< the run directory or a file in it cannot be written
    run_exists,         ///< the run directory already contains a run
    journal_corrupt,    ///< the journal cannot be restored; what() names file and line
    unknown_tool,       ///< a profile names a tool that is not registered
    duplicate_tool,     ///< a tool of this name is already registered
    run_over,           ///< the run is completed and cannot be resumed
    task_too_long,      ///< the task exceeds the profile's limit
    bad_config,         ///< a setting is unknown, of the wrong type or out of range
    bad_scenario,       ///< a scenario's member is missing, of the wrong type or out of range
    scenario_not_found, ///< no built-in scenario and no file has that name
    run_locked,         ///< another process holds the run's lock
    bad_tool,           ///< a tool file's member is missing, of the wrong type or out of range
    panel_failed,       ///< the panel cannot listen: its port is taken, or its host is not local
    bad_run,            ///< run.json or another file of a run directory is missing or not readable
    bad_guard,          ///< a guard file cannot be read, or a rule's member is missing or not valid
    bad_secret,         ///< a secret's name is not valid, or it has no value
};

[[nodiscard]] EYEHAND_AGENT_API const std::error_category& error_category() noexcept;
[[nodiscard]] EYEHAND_AGENT_API std::error_code make_error_code(errc code) noexcept;
/// The enumerator's name, which files and logs store: "bad_profile". "unknown" for any other value.
[[nodiscard]] EYEHAND_AGENT_API std::string_view to_string(errc code) noexcept;
/// Writes the enumerator's name.
EYEHAND_AGENT_API std::ostream& operator<<(std::ostream& out, errc code);
/// The enumerator's name. fmt 10 and later find this function: `fmt::format("{}", code)`.
[[nodiscard]] inline std::string_view format_as(errc code) noexcept { return to_string(code); }

/// Category and name of any code, as journals store it: "winio.capture_failed", "vlm.timeout". A code
/// of a category that Eyehand does not define keeps its number: "generic.13". An empty code is "".
[[nodiscard]] EYEHAND_AGENT_API std::string error_name(const std::error_code& code);
/// The current name for a name from a journal: journals from before named error codes contain
/// "winio:4" for "winio.capture_failed". Any other text is returned unchanged.
[[nodiscard]] EYEHAND_AGENT_API std::string current_error_name(std::string_view stored);

/// Thrown for mistakes of the caller and failures of the file system. A mistake of the model is
/// never an exception: it goes back to the model as a tool result.
class EYEHAND_AGENT_API Error : public std::system_error {
public:
    Error(errc code, const std::string& what);
    /// `what` as passed to the constructor: std::system_error would append the code's general
    /// message.
    [[nodiscard]] const char* what() const noexcept override;

private:
    std::shared_ptr<const std::string> what_; // copying an exception must not throw
};

} // namespace eyehand::agent

template <>
struct std::is_error_code_enum<eyehand::agent::errc> : std::true_type {};
