#include "page_json.hpp"

#include "annotation/annotation_json.hpp"
#include "base/text.hpp"
#include "calibration_json.hpp"
#include "eyehand/agent/mode_factory.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/winio/bitmap_font.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace eyehand::page {
namespace {

/// As valid UTF-8.
std::string cut(std::string_view text, std::size_t max_bytes) {
    return agent::to_valid_utf8(agent::cut_bytes(text, max_bytes, true));
}

json::value or_null(std::string_view text) {
    return text.empty() ? json::value() : json::value(agent::to_valid_utf8(text));
}

json::value or_null(const std::optional<int>& number) {
    return number ? json::value(*number) : json::value();
}

double ms(std::chrono::microseconds duration) {
    return static_cast<double>(duration.count()) / 1000.0;
}

json::array rect_json(const winio::Rect& rect) { return {rect.x, rect.y, rect.width, rect.height}; }

/// The finish reason of a reply, if it is unusual.
std::string_view unusual_end(vlm::FinishReason finish) {
    switch (finish) {
    case vlm::FinishReason::length:
        return "length";
    case vlm::FinishReason::content_filter:
        return "content_filter";
    case vlm::FinishReason::error:
        return "error";
    case vlm::FinishReason::stop:
    case vlm::FinishReason::tool_calls:
    case vlm::FinishReason::unknown:
        break;
    }
    return {};
}

// ---- items of a turn ----------------------------------------------------------------------------

class ItemJson {
public:
    explicit ItemJson(const JsonLimits& limits) : limits_(limits) {}

    json::object operator()(const agent::Replied& it) const {
        json::object item{{"kind", "reply"},
                          {"text", text(it.reply.text)},
                          {"reasoning", text(it.reply.reasoning)},
                          {"model", name(it.reply.model)},
                          {"end", unusual_end(it.reply.finish)},
                          {"prompt_tokens", or_null(it.reply.usage.prompt_tokens)},
                          {"cached_tokens", or_null(it.reply.usage.cached_tokens)},
                          {"completion_tokens", or_null(it.reply.usage.completion_tokens)},
                          {"wait_ms", it.reply.wait.count()},
                          {"model_ms", it.reply.total.count()}};
        item["notes"] = texts(it.reply.notes);
        return item;
    }
    json::object operator()(const agent::CallView& it) const {
        const bool is_over = it.ok.has_value();
        json::object item{{"kind", "call"},
                          {"id", name(it.id)},
                          {"tool", name(it.tool)},
                          {"arguments", text(it.arguments_json)},
                          {"ok", is_over ? json::value(*it.ok) : json::value()},
                          {"result", text(it.result_json)},
                          {"act_ms", is_over ? json::value(ms(it.act)) : json::value()},
                          {"policy_ms", is_over ? json::value(ms(it.policy)) : json::value()},
                          {"points", points_json(it.action.points, limits_)}};
        if (it.action.acts) item["acts"] = true;
        if (it.interrupted) item["interrupted"] = true;
        if (!it.desktop_failure.empty()) item["desktop_failure"] = text(it.desktop_failure);
        if (it.guard)
            item["guard"] = {{"allowed", it.guard->allowed},
                             {"rule", name(it.guard->rule)},
                             {"decider", name(it.guard->decider)},
                             {"channel", name(it.guard->channel)}};
        return item;
    }
    json::object operator()(const agent::RecoveryView& it) const {
        return {{"kind", "recovery"},
                {"why", text(it.reason)},
                {"ok", it.ok ? json::value(*it.ok) : json::value()},
                {"problem", text(it.problem)},
                {"act_ms", it.ok ? json::value(ms(it.act)) : json::value()}};
    }
    json::object operator()(const agent::FailureView& it) const {
        const bool of_request = it.of == agent::FailureView::Of::request;
        return {{"kind", of_request ? "request_failed" : "screenshot_failed"},
                {"error", name(it.error)},
                {"text", text(it.message)}};
    }
    json::object operator()(const agent::Noted& it) const {
        return {{"kind", "note"}, {"about", name(it.kind)}, {"text", text(it.text)}};
    }
    json::object operator()(const agent::UserMessage& it) const {
        const bool is_reply = it.kind == agent::UserMessage::Kind::reply;
        return {{"kind", is_reply ? "injected_reply" : "message"}, {"text", text(it.text)}};
    }
    json::object operator()(const agent::Stopped& it) const {
        return {{"kind", "stopped"}, {"text", text(it.reason)}};
    }
    json::object operator()(const agent::RequestView& it) const {
        return {{"kind", "request"},
                {"number", it.number},
                {"previous", it.previous},
                {"sent", it.sent},
                {"role", name(it.role)},
                {"messages", it.messages},
                {"same", it.same},
                {"added", messages(it.added)},
                {"replaced", messages(it.replaced)},
                {"left_out", it.left_out},
                {"tool_count", it.tool_count},
                {"tools", sent_text(it.tools)},
                {"structure", sent_text(it.structure)}};
    }
    json::object operator()(const agent::RunResumed& it) const {
        return {{"kind", "resumed"}, {"remarks", texts(it.remarks)}};
    }

private:
    [[nodiscard]] std::string text(std::string_view whole) const {
        return cut(whole, limits_.text_bytes);
    }
    [[nodiscard]] std::string name(std::string_view whole) const {
        return cut(whole, limits_.name_bytes);
    }
    [[nodiscard]] json::value sent_text(const std::optional<agent::SentText>& text) const {
        if (!text) return nullptr;
        return json::object{{"text", name(text->hash)}, {"bytes", text->bytes}};
    }
    [[nodiscard]] json::array
    messages(const std::vector<std::shared_ptr<const agent::SentMessage>>& all) const {
        json::array list;
        for (const auto& message : all) {
            json::array parts;
            for (const agent::SentPart& part : message->parts) {
                if (parts.size() == limits_.texts) break;
                parts.emplace_back(part.image_sha256.empty()
                                       ? sent_text(part.text)
                                       : json::object{{"image", name(part.image_sha256)}});
            }
            json::array calls;
            for (const vlm::ToolCall& call : message->tool_calls) {
                if (calls.size() == limits_.texts) break;
                calls.emplace_back(json::object{{"id", name(call.id)},
                                                {"tool", name(call.name)},
                                                {"arguments", text(call.arguments_json)}});
            }
            list.emplace_back(json::object{{"role", name(message->role)},
                                           {"parts", std::move(parts)},
                                           {"calls", std::move(calls)},
                                           {"call_id", name(message->tool_call_id)}});
        }
        return list;
    }
    [[nodiscard]] json::array texts(const std::vector<std::string>& all) const {
        json::array list;
        for (const std::string& one : all) {
            if (list.size() == limits_.texts) break;
            list.emplace_back(text(one));
        }
        return list;
    }

    const JsonLimits& limits_;
};

/// A part of the work area in 0 to 1000 of it: left, top, right, bottom.
json::array part_json(const winio::Rect& part, const winio::Rect& whole) {
    const auto share = [](int at, int from, int length) { return (at - from) * 1000.0 / length; };
    return {share(part.x, whole.x, whole.width), share(part.y, whole.y, whole.height),
            share(part.right(), whole.x, whole.width), share(part.bottom(), whole.y, whole.height)};
}

json::value outcome_json(const agent::RunFinished* finished) {
    if (finished == nullptr) return nullptr;
    return json::object{{"outcome", to_string(finished->outcome)},
                        {"why", agent::to_valid_utf8(finished->reason)},
                        {"turns", finished->turns},
                        {"prompt_tokens", or_null(finished->usage.prompt_tokens)},
                        {"cached_tokens", or_null(finished->usage.cached_tokens)},
                        {"completion_tokens", or_null(finished->usage.completion_tokens)},
                        {"elapsed_ms", finished->elapsed.count()}};
}

/// Modes with one role do not name it in their state.
std::string_view role_of(const agent::RunView& run) {
    if (!run.state().role.empty() || run.turn_count() == 0) return run.state().role;
    return run.turn(run.turn_count() - 1).role;
}

json::array rows_json(const winio::Glyph& glyph) {
    return json::array(glyph.rows.begin(), glyph.rows.end());
}

json::object font_json() {
    json::object glyphs;
    for (const winio::Glyph& glyph : winio::glyphs)
        if (glyph.character != '\0') glyphs[std::string(1, glyph.character)] = rows_json(glyph);
    return {{"width", winio::glyph_width},
            {"height", winio::glyph_height},
            {"advance", winio::glyph_advance},
            {"glyphs", std::move(glyphs)},
            {"other", rows_json(winio::glyphs.back())}};
}

} // namespace

json::array points_json(const std::vector<winio::NormPoint>& points, const JsonLimits& limits) {
    json::array all;
    for (const winio::NormPoint& point : points) {
        if (all.size() == limits.points) break;
        all.emplace_back(json::array{point.x, point.y});
    }
    return all;
}

bool is_annotated(const agent::ScreenshotView& screenshot) {
    return screenshot.look.file.empty() || !screenshot.look.raw_file.empty();
}

json::object to_json(const agent::ScreenshotView& screenshot, const JsonLimits& limits) {
    const agent::Observed& look = screenshot.look;
    json::array changed;
    for (const winio::Rect& rect : look.changed) {
        if (changed.size() == limits.changes) break;
        changed.emplace_back(rect_json(rect));
    }
    json::object all{
        {"turn", screenshot.number},
        {"n", screenshot.index},
        {"width", look.size.width},
        {"height", look.size.height},
        {"sha256", agent::to_valid_utf8(look.sha256)},
        {"annotation", is_annotated(screenshot) && screenshot.annotation
                           ? json::value(agent::to_json(*screenshot.annotation))
                           : json::value()},
        {"changed", std::move(changed)},
        {"area", rect_json(look.area)},
        {"redacted", !look.redacted.empty()},
        {"pointer",
         look.pointer ? json::value(json::array{look.pointer->x, look.pointer->y}) : json::value()},
        {"settle_ms", look.settle.count()},
        {"end", look.end},
        {"capture_ms", ms(look.capture)},
        {"scale_ms", ms(look.scale)},
        {"encode_ms", ms(look.encode)},
        {"annotate_ms", look.raw_file.empty() ? json::value() : json::value(ms(look.annotate))}};
    if (look.zoomed && !look.zoomed->work_area.empty())
        all["part"] = part_json(look.area, look.zoomed->work_area);
    return all;
}

json::object to_json(const agent::TurnView& turn, const ScreenshotJson& screenshot_json,
                     const JsonLimits& limits) {
    const auto screenshot = [&](const std::shared_ptr<const agent::ScreenshotView>& one) {
        return one == nullptr ? json::value() : screenshot_json(*one);
    };
    json::array items;
    bool has_reply = false;
    for (const agent::TurnItem& item : turn.items)
        has_reply = has_reply || std::holds_alternative<agent::Replied>(item);
    // The initial reply of a visual loop, or an injected one, did not come from the model.
    if (turn.visual_reply && !has_reply)
        items.emplace_back(json::object{{"kind", "given_reply"},
                                        {"text", cut(turn.visual_reply->text, limits.text_bytes)}});
    for (const agent::TurnItem& item : turn.items)
        items.emplace_back(std::visit(ItemJson(limits), item));
    return {{"turn", turn.number},
            {"t", turn.t.count()},
            {"role", cut(turn.role, limits.name_bytes)},
            {"phase", cut(turn.phase, limits.name_bytes)},
            {"requests", turn.requests},
            {"items", std::move(items)},
            {"left_out", turn.left_out},
            {"seen_by_model", turn.seen_by_model},
            {"seen", screenshot(turn.seen)},
            {"after", screenshot(turn.after)}};
}

json::object to_json(const agent::RunView& run) {
    const agent::ModeState& state = run.state();
    return {{"task", agent::to_valid_utf8(run.task())},
            {"profile", agent::to_valid_utf8(run.profile().name)},
            {"mode", agent::to_valid_utf8(run.profile().mode)},
            {"model", agent::to_valid_utf8(run.model())},
            {"turn", state.turn},
            {"mode_phase", agent::to_valid_utf8(state.phase)},
            {"role", agent::to_valid_utf8(role_of(run))},
            {"plan", agent::to_valid_utf8(state.plan)},
            {"brief", agent::to_valid_utf8(state.brief)},
            {"memory",
             json::object{{"active", state.active_actions}, {"archived", state.archived_actions}}},
            {"error", or_null(run.problem())},
            {"outcome", outcome_json(run.finished())},
            {"elapsed_ms", run.elapsed().count()},
            {"tokens", json::object{{"prompt", or_null(run.usage().prompt_tokens)},
                                    {"cached", or_null(run.usage().cached_tokens)},
                                    {"completion", or_null(run.usage().completion_tokens)}}}};
}

namespace {

/// The numbers of the model, for labels; null: 0 to 1000.
json::value coordinates_json(const agent::Profile& profile) {
    const auto numbers = agent::coordinate_converter(profile);
    if (!numbers) return nullptr;
    const agent::ModelPoint max = numbers->max_point();
    const bool y_first = numbers->convention() == agent::CoordinateConvention::norm1000_yx;
    return json::object{{"max", json::array{max.x, max.y}},
                        {"decimals", numbers->decimals()},
                        {"y_first", y_first}};
}

} // namespace

json::object config_json(const agent::Profile& profile) {
    json::object phases; // by role
    for (const agent::RolePlan& role : agent::mode_of(profile).roles(profile))
        if (!role.phase.empty()) phases[role.name] = role.phase;
    return {{"ui", json::object{{"coordinates", coordinates_json(profile)},
                                {"executed_heat", agent::to_json(profile.executed_heat)},
                                {"bbox_heat", agent::to_json(profile.bbox_heat)}}},
            {"font", font_json()},
            {"max_turns", profile.max_turns},
            {"phases", std::move(phases)}};
}

json::object config_json(const agent::StoredRun& run,
                         const std::optional<std::string>& calibration) {
    json::object config = config_json(run.summary.profile);
    config["version"] = agent::to_valid_utf8(run.version);
    json::array settings;
    for (const agent::Setting& setting : run.summary.settings)
        settings.emplace_back(json::object{{"name", agent::to_valid_utf8(setting.name)},
                                           {"value", agent::to_valid_utf8(setting.value)},
                                           {"source", agent::to_valid_utf8(setting.source)}});
    config["settings"] = std::move(settings);
    config["calibration"] =
        calibration ? calibration_json(*calibration, run.summary.profile) : json::value();
    return config;
}

} // namespace eyehand::page
