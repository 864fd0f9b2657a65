// The world that `make_desktop_world` returns.
#pragma once

#include "eyehand/agent/desktop_world.hpp"
#include "eyehand/agent/run_port.hpp"
#include "eyehand/winio/frame_pipeline.hpp"
#include "eyehand/winio/input_executor.hpp"
#include "eyehand/winio/settle.hpp"
#include "record/run_writer.hpp"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace eyehand::agent {

class DesktopWorld final : public World {
public:
    explicit DesktopWorld(DesktopWorldParts parts);

    std::optional<Fact> news(Next next) override;
    void on_state(const ModeState& state) override;
    Fact execute(const Command& command) override;
    /// Keeps only the file's name: the store has the bytes.
    void remember(const Observed& seen) override;

private:
    Fact on(const Observe& command);
    Fact on(const Ask& command);
    Fact on(const Invoke& command);
    Fact on(const Recover& command);
    Fact on(const Await& command);
    Fact on(const Finish& command);
    [[nodiscard]] winio::WorkArea choose_area();
    [[nodiscard]] vlm::ChatRequest with_images(vlm::ChatRequest request);
    [[nodiscard]] std::optional<vlm::Image>
    annotated(const Observe& command, const winio::Screenshot& screenshot, Observed& fact);
    [[nodiscard]] bool is_still(const winio::Screenshot& screenshot,
                                const std::vector<winio::Rect>& toggling,
                                const std::string& sha256);
    [[nodiscard]] const vlm::Image& image_of(const std::string& sha256);
    [[nodiscard]] bool wait_for_step();
    void act_out(const winio::Plan& plan, Invoked& fact);
    [[nodiscard]] bool is_allowed(const Invoke& command, Invoked& fact);
    [[nodiscard]] winio::InputExecutor& executor();
    [[nodiscard]] winio::Capturer& capturer();
    [[nodiscard]] bool prepare_reaction(const winio::Plan& plan);
    [[nodiscard]] winio::Frame settled_frame(winio::Capturer& capturer, Observed& fact,
                                             std::vector<winio::Rect>& toggling);
    [[nodiscard]] Fact broken_off() const { return Stopped{control_.stop_reason()}; }

    winio::Desktop& desktop_;
    vlm::ChatModel& model_;
    const ToolsByRole& tools_;
    const Profile& profile_;
    const AgentOptions& options_;
    RunWriter writer_;
    RunPort control_;
    vlm::OnDelta on_delta_;
    std::function<void(const ModeState&)> on_state_;
    int turn_ = 0;                                 ///< of the mode
    std::optional<winio::WorkArea> area_;          ///< of the latest screenshot
    std::optional<winio::InputExecutor> executor_; ///< limited to the area of the latest action
    std::unique_ptr<winio::Capturer> capturer_;
    winio::Settler settler_;
    winio::BeforeAction before_;   ///< the latest action that acted
    bool awaits_reaction_ = false; ///< to that action
    winio::FramePipeline pipeline_;
    /// The screenshots in the conversation, by hash.
    std::map<std::string, vlm::Image> images_;
    std::map<std::string, std::string> files_; ///< names of the files of older screenshots, by hash
    bool asked_ = false;
    bool step_waited_ = false;               ///< since the latest request
    bool acted_ = false;                     ///< since the latest screenshot
    std::deque<std::string> seen_;           ///< hashes of the latest screenshots
    std::vector<winio::Rect> latest_change_; ///< changes in the latest screenshot that was new
    std::vector<winio::Rect> toggles_;       ///< regions that toggle by themselves
};

} // namespace eyehand::agent
