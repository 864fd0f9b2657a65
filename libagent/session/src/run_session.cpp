#include "eyehand/session/run_session.hpp"

#include "calibration/advice.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/http_log.hpp"
#include "eyehand/agent/lmstudio_log.hpp"
#include "eyehand/base/exception_text.hpp"
#include "eyehand/session/calibration.hpp"
#include "eyehand/session/report.hpp"
#include "eyehand/session/server_facts.hpp"
#include "eyehand/session/verify.hpp"
#include "eyehand/winio/error.hpp"
#include "record/run_file.hpp"
#include "recorded_model.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <utility>

namespace eyehand::session {
namespace {

void put(std::vector<agent::Setting>& settings, agent::Setting setting) {
    const auto same = std::find_if(settings.begin(), settings.end(),
                                   [&](const auto& it) { return it.name == setting.name; });
    if (same == settings.end())
        settings.push_back(std::move(setting));
    else
        *same = std::move(setting);
}

std::string utf8(const std::filesystem::path& path) {
    const std::u8string text = path.u8string();
    return {text.begin(), text.end()};
}

/// The size of the area that screenshots will show; nothing if it is unknown.
std::optional<winio::Size> screen_size(winio::Desktop& desktop, const winio::AreaChoice& area) {
    try {
        const winio::Rect bounds = winio::choose_area(desktop, area).bounds();
        return winio::Size{bounds.width, bounds.height};
    } catch (const winio::Error&) {
        return std::nullopt; // the run's first screenshot reports the reason
    } catch (const std::invalid_argument&) {
        return std::nullopt; // an empty crop: the agent reports it
    }
}

/// Calls `at_first` at the first event: from then on, this session owns the store.
class FirstEvent final : public agent::Observer {
public:
    explicit FirstEvent(std::function<void()> at_first) : at_first_(std::move(at_first)) {}
    void on_event(const agent::Event&) override {
        if (at_first_) std::exchange(at_first_, nullptr)();
    }

private:
    std::function<void()> at_first_;
};

/// Whether the store belongs to another run or process, or nothing was started: nothing must be
/// added to it.
bool is_not_ours(const agent::Error& error) {
    return error.code() == agent::errc::run_locked || error.code() == agent::errc::run_over ||
           error.code() == agent::errc::run_exists || error.code() == agent::errc::empty_task;
}

} // namespace

class RunSession::Impl {
public:
    Impl(winio::Desktop& desktop, SessionOptions options)
        : desktop_(desktop), options_(log_exchanges(std::move(options))), server_(adapt()),
          model_(options_.client, options_.cassette),
          agent_(desktop_, model_.get(), options_.profile, options_.tools, options_.agent) {}

    /// Calls `go` with the observers of the session and the caller.
    RunResult
    carry_out(agent::RunStore& store, std::span<agent::Observer* const> observers,
              const std::function<agent::RunFinished(std::span<agent::Observer* const>)>& go) {
        FirstEvent first([&] {
            try {
                http_log_.write_to(store);
                if (!calibration_json_.empty())
                    store.replace(agent::calibration_name, calibration_json_ + "\n");
            } catch (const agent::Error&) { // NOLINT(bugprone-empty-catch)
                // The next event or exchange has the same problem and ends the run.
            }
        });
        std::vector<agent::Observer*> all{&first};
        all.insert(all.end(), observers.begin(), observers.end());
        std::optional<agent::LmStudioLog> server_log;
        if (!options_.server_logs.empty()) server_log.emplace(options_.server_logs);
        RunResult result;
        try {
            result.finished = go(all);
        } catch (const agent::Error& error) {
            if (!is_not_ours(error)) leave_evidence_of_failure(store, server_log);
            throw;
        } catch (...) {
            leave_evidence_of_failure(store, server_log);
            throw;
        }
        result.report = leave_evidence(store, server_log);
        return result;
    }

    [[nodiscard]] const SessionOptions& options() const { return options_; }
    [[nodiscard]] const std::optional<vlm::ServerInfo>& server() const { return server_; }
    [[nodiscard]] const agent::RunControl& control() const { return options_.control; }
    agent::Agent& agent() { return agent_; }

private:
    SessionOptions log_exchanges(SessionOptions options) {
        options.client.on_exchange =
            [this, next = std::move(options.client.on_exchange)](const vlm::Exchange& exchange) {
                http_log_.add(exchange);
                if (next) next(exchange);
            };
        return options;
    }

    void remark(const std::string& text) const {
        if (options_.on_remark) options_.on_remark(text);
    }

    /// The model of a profile is only a recommendation: the server may not have it.
    void choose_model(const vlm::ServerInfo& server) {
        const auto model = only_model(server);
        if (!model) return;
        options_.profile.model = *model;
        put(options_.agent.settings, {"model", *model, "probe"});
    }

    /// Probes the server and adapts client and profile.
    std::optional<vlm::ServerInfo> adapt() {
        const auto path_setting = [&](const char* name, const std::filesystem::path& file) {
            if (!file.empty())
                put(options_.agent.settings, {name, utf8(file), "--" + std::string(name)});
        };
        path_setting("record", options_.cassette.record);
        path_setting("replay", options_.cassette.replay);
        if (!options_.model.empty()) options_.profile.model = options_.model;
        // A cassette has no replies to further requests.
        if (!options_.cassette.replay.empty() && options_.choose_watch) {
            options_.agent.watch = agent::Watch::off;
            put(options_.agent.settings, {"watch", "off", "--replay"});
        }
        std::optional<vlm::ServerInfo> server;
        if (options_.probe && options_.cassette.replay.empty())
            server = ask_server(options_.client, options_.model);
        if (server && options_.model.empty()) choose_model(*server);
        const auto screen = screen_size(desktop_, options_.agent.area);
        if (screen) choose_coordinates(*screen);
        if (server) adapt_to(*server, screen);
        return server;
    }

    void adapt_to(const vlm::ServerInfo& server, const std::optional<winio::Size>& screen) {
        options_.client = vlm::apply_capabilities(std::move(options_.client), server);
        for (agent::Setting& setting : settings_of(server))
            put(options_.agent.settings, std::move(setting));
        if (server.model.images == vlm::Support::no)
            remark(fmt::format("{} reports that {} does not accept images: load a vision model",
                               vlm::to_string(server.kind), server.model.id));
        // They use stb_image: https://github.com/ollama/ollama/pull/17755,
        // https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1839.
        if (std::holds_alternative<winio::WebpOptions>(options_.profile.image_format) &&
            (server.kind == vlm::ServerKind::llama_server ||
             server.kind == vlm::ServerKind::lm_studio))
            remark(
                fmt::format("many versions of {} cannot read WebP screenshots: if requests fail, "
                            "or the model sees nothing, choose jpeg (--image-format jpeg)",
                            vlm::to_string(server.kind)));
        choose_watch(server);
        if (options_.fit_context && screen && fit_profile(server, *screen, options_.profile))
            put(options_.agent.settings,
                {"drop_screenshots", fmt::format("{}", options_.profile.screenshots.batch),
                 "probe"});
    }

    /// The panel shows the profile, so it needs the size of screenshots before the run.
    void choose_coordinates(winio::Size screen) {
        agent::Profile& profile = options_.profile;
        const bool chosen = !profile.coordinates;
        const std::optional<Calibration> calibration = find_calibration();
        const auto measured = calibration ? measured_positions(*calibration) : std::nullopt;
        if (measured && (chosen || profile.coordinates == measured->convention))
            limit_image(calibration->fit.form.resize, screen);
        const agent::CoordinateChoice choice =
            agent::resolve_coordinates(profile, screen, measured);
        if (chosen)
            put(options_.agent.settings,
                {"coordinates", std::string(to_string(choice.convention)), choice.reason});
        if (calibration) return use_calibration(*calibration, choice);
        const auto family = agent::model_family(profile.model);
        if (!family) return;
        if (family->dialect != profile.dialect && family->dialect != agent::Dialect::native)
            remark(fmt::format("{} ({}) was trained to state actions as {}: consider --dialect {}",
                               profile.model, family->name, description(family->dialect),
                               to_string(family->dialect)));
        if (!family->grounds) {
            remark(fmt::format("{} ({}) states no usable positions: clicks are likely to miss; "
                               "consider {}",
                               profile.model, family->name,
                               fmt::join(alternatives(profile.model, profile.dialect), "; ")));
        } else if (family->convention && *family->convention != choice.convention) {
            remark(fmt::format("{} ({}) states positions as {} ({}), but this run uses {} ({}), so "
                               "clicks may miss",
                               profile.model, family->name, description(*family->convention),
                               to_string(*family->convention), to_string(choice.convention),
                               choice.reason));
        } else if (chosen && choice.convention != agent::CoordinateConvention::norm1000) {
            remark(fmt::format("{} ({}) states positions as {} ({}); --coordinates selects others",
                               profile.model, family->name, description(choice.convention),
                               to_string(choice.convention)));
        }
    }

    [[nodiscard]] std::optional<Calibration> find_calibration() const {
        if (options_.calibrations.empty() || !options_.cassette.replay.empty()) return std::nullopt;
        try {
            return load_calibration(options_.calibrations, vlm::OpenAiClient(options_.client).url(),
                                    options_.profile.model);
        } catch (const agent::Error& error) {
            remark(fmt::format("the calibration of {} is ignored: {}", options_.profile.model,
                               error.what()));
            return std::nullopt;
        }
    }

    /// Nothing if the calibration does not apply to this run.
    [[nodiscard]] std::optional<agent::MeasuredPositions>
    measured_positions(const Calibration& calibration) const {
        const PositionFit& fit = calibration.fit;
        if (!fit.grounds || !fit.form.usable()) return std::nullopt;
        if (calibration.dialect != options_.profile.dialect) return std::nullopt;
        agent::MeasuredPositions measured{fit.form.convention, std::nullopt};
        if (fit.correction != agent::Correction{}) measured.correction = fit.correction;
        return measured;
    }

    /// Sends screenshots in the size to which the server would shrink them, so that a pixel of the
    /// screenshot is a pixel of the model.
    void limit_image(ServerResize resize, winio::Size screen) {
        winio::ImageSize& image = options_.profile.image;
        const winio::Size size = winio::image_size(screen, image);
        const winio::Size shrunk = shrunk_size(size, resize);
        if (shrunk == size) return;
        if (std::holds_alternative<winio::ExactSize>(image))
            image = winio::ExactSize{shrunk};
        else
            image = winio::FitWithin{shrunk};
    }

    /// Tells the user what the calibration means for this run.
    void use_calibration(const Calibration& calibration, const agent::CoordinateChoice& choice) {
        const PositionFit& fit = calibration.fit;
        const std::string& model = options_.profile.model;
        if (calibration.dialect != options_.profile.dialect) {
            remark(fmt::format("the calibration of {} was made with --dialect {} and is not used: "
                               "calibrate again with --dialect {}",
                               model, to_string(calibration.dialect),
                               to_string(options_.profile.dialect)));
            return;
        }
        calibration_json_ = to_json(calibration);
        const HitRate small = calibration.small_targets();
        const double percent = small.total == 0 ? 0 : 100.0 * small.hits / small.total;
        put(options_.agent.settings,
            {"measured_positions",
             fit.grounds
                 ? fmt::format("{}{}; {:.0f} % of small targets", to_string(fit.form.convention),
                               fit.form.swapped ? ", y before x" : "", percent)
                 : std::string("none"),
             "calibration"});
        for (const CalibrationWarning& warning : warnings_of(calibration))
            remark(fmt::format("the calibration of {}: {}: {}", model, warning.text,
                               remedy(warning.kind, calibration)));
        if (fit.grounds && fit.form.usable() && choice.convention != fit.form.convention)
            remark(fmt::format("{} states positions as {} ({}), as its calibration shows, but this "
                               "run uses {} ({}), so clicks may miss",
                               model, agent::description(fit.form.convention),
                               to_string(fit.form.convention), to_string(choice.convention),
                               choice.reason));
    }

    [[nodiscard]] std::string remedy(WarningKind kind, const Calibration& calibration) const {
        switch (kind) {
        case WarningKind::no_grounding:
            return fmt::format(
                "consider {}",
                fmt::join(alternatives(options_.profile.model, calibration.dialect), "; "));
        case WarningKind::unusable_form:
            return "try --coordinates norm1000 in another calibration, or another model";
        case WarningKind::small_targets:
            return options_.profile.refine == agent::Refine::off
                       ? "enlarge controls, show the agent a smaller area (--window, --crop), or "
                         "let it refine positions (--refine on)"
                       : "enlarge controls, or show the agent a smaller area (--window, --crop)";
        case WarningKind::changed_convention:
            break;
        }
        return fmt::format("prefer short tasks (--max-turns {}), or another model", max_early_turn);
    }

    /// Cancelled requests cost nothing if the server then really stops computing.
    void choose_watch(const vlm::ServerInfo& server) {
        if (!options_.choose_watch || options_.agent.watch != agent::Watch::check) return;
        const bool shows_it = server.kind == vlm::ServerKind::llama_server && server.model.loaded;
        if (!shows_it) return;
        try {
            const vlm::ServerInfo tested =
                vlm::probe(options_.client, server.model.id, {.disconnect = true});
            if (tested.stops_on_disconnect == vlm::Support::yes)
                options_.agent.watch = agent::Watch::resend;
        } catch (const vlm::Error&) { // NOLINT(bugprone-empty-catch)
            // The run's first request reports the problem.
        }
        put(options_.agent.settings,
            {"watch", std::string(to_string(options_.agent.watch)), "probe"});
    }

    /// Writes the server's log and the report. Returns the path of the report, or an empty path.
    std::filesystem::path
    leave_evidence(agent::RunStore& store,
                   const std::optional<agent::LmStudioLog>& server_log) const {
        const auto directory = store.directory();
        if (directory && server_log) {
            const agent::LmStudioLog::Saved saved = server_log->save(*directory);
            if (!saved.note.empty()) remark(saved.note);
        }
        const std::string& key = options_.agent.journal_key;
        try {
            session::seal_run(store, key);
        } catch (const std::exception& problem) {
            remark(fmt::format("the run has no seal: {}", base::exception_text(problem)));
        }
        if (!directory || !options_.report) return {};
        try {
            return session::write_report(*directory, {.journal_key = key});
        } catch (const std::exception& problem) {
            remark(fmt::format("no report was written: {}", base::exception_text(problem)));
            return {};
        }
    }

    void leave_evidence_of_failure(agent::RunStore& store,
                                   const std::optional<agent::LmStudioLog>& server_log) const {
        const std::filesystem::path report = leave_evidence(store, server_log);
        if (!report.empty()) remark("report: " + utf8(report));
    }

    winio::Desktop& desktop_;
    agent::HttpLog http_log_;
    std::string calibration_json_; ///< of the run's model; empty: none applies
    SessionOptions options_;
    std::optional<vlm::ServerInfo> server_;
    RecordedModel model_;
    agent::Agent agent_;
};

RunSession::RunSession(winio::Desktop& desktop, SessionOptions options)
    : impl_(std::make_unique<Impl>(desktop, std::move(options))) {}

RunSession::~RunSession() = default;

agent::RunControl RunSession::control() const { return impl_->control(); }
const std::optional<vlm::ServerInfo>& RunSession::server() const { return impl_->server(); }
const agent::Profile& RunSession::profile() const { return impl_->options().profile; }
agent::Watch RunSession::watch() const { return impl_->options().agent.watch; }

RunResult RunSession::run(const std::string& task, agent::RunStore& store,
                          std::span<agent::Observer* const> observers) {
    return impl_->carry_out(store, observers, [&](std::span<agent::Observer* const> all) {
        return impl_->agent().run(task, store, impl_->control(), all);
    });
}

RunResult RunSession::resume(agent::RunStore& store, std::span<agent::Observer* const> observers,
                             std::vector<std::string> remarks) {
    return impl_->carry_out(store, observers, [&](std::span<agent::Observer* const> all) {
        return impl_->agent().resume(store, impl_->control(), all, std::move(remarks));
    });
}

std::vector<std::string> differences(const agent::StoredRun& stored) {
    std::vector<std::string> remarks;
    if (stored.version != agent::version())
        remarks.push_back(fmt::format("the run began with version {}; this is version {}",
                                      stored.version, agent::version()));
    const std::string& name = stored.summary.profile.name;
    const std::vector<std::string> built_in = agent::profile_names();
    if (std::find(built_in.begin(), built_in.end(), name) == built_in.end()) return remarks;
    // Compares prompts and tools only: the other members depend on the settings of the run.
    agent::Profile now = agent::load_profile(name);
    agent::Profile then = stored.summary.profile;
    for (agent::Profile* profile : {&now, &then}) {
        profile->model.clear();
        const agent::ModeFactory& mode = agent::mode_of(*profile);
        for (vlm::Sampling* sampling : mode.samplings(*profile)) *sampling = {};
        profile->max_turns = 1;
        profile->step_delay = {};
        profile->image = winio::FitWithin{{1, 1}};
        profile->image_format = {};
        profile->screenshots = profile->thinks = {};
        profile->text_tool_calls = {};
        profile->coordinates = {};
        profile->correction = {};
        profile->several_calls = agent::several_calls_of(*profile); // older runs state the default
        profile->dialect = {};
        profile->refine = {};
        profile->executed_heat = {};
        profile->bbox_heat = {};
        profile->physical_execution = true;
        profile->pace = {};
        profile->log = {};
        for (const auto& [option, value] : mode.options(*profile))
            mode.set_option(*profile, option, {});
    }
    if (agent::to_json(now) != agent::to_json(then))
        remarks.push_back(fmt::format("the profile \"{}\" has changed since the run began; the run "
                                      "continues with its own copy",
                                      name));
    return remarks;
}

} // namespace eyehand::session
