#include "assemble_reply.hpp"

#include "../completion.hpp"
#include "../decode_error.hpp"
#include "decode_reply.hpp"
#include "items.hpp"
#include "stored_responses.hpp"

#include <utility>

namespace eyehand::vlm::wire::responses {
namespace {

namespace json = boost::json;

/// 0 if it is missing.
std::int64_t index_of(const json::object& event, std::string_view name) {
    return integer_member(event, name).value_or(0);
}

} // namespace

ReplyAssembler::ReplyAssembler(Where where, std::vector<ToolSpec> offered, TextCallRule rule,
                               std::string previous_response_id)
    : where_(std::move(where)), offered_(std::move(offered)), rule_(rule),
      previous_response_id_(std::move(previous_response_id)) {}

std::vector<Delta> ReplyAssembler::take(const ServerEvent& event) {
    if (done_) return {};
    const std::string_view data = trimmed(event.data);
    if (data.empty()) return {};
    if (event.name == "error") throw decode_error(200, data, where_);
    if (data.starts_with("[DONE]")) { // OpenAI does not send it; some servers do
        done_ = true;
        return {};
    }
    const std::optional<json::value> value = event_json(event, where_);
    if (!value) return {};
    const json::object& object = successful_object(*value, data, where_);
    std::string_view type = string_member(object, "type");
    if (type.empty()) type = event.name;
    if (type == "error") throw decode_error(200, data, where_);
    Deltas deltas;
    if (type == "response.created") { // before the first delta
        if (const json::object* response = object_member(object, "response"))
            check_continues(*response, previous_response_id_, where_);
    } else if (type == "response.output_text.delta" || type == "response.refusal.delta")
        // The parts of one message are one text.
        take_words(Delta::Kind::text, text_, object, 0, deltas);
    else if (type == "response.reasoning_text.delta")
        take_words(Delta::Kind::reasoning, reasoning_, object, 0, deltas);
    else if (type == "response.reasoning_summary_text.delta")
        take_words(Delta::Kind::reasoning, reasoning_, object, index_of(object, "summary_index"),
                   deltas);
    else if (type == "response.function_call_arguments.delta")
        take_arguments(object, deltas);
    else if (type == "response.output_item.added")
        start_item(object, deltas);
    else if (type == "response.output_item.done")
        end_item(object, deltas);
    else if (type == "response.completed" || type == "response.incomplete" ||
             type == "response.failed" || type == "response.cancelled")
        end_response(object, type);
    else if (type.empty())
        refuse(where_, "sent a stream that is not one of the Responses API");
    return deltas;
}

ReplyAssembler::Item& ReplyAssembler::item_of(const json::object& event) {
    const std::int64_t index = index_of(event, "output_index");
    if (items_.size() >= max_calls && !items_.contains(index)) refuse_so_many_calls(where_);
    return items_[index];
}

void ReplyAssembler::take_words(Delta::Kind kind, Words& words, const json::object& event,
                                std::int64_t part, Deltas& deltas) {
    item_of(event).has_text = true;
    add_words(kind, words, string_member(event, "delta"), {index_of(event, "output_index"), part},
              deltas);
}

/// `ReplyContent` joins texts by a line break, too.
void ReplyAssembler::add_words(Delta::Kind kind, Words& words, std::string_view piece,
                               std::pair<std::int64_t, std::int64_t> part, Deltas& deltas) {
    std::string characters = words.joiner.add(piece);
    if (characters.empty()) return;
    if (words.any && words.part != part) characters.insert(characters.begin(), '\n');
    words.any = true;
    words.part = part;
    deltas.push_back({kind, std::move(characters)});
}

void ReplyAssembler::take_arguments(const json::object& event, Deltas& deltas) {
    Item& item = item_of(event);
    if (!item.call) item.call = calls_++;
    item.has_arguments = true;
    std::string characters =
        arguments_[index_of(event, "output_index")].add(string_member(event, "delta"));
    if (!characters.empty())
        deltas.push_back({Delta::Kind::tool_call, std::move(characters), *item.call, {}});
}

void ReplyAssembler::start_item(const json::object& event, Deltas& deltas) {
    const json::object* item = object_member(event, "item");
    if (item && !content_of(*item).call.name.empty()) start_call(item_of(event), *item, deltas);
}

void ReplyAssembler::start_call(Item& item, const json::object& call, Deltas& deltas) {
    if (item.call) return;
    item.call = calls_++;
    deltas.push_back(
        {Delta::Kind::tool_call, {}, *item.call, valid_utf8(content_of(call).call.name)});
}

/// Some servers send complete items without the events before.
void ReplyAssembler::end_item(const json::object& event, Deltas& deltas) {
    const json::object* object = object_member(event, "item");
    if (!object)
        refuse(where_, "sent an event whose \"item\" is not an object", "see the server's log");
    Item& item = item_of(event);
    item.complete = *object;
    const ItemContent content = content_of(*object);
    const std::pair<std::int64_t, std::int64_t> part{index_of(event, "output_index"), 0};
    switch (content.kind) {
    case ItemContent::Kind::message:
        if (!std::exchange(item.has_text, true))
            add_words(Delta::Kind::text, text_, content.text, part, deltas);
        break;
    case ItemContent::Kind::reasoning:
        if (!std::exchange(item.has_text, true))
            add_words(Delta::Kind::reasoning, reasoning_, content.text, part, deltas);
        break;
    case ItemContent::Kind::call:
    case ItemContent::Kind::computer_call:
        start_call(item, *object, deltas);
        if (!std::exchange(item.has_arguments, true))
            deltas.push_back({Delta::Kind::tool_call,
                              content.call.arguments_json.empty()
                                  ? "{}"
                                  : valid_utf8(content.call.arguments_json),
                              *item.call,
                              {}});
        break;
    case ItemContent::Kind::other:
        break;
    }
}

void ReplyAssembler::end_response(const json::object& event, std::string_view type) {
    const json::object* response = object_member(event, "response");
    if (!response)
        refuse(where_, "sent an event whose \"response\" is not an object", "see the server's log");
    if (type == "response.failed") throw failure_of(*response, where_);
    response_ = *response;
    if (!member(*response, "status") && type == "response.incomplete")
        (*response_)["status"] = "incomplete";
    done_ = true;
}

ChatReply ReplyAssembler::finish() const {
    if (!response_) refuse_incomplete_stream(where_);
    return responses::decode_reply(valid_utf8(json::serialize(plain_answer())), where_, offered_,
                                   rule_, previous_response_id_);
}

/// The response of the last event. Items of the events before replace those in it: according to the
/// reference, their encrypted reasoning counts, and some servers leave the output out at the end.
json::object ReplyAssembler::plain_answer() const {
    json::object answer = *response_;
    json::value& output = answer["output"];
    if (output.is_null()) output = json::array();
    if (!output.is_array()) return answer;
    json::array& list = output.get_array();
    const bool none = list.empty();
    for (const auto& [index, item] : items_) {
        if (!item.complete) continue;
        const auto place = static_cast<std::size_t>(index);
        if (none)
            list.emplace_back(*item.complete);
        else if (index >= 0 && place < list.size() && list[place].is_object() &&
                 string_member(list[place].get_object(), "id") ==
                     string_member(*item.complete, "id"))
            list[place] = *item.complete;
    }
    return answer;
}

} // namespace eyehand::vlm::wire::responses
