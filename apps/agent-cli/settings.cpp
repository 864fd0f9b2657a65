#include "settings.hpp"

#include "calibrations.hpp"
#include "configuration.hpp"
#include "environment.hpp"
#include "guard.hpp"
#include "platform.hpp"
#include "secrets.hpp"
#include "warning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <vector>

namespace eyehand::cli {

std::vector<std::string> GuardFlags::rule_files() const {
    std::vector<std::string> files = rules;
    for (const std::string& value : unattended)
        if (value != "true") files.push_back(value);
    return files;
}

namespace {

// --- The server and the access to it -------------------------------------------------------------

std::string readable_file(const Variable& file) {
    if (file.value.empty())
        throw UsageError(file.name + " is empty; leave it out, or name a PEM file");
    if (!std::ifstream(path_of(file.value)))
        throw UsageError(fmt::format("{} is \"{}\", which cannot be read; it must be a PEM file",
                                     file.name, file.value));
    return file.value;
}

/// The value of a setting, with the flag, variable or file from which it comes as its name.
std::optional<Variable> place_of(const session::Config& config, std::string_view name) {
    const session::ConfigEntry* entry = config.find(name);
    if (entry == nullptr) return std::nullopt;
    return Variable{entry->source, *config.text(name)};
}

/// Proxies and certificate authorities, with the names of the flags or variables that set them.
class ConnectionSettings {
public:
    explicit ConnectionSettings(const session::Config& config)
        : ca_file_(place_of(config, "ca_file")), proxies_(proxy_variables()) {}

    void apply(vlm::ClientOptions& client, std::vector<agent::Setting>& settings) const {
        if (ca_file_) client.ca_file = readable_file(*ca_file_);
        client.proxies = proxies_.proxies();
        // The address of a proxy may contain a password.
        if (const auto& http = proxies_.http)
            settings.push_back({"http_proxy", "(not shown)", http->name});
        if (const auto& https = proxies_.https)
            settings.push_back({"https_proxy", "(not shown)", https->name});
        if (const auto& none = proxies_.none)
            settings.push_back({"no_proxy", none->value, none->name});
    }

    /// The URL that requests go to. Throws if the CA file or a proxy is not usable; the message
    /// names the flag or variable.
    [[nodiscard]] std::string checked_url(const vlm::ClientOptions& client) const {
        (void)vlm::quirks_of(client.endpoint); // throws if it is not a URL
        try {
            return vlm::OpenAiClient(client).url();
        } catch (const vlm::Error& error) {
            const bool file = error.code() == vlm::errc::untrusted;
            const bool tls =
                vlm::OpenAiClient({.endpoint = client.endpoint}).url().starts_with("https:");
            const auto& culprit = file ? ca_file_ : tls ? proxies_.https : proxies_.http;
            if (!culprit) throw;
            throw UsageError(fmt::format("{}: {}", culprit->name, error.what()));
        }
    }

private:
    std::optional<Variable> ca_file_;
    ProxyVariables proxies_;
};

/// OPENAI_API_KEY is used for OpenAI only, because it is set in the environment of many users.
std::optional<Variable> key_of(const session::Config& config, const std::string& url) {
    if (auto key = place_of(config, "api_key")) return key;
    if (!url.starts_with("https://api.openai.com/")) return std::nullopt;
    return first_variable({"OPENAI_API_KEY"});
}

struct ResolvedClient {
    vlm::ClientOptions options;
    bool key_withheld = false;
};

std::string checked_key(const Variable& key) {
    if (!std::all_of(key.value.begin(), key.value.end(),
                     [](char c) { return c > ' ' && c < 0x7F; })) {
        throw UsageError(
            fmt::format("the environment variable {} holds a space, a control character or a "
                        "character outside ASCII; copy the key again",
                        key.name));
    }
    return key.value;
}

/// The host in a URL of OpenAiClient::url, without brackets.
std::string host_of(const std::string& url) {
    std::string host = url.substr(url.find("://") + 3);
    if (host.starts_with('[')) return host.substr(1, host.find(']') - 1);
    return host.substr(0, host.find_first_of(":/?"));
}

/// A false negative only causes a warning.
bool is_this_computer(const std::string& host) {
    const bool numeric = host.find_first_not_of("0123456789.") == std::string::npos;
    return host == "localhost" || host.ends_with(".localhost") || host == "::1" ||
           (numeric && host.starts_with("127."));
}

void warn_of_readable_key(const session::Config& config, const Variable& key,
                          const std::string& url) {
    const std::string host = host_of(url);
    if (!url.starts_with("http://") || is_this_computer(host) || config.boolean("insecure")) return;
    warn_once(fmt::format("the API key ({}) is sent to {} over plain http, so that others in the "
                          "network can read it: use an https endpoint, or --insecure if the "
                          "network is safe",
                          key.name, host));
}

/// The options of the client. The user's key belongs to the origin of `users_endpoint`, which comes
/// from flags, variables, files that the user named or trusts, and defaults; another endpoint does
/// not get it. Adds the settings that only the environment can set to `settings`.
ResolvedClient resolve_client(const session::Config& config, const std::string& users_endpoint,
                              std::vector<agent::Setting>& settings) {
    ResolvedClient resolved{client_options(config)};
    vlm::ClientOptions& client = resolved.options;
    const ConnectionSettings connection(config);
    connection.apply(client, settings);
    client.api_key.clear(); // until the destination is known
    const std::string url = connection.checked_url(client);
    const auto key = key_of(config, url);
    if (!key) return resolved;
    if (origin(client.endpoint) != origin(users_endpoint)) {
        resolved.key_withheld = true;
        std::erase_if(settings, [](const agent::Setting& it) { return it.name == "api_key"; });
        return resolved;
    }
    client.api_key = checked_key(*key);
    if (config.find("api_key") == nullptr) settings.push_back({"api_key", "set", key->name});
    warn_of_readable_key(config, *key, url);
    return resolved;
}

constexpr std::array<std::string_view, 13> of_server{"endpoint",
                                                     "api",
                                                     "store_responses",
                                                     "api_key",
                                                     "ca_file",
                                                     "insecure",
                                                     "timeout",
                                                     "connect_timeout",
                                                     "first_byte_timeout",
                                                     "idle_timeout",
                                                     "stream",
                                                     "retries",
                                                     "probe"};

bool is_of_server(const session::ConfigEntry& entry) {
    return std::find(of_server.begin(), of_server.end(), entry.setting->name) != of_server.end();
}

} // namespace

winio::AreaChoice area_choice(const ViewFlags& flags) {
    return session::area_setting(configuration(flags));
}

winio::WorkArea work_area(winio::Desktop& desktop, const winio::AreaChoice& choice) {
    try {
        return winio::choose_area(desktop, choice);
    } catch (const std::invalid_argument& error) {
        throw UsageError(fmt::format("--crop: {}", error.what()));
    }
}

winio::ScreenshotOptions screenshot_options(const ViewFlags& flags, std::string_view file) {
    const session::Config config = configuration(flags);
    winio::ScreenshotOptions options;
    options.size = session::image_size_setting(config).size;
    options.format = session::image_format_setting(config, winio::image_format_of_name(file));
    options.pointer = !flags.no_cursor;
    return options;
}

std::string origin(const std::string& endpoint) {
    try {
        const std::string url = vlm::OpenAiClient({.endpoint = endpoint}).url();
        return url.substr(0, url.find('/', url.find("://") + 3));
    } catch (const vlm::Error&) {
        return {};
    }
}

std::string configured_endpoint(const EndpointFlags& flags) {
    return *configuration(flags).text("endpoint");
}

vlm::ClientOptions resolve(const EndpointFlags& flags) {
    std::vector<agent::Setting> nowhere;
    const session::Config config = configuration(flags);
    return resolve_client(config, *config.text("endpoint"), nowhere).options;
}

ServerSettings server_settings(const EndpointFlags& flags, std::span<const agent::Setting> of_run) {
    session::Config all = configuration(flags);
    const std::string users_endpoint = *all.text("endpoint");
    for (const agent::Setting& it : of_run) // a flag has precedence over this layer
        all.add(
            {all.settings().find(it.name), it.value, session::ConfigLayer::scenario, it.source});
    session::Config config = session::default_config(
        setting_registry()); // without the area: its mistakes do not matter here
    for (const session::ConfigEntry& entry : all.entries())
        if (is_of_server(entry)) config.add(entry);
    ServerSettings server;
    server.settings = session::effective_settings(config);
    const std::vector<std::string> names = server_setting_names();
    std::erase_if(server.settings, [&](const agent::Setting& setting) {
        return std::find(names.begin(), names.end(), setting.name) == names.end();
    });
    const ResolvedClient resolved = resolve_client(all, users_endpoint, server.settings);
    server.client = resolved.options;
    server.key_withheld = resolved.key_withheld;
    server.probe = all.boolean("probe");
    return server;
}

std::vector<std::string> server_setting_names() {
    std::vector<std::string> names{"http_proxy", "https_proxy", "no_proxy"};
    for (const std::string_view name : of_server) {
        const bool duration =
            session::SettingRegistry::built_in().find(name)->kind == agent::SettingKind::seconds;
        names.push_back(std::string(name) + (duration ? "_ms" : ""));
    }
    return names;
}

std::string model_name(const EndpointFlags& flags, const std::string& fallback) {
    return configuration(flags).text("model").value_or(fallback);
}

std::optional<double> temperature_setting(const EndpointFlags& flags) {
    return configuration(flags).number("temperature");
}

std::optional<int> max_tokens_setting(const EndpointFlags& flags) {
    const std::optional<int> tokens = configuration(flags).integer("max_tokens");
    return tokens && *tokens > 0 ? tokens : std::nullopt; // the server's limit
}

std::optional<vlm::ReasoningEffort> reasoning_effort_setting(const EndpointFlags& flags) {
    return vlm::parse_reasoning_effort(configuration(flags).text("reasoning_effort").value_or(""));
}

std::optional<int> thinking_tokens_setting(const EndpointFlags& flags) {
    const std::optional<int> tokens = configuration(flags).integer("thinking_tokens");
    return tokens && *tokens >= 0 ? tokens : std::nullopt; // the server's limit
}

std::optional<vlm::ImageDetail> image_detail_setting(const EndpointFlags& flags) {
    return vlm::parse_image_detail(configuration(flags).text("image_detail").value_or(""));
}

namespace {

agent::RunLimits run_limits(const session::Config& config) {
    agent::RunLimits limits;
    if (const auto time = *config.duration("max_time"); time.count() > 0) limits.max_time = time;
    if (const int tokens = *config.integer("max_total_tokens"); tokens > 0)
        limits.max_tokens = tokens;
    if (const int actions = *config.integer("max_actions_per_minute"); actions > 0)
        limits.max_actions_per_minute = actions;
    if (const int mib = *config.integer("max_run_mib"); mib > 0)
        limits.max_bytes = static_cast<std::uint64_t>(mib) << 20;
    return limits;
}

} // namespace

agent::AgentOptions agent_options(const session::Config& config) {
    agent::AgentOptions options;
    options.area = session::area_setting(config);
    options.redaction = session::redaction_setting(config);
    options.redact_own_windows = config.boolean("redact_own_windows");
    options.with = config.list("with");
    options.journal_key = journal_key(config);
    options.settle.minimum = *config.duration("settle_minimum");
    options.settle.quiet = *config.duration("settle_quiet");
    options.settle.timeout = *config.duration("settle_timeout");
    options.reaction.reaction_timeout = *config.duration("reaction_timeout");
    options.reaction.busy_timeout = *config.duration("busy_timeout");
    if (const auto watch = config.text("watch"))
        options.watch = watch == "off"      ? agent::Watch::off
                        : watch == "resend" ? agent::Watch::resend
                                            : agent::Watch::check;
    options.capture.layered_windows = config.boolean("layered_windows");
    options.limits = run_limits(config);
    options.record_desktop = config.boolean("record_desktop");
    if (!config.boolean("panel")) return options;
    options.first_reply = agent::Source::client;
    if (config.text("annotate") == "panel") options.annotation = agent::Source::client;
    return options;
}

std::optional<panel::PanelOptions> panel_options(const session::Config& config) {
    if (!config.boolean("panel")) return std::nullopt;
    return page_options(config);
}

panel::PanelOptions page_options(const session::Config& config) {
    panel::PanelOptions options;
    options.host = *config.text("host");
    options.port = static_cast<std::uint16_t>(*config.integer("port"));
    options.cors_origin = config.text("panel_cors");
    if (config.boolean("panel_compat")) options.access = panel::PanelAccess::without_token;
    return options;
}

RunSettings resolve(const RunFlags& flags, const std::vector<session::ConfigEntry>& scenario) {
    const std::string users_endpoint = configured_endpoint(flags.server);
    session::Config config = configuration(flags, scenario);
    RunSettings settings;
    settings.profile = add_profile(config);
    session::apply(config, settings.profile);
    if (config.text("annotate") == "panel" && !config.boolean("panel"))
        throw agent::Error(
            agent::errc::bad_config,
            config.find("annotate")->source +
                ": there is no panel to draw over screenshots: turn it on (--panel), or "
                "use native");
    if (const session::ConfigEntry* model = config.find("model");
        model != nullptr && model->layer > session::ConfigLayer::profile)
        settings.model = settings.profile.model;
    settings.agent = agent_options(config);
    settings.agent.guard = make_guard(guard_level(config), flags.guard);
    settings.agent.settings = session::effective_settings(config);
    // Those of the flags, too, are added when they are connected.
    std::erase_if(settings.agent.settings,
                  [](const agent::Setting& it) { return it.name == "mcp_servers"; });
    settings.agent.secrets = read_secrets(flags.secrets);
    put_rules(settings.agent.settings, flags.guard);
    put_secrets(settings.agent.settings, settings.agent.secrets);
    settings.client = resolve_client(config, users_endpoint, settings.agent.settings).options;

    settings.run_dir = path_of(*config.text("run_dir"));
    settings.calibrations = calibrations_of_run(config);
    settings.agent.screenshot_names = session::screenshot_names(config, settings.profile);
    settings.servers = McpServers(config, flags.mcp);
    settings.programs = ProgramTools(
        flags.tools, [&](const std::string& tool) { return settings.servers.may_have(tool); });
    settings.probe = config.boolean("probe");
    settings.choose_watch = !config.text("watch");
    settings.batch_of_profile =
        config.find("drop_screenshots")->layer == session::ConfigLayer::profile;
    settings.lmstudio_logs = config.text("lmstudio_logs").value_or("off");
    settings.panel = panel_options(config);
    settings.hand = hand_settings(config);
    return settings;
}

} // namespace eyehand::cli
