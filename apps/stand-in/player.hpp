// Plays a script: turns one request and the text of its screenshot into one reply, without I/O.
#pragma once

#include "chat_request.hpp"
#include "coordinates.hpp"
#include "ocr.hpp"
#include "script.hpp"
#include "tool_roles.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace stand_in {

/// The reply of the model: text, and at most one call.
struct Reply {
    std::string content;
    std::optional<ToolCall> call;
    bool done = false; ///< the script is complete
};

/// The progress of a conversation.
struct Progress {
    enum class Stage {
        ready,   ///< the step has not been executed
        pointed, ///< the pointer is on its target; the click follows
        acted,   ///< the step has been executed; its effect is not confirmed
    };
    std::size_t step = 0;
    Stage stage = Stage::ready;
    int looks = 0;             ///< additional screenshots for this step
    int repeats = 0;           ///< repetitions of this step after a failure
    int times = 0;             ///< executions of this step in a row
    bool lacks_effect = false; ///< this step was executed, and its effect was not visible
    std::size_t positions = 0; ///< stated so far; selects the error of the next one
    std::string opening;       ///< the text of the request that began the conversation
};

struct Turn {
    Reply reply;
    Progress progress; ///< pass it with the next request
    std::string note;  ///< one line for the log
};

/// A pure function. `screen` is the text of the request's image, if it has one.
[[nodiscard]] Turn play(const Script& script, const Progress& progress, const ChatRequest& request,
                        const std::optional<Screen>& screen, const Coordinates& coordinates = {});

} // namespace stand_in
