#include "agent/error.hpp"

#include <string>

namespace agent {
namespace {

class Category final : public std::error_category {
public:
    const char* name() const noexcept override { return "agent"; }

    std::string message(int value) const override {
        switch (static_cast<errc>(value)) {
        case errc::empty_task:
            return "the task is empty";
        case errc::bad_profile:
            return "the profile is not valid";
        case errc::profile_not_found:
            return "no such profile";
        case errc::journal_failed:
            return "the run directory cannot be written";
        case errc::run_exists:
            return "the run directory holds a run already";
        case errc::journal_corrupt:
            return "the journal cannot be read";
        case errc::unknown_tool:
            return "no such tool";
        case errc::run_over:
            return "the run is over";
        case errc::task_too_long:
            return "the task is too long";
        case errc::duplicate_tool:
            return "the tool is registered already";
        case errc::bad_config:
            return "a setting is not valid";
        case errc::bad_scenario:
            return "the scenario is not valid";
        case errc::scenario_not_found:
            return "no such scenario";
        case errc::run_going_on:
            return "the run is still going on";
        case errc::bad_tool:
            return "the tool file is not valid";
        case errc::panel_failed:
            return "the panel cannot listen";
        }
        return "unknown agent error";
    }
};

} // namespace

const std::error_category& error_category() noexcept {
    static const Category category;
    return category;
}

std::error_code make_error_code(errc code) noexcept {
    return {static_cast<int>(code), error_category()};
}

Error::Error(errc code, const std::string& what)
    : std::system_error(make_error_code(code), what),
      what_(std::make_shared<const std::string>(what)) {}

} // namespace agent
