// Asks the model for the exact position of a small target before it is clicked.
#pragma once

#include "eyehand/agent/mode.hpp"
#include "eyehand/agent/profile.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace eyehand::agent {

/// Returns the commands of the inner mode. Before a click at a position, if `Profile::refine` asks for
/// it, it returns two more: an Observe of a crop of the latest screenshot at full resolution, and an Ask
/// for the position of the same target in it. The click then has the position of the reply, if that is
/// inside the crop; otherwise, and after a failure, it keeps its own. A note "refine" says which. The
/// inner mode receives neither the crop nor the reply, and a turn with them is still one turn.
///
/// A click in a zoomed image is not refined: the image has the full resolution already.
class RefineMode final : public Mode {
public:
    RefineMode(std::unique_ptr<Mode> inner, const Profile& profile, const ToolsByRole& tools);

    [[nodiscard]] Command next() const override;
    [[nodiscard]] bool finished() const override { return inner_->finished(); }
    void apply(const Fact& fact) override;
    void revise(const Observed& seen) override;
    [[nodiscard]] ModeState state() const override { return inner_->state(); }

private:
    enum class Step {
        passing, ///< on the commands of the inner mode
        looking,
        asking,
    };
    /// The call that is refined.
    struct Target {
        vlm::ToolCall call{};
        std::string role{};
        std::string argument{};              ///< its name for the position
        std::optional<winio::NormBox> box{}; ///< if the model stated one; in the work area
        winio::NormPoint at{};               ///< in the work area
        std::string label{};                 ///< what the model calls it
    };

    void see(const Observed& fact);
    [[nodiscard]] std::optional<Target> target_of(const Invoke& invoke) const;
    [[nodiscard]] Zoom crop() const;
    [[nodiscard]] bool is_small(const Target& target) const;
    [[nodiscard]] Ask question() const;
    void take(const Replied& fact);
    void add_checks(const vlm::ChatReply& reply);
    /// Ends the refinement; the inner mode's call is next.
    void go_on(std::string words);
    void consider();
    void pass_on(const Fact& fact);

    std::unique_ptr<Mode> inner_;
    const Refine rule_;
    const CoordinateConverter numbers_; ///< for screenshots of the whole work area
    std::map<std::string, Toolbox> tools_;
    std::optional<winio::Rect> work_area_; ///< of the latest screenshot; empty if it is zoomed
    vlm::ChatRequest asked_;               ///< model and sampling of the latest request
    Step step_ = Step::passing;
    bool handled_ = false; ///< the inner mode's next call
    std::optional<Target> target_;
    Observed crop_;                     ///< while asking
    std::optional<vlm::ToolCall> call_; ///< in place of the inner mode's next one
};

} // namespace eyehand::agent
