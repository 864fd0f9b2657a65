// Turns the events of a streamed answer (sse.hpp) into deltas, and into one reply at the end.
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
// Only for answers that are event streams. Some servers answer a request for a stream with plain
// JSON or HTML; use decode_reply for these.
#pragma once

#include "eyehand/vlm/model.hpp"

#include "completion.hpp"
#include "decode_reply.hpp"
#include "sse.hpp"
#include "utf8.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace eyehand::vlm::wire {

/// Text that arrives in pieces, which may be split within a character.
struct PiecedText {
    std::string text{}; ///< whole characters only
    Utf8Joiner joiner{};

    /// Adds a piece, and returns the characters that it completes.
    std::string add(std::string_view piece);
    /// The whole text, after the last piece.
    [[nodiscard]] std::string whole() const;
};

/// Finds the end of a JSON object that arrives in pieces, in linear time.
class ObjectEnd {
public:
    void add(std::string_view piece);
    /// Whether the pieces are one object, whose brackets match, and nothing else.
    [[nodiscard]] bool is_reached() const { return state_ == State::complete; }

private:
    enum class State { before, inside, complete, other };
    State state_ = State::before;
    std::size_t depth_ = 0;
    bool in_string_ = false;
    bool escaped_ = false;
};

/// A tool call that arrives in pieces.
struct PiecedCall {
    std::optional<std::int64_t> index{};
    std::string id{};
    std::string name{};
    PiecedText arguments{};
    ObjectEnd end{};                      ///< of the arguments
    boost::json::object extra{};          ///< unknown members
    boost::json::object function_extra{}; ///< unknown members of its "function"
};

class ReplyAssembler {
public:
    /// `offered` and `rule` as for decode_reply.
    explicit ReplyAssembler(Where where, std::vector<ToolSpec> offered = {},
                            TextCallRule rule = TextCallRule::ignore);

    /// Returns the deltas of the event. Throws Error: the server's own error in any known form, or
    /// `bad_response` for data that is not JSON or not a piece of a chat completion. Ignores an
    /// event that is not JSON if its blank line is missing. Do not use the assembler after an
    /// exception.
    std::vector<Delta> take(const ServerEvent& event);

    /// Whether "[DONE]" has arrived. The caller can ignore the rest of the stream then.
    [[nodiscard]] bool done() const noexcept { return done_; }

    /// Returns the complete reply after the end of the stream: the result of decode_reply for the
    /// equivalent plain answer, including its exceptions. Throws Error{connection_lost} if the
    /// stream ended with neither a finish reason nor "[DONE]", and discards its calls. The code is
    /// not `truncated`, which means that the output limit was too low.
    [[nodiscard]] ChatReply finish() const;

private:
    void take_answer_fields(const boost::json::object& chunk);
    void take_message(const boost::json::object& message, std::vector<Delta>& deltas);
    void take_words(const boost::json::object& message, std::vector<Delta>& deltas);
    void take_call(const CallFields& fields, std::vector<Delta>& deltas);
    void take_old_call(const boost::json::object& function_call, std::vector<Delta>& deltas);
    void add_to(PiecedCall& call, std::size_t number, const CallFields& fields,
                std::vector<Delta>& deltas) const;
    [[nodiscard]] std::size_t number_of_call(const CallFields& fields) const;
    [[nodiscard]] boost::json::object plain_answer() const;

    Where where_;
    std::vector<ToolSpec> offered_;
    TextCallRule rule_;
    bool done_ = false;
    bool any_choice_ = false;
    PiecedText text_;
    PiecedText reasoning_;
    PiecedText refusal_;
    std::vector<PiecedCall> calls_;
    // The last call with this index or id.
    std::unordered_map<std::int64_t, std::size_t> calls_by_index_;
    std::unordered_map<std::string, std::size_t> calls_by_id_;
    std::optional<PiecedCall> old_call_; // "function_call"
    std::string finish_reason_;
    boost::json::object answer_; // the members besides the choices: id, model, usage ...
};

} // namespace eyehand::vlm::wire
