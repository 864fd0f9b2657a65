// What a run is set to, and where each value came from: default, profile, environment, flag, the
// later one counts.
#pragma once

#include "agent/agent.hpp"
#include "agent/run.hpp"
#include "vlm/openai_client.hpp"
#include "winio/desktop.hpp"
#include "winio/frame_pipeline.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace cli {

/// Flags that choose what is seen.
struct ViewFlags {
    std::optional<std::string> display;
    std::optional<std::string> window; ///< a part of a window's title
    std::optional<std::string> crop;   ///< "x1,y1,x2,y2"
    std::string image;                 ///< as winio::parse_picture_size reads it
    bool image_exact = false;
    bool no_cursor = false;
};

/// Flags that choose who is asked.
struct EndpointFlags {
    std::optional<std::string> endpoint;
    std::optional<std::string> model;
};

struct RunFlags {
    std::string task;
    std::string profile = "observer";
    EndpointFlags server;
    ViewFlags view;
    std::optional<int> max_steps;
    std::string run_dir;
    std::vector<std::string> with;
    bool json = false;
    bool verbose = false;
    bool quiet = false;
};

struct RunSettings {
    agent::Profile profile;
    vlm::ClientOptions client;
    agent::AgentOptions agent;
    std::filesystem::path run_dir;
    agent::ScreenshotNames screenshots;
};

/// Throw UsageError naming the flag or variable; agent::Error for the profile.
[[nodiscard]] RunSettings resolve(const RunFlags& flags);
[[nodiscard]] vlm::ClientOptions resolve(const EndpointFlags& flags);
[[nodiscard]] winio::AreaChoice area_choice(const ViewFlags& flags);
/// What `choice` means on the desktop; a crop without a pixel is a UsageError.
[[nodiscard]] winio::WorkArea work_area(winio::Desktop& desktop, const winio::AreaChoice& choice);
[[nodiscard]] winio::PictureOptions picture_options(const ViewFlags& flags);
/// The model that is asked when the profile has none.
[[nodiscard]] std::string model_name(const EndpointFlags& flags, const std::string& fallback);

} // namespace cli
