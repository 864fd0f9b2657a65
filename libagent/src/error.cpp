#include "eyehand/agent/error.hpp"

#include "eyehand/base/error_category.hpp"
#include "eyehand/vlm/error.hpp"
#include "eyehand/winio/error.hpp"

#include <array>
#include <charconv>
#include <ostream>
#include <string>
#include <string_view>

namespace eyehand::agent {
namespace {

using Entry = base::ErrorEntry;

// In the order of the enumerators, so that a code's value finds its entry.
constexpr std::array entries{
    Entry{errc::empty_task, "empty_task", "the task is empty"},
    Entry{errc::bad_profile, "bad_profile", "the profile is not valid"},
    Entry{errc::profile_not_found, "profile_not_found", "the profile does not exist"},
    Entry{errc::journal_failed, "journal_failed", "the run directory cannot be written"},
    Entry{errc::run_exists, "run_exists", "the run directory already contains a run"},
    Entry{errc::journal_corrupt, "journal_corrupt", "the journal cannot be read"},
    Entry{errc::unknown_tool, "unknown_tool", "the tool is unknown"},
    Entry{errc::duplicate_tool, "duplicate_tool", "the tool is already registered"},
    Entry{errc::run_over, "run_over", "the run is completed"},
    Entry{errc::task_too_long, "task_too_long", "the task is too long"},
    Entry{errc::bad_config, "bad_config", "a setting is not valid"},
    Entry{errc::bad_scenario, "bad_scenario", "the scenario is not valid"},
    Entry{errc::scenario_not_found, "scenario_not_found", "the scenario does not exist"},
    Entry{errc::run_locked, "run_locked", "the run is still in progress"},
    Entry{errc::bad_tool, "bad_tool", "the tool file is not valid"},
    Entry{errc::panel_failed, "panel_failed", "the panel cannot listen"},
    Entry{errc::bad_run, "bad_run", "the run directory is not usable"},
    Entry{errc::bad_guard, "bad_guard", "the guard's rules are not valid"},
    Entry{errc::bad_secret, "bad_secret", "a secret is not valid"}};

static_assert(base::is_numbered(entries));

const base::ErrorCategory& category() noexcept {
    static const base::ErrorCategory category("agent", entries);
    return category;
}

} // namespace

const std::error_category& error_category() noexcept { return category(); }

std::string_view to_string(errc code) noexcept {
    return category().name_of(static_cast<int>(code));
}

std::ostream& operator<<(std::ostream& out, errc code) { return out << to_string(code); }

std::error_code make_error_code(errc code) noexcept {
    return {static_cast<int>(code), error_category()};
}

std::string error_name(const std::error_code& code) {
    if (!code) return {};
    std::string_view name = "unknown";
    if (code.category() == winio::error_category())
        name = winio::to_string(static_cast<winio::errc>(code.value()));
    else if (code.category() == vlm::error_category())
        name = vlm::to_string(static_cast<vlm::errc>(code.value()));
    else if (code.category() == error_category())
        name = to_string(static_cast<errc>(code.value()));
    const std::string last = name == "unknown" ? std::to_string(code.value()) : std::string(name);
    return std::string(code.category().name()) + "." + last;
}

std::string current_error_name(std::string_view stored) {
    const std::size_t colon = stored.find(':');
    if (colon == std::string_view::npos) return std::string(stored);
    const std::string_view digits = stored.substr(colon + 1);
    int value = 0;
    const auto [end, problem] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (problem != std::errc{} || end != digits.data() + digits.size()) return std::string(stored);
    for (const std::error_category* category :
         {&winio::error_category(), &vlm::error_category(), &error_category()})
        if (stored.substr(0, colon) == category->name() && value != 0)
            return error_name({value, *category});
    return std::string(stored);
}

Error::Error(errc code, const std::string& what)
    : std::system_error(make_error_code(code), what),
      what_(std::make_shared<const std::string>(what)) {}

const char* Error::what() const noexcept { return what_->c_str(); }

} // namespace eyehand::agent
