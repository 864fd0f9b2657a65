// agent-cli panel [RUN]
#include "commands.hpp"

#include "configuration.hpp"
#include "environment.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/panel/panel.hpp"
#include "platform.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <filesystem>
#include <mutex>

namespace eyehand::cli {
namespace {

/// The latest run directory: run_NNNN with the highest number.
std::filesystem::path latest_run(const std::string& parent) {
    std::filesystem::path latest;
    int highest = 0;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(path_of(parent), error)) {
        const auto number = agent::run_number(text_of(entry.path().filename()));
        if (!number || *number <= highest || !std::filesystem::exists(entry.path() / "run.json"))
            continue;
        highest = *number;
        latest = entry.path();
    }
    if (latest.empty())
        throw UsageError(fmt::format("{} contains no run; name a run directory, or the folder with "
                                     "the run directories (--run-dir)",
                                     parent));
    return latest;
}

/// Watches for Ctrl+C from its construction on.
class Interrupted {
public:
    void wait() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return over_; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool over_ = false;
    InterruptWatch watch_{[this](Interrupt) {
        const std::lock_guard lock(mutex_);
        over_ = true;
        changed_.notify_all();
    }};
};

} // namespace

ExitCode show_run(const PanelCommandFlags& flags) {
    session::Config config = configuration(flags.config);
    add_panel_flags(config, flags.panel);
    const std::filesystem::path run =
        flags.directory.empty()
            ? latest_run(flags.run_dir.empty() ? *config.text("run_dir") : flags.run_dir)
            : path_of(flags.directory);
    if (!std::filesystem::exists(run / "run.json"))
        throw UsageError(
            fmt::format("{} is not a run directory: it contains no run.json", text_of(run)));
    Interrupted interrupted;
    try {
        panel::Panel panel(page_options(config));
        panel.show(run);
        print_to(stdout, panel.url() + "\n");
        print_to(stderr, fmt::format("showing {} until Ctrl+C\n", text_of(run)));
        interrupted.wait();
    } catch (const agent::Error& error) {
        throw UsageError(error.what());
    }
    return ExitCode::completed;
}

} // namespace eyehand::cli
