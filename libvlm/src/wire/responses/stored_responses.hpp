// The responses that the server of the Responses API has stored, so that a request can continue one of
// them (docs/vlm.md, "Stored responses").
//
// Sources: "previous_response_id", "store" and "instructions" in
// https://developers.openai.com/api/reference/resources/responses/methods/create, and
// https://developers.openai.com/api/docs/guides/conversation-state.
#pragma once

#include "eyehand/vlm/error.hpp"

#include "../where.hpp"

#include <boost/json.hpp>

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace eyehand::vlm::wire::responses {

/// What precedes the new items of a request.
struct Continuation {
    std::string response_id{};
    std::size_t items = 0; ///< of the request's input, which the server has stored
};

/// The latest responses of all conversations of a client. A request continues a response if its input
/// begins with exactly the items that the server has stored: those of the earlier request, and the
/// output. A removed or replaced screenshot, or a changed message, is another beginning.
class StoredResponses {
public:
    /// Records a response. `input`: the whole input of its request, as `input_texts` returns it, even if
    /// only a part was sent. Without an id or a list of output items, nothing is recorded.
    void add(const std::string& response_id, const std::vector<std::string>& input,
             std::string_view items_json);

    /// The response that leaves the fewest items of `input` to send; nothing if none leaves any.
    [[nodiscard]] std::optional<Continuation> find(const std::vector<std::string>& input) const;

    void clear() { responses_.clear(); }

private:
    struct Response {
        std::string id;
        std::size_t items;  ///< of the conversation up to and including the response
        std::string digest; ///< of these items
    };
    std::deque<Response> responses_; // the latest is the last
};

/// Whether the error means that the server cannot continue this response: it does not know it, or does
/// not support the member. OpenAI, with status 400: "Previous response with id 'resp_...' not found.",
/// code "previous_response_not_found" (https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1188,
/// https://github.com/maximhq/bifrost/issues/2441). vLLM, with 404: "Response with id 'resp_...' not
/// found." (OpenAIServingResponses in vllm/entrypoints/openai/responses/serving.py). llama-server, with
/// 400: "llama.cpp does not support 'previous_response_id'." (tools/server/server-chat.cpp).
[[nodiscard]] bool refuses_continuation(const Error& error, std::string_view response_id);

/// Throws an error for which `refuses_continuation` is true if a response does not continue
/// `response_id`: some servers accept the member and ignore it
/// (https://github.com/Blaizzy/mlx-vlm/issues/1046). OpenAI repeats the member in each response; a
/// response without it is accepted. An empty id: nothing was to be continued.
void check_continues(const boost::json::object& response, std::string_view response_id,
                     const Where& where);

} // namespace eyehand::vlm::wire::responses
