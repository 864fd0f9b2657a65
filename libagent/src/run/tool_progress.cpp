#include "eyehand/agent/event.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace eyehand::agent {

std::string description(const ToolProgress& progress) {
    std::string text = progress.tool + ": ";
    if (progress.total && *progress.total > 0)
        text +=
            fmt::format("{:.0f} %", 100 * std::clamp(progress.done / *progress.total, 0.0, 1.0));
    else
        text += fmt::format("{:g}", progress.done);
    return progress.message.empty() ? text : text + ", " + progress.message;
}

} // namespace eyehand::agent
