#include "assemble_reply.hpp"

#include "decode_error.hpp"
#include "decode_reply.hpp"

#include <algorithm>
#include <utility>

namespace eyehand::vlm::wire {
namespace {

namespace json = boost::json;

/// The text that a piece of a call adds to its arguments. An object is always complete.
std::string text_of(const json::value& arguments) {
    if (arguments.is_string()) return std::string(std::string_view(arguments.get_string()));
    return json::serialize(arguments);
}

/// Later pieces may repeat a field as null.
void merge(const json::object& from, json::object& to) {
    for (const auto& [key, value] : from)
        if (!value.is_null() || !to.contains(key)) to.insert_or_assign(key, value);
}

} // namespace

std::string PiecedText::add(std::string_view piece) {
    std::string characters = joiner.add(piece);
    text += characters;
    return characters;
}

std::string PiecedText::whole() const { return text + std::string(joiner.rest()); }

void ObjectEnd::add(std::string_view piece) {
    for (const char c : piece) {
        if (state_ == State::other) return;
        const bool is_space = c == ' ' || c == '\t' || c == '\r' || c == '\n';
        if (state_ == State::inside && in_string_) {
            in_string_ = escaped_ || c != '"';
            escaped_ = !escaped_ && c == '\\';
        } else if (state_ == State::inside) {
            in_string_ = c == '"';
            if (c == '{' || c == '[') ++depth_;
            if ((c == '}' || c == ']') && --depth_ == 0) state_ = State::complete;
        } else if (state_ == State::before && c == '{') {
            state_ = State::inside;
            depth_ = 1;
        } else if (!is_space) {
            state_ = State::other;
        }
    }
}

ReplyAssembler::ReplyAssembler(Where where, std::vector<ToolSpec> offered, TextCallRule rule)
    : where_(std::move(where)), offered_(std::move(offered)), rule_(rule) {}

std::vector<Delta> ReplyAssembler::take(const ServerEvent& event) {
    if (done_) return {};
    const std::string_view data = trimmed(event.data);
    if (data.empty()) return {};
    if (event.name == "error") throw decode_error(200, data, where_);
    if (data.starts_with("[DONE]")) {
        done_ = true;
        return {};
    }
    const std::optional<json::value> value = event_json(event, where_);
    if (!value) return {};
    const json::object& chunk = successful_object(*value, data, where_);
    std::vector<Delta> deltas;
    take_answer_fields(chunk);
    const json::object* choice = first_choice(chunk, where_);
    if (!choice || integer_member(*choice, "index").value_or(0) != 0)
        return deltas; // only one was requested
    any_choice_ = true;
    if (const json::object* delta = object_member(*choice, "delta"))
        take_message(*delta, deltas);
    else if (const json::object* whole = object_member(*choice, "message");
             whole && text_.text.empty() && calls_.empty())
        take_message(*whole, deltas); // a plain answer in one event
    const std::string_view reason = string_member(*choice, "finish_reason");
    if (!reason.empty()) finish_reason_ = reason;
    return deltas;
}

/// Keeps the first id, time and model (they are the same in every chunk) and the last token counts:
/// some servers send growing counts with every chunk.
void ReplyAssembler::take_answer_fields(const json::object& chunk) {
    for (const std::string_view name : {"id", "created", "model"})
        if (const json::value* value = member(chunk, name); value && !answer_.contains(name))
            answer_[name] = *value;
    for (const std::string_view name : {"usage", "timings"})
        if (const json::object* value = object_member(chunk, name)) answer_[name] = *value;
}

void ReplyAssembler::take_message(const json::object& message, std::vector<Delta>& deltas) {
    take_words(message, deltas);
    if (const json::array* list = tool_call_list(message, where_))
        for (const json::value& call : *list) take_call(decode_call_fields(call, where_), deltas);
    if (const json::object* old_style = object_member(message, "function_call"))
        take_old_call(*old_style, deltas);
}

void ReplyAssembler::take_words(const json::object& message, std::vector<Delta>& deltas) {
    const Words words = decode_words(message, where_);
    const auto add = [&](Delta::Kind kind, PiecedText& to, std::string_view piece) {
        std::string characters = to.add(piece);
        if (!characters.empty()) deltas.push_back({kind, std::move(characters)});
    };
    add(Delta::Kind::reasoning, reasoning_, words.reasoning);
    add(Delta::Kind::text, text_, words.text);
    add(Delta::Kind::text, refusal_, words.refusal);
}

void ReplyAssembler::take_call(const CallFields& fields, std::vector<Delta>& deltas) {
    const std::size_t number = number_of_call(fields);
    if (number == max_calls) refuse_so_many_calls(where_);
    if (number == calls_.size()) {
        calls_.push_back({.index = integer_member(*fields.call, "index")});
        if (calls_.back().index) calls_by_index_[*calls_.back().index] = number;
    }
    const bool had_id = !calls_[number].id.empty();
    add_to(calls_[number], number, fields, deltas);
    if (!had_id && !calls_[number].id.empty()) {
        std::size_t& last = calls_by_id_[calls_[number].id];
        last = std::max(last, number);
    }
}

void ReplyAssembler::take_old_call(const json::object& function_call, std::vector<Delta>& deltas) {
    if (!old_call_) old_call_.emplace();
    CallFields fields;
    fields.function = &function_call;
    fields.name = string_member(function_call, "name");
    fields.arguments = member(function_call, "arguments");
    add_to(*old_call_, 0, fields, deltas);
}

/// The number of the call that a piece belongs to; the number of calls if the piece starts a new
/// one.
std::size_t ReplyAssembler::number_of_call(const CallFields& fields) const {
    if (const std::optional<std::int64_t> index = integer_member(*fields.call, "index")) {
        const auto found = calls_by_index_.find(*index);
        if (found == calls_by_index_.end()) return calls_.size();
        // Gemini gives every call the index 0.
        const PiecedCall& call = calls_[found->second];
        const bool is_another = !fields.id.empty() && fields.id != call.id &&
                                !fields.name.empty() && !call.name.empty();
        return is_another ? calls_.size() : found->second;
    }
    if (!fields.id.empty()) {
        const auto found = calls_by_id_.find(std::string(fields.id));
        return found == calls_by_id_.end() ? calls_.size() : found->second;
    }
    if (calls_.empty()) return 0;
    // Some servers send complete calls with neither index nor id. If the last call has complete
    // arguments, another name with arguments starts a new call.
    const bool is_whole_call =
        !fields.name.empty() && fields.arguments && !text_of(*fields.arguments).empty();
    return is_whole_call && calls_.back().end.is_reached() ? calls_.size() : calls_.size() - 1;
}

void ReplyAssembler::add_to(PiecedCall& call, std::size_t number, const CallFields& fields,
                            std::vector<Delta>& deltas) const {
    Delta delta{Delta::Kind::tool_call, {}, number, {}};
    if (call.id.empty()) call.id = fields.id;
    if (call.name.empty() && !fields.name.empty()) {
        call.name = valid_utf8(fields.name);
        delta.tool = call.name;
    }
    if (fields.arguments) delta.text = call.arguments.add(text_of(*fields.arguments));
    if (call.arguments.text.size() > max_arguments) refuse_long_arguments(where_);
    call.end.add(delta.text);
    json::object extra;
    json::object function_extra;
    copy_unknown_fields(fields, extra, function_extra);
    merge(extra, call.extra);
    merge(function_extra, call.function_extra);
    if (!delta.tool.empty() || !delta.text.empty()) deltas.push_back(std::move(delta));
}

ChatReply ReplyAssembler::finish() const {
    if (finish_reason_.empty() && !done_) refuse_incomplete_stream(where_);
    // Reuses the rules for plain answers.
    return decode_reply(valid_utf8(json::serialize(plain_answer())), where_, offered_, rule_);
}

json::object ReplyAssembler::plain_answer() const {
    const auto function = [](const PiecedCall& call) {
        json::object object = call.function_extra;
        object["name"] = call.name;
        object["arguments"] = call.arguments.whole();
        return object;
    };
    json::object message{{"role", "assistant"}, {"content", text_.whole()}};
    if (const std::string reasoning = reasoning_.whole(); !reasoning.empty())
        message["reasoning_content"] = reasoning;
    if (const std::string refusal = refusal_.whole(); !refusal.empty())
        message["refusal"] = refusal;
    if (!calls_.empty()) {
        json::array& list = message["tool_calls"].emplace_array();
        for (const PiecedCall& call : calls_) {
            json::object object = call.extra;
            object["id"] = call.id;
            object["function"] = function(call);
            list.push_back(std::move(object));
        }
    }
    if (old_call_) message["function_call"] = function(*old_call_);

    json::object answer = answer_;
    json::array& choices = answer["choices"].emplace_array();
    if (any_choice_)
        choices.push_back(
            json::object{{"finish_reason", finish_reason_}, {"message", std::move(message)}});
    return answer;
}

} // namespace eyehand::vlm::wire
