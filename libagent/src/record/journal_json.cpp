#include "record/journal_json.hpp"

#include "base/text.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/tool.hpp"
#include "eyehand/vlm/digest.hpp"
#include "modes/visual_loop/visual_json.hpp"

#include <array>
#include <type_traits>

namespace eyehand::agent {
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
    if (request.response_format)
        all.emplace_back(
            json::array{request.response_format->name, request.response_format->schema_json});
    return vlm::sha256_hex(json::serialize(all));
}

/// {"boxes": [...], "trail": [[{"number": 1, "at": [x, y], "to": [x, y]}], ...]}
json::object annotation_json(const Annotation& annotation) {
    const auto point = [](const winio::NormPoint& at) { return json::array{at.x, at.y}; };
    json::array trail;
    for (const std::vector<Mark>& turn : annotation.trail) {
        json::array marks;
        for (const Mark& mark : turn) {
            json::object one{{"number", mark.number}, {"at", point(mark.at)}};
            if (mark.to) one["to"] = point(*mark.to);
            marks.emplace_back(std::move(one));
        }
        trail.emplace_back(std::move(marks));
    }
    return {{"boxes", boxes_json(annotation.boxes)}, {"trail", std::move(trail)}};
}

json::object action_json(const Action& action) {
    json::array points;
    for (const winio::NormPoint& point : action.points)
        points.emplace_back(json::array{point.x, point.y});
    json::object all{{"tool", valid(action.tool)}, {"points", std::move(points)}};
    if (!action.subject.empty()) all["subject"] = valid(action.subject);
    if (action.acts) all["acts"] = true;
    return all;
}

json::object signal_json(const Signal& signal) {
    struct Visitor {
        json::object operator()(std::monostate) const { return {}; }
        json::object operator()(const Brief& it) const {
            return {{"type", "brief"},
                    {"instructions", valid(it.instructions)},
                    {"rationale", valid(it.rationale)}};
        }
        json::object operator()(const Archive& it) const {
            return {{"type", "archive"},
                    {"summary", valid(it.summary)},
                    {"patterns", valid(it.patterns)},
                    {"turns", json::array(it.turns.begin(), it.turns.end())}};
        }
        json::object operator()(const Progress& it) const {
            return {{"type", "progress"},
                    {"objective", valid(it.objective)},
                    {"status", valid(it.status)},
                    {"evidence", valid(it.evidence)}};
        }
        json::object operator()(const Completion& it) const {
            return {{"type", "completion"}, {"evidence", valid(it.evidence)}};
        }
        json::object operator()(const Verdict& it) const {
            return {{"type", "verdict"}, {"confirmed", it.confirmed}, {"reason", valid(it.reason)}};
        }
    };
    return std::visit(Visitor{}, signal);
}

struct Writer {
    json::object& entry;

    void operator()(const RunStarted& it) const {
        entry["task"] = valid(it.task);
        entry["profile"] = it.profile;
        entry["model"] = it.model;
    }
    void operator()(const RunResumed& it) const {
        json::array remarks;
        for (const std::string& remark : it.remarks) remarks.emplace_back(valid(remark));
        entry["remarks"] = std::move(remarks);
    }
    void operator()(const Observe& it) const {
        entry["screenshot"] = it.screenshot;
        if (it.annotation) entry["annotation"] = annotation_json(*it.annotation);
    }
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
    void operator()(const Recover& it) const { entry["why"] = valid(it.reason); }
    void operator()(const Recovered& it) const {
        if (!it.problem.empty()) entry["problem"] = valid(it.problem);
        if (!it.desktop_failure.empty()) entry["desktop_failure"] = valid(it.desktop_failure);
        entry["act_ms"] = ms(it.act);
    }
    void operator()(const Await&) const { entry["for"] = "reply"; }
    void operator()(const UserMessage& it) const {
        entry["kind"] = it.kind == UserMessage::Kind::reply ? "reply" : "words";
        entry["text"] = valid(it.text);
    }
    void operator()(const Noted& it) const {
        entry["kind"] = it.kind;
        entry["text"] = valid(it.text);
    }
    void operator()(const Finish& it) const {
        entry["outcome"] = to_string(it.outcome);
        entry["why"] = valid(it.reason);
    }
    void operator()(const Observed& it) const {
        json::array changed;
        for (const winio::Rect& rect : it.changed) changed.emplace_back(rect_json(rect));
        entry["file"] = it.file;
        entry["sha256"] = it.sha256;
        if (!it.raw_file.empty()) {
            entry["raw_file"] = it.raw_file;
            entry["raw_sha256"] = it.raw_sha256;
        }
        entry["width"] = it.size.width;
        entry["height"] = it.size.height;
        entry["area"] = rect_json(it.area);
        entry["changed"] = std::move(changed);
        if (it.pointer) entry["pointer"] = json::array{it.pointer->x, it.pointer->y};
        if (it.still) entry["still"] = true;
        entry["settle_ms"] = it.settle.count();
        entry["capture_ms"] = ms(it.capture);
        entry["scale_ms"] = ms(it.scale);
        entry["encode_ms"] = ms(it.encode);
        if (!it.raw_file.empty()) entry["annotate_ms"] = ms(it.annotate);
    }
    void operator()(const ObserveFailed& it) const { failure(it.error, it.message); }
    void operator()(const Replied& it) const {
        const vlm::ChatReply& reply = it.reply;
        entry["text"] = valid(reply.text);
        if (!reply.reasoning.empty()) entry["reasoning"] = valid(reply.reasoning);
        entry["tool_calls"] = calls_json(reply.tool_calls);
        entry["finish"] = finish_names.at(static_cast<std::size_t>(reply.finish));
        entry["model"] = valid(reply.model);
        if (!reply.notes.empty()) {
            json::array notes;
            for (const std::string& note : reply.notes) notes.emplace_back(valid(note));
            entry["notes"] = std::move(notes);
        }
        entry["prompt_tokens"] = or_null(reply.usage.prompt_tokens);
        entry["cached_tokens"] = or_null(reply.usage.cached_tokens);
        entry["completion_tokens"] = or_null(reply.usage.completion_tokens);
        entry["wait_ms"] = reply.wait.count();
        entry["model_ms"] = reply.total.count();
    }
    void operator()(const AskFailed& it) const {
        failure(it.error, it.message);
        if (it.context_overflow) entry["context_overflow"] = true;
        if (it.refused) entry["refused"] = true;
    }
    void operator()(const Invoked& it) const {
        entry["call_id"] = valid(it.call_id);
        entry["tool"] = valid(it.tool);
        entry["ok"] = it.ok;
        entry["result"] = valid(it.result_json);
        if (it.wants_screenshot) entry["wants_screenshot"] = true;
        if (!it.desktop_failure.empty()) entry["desktop_failure"] = valid(it.desktop_failure);
        if (it.interrupted) entry["interrupted"] = true;
        entry["policy_ms"] = ms(it.policy);
        entry["act_ms"] = ms(it.act);
        if (it.action != Action()) entry["action"] = action_json(it.action);
        if (it.signal.index() != 0) entry["signal"] = signal_json(it.signal);
    }
    void operator()(const Stopped& it) const { entry["why"] = valid(it.reason); }
    void operator()(const RunFinished& it) const {
        entry["outcome"] = to_string(it.outcome);
        entry["why"] = valid(it.reason);
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
    fact.raw_file = string_or_empty(entry, "raw_file");
    fact.raw_sha256 = string_or_empty(entry, "raw_sha256");
    fact.size = {int_at(entry, "width"), int_at(entry, "height")};
    fact.area = rect_of(entry.at("area"));
    for (const json::value& rect : entry.at("changed").as_array()) {
        fact.changed.push_back(rect_of(rect));
    }
    if (const json::value* pointer = entry.if_contains("pointer")) {
        const json::array& xy = pointer->as_array();
        fact.pointer = {xy.at(0).to_number<double>(), xy.at(1).to_number<double>()};
    }
    fact.still = flag_at(entry, "still");
    fact.settle = milli_at(entry, "settle_ms");
    fact.capture = micro_at(entry, "capture_ms");
    fact.scale = micro_at(entry, "scale_ms");
    fact.encode = micro_at(entry, "encode_ms");
    if (entry.contains("annotate_ms")) fact.annotate = micro_at(entry, "annotate_ms");
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
                   optional_int_at(entry, "completion_tokens"), std::nullopt, std::nullopt};
    if (const json::value* notes = entry.if_contains("notes"))
        for (const json::value& note : notes->as_array())
            reply.notes.emplace_back(note.as_string().begin(), note.as_string().end());
    reply.wait = milli_at(entry, "wait_ms");
    reply.total = milli_at(entry, "model_ms");
    return {std::move(reply)};
}

Action read_action(const json::object& entry) {
    Action action;
    action.tool = string_at(entry, "tool");
    for (const json::value& point : entry.at("points").as_array()) {
        const json::array& xy = point.as_array();
        action.points.push_back({xy.at(0).to_number<double>(), xy.at(1).to_number<double>()});
    }
    action.subject = string_or_empty(entry, "subject");
    action.acts = flag_at(entry, "acts");
    return action;
}

Signal read_signal(const json::object& entry) {
    const std::string type = string_at(entry, "type");
    if (type == "brief")
        return Brief{string_at(entry, "instructions"), string_at(entry, "rationale")};
    if (type == "progress")
        return Progress{string_at(entry, "objective"), string_at(entry, "status"),
                        string_at(entry, "evidence")};
    if (type == "completion") return Completion{string_at(entry, "evidence")};
    if (type == "verdict") return Verdict{flag_at(entry, "confirmed"), string_at(entry, "reason")};
    if (type != "archive") return {}; // of a later version
    Archive archive{string_at(entry, "summary"), string_at(entry, "patterns"), {}};
    for (const json::value& turn : entry.at("turns").as_array())
        archive.turns.push_back(turn.to_number<int>());
    return archive;
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
    if (entry.contains("policy_ms")) fact.policy = micro_at(entry, "policy_ms"); // older: none
    fact.act = micro_at(entry, "act_ms");
    if (const json::value* action = entry.if_contains("action"))
        fact.action = read_action(action->as_object());
    if (const json::value* signal = entry.if_contains("signal"))
        fact.signal = read_signal(signal->as_object());
    return fact;
}

} // namespace

std::string_view type_name(const Payload& payload) {
    static constexpr std::array<std::string_view, std::variant_size_v<Payload>> names{
        "run_started", "run_resumed", "observe",     "ask",       "invoke",
        "recover",     "await",       "finish",      "observed",  "observe_failed",
        "replied",     "ask_failed",  "invoked",     "recovered", "told",
        "stopped",     "noted",       "run_finished"};
    return names.at(payload.index());
}

void write_payload(const Payload& payload, json::object& entry) {
    std::visit(Writer{entry}, payload);
}

std::optional<Fact> read_fact(const json::object& entry) {
    const std::string type = string_at(entry, "type");
    if (type == "observed") return read_observed(entry);
    if (type == "observe_failed") {
        return ObserveFailed{current_error_name(string_at(entry, "error")),
                             string_at(entry, "message")};
    }
    if (type == "replied") return read_replied(entry);
    if (type == "ask_failed") {
        return AskFailed{current_error_name(string_at(entry, "error")), string_at(entry, "message"),
                         flag_at(entry, "context_overflow"), flag_at(entry, "refused")};
    }
    if (type == "invoked") return read_invoked(entry);
    if (type == "recovered")
        return Recovered{string_or_empty(entry, "problem"),
                         string_or_empty(entry, "desktop_failure"), micro_at(entry, "act_ms")};
    if (type == "told")
        return UserMessage{string_at(entry, "kind") == "reply" ? UserMessage::Kind::reply
                                                               : UserMessage::Kind::words,
                           string_at(entry, "text")};
    if (type == "stopped") return Stopped{string_at(entry, "why")};
    return std::nullopt;
}

std::optional<Fact> interrupted(const json::object& command) {
    const std::string type = string_at(command, "type");
    if (type == "recover") return Recovered{"the run was interrupted during the recovery", {}, {}};
    if (type != "invoke") return std::nullopt;
    Invoked fact;
    fact.call_id = string_at(command, "call_id");
    fact.tool = string_at(command, "tool");
    fact.interrupted = true;
    fact.result_json =
        fail("interrupted", "The run was interrupted during this call. Whether it took effect is "
                            "unknown: look at the screen before repeating it.")
            .json();
    return fact;
}

} // namespace eyehand::agent
