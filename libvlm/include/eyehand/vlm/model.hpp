// The interface of all chat models.
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/vlm/chat.hpp"
#include "eyehand/vlm/error.hpp"

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>

namespace eyehand::vlm {

/// A piece of a reply as it arrives, in whole UTF-8 characters. Use deltas only for display: a tool
/// call is complete only in the reply, and streamed text may turn out to be a tool call that the
/// model wrote into its text.
struct Delta {
    enum class Kind { text, reasoning, tool_call };
    Kind kind = Kind::text;
    std::string text{};   ///< for a tool call: a piece of its arguments, as JSON text; may be empty
    std::size_t call = 0; ///< for a tool call: its index, from 0 in order of appearance
    std::string tool{};   ///< for a tool call: the tool's name, in only one delta of the call
};

/// Called on the thread that called `reply`, in order. Must not throw.
using OnDelta = std::function<void(const Delta&)>;

/// A chat model. Not thread-safe: one request at a time.
class EYEHAND_VLM_API ChatModel {
public:
    virtual ~ChatModel() = default;
    /// Sends the request and waits for the complete reply. Throws Error; after a stop request,
    /// throws Error{cancelled} within 100 ms. A model that does not stream calls `on_delta` at most
    /// once.
    virtual ChatReply reply(const ChatRequest& request, const OnDelta& on_delta = {},
                            std::stop_token stop = {}) = 0;
};

} // namespace eyehand::vlm
