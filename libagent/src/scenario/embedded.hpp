// The built-in scenarios' files, put into the library at build time (cmake/embed_scenarios.cmake).
#pragma once

#include <span>
#include <string_view>

namespace agent {

struct EmbeddedScenario {
    std::string_view file;
    std::string_view text;
};

[[nodiscard]] std::span<const EmbeddedScenario> embedded_scenarios();

} // namespace agent
