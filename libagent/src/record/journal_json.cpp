#include "record/journal_json.hpp"

#include "annotation/annotation_json.hpp"
#include "base/text.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/tool.hpp"
#include "eyehand/vlm/digest.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
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

json::array texts_json(const std::vector<std::string>& texts) {
    json::array all;
    for (const std::string& text : texts) all.emplace_back(valid(text));
    return all;
}

json::array rect_json(const winio::Rect& rect) { return {rect.x, rect.y, rect.width, rect.height}; }

json::array box_json(const winio::NormBox& box) { return {box.x1, box.y1, box.x2, box.y2}; }

json::object zoom_json(const Zoom& zoom) {
    json::object all{{"region", box_json(zoom.region)}, {"use", to_string(zoom.use)}};
    if (zoom.target) all["target"] = json::array{zoom.target->x, zoom.target->y};
    return all;
}

json::object zoomed_json(const Zoomed& zoomed) {
    json::object all{{"work_area", rect_json(zoomed.work_area)}, {"use", to_string(zoomed.use)}};
    if (zoomed.element) all["element"] = json::array{zoomed.element->width, zoomed.element->height};
    return all;
}

json::array images_json(const std::vector<ResultImage>& images) {
    json::array all;
    for (const ResultImage& image : images)
        all.push_back(json::object{{"sha256", image.sha256}, {"file", image.file}});
    return all;
}

json::array rects_json(const std::vector<winio::Rect>& rects) {
    json::array all;
    for (const winio::Rect& rect : rects) all.emplace_back(rect_json(rect));
    return all;
}

/// Older journals lack the member: their calls count as native.
void put_provenance(const vlm::ToolCall& call, json::object& entry) {
    if (call.provenance != vlm::Provenance::native)
        entry["provenance"] = vlm::to_string(call.provenance);
}

void put_checks(std::string_view name, const std::vector<vlm::SafetyCheck>& checks,
                json::object& entry) {
    if (checks.empty()) return;
    json::array all;
    for (const vlm::SafetyCheck& check : checks)
        all.push_back(json::object{{"id", valid(check.id)},
                                   {"code", valid(check.code)},
                                   {"message", valid(check.message)}});
    entry[name] = std::move(all);
}

json::array calls_json(const std::vector<vlm::ToolCall>& calls) {
    json::array all;
    for (const vlm::ToolCall& call : calls) {
        json::object one{{"id", valid(call.id)},
                         {"name", valid(call.name)},
                         {"arguments", valid(call.arguments_json)}};
        if (!call.extra_json.empty()) one["extra"] = valid(call.extra_json);
        put_provenance(call, one);
        put_checks("safety_checks", call.safety_checks, one);
        all.push_back(std::move(one));
    }
    return all;
}

constexpr std::array<std::string_view, 4> ignored_call_names{"none", "not_accepted", "unclear",
                                                             "quoted"};
constexpr std::array<std::string_view, 6> finish_names{"stop",           "length", "tool_calls",
                                                       "content_filter", "error",  "unknown"};

/// The hash of a request. The journal does not contain the request itself, which the facts before
/// it determine.
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
        // Only then, so that the hashes of other requests are those of older versions.
        if (!message.items_json.empty()) one.emplace_back(valid(message.items_json));
        for (const vlm::SafetyCheck& check : message.acknowledged_checks)
            one.emplace_back(valid(check.id));
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

json::object sent_text_json(const SentText& text) {
    return {{"text", valid(text.hash)}, {"bytes", text.bytes}};
}

json::array sent_messages_json(const std::vector<SentMessage>& messages) {
    json::array all;
    for (const SentMessage& message : messages) {
        json::array parts;
        for (const SentPart& part : message.parts)
            parts.emplace_back(part.image_sha256.empty()
                                   ? sent_text_json(part.text)
                                   : json::object{{"image", valid(part.image_sha256)}});
        json::object one{{"role", valid(message.role)}, {"parts", std::move(parts)}};
        if (!message.tool_calls.empty()) one["tool_calls"] = calls_json(message.tool_calls);
        if (!message.tool_call_id.empty()) one["call_id"] = valid(message.tool_call_id);
        if (message.items) one["items"] = sent_text_json(*message.items);
        put_checks("acknowledged_checks", message.acknowledged_checks, one);
        all.emplace_back(std::move(one));
    }
    return all;
}

json::object action_json(const Action& action) {
    json::array points;
    for (const winio::NormPoint& point : action.points)
        points.emplace_back(json::array{point.x, point.y});
    json::object all{{"tool", valid(action.tool)}, {"points", std::move(points)}};
    if (!action.subject.empty()) all["subject"] = valid(action.subject);
    if (action.acts) all["acts"] = true;
    if (action.waits) all["waits"] = true;
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

void put_decision(const GuardRecord& record, json::object& into) {
    into["allowed"] = record.allowed;
    into["rule"] = valid(record.rule);
    into["decider"] = valid(record.decider);
    if (!record.channel.empty()) into["channel"] = valid(record.channel);
}

json::object guard_json(const GuardRecord& record) {
    json::object all;
    put_decision(record, all);
    return all;
}

struct Writer {
    json::object& entry;

    void operator()(const RunStarted& it) const {
        entry["task"] = valid(it.task);
        entry["profile"] = it.profile;
        entry["model"] = it.model;
    }
    void operator()(const RunResumed& it) const { entry["remarks"] = texts_json(it.remarks); }
    void operator()(const Observe& it) const {
        entry["screenshot"] = it.screenshot;
        if (it.annotation) entry["annotation"] = to_json(*it.annotation);
        if (it.zoom) entry["zoom"] = zoom_json(*it.zoom);
    }
    void operator()(const Asked& it) const {
        entry["role"] = it.role;
        entry["model"] = it.model;
        entry["messages"] = it.messages;
        entry["tools"] = it.tools;
        entry["images"] = texts_json(it.images);
        entry["request_sha256"] = it.request_sha256;
        if (it.number > 0) entry["request"] = it.number;
        if (!it.sent) return;
        entry["same"] = it.sent->same;
        entry["added"] = sent_messages_json(it.sent->added);
        if (it.sent->tools) entry["tools_text"] = sent_text_json(*it.sent->tools);
        if (it.sent->structure) entry["structure"] = sent_text_json(*it.sent->structure);
    }
    void operator()(const Invoke& it) const {
        entry["call_id"] = valid(it.call.id);
        entry["tool"] = valid(it.call.name);
        entry["arguments"] = valid(it.call.arguments_json);
        put_provenance(it.call, entry);
        put_checks("safety_checks", it.call.safety_checks, entry);
    }
    void operator()(const Recover& it) const { entry["why"] = valid(it.reason); }
    void operator()(const Recovered& it) const {
        if (!it.problem.empty()) entry["problem"] = valid(it.problem);
        if (!it.desktop_failure.empty()) entry["desktop_failure"] = valid(it.desktop_failure);
        if (it.guard) entry["policy_ms"] = ms(it.policy);
        entry["act_ms"] = ms(it.act);
        if (it.guard) entry["guard"] = guard_json(*it.guard);
    }
    void operator()(const Await&) const { entry["for"] = "reply"; }
    void operator()(const UserMessage& it) const {
        entry["kind"] = it.kind == UserMessage::Kind::reply ? "reply" : "words";
        entry["text"] = valid(it.text);
    }
    void operator()(const Judged& it) const {
        if (it.step.empty()) {
            entry["call_id"] = valid(it.call_id);
            entry["tool"] = valid(it.tool);
        } else {
            entry["step"] = valid(it.step);
        }
        put_decision(it.guard, entry);
        entry["policy_ms"] = ms(it.policy);
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
        entry["file"] = it.file;
        entry["sha256"] = it.sha256;
        if (!it.raw_file.empty()) {
            entry["raw_file"] = it.raw_file;
            entry["raw_sha256"] = it.raw_sha256;
        }
        entry["width"] = it.size.width;
        entry["height"] = it.size.height;
        if (it.model_size)
            entry["model_size"] = json::array{it.model_size->width, it.model_size->height};
        entry["area"] = rect_json(it.area);
        entry["changed"] = rects_json(it.changed);
        if (!it.redacted.empty()) entry["redacted"] = rects_json(it.redacted);
        if (it.pointer) entry["pointer"] = json::array{it.pointer->x, it.pointer->y};
        if (it.still) entry["still"] = true;
        if (it.returned) entry["returned"] = true;
        entry["settle_ms"] = it.settle.count();
        if (!it.end.empty()) entry["end"] = valid(it.end);
        if (it.reacted_after) entry["reacted_ms"] = it.reacted_after->count();
        entry["capture_ms"] = ms(it.capture);
        entry["scale_ms"] = ms(it.scale);
        entry["encode_ms"] = ms(it.encode);
        if (!it.raw_file.empty()) entry["annotate_ms"] = ms(it.annotate);
        if (it.zoomed) entry["zoomed"] = zoomed_json(*it.zoomed);
    }
    void operator()(const ObserveFailed& it) const { failure(it.error, it.message); }
    void operator()(const Replied& it) const {
        const vlm::ChatReply& reply = it.reply;
        entry["text"] = valid(reply.text);
        if (!reply.reasoning.empty()) entry["reasoning"] = valid(reply.reasoning);
        entry["tool_calls"] = calls_json(reply.tool_calls);
        if (!reply.items_json.empty()) entry["items"] = valid(reply.items_json);
        if (reply.ignored_call != vlm::IgnoredCall::none)
            entry["ignored_call"] =
                ignored_call_names.at(static_cast<std::size_t>(reply.ignored_call));
        entry["finish"] = finish_names.at(static_cast<std::size_t>(reply.finish));
        entry["model"] = valid(reply.model);
        if (!reply.notes.empty()) entry["notes"] = texts_json(reply.notes);
        entry["prompt_tokens"] = or_null(reply.usage.prompt_tokens);
        entry["cached_tokens"] = or_null(reply.usage.cached_tokens);
        entry["completion_tokens"] = or_null(reply.usage.completion_tokens);
        entry["wait_ms"] = reply.wait.count();
        entry["model_ms"] = reply.total.count();
        if (it.screen_changed) entry["screen_changed"] = true;
    }
    void operator()(const AskFailed& it) const {
        failure(it.error, it.message);
        if (it.context_overflow) entry["context_overflow"] = true;
        if (it.refused) entry["refused"] = true;
    }
    void operator()(const Superseded& it) const {
        entry["sha256"] = it.sha256;
        entry["changed"] = rects_json(it.changed);
        entry["after_ms"] = it.after.count();
        if (it.estimated_tokens) entry["estimated_tokens"] = *it.estimated_tokens;
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
        if (it.reads) entry["reads"] = true;
        if (it.effect) entry["effect"] = winio::to_string(*it.effect);
        if (it.stale)
            entry["stale"] =
                json::object{{"reason", it.stale->reason}, {"rects", rects_json(it.stale->rects)}};
        if (it.guard) entry["guard"] = guard_json(*it.guard);
        if (!it.approved_checks.empty()) entry["approved_checks"] = texts_json(it.approved_checks);
        if (it.zoom) entry["zoom"] = box_json(*it.zoom);
        if (!it.images.empty()) entry["images"] = images_json(it.images);
    }
    void operator()(const Stopped& it) const {
        entry["why"] = valid(it.reason);
        if (it.at_limit) entry["limit"] = true;
    }
    void operator()(const StateChanged& it) const {
        entry["phase"] = valid(it.state.phase);
        entry["role"] = it.state.role;
        entry["plan"] = valid(it.state.plan);
        entry["brief"] = valid(it.state.brief);
        entry["active_actions"] = it.state.active_actions;
        entry["archived_actions"] = it.state.archived_actions;
    }
    void operator()(const UnknownEvent&) const {} // only read, never written
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

Outcome outcome_at(const json::object& entry) {
    const std::string name = string_at(entry, "outcome");
    for (const Outcome outcome :
         {Outcome::completed, Outcome::failed, Outcome::steps_used_up, Outcome::endpoint_failed,
          Outcome::desktop_failed, Outcome::refused, Outcome::cancelled})
        if (to_string(outcome) == name) return outcome;
    throw std::runtime_error("unknown outcome \"" + name + '"');
}

Microseconds micro_at(const json::object& entry, std::string_view name) {
    const double us = entry.at(name).to_number<double>() * 1000.0;
    if (!(std::abs(us) < 1e15)) throw std::out_of_range("a duration is too long"); // or NaN
    return Microseconds(std::llround(us));
}

Microseconds micro_or_zero(const json::object& entry, std::string_view name) {
    return entry.contains(name) ? micro_at(entry, name) : Microseconds();
}

Milliseconds milli_at(const json::object& entry, std::string_view name) {
    return Milliseconds(entry.at(name).to_number<std::int64_t>());
}

winio::Rect rect_of(const json::value& value) {
    const json::array& numbers = value.as_array();
    const auto number = [&](std::size_t i) { return numbers.at(i).to_number<int>(); };
    return {number(0), number(1), number(2), number(3)};
}

std::vector<winio::Rect> rects_at(const json::object& entry, std::string_view name) {
    std::vector<winio::Rect> rects;
    for (const json::value& rect : entry.at(name).as_array()) rects.push_back(rect_of(rect));
    return rects;
}

winio::NormBox box_of(const json::value& value) {
    const json::array& sides = value.as_array();
    const auto side = [&](std::size_t i) { return sides.at(i).to_number<double>(); };
    return {side(0), side(1), side(2), side(3)};
}

/// A use of a later version counts as a look, which changes nothing else.
ZoomUse zoom_use_in(const json::object& zoom) {
    const std::string name = string_at(zoom, "use");
    for (const ZoomUse use : {ZoomUse::positions, ZoomUse::refine})
        if (name == to_string(use)) return use;
    return ZoomUse::look;
}

Zoomed read_zoomed(const json::object& entry) {
    Zoomed zoomed{rect_of(entry.at("work_area")), zoom_use_in(entry), {}};
    if (const json::value* element = entry.if_contains("element"))
        zoomed.element = winio::Size{element->as_array().at(0).to_number<int>(),
                                     element->as_array().at(1).to_number<int>()};
    return zoomed;
}

Observed read_observed(const json::object& entry) {
    Observed fact;
    fact.file = string_at(entry, "file");
    fact.sha256 = string_at(entry, "sha256");
    fact.raw_file = string_or_empty(entry, "raw_file");
    fact.raw_sha256 = string_or_empty(entry, "raw_sha256");
    fact.size = {int_at(entry, "width"), int_at(entry, "height")};
    fact.area = rect_of(entry.at("area"));
    if (const json::value* size = entry.if_contains("model_size"))
        fact.model_size = {size->as_array().at(0).to_number<int>(),
                           size->as_array().at(1).to_number<int>()};
    fact.changed = rects_at(entry, "changed");
    if (entry.contains("redacted")) fact.redacted = rects_at(entry, "redacted");
    if (const json::value* pointer = entry.if_contains("pointer")) {
        const json::array& xy = pointer->as_array();
        fact.pointer = {xy.at(0).to_number<double>(), xy.at(1).to_number<double>()};
    }
    fact.still = flag_at(entry, "still");
    fact.returned = flag_at(entry, "returned");
    fact.settle = milli_at(entry, "settle_ms");
    fact.end = string_or_empty(entry, "end");
    if (entry.contains("reacted_ms")) fact.reacted_after = milli_at(entry, "reacted_ms");
    fact.capture = micro_at(entry, "capture_ms");
    fact.scale = micro_at(entry, "scale_ms");
    fact.encode = micro_at(entry, "encode_ms");
    if (entry.contains("annotate_ms")) fact.annotate = micro_at(entry, "annotate_ms");
    if (const json::value* zoomed = entry.if_contains("zoomed"))
        fact.zoomed = read_zoomed(zoomed->as_object());
    return fact;
}

/// A provenance of a later version counts as text, which is judged more strictly.
vlm::Provenance provenance_in(const json::object& entry) {
    const std::string name = string_or_empty(entry, "provenance");
    return name.empty() || name == vlm::to_string(vlm::Provenance::native) ? vlm::Provenance::native
                                                                           : vlm::Provenance::text;
}

vlm::IgnoredCall ignored_call_in(const json::object& entry) {
    const std::string name = string_or_empty(entry, "ignored_call");
    for (std::size_t i = 0; i < ignored_call_names.size(); ++i)
        if (ignored_call_names.at(i) == name) return static_cast<vlm::IgnoredCall>(i);
    return vlm::IgnoredCall::none;
}

std::vector<vlm::SafetyCheck> checks_at(const json::object& entry, std::string_view name) {
    std::vector<vlm::SafetyCheck> checks;
    const json::value* all = entry.if_contains(name);
    if (all == nullptr) return checks;
    for (const json::value& one : all->as_array()) {
        const json::object& check = one.as_object();
        checks.push_back({string_at(check, "id"), string_or_empty(check, "code"),
                          string_or_empty(check, "message")});
    }
    return checks;
}

std::vector<vlm::ToolCall> calls_of(const json::value& value) {
    std::vector<vlm::ToolCall> calls;
    for (const json::value& one : value.as_array()) {
        const json::object& call = one.as_object();
        calls.push_back({string_at(call, "id"), string_at(call, "name"),
                         string_at(call, "arguments"), string_or_empty(call, "extra"),
                         provenance_in(call), checks_at(call, "safety_checks")});
    }
    return calls;
}

Replied read_replied(const json::object& entry) {
    vlm::ChatReply reply;
    reply.text = string_at(entry, "text");
    reply.reasoning = string_or_empty(entry, "reasoning");
    reply.tool_calls = calls_of(entry.at("tool_calls"));
    reply.items_json = string_or_empty(entry, "items");
    reply.ignored_call = ignored_call_in(entry);
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
    return {std::move(reply), flag_at(entry, "screen_changed")};
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
    action.waits = flag_at(entry, "waits");
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

/// Nothing for an empty text, and for an effect of a later version.
std::optional<winio::ActionEffect> effect_of(std::string_view name) {
    using winio::ActionEffect;
    for (const ActionEffect effect : {ActionEffect::confirmed, ActionEffect::no_visible_change,
                                      ActionEffect::unseen, ActionEffect::refused})
        if (winio::to_string(effect) == name) return effect;
    return std::nullopt;
}

std::optional<GuardRecord> guard_at(const json::object& entry) {
    const json::value* value = entry.if_contains("guard");
    if (value == nullptr) return std::nullopt;
    const json::object& guard = value->as_object();
    return GuardRecord{guard.at("allowed").as_bool(), string_at(guard, "rule"),
                       string_at(guard, "decider"), string_or_empty(guard, "channel")};
}

std::vector<std::string> texts_at(const json::object& entry, std::string_view name) {
    std::vector<std::string> texts;
    if (const json::value* all = entry.if_contains(name))
        for (const json::value& text : all->as_array())
            texts.emplace_back(text.as_string().begin(), text.as_string().end());
    return texts;
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
    fact.policy = micro_or_zero(entry, "policy_ms"); // older journals lack it
    fact.act = micro_at(entry, "act_ms");
    if (const json::value* action = entry.if_contains("action"))
        fact.action = read_action(action->as_object());
    if (const json::value* signal = entry.if_contains("signal"))
        fact.signal = read_signal(signal->as_object());
    fact.reads = flag_at(entry, "reads");
    fact.effect = effect_of(string_or_empty(entry, "effect"));
    if (const json::value* stale = entry.if_contains("stale"))
        fact.stale = StaleCall{string_at(stale->as_object(), "reason"),
                               rects_at(stale->as_object(), "rects")};
    fact.guard = guard_at(entry);
    fact.approved_checks = texts_at(entry, "approved_checks");
    if (const json::value* zoom = entry.if_contains("zoom")) fact.zoom = box_of(*zoom);
    if (const json::value* images = entry.if_contains("images"))
        for (const json::value& image : images->as_array())
            fact.images.push_back(
                {string_at(image.as_object(), "sha256"), string_at(image.as_object(), "file")});
    return fact;
}

// Later versions may omit members of events that do not affect the mode.

std::size_t size_at(const json::object& entry, std::string_view name) {
    const json::value* number = entry.if_contains(name);
    return number == nullptr ? 0 : number->to_number<std::size_t>();
}

int number_or_zero(const json::object& entry, std::string_view name) {
    const json::value* number = entry.if_contains(name);
    return number == nullptr ? 0 : number->to_number<int>();
}

winio::NormPoint point_of(const json::value& value) {
    const json::array& xy = value.as_array();
    return {xy.at(0).to_number<double>(), xy.at(1).to_number<double>()};
}

Zoom read_zoom(const json::object& entry) {
    Zoom zoom{box_of(entry.at("region")), zoom_use_in(entry), {}};
    if (const json::value* target = entry.if_contains("target")) zoom.target = point_of(*target);
    return zoom;
}

Annotation read_annotation(const json::object& entry) {
    Annotation annotation;
    for (const json::value& turn : entry.at("trail").as_array()) {
        std::vector<Mark>& marks = annotation.trail.emplace_back();
        for (const json::value& value : turn.as_array()) {
            const json::object& mark = value.as_object();
            marks.push_back({int_at(mark, "number"), point_of(mark.at("at")), {}});
            if (const json::value* to = mark.if_contains("to")) marks.back().to = point_of(*to);
        }
    }
    for (const json::value& value : entry.at("boxes").as_array()) {
        const json::object& box = value.as_object();
        const auto side = [&](const char* name) { return box.at(name).to_number<double>(); };
        annotation.boxes.push_back({side("x1"), side("y1"), side("x2"), side("y2")});
    }
    return annotation;
}

Payload read_run_started(const json::object& entry) {
    return RunStarted{string_at(entry, "task"), string_or_empty(entry, "profile"),
                      string_or_empty(entry, "model")};
}

Payload read_run_resumed(const json::object& entry) {
    return RunResumed{texts_at(entry, "remarks")};
}

Payload read_observe(const json::object& entry) {
    Observe command;
    command.screenshot = int_at(entry, "screenshot");
    if (const json::value* annotation = entry.if_contains("annotation"))
        command.annotation = read_annotation(annotation->as_object());
    if (const json::value* zoom = entry.if_contains("zoom"))
        command.zoom = read_zoom(zoom->as_object());
    return command;
}

SentText sent_text_of(const json::value& value) {
    const json::object& text = value.as_object();
    return {string_at(text, "text"), size_at(text, "bytes")};
}

SentMessage sent_message_of(const json::value& value) {
    const json::object& one = value.as_object();
    SentMessage message{.role = string_at(one, "role")};
    for (const json::value& part : one.at("parts").as_array()) {
        if (part.as_object().contains("image"))
            message.parts.emplace_back().image_sha256 = string_at(part.as_object(), "image");
        else
            message.parts.emplace_back().text = sent_text_of(part);
    }
    if (const json::value* calls = one.if_contains("tool_calls"))
        message.tool_calls = calls_of(*calls);
    message.tool_call_id = string_or_empty(one, "call_id");
    if (const json::value* items = one.if_contains("items")) message.items = sent_text_of(*items);
    message.acknowledged_checks = checks_at(one, "acknowledged_checks");
    return message;
}

std::optional<SentMessages> sent_messages_of(const json::object& entry) {
    const json::value* added = entry.if_contains("added");
    if (added == nullptr) return std::nullopt; // of an older version
    SentMessages sent{.same = size_at(entry, "same")};
    for (const json::value& message : added->as_array())
        sent.added.push_back(sent_message_of(message));
    if (const json::value* tools = entry.if_contains("tools_text"))
        sent.tools = sent_text_of(*tools);
    if (const json::value* structure = entry.if_contains("structure"))
        sent.structure = sent_text_of(*structure);
    return sent;
}

Payload read_asked(const json::object& entry) {
    return Asked{string_or_empty(entry, "role"),   string_or_empty(entry, "model"),
                 size_at(entry, "messages"),       size_at(entry, "tools"),
                 texts_at(entry, "images"),        string_or_empty(entry, "request_sha256"),
                 number_or_zero(entry, "request"), sent_messages_of(entry)};
}

Payload read_invoke(const json::object& entry) {
    Invoke command;
    command.call.id = string_at(entry, "call_id");
    command.call.name = string_at(entry, "tool");
    command.call.arguments_json = string_or_empty(entry, "arguments");
    command.call.provenance = provenance_in(entry);
    command.call.safety_checks = checks_at(entry, "safety_checks");
    return command;
}

Payload read_recover(const json::object& entry) { return Recover{string_or_empty(entry, "why")}; }

Payload read_await(const json::object&) { return Await{}; }

Payload read_finish(const json::object& entry) {
    return Finish{outcome_at(entry), string_or_empty(entry, "why")};
}

Payload read_observe_failed(const json::object& entry) {
    return ObserveFailed{current_error_name(string_at(entry, "error")),
                         string_at(entry, "message")};
}

Payload read_ask_failed(const json::object& entry) {
    return AskFailed{current_error_name(string_at(entry, "error")), string_at(entry, "message"),
                     flag_at(entry, "context_overflow"), flag_at(entry, "refused")};
}

Payload read_superseded(const json::object& entry) {
    Superseded fact{string_at(entry, "sha256"), rects_at(entry, "changed"),
                    milli_at(entry, "after_ms"), std::nullopt};
    if (entry.contains("estimated_tokens"))
        fact.estimated_tokens = int_at(entry, "estimated_tokens");
    return fact;
}

Payload read_recovered(const json::object& entry) {
    return Recovered{string_or_empty(entry, "problem"), string_or_empty(entry, "desktop_failure"),
                     micro_at(entry, "act_ms"), guard_at(entry), micro_or_zero(entry, "policy_ms")};
}

Payload read_user_message(const json::object& entry) {
    return UserMessage{string_at(entry, "kind") == "reply" ? UserMessage::Kind::reply
                                                           : UserMessage::Kind::words,
                       string_at(entry, "text")};
}

Payload read_stopped(const json::object& entry) {
    return Stopped{string_at(entry, "why"), flag_at(entry, "limit")};
}

Payload read_judged(const json::object& entry) {
    return Judged{{flag_at(entry, "allowed"), string_or_empty(entry, "rule"),
                   string_or_empty(entry, "decider"), string_or_empty(entry, "channel")},
                  string_or_empty(entry, "call_id"),
                  string_or_empty(entry, "tool"),
                  string_or_empty(entry, "step"),
                  micro_or_zero(entry, "policy_ms")};
}

Payload read_noted(const json::object& entry) {
    return Noted{string_or_empty(entry, "kind"), string_or_empty(entry, "text")};
}

Payload read_state_changed(const json::object& entry) {
    ModeState state;
    state.turn = int_at(entry, "turn");
    state.phase = string_or_empty(entry, "phase");
    state.role = string_or_empty(entry, "role");
    state.plan = string_or_empty(entry, "plan");
    state.brief = string_or_empty(entry, "brief");
    state.active_actions = size_at(entry, "active_actions");
    state.archived_actions = size_at(entry, "archived_actions");
    return StateChanged{std::move(state)};
}

Payload read_run_finished(const json::object& entry) {
    RunFinished finished;
    finished.outcome = outcome_at(entry);
    finished.reason = string_or_empty(entry, "why");
    finished.turns = int_at(entry, "turns");
    finished.usage = {optional_int_at(entry, "prompt_tokens"),
                      optional_int_at(entry, "cached_tokens"),
                      optional_int_at(entry, "completion_tokens"), std::nullopt, std::nullopt};
    finished.elapsed = milli_at(entry, "elapsed_ms");
    return finished;
}

constexpr std::size_t known_types = std::variant_size_v<Payload> - 1; // UnknownEvent has no name
static_assert(std::is_same_v<std::variant_alternative_t<known_types, Payload>, UnknownEvent>);

/// In the order of Payload.
constexpr std::array<std::string_view, known_types> type_names{
    "run_started", "run_resumed", "observe",    "ask",      "invoke",
    "recover",     "await",       "finish",     "observed", "observe_failed",
    "replied",     "ask_failed",  "superseded", "invoked",  "recovered",
    "told",        "stopped",     "judged",     "noted",    "state",
    "run_finished"};

/// In the order of Payload.
constexpr std::array<Payload (*)(const json::object&), known_types> readers{
    read_run_started,
    read_run_resumed,
    read_observe,
    read_asked,
    read_invoke,
    read_recover,
    read_await,
    read_finish,
    [](const json::object& entry) -> Payload { return read_observed(entry); },
    read_observe_failed,
    [](const json::object& entry) -> Payload { return read_replied(entry); },
    read_ask_failed,
    read_superseded,
    [](const json::object& entry) -> Payload { return read_invoked(entry); },
    read_recovered,
    read_user_message,
    read_stopped,
    read_judged,
    read_noted,
    read_state_changed,
    read_run_finished};

} // namespace

std::string_view type_name(const Payload& payload) {
    if (const auto* unknown = std::get_if<UnknownEvent>(&payload)) return unknown->type;
    return type_names.at(payload.index());
}

std::string_view type_name(const Event& event) { return type_name(event.payload); }

Asked asked(const Ask& command) {
    Asked event;
    event.role = command.refines ? command.role + std::string(refine_role_end) : command.role;
    event.model = command.request.model;
    event.messages = command.request.messages.size();
    event.tools = command.request.tools.size();
    for (const vlm::Message& message : command.request.messages)
        for (const vlm::Part& part : message.parts)
            if (const auto* image = std::get_if<vlm::Image>(&part))
                event.images.push_back(image->sha256);
    event.request_sha256 = request_digest(command.request);
    return event;
}

void write_payload(const Payload& payload, json::object& entry) {
    std::visit(Writer{entry}, payload);
}

Payload read_payload(const json::object& entry) {
    const std::string type = string_at(entry, "type");
    const auto name = std::find(type_names.begin(), type_names.end(), type);
    if (name == type_names.end()) return UnknownEvent{type, {}};
    return readers.at(static_cast<std::size_t>(name - type_names.begin()))(entry);
}

std::optional<Fact> fact_of(const Payload& payload) {
    return std::visit(
        [](const auto& it) -> std::optional<Fact> {
            if constexpr (std::is_constructible_v<Fact, decltype(it)>)
                return Fact(it);
            else
                return std::nullopt;
        },
        payload);
}

std::optional<Fact> interrupted(const Payload& command) {
    if (std::holds_alternative<Recover>(command))
        return Recovered{"the run was interrupted during the recovery", {}, {}, {}, {}};
    const auto* invoke = std::get_if<Invoke>(&command);
    if (invoke == nullptr) return std::nullopt;
    Invoked fact;
    fact.call_id = invoke->call.id;
    fact.tool = invoke->call.name;
    fact.interrupted = true;
    fact.result_json =
        fail("interrupted", "The run was interrupted during this call. Whether it took effect is "
                            "unknown: look at the screen before repeating it.")
            .json();
    return fact;
}

} // namespace eyehand::agent
