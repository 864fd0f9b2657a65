// agent-cli panel [RUN]
#include "commands.hpp"

#include "configuration.hpp"
#include "environment.hpp"
#include "eyehand/agent/error.hpp"
#include "eyehand/agent/run.hpp"
#include "eyehand/panel/panel.hpp"
#include "latest_run.hpp"
#include "platform.hpp"

#include <fmt/format.h>

#include <condition_variable>
#include <filesystem>
#include <mutex>

namespace eyehand::cli {
namespace {

std::filesystem::path latest(const std::string& parent) {
    std::filesystem::path run = latest_run(parent, [](const std::filesystem::path& path) {
        return std::filesystem::exists(path / "run.json");
    });
    if (run.empty())
        throw UsageError(fmt::format("{} contains no run; name a run directory, or the folder with "
                                     "the run directories (--run-dir)",
                                     parent));
    return run;
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
            ? latest(flags.run_dir.empty() ? *config.text("run_dir") : flags.run_dir)
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
