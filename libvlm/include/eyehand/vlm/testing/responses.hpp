// OpenAI's Responses API for ChatServer: scripted responses, as a document or as the events of a
// stream, and the checks of the input that make OpenAI's server reject a request.
//
//     vlm::testing::ChatServer server(
//         {.respond = vlm::testing::scripted_responses({{.calls = {{"click"}}}, {.text = "done"}})});
//     vlm::OpenAiClient model({.endpoint = server.url(), .api = vlm::Api::responses});
#pragma once

#include "eyehand/export.hpp"
#include "eyehand/vlm/testing/chat_server.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace eyehand::vlm::testing {

/// A function call in a response.
struct ResponseCall {
    std::string tool{};
    std::string arguments_json = "{}";
    std::string id{}; ///< empty: "call_of_" and the tool
};

/// A scripted response. Its items are in the order of the members. Malformed ones cause std::invalid_argument.
struct Response {
    std::string
        reasoning{};    ///< summary of a reasoning item, which has encrypted content; empty: none
    std::string text{}; ///< of a message; empty: none
    std::string refusal{}; ///< of a message; empty: none
    std::vector<ResponseCall> calls{};
    std::vector<std::string> items_json{}; ///< further items: JSON objects, also without an id
    std::string
        incomplete{}; ///< "max_output_tokens" or "content_filter"; empty: the response is complete
    /// The response has failed with this code, such as "server_error"; empty: it has not.
    std::string error_code{};
    std::string error_message{};
};

/// What a scripted server does with requests to store their responses.
enum class ResponseStore {
    rejects, ///< a request with "store": true is a problem, because the test expects none
    keeps,
    forgets, ///< accepts the request, but keeps nothing, as with OpenAI's zero data retention
    ignores, ///< as `forgets`, and ignores "previous_response_id"
};

/// The JSON of a response. `number` makes the ids of responses and items unique; the id of the response
/// is "resp_" and the number. `previous_response_id`: the response that it continues, or empty.
[[nodiscard]] EYEHAND_VLM_API std::string
response_document(const Response& response, int number = 1,
                  std::string_view previous_response_id = {});
/// The events of a stream with this response: texts and arguments in pieces of a few bytes.
[[nodiscard]] EYEHAND_VLM_API std::string
response_events(const Response& response, int number = 1,
                std::string_view previous_response_id = {});

/// Why OpenAI's server would reject the body of a request, in words like its own; empty: it would
/// accept it. Checks that it has an input, that each call has one result and each result its call, that
/// all safety checks of computer calls are acknowledged, that reasoning has encrypted content and its
/// next item, that the members of chat completions are missing, and, unless `store` says otherwise, that
/// the server has to store nothing. `stored_items_json`: the items that the server has stored with the
/// response that the request continues, as a JSON array; or empty.
[[nodiscard]] EYEHAND_VLM_API std::string
response_request_problem(std::string_view body, ResponseStore store = ResponseStore::rejects,
                         std::string_view stored_items_json = {});

/// For one server, on its thread: answers POST .../responses with these responses in order, streamed or not. A
/// request with a problem gets status 400, and so does one that continues a response that was not stored; one
/// without a response left gets 500. GET .../models lists the model "test-model".
[[nodiscard]] EYEHAND_VLM_API Respond
scripted_responses(std::vector<Response> responses, ResponseStore store = ResponseStore::rejects);

} // namespace eyehand::vlm::testing
