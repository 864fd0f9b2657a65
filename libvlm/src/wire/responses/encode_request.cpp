// Sources: https://developers.openai.com/api/reference/resources/responses/methods/create and
// src/resources/responses/responses.ts of openai/openai-node 7.57.0. The forms of messages are those
// that llama-server takes, too (server_chat_convert_responses_to_chatcmpl in
// tools/server/server-chat.cpp of ggml-org/llama.cpp).
#include "encode_request.hpp"

#include "../json.hpp"
#include "../write_request.hpp"
#include "items.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <variant>

namespace eyehand::vlm::wire::responses {
namespace {

namespace json = boost::json;

/// A user message. `shown`: the image that a result of a computer call has instead, or null.
struct UserItem {
    const Message* message;
    const Image* shown;
    std::vector<std::string> results; ///< texts of results that cannot contain a text
};

/// The result of a computer call.
struct ScreenItem {
    const Message* result;
    const Image* image;
};

/// An item of the input: its JSON, or an item with images, which are written directly to the body.
using InputItem = std::variant<std::string, UserItem, ScreenItem>;

/// The messages after a reply, until the next one.
struct Answers {
    std::vector<const Message*> results{};
    const Image* screen = nullptr; ///< of the user message

    [[nodiscard]] const Message* result_of(const ToolCall& call) const {
        const auto found = std::find_if(results.begin(), results.end(), [&](const Message* result) {
            return result->tool_call_id == call.id;
        });
        return found == results.end() ? nullptr : *found;
    }
};

// --- Assistant messages ---------------------------------------------------------------------------

std::string assistant_item(std::string_view text) {
    std::string item = R"({"type":"message","role":"assistant","content":)";
    write_string(item, text);
    return item += "}";
}

std::string call_item(const ToolCall& call) {
    std::string item = R"({"type":"function_call","call_id":)";
    write_string(item, call.id);
    item += R"(,"name":)";
    write_string(item, call.name);
    item += R"(,"arguments":)";
    write_string(item, call.arguments_json);
    return item += "}";
}

std::string result_item(const Message& result) {
    std::string item = R"({"type":"function_call_output","call_id":)";
    write_string(item, result.tool_call_id);
    item += R"(,"output":)";
    write_string(item, result.text());
    return item += "}";
}

json::array items_of(const Message& message) {
    if (message.items_json.empty()) return {};
    std::optional<json::value> items = parse_json(message.items_json);
    const json::array* list = items ? items->if_array() : nullptr;
    if (!list || !std::all_of(list->begin(), list->end(),
                              [](const json::value& item) { return item.is_object(); }))
        throw std::invalid_argument(
            "the output items of an assistant message are not a JSON array of objects");
    return *list;
}

/// Whether the server can read a reasoning item. A server that has not stored it knows only what the
/// item contains: encrypted content, or the reasoning itself (llama-server). OpenAI rejects other items:
/// "Item with id 'rs_...' not found. Items are not persisted when `store` is set to false."
/// (https://github.com/openai/openai-agents-js/issues/546).
bool can_be_sent(const json::object& reasoning, const Encoding& encoding) {
    const std::string_view encrypted = string_member(reasoning, "encrypted_content");
    const json::value* content = member(reasoning, "content");
    return encoding.store || !encrypted.empty() ||
           (content && content->is_array() && !content->get_array().empty());
}

/// Writes an assistant message: its output items unchanged, as far as they state the same as its text
/// and its calls, which the caller may have changed.
///
/// The server rejects a call without a result, and reasoning without the item that followed it. An
/// item that is left out therefore takes the reasoning before it along.
class AssistantItems {
public:
    AssistantItems(const Message& message, const Answers& answers, const Encoding& encoding,
                   std::vector<InputItem>& input)
        : message_(message), answers_(answers), encoding_(encoding), input_(input),
          items_(items_of(message)), pending_calls_(message.tool_calls) {
        for (const json::value& item : items_) {
            contents_.push_back(content_of(item.get_object()));
            // As in the reply.
            std::string& arguments = contents_.back().call.arguments_json;
            if (arguments.empty()) arguments = "{}";
        }
        same_text_ = content_of(contents_).text == message.text();
    }

    /// Returns the ids of the computer calls, whose results are screenshots.
    std::vector<std::string> write_all() {
        const bool replaces_text =
            std::any_of(contents_.begin(), contents_.end(), [](const ItemContent& content) {
                return content.kind == ItemContent::Kind::message;
            });
        if (!same_text_ && !replaces_text) write_text();
        for (std::size_t i = 0; i < items_.size(); ++i) write_item(items_[i], contents_[i]);
        for (const ToolCall& call : pending_calls_) input_.emplace_back(call_item(call));
        const bool says_nothing = items_.empty() && message_.tool_calls.empty();
        if (says_nothing && message_.text().empty()) input_.emplace_back(assistant_item({}));
        return std::move(computer_calls_);
    }

private:
    void write_item(const json::value& item, const ItemContent& content) {
        if (content.kind == ItemContent::Kind::reasoning) {
            if (can_be_sent(item.get_object(), encoding_))
                reasoning_.push_back(json::serialize(item));
            return;
        }
        if (is_unchanged(content)) {
            std::move(reasoning_.begin(), reasoning_.end(), std::back_inserter(input_));
            input_.emplace_back(json::serialize(item));
        } else if (content.kind == ItemContent::Kind::message) {
            write_text();
        }
        reasoning_.clear();
    }

    [[nodiscard]] bool is_unchanged(const ItemContent& content) {
        if (content.kind == ItemContent::Kind::message) return same_text_;
        if (content.kind == ItemContent::Kind::other) return true;
        if (content.kind == ItemContent::Kind::computer_call) {
            if (!has_screen(content.call)) return false;
            computer_calls_.push_back(content.call.id);
        }
        const auto call = std::find(pending_calls_.begin(), pending_calls_.end(), content.call);
        if (call == pending_calls_.end()) return false;
        pending_calls_.erase(call);
        return true;
    }

    /// Whether the result of a computer call can be sent in the form of the API: it needs a screenshot,
    /// which may have been removed since, and the approval of all checks. Otherwise, the call is sent as
    /// that of a function.
    [[nodiscard]] bool has_screen(const ToolCall& call) const {
        const Message* result = answers_.result_of(call);
        return result && answers_.screen && result->acknowledged_checks == call.safety_checks &&
               std::find(pending_calls_.begin(), pending_calls_.end(), call) !=
                   pending_calls_.end();
    }

    void write_text() {
        if (!wrote_text_ && !message_.text().empty())
            input_.emplace_back(assistant_item(message_.text()));
        wrote_text_ = true;
    }

    const Message& message_;
    const Answers& answers_;
    const Encoding& encoding_;
    std::vector<InputItem>& input_;
    const json::array items_;
    std::vector<ItemContent> contents_;
    std::vector<std::string> reasoning_; // whose next item is not known yet
    std::vector<ToolCall> pending_calls_;
    std::vector<std::string> computer_calls_;
    bool same_text_ = false;
    bool wrote_text_ = false;
};

Answers answers_after(const std::vector<Message>& messages, std::size_t reply) {
    Answers answers;
    for (std::size_t i = reply + 1; i < messages.size(); ++i) {
        const Message& message = messages[i];
        if (message.role == Role::assistant) break;
        if (message.role == Role::tool) answers.results.push_back(&message);
        if (message.role != Role::user) continue;
        for (const Part& part : message.parts)
            if (const auto* image = std::get_if<Image>(&part)) answers.screen = image;
        break;
    }
    return answers;
}

std::vector<InputItem> input_of(const std::vector<Message>& messages, const Encoding& encoding) {
    std::vector<InputItem> input;
    Answers answers;
    std::vector<std::string> computer_calls; // of the latest reply
    std::vector<std::string> results;        // their texts
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const Message& message = messages[i];
        const bool shows = std::find(computer_calls.begin(), computer_calls.end(),
                                     message.tool_call_id) != computer_calls.end();
        switch (message.role) {
        case Role::system: // "instructions"
            break;
        case Role::user: {
            UserItem item{&message, computer_calls.empty() ? nullptr : answers.screen,
                          std::exchange(results, {})};
            computer_calls.clear();
            const bool is_empty = item.shown && item.results.empty() && message.parts.size() == 1;
            if (!is_empty) input.emplace_back(std::move(item));
            break;
        }
        case Role::assistant:
            answers = answers_after(messages, i);
            computer_calls = AssistantItems(message, answers, encoding, input).write_all();
            break;
        case Role::tool:
            if (shows) {
                input.emplace_back(ScreenItem{&message, answers.screen});
                if (!message.text().empty()) results.push_back(message.text());
            } else {
                input.emplace_back(result_item(message));
            }
            break;
        }
    }
    return input;
}

// --- The request ----------------------------------------------------------------------------------

template <class Out>
void write_input_text(Out& out, std::string_view text) {
    write(out, R"({"type":"input_text","text":)");
    write_string(out, text);
    write(out, "}");
}

template <class Out>
void write_user(Out& out, const UserItem& item, const ImageForm& images) {
    write(out, R"({"type":"message","role":"user","content":[)");
    Separator comma(out);
    for (const std::string& result : item.results) {
        comma();
        write_input_text(out, "Result: " + result);
    }
    const std::vector<Part>& parts = item.message->parts;
    for (const Part& part : parts) {
        const auto* text = std::get_if<std::string>(&part);
        if (text && text->empty() && parts.size() > 1) continue;
        if (!text && &std::get<Image>(part) == item.shown) continue;
        comma();
        if (text) {
            write_input_text(out, *text);
        } else {
            write(out, R"({"type":"input_image","detail":)");
            write_string(out, to_string(images.detail.value_or(ImageDetail::automatic)));
            write(out, R"(,"image_url":")");
            write_image(out, std::get<Image>(part), images.mode);
            write(out, R"("})");
        }
    }
    write(out, "]}");
}

/// The screenshot is sent with all its pixels, because the actions state positions in them
/// (https://developers.openai.com/api/docs/guides/tools-computer-use).
template <class Out>
void write_screen(Out& out, const ScreenItem& item, ImageMode mode) {
    write(out, R"({"type":"computer_call_output","call_id":)");
    write_string(out, item.result->tool_call_id);
    if (!item.result->acknowledged_checks.empty()) {
        write(out, R"(,"acknowledged_safety_checks":[)");
        Separator comma(out);
        for (const SafetyCheck& check : item.result->acknowledged_checks) {
            comma();
            write(out, R"({"id":)");
            write_string(out, check.id);
            for (const auto& [name, text] : {std::pair{R"(,"code":)", &check.code},
                                             std::pair{R"(,"message":)", &check.message}}) {
                if (text->empty()) continue;
                write(out, name);
                write_string(out, *text);
            }
            write(out, "}");
        }
        write(out, "]");
    }
    write(out, R"(,"output":{"type":"computer_screenshot","detail":"original","image_url":")");
    write_image(out, *item.image, mode);
    write(out, R"("}})");
}

/// Without "strict", the API changes the schema: it makes all members required
/// (https://developers.openai.com/api/docs/guides/function-calling, "Strict mode").
template <class Out>
void write_tool(Out& out, const ToolSpec& tool) {
    if (tool.computer) { // without members: .../responses/methods/create, "ComputerTool"
        write(out, R"({"type":"computer"})");
        return;
    }
    write(out, R"({"type":"function",)");
    write_function(out, tool);
    write(out, R"(,"strict":false})");
}

/// The API does not have top_k, presence_penalty, seed and stop. Servers that convert the request to a
/// chat completion, such as llama-server, take them nevertheless.
template <class Out>
void write_sampling(Out& out, Separator<Out>& member, const Sampling& sampling,
                    const Quirks& quirks) {
    write_option(out, member, "temperature", sampling.temperature);
    write_option(out, member, "top_p", sampling.top_p);
    write_option(out, member, "max_output_tokens", sampling.max_tokens);
    write_reasoning(out, member, sampling, quirks, Api::responses);
    if (quirks.standard_fields_only) return;
    write_option(out, member, "top_k", sampling.top_k);
    write_option(out, member, "presence_penalty", sampling.presence_penalty);
    write_option(out, member, "seed", sampling.seed);
    write_stop(out, member, sampling.stop);
}

template <class Out>
void write_item(Out& out, const InputItem& item, const ImageForm& images) {
    if (const auto* text = std::get_if<std::string>(&item))
        write(out, *text);
    else if (const auto* user = std::get_if<UserItem>(&item))
        write_user(out, *user, images);
    else
        write_screen(out, std::get<ScreenItem>(item), images.mode);
}

/// `input`: the items to send.
template <class Out>
void write_request(Out& out, const ChatRequest& request, const std::vector<Message>& messages,
                   std::span<const InputItem> input, const Encoding& encoding) {
    write(out, "{");
    Separator member(out);
    if (!request.model.empty()) {
        member.key("model");
        write_string(out, request.model);
    }
    if (!messages.empty() && messages.front().role == Role::system) {
        member.key("instructions");
        write_string(out, messages.front().text());
    }
    if (!encoding.previous_response_id.empty()) {
        member.key("previous_response_id");
        write_string(out, encoding.previous_response_id);
    }
    member.key("input");
    write(out, "[");
    Separator comma(out);
    const ImageForm images = image_form(request, encoding);
    for (const InputItem& item : input) {
        comma();
        write_item(out, item, images);
    }
    write(out, "]");
    write_tools(out, member, request, encoding.quirks,
                [&](const ToolSpec& tool) { write_tool(out, tool); });
    write_sampling(out, member, request.sampling, encoding.quirks);
    if (request.response_format && !encoding.quirks.no_response_format) {
        member.key("text");
        write(out, R"({"format":{"type":"json_schema",)");
        write_schema(out, *request.response_format);
        write(out, "}}");
    }
    // Also if the server stores the response: the next request may have to send the whole input.
    if (!encoding.quirks.no_encrypted_reasoning) {
        member.key("include");
        write(out, R"(["reasoning.encrypted_content"])");
    }
    member.key("store");
    write(out, encoding.store ? "true" : "false");
    if (encoding.stream) {
        member.key("stream");
        write(out, "true");
    }
    write(out, "}");
}

} // namespace

std::vector<std::string> input_texts(const ChatRequest& request, const Encoding& encoding) {
    const std::vector<Message> messages =
        portable_messages(request.messages, encoding.quirks, Api::responses);
    ImageForm images = image_form(request, encoding);
    images.mode = ImageMode::redacted;
    std::vector<std::string> texts;
    for (const InputItem& item : input_of(messages, encoding))
        write_item(texts.emplace_back(), item, images);
    return texts;
}

std::string encode(const ChatRequest& request, const std::vector<Message>& messages,
                   const Encoding& encoding) {
    const std::vector<InputItem> all = input_of(messages, encoding);
    if (encoding.stored_items > all.size())
        throw std::invalid_argument("the stored response has more items than the request");
    const std::span<const InputItem> input = std::span(all).subspan(encoding.stored_items);
    return written([&](auto& out) { write_request(out, request, messages, input, encoding); });
}

} // namespace eyehand::vlm::wire::responses
