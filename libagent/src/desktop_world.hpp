// The world in which an agent really acts: a desktop, a model and a run directory.
#pragma once

#include "agent/agent.hpp"
#include "winio/frame_pipeline.hpp"
#include "winio/hands.hpp"
#include "winio/settle.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>

namespace agent {

class DesktopWorld final : public World {
public:
    /// Everything referred to must outlive it.
    DesktopWorld(winio::Desktop& desktop, vlm::ChatModel& model, const Toolbox& tools,
                 const Profile& profile, const AgentOptions& options, RunDirectory& directory,
                 RunControl& control, vlm::OnDelta on_delta);

    std::optional<Stopped> stopped() override;
    Fact execute(const Command& command) override;

private:
    Fact on(const Observe& command);
    Fact on(const Ask& command);
    Fact on(const Invoke& command);
    Fact on(const Finish& command);
    [[nodiscard]] winio::WorkArea choose_area();
    [[nodiscard]] vlm::ChatRequest with_images(vlm::ChatRequest request);
    void act_out(const winio::Plan& plan, Invoked& fact);
    [[nodiscard]] winio::Hands& hands();
    [[nodiscard]] Fact broken_off() const { return Stopped{control_.why()}; }

    winio::Desktop& desktop_;
    vlm::ChatModel& model_;
    const Toolbox& tools_;
    const Profile& profile_;
    const AgentOptions& options_;
    RunDirectory& directory_;
    RunControl& control_;
    vlm::OnDelta on_delta_;
    std::optional<winio::WorkArea> area_; ///< of the latest screenshot
    std::optional<winio::Hands> hands_;   ///< fenced in by the area of the latest action
    std::unique_ptr<winio::Capturer> capturer_;
    winio::Settler settler_;
    winio::FramePipeline pipeline_;
    /// The screenshots that the conversation still holds, by hash.
    std::map<std::string, vlm::Image> images_;
    bool asked_ = false;
};

} // namespace agent
