// agent-cli doctor
#include "calibrations.hpp"
#include "commands.hpp"
#include "configuration.hpp"
#include "mcp_servers.hpp"
#include "terminal_view.hpp"

#include "eyehand/agent/coordinates.hpp"
#include "eyehand/agent/profile.hpp"
#include "eyehand/mcp/error.hpp"
#include "eyehand/vlm/error.hpp"
#include "eyehand/vlm/probe.hpp"
#include "eyehand/winio/error.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace eyehand::cli {
namespace {

void pass(const char* what, const std::string& found) {
    fmt::print("pass  {:9} {}\n", what, found);
}
void refuse(const char* what, const std::string& reason) {
    fmt::print("FAIL  {:9} {}\n", what, reason);
}
void note(const char* what, const std::string& text) { fmt::print("note  {:9} {}\n", what, text); }

bool check_desktop() {
    try {
        const auto desktop = winio::open_desktop();
        const std::vector<winio::Display> displays = desktop->displays();
        const winio::WorkArea area = winio::choose_area(displays, {});
        pass("desktop", fmt::format("{} display(s)", displays.size()));
        for (const winio::Display& display : displays) {
            pass("display",
                 fmt::format("{}: {}x{} at {},{}, {} DPI ({} %){}", display.id,
                             display.bounds.width, display.bounds.height, display.bounds.x,
                             display.bounds.y, display.dpi, display.dpi * 100 / 96,
                             display.primary ? ", primary" : ""));
        }
        winio::Frame frame;
        desktop->open_capturer({})->capture(area.bounds(), frame);
        pass("capture", fmt::format("{}x{}", frame.pixels.width(), frame.pixels.height()));
        return true;
    } catch (const winio::Error& error) {
        refuse("desktop", error.what());
        return false;
    }
}

// --- Server and model ----------------------------------------------------------------------------

void check_server(const vlm::ServerInfo& server) {
    std::string name(vlm::to_string(server.kind));
    if (!server.version.empty()) name += ' ' + one_line(server.version);
    if (server.kind == vlm::ServerKind::unknown)
        note("server", name);
    else
        pass("server", name);
}

std::string ids_of(const std::vector<vlm::ModelInfo>& models) {
    constexpr std::size_t max = 30; // some services have hundreds
    std::string ids;
    for (std::size_t i = 0; i < std::min(models.size(), max); ++i)
        ids += (ids.empty() ? "" : ", ") + one_line(models[i].id);
    if (models.size() > max) ids += fmt::format(" and {} more", models.size() - max);
    return ids;
}

bool check_model(const vlm::ServerInfo& server, const std::string& wanted) {
    const vlm::ModelInfo& model = server.model;
    if (!model.id.empty()) {
        pass("model",
             one_line(model.id) +
                 (model.loaded ? "" : " (not loaded yet: the first request waits for it)"));
        return true;
    }
    if (server.models.empty())
        refuse("model", "the server lists no model: load one");
    else if (wanted.empty())
        refuse("model",
               "no model is loaded: load one, or choose with --model: " + ids_of(server.models));
    else
        refuse("model",
               fmt::format("the server does not have {}: load it, or choose with --model: {}",
                           wanted, ids_of(server.models)));
    return false;
}

bool check_images(vlm::Support images, const char* not_known) {
    switch (images) {
    case vlm::Support::yes:
        pass("images", "the model sees them");
        return true;
    case vlm::Support::no:
        refuse("images", "the model does not see them: load a vision model (llama-server: with its "
                         "--mmproj file), or choose one with --model");
        return false;
    case vlm::Support::unknown:
        break;
    }
    note("images", not_known);
    return true;
}

/// Never a failure: the client recovers calls that a model writes into its text.
void check_tools(vlm::Support tools, const char* not_known) {
    if (tools == vlm::Support::yes)
        pass("tools", "the model calls them");
    else if (tools == vlm::Support::no)
        note("tools", "the model does not call them natively, so mistakes are likely: choose one "
                      "that was trained for it (vLLM: --enable-auto-tool-choice)");
    else
        note("tools", not_known);
}

/// Never a failure: the table only knows what models of this family usually do. Returns false if they
/// state no usable positions.
bool check_positions(const std::string& model_id) {
    const std::optional<agent::ModelFamily> family = agent::model_family(model_id);
    if (!family) {
        note("positions", "unknown model family: runs ask for 0 to 1000 (--coordinates)");
        return true;
    }
    const bool sure = !family->varies && (family->certainty == agent::Certainty::vendor ||
                                          family->certainty == agent::Certainty::code);
    const std::string subject = fmt::format("{}: {}", family->name, sure ? "" : "probably ");
    if (!family->grounds)
        note("positions", fmt::format("{}no usable positions, so clicks are likely to miss their "
                                      "targets",
                                      subject));
    else if (!family->convention)
        note("positions", fmt::format("{}: unknown numbers; runs ask for 0 to 1000 (--coordinates)",
                                      family->name));
    else
        pass("positions", fmt::format("{}{} ({})", subject, agent::description(*family->convention),
                                      to_string(*family->convention)));
    if (family->dialect != agent::Dialect::native)
        note("actions",
             fmt::format("{}: {} (--dialect {})", family->name, agent::description(family->dialect),
                         to_string(family->dialect)));
    return family->grounds;
}

/// Never a failure. Prints nothing without a calibration.
std::optional<session::Calibration>
check_calibration(const DoctorFlags& flags, const std::string& url, const std::string& model_id) {
    constexpr const char* name = "measured";
    const std::filesystem::path folder = calibrations_of_run(configuration(flags.server));
    std::optional<session::Calibration> found;
    if (folder.empty()) return found;
    try {
        found = session::load_calibration(folder, url, model_id);
    } catch (const agent::Error& error) {
        note(name, one_line(error.what()));
    }
    if (!found) return found;
    const std::vector<std::string> warnings = session::warnings(*found);
    const std::string text = found->fit.grounds ? fmt::format("{}; a click hits {}",
                                                              session::description(found->fit.form),
                                                              small_targets_text(*found))
                                                : "no grounding";
    (warnings.empty() ? pass : note)(name,
                                     fmt::format("{} (calibrated on {})", text, date_text(*found)));
    for (const std::string& warning : warnings) note(name, warning);
    return found;
}

/// For a model whose clicks are likely to miss.
void suggest_alternatives(const std::string& model_id, agent::Dialect dialect) {
    for (const std::string& alternative : session::alternatives(model_id, dialect))
        note("remedy", alternative);
}

void check_context(const std::optional<int>& tokens) {
    // Prompts and tools, and about five screenshots of 1536x864 as Qwen3-VL reads them.
    constexpr int comfortable = 8192;
    if (!tokens)
        note("context", "unknown length");
    else if (*tokens < comfortable)
        note("context", fmt::format("{} tokens are few, because a screenshot takes about {}: load "
                                    "the model with at least {}",
                                    *tokens, vlm::qwen3_image_tokens(1536, 864), comfortable));
    else
        pass("context", fmt::format("{} tokens", *tokens));
}

/// Never a failure: a canceled request then only delays the next one.
void check_disconnect(const vlm::ServerInfo& server, bool tested) {
    const std::string fact = "stops when a client disconnects: ";
    if (server.stops_on_disconnect == vlm::Support::yes)
        pass("cancel", fact + "yes");
    else if (server.stops_on_disconnect == vlm::Support::no)
        note("cancel", fact + "no; after a canceled request, the next one waits until the server "
                              "has completed the answer: try a newer version of the server");
    else if (!tested && server.kind == vlm::ServerKind::llama_server)
        note("cancel", fact + "unknown; `agent-cli doctor --ask` tests it");
    else
        note("cancel", fact + "unknown");
}

bool check_endpoint(const DoctorFlags& flags) {
    const vlm::ClientOptions options = resolve(flags.server);
    vlm::ProbeOptions how{.active = flags.ask, .disconnect = flags.ask};
    if (options.timeout > options.timeout.zero()) {
        how.timeout = std::min(how.timeout, options.timeout);
    }
    const std::string wanted = model_name(flags.server, agent::load_profile("observer").model);
    try {
        const std::string url = vlm::OpenAiClient(options).url();
        const vlm::ServerInfo server = vlm::probe(options, wanted, how);
        pass("endpoint", url);
        pass("api", options.api == vlm::Api::responses ? "Responses" : "chat completions");
        check_server(server);
        bool good = check_model(server, wanted);
        if (good) {
            const char* const not_known =
                flags.ask ? "unknown" : "unknown; `agent-cli doctor --ask` tests it";
            good = check_images(server.model.images, not_known);
            check_tools(server.model.tools, not_known);
            const bool expected = check_positions(server.model.id);
            const auto measured = check_calibration(flags, url, server.model.id);
            if (measured ? !measured->fit.grounds : !expected)
                suggest_alternatives(server.model.id,
                                     measured ? measured->dialect : agent::Dialect::native);
            check_context(server.model.context_tokens);
            check_disconnect(server, flags.ask);
        }
        for (const std::string& text : server.notes) note("server", one_line(text));
        return good;
    } catch (const vlm::Error& error) {
        if (error.code() == vlm::errc::bad_url) throw;
        refuse("endpoint", one_line(error.what()));
        return false;
    }
}

// --- Servers of the Model Context Protocol -------------------------------------------------------

bool check_mcp_servers(const DoctorFlags& flags) {
    constexpr std::size_t max_names = 2000;
    bool good = true;
    const McpServers servers(configuration(flags.server), flags.mcp);
    for (const mcp::ClientOptions& options : servers.options()) {
        try {
            mcp::Client client(options);
            std::string names;
            for (const mcp::RemoteTool& tool : client.tools())
                names += (names.empty() ? "" : ", ") + one_line(tool.name);
            if (names.size() > max_names) names = names.substr(0, max_names) + "...";
            pass("mcp", printable(fmt::format("{}: revision {}; tools: {}", options.name,
                                              client.revision(), names.empty() ? "none" : names)));
        } catch (const mcp::Error& error) {
            refuse("mcp", one_line(error.what()));
            good = false;
        }
    }
    return good;
}

} // namespace

ExitCode run_doctor(const DoctorFlags& flags) {
    const bool desktop = check_desktop();
    bool endpoint = check_endpoint(flags);
    endpoint = check_mcp_servers(flags) && endpoint;
    if (!desktop) return ExitCode::desktop;
    return endpoint ? ExitCode::completed : ExitCode::endpoint;
}

} // namespace eyehand::cli
