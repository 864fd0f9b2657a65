#include "configuration.hpp"

#include "commands.hpp"
#include "environment.hpp"
#include "environment_names.hpp"
#include "eyehand/mcp/client.hpp"
#include "eyehand/panel/panel.hpp"
#include "platform.hpp"
#include "trusted_files.hpp"
#include "warning.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <sstream>

namespace eyehand::cli {
namespace {

/// Nothing if the file cannot be read.
std::optional<std::string> text_of_file(const std::string& file) {
    std::ifstream in(path_of(file), std::ios::binary);
    std::error_code error;
    // On some systems a folder can be opened, and its content is empty.
    if (!in || std::filesystem::is_directory(path_of(file), error)) return std::nullopt;
    std::ostringstream text;
    text << in.rdbuf();
    return std::move(text).str();
}

/// `named_by` is a flag or a variable, or empty.
[[noreturn]] void refuse_file(const std::string& named_by, const std::string& file) {
    throw UsageError(fmt::format("{}{} cannot be read; check the file name",
                                 named_by.empty() ? "" : named_by + ": ", file));
}

/// Warns of the settings that `config` ignores.
void warn_of_ignored(const session::Config& config, const std::string& file, FileTrust trust) {
    std::string names;
    for (const session::ConfigEntry& entry : config.ignored())
        names += (names.empty() ? "" : ", ") + std::string(entry.setting->name);
    warn_once(fmt::format(
        "{} {}, so these settings in it are ignored: {}. Check the file; to use "
        "them, run agent-cli trust{}, or name it with --config {}",
        file, trust == FileTrust::changed ? "has changed since you trusted it" : "is not trusted",
        names, file == found_file ? "" : " " + file, file));
}

/// Adds a file that the user did not name.
void add_found_file(session::Config& config, const std::string& file, const std::string& text) {
    session::Config checked = config;
    const auto entries = session::parse_config(text, file, setting_registry());
    checked.add_untrusted(entries);
    if (!checked.ignored().empty()) {
        const FileTrust trust = TrustedFiles::load().trust_of(path_of(file), text);
        if (trust == FileTrust::trusted) {
            config.add(entries);
            return;
        }
        warn_of_ignored(checked, file, trust);
    }
    config = std::move(checked);
}

void add_file(session::Config& config, const std::optional<std::string>& flag) {
    if (flag) {
        const auto text = text_of_file(*flag);
        if (!text) refuse_file("--config", *flag);
        config.add(session::parse_config(*text, *flag, setting_registry()));
    } else if (const auto variable = text_variable("EYEHAND_CONFIG")) {
        const auto text = text_of_file(*variable);
        if (!text) refuse_file("the environment variable EYEHAND_CONFIG", *variable);
        // A relative path means another file in each folder.
        if (path_of(*variable).is_absolute())
            config.add(session::parse_config(*text, *variable, setting_registry()));
        else
            add_found_file(config, *variable, *text);
    } else if (const auto found = read_settings_file(found_file)) {
        add_found_file(config, found_file, *found);
    }
}

/// Adds flags that were given.
class Flags {
public:
    explicit Flags(session::Config& config) : config_(config) {}
    void add(const char* name, const char* flag, const std::optional<std::string>& text) {
        if (text) config_.add(session::config_from_flag(name, flag, *text, setting_registry()));
    }
    template <class Number>
    void add(const char* name, const char* flag, const std::optional<Number>& number) {
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

void add_flags(session::Config& config, const ImageFormatFlags& flags) {
    Flags to(config);
    to.add_unless_empty("image_format", "--image-format", flags.format);
    to.add("image_quality", "--image-quality", flags.quality);
}

void add_flags(session::Config& config, const ViewFlags& flags) {
    add_area_flags(config, flags);
    Flags to(config);
    to.add_unless_empty("image", "--image", flags.image);
    if (flags.image_exact)
        config.add(session::config_from_flag("image_exact", "--image-exact", "true"));
    add_flags(config, flags.image_format);
}

void add_flags(session::Config& config, const EndpointFlags& flags) {
    Flags to(config);
    to.add("endpoint", "--endpoint", flags.endpoint);
    to.add("api", "--api", flags.api);
    if (flags.store_responses)
        config.add(session::config_from_flag("store_responses", "--store-responses", "true"));
    to.add("model", "--model", flags.model);
    to.add("ca_file", "--ca-file", flags.ca_file);
    to.add("retries", "--retries", flags.retries);
    if (flags.insecure) config.add(session::config_from_flag("insecure", "--insecure", "true"));
    if (flags.no_stream) config.add(session::config_from_flag("stream", "--no-stream", "false"));
}

} // namespace

std::optional<std::string> read_settings_file(const std::string& file) {
    std::error_code error;
    if (!std::filesystem::exists(path_of(file), error)) return std::nullopt;
    auto text = text_of_file(file);
    if (!text) refuse_file({}, file);
    return text;
}

const session::SettingRegistry& setting_registry() {
    static const session::SettingRegistry registry = [] {
        session::SettingRegistry all;
        all.add(panel::setting_specs());
        all.add(mcp::setting_specs());
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

void add_limit_flags(session::Config& config, const LimitFlags& flags) {
    Flags to(config);
    to.add("max_time", "--max-time", flags.max_time);
    to.add("max_total_tokens", "--max-total-tokens", flags.max_tokens);
    to.add("max_actions_per_minute", "--max-actions-per-minute", flags.max_actions_per_minute);
    to.add("max_run_mib", "--max-run-mib", flags.max_mib);
}

void add_journal_flag(session::Config& config, const std::string& key_file) {
    Flags(config).add_unless_empty("journal_key_file", "--journal-key-file", key_file);
}

void add_hand_flags(session::Config& config, const HandFlags& given) {
    Flags flags(config);
    flags.add_unless_empty("stop_key", "--stop-key", given.stop_key);
    flags.add_unless_empty("takeover", "--takeover", given.takeover);
}

HandSettings hand_settings(const session::Config& config) {
    HandSettings hand{.stop_gestures = config.boolean("stop_gestures"),
                      .takeover = *config.text("takeover") == "pause"};
    const std::string text = *config.text("stop_key");
    if (text == "none") return hand;
    std::string problem;
    hand.stop_key = winio::parse_chord(text, &problem);
    if (!hand.stop_key) throw UsageError(fmt::format("stop_key: {}", problem));
    return hand;
}

std::string journal_key(const session::Config& config) {
    const std::optional<std::string> file = config.text("journal_key_file");
    if (!file) return {};
    const std::optional<std::string> text = text_of_file(*file);
    if (!text) refuse_file("journal_key_file", *file);
    constexpr std::size_t min_bytes = 16;
    std::string key = *text;
    while (!key.empty() && (key.back() == '\n' || key.back() == '\r')) key.pop_back();
    if (key.size() < min_bytes)
        throw UsageError(fmt::format("journal_key_file: {} contains a key of {} bytes; it needs at "
                                     "least {}, such as the output of: openssl rand -hex 32",
                                     *file, key.size(), min_bytes));
    return key;
}

void add_guard_flags(session::Config& config, const GuardFlags& flags) {
    Flags to(config);
    to.add_unless_empty("guard", "--guard", flags.level);
    to.add_unless_empty("approve", "--approve", flags.approve);
}

void add_redaction_flags(session::Config& config, const RedactionFlags& flags) {
    if (!flags.redact.empty()) {
        std::vector<std::string> all = config.list("redact");
        for (const std::string& element : flags.redact) all.push_back(element);
        session::ConfigEntry entry =
            session::config_from_flag("redact", "--redact", "", setting_registry());
        entry.value = std::move(all);
        config.add(std::move(entry));
    }
    if (flags.show_own_windows)
        config.add(session::config_from_flag("redact_own_windows", "--show-own-windows", "false",
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
    if (const session::ConfigEntry* guard = config.find("guard");
        guard != nullptr && config.text("guard") == "off")
        throw UsageError(fmt::format("{}: the guard is turned off only on the command line "
                                     "(--guard off); choose standard or strict here",
                                     guard->source));
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
    add_limit_flags(config, flags.limits);
    to.add_unless_empty("run_dir", "--run-dir", flags.run_dir);
    add_journal_flag(config, flags.journal_key_file);
    add_hand_flags(config, flags.hand);
    to.add_unless_empty("with", "--with", fmt::format("{}", fmt::join(flags.with, ",")));
    to.add_unless_empty("lmstudio_logs", "--lmstudio-logs", flags.lmstudio_logs);
    to.add_unless_empty("annotate", "--annotate", flags.annotate);
    to.add_unless_empty("coordinates", "--coordinates", flags.coordinates);
    to.add_unless_empty("calibration", "--calibration", flags.calibration);
    to.add_unless_empty("dialect", "--dialect", flags.dialect);
    to.add_unless_empty("refine", "--refine", flags.refine);
    to.add_unless_empty("watch", "--watch", flags.watch);
    to.add_unless_empty("reasoning_effort", "--reasoning-effort", flags.reasoning_effort);
    to.add("thinking_tokens", "--thinking-tokens", flags.thinking_tokens);
    to.add_unless_empty("image_detail", "--image-detail", flags.image_detail);
    add_guard_flags(config, flags.guard);
    add_redaction_flags(config, flags.redaction);
    add_panel_flags(config, flags.panel);
    if (flags.heat) config.add(session::config_from_flag("heat", "--heat", "true"));
    if (flags.record_desktop)
        config.add(session::config_from_flag("record_desktop", "--record-desktop", "true"));
    if (flags.no_probe) config.add(session::config_from_flag("probe", "--no-probe", "false"));
    return config;
}

agent::Profile add_profile(session::Config& config) {
    agent::Profile profile = load_checked_profile(*config.text("profile"));
    config.add(session::config_of(profile));
    return profile;
}

std::string shown_value(const session::ConfigEntry& entry) {
    const std::string value = session::to_string(*entry.setting, entry.value);
    return entry.setting->name == "endpoint" ? value.substr(0, value.find('?')) : value;
}

vlm::ClientOptions client_options(const session::Config& config) {
    vlm::ClientOptions client;
    client.endpoint = *config.text("endpoint");
    client.api = *vlm::parse_api(*config.text("api"));
    client.store_responses = config.boolean("store_responses");
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
