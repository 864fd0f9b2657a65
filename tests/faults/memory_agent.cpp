// The run of agent-cli on a desktop in memory, for faults that cannot be made on the desktop of a test machine:
//   eyehand-memory-agent ENDPOINT RUN_DIR FAULT
// FAULT: "capture denied", "locked" or "locked for a moment" (after the first input), "input half accepted". Prints
// "held" if a key or button is held at the end.
#include "commands.hpp"
#include "eyehand/base/exception_text.hpp"
#include "eyehand/winio/testing/memory_desktop.hpp"
#include "platform.hpp"
#include "settings.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <string>

using namespace eyehand;
using winio::testing::MemoryDesktop;

namespace {

void fail_captures_after_input(MemoryDesktop& desktop, winio::errc code, int times) {
    desktop.on_input = [&desktop, code, times](const winio::InputEvent&) {
        desktop.on_input = nullptr;
        desktop.fail_next_captures(code, times);
    };
}

/// Accepts three events, refuses the others of the same call, and then accepts all.
class HalfAccepting final : public winio::Desktop {
public:
    explicit HalfAccepting(MemoryDesktop& inner) : inner_(inner) {}

    std::vector<winio::Display> displays() override { return inner_.displays(); }
    std::unique_ptr<winio::Capturer> open_capturer(const winio::CaptureOptions& options) override {
        return inner_.open_capturer(options);
    }
    [[nodiscard]] winio::SendReport send(std::span<const winio::InputEvent> events) override {
        if (refused_ || events.size() <= accepted_) return inner_.send(events);
        refused_ = true;
        inner_.accept_at_most(accepted_);
        winio::SendReport report = inner_.send(events);
        inner_.accept_everything();
        return report;
    }
    std::optional<winio::Point> pointer() override { return inner_.pointer(); }
    winio::Windows* windows() noexcept override { return inner_.windows(); }
    winio::Clipboard* clipboard() noexcept override { return inner_.clipboard(); }

private:
    static constexpr std::size_t accepted_ = 3;
    MemoryDesktop& inner_;
    bool refused_ = false;
};

int run(winio::Desktop& desktop, char** argv) {
    cli::RunFlags flags;
    flags.task = "do it";
    flags.server.endpoint = argv[1];
    flags.run_dir = argv[2];
    flags.no_probe = true;
    cli::RunSettings settings = cli::resolve(flags);
    return static_cast<int>(
        cli::exit_code(cli::carry_out(flags, settings, desktop).finished.outcome));
}

int run_with_fault(MemoryDesktop& desktop, const std::string& fault, char** argv) {
    constexpr int for_good = 1000000;
    HalfAccepting half_accepting(desktop);
    if (fault == "input half accepted") return run(half_accepting, argv);
    if (fault == "capture denied")
        fail_captures_after_input(desktop, winio::errc::capture_failed, for_good);
    else if (fault == "locked")
        fail_captures_after_input(desktop, winio::errc::capture_unavailable, for_good);
    else if (fault == "locked for a moment")
        fail_captures_after_input(desktop, winio::errc::capture_unavailable, 1);
    else
        throw std::invalid_argument("unknown fault: " + fault);
    return run(desktop, argv);
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    try {
        cli::prepare_console();
        MemoryDesktop desktop(winio::Size{1000, 800});
        const int exit_code = run_with_fault(desktop, argv[3], argv);
        if (desktop.holds_anything()) std::puts("held");
        return exit_code;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", base::exception_text(error).c_str());
        return 1;
    }
}
