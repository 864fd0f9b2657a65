#include "journal_json.hpp"

#include "text.hpp"
#include "vlm/digest.hpp"

#include <array>
#include <type_traits>

namespace agent {
namespace {

using Microseconds = std::chrono::microseconds;
using Milliseconds = std::chrono::milliseconds;

// ---- writing ------------------------------------------------------------------------------------

std::string valid(std::string_view text) { return to_valid_utf8(text); }

double ms(Microseconds duration) { return static_cast<double>(duration.count()) / 1000.0; }

json::value or_null(const std::optional<int>& number) {
    return number ? json::value(*number) : json::value(nullptr);
}

json::array rect_json(const winio::Rect& rect) { return {rect.x, rect.y, rect.width, rect.height}; }

json::array calls_json(const std::vector<vlm::ToolCall>& calls) {
    json::array all;
    for (const vlm::ToolCall& call : calls) {
        json::object one{{"id", valid(call.id)},
                         {"name", valid(call.name)},
                         {"arguments", valid(call.arguments_json)}};
        if (!call.extra_json.empty()) one["extra"] = valid(call.extra_json);
        all.push_back(std::move(one));
    }
    return all;
}

constexpr std::array<std::string_view, 6> finish_names{"stop",           "length", "tool_calls",
                                                       "content_filter", "error",  "unknown"};

/// What a request would look like, in one hash: replay compares it. The journal need not hold the
/// request itself, which the facts before it determine.
std::string request_digest(const vlm::ChatRequest& request) {
    json::array all{valid(request.model)};
    for (const vlm::Message& message : request.messages) {
        json::array one{std::string(vlm::to_string(message.role)), valid(message.tool_call_id)};
        for (const vlm::Part& part : message.parts) {
            if (const auto* text = std::get_if<std::string>(&part))
                one.emplace_back(valid(*text));
            else
                one.emplace_back(json::array{std::get<vlm::Image>(part).sha256});
        }
        one.emplace_back(calls_json(message.tool_calls));
        all.emplace_back(std::move(one));
    }
    for (const vlm::ToolSpec& tool : request.tools) {
        all.emplace_back(json::array{tool.name, tool.description, tool.parameters_json});
    }
    return vlm::sha256_hex(json::serialize(all));
}

struct Writer {
    json::object& entry;

    void operator()(const RunStarted& it) const {
        entry["task"] = valid(it.task);
        entry["profile"] = it.profile;
        entry["model"] = it.model;
    }
    void operator()(const Observe& it) const { entry["screenshot"] = it.screenshot; }
    void operator()(const Ask& it) const {
        json::array images;
        for (const vlm::Message& message : it.request.messages) {
            for (const vlm::Part& part : message.parts) {
                if (const auto* image = std::get_if<vlm::Image>(&part)) {
                    images.emplace_back(image->sha256);
                }
            }
        }
        entry["role"] = it.role;
        entry["model"] = it.request.model;
        entry["messages"] = it.request.messages.size();
        entry["images"] = std::move(images);
        entry["request_sha256"] = request_digest(it.request);
    }
    void operator()(const Invoke& it) const {
        entry["call_id"] = valid(it.call.id);
        entry["tool"] = valid(it.call.name);
        entry["arguments"] = valid(it.call.arguments_json);
    }
    void operator()(const Finish& it) const {
        entry["outcome"] = to_string(it.outcome);
        entry["why"] = valid(it.why);
    }
    void operator()(const Observed& it) const {
        json::array changed;
        for (const winio::Rect& rect : it.changed) changed.emplace_back(rect_json(rect));
        entry["file"] = it.file;
        entry["sha256"] = it.sha256;
        entry["width"] = it.size.width;
        entry["height"] = it.size.height;
        entry["area"] = rect_json(it.area);
        entry["changed"] = std::move(changed);
        entry["settle_ms"] = it.settle.count();
        entry["capture_ms"] = ms(it.capture);
        entry["scale_ms"] = ms(it.scale);
        entry["encode_ms"] = ms(it.encode);
    }
    void operator()(const ObserveFailed& it) const { failure(it.error, it.message); }
    void operator()(const Replied& it) const {
        const vlm::ChatReply& reply = it.reply;
        entry["text"] = valid(reply.text);
        if (!reply.reasoning.empty()) entry["reasoning"] = valid(reply.reasoning);
        entry["tool_calls"] = calls_json(reply.tool_calls);
        entry["finish"] = finish_names.at(static_cast<std::size_t>(reply.finish));
        entry["model"] = valid(reply.model);
        entry["prompt_tokens"] = or_null(reply.usage.prompt_tokens);
        entry["cached_tokens"] = or_null(reply.usage.cached_tokens);
        entry["completion_tokens"] = or_null(reply.usage.completion_tokens);
        entry["wait_ms"] = reply.wait.count();
        entry["model_ms"] = reply.total.count();
    }
    void operator()(const AskFailed& it) const { failure(it.error, it.message); }
    void operator()(const Invoked& it) const {
        entry["call_id"] = valid(it.call_id);
        entry["tool"] = valid(it.tool);
        entry["ok"] = it.ok;
        entry["result"] = valid(it.result_json);
        if (it.wants_screenshot) entry["wants_screenshot"] = true;
        if (!it.desktop_failure.empty()) entry["desktop_failure"] = valid(it.desktop_failure);
        if (it.interrupted) entry["interrupted"] = true;
        entry["act_ms"] = ms(it.act);
    }
    void operator()(const Stopped& it) const { entry["why"] = valid(it.why); }
    void operator()(const RunFinished& it) const {
        entry["outcome"] = to_string(it.outcome);
        entry["why"] = valid(it.why);
        entry["turns"] = it.turns;
        entry["prompt_tokens"] = or_null(it.usage.prompt_tokens);
        entry["cached_tokens"] = or_null(it.usage.cached_tokens);
        entry["completion_tokens"] = or_null(it.usage.completion_tokens);
        entry["elapsed_ms"] = it.elapsed.count();
    }

private:
    void failure(const std::string& error, const std::string& message) const {
        entry["error"] = error;
        entry["message"] = valid(message);
    }
};

// ---- reading ------------------------------------------------------------------------------------

std::string string_at(const json::object& entry, std::string_view name) {
    const json::string& text = entry.at(name).as_string();
    return {text.data(), text.size()};
}

std::string string_or_empty(const json::object& entry, std::string_view name) {
    return entry.contains(name) ? string_at(entry, name) : std::string();
}

int int_at(const json::object& entry, std::string_view name) {
    return entry.at(name).to_number<int>();
}

bool flag_at(const json::object& entry, std::string_view name) {
    const json::value* flag = entry.if_contains(name);
    return flag != nullptr && flag->as_bool();
}

std::optional<int> optional_int_at(const json::object& entry, std::string_view name) {
    const json::value& number = entry.at(name);
    return number.is_null() ? std::nullopt : std::optional(number.to_number<int>());
}

Microseconds micro_at(const json::object& entry, std::string_view name) {
    return Microseconds(std::llround(entry.at(name).to_number<double>() * 1000.0));
}

Milliseconds milli_at(const json::object& entry, std::string_view name) {
    return Milliseconds(entry.at(name).to_number<std::int64_t>());
}

winio::Rect rect_of(const json::value& value) {
    const json::array& numbers = value.as_array();
    const auto number = [&](std::size_t i) { return numbers.at(i).to_number<int>(); };
    return {number(0), number(1), number(2), number(3)};
}

Observed read_observed(const json::object& entry) {
    Observed fact;
    fact.file = string_at(entry, "file");
    fact.sha256 = string_at(entry, "sha256");
    fact.size = {int_at(entry, "width"), int_at(entry, "height")};
    fact.area = rect_of(entry.at("area"));
    for (const json::value& rect : entry.at("changed").as_array()) {
        fact.changed.push_back(rect_of(rect));
    }
    fact.settle = milli_at(entry, "settle_ms");
    fact.capture = micro_at(entry, "capture_ms");
    fact.scale = micro_at(entry, "scale_ms");
    fact.encode = micro_at(entry, "encode_ms");
    return fact;
}

Replied read_replied(const json::object& entry) {
    vlm::ChatReply reply;
    reply.text = string_at(entry, "text");
    reply.reasoning = string_or_empty(entry, "reasoning");
    for (const json::value& value : entry.at("tool_calls").as_array()) {
        const json::object& call = value.as_object();
        reply.tool_calls.push_back({string_at(call, "id"), string_at(call, "name"),
                                    string_at(call, "arguments"), string_or_empty(call, "extra")});
    }
    const std::string finish = string_at(entry, "finish");
    reply.finish = vlm::FinishReason::unknown;
    for (std::size_t i = 0; i < finish_names.size(); ++i) {
        if (finish_names.at(i) == finish) reply.finish = static_cast<vlm::FinishReason>(i);
    }
    reply.model = string_at(entry, "model");
    reply.usage = {optional_int_at(entry, "prompt_tokens"), optional_int_at(entry, "cached_tokens"),
                   optional_int_at(entry, "completion_tokens")};
    reply.wait = milli_at(entry, "wait_ms");
    reply.total = milli_at(entry, "model_ms");
    return {std::move(reply)};
}

Invoked read_invoked(const json::object& entry) {
    Invoked fact;
    fact.call_id = string_at(entry, "call_id");
    fact.tool = string_at(entry, "tool");
    fact.ok = entry.at("ok").as_bool();
    fact.result_json = string_at(entry, "result");
    fact.wants_screenshot = flag_at(entry, "wants_screenshot");
    fact.desktop_failure = string_or_empty(entry, "desktop_failure");
    fact.interrupted = flag_at(entry, "interrupted");
    fact.act = micro_at(entry, "act_ms");
    return fact;
}

} // namespace

std::string_view type_name(const Payload& payload) {
    static constexpr std::array<std::string_view, std::variant_size_v<Payload>> names{
        "run_started",    "observe", "ask",        "invoke",  "finish",  "observed",
        "observe_failed", "replied", "ask_failed", "invoked", "stopped", "run_finished"};
    return names.at(payload.index());
}

void write_payload(const Payload& payload, json::object& entry) {
    std::visit(Writer{entry}, payload);
}

std::optional<Fact> read_fact(const json::object& entry) {
    const std::string type = string_at(entry, "type");
    if (type == "observed") return read_observed(entry);
    if (type == "observe_failed") {
        return ObserveFailed{string_at(entry, "error"), string_at(entry, "message")};
    }
    if (type == "replied") return read_replied(entry);
    if (type == "ask_failed") {
        return AskFailed{string_at(entry, "error"), string_at(entry, "message")};
    }
    if (type == "invoked") return read_invoked(entry);
    if (type == "stopped") return Stopped{string_at(entry, "why")};
    return std::nullopt;
}

std::optional<vlm::ToolCall> read_invoke(const json::object& entry) {
    if (string_at(entry, "type") != "invoke") return std::nullopt;
    return vlm::ToolCall{
        string_at(entry, "call_id"), string_at(entry, "tool"), string_at(entry, "arguments"), {}};
}

} // namespace agent
