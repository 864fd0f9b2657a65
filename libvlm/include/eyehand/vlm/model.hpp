// The interface to any chat model.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/vlm/chat.hpp"
#include "eyehand/vlm/error.hpp"

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>

namespace eyehand::vlm {

/// A piece of a reply as it arrives, in whole UTF-8 characters. To be shown, not to be acted on:
/// only the reply says whether a call is complete, and text may turn out to be a call that the
/// model wrote in the wrong place.
struct Delta {
    enum class Kind { text, reasoning, tool_call };
    Kind kind = Kind::text;
    std::string text{};   ///< of a tool call: a piece of its arguments, as JSON text; may be empty
    std::size_t call = 0; ///< of a tool call: which one, counted from 0 in order of appearance
    std::string tool{};   ///< of a tool call: the tool's name, in one delta of the call only
};

/// Called on the thread that called `reply`, in order. Must not throw.
using OnDelta = std::function<void(const Delta&)>;

/// Something that answers. Not thread-safe: one reply at a time.
class EYEHAND_VLM_API ChatModel {
public:
    virtual ~ChatModel() = default;
    /// Asks and waits for the whole reply. Throws Error; with `errc::cancelled` within 100 ms of a
    /// stop request. A model that does not stream calls `on_delta` once, or not at all.
    virtual ChatReply reply(const ChatRequest& request, const OnDelta& on_delta = {},
                            std::stop_token stop = {}) = 0;
};

} // namespace eyehand::vlm
