// agent-cli calibrate
#include "calibrations.hpp"
#include "commands.hpp"

#include "configuration.hpp"
#include "environment.hpp"
#include "eyehand/session/calibration.hpp"
#include "eyehand/session/server_facts.hpp"
#include "eyehand/winio/png.hpp"
#include "platform.hpp"
#include "terminal_view.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <utility>

namespace eyehand::cli {
namespace {

using session::Calibration;
using Clock = std::chrono::steady_clock;

// --- The model and its profile -------------------------------------------------------------------

struct Prepared {
    vlm::ClientOptions client;
    agent::Profile profile;
};

/// As for a run with these flags.
Prepared prepare(const CalibrateFlags& flags) {
    RunFlags run;
    run.profile = flags.profile;
    run.server = flags.server;
    run.dialect = flags.dialect;
    run.view.image_format = flags.image_format;
    run.coordinates = flags.coordinates;
    session::Config config = configuration(run);
    Prepared prepared{resolve(flags.server), add_profile(config)};
    session::apply(config, prepared.profile);
    const session::ConfigEntry* named = config.find("model");
    const bool is_named = named != nullptr && named->layer > session::ConfigLayer::profile;
    if (!config.boolean("probe")) return prepared;
    const std::string wanted = is_named ? prepared.profile.model : std::string();
    const auto server = session::ask_server(prepared.client, wanted);
    if (!server) return prepared;
    if (!is_named)
        prepared.profile.model = session::only_model(*server).value_or(prepared.profile.model);
    prepared.client = vlm::apply_capabilities(std::move(prepared.client), *server);
    constexpr winio::Size usual_screen{1366, 768}; // of the long conversation
    (void)session::fit_profile(*server, usual_screen, prepared.profile);
    return prepared;
}

// --- The progress --------------------------------------------------------------------------------

std::string duration_text(std::chrono::seconds left) {
    if (left >= std::chrono::minutes(2)) return fmt::format("{} min", (left.count() + 59) / 60);
    return fmt::format("{} s", left.count());
}

/// One line that is redrawn on a terminal; otherwise a line after every tenth answer.
class Progress {
public:
    explicit Progress(int requests) : requests_(requests) {}
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void show(int done) {
        const auto left = std::chrono::ceil<std::chrono::seconds>((Clock::now() - start_) / done *
                                                                  (requests_ - done));
        const std::string line =
            fmt::format("{} of {} requests, about {} left", done, requests_, duration_text(left));
        if (terminal_)
            print_to(stderr, "\r\x1b[K" + line);
        else if (done % 10 == 0 && done < requests_)
            print_to(stderr, line + "\n");
    }
    void clear() {
        if (std::exchange(terminal_, false)) print_to(stderr, "\r\x1b[K");
    }

private:
    int requests_;
    bool terminal_ = errors_go_to_terminal();
    Clock::time_point start_ = Clock::now();
};

// --- The result ----------------------------------------------------------------------------------

std::string line(std::string_view what, const std::string& text) {
    return fmt::format("{:<11}{}\n", what, text);
}

std::string signed_number(double number) { return fmt::format("{:+.1f}", number); }

std::string error_text(const session::PositionFit& fit) {
    std::string text =
        fmt::format("{:.1f}/1000 of the image (median distance to the center)", fit.residual);
    const agent::Correction& by = fit.correction;
    if (by == agent::Correction{}) return text;
    text += fmt::format(" after a correction by x {}, y {}", signed_number(by.offset_x),
                        signed_number(by.offset_y));
    if (by.scale_x != 1 || by.scale_y != 1)
        text += fmt::format(" and the factors x {:.3f}, y {:.3f}", by.scale_x, by.scale_y);
    return text + fmt::format("; {:.1f} before", fit.uncorrected_residual);
}

std::string positions_text(const Calibration& calibration) {
    const session::PositionFit& fit = calibration.fit;
    if (!fit.grounds) return "no grounding";
    std::string text = session::description(fit.form);
    if (fit.form.convention != calibration.stated)
        text += fmt::format("; the prompts asked for {}", to_string(calibration.stated));
    return text;
}

std::string turns_text(const Calibration& calibration) {
    const auto share = [](const session::ConventionShare& of) {
        return fmt::format("{} of {}", of.in_convention, of.total);
    };
    const std::optional<bool> keeps = calibration.keeps_convention();
    return fmt::format("{} positions in the convention up to turn {} of a conversation, {} later{}",
                       share(calibration.early), session::max_early_turn, share(calibration.late),
                       keeps ? "" : ", which are too few to judge");
}

/// What the user should know, and what to do instead.
std::string advice(const Calibration& calibration) {
    std::string text;
    for (const std::string& warning : session::warnings(calibration))
        text += line("warning", warning);
    if (calibration.fit.grounds) return text;
    for (const std::string& alternative :
         session::alternatives(calibration.model, calibration.dialect))
        text += line("remedy", alternative);
    return text;
}

std::string rate_text(const session::HitRate& rate) {
    const session::Interval range = session::wilson_interval(rate.hits, rate.total);
    return fmt::format("{:>3} of {:<3} {:>4.0f} %   {:.0f} to {:.0f} %", rate.hits, rate.total,
                       rate.total == 0 ? 0.0 : 100.0 * rate.hits / rate.total, 100 * range.low,
                       100 * range.high);
}

std::string refined_text(const Calibration& calibration) {
    if (!calibration.refined) return {};
    const session::RefineResult& refined = *calibration.refined;
    std::string text = line("refined", "hits        rate   95 % confidence");
    for (const session::HitRate& rate : refined.without)
        text += line(fmt::format("{} px", rate.size), rate_text(rate) + "   without");
    for (const session::HitRate& rate : refined.with)
        text += line(fmt::format("{} px", rate.size), rate_text(rate) + "   with --refine on");
    for (const session::HitRate& rate : refined.with_small)
        text += line(fmt::format("{} px", rate.size), rate_text(rate) + "   with --refine small");
    std::string cost = fmt::format("{} more requests, {:.2f} s per click (median)",
                                   refined.requests, refined.median_seconds);
    if (refined.median_prompt_tokens && refined.median_completion_tokens)
        cost += fmt::format(", {} tokens in, {} out", *refined.median_prompt_tokens,
                            *refined.median_completion_tokens);
    return text + line("", cost);
}

std::string table(const Calibration& calibration) {
    std::string text = line("model", one_line(calibration.model));
    text += line("endpoint", one_line(calibration.endpoint));
    text += line("positions", positions_text(calibration));
    if (calibration.fit.grounds) text += line("error", error_text(calibration.fit));
    text += line("target", "hits        rate   95 % confidence");
    for (const session::HitRate& rate : calibration.hit_rates)
        text += line(fmt::format("{} px", rate.size), rate_text(rate));
    text += line("up to 16", rate_text(calibration.small_targets()));
    text += line("replies", fmt::format("{}: {} with a position, {} follow the schema, {} with one "
                                        "call, {} in the convention",
                                        calibration.requests, calibration.with_position,
                                        calibration.valid_calls, calibration.single_calls,
                                        calibration.in_convention));
    if (calibration.fit.grounds) text += line("turns", turns_text(calibration));
    if (calibration.failed_requests > 0)
        text += line("failed", fmt::format("{} requests", calibration.failed_requests));
    std::string cost = fmt::format("{:.2f} s per answer (median)", calibration.median_seconds);
    if (calibration.median_prompt_tokens && calibration.median_completion_tokens)
        cost += fmt::format(", {} tokens in, {} out", *calibration.median_prompt_tokens,
                            *calibration.median_completion_tokens);
    return text + line("cost", cost) + refined_text(calibration) + advice(calibration);
}

void write_image(const std::string& file, const session::CalibrationRun& run) {
    const std::vector<std::uint8_t> png =
        winio::encode_png(session::draw_answers(run.answers).view(), {.level = 6});
    std::ofstream out(path_of(file), std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(png.data()), static_cast<std::streamsize>(png.size()));
    out.close();
    if (!out)
        throw UsageError(fmt::format(
            "{} cannot be written; check that its folder exists and is writable", file));
}

/// Returns the name of the file.
std::string save(const Calibration& calibration, const std::filesystem::path& folder) {
    const std::filesystem::path file =
        folder / session::calibration_file(calibration.endpoint, calibration.model);
    if (!write_private_file(file, session::to_json(calibration) + "\n"))
        throw UsageError(fmt::format("{} cannot be written; check the permissions of its folder",
                                     text_of(file)));
    return text_of(file);
}

} // namespace

ExitCode calibrate_model(const CalibrateFlags& flags) {
    const std::filesystem::path folder = calibration_folder();
    if (folder.empty())
        throw UsageError(fmt::format("there is no folder for calibrations: set the environment "
                                     "variable {} to an absolute path",
                                     configuration_variables()));
    Prepared prepared = prepare(flags);
    const int requests = flags.requests.value_or(session::default_calibration_requests);
    TerminalView view({});
    prepared.client.on_retry = [&](const vlm::Attempt& attempt) { view.on_retry(attempt); };
    vlm::OpenAiClient model(prepared.client);
    std::stop_source stop;
    const InterruptWatch watch([&](Interrupt) { stop.request_stop(); });
    session::CalibrationRun run;
    {
        session::CalibrationOptions options{.profile = prepared.profile,
                                            .requests = requests,
                                            .refine = flags.refine,
                                            .stop = stop.get_token()};
        const int max_requests = session::max_requests(options);
        print_to(stderr, printable(fmt::format("{}: {}{} requests to {}\n", prepared.profile.model,
                                               options.refine ? "at most " : "", max_requests,
                                               origin(prepared.client.endpoint))));
        Progress progress(max_requests);
        options.on_answer = [&](const session::CalibrationAnswer&, int done) {
            progress.show(done);
        };
        run = session::calibrate(model, options);
    }
    if (!run.not_refined.empty())
        print_to(stderr, printable(fmt::format("positions were not refined: {}\n",
                                               one_line(run.not_refined))));
    Calibration& calibration = run.calibration;
    const std::string url = model.url();
    calibration.endpoint = url.substr(0, url.find('?'));
    calibration.time = std::chrono::duration_cast<std::chrono::seconds>(
                           std::chrono::system_clock::now().time_since_epoch())
                           .count();
    const std::string file = save(calibration, folder);
    if (flags.json) {
        print_to(stdout, session::to_json(calibration) + "\n");
        print_to(stderr, printable("saved: " + file) + "\n");
    } else {
        print_to(stdout, printable(table(calibration) + line("saved", file)));
    }
    if (!flags.image_out.empty()) write_image(flags.image_out, run);
    return calibration.fit.grounds ? ExitCode::completed : ExitCode::failed;
}

} // namespace eyehand::cli
