// From the events of a streamed answer (sse.hpp) to deltas as they come and one reply at the end.
//
//     EventParser events(where.url, longest_event);
//     ReplyAssembler reply(where, request.tools);
//     const auto take = [&](const ServerEvent& event) {
//         for (const Delta& delta : reply.take(event)) on_delta(delta);
//     };
//     while (read some bytes && !reply.done()) events.feed(bytes, take);
//     events.finish(take);
//     return reply.finish();
//
// Only for an answer whose content type is text/event-stream: some servers answer a request for a
// stream with plain JSON or HTML, which is decode_reply's.
#pragma once

#include "eyehand/vlm/model.hpp"

#include "completion.hpp"
#include "sse.hpp"
#include "utf8.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::vlm::wire {

/// Text that comes in pieces, which may be cut within a character.
struct PiecedText {
    std::string text{}; ///< whole characters only
    Utf8Joiner joiner{};

    /// Adds a piece; the characters that are whole now.
    std::string add(std::string_view piece);
    /// All of it, when no more comes.
    [[nodiscard]] std::string whole() const;
};

/// A call that comes in pieces.
struct PiecedCall {
    std::optional<std::int64_t> index{};
    std::string id{};
    std::string name{};
    PiecedText arguments{};
    boost::json::object extra{};          ///< members nobody here knows
    boost::json::object function_extra{}; ///< the same of its "function"
};

class ReplyAssembler {
public:
    /// `offered`: the tools of the request, as for decode_reply.
    explicit ReplyAssembler(Where where, std::vector<ToolSpec> offered = {});

    /// What the event adds to the reply. Throws Error: the server's own error, in whatever shape it
    /// comes, or `bad_response` for data that is not JSON or no piece of a chat completion. Data
    /// that only the end of the stream has ended and that is not JSON is left out. After an
    /// exception the assembler is of no more use.
    std::vector<Delta> take(const ServerEvent& event);

    /// Whether "[DONE]" has come: the rest of the stream, if there is one, means nothing.
    [[nodiscard]] bool done() const noexcept { return done_; }

    /// The whole reply, once the stream has ended: what decode_reply gives for the equivalent plain
    /// answer, and its exceptions. A stream that ended with neither a finish reason nor "[DONE]"
    /// was cut off: Error{connection_lost}, since for the caller it is the same whether the server
    /// or the network hung up (`truncated` says that the output limit was too low). Its calls
    /// are dropped with it.
    [[nodiscard]] ChatReply finish() const;

private:
    void take_answer_fields(const boost::json::object& chunk);
    void take_message(const boost::json::object& message, std::vector<Delta>& deltas);
    void take_words(const boost::json::object& message, std::vector<Delta>& deltas);
    void take_call(const CallFields& fields, std::vector<Delta>& deltas);
    void take_old_call(const boost::json::object& function_call, std::vector<Delta>& deltas);
    void add_to(PiecedCall& call, std::size_t number, const CallFields& fields,
                std::vector<Delta>& deltas) const;
    std::size_t number_of_call(const CallFields& fields) const;
    [[nodiscard]] boost::json::object plain_answer() const;

    Where where_;
    std::vector<ToolSpec> offered_;
    bool done_ = false;
    bool any_choice_ = false;
    PiecedText text_;
    PiecedText reasoning_;
    PiecedText refusal_;
    std::vector<PiecedCall> calls_;
    std::optional<PiecedCall> old_call_; // "function_call"
    std::string finish_reason_;
    boost::json::object answer_; // what stands beside the choices: id, model, usage ...
};

} // namespace eyehand::vlm::wire
