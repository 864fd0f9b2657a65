// The settings of a run, each with its source: default, profile, file, environment or flag. Later
// ones override earlier ones (configuration.hpp collects them).
#pragma once

#include "eyehand/agent/agent.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/panel/panel.hpp"
#include "eyehand/session/config.hpp"
#include "eyehand/vlm/openai_client.hpp"
#include "eyehand/winio/desktop.hpp"
#include "eyehand/winio/frame_pipeline.hpp"
#include "hand_settings.hpp"
#include "mcp_servers.hpp"
#include "program_tools.hpp"

#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace eyehand::cli {

/// Flags for the files of screenshots.
struct ImageFormatFlags {
    std::string format; ///< empty: not given
    std::optional<int> quality;
};

/// Flags for the area and the screenshots.
struct ViewFlags {
    std::optional<std::string> display;
    std::optional<std::string> window; ///< part of a window's title
    std::optional<std::string> crop;   ///< "x1,y1,x2,y2"
    std::string image;                 ///< as winio::parse_image_size reads it
    bool image_exact = false;
    ImageFormatFlags image_format;
    bool no_cursor = false;
    std::optional<std::string> config; ///< the file with settings
};

/// Flags for the server and the model.
struct EndpointFlags {
    std::optional<std::string> endpoint;
    std::optional<std::string> api; ///< "chat" or "responses"
    bool store_responses = false;
    std::optional<std::string> model;
    std::optional<std::string> ca_file;
    std::optional<int> retries;
    bool no_stream = false;
    bool insecure = false;
    std::optional<std::string> config; ///< the file with settings
};

/// Flags of the page that shows a run.
struct PanelFlags {
    bool on = false;
    std::optional<int> port;
    std::string cors; ///< empty: not given
    bool compat = false;
};

/// What decides which actions are carried out.
struct GuardFlags {
    std::string level;              ///< empty: not given
    std::string approve;            ///< empty: not given
    std::vector<std::string> rules; ///< files of --guard-rules
    /// For each --unattended "true", and for each --unattended=FILE the file.
    std::vector<std::string> unattended;

    [[nodiscard]] bool asks_no_user() const { return !unattended.empty(); }
    /// The files of both flags.
    [[nodiscard]] std::vector<std::string> rule_files() const;
};

/// Flags for what is black in screenshots.
struct RedactionFlags {
    std::vector<std::string> redact; ///< elements of the setting `redact`
    bool show_own_windows = false;
};

/// The file that a run's requests and replies are recorded to, or replayed from; empty: not given.
struct CassetteFlags {
    std::string record;
    std::string replay;
    bool strict = false; ///< each request must be the recorded one
};

/// Limits of a run besides its turns.
struct LimitFlags {
    std::optional<double> max_time; ///< seconds
    std::optional<int> max_tokens;  ///< of the run
    std::optional<int> max_actions_per_minute;
    std::optional<int> max_mib;
};

struct HandFlags {
    std::string stop_key; ///< empty: not given
    std::string takeover; ///< the same
};

struct RunFlags {
    std::string task;
    std::string profile; ///< empty: not given
    EndpointFlags server;
    ViewFlags view;
    std::optional<int> max_turns;
    LimitFlags limits;
    std::string run_dir;
    std::string journal_key_file; ///< empty: not given
    HandFlags hand;
    std::vector<std::string> with;
    std::string lmstudio_logs; ///< empty: not given
    std::string annotate;      ///< empty: not given
    GuardFlags guard;
    RedactionFlags redaction;
    std::string secrets;          ///< file; empty: not given
    std::string coordinates;      ///< the same
    std::string calibration;      ///< the same
    std::string dialect;          ///< the same
    std::string refine;           ///< the same
    std::string watch;            ///< the same
    std::string reasoning_effort; ///< the same
    std::optional<int> thinking_tokens;
    std::string image_detail; ///< empty: not given
    PanelFlags panel;
    bool heat = false;
    ProgramToolFlags tools;
    McpServerFlags mcp;
    CassetteFlags cassette;
    bool record_desktop = false;
    bool no_probe = false;
    bool json = false;
    bool verbose = false;
    bool quiet = false;
};

struct RunSettings {
    HandSettings hand{};
    agent::Profile profile;
    std::string model; ///< named by a flag, a variable or a file; empty: not named
    vlm::ClientOptions client;
    agent::AgentOptions agent;
    std::filesystem::path run_dir;
    std::filesystem::path calibrations; ///< the folder; empty: none are used
    std::string lmstudio_logs;          ///< "off", "auto" or a folder
    std::optional<panel::PanelOptions> panel;
    ProgramTools programs;
    McpServers servers;
    bool probe = true;        ///< probe the server before the run
    bool choose_watch = true; ///< the user has not set how the screen is watched
    /// Whether the profile alone determines how many old screenshots are dropped at once.
    bool batch_of_profile = true;
};

/// Above any model's context.
inline constexpr int max_tokens = 10000000;

/// Throw UsageError or agent::Error, which name the flag, the variable or the line of the file,
/// also for mistakes in the profile; vlm::Error for the endpoint.
[[nodiscard]] RunSettings resolve(const RunFlags& flags,
                                  const std::vector<session::ConfigEntry>& scenario = {});
[[nodiscard]] vlm::ClientOptions resolve(const EndpointFlags& flags);
/// The options of the client, and the settings that run.json stores for them.
struct ServerSettings {
    vlm::ClientOptions client;
    std::vector<agent::Setting> settings; ///< of `server_setting_names`
    bool probe = true;                    ///< probe the server before the run
    /// Whether there is a key, but the run's endpoint has another origin than the one of the user.
    bool key_withheld = false;
};
/// Scheme, host and port of an endpoint; empty if it is not valid.
[[nodiscard]] std::string origin(const std::string& endpoint);
/// `of_run` has the endpoint, the API, or both, of a run directory: they take precedence over those that
/// the user has configured, except by flags, but the endpoint does not get a key for another origin.
/// Throws as `resolve`.
[[nodiscard]] ServerSettings server_settings(const EndpointFlags& flags,
                                             std::span<const agent::Setting> of_run = {});
/// The endpoint that the user has configured.
[[nodiscard]] std::string configured_endpoint(const EndpointFlags& flags);
/// The names in run.json of all settings for the server, with or without a value, except the model.
[[nodiscard]] std::vector<std::string> server_setting_names();
/// The settings of the agent; `AgentOptions::settings` stays empty.
[[nodiscard]] agent::AgentOptions agent_options(const session::Config& config);
/// The address of the page and the access to it; `panel_options` returns nothing if the panel of a
/// run is off.
[[nodiscard]] panel::PanelOptions page_options(const session::Config& config);
[[nodiscard]] std::optional<panel::PanelOptions> panel_options(const session::Config& config);
[[nodiscard]] winio::AreaChoice area_choice(const ViewFlags& flags);
/// The area that `choice` names on the desktop. Throws UsageError if the crop contains no pixel.
[[nodiscard]] winio::WorkArea work_area(winio::Desktop& desktop, const winio::AreaChoice& choice);
/// `file` may choose the format by its extension.
[[nodiscard]] winio::ScreenshotOptions screenshot_options(const ViewFlags& flags,
                                                          std::string_view file);
/// The model from flag, environment or file, otherwise `fallback`.
[[nodiscard]] std::string model_name(const EndpointFlags& flags, const std::string& fallback);
/// The sampling settings from file and environment.
[[nodiscard]] std::optional<double> temperature_setting(const EndpointFlags& flags);
[[nodiscard]] std::optional<int> max_tokens_setting(const EndpointFlags& flags);
[[nodiscard]] std::optional<vlm::ReasoningEffort>
reasoning_effort_setting(const EndpointFlags& flags);
[[nodiscard]] std::optional<int> thinking_tokens_setting(const EndpointFlags& flags);
[[nodiscard]] std::optional<vlm::ImageDetail> image_detail_setting(const EndpointFlags& flags);

} // namespace eyehand::cli
