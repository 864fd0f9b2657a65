// Decides which tool calls count that the model wrote as text.
#pragma once

#include "eyehand/agent/mode.hpp"
#include "eyehand/agent/profile.hpp"

#include <memory>

namespace eyehand::agent {

/// Wraps every mode. A request accepts calls in the text only as the profile allows it, and not after
/// a native call in the run: a model that calls tools natively only quotes others. Such calls in a
/// reply, for example of a recording, do not reach the inner mode.
class TextCallsMode final : public Mode {
public:
    TextCallsMode(std::unique_ptr<Mode> inner, TextToolCalls rule)
        : inner_(std::move(inner)), rule_(rule) {}

    [[nodiscard]] Command next() const override;
    [[nodiscard]] bool finished() const override { return inner_->finished(); }
    void apply(const Fact& fact) override;
    void revise(const Observed& seen) override;
    [[nodiscard]] ModeState state() const override { return inner_->state(); }

private:
    void pass_on(const Fact& fact);
    void pass_on_notes();
    [[nodiscard]] vlm::TextCalls accepted() const;

    std::unique_ptr<Mode> inner_;
    const TextToolCalls rule_;
    bool called_natively_ = false; ///< in this run
};

} // namespace eyehand::agent
