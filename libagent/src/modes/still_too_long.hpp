// The reason for the user when a run ends because its shortest request is too long.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace eyehand::agent {

[[nodiscard]] inline std::string still_too_long(std::string_view server_says) {
    return fmt::format(
        "even the shortest request is longer than the model's context: load the model "
        "with a longer context, or use smaller screenshots (--image). The server "
        "reported: {}",
        server_says);
}

} // namespace eyehand::agent
