#include "modes/watched_mode.hpp"

#include "base/latest_image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace eyehand::agent {
namespace {

/// A screen that keeps changing must not delay a turn without end.
constexpr int max_superseded = 2;

} // namespace

Command WatchedMode::next() const {
    if (looks_again_) {
        Observe look = look_;
        look.screenshot = std::max(look.screenshot, inner_->state().turn);
        return look;
    }
    Command command = inner_->next();
    auto* ask = std::get_if<Ask>(&command);
    if (ask == nullptr) return command;
    ask->may_be_superseded = superseded_ < max_superseded;
    // The inner mode may keep the old screenshot in its request.
    vlm::Image* image = latest_image(ask->request.messages);
    if (image != nullptr && image->sha256 == original_) image->sha256 = sha256_;
    return command;
}

void WatchedMode::apply(const Fact& fact) {
    if (const auto* superseded = std::get_if<Superseded>(&fact)) {
        ++superseded_;
        look_again(superseded->changed.empty() ? std::string("the screenshot is old")
                   : superseded->after.count() == 0
                       ? std::string("the screen changed before the request")
                       : fmt::format("the screen changed within {} ms after the request",
                                     superseded->after.count()));
    } else if (const auto* seen = std::get_if<Observed>(&fact)) {
        if (std::exchange(looks_again_, false)) {
            replace(*seen);
            return;
        }
        if (const Command command = inner_->next();
            const auto* look = std::get_if<Observe>(&command))
            look_ = *look;
        original_ = sha256_ = seen->sha256;
        superseded_ = 0;
        asked_again_ = false;
        kept_.reset();
        pass_on(fact);
    } else if (const auto* reply = std::get_if<Replied>(&fact);
               reply != nullptr && asks_again_after(*reply)) {
        asked_again_ = true;
        kept_ = *reply;
        look_again("the screen changed before a reply without a call");
    } else if (kept_ && (std::holds_alternative<AskFailed>(fact) ||
                         std::holds_alternative<ObserveFailed>(fact))) {
        looks_again_ = false;
        note("superseded", "the model cannot be asked again: its reply counts");
        pass_on(*std::exchange(kept_, std::nullopt));
    } else {
        kept_.reset();
        pass_on(fact);
        // A message can replace the request, and a stop or a failure ends the run.
        looks_again_ = looks_again_ && std::holds_alternative<Ask>(inner_->next());
    }
}

void WatchedMode::pass_on(const Fact& fact) {
    inner_->apply(fact);
    for (Noted& noted : inner_->take_notes()) note(std::move(noted.kind), std::move(noted.text));
}

void WatchedMode::look_again(const std::string& reason) {
    looks_again_ = true;
    note("superseded", reason + ": the model is asked again with a new screenshot");
}

void WatchedMode::replace(const Observed& seen) {
    sha256_ = seen.sha256;
    inner_->revise(seen);
    for (Noted& noted : inner_->take_notes()) note(std::move(noted.kind), std::move(noted.text));
}

/// In a mode whose requests offer tools, a reply without a call ends the run, or reports what the
/// model sees.
bool WatchedMode::asks_again_after(const Replied& fact) const {
    if (!fact.screen_changed || asked_again_ || !fact.reply.tool_calls.empty()) return false;
    const Command command = inner_->next();
    const auto* ask = std::get_if<Ask>(&command);
    return ask != nullptr && !ask->request.tools.empty();
}

} // namespace eyehand::agent
