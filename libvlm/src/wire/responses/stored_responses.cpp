#include "stored_responses.hpp"

#include "eyehand/vlm/digest.hpp"

#include "../contains_any.hpp"
#include "../json.hpp"
#include "../utf8.hpp"

#include <algorithm>
#include <utility>

namespace eyehand::vlm::wire::responses {
namespace {

namespace json = boost::json;

/// Two conversations of a team, and for each the response before one that the program discarded.
constexpr std::size_t max_responses = 8;

constexpr std::string_view not_continued = "response_not_continued";

/// The digest of items, from the digest of all but the last one.
std::string digest_with(const std::string& earlier, std::string_view item) {
    Sha256 hash;
    hash.add(earlier);
    hash.add(item);
    return hash.hex();
}

} // namespace

void StoredResponses::add(const std::string& response_id, const std::vector<std::string>& input,
                          std::string_view items_json) {
    const std::optional<json::value> output = parse_json(items_json);
    if (response_id.empty() || !output || !output->is_array()) return;
    Response response{response_id, input.size() + output->get_array().size(), {}};
    for (const std::string& item : input) response.digest = digest_with(response.digest, item);
    // The same text as that of the item in the next request (AssistantItems).
    for (const json::value& item : output->get_array())
        response.digest = digest_with(response.digest, json::serialize(item));
    responses_.push_back(std::move(response));
    if (responses_.size() > max_responses) responses_.pop_front();
}

std::optional<Continuation> StoredResponses::find(const std::vector<std::string>& input) const {
    std::optional<Continuation> best;
    std::string digest;
    for (std::size_t items = 1; items < input.size(); ++items) {
        digest = digest_with(digest, input[items - 1]);
        const auto found =
            std::find_if(responses_.rbegin(), responses_.rend(), [&](const Response& response) {
                return response.items == items && response.digest == digest;
            });
        if (found != responses_.rend()) best = Continuation{found->id, items};
    }
    return best;
}

bool refuses_continuation(const Error& error, std::string_view response_id) {
    if (response_id.empty()) return false;
    const std::string& code = error.details().server_code;
    if (code == "previous_response_not_found" || code == not_continued) return true;
    const std::string_view said = error.server_message();
    return said.find(response_id) != std::string_view::npos ||
           contains_any(ascii_lower(said), {"previous_response_id"});
}

void check_continues(const json::object& response, std::string_view response_id,
                     const Where& where) {
    const json::value* continued = response.if_contains("previous_response_id");
    if (response_id.empty() || !continued) return;
    if (continued->is_string() && std::string_view(continued->get_string()) == response_id) return;
    throw Error(errc::server_error,
                where.url + " answered without the earlier conversation: it ignores "
                            "\"previous_response_id\"; do not store responses on this server",
                {.status = 200, .server_code = std::string(not_continued)});
}

} // namespace eyehand::vlm::wire::responses
