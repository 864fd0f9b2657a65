// Reads the body of one answer as it arrives: the events of a stream, or one document.
#pragma once

#include "assemble_reply.hpp"
#include "decode_reply.hpp"
#include "responses/assemble_reply.hpp"
#include "sse.hpp"

#include "eyehand/vlm/model.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace eyehand::vlm::wire {

struct AnswerBodyOptions {
    TextCallRule rule = TextCallRule::ignore;
    std::size_t max_bytes = 0; ///< of an event; 0: no limit
    bool keep_all = false;     ///< keeps also the bytes of a stream
    Api api = Api::chat_completions;
    std::string previous_response_id{}; ///< that the request continued; of the Responses API
};

class AnswerBody {
public:
    using Clock = std::chrono::steady_clock;

    /// `on_delta` may be empty. The references must outlive this object.
    AnswerBody(const Where& where, const std::vector<ToolSpec>& offered,
               const AnswerBodyOptions& options, const OnDelta& on_delta);

    /// Takes the next bytes, split anywhere. `event_stream`: the content type is that of a stream.
    /// Returns false once the stream is complete ("[DONE]", or the event that ends a response).
    bool take(bool event_stream, std::string_view bytes);

    /// Call it once, after the last byte of the answer.
    [[nodiscard]] ChatReply finish();

    /// The time of the first delta, if there was one.
    [[nodiscard]] std::optional<Clock::time_point> first_delta() const { return first_delta_; }
    [[nodiscard]] bool is_streamed() const { return form_ == Form::events; }
    /// The bytes so far; of a stream only with `keep_all`.
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    enum class Form { events, whole };
    using Assembler = std::variant<ReplyAssembler, responses::ReplyAssembler>;

    [[nodiscard]] bool assembled() const {
        return std::visit([](const auto& assembler) { return assembler.done(); }, assembler_);
    }

    static std::optional<Form> form_of(bool event_stream, std::string_view text);
    bool take_events(std::string_view bytes);
    void take(const ServerEvent& event);
    void hand_out(const Delta& delta);

    const Where& where_;
    const std::vector<ToolSpec>& offered_;
    const AnswerBodyOptions options_;
    const OnDelta& on_delta_;
    EventParser events_;
    Assembler assembler_;
    std::optional<Form> form_; // known with the first bytes
    std::string text_;
    std::size_t blank_ = 0; // length of the prefix of `text_` that precedes the body
    std::optional<Clock::time_point> first_delta_;
};

} // namespace eyehand::vlm::wire
