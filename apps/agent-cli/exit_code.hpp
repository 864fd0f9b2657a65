// The exit status of the program (docs/agent-cli.md).
#pragma once

#include "eyehand/agent/mode.hpp"

namespace eyehand::cli {

enum class ExitCode {
    completed = 0,
    failed = 1,
    usage = 2, ///< usage or configuration
    steps_used_up = 3,
    endpoint = 4, ///< endpoint or model
    desktop = 5,
    refused = 6, ///< by the guard or the user
    interrupted = 130,
};

[[nodiscard]] constexpr ExitCode exit_code(agent::Outcome outcome) {
    switch (outcome) {
    case agent::Outcome::completed:
        return ExitCode::completed;
    case agent::Outcome::failed:
        return ExitCode::failed;
    case agent::Outcome::steps_used_up:
        return ExitCode::steps_used_up;
    case agent::Outcome::endpoint_failed:
        return ExitCode::endpoint;
    case agent::Outcome::desktop_failed:
        return ExitCode::desktop;
    case agent::Outcome::refused:
        return ExitCode::refused;
    case agent::Outcome::cancelled:
        return ExitCode::interrupted;
    }
    return ExitCode::failed;
}

} // namespace eyehand::cli
