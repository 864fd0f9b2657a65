// Stands for a mode that the program has not registered, so that its runs can be loaded and shown.
#pragma once

#include "eyehand/agent/mode_factory.hpp"

#include <memory>
#include <string>

namespace eyehand::agent {

/// The settings of such a profile: the complete profile as it was read.
struct UnregisteredSettings {
    std::string profile_json{};
};

[[nodiscard]] std::shared_ptr<const ModeFactory> unregistered_mode(const std::string& name);
[[nodiscard]] bool is_unregistered(const ModeFactory& mode);

} // namespace eyehand::agent
