// Writes requests to the Responses API (docs/vlm.md, "Responses API").
#pragma once

#include "../encode_request.hpp"

#include <string>
#include <vector>

namespace eyehand::vlm::wire::responses {

/// The body for a request that wire::encode_request has checked. `messages`: those of the request, as
/// `portable_messages` returns them for this API. Throws as wire::encode_request.
[[nodiscard]] std::string encode(const ChatRequest& request, const std::vector<Message>& messages,
                                 const Encoding& encoding);

/// The items of the input of `request`, each as JSON in which images are redacted: equal texts are equal
/// items. Throws as wire::encode_request.
[[nodiscard]] std::vector<std::string> input_texts(const ChatRequest& request,
                                                   const Encoding& encoding);

} // namespace eyehand::vlm::wire::responses
