// Decodes the answer of a server again, without the server.
//
//     request.keep_response = true;
//     const vlm::ChatReply reply = client.reply(request);
//     const vlm::ChatReply again = vlm::decode_response(*reply.response, request);
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/vlm/chat.hpp"
#include "eyehand/vlm/error.hpp"

namespace eyehand::vlm {

/// Decodes as OpenAiClient does: assembles a stream, repairs JSON, and finds calls in the text. The
/// times of the reply are 0, and it has no `response`. `request`: its model, tools and `text_calls`
/// count. Throws Error as OpenAiClient, if the body is not a successful answer.
[[nodiscard]] EYEHAND_VLM_API ChatReply decode_response(const RawResponse& response,
                                                        const ChatRequest& request);

} // namespace eyehand::vlm
