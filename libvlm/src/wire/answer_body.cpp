#include "answer_body.hpp"

#include "responses/decode_reply.hpp"

#include <algorithm>
#include <utility>

namespace eyehand::vlm::wire {
namespace {

/// Characters that may precede a body: white space, a byte order mark.
constexpr std::string_view before_body = " \t\r\n\xEF\xBB\xBF";

} // namespace

AnswerBody::AnswerBody(const Where& where, const std::vector<ToolSpec>& offered,
                       const AnswerBodyOptions& options, const OnDelta& on_delta)
    : where_(where), offered_(offered), options_(options), on_delta_(on_delta),
      events_(where.url, options.max_bytes),
      assembler_(options.api == Api::responses
                     ? Assembler(responses::ReplyAssembler(where, offered, options.rule,
                                                           options.previous_response_id))
                     : Assembler(ReplyAssembler(where, offered, options.rule))) {}

/// The form of a body that starts with `text` (after `before_body`); nothing if more bytes are
/// needed. The first bytes count more than the content type, because servers announce a stream and
/// then send an error as JSON or HTML, and proxies announce streams as plain text.
std::optional<AnswerBody::Form> AnswerBody::form_of(bool event_stream, std::string_view text) {
    if (text.empty()) return std::nullopt;
    if (std::string_view("{[<").find(text.front()) != std::string_view::npos) return Form::whole;
    if (event_stream) return Form::events;
    for (const std::string_view field : {":", "data:", "event:"}) {
        if (text.starts_with(field)) return Form::events;
        if (field.starts_with(text)) return std::nullopt;
    }
    return Form::whole;
}

bool AnswerBody::take(bool event_stream, std::string_view bytes) {
    if (form_ == Form::events) {
        if (options_.keep_all) text_.append(bytes);
        return take_events(bytes);
    }
    text_.append(bytes);
    if (!form_) {
        blank_ = std::min(text_.find_first_not_of(before_body, blank_), text_.size());
        form_ = form_of(event_stream, std::string_view(text_).substr(blank_));
    }
    if (form_ != Form::events) return true;
    return options_.keep_all ? take_events(text_) : take_events(std::exchange(text_, {}));
}

ChatReply AnswerBody::finish() {
    if (is_streamed()) {
        if (!assembled()) events_.finish([this](const ServerEvent& event) { take(event); });
        return std::visit([](const auto& assembler) { return assembler.finish(); }, assembler_);
    }
    ChatReply reply = options_.api == Api::responses
                          ? responses::decode_reply(text_, where_, offered_, options_.rule,
                                                    options_.previous_response_id)
                          : decode_reply(text_, where_, offered_, options_.rule);
    if (on_delta_ && !reply.text.empty()) hand_out({Delta::Kind::text, reply.text});
    return reply;
}

bool AnswerBody::take_events(std::string_view bytes) {
    events_.feed(bytes, [this](const ServerEvent& event) { take(event); });
    return !assembled();
}

void AnswerBody::take(const ServerEvent& event) {
    if (assembled()) return;
    const std::vector<Delta> deltas =
        std::visit([&](auto& assembler) { return assembler.take(event); }, assembler_);
    for (const Delta& delta : deltas) hand_out(delta);
}

void AnswerBody::hand_out(const Delta& delta) {
    if (!first_delta_) first_delta_ = Clock::now();
    if (on_delta_) on_delta_(delta);
}

} // namespace eyehand::vlm::wire
