#include "latest_run.hpp"

#include "eyehand/agent/run.hpp"
#include "platform.hpp"

#include <system_error>

namespace eyehand::cli {

std::filesystem::path latest_run(const std::string& parent,
                                 const std::function<bool(const std::filesystem::path&)>& wanted) {
    std::filesystem::path latest;
    int highest = 0;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(path_of(parent), error)) {
        const auto number = agent::run_number(text_of(entry.path().filename()));
        if (!number || *number <= highest || !wanted(entry.path())) continue;
        highest = *number;
        latest = entry.path();
    }
    return latest;
}

} // namespace eyehand::cli
