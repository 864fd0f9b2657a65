// Sources: https://developers.openai.com/api/reference/resources/responses/streaming-events and
// src/resources/responses/responses.ts of openai/openai-node 7.57.0. The messages of rejected requests
// are those in public issue reports.
#include "eyehand/vlm/testing/responses.hpp"

#include "../wire/json.hpp"
#include "../wire/utf8.hpp"

#include <boost/json.hpp>

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

namespace eyehand::vlm::testing {
namespace {

namespace json = boost::json;

std::string id(std::string_view prefix, int number, std::size_t index) {
    return std::string(prefix) + '_' + std::to_string(number) + '_' + std::to_string(index);
}

json::object text_part(std::string_view text) {
    return {{"type", "output_text"}, {"text", text}, {"annotations", json::array()}};
}

json::object refusal_part(std::string_view text) {
    return {{"type", "refusal"}, {"refusal", text}};
}

json::object message_item(const std::string& item_id, json::object part) {
    json::array content;
    content.push_back(std::move(part));
    return {{"id", item_id},
            {"type", "message"},
            {"role", "assistant"},
            {"status", "completed"},
            {"content", std::move(content)}};
}

json::object scripted_item(const std::string& text) {
    const std::optional<json::value> value = wire::parse_json(text);
    const json::object* item = value ? value->if_object() : nullptr;
    const auto has = [&](const json::value* member) { return member && !member->is_null(); };
    if (!item) throw std::invalid_argument("a scripted item is not a JSON object: " + text);
    for (const std::string_view name : {"content", "summary"}) {
        const json::value* parts = wire::member(*item, name);
        if (!has(parts)) continue;
        bool is_list = parts->is_array();
        if (is_list)
            for (const json::value& part : parts->get_array()) {
                const json::object* object = part.if_object();
                const json::value* words = object ? wire::member(*object, "text") : nullptr;
                if (!object || (has(words) && !words->is_string())) is_list = false;
            }
        if (!is_list)
            throw std::invalid_argument("the \"" + std::string(name) +
                                        "\" of a scripted item is not a list of parts: " + text);
    }
    if (const json::value* arguments = wire::member(*item, "arguments");
        has(arguments) && !arguments->is_string())
        throw std::invalid_argument("the \"arguments\" of a scripted item are not text: " + text);
    return *item;
}

json::array items_of(const Response& response, int number) {
    json::array items;
    if (!response.reasoning.empty())
        items.push_back(json::object{
            {"id", id("rs", number, items.size())},
            {"type", "reasoning"},
            {"summary",
             json::array{json::object{{"type", "summary_text"}, {"text", response.reasoning}}}},
            {"encrypted_content", "gAAAAA" + std::to_string(number) + "-\u00e9ncrypted=="}});
    if (!response.text.empty())
        items.push_back(message_item(id("msg", number, items.size()), text_part(response.text)));
    if (!response.refusal.empty())
        items.push_back(
            message_item(id("msg", number, items.size()), refusal_part(response.refusal)));
    for (const ResponseCall& call : response.calls)
        items.push_back(
            json::object{{"id", id("fc", number, items.size())},
                         {"type", "function_call"},
                         {"status", "completed"},
                         {"call_id", call.id.empty() ? "call_of_" + call.tool : call.id},
                         {"name", call.tool},
                         {"arguments", call.arguments_json}});
    for (const std::string& item : response.items_json) items.push_back(scripted_item(item));
    return items;
}

json::object document_of(const Response& response, int number,
                         std::string_view previous_response_id) {
    json::object document;
    document["id"] = "resp_" + std::to_string(number);
    document["object"] = "response";
    document["created_at"] = 1750000000 + number;
    document["status"] = !response.error_code.empty()   ? "failed"
                         : !response.incomplete.empty() ? "incomplete"
                                                        : "completed";
    document["error"] = nullptr;
    if (!response.error_code.empty())
        document["error"] =
            json::object{{"code", response.error_code}, {"message", response.error_message}};
    document["incomplete_details"] = nullptr;
    if (!response.incomplete.empty())
        document["incomplete_details"] = json::object{{"reason", response.incomplete}};
    document["instructions"] = nullptr;
    document["metadata"] = json::object();
    document["model"] = "test-model";
    document["output"] = items_of(response, number);
    document["parallel_tool_calls"] = true;
    document["previous_response_id"] = nullptr;
    if (!previous_response_id.empty()) document["previous_response_id"] = previous_response_id;
    document["temperature"] = 1.0;
    document["tool_choice"] = "auto";
    document["tools"] = json::array();
    document["top_p"] = 1.0;
    document["usage"] =
        json::object{{"input_tokens", 30},
                     {"input_tokens_details", json::object{{"cached_tokens", 20}}},
                     {"output_tokens", 10},
                     {"output_tokens_details", json::object{{"reasoning_tokens", 4}}},
                     {"total_tokens", 40}};
    return document;
}

/// Writes the events of one stream.
class Events {
public:
    void add(std::string_view type, const json::object& members) {
        json::object event{{"type", type}, {"sequence_number", number_++}};
        for (const auto& [name, value] : members) event[name] = value;
        text_.append("event: ").append(type).append("\ndata: ");
        text_.append(json::serialize(event)).append("\n\n");
    }

    void add_item(const json::object& item, std::size_t index) {
        const std::string_view type = wire::string_member(item, "type");
        json::object begun = item;
        if (begun.contains("status")) begun["status"] = "in_progress";
        if (type == "message") begun["content"] = json::array();
        if (type == "function_call") begun["arguments"] = "";
        if (type == "reasoning") begun["summary"] = json::array();
        add("response.output_item.added", {{"output_index", index}, {"item", begun}});
        if (type == "message")
            add_parts(item, index, "content", "content_index", "response.content_part");
        else if (type == "reasoning")
            add_parts(item, index, "summary", "summary_index", "response.reasoning_summary_part");
        else if (type == "function_call")
            add_arguments(item, index);
        add("response.output_item.done", {{"output_index", index}, {"item", item}});
    }

    [[nodiscard]] const std::string& text() const { return text_; }

private:
    void add_parts(const json::object& item, std::size_t index, std::string_view list,
                   std::string_view part_index, const std::string& event) {
        const json::value* all = wire::member(item, list);
        if (!all || !all->is_array()) return;
        const json::array& parts = all->get_array();
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const json::object& part = parts[i].as_object();
            const std::string_view type = wire::string_member(part, "type");
            const std::string_view name = type == "refusal" ? "refusal" : "text";
            json::object place{{"item_id", wire::string_member(item, "id")},
                               {"output_index", index},
                               {part_index, i}};
            json::object empty = part;
            empty[name] = "";
            add(event + ".added", with(place, "part", empty));
            const std::string deltas = type == "refusal"        ? "response.refusal"
                                       : type == "summary_text" ? "response.reasoning_summary_text"
                                                                : "response.output_text";
            const std::string text(wire::string_member(part, name));
            for (const std::string& piece : pieces(text)) {
                json::object delta = with(place, "delta", json::value(piece));
                if (type == "output_text") delta["logprobs"] = json::array();
                add(deltas + ".delta", delta);
            }
            json::object done = with(place, name, json::value(text));
            if (type == "output_text") done["logprobs"] = json::array();
            add(deltas + ".done", done);
            add(event + ".done", with(place, "part", part));
        }
    }

    void add_arguments(const json::object& item, std::size_t index) {
        const json::object place{{"item_id", wire::string_member(item, "id")},
                                 {"output_index", index}};
        const std::string text(wire::string_member(item, "arguments"));
        for (const std::string& piece : pieces(text))
            add("response.function_call_arguments.delta", with(place, "delta", json::value(piece)));
        json::object done = with(place, "arguments", json::value(text));
        done["name"] = wire::string_member(item, "name");
        add("response.function_call_arguments.done", done);
    }

    static json::object with(json::object object, std::string_view name, json::value value) {
        object[name] = std::move(value);
        return object;
    }

    /// At most eight bytes, in whole characters.
    static std::vector<std::string> pieces(std::string_view text) {
        std::vector<std::string> all;
        wire::Utf8Joiner joiner;
        for (std::size_t at = 0; at < text.size(); at += 8)
            if (std::string piece = joiner.add(text.substr(at, 8)); !piece.empty())
                all.push_back(std::move(piece));
        return all;
    }

    std::string text_;
    int number_ = 0;
};

Answer rejected(const std::string& message, std::string_view param,
                const json::value& code = nullptr) {
    return {.status = 400,
            .body = json::serialize(
                json::object{{"error", json::object{{"message", message},
                                                    {"type", "invalid_request_error"},
                                                    {"param", param},
                                                    {"code", code}}}})};
}

/// https://github.com/maximhq/bifrost/issues/2441
Answer rejected_continuation(const std::string& id) {
    return rejected("Previous response with id '" + id + "' not found.", "previous_response_id",
                    "previous_response_not_found");
}

/// The ids of the checks in a member of an item.
std::set<std::string> checks_in(const json::object& item, std::string_view name) {
    std::set<std::string> ids;
    const json::value* list = wire::member(item, name);
    if (list && list->is_array())
        for (const json::value& check : list->get_array())
            if (const json::object* object = check.if_object())
                ids.emplace(wire::string_member(*object, "id"));
    return ids;
}

std::string problem_of_input(const json::array& input) {
    std::map<std::string, std::set<std::string>> checks; // of computer calls
    std::set<std::string> open;                          // calls without a result
    std::set<std::string> known;                         // all calls
    const json::object* reasoning = nullptr;
    for (const json::value& value : input) {
        const json::object* item = value.if_object();
        if (!item) return "Invalid type for 'input': expected an object.";
        const std::string type(wire::string_member(*item, "type"));
        const std::string item_id(wire::string_member(*item, "id"));
        const std::string call(wire::string_member(*item, "call_id"));
        if (type == "function_call_output" || type == "computer_call_output") {
            if (!known.contains(call))
                return "No tool call found for function call output with call_id " + call + ".";
            open.erase(call);
            if (!item->contains("output")) return "Missing required parameter: 'output'.";
            if (checks_in(*item, "acknowledged_safety_checks") != checks[call])
                return "The pending safety checks of " + call + " have not been acknowledged.";
        }
        const bool is_output = type == "reasoning" || type == "function_call" ||
                               type == "computer_call" ||
                               wire::string_member(*item, "role") == "assistant";
        if (reasoning && !is_output)
            return "Item '" + std::string(wire::string_member(*reasoning, "id")) +
                   "' of type 'reasoning' was provided without its required following item.";
        if (type == "reasoning") {
            if (wire::string_member(*item, "encrypted_content").empty())
                return "Item with id '" + item_id +
                       "' not found. Items are not persisted when `store` is set to false.";
            reasoning = item;
            continue;
        }
        reasoning = nullptr;
        if (type == "function_call" || type == "computer_call") {
            open.insert(call);
            known.insert(call);
            checks[call] = checks_in(*item, "pending_safety_checks");
        }
    }
    if (reasoning) return "The input ends with an item of type 'reasoning'.";
    if (!open.empty()) return "No tool output found for function call " + *open.begin() + ".";
    return {};
}

} // namespace

std::string response_document(const Response& response, int number,
                              std::string_view previous_response_id) {
    return json::serialize(document_of(response, number, previous_response_id));
}

std::string response_events(const Response& response, int number,
                            std::string_view previous_response_id) {
    const json::object document = document_of(response, number, previous_response_id);
    json::object begun = document;
    begun["status"] = "in_progress";
    begun["error"] = nullptr;
    begun["incomplete_details"] = nullptr;
    begun["output"] = json::array();
    begun["usage"] = nullptr;
    Events events;
    events.add("response.created", {{"response", begun}});
    events.add("response.in_progress", {{"response", begun}});
    const json::array& items = document.at("output").as_array();
    for (std::size_t i = 0; i < items.size(); ++i) events.add_item(items[i].as_object(), i);
    const std::string status(document.at("status").as_string());
    events.add("response." + status, {{"response", document}});
    return events.text();
}

std::string response_request_problem(std::string_view body, ResponseStore store,
                                     std::string_view stored_items_json) {
    const std::optional<json::value> value = wire::parse_json(body);
    const json::object* request = value ? value->if_object() : nullptr;
    if (!request) return "We could not parse the JSON body of your request.";
    for (const std::string_view name :
         {"messages", "max_tokens", "max_completion_tokens", "response_format", "reasoning_effort"})
        if (request->contains(name))
            return "Unsupported parameter: '" + std::string(name) +
                   "'. In the Responses API, this parameter has another name.";
    const json::value* stores = wire::member(*request, "store"); // by default, OpenAI stores
    if (!stores || !stores->is_bool() || (store == ResponseStore::rejects && stores->get_bool()))
        return "This test expects a stateless request: 'store' must be false.";
    if (const json::value* tools = wire::member(*request, "tools"); tools && tools->is_array())
        for (const json::value& tool : tools->get_array()) {
            const json::object* object = tool.if_object();
            if (object && wire::string_member(*object, "type") == "function" &&
                wire::string_member(*object, "name").empty())
                return "Missing required parameter: 'tools[0].name'.";
        }
    const json::value* input = wire::member(*request, "input");
    if (!input || !input->is_array() || input->get_array().empty())
        return "One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation' must be "
               "provided.";
    if (stored_items_json.empty()) return problem_of_input(input->get_array());
    json::array items = json::parse(stored_items_json).as_array();
    items.insert(items.end(), input->get_array().begin(), input->get_array().end());
    return problem_of_input(items);
}

namespace {

/// The server of `scripted_responses`. Used on the server's thread only.
class ResponseServer {
public:
    ResponseServer(std::vector<Response> script, ResponseStore store)
        : script_(std::move(script)), store_(store) {}

    Answer answer(const ReceivedRequest& request) {
        const std::string path = request.target.substr(0, request.target.find('?'));
        if (request.method == "GET" && path.ends_with("/models"))
            return {.body = R"({"object":"list","data":[{"id":"test-model","object":"model"}]})"};
        if (request.method != "POST" || !path.ends_with("/responses"))
            return {.status = 404, .body = R"({"error":{"message":"Invalid URL"}})"};
        const std::optional<json::value> body = wire::parse_json(request.body);
        std::string previous; // that the response continues
        if (body && body->is_object() && store_ != ResponseStore::ignores)
            previous = wire::string_member(body->get_object(), "previous_response_id");
        if (!previous.empty() && !stored_.contains(previous))
            return rejected_continuation(previous);
        const json::array before = previous.empty() ? json::array() : stored_.at(previous);
        if (const std::string problem = response_request_problem(
                request.body, store_, previous.empty() ? "" : json::serialize(before));
            !problem.empty())
            return rejected(problem, "input");
        if (next_ == script_.size())
            return {.status = 500,
                    .body = R"({"error":{"message":"the test has planned no response"}})"};
        const Response& response = script_[next_++];
        const int number = static_cast<int>(next_);
        if (store_ == ResponseStore::keeps) keep(body->get_object(), response, number, before);
        const json::value* stream = wire::member(body->get_object(), "stream");
        if (stream && stream->is_bool() && stream->get_bool())
            return {.content_type = "text/event-stream",
                    .body = response_events(response, number, previous)};
        return {.body = response_document(response, number, previous)};
    }

private:
    void keep(const json::object& request, const Response& response, int number,
              json::array items) {
        if (!wire::member(request, "store")->get_bool()) return;
        for (const json::value& item : wire::member(request, "input")->get_array())
            items.push_back(item);
        for (const json::value& item : items_of(response, number)) items.push_back(item);
        stored_["resp_" + std::to_string(number)] = std::move(items);
    }

    const std::vector<Response> script_;
    const ResponseStore store_;
    std::size_t next_ = 0;
    std::map<std::string, json::array> stored_; // the conversation, by the id of its last response
};

} // namespace

Respond scripted_responses(std::vector<Response> responses, ResponseStore store) {
    // Not on the server's thread.
    for (const Response& response : responses) (void)response_events(response);
    return [server = std::make_shared<ResponseServer>(std::move(responses), store)](
               const ReceivedRequest& request) { return server->answer(request); };
}

} // namespace eyehand::vlm::testing
