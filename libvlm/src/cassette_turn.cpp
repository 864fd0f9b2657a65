#include "cassette_turn.hpp"

#include "eyehand/vlm/digest.hpp"

#include "cassette_json.hpp"
#include "wire/encode_request.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <utility>

namespace eyehand::vlm::cassette {
namespace {

using std::chrono::milliseconds;

constexpr std::int64_t version = 1;
constexpr std::string_view default_media_type = "image/png";

// --- Names, in the order of the enumerators ---------------------------------------------------

constexpr int first_code = static_cast<int>(errc::bad_url);
const auto codes = [] {
    std::array<std::string_view, static_cast<int>(errc::cassette_mismatch) - first_code + 1> names;
    for (std::size_t i = 0; i < names.size(); ++i)
        names[i] = to_string(static_cast<errc>(first_code + static_cast<int>(i)));
    return names;
}();

constexpr std::array<std::string_view, 4> roles{"system", "user", "assistant", "tool"};
constexpr std::array<std::string_view, 3> choices{"auto", "none", "required"};
constexpr std::array<std::string_view, 6> finishes{"stop",           "length", "tool_calls",
                                                   "content_filter", "error",  "unknown"};
constexpr std::array<std::string_view, 2> provenances{"native", "text"};
constexpr std::array<std::string_view, 4> ignored_calls{"none", "not_accepted", "unclear",
                                                        "quoted"};
constexpr std::array<std::string_view, 4> retries{"never", "once", "later", "while_loading"};
constexpr std::array<std::string_view, 3> kinds{"text", "reasoning", "arguments"}; // of deltas

template <class Enum, std::size_t Count>
std::string_view name_in(const std::array<std::string_view, Count>& names, Enum value) {
    const auto index = static_cast<std::size_t>(value);
    if (index >= Count) throw std::invalid_argument("a value is not an enumerator of its type");
    return names[index];
}

// --- Writing ----------------------------------------------------------------------------------

void put_text(json::object& into, std::string_view name, std::string_view text) {
    if (!text.empty()) into[name] = from_text(text);
}

template <class Number>
void put(json::object& into, std::string_view name, const std::optional<Number>& number) {
    if (number) into[name] = *number;
}

void put(json::object& into, std::string_view name, const std::optional<double>& number) {
    if (number) into[name] = from_double(*number);
}

void put(json::object& into, std::string_view name, const std::optional<milliseconds>& time) {
    if (time) into[name] = static_cast<std::int64_t>(time->count());
}

template <class Items, class ToJson>
json::array array_of(const Items& items, ToJson to_json) {
    json::array array;
    for (const auto& item : items) array.push_back(to_json(item));
    return array;
}

template <class Items, class ToJson>
void put_array(json::object& into, std::string_view name, const Items& items, ToJson to_json) {
    if (!items.empty()) into[name] = array_of(items, to_json);
}

json::value part_json(const Part& part) {
    if (const auto* text = std::get_if<std::string>(&part)) return from_text(*text);
    const auto& image = std::get<Image>(part);
    json::object object{{"image", from_text(image.sha256)}};
    if (image.media_type != default_media_type) object["media_type"] = from_text(image.media_type);
    if (image.bytes) object["size"] = image.bytes->size();
    return object;
}

json::value check_json(const SafetyCheck& check) {
    json::object object{{"id", from_text(check.id)}};
    put_text(object, "code", check.code);
    put_text(object, "message", check.message);
    return object;
}

json::value call_json(const ToolCall& call) {
    json::object object{{"id", from_text(call.id)}, {"name", from_text(call.name)}};
    object["arguments"] = from_document(call.arguments_json);
    if (!call.extra_json.empty()) object["extra"] = from_document(call.extra_json);
    if (call.provenance != Provenance::native)
        object["provenance"] = name_in(provenances, call.provenance);
    put_array(object, "safety_checks", call.safety_checks, check_json);
    return object;
}

json::value message_json(const Message& message) {
    json::object object{{"role", name_in(roles, message.role)}};
    put_text(object, "answers", message.tool_call_id);
    object["parts"] = array_of(message.parts, part_json);
    put_array(object, "tool_calls", message.tool_calls, call_json);
    put_text(object, "items", message.items_json);
    put_array(object, "acknowledged_checks", message.acknowledged_checks, check_json);
    return object;
}

json::value tool_json(const ToolSpec& tool) {
    json::object object{{"name", from_text(tool.name)},
                        {"description", from_text(tool.description)},
                        {"parameters", from_document(tool.parameters_json)}};
    if (tool.computer) object["computer"] = true;
    return object;
}

json::object sampling_json(const Sampling& sampling) {
    json::object object;
    put(object, "temperature", sampling.temperature);
    put(object, "top_p", sampling.top_p);
    put(object, "top_k", sampling.top_k);
    put(object, "presence_penalty", sampling.presence_penalty);
    put(object, "seed", sampling.seed);
    put(object, "max_tokens", sampling.max_tokens);
    put_array(object, "stop", sampling.stop,
              [](const std::string& text) { return from_text(text); });
    if (sampling.reasoning_effort)
        object["reasoning_effort"] = to_string(*sampling.reasoning_effort);
    put(object, "thinking_tokens", sampling.thinking_tokens);
    if (sampling.image_detail) object["image_detail"] = to_string(*sampling.image_detail);
    return object;
}

json::object request_json(const AbridgedRequest& request) {
    const ChatRequest& rest = request.rest;
    json::object object;
    put_text(object, "model", rest.model);
    if (request.same_messages > 0) object["same_messages"] = request.same_messages;
    object["messages"] = array_of(rest.messages, message_json);
    if (request.same_tools) object["same_tools"] = true;
    put_array(object, "tools", rest.tools, tool_json);
    if (rest.tool_choice != ToolChoice::automatic)
        object["tool_choice"] = name_in(choices, rest.tool_choice);
    if (json::object sampling = sampling_json(rest.sampling); !sampling.empty())
        object["sampling"] = std::move(sampling);
    if (rest.response_format)
        object["response_format"] =
            json::object{{"name", from_text(rest.response_format->name)},
                         {"schema", from_document(rest.response_format->schema_json)}};
    return object;
}

json::value delta_json(const Delta& delta) {
    json::object object;
    if (delta.kind == Delta::Kind::tool_call || delta.call > 0) object["call"] = delta.call;
    put_text(object, "tool", delta.tool);
    object[name_in(kinds, delta.kind)] = from_text(delta.text);
    return object;
}

json::object reply_json(const ChatReply& reply) {
    json::object object;
    put_text(object, "reasoning", reply.reasoning);
    object["text"] = from_text(reply.text);
    put_array(object, "tool_calls", reply.tool_calls, call_json);
    put_text(object, "items", reply.items_json);
    if (reply.ignored_call != IgnoredCall::none)
        object["ignored_call"] = name_in(ignored_calls, reply.ignored_call);
    object["finish"] = name_in(finishes, reply.finish);
    put_text(object, "model", reply.model);
    put(object, "prompt_tokens", reply.usage.prompt_tokens);
    put(object, "cached_tokens", reply.usage.cached_tokens);
    put(object, "completion_tokens", reply.usage.completion_tokens);
    put_array(object, "notes", reply.notes,
              [](const std::string& note) { return from_text(note); });
    return object;
}

json::object error_json(const Error& error) {
    const ErrorDetails& details = error.details();
    json::object object{{"code", name_in(codes, error.code().value() - first_code)},
                        {"what", from_text(error.what())}};
    put(object, "status", details.status);
    put_text(object, "server_message", details.server_message);
    if (details.retry) object["retry"] = name_in(retries, *details.retry);
    put(object, "retry_after_ms", details.retry_after);
    put(object, "prompt_tokens", details.prompt_tokens);
    put(object, "context_tokens", details.context_tokens);
    return object;
}

json::object exception_json(const OtherException& exception) {
    json::object object;
    if (exception.invalid_argument) object["invalid_argument"] = true;
    object["what"] = from_text(exception.what);
    return object;
}

/// The values that differ in each recording.
json::object times_json(const Turn& turn) {
    json::object object;
    put_text(object, "at", turn.times.at);
    put_array(object, "deltas_ms", turn.times.deltas,
              [](milliseconds time) { return json::value(std::int64_t{time.count()}); });
    object["took_ms"] = std::int64_t{turn.times.took.count()};
    if (const auto* reply = std::get_if<ChatReply>(&turn.outcome)) {
        object["wait_ms"] = std::int64_t{reply->wait.count()};
        object["total_ms"] = std::int64_t{reply->total.count()};
        put(object, "prompt_ms", reply->usage.prompt_ms);
        put(object, "completion_ms", reply->usage.completion_ms);
    }
    return object;
}

// --- Reading ----------------------------------------------------------------------------------

/// A fault in a line.
struct Problem {
    std::string what;
};

/// The members of a value that must be an object. Unknown members are ignored, because a newer
/// version may have written them.
class Members {
public:
    Members(const json::value& value, std::string name) : name_(std::move(name)) {
        object_ = value.if_object();
        if (!object_) throw Problem{name_ + " is not an object"};
    }

    [[nodiscard]] const json::value* find(std::string_view name) const {
        return object_->if_contains(name);
    }
    [[nodiscard]] const json::value& need(std::string_view name) const {
        const json::value* value = find(name);
        if (!value) throw Problem{path(name) + " is missing"};
        return *value;
    }
    [[nodiscard]] Members object(std::string_view name) const { return {need(name), path(name)}; }

    /// Empty if it is missing.
    [[nodiscard]] std::string text(std::string_view name) const {
        const json::value* value = find(name);
        return value ? checked(to_text(*value), name, "not text") : std::string();
    }
    [[nodiscard]] std::string document(std::string_view name) const {
        const json::value* value = find(name);
        return value ? checked(to_document(*value), name, "neither text nor an object")
                     : std::string();
    }
    [[nodiscard]] bool flag(std::string_view name) const {
        const json::value* value = find(name);
        if (value && !value->is_bool()) throw Problem{path(name) + " is neither true nor false"};
        return value && value->get_bool();
    }
    template <class Number>
    [[nodiscard]] std::optional<Number> number(std::string_view name) const {
        const json::value* value = find(name);
        if (!value) return std::nullopt;
        if constexpr (std::is_floating_point_v<Number>) {
            return checked(to_double(*value), name, "not a number");
        } else {
            boost::system::error_code error;
            const auto number = value->to_number<Number>(error);
            if (error) throw Problem{path(name) + " is not a number in the valid range"};
            return number;
        }
    }
    [[nodiscard]] std::optional<milliseconds> time(std::string_view name) const {
        const auto count = number<std::int64_t>(name);
        return count ? std::optional(milliseconds(*count)) : std::nullopt;
    }
    template <class Enum, std::size_t Count>
    [[nodiscard]] Enum one_of(std::string_view name,
                              const std::array<std::string_view, Count>& names,
                              int first = 0) const {
        const std::string word = checked(to_text(need(name)), name, "not text");
        const auto at = std::find(names.begin(), names.end(), word);
        if (at == names.end()) throw Problem{path(name) + " is unknown: " + word};
        return static_cast<Enum>(static_cast<int>(at - names.begin()) + first);
    }
    /// The value of a word, according to `parse`, which returns nothing for an unknown word.
    template <class Parse>
    [[nodiscard]] auto parsed(std::string_view name, Parse parse) const {
        const std::string word = checked(to_text(need(name)), name, "not text");
        const auto value = parse(word);
        if (!value) throw Problem{path(name) + " is unknown: " + word};
        return value;
    }
    /// The results of `read(element, its name)` for each element; empty if the member is missing.
    template <class Read>
    [[nodiscard]] auto list(std::string_view name, Read read) const {
        std::vector<decltype(read(std::declval<const json::value&>(), name_))> items;
        const json::value* value = find(name);
        if (!value) return items;
        const json::array* array = value->if_array();
        if (!array) throw Problem{path(name) + " is not a list"};
        items.reserve(array->size());
        for (const json::value& element : *array)
            items.push_back(read(element, path(name) + "[" + std::to_string(items.size()) + "]"));
        return items;
    }

    [[nodiscard]] std::string path(std::string_view name) const {
        return (name_.empty() ? "" : name_ + ".").append(name);
    }

private:
    template <class T>
    [[nodiscard]] T checked(std::optional<T> value, std::string_view name,
                            std::string_view instead) const {
        if (!value) throw Problem{(path(name) + " is ").append(instead)};
        return *std::move(value);
    }

    const json::object* object_ = nullptr;
    std::string name_;
};

bool is_sha256(std::string_view text) {
    return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

std::string read_text(const json::value& value, const std::string& name) {
    std::optional<std::string> text = to_text(value);
    if (!text) throw Problem{name + " is not text"};
    return *std::move(text);
}

SafetyCheck read_check(const json::value& value, const std::string& name) {
    const Members check(value, name);
    return {check.text("id"), check.text("code"), check.text("message")};
}

ToolCall read_call(const json::value& value, const std::string& name) {
    const Members call(value, name);
    const auto provenance = call.find("provenance")
                                ? call.one_of<Provenance>("provenance", provenances)
                                : Provenance::native;
    return {call.text("id"),        call.text("name"), call.document("arguments"),
            call.document("extra"), provenance,        call.list("safety_checks", read_check)};
}

ToolSpec read_tool(const json::value& value, const std::string& name) {
    const Members tool(value, name);
    return {tool.text("name"), tool.text("description"), tool.document("parameters"),
            tool.flag("computer")};
}

/// A time in milliseconds, at most a year.
milliseconds read_moment(const json::value& value, const std::string& name) {
    constexpr std::int64_t a_year = std::int64_t{365} * 24 * 3600 * 1000;
    boost::system::error_code error;
    const auto count = value.to_number<std::int64_t>(error);
    if (error || count < 0 || count > a_year)
        throw Problem{name + " is not a number of milliseconds"};
    return milliseconds(count);
}

Delta read_delta(const json::value& value, const std::string& name) {
    const Members delta(value, name);
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
        if (delta.find(kinds[kind]))
            return {static_cast<Delta::Kind>(kind), delta.text(kinds[kind]),
                    delta.number<std::size_t>("call").value_or(0), delta.text("tool")};
    throw Problem{name + " is neither text nor reasoning nor arguments"};
}

Sampling read_sampling(const Members& sampling) {
    Sampling read{
        sampling.number<double>("temperature"), sampling.number<double>("top_p"),
        sampling.number<int>("top_k"),          sampling.number<double>("presence_penalty"),
        sampling.number<std::int64_t>("seed"),  sampling.number<int>("max_tokens"),
        sampling.list("stop", read_text)};
    if (sampling.find("reasoning_effort"))
        read.reasoning_effort = sampling.parsed("reasoning_effort", parse_reasoning_effort);
    read.thinking_tokens = sampling.number<int>("thinking_tokens");
    if (sampling.find("image_detail"))
        read.image_detail = sampling.parsed("image_detail", parse_image_detail);
    return read;
}

ChatReply read_reply(const Members& members, const Members& times) {
    ChatReply reply;
    reply.text = members.text("text");
    reply.reasoning = members.text("reasoning");
    reply.tool_calls = members.list("tool_calls", read_call);
    reply.items_json = members.text("items");
    if (members.find("ignored_call"))
        reply.ignored_call = members.one_of<IgnoredCall>("ignored_call", ignored_calls);
    reply.finish = members.one_of<FinishReason>("finish", finishes);
    reply.model = members.text("model");
    reply.usage = {members.number<int>("prompt_tokens"), members.number<int>("cached_tokens"),
                   members.number<int>("completion_tokens"), times.number<double>("prompt_ms"),
                   times.number<double>("completion_ms")};
    reply.notes = members.list("notes", read_text);
    reply.wait = times.time("wait_ms").value_or(milliseconds());
    reply.total = times.time("total_ms").value_or(milliseconds());
    return reply;
}

Error read_error(const Members& error) {
    ErrorDetails details;
    details.status = error.number<int>("status");
    details.server_message = error.text("server_message");
    if (error.find("retry")) details.retry = error.one_of<Retry>("retry", retries);
    details.retry_after = error.time("retry_after_ms");
    details.prompt_tokens = error.number<int>("prompt_tokens");
    details.context_tokens = error.number<int>("context_tokens");
    return {error.one_of<errc>("code", codes, first_code), error.text("what"), std::move(details)};
}

/// Reads the lines of one cassette in order.
class TapeReader {
public:
    [[nodiscard]] Tape take() { return std::move(tape_); }

    void header(const json::value& line) {
        const json::object* object = line.if_object();
        if (!object || !object->contains("cassette")) throw Problem{"this is not a cassette"};
        const auto found = Members(line, "").number<std::int64_t>("cassette");
        if (found != version)
            throw Problem{"cassette version " + std::to_string(*found) + " is not supported"};
    }

    void turn(const json::value& line, std::size_t line_number) {
        line_ = line_number;
        const Members members(line, "");
        const auto number = members.number<std::size_t>("turn");
        if (const std::size_t expected = tape_.turns.size() + 1; number != expected)
            throw Problem{"this should be turn " + std::to_string(expected)};
        Turn turn;
        turn.request = request(members.object("request"));
        turn.deltas = members.list("deltas", read_delta);
        const json::value none(json::object_kind);
        const Members times(members.find("times") ? *members.find("times") : none, "times");
        turn.times = read_times(times, turn.deltas.size());
        turn.outcome = outcome(members, times);
        message_count_ = turn.request.same_messages + turn.request.rest.messages.size();
        tape_.turns.push_back(std::move(turn));
    }

private:
    AbridgedRequest request(const Members& members) {
        AbridgedRequest request;
        request.same_messages = members.number<std::size_t>("same_messages").value_or(0);
        if (request.same_messages > message_count_)
            throw Problem{members.path("same_messages") + " is more than the previous turn has"};
        request.same_tools = members.flag("same_tools");
        ChatRequest& rest = request.rest;
        rest.model = members.text("model");
        rest.messages = members.list("messages", [this](const auto& value, const auto& name) {
            return message(Members(value, name));
        });
        rest.tools = members.list("tools", read_tool);
        if (members.find("tool_choice"))
            rest.tool_choice = members.one_of<ToolChoice>("tool_choice", choices);
        if (members.find("sampling")) rest.sampling = read_sampling(members.object("sampling"));
        if (members.find("response_format")) {
            const Members format = members.object("response_format");
            rest.response_format = {format.text("name"), format.document("schema")};
        }
        return request;
    }

    Message message(const Members& members) {
        Message message;
        message.role = members.one_of<Role>("role", roles);
        message.parts = members.list(
            "parts", [this](const auto& value, const auto& name) { return part(value, name); });
        message.tool_calls = members.list("tool_calls", read_call);
        message.tool_call_id = members.text("answers");
        message.items_json = members.text("items");
        message.acknowledged_checks = members.list("acknowledged_checks", read_check);
        return message;
    }

    Part part(const json::value& value, const std::string& name) {
        if (std::optional<std::string> text = to_text(value)) return *std::move(text);
        const Members members(value, name);
        (void)members.need("image");
        Image image;
        image.sha256 = members.text("image");
        if (members.find("media_type")) image.media_type = members.text("media_type");
        const auto size = members.number<std::uint64_t>("size");
        if (size) note_file(name, {image.sha256, image.media_type, *size, line_});
        return image;
    }

    void note_file(const std::string& name, ImageFile file) {
        // It becomes a file name, so any other text is unsafe.
        if (!is_sha256(file.sha256)) throw Problem{name + ".image is not a SHA-256"};
        const auto same = [&](const ImageFile& other) {
            return other.sha256 == file.sha256 && other.media_type == file.media_type &&
                   other.bytes == file.bytes;
        };
        if (std::none_of(tape_.images.begin(), tape_.images.end(), same))
            tape_.images.push_back(std::move(file));
    }

    static Times read_times(const Members& members, std::size_t deltas) {
        Times times;
        times.at = members.text("at");
        times.deltas = members.list("deltas_ms", read_moment);
        if (!times.deltas.empty() && times.deltas.size() != deltas)
            throw Problem{"times.deltas_ms and deltas differ in length"};
        if (const json::value* took = members.find("took_ms"))
            times.took = read_moment(*took, members.path("took_ms"));
        return times;
    }

    static decltype(Turn::outcome) outcome(const Members& members, const Members& times) {
        if (members.find("reply")) return read_reply(members.object("reply"), times);
        if (members.find("error")) return read_error(members.object("error"));
        if (!members.find("exception")) throw Problem{"reply, error or exception is missing"};
        const Members exception = members.object("exception");
        return OtherException{exception.flag("invalid_argument"), exception.text("what")};
    }

    Tape tape_;
    std::size_t message_count_ = 0; // of the previous turn
    std::size_t line_ = 0;
};

bool same_part(const Part& left, const Part& right) {
    if (left.index() != right.index()) return false;
    if (const auto* text = std::get_if<std::string>(&left))
        return *text == std::get<std::string>(right);
    const auto& one = std::get<Image>(left);
    const auto& other = std::get<Image>(right);
    return one.sha256 == other.sha256 && one.media_type == other.media_type &&
           (one.bytes == nullptr) == (other.bytes == nullptr);
}

bool same_message(const Message& left, const Message& right) {
    return left.role == right.role && left.tool_calls == right.tool_calls &&
           left.tool_call_id == right.tool_call_id && left.items_json == right.items_json &&
           left.acknowledged_checks == right.acknowledged_checks &&
           std::equal(left.parts.begin(), left.parts.end(), right.parts.begin(), right.parts.end(),
                      same_part);
}

bool same_tool(const ToolSpec& left, const ToolSpec& right) {
    return left.name == right.name && left.description == right.description &&
           left.parameters_json == right.parameters_json && left.computer == right.computer;
}

template <class Action>
void for_each_image(ChatRequest& request, Action action) {
    for (Message& message : request.messages)
        for (Part& part : message.parts)
            if (auto* image = std::get_if<Image>(&part)) action(*image);
}

} // namespace

AbridgedRequest abridge(const ChatRequest& request, const ChatRequest& previous) {
    AbridgedRequest abridged{.rest = request};
    std::vector<Message>& messages = abridged.rest.messages;
    const auto first_new =
        std::mismatch(messages.begin(), messages.end(), previous.messages.begin(),
                      previous.messages.end(), same_message)
            .first;
    abridged.same_messages = static_cast<std::size_t>(first_new - messages.begin());
    messages.erase(messages.begin(), first_new);
    abridged.same_tools = !request.tools.empty() &&
                          std::equal(request.tools.begin(), request.tools.end(),
                                     previous.tools.begin(), previous.tools.end(), same_tool);
    if (abridged.same_tools) abridged.rest.tools.clear();
    return abridged;
}

void restore(const AbridgedRequest& request, ChatRequest& previous) {
    ChatRequest all = request.rest;
    previous.messages.resize(request.same_messages);
    std::move(all.messages.begin(), all.messages.end(), std::back_inserter(previous.messages));
    all.messages = std::move(previous.messages);
    if (request.same_tools) all.tools = std::move(previous.tools);
    previous = std::move(all);
}

ChatRequest with_hashes(ChatRequest request) {
    for_each_image(request, [](Image& image) {
        if (image.sha256.empty() && image.bytes) image.sha256 = sha256_hex(std::span(*image.bytes));
    });
    return request;
}

std::string header_line() { return print(json::object{{"cassette", version}}) + "\n"; }

std::string turn_line(std::size_t number, const Turn& turn) {
    json::object line{{"turn", number}};
    line["request"] = request_json(turn.request);
    put_array(line, "deltas", turn.deltas, delta_json);
    if (const auto* reply = std::get_if<ChatReply>(&turn.outcome))
        line["reply"] = reply_json(*reply);
    else if (const auto* error = std::get_if<Error>(&turn.outcome))
        line["error"] = error_json(*error);
    else
        line["exception"] = exception_json(std::get<OtherException>(turn.outcome));
    line["times"] = times_json(turn); // last, so that differences of lines are at their end
    return print(line) + "\n";
}

Tape read_tape(std::string_view text, const std::string& name) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF"; // written by some editors
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    TapeReader reader;
    bool header = true;
    for (std::size_t line_number = 1; !text.empty(); ++line_number) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const bool is_whole = end < text.size();
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(is_whole ? end + 1 : end);
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        try {
            std::string why;
            const std::optional<json::value> value = parse(line, line_depth, &why);
            // A truncated object does not parse. So a last line that parses is complete, even
            // without a line break.
            if (!value && !is_whole && !header) break;
            if (!value) throw Problem{header ? "this is not a cassette" : why};
            if (header)
                reader.header(*value);
            else
                reader.turn(*value, line_number);
            header = false;
        } catch (const Problem& problem) {
            throw CassetteError(name + ", line " + std::to_string(line_number) + ": " +
                                problem.what);
        }
    }
    if (header) throw CassetteError(name + " is empty, not a cassette");
    return reader.take();
}

std::string as_sent(const ChatRequest& request) {
    ChatRequest named = with_hashes(request);
    for_each_image(named, [](Image& image) {
        // Only the hash is printed of an image without bytes.
        if (!image.media_type.empty()) image.sha256 += ", " + image.media_type;
        image.bytes.reset();
    });
    // Only requests to the Responses API have output items.
    const bool has_items =
        std::any_of(named.messages.begin(), named.messages.end(),
                    [](const Message& message) { return !message.items_json.empty(); });
    try {
        // These forms contain both options of reasoning.
        return wire::encode_request(
            named,
            {.images = wire::ImageMode::redacted,
             .quirks = {.reasoning = has_items ? ReasoningForm::llama_server : ReasoningForm::vllm},
             .api = has_items ? Api::responses : Api::chat_completions});
    } catch (const std::invalid_argument&) {
        return print(request_json({.rest = std::move(named)}));
    }
}

} // namespace eyehand::vlm::cassette
