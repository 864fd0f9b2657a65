// Wraps a mode so that a request whose screenshot is outdated is made again with a new one.
#pragma once

#include "eyehand/agent/mode.hpp"

#include <memory>
#include <optional>
#include <string>

namespace eyehand::agent {

/// Returns the commands of the inner mode. After Superseded, and after a reply without a call on a
/// screen that has changed, the next command is the Observe before the request; its screenshot replaces the old
/// one in the request. For later requests, the inner mode replaces it in `revise`.
class WatchedMode final : public Mode {
public:
    explicit WatchedMode(std::unique_ptr<Mode> inner) : inner_(std::move(inner)) {}

    [[nodiscard]] Command next() const override;
    [[nodiscard]] bool finished() const override { return !looks_again_ && inner_->finished(); }
    void apply(const Fact& fact) override;
    [[nodiscard]] ModeState state() const override { return inner_->state(); }

private:
    void pass_on(const Fact& fact);
    void look_again(const std::string& reason);
    void replace(const Observed& seen);
    [[nodiscard]] bool asks_again_after(const Replied& fact) const;

    std::unique_ptr<Mode> inner_;
    Observe look_;         ///< the latest one of the inner mode
    std::string original_; ///< hash of its latest screenshot
    std::string sha256_;   ///< of the screenshot that replaces it
    bool looks_again_ = false;
    int superseded_ = 0;          ///< times since the inner mode's latest screenshot
    bool asked_again_ = false;    ///< after a reply without a call, since then
    std::optional<Replied> kept_; ///< that reply, until the model has replied again
};

} // namespace eyehand::agent
