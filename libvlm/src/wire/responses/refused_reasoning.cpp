#include "refused_reasoning.hpp"

#include "../json.hpp"

#include <optional>
#include <string_view>
#include <utility>

namespace eyehand::vlm::wire::responses {
namespace {

namespace json = boost::json;

std::string_view encrypted_content(const json::value& item) {
    const json::object* object = item.if_object();
    return object ? string_member(*object, "encrypted_content") : std::string_view();
}

} // namespace

bool RefusedReasoning::add(const ChatRequest& request) {
    bool is_new = false;
    for (const Message& message : request.messages) {
        const std::optional<json::value> items = parse_json(message.items_json);
        if (!items || !items->is_array()) continue;
        for (const json::value& item : items->get_array()) {
            const std::string_view content = encrypted_content(item);
            if (!content.empty() && contents_.emplace(content).second) is_new = true;
        }
    }
    return is_new;
}

ChatRequest RefusedReasoning::removed_from(ChatRequest request) const {
    for (Message& message : request.messages) {
        const std::optional<json::value> items = parse_json(message.items_json);
        if (!items || !items->is_array()) continue;
        json::array kept;
        for (const json::value& item : items->get_array())
            if (!contents_.contains(encrypted_content(item))) kept.push_back(item);
        if (kept.size() < items->get_array().size()) message.items_json = json::serialize(kept);
    }
    return request;
}

} // namespace eyehand::vlm::wire::responses
