// Plays a script: one request and what can be seen in it go in, one reply comes out. No input or
// output.
#pragma once

#include "chat_request.hpp"
#include "ocr.hpp"
#include "script.hpp"
#include "tool_faces.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace stand_in {

/// What the model answers: words, and at most one call.
struct Reply {
    std::string content;
    std::optional<ToolCall> call;
};

/// How far a conversation has come.
struct Progress {
    enum class Stage {
        ready,   ///< the step is still to be done
        pointed, ///< the pointer is on its target, the click is still to come
        acted,   ///< it has been done, its effect is still to be seen
    };
    std::size_t step = 0;
    Stage stage = Stage::ready;
    int looks = 0;       ///< how often this step has looked again
    int repeats = 0;     ///< how often this step has been done again
    int times = 0;       ///< how often this step has been done in a row
    std::string opening; ///< the text of the request that began the conversation
};

struct Turn {
    Reply reply;
    Progress progress; ///< to be passed in with the next request
    std::string note;  ///< one line for the log
};

/// Pure: the same arguments give the same turn. `screen` is what is seen in the request's image, if
/// it has one.
[[nodiscard]] Turn play(const Script& script, const Progress& progress, const ChatRequest& request,
                        const std::optional<Screen>& screen);

} // namespace stand_in
