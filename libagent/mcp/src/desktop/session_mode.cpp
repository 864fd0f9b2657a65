#include "desktop/session_mode.hpp"

#include "eyehand/mcp/desktop_server.hpp"

#include "json/json.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace eyehand::mcp {
namespace {

constexpr const char* session_role = "agent"; // there is only one

/// A part of the work area as a command names it: whole steps, so that a journal restores it exactly.
agent::Zoom part_of(const winio::Rect& part, const winio::Rect& work_area) {
    const auto down = [](double value) { return std::floor(value * 1024) / 1024; };
    const auto up = [](double value) { return std::ceil(value * 1024) / 1024; };
    const winio::WorkArea area(work_area);
    const winio::NormPoint first = area.to_norm(part.origin());
    const winio::NormPoint last = area.to_norm({part.right() - 1, part.bottom() - 1});
    return {{down(first.x), down(first.y), up(last.x), up(last.y)}, agent::ZoomUse::refine, {}};
}

class SessionModeFactory final : public agent::ModeFactory {
public:
    [[nodiscard]] std::string_view name() const override { return "mcp"; }
    [[nodiscard]] std::string_view section() const override { return {}; }
    [[nodiscard]] agent::ModeTraits traits() const override {
        return {.equal_screenshots_share_file = true}; // clients look repeatedly, and wait
    }
    [[nodiscard]] std::unique_ptr<agent::Mode>
    make(const agent::ModeContext& context) const override {
        return std::make_unique<SessionMode>(context.profile, context.task);
    }
    void derive_state(const agent::Profile&, const agent::Event& event,
                      agent::ModeState& state) const override {
        state.turn = event.turn;
        agent::visit(
            event, [&](const agent::Observe&) { state.phase = "observing"; },
            [&](const agent::Asked&) { state.phase = "asking"; },
            [&](const agent::Invoke&) { state.phase = "acting"; },
            [&](const agent::Finish&) { state.phase = "finished"; }, [](const auto&) {});
    }
};

} // namespace

std::shared_ptr<const agent::ModeFactory> session_mode() {
    static const auto factory = std::make_shared<const SessionModeFactory>();
    return factory;
}

std::optional<int> since_of(const vlm::ToolCall& call) {
    if (call.name != look_tool) return std::nullopt;
    const auto arguments = agent::parse_json(call.arguments_json);
    if (!arguments || !arguments->is_object()) return std::nullopt;
    const agent::json::value* since = arguments->as_object().if_contains("since");
    if (since == nullptr || !since->is_number()) return std::nullopt;
    const auto number = since->to_number<double>();
    if (!(number >= 0 && number <= std::numeric_limits<int>::max())) return std::nullopt;
    return static_cast<int>(number);
}

SessionMode::SessionMode(const agent::Profile& profile, const std::string& task) {
    request_.model = profile.model;
    request_.messages = {vlm::Message::system(profile.system_prompt), vlm::Message::user(task)};
}

agent::Command SessionMode::next() const {
    switch (phase_) {
    case Phase::asking:
        return agent::Ask{session_role, request_};
    case Phase::acting:
        return agent::Invoke{call_, session_role};
    case Phase::looking_first:
    case Phase::observing:
        // The turn in which the client sees it.
        return agent::Observe{turn_ + 1, {}, wanted_};
    case Phase::showing_parts:
        return agent::Observe{turn_ + 1, {}, parts_.back()};
    case Phase::finished:
        break;
    }
    return finish_;
}

agent::ModeState SessionMode::state() const {
    switch (phase_) {
    case Phase::asking:
        return {turn_, "asking"};
    case Phase::acting:
        return {turn_, "acting"};
    case Phase::looking_first:
    case Phase::observing:
    case Phase::showing_parts:
        return {turn_, "observing"};
    case Phase::finished:
        break;
    }
    return {turn_, "finished"};
}

void SessionMode::apply(const agent::Fact& fact) {
    if (const auto* replied = std::get_if<agent::Replied>(&fact)) {
        on(*replied);
    } else if (const auto* invoked = std::get_if<agent::Invoked>(&fact)) {
        on(*invoked);
    } else if (const auto* seen = std::get_if<agent::Observed>(&fact)) {
        on(*seen);
    } else if (std::holds_alternative<agent::ObserveFailed>(fact)) {
        go_on(); // a locked screen can be unlocked: the client decides
    } else if (const auto* failed = std::get_if<agent::AskFailed>(&fact)) {
        finish(agent::Outcome::endpoint_failed, failed->message);
    } else if (const auto* stopped = std::get_if<agent::Stopped>(&fact)) {
        finish(agent::outcome_of(*stopped), stopped->reason);
    }
    // A message of the user reaches the client with the next result.
}

void SessionMode::on(const agent::Replied& fact) {
    if (fact.reply.tool_calls.empty()) {
        finish(agent::Outcome::completed, fact.reply.text);
        return;
    }
    call_ = fact.reply.tool_calls.front();
    if (call_.name == wait_for_change_tool && has_seen_) {
        wanted_ = view_;
        phase_ = Phase::looking_first;
    } else {
        phase_ = Phase::acting;
    }
}

void SessionMode::on(const agent::Invoked& fact) {
    if (!fact.desktop_failure.empty()) {
        finish(agent::Outcome::desktop_failed, fact.desktop_failure);
        return;
    }
    const bool chooses_view = call_.name == look_tool && fact.ok && !since_of(call_);
    if (chooses_view)
        observe(fact.zoom ? std::optional(agent::Zoom{*fact.zoom, agent::ZoomUse::positions, {}})
                          : std::nullopt);
    else if (fact.wants_screenshot ||
             (fact.ok && fact.action.acts && call_.name != clipboard_write_tool))
        observe(view_);
    else
        go_on();
}

void SessionMode::observe(std::optional<agent::Zoom> view) {
    wanted_ = view;
    phase_ = Phase::observing;
}

void SessionMode::on(const agent::Observed& fact) {
    if (phase_ == Phase::showing_parts) {
        parts_.pop_back();
        if (parts_.empty()) go_on();
        return;
    }
    has_seen_ = true;
    view_ = wanted_;
    history_.add(turn_ + 1, fact.changed);
    if (phase_ == Phase::looking_first) {
        if (fact.still || fact.changed.empty())
            phase_ = Phase::acting;
        else
            go_on();
        return;
    }
    show_parts(fact);
}

void SessionMode::show_parts(const agent::Observed& fact) {
    const auto since = since_of(call_);
    const auto changed = since ? history_.since(*since) : std::nullopt;
    const auto parts = changed ? parts_to_show(*changed, fact.area) : std::nullopt;
    if (!parts || parts->empty()) {
        go_on();
        return;
    }
    const winio::Rect& work_area = fact.zoomed ? fact.zoomed->work_area : fact.area;
    for (const winio::Rect& part : *parts) parts_.push_back(part_of(part, work_area));
    std::ranges::reverse(parts_);
    phase_ = Phase::showing_parts;
}

void SessionMode::go_on() {
    parts_.clear();
    ++turn_;
    phase_ = Phase::asking;
}

void SessionMode::finish(agent::Outcome outcome, std::string reason) {
    finish_ = {outcome, std::move(reason)};
    phase_ = Phase::finished;
}

} // namespace eyehand::mcp
