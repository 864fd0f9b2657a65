#include "configuration.hpp"

#include "commands.hpp"
#include "environment.hpp"
#include "environment_names.hpp"
#include "eyehand/panel/panel.hpp"
#include "platform.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <sstream>

namespace eyehand::cli {
namespace {

constexpr const char* usual_file = "eyehand.json";

/// Returns nothing if the file does not exist and `named_by` is null; a missing file that a flag or
/// variable names is an error.
std::optional<std::string> read(const std::string& file, const char* named_by) {
    std::ifstream in(path_of(file), std::ios::binary);
    std::error_code error;
    if (named_by == nullptr && !std::filesystem::exists(path_of(file), error)) return std::nullopt;
    std::ostringstream text;
    // On some systems a folder can be opened, and its content is empty.
    if (in && !std::filesystem::is_directory(path_of(file), error)) {
        text << in.rdbuf();
        return std::move(text).str();
    }
    throw UsageError(fmt::format("{}{} cannot be read; check the file name",
                                 named_by == nullptr ? "" : std::string(named_by) + ": ", file));
}

void add_file(session::Config& config, const std::optional<std::string>& flag) {
    const auto variable = text_variable("EYEHAND_CONFIG");
    const std::string file = flag ? *flag : variable.value_or(usual_file);
    const char* named_by = flag       ? "--config"
                           : variable ? "the environment variable EYEHAND_CONFIG"
                                      : nullptr;
    if (const auto text = read(file, named_by))
        config.add(session::parse_config(*text, file, setting_registry()));
}

/// Adds flags that were given.
class Flags {
public:
    explicit Flags(session::Config& config) : config_(config) {}
    void add(const char* name, const char* flag, const std::optional<std::string>& text) {
        if (text) config_.add(session::config_from_flag(name, flag, *text, setting_registry()));
    }
    void add(const char* name, const char* flag, const std::optional<int>& number) {
        if (number)
            config_.add(session::config_from_flag(name, flag, fmt::format("{}", *number),
                                                  setting_registry()));
    }
    /// For flags for which an empty text means that they were not given.
    void add_unless_empty(const char* name, const char* flag, const std::string& text) {
        if (!text.empty())
            config_.add(session::config_from_flag(name, flag, text, setting_registry()));
    }

private:
    session::Config& config_;
};

void add_flags(session::Config& config, const ViewFlags& flags) {
    add_area_flags(config, flags);
    Flags to(config);
    to.add_unless_empty("image", "--image", flags.image);
    if (flags.image_exact)
        config.add(session::config_from_flag("image_exact", "--image-exact", "true"));
}

void add_flags(session::Config& config, const EndpointFlags& flags) {
    Flags to(config);
    to.add("endpoint", "--endpoint", flags.endpoint);
    to.add("model", "--model", flags.model);
    to.add("ca_file", "--ca-file", flags.ca_file);
    to.add("retries", "--retries", flags.retries);
    if (flags.no_stream) config.add(session::config_from_flag("stream", "--no-stream", "false"));
}

} // namespace

const session::SettingRegistry& setting_registry() {
    static const session::SettingRegistry registry = [] {
        session::SettingRegistry all;
        all.add(panel::setting_specs());
        return all;
    }();
    return registry;
}

void add_panel_flags(session::Config& config, const PanelFlags& flags) {
    Flags to(config);
    if (flags.on)
        config.add(session::config_from_flag("panel", "--panel", "true", setting_registry()));
    to.add("port", "--panel-port", flags.port);
    to.add_unless_empty("panel_cors", "--panel-cors", flags.cors);
    if (flags.compat)
        config.add(session::config_from_flag("panel_compat", "--panel-compat", "true",
                                             setting_registry()));
}

void add_area_flags(session::Config& config, const ViewFlags& flags) {
    Flags to(config);
    to.add("display", "--display", flags.display);
    to.add("window", "--window", flags.window);
    to.add("crop", "--crop", flags.crop);
}

session::Config configuration(const std::optional<std::string>& file) {
    session::Config config = session::default_config(setting_registry());
    add_file(config, file);
    config.add(
        session::config_from_variables(text_variable, environment_names(), setting_registry()));
    return config;
}

session::Config configuration(const ViewFlags& flags) {
    session::Config config = configuration(flags.config);
    add_flags(config, flags);
    return config;
}

session::Config configuration(const EndpointFlags& flags) {
    session::Config config = configuration(flags.config);
    add_flags(config, flags);
    return config;
}

session::Config configuration(const RunFlags& flags,
                              const std::vector<session::ConfigEntry>& scenario) {
    session::Config config = configuration(flags.server.config);
    config.add(scenario);
    add_flags(config, flags.server);
    add_flags(config, flags.view);
    Flags to(config);
    to.add_unless_empty("profile", "--profile", flags.profile);
    to.add("max_turns", "--max-turns", flags.max_turns);
    to.add_unless_empty("run_dir", "--run-dir", flags.run_dir);
    to.add_unless_empty("with", "--with", fmt::format("{}", fmt::join(flags.with, ",")));
    to.add_unless_empty("lmstudio_logs", "--lmstudio-logs", flags.lmstudio_logs);
    to.add_unless_empty("annotate", "--annotate", flags.annotate);
    to.add_unless_empty("watch", "--watch", flags.watch);
    to.add_unless_empty("approve", "--approve", flags.approve);
    add_panel_flags(config, flags.panel);
    if (flags.heat) config.add(session::config_from_flag("heat", "--heat", "true"));
    if (flags.no_probe) config.add(session::config_from_flag("probe", "--no-probe", "false"));
    return config;
}

agent::Profile add_profile(session::Config& config) {
    agent::Profile profile = load_checked_profile(*config.text("profile"));
    config.add(session::config_of(profile));
    return profile;
}

vlm::ClientOptions client_options(const session::Config& config) {
    vlm::ClientOptions client;
    client.endpoint = *config.text("endpoint");
    client.api_key = config.text("api_key").value_or("");
    client.ca_file = config.text("ca_file").value_or("");
    client.timeout = *config.duration("timeout");
    client.connect_timeout = *config.duration("connect_timeout");
    client.first_byte_timeout = *config.duration("first_byte_timeout");
    client.idle_timeout = *config.duration("idle_timeout");
    client.stream = config.boolean("stream");
    client.retries.max_retries = *config.integer("retries");
    return client;
}

} // namespace eyehand::cli
