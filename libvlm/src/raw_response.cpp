#include "eyehand/vlm/raw_response.hpp"

#include "wire/answer_body.hpp"

namespace eyehand::vlm {

ChatReply decode_response(const RawResponse& response, const ChatRequest& request) {
    const wire::Where where{
        "the recorded response", request.model, {}, wire::url_end(response.api)};
    const OnDelta no_deltas;
    wire::AnswerBody body(where, request.tools,
                          {.rule = wire::text_call_rule(request.text_calls, response.tools_as_text),
                           .api = response.api},
                          no_deltas);
    (void)body.take(response.event_stream, response.body);
    ChatReply reply = body.finish();
    reply.notes.insert(reply.notes.begin(), response.notes.begin(), response.notes.end());
    return reply;
}

} // namespace eyehand::vlm
